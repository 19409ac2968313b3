// SPDX-License-Identifier: MIT
/*
 * The three copy methods. Inline: the data is part of the commands. Kernel: the library's own copy
 * kernels, compiled when a context first needs them. Engine: the copy queue. copy.c chooses by size
 * and direction.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/kernels/memory_kernels.h"
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/base/minmax.h"
#include "libsov/runtime/copy/copy_method.h"
#include "libsov/runtime/module/launch.h"
#include "libsov/runtime/trace/trace_ring.h"

#define MAX_BLOCKS 0x7fffffffu

sov_result copy_inline(struct stream *s, uint64_t to, const void *data, uint32_t bytes,
		       uint64_t *seqno)
{
	struct slot slot;
	sov_result r;

	trace_expect_bytes(bytes);
	r = stream_begin(s, ENGINE_COMPUTE, WORK_COPY, &slot);
	if (r)
		return r;
	s->member.context->gpu->write_inline(&slot.push, to, data, bytes);
	*seqno = slot.seqno;
	stream_submit(s, &slot);
	LOG(COPY, DEBUG, "%u bytes to 0x%llx inline", bytes, (unsigned long long)to);
	return SOV_OK;
}

/* ---- by kernel ---- */

struct copy_kernels {
	sov_module module;
	sov_function copy, copy_words, fill;
};

static sov_result copy_kernels_load(struct context *c, struct copy_kernels *k)
{
	sov_context handle = object_handle(&c->object);
	char *messages = strdup(sov_module_messages()); /* of the program's own last load */
	sov_result r;

	r = api_module_load(handle, memory_kernels, strlen(memory_kernels), NULL, &k->module);
	module_messages_set(messages);
	if (r)
		return r;
	r = api_module_get_function(k->module, "sov_copy", &k->copy);
	if (!r)
		r = api_module_get_function(k->module, "sov_copy_words", &k->copy_words);
	if (!r)
		r = api_module_get_function(k->module, "sov_fill", &k->fill);
	if (r)
		api_module_unload(k->module);
	return r;
}

/* Several threads may load the kernels at the same time; the first one's are kept. */
static sov_result copy_kernels_need(struct context *c, const struct copy_kernels **out)
{
	struct copy_kernels *k;
	sov_result r;
	bool lost;

	*out = __atomic_load_n(&c->copy_kernels, __ATOMIC_ACQUIRE);
	if (*out)
		return SOV_OK;
	k = calloc(1, sizeof(*k));
	if (!k)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a module");
	r = copy_kernels_load(c, k);
	if (r) {
		free(k);
		return r;
	}
	pthread_mutex_lock(&c->lock);
	lost = c->copy_kernels;
	if (!lost)
		__atomic_store_n(&c->copy_kernels, k, __ATOMIC_RELEASE);
	*out = c->copy_kernels;
	pthread_mutex_unlock(&c->lock);
	if (lost) {
		api_module_unload(k->module);
		free(k);
	}
	return SOV_OK;
}

static void copy_kernels_destroy(struct context *c)
{
	free(c->copy_kernels);
}

const struct context_part copy_kernels_part = {.destroy = copy_kernels_destroy};

/* A range split into bytes before the first aligned unit, units, and remaining bytes. */
struct unit_split {
	uint32_t head, tail;
	uint64_t units;
};

static struct unit_split split_units(uint64_t to, uint64_t bytes, uint32_t unit)
{
	uint64_t head = min_u64(-to % unit, bytes);

	return (struct unit_split){
		.head = (uint32_t)head,
		.units = (bytes - head) / unit,
		.tail = (uint32_t)((bytes - head) % unit),
	};
}

static sov_result copy_kernel_launch(struct stream *s, sov_function handle,
				     const struct unit_split *u, const void *const *arguments,
				     uint64_t *seqno)
{
	struct function *f = object_get(handle, OBJECT_FUNCTION);
	uint64_t blocks = (u->units + MEMORY_THREADS - 1) / MEMORY_THREADS;
	sov_launch l = SOV_INIT(sov_launch);
	struct doorbell doorbell = {0};
	sov_result r;

	if (!f)
		return SOV_ERROR_INVALID_HANDLE;
	l.grid[0] = blocks ? (uint32_t)blocks : 1;
	l.block[0] = MEMORY_THREADS;
	l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 5;
	r = function_submit(f, &l, s, seqno, &doorbell);
	object_put(&f->member.object);
	doorbell_ring(doorbell);
	return r;
}

