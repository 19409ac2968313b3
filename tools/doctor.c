// SPDX-License-Identifier: MIT
/*
 * sov doctor: diagnoses why a GPU is unusable, and names the remedy. Each winsys has a list of
 * obstacles, in the order in which a user encounters them; doctor reports the first that applies
 * to a GPU, with its remedy. A winsys without obstacles can use the GPU. Then doctor reports what
 * the library itself finds.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "kmod/nv/chip_list.h"
#include "libsov/winsys/nvrm/nvrm.h"
#include "tools/doctor.h"
#include "tools/tool.h"

struct finding {
	char reason[320], remedy[320]; /* remedy "": none exists, or none is needed */
};

__attribute__((format(printf, 2, 3))) static bool set_text(char text[320], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, 320, fmt, ap);
	va_end(ap);
	return true;
}

/* ---- chips ---- */

enum { KNOWN_BY_NVRM = 1 << 0, KNOWN_BY_KMOD = 1 << 1, KNOWN_BY_KFD = 1 << 2 };

#define NV_CHIP(chip, CHIP, number, sm, sms, generation, pci_first, pci_last) \
	{SOV_PCI_NVIDIA, pci_first, pci_last, #CHIP, KNOWN_BY_NVRM},
#define NV_KMOD_CHIP(chip, CHIP, number, sm, sms, generation, pci_first, pci_last) \
	{SOV_PCI_NVIDIA, pci_first, pci_last, #CHIP, KNOWN_BY_NVRM | KNOWN_BY_KMOD},
#define AMD_CHIP(chip, title, gfx, cus, generation, pci_first, pci_last) \
	{SOV_PCI_AMD, pci_first, pci_last, title, KNOWN_BY_KFD},

/* By PCI device id, the first match counts. The library knows all chips of hw/chips.h, sovgpu.ko
 * those of its own list. Id ranges of other generations: https://pci-ids.ucw.cz */
static const struct chip_ids {
	uint32_t vendor, first, last;
	const char *name;
	uint32_t known_by;
} chips[] = {
	NV_DRIVER_CHIPS(NV_KMOD_CHIP)                 /* before the rows of the same chips below */
	SOV_NV_CHIPS(NV_CHIP) SOV_AMD_CHIPS(AMD_CHIP) /* and then generations without rows */
	{SOV_PCI_NVIDIA, 0x1d80, 0x1dff, "Volta", 0},
	{SOV_PCI_NVIDIA, 0x2900, 0x2fff, "Blackwell", 0},
	{SOV_PCI_NVIDIA, 0, 0xffff, "an unknown NVIDIA chip", 0},
	{SOV_PCI_AMD, 0, 0xffff, "an unknown AMD chip", 0},
};

#define KMOD_CHIP(chip, CHIP, ...) " " #CHIP

static const struct chip_ids *gpu_chip(const struct doctor_gpu *g)
{
	const struct chip_ids *c = chips;

	while (c->vendor != g->vendor || g->device < c->first || g->device > c->last)
		c++;
	return c;
}

/* ---- obstacles ---- */

/* Returns whether the obstacle applies to the GPU, and describes it. */
typedef bool obstacle(const struct doctor_snapshot *s, const struct doctor_gpu *g,
		      struct finding *f);

static bool disabled_by_env(const char *variable, struct finding *f)
{
	const char *value = getenv(variable);

	return value && !strcmp(value, "0") && set_text(f->reason, "%s=0 disables it", variable) &&
	       set_text(f->remedy, "unset %s", variable);
}

static bool node_inaccessible(const struct doctor_snapshot *s, const struct doctor_node *n,
			      struct finding *f)
{
	if (n->accessible)
		return false;
	set_text(f->reason, "user %u has no permission to open %s", s->uid, n->path);
	if (*n->group)
		set_text(f->remedy, "join group %s (as root: usermod -aG %s NAME) and log in again",
			 n->group, n->group);
	else
		set_text(f->remedy, "as root: chmod 666 %s, or give it to a group of yours (chgrp)",
			 n->path);
	return true;
}

static bool kmod_disabled(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			  struct finding *f)
{
	(void)s, (void)g;
	return disabled_by_env("SOV_KMOD", f);
}

static bool kmod_unsupported_chip(const struct doctor_snapshot *s, const struct doctor_gpu *g,
				  struct finding *f)
{
	(void)s;
	return !(gpu_chip(g)->known_by & KNOWN_BY_KMOD) &&
	       set_text(f->reason,
			"sovgpu.ko does not support this chip (%s); supported:" NV_DRIVER_CHIPS(
				KMOD_CHIP),
			gpu_chip(g)->name) &&
	       set_text(f->remedy,
			gpu_chip(g)->known_by & KNOWN_BY_NVRM
				? "use it with NVIDIA's open kernel module"
			: gpu_chip(g)->known_by & KNOWN_BY_KFD
				? "use it with amdgpu"
				: "SOV_SOFT names software GPUs, which need no hardware");
}

static bool kmod_bound_elsewhere(const struct doctor_snapshot *s, const struct doctor_gpu *g,
				 struct finding *f)
{
	(void)s;
	if (!*g->driver || !strcmp(g->driver, "sovgpu"))
		return false;
	set_text(f->reason, "the GPU is bound to driver %s", g->driver);
	return set_text(f->remedy,
			!strcmp(g->driver, "vfio-pci")
				? "it is passed through to a virtual machine: use it there, or "
				  "unbind it (as root: echo %s "
				  ">/sys/bus/pci/drivers/vfio-pci/unbind)"
				: "keep that driver from loading "
				  "(/usr/share/doc/sovgpu/modprobe.conf is an "
				  "example), then as root: "
				  "echo %s >/sys/bus/pci/drivers_probe",
			g->address);
}

static bool kmod_not_installed(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			       struct finding *f)
{
	(void)g;
	return !s->sovgpu.installed &&
	       set_text(f->reason, "sovgpu.ko is not installed for kernel %s", s->kernel) &&
	       set_text(f->remedy, "as root: make dkms-install");
}

static bool kmod_no_firmware(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			     struct finding *f)
{
	(void)s;
	return strcmp(g->driver, "sovgpu") && *g->missing_firmware &&
	       set_text(f->reason, "firmware %s is missing", g->missing_firmware) &&
	       set_text(f->remedy,
			"install it (Debian: firmware-nvidia-graphics of trixie-backports), "
			"then as root: "
			"modprobe -r sovgpu; modprobe sovgpu");
}

static bool kmod_not_loaded(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			    struct finding *f)
{
	(void)g;
	return !s->sovgpu.loaded && set_text(f->reason, "sovgpu.ko is not loaded") &&
	       set_text(f->remedy, "as root: modprobe sovgpu");
}

static bool kmod_not_bound(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			   struct finding *f)
{
	(void)s;
	return !*g->driver && set_text(f->reason, "sovgpu.ko is loaded but did not bind the GPU") &&
	       set_text(f->remedy, "the kernel's log says why (as root: dmesg | grep %s)",
			g->address);
}

static bool kmod_no_node(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			 struct finding *f)
{
	const char *path = *g->render.path ? g->render.path : "its render node in /dev/dri";

	if (g->render.exists)
		return false;
	set_text(f->reason, "%s does not exist", path);
	return s->container ? set_text(f->remedy, "start the container with --device %s",
				       *g->render.path ? g->render.path : "/dev/dri")
			    : set_text(f->remedy, "let udev create it (as root: udevadm trigger "
						  "--subsystem-match=drm)");
}

static bool kmod_denied(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			struct finding *f)
{
	return node_inaccessible(s, &g->render, f);
}

static bool nvrm_disabled(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			  struct finding *f)
{
	(void)s, (void)g;
	return disabled_by_env("SOV_NVRM", f);
}

static bool nvrm_not_nvidia(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			    struct finding *f)
{
	(void)s;
	return g->vendor != SOV_PCI_NVIDIA && set_text(f->reason, "this is not an NVIDIA GPU") &&
	       set_text(f->remedy, "SOV_SOFT names software GPUs, which need no hardware");
}

static bool nvrm_not_loaded(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			    struct finding *f)
{
	if (s->nvidia.loaded)
		return false;
	set_text(
		f->reason,
		*g->driver && strcmp(g->driver, "nvidia")
			? "NVIDIA's open kernel module is not loaded; the GPU is bound to driver %s"
			: "NVIDIA's open kernel module is not loaded%s",
		*g->driver && strcmp(g->driver, "nvidia") ? g->driver : "");
	return set_text(
		f->remedy,
		"install it (Debian: nvidia-open-kernel-dkms), then as root: modprobe nvidia");
}

static bool nvrm_bound_elsewhere(const struct doctor_snapshot *s, const struct doctor_gpu *g,
				 struct finding *f)
{
	(void)s;
	if (!strcmp(g->driver, "nvidia"))
		return false;
	if (!*g->driver)
		return set_text(f->reason, "NVIDIA's kernel module did not bind the GPU") &&
		       set_text(f->remedy,
				"the kernel's log says why (as root: dmesg | grep NVRM)");
	return set_text(f->reason, "the GPU is bound to driver %s", g->driver) &&
	       set_text(f->remedy,
			"as root: echo %s >/sys/bus/pci/drivers/%s/unbind; echo %s "
			">/sys/bus/pci/drivers/nvidia/bind",
			g->address, g->driver, g->address);
}

static bool nvrm_unsupported_chip(const struct doctor_snapshot *s, const struct doctor_gpu *g,
				  struct finding *f)
{
	(void)s;
	return !(gpu_chip(g)->known_by & KNOWN_BY_NVRM) &&
	       set_text(f->reason, "the library does not support this chip (%s)",
			gpu_chip(g)->name) &&
	       set_text(f->remedy, "SOV_SOFT names software GPUs, which need no hardware");
}

static bool nvrm_unsupported_version(const struct doctor_snapshot *s, const struct doctor_gpu *g,
				     struct finding *f)
{
	const char *any = getenv("SOV_NVRM_ANY");
	uint32_t major;
	const struct nvrm_release *r = nvrm_release_find(s->nvidia.version, &major);

	(void)g;
	if (r && (r->tested || (any && !strcmp(any, "1"))))
		return false;
	set_text(f->reason, "NVIDIA's kernel module has version %s; supported: 570 and 580",
		 *s->nvidia.version ? s->nvidia.version : "(unknown)");
	return set_text(f->remedy, r ? "install one of those, or try this one with SOV_NVRM_ANY=1"
				     : "install one of those");
}

static bool nvrm_closed_module(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			       struct finding *f)
{
	(void)g;
	return !s->nvidia.open &&
	       set_text(f->reason, "NVIDIA's kernel module is the closed one, which is untested") &&
	       set_text(f->remedy, "install the open one (Debian: nvidia-open-kernel-dkms)");
}

static bool nvrm_no_node(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			 struct finding *f)
{
	const struct doctor_node *missing =
		!s->nvidia.control.exists ? &s->nvidia.control : &g->nvidia;
	const char *path = *missing->path ? missing->path : "its device file /dev/nvidiaN";

	if (missing->exists)
		return false;
	set_text(f->reason, "%s does not exist", path);
	return s->container
		       ? set_text(f->remedy,
				  "start the container with --device /dev/nvidiactl --device %s",
				  *g->nvidia.path ? g->nvidia.path : "/dev/nvidia0")
		       : set_text(f->remedy, "as root: nvidia-modprobe -c 0, or mknod by hand");
}

static bool nvrm_denied(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			struct finding *f)
{
	return node_inaccessible(s, &s->nvidia.control, f) || node_inaccessible(s, &g->nvidia, f);
}

static bool kfd_disabled(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			 struct finding *f)
{
	(void)s, (void)g;
	return disabled_by_env("SOV_KFD", f);
}

static bool kfd_not_amd(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			struct finding *f)
{
	(void)s;
	return g->vendor != SOV_PCI_AMD && set_text(f->reason, "this is not an AMD GPU") &&
	       set_text(f->remedy, "SOV_SOFT names software GPUs, which need no hardware");
}

static bool kfd_unsupported_chip(const struct doctor_snapshot *s, const struct doctor_gpu *g,
				 struct finding *f)
{
	(void)s;
	return !(gpu_chip(g)->known_by & KNOWN_BY_KFD) &&
	       set_text(f->reason,
			"the library does not support this chip (%s); supported: gfx1030 to "
			"gfx1036",
			gpu_chip(g)->name) &&
	       set_text(f->remedy, "SOV_SOFT names software GPUs, which need no hardware");
}

static bool kfd_not_loaded(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			   struct finding *f)
{
	(void)g;
	return !s->amdgpu.loaded && set_text(f->reason, "amdgpu is not loaded") &&
	       set_text(f->remedy, "as root: modprobe amdgpu (Debian: its firmware is in "
				   "firmware-amd-graphics)");
}

static bool kfd_bound_elsewhere(const struct doctor_snapshot *s, const struct doctor_gpu *g,
				struct finding *f)
{
	(void)s;
	if (!strcmp(g->driver, "amdgpu"))
		return false;
	if (!*g->driver)
		return set_text(f->reason, "amdgpu did not bind the GPU") &&
		       set_text(f->remedy,
				"the kernel's log says why (as root: dmesg | grep amdgpu)");
	return set_text(f->reason, "the GPU is bound to driver %s", g->driver) &&
	       set_text(f->remedy,
			"as root: echo %s >/sys/bus/pci/drivers/%s/unbind; echo %s "
			">/sys/bus/pci/drivers/amdgpu/bind",
			g->address, g->driver, g->address);
}

static bool kfd_no_node(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			struct finding *f)
{
	const struct doctor_node *missing = !s->amdgpu.kfd.exists ? &s->amdgpu.kfd : &g->render;
	const char *path = *missing->path ? missing->path : "its render node in /dev/dri";

	if (missing->exists)
		return false;
	set_text(f->reason, "%s does not exist", path);
	return s->container ? set_text(f->remedy,
				       "start the container with --device /dev/kfd --device %s",
				       *g->render.path ? g->render.path : "/dev/dri")
			    : set_text(f->remedy, "boot a kernel that is built with CONFIG_HSA_AMD "
						  "(Debian's 6.12 for arm64 is not)");
}

static bool kfd_denied(const struct doctor_snapshot *s, const struct doctor_gpu *g,
		       struct finding *f)
{
	return node_inaccessible(s, &s->amdgpu.kfd, f) || node_inaccessible(s, &g->render, f);
}

enum { WINSYS_KMOD, WINSYS_NVRM, WINSYS_KFD, WINSYSES, MAX_OBSTACLES = 10 };
static const struct {
	const char *name;
	obstacle *obstacles[MAX_OBSTACLES];
} winsyses[WINSYSES] = {
	[WINSYS_KMOD] = {"kmod",
			 {kmod_disabled, kmod_unsupported_chip, kmod_bound_elsewhere,
			  kmod_not_installed, kmod_no_firmware, kmod_not_loaded, kmod_not_bound,
			  kmod_no_node, kmod_denied}},
	[WINSYS_NVRM] = {"nvrm",
			 {nvrm_disabled, nvrm_not_nvidia, nvrm_not_loaded, nvrm_bound_elsewhere,
			  nvrm_unsupported_chip, nvrm_unsupported_version, nvrm_closed_module,
			  nvrm_no_node, nvrm_denied}},
	[WINSYS_KFD] = {"kfd",
			{kfd_disabled, kfd_not_amd, kfd_not_loaded, kfd_bound_elsewhere,
			 kfd_unsupported_chip, kfd_no_node, kfd_denied}},
};

/* Whether the winsys can use the GPU; if not, f describes the first obstacle. */
static bool winsys_can_use(const struct doctor_snapshot *s, const struct doctor_gpu *g,
			   uint32_t winsys, struct finding *f)
{
	memset(f, 0, sizeof(*f));
	for (uint32_t i = 0; i < MAX_OBSTACLES && winsyses[winsys].obstacles[i]; i++)
		if (winsyses[winsys].obstacles[i](s, g, f))
			return false;
	return true;
}

static bool gpu_is_usable(const struct doctor_snapshot *s, const struct doctor_gpu *g)
{
	struct finding f;

	for (uint32_t winsys = 0; winsys < WINSYSES; winsys++)
		if (winsys_can_use(s, g, winsys, &f))
			return true;
	return false;
}

/* ---- the host ---- */

/* The library creates the folder on demand: its nearest existing parent must be writable. */
static bool check_cache(const struct doctor_snapshot *s, struct finding *f)
{
	static const struct {
		const char *variable, *below;
	} candidates[] = {
		{"SOV_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "/sov"}, {"HOME", "/.cache/sov"}};
	char path[4096] = "", nearest[4096], *slash;
	struct stat st;

	(void)s;
	for (size_t i = 0; i < sizeof(candidates) / sizeof(*candidates) && !*path; i++)
		if (getenv(candidates[i].variable) && *getenv(candidates[i].variable))
			snprintf(path, sizeof(path), "%s%s", getenv(candidates[i].variable),
				 candidates[i].below);
	if (!*path)
		return !set_text(f->reason,
				 "no cache folder: each run compiles its kernels again") ||
		       !set_text(f->remedy, "set SOV_CACHE_DIR");
	snprintf(nearest, sizeof(nearest), "%s", path);
	while (access(nearest, F_OK) && (slash = strrchr(nearest, '/')) && slash != nearest)
		*slash = 0;
	if (!stat(nearest, &st) && S_ISDIR(st.st_mode) && !access(nearest, W_OK))
		return set_text(f->reason, "compiled kernels are cached in %.250s", path);
	set_text(f->reason,
		 "cannot write the cache folder %.200s: each run compiles its kernels again", path);
	return !set_text(f->remedy, "set SOV_CACHE_DIR to a writable folder");
}

#define MIN_MEMLOCK (UINT64_C(64) << 20)

static bool check_memlock(const struct doctor_snapshot *s, struct finding *f)
{
	if (s->memlock == UINT64_MAX)
		return set_text(f->reason, "no limit on pinned memory");
	set_text(f->reason, "the limit on pinned memory is %llu KiB",
		 (unsigned long long)(s->memlock >> 10));
	if (s->memlock >= MIN_MEMLOCK)
		return true;
	return !set_text(
		f->remedy,
		"raise it for sov_host_alloc and sov_host_register with sovgpu.ko (ulimit -l, or "
		"/etc/security/limits.conf: memlock)");
}

static bool check_processor(const struct doctor_snapshot *s, struct finding *f)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN), page = sysconf(_SC_PAGESIZE);

	(void)s;
#if defined(__x86_64__)
	return set_text(f->reason, "x86-64, %ld cores, pages of %ld bytes", cores, page);
#elif defined(__aarch64__)
	return set_text(f->reason, "arm64, %ld cores, pages of %ld bytes", cores, page);
#else
	set_text(f->reason, "an untested architecture, %ld cores, pages of %ld bytes", cores, page);
	return !set_text(f->remedy, "x86-64 and arm64 are tested");
#endif
}

static bool check_soft(const struct doctor_snapshot *s, struct finding *f)
{
	const char *soft = getenv("SOV_SOFT");

	(void)s;
	if (!soft || (*soft && strcmp(soft, "none")))
		return set_text(f->reason, "software GPUs are available%s%s",
				soft ? "; SOV_SOFT creates " : "", soft ? soft : "");
	set_text(f->reason, "SOV_SOFT=%s disables software GPUs", soft);
	return !set_text(f->remedy, "unset SOV_SOFT");
}

static bool check_visible(const struct doctor_snapshot *s, struct finding *f)
{
	const char *visible = getenv("SOV_VISIBLE_DEVICES");

	(void)s;
	if (!visible)
		return set_text(f->reason, "all devices are visible");
	set_text(f->reason, "SOV_VISIBLE_DEVICES='%.64s' hides all other devices", visible);
	return *visible || !set_text(f->remedy, "unset SOV_VISIBLE_DEVICES, or name devices in it");
}

static const struct {
	const char *name;
	bool (*check)(const struct doctor_snapshot *s, struct finding *f);
} host_rows[] = {
	{"processor", check_processor},   {"software GPU", check_soft},
	{"visibility", check_visible},    {"cache", check_cache},
	{"pinned memory", check_memlock},
};
#define HOST_ROWS (sizeof(host_rows) / sizeof(*host_rows))

/* ---- output ---- */

static void print_finding(const char *name, const char *verdict, const struct finding *f)
{
	printf("  %-13s %-4s %s\n", name, verdict, f->reason);
	if (*f->remedy)
		printf("  %-13s %-4s -> %s\n", "", "", f->remedy);
}

static void print_text(const struct doctor_snapshot *s)
{
	struct finding f;

	for (uint32_t i = 0; i < s->gpu_count; i++) {
		const struct doctor_gpu *g = &s->gpus[i];

		printf("GPU %s  PCI %04x:%04x, %s, %s%s%s\n", g->address, g->vendor, g->device,
		       gpu_chip(g)->name, *g->driver ? "driver " : "no driver", g->driver,
		       g->iommu ? ", behind an IOMMU" : "");
		for (uint32_t winsys = 0; winsys < WINSYSES; winsys++)
			if (winsys_can_use(s, g, winsys, &f)) {
				snprintf(f.reason, sizeof(f.reason), "through %s",
					 winsys == WINSYS_KMOD   ? g->render.path
					 : winsys == WINSYS_NVRM ? g->nvidia.path
								 : s->amdgpu.kfd.path);
				print_finding(winsyses[winsys].name, "yes", &f);
			} else {
				print_finding(winsyses[winsys].name, "no", &f);
			}
	}
	if (!s->gpu_count)
		printf("no NVIDIA or AMD GPU on the PCI bus%s\n",
		       s->container ? "; a GPU may be hidden from this container" : "");
	printf("host  kernel %s%s\n", s->kernel, s->container ? ", in a container" : "");
	for (size_t i = 0; i < HOST_ROWS; i++) {
		memset(&f, 0, sizeof(f));
		bool good = host_rows[i].check(s, &f);

		print_finding(host_rows[i].name, good ? "ok" : "note", &f);
	}
}

static void json_finding(struct json *j, const char *key, const char *name, bool good,
			 const struct finding *f)
{
	json_object(j, NULL);
	json_string(j, key, name);
	json_bool(j, "ok", good);
	json_string(j, "reason", f->reason);
	json_string(j, "remedy", f->remedy);
	json_end_object(j);
}

static void gpu_json(struct json *j, const struct doctor_snapshot *s, const struct doctor_gpu *g)
{
	struct finding f;

	json_object(j, NULL);
	json_string(j, "address", g->address);
	json_u64(j, "vendor", g->vendor);
	json_u64(j, "device", g->device);
	json_string(j, "chip", gpu_chip(g)->name);
	json_string(j, "driver", g->driver);
	json_bool(j, "iommu", g->iommu);
	json_bool(j, "usable", gpu_is_usable(s, g));
	json_array(j, "winsyses");
	for (uint32_t winsys = 0; winsys < WINSYSES; winsys++) {
		bool good = winsys_can_use(s, g, winsys, &f);

		json_finding(j, "winsys", winsyses[winsys].name, good, &f);
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
		bool good = host_rows[i].check(s, &f);

		json_finding(&j, "check", host_rows[i].name, good, &f);
	}
	json_end_array(&j);
	json_string(&j, "library", library);
	json_u64(&j, "unusable", unusable);
	json_end_object(&j);
}

/* ---- the library ---- */

/* Returns false if the library finds no device, not even a software GPU. */
static bool query_library(char *text, size_t bytes)
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

static int doctor_run(const struct verb *v, int argc, char **argv)
{
	bool as_json = false, works = true;
	const char *root = NULL, *first_boot = NULL;
	const struct option options[] = {
		{"json", 0, NULL, "print JSON", &as_json, NULL},
		{"root", 0, "FOLDER",
		 "diagnose the machine whose files are below FOLDER (default /)", NULL, &root},
		{"first-boot", 0, "FILE",
		 "write what a report about a first boot of sovgpu.ko needs to FILE, a tar archive",
		 NULL, &first_boot},
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
	if (first_boot && as_json)
		return usage_error(v, "--first-boot and --json exclude each other");
	struct progress *p = progress_start("looking for GPUs");

	doctor_probe(root ? root : "", &s);
	if (first_boot) {
		progress_end(p);
		return first_boot_collect(v, &s, first_boot);
	}
	for (uint32_t i = 0; i < s.gpu_count; i++)
		unusable += !gpu_is_usable(&s, &s.gpus[i]);
	if (!root)
		works = query_library(library, sizeof(library));
	progress_end(p);
	if (as_json) {
		print_json(&s, unusable, library);
	} else {
		print_text(&s);
		if (!root)
			printf("the library finds %s\n", library);
		if (unusable)
			printf("%u of %u GPUs are unusable\n", unusable, s.gpu_count);
		else if (s.gpu_count)
			printf("every GPU is usable\n");
	}
	return unusable || !works ? EXIT_FAILED : EXIT_DONE;
}

const struct verb verb_doctor = {
	.name = "doctor",
	.summary = "Diagnose why a GPU is unusable and name the remedy.",
	.usage = "[--json] [--root FOLDER] [--first-boot FILE]",
	.details = "Checks the PCI bus, drivers, device files, permissions, firmware and versions; "
		   "changes\n"
		   "nothing. Exit status 1: a GPU is unusable by every winsys, or the library "
		   "finds no\n"
		   "device at all. --first-boot exits with 0 if it wrote the archive.\n",
	.run = doctor_run,
};
