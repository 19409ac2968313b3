// SPDX-License-Identifier: MIT
/*
 * Compares libsov's runtime with the CUDA driver API, on one GPU and in one run: graphs, pools,
 * streams, events, copies concurrent with kernels.
 *
 *   cuda_compare_runtime [--small] [--addresses]
 *
 * The two APIs alternate, each in a separate process; the table shows the best median of all
 * rounds. Both compile the same PTX. --small is for a software GPU, without CUDA; --addresses
 * prints the time of each graph, one line per address that the graphs add to. Exit status 0: every
 * value is right; the figures are for the reader to judge.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "driver.h"
#include "libsov/sov.h"

#define ROUNDS    3
#define CHAIN     100u
#define STREAMS   4u
#define ADDRESSES 8u
#define GRAPHS    4u

static unsigned samples = 200, copy_mib = 64;
static bool small, show_addresses;

static const char ptx[] =
	".version 7.0\n.target sm_80\n.address_size 64\n"
	".visible .entry add(.param .u64 p, .param .u32 n) {\n"
	"	.reg .b64 %p;\n	.reg .b32 %n, %x;\n"
	"	ld.param.u64 %p, [p];\n	ld.param.u32 %n, [n];\n	ld.global.u32 %x, [%p];\n"
	"	add.u32 %x, %x, %n;\n	st.global.u32 [%p], %x;\n	ret;\n}\n"
	".visible .entry spin(.param .u64 p, .param .u32 n) {\n"
	"	.reg .b64 %p;\n	.reg .b32 %n, %x;\n	.reg .pred %q;\n"
	"	ld.param.u64 %p, [p];\n	ld.param.u32 %n, [n];\n	mov.u32 %x, %clock;\n"
	"again:\n	mad.lo.u32 %x, %x, 1664525, 1013904223;\n	sub.u32 %n, %n, 1;\n"
	"	setp.ne.u32 %q, %n, 0;\n	@%q bra again;\n"
	"	st.global.u32 [%p], %x;\n	ret;\n}\n";

enum figure {
	GRAPH,
	GRAPH_MIN,
	GRAPH_MAX,
	LAUNCHES,
	POOL,
	PLAIN,
	ONE_STREAM,
	FOUR_STREAMS,
	EVENT,
	TIMED,
	COPY,
	COMPUTE,
	SERIAL,
	OVERLAPPED,
	FIGURES
};
static const char *const names[FIGURES] = {
	"launch and wait for a graph, a chain of 100 kernels, us",
	"the fastest of these graphs, us",
	"the slowest of these graphs, us",
	"the same 100 kernels by launches, us",
	"allocate and free 1 MiB of the pool, us",
	"allocate and free 1 MiB of device memory, us",
	"256 kernels of about 5 us on one stream, us",
	"256 kernels of about 5 us on four streams, us",
	"record and wait for an event without timing, us",
	"record and wait for an event with timing, us",
	"copy 64 MiB of pinned memory to the device, us",
	"a kernel as long as that copy, us",
	"copy and kernel on one stream, us",
	"copy and kernel on two streams, us",
};

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* ---- the two APIs ---- */

struct api {
	const char *name;
	void (*open)(void);
	uint64_t (*memory)(size_t bytes);
	void *(*pinned)(size_t bytes);
	void (*launch)(unsigned stream, bool spin, uint64_t p, uint32_t n);
	void (*htod)(unsigned stream, uint64_t to, const void *from, size_t bytes);
	void (*wait)(unsigned stream);
	uint32_t (*read)(uint64_t p);
	void (*graph)(uint64_t p); /* instantiates a chain of CHAIN kernels that add 1 */
	void (*run)(void);
	void (*pool)(void);  /* allocates and frees from the pool */
	void (*plain)(void); /* allocates and frees device memory */
	void (*event)(bool timed);
};

static void sov_must(sov_result r, const char *doing)
{
	if (!r)
		return;
	printf("BROKEN libsov, %s: %s: %s\n", doing, sov_result_name(r), sov_last_error());
	exit(EXIT_BROKEN);
}

static sov_context context;
static sov_stream streams[STREAMS];
static sov_function add, spin;
static sov_graph_exec graph_run;
static sov_event events[2]; /* without time, with it */

