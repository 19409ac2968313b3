/* SPDX-License-Identifier: MIT */
/* fdinfo: what a file uses, in the kernel's own words for it. */
#include "tests/userspace/kselftest/queue.h"

int main(void)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, 0, 0};
	struct machine m;
	uint32_t vram;

	if (!machine_open(&m, COPY))
		return tap_done();
	ok(value_of(m.fd, "drm-engine-compute") == 0 && value_of(m.fd, "drm-engine-copy") == 0,
	   "no engine was used");
	ok(value_of(m.fd, "drm-total-system") == 4 && value_of(m.fd, "drm-resident-system") == 4,
	   "four MiB of system memory are");
	create(m.fd, VRAM, 8 * MIB, 0, &vram);
	ok(value_of(m.fd, "drm-total-vram0") == 8 && value_of(m.fd, "drm-shared-vram0") == 0,
	   "eight MiB of VRAM, not shared");
	done.handle = syncobj(m.fd);
	struct stream s = at(&m, 0);

	add_copy(&s, BUFFER_VA + MIB, BUFFER_VA + 2 * MIB, MIB);
	struct drm_sovgpu_job job = job_of(&m, &s);

	ok(!submit(m.fd, m.queue, &job, 1, &done, 1) && !wait_for(m.fd, done.handle, 0, 20),
	   "something is copied");
	ok(value_of(m.fd, "drm-engine-copy") > 0, "the copy engine was used");
	ok(value_of(m.fd, "drm-engine-compute") == 0, "the other was not");
	int other = open_device();

	ok(value_of(other, "drm-engine-copy") == 0 && value_of(other, "drm-total-vram0") <= 0,
	   "another file used nothing");
	machine_close(&m);
	return tap_done();
}
