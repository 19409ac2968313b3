/* SPDX-License-Identifier: MIT */
/*
 * The calls of sov.h, as programs make them. Each is one row: its name and its arguments, with
 * their types and what they mean to a reader. Of a row are made the call itself, which goes
 * straight on to the library's own function of that name (inner.h) unless somebody watches, and the
 * description by which the log prints it and the trace keeps it.
 */
#include <stdio.h>
#include "libsov/sov.h" /* before all others: here the calls have their public names */
#include "libsov/runtime/api.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/runtime.h"
#include "libsov/runtime/trace/trace.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
typedef unsigned long long ull;

/* Not 0: somebody watches, or the environment has not been read, which the first call that needs a
 * device does: only after it is known whether it was to be watched. */
static uint8_t watched = 1;

static inline bool unwatched(void)
{
	return __builtin_expect(!__atomic_load_n(&watched, __ATOMIC_RELAXED), 1);
}

void api_watch(void)
{
	__atomic_store_n(&watched, log_wanted(LOG_CALL, LOG_DEBUG) || tracing(), __ATOMIC_RELAXED);
}

/* ---- the log ---- */

struct line {
	char text[768];
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->text + l->used, sizeof(l->text) - l->used, fmt, ap);
	va_end(ap);
	l->used += n > 0 ? (size_t)n : 0;
	if (l->used >= sizeof(l->text))
		l->used = sizeof(l->text) - 1;
}

static void add_launch(struct line *l, const char *name, const sov_launch *s)
{
	/* One of another size may lack members. */
	if (!s || s->size != sizeof(*s))
		add(l, "%s=%p", name, (const void *)s);
	else
		add(l, "%s={grid %u,%u,%u block %u,%u,%u shared %u stream %p arguments %u}", name,
		    s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1], s->block[2],
		    s->shared_bytes, (void *)s->stream, s->argument_count);
}

static void add_box(struct line *l, const char *name, const sov_copy_rect *b)
{
	if (!b || b->size != sizeof(*b))
		add(l, "%s=%p", name, (const void *)b);
	else
		add(l, "%s={%llu x %llu x %llu to 0x%llx from 0x%llx}", name, (ull)b->width_bytes,
		    (ull)b->height, (ull)b->depth, (ull)b->destination, (ull)b->source);
}

/* answered: what the argument points at has been written. */
static void add_argument(struct line *l, const struct api_argument *a, uint64_t value,
			 bool answered)
{
	const void *at = (const void *)(uintptr_t)value;

	switch (a->kind) {
	case API_NUMBER:
		add(l, "%s=%llu", a->name, (ull)value);
		return;
	case API_SIGNED:
		add(l, "%s=%lld", a->name, (long long)value);
		return;
	case API_TEXT:
		add(l, at ? "%s=\"%.200s\"" : "%s=NULL", a->name, (const char *)at);
		return;
	case API_LAUNCH:
		add_launch(l, a->name, at);
		return;
	case API_BOX:
		add_box(l, a->name, at);
		return;
	case API_OUT_ADDRESS:
		if (answered && at)
			add(l, "*%s=0x%llx", a->name, (ull) * (const uint64_t *)at);
		else
			add(l, "%s=%p", a->name, at);
		return;
	case API_OUT_NUMBER:
	case API_OUT_WORD:
		if (answered && at)
			add(l, "*%s=%llu", a->name,
			    a->kind == API_OUT_WORD ? *(const uint32_t *)at
						    : (ull) * (const uint64_t *)at);
		else
			add(l, "%s=%p", a->name, at);
		return;
	case API_OUT_SIGNED:
		if (answered && at)
			add(l, "*%s=%d", a->name, *(const int32_t *)at);
		else
			add(l, "%s=%p", a->name, at);
		return;
	default:
		add(l, "%s=0x%llx", a->name, (ull)value);
	}
}

static void log_call(const struct api_call *call, const uint64_t *values, uint64_t ns, sov_result r)
{
	struct line l = {.used = 0};
	uint32_t i;

	for (i = 0; i < call->count; i++) {
		add(&l, i ? ", " : "");
		add_argument(&l, &call->arguments[i], values[i], !r);
	}
	log_line(LOG_CALL, "%s(%s) = %s, %llu.%03llu us", call->name, l.text, sov_result_name(r),
		 (ull)(ns / 1000), (ull)(ns % 1000));
}

