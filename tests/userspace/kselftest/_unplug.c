/* SPDX-License-Identifier: MIT */
/*
 * The card goes while a process has it open, with buffers and mappings. Calls say ENODEV, video memory
 * is gone from the process (SIGBUS), system memory too, and closing what is left does no harm. Nor can a
 * process keep the card by calls with memory of its own that does not come, or by calls that take long. That
 * nothing is mapped for DMA any more, not even another driver's memory, the kernel sees to, if it was built for that.
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

static bool reads(const volatile uint8_t *p)
{
	if (sigsetjmp(back, 1))
		return false;
	return *p == 0x5a;
}

/* The mapping is gone, and not only the card behind it, which may read as anything or abort the access. */
static bool gone(const volatile uint8_t *p)
{
	volatile uint8_t byte;
	int code = sigsetjmp(back, 1);

	if (code)
		return code == BUS_ADRERR;
	byte = *p;
	(void)byte;
	return false;
}

static bool tell(const char *file, const char *card)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/sovgpu/%s", file);
	int fd = open(path, O_WRONLY);
	bool good = fd >= 0 && write(fd, card, strlen(card)) == (ssize_t)strlen(card);

	close(fd);
	return good;
}

/* Work that does not end; a file that says when its fence is signalled, or -1. */
static int endless(struct machine *m)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};
	struct drm_syncobj_handle h = {.handle = done.handle,
				       .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
	struct stream s = at(m, 0);

	add_acquire(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = job_of(m, &s);

	return submit(m->fd, m->queue, &job, 1, &done, 1) ||
			       call(m->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h)
		       ? -1
		       : h.fd;
}

/* Another driver's memory as a buffer of ours, which the kernel maps for our card; 0: there is no such driver. */
static uint32_t foreign(int fd)
{
	int memory = (int)syscall(SYS_memfd_create, "foreign", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	struct udmabuf_create c = {
		.memfd = (uint32_t)memory, .flags = UDMABUF_FLAGS_CLOEXEC, .size = 65536};
	uint32_t handle = 0;

	if (device < 0) {
		diag("no udmabuf in this kernel: nobody has another driver's memory");
		close(memory);
		return 0;
	}
	bool sealed = !ftruncate(memory, 65536) && !fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK);
	int file = ioctl(device, UDMABUF_CREATE, &c);

	ok(sealed && file >= 0 && !prime_import(fd, file, &handle),
	   "another driver's memory is a buffer, too");
	close(file);
	close(device);
	close(memory);
	return handle;
}

static bool signalled(int file)
{
	struct pollfd p = {.fd = file, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

/* Two calls that want a page which is not there: one as a buffer, one to read an array from. */
struct stuck {
	int fd, faults; /* the card; where missing pages are told, or -1 */
	size_t page;
	uint8_t *pages;
	struct drm_sovgpu_bo_create create;
	struct drm_sovgpu_vm_bind bind;
	int create_result, bind_result;
	pthread_t threads[2];
};

static void *take_page(void *data)
{
	struct stuck *s = data;

	s->create_result = call(s->fd, DRM_IOCTL_SOVGPU_BO_CREATE, &s->create);
	return NULL;
}

static void *read_page(void *data)
{
	struct stuck *s = data;

	s->bind_result = call(s->fd, DRM_IOCTL_SOVGPU_VM_BIND, &s->bind);
	return NULL;
}

/* Starts both and returns when both wait. Without userfaultfd in the kernel there are none. */
static void get_stuck(struct stuck *s, int fd, uint32_t vm)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffd_msg message;

	*s = (struct stuck){.fd = fd, .page = (size_t)sysconf(_SC_PAGESIZE)};
	s->faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (s->faults < 0) {
		diag("no userfaultfd in this kernel: nobody tries to keep the card");
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

	pthread_create(&s->threads[0], NULL, take_page, s);
	pthread_create(&s->threads[1], NULL, read_page, s);
	for (int i = 0; i < 2 && good; i++) {
		struct pollfd p = {.fd = s->faults, .events = POLLIN};

		good = poll(&p, 1, 20000) == 1 &&
		       read(s->faults, &message, sizeof(message)) == sizeof(message);
	}
	ok(good, "two calls wait for pages of their process");
}

static void get_free(struct stuck *s)
{
	if (s->faults < 0)
		return;
	struct uffdio_zeropage zero = {.range = {(uintptr_t)s->pages, 2 * s->page}};

	ioctl(s->faults, UFFDIO_ZEROPAGE, &zero);
	pthread_join(s->threads[0], NULL);
	pthread_join(s->threads[1], NULL);
	ok(!s->create_result, "BO_CREATE that waited for a page has got it");
	ok(s->bind_result == -ENODEV, "VM_BIND that waited for one is ENODEV");
	munmap(s->pages, 2 * s->page);
	close(s->faults);
}

/* Two calls that take long: one clears much video memory, one maps much memory over and over. */
struct slow {
	int fd;
	struct drm_sovgpu_bo_create create;
	struct drm_sovgpu_vm_bind_op ops[1024];
	struct drm_sovgpu_vm_bind bind;
	int create_result, bind_result;
	pthread_t threads[2];
};

static void *clear_much(void *data)
{
	struct slow *s = data;

	s->create_result = call(s->fd, DRM_IOCTL_SOVGPU_BO_CREATE, &s->create);
	return NULL;
}

static void *map_much(void *data)
{
	struct slow *s = data;

	s->bind_result = call(s->fd, DRM_IOCTL_SOVGPU_VM_BIND, &s->bind);
	return NULL;
}

static void get_slow(struct slow *s, int fd, uint32_t vm)
{
	uint32_t much = 0;

	*s = (struct slow){.fd = fd};
	s->create = (struct drm_sovgpu_bo_create){.region = VRAM, .size = 512 * MIB};
	s->bind = (struct drm_sovgpu_vm_bind){
		.vm_id = vm, .ops = {sizeof(s->ops[0]), COUNT(s->ops), (uintptr_t)s->ops}};
	ok(!create(fd, SYSTEM, 64 * MIB, 0, &much), "there is much memory");
	for (size_t i = 0; i < COUNT(s->ops); i++)
		s->ops[i] = (struct drm_sovgpu_vm_bind_op){
			.handle = much, .va = 4 * GIB, .size = 64 * MIB};
	pthread_create(&s->threads[0], NULL, clear_much, s);
	pthread_create(&s->threads[1], NULL, map_much, s);
	poll(NULL, 0, 20); /* both have begun, and neither is done */
}

static void get_done(struct slow *s)
{
	pthread_join(s->threads[0], NULL);
	pthread_join(s->threads[1], NULL);
	ok(s->create_result == -ENODEV,
	   "BO_CREATE that cleared memory does not go on with it: ENODEV");
	ok(s->bind_result == -ENODEV && s->bind.done < COUNT(s->ops),
	   "nor VM_BIND that mapped it: ENODEV");
	diag("BO_CREATE: %d, VM_BIND: %d after %u of %zu", s->create_result, s->bind_result,
	     s->bind.done, COUNT(s->ops));
}

/* Takes the card away in a thread, so that one that cannot be taken away is told from one that goes. */
static void *unbind(void *card)
{
	return tell("unbind", card) ? card : NULL;
}

static bool take_away(char *card)
{
	struct timespec limit;
	pthread_t thread;
	void *result = NULL;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 60;
	pthread_create(&thread, NULL, unbind, card);
	return !pthread_timedjoin_np(thread, &result, &limit) && result;
}

int main(int argc, char **argv)
{
	struct drm_sovgpu_device_info info;
	struct stuck stuck;
	struct slow slow;
	struct machine m;
	uint32_t vram, system_memory, handle;
	int fd = open_device();
	uint8_t *p, *q;

	if (!ok(argc == 2 && fd >= 0, "the card is open"))
		return tap_done();
	create(fd, VRAM, 65536, MAPPABLE, &vram);
	create(fd, SYSTEM, 65536, MAPPABLE, &system_memory);
	p = map(fd, vram, 65536);
	q = map(fd, system_memory, 65536);
	if (!ok(p != MAP_FAILED && q != MAP_FAILED, "buffers are mapped"))
		return tap_done();
	memset(p, 0x5a, 65536);
	memset(q, 0x5a, 65536);
	int exported = prime_export(fd, vram);
	uint8_t *r = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, exported, 0);

	ok(exported >= 0 && r != MAP_FAILED && reads(r),
	   "video memory is mapped through an exported file, too");
	struct drm_sovgpu_vm_bind_op ops[] = {
		{.handle = vram, .va = 1 << 30, .size = 65536},
		{.handle = system_memory, .va = 2ull << 30, .size = 65536}};
	struct drm_sovgpu_vm_bind bind = {.ops = {sizeof(ops[0]), 2, (uintptr_t)ops}};

	ok(!vm_create(fd, &bind.vm_id), "there is an address space");
	ok(!call(fd, DRM_IOCTL_SOVGPU_VM_BIND, &bind), "with both buffers in it");
	uint32_t theirs = foreign(
		fd); /* mapped for DMA before anybody binds it, and unmapped when the card goes */

	ok(!theirs || !vm_map(fd, bind.vm_id, theirs, 0, 3ull << 30, 65536), "and all others");
	struct sigaction catch = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	sigaction(SIGBUS, &catch, NULL);
	ok(reads(p) && reads(q), "and can be read");
	if (!machine_open(&m, COMPUTE))
		return tap_done();
	int fence = endless(&m);

	ok(fence >= 0 && !signalled(fence), "it has work that does not end");
	get_stuck(&stuck, fd, bind.vm_id);
	get_slow(&slow, fd, bind.vm_id);
	ok(take_away(argv[1]), "the card is taken away");
	get_free(&stuck);
	get_done(&slow);
	ok(signalled(fence), "who waits for that work waits no more");
	ok(queue_state(m.fd, m.queue).state == UINT32_MAX && errno == ENODEV,
	   "QUEUE_STATE is ENODEV");
	ok(gone(p) && gone(q), "its memory is gone: SIGBUS");
	ok(gone(r), "also where it was mapped through the exported file");
	ok(query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(info), &info, NULL) == -ENODEV,
	   "DEV_QUERY is ENODEV");
	ok(create(fd, VRAM, 65536, 0, &handle) == -ENODEV, "BO_CREATE is ENODEV");
	bind.done = 0;
	ok(call(fd, DRM_IOCTL_SOVGPU_VM_BIND, &bind) == -ENODEV, "VM_BIND is ENODEV");
	ok(tell("bind", argv[1]), "the card is back");
	int again = open("/dev/dri/renderD129",
			 O_RDWR | O_CLOEXEC); /* the old number is still in use */

	ok(again >= 0 && !query(again, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(info), &info, NULL),
	   "who opens it now can use it");
	ok(query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(info), &info, NULL) == -ENODEV,
	   "who had it open before cannot");
	machine_close(&m);
	munmap(p, 65536);
	munmap(q, 65536);
	munmap(r, 65536);
	close(exported);
	close(fd);
	close(again);
	close(fence);
	return tap_done();
}
