// SPDX-License-Identifier: MIT
/* Workgroups: initial registers as the command processor sets them (LLVM's AMDGPU user guide,
 * initial kernel execution state), and round-robin scheduling of waves. A barrier opens when every
 * wave that has not ended waits at it. Private memory is divided into slots; a wave holds one while
 * its workgroup is resident. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "hw/amd/kernel_descriptor.h"
#include "hw/chips.h"
#include "model/amd/check.h"
#include "model/amd/profile.h"

#define WAVE_QUANTUM     2048u /* instructions that a wave executes in one scheduling quantum */
#define WORKGROUP_BUDGET (1u << 17) /* instructions of a workgroup before others become resident */
#define POISON           0x5a       /* initial contents of registers and LDS */
/* Characters of a fault's description that fit a message besides its place. */
#define MAX_CAUSE        180

static void thread_of(const struct wave *w, uint32_t lane, uint32_t id[3])
{
	const uint32_t *threads = w->grid->threads;
	uint32_t t = w->index * LANES + lane;

	id[0] = t % threads[0];
	id[1] = t / threads[0] % threads[1];
	id[2] = t / threads[0] / threads[1];
}

void amd_wave_fault(struct wave *w, uint32_t lane, enum model_fault fault, uint64_t address,
		    const char *format, ...)
{
	const uint32_t *id = w->group->id;
	struct model_error e = {
		.fault = fault, .address = address, .pc = w->pc, .program = w->grid->work.program};
	char what[sizeof(e.text)], where[32] = "";
	va_list args;

	w->state = WAVE_ENDED;
	memcpy(e.cta, id, sizeof(e.cta));
	if (lane < LANES)
		snprintf(where, sizeof(where), ", lane %u", lane);
	else
		lane = w->s[AMD_EXEC] ? (uint32_t)__builtin_ctz(w->s[AMD_EXEC]) : 0;
	thread_of(w, lane, e.thread);
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	snprintf(e.text, sizeof(e.text), "%.*s (at 0x%llx, workgroup %u,%u,%u, wave %u%s)",
		 MAX_CAUSE, what, (unsigned long long)w->pc, id[0], id[1], id[2], w->index, where);
	if (!amd_trap_enter_fault(w, &e))
		channel_fail(w->grid->work.channel, &e, "%s", e.text);
}

/* Initial state. */

static void scalar_state(struct wave *w, const struct workgroup *g)
{
	const struct amd_grid *grid = w->grid;
	uint32_t n = AMD_RSRC2_USER_SGPRS(grid->rsrc2);

	memset(w->s, POISON, sizeof(w->s));
	memcpy(w->s, grid->user, n * sizeof(w->s[0]));
	for (uint32_t axis = 0; axis < 3; axis++)
		if (AMD_RSRC2_GROUP_ID(grid->rsrc2, axis))
			w->s[n++] = g->id[axis];
	if (AMD_RSRC2_GROUP_INFO(grid->rsrc2))
		w->s[n++] = 0;
	if (AMD_RSRC2_SCRATCH(grid->rsrc2))
		w->s[n++] = (uint32_t)(w->slot * grid->wave_private);
}

static void vector_state(struct wave *w)
{
	const struct amd_grid *grid = w->grid;

	memset(w->v, POISON, w->vgprs * sizeof(row));
	w->s[AMD_EXEC] = w->s[AMD_EXEC + 1] = 0;
	for (uint32_t i = 0; i < LANES && w->index * LANES + i < grid->thread_count; i++) {
		uint32_t id[3];

		thread_of(w, i, id);
		w->s[AMD_EXEC] |= 1u << i;
		for (uint32_t axis = 0; axis < AMD_RSRC2_THREAD_IDS(grid->rsrc2); axis++)
			w->v[axis][i] = id[axis];
	}
}

static void wave_start(struct wave *w, struct workgroup *g)
{
	*w = (struct wave){
		.group = g,
		.grid = g->grid,
		.reader = &g->thread->thread.reader,
		.v = w->v,
		.vgprs = g->grid->vgprs,
		.mode = AMD_RSRC1_FLOAT_MODE(g->grid->rsrc1),
		.pc = g->grid->work.program,
		.state = WAVE_RUNNING,
		.index = w->index,
		.slot = w->slot,
		.hazard = w->hazard,
		.weak = g->weak[g->weak[1] ? w->index % 2 : 0],
	};
	if (w->hazard)
		amd_hazard_reset(w->hazard);
	scalar_state(w, g);
	vector_state(w);
}

