/* SPDX-License-Identifier: MIT */
/*
 * What the machine's files say of its GPUs: sysfs of PCI and modules, procfs, device files,
 * firmware. Files that are not there, or say what is not understood, leave zeros. Who the user is
 * comes from /proc/self/status, and whether a device file may be opened from its mode: opening one
 * may wake a card.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tools/doctor.h"
#include "tools/tool.h"

#define TEXT_BYTES (1u << 20) /* of a file; modules.dep is the longest */

/* ---- files ---- */

__attribute__((format(printf, 3, 4))) static void join(const struct doctor_snapshot *s,
						       char path[4096], const char *fmt, ...)
{
	int n = snprintf(path, 4096, "%s", s->root);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path + n, n < 4096 ? 4096 - (size_t)n : 0, fmt, ap);
	va_end(ap);
}

static bool there(const struct doctor_snapshot *s, const char *path)
{
	char full[4096];

	join(s, full, "%s", path);
	return !access(full, F_OK);
}

/* The first bytes of a file, without blanks at its end; false: there is none. */
static bool text_of(const struct doctor_snapshot *s, const char *path, char *text, size_t bytes)
{
	char full[4096];
	size_t n;
	FILE *f;

	join(s, full, "%s", path);
	*text = 0;
	f = fopen(full, "r");
	if (!f)
		return false;
	n = fread(text, 1, bytes - 1, f);
	fclose(f);
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	text[n] = 0;
	return true;
}

/* The last part of where a link leads. */
static void link_of(const struct doctor_snapshot *s, const char *path, char *name, size_t bytes)
{
	char full[4096], target[4096];
	const char *slash;
	ssize_t n;

	join(s, full, "%s", path);
	n = readlink(full, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = 0;
	slash = strrchr(target, '/');
	snprintf(name, bytes, "%.*s", (int)bytes - 1, slash ? slash + 1 : target);
}

static uint32_t number_in(const struct doctor_snapshot *s, const char *folder, const char *file)
{
	char path[512], text[64];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	return text_of(s, path, text, sizeof(text)) ? (uint32_t)strtoul(text, NULL, 0) : 0;
}

/* ---- the user ---- */

static void look_user(struct doctor_snapshot *s)
{
	char *text = malloc(TEXT_BYTES), *at;

	if (!text || !text_of(s, "/proc/self/status", text, TEXT_BYTES)) {
		free(text);
		return;
	}
	at = strstr(text, "\nUid:"); /* real, effective … */
	if (at) {
		strtoul(at + 5, &at, 10);
		s->user = (uint32_t)strtoul(at, NULL, 10);
	}
	at = strstr(text, "\nGid:");
	if (at) {
		strtoul(at + 5, &at, 10);
		s->groups[s->group_count++] = (uint32_t)strtoul(at, NULL, 10);
	}
	at = strstr(text, "\nGroups:");
	for (at = at ? at + 8 : NULL; at && s->group_count < DOCTOR_GROUPS;) {
		char *end;
		unsigned long group;

		at += strspn(at, " \t");
		group = strtoul(at, &end, 10);
		if (end == at || *at == '\n')
			break;
		s->groups[s->group_count++] = (uint32_t)group;
		at = end;
	}
	free(text);
}

static bool in_group(const struct doctor_snapshot *s, uint32_t group)
{
	for (uint32_t i = 0; i < s->group_count; i++)
		if (s->groups[i] == group)
			return true;
	return false;
}

/* "render:x:106:user" */
static void group_name(const struct doctor_snapshot *s, uint32_t group, char *name, size_t bytes)
{
	char *text = malloc(TEXT_BYTES), *line, *rest = NULL;

	*name = 0;
	if (text && text_of(s, "/etc/group", text, TEXT_BYTES))
		for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
			char *colon = strchr(line, ':'),
			     *number = colon ? strchr(colon + 1, ':') : NULL;

			if (number && strtoul(number + 1, NULL, 10) == group)
				snprintf(name, bytes, "%.*s", (int)(colon - line), line);
		}
	free(text);
}

static void look_node(const struct doctor_snapshot *s, struct doctor_node *n)
{
	char full[4096];
	struct stat st;

	join(s, full, "%s", n->path);
	n->there = *n->path && !stat(full, &st);
	if (!n->there)
		return;
	n->allowed = !s->user || (st.st_mode & 06) == 06 ||
		     (st.st_uid == s->user && (st.st_mode & 0600) == 0600) ||
		     (in_group(s, st.st_gid) && (st.st_mode & 060) == 060);
	if (st.st_mode & 060)
		group_name(s, st.st_gid, n->group, sizeof(n->group));
}

/* ---- GPUs ---- */

static void look_render_node(const struct doctor_snapshot *s, struct doctor_gpu *g)
{
	char path[512], full[4096];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/drm", g->address);
	join(s, full, "%s", path);
	d = opendir(full);
	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, "renderD", 7))
			snprintf(g->render.path, sizeof(g->render.path), "/dev/dri/%.32s",
				 e->d_name);
	if (d)
		closedir(d);
	look_node(s, &g->render);
}

