// SPDX-License-Identifier: MIT
#include <stdint.h>
#include "libsov/runtime/base/demangle.h"
#include "libsov/runtime/base/fault_record.h"
#include "libsov/runtime/base/text.h"

void fault_init(sov_fault *f, sov_result r, const char *kernel)
{
	memset(f, 0, sizeof(*f));
	f->size = sizeof(*f);
	f->result = r;
	f->pc = UINT64_MAX;
	if (kernel)
		snprintf(f->kernel, sizeof(f->kernel), "%s", kernel);
}

void fault_format(const sov_fault *f, const char *device, char *buffer, size_t bytes)
{
	*buffer = 0;
	if (*f->kernel)
		text_append(buffer, bytes, "kernel '%s' on ", DEMANGLED(f->kernel));
	text_append(buffer, bytes, "%s: %s", device, f->cause);
	if (f->has_thread)
		text_append(buffer, bytes, "; block (%u, %u, %u), thread (%u, %u, %u)", f->block[0],
			    f->block[1], f->block[2], f->thread[0], f->thread[1], f->thread[2]);
	if (f->pc != UINT64_MAX)
		text_append(buffer, bytes, "%s at +0x%llx%s%s", f->has_thread ? "," : ";",
			    (unsigned long long)f->pc, *f->instruction ? ": " : "", f->instruction);
	if (*f->source)
		text_append(buffer, bytes, ", %s", f->source);
}
