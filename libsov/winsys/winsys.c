// SPDX-License-Identifier: MIT
/* What the winsys back ends share: their list, the calling thread's error message, and the
 * variables that enable them. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int winsys_enabled(const char *variable, const char *variant, char *reason, size_t reason_bytes)
{
	const char *text = secure_getenv(variable);

	if (!text || !strcmp(text, "1"))
		return 1;
	if (!strcmp(text, "0"))
		return 0;
	if (variant && !strcmp(text, variant))
		return 2;
	snprintf(reason, reason_bytes, "%s is '%s'; it must be %s%s", variable, text,
		 variant ? "0, 1 or " : "0 or 1", variant ? variant : "");
	return -EINVAL;
}

const struct winsys *const winsys_backends[WINSYS_MAX_BACKENDS] = {
#ifdef SOV_HAVE_KMOD
	&winsys_kmod,
#endif
	&winsys_nvrm,
	&winsys_kfd,
	&winsys_soft,
};
