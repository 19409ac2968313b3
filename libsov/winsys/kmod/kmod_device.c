// SPDX-License-Identifier: MIT
/*
 * Device enumeration: the render nodes that libdrm lists and whose driver is sovgpu.ko, in the
 * order of their numbers. No such node is not an error; a node that cannot be used is, and the
 * message names it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "hw/chips.h"
#include "libsov/runtime/base/log.h"
#include "libsov/sov.h"
#include "libsov/winsys/kmod/kmod.h"

#define REMEDY            "SOV_KMOD=0 disables the GPUs of sovgpu.ko"
#define FIRST_RENDER_NODE 128
#define LARGE_PAGE        0x200000u
#define MAX_UNITS         4096u

static struct {
	bool enumerated;
	bool submit_by_ioctl; /* SOV_KMOD=ioctl: also where user queues exist */
	struct winsys_device *devices[KMOD_MAX_DEVICES];
	uint32_t count;
} kmod;

/* ---- one GPU ---- */

static int query(struct winsys_device *d, uint32_t type, void *answer, uint32_t bytes)
{
	struct drm_sovgpu_dev_query q = {.type = type, .size = bytes, .pointer = (uintptr_t)answer};

	memset(answer, 0, bytes);
	return kmod_ioctl(d->fd, DRM_IOCTL_SOVGPU_DEV_QUERY, &q, "querying the device");
}

static int check_driver(struct winsys_device *d)
{
	drmVersionPtr v = kmod_os->get_version(d->fd);
	int error = 0;

	if (!v)
		return kmod_result(errno ? -errno : -ENOMEM, "reading the driver's version");
	if (strcmp(v->name, KMOD_DRIVER) || v->version_major) {
		winsys_set_error("%s: driver '%s' version %d.%d; supported is " KMOD_DRIVER " 0",
				 d->path, v->name, v->version_major, v->version_minor);
		error = -ENOTSUP;
	}
	snprintf(d->info.driver, sizeof(d->info.driver), "sovgpu.ko %d.%d", v->version_major,
		 v->version_minor);
	kmod_os->free_version(v);
	return error;
}

static bool power_of_two(uint64_t n)
{
	return n && !(n & (n - 1));
}

