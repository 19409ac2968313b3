// SPDX-License-Identifier: MIT
/*
 * Attribution of GPU errors: kernel, instruction, thread, allocation. The winsys reports addresses,
 * which become names here. Hardware reports little to a process: then the kernel is inferred as the
 * only one that can have caused the error, and the instruction as the only one of that kernel that
 * makes such an access.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/demangle.h"
#include "libsov/runtime/base/fault_record.h"
#include "libsov/runtime/base/text.h"
#include "libsov/runtime/fault.h"
#include "libsov/runtime/graph/graph_exec.h"
#include "libsov/runtime/memory/allocation.h"
#include "libsov/runtime/module/module.h"
#include "libsov/runtime/stream/stream.h"

/* The kernel whose code contains the address, and where that code begins. */
static const struct function *function_at(const struct context *c, uint64_t va, uint64_t *base)
{
	const struct list_head *l;
	uint32_t i;

	for (l = c->modules.next; l != &c->modules; l = l->next) {
		const struct module *m = container_of(l, struct module, member.link);

		for (i = 0; i < m->image.nkernels; i++)
			if (va - m->functions[i].va < m->functions[i].kernel->code_bytes) {
				*base = m->functions[i].va;
				return &m->functions[i];
			}
	}
	return graph_function_at(c, va, base);
}

static void fault_disassemble(const struct context *c, const struct function *f, uint64_t pc,
			      sov_fault *out)
{
	c->gpu->disassemble(c->chip, f->kernel, pc, out->instruction, sizeof(out->instruction),
			    NULL);
}

static void fault_find_source(const struct function *f, uint64_t pc, sov_fault *out)
{
	const struct image *im = &f->module->image;
	const struct image_line *line;
	struct image_line *lines;
	uint32_t count;

	lines = image_lines(im, (uint32_t)(f->kernel - im->kernels), &count);
	line = image_line_at(lines, count, (uint32_t)pc);
	if (line)
		image_line_print(line, out->source, sizeof(out->source));
	free(lines);
}

#define MAX_SITES 4 /* longer lists do not help */

/* Counts the instructions of a kernel that make such an access (any access, if the kind is unknown)
 * and returns the first of them. UINT32_MAX: the code cannot be decoded. */
static uint32_t find_access_sites(const struct context *c, const struct function *f,
				  enum winsys_access access, uint64_t pc[static MAX_SITES])
{
	uint32_t offset, bytes, sites = 0;
	enum winsys_access does;

	for (offset = 0; offset < f->kernel->code_bytes; offset += bytes) {
		bytes = c->gpu->disassemble(c->chip, f->kernel, offset, NULL, 0, &does);
		if (!bytes)
			return UINT32_MAX;
		if (!does || (access && does != access))
			continue;
		if (sites < MAX_SITES)
			pc[sites] = offset;
		sites++;
	}
	return sites;
}

/* Infers the faulting instruction; lists several candidates in the cause. */
static bool infer_instruction(const struct context *c, const struct function *f,
			      enum winsys_access access, sov_fault *out)
{
	uint64_t pc[MAX_SITES];
	uint32_t i, sites = find_access_sites(c, f, access, pc);

	if (sites == 1)
		out->pc = pc[0];
	for (i = 0; sites > 1 && sites <= MAX_SITES && i < sites; i++)
		text_append(out->cause, sizeof(out->cause), "%s+0x%llx", i ? ", " : "; by one of ",
			    (unsigned long long)pc[i]);
	return sites == 1;
}

/* ---- inferring the kernel ---- */

#define TRAP_PAGE_BYTES 4096

#define SUSPECTS 4
#define MAX_AGE  4 /* submissions */

struct suspects {
	const struct function *list[SUSPECTS];
	uint32_t count; /* may exceed the list */
};

static void suspects_add(struct suspects *s, const struct function *f)
{
	uint32_t i;

	for (i = 0; i < s->count && i < SUSPECTS; i++)
		if (s->list[i] == f)
			return;
	if (f && s->count < SUSPECTS)
		s->list[s->count] = f;
	s->count += !!f;
}

/* Keeps the suspects that make such an access at all, if there are any. */
static void suspects_narrow(const struct context *c, const struct winsys_error *e,
			    struct suspects *s)
{
	struct suspects left = {.count = 0};
	uint64_t pc[MAX_SITES];
	uint32_t i;

	for (i = 0; e->memory && s->count > 1 && s->count <= SUSPECTS && i < s->count; i++)
		if (find_access_sites(c, s->list[i], e->access, pc))
			suspects_add(&left, s->list[i]);
	if (left.count)
		*s = left;
}

/* The function that a submission refers to; NULL: its module was unloaded since. */
static const struct function *function_of(const struct context *c, const struct kernel_info *k)
{
	const struct list_head *l;

	for (l = c->modules.next; k && l != &c->modules; l = l->next) {
		const struct module *m = container_of(l, struct module, member.link);

		if ((uintptr_t)k - (uintptr_t)m->functions <
		    m->image.nkernels * sizeof(*m->functions))
			return container_of(k, struct function, info);
	}
	return NULL;
}

