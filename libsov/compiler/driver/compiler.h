/* SPDX-License-Identifier: MIT */
/*
 * Interface of the compiler: source text in, loadable image out. It is reentrant: a compilation
 * owns all of its memory, so any number of threads can compile concurrently. The compiler knows
 * nothing about devices.
 *
 * compile() compiles a whole module. To compile one kernel at a time, compilation_open() parses and
 * checks the text and assigns variable addresses; compilation_unit() then compiles single units
 * (unit.h), each to an image.
 */
#ifndef SOV_COMPILER_COMPILER_H
#define SOV_COMPILER_COMPILER_H

#include "libsov/compiler/base/compile_job.h"

struct compile_result {
	uint8_t *image; /* malloc; NULL on failure */
	size_t image_size;
	char *messages;             /* malloc; one per line, "" when there are none */
	struct kernel_stats *stats; /* malloc; names point into the block */
	uint32_t nstats;
	uint32_t nfunctions; /* rows after the kernels': called functions; NVIDIA only */
	bool fault; /* a message reports a failed check of the compiler, not of the input */
};

bool compile(const char *text, size_t length, const struct compile_options *o,
	     struct compile_result *r);

/* Links several inputs, each source text or a relocatable object, to one image. Messages begin with
 * the name of their input. */
bool compile_link(const struct link_input *inputs, uint32_t count, const struct compile_options *o,
		  struct compile_result *r);

struct compilation;
/* Returns NULL on failure, with the reason in r->messages. The caller may free the text
 * afterwards. */
struct compilation *compilation_open(const char *text, size_t length,
				     const struct compile_options *o, struct compile_result *r);
uint32_t compilation_kernels(const struct compilation *c);
uint32_t compilation_units(const struct compilation *c);
/* Compiles all units. Call it at most once, and not concurrently with compilation_unit(). */
bool compilation_all(struct compilation *c, struct compile_result *r);
/* The head: all variables, and the kernel names with their unit numbers; no code. */
bool compilation_head(struct compilation *c, struct compile_result *r);
/* The kernels of one unit. Variables have the addresses of the head but no initial bytes. Different
 * threads may compile different units concurrently, each unit at most once. */
bool compilation_unit(struct compilation *c, uint32_t unit, struct compile_result *r);
void compilation_close(struct compilation *c); /* NULL is a no-op */
void compile_result_free(struct compile_result *r);

#endif
