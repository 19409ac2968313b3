// SPDX-License-Identifier: MIT
/*
 * Scans /proc for processes with open GPU files. DRM drivers, sovgpu.ko among them, report the
 * usage of each client in fdinfo in a common format. NVIDIA's module reports nothing there, so only
 * the open files themselves are known. A client that several processes share counts for the first.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "tools/tool.h"
#include "tools/top.h"

/* ---- fdinfo ---- */

static const struct {
	const char *name;
	enum top_engine engine;
} engines[] = {
	{"compute", TOP_COMPUTE}, {"gfx", TOP_COMPUTE}, {"render", TOP_COMPUTE},
	{"copy", TOP_COPY},       {"dma", TOP_COPY},
};

/* Parses a size such as "12 KiB". */
static uint64_t parse_bytes(const char *value)
{
	char *unit;
	uint64_t n = strtoull(value, &unit, 10);
	uint32_t shift = strstr(unit, "KiB")   ? 10
			 : strstr(unit, "MiB") ? 20
			 : strstr(unit, "GiB") ? 30
					       : 0;

	return n > UINT64_MAX >> shift ? UINT64_MAX : n << shift;
}

static void parse_fdinfo_line(const char *key, const char *value, struct top_client *c)
{
	if (!strcmp(key, "drm-driver"))
		snprintf(c->driver, sizeof(c->driver), "%.31s", value);
	else if (!strcmp(key, "drm-pdev"))
		snprintf(c->gpu, sizeof(c->gpu), "%.31s", value);
	else if (!strcmp(key, "drm-client-id"))
		c->id = strtoull(value, NULL, 10);
	else if (!strncmp(key, "drm-resident-vram", 17))
		c->vram += parse_bytes(value);
	else if (!strcmp(key, "drm-resident-system"))
		c->system += parse_bytes(value);
	else if (!strncmp(key, "drm-engine-", 11))
		for (size_t i = 0; i < sizeof(engines) / sizeof(*engines); i++)
			if (!strcmp(key + 11, engines[i].name))
				c->engine_ns[engines[i].engine] += strtoull(value, NULL, 10);
}

bool top_parse_fdinfo(const char *text, struct top_client *out)
{
	char key[64], value[64];

	memset(out, 0, sizeof(*out));
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		size_t n = strcspn(text, ":\n"), blank;

		if (text[n] != ':' || n >= sizeof(key))
			continue;
		snprintf(key, sizeof(key), "%.*s", (int)n, text);
		text += n + 1;
		blank = strspn(text, " \t");
		text += blank;
		n = strcspn(text, "\n");
		snprintf(value, sizeof(value), "%.*s",
			 n < sizeof(value) ? (int)n : (int)sizeof(value) - 1, text);
		parse_fdinfo_line(key, value, out);
	}
	return *out->driver && *out->gpu;
}

/* ---- processes ---- */

struct top_scan {
	const struct doctor_snapshot *machine;
	struct top_sample *sample;
	struct top_process current; /* template for the rows of the process being scanned */
};

static bool grow_array(void **array, uint32_t count, uint32_t *capacity, size_t bytes)
{
	uint32_t more = *capacity ? 2 * *capacity : 16;
	void *bigger;

	if (count < *capacity)
		return true;
	bigger = realloc(*array, more * bytes);
	if (!bigger)
		return false;
	*array = bigger;
	*capacity = more;
	return true;
}

/* Finds or adds the row of the current process for this GPU. */
static struct top_process *process_on_gpu(struct top_scan *scan, const char *gpu,
					  const char *driver)
{
	struct top_sample *s = scan->sample;
	struct top_process *p;

	for (uint32_t i = s->count; i-- && s->processes[i].pid == scan->current.pid;)
		if (!strcmp(s->processes[i].gpu, gpu) && !strcmp(s->processes[i].driver, driver))
			return &s->processes[i];
	if (!grow_array((void **)&s->processes, s->count, &s->capacity, sizeof(*s->processes)))
		return NULL;
	p = &s->processes[s->count++];
	*p = scan->current;
	snprintf(p->gpu, sizeof(p->gpu), "%s", gpu);
	snprintf(p->driver, sizeof(p->driver), "%s", driver);
	return p;
}

static bool client_is_counted(struct top_sample *s, const struct top_client *c)
{
	for (uint32_t i = 0; i < s->client_count; i++)
		if (s->clients[i].id == c->id && !strcmp(s->clients[i].gpu, c->gpu))
			return true;
	return false;
}

