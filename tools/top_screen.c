// SPDX-License-Identifier: MIT
/* The screen of sov top. It is drawn as a whole for each sample; long lines are cut. */
#include <stdlib.h>
#include <string.h>
#include "tools/top_screen.h"
#include "tools/tool.h"

#define LINE_BYTES 1024

/* ---- samples ---- */

static struct top_gpu *find_gpu(struct top_screen *t, const char *name)
{
	struct top_gpu *g;

	for (uint32_t i = 0; i < t->count; i++)
		if (!strcmp(t->gpus[i].name, name))
			return &t->gpus[i];
	if (t->count == TOP_MAX_GPUS)
		return NULL;
	g = &t->gpus[t->count++];
	memset(g, 0, sizeof(*g));
	snprintf(g->name, sizeof(g->name), "%.39s", name);
	for (uint32_t i = 0; i < TOP_HISTORY; i++)
		g->history[i] = -1;
	return g;
}

/* What the library knows of a GPU without a context. */
static void add_state(struct top_screen *t)
{
	uint32_t count = 0;

	if (sov_device_count(&count))
		return;
	for (uint32_t i = 0; i < count; i++) {
		sov_device_identity id = SOV_INIT(sov_device_identity);
		sov_device_properties p = SOV_INIT(sov_device_properties);
		sov_device_state s = SOV_INIT(sov_device_state);
		char address[DEVICE_PCI_TEXT];
		struct top_gpu *g;
		sov_device d;

		if (sov_device_open(i, &d) || sov_device_get_properties(d, &p) ||
		    p.features & SOV_FEATURE_SOFTWARE || sov_device_get_identity(d, &id) ||
		    !(id.known & SOV_IDENTITY_PCI) || sov_device_get_state(d, &s))
			continue;
		device_pci(&id, address);
		g = find_gpu(t, address);
		if (!g)
			continue;
		snprintf(g->title, sizeof(g->title), "%s", p.product);
		if (s.known & SOV_STATE_UTILIZATION)
			g->percent = s.busy_percent;
		if (s.known & SOV_STATE_MEMORY) {
			g->memory_size = s.memory_bytes;
			g->memory = s.memory_bytes - s.memory_free;
		}
		if (s.known & SOV_STATE_TEMPERATURE)
			g->degrees = s.temperature / 1000;
		if (s.known & SOV_STATE_POWER)
			g->watts = s.power / 1000;
	}
}

void top_screen_add(struct top_screen *t, const struct doctor_snapshot *machine,
		    const struct top_sample *old, const struct top_sample *now)
{
	for (uint32_t i = 0; i < machine->gpu_count; i++) {
		struct top_gpu *g = find_gpu(t, machine->gpus[i].address);

		if (g && !*g->title)
			snprintf(g->title, sizeof(g->title), "PCI %04x:%04x, %s",
				 machine->gpus[i].vendor, machine->gpus[i].device,
				 *machine->gpus[i].driver ? machine->gpus[i].driver : "no driver");
	}
	for (uint32_t i = 0; i < t->count; i++) {
		t->gpus[i].percent = -1;
		t->gpus[i].memory = t->gpus[i].memory_size = 0;
		t->gpus[i].degrees = INT32_MIN;
		t->gpus[i].watts = 0;
	}
	for (uint32_t i = 0; i < now->count; i++) {
		const struct top_process *p = &now->processes[i];
		double percent = top_utilisation(old, now, p, TOP_COMPUTE);
		struct top_gpu *g = find_gpu(t, p->gpu);

		if (!g)
			continue;
		if (!*g->title)
			snprintf(g->title, sizeof(g->title), "%s",
				 strcmp(p->driver, "software") ? p->driver : "software GPU");
		if (percent >= 0)
			g->percent = (g->percent > 0 ? g->percent : 0) + percent;
		g->memory += p->vram;
	}
	if (!*machine->root)
		add_state(t);
	for (uint32_t i = 0; i < t->count; i++) {
		memmove(t->gpus[i].history, t->gpus[i].history + 1,
			(TOP_HISTORY - 1) * sizeof(*t->gpus[i].history));
		t->gpus[i].history[TOP_HISTORY - 1] = t->gpus[i].percent;
	}
}

