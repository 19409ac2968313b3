// SPDX-License-Identifier: MIT
/*
 * Copies of tensors for targets that lack them: the thread itself reads the tensor map and copies
 * byte by byte, then completes the bytes at the barrier. Dimension 0 is counted in bytes.
 *
 *	loop:   done = phi 0, done + 1; offset[d] = phi 0, next offset
 *	        a byte, if its element is in the tensor; otherwise a load writes zero
 *	        cbr the last offset is back at 0, rest, loop
 */
#include "libsov/isa/tensor_map_layout.h"
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/passes/lower.h"

/* Binary logarithms of the types' sizes, two bits each. */
#define TENSOR_LOG_(name, bytes) \
	| ((bytes) == 8 ? 3u : (bytes) == 4 ? 2u : (bytes) == 2 ? 1u : 0u) << 2 * TENSOR_TYPE_##name
#define TYPE_LOGS (0u TENSOR_TYPES(TENSOR_LOG_))

struct tensor {
	ir_val address;                  /* b64 */
	ir_val log;                      /* of an element's bytes */
	ir_val swizzle;                  /* mask */
	ir_val last[IR_TENSOR_MAX_RANK]; /* the last coordinate in the tensor */
	ir_val box[IR_TENSOR_MAX_RANK];  /* bytes, then elements */
	ir_val step[IR_TENSOR_MAX_RANK];
	ir_val stride[IR_TENSOR_MAX_RANK]; /* bytes, b64; from dimension 1 on */
	uint32_t rank;
};

static ir_id insert_access(struct expand *e, enum ir_op op, enum ir_space space,
			   enum ir_type memory, ir_val address, ir_val value)
{
	bool load = op == IR_LOAD;
	ir_val args[2] = {address, value};
	ir_id i = ir_inst_new(e->f, op, IR_B32, args, load ? 1 : 2, load);
	struct ir_inst *in = ir_at(e->f, i);

	in->space = (uint8_t)space;
	in->from = (uint8_t)memory;
	in->align = ir_type_bits(memory) / 8;
	in->line = e->line;
	ir_insert_before(e->f, e->at, i);
	return i;
}

static ir_val map_word(struct expand *e, ir_val map, uint32_t word)
{
	ir_id i = insert_access(e, IR_LOAD, IR_GENERIC_SPACE, IR_B32, map, 0);

	ir_at(e->f, i)->imm = 4 * word;
	return ir_at(e->f, i)->res;
}

static ir_val field(struct expand *e, ir_val word, uint32_t at, uint32_t bits)
{
	return expand_op_imm(e, IR_AND, expand_shift(e, IR_SHR_U, word, at), (1u << bits) - 1);
}

static ir_val shift_by(struct expand *e, enum ir_op op, enum ir_type t, ir_val a, ir_val by)
{
	return expand_op(e, op, t, a, by, 0);
}

static ir_val read_stride(struct expand *e, ir_val map, ir_val high, uint32_t d)
{
	ir_val low = map_word(e, map, TENSOR_MAP_STRIDE + d - 1), wide;

	wide = expand_convert(e, IR_ZEXT, IR_B64, field(e, high, 4 * (d - 1), 4));
	wide = expand_shift(e, IR_SHL, wide, 32);
	wide = expand_op(e, IR_OR, IR_B64, wide, expand_convert(e, IR_ZEXT, IR_B64, low), 0);
	return expand_shift(e, IR_SHL, wide, 4);
}

