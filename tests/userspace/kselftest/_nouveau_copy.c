// SPDX-License-Identifier: MIT
/*
 * Copies bytes through nouveau's own uAPI, for the scenario that loads nouveau: from system memory
 * to VRAM and on to other system memory, by the copy engine, with a fence. The method stream is the
 * one libsov would write; buffers, addresses, the channel and the fence are nouveau's.
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
/* The process chooses addresses outside the range that nouveau reserves for the kernel. */
#define KERNEL_VA    0x8000000000ull
#define KERNEL_BYTES 0x8000000000ull
enum {
	STREAM = 0x10000000,
	SOURCE = 0x11000000,
	MIDDLE = 0x12000000,
	TARGET = 0x13000000,
	HOLE = 0x20000000
};

/* Creates an object of a class on a channel; only the kernel's internal headers define it. */
struct object {
	int channel;
	uint32_t handle;
	int class;
};
#define IOCTL_GROBJ_ALLOC DRM_IOW(DRM_COMMAND_BASE + DRM_NOUVEAU_GROBJ_ALLOC, struct object)

static int fd;

static int nouveau_ioctl(unsigned long request, void *argument)
{
	return ioctl(fd, request, argument) ? -errno : 0;
}

/*
 * Creates a buffer, binds it at a GPU address and maps it; NULL after a failure, which it has
 * reported.
 */
static uint8_t *create_mapped_buffer(const char *name, uint32_t domain, uint64_t va, uint32_t bytes)
{
	struct drm_nouveau_gem_new new = {
		.info = {.domain = domain | NOUVEAU_GEM_DOMAIN_MAPPABLE, .size = bytes},
		.align = 1 << 16};
	struct drm_nouveau_vm_bind_op op = {
		.op = DRM_NOUVEAU_VM_BIND_OP_MAP, .addr = va, .range = bytes};
	struct drm_nouveau_vm_bind bind = {.op_count = 1, .op_ptr = (uintptr_t)&op};
	int made = nouveau_ioctl(DRM_IOCTL_NOUVEAU_GEM_NEW, &new), bound;

	op.handle = new.info.handle;
	bound = made ? made : nouveau_ioctl(DRM_IOCTL_NOUVEAU_VM_BIND, &bind);
	uint8_t *p = bound ? MAP_FAILED
			   : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				  (off_t) new.info.map_handle);

	if (!ok(p != MAP_FAILED, "%s is created, bound and mapped", name))
		diag("GEM_NEW %d, VM_BIND %d: %s", made, bound, strerror(errno));
	return p == MAP_FAILED ? NULL : p;
}

static uint32_t *add_method(uint32_t *to, uint32_t number, uint32_t count, const uint32_t *values)
{
	*to++ = 1u << 29 | count << 16 | (uint32_t)NV_SUBCHANNEL_COPY << 13 | number >> 2;
	memcpy(to, values, 4 * count);
	return to + count;
}

static uint32_t *add_copy(uint32_t *to, uint64_t from, uint64_t into)
{
	to = add_method(to, NV_COPY_SRC_HIGH, 4,
			(uint32_t[]){(uint32_t)(from >> 32), (uint32_t)from, (uint32_t)(into >> 32),
				     (uint32_t)into});
	to = add_method(to, NV_COPY_LINE_BYTES, 1, (uint32_t[]){BYTES});
	return add_method(to, NV_COPY_LAUNCH, 1,
			  (uint32_t[]){NV_COPY_TRANSFER_NON_PIPELINED | NV_COPY_FLUSH |
				       NV_COPY_SRC_LINEAR | NV_COPY_DST_LINEAR});
}

/* Submits the stream and waits for its fence, at most a minute. */
static int exec_and_wait(int channel, uint32_t bytes)
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
	int status = nouveau_ioctl(DRM_IOCTL_SYNCOBJ_CREATE, &fence);

	signal.handle = fence.handle;
	if (!status)
		status = nouveau_ioctl(DRM_IOCTL_NOUVEAU_EXEC, &exec);
	return status ? status : nouveau_ioctl(DRM_IOCTL_SYNCOBJ_WAIT, &wait);
}

