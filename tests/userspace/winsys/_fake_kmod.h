/* SPDX-License-Identifier: MIT */
/*
 * A fake sovgpu.ko behind struct kmod_os: it returns ids, counts live objects, records submissions
 * and can make any single call fail. It executes no work; tests/vm runs the real driver.
 */
#ifndef TESTS_FAKE_KMOD_H
#define TESTS_FAKE_KMOD_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "libsov/winsys/kmod/kmod.h"

enum { FAKE_KINDS = 6, FAKE_FILE = 0, FAKE_BO, FAKE_VM, FAKE_GROUP, FAKE_QUEUE, FAKE_SYNCOBJ };

static struct {
	int nodes, open_error;
	bool linked; /* udev has created /dev/sovgpuN */
	const char *driver;
	int major;
	struct drm_sovgpu_device_info device;
	struct drm_sovgpu_memory_info memory;
	struct drm_sovgpu_vm_info vm;
	struct drm_sovgpu_queue_info queue;

	uint32_t calls, fail_at; /* fail_at: the number of the call that returns failure */
	uint32_t invalid_calls;  /* calls with invalid arguments, or on objects that do not exist */
	int failure;
	int live[FAKE_KINDS], mappings, bindings;
	uint32_t next_id;

	struct drm_sovgpu_job jobs[1024];
	uint32_t job_count, submits;
	uint64_t point, signalled;
	int submit_error;
	uint32_t priorities; /* bit mask of the priorities of created groups */
	uint32_t low_group, low_queues;
	struct drm_sovgpu_queue_state state; /* of one queue; all others are innocent */
	uint32_t waits, interrupts, put_offset;
} fake;

/* The queue modes that the driver offers; fake_reset() keeps them. */
static uint32_t fake_modes = 1 << DRM_SOVGPU_QUEUE_KERNEL;

static uint32_t fake_live_objects(void)
{
	uint32_t sum = (uint32_t)fake.mappings, i;

	for (i = 0; i < FAKE_KINDS; i++)
		sum += (uint32_t)fake.live[i];
	return sum;
}

static bool fake_call_fails(void)
{
	return ++fake.calls == fake.fail_at;
}

/* Lists fake.nodes sovgpu devices in descending order, and one device of another driver. */
static int fake_get_devices(uint32_t flags, drmDevicePtr devices[], int max_devices)
{
	int i;

	/* A flag would resume suspended cards to read the PCI revision. */
	fake.invalid_calls += flags != 0;
	for (i = 0; i <= fake.nodes && i < max_devices; i++) {
		drmDevicePtr d = calloc(1, sizeof(*d));

		d->nodes = calloc(DRM_NODE_MAX, sizeof(*d->nodes));
		d->available_nodes = 1 << DRM_NODE_RENDER;
		d->nodes[DRM_NODE_RENDER] = calloc(1, 32);
		sprintf(d->nodes[DRM_NODE_RENDER], "/dev/dri/renderD%d", 128 + fake.nodes - i);
		d->bustype = DRM_BUS_PCI;
		d->businfo.pci = calloc(1, sizeof(*d->businfo.pci));
		d->businfo.pci->bus = (uint8_t)(0x21 + i);
		d->businfo.pci->dev = 4;
		devices[i] = d;
	}
	return i;
}

static void fake_free_devices(drmDevicePtr devices[], int count)
{
	int i;

	for (i = 0; i < count; i++) {
		free(devices[i]->nodes[DRM_NODE_RENDER]);
		free(devices[i]->nodes);
		free(devices[i]->businfo.pci);
		free(devices[i]);
	}
}

static bool fake_is_sovgpu(const char *render_node)
{
	return atoi(strpbrk(render_node, "0123456789")) < 128 + fake.nodes;
}

