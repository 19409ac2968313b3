/* SPDX-License-Identifier: MIT */
/*
 * Families of instructions (_families.h): video instructions. Each row's reference is the manual's
 * pseudocode in integers that cannot overflow.
 */
/* clang-format off */
ROW("vadd.u32.u32.u32 %d, %a, %b;", "b32 b32 b32", ANY, CODE, 0,
    { return A + B; })
ROW("vadd.s32.u32.s32.sat %d, %a.b0, %b.h1;", "b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)limit(part(A, 0, 8, false) + part(B, 16, 16, true), 32, true); })
ROW("vadd.u32.s32.s32.sat %d, %a, %b;", "b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)limit((wide)SA + SB, 32, false); })
ROW("vadd.u32.u32.u32.sat %d, %a, %b;", "b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)limit((wide)A + (wide)B, 32, false); })
ROW("vadd.s32.s32.u32.sat.add %d, %a, %b.b3, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)(limit((wide)SA + part(B, 24, 8, false), 32, true) + (wide)SC); })
ROW("vadd.u32.u32.s32.max %d, %a.h1, %b.b2, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)larger(part(A, 16, 16, false) + part(B, 16, 8, true), (wide)C); })
ROW("vsub.s32.u32.u32.min %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)smaller((wide)A - (wide)B, (wide)SC); })
ROW("vsub.u32.s32.u32 %d.h1, %a.h1, %b.b2, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return merge(part(A, 16, 16, true) - part(B, 16, 8, false), 16, 16, C); })
ROW("vsub.s32.s32.u32.sat %d.b0, %a.b0, %b.h1, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return merge(limit(part(A, 0, 8, true) - part(B, 16, 16, false), 8, true), 0, 8, C); })
ROW("vsub.u32.u32.u32.sat %d.h0, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return merge(limit((wide)A - (wide)B, 16, false), 0, 16, C); })
ROW("vabsdiff.u32.s32.s32 %d, %a, %b;", "b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)distance(SA, SB); })
ROW("vabsdiff.s32.s32.s32.sat %d, %a, %b;", "b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)limit(distance(SA, SB), 32, true); })
ROW("vabsdiff.u32.u32.u32.add %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)(distance((wide)A, (wide)B) + (wide)C); })
ROW("vmin.s32.s32.u32 %d, %a, %b;", "b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)smaller((wide)SA, (wide)B); })
ROW("vmin.u32.u32.u32.sat %d.b3, %a.h0, %b.h1, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return merge(limit(smaller(part(A, 0, 16, false), part(B, 16, 16, false)), 8, false), 24, 8, C); })
ROW("vmax.s32.s32.s32.sat %d.b2, %a.h0, %b.h1, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return merge(limit(larger(part(A, 0, 16, true), part(B, 16, 16, true)), 8, true), 16, 8, C); })
ROW("vmax.u32.s32.s32.sat %d, %a, %b;", "b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)limit(larger(SA, SB), 32, false); })
ROW("vshl.u32.u32.u32.clamp %d, %a, %b;", "b32 b32 b32", SMALL, CODE, 0,
    { return (uint64_t)((wide)A << (B > 32 ? 32 : B)); })
ROW("vshl.u32.u32.u32.sat.clamp %d, %a, %b;", "b32 b32 b32", SMALL, CODE, 0,
    { return (uint64_t)limit((wide)A << (B > 32 ? 32 : B), 32, false); })
ROW("vshl.s32.s32.u32.sat.clamp %d, %a.b1, %b;", "b32 b32 b32", SMALL, CODE, 0,
    { return (uint64_t)limit(part(A, 8, 8, true) * ((wide)1 << (B > 32 ? 32 : B)), 32, true); })
ROW("vshl.s32.u32.u32.sat.wrap %d.h1, %a.h1, %b.b3, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return merge(limit(part(A, 16, 16, false) << (B >> 24 & 31), 16, true), 16, 16, C); })
ROW("vshr.s32.s32.u32.clamp %d, %a, %b;", "b32 b32 b32", SMALL, CODE, 0,
    { return (uint64_t)((wide)SA >> (B > 32 ? 32 : B)); })
ROW("vshr.u32.u32.u32.wrap.add %d, %a, %b.h1, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return ((A & 0xffffffff) >> (B >> 16 & 31)) + C; })
ROW("vset.s32.u32.lt %d, %a, %b;", "b32 b32 b32", ANY, CODE, 0,
    { return (wide)SA < (wide)B; })
ROW("vset.u32.u32.ne.add %d, %a.b3, %b.b2, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return C + (part(A, 24, 8, false) != part(B, 16, 8, false)); })
ROW("vset.s32.s32.ge %d.b1, %a.h0, %b.h1, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return merge(part(A, 0, 16, true) >= part(B, 16, 16, true), 8, 8, C); })
ROW("vmad.u32.u32.u32 %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)((wide)A * (wide)B + (wide)C); })
ROW("vmad.s32.s32.u32.sat %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)limit(((wide)SA * (wide)B + (wide)SC), 32, true); })
ROW("vmad.u32.u32.u32.sat.shr15 %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)limit((((wide)A * (wide)B + (wide)C) >> 15), 32, false); })
ROW("vmad.s32.s32.s32.shr7 %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)(((wide)SA * (wide)SB + (wide)SC) >> 7); })
ROW("vmad.u32.u32.u32.po.shr7 %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)(((wide)A * (wide)B + (wide)C + 1) >> 7); })
ROW("vmad.s32.u32.u32.sat.shr15 %d, -%a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)limit(((-(wide)A * (wide)B + (wide)SC) >> 15), 32, true); })
ROW("vmad.s32.u32.u32.sat %d, %a, %b, -%c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)limit(((wide)A * (wide)B - (wide)SC), 32, true); })
ROW("vmad.s32.s32.s32.po.sat.shr15 %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)limit((((wide)SA * (wide)SB + (wide)SC + 1) >> 15), 32, true); })
ROW("vmad.u32.u32.u32.po.sat %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)limit(((wide)A * (wide)B + (wide)C + 1), 32, false); })
ROW("vmad.s32.s32.s32.sat %d, -%a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)limit((-(wide)SA * (wide)SB + (wide)SC), 32, true); })
ROW("vmad.u32.u32.u32.shr15 %d, %a.h0, %b.h0, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { return (uint64_t)((part(A, 0, 16, false) * part(B, 0, 16, false) + (wide)C) >> 15); })
ROW("vadd2.u32.u32.u32 %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANES(2, 3, "10", "32", false, false, X + Y); })
ROW("vadd2.s32.s32.u32.sat %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANES(2, 3, "10", "32", true, false, limit(X + Y, 16, true)); })
ROW("vadd4.u32.u32.u32.add %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANE_SUM(4, 15, "3210", "7654", false, false, X + Y); })
ROW("vsub2.s32.s32.s32.sat %d.h0, %a.h10, %b.h32, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANES(2, 1, "10", "32", true, true, limit(X - Y, 16, true)); })
ROW("vsub4.u32.u32.u32.sat %d.b31, %a.b3074, %b.b7612, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANES(4, 10, "3074", "7612", false, false, limit(X - Y, 8, false)); })
ROW("vavrg2.s32.s32.s32 %d, %a, %b.h01, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANES(2, 3, "10", "01", true, true, average(X, Y)); })
ROW("vavrg4.u32.u32.u32 %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANES(4, 15, "3210", "7654", false, false, average(X, Y)); })
ROW("vabsdiff2.u32.s32.s32.add %d.h1, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANE_SUM(2, 2, "10", "32", true, true, distance(X, Y)); })
ROW("vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANE_SUM(4, 15, "3210", "7654", false, false, distance(X, Y)); })
ROW("vabsdiff4.u32.u32.u32 %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANES(4, 15, "3210", "7654", false, false, distance(X, Y)); })
ROW("vabsdiff4.u32.u32.u32 %d, %a, %b, 77; vabsdiff4.u32.u32.u32.add %d, %d, %c, 5;", "b32 b32 b32 b32", ANY, CODE, 0,
    { uint64_t r = 5;
      for (int k = 0; k < 32; k += 8)
	      r += (uint64_t)distance(distance(part(A, k, 8, false), part(B, k, 8, false)), part(C, k, 8, false));
      return r; })
ROW("vabsdiff4.s32.s32.s32.sat %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANES(4, 15, "3210", "7654", true, true, limit(distance(X, Y), 8, true)); })
ROW("vmin2.s32.u32.u32.add %d.h10, %a.h00, %b.h22, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANE_SUM(2, 3, "00", "22", false, false, smaller(X, Y)); })
ROW("vmin4.s32.s32.u32 %d.b20, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANES(4, 5, "3210", "7654", true, false, smaller(X, Y)); })
ROW("vmax2.u32.s32.s32.sat %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANES(2, 3, "10", "32", true, true, limit(larger(X, Y), 16, false)); })
ROW("vmax4.s32.s32.s32 %d, %a.b0123, %b.b4567, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANES(4, 15, "0123", "4567", true, true, larger(X, Y)); })
ROW("vset2.s32.u32.lt %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANES(2, 3, "10", "32", true, false, (wide)(X < Y)); })
ROW("vset2.u32.u32.ne.add %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANE_SUM(2, 3, "10", "32", false, false, (wide)(X != Y)); })
ROW("vset4.s32.s32.ge %d.b0, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANES(4, 1, "3210", "7654", true, true, (wide)(X >= Y)); })
ROW("vset4.u32.u32.gt.add %d, %a, %b, %c;", "b32 b32 b32 b32", ANY, CODE, 0,
    { LANE_SUM(4, 15, "3210", "7654", false, false, (wide)(X > Y)); })
