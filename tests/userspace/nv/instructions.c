// SPDX-License-Identifier: MIT
/*
 * Every one-instruction file of the PTX tests as machine code: compiled for sm_90 and sm_80, in
 * default and serial mode, with every check of the back end on, and run on software GPUs that check
 * hazards. What must come out stands in the files. A few need what the back end does not have; they
 * must be refused in so many words.
 */
#include "libsov/compiler/compiler.h"
#include "libsov/sov.h"
#include "tests/userspace/ptx/_instructions.h"

static sov_device device;
static sov_device_properties properties = SOV_INIT(sov_device_properties);
static bool serial;

static const char *const unsupported[] = {
	"div_u64.ptx", "ld_const.ptx", "ld_global_variable.ptx", "ld_st_local.ptx"};

static bool is_unsupported(const char *name)
{
	for (size_t i = 0; i < sizeof(unsupported) / sizeof(unsupported[0]); i++) {
		if (!strcmp(name, unsupported[i]))
			return true;
	}
	return false;
}

static bool must(sov_result r, const char *doing)
{
	if (r)
		diag("%s: %s: %s", doing, sov_result_name(r), sov_last_error());
	return !r;
}

static uint64_t bytes_of(const struct test_parameter *p)
{
	return (uint64_t)p->count * p->bytes;
}

/* Buffers in, launch, buffers out. */
static bool run_function(struct instruction_test *t, sov_context c, sov_function f)
{
	uint64_t addresses[TEST_MAX_PARAMETERS];
	const void *arguments[TEST_MAX_PARAMETERS];
	sov_launch l = SOV_INIT(sov_launch);
	bool good = true, ran;

	for (uint32_t i = 0; i < t->count; i++) {
		struct test_parameter *p = &t->parameters[i];

		arguments[i] = p->buffer ? (void *)&addresses[i] : p->memory;
		if (p->buffer)
			good &= must(sov_memory_alloc(c, bytes_of(p), &addresses[i]),
				     "allocating") &&
				must(sov_memory_copy(c, addresses[i], SOV_HOST(p->memory),
						     bytes_of(p)),
				     "copying in");
	}
	l.grid[0] = t->grid, l.grid[1] = l.grid[2] = 1;
	l.block[0] = t->block, l.block[1] = l.block[2] = 1;
	l.shared_bytes = t->shared;
	l.arguments = arguments;
	l.argument_count = t->count;
	ran = good && must(sov_function_launch(f, &l), "launching");
	if (ran && t->fails)
		return sov_context_wait(c, SOV_MAX_WAIT) != SOV_OK;
	ran = ran && must(sov_context_wait(c, SOV_MAX_WAIT), "running");
	for (uint32_t i = 0; ran && i < t->count; i++) {
		struct test_parameter *p = &t->parameters[i];

		if (p->buffer)
			ran = must(
				sov_memory_copy(c, SOV_HOST(p->memory), addresses[i], bytes_of(p)),
				"copying out");
	}
	return ran && test_compare(t);
}

static bool run_image(struct instruction_test *t, const struct compile_result *r)
{
	sov_context c;
	sov_module m;
	sov_function f;
	bool good;

	if (!must(sov_context_create(device, NULL, &c), "creating a context"))
		return false;
	test_reset(t);
	good = must(sov_module_load(c, r->image, r->image_size, NULL, &m), "loading") &&
	       must(sov_module_get_function(m, r->stats[0].name, &f), "looking for the kernel") &&
	       run_function(t, c, f);
	return must(sov_context_destroy(c), "destroying") && good;
}

static void check(const char *name, const char *text, size_t length)
{
	struct compile_options o = {.source = COMPILE_PTX, .target = properties.target,
				    .serial = serial, .verify = true};
	struct instruction_test *t = test_read(name, text);
	struct compile_result r;
	bool compiled = compile(text, length, &o, &r);

	if (is_unsupported(name))
		ok(!compiled && strstr(r.messages, " is not supported on "),
		   "%s is refused for %s%s", name, properties.target, serial ? ", serial" : "");
	else if (!ok(compiled && run_image(t, &r), "%s for %s%s: %s", name, properties.target,
		     serial ? ", serial" : "", t->promise))
		diag("%s", r.messages);
	compile_result_free(&r);
	free(t);
}

int main(void)
{
	setenv("SOV_SOFT", "gh100:vram=64M:hazard,ga100:vram=64M:hazard", 1);
	unsetenv("SOV_VISIBLE_DEVICES");
	for (uint32_t ordinal = 0; ordinal < 2; ordinal++) {
		if (!must(sov_device_open(ordinal, &device), "opening") ||
		    !must(sov_device_get_properties(device, &properties), "asking"))
			return 1;
		for (serial = false;; serial = true) {
			files_each("tests/userspace/ptx/instructions", ".ptx", check);
			if (serial)
				break;
		}
	}
	return tap_done();
}