static void sov_load(void)
{
	sov_device d;
	sov_module m;
	unsigned i;

	sov_must(sov_device_open(0, &d), "opening");
	sov_must(sov_context_create(d, NULL, &context), "a context");
	sov_must(sov_module_load(context, ptx, sizeof(ptx) - 1, NULL, &m), "loading");
	sov_must(sov_module_get_function(m, "add", &add), "a kernel");
	sov_must(sov_module_get_function(m, "spin", &spin), "a kernel");
	sov_must(sov_event_create(context, SOV_EVENT_DISABLE_TIMING, &events[0]), "an event");
	sov_must(sov_event_create(context, 0, &events[1]), "an event");
	sov_must(sov_context_get_stream(context, &streams[0]), "a stream");
	for (i = 1; i < STREAMS; i++)
		streams[i] = NULL; /* created on first use: a single stream is faster */
}
static void sov_need_stream(unsigned i)
{
	if (!streams[i])
		sov_must(sov_stream_create(context, 0, &streams[i]), "a stream");
}
static uint64_t sov_memory(size_t bytes)
{
	sov_ptr p = 0;

	sov_must(sov_memory_alloc(context, bytes, &p), "memory");
	sov_must(sov_memory_fill(context, p, 0, 4, bytes / 4), "filling");
	return p;
}
static void *sov_pinned(size_t bytes)
{
	void *p = NULL;

	sov_must(sov_host_alloc(context, bytes, &p), "pinned memory");
	return p;
}
static void sov_launch_kernel(unsigned stream, bool spins, uint64_t p, uint32_t n)
{
	const void *arguments[] = {&p, &n};
	sov_launch l = SOV_INIT(sov_launch);

	sov_need_stream(stream);
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 2;
	l.stream = streams[stream];
	sov_must(sov_function_launch(spins ? spin : add, &l), "launching");
}
static void sov_htod(unsigned stream, uint64_t to, const void *from, size_t bytes)
{
	sov_need_stream(stream);
	sov_must(sov_memory_copy_async(streams[stream], to, SOV_HOST(from), bytes), "copying");
}
static void sov_wait(unsigned stream)
{
	sov_need_stream(stream);
	sov_must(sov_stream_wait(streams[stream], SOV_FOREVER), "waiting");
}
static uint32_t sov_read(uint64_t p)
{
	uint32_t x;

	sov_must(sov_memory_copy(context, SOV_HOST(&x), p, 4), "reading");
	return x;
}
static void sov_build_graph(uint64_t p)
{
	sov_graph g;
	unsigned i;

	sov_must(sov_graph_create(context, 0, &g), "a graph");
	sov_must(sov_stream_begin_capture(streams[0], g), "capturing");
	for (i = 0; i < CHAIN; i++)
		sov_launch_kernel(0, false, p, 1);
	sov_must(sov_stream_end_capture(streams[0]), "capturing");
	sov_must(sov_graph_instantiate(g, &graph_run), "instantiating");
}
static void sov_run_graph(void)
{
	sov_must(sov_graph_launch(graph_run, streams[0]), "running a graph");
}
static void sov_use_pool(void)
{
	sov_ptr p;

	sov_must(sov_memory_alloc_async(streams[0], 1 << 20, &p), "the pool");
	sov_must(sov_memory_free_async(streams[0], p), "the pool");
}
static void sov_use_memory(void)
{
	sov_ptr p;

	sov_must(sov_memory_alloc(context, 1 << 20, &p), "memory");
	sov_must(sov_memory_free(context, p), "memory");
}
static void sov_use_event(bool timed)
{
	sov_must(sov_event_record(events[timed], streams[0]), "recording");
	sov_must(sov_event_wait(events[timed], SOV_FOREVER), "waiting");
}

#define CUDA_RUNTIME_FUNCTIONS(F) \
	F(cuMemAllocAsync, (cuda_ptr * p, size_t bytes, cuda_handle stream)) \
	F(cuMemFreeAsync, (cuda_ptr p, cuda_handle stream)) \
	F(cuMemcpyHtoDAsync_v2, (cuda_ptr to, const void *from, size_t bytes, cuda_handle stream)) \
	F(cuStreamBeginCapture_v2, (cuda_handle stream, int mode)) \
	F(cuStreamEndCapture, (cuda_handle stream, cuda_handle * graph)) \
	F(cuGraphInstantiateWithFlags, \
	  (cuda_handle * run, cuda_handle graph, unsigned long long flags)) \
	F(cuGraphLaunch, (cuda_handle run, cuda_handle stream))