static int fake_open(const char *path)
{
	if (fake.linked != !strncmp(path, "/dev/sovgpu", 11)) {
		errno = ENOENT;
		return -1;
	}
	if (fake.open_error || fake_call_fails()) {
		errno = fake.open_error ? fake.open_error : fake.failure;
		return -1;
	}
	fake.live[FAKE_FILE]++;
	return 1000;
}

static int fake_close(int fd)
{
	fake.invalid_calls += fd != 1000;
	fake.live[FAKE_FILE]--;
	return 0;
}

static void *fake_mmap(size_t bytes, int fd, uint64_t offset)
{
	(void)fd;
	fake.invalid_calls += !offset;
	if (fake_call_fails()) {
		errno = fake.failure;
		return MAP_FAILED;
	}
	fake.mappings++;
	return calloc(1, bytes);
}

static int fake_munmap(void *address, size_t bytes)
{
	(void)bytes;
	free(address);
	fake.mappings--;
	return 0;
}

static uint32_t fake_object_create(int kind)
{
	fake.live[kind]++;
	return ++fake.next_id;
}

static int fake_object_destroy(int kind)
{
	fake.invalid_calls += fake.live[kind] < 1;
	fake.live[kind]--;
	return 0;
}

static int fake_dev_query(struct drm_sovgpu_dev_query *q)
{
	static struct drm_sovgpu_time_info time = {.device_ns = 12345};
	const struct {
		const void *answer;
		uint32_t bytes;
	} answers[] = {{&fake.device, sizeof(fake.device)},
		       {&fake.memory, sizeof(fake.memory)},
		       {&fake.vm, sizeof(fake.vm)},
		       {&fake.queue, sizeof(fake.queue)},
		       {&time, sizeof(time)}};

	fake.invalid_calls += q->type >= 5 || q->size != answers[q->type].bytes;
	memcpy((void *)(uintptr_t)q->pointer, answers[q->type].answer, q->size);
	return 0;
}

static drmVersionPtr fake_get_version(int fd)
{
	static drmVersion version;

	fake.invalid_calls += fd != 1000;
	if (fake_call_fails()) {
		errno = fake.failure;
		return NULL;
	}
	version = (drmVersion){.version_major = fake.major,
			       .version_minor = 2,
			       .name_len = (int)strlen(fake.driver),
			       .name = (char *)fake.driver};
	return &version;
}

static void fake_free_version(drmVersionPtr version)
{
	fake.invalid_calls += !version;
}

enum { FAKE_DOORBELL = 0x90, FAKE_PUT = 0x8c, FAKE_GET = 0x88, FAKE_TOKEN = 0x20007 };

static int fake_queue_create(struct drm_sovgpu_queue_create *c)
{
	bool user = c->mode == DRM_SOVGPU_QUEUE_USER;

	fake.invalid_calls += !(fake_modes >> c->mode & 1) || !c->group_id || !c->ring_entries ||
			      user == !c->ring_va || user == !!c->time_limit_ms;
	fake.low_queues += c->group_id == fake.low_group;
	c->id = fake_object_create(FAKE_QUEUE);
	if (user) {
		c->doorbell_value = FAKE_TOKEN;
		c->doorbell_offset = (1 << 30) + FAKE_DOORBELL;
		c->pointers_offset = 2u << 30;
		c->put_offset = fake.put_offset;
		c->get_offset = FAKE_GET;
	}
	return 0;
}

/* Time does not advance, so a wait for a new interrupt times out immediately. */
static int fake_interrupt_wait(struct drm_sovgpu_interrupt_wait *w)
{
	fake.waits++;
	if (w->count == fake.interrupts)
		return ETIME;
	w->count = fake.interrupts;
	return 0;
}

