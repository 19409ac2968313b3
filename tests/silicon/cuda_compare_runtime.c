/* SPDX-License-Identifier: MIT */
/*
 * The runtime beside the CUDA driver API, on one GPU and in one run: graphs, pools, streams, events,
 * copies beside kernels.
 *
 *   peer_runtime [--small] [--places]
 *
 * Each side works in a process of its own, in turns; what is shown is the best median of all turns.
 * Both compile the same PTX by themselves. --small is for a software GPU, without CUDA; --places shows the time
 * of each graph, a line for each word that graphs add to. Exit status 0: every value was right; whether the figures are as wanted is for the reader of the table.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "driver.h"
#include "libsov/sov.h"

#define TURNS   3
#define CHAIN   100u
#define STREAMS 4u
#define PLACES  8u
#define GRAPHS  4u

static unsigned samples = 200, copy_mib = 64;
static bool small, show_places;

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
	GRAPH_LEAST,
	GRAPH_MOST,
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
	"graph of 100 kernels in a chain, run and waited for, us",
	"the fastest of these graphs, us",
	"the slowest, us",
	"the same by launches, us",
	"1 MiB from the pool and back, us",
	"1 MiB of the device and back, us",
	"256 kernels of about 5 us on one stream, us",
	"the same on four streams, us",
	"event without time recorded and waited for, us",
	"event with time recorded and waited for, us",
	"64 MiB of pinned memory in, us",
	"a kernel of about that time, us",
	"both on one stream, us",
	"both on two streams, us",
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

/* ---- the two sides ---- */

struct side {
	const char *name;
	void (*open)(void);
	uint64_t (*memory)(size_t bytes);
	void *(*pinned)(size_t bytes);
	void (*launch)(unsigned stream, bool spin, uint64_t p, uint32_t n);
	void (*in)(unsigned stream, uint64_t to, const void *from, size_t bytes);
	void (*wait)(unsigned stream);
	uint32_t (*read)(uint64_t p);
	void (*graph)(uint64_t p); /* CHAIN times add 1 */
	void (*run)(void);
	void (*pool)(void);
	void (*plain)(void);
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

static void s_open(void)
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
		streams[i] = NULL; /* made when they are needed: one alone is faster */
}
static void s_need(unsigned i)
{
	if (!streams[i])
		sov_must(sov_stream_create(context, 0, &streams[i]), "a stream");
}
static uint64_t s_memory(size_t bytes)
{
	sov_ptr p = 0;

	sov_must(sov_memory_alloc(context, bytes, &p), "memory");
	sov_must(sov_memory_fill(context, p, 0, 4, bytes / 4), "filling");
	return p;
}
static void *s_pinned(size_t bytes)
{
	void *p = NULL;

	sov_must(sov_host_alloc(context, bytes, &p), "pinned memory");
	return p;
}
static void s_launch(unsigned stream, bool long_one, uint64_t p, uint32_t n)
{
	const void *arguments[] = {&p, &n};
	sov_launch l = SOV_INIT(sov_launch);

	s_need(stream);
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 2;
	l.stream = streams[stream];
	sov_must(sov_function_launch(long_one ? spin : add, &l), "launching");
}
static void s_in(unsigned stream, uint64_t to, const void *from, size_t bytes)
{
	s_need(stream);
	sov_must(sov_memory_copy_async(streams[stream], to, SOV_HOST(from), bytes), "copying");
}
static void s_wait(unsigned stream)
{
	s_need(stream);
	sov_must(sov_stream_wait(streams[stream], SOV_MAX_WAIT), "waiting");
}
static uint32_t s_read(uint64_t p)
{
	uint32_t x;

	sov_must(sov_memory_copy(context, SOV_HOST(&x), p, 4), "reading");
	return x;
}
static void s_graph(uint64_t p)
{
	sov_graph g;
	unsigned i;

	sov_must(sov_graph_create(context, 0, &g), "a graph");
	sov_must(sov_stream_begin_capture(streams[0], g), "capturing");
	for (i = 0; i < CHAIN; i++)
		s_launch(0, false, p, 1);
	sov_must(sov_stream_end_capture(streams[0]), "capturing");
	sov_must(sov_graph_instantiate(g, &graph_run), "instantiating");
}
static void s_run(void)
{
	sov_must(sov_graph_launch(graph_run, streams[0]), "running a graph");
}
static void s_pool(void)
{
	sov_ptr p;

	sov_must(sov_memory_alloc_async(streams[0], 1 << 20, &p), "the pool");
	sov_must(sov_memory_free_async(streams[0], p), "the pool");
}
static void s_plain(void)
{
	sov_ptr p;

	sov_must(sov_memory_alloc(context, 1 << 20, &p), "memory");
	sov_must(sov_memory_free(context, p), "memory");
}
static void s_event(bool timed)
{
	sov_must(sov_event_record(events[timed], streams[0]), "recording");
	sov_must(sov_event_wait(events[timed], SOV_MAX_WAIT), "waiting");
}