/* Creates a channel with an object of a class; its number, or a negative errno. */
static int create_channel(uint32_t engine, int class)
{
	struct drm_nouveau_channel_alloc channel = {.fb_ctxdma_handle = ~0u,
						    .tt_ctxdma_handle = engine};
	struct object object = {.handle = 0xbeef0000u | (uint32_t)class, .class = class};
	int status = nouveau_ioctl(DRM_IOCTL_NOUVEAU_CHANNEL_ALLOC, &channel);

	object.channel = channel.channel;
	if (!status)
		status = nouveau_ioctl(IOCTL_GROBJ_ALLOC, &object);
	return status ? status : channel.channel;
}

int main(void)
{
	struct drm_nouveau_vm_init vm = {KERNEL_VA, KERNEL_BYTES};
	fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	ok(fd >= 0, "nouveau's render node opens");
	int status = nouveau_ioctl(DRM_IOCTL_NOUVEAU_VM_INIT, &vm);

	ok(!status, "VM_INIT succeeds (%s)", strerror(-status));
	int channel = create_channel(NOUVEAU_FIFO_ENGINE_CE, NV_CLASS_HOPPER_COPY);

	ok(channel >= 0, "a copy engine channel is created (%d)", channel);
	status = create_channel(NOUVEAU_FIFO_ENGINE_GR, NV_CLASS_HOPPER_COMPUTE);
	ok(status >= 0, "a channel with a compute object, which needs a context, is created (%d)",
	   status);
	uint32_t *stream = (uint32_t *)create_mapped_buffer(
			 "the method buffer", NOUVEAU_GEM_DOMAIN_GART, STREAM, 1 << 16),
		 *end;
	uint8_t *source =
		create_mapped_buffer("the source buffer", NOUVEAU_GEM_DOMAIN_GART, SOURCE, BYTES);
	uint8_t *middle =
		create_mapped_buffer("the VRAM buffer", NOUVEAU_GEM_DOMAIN_VRAM, MIDDLE, BYTES);
	uint8_t *target =
		create_mapped_buffer("the target buffer", NOUVEAU_GEM_DOMAIN_GART, TARGET, BYTES);

	if (channel < 0 || !stream || !source || !middle || !target)
		return tap_done();
	for (uint32_t i = 0; i < BYTES; i++) {
		source[i] = (uint8_t)(i * 2654435761u >> 13);
		target[i] = 0x55;
	}
	end = add_method(stream, NV_HOST_SET_OBJECT, 1, (uint32_t[]){NV_CLASS_HOPPER_COPY});
	end = add_copy(end, SOURCE, MIDDLE);
	end = add_copy(end, MIDDLE, TARGET);
	status = exec_and_wait(channel, (uint32_t)(4 * (end - stream)));
	ok(!status, "the fence of the copies signals (%s)", strerror(-status));
	ok(!memcmp(target, source, BYTES), "every byte arrives in the target buffer");
	bool same = true;

	/* Each read goes to the card, through the page tables of its BAR1 window. */
	for (uint32_t i = 0; i < BYTES; i += 4093)
		same = same && ((volatile uint8_t *)middle)[i] == source[i];
	ok(same, "VRAM has the same bytes when the CPU reads it");

	/* The scenario checks the kernel's log for this fault; here the fence must signal. */
	end = add_copy(stream, HOLE, TARGET);
	status = exec_and_wait(channel, (uint32_t)(4 * (end - stream)));
	ok(!status, "the fence of a copy from an unmapped address signals (%s)", strerror(-status));
	ok(!memcmp(target, source, BYTES), "a faulting copy does not change its target");
	return tap_done();
}
