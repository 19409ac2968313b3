// SPDX-License-Identifier: MIT
/*
 * Buffers: video memory, system memory of the driver (GTT), and memory of the process. amdkfd
 * allocates memory at a GPU address, which the runtime chooses when it binds a buffer, so the first
 * bind allocates. System memory is coherent: the GPU does not cache it.
 *
 * A process has one address space on a GPU, which its groups share; the runtime's addresses are
 * unique in the process. A buffer that a group has bound stays mapped when the group is destroyed,
 * until it is unbound or destroyed.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/memory/address_space.h"
#include "libsov/winsys/kfd/kfd.h"

static int check_pages(const void *memory, uint64_t bytes)
{
	if (bytes && !(((uintptr_t)memory | bytes) % KFD_PAGE_BYTES))
		return 0;
	winsys_set_error("%llu bytes at %p are not whole pages of %u bytes",
			 (unsigned long long)bytes, memory, KFD_PAGE_BYTES);
	return -EINVAL;
}

int kfd_buffer_create(struct winsys_device *d, enum winsys_placement placement, uint64_t bytes,
		      struct winsys_buffer **out)
{
	int error = check_pages(NULL, bytes);
	struct winsys_buffer *b;

	if (!error)
		error = kfd_device_acquire(d);
	if (error)
		return error;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->device = d;
	b->placement = placement;
	b->bytes = bytes;
	*out = b;
	return 0;
}

int kfd_buffer_import(struct winsys_device *d, void *memory, uint64_t bytes,
		      struct winsys_buffer **out)
{
	int error = memory ? check_pages(memory, bytes) : -EINVAL;

	if (!error)
		error = kfd_buffer_create(d, WINSYS_SYSTEM, bytes, out);
	if (error)
		return error;
	(*out)->imported = true;
	(*out)->cpu = memory;
	return 0;
}

static int allocate(struct winsys_buffer *b, uint64_t va)
{
	struct winsys_device *d = b->device;
	struct kfd_alloc_memory a = {
		.va = va,
		.bytes = b->bytes,
		.gpu_id = d->gpu_id,
		.flags = KFD_MEMORY_WRITABLE | KFD_MEMORY_EXECUTABLE | KFD_MEMORY_NO_SUBSTITUTE,
	};
	int error;

	if (va < d->apertures.va_base || b->bytes - 1 > d->apertures.va_limit - va ||
	    va > d->apertures.va_limit) {
		winsys_set_error("%s has no addresses at 0x%llx; they are 0x%llx to 0x%llx",
				 d->info.chip, (unsigned long long)va,
				 (unsigned long long)d->apertures.va_base,
				 (unsigned long long)d->apertures.va_limit);
		return -EINVAL;
	}
	if (b->imported) {
		a.flags |= KFD_MEMORY_USER | KFD_MEMORY_COHERENT;
		a.mmap_offset = (uintptr_t)b->cpu;
	} else if (b->placement == WINSYS_SYSTEM) {
		a.flags |= KFD_MEMORY_GTT | KFD_MEMORY_COHERENT;
	} else {
		a.flags |= KFD_MEMORY_VRAM;
	}
	error = kfd_ioctl(KFD_ALLOC_MEMORY, &a, "memory");
	if (error)
		return error;
	b->handle = a.handle;
	b->mmap_offset = a.mmap_offset;
	b->va = va;
	b->allocated = true;
	return 0;
}

/* direction: KFD_MAP_MEMORY or KFD_UNMAP_MEMORY. */
static int map_on(struct winsys_buffer *b, unsigned long direction, struct winsys_device *d)
{
	struct kfd_map_memory m = {
		.handle = b->handle,
		.gpu_ids = (uintptr_t)&d->gpu_id,
		.count = 1,
	};
	uint32_t bit = 1u << d->index;
	bool map = direction == KFD_MAP_MEMORY;
	int error;

	if (!(b->mapped & bit) == !map)
		return 0;
	error = kfd_ioctl(direction, &m, map ? "mapping memory" : "unmapping memory");
	if (!error)
		b->mapped ^= bit;
	return error;
}

