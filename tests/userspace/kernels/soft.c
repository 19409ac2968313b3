/* SPDX-License-Identifier: MIT */
/*
 * The two kernels of tests/kernels, from PTX through the compiler to an image, and that image on the
 * software GPU: Hopper and Ampere, with and without hazard checks, scheduled and serial code. Inputs
 * are random, buffers stand between guards of poison, and every element is checked.
 */
#include "libsov/compiler/compiler.h"
#include "libsov/sov.h"
#include "tests/silicon/reference.h"
#include "tests/tap.h"

static uint64_t rng = 20260101;
static char why[WHY]; /* of the last thing that went wrong */

static bool must(sov_result r, const char *doing)
{
	if (r)
		snprintf(why, WHY, "%s: %s: %s", doing, sov_result_name(r), sov_last_error());
	return !r;
}

static char *slurp(const char *file, size_t *size)
{
	char path[64];
	char *text = malloc(1 << 20);

	snprintf(path, sizeof(path), "tests/kernels/%s.ptx", file);
	FILE *f = fopen(path, "rb");

	*size = f && text ? fread(text, 1, 1 << 20, f) : 0;
	if (f)
		fclose(f);
	return text;
}

static sov_module load(sov_context context, const char *target, const char *file, bool serial)
{
	struct compile_options o = {.source = COMPILE_PTX, .target = target, .serial = serial};
	struct compile_result r = {0};
	sov_module module = NULL;
	size_t size;
	char *text = slurp(file, &size);

	if (compile(text, size, &o, &r))
		must(sov_module_load(context, r.image, r.image_size, NULL, &module), "loading the image");
	else
		snprintf(why, WHY, "%s", r.messages);
	compile_result_free(&r);
	free(text);
	return module;
}

static bool buffer_new(sov_context c, struct guarded *g, unsigned bytes, uint64_t n, enum inputs kind)
{
	*g = guarded_new(&rng, bytes, n, kind);
	return must(sov_memory_alloc(c, guarded_bytes(g), &g->base), "allocating") &&
	       must(sov_memory_copy(c, g->base, SOV_HOST(g->words), guarded_bytes(g)), "copying in");
}

static void buffer_free(sov_context c, struct guarded *g)
{
	if (g->base)
		must(sov_memory_free(c, g->base), "freeing");
	free(g->words);
}

static bool launch(sov_context c, sov_function f, struct shape s, const void **arguments, uint32_t count,
		   struct guarded *out)
{
	sov_launch l = SOV_INIT(sov_launch);

	l.grid[0] = s.grid, l.grid[1] = l.grid[2] = 1;
	l.block[0] = s.block, l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = count;
	return must(sov_function_launch(f, &l), "launching") &&
	       must(sov_context_wait(c, SOV_MAX_WAIT), "running") &&
	       must(sov_memory_copy(c, SOV_HOST(out->words), out->base, guarded_bytes(out)), "copying out");
}

static bool run_saxpy(sov_context c, sov_function f, unsigned bytes, uint32_t n, unsigned block)
{
	struct shape s = {(n + block - 1) / block, block};
	struct guarded x = {0}, y = {0};
	double a = draw(&rng, ROUGH);
	float narrow = (float)a;
	void *before = malloc((size_t)n * bytes);
	bool good = buffer_new(c, &x, bytes, n, ROUGH) && buffer_new(c, &y, bytes, n, ROUGH);

	if (good) {
		uint64_t at_x = guarded_address(&x), at_y = guarded_address(&y);
		const void *arguments[] = {&n, bytes == 4 ? (void *)&narrow : (void *)&a, &at_x, &at_y};

		memcpy(before, guarded_elements(&y), (size_t)n * bytes);
		good = launch(c, f, s, arguments, 4, &y) && saxpy_right(&x, before, &y, a, why);
	}
	free(before);
	buffer_free(c, &x);
	buffer_free(c, &y);
	return good;
}

static bool run_reduce(sov_context c, sov_function f, unsigned bytes, uint32_t n, struct shape s,
		       enum inputs kind)
{
	struct guarded x = {0}, out = {0};
	bool good = buffer_new(c, &x, bytes, n, kind) && buffer_new(c, &out, bytes, 1, kind);

	if (good) {
		uint64_t at_x = guarded_address(&x), at_out = guarded_address(&out);
		const void *arguments[] = {&n, &at_x, &at_out};
		double start = get(guarded_elements(&out), bytes, 0);

		good = launch(c, f, s, arguments, 3, &out) &&
		       reduce_right(&x, start, &out, s, kind, why);
	}
	buffer_free(c, &x);
	buffer_free(c, &out);
	return good;
}

/* All sizes and shapes of one kernel; stops at the first that is wrong. */
static bool run_kernel(sov_context c, sov_function f, const struct kernel *k)
{
	static const uint32_t sizes[] = {1, 31, 32, 33, 1000, 4097};
	static const unsigned blocks[] = {256, 1, 33, 1023};
	static const struct shape shapes[] = {{1, 32}, {2, 1024}, {7, 96}};
	bool good = true;

	for (unsigned i = 0; good && i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (unsigned j = 0; good && k->algorithm == SAXPY && j < 4; j++)
			good = run_saxpy(c, f, k->bytes, sizes[i], blocks[j]);
		for (unsigned j = 0; good && k->algorithm == REDUCE && j < 3; j++)
			good = run_reduce(c, f, k->bytes, sizes[i], shapes[j], ROUGH) &&
			       run_reduce(c, f, k->bytes, sizes[i], shapes[j], EXACT);
	}
	return good;
}

/* A result with its reason behind it. */
#define promise(good, ...)                       \
	do {                                     \
		if (!ok(good, __VA_ARGS__))      \
			diag("%s", why);         \
	} while (0)

static void run_device(uint32_t ordinal, bool hazard, bool serial)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	sov_device device;
	sov_context context;

	bool good = must(sov_device_open(ordinal, &device), "opening") &&
		    must(sov_device_get_properties(device, &p), "asking") &&
		    must(sov_context_create(device, NULL, &context), "creating a context");

	promise(good, "device %u opens", ordinal);
	if (!good)
		return;
	ok(!!(p.features & SOV_FEATURE_HAZARD_CHECK) == hazard, "%s %s hazards", p.name,
	   hazard ? "checks" : "does not check");
	for (unsigned i = 0; i < KERNELS; i++) {
		sov_module m = load(context, p.target, kernels[i].file, serial);
		sov_function f = NULL;

		good = m && must(sov_module_get_function(m, kernels[i].name, &f), "looking for it") &&
		       run_kernel(context, f, &kernels[i]);
		promise(good, "%s on %s%s%s", kernels[i].name, p.name, hazard ? ", hazards checked" : "",
			serial ? ", serial code" : "");
	}
	promise(must(sov_context_destroy(context), "destroying"), "its context goes");
}

int main(void)
{
	setenv("SOV_SOFT", "gh100:vram=64M,ga100:vram=64M,gh100:vram=64M:hazard,ga100:vram=64M:hazard", 1);
	unsetenv("SOV_VISIBLE_DEVICES");
	for (uint32_t ordinal = 0; ordinal < 4; ordinal++)
		for (int serial = 0; serial < 2; serial++)
			run_device(ordinal, ordinal >= 2, serial);
	return tap_done();
}
