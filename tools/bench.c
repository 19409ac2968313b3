// SPDX-License-Identifier: MIT
/*
 * sov bench: measures launch latency, launch throughput and copy bandwidth of a device through the
 * public API. Each row is the median of many samples by the host's clock. Each row also verifies
 * its copy or store with new random contents, so that bench never reports the speed of wrong
 * results.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include "tools/page.h"

#define BURST       100u
#define MAX_REPEATS 1000000u
/* An idle GPU needs about a second of work until its clock frequency is stable (H200). */
#define WARM_UP_NS  UINT64_C(1500000000)

/* One thread stores a number: the smallest kernel whose execution can be verified. */
static const char program[] = ".version 8.0\n"
			      ".target sm_80\n"
			      ".address_size 64\n"
			      ".visible .entry store(.param .u64 to, .param .u32 value) {\n"
			      "	.reg .b32 %i;\n"
			      "	.reg .b64 %a<3>;\n"
			      "	ld.param.u64 %a1, [to];\n"
			      "	cvta.to.global.u64 %a2, %a1;\n"
			      "	ld.param.u32 %i, [value];\n"
			      "	st.global.u32 [%a2], %i;\n"
			      "	ret;\n"
			      "}\n";

struct state {
	const struct verb *verb;
	const char *device, *only, *html;
	uint64_t repeats, limit; /* per row: samples, nanoseconds */
	uint64_t largest;        /* bytes of the largest copy */
	bool json;
	struct json out;

	sov_device_properties properties;
	sov_context context;
	sov_stream stream;
	sov_function store;
	sov_ptr word;             /* the kernel stores here */
	sov_ptr device_memory[2]; /* largest bytes each */
	void *pinned, *pageable, *expected;
	uint64_t *samples;
};

/* sample() measures nanoseconds per launch or copy; bytes is 0 for launches. */
struct row {
	const char *name;
	bool (*sample)(struct state *s, const struct row *row, uint64_t *nanoseconds);
	uint64_t bytes;
	sov_ptr to, from; /* of copies */
};

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool failed(const struct state *s, sov_result r, const char *operation)
{
	if (r)
		report_sov_error(s->verb, r, operation);
	return r;
}

static uint32_t random_u32(void)
{
	uint32_t value;

	return getrandom(&value, sizeof(value), 0) == sizeof(value) ? value : 1;
}

/* ---- launches ---- */

static sov_result launch_store(struct state *s, uint32_t value)
{
	const void *arguments[] = {&s->word, &value};
	sov_launch l = SOV_INIT(sov_launch);

	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.stream = s->stream;
	l.arguments = arguments;
	l.argument_count = 2;
	return sov_function_launch(s->store, &l);
}

static bool sample_launch(struct state *s, const struct row *row, uint64_t *nanoseconds)
{
	uint64_t start = clock_ns();
	sov_result r = launch_store(s, (uint32_t)start);

	if (!r)
		r = sov_stream_wait(s->stream, SOV_FOREVER);
	*nanoseconds = clock_ns() - start;
	return !failed(s, r, row->name);
}

static bool sample_issue(struct state *s, const struct row *row, uint64_t *nanoseconds)
{
	uint64_t start = clock_ns();
	sov_result r = launch_store(s, (uint32_t)start);

	*nanoseconds = clock_ns() - start;
	if (!r)
		r = sov_stream_wait(s->stream, SOV_FOREVER);
	return !failed(s, r, row->name);
}

/* Time per launch, up to the return of the last call or (complete) the end of the last kernel. */
static bool sample_launches(struct state *s, const struct row *row, uint64_t *nanoseconds,
			    bool complete)
{
	uint64_t start = clock_ns(), issued;
	sov_result r = SOV_OK;

	for (uint32_t i = 0; i < BURST && !r; i++)
		r = launch_store(s, (uint32_t)start + i);
	issued = clock_ns();
	if (!r)
		r = sov_stream_wait(s->stream, SOV_FOREVER);
	*nanoseconds = ((complete ? clock_ns() : issued) - start) / BURST;
	return !failed(s, r, row->name);
}

static bool sample_burst(struct state *s, const struct row *row, uint64_t *nanoseconds)
{
	return sample_launches(s, row, nanoseconds, false);
}

static bool sample_chain(struct state *s, const struct row *row, uint64_t *nanoseconds)
{
	return sample_launches(s, row, nanoseconds, true);
}

