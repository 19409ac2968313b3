// SPDX-License-Identifier: MIT
/*
 * Residual data: can a kernel read what earlier kernels left in shared memory or in registers? A
 * writer fills all shared memory or all registers of every SM with a random word; a reader dumps
 * them without having written any, and the dump is searched for that word.
 *
 *   residual_data --ptx   prints the kernels; ptxas must compile them, because our compiler makes a
 *                         register that was never written 0
 *   residual_data IMAGE   runs the cubin that ptxas made
 *   residual_data IMAGE fill|read shared|registers WORD MILLISECONDS
 *                         the writer or the reader alone, repeated for that time; prints the number
 *                         of repetitions and of words found
 *
 * Runs in one context, as a positive control; in two contexts of one process; in a process that
 * starts after the other has ended; and in two processes that are time-sliced. Exit status 0: no
 * word leaked between contexts; 1: some did; 2: the test could not run.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "libsov/sov.h"

enum {
	REGISTERS = 160, /* per thread, besides a few for addresses */
	THREADS = 384,   /* fill an SM's register file at that number of registers */
	ROUNDS = 2,      /* blocks per SM */
	MAX_IMAGE_BYTES = 1 << 20
};

static uint32_t blocks, shared_bytes;
static size_t register_bytes, buffer_bytes;
static uint32_t *host;
static char *image;
static size_t image_bytes;
static const char *const kinds[2] = {"shared", "registers"};

struct probe {
	sov_context context;
	sov_function functions[2]; /* by kind */
	sov_ptr buffer;
};

static void must(sov_result r, const char *doing)
{
	if (!r)
		return;
	printf("BROKEN %s: %s: %s\n", doing, sov_result_name(r), sov_last_error());
	exit(2);
}

/*
 * With "fill" both kernels first load words from the buffer into shared memory or registers; then
 * both store the contents to the buffer. In PTX a register that was never written has an undefined
 * value, so the kernel stores whatever the register file holds.
 */
static char *generate_ptx(void)
{
	static char text[1 << 16];
	char *at = text;

	at += sprintf(
		at,
		".version 7.0\n.target sm_80\n.address_size 64\n"
		".extern .shared .align 16 .b32 all[];\n"
		".visible .entry shared(.param .u64 p, .param .u32 fill, .param .u32 bytes) {\n"
		"	.reg .b64 %%p, %%l;\n	.reg .b32 %%t, %%s, %%e, %%f, %%n, %%x;\n	"
		".reg .pred %%q, %%z;\n"
		"	ld.param.u64 %%p, [p];\n	ld.param.u32 %%f, [fill];\n	"
		"ld.param.u32 %%n, [bytes];\n"
		"	mov.u32 %%t, %%ctaid.x;\n	mul.wide.u32 %%l, %%t, %%n;\n	add.s64 "
		"%%p, %%p, %%l;\n"
		"	mov.u32 %%t, %%tid.x;\n	shl.b32 %%t, %%t, 2;\n	cvt.u64.u32 %%l, %%t;\n	"
		"add.s64 %%p, %%p, %%l;\n"
		"	mov.u32 %%s, all;\n	add.u32 %%e, %%s, %%n;\n	add.u32 %%s, %%s, "
		"%%t;\n	setp.ne.u32 %%q, %%f, 0;\n"
		"again:\n	@%%q ld.global.u32 %%x, [%%p];\n	@%%q "
		"st.volatile.shared.u32 [%%s], %%x;\n"
		"	ld.volatile.shared.u32 %%x, [%%s];\n	st.global.u32 [%%p], %%x;\n"
		"	add.u32 %%s, %%s, %u;\n	add.s64 %%p, %%p, %u;\n"
		"	setp.lt.u32 %%z, %%s, %%e;\n	@%%z bra again;\n	ret;\n}\n",
		THREADS * 4, THREADS * 4);
	at += sprintf(at,
		      ".visible .entry registers(.param .u64 p, .param .u32 fill) {\n"
		      "	.reg .b64 %%p, %%l;\n	.reg .b32 %%t, %%f, %%r<%u>;\n	.reg .pred %%q;\n"
		      "	ld.param.u64 %%p, [p];\n	ld.param.u32 %%f, [fill];\n"
		      "	mov.u32 %%t, %%ctaid.x;\n	mul.wide.u32 %%l, %%t, %u;\n	add.s64 "
		      "%%p, %%p, %%l;\n"
		      "	mov.u32 %%t, %%tid.x;\n	mul.wide.u32 %%l, %%t, 4;\n	add.s64 %%p, %%p, "
		      "%%l;\n	setp.ne.u32 %%q, %%f, 0;\n",
		      REGISTERS, REGISTERS * THREADS * 4);
	for (uint32_t r = 0; r < REGISTERS; r++)
		at += sprintf(at, "	@%%q ld.global.u32 %%r%u, [%%p+%u];\n", r, r * THREADS * 4);
	at += sprintf(at, "	bar.sync 0;\n");
	for (uint32_t r = 0; r < REGISTERS; r++)
		at += sprintf(at, "	st.global.u32 [%%p+%u], %%r%u;\n", r * THREADS * 4, r);
	sprintf(at, "	ret;\n}\n");
	return text;
}