static int fake_queue_submit(const struct drm_sovgpu_queue_submit *s)
{
	const struct drm_sovgpu_sync *sync = (void *)(uintptr_t)s->syncs.array;

	if (fake.submit_error)
		return fake.submit_error;
	fake.invalid_calls += s->jobs.stride != sizeof(*fake.jobs) || !s->jobs.count ||
			      s->syncs.count != 1 || sync->flags != 3 ||
			      sync->point != fake.point + 1 || !s->queue_id;
	memcpy(fake.jobs + fake.job_count, (void *)(uintptr_t)s->jobs.array,
	       s->jobs.count * sizeof(*fake.jobs));
	fake.job_count += s->jobs.count;
	fake.point = sync->point;
	fake.submits++;
	return 0;
}

static int fake_vm_bind(const struct drm_sovgpu_vm_bind *b)
{
	const struct drm_sovgpu_vm_bind_op *op = (void *)(uintptr_t)b->ops.array;

	fake.invalid_calls += b->ops.count != 1 || !b->vm_id || !op->size;
	fake.bindings += op->type == DRM_SOVGPU_VM_BIND_OP_MAP ? 1 : -1;
	return 0;
}

static int fake_group_create(struct drm_sovgpu_group_create *c)
{
	if (c->priority > 1)
		return EINVAL;
	c->id = fake_object_create(FAKE_GROUP);
	fake.priorities |= 1u << c->priority;
	if (c->priority)
		fake.low_group = c->id;
	return 0;
}

static int fake_queue_state(struct drm_sovgpu_queue_state *s)
{
	uint32_t id = s->queue_id;

	*s = fake.state;
	if (fake.state.state && id != fake.state.queue_id)
		*s = (struct drm_sovgpu_queue_state){.state = DRM_SOVGPU_QUEUE_STATE_INNOCENT};
	s->queue_id = id;
	return 0;
}

static int fake_set_errno(int error)
{
	errno = error;
	return error ? -1 : 0;
}

static int fake_syncobj_create(int fd, uint32_t flags, uint32_t *handle)
{
	fake.invalid_calls += fd != 1000 || flags;
	if (fake_call_fails())
		return fake_set_errno(fake.failure);
	*handle = fake_object_create(FAKE_SYNCOBJ);
	return 0;
}

static int fake_syncobj_destroy(int fd, uint32_t handle)
{
	fake.invalid_calls += fd != 1000 || !handle;
	return fake_object_destroy(FAKE_SYNCOBJ);
}

static int fake_close_bo(int fd, uint32_t handle)
{
	fake.invalid_calls += fd != 1000 || !handle;
	return fake_object_destroy(FAKE_BO);
}

static int fake_syncobj_query(int fd, uint32_t *handles, uint64_t *points, uint32_t count)
{
	uint32_t i;

	fake.invalid_calls += fd != 1000 || !*handles;
	if (fake_call_fails())
		return -fake.failure;
	for (i = 0; i < count; i++)
		points[i] = fake.signalled;
	return 0;
}

/* Time does not advance, so a wait for an unsignalled point times out immediately. */
static int fake_syncobj_timeline_wait(int fd, uint32_t *handles, uint64_t *points, unsigned count,
				      int64_t deadline_ns, unsigned flags, uint32_t *first)
{
	fake.invalid_calls += fd != 1000 || !*handles || flags || first || deadline_ns < 0;
	fake.waits++;
	if (fake_call_fails())
		return -fake.failure;
	return count && *points <= fake.signalled ? 0 : -ETIME;
}

