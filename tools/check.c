// SPDX-License-Identifier: MIT
/*
 * sov check: runs a program with SOV_CHECK set and prints what the software GPU found. The library
 * writes a line of JSON for each report to a file (SOV_CHECK_FILE); its text is the last member.
 * Standard output belongs to the program, so reports go to standard error.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/program.h"

#define DEFAULT_CHECKS "all"
#define DEFAULT_GPU    "gh100"
static const char text_key[] = ", \"text\": \"";

/* Prints the string that begins here, up to its closing quote, without escapes. */
static void print_string(FILE *out, const char *at, const char *end)
{
	unsigned code;

	for (; at < end && *at != '"'; at++) {
		if (*at != '\\') {
			fputc(*at, out);
		} else if (at + 5 < end && at[1] == 'u' && sscanf(at + 2, "%4x", &code) == 1) {
			fputc((int)code, out);
			at += 5;
		} else {
			fputc(*++at, out);
		}
	}
}

static void print_report(FILE *out, const char *line, size_t bytes)
{
	const char *text = memmem(line, bytes, text_key, sizeof(text_key) - 1);

	if (text)
		print_string(out, text + sizeof(text_key) - 1, line + bytes);
}

/* Prints the reports, one for each line, and returns their number. */
static uint32_t print_reports(const char *data, size_t bytes, bool as_json, int status)
{
	const char *end = data + bytes, *next;
	uint32_t count = 0;

	if (as_json)
		fprintf(stderr, "{\"status\": %d, \"reports\": [", status);
	for (; data < end && (next = memchr(data, '\n', (size_t)(end - data))); data = next + 1) {
		if (as_json)
			fprintf(stderr, "%s\n%.*s", count ? "," : "", (int)(next - data), data);
		else
			print_report(stderr, data, (size_t)(next - data));
		count++;
	}
	if (as_json)
		fprintf(stderr, "]}\n");
	else
		fprintf(stderr, "sov check: %u report%s\n", count, count == 1 ? "" : "s");
	return count;
}

static bool make_file(const struct verb *v, char *path, size_t bytes)
{
	const char *folder = getenv("TMPDIR");
	int file;

	if (!folder || !*folder)
		folder = "/tmp";
	file = snprintf(path, bytes, "%s/sov-check-XXXXXX", folder) < (int)bytes ? mkstemp(path)
										 : -1;
	if (file < 0) {
		report_error(v, "cannot create a file in '%s': %s", folder, strerror(errno));
		return false;
	}
	close(file);
	return true;
}

static int check_run(const struct verb *v, int argc, char **argv)
{
	const char *checks = DEFAULT_CHECKS, *gpu = getenv("SOV_SOFT");
	bool as_json = false;
	const struct option options[] = {
		{"checks", 0, "LIST", "check for memory,init,race,sync (default all)", NULL,
		 &checks},
		{"json", 0, NULL, "print the reports as JSON", &as_json, NULL},
		{0},
	};
	struct variable variables[] = {{"SOV_CHECK", NULL},
				       {"SOV_CHECK_FILE", NULL},
				       {"SOV_SOFT", gpu ? gpu : DEFAULT_GPU},
				       {0}};
	int operands, status;
	char path[4096];
	size_t bytes;
	void *data;
	pid_t child;

	if (!parse_options(v, options, argc, argv, &operands, &status))
		return status;
	if (!operands)
		return usage_error(v, "missing operand: PROGRAM");
	if (!make_file(v, path, sizeof(path)))
		return EXIT_FAILED;
	argv[operands] = NULL;
	variables[0].value = checks;
	variables[1].value = path;
	status = run_program(v, argv, variables, &child);
	if (child < 0 || !read_file(v, path, &data, &bytes)) {
		unlink(path);
		return EXIT_FAILED;
	}
	unlink(path);
	if (print_reports(data, bytes, as_json, status) && !status)
		status = EXIT_FAILED;
	free(data);
	return status;
}

const struct verb verb_check = {
	.name = "check",
	.summary = "Run a program and report its kernels' errors.",
	.usage = "[--checks LIST] [--json] PROGRAM [ARGUMENT]...",
	.details = "Software GPUs execute the kernels and report accesses outside of allocations, "
		   "reads of what\nnothing has written, races in shared and global memory, and "
		   "divergent barriers. Reports go to\nstandard error. The exit status is the "
		   "program's, or 1 if that is 0 and there are reports.\n",
	.run = check_run,
	.command = true,
};