int kfd_buffer_map_on(struct winsys_buffer *b, struct winsys_device *d)
{
	return map_on(b, KFD_MAP_MEMORY, d);
}

int kfd_bind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va)
{
	int error = 0;

	if (!b->allocated)
		error = allocate(b, va);
	if (!error && b->va != va) {
		winsys_set_error("amdgpu maps a buffer at one address, 0x%llx, not also at 0x%llx",
				 (unsigned long long)b->va, (unsigned long long)va);
		error = -EINVAL;
	}
	return error ? error : map_on(b, KFD_MAP_MEMORY, g->device);
}

int kfd_unbind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va)
{
	if (!b->allocated || b->va != va)
		return -EINVAL;
	return map_on(b, KFD_UNMAP_MEMORY, g->device);
}

void kfd_buffer_destroy(struct winsys_buffer *b)
{
	struct kfd_free_memory f;
	uint32_t i;
	int error = 0;

	if (!b)
		return;
	if (b->cpu && !b->imported)
		kfd_os->unmap(b->cpu, b->bytes);
	for (i = 0; i < kfd.count; i++)
		map_on(b, KFD_UNMAP_MEMORY, kfd.devices[i]);
	f.handle = b->handle;
	/* amdkfd frees the rest, and the event page in any case, when the process ends. */
	if (b->allocated)
		error = kfd_ioctl(KFD_FREE_MEMORY, &f, "freeing memory");
	if (error)
		LOG(DEVICE, INFO, "memory at 0x%llx: %s", (unsigned long long)b->va,
		    winsys_take_error());
	if (b->own_va && !error)
		va_free(false, b->va, b->bytes);
	free(b);
}

/* Video memory is not mapped: what the CPU writes there stays in a buffer of the host interface
 * (HDP) until that is flushed. */
void *kfd_buffer_map(struct winsys_buffer *b)
{
	void *cpu;

	if (b->placement == WINSYS_VRAM) {
		winsys_set_error("the CPU does not map video memory through amdgpu");
		return NULL;
	}
	if (b->cpu || !b->allocated)
		return b->cpu;
	cpu = kfd_os->map(b->bytes, b->device->render_file, b->mmap_offset);
	if (cpu != MAP_FAILED)
		b->cpu = cpu;
	return b->cpu;
}

int kfd_buffer_new(struct winsys_device *d, enum winsys_placement placement, uint64_t bytes,
		   struct winsys_buffer **out)
{
	struct winsys_buffer *b;
	uint64_t va;
	int error = kfd_buffer_create(d, placement, bytes, &b);

	if (error)
		return error;
	if (!va_alloc(false, bytes, KFD_PAGE_BYTES, &va)) {
		free(b);
		return -ENOMEM;
	}
	b->va = va;
	b->own_va = true;
	error = allocate(b, va);
	if (!error)
		error = map_on(b, KFD_MAP_MEMORY, d);
	if (!error && placement == WINSYS_SYSTEM && !kfd_buffer_map(b)) {
		winsys_set_error("the CPU cannot map %llu bytes of system memory",
				 (unsigned long long)bytes);
		error = -ENOMEM;
	}
	if (error)
		kfd_buffer_destroy(b);
	else
		*out = b;
	return error;
}

void kfd_memory_info(struct winsys_device *d, uint64_t *free_bytes, uint64_t *total_bytes)
{
	struct kfd_available_memory a = {.gpu_id = d->gpu_id};

	*total_bytes = d->info.memory_bytes;
	*free_bytes = kfd_ioctl(KFD_AVAILABLE_MEMORY, &a, "the free memory") ? 0 : a.bytes;
	(void)winsys_take_error();
}
