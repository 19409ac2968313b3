// SPDX-License-Identifier: MIT
/*
 * The trace's writer thread. It empties all rings and the GPU's completed work into the file ten
 * times a second, and sooner when a ring is half full. A normal exit writes the rest; after a crash
 * the file ends a tenth of a second before it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#include "libsov/runtime/base/call_observers.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/trace/trace.h"
#include "libsov/runtime/trace/trace_file.h"
#include "libsov/runtime/trace/trace_gpu.h"

#define WRITE_INTERVAL_NS UINT64_C(100000000)

static struct {
	pthread_t writer;
	pid_t process;
	_Atomic bool closing;
} trace;

static void trace_write_event(const struct trace_event *e)
{
	struct trace_event host = *e;

	if (e->kind == TRACE_GPU && (!trace_gpu_time(e->gpu.device, e->start, &host.start) ||
				     !trace_gpu_time(e->gpu.device, e->end, &host.end)))
		trace_file_count_lost(1);
	else
		trace_file_event(&host);
}

static void trace_write_all(bool finish)
{
	trace_gpu_read_clocks();
	trace_gpu_collect(trace_write_event, finish);
	trace_rings_empty(trace_write_event);
	trace_file_flush();
}

static void *trace_thread_main(void *unused)
{
	pthread_setname_np(pthread_self(), "sov-trace");
	while (!atomic_load(&trace.closing)) {
		trace_write_all(false);
		trace_rings_wait(WRITE_INTERVAL_NS);
	}
	return unused;
}

static void trace_disable(void)
{
	__atomic_store_n(&trace_on, 0, __ATOMIC_RELAXED);
	call_observer_remove(CALL_OBSERVER_TRACE);
}

/* At exit. GPU work that still runs is written as cut; events that threads put from here on are not
 * read. A forked child shares the parent's file and has no writer thread. */
static void trace_finish(void)
{
	if (getpid() != trace.process)
		return;
	trace_disable();
	atomic_store(&trace.closing, true);
	trace_rings_wake();
	pthread_join(trace.writer, NULL);
	trace_write_all(true);
	trace_file_close();
}

sov_result trace_init(void)
{
	const char *path = secure_getenv("SOV_TRACE");
	sov_result r;

	if (!path || !*path || tracing())
		return SOV_OK;
	r = trace_file_open(path);
	if (r)
		return r;
	trace.process = getpid();
	if (!trace_rings_init() || pthread_create(&trace.writer, NULL, trace_thread_main, NULL)) {
		trace_file_close();
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "SOV_TRACE: no thread to write it");
	}
	atexit(trace_finish);
	pthread_atfork(NULL, NULL, trace_disable);
	call_observer_add(CALL_OBSERVER_TRACE);
	__atomic_store_n(&trace_on, 1, __ATOMIC_RELAXED);
	return SOV_OK;
}