static bool add_client(struct top_scan *scan, const struct top_client *c)
{
	struct top_sample *s = scan->sample;
	struct top_process *p;

	if (client_is_counted(s, c))
		return true;
	p = process_on_gpu(scan, c->gpu, c->driver);
	if (!p || !grow_array((void **)&s->clients, s->client_count, &s->client_capacity,
			      sizeof(*s->clients)))
		return false;
	s->clients[s->client_count++] = *c;
	p->has_usage = p->has_memory = true;
	p->files++;
	p->vram += c->vram;
	p->system += c->system;
	for (uint32_t i = 0; i < TOP_ENGINES; i++)
		p->engine_ns[i] += c->engine_ns[i];
	return true;
}

static size_t read_text(const char *path, char *text, size_t bytes)
{
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, bytes - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = 0;
	return n;
}

static bool scan_file(struct top_scan *scan, const char *folder, const char *number)
{
	char path[4096], target[256], text[4096];
	const struct doctor_snapshot *machine = scan->machine;
	struct top_client c;
	struct top_process *p;
	ssize_t n;

	snprintf(path, sizeof(path), "%.2040s/fd/%.40s", folder, number);
	n = readlink(path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = 0;
	if (!strncmp(target, "/dev/dri/", 9)) {
		snprintf(path, sizeof(path), "%.2040s/fdinfo/%.40s", folder, number);
		return !read_text(path, text, sizeof(text)) || !top_parse_fdinfo(text, &c) ||
		       add_client(scan, &c);
	}
	for (uint32_t i = 0; i < machine->gpu_count; i++) {
		if (!*machine->gpus[i].nvidia.path || strcmp(target, machine->gpus[i].nvidia.path))
			continue;
		p = process_on_gpu(scan, machine->gpus[i].address, "nvidia");
		if (!p)
			return false;
		p->files++;
	}
	return true;
}

/* Rows of the process's software GPUs, whose engine is the processor. */
static bool scan_software(struct top_scan *scan, const char *folder)
{
	struct top_software list[TOP_MAX_SOFTWARE];
	uint32_t count = top_software(folder, list);

	for (uint32_t i = 0; i < count; i++) {
		struct top_process *p = process_on_gpu(scan, list[i].chip, "software");

		if (!p)
			return false;
		p->has_usage = true;
		p->has_memory = list[i].has_memory;
		p->vram = list[i].memory;
		p->engine_ns[TOP_COMPUTE] = list[i].busy_ns;
	}
	return true;
}

void top_hide_controls(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

static bool scan_process(struct top_scan *scan, const char *folder)
{
	char path[4096];
	struct dirent *e;
	bool good = true;
	struct stat st;
	DIR *d;

	snprintf(path, sizeof(path), "%.2040s/comm", folder);
	read_text(path, scan->current.command, sizeof(scan->current.command));
	scan->current.command[strcspn(scan->current.command, "\n")] = 0;
	top_hide_controls(scan->current.command);
	if (!stat(folder, &st))
		scan->current.uid = st.st_uid;
	snprintf(path, sizeof(path), "%.2040s/fd", folder);
	d = opendir(path);
	scan->sample->inaccessible += !d && errno == EACCES;
	while (d && good && (e = readdir(d)))
		if (e->d_name[0] != '.')
			good = scan_file(scan, folder, e->d_name);
	if (d)
		closedir(d);
	return good && scan_software(scan, folder);
}

static int compare_processes(const void *a, const void *b)
{
	const struct top_process *x = a, *y = b;
	int order = strcmp(x->gpu, y->gpu);

	if (order)
		return order;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

bool top_take_sample(const struct doctor_snapshot *machine, struct top_sample *s)
{
	struct top_scan scan = {.machine = machine, .sample = s};
	char path[4096];
	struct timespec t;
	struct dirent *e;
	bool good = true;
	DIR *d;

	memset(s, 0, sizeof(*s));
	snprintf(path, sizeof(path), "%.2000s/proc", machine->root);
	d = opendir(path);
	while (d && good && (e = readdir(d))) {
		if (!e->d_name[0] || e->d_name[strspn(e->d_name, "0123456789")])
			continue;
		memset(&scan.current, 0, sizeof(scan.current));
		scan.current.pid = (uint32_t)strtoul(e->d_name, NULL, 10);
		snprintf(path, sizeof(path), "%.2000s/proc/%.20s", machine->root, e->d_name);
		good = scan_process(&scan, path);
	}
	if (d)
		closedir(d);
	clock_gettime(CLOCK_MONOTONIC, &t);
	s->time_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (s->count)
		qsort(s->processes, s->count, sizeof(*s->processes), compare_processes);
	if (!good)
		top_free(s);
	return good;
}

void top_free(struct top_sample *s)
{
	free(s->processes);
	free(s->clients);
	memset(s, 0, sizeof(*s));
}
