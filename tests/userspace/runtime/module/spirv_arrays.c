// SPDX-License-Identifier: MIT
/*
 * Arrays of descriptors without a length on soft Hopper and Navi 21, one of which a pointer
 * selects: their memory is an argument, or a layout of descriptors says where they lie.
 * spirv-as of spirv_options/arrays.spvasm makes the binary.
 */
#include "libsov/sov.h"
#include "tests/soft.h"
#include "tests/tap.h"
#include "tests/userspace/compiler/ptx/_files.h"

#define SPV     "tests/userspace/runtime/module/spirv_options/arrays.spv"
#define THREADS 4u
#define BLOCKS  3u
#define STRIDE  32u /* of the layout's descriptors */
#define WAIT    UINT64_C(20000000000)

static char *binary;
static size_t bytes;

static bool must(sov_result r, const char *doing)
{
	if (r)
		diag("%s: %s: %s", doing, sov_result_name(r), sov_last_error());
	return !r;
}

struct memory {
	sov_ptr words, out, tight, sets[2];
};

/* Word i of block n of array k is 1000 k + 100 n + i. */
static bool fill(sov_context c, struct memory *m)
{
	uint32_t words[2][BLOCKS][THREADS];
	uint64_t tight[2][BLOCKS][2], wide[2][BLOCKS][STRIDE / 8] = {0}, out[2];

	if (!must(sov_memory_alloc(c, sizeof(words), &m->words), "allocating") ||
	    !must(sov_memory_alloc(c, 4 * THREADS, &m->out), "allocating") ||
	    !must(sov_memory_alloc(c, sizeof(tight), &m->tight), "allocating") ||
	    !must(sov_memory_alloc(c, sizeof(wide), &m->sets[0]), "allocating") ||
	    !must(sov_memory_alloc(c, sizeof(out), &m->sets[1]), "allocating"))
		return false;
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t n = 0; n < BLOCKS; n++) {
			for (uint32_t i = 0; i < THREADS; i++)
				words[k][n][i] = 1000 * k + 100 * n + i;
			tight[k][n][0] = m->words + 4 * THREADS * (k * BLOCKS + n);
			tight[k][n][1] = 4 * THREADS;
			memcpy(wide[k][n], tight[k][n], 16);
		}
	out[0] = m->out;
	out[1] = 4 * THREADS;
	return must(sov_memory_copy(c, m->words, SOV_HOST(words), sizeof(words)), "copying") &&
	       must(sov_memory_copy(c, m->tight, SOV_HOST(tight), sizeof(tight)), "copying") &&
	       must(sov_memory_copy(c, m->sets[0], SOV_HOST(wide), sizeof(wide)), "copying") &&
	       must(sov_memory_copy(c, m->sets[1], SOV_HOST(out), sizeof(out)), "copying");
}

static bool run(sov_context c, sov_module m, const struct memory *mem, const void *const *arguments,
		uint32_t count, const uint32_t push[2])
{
	sov_launch l = SOV_INIT(sov_launch);
	uint32_t got[THREADS];
	sov_function f;
	bool good;

	l.grid[0] = l.grid[1] = l.grid[2] = 1;
	l.arguments = arguments;
	l.argument_count = count;
	good = must(sov_memory_fill(c, mem->out, 7, 4, THREADS), "filling") &&
	       must(sov_module_get_function(m, "main", &f), "looking for the kernel") &&
	       must(sov_function_launch(f, &l), "launching") &&
	       must(sov_context_wait(c, WAIT), "running") &&
	       must(sov_memory_copy(c, SOV_HOST(got), mem->out, sizeof(got)), "copying back");
	for (uint32_t i = 0; good && i < THREADS; i++) {
		uint32_t want = 7 + 1000 * push[0] + 100 * push[1] + i + 1000 + i;

		if (got[i] != want)
			diag("word %u is %u, not %u", i, got[i], want);
		good = got[i] == want;
	}
	return good;
}

static void check(sov_context c, const char *device, const struct memory *mem, bool layout)
{
	static const sov_spirv_binding bindings[] = {
		{0, 0, 0, STRIDE, 0, 0}, {0, 1, BLOCKS * STRIDE, STRIDE, 0, 0}, {1, 0, 0, 0, 0, 0}};
	sov_ptr arrays[2] = {mem->tight, mem->tight + BLOCKS * sizeof(sov_buffer)};
	sov_buffer out = {mem->out, 4 * THREADS};
	uint32_t push[2];
	const void *described[] = {&mem->sets[0], &mem->sets[1], push};
	const void *plain[] = {&arrays[0], &arrays[1], &out, push};
	sov_spirv_options s = SOV_INIT(sov_spirv_options);
	sov_module_options o = SOV_INIT(sov_module_options);
	sov_module m = NULL;
	bool good;

	s.flags = layout ? SOV_SPIRV_LAYOUT : 0;
	s.bindings = layout ? bindings : NULL;
	s.binding_count = layout ? 3 : 0;
	o.spirv = &s;
	good = must(sov_module_load(c, binary, bytes, &o, &m), "loading");
	for (push[0] = 0; push[0] < 2; push[0]++)
		for (push[1] = 0; push[1] < BLOCKS; push[1]++)
			good = good &&
			       run(c, m, mem, layout ? described : plain, layout ? 3 : 4, push);
	ok(good, "%s: a pointer selects one of two arrays of descriptors %s", device,
	   layout ? "of a layout" : "whose addresses are arguments");
	if (m)
		sov_module_unload(m);
}

int main(void)
{
	uint32_t count = 0;

	soft_gpus("gh100:vram=1G,navi21:vram=1G");
	unsetenv("SOV_VISIBLE_DEVICES");
	binary = file_read(SPV, &bytes);
	ok(must(sov_device_count(&count), "counting") && count >= 2, "there are two devices");
	for (uint32_t k = 0; k < count; k++) {
		sov_device_properties p = SOV_INIT(sov_device_properties);
		struct memory mem;
		sov_context c;
		sov_device d;

		if (!ok(must(sov_device_open(k, &d), "opening") &&
				must(sov_device_get_properties(d, &p), "asking") &&
				must(sov_context_create(d, NULL, &c), "creating a context") &&
				fill(c, &mem),
			"device %u is ready", k))
			continue;
		check(c, p.name, &mem, false);
		check(c, p.name, &mem, true);
		sov_context_destroy(c);
	}
	free(binary);
	return tap_done();
}
