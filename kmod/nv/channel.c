// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Channels. The host reads a channel's ring of command streams on its own. The driver chooses
 * channel ids, so that the id in an event leads back to the queue; id 0 belongs to the firmware.
 * User channels are unprivileged, and every channel but the driver's own (clear.c) denies copies by
 * physical address.
 */
#include <linux/io.h>

#include "hw/nv/host.h"
#include "kmod/nv/channel.h"
#include "kmod/nv/chip.h"
#include "kmod/nv/memory.h"
#include "kmod/nv/regs.h"
#include "kmod/nv/rm.h"
#include "kmod/nv/vm.h"

static int nv_channel_alloc_userd(struct nv_device *nv, struct nv_channel *c)
{
	int ret = nv_vram_alloc(nv, c->vm->base.account, &c->userd, NV_USERD_BYTES);

	if (ret)
		return ret;
	c->userd_io = ioremap_wc(nv->base.vram.window + c->userd.address, NV_USERD_BYTES);
	return c->userd_io ? 0 : -ENOMEM;
}

static int nv_channel_alloc_memory(struct nv_device *nv, struct nv_channel *c,
				   const struct nv_channel_params *params)
{
	struct sov_account *account = c->vm->base.account;
	int ret;

	ret = nv_vram_alloc(nv, account, &c->instance, RM_INSTANCE_BYTES);
	if (ret || params->userd)
		return ret;
	return nv_channel_alloc_userd(nv, c);
}

static struct rm_memory_description nv_channel_describe_vram(u64 address, u64 bytes)
{
	return (struct rm_memory_description){ address, bytes, RM_SPACE_VRAM, RM_CACHE_YES };
}

/**
 * nv_channel_start() - allocate RM's object of a channel
 * @c: The channel of nv_channel_init().
 * @params: Creation parameters.
 *
 * Return: 0, or a negative errno after a log message.
 */
int nv_channel_start(struct nv_channel *c, const struct nv_channel_params *params)
{
	u64 userd = params->userd ? params->userd : c->userd.address;
	struct rm_channel_parameters p = {
		.ring = params->ring_va,
		.ring_entries = params->entries,
		.flags = RM_CHANNEL_ID(c->id),
		/* RM refuses a channel of a group that names one: it has that of its group. */
		.va_space = params->parent == NV_RM_DEVICE ? NV_RM_VA_SPACE : 0,
		.engine = params->engine.type,
		.instance = nv_channel_describe_vram(c->instance.address, RM_INSTANCE_BYTES),
		.userd = nv_channel_describe_vram(userd, NV_USERD_BYTES),
		.ramfc = nv_channel_describe_vram(c->instance.address, RM_RAMFC_BYTES),
		.method_buffer = { params->method_buffer->bus, params->method_buffer->bytes,
				   RM_SPACE_SYSTEM, RM_CACHE_NONE },
		.internal_flags = params->privileged ? RM_CHANNEL_ADMIN : RM_CHANNEL_USER,
	};
	int ret;

	if (params->privileged)
		p.flags |= RM_CHANNEL_PRIVILEGED;
	if (!params->physical_copies)
		p.flags |= RM_CHANNEL_NO_PHYSICAL_COPIES;
	ret = nv_rm_alloc(&c->vm->client, params->parent, NV_RM_CHANNEL(c->id),
			  c->vm->nv->chip->channel, &p, sizeof(p));
	c->allocated = !ret;
	return ret;
}

/**
 * nv_channel_init() - allocate the id and the memory of a channel
 * @c: Zero-initialised channel.
 * @params: Creation parameters.
 *
 * Return: 0 or a negative errno. On failure, too, the caller must call nv_channel_fini().
 */
int nv_channel_init(struct nv_channel *c, const struct nv_channel_params *params)
{
	struct nv_device *nv = params->vm->nv;
	int ret;

	c->vm = params->vm;
	ret = ida_alloc_range(&nv->channel_ids, RM_FIRST_CHANNEL, RM_CHANNELS - 1, GFP_KERNEL);
	if (ret < 0)
		return ret;
	c->id = ret;
	c->doorbell = NV_DOORBELL(params->engine.runlist, c->id);
	return nv_channel_alloc_memory(nv, c, params);
}

/**
 * nv_channel_alloc_object() - allocate the engine object of a channel
 * @c: The channel.
 * @class: Class of the object.
 * @parameters: Allocation parameters of the class, or NULL.
 * @bytes: Size of @parameters.
 *
 * Return: 0 or a negative errno after a log message.
 */
int nv_channel_alloc_object(struct nv_channel *c, u32 class, void *parameters, u32 bytes)
{
	int ret = nv_rm_alloc(&c->vm->client, NV_RM_CHANNEL(c->id), NV_RM_ENGINE(c->id), class,
			      parameters, bytes);

	c->has_object = !ret;
	return ret;
}

/**
 * nv_channel_stop() - remove a channel from the hardware
 * @c: The channel, which may be partly initialised.
 *
 * When this function returns, the GPU executes nothing of the channel.
 */
void nv_channel_stop(struct nv_channel *c)
{
	if (!c->allocated)
		return;
	if (c->has_object)
		nv_rm_free(&c->vm->client, NV_RM_ENGINE(c->id));
	nv_rm_free_or_wedge(&c->vm->client, NV_RM_CHANNEL(c->id));
	c->allocated = false;
}

/**
 * nv_channel_fini() - free the memory and the id of a channel
 * @c: The channel, stopped; it may be partly initialised.
 */
void nv_channel_fini(struct nv_channel *c)
{
	struct nv_device *nv;

	if (!c->vm)
		return;
	nv = c->vm->nv;
	if (c->userd_io)
		iounmap(c->userd_io);
	nv_vram_free(nv, &c->userd);
	nv_vram_free(nv, &c->instance);
	if (c->id)
		ida_free(&nv->channel_ids, c->id);
}

/**
 * nv_channel_kick() - publish new ring entries and ring the doorbell
 * @c: The channel.
 * @put: New value of GP_PUT.
 */
void nv_channel_kick(struct nv_channel *c, u32 put)
{
	wmb(); /* order the ring and its command streams before GP_PUT */
	writel(put, c->userd_io + NV_USERD_GP_PUT);
	wmb(); /* drain the write-combining buffer */
	/* PUT is written through BAR1; read it back so that the BAR0 doorbell cannot pass it. */
	readl(c->userd_io + NV_USERD_GP_PUT);
	nv_wr32(c->vm->nv, NV_VF_DOORBELL, c->doorbell);
}
