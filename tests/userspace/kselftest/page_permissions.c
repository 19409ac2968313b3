// SPDX-License-Identifier: MIT
/*
 * GPU page permissions: no engine can write a page that was mapped read-only, nor reach one that
 * was unmapped. Each attempt stops the queue that made it and leaves memory unchanged.
 */
#include "tests/userspace/kselftest/queue.h"

#define PAGES_VA    (2 * GIB) /* GPU address of the buffer under test */
#define BYTES       (256 * KIB)
#define COPY_OFFSET MIB
#define CANARY      0x5a

enum { READ_ONLY = DRM_SOVGPU_VM_MAP_READONLY };

/* Runs a stream, waits for its fence and returns the queue's state. */
static struct drm_sovgpu_queue_state submit_and_wait(struct fixture *m, struct stream *s)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};
	struct drm_sovgpu_job job = stream_job(m, s);

	if (queue_submit(m->fd, m->queue, &job, 1, &done, 1) ||
	    syncobj_wait(m->fd, done.handle, 0, 60))
		return (struct drm_sovgpu_queue_state){.state = UINT32_MAX};
	return queue_state(m->fd, m->queue);
}

static void write_copy_to(struct stream *s, uint64_t va)
{
	stream_copy(s, va, BUFFER_VA, 4096);
}

static void write_copy_from(struct stream *s, uint64_t va)
{
	stream_copy(s, BUFFER_VA + COPY_OFFSET, va, 4096);
}

static void write_release(struct stream *s, uint64_t va)
{
	stream_release(s, va, 1);
}

static const struct access_case {
	const char *what;
	void (*write)(struct stream *s, uint64_t va);
	uint32_t queue_class, flags;
	bool unmap, allowed;
} cases[] = {
	{"a copy to a writable page", write_copy_to, COPY, 0, false, true},
	{"a copy from a read-only page", write_copy_from, COPY, READ_ONLY, false, true},
	{"a copy to a read-only page", write_copy_to, COPY, READ_ONLY, false, false},
	{"a copy to a read-only page on a compute queue", write_copy_to, COMPUTE, READ_ONLY, false,
	 false},
	{"a semaphore release in a read-only page", write_release, COPY, READ_ONLY, false, false},
	{"a copy from an unmapped page", write_copy_from, COPY, 0, true, false},
	{"a copy to an unmapped page", write_copy_to, COPY, 0, true, false},
	{"a copy to the driver's address range", NULL, COPY, 0, false, false},
};

static bool all_bytes_equal(const uint8_t *p, uint64_t bytes, uint8_t value)
{
	for (uint64_t i = 0; i < bytes; i++)
		if (p[i] != value)
			return false;
	return true;
}

static void test_access(const struct access_case *t, uint32_t region)
{
	const char *where = region == VRAM ? "VRAM" : "system memory";
	struct drm_sovgpu_vm_bind_op op = {.va = PAGES_VA, .size = BYTES, .flags = t->flags};
	uint64_t target = t->write ? PAGES_VA : 64 * KIB;
	struct fixture m;
	uint8_t *pages;

	if (!fixture_open(&m, t->queue_class))
		return;
	struct stream s = stream_at(&m, 2 * MIB);

	bo_create(m.fd, region, BYTES, MAPPABLE, &op.handle);
	pages = bo_map(m.fd, op.handle, BYTES);
	if (!ok(pages != MAP_FAILED && !vm_bind(m.fd, m.vm, &op, 1, NULL),
		"%s is mapped on CPU and GPU", where))
		return;
	memset(pages, CANARY, BYTES);
	memset(m.memory, 1, 4096);
	if (t->unmap) { /* after an access, so that the TLB may hold the translation */
		struct stream before = stream_at(&m, 3 * MIB);

		write_copy_from(&before, PAGES_VA);
		ok(submit_and_wait(&m, &before).state == DRM_SOVGPU_QUEUE_STATE_USABLE,
		   "%s: the page is accessible before it is unmapped", where);
		memset(m.memory + COPY_OFFSET, 0, 4096);
		vm_unmap(m.fd, m.vm, PAGES_VA, BYTES);
	}
	(t->write ? t->write : write_copy_to)(&s, target);
	struct drm_sovgpu_queue_state state = submit_and_wait(&m, &s);
	uint32_t want = t->allowed ? DRM_SOVGPU_QUEUE_STATE_USABLE : DRM_SOVGPU_QUEUE_STATE_FAULTED;

	if (!ok(state.state == want && (t->allowed || state.fault_address / 4096 == target / 4096),
		"%s: %s %s", where, t->what, t->allowed ? "succeeds" : "faults at its address"))
		diag("state %u, code %u, address 0x%llx", state.state, state.fault_code,
		     (unsigned long long)state.fault_address);
	if (!t->allowed)
		ok(all_bytes_equal(pages, BYTES, CANARY) &&
			   all_bytes_equal(m.memory + COPY_OFFSET, 4096, 0),
		   "%s: a faulting access changes no memory", where);
	else if (t->flags & READ_ONLY)
		ok(all_bytes_equal(m.memory + COPY_OFFSET, 4096, CANARY),
		   "%s: an allowed access transfers the right bytes", where);
	else
		ok(all_bytes_equal(pages, 4096, 1),
		   "%s: an allowed access transfers the right bytes", where);
	munmap(pages, BYTES);
	fixture_close(&m);
}

int main(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_access(&cases[i], SYSTEM);
		test_access(&cases[i], VRAM);
	}
	return tap_done();
}
