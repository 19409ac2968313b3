// SPDX-License-Identifier: MIT
/*
 * The card is unbound while a process has it open, with buffers and mappings. Calls return ENODEV,
 * mappings of VRAM and system memory raise SIGBUS, and closing the remaining objects is harmless. A
 * process cannot delay the unbind with page faults that never resolve, nor with long-running calls.
 * A kernel with DMA debugging also checks that no DMA mapping remains, not even of another driver's
 * memory.
 */
#include <linux/udmabuf.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tests/userspace/kselftest/queue.h"

static sigjmp_buf back;

static void on_bus_error(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	siglongjmp(back, info->si_code);
}

static bool reads_pattern(const volatile uint8_t *p)
{
	if (sigsetjmp(back, 1))
		return false;
	return *p == 0x5a;
}

/*
 * Whether the mapping itself was removed (BUS_ADRERR), rather than the access reaching an absent
 * card, which may read anything or abort.
 */
static bool raises_bus_error(const volatile uint8_t *p)
{
	volatile uint8_t byte;
	int code = sigsetjmp(back, 1);

	if (code)
		return code == BUS_ADRERR;
	byte = *p;
	(void)byte;
	return false;
}

static bool write_driver_file(const char *file, const char *card)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/sovgpu/%s", file);
	int fd = open(path, O_WRONLY);
	bool good = fd >= 0 && write(fd, card, strlen(card)) == (ssize_t)strlen(card);

	close(fd);
	return good;
}

