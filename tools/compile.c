// SPDX-License-Identifier: MIT
/* sov compile: compiles a source file to an image; prints statistics and the IR after any pass. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/base/target.h"
#include "tools/tool.h"

struct request {
	const char *in, *out, *target, *print, *level, *threads;
	bool serial, spill, keep_calls, no_uniform, stats, json;
	struct source_options source;
};

static double clock_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* AMD targets have scalar registers where NVIDIA targets have predicates. */
static bool has_scalar_registers(const struct request *q)
{
	return !strcmp(target_find(q->target)->family, "amd");
}

static void print_json(const struct request *q, const struct compile_result *r, double seconds)
{
	struct json j = {.out = stdout};

	json_object(&j, NULL);
	json_string(&j, "target", q->target);
	json_u64(&j, "image_bytes", r->image_size);
	json_u64(&j, "nanoseconds", (uint64_t)(seconds * 1e9));
	json_array(&j, "kernels");
	for (uint32_t i = 0; i < r->nstats; i++) {
		const struct kernel_stats *k = &r->stats[i];

		json_object(&j, NULL);
		json_string(&j, "name", k->name);
		json_u64(&j, "instructions", k->instructions);
		json_u64(&j, "registers", k->registers);
		if (has_scalar_registers(q))
			json_u64(&j, "scalar_registers", k->scalar_registers);
		else
			json_u64(&j, "predicates", k->predicates);
		json_u64(&j, "shared_bytes", k->shared_bytes);
		json_u64(&j, "stack_bytes", k->stack_bytes);
		json_u64(&j, "code_bytes", k->code_bytes);
		json_u64(&j, "static_cycles", k->static_cycles);
		json_end_object(&j);
	}
	json_end_array(&j);
	json_end_object(&j);
}

static void print_stats(const struct request *q, const struct compile_result *r, double seconds)
{
	bool scalar = has_scalar_registers(q);

	printf("%-24s %12s %9s %10s %8s %8s %8s\n", "kernel", "instructions", "registers",
	       scalar ? "scalar" : "predicates", "shared", "code", "cycles");
	for (uint32_t i = 0; i < r->nstats; i++) {
		const struct kernel_stats *k = &r->stats[i];

		printf("%-24s %12u %9u %10u %8u %8u %8u\n", k->name, k->instructions, k->registers,
		       scalar ? k->scalar_registers : k->predicates, k->shared_bytes, k->code_bytes,
		       k->static_cycles);
	}
	printf("%s: image of %zu bytes in %.3f ms\n", q->target, r->image_size, seconds * 1e3);
}

static enum compile_source source_language(const char *path)
{
	size_t n = strlen(path);

	return n > 3 && !strcmp(path + n - 3, ".ir") ? COMPILE_IR : COMPILE_PTX;
}

static int compile_file(const struct verb *v, const struct request *q)
{
	char *printed = NULL;
	size_t size, printed_size = 0;
	struct compile_options o = {
		.source = source_language(q->in),
		.target = q->target,
		.unoptimised = !strcmp(q->level, "0"),
		.serial = q->serial,
		.keep_calls = q->keep_calls,
		.no_uniform = q->no_uniform,
		.spill = q->spill,
		.print_pass = q->print,
		.print_to = open_memstream(&printed, &printed_size),
		.stats = q->stats || q->json,
		.threads = (uint32_t)strtoul(q->threads, NULL, 10),
	};
	struct compile_result r = {0};
	void *text = NULL;
	int status = EXIT_FAILED;

	if (!o.print_to || !read_source(v, q->in, &q->source, &text, &size)) {
		if (o.print_to)
			fclose(o.print_to);
		free(printed);
		return EXIT_FAILED;
	}
	struct progress *p = progress_start("compiling");
	double start = clock_seconds();
	bool good = compile(text, size, &o, &r);
	double seconds = clock_seconds() - start;

	progress_end(p);
	fclose(o.print_to);
	fwrite(printed, 1, printed_size, stdout);
	print_source_messages(q->in, text, size, r.messages);
	if (!good)
		report_error(v, "could not compile '%s' for %s", q->in, q->target);
	else if (q->print && !printed_size)
		report_error(
			v, "unknown pass '%s'; --print all prints after every pass, with its name",
			q->print);
	else if (!q->out || write_file(v, q->out, r.image, r.image_size))
		status = EXIT_DONE;
	if (status == EXIT_DONE && q->json)
		print_json(q, &r, seconds);
	else if (status == EXIT_DONE && q->stats)
		print_stats(q, &r, seconds);
	compile_result_free(&r);
	free(printed);
	free(text);
	return status;
}