static bool verify_store(struct state *s)
{
	uint32_t want = random_u32(), got = ~want;

	if (failed(s, launch_store(s, want), "launching") ||
	    failed(s, sov_stream_wait(s->stream, SOV_FOREVER), "waiting") ||
	    failed(s, sov_memory_copy(s->context, SOV_HOST(&got), s->word, sizeof(got)), "copying"))
		return false;
	if (got != want)
		report_error(s->verb, "the kernel stored 0x%08x instead of 0x%08x", got, want);
	return got == want;
}

/* ---- copies ---- */

static bool sample_copy(struct state *s, const struct row *row, uint64_t *nanoseconds)
{
	uint64_t start = clock_ns();
	sov_result r = sov_memory_copy(s->context, row->to, row->from, row->bytes);

	*nanoseconds = clock_ns() - start;
	return !failed(s, r, row->name);
}

static void fill_expected(struct state *s, uint64_t bytes)
{
	uint64_t state = random_u32(), *words = s->expected;

	for (uint64_t i = 0; i < (bytes + 7) / 8; i++)
		words[i] = (state += 0x9e3779b97f4a7c15) * (i | 1);
}

/* Repeats the row's copy with new random contents and compares the destination. */
static bool verify_copy(struct state *s, const struct row *row)
{
	sov_context c = s->context;
	uint64_t n = row->bytes;
	bool good;

	fill_expected(s, n);
	if (row->from == SOV_HOST(s->pinned) || row->from == SOV_HOST(s->pageable))
		memcpy((void *)(uintptr_t)row->from, s->expected, n);
	else if (failed(s, sov_memory_copy(c, row->from, SOV_HOST(s->expected), n), row->name))
		return false;
	if (failed(s, sov_memory_copy(c, row->to, row->from, n), row->name))
		return false;
	if (row->to == SOV_HOST(s->pinned) || row->to == SOV_HOST(s->pageable)) {
		good = !memcmp((void *)(uintptr_t)row->to, s->expected, n);
	} else {
		memset(s->pageable, 0, n);
		if (failed(s, sov_memory_copy(c, SOV_HOST(s->pageable), row->to, n), row->name))
			return false;
		good = !memcmp(s->pageable, s->expected, n);
	}
	if (!good)
		report_error(s->verb, "%s, %llu bytes: the destination differs from the source",
			     row->name, (unsigned long long)n);
	return good;
}

/* ---- rows ---- */

