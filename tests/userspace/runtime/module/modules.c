// SPDX-License-Identifier: MIT
/* Modules and functions: valid and rejected programs, and function attributes. */
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"
#include "libsov/compiler/driver/compiler.h"

static sov_context c;

static void functions(void)
{
	size_t bytes;
	char *text = read_file("tests/kernels/reduce.ptx", &bytes);
	sov_module m = module_from(c, text, bytes, 0);
	sov_function_attributes a = SOV_INIT(sov_function_attributes);
	sov_function f, first;
	uint32_t offset, size;

	is_str(sov_module_messages(), "", "a valid module has no compiler messages");
	MUST(sov_module_get_function(m, "reduce_f64", &f));
	MUST(sov_function_get_attributes(f, &a));
	is_str(a.name, "reduce_f64", "function attributes have the name");
	ok(a.shared_bytes == 256, "function attributes have the static shared memory");
	ok(a.parameters == 3 && a.parameter_bytes == 24 && !a.local_bytes,
	   "function attributes have the parameters");
	ok(a.registers > 8 && a.registers < 64 && a.code_bytes > 256 && !(a.code_bytes % 4) &&
		   a.max_threads_per_block == 1024,
	   "function attributes have registers, code size and thread limit");
	ok(!sov_function_get_parameter(f, 2, &offset, &size) && offset == 16 && size == 8,
	   "the third parameter has offset 16 and 8 bytes");
	ok(!sov_function_get_parameter(f, 0, &offset, &size) && !offset && size == 4,
	   "the first parameter has offset 0 and 4 bytes");
	refused(sov_function_get_parameter(f, 3, &offset, &size), SOV_ERROR_NOT_FOUND,
		"kernel 'reduce_f64' has 3 parameters; there is no index 3",
		"a parameter index past the end is not found");
	refused(sov_module_get_function(m, "reduce_f16", &f), SOV_ERROR_NOT_FOUND,
		"the module has no kernel 'reduce_f16'; its first of 2 is 'reduce_f32'",
		"an unknown kernel name is not found");
	MUST(sov_module_get_function_at(m, 0, &first));
	MUST(sov_module_get_function(m, "reduce_f32", &f));
	ok(first == f, "a function can be looked up by index");
	refused(sov_module_get_function_at(m, 2, &f), SOV_ERROR_NOT_FOUND,
		"the module has 2 kernels", "a kernel index past the end is not found");
	good(sov_module_unload(m), "a module can be unloaded");
	refused(sov_function_get_attributes(first, &a), SOV_ERROR_INVALID_HANDLE,
		"that was destroyed", "a function handle is invalid after its module is unloaded");
	refused(sov_module_get_function_at(m, 0, &f), SOV_ERROR_INVALID_HANDLE,
		"that was destroyed", "a module handle is invalid after it is unloaded");
	free(text);
}

