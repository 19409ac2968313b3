// SPDX-License-Identifier: MIT
/*
 * Errors of library/opencl_functions.h and of f64_functions.h in units in the last place: the
 * functions are compiled for the host and compared with long double's at pseudorandom points. The
 * limits are those of the OpenCL C specification's full profile for f32, and those that
 * docs/spirv.md promises for f64.
 */
#include <math.h>
#include <stdint.h>
#include "tests/tap.h"

#define FUNCTION static inline
#define SHARED   static inline
#define TABLE    static
#include "libsov/compiler/library/f64_functions.h"
#include "libsov/compiler/library/opencl_functions.h"

#define POINTS 4000

static uint64_t state = 1;

static uint64_t next_random(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return state >> 11;
}

/* Between low and high: by half of the points linearly, else by magnitude. */
static double random_between(double low, double high, unsigned k)
{
	double unit = (double)next_random() * 0x1p-53;

	if (k % 2 && low >= 0)
		return exp(log(low > 0 ? low : high * 1e-12) * (1 - unit) + log(high) * unit);
	return low + (high - low) * unit;
}

static double ulps(double got, long double want, int digits)
{
	int e;

	if (isnan(got) || isnan((double)want))
		return isnan(got) == isnan((double)want) ? 0 : INFINITY;
	if (fabsl(want) > (digits == 24 ? 0x1.ffffffp127L : 0x1.fffffffffffff8p1023L))
		want = copysignl(INFINITY, want);
	if (isinf(got) || want == 0)
		return got == (double)want ? 0 : INFINITY;
	frexpl(want, &e);
	if (e < (digits == 24 ? -125 : -1021))
		e = digits == 24 ? -125 : -1021;
	return (double)fabsl((got - want) / ldexpl(1, e - digits));
}

static float s_sin(float x)
{
	return s_wave(x, 0);
}
static float s_cos(float x)
{
	return s_wave(x, 1);
}
static double f_sin_pi(double x)
{
	return f_wave_pi(x, 0);
}
static double f_cos_pi(double x)
{
	return f_wave_pi(x, 1);
}
static double f_sin(double x)
{
	return f_wave(x, 0);
}
static double f_cos(double x)
{
	return f_wave(x, 1);
}

static const long double pi_long = 3.14159265358979323846264338327950288L;
static long double sin_pi_long(long double x)
{
	long double whole = rintl(x), r = sinl(pi_long * (x - whole));

	return fmodl(whole, 2) != 0 ? -r : r;
}
static long double cos_pi_long(long double x)
{
	long double whole = rintl(x), r = cosl(pi_long * (x - whole));

	return fmodl(whole, 2) != 0 ? -r : r;
}
static long double tan_pi_long(long double x)
{
	return tanl(pi_long * (x - rintl(x)));
}
static long double asin_pi_long(long double x)
{
	return asinl(x) / pi_long;
}
static long double acos_pi_long(long double x)
{
	return acosl(x) / pi_long;
}
static long double atan_pi_long(long double x)
{
	return atanl(x) / pi_long;
}

