// SPDX-License-Identifier: MIT
/*
 * Scheduling before register allocation: the occupancy to aim at, and orders of all blocks whose
 * register pressure leaves the registers for it.
 */
#include <stdlib.h>
#include "hw/chips.h"
#include "libsov/compiler/nv/schedule.h"

/* Occupancies in sequence that gain nothing, after which lower ones are not tried. */
#define MAX_LOSSES      4
/* The latency of memory that is congested or misses the caches, in typical latencies. */
#define FAR             3
/* Warps of a partition: no target has more than sm_90. */
#define MAX_WARPS       (NV_SM90_WARPS_PER_SM / NV_SM_PARTITIONS)
/* Registers that aligned pairs and quads may leave unused. */
#define ALIGNMENT_SLACK 2
/* Registers by which an order may miss a limit of the pressure. */
#define ORDER_SLACK     2
/* Registers to leave to the scheduler and the allocator, and the share of the instructions that may
 * be added for it. */
#define ROOM            16
#define ROOM_SHARE      128
/* Instructions of a function whose orders are tightened, and registers by which at most. */
#define MAX_TIGHTENED   4096
#define MAX_TIGHTENINGS 24

/* An order of a block's instructions. */
struct block_order {
	struct mir_inst **insts;
	uint32_t cycles, pressure;
	bool limited; /* by the pressure: with more registers it might take fewer cycles */
};

/* A block, with its dependence graph and the order for the occupancy of the moment. */
struct block_dag {
	struct node *nodes;
	uint32_t count;
	bool waits;    /* for memory */
	bool products; /* most instructions multiply and add three registers */
	struct block_order order;
};

/* An occupancy, and the orders whose pressure leaves the registers for it. */
struct target_occupancy {
	/* Of a partition, in whole blocks; no more than those whose frames the cache holds. */
	uint32_t warps;
	uint32_t limit; /* of the pressure */
	uint32_t pressure;
	uint64_t cost;              /* see add_block_cost() */
	uint64_t far;               /* the same, if memory takes FAR times as long */
	uint64_t alone;             /* time of one warp in loops that do not wait for memory */
	bool limited;               /* with more registers the cost might be lower */
	struct block_order *orders; /* by block */
};

/* The windows of the attempts to stay within a limit: the smaller, the closer to the original
 * order, whose pressure is usually low, since it follows the expressions of the program. */
static const uint32_t windows[] = {LOOKAHEAD, LOOKAHEAD, 64, 16, 4, 1};

/* The first order whose pressure is within the limit; else the one of least pressure. Nodes that
 * fit below the limit may leave no room for what their consumers need; the next attempt leaves as
 * much as this one lacked. */
static struct block_order order_within(struct scheduler *s, uint32_t limit)
{
	struct block_order best = {.pressure = UINT32_MAX};
	struct mir_inst **insts = NULL;

	s->limit[PRESSURE_GPR] = limit;
	s->limit[PRESSURE_PRED] = MIR_PREDS;
	for (uint32_t k = 0; k < sizeof(windows) / sizeof(windows[0]); k++) {
		struct block_order o = {0};
		uint32_t excess;

		if (!insts)
			insts = arena_array(s->f->arena, s->count + 1, sizeof(*insts));
		s->lookahead = windows[k];
		s->limited = false;
		o.insts = insts;
		o.cycles = nv_run_list_scheduler(s, insts);
		/* A predicate that does not fit is kept in a GPR. */
		o.pressure = s->peak[PRESSURE_GPR];
		if (s->peak[PRESSURE_PRED] > MIR_PREDS)
			o.pressure += s->peak[PRESSURE_PRED] - MIR_PREDS;
		o.limited = s->limited || k;
		if (o.pressure < best.pressure) {
			insts = best.insts;
			best = o;
		}
		if (best.pressure <= limit)
			return best;
		excess = o.pressure - limit;
		for (uint32_t p = 0; p < PRESSURE_KINDS; p++)
			s->limit[p] =
				s->limit[p] > 2 * excess ? s->limit[p] - excess : s->limit[p] / 2;
	}
	return best;
}

/* Loads of constant data have no effect. The rate of atomics is as little known as the latency of
 * loads, in shared memory, too. */
