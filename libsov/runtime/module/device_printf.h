/* SPDX-License-Identifier: MIT */
/* Formats a kernel's printf record. */
#ifndef SOV_PRINT_H
#define SOV_PRINT_H

#include <stddef.h>
#include <stdint.h>

struct print_text {
	char *bytes; /* malloc */
	size_t count, capacity;
};

/* Appends the text of a record: the zero-terminated format, then the values
 * (libsov/kernels/device_services.h). The record may contain anything; a truncated one ends the
 * line. Without memory the text is lost. */
void print_line(struct print_text *out, const uint8_t *record, size_t bytes);
void print_add(struct print_text *out, const char *text, size_t bytes);

#endif
