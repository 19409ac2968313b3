/* SPDX-License-Identifier: MIT */
#ifndef SOV_ORIGIN_H
#define SOV_ORIGIN_H

#include "libsov/winsys/winsys.h"

/* The callers of this call of the library. */
void origin_here(struct winsys_origin *o);
/* Names a frame: "main+0x1c (program+0x8f4)". */
void origin_frame_name(void *frame, char *text, size_t bytes);

#endif
