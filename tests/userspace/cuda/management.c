// SPDX-License-Identifier: MIT
/* libnvidia-ml.so.1 on software GPUs, and the place of PCI devices in a made-up sysfs. */
#include <sys/stat.h>
#include "libsov/cuda/driver/calls.h"
#include "libsov/cuda/management/abi.h"
#include "libsov/cuda/management/pci.h"
#include "tests/tap.h"
#include "tests/userspace/cuda/_load.h"

#define VRAM (UINT64_C(256) << 20)

nvmlReturn_t nvmlInit_v2(void), nvmlInitWithFlags(unsigned), nvmlShutdown(void);
const char *nvmlErrorString(nvmlReturn_t);
nvmlReturn_t nvmlSystemGetDriverVersion(char *, unsigned);
nvmlReturn_t nvmlSystemGetNVMLVersion(char *, unsigned);
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *);
nvmlReturn_t nvmlSystemGetProcessName(unsigned, char *, unsigned);
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *);
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned, nvmlDevice_t *);
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *, nvmlDevice_t *);
nvmlReturn_t nvmlDeviceGetHandleByUUIDV(const nvmlUUID_v1_t *, nvmlDevice_t *);
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *, nvmlDevice_t *);
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t, char *, unsigned);
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t, char *, unsigned);
nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t, unsigned *);
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t, nvmlPciInfo_t *);
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t, nvmlMemory_t *);
nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t, nvmlMemory_v2_t *);
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t, unsigned, unsigned *);
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t, unsigned *);
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t, unsigned, unsigned *);
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t, nvmlUtilization_t *);
nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t, unsigned *, unsigned *);
nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t, unsigned *);
nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t, int *, int *);
nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t, unsigned *);
nvmlReturn_t nvmlDeviceGetNumGpuCores(nvmlDevice_t, unsigned *);
nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t, int, nvmlFieldValue_t *);
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t, unsigned *, void *);
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t, unsigned *, void *);
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t, unsigned *, void *);

static void test_life(void)
{
	unsigned count = 9;

	ok(CALL(nvmlDeviceGetCount_v2)(&count) == NVML_ERROR_UNINITIALIZED && count == 9,
	   "a call before nvmlInit is rejected");
	ok(CALL(nvmlDeviceGetEccMode)(NULL, NULL, NULL) == NVML_ERROR_UNINITIALIZED,
	   "a call that is missing is rejected before nvmlInit");
	ok(CALL(nvmlShutdown)() == NVML_ERROR_UNINITIALIZED, "nvmlShutdown needs an nvmlInit");
	ok(CALL(nvmlInitWithFlags)(8) == NVML_ERROR_INVALID_ARGUMENT,
	   "unknown flags of nvmlInit are rejected");
	ok(!CALL(nvmlInit_v2)() && !CALL(nvmlInitWithFlags)(1), "nvmlInit can be called twice");
	ok(!CALL(nvmlShutdown)() && !CALL(nvmlDeviceGetCount_v2)(&count) && count == 3,
	   "after one nvmlShutdown of two the library works and has three devices");
	ok(CALL(nvmlDeviceGetCount_v2)(NULL) == NVML_ERROR_INVALID_ARGUMENT,
	   "a count needs a place");
	is_str(CALL(nvmlErrorString)(NVML_ERROR_NOT_SUPPORTED), "Not Supported",
	       "an error has a text");
	is_str(CALL(nvmlErrorString)((nvmlReturn_t)12345), "Unknown Error",
	       "an unknown error has a text");
}

static void test_system(void)
{
	char text[80], name[16];
	unsigned major, minor;
	int version = 0;

	ok(!CALL(nvmlSystemGetDriverVersion)(text, sizeof(text)) &&
		   sscanf(text, "%u.%u", &major, &minor) == 2,
	   "the driver's version is a number: %s", text);
	ok(CALL(nvmlSystemGetDriverVersion)(text, 2) == NVML_ERROR_INSUFFICIENT_SIZE,
	   "a version needs room");
	ok(!CALL(nvmlSystemGetNVMLVersion)(text, sizeof(text)) && !strncmp(text, "13.", 3),
	   "the library's version begins with CUDA's");
	ok(!CALL(nvmlSystemGetCudaDriverVersion)(&version) && version == 13000,
	   "CUDA's version is that of libcuda");
	ok(!CALL(nvmlSystemGetProcessName)((unsigned)getpid(), text, sizeof(text)) &&
		   strstr(text, "management"),
	   "the name of this process is found");
	ok(!CALL(nvmlSystemGetProcessName)((unsigned)getpid(), name, 4) && strlen(name) == 3,
	   "a name that is too long is cut");
	ok(CALL(nvmlSystemGetProcessName)(0x7fffffff, text, sizeof(text)) == NVML_ERROR_NOT_FOUND,
	   "the name of a process that does not exist is not found");
}

