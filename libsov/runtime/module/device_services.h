/* SPDX-License-Identifier: MIT */
/* Device services on the host's side: printf, assert, malloc and free of kernels. */
#ifndef SOV_DEVICE_SERVICES_H
#define SOV_DEVICE_SERVICES_H

#include "libsov/runtime/context/context.h"

extern const struct context_part services_part;

#endif
