// SPDX-License-Identifier: MIT
/*
 * Memory is cleared between owners. One process fills memory with a pattern, in blocks of many
 * sizes, and releases it by one of several methods: closed, unmapped late, killed. The next process
 * allocates as much, in other block sizes, and must find zeros, by CPU reads and by the copy
 * engine. On a card with little VRAM that covers all of it, including former contexts, page tables
 * and USERD pages.
 */
#include <signal.h>
#include <sys/wait.h>

#include "tests/userspace/kselftest/user_queue.h"

#define SECRET     0xa5
#define MAX_BLOCKS 9000
#define UNTIL_FULL UINT64_MAX /* allocate until the card is full */
#define SMALL_CARD GIB
#define SAMPLE     (16 * MIB)
#define VA         (8 * GIB)

enum { CHECKED = 0x100000, STREAM = 0x10000 };

static const uint64_t sizes[] = {VRAM_PAGE, 2 * VRAM_PAGE,       3 * VRAM_PAGE, MIB,
				 2 * MIB,   2 * MIB + VRAM_PAGE, 5 * MIB,       8 * MIB};

struct block {
	uint32_t handle;
	uint64_t bytes;
};

/*
 * Allocates blocks of one size, or of all sizes in rotation (size 0), until `bytes` are reached or
 * allocation fails.
 */
static uint32_t allocate_blocks(int fd, uint32_t region, uint64_t size, uint64_t bytes,
				struct block *blocks)
{
	uint32_t n = 0;

	for (uint64_t allocated = 0; n < MAX_BLOCKS && allocated < bytes; n++) {
		struct block *p = &blocks[n];

		p->bytes = size ? size : sizes[n % COUNT(sizes)];
		if (bo_create(fd, region, p->bytes, MAPPABLE, &p->handle))
			break;
		allocated += p->bytes;
	}
	if (bytes != UNTIL_FULL)
		return n;
	/* The rest is smaller than a block. Free a little again for page tables. */
	for (; n < MAX_BLOCKS && !bo_create(fd, region, VRAM_PAGE, MAPPABLE, &blocks[n].handle);
	     n++)
		blocks[n].bytes = VRAM_PAGE;
	for (uint64_t back = 0; n && back < MIB; back += blocks[n].bytes)
		bo_close(fd, blocks[--n].handle);
	return n;
}

static bool fill_pattern(int fd, const struct block *blocks, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint8_t *p = bo_map(fd, blocks[i].handle, blocks[i].bytes);

		if (p == MAP_FAILED)
			return false;
		memset(p, SECRET, blocks[i].bytes);
		munmap(p, blocks[i].bytes);
	}
	return count;
}

/* Counts bytes of nonzero words. */
static uint64_t count_nonzero_bytes(int fd, const struct block *blocks, uint32_t count,
				    uint64_t *checked)
{
	uint64_t wrong = 0;

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t *p = bo_map(fd, blocks[i].handle, blocks[i].bytes);

		if (p == MAP_FAILED)
			return UINT64_MAX;
		for (uint64_t k = 0; k < blocks[i].bytes / 8; k++)
			wrong += p[k] ? 8 : 0;
		munmap((void *)p, blocks[i].bytes);
		*checked += blocks[i].bytes;
	}
	return wrong;
}

/* The same by the device: copies the last page of every 16th block to the buffer and checks it. */
static bool device_finds_zeros(struct fixture *m, const struct block *blocks, uint32_t count)
{
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};
	struct drm_syncobj_destroy d = {.handle = sync.handle};
	bool good = true;

	for (uint32_t i = 0; good && i < count; i += 16) {
		struct stream s = stream_at(m, STREAM);

		memset(m->memory + CHECKED, 0xff, 4096);
		good = !vm_map(m->fd, m->vm, blocks[i].handle, 0, VA, blocks[i].bytes);
		stream_copy(&s, BUFFER_VA + CHECKED, VA + blocks[i].bytes - 4096, 4096);
		struct drm_sovgpu_job job = stream_job(m, &s);

		good = good && !queue_submit(m->fd, m->queue, &job, 1, &sync, 1) &&
		       !syncobj_wait(m->fd, sync.handle, 0, 20);
		for (uint32_t k = 0; k < 4096; k++)
			good = good && !m->memory[CHECKED + k];
		vm_unmap(m->fd, m->vm, VA, blocks[i].bytes);
	}
	gpu_ioctl(m->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
	return good;
}

/* How a process releases its memory before it exits. */

