/* SPDX-License-Identifier: MIT */
/*
 * What device code and runtime have in common for services: printf, assert, malloc, free. Two pieces
 * of memory. The control block is video memory, since its words are for atomic operations; the CPU
 * writes into it. The log is system memory: one assertion that failed, then a ring of lines.
 *
 * A line is a record of whole 8-byte words. Its first word becomes the record's position + 1 when
 * all else is there; positions grow for ever and are places in the ring modulo its size. A thread
 * never waits: it is admitted if there is room, or its line is counted as lost.
 *
 *	u64 position + 1
 *	u64 bytes of the record
 *	the format with its zero, then for each conversion 4 or 8 bytes, or a string with its zero
 */
#ifndef SOV_KERNELS_SERVICES_H
#define SOV_KERNELS_SERVICES_H

#define SERVICES_LISTS     48
#define SERVICES_UNIT      16 /* bytes; blocks of the heap are 2^n of them, with a header of one */
#define SERVICES_TEXT      240
#define SERVICES_LOG_START 4096 /* where the ring begins in the log */

typedef unsigned long long services_u64;

struct services_control {
	services_u64 log;        /* address */
	services_u64 ring_bytes; /* a power of two */
	services_u64 tail;       /* the host's: how far it has read */
	services_u64 admitted, head, lost;
	services_u64 stopped;    /* a thread has written the assertion */
	services_u64 heap, heap_bytes, heap_next;
	services_u64 lists[SERVICES_LISTS]; /* free blocks of 2^n bytes: a count, 1 + the first unit */
};

struct services_assertion {
	unsigned ready, line;
	unsigned block[3], thread[3];
	services_u64 address; /* kind ADDRESS */
	char text[3][SERVICES_TEXT]; /* expression, file, function */
};

#ifndef __CUDA__
/* PTX: vprintf, __assertfail, malloc, free, and the variable sov_services, a control block's
 * address. */
extern const char services_library[];
#endif

#endif
