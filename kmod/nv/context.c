// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Contexts of the graphics engine, which also executes compute work. A context is a set of buffers
 * in video memory, some of them private to the context and some shared by all contexts. The GSP
 * reports their sizes, and the driver tells the GSP their addresses ("promotes" them). The first
 * context is the golden context, from which the GSP copies all others: the driver promotes a
 * complete set of buffers for a privileged channel, and the allocation of that channel's first
 * object makes the GSP initialise them. The address spaces of channels map the buffers as
 * privileged, so that programs cannot access them.
 */
#include <drm/drm_print.h>
#include <linux/log2.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "hw/nv/host.h"
#include "kmod/nv/channel.h"
#include "kmod/nv/chip.h"
#include "kmod/nv/context.h"
#include "kmod/nv/memory.h"
#include "kmod/nv/rm.h"
#include "kmod/nv/vm.h"

#define MAX_BUFFER_BYTES SZ_256M

/* The subset of the GSP's buffer list to promote: nouveau's r535_gr_get_ctxbuf_info. */
static const struct {
	u16 index;       /* in the GSP's list of sizes */
	u16 buffer;      /* id for promotion */
	bool global;     /* shared by all contexts */
	bool initialise; /* the GSP initialises the contents */
	bool read_only;
} nv_context_buffers[] = {
	{ RM_CONTEXT_MAIN, RM_BUFFER_MAIN, false, true, false },
	{ RM_CONTEXT_PATCH, RM_BUFFER_PATCH, false, true, false },
	{ RM_CONTEXT_BUNDLE, RM_BUFFER_BUNDLE, true, false, false },
	{ RM_CONTEXT_PAGE_POOL, RM_BUFFER_PAGE_POOL, true, false, false },
	{ RM_CONTEXT_ATTRIBUTE, RM_BUFFER_ATTRIBUTE, true, false, false },
	{ RM_CONTEXT_RTV, RM_BUFFER_RTV, true, false, false },
	{ RM_CONTEXT_EVENTS, RM_BUFFER_EVENTS, true, true, false },
	{ RM_CONTEXT_ACCESS_MAP, RM_BUFFER_ACCESS_MAP, true, true, true },
	{ RM_CONTEXT_ACCESS_MAP, RM_BUFFER_FREE_ACCESS_MAP, true, true, true },
};

static_assert(ARRAY_SIZE(nv_context_buffers) == NV_CONTEXT_BUFFERS);

static int nv_context_query_sizes(struct nv_device *nv)
{
	struct rm_context_buffers *info = kzalloc(sizeof(*info), GFP_KERNEL);
	int ret, i;

	if (!info)
		return -ENOMEM;
	ret = nv_rm_query(nv, RM_CONTROL_CONTEXT_BUFFERS, info, sizeof(*info));
	for (i = 0; !ret && i < ARRAY_SIZE(nv_context_buffers); i++) {
		u64 bytes = info->engine[0].buffer[nv_context_buffers[i].index].bytes;

		if (bytes == RM_CONTEXT_UNSUPPORTED)
			continue;
		if (bytes > MAX_BUFFER_BYTES) {
			drm_err(&nv->base.drm, "GSP: context buffer %u has invalid size %llu\n",
				nv_context_buffers[i].buffer, bytes);
			ret = -EIO;
		}
		if (nv_context_buffers[i].buffer == RM_BUFFER_MAIN)
			bytes = ALIGN(bytes, SZ_4K) + RM_BUFFER_MAIN_EXTRA;
		nv->context_bytes[i] = ALIGN(bytes, SZ_4K);
	}
	kfree(info);
	return ret;
}

/* The privileged bit keeps programs out. The GSP wants ATTRIBUTE aligned to its own size. */
static int nv_context_map_buffer(struct nv_context *c, int i, const struct nv_vram *memory)
{
	u64 align = memory->bytes >= SZ_2M ? SZ_2M : memory->bytes >= SZ_64K ? SZ_64K : SZ_4K;
	const struct nv_mmu_format *format = c->vm->mmu.format;
	u64 bits = format->page | format->privileged;

	if (nv_context_buffers[i].buffer == RM_BUFFER_ATTRIBUTE)
		align = roundup_pow_of_two(memory->bytes);
	if (nv_context_buffers[i].read_only)
		bits |= format->read_only;
	return nv_vm_map_kernel(c->vm, &c->nodes[i], memory->address, memory->bytes, align, bits);
}

static int nv_context_add_buffer(struct nv_context *c, int i, bool golden, struct rm_promote *p)
{
	struct nv_device *nv = c->vm->nv;
	struct rm_promote_entry *e = &p->list[p->count];
	const struct nv_vram *memory = &nv->context_shared[i];
	u16 buffer = nv_context_buffers[i].buffer;
	bool global = nv_context_buffers[i].global;
	int ret = 0;

	if (!nv->context_bytes[i])
		return 0;
	/* User channels must not get the unrestricted access map. */
	if (!golden && buffer == RM_BUFFER_FREE_ACCESS_MAP)
		return 0;
	if (!global) {
		memory = &c->memory[i];
		ret = nv_vram_alloc(nv, c->vm->base.account, &c->memory[i], nv->context_bytes[i]);
		if (ret)
			return ret;
	}
	e->buffer = buffer;
	e->initialise = nv_context_buffers[i].initialise && (golden || !global);
	e->unmapped = golden && buffer == RM_BUFFER_ACCESS_MAP;
	if (!e->unmapped) {
		ret = nv_context_map_buffer(c, i, memory);
		e->virtual = c->nodes[i].start;
	}
	if (e->initialise) {
		e->physical = memory->address;
		e->bytes = memory->bytes;
		e->attributes = RM_PROMOTE_VRAM;
	}
	p->count++;
	return ret;
}

