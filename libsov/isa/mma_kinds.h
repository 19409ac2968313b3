/* SPDX-License-Identifier: MIT */
/*
 * The matrix products of the IR, one row each: D = A B + C, where A has m rows and k columns, B k
 * rows and 8 columns, C and D m rows and 8 columns, all spread over the registers of a warp.
 *
 * MMA(name, text, m, k, elements of A and B, elements of C and D, flags)
 *
 * flags: MMA_SIGNED_A, MMA_SIGNED_B: the integers of A, B are signed; MMA_SATURATE: an integer sum
 * that overflows is the greatest or smallest;
 * MMA_XOR: the product of two bits is 1 if they differ, otherwise if both are 1; MMA_E5M2_A,
 * MMA_E5M2_B: the 8-bit floats of A, B are e5m2, otherwise e4m3; MMA_SPARSE: A holds two of each
 * four columns (of tf32 one of two, of 4-bit integers two pairs of four), and metadata names them.
 */
MMA(F32_F16_K8, "f32.f16.m16n8k8", 16, 8, MMA_F16, MMA_F32, 0)
MMA(F32_F16_K16, "f32.f16.m16n8k16", 16, 16, MMA_F16, MMA_F32, 0)
MMA(F16_F16_K8, "f16.f16.m16n8k8", 16, 8, MMA_F16, MMA_F16, 0)
MMA(F16_F16_K16, "f16.f16.m16n8k16", 16, 16, MMA_F16, MMA_F16, 0)
MMA(F32_BF16_K8, "f32.bf16.m16n8k8", 16, 8, MMA_BF16, MMA_F32, 0)
MMA(F32_BF16_K16, "f32.bf16.m16n8k16", 16, 16, MMA_BF16, MMA_F32, 0)
MMA(F32_TF32_K4, "f32.tf32.m16n8k4", 16, 4, MMA_TF32, MMA_F32, 0)
MMA(F32_TF32_K8, "f32.tf32.m16n8k8", 16, 8, MMA_TF32, MMA_F32, 0)
MMA(F64_M8_K4, "f64.m8n8k4", 8, 4, MMA_F64, MMA_F64, 0)
MMA(F64_K4, "f64.m16n8k4", 16, 4, MMA_F64, MMA_F64, 0)
MMA(F64_K8, "f64.m16n8k8", 16, 8, MMA_F64, MMA_F64, 0)
MMA(F64_K16, "f64.m16n8k16", 16, 16, MMA_F64, MMA_F64, 0)
#define MMA_INTEGER(name, text, m, k, factors, flags) \
	MMA(S32_##name, "s32." text, m, k, factors, MMA_S32, flags) \
	MMA(SAT_##name, "sat.s32." text, m, k, factors, MMA_S32, (flags) | MMA_SATURATE)
#define MMA_BYTES(a, b, signs) \
	MMA_INTEGER(a##_##b##_M8_K16, #a "." #b ".m8n8k16", 8, 16, MMA_I8, signs) \
	MMA_INTEGER(a##_##b##_K16, #a "." #b ".m16n8k16", 16, 16, MMA_I8, signs) \
	MMA_INTEGER(a##_##b##_K32, #a "." #b ".m16n8k32", 16, 32, MMA_I8, signs)
MMA_BYTES(u8, u8, 0)
MMA_BYTES(u8, s8, MMA_SIGNED_B)
MMA_BYTES(s8, u8, MMA_SIGNED_A)
MMA_BYTES(s8, s8, MMA_SIGNED_A | MMA_SIGNED_B)
#undef MMA_BYTES
#define MMA_NIBBLES(a, b, signs) \
	MMA_INTEGER(a##_##b##_M8_K32, #a "." #b ".m8n8k32", 8, 32, MMA_I4, signs) \
	MMA_INTEGER(a##_##b##_K32, #a "." #b ".m16n8k32", 16, 32, MMA_I4, signs) \
	MMA_INTEGER(a##_##b##_K64, #a "." #b ".m16n8k64", 16, 64, MMA_I4, signs)
MMA_NIBBLES(u4, u4, 0)
MMA_NIBBLES(u4, s4, MMA_SIGNED_B)
MMA_NIBBLES(s4, u4, MMA_SIGNED_A)
MMA_NIBBLES(s4, s4, MMA_SIGNED_A | MMA_SIGNED_B)
#undef MMA_NIBBLES
#define MMA_SPARSE_INTEGERS(factors, a, b, signs, short_k, long_k) \
	MMA_INTEGER(a##_##b##_SPARSE_SHORT, #a "." #b ".m16n8k" #short_k ".sparse", 16, short_k, \
		    factors, (signs) | MMA_SPARSE) \
	MMA_INTEGER(a##_##b##_SPARSE_LONG, #a "." #b ".m16n8k" #long_k ".sparse", 16, long_k, \
		    factors, (signs) | MMA_SPARSE)
#define MMA_SPARSE_BYTES(a, b, signs)   MMA_SPARSE_INTEGERS(MMA_I8, a, b, signs, 32, 64)
#define MMA_SPARSE_NIBBLES(a, b, signs) MMA_SPARSE_INTEGERS(MMA_I4, a, b, signs, 64, 128)
MMA_SPARSE_BYTES(u8, u8, 0)
MMA_SPARSE_BYTES(u8, s8, MMA_SIGNED_B)
MMA_SPARSE_BYTES(s8, u8, MMA_SIGNED_A)
MMA_SPARSE_BYTES(s8, s8, MMA_SIGNED_A | MMA_SIGNED_B)
MMA_SPARSE_NIBBLES(u4, u4, 0)
MMA_SPARSE_NIBBLES(u4, s4, MMA_SIGNED_B)
MMA_SPARSE_NIBBLES(s4, u4, MMA_SIGNED_A)
MMA_SPARSE_NIBBLES(s4, s4, MMA_SIGNED_A | MMA_SIGNED_B)
#undef MMA_SPARSE_BYTES
#undef MMA_SPARSE_NIBBLES
#undef MMA_SPARSE_INTEGERS
#undef MMA_INTEGER
#define MMA_BITS(name, text, m, k) \
	MMA(AND_##name, "s32.b1.and." text, m, k, MMA_B1, MMA_S32, 0) \
	MMA(XOR_##name, "s32.b1.xor." text, m, k, MMA_B1, MMA_S32, MMA_XOR)
MMA_BITS(M8_K128, "m8n8k128", 8, 128)
MMA_BITS(K128, "m16n8k128", 16, 128)
MMA_BITS(K256, "m16n8k256", 16, 256)
#undef MMA_BITS
#define MMA_FLOAT8(a, b, formats) \
	MMA(F32_##a##_##b##_K16, "f32." #a "." #b ".m16n8k16", 16, 16, MMA_F8, MMA_F32, formats) \
	MMA(F32_##a##_##b##_K32, "f32." #a "." #b ".m16n8k32", 16, 32, MMA_F8, MMA_F32, formats) \
	MMA(F16_##a##_##b##_K16, "f16." #a "." #b ".m16n8k16", 16, 16, MMA_F8, MMA_F16, formats) \
	MMA(F16_##a##_##b##_K32, "f16." #a "." #b ".m16n8k32", 16, 32, MMA_F8, MMA_F16, formats) \
	MMA(F32_##a##_##b##_SPARSE, "f32." #a "." #b ".m16n8k64.sparse", 16, 64, MMA_F8, MMA_F32, \
	    (formats) | MMA_SPARSE) \
	MMA(F16_##a##_##b##_SPARSE, "f16." #a "." #b ".m16n8k64.sparse", 16, 64, MMA_F8, MMA_F16, \
	    (formats) | MMA_SPARSE)
MMA_FLOAT8(e4m3, e4m3, 0)
MMA_FLOAT8(e4m3, e5m2, MMA_E5M2_B)
MMA_FLOAT8(e5m2, e4m3, MMA_E5M2_A)
MMA_FLOAT8(e5m2, e5m2, MMA_E5M2_A | MMA_E5M2_B)
#undef MMA_FLOAT8
#define MMA_SPARSE_FLOATS(name, text, k, factors, sums) \
	MMA(name##_SPARSE_K##k, text ".m16n8k" #k ".sparse", 16, k, factors, sums, MMA_SPARSE)
MMA_SPARSE_FLOATS(F32_F16, "f32.f16", 16, MMA_F16, MMA_F32)
MMA_SPARSE_FLOATS(F32_F16, "f32.f16", 32, MMA_F16, MMA_F32)
MMA_SPARSE_FLOATS(F16_F16, "f16.f16", 16, MMA_F16, MMA_F16)
MMA_SPARSE_FLOATS(F16_F16, "f16.f16", 32, MMA_F16, MMA_F16)
MMA_SPARSE_FLOATS(F32_BF16, "f32.bf16", 16, MMA_BF16, MMA_F32)
MMA_SPARSE_FLOATS(F32_BF16, "f32.bf16", 32, MMA_BF16, MMA_F32)
MMA_SPARSE_FLOATS(F32_TF32, "f32.tf32", 8, MMA_TF32, MMA_F32)
MMA_SPARSE_FLOATS(F32_TF32, "f32.tf32", 16, MMA_TF32, MMA_F32)
#undef MMA_SPARSE_FLOATS
#undef MMA
