// SPDX-License-Identifier: MIT
/* Block execution: a host thread schedules the warps of a block round-robin, a quantum of
 * instructions each, until all have ended or the block has used up its budget, then those of the
 * other blocks of its cluster; then resident_blocks.c chooses the next cluster, which is a single
 * block in most launches. Between quanta the thread checks for a stop request and
 * processes TLB invalidations. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/nv/profile.h"
#include "model/nv/translate.h"

#define WARP_QUANTUM 2048u      /* instructions that a warp executes in one scheduling quantum */
#define MAX_STRAIGHT (1u << 16) /* instructions without a jump by which a quantum may be longer */
#define BLOCK_BUDGET (1u << 20) /* instructions of a block before others become resident */
#define POISON       0x5a       /* initial contents of registers and shared memory */
#define ROW_BYTES    (LANES * 4)
#define CACHE_LINE   64

void warp_fault(struct warp *w, uint32_t lane, enum model_fault fault, uint64_t address,
		const char *format, ...)
{
	struct model_error e = {
		.fault = fault, .address = address, .pc = w->pc, .program = w->grid->work.program};
	char text[sizeof(e.text)];
	va_list ap;

	if (lane >= LANES)
		lane = w->active ? first_lane(w->active) : w->mask ? first_lane(w->mask) : 0;
	for (uint32_t i = 0; i < 3; i++) {
		e.cta[i] = w->cta->id[i];
		e.thread[i] = w->tid[i][lane];
	}
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	w->halt |= HALT_FAULT;
	channel_fail(w->grid->work.channel, &e, "%s", text);
}

void run_illegal(struct warp *w, const struct op *op, uint32_t mask)
{
	char text[128] = "";

	(void)mask;
	if (op->inst->form)
		sass_print(w->grid->chip->sm, op->inst, w->pc - w->grid->work.program, text,
			   sizeof(text));
	warp_fault(w, LANES, MODEL_FAULT_ILLEGAL_INSTRUCTION, w->pc,
		   "illegal instruction %s%sat +0x%llx: %s", text, *text ? " " : "",
		   (unsigned long long)(w->pc - w->grid->work.program), op->reason);
}

/* Returns the page of decoded code that holds the warp's pc, or NULL after a fault. */
static const struct code_page *code_page_at(struct warp *w)
{
	struct exec *x = w->exec;
	const struct code_page **slot = &x->pages[w->pc / MMU_PAGE_BYTES % PAGE_CACHE];
	enum mmu_result why;

	if (*slot && (*slot)->va == (w->pc & ~(uint64_t)(MMU_PAGE_BYTES - 1)))
		return *slot;
	w->active = w->mask;
	*slot = code_find(w->grid->code, &x->thread.reader, w->pc, &why);
	if (!*slot)
		warp_fault(w, LANES, MODEL_FAULT_MMU, w->pc, "code at 0x%llx %s",
			   (unsigned long long)w->pc,
			   why == MMU_OK ? "could not be decoded: no host memory"
					 : mmu_result_text(why));
	return *slot;
}

static bool fetch_valid(struct warp *w, const struct op *op)
{
	w->active = w->mask;
	if (w->pc % WORD_BYTES) {
		warp_fault(w, LANES, MODEL_FAULT_MISALIGNED, w->pc,
			   "jump to 0x%llx, which is not 16-byte aligned",
			   (unsigned long long)w->pc);
		return false;
	}
	if (op->top > w->registers) {
		warp_fault(w, LANES, MODEL_FAULT_ILLEGAL_INSTRUCTION, w->pc,
			   "the instruction at +0x%llx uses R%u, but %s %u registers per thread",
			   (unsigned long long)(w->pc - w->grid->work.program), op->top - 1u,
			   w->registers == w->grid->registers ? "the launch descriptor allocates"
							      : "the warp has",
			   w->registers);
		return false;
	}
	return true;
}

/* Executes about as many instructions as the budget has, fewer if no lane can proceed. Returns
 * their number. */