static bool takes_unknown_time(const struct mir_func *f, const struct mir_inst *i)
{
	uint32_t effect = i->memory.effect & (MIR_READS | MIR_WRITES);

	return i->memory.bytes &&
	       (effect == (MIR_READS | MIR_WRITES) ||
		(effect != MIR_WRITES && sass_pipe(f->sm, &i->sass) == SASS_PIPE_MEMORY));
}

static bool waits_for_memory(const struct scheduler *s)
{
	for (uint32_t n = 1; n <= s->count; n++)
		if (takes_unknown_time(s->f, s->nodes[n].inst))
			return true;
	return false;
}

/* The registers of products and sums should be in different banks, and those of partial sums change
 * between the banks: see register_banks.c. */
static bool consists_of_products(const struct scheduler *s)
{
	uint32_t products = 0;

	for (uint32_t n = 1; n <= s->count; n++) {
		uint32_t reads = 0;

		for (uint32_t u = 0; u < s->nodes[n].nuses; u++)
			reads += !s->nodes[n].uses[u].write && s->nodes[n].uses[u].kind == SASS_GPR;
		products +=
			reads == 3 && sass_pipe(s->f->sm, &s->nodes[n].inst->sass) == SASS_PIPE_FMA;
	}
	return 2 * products > s->count;
}

/* The issue slots of a block, or if the warps of a partition cannot fill them, the share of one
 * warp in the time that the block takes; in sixteenths. */
static uint64_t block_cost(const struct block_dag *dag, uint32_t warps, uint64_t cycles)
{
	bool waits = (uint64_t)dag->count * warps < cycles;

	return waits ? cycles * 16 / warps : (uint64_t)dag->count * 16;
}

static void add_block_cost(struct target_occupancy *t, const struct block_dag *dag, uint32_t depth)
{
	const struct block_order *o = &dag->order;
	uint32_t weight = 3 * (depth < 8 ? depth : 8);
	uint64_t stall = dag->waits && o->cycles > dag->count ? o->cycles - dag->count : 0;
	uint64_t far = block_cost(dag, t->warps, o->cycles + (FAR - 1) * stall);
	bool alone = depth && !dag->waits;

	t->cost += block_cost(dag, t->warps, o->cycles) << weight;
	t->far += far << weight;
	t->alone += alone ? (uint64_t)o->cycles * 16 << weight : 0;
	t->limited |= o->limited && (far > (uint64_t)dag->count * 16 || alone);
}

static void order_for_target(struct scheduler *s, struct block_dag *dags,
			     struct target_occupancy *t)
{
	struct mir_func *f = s->f;

	t->orders = arena_array(f->arena, f->nblocks, sizeof(*t->orders));
	mir_for_each_block(f, b) {
		struct block_order *o = &dags[b].order;
		uint32_t fewer = f->gprs - nv_block_gprs(f, b), limit;

		fewer = fewer < t->limit ? fewer : t->limit - 1;
		limit = t->limit - fewer;
		s->block = b;
		s->nodes = dags[b].nodes;
		s->count = dags[b].count;
		if (!o->insts || o->pressure > limit || o->limited)
			*o = order_within(s, limit);
		t->orders[b] = *o;
		t->pressure = o->pressure + fewer > t->pressure ? o->pressure + fewer : t->pressure;
		add_block_cost(t, &dags[b], f->blocks[b].depth);
	}
}

static bool fits_target(const struct target_occupancy *t)
{
	return t->pressure <= t->limit;
}

/* Fewer warps must gain much to be better: the latency of memory is rarely as short as assumed, and
 * more warps help whatever it is. A kernel that states how many blocks an SM should hold asks for
 * no more of them, so that for it less suffices, and less yet where as many warps count as before:
 * whole blocks fill no more, or the cache holds no more frames. */
static bool gains_much(const struct mir_func *f, const struct target_occupancy *t,
		       const struct target_occupancy *best)
{
	if (t->warps == best->warps)
		return 10 * t->cost < 9 * best->cost;
	return f->ir->min_ctas ? 5 * t->cost < 4 * best->cost : 2 * t->cost < best->cost;
}

/* Longer latencies of memory make fewer waits worth more than warps. That is as likely as not, so
 * that it counts only where more blocks than stated are not asked for. */