static void group_start(void *block, uint64_t index)
{
	struct workgroup *g = block;
	const uint32_t *groups = g->grid->groups;

	g->id[0] = (uint32_t)(index % groups[0]);
	g->id[1] = (uint32_t)(index / groups[0] % groups[1]);
	g->id[2] = (uint32_t)(index / groups[0] / groups[1]);
	g->waiting = 0;
	g->unit = g->grid->lines ? amd_lines_unit(g->grid->lines) : 0;
	warp_order_start(&g->order, &g->grid->work, index);
	for (uint32_t i = 0; i < 2 && g->weak[i]; i++)
		weak_unit_start(g->weak[i], i ? g->weak[0] : NULL);
	memset(g->lds, POISON, g->grid->lds_bytes);
	if (g->check)
		check_block_start(g->check, g->id);
	for (uint32_t i = 0; i < g->waves_count; i++)
		wave_start(&g->waves[i], g);
}

/* Execution. */

static struct code_page *code_page_at(struct wave *w)
{
	uint64_t va = w->pc & ~(uint64_t)(MMU_PAGE_BYTES - 1);
	struct code_page **slot = &w->group->thread->pages[va / MMU_PAGE_BYTES % PAGE_CACHE];

	if (!*slot || (*slot)->va != va)
		*slot = amd_code_page(w->grid->code, va);
	if (!*slot)
		amd_wave_fault(w, LANES, MODEL_FAULT_DISPATCH, 0, "no host memory for code");
	return *slot;
}

/* Returns the instruction at pc; NULL: the wave has failed. */
static const struct op *op_at(struct wave *w, struct code_page *page)
{
	const struct op *op = NULL;
	const char *why = "the address is not a multiple of 4";

	if (w->pc % 4 == 0) {
		op = atomic_load_explicit(&page->ops[(w->pc - page->va) / 4], memory_order_acquire);
		if (!op)
			op = amd_code_decode(w, page, &why);
	}
	if (!op)
		amd_wave_fault(w, LANES, MODEL_FAULT_ILLEGAL_INSTRUCTION, w->pc, "%s", why);
	return op;
}

static bool check_instruction(struct wave *w, const struct op *op)
{
	if (op->vgprs > w->vgprs)
		amd_wave_fault(w, LANES, MODEL_FAULT_ILLEGAL_INSTRUCTION, w->pc,
			       "%s uses v%u, but the kernel has %u vector registers",
			       op->in.row->name, op->vgprs - 1u, w->vgprs);
	else if (w->grid->limit && w->steps >= w->grid->limit)
		amd_wave_fault(w, LANES, MODEL_FAULT_TRAP, 0,
			       "not finished after %llu instructions",
			       (unsigned long long)w->steps);
	else
		return !w->hazard || amd_hazard_check(w, op);
	return false;
}

/* Executes one scheduling quantum. Returns the number of instructions. */
static uint32_t wave_run(struct wave *w, uint32_t quantum)
{
	struct code_page *page = NULL;
	uint32_t n = 0;

	w->yields = false;
	for (; n < quantum && w->state == WAVE_RUNNING && !w->yields; n++) {
		const struct op *op;

		if (!page || w->pc - page->va >= MMU_PAGE_BYTES) {
			page = code_page_at(w);
			if (!page)
				break;
		}
		op = op_at(w, page);
		if (op && check_instruction(w, op)) {
			w->next = w->pc + op->in.bytes;
			if (w->group->profile)
				amd_run_counted(w, op);
			else
				amd_execute(w, op);
			w->steps++;
		}
		if (w->state != WAVE_ENDED)
			w->pc = w->next;
	}
	return n;
}

static uint32_t open_barrier(struct workgroup *g)
{
	uint32_t ended = 0;

	for (uint32_t i = 0; i < g->waves_count; i++)
		ended += g->waves[i].state == WAVE_ENDED;
	if (!g->waiting || g->waiting + ended < g->waves_count)
		return ended;
	g->waiting = 0;
	for (uint32_t i = 0; i < g->waves_count; i++) {
		if (g->waves[i].state != WAVE_AT_BARRIER)
			continue;
		g->waves[i].state = WAVE_RUNNING;
		if (g->check)
			check_barrier_leave(g->check, i, 0);
	}
	if (g->check)
		check_barrier_complete(g->check, 0);
	return ended;
}

static uint32_t wave_quantum(struct wave *w)
{
	if (!w->weak)
		return warp_order_quantum(&w->group->order, WAVE_QUANTUM);
	weak_unit_tick(w->weak);
	return weak_warp_quantum(w->reader->weak);
}

