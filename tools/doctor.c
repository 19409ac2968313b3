/* SPDX-License-Identifier: MIT */
/*
 * sov doctor: why a GPU cannot be used, and what to do about it. For each GPU and each way to it
 * there is a list of obstacles, in the order in which one meets them; the first that is there is
 * the answer, with its way out, and when none is the way is open. Then what the library itself
 * finds.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libsov/winsys/nvrm/nvrm.h"
#include "tools/doctor.h"
#include "tools/tool.h"

struct finding {
	char why[320], out[320]; /* out: what to do; "": nothing helps, or nothing is needed */
};

__attribute__((format(printf, 2, 3))) static bool say(char text[320], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, 320, fmt, ap);
	va_end(ap);
	return true;
}

/* ---- chips ---- */

/* Ranges of PCI device numbers, after the public list at pci-ids.ucw.cz. */
static const struct generation {
	uint32_t vendor, first, last;
	const char *name;
	bool sovgpu, nvrm; /* the way knows it */
} generations[] = {
	{SOV_PCI_NVIDIA, 0x1d80, 0x1dff, "Volta", false, false},
	{SOV_PCI_NVIDIA, 0x1e00, 0x1fff, "Turing", false, true},
	{SOV_PCI_NVIDIA, 0x2080, 0x20ff, "GA100", false, true},
	{SOV_PCI_NVIDIA, 0x2180, 0x21ff, "Turing", false, true},
	{SOV_PCI_NVIDIA, 0x2200, 0x22ff, "GA102", false, true},
	{SOV_PCI_NVIDIA, 0x2300, 0x23ff, "GH100", true, true},
	{SOV_PCI_NVIDIA, 0x2400, 0x25ff, "GA10x", false, true},
	{SOV_PCI_NVIDIA, 0x2600, 0x28ff, "AD10x", false, true},
	{SOV_PCI_NVIDIA, 0x2900, 0x2fff, "Blackwell", false, false},
	{SOV_PCI_NVIDIA, 0, 0xffff, "another chip of NVIDIA's", false, false},
	{SOV_PCI_AMD, 0, 0xffff, "a chip of AMD's", false, false},
};

static const struct generation *generation_of(const struct doctor_gpu *g)
{
	const struct generation *k = generations;

	while (k->vendor != g->vendor || g->device < k->first || g->device > k->last)
		k++;
	return k;
}

/* ---- obstacles ---- */

typedef bool obstacle(const struct doctor_snapshot *s, const struct doctor_gpu *g, struct finding *f);

static bool switched_off(const char *variable, struct finding *f)
{
	const char *value = getenv(variable);

	return value && !strcmp(value, "0") && say(f->why, "%s=0 switches it off", variable) &&
	       say(f->out, "unset %s", variable);
}

static bool not_allowed(const struct doctor_snapshot *s, const struct doctor_node *n,
			struct finding *f)
{
	if (n->allowed)
		return false;
	say(f->why, "user %u may not open %s", s->user, n->path);
	if (*n->group)
		say(f->out, "join group %s (as root: usermod -aG %s NAME) and log in again",
		    n->group, n->group);
	else
		say(f->out, "as root: chmod 666 %s, or give it to a group that you are in",
		    n->path);
	return true;
}

static bool kmod_off(const struct doctor_snapshot *s, const struct doctor_gpu *g, struct finding *f)
{
	(void)s, (void)g;
	return switched_off("SOV_KMOD", f);
}

static bool kmod_unknown(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			 struct finding *f)
{
	(void)s;
	return !generation_of(g)->sovgpu &&
	       say(f->why, "sovgpu.ko does not drive this chip (%s); known: GH100",
		   generation_of(g)->name) &&
	       say(f->out, generation_of(g)->nvrm
				   ? "use it by NVIDIA's open kernel module"
				   : "SOV_SOFT names software GPUs, which need no card");
}

static bool kmod_taken(const struct doctor_snapshot *s, const struct doctor_gpu *g, struct finding *f)
{
	(void)s;
	if (!*g->driver || !strcmp(g->driver, "sovgpu"))
		return false;
	say(f->why, "driver %s has the card", g->driver);
	return say(f->out,
		   !strcmp(g->driver, "vfio-pci")
			   ? "it is meant for a virtual machine: use it there, or take it back (as "
			     "root: echo %s "
			     ">/sys/bus/pci/drivers/vfio-pci/unbind)"
			   : "keep that driver from loading (doc/sovgpu/modprobe.conf is an "
			     "example), then as root: "
			     "echo %s >/sys/bus/pci/drivers_probe",
		   g->address);
}

