// SPDX-License-Identifier: MIT
/*
 * The public functions of libsov. Each is generated from its row in api_calls.h: it calls its
 * implementation directly unless the call log (SOV_LOG=call) or the trace (SOV_TRACE) observes
 * calls.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/call_info.h"
#include "libsov/runtime/base/call_observers.h"
#include "libsov/runtime/base/clock.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/trace/trace_ring.h"
#include "libsov/sov.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
typedef unsigned long long ull;

/* ---- the call log ---- */

struct line {
	char text[768];
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void line_add(struct line *l, const char *fmt, ...)
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

static void line_add_launch(struct line *l, const char *name, const sov_launch *s)
{
	/* Another version of the structure may lack members. */
	if (!s || s->size != sizeof(*s))
		line_add(l, "%s=%p", name, (const void *)s);
	else
		line_add(l, "%s={grid %u,%u,%u block %u,%u,%u shared %u stream %p arguments %u}",
			 name, s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1],
			 s->block[2], s->shared_bytes, (void *)s->stream, s->argument_count);
}

static void line_add_rect(struct line *l, const char *name, const sov_copy_rect *b)
{
	if (!b || b->size != sizeof(*b))
		line_add(l, "%s=%p", name, (const void *)b);
	else
		line_add(l, "%s={%llu x %llu x %llu to 0x%llx from 0x%llx}", name,
			 (ull)b->width_bytes, (ull)b->height, (ull)b->depth, (ull)b->destination,
			 (ull)b->source);
}

/* answered: the call has written its results. */
static void line_add_argument(struct line *l, const struct argument_info *a, uint64_t value,
			      bool answered)
{
	const void *at = (const void *)(uintptr_t)value;

	switch (a->kind) {
	case ARGUMENT_NUMBER:
		line_add(l, "%s=%llu", a->name, (ull)value);
		return;
	case ARGUMENT_SIGNED:
		line_add(l, "%s=%lld", a->name, (long long)value);
		return;
	case ARGUMENT_TEXT:
		line_add(l, at ? "%s=\"%.200s\"" : "%s=NULL", a->name, (const char *)at);
		return;
	case ARGUMENT_LAUNCH:
		line_add_launch(l, a->name, at);
		return;
	case ARGUMENT_COPY_RECT:
		line_add_rect(l, a->name, at);
		return;
	case ARGUMENT_OUT_ADDRESS:
		if (answered && at)
			line_add(l, "*%s=0x%llx", a->name, (ull) * (const uint64_t *)at);
		else
			line_add(l, "%s=%p", a->name, at);
		return;
	case ARGUMENT_OUT_NUMBER:
	case ARGUMENT_OUT_WORD:
		if (answered && at)
			line_add(l, "*%s=%llu", a->name,
				 a->kind == ARGUMENT_OUT_WORD ? *(const uint32_t *)at
							      : (ull) * (const uint64_t *)at);
		else
			line_add(l, "%s=%p", a->name, at);
		return;
	case ARGUMENT_OUT_SIGNED:
		if (answered && at)
			line_add(l, "*%s=%d", a->name, *(const int32_t *)at);
		else
			line_add(l, "%s=%p", a->name, at);
		return;
	default:
		line_add(l, "%s=0x%llx", a->name, (ull)value);
	}
}

static void log_call(const struct call_info *call, const uint64_t *values, uint64_t ns,
		     sov_result r)
{
	struct line l = {.used = 0};
	uint32_t i;

	for (i = 0; i < call->count; i++) {
		line_add(&l, i ? ", " : "");
		line_add_argument(&l, &call->arguments[i], values[i], !r);
	}
	log_line(LOG_CALL, "%s(%s) = %s, %llu.%03llu us", call->name, l.text, sov_result_name(r),
		 (ull)(ns / 1000), (ull)(ns % 1000));
}

/* ---- observed calls ---- */

static uint64_t call_begin(void)
{
	trace_expect_bytes(0); /* what an earlier call announced and did not submit */
	return now_ns();
}

static sov_result call_end(const struct call_info *call, const uint64_t *values, uint64_t from,
			   sov_result r)
{
	uint64_t to = now_ns();

	if (tracing())
		trace_call(call, values, from, to, r);
	if (log_wanted(LOG_CALL, LOG_DEBUG))
		log_call(call, values, to - from, r);
	return r;
}

/* ---- public functions ---- */

#define CALL_NAME(type, name, kind)  name
#define CALL_INFO(type, name, kind)  {#name, ARGUMENT_##kind}
#define CALL_VALUE(type, name, kind) (uint64_t)(uintptr_t)(name)

#define CALL(call, ...) \
	static const struct argument_info call##_arguments[] = { \
		CALL_EACH(CALL_INFO, __VA_ARGS__)}; \
	static const struct call_info call##_info = {"sov_" #call, COUNT(call##_arguments), \
						     call##_arguments}; \
	static_assert(COUNT(call##_arguments) <= CALL_MAX_ARGUMENTS, "fits a trace event"); \
	sov_result sov_##call(CALL_PARAMETERS(__VA_ARGS__)) \
	{ \
		if (!calls_observed()) \
			return api_##call(CALL_EACH(CALL_NAME, __VA_ARGS__)); \
		const uint64_t values_[] = {CALL_EACH(CALL_VALUE, __VA_ARGS__)}; \
		const uint64_t from_ = call_begin(); \
		return call_end(&call##_info, values_, from_, \
				api_##call(CALL_EACH(CALL_NAME, __VA_ARGS__))); \
	}

#include "libsov/runtime/base/api_calls.h"
