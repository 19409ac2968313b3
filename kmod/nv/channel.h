/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Channels, their contexts, and what the core's groups and queues are made of. */
#ifndef SOV_NV_CHANNEL_H
#define SOV_NV_CHANNEL_H

#include <drm/drm_mm.h>

#include "kmod/vendor.h"
#include "kmod/group.h"
#include "kmod/nv/memory.h"
#include "kmod/nv/ring.h"
#include "kmod/queue.h"

struct nv_device;
struct nv_vm;

#define NV_CONTEXT_BUFFERS 9

/**
 * struct nv_engine - one engine: what the GSP calls it (RM_ENGINE), and who feeds it
 */
struct nv_engine {
	u32 type, runlist;
};

/**
 * struct nv_channel - a channel without what goes through it
 */
struct nv_channel {
	/** @vm: where it runs; NULL: there is none */
	struct nv_vm *vm;

	/** @id: its number on the device; 0: it has none */
	u32 id;

	/** @made: the GSP has it */
	bool made;

	/** @has_object: and its engine's object below it */
	bool has_object;

	/** @doorbell: what tells the device that its ring has grown */
	u32 doorbell;

	/** @instance: what the hardware knows of it */
	struct nv_vram instance;

	/** @userd: both ends of its ring, when we write that */
	struct nv_vram userd;

	/** @ends: @userd, as we see it */
	void __iomem *ends;

	/** @methods: where a copy engine saves what it was about to do */
	struct nv_buffer methods;
};

/**
 * struct nv_channel_words - how to make one
 */
struct nv_channel_words {
	struct nv_vm *vm;
	u32 parent; /* object: channel group or device */
	struct nv_engine engine;
	u64 ring_va;
	u32 entries;
	u64 userd; /* address in video memory; 0: one is made */
	bool privileged;
};

/**
 * struct nv_context - buffers in which the graphics engine keeps a context
 */
struct nv_context {
	/** @vm: where they are mapped; NULL: there is none */
	struct nv_vm *vm;

	/** @memory: its own buffers */
	struct nv_vram memory[NV_CONTEXT_BUFFERS];

	/** @places: where these and the shared ones are mapped */
	struct drm_mm_node places[NV_CONTEXT_BUFFERS];
};

/**
 * struct nv_tsg - a channel group; a group of queues has one for each class that it uses
 */
struct nv_tsg {
	/** @id: its number; 0: there is none */
	u32 id;

	/** @context: of the graphics engine, for all its channels */
	struct nv_context context;
};

/**
 * struct nv_group - a group of queues
 */
struct nv_group {
	/** @base: what the core knows of it; first, because the core allocates */
	struct sov_group base;

	/** @tsgs: by class of queue, made with the first of each */
	struct nv_tsg tsgs[SOV_QUEUE_CLASSES];
};

/**
 * struct nv_queue - a queue
 */
struct nv_queue {
	/** @base: what the core knows of it; first, because the core allocates */
	struct sov_queue base;

	/** @channel: where it runs */
	struct nv_channel channel;

	/** @memory: of the ring, which programs can read only */
	struct nv_buffer memory;

	/** @memory_place: where the device sees it */
	struct drm_mm_node memory_place;

	/** @number: a page whose first word is the number of the last job that is done */
	struct nv_buffer number;

	/** @number_place: where the device sees it */
	struct drm_mm_node number_place;

	/** @ring: jobs */
	struct nv_ring ring;

	/** @halted: it was stopped together with others; protected by the device's halt_lock */
	bool halted;
};

/* channel.c */
int nv_channel_init(struct nv_channel *c, const struct nv_channel_words *w);
int nv_channel_object(struct nv_channel *c, u32 class, void *parameters, u32 bytes);
void nv_channel_stop(struct nv_channel *c);
void nv_channel_fini(struct nv_channel *c);
void nv_channel_ring(struct nv_channel *c, u32 put);

/* context.c */
int nv_contexts_start(struct nv_device *nv);
void nv_contexts_stop(struct nv_device *nv);
int nv_context_init(struct nv_context *c, struct nv_vm *vm, u32 channel, bool golden);
void nv_context_fini(struct nv_context *c);

/* queue.c */
int nv_group_init(struct sov_group *group);
void nv_group_fini(struct sov_group *group);
int nv_queue_init(struct sov_queue *queue);
void nv_queue_stop(struct sov_queue *queue);
void nv_queue_fini(struct sov_queue *queue);
void nv_queue_push(struct sov_queue *queue, u64 number, u64 va, u32 size);
u64 nv_queue_done(struct sov_queue *queue);
u64 nv_queue_begun(struct sov_queue *queue);
u64 nv_queue_passed(struct sov_queue *queue);

#endif
