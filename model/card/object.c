/* SPDX-License-Identifier: MIT */
/*
 * The resource manager of the GSP's stand-in: a tree of objects, each with a class, a handle that
 * its client chose, and a parent. What a class or a control is stands in object_class.c and
 * object_command.c; here objects come, are found, and go. Real firmware frees what hangs below an
 * object with it; here that is refused, because a driver which relies on it has forgotten
 * something.
 */
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

static bool may_hang(const struct object_class *class, const struct object *parent)
{
	for (uint32_t i = 0; i < 3 && class->parents[i]; i++)
		if (class->parents[i] == parent->class->class)
			return true;
	/* A client's class is 0, which also ends the list. */
	return !class->parents[0] && parent->class->class == RM_CLASS_ROOT;
}

static struct object *add(struct card *c, const struct object_class *class, struct object *parent,
			  uint32_t handle)
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

static void drop(struct card *c, struct object *o)
{
	struct object **at = &c->gsp.objects;

	while (*at != o)
		at = &(*at)->next;
	*at = o->next;
	if (o->parent)
		o->parent->children--;
	free(o);
}

static uint32_t refuse(struct card *c, const struct nv_gsp_rm_alloc *a,
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
		return refuse(c, a, NULL, "no such class", NV_STATUS_INVALID_CLASS);
	if (a->parameter_bytes != class->bytes)
		return refuse(c, a, class, "its parameters have another size",
			      NV_STATUS_INVALID_PARAM_STRUCT);
	if (a->flags || a->reserved)
		return refuse(c, a, class, "flags are not known", NV_STATUS_INVALID_ARGUMENT);
	if (root && (a->object != a->client || (a->parent && a->parent != a->client)))
		return refuse(c, a, class, "a client is its own parent", NV_STATUS_INVALID_CLIENT);
	if (!root && !parent)
		return refuse(c, a, class, "no such parent", NV_STATUS_INVALID_OBJECT_PARENT);
	if (!root && !may_hang(class, parent))
		return refuse(c, a, class, "it does not belong there",
			      NV_STATUS_INVALID_OBJECT_PARENT);
	if (!a->object || find_any(c, a->client, a->object))
		return refuse(c, a, class, "its handle is taken or 0", NV_STATUS_DUPLICATE_NAME);
	struct object *o = add(c, class, parent, a->object);

	if (!o)
		return refuse(c, a, class, "no memory", NV_STATUS_INVALID_STATE);
	uint32_t status = class->make ? class->make(c, o, parameters) : 0;

	if (status) {
		card_log(c, "GSP: object 0x%x of class 0x%04x was not made: status 0x%x", a->object,
			 a->class, status);
		drop(c, o);
	}
	return status;
}

static void end(struct card *c, struct object *o)
{
	if (o->class->end)
		o->class->end(c, o);
	drop(c, o);
}

uint32_t object_free(struct card *c, const struct nv_gsp_rm_free *f)
{
	struct object *o = find_any(c, f->client, f->object);

	if (!o || (f->parent && (!o->parent || o->parent->handle != f->parent)) ||
	    f->client == RM_INTERNAL_CLIENT) {
		card_refuse(c, "GSP: free of 0x%x below 0x%x of client 0x%x: there is none to free",
			    f->object, f->parent, f->client);
		return NV_STATUS_OBJECT_NOT_FOUND;
	}
	if (o->children || o->users) {
		card_refuse(c, "GSP: free of 0x%x (%s): %u objects hang below it, %u use it",
			    o->handle, o->class->name, o->children, o->users);
		return NV_STATUS_INVALID_STATE;
	}
	if (o->class->class == NV_CLASS_HOPPER_CHANNEL)
		channels_wait(c, &o->channel, 1);
	end(c, o);
	return 0;
}

uint32_t object_command(struct card *c, const struct nv_gsp_rm_control *call, void *parameters)
{
	struct object *o = find_any(c, call->client, call->object);
	const struct object_command *command =
		o ? command_find(call->command, o->class->class) : NULL;

	if (!o || !command) {
		card_refuse(c, "GSP: control 0x%08x of 0x%x of client 0x%x: %s%s", call->command,
			    call->object, call->client, o ? "not known of a " : "no such object",
			    o ? o->class->name : "");
		return o ? NV_STATUS_NOT_SUPPORTED : NV_STATUS_INVALID_OBJECT_HANDLE;
	}
	if (call->parameter_bytes != command->bytes || call->flags) {
		card_refuse(c,
			    "GSP: control %s has %u bytes of parameters instead of %u, flags 0x%x",
			    command->name, call->parameter_bytes, command->bytes, call->flags);
		return NV_STATUS_INVALID_PARAM_STRUCT;
	}
	if (command->question)
		memset(parameters, 0, command->bytes);
	return command->run(c, o, parameters);
}

/* The firmware's own objects, which GET_GSP_STATIC_INFO names. */
void objects_open(struct card *c)
{
	struct object *client = add(c, class_find(RM_CLASS_ROOT), NULL, RM_INTERNAL_CLIENT);
	struct object *device =
		client ? add(c, class_find(RM_CLASS_DEVICE), client, RM_INTERNAL_DEVICE) : NULL;

	if (!device || !add(c, class_find(RM_CLASS_SUBDEVICE), device, RM_INTERNAL_SUBDEVICE))
		card_refuse(c, "GSP: no memory for objects");
}

/* Newer objects are found first and depend on older ones, never the other way. */
void objects_close(struct card *c, bool refuse)
{
	while (c->gsp.objects) {
		struct object *o = c->gsp.objects;

		if (refuse && o->client->handle != RM_INTERNAL_CLIENT)
			card_refuse(c, "GSP: object 0x%x (%s) of client 0x%x was never freed",
				    o->handle, o->class->name, o->client->handle);
		end(c, o);
	}
}
