/* SPDX-License-Identifier: MIT */
/*
 * Families of instructions (_families.h): floats, comparisons and conversions. A row is text, types
 * of d a b c, inputs, level, accurate bits of an approximation, and the body of the reference
 * function. Included twice.
 */
/* clang-format off */
ROW("min.f32 %d, %a, %b;", "f32 f32 f32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(min_number(f32(A), f32(B)), 'n')); })
ROW("max.f32 %d, %a, %b;", "f32 f32 f32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(max_number(f32(A), f32(B)), 'n')); })
ROW("div.rn.f32 %d, %a, %b;", "f32 f32 f32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(f32(A) / f32(B), 'n')); })
ROW("rcp.rn.f32 %d, %a;", "f32 f32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(1 / f32(A), 'n')); })
ROW("sqrt.rn.f32 %d, %a;", "f32 f32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(sqrt(f32(A)), 'n')); })
ROW("copysign.f32 %d, %a, %b;", "f32 f32 f32", ANY, CODE, 0,
    { return (uint64_t)((A & UINT64_C(1) << 31) | (B & ~(UINT64_C(1) << 31))); })
ROW("testp.finite.f32 %p, %a;", "p f32", ANY, CODE, 0,
    { return (uint64_t)(!!(isfinite(f32(A)))); })
ROW("testp.infinite.f32 %p, %a;", "p f32", ANY, CODE, 0,
    { return (uint64_t)(!!(isinf(f32(A)))); })
ROW("testp.number.f32 %p, %a;", "p f32", ANY, CODE, 0,
    { return (uint64_t)(!!(!isnan(f32(A)))); })
ROW("testp.notanumber.f32 %p, %a;", "p f32", ANY, CODE, 0,
    { return (uint64_t)(!!(isnan(f32(A)))); })
ROW("testp.normal.f32 %p, %a;", "p f32", ANY, CODE, 0,
    { return (uint64_t)(!!(f32(A) == 0 || (isfinite(f32(A)) && fabs(f32(A)) >= ldexp(1, -126)))); })
ROW("testp.subnormal.f32 %p, %a;", "p f32", ANY, CODE, 0,
    { return (uint64_t)(!!(f32(A) != 0 && fabs(f32(A)) < ldexp(1, -126))); })
ROW("min.f64 %d, %a, %b;", "f64 f64 f64", ANY, CODE, 0,
    { return (uint64_t)(double_bits(min_number(f64(A), f64(B)))); })
ROW("max.f64 %d, %a, %b;", "f64 f64 f64", ANY, CODE, 0,
    { return (uint64_t)(double_bits(max_number(f64(A), f64(B)))); })
ROW("div.rn.f64 %d, %a, %b;", "f64 f64 f64", ANY, CODE, 0,
    { return (uint64_t)(double_bits(f64(A) / f64(B))); })
ROW("rcp.rn.f64 %d, %a;", "f64 f64", ANY, CODE, 0,
    { return (uint64_t)(double_bits(1 / f64(A))); })
ROW("sqrt.rn.f64 %d, %a;", "f64 f64", ANY, CODE, 0,
    { return (uint64_t)(double_bits(sqrt(f64(A)))); })
ROW("copysign.f64 %d, %a, %b;", "f64 f64 f64", ANY, CODE, 0,
    { return (uint64_t)((A & UINT64_C(1) << 63) | (B & ~(UINT64_C(1) << 63))); })
ROW("testp.finite.f64 %p, %a;", "p f64", ANY, CODE, 0,
    { return (uint64_t)(!!(isfinite(f64(A)))); })
ROW("testp.infinite.f64 %p, %a;", "p f64", ANY, CODE, 0,
    { return (uint64_t)(!!(isinf(f64(A)))); })
ROW("testp.number.f64 %p, %a;", "p f64", ANY, CODE, 0,
    { return (uint64_t)(!!(!isnan(f64(A)))); })
ROW("testp.notanumber.f64 %p, %a;", "p f64", ANY, CODE, 0,
    { return (uint64_t)(!!(isnan(f64(A)))); })
ROW("testp.normal.f64 %p, %a;", "p f64", ANY, CODE, 0,
    { return (uint64_t)(!!(f64(A) == 0 || (isfinite(f64(A)) && fabs(f64(A)) >= ldexp(1, -1022)))); })
ROW("testp.subnormal.f64 %p, %a;", "p f64", ANY, CODE, 0,
    { return (uint64_t)(!!(f64(A) != 0 && fabs(f64(A)) < ldexp(1, -1022))); })
ROW("div.rz.f32 %d, %a, %b;", "f32 f32 f32", MODERATE, CODE, 0,
    { return (uint64_t)(single_bits(f32(A) / f32(B), 'z')); })
ROW("sqrt.rz.f32 %d, %a;", "f32 f32", POSITIVE, CODE, 0,
    { return (uint64_t)(single_bits(sqrt(f32(A)), 'z')); })
ROW("rcp.rz.f32 %d, %a;", "f32 f32", MODERATE, CODE, 0,
    { return (uint64_t)(single_bits(1 / f32(A), 'z')); })
ROW("div.rm.f32 %d, %a, %b;", "f32 f32 f32", MODERATE, CODE, 0,
    { return (uint64_t)(single_bits(f32(A) / f32(B), 'm')); })
ROW("sqrt.rm.f32 %d, %a;", "f32 f32", POSITIVE, CODE, 0,
    { return (uint64_t)(single_bits(sqrt(f32(A)), 'm')); })
ROW("rcp.rm.f32 %d, %a;", "f32 f32", MODERATE, CODE, 0,
    { return (uint64_t)(single_bits(1 / f32(A), 'm')); })
ROW("div.rp.f32 %d, %a, %b;", "f32 f32 f32", MODERATE, CODE, 0,
    { return (uint64_t)(single_bits(f32(A) / f32(B), 'p')); })
ROW("sqrt.rp.f32 %d, %a;", "f32 f32", POSITIVE, CODE, 0,
    { return (uint64_t)(single_bits(sqrt(f32(A)), 'p')); })
ROW("rcp.rp.f32 %d, %a;", "f32 f32", MODERATE, CODE, 0,
    { return (uint64_t)(single_bits(1 / f32(A), 'p')); })
ROW("div.rn.ftz.f32 %d, %a, %b;", "f32 f32 f32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(flush_subnormal(single_value(single_bits(flush_subnormal(f32(A)) / flush_subnormal(f32(B)), 'n'))), 'n')); })
ROW("min.NaN.f32 %d, %a, %b;", "f32 f32 f32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(nan_or(f32(A), f32(B), min_number(f32(A), f32(B))), 'n')); })
ROW("max.ftz.NaN.f32 %d, %a, %b;", "f32 f32 f32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(nan_or(f32(A), f32(B), max_number(flush_subnormal(f32(A)), flush_subnormal(f32(B)))), 'n')); })
ROW("max.xorsign.abs.f32 %d, %a, %b;", "f32 f32 f32", ANY, CODE, 0,
    { double m = max_number(fabs(f32(A)), fabs(f32(B))); return single_bits((A ^ B) >> 31 ? -m : m, 'n'); })
ROW("div.approx.f32 %d, %a, %b;", "f32 f32 f32", MODERATE, CODE, 21,
    { return (uint64_t)(single_bits(f32(A) / f32(B), 'n')); })
ROW("div.full.f32 %d, %a, %b;", "f32 f32 f32", MODERATE, CODE, 21,
    { return (uint64_t)(single_bits(f32(A) / f32(B), 'n')); })
ROW("div.full.ftz.f32 %d, %a, 0f7F000000;", "f32 f32", MODERATE, CODE, 21,
    { return (uint64_t)(single_bits(f32(A) / ldexp(1, 127), 'n')); })
ROW("rcp.approx.f32 %d, %a;", "f32 f32", MODERATE, CODE, 22,
    { return (uint64_t)(single_bits(1 / f32(A), 'n')); })
ROW("rcp.approx.ftz.f32 %d, %a;", "f32 f32", MODERATE, CODE, 22,
    { return (uint64_t)(single_bits(1 / f32(A), 'n')); })
ROW("sqrt.approx.f32 %d, %a;", "f32 f32", POSITIVE, CODE, 21,
    { return (uint64_t)(single_bits(sqrt(f32(A)), 'n')); })
ROW("sqrt.approx.ftz.f32 %d, %a;", "f32 f32", POSITIVE, CODE, 21,
    { return (uint64_t)(single_bits(sqrt(f32(A)), 'n')); })
ROW("rsqrt.approx.f32 %d, %a;", "f32 f32", POSITIVE, CODE, 21,
    { return (uint64_t)(single_bits(1 / sqrt(f32(A)), 'n')); })
ROW("rsqrt.approx.ftz.f32 %d, %a;", "f32 f32", POSITIVE, CODE, 21,
    { return (uint64_t)(single_bits(1 / sqrt(f32(A)), 'n')); })
ROW("ex2.approx.f32 %d, %a;", "f32 f32", MODERATE, CODE, 20,
    { return (uint64_t)(single_bits(exp2(f32(A)), 'n')); })
ROW("ex2.approx.ftz.f32 %d, %a;", "f32 f32", MODERATE, CODE, 20,
    { return (uint64_t)(single_bits(exp2(f32(A)), 'n')); })
ROW("lg2.approx.f32 %d, %a;", "f32 f32", POSITIVE, CODE, 11,
    { return (uint64_t)(single_bits(log2(f32(A)), 'n')); })
ROW("lg2.approx.ftz.f32 %d, %a;", "f32 f32", POSITIVE, CODE, 11,
    { return (uint64_t)(single_bits(log2(f32(A)), 'n')); })
ROW("mul.f32 %a, %a, 0f3D000000; sin.approx.f32 %d, %a;", "f32 f32", MODERATE, CODE, 10,
    { return (uint64_t)(single_bits(sin(f32(A) / 32), 'n')); })
ROW("mul.f32 %a, %a, 0f3D000000; sin.approx.ftz.f32 %d, %a;", "f32 f32", MODERATE, CODE, 10,
    { return (uint64_t)(single_bits(sin(f32(A) / 32), 'n')); })
ROW("mul.f32 %a, %a, 0f3D000000; cos.approx.f32 %d, %a;", "f32 f32", MODERATE, CODE, 10,
    { return (uint64_t)(single_bits(cos(f32(A) / 32), 'n')); })
ROW("mul.f32 %a, %a, 0f3D000000; cos.approx.ftz.f32 %d, %a;", "f32 f32", MODERATE, CODE, 10,
    { return (uint64_t)(single_bits(cos(f32(A) / 32), 'n')); })
ROW("tanh.approx.f32 %d, %a;", "f32 f32", MODERATE, CODE, 10,
    { return (uint64_t)(single_bits(tanh(f32(A)), 'n')); })
ROW("rcp.approx.ftz.f64 %d, %a;", "f64 f64", MODERATE, CODE, 18,
    { return (uint64_t)(double_bits(1 / f64(A))); })
ROW("rsqrt.approx.ftz.f64 %d, %a;", "f64 f64", POSITIVE, CODE, 18,
    { return (uint64_t)(double_bits(1 / sqrt(f64(A)))); })
ROW("add.f16 %d, %a, %b;", "f16 f16 f16", ANY, CODE, 0,
    { return (uint64_t)(half_bits(f16(A) + f16(B), 'n')); })
ROW("add.f16x2 %d, %a, %b;", "f16x2 f16x2 f16x2", ANY, CODE, 0,
    { PAIR2(half_bits(f16(H(A)) + f16(H(B)), 'n')); })
ROW("sub.f16 %d, %a, %b;", "f16 f16 f16", ANY, CODE, 0,
    { return (uint64_t)(half_bits(f16(A) - f16(B), 'n')); })
ROW("sub.f16x2 %d, %a, %b;", "f16x2 f16x2 f16x2", ANY, CODE, 0,
    { PAIR2(half_bits(f16(H(A)) - f16(H(B)), 'n')); })
ROW("mul.f16 %d, %a, %b;", "f16 f16 f16", ANY, CODE, 0,
    { return (uint64_t)(half_bits(f16(A) * f16(B), 'n')); })
ROW("mul.f16x2 %d, %a, %b;", "f16x2 f16x2 f16x2", ANY, CODE, 0,
    { PAIR2(half_bits(f16(H(A)) * f16(H(B)), 'n')); })
ROW("fma.rn.f16 %d, %a, %b, %c;", "f16 f16 f16 f16", MODERATE, CODE, 0,
    { return (uint64_t)(half_bits(f16(A) * f16(B) + f16(C), 'n')); })
ROW("fma.rn.f16x2 %d, %a, %b, %c;", "f16x2 f16x2 f16x2 f16x2", MODERATE, CODE, 0,
    { PAIR2(half_bits(f16(H(A)) * f16(H(B)) + f16(H(C)), 'n')); })
ROW("fma.rn.relu.f16 %d, %a, %b, %c;", "f16 f16 f16 f16", MODERATE, CODE, 0,
    { return (uint64_t)(half_bits(max_number(f16(A) * f16(B) + f16(C), 0), 'n')); })
ROW("fma.rn.relu.f16x2 %d, %a, %b, %c;", "f16x2 f16x2 f16x2 f16x2", MODERATE, CODE, 0,
    { PAIR2(half_bits(max_number(f16(H(A)) * f16(H(B)) + f16(H(C)), 0), 'n')); })
ROW("min.f16 %d, %a, %b;", "f16 f16 f16", ANY, CODE, 0,
    { return (uint64_t)(half_bits(min_number(f16(A), f16(B)), 'n')); })
ROW("min.f16x2 %d, %a, %b;", "f16x2 f16x2 f16x2", ANY, CODE, 0,
    { PAIR2(half_bits(min_number(f16(H(A)), f16(H(B))), 'n')); })
ROW("max.f16 %d, %a, %b;", "f16 f16 f16", ANY, CODE, 0,
    { return (uint64_t)(half_bits(max_number(f16(A), f16(B)), 'n')); })
ROW("max.f16x2 %d, %a, %b;", "f16x2 f16x2 f16x2", ANY, CODE, 0,
    { PAIR2(half_bits(max_number(f16(H(A)), f16(H(B))), 'n')); })
ROW("min.NaN.f16 %d, %a, %b;", "f16 f16 f16", ANY, CODE, 0,
    { return (uint64_t)(half_bits(nan_or(f16(A), f16(B), min_number(f16(A), f16(B))), 'n')); })
ROW("min.NaN.f16x2 %d, %a, %b;", "f16x2 f16x2 f16x2", ANY, CODE, 0,
    { PAIR2(half_bits(nan_or(f16(H(A)), f16(H(B)), min_number(f16(H(A)), f16(H(B)))), 'n')); })
ROW("max.xorsign.abs.f16 %d, %a, %b;", "f16 f16 f16", MODERATE, CODE, 0,
    { return (uint64_t)(half_bits(copysign(max_number(fabs(f16(A)), fabs(f16(B))), signbit(f16(A)) == signbit(f16(B)) ? 1.0 : -1.0), 'n')); })
ROW("max.xorsign.abs.f16x2 %d, %a, %b;", "f16x2 f16x2 f16x2", MODERATE, CODE, 0,
    { PAIR2(half_bits(copysign(max_number(fabs(f16(H(A))), fabs(f16(H(B)))), signbit(f16(H(A))) == signbit(f16(H(B))) ? 1.0 : -1.0), 'n')); })
ROW("tanh.approx.f16 %d, %a;", "f16 f16", MODERATE, CODE, 9,
    { return (uint64_t)(half_bits(tanh(f16(A)), 'n')); })
ROW("tanh.approx.f16x2 %d, %a;", "f16x2 f16x2", MODERATE, CODE, 9,
    { PAIR2(half_bits(tanh(f16(H(A))), 'n')); })
ROW("ex2.approx.f16 %d, %a;", "f16 f16", MODERATE, CODE, 8,
    { return (uint64_t)(half_bits(exp2(f16(A)), 'n')); })
ROW("ex2.approx.f16x2 %d, %a;", "f16x2 f16x2", MODERATE, CODE, 8,
    { PAIR2(half_bits(exp2(f16(H(A))), 'n')); })
ROW("neg.f16 %d, %a;", "f16 f16", MODERATE, CODE, 0,
    { return (uint64_t)(half_bits(-f16(A), 'n')); })
ROW("neg.f16x2 %d, %a;", "f16x2 f16x2", MODERATE, CODE, 0,
    { PAIR2(half_bits(-f16(H(A)), 'n')); })
ROW("abs.f16 %d, %a;", "f16 f16", MODERATE, CODE, 0,
    { return (uint64_t)(half_bits(fabs(f16(A)), 'n')); })
ROW("abs.f16x2 %d, %a;", "f16x2 f16x2", MODERATE, CODE, 0,
    { PAIR2(half_bits(fabs(f16(H(A))), 'n')); })
ROW("setp.lt.f16 %p, %a, %b;", "p f16 f16", ANY, CODE, 0,
    { return (uint64_t)(f16(A) < f16(B)); })
ROW("setp.geu.f16 %p, %a, %b;", "p f16 f16", ANY, CODE, 0,
    { return (uint64_t)(!(f16(A) < f16(B))); })
ROW("setp.ne.f16x2 %q|%p, %a, %b;", "p f16x2 f16x2", ANY, CODE, 0,
    { double x = f16(A >> 16), y = f16(B >> 16); return !isnan(x) && !isnan(y) && x != y; })
ROW("set.gt.f16.f16 %d, %a, %b;", "f16 f16 f16", ANY, CODE, 0,
    { return (uint64_t)(half_bits(f16(A) > f16(B) ? 1 : 0, 'n')); })
ROW("set.le.f16x2.f16x2 %d, %a, %b;", "f16x2 f16x2 f16x2", ANY, CODE, 0,
    { PAIR2(half_bits(f16(H(A)) <= f16(H(B)) ? 1 : 0, 'n')); })
ROW("cvt.rz.bf16.s32 %d, %a;", "bf16 s32", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits((double)(int32_t)A, 'z')); })
ROW("cvt.rz.bf16.u32 %d, %a;", "bf16 u32", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits((double)(uint32_t)A, 'z')); })
ROW("cvt.rz.bf16.u64 %d, %a;", "bf16 u64", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(odd_double(false, A), 'z')); })
ROW("cvt.rz.bf16.f64 %d, %a;", "bf16 f64", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(f64(A), 'z')); })
ROW("cvt.rm.bf16.s32 %d, %a;", "bf16 s32", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits((double)(int32_t)A, 'm')); })
ROW("cvt.rm.bf16.u32 %d, %a;", "bf16 u32", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits((double)(uint32_t)A, 'm')); })
ROW("cvt.rm.bf16.u64 %d, %a;", "bf16 u64", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(odd_double(false, A), 'm')); })
ROW("cvt.rm.bf16.f64 %d, %a;", "bf16 f64", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(f64(A), 'm')); })
ROW("cvt.rp.bf16.s32 %d, %a;", "bf16 s32", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits((double)(int32_t)A, 'p')); })
ROW("cvt.rp.bf16.u32 %d, %a;", "bf16 u32", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits((double)(uint32_t)A, 'p')); })
ROW("cvt.rp.bf16.u64 %d, %a;", "bf16 u64", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(odd_double(false, A), 'p')); })
ROW("cvt.rp.bf16.f64 %d, %a;", "bf16 f64", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(f64(A), 'p')); })
ROW("add.bf16 %d, %a, %b;", "bf16 bf16 bf16", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(bf16(A) + bf16(B), 'n')); })
ROW("add.bf16x2 %d, %a, %b;", "bf16x2 bf16x2 bf16x2", ANY, CODE, 0,
    { PAIR2(bf16_bits(bf16(H(A)) + bf16(H(B)), 'n')); })
