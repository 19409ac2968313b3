// SPDX-License-Identifier: MIT
#include "libsov/isa/tensor_map.h"

#include <string.h>

#define TENSOR_BYTES_(name, bytes) bytes,
static const uint8_t type_bytes[] = {TENSOR_TYPES(TENSOR_BYTES_)};

static uint32_t field(uint32_t word, uint32_t at, uint32_t bits)
{
	return word >> at & ((1u << bits) - 1);
}

static void unpack_dimension(struct tensor_map *m, const uint32_t *words, uint32_t d)
{
	uint64_t high;

	m->size[d] = (uint64_t)words[TENSOR_MAP_SIZE + d] + 1;
	m->step[d] = field(words[TENSOR_MAP_STEP], 3 * d, 3) + 1;
	if (!d) {
		m->stride[0] = m->element_bytes;
		m->box[0] = field(words[TENSOR_MAP_STEP], TENSOR_MAP_BOX_0_AT, 8) + 1;
		return;
	}
	high = field(words[TENSOR_MAP_STRIDE_HIGH], 4 * (d - 1), 4);
	m->stride[d] = (high << 32 | words[TENSOR_MAP_STRIDE + d - 1]) * TENSOR_MAP_STRIDE_UNIT;
	m->box[d] = field(words[TENSOR_MAP_BOX], 8 * (d - 1), 8) + 1;
}

/* Returns TENSOR_TYPE_COUNT for an unknown type. */
static enum tensor_type unpack_type(uint32_t layout)
{
	uint32_t type = field(layout, TENSOR_MAP_TYPE_AT, 4);
	bool tf32 = field(layout, TENSOR_MAP_TF32_AT, 1);

	if (type >= TENSOR_TYPE_TF32 || (tf32 && type + TENSOR_TYPE_TF32_IS < TENSOR_TYPE_TF32))
		return TENSOR_TYPE_COUNT;
	if (tf32)
		type += TENSOR_TYPE_TF32_IS;
	return type < TENSOR_TYPE_COUNT ? (enum tensor_type)type : TENSOR_TYPE_COUNT;
}

static uint32_t pack_type(enum tensor_type type)
{
	if (type < TENSOR_TYPE_TF32)
		return (uint32_t)type << TENSOR_MAP_TYPE_AT;
	return (uint32_t)(type - TENSOR_TYPE_TF32_IS) << TENSOR_MAP_TYPE_AT |
	       1u << TENSOR_MAP_TF32_AT;
}

const char *tensor_map_unpack(struct tensor_map *m, const uint32_t words[TENSOR_MAP_WORDS])
{
	uint32_t layout = words[TENSOR_MAP_LAYOUT];

	memset(m, 0, sizeof(*m));
	m->address = (uint64_t)words[TENSOR_MAP_ADDRESS + 1] << 32 | words[TENSOR_MAP_ADDRESS];
	m->rank = field(layout, TENSOR_MAP_RANK_AT, 3) + 1;
	m->type = unpack_type(layout);
	m->interleave = (uint8_t)field(layout, TENSOR_MAP_INTERLEAVE_AT, 2);
	m->swizzle = (uint8_t)field(layout, TENSOR_MAP_SWIZZLE_AT, 2);
	m->fills_nan = field(layout, TENSOR_MAP_FILL_AT, 1);
	if (m->rank > TENSOR_MAP_RANK)
		return "it has more than five dimensions";
	if (m->type >= TENSOR_TYPE_COUNT)
		return "it has no known type of elements";
	m->element_bytes = type_bytes[m->type];
	for (uint32_t d = 0; d < m->rank; d++)
		unpack_dimension(m, words, d);
	m->step[0] = 1; /* dimension 0 has none without interleaving */
	if (m->interleave)
		return "it is interleaved, which is not modelled";
	if (m->fills_nan)
		return "it fills with NaNs, which is not modelled";
	if (m->address % TENSOR_PART_BYTES)
		return "its address is not aligned to 16 bytes";
	if (m->box[0] * m->element_bytes % TENSOR_PART_BYTES)
		return "a row of its box is not a multiple of 16 bytes";
	if (m->swizzle && m->box[0] * m->element_bytes > 16u << m->swizzle)
		return "a row of its box is longer than the swizzle";
	return NULL;
}

