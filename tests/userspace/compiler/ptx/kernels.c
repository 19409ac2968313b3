/* SPDX-License-Identifier: MIT */
/*
 * The two kernels of tests/kernels on the IR interpreter, as the front end reads them, in SSA form
 * and after all passes, against the reference that real GPUs are held to. When this is right and
 * the software GPU is wrong, the fault is behind the IR.
 */
#include "libsov/compiler/interp/interp.h"
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/ptx/ptx.h"
#include "tests/silicon/reference.h"
#include "tests/tap.h"
#include "tests/userspace/compiler/ptx/_files.h"

static uint64_t rng = 20260102;

struct buffers {
	struct guarded *list[2];
	int count;
};

static bool memory(void *user, uint64_t address, uint32_t bytes, bool write, void **host)
{
	struct buffers *b = user;

	(void)write;
	for (int i = 0; i < b->count; i++) {
		const struct guarded *g = b->list[i];

		if (address >= g->base && address + bytes <= g->base + guarded_bytes(g)) {
			*host = (char *)g->words + (address - g->base);
			return true;
		}
	}
	return false;
}

static bool launch(const struct ir_func *f, struct shape s, struct buffers *b,
		   const void *const *arguments, char why[WHY])
{
	uint8_t params[64] = {0};
	struct interp_launch l = {
		.kernel = f,
		.grid = {s.grid, 1, 1},
		.block = {s.block, 1, 1},
		.params = params,
		.param_bytes = f->param_bytes,
		.warp_lanes = 32,
		.step_limit = 100000000,
		.memory = memory,
		.user = b,
	};

	for (uint32_t i = 0; i < f->nparams; i++)
		memcpy(params + f->params[i].offset, arguments[i], f->params[i].size);
	return interp_run(&l, why, WHY);
}

static bool run_saxpy(const struct ir_func *f, unsigned bytes, uint32_t n, unsigned block,
		      char why[WHY])
{
	struct guarded x = guarded_new(&rng, bytes, n, ROUGH);
	struct guarded y = guarded_new(&rng, bytes, n, ROUGH);
	struct buffers b = {{&x, &y}, 2};
	struct shape s = {(n + block - 1) / block, block};
	double a = draw(&rng, ROUGH);
	float narrow = (float)a;
	void *before = malloc((size_t)n * bytes);
	uint64_t at_x, at_y;
	const void *arguments[] = {&n, bytes == 4 ? (void *)&narrow : (void *)&a, &at_x, &at_y};
	bool good;

	x.base = 0x100000000;
	y.base = 0x200000000;
	at_x = guarded_address(&x);
	at_y = guarded_address(&y);
	memcpy(before, guarded_elements(&y), (size_t)n * bytes);
	good = launch(f, s, &b, arguments, why) && saxpy_right(&x, before, &y, a, why);
	free(before);
	free(x.words);
	free(y.words);
	return good;
}

static bool run_reduce(const struct ir_func *f, unsigned bytes, uint32_t n, struct shape s,
		       enum inputs kind, char why[WHY])
{
	struct guarded x = guarded_new(&rng, bytes, n, kind);
	struct guarded out = guarded_new(&rng, bytes, 1, kind);
	struct buffers b = {{&x, &out}, 2};
	double start = get(guarded_elements(&out), bytes, 0);
	uint64_t at_x, at_out;
	const void *arguments[] = {&n, &at_x, &at_out};
	bool good;

	x.base = 0x100000000;
	out.base = 0x200000000;
	at_x = guarded_address(&x);
	at_out = guarded_address(&out);
	good = launch(f, s, &b, arguments, why) && reduce_right(&x, start, &out, s, kind, why);
	free(x.words);
	free(out.words);
	return good;
}

static void run_kernel(const struct ir_module *m, const struct kernel *k, const char *form)
{
	static const uint32_t sizes[] = {1, 33, 1000};
	static const unsigned blocks[] = {32, 1, 96};
	static const struct shape shapes[] = {{1, 32}, {2, 128}, {3, 96}};
	const struct ir_func *f = m->funcs;
	char why[WHY] = "";
	bool good = true;

	while (f && strcmp(f->name, k->name))
		f = f->next;
	for (int i = 0; f && good && i < 9; i++) {
		uint32_t n = sizes[i / 3];

		good = k->algorithm == SAXPY
			       ? run_saxpy(f, k->bytes, n, blocks[i % 3], why)
			       : run_reduce(f, k->bytes, n, shapes[i % 3], ROUGH, why) &&
					 run_reduce(f, k->bytes, n, shapes[i % 3], EXACT, why);
		if (!good)
			diag("n = %u, shape %d: %s", n, i % 3, why);
	}
	ok(f && good, "%s is right, %s", k->name, form);
}

static void check(const struct kernel *k)
{
	struct compile_job job = {.target = target_find("sm_90"), .options.verify = true};
	struct ir_module *m;
	char path[64], *text;
	size_t length;

	arena_init(&job.arena, 0, NULL);
	diag_init(&job.diag, &job.arena, "test");
	snprintf(path, sizeof(path), "tests/kernels/%s.ptx", k->file);
	text = file_read(path, &length);
	if (ok(ptx_parse(&job, text, length, &m) && ir_verify(m, &job.diag), "%s reads", path)) {
		run_kernel(m, k, "as read");
		for (struct ir_func *f = m->funcs; f; f = f->next)
			pass_ssa_construction(f, job.target);
		if (ir_verify(m, &job.diag))
			run_kernel(m, k, "in SSA form");
		if (passes_run(&job, m))
			run_kernel(m, k, "after all passes");
	}
	ok(!job.diag.errors, "%s: no pass breaks the IR%s", k->name, job.diag.text);
	free(text);
	arena_free(&job.arena);
}

int main(void)
{
	for (int i = 0; i < KERNELS; i++)
		check(&kernels[i]);
	return tap_done();
}
