/* SPDX-License-Identifier: MIT */
/* Copies of rectangles: rows at a pitch, and slices of rows. */
#ifndef SOV_COPY_RECT_H
#define SOV_COPY_RECT_H

#include "libsov/runtime/copy/copy.h"

struct copy_side {
	uint64_t address, pitch, slice; /* bytes from row to row, and from slice to slice */
};

struct copy_rect {
	struct copy_side to, from;
	uint64_t width, height, depth; /* bytes, rows, slices */
};

sov_result copy_rect_init(const sov_copy_rect *given, struct copy_rect *r);
/* With the context's lock held: looks up the allocations of both sides. */
sov_result copy_rect_check(struct context *c, const struct copy_rect *r, struct copy_range *k);

#endif