static void refusals(void)
{
	static const char bad[] = PTX_HEADER ".visible .entry k(.param .u64 p) {\n"
					     "	.reg .b32 %r<3>;\n"
					     "	frobnicate.u32 %r1, %r2;\n"
					     "	add.u32 %r1, %r9, 1;\n"
					     "	ret;\n"
					     "}\n";
	static const uint32_t spirv[] = {0x07230203, 0x00010500, 0, 8, 0};
	static const uint32_t swapped[] = {0x03022307, 0};
	static const uint32_t fat[] = {0xba55ed50, 0x00100001};
	sov_module_options o = SOV_INIT(sov_module_options);
	sov_module m;
	const char *newline;

	refused(sov_module_load(c, bad, strlen(bad), NULL, &m), SOV_ERROR_INVALID_SOURCE,
		"ptx: 6:", "invalid PTX is rejected with line and column");
	ok(strstr(sov_last_error(), "frobnicate") && !strchr(sov_last_error(), '\n'),
	   "the error message is the compiler's first message");
	newline = strchr(sov_module_messages(), '\n');
	ok(newline && strstr(newline, "ptx: 7:"), "sov_module_messages has all compiler messages");
	refused(sov_module_load(c, spirv, sizeof(spirv), NULL, &m), SOV_ERROR_INVALID_SOURCE,
		"spirv: ", "SPIR-V is recognised and checked");
	refused(sov_module_load(c, swapped, sizeof(swapped), NULL, &m), SOV_ERROR_INVALID_SOURCE,
		"spirv: 8 bytes are less than the header's 20",
		"byte-swapped SPIR-V is recognised and checked");
	refused(sov_module_load(c, fat, sizeof(fat), NULL, &m), SOV_ERROR_UNSUPPORTED,
		"this is a fat binary", "a fat binary is recognised and rejected");
	refused(sov_module_load(c, "\177ELF rubbish", 12, NULL, &m), SOV_ERROR_INVALID_SOURCE,
		"cubin: ", "an invalid ELF file is rejected");
	ok(strstr(sov_module_messages(), "cubin: "),
	   "the error of an invalid ELF file is in sov_module_messages");
	refused(sov_module_load(c, PTX_ADD, strlen(PTX_ADD) + 1, NULL, &m),
		SOV_ERROR_INVALID_SOURCE, "zero byte at offset",
		"PTX that includes its terminator is rejected");
	refused(sov_module_load(c, "hello", 5, NULL, &m), SOV_ERROR_INVALID_SOURCE,
		"ptx: 1:1: ", "other text is rejected as PTX");
	refused(sov_module_load(c, NULL, 5, NULL, &m), SOV_ERROR_INVALID_ARGUMENT, "data is NULL",
		"no data");
	refused(sov_module_load(c, "", 0, NULL, &m), SOV_ERROR_INVALID_ARGUMENT, "bytes is 0",
		"loading 0 bytes is rejected");
	o.flags = 24;
	refused(sov_module_load(c, PTX_ADD, strlen(PTX_ADD), &o, &m), SOV_ERROR_INVALID_ARGUMENT,
		"known: SOV_MODULE_SERIAL", "an unknown module flag is rejected");
	good(sov_context_status(c), "rejected modules do not fail the context");
	MUST(sov_module_load(c, PTX_ADD, strlen(PTX_ADD), NULL, &m));
	is_str(sov_module_messages(), "", "a successful load clears the compiler messages");
	MUST(sov_module_unload(m));
}

/* An image for another vendor's GPU. */
static void foreign(void)
{
	bool here = strcmp(soft_target(), "gfx1030");
	struct compile_options o = {.source = COMPILE_PTX, .target = here ? "gfx1030" : "sm_90"};
	struct compile_result r;
	sov_module m;

	if (!compile(PTX_ADD, strlen(PTX_ADD), &o, &r))
		exit(ok(false, "the compiler works for %s", o.target));
	refused(sov_module_load(c, r.image, r.image_size, NULL, &m), SOV_ERROR_INVALID_SOURCE,
		here ? "the image is for gfx1030; gh100.0 runs sm_90"
		     : "the image is for sm_90; gh100.0 runs ",
		"another vendor's image is rejected");
	compile_result_free(&r);
}

