// SPDX-License-Identifier: MIT
/*
 * Compilation units: the kernels of a module compile independently, on any number of threads, and
 * the image is byte for byte the same. Kernels that share functions form one unit; others do not
 * affect each other.
 */
#include <pthread.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/image/image_nv.h"
#include "tests/tap.h"
#include "tests/userspace/compiler/driver/_many.h"

static struct compile_options options(uint32_t threads)
{
	return (struct compile_options){.target = "sm_90", .threads = threads};
}

static struct compilation *open_many(const struct many *m)
{
	struct compile_options o = options(1);
	char *text = many_ptx(m);
	struct compile_result r;
	struct compilation *c = compilation_open(text, strlen(text), &o, &r);

	if (!c)
		diag("%s", r.messages);
	compile_result_free(&r);
	free(text);
	return c;
}

static void count_units(const struct many *m, uint32_t expected, const char *promise)
{
	struct compilation *c = open_many(m);

	ok(c && compilation_kernels(c) == m->kernels && compilation_units(c) == expected,
	   "%s: %u kernels, %u units", promise, c ? compilation_kernels(c) : 0,
	   c ? compilation_units(c) : 0);
	compilation_close(c);
}

static void check_same_bytes(const struct many *m, const char *promise)
{
	static const uint32_t threads[] = {2, 3, 8, 64, 0};
	struct compile_options o = options(1);
	char *text = many_ptx(m);
	struct compile_result first, r;
	bool good = compile(text, strlen(text), &o, &first), same = good;

	if (!good)
		diag("%s", first.messages);
	for (size_t k = 0; good && k < sizeof(threads) / sizeof(threads[0]); k++) {
		o.threads = threads[k];
		same &= compile(text, strlen(text), &o, &r) && r.image_size == first.image_size &&
			!memcmp(r.image, first.image, r.image_size) && r.nstats == m->kernels;
		for (uint32_t n = 0; same && n < r.nstats; n++)
			same &= !strcmp(r.stats[n].name, first.stats[n].name) &&
				r.stats[n].instructions == first.stats[n].instructions;
		compile_result_free(&r);
	}
	ok(same, "%s: any number of threads produces the same bytes", promise);
	for (uint32_t n = 0; good && n < first.nstats; n++) {
		char name[16];

		snprintf(name, sizeof(name), "k%u", n);
		good = !strcmp(first.stats[n].name, name);
	}
	ok(good, "statistics list kernels in text order");
	compile_result_free(&first);
	free(text);
}

/* Errors come in text order, each unit's once. */
static void check_error_order(void)
{
	struct many m = {.kernels = 40, .shared_bytes = 1 << 20};
	struct compile_options o = options(1);
	char *text = many_ptx(&m);
	struct compile_result one, many;
	unsigned lines = 0;
	bool good = !compile(text, strlen(text), &o, &one), order = true;
	const char *at = one.messages;

	o.threads = 8;
	good &= !compile(text, strlen(text), &o, &many);
	is_str(many.messages, one.messages, "any number of threads reports the same errors");
	for (; *at; lines++) {
		char expected[32];

		snprintf(expected, sizeof(expected), "compile: kernel 'k%u' ", lines);
		order &= !strncmp(at, expected, strlen(expected));
		at = strchr(at, '\n') + 1;
	}
	ok(good && order && lines == m.kernels, "every unit reports one error, in text order");
	compile_result_free(&one);
	compile_result_free(&many);
	free(text);
}

/* Shared memory of unrelated kernels does not add up. */
static void check_shared_memory(void)
{
	struct many m = {.kernels = 10, .callers = 4, .shared_bytes = 100 << 10};
	struct compile_options o = options(2);
	char *text = many_ptx(&m);
	struct compile_result r;
	bool good = compile(text, strlen(text), &o, &r);

	ok(good, "ten kernels with 100 KiB of shared memory each, four with a call, compile");
	if (!good)
		diag("%s", r.messages);
	for (uint32_t k = 0; good && k < r.nstats; k++)
		good &= r.stats[k].shared_bytes == 100 << 10;
	ok(good, "each kernel has only its own shared memory");
	compile_result_free(&r);
	free(text);
}

/* ---- heads and units ---- */

struct requester {
	struct compilation *c;
	uint32_t first, step;
	struct compile_result *results;
};

static void *request_units(void *arg)
{
	struct requester *a = arg;

	for (uint32_t k = a->first; k < compilation_units(a->c); k += a->step)
		compilation_unit(a->c, k, &a->results[k]);
	return NULL;
}

static const struct image_kernel *find_kernel(const struct image *im, const char *name)
{
	for (uint32_t k = 0; k < im->nkernels; k++)
		if (!strcmp(im->kernels[k].name, name))
			return &im->kernels[k];
	return NULL;
}

/* Compares a unit's image with the whole module's: the same code, and variables at the same
 * offsets. */
