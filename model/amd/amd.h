/* SPDX-License-Identifier: MIT */
/*
 * Software AMD GPU: an executor for gfx10.3 machine code, waves of 32 lanes. Today it is driven by
 * a launch that says what a command processor would have set up; queues and page tables are to
 * come.
 */
#ifndef MODEL_AMD_H
#define MODEL_AMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How code and data are reached. at() gives the host address of bytes at va, NULL when they are not
 * mapped or may not be used so; the bytes asked for never cross a multiple of 4096. */
struct amd_memory {
	void *(*at)(void *context, uint64_t va, uint32_t bytes, bool write);
	void *context;
};

/* What a wait is there for: whether the one at pc ever had to wait, by counter: vmcnt, lgkmcnt, vscnt. */
struct amd_probe {
	uint64_t pc;
	bool waited[3];
};

struct amd_launch {
	const struct amd_memory *memory;
	uint64_t entry;        /* first instruction */
	uint64_t kernarg;      /* arguments */
	uint64_t dispatch;     /* the packet that launched it, as HSA has it, for those that look */
	uint64_t scratch;      /* private memory of one wave after the other */
	uint32_t rsrc1, rsrc2; /* hw/amd/kernel_descriptor.h */
	uint16_t properties;
	uint32_t lds_bytes;     /* of a workgroup */
	uint32_t private_bytes; /* of a lane */
	uint32_t groups[3], threads[3];
	bool hazard;             /* a register used before its counter was waited for is an error */
	struct amd_probe *probe; /* in hazard mode; NULL: nobody asks */
	uint64_t limit;          /* instructions of a wave, 0: no limit */
};

/* Bytes that the launch needs at scratch. */
uint64_t amd_scratch_bytes(const struct amd_launch *l);
/* Runs all workgroups. false: message says what went wrong, where, and in which lane. */
bool amd_run(const struct amd_launch *l, char *message, size_t size);

#endif
