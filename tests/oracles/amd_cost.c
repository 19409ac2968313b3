// SPDX-License-Identifier: MIT
/*
 * Compares the cost of our code for gfx1030 with LLVM's, kernel by kernel: the instructions that
 * all waves execute on the software Navi 21 for the same launch (tests/kernels/work.h), whose
 * results must be right; instructions in the code; and registers. No figure is a time: an
 * instruction counts as one whatever unit runs it.
 *   amd_cost FOLDER NAME...   FOLDER/NAME.ll is LLVM IR of the kernels, FOLDER/NAME.co LLVM's code
 *                             object; our compiler compiles tests/kernels/NAME.ptx
 */
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/image/image.h"
#include "libsov/isa/amd/amd_row.h"
#include "model/amd/amd.h"
#include "tests/kernels/launch.h"

extern char **environ;

#define REPEATS     5
#define MAX_KERNELS 64

struct cost {
	double instructions, vgprs, sgprs, executed;
};

/* Runs a kernel of an image; returns the number of instructions that its waves executed. */
static double run_kernel(const struct work_kind *kind, const void *image, size_t size,
			 const char *whose)
{
	sov_context c = 0;
	uint64_t before;
	struct work w;
	sov_device d;
	sov_module m;
	bool good;

	work_make(&w, kind, kind->small, 20261116);
	good = work_must(&w, sov_device_open_name("navi21.0", &d), "opening") &&
	       work_must(&w, sov_context_create(d, NULL, &c), "creating a context") &&
	       work_must(&w, sov_module_load(c, image, size, NULL, &m), "loading");
	before = amd_executed();
	good = good && work_launch(&w, c, m) && kind->right(&w);
	if (!good) {
		fprintf(stderr, "amd_cost: %s, %s code: %s\n", kind->function, whose, w.why);
		exit(1);
	}
	sov_context_destroy(c);
	work_free(&w);
	return (double)(amd_executed() - before);
}

/* Counts instructions without the padding after the end. */
static double instructions_of(const struct image_kernel *k)
{
	const uint32_t *text = (const uint32_t *)(const void *)k->code;
	uint32_t n = 0, last = 0, words = k->code_bytes / 4, bytes;
	struct amd_inst in;

	for (uint32_t p = 0; p < words; p += bytes / 4) {
		bytes = amd_decode(AMD_GFX1030, text + p, words - p, &in);
		if (!bytes) {
			fprintf(stderr, "amd_cost: %s: cannot decode at %#x\n", k->name, 4 * p);
			exit(1);
		}
		n++;
		if (in.row->op != AMD_s_code_end && in.row->op != AMD_s_nop)
			last = n;
	}
	return last;
}

/* The descriptor of gfx10 has no number of SGPRs: take the highest that an instruction names. */
static double sgprs_of(const struct image_kernel *k)
{
	uint32_t highest = 0, words = k->code_bytes / 4;
	const uint32_t *text = (const uint32_t *)(const void *)k->code;
	struct amd_inst in;

	for (uint32_t p = 0, bytes; p < words; p += bytes / 4) {
		struct amd_use uses[AMD_MAX_USES];
		uint32_t n;

		bytes = amd_decode(AMD_GFX1030, text + p, words - p, &in);
		n = amd_uses(&in, uses);
		for (uint32_t u = 0; u < n; u++)
			if (uses[u].reg < AMD_SGPRS && uses[u].reg + uses[u].count > highest)
				highest = uses[u].reg + uses[u].count;
	}
	return highest ? highest : 1;
}

static void *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *data = malloc(1 << 22);

	*size = f && data ? fread(data, 1, 1 << 22, f) : 0;
	if (!*size) {
		fprintf(stderr, "amd_cost: cannot read %s\n", path);
		exit(1);
	}
	fclose(f);
	return data;
}

static double seconds(const struct rusage *r)
{
	return (double)(r->ru_utime.tv_sec + r->ru_stime.tv_sec) +
	       1e-6 * (double)(r->ru_utime.tv_usec + r->ru_stime.tv_usec);
}

/* Minimum CPU seconds of several runs. */
static double time_llc(const char *in, const char *out)
{
	char *argv[] = {"llc-19",   "-O3", "-mcpu=gfx1030", "-filetype=obj",
			(char *)in, "-o",  (char *)out,     NULL};
	double best = HUGE_VAL;

	for (int k = 0; k < REPEATS; k++) {
		struct rusage r;
		int status;
		pid_t pid;

		if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) ||
		    wait4(pid, &status, 0, &r) < 0 || status) {
			fprintf(stderr, "amd_cost: llc-19 fails on %s\n", in);
			exit(1);
		}
		best = fmin(best, seconds(&r));
	}
	return best;
}

static double compile_ours(const char *name, struct compile_result *out)
{
	struct compile_options o = {.source = COMPILE_PTX, .target = "gfx1030", .threads = 1};
	double best = HUGE_VAL;
	char path[256];
	size_t size;
	char *text;

	snprintf(path, sizeof(path), "tests/kernels/%s.ptx", name);
	text = read_file(path, &size);
	for (int k = 0; k < REPEATS; k++) {
		struct rusage before, after;

		if (k)
			compile_result_free(out);
		getrusage(RUSAGE_SELF, &before);
		if (!compile(text, size, &o, out)) {
			fprintf(stderr, "amd_cost: %s: %s\n", path, out->messages);
			exit(1);
		}
		getrusage(RUSAGE_SELF, &after);
		best = fmin(best, seconds(&after) - seconds(&before));
	}
	free(text);
	return best;
}

