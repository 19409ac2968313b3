// SPDX-License-Identifier: MIT
/*
 * Handles. A handle is not a pointer: it packs slot, generation and kind, so that a destroyed or
 * forged handle is detected without touching freed memory. Each slot has one atomic word with its
 * generation, a bit that says whether the handle is valid, and a reference count; taking a
 * reference is one compare-and-swap. Slots are never unmapped, so any slot may be read.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/object.h"

#define MAX_OBJECTS (1u << 18)

/* State of a slot: generation in 63:32, valid in 31, references in 30:0. */
#define VALID         (1ull << 31)
#define GENERATION(s) ((uint32_t)((s) >> 32))
#define REFERENCES(s) ((uint32_t)(s) & 0x7fffffff)

/* Handle: generation in 63:32, slot in 31:8, kind in 7:0. */
#define HANDLE(generation, slot, kind) \
	((uint64_t)(generation) << 32 | (uint64_t)(slot) << 8 | (kind))

static struct slot_entry {
	_Atomic uint64_t state;
	struct object *object;
	uint32_t next_free;
} slots[MAX_OBJECTS];
static uint32_t slots_used = 1, free_slot; /* slot 0 is unused */
static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t inherited = 1; /* slots below it were in use in the parent process of a fork() */

static_assert(sizeof(void *) == sizeof(uint64_t), "handles need 64 bits");
static_assert(MAX_OBJECTS <= 1u << 24, "a handle has 24 bits for the slot");

static const char *const kind_names[OBJECT_KINDS] = {
	"nothing",  "a device", "a context",           "a module", "a function", "a stream",
	"an event", "a graph",  "an executable graph",
};

sov_result object_publish(struct object *o, enum object_kind kind, void (*destroy)(struct object *))
{
	uint64_t state;
	uint32_t slot;

	pthread_mutex_lock(&slots_lock);
	slot = free_slot;
	if (slot)
		free_slot = slots[slot].next_free;
	else if (slots_used < MAX_OBJECTS)
		slot = slots_used++;
	pthread_mutex_unlock(&slots_lock);
	if (!slot)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
				 "there are %u live objects already; destroy some",
				 MAX_OBJECTS - 1);
	o->kind = kind;
	o->slot = slot;
	o->destroy = destroy;
	slots[slot].object = o;
	state = atomic_load(&slots[slot].state);
	atomic_store(&slots[slot].state, (uint64_t)(GENERATION(state) + 1) << 32 | VALID | 1);
	return SOV_OK;
}

void *object_handle(const struct object *o)
{
	uint32_t generation = GENERATION(atomic_load(&slots[o->slot].state));

	return (void *)(uintptr_t)HANDLE(generation, o->slot, o->kind);
}

static void *set_handle_error(uint64_t handle, enum object_kind kind)
{
	uint32_t found = handle & 0xff, slot = (uint32_t)handle >> 8;

	if (!handle && kind == OBJECT_STREAM)
		set_error(SOV_ERROR_INVALID_HANDLE,
			  "the handle of a stream is NULL, and this call names no context whose "
			  "first stream that could be; sov_context_get_stream returns its handle");
	else if (!handle)
		set_error(SOV_ERROR_INVALID_HANDLE, "the handle of %s is NULL", kind_names[kind]);
	else if (!found || found >= OBJECT_KINDS || !slot || slot >= MAX_OBJECTS)
		set_error(SOV_ERROR_INVALID_HANDLE, "0x%llx was never the handle of %s",
			  (unsigned long long)handle, kind_names[kind]);
	else if (found != kind)
		set_error(SOV_ERROR_INVALID_HANDLE, "0x%llx is the handle of %s, not of %s",
			  (unsigned long long)handle, kind_names[found], kind_names[kind]);
	else if (slot < inherited && GENERATION(atomic_load(&slots[slot].state)) == handle >> 32)
		set_error(SOV_ERROR_INVALID_HANDLE,
			  "0x%llx is the handle of %s of the parent process, which a child of "
			  "fork() cannot use; open the device and create a context in this process",
			  (unsigned long long)handle, kind_names[kind]);
	else
		set_error(SOV_ERROR_INVALID_HANDLE,
			  "0x%llx was the handle of %s that was destroyed",
			  (unsigned long long)handle, kind_names[kind]);
	return NULL;
}

void *object_get(const void *pointer, enum object_kind kind)
{
	uint64_t handle = (uintptr_t)pointer, state;
	uint32_t slot = (uint32_t)handle >> 8;

	if ((handle & 0xff) != kind || slot >= MAX_OBJECTS)
		return set_handle_error(handle, kind);
	state = atomic_load(&slots[slot].state);
	do {
		if (GENERATION(state) != handle >> 32 || !(state & VALID))
			return set_handle_error(handle, kind);
	} while (!atomic_compare_exchange_weak(&slots[slot].state, &state, state + 1));
	/* A forged handle may refer to a live slot of another kind. */
	if (slots[slot].object->kind != kind) {
		object_put(slots[slot].object);
		return set_handle_error(handle, kind);
	}
	return slots[slot].object;
}

void object_reference(struct object *o)
{
	atomic_fetch_add(&slots[o->slot].state, 1);
}

void object_put(struct object *o)
{
	uint32_t slot = o->slot;

	if (REFERENCES(atomic_fetch_sub(&slots[slot].state, 1)) != 1)
		return;
	o->destroy(o);
	pthread_mutex_lock(&slots_lock);
	slots[slot].object = NULL;
	slots[slot].next_free = free_slot;
	free_slot = slot;
	pthread_mutex_unlock(&slots_lock);
}

bool object_retire(struct object *o)
{
	return atomic_fetch_and(&slots[o->slot].state, ~VALID) & VALID;
}

void objects_before_fork(void)
{
	pthread_mutex_lock(&slots_lock);
}

void objects_after_fork(bool is_child)
{
	if (is_child) {
		for (uint32_t i = 1; i < slots_used; i++)
			atomic_fetch_and(&slots[i].state, ~VALID);
		inherited = slots_used;
	}
	pthread_mutex_unlock(&slots_lock);
}
