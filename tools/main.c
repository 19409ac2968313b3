/* SPDX-License-Identifier: MIT */
/*
 * `sov`: one program, a table of verbs. Each verb is a file of its own; this one finds it, and
 * holds the words all of them use to say that something is wrong. See sov(1).
 */
#include <stdarg.h>
#include <string.h>
#include "libsov/sov.h"
#include "tools/tool.h"

static const struct verb *const verbs[] = {
	&verb_devices, &verb_info,   &verb_doctor, &verb_top,   &verb_trace,
	&verb_compile, &verb_disasm, &verb_run,    &verb_bench,
};
#define VERBS (sizeof(verbs) / sizeof(*verbs))

static void say(const struct verb *v, const char *fmt, va_list ap)
{
	fprintf(stderr, v ? "sov: %s: " : "sov: ", v ? v->name : "");
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void complain(const struct verb *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(v, fmt, ap);
	va_end(ap);
}

int usage_error(const struct verb *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(v, fmt, ap);
	va_end(ap);
	fprintf(stderr, v ? "Try 'sov %s --help'.\n" : "Try 'sov --help'.\n", v ? v->name : "");
	return EXIT_USAGE;
}

int sov_failed(const struct verb *v, int result, const char *doing)
{
	const char *detail = sov_last_error();

	if (detail && *detail)
		complain(v, "%s: %s: %s", doing, sov_result_name(result), detail);
	else
		complain(v, "%s: %s: %s", doing, sov_result_name(result),
			 sov_result_string(result));
	return EXIT_FAILED;
}

static void help(void)
{
	printf("Usage: sov VERB [OPTION]... [OPERAND]...\n"
	       "Compile, inspect and run compute kernels, on a GPU or on the software "
	       "GPU.\n\nVerbs:\n");
	for (size_t i = 0; i < VERBS; i++)
		printf("  %-9s %s\n", verbs[i]->name, verbs[i]->summary);
	printf("\n  sov VERB --help  says more of one verb;  sov --version  prints the version.\n"
	       "\nExit status: 0 done, 1 it failed, 2 the command line is wrong. See sov(1).\n");
}

static int wrong_verb(const char *given)
{
	char known[128] = "";
	size_t length = 0;

	for (size_t i = 0; i < VERBS; i++)
		length += snprintf(known + length, sizeof(known) - length, " %s", verbs[i]->name);
	return given ? usage_error(NULL, "unknown verb '%s'; known:%s", given, known)
		     : usage_error(NULL, "no verb; known:%s", known);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	const struct verb *v = NULL;
	int status = EXIT_DONE;

	for (size_t i = 0; word && i < VERBS; i++)
		if (!strcmp(word, verbs[i]->name))
			v = verbs[i];
	if (v)
		status = v->run(v, argc - 2, argv + 2);
	else if (word && (!strcmp(word, "--help") || !strcmp(word, "-h")))
		help();
	else if (word && !strcmp(word, "--version"))
		printf("sov %u.%u\n", sov_version() >> 16, sov_version() & 0xffff);
	else
		status = wrong_verb(word);
	return flush_output(v) ? status : EXIT_FAILED;
}
