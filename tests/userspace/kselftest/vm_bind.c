/* SPDX-License-Identifier: MIT */
/*
 * VM_BIND: buffers of three kinds are mapped, over each other too, and unmapped. What is mapped cannot be
 * seen from here without a queue; how much is, can, and the card looks at the page tables after every
 * call and refuses what is wrong.
 */
#include <pthread.h>

#include "tests/userspace/kselftest/queue.h"

#define VA (UINT64_C(0x7) << 40)

static int fd;
static uint32_t vm;
static uint64_t page; /* of this machine */

static void three_kinds(void)
{
	uint32_t a, b;
	void *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_sovgpu_bo_create c = {.size = MIB, .region = USER, .user_address = (uintptr_t)p};

	create(fd, VRAM, 8 * MIB, 0, &a);
	create(fd, SYSTEM, 3 * MIB, 0, &b);
	call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &c);
	ok(!vm_map(fd, vm, a, 0, VA, 8 * MIB), "video memory is mapped");
	ok(!vm_map(fd, vm, b, 0, VA + 8 * MIB, 3 * MIB), "system memory is mapped");
	ok(!vm_map(fd, vm, c.handle, 0, VA + 11 * MIB, MIB), "user memory is mapped");
	ok(vm_mapped(fd, vm) == 12 * MIB, "twelve MiB are mapped");
	ok(!vm_map(fd, vm, b, MIB, VA + 3 * MIB, MIB),
	   "a part of a buffer over the middle of another");
	ok(vm_mapped(fd, vm) == 12 * MIB, "takes its place");
	ok(!vm_unmap(fd, vm, VA + MIB + 65536, 65536) && vm_mapped(fd, vm) == 12 * MIB - 65536,
	   "64 KiB are unmapped in a huge page");
	ok(!vm_unmap(fd, vm, VA + 10 * MIB - page, 2 * MIB) &&
		   vm_mapped(fd, vm) == 10 * MIB - 65536,
	   "a range over two mappings");
	ok(!forget(fd, a) && !forget(fd, b) && !forget(fd, c.handle), "handles go, mappings stay");
	ok(vm_mapped(fd, vm) == 10 * MIB - 65536, "as they were");
	ok(!vm_unmap(fd, vm, VA, 64 * MIB) && vm_mapped(fd, vm) == 0,
	   "all of it is unmapped at once");
	ok(!vm_unmap(fd, vm, VA, 64 * MIB), "which may be done again");
	munmap(p, MIB);
}

static void several(void)
{
	uint32_t a, done;

	create(fd, VRAM, 2 * MIB, 0, &a);
	struct drm_sovgpu_vm_bind_op ops[] = {
		{.handle = a, .va = VA, .size = MIB},
		{.handle = a, .va = VA + 4 * MIB, .size = MIB, .flags = DRM_SOVGPU_VM_MAP_READONLY},
		{.handle = NO_HANDLE, .va = VA, .size = MIB},
		{.handle = a, .va = VA + 8 * MIB, .size = MIB},
	};

	ok(vm_bind(fd, vm, ops, 4, &done) == -ENOENT && done == 2 && vm_mapped(fd, vm) == 2 * MIB,
	   "steps before the one that fails stand, and are counted");
	vm_unmap(fd, vm, VA, 64 * MIB);
	forget(fd, a);
}

