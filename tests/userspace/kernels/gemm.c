// SPDX-License-Identifier: MIT
/*
 * The matrix products of libsov/kernels/gemm on the software GPU, in normal and in hazard mode:
 * random factors, poisoned results, shapes at and beside the sizes of tiles and stages, rows with
 * padding, more tiles than blocks; and the shapes that a plan refuses.
 */
#include "tests/kernels/matrices.h"
#include "tests/userspace/runtime/_api.h"

struct shape {
	enum gemm_type type;
	uint32_t m, n, k, padding; /* of each row, in units of 16 bytes */
	uint32_t multiprocessors;
};

/* Tiles are 128 by 256 in clusters of two, and 128 by 128 in f64; a stage has 64, 32 or 16 of k. */
static const struct shape shapes[] = {
	{GEMM_F16, 1, 8, 1, 0, 2},        {GEMM_F16, 129, 264, 65, 1, 2},
	{GEMM_F16, 100, 40, 328, 2, 132}, {GEMM_TF32, 130, 258, 33, 1, 2},
	{GEMM_TF32, 31, 70, 164, 0, 2},   {GEMM_F64, 1, 2, 1, 0, 1},
	{GEMM_F64, 128, 128, 16, 0, 1},   {GEMM_F64, 129, 130, 17, 1, 2},
	{GEMM_F64, 65, 34, 131, 3, 1},    {GEMM_F64, 140, 260, 20, 0, 2},
};

static uint64_t state = 20261118;

static struct matrix matrix_of(const struct shape *s, uint32_t rows, uint32_t columns, bool filled)
{
	uint32_t unit = 16 / matrix_element_bytes[s->type];
	struct matrix x = matrix_new(s->type, rows, columns,
				     (columns + unit - 1) / unit * unit + s->padding * unit);

	if (filled)
		matrix_fill(&x, &state);
	return x;
}

static sov_ptr copy_in(sov_context c, const struct matrix *x)
{
	sov_ptr at;

	MUST(sov_memory_alloc(c, x->bytes, &at));
	MUST(sov_memory_copy(c, at, SOV_HOST(x->data), x->bytes));
	return at;
}

static bool product_right(sov_context context, sov_function f, const struct shape *s, char *why)
{
	struct matrix x[3] = {matrix_of(s, s->m, s->k, true), matrix_of(s, s->n, s->k, true),
			      matrix_of(s, s->m, s->n, false)};
	struct gemm g = {.type = s->type, .m = s->m, .n = s->n, .k = s->k};
	sov_ptr *const at[] = {&g.a, &g.b, &g.c};
	struct gemm_launch plan;
	sov_launch l = SOV_INIT(sov_launch);
	bool right;

	for (int i = 0; i < 3; i++)
		*at[i] = copy_in(context, &x[i]);
	g.pitch_a = x[0].pitch, g.pitch_b = x[1].pitch, g.pitch_c = x[2].pitch;
	right = gemm_plan(&g, s->multiprocessors, &plan, why);
	if (right) {
		l.grid[0] = plan.grid, l.grid[1] = l.grid[2] = 1;
		l.block[0] = plan.block, l.block[1] = l.block[2] = 1;
		l.cluster[0] = plan.cluster, l.cluster[1] = l.cluster[2] = 1;
		l.shared_bytes = plan.shared_bytes;
		l.arguments = plan.arguments;
		l.argument_count = 7;
		if (sov_function_launch(f, &l) || sov_context_wait(context, SOV_FOREVER)) {
			snprintf(why, MATRIX_WHY, "%.250s", sov_last_error());
			right = false;
		}
	}
	if (right)
		MUST(sov_memory_copy(context, SOV_HOST(x[2].data), g.c, x[2].bytes));
	for (uint32_t row = 0; right && row < s->m; row++)
		for (uint32_t column = 0; right && column < s->n; column++)
			right = matrix_element_right(&x[0], &x[1], &x[2], row, column, why);
	right = right && matrix_padding_right(&x[2], why);
	for (int i = 0; i < 3; i++) {
		sov_memory_free(context, *at[i]);
		free(x[i].data);
	}
	return right;
}

