// SPDX-License-Identifier: MIT
/*
 * The place of a PCI device in the machine, from the kernel's documented sysfs files: local_cpus,
 * numa_node, and the path of a device, whose folders are the host bridge (pci0000:40) and the
 * bridges down to the device.
 */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/management/abi.h"
#include "libsov/cuda/management/pci.h"

#define WORD_BITS (8 * sizeof(unsigned long))

void pci_address(char address[PCI_ADDRESS_BYTES], unsigned domain, unsigned bus, unsigned device,
		 unsigned function)
{
	snprintf(address, PCI_ADDRESS_BYTES, "%04x:%02x:%02x.%x", domain, bus & 0xff, device & 0x1f,
		 function & 7);
}

/* The first line of a file of the device. */
static bool read_file(const char *root, const char *address, const char *name, char *text,
		      int bytes)
{
	char path[PATH_MAX];
	bool good;
	FILE *f;

	snprintf(path, sizeof(path), "%.2000s/sys/bus/pci/devices/%s/%s", root, address, name);
	f = fopen(path, "r");
	if (!f)
		return false;
	good = fgets(text, bytes, f);
	fclose(f);
	return good;
}

/* Hexadecimal digits, the highest CPU first, with commas. */
bool pci_cpus(const char *root, const char *address, unsigned long *set, unsigned words)
{
	char text[4096];
	unsigned bit = 0;

	if (!read_file(root, address, "local_cpus", text, sizeof(text)))
		return false;
	memset(set, 0, words * sizeof(*set));
	for (size_t n = strlen(text); n--;) {
		unsigned digit;

		if (!isxdigit((unsigned char)text[n]))
			continue;
		digit = (unsigned)(isdigit((unsigned char)text[n])
					   ? text[n] - '0'
					   : tolower((unsigned char)text[n]) - 'a' + 10);
		if (bit / WORD_BITS < words)
			set[bit / WORD_BITS] |= (unsigned long)digit << bit % WORD_BITS;
		bit += 4;
	}
	return bit;
}

int pci_node(const char *root, const char *address)
{
	char text[32];

	if (!read_file(root, address, "numa_node", text, sizeof(text)))
		return -1;
	return atoi(text) < 0 ? -1 : atoi(text);
}

/* The folders of a device from its host bridge on; the last one is the device. */
static char *bridges(const char *root, const char *address)
{
	char path[PATH_MAX], *real, *host, *list;

	snprintf(path, sizeof(path), "%.2000s/sys/bus/pci/devices/%s", root, address);
	real = realpath(path, NULL);
	host = real ? strstr(real, "/pci") : NULL;
	list = host ? strdup(host) : NULL;
	free(real);
	return list;
}

static unsigned folders_in(const char *path)
{
	unsigned n = 0;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

/* The number of folders that both paths begin with. */
static unsigned common_folders(const char *a, const char *b)
{
	unsigned n = 0;
	size_t k;

	for (k = 0; a[k] && a[k] == b[k]; k++)
		n += k && a[k] == '/';
	return n;
}

int pci_common_ancestor(const char *root, const char *a, const char *b)
{
	char *x = bridges(root, a), *y = bridges(root, b);
	int level = -1;

	if (x && y && !strcmp(a, b)) {
		level = NVML_TOPOLOGY_INTERNAL;
	} else if (x && y) {
		unsigned common = common_folders(x, y);

		/* A switch has a bridge upward, which both share, and one downward to each. */
		if (common > 1 && folders_in(x) <= common + 2 && folders_in(y) <= common + 2)
			level = NVML_TOPOLOGY_SINGLE;
		else if (common > 1)
			level = NVML_TOPOLOGY_MULTIPLE;
		else if (common == 1)
			level = NVML_TOPOLOGY_HOSTBRIDGE;
		else if (pci_node(root, a) >= 0 && pci_node(root, a) == pci_node(root, b))
			level = NVML_TOPOLOGY_NODE;
		else
			level = NVML_TOPOLOGY_SYSTEM;
	}
	free(x);
	free(y);
	return level;
}