/* ---- around each call ---- */

static uint64_t begin(void)
{
	trace_bytes(0); /* what a call before expected and did not do */
	return now_ns();
}

static sov_result end(const struct api_call *call, const uint64_t *values, uint64_t from,
		      sov_result r)
{
	uint64_t to = now_ns();

	if (tracing())
		trace_call(call, values, from, to, r);
	if (log_wanted(LOG_CALL, LOG_DEBUG))
		log_call(call, values, to - from, r);
	return r;
}

/* ---- rows ---- */

/* m is applied to each of up to eight arguments, which are (type, name, kind). */
#define EACH_1(m, a)                          m a
#define EACH_2(m, a, ...)                     m a, EACH_1(m, __VA_ARGS__)
#define EACH_3(m, a, ...)                     m a, EACH_2(m, __VA_ARGS__)
#define EACH_4(m, a, ...)                     m a, EACH_3(m, __VA_ARGS__)
#define EACH_5(m, a, ...)                     m a, EACH_4(m, __VA_ARGS__)
#define EACH_6(m, a, ...)                     m a, EACH_5(m, __VA_ARGS__)
#define EACH_7(m, a, ...)                     m a, EACH_6(m, __VA_ARGS__)
#define EACH_8(m, a, ...)                     m a, EACH_7(m, __VA_ARGS__)
#define NINTH(a, b, c, d, e, f, g, h, i, ...) i
#define EACH(m, ...) \
	NINTH(__VA_ARGS__, EACH_8, EACH_7, EACH_6, EACH_5, EACH_4, EACH_3, EACH_2, EACH_1, 0) \
	(m, __VA_ARGS__)

#define PARAMETER(type, name, kind) type name
#define NAME(type, name, kind)      name
#define DESCRIPTION(type, name, kind) \
	{ \
#name, API_##kind \
	}
#define VALUE(type, name, kind) (uint64_t)(uintptr_t)(name)

