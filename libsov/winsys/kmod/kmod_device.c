/* SPDX-License-Identifier: MIT */
/*
 * Finding GPUs that sovgpu.ko drives: the render nodes whose driver it is, in the order of their
 * numbers. Where there are none nothing is said; where there is one that may not or cannot be used,
 * the sentence names the file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libsov/runtime/base/log.h"
#include "libsov/winsys/kmod/kmod.h"

#define WAY_OUT    "SOV_KMOD=0 leaves sovgpu.ko's GPUs out"
#define FIRST_NODE 128 /* of DRM's render nodes */
#define SOV_PCI_NVIDIA 0x10de
#define LARGE_PAGE 0x200000u
#define MAX_UNITS  4096u

static struct {
	bool looked;
	bool by_calls; /* work goes by calls, also where it need not */
	struct winsys_device *devices[KMOD_MAX_DEVICES];
	uint32_t count;
} kmod;

/* ---- one GPU ---- */

static int ask(struct winsys_device *d, uint32_t type, void *answer, uint32_t bytes)
{
	struct drm_sovgpu_dev_query q = {.type = type, .size = bytes, .pointer = (uintptr_t)answer};

	memset(answer, 0, bytes);
	return kmod_call(d->file, DRM_IOCTL_SOVGPU_DEV_QUERY, &q, "asking what the device is");
}

static int check_driver(struct winsys_device *d)
{
	char name[32] = "";
	struct drm_version v = {.name_len = sizeof(name) - 1, .name = name};
	int error = kmod_call(d->file, DRM_IOCTL_VERSION, &v, "asking for its version");

	if (error)
		return error;
	if (strcmp(name, KMOD_DRIVER) || v.version_major) {
		winsys_set_error("%s: driver '%s' version %d.%d; known is " KMOD_DRIVER " 0", d->path,
			   name, v.version_major, v.version_minor);
		return -ENOTSUP;
	}
	snprintf(d->info.driver, sizeof(d->info.driver), "sovgpu.ko %d.%d", v.version_major,
		 v.version_minor);
	return 0;
}

static bool power_of_two(uint64_t n)
{
	return n && !(n & (n - 1));
}

/* What does not make sense would later be a wrong size or shift. */
static int check_answers(struct winsys_device *d, const struct drm_sovgpu_device_info *device,
			 const struct drm_sovgpu_memory_info *memory,
			 const struct drm_sovgpu_vm_info *vm)
{
	if (device->vendor != SOV_PCI_NVIDIA || !winsys_nv_chip_find(device->chip)) {
		winsys_set_error("%s: chip 0x%x of vendor 0x%x is not known", d->path, device->chip,
			   device->vendor);
		return -ENOTSUP;
	}
	if (device->units > MAX_UNITS || !power_of_two(memory->vram_page) ||
	    memory->vram_page > LARGE_PAGE || !memory->vram_bytes || vm->va_start >= vm->va_end) {
		winsys_set_error("%s: %u processors, %llu bytes of memory in pages of %llu and addresses "
			   "from 0x%llx to 0x%llx make no sense",
			   d->path, device->units, (unsigned long long)memory->vram_bytes,
			   (unsigned long long)memory->vram_page, (unsigned long long)vm->va_start,
			   (unsigned long long)vm->va_end);
		return -EPROTO;
	}
	return 0;
}

static int check_queues(struct winsys_device *d, const struct drm_sovgpu_queue_info *queue)
{
	bool jobs = queue->modes >> DRM_SOVGPU_QUEUE_KERNEL & 1 && queue->time_limit_ms_max;

	d->ring_entries = queue->ring_entries_max;
	d->time_limit_ms = queue->time_limit_ms_max;
	d->info.min_priority = 1 - KMOD_PRIORITIES;
	d->info.copy_queues = queue->classes >> DRM_SOVGPU_QUEUE_COPY & 1;
	d->user_queues = queue->modes >> DRM_SOVGPU_QUEUE_USER & 1 && !(kmod.by_calls && jobs);
	if (queue->classes >> DRM_SOVGPU_QUEUE_COMPUTE & 1 && d->ring_entries &&
	    (d->user_queues || jobs))
		return 0;
	winsys_set_error("%s: this driver has no queues for programs", d->path);
	return -ENOTSUP;
}

