// SPDX-License-Identifier: MIT
/* The entry points that are not implemented, from the table. */
#include "libsov/cuda/runtime/runtime.h"

#define WORKS(symbol)
#define WORKS_12(symbol)
#define PARTLY(symbol, why)
#define MISSING(symbol) \
	cudaError_t symbol(void); \
	RT symbol(void) \
	{ \
		return rt_missing(#symbol); \
	}
#include "libsov/cuda/runtime/entries.def"
