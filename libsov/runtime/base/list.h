/* SPDX-License-Identifier: MIT */
/* Circular doubly linked lists, as in the Linux kernel. */
#ifndef SOV_LIST_H
#define SOV_LIST_H

#include <stddef.h>

struct list_head {
	struct list_head *next, *previous;
};

/* The structure that embeds a list_head or another member. */
#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

/* l must not be removed by the loop's body. */
#define list_for_each(l, head) for ((l) = (head)->next; (l) != (head); (l) = (l)->next)

static inline void list_init(struct list_head *head)
{
	head->next = head->previous = head;
}

static inline void list_add_tail(struct list_head *head, struct list_head *l)
{
	l->next = head;
	l->previous = head->previous;
	head->previous->next = l;
	head->previous = l;
}

static inline void list_del(struct list_head *l)
{
	l->previous->next = l->next;
	l->next->previous = l->previous;
}

#endif
