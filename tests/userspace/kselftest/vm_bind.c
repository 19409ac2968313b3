// SPDX-License-Identifier: MIT
/*
 * VM_BIND: VRAM, system and user memory are mapped, also over existing mappings, and unmapped. Only
 * the amount of mapped memory is visible here; the modelled card validates the page tables after
 * every call and rejects invalid ones.
 */
#include <pthread.h>

#include "tests/userspace/kselftest/queue.h"

#define VA (UINT64_C(0x7) << 40)

static int fd;
static uint32_t vm;
static uint64_t page; /* CPU page size */

static void test_three_regions(void)
{
	uint32_t a, b;
	void *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_sovgpu_bo_create c = {.size = MIB, .region = USER, .user_address = (uintptr_t)p};

	bo_create(fd, VRAM, 8 * MIB, 0, &a);
	bo_create(fd, SYSTEM, 3 * MIB, 0, &b);
	gpu_ioctl(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &c);
	ok(!vm_map(fd, vm, a, 0, VA, 8 * MIB), "VM_BIND maps VRAM");
	ok(!vm_map(fd, vm, b, 0, VA + 8 * MIB, 3 * MIB), "VM_BIND maps system memory");
	ok(!vm_map(fd, vm, c.handle, 0, VA + 11 * MIB, MIB), "VM_BIND maps user memory");
	ok(vm_mapped(fd, vm) == 12 * MIB, "VM_STATE reports 12 MiB as mapped");
	ok(!vm_map(fd, vm, b, MIB, VA + 3 * MIB, MIB),
	   "part of a buffer is mapped over the middle of another mapping");
	ok(vm_mapped(fd, vm) == 12 * MIB, "mapping over an existing mapping replaces it");
	ok(!vm_unmap(fd, vm, VA + MIB + 65536, 65536) && vm_mapped(fd, vm) == 12 * MIB - 65536,
	   "64 KiB in the middle of a 2 MiB page are unmapped");
	ok(!vm_unmap(fd, vm, VA + 10 * MIB - page, 2 * MIB) &&
		   vm_mapped(fd, vm) == 10 * MIB - 65536,
	   "a range that covers parts of two mappings is unmapped");
	ok(!bo_close(fd, a) && !bo_close(fd, b) && !bo_close(fd, c.handle),
	   "the handles of mapped buffers are closed");
	ok(vm_mapped(fd, vm) == 10 * MIB - 65536, "mappings outlive the handles of their buffers");
	ok(!vm_unmap(fd, vm, VA, 64 * MIB) && vm_mapped(fd, vm) == 0,
	   "one operation unmaps every mapping");
	ok(!vm_unmap(fd, vm, VA, 64 * MIB), "unmapping a range without mappings succeeds");
	munmap(p, MIB);
}

static void test_partial_failure(void)
{
	uint32_t a, done;

	bo_create(fd, VRAM, 2 * MIB, 0, &a);
	struct drm_sovgpu_vm_bind_op ops[] = {
		{.handle = a, .va = VA, .size = MIB},
		{.handle = a, .va = VA + 4 * MIB, .size = MIB, .flags = DRM_SOVGPU_VM_MAP_READONLY},
		{.handle = NO_HANDLE, .va = VA, .size = MIB},
		{.handle = a, .va = VA + 8 * MIB, .size = MIB},
	};

	ok(vm_bind(fd, vm, ops, 4, &done) == -ENOENT && done == 2 && vm_mapped(fd, vm) == 2 * MIB,
	   "operations before the failing one stay applied and are counted");
	vm_unmap(fd, vm, VA, 64 * MIB);
	bo_close(fd, a);
}

/* A flag is either supported and accepted, or refused: never accepted without effect. */
static void test_map_flags(uint32_t a)
{
	struct drm_sovgpu_vm_info info = {0};

	ok(!dev_query(fd, DRM_SOVGPU_DEV_QUERY_VM, sizeof(info), &info, NULL) &&
		   info.map_flags == (DRM_SOVGPU_VM_MAP_READONLY | DRM_SOVGPU_VM_MAP_UNCACHED) &&
		   !info.pad,
	   "DEV_QUERY_VM reports the map flags of a GH100: read-only and uncached");
	for (uint32_t flags = 0; flags < 8; flags++) {
		struct drm_sovgpu_vm_bind_op op = {
			.handle = a, .va = VA, .size = MIB, .flags = flags};
		int want = flags & ~info.map_flags ? -EOPNOTSUPP : 0,
		    got = vm_bind(fd, vm, &op, 1, NULL);

		ok(got == want && vm_mapped(fd, vm) == (want ? 0 : MIB),
		   "VM_BIND %s map flags %u, as DEV_QUERY_VM reports them",
		   want ? "refuses" : "accepts", flags);
		vm_unmap(fd, vm, VA, MIB);
	}
}