static void read_map(struct expand *e, struct tensor *t, ir_val map)
{
	ir_val layout = map_word(e, map, TENSOR_MAP_LAYOUT),
	       steps = map_word(e, map, TENSOR_MAP_STEP), boxes = map_word(e, map, TENSOR_MAP_BOX),
	       high = map_word(e, map, TENSOR_MAP_STRIDE_HIGH), one = expand_const(e, IR_B32, 1),
	       address[2];

	for (uint32_t k = 0; k < 2; k++)
		address[k] = expand_convert(e, IR_ZEXT, IR_B64,
					    map_word(e, map, TENSOR_MAP_ADDRESS + k));
	t->address =
		expand_op(e, IR_OR, IR_B64, address[0], expand_shift(e, IR_SHL, address[1], 32), 0);
	t->log = expand_shift(e, IR_SHL, field(e, layout, TENSOR_MAP_TYPE_AT, 4), 1);
	t->log = shift_by(e, IR_SHR_U, IR_B32, expand_const(e, IR_B32, TYPE_LOGS), t->log);
	t->log = expand_op_imm(e, IR_AND, t->log, 3);
	t->swizzle = shift_by(e, IR_SHL, IR_B32, one, field(e, layout, TENSOR_MAP_SWIZZLE_AT, 2));
	t->swizzle = expand_op(e, IR_SUB, IR_B32, t->swizzle, one, 0);
	for (uint32_t d = 0; d < t->rank; d++) {
		t->last[d] = map_word(e, map, TENSOR_MAP_SIZE + d);
		t->box[d] = d ? field(e, boxes, 8 * (d - 1), 8)
			      : field(e, steps, TENSOR_MAP_BOX_0_AT, 8);
		t->box[d] = expand_op_imm(e, IR_ADD, t->box[d], 1);
		t->step[d] = d ? expand_op_imm(e, IR_ADD, field(e, steps, 3 * d, 3), 1) : one;
		if (d)
			t->stride[d] = read_stride(e, map, high, d);
	}
	t->box[0] = shift_by(e, IR_SHL, IR_B32, t->box[0], t->log);
}

/* The byte's address in global memory; *inside: whether its element is in the tensor. */
static ir_val locate(struct expand *e, const struct tensor *t, const ir_val *start,
		     const ir_val *offset, ir_val *inside)
{
	ir_val one = expand_const(e, IR_B32, 1), zero = expand_const(e, IR_B32, 0), at = t->address,
	       rest;

	*inside = 0;
	for (uint32_t d = 0; d < t->rank; d++) {
		ir_val count = d ? offset[d] : shift_by(e, IR_SHR_U, IR_B32, offset[0], t->log), in,
		       c = expand_op(e, IR_ADD, IR_B32, start[d], count, 0), wide;

		in = expand_op(e, IR_AND, IR_B1, expand_compare(e, IR_GE_S, c, zero),
			       expand_compare(e, IR_LE_U, c, t->last[d]), 0);
		*inside = *inside ? expand_op(e, IR_AND, IR_B1, *inside, in, 0) : in;
		wide = expand_convert(e, IR_SEXT, IR_B64, c);
		wide = d ? expand_op(e, IR_MUL, IR_B64, wide, t->stride[d], 0)
			 : shift_by(e, IR_SHL, IR_B64, wide, t->log);
		at = expand_op(e, IR_ADD, IR_B64, at, wide, 0);
	}
	rest = expand_op(e, IR_SUB, IR_B32, shift_by(e, IR_SHL, IR_B32, one, t->log), one, 0);
	rest = expand_op(e, IR_AND, IR_B32, offset[0], rest, 0);
	return expand_op(e, IR_ADD, IR_B64, at, expand_convert(e, IR_ZEXT, IR_B64, rest), 0);
}

static void copy_byte(struct expand *e, const struct ir_inst *in, const struct tensor *t,
		      ir_val done, const ir_val *offset)
{
	ir_val shared = expand_op(e, IR_ADD, IR_B32, in->args[1], done, 0), swap, inside, at, byte,
	       zero = expand_const(e, IR_B32, 0);
	struct expand_if branch;

	swap = expand_op(e, IR_AND, IR_B32, expand_shift(e, IR_SHR_U, shared, 7), t->swizzle, 0);
	shared = expand_op(e, IR_XOR, IR_B32, shared, expand_shift(e, IR_SHL, swap, 4), 0);
	at = locate(e, t, in->args + ir_tensor_coordinates(in), offset, &inside);
	branch = expand_if_begin(e, inside);
	if (in->sub == IR_TENSOR_LOAD) {
		byte = ir_at(e->f, insert_access(e, IR_LOAD, IR_GLOBAL, IR_B8, at, 0))->res;
		byte = expand_if_end(e, &branch, byte, zero);
		insert_access(e, IR_STORE, IR_SHARED, IR_B8, shared, byte);
		return;
	}
	byte = ir_at(e->f, insert_access(e, IR_LOAD, IR_SHARED, IR_B8, shared, 0))->res;
	insert_access(e, IR_STORE, IR_GLOBAL, IR_B8, at, byte);
	expand_if_end(e, &branch, zero, zero);
}

