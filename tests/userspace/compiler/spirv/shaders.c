// SPDX-License-Identifier: MIT
/*
 * Every shader on the IR interpreter: after the front end, in SSA form, and after all passes. The
 * expected results stand in the shader.
 */
#include "tests/userspace/compiler/spirv/_shaders.h"
#include "libsov/compiler/interp/interp.h"
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/spirv/image.h"
#include "libsov/compiler/spirv/spirv.h"

#define BUFFER_SPACING UINT64_C(0x100000) /* between the addresses of two buffers */
#define DESCRIPTION    UINT64_C(0x80000)  /* of a texture, behind its texels */

static bool map_global_memory(void *user, uint64_t address, uint32_t bytes, bool write, void **host)
{
	struct instruction_test *t = user;
	uint64_t i = address / BUFFER_SPACING - 1, offset = address % BUFFER_SPACING;

	if (i >= t->count)
		return false;
	if (t->parameters[i].texture && offset >= DESCRIPTION) {
		*host = (uint8_t *)&t->parameters[i].description + (offset - DESCRIPTION);
		return !write && offset + bytes <= DESCRIPTION + sizeof(struct texture);
	}
	*host = t->parameters[i].memory + offset;
	return t->parameters[i].buffer &&
	       offset + bytes <= (uint64_t)t->parameters[i].count * t->parameters[i].bytes;
}

/* The descriptor of a storage image, or of a combined one, whose first half is a handle. */
static uint32_t describe(struct test_parameter *p, uint64_t address, uint64_t *words)
{
	const struct texture *d = &p->description;

	test_describe(p, address);
	words[0] = words[1] = address + DESCRIPTION;
	words[0] |= (uint64_t)p->samples << SPIRV_SAMPLES_SHIFT;
	if (!p->storage)
		return 16;
	words[1] = address;
	words[2] = d->slice_bytes;
	words[3] = d->row_bytes;
	words[4] = d->width | (uint64_t)d->height << 32;
	words[5] = d->depth;
	return 48;
}

/* Buffers are arguments of address and size, push constants values. */
static bool fill_parameters(struct instruction_test *t, const struct ir_func *f, uint8_t *bytes)
{
	if (f->nparams != t->count)
		return false;
	for (uint32_t i = 0; i < t->count; i++) {
		struct test_parameter *p = &t->parameters[i];
		uint64_t buffer[6] = {(i + 1) * BUFFER_SPACING, (uint64_t)p->count * p->bytes};
		uint32_t size = !p->buffer ? p->count * p->bytes : is_opencl(t->name) ? 8 : 16;

		if (p->texture)
			size = describe(p, buffer[0], buffer);
		if (f->params[i].size != size && (size != 16 || f->params[i].size != 8))
			return false;
		memcpy(bytes + f->params[i].offset, p->buffer ? (void *)buffer : p->memory,
		       f->params[i].size);
	}
	return true;
}

static const struct ir_func *find_kernel(const struct ir_module *m)
{
	const struct ir_func *f = m->funcs;

	while (f->kind != IR_KERNEL)
		f = f->next;
	return f;
}

static void interpret(struct instruction_test *t, const struct ir_module *m, const char *form)
{
	const struct ir_func *kernel = find_kernel(m);
	uint8_t params[4096] = {0};
	char message[600] = "";
	struct interp_launch l = {
		.kernel = kernel,
		.grid = {t->grid, 1, 1},
		.params = params,
		.param_bytes = kernel->param_bytes,
		.warp_lanes = 32,
		.step_limit = 4000000,
		.memory = map_global_memory,
		.user = t,
	};
	bool ran, right;

	memcpy(l.block, kernel->required_threads, sizeof(l.block));
	if (!l.block[0])
		l.block[0] = t->block, l.block[1] = l.block[2] = 1;
	l.dynamic_shared = t->shared;
	test_reset(t);
	if (!fill_parameters(t, kernel, params)) {
		ok(false, "the comments of %s describe its resources", t->name);
		return;
	}
	ran = interp_run(&l, message, sizeof(message));
	right = ran && test_compare(t);
	ok(t->undefined ? !ran : right, "%s, %s: %s", t->name, form, t->title);
	if (!ran && !t->undefined)
		diag("%s", message);
}

static const char *only; /* part of the names of the shaders to run; NULL: all */

static void run_shader(const char *name, const char *text, size_t length)
{
	struct compile_job job = {.target = target_find("sm_90"), .options.verify = true};
	struct instruction_test *t = shader_test(name, text);
	char *binary = shader_binary(name, &length);
	struct ir_module *m;

	arena_init(&job.arena, 0, NULL);
	diag_init(&job.diag, &job.arena, "test");
	if (spirv_parse(&job, binary, length, &m) && ir_verify(m, &job.diag)) {
		interpret(t, m, "after the front end");
		for (struct ir_func *f = m->funcs; f; f = f->next)
			pass_ssa_construction(f, job.target);
		if (ir_verify(m, &job.diag))
			interpret(t, m, "in SSA form");
		if (passes_run(&job, m))
			interpret(t, m, "after all passes");
	}
	if (job.diag.errors) {
		ok(false, "%s compiles", name);
		diag("%s", job.diag.text);
	}
	arena_free(&job.arena);
	free(binary);
	free(t);
}

static void refuse_shader(const char *name, const char *text)
{
	struct compile_job job = {.target = target_find("sm_90")};
	struct ir_module *m;
	size_t length;
	char *binary = shader_binary(name, &length);

	arena_init(&job.arena, 0, NULL);
	diag_init(&job.diag, &job.arena, "test");
	if (!ok(!spirv_parse(&job, binary, length, &m) && strstr(job.diag.text, text),
		"%s is rejected with '%s'", name, text))
		diag("%s", job.diag.errors ? job.diag.text : "it was accepted");
	arena_free(&job.arena);
	free(binary);
}

static void check_shader(const char *name, const char *text, size_t length)
{
	char *refusal = shader_refusal(text);

	if (!only || strstr(name, only)) {
		if (refusal)
			refuse_shader(name, refusal);
		else if (!strstr(text, "// machine code only"))
			run_shader(name, text, length);
	}
	free(refusal);
}

int main(int argc, char **argv)
{
	int n;

	only = argc > 1 ? argv[1] : NULL;
	n = shaders_each(check_shader);
	ok(n >= 1, "the folder has shaders");
	return tap_done();
}
