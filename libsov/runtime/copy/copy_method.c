/* SPDX-License-Identifier: MIT */
/*
 * Three ways to move bytes between memory that the GPU reaches. Inline: the bytes are part of the
 * words that the queue reads. Kernel: one of our own, compiled for the device when a context first needs it. Engine:
 * the copy engine's queue. What is fastest depends on size and direction, and is for copy.c to say.
 */
#include <string.h>
#include "libsov/kernels/memory_kernels.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/runtime.h"
#include "libsov/runtime/trace/trace.h"

#define MAX_BLOCKS 0x7fffffffu

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

sov_result way_inline(struct stream *s, uint64_t to, const void *data, uint32_t bytes,
		      uint64_t *number)
{
	struct slot slot;
	sov_result r;

	trace_bytes(bytes);
	r = stream_begin(s, ENGINE_COMPUTE, WORK_COPY, &slot);
	if (r)
		return r;
	s->member.context->gpu->write_inline(&slot.push, to, data, bytes);
	*number = slot.number;
	stream_submit(s, &slot);
	LOG(COPY, DEBUG, "%u bytes to 0x%llx in the methods", bytes, (unsigned long long)to);
	return SOV_OK;
}

/* ---- by kernel ---- */

/* Loads the kernels into the context; several threads may try, one module stays. */
static sov_result need_kernels(struct context *c)
{
	sov_context handle = object_handle(&c->object);
	sov_function copy = NULL, words = NULL, fill = NULL;
	sov_module module;
	char *messages;
	sov_result r;
	bool lost;

	if (__atomic_load_n(&c->kernels.module, __ATOMIC_ACQUIRE))
		return SOV_OK;
	messages = strdup(sov_module_messages()); /* the user's, of a load of his own */
	r = sov_module_load(handle, memory_kernels, strlen(memory_kernels), NULL, &module);
	module_messages_set(messages);
	if (r)
		return r;
	r = sov_module_get_function(module, "sov_copy", &copy);
	if (!r)
		r = sov_module_get_function(module, "sov_copy_words", &words);
	if (!r)
		r = sov_module_get_function(module, "sov_fill", &fill);
	pthread_mutex_lock(&c->lock);
	lost = r || c->kernels.module;
	if (!lost) {
		c->kernels.copy = copy;
		c->kernels.copy_words = words;
		c->kernels.fill = fill;
		__atomic_store_n(&c->kernels.module, module, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&c->lock);
	if (lost)
		sov_module_unload(module);
	return r;
}

/* How a range is cut: odd bytes before the first whole unit, units, odd bytes behind. */
struct cut {
	uint32_t head, tail;
	uint64_t units;
};

static struct cut cut(uint64_t to, uint64_t bytes, uint32_t unit)
{
	uint64_t head = smaller(-to % unit, bytes);

	return (struct cut){
		.head = (uint32_t)head,
		.units = (bytes - head) / unit,
		.tail = (uint32_t)((bytes - head) % unit),
	};
}

static sov_result launch(struct stream *s, sov_function handle, const struct cut *k,
			 const void *const *arguments, uint64_t *number)
{
	struct function *f = object_get(handle, OBJECT_FUNCTION);
	uint64_t blocks = (k->units + MEMORY_THREADS - 1) / MEMORY_THREADS;
	sov_launch l = SOV_INIT(sov_launch);
	struct bell bell = {0};
	sov_result r;

	if (!f)
		return SOV_ERROR_INVALID_HANDLE;
	l.grid[0] = blocks ? (uint32_t)blocks : 1;
	l.block[0] = MEMORY_THREADS;
	l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 5;
	r = function_submit(f, &l, s, number, &bell);
	object_put(&f->member.object);
	bell_ring(bell);
	return r;
}

static sov_result kernel_copy(struct stream *s, uint64_t to, uint64_t from, uint64_t bytes,
			      uint64_t *number)
{
	struct context *c = s->member.context;
	uint32_t unit = (to - from) % MEMORY_UNIT ? MEMORY_WORD : MEMORY_UNIT;
	sov_result r = need_kernels(c);
	uint64_t n;

	for (; !r && bytes; to += n, from += n, bytes -= n) {
		struct cut k;
		const void *arguments[] = {&to, &from, &k.head, &k.units, &k.tail};

		n = smaller(bytes, (uint64_t)MAX_BLOCKS * MEMORY_THREADS * unit);
		k = cut(to, n, unit);
		trace_bytes(n);
		r = launch(s, unit == MEMORY_UNIT ? c->kernels.copy : c->kernels.copy_words, &k,
			   arguments, number);
	}
	return r;
}

static sov_result kernel_fill(struct stream *s, uint64_t to, uint32_t word, uint64_t bytes,
			      uint64_t *number)
{
	struct context *c = s->member.context;
	sov_result r = need_kernels(c);
	uint64_t n;

	for (; !r && bytes; to += n, bytes -= n) {
		struct cut k;
		const void *arguments[] = {&to, &k.head, &k.units, &k.tail, &word};

		n = smaller(bytes, (uint64_t)MAX_BLOCKS * MEMORY_BLOCK);
		k = cut(to, n, MEMORY_UNIT);
		trace_bytes(n);
		r = launch(s, c->kernels.fill, &k, arguments, number);
	}
	return r;
}

/* ---- by engine ---- */

static sov_result engine_copy(struct stream *s, uint64_t to, uint64_t from, uint64_t bytes,
			      uint64_t *number)
{
	const struct gpu *gpu = s->member.context->gpu;
	struct slot slot;
	sov_result r = SOV_OK;
	uint64_t n;

	for (; bytes; to += n, from += n, bytes -= n) {
		n = smaller(bytes, gpu->max_copy_bytes);
		trace_bytes(n);
		r = stream_begin(s, ENGINE_COPY, WORK_COPY, &slot);
		if (r)
			break;
		gpu->copy(&slot.push, to, from, n, s->done->va, (uint32_t)slot.number);
		*number = slot.number;
		stream_submit(s, &slot);
	}
	return r;
}

static sov_result engine_fill(struct stream *s, uint64_t to, uint32_t word, uint32_t element_bytes,
			      uint64_t bytes, uint64_t *number)
{
	const struct gpu *gpu = s->member.context->gpu;
	struct slot slot;
	sov_result r = SOV_OK;
	uint64_t n;

	for (; bytes; to += n, bytes -= n) {
		n = smaller(bytes, gpu->max_copy_bytes);
		trace_bytes(n);
		r = stream_begin(s, ENGINE_COPY, WORK_COPY, &slot);
		if (r)
			break;
		gpu->fill(&slot.push, to, word, element_bytes, n, s->done->va,
			  (uint32_t)slot.number);
		*number = slot.number;
		stream_submit(s, &slot);
	}
	return r;
}

/* ---- all ---- */

bool way_fits(const struct gpu *gpu, enum way way, uint64_t to, uint64_t from, uint64_t bytes)
{
	switch (way) {
	case WAY_INLINE:
		return bytes <= gpu->max_inline_bytes && (to | bytes) % gpu->inline_align == 0;
	case WAY_KERNEL: /* units are aligned on both sides or on none */
		return (to - from) % MEMORY_WORD == 0;
	default:
		return true;
	}
}

sov_result way_copy(struct stream *s, enum way way, uint64_t to, uint64_t from, uint64_t bytes,
		    uint64_t *number)
{
	LOG(COPY, DEBUG, "%llu bytes to 0x%llx from 0x%llx by %s", (unsigned long long)bytes,
	    (unsigned long long)to, (unsigned long long)from,
	    way == WAY_KERNEL ? "kernel" : "engine");
	return way == WAY_KERNEL ? kernel_copy(s, to, from, bytes, number)
				 : engine_copy(s, to, from, bytes, number);
}

sov_result way_fill(struct stream *s, enum way way, uint64_t to, uint32_t value,
		    uint32_t element_bytes, uint64_t bytes, uint64_t *number)
{
	uint32_t word = element_bytes == 1   ? (value & 0xff) * 0x01010101u
			: element_bytes == 2 ? (value & 0xffff) * 0x00010001u
					     : value;

	trace_direction(TRACE_FILL);
	LOG(COPY, DEBUG, "%llu bytes at 0x%llx filled by %s", (unsigned long long)bytes,
	    (unsigned long long)to, way == WAY_KERNEL ? "kernel" : "engine");
	return way == WAY_KERNEL ? kernel_fill(s, to, word, bytes, number)
				 : engine_fill(s, to, word, element_bytes, bytes, number);
}
