// SPDX-License-Identifier: MIT
/*
 * Launching kernels: validates the launch against the kernel and the device, then encodes it into a
 * slot of the stream (gpu.h).
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/demangle.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/context/context_wait.h"
#include "libsov/runtime/memory/local_memory.h"
#include "libsov/runtime/module/launch.h"
#include "libsov/runtime/stream/stream.h"
#include "libsov/runtime/trace/trace_gpu.h"

/* ---- checks ---- */

static sov_result check_dimension(const char *what, char axis, uint32_t value, uint32_t max)
{
	if (!value)
		return set_error(SOV_ERROR_INVALID_LAUNCH, "%s %c is 0; it must be at least 1",
				 what, axis);
	if (value > max)
		return set_error(SOV_ERROR_INVALID_LAUNCH,
				 "%s %c is %u; the device allows at most %u", what, axis, value,
				 max);
	return SOV_OK;
}

/* Reports the first invalid dimension. */
static sov_result set_shape_error(const sov_device_properties *d, const sov_launch *l)
{
	sov_result r = SOV_OK;
	uint32_t i;

	for (i = 0; !r && i < 3; i++)
		r = check_dimension("grid", (char)('x' + i), l->grid[i], d->max_grid[i]);
	for (i = 0; !r && i < 3; i++)
		r = check_dimension("block", (char)('x' + i), l->block[i], d->max_block[i]);
	return r;
}

static sov_result check_shape(const struct function *f, const sov_launch *l)
{
	const sov_device_properties *d = &f->member.context->device->properties;
	const uint32_t *required = f->kernel->required_threads;
	bool bad = false;
	uint64_t threads;
	uint32_t i;

	for (i = 0; i < 3; i++) /* 0 - 1 wraps around to the maximum */
		bad |= l->grid[i] - 1 >= d->max_grid[i] || l->block[i] - 1 >= d->max_block[i];
	if (bad)
		return set_shape_error(d, l);
	threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	if (threads > d->max_threads_per_block)
		return set_error(
			SOV_ERROR_INVALID_LAUNCH,
			"a block of %u x %u x %u has %llu threads; the device allows at most %u",
			l->block[0], l->block[1], l->block[2], (unsigned long long)threads,
			d->max_threads_per_block);
	if (required[0] && memcmp(required, l->block, sizeof(l->block)))
		return set_error(
			SOV_ERROR_INVALID_LAUNCH,
			"kernel '%s' requires blocks of %u x %u x %u, not %u x %u x %u; use these",
			DEMANGLED(f->kernel->name), required[0], required[1], required[2],
			l->block[0], l->block[1], l->block[2]);
	if (threads > f->max_threads)
		return set_error(SOV_ERROR_INVALID_LAUNCH,
				 "a block has %llu threads; kernel '%s' with %u registers per "
				 "thread allows at most %u",
				 (unsigned long long)threads, DEMANGLED(f->kernel->name),
				 f->kernel->registers, f->max_threads);
	return SOV_OK;
}

static const uint32_t *launch_cluster(const struct function *f, const sov_launch *l)
{
	return l->cluster[0] || l->cluster[1] || l->cluster[2] ? l->cluster : f->kernel->cluster;
}

