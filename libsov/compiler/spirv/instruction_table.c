// SPDX-License-Identifier: MIT
/*
 * Which function lowers an instruction, and what distinguishes the instructions of its family: an
 * operation or condition of the IR, or a number that the function defines. Names and operands are
 * in grammar.c; types, constants and control flow have files of their own.
 */
#include <string.h>
#include "libsov/compiler/spirv/front_end.h"
#include "libsov/isa/texture.h"

enum { LOAD = 100, STORE, EXCHANGE_COMPARE, INCREMENT, DECREMENT, SUBTRACT, TEST_AND_SET, CLEAR };

#define ROW(op, function, detail) {SPIRV_OP_##op, detail, spirv_lower_##function, 0}

/* clang-format off */
static const struct spirv_lowering table[] = {
	ROW(NOP, nothing, 0),
	ROW(UNDEF, undef, 0),
	ROW(COPY_OBJECT, copy_object, 0),
	ROW(COPY_LOGICAL, copy_object, 0),
	ROW(EXPECT_KHR, expect, 0),
	ROW(ASSUME_TRUE_KHR, nothing, 0),
	ROW(LIFETIME_START, nothing, 0),
	ROW(LIFETIME_STOP, nothing, 0),
	ROW(SELECTION_MERGE, nothing, 0),
	ROW(LOOP_MERGE, nothing, 0),
	ROW(NO_LINE, nothing, 0),
	/* memory */
	ROW(VARIABLE, variable, 0),
	ROW(LOAD, load, 0),
	ROW(STORE, store, 0),
	ROW(COPY_MEMORY, copy_memory, 0),
	ROW(COPY_MEMORY_SIZED, copy_memory, 1),
	ROW(ACCESS_CHAIN, access_chain, 0),
	ROW(IN_BOUNDS_ACCESS_CHAIN, access_chain, 0),
	ROW(PTR_ACCESS_CHAIN, access_chain, 1),
	ROW(IN_BOUNDS_PTR_ACCESS_CHAIN, access_chain, 1),
	ROW(ARRAY_LENGTH, array_length, 0),
	ROW(PTR_EQUAL, pointer_compare, 0),
	ROW(PTR_NOT_EQUAL, pointer_compare, 1),
	ROW(PTR_DIFF, pointer_compare, 2),
	/* composites */
	ROW(VECTOR_EXTRACT_DYNAMIC, extract_dynamic, 0),
	ROW(VECTOR_INSERT_DYNAMIC, insert_dynamic, 0),
	ROW(VECTOR_SHUFFLE, shuffle, 0),
	ROW(COMPOSITE_CONSTRUCT, construct, 0),
	ROW(COMPOSITE_EXTRACT, extract, 0),
	ROW(COMPOSITE_INSERT, insert, 0),
	ROW(TRANSPOSE, transpose, 0),
	/* conversions; the numbers are convert.c's */
	ROW(CONVERT_F_TO_U, convert, 0),
	ROW(CONVERT_F_TO_S, convert, 1),
	ROW(CONVERT_S_TO_F, convert, 2),
	ROW(CONVERT_U_TO_F, convert, 3),
	ROW(U_CONVERT, convert, 4),
	ROW(S_CONVERT, convert, 5),
	ROW(F_CONVERT, convert, 6),
	ROW(SAT_CONVERT_S_TO_U, convert, 7),
	ROW(SAT_CONVERT_U_TO_S, convert, 8),
	ROW(QUANTIZE_TO_F16, quantize, 0),
	ROW(BITCAST, bitcast, 0),
	ROW(CONVERT_PTR_TO_U, pointer_convert, 0),
	ROW(CONVERT_U_TO_PTR, pointer_convert, 1),
	ROW(PTR_CAST_TO_GENERIC, pointer_convert, 2),
	ROW(GENERIC_CAST_TO_PTR, pointer_convert, 3),
	ROW(GENERIC_CAST_TO_PTR_EXPLICIT, pointer_convert, 4),
	/* integers */
	ROW(S_NEGATE, unary, IR_NEG),
	ROW(NOT, unary, IR_NOT),
	ROW(LOGICAL_NOT, unary, IR_NOT),
	ROW(I_ADD, binary, IR_ADD),
	ROW(I_SUB, binary, IR_SUB),
	ROW(I_MUL, binary, IR_MUL),
	ROW(U_DIV, binary, IR_DIV_U),
	ROW(S_DIV, binary, IR_DIV_S),
	ROW(U_MOD, binary, IR_REM_U),
	ROW(S_REM, binary, IR_REM_S),
	ROW(S_MOD, modulo, 0),
	ROW(BITWISE_OR, binary, IR_OR),
	ROW(BITWISE_XOR, binary, IR_XOR),
	ROW(BITWISE_AND, binary, IR_AND),
	ROW(LOGICAL_OR, binary, IR_OR),
	ROW(LOGICAL_AND, binary, IR_AND),
	ROW(LOGICAL_EQUAL, not_equal_bool, 1),
	ROW(LOGICAL_NOT_EQUAL, not_equal_bool, 0),
	ROW(SHIFT_RIGHT_LOGICAL, shift, IR_SHR_U),
	ROW(SHIFT_RIGHT_ARITHMETIC, shift, IR_SHR_S),
	ROW(SHIFT_LEFT_LOGICAL, shift, IR_SHL),
	ROW(I_ADD_CARRY, carry, 0),
	ROW(I_SUB_BORROW, carry, 1),
	ROW(U_MUL_EXTENDED, extended, 0),
	ROW(S_MUL_EXTENDED, extended, 1),
	ROW(BIT_FIELD_INSERT, bit_insert, 0),
	ROW(BIT_FIELD_S_EXTRACT, bit_extract, 1),
	ROW(BIT_FIELD_U_EXTRACT, bit_extract, 0),
	ROW(BIT_REVERSE, bit_unary, IR_BREV),
	ROW(BIT_COUNT, bit_unary, IR_POPC),
	ROW(S_DOT, integer_dot, 3),
	ROW(U_DOT, integer_dot, 0),
	ROW(SU_DOT, integer_dot, 1),
	ROW(S_DOT_ACC_SAT, integer_dot, 7),
	ROW(U_DOT_ACC_SAT, integer_dot, 4),
	ROW(SU_DOT_ACC_SAT, integer_dot, 5),
	ROW(I_EQUAL, compare, IR_EQ),
	ROW(I_NOT_EQUAL, compare, IR_NE),
	ROW(U_GREATER_THAN, compare, IR_GT_U),
	ROW(S_GREATER_THAN, compare, IR_GT_S),
	ROW(U_GREATER_THAN_EQUAL, compare, IR_GE_U),
	ROW(S_GREATER_THAN_EQUAL, compare, IR_GE_S),
	ROW(U_LESS_THAN, compare, IR_LT_U),
	ROW(S_LESS_THAN, compare, IR_LT_S),
	ROW(U_LESS_THAN_EQUAL, compare, IR_LE_U),
	ROW(S_LESS_THAN_EQUAL, compare, IR_LE_S),
	ROW(SELECT, select, 0),
	ROW(ANY, any_all, IR_OR),
	ROW(ALL, any_all, IR_AND),
	/* floats */
	ROW(F_NEGATE, float_unary, IR_FNEG),
	ROW(F_ADD, float_binary, IR_FADD),
	ROW(F_SUB, float_binary, IR_SUB),
	ROW(F_MUL, float_binary, IR_FMUL),
	ROW(F_DIV, divide, 0),
	ROW(F_REM, float_modulo, 0),
	ROW(F_MOD, float_modulo, 1),
	ROW(VECTOR_TIMES_SCALAR, times, 1),
	ROW(MATRIX_TIMES_SCALAR, times, 1),
	ROW(VECTOR_TIMES_MATRIX, times, 0),
	ROW(MATRIX_TIMES_VECTOR, times, 0),
	ROW(MATRIX_TIMES_MATRIX, times, 0),
	ROW(OUTER_PRODUCT, outer, 0),
	ROW(DOT, dot, 0),
	ROW(IS_NAN, classify, 0),
	ROW(IS_INF, classify, 1),
	ROW(IS_FINITE, classify, 2),
	ROW(IS_NORMAL, classify, 3),
	ROW(SIGN_BIT_SET, classify, 4),
	ROW(LESS_OR_GREATER, float_compare, IR_FNE),
	ROW(ORDERED, float_compare, IR_FNUM),
	ROW(UNORDERED, float_compare, IR_FNAN),
	ROW(F_ORD_EQUAL, float_compare, IR_FEQ),
	ROW(F_UNORD_EQUAL, float_compare, IR_FEQU),
	ROW(F_ORD_NOT_EQUAL, float_compare, IR_FNE),
	ROW(F_UNORD_NOT_EQUAL, float_compare, IR_FNEU),
	ROW(F_ORD_LESS_THAN, float_compare, IR_FLT),
	ROW(F_UNORD_LESS_THAN, float_compare, IR_FLTU),
	ROW(F_ORD_GREATER_THAN, float_compare, IR_FGT),
	ROW(F_UNORD_GREATER_THAN, float_compare, IR_FGTU),
	ROW(F_ORD_LESS_THAN_EQUAL, float_compare, IR_FLE),
	ROW(F_UNORD_LESS_THAN_EQUAL, float_compare, IR_FLEU),
	ROW(F_ORD_GREATER_THAN_EQUAL, float_compare, IR_FGE),
	ROW(F_UNORD_GREATER_THAN_EQUAL, float_compare, IR_FGEU),
	/* barriers and atomics; numbers from 100 on are atomic.c's */
	ROW(CONTROL_BARRIER, control_barrier, 0),
	ROW(MEMORY_BARRIER, memory_barrier, 0),
	ROW(ATOMIC_LOAD, atomic, LOAD),
	ROW(ATOMIC_STORE, atomic, STORE),
	ROW(ATOMIC_EXCHANGE, atomic, IR_ATOM_EXCH),
	ROW(ATOMIC_COMPARE_EXCHANGE, atomic, EXCHANGE_COMPARE),
	ROW(ATOMIC_COMPARE_EXCHANGE_WEAK, atomic, EXCHANGE_COMPARE),
	ROW(ATOMIC_I_INCREMENT, atomic, INCREMENT),
	ROW(ATOMIC_I_DECREMENT, atomic, DECREMENT),
	ROW(ATOMIC_I_ADD, atomic, IR_ATOM_ADD),
	ROW(ATOMIC_I_SUB, atomic, SUBTRACT),
	ROW(ATOMIC_S_MIN, atomic, IR_ATOM_MIN_S),
	ROW(ATOMIC_U_MIN, atomic, IR_ATOM_MIN_U),
	ROW(ATOMIC_S_MAX, atomic, IR_ATOM_MAX_S),
	ROW(ATOMIC_U_MAX, atomic, IR_ATOM_MAX_U),
	ROW(ATOMIC_AND, atomic, IR_ATOM_AND),
	ROW(ATOMIC_OR, atomic, IR_ATOM_OR),
	ROW(ATOMIC_XOR, atomic, IR_ATOM_XOR),
	ROW(ATOMIC_FLAG_TEST_AND_SET, atomic, TEST_AND_SET),
	ROW(ATOMIC_FLAG_CLEAR, atomic, CLEAR),
	ROW(ATOMIC_F_ADD_EXT, atomic, IR_ATOM_FADD),
	ROW(ATOMIC_F_MIN_EXT, atomic, IR_ATOM_FMIN),
	ROW(ATOMIC_F_MAX_EXT, atomic, IR_ATOM_FMAX),
	/* images */
	ROW(IMAGE_READ, image_read, 0),
	ROW(IMAGE_WRITE, image_write, 0),
	ROW(IMAGE_TEXEL_POINTER, texel_pointer, 0),
	ROW(SAMPLED_IMAGE, sampled_image, 0),
	ROW(IMAGE, image, 0),
	ROW(IMAGE_SAMPLE_IMPLICIT_LOD, image_sample, 0),
	ROW(IMAGE_SAMPLE_EXPLICIT_LOD, image_sample, 0),
	ROW(IMAGE_SAMPLE_DREF_IMPLICIT_LOD, image_sample, 1),
	ROW(IMAGE_SAMPLE_DREF_EXPLICIT_LOD, image_sample, 1),
	ROW(IMAGE_SAMPLE_PROJ_IMPLICIT_LOD, image_sample, 2),
	ROW(IMAGE_SAMPLE_PROJ_EXPLICIT_LOD, image_sample, 2),
	ROW(IMAGE_SAMPLE_PROJ_DREF_IMPLICIT_LOD, image_sample, 3),
	ROW(IMAGE_SAMPLE_PROJ_DREF_EXPLICIT_LOD, image_sample, 3),
	ROW(IMAGE_FETCH, image_fetch, 0),
	ROW(IMAGE_GATHER, image_gather, 0),
	ROW(IMAGE_DREF_GATHER, image_gather, 1),
	ROW(IMAGE_QUERY_SIZE, image_size, 0),
	ROW(IMAGE_QUERY_SIZE_LOD, image_size, 1),
	ROW(IMAGE_QUERY_LEVELS, image_count, TEXTURE_LEVELS),
	ROW(IMAGE_QUERY_SAMPLES, image_count, 0),
	ROW(IMAGE_QUERY_LOD, image_lod, 0),
	/* subgroups */
	ROW(GROUP_NON_UNIFORM_ELECT, elect, 0),
	ROW(GROUP_NON_UNIFORM_ALL, vote, IR_VOTE_ALL),
	ROW(GROUP_NON_UNIFORM_ANY, vote, IR_VOTE_ANY),
	ROW(GROUP_NON_UNIFORM_ALL_EQUAL, vote, IR_VOTE_UNI),
	ROW(GROUP_ALL, vote, IR_VOTE_ALL),
	ROW(GROUP_ANY, vote, IR_VOTE_ANY),
	ROW(SUBGROUP_ALL_KHR, vote, IR_VOTE_ALL | 16),
	ROW(SUBGROUP_ANY_KHR, vote, IR_VOTE_ANY | 16),
	ROW(SUBGROUP_ALL_EQUAL_KHR, vote, IR_VOTE_UNI | 16),
	ROW(GROUP_NON_UNIFORM_BROADCAST, broadcast, 0),
	ROW(GROUP_NON_UNIFORM_BROADCAST_FIRST, broadcast, 1),
	ROW(GROUP_BROADCAST, broadcast, 0),
	ROW(SUBGROUP_FIRST_INVOCATION_KHR, broadcast, 1 | 16),
	ROW(SUBGROUP_READ_INVOCATION_KHR, broadcast, 16),
	ROW(GROUP_NON_UNIFORM_BALLOT, ballot, 0),
	ROW(SUBGROUP_BALLOT_KHR, ballot, 16),
	ROW(GROUP_NON_UNIFORM_INVERSE_BALLOT, ballot_query, 0),
	ROW(GROUP_NON_UNIFORM_BALLOT_BIT_EXTRACT, ballot_query, 1),
	ROW(GROUP_NON_UNIFORM_BALLOT_BIT_COUNT, ballot_query, 2),
	ROW(GROUP_NON_UNIFORM_BALLOT_FIND_LSB, ballot_query, 3),
	ROW(GROUP_NON_UNIFORM_BALLOT_FIND_MSB, ballot_query, 4),
	ROW(GROUP_NON_UNIFORM_SHUFFLE, subgroup_shuffle, IR_SHUFFLE_IDX),
	ROW(GROUP_NON_UNIFORM_SHUFFLE_XOR, subgroup_shuffle, IR_SHUFFLE_BFLY),
	ROW(GROUP_NON_UNIFORM_SHUFFLE_UP, subgroup_shuffle, IR_SHUFFLE_UP),
	ROW(GROUP_NON_UNIFORM_SHUFFLE_DOWN, subgroup_shuffle, IR_SHUFFLE_DOWN),
	ROW(GROUP_NON_UNIFORM_ROTATE_KHR, rotate, 0),
	ROW(GROUP_NON_UNIFORM_QUAD_BROADCAST, quad, 0),
	ROW(GROUP_NON_UNIFORM_QUAD_SWAP, quad, 1),
	ROW(GROUP_NON_UNIFORM_I_ADD, group_reduce, IR_ADD),
	ROW(GROUP_NON_UNIFORM_F_ADD, group_reduce, IR_FADD),
	ROW(GROUP_NON_UNIFORM_I_MUL, group_reduce, IR_MUL),
	ROW(GROUP_NON_UNIFORM_F_MUL, group_reduce, IR_FMUL),
	ROW(GROUP_NON_UNIFORM_S_MIN, group_reduce, IR_MIN_S),
	ROW(GROUP_NON_UNIFORM_U_MIN, group_reduce, IR_MIN_U),
	ROW(GROUP_NON_UNIFORM_F_MIN, group_reduce, IR_FMIN),
	ROW(GROUP_NON_UNIFORM_S_MAX, group_reduce, IR_MAX_S),
	ROW(GROUP_NON_UNIFORM_U_MAX, group_reduce, IR_MAX_U),
	ROW(GROUP_NON_UNIFORM_F_MAX, group_reduce, IR_FMAX),
	ROW(GROUP_NON_UNIFORM_BITWISE_AND, group_reduce, IR_AND),
	ROW(GROUP_NON_UNIFORM_BITWISE_OR, group_reduce, IR_OR),
	ROW(GROUP_NON_UNIFORM_BITWISE_XOR, group_reduce, IR_XOR),
	ROW(GROUP_NON_UNIFORM_LOGICAL_AND, group_reduce, IR_AND),
	ROW(GROUP_NON_UNIFORM_LOGICAL_OR, group_reduce, IR_OR),
	ROW(GROUP_NON_UNIFORM_LOGICAL_XOR, group_reduce, IR_XOR),
	ROW(GROUP_I_ADD, group_reduce, IR_ADD),
	ROW(GROUP_F_ADD, group_reduce, IR_FADD),
	ROW(GROUP_F_MIN, group_reduce, IR_FMIN),
	ROW(GROUP_U_MIN, group_reduce, IR_MIN_U),
	ROW(GROUP_S_MIN, group_reduce, IR_MIN_S),
	ROW(GROUP_F_MAX, group_reduce, IR_FMAX),
	ROW(GROUP_U_MAX, group_reduce, IR_MAX_U),
	ROW(GROUP_S_MAX, group_reduce, IR_MAX_S),
	ROW(GROUP_I_MUL_KHR, group_reduce, IR_MUL),
	ROW(GROUP_F_MUL_KHR, group_reduce, IR_FMUL),
	ROW(GROUP_BITWISE_AND_KHR, group_reduce, IR_AND),
	ROW(GROUP_BITWISE_OR_KHR, group_reduce, IR_OR),
	ROW(GROUP_BITWISE_XOR_KHR, group_reduce, IR_XOR),
	ROW(GROUP_LOGICAL_AND_KHR, group_reduce, IR_AND),
	ROW(GROUP_LOGICAL_OR_KHR, group_reduce, IR_OR),
	ROW(GROUP_LOGICAL_XOR_KHR, group_reduce, IR_XOR),
	ROW(COOPERATIVE_MATRIX_LOAD_KHR, matrix_load, 0),
	ROW(COOPERATIVE_MATRIX_STORE_KHR, matrix_store, 0),
	ROW(COOPERATIVE_MATRIX_MUL_ADD_KHR, matrix_multiply, 0),
	ROW(COOPERATIVE_MATRIX_LENGTH_KHR, matrix_length, 0),
	ROW(GROUP_ASYNC_COPY, async_copy, 0),
	ROW(GROUP_WAIT_EVENTS, wait_events, 0),
	/* GroupIAddNonUniformAMD to GroupSMaxNonUniformAMD: of the subgroup */
	{5000, IR_ADD, spirv_lower_group_reduce, 0},
	{5001, IR_FADD, spirv_lower_group_reduce, 0},
	{5002, IR_FMIN, spirv_lower_group_reduce, 0},
	{5003, IR_MIN_U, spirv_lower_group_reduce, 0},
	{5004, IR_MIN_S, spirv_lower_group_reduce, 0},
	{5005, IR_FMAX, spirv_lower_group_reduce, 0},
	{5006, IR_MAX_U, spirv_lower_group_reduce, 0},
	{5007, IR_MAX_S, spirv_lower_group_reduce, 0},
	{6916, 0, spirv_lower_mixed_dot, 0}, /* FDot2MixAcc32VALVE */
	{5056, 0, spirv_lower_clock, 0}, /* ReadClockKHR */
	ROW(EXT_INST, ext_inst, 0),
};
/* clang-format on */

