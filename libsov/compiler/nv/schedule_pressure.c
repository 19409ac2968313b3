// SPDX-License-Identifier: MIT
/*
 * The list scheduler's register pressure: how each instruction would change it if it were scheduled
 * next, which is kept up to date as instructions are scheduled, and whether it would stay within
 * its limits.
 */
#include <assert.h>
#include <string.h>
#include "libsov/compiler/nv/schedule.h"

static const uint8_t pressure_kind[] = {[PRESSURE_GPR] = SASS_GPR, [PRESSURE_PRED] = SASS_PRED};

/* What the load will take beyond what its address holds. */
static int32_t owed_to(const struct node *load)
{
	int32_t owed = (int32_t)load->result - load->held;

	return load->begun && owed > 0 ? owed : 0;
}

static void note_address(struct scheduler *s, uint32_t n)
{
	struct node *load = &s->nodes[s->nodes[n].load];

	if (!s->nodes[n].load)
		return;
	s->owed -= owed_to(load);
	load->begun = load != &s->nodes[n];
	load->held += s->nodes[n].pressure[PRESSURE_GPR].delta;
	s->owed += owed_to(load);
}

/* An earlier operand of the node mentions the same unit. */
static bool is_repeated(const struct node *node, uint32_t u, uint32_t k)
{
	const struct mir_use *use = &node->uses[u];

	for (uint32_t e = 0; e < u; e++) {
		const struct mir_use *earlier = &node->uses[e];

		if (earlier->ref.vreg == use->ref.vreg && earlier->ref.part <= use->ref.part + k &&
		    use->ref.part + k < earlier->ref.part + earlier->count)
			return true;
	}
	return false;
}

static uint8_t pressure_of(const struct mir_use *use)
{
	return use->kind == SASS_GPR    ? PRESSURE_GPR
	       : use->kind == SASS_PRED ? PRESSURE_PRED
					: PRESSURE_KINDS;
}

static uint32_t list_mentions(const struct scheduler *s, struct node *node, struct mention *list)
{
	const struct mir_func *f = s->f;
	uint32_t n = 0;

	for (uint32_t u = 0; u < node->nuses; u++) {
		const struct mir_use *use = &node->uses[u];
		uint8_t pressure = pressure_of(use);

		if (!use->ref.vreg)
			continue;
		if (use->write && pressure < PRESSURE_KINDS && !nv_is_partial_write(f, use))
			node->written[pressure] += use->count;
		for (uint32_t k = 0; k < use->count; k++) {
			uint32_t unit = mir_unit(f, use->ref) + k;

			if (!is_repeated(node, u, k))
				list[n++] = (struct mention){
					unit, pressure, use->write,
					live_set_has(&f->blocks[s->block].live_out, unit)};
		}
	}
	return n;
}

void nv_find_mentions(struct scheduler *s)
{
	uint32_t *max = s->nodes[0].written, total = 0;
	struct mention *list;

	for (uint32_t n = 1; n <= s->count; n++)
		for (uint32_t u = 0; u < s->nodes[n].nuses; u++)
			total += s->nodes[n].uses[u].count;
	list = arena_array(s->f->arena, total, sizeof(*list));
	for (uint32_t n = 1; n <= s->count; n++) {
		struct node *node = &s->nodes[n];
		uint32_t opened = 0;

		node->mentions = list;
		node->nmentions = list_mentions(s, node, list);
		list += node->nmentions;
		for (uint32_t u = 0; node->partial && u < node->nuses; u++)
			if (nv_is_partial_write(s->f, &node->uses[u]))
				opened += s->f->vregs[node->uses[u].ref.vreg].units;
		if (node->written[PRESSURE_GPR] + opened > max[PRESSURE_GPR])
			max[PRESSURE_GPR] = node->written[PRESSURE_GPR] + opened;
		if (node->written[PRESSURE_PRED] > max[PRESSURE_PRED])
			max[PRESSURE_PRED] = node->written[PRESSURE_PRED];
	}
}

static struct mentioned *mentioned_at(struct scheduler *s, uint32_t unit)
{
	struct mentioned *m = &s->mentioned[unit];

	if (m->stamp != s->stamp)
		*m = (struct mentioned){.stamp = s->stamp};
	return m;
}

