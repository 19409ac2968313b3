// SPDX-License-Identifier: MIT
/*
 * Module variables: found by name, initialised at load, accessible from kernels and copies, freed
 * with the module. The module is a hand-made cubin, which also calls a function in another section
 * and reads three constant banks.
 */
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"
#include "tests/userspace/compiler/image/_elf.h"

static sov_context c;
static struct elf e;

static uint64_t peek(sov_ptr address, uint64_t bytes)
{
	uint64_t value = 0;

	MUST(sov_memory_copy(c, SOV_HOST(&value), address, bytes));
	return value;
}

static void run(sov_module m)
{
	sov_launch l = SOV_INIT(sov_launch);
	sov_function f;

	for (int i = 0; i < 3; i++)
		l.grid[i] = l.block[i] = 1;
	MUST(sov_module_get_function(m, "k", &f));
	MUST(sov_function_launch(f, &l));
	MUST(sov_context_wait(c, SOV_FOREVER));
}

static sov_ptr find(sov_module m, const char *name, uint64_t bytes)
{
	sov_ptr address = 0;
	uint64_t size = 0;

	good(sov_module_get_variable(m, name, &address, &size), name);
	ok(address && size == bytes, "a module variable has %llu bytes", (unsigned long long)bytes);
	return address;
}

static void variables(sov_module m)
{
	sov_ptr counter = find(m, "counter", 4), zeroed = find(m, "zeroed", 4096),
		coefs = find(m, "coefs", 16);
	sov_ptr pointer = find(m, "pointer", 8), start;
	uint64_t bytes;
	uint32_t value = 100;

	ok(peek(counter, 4) == 7 && peek(coefs + 4, 4) == 20,
	   "module variables have their initial values");
	ok(!peek(zeroed, 8) && !peek(zeroed + 4088, 8), "uninitialised module variables are zero");
	ok(peek(pointer, 8) == zeroed + 16,
	   "a module variable is initialised with another one's address");
	run(m);
	ok(peek(zeroed, 4) == 27,
	   "a kernel reads global and constant variables and writes a global one");
	ok(peek(zeroed + 4, 4) == 0x22222222,
	   "a function in another section gave it a constant of its own");
	MUST(sov_memory_copy(c, counter, SOV_HOST(&value), 4));
	MUST(sov_memory_fill(c, coefs + 4, 1000, 4, 1));
	run(m);
	ok(peek(zeroed, 4) == 1100, "launches see what was written to module variables");
	good(sov_memory_range(c, counter, &start, &bytes),
	     "sov_memory_range finds a module variable");
	ok(start <= counter && counter + 4 <= start + bytes,
	   "sov_memory_range contains the module variable");
	refused(sov_memory_free(c, start), SOV_ERROR_INVALID_ADDRESS, "belongs to a module",
		"sov_memory_free rejects a module variable");
}

static void refusals(sov_module m)
{
	sov_ptr address;

	refused(sov_module_get_variable(m, "Counter", &address, NULL), SOV_ERROR_NOT_FOUND,
		"the module has no variable 'Counter'; its first of 4 is 'counter'",
		"an unknown variable is not found");
	refused(sov_module_get_variable(m, "k", &address, NULL), SOV_ERROR_NOT_FOUND,
		"no variable 'k'", "a kernel name is not found as a variable");
	refused(sov_module_get_variable(m, NULL, &address, NULL), SOV_ERROR_INVALID_ARGUMENT,
		"name is NULL", "a NULL variable name is rejected");
	good(sov_module_get_variable(m, "counter", NULL, NULL),
	     "address and size of a variable are optional");
}

/* The kernel adds to the host's memory, and the host reads and writes it without copies. */
static void managed(void)
{
	static const char ptx[] =
		PTX_HEADER ".visible .global .attribute(.managed) .align 4 .u32 shared = 5;\n"
			   ".visible .entry more() {\n"
			   "	.reg .b32 %r<2>;\n"
			   "	ld.global.u32 %r1, [shared];\n"
			   "	add.u32 %r1, %r1, 1;\n"
			   "	st.global.u32 [shared], %r1;\n"
			   "	ret;\n"
			   "}\n";
	sov_function f;
	sov_ptr address;
	sov_module m;
	uint32_t *host;

	MUST(sov_module_load(c, ptx, sizeof(ptx) - 1, NULL, &m));
	MUST(sov_module_get_function(m, "more", &f));
	MUST(sov_module_get_variable(m, "shared", &address, NULL));
	host = (uint32_t *)(uintptr_t)address;
	ok(*host == 5, "the host reads a variable with .attribute(.managed)");
	*host = 40;
	MUST(launch(f, NULL, 1, 1, "", NULL));
	MUST(sov_context_wait(c, 60 * SECOND));
	ok(*host == 41, "a kernel and the host share it");
	MUST(sov_module_unload(m));
}

