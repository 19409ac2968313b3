/* SPDX-License-Identifier: MIT */
/*
 * Launching: check the request against the kernel and the device, then write the launch descriptor,
 * constant bank 0 with the arguments, and the methods into a slot of the stream.
 */
#include <string.h>
#include "libsov/runtime.h"

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

static sov_result check_shape(const struct function *f, const sov_launch *l)
{
	const sov_device_properties *d = &f->member.context->device->properties;
	const uint32_t *required = f->kernel->required_threads;
	sov_result r = SOV_OK;
	uint64_t threads;
	uint32_t i;

	for (i = 0; !r && i < 3; i++)
		r = check_side("grid", (char)('x' + i), l->grid[i], d->max_grid[i]);
	for (i = 0; !r && i < 3; i++)
		r = check_side("block", (char)('x' + i), l->block[i], d->max_block[i]);
	if (r)
		return r;
	threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	if (threads > d->max_threads_per_block)
		return refuse(
			SOV_ERROR_INVALID_LAUNCH,
			"a block of %u x %u x %u has %llu threads; the device allows at most %u",
			l->block[0], l->block[1], l->block[2], (unsigned long long)threads,
			d->max_threads_per_block);
	if (required[0] && memcmp(required, l->block, sizeof(l->block)))
		return refuse(
			SOV_ERROR_INVALID_LAUNCH,
			"kernel '%s' was made for blocks of exactly %u x %u x %u, not %u x %u x %u",
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
	uint32_t own = f->kernel->shared_bytes - function_reserved_shared(f);

	if ((uint64_t)own + l->shared_bytes > d->max_shared_per_block)
		return refuse(SOV_ERROR_INVALID_LAUNCH,
			      "kernel '%s' has %u bytes of shared memory and %u more are asked "
			      "for; a block has at most %u",
			      f->kernel->name, own, l->shared_bytes, d->max_shared_per_block);
	if (f->kernel->stack_bytes)
		return refuse(SOV_ERROR_UNSUPPORTED,
			      "kernel '%s' needs %u bytes of local memory a thread; this version "
			      "(%d.%d) gives none",
			      f->kernel->name, f->kernel->stack_bytes, SOV_VERSION_MAJOR,
			      SOV_VERSION_MINOR);
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

static sov_result submit(const struct function *f, const sov_launch *l, struct stream *s)
{
	struct context *c = f->member.context;
	const struct image_kernel *k = f->kernel;
	uint32_t qmd[NV_QMD_MAX_WORDS], i;
	uint8_t bank[STREAM_MAX_BANK0];
	struct nv_grid g = {
		.program = f->va,
		.registers = k->registers,
		.barriers = k->barriers,
		.shared_bytes = k->shared_bytes + l->shared_bytes,
		.dynamic_shared = l->shared_bytes,
		.bank0_bytes = k->bank0_bytes,
		.new_code = s->code_writes != c->code_writes,
	};
	struct slot slot;
	sov_result r = stream_begin(s, &slot);

	if (r)
		return r;
	if (f->module->unloading)
		return refuse(SOV_ERROR_INVALID_HANDLE, "another thread is unloading kernel '%s'",
			      k->name);
	memcpy(g.grid, l->grid, sizeof(g.grid));
	memcpy(g.block, l->block, sizeof(g.block));
	g.bank0 = slot.va + STREAM_SLOT_BANK0;
	g.id = c->ticket + 1;
	if (!nv_grid_qmd(&c->chip, &g, qmd))
		return refuse(SOV_ERROR_INTERNAL,
			      "a value of kernel '%s' does not fit its launch descriptor", k->name);
	nv_grid_bank0(&c->chip, &g, bank);
	for (i = 0; i < k->nparams; i++)
		memcpy(bank + k->param_base + k->params[i].offset, l->arguments[i],
		       k->params[i].size);
	memcpy(slot.cpu, qmd, sizeof(qmd));
	memcpy(slot.cpu + STREAM_SLOT_BANK0, bank, k->bank0_bytes);
	nv_push_launch(&slot.push, slot.va);
	s->code_writes = c->code_writes;
	return stream_submit(s, &slot, WORK_KERNEL, f);
}

sov_result sov_function_launch(sov_function function, const sov_launch *launch)
{
	struct function *f;
	struct stream *s;
	sov_launch l;
	sov_result r = struct_in("sov_launch", &l, sizeof(l), launch);

	if (r)
		return r;
	f = member_enter(function, OBJECT_FUNCTION, &r);
	if (!f)
		return r;
	r = check_shape(f, &l);
	if (!r)
		r = check_memory(f, &l);
	if (!r)
		r = check_arguments(f, &l);
	if (r)
		return member_leave(f, r);
	s = stream_find(f->member.context, l.stream);
	if (!s)
		return member_leave(f, SOV_ERROR_INVALID_HANDLE);
	r = submit(f, &l, s);
	r = member_leave(f, r);
	object_put(&s->member.object);
	return r;
}
