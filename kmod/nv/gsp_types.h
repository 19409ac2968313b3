/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* State of the GSP, which struct nv_device embeds. */
#ifndef SOV_NV_GSP_TYPES_H
#define SOV_NV_GSP_TYPES_H

#include <linux/debugfs.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "hw/nv/gsp_570.h"
#include "kmod/nv/memory_types.h"

struct nv_device;

/* LOGINIT, LOGINTR and LOGRM. */
#define NV_GSP_LOGS 3

/**
 * struct nv_log_files - the debugfs files of a device's logs
 */
struct nv_log_files {
	/** @folder: Folder of the files; NULL if there are none. */
	struct dentry *folder;

	/** @blobs: Contents of the files. */
	struct debugfs_blob_wrapper blobs[NV_GSP_LOGS];
};

/**
 * struct nv_gsp - the GSP of a device
 */
struct nv_gsp {
	/**
	 * @lock: Serialises RPCs; protects both queues, @element, @sequence, @expected and
	 * @running.
	 */
	struct mutex lock;

	/** @running: The GSP accepts RPCs. */
	bool running;

	/** @halted: Its core has halted; nothing will answer. */
	bool halted;

	/** @flush: Page that the GPU reads to flush its earlier writes to system memory. */
	struct nv_buffer flush;

	/** @shared: Both message queues, preceded by a table of the addresses of these pages. */
	struct nv_buffer shared;

	/** @arguments: Boot arguments, which point the GSP to @shared. */
	struct nv_buffer arguments;

	/** @logs: Log buffers of the GSP's operating system, interrupt handlers and RM. */
	struct nv_buffer logs[NV_GSP_LOGS];

	/** @log_files: Files of @logs. */
	struct nv_log_files log_files;

	/** @step: Step of the start that the device has reached, for dumps. */
	const char *step;

	/** @loaded: Since the last start: the images were loaded, so that a dump has a meaning. */
	bool loaded;

	/** @dumped: Since the last start: a dump was written. */
	bool dumped;

	/** @dump_work: Writes a dump of a wedged device; see dump.c. */
	struct work_struct dump_work;

	/** @command: Queue from the driver to the GSP, in @shared. */
	struct nv_gsp_queue *command;

	/** @status: Queue from the GSP to the driver, in @shared. */
	struct nv_gsp_queue *status;

	/** @sequence: Sequence number of the next element in @command. */
	u32 sequence;

	/** @expected: Sequence number of the next element in @status. */
	u32 expected;

	/** @element: Element that is being sent or was received last. */
	struct nv_gsp_element *element;

	/** @event_work: Handles events that arrive while no RPC waits for a reply. */
	struct work_struct event_work;

	/** @handle_event: Called with @lock held for each event, which was checked as a message. */
	void (*handle_event)(struct nv_device *nv, const struct nv_gsp_rpc *rpc);

	/** @info: Reply of GET_GSP_STATIC_INFO: memory regions and the GSP's own RM handles. */
	struct nv_gsp_static_info *info;
};

#endif