static void read_image(struct image *im, const void *data, size_t size, const char *name)
{
	char message[256];

	if (!image_read(im, data, size, message, sizeof(message))) {
		fprintf(stderr, "amd_cost: %s: %s\n", name, message);
		exit(1);
	}
}

static struct cost total; /* logarithms of ratios */
static double ratios_executed[MAX_KERNELS];
static uint32_t kernels;

static const struct work_kind *kind_of(const char *function)
{
	for (uint32_t k = 0; k < WORK_KINDS; k++)
		if (!strcmp(work_kinds[k].function, function))
			return &work_kinds[k];
	return NULL;
}

static struct cost cost_of(const struct image_kernel *k, const struct work_kind *kind,
			   const void *image, size_t size, const char *whose)
{
	return (struct cost){instructions_of(k), k->registers, sgprs_of(k),
			     run_kernel(kind, image, size, whose)};
}

static void compare_images(const struct image *ours, const void *our_file, size_t our_size,
			   const struct image *theirs, const void *their_file, size_t their_size)
{
	for (uint32_t k = 0; k < ours->nkernels; k++)
		for (uint32_t j = 0; j < theirs->nkernels; j++) {
			const struct work_kind *kind = kind_of(ours->kernels[k].name);
			struct cost a, b;

			if (!kind || kernels == MAX_KERNELS ||
			    strcmp(ours->kernels[k].name, theirs->kernels[j].name))
				continue;
			a = cost_of(&ours->kernels[k], kind, our_file, our_size, "our");
			b = cost_of(&theirs->kernels[j], kind, their_file, their_size, "LLVM's");
			printf("%-12s %6.0f %6.0f %5.2f   %4.0f %4.0f %5.2f   %4.0f %4.0f   %9.0f "
			       "%9.0f %5.2f\n",
			       kind->function, a.instructions, b.instructions,
			       a.instructions / b.instructions, a.vgprs, b.vgprs, a.vgprs / b.vgprs,
			       a.sgprs, b.sgprs, a.executed, b.executed, a.executed / b.executed);
			total.instructions += log(a.instructions / b.instructions);
			total.vgprs += log(a.vgprs / b.vgprs);
			total.sgprs += log(a.sgprs / b.sgprs);
			total.executed += log(a.executed / b.executed);
			ratios_executed[kernels++] = a.executed / b.executed;
		}
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The distribution of the ratios of executed instructions. */
static void print_distribution(void)
{
	static const double bounds[] = {0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, HUGE_VAL};
	double below = 0;

	qsort(ratios_executed, kernels, sizeof(ratios_executed[0]), compare_doubles);
	for (uint32_t b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++) {
		uint32_t n = 0;

		for (uint32_t k = 0; k < kernels; k++)
			n += ratios_executed[k] >= below && ratios_executed[k] < bounds[b];
		printf("executed, ours over LLVM's, %.2f to %.2f: %u kernels\n", below, bounds[b],
		       n);
		below = bounds[b];
	}
	printf("executed, ours over LLVM's: minimum %.2f, quartiles %.2f %.2f %.2f, maximum %.2f\n",
	       ratios_executed[0], ratios_executed[kernels / 4], ratios_executed[kernels / 2],
	       ratios_executed[3 * kernels / 4], ratios_executed[kernels - 1]);
}

int main(int argc, char **argv)
{
	double ours_s = 0, theirs_s = 0, ratios = 0;

	if (argc < 3)
		return fprintf(stderr, "usage: amd_cost FOLDER NAME...\n"), 2;
	setenv("SOV_SOFT", "navi21:vram=256M", 0);
	unsetenv("SOV_VISIBLE_DEVICES");
	printf("%-12s %20s %17s %12s %28s\n%-12s %6s %6s %5s   %4s %4s %5s   %4s %4s   %9s %9s\n",
	       "", "in the code", "VGPRs", "SGPRs", "executed", "kernel", "ours", "LLVM", "",
	       "ours", "LLVM", "", "ours", "LLVM", "ours", "LLVM");
	for (int k = 2; k < argc; k++) {
		struct compile_result result;
		struct image ours, theirs;
		char ll[256], co[256], object[256];
		double a, b;
		size_t size;
		void *data;

		snprintf(ll, sizeof(ll), "%s/%s.ll", argv[1], argv[k]);
		snprintf(co, sizeof(co), "%s/%s.co", argv[1], argv[k]);
		snprintf(object, sizeof(object), "%s/%s.timed.o", argv[1], argv[k]);
		a = compile_ours(argv[k], &result);
		b = time_llc(ll, object);
		ours_s += a;
		theirs_s += b;
		ratios += log(b / a);
		data = read_file(co, &size);
		read_image(&ours, result.image, result.image_size, argv[k]);
		read_image(&theirs, data, size, co);
		compare_images(&ours, result.image, result.image_size, &theirs, data, size);
		image_free(&ours);
		image_free(&theirs);
		compile_result_free(&result);
		free(data);
	}
	if (!kernels)
		return fprintf(stderr, "amd_cost: no kernel in common\n"), 1;
	print_distribution();
	printf("%u kernels; geometric means of ours over LLVM's: instructions %.2f, VGPRs %.2f, "
	       "SGPRs %.2f, executed %.2f\n",
	       kernels, exp(total.instructions / kernels), exp(total.vgprs / kernels),
	       exp(total.sgprs / kernels), exp(total.executed / kernels));
	printf("%d files compiled in %.1f ms of CPU time, by llc -O3 in %.0f ms: %.1f times as "
	       "fast in total, %.1f times per file (geometric mean)\n",
	       argc - 2, 1e3 * ours_s, 1e3 * theirs_s, theirs_s / ours_s, exp(ratios / (argc - 2)));
	return 0;
}
