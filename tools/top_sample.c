/* SPDX-License-Identifier: MIT */
/*
 * Looks through /proc for processes that have a GPU's file open. Drivers of DRM, sovgpu.ko among
 * them, say in fdinfo what each file uses, all in the same words. NVIDIA's module says nothing
 * there: of its files it is only known who has them open. A file that several processes share
 * counts for the first.
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

/* ---- one file ---- */

static const struct {
	const char *name;
	enum top_engine engine;
} engines[] = {
	{"compute", TOP_COMPUTE}, {"gfx", TOP_COMPUTE}, {"render", TOP_COMPUTE},
	{"copy", TOP_COPY},       {"dma", TOP_COPY},
};

/* "12 KiB" */
static uint64_t bytes_of(const char *value)
{
	char *unit;
	uint64_t n = strtoull(value, &unit, 10);
	uint32_t shift = strstr(unit, "KiB")   ? 10
			 : strstr(unit, "MiB") ? 20
			 : strstr(unit, "GiB") ? 30
					       : 0;

	return n > UINT64_MAX >> shift ? UINT64_MAX : n << shift;
}

static void take_line(const char *key, const char *value, struct top_client *c)
{
	if (!strcmp(key, "drm-driver"))
		snprintf(c->driver, sizeof(c->driver), "%.31s", value);
	else if (!strcmp(key, "drm-pdev"))
		snprintf(c->gpu, sizeof(c->gpu), "%.31s", value);
	else if (!strcmp(key, "drm-client-id"))
		c->id = strtoull(value, NULL, 10);
	else if (!strncmp(key, "drm-resident-vram", 17))
		c->vram += bytes_of(value);
	else if (!strcmp(key, "drm-resident-system"))
		c->system += bytes_of(value);
	else if (!strncmp(key, "drm-engine-", 11))
		for (size_t i = 0; i < sizeof(engines) / sizeof(*engines); i++)
			if (!strcmp(key + 11, engines[i].name))
				c->busy[engines[i].engine] += strtoull(value, NULL, 10);
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
		take_line(key, value, out);
	}
	return *out->driver && *out->gpu;
}

/* ---- one process ---- */

struct look {
	const struct doctor_snapshot *machine;
	struct top_sample *s;
	struct top_use now; /* the process that is looked at */
};

static bool grow(void **array, uint32_t count, uint32_t *capacity, size_t bytes)
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

/* The row of this process on that GPU. */
static struct top_use *use_on(struct look *l, const char *gpu, const char *driver)
{
	struct top_sample *s = l->s;
	struct top_use *u;

	for (uint32_t i = s->count; i-- && s->uses[i].process == l->now.process;)
		if (!strcmp(s->uses[i].gpu, gpu) && !strcmp(s->uses[i].driver, driver))
			return &s->uses[i];
	if (!grow((void **)&s->uses, s->count, &s->capacity, sizeof(*s->uses)))
		return NULL;
	u = &s->uses[s->count++];
	*u = l->now;
	snprintf(u->gpu, sizeof(u->gpu), "%s", gpu);
	snprintf(u->driver, sizeof(u->driver), "%s", driver);
	return u;
}

static bool seen_before(struct top_sample *s, const struct top_client *c)
{
	for (uint32_t i = 0; i < s->seen_count; i++)
		if (s->seen[i].id == c->id && !strcmp(s->seen[i].gpu, c->gpu))
			return true;
	return false;
}

static bool add_client(struct look *l, const struct top_client *c)
{
	struct top_sample *s = l->s;
	struct top_use *u;

	if (seen_before(s, c))
		return true;
	u = use_on(l, c->gpu, c->driver);
	if (!u || !grow((void **)&s->seen, s->seen_count, &s->seen_capacity, sizeof(*s->seen)))
		return false;
	s->seen[s->seen_count++] = *c;
	u->told = true;
	u->files++;
	u->vram += c->vram;
	u->system += c->system;
	for (uint32_t i = 0; i < TOP_ENGINES; i++)
		u->busy[i] += c->busy[i];
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

static bool look_file(struct look *l, const char *folder, const char *number)
{
	char path[4096], target[256], text[4096];
	const struct doctor_snapshot *m = l->machine;
	struct top_client c;
	struct top_use *u;
	ssize_t n;

	snprintf(path, sizeof(path), "%.2040s/fd/%.40s", folder, number);
	n = readlink(path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = 0;
	if (!strncmp(target, "/dev/dri/", 9)) {
		snprintf(path, sizeof(path), "%.2040s/fdinfo/%.40s", folder, number);
		return !read_text(path, text, sizeof(text)) || !top_parse_fdinfo(text, &c) ||
		       add_client(l, &c);
	}
	for (uint32_t i = 0; i < m->gpu_count; i++) {
		if (!*m->gpus[i].nvidia.path || strcmp(target, m->gpus[i].nvidia.path))
			continue;
		u = use_on(l, m->gpus[i].address, "nvidia");
		if (!u)
			return false;
		u->files++;
	}
	return true;
}

static bool look_process(struct look *l, const char *folder)
{
	char path[4096];
	struct dirent *e;
	bool good = true;
	struct stat st;
	DIR *d;

	snprintf(path, sizeof(path), "%.2040s/comm", folder);
	read_text(path, l->now.command, sizeof(l->now.command));
	l->now.command[strcspn(l->now.command, "\n")] = 0;
	if (!stat(folder, &st))
		l->now.user = st.st_uid;
	snprintf(path, sizeof(path), "%.2040s/fd", folder);
	d = opendir(path);
	l->s->hidden += !d && errno == EACCES;
	while (d && good && (e = readdir(d)))
		if (e->d_name[0] != '.')
			good = look_file(l, folder, e->d_name);
	if (d)
		closedir(d);
	return good;
}

/* ---- all of them ---- */

static int by_use(const void *a, const void *b)
{
	const struct top_use *x = a, *y = b;
	int order = strcmp(x->gpu, y->gpu);

	if (order)
		return order;
	return x->process < y->process ? -1 : x->process > y->process;
}

bool top_take_sample(const struct doctor_snapshot *machine, struct top_sample *s)
{
	struct look l = {.machine = machine, .s = s};
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
		memset(&l.now, 0, sizeof(l.now));
		l.now.process = (uint32_t)strtoul(e->d_name, NULL, 10);
		snprintf(path, sizeof(path), "%.2000s/proc/%.20s", machine->root, e->d_name);
		good = look_process(&l, path);
	}
	if (d)
		closedir(d);
	clock_gettime(CLOCK_MONOTONIC, &t);
	s->when = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (s->count)
		qsort(s->uses, s->count, sizeof(*s->uses), by_use);
	if (!good)
		top_free(s);
	return good;
}

void top_free(struct top_sample *s)
{
	free(s->uses);
	free(s->seen);
	memset(s, 0, sizeof(*s));
}
