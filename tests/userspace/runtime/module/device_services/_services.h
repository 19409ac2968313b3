/* SPDX-License-Identifier: MIT */
/* Shared by the tests of device services: a context that collects printf output. */
#include "tests/userspace/runtime/_api.h"

struct printed {
	char text[1 << 20];
	size_t count;
	uint64_t calls, bytes;
};

UNUSED static void collect(void *user, const char *text, size_t bytes)
{
	struct printed *p = user;
	size_t n = sizeof(p->text) - 1 - p->count;

	if (bytes < n)
		n = bytes;
	memcpy(p->text + p->count, text, n);
	p->count += n;
	p->text[p->count] = 0;
	p->bytes += bytes;
	p->calls++;
}

UNUSED static sov_context services_context(uint32_t device, struct printed *p, uint64_t print_bytes,
					   uint64_t heap_bytes)
{
	sov_context_options o = SOV_INIT(sov_context_options);
	sov_context c;
	sov_device d;

	o.print = collect;
	o.print_user = p;
	o.print_bytes = print_bytes;
	o.heap_bytes = heap_bytes;
	MUST(sov_device_open(device, &d));
	MUST(sov_context_create(d, &o, &c));
	return c;
}

UNUSED static sov_module services_module(sov_context c)
{
	size_t bytes;
	char *text =
		read_file("tests/userspace/runtime/module/device_services/_kernels.ptx", &bytes);
	sov_module m = module_from(c, text, bytes, 0);

	free(text);
	return m;
}

UNUSED static sov_result start(sov_module m, const char *name, uint32_t grid, uint32_t block,
			       const void *const *arguments, uint32_t count)
{
	sov_launch l = SOV_INIT(sov_launch);
	sov_function f;

	MUST(sov_module_get_function(m, name, &f));
	l.grid[0] = grid;
	l.block[0] = block;
	l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = count;
	return sov_function_launch(f, &l);
}
