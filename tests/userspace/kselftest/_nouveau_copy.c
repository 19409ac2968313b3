/* SPDX-License-Identifier: MIT */
/*
 * One copy through nouveau's own interface, for the scenario that has that driver: bytes go from
 * system memory into VRAM and on into other system memory, by the copy engine, with a fence behind
 * them. The method stream is the one libsov would write; buffers, addresses, the channel and the
 * fence are nouveau's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <drm/drm.h>
#include <drm/nouveau_drm.h>

#include "hw/nv/compute.h"
#include "hw/nv/copy.h"
#include "hw/nv/host.h"
#include "tests/tap.h"

#define BYTES        (256u << 10)
/* Addresses are ours to choose, outside the part that nouveau keeps for itself. */
#define KERNEL_VA    0x8000000000ull
#define KERNEL_BYTES 0x8000000000ull
enum {
	STREAM = 0x10000000,
	SOURCE = 0x11000000,
	MIDDLE = 0x12000000,
	TARGET = 0x13000000,
	HOLE = 0x20000000
};

/* Only the kernel's headers have it: make an object of a class on a channel. */
struct object {
	int channel;
	uint32_t handle;
	int class;
};
#define MAKE_OBJECT DRM_IOW(DRM_COMMAND_BASE + DRM_NOUVEAU_GROBJ_ALLOC, struct object)

static int fd;

static int call(unsigned long request, void *argument)
{
	return ioctl(fd, request, argument) ? -errno : 0;
}

/* A buffer at a GPU address, mapped for us; NULL after a failure that was told. */
static uint8_t *buffer(const char *name, uint32_t domain, uint64_t va, uint32_t bytes)
{
	struct drm_nouveau_gem_new new = {
		.info = {.domain = domain | NOUVEAU_GEM_DOMAIN_MAPPABLE, .size = bytes},
		.align = 1 << 16};
	struct drm_nouveau_vm_bind_op op = {
		.op = DRM_NOUVEAU_VM_BIND_OP_MAP, .addr = va, .range = bytes};
	struct drm_nouveau_vm_bind bind = {.op_count = 1, .op_ptr = (uintptr_t)&op};
	int made = call(DRM_IOCTL_NOUVEAU_GEM_NEW, &new), bound;

	op.handle = new.info.handle;
	bound = made ? made : call(DRM_IOCTL_NOUVEAU_VM_BIND, &bind);
	uint8_t *p = bound ? MAP_FAILED
			   : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				  (off_t) new.info.map_handle);

	if (!ok(p != MAP_FAILED, "%s is made, bound and mapped", name))
		diag("made %d, bound %d: %s", made, bound, strerror(errno));
	return p == MAP_FAILED ? NULL : p;
}

static uint32_t *method(uint32_t *to, uint32_t number, uint32_t count, const uint32_t *values)
{
	*to++ = 1u << 29 | count << 16 | (uint32_t)NV_SUBCHANNEL_COPY << 13 | number >> 2;
	memcpy(to, values, 4 * count);
	return to + count;
}

static uint32_t *copy(uint32_t *to, uint64_t from, uint64_t into)
{
	to = method(to, NV_COPY_SRC_HIGH, 4,
		    (uint32_t[]){(uint32_t)(from >> 32), (uint32_t)from, (uint32_t)(into >> 32),
				 (uint32_t)into});
	to = method(to, NV_COPY_LINE_BYTES, 1, (uint32_t[]){BYTES});
	return method(to, NV_COPY_LAUNCH, 1,
		      (uint32_t[]){NV_COPY_TRANSFER_NON_PIPELINED | NV_COPY_FLUSH |
				   NV_COPY_SRC_LINEAR | NV_COPY_DST_LINEAR});
}

