/* SPDX-License-Identifier: MIT */
/*
 * Differential test of PTX kernels: the IR interpreter, which runs the front end's output, against
 * software GPUs of all chips, which run the machine code, in normal and in hazard mode, from
 * default, unoptimised, serial and spilling code. All must leave the same bytes. Kernels for this
 * are
 *
 *	k(.param .u64 out, .param .u64 in, .param .u64 scratch, .param .u32 a, .param .u64 b)
 *
 * with AGREE_SLOTS 64-bit words of out and scratch per thread of the grid, AGREE_SHARED more of
 * scratch that all threads share, and AGREE_INPUTS of in.
 */
#ifndef TESTS_COMPILER_AGREE_H
#define TESTS_COMPILER_AGREE_H

#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/interp/interp.h"
#include "libsov/compiler/ptx/ptx.h"
#include "libsov/sov.h"
#include "tests/soft.h"
#include "tests/tap.h"

#define AGREE_BLOCKS      2
#define AGREE_MAX_THREADS 96 /* of a block */
#define AGREE_SLOTS       8
#define AGREE_INPUTS      64
#define AGREE_SHARED      8
#define AGREE_WORDS       (AGREE_BLOCKS * AGREE_MAX_THREADS * AGREE_SLOTS + AGREE_SHARED)
#define AGREE_DEVICES     11
#define AGREE_PLAIN       4 /* index of the first device without hazard checks */
#define AGREE_SHOWN       4 /* differing words to print */
/* Followed by code that canonicalises the NaN bits that some hardware produces. On NVIDIA targets
 * it is a comment. */
#define AGREE_ONE_NAN     "//NaN:"
/* Followed by code for Hopper only; elsewhere it is a comment, and the results must be the same. */
#define AGREE_HOPPER      "//Hopper:"
/* A comment of kernels that are not linked from objects. */
#define AGREE_WHOLE       "// Whole programs only:"

enum { AGREE_OUT, AGREE_IN, AGREE_SCRATCH, AGREE_BUFFERS };

struct agree_memory {
	uint64_t words[AGREE_BUFFERS][AGREE_WORDS];
};

static struct agree {
	sov_context contexts[AGREE_DEVICES];
	sov_device_properties properties[AGREE_DEVICES];
	sov_ptr buffers[AGREE_DEVICES][AGREE_BUFFERS];
	struct agree_memory before, expected, got;
	uint32_t threads, a;
	uint64_t b;
	/* kernels refused by name: the AMD back end does not support everything yet, and PTX has
	 * some instructions from sm_80 on only */
	uint32_t refused;
	char error[512]; /* last error of agree_must() */
} agree;

