// SPDX-License-Identifier: MIT
/* Fault injection, for tests of drivers: the FSP rejects the firmware, registers stay locked, the
 * card falls off the bus, interrupts or events never end (interrupt_storm.c), or the GSP corrupts
 * one message. NAME@N selects the N-th message since the GSP booted, counted over boot, calls and
 * events; without @N the first. A sweep injects another fault in each boot: each message fault in
 * sequence, then the next message, by STEP, for TIMES boots or until boots have no such message;
 * afterwards the card works. gone@N is the N-th register access since a reset, and
 * gone:FIRST:STEP:TIMES sweeps it over resets in the same manner.
 *
 * From a fault until the next reset, refusals do not count against the driver: it cannot know. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "model/card/card_internal.h"

#define LATE_NS   300000000
#define FLOOD     200
#define NO_VECTOR (CARD_GSP_VECTOR + 1) /* unused */
#define NO_CALL   0x1fff

/* Video memory reads as all ones from now on. Machines have mapped it, so that its contents must
 * change; pages that were never written stay as they are. */
static void fall_off(struct card *c)
{
	off_t from, to = 0;

	while ((from = lseek(c->vram_fd, to, SEEK_DATA)) >= 0 &&
	       (to = lseek(c->vram_fd, from, SEEK_HOLE)) > from)
		memset(c->vram + from, 0xff, (size_t)(to - from));
}

static void corrupt_short(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)e;
	rpc->bytes = (uint32_t)sizeof(*rpc);
}
static void corrupt_long(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)e;
	rpc->bytes = UINT32_MAX;
}
static void corrupt_empty(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)rpc;
	e->pages = 0;
}
static void corrupt_pages(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)rpc;
	e->pages = NV_GSP_ELEMENT_PAGES + 1;
}
static void corrupt_sequence(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)rpc;
	e->sequence += 5;
}
static void corrupt_header(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)e;
	rpc->signature = 0;
}
static void corrupt_call(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)e;
	rpc->function = NO_CALL;
}
static void corrupt_status(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)e;
	rpc->result = NV_STATUS_INVALID_STATE;
}
static void corrupt_nothing(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	(void)e;
	(void)rpc;
}

/* Rows with a function affect messages; a sweep injects these. */
static const struct row {
	const char *name;
	void (*corrupt)(struct nv_gsp_element *e, struct nv_gsp_rpc *rpc);
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
	[FAULT_SILENT] = {"silent", corrupt_nothing},
	[FAULT_LATE] = {"late", corrupt_nothing},
	[FAULT_CHECKSUM] = {"checksum", corrupt_nothing},
	[FAULT_SEQUENCE] = {"sequence", corrupt_sequence},
	[FAULT_SHORT] = {"short", corrupt_short},
	[FAULT_LONG] = {"long", corrupt_long},
	[FAULT_EMPTY] = {"empty", corrupt_empty},
	[FAULT_PAGES] = {"pages", corrupt_pages},
	[FAULT_HEADER] = {"header", corrupt_header},
	[FAULT_CALL] = {"call", corrupt_call},
	[FAULT_STATUS] = {"status", corrupt_status},
	[FAULT_HALT] = {"halt", corrupt_nothing},
	[FAULT_POINTER] = {"pointer", corrupt_nothing},
	[FAULT_FLOOD] = {"flood", corrupt_nothing},
	[FAULT_ONES] = {"ones", corrupt_nothing},
};
#define ROWS              (sizeof(rows) / sizeof(*rows))
#define FIRST_MESSAGE     FAULT_SILENT
#define MESSAGES          (ROWS - FIRST_MESSAGE)
#define MAX_MISSED_RESETS 3 /* consecutive resets without the access: the sweep is over */

static bool parse_number(const char **text, char before, uint32_t *value)
{
	char *end;

	if (**text != before || (*text)[1] < '0' || (*text)[1] > '9')
		return false;
	unsigned long n = strtoul(*text + 1, &end, 10);

	*text = end;
	*value = (uint32_t)n;
	return n <= UINT32_MAX;
}

static bool parse_sweep(const char *text, struct fault_injection *f)
{
	return parse_number(&text, ':', &f->next) && parse_number(&text, ':', &f->step) &&
	       parse_number(&text, ':', &f->times) && !*text;
}

