// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The code of the tracepoints that trace.h declares. sparse cannot evaluate their macros. */
#ifndef __CHECKER__
#define CREATE_TRACE_POINTS
#include "kmod/trace.h"
#endif