static void probe_open(struct probe *s)
{
	sov_device_properties p = {.size = sizeof(p)};
	sov_device device;
	sov_module module;

	must(sov_device_open(0, &device), "open");
	must(sov_device_get_properties(device, &p), "properties");
	blocks = ROUNDS * p.multiprocessors;
	shared_bytes = p.max_shared_per_block / (THREADS * 4) * (THREADS * 4);
	register_bytes = (size_t)blocks * REGISTERS * THREADS * 4;
	buffer_bytes = (size_t)blocks * shared_bytes;
	if (buffer_bytes < register_bytes)
		buffer_bytes = register_bytes;
	must(sov_context_create(device, NULL, &s->context), "context");
	must(sov_module_load(s->context, image, image_bytes, NULL, &module), "load");
	for (int k = 0; k < 2; k++)
		must(sov_module_get_function(module, kinds[k], &s->functions[k]), "function");
	must(sov_memory_alloc(s->context, buffer_bytes, &s->buffer), "memory");
	if (!host)
		host = malloc(buffer_bytes);
	if (!host) {
		printf("BROKEN no %zu bytes\n", buffer_bytes);
		exit(2);
	}
}

static void launch_probe(struct probe *s, bool kind, uint32_t fill)
{
	const void *arguments[] = {&s->buffer, &fill, &shared_bytes};
	sov_launch l = {.size = sizeof(l),
			.grid = {blocks, 1, 1},
			.block = {THREADS, 1, 1},
			.arguments = arguments,
			.shared_bytes = kind ? 0 : shared_bytes,
			.argument_count = kind ? 2 : 3};

	must(sov_function_launch(s->functions[kind], &l), "launch");
	must(sov_context_wait(s->context, UINT64_C(20000000000)), "wait");
}

static void fill_with(struct probe *s, bool kind, uint32_t word)
{
	must(sov_memory_fill(s->context, s->buffer, word, 4, buffer_bytes / 4), "fill");
	launch_probe(s, kind, 1);
}

