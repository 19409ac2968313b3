/* SPDX-License-Identifier: MIT */
#ifndef SOV_TEXT_H
#define SOV_TEXT_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Appends formatted text to a zero-terminated buffer and truncates what does not fit. */
__attribute__((format(printf, 3, 4))) static inline void text_append(char *buffer, size_t bytes,
								     const char *fmt, ...)
{
	size_t n = strlen(buffer);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buffer + n, bytes - n, fmt, ap);
	va_end(ap);
}

#endif
