// SPDX-License-Identifier: MIT
/*
 * Compares the cost of our code for gfx1030 with LLVM's, kernel by kernel.
 *   amd_cost FOLDER NAME...   FOLDER/NAME.ll is LLVM IR of the kernels, FOLDER/NAME.co LLVM's code
 *                             object; our compiler compiles tests/kernels/NAME.ptx
 *
 * One decoder reads both images, and one model of a single wave gives the cycles. Instructions
 * issue in order, one at a time. An instruction stalls for operands of the vector and scalar units;
 * memory returns after a latency, and s_waitcnt stalls for it, in order except for scalar loads.
 * The model walks the code in layout order: forward branches fall through, so both sides count, and
 * the back edge of a loop is taken seven times. The back edge is the last backward branch to a
 * header from which the branch can be reached without code before the header. Barriers cost their
 * issue alone, because they wait for other waves.
 *
 * Latencies are those of LLVM's scheduling model (SISchedule.td, GFX10SpeedModel); issue cycles are
 * the rates of the units (RDNA2: transcendental and 32-bit multiplication a quarter, doubles a
 * sixteenth).
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

extern char **environ;

#define TRIP_COUNT 8
#define MAX_INSTS  (1 << 16)
#define IN_FLIGHT  64
#define REPEATS    5

struct cost {
	double instructions, vgprs, sgprs, cycles;
};

static const struct class
{
	const char *prefix; /* of the mnemonic */
	uint32_t issue, latency;
} classes[] = {
	/* The first match counts. */
	{"v_rcp_f64", 16, 24},   {"v_rsq_f64", 16, 24},
	{"v_sqrt_f64", 16, 24},  {"v_rcp_", 4, 10},
	{"v_rsq_", 4, 10},       {"v_sqrt_", 4, 10},
	{"v_exp_", 4, 10},       {"v_log_", 4, 10},
	{"v_sin_", 4, 10},       {"v_cos_", 4, 10},
	{"v_mul_lo_u32", 4, 8},  {"v_mul_hi_", 4, 8},
	{"v_mad_u64_u32", 4, 8}, {"v_mad_i64_i32", 4, 8},
	{"v_cvt_f64_", 16, 22},  {"v_lshlrev_b64", 1, 6},
	{"v_lshrrev_b64", 1, 6}, {"v_ashrrev_i64", 1, 6},
	{"s_barrier", 1, 1},     {"s_branch", 1, 32},
	{"s_cbranch", 1, 32},    {"s_load", 1, 20},
	{"ds_", 1, 20},          {"global_", 1, 320},
	{"flat_", 1, 320},       {"scratch_", 1, 320},
	{"buffer_", 1, 320},     {"s_", 1, 2},
};

static struct class class_of(const struct amd_inst *in)
{
	for (size_t k = 0; k < sizeof(classes) / sizeof(classes[0]); k++)
		if (!strncmp(in->row->name, classes[k].prefix, strlen(classes[k].prefix)))
			return classes[k];
	if (strstr(in->row->name, "_f64"))
		return (struct class){"", 16, 22};
	return (struct class){"", 1, 5};
}

struct wave {
	uint64_t now;
	uint64_t ready[512];
	struct queue {
		uint64_t done[IN_FLIGHT];
		uint32_t first, count;
	} queue[AMD_COUNTERS];
};

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void wait_for_counter(struct wave *w, uint32_t counter, uint32_t left)
{
	struct queue *q = &w->queue[counter];

	for (; q->count > left; q->count--)
		w->now = max_u64(w->now, q->done[q->first++ % IN_FLIGHT]);
}

static void issue_inst(struct wave *w, const struct amd_inst *in)
{
	struct amd_use uses[AMD_MAX_USES];
	uint32_t n = amd_uses(in, uses), raises = amd_wait_counters(in),
		 imm = (uint32_t)in->field[AMD_F_IMM];
	struct class c = class_of(in);

	if (in->row->op == AMD_s_waitcnt) {
		wait_for_counter(w, AMD_VMCNT, (imm & 15) | (imm >> 14 & 3) << 4);
		wait_for_counter(w, AMD_LGKMCNT, imm >> 8 & 63);
	} else if (in->row->op == AMD_s_waitcnt_vscnt) {
		wait_for_counter(w, AMD_VSCNT, imm);
	}
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; k < uses[u].count; k++)
			w->now = max_u64(w->now, w->ready[(uses[u].reg + k) % 512]);
	for (uint32_t u = 0; u < n && !raises; u++)
		for (uint32_t k = 0; uses[u].write && k < uses[u].count; k++)
			w->ready[(uses[u].reg + k) % 512] = w->now + c.latency;
	for (uint32_t k = 0; k < AMD_COUNTERS; k++)
		if (raises >> k & 1) {
			struct queue *q = &w->queue[k];

			wait_for_counter(w, k, IN_FLIGHT - 1);
			q->done[(q->first + q->count++) % IN_FLIGHT] = w->now + c.latency;
		}
	w->now += c.issue;
}

static bool is_padding(const struct amd_inst *in)
{
	return in->row->op == AMD_s_code_end || in->row->op == AMD_s_nop;
}

static struct amd_inst code[MAX_INSTS];
static uint32_t at[MAX_INSTS];        /* offset in words */
static uint32_t target[MAX_INSTS];    /* 1 + index of the branch target; 0: no branch */
static bool has_latch[MAX_INSTS + 1]; /* by 1 + header: the back edge is known */