/* The most recent kernel before this submission, among the last few. */
static const struct function *last_kernel_before(const struct context *c, struct stream *s,
						 uint64_t seqno)
{
	const struct kernel_info *k = NULL;
	uint32_t i;

	for (i = 1; i <= MAX_AGE && i < seqno && !k; i++)
		k = stream_kernel_at(s, seqno - i);
	return function_of(c, k);
}

/*
 * The kernels that the queue, or any queue if none is known, was executing. With several streams a
 * kernel completes without waiting for its stores: it may have completed before the MMU rejects one
 * (seen on an H200), so the last completed kernel is suspected too.
 */
static void suspects_find(const struct context *c, const struct winsys_error *e,
			  struct suspects *out)
{
	bool late = e->memory && e->access != WINSYS_READ && c->stream_count > 1;
	struct list_head *l;

	out->count = 0;
	for (l = c->streams.next; l != &c->streams; l = l->next) {
		struct stream *s = container_of(l, struct stream, member.link);
		uint64_t head = stream_poll(s) + 1;

		if (e->queue && s->queues[ENGINE_COMPUTE].winsys_queue != e->queue)
			continue;
		if (head <= stream_last(s))
			suspects_add(out, function_of(c, stream_kernel_at(s, head)));
		if (late)
			suspects_add(out, last_kernel_before(c, s, head));
	}
	suspects_narrow(c, e, out);
}

static void suspects_format(const struct suspects *s, char *text, size_t bytes)
{
	uint32_t i;

	for (i = 0; i < s->count && i < SUSPECTS; i++)
		text_append(text, bytes, "%s'%s'", i ? " or " : "; it was kernel ",
			    DEMANGLED(s->list[i]->kernel->name));
	if (s->count > SUSPECTS)
		text_append(text, bytes, " or another");
}

/* Describes the access; a trap is a store to its page on some GPUs. */
static void fault_describe_access(const struct context *c, const struct winsys_error *e,
				  sov_fault *f)
{
	size_t n = strlen(f->cause);

	f->kind = e->misaligned ? SOV_FAULT_MISALIGNED : SOV_FAULT_ADDRESS;
	f->address = e->address;
	allocation_describe_address(c, e->address, f->cause + n, sizeof(f->cause) - n);
}

static bool fault_is_trap(const struct context *c, const struct winsys_error *e)
{
	return e->memory && c->gpu->trap_page && e->address >= c->gpu->trap_page &&
	       e->address - c->gpu->trap_page < TRAP_PAGE_BYTES;
}

static void fault_attribute(const struct context *c, const struct winsys_error *e, sov_fault *f)
{
	uint64_t base = 0, other;
	const struct function *at = e->pc ? function_at(c, e->pc, &base) : NULL;
	const struct function *kernel = at && !at->module->library ? at : NULL;
	struct suspects s = {.count = 0};
	bool trap = fault_is_trap(c, e);

	if (!kernel && e->program)
		kernel = function_at(c, e->program, &other);
	if (!kernel)
		suspects_find(c, e, &s);
	if (s.count == 1)
		kernel = s.list[0];
	fault_init(f, e->timed_out ? SOV_ERROR_HANG : SOV_ERROR_FAULT,
		   kernel ? kernel->kernel->name : NULL);
	snprintf(f->cause, sizeof(f->cause), "%s", trap ? "it executed a trap" : e->text);
	if (e->illegal_instruction)
		f->kind = SOV_FAULT_INSTRUCTION;
	if (e->memory && !trap)
		fault_describe_access(c, e, f);
	if (s.count > 1)
		suspects_format(&s, f->cause, sizeof(f->cause));
	f->has_thread = e->has_thread;
	memcpy(f->block, e->block, sizeof(f->block));
	memcpy(f->thread, e->thread, sizeof(f->thread));
	if (at)
		f->pc = e->pc - base;
	else if (kernel && e->memory && !trap && infer_instruction(c, kernel, e->access, f))
		at = kernel;
	if (at) {
		fault_disassemble(c, at, f->pc, f);
		fault_find_source(at, f->pc, f);
	}
}

void fault_locate(const struct context *c, uint64_t pc, uint64_t program, sov_fault *f)
{
	uint64_t base = 0, other;
	const struct function *at = function_at(c, pc, &base);
	const struct function *kernel = at && !at->module->library ? at : NULL;

	if (!kernel && program)
		kernel = function_at(c, program, &other);
	fault_init(f, SOV_ERROR_FAULT, kernel ? kernel->kernel->name : NULL);
	if (!at)
		return;
	f->pc = pc - base;
	fault_disassemble(c, at, f->pc, f);
	fault_find_source(at, f->pc, f);
}

const struct context_part fault_part = {.attribute_fault = fault_attribute};
