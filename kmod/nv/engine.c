// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Engine discovery: which engines exist, which runlist feeds each, and how many SMs the graphics
 * engine has. Each queue class uses one engine: compute queues the graphics engine, copy queues the
 * first copy engine that does not share the graphics engine's runlist. The next copy engine with a
 * runlist of its own clears memory.
 */
#include <drm/drm_print.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "kmod/nv/chip.h"
#include "kmod/nv/device_types.h"
#include "kmod/nv/engine.h"
#include "kmod/nv/rm.h"

#define MAX_ENGINES             256
#define MAX_METHOD_BUFFER_BYTES SZ_1M

static void nv_engine_assign(struct nv_device *nv, const struct rm_engine_entry *e)
{
	u32 type = e->data[RM_ENGINE_DATA_TYPE], runlist = e->data[RM_ENGINE_DATA_RUNLIST];
	struct nv_engine *compute = &nv->engines[DRM_SOVGPU_QUEUE_COMPUTE];
	struct nv_engine *copy = &nv->engines[DRM_SOVGPU_QUEUE_COPY];
	bool is_copy = type >= RM_ENGINE_COPY0 && type < RM_ENGINE_COPY0 + NV_MAX_COPY_ENGINES;

	if (!e->data[RM_ENGINE_DATA_HOST_DRIVEN])
		return;
	if (type == RM_ENGINE_GRAPHICS)
		*compute = (struct nv_engine){ type, runlist };
	else if (!is_copy || (compute->type && runlist == compute->runlist))
		return;
	else if (!copy->type)
		*copy = (struct nv_engine){ type, runlist };
	else if (!nv->clear_engine.type && runlist != copy->runlist)
		nv->clear_engine = (struct nv_engine){ type, runlist };
}

static int nv_engine_discover(struct nv_device *nv)
{
	struct rm_engines *table = kzalloc(sizeof(*table), GFP_KERNEL);
	u32 first = 0, i;
	int ret;

	if (!table)
		return -ENOMEM;
	do {
		table->first = first;
		ret = nv_rm_query(nv, RM_CONTROL_ENGINES, table, sizeof(*table));
		if (!ret && table->count > RM_ENGINE_ENTRIES)
			ret = -EIO;
		for (i = 0; !ret && i < table->count; i++)
			nv_engine_assign(nv, &table->list[i]);
		first += RM_ENGINE_ENTRIES;
	} while (!ret && table->more && first < MAX_ENGINES);
	kfree(table);
	for (i = 0; !ret && i < ARRAY_SIZE(nv->engines); i++)
		if (!nv->engines[i].type)
			ret = -EIO;
	if (ret && !READ_ONCE(nv->lost))
		drm_err(&nv->base.drm, "GSP: no usable compute or copy engine\n");
	return ret;
}

static int nv_engine_count_sms(struct nv_device *nv)
{
	struct rm_gpcs gpcs = {};
	u32 tpcs = 0, i;
	int ret;

	ret = nv_rm_query(nv, RM_CONTROL_GPCS, &gpcs, sizeof(gpcs));
	for (i = 0; !ret && i < 32; i++) {
		struct rm_tpcs t = { .gpc = i };

		if (!(gpcs.mask & BIT(i)))
			continue;
		ret = nv_rm_query(nv, RM_CONTROL_TPCS, &t, sizeof(t));
		tpcs += hweight32(t.mask);
	}
	nv->base.info.units = tpcs * nv->chip->sms_per_tpc;
	return ret;
}

/**
 * nv_engine_start() - query engines, SM count and the size of method buffers
 * @nv: The device, with a running GSP.
 *
 * Return: 0 or a negative errno after a log message.
 */
int nv_engine_start(struct nv_device *nv)
{
	struct rm_method_buffer methods = {};
	int ret;

	ret = nv_engine_discover(nv);
	if (ret)
		return ret;
	ret = nv_engine_count_sms(nv);
	if (ret)
		return ret;
	ret = nv_rm_query(nv, RM_CONTROL_METHOD_BUFFER, &methods, sizeof(methods));
	if (ret)
		return ret;
	if (!methods.bytes || methods.bytes > MAX_METHOD_BUFFER_BYTES) {
		drm_err(&nv->base.drm, "GSP: invalid method buffer size %u\n", methods.bytes);
		return -EIO;
	}
	nv->method_bytes = methods.bytes;
	return 0;
}