ROW("sub.bf16 %d, %a, %b;", "bf16 bf16 bf16", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(bf16(A) - bf16(B), 'n')); })
ROW("sub.bf16x2 %d, %a, %b;", "bf16x2 bf16x2 bf16x2", ANY, CODE, 0,
    { PAIR2(bf16_bits(bf16(H(A)) - bf16(H(B)), 'n')); })
ROW("mul.bf16 %d, %a, %b;", "bf16 bf16 bf16", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(bf16(A) * bf16(B), 'n')); })
ROW("mul.bf16x2 %d, %a, %b;", "bf16x2 bf16x2 bf16x2", ANY, CODE, 0,
    { PAIR2(bf16_bits(bf16(H(A)) * bf16(H(B)), 'n')); })
ROW("fma.rn.bf16 %d, %a, %b, %c;", "bf16 bf16 bf16 bf16", MODERATE, CODE, 0,
    { return (uint64_t)(bf16_bits(bf16(A) * bf16(B) + bf16(C), 'n')); })
ROW("fma.rn.bf16x2 %d, %a, %b, %c;", "bf16x2 bf16x2 bf16x2 bf16x2", MODERATE, CODE, 0,
    { PAIR2(bf16_bits(bf16(H(A)) * bf16(H(B)) + bf16(H(C)), 'n')); })
