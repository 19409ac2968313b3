// SPDX-License-Identifier: MIT
/*
 * The kernels of tests/silicon/latency_distance.c on a software GPU in hazard mode: at the distance
 * of sass_latency.c each runs, and one cycle below it the software GPU reports the read.
 */
#include "libsov/sov.h"
#include "tests/silicon/latency_pairs.h"
#include "tests/tap.h"

static struct patched_image image;
static uint32_t buffer[PAIR_THREADS * PAIR_WORDS];
static uint32_t faults_at, silent_below;

/* Runs the patched kernel in a new context; returns "" or the error. */
static const char *run_image(void)
{
	sov_launch l = SOV_INIT(sov_launch);
	static char error[512];
	const void *arguments[1];
	sov_context c = 0;
	sov_function f;
	sov_device d;
	sov_module m;
	sov_ptr at;
	sov_result r;

	arguments[0] = &at;
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	l.block[0] = 32;
	l.arguments = arguments;
	l.argument_count = 1;
	r = sov_device_open_name("gh100.0", &d);
	r = r ? r : sov_context_create(d, NULL, &c);
	r = r ? r : sov_module_load(c, image.bytes, image.size, NULL, &m);
	r = r ? r : sov_module_get_function(m, PATCHED_KERNEL, &f);
	r = r ? r : sov_memory_alloc(c, sizeof(buffer), &at);
	r = r ? r : sov_memory_copy(c, at, SOV_HOST(buffer), sizeof(buffer));
	r = r ? r : sov_function_launch(f, &l);
	r = r ? r : sov_context_wait(c, SOV_FOREVER);
	snprintf(error, sizeof(error), "%s", r ? sov_last_error() : "");
	if (c)
		sov_context_destroy(c);
	return error;
}

static void try_pair(const struct pair *p, void *state)
{
	static uint32_t count;
	const char *error;

	(void)state;
	if (count++ % TAP_SLOWNESS)
		return;
	if (!patch_pair(&image, p, p->distance) || *(error = run_image())) {
		faults_at++;
		diag("%s to %s, R%u, %u cycles: %s", p->from->name, p->to->name, p->reg,
		     p->distance, run_image());
	}
	if (!patch_pair(&image, p, p->distance - 1) || !strstr(error = run_image(), " reads ")) {
		silent_below++;
		diag("%s to %s, R%u, %u cycles: no hazard: %s", p->from->name, p->to->name, p->reg,
		     p->distance - 1, run_image());
	}
}

int main(void)
{
	uint32_t pairs;

	setenv("SOV_SOFT", "gh100:vram=64M:threads=1:hazard", 1);
	unsetenv("SOV_VISIBLE_DEVICES");
	if (!ok(open_patched_image(&image), "the kernel that the pairs replace compiles"))
		return tap_done();
	fill_inputs(buffer);
	pairs = for_each_pair(try_pair, NULL);
	ok(pairs >= 100 && !faults_at, "%u pairs run at the distance of the latency table", pairs);
	ok(pairs && !silent_below, "hazard mode reports each of them one cycle below it");
	return tap_done();
}
