// SPDX-License-Identifier: MIT
/*
 * Compares the software GPU with a real one, one instruction form at a time. A cubin of the kernels
 * of forms.py runs on both with the same inputs (corner values, all exponents, small integers,
 * noise), and every result is compared bit by bit. Kernels whose name begins with approx_ may
 * differ by a few ulps; their largest difference is reported.
 *
 *   forms forms.cubin               a real GPU and the software GPU
 *   forms --soft forms.cubin...     software GPUs alone, each file on the chip it was compiled for;
 *                                   code of different compilers or targets for one form must agree
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "libsov/compiler/image/image_nv.h"
#include "libsov/sov.h"
#include "tests/silicon/driver.h"

#define COUNT 32768u
#define BLOCK 256u
#define SHOWN 4 /* examples per kernel */

static uint64_t inputs[3][COUNT], soft[COUNT], real[COUNT];

/* ---- inputs ---- */

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t noise(void)
{
	static uint64_t state = 1;
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static const uint32_t corners32[] = {
	0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x80800000,
	0x00800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
	0xffc12345, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x3f000000, 0xbf000000,
	0x4b000000, 0x4b800000, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf000000,
	0x5f800000, 0x34000000, 0x33800000, 0x20,       0x1f,       0x40,       0x7fffffff,
	0xffffffff, 0x3c003c00, 0x7c007c01, 0xfc00fe00, 0x04000001, 0x80010400, 0x7bff7bff,
	0x7f807f81, 0x3f803f80, 0x00ff00ff, 0x43000000, 0x42fe0000, 0x46fffe00, 0x477fff00,
	0x3effffff, 0x40490fdb,
};
static const uint64_t corners64[] = {
	0,
	0x8000000000000000,
	1,
	0x8000000000000001,
	0x000fffffffffffff,
	0x0010000000000000,
	0x8010000000000000,
	0x7fefffffffffffff,
	0xffefffffffffffff,
	0x7ff0000000000000,
	0xfff0000000000000,
	0x7ff8000000000000,
	0x7ff0000000000001,
	0xfff8123456789abc,
	0x7ffc000000000000,
	0x3ff0000000000000,
	0xbff0000000000000,
	0x3fefffffffffffff,
	0x3fe0000000000000,
	0x43e0000000000000,
	0xc3e0000000000000,
	0x43f0000000000000,
	0x41dfffffffc00000,
	0x41e0000000000000,
	0xc1e0000000000000,
	0x41efffffffe00000,
	0x3810000000000000,
	0x380fffffffffffff,
	0x36a0000000000000,
	0x47efffffe0000000,
	0x47efffffefffffff,
	0x47f0000000000000,
	0x4330000000000000,
	0x3ca0000000000000,
	0xffffffffffffffff,
	0x7fffffffffffffff,
	0xffffffff00000000,
};

static uint64_t draw_input(void)
{
	uint64_t x = noise(), y = noise();

	switch (x % 10) {
	case 0:
		return corners64[y % (sizeof(corners64) / 8)];
	case 1:
	case 2:
		return x << 32 | corners32[y % (sizeof(corners32) / 4)];
	case 3: /* doubles, then floats, of medium magnitude; then both of small magnitude */
		return (y & 0x800fffffffffffff) | (uint64_t)(983 + x / 16 % 80) << 52;
	case 4:
		return x << 32 | (y & 0x807fffff) | (97 + x / 16 % 60) << 23;
	case 5:
		return x << 32 | (y & 0x807fffff) | (x / 16 % 30) << 23;
	case 6:
		return (y & 0x800fffffffffffff) | (uint64_t)(x / 16 % 110) << 52;
	case 7:
		return y % 200;
	case 8:
		return y >> x / 16 % 64;
	default:
		return y;
	}
}

static void make_inputs(void)
{
	for (uint32_t i = 0; i < COUNT; i++) {
		for (uint32_t k = 0; k < 3; k++)
			inputs[k][i] = draw_input();
		if (i % 7 == 0)
			inputs[1][i] = inputs[0][i];
		if (i % 11 == 0) /* -a, so that sums cancel */
			inputs[2][i] = inputs[0][i] ^ 0x8000000080000000;
	}
}

/* ---- the two GPUs ---- */

static void die(const char *doing, const char *error)
{
	fprintf(stderr, "forms: %s: %s\n", doing, error);
	exit(EXIT_BROKEN);
}

struct gpu {
	const char *device;
	const void *image;
	size_t size;
	sov_context context;
	sov_module module;
	uint64_t buffers[4];
};

static void soft_must(sov_result r, const char *doing)
{
	if (r)
		die(doing, sov_last_error());
}

static void soft_open(struct gpu *g)
{
	sov_device device;

	soft_must(sov_device_open_name(g->device, &device), "opening the software GPU");
	soft_must(sov_context_create(device, NULL, &g->context), "creating a context");
	soft_must(sov_module_load(g->context, g->image, g->size, NULL, &g->module), "loading");
	for (uint32_t k = 0; k < 4; k++)
		soft_must(sov_memory_alloc(g->context, sizeof(soft), &g->buffers[k]), "allocating");
	for (uint32_t k = 0; k < 3; k++)
		soft_must(sov_memory_copy(g->context, g->buffers[k], SOV_HOST(inputs[k]),
					  sizeof(soft)),
			  "copying in");
}

/* Returns false if the kernel faulted; the context is then a new one. */
static bool soft_run(struct gpu *g, const char *name, uint64_t *out)
{
	const void *arguments[] = {&g->buffers[0], &g->buffers[1], &g->buffers[2], &g->buffers[3]};
	sov_launch l = SOV_INIT(sov_launch);
	sov_function f;
	sov_result r;

	l.grid[0] = COUNT / BLOCK, l.grid[1] = l.grid[2] = 1;
	l.block[0] = BLOCK, l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 4;
	soft_must(sov_module_get_function(g->module, name, &f), name);
	r = sov_function_launch(f, &l);
	if (!r)
		r = sov_context_wait(g->context, SOV_FOREVER);
	if (!r)
		r = sov_memory_copy(g->context, SOV_HOST(out), g->buffers[3], sizeof(soft));
	if (!r)
		return true;
	printf("%s: software GPU %s: %s\n", name, g->device, sov_last_error());
	sov_context_destroy(g->context);
	soft_open(g);
	return false;
}

static struct {
	cuda_handle module;
	cuda_ptr buffers[4];
} cuda;

static void cuda_start(const void *image)
{
	cuda_open();
	must(cuModuleLoadData(&cuda.module, image), "loading");
	for (uint32_t k = 0; k < 4; k++)
		must(cuMemAlloc_v2(&cuda.buffers[k], sizeof(real)), "allocating");
	for (uint32_t k = 0; k < 3; k++)
		must(cuMemcpyHtoD_v2(cuda.buffers[k], inputs[k], sizeof(real)), "copying in");
}

static void cuda_run(const char *name)
{
	void *arguments[] = {&cuda.buffers[0], &cuda.buffers[1], &cuda.buffers[2],
			     &cuda.buffers[3]};
	cuda_handle f;

	must(cuModuleGetFunction(&f, cuda.module, name), name);
	must(cuLaunchKernel(f, COUNT / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, arguments, NULL), name);
	must(cuMemcpyDtoH_v2(real, cuda.buffers[3], sizeof(real)), name);
}

/* Distance of two results in ulps; approximate f64 forms give the high word only. */
static uint64_t ulp_distance(const char *name, uint64_t a, uint64_t b)
{
	int64_t d = strstr(name, "f64") ? (int64_t)(a >> 32) - (int64_t)(b >> 32)
					: (int64_t)(int32_t)a - (int64_t)(int32_t)b;

	return d < 0 ? -(uint64_t)d : (uint64_t)d;
}

static bool halves_close(uint32_t a, uint32_t b)
{
	return abs((int16_t)a - (int16_t)b) <= 1 &&
	       abs((int16_t)(a >> 16) - (int16_t)(b >> 16)) <= 1;
}

static bool within_tolerance(const char *name, uint64_t a, uint64_t b)
{
	uint32_t x = (uint32_t)a, y = (uint32_t)b;
	float f, g;

	memcpy(&f, &x, 4);
	memcpy(&g, &y, 4);
	if (strstr(name, "16")) /* pairs of halves: 1 ulp each */
		return halves_close(x, y);
	/* Measured: an H200 is at most 120 ulp off where our result is correctly rounded. */
	if (strstr(name, "tanh"))
		return ulp_distance(name, a, b) <= 128;
	return ulp_distance(name, a, b) <= 2 || (!strstr(name, "f64") && fabsf(f - g) <= 0x1p-20f);
}

/* Returns whether all results are equal or, for approx_ forms, within tolerance. */
static bool compare_results(const char *name)
{
	bool approx = !strncmp(name, "approx_", 7);
	uint64_t worst = 0, far = 0, differ = 0;

	for (uint32_t i = 0; i < COUNT; i++) {
		uint64_t d = ulp_distance(name, soft[i], real[i]);

		if (soft[i] == real[i])
			continue;
		differ++;
		worst = d > worst ? d : worst;
		if (!(approx && within_tolerance(name, soft[i], real[i])) && far++ < SHOWN)
			printf("  %s: a %016" PRIx64 " b %016" PRIx64 " c %016" PRIx64
			       ": software GPU %016" PRIx64 ", other %016" PRIx64 "\n",
			       name, inputs[0][i], inputs[1][i], inputs[2][i], soft[i], real[i]);
	}
	if (approx)
		printf("%s: %" PRIu64 " of %u differ, by at most %" PRIu64 " ulp; %" PRIu64
		       " beyond tolerance\n",
		       name, differ, COUNT, worst, far);
	else if (differ)
		printf("%s: %" PRIu64 " of %u differ\n", name, differ, COUNT);
	return !far;
}

#define FILES 16u

static struct file {
	struct image image;
	struct gpu gpu;
} files[FILES];

static void load_cubin(const char *path, struct file *out)
{
	static const struct {
		uint32_t sm;
		const char *device;
	} chips[] = {{70, "gv100.0"}, {75, "tu102.0"}, {80, "ga100.0"},
		     {86, "ga102.0"}, {89, "ad102.0"}, {90, "gh100.0"}};
	uint8_t *bytes = malloc(1 << 24);
	FILE *f = fopen(path, "rb");
	char message[256];

	out->gpu.image = bytes;
	out->gpu.size = f && bytes ? fread(bytes, 1, 1 << 24, f) : 0;
	if (f)
		fclose(f);
	if (!image_read(&out->image, bytes, out->gpu.size, message, sizeof(message)))
		die(path, message);
	for (uint32_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++)
		if (chips[i].sm == image_nv_sm(&out->image))
			out->gpu.device = chips[i].device;
	if (!out->gpu.device)
		die(path, "no software GPU has this target");
	soft_open(&out->gpu);
}

static bool has_kernel(const struct image *im, const char *name)
{
	for (uint32_t k = 0; k < im->nkernels; k++)
		if (!strcmp(im->kernels[k].name, name))
			return true;
	return false;
}

/* Runs the form on the other software GPUs; returns false if one faults or differs. */
static bool judge_soft(const char *name, uint32_t count)
{
	bool good = true;

	for (uint32_t i = 1; i < count; i++)
		if (has_kernel(&files[i].image, name))
			good &= soft_run(&files[i].gpu, name, real) && compare_results(name);
	return good;
}

static bool judge_real(const char *name)
{
	cuda_run(name);
	return compare_results(name);
}

int main(int argc, char **argv)
{
	bool only_soft = argc > 2 && !strcmp(argv[1], "--soft");
	uint32_t first = only_soft ? 2 : 1, count = (uint32_t)argc - first, same = 0, refused = 0,
		 differ = 0;

	if (argc < 2 || count > (only_soft ? FILES : 1))
		die("usage", "forms forms.cubin | forms --soft forms.cubin...");
	setenv("SOV_NVRM", "0", 1); /* the real GPU is reached through CUDA */
	setenv("SOV_SOFT",
	       "gh100:vram=1G,ga100:vram=1G,ga102:vram=1G,ad102:vram=1G,tu102:vram=1G,gv100:vram="
	       "1G",
	       1);
	make_inputs();
	for (uint32_t i = 0; i < count; i++)
		load_cubin(argv[first + i], &files[i]);
	if (!only_soft)
		cuda_start(files[0].gpu.image);
	for (uint32_t k = 0; k < files[0].image.nkernels; k++) {
		const char *name = files[0].image.kernels[k].name;

		if (!soft_run(&files[0].gpu, name, soft))
			refused++;
		else if (only_soft ? judge_soft(name, count) : judge_real(name))
			same++;
		else
			differ++;
	}
	printf("forms: %u kernels, %u inputs each: %u agree, %u differ, %u do not run on the "
	       "software GPU\n",
	       files[0].image.nkernels, COUNT, same, differ, refused);
	return differ || refused;
}
