/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* State of the GSP, which struct nv_device embeds. */
#ifndef SOV_NV_GSP_TYPES_H
#define SOV_NV_GSP_TYPES_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "hw/nv/gsp_570.h"
#include "kmod/nv/memory_types.h"

struct nv_device;

/**
 * struct nv_gsp - the GSP of a device
 */
struct nv_gsp {
	/**
	 * @lock: serialises RPCs; protects both queues, @element, @sequence, @expected and
	 * @running
	 */
	struct mutex lock;

	/** @running: the GSP accepts RPCs */
	bool running;

	/** @flush: page that the GPU reads in order to flush its earlier writes to system memory */
	struct nv_buffer flush;

	/** @shared: both message queues, preceded by a table of the addresses of these pages */
	struct nv_buffer shared;

	/** @arguments: boot arguments, which point the GSP to @shared */
	struct nv_buffer arguments;

	/** @logs: log buffers of the GSP's operating system, interrupt handlers and RM */
	struct nv_buffer logs[3];

	/** @command: queue from the driver to the GSP, in @shared */
	struct nv_gsp_queue *command;

	/** @status: queue from the GSP to the driver, in @shared */
	struct nv_gsp_queue *status;

	/** @sequence: sequence number of the next element in @command */
	u32 sequence;

	/** @expected: sequence number of the next element in @status */
	u32 expected;

	/** @element: element that is being sent or was received last */
	struct nv_gsp_element *element;

	/** @event_work: handles events that arrive while no RPC waits for a reply */
	struct work_struct event_work;

	/** @handle_event: called with @lock held for each event, which was checked as a message */
	void (*handle_event)(struct nv_device *nv, const struct nv_gsp_rpc *rpc);

	/** @info: reply of GET_GSP_STATIC_INFO: memory regions and the GSP's own RM handles */
	struct nv_gsp_static_info *info;
};

#endif
