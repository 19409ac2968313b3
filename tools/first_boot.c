// SPDX-License-Identifier: MIT
/*
 * sov doctor --first-boot: collects in one archive what a developer needs to know about a GPU that
 * sovgpu.ko starts for the first time. A table lists the files of the machine and how each is
 * collected: as text in report.txt, or as a member of the archive. A file that is missing or cannot
 * be read is a line in the report, never a failure: a machine on which a boot fails misses some.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "hw/nv/gsp_570.h"
#include "libsov/runtime/base/sha256.h"
#include "tools/archive.h"
#include "tools/doctor.h"
#include "tools/tool.h"

#define MAX_TEXT_BYTES (1u << 20)
#define MAX_FILE_BYTES (64u << 20) /* firmware is longest */
#define PATH_BYTES     4096u

struct collection {
	const struct doctor_snapshot *machine;
	FILE *report, *members;
	uint32_t sources, missing, files;
};

/* A file of the machine that was read. */
struct content {
	char *data;
	size_t bytes;
	bool cut; /* the file has more */
};

/* Reads up to max bytes; on failure errno says why. Each read of the kernel's log returns one
 * record, EPIPE if it was overwritten meanwhile, and EAGAIN at the end. */
static bool read_content(const char *path, size_t max, struct content *c)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), error = 0;
	size_t room = 0;
	ssize_t n = 1;

	*c = (struct content){0};
	if (fd < 0)
		return false;
	while (n && !c->cut && !error) {
		if (room - c->bytes < 8192) {
			char *grown = realloc(c->data, room = 2 * room + 16384);

			if (!grown)
				break;
			c->data = grown;
		}
		n = read(fd, c->data + c->bytes, room - c->bytes - 1);
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0 && errno != EPIPE && errno != EINTR)
			error = errno;
		c->bytes += n > 0 ? (size_t)n : 0;
		c->cut = c->bytes > max;
	}
	close(fd);
	if (c->cut)
		c->bytes = max;
	if (c->data && !error) {
		c->data[c->bytes] = 0;
		return true;
	}
	free(c->data);
	errno = error ? error : ENOMEM;
	return false;
}

/* ---- how a file is collected ---- */

/* Collects one file, whose name does not include the root; false: errno says why it could not. */
typedef bool collect(struct collection *c, const char *full, const char *name);

static void print_lines(struct collection *c, const struct content *file)
{
	fwrite(file->data, 1, file->bytes, c->report);
	if (file->bytes && file->data[file->bytes - 1] != '\n')
		fputc('\n', c->report);
	if (file->cut)
		fprintf(c->report, "(the file is longer)\n");
}

static bool collect_text(struct collection *c, const char *full, const char *name)
{
	struct content file;

	(void)name;
	if (!read_content(full, MAX_TEXT_BYTES, &file))
		return false;
	print_lines(c, &file);
	free(file.data);
	return true;
}

static bool collect_hexadecimal(struct collection *c, const char *full, const char *name)
{
	struct content file;

	(void)name;
	if (!read_content(full, 64, &file))
		return false;
	for (size_t i = 0; i < file.bytes; i++)
		fprintf(c->report, "%s%02x", i ? " " : "", (uint8_t)file.data[i]);
	fputc('\n', c->report);
	free(file.data);
	return true;
}

static bool collect_link(struct collection *c, const char *full, const char *name)
{
	char target[PATH_BYTES];
	ssize_t n = readlink(full, target, sizeof(target));

	(void)name;
	if (n < 0)
		return false;
	fprintf(c->report, "-> %.*s\n", (int)n, target);
	return true;
}

static bool collect_name(struct collection *c, const char *full, const char *name)
{
	(void)full, (void)name;
	fprintf(c->report, "exists\n");
	return true;
}

static void print_hash(struct collection *c, const struct content *file)
{
	uint8_t digest[SHA256_BYTES];
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, file->data, file->bytes);
	sha256_end(&s, digest);
	fprintf(c->report, "%zu bytes%s, SHA-256 ", file->bytes, file->cut ? " of more" : "");
	for (size_t i = 0; i < sizeof(digest); i++)
		fprintf(c->report, "%02x", digest[i]);
	fputc('\n', c->report);
}

static bool collect_hash(struct collection *c, const char *full, const char *name)
{
	struct content file;

	(void)name;
	if (!read_content(full, MAX_FILE_BYTES, &file))
		return false;
	print_hash(c, &file);
	free(file.data);
	return true;
}

