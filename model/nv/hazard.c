// SPDX-License-Identifier: MIT
/* Hazard mode: checks the instruction schedule. Hardware has no interlocks here: an instruction
 * that reads a register too early gets the old value, so code carries stall counts (for results of
 * fixed latency) and scoreboards (for variable latency), and this file verifies both. Each warp has
 * a clock that stall counts advance; a scoreboard wait takes no time, since the scoreboard may
 * already be free. Every register records its pending writers and readers.
 *
 * A scoreboard is a counter: an instruction takes a ticket, and a wait for zero retires all tickets
 * so far, DEPBAR.LE all but the last few. In a unit that works in order, retiring an instruction
 * retires everything issued before it. Products of a warp group end groups, and WARPGROUP.DEPBAR
 * retires all but the last few groups; between, only products with the same sums may use these.
 * Instructions of one queue read their sources in order, and
 * all of them have done so after a block barrier. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/nv/exec.h"

#define SCOREBOARDS 6
#define NO_TICKET   0
#define GROUPS      8 /* more than WARPGROUP.DEPBAR leaves in flight */

/* Properties of an instruction that do not depend on its execution. */
struct timing {
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t count;
	struct sass_reuse_slot kept[SASS_REUSE_SLOTS]; /* operands that reuse flags may keep */
	bool variable, in_order, late, group;          /* group: a product of a warp group */
	uint8_t unit, queue;
};

/* One instruction in flight, as recorded for a register. */
struct flight {
	const struct op *op; /* NULL: none */
	uint64_t pc, cycle;
	uint64_t sequence;      /* issue number in its unit */
	uint64_t queued;        /* issue number in its queue */
	uint64_t written, read; /* scoreboard tickets; NO_TICKET: none */
	uint32_t lanes;
	uint8_t use; /* index into its timing's uses */
};

#define WRITERS 2 /* lanes of a register may have different writers */
#define READERS 4

struct cell {
	struct flight writers[WRITERS], readers[READERS];
};

/* Cells by kind of register. */
enum {
	CELL_GPR = 0,
	CELL_UGPR = CELL_GPR + 255,
	CELL_PRED = CELL_UGPR + 63,
	CELL_UPRED = CELL_PRED + 7,
	CELL_BREG = CELL_UPRED + 7,
	CELLS = CELL_BREG + BREGS
};

/* Up to which instruction of each queue sources have been read, and of each unit that works in
 * order results written. */
struct progress {
	uint64_t read[SASS_QUEUE_COUNT], written[SASS_PIPE_COUNT];
};

struct scoreboard {
	uint64_t tickets, settled; /* issued; retired */
	uint64_t cycle;            /* when the last ticket was taken */
	/* The last instructions that took a ticket, and the last ones before the most recent
	 * ticket. */
	struct progress last, previous;
};

struct hazard {
	struct flight kept[SASS_REUSE_SLOTS]; /* contents of the operand reuse cache, by slot */
	struct flight last, barrier;          /* previous instruction; last block barrier */
	struct progress issued, settled;      /* so far; retired up to these */
	struct scoreboard scoreboards[SCOREBOARDS];
	/* Products of a warp group: groups so far, the last product of each of the last few groups,
	 * and the last one that was waited for, by issue number in their unit. */
	uint64_t groups, group_end[GROUPS], products_done;
	struct cell cells[CELLS];
};

struct timing *timing_create(uint32_t count)
{
	return calloc(count, sizeof(struct timing));
}

const struct timing *timing_prepare(struct timing *all, uint32_t index, const struct sass_inst *in,
				    uint32_t sm)
{
	struct timing *t = &all[index];

	t->count = sass_uses(in, t->uses);
	t->variable = sass_has_variable_latency(sm, in);
	t->in_order = sass_completes_in_order(sm, in);
	t->late = sass_reads_late(sm, in);
	t->group = sass_is_group_product(in);
	t->unit = (uint8_t)sass_pipe(sm, in);
	t->queue = (uint8_t)sass_queue(sm, in);
	sass_reuse_slots(in, t->kept);
	return t;
}

struct hazard *hazard_create(void)
{
	return malloc(sizeof(struct hazard));
}