static bool group_drain(struct workgroup *g)
{
	bool drained = true;

	for (uint32_t i = 0; i < 2 && g->weak[i]; i++)
		drained &= weak_unit_drain(g->weak[i]);
	return drained;
}

/* Instructions of all waves of the workgroups that have ended, in this process. */
static _Atomic uint64_t executed;

uint64_t amd_executed(void)
{
	return atomic_load(&executed);
}

static void count_executed(const struct workgroup *g)
{
	uint64_t steps = 0;

	for (uint32_t i = 0; i < g->waves_count; i++)
		steps += g->waves[i].steps;
	atomic_fetch_add_explicit(&executed, steps, memory_order_relaxed);
}

/* Returns true when the workgroup has ended, false when its budget is used up, all waves sleep or
 * the grid stops. */
static bool group_run(void *block)
{
	struct workgroup *g = block;
	struct weak_memory *weak = g->thread->thread.reader.weak;
	uint32_t waves = g->waves_count;
	struct warp_round round = {weak ? weak_random(weak, waves) : 0, 1, waves};
	uint64_t budget =
		weak ? weak_block_budget(weak) : warp_order_budget(&g->order, WORKGROUP_BUDGET);
	bool asleep = false;

	for (uint64_t total = 0; total < budget && !asleep;) {
		asleep = true;
		if (g->order.state && !weak)
			round = warp_order_round(&g->order, waves);
		for (uint32_t i = 0; i < waves; i++) {
			struct wave *w = &g->waves[warp_round_at(&round, i)];

			if (w->state != WAVE_RUNNING)
				continue;
			total += wave_run(w, wave_quantum(w));
			asleep &= w->yields;
			mmu_poll(&g->thread->thread.reader);
			if (w->state == WAVE_RUNNING && work_stop_requested(&g->grid->work))
				amd_wave_fault(w, LANES, MODEL_FAULT_STOPPED, 0,
					       "the kernel was stopped");
			if (work_stopped(&g->grid->work))
				return false;
		}
		if (open_barrier(g) == waves) {
			if (!group_drain(g))
				return false;
			count_executed(g);
			return true;
		}
	}
	return false;
}

/* Allocation. */

/* Takes a free slot of private memory; false: none is free. */
static bool take_slot(struct amd_grid *grid, uint32_t *slot)
{
	for (uint32_t i = 0; i < grid->slots; i++) {
		uint64_t bit = 1ull << i % 64;

		if (atomic_load(&grid->taken[i / 64]) & bit ||
		    atomic_fetch_or(&grid->taken[i / 64], bit) & bit)
			continue;
		*slot = i;
		return true;
	}
	return false;
}

static void release_slots(struct workgroup *g, uint32_t count)
{
	for (uint32_t i = 0; g->grid->slots && i < count; i++) {
		uint32_t slot = g->waves[i].slot;

		atomic_fetch_and(&g->grid->taken[slot / 64], ~(1ull << slot % 64));
	}
}

/* All or none: two workgroups with half each would deadlock. */
static bool take_slots(struct workgroup *g)
{
	for (uint32_t i = 0; g->grid->slots && i < g->waves_count; i++)
		if (!take_slot(g->grid, &g->waves[i].slot)) {
			release_slots(g, i);
			return false;
		}
	return true;
}

static void group_free(struct workgroup *g)
{
	for (uint32_t i = 0; g->waves && i < g->waves_count; i++)
		free(g->waves[i].hazard);
	profile_unit_destroy(g->profile);
	check_block_destroy(g->check);
	weak_unit_destroy(g->weak[0]);
	weak_unit_destroy(g->weak[1]);
	free(g->waves);
	free(g->rows);
	free(g->lds);
	free(g);
}

static void group_destroy(void *block)
{
	struct workgroup *g = block;

	release_slots(g, g->waves_count);
	group_free(g);
}