static void test_invalid_operations(uint32_t a)
{
	struct drm_sovgpu_vm_bind_op op = {.handle = a, .va = VA, .size = MIB};
	struct drm_sovgpu_vm_bind b = {.vm_id = vm, .ops = {sizeof(op), 1, (uintptr_t)&op}};
	static const struct bad_member map_rows[] = {
		BAD_MEMBER(vm_bind_op, type, 2, -EINVAL, "an undefined type"),
		BAD_MEMBER(vm_bind_op, type, UINT32_MAX, -EINVAL, "type 0xffffffff"),
		BAD_MEMBER(vm_bind_op, flags, 8, -EINVAL, "an unknown flag"),
		BAD_MEMBER(vm_bind_op, pad, 1, -EINVAL, "a nonzero pad"),
		BAD_MEMBER(vm_bind_op, handle, 0, -ENOENT, "buffer handle 0"),
		BAD_MEMBER(vm_bind_op, handle, NO_HANDLE, -ENOENT, "an unallocated buffer handle"),
		BAD_MEMBER(vm_bind_op, size, 0, -EINVAL, "size 0"),
		BAD_MEMBER(vm_bind_op, size, 4097, -EINVAL, "an unaligned size"),
		BAD_MEMBER(vm_bind_op, size, 4 * MIB, -EINVAL, "a size above the buffer's size"),
		BAD_MEMBER(vm_bind_op, size, UINT64_MAX & ~0xffffull, -EINVAL,
			   "a size that overflows"),
		BAD_MEMBER(vm_bind_op, va, VA + 4096, -EINVAL, "an unaligned address"),
		BAD_MEMBER(vm_bind_op, va, 0, -EINVAL, "address 0"),
		BAD_MEMBER(vm_bind_op, va, GIB - VRAM_PAGE, -EINVAL,
			   "the last page below the address range"),
		BAD_MEMBER(vm_bind_op, va, UINT64_C(1) << 49, -EINVAL,
			   "the first address above the range"),
		BAD_MEMBER(vm_bind_op, va, (UINT64_C(1) << 49) - VRAM_PAGE, -EINVAL,
			   "a mapping that crosses the end of the address range"),
		BAD_MEMBER(vm_bind_op, va, UINT64_MAX & ~0xffffull, -EINVAL,
			   "an address that overflows"),
		BAD_MEMBER(vm_bind_op, offset, 4096, -EINVAL, "an unaligned offset"),
		BAD_MEMBER(vm_bind_op, offset, 2 * MIB, -EINVAL,
			   "an offset beyond the end of the buffer"),
		BAD_MEMBER(vm_bind_op, offset, UINT64_MAX & ~0xffffull, -EINVAL,
			   "an offset that overflows"),
	};
	static const struct bad_member unmap_rows[] = {
		BAD_MEMBER(vm_bind_op, flags, DRM_SOVGPU_VM_MAP_READONLY, -EINVAL,
			   "an unmap with a flag"),
		BAD_MEMBER(vm_bind_op, handle, 1, -EINVAL, "an unmap with a buffer handle"),
		BAD_MEMBER(vm_bind_op, offset, VRAM_PAGE, -EINVAL, "an unmap with a buffer offset"),
		BAD_MEMBER(vm_bind_op, pad, 1, -EINVAL, "an unmap with a nonzero pad"),
		BAD_MEMBER(vm_bind_op, size, 0, -EINVAL, "an unmap of size 0"),
		BAD_MEMBER(vm_bind_op, size, UINT64_C(1) << 49, -EINVAL,
			   "an unmap above the address range"),
		BAD_MEMBER(vm_bind_op, va, VA + 1, -EINVAL, "an unmap at an unaligned address"),
	};

	expect_refused_in(fd, "VM_BIND", DRM_IOCTL_SOVGPU_VM_BIND, &b, &op, map_rows,
			  COUNT(map_rows));
	op = (struct drm_sovgpu_vm_bind_op){
		.type = DRM_SOVGPU_VM_BIND_OP_UNMAP, .va = VA, .size = MIB};
	expect_refused_in(fd, "VM_BIND", DRM_IOCTL_SOVGPU_VM_BIND, &b, &op, unmap_rows,
			  COUNT(unmap_rows));
	ok(vm_mapped(fd, vm) == 0, "refused operations map nothing");
}

