/* SPDX-License-Identifier: MIT */
/*
 * Launching: check the request against the kernel and the device, then have it written into a slot of
 * the stream as the GPU reads it (gpu.h).
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/runtime.h"
#include "libsov/runtime/trace/trace.h"

/* ---- the plan ---- */

sov_result function_plan(struct context *c, struct function *f, const uint64_t base[IMAGE_PARTS])
{
	static _Atomic uint64_t plans;
	const struct image_kernel *k = f->kernel;
	struct plan *p = &f->plan;
	uint32_t most = c->gpu->max_local_bytes, stack = k->stack_bytes;

	if (stack > most)
		return refuse(SOV_ERROR_INVALID_SOURCE,
			      "kernel '%s' needs %u bytes of local memory a thread; a thread has "
			      "at most %u",
			      k->name, stack, most);
	/* What is known is needed in any case, and what is not comes on top. */
	if (k->calls)
		stack = c->stack_bytes < most - stack ? stack + c->stack_bytes : most;
	p->gpu = calloc(1, c->gpu->plan_bytes);
	if (!p->gpu)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for kernel '%s'",
			      k->name);
	p->local_bytes = c->gpu->local_layout(c->chip, stack).thread_bytes;
	p->id = atomic_fetch_add(&plans, 1) + 1;
	p->code = c->code_writes;
	p->own_shared = k->shared_bytes - function_reserved_shared(f);
	if (!c->gpu->plan(c->chip, k, base, p->local_bytes, p->id, p->gpu))
		return refuse(SOV_ERROR_INTERNAL,
			      "a value of kernel '%s' does not fit its launch descriptor", k->name);
	return SOV_OK;
}

/* ---- checks ---- */

static sov_result check_side(const char *what, char side, uint32_t value, uint32_t most)
{
	if (!value)
		return refuse(SOV_ERROR_INVALID_LAUNCH, "%s %c is 0; every side is at least 1",
			      what, side);
	if (value > most)
		return refuse(SOV_ERROR_INVALID_LAUNCH, "%s %c is %u; the device allows at most %u",
			      what, side, value, most);
	return SOV_OK;
}

/* The first of the sides that is wrong. */
static sov_result refuse_sides(const sov_device_properties *d, const sov_launch *l)
{
	sov_result r = SOV_OK;
	uint32_t i;

	for (i = 0; !r && i < 3; i++)
		r = check_side("grid", (char)('x' + i), l->grid[i], d->max_grid[i]);
	for (i = 0; !r && i < 3; i++)
		r = check_side("block", (char)('x' + i), l->block[i], d->max_block[i]);
	return r;
}

static sov_result check_shape(const struct function *f, const sov_launch *l)
{
	const sov_device_properties *d = &f->member.context->device->properties;
	const uint32_t *required = f->kernel->required_threads;
	bool bad = false;
	uint64_t threads;
	uint32_t i;

	for (i = 0; i < 3; i++) /* 0 - 1 is more than all */
		bad |= l->grid[i] - 1 >= d->max_grid[i] || l->block[i] - 1 >= d->max_block[i];
	if (bad)
		return refuse_sides(d, l);
	threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	if (threads > d->max_threads_per_block)
		return refuse(
			SOV_ERROR_INVALID_LAUNCH,
			"a block of %u x %u x %u has %llu threads; the device allows at most %u",
			l->block[0], l->block[1], l->block[2], (unsigned long long)threads,
			d->max_threads_per_block);
	if (required[0] && memcmp(required, l->block, sizeof(l->block)))
		return refuse(SOV_ERROR_INVALID_LAUNCH,
			      "kernel '%s' was made for blocks of exactly %u x %u x %u, not %u x "
			      "%u x %u; launch it so",
			      f->kernel->name, required[0], required[1], required[2], l->block[0],
			      l->block[1], l->block[2]);
	if (threads > f->max_threads)
		return refuse(SOV_ERROR_INVALID_LAUNCH,
			      "a block has %llu threads; kernel '%s' with %u registers a thread "
			      "allows at most %u",
			      (unsigned long long)threads, f->kernel->name, f->kernel->registers,
			      f->max_threads);
	return SOV_OK;
}

static sov_result check_memory(const struct function *f, const sov_launch *l)
{
	const sov_device_properties *d = &f->member.context->device->properties;
	uint32_t own = f->plan.own_shared;

	if ((uint64_t)own + l->shared_bytes > d->max_shared_per_block)
		return refuse(SOV_ERROR_INVALID_LAUNCH,
			      "kernel '%s' has %u bytes of shared memory and %u more are asked "
			      "for; a block has at most %u",
			      f->kernel->name, own, l->shared_bytes, d->max_shared_per_block);
	return SOV_OK;
}

uint32_t function_occupancy(const struct function *f, uint64_t threads, uint32_t shared_bytes)
{
	const struct context *c = f->member.context;

	if (!threads || threads > f->max_threads ||
	    f->plan.own_shared + (uint64_t)shared_bytes > c->device->info.shared_per_block)
		return 0;
	return c->gpu->occupancy(c->chip, f->kernel, (uint32_t)threads,
			      (uint64_t)f->kernel->shared_bytes + shared_bytes);
}

