/* SPDX-License-Identifier: MIT */
/*
 * What is said about a failure: which kernel, which instruction, which thread, which address. The
 * way to the GPU reports addresses; here they become names. A way that knows less (a real GPU tells
 * a process little) leaves the kernel to be taken for the one that was running, if there was one,
 * and the instruction for the only one there that does such a thing.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/isa/sass.h"
#include "libsov/runtime.h"

#define INSTRUCTION_BYTES 16

void fault_init(sov_fault *f, sov_result r, const struct function *kernel)
{
	memset(f, 0, sizeof(*f));
	f->size = sizeof(*f);
	f->result = r;
	f->pc = UINT64_MAX;
	if (kernel)
		snprintf(f->kernel, sizeof(f->kernel), "%s", kernel->kernel->name);
}

static const struct function *function_at(const struct context *c, uint64_t va)
{
	const struct link *l;
	uint32_t i;

	for (l = c->modules.next; l != &c->modules; l = l->next) {
		const struct module *m =
			(const struct module *)((const char *)l -
						offsetof(struct module, member.link));

		for (i = 0; i < m->image.nkernels; i++)
			if (va - m->functions[i].va < m->functions[i].kernel->code_bytes)
				return &m->functions[i];
	}
	return NULL;
}

/* What the queue was working on; without a queue the one kernel that was running at all. */
static const struct function *running(const struct context *c, const struct winsys_queue *queue)
{
	const struct function *f, *found = NULL;
	enum work kind;
	struct link *l;

	for (l = c->streams.next; l != &c->streams; l = l->next) {
		struct stream *s =
			(struct stream *)((char *)l - offsetof(struct stream, member.link));

		if (queue && s->queues[ENGINE_COMPUTE].way != queue)
			continue;
		if (!stream_head(s, &kind, &f) || !f)
			continue;
		if (found && found != f)
			return NULL;
		found = f;
	}
	return found;
}

static void disassemble(const struct context *c, const struct function *f, uint64_t pc,
			sov_fault *out)
{
	struct sass_word word;
	struct sass_inst inst;

	if (pc % INSTRUCTION_BYTES || f->kernel->code_bytes - pc < INSTRUCTION_BYTES)
		return;
	memcpy(&word, f->kernel->code + pc, sizeof(word));
	if (sass_decode(c->chip.sm, word, &inst))
		sass_print(c->chip.sm, &inst, pc, out->instruction, sizeof(out->instruction));
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

/* What an instruction does that the MMU may refuse. */
static enum winsys_access access_of(const struct sass_inst *in)
{
	switch (in->op) {
	case SASS_LDG: case SASS_LD:
		return WINSYS_READ;
	case SASS_STG: case SASS_ST:
		return WINSYS_WRITE;
	case SASS_ATOMG: case SASS_ATOMG_CAS: case SASS_ATOM: case SASS_ATOM_CAS: case SASS_RED:
		return WINSYS_ATOMIC;
	}
	return WINSYS_SOME_ACCESS;
}

#define PLACES 4 /* that are named; with more of them a list helps nobody */

/* Where the kernel does this: how many places, and the first of them. */
static uint32_t find_places(const struct context *c, const struct function *f,
			    enum winsys_access access, uint64_t pc[static PLACES])
{
	uint32_t offset, places = 0;
	struct sass_word word;
	struct sass_inst in;

	for (offset = 0; offset < f->kernel->code_bytes; offset += INSTRUCTION_BYTES) {
		memcpy(&word, f->kernel->code + offset, sizeof(word));
		if (!sass_decode(c->chip.sm, word, &in))
			return 0;
		if (access_of(&in) != access)
			continue;
		if (places < PLACES)
			pc[places] = offset;
		places++;
	}
	return places;
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

void fault_from_winsys(const struct context *c, const struct winsys_error *e, sov_fault *f)
{
	const struct function *at = e->pc ? function_at(c, e->pc) : NULL;
	const struct function *kernel = at;
	int n;

	if (!kernel && e->program)
		kernel = function_at(c, e->program);
	if (!kernel)
		kernel = running(c, e->queue);
	fault_init(f, e->overdue ? SOV_ERROR_HANG : SOV_ERROR_FAULT, kernel);
	n = snprintf(f->cause, sizeof(f->cause), "%s", e->text);
	if (e->memory) {
		f->address = e->address;
		memory_place(c, e->address, f->cause + n, sizeof(f->cause) - (size_t)n);
	}
	f->placed = e->place;
	memcpy(f->block, e->block, sizeof(f->block));
	memcpy(f->thread, e->thread, sizeof(f->thread));
	if (at)
		f->pc = e->pc - at->va;
	else if (kernel && e->access && infer_place(c, kernel, e->access, f))
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
	if (f->placed)
		say(buffer, bytes, "; block (%u, %u, %u), thread (%u, %u, %u)", f->block[0],
		    f->block[1], f->block[2], f->thread[0], f->thread[1], f->thread[2]);
	if (f->pc != UINT64_MAX)
		say(buffer, bytes, "%s at +0x%llx%s%s", f->placed ? "," : ";",
		    (unsigned long long)f->pc, *f->instruction ? ": " : "", f->instruction);
	if (*f->source)
		say(buffer, bytes, ", %s", f->source);
}
