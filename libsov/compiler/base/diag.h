/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics of one compilation: all errors in order, each formatted "ptx: 12:7: message". A
 * message names the thing, the value and the remedy.
 */
#ifndef SOV_COMPILER_DIAG_H
#define SOV_COMPILER_DIAG_H

#include <stdbool.h>
#include <stdint.h>
#include "libsov/compiler/base/arena.h"

#define DIAG_MAX_ERRORS 100 /* then one last line says that there are more */

struct diag {
	struct arena *arena;
	const char *prefix; /* "ptx", "ir", "cubin", "compile" */
	char *text;         /* all messages, each with a newline; "" when none */
	uint32_t length, capacity;
	uint32_t errors;
	bool fault; /* an error is the compiler's own: one of its checks failed */
};

void diag_init(struct diag *d, struct arena *a, const char *prefix);
/* line 0: no position. */
void diag_error(struct diag *d, uint32_t line, uint32_t column, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* An error that no input may cause. */
void diag_fault(struct diag *d, uint32_t line, uint32_t column, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
