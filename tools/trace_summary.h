/* SPDX-License-Identifier: MIT */
/* Summary of a trace: count, duration and bytes per kernel, copy direction, call and so on. */
#ifndef TOOLS_TRACE_SUMMARY_H
#define TOOLS_TRACE_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum trace_category {
	TRACE_KERNELS,
	TRACE_COPIES,
	TRACE_FILLS,
	TRACE_FUNCTIONS,
	TRACE_CALLS,
	TRACE_CATEGORIES
};

#define TRACE_NAME_BYTES 128u /* longer names are truncated */
#define TRACE_HASH_SIZE  1024u

struct trace_row {
	enum trace_category category;
	char name[TRACE_NAME_BYTES];
	uint64_t count, total_ns, min_ns, max_ns, bytes;
	uint64_t unfinished; /* events that had not ended when the trace was written */
};

struct trace_summary {
	struct trace_row *rows; /* by category, then by descending total time */
	uint32_t count, capacity;
	uint64_t lost;                      /* events that the library dropped */
	uint32_t last_row[TRACE_HASH_SIZE]; /* by hash of the name: the row found last */
};

/* Returns false if the text is not a trace; why then names the byte. */
bool trace_summarise(const char *text, size_t bytes, struct trace_summary *summary, char *why,
		     size_t why_bytes);
void trace_summary_free(struct trace_summary *summary);
/* Length of the intact part of a trace that libsov wrote. If the process died while writing, the
 * text up to there plus closing brackets is valid JSON; otherwise it is the whole text. */
size_t trace_intact_bytes(const char *text, size_t bytes);

#endif