static int learn(struct winsys_device *d)
{
	struct drm_sovgpu_device_info device;
	struct drm_sovgpu_memory_info memory;
	struct drm_sovgpu_vm_info vm;
	struct drm_sovgpu_queue_info queue;
	struct winsys_info *i = &d->info;
	uint32_t host_page = kmod_page_bytes();
	char driver[sizeof(i->driver)];
	int error = check_driver(d);

	if (!error)
		error = ask(d, DRM_SOVGPU_DEV_QUERY_DEVICE, &device, sizeof(device));
	if (!error)
		error = ask(d, DRM_SOVGPU_DEV_QUERY_MEMORY, &memory, sizeof(memory));
	if (!error)
		error = ask(d, DRM_SOVGPU_DEV_QUERY_VM, &vm, sizeof(vm));
	if (!error)
		error = ask(d, DRM_SOVGPU_DEV_QUERY_QUEUE, &queue, sizeof(queue));
	if (!error)
		error = check_answers(d, &device, &memory, &vm);
	if (error)
		return error;
	memcpy(driver, i->driver, sizeof(driver));
	winsys_nv_chip_describe(winsys_nv_chip_find(device.chip), i);
	snprintf(i->driver, sizeof(i->driver), "%.24s, firmware %.24s", driver, device.firmware);
	snprintf(i->product, sizeof(i->product), "%.16s, PCI %04x:%04x", i->chip, device.vendor,
		 device.device);
	if (device.units) { /* otherwise room for the whole chip */
		i->multiprocessors = device.units;
		i->nv.tpcs = (device.units + i->nv.sms_per_tpc - 1) / i->nv.sms_per_tpc;
	}
	i->page_bytes = memory.vram_page > host_page ? (uint32_t)memory.vram_page : host_page;
	i->large_page_bytes = vm.page_sizes & LARGE_PAGE ? LARGE_PAGE : i->page_bytes;
	i->import_page_bytes = host_page;
	i->memory_bytes = memory.vram_bytes;
	return check_queues(d, &queue);
}

uint32_t kmod_page_bytes(void)
{
	return (uint32_t)sysconf(_SC_PAGESIZE);
}

static void device_close(struct winsys_device *d)
{
	if (d->bell_page)
		kmod_os->unmap(d->bell_page, kmod_page_bytes());
	kmod_os->close(d->file);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

/* A container may have been given the node by its other name alone (kmod/70-sovgpu.rules). */
static int open_node(struct winsys_device *d, int node)
{
	snprintf(d->path, sizeof(d->path), "/dev/sovgpu%d", node - FIRST_NODE);
	d->file = kmod_os->open(d->path);
	if (d->file < 0 && errno == ENOENT) {
		snprintf(d->path, sizeof(d->path), "/dev/dri/renderD%d", node);
		d->file = kmod_os->open(d->path);
	}
	return d->file < 0 ? -errno : 0;
}

static int device_open(int node, struct winsys_device **out)
{
	struct winsys_device *d = calloc(1, sizeof(*d));
	int error;

	if (!d)
		return -ENOMEM;
	error = open_node(d, node);
	if (error) {
		winsys_set_error("%s: %s%s", d->path, strerror(-error),
			   error == -EACCES ? "; its owner or group may open it" : "");
		free(d);
		return error;
	}
	pthread_mutex_init(&d->lock, NULL);
	error = learn(d);
	if (error)
		device_close(d);
	else
		*out = d;
	return error;
}

/* ---- all of them ---- */

void kmod_forget(void)
{
	while (kmod.count)
		device_close(kmod.devices[--kmod.count]);
	kmod.looked = false;
}

/* A GPU that cannot be used (not known, not this container's) leaves the others; only when there
 * are no others it is an error, unless this version is to blame. */
static int find_devices(char *message, size_t bytes)
{
	int node = 0, error = 0;

	while (kmod.count < KMOD_MAX_DEVICES && (node = kmod_os->next_node(node)) >= 0) {
		error = device_open(node++, &kmod.devices[kmod.count]);
		if (!error) {
			kmod.count++;
			continue;
		}
		snprintf(message, bytes, "%s", winsys_take_error());
		LOG(DEVICE, INFO, "left out: %s", message);
	}
	if (kmod.count || !error || error == -ENOTSUP || error == -ENOENT)
		return 0;
	snprintf(message + strlen(message), bytes - strlen(message), "; " WAY_OUT);
	return error;
}

/* 0: none are wanted; 1: they are; otherwise -EINVAL. */
static int wanted(char *message, size_t bytes)
{
	const char *text = getenv("SOV_KMOD");

	kmod.by_calls = text && !strcmp(text, "calls");
	if (!text || !strcmp(text, "1") || kmod.by_calls)
		return 1;
	if (!strcmp(text, "0"))
		return 0;
	snprintf(message, bytes, "SOV_KMOD is '%s'; it must be 0, 1 or calls", text);
	return -EINVAL;
}

int kmod_enumerate(uint32_t already, struct winsys_device ***devices, uint32_t *count,
		   char *message, size_t message_bytes)
{
	int error = wanted(message, message_bytes);

	(void)already;
	if (error > 0) {
		error = 0;
		if (!kmod.looked)
			error = find_devices(message, message_bytes);
		kmod.looked = !error;
	}
	*devices = kmod.devices;
	*count = kmod.count;
	return error;
}

void kmod_info(struct winsys_device *d, struct winsys_info *out)
{
	*out = d->info;
}

uint64_t kmod_gpu_time(struct winsys_device *d)
{
	struct drm_sovgpu_time_info t;

	return ask(d, DRM_SOVGPU_DEV_QUERY_TIME, &t, sizeof(t)) ? 0 : t.device_ns;
}

void kmod_memory_info(struct winsys_device *d, uint64_t *free_bytes, uint64_t *total_bytes)
{
	struct drm_sovgpu_memory_info m;

	*free_bytes = ask(d, DRM_SOVGPU_DEV_QUERY_MEMORY, &m, sizeof(m)) ? 0 : m.vram_free;
	*total_bytes = d->info.memory_bytes;
}
