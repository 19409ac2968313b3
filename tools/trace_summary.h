/* SPDX-License-Identifier: MIT */
/* What a trace adds up to. */
#ifndef TOOLS_TRACE_READ_H
#define TOOLS_TRACE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum trace_sum {
	TRACE_KERNELS,
	TRACE_COPIES,
	TRACE_FILLS,
	TRACE_GRAPHS,
	TRACE_FUNCTIONS,
	TRACE_CALLS,
	TRACE_SUMS
};

#define TRACE_NAME   128u /* a longer one is cut off */
#define TRACE_PLACES 1024u

struct trace_row {
	enum trace_sum kind;
	char name[TRACE_NAME];
	uint64_t count, total_ns, min_ns, max_ns, bytes;
	uint64_t cut; /* of those: did not end */
};

struct trace_summary {
	struct trace_row *rows; /* by kind, what took longest first */
	uint32_t count, capacity;
	uint64_t lost;                /* events that are not in the trace */
	uint32_t first[TRACE_PLACES]; /* where to look first, by a hash of the name */
};

/* false: it is no trace, why says at which byte. */
bool trace_summarise(const char *text, size_t bytes, struct trace_summary *sums, char *why,
		size_t why_bytes);
void trace_summary_free(struct trace_summary *sums);
/* How much of a trace of ours is whole, if its program ended while it wrote: up to there, and with
 * brackets behind, it is JSON. All of it, if it is whole. */
size_t trace_intact_bytes(const char *text, size_t bytes);

#endif