void hazard_reset(struct hazard *h)
{
	memset(h, 0, sizeof(*h));
}

/* Reporting. */

static const char *register_name(const struct sass_reg_use *u, uint32_t reg, char *text,
				 size_t size)
{
	static const char *const prefix[] = {
		[SASS_GPR] = "R",    [SASS_UGPR] = "UR", [SASS_PRED] = "P",
		[SASS_UPRED] = "UP", [SASS_BREG] = "B",
	};

	snprintf(text, size, "%s%u", prefix[u->kind], reg);
	return text;
}

static const char *instruction_text(const struct warp *w, const struct op *op, uint64_t pc,
				    char *text, size_t size)
{
	uint64_t offset = pc - w->grid->work.program;
	int n = snprintf(text, size, "+0x%llx ", (unsigned long long)offset);

	sass_print(w->grid->chip->sm, op->inst, offset, text + n, size - (size_t)n);
	return text;
}

/* Message: "<instruction> <verb> <register>, but <producer> <why>". */
static void report_hazard(struct warp *w, const struct op *op, const char *verb,
			  const struct sass_reg_use *u, uint32_t reg, const struct flight *f,
			  const char *why)
{
	char here[88], there[88], name[8];

	instruction_text(w, op, w->pc, here, sizeof(here));
	instruction_text(w, f->op, f->pc, there, sizeof(there));
	warp_fault(w, LANES, MODEL_FAULT_HAZARD, w->pc, "%s %s %s, but %s %s", here, verb,
		   register_name(u, reg, name, sizeof(name)), there, why);
}

static void report_distance(struct warp *w, const struct op *op, const char *verb,
			    const struct sass_reg_use *u, uint32_t reg, const struct flight *f,
			    uint64_t have, uint64_t need)
{
	char why[64];

	snprintf(why, sizeof(why), "issued %llu cycles earlier and needs %llu",
		 (unsigned long long)have, (unsigned long long)need);
	report_hazard(w, op, verb, u, reg, f, why);
}

static void report_scoreboard(struct warp *w, const struct op *op, const char *verb,
			      const struct sass_reg_use *u, uint32_t reg, const struct flight *f,
			      uint32_t scoreboard)
{
	char why[48];

	if (scoreboard < SCOREBOARDS)
		snprintf(why, sizeof(why), "was not waited for (SB%u)", scoreboard);
	else
		snprintf(why, sizeof(why), "has no scoreboard to wait for");
	report_hazard(w, op, verb, u, reg, f, why);
}

/* Scoreboards. */

static void advance(uint64_t *number, uint64_t to)
{
	*number = to > *number ? to : *number;
}

static void advance_progress(struct progress *p, const struct progress *to)
{
	for (uint32_t q = 0; q < SASS_QUEUE_COUNT; q++)
		advance(&p->read[q], to->read[q]);
	for (uint32_t u = 0; u < SASS_PIPE_COUNT; u++)
		advance(&p->written[u], to->written[u]);
}

static void retire_tickets(struct warp *w, uint32_t scoreboard, uint64_t reuse_cache_update,
			   uint32_t distance)
{
	struct hazard *h = w->hazard;
	uint64_t clock = w->clock;
	struct scoreboard *s = &h->scoreboards[scoreboard];
	/* A ticket taken within the last cycles is not visible yet. */
	bool fresh = s->tickets && clock < s->cycle + distance;
	uint64_t upto = s->tickets - (fresh && !reuse_cache_update      ? 1
				      : reuse_cache_update < s->tickets ? reuse_cache_update
									: s->tickets);

	if (upto <= s->settled)
		return;
	s->settled = upto;
	copies_arrive(w, (uint8_t)scoreboard, upto);
	if (upto == s->tickets)
		advance_progress(&h->settled, &s->last);
	else if (upto + 1 == s->tickets)
		advance_progress(&h->settled, &s->previous);
}

/* results: the ticket is released when results are written, which is after sources are read. */
static uint64_t take_ticket(struct hazard *h, uint32_t scoreboard, const struct flight *f,
			    bool results, uint64_t clock)
{
	struct scoreboard *s = &h->scoreboards[scoreboard];

	s->previous = s->last;
	advance(&s->last.read[f->op->timing->queue], f->queued);
	if (results)
		advance(&s->last.written[f->op->timing->unit], f->sequence);
	s->cycle = clock;
	return ++s->tickets;
}