#define CALL(call, ...) \
	sov_result inner_##call(EACH(PARAMETER, __VA_ARGS__)); \
	static const struct api_argument call##_arguments[] = {EACH(DESCRIPTION, __VA_ARGS__)}; \
	static const struct api_call call##_call = {"sov_" #call, COUNT(call##_arguments), \
						    call##_arguments}; \
	static_assert(COUNT(call##_arguments) <= API_MOST_ARGUMENTS, "the trace has room"); \
	sov_result sov_##call(EACH(PARAMETER, __VA_ARGS__)) \
	{ \
		if (unwatched()) \
			return inner_##call(EACH(NAME, __VA_ARGS__)); \
		const uint64_t values_[] = {EACH(VALUE, __VA_ARGS__)}, from_ = begin(); \
		return end(&call##_call, values_, from_, inner_##call(EACH(NAME, __VA_ARGS__))); \
	}

typedef void host_function(void *user);

CALL(device_count, (uint32_t *, count, OUT_WORD))
CALL(device_open, (uint32_t, ordinal, NUMBER), (sov_device *, device, OUT_ADDRESS))
CALL(device_open_name, (const char *, name, TEXT), (sov_device *, device, OUT_ADDRESS))
CALL(device_open_wish, (const sov_device_requirements *, wish, ADDRESS),
     (sov_device *, device, OUT_ADDRESS))
CALL(device_get_properties, (sov_device, device, ADDRESS),
     (sov_device_properties *, properties, ADDRESS))
CALL(context_create, (sov_device, device, ADDRESS), (const sov_context_options *, options, ADDRESS),
     (sov_context *, context, OUT_ADDRESS))
CALL(context_destroy, (sov_context, context, ADDRESS))
CALL(context_reset, (sov_context, context, ADDRESS))
CALL(context_status, (sov_context, context, ADDRESS))
CALL(context_wait, (sov_context, context, ADDRESS), (uint64_t, limit, NUMBER))
CALL(context_get_device, (sov_context, context, ADDRESS), (sov_device *, device, OUT_ADDRESS))
CALL(context_get_fault, (sov_context, context, ADDRESS), (sov_fault *, fault, ADDRESS))
CALL(memory_alloc, (sov_context, context, ADDRESS), (uint64_t, bytes, NUMBER),
     (sov_ptr *, address, OUT_ADDRESS))
CALL(memory_free, (sov_context, context, ADDRESS), (sov_ptr, address, ADDRESS))
CALL(memory_copy, (sov_context, context, ADDRESS), (sov_ptr, destination, ADDRESS),
     (sov_ptr, source, ADDRESS), (uint64_t, bytes, NUMBER))
CALL(memory_copy_async, (sov_stream, stream, ADDRESS), (sov_ptr, destination, ADDRESS),
     (sov_ptr, source, ADDRESS), (uint64_t, bytes, NUMBER))
CALL(memory_fill, (sov_context, context, ADDRESS), (sov_ptr, address, ADDRESS),
     (uint32_t, value, NUMBER), (uint32_t, element_bytes, NUMBER), (uint64_t, count, NUMBER))
CALL(memory_fill_async, (sov_stream, stream, ADDRESS), (sov_ptr, address, ADDRESS),
     (uint32_t, value, NUMBER), (uint32_t, element_bytes, NUMBER), (uint64_t, count, NUMBER))
CALL(memory_copy_box_async, (sov_stream, stream, ADDRESS), (const sov_copy_rect *, box, BOX))
CALL(memory_info, (sov_context, context, ADDRESS), (uint64_t *, free_bytes, OUT_NUMBER),
     (uint64_t *, total_bytes, OUT_NUMBER))
CALL(memory_range, (sov_context, context, ADDRESS), (sov_ptr, address, ADDRESS),
     (sov_ptr *, start, OUT_ADDRESS), (uint64_t *, bytes, OUT_NUMBER))
CALL(memory_reserve, (sov_context, context, ADDRESS), (uint64_t, max_bytes, NUMBER),
     (sov_ptr *, address, OUT_ADDRESS))
CALL(memory_resize, (sov_context, context, ADDRESS), (sov_ptr, address, ADDRESS),
     (uint64_t, bytes, NUMBER))
CALL(memory_alloc_async, (sov_stream, stream, ADDRESS), (uint64_t, bytes, NUMBER),
     (sov_ptr *, address, OUT_ADDRESS))
CALL(memory_free_async, (sov_stream, stream, ADDRESS), (sov_ptr, address, ADDRESS))
CALL(pool_trim, (sov_context, context, ADDRESS), (uint64_t, keep_bytes, NUMBER))
CALL(pool_set_limit, (sov_context, context, ADDRESS), (uint64_t, bytes, NUMBER))
CALL(pool_get_statistics, (sov_context, context, ADDRESS),
     (sov_pool_statistics *, statistics, ADDRESS))
CALL(host_alloc, (sov_context, context, ADDRESS), (uint64_t, bytes, NUMBER),
     (void **, pointer, OUT_ADDRESS))
CALL(host_free, (sov_context, context, ADDRESS), (void *, pointer, ADDRESS))
CALL(host_unregister, (sov_context, context, ADDRESS), (void *, pointer, ADDRESS))
CALL(host_register, (sov_context, context, ADDRESS), (void *, pointer, ADDRESS),
     (uint64_t, bytes, NUMBER))
CALL(module_load, (sov_context, context, ADDRESS), (const void *, data, ADDRESS),
     (size_t, bytes, NUMBER), (const sov_module_options *, options, ADDRESS),
     (sov_module *, module, OUT_ADDRESS))
CALL(module_unload, (sov_module, module, ADDRESS))
CALL(module_get_function, (sov_module, module, ADDRESS), (const char *, name, TEXT),
     (sov_function *, function, OUT_ADDRESS))
CALL(module_get_function_at, (sov_module, module, ADDRESS), (uint32_t, index, NUMBER),
     (sov_function *, function, OUT_ADDRESS))
CALL(module_get_variable, (sov_module, module, ADDRESS), (const char *, name, TEXT),
     (sov_ptr *, address, OUT_ADDRESS), (uint64_t *, bytes, OUT_NUMBER))
CALL(function_get_attributes, (sov_function, function, ADDRESS),
     (sov_function_attributes *, attributes, ADDRESS))
CALL(function_get_occupancy, (sov_function, function, ADDRESS), (uint32_t, threads, NUMBER),
     (uint32_t, shared_bytes, NUMBER), (uint32_t *, blocks, OUT_WORD))
CALL(function_get_parameter, (sov_function, function, ADDRESS), (uint32_t, index, NUMBER),
     (uint32_t *, offset, OUT_WORD), (uint32_t *, bytes, OUT_WORD))
CALL(stream_create, (sov_context, context, ADDRESS), (uint32_t, flags, NUMBER),
     (sov_stream *, stream, OUT_ADDRESS))
CALL(stream_create_with_priority, (sov_context, context, ADDRESS), (uint32_t, flags, NUMBER),
     (int32_t, priority, SIGNED), (sov_stream *, stream, OUT_ADDRESS))
CALL(stream_get_priority, (sov_stream, stream, ADDRESS), (int32_t *, priority, OUT_SIGNED))
CALL(stream_destroy, (sov_stream, stream, ADDRESS))
CALL(stream_wait, (sov_stream, stream, ADDRESS), (uint64_t, limit, NUMBER))
CALL(stream_wait_event, (sov_stream, stream, ADDRESS), (sov_event, event, ADDRESS))
CALL(context_get_stream, (sov_context, context, ADDRESS), (sov_stream *, stream, OUT_ADDRESS))
CALL(function_launch, (sov_function, function, ADDRESS), (const sov_launch *, launch, LAUNCH))
CALL(event_create, (sov_context, context, ADDRESS), (uint32_t, flags, NUMBER),
     (sov_event *, event, OUT_ADDRESS))
CALL(event_destroy, (sov_event, event, ADDRESS))
CALL(event_record, (sov_event, event, ADDRESS), (sov_stream, stream, ADDRESS))
CALL(event_wait, (sov_event, event, ADDRESS), (uint64_t, limit, NUMBER))
CALL(event_elapsed, (sov_event, from, ADDRESS), (sov_event, to, ADDRESS),
     (uint64_t *, nanoseconds, OUT_NUMBER))
CALL(stream_call, (sov_stream, stream, ADDRESS), (host_function *, function, ADDRESS),
     (void *, user, ADDRESS))
CALL(graph_create, (sov_context, context, ADDRESS), (uint32_t, flags, NUMBER),
     (sov_graph *, graph, OUT_ADDRESS))
CALL(graph_destroy, (sov_graph, graph, ADDRESS))
CALL(graph_add_kernel, (sov_graph, graph, ADDRESS), (const sov_node *, after, ADDRESS),
     (uint32_t, count, NUMBER), (sov_function, function, ADDRESS),
     (const sov_launch *, launch, LAUNCH), (sov_node *, node, OUT_WORD))
CALL(graph_add_copy, (sov_graph, graph, ADDRESS), (const sov_node *, after, ADDRESS),
     (uint32_t, count, NUMBER), (sov_ptr, destination, ADDRESS), (sov_ptr, source, ADDRESS),
     (uint64_t, bytes, NUMBER), (sov_node *, node, OUT_WORD))
CALL(graph_add_box, (sov_graph, graph, ADDRESS), (const sov_node *, after, ADDRESS),
     (uint32_t, count, NUMBER), (const sov_copy_rect *, box, BOX), (sov_node *, node, OUT_WORD))
CALL(graph_add_fill, (sov_graph, graph, ADDRESS), (const sov_node *, after, ADDRESS),
     (uint32_t, count, NUMBER), (sov_ptr, address, ADDRESS), (uint32_t, value, NUMBER),
     (uint32_t, element_bytes, NUMBER), (uint64_t, elements, NUMBER), (sov_node *, node, OUT_WORD))
CALL(graph_add_call, (sov_graph, graph, ADDRESS), (const sov_node *, after, ADDRESS),
     (uint32_t, count, NUMBER), (host_function *, function, ADDRESS), (void *, user, ADDRESS),
     (sov_node *, node, OUT_WORD))
CALL(graph_add_order, (sov_graph, graph, ADDRESS), (sov_node, from, NUMBER), (sov_node, to, NUMBER))
CALL(stream_begin_capture, (sov_stream, stream, ADDRESS), (sov_graph, graph, ADDRESS))
CALL(stream_end_capture, (sov_stream, stream, ADDRESS))
CALL(graph_instantiate, (sov_graph, graph, ADDRESS), (sov_graph_exec *, run, OUT_ADDRESS))
CALL(graph_run_destroy, (sov_graph_exec, run, ADDRESS))
CALL(graph_run_set_arguments, (sov_graph_exec, run, ADDRESS), (sov_node, node, NUMBER),
     (const void *const *, arguments, ADDRESS), (uint32_t, count, NUMBER))
CALL(graph_launch, (sov_graph_exec, run, ADDRESS), (sov_stream, stream, ADDRESS))