ROW("fma.rn.relu.bf16 %d, %a, %b, %c;", "bf16 bf16 bf16 bf16", MODERATE, CODE, 0,
    { return (uint64_t)(bf16_bits(max_number(bf16(A) * bf16(B) + bf16(C), 0), 'n')); })
ROW("fma.rn.relu.bf16x2 %d, %a, %b, %c;", "bf16x2 bf16x2 bf16x2 bf16x2", MODERATE, CODE, 0,
    { PAIR2(bf16_bits(max_number(bf16(H(A)) * bf16(H(B)) + bf16(H(C)), 0), 'n')); })
ROW("min.bf16 %d, %a, %b;", "bf16 bf16 bf16", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(min_number(bf16(A), bf16(B)), 'n')); })
ROW("min.bf16x2 %d, %a, %b;", "bf16x2 bf16x2 bf16x2", ANY, CODE, 0,
    { PAIR2(bf16_bits(min_number(bf16(H(A)), bf16(H(B))), 'n')); })
ROW("max.bf16 %d, %a, %b;", "bf16 bf16 bf16", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(max_number(bf16(A), bf16(B)), 'n')); })
ROW("max.bf16x2 %d, %a, %b;", "bf16x2 bf16x2 bf16x2", ANY, CODE, 0,
    { PAIR2(bf16_bits(max_number(bf16(H(A)), bf16(H(B))), 'n')); })
ROW("min.NaN.bf16 %d, %a, %b;", "bf16 bf16 bf16", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(nan_or(bf16(A), bf16(B), min_number(bf16(A), bf16(B))), 'n')); })
ROW("min.NaN.bf16x2 %d, %a, %b;", "bf16x2 bf16x2 bf16x2", ANY, CODE, 0,
    { PAIR2(bf16_bits(nan_or(bf16(H(A)), bf16(H(B)), min_number(bf16(H(A)), bf16(H(B)))), 'n')); })
ROW("max.xorsign.abs.bf16 %d, %a, %b;", "bf16 bf16 bf16", MODERATE, CODE, 0,
    { return (uint64_t)(bf16_bits(copysign(max_number(fabs(bf16(A)), fabs(bf16(B))), signbit(bf16(A)) == signbit(bf16(B)) ? 1.0 : -1.0), 'n')); })