CUDA_RUNTIME_FUNCTIONS(CUDA_DECLARE)

static cuda_handle cuda_streams[STREAMS], cuda_add, cuda_spin, cuda_graph_run, cuda_events[2];

static void cuda_load(void)
{
	struct cuda_device d = cuda_open();
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	cuda_handle m;
	unsigned i;

	(void)d;
	CUDA_RUNTIME_FUNCTIONS(CUDA_LOOK_UP)
	must(cuModuleLoadData(&m, ptx), "loading");
	must(cuModuleGetFunction(&cuda_add, m, "add"), "a kernel");
	must(cuModuleGetFunction(&cuda_spin, m, "spin"), "a kernel");
	must(cuEventCreate(&cuda_events[0], 2), "an event"); /* 2: CU_EVENT_DISABLE_TIMING */
	must(cuEventCreate(&cuda_events[1], 0), "an event");
	for (i = 0; i < STREAMS; i++)
		must(cuStreamCreate(&cuda_streams[i], 1), "a stream");
}
static uint64_t cuda_memory(size_t bytes)
{
	cuda_ptr p = 0;

	must(cuMemAlloc_v2(&p, bytes), "memory");
	must(cuMemsetD32Async(p, 0, bytes / 4, cuda_streams[0]), "filling");
	must(cuStreamSynchronize(cuda_streams[0]), "filling");
	return p;
}
static void *cuda_pinned(size_t bytes)
{
	void *p = NULL;

	must(cuMemAllocHost_v2(&p, bytes), "pinned memory");
	return p;
}
static void cuda_launch_kernel(unsigned stream, bool spins, uint64_t p, uint32_t n)
{
	void *arguments[] = {&p, &n};

	must(cuLaunchKernel(spins ? cuda_spin : cuda_add, 1, 1, 1, 1, 1, 1, 0, cuda_streams[stream],
			    arguments, NULL),
	     "launching");
}
static void cuda_htod(unsigned stream, uint64_t to, const void *from, size_t bytes)
{
	must(cuMemcpyHtoDAsync_v2(to, from, bytes, cuda_streams[stream]), "copying");
}
static void cuda_wait(unsigned stream)
{
	must(cuStreamSynchronize(cuda_streams[stream]), "waiting");
}
static uint32_t cuda_read(uint64_t p)
{
	uint32_t x;

	must(cuMemcpyDtoH_v2(&x, p, 4), "reading");
	return x;
}
static void cuda_build_graph(uint64_t p)
{
	cuda_handle g;
	unsigned i;

	must(cuStreamBeginCapture_v2(cuda_streams[0], 2), "capturing");
	for (i = 0; i < CHAIN; i++)
		cuda_launch_kernel(0, false, p, 1);
	must(cuStreamEndCapture(cuda_streams[0], &g), "capturing");
	must(cuGraphInstantiateWithFlags(&cuda_graph_run, g, 0), "instantiating");
}
static void cuda_run_graph(void)
{
	must(cuGraphLaunch(cuda_graph_run, cuda_streams[0]), "running a graph");
}
static void cuda_use_pool(void)
{
	cuda_ptr p;

	must(cuMemAllocAsync(&p, 1 << 20, cuda_streams[0]), "the pool");
	must(cuMemFreeAsync(p, cuda_streams[0]), "the pool");
}
static void cuda_use_memory(void)
{
	cuda_ptr p;

	must(cuMemAlloc_v2(&p, 1 << 20), "memory");
	must(cuMemFree_v2(p), "memory");
}
static void cuda_use_event(bool timed)
{
	must(cuEventRecord(cuda_events[timed], cuda_streams[0]), "recording");
	must(cuEventSynchronize(cuda_events[timed]), "waiting");
}

