// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Engines: which there are, which runlist feeds each, how many processors the largest has. A class
 * of queues takes one engine: compute the graphics engine, copy the first copy engine that does not
 * share the graphics engine's runlist.
 */
#include <drm/drm_print.h>
#include <linux/slab.h>

#include "kmod/nv/nv.h"

static void take_engine(struct nv_device *nv, const struct rm_engine_entry *e)
{
	u32 type = e->data[RM_ENGINE_DATA_TYPE], runlist = e->data[RM_ENGINE_DATA_RUNLIST];
	struct nv_engine *compute = &nv->engines[DRM_SOVGPU_QUEUE_COMPUTE];
	struct nv_engine *copy = &nv->engines[DRM_SOVGPU_QUEUE_COPY];

	if (!e->data[RM_ENGINE_DATA_HOST_DRIVEN])
		return;
	if (type == RM_ENGINE_GRAPHICS)
		*compute = (struct nv_engine){ type, runlist };
	else if (type >= RM_ENGINE_COPY0 && type < RM_ENGINE_COPY0 + NV_MAX_COPY_ENGINES &&
		 !copy->type && (!compute->type || runlist != compute->runlist))
		*copy = (struct nv_engine){ type, runlist };
}

static int find_engines(struct nv_device *nv)
{
	struct rm_engines *table = kzalloc(sizeof(*table), GFP_KERNEL);
	u32 first = 0, i;
	int ret;

	if (!table)
		return -ENOMEM;
	do {
		table->first = first;
		ret = nv_rm_ask(nv, RM_CONTROL_ENGINES, table, sizeof(*table));
		if (!ret && table->count > RM_ENGINE_ENTRIES)
			ret = -EIO;
		for (i = 0; !ret && i < table->count; i++)
			take_engine(nv, &table->list[i]);
		first += RM_ENGINE_ENTRIES;
	} while (!ret && table->more && first < NV_MAX_ENGINES);
	kfree(table);
	for (i = 0; !ret && i < ARRAY_SIZE(nv->engines); i++)
		if (!nv->engines[i].type)
			ret = -EIO;
	if (ret && !READ_ONCE(nv->lost))
		drm_err(&nv->base.drm, "GSP: no engine for compute, or none for copies\n");
	return ret;
}

static int count_processors(struct nv_device *nv)
{
	struct rm_gpcs gpcs = {};
	u32 tpcs = 0, i;
	int ret;

	ret = nv_rm_ask(nv, RM_CONTROL_GPCS, &gpcs, sizeof(gpcs));
	for (i = 0; !ret && i < 32; i++) {
		struct rm_tpcs t = { .gpc = i };

		if (!(gpcs.mask & BIT(i)))
			continue;
		ret = nv_rm_ask(nv, RM_CONTROL_TPCS, &t, sizeof(t));
		tpcs += hweight32(t.mask);
	}
	nv->base.info.units = tpcs * nv->chip->sms_per_tpc;
	return ret;
}

/**
 * nv_engines_start() - learn what engines there are
 * @nv: the device, with its GSP up
 *
 * Return: 0 or a negative errno after a message.
 */
int nv_engines_start(struct nv_device *nv)
{
	struct rm_method_buffer methods = {};
	int ret;

	ret = find_engines(nv);
	if (!ret)
		ret = count_processors(nv);
	if (!ret)
		ret = nv_rm_ask(nv, RM_CONTROL_METHOD_BUFFER, &methods, sizeof(methods));
	if (!ret && (!methods.bytes || methods.bytes > NV_MAX_METHOD_BUFFER)) {
		drm_err(&nv->base.drm, "GSP: a method buffer of %u bytes\n", methods.bytes);
		ret = -EIO;
	}
	nv->method_bytes = methods.bytes;
	return ret;
}
