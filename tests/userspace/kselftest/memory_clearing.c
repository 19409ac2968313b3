/* SPDX-License-Identifier: MIT */
/*
 * Nothing of a process is left for the next one. One process fills memory with bytes, in pieces of all sizes, and parts from
 * it in some way: closed, unmapped late, killed. The next one takes as much, in other pieces, and must find zeros, by
 * its own eyes and by the copy engine's. On a card of little memory that is all there is of it, so whatever was there
 * is among it: contexts, page tables and pages of pointers, too.
 */
#include <signal.h>
#include <sys/wait.h>

#include "tests/userspace/kselftest/user_queue.h"

#define SECRET     0xa5
#define MOST       9000
#define ALL        UINT64_MAX /* that a card has */
#define SMALL_CARD GIB
#define SAMPLE     (16 * MIB)
#define VA         (8 * GIB)

enum { CHECKED = 0x100000, STREAM = 0x10000 };

static const uint64_t sizes[] = {VRAM_PAGE, 2 * VRAM_PAGE,       3 * VRAM_PAGE, MIB,
				 2 * MIB,   2 * MIB + VRAM_PAGE, 5 * MIB,       8 * MIB};

struct piece {
	uint32_t handle;
	uint64_t bytes;
};

/* Pieces of one size, or of all in turn (size 0), until there are `bytes` of them or no more is to be had. */
static uint32_t take(int fd, uint32_t region, uint64_t size, uint64_t bytes, struct piece *pieces)
{
	uint32_t n = 0;

	for (uint64_t taken = 0; n < MOST && taken < bytes; n++) {
		struct piece *p = &pieces[n];

		p->bytes = size ? size : sizes[n % COUNT(sizes)];
		if (create(fd, region, p->bytes, MAPPABLE, &p->handle))
			break;
		taken += p->bytes;
	}
	if (bytes != ALL)
		return n;
	/* What is left over is less than a piece. A little is given back: page tables are made of it. */
	for (; n < MOST && !create(fd, region, VRAM_PAGE, MAPPABLE, &pieces[n].handle); n++)
		pieces[n].bytes = VRAM_PAGE;
	for (uint64_t back = 0; n && back < MIB; back += pieces[n].bytes)
		forget(fd, pieces[--n].handle);
	return n;
}

static bool fill(int fd, const struct piece *pieces, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint8_t *p = map(fd, pieces[i].handle, pieces[i].bytes);

		if (p == MAP_FAILED)
			return false;
		memset(p, SECRET, pieces[i].bytes);
		munmap(p, pieces[i].bytes);
	}
	return count;
}

/* Bytes that are not zero. */
static uint64_t found(int fd, const struct piece *pieces, uint32_t count, uint64_t *looked)
{
	uint64_t wrong = 0;

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t *p = map(fd, pieces[i].handle, pieces[i].bytes);

		if (p == MAP_FAILED)
			return UINT64_MAX;
		for (uint64_t k = 0; k < pieces[i].bytes / 8; k++)
			wrong += p[k] ? 8 : 0;
		munmap((void *)p, pieces[i].bytes);
		*looked += pieces[i].bytes;
	}
	return wrong;
}

/* The same as the device sees it: the last bytes of each piece are copied to where they can be looked at. */
static bool device_finds_zeros(struct machine *m, const struct piece *pieces, uint32_t count)
{
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};
	struct drm_syncobj_destroy d = {.handle = sync.handle};
	bool good = true;

	for (uint32_t i = 0; good && i < count; i += 16) {
		struct stream s = at(m, STREAM);

		memset(m->memory + CHECKED, 0xff, 4096);
		good = !vm_map(m->fd, m->vm, pieces[i].handle, 0, VA, pieces[i].bytes);
		add_copy(&s, BUFFER_VA + CHECKED, VA + pieces[i].bytes - 4096, 4096);
		struct drm_sovgpu_job job = job_of(m, &s);

		good = good && !submit(m->fd, m->queue, &job, 1, &sync, 1) &&
		       !wait_for(m->fd, sync.handle, 0, 20);
		for (uint32_t k = 0; k < 4096; k++)
			good = good && !m->memory[CHECKED + k];
		vm_unmap(m->fd, m->vm, VA, pieces[i].bytes);
	}
	call(m->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
	return good;
}

/* How a process parts from its memory. It ends in any case. */

