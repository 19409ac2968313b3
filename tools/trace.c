/* SPDX-License-Identifier: MIT */
/*
 * sov trace: runs a program with SOV_TRACE set, and adds up what it left. The program has its
 * standard output for itself: the sums go to standard error, unless only a trace is read, and end
 * up there too when the program dies.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/tool.h"
#include "tools/trace_summary.h"

#define DEFAULT_FILE "sov-trace.json"
#define SHOWN_CALLS  12u

/* ---- what it adds up to ---- */

static const struct {
	const char *title, *key;
	bool bytes; /* its events have some, and so a speed */
} sums_of[TRACE_SUMS] = {
	[TRACE_KERNELS] = {"kernel", "kernels", false},
	[TRACE_COPIES] = {"copy", "copies", true},
	[TRACE_FILLS] = {"fill", "fills", true},
	[TRACE_GRAPHS] = {"graph", "graphs", false},
	[TRACE_FUNCTIONS] = {"host function", "functions", false},
	[TRACE_CALLS] = {"call", "calls", false},
};

static double us(uint64_t ns)
{
	return (double)ns / 1000;
}

/* GB/s are bytes per nanosecond. */
static double speed(const struct trace_row *r)
{
	return r->total_ns ? (double)r->bytes / (double)r->total_ns : 0;
}

static void print_row(FILE *out, const struct trace_row *r)
{
	fprintf(out, "  %-32s %9llu %14.3f %12.3f %12.3f %12.3f", r->name,
		(unsigned long long)r->count, us(r->total_ns), us(r->total_ns) / (double)r->count,
		us(r->min_ns), us(r->max_ns));
	if (sums_of[r->kind].bytes)
		fprintf(out, " %15llu %9.3f", (unsigned long long)r->bytes, speed(r));
	if (r->cut)
		fprintf(out, "  %llu did not end", (unsigned long long)r->cut);
	fputc('\n', out);
}