/* A shape that the launch or the kernel states. */
static sov_result check_cluster_shape(const struct function *f, const sov_launch *l,
				      const uint32_t *n)
{
	const sov_device_properties *d = &f->member.context->device->properties;
	const uint32_t *required = f->kernel->cluster;
	uint32_t i, most = f->kernel->max_cluster;
	uint32_t limit = l->flags & SOV_LAUNCH_LARGE_CLUSTER && d->max_cluster_blocks > 1
				 ? GPU_MAX_LARGE_CLUSTER
				 : d->max_cluster_blocks;
	uint64_t blocks = 1;

	for (i = 0; i < 3; i++) {
		if (!n[i])
			return set_error(SOV_ERROR_INVALID_LAUNCH,
					 "cluster %c is 0; it must be at least 1", (int)('x' + i));
		blocks = blocks > UINT32_MAX ? blocks : blocks * n[i];
	}
	if (required[0] && memcmp(required, n, sizeof(l->cluster)))
		return set_error(SOV_ERROR_INVALID_LAUNCH,
				 "kernel '%s' requires clusters of %u x %u x %u blocks, not %u x "
				 "%u x %u; use these",
				 DEMANGLED(f->kernel->name), required[0], required[1], required[2],
				 n[0], n[1], n[2]);
	if (blocks > limit)
		return set_error(d->max_cluster_blocks > 1 ? SOV_ERROR_INVALID_LAUNCH
							   : SOV_ERROR_UNSUPPORTED,
				 "a cluster of %u x %u x %u has %llu blocks; %s allows at most "
				 "%u%s",
				 n[0], n[1], n[2], (unsigned long long)blocks, d->target, limit,
				 limit > 1 && limit < GPU_MAX_LARGE_CLUSTER
					 ? ", with SOV_LAUNCH_LARGE_CLUSTER 16"
					 : "");
	if (most && blocks > most)
		return set_error(SOV_ERROR_INVALID_LAUNCH,
				 "a cluster of %u x %u x %u has %llu blocks; kernel '%s' allows at "
				 "most %u",
				 n[0], n[1], n[2], (unsigned long long)blocks,
				 DEMANGLED(f->kernel->name), most);
	for (i = 0; i < 3; i++)
		if (l->grid[i] % n[i])
			return set_error(SOV_ERROR_INVALID_LAUNCH,
					 "grid %c is %u; it must be a multiple of the cluster's %u",
					 (int)('x' + i), l->grid[i], n[i]);
	return SOV_OK;
}

static sov_result check_cluster(const struct function *f, const sov_launch *l)
{
	const uint32_t *n = launch_cluster(f, l);

	if (l->reserved)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "sov_launch.reserved is %u; it must be 0", l->reserved);
	if (n[0] || n[1] || n[2])
		return check_cluster_shape(f, l, n);
	if (f->kernel->explicit_cluster)
		return set_error(SOV_ERROR_INVALID_LAUNCH,
				 "kernel '%s' must be launched with clusters; state their "
				 "shape",
				 DEMANGLED(f->kernel->name));
	return SOV_OK;
}

static sov_result check_memory(const struct function *f, const sov_launch *l)
{
	const sov_device_properties *d = &f->member.context->device->properties;
	uint32_t own = f->plan.own_shared;

	if ((uint64_t)own + l->shared_bytes > d->max_shared_per_block)
		return set_error(SOV_ERROR_INVALID_LAUNCH,
				 "kernel '%s' has %u bytes of shared memory and %u more are "
				 "requested; a block has at most %u",
				 DEMANGLED(f->kernel->name), own, l->shared_bytes,
				 d->max_shared_per_block);
	return SOV_OK;
}

static sov_result check_flags(const struct function *f, const sov_launch *l)
{
	const struct context *c = f->member.context;
	uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	const uint32_t *n = launch_cluster(f, l);
	uint32_t cluster = n[0] ? n[0] * n[1] * n[2] : 1;
	uint64_t fit;

	if (l->flags & ~(SOV_LAUNCH_COOPERATIVE | SOV_LAUNCH_LARGE_CLUSTER))
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "sov_launch.flags is 0x%x; known: SOV_LAUNCH_COOPERATIVE, "
				 "SOV_LAUNCH_LARGE_CLUSTER",
				 l->flags);
	if (!(l->flags & SOV_LAUNCH_COOPERATIVE))
		return SOV_OK;
	fit = cluster * c->gpu->max_resident_clusters(
				c->chip, f->kernel, l->block[0] * l->block[1] * l->block[2],
				(uint64_t)f->kernel->shared_bytes + l->shared_bytes, cluster);
	if (blocks > fit)
		return set_error(
			SOV_ERROR_INVALID_LAUNCH,
			"a cooperative grid of %llu blocks; of such blocks of kernel '%s' %llu "
			"fit on the device at the same time",
			(unsigned long long)blocks, DEMANGLED(f->kernel->name),
			(unsigned long long)fit);
	return SOV_OK;
}

