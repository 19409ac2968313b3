/* SPDX-License-Identifier: MIT */
/* Software AMD GPU: an executor for gfx10.3 machine code in wave32 mode. amd_run() executes a
 * launch without a queue: the caller supplies what a command processor would have set up. */
#ifndef MODEL_AMD_H
#define MODEL_AMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory access. at() returns the host address of bytes at va, or NULL if they are not mapped or do
 * not permit the access; the range never crosses a multiple of 4096. */
struct amd_memory {
	void *(*at)(void *context, uint64_t va, uint32_t bytes, bool write);
	void *context;
};

/* Records whether the s_waitcnt at pc ever had to wait, per counter: vmcnt, lgkmcnt, vscnt. */
struct amd_probe {
	uint64_t pc;
	bool waited[3];
};

struct amd_launch {
	const struct amd_memory *memory;
	uint64_t entry;        /* entry point */
	uint64_t kernarg;      /* address of the arguments */
	uint64_t dispatch;     /* address of the HSA dispatch packet */
	uint64_t scratch;      /* private memory, wave after wave */
	uint32_t rsrc1, rsrc2; /* hw/amd/kernel_descriptor.h */
	uint16_t properties;
	uint32_t lds_bytes;     /* per workgroup */
	uint32_t private_bytes; /* per lane */
	uint32_t groups[3], threads[3];
	bool hazard;             /* report a register used before its wait counter was waited for */
	bool inexact;            /* approximated functions have errors like the hardware's */
	struct amd_probe *probe; /* hazard mode only; NULL: none */
	uint64_t limit;          /* maximum instructions per wave; 0: no limit */
};

/* Size of the memory that the launch needs at scratch. */
uint64_t amd_scratch_bytes(const struct amd_launch *l);
/* Executes all workgroups. On failure returns false and a message that names the location and the
 * lane. */
bool amd_run(const struct amd_launch *l, char *message, size_t size);
/* Instructions that waves of this process have executed, of all finished workgroups: tests compare
 * the work of two versions of a kernel. */
uint64_t amd_executed(void);

#endif
