// SPDX-License-Identifier: MIT
/*
 * QUEUE_STATE: reports whether a queue is usable, and if not, whether its own work faulted or timed
 * out, or another queue of its group did.
 */
#include <sched.h>

#include "tests/userspace/kselftest/queue.h"

#define UNMAPPED_VA (3 * GIB)

static int submit_and_wait(struct fixture *m, struct stream *s)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};
	struct drm_sovgpu_job job = stream_job(m, s);
	int status = queue_submit(m->fd, m->queue, &job, 1, &done, 1);

	return status ? status : syncobj_wait(m->fd, done.handle, 0, 30);
}

/* Fault types as the hardware reports them. */
enum { NO_ENTRY = 2, READ_ONLY = 6 };

/* The fault's address, kind and queue are exact, and no other group is affected. */
static void expect_exact_fault(const char *what, uint64_t to, uint64_t from, uint64_t want,
			       uint32_t kind)
{
	struct drm_sovgpu_vm_bind_op op = {
		.flags = DRM_SOVGPU_VM_MAP_READONLY, .va = 2 * GIB, .size = BUFFER_BYTES};
	struct drm_sovgpu_queue_state s;
	uint32_t group, other;
	struct fixture m;

	if (!fixture_open(&m, COPY))
		return;
	op.handle = m.buffer;
	struct stream stream = stream_at(&m, 0);

	ok(!vm_bind(m.fd, m.vm, &op, 1, NULL) && !group_create(m.fd, m.vm, &group) &&
		   !queue_create(m.fd, group, COPY, 16, LIMIT_MS, &other),
	   "%s: another group is created", what);
	stream_copy(&stream, to, from, 4096);
	ok(!submit_and_wait(&m, &stream), "%s: the job's fence signals", what);
	s = queue_state(m.fd, m.queue);
	ok(s.state == DRM_SOVGPU_QUEUE_STATE_FAULTED && s.fault_code == 31,
	   "%s: the queue reports an MMU fault", what);
	if (!ok(s.fault_address == want && s.fault_kind == kind,
		"%s: the queue reports the exact fault address and kind", what))
		diag("0x%llx, kind %u", (unsigned long long)s.fault_address, s.fault_kind);
	ok(!queue_state(m.fd, other).state, "%s: the other group is usable", what);
	fixture_close(&m);
}

static void test_fault(void)
{
	struct drm_sovgpu_queue_state s;
	struct fixture m;
	uint32_t innocent;

	if (!fixture_open(&m, COPY))
		return;
	struct drm_sovgpu_vm_state vm = {.vm_id = m.vm};
	struct stream stream = stream_at(&m, 0);

	queue_create(m.fd, m.group, COMPUTE, 16, LIMIT_MS, &innocent);
	stream_copy(&stream, UNMAPPED_VA, BUFFER_VA, 4096);
	ok(!submit_and_wait(&m, &stream), "the fence of a copy to an unmapped address signals");
	s = queue_state(m.fd, m.queue);
	ok(s.state == DRM_SOVGPU_QUEUE_STATE_FAULTED && s.fault_code,
	   "the queue of a faulting copy is in state faulted");
	ok(s.fault_address >= UNMAPPED_VA && s.fault_address < UNMAPPED_VA + 4096,
	   "the queue of a faulting copy reports the fault address");
	diag("state %u, code %u, unit %u, address 0x%llx", s.state, s.fault_code, s.fault_unit,
	     (unsigned long long)s.fault_address);
	ok(!gpu_ioctl(m.fd, DRM_IOCTL_SOVGPU_VM_STATE, &vm) && vm.fault_count == 1 &&
		   vm.fault_address == s.fault_address,
	   "VM_STATE counts the fault and reports its address");
	s = queue_state(m.fd, innocent);
	ok(s.state == DRM_SOVGPU_QUEUE_STATE_INNOCENT && !s.fault_code && !s.fault_address,
	   "the other queue of a faulted group is in state innocent");
	fixture_close(&m);
}

static void test_time_limit(void)
{
	struct fixture m, other;
	struct drm_sovgpu_queue_state s;

	if (!fixture_open(&m, COPY) || !fixture_open(&other, COPY))
		return;
	struct stream stream = stream_at(&m, 0), works = stream_at(&other, 0);

	queue_destroy(m.fd, m.queue);
	queue_create(m.fd, m.group, COPY, 16, 50, &m.queue);
	stream_acquire(&stream, BUFFER_VA + MIB, 1);
	ok(!submit_and_wait(&m, &stream),
	   "the fence of an endless job signals after its time limit");
	s = queue_state(m.fd, m.queue);
	ok(s.state == DRM_SOVGPU_QUEUE_STATE_TIMED_OUT && !s.fault_address,
	   "the queue of an endless job is in state timed out");
	stream_release(&works, BUFFER_VA + MIB, 5);
	ok(!submit_and_wait(&other, &works) &&
		   queue_state(other.fd, other.queue).state == DRM_SOVGPU_QUEUE_STATE_USABLE,
	   "a timeout does not affect a queue of another file");
	fixture_close(&m);
	fixture_close(&other);
}

