// SPDX-License-Identifier: MIT
/*
 * Software GPUs of other processes. Their threads are named "sov:CHIP"; the CPU time of these, over
 * that of all processors, is the GPU's. Their memory is a mapping of that name, where Linux names
 * mappings and this user may read them.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "model/core/names.h"
#include "tools/top.h"

/* CPU time of a thread: fields 14 and 15 of its stat; the name in field 2 may contain anything. */
static bool read_cpu_ns(const char *path, uint64_t *ns)
{
	unsigned long long user, system;
	char text[1024];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	const char *end;

	if (f)
		fclose(f);
	text[n] = 0;
	end = strrchr(text, ')');
	if (!end || sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user,
			   &system) != 2)
		return false;
	*ns = (user + system) * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
	return true;
}

static bool read_chip(const char *path, char chip[16])
{
	FILE *f = fopen(path, "r");
	char text[32] = "";
	bool named;

	if (f && !fgets(text, sizeof(text), f))
		text[0] = 0;
	if (f)
		fclose(f);
	text[strcspn(text, "\n")] = 0;
	top_hide_controls(text);
	named = !strncmp(text, MODEL_NAME_PREFIX, sizeof(MODEL_NAME_PREFIX) - 1);
	if (named)
		snprintf(chip, 16, "%.15s", text + sizeof(MODEL_NAME_PREFIX) - 1);
	return named && *chip;
}

static struct top_software *find_chip(struct top_software *list, uint32_t *count, const char *chip)
{
	for (uint32_t i = 0; i < *count; i++)
		if (!strcmp(list[i].chip, chip))
			return &list[i];
	if (*count == TOP_MAX_SOFTWARE)
		return NULL;
	memset(&list[*count], 0, sizeof(*list));
	snprintf(list[*count].chip, sizeof(list->chip), "%s", chip);
	return &list[(*count)++];
}

/* Adds up the resident memory of the named mappings. */
static void read_memory(const char *folder, struct top_software *list, uint32_t count)
{
	struct top_software *inside = NULL;
	char line[512], path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%.4000s/smaps", folder);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		unsigned long long kib;
		char *name = strstr(line, "[anon:" MODEL_NAME_PREFIX);

		if (name) {
			name += sizeof("[anon:" MODEL_NAME_PREFIX) - 1;
			name[strcspn(name, "]\n")] = 0;
			inside = NULL;
			for (uint32_t i = 0; i < count; i++)
				if (!strcmp(list[i].chip, name))
					inside = &list[i];
			if (inside)
				inside->has_memory = true;
		} else if (inside && sscanf(line, "Rss: %llu kB", &kib) == 1) {
			inside->memory += kib << 10;
			inside = NULL;
		}
	}
	if (f)
		fclose(f);
}

uint32_t top_software(const char *folder, struct top_software list[TOP_MAX_SOFTWARE])
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t count = 0;
	char path[4096];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "%.4000s/task", folder);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		struct top_software *s;
		uint64_t ns = 0;
		char chip[16];

		snprintf(path, sizeof(path), "%.3900s/task/%.20s/comm", folder, e->d_name);
		if (e->d_name[0] == '.' || !read_chip(path, chip))
			continue;
		snprintf(path, sizeof(path), "%.3900s/task/%.20s/stat", folder, e->d_name);
		s = find_chip(list, &count, chip);
		if (s && read_cpu_ns(path, &ns))
			s->busy_ns += ns / (uint64_t)(processors > 0 ? processors : 1);
	}
	if (d)
		closedir(d);
	if (count)
		read_memory(folder, list, count);
	return count;
}