static void images(void)
{
	struct compile_options o = {.source = COMPILE_PTX, .target = "sm_80"};
	struct compile_result ampere, hopper;
	sov_module_options serial = SOV_INIT(sov_module_options);
	uint32_t n = 5, got = 0;
	sov_function f;
	sov_module m;
	sov_ptr p;

	if (!compile(PTX_ADD, strlen(PTX_ADD), &o, &ampere))
		exit(ok(false, "the compiler works for sm_80"));
	o.target = soft_target();
	if (!compile(PTX_ADD, strlen(PTX_ADD), &o, &hopper))
		exit(ok(false, "the compiler works for this machine"));
	refused(sov_module_load(c, ampere.image, ampere.image_size, NULL, &m),
		SOV_ERROR_INVALID_SOURCE, "the image is for sm_80; gh100.0 runs ",
		"an image for another target is rejected");
	serial.flags = SOV_MODULE_SERIAL;
	refused(sov_module_load(c, hopper.image, hopper.image_size, &serial, &m),
		SOV_ERROR_INVALID_ARGUMENT, "an image is run as it is",
		"compile flags are rejected for an image");
	good(sov_module_load(c, hopper.image, hopper.image_size, NULL, &m),
	     "an image for the device's target is loaded");
	memset(hopper.image, 0xcc, hopper.image_size);
	compile_result_free(&ampere);
	compile_result_free(&hopper);
	MUST(sov_module_get_function(m, "add", &f));
	MUST(sov_memory_alloc(c, 4, &p));
	MUST(sov_memory_fill(c, p, 37, 4, 1));
	MUST(launch(f, NULL, 1, 1, "84", ARGUMENTS(&p, &n)));
	MUST(sov_memory_copy(c, SOV_HOST(&got), p, 4));
	ok(got == 42, "a loaded image runs after the caller freed its copy");
	MUST(sov_memory_free(c, p));
}

/* A module is unloaded after its launches; new code at the same address must not hit stale
 * caches. */
static void load_and_unload(void)
{
	uint32_t i, got = 0;
	sov_ptr p;

	MUST(sov_memory_alloc(c, 4, &p));
	MUST(sov_memory_fill(c, p, 0, 4, 1));
	for (i = 1; i <= 50; i++) {
		char text[512];
		sov_module m;
		sov_function f;

		snprintf(text, sizeof(text),
			 PTX_HEADER
			 ".visible .entry k(.param .u64 p) {\n	.reg .b32 %%r<3>;\n	.reg .b64 "
			 "%%a<3>;\n"
			 "	ld.param.u64 %%a1, [p];\n	cvta.to.global.u64 %%a2, %%a1;\n"
			 "	ld.global.u32 %%r1, [%%a2];\n	add.u32 %%r2, %%r1, %u;\n"
			 "	st.global.u32 [%%a2], %%r2;\n	ret;\n}\n",
			 i);
		m = module_from(c, text, strlen(text), 0);
		MUST(sov_module_get_function(m, "k", &f));
		MUST(launch(f, NULL, 1, 1, "8", ARGUMENTS(&p)));
		MUST(sov_module_unload(m));
	}
	MUST(sov_memory_copy(c, SOV_HOST(&got), p, 4));
	ok(got == 50 * 51 / 2, "modules can be loaded, launched and unloaded repeatedly");
	MUST(sov_memory_free(c, p));
}

/* PTX modules need not have a kernel. */
static void without_kernels(void)
{
	static const char variable[] = PTX_HEADER ".visible .global .u32 answer = 42;\n";
	uint32_t got = 0;
	uint64_t bytes;
	sov_function f;
	sov_module m;
	sov_ptr p;

	good(sov_module_load(c, PTX_HEADER, strlen(PTX_HEADER), NULL, &m),
	     "an empty module is loaded");
	refused(sov_module_get_function_at(m, 0, &f), SOV_ERROR_NOT_FOUND,
		"the module has 0 kernels", "an empty module has no kernel at index 0");
	refused(sov_module_get_function(m, "k", &f), SOV_ERROR_NOT_FOUND,
		"the module has no kernels; load the one that defines 'k'",
		"an empty module has no kernel k");
	MUST(sov_module_unload(m));
	MUST(sov_module_load(c, variable, strlen(variable), NULL, &m));
	MUST(sov_module_get_variable(m, "answer", &p, &bytes));
	MUST(sov_memory_copy(c, SOV_HOST(&got), p, 4));
	ok(bytes == 4 && got == 42, "a module without kernels has its variables");
	MUST(sov_module_unload(m));
}

int main(void)
{
	soft_gpus("gh100:vram=256M");
	c = context_on("gh100.0", 0);
	functions();
	refusals();
	images();
	foreign();
	without_kernels();
	load_and_unload();
	MUST(sov_context_destroy(c));
	return tap_done();
}
