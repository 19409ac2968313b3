// SPDX-License-Identifier: MIT
/* The library as a whole: its life, its versions, its errors, and processes. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "libsov/cuda/management/management.h"

#define MAX_DEVICES 64

static struct {
	pthread_mutex_t lock;
	unsigned users; /* calls of nvmlInit without their nvmlShutdown */
	unsigned count;
	struct nvmlDevice_st devices[MAX_DEVICES]; /* handles outlive nvmlShutdown */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

nvmlReturn_t nvml_result(sov_result r)
{
	static const nvmlReturn_t results[] = {
		[SOV_OK] = NVML_SUCCESS,
		[SOV_ERROR_INVALID_ARGUMENT] = NVML_ERROR_INVALID_ARGUMENT,
		[SOV_ERROR_INVALID_HANDLE] = NVML_ERROR_INVALID_ARGUMENT,
		[SOV_ERROR_NO_DEVICE] = NVML_ERROR_NOT_FOUND,
		[SOV_ERROR_OUT_OF_HOST_MEMORY] = NVML_ERROR_MEMORY,
		[SOV_ERROR_UNSUPPORTED] = NVML_ERROR_NOT_SUPPORTED,
		[SOV_ERROR_DEVICE_LOST] = NVML_ERROR_GPU_IS_LOST,
	};

	if (r && ((size_t)r >= sizeof(results) / sizeof(results[0]) || !results[r]))
		return NVML_ERROR_UNKNOWN;
	return results[r];
}

static sov_result find_devices(void)
{
	uint32_t count = 0, k;
	sov_result r = sov_device_count(&count);

	for (k = 0; !r && k < count && k < MAX_DEVICES; k++) {
		struct nvmlDevice_st *d = &all.devices[k];

		d->properties = SOV_INIT(sov_device_properties);
		d->identity = SOV_INIT(sov_device_identity);
		d->index = k;
		r = sov_device_open(k, &d->sov);
		if (!r)
			r = sov_device_get_properties(d->sov, &d->properties);
		if (!r)
			r = sov_device_get_identity(d->sov, &d->identity);
		if (sscanf(d->properties.target, "sm_%d", &d->sm) != 1)
			d->sm = 0;
	}
	all.count = k;
	return r;
}

API nvmlInitWithFlags(unsigned flags)
{
	nvmlReturn_t e = NVML_SUCCESS;

	if (flags & ~(unsigned)(NVML_INIT_FLAG_NO_GPUS | NVML_INIT_FLAG_NO_ATTACH))
		return NVML_ERROR_INVALID_ARGUMENT;
	pthread_mutex_lock(&all.lock);
	if (!all.users && find_devices())
		e = NVML_ERROR_DRIVER_NOT_LOADED;
	else if (!all.count && !(flags & NVML_INIT_FLAG_NO_GPUS))
		e = NVML_ERROR_NOT_FOUND;
	if (!e)
		__atomic_store_n(&all.users, all.users + 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&all.lock);
	return e;
}

API nvmlInit_v2(void)
{
	return nvmlInitWithFlags(0);
}

API nvmlInit(void)
{
	return nvmlInitWithFlags(0);
}

API nvmlShutdown(void)
{
	nvmlReturn_t e = NVML_SUCCESS;

	pthread_mutex_lock(&all.lock);
	if (all.users)
		__atomic_store_n(&all.users, all.users - 1, __ATOMIC_RELEASE);
	else
		e = NVML_ERROR_UNINITIALIZED;
	pthread_mutex_unlock(&all.lock);
	return e;
}

nvmlReturn_t nvml_ready(void)
{
	return __atomic_load_n(&all.users, __ATOMIC_ACQUIRE) ? NVML_SUCCESS
							     : NVML_ERROR_UNINITIALIZED;
}

unsigned nvml_device_count(void)
{
	return all.count;
}

nvmlDevice_t nvml_device_at(unsigned index)
{
	return index < all.count ? &all.devices[index] : NULL;
}

NVML_EXPORT const char *nvmlErrorString(nvmlReturn_t result)
{
	switch (result) {
#define R(name, value, text) \
	case NVML_##name: \
		return text;
		NVML_RESULTS(R)
#undef R
	}
	return "Unknown Error";
}

nvmlReturn_t nvml_copy_text(char *to, unsigned bytes, const char *text)
{
	size_t n = strlen(text) + 1;

	if (!to)
		return NVML_ERROR_INVALID_ARGUMENT;
	if (n > bytes)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	memcpy(to, text, n);
	return NVML_SUCCESS;
}

/* ---- versions ---- */

/* The first number with a dot in "NVIDIA's kernel module 580.159.04", "libsov 0.1, in the process":
 * programs compare it. */
static void version_in(const char *text, char *out, size_t bytes)
{
	for (; *text; text++) {
		size_t n = strspn(text, "0123456789.");

		if (n && memchr(text, '.', n) && *text != '.') {
			snprintf(out, bytes, "%.*s", (int)n, text);
			return;
		}
		text += n ? n - 1 : 0;
	}
	snprintf(out, bytes, "0.0");
}

API nvmlSystemGetDriverVersion(char *version, unsigned length)
{
	nvmlReturn_t e = nvml_ready();
	char text[64];

	if (e)
		return e;
	version_in(all.count ? all.devices[0].properties.driver : "", text, sizeof(text));
	return nvml_copy_text(version, length, text);
}

/* That of CUDA whose management interface this is, then that of libsov. */
API nvmlSystemGetNVMLVersion(char *version, unsigned length)
{
	nvmlReturn_t e = nvml_ready();
	char text[64];

	snprintf(text, sizeof(text), "%u.%u.%u", CUDA_VERSION / 1000, sov_version() >> 16,
		 sov_version() & 0xffff);
	return e ? e : nvml_copy_text(version, length, text);
}

/* These two work before nvmlInit. */
API nvmlSystemGetCudaDriverVersion_v2(int *version)
{
	if (!version)
		return NVML_ERROR_INVALID_ARGUMENT;
	*version = CUDA_VERSION;
	return NVML_SUCCESS;
}

API nvmlSystemGetCudaDriverVersion(int *version)
{
	return nvmlSystemGetCudaDriverVersion_v2(version);
}

/* ---- processes ---- */

API nvmlSystemGetProcessName(unsigned pid, char *name, unsigned length)
{
	nvmlReturn_t e = nvml_ready();
	char path[64], text[1024];
	size_t n;
	FILE *f;

	if (e)
		return e;
	if (!name || !length)
		return NVML_ERROR_INVALID_ARGUMENT;
	snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
	f = fopen(path, "r");
	if (!f)
		return NVML_ERROR_NOT_FOUND;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	snprintf(name, length, "%s", text); /* NVML cuts names that are too long */
	return NVML_SUCCESS;
}

/* Racks of GPUs with a control unit of their own, which no device here is in. */
API nvmlUnitGetCount(unsigned *count)
{
	nvmlReturn_t e = nvml_ready();

	if (e || !count)
		return e ? e : NVML_ERROR_INVALID_ARGUMENT;
	*count = 0;
	return NVML_SUCCESS;
}

/* Devices that the kernel driver hides; SOV_VISIBLE_DEVICES is not counted as such. */
API nvmlGetExcludedDeviceCount(unsigned *count)
{
	return nvmlUnitGetCount(count);
}
