/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The callback that -fsanitize-coverage=trace-pc calls at every instrumented site. */
#ifndef SOV_COVERAGE_H
#define SOV_COVERAGE_H

void __sanitizer_cov_trace_pc(void);

#endif
