// SPDX-License-Identifier: MIT
/* Initialisation and devices: properties of sov.h as CUDA's attributes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/driver.h"

#define NO_PCI_DOMAIN 0xffffu

static struct {
	pthread_mutex_t lock;
	bool ready;
	uint32_t count;
	struct cuda_device devices[MAX_DEVICES];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static CUresult open_devices(void)
{
	uint32_t count = 0, k;
	sov_result r = sov_device_count(&count);

	if (r || !count)
		return r ? cuda_result(r) : CUDA_ERROR_NO_DEVICE;
	for (k = 0; k < count && k < MAX_DEVICES; k++) {
		struct cuda_device *d = &all.devices[k];
		int sm = 0;

		d->properties = SOV_INIT(sov_device_properties);
		d->identity = SOV_INIT(sov_device_identity);
		r = sov_device_open(k, &d->sov);
		if (!r)
			r = sov_device_get_properties(d->sov, &d->properties);
		if (!r)
			r = sov_device_get_identity(d->sov, &d->identity);
		/* CUDA's programs distinguish devices by PCI address: a device without one has
		 * that of no slot, in a domain that no machine has. */
		if (!r && !(d->identity.known & SOV_IDENTITY_PCI))
			d->identity.pci_domain = NO_PCI_DOMAIN, d->identity.pci_device = k;
		if (r)
			return cuda_result(r);
		/* A chip that is not NVIDIA's takes PTX: it passes for an sm_80. */
		d->major = 8, d->minor = 0;
		if (sscanf(d->properties.target, "sm_%d", &sm) == 1)
			d->major = sm / 10, d->minor = sm % 10;
	}
	all.count = k;
	return CUDA_SUCCESS;
}

CUresult cuda_initialise(void)
{
	CUresult e = CUDA_SUCCESS;

	if (__atomic_load_n(&all.ready, __ATOMIC_ACQUIRE))
		return CUDA_SUCCESS;
	pthread_mutex_lock(&all.lock);
	if (!all.ready)
		e = open_devices();
	if (!e)
		__atomic_store_n(&all.ready, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&all.lock);
	return e;
}

API cuInit(unsigned flags)
{
	return flags ? CUDA_ERROR_INVALID_VALUE : cuda_initialise();
}

API cuDriverGetVersion(int *version)
{
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = CUDA_VERSION;
	return CUDA_SUCCESS;
}

int cuda_device_count(void)
{
	return (int)all.count;
}

struct cuda_device *cuda_device_get(CUdevice ordinal, CUresult *r)
{
	if (!__atomic_load_n(&all.ready, __ATOMIC_ACQUIRE)) {
		*r = CUDA_ERROR_NOT_INITIALIZED;
		return NULL;
	}
	*r = ordinal < 0 || (uint32_t)ordinal >= all.count ? CUDA_ERROR_INVALID_DEVICE
							   : CUDA_SUCCESS;
	return *r ? NULL : &all.devices[ordinal];
}

API cuDeviceGetCount(int *count)
{
	if (!all.ready)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	*count = (int)all.count;
	return CUDA_SUCCESS;
}

API cuDeviceGet(CUdevice *out, int ordinal)
{
	CUresult e;

	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_device_get(ordinal, &e))
		*out = ordinal;
	return e;
}

API cuDeviceGetName(char *name, int bytes, CUdevice device)
{
	CUresult e;
	struct cuda_device *d = cuda_device_get(device, &e);

	if (!d)
		return e;
	if (!name || bytes <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(name, (size_t)bytes, "%s", d->properties.product);
	return CUDA_SUCCESS;
}

API cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
	CUresult e;
	struct cuda_device *d = cuda_device_get(device, &e);

	if (!d || !uuid)
		return d ? CUDA_ERROR_INVALID_VALUE : e;
	memcpy(uuid->bytes, d->identity.uuid, sizeof(uuid->bytes));
	return CUDA_SUCCESS;
}

API cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
	return cuDeviceGetUuid_v2(uuid, device);
}

API cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	CUresult e;
	struct cuda_device *d = cuda_device_get(device, &e);

	if (!d || !bytes)
		return d ? CUDA_ERROR_INVALID_VALUE : e;
	*bytes = d->properties.memory_bytes;
	return CUDA_SUCCESS;
}

API cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
	CUresult e;
	struct cuda_device *d = cuda_device_get(device, &e);

	if (!d || !major || !minor)
		return d ? CUDA_ERROR_INVALID_VALUE : e;
	*major = d->major;
	*minor = d->minor;
	return CUDA_SUCCESS;
}

/* ---- attributes ---- */

