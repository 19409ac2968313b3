// SPDX-License-Identifier: MIT
/* Copies of boxes of tensors. They arrive at once, as all bulk copies do here. */
#include <string.h>
#include "libsov/compiler/interp/interp_state.h"
#include "libsov/isa/tensor_map.h"

#define SHARED_ALIGN 128 /* of boxes in shared memory */

struct copy {
	struct tensor_map map;
	uint32_t start[TENSOR_MAP_RANK];
	bool load, reduce;
	struct ir_inst atom; /* that combines elements */
};

enum number { UNSIGNED, SIGNED, FLOAT };

static const struct {
	uint8_t number, type, format;
	uint16_t flags;
} types[TENSOR_TYPE_COUNT] = {
	[TENSOR_TYPE_U8] = {UNSIGNED, IR_B8, 0, 0},
	[TENSOR_TYPE_U16] = {UNSIGNED, IR_B16, 0, 0},
	[TENSOR_TYPE_U32] = {UNSIGNED, IR_B32, 0, 0},
	[TENSOR_TYPE_S32] = {SIGNED, IR_B32, 0, 0},
	[TENSOR_TYPE_U64] = {UNSIGNED, IR_B64, 0, 0},
	[TENSOR_TYPE_S64] = {SIGNED, IR_B64, 0, 0},
	[TENSOR_TYPE_F16] = {FLOAT, IR_B16, IR_BY_WIDTH, 0},
	[TENSOR_TYPE_BF16] = {FLOAT, IR_B16, IR_BF16, 0},
	[TENSOR_TYPE_F32] = {FLOAT, IR_B32, IR_BY_WIDTH, 0},
	[TENSOR_TYPE_F32_FTZ] = {FLOAT, IR_B32, IR_BY_WIDTH, IR_FTZ},
	[TENSOR_TYPE_F64] = {FLOAT, IR_B64, IR_BY_WIDTH, 0},
};

/* By enum ir_tensor, for numbers of each kind; IR_ATOM_COUNT: there is none. */
static const uint8_t atoms[IR_TENSOR_COUNT][3] = {
	[IR_TENSOR_ADD] = {IR_ATOM_ADD, IR_ATOM_ADD, IR_ATOM_FADD},
	[IR_TENSOR_MIN] = {IR_ATOM_MIN_U, IR_ATOM_MIN_S, IR_ATOM_FMIN},
	[IR_TENSOR_MAX] = {IR_ATOM_MAX_U, IR_ATOM_MAX_S, IR_ATOM_FMAX},
	[IR_TENSOR_INC] = {IR_ATOM_INC, IR_ATOM_COUNT, IR_ATOM_COUNT},
	[IR_TENSOR_DEC] = {IR_ATOM_DEC, IR_ATOM_COUNT, IR_ATOM_COUNT},
	[IR_TENSOR_AND] = {IR_ATOM_AND, IR_ATOM_AND, IR_ATOM_COUNT},
	[IR_TENSOR_OR] = {IR_ATOM_OR, IR_ATOM_OR, IR_ATOM_COUNT},
	[IR_TENSOR_XOR] = {IR_ATOM_XOR, IR_ATOM_XOR, IR_ATOM_COUNT},
};

/* The atomic of a reduction; false: an error, reported. */
static bool find_atom(struct interp *ip, struct interp_thread *t, const struct ir_inst *in,
		      struct copy *c)
{
	enum tensor_type type = c->map.type;
	uint8_t atom = atoms[in->sub][types[type].number];

	if (types[type].type < IR_B16 || type == TENSOR_TYPE_U16 || atom == IR_ATOM_COUNT)
		return interp_fail(ip, t, "the reduction does not exist for elements of type %u",
				   (unsigned)type);
	c->atom = (struct ir_inst){.op = IR_ATOM,
				   .sub = atom,
				   .type = types[type].type,
				   .format = types[type].format,
				   .flags = types[type].flags};
	return true;
}

/* Combines an element with the tensor's. */
static bool reduce_element(struct interp *ip, struct interp_thread *t, const struct copy *c,
			   const struct interp_location *at, const struct interp_location *shared)
{
	uint64_t old = 0, x = 0;

	for (uint32_t k = 0; k < c->map.element_bytes; k++)
		if (shared->written && !shared->written[k])
			return interp_fail(ip, t, "an atomic operation on an undefined value");
	memcpy(&old, at->host, c->map.element_bytes);
	memcpy(&x, shared->host, c->map.element_bytes);
	old = interp_combine(&c->atom, old, x);
	memcpy(at->host, &old, c->map.element_bytes);
	return true;
}