static void test_invalid_arguments(uint32_t a)
{
	struct drm_sovgpu_vm_bind_op op = {.handle = a, .va = VA, .size = MIB};
	const struct drm_sovgpu_vm_bind good = {.vm_id = vm,
						.ops = {sizeof(op), 1, (uintptr_t)&op}};
	static const struct bad_member rows[] = {
		BAD_MEMBER(vm_bind, vm_id, 0, -ENOENT, "VM ID 0"),
		BAD_MEMBER(vm_bind, vm_id, 999, -ENOENT, "an unallocated VM ID"),
		BAD_MEMBER(vm_bind, flags, 1, -EINVAL, "an unknown flag"),
		BAD_MEMBER(vm_bind, done, 1, -EINVAL, "a nonzero output operation count"),
		BAD_MEMBER(vm_bind, pad, 1, -EINVAL, "a nonzero pad"),
		BAD_MEMBER(vm_bind, ops.count, 0, -EINVAL, "0 operations"),
		BAD_MEMBER(vm_bind, ops.count, 1025, -EINVAL, "1025 operations"),
		BAD_MEMBER(vm_bind, ops.count, UINT32_MAX, -EINVAL, "2^32 - 1 operations"),
		BAD_MEMBER(vm_bind, ops.stride, 32, -EINVAL,
			   "an operation stride below the struct size"),
		BAD_MEMBER(vm_bind, ops.stride, 41, -EINVAL, "an unaligned operation stride"),
		BAD_MEMBER(vm_bind, ops.stride, UINT32_MAX, -EINVAL, "a stride of 4 GiB"),
		BAD_MEMBER(vm_bind, ops.array, 8, -EFAULT, "an operation array in unmapped memory"),
		BAD_MEMBER(vm_bind, ops.array, UINT64_MAX & ~0xfffull, -EFAULT,
			   "an operation array in kernel memory"),
	};

	expect_refused(fd, "VM_BIND", DRM_IOCTL_SOVGPU_VM_BIND, &good, rows, COUNT(rows));
	int other = open_device();
	uint32_t foreign;

	vm_create(other, &foreign);
	ok(vm_map(other, foreign, a, 0, VA, MIB) == -ENOENT,
	   "VM_BIND of another file's buffer is ENOENT");
	close(other);
}

/* VM_BIND waits for a job that waits for a memory word, which a second thread writes. */
struct gate {
	volatile uint64_t *flag;
};

static void *write_flag_later(void *argument)
{
	struct gate *gate = argument;
	struct timespec pause = {.tv_nsec = 200000000};

	nanosleep(&pause, NULL);
	*gate->flag = 1;
	return NULL;
}

