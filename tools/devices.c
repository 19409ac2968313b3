// SPDX-License-Identifier: MIT
/* sov devices: lists the devices in the order of their ordinals. */
#include <stdlib.h>
#include <string.h>
#include "libsov/sov.h"
#include "tools/tool.h"

static const struct {
	uint32_t bit;
	const char *name;
} features[] = {
	{SOV_FEATURE_F64, "f64"},
	{SOV_FEATURE_F16, "f16"},
	{SOV_FEATURE_SOFTWARE, "software"},
	{SOV_FEATURE_HAZARD_CHECK, "hazard-check"},
	{SOV_FEATURE_TIMESTAMPS, "timestamps"},
};
#define FEATURES (sizeof(features) / sizeof(*features))

static void print_text(const sov_device_properties *p)
{
	printf("%u  %-10s %s, by %s\n", p->ordinal, p->name, p->product, p->winsys);
	printf("   target           %s\n", p->target);
	printf("   memory           %llu MiB\n", (unsigned long long)(p->memory_bytes >> 20));
	printf("   multiprocessors  %u, warps of %u lanes, %u threads and %u registers each\n",
	       p->multiprocessors, p->warp_size, p->max_threads_per_multiprocessor,
	       p->registers_per_multiprocessor);
	printf("   blocks           up to %u threads, %u bytes of shared memory\n",
	       p->max_threads_per_block, p->max_shared_per_block);
	printf("   features        ");
	for (size_t i = 0; i < FEATURES; i++)
		if (p->features & features[i].bit)
			printf(" %s", features[i].name);
	printf("\n");
}

const char *device_feature(size_t bit)
{
	for (size_t i = 0; i < FEATURES; i++)
		if (features[i].bit == 1u << bit)
			return features[i].name;
	return NULL;
}

int device_open(const char *name, sov_device *device)
{
	if (!name || (*name && !name[strspn(name, "0123456789")]))
		return sov_device_open(name ? (uint32_t)strtoul(name, NULL, 10) : 0, device);
	return sov_device_open_name(name, device);
}

void device_uuid(const sov_device_identity *i, char text[DEVICE_UUID_TEXT])
{
	size_t n = 0;

	for (int k = 0; k < 16; k++)
		n += (size_t)snprintf(text + n, DEVICE_UUID_TEXT - n,
				      k == 4 || k == 6 || k == 8 || k == 10 ? "-%02x" : "%02x",
				      i->uuid[k]);
}

void device_pci(const sov_device_identity *i, char text[DEVICE_PCI_TEXT])
{
	snprintf(text, DEVICE_PCI_TEXT, "%04x:%02x:%02x.%x", i->pci_domain, i->pci_bus & 0xff,
		 i->pci_device & 0x1f, i->pci_function & 7);
}

void device_json(struct json *j, const sov_device_properties *p)
{
	json_u64(j, "ordinal", p->ordinal);
	json_string(j, "name", p->name);
	json_string(j, "product", p->product);
	json_string(j, "target", p->target);
	json_string(j, "winsys", p->winsys);
	json_string(j, "driver", p->driver);
	json_u64(j, "memory_bytes", p->memory_bytes);
	if (p->l2_bytes)
		json_u64(j, "l2_bytes", p->l2_bytes);
	json_u64(j, "multiprocessors", p->multiprocessors);
	json_u64(j, "warp_size", p->warp_size);
	json_u64(j, "max_threads_per_multiprocessor", p->max_threads_per_multiprocessor);
	json_u64(j, "registers_per_multiprocessor", p->registers_per_multiprocessor);
	json_u64(j, "shared_per_multiprocessor", p->shared_per_multiprocessor);
	json_u64(j, "max_threads_per_block", p->max_threads_per_block);
	json_u64(j, "max_shared_per_block", p->max_shared_per_block);
	json_triple(j, "max_block", p->max_block);
	json_triple(j, "max_grid", p->max_grid);
	json_array(j, "features");
	for (size_t i = 0; i < FEATURES; i++)
		if (p->features & features[i].bit)
			json_string(j, NULL, features[i].name);
	json_end_array(j);
}

static int devices_run(const struct verb *v, int argc, char **argv)
{
	bool as_json = false;
	const struct option options[] = {
		{"json", 0, NULL, "print JSON", &as_json, NULL},
		{0},
	};
	struct json j = {.out = stdout};
	uint32_t count;
	int operands, status;

	if (!parse_options(v, options, argc, argv, &operands, &status))
		return status;
	if (operands)
		return usage_error(v, "unexpected operand '%s'", argv[0]);
	sov_result r = sov_device_count(&count);

	if (r)
		return report_sov_error(v, r, "counting the devices");
	if (as_json)
		json_array(&j, NULL);
	for (uint32_t i = 0; i < count; i++) {
		sov_device_properties p = SOV_INIT(sov_device_properties);
		sov_device device;

		r = sov_device_open(i, &device);
		if (!r)
			r = sov_device_get_properties(device, &p);
		if (r)
			return report_sov_error(v, r, "opening a device");
		if (!as_json) {
			print_text(&p);
			continue;
		}
		json_object(&j, NULL);
		device_json(&j, &p);
		json_end_object(&j);
	}
	if (as_json)
		json_end_array(&j);
	if (count)
		return EXIT_DONE;
	report_error(v, "no devices; check SOV_VISIBLE_DEVICES and SOV_SOFT, or run sov doctor");
	return EXIT_FAILED;
}

const struct verb verb_devices = {
	.name = "devices",
	.summary = "List the available devices: GPUs and software GPUs.",
	.usage = "[--json]",
	.details = "SOV_SOFT lists the software GPUs to create (gh100, ga100, ga102, ad102, tu102, "
		   "gv100, navi21),\n"
		   "SOV_VISIBLE_DEVICES the devices that are visible. See sov(7).\n",
	.run = devices_run,
};
