/* SPDX-License-Identifier: MIT */
/*
 * Families of instructions (_families.h): integers, bits and bytes. A row is text, types of d a b
 * c, inputs, level, accurate bits of an approximation, and the body of the reference function.
 * Included twice.
 */
/* clang-format off */
ROW("add.u16 %d, %a, %b;", "u16 u16 u16", ANY, CODE, 0,
    { return (uint64_t)(A + B); })
ROW("sub.u16 %d, %a, %b;", "u16 u16 u16", ANY, CODE, 0,
    { return (uint64_t)(A - B); })
ROW("mul.lo.u16 %d, %a, %b;", "u16 u16 u16", ANY, CODE, 0,
    { return (uint64_t)(A * B); })
ROW("mad.lo.u16 %d, %a, %b, %c;", "u16 u16 u16 u16", ANY, CODE, 0,
    { return (uint64_t)(A * B + C); })
ROW("min.u16 %d, %a, %b;", "u16 u16 u16", ANY, CODE, 0,
    { return (uint64_t)(A < B ? A : B); })
ROW("max.u16 %d, %a, %b;", "u16 u16 u16", ANY, CODE, 0,
    { return (uint64_t)(A > B ? A : B); })
ROW("sad.u16 %d, %a, %b, %c;", "u16 u16 u16 u16", ANY, CODE, 0,
    { return (uint64_t)(A > B ? A - B + C : B - A + C); })
ROW("div.u16 %d, %a, %b;", "u16 u16 u16", ANY, CODE, 0,
    { return (uint64_t)(!B ? UINT64_MAX : A / B); })
ROW("rem.u16 %d, %a, %b;", "u16 u16 u16", ANY, CODE, 0,
    { return (uint64_t)(!B ? A : A % B); })
ROW("mul.wide.u16 %d, %a, %b;", "u32 u16 u16", ANY, CODE, 0,
    { return (uint64_t)(A * B); })
ROW("mul.hi.u16 %d, %a, %b;", "u16 u16 u16", ANY, CODE, 0,
    { return (uint64_t)(A * B >> 16); })
ROW("shr.u16 %d, %a, %b;", "u16 u16 u32", SMALL, CODE, 0,
    { return (uint64_t)(B < 16 ? A >> B : 0); })
ROW("add.s16 %d, %a, %b;", "s16 s16 s16", ANY, CODE, 0,
    { return (uint64_t)(A + B); })
ROW("sub.s16 %d, %a, %b;", "s16 s16 s16", ANY, CODE, 0,
    { return (uint64_t)(A - B); })
ROW("mul.lo.s16 %d, %a, %b;", "s16 s16 s16", ANY, CODE, 0,
    { return (uint64_t)(A * B); })
ROW("mad.lo.s16 %d, %a, %b, %c;", "s16 s16 s16 s16", ANY, CODE, 0,
    { return (uint64_t)(A * B + C); })
ROW("min.s16 %d, %a, %b;", "s16 s16 s16", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 16) < sign_extend(B, 16) ? A : B); })
ROW("max.s16 %d, %a, %b;", "s16 s16 s16", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 16) > sign_extend(B, 16) ? A : B); })
ROW("sad.s16 %d, %a, %b, %c;", "s16 s16 s16 s16", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 16) > sign_extend(B, 16) ? A - B + C : B - A + C); })
ROW("div.s16 %d, %a, %b;", "s16 s16 s16", ANY, CODE, 0,
    { return (uint64_t)(!B ? UINT64_MAX : sign_extend(B, 16) == -1 ? 0 - A : (uint64_t)(sign_extend(A, 16) / sign_extend(B, 16))); })
ROW("rem.s16 %d, %a, %b;", "s16 s16 s16", ANY, CODE, 0,
    { return (uint64_t)(!B ? A : sign_extend(B, 16) == -1 ? 0 : (uint64_t)(sign_extend(A, 16) % sign_extend(B, 16))); })
ROW("mul.wide.s16 %d, %a, %b;", "s32 s16 s16", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(sign_extend(A, 16) * sign_extend(B, 16))); })
ROW("mul.hi.s16 %d, %a, %b;", "s16 s16 s16", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(sign_extend(A, 16) * sign_extend(B, 16)) >> 16); })
ROW("neg.s16 %d, %a;", "s16 s16", ANY, CODE, 0,
    { return (uint64_t)(0 - A); })