static sov_result check_together(const struct function *f, const sov_launch *l)
{
	const struct context *c = f->member.context;
	uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	uint64_t fit;

	if (l->flags != SOV_LAUNCH_COOPERATIVE)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "sov_launch.flags is 0x%x; known: SOV_LAUNCH_COOPERATIVE", l->flags);
	fit = c->gpu->max_resident_blocks(c->chip, f->kernel, l->block[0] * l->block[1] * l->block[2],
			       (uint64_t)f->kernel->shared_bytes + l->shared_bytes);
	if (blocks > fit)
		return refuse(
			SOV_ERROR_INVALID_LAUNCH,
			"a cooperative grid of %llu blocks; of such blocks of kernel '%s' %llu "
			"fit on the device at the same time",
			(unsigned long long)blocks, f->kernel->name, (unsigned long long)fit);
	return SOV_OK;
}

static sov_result check_arguments(const struct function *f, const sov_launch *l)
{
	uint32_t i, n = f->kernel->nparams;

	if (l->argument_count != n)
		return refuse(SOV_ERROR_INVALID_LAUNCH, "kernel '%s' takes %u argument%s; %u given",
			      f->kernel->name, n, n == 1 ? "" : "s", l->argument_count);
	if (n && !l->arguments)
		return refuse(SOV_ERROR_INVALID_LAUNCH, "arguments is NULL; kernel '%s' takes %u",
			      f->kernel->name, n);
	for (i = 0; i < n; i++) {
		if (!l->arguments[i])
			return refuse(SOV_ERROR_INVALID_LAUNCH,
				      "argument %u for kernel '%s' is NULL", i, f->kernel->name);
		if (l->argument_bytes && l->argument_bytes[i] != f->kernel->params[i].size)
			return refuse(SOV_ERROR_INVALID_LAUNCH,
				      "argument %u of kernel '%s' has %u bytes; %zu given", i,
				      f->kernel->name, f->kernel->params[i].size,
				      l->argument_bytes[i]);
	}
	return SOV_OK;
}

/* ---- writing ---- */

/* A stream's caches know code up to a certain load, and the GPU an area of local memory. The piece
 * that changes that says so, and until the publisher has passed it, those behind it say it too. */
static sov_result submit(struct function *f, const sov_launch *l, struct stream *s,
			 uint64_t *number, struct bell *bell)
{
	struct context *c = f->member.context;
	const struct request q = {.engine = ENGINE_COMPUTE,
				  .kind = WORK_KERNEL,
				  .function = f,
				  .limit = l->time_limit};
	struct gpu_local own;
	struct gpu_launch g;
	struct slot slot;
	sov_result r = stream_begin_request(s, &q, &slot);

	if (r)
		return r;
	if (slot.traced)
		trace_piece_shape(&slot, l);
	memcpy(g.grid, l->grid, sizeof(g.grid));
	memcpy(g.block, l->block, sizeof(g.block));
	g.dynamic_shared = l->shared_bytes;
	g.arguments = l->arguments;
	g.local = &c->local.has;
	if (c->gpu->local_in_launch) {
		own = local_of(s);
		g.local = &own;
	}
	g.new_local = f->plan.local_bytes &&
		      atomic_load_explicit(&s->local, memory_order_relaxed) != c->local.serial;
	if (g.new_local)
		slot.piece->local = c->local.serial;
	g.new_code = atomic_load_explicit(&s->code, memory_order_relaxed) < f->plan.code;
	if (g.new_code)
		slot.piece->code = f->plan.code;
	g.id = s->serial << 40 | slot.number;
	g.release = slot.beside ? s->done->va : 0;
	g.payload = (uint32_t)slot.number;
	g.next = 0;
	g.chain = NULL;
	c->gpu->launch(c->chip, f->plan.gpu, &g,
		       &(struct gpu_slot){slot.cpu, slot.va, &slot.piece->written}, &slot.push);
	*number = slot.number;
	*bell = stream_submit_silent(s, &slot);
	return SOV_OK;
}

sov_result function_check(const struct function *f, const sov_launch *l)
{
	sov_result r = check_shape(f, l);

	if (!r)
		r = check_memory(f, l);
	if (!r && l->flags)
		r = check_together(f, l);
	if (!r && l->time_limit)
		r = check_limit(l->time_limit);
	return r ? r : check_arguments(f, l);
}

sov_result function_submit(struct function *f, const sov_launch *l, struct stream *s,
			   uint64_t *number, struct bell *bell)
{
	sov_result r = function_check(f, l);

	return r ? r : submit(f, l, s, number, bell);
}

static sov_result launch(struct function *f, const sov_launch *l, struct bell *bell)
{
	struct stream *s = stream_find(f->member.context, l->stream);
	uint64_t number;
	sov_result r;

	if (!s)
		return SOV_ERROR_INVALID_HANDLE;
	if (graph_capturing(s)) {
		r = graph_capture_kernel(s, f, l);
		object_put(&s->member.object);
		return r;
	}
	r = function_submit(f, l, s, &number, bell);
	if (!r && f->member.context->sync) {
		bell_ring(*bell);
		bell->word = NULL;
		r = stream_wait_for(s, number, SOV_MAX_WAIT);
	}
	LOG(LAUNCH, DEBUG, "%s: '%s' grid %u,%u,%u block %u,%u,%u shared %u", sov_result_name(r),
	    f->kernel->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
	    l->block[2], l->shared_bytes);
	object_put(&s->member.object);
	return r;
}

sov_result sov_function_launch(sov_function function, const sov_launch *given)
{
	const sov_launch *l = given;
	struct bell bell = {0};
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
	r = launch(f, l, &bell);
	object_put(&f->member.object);
	bell_ring(bell);
	return r;
}
