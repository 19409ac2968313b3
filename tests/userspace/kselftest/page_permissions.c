/* SPDX-License-Identifier: MIT */
/*
 * What a mapping allows is what the device can do there: a page that was mapped to be read cannot be written, by
 * whichever engine, and one that is not mapped any more cannot be reached. Each try ends the queue that made it and
 * leaves memory as it was.
 */
#include "tests/userspace/kselftest/queue.h"

#define PAGES  (2 * GIB) /* where the other buffer is mapped */
#define BYTES  (256 * KIB)
#define TO     MIB
#define CANARY 0x5a

enum { READ_ONLY = DRM_SOVGPU_VM_MAP_READONLY };

/* Runs a stream and waits for its end; the queue's state. */
static struct drm_sovgpu_queue_state run(struct machine *m, struct stream *s)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};
	struct drm_sovgpu_job job = job_of(m, s);

	if (submit(m->fd, m->queue, &job, 1, &done, 1) || wait_for(m->fd, done.handle, 0, 60))
		return (struct drm_sovgpu_queue_state){.state = UINT32_MAX};
	return queue_state(m->fd, m->queue);
}

static void copies_to(struct stream *s, uint64_t va)
{
	add_copy(s, va, BUFFER_VA, 4096);
}

static void copies_from(struct stream *s, uint64_t va)
{
	add_copy(s, BUFFER_VA + TO, va, 4096);
}

static void releases(struct stream *s, uint64_t va)
{
	add_release(s, va, 1);
}

static const struct
try {
	const char *what;
	void (*write)(struct stream * s, uint64_t va);
	uint32_t queue_class, flags;
	bool unmap, allowed;
}
tries[] = {
	{"a copy into a page", copies_to, COPY, 0, false, true},
	{"a copy from a page that is read-only", copies_from, COPY, READ_ONLY, false, true},
	{"a copy into one that is read-only", copies_to, COPY, READ_ONLY, false, false},
	{"the same on a queue for computing", copies_to, COMPUTE, READ_ONLY, false, false},
	{"a semaphore in a page that is read-only", releases, COPY, READ_ONLY, false, false},
	{"a copy from a page that was unmapped", copies_from, COPY, 0, true, false},
	{"a copy into a page that was unmapped", copies_to, COPY, 0, true, false},
	{"a copy into the driver's own addresses", NULL, COPY, 0, false, false},
};

static bool all(const uint8_t *p, uint64_t bytes, uint8_t value)
{
	for (uint64_t i = 0; i < bytes; i++)
		if (p[i] != value)
			return false;
	return true;
}

static void attempt(const struct try *t, uint32_t region)
{
	const char *where = region == VRAM ? "video memory" : "system memory";
	struct drm_sovgpu_vm_bind_op op = {.va = PAGES, .size = BYTES, .flags = t->flags};
	uint64_t target = t->write ? PAGES : 64 * KIB;
	struct machine m;
	uint8_t *pages;

	if (!machine_open(&m, t->queue_class))
		return;
	struct stream s = at(&m, 2 * MIB);

	create(m.fd, region, BYTES, MAPPABLE, &op.handle);
	pages = map(m.fd, op.handle, BYTES);
	if (!ok(pages != MAP_FAILED && !vm_bind(m.fd, m.vm, &op, 1, NULL), "%s is mapped", where))
		return;
	memset(pages, CANARY, BYTES);
	memset(m.memory, 1, 4096);
	if (t->unmap) { /* after the device has been there, and may remember it */
		struct stream before = at(&m, 3 * MIB);

		copies_from(&before, PAGES);
		ok(run(&m, &before).state == DRM_SOVGPU_QUEUE_STATE_USABLE, "%s: is reached first",
		   where);
		memset(m.memory + TO, 0, 4096);
		vm_unmap(m.fd, m.vm, PAGES, BYTES);
	}
	(t->write ? t->write : copies_to)(&s, target);
	struct drm_sovgpu_queue_state state = run(&m, &s);
	uint32_t want = t->allowed ? DRM_SOVGPU_QUEUE_STATE_USABLE : DRM_SOVGPU_QUEUE_STATE_FAULTED;

	if (!ok(state.state == want && (t->allowed || state.fault_address / 4096 == target / 4096),
		"%s: %s is %s", where, t->what, t->allowed ? "done" : "a fault at its address"))
		diag("state %u, code %u, address 0x%llx", state.state, state.fault_code,
		     (unsigned long long)state.fault_address);
	if (!t->allowed)
		ok(all(pages, BYTES, CANARY) && all(m.memory + TO, 4096, 0),
		   "%s: and nothing changes hands", where);
	else if (t->flags & READ_ONLY)
		ok(all(m.memory + TO, 4096, CANARY), "%s: with the right bytes", where);
	else
		ok(all(pages, 4096, 1), "%s: with the right bytes", where);
	munmap(pages, BYTES);
	machine_close(&m);
}

int main(void)
{
	for (size_t i = 0; i < COUNT(tries); i++) {
		attempt(&tries[i], SYSTEM);
		attempt(&tries[i], VRAM);
	}
	return tap_done();
}
