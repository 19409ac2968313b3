// SPDX-License-Identifier: MIT
/*
 * Diagnostics: messages are collected, never printed; the caller of the compilation decides where
 * they go. Their number is limited to DIAG_MAX_ERRORS.
 */
#include "libsov/compiler/base/diag.h"

void diag_init(struct diag *d, struct arena *a, const char *prefix)
{
	*d = (struct diag){.arena = a, .prefix = prefix};
	d->text = arena_strndup(a, "", 0);
}

static void add_error(struct diag *d, uint32_t line, uint32_t column, const char *fmt, va_list ap)
{
	struct text t = {d->arena, d->capacity ? d->text : NULL, d->length, d->capacity};

	if (d->errors++ > DIAG_MAX_ERRORS)
		return;
	text_printf(&t, "%s: ", d->prefix);
	if (d->errors > DIAG_MAX_ERRORS) {
		text_printf(&t, "more than %d errors; the rest is not listed\n", DIAG_MAX_ERRORS);
	} else {
		if (line)
			text_printf(&t, "%u:%u: ", line, column);
		text_vprintf(&t, fmt, ap);
		text_printf(&t, "\n");
	}
	d->text = t.s;
	d->length = t.length;
	d->capacity = t.capacity;
}

void diag_error(struct diag *d, uint32_t line, uint32_t column, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_error(d, line, column, fmt, ap);
	va_end(ap);
}

void diag_fault(struct diag *d, uint32_t line, uint32_t column, const char *fmt, ...)
{
	va_list ap;

	d->fault = true;
	va_start(ap, fmt);
	add_error(d, line, column, fmt, ap);
	va_end(ap);
}