static bool matches_whole(const struct image *all, const struct compile_result *r)
{
	struct image im;
	char why[256];
	bool good = r->image && image_read(&im, r->image, r->image_size, why, sizeof(why));

	if (!r->image)
		return false;
	if (!good)
		diag("%s", why);
	good = good && im.nkernels && im.part_bytes[IMAGE_DATA] == all->part_bytes[IMAGE_DATA] &&
	       im.nvariables == all->nvariables && !im.nrelocations;
	for (uint32_t k = 0; good && k < im.nvariables; k++)
		good = !strcmp(im.variables[k].name, all->variables[k].name) &&
		       im.variables[k].offset == all->variables[k].offset;
	for (uint32_t k = 0; good && k < im.nkernels; k++) {
		const struct image_kernel *mine = &im.kernels[k];
		const struct image_kernel *other = find_kernel(all, mine->name);

		good = other && mine->code_bytes == other->code_bytes &&
		       !memcmp(mine->code, other->code, mine->code_bytes) &&
		       image_nv_kernel(mine)->banks[4].offset ==
			       image_nv_kernel(other)->banks[4].offset &&
		       image_nv_kernel(mine)->banks[4].bytes ==
			       image_nv_kernel(other)->banks[4].bytes;
	}
	image_free(&im);
	return good;
}

static void check_unit_images(const struct many *m, const char *promise)
{
	struct compile_options o = options(0);
	char *text = many_ptx(m), why[256];
	struct compile_result whole, head;
	struct compilation *c = open_many(m);
	uint32_t units = c ? compilation_units(c) : 0, good = 0, declared = 0;
	struct compile_result *results = calloc(units + 1, sizeof(*results));
	struct image all = {0}, names = {0};
	pthread_t threads[4];
	struct requester requesters[4];

	ok(c && compile(text, strlen(text), &o, &whole) && compilation_head(c, &head) &&
		   image_read(&all, whole.image, whole.image_size, why, sizeof(why)) &&
		   image_read(&names, head.image, head.image_size, why, sizeof(why)),
	   "%s: a module and its head compile and load", promise);
	for (uint32_t k = 0; k < names.ndeclared; k++) {
		char name[16];

		snprintf(name, sizeof(name), "k%u", k);
		declared += !strcmp(names.declared[k].name, name) && names.declared[k].unit < units;
	}
	ok(declared == m->kernels && !names.nkernels && names.nvariables == all.nvariables,
	   "the head image has all kernel names and no code");
	for (uint32_t k = 0; k < 4; k++) {
		requesters[k] = (struct requester){c, k, 4, results};
		pthread_create(&threads[k], NULL, request_units, &requesters[k]);
	}
	for (uint32_t k = 0; k < 4; k++)
		pthread_join(threads[k], NULL);
	for (uint32_t k = 0; k < units; k++) {
		good += matches_whole(&all, &results[k]);
		compile_result_free(&results[k]);
	}
	ok(good == units && units, "units compiled by four threads match the whole image: %u of %u",
	   good, units);
	image_free(&all);
	image_free(&names);
	compile_result_free(&whole);
	compile_result_free(&head);
	compilation_close(c);
	free(results);
	free(text);
}

/* Units that are not requested cost nothing and are freed. */
static void check_partial_use(void)
{
	struct many m = {.kernels = 8, .broken = 3};
	struct compilation *c = open_many(&m);
	struct compile_result r;

	ok(c && compilation_unit(c, 5, &r) && r.nstats == 1 && !strcmp(r.stats[0].name, "k5"),
	   "a single unit of a module compiles");
	compile_result_free(&r);
	ok(c && !compilation_unit(c, 2, &r) && strstr(r.messages, "'k2'") && !r.image,
	   "a unit that fails to compile reports its kernel");
	compile_result_free(&r);
	compilation_close(c);
	compilation_close(NULL);
}

/* The limit applies per thread, so the outcome does not depend on the number of threads. */
static void check_memory_limits(void)
{
	struct many m = {.kernels = 12, .callers = 3};
	char *text = many_ptx(&m);
	uint32_t same = 0, tried = 0, enough = 0;

	for (size_t limit = 16 << 10; limit < 2 << 20; limit += limit / 3) {
		struct compile_options o = options(1);
		struct compile_result one, many;
		bool good;

		o.memory_limit = limit;
		good = compile(text, strlen(text), &o, &one);
		o.threads = 6;
		same += compile(text, strlen(text), &o, &many) == good && one.messages &&
			many.messages && !strcmp(one.messages, many.messages);
		enough += good;
		tried++;
		compile_result_free(&one);
		compile_result_free(&many);
	}
	ok(same == tried && enough && enough < tried,
	   "a limit on memory has the same outcome by any number of threads: %u limits, %u enough",
	   tried, enough);
	free(text);
}

int main(void)
{
	count_units(&(struct many){.kernels = 30}, 30, "kernels without calls are separate units");
	count_units(&(struct many){.kernels = 30, .callers = 12}, 19,
		    "callers of one function are one unit");
	count_units(&(struct many){.kernels = 30, .callers = 12, .address = true}, 1,
		    "taking a function's address makes one unit");
	check_same_bytes(&(struct many){.kernels = 50}, "kernels without calls");
	check_same_bytes(&(struct many){.kernels = 50, .callers = 20}, "kernels and a function");
	check_same_bytes(&(struct many){.kernels = 50, .callers = 20, .address = true},
			 "kernels and a function whose address is taken");
	check_same_bytes(&(struct many){.kernels = 1}, "one kernel");
	check_error_order();
	check_shared_memory();
	check_unit_images(&(struct many){.kernels = 24}, "kernels without calls");
	check_unit_images(&(struct many){.kernels = 24, .callers = 9}, "kernels and a function");
	check_unit_images(&(struct many){.kernels = 24, .callers = 9, .address = true},
			  "kernels and a function whose address is taken");
	check_partial_use();
	check_memory_limits();
	return tap_done();
}