static bool kmod_not_installed(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			       struct finding *f)
{
	(void)g;
	return !s->sovgpu.installed &&
	       say(f->why, "sovgpu.ko is not installed for kernel %s", s->kernel) &&
	       say(f->out, "as root: make dkms-install");
}

static bool kmod_no_firmware(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			     struct finding *f)
{
	return strcmp(g->driver, "sovgpu") && *s->sovgpu.missing &&
	       say(f->why, "firmware %s is missing", s->sovgpu.missing) &&
	       say(f->out, "install it (Debian: firmware-nvidia-graphics of trixie-backports), "
			   "then as root: "
			   "modprobe -r sovgpu; modprobe sovgpu");
}

static bool kmod_not_loaded(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			    struct finding *f)
{
	(void)g;
	return !s->sovgpu.loaded && say(f->why, "sovgpu.ko is not loaded") &&
	       say(f->out, "as root: modprobe sovgpu");
}

static bool kmod_not_bound(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			   struct finding *f)
{
	(void)s;
	return !*g->driver && say(f->why, "sovgpu.ko is loaded and did not take the card") &&
	       say(f->out, "the kernel's log says why (as root: dmesg | grep %s)", g->address);
}

static bool kmod_no_node(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			 struct finding *f)
{
	const char *path = *g->render.path ? g->render.path : "its file in /dev/dri";

	if (g->render.there)
		return false;
	say(f->why, "%s is not there", path);
	return s->container ? say(f->out, "start the container with --device %s",
				  *g->render.path ? g->render.path : "/dev/dri")
			    : say(f->out,
				  "udev makes it (as root: udevadm trigger --subsystem-match=drm)");
}

static bool kmod_denied(const struct doctor_snapshot *s, const struct doctor_gpu *g, struct finding *f)
{
	return not_allowed(s, &g->render, f);
}

static bool nvrm_off(const struct doctor_snapshot *s, const struct doctor_gpu *g, struct finding *f)
{
	(void)s, (void)g;
	return switched_off("SOV_NVRM", f);
}

static bool nvrm_not_nvidia(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			    struct finding *f)
{
	(void)s;
	return g->vendor != SOV_PCI_NVIDIA && say(f->why, "it is no GPU of NVIDIA's") &&
	       say(f->out, "SOV_SOFT names software GPUs, which need no card");
}

static bool nvrm_not_loaded(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			    struct finding *f)
{
	if (s->nvidia.loaded)
		return false;
	say(f->why,
	    *g->driver && strcmp(g->driver, "nvidia")
		    ? "NVIDIA's open kernel module is not loaded; driver %s has the card"
		    : "NVIDIA's open kernel module is not loaded%s",
	    *g->driver && strcmp(g->driver, "nvidia") ? g->driver : "");
	return say(f->out,
		   "install it (Debian: nvidia-open-kernel-dkms), then as root: modprobe nvidia");
}

static bool nvrm_taken(const struct doctor_snapshot *s, const struct doctor_gpu *g, struct finding *f)
{
	(void)s;
	if (!strcmp(g->driver, "nvidia"))
		return false;
	if (!*g->driver)
		return say(f->why, "NVIDIA's kernel module did not take the card") &&
		       say(f->out, "the kernel's log says why (as root: dmesg | grep NVRM)");
	return say(f->why, "driver %s has the card", g->driver) &&
	       say(f->out,
		   "as root: echo %s >/sys/bus/pci/drivers/%s/unbind; echo %s "
		   ">/sys/bus/pci/drivers/nvidia/bind",
		   g->address, g->driver, g->address);
}

static bool nvrm_unknown(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			 struct finding *f)
{
	(void)s;
	return !generation_of(g)->nvrm &&
	       say(f->why, "the library does not know this chip (%s)", generation_of(g)->name) &&
	       say(f->out, "SOV_SOFT names software GPUs, which need no card");
}

