// SPDX-License-Identifier: MIT
/* Devices: handles, names, identity, and what does not change. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "libsov/cuda/management/management.h"

#define UUID_TEXT_BYTES 41

nvmlReturn_t nvml_check(nvmlDevice_t device, const void *out)
{
	nvmlReturn_t e = nvml_ready();

	if (e)
		return e;
	for (unsigned k = 0; k < nvml_device_count(); k++)
		if (nvml_device_at(k) == device)
			return out ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
	return NVML_ERROR_INVALID_ARGUMENT;
}

/* ---- handles ---- */

API nvmlDeviceGetCount_v2(unsigned *count)
{
	nvmlReturn_t e = nvml_ready();

	if (e || !count)
		return e ? e : NVML_ERROR_INVALID_ARGUMENT;
	*count = nvml_device_count();
	return NVML_SUCCESS;
}

API nvmlDeviceGetCount(unsigned *count)
{
	return nvmlDeviceGetCount_v2(count);
}

API nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device)
{
	nvmlReturn_t e = nvml_ready();

	if (e)
		return e;
	if (!device || index >= nvml_device_count())
		return NVML_ERROR_INVALID_ARGUMENT;
	*device = nvml_device_at(index);
	return NVML_SUCCESS;
}

API nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t *device)
{
	return nvmlDeviceGetHandleByIndex_v2(index, device);
}

static void write_uuid(nvmlDevice_t d, char text[UUID_TEXT_BYTES])
{
	const uint8_t *u = d->identity.uuid;

	snprintf(text, UUID_TEXT_BYTES,
		 "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0],
		 u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13],
		 u[14], u[15]);
}

API nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned length)
{
	nvmlReturn_t e = nvml_check(device, uuid);
	char text[UUID_TEXT_BYTES];

	if (e)
		return e;
	write_uuid(device, text);
	return nvml_copy_text(uuid, length, text);
}

API nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
	nvmlReturn_t e = nvml_ready();
	char text[UUID_TEXT_BYTES];

	if (e)
		return e;
	if (!uuid || !device)
		return NVML_ERROR_INVALID_ARGUMENT;
	for (unsigned k = 0; k < nvml_device_count(); k++) {
		write_uuid(nvml_device_at(k), text);
		if (!strcasecmp(text, uuid)) {
			*device = nvml_device_at(k);
			return NVML_SUCCESS;
		}
	}
	return NVML_ERROR_NOT_FOUND;
}

API nvmlDeviceGetHandleByUUIDV(const nvmlUUID_v1_t *uuid, nvmlDevice_t *device)
{
	nvmlReturn_t e = nvml_ready();

	if (e || !uuid || !device)
		return e ? e : NVML_ERROR_INVALID_ARGUMENT;
	if (uuid->version != NVML_STRUCT_VERSION(nvmlUUID_v1_t, 1))
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	if (uuid->type == NVML_UUID_TYPE_ASCII && memchr(uuid->value.str, 0, UUID_TEXT_BYTES))
		return nvmlDeviceGetHandleByUUID(uuid->value.str, device);
	if (uuid->type != NVML_UUID_TYPE_BINARY)
		return NVML_ERROR_INVALID_ARGUMENT;
	for (unsigned k = 0; k < nvml_device_count(); k++)
		if (!memcmp(nvml_device_at(k)->identity.uuid, uuid->value.bytes, 16)) {
			*device = nvml_device_at(k);
			return NVML_SUCCESS;
		}
	return NVML_ERROR_NOT_FOUND;
}

/* "0000:41:00.0", "00000000:41:00.0" or "41:00.0". */
static bool parse_pci(const char *text, unsigned *domain, unsigned *bus, unsigned *device)
{
	unsigned function = 0;

	*domain = 0;
	return sscanf(text, "%8x:%2x:%2x.%1x", domain, bus, device, &function) >= 3 ||
	       ((*domain = 0), sscanf(text, "%2x:%2x.%1x", bus, device, &function) >= 2);
}

API nvmlDeviceGetHandleByPciBusId_v2(const char *text, nvmlDevice_t *device)
{
	unsigned domain, bus, slot;
	nvmlReturn_t e = nvml_ready();

	if (e)
		return e;
	if (!text || !device || !parse_pci(text, &domain, &bus, &slot))
		return NVML_ERROR_INVALID_ARGUMENT;
	for (unsigned k = 0; k < nvml_device_count(); k++) {
		const sov_device_identity *i = &nvml_device_at(k)->identity;

		if (i->known & SOV_IDENTITY_PCI && i->pci_domain == domain && i->pci_bus == bus &&
		    i->pci_device == slot) {
			*device = nvml_device_at(k);
			return NVML_SUCCESS;
		}
	}
	return NVML_ERROR_NOT_FOUND;
}

API nvmlDeviceGetHandleByPciBusId(const char *text, nvmlDevice_t *device)
{
	return nvmlDeviceGetHandleByPciBusId_v2(text, device);
}

/* ---- identity ---- */

API nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *index)
{
	nvmlReturn_t e = nvml_check(device, index);

	if (!e)
		*index = device->index;
	return e;
}

API nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned length)
{
	nvmlReturn_t e = nvml_check(device, name);

	return e ? e : nvml_copy_text(name, length, device->properties.product);
}

/* N of the device's file. */
API nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *minor)
{
	nvmlReturn_t e = nvml_check(device, minor);

	if (e)
		return e;
	if (!(device->identity.known & SOV_IDENTITY_FILE))
		return NVML_ERROR_NOT_SUPPORTED;
	*minor = device->identity.file_number;
	return NVML_SUCCESS;
}