/* Attributes that are the same for all devices; those that no row names are 0. Limits of textures
 * are those of the compute capabilities 7.0 to 9.0 in CUDA's programming guide. */
static const struct {
	int attribute, value;
} constants[] = {
	{4, 64},          /* blocks: threads in z */
	{9, 65536},       /* constant memory */
	{11, 0x7fffffff}, /* pitch of copies */
	{14, 512},        /* alignment of textures */
	{15, 1},          /* copies overlap kernels */
	{19, 1},          /* host memory can be mapped */
	{21, 131072},     /* textures: 1D */
	{22, 131072},     {23, 65536}, {24, 16384},   {25, 16384}, {26, 16384},  {27, 32768},
	{28, 32768},      {29, 2048}, /* 2D, 3D, layers */
	{30, 512},                    /* alignment of surfaces */
	{31, 1},                      /* concurrent kernels */
	{40, 3},                      /* copy engines */
	{41, 1},                      /* unified addresses */
	{42, 32768},      {43, 2048},  {44, 1},       {45, 32768}, {46, 32768},  {51, 32},
	{52, 32768},      {53, 32768}, {54, 2046},    {55, 32768}, {56, 131072}, {57, 65536},
	{58, 16384},      {59, 16384}, {60, 16384},   {61, 32768}, {62, 2048},   {63, 32768},
	{64, 32768},      {65, 2048},  {66, 32768},   {67, 32768}, {68, 2046},   {69, 268435456},
	{70, 131072},     {71, 65000}, {72, 2097120}, {73, 32768}, {74, 32768},  {77, 32768},
	{78, 1},                   /* stream priorities */
	{79, 1},          {80, 1}, /* L1 caches global and local memory */
	{83, 1},                   /* managed memory */
	{87, 2},                   /* f32 against f64 */
	{89, 1},                   /* concurrent access to managed memory */
	{90, 1},                   /* preemption */
	{91, 1},                   /* registered memory has the host's address */
	{95, 1},                   /* cooperative launches */
	{99, 1},                   /* cudaHostRegister */
	{102, 1},                  /* virtual memory management */
	{106, 32},                 /* blocks of a multiprocessor */
	{111, 1024},               /* reserved shared memory */
	{113, 1},                  /* read-only registration */
	{115, 1},                  /* memory pools */
	{126, 1},                  /* memory synchronisation domains */
	{130, 0},         {131, -1},   {134, -1},
};

/* sov.h does not know clocks and bus of a card, and the cache of some only: by architecture, those
 * in the data sheet of a common product (V100, RTX 2080 Ti, A100, RTX 3090, RTX 4090, H100 SXM). */
struct chip_data {
	int sm, core_khz, memory_khz, bus_bits, l2_bytes;
};
static const struct chip_data chips[] = {
	{70, 1530000, 877000, 4096, 6 << 20},   {75, 1545000, 7000000, 352, 5632 << 10},
	{80, 1410000, 1215000, 5120, 40 << 20}, {86, 1695000, 9751000, 384, 6 << 20},
	{89, 2520000, 10501000, 384, 72 << 20}, {90, 1980000, 2619000, 5120, 50 << 20},
};

static const struct chip_data *chip_of(const struct cuda_device *d)
{
	const struct chip_data *c = chips;

	for (size_t k = 0; k < sizeof(chips) / sizeof(chips[0]); k++)
		if (chips[k].sm <= d->major * 10 + d->minor)
			c = &chips[k];
	return c;
}

static int derived(const struct cuda_device *d, int attribute, bool *known)
{
	const sov_device_properties *p = &d->properties;

	*known = true;
	switch (attribute) {
	case 1:
		return (int)p->max_threads_per_block;
	case 2:
	case 3:
		return (int)p->max_block[attribute - 2];
	case 5:
	case 6:
	case 7:
		return (int)p->max_grid[attribute - 5];
	case 8: /* without the attribute of the function that allows more */
		return p->max_shared_per_block < 49152 ? (int)p->max_shared_per_block : 49152;
	case 10:
		return (int)p->warp_size;
	case 12:
	case 82:
		return (int)p->registers_per_multiprocessor;
	case 13:
		return chip_of(d)->core_khz;
	case 16:
		return (int)p->multiprocessors;
	case 33:
		return (int)d->identity.pci_bus;
	case 34:
		return (int)d->identity.pci_device;
	case 36:
		return chip_of(d)->memory_khz;
	case 37:
		return chip_of(d)->bus_bits;
	case 38:
		return p->l2_bytes ? (int)p->l2_bytes : chip_of(d)->l2_bytes;
	case 39:
		return (int)p->max_threads_per_multiprocessor;
	case 50:
		return (int)d->identity.pci_domain;
	case 75:
		return d->major;
	case 76:
		return d->minor;
	case 81:
		return (int)p->shared_per_multiprocessor;
	case 92: /* stream memory operations, of 64 bits, and their wait for NOR */
	case 93:
	case 94:
	case 122:
	case 123:
		return d->major >= 9; /* others do not reach all addresses */
	case 97:
		return (int)p->max_shared_per_block;
	case 120:
		return p->max_cluster_blocks > 1;
	case 127:
		return d->major >= 9;
	}
	*known = false;
	return 0;
}

API cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
	CUresult e;
	struct cuda_device *d = cuda_device_get(device, &e);
	bool known;

	if (!d)
		return e;
	if (!value || attribute <= 0 || attribute > 160)
		return CUDA_ERROR_INVALID_VALUE;
	*value = derived(d, attribute, &known);
	for (size_t k = 0; !known && k < sizeof(constants) / sizeof(constants[0]); k++)
		if (constants[k].attribute == attribute) {
			*value = constants[k].value;
			known = true;
		}
	return CUDA_SUCCESS;
}

struct cuda_legacy_properties {
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock;
	int totalConstantMemory, SIMDWidth, memPitch, regsPerBlock, clockRate, textureAlign;
};

API cuDeviceGetProperties(struct cuda_legacy_properties *out, CUdevice device)
{
	static const int order[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
	int *word = (int *)out;
	CUresult e = CUDA_ERROR_INVALID_VALUE;

	for (size_t k = 0; out && k < sizeof(order) / sizeof(order[0]); k++) {
		e = cuDeviceGetAttribute(&word[k], order[k], device);
		if (e)
			break;
	}
	return e;
}

API cuDeviceGetPCIBusId(char *text, int bytes, CUdevice device)
{
	CUresult e;
	struct cuda_device *d = cuda_device_get(device, &e);

	if (!d)
		return e;
	if (!text || bytes < 13)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(text, (size_t)bytes, "%04X:%02X:%02X.%X", d->identity.pci_domain & 0xffff,
		 d->identity.pci_bus & 0xff, d->identity.pci_device & 0x1f,
		 d->identity.pci_function & 7);
	return CUDA_SUCCESS;
}

/* "domain:bus:device.function", the first and the last of which may be left out. */
API cuDeviceGetByPCIBusId(CUdevice *out, const char *text)
{
	unsigned domain, bus, device;

	if (!out || !text)
		return CUDA_ERROR_INVALID_VALUE;
	if (sscanf(text, "%x:%x:%x", &domain, &bus, &device) != 3) {
		domain = 0;
		if (sscanf(text, "%x:%x", &bus, &device) != 2)
			return CUDA_ERROR_INVALID_VALUE;
	}
	for (uint32_t k = 0; k < all.count; k++) {
		const sov_device_identity *i = &all.devices[k].identity;

		if (i->pci_domain == domain && i->pci_bus == bus && i->pci_device == device) {
			*out = (CUdevice)k;
			return CUDA_SUCCESS;
		}
	}
	return CUDA_ERROR_INVALID_DEVICE;
}

API cuDeviceGetLuid(char *luid, unsigned *mask, CUdevice device)
{
	(void)luid, (void)mask, (void)device;
	return cuda_missing("cuDeviceGetLuid", "LUIDs are those of Windows");
}

API cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
	CUresult e;

	if (!can)
		return CUDA_ERROR_INVALID_VALUE;
	*can = 0;
	if (!cuda_device_get(device, &e) || !cuda_device_get(peer, &e))
		return e;
	return CUDA_SUCCESS;
}

API cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice device, CUdevice peer)
{
	CUresult e;

	if (!value || attribute < 1 || attribute > 5)
		return CUDA_ERROR_INVALID_VALUE;
	*value = 0;
	if (!cuda_device_get(device, &e) || !cuda_device_get(peer, &e))
		return e;
	return device == peer ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

API cuDeviceGetTexture1DLinearMaxWidth(size_t *elements, CUarray_format format, unsigned channels,
				       CUdevice device)
{
	CUresult e;

	(void)format, (void)channels;
	if (!elements)
		return CUDA_ERROR_INVALID_VALUE;
	*elements = 268435456;
	cuda_device_get(device, &e);
	return e;
}

API cuDeviceGetExecAffinitySupport(int *support, unsigned type, CUdevice device)
{
	CUresult e;

	(void)type;
	if (!support)
		return CUDA_ERROR_INVALID_VALUE;
	*support = 0;
	cuda_device_get(device, &e);
	return e;
}