static int fake_dispatch(unsigned long request, void *p)
{
	switch (request) {
	case DRM_IOCTL_SOVGPU_DEV_QUERY:
		return fake_dev_query(p);
	case DRM_IOCTL_SOVGPU_BO_CREATE:
		return ((struct drm_sovgpu_bo_create *)p)->handle = fake_object_create(FAKE_BO), 0;
	case DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET:
		return ((struct drm_sovgpu_bo_mmap_offset *)p)->offset = 1 << 30, 0;
	case DRM_IOCTL_SOVGPU_VM_CREATE:
		return ((struct drm_sovgpu_vm_create *)p)->id = fake_object_create(FAKE_VM), 0;
	case DRM_IOCTL_SOVGPU_VM_DESTROY:
		return fake_object_destroy(FAKE_VM);
	case DRM_IOCTL_SOVGPU_VM_BIND:
		return fake_vm_bind(p);
	case DRM_IOCTL_SOVGPU_GROUP_CREATE:
		return fake_group_create(p);
	case DRM_IOCTL_SOVGPU_GROUP_DESTROY:
		return fake_object_destroy(FAKE_GROUP);
	case DRM_IOCTL_SOVGPU_QUEUE_CREATE:
		return fake_queue_create(p);
	case DRM_IOCTL_SOVGPU_INTERRUPT_WAIT:
		return fake_interrupt_wait(p);
	case DRM_IOCTL_SOVGPU_QUEUE_DESTROY:
		return fake_object_destroy(FAKE_QUEUE);
	case DRM_IOCTL_SOVGPU_QUEUE_SUBMIT:
		return fake_queue_submit(p);
	case DRM_IOCTL_SOVGPU_QUEUE_STATE:
		return fake_queue_state(p);
	}
	fake.invalid_calls++;
	return EINVAL;
}

/* Calls that destroy objects never fail, because no caller could handle the error. */
static bool fake_is_release(unsigned long request)
{
	return request == DRM_IOCTL_SOVGPU_VM_DESTROY ||
	       request == DRM_IOCTL_SOVGPU_GROUP_DESTROY ||
	       request == DRM_IOCTL_SOVGPU_QUEUE_DESTROY;
}

static int fake_ioctl(int fd, unsigned long request, void *argument)
{
	fake.invalid_calls += fd != 1000 || fake.live[FAKE_FILE] < 1;
	return fake_set_errno(!fake_is_release(request) && fake_call_fails()
				      ? fake.failure
				      : fake_dispatch(request, argument));
}

static const struct kmod_os fake_os = {
	.get_devices = fake_get_devices,
	.free_devices = fake_free_devices,
	.is_sovgpu = fake_is_sovgpu,
	.open = fake_open,
	.close = fake_close,
	.get_version = fake_get_version,
	.free_version = fake_free_version,
	.ioctl = fake_ioctl,
	.close_buffer = fake_close_bo,
	.syncobj_create = fake_syncobj_create,
	.syncobj_destroy = fake_syncobj_destroy,
	.syncobj_query = fake_syncobj_query,
	.syncobj_timeline_wait = fake_syncobj_timeline_wait,
	.mmap = fake_mmap,
	.munmap = fake_munmap,
};

/* Resets the fake driver to one GH100, with the values that sovgpu.ko reports. */
static void fake_reset(void)
{
	kmod_close_devices();
	memset(&fake, 0, sizeof(fake));
	kmod_os = &fake_os;
	fake.nodes = 1;
	fake.driver = "sovgpu";
	fake.failure = EIO;
	fake.put_offset = FAKE_PUT;
	fake.device = (struct drm_sovgpu_device_info){
		.vendor = 0x10de, .device = 0x2335, .chip = 0x180, .isa = 90, .units = 132};
	strcpy((char *)fake.device.firmware, "570.144");
	fake.memory = (struct drm_sovgpu_memory_info){UINT64_C(1) << 30, 1 << 20, UINT64_C(1) << 30,
						      65536};
	fake.vm = (struct drm_sovgpu_vm_info){
		.va_end = UINT64_C(1) << 49,
		.page_sizes = 0x1000 | 0x10000 | 0x200000,
		.map_flags = DRM_SOVGPU_VM_MAP_READONLY | DRM_SOVGPU_VM_MAP_UNCACHED,
	};
	fake.queue = (struct drm_sovgpu_queue_info){.classes = 3,
						    .modes = fake_modes,
						    .ring_entries_max = 512,
						    .time_limit_ms_max = 60000};
}

#endif
