// SPDX-License-Identifier: MIT
/* fdinfo: engine time and memory of a file, under the keys of DRM's usage statistics. */
#include "tests/userspace/kselftest/queue.h"

int main(void)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, 0, 0};
	struct fixture m;
	uint32_t vram;

	if (!fixture_open(&m, COPY))
		return tap_done();
	ok(fdinfo_value(m.fd, "drm-engine-compute") == 0 &&
		   fdinfo_value(m.fd, "drm-engine-copy") == 0,
	   "fdinfo reports no engine time for a new file");
	ok(fdinfo_value(m.fd, "drm-total-system") == 4 &&
		   fdinfo_value(m.fd, "drm-resident-system") == 4,
	   "fdinfo reports 4 MiB of system memory as total and resident");
	bo_create(m.fd, VRAM, 8 * MIB, 0, &vram);
	ok(fdinfo_value(m.fd, "drm-total-vram0") == 8 &&
		   fdinfo_value(m.fd, "drm-shared-vram0") == 0,
	   "fdinfo reports 8 MiB of VRAM, not shared");
	done.handle = syncobj_create(m.fd);
	struct stream s = stream_at(&m, 0);

	stream_copy(&s, BUFFER_VA + MIB, BUFFER_VA + 2 * MIB, MIB);
	struct drm_sovgpu_job job = stream_job(&m, &s);

	ok(!queue_submit(m.fd, m.queue, &job, 1, &done, 1) &&
		   !syncobj_wait(m.fd, done.handle, 0, 20),
	   "a copy job completes");
	ok(fdinfo_value(m.fd, "drm-engine-copy") > 0,
	   "fdinfo reports time of the copy engine after a copy");
	ok(fdinfo_value(m.fd, "drm-engine-compute") == 0,
	   "fdinfo reports no time of the compute engine after a copy");
	int other = open_device();

	ok(fdinfo_value(other, "drm-engine-copy") == 0 &&
		   fdinfo_value(other, "drm-total-vram0") <= 0,
	   "fdinfo of another file reports no engine time and no VRAM");
	fixture_close(&m);
	return tap_done();
}