static uint32_t warp_run(struct warp *w, uint32_t budget)
{
	const struct code_page *page = NULL;
	bool jumped = false, entry = true; /* translated code may begin here */
	uint32_t done = 0;

	w->late &= ~w->mask;
	/* Groups alternate at jumps only: code may rely on uniform registers, which the groups
	 * share, keeping their values from one instruction to the next. */
	while ((done < budget || (!jumped && w->ready && done - budget < MAX_STRAIGHT)) &&
	       (w->mask || warp_schedule(w, false))) {
		const struct op *op;
		uint32_t mask, count;

		if (!page || w->pc - page->va >= MMU_PAGE_BYTES) {
			page = code_page_at(w);
			if (!page)
				break;
		}
		if (entry && page->translation && done < budget) {
			count = translated_run(w, page, budget - done, &jumped);
			done += count;
			w->clock += count;
			if (w->halt)
				break;
			if (count)
				continue;
		}
		op = &page->ops[(w->pc - page->va) / WORD_BYTES];
		if ((w->pc % WORD_BYTES || op->top > w->registers) && !fetch_valid(w, op))
			break;
		mask = w->active = w->mask & (w->p[op->guard] ^ op->guard_flip);
		w->next = w->pc + WORD_BYTES;
		if (w->hazard)
			hazard_issue(w, op, mask);
		else
			w->clock++;
		op->run(w, op, mask);
		if (w->halt & HALT_FAULT)
			break;
		jumped = w->next != w->pc + WORD_BYTES;
		entry = jumped || op->run != run_vector;
		w->pc = w->next;
		done++;
		if (w->halt)
			break;
	}
	/* Another group of ready lanes, if any, is active in the next quantum. */
	if (w->mask && w->ready)
		warp_schedule(w, true);
	return done;
}

/* The grid is to stop: says where the warp is. */
static void report_stop(struct warp *w)
{
	uint32_t lane = first_lane(w->mask ? w->mask : w->live);

	if (!w->mask)
		w->pc = w->lane_pc[lane];
	warp_fault(w, lane, MODEL_FAULT_STOPPED, 0, "the kernel was stopped");
}

static void report_deadlock(struct cta *c)
{
	for (uint32_t i = 0; i < c->grid->warps; i++) {
		struct warp *w = &c->warps[i];
		uint32_t lane;

		if (!w->live)
			continue;
		lane = first_lane(w->live);
		w->pc = w->lane_pc[lane];
		if (w->wait[lane] == WAIT_CLUSTER)
			warp_fault(w, lane, MODEL_FAULT_BARRIER, w->pc,
				   "deadlock in the cluster: this thread waits at the cluster's "
				   "barrier, which not all of the other threads can reach");
		else if (w->wait[lane] == WAIT_BAR)
			warp_fault(w, lane, MODEL_FAULT_BARRIER, w->pc,
				   "deadlock in the block: this thread waits at "
				   "barrier %u, "
				   "which not all of the other threads can reach",
				   w->wait_on[lane]);
		else
			warp_fault(w, lane, MODEL_FAULT_BARRIER, w->pc,
				   "deadlock in the block: this thread waits at "
				   "%s for lanes "
				   "of its warp that cannot reach it",
				   w->wait[lane] == WAIT_BSYNC ? "BSYNC" : "WARPSYNC");
		return;
	}
}

/* Blocks. */

static void cta_free(struct cta *c)
{
	if (!c)
		return;
	if (c->warps)
		for (uint32_t i = 0; i < c->grid->warps; i++)
			free(c->warps[i].hazard);
	weak_unit_destroy(c->weak);
	copies_destroy(c->copies);
	profile_unit_destroy(c->profile);
	check_block_destroy(c->check);
	free(c->warps);
	free(c->rows);
	free(c->shared);
	free(c->local);
	free(c);
}

static uint64_t local_bytes(const struct grid *g)
{
	return (uint64_t)g->local_low + g->local_high;
}

/* Numbers the warp's threads in three dimensions: one division for the first, then by counting. */
static void start_threads(struct warp *w, uint32_t first)
{
	const uint32_t *block = w->grid->block;
	uint32_t x = first % block[0], y = first / block[0] % block[1],
		 z = first / block[0] / block[1];

	if (x + LANES <= block[0]) {
		EACH_LANE(i)
			w->tid[0][i] = x + i;
		row_splat(w->tid[1], y);
		row_splat(w->tid[2], z);
		return;
	}
	for (uint32_t i = 0; i < LANES; i++) {
		w->tid[0][i] = x;
		w->tid[1][i] = y;
		w->tid[2][i] = z;
		if (++x < block[0])
			continue;
		x = 0;
		if (++y < block[1])
			continue;
		y = 0;
		z++;
	}
}