/* ---- drawing ---- */

static double bounded(double percent)
{
	return percent < 0 ? 0 : percent > 100 ? 100 : percent;
}

void top_bar(FILE *out, double percent, uint32_t cells)
{
	static const char *const parts[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	uint32_t eighths = (uint32_t)(bounded(percent) / 100 * cells * 8 + 0.5);

	for (uint32_t i = 0; i < cells; i++)
		fputs(eighths >= 8 * (i + 1) ? "█"
		      : eighths > 8 * i      ? parts[eighths % 8]
					     : "·",
		      out);
}

void top_sparkline(FILE *out, const double *history, uint32_t cells)
{
	static const char *const levels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

	for (uint32_t i = TOP_HISTORY - (cells < TOP_HISTORY ? cells : TOP_HISTORY);
	     i < TOP_HISTORY; i++)
		fputs(history[i] < 0 ? " " : levels[(uint32_t)(bounded(history[i]) / 100 * 7.99)],
		      out);
}

/* Prints a line of text, cut after this many columns: UTF-8, without escape sequences. */
static void print_cut(FILE *out, const char *text, uint32_t columns)
{
	uint32_t at = 0;

	for (; *text && *text != '\n'; text++) {
		at += ((unsigned char)*text & 0xc0) != 0x80;
		if (at > columns)
			break;
		fputc(*text, out);
	}
	fputs("\033[K\r\n", out);
}

static void draw_gpu(FILE *out, const struct top_gpu *g, uint32_t columns, bool colour)
{
	const char *on = !colour           ? ""
			 : g->percent > 80 ? "\033[31m"
			 : g->percent > 40 ? "\033[33m"
					   : "\033[32m";
	uint32_t bar = columns > 110 ? 40 : columns > 80 ? 24 : 10;
	uint32_t line = columns > bar + 50 ? columns - bar - 50 : 0;
	char text[LINE_BYTES];
	size_t n;

	snprintf(text, sizeof(text), "%s  %s", g->name, g->title);
	n = strlen(text);
	if (g->degrees != INT32_MIN)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "  %d °C", g->degrees);
	if (g->watts)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "  %u W", g->watts);
	if (g->memory_size)
		snprintf(text + n, sizeof(text) - n, "  %llu of %llu MiB",
			 (unsigned long long)(g->memory >> 20),
			 (unsigned long long)(g->memory_size >> 20));
	else if (g->memory)
		snprintf(text + n, sizeof(text) - n, "  %llu MiB",
			 (unsigned long long)(g->memory >> 20));
	print_cut(out, text, columns);
	if (columns < bar + 12) {
		fputs("\033[K\r\n", out);
		return;
	}
	fprintf(out, "  %s", on);
	top_bar(out, g->percent, bar);
	fputs(colour ? COLOUR_OFF : "", out);
	if (g->percent < 0)
		fprintf(out, "      -  ");
	else
		fprintf(out, " %5.1f%%  ", g->percent);
	fputs(on, out);
	top_sparkline(out, g->history, line < TOP_HISTORY ? line : TOP_HISTORY);
	fprintf(out, "%s\033[K\r\n", colour ? COLOUR_OFF : "");
}

struct row {
	const struct top_process *process;
	double percent;
};

static int compare_busy(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->percent < y->percent) - (x->percent > y->percent);
}

static int compare_memory(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->process->vram < y->process->vram) - (x->process->vram > y->process->vram);
}

static int compare_pid(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->process->pid > y->process->pid) - (x->process->pid < y->process->pid);
}

