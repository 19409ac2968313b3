/* SPDX-License-Identifier: MIT */
/*
 * The interface between the runtime and the device services (printf, assert, malloc, free,
 * cudaGraphSetConditional). The
 * control block lies in VRAM, because device threads update it with atomics; the host writes it
 * too. The log lies in system memory: one assertion record, then a ring of printf records.
 *
 * A printf record consists of 8-byte words. The device writes its first word, position + 1, last,
 * to publish the record. Positions are 64-bit byte counts that never wrap; modulo the ring size
 * they are offsets in the ring. Threads do not wait for the host: a record that does not fit is
 * dropped and counted in `lost`.
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
#define SERVICES_LOG_START 4096 /* offset of the ring in the log */

typedef unsigned long long services_u64;

struct services_control {
	services_u64 log;        /* address of the log */
	services_u64 ring_bytes; /* a power of two */
	services_u64 tail;       /* position up to which the host has read */
	services_u64 admitted, head, lost;
	services_u64 stopped;    /* 1: a thread has claimed the assertion record */
	services_u64 heap, heap_bytes, heap_next;
	services_u64 lists[SERVICES_LISTS]; /* of free 2^n-byte blocks: ABA tag, 1 + head unit */
};

struct services_assertion {
	unsigned ready, line;
	unsigned block[3], thread[3];
	services_u64 address; /* argument of an invalid free; 0: a failed assertion */
	char text[3][SERVICES_TEXT]; /* expression, file, function */
};

#ifndef __CUDA__
/* PTX of the services, by the names of enum service. The runtime stores the control block's
 * address in its variable sov_services. */
extern const char services_library[];
#endif

#endif