static void test_handles(void)
{
	nvmlDevice_t d[3], found = NULL;
	char uuid[3][96], text[96];
	nvmlUUID_v1_t binary = {.type = NVML_UUID_TYPE_BINARY};
	unsigned index, hex[16];
	nvmlPciInfo_t pci;

	for (unsigned k = 0; k < 3; k++)
		if (CALL(nvmlDeviceGetHandleByIndex_v2)(k, &d[k]) ||
		    CALL(nvmlDeviceGetUUID)(d[k], uuid[k], 96)) {
			ok(false, "devices have handles and UUIDs");
			return;
		}
	ok(strcmp(uuid[0], uuid[1]) && strcmp(uuid[0], uuid[2]) && !strncmp(uuid[0], "GPU-", 4) &&
		   strlen(uuid[0]) == 40,
	   "devices have different UUIDs, such as %s", uuid[0]);
	ok(!CALL(nvmlDeviceGetHandleByUUID)(uuid[2], &found) && found == d[2],
	   "a UUID finds its device");
	ok(CALL(nvmlDeviceGetHandleByUUID)("GPU-0", &found) == NVML_ERROR_NOT_FOUND,
	   "an unknown UUID is not found");
	binary.version = NVML_STRUCT_VERSION(nvmlUUID_v1_t, 1);
	sscanf(uuid[1], "GPU-%2x%2x%2x%2x-%2x%2x-%2x%2x-%2x%2x-%2x%2x%2x%2x%2x%2x", &hex[0],
	       &hex[1], &hex[2], &hex[3], &hex[4], &hex[5], &hex[6], &hex[7], &hex[8], &hex[9],
	       &hex[10], &hex[11], &hex[12], &hex[13], &hex[14], &hex[15]);
	for (int k = 0; k < 16; k++)
		binary.value.bytes[k] = (unsigned char)hex[k];
	ok(!CALL(nvmlDeviceGetHandleByUUIDV)(&binary, &found) && found == d[1],
	   "the bytes of a UUID find its device");
	binary.version++;
	ok(CALL(nvmlDeviceGetHandleByUUIDV)(&binary, &found) ==
		   NVML_ERROR_ARGUMENT_VERSION_MISMATCH,
	   "a structure of an unknown version is rejected");
	ok(!CALL(nvmlDeviceGetIndex)(d[1], &index) && index == 1, "a device knows its index");
	ok(CALL(nvmlDeviceGetHandleByIndex_v2)(3, &found) == NVML_ERROR_INVALID_ARGUMENT,
	   "an index beyond the devices is rejected");
	ok(CALL(nvmlDeviceGetIndex)((nvmlDevice_t)(void *)text, &index) ==
			   NVML_ERROR_INVALID_ARGUMENT &&
		   CALL(nvmlDeviceGetIndex)(NULL, &index) == NVML_ERROR_INVALID_ARGUMENT,
	   "a handle that is none is rejected");
	ok(!CALL(nvmlDeviceGetName)(d[0], text, sizeof(text)) && strstr(text, "GH100"),
	   "a device has a name: %s", text);
	ok(CALL(nvmlDeviceGetName)(d[0], text, 3) == NVML_ERROR_INSUFFICIENT_SIZE,
	   "a name needs room");
	ok(CALL(nvmlDeviceGetPciInfo_v3)(d[0], &pci) == NVML_ERROR_NOT_SUPPORTED,
	   "a software GPU has no PCI address");
	ok(CALL(nvmlDeviceGetHandleByPciBusId_v2)("0000:01:00.0", &found) == NVML_ERROR_NOT_FOUND &&
		   CALL(nvmlDeviceGetHandleByPciBusId_v2)("nowhere", &found) ==
			   NVML_ERROR_INVALID_ARGUMENT,
	   "a PCI address without a device is not found, and what is none is rejected");
}

static void test_chips(void)
{
	unsigned architecture, cores = 0;
	int major = 0, minor = 1;
	nvmlDevice_t d;

	CALL(nvmlDeviceGetHandleByIndex_v2)(0, &d);
	ok(!CALL(nvmlDeviceGetCudaComputeCapability)(d, &major, &minor) && major == 9 && !minor,
	   "gh100 has compute capability 9.0");
	ok(!CALL(nvmlDeviceGetArchitecture)(d, &architecture) &&
		   architecture == NVML_DEVICE_ARCH_HOPPER,
	   "gh100 is a Hopper");
	ok(!CALL(nvmlDeviceGetNumGpuCores)(d, &cores) && cores == 132 * 128,
	   "gh100 has 132 multiprocessors of 128 cores");
	CALL(nvmlDeviceGetHandleByIndex_v2)(2, &d);
	ok(!CALL(nvmlDeviceGetArchitecture)(d, &architecture) &&
		   architecture == NVML_DEVICE_ARCH_UNKNOWN &&
		   CALL(nvmlDeviceGetNumGpuCores)(d, &cores) == NVML_ERROR_NOT_SUPPORTED,
	   "a chip that is not NVIDIA's has no architecture of NVIDIA's");
}

