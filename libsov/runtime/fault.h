/* SPDX-License-Identifier: MIT */
#ifndef SOV_FAULT_H
#define SOV_FAULT_H

#include "libsov/runtime/context/context.h"

/* Attributes winsys errors to kernels. */
extern const struct context_part fault_part;

#endif