static inline uint64_t agree_random(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 (Steele, Lea, Flood) */

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline bool agree_must(sov_result r, const char *doing)
{
	if (r) {
		snprintf(agree.error, sizeof(agree.error), "%s: %s: %s", doing, sov_result_name(r),
			 sov_last_error());
		diag("%s", agree.error);
	}
	return !r;
}

static inline bool agree_context(uint32_t n)
{
	sov_context_options o = SOV_INIT(sov_context_options);
	sov_device d;
	bool good;

	o.kernel_time_limit = UINT64_C(60000000000);
	o.stack_bytes = 4096;
	agree.properties[n] = SOV_INIT(sov_device_properties);
	good = agree_must(sov_device_open(n, &d), "opening a device") &&
	       agree_must(sov_device_get_properties(d, &agree.properties[n]), "asking it") &&
	       agree_must(sov_context_create(d, &o, &agree.contexts[n]), "creating a context");
	for (int k = 0; good && k < AGREE_BUFFERS; k++)
		good = agree_must(sov_memory_alloc(agree.contexts[n], sizeof(agree.before.words[k]),
						   &agree.buffers[n][k]),
				  "allocating");
	return good;
}

static inline bool agree_start(void)
{
	bool good = true;

	soft_gpus("gh100:vram=4G:hazard,ga100:vram=4G:hazard,ga102:vram=4G:hazard,ad102:vram=4G:"
		  "hazard,"
		  "gh100:vram=4G,ga100:vram=4G,ga102:vram=4G,ad102:vram=4G,navi21:vram=4G:hazard,"
		  "tu102:vram=4G:hazard,gv100:vram=4G:hazard");
	unsetenv("SOV_VISIBLE_DEVICES");
	for (uint32_t n = 0; good && n < AGREE_DEVICES; n++)
		good = agree_context(n);
	return good;
}

/* Fresh inputs for one kernel: small, special and arbitrary numbers. */
static inline void agree_inputs(uint64_t seed, uint32_t threads)
{
	static const uint64_t corners[] = {0,
					   1,
					   31,
					   32,
					   33,
					   0x80,
					   0xffff,
					   0x7fffffff,
					   0x80000000,
					   0xffffffff,
					   0x100000000,
					   0x7fffffffffffffff,
					   0x8000000000000000,
					   0xffffffffffffffff,
					   0x3f8000003f800000};

	for (int k = 0; k < AGREE_BUFFERS; k++) {
		for (size_t w = 0; w < AGREE_WORDS; w++) {
			uint64_t z = agree_random(&seed);

			if (z % 3 == 0)
				z = corners[z / 3 % (sizeof(corners) / sizeof(corners[0]))];
			else if (z % 3 == 1)
				z = agree_random(&seed) % 1000;
			agree.before.words[k][w] = z;
		}
	}
	agree.threads = threads;
	agree.a = (uint32_t)agree_random(&seed);
	agree.b = agree_random(&seed);
}

static inline bool agree_host(void *user, uint64_t address, uint32_t bytes, bool write, void **host)
{
	struct agree_memory *m = user;
	uint64_t buffer = (address >> 32) - 1, offset = (uint32_t)address;

	if (buffer >= AGREE_BUFFERS || offset + bytes > sizeof(m->words[0]) ||
	    (write && buffer == AGREE_IN))
		return false;
	*host = (char *)m->words[buffer] + offset;
	return true;
}

static inline bool agree_interpret(const char *ptx)
{
	struct {
		uint64_t pointers[AGREE_BUFFERS];
		uint32_t a, pad;
		uint64_t b;
	} params = {{UINT64_C(1) << 32, UINT64_C(2) << 32, UINT64_C(3) << 32}, agree.a, 0, agree.b};
	struct compile_job job = {.target = target_find("sm_90")};
	struct ir_module *m;
	char message[512] = "";
	bool good = false;

	arena_init(&job.arena, 0, NULL);
	diag_init(&job.diag, &job.arena, "ptx");
	if (!ptx_parse(&job, ptx, strlen(ptx), &m)) {
		diag("%s", job.diag.text);
	} else {
		const struct ir_func *kernel = m->funcs;

		while (kernel->next && kernel->kind != IR_KERNEL)
			kernel = kernel->next;
		struct interp_launch l = {.kernel = kernel,
					  .grid = {AGREE_BLOCKS, 1, 1},
					  .block = {agree.threads, 1, 1},
					  .params = &params,
					  .param_bytes = sizeof(params),
					  .warp_lanes = 32,
					  .step_limit = 100000000,
					  .memory = agree_host,
					  .user = &agree.expected};

		agree.expected = agree.before;
		good = interp_run(&l, message, sizeof(message));
		if (!good)
			diag("the interpreter: %s", message);
	}
	arena_free(&job.arena);
	return good;
}

static inline bool agree_launch(uint32_t n, sov_module m)
{
	sov_context c = agree.contexts[n];
	sov_ptr *at = agree.buffers[n];
	const void *arguments[] = {&at[AGREE_OUT], &at[AGREE_IN], &at[AGREE_SCRATCH], &agree.a,
				   &agree.b};
	sov_launch l = SOV_INIT(sov_launch);
	sov_function f;
	bool good = agree_must(sov_module_get_function(m, "k", &f), "looking for k");

	for (int k = 0; k < AGREE_BUFFERS; k++)
		good = good && agree_must(sov_memory_copy(c, at[k], SOV_HOST(agree.before.words[k]),
							  sizeof(agree.before.words[k])),
					  "copying in");
	l.grid[0] = AGREE_BLOCKS, l.grid[1] = l.grid[2] = 1;
	l.block[0] = agree.threads, l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 5;
	good = good && agree_must(sov_function_launch(f, &l), "launching") &&
	       agree_must(sov_context_wait(c, SOV_FOREVER), "running");
	for (int k = 0; k < AGREE_BUFFERS; k++)
		good = good && agree_must(sov_memory_copy(c, SOV_HOST(agree.got.words[k]), at[k],
							  sizeof(agree.got.words[k])),
					  "copying out");
	return good;
}

/* Prints the first differing words; the threads that they belong to are a strong hint. */
static inline bool agree_same(void)
{
	static const char *const names[] = {"out", "in", "scratch"};
	uint32_t differ = 0;

	for (int k = 0; k < AGREE_BUFFERS; k++) {
		for (size_t w = 0; w < AGREE_WORDS && differ < AGREE_SHOWN; w++) {
			uint64_t got = agree.got.words[k][w], want = agree.expected.words[k][w];

			if (got == want)
				continue;
			diag("%s, thread %zu of the grid, word %zu: got 0x%llx, the interpreter "
			     "has 0x%llx",
			     names[k], w / AGREE_SLOTS, w % AGREE_SLOTS, (unsigned long long)got,
			     (unsigned long long)want);
			differ++;
		}
	}
	return !differ;
}

#define AGREE_FNV_START UINT64_C(0xcbf29ce484222325)

/* FNV-1a over further bytes. */
static inline uint64_t agree_fnv(uint64_t mark, const void *data, size_t size)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < size; i++)
		mark = (mark ^ bytes[i]) * UINT64_C(0x100000001b3);
	return mark;
}

