/* SPDX-License-Identifier: MIT */
#ifndef SOV_CAPTURE_H
#define SOV_CAPTURE_H

#include "libsov/runtime/context/context.h"

/* Graphs and executable graphs as parts of a context; installs the capture operations. */
extern const struct context_part graph_part;

#endif
