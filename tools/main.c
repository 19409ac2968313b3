// SPDX-License-Identifier: MIT
/*
 * Entry point of `sov`: finds the verb in a table and runs it; also the error reports that all
 * verbs use. See sov(1).
 */
#include <stdarg.h>
#include <string.h>
#include "libsov/sov.h"
#include "tools/tool.h"

static const struct verb *const verbs[] = {
	&verb_devices, &verb_info,     &verb_doctor,   &verb_top,   &verb_trace,
	&verb_compile, &verb_disasm,   &verb_run,      &verb_bench, &verb_ptxas,
	&verb_link,    &verb_run_cuda, &verb_cuda_env, &verb_smi,   &verb_cdi,
};
#define VERBS (sizeof(verbs) / sizeof(*verbs))

static void print_message(const struct verb *v, const char *fmt, va_list ap)
{
	if (v && v->error_prefix)
		fprintf(stderr, "%s", v->error_prefix);
	else
		fprintf(stderr, v ? "sov: %s: " : "sov: ", v ? v->name : "");
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void report_error(const struct verb *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message(v, fmt, ap);
	va_end(ap);
}

int usage_error(const struct verb *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message(v, fmt, ap);
	va_end(ap);
	fprintf(stderr, v ? "Try 'sov %s --help'.\n" : "Try 'sov --help'.\n", v ? v->name : "");
	return EXIT_USAGE;
}

int report_sov_error(const struct verb *v, int result, const char *operation)
{
	const char *detail = sov_last_error();

	if (detail && *detail)
		report_error(v, "%s: %s: %s", operation, sov_result_name(result), detail);
	else
		report_error(v, "%s: %s: %s", operation, sov_result_name(result),
			     sov_result_string(result));
	return EXIT_FAILED;
}

static void print_help(void)
{
	printf("Usage: sov VERB [OPTION]... [OPERAND]...\n"
	       "Compile, inspect and run compute kernels on a GPU or a software GPU.\n\n"
	       "Verbs:\n");
	for (size_t i = 0; i < VERBS; i++)
		printf("  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
	printf("\n  sov VERB --help   options of one verb\n"
	       "  sov --version     version\n"
	       "\nExit status: 0 success, 1 failure, 2 usage error. See sov(1).\n");
}

static int unknown_verb(const char *name)
{
	char known[192] = "";
	size_t length = 0;

	for (size_t i = 0; i < VERBS; i++)
		length += snprintf(known + length, sizeof(known) - length, " %s", verbs[i]->name);
	return name ? usage_error(NULL, "unknown verb '%s'; known:%s", name, known)
		    : usage_error(NULL, "no verb; known:%s", known);
}

/* A link to sov that is named ptxas takes the place of NVIDIA's program of that name. */
static bool is_called_ptxas(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return path && !strcmp(slash ? slash + 1 : path, verb_ptxas.name);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	const struct verb *v = NULL;
	int status = EXIT_DONE;

	if (is_called_ptxas(argv[0])) {
		status = verb_ptxas.run(&verb_ptxas, argc - 1, argv + 1);
		return flush_output(&verb_ptxas) ? status : EXIT_FAILED;
	}
	for (size_t i = 0; word && i < VERBS; i++)
		if (!strcmp(word, verbs[i]->name))
			v = verbs[i];
	if (v)
		status = v->run(v, argc - 2, argv + 2);
	else if (word && (!strcmp(word, "--help") || !strcmp(word, "-h")))
		print_help();
	else if (word && !strcmp(word, "--version"))
		printf("sov %u.%u\n", sov_version() >> 16, sov_version() & 0xffff);
	else
		status = unknown_verb(word);
	return flush_output(v) ? status : EXIT_FAILED;
}
