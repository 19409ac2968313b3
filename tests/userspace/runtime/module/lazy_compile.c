// SPDX-License-Identifier: MIT
/*
 * Lazy compilation: a module of many kernels is parsed at load, and each kernel is compiled on its
 * first lookup, with the same results. Syntax errors are reported at load, code generation errors
 * at lookup. Many threads look up kernels, also while one unloads the module.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/compiler/driver/_many.h"

#define KERNELS 24
#define CALLERS 7
#define THREADS 8
#define ROUNDS  (24 / TAP_SLOWNESS)

static char folder[] = "/tmp/sov-lazy-XXXXXX";

static sov_module load_many(sov_context c, const struct many *m, uint32_t flags)
{
	char *text = many_ptx(m);
	sov_module module = module_from(c, text, strlen(text), flags);

	free(text);
	return module;
}

static sov_result load_result(sov_context c, const struct many *m, uint32_t flags,
			      sov_module *module)
{
	sov_module_options o = SOV_INIT(sov_module_options);
	char *text = many_ptx(m);
	sov_result r;

	o.flags = flags;
	r = sov_module_load(c, text, strlen(text), &o, module);
	free(text);
	return r;
}

static sov_result get(sov_module m, unsigned k, sov_function *f)
{
	char name[16];

	snprintf(name, sizeof(name), "k%u", k);
	return sov_module_get_function(m, name, f);
}

/* Whether kernel k computes the right value, with the variable increased by this much. */
static bool computes(sov_context c, const struct many *m, sov_module module, unsigned k,
		     unsigned more)
{
	uint32_t host[32];
	sov_function f;
	sov_ptr out;
	bool same = true;

	MUST(get(module, k, &f));
	MUST(sov_memory_alloc(c, sizeof(host), &out));
	MUST(launch(f, NULL, 1, COUNT(host), "8", ARGUMENTS(&out)));
	MUST(sov_memory_copy(c, SOV_HOST(host), out, sizeof(host)));
	for (unsigned t = 0; t < COUNT(host); t++)
		same &= host[t] == many_expected(m, k, t) + more;
	MUST(sov_memory_free(c, out));
	return same;
}

static void any_order(sov_context c, const struct many *m, uint32_t flags, const char *promise)
{
	sov_module module = load_many(c, m, flags);
	uint32_t right = 0;

	for (unsigned n = 0; n < m->kernels; n++)
		right += computes(c, m, module, n * 7 % m->kernels, 0);
	ok(right == m->kernels, "%s: kernels looked up in any order are right: %u of %u", promise,
	   right, m->kernels);
	MUST(sov_module_unload(module));
}

/* All units and the host share one instance of a variable. */
static void variables(sov_context c)
{
	struct many m = {.kernels = KERNELS};
	sov_module module = load_many(c, &m, 0);
	uint32_t value = 1005 + 77;
	uint64_t bytes;
	sov_ptr at;

	good(sov_module_get_variable(module, "v5", &at, &bytes),
	     "variables exist before any kernel is compiled");
	MUST(sov_memory_copy(c, at, SOV_HOST(&value), sizeof(value)));
	ok(bytes == 4 && computes(c, &m, module, 5, 77),
	   "a kernel that is compiled later finds what was "
	   "written to it");
	ok(computes(c, &m, module, 6, 0), "other kernels of a lazy module are unaffected");
	MUST(sov_module_unload(module));
}

static void handles(sov_context c)
{
	struct many m = {.kernels = KERNELS, .callers = CALLERS};
	sov_module module = load_many(c, &m, 0);
	sov_function by_name, by_number, again;
	sov_function_attributes a = SOV_INIT(sov_function_attributes);

	MUST(get(module, 9, &by_name));
	MUST(sov_module_get_function_at(module, 9, &by_number));
	MUST(get(module, 9, &again));
	ok(by_name == by_number && by_name == again,
	   "a kernel has the same handle by name and by index");
	MUST(sov_function_get_attributes(by_name, &a));
	ok(a.parameters == 1 && a.code_bytes && !strcmp(a.name, "k9"),
	   "a lazily compiled kernel has attributes");
	refused(sov_module_get_function(module, "k99", &again), SOV_ERROR_NOT_FOUND,
		"no kernel 'k99'; its first of 24 is 'k0'",
		"an unknown kernel of a lazy module is not found");
	refused(sov_module_get_function_at(module, KERNELS, &again), SOV_ERROR_NOT_FOUND,
		"has 24 kernels; there is no index 24",
		"a kernel index past the end of a lazy module is not found");
	MUST(sov_module_unload(module));
	refused(sov_function_get_attributes(by_name, &a), SOV_ERROR_INVALID_HANDLE, "destroyed",
		"a lazily compiled kernel is destroyed with its module");
}

