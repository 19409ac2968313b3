/* SPDX-License-Identifier: MIT */
/*
 * Launching: check the request against the kernel and the device, then write the launch descriptor,
 * constant bank 0 with the arguments, and the methods into a slot of the stream.
 *
 * Slots lie in video memory behind a bus, write-combined: every line of 64 bytes is composed in
 * ordinary memory and written once, in order. What a slot still holds from its last launch is
 * remembered, so a kernel that is launched again and again in the same shape costs the first line of
 * its bank, its arguments and the methods.
 */
#include <stdio.h>
#include <string.h>
#include "hw/nv/bank0.h"
#include "libsov/log.h"
#include "libsov/runtime.h"
#include "libsov/trace.h"

#define LINE STREAM_LINE

static_assert(NV_GRID_HEAD_BYTES == LINE, "what differs from launch to launch is one line");
static_assert(!(STREAM_SLOT_BANK0 % LINE) && !(STREAM_SLOT_PUSH % LINE), "parts begin lines");

/* ---- the plan ---- */

sov_result function_plan(struct context *c, struct function *f)
{
	static _Atomic uint64_t plans;
	const struct image_kernel *k = f->kernel;
	struct plan *p = &f->plan;
	struct nv_kernel kernel = {
		.program = f->va,
		.program_bytes = k->code_bytes,
		.registers = k->registers,
		.barriers = k->barriers,
		.shared_bytes = k->shared_bytes,
		.bank0_bytes = k->bank0_bytes,
	};
	uint32_t stack = k->calls && k->stack_bytes < c->stack_bytes ? c->stack_bytes : k->stack_bytes;

	module_banks(f->module, k, &kernel);
	if (stack > NV_LOCAL_MAX_BYTES)
		return refuse(SOV_ERROR_INVALID_SOURCE,
			      "kernel '%s' needs %u bytes of local memory a thread; a thread has "
			      "at most %u",
			      k->name, stack, NV_LOCAL_MAX_BYTES);
	p->local_bytes = nv_grid_local(&c->chip, stack).thread_bytes;
	kernel.local_bytes = p->local_bytes;
	p->id = atomic_fetch_add(&plans, 1) + 1;
	p->code = c->code_writes;
	p->own_shared = k->shared_bytes - function_reserved_shared(f);
	if (!nv_grid_plan(&c->chip, &kernel, &p->nv))
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
			"kernel '%s' was made for blocks of exactly %u x %u x %u, not %u x %u x %u; launch it so",
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
	uint64_t shared = (uint64_t)f->kernel->shared_bytes + shared_bytes;
	uint32_t blocks;

	if (!threads || threads > f->max_threads ||
	    f->plan.own_shared + (uint64_t)shared_bytes > c->device->info.shared_per_block)
		return 0;
	blocks = nv_grid_blocks_per_sm(&c->chip, (uint32_t)threads, f->kernel->registers);
	shared = (shared + NV_QMD_SHARED_ALIGN - 1) / NV_QMD_SHARED_ALIGN * NV_QMD_SHARED_ALIGN;
	if (shared && c->chip.shared_per_sm / shared < blocks)
		blocks = (uint32_t)(c->chip.shared_per_sm / shared);
	return blocks;
}