static bool gains_far(const struct mir_func *f, const struct target_occupancy *t,
		      const struct target_occupancy *best)
{
	return f->ir->min_ctas && 10 * t->far < 9 * best->far && 5 * t->cost < 6 * best->cost;
}

/* Loops that do not wait for memory have exactly known latencies, and a small grid may run them
 * with one warp. */
static bool is_better(const struct mir_func *f, const struct target_occupancy *t,
		      const struct target_occupancy *best)
{
	bool fits = fits_target(t), best_fits = fits_target(best);

	if (!best->warps || fits != best_fits)
		return !best->warps || fits;
	if (!fits)
		return t->pressure < best->pressure;
	return gains_much(f, t, best) || gains_far(f, t, best) ||
	       (5 * t->alone < 3 * best->alone && 4 * t->cost < 5 * best->cost);
}

static uint32_t target_registers(const struct mir_func *f, uint32_t warps)
{
	uint32_t registers = nv_occupancy_registers(warps), max = f->gprs + MIR_HARDWARE_GPRS;

	if (f->start_registers)
		return max;
	return registers < max ? registers : max;
}

/* The limit of the pressure. Where there are no more registers, some may be left for alignment. */
static uint32_t target_limit(const struct mir_func *f, uint32_t warps)
{
	uint32_t registers = target_registers(f, warps);
	uint32_t limit = registers - nv_reserved_gprs(f) - MIR_HARDWARE_GPRS - ALIGNMENT_SLACK;
	bool last = registers == f->gprs + MIR_HARDWARE_GPRS;

	return last && f->room < limit / 2 ? limit - f->room : limit;
}

static bool multiplies_matrices(const struct mir_func *f)
{
	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			if (sass_pipe(f->sm, &i->sass) == SASS_PIPE_TENSOR)
				return true;
	return false;
}

/* Kernels that multiply matrices and do not state the size of their blocks usually have blocks of
 * 256 threads, two warps of each partition: of three, one would not be used. Others may have larger
 * blocks, which could not be launched with more registers. */
static uint32_t resident_warps(const struct mir_func *f, uint32_t warps)
{
	bool stated = f->ir->required_threads[0] || f->ir->max_threads[0];

	return warps == 3 && !stated && multiplies_matrices(f) ? 2
							       : nv_resident_warps(f->ir, warps);
}

static struct target_occupancy try_occupancy(struct scheduler *s, struct block_dag *dags,
					     uint32_t warps)
{
	struct mir_func *f = s->f;
	uint32_t resident = resident_warps(f, warps);
	uint32_t cached = nv_cached_warps(f->sm, f->frame_bytes);
	struct target_occupancy t = {.warps = resident < cached ? resident : cached};

	t.limit = target_limit(f, warps);
	order_for_target(s, dags, &t);
	if (t.pressure > t.limit && t.pressure <= t.limit + ALIGNMENT_SLACK)
		t.limit = t.pressure;
	return t;
}

/* The next occupancy above. */
static uint32_t more_warps(const struct mir_func *f, uint32_t warps)
{
	return nv_partition_warps(f->sm, nv_occupancy_registers(warps + 1));
}

/* Starts with the most warps that the original order allows, or the next occupancy above, goes on
 * to more warps as long as there are orders for them, and tries fewer warps as long as that gains:
 * with more registers, more loads are in flight. What calls leave of the registers for more warps
 * is not known yet. */
static struct target_occupancy choose_target(struct scheduler *s, struct block_dag *dags,
					     uint32_t pressure)
{
	struct mir_func *f = s->f;
	uint32_t reserved = nv_reserved_gprs(f) + MIR_HARDWARE_GPRS, losses = 0;
	uint32_t warps = more_warps(f, nv_partition_warps(f->sm, pressure + reserved));
	struct target_occupancy tried[MAX_WARPS + 1] = {0}, best = {0};

	if (f->start_registers)
		return try_occupancy(s, dags, nv_partition_warps(f->sm, f->start_registers));
	tried[warps] = try_occupancy(s, dags, warps);
	while (!f->calls && fits_target(&tried[warps]) && more_warps(f, warps) > warps) {
		uint32_t more = more_warps(f, warps);

		tried[more] = try_occupancy(s, dags, more);
		if (!fits_target(&tried[more]))
			break;
		warps = more;
	}
	do {
		uint32_t registers = target_registers(f, warps);
		struct target_occupancy t =
			tried[warps].warps ? tried[warps] : try_occupancy(s, dags, warps);

		if (is_better(f, &t, &best)) {
			best = t;
			losses = 0;
		} else {
			losses++;
		}
		if ((fits_target(&t) && !t.limited) || registers == f->gprs + MIR_HARDWARE_GPRS)
			break;
		warps = nv_partition_warps(f->sm, registers + 1);
	} while (losses < MAX_LOSSES);
	return best;
}