static sov_result check_arguments(const struct function *f, const sov_launch *l)
{
	uint32_t i, n = f->kernel->nparams;

	if (l->argument_count != n)
		return set_error(
			SOV_ERROR_INVALID_LAUNCH, "kernel '%s' takes %u argument%s; %u given",
			DEMANGLED(f->kernel->name), n, n == 1 ? "" : "s", l->argument_count);
	if (n && !l->arguments)
		return set_error(SOV_ERROR_INVALID_LAUNCH,
				 "arguments is NULL; kernel '%s' takes %u",
				 DEMANGLED(f->kernel->name), n);
	for (i = 0; i < n; i++) {
		if (!l->arguments[i])
			return set_error(SOV_ERROR_INVALID_LAUNCH,
					 "argument %u of kernel '%s' is NULL", i,
					 DEMANGLED(f->kernel->name));
		if (l->argument_bytes && l->argument_bytes[i] != f->kernel->params[i].size)
			return set_error(SOV_ERROR_INVALID_LAUNCH,
					 "argument %u of kernel '%s' has %u bytes; %zu given", i,
					 DEMANGLED(f->kernel->name), f->kernel->params[i].size,
					 l->argument_bytes[i]);
	}
	return SOV_OK;
}

/* A target without clusters has clusters of one block, which a launch need not state. */
void function_set_cluster(const struct function *f, const sov_launch *l, uint32_t cluster[3])
{
	bool has = f->member.context->device->properties.max_cluster_blocks > 1;

	memset(cluster, 0, sizeof(l->cluster));
	if (has)
		memcpy(cluster, launch_cluster(f, l), sizeof(l->cluster));
}

/* ---- encoding ---- */

/* A stream's instruction cache is valid for code up to some load, and the GPU knows one area of
 * local memory. The submission that changes either says so, and so do those after it until the
 * publisher has passed it. constants: where these are written if the slot is too small for them. */
static sov_result launch_submit(struct function *f, const sov_launch *l, struct stream *s,
				const struct staging_range *constants, uint64_t *seqno,
				struct doorbell *doorbell)
{
	struct context *c = f->member.context;
	const struct submit_request q = {
		.engine = ENGINE_COMPUTE,
		.kind = WORK_KERNEL,
		.kernel = &f->info,
		.local_bytes = f->info.local_bytes
				       ? local_grid_bytes(c, f->info.local_bytes, l->grid, l->block)
				       : 0,
		.time_limit = l->time_limit,
	};
	struct gpu_local own;
	struct gpu_launch g;
	struct gpu_slot at;
	struct slot slot;
	sov_result r = stream_begin_request(s, &q, &slot);

	if (r)
		return r;
	if (slot.traced)
		trace_work_set_shape(slot.traced, l);
	memcpy(g.grid, l->grid, sizeof(g.grid));
	memcpy(g.block, l->block, sizeof(g.block));
	function_set_cluster(f, l, g.cluster);
	g.dynamic_shared = l->shared_bytes;
	g.arguments = l->arguments;
	g.local = &c->local.per_queue;
	if (c->gpu->local_in_launch) {
		own = local_of(c, s->index);
		g.local = &own;
	}
	g.new_local = f->info.local_bytes &&
		      atomic_load_explicit(&s->local, memory_order_relaxed) != c->local.serial;
	if (g.new_local)
		slot.submission->local = c->local.serial;
	g.new_code = atomic_load_explicit(&s->code, memory_order_relaxed) < f->plan.code;
	if (g.new_code)
		slot.submission->code = f->plan.code;
	g.id = s->serial << 40 | slot.seqno;
	g.release = slot.concurrent ? s->done->va : 0;
	g.payload = (uint32_t)slot.seqno;
	g.next = 0;
	g.chain = NULL;
	g.cooperative = l->flags & SOV_LAUNCH_COOPERATIVE;
	at = (struct gpu_slot){slot.cpu, slot.va, &slot.submission->written,
			       slot.cpu + GPU_SLOT_CONSTANTS, slot.va + GPU_SLOT_CONSTANTS};
	if (constants) {
		at.constants = constants->cpu;
		at.constants_va = constants->va;
		memset(at.contents, 0, sizeof(*at.contents));
	}
	c->gpu->launch(c->chip, f->plan.gpu, &g, &at, &slot.push);
	if (constants)
		memset(at.contents, 0, sizeof(*at.contents));
	*seqno = slot.seqno;
	*doorbell = stream_submit_deferred(s, &slot);
	return SOV_OK;
}

