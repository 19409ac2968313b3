// SPDX-License-Identifier: MIT
/*
 * sov smi: what each device is and does, and the processes that compute on it. A dash stands for
 * what the way to the device does not report.
 */
#include <stdarg.h>
#include <string.h>
#include "libsov/sov.h"
#include "tools/tool.h"

#define MAX_PROCESSES 256

struct smi_device {
	sov_device_properties properties;
	sov_device_identity identity;
	sov_device_state state;
	sov_device_process processes[MAX_PROCESSES];
	uint32_t process_count;
	bool has_processes;
};

static sov_result read_device(uint32_t ordinal, struct smi_device *d)
{
	sov_device device;
	sov_result r = sov_device_open(ordinal, &device);

	memset(d, 0, sizeof(*d));
	d->properties = SOV_INIT(sov_device_properties);
	d->identity = SOV_INIT(sov_device_identity);
	d->state = SOV_INIT(sov_device_state);
	if (!r)
		r = sov_device_get_properties(device, &d->properties);
	if (!r)
		r = sov_device_get_identity(device, &d->identity);
	if (!r)
		r = sov_device_get_state(device, &d->state);
	if (!r)
		d->has_processes = !sov_device_get_processes(device, MAX_PROCESSES, d->processes,
							     &d->process_count);
	if (d->process_count > MAX_PROCESSES)
		d->process_count = MAX_PROCESSES;
	return r;
}

static void read_command(uint32_t pid, char text[32])
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	f = fopen(path, "r");
	if (!f || !fgets(text, 32, f))
		snprintf(text, 32, "-");
	if (f)
		fclose(f);
	text[strcspn(text, "\n")] = 0;
}

/* ---- as text ---- */

/* Prints a cell that is 9 wide: what is known, or a dash. */
__attribute__((format(printf, 2, 3))) static void cell(bool known, const char *format, ...)
{
	char text[32];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	printf(" %9s", known ? text : "-");
}

static void print_device(const struct smi_device *d)
{
	const sov_device_state *s = &d->state;
	char text[40];

	printf("%u  %-10s %s, by %s\n", d->properties.ordinal, d->properties.name,
	       d->properties.product, d->properties.winsys);
	device_uuid(&d->identity, text);
	printf("   UUID %s", text);
	if (d->identity.known & SOV_IDENTITY_PCI) {
		device_pci(&d->identity, text);
		printf("  PCI %s %04x:%04x", text, d->identity.pci_vendor_id,
		       d->identity.pci_device_id);
	}
	printf("\n   driver %s\n", d->properties.driver);
	printf("   %9s %9s %9s %9s %9s %9s %9s %9s\n", "USED MiB", "OF MiB", "BUSY", "MEMORY",
	       "DEGREES", "WATTS", "CORE MHz", "MEM MHz");
	printf("  ");
	cell(s->known & SOV_STATE_MEMORY, "%llu",
	     (unsigned long long)((s->memory_bytes - s->memory_free) >> 20));
	cell(s->known & SOV_STATE_MEMORY, "%llu", (unsigned long long)(s->memory_bytes >> 20));
	cell(s->known & SOV_STATE_UTILIZATION, "%u%%", s->busy_percent);
	cell(s->known & SOV_STATE_UTILIZATION, "%u%%", s->memory_percent);
	cell(s->known & SOV_STATE_TEMPERATURE, "%d", s->temperature / 1000);
	cell(s->known & SOV_STATE_POWER, "%u", s->power / 1000);
	cell(s->known & SOV_STATE_CLOCKS, "%u", s->core_mhz);
	cell(s->known & SOV_STATE_CLOCKS, "%u", s->memory_mhz);
	printf("\n");
}

static void print_processes(const struct smi_device *d)
{
	for (uint32_t k = 0; k < d->process_count; k++) {
		const sov_device_process *p = &d->processes[k];
		char command[32];

		read_command(p->pid, command);
		printf("   %-10s %8u", d->properties.name, p->pid);
		cell(p->memory_bytes != UINT64_MAX, "%llu",
		     (unsigned long long)(p->memory_bytes >> 20));
		printf("  %s\n", command);
	}
}

/* ---- as JSON ---- */