static const char shared_ptx[] =
	PTX_HEADER ".visible .global .attribute(.managed) .align 4 .u32 shared = 7;\n";
static const char user_ptx[] = PTX_HEADER ".extern .global .align 4 .u32 shared;\n"
					  ".visible .entry more() {\n"
					  "	.reg .b32 %r<2>;\n"
					  "	ld.global.u32 %r1, [shared];\n"
					  "	add.u32 %r1, %r1, 1;\n"
					  "	st.global.u32 [shared], %r1;\n"
					  "	ret;\n"
					  "}\n";

/* The host reads 7 where the variable is, and 8 after the kernel. */
static void is_shared(sov_module m, const char *what)
{
	sov_ptr address, start;
	sov_function f;

	MUST(sov_module_get_function(m, "more", &f));
	MUST(sov_module_get_variable(m, "shared", &address, NULL));
	MUST(launch(f, NULL, 1, 1, "", NULL));
	MUST(sov_context_wait(c, 60 * SECOND));
	/* Device memory of a software GPU would be at another address for the process. */
	MUST(sov_memory_range(c, address, &start, NULL));
	ok(sov_memory_map(c, start, &(void *){NULL}) != SOV_OK && peek(address, 4) == 8 &&
		   *(uint32_t *)(uintptr_t)address == 8,
	   "%s", what);
	MUST(sov_module_unload(m));
}

static void managed_linked(void)
{
	const sov_module_input inputs[] = {{"user", user_ptx, sizeof(user_ptx) - 1},
					   {"shared", shared_ptx, sizeof(shared_ptx) - 1}};
	sov_module_options host = SOV_INIT(sov_module_options);
	size_t bytes = 0;
	void *image = NULL;
	sov_module m;

	MUST(sov_module_link(c, inputs, 2, NULL, &m));
	is_shared(m, "a variable with .attribute(.managed) is the host's after sov_module_link");
	refused(sov_module_link_image(c, inputs, 2, NULL, &image, &bytes), SOV_ERROR_UNSUPPORTED,
		"inputs[1] has .attribute(.managed), which images do not keep",
		"sov_module_link_image names the input whose variables an image would not keep");
	ok(!image && !bytes, "and makes no image");
	host.flags = SOV_MODULE_HOST_VARIABLES;
	good(sov_module_link_image(c, inputs, 2, &host, &image, &bytes),
	     "with SOV_MODULE_HOST_VARIABLES it makes one");
	MUST(sov_module_load(c, image, bytes, &host, &m));
	is_shared(m, "the variables of an image are the host's with the flag");
	free(image);
}

/* With the flag, PTX that does not have the attribute is linked so, too. */
static void flag_linked(void)
{
	char plain[sizeof(shared_ptx)];
	sov_module_options host = SOV_INIT(sov_module_options);
	char *attribute;
	sov_module m;

	memcpy(plain, shared_ptx, sizeof(plain));
	attribute = strstr(plain, ".attribute(.managed)");
	memset(attribute, ' ', strlen(".attribute(.managed)"));
	host.flags = SOV_MODULE_HOST_VARIABLES;
	MUST(sov_module_link(c,
			     (const sov_module_input[]){{"user", user_ptx, sizeof(user_ptx) - 1},
							{"plain", plain, sizeof(plain) - 1}},
			     2, &host, &m));
	is_shared(m, "SOV_MODULE_HOST_VARIABLES is honoured by sov_module_link");
}

int main(void)
{
	sov_module m, again;
	sov_ptr counter, other;

	soft_gpus("gh100:vram=512M:hazard");
	c = context_on("gh100.0", 0);
	elf_make(&e);
	MUST(sov_module_load(c, e.file, e.size, NULL, &m));
	variables(m);
	refusals(m);
	MUST(sov_module_load(c, e.file, e.size, NULL, &again));
	MUST(sov_module_get_variable(m, "counter", &counter, NULL));
	MUST(sov_module_get_variable(again, "counter", &other, NULL));
	ok(counter != other && peek(counter, 4) == 100 && peek(other, 4) == 7,
	   "each loaded module has separate variables");
	good(sov_module_unload(m), "a module with variables can be unloaded");
	refused(sov_memory_fill(c, counter, 0, 4, 1), SOV_ERROR_INVALID_ADDRESS, "freed",
		"variables are freed with their module");
	refused(sov_module_get_variable(m, "counter", &counter, NULL), SOV_ERROR_INVALID_HANDLE,
		"destroyed", "variables of an unloaded module are not found");
	ok(peek(other, 4) == 7, "unloading a module keeps another module's variables");
	managed();
	managed_linked();
	flag_linked();
	good(sov_context_destroy(c), "a context with loaded modules can be destroyed");
	return tap_done();
}
