// SPDX-License-Identifier: MIT
/*
 * Buffers: video memory in pages of 64 KiB or 2 MiB, system memory that RM allocates, and pages of
 * the process that RM pins. The CPU maps video memory write-combined through BAR1 and system memory
 * cached. The runtime chooses the GPU address; GPU accesses to system memory snoop the CPU's
 * caches.
 */
#include <errno.h>
#include <stdlib.h>
#include "libsov/winsys/nvrm/nvrm.h"

/* These attributes work on an H200. */
static void memory_parameters(const struct winsys_buffer *b, struct rm_memory_parameters *p)
{
	bool large = b->bytes % NVRM_LARGE_PAGE_BYTES == 0;

	*p = (struct rm_memory_parameters){
		.owner = b->device->rm->client,
		.flags = RM_MEMORY_FLAGS,
		.bytes = b->bytes,
	};
	if (b->placement == WINSYS_SYSTEM) {
		p->type = RM_MEMORY_TYPE_NOTIFIER;
		p->attributes = RM_MEMORY_PCI | RM_MEMORY_SCATTERED | RM_MEMORY_WRITE_BACK;
		p->attributes2 = RM_MEMORY2_UNCACHED;
		p->alignment = NVRM_HOST_PAGE_BYTES;
		return;
	}
	p->type = RM_MEMORY_TYPE_IMAGE;
	p->attributes =
		RM_MEMORY_MAY_SCATTER | (large ? RM_MEMORY_HUGE_PAGES : RM_MEMORY_BIG_PAGES);
	p->attributes2 = RM_MEMORY2_CACHED | (large ? RM_MEMORY2_HUGE_2M : 0);
	p->alignment = large ? NVRM_LARGE_PAGE_BYTES : NVRM_PAGE_BYTES;
}

static int check_pages(const void *memory, uint64_t bytes, uint64_t page)
{
	if (bytes && !(((uintptr_t)memory | bytes) % page))
		return 0;
	winsys_set_error("%llu bytes at %p are not whole pages of %llu bytes",
			 (unsigned long long)bytes, memory, (unsigned long long)page);
	return -EINVAL;
}

static struct winsys_buffer *buffer_new(struct winsys_device *d, enum winsys_placement placement,
					uint64_t bytes)
{
	struct winsys_buffer *b = calloc(1, sizeof(*b));

	if (b) {
		b->device = d;
		b->scope.rm = d->rm;
		b->placement = placement;
		b->bytes = bytes;
	}
	return b;
}

int nvrm_buffer_create(struct winsys_device *d, enum winsys_placement placement, uint64_t bytes,
		       struct winsys_buffer **out)
{
	bool vram = placement == WINSYS_VRAM;
	struct rm_memory_parameters p;
	struct winsys_buffer *b;
	int error = check_pages(NULL, bytes, NVRM_PAGE_BYTES);

	if (error)
		return error;
	b = buffer_new(d, placement, bytes);
	if (!b)
		return -ENOMEM;
	memory_parameters(b, &p);
	error = rm_alloc(&b->scope, d->device, vram ? RM_CLASS_MEMORY_VRAM : RM_CLASS_MEMORY_SYSTEM,
			 &p, sizeof(p), &b->memory, vram ? "video memory" : "system memory");
	if (error)
		free(b);
	else
		*out = b;
	return error;
}

int nvrm_buffer_import(struct winsys_device *d, void *memory, uint64_t bytes,
		       struct winsys_buffer **out)
{
	int error = check_pages(memory, bytes, NVRM_HOST_PAGE_BYTES);
	struct winsys_buffer *b;

	if (error)
		return error;
	b = buffer_new(d, WINSYS_SYSTEM, bytes);
	if (!b)
		return -ENOMEM;
	error = rm_pin(&b->scope, d->file, d->device, memory, bytes, &b->memory);
	if (error) {
		free(b);
		return error;
	}
	b->imported = true;
	b->cpu = memory;
	*out = b;
	return 0;
}

void nvrm_buffer_destroy(struct winsys_buffer *b)
{
	if (!b)
		return;
	if (b->cpu && !b->imported)
		nvrm_os->unmap(b->cpu, b->bytes);
	rm_unwind(&b->scope, 0);
	free(b);
}

void *nvrm_buffer_map(struct winsys_buffer *b)
{
	struct winsys_device *d = b->device;
	bool vram = b->placement == WINSYS_VRAM;
	void *cpu;

	if (!b->cpu &&
	    !rm_map_cpu(d->rm, d->device, b->memory, b->bytes, vram ? RM_MAP_CPU_WRITE_COMBINED : 0,
			vram ? d->path : NVRM_CONTROL_FILE, &cpu))
		b->cpu = cpu;
	return b->cpu;
}

int nvrm_bind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va)
{
	struct winsys_device *d = g->device;

	return rm_map_gpu(d->rm, d->device, g->va_range, b->memory, b->bytes,
			  RM_MAP_GPU_FIXED | (b->placement == WINSYS_SYSTEM ? RM_MAP_GPU_SNOOP : 0),
			  va);
}

int nvrm_unbind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va)
{
	struct winsys_device *d = g->device;

	return rm_unmap_gpu(d->rm, d->device, g->va_range, b->memory, b->bytes, va);
}