static void close_each(struct fixture *m, const struct block *blocks, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		bo_close(m->fd, blocks[i].handle);
}
static void just_exit(struct fixture *m, const struct block *blocks, uint32_t count)
{
	(void)m;
	(void)blocks;
	(void)count;
}
static void be_killed(struct fixture *m, const struct block *blocks, uint32_t count)
{
	struct stream s = stream_at(m, STREAM);

	vm_map(m->fd, m->vm, blocks[0].handle, 0, VA, blocks[0].bytes);
	stream_acquire(&s, BUFFER_VA + CHECKED, 1); /* with a pending job */
	struct drm_sovgpu_job job = stream_job(m, &s);

	(void)count;
	queue_submit(m->fd, m->queue, &job, 1, NULL, 0);
	raise(SIGKILL);
}
/* Handles are closed first; the address space holds the memory longer. */
static void unmap_late(struct fixture *m, const struct block *blocks, uint32_t count)
{
	uint64_t va = VA;

	for (uint32_t i = 0; i < count; i++) {
		vm_map(m->fd, m->vm, blocks[i].handle, 0, va, blocks[i].bytes);
		va += blocks[i].bytes;
		bo_close(m->fd, blocks[i].handle);
	}
	vm_unmap(m->fd, m->vm, VA, va - VA);
}
/* Creates and destroys contexts, page tables and USERD pages; fills every byte that is writable. */
static void use_queues_instead(struct fixture *m, const struct block *blocks, uint32_t count)
{
	struct user_queue u = {.m = *m};

	close_each(m, blocks, count);
	for (uint32_t i = 0; i < 4; i++) {
		if (group_create(m->fd, m->vm, &u.m.group) ||
		    !user_queue_attach(&u, i & 1 ? COPY : COMPUTE))
			return;
		memset(u.userd + 512, SECRET, page_bytes - 512);
		user_queue_detach(&u);
		queue_destroy(m->fd, u.id);
		group_destroy(m->fd, u.m.group);
	}
}

static const struct {
	const char *name;
	void (*release)(struct fixture *m, const struct block *blocks, uint32_t count);
} release_methods[] = {
	{"closes each buffer", close_each},
	{"exits", just_exit},
	{"is killed with a job in flight", be_killed},
	{"closes the handles before it unmaps the buffers", unmap_late},
	{"closes the buffers and uses queues", use_queues_instead},
};

static struct block blocks[MAX_BLOCKS];

static int run_first_owner(uint32_t region, uint64_t size, uint64_t bytes, size_t method)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		struct fixture m;

		if (!fixture_create(&m, COPY, 16, 10000))
			_exit(1);
		uint32_t n = allocate_blocks(m.fd, region, size, bytes, blocks);

		if (!fill_pattern(m.fd, blocks, n))
			_exit(2);
		release_methods[method].release(&m, blocks, n);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? 0 : WEXITSTATUS(status);
}

static void test_next_owner(uint32_t region, uint64_t first, uint64_t then, uint64_t bytes,
			    size_t method)
{
	const char *where = region == VRAM ? "VRAM" : "system memory";
	uint64_t checked = 0, wrong;
	struct fixture m;

	if (!ok(!run_first_owner(region, first, bytes, method),
		"a process fills %s in blocks of %llu KiB and %s", where,
		(unsigned long long)(first >> 10), release_methods[method].name))
		return;
	if (!fixture_create(&m, COPY, 16, LIMIT_MS))
		return;
	uint32_t n = allocate_blocks(m.fd, region, then, bytes, blocks);

	wrong = count_nonzero_bytes(m.fd, blocks, n, &checked);
	if (!ok(checked && !wrong && device_finds_zeros(&m, blocks, n),
		"the next owner of released memory finds zeros in %llu MiB of it",
		(unsigned long long)(checked >> 20)))
		diag("%llu bytes are not zero", (unsigned long long)wrong);
	fixture_close(&m);
}

/* A new USERD page shows nothing of the queue that owned it before. */
static void test_userd_cleared(void)
{
	bool zeros = true;

	for (int i = 0; i < 8; i++) {
		struct user_queue u = {0};

		if (!fixture_create(&u.m, COPY, 16, LIMIT_MS) || !user_queue_attach(&u, COPY)) {
			zeros = false;
			break;
		}
		for (uint64_t k = 0; k < page_bytes; k++)
			zeros = zeros && !u.userd[k];
		memset(u.userd + 512, SECRET, page_bytes - 512);
		user_queue_close(&u);
	}
	ok(zeros, "the USERD page of a new queue is zero");
}

int main(void)
{
	int fd = open_device();
	uint64_t free_at_start = free_vram_bytes(fd);
	bool small = free_at_start <= SMALL_CARD;

	close(fd);
	for (size_t method = 0; method < COUNT(release_methods); method++)
		test_next_owner(VRAM, small ? 0 : sizes[method], small ? sizes[method] : 0,
				small ? UNTIL_FULL : SAMPLE, method);
	if (!small)
		for (size_t i = 0; i < COUNT(sizes); i++)
			test_next_owner(VRAM, sizes[i], sizes[COUNT(sizes) - 1 - i], SAMPLE / 2, 0);
	test_next_owner(SYSTEM, MIB, 0, 8 * MIB, 0);
	test_next_owner(SYSTEM, 0, MIB, 8 * MIB, 2);
	test_userd_cleared();
	fd = open_device();
	for (int i = 0; i < 100 && free_vram_bytes(fd) != free_at_start; i++)
		usleep(50000);
	ok(free_vram_bytes(fd) == free_at_start, "all VRAM is free after the owners exit: %llu MiB",
	   (unsigned long long)(free_at_start >> 20));
	close(fd);
	return tap_done();
}