/* The arguments are more than a slot of the stream holds: they are written to the staging ring. */
static sov_result launch_large(struct function *f, const sov_launch *l, struct stream *s,
			       uint64_t *seqno, struct doorbell *doorbell)
{
	uint32_t bytes = f->member.context->gpu->constant_bytes(f->kernel);
	struct staging_range t;
	sov_result r;

	pthread_mutex_lock(&s->staging.lock);
	r = stream_stage(s, 0, bytes + GPU_LINE, &t); /* written by whole lines */
	if (!r)
		r = launch_submit(f, l, s, &t, seqno, doorbell);
	if (!r)
		staging_release_after(&s->staging, &t, *seqno);
	pthread_mutex_unlock(&s->staging.lock);
	return r;
}

sov_result function_check(const struct function *f, const sov_launch *l)
{
	sov_result r = check_shape(f, l);

	if (!r)
		r = check_cluster(f, l);
	if (!r)
		r = check_memory(f, l);
	if (!r && l->flags)
		r = check_flags(f, l);
	return r ? r : check_arguments(f, l);
}

sov_result function_submit(struct function *f, const sov_launch *l, struct stream *s,
			   uint64_t *seqno, struct doorbell *doorbell)
{
	sov_result r = function_check(f, l);

	if (r)
		return r;
	if (f->member.context->gpu->constant_bytes(f->kernel) <= GPU_MAX_CONSTANTS)
		return launch_submit(f, l, s, NULL, seqno, doorbell);
	return launch_large(f, l, s, seqno, doorbell);
}

const sov_launch *launch_complete(const struct function *f, const sov_launch *l, sov_launch *copy)
{
	uint32_t i;

	if (l->grid[1] && l->grid[2] && l->block[1] && l->block[2])
		return l;
	*copy = *l;
	if (!l->block[0] && !l->block[1] && !l->block[2])
		memcpy(copy->block, f->kernel->required_threads, sizeof(copy->block));
	for (i = 1; i < 3; i++) {
		copy->grid[i] = copy->grid[i] ? copy->grid[i] : 1;
		copy->block[i] = copy->block[i] ? copy->block[i] : 1;
	}
	return copy;
}

static sov_result launch_on_stream(struct function *f, const sov_launch *given,
				   struct doorbell *doorbell)
{
	sov_launch copy;
	const sov_launch *l = launch_complete(f, given, &copy);
	struct stream *s = stream_find(f->member.context, l->stream);
	uint64_t seqno;
	sov_result r;

	if (!s)
		return SOV_ERROR_INVALID_HANDLE;
	if (stream_captured(s)) {
		r = stream_capture(s)->kernel(s, f, l);
		object_put(&s->member.object);
		return r;
	}
	r = function_submit(f, l, s, &seqno, doorbell);
	if (!r && f->member.context->sync) {
		doorbell_ring(*doorbell);
		doorbell->word = NULL;
		r = stream_wait_for(s, seqno, SOV_FOREVER);
	}
	LOG(LAUNCH, DEBUG, "%s: '%s' grid %u,%u,%u block %u,%u,%u shared %u", sov_result_name(r),
	    f->kernel->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
	    l->block[2], l->shared_bytes);
	object_put(&s->member.object);
	return r;
}

sov_result api_function_launch(sov_function function, const sov_launch *given)
{
	const sov_launch *l = given;
	struct doorbell doorbell = {0};
	struct function *f;
	sov_launch copy;
	sov_result r;

	if (!given || given->size != sizeof(copy)) {
		r = struct_in("sov_launch", &copy, sizeof(copy), given);
		if (r)
			return r;
		l = &copy;
	}
	f = object_get(function, OBJECT_FUNCTION);
	if (!f)
		return SOV_ERROR_INVALID_HANDLE;
	r = launch_on_stream(f, l, &doorbell);
	object_put(&f->member.object);
	doorbell_ring(doorbell);
	return r;
}