static const struct api apis[] = {
	{"sov", sov_load, sov_memory, sov_pinned, sov_launch_kernel, sov_htod, sov_wait, sov_read,
	 sov_build_graph, sov_run_graph, sov_use_pool, sov_use_memory, sov_use_event},
	{"cuda", cuda_load, cuda_memory, cuda_pinned, cuda_launch_kernel, cuda_htod, cuda_wait,
	 cuda_read, cuda_build_graph, cuda_run_graph, cuda_use_pool, cuda_use_memory,
	 cuda_use_event},
};

/* ---- measuring ---- */

static const struct api *api;
static uint64_t words, bulk;
static void *host;
static uint32_t short_spin, long_spin;

static void do_graph(void)
{
	api->run();
	api->wait(0);
}
static void do_launches(void)
{
	for (unsigned i = 0; i < CHAIN; i++)
		api->launch(0, false, words, 1);
	api->wait(0);
}
static void do_pool(void)
{
	for (unsigned i = 0; i < 100; i++)
		api->pool();
}
static void do_plain(void)
{
	api->plain();
}
static void do_event(void)
{
	api->event(false);
}
static void do_timed(void)
{
	api->event(true);
}
static void do_streams(unsigned n)
{
	for (unsigned i = 0; i < (small ? 16 : 256); i++)
		api->launch(i % n, true, words + 64 * (1 + i % n), short_spin);
	for (unsigned i = 0; i < n; i++)
		api->wait(i);
}
static void do_one(void)
{
	do_streams(1);
}
static void do_four(void)
{
	do_streams(STREAMS);
}
static void do_copy(void)
{
	api->htod(0, bulk, host, (size_t)copy_mib << 20);
	api->wait(0);
}
static void do_compute(void)
{
	api->launch(0, true, words, long_spin);
	api->wait(0);
}
static void do_serial(void)
{
	api->htod(0, bulk, host, (size_t)copy_mib << 20);
	api->launch(0, true, words, long_spin);
	api->wait(0);
}
static void do_overlap(void)
{
	api->htod(0, bulk, host, (size_t)copy_mib << 20);
	api->launch(1, true, words, long_spin);
	api->wait(0);
	api->wait(1);
}

static double median_us(void (*operation)(void), unsigned n)
{
	static double times[1000];

	operation();
	for (unsigned i = 0; i < n; i++) {
		double from = now_us();

		operation();
		times[i] = now_us() - from;
	}
	qsort(times, n, sizeof(*times), by_size);
	return times[n / 2];
}

/*
 * The time of a chain of small kernels is memory latency, which depends on the addresses of the
 * word and of the graph. One address is a matter of luck, so the words lie far from each other,
 * and several graphs add to each.
 */
static bool measure_graphs(double figures[FIGURES])
{
	double times[ADDRESSES * GRAPHS];
	uint64_t all = api->memory((size_t)ADDRESSES << 21);

	for (unsigned i = 0; i < ADDRESSES * GRAPHS; i++) {
		uint64_t word = all + ((uint64_t)(i / GRAPHS) << 21) + i / GRAPHS * 0x11100;

		api->graph(word);
		times[i] = median_us(do_graph, samples);
		if (show_addresses)
			printf("%s%.1f", i % GRAPHS ? " " : i ? "\n" : "", times[i]);
		uint32_t sum = (i % GRAPHS + 1) * CHAIN * (samples + 1);

		if (api->read(word) != sum) {
			printf("WRONG %s: graphs added %u, not %u\n", api->name, api->read(word),
			       sum);
			return false;
		}
	}
	if (show_addresses)
		printf(" us by %s\n", api->name);
	qsort(times, ADDRESSES * GRAPHS, sizeof(*times), by_size);
	figures[GRAPH] = times[ADDRESSES * GRAPHS / 2];
	figures[GRAPH_MIN] = times[0];
	figures[GRAPH_MAX] = times[ADDRESSES * GRAPHS - 1];
	return true;
}

