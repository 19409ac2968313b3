/* SPDX-License-Identifier: MIT */
/*
 * Functions of OpenCL C that f64_functions.h does not have, for device code (opencl_functions.cu)
 * and for tests on the host: those of f32 that programs use most in f32 (s_), with errors below
 * those that the OpenCL C specification allows in its full profile, and the rest of f64 (f_).
 * Other functions of f32 are f64's, rounded once. The includer includes f64_functions.h before.
 */
#define FMAF __builtin_fmaf

FUNCTION unsigned s_bits(float x)
{
	union {
		float f;
		unsigned bits;
	} u;

	u.f = x;
	return u.bits;
}

FUNCTION float s_of(unsigned bits)
{
	union {
		float f;
		unsigned bits;
	} u;

	u.bits = bits;
	return u.f;
}

FUNCTION double f_of(unsigned long long bits)
{
	union {
		double d;
		unsigned long long bits;
	} u;

	u.bits = bits;
	return u.d;
}

FUNCTION float s_rint(float x) /* below 2^22 */
{
	float shift = 12582912.0f; /* 1.5 2^23 */

	return (x + shift) - shift;
}

/* ---- exponentials of f32 ---- */

/* e^r 2^n, |r| <= 0.35, |n| <= 300: the powers of two are applied in two steps, so that neither
 * overflows before the result does */
FUNCTION float s_exp_scaled(float r, int n)
{
	float p = 1.0f / 5040.0f;
	int half = n / 2;

	p = FMAF(p, r, 1.0f / 720.0f);
	p = FMAF(p, r, 1.0f / 120.0f);
	p = FMAF(p, r, 1.0f / 24.0f);
	p = FMAF(p, r, 1.0f / 6.0f);
	p = FMAF(p, r, 0.5f);
	p = 1.0f + FMAF(r * r, p, r);
	return p * s_of((unsigned)(half + 127) << 23) * s_of((unsigned)(n - half + 127) << 23);
}

FUNCTION float s_exp(float x)
{
	float n, r;

	if (!(x < 89.0f))
		return x != x ? x : s_of(0x7f800000);
	if (x < -104.0f)
		return 0.0f;
	n = s_rint(x * 0x1.715476p+0f);
	r = FMAF(n, -0x1.62e43p-1f, x);
	return s_exp_scaled(FMAF(n, 0x1.05c610p-29f, r), (int)n);
}

FUNCTION float s_exp_two(float x)
{
	float n;

	if (!(x < 129.0f))
		return x != x ? x : s_of(0x7f800000);
	if (x < -151.0f)
		return 0.0f;
	n = s_rint(x);
	return s_exp_scaled((x - n) * 0x1.62e43p-1f, (int)n);
}

FUNCTION float s_exp_ten(float x)
{
	float n, r;

	if (!(x < 39.0f))
		return x != x ? x : s_of(0x7f800000);
	if (x < -46.0f)
		return 0.0f;
	n = s_rint(x * 0x1.a934fp+1f);
	/* log10(2) in two parts; then times ln 10 */
	r = FMAF(n, -0x1.344136p-2f, x);
	r = FMAF(n, 0x1.ec10c0p-27f, r);
	return s_exp_scaled(r * 0x1.26bb1cp+1f, (int)n);
}

/* ---- logarithms of f32 ---- */

/* log(m) and k of x = m 2^k, m in [sqrt(1/2), sqrt(2)); x is positive and finite */
FUNCTION float s_log_parts(float x, float *k)
{
	float e = 0, m, f, s, z, p;
	unsigned bits;
	int n;

	if (x < 0x1p-126f) {
		x *= 0x1p24f;
		e = -24.0f;
	}
	bits = s_bits(x);
	n = (int)(bits - 0x3f3504f3u) >> 23;
	m = s_of(bits - ((unsigned)n << 23));
	*k = e + (float)n;
	f = m - 1.0f;
	s = f / (2.0f + f);
	z = s * s;
	p = 2.0f / 11.0f;
	p = FMAF(p, z, 2.0f / 9.0f);
	p = FMAF(p, z, 2.0f / 7.0f);
	p = FMAF(p, z, 2.0f / 5.0f);
	p = FMAF(p, z, 2.0f / 3.0f);
	p = p * z;
	/* 2 s + s p, and 2 s = f - f s */
	return f - s * (f - p);
}