static bool warm_up(struct state *s)
{
	static const struct row row = {.name = "warming up"};
	uint64_t start = clock_ns(), ignored;
	bool good = true;

	while (good && clock_ns() - start < WARM_UP_NS)
		good = sample_chain(s, &row, &ignored);
	return good;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void row_json(struct state *s, const struct row *row, uint64_t count)
{
	json_object(&s->out, NULL);
	json_string(&s->out, "name", row->name);
	if (row->bytes)
		json_u64(&s->out, "bytes", row->bytes);
	json_u64(&s->out, "median_ns", s->samples[count / 2]);
	json_u64(&s->out, "p99_ns", s->samples[count * 99 / 100]);
	json_u64(&s->out, "samples", count);
	json_end_object(&s->out);
}

static void print_row(struct state *s, const struct row *row, uint64_t count)
{
	uint64_t median = s->samples[count / 2], p99 = s->samples[count * 99 / 100];
	double gbs = median ? (double)row->bytes / (double)median : 0;
	char size[32] = "";

	if (s->html || s->json)
		row_json(s, row, count);
	if (!s->json) {
		if (row->bytes)
			snprintf(size, sizeof(size),
				 row->bytes >> 20   ? "%llu MiB"
				 : row->bytes >> 10 ? "%llu KiB"
						    : "%llu B",
				 (unsigned long long)(row->bytes >> 20   ? row->bytes >> 20
						      : row->bytes >> 10 ? row->bytes >> 10
									 : row->bytes));
		printf("%-26s %8s %12.3f us %12.3f us", row->name, size, (double)median / 1e3,
		       (double)p99 / 1e3);
		if (row->bytes)
			printf(" %8.3f GB/s", gbs);
		else
			printf(" %13s", "");
		printf(" %8llu\n", (unsigned long long)count);
		fflush(stdout);
	}
}

static bool measure_row(struct state *s, const struct row *row)
{
	uint64_t start, n = 0;
	bool good = true;

	if (s->only && !strstr(row->name, s->only))
		return true;
	struct progress *p = progress_start(row->name);

	for (int i = 0; i < 3 && good; i++) /* exclude costs of the first use */
		good = row->sample(s, row, &s->samples[0]);
	for (start = clock_ns(); good && n < s->repeats && (!n || clock_ns() - start < s->limit);
	     n++)
		good = row->sample(s, row, &s->samples[n]);
	if (good)
		good = row->bytes ? verify_copy(s, row) : verify_store(s);
	progress_end(p);
	if (!good)
		return false;
	qsort(s->samples, n, sizeof(*s->samples), compare_u64);
	print_row(s, row, n);
	return true;
}

static const struct row launch_rows[] = {
	{.name = "launch and wait", .sample = sample_launch},
	{.name = "issue after idle", .sample = sample_issue},
	{.name = "issue in a burst of 100", .sample = sample_burst},
	{.name = "kernel in a chain of 100", .sample = sample_chain},
};
enum direction { PINNED_IN, PINNED_OUT, HOST_IN, HOST_OUT, INSIDE, DIRECTIONS };
static const char *const direction_names[DIRECTIONS] = {
	[PINNED_IN] = "pinned host to device", [PINNED_OUT] = "device to pinned host",
	[HOST_IN] = "host to device",          [HOST_OUT] = "device to host",
	[INSIDE] = "device to device",
};
#define LAUNCH_ROWS (sizeof(launch_rows) / sizeof(*launch_rows))

/* Checks that a row has the text in its name. */
static bool check_only(const struct verb *v, const char *only)
{
	char names[256] = "";
	size_t n = 0;

	for (size_t i = 0; i < LAUNCH_ROWS + DIRECTIONS; i++) {
		const char *name =
			i < LAUNCH_ROWS ? launch_rows[i].name : direction_names[i - LAUNCH_ROWS];

		if (strstr(name, only))
			return true;
		n += snprintf(names + n, sizeof(names) - n, "%s%s", i ? ", " : "", name);
	}
	usage_error(v, "no row has '%s' in its name; rows: %s", only, names);
	return false;
}

static bool measure_copies(struct state *s)
{
	static const uint64_t sizes[] = {4,        64,        1 << 10, 4 << 10,  16 << 10,
					 64 << 10, 256 << 10, 1 << 20, 16 << 20, 256 << 20};
	const sov_ptr *gpu = s->device_memory;
	const struct {
		sov_ptr to, from;
	} directions[DIRECTIONS] = {
		[PINNED_IN] = {gpu[0], SOV_HOST(s->pinned)},
		[PINNED_OUT] = {SOV_HOST(s->pinned), gpu[0]},
		[HOST_IN] = {gpu[0], SOV_HOST(s->pageable)},
		[HOST_OUT] = {SOV_HOST(s->pageable), gpu[0]},
		[INSIDE] = {gpu[1], gpu[0]},
	};
	bool good = true;

	for (size_t d = 0; d < DIRECTIONS; d++)
		for (size_t i = 0;
		     good && i < sizeof(sizes) / sizeof(*sizes) && sizes[i] <= s->largest; i++) {
			const struct row row = {direction_names[d], sample_copy, sizes[i],
						directions[d].to, directions[d].from};

			good = measure_row(s, &row);
		}
	return good;
}

static bool measure_all(struct state *s)
{
	bool good = s->properties.features & SOV_FEATURE_SOFTWARE || warm_up(s);

	if (s->json || s->html) {
		json_object(&s->out, NULL);
		json_string(&s->out, "device", s->properties.name);
		json_string(&s->out, "product", s->properties.product);
		json_string(&s->out, "driver", s->properties.driver);
		json_array(&s->out, "rows");
	}
	if (!s->json) {
		printf("%s: %s, by %s, %s\n", s->properties.name, s->properties.product,
		       s->properties.winsys, s->properties.driver);
		printf("%-26s %8s %15s %15s %13s %8s\n", "", "bytes", "median", "p99", "",
		       "samples");
	}
	for (size_t i = 0; good && i < LAUNCH_ROWS; i++)
		good = measure_row(s, &launch_rows[i]);
	good = good && measure_copies(s);
	if (s->json || s->html) {
		json_end_array(&s->out);
		json_end_object(&s->out);
	}
	return good;
}

/* ---- setting up ---- */

/* Defaults; small on a software GPU, where bench shows function rather than speed. */
static void set_defaults(struct state *s)
{
	bool soft = s->properties.features & SOV_FEATURE_SOFTWARE;

	if (!s->repeats)
		s->repeats = soft ? 50 : 10000;
	if (!s->limit)
		s->limit = soft ? 100000000 : 3000000000;
	if (!s->largest)
		s->largest = soft ? 1 << 20 : 256 << 20;
}

static bool bench_open(struct state *s)
{
	sov_module module;
	sov_device device;

	s->properties = SOV_INIT(sov_device_properties);
	if (failed(s, device_open(s->device, &device), "opening the device") ||
	    failed(s, sov_device_get_properties(device, &s->properties), "querying the device"))
		return false;
	set_defaults(s);
	s->samples = malloc(s->repeats * sizeof(*s->samples));
	s->pageable = malloc(s->largest);
	s->expected = malloc(s->largest + 8);
	if (!s->samples || !s->pageable || !s->expected) {
		report_error(s->verb, "out of memory: two buffers of %llu bytes",
			     (unsigned long long)s->largest);
		return false;
	}
	return !failed(s, sov_context_create(device, NULL, &s->context), "creating a context") &&
	       !failed(s, sov_context_get_stream(s->context, &s->stream), "getting the stream") &&
	       !failed(s, sov_module_load(s->context, program, sizeof(program) - 1, NULL, &module),
		       "loading the module") &&
	       !failed(s, sov_module_get_function(module, "store", &s->store),
		       "finding the kernel") &&
	       !failed(s, sov_memory_alloc(s->context, 4, &s->word), "allocating") &&
	       !failed(s, sov_memory_alloc(s->context, s->largest, &s->device_memory[0]),
		       "allocating") &&
	       !failed(s, sov_memory_alloc(s->context, s->largest, &s->device_memory[1]),
		       "allocating") &&
	       !failed(s, sov_host_alloc(s->context, s->largest, &s->pinned),
		       "allocating host memory");
}

/* The rows were written to memory: writes the page, and the JSON that was asked for. */
static bool write_report(struct state *s, char **text, const size_t *bytes, bool good)
{
	char title[128];

	if (fclose(s->out.out)) {
		report_error(s->verb, "out of memory for a page");
		good = false;
	}
	snprintf(title, sizeof(title), "sov bench: %s", s->properties.name);
	if (good && s->json)
		fwrite(*text, 1, *bytes, stdout);
	good = good && write_page(s->verb, s->html, bench_page, title, *text, *bytes);
	free(*text);
	return good;
}

static int bench_run(const struct verb *v, int argc, char **argv)
{
	struct state s = {.verb = v, .out = {.out = stdout}};
	const char *repeats = NULL, *seconds = NULL, *largest = NULL;
	const struct option options[] = {
		{"device", 'd', "NAME|N", "device to measure (default 0); see sov devices", NULL,
		 &s.device},
		{"only", 0, "TEXT", "only rows whose name contains TEXT", NULL, &s.only},
		{"repeat", 'n', "N", "maximum samples per row (default 10000)", NULL, &repeats},
		{"seconds", 0, "S", "maximum seconds per row (default 3)", NULL, &seconds},
		{"largest", 0, "BYTES", "size of the largest copy (default 268435456)", NULL,
		 &largest},
		{"html", 0, "FILE", "write a page for a browser with curves to FILE", NULL,
		 &s.html},
		{"json", 0, NULL, "print JSON", &s.json, NULL},
		{0},
	};
	int operands, status;
	char *text = NULL;
	size_t bytes = 0;

	if (!parse_options(v, options, argc, argv, &operands, &status))
		return status;
	if (operands)
		return usage_error(v, "unexpected operand '%s'", argv[0]);
	if ((repeats && !parse_u64(v, "repeat", repeats, 1, MAX_REPEATS, &s.repeats)) ||
	    (seconds && !parse_u64(v, "seconds", seconds, 1, 3600, &s.limit)) ||
	    (largest && !parse_u64(v, "largest", largest, 4, UINT64_C(1) << 36, &s.largest)))
		return EXIT_USAGE;
	if (s.only && !check_only(v, s.only))
		return EXIT_USAGE;
	s.limit *= 1000000000;
	if (s.html) {
		s.out.out = open_memstream(&text, &bytes);
		if (!s.out.out) {
			report_error(v, "out of memory for a page");
			return EXIT_FAILED;
		}
	}
	bool good = bench_open(&s) && measure_all(&s);

	if (s.html)
		good = write_report(&s, &text, &bytes, good);
	if (s.context)
		sov_context_destroy(s.context);
	free(s.samples);
	free(s.pageable);
	free(s.expected);
	return good ? EXIT_DONE : EXIT_FAILED;
}

const struct verb verb_bench = {
	.name = "bench",
	.summary = "Measure launch latency and copy bandwidth of a device.",
	.usage = "[OPTION]...",
	.details = "The host's clock times calls of the library; a row shows the median and the "
		   "99th\n"
		   "percentile of its samples. A GPU first runs kernels for 1.5 s to reach a "
		   "stable clock\n"
		   "frequency. Defaults on a software GPU: 50 samples, 0.1 s, 1 MiB.\n",
	.run = bench_run,
};
