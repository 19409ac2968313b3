// SPDX-License-Identifier: MIT
/*
 * Results and error messages. A failed call leaves one message for its thread, which names the
 * object, the value and the remedy. Also the size checks of API structures: a wrong size is the
 * first mistake that a caller can make.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"

/* advice is appended to messages that have none of their own; NULL: all messages of this result
 * do. */
static const struct {
	const char *name, *string, *advice;
	bool sticky; /* the message always ends with the advice */
} results[] = {
#define R(name, string, advice)      [name] = {#name, string, advice, false}
#define STICKY(name, string, advice) [name] = {#name, string, advice, true}
	R(SOV_OK, "Done.", NULL),
	R(SOV_NOT_READY, "Not finished yet.", NULL),
	R(SOV_ERROR_INVALID_ARGUMENT,
	  "An argument or environment variable has a value that is not allowed.", NULL),
	R(SOV_ERROR_INVALID_HANDLE, "A handle is invalid or belongs to another context.",
	  "use a valid handle of the same context"),
	R(SOV_ERROR_INVALID_ADDRESS, "An address range does not lie inside one live allocation.",
	  "sov_memory_range shows the allocation at an address"),
	R(SOV_ERROR_NO_DEVICE, "There is no such device.",
	  "sov doctor explains why a GPU is missing"),
	R(SOV_ERROR_OUT_OF_MEMORY, "The device does not have enough free memory.",
	  "free some, let sov_pool_trim give back what the pool keeps, or use less memory at a "
	  "time"),
	R(SOV_ERROR_OUT_OF_HOST_MEMORY, "The host does not have enough free memory.",
	  "free some, or raise the limits of the process (ulimit -a)"),
	R(SOV_ERROR_INVALID_SOURCE, "The program or image was rejected.",
	  "sov_module_messages has all messages of the compiler"),
	R(SOV_ERROR_NOT_FOUND, "No object has that name or index.", NULL),
	R(SOV_ERROR_INVALID_LAUNCH,
	  "Grid, block, shared memory or arguments do not fit the kernel or the device.", NULL),
	R(SOV_ERROR_TIMEOUT, "The wait timed out; the work continues.",
	  "wait again, or discard the work with sov_context_reset"),
	R(SOV_ERROR_UNSUPPORTED, "The device or this version of the library cannot do that.", NULL),
	STICKY(SOV_ERROR_FAULT, "A kernel or copy faulted.",
	       "sov_context_reset makes the context usable again"),
	STICKY(SOV_ERROR_HANG, "A kernel ran past its time limit and was stopped.",
	       "sov_context_reset makes the context usable again"),
	STICKY(SOV_ERROR_DEVICE_LOST, "The device no longer responds.",
	       "sov_context_reset may bring it back; the kernel log (dmesg) and sov doctor "
	       "have details"),
	R(SOV_ERROR_BUSY, "Another thread is using the object.", "try again later"),
	R(SOV_ERROR_INTERNAL, "An internal check of the library failed; please report this.",
	  "please report this with the output of SOV_LOG=debug"),
	R(SOV_ERROR_CANCELLED, "Another thread reset or destroyed the context.",
	  "after a reset, repeat the call"),
	STICKY(SOV_ERROR_ASSERT, "An assertion of a kernel failed.",
	       "sov_context_reset makes the context usable again"),
#undef R
#undef STICKY
};

static _Thread_local char last_error[1024];
static _Thread_local char *messages;
static pthread_key_t messages_key; /* frees a thread's messages when the thread ends */
static pthread_once_t messages_once = PTHREAD_ONCE_INIT;

const char *sov_result_name(sov_result r)
{
	return (size_t)r < sizeof(results) / sizeof(*results) ? results[r].name : "unknown result";
}

const char *sov_result_string(sov_result r)
{
	return (size_t)r < sizeof(results) / sizeof(*results) ? results[r].string
							      : "This is not a result of libsov.";
}

const char *sov_last_error(void)
{
	return last_error;
}

uint32_t sov_version(void)
{
	return SOV_VERSION_MAJOR << 16 | SOV_VERSION_MINOR;
}

sov_result set_error(sov_result r, const char *fmt, ...)
{
	const char *advice = results[r].advice;
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	vsnprintf(last_error, sizeof(last_error), fmt, ap);
	va_end(ap);
	/* A message with a semicolon contains its own advice; a repeated sticky message ends with
	 * it already. */
	n = strlen(last_error);
	if (advice && (results[r].sticky ? !strstr(last_error, advice) : !strchr(last_error, ';')))
		snprintf(last_error + n, sizeof(last_error) - n, "; %s", advice);
	LOG(CALL, ERROR, "%s: %s", sov_result_name(r), last_error);
	return r;
}

static void messages_key_create(void)
{
	if (pthread_key_create(&messages_key, free))
		abort();
}

void module_messages_set(char *text)
{
	pthread_once(&messages_once, messages_key_create);
	free(messages);
	messages = text;
	pthread_setspecific(messages_key, text);
}

const char *sov_module_messages(void)
{
	return messages ? messages : "";
}

static bool is_zero(const uint8_t *p, size_t bytes)
{
	while (bytes && !*p)
		p++, bytes--;
	return !bytes;
}

static sov_result struct_size(const char *what, const void *theirs, size_t *size)
{
	uint32_t bytes;

	if (!theirs)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "%s is NULL", what);
	memcpy(&bytes, theirs, sizeof(bytes));
	*size = bytes;
	if (bytes < sizeof(bytes) || bytes > 65536)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "%s has size %u; begin it with SOV_INIT(%s)", what, bytes, what);
	return SOV_OK;
}

sov_result struct_in(const char *what, void *ours, size_t our_bytes, const void *theirs)
{
	size_t size = 0;
	sov_result r = struct_size(what, theirs, &size);

	if (r)
		return r;
	if (size > our_bytes && !is_zero((const uint8_t *)theirs + our_bytes, size - our_bytes))
		return set_error(SOV_ERROR_UNSUPPORTED,
				 "%s of %zu bytes sets members after byte %zu, which this version "
				 "(%d.%d) does not know; leave them 0",
				 what, size, our_bytes, SOV_VERSION_MAJOR, SOV_VERSION_MINOR);
	memset(ours, 0, our_bytes);
	memcpy(ours, theirs, size < our_bytes ? size : our_bytes);
	return SOV_OK;
}

sov_result struct_out(const char *what, void *theirs, const void *ours, size_t our_bytes)
{
	size_t size = 0, n;
	sov_result r = struct_size(what, theirs, &size);

	if (r)
		return r;
	n = size < our_bytes ? size : our_bytes;
	/* Keep the caller's size: it says how large the caller's structure is. */
	memcpy((uint8_t *)theirs + 4, (const uint8_t *)ours + 4, n - 4);
	memset((uint8_t *)theirs + n, 0, size - n);
	return SOV_OK;
}
