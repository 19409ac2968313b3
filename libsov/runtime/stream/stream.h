/* SPDX-License-Identifier: MIT */
/* Streams: creation, lookup, capture. */
#ifndef SOV_STREAM_H
#define SOV_STREAM_H

#include "libsov/runtime/stream/submit.h"

struct function;
struct event;
struct copy_rect;

extern const struct context_part stream_part;

/* Looks up a stream of this context and takes a reference; NULL names its first stream. NULL after
 * set_error(). */
struct stream *stream_find(struct context *c, sov_stream handle);

/* With the context's lock held. */
sov_result stream_create(struct context *c, int32_t priority, struct stream **out);

/* The context's stream if it has only one, with a reference; NULL: it has more, or is being
 * destroyed. Without the context's lock. */
struct stream *stream_only(struct context *c);
/* The stream that alone has work, with a reference; NULL: none or several have, or it is being
 * destroyed. With the context's lock held. */
struct stream *stream_only_busy(struct context *c);

/* Takes space of the stream's staging ring and waits until it is free; with the ring's lock
 * held. */
sov_result stream_stage(struct stream *s, uint64_t align_as, uint64_t bytes,
			struct staging_range *out);

/* The stream of an entry of the context's list of streams. */
static inline struct stream *stream_of(struct list_head *l)
{
	return container_of(l, struct stream, member.link);
}

/*
 * Operations that record a stream's work as graph nodes while the stream is captured
 * (graph/capture.c). The context has one table of them: capture_ops.
 */
struct capture_ops {
	sov_result (*kernel)(struct stream *s, struct function *f, const sov_launch *l);
	sov_result (*copy)(struct stream *s, uint64_t destination, uint64_t source, uint64_t bytes);
	sov_result (*copy_rect)(struct stream *s, const struct copy_rect *r);
	sov_result (*fill)(struct stream *s, uint64_t address, uint32_t value,
			   uint32_t element_bytes, uint64_t count);
	sov_result (*host_function)(struct stream *s, void (*function)(void *user), void *user);
	sov_result (*record)(struct stream *s, struct event *e);
	/* The stream waits for an event that was recorded in a capture. */
	sov_result (*wait)(struct stream *s, struct event *e);
	/* The stream is being destroyed. Called without the lock. */
	void (*abandon)(struct stream *s);
};

static inline bool stream_captured(const struct stream *s)
{
	return __builtin_expect(atomic_load_explicit(&s->capturing, memory_order_relaxed), false);
}

/* The error of a call that waits for captured work. what: "the stream is" */
sov_result set_captured_error(const char *what);

static inline const struct capture_ops *stream_capture(const struct stream *s)
{
	return s->member.context->capture_ops;
}

#endif