/* The module tells which of its files is whose. */
static void look_nvidia_node(const struct doctor_snapshot *s, struct doctor_gpu *g)
{
	char path[512], text[4096], *at;

	snprintf(path, sizeof(path), "/proc/driver/nvidia/gpus/%s/information", g->address);
	if (text_of(s, path, text, sizeof(text)) && (at = strstr(text, "Device Minor:")))
		snprintf(g->nvidia.path, sizeof(g->nvidia.path), "/dev/nvidia%lu",
			 strtoul(at + 13, NULL, 10));
	look_node(s, &g->nvidia);
}

static void look_gpu(struct doctor_snapshot *s, const char *address)
{
	struct doctor_gpu *g = &s->gpus[s->gpu_count];
	char folder[256], path[512];
	uint32_t class;

	snprintf(folder, sizeof(folder), "/sys/bus/pci/devices/%.31s", address);
	class = number_in(s, folder, "class") >> 8;
	memset(g, 0, sizeof(*g));
	g->vendor = number_in(s, folder, "vendor");
	g->device = number_in(s, folder, "device");
	/* Displays, and accelerators that are none: VGA, 3D, AMD's processing accelerators. */
	if ((g->vendor != SOV_PCI_NVIDIA && g->vendor != SOV_PCI_AMD) ||
	    (class != 0x0300 && class != 0x0302 && class != 0x0380 && class != 0x1200))
		return;
	snprintf(g->address, sizeof(g->address), "%.31s", address);
	snprintf(path, sizeof(path), "%s/driver", folder);
	link_of(s, path, g->driver, sizeof(g->driver));
	snprintf(path, sizeof(path), "%s/iommu_group", folder);
	g->iommu = there(s, path);
	look_render_node(s, g);
	look_nvidia_node(s, g);
	s->gpu_count++;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void look_gpus(struct doctor_snapshot *s)
{
	struct dirent **names = NULL;
	char full[4096];
	int n, i;

	join(s, full, "/sys/bus/pci/devices");
	n = scandir(full, &names, NULL, by_name);
	for (i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.' && s->gpu_count < DOCTOR_GPUS)
			look_gpu(s, names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

/* ---- drivers ---- */

static bool firmware_there(const struct doctor_snapshot *s, const char *file)
{
	static const char *const places[] = {"/lib/firmware/updates", "/lib/firmware",
					     "/usr/lib/firmware"};
	static const char *const packed[] = {"", ".xz", ".zst"};
	char path[1024];

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		for (size_t k = 0; k < sizeof(packed) / sizeof(*packed); k++) {
			snprintf(path, sizeof(path), "%s/%s%s", places[i], file, packed[k]);
			if (there(s, path))
				return true;
		}
	return false;
}

/* What kmod/nv/boot.c asks for. */
static void look_sovgpu(struct doctor_snapshot *s)
{
	static const char *const parts[] = {"fmc", "bootloader", "gsp"};
	char path[512], *text = malloc(TEXT_BYTES);

	s->sovgpu.loaded = there(s, "/sys/module/sovgpu");
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", s->kernel);
	s->sovgpu.installed = s->sovgpu.loaded || (text && text_of(s, path, text, TEXT_BYTES) &&
						   strstr(text, "/sovgpu.ko"));
	free(text);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && !*s->sovgpu.missing; i++) {
		snprintf(path, sizeof(path), "nvidia/gh100/gsp/%s-570.144.bin", parts[i]);
		if (!firmware_there(s, path))
			snprintf(s->sovgpu.missing, sizeof(s->sovgpu.missing), "%.90s", path);
	}
}

static void look_nvidia(struct doctor_snapshot *s)
{
	char text[1024];

	s->nvidia.loaded = there(s, "/sys/module/nvidia");
	text_of(s, "/sys/module/nvidia/version", s->nvidia.version, sizeof(s->nvidia.version));
	if (text_of(s, "/proc/driver/nvidia/version", text, sizeof(text)))
		s->nvidia.open = strstr(text, "Open Kernel Module") != NULL;
	snprintf(s->nvidia.control.path, sizeof(s->nvidia.control.path), "/dev/nvidiactl");
	look_node(s, &s->nvidia.control);
}

static void look_limits(struct doctor_snapshot *s)
{
	static const char name[] = "Max locked memory";
	char text[4096], *at;

	s->memlock = UINT64_MAX;
	if (!text_of(s, "/proc/self/limits", text, sizeof(text)) || !(at = strstr(text, name)))
		return;
	at += sizeof(name) - 1;
	at += strspn(at, " ");
	if (isdigit((unsigned char)*at))
		s->memlock = strtoull(at, NULL, 10);
}

void doctor_probe(const char *root, struct doctor_snapshot *s)
{
	memset(s, 0, sizeof(*s));
	s->root = root;
	text_of(s, "/proc/sys/kernel/osrelease", s->kernel, sizeof(s->kernel));
	look_user(s);
	s->container = there(s, "/.dockerenv") || there(s, "/run/.containerenv") ||
		       there(s, "/run/systemd/container");
	look_limits(s);
	look_sovgpu(s);
	look_nvidia(s);
	look_gpus(s);
}
