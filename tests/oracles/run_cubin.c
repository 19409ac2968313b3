// SPDX-License-Identifier: MIT
/*
 * Runs cubins with the kernels of tests/kernels on the software GPU, in normal and in hazard mode,
 * and compares every element. The file name gives kernels and SM: <compiler>-sm_90-<file>.cubin.
 */
#include "tests/kernels/run.h"
#include "tests/tap.h"

static const uint32_t sizes[] = {1, 31, 33, 1000, 4097};
static const unsigned blocks[] = {256, 33, 1};
static const struct shape shapes[] = {{1, 32}, {3, 1024}, {7, 96}};

static bool run_kernel(sov_context c, sov_function f, const struct kernel *k)
{
	bool good = true;

	for (unsigned i = 0; good && i < sizeof(sizes) / sizeof(*sizes); i++)
		for (unsigned j = 0; good && j < 3; j++)
			good = k->algorithm == SAXPY
				       ? run_saxpy(c, f, k->bytes, sizes[i], blocks[j])
				       : run_reduce(c, f, k->bytes, sizes[i], shapes[j], ROUGH) &&
						 run_reduce(c, f, k->bytes, sizes[i], shapes[j],
							    EXACT);
	return good;
}

/* Runs one kernel of a file in a new context. */
static bool run_file(const char *device, const void *image, size_t size, const struct kernel *k)
{
	sov_device d;
	sov_context c;
	sov_module m;
	sov_function f;
	bool good;

	if (!must(sov_device_open_name(device, &d), "opening") ||
	    !must(sov_context_create(d, NULL, &c), "creating a context"))
		return false;
	good = must(sov_module_load(c, image, size, NULL, &m), "loading") &&
	       must(sov_module_get_function(m, k->name, &f), "finding the kernel") &&
	       run_kernel(c, f, k);
	sov_context_destroy(c);
	return good;
}

int main(int argc, char **argv)
{
	setenv("SOV_SOFT",
	       "gh100:vram=64M,ga100:vram=64M,gh100:vram=64M:hazard,ga100:vram=64M:hazard", 1);
	unsetenv("SOV_VISIBLE_DEVICES");
	for (int i = 1; i < argc; i++) {
		const char *base = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
		size_t size;
		void *image = read_file(argv[i], &size);

		for (unsigned k = 0; k < KERNELS; k++) {
			if (!strstr(base, kernels[k].file))
				continue;
			for (int hazard = 0; hazard < 2; hazard++) {
				char device[16];

				snprintf(device, sizeof(device), "%s.%d",
					 strstr(base, "sm_90") ? "gh100" : "ga100", hazard);
				if (!ok(run_file(device, image, size, &kernels[k]),
					"%s of %s gives the reference's results%s", kernels[k].name,
					base, hazard ? " in hazard mode" : ""))
					diag("%s", why);
			}
		}
		free(image);
	}
	return tap_done();
}