/* Computes values again where that alone raises the occupancy, by a share of the instructions that
 * is at most half the share of warps gained. First leaves registers for the scheduler, which does
 * not reach a limit exactly, and for alignment; then none for the former, then none at all: the
 * allocator finds whether that works. */
static bool rematerialise_to(struct mir_func *f, uint32_t limit, uint64_t max_cost)
{
	uint32_t most = limit - nv_reserved_gprs(f) - MIR_HARDWARE_GPRS, reached;
	uint32_t limits[] = {most - ALIGNMENT_SLACK - ORDER_SLACK, most - ALIGNMENT_SLACK, most};

	reached = nv_rematerialise(f, limits, f->dense ? 3 : 2, max_cost);
	if (reached == most)
		f->hoped_registers = limit;
	return reached;
}

/* Computes values again where that leaves the scheduler and the allocator registers within the
 * occupancy, as long as it costs next to nothing: values that only outer loops use. */
static bool rematerialise_for_room(struct mir_func *f, uint32_t warps, uint32_t pressure)
{
	uint32_t most = nv_occupancy_registers(warps) - nv_reserved_gprs(f) - MIR_HARDWARE_GPRS;
	uint32_t limits[ROOM / 2], count = 0;

	for (uint32_t room = ROOM; room; room -= 2)
		if (most > room && most - room < pressure)
			limits[count++] = most - room;
	return count && nv_rematerialise(f, limits, count, nv_weigh_instructions(f) / ROOM_SHARE);
}

/* Until it no longer helps: the registers of a callee remain in use. Returns the pressure. */
uint32_t nv_rematerialise_for_occupancy(struct mir_func *f)
{
	uint32_t reserved = nv_reserved_gprs(f) + MIR_HARDWARE_GPRS;
	uint32_t max_warps = nv_partition_warps(f->sm, 1), before, warps = 0, more, limit;
	uint32_t pressure;

	do {
		uint32_t slack = f->hoped_registers ? 0 : ALIGNMENT_SLACK;

		before = warps;
		nv_liveness(f);
		pressure = nv_max_pressure(f);
		if (f->start_registers)
			return pressure;
		warps = nv_partition_warps(f->sm, pressure + reserved + slack);
		limit = nv_occupancy_registers(warps + 1);
		more = nv_partition_warps(f->sm, limit) - warps;
	} while (warps > before && warps < max_warps &&
		 rematerialise_to(f, limit,
				  nv_weigh_instructions(f) * more / (NV_WARPS_SHARE * warps)));
	if (rematerialise_for_room(f, warps, pressure)) {
		nv_liveness(f);
		pressure = nv_max_pressure(f);
	}
	return pressure;
}

