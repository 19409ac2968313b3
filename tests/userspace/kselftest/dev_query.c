/* SPDX-License-Identifier: MIT */
/* DEV_QUERY: what it says of an H200, how sizes are dealt with, what it refuses. */
#include <time.h>

#include "tests/userspace/kselftest/device.h"

static int fd;

static void device(void)
{
	struct drm_sovgpu_device_info i = {0};
	uint32_t known;

	ok(!query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(i), &i, &known) && known == sizeof(i),
	   "the device describes itself");
	ok(i.vendor == 0x10de && i.device == 0x2335 && i.subsystem == 0x18bf10de &&
		   i.revision == 0xa1,
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
	ok(!query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, 8, &i, NULL) && i.device == 0x2335 &&
		   i.subsystem == 0xeeeeeeee,
	   "a smaller structure is filled and not more");
	memset(larger, 0xee, sizeof(larger));
	ok(!query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(larger), larger, NULL) &&
		   !memcmp(larger + sizeof(i), (uint8_t[16]){0}, 16),
	   "the rest of a larger one is zero");
}

static void refusals(void)
{
	struct drm_sovgpu_device_info i;
	const struct drm_sovgpu_dev_query good = {.size = sizeof(i), .pointer = (uintptr_t)&i};
	static const struct spoiled rows[] = {
		SPOIL(dev_query, type, DRM_SOVGPU_DEV_QUERY_TIME + 1, -EINVAL,
		      "the first type beyond"),
		SPOIL(dev_query, type, 1000, -EINVAL, "an unknown type"),
		SPOIL(dev_query, type, UINT32_MAX, -EINVAL, "the largest type"),
		SPOIL(dev_query, pointer, 8, -EFAULT, "a pointer to nothing"),
		SPOIL(dev_query, pointer, UINT64_MAX - 7, -EFAULT, "a pointer into the kernel"),
		SPOIL(dev_query, pointer, UINT64_C(1) << 63, -EFAULT,
		      "a pointer to nobody's addresses"),
	};

	refuses(fd, "DEV_QUERY", DRM_IOCTL_SOVGPU_DEV_QUERY, &good, rows, COUNT(rows));
	/* The rest of a larger structure becomes zero, so it must have a place of its own to end in. */
	void *page =
		mmap(NULL, 2 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap((char *)page + MIB, MIB);
	ok(query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, (uint32_t)(2 * MIB), page, NULL) == -EFAULT,
	   "DEV_QUERY refuses memory of which a part is not there");
	munmap(page, MIB);
}

/* Every number beyond the last call, and every other size of an argument, is looked at by DRM. */
static void other_calls(void)
{
	uint8_t argument[256] = {0};

	ok(call(fd,
		DRM_IOWR(DRM_COMMAND_BASE + DRM_SOVGPU_INTERRUPT_WAIT + 1,
			 struct drm_sovgpu_dev_query),
		argument) == -EINVAL &&
		   call(fd, DRM_IOWR(DRM_COMMAND_END - 1, struct drm_sovgpu_dev_query), argument) ==
			   -EINVAL,
	   "a call that does not exist is EINVAL");
}

static void clocks(void)
{
	struct drm_sovgpu_time_info a = {0}, b = {0};
	struct timespec pause = {.tv_nsec = 20000000};

	ok(!query(fd, DRM_SOVGPU_DEV_QUERY_TIME, sizeof(a), &a, NULL), "the clocks can be read");
	nanosleep(&pause, NULL);
	ok(!query(fd, DRM_SOVGPU_DEV_QUERY_TIME, sizeof(b), &b, NULL) &&
		   b.device_ns > a.device_ns && b.monotonic_ns >= a.monotonic_ns + 20000000,
	   "both go forward");
}

int main(void)
{
	struct drm_sovgpu_memory_info m = {0};

	fd = open_device();
	if (!ok(fd >= 0, "the render node opens"))
		return tap_done();
	device();
	ok(!query(fd, DRM_SOVGPU_DEV_QUERY_MEMORY, sizeof(m), &m, NULL) && m.vram_bytes > 0,
	   "its memory is told");
	ok(m.vram_bytes > 140ull << 30 && m.vram_bytes < 143771ull << 20 &&
		   m.vram_free <= m.vram_bytes && m.vram_bytes - m.vram_free < GIB &&
		   m.vram_mappable == m.vram_bytes && m.vram_page == 65536,
	   "almost all of it, free but for what the driver needs, and it can be mapped");
	sizes();
	refusals();
	other_calls();
	clocks();
	return tap_done();
}