ROW("abs.s16 %d, %a;", "s16 s16", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 16) < 0 ? 0 - A : A); })
ROW("shr.s16 %d, %a, %b;", "s16 s16 u32", SMALL, CODE, 0,
    { return (uint64_t)((uint64_t)(sign_extend(A, 16) >> (B < 16 ? B : 15))); })
ROW("add.u32 %d, %a, %b;", "u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(A + B); })
ROW("sub.u32 %d, %a, %b;", "u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(A - B); })
ROW("mul.lo.u32 %d, %a, %b;", "u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(A * B); })
ROW("mad.lo.u32 %d, %a, %b, %c;", "u32 u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(A * B + C); })
ROW("min.u32 %d, %a, %b;", "u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(A < B ? A : B); })
ROW("max.u32 %d, %a, %b;", "u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(A > B ? A : B); })
ROW("sad.u32 %d, %a, %b, %c;", "u32 u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(A > B ? A - B + C : B - A + C); })
ROW("div.u32 %d, %a, %b;", "u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(!B ? UINT64_MAX : A / B); })
ROW("rem.u32 %d, %a, %b;", "u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(!B ? A : A % B); })
ROW("mul.wide.u32 %d, %a, %b;", "u64 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(A * B); })
ROW("mad.wide.u32 %d, %a, %b, %c;", "u64 u32 u32 u64", ANY, CODE, 0,
    { return (uint64_t)(A * B + C); })
ROW("mul.hi.u32 %d, %a, %b;", "u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(A * B >> 32); })
ROW("mad.hi.u32 %d, %a, %b, %c;", "u32 u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)((A * B >> 32) + C); })
ROW("mul24.lo.u32 %d, %a, %b;", "u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)((A & 0xffffff) * (B & 0xffffff)); })
ROW("mul24.hi.u32 %d, %a, %b;", "u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)((A & 0xffffff) * (B & 0xffffff) >> 16); })
ROW("mad24.lo.u32 %d, %a, %b, %c;", "u32 u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)((A & 0xffffff) * (B & 0xffffff) + C); })
ROW("shr.u32 %d, %a, %b;", "u32 u32 u32", SMALL, CODE, 0,
    { return (uint64_t)(B < 32 ? A >> B : 0); })
ROW("add.s32 %d, %a, %b;", "s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)(A + B); })
ROW("sub.s32 %d, %a, %b;", "s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)(A - B); })
ROW("mul.lo.s32 %d, %a, %b;", "s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)(A * B); })
ROW("mad.lo.s32 %d, %a, %b, %c;", "s32 s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)(A * B + C); })
ROW("min.s32 %d, %a, %b;", "s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 32) < sign_extend(B, 32) ? A : B); })
ROW("max.s32 %d, %a, %b;", "s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 32) > sign_extend(B, 32) ? A : B); })
ROW("sad.s32 %d, %a, %b, %c;", "s32 s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 32) > sign_extend(B, 32) ? A - B + C : B - A + C); })
ROW("div.s32 %d, %a, %b;", "s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)(!B ? UINT64_MAX : sign_extend(B, 32) == -1 ? 0 - A : (uint64_t)(sign_extend(A, 32) / sign_extend(B, 32))); })
ROW("rem.s32 %d, %a, %b;", "s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)(!B ? A : sign_extend(B, 32) == -1 ? 0 : (uint64_t)(sign_extend(A, 32) % sign_extend(B, 32))); })
ROW("mul.wide.s32 %d, %a, %b;", "s64 s32 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(SA * SB)); })
ROW("mad.wide.s32 %d, %a, %b, %c;", "s64 s32 s32 s64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(SA * SB) + C); })
ROW("mul.hi.s32 %d, %a, %b;", "s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(SA * SB) >> 32); })
ROW("mad.hi.s32 %d, %a, %b, %c;", "s32 s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)(((uint64_t)(SA * SB) >> 32) + C); })
ROW("mul24.lo.s32 %d, %a, %b;", "s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(sign_extend(A, 24) * sign_extend(B, 24))); })
ROW("mul24.hi.s32 %d, %a, %b;", "s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(sign_extend(A, 24) * sign_extend(B, 24)) >> 16); })
ROW("mad24.lo.s32 %d, %a, %b, %c;", "s32 s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(sign_extend(A, 24) * sign_extend(B, 24)) + C); })
ROW("mad24.hi.sat.s32 %d, %a, %b, %c;", "s32 s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)clamp((int32_t)(sign_extend(A, 24) * sign_extend(B, 24) >> 16) + SC, INT32_MIN, INT32_MAX); })
ROW("neg.s32 %d, %a;", "s32 s32", ANY, CODE, 0,
    { return (uint64_t)(0 - A); })
ROW("abs.s32 %d, %a;", "s32 s32", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 32) < 0 ? 0 - A : A); })
ROW("shr.s32 %d, %a, %b;", "s32 s32 u32", SMALL, CODE, 0,
    { return (uint64_t)((uint64_t)(sign_extend(A, 32) >> (B < 32 ? B : 31))); })
ROW("add.u64 %d, %a, %b;", "u64 u64 u64", ANY, CODE, 0,
    { return (uint64_t)(A + B); })
ROW("sub.u64 %d, %a, %b;", "u64 u64 u64", ANY, CODE, 0,
    { return (uint64_t)(A - B); })
ROW("mul.lo.u64 %d, %a, %b;", "u64 u64 u64", ANY, CODE, 0,
    { return (uint64_t)(A * B); })
ROW("mad.lo.u64 %d, %a, %b, %c;", "u64 u64 u64 u64", ANY, CODE, 0,
    { return (uint64_t)(A * B + C); })
ROW("min.u64 %d, %a, %b;", "u64 u64 u64", ANY, CODE, 0,
    { return (uint64_t)(A < B ? A : B); })
ROW("max.u64 %d, %a, %b;", "u64 u64 u64", ANY, CODE, 0,
    { return (uint64_t)(A > B ? A : B); })
ROW("sad.u64 %d, %a, %b, %c;", "u64 u64 u64 u64", ANY, CODE, 0,
    { return (uint64_t)(A > B ? A - B + C : B - A + C); })
ROW("div.u64 %d, %a, %b;", "u64 u64 u64", ANY, CODE, 0,
    { return (uint64_t)(!B ? UINT64_MAX : A / B); })
ROW("rem.u64 %d, %a, %b;", "u64 u64 u64", ANY, CODE, 0,
    { return (uint64_t)(!B ? A : A % B); })
ROW("mul.hi.u64 %d, %a, %b;", "u64 u64 u64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)((unsigned __int128)A * B >> 64)); })
ROW("shr.u64 %d, %a, %b;", "u64 u64 u32", SMALL, CODE, 0,
    { return (uint64_t)(B < 64 ? A >> B : 0); })
ROW("add.s64 %d, %a, %b;", "s64 s64 s64", ANY, CODE, 0,
    { return (uint64_t)(A + B); })
ROW("sub.s64 %d, %a, %b;", "s64 s64 s64", ANY, CODE, 0,
    { return (uint64_t)(A - B); })
ROW("mul.lo.s64 %d, %a, %b;", "s64 s64 s64", ANY, CODE, 0,
    { return (uint64_t)(A * B); })
ROW("mad.lo.s64 %d, %a, %b, %c;", "s64 s64 s64 s64", ANY, CODE, 0,
    { return (uint64_t)(A * B + C); })
ROW("min.s64 %d, %a, %b;", "s64 s64 s64", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 64) < sign_extend(B, 64) ? A : B); })
ROW("max.s64 %d, %a, %b;", "s64 s64 s64", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 64) > sign_extend(B, 64) ? A : B); })
ROW("sad.s64 %d, %a, %b, %c;", "s64 s64 s64 s64", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 64) > sign_extend(B, 64) ? A - B + C : B - A + C); })
ROW("div.s64 %d, %a, %b;", "s64 s64 s64", ANY, CODE, 0,
    { return (uint64_t)(!B ? UINT64_MAX : sign_extend(B, 64) == -1 ? 0 - A : (uint64_t)(sign_extend(A, 64) / sign_extend(B, 64))); })
ROW("rem.s64 %d, %a, %b;", "s64 s64 s64", ANY, CODE, 0,
    { return (uint64_t)(!B ? A : sign_extend(B, 64) == -1 ? 0 : (uint64_t)(sign_extend(A, 64) % sign_extend(B, 64))); })
ROW("mul.hi.s64 %d, %a, %b;", "s64 s64 s64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)((__int128)(int64_t)A * (int64_t)B >> 64)); })
ROW("neg.s64 %d, %a;", "s64 s64", ANY, CODE, 0,
    { return (uint64_t)(0 - A); })
ROW("abs.s64 %d, %a;", "s64 s64", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 64) < 0 ? 0 - A : A); })
ROW("shr.s64 %d, %a, %b;", "s64 s64 u32", SMALL, CODE, 0,
    { return (uint64_t)((uint64_t)(sign_extend(A, 64) >> (B < 64 ? B : 63))); })
ROW("add.sat.s32 %d, %a, %b;", "s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)clamp(SA + SB, INT32_MIN, INT32_MAX)); })
ROW("sub.sat.s32 %d, %a, %b;", "s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)clamp(SA - SB, INT32_MIN, INT32_MAX)); })
ROW("mad.hi.sat.s32 %d, %a, %b, %c;", "s32 s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)clamp((SA * SB >> 32) + SC, INT32_MIN, INT32_MAX)); })
ROW("add.cc.u32 %d, %a, %b; addc.u32 %d, %c, %c;", "u32 u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(2 * C + ((A + B) >> 32)); })
ROW("add.cc.u64 %d, %a, %b; addc.u64 %d, %c, 0;", "u64 u64 u64 u64", ANY, CODE, 0,
    { return (uint64_t)(C + (A + B < A)); })
ROW("add.cc.s32 %d, %a, %b; addc.cc.s32 %d, %c, -1; addc.s32 %d, 0, 0;", "s32 s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)((C + 0xffffffff + ((A + B) >> 32)) >> 32); })
ROW("sub.cc.u32 %d, %a, %b; subc.u32 %d, %c, 0;", "u32 u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(C - (A < B)); })
ROW("sub.cc.u64 %d, %a, %b; subc.cc.u64 %d, %c, 5; subc.u64 %d, 0, 0;", "u64 u64 u64 u64", ANY, CODE, 0,
    { return (uint64_t)(0 - (uint64_t)(C < 5 + (uint64_t)(A < B))); })
ROW("mad.lo.cc.u32 %d, %a, %b, %c; addc.u32 %d, 0, 0;", "u32 u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(((A * B & 0xffffffff) + C) >> 32); })
ROW("mad.hi.cc.u32 %d, %a, %b, %c; addc.u32 %d, 0, 0;", "u32 u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(((A * B >> 32) + C) >> 32); })
ROW("mad.lo.cc.u32 %d, %a, %b, %c; madc.hi.u32 %d, %a, %b, 7;", "u32 u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)((A * B >> 32) + 7 + (((A * B & 0xffffffff) + C) >> 32)); })
ROW("mad.lo.cc.u32 %d, %a, %b, %c; madc.lo.cc.u32 %d, %a, %a, %b; addc.u32 %d, 0, 0;", "u32 u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(((A * A & 0xffffffff) + B + (((A * B & 0xffffffff) + C) >> 32)) >> 32); })
ROW("min.relu.s32 %d, %a, %b;", "s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)clamp(SA < SB ? SA : SB, 0, INT32_MAX)); })
ROW("max.relu.s32 %d, %a, %b;", "s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)clamp(SA > SB ? SA : SB, 0, INT32_MAX)); })
ROW("add.u16x2 %d, %a, %b;", "b32 b32 b32", ANY, CODE, 0,
    { PAIR2(H(A) + H(B)); })
ROW("min.u16x2 %d, %a, %b;", "b32 b32 b32", ANY, CODE, 0,
    { PAIR2(H(A) < H(B) ? H(A) : H(B)); })
ROW("max.s16x2 %d, %a, %b;", "b32 b32 b32", ANY, CODE, 0,
    { PAIR2(sign_extend(H(A), 16) > sign_extend(H(B), 16) ? H(A) : H(B)); })
ROW("min.relu.s16x2 %d, %a, %b;", "b32 b32 b32", ANY, CODE, 0,
    { PAIR2(sign_extend(H(A), 16) < 0 || sign_extend(H(B), 16) < 0 ? 0 : H(A) < H(B) ? H(A) : H(B)); })
ROW("and.b16 %d, %a, %b;", "b16 b16 b16", ANY, CODE, 0,
    { return (uint64_t)(A & B); })
ROW("or.b16 %d, %a, %b;", "b16 b16 b16", ANY, CODE, 0,
    { return (uint64_t)(A | B); })
ROW("xor.b16 %d, %a, %b;", "b16 b16 b16", ANY, CODE, 0,
    { return (uint64_t)(A ^ B); })
ROW("not.b16 %d, %a;", "b16 b16", ANY, CODE, 0,
    { return (uint64_t)(~A); })
ROW("cnot.b16 %d, %a;", "b16 b16", ANY, CODE, 0,
    { return (uint64_t)(!A); })
ROW("shl.b16 %d, %a, %b;", "b16 b16 u32", SMALL, CODE, 0,
    { return (uint64_t)(B < 16 ? A << B : 0); })
ROW("and.b32 %d, %a, %b;", "b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)(A & B); })
ROW("or.b32 %d, %a, %b;", "b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)(A | B); })
ROW("xor.b32 %d, %a, %b;", "b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)(A ^ B); })
ROW("not.b32 %d, %a;", "b32 b32", ANY, CODE, 0,
    { return (uint64_t)(~A); })
ROW("cnot.b32 %d, %a;", "b32 b32", ANY, CODE, 0,
    { return (uint64_t)(!A); })
ROW("shl.b32 %d, %a, %b;", "b32 b32 u32", SMALL, CODE, 0,
    { return (uint64_t)(B < 32 ? A << B : 0); })
ROW("and.b64 %d, %a, %b;", "b64 b64 b64", ANY, CODE, 0,
    { return (uint64_t)(A & B); })
ROW("or.b64 %d, %a, %b;", "b64 b64 b64", ANY, CODE, 0,
    { return (uint64_t)(A | B); })
ROW("xor.b64 %d, %a, %b;", "b64 b64 b64", ANY, CODE, 0,
    { return (uint64_t)(A ^ B); })
ROW("not.b64 %d, %a;", "b64 b64", ANY, CODE, 0,
    { return (uint64_t)(~A); })
ROW("cnot.b64 %d, %a;", "b64 b64", ANY, CODE, 0,
    { return (uint64_t)(!A); })
ROW("shl.b64 %d, %a, %b;", "b64 b64 u32", SMALL, CODE, 0,
    { return (uint64_t)(B < 64 ? A << B : 0); })
ROW("popc.b32 %d, %a;", "u32 b32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)__builtin_popcountll(A)); })
ROW("clz.b32 %d, %a;", "u32 b32", ANY, CODE, 0,
    { return (uint64_t)(A ? 31 - find_highest(A, 32, false) : 32); })
ROW("brev.b32 %d, %a;", "b32 b32", ANY, CODE, 0,
    { uint64_t r = 0; for (int k = 0; k < 32; k++) r = r << 1 | (A >> k & 1); return r; })
ROW("bfi.b32 %d, %a, %b, %c, 9;", "b32 b32 b32 u32", SMALL, CODE, 0,
    { return (uint64_t)(insert_field(A, B, (uint32_t)C, 9, 32)); })
ROW("bfi.b32 %d, %a, %b, 3, %c;", "b32 b32 b32 u32", SMALL, CODE, 0,
    { return (uint64_t)(insert_field(A, B, 3, (uint32_t)C, 32)); })
ROW("bfe.u32 %d, %a, %b, %c;", "u32 u32 u32 u32", SMALL, CODE, 0,
    { return (uint64_t)(extract_field(A, (uint32_t)B, (uint32_t)C, 32, false)); })
ROW("fns.b32 %d, %a, %b, %c;", "b32 b32 u32 s32", SMALL, CODE, 0,
    { return nth_bit(A, B, (int64_t)C); })
ROW("{.reg .s32 t; neg.s32 t, %c; fns.b32 %d, %a, %b, t;}", "b32 b32 u32 s32", SMALL, CODE, 0,
    { return nth_bit(A, B, -(int64_t)C); })
ROW("bfind.u32 %d, %a;", "u32 u32", ANY, CODE, 0,
    { return (uint64_t)(find_highest(A, 32, false)); })
ROW("bfind.shiftamt.u32 %d, %a;", "u32 u32", ANY, CODE, 0,
    { uint64_t h = find_highest(A, 32, false); return h == UINT32_MAX ? h : 31 - h; })
ROW("bfe.s32 %d, %a, %b, %c;", "s32 s32 u32 u32", SMALL, CODE, 0,
    { return (uint64_t)(extract_field(A, (uint32_t)B, (uint32_t)C, 32, true)); })
ROW("bfind.s32 %d, %a;", "u32 s32", ANY, CODE, 0,
    { return (uint64_t)(find_highest(A, 32, true)); })
ROW("bfind.shiftamt.s32 %d, %a;", "u32 s32", ANY, CODE, 0,
    { uint64_t h = find_highest(A, 32, true); return h == UINT32_MAX ? h : 31 - h; })
ROW("popc.b64 %d, %a;", "u32 b64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)__builtin_popcountll(A)); })
ROW("clz.b64 %d, %a;", "u32 b64", ANY, CODE, 0,
    { return (uint64_t)(A ? 63 - find_highest(A, 64, false) : 64); })
ROW("brev.b64 %d, %a;", "b64 b64", ANY, CODE, 0,
    { uint64_t r = 0; for (int k = 0; k < 64; k++) r = r << 1 | (A >> k & 1); return r; })
ROW("bfi.b64 %d, %a, %b, %c, 9;", "b64 b64 b64 u32", SMALL, CODE, 0,
    { return (uint64_t)(insert_field(A, B, (uint32_t)C, 9, 64)); })
ROW("bfi.b64 %d, %a, %b, 3, %c;", "b64 b64 b64 u32", SMALL, CODE, 0,
    { return (uint64_t)(insert_field(A, B, 3, (uint32_t)C, 64)); })
ROW("bfe.u64 %d, %a, %b, %c;", "u64 u64 u32 u32", SMALL, CODE, 0,
    { return (uint64_t)(extract_field(A, (uint32_t)B, (uint32_t)C, 64, false)); })
ROW("bfind.u64 %d, %a;", "u32 u64", ANY, CODE, 0,
    { return (uint64_t)(find_highest(A, 64, false)); })
ROW("bfind.shiftamt.u64 %d, %a;", "u32 u64", ANY, CODE, 0,
    { uint64_t h = find_highest(A, 64, false); return h == UINT32_MAX ? h : 63 - h; })
ROW("bfe.s64 %d, %a, %b, %c;", "s64 s64 u32 u32", SMALL, CODE, 0,
    { return (uint64_t)(extract_field(A, (uint32_t)B, (uint32_t)C, 64, true)); })
ROW("bfind.s64 %d, %a;", "u32 s64", ANY, CODE, 0,
    { return (uint64_t)(find_highest(A, 64, true)); })
ROW("bfind.shiftamt.s64 %d, %a;", "u32 s64", ANY, CODE, 0,
    { uint64_t h = find_highest(A, 64, true); return h == UINT32_MAX ? h : 63 - h; })
ROW("bmsk.clamp.b32 %d, %a, %b;", "b32 u32 u32", SMALL, CODE, 0,
    { return (uint64_t)(mask_bits(A, B)); })
ROW("bmsk.wrap.b32 %d, %a, %b;", "b32 u32 u32", SMALL, CODE, 0,
    { return (uint64_t)(mask_bits(A & 31, B & 31)); })
ROW("szext.clamp.u32 %d, %a, %b;", "u32 u32 u32", SMALL, CODE, 0,
    { return (uint64_t)(B > 31 ? A : A & ((UINT64_C(1) << B) - 1)); })
ROW("szext.wrap.s32 %d, %a, %b;", "s32 s32 u32", SMALL, CODE, 0,
    { return (uint64_t)(B % 32 ? (uint64_t)sign_extend(A, (int)(B % 32)) : 0); })
ROW("szext.clamp.s32 %d, %a, %b;", "s32 s32 u32", SMALL, CODE, 0,
    { return (uint64_t)(B ? (uint64_t)sign_extend(A, B > 31 ? 32 : (int)B) : 0); })
ROW("prmt.b32 %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)(bytes_by_digits(A, B, C)); })
ROW("prmt.b32.f4e %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)(pick_bytes(A, B, (uint32_t[]){C & 3, (C & 3) + 1, (C & 3) + 2, (C & 3) + 3})); })
ROW("prmt.b32.b4e %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)(pick_bytes(A, B, (uint32_t[]){C & 3, ((C & 3) + 7) % 8, ((C & 3) + 6) % 8, ((C & 3) + 5) % 8})); })
ROW("prmt.b32.rc8 %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)(pick_bytes(A, B, (uint32_t[]){C & 3, C & 3, C & 3, C & 3})); })
ROW("prmt.b32.ecl %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { uint32_t s[4]; for (uint32_t k = 0; k < 4; k++) s[k] = k > (C & 3) ? k : (uint32_t)(C & 3); return pick_bytes(A, B, s); })
ROW("prmt.b32.ecr %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { uint32_t s[4]; for (uint32_t k = 0; k < 4; k++) s[k] = k < (C & 3) ? k : (uint32_t)(C & 3); return pick_bytes(A, B, s); })
ROW("prmt.b32.rc16 %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)(C & 1 ? pick_bytes(A, B, (uint32_t[]){2, 3, 2, 3}) : pick_bytes(A, B, (uint32_t[]){0, 1, 0, 1})); })
ROW("lop3.b32 %d, %a, %b, %c, 0x96;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)(A ^ B ^ C); })
ROW("lop3.b32 %d, %a, %b, %c, 0xca;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)((A & B) | (~A & C)); })
ROW("lop3.b32 %d, %a, %b, %c, 0x1b;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)((~A & ~B) | (~A & C) | (A & ~B & ~C)); })
ROW("setp.eq.u32 %q, %c, 0; lop3.or.b32 %d|%p, %a, %b, %c, 0x80, %q;", "p b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)((A & B & C) != 0 || !C); })
ROW("shf.l.wrap.b32 %d, %a, %b, %c;", "b32 b32 b32 u32", SMALL, CODE, 0,
    { return (uint64_t)((B << 32 | A) << (C & 31) >> 32); })
ROW("shf.r.wrap.b32 %d, %a, %b, %c;", "b32 b32 b32 u32", SMALL, CODE, 0,
    { return (uint64_t)((B << 32 | A) >> (C & 31)); })
ROW("shf.l.clamp.b32 %d, %a, %b, %c;", "b32 b32 b32 u32", SMALL, CODE, 0,
    { return (uint64_t)(C > 31 ? A : (B << 32 | A) << C >> 32); })
ROW("shf.r.clamp.b32 %d, %a, %b, %c;", "b32 b32 b32 u32", SMALL, CODE, 0,
    { return (uint64_t)((B << 32 | A) >> (C > 32 ? 32 : C)); })
ROW("dp4a.u32.u32 %d, %a, %b, %c;", "u32 b32 b32 u32", ANY, CODE, 0,
    { return (uint64_t)(dot4(A, B, C, false, false)); })
ROW("dp2a.lo.u32.u32 %d, %a, %b, %c;", "u32 b32 b32 u32", ANY, CODE, 0,
    { return (uint64_t)(dot2(A, B, C, false, false)); })
ROW("dp2a.hi.u32.u32 %d, %a, %b, %c;", "u32 b32 b32 u32", ANY, CODE, 0,
    { return (uint64_t)(dot2(A, B >> 16, C, false, false)); })
ROW("dp4a.u32.s32 %d, %a, %b, %c;", "s32 b32 b32 s32", ANY, CODE, 0,
    { return (uint64_t)(dot4(A, B, C, false, true)); })
ROW("dp2a.lo.u32.s32 %d, %a, %b, %c;", "s32 b32 b32 s32", ANY, CODE, 0,
    { return (uint64_t)(dot2(A, B, C, false, true)); })
ROW("dp2a.hi.u32.s32 %d, %a, %b, %c;", "s32 b32 b32 s32", ANY, CODE, 0,
    { return (uint64_t)(dot2(A, B >> 16, C, false, true)); })
ROW("dp4a.s32.u32 %d, %a, %b, %c;", "s32 b32 b32 s32", ANY, CODE, 0,
    { return (uint64_t)(dot4(A, B, C, true, false)); })
ROW("dp2a.lo.s32.u32 %d, %a, %b, %c;", "s32 b32 b32 s32", ANY, CODE, 0,
    { return (uint64_t)(dot2(A, B, C, true, false)); })
ROW("dp2a.hi.s32.u32 %d, %a, %b, %c;", "s32 b32 b32 s32", ANY, CODE, 0,
    { return (uint64_t)(dot2(A, B >> 16, C, true, false)); })
ROW("dp4a.s32.s32 %d, %a, %b, %c;", "s32 b32 b32 s32", ANY, CODE, 0,
    { return (uint64_t)(dot4(A, B, C, true, true)); })
ROW("dp2a.lo.s32.s32 %d, %a, %b, %c;", "s32 b32 b32 s32", ANY, CODE, 0,
    { return (uint64_t)(dot2(A, B, C, true, true)); })
ROW("dp2a.hi.s32.s32 %d, %a, %b, %c;", "s32 b32 b32 s32", ANY, CODE, 0,
    { return (uint64_t)(dot2(A, B >> 16, C, true, true)); })
/* clang-format on */