/* Returns how often word is found. The buffer is first filled with another word. */
static uint64_t count_words(struct probe *s, bool kind, uint32_t word)
{
	size_t bytes = kind ? register_bytes : (size_t)blocks * shared_bytes;
	uint64_t found = 0;

	must(sov_memory_fill(s->context, s->buffer, ~word, 4, buffer_bytes / 4), "fill");
	launch_probe(s, kind, 0);
	must(sov_memory_copy(s->context, (sov_ptr)(uintptr_t)host, s->buffer, bytes), "copy");
	for (size_t i = 0; i < bytes / 4; i++)
		found += host[i] == word;
	return found;
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static int run_probe(bool fills, bool kind, uint32_t word, uint64_t milliseconds)
{
	uint64_t found = 0, until, repetitions = 0;
	struct probe s;

	probe_open(&s);
	until = now_ms() + milliseconds;
	do {
		if (fills)
			fill_with(&s, kind, word);
		else
			found += count_words(&s, kind, word);
		repetitions++;
	} while (now_ms() < until);
	must(sov_context_destroy(s.context), "destroying the context");
	printf("%llu %llu\n", (unsigned long long)repetitions, (unsigned long long)found);
	return 0;
}

static FILE *start_probe(char **argv, const char *what, bool kind, uint32_t word,
			 uint64_t milliseconds)
{
	char command[1200];

	snprintf(command, sizeof(command), "timeout 60 '%s' '%s' %s %s %u %llu", argv[0], argv[1],
		 what, kinds[kind], word, (unsigned long long)milliseconds);
	return popen(command, "r");
}

/* Waits for a child; returns the number of words that it found. */
static uint64_t finish_probe(FILE *f, uint64_t *repetitions)
{
	unsigned long long n[2] = {0};
	char line[512] = "";

	if (!f || !fgets(line, sizeof(line), f) || sscanf(line, "%llu %llu", &n[0], &n[1]) != 2 ||
	    pclose(f)) {
		printf("BROKEN child process: %s\n", line);
		exit(2);
	}
	*repetitions += n[0];
	return n[1];
}

static bool report(bool kind, const char *location, uint64_t found)
{
	printf("%-10s %-42s %12llu words\n", kinds[kind], location, (unsigned long long)found);
	return found;
}

static bool test_kind(char **argv, bool kind, uint32_t word)
{
	uint64_t found = 0, repetitions = 0;
	bool leaks = false;
	struct probe a, b;
	FILE *f;

	probe_open(&a);
	probe_open(&b);
	fill_with(&a, kind, word);
	if (!report(kind, "in the same context, later", count_words(&a, kind, word)))
		printf("positive control failed: the following results mean nothing\n");
	fill_with(&a, kind, ++word);
	leaks |= report(kind, "in another context of the process", count_words(&b, kind, word));
	must(sov_context_destroy(a.context), "destroying the context");
	must(sov_context_destroy(b.context), "destroying the context");

	word++;
	for (int i = 0; i < 5; i++) {
		finish_probe(start_probe(argv, "fill", kind, word, 0), &repetitions);
		found += finish_probe(start_probe(argv, "read", kind, word, 0), &repetitions);
	}
	leaks |= report(kind, "in a process started after the writer, 5x", found);

	word++;
	repetitions = 0;
	f = start_probe(argv, "fill", kind, word, 5000);
	found = finish_probe(start_probe(argv, "read", kind, word, 3000), &repetitions);
	finish_probe(f, &repetitions);
	leaks |= report(kind, "in two time-sliced processes", found);
	printf("%-10s %llu repetitions by both processes\n", kinds[kind],
	       (unsigned long long)repetitions);
	return leaks;
}

int main(int argc, char **argv)
{
	uint32_t word = 0;
	bool leaks;
	FILE *f;

	if (argc == 2 && !strcmp(argv[1], "--ptx")) {
		fputs(generate_ptx(), stdout);
		return 0;
	}
	f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	image = malloc(MAX_IMAGE_BYTES);
	if (!f || !image || !(image_bytes = fread(image, 1, MAX_IMAGE_BYTES, f))) {
		fprintf(stderr, "usage: residual_data --ptx | IMAGE\n");
		return 2;
	}
	fclose(f);
	if (argc == 6)
		return run_probe(!strcmp(argv[2], "fill"), !strcmp(argv[3], kinds[1]),
				 (uint32_t)strtoul(argv[4], NULL, 0), strtoull(argv[5], NULL, 0));
	f = fopen("/dev/urandom", "rb");
	if (!f || fread(&word, sizeof(word), 1, f) != 1)
		return 2;
	fclose(f);
	leaks = test_kind(argv, false, word);
	leaks |= test_kind(argv, true, word + 100);
	return leaks;
}
