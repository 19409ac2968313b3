/* SPDX-License-Identifier: MIT */
/* Numbers of the set GLSL.std.450, and what its files share. */
#ifndef SOV_COMPILER_SPIRV_GLSL_H
#define SOV_COMPILER_SPIRV_GLSL_H

#include "libsov/compiler/spirv/front_end.h"

/* clang-format off */
enum glsl_function {
	GLSL_ROUND = 1,
	GLSL_ROUND_EVEN = 2,
	GLSL_TRUNC = 3,
	GLSL_F_ABS = 4,
	GLSL_S_ABS = 5,
	GLSL_F_SIGN = 6,
	GLSL_S_SIGN = 7,
	GLSL_FLOOR = 8,
	GLSL_CEIL = 9,
	GLSL_FRACT = 10,
	GLSL_RADIANS = 11,
	GLSL_DEGREES = 12,
	GLSL_SIN = 13,
	GLSL_COS = 14,
	GLSL_TAN = 15,
	GLSL_ASIN = 16,
	GLSL_ACOS = 17,
	GLSL_ATAN = 18,
	GLSL_SINH = 19,
	GLSL_COSH = 20,
	GLSL_TANH = 21,
	GLSL_ASINH = 22,
	GLSL_ACOSH = 23,
	GLSL_ATANH = 24,
	GLSL_ATAN2 = 25,
	GLSL_POW = 26,
	GLSL_EXP = 27,
	GLSL_LOG = 28,
	GLSL_EXP2 = 29,
	GLSL_LOG2 = 30,
	GLSL_SQRT = 31,
	GLSL_INVERSE_SQRT = 32,
	GLSL_DETERMINANT = 33,
	GLSL_MATRIX_INVERSE = 34,
	GLSL_MODF = 35,
	GLSL_MODF_STRUCT = 36,
	GLSL_F_MIN = 37,
	GLSL_U_MIN = 38,
	GLSL_S_MIN = 39,
	GLSL_F_MAX = 40,
	GLSL_U_MAX = 41,
	GLSL_S_MAX = 42,
	GLSL_F_CLAMP = 43,
	GLSL_U_CLAMP = 44,
	GLSL_S_CLAMP = 45,
	GLSL_F_MIX = 46,
	GLSL_I_MIX = 47,
	GLSL_STEP = 48,
	GLSL_SMOOTH_STEP = 49,
	GLSL_FMA = 50,
	GLSL_FREXP = 51,
	GLSL_FREXP_STRUCT = 52,
	GLSL_LDEXP = 53,
	GLSL_PACK_SNORM_4X8 = 54,
	GLSL_PACK_UNORM_4X8 = 55,
	GLSL_PACK_SNORM_2X16 = 56,
	GLSL_PACK_UNORM_2X16 = 57,
	GLSL_PACK_HALF_2X16 = 58,
	GLSL_PACK_DOUBLE_2X32 = 59,
	GLSL_UNPACK_SNORM_2X16 = 60,
	GLSL_UNPACK_UNORM_2X16 = 61,
	GLSL_UNPACK_HALF_2X16 = 62,
	GLSL_UNPACK_SNORM_4X8 = 63,
	GLSL_UNPACK_UNORM_4X8 = 64,
	GLSL_UNPACK_DOUBLE_2X32 = 65,
	GLSL_LENGTH = 66,
	GLSL_DISTANCE = 67,
	GLSL_CROSS = 68,
	GLSL_NORMALIZE = 69,
	GLSL_FACE_FORWARD = 70,
	GLSL_REFLECT = 71,
	GLSL_REFRACT = 72,
	GLSL_FIND_I_LSB = 73,
	GLSL_FIND_S_MSB = 74,
	GLSL_FIND_U_MSB = 75,
	GLSL_N_MIN = 79,
	GLSL_N_MAX = 80,
	GLSL_N_CLAMP = 81,
	GLSL_COUNT = 82
};
/* clang-format on */

/* A transcendental function of f64 (wide_functions.c). */
ir_val spirv_wide_function(struct spirv *s, uint32_t number, ir_val x, ir_val y);
ir_val spirv_square_root(struct spirv *s, ir_val x);
/* A function of the library (wide_functions.c) by its name there. */
const struct ir_func *spirv_library_function(struct spirv *s, const char *name);
/* A component-wise function. */
ir_val spirv_glsl_component(struct spirv *s, uint32_t number, ir_val x, ir_val y, ir_val z);
/* Functions that are not component-wise (glsl_special.c). */
void spirv_lower_glsl_special(struct spirv *s, uint32_t number);

#endif