#define MORE_FUNCTIONS(F) \
	F(cuMemAllocAsync, (cuda_ptr * p, size_t bytes, cuda_handle stream)) \
	F(cuMemFreeAsync, (cuda_ptr p, cuda_handle stream)) \
	F(cuMemcpyHtoDAsync_v2, (cuda_ptr to, const void *from, size_t bytes, cuda_handle stream)) \
	F(cuStreamBeginCapture_v2, (cuda_handle stream, int mode)) \
	F(cuStreamEndCapture, (cuda_handle stream, cuda_handle * graph)) \
	F(cuGraphInstantiateWithFlags, \
	  (cuda_handle * run, cuda_handle graph, unsigned long long flags)) \
	F(cuGraphLaunch, (cuda_handle run, cuda_handle stream))
MORE_FUNCTIONS(CUDA_DECLARE)

static cuda_handle c_streams[STREAMS], c_add, c_spin, c_run_handle, c_events[2];

static void c_open(void)
{
	struct cuda_device d = cuda_open();
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	cuda_handle m;
	unsigned i;

	(void)d;
	MORE_FUNCTIONS(CUDA_LOOK_UP)
	must(cuModuleLoadData(&m, ptx), "loading");
	must(cuModuleGetFunction(&c_add, m, "add"), "a kernel");
	must(cuModuleGetFunction(&c_spin, m, "spin"), "a kernel");
	must(cuEventCreate(&c_events[0], 2), "an event"); /* 2: without its time */
	must(cuEventCreate(&c_events[1], 0), "an event");
	for (i = 0; i < STREAMS; i++)
		must(cuStreamCreate(&c_streams[i], 1), "a stream");
}
static uint64_t c_memory(size_t bytes)
{
	cuda_ptr p = 0;

	must(cuMemAlloc_v2(&p, bytes), "memory");
	must(cuMemsetD32Async(p, 0, bytes / 4, c_streams[0]), "filling");
	must(cuStreamSynchronize(c_streams[0]), "filling");
	return p;
}
static void *c_pinned(size_t bytes)
{
	void *p = NULL;

	must(cuMemAllocHost_v2(&p, bytes), "pinned memory");
	return p;
}
static void c_launch(unsigned stream, bool long_one, uint64_t p, uint32_t n)
{
	void *arguments[] = {&p, &n};

	must(cuLaunchKernel(long_one ? c_spin : c_add, 1, 1, 1, 1, 1, 1, 0, c_streams[stream],
			    arguments, NULL),
	     "launching");
}
static void c_in(unsigned stream, uint64_t to, const void *from, size_t bytes)
{
	must(cuMemcpyHtoDAsync_v2(to, from, bytes, c_streams[stream]), "copying");
}
static void c_wait(unsigned stream)
{
	must(cuStreamSynchronize(c_streams[stream]), "waiting");
}
static uint32_t c_read(uint64_t p)
{
	uint32_t x;

	must(cuMemcpyDtoH_v2(&x, p, 4), "reading");
	return x;
}
static void c_graph(uint64_t p)
{
	cuda_handle g;
	unsigned i;

	must(cuStreamBeginCapture_v2(c_streams[0], 2), "capturing");
	for (i = 0; i < CHAIN; i++)
		c_launch(0, false, p, 1);
	must(cuStreamEndCapture(c_streams[0], &g), "capturing");
	must(cuGraphInstantiateWithFlags(&c_run_handle, g, 0), "instantiating");
}
static void c_run(void)
{
	must(cuGraphLaunch(c_run_handle, c_streams[0]), "running a graph");
}
static void c_pool(void)
{
	cuda_ptr p;

	must(cuMemAllocAsync(&p, 1 << 20, c_streams[0]), "the pool");
	must(cuMemFreeAsync(p, c_streams[0]), "the pool");
}
static void c_plain(void)
{
	cuda_ptr p;

	must(cuMemAlloc_v2(&p, 1 << 20), "memory");
	must(cuMemFree_v2(p), "memory");
}
static void c_event(bool timed)
{
	must(cuEventRecord(c_events[timed], c_streams[0]), "recording");
	must(cuEventSynchronize(c_events[timed]), "waiting");
}

