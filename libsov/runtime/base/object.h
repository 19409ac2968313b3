/* SPDX-License-Identifier: MIT */
/* Reference-counted objects behind the API's opaque handles. */
#ifndef SOV_OBJECT_H
#define SOV_OBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include "libsov/sov.h"

enum object_kind {
	OBJECT_NONE,
	OBJECT_DEVICE,
	OBJECT_CONTEXT,
	OBJECT_MODULE,
	OBJECT_FUNCTION,
	OBJECT_STREAM,
	OBJECT_EVENT,
	OBJECT_GRAPH,
	OBJECT_GRAPH_EXEC,
	OBJECT_KINDS
};

struct object {
	enum object_kind kind;
	uint32_t slot;
	void (*destroy)(struct object *o); /* called when the last reference is dropped */
};

/* Assigns a handle; the handle holds the first reference. */
sov_result object_publish(struct object *o, enum object_kind kind,
			  void (*destroy)(struct object *));
void *object_handle(const struct object *o);
/* Looks up a handle and takes a reference. NULL after set_error(). */
void *object_get(const void *handle, enum object_kind kind);
void object_reference(struct object *o);
void object_put(struct object *o);
/* Invalidates the handle and transfers its reference to the caller. false: it already was
 * invalid. */
bool object_retire(struct object *o);

/* Around fork(), by the thread that calls it. A child keeps the memory of inherited objects, but
 * their handles become invalid. */
void objects_before_fork(void);
void objects_after_fork(bool is_child);

#endif
