// SPDX-License-Identifier: MIT
/*
 * Options of SPIR-V modules on soft Hopper and Navi 21: specialisation constants, a layout of
 * descriptors in memory with an inline uniform block, robust access, a base workgroup, the choice
 * of an entry point, the kernel's own block; and messages for options that are wrong.
 */
#include "libsov/sov.h"
#include "tests/soft.h"
#include "tests/tap.h"
#include "tests/userspace/compiler/ptx/_files.h"

#define SPV     "tests/userspace/runtime/module/spirv_options/options.spv"
#define THREADS 8u
#define COUNT   16u /* words of a buffer */
#define WAIT    UINT64_C(20000000000)

static bool must(sov_result r, const char *doing)
{
	if (r)
		diag("%s: %s: %s", doing, sov_result_name(r), sov_last_error());
	return !r;
}

static char *binary;
static size_t bytes;

static const uint32_t factor = 5, yes = 1, threads = THREADS;
static const sov_spirv_constant constants[] = {{0, 4, &factor}, {1, 4, &yes}, {3, 4, &threads}};
static const sov_spirv_binding bindings[] = {
	{0, 0, 0, 32, 0, 0}, {2, 1, 16, 0, 0, 0}, {2, 4, 32, 0, SOV_SPIRV_BINDING_INLINE, 0}};

static sov_spirv_options options(uint32_t flags)
{
	sov_spirv_options o = SOV_INIT(sov_spirv_options);

	o.flags = flags;
	o.constants = constants;
	o.constant_count = 3;
	if (flags & SOV_SPIRV_LAYOUT) {
		o.bindings = bindings;
		o.binding_count = 3;
	}
	return o;
}

static sov_result load(sov_context c, const sov_spirv_options *s, sov_module *m)
{
	sov_module_options o = SOV_INIT(sov_module_options);

	o.spirv = s;
	return sov_module_load(c, binary, bytes, &o, m);
}

struct memory {
	sov_ptr a[2], r, u, set0, set2;
};

static bool fill(sov_context c, struct memory *m)
{
	uint32_t words[COUNT], uniform[4] = {1, 20, 3, 4};
	uint64_t set0[8] = {0}, set2[6] = {0};
	bool good = true;

	for (int k = 0; k < 2; k++) {
		for (uint32_t i = 0; i < COUNT; i++)
			words[i] = 100 * (uint32_t)k + i;
		good &= must(sov_memory_alloc(c, sizeof(words), &m->a[k]), "allocating") &&
			must(sov_memory_copy(c, m->a[k], SOV_HOST(words), sizeof(words)),
			     "copying");
		set0[4 * k] = m->a[k];
		set0[4 * k + 1] = 12 * 4; /* the last four words are out of bounds */
	}
	good &= must(sov_memory_alloc(c, 4096, &m->r), "allocating") &&
		must(sov_memory_fill(c, m->r, 7, 4, 1024), "filling") &&
		must(sov_memory_alloc(c, 16, &m->u), "allocating") &&
		must(sov_memory_copy(c, m->u, SOV_HOST(uniform), 16), "copying") &&
		must(sov_memory_alloc(c, sizeof(set0), &m->set0), "allocating") &&
		must(sov_memory_copy(c, m->set0, SOV_HOST(set0), sizeof(set0)), "copying") &&
		must(sov_memory_alloc(c, sizeof(set2), &m->set2), "allocating");
	set2[2] = m->r;
	set2[3] = 20 * 4;
	memcpy(&set2[4], uniform, 16);
	return good && must(sov_memory_copy(c, m->set2, SOV_HOST(set2), sizeof(set2)), "copying");
}

/* Launches with these arguments and the kernel's own block; compares up to 20 words of r, and of 21
 * the last one with r[100]. */
static bool run(sov_context c, sov_module m, const struct memory *mem, uint32_t groups,
		const void *const *arguments, uint32_t count, const uint32_t *want, uint32_t words)
{
	sov_launch l = SOV_INIT(sov_launch);
	uint32_t got[1024];
	sov_function f;
	bool good;

	l.grid[0] = groups;
	l.grid[1] = l.grid[2] = 1;
	l.arguments = arguments;
	l.argument_count = count;
	good = must(sov_module_get_function(m, "main", &f), "looking for the kernel") &&
	       must(sov_function_launch(f, &l), "launching") &&
	       must(sov_context_wait(c, WAIT), "running") &&
	       must(sov_memory_copy(c, SOV_HOST(got), mem->r, sizeof(got)), "copying back");
	for (uint32_t k = 0; good && k < words && k < 20; k++)
		if (got[k] != want[k]) {
			diag("r[%u] is %u, not %u", k, got[k], want[k]);
			good = false;
		}
	if (good && words > 20 && got[100] != want[20]) {
		diag("r[100] is %u, not %u", got[100], want[20]);
		good = false;
	}
	return must(sov_memory_fill(c, mem->r, 7, 4, 1024), "filling") && good;
}

static void check_arguments(sov_context c, const char *device, const struct memory *mem)
{
	sov_buffer a[2] = {{mem->a[0], 64}, {mem->a[1], 64}}, r = {mem->r, 4096}, u = {mem->u, 16};
	uint32_t which = 1, want[21];
	const void *arguments[] = {a, &r, &u, &which};
	sov_spirv_options o = options(0);
	sov_module m;

	for (uint32_t k = 0; k < 20; k++)
		want[k] = k < 16 ? (100 + k) * 5 + 1000 + 20 : 7;
	want[20] = 8;
	ok(must(load(c, &o, &m), "loading") && run(c, m, mem, 2, arguments, 4, want, 21),
	   "%s: buffers are arguments, and constants are specialised", device);
	sov_module_unload(m);
}