ROW("max.xorsign.abs.bf16x2 %d, %a, %b;", "bf16x2 bf16x2 bf16x2", MODERATE, CODE, 0,
    { PAIR2(bf16_bits(copysign(max_number(fabs(bf16(H(A))), fabs(bf16(H(B)))), signbit(bf16(H(A))) == signbit(bf16(H(B))) ? 1.0 : -1.0), 'n')); })
ROW("tanh.approx.bf16 %d, %a;", "bf16 bf16", MODERATE, HOPPER, 7,
    { return (uint64_t)(bf16_bits(tanh(bf16(A)), 'n')); })
ROW("tanh.approx.bf16x2 %d, %a;", "bf16x2 bf16x2", MODERATE, HOPPER, 7,
    { PAIR2(bf16_bits(tanh(bf16(H(A))), 'n')); })
ROW("ex2.approx.ftz.bf16 %d, %a;", "bf16 bf16", MODERATE, HOPPER, 6,
    { return (uint64_t)(bf16_bits(exp2(bf16(A)), 'n')); })
ROW("ex2.approx.ftz.bf16x2 %d, %a;", "bf16x2 bf16x2", MODERATE, HOPPER, 6,
    { PAIR2(bf16_bits(exp2(bf16(H(A))), 'n')); })
ROW("neg.bf16 %d, %a;", "bf16 bf16", MODERATE, CODE, 0,
    { return (uint64_t)(bf16_bits(-bf16(A), 'n')); })
ROW("neg.bf16x2 %d, %a;", "bf16x2 bf16x2", MODERATE, CODE, 0,
    { PAIR2(bf16_bits(-bf16(H(A)), 'n')); })
ROW("abs.bf16 %d, %a;", "bf16 bf16", MODERATE, CODE, 0,
    { return (uint64_t)(bf16_bits(fabs(bf16(A)), 'n')); })
ROW("abs.bf16x2 %d, %a;", "bf16x2 bf16x2", MODERATE, CODE, 0,
    { PAIR2(bf16_bits(fabs(bf16(H(A))), 'n')); })
ROW("setp.lt.bf16 %p, %a, %b;", "p bf16 bf16", ANY, CODE, 0,
    { return (uint64_t)(bf16(A) < bf16(B)); })
ROW("setp.geu.bf16 %p, %a, %b;", "p bf16 bf16", ANY, CODE, 0,
    { return (uint64_t)(!(bf16(A) < bf16(B))); })
ROW("setp.ne.bf16x2 %q|%p, %a, %b;", "p bf16x2 bf16x2", ANY, CODE, 0,
    { double x = bf16(A >> 16), y = bf16(B >> 16); return !isnan(x) && !isnan(y) && x != y; })
ROW("set.gt.bf16.bf16 %d, %a, %b;", "bf16 bf16 bf16", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(bf16(A) > bf16(B) ? 1 : 0, 'n')); })
ROW("set.le.bf16x2.bf16x2 %d, %a, %b;", "bf16x2 bf16x2 bf16x2", ANY, CODE, 0,
    { PAIR2(bf16_bits(bf16(H(A)) <= bf16(H(B)) ? 1 : 0, 'n')); })
ROW("add.sat.f16 %d, %a, %b;", "f16 f16 f16", ANY, CODE, 0,
    { return (uint64_t)(half_bits(saturate(f16(A) + f16(B)), 'n')); })
ROW("add.ftz.f16 %d, %a, %b;", "f16 f16 f16", ANY, CODE, 0,
    { return (uint64_t)(half_bits(flush_subnormal_half(flush_subnormal_half(f16(A)) + flush_subnormal_half(f16(B))), 'n')); })
ROW("fma.rn.ftz.sat.f16x2 %d, %a, %b, %c;", "f16x2 f16x2 f16x2 f16x2", MODERATE, CODE, 0,
    { PAIR2(half_bits(saturate(f16(H(A)) * f16(H(B)) + f16(H(C))), 'n')); })
ROW("setp.lt.u32 %p, %a, %b;", "p u32 u32", ANY, CODE, 0,
    { return (uint64_t)(A < B); })
ROW("setp.ge.u32 %p, %a, %b;", "p u32 u32", ANY, CODE, 0,
    { return (uint64_t)(A >= B); })
ROW("set.gt.u32.u32 %d, %a, %b;", "u32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(A > B ? UINT32_MAX : 0); })
ROW("set.eq.f32.u32 %d, %a, %b;", "f32 u32 u32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(A == B ? 1 : 0, 'n')); })
ROW("setp.lt.s32 %p, %a, %b;", "p s32 s32", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 32) < sign_extend(B, 32)); })
ROW("setp.ge.s32 %p, %a, %b;", "p s32 s32", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 32) >= sign_extend(B, 32)); })
ROW("set.gt.u32.s32 %d, %a, %b;", "u32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 32) > sign_extend(B, 32) ? UINT32_MAX : 0); })
ROW("set.eq.f32.s32 %d, %a, %b;", "f32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(sign_extend(A, 32) == sign_extend(B, 32) ? 1 : 0, 'n')); })
ROW("setp.lt.f32 %p, %a, %b;", "p f32 f32", ANY, CODE, 0,
    { return (uint64_t)(f32(A) < f32(B)); })
ROW("setp.ge.f32 %p, %a, %b;", "p f32 f32", ANY, CODE, 0,
    { return (uint64_t)(f32(A) >= f32(B)); })
ROW("set.gt.u32.f32 %d, %a, %b;", "u32 f32 f32", ANY, CODE, 0,
    { return (uint64_t)(f32(A) > f32(B) ? UINT32_MAX : 0); })
ROW("set.eq.f32.f32 %d, %a, %b;", "f32 f32 f32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(f32(A) == f32(B) ? 1 : 0, 'n')); })
ROW("setp.lt.f64 %p, %a, %b;", "p f64 f64", ANY, CODE, 0,
    { return (uint64_t)(f64(A) < f64(B)); })
ROW("setp.ge.f64 %p, %a, %b;", "p f64 f64", ANY, CODE, 0,
    { return (uint64_t)(f64(A) >= f64(B)); })
ROW("set.gt.u32.f64 %d, %a, %b;", "u32 f64 f64", ANY, CODE, 0,
    { return (uint64_t)(f64(A) > f64(B) ? UINT32_MAX : 0); })
ROW("set.eq.f32.f64 %d, %a, %b;", "f32 f64 f64", ANY, CODE, 0,
    { return (uint64_t)(single_bits(f64(A) == f64(B) ? 1 : 0, 'n')); })
ROW("setp.lt.u64 %p, %a, %b;", "p u64 u64", ANY, CODE, 0,
    { return (uint64_t)(A < B); })
ROW("setp.ge.u64 %p, %a, %b;", "p u64 u64", ANY, CODE, 0,
    { return (uint64_t)(A >= B); })
ROW("set.gt.u32.u64 %d, %a, %b;", "u32 u64 u64", ANY, CODE, 0,
    { return (uint64_t)(A > B ? UINT32_MAX : 0); })
ROW("set.eq.f32.u64 %d, %a, %b;", "f32 u64 u64", ANY, CODE, 0,
    { return (uint64_t)(single_bits(A == B ? 1 : 0, 'n')); })
ROW("setp.lt.s64 %p, %a, %b;", "p s64 s64", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 64) < sign_extend(B, 64)); })
ROW("setp.ge.s64 %p, %a, %b;", "p s64 s64", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 64) >= sign_extend(B, 64)); })
ROW("set.gt.u32.s64 %d, %a, %b;", "u32 s64 s64", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 64) > sign_extend(B, 64) ? UINT32_MAX : 0); })
ROW("set.eq.f32.s64 %d, %a, %b;", "f32 s64 s64", ANY, CODE, 0,
    { return (uint64_t)(single_bits(sign_extend(A, 64) == sign_extend(B, 64) ? 1 : 0, 'n')); })
