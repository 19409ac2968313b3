// SPDX-License-Identifier: MIT
/*
 * RM classes of the modelled GSP, a row each:
 *
 *   class  parameters  parent                    object
 *   0000   120         itself                    client
 *   0080    56         client                    device
 *   2080     4         device                    subdevice
 *   90f1    48         device                    VA space, page tables of the driver or none
 *   a06c    20         device                    channel group
 *   9067    12         channel group             context share
 *   c86f   368         device, channel group     channel
 *   cbc0     0         channel                   compute
 *   cb97     0         channel                   3D, allocated once for the golden context
 *   c8b5     8         channel                   copy
 */
#include <string.h>

#include "hw/nv/compute.h"
#include "hw/nv/copy.h"
#include "hw/nv/host.h"
#include "model/card/card_internal.h"

static uint32_t refuse_object(struct card *c, const struct object *o, const char *why)
{
	card_refuse(c, "GSP: %s 0x%x of client 0x%x: %s", o->class->name, o->handle,
		    o->client->handle, why);
	return NV_STATUS_INVALID_ARGUMENT;
}

static uint32_t create_client(struct card *c, struct object *o, void *parameters)
{
	const struct rm_client_parameters *p = parameters;

	return p->client == o->handle ? 0
				      : refuse_object(c, o, "its parameters name another client");
}

static uint32_t create_device(struct card *c, struct object *o, void *parameters)
{
	const struct rm_device_parameters *p = parameters;

	if (p->instance || p->target_client || p->target_device || p->flags || p->va_bytes ||
	    p->va_start || p->va_limit || p->va_mode ||
	    (p->client_share && p->client_share != o->client->handle))
		return refuse_object(c, o, "the only known parameter is the client to share with");
	return 0;
}

static uint32_t create_subdevice(struct card *c, struct object *o, void *parameters)
{
	const struct rm_subdevice_parameters *p = parameters;

	return p->index ? refuse_object(c, o, "there is only one") : 0;
}

/* VA spaces. */

static uint32_t create_va_space(struct card *c, struct object *o, void *parameters)
{
	struct rm_va_space_parameters p = {0};

	memcpy(&p, parameters, RM_VA_SPACE_BYTES_570);
	if (p.index || p.flags & ~RM_VA_SPACE_EXTERNAL || p.va_bytes || p.internal_start ||
	    p.internal_limit || p.big_page_bytes || p.va_base)
		return refuse_object(c, o, "the only known parameter is the external flag");
	o->external = p.flags;
	o->space = space_create(c);
	return o->space ? 0 : refuse_object(c, o, "the host is out of memory");
}

static void destroy_va_space(struct card *c, struct object *o)
{
	if (o->external && space_root(o->space))
		refuse_object(c, o, "it is freed with its page directory still set");
	space_destroy(o->space);
}

/* Finds the VA space by its handle and takes a reference to it. */
static bool get_va_space(struct card *c, struct object *o, uint32_t handle)
{
	o->space_object = object_find(c, o->client->handle, handle, RM_CLASS_VA_SPACE);
	if (o->space_object)
		o->space_object->users++;
	return o->space_object;
}

static void put_va_space(struct card *c, struct object *o)
{
	(void)c;
	if (o->space_object)
		o->space_object->users--;
}

/* Groups, shares, channels. */

static uint32_t create_group(struct card *c, struct object *o, void *parameters)
{
	const struct rm_channel_group_parameters *p = parameters;

	o->engine = p->engine;
	if (!engine_find(p->engine))
		return refuse_object(c, o, "there is no such engine");
	if (p->notifier || p->ecc_notifier || p->plugin)
		return refuse_object(c, o, "only channels have notifiers");
	if (p->va_space && !get_va_space(c, o, p->va_space))
		return refuse_object(c, o, "there is no such VA space");
	return 0;
}

/* RM keeps the method buffer until the group goes (open-gpu-kernel-modules, kernel_channel.c). */
static void destroy_group(struct card *c, struct object *o)
{
	if (o->method_buffer.bytes)
		rm_memory_pointer(c, &o->method_buffer, CARD_METHOD_BUFFER_BYTES,
				  "the method buffer of a channel group that is freed");
	put_va_space(c, o);
}

static uint32_t create_context_share(struct card *c, struct object *o, void *parameters)
{
	struct rm_context_share_parameters *p = parameters;

	if (p->flags > RM_CONTEXT_SHARE_ASYNC || p->id)
		return refuse_object(c, o, "its flags are unknown, or its id is not 0");
	if (!get_va_space(c, o, p->va_space))
		return refuse_object(c, o, "there is no such VA space");
	p->id = p->flags == RM_CONTEXT_SHARE_ASYNC ? 63 : 0; /* as on an H200 */
	return 0;
}

/* The VA space of a channel is its own, its context share's, or its group's. */
static bool channel_find_space(struct card *c, struct object *o,
			       const struct rm_channel_parameters *p)
{
	const struct object *from = NULL;

	if (p->context_share) {
		from = object_find(c, o->client->handle, p->context_share, RM_CLASS_CONTEXT_SHARE);
		if (!from || from->parent != o->parent)
			return false;
	} else if (!p->va_space && o->parent->class->class == RM_CLASS_CHANNEL_GROUP) {
		from = o->parent;
	}
	if (from && !from->space_object)
		return false;
	if (from && p->va_space && p->va_space != from->space_object->handle)
		return false;
	return get_va_space(c, o, from ? from->space_object->handle : p->va_space);
}

/* What RM asks of a channel in a group: kernel_channel.c, and for the last rule an H200 with driver
 * 580. */
