// SPDX-License-Identifier: MIT
/*
 * Every row of _family_rows.h as machine code on the software GPU, in hazard mode, for Hopper and
 * Ampere. The back ends must reject rows above their level as not supported.
 */
#include "libsov/sov.h"
#include "tests/soft.h"
#include "tests/userspace/compiler/ptx/_families.c"

#define TIME_LIMIT UINT64_C(20000000000) /* for one kernel, ns */

static sov_context context;

static bool must(sov_result r, const char *doing)
{
	if (r)
		diag("%s: %s: %s %s", doing, sov_result_name(r), sov_last_error(),
		     sov_module_messages());
	return !r;
}

static bool launch_family(struct family_case *c, sov_module m)
{
	sov_launch l = SOV_INIT(sov_launch);
	sov_ptr at[FAMILY_OPERANDS] = {0};
	const void *arguments[FAMILY_OPERANDS];
	sov_function f;
	bool good = must(sov_module_get_function(m, "k", &f), "looking for the kernel");

	for (uint32_t o = 0; good && o < c->operands; o++) {
		uint64_t bytes = FAMILY_ELEMENTS * c->types[o].bits / 8;

		arguments[o] = &at[o];
		good = must(sov_memory_alloc(context, bytes, &at[o]), "allocating") &&
		       must(sov_memory_copy(context, at[o], SOV_HOST(c->memory[o]), bytes),
			    "copying in");
	}
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	l.block[0] = FAMILY_ELEMENTS;
	l.arguments = arguments;
	l.argument_count = c->operands;
	good = good && must(sov_function_launch(f, &l), "launching") &&
	       must(sov_context_wait(context, TIME_LIMIT), "running") &&
	       must(sov_memory_copy(context, SOV_HOST(c->memory[0]), at[0],
				    FAMILY_ELEMENTS * c->types[0].bits / 8),
		    "copying out") &&
	       family_check(c);
	if (sov_context_status(context))
		sov_context_reset(context);
	for (uint32_t o = 0; o < c->operands; o++)
		if (at[o])
			sov_memory_free(context, at[o]);
	return good;
}

static void check_family(const struct family *f, const char *device)
{
	struct family_case *c = malloc(sizeof(*c));
	sov_module m = NULL;
	sov_result r;

	family_make(f, c);
	r = sov_module_load(context, c->text, strlen(c->text), NULL, &m);
	if (f->level == IR || (f->level == HOPPER && strstr(device, "ga100")))
		ok(r == SOV_ERROR_INVALID_SOURCE &&
			   strstr(sov_module_messages(), "not supported on "),
		   "'%s' is rejected as not supported on %s", f->text, device);
	else
		ok(must(r, "loading") && launch_family(c, m),
		   "'%s' gives the reference results on %s", f->text, device);
	if (m)
		sov_module_unload(m);
	free(c);
}

int main(void)
{
	uint32_t count = 0;

	soft_gpus("gh100:vram=64M:hazard,ga100:vram=64M:hazard");
	unsetenv("SOV_VISIBLE_DEVICES");
	ok(must(sov_device_count(&count), "counting") && count >= 2,
	   "at least 2 software GPUs exist");
	for (uint32_t ordinal = 0; ordinal < count; ordinal++) {
		sov_device_properties p = SOV_INIT(sov_device_properties);
		sov_device device;

		if (!ok(must(sov_device_open(ordinal, &device), "opening") &&
				must(sov_device_get_properties(device, &p), "asking") &&
				must(sov_context_create(device, NULL, &context), "creating"),
			"software GPU %u opens and creates a context", ordinal))
			continue;
		for (uint32_t k = 0; k < family_count; k++)
			check_family(&families[k], p.name);
		ok(must(sov_context_destroy(context), "destroying"),
		   "the context of software GPU %u is destroyed", ordinal);
	}
	return tap_done();
}