static int compare_heights(const void *a, const void *b)
{
	const struct slow_load *x = a, *y = b;

	if (x->height != y->height)
		return x->height > y->height ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static void find_loads(struct scheduler *s)
{
	uint32_t count = 0;

	for (uint32_t n = 1; n <= s->count; n++)
		count += s->nodes[n].result > 0;
	s->loads = arena_array(s->f->arena, count, sizeof(*s->loads));
	s->waiting = arena_array(s->f->arena, count, sizeof(*s->waiting));
	s->ahead = arena_array(s->f->arena, count, sizeof(*s->ahead));
	s->nloads = 0;
	for (uint32_t n = 1; n <= s->count; n++)
		if (s->nodes[n].result)
			s->loads[s->nloads++] = (struct slow_load){n, s->nodes[n].height};
	qsort(s->loads, s->nloads, sizeof(*s->loads), compare_heights);
}

/* Reserves registers for loads, if that saves time. */
static void order_loads(struct scheduler *s, uint32_t limit, struct block_order *order)
{
	find_loads(s);
	for (s->reserve = RESERVE_FOR_ADDRESSES; s->reserve <= RESERVE_FOR_HEIGHT; s->reserve++) {
		struct block_order o = order_within(s, limit);

		if (o.pressure <= limit && o.cycles < order->cycles)
			*order = o;
	}
	s->reserve = RESERVE_NONE;
}

/* Loops of products leave registers to the allocator as long as they hardly wait: two warps then
 * still fill the issue slots. */
static void order_products(struct scheduler *s, uint32_t limit, struct block_order *order)
{
	for (uint32_t room = 2; room <= ROOM && room < limit && order->limited; room += 2) {
		struct block_order o = order_within(s, limit - room);

		if (o.pressure > limit - room || 3 * o.cycles > 4 * s->count)
			break;
		*order = o;
	}
}

/* Better orders of blocks that lack registers, within the same limit. */
static void improve_orders(struct scheduler *s, const struct block_dag *dags,
			   struct target_occupancy *t)
{
	mir_for_each_block(s->f, b) {
		if (!t->orders[b].limited || t->orders[b].pressure > t->limit ||
		    nv_block_gprs(s->f, b) < s->f->gprs)
			continue;
		s->block = b;
		s->nodes = dags[b].nodes;
		s->count = dags[b].count;
		if (dags[b].waits)
			order_loads(s, t->limit, &t->orders[b]);
		if (dags[b].products && s->f->blocks[b].depth)
			order_products(s, t->limit, &t->orders[b]);
	}
}

/* Orders within a lower limit, if there are some that take no block longer. */
static bool tighten_to(struct scheduler *s, const struct block_dag *dags,
		       struct target_occupancy *t, uint32_t limit)
{
	struct mir_func *f = s->f;
	struct block_order *orders = arena_array(f->arena, f->nblocks, sizeof(*orders));

	mir_for_each_block(f, b) {
		uint32_t fewer = f->gprs - nv_block_gprs(f, b);

		orders[b] = t->orders[b];
		if (orders[b].pressure + fewer <= limit)
			continue;
		if (fewer >= limit)
			return false;
		s->block = b;
		s->nodes = dags[b].nodes;
		s->count = dags[b].count;
		orders[b] = order_within(s, limit - fewer);
		if (orders[b].pressure + fewer > limit || orders[b].cycles > t->orders[b].cycles)
			return false;
	}
	t->orders = orders;
	t->pressure = limit;
	return true;
}

/* Registers that gain neither warps nor time are not used, except in loops of products, where they
 * are in the banks that the allocator chooses. */
static void tighten_orders(struct scheduler *s, const struct block_dag *dags,
			   struct target_occupancy *t)
{
	uint32_t count = 0;

	mir_for_each_block(s->f, b) {
		if (dags[b].products && s->f->blocks[b].depth)
			return;
		count += dags[b].count;
	}
	if (count > MAX_TIGHTENED || !fits_target(t))
		return;
	for (uint32_t n = 0; n < MAX_TIGHTENINGS && t->pressure > 1; n++)
		if (!tighten_to(s, dags, t, t->pressure - 1))
			return;
}

void nv_schedule_for_occupancy(struct scheduler *s, uint32_t pressure)
{
	struct mir_func *f = s->f;
	struct block_dag *dags = arena_array(f->arena, f->nblocks, sizeof(*dags));
	struct target_occupancy best;

	nv_limit_blocks(f);
	mir_for_each_block(f, b) {
		s->block = b;
		nv_build_dag(s);
		dags[b] = (struct block_dag){.nodes = s->nodes,
					     .count = s->count,
					     .waits = waits_for_memory(s),
					     .products = consists_of_products(s)};
	}
	best = choose_target(s, dags, pressure);
	improve_orders(s, dags, &best);
	tighten_orders(s, dags, &best);
	f->fits = fits_target(&best);
	f->retry_sparse =
		f->hoped_registers &&
		best.pressure + nv_reserved_gprs(f) + MIR_HARDWARE_GPRS > f->hoped_registers;
	mir_for_each_block(f, b)
		nv_set_order(f, b, best.orders[b].insts, dags[b].count);
}