static void *group_create(struct thread *t, bool *later)
{
	struct amd_grid *grid = (struct amd_grid *)t->work;
	struct workgroup *g = calloc(1, sizeof(*g));
	bool good;

	if (!g)
		return NULL;
	g->grid = grid;
	g->thread = (struct amd_thread *)t;
	g->waves_count = grid->waves;
	g->waves = calloc(grid->waves, sizeof(*g->waves));
	g->rows = aligned_alloc(64, (size_t)grid->waves * grid->vgprs * sizeof(row));
	g->lds = malloc(grid->lds_bytes + 1);
	good = g->waves && g->rows && g->lds;
	for (uint32_t i = 0; good && i < grid->waves; i++) {
		g->waves[i].index = i;
		g->waves[i].v = g->rows + (size_t)i * grid->vgprs;
		good = !grid->hazard || (g->waves[i].hazard = amd_hazard_create());
	}
	if (good && grid->profile)
		good = (g->profile = profile_unit_create(grid->profile)) != NULL;
	if (good && grid->check)
		good = (g->check = check_block_create(grid->check)) != NULL;
	/* A workgroup has a compute unit to itself, or two (WGP mode). */
	for (uint32_t i = 0;
	     good && t->reader.weak && i < (grid->rsrc1 & AMD_RSRC1_WGP_MODE ? 2 : 1); i++)
		good = (g->weak[i] = weak_unit_create(t->reader.weak));
	if (good && take_slots(g))
		return g;
	*later = good;
	group_free(g);
	return NULL;
}

const struct work_kind amd_grid_kind = {
	.thread_bytes = sizeof(struct amd_thread),
	.fault = MODEL_FAULT_DISPATCH,
	.create = group_create,
	.start = group_start,
	.run = group_run,
	.destroy = group_destroy,
};

/* Grids. */

/* A workgroup occupies a compute unit, or two that share LDS (WGP mode). A unit has two SIMDs with
 * 16 waves and 1,024 vector registers each, allocated in units of 16 (LLVM, AMDGPUBaseInfo:
 * gfx10.3, wave32; RDNA2 manual), and 64 KiB of LDS. */
static uint32_t resident_workgroups(const struct amd_grid *g, uint32_t units)
{
	uint32_t both = g->rsrc1 & AMD_RSRC1_WGP_MODE ? AMD_GFX1030_CUS_PER_WGP : 1;
	uint32_t granules = (g->vgprs + AMD_GFX1030_VGPR_GRANULE - 1) / AMD_GFX1030_VGPR_GRANULE;
	uint32_t waves = AMD_GFX1030_VGPRS_PER_SIMD / (granules * AMD_GFX1030_VGPR_GRANULE);
	uint32_t n;

	if (waves > AMD_GFX1030_WAVES_PER_SIMD)
		waves = AMD_GFX1030_WAVES_PER_SIMD;
	n = waves * AMD_GFX1030_SIMDS_PER_CU * both / g->waves;
	if (g->lds_bytes && AMD_GFX1030_LDS_PER_CU * both / g->lds_bytes < n)
		n = AMD_GFX1030_LDS_PER_CU * both / g->lds_bytes;
	return n * (units / both);
}

const char *amd_grid_prepare(struct amd_grid *g)
{
	uint64_t threads = 1;

	g->work.kind = &amd_grid_kind;
	g->work.blocks = 1;
	for (uint32_t i = 0; i < 3; i++) {
		if (g->groups[i] && g->work.blocks > UINT64_MAX / g->groups[i])
			return "the number of workgroups exceeds 64 bits";
		g->work.blocks *= g->groups[i];
		threads *= g->threads[i] > AMD_GFX1030_MAX_THREADS ? AMD_GFX1030_MAX_THREADS + 1
								   : g->threads[i];
	}
	if (!threads || threads > AMD_GFX1030_MAX_THREADS)
		return "a workgroup has 1 to 1024 threads";
	g->thread_count = (uint32_t)threads;
	g->waves = (g->thread_count + LANES - 1) / LANES;
	g->vgprs = AMD_RSRC1_VGPRS(g->rsrc1);
	if (g->lds_bytes > AMD_GFX1030_LDS_PER_WORKGROUP)
		return "a workgroup has at most 64 KiB of LDS";
	if (AMD_RSRC1_FLOAT_MODE(g->rsrc1) != AMD_FLOAT_MODE_DEFAULT)
		return "only round to nearest with denormals is modelled";
	if (g->vgprs > AMD_GFX1030_MAX_VGPRS)
		return "a wave has at most 256 vector registers";
	if (AMD_RSRC2_USER_SGPRS(g->rsrc2) > AMD_COMPUTE_USER_DATA_COUNT)
		return "there are at most 16 user registers";
	if (!AMD_RSRC2_SCRATCH(g->rsrc2))
		g->slots = 0;
	else if (g->slots < g->waves)
		return "there is private memory for fewer waves than a workgroup has";
	g->work.resident = resident_workgroups(g, g->work.channel->model->chip->sm_count);
	if (!g->work.resident)
		return "a workgroup needs more vector registers than a compute unit has";
	return NULL;
}
