/* SPDX-License-Identifier: MIT */
/* Launches workloads (work.h) through the public API. */
#ifndef TESTS_KERNELS_LAUNCH_H
#define TESTS_KERNELS_LAUNCH_H

#include "libsov/sov.h"
#include "tests/kernels/work.h"

static inline bool work_must(struct work *w, sov_result r, const char *doing)
{
	if (r)
		snprintf(w->why, sizeof(w->why), "%s: %s: %.160s", doing, sov_result_name(r), sov_last_error());
	return !r;
}

static inline bool work_launch(struct work *w, sov_context c, sov_module m)
{
	sov_ptr at[WORK_BUFFERS] = {0};
	const void *arguments[WORK_ARGUMENTS];
	sov_launch l = SOV_INIT(sov_launch);
	sov_function f;
	bool good = work_must(w, sov_module_get_function(m, w->kind->function, &f), "finding the kernel");

	for (unsigned i = 0; good && i < w->nbuffers; i++)
		good = work_must(w, sov_memory_alloc(c, w->buffers[i].bytes, &at[i]), "allocating") &&
		       work_must(w, sov_memory_copy(c, at[i], SOV_HOST(w->buffers[i].data), w->buffers[i].bytes),
				 "copying to the device");
	for (unsigned i = 0; i < w->narguments; i++)
		arguments[i] = w->arguments[i].buffer < 0 ? (void *)&w->arguments[i].bits
							   : (void *)&at[w->arguments[i].buffer];
	for (int k = 0; k < 3; k++) {
		l.grid[k] = k < 2 ? w->grid[k] : 1;
		l.block[k] = k < 2 ? w->block[k] : 1;
	}
	l.arguments = arguments;
	l.argument_count = w->narguments;
	good = good && work_must(w, sov_function_launch(f, &l), "launching") &&
	       work_must(w, sov_context_wait(c, SOV_FOREVER), "running");
	for (unsigned i = 0; good && i < w->nbuffers; i++)
		good = work_must(w, sov_memory_copy(c, SOV_HOST(w->buffers[i].data), at[i], w->buffers[i].bytes),
				 "copying to the host");
	for (unsigned i = 0; i < w->nbuffers; i++)
		if (at[i])
			sov_memory_free(c, at[i]);
	return good;
}

#endif
