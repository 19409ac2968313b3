/* SPDX-License-Identifier: MIT */
/* Textures of a context. */
#ifndef SOV_TEXTURE_H
#define SOV_TEXTURE_H

#include "libsov/runtime/context/context.h"

extern const struct context_part texture_part;

#endif
