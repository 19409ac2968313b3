// SPDX-License-Identifier: MIT
/* The entry points that are not implemented. */
#include "libsov/cuda/management/management.h"

#define WORKS(symbol)
#define PARTLY(symbol, why)
#define MISSING(symbol) \
	nvmlReturn_t symbol(void); \
	API symbol(void) \
	{ \
		nvmlReturn_t e = nvml_ready(); \
\
		return e ? e : NVML_ERROR_NOT_SUPPORTED; \
	}
#include "libsov/cuda/management/entries.def"