static void find_targets(uint32_t n)
{
	static uint32_t index_at[MAX_INSTS * AMD_MAX_WORDS];

	memset(index_at, 0, sizeof(index_at));
	memset(has_latch, 0, sizeof(has_latch));
	for (uint32_t i = 0; i < n; i++)
		index_at[at[i]] = 1 + i;
	for (uint32_t i = 0; i < n; i++)
		target[i] =
			code[i].row->flags & TARGET
				? index_at[at[i] + 1 + (uint32_t)(int16_t)code[i].field[AMD_F_IMM]]
				: 0;
}

/* Returns whether control can flow from one instruction to a later one without code before both. */
static bool reaches(uint32_t n, uint32_t from, uint32_t to)
{
	static bool seen[MAX_INSTS];
	static uint32_t left[MAX_INSTS];
	uint32_t count = 0;

	memset(seen, 0, n);
	left[count++] = from;
	seen[from] = true;
	while (count) {
		uint32_t i = left[--count];
		bool ends = code[i].row->op == AMD_s_endpgm || code[i].row->op == AMD_s_branch;
		uint32_t next[2] = {ends ? n : i + 1, target[i] ? target[i] - 1 : n};

		for (uint32_t k = 0; k < 2; k++)
			if (next[k] >= from && next[k] < n && !seen[next[k]]) {
				seen[next[k]] = true;
				left[count++] = next[k];
			}
	}
	return seen[to];
}

static struct cost cost_of(const struct image_kernel *k)
{
	static uint32_t back[MAX_INSTS], trips[MAX_INSTS];
	static struct wave w;
	uint32_t n = 0, words = k->code_bytes / 4;
	const uint32_t *text = (const uint32_t *)(const void *)k->code;

	memset(&w, 0, sizeof(w));
	for (uint32_t p = 0; p < words && n < MAX_INSTS;) {
		uint32_t bytes = amd_decode(AMD_GFX1030, text + p, words - p, &code[n]);

		if (!bytes) {
			fprintf(stderr, "amd_cost: %s: cannot decode at %#x\n", k->name, 4 * p);
			exit(1);
		}
		at[n++] = p;
		p += bytes / 4;
	}
	while (n && is_padding(&code[n - 1]))
		n--;
	find_targets(n);
	for (uint32_t i = 0; i < n; i++)
		back[i] = trips[i] = 0;
	for (uint32_t i = n; i--;)
		if (target[i] && target[i] <= i + 1 && !has_latch[target[i]] &&
		    reaches(n, target[i] - 1, i)) {
			back[i] = target[i];
			has_latch[target[i]] = true;
		}
	for (uint32_t i = 0; i < n;) {
		issue_inst(&w, &code[i]);
		if (back[i] && ++trips[i] < TRIP_COUNT) {
			w.now += 31;
			i = back[i] - 1;
			continue;
		}
		trips[i++] = 0;
	}
	return (struct cost){n, k->registers, 0, (double)w.now};
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
static uint32_t kernels;

static void compare_images(const struct image *ours, const struct image *theirs)
{
	for (uint32_t k = 0; k < ours->nkernels; k++)
		for (uint32_t j = 0; j < theirs->nkernels; j++) {
			struct cost a, b;

			if (strcmp(ours->kernels[k].name, theirs->kernels[j].name))
				continue;
			a = cost_of(&ours->kernels[k]);
			b = cost_of(&theirs->kernels[j]);
			a.sgprs = sgprs_of(&ours->kernels[k]);
			b.sgprs = sgprs_of(&theirs->kernels[j]);
			printf("%-12s %6.0f %6.0f %5.2f   %4.0f %4.0f %5.2f   %4.0f %4.0f   %9.0f "
			       "%9.0f %5.2f\n",
			       ours->kernels[k].name, a.instructions, b.instructions,
			       a.instructions / b.instructions, a.vgprs, b.vgprs, a.vgprs / b.vgprs,
			       a.sgprs, b.sgprs, a.cycles, b.cycles, a.cycles / b.cycles);
			total.instructions += log(a.instructions / b.instructions);
			total.vgprs += log(a.vgprs / b.vgprs);
			total.sgprs += log(a.sgprs / b.sgprs);
			total.cycles += log(a.cycles / b.cycles);
			kernels++;
		}
}

int main(int argc, char **argv)
{
	double ours_s = 0, theirs_s = 0, ratios = 0;

	if (argc < 3)
		return fprintf(stderr, "usage: amd_cost FOLDER NAME...\n"), 2;
	printf("%-12s %20s %17s %12s %28s\n%-12s %6s %6s %5s   %4s %4s %5s   %4s %4s   %9s %9s\n",
	       "", "instructions", "VGPRs", "SGPRs", "cycles", "kernel", "ours", "LLVM", "", "ours",
	       "LLVM", "", "ours", "LLVM", "ours", "LLVM");
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
		compare_images(&ours, &theirs);
		image_free(&ours);
		image_free(&theirs);
		compile_result_free(&result);
		free(data);
	}
	printf("%u kernels; geometric means of ours over LLVM's: instructions %.2f, VGPRs %.2f, "
	       "SGPRs %.2f, cycles %.2f\n",
	       kernels, exp(total.instructions / kernels), exp(total.vgprs / kernels),
	       exp(total.sgprs / kernels), exp(total.cycles / kernels));
	printf("%d files compiled in %.1f ms of CPU time, by llc -O3 in %.0f ms: %.1f times as "
	       "fast in total, %.1f times per file (geometric mean)\n",
	       argc - 2, 1e3 * ours_s, 1e3 * theirs_s, theirs_s / ours_s, exp(ratios / (argc - 2)));
	return 0;
}
