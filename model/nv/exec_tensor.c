// SPDX-License-Identifier: MIT
/* Copies of boxes of tensors, and reductions by them (SM90). In hazard mode a load arrives when its
 * barrier is tested, as every bulk copy. */
#include <string.h>

#include "libsov/isa/tensor_map.h"
#include "model/core/softfloat.h"
#include "model/nv/exec_memory.h"
#include "model/nv/reduction.h"

#define SHARED_ALIGN 128 /* of boxes */
#define MAP_HALF     (TENSOR_MAP_BYTES / 2)

struct tensor_copy {
	struct warp *w;
	struct tensor_map map;
	struct access tensor, shared;
	uint32_t start[TENSOR_MAP_RANK];
	uint32_t at, barrier, lane;
	uint32_t how; /* SASS_ATOM_* of a reduction */
	bool load, reduce;
};

static uint64_t uniform_pair(const struct warp *w, const struct op *op, uint32_t operand)
{
	uint32_t row = op->s[operand].row;

	return (uint64_t)w->ur[row + 1] << 32 | w->ur[row];
}

static bool tensor_fault(const struct tensor_copy *c, const char *what, uint64_t address,
			 const char *why)
{
	warp_fault(c->w, c->lane, MODEL_FAULT_ILLEGAL_INSTRUCTION, c->w->pc, "%s at 0x%llx: %s",
		   what, (unsigned long long)address, why);
	return false;
}

static bool read_map(struct tensor_copy *c, uint64_t address, uint32_t rank)
{
	struct access x = {.w = c->w,
			   .space = SPACE_GLOBAL,
			   .bytes = MAP_HALF,
			   .rights = MODEL_READ,
			   .verb = "tensor map"};
	uint32_t words[TENSOR_MAP_WORDS];
	const char *why;

	for (uint32_t k = 0; k < TENSOR_MAP_BYTES; k += MAP_HALF) {
		const uint8_t *half = lane_pointer(&x, c->lane, address + k);

		if (!half)
			return false;
		memcpy((uint8_t *)words + k, half, MAP_HALF);
	}
	why = tensor_map_unpack(&c->map, words);
	if (!why && c->map.rank != rank)
		why = "it has another number of dimensions than the instruction";
	return !why || tensor_fault(c, "tensor map", address, why);
}

/* Reads the elements of a part that are in the tensor; the others are zero. */
static bool read_elements(struct tensor_copy *c, const struct tensor_part *p, uint8_t *bytes)
{
	uint32_t size = c->map.element_bytes;

	memset(bytes, 0, TENSOR_PART_BYTES);
	for (uint32_t k = 0; k < TENSOR_PART_BYTES / size; k++) {
		const uint8_t *from;

		if (!(p->inside >> k & 1))
			continue;
		from = lane_pointer(&c->tensor, c->lane, p->address + (uint64_t)k * size);
		if (!from)
			return false;
		memcpy(bytes + k * size, from, size);
	}
	return true;
}

/* Types of elements without a reduction have no bytes. */
static const struct element elements[TENSOR_TYPE_COUNT] = {
	[TENSOR_TYPE_U32] = {NULL, 4, false, false, false},
	[TENSOR_TYPE_S32] = {NULL, 4, false, true, false},
	[TENSOR_TYPE_U64] = {NULL, 8, false, false, false},
	[TENSOR_TYPE_S64] = {NULL, 8, false, true, false},
	[TENSOR_TYPE_F16] = {&float_f16, 2, false, false, false},
	[TENSOR_TYPE_BF16] = {&float_bf16, 2, false, false, false},
	[TENSOR_TYPE_F32] = {&float_f32, 4, false, false, false},
	[TENSOR_TYPE_F32_FTZ] = {&float_f32, 4, false, false, true},
	[TENSOR_TYPE_F64] = {&float_f64, 8, false, false, false},
};

/* Whether there is such a reduction. */
static bool is_reduction(enum tensor_type type, uint32_t how)
{
	if (!elements[type].bytes)
		return false;
	if (how == SASS_ATOM_INC || how == SASS_ATOM_DEC)
		return type == TENSOR_TYPE_U32;
	return how == SASS_ATOM_ADD || how == SASS_ATOM_MIN || how == SASS_ATOM_MAX ||
	       !elements[type].format;
}

static void reduce_element(const struct tensor_copy *c, uint8_t *at, const uint8_t *from)
{
	uint64_t x = 0;

	memcpy(&x, from, c->map.element_bytes);
	element_reduce(&elements[c->map.type], at, c->how, x);
}

static bool write_elements(struct tensor_copy *c, const struct tensor_part *p, const uint8_t *bytes)
{
	uint32_t size = c->map.element_bytes;

	for (uint32_t k = 0; k < TENSOR_PART_BYTES / size; k++) {
		uint8_t *to;

		if (!(p->stored >> k & 1))
			continue;
		to = lane_pointer(&c->tensor, c->lane, p->address + (uint64_t)k * size);
		if (!to)
			return false;
		if (c->reduce)
			reduce_element(c, to, bytes + k * size);
		else
			memcpy(to, bytes + k * size, size);
	}
	return true;
}

