/* SPDX-License-Identifier: MIT */
#ifndef SOV_CONDITIONAL_H
#define SOV_CONDITIONAL_H

#include "libsov/runtime/graph/graph.h"

/* Evaluates the condition of a conditional node and executes its bodies; a host function. */
void conditional_run(void *node);

#endif
