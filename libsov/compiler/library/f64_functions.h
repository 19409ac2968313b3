/* SPDX-License-Identifier: MIT */
/*
 * Elementary functions of f64, for device code (f64_functions.cu) and for tests on the host.
 * Values that need more than 53 bits are pairs of doubles, hi + lo. Products are exact by fused
 * multiply-adds; series are Taylor's, as long as the argument after its reduction needs. The
 * includer defines FUNCTION, SHARED and TABLE, the words before functions, large ones and tables.
 */
#define FMA __builtin_fma

struct f64_pair {
	double hi, lo;
};

/* A pair with an exponent, or the number of a quadrant. */
struct f64_reduced {
	struct f64_pair p;
	int n;
};

FUNCTION struct f64_pair f_sum(double a, double b) /* exact */
{
	double s = a + b, t = s - a;

	return (struct f64_pair){s, (a - (s - t)) + (b - t)};
}

FUNCTION struct f64_pair f_fast(double a, double b) /* exact if |a| >= |b| */
{
	double s = a + b;

	return (struct f64_pair){s, b - (s - a)};
}

FUNCTION struct f64_pair f_product(struct f64_pair a, struct f64_pair b)
{
	double p = a.hi * b.hi;

	return f_fast(p, FMA(a.hi, b.hi, -p) + (a.hi * b.lo + a.lo * b.hi));
}

FUNCTION struct f64_pair f_add(struct f64_pair a, struct f64_pair b)
{
	struct f64_pair s = f_sum(a.hi, b.hi);

	return f_fast(s.hi, s.lo + (a.lo + b.lo));
}

FUNCTION struct f64_pair f_quotient(struct f64_pair a, struct f64_pair b)
{
	double q = a.hi / b.hi;

	return f_fast(q, (FMA(-q, b.hi, a.hi) + (a.lo - q * b.lo)) / b.hi);
}

SHARED double f_scale(double x, int k) /* x 2^k, |k| <= 2200 */
{
	int half = k / 2;
	union {
		unsigned long long bits;
		double d;
	} a, b;

	half = k < 0 ? -(-k / 2) : half;
	a.bits = (unsigned long long)(half + 1023) << 52;
	b.bits = (unsigned long long)(k - half + 1023) << 52;
	return x * a.d * b.d;
}

FUNCTION unsigned long long f_bits(double x)
{
	union {
		double d;
		unsigned long long bits;
	} u;

	u.d = x;
	return u.bits;
}

FUNCTION double f_abs(double x)
{
	return __builtin_fabs(x);
}

FUNCTION double f_sign_of(double magnitude, double sign)
{
	union {
		double d;
		unsigned long long bits;
	} u;

	u.d = magnitude;
	u.bits = (u.bits & ~(1ull << 63)) | (f_bits(sign) & 1ull << 63);
	return u.d;
}

/* The nearest integer of a number below 2^51. */
FUNCTION double f_rint(double x)
{
	double shift = 6755399441055744.0; /* 1.5 2^52 */

	return (x + shift) - shift;
}

/* ---- exponentials ---- */

/* e^r - 1 - r for |r| <= 0.35 */
FUNCTION double f_exp_tail(double r)
{
	double p = 1.0 / 6227020800.0;

	p = FMA(p, r, 1.0 / 479001600.0);
	p = FMA(p, r, 1.0 / 39916800.0);
	p = FMA(p, r, 1.0 / 3628800.0);
	p = FMA(p, r, 1.0 / 362880.0);
	p = FMA(p, r, 1.0 / 40320.0);
	p = FMA(p, r, 1.0 / 5040.0);
	p = FMA(p, r, 1.0 / 720.0);
	p = FMA(p, r, 1.0 / 120.0);
	p = FMA(p, r, 1.0 / 24.0);
	p = FMA(p, r, 1.0 / 6.0);
	return FMA(p * r, r * r, 0.5 * r * r);
}

