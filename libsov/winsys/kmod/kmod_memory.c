/* SPDX-License-Identifier: MIT */
/*
 * Memory: buffers in video memory and in system memory, and pages of the process that the driver
 * pins. The CPU's mapping is made only when it is asked for; the GPU reaches each at the address
 * that the runtime has chosen.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "libsov/winsys/kmod/kmod.h"

static int check(const void *memory, uint64_t bytes, uint64_t page)
{
	if (bytes && !(((uintptr_t)memory | bytes) % page))
		return 0;
	winsys_set_error("%llu bytes at %p are not whole pages of %llu bytes", (unsigned long long)bytes,
		   memory, (unsigned long long)page);
	return -EINVAL;
}

static int create(struct winsys_device *d, struct drm_sovgpu_bo_create *c, const char *doing,
		  struct winsys_buffer **out)
{
	struct winsys_buffer *b = calloc(1, sizeof(*b));
	int error;

	if (!b)
		return -ENOMEM;
	error = kmod_call(d->file, DRM_IOCTL_SOVGPU_BO_CREATE, c, doing);
	if (error) {
		free(b);
		return error;
	}
	b->device = d;
	b->bytes = c->size;
	b->handle = c->handle;
	*out = b;
	return 0;
}

int kmod_buffer_create(struct winsys_device *d, enum winsys_placement where, uint64_t bytes,
		       struct winsys_buffer **out)
{
	struct drm_sovgpu_bo_create c = {
		.size = bytes,
		.region = where == WINSYS_VRAM ? DRM_SOVGPU_REGION_VRAM : DRM_SOVGPU_REGION_SYSTEM,
		.flags = DRM_SOVGPU_BO_MAPPABLE,
	};
	int error = check(NULL, bytes, d->info.page_bytes);

	return error ? error
		     : create(d, &c,
			      where == WINSYS_VRAM ? "making a buffer in video memory"
						   : "making a buffer in system memory",
			      out);
}

int kmod_buffer_import(struct winsys_device *d, void *memory, uint64_t bytes,
		       struct winsys_buffer **out)
{
	struct drm_sovgpu_bo_create c = {
		.size = bytes,
		.region = DRM_SOVGPU_REGION_USER,
		.user_address = (uintptr_t)memory,
	};
	int error = check(memory, bytes, d->info.import_page_bytes);

	if (!error)
		error = create(d, &c, "pinning host memory", out);
	if (error == -ENOMEM)
		winsys_set_error(
			"sovgpu.ko: no more host memory can be pinned; RLIMIT_MEMLOCK (ulimit -l) "
			"counts it");
	if (error)
		return error;
	(*out)->imported = true;
	(*out)->cpu = memory;
	return 0;
}

void kmod_buffer_destroy(struct winsys_buffer *b)
{
	struct drm_gem_close close = {.handle = b->handle};

	if (b->cpu && !b->imported)
		kmod_os->unmap(b->cpu, b->bytes);
	kmod_drop(b->device->file, DRM_IOCTL_GEM_CLOSE, &close, "giving back a buffer");
	free(b);
}

void *kmod_buffer_map(struct winsys_buffer *b)
{
	struct drm_sovgpu_bo_mmap_offset m = {.handle = b->handle};
	void *cpu;

	if (b->cpu || kmod_call(b->device->file, DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &m,
				"asking where a buffer is mapped"))
		return b->cpu;
	cpu = kmod_os->map(b->bytes, b->device->file, m.offset);
	if (cpu == MAP_FAILED)
		winsys_set_error("mapping %llu bytes of %s: %s", (unsigned long long)b->bytes,
			   b->device->path, strerror(errno));
	else
		b->cpu = cpu;
	return b->cpu;
}

static int step(struct winsys_group *g, struct drm_sovgpu_vm_bind_op *op, const char *doing)
{
	struct drm_sovgpu_vm_bind bind = {
		.vm_id = g->vm,
		.ops = {.stride = sizeof(*op), .count = 1, .array = (uintptr_t)op},
	};

	return kmod_call(g->device->file, DRM_IOCTL_SOVGPU_VM_BIND, &bind, doing);
}

int kmod_bind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va)
{
	struct drm_sovgpu_vm_bind_op op = {
		.type = DRM_SOVGPU_VM_BIND_OP_MAP,
		.handle = b->handle,
		.va = va,
		.size = b->bytes,
	};

	return step(g, &op, "mapping a buffer for the GPU");
}

int kmod_unbind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va)
{
	struct drm_sovgpu_vm_bind_op op = {
		.type = DRM_SOVGPU_VM_BIND_OP_UNMAP,
		.va = va,
		.size = b->bytes,
	};

	return step(g, &op, "unmapping a buffer of the GPU");
}