static void test_state(void)
{
	nvmlMemory_v2_t memory2 = {.version = NVML_STRUCT_VERSION(nvmlMemory_v2_t, 2)};
	nvmlFieldValue_t fields[2] = {{.fieldId = 1}, {.fieldId = 9999}};
	nvmlProcessInfo_v2_t process[2] = {{.pid = 0}};
	nvmlProcessInfo_v1_t old[2] = {{.pid = 0}};
	unsigned value = 77, count = 2;
	nvmlUtilization_t busy;
	nvmlMemory_t memory;
	nvmlDevice_t d;

	CALL(nvmlDeviceGetHandleByIndex_v2)(0, &d);
	ok(!CALL(nvmlDeviceGetMemoryInfo)(d, &memory) && memory.total == VRAM &&
		   memory.free + memory.used == memory.total && !memory.used,
	   "the memory of an unused device is free");
	ok(!CALL(nvmlDeviceGetMemoryInfo_v2)(d, &memory2) && memory2.total == VRAM,
	   "the second form of the memory has the same total");
	memory2.version = 1;
	ok(CALL(nvmlDeviceGetMemoryInfo_v2)(d, &memory2) == NVML_ERROR_ARGUMENT_VERSION_MISMATCH,
	   "the second form needs its version");
	ok(CALL(nvmlDeviceGetTemperature)(d, 0, &value) == NVML_ERROR_NOT_SUPPORTED &&
		   CALL(nvmlDeviceGetPowerUsage)(d, &value) == NVML_ERROR_NOT_SUPPORTED &&
		   CALL(nvmlDeviceGetClockInfo)(d, 0, &value) == NVML_ERROR_NOT_SUPPORTED &&
		   CALL(nvmlDeviceGetUtilizationRates)(d, &busy) == NVML_ERROR_NOT_SUPPORTED &&
		   CALL(nvmlDeviceGetEccMode)(d, &value, &value) == NVML_ERROR_NOT_SUPPORTED &&
		   value == 77,
	   "what a software GPU does not have is not supported");
	ok(CALL(nvmlDeviceGetTemperature)(d, 5, &value) == NVML_ERROR_INVALID_ARGUMENT &&
		   CALL(nvmlDeviceGetClockInfo)(d, 9, &value) == NVML_ERROR_INVALID_ARGUMENT,
	   "unknown sensors and clocks are rejected");
	ok(!CALL(nvmlDeviceGetComputeMode)(d, &value) && value == NVML_COMPUTEMODE_DEFAULT,
	   "any number of contexts may use a software GPU");
	ok(!CALL(nvmlDeviceGetFieldValues)(d, 2, fields) &&
		   fields[0].nvmlReturn == NVML_ERROR_NOT_SUPPORTED &&
		   fields[1].nvmlReturn == NVML_ERROR_NOT_SUPPORTED,
	   "each field answers for itself");
	ok(!CALL(nvmlDeviceGetComputeRunningProcesses_v3)(d, &count, process) && !count,
	   "no process computes on an unused device");
	load_library("libcuda.so.1");
	{
		CUdeviceptr at;
		CUcontext c;

		ok(!CALL(cuInit)(0) && !CALL(cuCtxCreate_v2)(&c, 0, 0) &&
			   !CALL(cuMemAlloc_v2)(&at, 64 << 20),
		   "libcuda allocates 64 MiB");
	}
	load_library("libnvidia-ml.so.1");
	ok(!CALL(nvmlDeviceGetMemoryInfo)(d, &memory) && memory.used >= 64 << 20 &&
		   memory.used < 128 << 20,
	   "the allocation of libcuda is used memory");
	count = 0;
	ok(CALL(nvmlDeviceGetComputeRunningProcesses_v3)(d, &count, NULL) ==
			   NVML_ERROR_INSUFFICIENT_SIZE &&
		   count == 1,
	   "a list of processes without room has their number");
	count = 2;
	ok(!CALL(nvmlDeviceGetComputeRunningProcesses_v3)(d, &count, process) && count == 1 &&
		   process[0].pid == (unsigned)getpid() &&
		   process[0].usedGpuMemory == memory.used &&
		   process[0].gpuInstanceId == 0xffffffff,
	   "this process computes on the device");
	count = 2;
	ok(!CALL(nvmlDeviceGetComputeRunningProcesses)(d, &count, old) && count == 1 &&
		   old[0].pid == process[0].pid && !old[1].pid,
	   "the first form of the list has shorter entries");
	ok(!CALL(nvmlDeviceGetGraphicsRunningProcesses_v3)(d, &count, process) && !count,
	   "a software GPU has no graphics");
}

