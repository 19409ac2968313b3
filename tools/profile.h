/* SPDX-License-Identifier: MIT */
/*
 * Profiles of software GPUs, for `sov profile`:
 *   profile_read.c    reads what libsov wrote
 *   profile_code.c    what an instruction is: its text, pipe and floating-point operations
 *   profile_limits.c  what the modelled chip can do: occupancy, peaks, the least time
 *   profile_source.c  the text of source lines
 *   profile_text.c    the tables
 *   profile_json.c    JSON, which is the data of the page too
 */
#ifndef TOOLS_PROFILE_H
#define TOOLS_PROFILE_H

#include "libsov/isa/counts.h"
#include "model/core/model.h"
#include "tools/tool.h"

/* ---- code ---- */

/* The units that execute instructions; a unit of the least time, too. */
enum pipe {
	PIPE_ALU,
	PIPE_FMA,
	PIPE_FP16,
	PIPE_FP64,
	PIPE_TENSOR,
	PIPE_MUFU,
	PIPE_UNIFORM,
	PIPE_MEMORY,
	PIPE_SHARED,
	PIPE_CONTROL, /* branches, barriers, moves between lanes, special registers */
	PIPES
};
extern const char *const pipe_names[PIPES];

enum precision { PRECISION_F64, PRECISION_F32, PRECISION_F16, PRECISION_TENSOR, PRECISIONS };
extern const char *const precision_names[PRECISIONS];

struct code_inst {
	uint32_t bytes;
	char text[160];
	enum pipe pipe;
	double cycles; /* for which it occupies its pipe, per warp */
	enum precision precision;
	double flops; /* per thread; of the whole warp for PRECISION_TENSOR */
};
/* Decodes an instruction of a target; one that is not known is one granule long. */
void code_decode(const char *target, const uint8_t *code, uint32_t offset, uint32_t left,
		 uint32_t granule, struct code_inst *out);

/* ---- profiles ---- */

struct profile_shape {
	uint64_t launches;
	uint32_t grid[3], block[3], cluster_blocks, registers, shared_bytes, local_bytes;
};

struct profile_site {
	uint32_t offset, line; /* line 0: unknown */
	const char *file;
	struct counts counts;
	struct code_inst inst;
};

/* A line of the source, or without lines an instruction. */
struct profile_line {
	const char *file;
	uint32_t line;  /* 0: an instruction without a line */
	char *text;     /* of the source; NULL: not known */
	uint32_t first; /* site */
	struct counts counts;
	double cycles; /* of all pipes */
};

struct profile_kernel {
	char *device, *target, *name, *shown; /* shown: demangled */
	uint32_t granule;
	uint8_t *code;
	uint32_t code_bytes;
	uint64_t launches, touched_sectors;
	bool incomplete;
	uint32_t shape_count, shape_capacity;
	struct profile_shape *shapes; /* the most launched first */
	uint32_t row_count, row_capacity;
	struct profile_row {
		uint32_t offset, line;
		char *file;
	} *rows; /* of the line table */
	uint32_t site_count, site_capacity;
	struct profile_site *sites; /* by offset */
	struct counts called;       /* in device services */

	uint32_t line_count;
	struct profile_line *lines; /* the most executed first */
	struct counts total;        /* without called */
	uint64_t by_pipe[PIPES];    /* executed */
	double flops[PRECISIONS];
};

struct profile {
	uint32_t processes, kernel_count, kernel_capacity;
	uint64_t lost; /* launches that belong to no kernel */
	struct profile_kernel *kernels;
};

/* Reads the text of a file. The kernels of several processes with the same code are added up.
 * False: why has one sentence. */
bool profile_parse(char *text, struct profile *p, char *why, size_t why_bytes);
void profile_free(struct profile *p);
/* Finds the text of the lines. */
void profile_find_source(struct profile *p);

/* ---- limits ---- */

/* Units of an SM: lanes; multiplications with addition in the tensor cores. */
struct units {
	uint32_t sm;
	double fp32, fp64, fp16, tensor_f16, tensor_f64;
};
const struct units *units_of_sm(uint32_t sm); /* NULL: unknown */

struct occupancy {
	uint32_t warps, max_warps, blocks;                     /* per multiprocessor */
	uint32_t by_warps, by_blocks, by_registers, by_shared; /* blocks; UINT32_MAX: no limit */
	const char *limit; /* what the fewest blocks come from */
};
/* The chip that a device name begins with; NULL: unknown. */
const struct model_chip *profile_chip(const struct profile_kernel *k);
void occupancy_of(const struct model_chip *c, const struct profile_shape *s, struct occupancy *out);

struct peaks {
	const char *product, *source;
	double mhz, gbytes; /* clock; memory bandwidth in 10^9 bytes per second */
	double gflops[PRECISIONS];
};
bool peaks_of(const struct model_chip *c, struct peaks *out);

enum limit { LIMIT_ISSUE, LIMIT_PIPE, LIMIT_BANKS, LIMIT_MEMORY, LIMITS };
extern const char *const limit_names[LIMITS];
/* The least time of all launches by throughputs alone, in microseconds. */
struct time_bound {
	double us[LIMITS], most;
	enum limit limit;
	enum pipe pipe;                 /* the busiest */
	double flops, bytes, intensity; /* bytes: distinct sectors, each fetched once */
	enum precision precision;       /* of most operations */
};
bool time_bound_of(const struct profile_kernel *k, struct time_bound *out);

/* ---- output ---- */

/* Lines per kernel; 0: all. */
void profile_print(FILE *out, const struct profile *p, uint32_t lines);
void profile_print_json(FILE *out, const struct profile *p);

#endif
