// SPDX-License-Identifier: MIT
/*
 * Buffer objects in video memory, in system memory, and of pages of the process that the driver
 * pins. The CPU mapping is created on demand; the runtime chooses the GPU address.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "libsov/winsys/kmod/kmod.h"

static int check_pages(const void *memory, uint64_t bytes, uint64_t page)
{
	if (bytes && !(((uintptr_t)memory | bytes) % page))
		return 0;
	winsys_set_error("%llu bytes at %p are not whole pages of %llu bytes",
			 (unsigned long long)bytes, memory, (unsigned long long)page);
	return -EINVAL;
}

static int create_bo(struct winsys_device *d, struct drm_sovgpu_bo_create *c, const char *action,
		     struct winsys_buffer **out)
{
	struct winsys_buffer *b = calloc(1, sizeof(*b));
	int error;

	if (!b)
		return -ENOMEM;
	error = kmod_ioctl(d->fd, DRM_IOCTL_SOVGPU_BO_CREATE, c, action);
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

int kmod_buffer_create(struct winsys_device *d, enum winsys_placement placement, uint64_t bytes,
		       struct winsys_buffer **out)
{
	struct drm_sovgpu_bo_create c = {
		.size = bytes,
		.region = placement == WINSYS_VRAM ? DRM_SOVGPU_REGION_VRAM
						   : DRM_SOVGPU_REGION_SYSTEM,
		.flags = DRM_SOVGPU_BO_MAPPABLE,
	};
	int error = check_pages(NULL, bytes, d->info.page_bytes);

	return error ? error
		     : create_bo(d, &c,
				 placement == WINSYS_VRAM ? "allocating video memory"
							  : "allocating system memory",
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
	int error = check_pages(memory, bytes, d->info.import_page_bytes);

	if (!error)
		error = create_bo(d, &c, "pinning host memory", out);
	if (error == -ENOMEM)
		winsys_set_error("sovgpu.ko: no more host memory can be pinned; RLIMIT_MEMLOCK "
				 "(ulimit -l) limits it");
	if (error)
		return error;
	(*out)->imported = true;
	(*out)->cpu = memory;
	return 0;
}

void kmod_buffer_destroy(struct winsys_buffer *b)
{
	if (b->cpu && !b->imported)
		kmod_os->munmap(b->cpu, b->bytes);
	(void)kmod_os->close_buffer(b->device->fd, b->handle);
	free(b);
}

void *kmod_buffer_map(struct winsys_buffer *b)
{
	struct drm_sovgpu_bo_mmap_offset m = {.handle = b->handle};
	void *cpu;

	if (b->cpu || kmod_ioctl(b->device->fd, DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &m,
				 "querying a buffer's mmap offset"))
		return b->cpu;
	cpu = kmod_os->mmap(b->bytes, b->device->fd, m.offset);
	if (cpu == MAP_FAILED)
		winsys_set_error("mapping %llu bytes of %s: %s", (unsigned long long)b->bytes,
				 b->device->path, strerror(errno));
	else
		b->cpu = cpu;
	return b->cpu;
}

static int vm_bind(struct winsys_group *g, struct drm_sovgpu_vm_bind_op *op, const char *action)
{
	struct drm_sovgpu_vm_bind bind = {
		.vm_id = g->vm,
		.ops = {.stride = sizeof(*op), .count = 1, .array = (uintptr_t)op},
	};

	return kmod_ioctl(g->device->fd, DRM_IOCTL_SOVGPU_VM_BIND, &bind, action);
}

int kmod_bind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va)
{
	struct drm_sovgpu_vm_bind_op op = {
		.type = DRM_SOVGPU_VM_BIND_OP_MAP,
		.handle = b->handle,
		.va = va,
		.size = b->bytes,
	};

	return vm_bind(g, &op, "binding a buffer");
}

int kmod_unbind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va)
{
	struct drm_sovgpu_vm_bind_op op = {
		.type = DRM_SOVGPU_VM_BIND_OP_UNMAP,
		.va = va,
		.size = b->bytes,
	};

	return vm_bind(g, &op, "unbinding a buffer");
}