/* Rejects values that would later become a wrong size or shift. */
static int check_answers(struct winsys_device *d, const struct drm_sovgpu_device_info *device,
			 const struct drm_sovgpu_memory_info *memory,
			 const struct drm_sovgpu_vm_info *vm)
{
	if (device->vendor != SOV_PCI_NVIDIA || !winsys_nv_chip_find(device->chip)) {
		winsys_set_error("%s: unknown chip 0x%x of vendor 0x%x", d->path, device->chip,
				 device->vendor);
		return -ENOTSUP;
	}
	if (device->units > MAX_UNITS || !power_of_two(memory->vram_page) ||
	    memory->vram_page > LARGE_PAGE || !memory->vram_bytes || vm->va_start >= vm->va_end) {
		winsys_set_error(
			"%s: implausible device: %u multiprocessors, %llu bytes of memory in "
			"pages of %llu, addresses from 0x%llx to 0x%llx",
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

	d->max_ring_entries = queue->ring_entries_max;
	d->time_limit_ms = queue->time_limit_ms_max;
	d->info.min_priority = 1 - KMOD_PRIORITIES;
	d->info.copy_queues = queue->classes >> DRM_SOVGPU_QUEUE_COPY & 1;
	d->user_queues =
		queue->modes >> DRM_SOVGPU_QUEUE_USER & 1 && !(kmod.submit_by_ioctl && jobs);
	if (queue->classes >> DRM_SOVGPU_QUEUE_COMPUTE & 1 && d->max_ring_entries &&
	    (d->user_queues || jobs))
		return 0;
	winsys_set_error("%s: the driver offers no compute queues", d->path);
	return -ENOTSUP;
}

static int query_all(struct winsys_device *d)
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
		error = query(d, DRM_SOVGPU_DEV_QUERY_DEVICE, &device, sizeof(device));
	if (!error)
		error = query(d, DRM_SOVGPU_DEV_QUERY_MEMORY, &memory, sizeof(memory));
	if (!error)
		error = query(d, DRM_SOVGPU_DEV_QUERY_VM, &vm, sizeof(vm));
	if (!error)
		error = query(d, DRM_SOVGPU_DEV_QUERY_QUEUE, &queue, sizeof(queue));
	if (!error)
		error = check_answers(d, &device, &memory, &vm);
	if (error)
		return error;
	memcpy(driver, i->driver, sizeof(driver));
	winsys_nv_chip_describe(winsys_nv_chip_find(device.chip), i);
	snprintf(i->driver, sizeof(i->driver), "%.24s, firmware %.24s", driver, device.firmware);
	snprintf(i->product, sizeof(i->product), "%.16s, PCI %04x:%04x", i->chip, device.vendor,
		 device.device);
	i->identity.pci_vendor_id = device.vendor;
	i->identity.pci_device_id = device.device;
	i->identity.pci_subsystem = device.subsystem;
	if (device.units) { /* otherwise assume the full chip */
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
	if (d->doorbell_page)
		kmod_os->munmap(d->doorbell_page, kmod_page_bytes());
	kmod_os->close(d->fd);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

/* Tries /dev/sovgpuN first: a container may have only that name (kmod/70-sovgpu.rules). */
static int open_node(struct winsys_device *d, const char *render_node)
{
	const char *number = strpbrk(strrchr(render_node, '/'), "0123456789");

	snprintf(d->path, sizeof(d->path), "/dev/sovgpu%d", atoi(number) - FIRST_RENDER_NODE);
	d->fd = kmod_os->open(d->path);
	if (d->fd < 0 && errno == ENOENT) {
		snprintf(d->path, sizeof(d->path), "%s", render_node);
		d->fd = kmod_os->open(d->path);
	}
	return d->fd < 0 ? -errno : 0;
}

static void identify(struct winsys_device *d, const drmDevice *drm)
{
	struct winsys_identity *i = &d->info.identity;
	int number;

	if (drm->bustype == DRM_BUS_PCI && drm->businfo.pci) {
		i->known |= SOV_IDENTITY_PCI;
		i->pci_domain = drm->businfo.pci->domain;
		i->pci_bus = drm->businfo.pci->bus;
		i->pci_device = drm->businfo.pci->dev;
		i->pci_function = drm->businfo.pci->func;
	}
	if (sscanf(d->path, "/dev/sovgpu%d", &number) == 1 ||
	    sscanf(d->path, "/dev/dri/renderD%d", &number) == 1) {
		i->known |= SOV_IDENTITY_FILE;
		i->file_number = (uint32_t)(number % FIRST_RENDER_NODE);
	}
}

static int device_open(const drmDevice *drm, struct winsys_device **out)
{
	const char *render_node = drm->nodes[DRM_NODE_RENDER];
	struct winsys_device *d = calloc(1, sizeof(*d));
	int error;

	if (!d)
		return -ENOMEM;
	error = open_node(d, render_node);
	if (error) {
		winsys_set_error("%s: %s%s", d->path, strerror(-error),
				 error == -EACCES ? "; its owner or group may open it" : "");
		free(d);
		return error;
	}
	pthread_mutex_init(&d->lock, NULL);
	error = query_all(d);
	if (!error)
		identify(d, drm);
	if (error)
		device_close(d);
	else
		*out = d;
	return error;
}

/* ---- all of them ---- */

void kmod_close_devices(void)
{
	while (kmod.count)
		device_close(kmod.devices[--kmod.count]);
	kmod.enumerated = false;
}

void kmod_forget(void)
{
	memset(&kmod, 0, sizeof(kmod));
}

static int compare_render_nodes(const void *a, const void *b)
{
	const drmDevicePtr *x = a, *y = b;
	const char *p = (*x)->nodes[DRM_NODE_RENDER], *q = (*y)->nodes[DRM_NODE_RENDER];
	size_t m = strlen(p), n = strlen(q);

	return m != n ? (m < n ? -1 : 1) : strcmp(p, q); /* renderD99 before renderD128 */
}

/* The devices of sovgpu.ko, moved to the front of the list in the order of their render nodes. */
static int select_devices(drmDevicePtr *list, int count)
{
	int i, n = 0;

	for (i = 0; i < count; i++)
		if (list[i]->available_nodes & 1 << DRM_NODE_RENDER &&
		    kmod_os->is_sovgpu(list[i]->nodes[DRM_NODE_RENDER])) {
			drmDevicePtr d = list[i];

			list[i] = list[n];
			list[n++] = d;
		}
	qsort(list, (size_t)n, sizeof(*list), compare_render_nodes);
	return n;
}

/* Skips a GPU that cannot be used (unknown chip, no node in this container). That is an error only
 * if no other GPU remains and this library supports the device. */
static int find_devices(char *message, size_t bytes)
{
	drmDevicePtr list[KMOD_MAX_DEVICES];
	int count = kmod_os->get_devices(0, list, KMOD_MAX_DEVICES), n, i, error = 0;

	if (count <= 0) /* no DRM device, or no DRM */
		return 0;
	n = select_devices(list, count);
	for (i = 0; i < n; i++) {
		error = device_open(list[i], &kmod.devices[kmod.count]);
		if (!error) {
			kmod.count++;
			continue;
		}
		snprintf(message, bytes, "%s", winsys_take_error());
		LOG(DEVICE, INFO, "skipped: %s", message);
	}
	kmod_os->free_devices(list, count);
	if (kmod.count || !error || error == -ENOTSUP || error == -ENOENT)
		return 0;
	snprintf(message + strlen(message), bytes - strlen(message), "; " REMEDY);
	return error;
}

/* SOV_KMOD=ioctl submits without user queues. */
static int read_environment(char *message, size_t bytes)
{
	int enabled = winsys_enabled("SOV_KMOD", "ioctl", message, bytes);

	kmod.submit_by_ioctl = enabled == 2;
	return enabled;
}

int kmod_enumerate(uint32_t devices_before, struct winsys_device ***devices, uint32_t *count,
		   char *message, size_t message_bytes)
{
	int error = read_environment(message, message_bytes);

	(void)devices_before;
	if (error > 0) {
		error = 0;
		if (!kmod.enumerated)
			error = find_devices(message, message_bytes);
		kmod.enumerated = !error;
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

	return query(d, DRM_SOVGPU_DEV_QUERY_TIME, &t, sizeof(t)) ? 0 : t.device_ns;
}

void kmod_memory_info(struct winsys_device *d, uint64_t *free_bytes, uint64_t *total_bytes)
{
	struct drm_sovgpu_memory_info m;

	*free_bytes = query(d, DRM_SOVGPU_DEV_QUERY_MEMORY, &m, sizeof(m)) ? 0 : m.vram_free;
	*total_bytes = d->info.memory_bytes;
}
