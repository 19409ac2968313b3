// SPDX-License-Identifier: MIT
/*
 * A check of the finished code's waits that shares nothing with how they were made. From each
 * instruction it walks along every path, adds up the stalls and watches the scoreboards, and asks
 * of each instruction that it meets whether it comes too early: to read a result, to overwrite it,
 * or to overwrite a source that may not have been read yet.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

#define BOARD_SET 2
#define SETTLED   64 /* cycles after which nothing with a fixed time is still under way */

/* How far an instruction is on a path. */
struct progress {
	uint32_t cycles;       /* since its issue; 0 = not at all */
	bool results, sources; /* waited for */
	uint16_t overwritten;  /* which of its uses someone else has written since */
};

struct walk {
	const struct mir_func *f;
	const struct mir_inst *from;
	struct sass_reg_use uses[SASS_MAX_USES]; /* of from */
	uint32_t nuses;
	bool variable, late;
	struct progress *seen; /* by block and what was waited for: how it was entered */
	struct text *why;
};

static bool overlap(const struct sass_reg_use *a, const struct sass_reg_use *b)
{
	return a->kind == b->kind && a->reg < b->reg + b->count && b->reg < a->reg + a->count;
}

static bool complain(const struct walk *w, const struct mir_inst *i, const struct progress *p,
		     const char *what)
{
	text_printf(w->why, "kernel %s: %u cycles after '%s', '%s' %s", w->f->name, p->cycles,
		    mir_text_inst(w->f, w->from), mir_text_inst(w->f, i), what);
	return false;
}

static bool meet_use(const struct walk *w, const struct mir_inst *i, struct progress *p, uint32_t k,
		     const struct sass_reg_use *use)
{
	const struct sass_inst *from = &w->from->sass, *to = &i->sass;
	const struct sass_reg_use *own = &w->uses[k];

	if (p->overwritten >> k & 1 || !overlap(own, use))
		return true;
	if (!own->write) {
		if (use->write && w->late && own->operand != SASS_USE_GUARD &&
		    own->kind != SASS_UGPR && !p->sources && !p->results)
			return complain(w, i, p, "overwrites a source that may not have been read");
		if (use->write && p->cycles < sass_war_latency(from, to, own->kind))
			return complain(w, i, p, "overwrites its source too early");
		return true;
	}
	if (w->variable && !p->results)
		return complain(w, i, p, "does not wait for its result");
	if (!use->write && p->cycles < sass_raw_latency(w->f->sm, from, own, to, use))
		return complain(w, i, p, "reads its result too early");
	if (use->write && p->cycles < sass_waw_latency(w->f->sm, from, to))
		return complain(w, i, p, "overwrites its result too early");
	/* The same registers exactly: from then on it is the other's result. */
	if (use->write && to->guard == SASS_PT && use->reg <= own->reg &&
	    use->reg + use->count >= own->reg + own->count)
		p->overwritten |= (uint16_t)(1 << k);
	return true;
}

static bool waited(const struct sass_inst *in, uint8_t board)
{
	return board != SASS_NO_SB && in->wait >> board & 1;
}

static bool meet_inst(const struct walk *w, const struct mir_inst *i, struct progress *p)
{
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t n = sass_uses(&i->sass, uses);

	/* A scoreboard that was only just counted up is not yet seen (ptxas keeps this distance). */
	if (p->cycles < BOARD_SET && (waited(&i->sass, w->from->sass.write_barrier) ||
				      waited(&i->sass, w->from->sass.read_barrier)))
		return complain(w, i, p, "waits before its scoreboard is set");
	p->results |= waited(&i->sass, w->from->sass.write_barrier);
	p->sources |= waited(&i->sass, w->from->sass.read_barrier);
	for (int writes = 0; writes < 2; writes++) {
		for (uint32_t u = 0; u < n; u++) {
			for (uint32_t k = 0; uses[u].write == (bool)writes && k < w->nuses; k++) {
				if (!meet_use(w, i, p, k, &uses[u]))
					return false;
			}
		}
	}
	return true;
}

static bool is_settled(const struct walk *w, const struct progress *p)
{
	return p->cycles >= SETTLED && (!w->variable || p->results) &&
	       (!w->late || p->sources || p->results);
}

/* Whether a block was not yet entered this early and with this much still to watch. */
static bool is_news(struct walk *w, uint32_t b, struct progress p)
{
	struct progress *seen = &w->seen[4 * b + 2 * p.results + p.sources];

	if (seen->cycles && seen->cycles <= p.cycles && !(seen->overwritten & ~p.overwritten))
		return false;
	*seen = p;
	return true;
}

static bool follow(struct walk *w, const struct mir_inst *i, uint32_t b, struct progress p)
{
	for (; i; i = i->next) {
		if (!meet_inst(w, i, &p))
			return false;
		if (is_settled(w, &p))
			return true;
		p.cycles += i->sass.stall;
	}
	for (uint32_t s = 0; s < w->f->blocks[b].nsucc; s++) {
		uint32_t to = w->f->blocks[b].succ[s];

		if (is_news(w, to, p) && !follow(w, w->f->blocks[to].first, to, p))
			return false;
	}
	return true;
}

bool nv_check_hazards(const struct mir_func *f, struct text *why)
{
	struct walk w = {.f = f, .why = why};

	w.seen = arena_array(f->arena, 4 * f->nblocks, sizeof(*w.seen));
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			struct progress p = {.cycles = i->sass.stall};

			w.from = i;
			w.nuses = sass_uses(&i->sass, w.uses);
			w.variable = sass_has_variable_latency(f->sm, &i->sass);
			w.late = sass_reads_late(f->sm, &i->sass);
			memset(w.seen, 0, 4 * f->nblocks * sizeof(*w.seen));
			if (i->sass.stall < sass_min_stall(f->sm, &i->sass))
				return complain(&w, i, &p, "comes too early whatever it is");
			if (!follow(&w, i->next, b, p))
				return false;
		}
	return true;
}
