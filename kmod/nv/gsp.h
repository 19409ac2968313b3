/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The GSP: a processor on the GPU that runs NVIDIA's resource manager, and the only one that may
 * touch most of the hardware. We boot it (boot.c, fsp.c), talk to it through two queues in memory
 * (rpc.c), and ask it for things (gsp.c).
 */
#ifndef SOV_NV_GSP_H
#define SOV_NV_GSP_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "hw/nv/gsp_570.h"
#include "kmod/nv/memory.h"

struct nv_device;

/**
 * struct nv_gsp - the GSP of a device
 */
struct nv_gsp {
	/** @lock: one call at a time; protects the queues, @element, both numbers and @running */
	struct mutex lock;

	/** @running: it answers */
	bool running;

	/** @flush: page that the GPU reads to flush what it wrote before */
	struct nv_buffer flush;

	/** @shared: both queues, after the addresses of their own pages */
	struct nv_buffer shared;

	/** @arguments: where the GSP finds @shared */
	struct nv_buffer arguments;

	/** @logs: of the GSP's operating system, its interrupts, its resource manager */
	struct nv_buffer logs[3];

	/** @command: our queue, in @shared */
	struct nv_gsp_queue *command;

	/** @status: the GSP's queue, in @shared */
	struct nv_gsp_queue *status;

	/** @sequence: of the next element in @command */
	u32 sequence;

	/** @expected: of the next element in @status */
	u32 expected;

	/** @element: the one that is sent or was received */
	struct nv_gsp_element *element;

	/** @events: reads what the GSP said by itself */
	struct work_struct events;

	/** @info: what the GSP says about memory and itself */
	struct nv_gsp_static_info *info;
};

/* boot.c */
int nv_gsp_boot(struct nv_device *nv);

/* fsp.c */
int nv_fsp_wait_boot(struct nv_device *nv);
int nv_fsp_send(struct nv_device *nv, const struct nv_fsp_cot *cot);

/* gsp.c */
int nv_gsp_start(struct nv_device *nv);
void nv_gsp_stop(struct nv_device *nv);

/* rpc.c */
int nv_rpc_init(struct nv_device *nv);
void nv_rpc_fini(struct nv_device *nv);
int nv_rpc_send(struct nv_device *nv, u32 function, const void *payload, u32 bytes);
int nv_rpc_wait(struct nv_device *nv, u32 function, u32 limit_ms);
int nv_rpc_call(struct nv_device *nv, u32 function, void *head, u32 head_bytes, void *body,
		u32 body_bytes, u32 limit_ms);
void nv_rpc_events(struct work_struct *work);
void nv_give_up(struct nv_device *nv);

/* event.c */
void nv_event(struct nv_device *nv, const struct nv_gsp_rpc *rpc);

#endif
