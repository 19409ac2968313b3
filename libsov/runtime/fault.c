/* SPDX-License-Identifier: MIT */
/*
 * What is said about a failure: which kernel, which instruction, which thread, which address. The
 * way to the GPU reports addresses; here they become names. A way that knows less (a real GPU tells
 * a process little) leaves the kernel to be taken for the only one that can have done it, and the
 * instruction for the only one there that does such a thing.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/graph/graph.h"

void fault_init(sov_fault *f, sov_result r, const struct function *kernel)
{
	memset(f, 0, sizeof(*f));
	f->size = sizeof(*f);
	f->result = r;
	f->pc = UINT64_MAX;
	if (kernel)
		snprintf(f->kernel, sizeof(f->kernel), "%s", kernel->kernel->name);
}

/* Appends; what does not fit is cut off. */
__attribute__((format(printf, 3, 4))) static void say(char *buffer, size_t bytes, const char *fmt,
						      ...)
{
	size_t n = strlen(buffer);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buffer + n, bytes - n, fmt, ap);
	va_end(ap);
}

/* Whose code is at an address, and where that begins. */
static const struct function *function_at(const struct context *c, uint64_t va, uint64_t *base)
{
	const struct link *l;
	uint32_t i;

	for (l = c->modules.next; l != &c->modules; l = l->next) {
		const struct module *m =
			(const struct module *)((const char *)l -
						offsetof(struct module, member.link));

		for (i = 0; i < m->image.nkernels; i++)
			if (va - m->functions[i].va < m->functions[i].kernel->code_bytes) {
				*base = m->functions[i].va;
				return &m->functions[i];
			}
	}
	return graph_function_at(c, va, base);
}

static void disassemble(const struct context *c, const struct function *f, uint64_t pc,
			sov_fault *out)
{
	c->gpu->disassemble(c->chip, f->kernel, pc, out->instruction, sizeof(out->instruction),
			    NULL);
}

static void find_source(const struct function *f, uint64_t pc, sov_fault *out)
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

#define PLACES 4 /* that are named; with more of them a list helps nobody */

/* Where the kernel does this, or anything of the kind when that is not known: how many places, and
 * the first of them. UINT32_MAX: cannot be told. */
static uint32_t find_places(const struct context *c, const struct function *f,
			    enum winsys_access access, uint64_t pc[static PLACES])
{
	uint32_t offset, bytes, places = 0;
	enum winsys_access does;

	for (offset = 0; offset < f->kernel->code_bytes; offset += bytes) {
		bytes = c->gpu->disassemble(c->chip, f->kernel, offset, NULL, 0, &does);
		if (!bytes)
			return UINT32_MAX;
		if (!does || (access && does != access))
			continue;
		if (places < PLACES)
			pc[places] = offset;
		places++;
	}
	return places;
}

/* The instruction by inference; where there are a few, their places go into the cause. */
static bool infer_place(const struct context *c, const struct function *f,
			enum winsys_access access, sov_fault *out)
{
	uint64_t pc[PLACES];
	uint32_t i, places = find_places(c, f, access, pc);

	if (places == 1)
		out->pc = pc[0];
	for (i = 0; places > 1 && places <= PLACES && i < places; i++)
		say(out->cause, sizeof(out->cause), "%s+0x%llx", i ? ", " : "; by one of ",
		    (unsigned long long)pc[i]);
	return places == 1;
}

/* ---- which kernel, when nobody says ---- */

#define SUSPECTS 4
#define LONG_AGO 4 /* pieces of work */

struct suspects {
	const struct function *list[SUSPECTS];
	uint32_t count; /* may be more than are listed */
};

static void suspect(struct suspects *s, const struct function *f)
{
	uint32_t i;

	for (i = 0; i < s->count && i < SUSPECTS; i++)
		if (s->list[i] == f)
			return;
	if (f && s->count < SUSPECTS)
		s->list[s->count] = f;
	s->count += !!f;
}

/* Of several, those that do such a thing at all, if there are any. */
static void narrow(const struct context *c, const struct winsys_error *e, struct suspects *s)
{
	struct suspects left = {.count = 0};
	uint64_t pc[PLACES];
	uint32_t i;

	for (i = 0; e->memory && s->count > 1 && s->count <= SUSPECTS && i < s->count; i++)
		if (find_places(c, s->list[i], e->access, pc))
			suspect(&left, s->list[i]);
	if (left.count)
		*s = left;
}

