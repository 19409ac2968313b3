/* SPDX-License-Identifier: MIT */
/*
 * What the card does wrong on purpose, so that drivers can be tried: its FSP refuses, its registers never open, it falls off
 * the bus, it never stops to interrupt or to talk (storm.c), or the GSP spoils one message. NAME@N is the N-th message since the GSP booted, counted over boot, calls and
 * events; without @N it is the first. A sweep has another fault in every boot: message faults in turn, then the next
 * message, in steps, so many times, or until boots have no such message any more; afterwards the card behaves. gone@N is the
 * N-th access to a register since a reset, and gone:FIRST:STEP:TIMES another one after every reset, in the same way.
 *
 * From the moment of a fault until a reset nothing that a driver does is held against it: it cannot know.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/card/card_internal.h"

#define LATE_NS   300000000
#define FLOOD     200
#define NO_VECTOR (CARD_GSP_VECTOR + 1) /* nobody's */
#define NO_CALL   0x1fff

static void spoil_short(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)e;
	rpc->bytes = (uint32_t)sizeof(*rpc);
}
static void spoil_long(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)e;
	rpc->bytes = UINT32_MAX;
}
static void spoil_empty(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)rpc;
	e->pages = 0;
}
static void spoil_pages(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)rpc;
	e->pages = NV_GSP_ELEMENT_PAGES + 1;
}
static void spoil_sequence(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)rpc;
	e->sequence += 5;
}
static void spoil_header(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)e;
	rpc->signature = 0;
}
static void spoil_call(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)e;
	rpc->function = NO_CALL;
}
static void spoil_status(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)e;
	rpc->result = NV_STATUS_INVALID_STATE;
}
static void spoil_nothing(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)e;
	(void)rpc;
}

/* Those with a function are done to messages, and are what a sweep goes through. */
static const struct row {
	const char *name;
	void (*spoil)(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc);
} rows[] = {
	[FAULT_NONE] = {"none", NULL},
	[FAULT_REFUSE] = {"refuse", NULL},
	[FAULT_LOCKED] = {"locked", NULL},
	[FAULT_VANISH] = {"vanish", NULL},
	[FAULT_STUBBORN] = {"stubborn", NULL},
	[FAULT_DEAF] = {"deaf", NULL},
	[FAULT_GONE] = {"gone", NULL},
	[FAULT_SPURIOUS] = {"spurious", NULL},
	[FAULT_STORM] = {"storm", NULL},
	[FAULT_SILENT] = {"silent", spoil_nothing},
	[FAULT_LATE] = {"late", spoil_nothing},
	[FAULT_CHECKSUM] = {"checksum", spoil_nothing},
	[FAULT_SEQUENCE] = {"sequence", spoil_sequence},
	[FAULT_SHORT] = {"short", spoil_short},
	[FAULT_LONG] = {"long", spoil_long},
	[FAULT_EMPTY] = {"empty", spoil_empty},
	[FAULT_PAGES] = {"pages", spoil_pages},
	[FAULT_HEADER] = {"header", spoil_header},
	[FAULT_CALL] = {"call", spoil_call},
	[FAULT_STATUS] = {"status", spoil_status},
	[FAULT_POINTER] = {"pointer", spoil_nothing},
	[FAULT_FLOOD] = {"flood", spoil_nothing},
	[FAULT_ONES] = {"ones", spoil_nothing},
};
#define ROWS          (sizeof(rows) / sizeof(*rows))
#define FIRST_MESSAGE FAULT_SILENT
#define MESSAGES      (ROWS - FIRST_MESSAGE)
#define MISSED        3 /* resets in a row without the access that was meant, and there is none */

static bool number(const char **text, char before, uint32_t *value)
{
	char *end;

	if (**text != before || (*text)[1] < '0' || (*text)[1] > '9')
		return false;
	unsigned long n = strtoul(*text + 1, &end, 10);

	*text = end;
	*value = (uint32_t)n;
	return n <= UINT32_MAX;
}

static bool steps(const char *text, struct fault *f)
{
	return number(&text, ':', &f->next) && number(&text, ':', &f->step) &&
	       number(&text, ':', &f->times) && !*text;
}

/* NAME, NAME@N, sweep:FIRST:STEP:TIMES or gone:FIRST:STEP:TIMES. */
bool fault_set(struct fault *f, const char *text)
{
	size_t length = strcspn(text, "@:");
	const char *rest = text + length;

	*f = (struct fault){.at = 1};
	if (length == 5 && !strncmp(text, "sweep", length))
		return steps(rest, f);
	for (uint32_t i = 0; i < ROWS; i++)
		if (strlen(rows[i].name) == length && !strncmp(text, rows[i].name, length)) {
			f->kind = (enum card_fault)i;
			if (i == FAULT_GONE && *rest == ':')
				return steps(rest, f);
			return !*rest || ((rows[i].spoil || i == FAULT_GONE) &&
					  number(&rest, '@', &f->at) && !*rest);
		}
	return false;
}

