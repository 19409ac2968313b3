// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Contexts of the graphics engine, which also computes. A context is a handful of buffers in video
 * memory: some of its own, some that all share. The GSP says how large, we say where ("promote").
 * Before the first there is the golden context, from which the GSP makes all others: a privileged
 * channel is given a complete set of buffers, and its first object lets the GSP initialise them.
 * Buffers are mapped where channels run, with a bit that keeps programs out.
 */
#include <drm/drm_print.h>
#include <linux/log2.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "kmod/nv/nv.h"

/* Buffers that we promote, of those that the GSP lists: nouveau's r535_gr_get_ctxbuf_info. */
static const struct {
	u16 index;   /* in the GSP's list */
	u16 buffer;  /* what it is called to promote it */
	bool global; /* all contexts share it */
	bool initialise;
	bool read_only;
} kinds[] = {
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

static_assert(ARRAY_SIZE(kinds) == NV_CONTEXT_BUFFERS);

static int learn_sizes(struct nv_device *nv)
{
	struct rm_context_buffers *info = kzalloc(sizeof(*info), GFP_KERNEL);
	int ret, i;

	if (!info)
		return -ENOMEM;
	ret = nv_rm_ask(nv, RM_CONTROL_CONTEXT_BUFFERS, info, sizeof(*info));
	for (i = 0; !ret && i < ARRAY_SIZE(kinds); i++) {
		u64 bytes = info->engine[0].buffer[kinds[i].index].bytes;

		if (bytes > SZ_256M) {
			drm_err(&nv->base.drm, "GSP: context buffer %u of %llu bytes\n",
				kinds[i].buffer, bytes);
			ret = -EIO;
		}
		if (kinds[i].buffer == RM_BUFFER_MAIN)
			bytes = ALIGN(bytes, SZ_4K) + RM_BUFFER_MAIN_EXTRA;
		nv->context_bytes[i] = ALIGN(bytes, SZ_4K);
	}
	kfree(info);
	return ret;
}

/* Programs reach none of them; the GSP wants one at its own size's alignment. */
static int map_buffer(struct nv_context *c, int i, const struct nv_vram *memory)
{
	u64 align = memory->bytes >= SZ_2M ? SZ_2M : memory->bytes >= SZ_64K ? SZ_64K : SZ_4K;
	u64 bits = NV_MMU3_PTE_VRAM | NV_MMU3_PCF_REGULAR | NV_MMU3_PCF_PRIVILEGED;

	if (kinds[i].buffer == RM_BUFFER_ATTRIBUTE)
		align = roundup_pow_of_two(memory->bytes);
	if (kinds[i].read_only)
		bits |= NV_MMU3_PCF_READ_ONLY | NV_MMU3_PCF_NO_ATOMICS;
	return nv_vm_place(c->vm, &c->places[i], memory->address, memory->bytes, align, bits);
}

static int add_buffer(struct nv_context *c, int i, bool golden, struct rm_promote *p)
{
	struct nv_device *nv = c->vm->nv;
	struct rm_promote_entry *e = &p->list[p->count];
	const struct nv_vram *memory = &nv->context_shared[i];
	int ret = 0;

	if (!nv->context_bytes[i])
		return 0;
	/* The map that allows everything is not for channels of users. */
	if (!golden && kinds[i].buffer == RM_BUFFER_FREE_ACCESS_MAP)
		return 0;
	if (!kinds[i].global) {
		memory = &c->memory[i];
		ret = nv_vram_alloc(nv, c->vm->base.account, &c->memory[i], nv->context_bytes[i]);
		if (ret)
			return ret;
	}
	e->buffer = kinds[i].buffer;
	e->initialise = kinds[i].initialise && (golden || !kinds[i].global);
	e->unmapped = golden && kinds[i].buffer == RM_BUFFER_ACCESS_MAP;
	if (!e->unmapped) {
		ret = map_buffer(c, i, memory);
		e->virtual = c->places[i].start;
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
 * nv_context_init() - give a channel, and with it its channel group, a context
 * @c: zeros
 * @vm: where the channel runs
 * @channel: the channel
 * @golden: the first of all
 *
 * Return: 0 or a negative errno; then it must be finished all the same, after the channel.
 */
int nv_context_init(struct nv_context *c, struct nv_vm *vm, u32 channel, bool golden)
{
	struct rm_promote *p = kzalloc(sizeof(*p), GFP_KERNEL);
	int ret = 0, i;

	if (!p)
		return -ENOMEM;
	c->vm = vm;
	p->engine = RM_ENGINE_GRAPHICS;
	p->channel_client = vm->client.handle;
	p->object = channel;
	for (i = 0; i < ARRAY_SIZE(kinds) && !ret; i++)
		ret = add_buffer(c, i, golden, p);
	if (!ret)
		ret = nv_rm_control(&vm->client, NV_RM_SUBDEVICE, RM_CONTROL_PROMOTE, p,
				    sizeof(*p));
	kfree(p);
	return ret;
}

/**
 * nv_context_fini() - give a context's memory back
 * @c: the context, whose channels are gone; one that was never made is fine
 */
void nv_context_fini(struct nv_context *c)
{
	int i;

	if (!c->vm)
		return;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		nv_vm_remove(c->vm, &c->places[i]);
		nv_vram_free(c->vm->nv, &c->memory[i]);
	}
	c->vm = NULL;
}

struct golden {
	struct nv_vm vm;
	struct nv_channel channel;
	struct nv_context context;
};

static int make_golden(struct nv_device *nv, struct golden *g)
{
	const struct nv_channel_words words = {
		.vm = &g->vm,
		.parent = NV_RM_DEVICE,
		.engine = nv->engines[DRM_SOVGPU_QUEUE_COMPUTE],
		.entries = SZ_4K / NV_GP_ENTRY_BYTES, /* never used */
		.privileged = true,
	};
	int ret;

	ret = nv_channel_init(&g->channel, &words);
	if (!ret)
		ret = nv_context_init(&g->context, &g->vm, NV_RM_CHANNEL(g->channel.id), true);
	if (!ret)
		ret = nv_channel_object(&g->channel, nv->chip->graphics, NULL, 0);
	nv_channel_stop(&g->channel);
	nv_context_fini(&g->context);
	nv_channel_fini(&g->channel);
	return ret;
}

/**
 * nv_contexts_start() - make what all contexts share, and the golden one
 * @nv: the device, with engines and video memory known
 *
 * Return: 0 or a negative errno after a message; then nv_contexts_stop() is wanted all the same.
 */
int nv_contexts_start(struct nv_device *nv)
{
	struct golden *g;
	int ret, i;

	ret = learn_sizes(nv);
	for (i = 0; !ret && i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].global && nv->context_bytes[i])
			ret = nv_vram_alloc(nv, NULL, &nv->context_shared[i], nv->context_bytes[i]);
	if (ret)
		return ret;
	g = kzalloc(sizeof(*g), GFP_KERNEL);
	if (!g)
		return -ENOMEM;
	mutex_init(&g->vm.base.lock);
	ret = nv_vm_init(&nv->base, &g->vm.base);
	if (!ret) {
		ret = make_golden(nv, g);
		nv_vm_fini(&g->vm.base);
	}
	mutex_destroy(&g->vm.base.lock);
	kfree(g);
	if (ret && !READ_ONCE(nv->lost))
		drm_err(&nv->base.drm, "no golden context: %pe\n", ERR_PTR(ret));
	return ret;
}

/**
 * nv_contexts_stop() - give back what all contexts share
 * @nv: the device; contexts that never started are fine
 */
void nv_contexts_stop(struct nv_device *nv)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		nv_vram_free(nv, &nv->context_shared[i]);
}