/* Hash of all bytes that a kernel left. */
static inline uint64_t agree_mark(void)
{
	return agree_fnv(AGREE_FNV_START, &agree.got, sizeof(agree.got));
}

static const struct agree_mode {
	const char *name;
	bool unoptimised, serial, spill;
	bool object; /* a relocatable object is compiled and linked; NVIDIA only */
} agree_modes[] = {{"default", false, false, false, false},
		   {"unoptimised", true, false, false, false},
		   {"serial", false, true, false, false},
		   {"spilling", false, false, true, false},
		   {"linked", false, false, false, true},
		   {"linked unoptimised", true, false, false, true},
		   {"linked spilling", false, false, true, true}};
#define AGREE_MODES (sizeof(agree_modes) / sizeof(agree_modes[0]))

/* Runs an image on one device; replaces a failed context. */
static inline bool agree_image(uint32_t n, const void *image, size_t size)
{
	sov_module m;
	bool good;

	if (!agree_must(sov_module_load(agree.contexts[n], image, size, NULL, &m), "loading"))
		return false;
	good = agree_launch(n, m) && agree_same();
	if (sov_context_status(agree.contexts[n])) {
		sov_context_destroy(agree.contexts[n]);
		agree_context(n);
	} else {
		sov_module_unload(m);
	}
	return good;
}

static inline bool agree_is_amd(uint32_t n)
{
	return !strncmp(agree.properties[n].target, "gfx", 3);
}

/* Turing and Volta. */
static inline bool agree_is_old(uint32_t n)
{
	return !strncmp(agree.properties[n].target, "sm_7", 4);
}

static inline void agree_uncomment(char *text, const char *mark)
{
	for (char *at = text; (at = strstr(at, mark));)
		memset(at, ' ', strlen(mark));
}

/* The text for a device; malloc'ed. */
static inline char *agree_text(uint32_t n, const char *ptx)
{
	char *text = strdup(ptx), *at;

	if (text && agree_is_amd(n))
		agree_uncomment(text, AGREE_ONE_NAN);
	if (text && agree_is_old(n) && (at = strstr(text, ".target sm_")))
		memcpy(at + strlen(".target "), agree.properties[n].target, strlen("sm_70"));
	if (text && !strcmp(agree.properties[n].target, "sm_90"))
		agree_uncomment(text, AGREE_HOPPER);
	return text;
}

static inline bool agree_object(uint32_t n, const struct compile_result *r)
{
	struct link_input in = {"kernel", r->image, r->image_size};
	char message[256] = "";
	size_t size;
	uint8_t *image = target_find(agree.properties[n].target)
				 ->backend->link_objects(&in, 1, &size, message, sizeof(message));
	bool good = image && agree_image(n, image, size);

	if (!image)
		diag("%s", message);
	free(image);
	return good;
}

static inline bool agree_device(uint32_t n, const char *ptx, const struct agree_mode *mode)
{
	struct compile_options o = {.source = COMPILE_PTX,
				    .target = agree.properties[n].target,
				    .unoptimised = mode->unoptimised,
				    .serial = mode->serial,
				    .spill = mode->spill,
				    .relocatable = mode->object,
				    .verify = true};
	struct compile_result r;
	char *text;
	bool good;

	if (mode->object && (agree_is_amd(n) || strstr(ptx, AGREE_WHOLE)))
		return true;
	text = agree_text(n, ptx);
	good = text && compile(text, strlen(text), &o, &r);
	free(text);
	if (!text)
		return false;
	if (good) {
		good = mode->object ? agree_object(n, &r) : agree_image(n, r.image, r.image_size);
	} else if ((agree_is_amd(n) && strstr(r.messages, "is not supported on gfx1030 yet")) ||
		   (agree_is_old(n) && strstr(r.messages, "and is not supported on sm_7"))) {
		agree.refused++;
		good = true;
	} else {
		diag("%s", r.messages);
	}
	compile_result_free(&r);
	return good;
}

/* Runs on all devices, on Turing and Volta in one mode; prints where results differ. */
static inline bool agree_everywhere(const char *ptx)
{
	static uint32_t kernels;
	uint32_t only = kernels++ % AGREE_MODES;
	bool good = true;

	for (uint32_t n = 0; n < AGREE_DEVICES; n++) {
		bool hazard = agree.properties[n].features & SOV_FEATURE_HAZARD_CHECK;

		/* Without hazard checks the other modes add nothing. */
		for (uint32_t k = 0; k < (hazard ? AGREE_MODES : 1); k++) {
			if (agree_is_old(n) && k != only)
				continue;
			if (agree_device(n, ptx, &agree_modes[k]))
				continue;
			diag("on %s%s, %s code", agree.properties[n].name,
			     hazard ? ", hazard mode" : "", agree_modes[k].name);
			good = false;
		}
	}
	return good;
}

#endif
