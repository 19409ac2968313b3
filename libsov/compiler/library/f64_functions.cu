// SPDX-License-Identifier: MIT
/*
 * Elementary functions of f64 as device code: front ends call these functions, and ptx.sh compiles
 * them to f64_functions_ptx.c.
 */
#define FUNCTION static __attribute__((device))
#define SHARED   static __attribute__((device, noinline))
#define TABLE    static __attribute__((device))
#include "libsov/compiler/library/f64_functions.h"

#define CALLED extern "C" __attribute__((device, used)) double

CALLED __sov_fun_sin(double x)
{
	return f_wave(x, 0);
}

CALLED __sov_fun_cos(double x)
{
	return f_wave(x, 1);
}

#define ONE(name, function) \
	CALLED __sov_fun_##name(double x) \
	{ \
		return function(x); \
	}
#define TWO(name, function) \
	CALLED __sov_fun_##name(double x, double y) \
	{ \
		return function(x, y); \
	}

ONE(tan, f_tan)
ONE(asin, f_asin)
ONE(acos, f_acos)
ONE(atan, f_atan)
ONE(sinh, f_sinh)
ONE(cosh, f_cosh)
ONE(tanh, f_tanh)
ONE(asinh, f_asinh)
ONE(acosh, f_acosh)
ONE(atanh, f_atanh)
ONE(exp, f_exp)
ONE(exptwo, f_exp_two)
ONE(log, f_log)
ONE(logtwo, f_log_two)
TWO(pow, f_pow)
TWO(atantwo, f_atan_two)
