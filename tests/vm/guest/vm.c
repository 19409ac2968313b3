/* SPDX-License-Identifier: MIT */
/*
 * VM_CREATE, VM_DESTROY, VM_BIND, VM_STATE. What is mapped cannot be seen from here without a queue; how
 * much is, can, and the card looks at the page tables after every VM_BIND and refuses what is wrong.
 */
#include "tests/vm/guest/device.h"

#define MIB ((uint64_t)1 << 20)
#define VA  (UINT64_C(0x7) << 40)
enum { VRAM = DRM_SOVGPU_REGION_VRAM, SYSTEM = DRM_SOVGPU_REGION_SYSTEM, USER = DRM_SOVGPU_REGION_USER };

static int fd;
static uint32_t vm;

static int vm_create(uint32_t *id)
{
	struct drm_sovgpu_vm_create c = {0};
	int status = call(fd, DRM_IOCTL_SOVGPU_VM_CREATE, &c);

	*id = c.id;
	return status;
}
static int vm_destroy(uint32_t id)
{
	struct drm_sovgpu_vm_destroy d = {.id = id};

	return call(fd, DRM_IOCTL_SOVGPU_VM_DESTROY, &d);
}
static uint64_t mapped(void)
{
	struct drm_sovgpu_vm_state s = {.vm_id = vm};

	return call(fd, DRM_IOCTL_SOVGPU_VM_STATE, &s) || s.state ? UINT64_MAX : s.mapped;
}
static int bind_ops(struct drm_sovgpu_vm_bind_op *ops, uint32_t count, uint32_t *done)
{
	struct drm_sovgpu_vm_bind b = {.vm_id = vm, .ops = {sizeof(*ops), count, (uintptr_t)ops}};
	int status = call(fd, DRM_IOCTL_SOVGPU_VM_BIND, &b);

	if (done)
		*done = b.done;
	return status;
}
static int vm_map(uint32_t handle, uint64_t offset, uint64_t va, uint64_t size)
{
	struct drm_sovgpu_vm_bind_op op = {.handle = handle, .offset = offset, .va = va, .size = size};

	return bind_ops(&op, 1, NULL);
}
static int vm_unmap(uint64_t va, uint64_t size)
{
	struct drm_sovgpu_vm_bind_op op = {.type = DRM_SOVGPU_VM_BIND_OP_UNMAP, .va = va, .size = size};

	return bind_ops(&op, 1, NULL);
}
static uint64_t free_vram(void)
{
	struct drm_sovgpu_memory_info m = {0};

	query(fd, DRM_SOVGPU_DEV_QUERY_MEMORY, sizeof(m), &m, NULL);
	return m.vram_free;
}

static void lives(void)
{
	uint32_t ids[64], last;
	int made = 0;

	while (made < 63 && !vm_create(&ids[made]))
		made++;
	ok(made == 63 && vm_create(&last) == -ENOSPC, "a file has 64 address spaces and no more");
	while (made)
		vm_destroy(ids[--made]);
	ok(vm_destroy(ids[0]) == -ENOENT && vm_destroy(0) == -ENOENT, "what is destroyed is gone");
}

static void three_kinds(void)
{
	uint32_t a, b;
	void *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_sovgpu_bo_create c = {.size = MIB, .region = USER, .user_address = (uintptr_t)p};

	create(fd, VRAM, 8 * MIB, 0, &a);
	create(fd, SYSTEM, 3 * MIB, 0, &b);
	call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &c);
	ok(!vm_map(a, 0, VA, 8 * MIB), "video memory is mapped");
	ok(!vm_map(b, 0, VA + 8 * MIB, 3 * MIB), "system memory is mapped");
	ok(!vm_map(c.handle, 0, VA + 11 * MIB, MIB), "user memory is mapped");
	ok(mapped() == 12 * MIB, "twelve MiB are mapped");
	ok(!vm_map(b, MIB, VA + 3 * MIB, MIB), "a part of a buffer over the middle of another");
	ok(mapped() == 12 * MIB, "takes its place");
	ok(!vm_unmap(VA + MIB + 65536, 65536) && mapped() == 12 * MIB - 65536, "64 KiB are unmapped in a huge page");
	ok(!vm_unmap(VA + 10 * MIB - 4096, 2 * MIB) && mapped() == 10 * MIB - 65536, "a range over two mappings");
	ok(!forget(fd, a) && !forget(fd, b) && !forget(fd, c.handle), "handles go, mappings stay");
	ok(mapped() == 10 * MIB - 65536, "as they were");
	ok(!vm_unmap(VA, 64 * MIB) && mapped() == 0, "all of it is unmapped at once");
	ok(!vm_unmap(VA, 64 * MIB), "which may be done again");
	munmap(p, MIB);
}

static void several(void)
{
	uint32_t a, done;

	create(fd, VRAM, 2 * MIB, 0, &a);
	struct drm_sovgpu_vm_bind_op ops[] = {
		{.handle = a, .va = VA, .size = MIB},
		{.handle = a, .va = VA + 4 * MIB, .size = MIB, .flags = DRM_SOVGPU_VM_MAP_READONLY},
		{.handle = 9999, .va = VA, .size = MIB},
		{.handle = a, .va = VA + 8 * MIB, .size = MIB},
	};

	ok(bind_ops(ops, 4, &done) == -ENOENT && done == 2 && mapped() == 2 * MIB,
	   "steps before the one that fails stand, and are counted");
	vm_unmap(VA, 64 * MIB);
	forget(fd, a);
}