FUNCTION float s_log_special(float x)
{
	return x == 0 ? -1.0f / 0.0f : x > 0 ? x : s_of(0x7fc00000);
}

FUNCTION int s_is_positive(float x)
{
	return x > 0 && x < s_of(0x7f800000);
}

FUNCTION float s_log(float x)
{
	float k, r;

	if (!s_is_positive(x))
		return s_log_special(x);
	r = s_log_parts(x, &k);
	return FMAF(k, 0x1.62e4p-1f, FMAF(k, 0x1.7f7d1cp-20f, r));
}

FUNCTION float s_log_two(float x)
{
	float k, r;

	if (!s_is_positive(x))
		return s_log_special(x);
	r = s_log_parts(x, &k);
	return k + FMAF(r, 0x1.715476p+0f, r * 0x1.4ae0cp-26f);
}

FUNCTION float s_log_ten(float x)
{
	float k, r;

	if (!s_is_positive(x))
		return s_log_special(x);
	r = s_log_parts(x, &k);
	r = FMAF(r, 0x1.bcb7b2p-2f, r * -0x1.5b235ep-27f);
	return FMAF(k, 0x1.344p-2f, FMAF(k, 0x1.3509f8p-18f, r));
}

/* ---- sine, cosine, tangent of f32 ---- */

FUNCTION float s_sine_near(float r)
{
	float z = r * r, p = 1.0f / 362880.0f;

	p = FMAF(p, z, -1.0f / 5040.0f);
	p = FMAF(p, z, 1.0f / 120.0f);
	p = FMAF(p, z, -1.0f / 6.0f);
	return FMAF(p * z, r, r);
}

FUNCTION float s_cosine_near(float r)
{
	float z = r * r, p = -1.0f / 3628800.0f;

	p = FMAF(p, z, 1.0f / 40320.0f);
	p = FMAF(p, z, -1.0f / 720.0f);
	p = FMAF(p, z, 1.0f / 24.0f);
	p = FMAF(p, z, -0.5f);
	return FMAF(p, z, 1.0f);
}

/* x - n pi / 2 by three parts of pi / 2, |x| <= 2^16 */
FUNCTION float s_reduce(float x, int *quadrant)
{
	float n = s_rint(x * 0x1.45f306p-1f), r;

	r = FMAF(n, -0x1.921fb6p+0f, x);
	r = FMAF(n, 0x1.777a5cp-25f, r);
	*quadrant = (int)n;
	return FMAF(n, 0x1.ee59dap-50f, r);
}

#define S_LARGE 65536.0f

FUNCTION float s_wave(float x, int add)
{
	int q;
	float r;

	if (!(x > -S_LARGE && x < S_LARGE))
		return (float)f_wave(x, add);
	if (x == 0)
		return add ? 1.0f : x;
	r = s_reduce(x, &q);
	q += add;
	r = q & 1 ? s_cosine_near(r) : s_sine_near(r);
	return q & 2 ? -r : r;
}

FUNCTION float s_tan(float x)
{
	int q;
	float r;

	if (!(x > -S_LARGE && x < S_LARGE))
		return (float)f_tan(x);
	r = s_reduce(x, &q);
	if (x == 0)
		return x;
	return q & 1 ? -s_cosine_near(r) / s_sine_near(r) : s_sine_near(r) / s_cosine_near(r);
}

/* ---- remainders ---- */

