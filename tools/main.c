// SPDX-License-Identifier: MIT
/*
 * Entry point of `sov`: finds the verb in a table and runs it; also the error reports that all
 * verbs use. See sov(1).
 */
#include <stdarg.h>
#include <string.h>
#include "libsov/sov.h"
#include "tools/complete.h"
#include "tools/tool.h"

static const struct verb *const verbs[] = {
	&verb_devices,  &verb_info, &verb_doctor, &verb_top,     &verb_trace, &verb_compile,
	&verb_disasm,   &verb_run,  &verb_bench,  &verb_ptxas,   &verb_link,  &verb_run_cuda,
	&verb_cuda_env, &verb_smi,  &verb_cdi,    &verb_profile, &verb_check,
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
	printf("\n  sov help [VERB]   this help, or the options of one verb (sov VERB --help)\n"
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

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < VERBS; i++)
		if (!strcmp(name, verbs[i]->name))
			return verbs[i];
	return NULL;
}

/* sov help [VERB] */
static int help(int argc, char **argv)
{
	static char option[] = "--help";
	char *words[] = {option, NULL};
	const struct verb *v;

	if (argc > 1)
		return usage_error(NULL, "help: unexpected operand '%s'", argv[1]);
	if (!argc) {
		print_help();
		return EXIT_DONE;
	}
	v = find_verb(argv[0]);
	return v ? v->run(v, 1, words) : unknown_verb(argv[0]);
}

static int run_word(int argc, char **argv, const struct verb **v)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	*v = word ? find_verb(word) : NULL;
	if (*v)
		return (*v)->run(*v, argc - 2, argv + 2);
	if (!word)
		return unknown_verb(NULL);
	if (!strcmp(word, "help"))
		return help(argc - 2, argv + 2);
	if (!strcmp(word, "complete"))
		return complete(verbs, VERBS, argc - 2, argv + 2);
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return help(0, NULL);
	if (strcmp(word, "--version"))
		return unknown_verb(word);
	printf("sov %u.%u.0\n", sov_version() >> 16, sov_version() & 0xffff);
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	const struct verb *v = &verb_ptxas;
	int status;

	if (is_called_ptxas(argv[0]))
		status = v->run(v, argc - 1, argv + 1);
	else
		status = run_word(argc, argv, &v);
	return flush_output(v) ? status : EXIT_FAILED;
}
