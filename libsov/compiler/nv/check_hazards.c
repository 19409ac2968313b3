// SPDX-License-Identifier: MIT
/*
 * Verifier of stall counts and scoreboards, independent of the passes that set them. From each
 * instruction it follows all paths, adds up stall counts, tracks the two scoreboards and reports an
 * instruction that comes too early: to read a result (RAW), to overwrite it (WAW), or to overwrite
 * a source that may not have been read (WAR).
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

#define MAX_USES  32 /* of one instruction, with single registers as sources */
#define BOARD_SET 2
#define SETTLED   64 /* cycles after which every fixed-latency result is available */

/* State of the producer along a path. */
struct progress {
	uint32_t cycles;       /* since its issue; 0 = block not visited */
	bool results, sources; /* already waited for */
	uint32_t overwritten;  /* mask of its uses whose registers were written since */
};

struct walk {
	const struct mir_func *f;
	const struct mir_inst *from;
	struct sass_reg_use uses[MAX_USES]; /* of from; sources are single registers */
	uint32_t nuses;
	bool variable, reads_late;
	struct progress *seen; /* by block and scoreboard state: state at its first visit */
	struct text *why;
};

static bool uses_overlap(const struct sass_reg_use *a, const struct sass_reg_use *b)
{
	return a->kind == b->kind && a->reg < b->reg + b->count && b->reg < a->reg + a->count;
}

static bool report_hazard(const struct walk *w, const struct mir_inst *i, const struct progress *p,
			  const char *fault)
{
	text_printf(w->why, "kernel %s: %u cycles after '%s', '%s' %s", w->f->name, p->cycles,
		    mir_text_inst(w->f, w->from), mir_text_inst(w->f, i), fault);
	return false;
}

static bool reads_in_order(uint32_t sm, const struct sass_inst *a, const struct sass_inst *b)
{
	uint8_t pipe = sass_pipe(sm, a);

	return pipe == sass_pipe(sm, b) && (pipe == SASS_PIPE_MEMORY || pipe == SASS_PIPE_SHARED);
}

static bool check_use(const struct walk *w, const struct mir_inst *i, struct progress *p,
		      uint32_t k, const struct sass_reg_use *use)
{
	const struct sass_inst *from = &w->from->sass, *to = &i->sass;
	const struct sass_reg_use *own = &w->uses[k];

	if (p->overwritten >> k & 1 || !uses_overlap(own, use))
		return true;
	/* Memory instructions of one pipe read their sources in order, and the next instruction
	 * that writes this register waits for the later one. */
	if (!own->write && use->write && to->guard == SASS_PT && own->operand != SASS_USE_GUARD &&
	    reads_in_order(w->f->sm, from, to)) {
		p->overwritten |= 1u << k;
		return true;
	}
	if (!own->write) {
		if (use->write && w->reads_late && own->operand != SASS_USE_GUARD &&
		    own->kind != SASS_UGPR && !p->sources && !p->results)
			return report_hazard(w, i, p,
					     "overwrites a source that may not have been read");
		if (use->write && p->cycles < sass_war_latency(from, to, own->kind))
			return report_hazard(w, i, p, "overwrites its source too early");
		return true;
	}
	if (w->variable && !p->results)
		return report_hazard(w, i, p, "does not wait for its result");
	if (!use->write && p->cycles < sass_raw_latency(w->f->sm, from, own, to, use))
		return report_hazard(w, i, p, "reads its result too early");
	if (use->write && p->cycles < sass_waw_latency(w->f->sm, from, to))
		return report_hazard(w, i, p, "overwrites its result too early");
	/* The registers are fully overwritten: later instructions depend on that write instead. */
	if (use->write && to->guard == SASS_PT && use->reg <= own->reg &&
	    use->reg + use->count >= own->reg + own->count)
		p->overwritten |= 1u << k;
	return true;
}

static bool waits_for(const struct sass_inst *in, uint8_t board)
{
	return board != SASS_NO_SB && in->wait >> board & 1;
}

static bool check_inst(const struct walk *w, const struct mir_inst *i, struct progress *p)
{
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t n = sass_uses(&i->sass, uses);

	/* A scoreboard is visible to waits only BOARD_SET cycles after it is set (ptxas keeps
	 * this distance). */
	if (p->cycles < BOARD_SET && (waits_for(&i->sass, w->from->sass.write_barrier) ||
				      waits_for(&i->sass, w->from->sass.read_barrier)))
		return report_hazard(w, i, p, "waits before its scoreboard is set");
	p->results |= waits_for(&i->sass, w->from->sass.write_barrier);
	p->sources |= waits_for(&i->sass, w->from->sass.read_barrier);
	for (int writes = 0; writes < 2; writes++) {
		for (uint32_t u = 0; u < n; u++) {
			for (uint32_t k = 0; uses[u].write == (bool)writes && k < w->nuses; k++) {
				if (!check_use(w, i, p, k, &uses[u]))
					return false;
			}
		}
	}
	return true;
}

static bool is_settled(const struct walk *w, const struct progress *p)
{
	return p->cycles >= SETTLED && (!w->variable || p->results) &&
	       (!w->reads_late || p->sources || p->results);
}

/* Whether the block was not yet visited this early with these hazards pending. */
static bool needs_visit(struct walk *w, uint32_t b, struct progress p)
{
	struct progress *seen = &w->seen[4 * b + 2 * p.results + p.sources];

	if (seen->cycles && seen->cycles <= p.cycles && !(seen->overwritten & ~p.overwritten))
		return false;
	*seen = p;
	return true;
}

static bool follow_path(struct walk *w, const struct mir_inst *i, uint32_t b, struct progress p)
{
	for (; i; i = i->next) {
		if (!check_inst(w, i, &p))
			return false;
		if (is_settled(w, &p))
			return true;
		p.cycles += i->sass.stall;
	}
	for (uint32_t s = 0; s < w->f->blocks[b].nsucc; s++) {
		uint32_t to = w->f->blocks[b].succ[s];

		if (needs_visit(w, to, p) && !follow_path(w, w->f->blocks[to].first, to, p))
			return false;
	}
	return true;
}

static void set_uses(struct walk *w, const struct sass_inst *in)
{
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t n = sass_uses(in, uses);

	w->nuses = 0;
	for (uint32_t u = 0; u < n; u++) {
		bool split = !uses[u].write && uses[u].kind == SASS_GPR &&
			     uses[u].count <= MIR_MAX_UNITS;

		for (uint32_t k = 0; k < (split ? uses[u].count : 1); k++) {
			struct sass_reg_use *use = &w->uses[w->nuses++];

			*use = uses[u];
			use->reg = (uint8_t)(use->reg + k);
			use->count = split ? 1 : use->count;
		}
	}
}

bool nv_check_hazards(const struct mir_func *f, struct text *why)
{
	struct walk w = {.f = f, .why = why};

	w.seen = arena_array(f->arena, 4 * f->nblocks, sizeof(*w.seen));
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			struct progress p = {.cycles = i->sass.stall};

			w.from = i;
			set_uses(&w, &i->sass);
			w.variable = sass_has_variable_latency(f->sm, &i->sass);
			w.reads_late = sass_reads_late(f->sm, &i->sass);
			memset(w.seen, 0, 4 * f->nblocks * sizeof(*w.seen));
			if (i->sass.stall < sass_min_stall(f->sm, &i->sass))
				return report_hazard(&w, i, &p,
						     "has less than the minimum stall count");
			if (!follow_path(&w, i->next, b, p))
				return false;
		}
	return nv_check_products(f, why);
}
