/* SPDX-License-Identifier: MIT */
/* SOV_DUMP_DIR: copies of every module that is loaded. */
#ifndef SOV_DUMP_H
#define SOV_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include "libsov/compiler/base/spirv_options.h"
#include "libsov/gpu/gpu.h"
#include "libsov/sov.h"

/* A module that was loaded or rejected. */
struct dump {
	const char *target;
	bool serial, unoptimised, clusters;
	const struct spirv_options *spirv; /* NULL: defaults */
	const void *source, *file;         /* PTX, SPIR-V or NULL; image or NULL */
	size_t source_bytes, file_bytes;
	const struct image *image; /* the parsed file, or NULL */
	const struct gpu *gpu;     /* disassembles … */
	const void *chip;          /* … code for this chip */
};

/* Reads SOV_DUMP_DIR. */
sov_result dump_init(void);
bool dump_wanted(void);
void dump_module(const struct dump *d);

#endif
