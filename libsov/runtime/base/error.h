/* SPDX-License-Identifier: MIT */
/* The calling thread's last error, and the versioned structures of the API. */
#ifndef SOV_ERROR_H
#define SOV_ERROR_H

#include <stddef.h>
#include "libsov/sov.h"

/* Formats the calling thread's error message and returns r: return set_error(SOV_ERROR_…, "…"). */
sov_result set_error(sov_result r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Sets what sov_module_messages returns. Takes ownership of a malloc'ed text; NULL clears it. */
void module_messages_set(char *messages);

/*
 * API structures begin with their size, which versions them. struct_in copies the caller's
 * structure and zeroes the members that an older caller does not know; struct_out copies the
 * members that the caller knows and zeroes those that only a newer caller knows. name is the
 * structure's, for messages.
 */
sov_result struct_in(const char *name, void *ours, size_t our_bytes, const void *theirs);
sov_result struct_out(const char *name, void *theirs, const void *ours, size_t our_bytes);

#endif
