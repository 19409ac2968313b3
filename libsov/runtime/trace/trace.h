/* SPDX-License-Identifier: MIT */
/*
 * SOV_TRACE: API calls and GPU work with their times, as a file for Perfetto and Chrome. See
 * docs/observability.md for its content and guarantees.
 *
 *   trace_file.c  the file, a complete JSON document at every moment
 *   trace_ring.c  events of host threads: one ring buffer per thread
 *   trace_gpu.c   GPU work: time stamps around submissions, and the GPU's clock against the host's
 *   trace.c       the thread that empties the rings into the file
 */
#ifndef SOV_TRACE_H
#define SOV_TRACE_H

#include "libsov/sov.h"

/* Reads SOV_TRACE and opens the file. */
sov_result trace_init(void);

#endif