static sov_result copy_with_kernel(struct stream *s, uint64_t to, uint64_t from, uint64_t bytes,
				   uint64_t *seqno)
{
	const struct copy_kernels *k;
	uint32_t unit = (to - from) % MEMORY_UNIT ? MEMORY_WORD : MEMORY_UNIT;
	sov_result r = copy_kernels_need(s->member.context, &k);
	uint64_t n;

	for (; !r && bytes; to += n, from += n, bytes -= n) {
		struct unit_split u;
		const void *arguments[] = {&to, &from, &u.head, &u.units, &u.tail};

		n = min_u64(bytes, (uint64_t)MAX_BLOCKS * MEMORY_THREADS * unit);
		u = split_units(to, n, unit);
		trace_expect_bytes(n);
		r = copy_kernel_launch(s, unit == MEMORY_UNIT ? k->copy : k->copy_words, &u,
				       arguments, seqno);
	}
	return r;
}

static sov_result fill_with_kernel(struct stream *s, uint64_t to, uint32_t word, uint64_t bytes,
				   uint64_t *seqno)
{
	const struct copy_kernels *k;
	sov_result r = copy_kernels_need(s->member.context, &k);
	uint64_t n;

	for (; !r && bytes; to += n, bytes -= n) {
		struct unit_split u;
		const void *arguments[] = {&to, &u.head, &u.units, &u.tail, &word};

		n = min_u64(bytes, (uint64_t)MAX_BLOCKS * MEMORY_BLOCK);
		u = split_units(to, n, MEMORY_UNIT);
		trace_expect_bytes(n);
		r = copy_kernel_launch(s, k->fill, &u, arguments, seqno);
	}
	return r;
}

/* ---- by engine ---- */

static sov_result copy_with_engine(struct stream *s, uint64_t to, uint64_t from, uint64_t bytes,
				   uint64_t *seqno)
{
	const struct gpu *gpu = s->member.context->gpu;
	struct slot slot;
	sov_result r = SOV_OK;
	uint64_t n;

	for (; bytes; to += n, from += n, bytes -= n) {
		n = min_u64(bytes, gpu->max_copy_bytes);
		trace_expect_bytes(n);
		r = stream_begin(s, ENGINE_COPY, WORK_COPY, &slot);
		if (r)
			break;
		gpu->copy(&slot.push, to, from, n, s->done->va, (uint32_t)slot.seqno);
		*seqno = slot.seqno;
		stream_submit(s, &slot);
	}
	return r;
}

static sov_result fill_with_engine(struct stream *s, uint64_t to, uint32_t word,
				   uint32_t element_bytes, uint64_t bytes, uint64_t *seqno)
{
	const struct gpu *gpu = s->member.context->gpu;
	struct slot slot;
	sov_result r = SOV_OK;
	uint64_t n;

	for (; bytes; to += n, bytes -= n) {
		n = min_u64(bytes, gpu->max_fill_bytes);
		trace_expect_bytes(n);
		r = stream_begin(s, ENGINE_COPY, WORK_COPY, &slot);
		if (r)
			break;
		gpu->fill(&slot.push, to, word, element_bytes, n, s->done->va,
			  (uint32_t)slot.seqno);
		*seqno = slot.seqno;
		stream_submit(s, &slot);
	}
	return r;
}

/* ---- dispatch ---- */

bool copy_method_fits(const struct gpu *gpu, enum copy_method method, uint64_t to, uint64_t from,
		      uint64_t bytes)
{
	switch (method) {
	case COPY_INLINE:
		return bytes <= gpu->max_inline_bytes && (to | bytes) % gpu->inline_align == 0;
	case COPY_KERNEL: /* both sides must have the same alignment */
		return (to - from) % MEMORY_WORD == 0;
	default:
		return true;
	}
}

sov_result copy_by(struct stream *s, enum copy_method method, uint64_t to, uint64_t from,
		   uint64_t bytes, uint64_t *seqno)
{
	LOG(COPY, DEBUG, "%llu bytes to 0x%llx from 0x%llx by %s", (unsigned long long)bytes,
	    (unsigned long long)to, (unsigned long long)from,
	    method == COPY_KERNEL ? "kernel" : "engine");
	return method == COPY_KERNEL ? copy_with_kernel(s, to, from, bytes, seqno)
				     : copy_with_engine(s, to, from, bytes, seqno);
}

sov_result fill_by(struct stream *s, enum copy_method method, uint64_t to, uint32_t value,
		   uint32_t element_bytes, uint64_t bytes, uint64_t *seqno)
{
	uint32_t word = element_bytes == 1   ? (value & 0xff) * 0x01010101u
			: element_bytes == 2 ? (value & 0xffff) * 0x00010001u
					     : value;

	trace_expect_work(TRACE_FILL);
	LOG(COPY, DEBUG, "%llu bytes at 0x%llx filled by %s", (unsigned long long)bytes,
	    (unsigned long long)to, method == COPY_KERNEL ? "kernel" : "engine");
	return method == COPY_KERNEL ? fill_with_kernel(s, to, word, bytes, seqno)
				     : fill_with_engine(s, to, word, element_bytes, bytes, seqno);
}
