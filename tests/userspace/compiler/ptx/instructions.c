/* SPDX-License-Identifier: MIT */
/*
 * Every file in instructions/ on the IR interpreter, three times: as the front end leaves it, in
 * SSA form, and after all passes. The results were worked out by hand from the PTX manual.
 */
#include "tests/userspace/compiler/ptx/_instructions.h"
#include "libsov/compiler/interp/interp.h"
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/ptx/ptx.h"

#define BUFFER_SPACING UINT64_C(0x100000) /* between the addresses of two buffers */

static bool memory(void *user, uint64_t address, uint32_t bytes, bool write, void **host)
{
	struct instruction_test *t = user;
	uint64_t i = address / BUFFER_SPACING - 1, offset = address % BUFFER_SPACING;
	struct test_parameter *p;

	(void)write;
	if (i >= t->count)
		return false;
	p = &t->parameters[i];
	*host = p->memory + offset;
	return p->buffer && offset + bytes <= p->count * p->bytes;
}

/* Puts the parameters where the kernel expects them; false when it expects others. */
static bool fill_parameters(const struct instruction_test *t, const struct ir_func *f,
			    uint8_t *bytes)
{
	if (f->nparams != t->count)
		return false;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct test_parameter *p = &t->parameters[i];
		uint64_t address = (i + 1) * BUFFER_SPACING;

		if (f->params[i].size != (p->buffer ? 8 : p->count * p->bytes))
			return false;
		memcpy(bytes + f->params[i].offset, p->buffer ? (void *)&address : p->memory,
		       f->params[i].size);
	}
	return true;
}

/* Functions may stand before it. */
static const struct ir_func *kernel_of(const struct ir_module *m)
{
	const struct ir_func *f = m->funcs;

	while (f->kind != IR_KERNEL)
		f = f->next;
	return f;
}

static void run(struct instruction_test *t, const struct ir_module *m, const char *form)
{
	const struct ir_func *kernel = kernel_of(m);
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
		.memory = memory,
		.user = t,
	};
	bool ran, right;

	test_reset(t);
	if (!fill_parameters(t, kernel, params)) {
		ok(false, "%s: its comments describe its parameters", t->name);
		return;
	}
	ran = interp_run(&l, message, sizeof(message));
	right = ran && test_compare(t);
	ok(t->fails ? !ran : right, "%s, %s: %s", t->name, form, t->promise);
	if (!ran && !t->fails)
		diag("%s", message);
}

static void check(const char *name, const char *text, size_t length)
{
	struct compile_job job = {.target = target_find("sm_90"), .options.verify = true};
	struct instruction_test *t = test_read(name, text);
	struct ir_module *m;

	arena_init(&job.arena, 0, NULL);
	diag_init(&job.diag, &job.arena, "test");
	if (ptx_parse(&job, text, length, &m) && ir_verify(m, &job.diag)) {
		run(t, m, "as read");
		for (struct ir_func *f = m->funcs; f; f = f->next)
			pass_ssa_construction(f, job.target);
		if (ir_verify(m, &job.diag))
			run(t, m, "in SSA form");
		if (passes_run(&job, m))
			run(t, m, "after all passes");
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
	int n = files_each("tests/userspace/compiler/ptx/instructions", ".ptx", check);

	ok(n >= 60, "there are at least 60 one-instruction tests");
	return tap_done();
}
