/* SPDX-License-Identifier: MIT */
/*
 * Texture headers and samplers: 32 bytes each, in two pools whose addresses methods of the compute
 * class set. A handle is the number of a header in bits 0 to 19 and of a sampler in bits 20 to 31,
 * as CUDA's (bindless textures in unified mode). Launches whose descriptor says SAMPLER_BY_HEADER
 * take the header's number for both.
 *
 * open-gpu-doc classes/3d/clc397tex.h (Volta), clc597tex.h, clc697tex.h, clc997tex.h and clcb97tex.h
 * (Hopper): TEXHEAD_BL, TEXHEAD_PITCH, TEXHEAD_1D and TEXSAMP, which all of them have. Mesa's
 * nil/descriptor.rs: biases and limits of levels have 8 bits of fraction, and a sampler's unnormalized
 * coordinates are ignored where the header has several levels. Hopper also has a second version of headers; that a channel begins with the first is an assumption.
 */
#ifndef HW_NV_TEXTURE_H
#define HW_NV_TEXTURE_H

#define NV_TEXTURE_BYTES         32
#define NV_TEXTURE_WORDS         8
#define NV_TEXTURE_HEADER_BITS   20 /* of a handle */
#define NV_TEXTURE_SAMPLER_SHIFT 20

/* Fields: first and last bit of the header. */
#define NV_TEXHEAD_COMPONENTS    0, 6
#define NV_TEXHEAD_R_TYPE        7, 9 /* G, B and A follow */
#define NV_TEXHEAD_G_TYPE        10, 12
#define NV_TEXHEAD_B_TYPE        13, 15
#define NV_TEXHEAD_A_TYPE        16, 18
#define NV_TEXHEAD_X_SOURCE      19, 21
#define NV_TEXHEAD_Y_SOURCE      22, 24
#define NV_TEXHEAD_Z_SOURCE      25, 27
#define NV_TEXHEAD_W_SOURCE      28, 30
#define NV_TEXHEAD_ADDRESS_LOW   32, 63 /* pitch: a multiple of 32; block-linear: of 512 */
#define NV_TEXHEAD_ADDRESS_HIGH  64, 80
#define NV_TEXHEAD_VERSION       85, 87
#define NV_TEXHEAD_MAX_LEVEL     124, 127 /* block-linear: the last level in memory */
#define NV_TEXHEAD_PITCH         96, 111  /* pitch / 32 */
#define NV_TEXHEAD_BLOCK_WIDTH   96, 98   /* block-linear: logarithms of numbers of blocks */
#define NV_TEXHEAD_BLOCK_HEIGHT  99, 101
#define NV_TEXHEAD_BLOCK_DEPTH   102, 104
#define NV_TEXHEAD_WIDTH_HIGH_1D 96, 111 /* one dimension: width - 1, bits 16 to 31 */
#define NV_TEXHEAD_WIDTH_LOW_1D  128, 143
#define NV_TEXHEAD_WIDTH         128, 144 /* width - 1 */
#define NV_TEXHEAD_DEPTH_BIT14   145, 145
#define NV_TEXHEAD_HEIGHT_BIT16  146, 146
#define NV_TEXHEAD_SRGB          150, 150
#define NV_TEXHEAD_TYPE          151, 154
#define NV_TEXHEAD_BORDER        157, 159 /* not of one dimension in linear memory */
#define NV_TEXHEAD_HEIGHT        160, 175 /* height - 1 */
#define NV_TEXHEAD_DEPTH         176, 189 /* depth - 1: slices, layers, or cubes */
#define NV_TEXHEAD_NORMALIZED    191, 191
#define NV_TEXHEAD_FIRST_LEVEL   224, 227 /* RES_VIEW: the levels that are read */
#define NV_TEXHEAD_LAST_LEVEL    228, 231

#define NV_TEXHEAD_VERSION_1D           0
#define NV_TEXHEAD_VERSION_PITCH        2
#define NV_TEXHEAD_VERSION_BLOCK_LINEAR 3

