/* SPDX-License-Identifier: MIT */
/*
 * QUEUE_STATE: a queue says whether it is well, and if not, whose fault that is: its own work's, by an
 * address that is not mapped or by taking too long, or that of another queue of its group.
 */
#include <sched.h>

#include "tests/userspace/kselftest/queue.h"

#define NOWHERE (3 * GIB)

static int run(struct machine *m, struct stream *s)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};
	struct drm_sovgpu_job job = job_of(m, s);
	int status = submit(m->fd, m->queue, &job, 1, &done, 1);

	return status ? status : wait_for(m->fd, done.handle, 0, 30);
}

/* What the hardware says of a page that it cannot use, by the numbers of its fault types. */
enum { NO_ENTRY = 2, READ_ONLY = 6 };

/* The address, the kind and the queue are told exactly, and nothing else is blamed. */
static void exact(const char *what, uint64_t to, uint64_t from, uint64_t want, uint32_t kind)
{
	struct drm_sovgpu_vm_bind_op op = {
		.flags = DRM_SOVGPU_VM_MAP_READONLY, .va = 2 * GIB, .size = BUFFER_BYTES};
	struct drm_sovgpu_queue_state s;
	uint32_t group, other;
	struct machine m;

	if (!machine_open(&m, COPY))
		return;
	op.handle = m.buffer;
	struct stream stream = at(&m, 0);

	ok(!vm_bind(m.fd, m.vm, &op, 1, NULL) && !group_create(m.fd, m.vm, &group) &&
		   !queue_create(m.fd, group, COPY, 16, LIMIT_MS, &other),
	   "%s: another group is there", what);
	add_copy(&stream, to, from, 4096);
	ok(!run(&m, &stream), "%s: it ends", what);
	s = queue_state(m.fd, m.queue);
	ok(s.state == DRM_SOVGPU_QUEUE_STATE_FAULTED && s.fault_code == 31,
	   "%s: as a fault of the MMU", what);
	if (!ok(s.fault_address == want && s.fault_kind == kind, "%s: at its address, of its kind",
		what))
		diag("0x%llx, kind %u", (unsigned long long)s.fault_address, s.fault_kind);
	ok(!queue_state(m.fd, other).state, "%s: the other group is well", what);
	machine_close(&m);
}

static void fault(void)
{
	struct drm_sovgpu_queue_state s;
	struct machine m;
	uint32_t innocent;

	if (!machine_open(&m, COPY))
		return;
	struct drm_sovgpu_vm_state vm = {.vm_id = m.vm};
	struct stream stream = at(&m, 0);

	queue_create(m.fd, m.group, COMPUTE, 16, LIMIT_MS, &innocent);
	add_copy(&stream, NOWHERE, BUFFER_VA, 4096);
	ok(!run(&m, &stream), "a copy to an address that is not mapped ends");
	s = queue_state(m.fd, m.queue);
	ok(s.state == DRM_SOVGPU_QUEUE_STATE_FAULTED && s.fault_code,
	   "its queue says that its work failed");
	ok(s.fault_address >= NOWHERE && s.fault_address < NOWHERE + 4096, "and where");
	diag("state %u, code %u, unit %u, address 0x%llx", s.state, s.fault_code, s.fault_unit,
	     (unsigned long long)s.fault_address);
	ok(!call(m.fd, DRM_IOCTL_SOVGPU_VM_STATE, &vm) && vm.fault_count == 1 &&
		   vm.fault_address == s.fault_address,
	   "its address space had a fault");
	s = queue_state(m.fd, innocent);
	ok(s.state == DRM_SOVGPU_QUEUE_STATE_INNOCENT && !s.fault_code && !s.fault_address,
	   "the other queue of the group is innocent");
	machine_close(&m);
}

static void time_limit(void)
{
	struct machine m, other;
	struct drm_sovgpu_queue_state s;

	if (!machine_open(&m, COPY) || !machine_open(&other, COPY))
		return;
	struct stream stream = at(&m, 0), works = at(&other, 0);

	queue_destroy(m.fd, m.queue);
	queue_create(m.fd, m.group, COPY, 16, 50, &m.queue);
	add_acquire(&stream, BUFFER_VA + MIB, 1);
	ok(!run(&m, &stream), "a job that does not end is ended");
	s = queue_state(m.fd, m.queue);
	ok(s.state == DRM_SOVGPU_QUEUE_STATE_TIMED_OUT && !s.fault_address,
	   "its queue says that it took too long");
	add_release(&works, BUFFER_VA + MIB, 5);
	ok(!run(&other, &works) &&
		   queue_state(other.fd, other.queue).state == DRM_SOVGPU_QUEUE_STATE_USABLE,
	   "a queue of another file does not notice");
	machine_close(&m);
	machine_close(&other);
}

