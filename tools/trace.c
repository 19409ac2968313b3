// SPDX-License-Identifier: MIT
/*
 * sov trace: runs a program with SOV_TRACE set and summarises the trace, also if the program dies.
 * Standard output belongs to the program, so the summary goes to standard error; with --read it
 * goes to standard output.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/page.h"
#include "tools/program.h"
#include "tools/trace_summary.h"

#define DEFAULT_FILE  "sov-trace.json"
#define MAX_CALL_ROWS 12u

/* ---- summary ---- */

static const struct {
	const char *title, *key;
	bool has_bytes;
} categories[TRACE_CATEGORIES] = {
	[TRACE_KERNELS] = {"kernel", "kernels", false},
	[TRACE_COPIES] = {"copy", "copies", true},
	[TRACE_FILLS] = {"fill", "fills", true},
	[TRACE_FUNCTIONS] = {"host function", "functions", false},
	[TRACE_CALLS] = {"call", "calls", false},
};

static double microseconds(uint64_t ns)
{
	return (double)ns / 1000;
}

/* GB/s, which equals bytes per nanosecond. */
static double bandwidth(const struct trace_row *r)
{
	return r->total_ns ? (double)r->bytes / (double)r->total_ns : 0;
}

static void print_row(FILE *out, const struct trace_row *r)
{
	fprintf(out, "  %-32s %9llu %14.3f %12.3f %12.3f %12.3f", r->name,
		(unsigned long long)r->count, microseconds(r->total_ns),
		microseconds(r->total_ns) / (double)r->count, microseconds(r->min_ns),
		microseconds(r->max_ns));
	if (categories[r->category].has_bytes)
		fprintf(out, " %15llu %9.3f", (unsigned long long)r->bytes, bandwidth(r));
	if (r->unfinished)
		fprintf(out, "  %llu unfinished", (unsigned long long)r->unfinished);
	fputc('\n', out);
}

static void print_text(FILE *out, const struct trace_summary *s)
{
	for (uint32_t i = 0, shown = 0; i < s->count; i++, shown++) {
		const struct trace_row *r = &s->rows[i];

		if (!i || r->category != r[-1].category) {
			shown = 0;
			fprintf(out, "%s%-34s %9s %14s %12s %12s %12s%s\n", i ? "\n" : "",
				categories[r->category].title, "count", "total us", "mean us",
				"min us", "max us",
				categories[r->category].has_bytes ? "           bytes      GB/s"
								  : "");
		}
		if (r->category != TRACE_CALLS || shown < MAX_CALL_ROWS)
			print_row(out, r);
	}
	if (!s->count)
		fprintf(out, "the trace has no events; does the program use libsov?\n");
	if (s->lost)
		fprintf(out,
			"\n%llu events were lost: the program produced them faster than the "
			"library "
			"could write them\n",
			(unsigned long long)s->lost);
}

static void json_decimal(struct json *j, const char *key, double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.6g", value);
	json_raw(j, key, text);
}

static void print_json(FILE *out, const struct trace_summary *s, const char *path, int status)
{
	struct json j = {.out = out};
	uint32_t i = 0, category;

	json_object(&j, NULL);
	json_string(&j, "trace", path);
	json_u64(&j, "status", (uint64_t)status);
	json_u64(&j, "lost", s->lost);
	for (category = 0; category < TRACE_CATEGORIES; category++) {
		json_array(&j, categories[category].key);
		for (; i < s->count && s->rows[i].category == category; i++) {
			const struct trace_row *r = &s->rows[i];

			json_object(&j, NULL);
			json_string(&j, "name", r->name);
			json_u64(&j, "count", r->count);
			json_u64(&j, "total_ns", r->total_ns);
			json_u64(&j, "mean_ns", r->total_ns / r->count);
			json_u64(&j, "min_ns", r->min_ns);
			json_u64(&j, "max_ns", r->max_ns);
			if (categories[category].has_bytes) {
				json_u64(&j, "bytes", r->bytes);
				json_decimal(&j, "gb_per_s", bandwidth(r));
			}
			json_u64(&j, "unfinished", r->unfinished);
			json_end_object(&j);
		}
		json_end_array(&j);
	}
	json_end_object(&j);
}

/* ---- the file ---- */

/* Replaces %p by the process id, as the library does. */
static char *expand_path(const char *path, pid_t pid)
{
	size_t bytes = strlen(path) * 12 + 1, n = 0;
	char *text = malloc(bytes);

	for (; text && *path; path++)
		if (path[0] == '%' && path[1] == 'p') {
			n += (size_t)snprintf(text + n, bytes - n, "%d", (int)pid);
			path++;
		} else {
			text[n++] = *path;
		}
	if (text)
		text[n] = 0;
	return text;
}

