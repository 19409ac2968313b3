// SPDX-License-Identifier: MIT
/*
 * saxpy and reduce of tests/kernels on the IR interpreter, after the front end and after each pass
 * of the pipeline. Only the buffers' elements are mapped, so any out-of-bounds access is an error.
 * If this passes and the software GPU fails, the error is in a back end.
 */
#include "libsov/compiler/interp/interp.h"
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/ptx/ptx.h"
#include "tests/silicon/reference.h"
#include "tests/tap.h"

static uint64_t rng = 20260102;

struct buffers {
	const struct guarded *list[2];
};

static bool map_global_memory(void *user, uint64_t address, uint32_t bytes, bool write, void **host)
{
	const struct buffers *b = user;

	(void)write;
	for (int i = 0; i < 2; i++) {
		uint64_t start = guarded_address(b->list[i]),
			 size = b->list[i]->n * b->list[i]->bytes;

		if (address >= start && bytes <= size && address - start <= size - bytes) {
			*host = (char *)guarded_elements(b->list[i]) + (address - start);
			return true;
		}
	}
	return false;
}

/* Launches on the buffers x and out, with parameters laid out as the kernel declares them. */
static bool interpret(const struct ir_func *f, const struct kernel *k, uint32_t n, double a,
		      struct shape s, const struct guarded *x, const struct guarded *out, char *why)
{
	uint8_t params[64] = {0};
	struct buffers b = {{x, out}};
	float narrow = (float)a;
	uint64_t at_x = guarded_address(x), at_out = guarded_address(out);
	const void *saxpy[] = {&n, k->bytes == 4 ? (void *)&narrow : (void *)&a, &at_x, &at_out};
	const void *reduce[] = {&n, &at_x, &at_out};
	struct interp_launch l = {
		.kernel = f,
		.grid = {s.grid, 1, 1},
		.block = {s.block, 1, 1},
		.params = params,
		.param_bytes = f->param_bytes,
		.warp_lanes = 32,
		.step_limit = 100000000,
		.memory = map_global_memory,
		.user = &b,
	};

	for (uint32_t i = 0; i < f->nparams; i++)
		memcpy(params + f->params[i].offset, (k->algorithm == SAXPY ? saxpy : reduce)[i],
		       f->params[i].size);
	return interp_run(&l, why, WHY);
}

static struct guarded buffer_new(const struct kernel *k, uint64_t n, enum inputs kind,
				 uint64_t base)
{
	struct guarded g = guarded_new(&rng, k->bytes, n, kind);

	g.base = base;
	return g;
}

static bool run_saxpy(const struct ir_func *f, const struct kernel *k, uint32_t n, unsigned block,
		      char *why)
{
	struct shape s = {(n + block - 1) / block, block};
	struct guarded x = buffer_new(k, n, ROUGH, 0x10000000),
		       y = buffer_new(k, n, ROUGH, 0x20000000);
	double a = draw(&rng, ROUGH);
	void *before = malloc((size_t)n * k->bytes);

	memcpy(before, guarded_elements(&y), (size_t)n * k->bytes);
	bool good = interpret(f, k, n, a, s, &x, &y, why) && saxpy_right(&x, before, &y, a, why);

	free(before);
	free(x.words);
	free(y.words);
	return good;
}

static bool run_reduce(const struct ir_func *f, const struct kernel *k, uint32_t n, struct shape s,
		       enum inputs kind, char *why)
{
	struct guarded x = buffer_new(k, n, kind, 0x10000000),
		       out = buffer_new(k, 1, kind, 0x20000000);
	double start = get(guarded_elements(&out), k->bytes, 0);
	bool good = interpret(f, k, n, 0, s, &x, &out, why) &&
		    reduce_right(&x, start, &out, s, kind, why);

	free(x.words);
	free(out.words);
	return good;
}

/* Runs all sizes and shapes up to the first failure, which `why` describes. */
static bool run_kernel(const struct ir_func *f, const struct kernel *k, char *why)
{
	static const uint32_t sizes[] = {1, 33, 300};
	static const unsigned blocks[] = {128, 7};
	static const struct shape shapes[] = {{1, 32}, {3, 96}};
	bool good = true;

	for (unsigned i = 0; good && i < 3; i++)
		for (unsigned j = 0; good && j < 2; j++)
			good = k->algorithm == SAXPY
				       ? run_saxpy(f, k, sizes[i], blocks[j], why)
				       : run_reduce(f, k, sizes[i], shapes[j], ROUGH, why) &&
						 run_reduce(f, k, sizes[i], shapes[j], EXACT, why);
	return good;
}

static void run_stage(const struct ir_module *m, const char *file, const char *target,
		      unsigned number, const char *stage)
{
	char why[WHY];

	for (const struct ir_func *f = m->funcs; f; f = f->next)
		for (unsigned i = 0; i < KERNELS; i++)
			if (!strcmp(kernels[i].name, f->name) && !strcmp(kernels[i].file, file) &&
			    !ok(run_kernel(f, &kernels[i], why),
				"%s for %s gives the reference results after stage %u, %s", f->name,
				target, number, stage))
				diag("%s", why);
}

static void run_file(const char *file, const char *target)
{
	static char text[1 << 20];
	struct compile_job job = {.target = target_find(target)};
	struct ir_module *m;
	jmp_buf no_memory;
	char path[64];

	snprintf(path, sizeof(path), "tests/kernels/%s.ptx", file);
	FILE *source = fopen(path, "rb");
	size_t size = source ? fread(text, 1, sizeof(text), source) : 0;

	if (source)
		fclose(source);
	arena_init(&job.arena, 0, &no_memory);
	if (setjmp(no_memory)) {
		ok(false, "%s compiles for %s without running out of memory", file, target);
		return;
	}
	diag_init(&job.diag, &job.arena, "ptx");
	if (ok(job.target && ptx_parse(&job, text, size, &m), "%s parses for %s", path, target)) {
		run_stage(m, file, target, 0, "front end");
		for (unsigned i = 0; passes[i].name; i++) {
			for (struct ir_func *f = m->funcs; f; f = f->next)
				passes[i].run(f, job.target);
			run_stage(m, file, target, i + 1, passes[i].name);
		}
	} else {
		diag("%s", job.diag.text);
	}
	arena_free(&job.arena);
}

int main(void)
{
	static const char *const targets[] = {"sm_90", "sm_80", "dummy"};

	for (unsigned i = 0; i < 3; i++) {
		run_file("saxpy", targets[i]);
		run_file("reduce", targets[i]);
	}
	return tap_done();
}
