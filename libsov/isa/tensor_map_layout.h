/* SPDX-License-Identifier: MIT */
/*
 * Layout of a tensor map of PTX: 128 bytes, aligned to 64, which describe a tensor in global memory
 * and a box of it. Source: the code that ptxas 12.4 and 13.0 emit for tensormap.replace, which
 * loads, changes and stores the words that hold a field. An H200 takes maps whose other bits are 0.
 * CUDA's encoder also writes words 16 and 18, and the bits of im2col mode and of the promotion in
 * L2.
 */
#ifndef SOV_ISA_TENSOR_MAP_LAYOUT_H
#define SOV_ISA_TENSOR_MAP_LAYOUT_H

#define TENSOR_MAP_BYTES 128
#define TENSOR_MAP_ALIGN 64
#define TENSOR_MAP_WORDS 32
#define TENSOR_MAP_RANK  5 /* dimensions at most */

/* A field: its word, its lowest bit there and its number of bits. */
#define TENSOR_MAP_ADDRESS       0  /* 64 bits, in words 0 and 1 */
#define TENSOR_MAP_LAYOUT        2  /* the word with the next fields */
#define TENSOR_MAP_RANK_AT       4  /* 3 bits: dimensions less 1 */
#define TENSOR_MAP_TYPE_AT       7  /* 4 bits: TENSOR_TYPE_* */
#define TENSOR_MAP_INTERLEAVE_AT 11 /* 2 bits: none, 16 bytes, 32 bytes */
#define TENSOR_MAP_SWIZZLE_AT    13 /* 2 bits: none, 32, 64, 128 bytes */
#define TENSOR_MAP_FILL_AT       15 /* 1 bit: zeros, or NaNs, outside of the tensor */
#define TENSOR_MAP_TF32_AT       16 /* 1 bit: elements of type .f32 or .f32.ftz are .tf32 */
#define TENSOR_MAP_SWIZZLE_96    22 /* 1 bit, which replacing the swizzle clears */
/* Strides of dimensions 1 to 4, in units of 16 bytes: a word each, and 4 bits each in word 7. */
#define TENSOR_MAP_STRIDE        3
#define TENSOR_MAP_STRIDE_UNIT   16
#define TENSOR_MAP_STRIDE_HIGH   7
#define TENSOR_MAP_SIZE          8  /* sizes of dimensions 0 to 4, less 1: a word each */
#define TENSOR_MAP_STEP          13 /* steps of dimensions 0 to 4, less 1: 3 bits each */
#define TENSOR_MAP_BOX_0_AT      24 /* size of the box less 1: bits 24 to 31 of word 13 */
#define TENSOR_MAP_BOX           14 /* … and of dimensions 1 to 4: 8 bits each */

/* X(name, bytes): types of elements, in the order of the PTX manual (tensormap.replace). */
/* clang-format off */
#define TENSOR_TYPES(X) \
	X(U8, 1) X(U16, 2) X(U32, 4) X(S32, 4) X(U64, 8) X(S64, 8) X(F16, 2) X(F32, 4) \
	X(F32_FTZ, 4) X(F64, 8) X(BF16, 2) X(TF32, 4) X(TF32_FTZ, 4)
/* clang-format on */
#define TENSOR_TYPE_(name, bytes) TENSOR_TYPE_##name,
enum tensor_type { TENSOR_TYPES(TENSOR_TYPE_) TENSOR_TYPE_COUNT };
#undef TENSOR_TYPE_

/* A map has .tf32 as the type with this number less, and a bit of its own. */
#define TENSOR_TYPE_TF32_IS 4

#endif