/* Removes the incomplete event that a program leaves if it dies while writing. */
static bool repair_trace(const struct verb *v, const char *path, size_t intact)
{
	FILE *f = fopen(path, "r+");
	bool good = f && !fseek(f, (long)intact, SEEK_SET) && fputs("\n]}\n", f) >= 0 &&
		    !fflush(f) && !ftruncate(fileno(f), (off_t)intact + 4);

	if (!good)
		report_error(v, "cannot repair the truncated trace '%s': %s", path,
			     strerror(errno));
	if (f)
		fclose(f);
	return good;
}

/* ---- the verb ---- */

/* html: file for a page with the trace; NULL: none. */
static int summarise(const struct verb *v, const char *path, bool recorded, bool as_json,
		     const char *html, int status)
{
	FILE *out = recorded ? stderr : stdout;
	struct trace_summary summary;
	char why[128];
	size_t bytes, intact;
	struct progress *p;
	void *text;
	bool good;

	if (!read_file(v, path, &text, &bytes))
		return EXIT_FAILED;
	intact = trace_intact_bytes(text, bytes);
	if (recorded && intact != bytes) {
		free(text);
		if (!repair_trace(v, path, intact) || !read_file(v, path, &text, &bytes))
			return EXIT_FAILED;
	}
	p = progress_start("reading the trace");
	good = trace_summarise(text, bytes, &summary, why, sizeof(why));
	progress_end(p);
	if (!good) {
		report_error(v, "'%s' is not a trace: %s", path, why);
		free(text);
		return EXIT_FAILED;
	}
	if (html && !write_page(v, html, trace_page, path, text, bytes))
		status = EXIT_FAILED;
	if (as_json)
		print_json(out, &summary, path, status);
	else
		print_text(out, &summary);
	if (recorded && !as_json)
		fprintf(out, "\n%s: open it in ui.perfetto.dev or chrome://tracing\n", path);
	if (html && !as_json)
		fprintf(out, "%s%s: open it in a browser; it needs no network\n",
			recorded ? "" : "\n", html);
	trace_summary_free(&summary);
	free(text);
	return status;
}

static int trace_run(const struct verb *v, int argc, char **argv)
{
	const char *path = DEFAULT_FILE, *read = NULL, *html = NULL;
	bool as_json = false;
	const struct option options[] = {
		{"output", 'o', "FILE", "write the trace to FILE (default " DEFAULT_FILE ")", NULL,
		 &path},
		{"read", 0, "FILE", "summarise the existing trace FILE", NULL, &read},
		{"html", 0, "FILE", "write a page for a browser with the timeline to FILE", NULL,
		 &html},
		{"json", 0, NULL, "print the summary as JSON", &as_json, NULL},
		{0},
	};
	int operands, status;
	char *written;
	pid_t child;
	struct variable variables[] = {{"SOV_TRACE", NULL}, {0}};

	if (!parse_options(v, options, argc, argv, &operands, &status))
		return status;
	if (read && operands)
		return usage_error(v, "--read takes no program, but got '%s'", argv[0]);
	if (read)
		return summarise(v, read, false, as_json, html, EXIT_DONE);
	if (!operands)
		return usage_error(v, "missing operand: PROGRAM");
	if (!strstr(path, "%p") && !remove_old_file(v, path))
		return EXIT_FAILED;
	argv[operands] = NULL;
	variables[0].value = path;
	status = run_program(v, argv, variables, &child);
	written = expand_path(path, child);
	if (child < 0 || !written) {
		free(written);
		return EXIT_FAILED;
	}
	if (access(written, F_OK)) {
		if (status != EXIT_NOT_FOUND && status != EXIT_NOT_EXECUTABLE)
			report_error(v, "'%s' wrote no trace: it did not call libsov with a device",
				     argv[0]);
		status = status ? status : EXIT_FAILED;
	} else {
		status = summarise(v, written, true, as_json, html, status);
	}
	free(written);
	return status;
}

const struct verb verb_trace = {
	.name = "trace",
	.summary = "Run a program and record its API calls and GPU work.",
	.usage = "[-o FILE] [--html FILE] [--json] PROGRAM [ARGUMENT]...\n       sov trace --read "
		 "FILE [--html FILE] [--json]",
	.details = "View the trace in ui.perfetto.dev or chrome://tracing. The summary goes to "
		   "standard error,\n"
		   "with --read to standard output. %p in FILE becomes the process id: use it if "
		   "the program\n"
		   "starts other programs, which are traced too; the summary covers the first "
		   "process. The\n"
		   "exit status is the program's, or 128 plus the number of the signal that "
		   "terminated it.\n",
	.run = trace_run,
	.command = true,
};
