/* SPDX-License-Identifier: MIT */
/*
 * Copies of a box of a tensor, as a tensor map describes them (PTX ISA, "Tensors"). In shared
 * memory the box is dense, dimension 0 first; elements outside of the tensor are zero there, and
 * are not written to the tensor. A copy consists of parts of 16 bytes, whose elements are
 * neighbours in dimension 0. Swizzling exchanges the parts: bits 4 to 6 of an address in shared
 * memory are exclusively ORed with bits 7 to 9, or only the lower one or two of them.
 */
#ifndef SOV_ISA_TENSOR_MAP_H
#define SOV_ISA_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "libsov/isa/tensor_map_layout.h"

#define TENSOR_PART_BYTES 16

struct tensor_map {
	uint64_t address;
	uint64_t size[TENSOR_MAP_RANK];   /* elements */
	uint64_t stride[TENSOR_MAP_RANK]; /* bytes; that of dimension 0 is an element's */
	uint32_t box[TENSOR_MAP_RANK];    /* elements, counted before steps are left out */
	uint32_t step[TENSOR_MAP_RANK];   /* every step-th element is copied */
	uint32_t rank, element_bytes;
	enum tensor_type type;
	uint8_t swizzle; /* bits that are exchanged: 0 to 3 */
	uint8_t interleave;
	bool fills_nan;
};

/* Returns NULL, or why boxes of the tensor cannot be copied. */
const char *tensor_map_unpack(struct tensor_map *m, const uint32_t words[TENSOR_MAP_WORDS]);
void tensor_map_pack(const struct tensor_map *m, uint32_t words[TENSOR_MAP_WORDS]);

/* Returns NULL, or why an H200 stops a copy of the box at these coordinates: the first byte of its
 * rows is at a multiple of 16 in its dimension, and only loads take negative coordinates. */
const char *tensor_start_fault(const struct tensor_map *m, const uint32_t start[TENSOR_MAP_RANK],
			       bool load);

/* Elements that are copied along a dimension. */
uint32_t tensor_copied(const struct tensor_map *m, uint32_t dimension);
uint64_t tensor_box_bytes(const struct tensor_map *m);

struct tensor_part {
	uint64_t address; /* of the first element in global memory */
	uint32_t shared;  /* address in shared memory */
	uint32_t inside;  /* bit n: element n is in the tensor */
	uint32_t stored;  /* … is what an H200 stores to: all of the part, if the first is */
};

/* Part number n of the box that starts at these coordinates. */
struct tensor_part tensor_part(const struct tensor_map *m, const uint32_t start[TENSOR_MAP_RANK],
			       uint32_t shared, uint64_t n);

#endif