/* What all blocks have in common. */
static void warp_init(struct cta *c, struct warp *w, uint32_t index)
{
	w->grid = c->grid;
	w->r = (uint32_t(*)[LANES])c->rows + (size_t)index * ROW_COUNT;
	memset(w->r[ROW_ZERO], 0, (ROW_COUNT - ROW_ZERO) * (size_t)ROW_BYTES);
	start_threads(w, index * LANES);
}

static struct cta *cta_create(struct exec *x)
{
	struct grid *g = (struct grid *)x->thread.work;
	struct cta *c = calloc(1, sizeof(*c));
	bool good;

	if (!c)
		return NULL;
	c->grid = g;
	c->exec = x;
	c->warps = calloc(g->warps, sizeof(*c->warps));
	c->rows = aligned_alloc(CACHE_LINE, (size_t)g->warps * ROW_COUNT * ROW_BYTES);
	c->shared = malloc(g->shared_bytes + 1);
	c->local = malloc(local_bytes(g) * g->threads + 1);
	good = c->warps && c->rows && c->shared && c->local;
	if (good && x->thread.reader.weak)
		good = (c->weak = weak_unit_create(x->thread.reader.weak)) != NULL;
	if (good && g->profile)
		good = (c->profile = profile_unit_create(g->profile)) != NULL;
	if (good && g->check)
		good = (c->check = check_block_create(g->check)) != NULL;
	if (good && g->hazard)
		good = (c->copies = copies_create(g->shared_bytes)) != NULL;
	for (uint32_t i = 0; good && g->hazard && i < g->warps; i++)
		good = (c->warps[i].hazard = hazard_create()) != NULL;
	for (uint32_t i = 0; good && i < g->warps; i++)
		warp_init(c, &c->warps[i], i);
	if (good)
		return c;
	cta_free(c);
	return NULL;
}

static void warp_start(struct cta *c, struct warp *w, uint32_t index)
{
	struct grid *g = c->grid;
	uint32_t threads = g->threads - index * LANES, (*rows)[LANES] = w->r;
	struct hazard *hazard = w->hazard;

	memset(w, 0, offsetof(struct warp, tid));
	if (w->rare_written)
		memset(&w->rare, 0, sizeof(w->rare));
	w->rare_written = false;
	w->cta = c;
	w->grid = g;
	w->exec = c->exec;
	w->index = index;
	w->hazard = hazard;
	w->weak = c->weak;
	w->r = rows;
	w->registers = g->registers;
	w->p[SASS_PT] = w->p[PRED_UNIFORM + SASS_PT] = ALL_LANES;
	w->live = w->mask = threads >= LANES ? ALL_LANES : (1u << threads) - 1;
	w->pc = g->work.program;
	if (hazard)
		hazard_reset(hazard);
}

/* The block's index is that of the first one of its cluster plus its place there. */
static void cta_start(struct cta *c, const uint32_t first[3], uint64_t index)
{
	struct grid *g = c->grid;
	const uint32_t *size = g->cluster;

	c->id[0] = first[0] + c->rank % size[0];
	c->id[1] = first[1] + c->rank / size[0] % size[1];
	c->id[2] = first[2] + c->rank / size[0] / size[1];
	c->live = g->threads;
	warp_order_start(&c->order, &g->work, index);
	c->free_registers = 0;
	if (c->weak)
		weak_unit_start(c->weak, NULL);
	if (c->copies)
		copies_reset(c->copies, g->shared_bytes);
	if (c->check)
		check_block_start(c->check, c->id);
	memset(c->bar, 0, sizeof(c->bar));
	memset(c->shared, POISON, g->shared_bytes);
	memset(c->local, POISON, local_bytes(g) * g->threads);
	for (uint32_t i = 0; i < g->warps; i++)
		warp_start(c, &c->warps[i], i);
}

/* When the warp first runs, so that its registers stay in the host's cache. */
static void warp_init_registers(struct warp *w)
{
	memset(w->r, POISON, (size_t)w->grid->registers * ROW_BYTES);
	w->has_run = true;
}

static uint32_t warp_quantum(struct warp *w)
{
	if (!w->weak)
		return warp_order_quantum(&w->cta->order, WARP_QUANTUM);
	weak_unit_tick(w->weak);
	return weak_warp_quantum(w->exec->thread.reader.weak);
}

/* STUCK: no lane of the block could execute an instruction. */
enum run_result { RUN_ENDED, RUN_PAUSED, RUN_STUCK };

