// SPDX-License-Identifier: MIT
/*
 * PRIME between two cards: the second card copies from system memory that the first exported; VRAM
 * cannot be imported.
 */
#include "tests/userspace/kselftest/queue.h"

#define SHARED_VA (4 * GIB)

int main(void)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, 0, 0};
	struct drm_sovgpu_bo_info info = {0};
	int first = open("/dev/dri/renderD129", O_RDWR | O_CLOEXEC);
	uint32_t system_memory, vram, imported, refused;
	struct fixture m; /* on the other card */

	if (!ok(first >= 0, "the second card's render node opens") || !fixture_open(&m, COPY))
		return tap_done();
	bo_create(first, SYSTEM, MIB, MAPPABLE, &system_memory);
	bo_create(first, VRAM, MIB, MAPPABLE, &vram);
	int file = prime_export(first, system_memory), vram_file = prime_export(first, vram);

	ok(file >= 0 && vram_file >= 0, "system memory and VRAM are exported as dma-bufs");
	ok(prime_import(m.fd, vram_file, &refused) == -EOPNOTSUPP,
	   "importing another card's VRAM is EOPNOTSUPP");
	if (!ok(!prime_import(m.fd, file, &imported),
		"importing another card's system memory succeeds"))
		return tap_done();
	info.handle = imported;
	ok(!gpu_ioctl(m.fd, DRM_IOCTL_SOVGPU_BO_INFO, &info) && info.region == SYSTEM &&
		   info.size == MIB && !info.flags,
	   "the import reports system memory that is not mappable");
	ok(bo_map(m.fd, imported, MIB) == MAP_FAILED && errno == EACCES,
	   "mapping imported memory on the CPU is EACCES");
	ok(!vm_map(m.fd, m.vm, imported, 0, SHARED_VA, MIB),
	   "imported memory is mapped into an address space");
	uint8_t *here = bo_map(first, system_memory, MIB);

	memset(here, 0x6e, MIB);
	close(file);
	close(vram_file);
	done.handle = syncobj_create(m.fd);
	struct stream s = stream_at(&m, 0);

	stream_copy(&s, BUFFER_VA + MIB, SHARED_VA, MIB);
	struct drm_sovgpu_job job = stream_job(&m, &s);

	ok(!queue_submit(m.fd, m.queue, &job, 1, &done, 1) &&
		   !syncobj_wait(m.fd, done.handle, 0, 20) && !memcmp(m.memory + MIB, here, MIB),
	   "the importing card's engine copies the exporter's bytes");
	munmap(here, MIB);
	close(first);
	ok(!bo_close(m.fd, imported), "the import outlives the exporter's file");
	fixture_close(&m);
	return tap_done();
}