static int unknown_target(const struct verb *v, const char *name)
{
	char known[256] = "";
	size_t length = 0;
	const struct target *t;

	for (uint32_t i = 0; (t = target_at(i)) && length < sizeof(known); i++)
		length += snprintf(known + length, sizeof(known) - length, " %s", t->name);
	return usage_error(v, "unknown target '%s'; known:%s", name, known);
}

static int compile_run(const struct verb *v, int argc, char **argv)
{
	struct request q = {
		.target = "sm_90", .level = "3", .threads = "0", .source = SOURCE_OPTIONS};
	const struct option options[] = {
		{"target", 't', "TARGET", "target to compile for (default sm_90)", NULL, &q.target},
		{"output", 'o', "FILE", "write the image to FILE", NULL, &q.out},
		{"stats", 0, NULL, "print statistics, a line per kernel", &q.stats, NULL},
		{"print", 0, "PASS", "print the IR or MIR after PASS; 'all': after every pass",
		 NULL, &q.print},
		{"optimise", 'O', "LEVEL", "optimisation level, 0 or 3 (default 3)", NULL,
		 &q.level},
		{"serial", 0, NULL, "make every instruction wait for the previous one", &q.serial,
		 NULL},
		{"keep-calls", 0, NULL, "do not inline function calls", &q.keep_calls, NULL},
		{"no-uniform", 0, NULL, "do not use uniform registers", &q.no_uniform, NULL},
		{"spill", 0, NULL, "allocate only 16 registers, to force spilling", &q.spill, NULL},
		{"json", 0, NULL, "print statistics as JSON", &q.json, NULL},
		{"jobs", 'j', "N", "compile N kernels in parallel (default 0: one per CPU)", NULL,
		 &q.threads},
		SOURCE_OPTION_ROWS(q.source),
		{0},
	};
	int operands, status;

	if (!parse_options(v, options, argc, argv, &operands, &status))
		return status;
	if (operands != 1)
		return operands ? usage_error(v, "unexpected operand '%s'", argv[1])
				: usage_error(v, "missing operand: SOURCE");
	if (!q.out && !q.stats && !q.json && !q.print)
		return usage_error(v,
				   "nothing to do: give -o FILE, --stats, --json or --print PASS");
	if (q.json && q.print)
		return usage_error(
			v, "--json and --print both write to standard output; use only one");
	if (strcmp(q.level, "0") && strcmp(q.level, "3"))
		return usage_error(v, "unknown optimisation level '%s'; known: 0 3", q.level);
	if (!*q.threads || strspn(q.threads, "0123456789") != strlen(q.threads) ||
	    strlen(q.threads) > 4)
		return usage_error(v, "jobs '%s' is not an integer from 0 to 9999", q.threads);
	if (!parse_source_options(v, &q.source))
		return EXIT_USAGE;
	if (!target_find(q.target))
		return unknown_target(v, q.target);
	q.in = argv[0];
	return compile_file(v, &q);
}

const struct verb verb_compile = {
	.name = "compile",
	.summary = "Compile PTX, SPIR-V, GLSL, WGSL or OpenCL C to native code.",
	.usage = "[--target TARGET] [-o FILE] [OPTION]... SOURCE",
	.details =
		"SOURCE is PTX or SPIR-V, or the compiler's IR if its name ends in .ir. "
		"Messages go\n"
		"to standard error, each with line and column or the word of SPIR-V.\n" SOURCE_HELP,
	.run = compile_run,
};
