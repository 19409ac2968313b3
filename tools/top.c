/* SPDX-License-Identifier: MIT */
/*
 * sov top: what runs on each GPU. How busy a process keeps a GPU is what its time grew by between
 * two looks. What a driver does not tell is shown as a dash, and software GPUs, which live inside
 * their processes, are not seen at all: that is said.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tools/tool.h"
#include "tools/top.h"

static const char *const engine_keys[TOP_ENGINES] = {
	[TOP_COMPUTE] = "compute", [TOP_COPY] = "copy"};

/* The same process on the same GPU, at the look before. */
static const struct top_use *before(const struct top_sample *s, const struct top_use *u)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->uses[i].process == u->process && !strcmp(s->uses[i].gpu, u->gpu) &&
		    !strcmp(s->uses[i].driver, u->driver))
			return &s->uses[i];
	return NULL;
}

/* Percent of the time between two looks; below 0: not known. */
static double busy(const struct top_sample *old, const struct top_sample *now,
		   const struct top_use *u, enum top_engine engine)
{
	const struct top_use *b = before(old, u);

	if (!u->told || !b || now->when <= old->when || u->busy[engine] < b->busy[engine])
		return -1;
	return 100.0 * (double)(u->busy[engine] - b->busy[engine]) /
	       (double)(now->when - old->when);
}

/* ---- telling ---- */

static void cell(double value, const char *unit)
{
	if (value < 0)
		printf(" %9s", "-");
	else
		printf(" %8.1f%s", value, unit);
}

static void print_text(const struct doctor_snapshot *m, const struct top_sample *old,
		       const struct top_sample *now)
{
	for (uint32_t i = 0; i < m->gpu_count; i++)
		printf("GPU %s  PCI %04x:%04x, %s%s\n", m->gpus[i].address, m->gpus[i].vendor,
		       m->gpus[i].device, *m->gpus[i].driver ? "driver " : "no driver",
		       m->gpus[i].driver);
	if (!m->gpu_count)
		printf("no GPU on the PCI bus; software GPUs live inside their processes and "
		       "cannot be seen\n");
	printf("%-14s %8s %-16s %6s %9s %9s %9s %9s %9s\n", "gpu", "process", "command", "user",
	       "vram MiB", "host MiB", "compute", "copy", "seconds");
	for (uint32_t i = 0; i < now->count; i++) {
		const struct top_use *u = &now->uses[i];

		printf("%-14s %8u %-16s %6u", u->gpu, u->process, u->command, u->user);
		cell(u->told ? (double)u->vram / 1048576 : -1, " ");
		cell(u->told ? (double)u->system / 1048576 : -1, " ");
		for (uint32_t e = 0; e < TOP_ENGINES; e++)
			cell(busy(old, now, u, e), "%");
		cell(u->told ? (double)(u->busy[TOP_COMPUTE] + u->busy[TOP_COPY]) * 1e-9 : -1, " ");
		printf("\n");
	}
	if (now->hidden)
		printf("%u processes of other users cannot be looked at\n", now->hidden);
}

static void json_percent(struct json *j, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.2f", value);
	json_raw(j, key, value < 0 ? "null" : text);
}

static void print_json(const struct doctor_snapshot *m, const struct top_sample *old,
		       const struct top_sample *now)
{
	struct json j = {.out = stdout};

	json_object(&j, NULL);
	json_array(&j, "gpus");
	for (uint32_t i = 0; i < m->gpu_count; i++) {
		json_object(&j, NULL);
		json_string(&j, "address", m->gpus[i].address);
		json_u64(&j, "vendor", m->gpus[i].vendor);
		json_u64(&j, "device", m->gpus[i].device);
		json_string(&j, "driver", m->gpus[i].driver);
		json_end_object(&j);
	}
	json_end_array(&j);
	json_array(&j, "processes");
	for (uint32_t i = 0; i < now->count; i++) {
		const struct top_use *u = &now->uses[i];

		json_object(&j, NULL);
		json_string(&j, "gpu", u->gpu);
		json_string(&j, "driver", u->driver);
		json_u64(&j, "process", u->process);
		json_string(&j, "command", u->command);
		json_u64(&j, "user", u->user);
		json_u64(&j, "files", u->files);
		json_bool(&j, "told", u->told);
		json_u64(&j, "vram_bytes", u->vram);
		json_u64(&j, "system_bytes", u->system);
		for (uint32_t e = 0; e < TOP_ENGINES; e++) {
			char key[32];

			json_percent(&j, engine_keys[e], busy(old, now, u, e));
			snprintf(key, sizeof(key), "%s_ns", engine_keys[e]);
			json_u64(&j, key, u->busy[e]);
		}
		json_end_object(&j);
	}
	json_end_array(&j);
	json_u64(&j, "hidden", now->hidden);
	json_end_object(&j);
}

/* ---- again and again ---- */

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

static int watch(const struct verb *v, const char *root, double interval, bool once, bool as_json)
{
	static struct doctor_snapshot machine;
	struct top_sample old = {0}, now;
	bool screen = !once && !as_json && isatty(STDOUT_FILENO), good = true;

	doctor_probe(root, &machine);
	if (once && interval > 0) {
		if (!top_take_sample(&machine, &old))
			return complain(v, "there is no memory for what runs"), EXIT_FAILED;
		wait_seconds(interval);
	}
	for (;;) {
		if (!top_take_sample(&machine, &now)) {
			complain(v, "there is no memory for what runs");
			good = false;
			break;
		}
		if (screen)
			printf("\033[H\033[J"); /* to the corner, and clear */
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

static int run(const struct verb *v, int argc, char **argv)
{
	const char *text = "1", *root = "";
	bool as_json = false, once = false;
	const struct option options[] = {
		{"once", '1', NULL, "print once and end", &once, NULL},
		{"interval", 'i', "SECONDS",
		 "between two looks (1); 0 with --once: one look, nothing is compared", NULL,
		 &text},
		{"json", 0, NULL, "print JSON, a line for each look", &as_json, NULL},
		{"root", 0, "FOLDER", "look at the machine whose files these are", NULL, &root},
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
		return usage_error(v, "an interval of %s s would only look at itself; at least 0.1",
				   text);
	return watch(v, root, interval, once, as_json);
}

const struct verb verb_top = {
	.name = "top",
	.summary = "Show which processes use which GPU, and how much.",
	.usage = "[--once] [--interval SECONDS] [--json]",
	.details =
		"Drivers of DRM, such as sovgpu.ko, tell of each process its memory and the time "
		"that its work took.\n"
		"NVIDIA's module tells ordinary users only who has a GPU open. Processes of other "
		"users can be looked\n"
		"at by root alone. Software GPUs live inside their processes and cannot be seen.\n",
	.run = run,
};