static void refusals(uint32_t a)
{
	static const struct {
		const char *what;
		struct drm_sovgpu_vm_bind_op op;
	} rows[] = {
		{"an unknown type", {.type = 2, .va = VA, .size = MIB}},
		{"an unknown flag", {.flags = 8, .va = VA, .size = MIB}},
		{"a pad", {.pad = 1, .va = VA, .size = MIB}},
		{"no size", {.va = VA}},
		{"an odd size", {.va = VA, .size = 4097}},
		{"an odd address", {.va = VA + 4096, .size = MIB}},
		{"an odd offset", {.offset = 4096, .va = VA, .size = MIB}},
		{"more than the buffer", {.va = VA, .size = 4 * MIB}},
		{"an offset beyond the buffer", {.offset = 2 * MIB, .va = VA, .size = 65536}},
		{"a size that runs over", {.offset = 65536, .va = VA, .size = UINT64_MAX & ~0xffffull}},
		{"address 0", {.va = 0, .size = MIB}},
		{"the first address beyond", {.va = UINT64_C(1) << 49, .size = 65536}},
		{"an address that runs over", {.va = UINT64_MAX & ~0xffffull, .size = MIB}},
		{"the end of the address space", {.va = (UINT64_C(1) << 49) - 65536, .size = MIB}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct drm_sovgpu_vm_bind_op op = rows[i].op;

		op.handle = a;
		int got = bind_ops(&op, 1, NULL);

		if (!ok(got == -EINVAL, "VM_BIND refuses %s", rows[i].what))
			diag("got %d", got);
	}
	ok(mapped() == 0, "of all that nothing is mapped");
}

static void arrays(uint32_t a)
{
	struct {
		struct drm_sovgpu_vm_bind_op op;
		uint64_t more;
	} longer[2] = {{.op = {.handle = a, .va = VA, .size = MIB}}, {.op = {.handle = a, .va = VA + MIB, .size = MIB}}};
	struct drm_sovgpu_vm_bind b = {.vm_id = vm, .ops = {sizeof(longer[0]), 2, (uintptr_t)longer}};

	ok(!call(fd, DRM_IOCTL_SOVGPU_VM_BIND, &b) && b.done == 2 && mapped() == 2 * MIB,
	   "elements that are longer than ours are taken when the rest is zero");
	longer[1].more = 1;
	b.done = 0;
	ok(call(fd, DRM_IOCTL_SOVGPU_VM_BIND, &b) == -E2BIG, "and are E2BIG when it is not");
	static const struct {
		const char *what;
		uint32_t stride, count;
		int want;
	} rows[] = {
		{"no element", 40, 0, -EINVAL},      {"elements that are too short", 32, 1, -EINVAL},
		{"an odd stride", 41, 1, -EINVAL},   {"a stride of 4 GiB", UINT32_MAX, 1, -EINVAL},
		{"too many", 40, 1025, -EINVAL},     {"4 billion", 40, UINT32_MAX, -EINVAL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		b = (struct drm_sovgpu_vm_bind){.vm_id = vm, .ops = {rows[i].stride, rows[i].count, (uintptr_t)longer}};
		ok(call(fd, DRM_IOCTL_SOVGPU_VM_BIND, &b) == rows[i].want, "VM_BIND refuses %s", rows[i].what);
	}
	b = (struct drm_sovgpu_vm_bind){.vm_id = vm, .ops = {40, 1, 8}};
	ok(call(fd, DRM_IOCTL_SOVGPU_VM_BIND, &b) == -EFAULT, "an array that is not there is EFAULT");
	b = (struct drm_sovgpu_vm_bind){.vm_id = vm, .ops = {40, 1, (uintptr_t)longer}, .syncs = {16, 1, 8}};
	ok(call(fd, DRM_IOCTL_SOVGPU_VM_BIND, &b) == -EOPNOTSUPP, "syncs are not done yet: EOPNOTSUPP");
	b = (struct drm_sovgpu_vm_bind){.vm_id = 999, .ops = {40, 1, (uintptr_t)longer}};
	ok(call(fd, DRM_IOCTL_SOVGPU_VM_BIND, &b) == -ENOENT, "an address space that is none is ENOENT");
	vm_unmap(VA, 64 * MIB);
}

int main(void)
{
	struct drm_sovgpu_vm_info info = {0};
	uint64_t before;
	uint32_t a;

	fd = open(RENDER_NODE, O_RDWR | O_CLOEXEC);
	if (!ok(fd >= 0, "the render node opens"))
		return tap_done();
	before = free_vram();
	ok(!query(fd, DRM_SOVGPU_DEV_QUERY_VM, sizeof(info), &info, NULL) && info.va_start == 2 * MIB &&
	   info.va_end == UINT64_C(1) << 49 && info.page_sizes == (4096 | 65536 | 2 * MIB), "addresses have 49 bits");
	ok(!vm_create(&vm) && vm, "an address space can be made");
	ok(mapped() == 0, "it is usable and empty");
	lives();
	three_kinds();
	several();
	create(fd, VRAM, 2 * MIB, 0, &a);
	refusals(a);
	arrays(a);
	vm_map(a, 0, VA, 2 * MIB);
	forget(fd, a);
	ok(free_vram() < before - 2 * MIB, "a mapping keeps its buffer, and page tables take memory");
	ok(!vm_destroy(vm) && free_vram() == before, "with the address space all of it is free again");
	return tap_done();
}
