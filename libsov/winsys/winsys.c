// SPDX-License-Identifier: MIT
/* What the winsys back ends share: their list and the calling thread's error message. */
#include <stdarg.h>
#include <stdio.h>
#include "libsov/winsys/winsys.h"

static _Thread_local char message[256];
static _Thread_local bool message_set;

void winsys_set_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	message_set = true;
}

const char *winsys_take_error(void)
{
	const char *text = message_set ? message : "";

	message_set = false;
	return text;
}

winsys_counted_fn *winsys_counted;

const struct winsys *const winsys_backends[WINSYS_MAX_BACKENDS] = {
#ifdef SOV_HAVE_KMOD
	&winsys_kmod,
#endif
	&winsys_nvrm,
	&winsys_kfd,
	&winsys_soft,
};
