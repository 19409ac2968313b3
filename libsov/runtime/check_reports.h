/* SPDX-License-Identifier: MIT */
#ifndef SOV_CHECK_REPORTS_H
#define SOV_CHECK_REPORTS_H

#include "libsov/runtime/context/context.h"

/* Prints the reports of checked programs (SOV_CHECK). */
extern const struct context_part check_part;

#endif