/*
 * A page of the first queue's, where the device writes numbers of jobs, lies where the driver puts its
 * own things: it is the second, after the ring. Programs can write there, and gain nothing.
 */
#define NUMBER_VA (2 * MIB + 4096)

static void forgery(uint64_t number, uint32_t want, const char *what)
{
	struct drm_sovgpu_sync done;
	struct drm_sovgpu_queue_state s;
	struct machine m;

	if (!machine_open(&m, COPY))
		return;
	struct stream stream = at(&m, 0);

	done = (struct drm_sovgpu_sync){DRM_SOVGPU_SYNC_SIGNAL, syncobj(m.fd), 0};
	queue_destroy(m.fd, m.queue);
	queue_create(m.fd, m.group, COPY, 16, 500, &m.queue);
	add_release(&stream, NUMBER_VA, number);
	add_release(&stream, BUFFER_VA + 2 * MIB, 1);
	add_acquire(&stream, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = job_of(&m, &stream);
	volatile uint64_t *written = (volatile uint64_t *)(m.memory + 2 * MIB);
	uint64_t end = now_ns() + 20 * SECOND_NS;

	ok(!submit(m.fd, m.queue, &job, 1, &done, 1), "%s: it is taken", what);
	while (!*written && now_ns() < end)
		sched_yield();
	ok(*written, "%s: it has written the number", what);
	ok(!wait_for(m.fd, done.handle, 0, 30), "%s: it ends", what);
	s = queue_state(m.fd, m.queue);
	ok(s.state == want && !s.fault_code && !s.fault_address,
	   "%s: because its queue is ended for it", what);
	diag("state %u, code %u, address 0x%llx", s.state, s.fault_code,
	     (unsigned long long)s.fault_address);
	machine_close(&m);
}

int main(void)
{
	static const struct spoiled rows[] = {
		SPOIL(queue_state, queue_id, 0, -ENOENT, "no queue"),
		SPOIL(queue_state, queue_id, 255, -ENOENT, "a queue that is none"),
		SPOIL(queue_state, state, 1, -EINVAL, "a state to begin with"),
		SPOIL(queue_state, fault_code, 1, -EINVAL, "a code to begin with"),
		SPOIL(queue_state, fault_unit, 1, -EINVAL, "a unit to begin with"),
		SPOIL(queue_state, fault_address, 1, -EINVAL, "an address to begin with"),
		SPOIL(queue_state, fault_kind, 1, -EINVAL, "a kind to begin with"),
		SPOIL(queue_state, pad, 1, -EINVAL, "a pad"),
	};
	int other = open_device();
	struct machine m;

	if (!machine_open(&m, COMPUTE))
		return tap_done();
	const struct drm_sovgpu_queue_state good = {.queue_id = m.queue};
	struct drm_sovgpu_queue_state s = good;

	ok(!call(m.fd, DRM_IOCTL_SOVGPU_QUEUE_STATE, &s) && !s.state && !s.fault_code &&
		   !s.fault_unit && !s.fault_address,
	   "a new queue is well");
	refuses(m.fd, "QUEUE_STATE", DRM_IOCTL_SOVGPU_QUEUE_STATE, &good, rows, COUNT(rows));
	s = good;
	ok(call(other, DRM_IOCTL_SOVGPU_QUEUE_STATE, &s) == -ENOENT,
	   "another file's queue is ENOENT");
	machine_close(&m);
	fault();
	exact("write where nothing is", NOWHERE, BUFFER_VA, NOWHERE, NO_ENTRY);
	exact("read where nothing is", BUFFER_VA + MIB, NOWHERE + MIB, NOWHERE + MIB, NO_ENTRY);
	exact("write where only reading is allowed", 2 * GIB + MIB, BUFFER_VA, 2 * GIB + MIB,
	      READ_ONLY);
	time_limit();
	forgery(1, DRM_SOVGPU_QUEUE_STATE_TIMED_OUT, "a job that says it is done and goes on");
	forgery(77, DRM_SOVGPU_QUEUE_STATE_FAULTED, "a job that says others are done");
	return tap_done();
}