static const struct side sides[] = {
	{"sov", s_open, s_memory, s_pinned, s_launch, s_in, s_wait, s_read, s_graph, s_run, s_pool,
	 s_plain, s_event},
	{"cuda", c_open, c_memory, c_pinned, c_launch, c_in, c_wait, c_read, c_graph, c_run, c_pool,
	 c_plain, c_event},
};

/* ---- measuring ---- */

static const struct side *S;
static uint64_t words, bulk;
static void *host;
static uint32_t short_spin, long_spin;

static void do_graph(void)
{
	S->run();
	S->wait(0);
}
static void do_launches(void)
{
	for (unsigned i = 0; i < CHAIN; i++)
		S->launch(0, false, words, 1);
	S->wait(0);
}
static void do_pool(void)
{
	for (unsigned i = 0; i < 100; i++)
		S->pool();
}
static void do_plain(void)
{
	S->plain();
}
static void do_event(void)
{
	S->event(false);
}
static void do_timed(void)
{
	S->event(true);
}
static void do_streams(unsigned n)
{
	for (unsigned i = 0; i < (small ? 16 : 256); i++)
		S->launch(i % n, true, words + 64 * (1 + i % n), short_spin);
	for (unsigned i = 0; i < n; i++)
		S->wait(i);
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
	S->in(0, bulk, host, (size_t)copy_mib << 20);
	S->wait(0);
}
static void do_compute(void)
{
	S->launch(0, true, words, long_spin);
	S->wait(0);
}
static void do_serial(void)
{
	S->in(0, bulk, host, (size_t)copy_mib << 20);
	S->launch(0, true, words, long_spin);
	S->wait(0);
}
static void do_overlap(void)
{
	S->in(0, bulk, host, (size_t)copy_mib << 20);
	S->launch(1, true, words, long_spin);
	S->wait(0);
	S->wait(1);
}

static double median(void (*what)(void), unsigned n)
{
	static double times[1000];

	what();
	for (unsigned i = 0; i < n; i++) {
		double from = now_us();

		what();
		times[i] = now_us() - from;
	}
	qsort(times, n, sizeof(*times), by_size);
	return times[n / 2];
}

/*
 * A chain of small kernels goes to and from memory all the time, and how far that is depends on where its word lies, and
 * where the graph does: one place is a matter of luck. So words lie far apart, and each has several graphs.
 */
