/* SPDX-License-Identifier: MIT */
/*
<<<<<<< /tmp/mout.ours
 * SOV_TRACE: what a program called and what the GPU did for it, with times, as a file that Perfetto
 * and Chrome show. docs/observability.md tells what stands in it and what is guaranteed.
=======
 * SOV_TRACE: API calls and GPU work with their times, as a file for Perfetto and Chrome. See
 * docs/seeing.md for its content and guarantees.
>>>>>>> /work/wt/runtime/libsov/runtime/trace/trace.h
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
