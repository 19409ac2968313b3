/* SPDX-License-Identifier: MIT */
#ifndef SOV_TRACE_FILE_H
#define SOV_TRACE_FILE_H

#include "libsov/runtime/trace/trace_event.h"

sov_result trace_file_open(const char *path);
/* All times of the event are on the host's clock. */
void trace_file_event(const struct trace_event *e);
void trace_file_thread(uint32_t thread, const char *name);
void trace_file_device(uint32_t device, const char *name);
void trace_file_track(uint32_t device, uint32_t track, uint64_t context, uint64_t stream);
void trace_file_clock(uint32_t device, uint64_t host, uint64_t gpu, uint64_t window);
/* Reports lost events now, or with the next flush. */
void trace_file_lost(uint64_t events);
void trace_file_count_lost(uint64_t events);
/* Writes what was added and completes the document. */
void trace_file_flush(void);
void trace_file_close(void);

#endif
