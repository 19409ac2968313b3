/* SPDX-License-Identifier: MIT */
/*
 * A fake of amdgpu's compute interface over software GPUs, for tests of the kfd winsys: /dev/kfd,
 * render nodes and the topology in sysfs. It checks arguments as Linux does (kfd_chardev.c,
 * kfd_queue.c), counts what lives, and can make the n-th call fail.
 *
 * It is strict where a card is: doorbells carry a pointer that only grows, an interrupt signals
 * the event of its context if the mailbox was written, and after an exception the process's queues
 * do not run again. Its memory is never uncached and its queues are never preempted.
 */
#ifndef MODEL_KFD_H
#define MODEL_KFD_H

#include <stdbool.h>
#include <stdint.h>
#include "model/core/model.h"

#define MODEL_KFD_GPUS 4

/* Replaces the system calls of the kfd winsys by those of the fake, whose GPUs have these
 * configurations. Frees what an earlier call made. Returns 0 or a negative errno. */
int model_kfd_install(const struct model_config *gpus, uint32_t count);

/* What a test may change or read; model_kfd_install sets it to a machine without faults. */
extern struct model_kfd {
	uint32_t major, minor;
	int open_error;         /* of /dev/kfd */
	int render_error;       /* of the render nodes */
	uint32_t gfx_version;   /* 0: the model's */
	const char *properties; /* of each GPU's node; NULL: the model's */
	bool sizes_in_topology; /* as from Linux 6.12 on */
	bool no_sdma;
	uint64_t lds_aperture;
	/* failure injection */
	uint32_t calls, fail_at;
	bool failed;
	/* calls with invalid arguments; the first of them */
	uint32_t wrong;
	char why[200];
} model_kfd;

/* Files, mappings, memory, mapped memory, events and queues that exist. */
uint32_t model_kfd_live(void);

/* Signalled events of exceptions. */
uint32_t model_kfd_exceptions(void);

/* Raises a hardware exception on a GPU: ecc, or a hang. */
void model_kfd_raise(uint32_t gpu, bool ecc);

#endif
