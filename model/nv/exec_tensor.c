// SPDX-License-Identifier: MIT
/* Copies of boxes of tensors (SM90). In hazard mode a load arrives when its barrier is tested, as
 * every bulk copy. */
#include <string.h>

#include "libsov/isa/tensor_map.h"
#include "model/nv/exec_memory.h"

#define SHARED_ALIGN 128 /* of boxes */
#define MAP_HALF     (NV_TENSOR_MAP_BYTES / 2)

struct tensor_copy {
	struct warp *w;
	struct tensor_map map;
	struct access tensor, shared;
	uint32_t start[NV_TENSOR_MAP_RANK];
	uint32_t at, barrier, lane;
	bool load;
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
	uint32_t words[NV_TENSOR_MAP_WORDS];
	const char *why;

	for (uint32_t k = 0; k < NV_TENSOR_MAP_BYTES; k += MAP_HALF) {
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

static bool write_elements(struct tensor_copy *c, const struct tensor_part *p, const uint8_t *bytes)
{
	uint32_t size = c->map.element_bytes;

	for (uint32_t k = 0; k < TENSOR_PART_BYTES / size; k++) {
		uint8_t *to;

		if (!(p->inside >> k & 1))
			continue;
		to = lane_pointer(&c->tensor, c->lane, p->address + (uint64_t)k * size);
		if (!to)
			return false;
		memcpy(to, bytes + k * size, size);
	}
	return true;
}

static bool copy_part(struct tensor_copy *c, uint64_t n)
{
	struct tensor_part p = tensor_part(&c->map, c->start, c->at, n);
	uint8_t *shared = lane_pointer(&c->shared, c->lane, p.shared), bytes[TENSOR_PART_BYTES];

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
	if (copies_hold(c->w, (uint32_t)(shared - c->w->cta->shared), bytes, sizeof(bytes),
			c->barrier))
		return true;
	warp_fault(c->w, c->lane, MODEL_FAULT_HAZARD, c->w->pc, "out of memory");
	return false;
}

static void run_tensor_copy(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t rank = op->inst->mod[SASS_M_DIMS] + 1u, row = op->s[0].row;
	struct access any = {.w = w, .verb = "copy of a tensor"};
	struct tensor_copy c = {.w = w, .tensor = any, .shared = any, .load = op->data[0]};
	uint64_t bytes;

	if (!mask)
		return;
	c.lane = first_lane(mask);
	c.at = w->ur[row++];
	c.barrier = c.load ? w->ur[row++] : 0;
	memcpy(c.start, &w->ur[row], rank * sizeof(c.start[0]));
	if (!read_map(&c, uniform_pair(w, op, 1), rank))
		return;
	if (c.at % SHARED_ALIGN) {
		tensor_fault(&c, "box", c.at, "not aligned to 128 bytes");
		return;
	}
	c.tensor.space = SPACE_GLOBAL;
	c.tensor.bytes = c.map.element_bytes;
	c.tensor.rights = c.load ? MODEL_READ : MODEL_WRITE;
	c.shared.space = SPACE_SHARED;
	c.shared.bytes = TENSOR_PART_BYTES;
	c.shared.rights = c.load ? MODEL_WRITE : MODEL_READ;
	c.shared.copy = c.load && w->cta->copies;
	bytes = tensor_box_bytes(&c.map);
	for (uint64_t n = 0; n < bytes / TENSOR_PART_BYTES; n++)
		if (!copy_part(&c, n))
			return;
	if (c.load)
		barrier_complete(w, c.lane, c.barrier, (uint32_t)bytes, c.shared.copy);
}

static void run_nothing(struct warp *w, const struct op *op, uint32_t mask)
{
	(void)w;
	(void)op;
	(void)mask;
}

static const char *prepare_tensor(struct op *op, const struct sass_inst *in)
{
	op->data[0] = in->op == SASS_UTMALDG || in->op == SASS_UTMALDG_MASK;
	if (in->mod[SASS_M_IM2COL])
		return "copies of tensors in im2col mode are not modelled";
	return in->mod[SASS_M_MULTICAST] ? "copies of tensors to several blocks are not modelled"
					 : NULL;
}

static const char *prepare_reduction(struct op *op, const struct sass_inst *in)
{
	(void)op;
	(void)in;
	return "reductions of tensors are not modelled";
}

const struct op_row rows_tensor[] = {
	{SASS_UTMALDG, "ss", run_tensor_copy, NULL, prepare_tensor},
	{SASS_UTMALDG_MASK, "sss", run_tensor_copy, NULL, prepare_tensor},
	{SASS_UTMASTG, "ss", run_tensor_copy, NULL, prepare_tensor},
	{SASS_UTMAREDG, "ss", run_nothing, NULL, prepare_reduction},
	{SASS_UTMAPF, "ss", run_nothing, NULL, NULL},
	{SASS_UTMACCTL, "s", run_nothing, NULL, NULL},
	OP_ROWS_END,
};