static bool ticket_retired(const struct hazard *h, uint32_t scoreboard, uint64_t ticket)
{
	return ticket != NO_TICKET && h->scoreboards[scoreboard].settled >= ticket;
}

static bool result_retired(const struct hazard *h, const struct flight *f)
{
	const struct timing *t = f->op->timing;

	return ticket_retired(h, f->op->inst->write_barrier, f->written) ||
	       (t->in_order && h->settled.written[t->unit] >= f->sequence);
}

/*
 * A generic atomic says in its predicate whether the address was in memory that it handles. ptxas
 * waits only for the scoreboard of its sources before it reads that (HeCBench f16atomic, lut-gemm;
 * with a result the one-instruction test atom_half_spaces).
 */
static bool predicate_retired(const struct hazard *h, const struct flight *f)
{
	const struct sass_inst *in = f->op->inst;

	return in->op == SASS_ATOM && f->op->timing->uses[f->use].kind == SASS_PRED &&
	       ticket_retired(h, in->read_barrier, f->read);
}

/* next: the instruction that reads the result; NULL: one that overwrites it. The scoreboard of
 * BMOV.CLEAR is for the register: ptxas sets the barrier again without it. */
static bool write_retired(const struct hazard *h, const struct flight *f, uint32_t sm,
			  const struct op *next)
{
	return !f->op->timing->variable || f->op->timing->uses[f->use].kind == SASS_BREG ||
	       !sass_needs_scoreboard(sm, f->op->inst, next ? next->inst : NULL) ||
	       result_retired(h, f) || predicate_retired(h, f);
}

/* Units that complete in order write in order: ptxas does not wait between LDS.128 and an LDS to
 * one of its registers (HeCBench blockScan). */
static bool writes_in_order(const struct op *first, const struct op *second)
{
	return first->timing->in_order && second->timing->in_order &&
	       first->timing->unit == second->timing->unit;
}

/* Queues are read in issue order, even those of units that complete out of order. */
static bool sources_retired(const struct hazard *h, const struct flight *f)
{
	return ticket_retired(h, f->op->inst->read_barrier, f->read) || result_retired(h, f) ||
	       h->settled.read[f->op->timing->queue] >= f->queued;
}

/* Products of a warp group. */

#define UNFINISHED "was not waited for (gsb0)"

static bool product_pending(const struct hazard *h, const struct flight *f)
{
	return f->op && f->op->timing->group && f->sequence > h->products_done;
}

/* Whether the instruction adds to the sums of the product in flight: these are in order. */
static bool adds_to_sums(const struct flight *f, const struct op *op)
{
	return op->timing->group && op->inst->op == f->op->inst->op &&
	       op->inst->ops[0].reg == f->op->inst->ops[0].reg &&
	       op->inst->mod[SASS_M_TILES] == f->op->inst->mod[SASS_M_TILES] &&
	       op->inst->mod[SASS_M_SUMS] == f->op->inst->mod[SASS_M_SUMS];
}

static void end_group(struct hazard *h, const struct sass_inst *in, uint64_t sequence)
{
	if (!in->ops[in->nops - 1].value)
		h->group_end[h->groups++ % GROUPS] = sequence;
}

static void wait_for_groups(struct hazard *h, uint64_t left)
{
	if (h->groups > left)
		h->products_done = h->group_end[(h->groups - left - 1) % GROUPS];
}

/* Registers. */

static struct cell *cell_of(struct hazard *h, const struct sass_reg_use *u, uint32_t i)
{
	static const uint16_t base[] = {
		[SASS_GPR] = CELL_GPR,     [SASS_UGPR] = CELL_UGPR, [SASS_PRED] = CELL_PRED,
		[SASS_UPRED] = CELL_UPRED, [SASS_BREG] = CELL_BREG,
	};
	uint32_t index = base[u->kind] + u->reg + i;

	return index < CELLS ? &h->cells[index] : NULL;
}