static bool nvrm_version(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			 struct finding *f)
{
	const char *any = getenv("SOV_NVRM_ANY");
	uint32_t major;
	const struct nvrm_release *r = nvrm_release_find(s->nvidia.version, &major);

	(void)g;
	if (r && (r->tested || (any && !strcmp(any, "1"))))
		return false;
	say(f->why, "NVIDIA's kernel module has version %s; known are 570 and 580",
	    *s->nvidia.version ? s->nvidia.version : "(not told)");
	return say(f->out, r ? "install one of those, or try this one with SOV_NVRM_ANY=1"
			     : "install one of those");
}

static bool nvrm_closed(const struct doctor_snapshot *s, const struct doctor_gpu *g, struct finding *f)
{
	(void)g;
	return !s->nvidia.open &&
	       say(f->why, "NVIDIA's kernel module is the closed one, which has not been tried") &&
	       say(f->out, "install the open one (Debian: nvidia-open-kernel-dkms)");
}

static bool nvrm_no_node(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			 struct finding *f)
{
	const struct doctor_node *missing =
		!s->nvidia.control.there ? &s->nvidia.control : &g->nvidia;
	const char *path = *missing->path ? missing->path : "its file /dev/nvidiaN";

	if (missing->there)
		return false;
	say(f->why, "%s is not there", path);
	return s->container
		       ? say(f->out, "start the container with --device /dev/nvidiactl --device %s",
			     *g->nvidia.path ? g->nvidia.path : "/dev/nvidia0")
		       : say(f->out, "as root: nvidia-modprobe -c 0, or mknod by hand");
}

static bool nvrm_denied(const struct doctor_snapshot *s, const struct doctor_gpu *g, struct finding *f)
{
	return not_allowed(s, &s->nvidia.control, f) || not_allowed(s, &g->nvidia, f);
}

enum { WAY_KMOD, WAY_NVRM, WAYS, MOST_OBSTACLES = 10 };
static const struct {
	const char *name;
	obstacle *obstacles[MOST_OBSTACLES];
} ways[WAYS] = {
	[WAY_KMOD] = {"kmod",
		      {kmod_off, kmod_unknown, kmod_taken, kmod_not_installed, kmod_no_firmware,
		       kmod_not_loaded, kmod_not_bound, kmod_no_node, kmod_denied}},
	[WAY_NVRM] = {"nvrm",
		      {nvrm_off, nvrm_not_nvidia, nvrm_not_loaded, nvrm_taken, nvrm_unknown,
		       nvrm_version, nvrm_closed, nvrm_no_node, nvrm_denied}},
};

/* Is the way open? Otherwise f says why not. */
static bool is_open(const struct doctor_snapshot *s, const struct doctor_gpu *g, uint32_t way,
		    struct finding *f)
{
	memset(f, 0, sizeof(*f));
	for (uint32_t i = 0; i < MOST_OBSTACLES && ways[way].obstacles[i]; i++)
		if (ways[way].obstacles[i](s, g, f))
			return false;
	return true;
}

static bool usable(const struct doctor_snapshot *s, const struct doctor_gpu *g)
{
	struct finding f;

	return is_open(s, g, WAY_KMOD, &f) || is_open(s, g, WAY_NVRM, &f);
}

/* ---- the host ---- */

/* Folders are made when they are needed: the nearest that is there must be writable. */
static bool look_cache(const struct doctor_snapshot *s, struct finding *f)
{
	static const struct {
		const char *variable, *below;
	} places[] = {{"SOV_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "/sov"}, {"HOME", "/.cache/sov"}};
	char path[4096] = "", nearest[4096], *slash;
	struct stat st;

	(void)s;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && !*path; i++)
		if (getenv(places[i].variable) && *getenv(places[i].variable))
			snprintf(path, sizeof(path), "%s%s", getenv(places[i].variable),
				 places[i].below);
	if (!*path)
		return !say(f->why,
			    "there is no folder for compiled programs: each run compiles again") ||
		       !say(f->out, "set SOV_CACHE_DIR");
	snprintf(nearest, sizeof(nearest), "%s", path);
	while (access(nearest, F_OK) && (slash = strrchr(nearest, '/')) && slash != nearest)
		*slash = 0;
	if (!stat(nearest, &st) && S_ISDIR(st.st_mode) && !access(nearest, W_OK))
		return say(f->why, "compiled programs are kept in %.250s", path);
	say(f->why, "compiled programs cannot be kept in %.200s: each run compiles again", path);
	return !say(f->out, "set SOV_CACHE_DIR to a folder that you can write to");
}

#define LEAST_MEMLOCK (UINT64_C(64) << 20)

static bool look_memlock(const struct doctor_snapshot *s, struct finding *f)
{
	if (s->memlock == UINT64_MAX)
		return say(f->why, "memory can be pinned without limit");
	say(f->why, "%llu KiB of memory can be pinned", (unsigned long long)(s->memlock >> 10));
	if (s->memlock >= LEAST_MEMLOCK)
		return true;
	return !say(f->out,
		    "raise it for sov_host_alloc and sov_host_register by sovgpu.ko (ulimit -l, or "
		    "/etc/security/limits.conf: memlock)");
}

static bool look_processor(const struct doctor_snapshot *s, struct finding *f)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN), page = sysconf(_SC_PAGESIZE);

	(void)s;
