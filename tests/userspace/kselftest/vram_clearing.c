// SPDX-License-Identifier: MIT
/*
 * A copy engine clears VRAM, and the CPU only what is smaller than a page of it: the bytes of each
 * are counted in debugfs. An allocation that another process filled before is zero.
 */
#include <glob.h>

#include "tests/userspace/kselftest/device.h"

struct clearing {
	unsigned long long engine, cpu;
};

static bool clearing_read(struct clearing *c)
{
	bool good = false;
	glob_t g;

	if (!glob("/sys/kernel/debug/dri/*/clearing", 0, NULL, &g)) {
		FILE *f = fopen(g.gl_pathv[0], "r");

		good = f && fscanf(f, "engine %llu cpu %llu", &c->engine, &c->cpu) == 2;
		if (f)
			fclose(f);
		globfree(&g);
	}
	return good;
}

/* Sizes below, at and above what the engine clears in one step. */
static void test_sizes(int fd)
{
	static const uint64_t sizes[] = {VRAM_PAGE, 3 * VRAM_PAGE,        MIB,
					 64 * MIB,  64 * MIB + VRAM_PAGE, 130 * MIB};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct clearing before, after;
		uint32_t buffer = 0;

		ok(clearing_read(&before) && !bo_create(fd, VRAM, sizes[i], MAPPABLE, &buffer) &&
			   clearing_read(&after),
		   "%llu KiB of VRAM are allocated", (unsigned long long)sizes[i] >> 10);
		ok(after.engine - before.engine == sizes[i] && after.cpu == before.cpu,
		   "the engine clears all %llu KiB and the CPU nothing",
		   (unsigned long long)sizes[i] >> 10);
		bo_close(fd, buffer);
	}
}

/* Page tables are smaller than the smallest part that the engine clears. */
static void test_page_table(int fd)
{
	struct clearing before, after;
	uint32_t vm = 0;

	ok(clearing_read(&before) && !vm_create(fd, &vm) && clearing_read(&after) &&
		   after.cpu - before.cpu == 4 * KIB && after.engine == before.engine,
	   "the CPU clears a page table");
	vm_destroy(fd, vm);
}

static void test_contents(int fd)
{
	const uint64_t bytes = 70 * MIB;
	uint64_t wrong = 0, checked = 0;
	uint32_t buffer = 0;

	for (int round = 0; round < 2; round++) {
		if (bo_create(fd, VRAM, bytes, MAPPABLE, &buffer))
			continue;
		uint8_t *p = bo_map(fd, buffer, bytes);

		for (uint64_t i = 0; p != MAP_FAILED && i < bytes; i += 4096, checked++)
			wrong += *(volatile uint64_t *)(p + i + i / 4096 * 8 % 4096) != 0;
		if (p != MAP_FAILED) {
			memset(p, 0xa5, bytes);
			munmap(p, bytes);
		}
		bo_close(fd, buffer);
	}
	ok(checked == 2 * bytes / 4096 && !wrong,
	   "memory that was filled and freed is zero when it is allocated again");
}

int main(void)
{
	struct clearing c;
	int fd = open_device();

	if (!ok(fd >= 0, "the render node opens"))
		return tap_done();
	ok(clearing_read(&c), "debugfs counts what engine and CPU have cleared");
	test_sizes(fd);
	test_page_table(fd);
	test_contents(fd);
	close(fd);
	return tap_done();
}