static bool copy_part(struct tensor_copy *c, uint64_t n)
{
	struct tensor_part p = tensor_part(&c->map, c->start, c->at, n);
	uint8_t *shared = lane_pointer(&c->shared, c->lane, p.shared), bytes[TENSOR_PART_BYTES];
	struct cta *cta;

	if (!shared)
		return false;
	if (!c->load)
		return write_elements(c, &p, shared);
	if (!read_elements(c, &p, bytes))
		return false;
	if (!c->shared.copy) {
		memcpy(shared, bytes, sizeof(bytes));
		return true;
	}
	cta = cluster_block(c->w, c->at);
	if (copies_hold(c->w, cta, (uint32_t)(shared - cta->shared), bytes, sizeof(bytes),
			c->barrier, NULL))
		return true;
	warp_fault(c->w, c->lane, MODEL_FAULT_HAZARD, c->w->pc, "out of memory");
	return false;
}

/* Returns false after a fault. */
static bool copy_box(struct tensor_copy *c)
{
	uint64_t bytes = tensor_box_bytes(&c->map);
	uint8_t *barrier = NULL;

	if (c->load && !(barrier = find_async_barrier(c->w, c->lane, c->at, c->barrier)))
		return false;
	for (uint64_t n = 0; n < bytes / TENSOR_PART_BYTES; n++)
		if (!copy_part(c, n))
			return false;
	if (barrier && !c->shared.copy)
		complete_bytes(c->w, c->lane, c->barrier, barrier, (uint32_t)bytes);
	return true;
}

/* Copies to the same offset in every block of the set. */
static void copy_multicast(const struct tensor_copy *c, uint32_t blocks)
{
	for (uint32_t rank = 0; blocks >> rank; rank++) {
		struct tensor_copy one = *c;

		one.at = address_in_block(c->at, rank);
		one.barrier = address_in_block(c->barrier, rank);
		if (blocks >> rank & 1 && !copy_box(&one))
			return;
	}
}

static bool check_copy(struct tensor_copy *c, uint64_t map)
{
	const char *why = tensor_start_fault(&c->map, c->start, c->load);

	if (why)
		return tensor_fault(c, "box of the tensor map", map, why);
	if (c->reduce && !is_reduction(c->map.type, c->how))
		return tensor_fault(c, "tensor map", map, "its type has no such reduction");
	return !(c->at % SHARED_ALIGN) || tensor_fault(c, "box", c->at, "not aligned to 128 bytes");
}

static void run_tensor_copy(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t rank = op->inst->mod[SASS_M_DIMS] + 1u, row = op->s[0].row;
	struct access any = {.w = w, .verb = "copy of a tensor"};
	struct tensor_copy c = {.w = w, .tensor = any, .shared = any, .load = op->data[0]};
	uint64_t map = uniform_pair(w, op, 1);

	if (!mask)
		return;
	c.lane = first_lane(mask);
	c.reduce = op->inst->op == SASS_UTMAREDG;
	c.how = op->inst->mod[SASS_M_ATOM];
	c.at = w->ur[row++];
	c.barrier = c.load ? w->ur[row++] : 0;
	memcpy(c.start, &w->ur[row], rank * sizeof(c.start[0]));
	if (!read_map(&c, map, rank) || !check_copy(&c, map))
		return;
	c.tensor.space = SPACE_GLOBAL;
	c.tensor.bytes = c.map.element_bytes;
	c.tensor.rights = c.load ? MODEL_READ : MODEL_WRITE;
	c.shared.space = c.load ? SPACE_CLUSTER : SPACE_SHARED;
	c.shared.bytes = TENSOR_PART_BYTES;
	c.shared.rights = c.load ? MODEL_WRITE : MODEL_READ;
	c.shared.copy = c.load && w->cta->copies;
	if (op->inst->mod[SASS_M_MULTICAST])
		copy_multicast(&c, w->ur[op->s[2].row] >> 16);
	else
		copy_box(&c);
}

static const char *prepare_tensor(struct op *op, const struct sass_inst *in)
{
	op->data[0] = in->op == SASS_UTMALDG || in->op == SASS_UTMALDG_MASK;
	return in->mod[SASS_M_IM2COL] ? "copies of tensors in im2col mode are not modelled" : NULL;
}

const struct op_row rows_tensor[] = {
	{SASS_UTMALDG, "ss", run_tensor_copy, NULL, prepare_tensor},
	{SASS_UTMALDG_MASK, "sss", run_tensor_copy, NULL, prepare_tensor},
	{SASS_UTMASTG, "ss", run_tensor_copy, NULL, prepare_tensor},
	{SASS_UTMAREDG, "ss", run_tensor_copy, NULL, prepare_tensor},
	{SASS_UTMAPF, "ss", run_nothing, NULL, NULL},
	{SASS_UTMACCTL, "s", run_nothing, NULL, NULL},
	OP_ROWS_END,
};