static bool measure(double figures[FIGURES])
{
	double each;

	api->open();
	words = api->memory(4096);
	bulk = api->memory((size_t)copy_mib << 20);
	host = api->pinned((size_t)copy_mib << 20);
	memset(host, 0x5a, (size_t)copy_mib << 20);
	for (unsigned i = 0; i < (small ? 1 : 10);
	     i++) { /* until the clocks have risen to those under load */
		api->launch(0, true, words, small ? 1000 : 20000000);
		api->wait(0);
	}
	if (!measure_graphs(figures))
		return false;
	figures[LAUNCHES] = median_us(do_launches, samples / 4);
	figures[POOL] = median_us(do_pool, samples) / 100;
	figures[PLAIN] = median_us(do_plain, samples / 4);
	figures[EVENT] = median_us(do_event, samples);
	figures[TIMED] = median_us(do_timed, samples);
	/* One long kernel calibrates the time of an iteration. */
	long_spin = small ? 1000 : 1000000;
	each = median_us(do_compute, 5) / long_spin;
	short_spin = small ? 100 : (uint32_t)(5 / each);
	figures[COPY] = median_us(do_copy, 15);
	long_spin = small ? 1000 : (uint32_t)(figures[COPY] / each);
	figures[COMPUTE] = median_us(do_compute, 15);
	figures[SERIAL] = median_us(do_serial, 15);
	figures[ONE_STREAM] = median_us(do_one, 15);
	figures[FOUR_STREAMS] = median_us(do_four, 15);
	figures[OVERLAPPED] = median_us(do_overlap, 15);
	if (api->read(bulk + ((uint64_t)copy_mib << 20) - 4) != 0x5a5a5a5a) {
		printf("WRONG %s: the copy did not arrive\n", api->name);
		return false;
	}
	return true;
}

/* Measures one API in a child process and keeps the best figures. */
static bool measure_api(const struct api *measured, double best[FIGURES])
{
	double figures[FIGURES];
	int pipes[2], status;
	bool whole;
	pid_t child;

	fflush(stdout);
	if (pipe(pipes) || (child = fork()) < 0)
		exit(EXIT_BROKEN);
	if (!child) {
		alarm(120);
		api = measured;
		if (!measure(figures))
			exit(EXIT_WRONG);
		if (write(pipes[1], figures, sizeof(figures)) != sizeof(figures))
			exit(EXIT_BROKEN);
		exit(0);
	}
	close(pipes[1]);
	whole = read(pipes[0], figures, sizeof(figures)) == sizeof(figures);
	close(pipes[0]);
	waitpid(child, &status, 0);
	for (unsigned i = 0; whole && i < FIGURES; i++)
		if (!best[i] || figures[i] < best[i])
			best[i] = figures[i];
	return whole && !status;
}

int main(int argc, char **argv)
{
	double best[2][FIGURES] = {{0}};
	unsigned n = 2, i, k;
	bool good = true;

	for (i = 1; i < (unsigned)argc; i++) {
		small = small || !strcmp(argv[i], "--small");
		show_addresses = show_addresses || !strcmp(argv[i], "--addresses");
	}
	if (small) {
		samples = 8;
		copy_mib = 1;
		n = 1;
	}
	for (k = 0; good && k < (small ? 1 : ROUNDS); k++)
		for (i = 0; good && i < n; i++)
			good = measure_api(&apis[i], best[i]);
	if (!good) {
		printf("cuda_compare_runtime: FAIL\n");
		return EXIT_WRONG;
	}
	printf("Medians, the best of %u rounds:\n\n| operation | sov | CUDA | sov/CUDA |\n| --- | "
	       "--- | "
	       "--- | --- |\n",
	       ROUNDS);
	for (i = 0; i < FIGURES; i++)
		printf("| %s | %.2f | %.2f | %.2f |\n", names[i], best[0][i], best[1][i],
		       best[1][i] > 0 ? best[0][i] / best[1][i] : 0);
	for (k = 0; k < n; k++)
		printf("%s: the pool is %.1f times as fast as device memory; four streams are %.2f "
		       "times as fast as one; copy and kernel overlapped are %.2f times as fast as "
		       "one after the other\n",
		       apis[k].name, best[k][PLAIN] / best[k][POOL],
		       best[k][ONE_STREAM] / best[k][FOUR_STREAMS],
		       best[k][SERIAL] / best[k][OVERLAPPED]);
	if (n == 2)
		printf("sov's pool is %.1f times as fast as cuMemAlloc and cuMemFree\n",
		       best[1][PLAIN] / best[0][POOL]);
	return 0;
}