ROW("setp.lt.u16 %p, %a, %b;", "p u16 u16", ANY, CODE, 0,
    { return (uint64_t)(A < B); })
ROW("setp.ge.u16 %p, %a, %b;", "p u16 u16", ANY, CODE, 0,
    { return (uint64_t)(A >= B); })
ROW("set.gt.u32.u16 %d, %a, %b;", "u32 u16 u16", ANY, CODE, 0,
    { return (uint64_t)(A > B ? UINT32_MAX : 0); })
ROW("set.eq.f32.u16 %d, %a, %b;", "f32 u16 u16", ANY, CODE, 0,
    { return (uint64_t)(single_bits(A == B ? 1 : 0, 'n')); })
ROW("setp.lt.s16 %p, %a, %b;", "p s16 s16", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 16) < sign_extend(B, 16)); })
ROW("setp.ge.s16 %p, %a, %b;", "p s16 s16", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 16) >= sign_extend(B, 16)); })
ROW("set.gt.u32.s16 %d, %a, %b;", "u32 s16 s16", ANY, CODE, 0,
    { return (uint64_t)(sign_extend(A, 16) > sign_extend(B, 16) ? UINT32_MAX : 0); })
ROW("set.eq.f32.s16 %d, %a, %b;", "f32 s16 s16", ANY, CODE, 0,
    { return (uint64_t)(single_bits(sign_extend(A, 16) == sign_extend(B, 16) ? 1 : 0, 'n')); })
ROW("setp.gt.u32 %q, %c, 9; set.lt.and.s32.s32 %d, %a, %b, %q;", "s32 s32 s32 u32", ANY, CODE, 0,
    { return (uint64_t)(SA < SB && C > 9 ? UINT32_MAX : 0); })
ROW("setp.gt.u32 %q, %c, 9; setp.lt.xor.s32 %p, %a, %b, !%q;", "p s32 s32 u32", ANY, CODE, 0,
    { return (uint64_t)((SA < SB) != !(C > 9)); })
ROW("slct.u32.s32 %d, %a, %b, %c;", "u32 u32 u32 s32", ANY, CODE, 0,
    { return (uint64_t)(SC >= 0 ? A : B); })
ROW("slct.f64.f32 %d, %a, %b, %c;", "f64 f64 f64 f32", ANY, CODE, 0,
    { return (uint64_t)(f32(C) >= 0 ? A : B); })
ROW("slct.ftz.b64.f32 %d, %a, %b, %c;", "b64 b64 b64 f32", ANY, CODE, 0,
    { return (uint64_t)(f32(C) >= 0 || fabs(f32(C)) < ldexp(1, -126) ? A : B); })
ROW("cvt.rzi.u8.f32 %d, %a;", "u8 f32", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f32(A), 'z', 8, false, false)); })
ROW("cvt.rni.u8.f32 %d, %a;", "u8 f32", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f32(A), 'n', 8, false, false)); })
ROW("cvt.rn.f32.u8 %d, %a;", "f32 u8", ANY, CODE, 0,
    { return (uint64_t)(single_bits((double)A, 'n')); })
ROW("cvt.rz.f32.u8 %d, %a;", "f32 u8", ANY, CODE, 0,
    { return (uint64_t)(single_bits((double)A, 'z')); })
ROW("cvt.rzi.s8.f32 %d, %a;", "s8 f32", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f32(A), 'z', 8, true, false)); })
ROW("cvt.rni.s8.f32 %d, %a;", "s8 f32", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f32(A), 'n', 8, true, false)); })
ROW("cvt.rn.f32.s8 %d, %a;", "f32 s8", ANY, CODE, 0,
    { return (uint64_t)(single_bits((double)sign_extend(A, 8), 'n')); })
ROW("cvt.rz.f32.s8 %d, %a;", "f32 s8", ANY, CODE, 0,
    { return (uint64_t)(single_bits((double)sign_extend(A, 8), 'z')); })
ROW("cvt.rzi.u16.f32 %d, %a;", "u16 f32", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f32(A), 'z', 16, false, false)); })
ROW("cvt.rni.u16.f32 %d, %a;", "u16 f32", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f32(A), 'n', 16, false, false)); })
ROW("cvt.rn.f32.u16 %d, %a;", "f32 u16", ANY, CODE, 0,
    { return (uint64_t)(single_bits((double)A, 'n')); })
ROW("cvt.rz.f32.u16 %d, %a;", "f32 u16", ANY, CODE, 0,
    { return (uint64_t)(single_bits((double)A, 'z')); })
ROW("cvt.rzi.s16.f32 %d, %a;", "s16 f32", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f32(A), 'z', 16, true, false)); })
ROW("cvt.rni.s16.f32 %d, %a;", "s16 f32", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f32(A), 'n', 16, true, false)); })
ROW("cvt.rn.f32.s16 %d, %a;", "f32 s16", ANY, CODE, 0,
    { return (uint64_t)(single_bits((double)sign_extend(A, 16), 'n')); })
ROW("cvt.rz.f32.s16 %d, %a;", "f32 s16", ANY, CODE, 0,
    { return (uint64_t)(single_bits((double)sign_extend(A, 16), 'z')); })
ROW("cvt.rzi.u32.f32 %d, %a;", "u32 f32", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f32(A), 'z', 32, false, false)); })
ROW("cvt.rni.u32.f32 %d, %a;", "u32 f32", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f32(A), 'n', 32, false, false)); })
ROW("cvt.rn.f32.u32 %d, %a;", "f32 u32", ANY, CODE, 0,
    { return (uint64_t)(single_bits((double)A, 'n')); })
ROW("cvt.rz.f32.u32 %d, %a;", "f32 u32", ANY, CODE, 0,
    { return (uint64_t)(single_bits((double)A, 'z')); })
ROW("cvt.rzi.s32.f32 %d, %a;", "s32 f32", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f32(A), 'z', 32, true, false)); })
ROW("cvt.rni.s32.f32 %d, %a;", "s32 f32", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f32(A), 'n', 32, true, false)); })
ROW("cvt.rn.f32.s32 %d, %a;", "f32 s32", ANY, CODE, 0,
    { return (uint64_t)(single_bits((double)sign_extend(A, 32), 'n')); })
ROW("cvt.rz.f32.s32 %d, %a;", "f32 s32", ANY, CODE, 0,
    { return (uint64_t)(single_bits((double)sign_extend(A, 32), 'z')); })
ROW("cvt.rzi.u64.f32 %d, %a;", "u64 f32", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f32(A), 'z', 64, false, false)); })
ROW("cvt.rni.u64.f32 %d, %a;", "u64 f32", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f32(A), 'n', 64, false, false)); })
ROW("cvt.rn.f32.u64 %d, %a;", "f32 u64", ANY, CODE, 0,
    { return (uint64_t)(single_bits(odd_double(false, A), 'n')); })
ROW("cvt.rz.f32.u64 %d, %a;", "f32 u64", ANY, CODE, 0,
    { return (uint64_t)(single_bits(odd_double(false, A), 'z')); })
ROW("cvt.rzi.s64.f32 %d, %a;", "s64 f32", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f32(A), 'z', 64, true, false)); })
ROW("cvt.rni.s64.f32 %d, %a;", "s64 f32", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f32(A), 'n', 64, true, false)); })
ROW("cvt.rn.f32.s64 %d, %a;", "f32 s64", ANY, CODE, 0,
    { return (uint64_t)(single_bits(odd_double((int64_t)A < 0, (int64_t)A < 0 ? 0 - A : A), 'n')); })
ROW("cvt.rz.f32.s64 %d, %a;", "f32 s64", ANY, CODE, 0,
    { return (uint64_t)(single_bits(odd_double((int64_t)A < 0, (int64_t)A < 0 ? 0 - A : A), 'z')); })
