// SPDX-License-Identifier: MIT
/*
 * The kernels of tests/kernels as machine code on every software GPU, against their reference: with
 * scheduled and serial code, and in hazard mode.
 *
 *	science [KERNEL [IMAGE]]    one kernel alone, from an image (any cubin) instead of its PTX
 */
#include "tests/kernels/launch.h"
#include "tests/soft.h"
#include "tests/tap.h"

static void *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *data = malloc(1 << 22);

	*size = f && data ? fread(data, 1, 1 << 22, f) : 0;
	if (f)
		fclose(f);
	return data;
}

static void run_on(uint32_t device, const struct work_kind *kind, const char *image, bool serial)
{
	sov_module_options o = SOV_INIT(sov_module_options);
	sov_context_options limits = SOV_INIT(sov_context_options);
	sov_device_properties properties = SOV_INIT(sov_device_properties);
	struct work w;
	char path[256];
	size_t bytes;
	void *program;
	sov_device d;
	sov_context c = 0;
	sov_module m;
	bool good;

	snprintf(path, sizeof(path), "tests/kernels/%s.ptx", kind->file);
	program = read_file(image ? image : path, &bytes);
	o.flags = serial ? SOV_MODULE_SERIAL : 0;
	limits.kernel_time_limit = UINT64_C(60000000000);
	work_make(&w, kind, kind->small, 20260115);
	good = work_must(&w, sov_device_open(device, &d), "opening a device") &&
	       work_must(&w, sov_device_get_properties(d, &properties), "reading its properties") &&
	       work_must(&w, sov_context_create(d, &limits, &c), "creating a context") &&
	       work_must(&w, sov_module_load(c, program, bytes, &o, &m), "loading") &&
	       work_launch(&w, c, m) && kind->right(&w);
	ok(good, "%s gives the reference results on %s%s%s", kind->function, properties.target,
	   properties.features & SOV_FEATURE_HAZARD_CHECK ? ", hazard mode" : "",
	   serial ? ", serial code" : "");
	if (!good)
		diag("%s", w.why);
	if (c)
		sov_context_destroy(c);
	work_free(&w);
	free(program);
}

int main(int argc, char **argv)
{
	uint32_t soft = 0;

	soft_gpus("gh100:vram=256M,gh100:vram=256M:hazard,ga100:vram=256M:hazard");
	unsetenv("SOV_VISIBLE_DEVICES");
	/* A card that TEST_CARD requests comes first. */
	if (!ok(!sov_device_count(&soft) && soft >= 3, "at least 3 software GPUs exist"))
		return tap_done();
	soft -= 3;
	for (int k = 0; k < WORK_KINDS; k++) {
		const struct work_kind *kind = &work_kinds[k];

		if (argc > 1 && strcmp(argv[1], kind->file))
			continue;
		if (argc > 2) {
			run_on(0, kind, argv[2], false);
			continue;
		}
		for (uint32_t card = 0; card < soft; card++)
			run_on(card, kind, NULL, false);
		if (getenv("TEST_CARD"))
			continue;
		run_on(soft, kind, NULL, true);
		run_on(soft + 1, kind, NULL, false);
		run_on(soft + 2, kind, NULL, false);
	}
	return tap_done();
}