#if defined(__x86_64__)
	return say(f->why, "x86-64, %ld cores, pages of %ld bytes", cores, page);
#elif defined(__aarch64__)
	return say(f->why, "arm64, %ld cores, pages of %ld bytes", cores, page);
#else
	say(f->why, "a processor that has not been tried, %ld cores, pages of %ld bytes", cores,
	    page);
	return !say(f->out, "x86-64 and arm64 have been");
#endif
}

static bool look_soft(const struct doctor_snapshot *s, struct finding *f)
{
	const char *soft = getenv("SOV_SOFT");

	(void)s;
	if (!soft || (*soft && strcmp(soft, "none")))
		return say(f->why, "software GPUs work everywhere%s%s",
			   soft ? "; SOV_SOFT makes " : "", soft ? soft : "");
	say(f->why, "SOV_SOFT=%s switches software GPUs off", soft);
	return !say(f->out, "unset SOV_SOFT");
}

static bool look_visible(const struct doctor_snapshot *s, struct finding *f)
{
	const char *visible = getenv("SOV_VISIBLE_DEVICES");

	(void)s;
	if (!visible)
		return say(f->why, "all devices are visible");
	say(f->why, "SOV_VISIBLE_DEVICES='%.64s' leaves out all others", visible);
	return *visible || !say(f->out, "unset SOV_VISIBLE_DEVICES, or name devices in it");
}

static const struct {
	const char *name;
	bool (*look)(const struct doctor_snapshot *s, struct finding *f);
} host_rows[] = {
	{"processor", look_processor}, {"software GPU", look_soft}, {"visible", look_visible},
	{"cache", look_cache},         {"pinning", look_memlock},
};
#define HOST_ROWS (sizeof(host_rows) / sizeof(*host_rows))

/* ---- telling ---- */

static void print_finding(const char *name, const char *verdict, const struct finding *f)
{
	printf("  %-12s %-4s %s\n", name, verdict, f->why);
	if (*f->out)
		printf("  %-12s %-4s -> %s\n", "", "", f->out);
}

static void print_text(const struct doctor_snapshot *s)
{
	struct finding f;

	for (uint32_t i = 0; i < s->gpu_count; i++) {
		const struct doctor_gpu *g = &s->gpus[i];

		printf("GPU %s  PCI %04x:%04x, %s, %s%s%s\n", g->address, g->vendor, g->device,
		       generation_of(g)->name, *g->driver ? "driver " : "no driver", g->driver,
		       g->iommu ? ", behind an IOMMU" : "");
		for (uint32_t way = 0; way < WAYS; way++)
			if (is_open(s, g, way, &f)) {
				snprintf(f.why, sizeof(f.why), "by %s",
					 way == WAY_KMOD ? g->render.path : g->nvidia.path);
				print_finding(ways[way].name, "yes", &f);
			} else {
				print_finding(ways[way].name, "no", &f);
			}
	}
	if (!s->gpu_count)
		printf("no NVIDIA or AMD GPU on the PCI bus%s\n",
		       s->container ? "; this is a container, which may not see it" : "");
	printf("host  kernel %s%s\n", s->kernel, s->container ? ", in a container" : "");
	for (size_t i = 0; i < HOST_ROWS; i++) {
		memset(&f, 0, sizeof(f));
		bool good = host_rows[i].look(s, &f);

		print_finding(host_rows[i].name, good ? "fine" : "note", &f);
	}
}

static void json_finding(struct json *j, const char *key, const char *name, bool good,
			 const struct finding *f)
{
	json_object(j, NULL);
	json_string(j, key, name);
	json_bool(j, "good", good);
	json_string(j, "why", f->why);
	json_string(j, "way_out", f->out);
	json_end_object(j);
}

