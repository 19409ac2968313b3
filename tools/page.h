/* SPDX-License-Identifier: MIT */
#ifndef TOOLS_PAGE_H
#define TOOLS_PAGE_H

#include "tools/tool.h"

extern const char trace_page[], bench_page[], profile_page[];

/* Writes a page with this title and JSON. */
bool write_page(const struct verb *v, const char *path, const char *page, const char *title,
		const char *data, size_t bytes);

#endif
