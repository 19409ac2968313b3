// SPDX-License-Identifier: MIT
/* Bytes at addresses, page by page. */
#include <string.h>

#include "model/amd/wave.h"

#define PAGE 4096u

static bool each_page(const struct amd_memory *m, uint64_t va, uint8_t *bytes, uint32_t count,
		      bool write)
{
	while (count) {
		uint32_t part = PAGE - (uint32_t)(va % PAGE);
		void *host;

		if (part > count)
			part = count;
		host = m->at(m->context, va, part, write);
		if (!host)
			return false;
		if (write)
			memcpy(host, bytes, part);
		else
			memcpy(bytes, host, part);
		va += part;
		bytes += part;
		count -= part;
	}
	return true;
}

bool amd_memory_read(const struct amd_memory *m, uint64_t va, void *to, uint32_t bytes)
{
	return each_page(m, va, to, bytes, false);
}

bool amd_memory_write(const struct amd_memory *m, uint64_t va, const void *from, uint32_t bytes)
{
	return each_page(m, va, (uint8_t *)from, bytes, true);
}
