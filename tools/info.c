// SPDX-License-Identifier: MIT
/*
 * sov info: describes one device or an image file. A device's properties need no context; info
 * creates one to find the free memory and to show that the device is usable.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "libsov/sov.h"
#include "tools/info.h"

/* One row per numeric property. */
static const struct {
	const char *label, *key;
	uint16_t offset;
	uint8_t count; /* 1, or 3 dimensions */
} rows[] = {
#define ROW(label, member, n) {label, #member, offsetof(sov_device_properties, member), n}
	ROW("multiprocessors", multiprocessors, 1),
	ROW("warp size", warp_size, 1),
	ROW("max threads per multiprocessor", max_threads_per_multiprocessor, 1),
	ROW("registers per multiprocessor", registers_per_multiprocessor, 1),
	ROW("shared memory per multiprocessor", shared_per_multiprocessor, 1),
	ROW("max threads per block", max_threads_per_block, 1),
	ROW("max shared memory per block", max_shared_per_block, 1),
	ROW("max block dimensions", max_block, 3),
	ROW("max grid dimensions", max_grid, 3),
#undef ROW
};

struct state {
	sov_device_properties p;
	sov_device_identity identity;
	sov_device_state now;
	uint64_t free_bytes, total_bytes;
	const char *unusable; /* error message; NULL: a context was created */
	bool colour;
};

/* What a software GPU does not have: its time is the host's. */
static const char *const not_modelled[] = {"L2 cache", "clocks", "temperature", "power"};
#define NOT_MODELLED (sizeof(not_modelled) / sizeof(*not_modelled))

/* What the device does now; rows that the way to the device does not report are left out. */
static const struct {
	const char *label, *key;
	uint32_t bit;
	uint16_t offset;
	uint32_t unit; /* in which the member counts, of the printed unit */
} now_rows[] = {
#define ROW(label, member, bit, unit) \
	{label, #member, bit, offsetof(sov_device_state, member), unit}
	ROW("busy percent", busy_percent, SOV_STATE_UTILIZATION, 1),
	ROW("memory busy percent", memory_percent, SOV_STATE_UTILIZATION, 1),
	ROW("temperature, degrees Celsius", temperature, SOV_STATE_TEMPERATURE, 1000),
	ROW("power, watts", power, SOV_STATE_POWER, 1000),
	ROW("power limit, watts", power_limit, SOV_STATE_POWER_LIMIT, 1000),
	ROW("core clock, MHz", core_mhz, SOV_STATE_CLOCKS, 1),
	ROW("multiprocessor clock, MHz", multiprocessor_mhz, SOV_STATE_CLOCKS, 1),
	ROW("memory clock, MHz", memory_mhz, SOV_STATE_CLOCKS, 1),
	ROW("performance state", performance, SOV_STATE_PERFORMANCE, 1),
#undef ROW
};
#define NOW_ROWS (sizeof(now_rows) / sizeof(*now_rows))

static int32_t now_value(const struct state *s, size_t row)
{
	int32_t value;

	memcpy(&value, (const char *)&s->now + now_rows[row].offset, sizeof(value));
	return value;
}

static void print_identity_and_state(const struct state *s)
{
	char text[DEVICE_UUID_TEXT];

	device_uuid(&s->identity, text);
	printf("%-34s %s%s\n", "UUID", text,
	       s->identity.known & SOV_IDENTITY_UUID ? "" : " (derived from name and address)");
	if (s->identity.known & SOV_IDENTITY_PCI) {
		device_pci(&s->identity, text);
		printf("%-34s %s\n%-34s %04x:%04x\n", "PCI address", text, "PCI vendor and device",
		       s->identity.pci_vendor_id, s->identity.pci_device_id);
	}
	for (size_t i = 0; i < NOW_ROWS; i++)
		if (s->now.known & now_rows[i].bit)
			printf("%-34s %d\n", now_rows[i].label,
			       now_value(s, i) / (int32_t)now_rows[i].unit);
}

static void identity_and_state_json(struct json *j, const struct state *s)
{
	char text[DEVICE_UUID_TEXT];

	device_uuid(&s->identity, text);
	json_string(j, "uuid", text);
	if (s->identity.known & SOV_IDENTITY_PCI) {
		device_pci(&s->identity, text);
		json_string(j, "pci_address", text);
		json_u64(j, "pci_vendor_id", s->identity.pci_vendor_id);
		json_u64(j, "pci_device_id", s->identity.pci_device_id);
	}
	for (size_t i = 0; i < NOW_ROWS; i++)
		if (s->now.known & now_rows[i].bit) {
			snprintf(text, sizeof(text), "%d", now_value(s, i));
			json_raw(j, now_rows[i].key, text);
		}
}

static void print_text(const struct state *s)
{
	const sov_device_properties *p = &s->p;

	printf("%-34s %u\n%-34s %s%s%s\n%-34s %s\n", "ordinal", p->ordinal, "name",
	       s->colour ? COLOUR_PLACE : "", p->name, s->colour ? COLOUR_OFF : "", "product",
	       p->product);
	printf("%-34s %s\n%-34s %s\n%-34s %s\n", "winsys", p->winsys, "driver", p->driver, "target",
	       p->target);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const uint32_t *value = (const uint32_t *)((const char *)p + rows[i].offset);

		printf("%-34s %u", rows[i].label, value[0]);
		for (unsigned k = 1; k < rows[i].count; k++)
			printf(" x %u", value[k]);
		printf("\n");
	}
	printf("%-34s %llu\n", "memory bytes", (unsigned long long)p->memory_bytes);
	if (p->l2_bytes)
		printf("%-34s %u\n", "L2 cache bytes", p->l2_bytes);
	print_identity_and_state(s);
	if (p->features & SOV_FEATURE_SOFTWARE) {
		printf("%-34s", "not modelled");
		for (size_t i = 0; i < NOT_MODELLED; i++)
			printf("%s %s", i ? "," : "", not_modelled[i]);
		printf("\n");
	}
	if (s->unusable)
		printf("%s%-34s %s%s\n", s->colour ? COLOUR_ERROR : "", "unusable", s->unusable,
		       s->colour ? COLOUR_OFF : "");
	else
		printf("%-34s %llu\n", "free memory bytes", (unsigned long long)s->free_bytes);
	printf("%-34s", "features");
	for (size_t i = 0; device_feature(i); i++)
		if (p->features & 1u << i)
			printf(" %s", device_feature(i));
	printf("\n");
}

