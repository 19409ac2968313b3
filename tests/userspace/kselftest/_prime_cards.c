/* SPDX-License-Identifier: MIT */
/* Two cards share a buffer: system memory of the first is copied by the second; its VRAM is not given. */
#include "tests/userspace/kselftest/queue.h"

#define SHARED_VA (4 * GIB)

int main(void)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, 0, 0};
	struct drm_sovgpu_bo_info info = {0};
	int first = open("/dev/dri/renderD129", O_RDWR | O_CLOEXEC);
	uint32_t system_memory, vram, imported, refused;
	struct machine m; /* on the other */

	if (!ok(first >= 0, "one card is open") || !machine_open(&m, COPY))
		return tap_done();
	create(first, SYSTEM, MIB, MAPPABLE, &system_memory);
	create(first, VRAM, MIB, MAPPABLE, &vram);
	int file = prime_export(first, system_memory), vram_file = prime_export(first, vram);

	ok(file >= 0 && vram_file >= 0, "both kinds of memory become files");
	ok(prime_import(m.fd, vram_file, &refused) == -EOPNOTSUPP,
	   "VRAM of one card is not for the other: EOPNOTSUPP");
	if (!ok(!prime_import(m.fd, file, &imported), "system memory is"))
		return tap_done();
	info.handle = imported;
	ok(!call(m.fd, DRM_IOCTL_SOVGPU_BO_INFO, &info) && info.region == SYSTEM &&
		   info.size == MIB && !info.flags,
	   "it is system memory that is not to be mapped");
	ok(map(m.fd, imported, MIB) == MAP_FAILED && errno == EACCES, "so mapping it is EACCES");
	ok(!vm_map(m.fd, m.vm, imported, 0, SHARED_VA, MIB), "but an address space can have it");
	uint8_t *here = map(first, system_memory, MIB);

	memset(here, 0x6e, MIB);
	close(file);
	close(vram_file);
	done.handle = syncobj(m.fd);
	struct stream s = at(&m, 0);

	add_copy(&s, BUFFER_VA + MIB, SHARED_VA, MIB);
	struct drm_sovgpu_job job = job_of(&m, &s);

	ok(!submit(m.fd, m.queue, &job, 1, &done, 1) && !wait_for(m.fd, done.handle, 0, 20) &&
		   !memcmp(m.memory + MIB, here, MIB),
	   "and the other card's engine copies it");
	munmap(here, MIB);
	close(first);
	ok(!forget(m.fd, imported), "the import outlives the file it came from");
	machine_close(&m);
	return tap_done();
}
