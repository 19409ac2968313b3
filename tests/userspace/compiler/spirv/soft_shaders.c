// SPDX-License-Identifier: MIT
/*
 * Every shader as machine code on software GPUs, through the public API. shaders.c expects the same
 * results of the interpreter, so a failure here alone points to a back end.
 */
#include "tests/soft.h"
#include "tests/userspace/compiler/ptx/_launch_instruction.h"
#include "tests/userspace/compiler/spirv/_shaders.h"

static struct {
	sov_context context;
	const char *device;
} now;

static bool launch(struct instruction_test *t, sov_function f)
{
	sov_ptr at[TEST_MAX_PARAMETERS] = {0};
	union {
		sov_buffer buffer;
		sov_image image;
		sov_sampled_texture sampled;
	} descriptors[TEST_MAX_PARAMETERS];
	const void *arguments[TEST_MAX_PARAMETERS];
	sov_launch l = SOV_INIT(sov_launch);
	bool good;

	test_reset(t);
	good = copy_in(now.context, t, at, arguments);
	for (uint32_t k = 0; good && k < t->count; k++) {
		const struct test_parameter *p = &t->parameters[k];

		if (!p->buffer || is_opencl(t->name))
			continue;
		arguments[k] = &descriptors[k];
		if (p->storage) {
			good = must(
				sov_texture_get_image(now.context, at[k], 0, &descriptors[k].image),
				"describing an image");
			descriptors[k].image.texture |= (uint64_t)p->samples
							<< SOV_SPIRV_SAMPLES_SHIFT;
		} else if (p->texture) {
			descriptors[k].sampled.texture = descriptors[k].sampled.sampler = at[k];
			descriptors[k].sampled.texture |= (uint64_t)p->samples
							  << SOV_SPIRV_SAMPLES_SHIFT;
		} else {
			descriptors[k].buffer.address = at[k];
			descriptors[k].buffer.bytes = (uint64_t)p->count * p->bytes;
		}
	}
	l.grid[0] = t->grid;
	l.grid[1] = l.grid[2] = 1;
	if (is_opencl(t->name))
		l.block[0] = t->block, l.block[1] = l.block[2] = 1;
	l.shared_bytes = t->shared;
	l.arguments = arguments;
	l.argument_count = t->count;
	good = good && must(sov_function_launch(f, &l), "launching") &&
	       must(sov_context_wait(now.context, TIME_LIMIT), "running") &&
	       copy_out(now.context, t, at) && test_compare(t);
	if (sov_context_status(now.context))
		must(sov_context_reset(now.context), "resetting");
	for (uint32_t k = 0; k < t->count; k++)
		if (at[k] && t->parameters[k].texture)
			sov_texture_destroy(now.context, at[k]);
		else if (at[k])
			sov_memory_free(now.context, at[k]);
	return good;
}

static const char *only; /* part of the names of the shaders to run; NULL: all */

static void run_shader(const char *name, const char *text, size_t length)
{
	struct instruction_test *t = shader_test(name, text);
	char *binary = shader_binary(name, &length);
	sov_module m = NULL;
	sov_function f;
	bool good = must(sov_module_load(now.context, binary, length, NULL, &m), "loading") &&
		    must(sov_module_get_function(m, is_opencl(name) ? "test" : "main", &f),
			 "looking for the kernel");

	ok(good && launch(t, f), "%s on %s: %s", name, now.device, t->title);
	if (m)
		sov_module_unload(m);
	free(binary);
	free(t);
}

static void check_shader(const char *name, const char *text, size_t length)
{
	if ((!only || strstr(name, only)) && !strstr(text, " refused: "))
		run_shader(name, text, length);
}

static void run_device(uint32_t ordinal)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	char name[128];
	sov_device device;

	if (!ok(must(sov_device_open(ordinal, &device), "opening") &&
			must(sov_device_get_properties(device, &p), "asking") &&
			must(sov_context_create(device, NULL, &now.context), "creating a context"),
		"software GPU %u opens and creates a context", ordinal))
		return;
	snprintf(name, sizeof(name), "%s%s", p.name,
		 p.features & SOV_FEATURE_HAZARD_CHECK ? ", hazard mode" : "");
	now.device = name;
	shaders_each(check_shader);
	ok(must(sov_context_destroy(now.context), "destroying"),
	   "the context of software GPU %u is destroyed", ordinal);
}

int main(int argc, char **argv)
{
	uint32_t count = 0;

	only = argc > 1 ? argv[1] : NULL;
	soft_gpus("gh100:vram=1G,gh100:vram=1G:hazard,ga100:vram=1G,navi21:vram=1G");
	unsetenv("SOV_VISIBLE_DEVICES");
	ok(must(sov_device_count(&count), "counting") && count >= 4,
	   "at least 4 software GPUs exist");
	for (uint32_t ordinal = 0; ordinal < count; ordinal++)
		run_device(ordinal);
	return tap_done();
}