/* x - n y, n the quotient rounded to zero, exactly; *quotient: the low 32 bits of n */
SHARED double f_remainder_to_zero(double x, double y, unsigned *quotient)
{
	unsigned long long a = f_bits(x) & ~(1ull << 63), b = f_bits(y) & ~(1ull << 63);
	int ea = (int)(a >> 52), eb = (int)(b >> 52);

	*quotient = 0;
	if (a >= 0x7ffull << 52 || b > 0x7ffull << 52 || !b)
		return 0.0 / 0.0;
	if (a < b)
		return x;
	a &= (1ull << 52) - 1;
	b &= (1ull << 52) - 1;
	if (ea)
		a |= 1ull << 52;
	else
		ea = 1;
	if (eb)
		b |= 1ull << 52;
	else
		eb = 1;
	for (;; ea--) {
		*quotient <<= 1;
		if (a >= b) {
			a -= b;
			*quotient |= 1;
		}
		if (ea == eb)
			break;
		a <<= 1;
	}
	return f_sign_of(f_scale((double)a, eb - 1075), x);
}

FUNCTION double f_fmod(double x, double y)
{
	unsigned quotient;

	return f_remainder_to_zero(x, y, &quotient);
}

/* x - n y, n the quotient rounded to nearest even; *quotient: its low seven bits, with its sign */
FUNCTION double f_remquo(double x, double y, int *quotient)
{
	unsigned n;
	double r = f_remainder_to_zero(x, y, &n), ar = f_abs(r), ay = f_abs(y);
	int negative = (int)((f_bits(x) ^ f_bits(y)) >> 63);

	if (ay < 1.0 / 0.0 && (ar > ay - ar || (ar == ay - ar && n & 1))) {
		r = f_sign_of(ay - ar, -x);
		n++;
	}
	*quotient = negative ? -(int)(n & 127) : (int)(n & 127);
	if (r == 0)
		r = f_sign_of(r, x);
	return r;
}

FUNCTION double f_remainder(double x, double y)
{
	int quotient;

	return f_remquo(x, y, &quotient);
}

/* ---- powers of two ---- */

/* x 2^n, rounded once: what comes before the last product is exact, or small enough that the result
 * is 0 */
FUNCTION double f_ldexp(double x, int n)
{
	double last = 1.0;

	if (n < -54) {
		last = 0x1p-54;
		n += 54;
	}
	for (; n < -1000 && x != 0; n += 1000)
		x *= 0x1p-1000;
	for (; n > 1000 && x != 0 && f_abs(x) < 1.0 / 0.0; n -= 1000)
		x *= 0x1p+1000;
	if (n < -1000 || n > 1000 || x != x)
		return x;
	return x * f_of((unsigned long long)(n + 1023) << 52) * last;
}

/* ---- further exponentials, logarithms and roots of f64 ---- */

FUNCTION double f_exp_ten(double x)
{
	struct f64_pair p;
	struct f64_reduced e;

	if (!(x < 309.0))
		return x != x ? x : 1.0 / 0.0;
	if (x < -324.0)
		return 0.0;
	p = f_product((struct f64_pair){x, 0},
		      (struct f64_pair){0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53});
	e = f_exp_pair(p);
	return f_scale(e.p.hi + e.p.lo, e.n);
}

FUNCTION double f_exp_minus_one(double x)
{
	struct f64_pair r;
	struct f64_reduced e;

	if (f_abs(x) < 0x1p-54 || x != x)
		return x;
	if (x > 44.0)
		return f_exp(x);
	if (x < -44.0)
		return -1.0;
	e = f_exp_pair((struct f64_pair){x, 0});
	r.hi = f_scale(e.p.hi, e.n);
	r.lo = f_scale(e.p.lo, e.n);
	r = f_add((struct f64_pair){-1.0, 0}, r);
	return r.hi + r.lo;
}

FUNCTION double f_log_one_plus(double x)
{
	struct f64_pair r;

	if (!(x > -1.0 && x < 1.0 / 0.0))
		return x == -1.0 ? -1.0 / 0.0 : x > 0 ? x : 0.0 / 0.0;
	if (x == 0)
		return x;
	r = f_log_one(x, 0);
	return r.hi + r.lo;
}

