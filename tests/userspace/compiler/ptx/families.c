// SPDX-License-Identifier: MIT
/*
 * Every row of _family_rows.h on the IR interpreter, directly after the front end and after all
 * passes, against the C reference.
 */
#include "libsov/compiler/interp/interp.h"
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/ptx/ptx.h"
#include "tests/userspace/compiler/ptx/_families.c"

#define SPACING UINT64_C(0x100000) /* between the addresses of two buffers */

static bool map_global_memory(void *user, uint64_t address, uint32_t bytes, bool write, void **host)
{
	struct family_case *c = user;
	uint64_t i = address / SPACING - 1, offset = address % SPACING;

	*host = i < c->operands ? c->memory[i] + offset : NULL;
	return i < c->operands && write == !i && offset + bytes <= sizeof(c->memory[i]);
}

static bool interpret(struct family_case *c, const struct ir_module *m, const char *form)
{
	uint64_t params[FAMILY_OPERANDS];
	char message[600] = "";
	struct interp_launch l = {
		.kernel = m->funcs,
		.grid = {1, 1, 1},
		.block = {FAMILY_ELEMENTS, 1, 1},
		.params = params,
		.param_bytes = m->funcs->param_bytes,
		.warp_lanes = 32,
		.step_limit = 1000000,
		.memory = map_global_memory,
		.user = c,
	};

	for (uint32_t o = 0; o < c->operands; o++)
		params[o] = (o + 1) * SPACING;
	if (interp_run(&l, message, sizeof(message)) && family_check(c))
		return true;
	diag("%s %s", form, message);
	return false;
}

static void check_family(const struct family *f)
{
	struct compile_job job = {.target = target_find("sm_90"), .options.verify = true};
	struct family_case *c = malloc(sizeof(*c));
	struct ir_module *m;
	bool good;

	family_make(f, c);
	arena_init(&job.arena, 0, NULL);
	diag_init(&job.diag, &job.arena, "test");
	good = ptx_parse(&job, c->text, strlen(c->text), &m) && ir_verify(m, &job.diag) &&
	       interpret(c, m, "after the front end:") && passes_run(&job, m) &&
	       interpret(c, m, "after all passes:");
	ok(good, "'%s' gives the reference results in the IR interpreter", f->text);
	if (job.diag.errors)
		diag("%s", job.diag.text);
	arena_free(&job.arena);
	free(c);
}

int main(void)
{
	for (uint32_t k = 0; k < family_count; k++)
		check_family(&families[k]);
	return tap_done();
}
