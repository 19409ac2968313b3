/* SPDX-License-Identifier: MIT */
/* Where a PCI device is in the machine, from sysfs below a root folder ("" in the library). */
#ifndef SOV_NVML_PCI_H
#define SOV_NVML_PCI_H

#include <stdbool.h>

#define PCI_ADDRESS_BYTES 24

/* "0000:41:00.0" */
void pci_address(char address[PCI_ADDRESS_BYTES], unsigned domain, unsigned bus, unsigned device,
		 unsigned function);
/* Sets the bits of the CPUs that are near the device; false: not known. Bits beyond the words are
 * left out. */
bool pci_cpus(const char *root, const char *address, unsigned long *set, unsigned words);
/* The NUMA node; -1: not known, or the machine has none. */
int pci_node(const char *root, const char *address);
/* The NVML_TOPOLOGY level of the path between two devices; -1: not known. */
int pci_common_ancestor(const char *root, const char *a, const char *b);

#endif
