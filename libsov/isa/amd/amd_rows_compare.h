/* SPDX-License-Identifier: MIT */
/*
 * Comparisons: a type and a base opcode expand to sixteen conditions of floats or eight of
 * integers, which write a lane mask (v_cmp) or, at opcodes 16 higher, EXEC (v_cmpx). 16-bit types
 * use the opcodes between.
 */
#define CMP(type, c, op, T, flags) \
	ROW(VOPC, v_cmp_##c##_##type, op, M, T, T, NO, flags) \
	ROW(VOPC, v_cmpx_##c##_##type, (op) + 0x10, X, T, T, NO, (flags) | EXEC_OUT)
#define CMP_ORDERED(type, base, T, flags) \
	CMP(type, f, (base) + 0, T, flags) CMP(type, lt, (base) + 1, T, flags) \
	CMP(type, eq, (base) + 2, T, flags) CMP(type, le, (base) + 3, T, flags) \
	CMP(type, gt, (base) + 4, T, flags) CMP(type, lg, (base) + 5, T, flags) \
	CMP(type, ge, (base) + 6, T, flags) CMP(type, o, (base) + 7, T, flags)
#define CMP_UNORDERED(type, base, T, flags) \
	CMP(type, u, (base) + 0, T, flags) CMP(type, nge, (base) + 1, T, flags) \
	CMP(type, nlg, (base) + 2, T, flags) CMP(type, ngt, (base) + 3, T, flags) \
	CMP(type, nle, (base) + 4, T, flags) CMP(type, neq, (base) + 5, T, flags) \
	CMP(type, nlt, (base) + 6, T, flags) CMP(type, tru, (base) + 7, T, flags)
#define CMP_SIX(type, base, T, flags) \
	CMP(type, lt, (base) + 1, T, flags) CMP(type, eq, (base) + 2, T, flags) \
	CMP(type, le, (base) + 3, T, flags) CMP(type, gt, (base) + 4, T, flags) \
	CMP(type, ne, (base) + 5, T, flags) CMP(type, ge, (base) + 6, T, flags)
#define CMP_EIGHT(type, base, T, flags) \
	CMP(type, f, (base) + 0, T, flags) CMP_SIX(type, base, T, flags) \
	CMP(type, t, (base) + 7, T, flags)
#define CMP_CLASS(type, op, T, flags) \
	ROW(VOPC, v_cmp_class_##type, op, M, T, B32, NO, flags) \
	ROW(VOPC, v_cmpx_class_##type, (op) + 0x10, X, T, B32, NO, (flags) | EXEC_OUT)

CMP_ORDERED(f32, 0x00, F32, E64 | SDWA | CLAMP)
CMP_UNORDERED(f32, 0x08, F32, E64 | SDWA | CLAMP)
CMP_ORDERED(f64, 0x20, F64, E64 | CLAMP)
CMP_UNORDERED(f64, 0x28, F64, E64 | CLAMP)
CMP_ORDERED(f16, 0xc8, F16, E64 | SDWA | CLAMP)
CMP_UNORDERED(f16, 0xe8, F16, E64 | SDWA | CLAMP)
CMP_EIGHT(i32, 0x80, B32, E64 | SDWA)
CMP_EIGHT(u32, 0xc0, B32, E64 | SDWA)
CMP_EIGHT(i64, 0xa0, B64, E64)
CMP_EIGHT(u64, 0xe0, B64, E64)
CMP_SIX(i16, 0x88, B16, E64 | SDWA)
CMP_SIX(u16, 0xa8, B16, E64 | SDWA)
CMP_CLASS(f32, 0x88, F32, E64 | SDWA)
CMP_CLASS(f16, 0x8f, F16, E64 | SDWA)
CMP_CLASS(f64, 0xa8, F64, E64)

#undef CMP
#undef CMP_ORDERED
#undef CMP_UNORDERED
#undef CMP_SIX
#undef CMP_EIGHT
#undef CMP_CLASS