static bool read_map(struct interp *ip, struct interp_thread *t, uint64_t address,
		     struct tensor_map *map, uint32_t rank)
{
	uint32_t words[TENSOR_MAP_WORDS];
	struct interp_location loc;
	const char *fault;

	if (address % TENSOR_MAP_ALIGN)
		return interp_fail(ip, t,
				   "the tensor map's address 0x%llx is not aligned to %u bytes",
				   (unsigned long long)address, TENSOR_MAP_ALIGN);
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
	if (!interp_translate(ip, t, IR_SHARED_CLUSTER, p->shared + k * bytes, bytes, c->load,
			      &shared) ||
	    (inside && !interp_translate(ip, t, IR_GLOBAL, p->address + (uint64_t)k * bytes, bytes,
					 !c->load, &at)))
		return false;
	if (c->reduce)
		return reduce_element(ip, t, c, &at, &shared);
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

/* Copies the box to a place in shared memory, and completes its bytes at a barrier there. */
static bool copy_box(struct interp *ip, struct interp_thread *t, const struct copy *c,
		     uint32_t shared, uint64_t barrier)
{
	uint64_t bytes = tensor_box_bytes(&c->map);

	for (uint64_t n = 0; n < bytes / TENSOR_PART_BYTES; n++) {
		struct tensor_part p = tensor_part(&c->map, c->start, shared, n);

		for (uint32_t k = 0; k < TENSOR_PART_BYTES / c->map.element_bytes; k++)
			if (!copy_element(ip, t, c, &p, k))
				return false;
	}
	return !c->load || interp_complete_bytes(ip, t, barrier, bytes);
}

static bool multicast(struct interp *ip, struct interp_thread *t, const struct copy *c,
		      uint64_t shared, uint64_t barrier, uint64_t blocks)
{
	if (!interp_check_blocks(ip, t, blocks))
		return false;
	for (uint32_t rank = 0; blocks >> rank; rank++)
		if (blocks >> rank & 1 &&
		    !copy_box(ip, t, c, (uint32_t)interp_in_block(shared, rank),
			      interp_in_block(barrier, rank)))
			return false;
	return true;
}

bool interp_tensor_copy(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	struct copy c = {.load = in->sub == IR_TENSOR_LOAD, .reduce = in->sub >= IR_TENSOR_ADD};
	uint32_t rank = (uint32_t)in->imm & IR_TENSOR_RANK, first = ir_tensor_coordinates(in);
	uint64_t shared, barrier;
	const char *fault;

	if (!interp_check_operands(ip, t, in))
		return false;
	if (in->imm & IR_TENSOR_IM2COL)
		return interp_fail(ip, t, "copies of tensors in im2col mode are not interpreted");
	if (!read_map(ip, t, t->values[in->args[0]].bits, &c.map, rank) ||
	    (c.reduce && !find_atom(ip, t, in, &c)))
		return false;
	shared = t->values[in->args[1]].bits;
	barrier = c.load ? t->values[in->args[2]].bits : 0;
	if (shared % SHARED_ALIGN)
		return interp_fail(ip, t, "the box at 0x%llx is not aligned to %u bytes",
				   (unsigned long long)shared, SHARED_ALIGN);
	for (uint32_t d = 0; d < rank; d++)
		c.start[d] = (uint32_t)t->values[in->args[first + d]].bits;
	fault = tensor_start_fault(&c.map, c.start, c.load);
	if (fault)
		return interp_fail(ip, t,
				   "the box of the tensor map at 0x%llx cannot be copied: %s",
				   (unsigned long long)t->values[in->args[0]].bits, fault);
	if (in->imm & IR_TENSOR_MULTICAST)
		return multicast(ip, t, &c, shared, barrier,
				 t->values[in->args[ir_data_args(in) - 1]].bits & UINT16_MAX);
	return (!c.load || interp_check_same_block(ip, t, shared, barrier)) &&
	       copy_box(ip, t, &c, (uint32_t)shared, barrier);
}