/* e^x = pair 2^n; |x| < 1100 */
SHARED struct f64_reduced f_exp_pair(struct f64_pair x)
{
	double n = f_rint(x.hi * 0x1.71547652b82fep+0);
	struct f64_pair a, r, e;

	/* n ln 2, in three parts: the first product is exact together with the difference */
	a = f_sum(FMA(-n, 0x1.62e42fefa39efp-1, x.hi), 0);
	r = f_sum(a.hi, FMA(-n, 0x1.abc9e3b39803fp-56, x.lo));
	e = f_sum(1.0, r.hi);
	e = f_fast(e.hi, e.lo + (r.lo * e.hi + f_exp_tail(r.hi)));
	return (struct f64_reduced){e, (int)n};
}

FUNCTION double f_exp(double x)
{
	struct f64_reduced e;

	if (!(x < 710.0))
		return x != x ? x : 1.0 / 0.0;
	if (x < -746.0)
		return 0.0;
	e = f_exp_pair((struct f64_pair){x, 0});
	return f_scale(e.p.hi + e.p.lo, e.n);
}

FUNCTION double f_exp_two(double x)
{
	struct f64_reduced e;
	double n, f, p;

	if (!(x < 1025.0))
		return x != x ? x : 1.0 / 0.0;
	if (x < -1080.0)
		return 0.0;
	n = f_rint(x);
	f = x - n;
	p = f * 0x1.62e42fefa39efp-1;
	e = f_exp_pair(
		(struct f64_pair){p, FMA(f, 0x1.62e42fefa39efp-1, -p) + f * 0x1.abc9e3b39803fp-56});
	return f_scale(e.p.hi + e.p.lo, e.n + (int)n);
}

/* ---- logarithms ---- */

/* log(m) for m.hi in [0.7, 1.42]; log m = 2 (s + s^3 / 3 + s^5 / 5 + ...), s = (m - 1) / (m + 1) */
FUNCTION struct f64_pair f_log_near(struct f64_pair m)
{
	struct f64_pair s = f_quotient(f_add(m, (struct f64_pair){-1.0, 0}),
				       f_add(m, (struct f64_pair){1.0, 0}));
	struct f64_pair z = f_product(s, s), cube = f_product(s, z), third, sum;
	double x = z.hi, p = 2.0 / 25.0;

	p = FMA(p, x, 2.0 / 23.0);
	p = FMA(p, x, 2.0 / 21.0);
	p = FMA(p, x, 2.0 / 19.0);
	p = FMA(p, x, 2.0 / 17.0);
	p = FMA(p, x, 2.0 / 15.0);
	p = FMA(p, x, 2.0 / 13.0);
	p = FMA(p, x, 2.0 / 11.0);
	p = FMA(p, x, 2.0 / 9.0);
	p = FMA(p, x, 2.0 / 7.0);
	p = FMA(p, x, 2.0 / 5.0);
	third = f_product(cube, (struct f64_pair){0x1.5555555555555p-1, 0x1.5555555555555p-55});
	third = f_fast(third.hi, third.lo + p * x * cube.hi);
	sum = f_fast(2.0 * s.hi, 2.0 * s.lo);
	return f_add(sum, third);
}

/* log(x + low) of a positive finite x, |low| at most half of its last place */
SHARED struct f64_pair f_log_pair(double x, double low)
{
	unsigned long long bits;
	struct f64_pair m, r, whole;
	union {
		unsigned long long bits;
		double d;
	} u;
	double e = 0, scale;
	int k;

	if (x < 0x1p-1022) {
		x *= 0x1p54;
		low *= 0x1p54;
		e = -54;
	}
	bits = f_bits(x);
	/* the exponent by which the significand comes into [sqrt(1/2), sqrt(2)) */
	k = (int)((bits - 0x3fe6a09e667f3bcdull) >> 52) - (bits < 0x3fe6a09e667f3bcdull ? 4096 : 0);
	u.bits = bits - ((unsigned long long)(long long)k << 52);
	m.hi = u.d;
	scale = f_scale(1.0, -k);
	m.lo = low * scale;
	r = f_log_near(f_fast(m.hi, m.lo));
	e += k;
	if (e == 0)
		return r;
	whole.hi = e * 0x1.62e42fefa39efp-1;
	whole.lo = FMA(e, 0x1.62e42fefa39efp-1, -whole.hi) + e * 0x1.abc9e3b39803fp-56;
	return f_add(whole, r);
}

