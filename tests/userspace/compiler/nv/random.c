// SPDX-License-Identifier: MIT
/*
 * Random kernels (_random.h) through the whole back end, for all chips, in default, serial and
 * spill mode, with its verifiers on: the results of a software GPU in hazard mode must equal those
 * of the IR interpreter bit by bit. "random SEED" runs one kernel and prints it.
 */
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/interp/interp.h"
#include "libsov/sov.h"
#include "tests/tap.h"
#include "tests/userspace/compiler/nv/_random.h"

#define SEEDS 30
#define WORDS (RANDOM_THREADS * RANDOM_BLOCKS * RANDOM_SLOTS)

enum { OUT, IN, SCRATCH, BUFFERS };
static const size_t sizes[BUFFERS] = {WORDS * 8, RANDOM_INPUTS * 8, WORDS * 8};

struct memory {
	uint64_t words[BUFFERS][WORDS];
};

static struct memory before, expected, got;
static const uint32_t a = 12345;
static const uint64_t b = UINT64_C(0xfedcba9876543210);

static bool host_memory(void *user, uint64_t address, uint32_t bytes, bool write, void **host)
{
	struct memory *m = user;
	uint64_t buffer = (address >> 32) - 1, offset = (uint32_t)address;

	(void)write;
	if (buffer >= BUFFERS || offset + bytes > sizes[buffer])
		return false;
	*host = (char *)m->words[buffer] + offset;
	return true;
}

static bool interpret(const struct ir_module *m)
{
	struct {
		uint64_t pointers[BUFFERS];
		uint32_t a, pad;
		uint64_t b;
	} params = {{UINT64_C(1) << 32, UINT64_C(2) << 32, UINT64_C(3) << 32}, a, 0, b};
	char message[400];
	struct interp_launch l = {.kernel = m->funcs,
				  .grid = {RANDOM_BLOCKS, 1, 1},
				  .block = {RANDOM_THREADS, 1, 1},
				  .params = &params,
				  .param_bytes = sizeof(params),
				  .warp_lanes = 32,
				  .step_limit = 100000000,
				  .memory = host_memory,
				  .user = &expected};

	expected = before;
	if (interp_run(&l, message, sizeof(message)))
		return true;
	diag("interpreter: %s", message);
	return false;
}

static bool must(sov_result r, const char *doing)
{
	if (r)
		diag("%s: %s: %s", doing, sov_result_name(r), sov_last_error());
	return !r;
}

static bool launch(sov_context c, sov_function f)
{
	uint64_t addresses[BUFFERS];
	const void *arguments[] = {&addresses[OUT], &addresses[IN], &addresses[SCRATCH], &a, &b};
	sov_launch l = SOV_INIT(sov_launch);
	bool good = true;

	for (int k = 0; k < BUFFERS; k++)
		good = good && must(sov_memory_alloc(c, sizes[k], &addresses[k]), "allocating") &&
		       must(sov_memory_copy(c, addresses[k], SOV_HOST(before.words[k]), sizes[k]),
			    "copying in");
	l.grid[0] = RANDOM_BLOCKS, l.grid[1] = l.grid[2] = 1;
	l.block[0] = RANDOM_THREADS, l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 5;
	good = good && must(sov_function_launch(f, &l), "launching") &&
	       must(sov_context_wait(c, SOV_FOREVER), "running");
	for (int k = 0; k < BUFFERS; k++)
		good = good &&
		       must(sov_memory_copy(c, SOV_HOST(got.words[k]), addresses[k], sizes[k]),
			    "copying out");
	return good;
}

static bool is_same(void)
{
	static const char *const names[] = {"out", "in", "scratch"};

	for (int k = 0; k < BUFFERS; k++) {
		for (size_t w = 0; w < sizes[k] / 8; w++) {
			if (got.words[k][w] == expected.words[k][w])
				continue;
			diag("%s, thread %zu, word %zu: got 0x%llx, the interpreter has 0x%llx",
			     names[k], w / RANDOM_SLOTS, w % RANDOM_SLOTS,
			     (unsigned long long)got.words[k][w],
			     (unsigned long long)expected.words[k][w]);
			return false;
		}
	}
	return true;
}

static const struct mode {
	const char *name;
	bool serial, spill;
} modes[] = {{"default", false, false}, {"serial", true, false}, {"spill", false, true}};
#define MODES (sizeof(modes) / sizeof(modes[0]))

static bool run_mode(sov_device device, const char *target, const char *text,
		     const struct mode *mode, FILE *print)
{
	struct compile_options o = {.source = COMPILE_IR,
				    .target = target,
				    .serial = mode->serial,
				    .spill = mode->spill,
				    .verify = true,
				    .print_pass = print ? "all" : NULL,
				    .print_to = print};
	struct compile_result r;
	sov_context c;
	sov_module m;
	sov_function f;
	bool good = compile(text, strlen(text), &o, &r);

	if (!good)
		diag("%s", r.messages);
	if (good && must(sov_context_create(device, NULL, &c), "creating a context")) {
		good = must(sov_module_load(c, r.image, r.image_size, NULL, &m), "loading") &&
		       must(sov_module_get_function(m, "k", &f), "finding the kernel") &&
		       launch(c, f) && is_same();
		sov_context_destroy(c);
	}
	compile_result_free(&r);
	return good;
}

static uint32_t devices; /* four software GPUs, after any others that the environment names */

static void try_seed(uint64_t seed, FILE *print)
{
	struct arena arena;
	struct ir_module *m;
	struct diag d;
	uint64_t state = seed ^ 0xb0f;

	arena_init(&arena, 0, NULL);
	diag_init(&d, &arena, "random");
	m = random_module(&arena, seed);
	if (print)
		ir_print(m, print);
	for (int k = 0; k < BUFFERS; k++) {
		for (size_t w = 0; w < WORDS; w++)
			before.words[k][w] = random_bits(&state);
	}
	if (!ir_verify(m, &d) || !interpret(m)) {
		ok(false, "random kernel %llu verifies and is interpreted: %s",
		   (unsigned long long)seed, d.text);
		arena_free(&arena);
		return;
	}
	for (uint32_t ordinal = 0; ordinal < devices; ordinal++) {
		sov_device_properties p = SOV_INIT(sov_device_properties);
		sov_device device;

		for (uint32_t k = 0; k < MODES; k++)
			ok(must(sov_device_open(ordinal, &device), "opening") &&
				   must(sov_device_get_properties(device, &p),
					"querying properties") &&
				   run_mode(device, p.target, ir_text(m), &modes[k], print),
			   "random kernel %llu on %s in %s mode equals the interpreter",
			   (unsigned long long)seed, p.target, modes[k].name);
	}
	arena_free(&arena);
}

int main(int argc, char **argv)
{
	setenv("SOV_SOFT",
	       "gh100:vram=1G:hazard,ga100:vram=1G:hazard,"
	       "ga102:vram=1G:hazard,ad102:vram=1G:hazard",
	       1);
	unsetenv("SOV_VISIBLE_DEVICES");
	if (!ok(must(sov_device_count(&devices), "counting") && devices >= 4,
		"at least four devices are open for random kernels"))
		return tap_done();
	if (argc > 2) { /* a range, without printing */
		for (uint64_t s = strtoull(argv[1], NULL, 0); s < strtoull(argv[2], NULL, 0); s++)
			try_seed(s, NULL);
	} else if (argc > 1) {
		try_seed(strtoull(argv[1], NULL, 0), stdout);
	} else {
		for (uint64_t s = 1; s <= SEEDS; s++)
			try_seed(s, NULL);
	}
	return tap_done();
}