static sov_result check_together(const struct function *f, const sov_launch *l)
{
	uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	uint64_t fit;

	if (l->flags != SOV_LAUNCH_COOPERATIVE)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "sov_launch.flags is 0x%x; known: SOV_LAUNCH_COOPERATIVE", l->flags);
	fit = (uint64_t)function_occupancy(f, (uint64_t)l->block[0] * l->block[1] * l->block[2],
					   l->shared_bytes) *
	      f->member.context->chip.multiprocessors;
	if (blocks > fit)
		return refuse(SOV_ERROR_INVALID_LAUNCH,
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

/*
 * How to split an SM's memory takes divisions, and is the same as long as blocks are. The last
 * answer is kept in one word: threads in 63:44, dynamic shared memory in 43:12, the two values.
 */
static void split(struct function *f, struct nv_grid *g)
{
	uint32_t threads = g->block[0] * g->block[1] * g->block[2];
	uint64_t key = (uint64_t)threads << 44 | (uint64_t)g->dynamic_shared << 12;
	uint64_t known = atomic_load_explicit(&f->plan.split, memory_order_relaxed);

	if (known >> 12 != key >> 12) {
		nv_grid_split(&f->member.context->chip, &f->plan.nv.kernel, threads,
			      g->dynamic_shared, &g->split_min, &g->split_target);
		known = key | g->split_min << 6 | g->split_target;
		atomic_store_explicit(&f->plan.split, known, memory_order_relaxed);
	}
	g->split_min = known >> 6 & 63;
	g->split_target = known & 63;
}

static bool same_shape(const struct piece *p, const struct plan *plan, const struct nv_grid *g)
{
	return p->written.id == plan->id && !memcmp(p->written.grid, g->grid, sizeof(g->grid)) &&
	       !memcmp(p->written.block, g->block, sizeof(g->block)) &&
	       p->written.dynamic_shared == g->dynamic_shared &&
	       p->written.new_code == g->new_code;
}

static void write_descriptor(struct function *f, struct nv_grid *g, struct slot *slot)
{
	_Alignas(LINE) uint32_t qmd[NV_GRID_QMD_WORDS];
	struct piece *p = slot->piece;

	if (!g->release && same_shape(p, &f->plan, g))
		return;
	split(f, g);
	/* That every value fits was checked before: shapes by check_shape, the rest by the plan. */
	nv_grid_qmd(&f->member.context->chip, &f->plan.nv, g, qmd);
	slot_write(slot, 0, qmd, sizeof(qmd));
	p->written.id = g->release ? 0 : f->plan.id; /* a number stands in it */
	memcpy(p->written.grid, g->grid, sizeof(g->grid));
	memcpy(p->written.block, g->block, sizeof(g->block));
	p->written.dynamic_shared = g->dynamic_shared;
	p->written.new_code = g->new_code;
}

/* The part of bank 0 that no launch of the module changes, and the part of the descriptor that none
 * uses. */
static void write_once(const struct context *c, const struct nv_kernel *k, struct slot *slot,
		       uint32_t base)
{
	_Alignas(LINE) uint8_t body[STREAM_MAX_BANK0];

	memset(body, 0, NV_QMD_MAX_BYTES - NV_GRID_QMD_BYTES);
	slot_write(slot, NV_GRID_QMD_BYTES, body, NV_QMD_MAX_BYTES - NV_GRID_QMD_BYTES);
	nv_grid_body(&c->chip, k, base, body);
	slot_write(slot, STREAM_SLOT_BANK0, body, base);
	slot->piece->written.bank0_base = base;
	slot->piece->written.constants = k->banks[NV_CONSTANT_VARIABLES].address;
}

static void write_bank(const struct context *c, const struct function *f, const struct nv_grid *g,
		       const sov_launch *l, struct slot *slot)
{
	const struct nv_kernel *nv = &f->plan.nv.kernel;
	const struct image_kernel *k = f->kernel;
	uint32_t base = k->param_base / LINE * LINE, end = k->param_base + k->param_bytes, i;
	_Alignas(LINE) uint8_t lines[STREAM_MAX_BANK0 + LINE];
	uint8_t *params = lines + (k->param_base - base);

	if (slot->piece->written.bank0_base != base ||
	    slot->piece->written.constants != nv->banks[NV_CONSTANT_VARIABLES].address)
		write_once(c, nv, slot, base);
	nv_grid_head(&c->chip, g, lines);
	slot_write(slot, STREAM_SLOT_BANK0, lines, LINE);
	memset(lines, 0, (end - base + LINE - 1) / LINE * LINE);
	for (i = 0; i < k->nparams; i++) {
		const struct image_param *p = &k->params[i];

		if (p->size == 8)
			memcpy(params + p->offset, l->arguments[i], 8);
		else if (p->size == 4)
			memcpy(params + p->offset, l->arguments[i], 4);
		else
			memcpy(params + p->offset, l->arguments[i], p->size);
	}
	slot_write(slot, STREAM_SLOT_BANK0 + base, lines, end - base);
}

/* A stream's caches know code up to a certain load, and the GPU an area of local memory. The piece
 * that changes that says so, and until the publisher has passed it, those behind it say it too. */
static void write_methods(struct context *c, const struct function *f, struct stream *s,
			  struct slot *slot)
{
	const struct local_memory *local = &c->local;

	if (f->plan.local_bytes &&
	    atomic_load_explicit(&s->local, memory_order_relaxed) != local->serial) {
		nv_push_local(&slot->push, local->area->va, local->tpc_bytes);
		slot->piece->local = local->serial;
	}
	nv_push_launch(&slot->push, slot->va);
}

static sov_result submit(struct function *f, const sov_launch *l, struct stream *s,
			 uint64_t *number, struct bell *bell)
{
	struct context *c = f->member.context;
	const struct request q = {.engine = ENGINE_COMPUTE,
				  .kind = WORK_KERNEL,
				  .function = f,
				  .limit = l->time_limit};
	struct nv_grid g;
	struct slot slot;
	sov_result r = stream_begin_request(s, &q, &slot);

	if (r)
		return r;
	if (slot.traced)
		trace_piece_shape(&slot, l);
	memcpy(g.grid, l->grid, sizeof(g.grid));
	memcpy(g.block, l->block, sizeof(g.block));
	g.dynamic_shared = l->shared_bytes;
	g.bank0 = slot.va + STREAM_SLOT_BANK0;
	g.release = slot.beside ? s->done->va : 0;
	g.payload = (uint32_t)slot.number;
	g.next = 0;
	g.linked = false;
	g.id = s->serial << 40 | slot.number;
	g.new_code = atomic_load_explicit(&s->code, memory_order_relaxed) < f->plan.code;
	if (g.new_code)
		slot.piece->code = f->plan.code;
	write_descriptor(f, &g, &slot);
	write_bank(c, f, &g, l, &slot);
	write_methods(c, f, s, &slot);
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