/* Runs the block until it ends, its budget is used up, no lane can proceed, it yields or the grid
 * stops. */
static enum run_result cta_run(struct cta *c)
{
	struct weak_memory *weak = c->exec->thread.reader.weak;
	uint32_t warps = c->grid->warps;
	struct warp_round round = {weak ? weak_random(weak, warps) : 0, 1, warps};
	uint64_t budget =
		weak ? weak_block_budget(weak) : warp_order_budget(&c->order, BLOCK_BUDGET);

	for (uint64_t total = 0; total < budget && !work_stopped(&c->grid->work);) {
		uint64_t before = total;
		bool yielded = true;

		if (c->order.state && !weak)
			round = warp_order_round(&c->order, warps);
		for (uint32_t i = 0; i < warps; i++) {
			struct warp *w = &c->warps[warp_round_at(&round, i)];

			if (!w->live)
				continue;
			w->halt = 0;
			if (!w->has_run)
				warp_init_registers(w);
			total += warp_run(w, warp_quantum(w));
			yielded &= w->halt == HALT_YIELD;
			mmu_poll(&c->exec->thread.reader);
			if (w->live && !(w->halt & HALT_FAULT) &&
			    work_stop_requested(&c->grid->work))
				report_stop(w);
			if (w->halt & HALT_FAULT || work_stopped(&c->grid->work))
				return RUN_PAUSED;
		}
		if (!c->live)
			return RUN_ENDED;
		if (total == before)
			return total ? RUN_PAUSED : RUN_STUCK;
		if (yielded)
			return RUN_PAUSED;
	}
	return RUN_PAUSED;
}

/* Operations for resident_blocks.c. */

static void cluster_destroy(struct cluster *k)
{
	for (uint32_t i = 0; i < k->count; i++)
		cta_free(k->ctas[i]);
	free(k);
}

static void *block_create(struct thread *t, bool *later)
{
	struct grid *g = (struct grid *)t->work;
	struct cluster *k = calloc(1, sizeof(*k) + g->cluster_blocks * sizeof(k->ctas[0]));

	(void)later;
	if (!k)
		return NULL;
	k->grid = g;
	for (; k->count < g->cluster_blocks; k->count++) {
		struct cta *c = cta_create((struct exec *)t);

		if (!c) {
			cluster_destroy(k);
			return NULL;
		}
		c->cluster = k;
		c->rank = k->count;
		k->ctas[k->count] = c;
	}
	return k;
}

static void block_start(void *block, uint64_t index)
{
	struct cluster *k = block;
	const struct grid *g = k->grid;
	uint64_t wide = g->size[0] / g->cluster[0], high = g->size[1] / g->cluster[1];
	uint32_t first[3] = {(uint32_t)(index % wide) * g->cluster[0],
			     (uint32_t)(index / wide % high) * g->cluster[1],
			     (uint32_t)(index / wide / high) * g->cluster[2]};

	for (uint32_t i = 0; i < k->count; i++)
		cta_start(k->ctas[i], first, index * k->count + i);
}

/* Runs each block of the cluster that has not ended once. Returns true when all have ended. */
static bool cluster_run(struct cluster *k)
{
	bool ended = true, progress = false;
	struct cta *waits = NULL;

	for (uint32_t i = 0; i < k->count; i++) {
		struct cta *c = k->ctas[i];
		enum run_result result;

		if (!c->live)
			continue;
		result = cta_run(c);
		if (work_stopped(&k->grid->work))
			return false;
		progress |= result != RUN_STUCK;
		ended &= result == RUN_ENDED;
		if (result == RUN_STUCK && !waits)
			waits = c;
	}
	if (waits && !progress)
		report_deadlock(waits);
	return ended;
}

static bool block_run(void *block)
{
	struct cluster *k = block;
	bool drained = true;

	if (!cluster_run(k))
		return false;
	for (uint32_t i = 0; i < k->count; i++)
		drained &= !k->ctas[i]->weak || weak_unit_drain(k->ctas[i]->weak);
	return drained;
}

static void block_destroy(void *block)
{
	cluster_destroy(block);
}

const struct work_kind grid_kind = {
	.thread_bytes = sizeof(struct exec),
	.fault = MODEL_FAULT_QMD,
	.create = block_create,
	.start = block_start,
	.run = block_run,
	.destroy = block_destroy,
};
