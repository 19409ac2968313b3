// SPDX-License-Identifier: MIT
/*
 * sov profile: runs a program with SOV_PROFILE set and shows what its kernels did on software GPUs.
 * Standard output belongs to the program, so the tables go to standard error; with --read they go
 * to standard output.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/program.h"
#include "tools/page.h"
#include "tools/profile.h"

struct profile_options {
	const char *read, *html, *output, *lines_text;
	uint64_t lines;
	bool json;
};

static bool write_profile_page(const struct verb *v, const char *path, const char *title,
			       const struct profile *p)
{
	char *data = NULL;
	size_t bytes;
	FILE *f = open_memstream(&data, &bytes);
	bool good;

	if (!f) {
		report_error(v, "no host memory for a page");
		return false;
	}
	profile_print_json(f, p);
	good = !fclose(f);
	if (good)
		good = write_page(v, path, profile_page, title, data, bytes);
	else
		report_error(v, "no host memory for a page");
	free(data);
	return good;
}

static int show(const struct verb *v, const struct profile_options *o, const char *path,
		const char *title, int status)
{
	FILE *out = o->read ? stdout : stderr;
	struct profile p;
	char why[160];
	size_t bytes;
	void *text;

	if (!read_file(v, path, &text, &bytes))
		return EXIT_FAILED;
	if (!profile_parse(text, &p, why, sizeof(why))) {
		report_error(v, "'%s' is not a profile: %s", path, why);
		profile_free(&p);
		free(text);
		return EXIT_FAILED;
	}
	profile_find_source(&p);
	if (o->html && !write_profile_page(v, o->html, title, &p))
		status = EXIT_FAILED;
	if (o->json)
		profile_print_json(out, &p);
	else
		profile_print(out, &p, (uint32_t)o->lines);
	if (o->html && !o->json)
		fprintf(out, "\n%s: open it in a browser; it needs no network\n", o->html);
	profile_free(&p);
	free(text);
	return status;
}

/* The file of a profile that is not to be kept. */
static char *temporary_file(const struct verb *v)
{
	const char *folder = getenv("TMPDIR");
	char *path = NULL;
	int file;

	if (asprintf(&path, "%s/sov-profile-XXXXXX", folder && *folder ? folder : "/tmp") < 0)
		path = NULL;
	file = path ? mkstemp(path) : -1;
	if (file >= 0) {
		close(file);
		return path;
	}
	report_error(v, "cannot create a temporary file: %s", strerror(errno));
	free(path);
	return NULL;
}

static int run_and_show(const struct verb *v, const struct profile_options *o, char **argv)
{
	char *temporary = o->output ? NULL : temporary_file(v), *text;
	const char *path = o->output ? o->output : temporary;
	struct variable variables[] = {{"SOV_PROFILE", path}, {0}};
	size_t bytes;
	pid_t child;
	int status;

	if (!path || (o->output && !remove_old_file(v, path)))
		return EXIT_FAILED;
	status = run_program(v, argv, variables, &child);
	if (child < 0) {
		/* reported */
	} else if (access(path, F_OK) || !read_file(v, path, (void **)&text, &bytes)) {
		bytes = 0;
	} else {
		free(text);
	}
	if (child >= 0 && bytes) {
		status = show(v, o, path, argv[0], status);
	} else if (child >= 0) {
		if (status != EXIT_NOT_FOUND && status != EXIT_NOT_EXECUTABLE)
			report_error(v,
				     "'%s' wrote no profile: it did not call libsov with a device, "
				     "or did not exit by itself",
				     argv[0]);
		status = status ? status : EXIT_FAILED;
	}
	if (temporary)
		unlink(temporary);
	free(temporary);
	return status;
}

static int profile_run(const struct verb *v, int argc, char **argv)
{
	struct profile_options o = {.lines_text = "20"};
	const struct option options[] = {
		{"output", 'o', "FILE", "keep the counters in FILE, for --read", NULL, &o.output},
		{"read", 0, "FILE", "show the counters in FILE", NULL, &o.read},
		{"html", 0, "FILE", "write a page for a browser to FILE", NULL, &o.html},
		{"lines", 'n', "N", "lines per kernel (default 20, 0: all)", NULL, &o.lines_text},
		{"json", 0, NULL, "print everything as JSON", &o.json, NULL},
		{0},
	};
	int operands, status;

	if (!parse_options(v, options, argc, argv, &operands, &status))
		return status;
	if (!parse_u64(v, "--lines", o.lines_text, 0, UINT32_MAX, &o.lines))
		return EXIT_USAGE;
	if (o.read && operands)
		return usage_error(v, "--read takes no program, but got '%s'", argv[0]);
	if (o.read)
		return show(v, &o, o.read, o.read, EXIT_DONE);
	if (!operands)
		return usage_error(v, "missing operand: PROGRAM");
	argv[operands] = NULL;
	return run_and_show(v, &o, argv);
}

const struct verb verb_profile = {
	.name = "profile",
	.summary = "Run a program and count what its kernels do on software GPUs.",
	.usage =
		"[-o FILE] [--html FILE] [-n N] [--json] PROGRAM [ARGUMENT]...\n       sov profile "
		"--read FILE [--html FILE] [-n N] [--json]",
	.details =
		"Per kernel and source line: instructions, divergence, sectors per request, bank\n"
		"conflicts, occupancy, and a roofline of the modelled chip. The tables go to "
		"standard\n"
		"error, with --read to standard output. Lines need a line table (.loc in PTX); "
		"without\n"
		"one instructions are shown. Kernels on real GPUs are not counted.\n",
	.run = profile_run,
	.command = true,
};
