/* SPDX-License-Identifier: MIT */
/* The context's pool of stream-ordered allocations: sov_memory_alloc_async. */
#ifndef SOV_POOL_H
#define SOV_POOL_H

#include "libsov/runtime/context/context.h"

extern const struct context_part pool_part;

#endif