/* Without partial writes. */
static void update_pressure_change(struct scheduler *s, uint32_t n)
{
	struct node *node = &s->nodes[n];

	for (uint32_t k = 0; k < PRESSURE_KINDS; k++)
		node->pressure[k] = (struct pressure){.delta = (int32_t)node->written[k]};
	for (uint32_t k = 0; k < node->nmentions; k++) {
		const struct mention *m = &node->mentions[k];

		/* No instruction but this one mentions the unit from here on. */
		if (m->live_out || m->pressure == PRESSURE_KINDS || s->mentioned[m->unit].left != 1)
			continue;
		node->pressure[m->pressure].delta--;
		node->pressure[m->pressure].dead += m->write;
	}
	node->grows = node->partial;
	for (uint32_t k = 0; k < PRESSURE_KINDS; k++)
		node->grows |= node->pressure[k].delta + (int32_t)node->pressure[k].dead > 0;
}

/* The units of registers that the node is the first to write a part of: the register is allocated
 * as a whole. */
static uint32_t opened_units(const struct scheduler *s, const struct node *node)
{
	const struct mir_func *f = s->f;
	uint32_t units = 0;

	for (uint32_t u = 0; node->partial && u < node->nuses; u++) {
		const struct mir_use *use = &node->uses[u];
		const struct mir_vreg *v = &f->vregs[use->ref.vreg];

		if (nv_is_partial_write(f, use) && s->opened[use->ref.vreg] != s->stamp)
			units += v->units;
	}
	return units;
}

static void open_registers(struct scheduler *s, const struct node *node)
{
	for (uint32_t u = 0; node->partial && u < node->nuses; u++)
		if (nv_is_partial_write(s->f, &node->uses[u]))
			s->opened[node->uses[u].ref.vreg] = s->stamp;
}

static void count_mentions_of(struct scheduler *s, uint32_t n)
{
	const struct node *node = &s->nodes[n];

	for (uint32_t k = 0; k < node->nmentions; k++) {
		struct mentioned *m = mentioned_at(s, node->mentions[k].unit);

		m->left++;
		m->nodes ^= n;
	}
}

/* Live are the live-in units and those of the block's phis. */
static uint32_t count_live_in(const struct mir_func *f, const struct mir_block *block, uint8_t kind)
{
	uint32_t live = 0;

	live_set_for_each(&block->live_in, unit) live += f->vregs[f->unit_vreg[unit]].kind == kind;
	for (uint32_t p = 0; p < block->nphis; p++) {
		const struct mir_vreg *v = &f->vregs[block->phis[p].vreg];

		live += v->kind == kind ? v->units : 0;
	}
	return live;
}

/* The pressure at the start of the block, with all mentions ahead. The terminator mentions the
 * branch condition. */
void nv_start_pressure(struct scheduler *s)
{
	const struct mir_block *block = &s->f->blocks[s->block];

	s->stamp++;
	s->owed = 0;
	for (uint32_t n = 1; n <= s->count; n++) {
		s->nodes[n].begun = false;
		s->nodes[n].held = 0;
	}
	for (uint32_t k = 0; k < PRESSURE_KINDS; k++)
		s->live[k] = s->peak[k] = count_live_in(s->f, block, pressure_kind[k]);
	live_set_for_each(&block->live_in, unit) s->opened[s->f->unit_vreg[unit]] = s->stamp;
	if (block->cond.ref.vreg)
		mentioned_at(s, mir_unit(s->f, block->cond.ref))->left++;
	for (uint32_t n = 1; n <= s->count; n++)
		count_mentions_of(s, n);
	for (uint32_t n = 1; n <= s->count; n++)
		update_pressure_change(s, n);
}

/* Updates the pressure after a node is scheduled. The last remaining mention of a unit now frees
 * it. */
void nv_note_scheduled(struct scheduler *s, uint32_t n)
{
	const struct node *node = &s->nodes[n];

	note_address(s, n);
	s->live[PRESSURE_GPR] += opened_units(s, node);
	open_registers(s, node);
	for (uint32_t k = 0; k < PRESSURE_KINDS; k++) {
		s->live[k] = (uint32_t)((int32_t)s->live[k] + node->pressure[k].delta);
		if (s->live[k] + node->pressure[k].dead > s->peak[k])
			s->peak[k] = s->live[k] + node->pressure[k].dead;
	}
	for (uint32_t k = 0; k < node->nmentions; k++) {
		struct mentioned *m = &s->mentioned[node->mentions[k].unit];

		m->left--;
		m->nodes ^= n;
		if (m->left == 1 && m->nodes && m->nodes != n)
			update_pressure_change(s, m->nodes);
	}
}

