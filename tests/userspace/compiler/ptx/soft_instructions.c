// SPDX-License-Identifier: MIT
/*
 * Every file in instructions/ as machine code on the software GPU, through the public API: Hopper,
 * Ampere and Ada, with and without hazard mode, scheduled and serial code; Turing and Volta in
 * hazard mode, where the .target of the files becomes the chip's and forms that PTX has only on
 * newer chips are rejected. instructions.c expects the same results of the interpreter, so a
 * failure here alone points to a back end. With SOV_CONFORMANCE the only device is device 0, which
 * may be a real GPU.
 */
#include "tests/soft.h"
#include "tests/userspace/compiler/ptx/_launch_instruction.h"

static struct {
	sov_context context;
	const char *device;
	uint32_t sm;
	bool serial, amd;
} now;

/* A copy of the file whose .target is the device's, if it names a newer one. */
static char *with_target(const char *text)
{
	static const char word[] = ".target sm_";
	char *copy = strdup(text), *at = strstr(copy, word);

	if (at && (uint32_t)atoi(at + strlen(word)) > now.sm) {
		at[strlen(word)] = (char)('0' + now.sm / 10);
		at[strlen(word) + 1] = (char)('0' + now.sm % 10);
	}
	return copy;
}

/* Whether the compiler rejects the file as not supported, also if its .target is the device's. */
static bool is_rejected(const char *text, size_t length)
{
	char *copy = with_target(text);
	sov_module m;
	bool good =
		sov_module_load(now.context, copy, length, NULL, &m) == SOV_ERROR_INVALID_SOURCE &&
		strstr(sov_module_messages(), "not supported on ");

	free(copy);
	return good;
}

static bool load_kernel(const char *text, size_t length, const char *name, sov_module *m,
			sov_function *f)
{
	sov_module_options o = SOV_INIT(sov_module_options);
	char kernel[128], *source = with_target(text);
	bool good;

	snprintf(kernel, sizeof(kernel), "%.*s", (int)strlen(name) - 4, name);
	o.flags = now.serial ? SOV_MODULE_SERIAL : 0;
	good = must(sov_module_load(now.context, source, length, &o, m), "loading");
	free(source);
	if (!good) {
		diag("%s", sov_module_messages());
		return false;
	}
	return must(sov_module_get_function(*m, kernel, f), "looking for the kernel");
}

static void check_instruction(const char *name, const char *text, size_t length)
{
	struct instruction_test *t = test_read(name, text);
	sov_module m = NULL;
	sov_function f;

	if (t->unsupported || (t->needs_hopper && (now.amd || now.sm < 90)) ||
	    (t->needs_ada && now.sm < 89) || (t->needs_sm > now.sm && now.sm < 80))
		ok(is_rejected(text, length), "%s is rejected as not supported on %s", name,
		   now.device);
	else
		ok(load_kernel(text, length, name, &m, &f) && run_instruction(now.context, t, f),
		   "%s on %s%s: %s", name, now.device, now.serial ? ", serial code" : "", t->title);
	if (m)
		sov_module_unload(m);
	free(t);
	if (sov_context_status(now.context)) /* a fault stays until a reset */
		ok(must(sov_context_reset(now.context), "resetting"), "the context is reset");
}

static void run_device(uint32_t ordinal)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	char name[128];
	sov_device device;

	if (!ok(must(sov_device_open(ordinal, &device), "opening") &&
			must(sov_device_get_properties(device, &p), "asking") &&
			must(sov_context_create(device, NULL, &now.context), "creating a context"),
		"GPU %u opens and creates a context", ordinal))
		return;
	snprintf(name, sizeof(name), "%s%s", p.name,
		 p.features & SOV_FEATURE_HAZARD_CHECK ? ", hazard mode" : "");
	now.device = name;
	/* RDNA2 takes every .target. */
	now.amd = strncmp(p.target, "sm_", 3);
	now.sm = now.amd ? 90 : (uint32_t)atoi(p.target + 3);
	for (int serial = 0; serial < (now.sm < 80 ? 1 : 2); serial++) {
		now.serial = serial;
		files_each("tests/userspace/compiler/ptx/instructions", ".ptx", check_instruction);
	}
	ok(must(sov_context_destroy(now.context), "destroying"),
	   "the context of GPU %u is destroyed", ordinal);
}

int main(void)
{
	const char *one_chip = getenv("TEST_CHIP");
	uint32_t count = 0;

	if (getenv("SOV_CONFORMANCE")) {
		run_device(0);
		return tap_done();
	}
	soft_gpus(one_chip ? "gh100:vram=1G,gh100:vram=1G:hazard"
			   : "gh100:vram=1G,ga100:vram=1G,gh100:vram=1G:hazard,"
			     "ga100:vram=1G:hazard,ad102:vram=1G:hazard,tu102:vram=1G:hazard,"
			     "gv100:vram=1G:hazard");
	unsetenv("SOV_VISIBLE_DEVICES");
	ok(must(sov_device_count(&count), "counting") && count == (one_chip ? 2 : 7),
	   "the software GPUs exist");
	for (uint32_t ordinal = 0; ordinal < count; ordinal++)
		run_device(ordinal);
	return tap_done();
}
