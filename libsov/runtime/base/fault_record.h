/* SPDX-License-Identifier: MIT */
/* sov_fault records: initialising and formatting them. */
#ifndef SOV_FAULT_RECORD_H
#define SOV_FAULT_RECORD_H

#include <stddef.h>
#include "libsov/sov.h"

/* kernel is the kernel's name, or NULL. Long names are truncated. */
void fault_init(sov_fault *f, sov_result r, const char *kernel);
/* Formats the record as one line for sov_last_error. */
void fault_format(const sov_fault *f, const char *device, char *buffer, size_t bytes);

#endif
