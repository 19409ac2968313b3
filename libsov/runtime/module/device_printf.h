/* SPDX-License-Identifier: MIT */
/* What a kernel's printf says, made text from the format and the values that it left. */
#ifndef SOV_PRINT_H
#define SOV_PRINT_H

#include <stddef.h>
#include <stdint.h>

struct print_text {
	char *bytes; /* malloc */
	size_t count, capacity;
};

/* record: the format with its zero, then the values (libsov/kernels/device_services.h). It may hold
 * anything: what is cut short ends the line. Appends to out; without memory for it, does not. */
void print_line(struct print_text *out, const uint8_t *record, size_t bytes);
void print_add(struct print_text *out, const char *text, size_t bytes);

#endif
