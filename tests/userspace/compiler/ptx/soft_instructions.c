// SPDX-License-Identifier: MIT
/*
 * Every file in instructions/ as machine code on the software GPU, through the public API: Hopper,
 * Ampere and Ada, with and without hazard mode, scheduled and serial code; Turing and Volta in
 * hazard mode, where the .target of the files becomes the chip's and forms that PTX has only on
 * newer chips are rejected. instructions.c expects the same results of the interpreter, so a
 * failure here alone points to a back end.
 */
#include "libsov/sov.h"
#include "tests/soft.h"
#include "tests/userspace/compiler/ptx/_instructions.h"

#define TIME_LIMIT UINT64_C(20000000000) /* for one kernel, ns */

static struct {
	sov_context context;
	const char *device;
	uint32_t sm;
	bool serial;
} now;

static bool must(sov_result r, const char *doing)
{
	if (r)
		diag("%s: %s: %s", doing, sov_result_name(r), sov_last_error());
	return !r;
}

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

static bool create_texture(const struct test_parameter *p, sov_ptr *at)
{
	const struct texture *d = &p->description;
	sov_texture_options o = SOV_INIT(sov_texture_options);

	o.flags = (d->linear ? SOV_TEXTURE_LINEAR : 0u) |
		  (d->normalized ? SOV_TEXTURE_NORMALIZED : 0u);
	o.geometry = d->geometry;
	o.width = d->width, o.height = d->height, o.depth = d->depth;
	o.channels = d->channels;
	o.channel_bits = d->channel_bits;
	o.type = d->type;
	for (uint32_t k = 0; k < 3; k++)
		o.address_modes[k] = d->address_mode[k];
	return must(sov_texture_create(now.context, &o, at), "creating a texture") &&
	       must(sov_texture_write(now.context, *at, p->memory), "writing texels");
}

/* Copies buffers to the GPU; arguments[i] points to a buffer's address or to the value. */
static bool copy_in(struct instruction_test *t, sov_ptr *at, const void **arguments)
{
	bool good = true;

	for (uint32_t i = 0; good && i < t->count; i++) {
		struct test_parameter *p = &t->parameters[i];
		uint64_t bytes = p->count * p->bytes;

		arguments[i] = p->memory;
		if (!p->buffer)
			continue;
		if (p->texture) {
			good = create_texture(p, &at[i]);
			arguments[i] = &at[i];
			continue;
		}
		good = must(sov_memory_alloc(now.context, bytes, &at[i]), "allocating") &&
		       must(sov_memory_copy(now.context, at[i], SOV_HOST(p->memory), bytes),
			    "copying in");
		arguments[i] = &at[i];
	}
	return good;
}

static bool copy_out(struct instruction_test *t, const sov_ptr *at)
{
	bool good = true;

	for (uint32_t i = 0; good && i < t->count; i++) {
		struct test_parameter *p = &t->parameters[i];

		if (p->texture)
			good = must(sov_texture_read(now.context, at[i], p->memory),
				    "reading texels");
		else if (p->buffer)
			good = must(sov_memory_copy(now.context, SOV_HOST(p->memory), at[i],
						    p->count * p->bytes),
				    "copying out");
	}
	return good;
}

static sov_result launch_and_wait(const struct instruction_test *t, sov_function f,
				  const void **arguments)
{
	sov_launch l = SOV_INIT(sov_launch);
	sov_result r;

	l.grid[0] = t->grid, l.grid[1] = l.grid[2] = 1;
	l.block[0] = t->block, l.block[1] = l.block[2] = 1;
	l.shared_bytes = t->shared;
	l.arguments = arguments;
	l.argument_count = t->count;
	r = sov_function_launch(f, &l);
	return r ? r : sov_context_wait(now.context, TIME_LIMIT);
}

static void check_instruction(const char *name, const char *text, size_t length)
{
	struct instruction_test *t = test_read(name, text);
	sov_ptr at[TEST_MAX_PARAMETERS] = {0};
	const void *arguments[TEST_MAX_PARAMETERS];
	sov_module m = NULL;
	sov_function f;
	bool good;

	if (t->unsupported || (t->needs_hopper && !strstr(now.device, "gh100")) ||
	    (t->needs_ada && now.sm < 89) || (t->needs_sm > now.sm && now.sm < 80)) {
		ok(is_rejected(text, length), "%s is rejected as not supported on %s", name,
		   now.device);
		free(t);
		return;
	}
	test_reset(t);
	good = load_kernel(text, length, name, &m, &f) && copy_in(t, at, arguments);
	if (good && t->fails)
		good = launch_and_wait(t, f, arguments) == SOV_ERROR_FAULT &&
		       must(sov_context_reset(now.context), "resetting");
	else if (good)
		good = must(launch_and_wait(t, f, arguments), "running") && copy_out(t, at) &&
		       test_compare(t);
	ok(good, "%s on %s%s: %s", name, now.device, now.serial ? ", serial code" : "", t->title);
	if (sov_context_status(now.context))
		sov_context_reset(now.context);
	for (uint32_t i = 0; i < t->count; i++)
		if (at[i] && t->parameters[i].texture)
			sov_texture_destroy(now.context, at[i]);
		else if (at[i])
			sov_memory_free(now.context, at[i]);
	if (m)
		sov_module_unload(m);
	free(t);
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
	/* RDNA2 takes every .target. */
	now.sm = strncmp(p.target, "sm_", 3) ? 90 : (uint32_t)atoi(p.target + 3);
	for (int serial = 0; serial < (now.sm < 80 ? 1 : 2); serial++) {
		now.serial = serial;
		files_each("tests/userspace/compiler/ptx/instructions", ".ptx", check_instruction);
	}
	ok(must(sov_context_destroy(now.context), "destroying"),
	   "the context of software GPU %u is destroyed", ordinal);
}

int main(void)
{
	uint32_t count = 0;

	soft_gpus("gh100:vram=1G,ga100:vram=1G,gh100:vram=1G:hazard,ga100:vram=1G:hazard,"
		  "ad102:vram=1G:hazard,tu102:vram=1G:hazard,gv100:vram=1G:hazard");
	unsetenv("SOV_VISIBLE_DEVICES");
	ok(must(sov_device_count(&count), "counting") && count >= 7,
	   "at least 7 software GPUs exist");
	for (uint32_t ordinal = 0; ordinal < count; ordinal++)
		run_device(ordinal);
	return tap_done();
}
