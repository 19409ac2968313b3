// SPDX-License-Identifier: MIT
/*
 * The functions that modules of OpenCL C call, as device code: those of f64_functions.cu, and those
 * of opencl_functions.h. ptx.sh compiles them to opencl_functions_ptx.c.
 */
#include "libsov/compiler/library/f64_functions.cu"
#include "libsov/compiler/library/opencl_functions.h"

#define SINGLE extern "C" __attribute__((device, used)) float

#define ONE_SINGLE(name, function) \
	SINGLE __sov_single_##name(float x) \
	{ \
		return function(x); \
	}

SINGLE __sov_single_sin(float x)
{
	return s_wave(x, 0);
}

SINGLE __sov_single_cos(float x)
{
	return s_wave(x, 1);
}

ONE_SINGLE(tan, s_tan)
ONE_SINGLE(exp, s_exp)
ONE_SINGLE(exptwo, s_exp_two)
ONE_SINGLE(expten, s_exp_ten)
ONE_SINGLE(log, s_log)
ONE_SINGLE(logtwo, s_log_two)
ONE_SINGLE(logten, s_log_ten)

CALLED __sov_fun_sinpi(double x)
{
	return f_wave_pi(x, 0);
}

CALLED __sov_fun_cospi(double x)
{
	return f_wave_pi(x, 1);
}

#define WITH_INTEGER(name, function) \
	CALLED __sov_fun_##name(double x, int n) \
	{ \
		return function(x, n); \
	}

ONE(tanpi, f_tan_pi)
ONE(asinpi, f_asin_pi)
ONE(acospi, f_acos_pi)
ONE(atanpi, f_atan_pi)
TWO(atantwopi, f_atan_two_pi)
ONE(expten, f_exp_ten)
ONE(expmone, f_exp_minus_one)
ONE(logten, f_log_ten)
ONE(logonep, f_log_one_plus)
ONE(cbrt, f_cbrt)
WITH_INTEGER(rootn, f_rootn)
WITH_INTEGER(pown, f_pown)
WITH_INTEGER(ldexp, f_ldexp)
TWO(powr, f_powr)
TWO(hypot, f_hypot)
TWO(fmod, f_fmod)
TWO(remainder, f_remainder)
ONE(erf, f_erf)
ONE(erfc, f_erfc)
ONE(tgamma, f_tgamma)
ONE(lgamma, f_lgamma)

extern "C" __attribute__((device, used)) int __sov_fun_remquobits(double x, double y)
{
	int quotient;

	f_remquo(x, y, &quotient);
	return quotient;
}

extern "C" __attribute__((device, used)) int __sov_fun_lgammasign(double x)
{
	int sign;

	f_lgamma_r(x, &sign);
	return sign;
}
