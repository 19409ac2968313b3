// SPDX-License-Identifier: MIT
/* Functions: what a kernel needs per launch, computed once when its module is loaded. */
#include <stdlib.h>
#include "libsov/runtime/base/demangle.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/module/function.h"

uint32_t function_reserved_shared(const struct context *c, const struct image *im,
				  const struct image_kernel *k)
{
	uint32_t reserved = c->gpu->reserved_shared(im);

	return reserved < k->shared_bytes ? reserved : k->shared_bytes;
}

uint32_t function_max_threads(const struct context *c, const struct image_kernel *k)
{
	uint32_t threads = c->device->info.max_threads_per_block;

	if (k->max_threads && k->max_threads < threads)
		threads = k->max_threads;
	while (threads && !c->gpu->occupancy(c->chip, k, threads, 0))
		threads = (threads - 1) / 32 * 32;
	return threads;
}

sov_result function_plan(struct context *c, struct function *f, const struct image *im,
			 const uint64_t base[IMAGE_PARTS])
{
	static _Atomic uint64_t plans;
	const struct image_kernel *k = f->kernel;
	struct launch_plan *p = &f->plan;
	uint32_t max = c->gpu->max_local_bytes, stack = k->stack_bytes;

	if (stack > max)
		return set_error(
			SOV_ERROR_INVALID_SOURCE,
			"kernel '%s' needs %u bytes of local memory per thread; a thread has "
			"at most %u",
			DEMANGLED(k->name), stack, max);
	/* The known stack is the minimum; recursion comes on top. */
	if (k->calls)
		stack = c->stack_bytes < max - stack ? stack + c->stack_bytes : max;
	p->gpu = calloc(1, c->gpu->plan_bytes);
	if (!p->gpu)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for kernel '%s'",
				 DEMANGLED(k->name));
	f->info.local_bytes = c->gpu->local_layout(c->chip, stack, 1, 1).thread_bytes;
	p->id = atomic_fetch_add(&plans, 1) + 1;
	p->code = c->code_writes;
	p->own_shared = k->shared_bytes - function_reserved_shared(c, im, k);
	if (!c->gpu->plan(c->chip, k, base, f->info.local_bytes, p->id, p->gpu))
		return set_error(SOV_ERROR_INTERNAL,
				 "a value of kernel '%s' does not fit its launch descriptor",
				 DEMANGLED(k->name));
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
