/* SPDX-License-Identifier: MIT */
/*
 * What a kernel finds in shared memory and in registers that it did not write: words of kernels before it? One side fills
 * all of the one or the other, on every multiprocessor, with a word that nobody else knows; the other reads without having
 * written, and the word is looked for in what it read.
 *
 *   leftovers --ptx       prints the kernels: a register that was never written is 0 in our code, so ptxas must
 *                         compile them
 *   leftovers IMAGE       what it made
 *   leftovers IMAGE fill|read shared|registers WORD MILLISECONDS
 *                         one side alone, again and again for so long; prints its turns and the words it found
 *
 * Asked in one context, which shows whether the question is a good one; in two contexts of a process; in a process after
 * the other has ended; and in two processes that take turns. Exit status 0: no word came from another context; 1: some did;
 * 2: it could not be asked.
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
	REGISTERS = 160, /* of a thread, beside a few for addresses */
	THREADS = 384,   /* as many of such threads as a multiprocessor's registers suffice for */
	ROUNDS = 2,      /* blocks for each multiprocessor */
	MOST_IMAGE = 1 << 20
};

static uint32_t blocks, shared_bytes;
static size_t register_bytes, buffer_bytes;
static uint32_t *host;
static char *image;
static size_t image_bytes;
static const char *const kinds[2] = {"shared", "registers"};

struct side {
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

/* With "fill" both kernels take words from the buffer to where they may stay; then, and without it alone, they write to
 * the buffer what is there. A register that is not filled has no value in PTX: it is read as it is found. */
static char *make_ptx(void)
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

static void side_open(struct side *s)
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

static void launch(struct side *s, bool kind, uint32_t fill)
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

static void fill(struct side *s, bool kind, uint32_t word)
{
	must(sov_memory_fill(s->context, s->buffer, word, 4, buffer_bytes / 4), "fill");
	launch(s, kind, 1);
}

/* Words found. The buffer has another one before, so that nothing is found in it. */
static uint64_t look(struct side *s, bool kind, uint32_t word)
{
	size_t bytes = kind ? register_bytes : (size_t)blocks * shared_bytes;
	uint64_t found = 0;

	must(sov_memory_fill(s->context, s->buffer, ~word, 4, buffer_bytes / 4), "fill");
	launch(s, kind, 0);
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

static int one_side(bool fills, bool kind, uint32_t word, uint64_t milliseconds)
{
	uint64_t found = 0, until, turns = 0;
	struct side s;

	side_open(&s);
	until = now_ms() + milliseconds;
	do {
		if (fills)
			fill(&s, kind, word);
		else
			found += look(&s, kind, word);
		turns++;
	} while (now_ms() < until);
	must(sov_context_destroy(s.context), "end");
	printf("%llu %llu\n", (unsigned long long)turns, (unsigned long long)found);
	return 0;
}

static FILE *start(char **argv, const char *what, bool kind, uint32_t word, uint64_t milliseconds)
{
	char command[1200];

	snprintf(command, sizeof(command), "timeout 60 '%s' '%s' %s %s %u %llu", argv[0], argv[1],
		 what, kinds[kind], word, (unsigned long long)milliseconds);
	return popen(command, "r");
}

/* The words a side found. */
static uint64_t finish(FILE *f, uint64_t *turns)
{
	unsigned long long n[2] = {0};
	char line[512] = "";

	if (!f || !fgets(line, sizeof(line), f) || sscanf(line, "%llu %llu", &n[0], &n[1]) != 2 ||
	    pclose(f)) {
		printf("BROKEN a side says: %s\n", line);
		exit(2);
	}
	*turns += n[0];
	return n[1];
}

static bool report(bool kind, const char *where, uint64_t found)
{
	printf("%-10s %-42s %12llu words\n", kinds[kind], where, (unsigned long long)found);
	return found;
}

static bool ask(char **argv, bool kind, uint32_t word)
{
	uint64_t found = 0, turns = 0;
	bool leaks = false;
	struct side a, b;
	FILE *f;

	side_open(&a);
	side_open(&b);
	fill(&a, kind, word);
	if (!report(kind, "in the same context, later", look(&a, kind, word)))
		printf("nothing stays even there: what follows says nothing\n");
	fill(&a, kind, ++word);
	leaks |= report(kind, "in another context of the process", look(&b, kind, word));
	must(sov_context_destroy(a.context), "end");
	must(sov_context_destroy(b.context), "end");

	word++;
	for (int i = 0; i < 5; i++) {
		finish(start(argv, "fill", kind, word, 0), &turns);
		found += finish(start(argv, "read", kind, word, 0), &turns);
	}
	leaks |= report(kind, "in a process after the other's, 5 times", found);

	word++;
	turns = 0;
	f = start(argv, "fill", kind, word, 5000);
	found = finish(start(argv, "read", kind, word, 3000), &turns);
	finish(f, &turns);
	leaks |= report(kind, "in processes that take turns", found);
	printf("%-10s %llu turns of both\n", kinds[kind], (unsigned long long)turns);
	return leaks;
}

int main(int argc, char **argv)
{
	uint32_t word = 0;
	bool leaks;
	FILE *f;

	if (argc == 2 && !strcmp(argv[1], "--ptx")) {
		fputs(make_ptx(), stdout);
		return 0;
	}
	f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	image = malloc(MOST_IMAGE);
	if (!f || !image || !(image_bytes = fread(image, 1, MOST_IMAGE, f))) {
		fprintf(stderr, "usage: leftovers --ptx | IMAGE\n");
		return 2;
	}
	fclose(f);
	if (argc == 6)
		return one_side(!strcmp(argv[2], "fill"), !strcmp(argv[3], kinds[1]),
				(uint32_t)strtoul(argv[4], NULL, 0), strtoull(argv[5], NULL, 0));
	f = fopen("/dev/urandom", "rb");
	if (!f || fread(&word, sizeof(word), 1, f) != 1)
		return 2;
	fclose(f);
	leaks = ask(argv, false, word);
	leaks |= ask(argv, true, word + 100);
	return leaks;
}