static void errors(sov_context c)
{
	struct many m = {.kernels = KERNELS, .misspelt = true};
	sov_module module;
	sov_function f;
	char first[256];

	refused(load_result(c, &m, 0, &module), SOV_ERROR_INVALID_SOURCE, "frob",
		"a syntax error is reported by sov_module_load");
	m = (struct many){.kernels = KERNELS, .broken = 4};
	refused(load_result(c, &m, SOV_MODULE_EAGER, &module), SOV_ERROR_INVALID_SOURCE,
		"kernel 'k3' needs",
		"with SOV_MODULE_EAGER a code generation error is reported by sov_module_load");
	module = load_many(c, &m, 0);
	refused(get(module, 3, &f), SOV_ERROR_INVALID_SOURCE, "kernel 'k3' needs",
		"a code generation error is reported by sov_module_get_function");
	snprintf(first, sizeof(first), "%s", sov_module_messages());
	ok(strstr(first, "kernel 'k3' needs"), "a code generation error is in sov_module_messages");
	refused(get(module, 3, &f), SOV_ERROR_INVALID_SOURCE, "kernel 'k3' needs",
		"a code generation error is reported each time");
	is_str(sov_module_messages(), first,
	       "a repeated code generation error has the same messages");
	ok(computes(c, &m, module, 2, 0) && computes(c, &m, module, 4, 0),
	   "a code generation error does not affect other kernels");
	MUST(sov_module_unload(module));
}

static void environment(sov_context c)
{
	struct many m = {.kernels = KERNELS, .broken = 4};
	sov_module module;

	setenv("SOV_LAZY", "0", 1);
	refused(load_result(c, &m, 0, &module), SOV_ERROR_INVALID_SOURCE, "kernel 'k3' needs",
		"SOV_LAZY=0 compiles all kernels at load");
	setenv("SOV_LAZY", "perhaps", 1);
	refused(load_result(c, &m, 0, &module), SOV_ERROR_INVALID_ARGUMENT, "SOV_LAZY is 'perhaps'",
		"an invalid SOV_LAZY is rejected");
	setenv("SOV_LAZY", "1", 1);
	good(load_result(c, &m, 0, &module), "SOV_LAZY=1 is the default");
	MUST(sov_module_unload(module));
	unsetenv("SOV_LAZY");
}

/* ---- the cache ---- */

static uint32_t entries(bool damage)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	uint32_t n = 0;

	while (d && (e = readdir(d))) {
		int fd;

		if (strlen(e->d_name) != 64)
			continue;
		n++;
		if (!damage)
			continue;
		fd = openat(dirfd(d), e->d_name, O_WRONLY);
		if (fd < 0 || pwrite(fd, "damage", 6, 150) != 6)
			diag("'%s' cannot be damaged", e->d_name);
		close(fd);
	}
	if (d)
		closedir(d);
	return n;
}