/* Results for arguments that are not positive and finite. */
FUNCTION double f_log_special(double x)
{
	return x == 0 ? -1.0 / 0.0 : x > 0 ? x : 0.0 / 0.0 * (x != x ? 1 : -1);
}

FUNCTION int f_is_positive(double x)
{
	return x > 0 && x < 1.0 / 0.0;
}

FUNCTION double f_log(double x)
{
	struct f64_pair r;

	if (!f_is_positive(x))
		return f_log_special(x);
	r = f_log_pair(x, 0);
	return r.hi + r.lo;
}

FUNCTION double f_log_two(double x)
{
	struct f64_pair r;

	if (!f_is_positive(x))
		return f_log_special(x);
	r = f_product(f_log_pair(x, 0),
		      (struct f64_pair){0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56});
	return r.hi + r.lo;
}

/* log(1 + x + low), x + low > -1; accurate near 0 */
SHARED struct f64_pair f_log_one(double x, double low)
{
	struct f64_pair u = f_sum(1.0, x);

	if (f_abs(x) < 0x1p-54)
		return f_fast(x, low);
	u = f_fast(u.hi, u.lo + low);
	return f_log_pair(u.hi, u.lo);
}

/* x^y for x >= 0; negative x only with an integral y. */
FUNCTION double f_pow(double x, double y)
{
	double ax = f_abs(x), sign = 1.0, r;
	struct f64_pair l, p;
	struct f64_reduced e;

	if (y == 0 || x == 1.0)
		return 1.0;
	if (x != x || y != y)
		return x + y;
	if (f_bits(x) >> 63 && f_abs(y) < 0x1p53) {
		long long whole = (long long)y;

		if ((double)whole != y && ax < 1.0 / 0.0 && ax > 0)
			return 0.0 / 0.0;
		sign = (double)whole == y && whole & 1 ? -1.0 : 1.0;
	}
	if (f_abs(y) == 1.0 / 0.0)
		return ax == 1.0 ? 1.0 : (ax > 1.0) == (y > 0) ? 1.0 / 0.0 : 0.0;
	if (ax == 0 || ax == 1.0 / 0.0)
		return sign * ((ax == 0) == (y > 0) ? 0.0 : 1.0 / 0.0);
	l = f_log_pair(ax, 0);
	r = l.hi * y;
	if (r > 710.0)
		return sign * (1.0 / 0.0);
	if (r < -746.0)
		return sign * 0.0;
	p.hi = r;
	p.lo = FMA(l.hi, y, -r) + l.lo * y;
	e = f_exp_pair(f_fast(p.hi, p.lo));
	return sign * f_scale(e.p.hi + e.p.lo, e.n);
}

/* ---- sine, cosine, tangent ---- */

/* The bits of 2 / pi after the point. */
TABLE const unsigned long long f_two_over_pi[] = {
	0,
	0xa2f9836e4e441529,
	0xfc2757d1f534ddc0,
	0xdb6295993c439041,
	0xfe5163abdebbc561,
	0xb7246e3a424dd2e0,
	0x06492eea09d1921c,
	0xfe1deb1cb129a73e,
	0xe88235f52ebb4484,
	0xe99c7026b45f7e41,
	0x3991d639835339f4,
	0x9c845f8bbdf9283b,
	0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f,
	0x6d367ecf27cb09b7,
	0x4f463f669e5fea2d,
	0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea,
	0x6bfb5fb11f8d5d08,
	0x56033046fc7b6bab,
	0xf0cfbc209af4361d,
};

