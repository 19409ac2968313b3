/* SPDX-License-Identifier: MIT */
/* Allocation of GPU addresses, process-wide. */
#ifndef SOV_ADDRESS_SPACE_H
#define SOV_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

/* Allocates a range of GPU addresses; low: below 2^40. align is a power of two. */
bool va_alloc(bool low, uint64_t bytes, uint64_t align, uint64_t *va);
void va_free(bool low, uint64_t va, uint64_t bytes);
/* Whether the address was ever reserved for GPUs, hence is no host pointer. */
bool va_reserved(uint64_t address);
/* Avoids a range that a driver uses in every GPU address space; bytes 0: no range. */
void va_exclude(uint64_t start, uint64_t bytes);
/* Maps host memory whose addresses fit into this many bits; NULL on failure. */
void *va_map_host(uint64_t bytes, uint32_t bits);
/* The two 4 GiB windows through which generic addresses reach shared and local memory. */
bool va_windows(uint64_t *shared, uint64_t *local);
/* Around fork(), by the thread that calls it. */
void va_before_fork(void);
void va_after_fork(void);

#endif