/* Hands the stream over and waits for its fence, a minute at most. */
static int run(int channel, uint32_t bytes)
{
	struct drm_syncobj_create fence = {0};
	struct drm_nouveau_sync signal = {.flags = DRM_NOUVEAU_SYNC_SYNCOBJ};
	struct drm_nouveau_exec_push push = {.va = STREAM, .va_len = bytes};
	struct drm_nouveau_exec exec = {.channel = (uint32_t)channel,
					.push_count = 1,
					.sig_count = 1,
					.sig_ptr = (uintptr_t)&signal,
					.push_ptr = (uintptr_t)&push};
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	struct drm_syncobj_wait wait = {.handles = (uintptr_t)&signal.handle,
					.count_handles = 1,
					.timeout_nsec = (now.tv_sec + 60) * 1000000000ll};
	int status = call(DRM_IOCTL_SYNCOBJ_CREATE, &fence);

	signal.handle = fence.handle;
	if (!status)
		status = call(DRM_IOCTL_NOUVEAU_EXEC, &exec);
	return status ? status : call(DRM_IOCTL_SYNCOBJ_WAIT, &wait);
}

/* A channel with an object of a class on it; its number, or a negative errno. */
static int make_channel(uint32_t engine, int class)
{
	struct drm_nouveau_channel_alloc channel = {.fb_ctxdma_handle = ~0u,
						    .tt_ctxdma_handle = engine};
	struct object object = {.handle = 0xbeef0000u | (uint32_t) class, .class = class};
	int status = call(DRM_IOCTL_NOUVEAU_CHANNEL_ALLOC, &channel);

	object.channel = channel.channel;
	if (!status)
		status = call(MAKE_OBJECT, &object);
	return status ? status : channel.channel;
}

int main(void)
{
	struct drm_nouveau_vm_init vm = {KERNEL_VA, KERNEL_BYTES};
	fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	ok(fd >= 0, "there is a render node");
	int status = call(DRM_IOCTL_NOUVEAU_VM_INIT, &vm);

	ok(!status, "an address space is ours (%s)", strerror(-status));
	int channel = make_channel(NOUVEAU_FIFO_ENGINE_CE, NV_CLASS_HOPPER_COPY);

	ok(channel >= 0, "a channel of a copy engine is made (%d)", channel);
	status = make_channel(NOUVEAU_FIFO_ENGINE_GR, NV_CLASS_HOPPER_COMPUTE);
	ok(status >= 0, "so is one with a compute object, which needs a context (%d)", status);
	uint32_t *stream = (uint32_t *)buffer("a buffer for methods", NOUVEAU_GEM_DOMAIN_GART,
					      STREAM, 1 << 16),
		 *end;
	uint8_t *source = buffer("the source", NOUVEAU_GEM_DOMAIN_GART, SOURCE, BYTES);
	uint8_t *middle = buffer("a buffer in VRAM", NOUVEAU_GEM_DOMAIN_VRAM, MIDDLE, BYTES);
	uint8_t *target = buffer("the target", NOUVEAU_GEM_DOMAIN_GART, TARGET, BYTES);

	if (channel < 0 || !stream || !source || !middle || !target)
		return tap_done();
	for (uint32_t i = 0; i < BYTES; i++) {
		source[i] = (uint8_t)(i * 2654435761u >> 13);
		target[i] = 0x55;
	}
	end = method(stream, NV_HOST_SET_OBJECT, 1, (uint32_t[]){NV_CLASS_HOPPER_COPY});
	end = copy(end, SOURCE, MIDDLE);
	end = copy(end, MIDDLE, TARGET);
	status = run(channel, (uint32_t)(4 * (end - stream)));
	ok(!status, "its fence signals (%s)", strerror(-status));
	ok(!memcmp(target, source, BYTES), "every byte arrived");
	bool same = true;

	/* Each of these goes to the card, through the page tables of its window. */
	for (uint32_t i = 0; i < BYTES; i += 4093)
		same = same && ((volatile uint8_t *)middle)[i] == source[i];
	ok(same, "VRAM as the processor sees it has them, too");

	/* The kernel's log says what became of this one; that its fence comes is what counts here.
	 */
	end = copy(stream, HOLE, TARGET);
	status = run(channel, (uint32_t)(4 * (end - stream)));
	ok(!status, "a copy from where nothing is comes to an end (%s)", strerror(-status));
	ok(!memcmp(target, source, BYTES), "and copies nothing");
	return tap_done();
}