/* Uniform registers, uniform predicates and barriers belong to the warp, not to a lane. */
static uint32_t lanes_of(const struct sass_reg_use *u, uint32_t mask)
{
	return u->kind == SASS_GPR || u->kind == SASS_PRED ? mask : ALL_LANES;
}

/* Whether the instruction is out of reach of all fixed latencies. */
static bool is_long_ago(const struct warp *w, const struct flight *f)
{
	return w->clock - f->cycle >= SASS_MAX_LATENCY;
}

static bool check_read(struct warp *w, const struct op *op, const struct sass_reg_use *u,
		       uint32_t i, uint32_t mask)
{
	struct hazard *h = w->hazard;
	struct cell *c = cell_of(h, u, i);

	for (uint32_t k = 0; c && k < WRITERS; k++) {
		const struct flight *f = &c->writers[k];
		const struct timing *t = f->op ? f->op->timing : NULL;
		uint64_t need;

		if (!f->op || !(f->lanes & lanes_of(u, mask)))
			continue;
		if (product_pending(h, f) && !adds_to_sums(f, op)) {
			report_hazard(w, op, "reads", u, u->reg + i, f, UNFINISHED);
			return false;
		}
		if (!write_retired(h, f, w->grid->chip->sm, op)) {
			report_scoreboard(w, op, "reads", u, u->reg + i, f,
					  f->op->inst->write_barrier);
			return false;
		}
		if (is_long_ago(w, f))
			continue;
		need = sass_raw_latency(w->grid->chip->sm, f->op->inst, &t->uses[f->use], op->inst,
					u);
		if (w->clock - f->cycle < need) {
			report_distance(w, op, "reads", u, u->reg + i, f, w->clock - f->cycle,
					need);
			return false;
		}
	}
	return true;
}

static bool check_write(struct warp *w, const struct op *op, const struct sass_reg_use *u,
			uint32_t i, uint32_t mask)
{
	uint32_t sm = w->grid->chip->sm;
	struct hazard *h = w->hazard;
	struct cell *c = cell_of(h, u, i);

	for (uint32_t k = 0; c && k < WRITERS; k++) {
		const struct flight *f = &c->writers[k];
		uint64_t need;

		if (!f->op || !(f->lanes & lanes_of(u, mask)))
			continue;
		if (product_pending(h, f) && !adds_to_sums(f, op)) {
			report_hazard(w, op, "overwrites", u, u->reg + i, f, UNFINISHED);
			return false;
		}
		if (writes_in_order(f->op, op))
			continue;
		if (!write_retired(h, f, sm, NULL)) {
			report_scoreboard(w, op, "overwrites", u, u->reg + i, f,
					  f->op->inst->write_barrier);
			return false;
		}
		if (is_long_ago(w, f))
			continue;
		need = sass_waw_latency(sm, f->op->inst, op->inst);
		if (w->clock - f->cycle < need) {
			report_distance(w, op, "overwrites", u, u->reg + i, f, w->clock - f->cycle,
					need);
			return false;
		}
	}
	for (uint32_t k = 0; c && k < READERS; k++) {
		const struct flight *f = &c->readers[k];

		if (f->op && u->kind == SASS_UGPR) {
			uint64_t need = sass_war_latency(f->op->inst, op->inst, u->kind);

			if (w->clock - f->cycle >= need)
				continue;
			report_distance(w, op, "overwrites the pending source", u, u->reg + i, f,
					w->clock - f->cycle, need);
			return false;
		}
		if (f->op && f->op->timing->group) {
			if (!product_pending(h, f) || adds_to_sums(f, op))
				continue;
			report_hazard(w, op, "overwrites the pending source", u, u->reg + i, f,
				      UNFINISHED);
			return false;
		}
		/* An instruction in the same queue reads before it writes. */
		if (!f->op || !(f->lanes & lanes_of(u, mask)) || sources_retired(h, f) ||
		    sass_same_queue(sm, f->op->inst, op->inst))
			continue;
		report_scoreboard(w, op, "overwrites the pending source", u, u->reg + i, f,
				  f->op->inst->read_barrier);
		return false;
	}
	return true;
}