/* Advances the offsets; returns whether the last one is back at 0. */
static ir_val advance(struct expand *e, const struct tensor *t, const ir_val *offset, ir_val *next)
{
	ir_val zero = expand_const(e, IR_B32, 0), wraps = 0;

	for (uint32_t d = 0; d < t->rank; d++) {
		ir_val by = wraps ? expand_select(e, wraps, t->step[d], zero) : t->step[d], ends;

		next[d] = expand_op(e, IR_ADD, IR_B32, offset[d], by, 0);
		ends = expand_compare(e, IR_GE_U, next[d], t->box[d]);
		next[d] = expand_select(e, ends, zero, next[d]);
		wraps = ends;
	}
	return wraps;
}

static ir_id append_inst(struct ir_func *f, ir_block b, enum ir_op op, enum ir_type t, ir_val arg)
{
	ir_id i = ir_inst_new(f, op, t, &arg, arg ? 1 : 0, t != IR_VOID);

	ir_append(f, b, i);
	return i;
}

static void complete_bytes(struct expand *e, const struct ir_inst *in, ir_val bytes)
{
	ir_val args[3] = {in->args[2], expand_const(e, IR_B32, 0), bytes};
	ir_id arrival = ir_inst_new(e->f, IR_MBARRIER_ARRIVE, IR_B32, args, 3, 1);

	ir_at(e->f, arrival)->sub = IR_ARRIVE_COMPLETE;
	ir_at(e->f, arrival)->line = in->line;
	ir_insert_before(e->f, e->at, arrival);
}

static void lower_tensor_copy(struct ir_func *f, ir_id at)
{
	const struct ir_inst in = *ir_at(f, at);
	struct expand e = {.f = f, .at = at, .line = in.line};
	struct tensor t = {.rank = (uint32_t)in.imm & IR_TENSOR_RANK};
	ir_id phi[1 + IR_TENSOR_MAX_RANK];
	ir_val offset[IR_TENSOR_MAX_RANK], next[IR_TENSOR_MAX_RANK], zero, done, ends;
	ir_block before = in.block, rest, loop;

	read_map(&e, &t, in.args[0]);
	zero = expand_const(&e, IR_B32, 0);
	rest = cfg_split_block(f, at);
	loop = ir_block_new_before(f, rest, NULL);
	append_inst(f, before, IR_BR, IR_VOID, 0);
	ir_edge(f, before, loop);
	for (uint32_t k = 0; k <= t.rank; k++) {
		phi[k] = append_inst(f, loop, IR_PHI, IR_B32, zero);
		if (k < t.rank)
			offset[k] = ir_at(f, phi[k])->res;
	}
	done = ir_at(f, phi[t.rank])->res;
	e.at = append_inst(f, loop, IR_CBR, IR_VOID, done);
	ir_edge(f, loop, rest);
	ir_edge(f, loop, loop);
	copy_byte(&e, &in, &t, done, offset);
	ends = advance(&e, &t, offset, next);
	ir_at(f, e.at)->args[0] = ends;
	done = expand_op_imm(&e, IR_ADD, done, 1);
	for (uint32_t k = 0; k <= t.rank; k++)
		ir_arg_append(f, phi[k], k < t.rank ? next[k] : done);
	e.at = at;
	if (in.sub == IR_TENSOR_LOAD)
		complete_bytes(&e, &in, done);
	ir_remove(f, at);
}

void lower_tensor_copies(struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst_safe(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			if (in->op == IR_TENSORCOPY && in->sub <= IR_TENSOR_STORE &&
			    !(in->imm & (IR_TENSOR_IM2COL | IR_TENSOR_MULTICAST))) {
				lower_tensor_copy(f, i);
				break; /* the rest is visited as a later block */
			}
			if (in->op == IR_MAPACQUIRE || in->op == IR_MAPPREFETCH)
				ir_remove(f, i);
		}
}
