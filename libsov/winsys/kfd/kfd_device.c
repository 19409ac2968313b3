// SPDX-License-Identifier: MIT
/*
 * Enumeration of the GPUs that amdgpu offers for compute. A missing /dev/kfd means no devices and
 * no message. If it exists but is inaccessible or unsupported, the message names the file or the
 * version. A GPU's render node is opened when it is enumerated, its address space is acquired on
 * first use.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "hw/amd/pm4.h"
#include "hw/amd/queue.h"
#include "hw/chips.h"
#include "libsov/runtime/base/log.h"
#include "libsov/sov.h"
#include "libsov/winsys/kfd/kfd.h"

#define REMEDY           "SOV_KFD=0 disables the GPUs of amdgpu"
#define LARGE_PAGE_BYTES (2u << 20)
#define MAX_NODES        64
#define MAX_BANKS        16
#define MAX_TEXT         8192

struct kfd kfd = {.file = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

struct winsys_device *kfd_device_of(uint32_t gpu_id)
{
	uint32_t i;

	for (i = 0; i < kfd.count; i++)
		if (kfd.devices[i]->gpu_id == gpu_id)
			return kfd.devices[i];
	return NULL;
}

/* ---- one GPU ---- */

static void device_close(struct winsys_device *d)
{
	if (d->doorbells)
		kfd_os->unmap(d->doorbells, AMD_DOORBELL_PAGE_BYTES);
	if (d->render_file >= 0)
		kfd_os->close(d->render_file);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

/* Reads a file of node number; returns its size or a negative errno. */
static int read_node(uint32_t number, const char *name, char text[MAX_TEXT])
{
	char path[128];
	int n;

	snprintf(path, sizeof(path), KFD_TOPOLOGY "/%u/%s", number, name);
	n = kfd_os->read(path, text, MAX_TEXT);
	if (n < 0)
		winsys_set_error("%s: %s", path, strerror(-n));
	return n;
}

/* Adds up the video memory. */
static int read_banks(struct winsys_device *d, uint32_t number)
{
	char name[64], text[MAX_TEXT], why[160];
	struct kfd_bank bank;
	uint32_t i;
	int n;

	for (i = 0; i < MAX_BANKS; i++) {
		snprintf(name, sizeof(name), "mem_banks/%u/properties", i);
		n = read_node(number, name, text);
		if (n == -ENOENT)
			break;
		if (n < 0)
			return n;
		if (!kfd_bank_parse(text, (size_t)n, &bank, why, sizeof(why))) {
			winsys_set_error(KFD_TOPOLOGY "/%u/%s: %s", number, name, why);
			return -EPROTO;
		}
		if (bank.heap_type == KFD_HEAP_VRAM_PRIVATE ||
		    bank.heap_type == KFD_HEAP_VRAM_PUBLIC)
			d->info.memory_bytes += bank.bytes;
	}
	(void)winsys_take_error();
	if (d->info.memory_bytes)
		return 0;
	winsys_set_error(KFD_TOPOLOGY "/%u: no video memory", number);
	return -EPROTO;
}

static int read_topology(struct winsys_device *d, uint32_t number)
{
	char text[MAX_TEXT], why[200];
	int n = read_node(number, "properties", text);

	if (n < 0)
		return n;
	if (!kfd_node_parse(text, (size_t)n, &d->node, why, sizeof(why))) {
		winsys_set_error(KFD_TOPOLOGY "/%u/properties: %s", number, why);
		return -EPROTO;
	}
	if (!kfd_node_check(&d->node, why, sizeof(why))) {
		winsys_set_error(KFD_TOPOLOGY "/%u: %s", number, why);
		return kfd_chip_find(d->node.gfx_version) ? -EPROTO : -ENOTSUP;
	}
	d->chip = kfd_chip_find(d->node.gfx_version);
	return read_banks(d, number);
}

static void fill_info(struct winsys_device *d)
{
	const struct kfd_node *n = &d->node;
	struct winsys_info *i = &d->info;

	i->multiprocessors = kfd_node_units(n);
	i->warps_per_multiprocessor = (uint32_t)(n->simd_per_cu * n->max_waves_per_simd);
	i->max_threads_per_block = AMD_GFX1030_MAX_THREADS;
	i->shared_per_block = AMD_GFX1030_LDS_PER_WORKGROUP;
	i->shared_per_multiprocessor = (uint32_t)n->lds_kib << 10;
	i->registers_per_multiprocessor =
		AMD_GFX1030_SIMDS_PER_CU * AMD_GFX1030_VGPRS_PER_SIMD * AMD_WAVE_LANES;
	i->page_bytes = i->import_page_bytes = KFD_PAGE_BYTES;
	i->large_page_bytes = LARGE_PAGE_BYTES;
	i->copy_queues = n->sdma_engines;
	i->host_writes_to_system = true;
	i->min_priority = KFD_MIN_PRIORITY;
	i->max_priority = KFD_MAX_PRIORITY;
	i->vendor = WINSYS_VENDOR_AMD;
	i->amd.shader_engines = (uint32_t)(n->arrays / n->arrays_per_engine);
	i->identity = (struct winsys_identity){
		.known = SOV_IDENTITY_PCI | SOV_IDENTITY_FILE,
		.pci_domain = (uint32_t)n->domain,
		.pci_bus = (uint32_t)n->location_id >> 8 & 0xff,
		.pci_device = (uint32_t)n->location_id >> 3 & 0x1f,
		.pci_function = (uint32_t)n->location_id & 7,
		.pci_vendor_id = (uint32_t)n->vendor_id,
		.pci_device_id = (uint32_t)n->device_id,
		.file_number = (uint32_t)n->render_minor,
	};
	snprintf(i->chip, sizeof(i->chip), "%s", d->chip->chip);
	snprintf(i->product, sizeof(i->product), "%s (PCI %04x:%04x)", d->chip->title,
		 (uint32_t)n->vendor_id, (uint32_t)n->device_id);
	snprintf(i->target, sizeof(i->target), "gfx1030");
	snprintf(i->driver, sizeof(i->driver), "amdgpu, compute interface %u.%u", kfd.version.major,
		 kfd.version.minor);
}

static int device_open(uint32_t number, uint32_t gpu_id, struct winsys_device **out)
{
	struct winsys_device *d = calloc(1, sizeof(*d));
	char path[64];
	int error;

	if (!d)
		return -ENOMEM;
	d->gpu_id = gpu_id;
	d->index = kfd.count;
	d->render_file = -1;
	pthread_mutex_init(&d->lock, NULL);
	error = read_topology(d, number);
	if (!error) {
		snprintf(path, sizeof(path), KFD_RENDER_FILE, (uint32_t)d->node.render_minor);
		d->render_file = kfd_os->open(path);
		if (d->render_file < 0) {
			error = -errno;
			winsys_set_error("%s: %s", path, strerror(errno));
		}
	}
	if (error) {
		device_close(d);
		return error;
	}
	fill_info(d);
	*out = d;
	return 0;
}

static int get_apertures(struct winsys_device *d)
{
	struct kfd_apertures list[MAX_NODES];
	struct kfd_get_apertures g = {.list = (uintptr_t)list, .count = MAX_NODES};
	uint32_t i;
	int error = kfd_ioctl(KFD_GET_APERTURES, &g, "address ranges");

	if (error)
		return error;
	for (i = 0; i < g.count && i < MAX_NODES; i++)
		if (list[i].gpu_id == d->gpu_id)
			d->apertures = list[i];
	/* The code has these apertures as constants. */
	if (d->apertures.lds_base == AMD_APERTURE_LDS &&
	    d->apertures.private_base == AMD_APERTURE_PRIVATE &&
	    d->apertures.va_base < d->apertures.va_limit)
		return 0;
	winsys_set_error("%s: apertures of LDS and private memory at 0x%llx and 0x%llx; supported "
			 "are 0x%llx and 0x%llx",
			 d->info.chip, (unsigned long long)d->apertures.lds_base,
			 (unsigned long long)d->apertures.private_base, AMD_APERTURE_LDS,
			 AMD_APERTURE_PRIVATE);
	return -ENOTSUP;
}

int kfd_device_acquire(struct winsys_device *d)
{
	struct kfd_acquire_vm a = {.render_file = (uint32_t)d->render_file, .gpu_id = d->gpu_id};
	int error = 0;

	pthread_mutex_lock(&d->lock);
	if (!d->acquired) {
		error = kfd_ioctl(KFD_ACQUIRE_VM, &a, "an address space");
		if (!error)
			error = get_apertures(d);
		d->acquired = !error;
	}
	pthread_mutex_unlock(&d->lock);
	return error;
}

/* ---- enumeration ---- */

void kfd_close(void)
{
	uint32_t i;

	for (i = 0; i < kfd.count; i++)
		kfd_trap_remove(kfd.devices[i]);
	kfd_events_destroy();
	while (kfd.count)
		device_close(kfd.devices[--kfd.count]);
	if (kfd.file >= 0)
		kfd_os->close(kfd.file);
	kfd.file = -1;
}

static int check_version(char *message, size_t bytes)
{
	int error = kfd_ioctl(KFD_GET_VERSION, &kfd.version, "the version");

	if (error) {
		snprintf(message, bytes, "%s; " REMEDY, winsys_take_error());
		return error;
	}
	LOG(DEVICE, INFO, "amdgpu, compute interface %u.%u", kfd.version.major, kfd.version.minor);
	if (kfd.version.major == KFD_MAJOR && kfd.version.minor >= KFD_MIN_MINOR)
		return 0;
	snprintf(message, bytes,
		 KFD_FILE " has version %u.%u; supported is %u, from %u.%u (Linux 6.1) on; " REMEDY,
		 kfd.version.major, kfd.version.minor, KFD_MAJOR, KFD_MAJOR, KFD_MIN_MINOR);
	return -ENOTSUP;
}

static bool permission_denied(int error)
{
	return error == -EACCES || error == -EPERM;
}

/* Skips GPUs that cannot be used (unknown, outside of this container). The failure is an error only
 * if no GPU is left and the reason is neither an unknown chip nor a missing file. */
static int find_devices(char *message, size_t bytes)
{
	char text[MAX_TEXT];
	uint64_t gpu_id;
	uint32_t number;
	int n, error = 0;

	for (number = 0; number < MAX_NODES && kfd.count < KFD_MAX_DEVICES; number++) {
		n = read_node(number, "gpu_id", text);
		if (n == -ENOENT)
			break;
		/* A node of a CPU has the id 0; one outside of this container is not readable. */
		if (n < 0 || !kfd_number_parse(text, (size_t)n, &gpu_id) || !gpu_id ||
		    gpu_id > UINT32_MAX)
			continue;
		error = device_open(number, (uint32_t)gpu_id, &kfd.devices[kfd.count]);
		if (!error) {
			kfd.count++;
			continue;
		}
		snprintf(message, bytes, "%s", winsys_take_error());
		LOG(DEVICE, INFO, "skipped: %s", message);
	}
	(void)winsys_take_error();
	if (kfd.count || !error || error == -ENOTSUP || error == -ENOENT)
		return 0;
	snprintf(message + strlen(message), bytes - strlen(message), "; %s" REMEDY,
		 permission_denied(error) ? "its group (render or video) may open it, " : "");
	return error;
}

int kfd_enumerate(uint32_t devices_before, struct winsys_device ***devices, uint32_t *count,
		  char *message, size_t message_bytes)
{
	int error = winsys_enabled("SOV_KFD", NULL, message, message_bytes);

	(void)devices_before;
	*devices = kfd.devices;
	*count = kfd.count;
	if (error <= 0 || kfd.file >= 0)
		return error < 0 ? error : 0;
	kfd.file = kfd_os->open(KFD_FILE);
	if (kfd.file < 0) {
		error = -errno;
		if (!permission_denied(error))
			return 0; /* no amdgpu, or no GPU */
		snprintf(message, message_bytes,
			 KFD_FILE ": %s; its group (render or video) may open it, " REMEDY,
			 strerror(-error));
		return error;
	}
	error = check_version(message, message_bytes);
	if (!error)
		error = find_devices(message, message_bytes);
	*count = kfd.count;
	if (error)
		kfd_close();
	return error;
}

/* amdkfd serves the process that opened the file: a child has to open it again. */
static void kfd_forget(void)
{
	kfd = (struct kfd){.file = -1, .lock = PTHREAD_MUTEX_INITIALIZER};
}

static void kfd_info(struct winsys_device *d, struct winsys_info *out)
{
	*out = d->info;
}

static uint64_t kfd_gpu_time(struct winsys_device *d)
{
	struct kfd_clocks c = {.gpu_id = d->gpu_id};

	return kfd_ioctl(KFD_GET_CLOCKS, &c, "the clock") ? 0 : c.gpu_ticks * AMD_CLOCK_NANOSECONDS;
}

const struct winsys winsys_kfd = {
	.name = "kfd",
	.enumerate = kfd_enumerate,
	.forget = kfd_forget,
	.info = kfd_info,
	.gpu_time = kfd_gpu_time,
	.buffer_create = kfd_buffer_create,
	.buffer_import = kfd_buffer_import,
	.buffer_destroy = kfd_buffer_destroy,
	.buffer_map = kfd_buffer_map,
	.memory_info = kfd_memory_info,
	.group_create = kfd_group_create,
	.group_stop = kfd_group_stop,
	.group_destroy = kfd_group_destroy,
	.bind = kfd_bind,
	.unbind = kfd_unbind,
	.group_error = kfd_group_error,
	.wait = kfd_wait,
	.queue_create = kfd_queue_create,
	.queue_destroy = kfd_queue_destroy,
	.queue_memory = kfd_queue_memory,
	.ring_doorbell = kfd_ring_doorbell,
};
