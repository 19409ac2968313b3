// SPDX-License-Identifier: MIT
/*
 * sov cdi: the machine's devices for container engines, as a specification of the Container Device
 * Interface, version 0.5.0 (github.com/cncf-tags/container-device-interface, SPEC.md). A GPU is its
 * device files; a software GPU is the entry of SOV_SOFT that makes it.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/sov.h"
#include "tools/tool.h"

#define CDI_VERSION    "0.5.0"
#define CDI_KIND       "sovgpu/gpu"
#define FIRST_RENDER   128
#define MAX_DEVICES    64
#define MAX_SOFT_ENTRY 256

struct cdi_device {
	sov_device_properties properties;
	sov_device_identity identity;
	char soft[MAX_SOFT_ENTRY]; /* of a software GPU: its entry of SOV_SOFT */
};

static bool is_software(const struct cdi_device *d)
{
	return d->properties.features & SOV_FEATURE_SOFTWARE;
}

/* The entry of SOV_SOFT that made "gh100.1" is the second one with the chip gh100; where SOV_SOFT
 * is not set, the chip alone makes it. */
static bool find_soft_entry(struct cdi_device *d)
{
	const char *name = d->properties.name, *list = getenv("SOV_SOFT");
	size_t chip = strcspn(name, ".");
	unsigned long number = name[chip] ? strtoul(name + chip + 1, NULL, 10) : 0;

	if (!list || !*list)
		list = "";
	for (const char *entry = list; *entry;) {
		size_t length = strcspn(entry, ",");

		if (length >= chip && !strncmp(entry, name, chip) &&
		    (length == chip || entry[chip] == ':') && !number--) {
			snprintf(d->soft, sizeof(d->soft), "%.*s", (int)length, entry);
			return length < sizeof(d->soft);
		}
		entry += length + (entry[length] == ',');
	}
	memcpy(d->soft, name, chip); /* at most 63 bytes */
	d->soft[chip] = 0;
	return !*list;
}

static sov_result read_device(uint32_t ordinal, struct cdi_device *d)
{
	sov_device device;
	sov_result r = sov_device_open(ordinal, &device);

	d->properties = SOV_INIT(sov_device_properties);
	d->identity = SOV_INIT(sov_device_identity);
	if (!r)
		r = sov_device_get_properties(device, &d->properties);
	if (!r)
		r = sov_device_get_identity(device, &d->identity);
	return r;
}

/* ---- the specification ---- */

static void write_node(struct json *j, const char *path)
{
	json_object(j, NULL);
	json_string(j, "path", path);
	json_end_object(j);
}

/* The device files of a GPU, of the winsys that drives it. */
static void write_nodes(struct json *j, const struct cdi_device *d)
{
	char path[64];
	uint32_t first = strcmp(d->properties.winsys, "kfd") ? FIRST_RENDER : 0;

	if (!strcmp(d->properties.winsys, "nvrm"))
		snprintf(path, sizeof(path), "/dev/nvidia%u", d->identity.file_number);
	else
		snprintf(path, sizeof(path), "/dev/dri/renderD%u", first + d->identity.file_number);
	write_node(j, path);
}

/* Writes the edits for devices first to first + count - 1. */
static void write_edits(struct json *j, const struct cdi_device *d, uint32_t count)
{
	char soft[MAX_DEVICES * MAX_SOFT_ENTRY + sizeof("SOV_SOFT=")] = "SOV_SOFT=";
	size_t empty = strlen(soft), length = empty;
	bool nvidia = false, amd = false, files = false;

	for (uint32_t i = 0; i < count; i++) {
		nvidia |= !strcmp(d[i].properties.winsys, "nvrm");
		amd |= !strcmp(d[i].properties.winsys, "kfd");
		files |= !is_software(&d[i]);
		if (is_software(&d[i]))
			length += (size_t)snprintf(soft + length, sizeof(soft) - length, "%s%s",
						   length > empty ? "," : "", d[i].soft);
	}
	json_object(j, "containerEdits");
	if (files) {
		json_array(j, "deviceNodes");
		if (nvidia)
			write_node(j, "/dev/nvidiactl");
		if (amd)
			write_node(j, "/dev/kfd");
		for (uint32_t i = 0; i < count; i++)
			if (!is_software(&d[i]))
				write_nodes(j, &d[i]);
		json_end_array(j);
	}
	if (length > empty) {
		json_array(j, "env");
		json_string(j, NULL, soft);
		json_end_array(j);
	}
	json_end_object(j);
}

static void write_device(struct json *j, const char *name, const struct cdi_device *d,
			 uint32_t count)
{
	json_object(j, NULL);
	json_string(j, "name", name);
	write_edits(j, d, count);
	json_end_object(j);
}

static void write_specification(const struct cdi_device *devices, uint32_t count)
{
	struct json j = {.out = stdout};

	json_object(&j, NULL);
	json_string(&j, "cdiVersion", CDI_VERSION);
	json_string(&j, "kind", CDI_KIND);
	json_array(&j, "devices");
	for (uint32_t i = 0; i < count; i++)
		write_device(&j, devices[i].properties.name, &devices[i], 1);
	write_device(&j, "all", devices, count);
	json_end_array(&j);
	json_end_object(&j);
}

static int cdi_run(const struct verb *v, int argc, char **argv)
{
	const struct option options[] = {{0}};
	struct cdi_device devices[MAX_DEVICES];
	uint32_t count;
	int operands, status;

	if (!parse_options(v, options, argc, argv, &operands, &status))
		return status;
	if (operands)
		return usage_error(v, "unexpected operand '%s'", argv[0]);
	sov_result r = sov_device_count(&count);

	if (r)
		return report_sov_error(v, r, "counting the devices");
	if (!count || count > MAX_DEVICES) {
		report_error(v, "%u devices; a specification has 1 to %u: see sov doctor", count,
			     MAX_DEVICES);
		return EXIT_FAILED;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct cdi_device *d = &devices[i];

		r = read_device(i, d);
		if (r)
			return report_sov_error(v, r, "opening a device");
		if (is_software(d) ? !find_soft_entry(d)
				   : !(d->identity.known & SOV_IDENTITY_FILE)) {
			report_error(v,
				     is_software(d) ? "%s: its entry of SOV_SOFT was not found"
						    : "%s: its device file is not known",
				     d->properties.name);
			return EXIT_FAILED;
		}
	}
	write_specification(devices, count);
	return EXIT_DONE;
}

const struct verb verb_cdi = {
	.name = "cdi",
	.summary = "Print a CDI specification, by which container engines pass devices on.",
	.usage = "",
	.details = "sov cdi >/etc/cdi/sovgpu.json; podman run --device sovgpu/gpu=NAME ...\n"
		   "NAME is a device's name, as sov devices prints it, or all. See sov(1).\n",
	.run = cdi_run,
};
