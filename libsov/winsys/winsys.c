/* SPDX-License-Identifier: MIT */
/* What all ways to a GPU share: the last sentence about a failure. */
#include <stdarg.h>
#include <stdio.h>
#include "libsov/winsys/winsys.h"

static _Thread_local char said[256];
static _Thread_local bool fresh;

void winsys_set_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(said, sizeof(said), fmt, ap);
	va_end(ap);
	fresh = true;
}

const char *winsys_take_error(void)
{
	const char *text = fresh ? said : "";

	fresh = false;
	return text;
}
