// SPDX-License-Identifier: MIT
/*
 * Tracepoints: a job, the mapping of its buffer and the clearing of memory leave one event each,
 * with the values of the calls; a fault leaves one with its Xid. A kernel without tracing passes
 * with a remark.
 */
#include <errno.h>
#include <sys/mount.h>

#include "tests/userspace/kselftest/queue.h"

#define TRACING "/sys/kernel/tracing/"

static bool write_file(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), TRACING "%s", name);
	FILE *f = fopen(path, "w");

	if (!f)
		return false;
	fputs(text, f);
	return !fclose(f);
}

/* Counts the lines of the trace that have both texts. */
static int count_events(const char *event, const char *values)
{
	FILE *f = fopen(TRACING "trace", "r");
	char line[512];
	int count = 0;

	while (f && fgets(line, sizeof(line), f))
		count += strstr(line, event) && strstr(line, values);
	if (f)
		fclose(f);
	return count;
}

static bool submit_and_wait(struct fixture *m, struct drm_sovgpu_job *job)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};

	return !queue_submit(m->fd, m->queue, job, 1, &done, 1) &&
	       !syncobj_wait(m->fd, done.handle, 0, 20);
}

static void test_job(void)
{
	struct fixture m;
	char values[64];

	if (!fixture_open(&m, COPY))
		return;
	struct stream s = stream_at(&m, 0x1000);

	stream_copy(&s, BUFFER_VA + 0x200000, BUFFER_VA + 0x100000, 4096);
	struct drm_sovgpu_job job = stream_job(&m, &s);

	ok(submit_and_wait(&m, &job), "a copy completes");
	snprintf(values, sizeof(values), "seqno=1 class=1 va=0x%llx size=%u",
		 (unsigned long long)job.va, job.size);
	ok(count_events("sov_job_push:", values) == 1,
	   "sov_job_push has the job's address and size");
	ok(count_events("sov_job_done:", "seqno=1 error=0") == 1,
	   "sov_job_done has the job's seqno and no error");
	ok(count_events("sov_vm_map:", "va=0x40000000 size=0x400000 flags=0") == 1,
	   "sov_vm_map has the range of the mapping");
	ok(!vm_unmap(m.fd, m.vm, BUFFER_VA + MIB, 2 * MIB) &&
		   count_events("sov_vm_unmap:", "va=0x40100000 size=0x200000 flags=0") == 1,
	   "sov_vm_unmap has the range that was unmapped");
	s = stream_at(&m, 0x2000);
	stream_copy(&s, BUFFER_VA + 0x100000, BUFFER_VA, 4096);
	job = stream_job(&m, &s);
	submit_and_wait(&m, &job);
	ok(count_events("sov_queue_fault:", "code=31 ") == 1 &&
		   count_events("sov_queue_fault:", "address=0x40100000 ") == 1,
	   "sov_queue_fault has the Xid and the address of a fault");
	ok(count_events("sov_job_done:", "seqno=2 error=-5") == 1,
	   "sov_job_done has the error of a job that faulted");
	fixture_close(&m);
}

static void test_clear(void)
{
	int fd = open_device();
	uint32_t buffer = 0;

	ok(!bo_create(fd, VRAM, 5 * MIB, 0, &buffer) &&
		   count_events("sov_vram_clear:", "size=0x500000 by=engine") == 1,
	   "sov_vram_clear has the size of a buffer that an engine clears");
	close(fd);
}

int main(void)
{
	if (access(TRACING "events", F_OK) && mount("tracefs", TRACING, "tracefs", 0, NULL)) {
		ok(errno == ENODEV || errno == ENOENT, "the kernel has no tracing");
		return tap_done();
	}
	ok(write_file("trace", "") && write_file("events/sovgpu/enable", "1"),
	   "the events of sovgpu are enabled");
	test_job();
	test_clear();
	ok(write_file("events/sovgpu/enable", "0"), "the events of sovgpu are disabled");
	return tap_done();
}
