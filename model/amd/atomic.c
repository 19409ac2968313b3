// SPDX-License-Identifier: MIT
/* The result of an atomic operation, for global memory and LDS. */
#include <math.h>
#include <string.h>

#include "model/amd/wave.h"

static double value_of(uint64_t x, uint32_t bytes)
{
	uint32_t low = (uint32_t)x;
	double d;
	float f;

	if (bytes == 8) {
		memcpy(&d, &x, 8);
		return d;
	}
	memcpy(&f, &low, 4);
	return (double)f;
}

/* A sum of two floats computed in double is correct after one more rounding. */
static uint64_t float_sum(uint64_t a, uint64_t b, uint32_t bytes)
{
	double d = value_of(a, bytes) + value_of(b, bytes);
	float f = (float)d;
	uint64_t x = 0;

	memcpy(&x, bytes == 8 ? (void *)&d : (void *)&f, bytes);
	return x;
}

uint64_t amd_atomic_result(enum atomic a, uint32_t bytes, uint64_t old, uint64_t data,
			   uint64_t compare)
{
	uint32_t by = 64 - 8 * bytes;
	int64_t so = (int64_t)(old << by) >> by, sd = (int64_t)(data << by) >> by;

	switch (a) {
	case ATOMIC_SWAP:
		return data;
	case ATOMIC_CMPSWAP:
		return old == compare ? data : old;
	case ATOMIC_ADD:
		return old + data;
	case ATOMIC_SUB:
		return old - data;
	case ATOMIC_RSUB:
		return data - old;
	case ATOMIC_CSUB:
		return old < data ? 0 : old - data;
	case ATOMIC_SMIN:
		return so < sd ? old : data;
	case ATOMIC_UMIN:
		return old < data ? old : data;
	case ATOMIC_SMAX:
		return so > sd ? old : data;
	case ATOMIC_UMAX:
		return old > data ? old : data;
	case ATOMIC_AND:
		return old & data;
	case ATOMIC_OR:
		return old | data;
	case ATOMIC_XOR:
		return old ^ data;
	case ATOMIC_INC:
		return old >= data ? 0 : old + 1;
	case ATOMIC_DEC:
		return !old || old > data ? data : old - 1;
	case ATOMIC_FADD:
		return float_sum(old, data, bytes);
	case ATOMIC_FMIN:
		return value_of(data, bytes) < value_of(old, bytes) ? data : old;
	case ATOMIC_FMAX:
		return value_of(data, bytes) > value_of(old, bytes) ? data : old;
	}
	return old;
}
