/* SPDX-License-Identifier: MIT */
/* Events of the trace. */
#ifndef SOV_TRACE_EVENT_H
#define SOV_TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include "libsov/runtime/base/call_info.h"
#include "libsov/sov.h"

enum trace_work_kind {
	TRACE_KERNEL,
	TRACE_COPY_IN,     /* host to device */
	TRACE_COPY_OUT,    /* device to host */
	TRACE_COPY_ACROSS, /* device to device */
	TRACE_FILL
};

enum trace_kind { TRACE_CALL, TRACE_HOST_FUNCTION, TRACE_GPU };

struct trace_gpu_work {
	enum trace_work_kind work;
	uint32_t device, track;
	const char *by;     /* what executed a copy: "engine", "kernel" or "methods" */
	uint64_t id;        /* unique in the trace */
	uint64_t submitted; /* when the event's thread submitted it */
	uint64_t bytes;
	uint32_t grid[3], block[3], shared;
	bool cut; /* it did not complete; end is when it was stopped */
};

struct trace_event {
	enum trace_kind kind;
	uint32_t thread;
	const char *name;    /* never freed */
	uint64_t start, end; /* ns on the host's clock; GPU work in a ring: on the GPU's clock */
	union {
		struct {
			const struct call_info *info;
			sov_result result;
			uint64_t values[CALL_MAX_ARGUMENTS];
		} call;
		struct trace_gpu_work gpu;
	};
};

#endif
