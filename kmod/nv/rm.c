// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Objects on the GSP, see rm.h. A call can fail twice: the call itself, and what it asked for. Once
 * the GSP is gone every call says so and does nothing else, because its objects are gone as well.
 * An object that it does not free may go on using memory that is about to be somebody else's, so
 * then the card is given up, too. What any process can bring about is logged at a limited rate.
 */
#include <drm/drm_print.h>

#include "kmod/nv/nv.h"

#define CALL_LIMIT_MS 5000
/* To free a channel that does not stop takes an H200 five seconds (measured under driver 580). */
#define FREE_LIMIT_MS 15000
#define MAX_CLIENTS   0xfff

static int errno_of(u32 status)
{
	static const struct {
		u32 status;
		int error;
	} rows[] = {
		{ RM_OK, 0 },
		{ RM_INSUFFICIENT_RESOURCES, -ENOMEM },
		{ RM_NO_MEMORY, -ENOMEM },
		{ RM_NO_FREE_CHANNELS, -ENOSPC },
		{ RM_TIMEOUT, -ETIMEDOUT },
		{ RM_GPU_LOST, -EIO },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].status == status)
			return rows[i].error;
	return -EIO;
}

/**
 * nv_rm_alloc() - make an object
 * @c: the client
 * @parent: in which object
 * @object: its name
 * @class: what it is
 * @parameters: of the class; the answer replaces them
 * @bytes: size of these
 *
 * Return: 0; ENODEV or EIO when the GSP is gone; or a negative errno after a message.
 */
int nv_rm_alloc(struct nv_client *c, u32 parent, u32 object, u32 class, void *parameters, u32 bytes)
{
	struct nv_gsp_rm_alloc a = {
		.client = c->handle,
		.parent = parent,
		.object = object,
		.class = class,
		.parameter_bytes = bytes,
	};
	int ret = nv_rpc_call(c->nv, NV_GSP_RM_ALLOC, &a, sizeof(a), parameters, bytes,
			      CALL_LIMIT_MS);

	if (ret || !a.status)
		return ret;
	drm_err_ratelimited(&c->nv->base.drm, "RM: object 0x%x of class 0x%x: status 0x%x\n",
			    object, class, a.status);
	return errno_of(a.status);
}

static int command_to(struct nv_device *nv, u32 client, u32 object, u32 command, void *parameters,
		      u32 bytes, u32 limit_ms)
{
	struct nv_gsp_rm_control a = {
		.client = client,
		.object = object,
		.command = command,
		.parameter_bytes = bytes,
	};
	int ret = nv_rpc_call(nv, NV_GSP_RM_CONTROL, &a, sizeof(a), parameters, bytes, limit_ms);

	if (ret || !a.status)
		return ret;
	drm_err_ratelimited(&nv->base.drm, "RM: control 0x%x of object 0x%x: status 0x%x\n",
			    command, object, a.status);
	return errno_of(a.status);
}

/**
 * nv_rm_control() - let an object do something
 * @c: the client
 * @object: the object
 * @command: what
 * @parameters: of the command; the answer replaces them
 * @bytes: size of these
 *
 * Return: 0; ENODEV or EIO when the GSP is gone; or a negative errno after a message.
 */
int nv_rm_control(struct nv_client *c, u32 object, u32 command, void *parameters, u32 bytes)
{
	return command_to(c->nv, c->handle, object, command, parameters, bytes, CALL_LIMIT_MS);
}

/**
 * nv_rm_ask() - ask the firmware's own subdevice about the card
 * @nv: the device
 * @command: what
 * @parameters: of the command; the answer replaces them
 * @bytes: size of these
 *
 * Return: 0 or a negative errno after a message.
 */
int nv_rm_ask(struct nv_device *nv, u32 command, void *parameters, u32 bytes)
{
	const struct nv_gsp_static_info *own = nv->gsp.info;

	return command_to(nv, own->client, own->subdevice, command, parameters, bytes,
			  CALL_LIMIT_MS);
}

/**
 * nv_rm_halt() - stop channels, all together
 * @nv: the device
 * @p: the channels; if this fails, each is stopped when it is freed
 */
void nv_rm_halt(struct nv_device *nv, struct rm_disable_channels *p)
{
	const struct nv_gsp_static_info *own = nv->gsp.info;

	command_to(nv, own->client, own->subdevice, RM_CONTROL_DISABLE_CHANNELS, p, sizeof(*p),
		   FREE_LIMIT_MS);
}

/**
 * nv_rm_free() - free an object
 * @c: the client
 * @object: the object, with nothing below it; when this returns, nothing of it runs, or the card is
 * given up
 */
void nv_rm_free(struct nv_client *c, u32 object)
{
	struct nv_gsp_rm_free a = { .client = c->handle, .object = object };
	int ret = nv_rpc_call(c->nv, NV_GSP_RM_FREE, &a, sizeof(a), NULL, 0, FREE_LIMIT_MS);

	if (!ret && !a.status)
		return;
	if (!ret)
		drm_err(&c->nv->base.drm, "RM: object 0x%x is not freed: status 0x%x\n", object,
			a.status);
	nv_give_up(c->nv);
}

static int make_device(struct nv_client *c)
{
	struct rm_device_parameters device = { .client_share = c->handle };
	struct rm_subdevice_parameters subdevice = {};
	int ret;

	ret = nv_rm_alloc(c, c->handle, NV_RM_DEVICE, RM_CLASS_DEVICE, &device, sizeof(device));
	if (ret)
		return ret;
	ret = nv_rm_alloc(c, NV_RM_DEVICE, NV_RM_SUBDEVICE, RM_CLASS_SUBDEVICE, &subdevice,
			  sizeof(subdevice));
	if (ret)
		nv_rm_free(c, NV_RM_DEVICE);
	return ret;
}

static void free_client(struct nv_client *c)
{
	nv_rm_free(c, c->handle);
	ida_free(&c->nv->clients, c->handle & MAX_CLIENTS);
	c->handle = 0;
}

/**
 * nv_client_init() - make a client with a device and a subdevice
 * @c: zeros
 * @nv: the device
 *
 * Return: 0 or a negative errno.
 */
int nv_client_init(struct nv_client *c, struct nv_device *nv)
{
	struct rm_client_parameters root = { .process = RM_PROCESS_KERNEL };
	int id, ret;

	id = ida_alloc_range(&nv->clients, 1, MAX_CLIENTS, GFP_KERNEL);
	if (id < 0)
		return id;
	c->nv = nv;
	c->handle = RM_CLIENT_HANDLE(id);
	root.client = c->handle;
	ret = nv_rm_alloc(c, 0, c->handle, RM_CLASS_ROOT, &root, sizeof(root));
	if (ret) {
		ida_free(&nv->clients, id);
		c->handle = 0;
		return ret;
	}
	ret = make_device(c);
	if (ret)
		free_client(c);
	return ret;
}

/**
 * nv_client_fini() - free a client with its device and subdevice
 * @c: the client, with nothing else below it
 */
void nv_client_fini(struct nv_client *c)
{
	nv_rm_free(c, NV_RM_SUBDEVICE);
	nv_rm_free(c, NV_RM_DEVICE);
	free_client(c);
}
