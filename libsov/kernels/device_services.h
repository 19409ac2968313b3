/* SPDX-License-Identifier: MIT */
/*
 * The interface between the device code of printf, assert, malloc, free and the runtime. The
 * control block lies in video memory, because the device uses atomic operations on it; the CPU
 * writes to it. The log lies in system memory: one failed assertion, then a ring of printf records.
 *
 * A record consists of 8-byte words. Its first word becomes its position + 1 when the rest is
 * complete; positions grow for ever and are offsets in the ring modulo its size. A thread never
 * waits: if the ring has no room, the record is counted as lost.
 *
 *   u64 position + 1
 *   u64 bytes of the record
 *   the zero-terminated format, then for each conversion 4 or 8 bytes, or a zero-terminated string
 */
#ifndef SOV_KERNELS_SERVICES_H
#define SOV_KERNELS_SERVICES_H

#define SERVICES_LISTS     48
#define SERVICES_UNIT      16 /* bytes; heap blocks are 2^n units, with a header of one unit */
#define SERVICES_TEXT      240
#define SERVICES_LOG_START 4096 /* where the ring begins in the log */

typedef unsigned long long services_u64;

struct services_control {
	services_u64 log;        /* address */
	services_u64 ring_bytes; /* a power of two */
	services_u64 tail;       /* how far the host has read */
	services_u64 admitted, head, lost;
	services_u64 stopped;    /* a thread has written the assertion */
	services_u64 heap, heap_bytes, heap_next;
	services_u64 lists[SERVICES_LISTS]; /* free blocks of 2^n bytes: a count, 1 + the first unit */
};

struct services_assertion {
	unsigned ready, line;
	unsigned block[3], thread[3];
	services_u64 address; /* of an invalid free; 0: an assertion */
	char text[3][SERVICES_TEXT]; /* expression, file, function */
};

#ifndef __CUDA__
/* PTX of vprintf, __assertfail, malloc and free; sov_services is the variable that holds the
 * control block's address. */
extern const char services_library[];
#endif

#endif