static nvmlReturn_t read_pci(nvmlDevice_t device, nvmlPciInfo_t *out)
{
	const sov_device_identity *i = &device->identity;

	if (!(i->known & SOV_IDENTITY_PCI))
		return NVML_ERROR_NOT_SUPPORTED;
	*out = (nvmlPciInfo_t){
		.domain = i->pci_domain,
		.bus = i->pci_bus,
		.device = i->pci_device,
		.pciDeviceId = i->pci_device_id << 16 | i->pci_vendor_id,
		.pciSubSystemId = i->pci_subsystem,
	};
	snprintf(out->busIdLegacy, sizeof(out->busIdLegacy), "%04X:%02X:%02X.%X",
		 i->pci_domain & 0xffff, i->pci_bus & 0xff, i->pci_device & 0xff,
		 i->pci_function & 7);
	snprintf(out->busId, sizeof(out->busId), "%08X:%02X:%02X.%X", i->pci_domain, i->pci_bus,
		 i->pci_device, i->pci_function);
	return NVML_SUCCESS;
}

API nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
	nvmlReturn_t e = nvml_check(device, pci);

	return e ? e : read_pci(device, pci);
}

/* The older forms end before the long address. */
API nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, void *pci)
{
	nvmlReturn_t e = nvml_check(device, pci);
	nvmlPciInfo_t all;

	if (!e)
		e = read_pci(device, &all);
	if (!e)
		memcpy(pci, &all, offsetof(nvmlPciInfo_t, busId));
	return e;
}

API nvmlDeviceGetPciInfo(nvmlDevice_t device, void *pci)
{
	return nvmlDeviceGetPciInfo_v2(device, pci);
}

#define PCI_CLASS_DISPLAY 3
#define PCI_SUBCLASS_3D   2

API nvmlDeviceGetPciInfoExt(nvmlDevice_t device, nvmlPciInfoExt_v1_t *pci)
{
	nvmlReturn_t e = nvml_check(device, pci);
	nvmlPciInfo_t all;

	if (e)
		return e;
	if (pci->version != NVML_STRUCT_VERSION(nvmlPciInfoExt_v1_t, 1))
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	e = read_pci(device, &all);
	if (e)
		return e;
	pci->domain = all.domain;
	pci->bus = all.bus;
	pci->device = all.device;
	pci->pciDeviceId = all.pciDeviceId;
	pci->pciSubSystemId = all.pciSubSystemId;
	pci->baseClass = PCI_CLASS_DISPLAY;
	pci->subClass = PCI_SUBCLASS_3D;
	memcpy(pci->busId, all.busId, sizeof(pci->busId));
	return NVML_SUCCESS;
}

API nvmlDeviceGetBusType(nvmlDevice_t device, unsigned *type)
{
	nvmlReturn_t e = nvml_check(device, type);

	if (!e)
		*type = device->identity.known & SOV_IDENTITY_PCI ? NVML_BUS_TYPE_PCIE
								  : NVML_BUS_TYPE_UNKNOWN;
	return e;
}

API nvmlDeviceOnSameBoard(nvmlDevice_t a, nvmlDevice_t b, int *same)
{
	nvmlReturn_t e = nvml_check(a, same);

	if (!e)
		e = nvml_check(b, same);
	if (!e)
		*same = a == b;
	return e;
}

/* ---- architecture ---- */

/* Cores: f32 lanes of a multiprocessor, CUDA's programming guide, "Arithmetic Instructions". */
static const struct {
	int sm;
	unsigned architecture, cores;
} architectures[] = {
	{70, NVML_DEVICE_ARCH_VOLTA, 64},  {75, NVML_DEVICE_ARCH_TURING, 64},
	{80, NVML_DEVICE_ARCH_AMPERE, 64}, {86, NVML_DEVICE_ARCH_AMPERE, 128},
	{89, NVML_DEVICE_ARCH_ADA, 128},   {90, NVML_DEVICE_ARCH_HOPPER, 128},
};
#define ARCHITECTURES (sizeof(architectures) / sizeof(architectures[0]))

/* libcuda's answer: a chip that is not NVIDIA's passes for an sm_80. */
API nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor)
{
	nvmlReturn_t e = nvml_check(device, major);
	int sm;

	if (e || !minor)
		return e ? e : NVML_ERROR_INVALID_ARGUMENT;
	sm = device->sm ? device->sm : 80;
	*major = sm / 10;
	*minor = sm % 10;
	return NVML_SUCCESS;
}

API nvmlDeviceGetArchitecture(nvmlDevice_t device, unsigned *architecture)
{
	nvmlReturn_t e = nvml_check(device, architecture);

	if (e)
		return e;
	*architecture = NVML_DEVICE_ARCH_UNKNOWN;
	for (size_t k = 0; k < ARCHITECTURES; k++)
		if (architectures[k].sm == device->sm)
			*architecture = architectures[k].architecture;
	return NVML_SUCCESS;
}

API nvmlDeviceGetNumGpuCores(nvmlDevice_t device, unsigned *cores)
{
	nvmlReturn_t e = nvml_check(device, cores);

	if (e)
		return e;
	for (size_t k = 0; k < ARCHITECTURES; k++)
		if (architectures[k].sm == device->sm) {
			*cores = architectures[k].cores * device->properties.multiprocessors;
			return NVML_SUCCESS;
		}
	return NVML_ERROR_NOT_SUPPORTED;
}

/* ---- instances (MIG), which no device here has ---- */

API nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned *is)
{
	nvmlReturn_t e = nvml_check(device, is);

	if (!e)
		*is = 0;
	return e;
}

API nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned *count)
{
	return nvmlDeviceIsMigDeviceHandle(device, count);
}