static void refused_steps(uint32_t a)
{
	struct drm_sovgpu_vm_bind_op op = {.handle = a, .va = VA, .size = MIB};
	struct drm_sovgpu_vm_bind b = {.vm_id = vm, .ops = {sizeof(op), 1, (uintptr_t)&op}};
	static const struct spoiled map_rows[] = {
		SPOIL(vm_bind_op, type, 2, -EINVAL, "an unknown type"),
		SPOIL(vm_bind_op, type, UINT32_MAX, -EINVAL, "the largest type"),
		SPOIL(vm_bind_op, flags, 8, -EINVAL, "an unknown flag"),
		SPOIL(vm_bind_op, pad, 1, -EINVAL, "a pad"),
		SPOIL(vm_bind_op, handle, 0, -ENOENT, "no buffer"),
		SPOIL(vm_bind_op, handle, NO_HANDLE, -ENOENT, "a buffer that is none"),
		SPOIL(vm_bind_op, size, 0, -EINVAL, "no size"),
		SPOIL(vm_bind_op, size, 4097, -EINVAL, "an odd size"),
		SPOIL(vm_bind_op, size, 4 * MIB, -EINVAL, "more than the buffer"),
		SPOIL(vm_bind_op, size, UINT64_MAX & ~0xffffull, -EINVAL, "a size that runs over"),
		SPOIL(vm_bind_op, va, VA + 4096, -EINVAL, "an odd address"),
		SPOIL(vm_bind_op, va, 0, -EINVAL, "address 0"),
		SPOIL(vm_bind_op, va, GIB - VRAM_PAGE, -EINVAL, "the last address below the first"),
		SPOIL(vm_bind_op, va, UINT64_C(1) << 49, -EINVAL, "the first address beyond"),
		SPOIL(vm_bind_op, va, (UINT64_C(1) << 49) - VRAM_PAGE, -EINVAL,
		      "more than is left to the end"),
		SPOIL(vm_bind_op, va, UINT64_MAX & ~0xffffull, -EINVAL,
		      "an address that runs over"),
		SPOIL(vm_bind_op, offset, 4096, -EINVAL, "an odd offset"),
		SPOIL(vm_bind_op, offset, 2 * MIB, -EINVAL, "an offset beyond the buffer"),
		SPOIL(vm_bind_op, offset, UINT64_MAX & ~0xffffull, -EINVAL,
		      "an offset that runs over"),
	};
	static const struct spoiled unmap_rows[] = {
		SPOIL(vm_bind_op, flags, DRM_SOVGPU_VM_MAP_READONLY, -EINVAL,
		      "to unmap with a flag"),
		SPOIL(vm_bind_op, handle, 1, -EINVAL, "to unmap a buffer"),
		SPOIL(vm_bind_op, offset, VRAM_PAGE, -EINVAL, "to unmap an offset"),
		SPOIL(vm_bind_op, pad, 1, -EINVAL, "to unmap with a pad"),
		SPOIL(vm_bind_op, size, 0, -EINVAL, "to unmap nothing"),
		SPOIL(vm_bind_op, size, UINT64_C(1) << 49, -EINVAL, "to unmap more than there is"),
		SPOIL(vm_bind_op, va, VA + 1, -EINVAL, "to unmap at an odd address"),
	};

	refuses_in(fd, "VM_BIND", DRM_IOCTL_SOVGPU_VM_BIND, &b, &op, map_rows, COUNT(map_rows));
	op = (struct drm_sovgpu_vm_bind_op){
		.type = DRM_SOVGPU_VM_BIND_OP_UNMAP, .va = VA, .size = MIB};
	refuses_in(fd, "VM_BIND", DRM_IOCTL_SOVGPU_VM_BIND, &b, &op, unmap_rows, COUNT(unmap_rows));
	ok(vm_mapped(fd, vm) == 0, "of all that nothing is mapped");
}

static void refused_calls(uint32_t a)
{
	struct drm_sovgpu_vm_bind_op op = {.handle = a, .va = VA, .size = MIB};
	const struct drm_sovgpu_vm_bind good = {.vm_id = vm,
						.ops = {sizeof(op), 1, (uintptr_t)&op}};
	static const struct spoiled rows[] = {
		SPOIL(vm_bind, vm_id, 0, -ENOENT, "no address space"),
		SPOIL(vm_bind, vm_id, 999, -ENOENT, "an address space that is none"),
		SPOIL(vm_bind, flags, 1, -EINVAL, "a flag"),
		SPOIL(vm_bind, done, 1, -EINVAL, "steps that are done already"),
		SPOIL(vm_bind, pad, 1, -EINVAL, "a pad"),
		SPOIL(vm_bind, ops.count, 0, -EINVAL, "no step"),
		SPOIL(vm_bind, ops.count, 1025, -EINVAL, "too many steps"),
		SPOIL(vm_bind, ops.count, UINT32_MAX, -EINVAL, "4 billion steps"),
		SPOIL(vm_bind, ops.stride, 32, -EINVAL, "steps that are too short"),
		SPOIL(vm_bind, ops.stride, 41, -EINVAL, "an odd stride"),
		SPOIL(vm_bind, ops.stride, UINT32_MAX, -EINVAL, "a stride of 4 GiB"),
		SPOIL(vm_bind, ops.array, 8, -EFAULT, "an array that is not there"),
		SPOIL(vm_bind, ops.array, UINT64_MAX & ~0xfffull, -EFAULT,
		      "an array in the kernel"),
	};

	refuses(fd, "VM_BIND", DRM_IOCTL_SOVGPU_VM_BIND, &good, rows, COUNT(rows));
	int other = open_device();
	uint32_t foreign;

	vm_create(other, &foreign);
	ok(vm_map(other, foreign, a, 0, VA, MIB) == -ENOENT,
	   "VM_BIND refuses another file's buffer");
	close(other);
}

/* The call waits for a copy that waits for memory; a second thread writes that. */
struct gate {
	volatile uint64_t *flag;
};

static void *open_gate(void *argument)
{
	struct gate *gate = argument;
	struct timespec pause = {.tv_nsec = 200000000};

	nanosleep(&pause, NULL);
	*gate->flag = 1;
	return NULL;
}