static const struct {
	const char *name;
	int (*compare)(const void *a, const void *b);
} sorts[TOP_SORTS] = {
	[TOP_SORT_BUSY] = {"utilisation", compare_busy},
	[TOP_SORT_MEMORY] = {"memory", compare_memory},
	[TOP_SORT_PID] = {"process", compare_pid},
};

static void draw_processes(FILE *out, const struct top_screen *t, const struct top_sample *old,
			   const struct top_sample *now, uint32_t columns, uint32_t lines,
			   bool colour)
{
	struct row *rows = calloc(now->count + 1, sizeof(*rows));
	char text[LINE_BYTES];

	if (!rows)
		return;
	for (uint32_t i = 0; i < now->count; i++)
		rows[i] = (struct row){&now->processes[i],
				       top_utilisation(old, now, &now->processes[i], TOP_COMPUTE)};
	qsort(rows, now->count, sizeof(*rows), sorts[t->sort].compare);
	snprintf(text, sizeof(text), "%8s %-20s %-14s %10s %9s %9s", "PID", "COMMAND", "GPU",
		 "VRAM MiB", "COMPUTE", "COPY");
	fputs(colour ? "\033[7m" : "", out);
	print_cut(out, text, columns);
	fputs(colour ? COLOUR_OFF : "", out);
	for (uint32_t i = 0; i < now->count && i < lines; i++) {
		const struct top_process *p = rows[i].process;
		double copy = top_utilisation(old, now, p, TOP_COPY);
		char vram[16] = "-", busy[16] = "-", copies[16] = "-";

		if (p->has_memory)
			snprintf(vram, sizeof(vram), "%.1f", (double)p->vram / 1048576);
		if (rows[i].percent >= 0)
			snprintf(busy, sizeof(busy), "%.1f%%", rows[i].percent);
		if (copy >= 0)
			snprintf(copies, sizeof(copies), "%.1f%%", copy);
		snprintf(text, sizeof(text), "%8u %-20.20s %-14.14s %10s %9s %9s", p->pid,
			 p->command, p->gpu, vram, busy, copies);
		print_cut(out, text, columns);
	}
	free(rows);
}

void top_screen_draw(FILE *out, struct top_screen *t, const struct top_sample *old,
		     const struct top_sample *now, uint32_t columns, uint32_t lines, bool colour)
{
	uint32_t used = 3 + 2 * t->count;
	char text[LINE_BYTES];

	fputs("\033[H", out);
	for (uint32_t i = 0; i < t->count && 2 * i + 4 < lines; i++)
		draw_gpu(out, &t->gpus[i], columns, colour);
	if (!t->count)
		print_cut(out, "no GPU on the PCI bus, and no process with a software GPU",
			  columns);
	print_cut(out, "", columns);
	if (lines > used)
		draw_processes(out, t, old, now, columns, lines - used - 1, colour);
	fputs("\033[J", out);
	snprintf(text, sizeof(text), "\033[%u;1H", lines);
	fputs(text, out);
	snprintf(text, sizeof(text), "q quit  s sort: %s  p %s  + - interval: %.1f s%s",
		 sorts[t->sort].name, t->paused ? "continue" : "pause", t->interval,
		 now->inaccessible ? "  (processes of other users: as root)" : "");
	fprintf(out, "%.*s\033[K", (int)columns, text);
	fflush(out);
}

bool top_screen_key(struct top_screen *t, char key)
{
	switch (key) {
	case 'q':
	case 'Q':
	case 3: /* ^C */
		return false;
	case 's':
		t->sort = (t->sort + 1) % TOP_SORTS;
		break;
	case 'p':
	case ' ':
		t->paused = !t->paused;
		break;
	case '+':
		t->interval = t->interval * 2 < 60 ? t->interval * 2 : 60;
		break;
	case '-':
		t->interval = t->interval / 2 > 0.1 ? t->interval / 2 : 0.1;
		break;
	default:
		break;
	}
	return true;
}
