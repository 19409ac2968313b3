// SPDX-License-Identifier: MIT
/* The resource manager of the modelled GSP: a tree of objects, each with a class, a handle chosen
 * by its client, and a parent. object_class.c and object_command.c describe classes and controls;
 * this file creates, finds and frees objects. Real firmware frees an object with all its children;
 * the model rejects that, because a driver that relies on it leaks objects. */
#include <stdlib.h>
#include <string.h>

#include "hw/nv/host.h"
#include "model/card/card_internal.h"

struct object *object_find(struct card *c, uint32_t client, uint32_t handle, uint32_t class)
{
	for (struct object *o = c->gsp.objects; o; o = o->next)
		if (o->handle == handle && o->client->handle == client && o->class->class == class)
			return o;
	return NULL;
}

struct context *object_context(struct object *channel)
{
	struct object *group = channel->parent;

	return group->class->class == RM_CLASS_CHANNEL_GROUP ? &group->context : &channel->context;
}

static struct object *find_any(struct card *c, uint32_t client, uint32_t handle)
{
	struct object *o = c->gsp.objects;

	while (o && (o->handle != handle || o->client->handle != client))
		o = o->next;
	return o;
}

bool object_is_users_channel(struct card *c, uint32_t client, uint32_t handle)
{
	const struct object *o = find_any(c, client, handle);

	return o && o->class->class == NV_CLASS_HOPPER_CHANNEL &&
	       o->parent->class->class == RM_CLASS_CHANNEL_GROUP;
}

static bool parent_allowed(const struct object_class *class, const struct object *parent)
{
	for (uint32_t i = 0; i < 3 && class->parents[i]; i++)
		if (class->parents[i] == parent->class->class)
			return true;
	/* A client's class is 0, which also ends the list. */
	return !class->parents[0] && parent->class->class == RM_CLASS_ROOT;
}

static struct object *object_link(struct card *c, const struct object_class *class,
				  struct object *parent, uint32_t handle)
{
	struct object *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	*o = (struct object){
		.next = c->gsp.objects, .parent = parent, .class = class, .handle = handle};
	o->client = parent ? parent->client : o;
	if (parent)
		parent->children++;
	c->gsp.objects = o;
	return o;
}

static void object_unlink(struct card *c, struct object *o)
{
	struct object **at = &c->gsp.objects;

	while (*at != o)
		at = &(*at)->next;
	*at = o->next;
	if (o->parent)
		o->parent->children--;
	free(o);
}

static uint32_t refuse_alloc(struct card *c, const struct nv_gsp_rm_alloc *a,
			     const struct object_class *class, const char *why, uint32_t status)
{
	card_refuse(c, "GSP: object 0x%x of class 0x%04x%s%s below 0x%x, %u bytes: %s", a->object,
		    a->class, class ? " " : "", class ? class->name : "", a->parent,
		    a->parameter_bytes, why);
	return status;
}

uint32_t object_create(struct card *c, const struct nv_gsp_rm_alloc *a, void *parameters)
{
	const struct object_class *class = class_find(a->class);
	bool root = a->class == RM_CLASS_ROOT;
	struct object *parent = root ? NULL : find_any(c, a->client, a->parent);

	if (!class)
		return refuse_alloc(c, a, NULL, "no such class", NV_STATUS_INVALID_CLASS);
	if (a->parameter_bytes != class->bytes)
		return refuse_alloc(c, a, class, "its parameters have another size",
				    NV_STATUS_INVALID_PARAM_STRUCT);
	if (a->flags || a->reserved)
		return refuse_alloc(c, a, class, "its flags are unknown",
				    NV_STATUS_INVALID_ARGUMENT);
	if (root && (a->object != a->client || (a->parent && a->parent != a->client)))
		return refuse_alloc(c, a, class, "a client is its own parent",
				    NV_STATUS_INVALID_CLIENT);
	if (!root && !parent)
		return refuse_alloc(c, a, class, "no such parent", NV_STATUS_INVALID_OBJECT_PARENT);
	if (!root && !parent_allowed(class, parent))
		return refuse_alloc(c, a, class, "this parent may not have it",
				    NV_STATUS_INVALID_OBJECT_PARENT);
	if (!a->object || find_any(c, a->client, a->object))
		return refuse_alloc(c, a, class, "its handle is in use or 0",
				    NV_STATUS_DUPLICATE_NAME);
	struct object *o = object_link(c, class, parent, a->object);

	if (!o)
		return refuse_alloc(c, a, class, "the host is out of memory",
				    NV_STATUS_INVALID_STATE);
	uint32_t status = class->create ? class->create(c, o, parameters) : 0;

	if (status) {
		card_log(c, "GSP: object 0x%x of class 0x%04x was not created: status 0x%x",
			 a->object, a->class, status);
		object_unlink(c, o);
	}
	return status;
}

