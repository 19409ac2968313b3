// SPDX-License-Identifier: MIT
/*
 * Handles, structures and results: invalid handles are rejected, structures of other versions are
 * read and written as far as both sides know them, and every result has a description.
 */
#include "tests/userspace/runtime/_api.h"

static sov_device device;

static void handles(void)
{
	sov_context c = context_on("gh100.0", 0), other = context_on("gh100.0", 0);
	sov_stream s, first;
	sov_event e, f;
	sov_ptr a;

	MUST(sov_stream_create(c, 0, &s));
	MUST(sov_event_create(c, 0, &e));
	MUST(sov_event_create(other, 0, &f));
	refused(sov_stream_wait(NULL, 0), SOV_ERROR_INVALID_HANDLE,
		"the handle of a stream is NULL", "sov_stream_wait rejects NULL");
	refused(sov_stream_wait((sov_stream)(void *)e, 0), SOV_ERROR_INVALID_HANDLE,
		"is the handle of an event, not of a stream",
		"an event handle is rejected as a stream");
	refused(sov_stream_wait((sov_stream)(uintptr_t)0x1234567890, 0), SOV_ERROR_INVALID_HANDLE,
		"was never the handle of a stream", "a forged handle is rejected as a stream");
	refused(sov_memory_alloc((sov_context)(void *)device, 16, &a), SOV_ERROR_INVALID_HANDLE,
		"is the handle of a device, not of a context",
		"a device handle is rejected as a context");
	refused(sov_event_record(f, s), SOV_ERROR_INVALID_HANDLE,
		"the stream belongs to another context",
		"recording an event on another context's stream is rejected");
	refused(sov_stream_wait_event(s, f), SOV_ERROR_INVALID_HANDLE,
		"the event belongs to another context",
		"a stream rejects a wait for another context's event");
	MUST(sov_context_get_stream(c, &first));
	refused(sov_stream_destroy(first), SOV_ERROR_INVALID_ARGUMENT,
		"is destroyed with its context", "destroying a context's first stream is rejected");
	good(sov_stream_destroy(s), "a created stream can be destroyed");
	refused(sov_stream_destroy(s), SOV_ERROR_INVALID_HANDLE, "that was destroyed",
		"destroying a stream twice is rejected");
	good(sov_event_destroy(e), "an event can be destroyed once");
	refused(sov_event_destroy(e), SOV_ERROR_INVALID_HANDLE, "that was destroyed",
		"destroying an event twice is rejected");
	good(sov_context_destroy(c), "a context can be destroyed once");
	refused(sov_context_destroy(c), SOV_ERROR_INVALID_HANDLE, "that was destroyed",
		"destroying a context twice is rejected");
	refused(sov_stream_wait(first, 0), SOV_ERROR_INVALID_HANDLE, "that was destroyed",
		"a stream handle is invalid after its context is destroyed");
	MUST(sov_context_destroy(other));
}

static void reuse(void)
{
	sov_context c = context_on("gh100.0", 0);
	sov_event old, e;
	uint32_t i, refusals = 0;

	MUST(sov_event_create(c, 0, &old));
	MUST(sov_event_destroy(old));
	for (i = 0; i < 2000; i++) {
		MUST(sov_event_create(c, 0, &e));
		refusals += e != old && sov_event_wait(old, 0) == SOV_ERROR_INVALID_HANDLE;
		MUST(sov_event_destroy(e));
	}
	ok(refusals == 2000, "a destroyed handle stays invalid when its slot is reused");
	MUST(sov_context_destroy(c));
}

static void structures(void)
{
	union {
		sov_device_properties p;
		uint8_t bytes[sizeof(sov_device_properties) + 64];
	} big, small;
	union {
		sov_context_options o;
		uint8_t bytes[sizeof(sov_context_options) + 16];
	} options;
	sov_context c;
	uint32_t i, zeros = 0, untouched = 0;

	memset(&big, 0xff, sizeof(big));
	big.p.size = sizeof(big);
	good(sov_device_get_properties(device, &big.p),
	     "a newer caller's larger structure is accepted");
	for (i = sizeof(sov_device_properties); i < sizeof(big); i++)
		zeros += !big.bytes[i];
	ok(zeros == 64 && big.p.size == sizeof(big),
	   "members that the library does not know are zeroed");
	memset(&small, 0xff, sizeof(small));
	small.p.size = offsetof(sov_device_properties, product);
	good(sov_device_get_properties(device, &small.p),
	     "an older caller's smaller structure is accepted");
	for (i = offsetof(sov_device_properties, product); i < sizeof(small); i++)
		untouched += small.bytes[i] == 0xff;
	ok(!strcmp(small.p.name, soft_name("gh100.0")) && untouched == sizeof(small) - small.p.size,
	   "an older caller's structure is not written past its size");
	small.p.size = 0;
	refused(sov_device_get_properties(device, &small.p), SOV_ERROR_INVALID_ARGUMENT,
		"has size 0; begin it with SOV_INIT(sov_device_properties)",
		"a structure with size 0 is rejected");
	refused(sov_device_get_properties(device, NULL), SOV_ERROR_INVALID_ARGUMENT, "is NULL",
		"a NULL structure is rejected");

	memset(&options, 0, sizeof(options));
	options.o.size = sizeof(options);
	good(sov_context_create(device, &options.o, &c),
	     "unknown members that are zero are accepted");
	MUST(sov_context_destroy(c));
	options.bytes[sizeof(options) - 1] = 1;
	refused(sov_context_create(device, &options.o, &c), SOV_ERROR_UNSUPPORTED, "does not know",
		"unknown members that are not zero are rejected");
	options.o.size = 4;
	good(sov_context_create(device, &options.o, &c),
	     "members that an older caller does not know are read as zero");
	MUST(sov_context_destroy(c));
	options.o.size = sizeof(options.o);
	options.o.flags = 2;
	refused(sov_context_create(device, &options.o, &c), SOV_ERROR_INVALID_ARGUMENT,
		"flags is 0x2", "an unknown context flag is rejected");
}

static void results(void)
{
	uint32_t i, named = 0;

	for (i = SOV_OK; i <= SOV_ERROR_ASSERT; i++)
		named += !strncmp(sov_result_name((sov_result)i), "SOV_", 4) &&
			 strlen(sov_result_string((sov_result)i)) > 4;
	ok(named == SOV_ERROR_ASSERT + 1, "every result has a name and a description");
	is_str(sov_result_name(SOV_ERROR_FAULT), "SOV_ERROR_FAULT",
	       "a result's name is that of its constant");
	is_str(sov_result_name((sov_result)999), "unknown result",
	       "an unknown result has the name 'unknown result'");
	ok(sov_version() == (SOV_VERSION_MAJOR << 16 | SOV_VERSION_MINOR),
	   "sov_version returns the version of the header");
}

int main(void)
{
	soft_gpus("gh100:vram=256M");
	is_str(sov_last_error(), "", "sov_last_error is empty before the first failure");
	MUST(sov_device_open(0, &device));
	handles();
	reuse();
	structures();
	results();
	return tap_done();
}