FUNCTION double f_log_ten(double x)
{
	struct f64_pair r;

	if (!f_is_positive(x))
		return f_log_special(x);
	r = f_product(f_log_pair(x, 0),
		      (struct f64_pair){0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
	return r.hi + r.lo;
}

/* |x|^(1 / n), n > 0, x finite and not 0 */
SHARED double f_root(double x, double n)
{
	struct f64_reduced e =
		f_exp_pair(f_quotient(f_log_pair(f_abs(x), 0), (struct f64_pair){n, 0}));

	return f_scale(e.p.hi + e.p.lo, e.n);
}

FUNCTION double f_cbrt(double x)
{
	return x == 0 || x != x || f_abs(x) == 1.0 / 0.0 ? x : f_sign_of(f_root(x, 3.0), x);
}

FUNCTION double f_rootn(double x, int n)
{
	double r, an = n < 0 ? -(double)n : (double)n;

	if (!n || x != x || (x < 0 && !(n & 1)))
		return 0.0 / 0.0;
	r = x == 0 || f_abs(x) == 1.0 / 0.0 ? f_abs(x) : f_root(x, an);
	if (n < 0)
		r = 1.0 / r;
	return n & 1 ? f_sign_of(r, x) : r;
}

FUNCTION double f_pown(double x, int n)
{
	return f_pow(x, (double)n);
}

/* x^y of a positive x as e^(y log x): what pow defines by limits is NaN */
FUNCTION double f_powr(double x, double y)
{
	double infinity = 1.0 / 0.0;

	if (!(x >= 0) || y != y || (y == 0 && (x == 0 || x == infinity)) ||
	    (x == 1.0 && f_abs(y) == infinity))
		return 0.0 / 0.0;
	return f_pow(f_abs(x), y);
}

FUNCTION double f_hypot(double x, double y)
{
	double a = f_abs(x), b = f_abs(y), swap, r, p, q;
	struct f64_pair s;
	int k = 0;

	if (a == 1.0 / 0.0 || b == 1.0 / 0.0)
		return 1.0 / 0.0;
	if (a < b) {
		swap = a;
		a = b;
		b = swap;
	}
	if (a > 0x1p+500)
		k = -600;
	else if (a < 0x1p-400)
		k = 600;
	a = f_scale(a, k);
	b = f_scale(b, k);
	p = a * a;
	q = b * b;
	s = f_sum(p, q);
	s.lo += FMA(a, a, -p) + FMA(b, b, -q);
	if (!(s.hi > 0))
		return s.hi;
	r = __builtin_sqrt(s.hi);
	r += (FMA(-r, r, s.hi) + s.lo) / (2.0 * r);
	return f_scale(r, -k);
}

/* ---- functions of pi x ---- */

/* Quadrant and angle of pi x. */
FUNCTION struct f64_reduced f_half_turns(double x)
{
	double n;

	if (f_abs(x) >= 0x1p52) /* an integer: even from 2^53 on */
		return (struct f64_reduced){{0, 0},
					    f_abs(x) < 0x1p53 ? (int)(((long long)x & 1) * 2) : 0};
	n = __builtin_rint(2.0 * x);
	return (struct f64_reduced){
		f_product((struct f64_pair){x - 0.5 * n, 0},
			  (struct f64_pair){0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}),
		(int)((long long)n & 3)};
}

FUNCTION double f_wave_pi(double x, int add)
{
	struct f64_reduced a;
	struct f64_pair r;
	int q;

	if (!(f_abs(x) < 1.0 / 0.0))
		return 0.0 / 0.0;
	a = f_half_turns(x);
	q = a.n + add;
	if (q & 1)
		r = f_cosine_near(a.p);
	else
		r = f_sine_near(a.p);
	if (!(q & 1) && a.p.hi == 0) /* multiples of pi: sine has x's sign, cosine's zero none */
		return add ? 0.0 : f_sign_of(0.0, x);
	return q & 2 ? -(r.hi + r.lo) : r.hi + r.lo;
}

FUNCTION double f_tan_pi(double x)
{
	struct f64_reduced a;
	struct f64_pair r;

	if (!(f_abs(x) < 1.0 / 0.0))
		return 0.0 / 0.0;
	a = f_half_turns(x);
	if (a.p.hi == 0) {
		double zero = f_sign_of(0.0, x);

		if (a.n & 1)
			return a.n & 2 ? -f_sign_of(1.0 / 0.0, 1.0) : 1.0 / 0.0;
		return a.n & 2 ? -zero : zero;
	}
	r = a.n & 1 ? f_quotient(f_cosine_near(a.p), f_sine_near(a.p))
		    : f_quotient(f_sine_near(a.p), f_cosine_near(a.p));
	return a.n & 1 ? -(r.hi + r.lo) : r.hi + r.lo;
}

/* An angle divided by pi. */
FUNCTION double f_over_pi(double angle)
{
	return FMA(angle, 0x1.45f306dc9c883p-2, angle * -0x1.6b01ec5417056p-56);
}

FUNCTION double f_asin_pi(double x)
{
	return f_over_pi(f_asin(x));
}

FUNCTION double f_acos_pi(double x)
{
	return f_over_pi(f_acos(x));
}

FUNCTION double f_atan_pi(double x)
{
	return f_over_pi(f_atan(x));
}

FUNCTION double f_atan_two_pi(double y, double x)
{
	return f_over_pi(f_atan_two(y, x));
}

/* ---- error function ---- */

/* Both tables start with the low and the high part of the first coefficient. They interpolate at
 * Chebyshev's points, with 400 bits: erf(sqrt z) / sqrt z on [0, 9/16] with a relative error of
 * 2^-60, and e^(x^2) erfc(x) on octaves x = (t + 3/2) 2^s, s from -1 on, with one of 2^-57. */
TABLE const double f_erf_near[] = {
	0x1.0ba72caf836ddp-56,  0x1.20dd750429b6dp+0,   -0x1.812746b0379e0p-2,
	0x1.ce2f21a0424c3p-4,   -0x1.b82ce31257412p-6,  0x1.565bcd03657c0p-8,
	-0x1.c02db1220cfe6p-11, 0x1.f9a2afa3a8f86p-14,  -0x1.f4c5debf1228ap-17,
	0x1.b90ecd4aeec12p-20,  -0x1.564f71bbc0d35p-23, 0x1.8a312cb07e6ccp-27,
};

#define ERFC_DEGREE 22

TABLE const double f_erfc_octaves[][ERFC_DEGREE + 2] = {
	{
		/* [1/2, 1) */
		-0x1.ec2134d851665p-55, 0x1.038d54ea3d834p-1,   -0x1.78cdd551ee51ap-3,
		0x1.d90093ae10928p-5,   -0x1.09e77d40e0239p-6,  0x1.1192f5bd6877dp-8,
		-0x1.054d68295b244p-10, 0x1.d43a7c7a661b3p-13,  -0x1.8c97dd4ea4906p-15,
		0x1.3f81897ce8651p-17,  -0x1.ec0cf4e3344b9p-20, 0x1.6b982c1d4a8b2p-22,
		-0x1.02b1604028d9ap-24, 0x1.6372355c4ec65p-27,  -0x1.d8bafbaebbacap-30,
		0x1.30ecbde8dc9d4p-32,  -0x1.7e469e1525974p-35, 0x1.d27f0024ead17p-38,
		-0x1.157780d05ed0ep-40, 0x1.422cd300b17d0p-43,  -0x1.6d766a2a1de5ap-46,
		0x1.95b1f1e62a0e3p-49,  -0x1.c44b73852253cp-52, 0x1.e16c03449d7d3p-55,
	},
	{
		/* [1, 2) */
		0x1.39bdf0f0d8e21p-56,  0x1.494daffa2ad68p-2,   -0x1.4f1988444caf7p-3,
		0x1.37ea271bc54bdp-4,   -0x1.0dc51d2941e6dp-5,  0x1.b65944f34f7adp-7,
		-0x1.513ed7600d1c1p-8,  0x1.ee705e736464dp-10,  -0x1.5b0abfe65a31dp-11,
		0x1.d4509d0d417c7p-13,  -0x1.30c0ec743ca2ep-14, 0x1.7f99792354fbep-16,
		-0x1.d4157187d69e0p-18, 0x1.156c936a5fb5bp-19,  -0x1.4004f03d95a5bp-21,
		0x1.67cf5ef3b9c3cp-23,  -0x1.8adbfc5ac441fp-25, 0x1.a7798daa77c05p-27,
		-0x1.bc5fe6695ac0cp-29, 0x1.c8a5b2c36df06p-31,  -0x1.ca82b318739aap-33,
		0x1.c540dd474bdc7p-35,  -0x1.de1ef968f85dfp-37, 0x1.c6ad17203cba7p-39,
	},
	{
		/* [2, 4) */
		-0x1.90753de713593p-58, 0x1.6e9827d229d2dp-3,   -0x1.bd6ae4d14b16fp-4,
		0x1.043fe1a98c0cdp-4,   -0x1.259061ba85692p-5,  0x1.409cc2ed3fefcp-6,
		-0x1.53dec9d0895c0p-7,  0x1.5e73930485048p-8,   -0x1.6025103c14645p-9,
		0x1.595f1b5dc38f0p-10,  -0x1.4b14628869c33p-11, 0x1.369904b839826p-12,
		-0x1.1d7913ca8c531p-13, 0x1.01508e2a05f87p-14,  -0x1.c752340e1e034p-16,
		0x1.8bbf33f2279c5p-17,  -0x1.522324439ba56p-18, 0x1.1c3ea18cc44d4p-19,
		-0x1.d71be8245dba9p-21, 0x1.7fef2c231cfc5p-22,  -0x1.2cab14bcd45e3p-23,
		0x1.dcddffdf8032fp-25,  -0x1.d7607bdf4ff45p-26, 0x1.697db44fc4913p-27,
	},
	{
		/* [4, 8) */
		0x1.ca9cebb9a1c44p-58,  0x1.7c0348489d721p-4,   -0x1.ed7f66d9d09fep-5,
		0x1.3c7764a81f462p-5,   -0x1.9106a7cd79df8p-6,  0x1.f64cd9c07b66cp-7,
		-0x1.370d06417ac40p-7,  0x1.7d0e03edb2214p-8,   -0x1.cde4ceca58c4bp-9,
		0x1.1513469ecdd63p-9,   -0x1.491bb152f4eb5p-10, 0x1.83201a8128c65p-11,
		-0x1.c312a78c5953ap-12, 0x1.045ffc9dc9112p-12,  -0x1.29e8afef4d7eep-13,
		0x1.51dac6bc001e4p-14,  -0x1.7b931f0224871p-15, 0x1.a73db2b330e91p-16,
		-0x1.d9806d433f62ap-17, 0x1.03956f2260367p-17,  -0x1.f7cd8661a9f33p-19,
		0x1.110fda41ea140p-19,  -0x1.e8e59452fb60fp-20, 0x1.028f1b8ae16b7p-20,
	},
	{
		/* [8, 16) */
		0x1.890aa6df43976p-60,  0x1.7fd46c5e0864dp-5,   -0x1.fc477b46d665bp-6,
		0x1.4f67f473cc4f9p-6,   -0x1.b92eddb6a4951p-7,  0x1.21338ab42f122p-7,
		-0x1.79e921ac8bba3p-8,  0x1.ec3b264bc4592p-9,   -0x1.3f89d99e18e3bp-9,
		0x1.9d8bf916b8b2dp-10,  -0x1.0ac36f2995aa8p-10, 0x1.57157e74d941fp-11,
		-0x1.b7df47912c331p-12, 0x1.191ed7882509bp-12,  -0x1.664bc32a30b93p-13,
		0x1.c733c46816cb8p-14,  -0x1.1f7321bad987ep-14, 0x1.6b0de7e06ba73p-15,
		-0x1.d854413da80d5p-16, 0x1.2858fee4b3671p-16,  -0x1.1dd9cb8957547p-17,
		0x1.661b8dd0fb428p-18,  -0x1.ef7ede5a49fbap-18, 0x1.3286f33afb56ap-18,
	},
	{
		/* [16, 32) */
		-0x1.8f9595af81aacp-67, 0x1.80d1e88d3c620p-6,   -0x1.001a68f1b544ap-6,
		0x1.54964558f64cfp-7,   -0x1.c48d27f6c76afp-8,  0x1.2c675fe07018cp-8,
		-0x1.8e79b81958daep-9,  0x1.080e891d36f32p-9,   -0x1.5daa879ac109dp-10,
		0x1.cea351b87274ep-11,  -0x1.31cbb89f8e9b6p-11, 0x1.93e906a34568dp-12,
		-0x1.0a864aab8e315p-12, 0x1.5f727ace7dd1dp-13,  -0x1.cf2cc690ba429p-14,
		0x1.30ddd10767d5cp-14,  -0x1.8f2768c0e6fefp-15, 0x1.064c9958e825ep-15,
		-0x1.68ef6a9e31bdbp-16, 0x1.d973d2cfb31e6p-17,  -0x1.b368b30898af4p-18,
		0x1.1d9968b6db45ap-18,  -0x1.e360d09c9f446p-18, 0x1.3bb998dc23b48p-18,
	},
};

/* erf(x) for |x| <= 3/4: only the small part of the sum after the first term is rounded */
FUNCTION struct f64_pair f_erf_pair(double x)
{
	double z = x * x, hi = x * f_erf_near[1], p = f_erf_near[11];

	for (int k = 10; k > 1; k--)
		p = FMA(p, z, f_erf_near[k]);
	return (struct f64_pair){hi, FMA(x, f_erf_near[1], -hi) + x * FMA(p, z, f_erf_near[0])};
}

/* erfc(x) for 1/2 <= x < 32: e^(-x^2) times the polynomial of x's octave, both as pairs, so that
 * the last operation alone rounds. x^2 is split into its rounded value and the rest; t is exact. */
SHARED double f_erfc_far(double x)
{
	unsigned long long bits = f_bits(x);
	int octave = (int)(bits >> 52) - 1022;
	double t = f_of((bits & ((1ull << 52) - 1)) | 1023ull << 52) - 1.5, square = x * x;
	double p = f_erfc_octaves[octave][ERFC_DEGREE + 1];
	struct f64_pair r;
	struct f64_reduced e;

	if (square > 745.0)
		return 0.0;
	for (int k = ERFC_DEGREE; k > 1; k--)
		p = FMA(p, t, f_erfc_octaves[octave][k]);
	r = f_fast(f_erfc_octaves[octave][1], FMA(p, t, f_erfc_octaves[octave][0]));
	e = f_exp_pair((struct f64_pair){-square, -FMA(x, x, -square)});
	return f_scale(FMA(e.p.hi, r.hi, FMA(e.p.hi, r.lo, e.p.lo * r.hi)), e.n);
}

FUNCTION double f_erf(double x)
{
	double a = f_abs(x);
	struct f64_pair near;

	if (x != x)
		return x;
	if (a < 0.75) {
		near = f_erf_pair(a);
		return f_sign_of(near.hi + near.lo, x);
	}
	return f_sign_of(a < 6.5 ? 1.0 - f_erfc_far(a) : 1.0, x);
}

FUNCTION double f_erfc(double x)
{
	struct f64_pair near, rest;

	if (x != x)
		return x;
	if (x >= 0.5)
		return x > 27.5 ? 0.0 : f_erfc_far(x);
	if (x <= -0.75)
		return x < -6.5 ? 2.0 : 2.0 - f_erfc_far(-x);
	near = f_erf_pair(x);
	rest = f_sum(1.0, -near.hi);
	return rest.hi + (rest.lo - near.lo);
}

/* ---- gamma function ---- */

/* The sum of Stirling's series for log(gamma(x)), without (x - 1/2) log x - x; x >= 12 */
FUNCTION double f_stirling(double x)
{
	double z = 1.0 / (x * x), p = -691.0 / 360360.0;

	p = FMA(p, z, 1.0 / 1188.0);
	p = FMA(p, z, -1.0 / 1680.0);
	p = FMA(p, z, 1.0 / 1260.0);
	p = FMA(p, z, -1.0 / 360.0);
	p = FMA(p, z, 1.0 / 12.0);
	return p / x;
}

/* log(gamma(x)) of x >= 12 */
SHARED struct f64_pair f_log_gamma_pair(double x)
{
	struct f64_pair r = f_product(f_log_pair(x, 0), (struct f64_pair){x - 0.5, 0});

	r = f_add(r, (struct f64_pair){-x, 0});
	return f_add(
		r, (struct f64_pair){0x1.d67f1c864beb5p-1, f_stirling(x) - 0x1.65b5a1b7ff5dfp-55});
}

/* gamma(at + low) of a positive number: of x + n >= 12, divided by x (x + 1) ... */
SHARED double f_gamma_positive(double at, double low)
{
	struct f64_pair x = {at, low}, product = {1.0, 0}, l;
	struct f64_reduced e;

	if (x.hi > 172.0)
		return 1.0 / 0.0;
	while (x.hi < 12.0) {
		product = f_product(product, x);
		x = f_add(x, (struct f64_pair){1.0, 0});
	}
	/* the derivative of log(gamma(x)) is near log(x) */
	l = f_log_gamma_pair(x.hi);
	l.lo += x.lo * (f_log(x.hi) - 0.5 / x.hi);
	e = f_exp_pair(f_fast(l.hi, l.lo));
	product = f_quotient(e.p, product);
	return f_scale(product.hi + product.lo, e.n);
}

FUNCTION double f_tgamma(double x)
{
	struct f64_pair other;
	double s;

	if (x == 0)
		return 1.0 / x;
	if (x > 0)
		return f_gamma_positive(x, 0);
	if (!(x > -1.0 / 0.0) || __builtin_rint(x) == x)
		return 0.0 / 0.0;
	if (x < -184.0)
		return ((long long)-x & 1) ? 0.0 : -0.0;
	/* gamma(x) gamma(1 - x) = pi / sin(pi x); from -171 on, gamma(1 - x) overflows */
	s = f_wave_pi(x, 0);
	other = f_sum(1.0, -x);
	if (x > -170.0)
		return 0x1.921fb54442d18p+1 / (s * f_gamma_positive(other.hi, other.lo));
	return 0x1.921fb54442d18p+1 / (s * f_gamma_positive(-x, 0)) / -x;
}

/* log |gamma(x)|; *sign: gamma's sign, 0 at poles */
FUNCTION double f_lgamma_r(double x, int *sign)
{
	double a = f_abs(x), s = 1.0, r;
	struct f64_pair p, shift = {1.0, 0};

	*sign = 1;
	if (x != x || a == 1.0 / 0.0)
		return x * x;
	if (x <= 0 && __builtin_rint(x) == x) {
		*sign = x == 0 ? (f_bits(x) >> 63 ? -1 : 1) : 0;
		return 1.0 / 0.0;
	}
	if (a < 0x1p-60) {
		*sign = x < 0 ? -1 : 1;
		return -f_log(a);
	}
	if (x < 0) { /* by reflection: log(pi / |x sin(pi x)|) - log gamma(-x) */
		s = f_wave_pi(x, 0);
		*sign = s < 0 ? -1 : 1;
		x = a;
	}
	if (x < 12.0) {
		double y = x;

		for (; y < 12.0; y += 1.0)
			shift = f_product(shift, (struct f64_pair){y, 0});
		shift = f_log_pair(shift.hi, shift.lo);
		p = f_add(f_log_gamma_pair(y), (struct f64_pair){-shift.hi, -shift.lo});
	} else {
		p = f_log_gamma_pair(x);
	}
	r = p.hi + p.lo;
	if (s == 1.0)
		return r;
	return f_log(0x1.921fb54442d18p+1 / f_abs(a * s)) - r;
}

FUNCTION double f_lgamma(double x)
{
	int sign;

	return f_lgamma_r(x, &sign);
}
