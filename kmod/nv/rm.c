// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * RM objects on the GSP, see rm.h. An RPC to RM can fail in two steps: the RPC itself, or the
 * operation that it requests, which returns an RM status. When the GSP no longer runs, its objects
 * are gone, and every call fails without further effect. If RM fails to free a channel or a channel
 * group, the GPU may keep using memory that the driver is about to reuse, so the driver wedges the
 * device. Other objects use nothing by then: a failure leaks the object and its handle. Errors that
 * a process can provoke are logged with a rate limit.
 */
#include <drm/drm_print.h>

#include "kmod/nv/device_types.h"
#include "kmod/nv/rm.h"
#include "kmod/nv/rpc.h"

#define CALL_LIMIT_MS 5000
/* An H200 takes five seconds to free a channel that hangs (measured under driver 580). */
#define FREE_LIMIT_MS 15000
#define CLIENT_ID_MAX 0xfff

static int nv_rm_status_to_errno(u32 status)
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
 * nv_rm_alloc() - allocate an object
 * @c: The client.
 * @parent: Handle of the parent object.
 * @object: Handle of the new object.
 * @class: Class of the new object.
 * @parameters: Allocation parameters of the class, which the reply overwrites.
 * @bytes: Size of @parameters.
 *
 * Return: 0; -ENODEV or -EIO if the GSP does not run; or a negative errno after a log message.
 */
int nv_rm_alloc(struct nv_rm_client *c, u32 parent, u32 object, u32 class, void *parameters,
		u32 bytes)
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
	drm_err_ratelimited(&c->nv->base.drm,
			    "RM: failed to allocate object 0x%x of class 0x%x: status 0x%x\n",
			    object, class, a.status);
	return nv_rm_status_to_errno(a.status);
}

static int nv_rm_send_control(struct nv_device *nv, u32 client, u32 object, u32 command,
			      void *parameters, u32 bytes, u32 limit_ms)
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
	drm_err_ratelimited(&nv->base.drm, "RM: control 0x%x of object 0x%x failed: status 0x%x\n",
			    command, object, a.status);
	return nv_rm_status_to_errno(a.status);
}

/**
 * nv_rm_control() - execute a control of an object
 * @c: The client.
 * @object: Handle of the object.
 * @command: Number of the control.
 * @parameters: Parameters of the control, which the reply overwrites.
 * @bytes: Size of @parameters.
 *
 * Return: 0; -ENODEV or -EIO if the GSP does not run; or a negative errno after a log message.
 */
int nv_rm_control(struct nv_rm_client *c, u32 object, u32 command, void *parameters, u32 bytes)
{
	return nv_rm_send_control(c->nv, c->handle, object, command, parameters, bytes,
				  CALL_LIMIT_MS);
}

/**
 * nv_rm_query() - execute a control of the firmware's own subdevice
 * @nv: The device.
 * @command: Number of the control.
 * @parameters: Parameters of the control, which the reply overwrites.
 * @bytes: Size of @parameters.
 *
 * Return: 0 or a negative errno after a log message.
 */
int nv_rm_query(struct nv_device *nv, u32 command, void *parameters, u32 bytes)
{
	const struct nv_gsp_static_info *own = nv->gsp.info;

	return nv_rm_send_control(nv, own->client, own->subdevice, command, parameters, bytes,
				  CALL_LIMIT_MS);
}

/**
 * nv_rm_disable_channels() - disable and preempt several channels by one RPC
 * @nv: The device.
 * @p: The channels; if this call fails, freeing each channel still stops it.
 */
void nv_rm_disable_channels(struct nv_device *nv, struct rm_disable_channels *p)
{
	const struct nv_gsp_static_info *own = nv->gsp.info;

	nv_rm_send_control(nv, own->client, own->subdevice, RM_CONTROL_DISABLE_CHANNELS, p,
			   sizeof(*p), FREE_LIMIT_MS);
}

/**
 * nv_rm_free() - free an object
 * @c: The client.
 * @object: Handle of an object without children.
 *
 * Return: True if the handle can be used again: the object is free, or the GSP no longer runs.
 */
bool nv_rm_free(struct nv_rm_client *c, u32 object)
{
	struct nv_gsp_rm_free a = { .client = c->handle, .object = object };
	int ret = nv_rpc_call(c->nv, NV_GSP_RM_FREE, &a, sizeof(a), NULL, 0, FREE_LIMIT_MS);

	if (ret)
		nv_rpc_wedge(c->nv);
	if (ret || !a.status)
		return true;
	drm_err_ratelimited(&c->nv->base.drm, "RM: failed to free object 0x%x: status 0x%x\n",
			    object, a.status);
	return false;
}

/**
 * nv_rm_free_or_wedge() - free an object that makes the GPU access memory
 * @c: The client.
 * @object: Handle of a channel or a channel group.
 *
 * When this function returns, the GPU no longer uses the object, or the device is wedged.
 */
void nv_rm_free_or_wedge(struct nv_rm_client *c, u32 object)
{
	if (!nv_rm_free(c, object))
		nv_rpc_wedge(c->nv);
}

static int nv_rm_client_alloc_device(struct nv_rm_client *c)
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

/**
 * nv_rm_client_init() - create a client with a device and a subdevice
 * @c: Zero-initialised client.
 * @nv: The device.
 *
 * Return: 0 or a negative errno.
 */
int nv_rm_client_init(struct nv_rm_client *c, struct nv_device *nv)
{
	struct rm_client_parameters root = { .process = RM_PROCESS_KERNEL };
	int id, ret;

	id = ida_alloc_range(&nv->clients, 1, CLIENT_ID_MAX, GFP_KERNEL);
	if (id < 0)
		return id;
	c->nv = nv;
	c->handle = RM_CLIENT_HANDLE(id);
	root.client = c->handle;
	ret = nv_rm_alloc(c, 0, c->handle, RM_CLASS_ROOT, &root, sizeof(root));
	if (ret)
		goto err_free_id;
	ret = nv_rm_client_alloc_device(c);
	if (ret)
		goto err_free_root;
	return 0;

err_free_root:
	if (!nv_rm_free(c, c->handle))
		goto out_forget;
err_free_id:
	ida_free(&nv->clients, id);
out_forget:
	c->handle = 0;
	return ret;
}

/**
 * nv_rm_client_fini() - free a client with its device and subdevice
 * @c: The client, without any other objects.
 */
void nv_rm_client_fini(struct nv_rm_client *c)
{
	nv_rm_free(c, NV_RM_SUBDEVICE);
	nv_rm_free(c, NV_RM_DEVICE);
	if (nv_rm_free(c, c->handle))
		ida_free(&c->nv->clients, c->handle & CLIENT_ID_MAX);
	c->handle = 0;
}
