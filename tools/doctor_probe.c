// SPDX-License-Identifier: MIT
/*
 * Probes the machine for sov doctor and sov top: PCI devices and modules in sysfs, procfs, device
 * files, firmware. It derives access to a device file from the file's mode and the ids in
 * /proc/self/status, because opening the file could resume a suspended GPU.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "hw/nv/gsp_570.h"
#include "kmod/nv/chip_list.h"
#include "tools/doctor.h"
#include "tools/tool.h"

#define MAX_FILE_BYTES (1u << 20) /* modules.dep is the longest file */

/* ---- files ---- */

__attribute__((format(printf, 3, 4))) static void build_path(const struct doctor_snapshot *s,
							     char path[4096], const char *fmt, ...)
{
	int n = snprintf(path, 4096, "%s", s->root);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path + n, n < 4096 ? 4096 - (size_t)n : 0, fmt, ap);
	va_end(ap);
}

static bool path_exists(const struct doctor_snapshot *s, const char *path)
{
	char full[4096];

	build_path(s, full, "%s", path);
	return !access(full, F_OK);
}

/* Reads the start of a file and strips trailing white space; false: the file cannot be opened. */
static bool read_text(const struct doctor_snapshot *s, const char *path, char *text, size_t bytes)
{
	char full[4096];
	size_t n;
	FILE *f;

	build_path(s, full, "%s", path);
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

/* The last component of a symbolic link's target. */
static void read_link_name(const struct doctor_snapshot *s, const char *path, char *name,
			   size_t bytes)
{
	char full[4096], target[4096];
	const char *slash;
	ssize_t n;

	build_path(s, full, "%s", path);
	n = readlink(full, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = 0;
	slash = strrchr(target, '/');
	snprintf(name, bytes, "%.*s", (int)bytes - 1, slash ? slash + 1 : target);
}

static uint32_t read_number(const struct doctor_snapshot *s, const char *folder, const char *file)
{
	char path[512], text[64];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	return read_text(s, path, text, sizeof(text)) ? (uint32_t)strtoul(text, NULL, 0) : 0;
}

/* ---- the user ---- */

static void probe_user(struct doctor_snapshot *s)
{
	char *text = malloc(MAX_FILE_BYTES), *at;

	if (!text || !read_text(s, "/proc/self/status", text, MAX_FILE_BYTES)) {
		free(text);
		return;
	}
	at = strstr(text, "\nUid:"); /* real, effective, ... */
	if (at) {
		strtoul(at + 5, &at, 10);
		s->uid = (uint32_t)strtoul(at, NULL, 10);
	}
	at = strstr(text, "\nGid:");
	if (at) {
		strtoul(at + 5, &at, 10);
		s->groups[s->group_count++] = (uint32_t)strtoul(at, NULL, 10);
	}
	at = strstr(text, "\nGroups:");
	for (at = at ? at + 8 : NULL; at && s->group_count < DOCTOR_MAX_GROUPS;) {
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

/* Lines of /etc/group look like "render:x:106:user". */
static void find_group_name(const struct doctor_snapshot *s, uint32_t group, char *name,
			    size_t bytes)
{
	char *text = malloc(MAX_FILE_BYTES), *line, *rest = NULL;

	*name = 0;
	if (text && read_text(s, "/etc/group", text, MAX_FILE_BYTES))
		for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
			char *colon = strchr(line, ':'),
			     *number = colon ? strchr(colon + 1, ':') : NULL;

			if (number && strtoul(number + 1, NULL, 10) == group)
				snprintf(name, bytes, "%.*s", (int)(colon - line), line);
		}
	free(text);
}

static void probe_node(const struct doctor_snapshot *s, struct doctor_node *n)
{
	char full[4096];
	struct stat st;

	build_path(s, full, "%s", n->path);
	n->exists = *n->path && !stat(full, &st);
	if (!n->exists)
		return;
	n->accessible = !s->uid || (st.st_mode & 06) == 06 ||
			(st.st_uid == s->uid && (st.st_mode & 0600) == 0600) ||
			(in_group(s, st.st_gid) && (st.st_mode & 060) == 060);
	if (st.st_mode & 060)
		find_group_name(s, st.st_gid, n->group, sizeof(n->group));
}

/* ---- GPUs ---- */

static void probe_render_node(const struct doctor_snapshot *s, struct doctor_gpu *g)
{
	char path[512], full[4096];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/drm", g->address);
	build_path(s, full, "%s", path);
	d = opendir(full);
	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, "renderD", 7))
			snprintf(g->render.path, sizeof(g->render.path), "/dev/dri/%.32s",
				 e->d_name);
	if (d)
		closedir(d);
	probe_node(s, &g->render);
}

/* NVIDIA's module lists the minor number of each GPU's device file. */
static void probe_nvidia_node(const struct doctor_snapshot *s, struct doctor_gpu *g)
{
	char path[512], text[4096], *at;

	snprintf(path, sizeof(path), "/proc/driver/nvidia/gpus/%s/information", g->address);
	if (read_text(s, path, text, sizeof(text)) && (at = strstr(text, "Device Minor:")))
		snprintf(g->nvidia.path, sizeof(g->nvidia.path), "/dev/nvidia%lu",
			 strtoul(at + 13, NULL, 10));
	probe_node(s, &g->nvidia);
}

static bool firmware_exists(const struct doctor_snapshot *s, const char *file)
{
	static const char *const folders[] = {"/lib/firmware/updates", "/lib/firmware",
					      "/usr/lib/firmware"};
	static const char *const suffixes[] = {"", ".xz", ".zst"};
	char path[1024];

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		for (size_t k = 0; k < sizeof(suffixes) / sizeof(*suffixes); k++) {
			snprintf(path, sizeof(path), "%s/%s%s", folders[i], file, suffixes[k]);
			if (path_exists(s, path))
				return true;
		}
	return false;
}

/* The firmware files are those that kmod/nv/boot.c requests for the chip. Chips that sovgpu.ko does
 * not drive need none. */
static void probe_firmware(const struct doctor_snapshot *s, struct doctor_gpu *g)
{
#define CHIP_ROW(chip, CHIP, number, sm, sms, generation, pci_first, pci_last) \
	{#chip, pci_first, pci_last},
	static const struct {
		const char *name;
		uint32_t pci_first, pci_last;
	} chips[] = {NV_DRIVER_CHIPS(CHIP_ROW)};
#undef CHIP_ROW
	static const char *const parts[] = {"fmc", "bootloader", "gsp"};
	const char *chip = NULL;

	for (size_t i = 0; i < sizeof(chips) / sizeof(*chips); i++)
		if (g->vendor == SOV_PCI_NVIDIA && g->device >= chips[i].pci_first &&
		    g->device <= chips[i].pci_last)
			chip = chips[i].name;
	for (size_t i = 0; chip && i < sizeof(parts) / sizeof(*parts); i++) {
		snprintf(g->missing_firmware, sizeof(g->missing_firmware),
			 "nvidia/%s/gsp/%s-" NV_GSP_VERSION ".bin", chip, parts[i]);
		if (!firmware_exists(s, g->missing_firmware))
			return;
	}
	*g->missing_firmware = 0;
}

static void probe_gpu(struct doctor_snapshot *s, const char *address)
{
	struct doctor_gpu *g = &s->gpus[s->gpu_count];
	char folder[256], path[512];
	uint32_t class;

	snprintf(folder, sizeof(folder), "/sys/bus/pci/devices/%.31s", address);
	class = read_number(s, folder, "class") >> 8;
	memset(g, 0, sizeof(*g));
	g->vendor = read_number(s, folder, "vendor");
	g->device = read_number(s, folder, "device");
	/* PCI classes: VGA, 3D and other display controllers, and processing accelerators (AMD). */
	if ((g->vendor != SOV_PCI_NVIDIA && g->vendor != SOV_PCI_AMD) ||
	    (class != 0x0300 && class != 0x0302 && class != 0x0380 && class != 0x1200))
		return;
	snprintf(g->address, sizeof(g->address), "%.31s", address);
	snprintf(path, sizeof(path), "%s/driver", folder);
	read_link_name(s, path, g->driver, sizeof(g->driver));
	snprintf(path, sizeof(path), "%s/iommu_group", folder);
	g->iommu = path_exists(s, path);
	probe_render_node(s, g);
	probe_nvidia_node(s, g);
	probe_firmware(s, g);
	s->gpu_count++;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void probe_gpus(struct doctor_snapshot *s)
{
	struct dirent **names = NULL;
	char full[4096];
	int n, i;

	build_path(s, full, "/sys/bus/pci/devices");
	n = scandir(full, &names, NULL, compare_names);
	for (i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.' && s->gpu_count < DOCTOR_MAX_GPUS)
			probe_gpu(s, names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

/* ---- drivers ---- */

static void probe_sovgpu(struct doctor_snapshot *s)
{
	char path[512], *text = malloc(MAX_FILE_BYTES);

	s->sovgpu.loaded = path_exists(s, "/sys/module/sovgpu");
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", s->kernel);
	s->sovgpu.installed =
		s->sovgpu.loaded ||
		(text && read_text(s, path, text, MAX_FILE_BYTES) && strstr(text, "/sovgpu.ko"));
	free(text);
}

static void probe_nvidia(struct doctor_snapshot *s)
{
	char text[1024];

	s->nvidia.loaded = path_exists(s, "/sys/module/nvidia");
	read_text(s, "/sys/module/nvidia/version", s->nvidia.version, sizeof(s->nvidia.version));
	if (read_text(s, "/proc/driver/nvidia/version", text, sizeof(text)))
		s->nvidia.open = strstr(text, "Open Kernel Module") != NULL;
	snprintf(s->nvidia.control.path, sizeof(s->nvidia.control.path), "/dev/nvidiactl");
	probe_node(s, &s->nvidia.control);
}

static void probe_amdgpu(struct doctor_snapshot *s)
{
	s->amdgpu.loaded = path_exists(s, "/sys/module/amdgpu");
	snprintf(s->amdgpu.kfd.path, sizeof(s->amdgpu.kfd.path), "/dev/kfd");
	probe_node(s, &s->amdgpu.kfd);
}

static void probe_limits(struct doctor_snapshot *s)
{
	static const char name[] = "Max locked memory";
	char text[4096], *at;

	s->memlock = UINT64_MAX;
	if (!read_text(s, "/proc/self/limits", text, sizeof(text)) || !(at = strstr(text, name)))
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
	read_text(s, "/proc/sys/kernel/osrelease", s->kernel, sizeof(s->kernel));
	probe_user(s);
	s->container = path_exists(s, "/.dockerenv") || path_exists(s, "/run/.containerenv") ||
		       path_exists(s, "/run/systemd/container");
	probe_limits(s);
	probe_sovgpu(s);
	probe_nvidia(s);
	probe_amdgpu(s);
	probe_gpus(s);
}
