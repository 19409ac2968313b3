// SPDX-License-Identifier: MIT
/* Where devices are: the CPUs and memory near them, and the paths between them. */
#include "libsov/cuda/management/management.h"
#include "libsov/cuda/management/pci.h"

static nvmlReturn_t find_pci(nvmlDevice_t device, const void *out, char address[PCI_ADDRESS_BYTES])
{
	nvmlReturn_t e = nvml_check(device, out);
	const sov_device_identity *i;

	if (e)
		return e;
	i = &device->identity;
	if (!(i->known & SOV_IDENTITY_PCI))
		return NVML_ERROR_NOT_SUPPORTED;
	pci_address(address, i->pci_domain, i->pci_bus, i->pci_device, i->pci_function);
	return NVML_SUCCESS;
}

API nvmlDeviceGetCpuAffinity(nvmlDevice_t device, unsigned words, unsigned long *set)
{
	char address[PCI_ADDRESS_BYTES];
	nvmlReturn_t e = find_pci(device, set, address);

	if (e || !words)
		return e ? e : NVML_ERROR_INVALID_ARGUMENT;
	return pci_cpus("", address, set, words) ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

/* Scope: the NUMA node, or the socket, which are the same for local_cpus. */
API nvmlDeviceGetCpuAffinityWithinScope(nvmlDevice_t device, unsigned words, unsigned long *set,
					unsigned scope)
{
	return scope > 1 ? NVML_ERROR_INVALID_ARGUMENT
			 : nvmlDeviceGetCpuAffinity(device, words, set);
}

API nvmlDeviceGetNumaNodeId(nvmlDevice_t device, unsigned *node)
{
	char address[PCI_ADDRESS_BYTES];
	nvmlReturn_t e = find_pci(device, node, address);
	int n;

	if (e)
		return e;
	n = pci_node("", address);
	if (n < 0)
		return NVML_ERROR_NOT_SUPPORTED;
	*node = (unsigned)n;
	return NVML_SUCCESS;
}

API nvmlDeviceGetMemoryAffinity(nvmlDevice_t device, unsigned words, unsigned long *set,
				unsigned scope)
{
	unsigned bits = 8 * sizeof(*set), node;
	nvmlReturn_t e = nvml_check(device, set);

	if (e || !words || scope > 1)
		return e ? e : NVML_ERROR_INVALID_ARGUMENT;
	e = nvmlDeviceGetNumaNodeId(device, &node);
	if (e)
		return e;
	for (unsigned k = 0; k < words; k++)
		set[k] = node / bits == k ? 1ul << node % bits : 0;
	return NVML_SUCCESS;
}

API nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t a, nvmlDevice_t b, unsigned *level)
{
	char first[PCI_ADDRESS_BYTES], second[PCI_ADDRESS_BYTES];
	nvmlReturn_t e = find_pci(a, level, first);
	int n;

	if (!e)
		e = find_pci(b, level, second);
	if (e)
		return e;
	n = pci_common_ancestor("", first, second);
	if (n < 0)
		return NVML_ERROR_NOT_SUPPORTED;
	*level = (unsigned)n;
	return NVML_SUCCESS;
}

/* libcuda's answer: devices do not access each other's memory. */
API nvmlDeviceGetP2PStatus(nvmlDevice_t a, nvmlDevice_t b, unsigned what, unsigned *status)
{
	nvmlReturn_t e = nvml_check(a, status);

	(void)what;
	if (!e)
		e = nvml_check(b, status);
	if (!e)
		*status = NVML_P2P_STATUS_NOT_SUPPORTED;
	return e;
}