/* Chooses an empty entry, a retired one, or else the oldest. */
static struct flight *reader_slot(struct hazard *h, struct cell *c)
{
	struct flight *oldest = &c->readers[0];

	for (uint32_t k = 0; k < READERS; k++) {
		if (!c->readers[k].op || sources_retired(h, &c->readers[k]))
			return &c->readers[k];
		if (c->readers[k].cycle < oldest->cycle)
			oldest = &c->readers[k];
	}
	return oldest;
}

/* Removes the lanes from older writers and frees those with no lanes left. */
static struct flight *writer_slot(struct cell *c, uint32_t lanes)
{
	struct flight *slot = NULL;

	for (uint32_t k = 0; k < WRITERS; k++) {
		c->writers[k].lanes &= ~lanes;
		if (!c->writers[k].lanes)
			c->writers[k].op = NULL;
		if (!c->writers[k].op)
			slot = &c->writers[k];
	}
	if (slot)
		return slot;
	return c->writers[0].cycle < c->writers[1].cycle ? &c->writers[0] : &c->writers[1];
}

/* Lane registers are read when the unit executes the instruction, predicates and warp-wide
 * registers at issue: ptxas overwrites the uniform register of an address in the next cycle.
 * Uniform arithmetic reads slightly later (sass_war_latency). */
static bool read_late(const struct timing *t, const struct sass_reg_use *u)
{
	return ((t->late || t->group) && u->kind == SASS_GPR) ||
	       (t->unit == SASS_PIPE_UNIFORM && u->kind == SASS_UGPR);
}

static void record_uses(struct warp *w, const struct op *op, struct flight f, uint32_t mask)
{
	const struct timing *t = op->timing;

	for (uint32_t n = 0; n < t->count; n++) {
		const struct sass_reg_use *u = &t->uses[n];

		if (!u->write && !read_late(t, u))
			continue;
		f.use = (uint8_t)n;
		f.lanes = lanes_of(u, mask);
		for (uint32_t i = 0; i < u->count; i++) {
			struct cell *c = cell_of(w->hazard, u, i);

			if (c)
				*(u->write ? writer_slot(c, f.lanes) : reader_slot(w->hazard, c)) =
					f;
		}
	}
}

static bool check_registers(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct timing *t = op->timing;

	for (uint32_t n = 0; n < t->count; n++) {
		const struct sass_reg_use *u = &t->uses[n];
		/* Every active lane reads the guard, the other operands only where it is true. */
		uint32_t lanes = u->operand == SASS_USE_GUARD ? w->mask : mask;

		for (uint32_t i = 0; lanes && i < u->count; i++)
			if (u->write ? !check_write(w, op, u, i, lanes)
				     : !check_read(w, op, u, i, lanes))
				return false;
	}
	return true;
}

/* Some instructions need a minimum distance to any next instruction. */
static bool check_distance(struct warp *w, const struct op *op, const struct flight *f)
{
	uint32_t need = f->op ? sass_min_distance(w->grid->chip->sm, f->op->inst, op->inst) : 0;
	char here[88], there[88];

	if (w->clock - f->cycle >= need)
		return true;
	instruction_text(w, op, w->pc, here, sizeof(here));
	instruction_text(w, f->op, f->pc, there, sizeof(there));
	warp_fault(w, LANES, MODEL_FAULT_HAZARD, w->pc,
		   "%s issues %llu cycles after %s, which needs %u", here,
		   (unsigned long long)(w->clock - f->cycle), there, need);
	return false;
}

static bool timing_writes(const struct timing *t, struct sass_reuse_slot k)
{
	for (uint32_t n = 0; n < t->count; n++)
		if (t->uses[n].write && t->uses[n].kind == SASS_GPR &&
		    k.reg < t->uses[n].reg + t->uses[n].count && t->uses[n].reg < k.reg + k.count)
			return true;
	return false;
}

/* The operand reuse cache: the next instruction with the same operand in the slot takes the cached
 * value; others read the register. An instruction that reads the register as half of a pair takes
 * it, too: ptxas 12.4 and 13.0 keep R11 for an IMAD.WIDE that reads and writes R10 and R11
 * (HeCBench's gmm). No instruction may write the register in between, or the cached value is stale.
 * A branch, or a possible switch to another warp, empties the cache. */
