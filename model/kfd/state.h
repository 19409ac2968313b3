/* SPDX-License-Identifier: MIT */
/* What the fake of amdgpu's interface keeps of files, memory, events, queues and GPUs. */
#ifndef MODEL_KFD_STATE_H
#define MODEL_KFD_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include "hw/amd/kfd.h"
#include "libsov/runtime/base/range.h"
#include "model/core/model.h"

enum file_kind { FILE_CLOSED, FILE_KFD, FILE_RENDER };

struct object { /* memory; its handle is its index + 1 */
	bool live;
	uint64_t va, bytes, offset;
	uint32_t flags, gpu, mapped, queues;
	uint8_t *backing;
};

struct event {
	bool live, auto_reset, signalled;
	uint32_t type, slot;
	struct kfd_event_data data;
};

struct gpu;
struct queue {
	bool live, failed;
	struct gpu *gpu;
	struct model_channel *channel;
	bool copies;
	uint64_t *doorbell, rung;
	_Atomic uint64_t *write_pointer;
	struct object *parts[4]; /* that must not be unmapped meanwhile */
};

struct gpu {
	struct model_config config;
	struct model *model; /* NULL: no address space yet */
	struct model_space *space;
	uint8_t *vram;
	struct ranges free_vram;
	uint64_t *doorbells;
	uint32_t doorbell_maps;
	bool stopped; /* after an exception */
};

#endif