/**
 * nv_context_init() - create a context for a channel and its channel group
 * @c: Zero-initialised context.
 * @vm: Address space of the channel.
 * @channel: RM handle of the channel.
 * @golden: True to create the golden context.
 *
 * Return: 0 or a negative errno. On failure, too, the caller must stop the channel and then call
 * nv_context_fini().
 */
int nv_context_init(struct nv_context *c, struct nv_vm *vm, u32 channel, bool golden)
{
	struct rm_promote *p = kzalloc(sizeof(*p), GFP_KERNEL);
	int ret, i;

	if (!p)
		return -ENOMEM;
	c->vm = vm;
	p->engine = RM_ENGINE_GRAPHICS;
	p->channel_client = vm->client.handle;
	p->object = channel;
	for (i = 0; i < ARRAY_SIZE(nv_context_buffers); i++) {
		ret = nv_context_add_buffer(c, i, golden, p);
		if (ret)
			goto out;
	}
	ret = nv_rm_control(&vm->client, NV_RM_SUBDEVICE, RM_CONTROL_PROMOTE, p, sizeof(*p));
out:
	kfree(p);
	return ret;
}

/**
 * nv_context_fini() - unmap and free the buffers of a context
 * @c: The context, which may be uninitialised; its channels are stopped.
 */
void nv_context_fini(struct nv_context *c)
{
	int i;

	if (!c->vm)
		return;
	for (i = 0; i < ARRAY_SIZE(nv_context_buffers); i++) {
		nv_vm_unmap_kernel(c->vm, &c->nodes[i]);
		nv_vram_free(c->vm->nv, &c->memory[i]);
	}
	c->vm = NULL;
}

/* Temporary state for the creation of the golden context. */
struct nv_golden {
	struct nv_vm vm;
	struct nv_buffer method_buffer;
	struct nv_channel channel;
	struct nv_context context;
};

static int nv_context_init_golden(struct nv_device *nv, struct nv_golden *g)
{
	const struct nv_channel_params params = {
		.vm = &g->vm,
		.parent = NV_RM_DEVICE,
		.engine = nv->engines[DRM_SOVGPU_QUEUE_COMPUTE],
		.entries = SZ_4K / NV_GP_ENTRY_BYTES, /* never used */
		.method_buffer = &g->method_buffer,
		.privileged = true,
	};
	int ret;

	ret = nv_buffer_alloc(nv, NULL, &g->method_buffer, nv->method_bytes);
	if (ret)
		return ret;
	ret = nv_channel_init(&g->channel, &params);
	if (ret)
		goto out;
	ret = nv_channel_start(&g->channel, &params);
	if (ret)
		goto out;
	ret = nv_context_init(&g->context, &g->vm, NV_RM_CHANNEL(g->channel.id), true);
	if (ret)
		goto out;
	ret = nv_channel_alloc_object(&g->channel, nv->chip->graphics, NULL, 0);
out:
	nv_channel_stop(&g->channel);
	nv_context_fini(&g->context);
	nv_channel_fini(&g->channel);
	nv_buffer_free(nv, &g->method_buffer);
	return ret;
}

static int nv_context_create_golden(struct nv_device *nv)
{
	struct nv_golden *g = kzalloc(sizeof(*g), GFP_KERNEL);
	int ret;

	if (!g)
		return -ENOMEM;
	mutex_init(&g->vm.base.lock);
	/* As nouveau does it (r535/gr.c); the others' address spaces are the driver's alone. */
	g->vm.managed = true;
	ret = nv_vm_init(&nv->base, &g->vm.base);
	if (ret)
		goto out;
	ret = nv_context_init_golden(nv, g);
	nv_vm_fini(&g->vm.base);
out:
	mutex_destroy(&g->vm.base.lock);
	kfree(g);
	if (ret && !READ_ONCE(nv->lost))
		drm_err(&nv->base.drm, "failed to create golden context: %pe\n", ERR_PTR(ret));
	return ret;
}

/**
 * nv_context_start() - allocate the buffers that all contexts share and create the golden context
 * @nv: The device, with engines and video memory initialised.
 *
 * Return: 0 or a negative errno after a log message. On failure, too, the caller must call
 * nv_context_stop().
 */
int nv_context_start(struct nv_device *nv)
{
	int ret, i;

	ret = nv_context_query_sizes(nv);
	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(nv_context_buffers); i++) {
		if (!nv_context_buffers[i].global || !nv->context_bytes[i])
			continue;
		ret = nv_vram_alloc(nv, NULL, &nv->context_shared[i], nv->context_bytes[i]);
		if (ret)
			return ret;
	}
	return nv_context_create_golden(nv);
}

/**
 * nv_context_stop() - free the buffers that all contexts share
 * @nv: The device; nv_context_start() may have failed or never run.
 */
void nv_context_stop(struct nv_device *nv)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(nv_context_buffers); i++)
		nv_vram_free(nv, &nv->context_shared[i]);
}