static void empty_folder(void)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (*e->d_name != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

static void cached(sov_context c)
{
	struct many m = {.kernels = KERNELS, .callers = CALLERS};
	sov_module module;
	uint32_t right = 0;

	empty_folder();
	setenv("SOV_CACHE_SIZE", "64M", 1);
	module = load_many(c, &m, 0);
	ok(entries(false) == 1, "the head of a module has an entry in the cache");
	right += computes(c, &m, module, 20, 0);
	ok(entries(false) == 2, "a compiled unit has an entry in the cache");
	right += computes(c, &m, module, 1, 0) + computes(c, &m, module, 3, 0);
	ok(entries(false) == 3, "kernels of one compilation unit share a cache entry");
	MUST(sov_module_unload(module));
	module = load_many(c, &m, 0);
	for (unsigned k = 0; k < KERNELS; k++)
		right += computes(c, &m, module, k, 0);
	ok(right == 3 + KERNELS && entries(false) == 1 + 1 + KERNELS - CALLERS,
	   "cached and newly compiled units work together");
	MUST(sov_module_unload(module));
	entries(true);
	module = load_many(c, &m, 0);
	for (unsigned k = 0; k < KERNELS; k++)
		right += computes(c, &m, module, k, 0);
	ok(right == 3 + 2 * KERNELS, "damaged cache entries are compiled again");
	MUST(sov_module_unload(module));
	module = load_many(c, &m, SOV_MODULE_EAGER);
	ok(entries(false) == 3 + KERNELS - CALLERS,
	   "an eagerly compiled module has a separate cache entry");
	MUST(sov_module_unload(module));
	m.broken = 4;
	m.callers = 0;
	for (int n = 0; n < 2; n++) {
		sov_function f;

		module = load_many(c, &m, 0);
		refused(get(module, 3, &f), SOV_ERROR_INVALID_SOURCE, "kernel 'k3' needs",
			n ? "a kernel that failed to compile fails again from the cache"
			  : "a kernel that needs too many registers fails to compile");
		MUST(sov_module_unload(module));
	}
	setenv("SOV_CACHE_SIZE", "0", 1);
}

/* ---- many threads ---- */

static sov_module shared;
static sov_context context;

struct job {
	pthread_t thread;
	uint32_t seed, got, gone, wrong;
	sov_function functions[KERNELS];
	char sentence[256];
};

static void *ask(void *arg)
{
	struct job *j = arg;

	for (uint32_t n = 0; n < KERNELS; n++) {
		uint32_t k = (n * 5 + j->seed * 11) % KERNELS;
		sov_result r = get(shared, k, &j->functions[k]);

		if (!r) {
			j->got++;
		} else if (r == SOV_ERROR_INVALID_HANDLE || r == SOV_ERROR_BUSY ||
			   r == SOV_ERROR_CANCELLED) {
			j->gone++;
		} else {
			j->wrong++;
			snprintf(j->sentence, sizeof(j->sentence), "%s: %s", sov_result_name(r),
				 sov_last_error());
		}
	}
	return NULL;
}

static void start(struct job *jobs)
{
	memset(jobs, 0, THREADS * sizeof(*jobs));
	for (uint32_t n = 0; n < THREADS; n++) {
		jobs[n].seed = n;
		if (pthread_create(&jobs[n].thread, NULL, ask, &jobs[n]))
			abort();
	}
}

static struct job finish(struct job *jobs)
{
	struct job sum = {0};

	for (uint32_t n = 0; n < THREADS; n++) {
		pthread_join(jobs[n].thread, NULL);
		sum.got += jobs[n].got;
		sum.gone += jobs[n].gone;
		sum.wrong += jobs[n].wrong;
		if (jobs[n].wrong)
			diag("%s", jobs[n].sentence);
	}
	return sum;
}

static void threads_ask(sov_context c)
{
	struct many m = {.kernels = KERNELS, .callers = CALLERS};
	static struct job jobs[THREADS];
	uint32_t same = 0, right = 0;
	struct job sum;

	shared = load_many(c, &m, 0);
	start(jobs);
	sum = finish(jobs);
	ok(sum.got == THREADS * KERNELS, "eight threads look up all kernels: %u", sum.got);
	for (uint32_t n = 1; n < THREADS; n++)
		same += !memcmp(jobs[0].functions, jobs[n].functions, sizeof(jobs[n].functions));
	ok(same == THREADS - 1, "all threads get the same function handles");
	for (unsigned k = 0; k < KERNELS; k++)
		right += computes(c, &m, shared, k, 0);
	ok(right == KERNELS, "kernels looked up by eight threads compute the right values");
	MUST(sov_module_unload(shared));
}

static void threads_and_unload(sov_context c)
{
	struct many m = {.kernels = KERNELS, .callers = CALLERS};
	static struct job jobs[THREADS];
	uint32_t wrong = 0, all = 0, gone = 0, rounds = 0;
	uint64_t before, after, total;

	MUST(sov_memory_info(c, &before, &total));
	/* On a busy machine all threads may finish before the unload: repeat then. */
	for (; rounds < ROUNDS || (!gone && rounds < 40 * ROUNDS); rounds++) {
		struct job sum;

		shared = load_many(c, &m, 0);
		start(jobs);
		usleep(rounds % ROUNDS * 1500);
		MUST(sov_module_unload(shared));
		sum = finish(jobs);
		wrong += sum.wrong;
		gone += sum.gone;
		all += sum.got + sum.gone;
	}
	ok(!wrong && gone && all == rounds * THREADS * KERNELS,
	   "a module can be unloaded while threads look up its kernels: %u were late", gone);
	MUST(sov_memory_info(c, &after, &total));
	ok(after == before, "a module unloaded during lookups leaves no memory behind");
}

static void threads_and_destroy(const char *device)
{
	struct many m = {.kernels = KERNELS, .callers = CALLERS};
	static struct job jobs[THREADS];
	uint32_t wrong = 0, all = 0;

	for (uint32_t n = 0; n < ROUNDS; n++) {
		struct job sum;

		context = context_on(device, 0);
		shared = load_many(context, &m, 0);
		start(jobs);
		usleep(n * 1500);
		MUST(sov_context_destroy(context));
		sum = finish(jobs);
		wrong += sum.wrong;
		all += sum.got + sum.gone;
	}
	ok(!wrong && all == ROUNDS * THREADS * KERNELS,
	   "a context can be destroyed while threads look up kernels");
}

/* ---- changes while kernels run ---- */

static void faults(const char *device)
{
	struct many m = {.kernels = KERNELS};
	sov_context c = context_on(device, 0);
	sov_module module = load_many(c, &m, 0);
	sov_fault fault = SOV_INIT(sov_fault);
	sov_ptr nowhere = 4096;
	sov_function f;

	MUST(get(module, 11, &f));
	MUST(launch(f, NULL, 1, 1, "8", ARGUMENTS(&nowhere)));
	refused(sov_context_wait(c, 10 * SECOND), SOV_ERROR_FAULT, "k11",
		"a fault names a lazily compiled kernel");
	MUST(sov_context_get_fault(c, &fault));
	is_str(fault.kernel, "k11", "the fault record names a lazily compiled kernel");
	refused(get(module, 12, &f), SOV_ERROR_FAULT, "k11",
		"no kernel is compiled in a failed context");
	MUST(sov_context_reset(c));
	ok(computes(c, &m, module, 12, 0) && computes(c, &m, module, 11, 0),
	   "kernels are compiled after a reset");
	MUST(sov_context_destroy(c));
}

int main(void)
{
	sov_context c;

	if (!mkdtemp(folder)) {
		ok(false, "the test can create a cache directory");
		return tap_done();
	}
	setenv("SOV_CACHE_DIR", folder, 1);
	setenv("SOV_CACHE_SIZE", "0", 1);
	if (!getenv("SOV_SOFT"))
		soft_gpus("gh100:vram=768M");
	c = context_on("gh100.0", 0);
	any_order(c, &(struct many){.kernels = KERNELS}, 0, "alone");
	any_order(c, &(struct many){.kernels = KERNELS, .callers = CALLERS}, 0, "with a function");
	any_order(c, &(struct many){.kernels = KERNELS, .callers = CALLERS, .address = true}, 0,
		  "with a function's address");
	any_order(c, &(struct many){.kernels = KERNELS, .callers = CALLERS}, SOV_MODULE_EAGER,
		  "compiled at load time");
	any_order(c, &(struct many){.kernels = KERNELS, .callers = CALLERS}, SOV_MODULE_UNOPTIMISED,
		  "not optimised");
	variables(c);
	handles(c);
	errors(c);
	environment(c);
	cached(c);
	threads_ask(c);
	threads_and_unload(c);
	MUST(sov_context_destroy(c));
	threads_and_destroy("gh100.0");
	faults("gh100.0");
	empty_folder();
	rmdir(folder);
	return tap_done();
}