#define NV_TEXHEAD_SIZES_32_32_32_32 0x01
#define NV_TEXHEAD_SIZES_16_16_16_16 0x03
#define NV_TEXHEAD_SIZES_32_32       0x04
#define NV_TEXHEAD_SIZES_8_8_8_8     0x08
#define NV_TEXHEAD_SIZES_10_10_10_2  0x09 /* A2B10G10R10 */
#define NV_TEXHEAD_SIZES_16_16       0x0c
#define NV_TEXHEAD_SIZES_32          0x0f
#define NV_TEXHEAD_SIZES_8_8         0x18
#define NV_TEXHEAD_SIZES_16          0x1b
#define NV_TEXHEAD_SIZES_8           0x1d
#define NV_TEXHEAD_SIZES_11_11_10    0x21 /* BF10GF11RF11 */
#define NV_TEXHEAD_SIZES_ZF32        0x2f /* of depths, which are compared */
#define NV_TEXHEAD_SIZES_Z16         0x3a

#define NV_TEXHEAD_NUM_SNORM 1
#define NV_TEXHEAD_NUM_UNORM 2
#define NV_TEXHEAD_NUM_SINT  3
#define NV_TEXHEAD_NUM_UINT  4
#define NV_TEXHEAD_NUM_FLOAT 7

#define NV_TEXHEAD_IN_ZERO      0
#define NV_TEXHEAD_IN_R         2
#define NV_TEXHEAD_IN_ONE_INT   6
#define NV_TEXHEAD_IN_ONE_FLOAT 7

#define NV_TEXHEAD_ONE_D           0
#define NV_TEXHEAD_TWO_D           1
#define NV_TEXHEAD_THREE_D         2
#define NV_TEXHEAD_CUBE            3
#define NV_TEXHEAD_ONE_D_ARRAY     4
#define NV_TEXHEAD_TWO_D_ARRAY     5
#define NV_TEXHEAD_ONE_D_BUFFER    6
#define NV_TEXHEAD_TWO_D_NO_MIPMAP 7
#define NV_TEXHEAD_CUBE_ARRAY      8

#define NV_TEXHEAD_BORDER_OF_SAMPLER 7 /* 0 to 3: 1 to 8 texels around the texture, in memory */

/* Of a sampler: words 0 and 1; words 4 to 7 are the border's colour. */
#define NV_TEXSAMP_ADDRESS_U      0, 2 /* V and P follow */
#define NV_TEXSAMP_ADDRESS_V      3, 5
#define NV_TEXSAMP_ADDRESS_P      6, 8
#define NV_TEXSAMP_COMPARE        9, 9
#define NV_TEXSAMP_COMPARE_FUNC   10, 12 /* of the operand with a depth, from never to always */
#define NV_TEXSAMP_MAX_ANISOTROPY 20, 22 /* 0: none */
#define NV_TEXSAMP_MAG_FILTER     32, 34
#define NV_TEXSAMP_MIN_FILTER     36, 37
#define NV_TEXSAMP_MIP_FILTER     38, 39
#define NV_TEXSAMP_BIAS           44, 56 /* MIP_LOD_BIAS: signed, in 1/256 of a level */
#define NV_TEXSAMP_UNNORMALIZED   57, 57 /* FORCE_UNNORMALIZED_COORDS */
#define NV_TEXSAMP_MIN_LEVEL      64, 75 /* LOD clamps: in 1/256 */
#define NV_TEXSAMP_MAX_LEVEL      76, 87
#define NV_TEXSAMP_BORDER         4 /* word */
#define NV_TEXSAMP_WRAP           0
#define NV_TEXSAMP_MIRROR         1
#define NV_TEXSAMP_CLAMP_TO_EDGE  2
#define NV_TEXSAMP_TO_BORDER      3
#define NV_TEXSAMP_POINT          1
#define NV_TEXSAMP_LINEAR         2
#define NV_TEXSAMP_MIP_NONE       1
#define NV_TEXSAMP_MIP_POINT      2
#define NV_TEXSAMP_MIP_LINEAR     3

static inline void nv_texture_set(unsigned int *words, unsigned int first, unsigned int last,
				  unsigned int value)
{
	unsigned int width = last - first + 1, mask = width == 32 ? ~0u : (1u << width) - 1;

	words[first / 32] &= ~(mask << first % 32);
	words[first / 32] |= (value & mask) << first % 32;
}

static inline unsigned int nv_texture_get(const unsigned int *words, unsigned int first,
					  unsigned int last)
{
	unsigned int width = last - first + 1, mask = width == 32 ? ~0u : (1u << width) - 1;

	return words[first / 32] >> first % 32 & mask;
}

#endif