static void syncs(void)
{
	enum { FLAG = 0x80000 };
	struct machine m;

	if (!machine_open(&m, COPY))
		return;
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m.fd), 0};
	struct drm_sovgpu_sync both[] = {
		{0, done.handle, 0},
		{DRM_SOVGPU_SYNC_SIGNAL | DRM_SOVGPU_SYNC_TIMELINE, syncobj(m.fd), 3}};
	struct drm_sovgpu_vm_bind_op op = {
		.type = DRM_SOVGPU_VM_BIND_OP_UNMAP, .va = VA, .size = MIB};
	struct drm_sovgpu_vm_bind b = {.vm_id = m.vm,
				       .ops = {sizeof(op), 1, (uintptr_t)&op},
				       .syncs = {sizeof(*both), 2, (uintptr_t)both}};
	static const struct spoiled rows[] = {
		SPOIL(vm_bind, syncs.count, 65, -EINVAL, "too many syncs"),
		SPOIL(vm_bind, syncs.stride, 8, -EINVAL, "syncs that are too short"),
		SPOIL(vm_bind, syncs.array, 8, -EFAULT, "syncs that are not there"),
	};
	struct stream s = at(&m, 0);
	struct gate gate = {(volatile uint64_t *)(m.memory + FLAG)};
	pthread_t thread;

	refuses_in(m.fd, "VM_BIND", DRM_IOCTL_SOVGPU_VM_BIND, &b, &b, rows, COUNT(rows));
	ok(call(m.fd, DRM_IOCTL_SOVGPU_VM_BIND, &b) == -EINVAL,
	   "VM_BIND refuses to wait for what nobody will signal");
	add_acquire(&s, BUFFER_VA + FLAG, 1);
	struct drm_sovgpu_job job = job_of(&m, &s);

	ok(!submit(m.fd, m.queue, &job, 1, &done, 1), "a job waits for memory");
	pthread_create(&thread, NULL, open_gate, &gate);
	ok(!call(m.fd, DRM_IOCTL_SOVGPU_VM_BIND, &b) && *gate.flag == 1 && b.done == 1,
	   "VM_BIND waits for its fence, then binds");
	pthread_join(thread, NULL);
	ok(!wait_for(m.fd, both[1].handle, 3, 0), "and signals when it returns");
	both[1].point = 4;
	op.size = 1;
	b.done = 0;
	ok(call(m.fd, DRM_IOCTL_SOVGPU_VM_BIND, &b) == -EINVAL &&
		   wait_for(m.fd, both[1].handle, 4, 0) == -EINVAL,
	   "when it fails it signals nothing");
	machine_close(&m);
}

/* An element may be longer than ours as long as the rest is zero. */
static void longer_elements(uint32_t a)
{
	struct {
		struct drm_sovgpu_vm_bind_op op;
		uint64_t more;
	} longer[2] = {{.op = {.handle = a, .va = VA, .size = MIB}},
		       {.op = {.handle = a, .va = VA + MIB, .size = MIB}}};
	struct drm_sovgpu_vm_bind b = {.vm_id = vm,
				       .ops = {sizeof(longer[0]), 2, (uintptr_t)longer}};

	ok(!call(fd, DRM_IOCTL_SOVGPU_VM_BIND, &b) && b.done == 2 && vm_mapped(fd, vm) == 2 * MIB,
	   "elements that are longer than ours are taken when the rest is zero");
	longer[1].more = 1;
	b.done = 0;
	ok(call(fd, DRM_IOCTL_SOVGPU_VM_BIND, &b) == -E2BIG, "and are E2BIG when it is not");
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
	before = free_vram(fd);
	ok(!query(fd, DRM_SOVGPU_DEV_QUERY_VM, sizeof(info), &info, NULL) && info.va_start == GIB &&
		   info.va_end == UINT64_C(1) << 49 && info.page_sizes == (4096 | 65536 | 2 * MIB),
	   "addresses have 49 bits");
	ok(!vm_create(fd, &vm) && vm, "an address space can be made");
	ok(vm_mapped(fd, vm) == 0, "it is usable and empty");
	three_kinds();
	several();
	create(fd, VRAM, 2 * MIB, 0, &a);
	refused_steps(a);
	refused_calls(a);
	longer_elements(a);
	syncs();
	vm_map(fd, vm, a, 0, VA, 2 * MIB);
	forget(fd, a);
	ok(free_vram(fd) < before - 2 * MIB,
	   "a mapping keeps its buffer, and page tables take memory");
	ok(!vm_destroy(fd, vm) && free_vram(fd) == before,
	   "with the address space all of it is free again");
	return tap_done();
}