ROW("cvt.rzi.u8.f64 %d, %a;", "u8 f64", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f64(A), 'z', 8, false, true)); })
ROW("cvt.rmi.u8.f64 %d, %a;", "u8 f64", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f64(A), 'm', 8, false, true)); })
ROW("cvt.rn.f64.u8 %d, %a;", "f64 u8", ANY, CODE, 0,
    { return (uint64_t)(double_bits((double)A)); })
ROW("cvt.rzi.s8.f64 %d, %a;", "s8 f64", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f64(A), 'z', 8, true, true)); })
ROW("cvt.rmi.s8.f64 %d, %a;", "s8 f64", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f64(A), 'm', 8, true, true)); })
ROW("cvt.rn.f64.s8 %d, %a;", "f64 s8", ANY, CODE, 0,
    { return (uint64_t)(double_bits((double)sign_extend(A, 8))); })
ROW("cvt.rzi.u16.f64 %d, %a;", "u16 f64", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f64(A), 'z', 16, false, true)); })
ROW("cvt.rmi.u16.f64 %d, %a;", "u16 f64", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f64(A), 'm', 16, false, true)); })
ROW("cvt.rn.f64.u16 %d, %a;", "f64 u16", ANY, CODE, 0,
    { return (uint64_t)(double_bits((double)A)); })
ROW("cvt.rzi.s16.f64 %d, %a;", "s16 f64", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f64(A), 'z', 16, true, true)); })
ROW("cvt.rmi.s16.f64 %d, %a;", "s16 f64", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f64(A), 'm', 16, true, true)); })
ROW("cvt.rn.f64.s16 %d, %a;", "f64 s16", ANY, CODE, 0,
    { return (uint64_t)(double_bits((double)sign_extend(A, 16))); })
ROW("cvt.rzi.u32.f64 %d, %a;", "u32 f64", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f64(A), 'z', 32, false, true)); })
ROW("cvt.rmi.u32.f64 %d, %a;", "u32 f64", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f64(A), 'm', 32, false, true)); })
ROW("cvt.rn.f64.u32 %d, %a;", "f64 u32", ANY, CODE, 0,
    { return (uint64_t)(double_bits((double)A)); })
ROW("cvt.rzi.s32.f64 %d, %a;", "s32 f64", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f64(A), 'z', 32, true, true)); })
ROW("cvt.rmi.s32.f64 %d, %a;", "s32 f64", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f64(A), 'm', 32, true, true)); })
ROW("cvt.rn.f64.s32 %d, %a;", "f64 s32", ANY, CODE, 0,
    { return (uint64_t)(double_bits((double)sign_extend(A, 32))); })
ROW("cvt.rzi.u64.f64 %d, %a;", "u64 f64", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f64(A), 'z', 64, false, true)); })
ROW("cvt.rmi.u64.f64 %d, %a;", "u64 f64", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f64(A), 'm', 64, false, true)); })
ROW("cvt.rn.f64.u64 %d, %a;", "f64 u64", ANY, CODE, 0,
    { return (uint64_t)(double_bits((double)A)); })
ROW("cvt.rzi.s64.f64 %d, %a;", "s64 f64", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f64(A), 'z', 64, true, true)); })
ROW("cvt.rmi.s64.f64 %d, %a;", "s64 f64", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f64(A), 'm', 64, true, true)); })
ROW("cvt.rn.f64.s64 %d, %a;", "f64 s64", ANY, CODE, 0,
    { return (uint64_t)(double_bits((double)(int64_t)A)); })