static void gpu_json(struct json *j, const struct doctor_snapshot *s, const struct doctor_gpu *g)
{
	struct finding f;

	json_object(j, NULL);
	json_string(j, "address", g->address);
	json_u64(j, "vendor", g->vendor);
	json_u64(j, "device", g->device);
	json_string(j, "chip", generation_of(g)->name);
	json_string(j, "driver", g->driver);
	json_bool(j, "iommu", g->iommu);
	json_bool(j, "usable", usable(s, g));
	json_array(j, "ways");
	for (uint32_t way = 0; way < WAYS; way++) {
		bool good = is_open(s, g, way, &f);

		json_finding(j, "way", ways[way].name, good, &f);
	}
	json_end_array(j);
	json_end_object(j);
}

static void print_json(const struct doctor_snapshot *s, uint32_t unusable, const char *library)
{
	struct json j = {.out = stdout};
	struct finding f;

	json_object(&j, NULL);
	json_string(&j, "kernel", s->kernel);
	json_bool(&j, "container", s->container);
	json_array(&j, "gpus");
	for (uint32_t i = 0; i < s->gpu_count; i++)
		gpu_json(&j, s, &s->gpus[i]);
	json_end_array(&j);
	json_array(&j, "host");
	for (size_t i = 0; i < HOST_ROWS; i++) {
		memset(&f, 0, sizeof(f));
		bool good = host_rows[i].look(s, &f);

		json_finding(&j, "what", host_rows[i].name, good, &f);
	}
	json_end_array(&j);
	json_string(&j, "library", library);
	json_u64(&j, "unusable", unusable);
	json_end_object(&j);
}

/* ---- what the library finds ---- */

/* false: not even software GPUs. */
static bool ask_library(char *text, size_t bytes)
{
	uint32_t count, i;
	sov_result r = sov_device_count(&count);
	size_t n;

	if (r) {
		snprintf(text, bytes, "%s: %s", sov_result_name(r), sov_last_error());
		return false;
	}
	n = (size_t)snprintf(text, bytes, "%u device%s", count, count == 1 ? "" : "s");
	for (i = 0; i < count && n < bytes; i++) {
		sov_device_properties p = SOV_INIT(sov_device_properties);
		sov_device d;

		if (!sov_device_open(i, &d) && !sov_device_get_properties(d, &p))
			n += (size_t)snprintf(text + n, bytes - n, "%s %u = %s by %s",
					      i ? "," : ":", i, p.name, p.winsys);
	}
	return count;
}

static int run(const struct verb *v, int argc, char **argv)
{
	bool as_json = false, works = true;
	const char *root = NULL;
	const struct option options[] = {
		{"json", 0, NULL, "print JSON", &as_json, NULL},
		{"root", 0, "FOLDER", "judge the machine whose files these are, and ask no library",
		 NULL, &root},
		{0},
	};
	static struct doctor_snapshot s;
	char library[512] = "";
	uint32_t unusable = 0;
	int operands, status;

	if (!parse_options(v, options, argc, argv, &operands, &status))
		return status;
	if (operands)
		return usage_error(v, "unexpected operand '%s'", argv[0]);
	doctor_probe(root ? root : "", &s);
	for (uint32_t i = 0; i < s.gpu_count; i++)
		unusable += !usable(&s, &s.gpus[i]);
	if (!root)
		works = ask_library(library, sizeof(library));
	if (as_json) {
		print_json(&s, unusable, library);
	} else {
		print_text(&s);
		if (!root)
			printf("the library finds %s\n", library);
		if (unusable)
			printf("%u of %u GPUs cannot be used\n", unusable, s.gpu_count);
		else if (s.gpu_count)
			printf("all is well\n");
	}
	return unusable || !works ? EXIT_FAILED : EXIT_DONE;
}

const struct verb verb_doctor = {
	.name = "doctor",
	.summary = "Say why a GPU cannot be used, and what to do.",
	.usage = "[--json] [--root FOLDER]",
	.details = "Looks at the PCI bus, drivers, device files, permissions, firmware and "
		   "versions; changes nothing.\n"
		   "Exit status 1: there is a GPU that cannot be used by any way, or the library "
		   "finds no device at all.\n",
	.run = run,
};