void fault_names(char *to, size_t size)
{
	int length = 0;

	for (uint32_t i = 0; i < ROWS && length >= 0 && (size_t)length < size; i++)
		length += snprintf(to + length, size - (size_t)length, "%s ", rows[i].name);
	if (length >= 0 && (size_t)length < size)
		snprintf(to + length, size - (size_t)length,
			 "sweep:FIRST:STEP:TIMES gone:FIRST:STEP:TIMES");
}

/* A sweep of accesses goes on with each reset, unless nothing was done since the last. */
static void next_access(struct card *c)
{
	struct fault *f = &c->fault;

	if (f->accesses) {
		f->missed = f->happened ? 0 : f->missed + 1;
		if (f->missed == MISSED && f->times) {
			card_log(c, "sweep: there are no more than %u accesses", f->accesses);
			f->times = 0;
		}
	}
	if (f->accesses || !f->boots) {
		f->at = f->times ? f->next : 0;
		f->next += f->step;
		f->times -= f->times != 0;
	}
	f->accesses = 0;
}

void fault_reset(struct card *c)
{
	struct fault *f = &c->fault;

	if (f->kind == FAULT_GONE) {
		if (f->step)
			next_access(c);
		f->accesses = 0;
		f->happened = false;
		f->boots++;
		return;
	}
	/* A sweep is over when for as many boots as there are faults the message did not come. */
	if (f->times && f->messages) {
		f->missed = f->happened ? 0 : f->missed + 1;
		if (f->missed == MESSAGES) {
			card_log(c, "sweep: there are no more than %u messages", f->messages);
			f->times = 0;
		}
	}
	f->happened = false;
	f->messages = 0;
	f->boots++;
}

void fault_boot(struct card *c)
{
	struct fault *f = &c->fault;

	f->messages = 0;
	if (!f->step || f->kind == FAULT_GONE)
		return;
	f->kind = FAULT_NONE;
	if (!f->times)
		return;
	f->kind = (enum card_fault)(FIRST_MESSAGE + f->next % MESSAGES);
	f->at = 1 + f->next / (uint32_t)MESSAGES;
	f->next += f->step;
	f->times--;
	card_log(c, "fault: %s at message %u", rows[f->kind].name, f->at);
}

/* A message that is late lies in the ring; that it is there is said later, if that GSP still runs. */
struct late {
	struct card *card;
	uint32_t boots, put;
};

static void *say_later(void *argument)
{
	struct late *l = argument;

	nanosleep(&(struct timespec){.tv_nsec = LATE_NS}, NULL);
	pthread_mutex_lock(&l->card->lock);
	if (l->card->gsp.running && l->card->fault.boots == l->boots)
		gsp_publish(l->card, l->put);
	pthread_mutex_unlock(&l->card->lock);
	l->card->fault.said = true;
	free(l);
	return NULL;
}

static bool start_late(struct card *c, uint32_t put)
{
	struct late *l = c->fault.waits && !c->fault.said ? NULL : malloc(sizeof(*l));

	if (!l)
		return false;
	fault_end(c);
	*l = (struct late){c, c->fault.boots, put};
	c->fault.said = false;
	c->fault.waits = !pthread_create(&c->fault.thread, NULL, say_later, l);
	if (!c->fault.waits)
		free(l);
	return c->fault.waits;
}

/* Nobody holds the card's lock, or the late one is over. */
void fault_end(struct card *c)
{
	if (c->fault.waits)
		pthread_join(c->fault.thread, NULL);
	c->fault.waits = false;
}

bool fault_corrupt(struct card *c, struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	struct fault *f = &c->fault;

	f->messages++;
	f->now = f->messages == f->at && rows[f->kind].spoil ? f->kind : FAULT_NONE;
	/* Who is silent once stays so: a later answer would be taken for this one. */
	if (f->kind == FAULT_SILENT && f->messages > f->at)
		f->now = FAULT_SILENT;
	if (f->now == FAULT_NONE)
		return false;
	f->happened = true;
	rows[f->now].spoil(e, rpc);
	return f->now == FAULT_CHECKSUM;
}

void fault_publish(struct card *c, uint32_t put)
{
	switch (c->fault.now) {
	case FAULT_SILENT:
		break;
	case FAULT_LATE:
		if (!start_late(c, put))
			gsp_publish(c, put);
		break;
	case FAULT_POINTER:
		gsp_publish(c, NV_GSP_QUEUE_ELEMENTS + 7);
		break;
	case FAULT_FLOOD:
		gsp_publish(c, put);
		for (uint32_t i = 0; i < FLOOD; i++)
			interrupt_raise(c, i % 2 ? CARD_GSP_VECTOR : NO_VECTOR);
		break;
	case FAULT_ONES:
		card_log(c, "the card falls off the bus");
		break;
	default:
		gsp_publish(c, put);
		break;
	}
}

void fault_access(struct card *c)
{
	struct fault *f = &c->fault;

	if (f->kind != FAULT_GONE || f->happened || ++f->accesses != f->at)
		return;
	f->happened = true;
	card_log(c, "the card falls off the bus at access %u to a register", f->at);
}

bool fault_gone(const struct card *c)
{
	return c->fault.happened && (c->fault.kind == FAULT_ONES || c->fault.kind == FAULT_GONE);
}