static void test_syncs(void)
{
	enum { FLAG = 0x80000 };
	struct fixture m;

	if (!fixture_open(&m, COPY))
		return;
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m.fd), 0};
	struct drm_sovgpu_sync both[] = {
		{0, done.handle, 0},
		{DRM_SOVGPU_SYNC_SIGNAL | DRM_SOVGPU_SYNC_TIMELINE, syncobj_create(m.fd), 3}};
	struct drm_sovgpu_vm_bind_op op = {
		.type = DRM_SOVGPU_VM_BIND_OP_UNMAP, .va = VA, .size = MIB};
	struct drm_sovgpu_vm_bind b = {.vm_id = m.vm,
				       .ops = {sizeof(op), 1, (uintptr_t)&op},
				       .syncs = {sizeof(*both), 2, (uintptr_t)both}};
	static const struct bad_member rows[] = {
		BAD_MEMBER(vm_bind, syncs.count, 65, -EINVAL, "65 syncs"),
		BAD_MEMBER(vm_bind, syncs.stride, 8, -EINVAL,
			   "a sync stride below the struct size"),
		BAD_MEMBER(vm_bind, syncs.array, 8, -EFAULT, "a sync array in unmapped memory"),
	};
	struct stream s = stream_at(&m, 0);
	struct gate gate = {(volatile uint64_t *)(m.memory + FLAG)};
	pthread_t thread;

	expect_refused_in(m.fd, "VM_BIND", DRM_IOCTL_SOVGPU_VM_BIND, &b, &b, rows, COUNT(rows));
	ok(gpu_ioctl(m.fd, DRM_IOCTL_SOVGPU_VM_BIND, &b) == -EINVAL,
	   "VM_BIND that waits for a syncobj without a fence is EINVAL");
	stream_acquire(&s, BUFFER_VA + FLAG, 1);
	struct drm_sovgpu_job job = stream_job(&m, &s);

	ok(!queue_submit(m.fd, m.queue, &job, 1, &done, 1),
	   "a job that waits for a memory word is submitted");
	pthread_create(&thread, NULL, write_flag_later, &gate);
	ok(!gpu_ioctl(m.fd, DRM_IOCTL_SOVGPU_VM_BIND, &b) && *gate.flag == 1 && b.done == 1,
	   "VM_BIND waits for its input fence before it binds");
	pthread_join(thread, NULL);
	ok(!syncobj_wait(m.fd, both[1].handle, 3, 0),
	   "VM_BIND signals its output fence when it returns");
	both[1].point = 4;
	op.size = 1;
	b.done = 0;
	ok(gpu_ioctl(m.fd, DRM_IOCTL_SOVGPU_VM_BIND, &b) == -EINVAL &&
		   syncobj_wait(m.fd, both[1].handle, 4, 0) == -EINVAL,
	   "a failed VM_BIND signals no fence");
	fixture_close(&m);
}

/* Elements may be longer than the kernel's struct if the rest is zero. */
static void test_longer_elements(uint32_t a)
{
	struct {
		struct drm_sovgpu_vm_bind_op op;
		uint64_t more;
	} longer[2] = {{.op = {.handle = a, .va = VA, .size = MIB}},
		       {.op = {.handle = a, .va = VA + MIB, .size = MIB}}};
	struct drm_sovgpu_vm_bind b = {.vm_id = vm,
				       .ops = {sizeof(longer[0]), 2, (uintptr_t)longer}};

	ok(!gpu_ioctl(fd, DRM_IOCTL_SOVGPU_VM_BIND, &b) && b.done == 2 &&
		   vm_mapped(fd, vm) == 2 * MIB,
	   "VM_BIND accepts longer elements whose rest is zero");
	longer[1].more = 1;
	b.done = 0;
	ok(gpu_ioctl(fd, DRM_IOCTL_SOVGPU_VM_BIND, &b) == -E2BIG,
	   "VM_BIND of longer elements whose rest is not zero is E2BIG");
	vm_unmap(fd, vm, VA, 64 * MIB);
}

int main(void)
{
	struct drm_sovgpu_vm_info info = {0};
	uint64_t before;
	uint32_t a;

	fd = open_device();
	page = (uint64_t)sysconf(_SC_PAGESIZE);
	if (!ok(fd >= 0, "the render node opens"))
		return tap_done();
	before = free_vram_bytes(fd);
	ok(!dev_query(fd, DRM_SOVGPU_DEV_QUERY_VM, sizeof(info), &info, NULL) &&
		   info.va_start == GIB && info.va_end == UINT64_C(1) << 49 &&
		   info.page_sizes == (4096 | 65536 | 2 * MIB),
	   "DEV_QUERY_VM reports 49-bit addresses and three page sizes");
	ok(!vm_create(fd, &vm) && vm, "an address space is created");
	ok(vm_mapped(fd, vm) == 0, "a new address space is usable and empty");
	test_three_regions();
	test_partial_failure();
	bo_create(fd, VRAM, 2 * MIB, 0, &a);
	test_map_flags(a);
	test_invalid_operations(a);
	test_invalid_arguments(a);
	test_longer_elements(a);
	test_syncs();
	vm_map(fd, vm, a, 0, VA, 2 * MIB);
	bo_close(fd, a);
	ok(free_vram_bytes(fd) < before - 2 * MIB,
	   "a mapping keeps its buffer's VRAM, and page tables take VRAM");
	ok(!vm_destroy(fd, vm) && free_vram_bytes(fd) == before,
	   "VM_DESTROY frees mapped buffers and page tables");
	return tap_done();
}
