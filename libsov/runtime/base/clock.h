/* SPDX-License-Identifier: MIT */
#ifndef SOV_CLOCK_H
#define SOV_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t now_ns(void);

#endif
