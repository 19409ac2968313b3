// SPDX-License-Identifier: MIT
/*
 * Messages and statistics in the format of ptxas 13.0, which other programs parse. It prints
 * kernels in reverse order, the sizes of constant banks only before sm_90, and the cumulative stack
 * size only if it is known. The line with the compile time of a kernel is left out.
 */
#include <elf.h>
#include <stdarg.h>
#include <string.h>
#include "hw/nv/cubin.h"
#include "tools/ptxas.h"

static const char *const severities[] = {
	[PTXAS_INFO] = "info    ",
	[PTXAS_WARNING] = "warning ",
	[PTXAS_ERROR] = "error   ",
	[PTXAS_FATAL] = "fatal   ",
};

static void print_message(enum ptxas_severity s, const char *file, uint32_t line, const char *fmt,
			  va_list ap)
{
	if (line)
		fprintf(stderr, "ptxas %s, line %u; %s: ", file, line, severities[s]);
	else
		fprintf(stderr, "ptxas %s: ", severities[s]);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void ptxas_message(enum ptxas_severity s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message(s, NULL, 0, fmt, ap);
	va_end(ap);
}

bool ptxas_fatal(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message(PTXAS_FATAL, NULL, 0, fmt, ap);
	va_end(ap);
	return false;
}

bool ptxas_warn(const struct ptxas_request *q, const char *file, uint32_t line, const char *fmt,
		...)
{
	va_list ap;

	if (q->no_warnings)
		return true;
	va_start(ap, fmt);
	print_message(q->warnings_are_errors ? PTXAS_ERROR : PTXAS_WARNING, file, line, fmt, ap);
	va_end(ap);
	return !q->warnings_are_errors;
}

/* Size of the section PREFIX + NAME of our own image. */
static uint64_t section_bytes(const struct compile_result *r, const char *prefix, const char *name)
{
	size_t length = strlen(prefix);
	Elf64_Ehdr header;
	Elf64_Shdr names, s;

	memcpy(&header, r->image, sizeof(header));
	memcpy(&names, r->image + header.e_shoff + header.e_shstrndx * sizeof(names),
	       sizeof(names));
	for (uint32_t k = 0; k < header.e_shnum; k++) {
		const char *own;

		memcpy(&s, r->image + header.e_shoff + k * sizeof(s), sizeof(s));
		own = (const char *)r->image + names.sh_offset + s.sh_name;
		if (!strncmp(own, prefix, length) && !strcmp(own + length, name))
			return s.sh_size;
	}
	return 0;
}

static void report_function(const struct kernel_stats *k)
{
	ptxas_message(PTXAS_INFO, "Function properties for %s", k->name);
	fprintf(stderr, "    %u bytes stack frame, %u bytes spill stores, %u bytes spill loads\n",
		k->frame_bytes, k->spill_store_bytes, k->spill_load_bytes);
}

static void report_module(const struct compile_result *r, bool banks)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "%llu bytes gmem",
			 (unsigned long long)(section_bytes(r, ".nv.global", "") +
					      section_bytes(r, ".nv.global.init", "")));

	for (int bank = 3; banks && bank <= 4; bank++) {
		char name[32];
		uint64_t bytes;

		snprintf(name, sizeof(name), ".nv.constant%d", bank);
		bytes = section_bytes(r, name, "");
		if (bytes)
			n += snprintf(text + n, sizeof(text) - (size_t)n, ", %llu bytes cmem[%d]",
				      (unsigned long long)bytes, bank);
	}
	ptxas_message(PTXAS_INFO, "%s", text);
}

static void report_kernel(const struct ptxas_request *q, const char *arch,
			  const struct compile_result *r, const struct kernel_stats *k, bool banks)
{
	char text[192];
	int n;

	ptxas_message(PTXAS_INFO, "Compiling entry function '%s' for '%s'", k->name, arch);
	report_function(k);
	n = snprintf(text, sizeof(text), "Used %u registers, used %u barriers", k->registers,
		     k->barriers);
	if (k->stack_bytes && k->stack_bytes != NV_STACK_UNKNOWN && !q->compile_only)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			      ", %u bytes cumulative stack size", k->stack_bytes);
	if (k->shared_bytes)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", %u bytes smem",
			      k->shared_bytes);
	if (banks)
		snprintf(text + n, sizeof(text) - (size_t)n, ", %llu bytes cmem[0]",
			 (unsigned long long)section_bytes(r, ".nv.constant0.", k->name));
	ptxas_message(PTXAS_INFO, "%s", text);
}

static bool warn_about(const struct ptxas_request *q, const struct kernel_stats *k)
{
	bool good = true;

	if (q->warn_spills && (k->spill_store_bytes || k->spill_load_bytes))
		good &= ptxas_warn(q, NULL, 0,
				   "Registers are spilled to local memory in function '%s', %u "
				   "bytes spill stores, %u bytes spill loads",
				   k->name, k->spill_store_bytes, k->spill_load_bytes);
	if (q->warn_local && k->frame_bytes)
		good &= ptxas_warn(q, NULL, 0,
				   "Local memory used for function '%s', size of stack frame: %u "
				   "bytes",
				   k->name, k->frame_bytes);
	return good;
}

bool ptxas_report(const struct ptxas_request *q, const char *arch, const struct compile_result *r)
{
	bool banks = strncmp(arch, "sm_9", 4) != 0, good = true;

	for (uint32_t k = 0; k < r->nstats + r->nfunctions; k++)
		good &= warn_about(q, &r->stats[k]);
	if (!q->verbose)
		return good;
	report_module(r, banks);
	for (uint32_t k = r->nstats; k-- > 0;) {
		if (r->stats[k].function)
			report_function(&r->stats[k]);
		else
			report_kernel(q, arch, r, &r->stats[k], banks);
	}
	for (uint32_t k = 0; k < r->nfunctions; k++)
		report_function(&r->stats[r->nstats + k]);
	return good;
}