static void object_destroy(struct card *c, struct object *o)
{
	if (o->class->destroy)
		o->class->destroy(c, o);
	object_unlink(c, o);
}

uint32_t object_free(struct card *c, const struct nv_gsp_rm_free *f)
{
	struct object *o = find_any(c, f->client, f->object);

	if (!o || (f->parent && (!o->parent || o->parent->handle != f->parent)) ||
	    f->client == RM_INTERNAL_CLIENT) {
		card_refuse(c, "GSP: free of 0x%x below 0x%x of client 0x%x: no such object",
			    f->object, f->parent, f->client);
		return NV_STATUS_OBJECT_NOT_FOUND;
	}
	if (o->children || o->users) {
		card_refuse(c, "GSP: free of 0x%x (%s): it has %u children and %u users", o->handle,
			    o->class->name, o->children, o->users);
		return NV_STATUS_INVALID_STATE;
	}
	if (o->class->class == NV_CLASS_HOPPER_CHANNEL)
		channels_wait(c, &o->channel, 1);
	object_destroy(c, o);
	return 0;
}

uint32_t object_command(struct card *c, const struct nv_gsp_rm_control *call, void *parameters)
{
	struct object *o = find_any(c, call->client, call->object);
	const struct object_command *command =
		o ? command_find(call->command, o->class->class) : NULL;

	if (!o || !command) {
		card_refuse(c, "GSP: control 0x%08x of 0x%x of client 0x%x: %s%s", call->command,
			    call->object, call->client, o ? "unknown for a " : "no such object",
			    o ? o->class->name : "");
		return o ? NV_STATUS_NOT_SUPPORTED : NV_STATUS_INVALID_OBJECT_HANDLE;
	}
	if (call->parameter_bytes != command->bytes || call->flags) {
		card_refuse(c,
			    "GSP: control %s has %u bytes of parameters instead of %u, flags 0x%x",
			    command->name, call->parameter_bytes, command->bytes, call->flags);
		return NV_STATUS_INVALID_PARAM_STRUCT;
	}
	if (command->query)
		memset(parameters, 0, command->bytes);
	return command->run(c, o, parameters);
}

/* Objects of the firmware, which GET_GSP_STATIC_INFO names. */
void objects_open(struct card *c)
{
	struct object *client = object_link(c, class_find(RM_CLASS_ROOT), NULL, RM_INTERNAL_CLIENT);
	struct object *device =
		client ? object_link(c, class_find(RM_CLASS_DEVICE), client, RM_INTERNAL_DEVICE)
		       : NULL;

	if (!device ||
	    !object_link(c, class_find(RM_CLASS_SUBDEVICE), device, RM_INTERNAL_SUBDEVICE))
		card_refuse(c, "GSP: the host has no memory for objects");
}

/* Newer objects come first and depend on older ones only. */
void objects_close(struct card *c, bool refuse_alloc)
{
	while (c->gsp.objects) {
		struct object *o = c->gsp.objects;

		if (refuse_alloc && o->client->handle != RM_INTERNAL_CLIENT)
			card_refuse(c, "GSP: object 0x%x (%s) of client 0x%x was never freed",
				    o->handle, o->class->name, o->client->handle);
		object_destroy(c, o);
	}
}
