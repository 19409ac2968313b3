/* SPDX-License-Identifier: MIT */
#ifndef SOV_HOST_FUNCTION_H
#define SOV_HOST_FUNCTION_H

#include "libsov/runtime/stream/submit.h"

extern const struct context_part host_function_part;

/* Submits a host function; without the lock. */
sov_result stream_host_function(struct stream *s, void (*function)(void *user), void *user);
/* Waits until the context's thread no longer runs this function; without the lock. It has no limit,
 * so the function must end once the context is idle, was reset or failed. */
void host_functions_finish(struct context *c, void (*function)(void *user));
/* Whether the calling thread runs the context's host functions. */
bool host_functions_on_this_thread(struct context *c);

#endif
