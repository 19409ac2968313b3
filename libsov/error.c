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
#include "libsov/log.h"
#include "libsov/runtime.h"

static const struct {
	const char *name, *sentence;
} results[] = {
#define R(name, sentence) [name] = {#name, sentence}
	R(SOV_OK, "Done."),
	R(SOV_NOT_READY, "Not finished yet."),
	R(SOV_ERROR_INVALID_ARGUMENT,
	  "An argument or environment variable has a value that is not allowed."),
	R(SOV_ERROR_INVALID_HANDLE, "A handle names no live object, or one of another context."),
	R(SOV_ERROR_INVALID_ADDRESS, "An address range does not lie inside one live allocation."),
	R(SOV_ERROR_NO_DEVICE, "There is no such device."),
	R(SOV_ERROR_OUT_OF_MEMORY, "The device has not enough free memory."),
	R(SOV_ERROR_OUT_OF_HOST_MEMORY, "The host has not enough free memory."),
	R(SOV_ERROR_INVALID_SOURCE, "The program or image was refused."),
	R(SOV_ERROR_NOT_FOUND, "There is nothing of that name or number."),
	R(SOV_ERROR_INVALID_LAUNCH,
	  "Grid, block, shared memory or arguments do not fit the kernel or the device."),
	R(SOV_ERROR_TIMEOUT, "The limit of the wait passed; the work goes on."),
	R(SOV_ERROR_UNSUPPORTED, "The device or this version of the library cannot do that."),
	R(SOV_ERROR_FAULT, "A kernel or copy faulted."),
	R(SOV_ERROR_HANG, "A kernel ran past its time limit and was stopped."),
	R(SOV_ERROR_DEVICE_LOST, "The device does not answer any more."),
	R(SOV_ERROR_BUSY, "Another thread is using the object."),
	R(SOV_ERROR_INTERNAL, "The library contradicts itself; please report this."),
	R(SOV_ERROR_CANCELLED, "Another thread reset or destroyed the context meanwhile."),
	R(SOV_ERROR_ASSERT, "An assertion of a kernel failed."),
#undef R
};

static _Thread_local char last_error[1024];
static _Thread_local char *messages;
static pthread_key_t messages_key; /* frees a thread's messages when it ends */
static pthread_once_t messages_once = PTHREAD_ONCE_INIT;

const char *sov_result_name(sov_result r)
{
	return (size_t)r < sizeof(results) / sizeof(*results) ? results[r].name : "unknown result";
}

const char *sov_result_sentence(sov_result r)
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
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(last_error, sizeof(last_error), fmt, ap);
	va_end(ap);
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
			      "(%d.%d) does not know",
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
