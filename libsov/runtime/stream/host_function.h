/* SPDX-License-Identifier: MIT */
#ifndef SOV_HOST_FUNCTION_H
#define SOV_HOST_FUNCTION_H

#include "libsov/runtime/stream/submit.h"

extern const struct context_part host_function_part;

/* Submits a host function; without the lock. */
sov_result stream_host_function(struct stream *s, void (*function)(void *user), void *user);
/* Whether the calling thread runs the context's host functions. */
bool host_functions_on_this_thread(struct context *c);

#endif
