/* SPDX-License-Identifier: MIT */
/*
 * sov ptxas: the command line of NVIDIA's PTX assembler. ptxas_options.c parses it, ptxas.c
 * compiles, ptxas_report.c prints statistics and warnings.
 */
#ifndef TOOLS_PTXAS_H
#define TOOLS_PTXAS_H

#include "libsov/compiler/driver/compiler.h"
#include "tools/tool.h"

/* ptxas exits with this status after every error. */
#define PTXAS_FAILED 255

/* A growing list of words. */
struct ptxas_words {
	const char **word; /* NULL ends the list; NULL: empty */
	uint32_t count;
};

struct ptxas_request {
	struct ptxas_words files, strings, entries;
	const char *out, *arch, *machine, *level, *max_registers, *function_max_registers, *fmad;
	const char *load_cache, *store_cache, *max_threads, *min_ctas, *threads;
	bool help, version, list_version, verbose, compile_only, debug, lines, no_debug_info;
	bool warn_spills, warn_local, warn_double, no_warnings, warnings_are_errors;
	bool override_directives;
};

/* Returns false after an error message. */
bool ptxas_parse(struct ptxas_request *q, int argc, char **argv);
void ptxas_print_help(void);
void ptxas_free(struct ptxas_request *q);

/* Messages in the format of ptxas, on stderr. */
enum ptxas_severity { PTXAS_INFO, PTXAS_WARNING, PTXAS_ERROR, PTXAS_FATAL };
void ptxas_message(enum ptxas_severity s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Returns false. */
bool ptxas_fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints a warning, or an error if the options demand it; returns false for an error. */
bool ptxas_warn(const struct ptxas_request *q, const char *file, uint32_t line, const char *fmt,
		...) __attribute__((format(printf, 4, 5)));

/* Prints the statistics of --verbose and the warnings about stack and spills. Returns false if
 * warnings are errors and there was one. */
bool ptxas_report(const struct ptxas_request *q, const char *arch, const struct compile_result *r);

#endif