static void closes_each(struct machine *m, const struct piece *pieces, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		forget(m->fd, pieces[i].handle);
}
static void ends(struct machine *m, const struct piece *pieces, uint32_t count)
{
	(void)m;
	(void)pieces;
	(void)count;
}
static void is_killed(struct machine *m, const struct piece *pieces, uint32_t count)
{
	struct stream s = at(m, STREAM);

	vm_map(m->fd, m->vm, pieces[0].handle, 0, VA, pieces[0].bytes);
	add_acquire(&s, BUFFER_VA + CHECKED, 1); /* with work that waits */
	struct drm_sovgpu_job job = job_of(m, &s);

	(void)count;
	submit(m->fd, m->queue, &job, 1, NULL, 0);
	raise(SIGKILL);
}
/* Handles go first; the address space has the memory a while longer. */
static void unmaps_late(struct machine *m, const struct piece *pieces, uint32_t count)
{
	uint64_t va = VA;

	for (uint32_t i = 0; i < count; i++) {
		vm_map(m->fd, m->vm, pieces[i].handle, 0, va, pieces[i].bytes);
		va += pieces[i].bytes;
		forget(m->fd, pieces[i].handle);
	}
	vm_unmap(m->fd, m->vm, VA, va - VA);
}
/* Contexts, tables and pages of pointers are made and given back; of those that can be written, every byte is. */
static void makes_queues(struct machine *m, const struct piece *pieces, uint32_t count)
{
	struct user u = {.m = *m};

	closes_each(m, pieces, count);
	for (uint32_t i = 0; i < 4; i++) {
		if (group_create(m->fd, m->vm, &u.m.group) ||
		    !user_attach(&u, i & 1 ? COPY : COMPUTE))
			return;
		memset(u.page + 512, SECRET, page_bytes - 512);
		user_detach(&u);
		queue_destroy(m->fd, u.id);
		group_destroy(m->fd, u.m.group);
	}
}

static const struct {
	const char *name;
	void (*part)(struct machine *m, const struct piece *pieces, uint32_t count);
} ways[] = {
	{"it closes each piece", closes_each},
	{"it ends", ends},
	{"it is killed with work under way", is_killed},
	{"its address space keeps them a while", unmaps_late},
	{"it makes queues instead", makes_queues},
};

static struct piece pieces[MOST];

static int owner(uint32_t region, uint64_t size, uint64_t bytes, size_t way)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		struct machine m;

		if (!machine_make(&m, COPY, 16, 10000))
			_exit(1);
		uint32_t n = take(m.fd, region, size, bytes, pieces);

		if (!fill(m.fd, pieces, n))
			_exit(2);
		ways[way].part(&m, pieces, n);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? 0 : WEXITSTATUS(status);
}

static void next_owner(uint32_t region, uint64_t first, uint64_t then, uint64_t bytes, size_t way)
{
	const char *where = region == VRAM ? "video memory" : "system memory";
	uint64_t looked = 0, wrong;
	struct machine m;

	if (!ok(!owner(region, first, bytes, way),
		"a process fills %s in pieces of %llu KiB, and %s", where,
		(unsigned long long)(first >> 10), ways[way].name))
		return;
	if (!machine_make(&m, COPY, 16, LIMIT_MS))
		return;
	uint32_t n = take(m.fd, region, then, bytes, pieces);

	wrong = found(m.fd, pieces, n, &looked);
	if (!ok(looked && !wrong && device_finds_zeros(&m, pieces, n),
		"the next one finds zeros in %llu MiB of it", (unsigned long long)(looked >> 20)))
		diag("%llu bytes are not zero", (unsigned long long)wrong);
	machine_close(&m);
}

/* What a page of pointers has that was another queue's before. */
static void pointers(void)
{
	bool zeros = true;

	for (int i = 0; i < 8; i++) {
		struct user u = {0};

		if (!machine_make(&u.m, COPY, 16, LIMIT_MS) || !user_attach(&u, COPY)) {
			zeros = false;
			break;
		}
		for (uint64_t k = 0; k < page_bytes; k++)
			zeros = zeros && !u.page[k];
		memset(u.page + 512, SECRET, page_bytes - 512);
		user_close(&u);
	}
	ok(zeros, "a page of pointers has nothing of the queue before");
}

int main(void)
{
	int fd = open_device();
	uint64_t there = free_vram(fd);
	bool small = there <= SMALL_CARD;

	close(fd);
	for (size_t way = 0; way < COUNT(ways); way++)
		next_owner(VRAM, small ? 0 : sizes[way], small ? sizes[way] : 0,
			   small ? ALL : SAMPLE, way);
	if (!small)
		for (size_t i = 0; i < COUNT(sizes); i++)
			next_owner(VRAM, sizes[i], sizes[COUNT(sizes) - 1 - i], SAMPLE / 2, 0);
	next_owner(SYSTEM, MIB, 0, 8 * MIB, 0);
	next_owner(SYSTEM, 0, MIB, 8 * MIB, 2);
	pointers();
	fd = open_device();
	for (int i = 0; i < 100 && free_vram(fd) != there; i++)
		usleep(50000);
	ok(free_vram(fd) == there, "all memory is free again: %llu MiB",
	   (unsigned long long)(there >> 20));
	close(fd);
	return tap_done();
}