/* clang-format off */
static const struct {
	const char *name;
	float (*single)(float);
	double (*wide)(double);
	long double (*reference)(long double);
	double low, high, limit;
} functions[] = {
	{"sin", s_sin, 0, sinl, -1000, 1000, 4},
	{"sin of large numbers", s_sin, 0, sinl, 1000, 1e18, 4},
	{"cos", s_cos, 0, cosl, -1000, 1000, 4},
	{"tan", s_tan, 0, tanl, -1000, 1000, 5},
	{"exp", s_exp, 0, expl, -104, 89, 3},
	{"exp2", s_exp_two, 0, exp2l, -150, 128, 3},
	{"exp10", s_exp_ten, 0, exp10l, -45, 38.5, 3},
	{"log", s_log, 0, logl, 1e-45, 3e38, 3},
	{"log near 1", s_log, 0, logl, 0.9, 1.1, 3},
	{"log2", s_log_two, 0, log2l, 1e-45, 3e38, 3},
	{"log2 near 1", s_log_two, 0, log2l, 0.9, 1.1, 3},
	{"log10", s_log_ten, 0, log10l, 1e-45, 3e38, 3},
	{"log10 near 1", s_log_ten, 0, log10l, 0.9, 1.1, 3},
	{"sin", 0, f_sin, sinl, -1000, 1000, 2},
	{"cos", 0, f_cos, cosl, -1000, 1000, 2},
	{"exp10", 0, f_exp_ten, exp10l, -307, 308, 2},
	{"expm1", 0, f_exp_minus_one, expm1l, -40, 700, 2},
	{"expm1 near 0", 0, f_exp_minus_one, expm1l, -0.5, 0.5, 2},
	{"log10", 0, f_log_ten, log10l, 1e-300, 1e300, 2},
	{"log1p", 0, f_log_one_plus, log1pl, -0.999, 10, 2},
	{"log1p", 0, f_log_one_plus, log1pl, 1e-20, 1e20, 2},
	{"cbrt", 0, f_cbrt, cbrtl, 1e-300, 1e300, 2},
	{"sinpi", 0, f_sin_pi, sin_pi_long, -100, 100, 2},
	{"cospi", 0, f_cos_pi, cos_pi_long, -100, 100, 2},
	{"tanpi", 0, f_tan_pi, tan_pi_long, -100, 100, 2},
	{"asinpi", 0, f_asin_pi, asin_pi_long, -1, 1, 2},
	{"acospi", 0, f_acos_pi, acos_pi_long, -1, 1, 2},
	{"atanpi", 0, f_atan_pi, atan_pi_long, -50, 50, 2},
	{"erf", 0, f_erf, erfl, -6, 6, 2},
	{"erfc", 0, f_erfc, erfcl, -6, 26, 2},
	{"erfc of results that are subnormal", 0, f_erfc, erfcl, 26.5, 27.3, 2},
	{"tgamma", 0, f_tgamma, tgammal, 1e-10, 170, 16},
	{"tgamma of negative numbers", 0, f_tgamma, tgammal, -20, -0.001, 16},
};
/* clang-format on */
#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

static void check_function(size_t n)
{
	double worst = 0, at = 0;

	for (unsigned k = 0; k < POINTS; k++) {
		double x = random_between(functions[n].low, functions[n].high, k), u;

		if (functions[n].single) {
			x = (float)x;
			u = ulps(functions[n].single((float)x), functions[n].reference(x), 24);
		} else {
			u = ulps(functions[n].wide(x), functions[n].reference(x), 53);
		}
		if (u > worst)
			worst = u, at = x;
	}
	ok(worst <= functions[n].limit, "%s of f%d errs by at most %g ulp", functions[n].name,
	   functions[n].single ? 32 : 64, functions[n].limit);
	diag("%s: %.3f ulp at %a", functions[n].name, worst, at);
}

static double pow_(double x, double y)
{
	return f_powr(x, y);
}

static double root(double x, double y)
{
	return f_rootn(x, (int)y);
}

static long double root_long(long double x, long double y)
{
	return powl(x, 1 / (long double)(int)y);
}

static double scaled(double x, double y)
{
	return f_ldexp(x, (int)y);
}

static long double scaled_long(long double x, long double y)
{
	return ldexpl(x, (int)y);
}

static long double atan2_pi_long(long double y, long double x)
{
	return atan2l(y, x) / pi_long;
}

static const struct {
	const char *name;
	double (*wide)(double, double);
	long double (*reference)(long double, long double);
	double low[2], high[2], limit;
} pairs[] = {
	{"hypot", f_hypot, hypotl, {1e-300, 1e-300}, {1e300, 1e300}, 2},
	{"hypot of numbers of one magnitude", f_hypot, hypotl, {1, 1}, {10, 10}, 2},
	{"atan2pi", f_atan_two_pi, atan2_pi_long, {-5, -5}, {5, 5}, 2},
	{"powr", pow_, powl, {1e-3, -50}, {1e3, 50}, 2},
	{"rootn", root, root_long, {1e-300, 1}, {1e300, 40}, 2},
	{"fmod", f_fmod, fmodl, {1e-300, 1e-300}, {1e300, 1e300}, 0},
	{"fmod of numbers of one magnitude", f_fmod, fmodl, {-100, 1}, {100, 10}, 0},
	{"remainder", f_remainder, remainderl, {-100, 1}, {100, 10}, 0},
	{"ldexp", scaled, scaled_long, {1e-300, -2150}, {1e300, 2100}, 0.5},
	{"ldexp to subnormals", scaled, scaled_long, {1, -1078}, {16, -1020}, 0.5},
};
#define PAIRS (sizeof(pairs) / sizeof(pairs[0]))

