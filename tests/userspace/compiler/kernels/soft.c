// SPDX-License-Identifier: MIT
/*
 * saxpy and reduce of tests/kernels, compiled from PTX to an image and run on the software GPU:
 * Hopper and Ampere, with and without hazard mode, scheduled and serial code. Inputs are random,
 * buffers lie between poisoned guards, and every element is checked.
 */
#include "libsov/compiler/driver/compiler.h"
#include "tests/kernels/run.h"
#include "tests/soft.h"
#include "tests/tap.h"

static sov_module compile_and_load(sov_context context, const char *target, const char *file,
				   bool serial)
{
	struct compile_options o = {.source = COMPILE_PTX, .target = target, .serial = serial};
	struct compile_result r = {0};
	sov_module module = NULL;
	char path[64], *text;
	size_t size;

	snprintf(path, sizeof(path), "tests/kernels/%s.ptx", file);
	text = read_file(path, &size);
	if (compile(text, size, &o, &r))
		must(sov_module_load(context, r.image, r.image_size, NULL, &module),
		     "loading the image");
	else
		snprintf(why, sizeof(why), "%s", r.messages);
	compile_result_free(&r);
	free(text);
	return module;
}

/* Runs all sizes and shapes of one kernel up to the first failure. */
static bool run_kernel(sov_context c, sov_function f, const struct kernel *k)
{
	static const uint32_t sizes[] = {1, 31, 32, 33, 1000, 4097};
	static const unsigned blocks[] = {256, 1, 33, 1023};
	static const struct shape shapes[] = {{1, 32}, {2, 1024}, {7, 96}};
	bool good = true;

	for (unsigned i = 0; good && i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (unsigned j = 0; good && k->algorithm == SAXPY && j < 4; j++)
			good = run_saxpy(c, f, k->bytes, sizes[i], blocks[j]);
		for (unsigned j = 0; good && k->algorithm == REDUCE && j < 3; j++)
			good = run_reduce(c, f, k->bytes, sizes[i], shapes[j], ROUGH) &&
			       run_reduce(c, f, k->bytes, sizes[i], shapes[j], EXACT);
	}
	return good;
}

/* ok() that prints the reason of a failure. */
#define ok_or_why(good, ...) \
	do { \
		if (!ok(good, __VA_ARGS__)) \
			diag("%s", why); \
	} while (0)

static void run_device(uint32_t ordinal, bool hazard, bool serial)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	sov_device device;
	sov_context context;

	bool good = must(sov_device_open(ordinal, &device), "opening") &&
		    must(sov_device_get_properties(device, &p), "reading its properties") &&
		    must(sov_context_create(device, NULL, &context), "creating a context");

	ok_or_why(good, "software GPU %u opens and creates a context", ordinal);
	if (!good)
		return;
	ok(!!(p.features & SOV_FEATURE_HAZARD_CHECK) == hazard,
	   "software GPU %s reports hazard mode %s", p.name, hazard ? "on" : "off");
	for (unsigned i = 0; i < KERNELS; i++) {
		sov_module m = compile_and_load(context, p.target, kernels[i].file, serial);
		sov_function f = NULL;

		good = m &&
		       must(sov_module_get_function(m, kernels[i].name, &f),
			    "looking for the kernel") &&
		       run_kernel(context, f, &kernels[i]);
		ok_or_why(good, "%s gives the reference results on %s%s%s", kernels[i].name, p.name,
			  hazard ? ", hazard mode" : "", serial ? ", serial code" : "");
	}
	ok_or_why(must(sov_context_destroy(context), "destroying"),
		  "the context of software GPU %u is destroyed", ordinal);
}

#define SOFTWARE 4

int main(void)
{
	uint32_t count = 0;

	soft_gpus("gh100:vram=64M,ga100:vram=64M,gh100:vram=64M:hazard,ga100:vram=64M:hazard");
	unsetenv("SOV_VISIBLE_DEVICES");
	ok_or_why(must(sov_device_count(&count), "counting") && count >= SOFTWARE,
		  "at least %d software GPUs exist", SOFTWARE);
	/* A card that TEST_CARD requests comes first; the last two are in hazard mode. */
	for (uint32_t ordinal = 0; ordinal < (getenv("TEST_CARD") ? 1 : count); ordinal++)
		for (int serial = 0; serial < 2; serial++)
			run_device(ordinal, ordinal >= count - SOFTWARE / 2, serial);
	return tap_done();
}