/* ---- sysfs ---- */

static char root[] = "/tmp/sov-sysfs-XXXXXX";

static void add_file(const char *folder, const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s/%s", root, folder, name);
	f = fopen(path, "w");
	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

/* The device at the end of a path of folders, of which the first are the host bridge's. */
static void add_device(const char *folders, const char *address, const char *node)
{
	char path[1024], link[512], part[512] = "";
	const char *p = folders;

	while (*p) {
		size_t n = strcspn(p + 1, "/") + 1;

		strncat(part, p, n);
		snprintf(path, sizeof(path), "%s%s", root, part);
		mkdir(path, 0777);
		p += n;
	}
	add_file(folders, "numa_node", node);
	add_file(folders, "local_cpus", "00000003,80000001\n");
	snprintf(link, sizeof(link), "%s/sys/bus/pci/devices/%s", root, address);
	if (symlink(path, link))
		diag("no link %s", link);
}

static void test_places(void)
{
	static const char *const folders[] = {
		"", "/sys", "/sys/bus", "/sys/bus/pci", "/sys/bus/pci/devices", "/sys/devices"};
	unsigned long set[2] = {7, 7};
	char address[PCI_ADDRESS_BYTES], command[256];

	if (!mkdtemp(root)) {
		ok(false, "there is a folder for a made-up sysfs");
		return;
	}
	for (size_t k = 1; k < sizeof(folders) / sizeof(folders[0]); k++) {
		snprintf(command, sizeof(command), "%s%s", root, folders[k]);
		mkdir(command, 0777);
	}
#define SWITCH "/sys/devices/pci0000:40/0000:40:01.0/0000:41:00.0"
	add_device(SWITCH "/0000:42:00.0/0000:43:00.0", "0000:43:00.0", "0\n");
	add_device(SWITCH "/0000:42:01.0/0000:44:00.0", "0000:44:00.0", "0\n");
	add_device(SWITCH "/0000:42:02.0/0000:45:00.0/0000:46:00.0/0000:47:00.0", "0000:47:00.0",
		   "0\n");
	add_device("/sys/devices/pci0000:40/0000:40:02.0/0000:48:00.0", "0000:48:00.0", "0\n");
	add_device("/sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0", "0000:81:00.0", "0\n");
	add_device("/sys/devices/pci0000:c0/0000:c0:01.0/0000:c1:00.0", "0000:c1:00.0", "-1\n");

	pci_address(address, 0, 0x43, 0, 0);
	is_str(address, "0000:43:00.0", "a PCI address is written as in sysfs");
	ok(pci_cpus(root, address, set, 2) && set[0] == 0x380000001 && !set[1],
	   "the CPUs near a device are read");
	ok(!pci_cpus(root, "0000:99:00.0", set, 2), "a device that is not there has no CPUs");
	ok(pci_node(root, address) == 0 && pci_node(root, "0000:c1:00.0") == -1,
	   "the NUMA node is read, and may be none");
	ok(pci_common_ancestor(root, address, address) == NVML_TOPOLOGY_INTERNAL,
	   "a device is on its own board");
	ok(pci_common_ancestor(root, address, "0000:44:00.0") == NVML_TOPOLOGY_SINGLE,
	   "two devices can be below one switch");
	ok(pci_common_ancestor(root, address, "0000:47:00.0") == NVML_TOPOLOGY_MULTIPLE,
	   "two devices can be below several switches");
	ok(pci_common_ancestor(root, address, "0000:48:00.0") == NVML_TOPOLOGY_HOSTBRIDGE,
	   "two devices can share a host bridge");
	ok(pci_common_ancestor(root, address, "0000:81:00.0") == NVML_TOPOLOGY_NODE,
	   "two devices can share a NUMA node");
	ok(pci_common_ancestor(root, address, "0000:c1:00.0") == NVML_TOPOLOGY_SYSTEM,
	   "two devices can share nothing but the machine");
	ok(pci_common_ancestor(root, address, "0000:99:00.0") == -1,
	   "a device that is not there has no path");
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	if (system(command))
		diag("%s remains", root);
}

int main(void)
{
	setenv("SOV_SOFT", "gh100:vram=256M,gh100:vram=256M,navi21:vram=256M", 1);
	setenv("SOV_NVRM", "0", 1);
	setenv("SOV_KMOD", "0", 1);
	load_library("libnvidia-ml.so.1");
	test_life();
	test_system();
	test_handles();
	test_chips();
	test_state();
	ok(!CALL(nvmlShutdown)() && CALL(nvmlShutdown)() == NVML_ERROR_UNINITIALIZED,
	   "the last nvmlShutdown ends the library");
	test_places();
	return tap_done();
}
