/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The compiler inserts a call to this function at every site (-fsanitize-coverage=trace-pc). */
#ifndef SOV_COVERAGE_H
#define SOV_COVERAGE_H

void __sanitizer_cov_trace_pc(void);

#endif
