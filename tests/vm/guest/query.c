/* SPDX-License-Identifier: MIT */
/* DEV_QUERY: what it says of an H200, how sizes are dealt with, what it refuses. */
#include <time.h>

#include "tests/vm/guest/device.h"

static int fd;

static void device(void)
{
	struct drm_sovgpu_device_info i = {0};
	uint32_t known;

	ok(!query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(i), &i, &known) && known == sizeof(i),
	   "the device describes itself");
	ok(i.vendor == 0x10de && i.device == 0x2335 && i.subsystem == 0x18bf10de && i.revision == 0xa1,
	   "by its PCI numbers");
	ok(i.chip == 0x180 && i.isa == 90 && !strcmp((char *)i.name, "gh100"), "as a GH100, sm_90");
	is_str((char *)i.firmware, "570.144", "with its GSP firmware's version");
}

static void sizes(void)
{
	struct drm_sovgpu_device_info i;
	uint8_t larger[sizeof(i) + 16];
	uint32_t known = 0;

	ok(!query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, 0, NULL, &known) && known == sizeof(i),
	   "without a pointer it tells the size");
	memset(&i, 0xee, sizeof(i));
	ok(!query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, 8, &i, NULL) && i.device == 0x2335 && i.subsystem == 0xeeeeeeee,
	   "a smaller structure is filled and not more");
	memset(larger, 0xee, sizeof(larger));
	ok(!query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(larger), larger, NULL) &&
	   !memcmp(larger + sizeof(i), (uint8_t[16]){0}, 16), "the rest of a larger one is zero");
}

static void refusals(void)
{
	struct drm_sovgpu_device_info i;

	ok(query(fd, 1000, sizeof(i), &i, NULL) == -EINVAL, "an unknown type is EINVAL");
	ok(query(fd, UINT32_MAX, sizeof(i), &i, NULL) == -EINVAL, "the largest type too");
	ok(query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(i), (void *)8, NULL) == -EFAULT,
	   "a pointer to nothing is EFAULT");
}

static void clocks(void)
{
	struct drm_sovgpu_time_info a = {0}, b = {0};
	struct timespec pause = {.tv_nsec = 20000000};

	ok(!query(fd, DRM_SOVGPU_DEV_QUERY_TIME, sizeof(a), &a, NULL), "the clocks can be read");
	nanosleep(&pause, NULL);
	ok(!query(fd, DRM_SOVGPU_DEV_QUERY_TIME, sizeof(b), &b, NULL) && b.device_ns > a.device_ns &&
	   b.monotonic_ns >= a.monotonic_ns + 20000000, "both go forward");
}

int main(void)
{
	struct drm_sovgpu_memory_info m = {0};

	fd = open(RENDER_NODE, O_RDWR | O_CLOEXEC);
	if (!ok(fd >= 0, "the render node opens"))
		return tap_done();
	device();
	ok(!query(fd, DRM_SOVGPU_DEV_QUERY_MEMORY, sizeof(m), &m, NULL) && m.vram_bytes > 0, "its memory is told");
	ok(m.vram_bytes > 140ull << 30 && m.vram_bytes < 143771ull << 20 && m.vram_free == m.vram_bytes &&
	   m.vram_mappable == m.vram_bytes && m.vram_page == 65536,
	   "almost all of it, free, and it can be mapped");
	sizes();
	refusals();
	clocks();
	return tap_done();
}