static void print_text(FILE *out, const struct trace_summary *s)
{
	for (uint32_t i = 0, shown = 0; i < s->count; i++, shown++) {
		const struct trace_row *r = &s->rows[i];

		if (!i || r->kind != r[-1].kind) {
			shown = 0;
			fprintf(out, "%s%-34s %9s %14s %12s %12s %12s%s\n", i ? "\n" : "",
				sums_of[r->kind].title, "count", "total us", "mean us", "min us",
				"max us",
				sums_of[r->kind].bytes ? "           bytes      GB/s" : "");
		}
		if (r->kind != TRACE_CALLS || shown < SHOWN_CALLS)
			print_row(out, r);
	}
	if (!s->count)
		fprintf(out, "nothing was called; does the program use libsov?\n");
	if (s->lost)
		fprintf(out,
			"\n%llu events are lost: they came faster than they could be written\n",
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
	uint32_t i = 0, kind;

	json_object(&j, NULL);
	json_string(&j, "trace", path);
	json_u64(&j, "status", (uint64_t)status);
	json_u64(&j, "lost", s->lost);
	for (kind = 0; kind < TRACE_SUMS; kind++) {
		json_array(&j, sums_of[kind].key);
		for (; i < s->count && s->rows[i].kind == kind; i++) {
			const struct trace_row *r = &s->rows[i];

			json_object(&j, NULL);
			json_string(&j, "name", r->name);
			json_u64(&j, "count", r->count);
			json_u64(&j, "total_ns", r->total_ns);
			json_u64(&j, "mean_ns", r->total_ns / r->count);
			json_u64(&j, "min_ns", r->min_ns);
			json_u64(&j, "max_ns", r->max_ns);
			if (sums_of[kind].bytes) {
				json_u64(&j, "bytes", r->bytes);
				json_decimal(&j, "gb_per_s", speed(r));
			}
			json_u64(&j, "cut", r->cut);
			json_end_object(&j);
		}
		json_end_array(&j);
	}
	json_end_object(&j);
}

/* ---- the program ---- */

/* Exit status of a program that could not be run, as shells have it. */
enum { NOT_RUN = 126, NOT_FOUND = 127 };

static int run_program(const struct verb *v, char **argv, const char *path, pid_t *child)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;
	int status = 0;

	/* What is typed to stop the program is not meant for us. */
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGQUIT, &ignore, &old_quit);
	fflush(NULL);
	*child = fork();
	if (!*child) {
		sigaction(SIGINT, &old_int, NULL);
		sigaction(SIGQUIT, &old_quit, NULL);
		setenv("SOV_TRACE", path, 1);
		execvp(argv[0], argv);
		status = errno == ENOENT ? NOT_FOUND : NOT_RUN;
		complain(v, "cannot run '%s': %s", argv[0], strerror(errno));
		_exit(status);
	}
	if (*child < 0) {
		complain(v, "cannot run '%s': %s", argv[0], strerror(errno));
		status = NOT_RUN << 8;
	}
	while (*child > 0 && waitpid(*child, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	if (WIFSIGNALED(status))
		complain(v, "'%s' was ended by signal %d, %s", argv[0], WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The path that the library made of it for this process. */
static char *expand(const char *path, pid_t process)
{
	size_t bytes = strlen(path) * 12 + 1, n = 0;
	char *text = malloc(bytes);

	for (; text && *path; path++)
		if (path[0] == '%' && path[1] == 'p') {
			n += (size_t)snprintf(text + n, bytes - n, "%d", (int)process);
			path++;
		} else {
			text[n++] = *path;
		}
	if (text)
		text[n] = 0;
	return text;
}

/* A program that died while it wrote leaves half an event. */
static bool mend(const struct verb *v, const char *path, size_t whole)
{
	FILE *f = fopen(path, "r+");
	bool good = f && !fseek(f, (long)whole, SEEK_SET) && fputs("\n]}\n", f) >= 0 &&
		    !fflush(f) && !ftruncate(fileno(f), (off_t)whole + 4);

	if (!good)
		complain(v, "'%s' is cut off and cannot be mended: %s", path, strerror(errno));
	if (f)
		fclose(f);
	return good;
}

/* ---- the verb ---- */

static int sum_up(const struct verb *v, const char *path, bool ours, bool as_json, int status)
{
	FILE *out = ours ? stderr : stdout;
	struct trace_summary sums;
	char why[128];
	size_t bytes, whole;
	void *text;

	if (!read_file(v, path, &text, &bytes))
		return EXIT_FAILED;
	whole = trace_intact_bytes(text, bytes);
	if (ours && whole != bytes) {
		free(text);
		if (!mend(v, path, whole) || !read_file(v, path, &text, &bytes))
			return EXIT_FAILED;
	}
	if (!trace_summarise(text, bytes, &sums, why, sizeof(why))) {
		complain(v, "'%s' is no trace: %s", path, why);
		free(text);
		return EXIT_FAILED;
	}
	if (as_json)
		print_json(out, &sums, path, status);
	else
		print_text(out, &sums);
	if (ours && !as_json)
		fprintf(out, "\n%s: open it in ui.perfetto.dev or chrome://tracing\n", path);
	trace_summary_free(&sums);
	free(text);
	return status;
}

static int run(const struct verb *v, int argc, char **argv)
{
	const char *path = DEFAULT_FILE, *read = NULL;
	bool as_json = false;
	const struct option options[] = {
		{"output", 'o', "FILE", "where the trace goes (" DEFAULT_FILE ")", NULL, &path},
		{"read", 0, "FILE", "run nothing: add up this trace", NULL, &read},
		{"json", 0, NULL, "print the sums as JSON", &as_json, NULL},
		{0},
	};
	int operands, status;
	char *written;
	pid_t child;

	if (!parse_options(v, options, argc, argv, &operands, &status))
		return status;
	if (read && operands)
		return usage_error(v, "--read runs nothing, not '%s'", argv[0]);
	if (read)
		return sum_up(v, read, false, as_json, EXIT_DONE);
	if (!operands)
		return usage_error(v, "no program to run");
	if (!strstr(path, "%p"))
		unlink(path);
	argv[operands] = NULL;
	status = run_program(v, argv, path, &child);
	written = expand(path, child);
	if (child < 0 || !written) {
		free(written);
		return EXIT_FAILED;
	}
	if (access(written, F_OK)) {
		if (status != NOT_FOUND && status != NOT_RUN)
			complain(v,
				 "'%s' wrote no trace: it made no call of libsov that needs a "
				 "device",
				 argv[0]);
		status = status ? status : EXIT_FAILED;
	} else {
		status = sum_up(v, written, true, as_json, status);
	}
	free(written);
	return status;
}

const struct verb verb_trace = {
	.name = "trace",
	.summary = "Run a program, record what it calls and what the GPU does.",
	.usage = "[-o FILE] [--json] PROGRAM [ARGUMENT]...\n       sov trace --read FILE [--json]",
	.details = "The trace is for ui.perfetto.dev and chrome://tracing. What it adds up to is "
		   "printed on standard\n"
		   "error, with --read on standard output. %p in FILE becomes the number of the "
		   "process: for programs\n"
		   "that start others, all of which are traced; the sums are the first one's. The "
		   "exit status is\n"
		   "the program's, or 128 and the number of the signal that ended it.\n",
	.run = run,
	.command = true,
};