static uint32_t join_group(struct card *c, struct object *o, const struct rm_channel_parameters *p)
{
	struct object *group = o->parent;

	if (p->va_space)
		return refuse_object(c, o, "a channel of a group may not name a VA space");
	if (group->spent) {
		refuse_object(c, o, "the last channel of its group was freed");
		return NV_STATUS_INVALID_STATE;
	}
	if (!group->channels)
		group->method_buffer = p->method_buffer;
	if (memcmp(&group->method_buffer, &p->method_buffer, sizeof(p->method_buffer)))
		return refuse_object(c, o, "its method buffer is not that of its group");
	return 0;
}

static uint32_t create_channel(struct card *c, struct object *o, void *parameters)
{
	struct rm_channel_parameters *p = parameters;
	bool grouped = o->parent->class->class == RM_CLASS_CHANNEL_GROUP;
	uint32_t status = grouped ? join_group(c, o, p) : 0;

	if (status)
		return status;

	for (uint32_t i = 0; i < 8; i++)
		if (p->userd_memory[i] || p->userd_offset[i])
			return refuse_object(
				c, o, "its USERD is given by a handle; here it must be an address");
	if (p->notifier || p->buffer || p->ecc_notifier)
		return refuse_object(c, o, "it names memory by handles; here it must be addresses");
	if (!channel_find_space(c, o, p))
		return refuse_object(c, o, "it has no VA space, or two");
	struct rm_channel_parameters real = *p;

	if (grouped && !real.engine)
		real.engine = o->parent->engine;
	if (grouped && real.engine != o->parent->engine) {
		put_va_space(c, o);
		return refuse_object(c, o, "its engine differs from its group's");
	}
	o->channel = channel_create(c, o->space_object->space, &real,
				    grouped ? o->parent->handle : 0, &status);
	if (!o->channel) {
		put_va_space(c, o);
		return status;
	}
	channel_set_slice(o->channel, grouped ? o->parent->slice_us : 0);
	o->parent->channels++;
	p->id = channel_id(o->channel);
	return 0;
}

static void destroy_channel(struct card *c, struct object *o)
{
	channel_destroy(o->channel);
	o->parent->spent = !--o->parent->channels;
	put_va_space(c, o);
}

static uint32_t create_graphics(struct card *c, struct object *o, void *parameters)
{
	struct card_channel *ch = o->parent->channel;

	(void)parameters;
	if (channel_engine(ch)->type != RM_ENGINE_GRAPHICS)
		return refuse_object(c, o, "its channel belongs to another engine");
	return context_complete(c, object_context(o->parent)) ? 0 : NV_STATUS_INVALID_STATE;
}

/* The first one makes the GSP build the golden context, for which drivers use a VA space whose
 * directories RM manages (nouveau's r535/gr.c). */
static uint32_t create_3d(struct card *c, struct object *o, void *parameters)
{
	if (o->parent->space_object->external)
		return refuse_object(c, o, "its channel's VA space is not managed by RM");
	return create_graphics(c, o, parameters);
}

/* The graphics runlist has copy engines, too. */
static uint32_t create_copy(struct card *c, struct object *o, void *parameters)
{
	const struct rm_copy_parameters *p = parameters;
	const struct card_engine *e = engine_find(p->engine),
				 *have = channel_engine(o->parent->channel);

	if (p->version != 1 || !e || e->type == RM_ENGINE_GRAPHICS)
		return refuse_object(c, o, "there is no such copy engine");
	if (e->runlist != have->runlist)
		return refuse_object(c, o, "its channel belongs to another engine");
	return 0;
}

static const struct object_class classes[] = {
	{RM_CLASS_ROOT, sizeof(struct rm_client_parameters), "client", {0}, create_client, NULL},
	{RM_CLASS_DEVICE, sizeof(struct rm_device_parameters), "device", {0}, create_device, NULL},
	{RM_CLASS_SUBDEVICE,
	 sizeof(struct rm_subdevice_parameters),
	 "subdevice",
	 {RM_CLASS_DEVICE},
	 create_subdevice,
	 NULL},
	{RM_CLASS_VA_SPACE,
	 RM_VA_SPACE_BYTES_570,
	 "VA space",
	 {RM_CLASS_DEVICE},
	 create_va_space,
	 destroy_va_space},
	{RM_CLASS_CHANNEL_GROUP,
	 sizeof(struct rm_channel_group_parameters),
	 "channel group",
	 {RM_CLASS_DEVICE},
	 create_group,
	 destroy_group},
	{RM_CLASS_CONTEXT_SHARE,
	 sizeof(struct rm_context_share_parameters),
	 "context share",
	 {RM_CLASS_CHANNEL_GROUP},
	 create_context_share,
	 put_va_space},
	{NV_CLASS_HOPPER_CHANNEL,
	 sizeof(struct rm_channel_parameters),
	 "channel",
	 {RM_CLASS_DEVICE, RM_CLASS_CHANNEL_GROUP},
	 create_channel,
	 destroy_channel},
	{NV_CLASS_HOPPER_COMPUTE,
	 0,
	 "compute object",
	 {NV_CLASS_HOPPER_CHANNEL},
	 create_graphics,
	 NULL},
	{RM_CLASS_HOPPER_3D, 0, "3D object", {NV_CLASS_HOPPER_CHANNEL}, create_3d, NULL},
	{NV_CLASS_HOPPER_COPY,
	 sizeof(struct rm_copy_parameters),
	 "copy object",
	 {NV_CLASS_HOPPER_CHANNEL},
	 create_copy,
	 NULL},
};

const struct object_class *class_find(uint32_t class)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (classes[i].class == class)
			return &classes[i];
	return NULL;
}