/*
 * The page in which the device writes the sequence numbers of the first queue lies at a known
 * address of the driver's range: it is the second page, after the ring. Command streams can write
 * there, and must gain nothing by it.
 */
#define SEQNO_VA (2 * MIB + 4096)

static void test_forged_seqno(uint64_t number, uint32_t want, const char *what)
{
	struct drm_sovgpu_sync done;
	struct drm_sovgpu_queue_state s;
	struct fixture m;

	if (!fixture_open(&m, COPY))
		return;
	struct stream stream = stream_at(&m, 0);

	done = (struct drm_sovgpu_sync){DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m.fd), 0};
	queue_destroy(m.fd, m.queue);
	queue_create(m.fd, m.group, COPY, 16, 500, &m.queue);
	stream_release(&stream, SEQNO_VA, number);
	stream_release(&stream, BUFFER_VA + 2 * MIB, 1);
	stream_acquire(&stream, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = stream_job(&m, &stream);
	volatile uint64_t *written = (volatile uint64_t *)(m.memory + 2 * MIB);
	uint64_t end = now_ns() + 20 * SECOND_NS;

	ok(!queue_submit(m.fd, m.queue, &job, 1, &done, 1), "%s: the job is submitted", what);
	while (!*written && now_ns() < end)
		sched_yield();
	ok(*written, "%s: the stream has written the sequence number", what);
	ok(!syncobj_wait(m.fd, done.handle, 0, 30), "%s: the job's fence signals", what);
	s = queue_state(m.fd, m.queue);
	ok(s.state == want && !s.fault_code && !s.fault_address, "%s: the driver stops the queue",
	   what);
	diag("state %u, code %u, address 0x%llx", s.state, s.fault_code,
	     (unsigned long long)s.fault_address);
	fixture_close(&m);
}

int main(void)
{
	static const struct bad_member rows[] = {
		BAD_MEMBER(queue_state, queue_id, 0, -ENOENT, "queue ID 0"),
		BAD_MEMBER(queue_state, queue_id, 255, -ENOENT, "an unallocated queue ID"),
		BAD_MEMBER(queue_state, state, 1, -EINVAL, "a nonzero output state"),
		BAD_MEMBER(queue_state, fault_code, 1, -EINVAL, "a nonzero output fault code"),
		BAD_MEMBER(queue_state, fault_unit, 1, -EINVAL, "a nonzero output fault unit"),
		BAD_MEMBER(queue_state, fault_address, 1, -EINVAL,
			   "a nonzero output fault address"),
		BAD_MEMBER(queue_state, fault_kind, 1, -EINVAL, "a nonzero output fault kind"),
		BAD_MEMBER(queue_state, pad, 1, -EINVAL, "a nonzero pad"),
	};
	int other = open_device();
	struct fixture m;

	if (!fixture_open(&m, COMPUTE))
		return tap_done();
	const struct drm_sovgpu_queue_state good = {.queue_id = m.queue};
	struct drm_sovgpu_queue_state s = good;

	ok(!gpu_ioctl(m.fd, DRM_IOCTL_SOVGPU_QUEUE_STATE, &s) && !s.state && !s.fault_code &&
		   !s.fault_unit && !s.fault_address,
	   "a new queue is usable");
	expect_refused(m.fd, "QUEUE_STATE", DRM_IOCTL_SOVGPU_QUEUE_STATE, &good, rows, COUNT(rows));
	s = good;
	ok(gpu_ioctl(other, DRM_IOCTL_SOVGPU_QUEUE_STATE, &s) == -ENOENT,
	   "QUEUE_STATE of another file's queue is ENOENT");
	fixture_close(&m);
	test_fault();
	expect_exact_fault("write to an unmapped address", UNMAPPED_VA, BUFFER_VA, UNMAPPED_VA,
			   NO_ENTRY);
	expect_exact_fault("read from an unmapped address", BUFFER_VA + MIB, UNMAPPED_VA + MIB,
			   UNMAPPED_VA + MIB, NO_ENTRY);
	expect_exact_fault("write to a read-only page", 2 * GIB + MIB, BUFFER_VA, 2 * GIB + MIB,
			   READ_ONLY);
	test_time_limit();
	test_forged_seqno(1, DRM_SOVGPU_QUEUE_STATE_TIMED_OUT,
			  "a job that forges its own completion and keeps running");
	test_forged_seqno(77, DRM_SOVGPU_QUEUE_STATE_FAULTED,
			  "a job that forges the completion of later jobs");
	return tap_done();
}
