/* SPDX-License-Identifier: MIT */
/*
 * Families of instructions (_families.h): conversions to the tensor core formats, and .satfinite.
 * Rows are as in _family_floats.h. A conversion has two rows where ANY covers corner cases and
 * HALFWAY ties.
 */
/* clang-format off */
ROW("cvt.rna.tf32.f32 %d, %a;", "f32 f32", ANY, CODE, 0,
    { return tf32_bits(f32(A), 'a'); })
ROW("cvt.rna.tf32.f32 %d, %a;", "f32 f32", HALFWAY, CODE, 0,
    { return tf32_bits(f32(A), 'a'); })
ROW("cvt.rna.satfinite.tf32.f32 %d, %a;", "f32 f32", ANY, CODE, 0,
    { return tf32_bits(clamp_magnitude(f32(A), 0x1.ffcp127), 'a'); })
ROW("cvt.rn.tf32.f32 %d, %a;", "f32 f32", ANY, HOPPER, 0,
    { return tf32_bits(f32(A), 'n'); })
ROW("cvt.rn.tf32.f32 %d, %a;", "f32 f32", HALFWAY, HOPPER, 0,
    { return tf32_bits(f32(A), 'n'); })
ROW("cvt.rz.tf32.f32 %d, %a;", "f32 f32", ANY, HOPPER, 0,
    { return tf32_bits(f32(A), 'z'); })
ROW("cvt.rn.relu.tf32.f32 %d, %a;", "f32 f32", ANY, HOPPER, 0,
    { return tf32_bits(relu(f32(A)), 'n'); })
ROW("cvt.rz.relu.tf32.f32 %d, %a;", "f32 f32", HALFWAY, HOPPER, 0,
    { return tf32_bits(relu(f32(A)), 'z'); })
ROW("cvt.rn.satfinite.f16.f32 %d, %a;", "f16 f32", ANY, CODE, 0,
    { return half_bits(clamp_magnitude(f32(A), 65504), 'n'); })
ROW("cvt.rz.relu.satfinite.f16.f32 %d, %a;", "f16 f32", HALFWAY, CODE, 0,
    { return half_bits(clamp_magnitude(relu(f32(A)), 65504), 'z'); })
ROW("cvt.rn.satfinite.bf16.f32 %d, %a;", "bf16 f32", ANY, CODE, 0,
    { return bf16_bits(clamp_magnitude(f32(A), 0x1.fep127), 'n'); })
ROW("cvt.rn.satfinite.f16x2.f32 %d, %a, %b;", "f16x2 f32 f32", ANY, CODE, 0,
    { return half_bits(clamp_magnitude(f32(A), 65504), 'n') << 16 | half_bits(clamp_magnitude(f32(B), 65504), 'n'); })
ROW("cvt.rz.relu.satfinite.bf16x2.f32 %d, %a, %b;", "bf16x2 f32 f32", ANY, CODE, 0,
    { return bf16_bits(clamp_magnitude(relu(f32(A)), 0x1.fep127), 'z') << 16 |
	     bf16_bits(clamp_magnitude(relu(f32(B)), 0x1.fep127), 'z'); })
ROW("cvt.rn.satfinite.e4m3x2.f32 %d, %a, %b;", "u16 f32 f32", ANY, HOPPER, 0,
    { return e4m3_bits(f32(A)) << 8 | e4m3_bits(f32(B)); })
ROW("cvt.rn.satfinite.e4m3x2.f32 %d, %a, %b;", "u16 f32 f32", HALFWAY, HOPPER, 0,
    { return e4m3_bits(f32(A)) << 8 | e4m3_bits(f32(B)); })
ROW("cvt.rn.satfinite.relu.e4m3x2.f32 %d, %a, %b;", "u16 f32 f32", HALFWAY, HOPPER, 0,
    { return e4m3_bits(relu(f32(A))) << 8 | e4m3_bits(relu(f32(B))); })
ROW("cvt.rn.satfinite.e5m2x2.f32 %d, %a, %b;", "u16 f32 f32", ANY, HOPPER, 0,
    { return e5m2_bits(f32(A)) << 8 | e5m2_bits(f32(B)); })
ROW("cvt.rn.satfinite.e5m2x2.f32 %d, %a, %b;", "u16 f32 f32", HALFWAY, HOPPER, 0,
    { return e5m2_bits(f32(A)) << 8 | e5m2_bits(f32(B)); })
ROW("cvt.rn.relu.satfinite.e5m2x2.f32 %d, %a, %b;", "u16 f32 f32", ANY, HOPPER, 0,
    { return e5m2_bits(relu(f32(A))) << 8 | e5m2_bits(relu(f32(B))); })
ROW("cvt.rn.satfinite.e4m3x2.f16x2 %d, %a;", "u16 f16x2", ANY, HOPPER, 0,
    { return e4m3_bits(f16(A >> 16)) << 8 | e4m3_bits(f16(A & 0xffff)); })
ROW("cvt.rn.satfinite.e4m3x2.f16x2 %d, %a;", "u16 f16x2", HALFWAY, HOPPER, 0,
    { return e4m3_bits(f16(A >> 16)) << 8 | e4m3_bits(f16(A & 0xffff)); })
ROW("cvt.rn.satfinite.relu.e4m3x2.f16x2 %d, %a;", "u16 f16x2", ANY, HOPPER, 0,
    { return e4m3_bits(relu(f16(A >> 16))) << 8 | e4m3_bits(relu(f16(A & 0xffff))); })
ROW("cvt.rn.satfinite.e5m2x2.f16x2 %d, %a;", "u16 f16x2", ANY, HOPPER, 0,
    { return e5m2_bits(f16(A >> 16)) << 8 | e5m2_bits(f16(A & 0xffff)); })
ROW("cvt.rn.satfinite.e5m2x2.f16x2 %d, %a;", "u16 f16x2", HALFWAY, HOPPER, 0,
    { return e5m2_bits(f16(A >> 16)) << 8 | e5m2_bits(f16(A & 0xffff)); })
ROW("cvt.rn.satfinite.relu.e5m2x2.f16x2 %d, %a;", "u16 f16x2", HALFWAY, HOPPER, 0,
    { return e5m2_bits(relu(f16(A >> 16))) << 8 | e5m2_bits(relu(f16(A & 0xffff))); })
ROW("cvt.rn.f16x2.e4m3x2 %d, %a;", "f16x2 u16", BYTES, HOPPER, 0,
    { return half_bits(e4m3(A >> 8), 'n') << 16 | half_bits(e4m3(A & 0xff), 'n'); })
ROW("cvt.rn.f16x2.e5m2x2 %d, %a;", "f16x2 u16", BYTES, HOPPER, 0,
    { return half_bits(e5m2(A >> 8), 'n') << 16 | half_bits(e5m2(A & 0xff), 'n'); })
ROW("cvt.rn.relu.f16x2.e4m3x2 %d, %a;", "f16x2 u16", BYTES, HOPPER, 0,
    { return half_bits(relu(e4m3(A >> 8)), 'n') << 16 |
	     half_bits(relu(e4m3(A & 0xff)), 'n'); })
ROW("cvt.rn.relu.f16x2.e5m2x2 %d, %a;", "f16x2 u16", BYTES, HOPPER, 0,
    { return half_bits(relu(e5m2(A >> 8)), 'n') << 16 |
	     half_bits(relu(e5m2(A & 0xff)), 'n'); })