static bool check_reuse_cache(struct warp *w, const struct op *op)
{
	struct hazard *h = w->hazard;
	const struct timing *t = op->timing;
	bool dropped = !h->last.op || h->last.op->inst->yield || h->last.pc + 16 != w->pc;

	for (uint32_t k = 0; k < SASS_REUSE_SLOTS; k++) {
		struct flight *f = &h->kept[k];
		struct sass_reuse_slot was;
		char here[88], there[88];

		if (dropped)
			f->op = NULL;
		if (!f->op)
			continue;
		was = f->op->timing->kept[k];
		if (was.reg >= t->kept[k].reg && was.reg < t->kept[k].reg + t->kept[k].count &&
		    sass_reuse_hits(w->grid->chip->sm, f->op->inst, op->inst)) {
			f->op = NULL;
			continue;
		}
		if (!timing_writes(t, was))
			continue;
		instruction_text(w, op, w->pc, here, sizeof(here));
		instruction_text(w, f->op, f->pc, there, sizeof(there));
		warp_fault(w, LANES, MODEL_FAULT_HAZARD, w->pc,
			   "%s overwrites R%u, which %s keeps in the operand reuse cache", here,
			   was.reg, there);
		return false;
	}
	return true;
}

static void reuse_cache_update(struct hazard *h, const struct op *op, const struct flight *f)
{
	for (uint32_t k = 0; k < SASS_REUSE_SLOTS; k++)
		if (op->inst->reuse >> k & 1 && op->timing->kept[k].reg != SASS_RZ)
			h->kept[k] = *f;
}

static void wait_scoreboards(struct warp *w, const struct op *op)
{
	const struct sass_inst *in = op->inst;
	uint32_t all = in->wait;

	if (in->op == SASS_DEPBAR || in->op == SASS_DEPBAR_SET)
		all |= (uint32_t)op->imm[in->op == SASS_DEPBAR ? 2 : 0];

	for (uint32_t s = 0; s < SCOREBOARDS; s++)
		if (all >> s & 1)
			retire_tickets(w, s, 0, 2);
	if (in->op == SASS_DEPBAR)
		/* ptxas has it in the cycle after LDGDEPBAR */
		retire_tickets(w, (uint32_t)op->imm[0] % SCOREBOARDS, (uint64_t)op->imm[1], 1);
	if (in->op == SASS_WARPGROUP_DEPBAR)
		wait_for_groups(w->hazard, (uint64_t)op->imm[1]);
}

void hazard_issue(struct warp *w, const struct op *op, uint32_t mask)
{
	struct hazard *h = w->hazard;
	const struct sass_inst *in = op->inst;
	const struct timing *t = op->timing;
	struct flight f = {.op = op, .pc = w->pc, .cycle = w->clock};

	if (!t) /* run_illegal() reports the illegal instruction */
		return;
	wait_scoreboards(w, op);
	if (!check_registers(w, op, mask))
		return;
	if (!check_reuse_cache(w, op) || !check_distance(w, op, &h->last) ||
	    !check_distance(w, op, &h->barrier))
		return;
	f.sequence = ++h->issued.written[t->unit];
	f.queued = ++h->issued.read[t->queue];
	if (t->group)
		end_group(h, in, f.sequence);
	if (in->write_barrier < SCOREBOARDS)
		f.written = take_ticket(h, in->write_barrier, &f, true, w->clock);
	if (in->op == SASS_LDGDEPBAR && f.written)
		copies_end_group(w, in->write_barrier, f.written);
	if (in->read_barrier < SCOREBOARDS)
		f.read = take_ticket(h, in->read_barrier, &f, false, w->clock);
	if (mask)
		record_uses(w, op, f, mask);
	reuse_cache_update(h, op, &f);
	h->last = f;
	if (in->op == SASS_BAR || in->op == SASS_UCGABAR_ARV)
		h->barrier = f;
	if (mask && sass_drains_queues(w->grid->chip->sm, in))
		memcpy(h->settled.read, h->issued.read, sizeof(h->settled.read));
	w->clock += sass_stall_cycles(in);
}