static sov_function kernel_of(sov_context c, enum gemm_type type)
{
	char path[64];
	size_t bytes;
	char *ptx;
	sov_function f;

	snprintf(path, sizeof(path), "libsov/kernels/gemm/%s.ptx", gemm_files[type]);
	ptx = read_file(path, &bytes);
	MUST(sov_module_get_function(module_from(c, ptx, bytes, 0), gemm_kernels[type], &f));
	free(ptx);
	return f;
}

static void run_products(const char *device_name, const char *mode)
{
	char why[MATRIX_WHY] = "";
	sov_function f[GEMM_TYPES];
	sov_device device;
	sov_context c;

	MUST(sov_device_open_name(device_name, &device));
	MUST(sov_context_create(device, NULL, &c));
	for (int type = 0; type < GEMM_TYPES; type++)
		f[type] = kernel_of(c, (enum gemm_type)type);
	for (unsigned i = 0; i < COUNT(shapes); i++) {
		const struct shape *s = &shapes[i];

		if (!ok(product_right(c, f[s->type], s, why),
			"%s is right for m %u, n %u, k %u on %u multiprocessors%s",
			gemm_kernels[s->type], s->m, s->n, s->k, s->multiprocessors, mode))
			diag("%s", why);
	}
	MUST(sov_context_destroy(c));
}

/* ---- shapes that are refused ---- */

static void refuse(struct gemm g, uint32_t multiprocessors, const char *message)
{
	struct gemm_launch plan;
	char why[GEMM_WHY] = "";

	ok(!gemm_plan(&g, multiprocessors, &plan, why) && strstr(why, message), "refused: %s",
	   message);
	if (!strstr(why, message))
		diag("%s", why);
}

#define REFUSE(change, message) \
	do { \
		struct gemm g = {GEMM_F16, 64, 64, 64, 0x1000, 0x2000, 0x3000, 64, 64, 64}; \
		change; \
		refuse(g, 132, message); \
	} while (0)

static void run_refusals(void)
{
	REFUSE(g.m = 0, "m is 0; it must be a multiple of 1 from 1 to 2^31");
	REFUSE(g.n = 12, "n is 12; it must be a multiple of 8 from 8 to 2^31");
	REFUSE((g.type = GEMM_TF32, g.n = 13),
	       "n is 13; it must be a multiple of 2 from 2 to 2^31");
	REFUSE(g.k = 0, "k is 0; it must be a multiple of 1 from 1 to 2^31");
	REFUSE(g.k = 65, "pitch_a is 64; it must be at least 65, below 2^32, and a multiple of 8");
	REFUSE(g.pitch_b = 68,
	       "pitch_b is 68; it must be at least 64, below 2^32, and a multiple of 8");
	REFUSE(g.pitch_c = 56,
	       "pitch_c is 56; it must be at least 64, below 2^32, and a multiple of 8");
	REFUSE(g.a = 0x1008, "a is at 0x1008; it must be at a multiple of 16 that is not 0");
	REFUSE(g.c = 0, "c is at 0x0; it must be at a multiple of 16 that is not 0");
	REFUSE(g.type = (enum gemm_type)3, "type is 3; it must be below 3");
	refuse((struct gemm){GEMM_F16, 64, 64, 64, 0x1000, 0x2000, 0x3000, 64, 64, 64}, 1,
	       "the device has 1 multiprocessors; the kernel needs 2");
}

int main(void)
{
	soft_gpus("gh100:vram=64M,gh100:vram=64M:hazard");
	run_products(soft_name("gh100.0"), "");
	run_products(soft_name("gh100.1"), ", hazard mode");
	run_refusals();
	return tap_done();
}
