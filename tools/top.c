// SPDX-License-Identifier: MIT
/*
 * sov top: lists the processes that use each GPU. Utilisation is the growth of a process's engine
 * time between two samples; a dash stands for values that the driver does not report. On a terminal
 * it is a screen with keys (top_screen.c, top_terminal.c).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "tools/tool.h"
#include "tools/top_screen.h"

static const char *const engine_keys[TOP_ENGINES] = {
	[TOP_COMPUTE] = "compute", [TOP_COPY] = "copy"};

/* The row of the same process and GPU in another sample. */
static const struct top_process *find_process(const struct top_sample *s,
					      const struct top_process *p)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->processes[i].pid == p->pid && !strcmp(s->processes[i].gpu, p->gpu) &&
		    !strcmp(s->processes[i].driver, p->driver))
			return &s->processes[i];
	return NULL;
}

double top_utilisation(const struct top_sample *old, const struct top_sample *now,
		       const struct top_process *p, enum top_engine engine)
{
	const struct top_process *previous = find_process(old, p);

	if (!p->has_usage || !previous || now->time_ns <= old->time_ns ||
	    p->engine_ns[engine] < previous->engine_ns[engine])
		return -1;
	return 100.0 * (double)(p->engine_ns[engine] - previous->engine_ns[engine]) /
	       (double)(now->time_ns - old->time_ns);
}

/* ---- output ---- */

static void print_cell(double value, const char *unit)
{
	if (value < 0)
		printf(" %9s", "-");
	else
		printf(" %8.1f%s", value, unit);
}

static void print_text(const struct doctor_snapshot *machine, const struct top_sample *old,
		       const struct top_sample *now)
{
	for (uint32_t i = 0; i < machine->gpu_count; i++)
		printf("GPU %s  PCI %04x:%04x, %s%s\n", machine->gpus[i].address,
		       machine->gpus[i].vendor, machine->gpus[i].device,
		       *machine->gpus[i].driver ? "driver " : "no driver", machine->gpus[i].driver);
	if (!machine->gpu_count)
		printf("no GPU on the PCI bus\n");
	printf("%-14s %8s %-16s %6s %9s %9s %9s %9s %9s\n", "GPU", "PID", "COMMAND", "UID",
	       "VRAM MiB", "HOST MiB", "COMPUTE", "COPY", "SECONDS");
	for (uint32_t i = 0; i < now->count; i++) {
		const struct top_process *p = &now->processes[i];

		printf("%-14s %8u %-16s %6u", p->gpu, p->pid, p->command, p->uid);
		print_cell(p->has_memory ? (double)p->vram / 1048576 : -1, " ");
		print_cell(p->has_memory ? (double)p->system / 1048576 : -1, " ");
		for (uint32_t e = 0; e < TOP_ENGINES; e++)
			print_cell(top_utilisation(old, now, p, e), "%");
		print_cell(p->has_usage
				   ? (double)(p->engine_ns[TOP_COMPUTE] + p->engine_ns[TOP_COPY]) *
					     1e-9
				   : -1,
			   " ");
		printf("\n");
	}
	if (now->inaccessible)
		printf("%u processes of other users are not listed; run sov top as root\n",
		       now->inaccessible);
}

static void json_percent(struct json *j, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.2f", value);
	json_raw(j, key, value < 0 ? "null" : text);
}

static void print_json(const struct doctor_snapshot *machine, const struct top_sample *old,
		       const struct top_sample *now)
{
	struct json j = {.out = stdout};

	json_object(&j, NULL);
	json_array(&j, "gpus");
	for (uint32_t i = 0; i < machine->gpu_count; i++) {
		json_object(&j, NULL);
		json_string(&j, "address", machine->gpus[i].address);
		json_u64(&j, "vendor", machine->gpus[i].vendor);
		json_u64(&j, "device", machine->gpus[i].device);
		json_string(&j, "driver", machine->gpus[i].driver);
		json_end_object(&j);
	}
	json_end_array(&j);
	json_array(&j, "processes");
	for (uint32_t i = 0; i < now->count; i++) {
		const struct top_process *p = &now->processes[i];

		json_object(&j, NULL);
		json_string(&j, "gpu", p->gpu);
		json_string(&j, "driver", p->driver);
		json_u64(&j, "pid", p->pid);
		json_string(&j, "command", p->command);
		json_u64(&j, "uid", p->uid);
		json_u64(&j, "files", p->files);
		json_bool(&j, "has_usage", p->has_usage);
		json_u64(&j, "vram_bytes", p->vram);
		json_u64(&j, "system_bytes", p->system);
		for (uint32_t e = 0; e < TOP_ENGINES; e++) {
			char key[32];

			snprintf(key, sizeof(key), "%s_percent", engine_keys[e]);
			json_percent(&j, key, top_utilisation(old, now, p, e));
			snprintf(key, sizeof(key), "%s_ns", engine_keys[e]);
			json_u64(&j, key, p->engine_ns[e]);
		}
		json_end_object(&j);
	}
	json_end_array(&j);
	json_u64(&j, "inaccessible_processes", now->inaccessible);
	json_end_object(&j);
}

