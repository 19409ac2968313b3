/* SPDX-License-Identifier: MIT */
/*
 * Families of instructions (_families.h): sequences for which chips have one instruction.
 */
/* clang-format off */
ROW("add.s32 %d, %a, %b; max.s32 %d, %d, %c;", "s32 s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)larger((int32_t)(A + B), SC); })
ROW("sub.s32 %d, %a, %b; min.s32 %d, %c, %d;", "s32 s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)smaller((int32_t)(A - B), SC); })
ROW("add.u32 %d, %a, 77; min.u32 %d, %d, %c;", "u32 u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)smaller((uint32_t)(A + 77), (uint32_t)C); })
ROW("sub.u32 %d, 77, %a; max.u32 %d, %d, %c;", "u32 u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)larger((uint32_t)(77 - A), (uint32_t)C); })
ROW("add.s32 %d, %a, %b; max.s32 %d, %d, -5000;", "s32 s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)larger((int32_t)(A + B), -5000); })
ROW("add.s32 %a, %a, %b; max.s32 %d, %a, %c; min.s32 %c, %a, %c; xor.b32 %d, %d, %c;", "s32 s32 s32 s32", ANY, CODE, 0,
    { return (uint32_t)(A + B) ^ C; })
ROW("add.s32 %d, %a, %b; max.relu.s32 %d, %d, %c;", "s32 s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)larger(larger((int32_t)(A + B), SC), 0); })
ROW("add.s32 %d, %a, %b; min.relu.s32 %d, %d, %c;", "s32 s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)larger(smaller((int32_t)(A + B), SC), 0); })
ROW("add.s32 %d, %a, %b; add.s32 %a, %a, %c; max.s32 %d, %d, %a; sub.s32 %b, %b, %c; max.s32 %d, %d, %b;", "s32 s32 s32 s32",
    ANY, CODE, 0, { return (uint64_t)larger(larger((int32_t)(A + B), (int32_t)(A + C)), (int32_t)(B - C)); })
ROW("sub.s32 %d, %a, 2; max.s32 %d, %d, 0;", "s32 s32", ANY, CODE, 0,
    { return (uint64_t)larger((int32_t)(A - 2), 0); })
ROW("sub.s32 %d, 0, %a; min.s32 %d, %d, 9;", "s32 s32", ANY, CODE, 0,
    { return (uint64_t)smaller((int32_t)(0 - A), 9); })
ROW("max.s32 %d, %a, %b; max.s32 %d, %d, %c;", "s32 s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)larger(larger(SA, SB), SC); })
ROW("min.u32 %d, %a, %b; min.u32 %d, %d, %c;", "u32 u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)smaller(smaller((wide)A, (wide)B), (wide)C); })
ROW("min.s32 %d, %a, 12345; min.s32 %d, %d, %c; max.s32 %d, %d, 0;", "s32 s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)larger(smaller(smaller(SA, 12345), SC), 0); })
ROW("max.s32 %d, %a, %b; min.s32 %d, %d, %c;", "s32 s32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)smaller(larger(SA, SB), SC); })
ROW("add.s16 %d, %a, %b; max.s16 %d, %d, %c;", "s16 s16 s16 s16", ANY, CODE, 0,
    { return (uint64_t)larger((int16_t)(A + B), (int16_t)C) & 0xffff; })
ROW("min.u16 %d, %a, %b; min.u16 %d, %d, %c;", "u16 u16 u16 u16", ANY, CODE, 0,
    { return (uint64_t)smaller(smaller((wide)A, (wide)B), (wide)C); })
ROW("sub.u16 %d, %a, %b; min.u16 %d, %d, %c; shr.u16 %d, %d, 3;", "u16 u16 u16 u16", ANY, CODE, 0,
    { return (uint64_t)smaller((uint16_t)(A - B), (wide)C) >> 3; })
ROW("{.reg .b32 t; add.s16x2 t, %a, %b; max.s16x2 %d, t, %c;}", "b32 b32 b32 b32", ANY, CODE, 0,
    { PAIR2((uint64_t)larger((int16_t)(H(A) + H(B)), (int16_t)H(C))); })
ROW("{.reg .b32 t; add.u16x2 t, %a, %b; min.u16x2 %d, t, %c;}", "b32 b32 b32 b32", ANY, CODE, 0,
    { PAIR2((uint64_t)smaller((uint16_t)(H(A) + H(B)), (wide)H(C))); })
ROW("{.reg .b32 t; add.s16x2 t, %a, %b; min.relu.s16x2 %d, t, %c;}", "b32 b32 b32 b32", ANY, CODE, 0,
    { PAIR2((uint64_t)larger(smaller((int16_t)(H(A) + H(B)), (int16_t)H(C)), 0)); })
ROW("{.reg .b32 t, u; mov.b32 u, 0x7fff0003; add.s16x2 t, %a, u; max.s16x2 %d, t, %c;}", "b32 b32 b32 b32", ANY, CODE, 0,
    { PAIR2((uint64_t)larger((int16_t)(H(A) + H(0x7fff0003)), (int16_t)H(C))); })
ROW("{.reg .b32 t; max.s16x2 t, %a, %b; max.s16x2 %d, t, %c;}", "b32 b32 b32 b32", ANY, CODE, 0,
    { PAIR2((uint64_t)larger(larger((int16_t)H(A), (int16_t)H(B)), (int16_t)H(C))); })
ROW("{.reg .b32 t; add.s16x2 t, %a, %b; max.s16x2 %d, t, %c; min.s16x2 t, t, %c; xor.b32 %d, %d, t;}", "b32 b32 b32 b32", ANY,
    CODE, 0, { PAIR2((H(A) + H(B)) ^ H(C)); })
ROW("{.reg .b16 x, y; mov.b32 {x, y}, %b; neg.s16 x, x; neg.s16 y, y; mov.b32 %b, {x, y}; add.s16x2 %d, %a, %b;}",
    "b32 b32 b32", ANY, CODE, 0, { PAIR2(H(A) - H(B)); })
ROW("{.reg .b16 x, y, z, w; mov.b32 {x, y}, %a; mov.b32 {z, w}, %b; sub.s16 x, x, z; sub.s16 y, w, y; mov.b32 %d, {x, y};}",
    "b32 b32 b32", ANY, CODE, 0, { PAIR2(L ? H(B) - H(A) : H(A) - H(B)); })
ROW("{.reg .b16 x, y, z, w; mov.b32 {x, y}, %a; mov.b32 {z, w}, %b; mov.b32 %d, {y, w};}", "b32 b32 b32", ANY, CODE, 0,
    { return A >> 16 | (B >> 16) << 16; })
ROW("{.reg .b16 x, y; mov.b32 {x, y}, %a; cvt.s32.s16 %d, y;}", "s32 b32", ANY, CODE, 0,
    { return (uint64_t)(SA >> 16); })
ROW("shl.b32 %d, %a, 7; shr.u32 %a, %a, 25; or.b32 %d, %d, %a;", "b32 b32", ANY, CODE, 0,
    { return A << 7 | A >> 25; })
ROW("shr.u32 %d, %b, 31; shl.b32 %a, %a, 1; add.u32 %d, %d, %a; xor.b32 %d, %d, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (A << 1 | B >> 31) ^ C; })
ROW("shl.b32 %d, %a, 7; shr.u32 %b, %b, 24; or.b32 %d, %d, %b;", "b32 b32 b32", ANY, CODE, 0,
    { return A << 7 | B >> 24; })
ROW("shr.u32 %d, %a, 24; and.b32 %d, %d, 255; add.u32 %d, %d, %b;", "b32 b32 b32", ANY, CODE, 0,
    { return (A >> 24) + B; })
ROW("{.reg .b16 x, y; cvt.rn.f16.f32 x, %a; cvt.rn.f16.f32 y, %b; mov.b32 %d, {x, y};}", "f16x2 f32 f32", ANY, CODE, 0,
    { return half_bits(f32(A), 'n') | half_bits(f32(B), 'n') << 16; })
ROW("{.reg .b16 x, y; cvt.rn.bf16.f32 x, %a; cvt.rn.bf16.f32 y, %b; mov.b32 %d, {x, y};}", "bf16x2 f32 f32", ANY, CODE, 0,
    { return bf16_bits(f32(A), 'n') | bf16_bits(f32(B), 'n') << 16; })
ROW("{.reg .b64 t; cvt.s64.s32 t, %a; add.s64 t, t, 0x123456789abcdef; shr.u64 t, t, 32; cvt.u32.u64 %d, t;}", "b32 s32", ANY,
    CODE, 0, { return ((uint64_t)SA + 0x123456789abcdef) >> 32; })
ROW("{.reg .b64 t; cvt.s64.s32 t, %a; add.s64 %d, t, 0x12345678ffffffff;}", "s64 s32", ANY, CODE, 0,
    { return (uint64_t)SA + 0x12345678ffffffff; })
ROW("abs.f32 %a, %a; neg.f32 %a, %a; setp.lt.s32 %p, %c, 0; selp.f32 %d, %a, %b, %p;", "f32 f32 f32 s32", ANY, CODE, 0,
    { return SC < 0 ? A | 0x80000000 : B; })
ROW("neg.f32 %b, %b; setp.lt.s32 %p, %c, 0; selp.f32 %d, 0f3FC00000, %b, %p;", "f32 f32 f32 s32", ANY, CODE, 0,
    { return SC < 0 ? 0x3fc00000 : B ^ 0x80000000; })
ROW("abs.f32 %a, %a; {.reg .b32 t, u; mov.b32 t, %a; mov.b32 u, %b; and.b32 u, u, 0x80000000; or.b32 t, t, u; mov.b32 %d, t;}",
    "f32 f32 f32", ANY, CODE, 0, { return (A & 0x7fffffff) | (B & 0x80000000); })
ROW("{.reg .b32 t; and.b32 t, %a, 0xff00ff; and.b32 %d, %b, 0xff00ff00; or.b32 %d, %d, t;}", "b32 b32 b32", ANY, CODE, 0,
    { return (A & 0xff00ff) | (B & 0xff00ff00); })
ROW("{.reg .b64 t; and.b64 t, %a, 0xff00ff1234567; and.b64 %d, %b, 0xfff00ff00edcba98; xor.b64 %d, %d, t;}", "b64 b64 b64", ANY,
    CODE, 0, { return (A & 0xff00ff1234567) ^ (B & 0xfff00ff00edcba98); })
ROW("{.reg .b32 t; or.b32 t, %a, 0xff00ff; and.b32 %d, %b, 0xff00ff00; xor.b32 %d, %d, t; and.b32 %d, %d, %c;}",
    "b32 b32 b32 b32", ANY, CODE, 0, { return ((A | 0xff00ff) ^ (B & 0xff00ff00)) & C; })
