// SPDX-License-Identifier: MIT
/* DEV_QUERY: values for an H200, struct size negotiation, invalid arguments. */
#include <time.h>

#include "tests/userspace/kselftest/device.h"

static int fd;

static void test_device_info(void)
{
	struct drm_sovgpu_device_info i = {0};
	uint32_t known;

	ok(!dev_query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(i), &i, &known) && known == sizeof(i),
	   "DEV_QUERY_DEVICE returns the whole struct");
	ok(i.vendor == 0x10de && i.device == 0x2335 && i.subsystem == 0x18bf10de &&
		   i.revision == 0xa1,
	   "DEV_QUERY_DEVICE returns the PCI IDs of an H200");
	ok(i.chip == 0x180 && i.isa == 90 && !strcmp((char *)i.name, "gh100"),
	   "DEV_QUERY_DEVICE returns chip GH100, sm_90");
	is_str((char *)i.firmware, "570.144", "DEV_QUERY_DEVICE returns the GSP firmware version");
}

static void test_struct_sizes(void)
{
	struct drm_sovgpu_device_info i;
	uint8_t larger[sizeof(i) + 16];
	uint32_t known = 0;

	ok(!dev_query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, 0, NULL, &known) && known == sizeof(i),
	   "DEV_QUERY without a pointer returns the struct size");
	memset(&i, 0xee, sizeof(i));
	ok(!dev_query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, 8, &i, NULL) && i.device == 0x2335 &&
		   i.subsystem == 0xeeeeeeee,
	   "DEV_QUERY fills a smaller struct and nothing beyond it");
	memset(larger, 0xee, sizeof(larger));
	ok(!dev_query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(larger), larger, NULL) &&
		   !memcmp(larger + sizeof(i), (uint8_t[16]){0}, 16),
	   "DEV_QUERY zeroes the rest of a larger struct");
}

static void test_invalid_arguments(void)
{
	struct drm_sovgpu_device_info i;
	const struct drm_sovgpu_dev_query good = {.size = sizeof(i), .pointer = (uintptr_t)&i};
	static const struct bad_member rows[] = {
		BAD_MEMBER(dev_query, type, DRM_SOVGPU_DEV_QUERY_TIME + 1, -EINVAL,
			   "the first undefined query type"),
		BAD_MEMBER(dev_query, type, 1000, -EINVAL, "an undefined type"),
		BAD_MEMBER(dev_query, type, UINT32_MAX, -EINVAL, "type 0xffffffff"),
		BAD_MEMBER(dev_query, pointer, 8, -EFAULT, "a pointer to unmapped memory"),
		BAD_MEMBER(dev_query, pointer, UINT64_MAX - 7, -EFAULT,
			   "a pointer into kernel memory"),
		BAD_MEMBER(dev_query, pointer, UINT64_C(1) << 63, -EFAULT,
			   "a non-canonical pointer"),
	};

	expect_refused(fd, "DEV_QUERY", DRM_IOCTL_SOVGPU_DEV_QUERY, &good, rows, COUNT(rows));
	/* The kernel zeroes the rest of a larger struct, so all of it must be writable. */
	void *page =
		mmap(NULL, 2 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap((char *)page + MIB, MIB);
	ok(dev_query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, (uint32_t)(2 * MIB), page, NULL) == -EFAULT,
	   "DEV_QUERY refuses a struct that is partly unmapped");
	munmap(page, MIB);
}

/* DRM itself rejects ioctl numbers beyond the driver's last one. */
static void test_undefined_ioctls(void)
{
	uint8_t argument[256] = {0};

	ok(gpu_ioctl(fd,
		     DRM_IOWR(DRM_COMMAND_BASE + DRM_SOVGPU_INTERRUPT_WAIT + 1,
			      struct drm_sovgpu_dev_query),
		     argument) == -EINVAL &&
		   gpu_ioctl(fd, DRM_IOWR(DRM_COMMAND_END - 1, struct drm_sovgpu_dev_query),
			     argument) == -EINVAL,
	   "an undefined ioctl number is EINVAL");
}

static void test_clocks(void)
{
	struct drm_sovgpu_time_info a = {0}, b = {0};
	struct timespec pause = {.tv_nsec = 20000000};

	ok(!dev_query(fd, DRM_SOVGPU_DEV_QUERY_TIME, sizeof(a), &a, NULL),
	   "DEV_QUERY_TIME returns both clocks");
	nanosleep(&pause, NULL);
	ok(!dev_query(fd, DRM_SOVGPU_DEV_QUERY_TIME, sizeof(b), &b, NULL) &&
		   b.device_ns > a.device_ns && b.monotonic_ns >= a.monotonic_ns + 20000000,
	   "the device clock and the monotonic clock advance");
}

int main(void)
{
	struct drm_sovgpu_memory_info m = {0};

	fd = open_device();
	if (!ok(fd >= 0, "the render node opens"))
		return tap_done();
	test_device_info();
	ok(!dev_query(fd, DRM_SOVGPU_DEV_QUERY_MEMORY, sizeof(m), &m, NULL) && m.vram_bytes > 0,
	   "DEV_QUERY_MEMORY returns the VRAM size");
	ok(m.vram_bytes > 140ull << 30 && m.vram_bytes < 143771ull << 20 &&
		   m.vram_free <= m.vram_bytes && m.vram_bytes - m.vram_free < GIB &&
		   m.vram_mappable == m.vram_bytes && m.vram_page == 65536,
	   "almost all VRAM of an H200 is reported, free except for the driver's own, and "
	   "mappable");
	test_struct_sizes();
	test_invalid_arguments();
	test_undefined_ioctls();
	test_clocks();
	return tap_done();
}
