// SPDX-License-Identifier: MIT
/*
 * Which instructions of a block keep their order although no register requires it. Memory
 * operations that may alias do if one of them writes; loads pass loads. Convergent operations
 * (warp syncs, block barriers, calls) do among each other, except shuffles, votes and operations on
 * matrices of all lanes, so that independent ones overlap; neither they nor memory operations cross
 * an EXIT. What a REDUX leaves in a uniform register is read before other lanes of the warp may
 * run, since the register belongs to the warp.
 */
#include "libsov/compiler/nv/mir.h"

static const struct sass_operand *address_of(const struct mir_inst *i, struct mir_ref *base)
{
	for (uint32_t k = 0; k < i->sass.nops; k++) {
		if (i->sass.ops[k].kind == SASS_ADDR) {
			*base = i->ref[k];
			return &i->sass.ops[k];
		}
	}
	return NULL;
}

/* Same base register (in SSA form the same value) and disjoint ranges of offsets. */
static bool are_disjoint(const struct mir_inst *a, const struct mir_inst *b)
{
	struct mir_ref base_a = {0}, base_b = {0};
	const struct sass_operand *x = address_of(a, &base_a), *y = address_of(b, &base_b);

	/* A copy has a second address. */
	if (a->sass.op == SASS_LDGSTS || b->sass.op == SASS_LDGSTS)
		return false;
	if (!x || !y || base_a.vreg != base_b.vreg || base_a.part != base_b.part ||
	    (!base_a.vreg && x->reg != y->reg) || a->uniform.vreg != b->uniform.vreg ||
	    a->uniform.part != b->uniform.part)
		return false;
	return x->value + a->memory.bytes <= y->value || y->value + b->memory.bytes <= x->value;
}

/* The space of an effect: an asynchronous copy reads global memory and writes shared memory. */
static uint8_t space_of(const struct mir_inst *i, uint8_t effect)
{
	if (i->sass.op != SASS_LDGSTS)
		return i->memory.space;
	return effect == MIR_READS ? IR_GLOBAL : IR_SHARED;
}

/* Whether a has the first effect, b the second, and both perhaps in the same memory. */
static bool effects_overlap(const struct mir_inst *a, uint8_t first, const struct mir_inst *b,
			    uint8_t second)
{
	uint8_t x = space_of(a, first), y = space_of(b, second);

	return a->memory.effect & first && b->memory.effect & second &&
	       (x == y || x == IR_SPACE_COUNT || y == IR_SPACE_COUNT);
}

static bool memory_conflict(const struct mir_inst *a, const struct mir_inst *b)
{
	uint8_t both = a->memory.effect & b->memory.effect,
		any = a->memory.effect | b->memory.effect;
	bool overlap;

	if (!a->memory.effect || !b->memory.effect)
		return false;
	if (both & MIR_ORDERED)
		return true;
	overlap = effects_overlap(a, MIR_WRITES, b, MIR_WRITES) ||
		  effects_overlap(a, MIR_WRITES, b, MIR_READS) ||
		  effects_overlap(a, MIR_READS, b, MIR_WRITES);
	/* A strong load and a weak one of the same location are coherent in program order. */
	if (any & MIR_ORDERED)
		overlap |= effects_overlap(a, MIR_READS, b, MIR_READS);
	return overlap && !are_disjoint(a, b);
}

/* Whether the active lanes may be others after i, or others may run meanwhile: lanes that BREAK
 * releases do. */
static bool may_switch_lanes(const struct mir_inst *i)
{
	return i->members > MIR_ACTIVE_LANES || i->sass.op == SASS_NANOSLEEP ||
	       i->sass.op == SASS_BREAK;
}

/* Whether the result of i depends on the active lanes, or on a uniform register that other lanes
 * of the warp write, too, if they run between. All lanes stay together at syncs of all lanes. */
static bool depends_on_lanes(const struct mir_inst *i, const struct mir_inst *other)
{
	if (!may_switch_lanes(other))
		return false;
	return i->members ||
	       (i->reduced && (i->reduced != MIR_ALL_LANES || other->members != MIR_ALL_LANES));
}

/* Whether i only exchanges values, between all lanes. Lanes that are together at one exchange are
 * together at the next: what may separate them keeps its order with both. */
static bool exchanges_values(const struct mir_inst *i)
{
	return i->members == MIR_ALL_LANES &&
	       (i->sass.op == SASS_SHFL || i->sass.op == SASS_VOTE || i->sass.op == SASS_LDSM ||
		sass_is_matrix_product(&i->sass));
}

/* All lanes reach a block barrier together, and leave it together. */
static bool keeps_lanes_together(const struct mir_inst *i)
{
	return exchanges_values(i) || (i->sass.op == SASS_BAR && i->members == MIR_ALL_LANES);
}

bool nv_must_keep_order(const struct mir_inst *a, const struct mir_inst *b)
{
	bool exit_a = a->sass.op == SASS_EXIT, exit_b = b->sass.op == SASS_EXIT;

	if (exit_a && exit_b)
		return true;
	if (exit_a || exit_b) {
		const struct mir_inst *other = exit_a ? b : a;

		/* A load in a lane that should have exited might fault, and the exit may release
		 * other lanes. */
		return other->memory.effect || other->memory.bytes || other->members ||
		       other->reduced;
	}
	if ((exchanges_values(a) && keeps_lanes_together(b)) ||
	    (exchanges_values(b) && keeps_lanes_together(a)))
		return memory_conflict(a, b);
	return (a->members && b->members) || depends_on_lanes(a, b) || depends_on_lanes(b, a) ||
	       memory_conflict(a, b);
}

/* Whether it keeps its order with nothing but what may separate the lanes of a warp. */
bool nv_is_exchange(const struct mir_inst *i)
{
	return exchanges_values(i) && !i->memory.effect && !i->memory.bytes && !i->reduced;
}

/* Whether its order with those does not matter, so that they need not be compared with it. */
bool nv_may_pass_exchanges(const struct mir_inst *i)
{
	return keeps_lanes_together(i) ||
	       (!i->members && !i->reduced && !may_switch_lanes(i) && i->sass.op != SASS_EXIT);
}

bool nv_is_ordered(const struct mir_inst *i)
{
	return i->memory.effect || i->memory.bytes || i->members || i->reduced ||
	       i->sass.op == SASS_EXIT || i->sass.op == SASS_BREAK;
}