static void json_state(struct json *j, const sov_device_state *s)
{
	const struct {
		uint32_t bit;
		const char *key;
		uint64_t value;
	} rows[] = {
		{SOV_STATE_MEMORY, "memory_bytes", s->memory_bytes},
		{SOV_STATE_MEMORY, "memory_used", s->memory_bytes - s->memory_free},
		{SOV_STATE_UTILIZATION, "busy_percent", s->busy_percent},
		{SOV_STATE_UTILIZATION, "memory_percent", s->memory_percent},
		{SOV_STATE_POWER, "power_milliwatts", s->power},
		{SOV_STATE_POWER_LIMIT, "power_limit_milliwatts", s->power_limit},
		{SOV_STATE_CLOCKS, "core_mhz", s->core_mhz},
		{SOV_STATE_CLOCKS, "multiprocessor_mhz", s->multiprocessor_mhz},
		{SOV_STATE_CLOCKS, "memory_mhz", s->memory_mhz},
		{SOV_STATE_PERFORMANCE, "performance_state", s->performance},
	};
	char number[16];

	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
		if (s->known & rows[k].bit)
			json_u64(j, rows[k].key, rows[k].value);
	if (s->known & SOV_STATE_TEMPERATURE) {
		snprintf(number, sizeof(number), "%d", s->temperature);
		json_raw(j, "temperature_millidegrees", number);
	}
}

static void json_device_state(struct json *j, const struct smi_device *d)
{
	char text[40];

	json_object(j, NULL);
	json_u64(j, "ordinal", d->properties.ordinal);
	json_string(j, "name", d->properties.name);
	json_string(j, "product", d->properties.product);
	json_string(j, "winsys", d->properties.winsys);
	json_string(j, "driver", d->properties.driver);
	device_uuid(&d->identity, text);
	json_string(j, "uuid", text);
	if (d->identity.known & SOV_IDENTITY_PCI) {
		device_pci(&d->identity, text);
		json_string(j, "pci_address", text);
	}
	json_state(j, &d->state);
	if (d->has_processes) {
		json_array(j, "processes");
		for (uint32_t k = 0; k < d->process_count; k++) {
			json_object(j, NULL);
			json_u64(j, "pid", d->processes[k].pid);
			if (d->processes[k].memory_bytes != UINT64_MAX)
				json_u64(j, "memory_bytes", d->processes[k].memory_bytes);
			json_end_object(j);
		}
		json_end_array(j);
	}
	json_end_object(j);
}

static int smi_run(const struct verb *v, int argc, char **argv)
{
	bool as_json = false;
	const struct option options[] = {
		{"json", 0, NULL, "print JSON", &as_json, NULL},
		{0},
	};
	static struct smi_device devices[64];
	struct json j = {.out = stdout};
	int operands, status;
	uint32_t count, i;
	sov_result r;

	if (!parse_options(v, options, argc, argv, &operands, &status))
		return status;
	if (operands)
		return usage_error(v, "unexpected operand '%s'", argv[0]);
	r = sov_device_count(&count);
	for (i = 0; !r && i < count && i < 64; i++)
		r = read_device(i, &devices[i]);
	if (r)
		return report_sov_error(v, r, "reading the devices");
	count = i;
	if (as_json)
		json_array(&j, NULL);
	for (i = 0; i < count; i++)
		if (as_json)
			json_device_state(&j, &devices[i]);
		else
			print_device(&devices[i]);
	if (as_json) {
		json_end_array(&j);
		return EXIT_DONE;
	}
	if (!count)
		printf("no devices; check SOV_VISIBLE_DEVICES and SOV_SOFT, or run sov doctor\n");
	printf("   %-10s %8s %9s  %s\n", "DEVICE", "PID", "USED MiB", "COMMAND");
	for (i = 0; i < count; i++)
		print_processes(&devices[i]);
	return EXIT_DONE;
}

const struct verb verb_smi = {
	.name = "smi",
	.summary = "Show memory, utilization, temperature, power and processes of the devices.",
	.usage = "[--json]",
	.details = "A dash stands for what the way to the device does not report. A software GPU "
		   "belongs to its\nprocess, and other processes do not see its memory.\n",
	.run = smi_run,
};