const struct spirv_lowering *spirv_lowering_find(uint32_t opcode)
{
	for (uint32_t k = 0; k < sizeof(table) / sizeof(table[0]); k++)
		if (table[k].opcode == opcode)
			return &table[k];
	return NULL;
}

static void set_line(struct spirv *s)
{
	s->line_file = 0;
	if (s->in.opcode != SPIRV_OP_LINE)
		return;
	if (spirv_id_of(s, spirv_word(s, 1))->kind != SPIRV_ID_STRING)
		spirv_fail(s, "%s is no string", spirv_id_name(s, spirv_word(s, 1)));
	s->line_file = spirv_word(s, 1);
	s->line = spirv_word(s, 2);
	s->column = spirv_word(s, 3);
}

void spirv_lower_ext_inst(struct spirv *s, uint32_t detail)
{
	static void (*const lower[])(struct spirv *s, uint32_t number) = {
		[SPIRV_SET_GLSL] = spirv_lower_glsl,       [SPIRV_SET_OPENCL] = spirv_lower_opencl,
		[SPIRV_SET_TRINARY] = spirv_lower_trinary, [SPIRV_SET_LANES] = spirv_lower_lanes,
		[SPIRV_SET_CUBE] = spirv_lower_cube,       [SPIRV_SET_IGNORED] = NULL,
	};
	const struct spirv_id *x = spirv_id_of(s, spirv_word(s, 3));

	(void)detail;
	if (x->kind != SPIRV_ID_SET)
		spirv_fail(s, "%s is no set of instructions", spirv_id_name(s, spirv_word(s, 3)));
	if (lower[x->set])
		lower[x->set](s, spirv_word(s, 4));
}

void spirv_lower(struct spirv *s)
{
	const struct spirv_lowering *l = spirv_lowering_find(s->in.opcode);

	if (s->in.opcode == SPIRV_OP_LINE || s->in.opcode == SPIRV_OP_NO_LINE)
		set_line(s);
	else if (s->in.opcode == SPIRV_OP_FUNCTION_CALL)
		spirv_lower_call(s);
	else if (s->in.opcode == SPIRV_OP_PHI)
		spirv_lower_phi(s);
	else if (l)
		l->lower(s, l->detail);
	else
		spirv_fail(s, "the instruction is not supported");
}
