// SPDX-License-Identifier: MIT
/*
 * Variables of a module: found by name, initialised when it is loaded, read and written from both
 * sides, gone with it. The module is a cubin made by hand, which also calls a function in another
 * section and reads three constant banks.
 */
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/compiler/nv/_elf.h"

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
	MUST(sov_context_wait(c, SOV_MAX_WAIT));
}

static sov_ptr find(sov_module m, const char *name, uint64_t bytes)
{
	sov_ptr address = 0;
	uint64_t size = 0;

	good(sov_module_get_variable(m, name, &address, &size), name);
	ok(address && size == bytes, "it has %llu bytes", (unsigned long long)bytes);
	return address;
}

static void variables(sov_module m)
{
	sov_ptr counter = find(m, "counter", 4), zeroed = find(m, "zeroed", 4096),
		coefs = find(m, "coefs", 16);
	sov_ptr pointer = find(m, "pointer", 8), start;
	uint64_t bytes;
	uint32_t value = 100;

	ok(peek(counter, 4) == 7 && peek(coefs + 4, 4) == 20, "they have their initial values");
	ok(!peek(zeroed, 8) && !peek(zeroed + 4088, 8), "or are zero");
	ok(peek(pointer, 8) == zeroed + 16, "one holds the address of another");
	run(m);
	ok(peek(zeroed, 4) == 27, "a kernel reads global and constant ones and writes the first");
	ok(peek(zeroed + 4, 4) == 0x22222222,
	   "a function in another section gave it a constant of its own");
	MUST(sov_memory_copy(c, counter, SOV_HOST(&value), 4));
	MUST(sov_memory_fill(c, coefs + 4, 1000, 4, 1));
	run(m);
	ok(peek(zeroed, 4) == 1100, "what is written to them is seen by later launches");
	good(sov_memory_range(c, counter, &start, &bytes), "their memory is known");
	ok(start <= counter && counter + 4 <= start + bytes, "and holds them");
	refused(sov_memory_free(c, start), SOV_ERROR_INVALID_ADDRESS, "belongs to a module",
		"it cannot be freed");
}

static void refusals(sov_module m)
{
	sov_ptr address;

	refused(sov_module_get_variable(m, "Counter", &address, NULL), SOV_ERROR_NOT_FOUND,
		"the module has no variable 'Counter'; its first of 4 is 'counter'",
		"a variable that is not there");
	refused(sov_module_get_variable(m, "k", &address, NULL), SOV_ERROR_NOT_FOUND,
		"no variable 'k'", "a kernel is no variable");
	refused(sov_module_get_variable(m, NULL, &address, NULL), SOV_ERROR_INVALID_ARGUMENT,
		"name is NULL", "no name");
	good(sov_module_get_variable(m, "counter", NULL, NULL), "nothing need be asked for");
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
	   "each load has variables of its own");
	good(sov_module_unload(m), "the module goes");
	refused(sov_memory_fill(c, counter, 0, 4, 1), SOV_ERROR_INVALID_ADDRESS, "freed",
		"and its variables with it");
	refused(sov_module_get_variable(m, "counter", &counter, NULL), SOV_ERROR_INVALID_HANDLE,
		"destroyed", "nothing can be asked of it");
	ok(peek(other, 4) == 7, "the other's stay");
	good(sov_context_destroy(c), "a context goes with modules in it");
	return tap_done();
}