static bool collect_member(struct collection *c, const char *full, const char *name)
{
	struct content file;

	if (!read_content(full, MAX_FILE_BYTES, &file))
		return false;
	print_hash(c, &file);
	if (archive_add(c->members, name + 1, file.data, file.bytes)) {
		fprintf(c->report, "member of this archive: %s\n", name + 1);
		c->files++;
	} else {
		fprintf(c->report, "not in this archive: its name is too long\n");
	}
	free(file.data);
	return true;
}

static bool line_concerns_gpu(const struct doctor_snapshot *s, const char *line)
{
	/* Lines about IOMMUs and PCI errors name devices that are not GPUs, too. */
	static const char *const words[] = {"sovgpu",     "nouveau", "NVRM",        "nova",
					    "vfio",       "iommu",   "IOMMU",       "DMAR",
					    "AMD-Vi",     "AER",     "pcieport",    "Secure boot",
					    "secureboot", "ockdown", "Command line"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(line, words[i]))
			return true;
	for (uint32_t i = 0; i < s->gpu_count; i++)
		if (strstr(line, s->gpus[i].address))
			return true;
	return false;
}

/* Records look like "6,339,5140900,-;text"; lines that begin with a blank belong to the last. */
static bool collect_kernel_log(struct collection *c, const char *full, const char *name)
{
	char *line, *rest = NULL;
	struct content file;

	(void)name;
	if (!read_content(full, MAX_FILE_BYTES, &file))
		return false;
	for (line = strtok_r(file.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *text = strchr(line, ';');
		unsigned long long us;

		if (*line == ' ' || !text || !line_concerns_gpu(c->machine, text) ||
		    sscanf(line, "%*u,%*u,%llu", &us) != 1)
			continue;
		fprintf(c->report, "[%5llu.%06llu] %s\n", us / 1000000, us % 1000000, text + 1);
	}
	free(file.data);
	return true;
}

/* ---- what to collect ---- */

struct source {
	const char *pattern; /* glob(7) */
	collect *collect;
};

#define GSP_FILES "/nvidia/*/gsp/*-" NV_GSP_VERSION ".bin*"
static const struct source host_sources[] = {
	{"/proc/version", collect_text},
	{"/proc/cmdline", collect_text},
	{"/etc/os-release", collect_text},
	{"/proc/sys/kernel/tainted", collect_text},
	{"/sys/class/dmi/id/sys_vendor", collect_text},
	{"/sys/class/dmi/id/product_name", collect_text},
	{"/sys/class/dmi/id/bios_version", collect_text},
	/* Secure boot: four bytes of attributes, then 1 if it is on. Missing without UEFI. */
	{"/sys/firmware/efi/efivars/SecureBoot-*", collect_hexadecimal},
	{"/sys/kernel/security/lockdown", collect_text},
	{"/sys/module/module/parameters/sig_enforce", collect_text},
	{"/proc/modules", collect_text},
	{"/sys/module/sovgpu/srcversion", collect_text},
	{"/sys/module/sovgpu/taint", collect_text},
	{"/sys/module/sovgpu/parameters/*", collect_text},
	{"/sys/module/drm/parameters/debug", collect_text},
	{"/etc/modprobe.d/*", collect_text},
	{"/lib/firmware/updates" GSP_FILES, collect_hash},
	{"/lib/firmware" GSP_FILES, collect_hash},
	{"/sys/kernel/iommu_groups/*/type", collect_text},
	{"/dev/kmsg", collect_kernel_log},
	{"/sys/kernel/debug/sovgpu/*/*", collect_member},
	{"/sys/class/devcoredump/disabled", collect_text},
	{"/sys/class/devcoredump/devcd*/failing_device", collect_link},
	{"/sys/class/devcoredump/devcd*/data", collect_member},
};

/* Below the folder of a GPU; ".." is the bridge above it. */
static const struct source gpu_sources[] = {
	{"vendor", collect_text},
	{"device", collect_text},
	{"subsystem_vendor", collect_text},
	{"subsystem_device", collect_text},
	{"class", collect_text},
	{"revision", collect_text},
	{"driver", collect_link},
	{"driver_override", collect_text},
	{"enable", collect_text},
	{"resource", collect_text},
	{"config", collect_member},
	{"irq", collect_text},
	{"numa_node", collect_text},
	{"current_link_speed", collect_text},
	{"current_link_width", collect_text},
	{"max_link_speed", collect_text},
	{"max_link_width", collect_text},
	{"power_state", collect_text},
	{"power/control", collect_text},
	{"power/runtime_status", collect_text},
	{"reset_method", collect_text},
	{"iommu_group", collect_link},
	{"iommu_group/devices/*", collect_name},
	{"aer_dev_fatal", collect_text},
	{"../vendor", collect_text},
	{"../device", collect_text},
	{"../current_link_speed", collect_text},
	{"../current_link_width", collect_text},
	{"../max_link_speed", collect_text},
	{"../aer_rootport_total_err_fatal", collect_text},
};

/* The errno of a pattern that no file matches: that of the folder before its first wildcard. */
static int explain_no_match(const char *full)
{
	size_t fixed = strcspn(full, "*");
	char folder[PATH_BYTES];

	snprintf(folder, sizeof(folder), "%.*s", (int)fixed, full);
	if (full[fixed] && strrchr(folder, '/'))
		*strrchr(folder, '/') = 0;
	return access(folder, full[fixed] ? R_OK | X_OK : F_OK) ? errno : ENOENT;
}

static void collect_path(struct collection *c, const char *full, const char *name, collect *how)
{
	fprintf(c->report, "\n== %s\n", name);
	c->sources++;
	if (how(c, full, name))
		return;
	fprintf(c->report, "missing: %s\n", strerror(errno));
	c->missing++;
}

/* Lists a pattern that no file matches as missing. */
static void collect_pattern(struct collection *c, const char *pattern, collect *how)
{
	size_t root = strlen(c->machine->root);
	char full[PATH_BYTES];
	glob_t found = {0};

	snprintf(full, sizeof(full), "%s%s", c->machine->root, pattern);
	/* A link that leads nowhere is still a link, so that paths without wildcards are not
	 * matched. */
	if (!strchr(pattern, '*')) {
		collect_path(c, full, pattern, how);
		return;
	}
	if (glob(full, 0, NULL, &found)) {
		fprintf(c->report, "\n== %s\nmissing: %s\n", pattern,
			strerror(explain_no_match(full)));
		c->sources++;
		c->missing++;
	}
	for (size_t i = 0; i < found.gl_pathc; i++)
		collect_path(c, found.gl_pathv[i], found.gl_pathv[i] + root, how);
	globfree(&found);
}

static void collect_gpu(struct collection *c, const struct doctor_gpu *g)
{
	char pattern[PATH_BYTES];

	for (size_t i = 0; i < sizeof(gpu_sources) / sizeof(*gpu_sources); i++) {
		snprintf(pattern, sizeof(pattern), "/sys/bus/pci/devices/%s/%s", g->address,
			 gpu_sources[i].pattern);
		collect_pattern(c, pattern, gpu_sources[i].collect);
	}
}

static void collect_all(struct collection *c)
{
	const struct doctor_snapshot *s = c->machine;

	fprintf(c->report, "sov doctor --first-boot, format 1\nsov %u.%u, %s user %u\n",
		sov_version() >> 16, sov_version() & 0xffff,
		s->uid ? "incomplete: collected by" : "collected by", s->uid);
	fprintf(c->report, "%u GPUs on the PCI bus\n", s->gpu_count);
	for (size_t i = 0; i < sizeof(host_sources) / sizeof(*host_sources); i++)
		collect_pattern(c, host_sources[i].pattern, host_sources[i].collect);
	for (uint32_t i = 0; i < s->gpu_count; i++)
		collect_gpu(c, &s->gpus[i]);
}

/* Puts report.txt before the members, so that a reader finds it first. */
static bool join(const char *report, size_t report_bytes, const char *members, size_t member_bytes,
		 char **whole, size_t *bytes)
{
	FILE *f = open_memstream(whole, bytes);
	bool good = f && archive_add(f, "report.txt", report, report_bytes) &&
		    fwrite(members, 1, member_bytes, f) == member_bytes && archive_end(f);

	return f && !fclose(f) && good;
}

int first_boot_collect(const struct verb *v, const struct doctor_snapshot *s, const char *path)
{
	char *report = NULL, *members = NULL, *whole = NULL;
	size_t report_bytes = 0, member_bytes = 0, bytes = 0;
	struct collection c = {.machine = s};
	bool good;

	c.report = open_memstream(&report, &report_bytes);
	c.members = open_memstream(&members, &member_bytes);
	if (c.report && c.members)
		collect_all(&c);
	good = c.report && !fclose(c.report);
	good = c.members && !fclose(c.members) && good;
	good = good && join(report, report_bytes, members, member_bytes, &whole, &bytes);
	if (!good)
		report_error(v, "out of memory");
	umask(077); /* the archive has the kernel's log */
	good = good && write_file(v, path, whole, bytes);
	if (good) {
		printf("wrote %s: report.txt and %u files; %u of %u sources are missing, as "
		       "report.txt says\n",
		       path, c.files, c.missing, c.sources);
		if (s->uid)
			printf("run it as root: other users cannot read the kernel's log and "
			       "debugfs\n");
	}
	free(report);
	free(members);
	free(whole);
	return good ? EXIT_DONE : EXIT_FAILED;
}
