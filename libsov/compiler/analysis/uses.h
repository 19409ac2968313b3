/* SPDX-License-Identifier: MIT */
/*
 * Use lists and use counts of values. A pass that rewrites locally builds them once and changes the
 * function only through these calls, so that counts stay exact and no change scans the function. A
 * list may still name an instruction that no longer uses the value; the counts are always exact.
 */
#ifndef SOV_COMPILER_USES_H
#define SOV_COMPILER_USES_H

#include "libsov/compiler/ir/ir.h"

struct use {
	ir_id user;
	uint32_t next; /* next use of the same value; 0: end */
};

struct uses {
	struct ir_func *f;
	uint32_t *head, *count; /* by value */
	uint32_t head_capacity, count_capacity;
	struct use *list; /* entry 0 is unused */
	uint32_t nlist, list_capacity;
};

void uses_init(struct uses *u, struct ir_func *f);

/* For passes without use lists: replaces every argument v < n by to[v] until to[v] is 0. */
void uses_forward(struct ir_func *f, const ir_val *to, uint32_t n);

#define uses_for_each(u, v, it) for (uint32_t it = (u)->head[v]; it; it = (u)->list[it].next)

/* Replaces one argument of an instruction. */
void uses_set_arg(struct uses *u, ir_id i, uint32_t k, ir_val v);
/* Replaces all uses of one value by another. */
void uses_replace(struct uses *u, ir_val of, ir_val with);
/* Turns an instruction into a different one with the same result; clears all attributes, which the
 * caller sets. */
void uses_become(struct uses *u, ir_id i, enum ir_op op, enum ir_type type, const ir_val *args,
		 uint32_t nargs);
/* Creates an instruction and inserts it before another. */
ir_id uses_insert(struct uses *u, ir_id before, enum ir_op op, enum ir_type type,
		  const ir_val *args, uint32_t nargs);
ir_val uses_const(struct uses *u, ir_id before, enum ir_type type, uint64_t value);
/* Removes an instruction whose results are unused. */
void uses_remove(struct uses *u, ir_id i);

#endif
