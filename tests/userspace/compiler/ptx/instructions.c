// SPDX-License-Identifier: MIT
/*
 * Every file in instructions/ on the IR interpreter: after the front end, in SSA form, and after
 * all passes. The expected results were derived by hand from the PTX manual.
 */
#include "tests/userspace/compiler/ptx/_instructions.h"
#include "libsov/compiler/interp/interp.h"
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/ptx/ptx.h"

#define BUFFER_SPACING UINT64_C(0x100000)   /* between the addresses of two buffers */
#define DESCRIPTION    (BUFFER_SPACING / 2) /* of a texture, after its texels */

static bool map_global_memory(void *user, uint64_t address, uint32_t bytes, bool write, void **host)
{
	struct instruction_test *t = user;
	uint64_t i = address / BUFFER_SPACING - 1, offset = address % BUFFER_SPACING;
	struct test_parameter *p;

	if (i >= t->count)
		return false;
	p = &t->parameters[i];
	if (p->texture && offset >= DESCRIPTION) {
		*host = (uint8_t *)&p->description + (offset - DESCRIPTION);
		return !write && offset + bytes <= DESCRIPTION + sizeof(p->description);
	}
	*host = p->memory + offset;
	return p->buffer && offset + bytes <= p->count * p->bytes;
}

/* Lays out the parameters as the kernel declares them; false: the kernel declares others. */
static bool fill_parameters(struct instruction_test *t, const struct ir_func *f, uint8_t *bytes)
{
	if (f->nparams != t->count)
		return false;
	for (uint32_t i = 0; i < t->count; i++) {
		struct test_parameter *p = &t->parameters[i];
		uint64_t address = (i + 1) * BUFFER_SPACING;

		if (p->texture) {
			test_describe(p, address);
			address += DESCRIPTION;
		}
		if (f->params[i].size != (p->buffer ? 8 : p->count * p->bytes))
			return false;
		memcpy(bytes + f->params[i].offset, p->buffer ? (void *)&address : p->memory,
		       f->params[i].size);
	}
	return true;
}

/* The first kernel; functions may precede it. */
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
		.block = {t->block, 1, 1},
		.dynamic_shared = t->shared,
		.params = params,
		.param_bytes = kernel->param_bytes,
		.warp_lanes = 32,
		.step_limit = 1000000,
		.memory = map_global_memory,
		.user = t,
	};
	bool ran, right;

	test_reset(t);
	if (!fill_parameters(t, kernel, params)) {
		ok(false, "the comments of %s describe its parameters", t->name);
		return;
	}
	ran = interp_run(&l, message, sizeof(message));
	right = ran && test_compare(t);
	ok(t->fails || t->undefined ? !ran : right, "%s, %s: %s", t->name, form, t->title);
	if (!ran && !t->fails && !t->undefined)
		diag("%s", message);
}

static void check_instruction(const char *name, const char *text, size_t length)
{
	struct compile_job job = {.target = target_find("sm_90"), .options.verify = true};
	struct instruction_test *t = test_read(name, text);
	struct ir_module *m;

	arena_init(&job.arena, 0, NULL);
	diag_init(&job.diag, &job.arena, "test");
	if (ptx_parse(&job, text, length, &m) && ir_verify(m, &job.diag)) {
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
	free(t);
}

int main(void)
{
	int n = files_each("tests/userspace/compiler/ptx/instructions", ".ptx", check_instruction);

	ok(n >= 60, "the instructions folder has at least 60 PTX files");
	return tap_done();
}