ROW("cvt.rzi.u8.f16 %d, %a;", "u8 f16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f16(A), 'z', 8, false, false)); })
ROW("cvt.rpi.u8.f16 %d, %a;", "u8 f16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f16(A), 'p', 8, false, false)); })
ROW("cvt.rn.f16.u8 %d, %a;", "f16 u8", ANY, CODE, 0,
    { return (uint64_t)(half_bits((double)A, 'n')); })
ROW("cvt.rzi.s8.f16 %d, %a;", "s8 f16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f16(A), 'z', 8, true, false)); })
ROW("cvt.rpi.s8.f16 %d, %a;", "s8 f16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f16(A), 'p', 8, true, false)); })
ROW("cvt.rn.f16.s8 %d, %a;", "f16 s8", ANY, CODE, 0,
    { return (uint64_t)(half_bits((double)sign_extend(A, 8), 'n')); })
ROW("cvt.rzi.u16.f16 %d, %a;", "u16 f16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f16(A), 'z', 16, false, false)); })
ROW("cvt.rpi.u16.f16 %d, %a;", "u16 f16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f16(A), 'p', 16, false, false)); })
ROW("cvt.rn.f16.u16 %d, %a;", "f16 u16", ANY, CODE, 0,
    { return (uint64_t)(half_bits((double)A, 'n')); })
ROW("cvt.rzi.s16.f16 %d, %a;", "s16 f16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f16(A), 'z', 16, true, false)); })
ROW("cvt.rpi.s16.f16 %d, %a;", "s16 f16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f16(A), 'p', 16, true, false)); })
ROW("cvt.rn.f16.s16 %d, %a;", "f16 s16", ANY, CODE, 0,
    { return (uint64_t)(half_bits((double)sign_extend(A, 16), 'n')); })
ROW("cvt.rzi.u32.f16 %d, %a;", "u32 f16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f16(A), 'z', 32, false, false)); })
ROW("cvt.rpi.u32.f16 %d, %a;", "u32 f16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f16(A), 'p', 32, false, false)); })
ROW("cvt.rn.f16.u32 %d, %a;", "f16 u32", ANY, CODE, 0,
    { return (uint64_t)(half_bits((double)A, 'n')); })
ROW("cvt.rzi.s32.f16 %d, %a;", "s32 f16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f16(A), 'z', 32, true, false)); })
ROW("cvt.rpi.s32.f16 %d, %a;", "s32 f16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f16(A), 'p', 32, true, false)); })
ROW("cvt.rn.f16.s32 %d, %a;", "f16 s32", ANY, CODE, 0,
    { return (uint64_t)(half_bits((double)sign_extend(A, 32), 'n')); })
ROW("cvt.rzi.u64.f16 %d, %a;", "u64 f16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f16(A), 'z', 64, false, false)); })
ROW("cvt.rpi.u64.f16 %d, %a;", "u64 f16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f16(A), 'p', 64, false, false)); })
ROW("cvt.rn.f16.u64 %d, %a;", "f16 u64", ANY, CODE, 0,
    { return (uint64_t)(half_bits(odd_double(false, A), 'n')); })
ROW("cvt.rzi.s64.f16 %d, %a;", "s64 f16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f16(A), 'z', 64, true, false)); })
ROW("cvt.rpi.s64.f16 %d, %a;", "s64 f16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(f16(A), 'p', 64, true, false)); })
ROW("cvt.rn.f16.s64 %d, %a;", "f16 s64", ANY, CODE, 0,
    { return (uint64_t)(half_bits(odd_double((int64_t)A < 0, (int64_t)A < 0 ? 0 - A : A), 'n')); })
ROW("cvt.rzi.u16.bf16 %d, %a;", "u16 bf16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(bf16(A), 'z', 16, false, false)); })
ROW("cvt.rn.bf16.u16 %d, %a;", "bf16 u16", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits((double)A, 'n')); })
ROW("cvt.rzi.s16.bf16 %d, %a;", "s16 bf16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(bf16(A), 'z', 16, true, false)); })
ROW("cvt.rn.bf16.s16 %d, %a;", "bf16 s16", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits((double)sign_extend(A, 16), 'n')); })
ROW("cvt.rm.bf16.u16 %d, %a;", "bf16 u16", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits((double)A, 'm')); })
ROW("cvt.rm.bf16.s16 %d, %a;", "bf16 s16", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits((double)sign_extend(A, 16), 'm')); })
ROW("cvt.rp.bf16.u16 %d, %a;", "bf16 u16", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits((double)A, 'p')); })
ROW("cvt.rp.bf16.s16 %d, %a;", "bf16 s16", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits((double)sign_extend(A, 16), 'p')); })
ROW("cvt.rzi.u32.bf16 %d, %a;", "u32 bf16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(bf16(A), 'z', 32, false, false)); })
ROW("cvt.rn.bf16.u32 %d, %a;", "bf16 u32", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits((double)A, 'n')); })
ROW("cvt.rzi.s32.bf16 %d, %a;", "s32 bf16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(bf16(A), 'z', 32, true, false)); })
ROW("cvt.rn.bf16.s32 %d, %a;", "bf16 s32", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits((double)sign_extend(A, 32), 'n')); })
ROW("cvt.rzi.u64.bf16 %d, %a;", "u64 bf16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(bf16(A), 'z', 64, false, false)); })
ROW("cvt.rn.bf16.u64 %d, %a;", "bf16 u64", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(odd_double(false, A), 'n')); })
ROW("cvt.rzi.s64.bf16 %d, %a;", "s64 bf16", ANY, CODE, 0,
    { return (uint64_t)(to_integer(bf16(A), 'z', 64, true, false)); })
ROW("cvt.rn.bf16.s64 %d, %a;", "bf16 s64", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(odd_double((int64_t)A < 0, (int64_t)A < 0 ? 0 - A : A), 'n')); })
ROW("cvt.s8.u8 %d, %a;", "s8 u8", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.u16.u8 %d, %a;", "u16 u8", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.s16.u8 %d, %a;", "s16 u8", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.u32.u8 %d, %a;", "u32 u8", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.s32.u8 %d, %a;", "s32 u8", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.u64.u8 %d, %a;", "u64 u8", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.s64.u8 %d, %a;", "s64 u8", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.u8.s8 %d, %a;", "u8 s8", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 8)); })
ROW("cvt.u16.s8 %d, %a;", "u16 s8", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 8)); })
ROW("cvt.s16.s8 %d, %a;", "s16 s8", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 8)); })
ROW("cvt.u32.s8 %d, %a;", "u32 s8", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 8)); })
ROW("cvt.s32.s8 %d, %a;", "s32 s8", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 8)); })
ROW("cvt.u64.s8 %d, %a;", "u64 s8", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 8)); })
ROW("cvt.s64.s8 %d, %a;", "s64 s8", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 8)); })
ROW("cvt.u8.u16 %d, %a;", "u8 u16", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.s8.u16 %d, %a;", "s8 u16", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.s16.u16 %d, %a;", "s16 u16", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.u32.u16 %d, %a;", "u32 u16", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.s32.u16 %d, %a;", "s32 u16", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.u64.u16 %d, %a;", "u64 u16", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.s64.u16 %d, %a;", "s64 u16", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.u8.s16 %d, %a;", "u8 s16", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 16)); })
ROW("cvt.s8.s16 %d, %a;", "s8 s16", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 16)); })
ROW("cvt.u16.s16 %d, %a;", "u16 s16", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 16)); })
ROW("cvt.u32.s16 %d, %a;", "u32 s16", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 16)); })
ROW("cvt.s32.s16 %d, %a;", "s32 s16", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 16)); })
ROW("cvt.u64.s16 %d, %a;", "u64 s16", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 16)); })
ROW("cvt.s64.s16 %d, %a;", "s64 s16", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 16)); })
ROW("cvt.u8.u32 %d, %a;", "u8 u32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.s8.u32 %d, %a;", "s8 u32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.u16.u32 %d, %a;", "u16 u32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.s16.u32 %d, %a;", "s16 u32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.s32.u32 %d, %a;", "s32 u32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.u64.u32 %d, %a;", "u64 u32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.s64.u32 %d, %a;", "s64 u32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.u8.s32 %d, %a;", "u8 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 32)); })
ROW("cvt.s8.s32 %d, %a;", "s8 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 32)); })
ROW("cvt.u16.s32 %d, %a;", "u16 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 32)); })
ROW("cvt.s16.s32 %d, %a;", "s16 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 32)); })
ROW("cvt.u32.s32 %d, %a;", "u32 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 32)); })
ROW("cvt.u64.s32 %d, %a;", "u64 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 32)); })
ROW("cvt.s64.s32 %d, %a;", "s64 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 32)); })
ROW("cvt.u8.u64 %d, %a;", "u8 u64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.s8.u64 %d, %a;", "s8 u64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.u16.u64 %d, %a;", "u16 u64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.s16.u64 %d, %a;", "s16 u64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.u32.u64 %d, %a;", "u32 u64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.s32.u64 %d, %a;", "s32 u64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.s64.u64 %d, %a;", "s64 u64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)(int64_t)A); })
ROW("cvt.u8.s64 %d, %a;", "u8 s64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 64)); })
ROW("cvt.s8.s64 %d, %a;", "s8 s64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 64)); })
ROW("cvt.u16.s64 %d, %a;", "u16 s64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 64)); })
ROW("cvt.s16.s64 %d, %a;", "s16 s64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 64)); })
ROW("cvt.u32.s64 %d, %a;", "u32 s64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 64)); })
ROW("cvt.s32.s64 %d, %a;", "s32 s64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 64)); })
ROW("cvt.u64.s64 %d, %a;", "u64 s64", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)sign_extend(A, 64)); })
ROW("cvt.sat.u8.s32 %d, %a;", "u8 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)clamp(SA, 0, 255)); })
ROW("cvt.sat.s16.u32 %d, %a;", "s16 u32", ANY, CODE, 0,
    { return (uint64_t)(A > 32767 ? 32767 : A); })
ROW("cvt.sat.s32.u64 %d, %a;", "s32 u64", ANY, CODE, 0,
    { return (uint64_t)(A > INT32_MAX ? INT32_MAX : A); })
ROW("cvt.sat.u64.s64 %d, %a;", "u64 s64", ANY, CODE, 0,
    { return (uint64_t)((int64_t)A < 0 ? 0 : A); })
ROW("cvt.f64.f32 %d, %a;", "f64 f32", ANY, CODE, 0,
    { return (uint64_t)(double_bits(f32(A))); })
ROW("cvt.f32.f16 %d, %a;", "f32 f16", ANY, CODE, 0,
    { return (uint64_t)(single_bits(f16(A), 'n')); })
ROW("cvt.f32.bf16 %d, %a;", "f32 bf16", ANY, CODE, 0,
    { return (uint64_t)(single_bits(bf16(A), 'n')); })
ROW("cvt.f64.f16 %d, %a;", "f64 f16", ANY, CODE, 0,
    { return (uint64_t)(double_bits(f16(A))); })
ROW("cvt.rn.f32.f64 %d, %a;", "f32 f64", ANY, CODE, 0,
    { return (uint64_t)(single_bits(f64(A), 'n')); })
ROW("cvt.rn.f16.f32 %d, %a;", "f16 f32", ANY, CODE, 0,
    { return (uint64_t)(half_bits(f32(A), 'n')); })
ROW("cvt.rn.bf16.f32 %d, %a;", "bf16 f32", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(f32(A), 'n')); })
ROW("cvt.rni.f32.f32 %d, %a;", "f32 f32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(round_to(f32(A), 'n'), 'n')); })
ROW("cvt.rni.f64.f64 %d, %a;", "f64 f64", ANY, CODE, 0,
    { return (uint64_t)(double_bits(round_to(f64(A), 'n'))); })
ROW("cvt.rni.f16.f16 %d, %a;", "f16 f16", ANY, CODE, 0,
    { return (uint64_t)(half_bits(round_to(f16(A), 'n'), 'n')); })
ROW("cvt.rz.f32.f64 %d, %a;", "f32 f64", ANY, CODE, 0,
    { return (uint64_t)(single_bits(f64(A), 'z')); })
ROW("cvt.rz.f16.f32 %d, %a;", "f16 f32", ANY, CODE, 0,
    { return (uint64_t)(half_bits(f32(A), 'z')); })
ROW("cvt.rz.bf16.f32 %d, %a;", "bf16 f32", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(f32(A), 'z')); })
ROW("cvt.rzi.f32.f32 %d, %a;", "f32 f32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(round_to(f32(A), 'z'), 'n')); })
ROW("cvt.rzi.f64.f64 %d, %a;", "f64 f64", ANY, CODE, 0,
    { return (uint64_t)(double_bits(round_to(f64(A), 'z'))); })
ROW("cvt.rzi.f16.f16 %d, %a;", "f16 f16", ANY, CODE, 0,
    { return (uint64_t)(half_bits(round_to(f16(A), 'z'), 'n')); })
ROW("cvt.rm.f32.f64 %d, %a;", "f32 f64", ANY, CODE, 0,
    { return (uint64_t)(single_bits(f64(A), 'm')); })
ROW("cvt.rm.f16.f32 %d, %a;", "f16 f32", ANY, CODE, 0,
    { return (uint64_t)(half_bits(f32(A), 'm')); })
ROW("cvt.rm.bf16.f32 %d, %a;", "bf16 f32", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(f32(A), 'm')); })
ROW("cvt.rmi.f32.f32 %d, %a;", "f32 f32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(round_to(f32(A), 'm'), 'n')); })
ROW("cvt.rmi.f64.f64 %d, %a;", "f64 f64", ANY, CODE, 0,
    { return (uint64_t)(double_bits(round_to(f64(A), 'm'))); })
ROW("cvt.rmi.f16.f16 %d, %a;", "f16 f16", ANY, CODE, 0,
    { return (uint64_t)(half_bits(round_to(f16(A), 'm'), 'n')); })
ROW("cvt.rp.f32.f64 %d, %a;", "f32 f64", ANY, CODE, 0,
    { return (uint64_t)(single_bits(f64(A), 'p')); })
ROW("cvt.rp.f16.f32 %d, %a;", "f16 f32", ANY, CODE, 0,
    { return (uint64_t)(half_bits(f32(A), 'p')); })
ROW("cvt.rp.bf16.f32 %d, %a;", "bf16 f32", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(f32(A), 'p')); })
ROW("cvt.rpi.f32.f32 %d, %a;", "f32 f32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(round_to(f32(A), 'p'), 'n')); })
ROW("cvt.rpi.f64.f64 %d, %a;", "f64 f64", ANY, CODE, 0,
    { return (uint64_t)(double_bits(round_to(f64(A), 'p'))); })
ROW("cvt.rpi.f16.f16 %d, %a;", "f16 f16", ANY, CODE, 0,
    { return (uint64_t)(half_bits(round_to(f16(A), 'p'), 'n')); })
ROW("cvt.rn.ftz.f32.f64 %d, %a;", "f32 f64", ANY, CODE, 0,
    { return (uint64_t)(single_bits(flush_subnormal(single_value(single_bits(f64(A), 'n'))), 'n')); })
ROW("cvt.rn.f16.f64 %d, %a;", "f16 f64", ANY, CODE, 0,
    { return (uint64_t)(half_bits(f64(A), 'n')); })
ROW("cvt.rn.bf16.f64 %d, %a;", "bf16 f64", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(f64(A), 'n')); })
ROW("cvt.rn.bf16.f16 %d, %a;", "bf16 f16", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(f16(A), 'n')); })
ROW("cvt.rn.f16.bf16 %d, %a;", "f16 bf16", ANY, CODE, 0,
    { return (uint64_t)(half_bits(bf16(A), 'n')); })
ROW("cvt.rn.sat.f16.f32 %d, %a;", "f16 f32", ANY, CODE, 0,
    { return (uint64_t)(half_bits(saturate(f32(A)), 'n')); })
ROW("cvt.rn.relu.f16.f32 %d, %a;", "f16 f32", ANY, CODE, 0,
    { return (uint64_t)(half_bits(isnan(f32(A)) ? NAN : max_number(f32(A), 0), 'n')); })
ROW("cvt.sat.f32.f32 %d, %a;", "f32 f32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(saturate(f32(A)), 'n')); })
ROW("cvt.ftz.f32.f32 %d, %a;", "f32 f32", ANY, CODE, 0,
    { return (uint64_t)(single_bits(flush_subnormal(f32(A)), 'n')); })
ROW("cvt.sat.f64.f64 %d, %a;", "f64 f64", ANY, CODE, 0,
    { return (uint64_t)(double_bits(saturate(f64(A)))); })
ROW("cvt.rn.f16x2.f32 %d, %a, %b;", "f16x2 f32 f32", ANY, CODE, 0,
    { return (uint64_t)(half_bits(f32(A), 'n') << 16 | half_bits(f32(B), 'n')); })
ROW("cvt.rz.bf16x2.f32 %d, %a, %b;", "bf16x2 f32 f32", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(f32(A), 'z') << 16 | bf16_bits(f32(B), 'z')); })
ROW("cvt.rn.relu.bf16x2.f32 %d, %a, %b;", "bf16x2 f32 f32", ANY, CODE, 0,
    { return (uint64_t)(bf16_bits(isnan(f32(A)) ? NAN : max_number(f32(A), 0), 'n') << 16 | bf16_bits(isnan(f32(B)) ? NAN : max_number(f32(B), 0), 'n')); })
ROW("cvt.pack.sat.u16.s32 %d, %a, %b;", "u32 s32 s32", ANY, CODE, 0,
    { return (uint64_t)((uint64_t)clamp(SA, 0, 65535) << 16 | (uint64_t)clamp(SB, 0, 65535)); })
ROW("cvt.pack.sat.s8.s32.b32 %d, %a, %b, %c;", "u32 s32 s32 b32", ANY, CODE, 0,
    { return (uint64_t)(C << 16 | ((uint64_t)clamp(SA, -128, 127) & 0xff) << 8 | ((uint64_t)clamp(SB, -128, 127) & 0xff)); })
ROW("cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c;", "u32 s32 s32 b32", ANY, CODE, 0,
    { return (uint64_t)(C << 16 | ((uint64_t)clamp(SA, 0, 255) & 0xff) << 8 | ((uint64_t)clamp(SB, 0, 255) & 0xff)); })
ROW("cvt.pack.sat.u4.s32.b32 %d, %a, %b, %c;", "u32 s32 s32 b32", ANY, CODE, 0,
    { return (uint64_t)(C << 8 | ((uint64_t)clamp(SA, 0, 15) & 0xf) << 4 | ((uint64_t)clamp(SB, 0, 15) & 0xf)); })
ROW("cvt.pack.sat.s4.s32.b32 %d, %a, %b, %c;", "u32 s32 s32 b32", ANY, CODE, 0,
    { return (uint64_t)(C << 8 | ((uint64_t)clamp(SA, -8, 7) & 0xf) << 4 | ((uint64_t)clamp(SB, -8, 7) & 0xf)); })
ROW("cvt.pack.sat.u2.s32.b32 %d, %a, %b, %c;", "u32 s32 s32 b32", ANY, CODE, 0,
    { return (uint64_t)(C << 4 | ((uint64_t)clamp(SA, 0, 3) & 0x3) << 2 | ((uint64_t)clamp(SB, 0, 3) & 0x3)); })
ROW("cvt.pack.sat.s2.s32.b32 %d, %a, %b, %c;", "u32 s32 s32 b32", ANY, CODE, 0,
    { return (uint64_t)(C << 4 | ((uint64_t)clamp(SA, -2, 1) & 0x3) << 2 | ((uint64_t)clamp(SB, -2, 1) & 0x3)); })
/* clang-format on */
