/* SPDX-License-Identifier: MIT */
/*
 * Results and what they mean. A call that fails leaves one sentence for its thread; the sentence
 * names the thing, the value and the way out. Structures of the API are versioned by their size,
 * and that is checked here too, because a wrong size is the first mistake a caller can make.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/runtime.h"

/* next: what to do, where the sentence of a failed call does not say so itself; NULL: it does. */
static const struct {
	const char *name, *sentence, *next;
	bool sticky; /* … and is to be said in any case */
} results[] = {
#define R(name, sentence, next)      [name] = {#name, sentence, next, false}
#define STICKY(name, sentence, next) [name] = {#name, sentence, next, true}
	R(SOV_OK, "Done.", NULL),
	R(SOV_NOT_READY, "Not finished yet.", NULL),
	R(SOV_ERROR_INVALID_ARGUMENT,
	  "An argument or environment variable has a value that is not allowed.", NULL),
	R(SOV_ERROR_INVALID_HANDLE, "A handle names no live object, or one of another context.",
	  "give one that is live and of the same context"),
	R(SOV_ERROR_INVALID_ADDRESS, "An address range does not lie inside one live allocation.",
	  "sov_memory_range tells what lies at an address"),
	R(SOV_ERROR_NO_DEVICE, "There is no such device.",
	  "sov doctor says why a GPU is not there"),
	R(SOV_ERROR_OUT_OF_MEMORY, "The device has not enough free memory.",
	  "free some, let sov_pool_trim give back what the pool keeps, or work in smaller pieces"),
	R(SOV_ERROR_OUT_OF_HOST_MEMORY, "The host has not enough free memory.",
	  "end what else uses it, or raise the limits of the process (ulimit -a)"),
	R(SOV_ERROR_INVALID_SOURCE, "The program or image was refused.",
	  "sov_module_messages has all messages of the compiler"),
	R(SOV_ERROR_NOT_FOUND, "There is nothing of that name or number.", NULL),
	R(SOV_ERROR_INVALID_LAUNCH,
	  "Grid, block, shared memory or arguments do not fit the kernel or the device.", NULL),
	R(SOV_ERROR_TIMEOUT, "The limit of the wait passed; the work goes on.",
	  "wait again, or drop the work by sov_context_reset"),
	R(SOV_ERROR_UNSUPPORTED, "The device or this version of the library cannot do that.", NULL),
	STICKY(SOV_ERROR_FAULT, "A kernel or copy faulted.",
	       "sov_context_reset makes the context usable again"),
	STICKY(SOV_ERROR_HANG, "A kernel ran past its time limit and was stopped.",
	       "sov_context_reset makes the context usable again"),
	STICKY(SOV_ERROR_DEVICE_LOST, "The device does not answer any more.",
	       "sov_context_reset may bring it back; the kernel's log (dmesg) and sov doctor say "
	       "more"),
	R(SOV_ERROR_BUSY, "Another thread is using the object.", "try again when that is over"),
	R(SOV_ERROR_INTERNAL, "The library contradicts itself; please report this.",
	  "please report this, with what SOV_LOG=debug says"),
	R(SOV_ERROR_CANCELLED, "Another thread reset or destroyed the context meanwhile.",
	  "after a reset the call can be made again"),
	STICKY(SOV_ERROR_ASSERT, "An assertion of a kernel failed.",
	       "sov_context_reset makes the context usable again"),
#undef R
#undef STICKY
};

static _Thread_local char last_error[1024];
static _Thread_local char *messages;
static pthread_key_t messages_key; /* frees a thread's messages when it ends */
static pthread_once_t messages_once = PTHREAD_ONCE_INIT;

const char *sov_result_name(sov_result r)
{
	return (size_t)r < sizeof(results) / sizeof(*results) ? results[r].name : "unknown result";
}

const char *sov_result_string(sov_result r)
{
	return (size_t)r < sizeof(results) / sizeof(*results) ? results[r].sentence
							      : "This is no result of libsov.";
}

const char *sov_last_error(void)
{
	return last_error;
}

uint32_t sov_version(void)
{
	return SOV_VERSION_MAJOR << 16 | SOV_VERSION_MINOR;
}

sov_result refuse(sov_result r, const char *fmt, ...)
{
	const char *next = results[r].next;
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	vsnprintf(last_error, sizeof(last_error), fmt, ap);
	va_end(ap);
	/* A sentence with a second half says in it what to do; one that is told again has it. */
	n = strlen(last_error);
	if (next && (results[r].sticky ? !strstr(last_error, next) : !strchr(last_error, ';')))
		snprintf(last_error + n, sizeof(last_error) - n, "; %s", next);
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

static bool all_zero(const uint8_t *p, size_t bytes)
{
	while (bytes && !*p)
		p++, bytes--;
	return !bytes;
}

static sov_result struct_size(const char *what, const void *theirs, size_t *size)
{
	uint32_t bytes;

	if (!theirs)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "%s is NULL", what);
	memcpy(&bytes, theirs, sizeof(bytes));
	*size = bytes;
	if (bytes < sizeof(bytes) || bytes > 65536)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "%s has size %u; begin it with SOV_INIT(%s)", what, bytes, what);
	return SOV_OK;
}

sov_result struct_in(const char *what, void *ours, size_t our_bytes, const void *theirs)
{
	size_t size = 0;
	sov_result r = struct_size(what, theirs, &size);

	if (r)
		return r;
	if (size > our_bytes && !all_zero((const uint8_t *)theirs + our_bytes, size - our_bytes))
		return refuse(SOV_ERROR_UNSUPPORTED,
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
	/* The size stays the caller's: it says how much of the structure is its own. */
	memcpy((uint8_t *)theirs + 4, (const uint8_t *)ours + 4, n - 4);
	memset((uint8_t *)theirs + n, 0, size - n);
	return SOV_OK;
}