/* Of a kernel that has ended the module may be gone. */
static const struct function *still_there(const struct context *c, const struct function *f)
{
	const struct link *l;

	for (l = c->modules.next; f && l != &c->modules; l = l->next) {
		const struct module *m =
			(const struct module *)((const char *)l -
						offsetof(struct module, member.link));

		if ((uintptr_t)f - (uintptr_t)m->functions <
		    m->image.nkernels * sizeof(*m->functions))
			return f;
	}
	return NULL;
}

/* The kernel that was the last to end before this piece, if that was not long ago. */
static const struct function *last_before(const struct context *c, struct stream *s,
					  uint64_t number)
{
	const struct function *f = NULL;
	uint32_t i;

	for (i = 1; i <= LONG_AGO && i < number && !f; i++)
		f = stream_kernel(s, number - i);
	return still_there(c, f);
}

/*
 * What the queue, or without one any queue, was working on. Beside other streams a kernel ends by
 * itself, and nobody waits for what its stores do: it may have ended before the MMU refuses one
 * (seen on an H200), so the last that ended is suspected too.
 */
static void find_suspects(const struct context *c, const struct winsys_error *e,
			  struct suspects *out)
{
	bool late = e->memory && e->access != WINSYS_READ && c->stream_count > 1;
	struct link *l;

	out->count = 0;
	for (l = c->streams.next; l != &c->streams; l = l->next) {
		struct stream *s =
			(struct stream *)((char *)l - offsetof(struct stream, member.link));
		uint64_t head = stream_poll(s) + 1;

		if (e->queue && s->queues[ENGINE_COMPUTE].way != e->queue)
			continue;
		if (head <= stream_last(s))
			suspect(out, stream_kernel(s, head));
		if (late)
			suspect(out, last_before(c, s, head));
	}
	narrow(c, e, out);
}

static void name_suspects(const struct suspects *s, char *text, size_t bytes)
{
	uint32_t i;

	for (i = 0; i < s->count && i < SUSPECTS; i++)
		say(text, bytes, "%s'%s'", i ? " or " : "; it was kernel ",
		    s->list[i]->kernel->name);
	if (s->count > SUSPECTS)
		say(text, bytes, " or another");
}

void fault_from_winsys(const struct context *c, const struct winsys_error *e, sov_fault *f)
{
	uint64_t base = 0, other;
	const struct function *at = e->pc ? function_at(c, e->pc, &base) : NULL;
	const struct function *kernel = at && !at->module->library ? at : NULL;
	struct suspects s = {.count = 0};
	int n;

	if (!kernel && e->program)
		kernel = function_at(c, e->program, &other);
	if (!kernel)
		find_suspects(c, e, &s);
	if (s.count == 1)
		kernel = s.list[0];
	fault_init(f, e->timed_out ? SOV_ERROR_HANG : SOV_ERROR_FAULT, kernel);
	n = snprintf(f->cause, sizeof(f->cause), "%s", e->text);
	if (e->memory) {
		f->address = e->address;
		memory_place(c, e->address, f->cause + n, sizeof(f->cause) - (size_t)n);
	}
	if (s.count > 1)
		name_suspects(&s, f->cause, sizeof(f->cause));
	f->has_thread = e->has_thread;
	memcpy(f->block, e->block, sizeof(f->block));
	memcpy(f->thread, e->thread, sizeof(f->thread));
	if (at)
		f->pc = e->pc - base;
	else if (kernel && e->memory && infer_place(c, kernel, e->access, f))
		at = kernel;
	if (at) {
		disassemble(c, at, f->pc, f);
		find_source(at, f->pc, f);
	}
}

void fault_sentence(const struct context *c, const sov_fault *f, char *buffer, size_t bytes)
{
	*buffer = 0;
	if (*f->kernel)
		say(buffer, bytes, "kernel '%s' on ", f->kernel);
	say(buffer, bytes, "%s: %s", c->device->properties.name, f->cause);
	if (f->has_thread)
		say(buffer, bytes, "; block (%u, %u, %u), thread (%u, %u, %u)", f->block[0],
		    f->block[1], f->block[2], f->thread[0], f->thread[1], f->thread[2]);
	if (f->pc != UINT64_MAX)
		say(buffer, bytes, "%s at +0x%llx%s%s", f->has_thread ? "," : ";",
		    (unsigned long long)f->pc, *f->instruction ? ": " : "", f->instruction);
	if (*f->source)
		say(buffer, bytes, ", %s", f->source);
}
