// SPDX-License-Identifier: MIT
/* Copies of boxes of tensors. They arrive at once, as all bulk copies do here. */
#include <string.h>
#include "libsov/compiler/interp/interp_state.h"
#include "libsov/isa/tensor_map.h"

#define SHARED_ALIGN 128 /* of boxes in shared memory */

struct copy {
	struct tensor_map map;
	uint32_t start[NV_TENSOR_MAP_RANK];
	bool load;
};

static bool read_map(struct interp *ip, struct interp_thread *t, uint64_t address,
		     struct tensor_map *map, uint32_t rank)
{
	uint32_t words[NV_TENSOR_MAP_WORDS];
	struct interp_location loc;
	const char *fault;

	if (address % NV_TENSOR_MAP_ALIGN)
		return interp_fail(ip, t, "the tensor map's address 0x%llx is not aligned to %u bytes",
				   (unsigned long long)address, NV_TENSOR_MAP_ALIGN);
	if (!interp_translate(ip, t, IR_GENERIC_SPACE, address, sizeof(words), false, &loc))
		return false;
	memcpy(words, loc.host, sizeof(words));
	fault = tensor_map_unpack(map, words);
	if (fault)
		return interp_fail(ip, t, "the tensor map at 0x%llx cannot be used: %s",
				   (unsigned long long)address, fault);
	if (map->rank == rank)
		return true;
	return interp_fail(ip, t, "the tensor map at 0x%llx has %u dimensions, not %u",
			   (unsigned long long)address, map->rank, rank);
}

/* Copies one element of a part, or fills it with zeros. */
static bool copy_element(struct interp *ip, struct interp_thread *t, const struct copy *c,
			 const struct tensor_part *p, uint32_t k)
{
	uint32_t bytes = c->map.element_bytes;
	struct interp_location at, shared;
	bool inside = p->inside >> k & 1;

	if (!inside && !c->load)
		return true;
	if (!interp_translate(ip, t, IR_SHARED, p->shared + k * bytes, bytes, c->load, &shared) ||
	    (inside && !interp_translate(ip, t, IR_GLOBAL, p->address + (uint64_t)k * bytes, bytes,
					 !c->load, &at)))
		return false;
	if (!c->load)
		memcpy(at.host, shared.host, bytes);
	else if (inside)
		memcpy(shared.host, at.host, bytes);
	else
		memset(shared.host, 0, bytes);
	if (c->load && shared.written)
		memset(shared.written, true, bytes);
	return true;
}

static bool copy_box(struct interp *ip, struct interp_thread *t, const struct copy *c,
		     uint32_t shared)
{
	uint64_t parts = tensor_box_bytes(&c->map) / TENSOR_PART_BYTES;

	for (uint64_t n = 0; n < parts; n++) {
		struct tensor_part p = tensor_part(&c->map, c->start, shared, n);

		for (uint32_t k = 0; k < TENSOR_PART_BYTES / c->map.element_bytes; k++)
			if (!copy_element(ip, t, c, &p, k))
				return false;
	}
	return true;
}

bool interp_tensor_copy(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	struct copy c = {.load = in->sub == IR_TENSOR_LOAD};
	uint32_t rank = (uint32_t)in->imm & IR_TENSOR_RANK, first = ir_tensor_coordinates(in);
	uint64_t shared;

	if (!interp_check_operands(ip, t, in))
		return false;
	if (in->imm & (IR_TENSOR_IM2COL | IR_TENSOR_MULTICAST))
		return interp_fail(ip, t, "copies of tensors %s are not interpreted",
				   in->imm & IR_TENSOR_IM2COL ? "in im2col mode"
							      : "to several blocks");
	if (!read_map(ip, t, t->values[in->args[0]].bits, &c.map, rank))
		return false;
	shared = t->values[in->args[1]].bits;
	if (shared % SHARED_ALIGN)
		return interp_fail(ip, t, "the box at 0x%llx is not aligned to %u bytes",
				   (unsigned long long)shared, SHARED_ALIGN);
	for (uint32_t d = 0; d < rank; d++)
		c.start[d] = (uint32_t)t->values[in->args[first + d]].bits;
	if (!copy_box(ip, t, &c, (uint32_t)shared))
		return false;
	return !c.load || interp_complete_bytes(ip, t, t->values[in->args[2]].bits,
						tensor_box_bytes(&c.map));
}