/* Submits a job that never completes; returns a sync_file of its fence, or -1. */
static int submit_endless_job(struct fixture *m)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};
	struct drm_syncobj_handle h = {.handle = done.handle,
				       .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
	struct stream s = stream_at(m, 0);

	stream_acquire(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = stream_job(m, &s);

	return queue_submit(m->fd, m->queue, &job, 1, &done, 1) ||
			       gpu_ioctl(m->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h)
		       ? -1
		       : h.fd;
}

/*
 * Imports another driver's memory (udmabuf), which the kernel maps for DMA by our card; 0 if the
 * kernel has no udmabuf.
 */
static uint32_t import_udmabuf(int fd)
{
	int memory = (int)syscall(SYS_memfd_create, "foreign", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	struct udmabuf_create c = {
		.memfd = (uint32_t)memory, .flags = UDMABUF_FLAGS_CLOEXEC, .size = 65536};
	uint32_t handle = 0;

	if (device < 0) {
		diag("this kernel has no udmabuf: importing another driver's memory is not tested");
		close(memory);
		return 0;
	}
	bool sealed = !ftruncate(memory, 65536) && !fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK);
	int file = ioctl(device, UDMABUF_CREATE, &c);

	ok(sealed && file >= 0 && !prime_import(fd, file, &handle),
	   "another driver's memory is imported");
	close(file);
	close(device);
	close(memory);
	return handle;
}

static bool is_signalled(int file)
{
	struct pollfd p = {.fd = file, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

/*
 * Two calls blocked on page faults that are not resolved: BO_CREATE of user memory, and VM_BIND
 * that reads its array.
 */
struct blocked_calls {
	int fd, faults; /* render node; userfaultfd, or -1 */
	size_t page;
	uint8_t *pages;
	struct drm_sovgpu_bo_create create;
	struct drm_sovgpu_vm_bind bind;
	int create_result, bind_result;
	pthread_t threads[2];
};

static void *create_on_missing_page(void *data)
{
	struct blocked_calls *s = data;

	s->create_result = gpu_ioctl(s->fd, DRM_IOCTL_SOVGPU_BO_CREATE, &s->create);
	return NULL;
}

static void *bind_from_missing_page(void *data)
{
	struct blocked_calls *s = data;

	s->bind_result = gpu_ioctl(s->fd, DRM_IOCTL_SOVGPU_VM_BIND, &s->bind);
	return NULL;
}

/*
 * Starts both calls and returns when both are blocked; starts none if the kernel has no
 * userfaultfd.
 */
static void start_blocked_calls(struct blocked_calls *s, int fd, uint32_t vm)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffd_msg message;

	*s = (struct blocked_calls){.fd = fd, .page = (size_t)sysconf(_SC_PAGESIZE)};
	s->faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (s->faults < 0) {
		diag("this kernel has no userfaultfd: calls blocked on page faults are not tested");
		return;
	}
	s->pages =
		mmap(NULL, 2 * s->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register missing = {.range = {(uintptr_t)s->pages, 2 * s->page},
					  .mode = UFFDIO_REGISTER_MODE_MISSING};

	s->create = (struct drm_sovgpu_bo_create){
		.region = USER, .size = s->page, .user_address = (uintptr_t)s->pages};
	s->bind = (struct drm_sovgpu_vm_bind){
		.vm_id = vm,
		.ops = {sizeof(struct drm_sovgpu_vm_bind_op), 1, (uintptr_t)s->pages + s->page}};
	bool good =
		!ioctl(s->faults, UFFDIO_API, &api) && !ioctl(s->faults, UFFDIO_REGISTER, &missing);

	pthread_create(&s->threads[0], NULL, create_on_missing_page, s);
	pthread_create(&s->threads[1], NULL, bind_from_missing_page, s);
	for (int i = 0; i < 2 && good; i++) {
		struct pollfd p = {.fd = s->faults, .events = POLLIN};

		good = poll(&p, 1, 20000) == 1 &&
		       read(s->faults, &message, sizeof(message)) == sizeof(message);
	}
	ok(good, "two calls are blocked on page faults");
}

static void finish_blocked_calls(struct blocked_calls *s)
{
	if (s->faults < 0)
		return;
	struct uffdio_zeropage zero = {.range = {(uintptr_t)s->pages, 2 * s->page}};

	ioctl(s->faults, UFFDIO_ZEROPAGE, &zero);
	pthread_join(s->threads[0], NULL);
	pthread_join(s->threads[1], NULL);
	ok(!s->create_result, "BO_CREATE blocked on a page fault during unbind completes");
	ok(s->bind_result == -ENODEV, "VM_BIND blocked on a page fault during unbind is ENODEV");
	munmap(s->pages, 2 * s->page);
	close(s->faults);
}

/* Two long-running calls: one clears much VRAM, one maps much memory repeatedly. */
struct long_calls {
	int fd;
	struct drm_sovgpu_bo_create create;
	struct drm_sovgpu_vm_bind_op ops[1024];
	struct drm_sovgpu_vm_bind bind;
	int create_result, bind_result;
	pthread_t threads[2];
};

static void *run_long_create(void *data)
{
	struct long_calls *s = data;

	s->create_result = gpu_ioctl(s->fd, DRM_IOCTL_SOVGPU_BO_CREATE, &s->create);
	return NULL;
}

static void *run_long_bind(void *data)
{
	struct long_calls *s = data;

	s->bind_result = gpu_ioctl(s->fd, DRM_IOCTL_SOVGPU_VM_BIND, &s->bind);
	return NULL;
}

static void start_long_calls(struct long_calls *s, int fd, uint32_t vm)
{
	uint32_t much = 0;

	*s = (struct long_calls){.fd = fd};
	s->create = (struct drm_sovgpu_bo_create){.region = VRAM, .size = 512 * MIB};
	s->bind = (struct drm_sovgpu_vm_bind){
		.vm_id = vm, .ops = {sizeof(s->ops[0]), COUNT(s->ops), (uintptr_t)s->ops}};
	ok(!bo_create(fd, SYSTEM, 64 * MIB, 0, &much), "a 64 MiB system memory buffer is created");
	for (size_t i = 0; i < COUNT(s->ops); i++)
		s->ops[i] = (struct drm_sovgpu_vm_bind_op){
			.handle = much, .va = 4 * GIB, .size = 64 * MIB};
	pthread_create(&s->threads[0], NULL, run_long_create, s);
	pthread_create(&s->threads[1], NULL, run_long_bind, s);
	poll(NULL, 0, 20); /* both have started, and neither has finished */
}

static void finish_long_calls(struct long_calls *s)
{
	pthread_join(s->threads[0], NULL);
	pthread_join(s->threads[1], NULL);
	ok(s->create_result == -ENODEV, "unbind interrupts a BO_CREATE that clears VRAM: ENODEV");
	ok(s->bind_result == -ENODEV && s->bind.done < COUNT(s->ops),
	   "unbind interrupts a VM_BIND of 1024 operations: ENODEV");
	diag("BO_CREATE: %d, VM_BIND: %d after %u of %zu", s->create_result, s->bind_result,
	     s->bind.done, COUNT(s->ops));
}

/* Unbinds in a thread, so that an unbind that hangs is detected. */
static void *unbind_thread(void *card)
{
	return write_driver_file("unbind", card) ? card : NULL;
}

static bool unbind_with_timeout(char *card)
{
	struct timespec limit;
	pthread_t thread;
	void *result = NULL;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 60;
	pthread_create(&thread, NULL, unbind_thread, card);
	return !pthread_timedjoin_np(thread, &result, &limit) && result;
}

int main(int argc, char **argv)
{
	struct drm_sovgpu_device_info info;
	struct blocked_calls blocked;
	struct long_calls long_running;
	struct fixture m;
	uint32_t vram, system_memory, handle;
	int fd = open_device();
	uint8_t *p, *q;

	if (!ok(argc == 2 && fd >= 0, "the render node opens"))
		return tap_done();
	bo_create(fd, VRAM, 65536, MAPPABLE, &vram);
	bo_create(fd, SYSTEM, 65536, MAPPABLE, &system_memory);
	p = bo_map(fd, vram, 65536);
	q = bo_map(fd, system_memory, 65536);
	if (!ok(p != MAP_FAILED && q != MAP_FAILED, "VRAM and system memory buffers are mapped"))
		return tap_done();
	memset(p, 0x5a, 65536);
	memset(q, 0x5a, 65536);
	int exported = prime_export(fd, vram);
	uint8_t *r = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, exported, 0);

	ok(exported >= 0 && r != MAP_FAILED && reads_pattern(r),
	   "VRAM is also mapped through its dma-buf");
	struct drm_sovgpu_vm_bind_op ops[] = {
		{.handle = vram, .va = 1 << 30, .size = 65536},
		{.handle = system_memory, .va = 2ull << 30, .size = 65536}};
	struct drm_sovgpu_vm_bind bind = {.ops = {sizeof(ops[0]), 2, (uintptr_t)ops}};

	ok(!vm_create(fd, &bind.vm_id), "an address space is created");
	ok(!gpu_ioctl(fd, DRM_IOCTL_SOVGPU_VM_BIND, &bind),
	   "both buffers are mapped into the address space");
	uint32_t theirs = import_udmabuf(fd); /* DMA-mapped at import; the unbind must unmap it */

	ok(!theirs || !vm_map(fd, bind.vm_id, theirs, 0, 3ull << 30, 65536),
	   "imported memory is mapped into the address space");
	struct sigaction catch = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	sigaction(SIGBUS, &catch, NULL);
	ok(reads_pattern(p) && reads_pattern(q), "mapped buffers can be read before the unbind");
	if (!fixture_open(&m, COMPUTE))
		return tap_done();
	int fence = submit_endless_job(&m);

	ok(fence >= 0 && !is_signalled(fence), "an endless job is submitted");
	start_blocked_calls(&blocked, fd, bind.vm_id);
	start_long_calls(&long_running, fd, bind.vm_id);
	ok(unbind_with_timeout(argv[1]), "the unbind completes within a minute");
	finish_blocked_calls(&blocked);
	finish_long_calls(&long_running);
	ok(is_signalled(fence), "the unbind signals the fence of the pending job");
	ok(queue_state(m.fd, m.queue).state == UINT32_MAX && errno == ENODEV,
	   "QUEUE_STATE after the unbind is ENODEV");
	ok(raises_bus_error(p) && raises_bus_error(q),
	   "mappings of VRAM and system memory raise SIGBUS after the unbind");
	ok(raises_bus_error(r), "a dma-buf mapping of VRAM raises SIGBUS after the unbind");
	ok(dev_query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(info), &info, NULL) == -ENODEV,
	   "DEV_QUERY after the unbind is ENODEV");
	ok(bo_create(fd, VRAM, 65536, 0, &handle) == -ENODEV,
	   "BO_CREATE after the unbind is ENODEV");
	bind.done = 0;
	ok(gpu_ioctl(fd, DRM_IOCTL_SOVGPU_VM_BIND, &bind) == -ENODEV,
	   "VM_BIND after the unbind is ENODEV");
	ok(write_driver_file("bind", argv[1]), "the card is bound again");
	int again =
		open("/dev/dri/renderD129", O_RDWR | O_CLOEXEC); /* the old minor is still in use */

	ok(again >= 0 && !dev_query(again, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(info), &info, NULL),
	   "a new open of the bound card works");
	ok(dev_query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(info), &info, NULL) == -ENODEV,
	   "a file opened before the unbind stays ENODEV after the card is bound again");
	fixture_close(&m);
	munmap(p, 65536);
	munmap(q, 65536);
	munmap(r, 65536);
	close(exported);
	close(fd);
	close(again);
	close(fence);
	return tap_done();
}