/* NAME, NAME@N, sweep:FIRST:STEP:TIMES or gone:FIRST:STEP:TIMES. */
bool fault_set(struct fault_injection *f, const char *text)
{
	size_t length = strcspn(text, "@:");
	const char *rest = text + length;

	*f = (struct fault_injection){.at = 1};
	if (length == 5 && !strncmp(text, "sweep", length))
		return parse_sweep(rest, f);
	for (uint32_t i = 0; i < ROWS; i++)
		if (strlen(rows[i].name) == length && !strncmp(text, rows[i].name, length)) {
			f->kind = (enum card_fault)i;
			if (i == FAULT_GONE && *rest == ':')
				return parse_sweep(rest, f);
			return !*rest || ((rows[i].corrupt || i == FAULT_GONE) &&
					  parse_number(&rest, '@', &f->at) && !*rest);
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

/* Advances a sweep over accesses at each reset, unless no access happened since the last. */
static void sweep_next_access(struct card *c)
{
	struct fault_injection *f = &c->fault;

	if (f->accesses) {
		f->missed = f->happened ? 0 : f->missed + 1;
		if (f->missed == MAX_MISSED_RESETS && f->times) {
			card_log(c, "sweep: no more than %u accesses", f->accesses);
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
	struct fault_injection *f = &c->fault;

	if (f->kind == FAULT_GONE) {
		if (f->step)
			sweep_next_access(c);
		f->accesses = 0;
		f->happened = false;
		f->boots++;
		return;
	}
	/* The sweep is over when the message did not occur in as many boots as there are faults. */
	if (f->times && f->messages) {
		f->missed = f->happened ? 0 : f->missed + 1;
		if (f->missed == MESSAGES) {
			card_log(c, "sweep: no more than %u messages", f->messages);
			f->times = 0;
		}
	}
	f->happened = false;
	f->messages = 0;
	f->boots++;
}

void fault_boot(struct card *c)
{
	struct fault_injection *f = &c->fault;

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

/* A late message lies in the ring; a thread publishes PUT later, if that GSP still runs. */
struct late {
	struct card *card;
	uint32_t boots, put;
};

static void *publish_later(void *argument)
{
	struct late *l = argument;

	nanosleep(&(struct timespec){.tv_nsec = LATE_NS}, NULL);
	pthread_mutex_lock(&l->card->lock);
	if (l->card->gsp.running && l->card->fault.boots == l->boots)
		gsp_publish(l->card, l->put);
	pthread_mutex_unlock(&l->card->lock);
	l->card->fault.late_published = true;
	free(l);
	return NULL;
}

static bool start_late_publish(struct card *c, uint32_t put)
{
	struct late *l = c->fault.waits && !c->fault.late_published ? NULL : malloc(sizeof(*l));

	if (!l)
		return false;
	fault_end(c);
	*l = (struct late){c, c->fault.boots, put};
	c->fault.late_published = false;
	c->fault.waits = !pthread_create(&c->fault.thread, NULL, publish_later, l);
	if (!c->fault.waits)
		free(l);
	return c->fault.waits;
}

/* Joins the delay thread; the caller does not hold the card's lock, or the thread has finished. */
void fault_end(struct card *c)
{
	if (c->fault.waits)
		pthread_join(c->fault.thread, NULL);
	c->fault.waits = false;
}

bool fault_corrupt(struct card *c, struct nv_gsp_element *e, struct nv_gsp_rpc *rpc)
{
	struct fault_injection *f = &c->fault;

	f->messages++;
	f->now = f->messages == f->at && rows[f->kind].corrupt ? f->kind : FAULT_NONE;
	/* After a silent message the GSP stays silent: the driver would take a later reply for this
	 * one. */
	if (f->kind == FAULT_SILENT && f->messages > f->at)
		f->now = FAULT_SILENT;
	if (f->now == FAULT_NONE)
		return false;
	f->happened = true;
	rows[f->now].corrupt(e, rpc);
	return f->now == FAULT_CHECKSUM;
}

void fault_publish(struct card *c, uint32_t put)
{
	switch (c->fault.now) {
	case FAULT_SILENT:
		break;
	case FAULT_LATE:
		if (!start_late_publish(c, put))
			gsp_publish(c, put);
		break;
	case FAULT_HALT:
		gsp_halt(c);
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
		fall_off(c);
		break;
	default:
		gsp_publish(c, put);
		break;
	}
}

void fault_access(struct card *c)
{
	struct fault_injection *f = &c->fault;

	if (f->kind != FAULT_GONE || f->happened || ++f->accesses != f->at)
		return;
	f->happened = true;
	card_log(c, "the card falls off the bus at access %u to a register", f->at);
	fall_off(c);
}

bool fault_gone(const struct card *c)
{
	return c->fault.happened && (c->fault.kind == FAULT_ONES || c->fault.kind == FAULT_GONE);
}