static void check_layout(sov_context c, const char *device, const struct memory *mem)
{
	uint32_t which = 0, base[3] = {1, 0, 0}, want[20];
	const uint64_t set1 = 0; /* not used, but below the last set of the layout */
	const void *arguments[] = {&mem->set0, &set1, &mem->set2, base, &which};
	sov_spirv_options o =
		options(SOV_SPIRV_LAYOUT | SOV_SPIRV_BASE_WORKGROUP | SOV_SPIRV_ROBUST);
	sov_module m;

	/* Workgroups 1 and 2: words 8 to 23. a ends at 12 and r at 20. */
	for (uint32_t k = 0; k < 20; k++)
		want[k] = k < 8 ? 7 : (k < 12 ? k * 5 : 0) + 1000 + 20;
	o.entry_point = "main";
	ok(must(load(c, &o, &m), "loading") && run(c, m, mem, 2, arguments, 5, want, 20),
	   "%s: descriptors are in memory, accesses stay in bounds, and workgroups have a base",
	   device);
	sov_module_unload(m);
}

/* The descriptors of set 0, an array with a variable index, are an argument. */
static void check_values(sov_context c, const char *device, const struct memory *mem)
{
	uint32_t which = 1, base[3] = {0, 0, 0}, want[20];
	const uint64_t set0[8] = {mem->a[0], 48, 0, 0, mem->a[1], 48}, set1 = 0;
	const void *arguments[] = {set0, &set1, &mem->set2, base, &which};
	sov_spirv_options o =
		options(SOV_SPIRV_LAYOUT | SOV_SPIRV_BASE_WORKGROUP | SOV_SPIRV_ROBUST);
	sov_spirv_binding list[3];
	sov_module m;

	memcpy(list, bindings, sizeof(list));
	list[0].set_bytes = sizeof(set0);
	o.bindings = list;
	for (uint32_t k = 0; k < 20; k++)
		want[k] = k < 16 ? (k < 12 ? (100 + k) * 5 : 0) + 1000 + 20 : 7;
	ok(must(load(c, &o, &m), "loading") && run(c, m, mem, 2, arguments, 5, want, 20),
	   "%s: the descriptors of a set are an argument", device);
	sov_module_unload(m);
}

static void check_value_refusals(sov_context c)
{
	static const struct {
		uint32_t set0, set2[2];
		const char *message;
	} rows[] = {
		{12, {0, 0}, "bindings[0] has set_bytes 12, offset 0 and flags 0x0"},
		{2056, {0, 0}, "bindings[0] has set_bytes 2056"},
		{0, {16, 0}, "bindings[1] has set_bytes 16, offset 16"},
		{0, {48, 48}, "bindings[2] has set_bytes 48, offset 32 and flags 0x1"},
		{0, {48, 0}, "bindings[1] and [2] of set 2 have set_bytes 48 and 0"},
	};
	sov_spirv_options o = options(SOV_SPIRV_LAYOUT);
	sov_spirv_binding list[3];
	sov_module m;

	o.bindings = list;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		memcpy(list, bindings, sizeof(list));
		list[0].set_bytes = rows[k].set0;
		list[1].set_bytes = rows[k].set2[0];
		list[2].set_bytes = rows[k].set2[1];
		if (!ok(load(c, &o, &m) == SOV_ERROR_INVALID_ARGUMENT &&
				strstr(sov_last_error(), rows[k].message),
			"refused: %s", rows[k].message))
			diag("%s", sov_last_error());
	}
}

static void check_refusals(sov_context c)
{
	const sov_spirv_binding far[] = {{UINT32_MAX, 0, 0, 0, 0, 0}, {256, 0, 0, 0, 0, 0}};
	sov_spirv_options o = options(SOV_SPIRV_LAYOUT);
	sov_module m;

	for (size_t k = 0; k < sizeof(far) / sizeof(*far); k++) {
		o.bindings = &far[k];
		o.binding_count = 1;
		ok(load(c, &o, &m) == SOV_ERROR_INVALID_ARGUMENT &&
			   strstr(sov_last_error(), "sets are below 256"),
		   "set %u is refused", far[k].set);
	}
	o = options(SOV_SPIRV_LAYOUT);
	o.binding_count = 2;
	ok(load(c, &o, &m) == SOV_ERROR_INVALID_SOURCE &&
		   strstr(sov_last_error(), "no set 2, binding 4"),
	   "a binding that the layout lacks is named");
	o = options(0);
	o.entry_point = "other";
	ok(load(c, &o, &m) == SOV_ERROR_INVALID_SOURCE &&
		   strstr(sov_last_error(), "no entry point 'other'; its first is 'main'"),
	   "an entry point that the module lacks is named");
	o = options(8);
	ok(load(c, &o, &m) == SOV_ERROR_INVALID_ARGUMENT && strstr(sov_last_error(), "known:"),
	   "unknown flags are refused");
	o = options(0);
	o.bindings = bindings;
	o.binding_count = 3;
	ok(load(c, &o, &m) == SOV_ERROR_INVALID_ARGUMENT &&
		   strstr(sov_last_error(), "SOV_SPIRV_LAYOUT"),
	   "bindings without the flag are refused");
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
		check_arguments(c, p.name, &mem);
		check_layout(c, p.name, &mem);
		check_values(c, p.name, &mem);
		check_refusals(c);
		check_value_refusals(c);
		sov_context_destroy(c);
	}
	free(binary);
	return tap_done();
}