/* ---- sampling loop ---- */

static void wait_seconds(double seconds)
{
	struct timespec t = {.tv_sec = (time_t)seconds};

	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	nanosleep(&t, NULL);
}

static bool parse_interval(const struct verb *v, const char *text, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	if (*text >= '0' && *text <= '9' && !*end && *seconds <= 3600)
		return true;
	usage_error(v, "interval '%s' is not a number of seconds from 0 to 3600", text);
	return false;
}

static int sample_loop(const struct verb *v, const char *root, double interval, bool once,
		       bool as_json)
{
	static struct doctor_snapshot machine;
	struct top_sample old = {0}, now;
	bool good = true;

	doctor_probe(root, &machine);
	if (once && interval > 0) {
		if (!top_take_sample(&machine, &old))
			return report_error(v, "out of memory"), EXIT_FAILED;
		wait_seconds(interval);
	}
	for (;;) {
		if (!top_take_sample(&machine, &now)) {
			report_error(v, "out of memory");
			good = false;
			break;
		}
		if (as_json)
			print_json(&machine, &old, &now);
		else
			print_text(&machine, &old, &now);
		top_free(&old);
		old = now;
		good = flush_output(v);
		if (once || !good)
			break;
		wait_seconds(interval);
		doctor_probe(root, &machine);
	}
	top_free(&old);
	return good ? EXIT_DONE : EXIT_FAILED;
}

/* ---- the screen ---- */

static void draw(struct top_screen *t, const struct top_sample *old, const struct top_sample *now)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		size = (struct winsize){.ws_row = 24, .ws_col = 80};
	top_screen_draw(stdout, t, old, now, size.ws_col, size.ws_row, has_colour(stdout));
}

static bool screen_loop(const char *root, double interval)
{
	static struct doctor_snapshot machine;
	static struct top_screen screen;
	struct top_sample old = {0}, now = {0};
	enum top_event event = TOP_SAMPLE;
	bool going = true, good = true;
	char key;

	screen.interval = interval;
	while (going) {
		if (event == TOP_SAMPLE) {
			doctor_probe(root, &machine);
			top_free(&old);
			old = now;
			good = top_take_sample(&machine, &now);
			if (!good)
				break;
			top_screen_add(&screen, &machine, &old, &now);
		}
		draw(&screen, &old, &now);
		event = top_terminal_wait(screen.paused ? -1 : screen.interval, &key);
		going = event != TOP_QUIT && (event != TOP_KEY || top_screen_key(&screen, key));
	}
	top_free(&old);
	top_free(&now);
	return good;
}

static int run_screen(const struct verb *v, const char *root, double interval)
{
	bool good;

	if (!top_terminal_open())
		return report_error(v, "the terminal belongs to another program"), EXIT_FAILED;
	good = screen_loop(root, interval);
	top_terminal_close();
	if (!good)
		report_error(v, "out of memory");
	return good ? EXIT_DONE : EXIT_FAILED;
}

static int top_run(const struct verb *v, int argc, char **argv)
{
	const char *text = "1", *root = "";
	bool as_json = false, once = false;
	const struct option options[] = {
		{"once", '1', NULL, "print one sample and exit", &once, NULL},
		{"interval", 'i', "SECONDS",
		 "time between samples (default 1); 0 with --once: no utilisation", NULL, &text},
		{"json", 0, NULL, "print JSON, a line per sample", &as_json, NULL},
		{"root", 0, "FOLDER", "show the machine whose files are below FOLDER (default /)",
		 NULL, &root},
		{0},
	};
	int operands, status;
	double interval;

	if (!parse_options(v, options, argc, argv, &operands, &status))
		return status;
	if (operands)
		return usage_error(v, "unexpected operand '%s'", argv[0]);
	if (!parse_interval(v, text, &interval))
		return EXIT_USAGE;
	if (!once && interval < 0.1)
		return usage_error(
			v, "interval '%s' is too short; the minimum without --once is 0.1", text);
	if (!once && !as_json && isatty(STDOUT_FILENO) && isatty(STDIN_FILENO))
		return run_screen(v, root, interval);
	return sample_loop(v, root, interval, once, as_json);
}

const struct verb verb_top = {
	.name = "top",
	.summary = "Show which processes use which GPU, and how much.",
	.usage = "[--once] [--interval SECONDS] [--json]",
	.details =
		"DRM drivers, such as sovgpu.ko, report the memory and the engine time of each "
		"process.\n"
		"NVIDIA's module shows ordinary users only which processes have a GPU open. Only "
		"root sees\n"
		"processes of other users. A software GPU's time is that of its threads, over "
		"all\n"
		"processors.\n"
		"\n"
		"On a terminal: bars and sparklines of utilisation, and keys: q quits, s changes "
		"the order\n"
		"of processes, p pauses, + and - change the interval.\n",
	.run = top_run,
};
