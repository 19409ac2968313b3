// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A channel: a ring of command streams that the hardware reads by itself. Its number is our choice,
 * so that an event's number leads back to its queue; 0 is the firmware's. Users' channels cannot do
 * what needs privileges, and copies by physical address are refused on all of them.
 */
#include <linux/io.h>

#include "kmod/nv/nv.h"

static int make_userd(struct nv_device *nv, struct nv_channel *c)
{
	int ret = nv_vram_alloc(nv, c->vm->base.account, &c->userd, NV_USERD_BYTES);

	if (ret)
		return ret;
	c->ends = ioremap_wc(nv->base.vram.window + c->userd.address, NV_USERD_BYTES);
	return c->ends ? 0 : -ENOMEM;
}

static int make_memory(struct nv_device *nv, struct nv_channel *c, const struct nv_channel_words *w)
{
	struct sov_account *account = c->vm->base.account;
	int ret;

	ret = nv_vram_alloc(nv, account, &c->instance, RM_INSTANCE_BYTES);
	if (!ret && !w->userd)
		ret = make_userd(nv, c);
	if (!ret)
		ret = nv_buffer_alloc(nv, account, &c->methods, nv->method_bytes);
	return ret;
}

static struct rm_memory_description in_vram(u64 address, u64 bytes)
{
	return (struct rm_memory_description){ address, bytes, RM_SPACE_VRAM, RM_CACHE_YES };
}

static int make(struct nv_channel *c, const struct nv_channel_words *w)
{
	struct rm_channel_parameters p = {
		.ring = w->ring_va,
		.ring_entries = w->entries,
		.flags = RM_CHANNEL_ID(c->id) | RM_CHANNEL_NO_PHYSICAL_COPIES,
		.va_space = NV_RM_VA_SPACE,
		.engine = w->engine.type,
		.instance = in_vram(c->instance.address, RM_INSTANCE_BYTES),
		.userd = in_vram(w->userd ? w->userd : c->userd.address, NV_USERD_BYTES),
		.ramfc = in_vram(c->instance.address, RM_RAMFC_BYTES),
		.method_buffer = { c->methods.bus, c->methods.bytes, RM_SPACE_SYSTEM,
				   RM_CACHE_NONE },
		.internal_flags = w->privileged ? RM_CHANNEL_ADMIN : RM_CHANNEL_USER,
	};

	if (w->privileged)
		p.flags |= RM_CHANNEL_PRIVILEGED;
	return nv_rm_alloc(&c->vm->client, w->parent, NV_RM_CHANNEL(c->id),
			   c->vm->nv->chip->channel, &p, sizeof(p));
}

/**
 * nv_channel_init() - make a channel
 * @c: zeros
 * @w: how
 *
 * Return: 0 or a negative errno; then it must be stopped and finished all the same.
 */
int nv_channel_init(struct nv_channel *c, const struct nv_channel_words *w)
{
	struct nv_device *nv = w->vm->nv;
	int ret;

	c->vm = w->vm;
	ret = ida_alloc_range(&nv->channel_ids, RM_FIRST_CHANNEL, RM_CHANNELS - 1, GFP_KERNEL);
	if (ret < 0)
		return ret;
	c->id = ret;
	c->doorbell = NV_DOORBELL(w->engine.runlist, c->id);
	ret = make_memory(nv, c, w);
	if (!ret)
		ret = make(c, w);
	c->made = !ret;
	return ret;
}

/**
 * nv_channel_object() - give a channel its engine's object
 * @c: the channel
 * @class: of the object
 * @parameters: of the class, or NULL
 * @bytes: size of these
 *
 * Return: 0 or a negative errno after a message.
 */
int nv_channel_object(struct nv_channel *c, u32 class, void *parameters, u32 bytes)
{
	int ret = nv_rm_alloc(&c->vm->client, NV_RM_CHANNEL(c->id), NV_RM_ENGINE(c->id), class,
			      parameters, bytes);

	c->has_object = !ret;
	return ret;
}

/**
 * nv_channel_stop() - end a channel; when this returns, nothing of it runs
 * @c: the channel; one that was not made is fine
 */
void nv_channel_stop(struct nv_channel *c)
{
	if (!c->made)
		return;
	if (c->has_object)
		nv_rm_free(&c->vm->client, NV_RM_ENGINE(c->id));
	nv_rm_free(&c->vm->client, NV_RM_CHANNEL(c->id));
	c->made = false;
}

/**
 * nv_channel_fini() - give back what a channel has
 * @c: the channel, stopped
 */
void nv_channel_fini(struct nv_channel *c)
{
	struct nv_device *nv;

	if (!c->vm)
		return;
	nv = c->vm->nv;
	if (c->ends)
		iounmap(c->ends);
	nv_buffer_free(nv, &c->methods);
	nv_vram_free(nv, &c->userd);
	nv_vram_free(nv, &c->instance);
	if (c->id)
		ida_free(&nv->channel_ids, c->id);
}

/**
 * nv_channel_ring() - tell the device that a ring has grown
 * @c: the channel
 * @put: the ring's new end
 */
void nv_channel_ring(struct nv_channel *c, u32 put)
{
	wmb(); /* ring and streams before its end */
	writel(put, c->ends + NV_USERD_GP_PUT);
	wmb(); /* out of the CPU */
	/* Through memory's window, where the doorbell could overtake it: what was read is there. */
	readl(c->ends + NV_USERD_GP_PUT);
	nv_wr32(c->vm->nv, NV_VF_DOORBELL, c->doorbell);
}