static void print_json(const struct state *s)
{
	struct json j = {.out = stdout};

	json_object(&j, NULL);
	device_json(&j, &s->p);
	identity_and_state_json(&j, s);
	if (s->p.features & SOV_FEATURE_SOFTWARE) {
		json_array(&j, "not_modelled");
		for (size_t i = 0; i < NOT_MODELLED; i++)
			json_string(&j, NULL, not_modelled[i]);
		json_end_array(&j);
	}
	json_bool(&j, "usable", !s->unusable);
	if (s->unusable)
		json_string(&j, "reason", s->unusable);
	else
		json_u64(&j, "free_bytes", s->free_bytes);
	json_end_object(&j);
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static int info_run(const struct verb *v, int argc, char **argv)
{
	struct state s = {.p = SOV_INIT(sov_device_properties),
			  .identity = SOV_INIT(sov_device_identity),
			  .now = SOV_INIT(sov_device_state),
			  .colour = has_colour(stdout)};
	bool as_json = false;
	const struct option options[] = {
		{"json", 0, NULL, "print JSON", &as_json, NULL},
		{0},
	};
	int operands, status;
	sov_context context;
	sov_device device;

	if (!parse_options(v, options, argc, argv, &operands, &status))
		return status;
	if (operands > 1)
		return usage_error(v, "unexpected operand '%s'", argv[1]);
	if (operands && is_file(argv[0]))
		return info_image(v, argv[0], as_json);
	sov_result r = device_open(operands ? argv[0] : NULL, &device);

	if (!r)
		r = sov_device_get_properties(device, &s.p);
	if (!r)
		r = sov_device_get_identity(device, &s.identity);
	if (!r)
		r = sov_device_get_state(device, &s.now);
	if (r)
		return report_sov_error(v, r, "opening the device");
	r = sov_context_create(device, NULL, &context);
	if (!r) {
		r = sov_memory_info(context, &s.free_bytes, &s.total_bytes);
		s.unusable = r ? sov_last_error() : NULL;
		sov_context_destroy(context);
	} else {
		s.unusable = sov_last_error();
	}
	if (as_json)
		print_json(&s);
	else
		print_text(&s);
	return s.unusable ? EXIT_FAILED : EXIT_DONE;
}

const struct verb verb_info = {
	.name = "info",
	.summary = "Describe one device or an image file.",
	.usage = "[--json] [DEVICE|FILE]",
	.details =
		"DEVICE is a name or an ordinal (default 0); see sov devices. FILE is a cubin or "
		"an AMD\ncode object.\n",
	.run = info_run,
};