static void check_pair(size_t n)
{
	double worst = 0, at[2] = {0};

	for (unsigned k = 0; k < POINTS; k++) {
		double x = random_between(pairs[n].low[0], pairs[n].high[0], k),
		       y = random_between(pairs[n].low[1], pairs[n].high[1], k), u;
		long double want = pairs[n].reference(x, y);

		/* beyond f64: infinity, or 0 */
		if (fabsl(want) > 1.7976931348623157e308L || fabsl(want) < 0x1p-1075L)
			want = (double)want;
		u = ulps(pairs[n].wide(x, y), want, 53);
		if (u > worst)
			worst = u, at[0] = x, at[1] = y;
	}
	ok(worst <= pairs[n].limit, "%s of f64 errs by at most %g ulp", pairs[n].name,
	   pairs[n].limit);
	diag("%s: %.3f ulp at %a, %a", pairs[n].name, worst, at[0], at[1]);
}

static bool same(double got, double want)
{
	return (isnan(got) && isnan(want)) || (got == want && signbit(got) == signbit(want));
}

static void check_special(void)
{
	int quotient, sign;

	ok(same(s_exp(INFINITY), INFINITY) && same(s_exp(-INFINITY), 0) && isnan(s_exp(NAN)),
	   "exp of infinities and NaN");
	ok(same(s_log(0), -INFINITY) && isnan(s_log(-1)) && same(s_log(INFINITY), INFINITY),
	   "log of 0, negative numbers and infinity");
	ok(same(s_wave(-0.0f, 0), -0.0) && isnan(s_wave(INFINITY, 0)) && same(s_tan(-0.0f), -0.0),
	   "sin and tan of -0 and infinity");
	ok(same(f_wave_pi(-3, 0), -0.0) && same(f_wave_pi(0.5, 1), 0) &&
		   same(f_tan_pi(0.5), INFINITY),
	   "sinpi, cospi and tanpi at multiples of 1/2");
	ok(isnan(f_rootn(-8, 2)) && same(f_rootn(-0.0, -3), -INFINITY) &&
		   same(f_rootn(-0.0, 2), 0) && same(f_cbrt(-0.0), -0.0),
	   "roots of negative numbers and zeros");
	ok(isnan(f_powr(0, 0)) && isnan(f_powr(1, INFINITY)) && isnan(f_powr(-1, 2)) &&
		   same(f_powr(-0.0, 2), 0),
	   "powr where pow defines limits");
	ok(same(f_tgamma(-0.0), -INFINITY) && isnan(f_tgamma(-2)) && isnan(f_tgamma(-INFINITY)) &&
		   same(f_lgamma_r(-1, &sign), INFINITY) && sign == 0,
	   "gamma functions at their poles");
	ok(fabs(f_lgamma_r(-0.5, &sign) - 1.2655121234846454) < 1e-14 && sign == -1 &&
		   fabs(f_lgamma(100.5) / lgamma(100.5) - 1) < 1e-15,
	   "log gamma of a negative and of a large number");
	ok(same(f_remquo(29, 3, &quotient), -1) && quotient == 10 &&
		   same(f_remquo(-7, 2, &quotient), 1) && quotient == -4 && isnan(f_fmod(1, 0)) &&
		   same(f_fmod(5, INFINITY), 5) && same(f_fmod(-4, 2), -0.0),
	   "quotients of remquo, and remainders by 0 and infinity");
	ok(same(f_remainder(5, INFINITY), 5) && same(f_remainder(3, 2), -1), "remainders of ties");
	ok(same(f_hypot(INFINITY, NAN), INFINITY) && isnan(f_hypot(1, NAN)) &&
		   same(f_hypot(0, 0), 0),
	   "hypot of infinity, NaN and 0");
	ok(same(f_ldexp(0, 2147483647), 0) && same(f_ldexp(1, -2147483647 - 1), 0) &&
		   same(f_ldexp(-1, 5000), -INFINITY),
	   "ldexp by extreme exponents");
}

int main(void)
{
	for (size_t n = 0; n < FUNCTIONS; n++)
		check_function(n);
	for (size_t n = 0; n < PAIRS; n++)
		check_pair(n);
	check_special();
	return tap_done();
}