void tensor_map_pack(const struct tensor_map *m, uint32_t words[TENSOR_MAP_WORDS])
{
	memset(words, 0, TENSOR_MAP_BYTES);
	words[TENSOR_MAP_ADDRESS] = (uint32_t)m->address;
	words[TENSOR_MAP_ADDRESS + 1] = (uint32_t)(m->address >> 32);
	words[TENSOR_MAP_LAYOUT] = (m->rank - 1) << TENSOR_MAP_RANK_AT | pack_type(m->type) |
				   (uint32_t)m->interleave << TENSOR_MAP_INTERLEAVE_AT |
				   (uint32_t)m->swizzle << TENSOR_MAP_SWIZZLE_AT |
				   (uint32_t)m->fills_nan << TENSOR_MAP_FILL_AT;
	for (uint32_t d = 0; d < m->rank; d++) {
		uint64_t stride = m->stride[d] / TENSOR_MAP_STRIDE_UNIT;

		words[TENSOR_MAP_SIZE + d] = (uint32_t)(m->size[d] - 1);
		words[TENSOR_MAP_STEP] |= (m->step[d] - 1) << 3 * d;
		if (!d) {
			words[TENSOR_MAP_STEP] |= (m->box[0] - 1) << TENSOR_MAP_BOX_0_AT;
			continue;
		}
		words[TENSOR_MAP_STRIDE + d - 1] = (uint32_t)stride;
		words[TENSOR_MAP_STRIDE_HIGH] |= (uint32_t)(stride >> 32) << 4 * (d - 1);
		words[TENSOR_MAP_BOX] |= (m->box[d] - 1) << 8 * (d - 1);
	}
}

const char *tensor_start_fault(const struct tensor_map *m, const uint32_t start[TENSOR_MAP_RANK],
			       bool load)
{
	if (start[0] * m->element_bytes % TENSOR_PART_BYTES)
		return "its first coordinate is not at a multiple of 16 bytes";
	for (uint32_t d = 0; !load && d < m->rank; d++)
		if ((int32_t)start[d] < 0)
			return "a coordinate is negative, which only loads take";
	return NULL;
}

uint32_t tensor_copied(const struct tensor_map *m, uint32_t dimension)
{
	return (m->box[dimension] + m->step[dimension] - 1) / m->step[dimension];
}

uint64_t tensor_box_bytes(const struct tensor_map *m)
{
	uint64_t bytes = m->element_bytes;

	for (uint32_t d = 0; d < m->rank; d++)
		bytes *= tensor_copied(m, d);
	return bytes;
}

static uint32_t swizzled(const struct tensor_map *m, uint32_t shared)
{
	return shared ^ (shared >> 7 & ((1u << m->swizzle) - 1)) << 4;
}

/* Coordinates and sums of them are modulo 2^32, and signed. */
struct tensor_part tensor_part(const struct tensor_map *m, const uint32_t start[TENSOR_MAP_RANK],
			       uint32_t shared, uint64_t n)
{
	uint32_t elements = TENSOR_PART_BYTES / m->element_bytes,
		 parts = m->box[0] / elements; /* of a row */
	struct tensor_part p = {.shared = swizzled(m, shared + (uint32_t)n * TENSOR_PART_BYTES)};
	uint32_t at = start[0] + (uint32_t)(n % parts) * elements;
	bool row = true;

	p.address = m->address + (uint64_t)(int64_t)(int32_t)at * m->element_bytes;
	n /= parts;
	for (uint32_t d = 1; d < m->rank; d++) {
		uint32_t count = tensor_copied(m, d),
			 c = start[d] + (uint32_t)(n % count) * m->step[d];

		n /= count;
		row &= (int32_t)c >= 0 && c < m->size[d];
		p.address += (uint64_t)(int64_t)(int32_t)c * m->stride[d];
	}
	for (uint32_t k = 0; row && k < elements; k++)
		p.inside |= (uint32_t)((int32_t)(at + k) >= 0 && at + k < m->size[0]) << k;
	p.stored = p.inside & 1 ? (1u << elements) - 1 : 0;
	return p;
}