FUNCTION unsigned long long f_window(int at) /* 64 bits from bit at on; at >= -64 */
{
	int word = (at + 64) >> 6, shift = (at + 64) & 63;
	unsigned long long v = f_two_over_pi[word];

	return shift ? v << shift | f_two_over_pi[word + 1] >> (64 - shift) : v;
}

FUNCTION unsigned long long f_high(unsigned long long a, unsigned long long b)
{
	return (unsigned long long)((unsigned __int128)a * b >> 64);
}

/* |x| >= 2^19 modulo pi / 2: x's significand times 192 bits of 2 / pi, from those on that are below
 * four quadrants (Payne and Hanek, 1983). */
FUNCTION struct f64_reduced f_reduce_large(double x)
{
	unsigned long long bits = f_bits(x), m = (bits & ((1ull << 52) - 1)) | 1ull << 52, w[3],
			   p[3];
	int e = (int)(bits >> 52 & 2047) - 1075, at = e - 2, negative, quadrant;
	struct f64_pair f, r;

	for (int k = 0; k < 3; k++)
		w[k] = f_window(at + 64 * k);
	p[2] = m * w[2];
	p[1] = m * w[1];
	p[0] = m * w[0] + f_high(m, w[1]);
	w[2] = f_high(m, w[2]);
	p[1] += w[2];
	p[0] += p[1] < w[2];
	quadrant = (int)(p[0] >> 62);
	p[0] = p[0] << 2 | p[1] >> 62;
	p[1] = p[1] << 2 | p[2] >> 62;
	negative = p[0] >> 63; /* the nearest quadrant is the next one */
	if (negative) {
		quadrant++;
		p[1] = ~p[1];
		p[0] = ~p[0];
	}
	/* a fraction of 128 bits, of which two doubles hold the upper ones */
	f.hi = (double)(p[0] >> 11) * 0x1p-53;
	f.lo = (double)((p[0] & 2047) << 42 | p[1] >> 22) * 0x1p-106;
	f = f_fast(f.hi, f.lo);
	f.lo += (double)(p[1] & 0x3fffff) * 0x1p-128;
	f = f_fast(f.hi, f.lo);
	r = f_product(f, (struct f64_pair){0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
	if (negative != (int)(bits >> 63))
		r.hi = -r.hi, r.lo = -r.lo;
	return (struct f64_reduced){r, bits >> 63 ? -quadrant : quadrant};
}

/* x modulo pi / 2, in [-pi / 4, pi / 4], and the number of the quadrant. */
SHARED struct f64_reduced f_reduce(double x)
{
	double n, r, t;
	struct f64_pair s;

	if (f_abs(x) >= 0x1p19)
		return f_reduce_large(x);
	n = f_rint(x * 0x1.45f306dc9c883p-1);
	r = FMA(-n, 0x1.921fb54442d18p+0, x); /* exact */
	t = n * 0x1.1a62633145c07p-54;
	s = f_sum(r, -t);
	s.lo += -FMA(n, 0x1.1a62633145c07p-54, -t) + n * 0x1.f1976b7ed8fbcp-110;
	return (struct f64_reduced){f_fast(s.hi, s.lo), (int)n};
}

SHARED struct f64_pair f_sine_near(struct f64_pair r)
{
	double z = r.hi * r.hi, p = -1.0 / 121645100408832000.0;

	p = FMA(p, z, 1.0 / 355687428096000.0);
	p = FMA(p, z, -1.0 / 1307674368000.0);
	p = FMA(p, z, 1.0 / 6227020800.0);
	p = FMA(p, z, -1.0 / 39916800.0);
	p = FMA(p, z, 1.0 / 362880.0);
	p = FMA(p, z, -1.0 / 5040.0);
	p = FMA(p, z, 1.0 / 120.0);
	p = FMA(p, z, -1.0 / 6.0);
	return f_fast(r.hi, FMA(p, z * r.hi, r.lo * (1.0 - 0.5 * z)));
}

SHARED struct f64_pair f_cosine_near(struct f64_pair r)
{
	double z = r.hi * r.hi, low = FMA(r.hi, r.hi, -z), p = 1.0 / 2432902008176640000.0;
	struct f64_pair w;

	p = FMA(p, z, -1.0 / 6402373705728000.0);
	p = FMA(p, z, 1.0 / 20922789888000.0);
	p = FMA(p, z, -1.0 / 87178291200.0);
	p = FMA(p, z, 1.0 / 479001600.0);
	p = FMA(p, z, -1.0 / 3628800.0);
	p = FMA(p, z, 1.0 / 40320.0);
	p = FMA(p, z, -1.0 / 720.0);
	p = FMA(p, z, 1.0 / 24.0);
	w = f_fast(1.0, -0.5 * z);
	return f_fast(w.hi, w.lo + (FMA(p, z * z, -0.5 * low) - r.hi * r.lo));
}

FUNCTION double f_wave(double x, int add)
{
	struct f64_reduced a;
	struct f64_pair r;
	double v;

	if (!(f_abs(x) < 1.0 / 0.0))
		return 0.0 / 0.0;
	if (!add && f_abs(x) < 0x1p-27)
		return x;
	a = f_reduce(x);
	a.n += add;
	r = a.n & 1 ? f_cosine_near(a.p) : f_sine_near(a.p);
	v = r.hi + r.lo;
	return a.n & 2 ? -v : v;
}

FUNCTION double f_tan(double x)
{
	struct f64_pair r, s, c;
	struct f64_reduced a;

	if (!(f_abs(x) < 1.0 / 0.0))
		return 0.0 / 0.0;
	if (f_abs(x) < 0x1p-27)
		return x;
	a = f_reduce(x);
	s = f_sine_near(a.p);
	c = f_cosine_near(a.p);
	if (a.n & 1) {
		r = f_quotient(c, s);
		return -(r.hi + r.lo);
	}
	r = f_quotient(s, c);
	return r.hi + r.lo;
}

/* ---- arcs ---- */

/* atan(k / 8) */
TABLE const double f_arcs[9][2] = {
	{0x0.0p+0, 0x0.0p+0},
	{0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
	{0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
	{0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
	{0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
	{0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
	{0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
	{0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
	{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* atan(n / d), 0 <= n <= d, d normal */
FUNCTION struct f64_pair f_arc(struct f64_pair n, struct f64_pair d)
{
	int k = (int)f_rint(8.0 * (n.hi / d.hi));
	double c = k * 0.125, z, p;
	struct f64_pair t, a = {f_arcs[k][0], f_arcs[k][1]};

	/* the tangent of the difference to atan(c) */
	t = f_quotient(f_add(n, (struct f64_pair){-c * d.hi, -c * d.lo}),
		       f_add(d, (struct f64_pair){c * n.hi, c * n.lo}));
	if (k) {
		double e = FMA(c, d.hi, -(c * d.hi)), g = FMA(c, n.hi, -(c * n.hi));

		t = f_quotient(f_add(f_add(n, (struct f64_pair){-c * d.hi, -c * d.lo}),
				     (struct f64_pair){-e, 0}),
			       f_add(f_add(d, (struct f64_pair){c * n.hi, c * n.lo}),
				     (struct f64_pair){g, 0}));
	}
	z = t.hi * t.hi;
	p = 1.0 / 17.0;
	p = FMA(p, z, -1.0 / 15.0);
	p = FMA(p, z, 1.0 / 13.0);
	p = FMA(p, z, -1.0 / 11.0);
	p = FMA(p, z, 1.0 / 9.0);
	p = FMA(p, z, -1.0 / 7.0);
	p = FMA(p, z, 1.0 / 5.0);
	p = FMA(p, z, -1.0 / 3.0);
	t = f_fast(t.hi, FMA(p, z * t.hi, t.lo * (1.0 - z)));
	return k ? f_add(a, t) : t;
}

/* The angle of the point (x, y); the pairs' upper parts have the signs. */
SHARED double f_angle(struct f64_pair y, struct f64_pair x)
{
	const struct f64_pair half = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
			      pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
	int left = f_bits(x.hi) >> 63, below = f_bits(y.hi) >> 63, steep;
	struct f64_pair ay = y, ax = x, r;
	double big;

	if (left)
		ax.hi = -ax.hi, ax.lo = -ax.lo;
	if (below)
		ay.hi = -ay.hi, ay.lo = -ay.lo;
	steep = ay.hi > ax.hi;
	if (steep)
		r = ax, ax = ay, ay = r;
	big = ax.hi;
	if (big == 0) {
		r = (struct f64_pair){0, 0};
	} else if (big == 1.0 / 0.0) {
		r = (struct f64_pair){ay.hi == big ? 0x1.921fb54442d18p-1 : 0.0,
				      ay.hi == big ? 0x1.1a62633145c07p-55 : 0.0};
	} else {
		double scale = big > 0x1p1000 ? 0x1p-200 : big < 0x1p-700 ? 0x1p300 : 1.0;

		ax.hi *= scale, ax.lo *= scale, ay.hi *= scale, ay.lo *= scale;
		if (ay.hi < ax.hi * 0x1p-1000) /* subnormal or zero */
			r = (struct f64_pair){ay.hi / ax.hi, 0};
		else
			r = f_arc(ay, ax);
	}
	if (steep)
		r = f_add(half, (struct f64_pair){-r.hi, -r.lo});
	if (left)
		r = f_add(pi, (struct f64_pair){-r.hi, -r.lo});
	big = r.hi + r.lo;
	return below ? -big : big;
}

FUNCTION double f_atan_two(double y, double x)
{
	if (x != x || y != y)
		return x + y;
	return f_angle((struct f64_pair){y, 0}, (struct f64_pair){x, 0});
}

FUNCTION double f_atan(double x)
{
	if (x != x || f_abs(x) < 0x1p-27)
		return x;
	return f_angle((struct f64_pair){x, 0}, (struct f64_pair){1.0, 0});
}

/* sqrt(1 - x^2) */
SHARED struct f64_pair f_leg(double x)
{
	double p = x * x, e = FMA(x, x, -p), s;
	struct f64_pair u = f_sum(1.0, -p);

	u = f_fast(u.hi, u.lo - e);
	if (u.hi <= 0)
		return (struct f64_pair){0, 0};
	s = __builtin_sqrt(u.hi);
	return f_fast(s, (FMA(-s, s, u.hi) + u.lo) / (2.0 * s));
}

FUNCTION double f_asin(double x)
{
	if (!(f_abs(x) <= 1.0))
		return 0.0 / 0.0;
	if (f_abs(x) < 0x1p-27)
		return x;
	return f_angle((struct f64_pair){x, 0}, f_leg(x));
}

FUNCTION double f_acos(double x)
{
	if (!(f_abs(x) <= 1.0))
		return 0.0 / 0.0;
	return f_angle(f_leg(x), (struct f64_pair){x, 0});
}

/* ---- hyperbolic functions ---- */

/* sinh(x) for |x| < 1 */
FUNCTION struct f64_pair f_sinh_near(double x)
{
	double z = x * x, p = 1.0 / 121645100408832000.0;

	p = FMA(p, z, 1.0 / 355687428096000.0);
	p = FMA(p, z, 1.0 / 1307674368000.0);
	p = FMA(p, z, 1.0 / 6227020800.0);
	p = FMA(p, z, 1.0 / 39916800.0);
	p = FMA(p, z, 1.0 / 362880.0);
	p = FMA(p, z, 1.0 / 5040.0);
	p = FMA(p, z, 1.0 / 120.0);
	p = FMA(p, z, 1.0 / 6.0);
	return f_fast(x, p * z * x);
}

/* (e^x + s e^-x) / 2, x >= 0 */
SHARED double f_exp_sum(double x, double s)
{
	struct f64_reduced r;
	struct f64_pair e, i;
	int k;

	if (!(x < 712.0))
		return x;
	r = f_exp_pair((struct f64_pair){x, 0});
	e = r.p;
	k = r.n;
	if (x > 40.0)
		return f_scale(e.hi + e.lo, k - 1);
	i = f_quotient((struct f64_pair){s, 0}, e);
	i.hi = f_scale(i.hi, -2 * k);
	i.lo = f_scale(i.lo, -2 * k);
	e = f_add(e, i);
	return f_scale(e.hi + e.lo, k - 1);
}

FUNCTION double f_sinh(double x)
{
	struct f64_pair s;

	if (f_abs(x) >= 1.0)
		return f_sign_of(f_exp_sum(f_abs(x), -1.0), x);
	s = f_sinh_near(x);
	return f_abs(x) < 0x1p-27 || x != x ? x : s.hi + s.lo;
}

FUNCTION double f_cosh(double x)
{
	return x != x ? x : f_exp_sum(f_abs(x), 1.0);
}

FUNCTION double f_tanh(double x)
{
	double a = f_abs(x);
	struct f64_reduced r;
	struct f64_pair s, c, e;

	if (x != x || a < 0x1p-27)
		return x;
	if (a > 22.0)
		return f_sign_of(1.0, x);
	if (a < 1.0) {
		s = f_sinh_near(x);
		c = f_product(s, s); /* cosh = sqrt(1 + sinh^2) */
		c = f_add((struct f64_pair){1.0, 0}, c);
		e.hi = __builtin_sqrt(c.hi);
		e.lo = (FMA(-e.hi, e.hi, c.hi) + c.lo) / (2.0 * e.hi);
		s = f_quotient(s, e);
		return s.hi + s.lo;
	}
	r = f_exp_pair((struct f64_pair){2.0 * a, 0});
	e.hi = f_scale(r.p.hi, r.n);
	e.lo = f_scale(r.p.lo, r.n);
	s = f_quotient((struct f64_pair){-2.0, 0}, f_add(e, (struct f64_pair){1.0, 0}));
	s = f_add((struct f64_pair){1.0, 0}, s);
	return f_sign_of(s.hi + s.lo, x);
}

FUNCTION double f_asinh(double x)
{
	double a = f_abs(x), root, w;
	struct f64_pair u, r;

	if (!(a < 1.0 / 0.0) || a < 0x1p-27)
		return x;
	if (a > 0x1p28) {
		r = f_add(f_log_pair(a, 0),
			  (struct f64_pair){0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56});
		return f_sign_of(r.hi + r.lo, x);
	}
	root = __builtin_sqrt(FMA(a, a, 1.0));
	w = a * a / (1.0 + root);
	u = f_sum(a, w);
	r = f_log_one(u.hi, u.lo);
	return f_sign_of(r.hi + r.lo, x);
}

FUNCTION double f_acosh(double x)
{
	double t = x - 1.0, root;
	struct f64_pair u, r;

	if (!(x >= 1.0))
		return 0.0 / 0.0;
	if (x == 1.0 / 0.0)
		return x;
	if (x > 0x1p28) {
		r = f_add(f_log_pair(x, 0),
			  (struct f64_pair){0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56});
		return r.hi + r.lo;
	}
	root = __builtin_sqrt(FMA(t, t, 2.0 * t));
	u = f_sum(t, root);
	r = f_log_one(u.hi, u.lo);
	return r.hi + r.lo;
}

FUNCTION double f_atanh(double x)
{
	struct f64_pair a, b;

	if (!(f_abs(x) < 1.0))
		return f_abs(x) == 1.0 ? x / 0.0 : 0.0 / 0.0;
	if (f_abs(x) < 0x1p-27)
		return x;
	a = f_log_one(x, 0);
	b = f_log_one(-x, 0);
	a = f_add(a, (struct f64_pair){-b.hi, -b.lo});
	return 0.5 * (a.hi + a.lo);
}