static bool measure_graphs(double figures[FIGURES])
{
	double times[PLACES * GRAPHS];
	uint64_t all = S->memory((size_t)PLACES << 21);

	for (unsigned i = 0; i < PLACES * GRAPHS; i++) {
		uint64_t word = all + ((uint64_t)(i / GRAPHS) << 21) + i / GRAPHS * 0x11100;

		S->graph(word);
		times[i] = median(do_graph, samples);
		if (show_places)
			printf("%s%.1f", i % GRAPHS ? " " : i ? "\n" : "", times[i]);
		uint32_t sum = (i % GRAPHS + 1) * CHAIN * (samples + 1);

		if (S->read(word) != sum) {
			printf("WRONG %s: graphs added %u, not %u\n", S->name, S->read(word), sum);
			return false;
		}
	}
	if (show_places)
		printf(" us by %s\n", S->name);
	qsort(times, PLACES * GRAPHS, sizeof(*times), by_size);
	figures[GRAPH] = times[PLACES * GRAPHS / 2];
	figures[GRAPH_LEAST] = times[0];
	figures[GRAPH_MOST] = times[PLACES * GRAPHS - 1];
	return true;
}

static bool measure(double figures[FIGURES])
{
	double each;

	S->open();
	words = S->memory(4096);
	bulk = S->memory((size_t)copy_mib << 20);
	host = S->pinned((size_t)copy_mib << 20);
	memset(host, 0x5a, (size_t)copy_mib << 20);
	for (unsigned i = 0; i < (small ? 1 : 10);
	     i++) { /* until clocks are what they are under load */
		S->launch(0, true, words, small ? 1000 : 20000000);
		S->wait(0);
	}
	if (!measure_graphs(figures))
		return false;
	figures[LAUNCHES] = median(do_launches, samples / 4);
	figures[POOL] = median(do_pool, samples) / 100;
	figures[PLAIN] = median(do_plain, samples / 4);
	figures[EVENT] = median(do_event, samples);
	figures[TIMED] = median(do_timed, samples);
	/* How long a turn of the loop is, by one long kernel. */
	long_spin = small ? 1000 : 1000000;
	each = median(do_compute, 5) / long_spin;
	short_spin = small ? 100 : (uint32_t)(5 / each);
	figures[COPY] = median(do_copy, 15);
	long_spin = small ? 1000 : (uint32_t)(figures[COPY] / each);
	figures[COMPUTE] = median(do_compute, 15);
	figures[SERIAL] = median(do_serial, 15);
	figures[ONE_STREAM] = median(do_one, 15);
	figures[FOUR_STREAMS] = median(do_four, 15);
	figures[OVERLAPPED] = median(do_overlap, 15);
	if (S->read(bulk + ((uint64_t)copy_mib << 20) - 4) != 0x5a5a5a5a) {
		printf("WRONG %s: the copy did not arrive\n", S->name);
		return false;
	}
	return true;
}

/* In a process of its own. */
static bool turn(const struct side *side, double best[FIGURES])
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
		S = side;
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
		show_places = show_places || !strcmp(argv[i], "--places");
	}
	if (small) {
		samples = 8;
		copy_mib = 1;
		n = 1;
	}
	for (k = 0; good && k < (small ? 1 : TURNS); k++)
		for (i = 0; good && i < n; i++)
			good = turn(&sides[i], best[i]);
	if (!good) {
		printf("peer_runtime: FAIL\n");
		return EXIT_WRONG;
	}
	printf("Medians, the best of %u turns:\n\n| what | sov | cuda | sov/cuda |\n| --- | --- | "
	       "--- | --- |\n",
	       TURNS);
	for (i = 0; i < FIGURES; i++)
		printf("| %s | %.2f | %.2f | %.2f |\n", names[i], best[0][i], best[1][i],
		       best[1][i] > 0 ? best[0][i] / best[1][i] : 0);
	for (k = 0; k < n; k++)
		printf("%s: pool %.1f times faster than allocating; four streams %.2f times faster "
		       "than one; "
		       "copy and kernel together %.2f times faster than one after the other\n",
		       sides[k].name, best[k][PLAIN] / best[k][POOL],
		       best[k][ONE_STREAM] / best[k][FOUR_STREAMS],
		       best[k][SERIAL] / best[k][OVERLAPPED]);
	if (n == 2)
		printf("sov's pool is %.1f times faster than cuMemAlloc and cuMemFree\n",
		       best[1][PLAIN] / best[0][POOL]);
	return 0;
}
