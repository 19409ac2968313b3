// SPDX-License-Identifier: MIT
/*
 * Kernels of one shape and a large size (_shapes.h) compile in little memory and CPU time: each
 * limit is many times what the compiler needs, and an algorithm that is quadratic with a large
 * constant, or cubic, exceeds one of them.
 *
 *	growth			the test
 *	growth SHAPE N		prints the PTX of a shape and size
 *	growth list		prints the names of the shapes
 */
#include "tests/tap.h"
#include "tests/userspace/compiler/driver/_limited.h"
#include "tests/userspace/compiler/driver/_shapes.h"

#define CPU_SECONDS  (4 * TAP_SLOWNESS)
#define MEMORY_BYTES ((size_t)256 << 20)
#define COUNT(a)     (sizeof(a) / sizeof((a)[0]))

/* Shapes that also compile with the verifiers. */
static const char *const verified_shapes[] = {"sharing-kernels", "functions"};
#define VERIFIED_SIZE 1000

static void compile_shape(const struct shape *s, uint32_t n, const char *target, bool verify)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int status;

	s->write(f, n);
	if (fclose(f))
		abort();
	status = compile_limited(text, size, target, MEMORY_BYTES, CPU_SECONDS, verify);
	ok(!status, "%u %s compile for %s within %zu MiB and %d s of CPU time%s", n, s->is, target,
	   MEMORY_BYTES >> 20, CPU_SECONDS, verify ? ", verified after every pass" : "");
	if (status)
		diag("status %d", status);
	free(text);
}

static int print_shape(int argc, char **argv)
{
	for (uint32_t k = 0; k < COUNT(growth_shapes); k++) {
		if (argc == 2)
			printf("%s\n", growth_shapes[k].name);
		else if (!strcmp(argv[1], growth_shapes[k].name))
			return growth_shapes[k].write(stdout, (uint32_t)atoi(argv[2])), 0;
	}
	return argc != 2;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return print_shape(argc, argv);
	for (uint32_t k = 0; k < COUNT(growth_shapes); k++) {
		const struct shape *s = &growth_shapes[k];

		if (s->nv)
			compile_shape(s, s->nv / TAP_SLOWNESS, "sm_90", false);
		if (s->amd)
			compile_shape(s, s->amd / TAP_SLOWNESS, "gfx1030", false);
		for (uint32_t v = 0; v < COUNT(verified_shapes); v++) {
			if (strcmp(s->name, verified_shapes[v]))
				continue;
			compile_shape(s, VERIFIED_SIZE / TAP_SLOWNESS, "sm_90", true);
			compile_shape(s, VERIFIED_SIZE / TAP_SLOWNESS, "gfx1030", true);
		}
	}
	return tap_done();
}