/* The pressure of an order, NULL: the original one. */
uint32_t nv_order_pressure(struct scheduler *s, const uint32_t *order)
{
	nv_start_pressure(s);
	for (uint32_t k = 0; k < s->count; k++)
		nv_note_scheduled(s, order ? order[k] : k + 1);
	return s->peak[PRESSURE_GPR];
}

/* Sums the units of the waiting loads, and forgets loads that have been scheduled. */
static void sum_units_ahead(struct scheduler *s)
{
	int32_t enough = (int32_t)s->limit[PRESSURE_GPR], units = 0;
	uint32_t n = 0, kept = 0;

	s->nahead = 0;
	for (; n < s->nwaiting && units < enough; n++) {
		const struct slow_load load = s->waiting[n];

		if (s->nodes[load.node].done)
			continue;
		s->waiting[kept++] = load;
		if (load.node >= s->first + s->lookahead)
			continue;
		units += (int32_t)s->nodes[load.node].result;
		s->ahead[s->nahead++] = (struct units_ahead){load.height, units};
	}
	if (kept < n)
		memmove(s->waiting + kept, s->waiting + n, (s->nwaiting - n) * sizeof(*s->waiting));
	s->nwaiting -= n - kept;
	s->ahead_known = true;
}

/* The same in one walk over all loads, for the verifier. */
static int32_t count_units_ahead(const struct scheduler *s, uint32_t height)
{
	int32_t units = 0;

	for (uint32_t k = 0; k < s->nloads && units < (int32_t)s->limit[PRESSURE_GPR]; k++) {
		const struct slow_load *load = &s->loads[k];

		if (load->height > height && !s->nodes[load->node].done &&
		    load->node < s->first + s->lookahead)
			units += (int32_t)s->nodes[load->node].result;
	}
	return units;
}

/* The units that waiting loads of greater height will take, as far as they matter. */
static int32_t units_ahead(struct scheduler *s, uint32_t height)
{
	uint32_t low = 0, high;
	int32_t units;

	if (!s->ahead_known)
		sum_units_ahead(s);
	for (high = s->nahead; low < high;) {
		uint32_t middle = (low + high) / 2;

		if (s->ahead[middle].height > height)
			low = middle + 1;
		else
			high = middle;
	}
	units = low ? s->ahead[low - 1].units : 0;
	assert(!compile_verifies(s->f->job) || units == count_units_ahead(s, height));
	return units;
}

/* The growth of the pressure of general registers, with what loads will need. */
static int32_t gpr_growth(struct scheduler *s, const struct node *node)
{
	int32_t growth = node->pressure[PRESSURE_GPR].delta +
			 (int32_t)node->pressure[PRESSURE_GPR].dead +
			 (int32_t)opened_units(s, node);
	const struct node *load = &s->nodes[node->load];

	if (growth > 0 && s->reserve == RESERVE_FOR_HEIGHT && !s->nodes[node->load].result)
		return growth + units_ahead(s, node->height);
	if (growth <= 0 || s->reserve != RESERVE_FOR_ADDRESSES)
		return growth;
	if (node->load && !load->begun && growth < (int32_t)load->result)
		growth = (int32_t)load->result;
	return growth + s->owed - (node->load ? owed_to(load) : 0);
}

/* Whether the pressure stays within its limits whichever node is scheduled next. */
bool nv_all_fit_limits(const struct scheduler *s)
{
	if (s->reserve != RESERVE_NONE)
		return false;
	for (uint32_t k = 0; k < PRESSURE_KINDS; k++)
		if (s->live[k] + s->nodes[0].written[k] > s->limit[k])
			return false;
	return true;
}

/* Whether the pressure stays within its limits if the node is scheduled next, or does not grow. */
bool nv_fits_limits(struct scheduler *s, const struct node *node)
{
	for (uint32_t k = 0; k < PRESSURE_KINDS; k++) {
		int32_t growth = k == PRESSURE_GPR ? gpr_growth(s, node)
						   : node->pressure[k].delta +
							     (int32_t)node->pressure[k].dead;

		if (growth > 0 && (int32_t)s->live[k] + growth > (int32_t)s->limit[k])
			return false;
	}
	return true;
}

/* The changes of ready nodes, which nv_note_scheduled() keeps current, for the verifier. */
bool nv_are_changes_current(struct scheduler *s)
{
	for (uint32_t k = 0; k < s->nready; k++) {
		struct node *node = &s->nodes[s->ready[k].node], before = *node;

		update_pressure_change(s, s->ready[k].node);
		if (memcmp(before.pressure, node->pressure, sizeof(before.pressure)) ||
		    before.grows != node->grows)
			return false;
	}
	return true;
}
