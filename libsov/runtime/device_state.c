// SPDX-License-Identifier: MIT
/* The API calls that tell devices from each other and say what a device does now. */
#include <string.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/sha256.h"
#include "libsov/runtime/context/device.h"

/* A name-based UUID: the same device has the same one in each process. */
static void derive_uuid(const struct device *d, uint8_t uuid[16])
{
	static const char domain[] = "sovgpu device";
	const struct winsys_identity *i = &d->info.identity;
	const uint32_t address[] = {i->known & SOV_IDENTITY_PCI, i->pci_domain, i->pci_bus,
				    i->pci_device, i->pci_function};
	uint8_t digest[SHA256_BYTES];
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, domain, sizeof(domain));
	sha256_add(&s, d->properties.name, strlen(d->properties.name) + 1);
	sha256_add(&s, address, sizeof(address));
	sha256_end(&s, digest);
	memcpy(uuid, digest, 16);
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x80); /* RFC 9562: version 8, own contents */
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

void device_get_uuid(const struct device *d, uint8_t uuid[16])
{
	if (d->info.identity.known & SOV_IDENTITY_UUID)
		memcpy(uuid, d->info.identity.uuid, 16);
	else
		derive_uuid(d, uuid);
}

sov_result api_device_get_identity(sov_device device, sov_device_identity *identity)
{
	struct device *d = object_get(device, OBJECT_DEVICE);
	sov_device_identity out;

	if (!d)
		return SOV_ERROR_INVALID_HANDLE;
	out = (sov_device_identity){
		.known = d->info.identity.known,
		.pci_domain = d->info.identity.pci_domain,
		.pci_bus = d->info.identity.pci_bus,
		.pci_device = d->info.identity.pci_device,
		.pci_function = d->info.identity.pci_function,
		.pci_vendor_id = d->info.identity.pci_vendor_id,
		.pci_device_id = d->info.identity.pci_device_id,
		.pci_subsystem = d->info.identity.pci_subsystem,
		.file_number = d->info.identity.file_number,
	};
	device_get_uuid(d, out.uuid);
	object_put(&d->object);
	return struct_out("sov_device_identity", identity, &out, sizeof(out));
}

sov_result api_device_get_state(sov_device device, sov_device_state *state)
{
	struct device *d = object_get(device, OBJECT_DEVICE);
	struct winsys_state s = {0};
	sov_device_state out;

	if (!d)
		return SOV_ERROR_INVALID_HANDLE;
	if (d->winsys->state)
		d->winsys->state(d->winsys_device, &s);
	out = (sov_device_state){
		.known = s.known | SOV_STATE_MEMORY,
		.busy_percent = s.busy_percent,
		.memory_percent = s.memory_percent,
		.temperature = s.temperature,
		.power = s.power,
		.power_limit = s.power_limit,
		.core_mhz = s.core_mhz,
		.multiprocessor_mhz = s.multiprocessor_mhz,
		.memory_mhz = s.memory_mhz,
		.performance = s.performance,
	};
	d->winsys->memory_info(d->winsys_device, &out.memory_free, &out.memory_bytes);
	object_put(&d->object);
	return struct_out("sov_device_state", state, &out, sizeof(out));
}

#define MAX_PROCESSES 1024

static sov_result copy_processes(struct device *d, uint32_t capacity, sov_device_process *out,
				 uint32_t *count)
{
	struct winsys_process list[MAX_PROCESSES];
	uint32_t k;
	int error;

	if (!d->winsys->processes)
		return set_error(SOV_ERROR_UNSUPPORTED,
				 "%s does not know the processes of %s; sov top lists those "
				 "that have opened its files",
				 d->winsys->name, d->properties.name);
	error = d->winsys->processes(d->winsys_device, list, MAX_PROCESSES, count);
	if (error)
		return set_error(SOV_ERROR_UNSUPPORTED,
				 "the processes of %s are not known: %s; sov top lists those "
				 "that have opened its files",
				 d->properties.name, winsys_take_error());
	for (k = 0; k < capacity && k < *count && k < MAX_PROCESSES; k++)
		out[k] = (sov_device_process){.pid = list[k].pid,
					      .memory_bytes = list[k].memory_bytes};
	return SOV_OK;
}

sov_result api_device_get_processes(sov_device device, uint32_t capacity,
				    sov_device_process *processes, uint32_t *count)
{
	struct device *d;
	sov_result r;

	if (!count || (capacity && !processes))
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "%s is NULL",
				 count ? "processes" : "count");
	d = object_get(device, OBJECT_DEVICE);
	if (!d)
		return SOV_ERROR_INVALID_HANDLE;
	*count = 0;
	r = copy_processes(d, capacity, processes, count);
	object_put(&d->object);
	return r;
}
