/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Contexts of the graphics engine. */
#ifndef SOV_NV_CONTEXT_H
#define SOV_NV_CONTEXT_H

#include <drm/drm_mm.h>

#include "kmod/nv/device_types.h"
#include "kmod/nv/memory_types.h"

struct nv_vm;

/**
 * struct nv_context - buffers in which the graphics engine saves a context
 */
struct nv_context {
	/** @vm: Address space that maps the buffers; NULL if the context was never initialised. */
	struct nv_vm *vm;

	/** @memory: Buffers that belong to this context alone. */
	struct nv_vram memory[NV_CONTEXT_BUFFERS];

	/** @nodes: VA ranges of these and of the shared buffers. */
	struct drm_mm_node nodes[NV_CONTEXT_BUFFERS];
};

int nv_context_start(struct nv_device *nv);
void nv_context_stop(struct nv_device *nv);
int nv_context_init(struct nv_context *c, struct nv_vm *vm, u32 channel, bool golden);
void nv_context_fini(struct nv_context *c);

#endif
