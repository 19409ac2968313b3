// SPDX-License-Identifier: MIT
/*
 * SOV_TRACE: the file shows calls and GPU work in a consistent order, and is valid JSON however the
 * program ends. Each case is a child process; the parent parses its file line by line, as the
 * library writes it.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

enum { LAUNCHES = 5, REPLAYS = 3, MAX_EVENTS = 20000, QUICK = 200000, ROOM = 100000 };

static char path[64];

/* ---- reading ---- */

struct event {
	char phase;
	uint32_t pid, tid;
	double start, took; /* microseconds */
	char category[16], name[64];
	char line[768];
};

static struct event *events;
static uint32_t count;

/* The text after a key; NULL: the line has no such key. */
static const char *value_of(const char *line, const char *key)
{
	char quoted[64];
	const char *at;

	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	at = strstr(line, quoted);
	return at ? at + strlen(quoted) : NULL;
}

static double number_of(const struct event *e, const char *key)
{
	const char *at = value_of(e->line, key);

	return at ? strtod(at, NULL) : -1;
}

static void text_of(const char *line, const char *key, char *text, size_t bytes)
{
	const char *at = value_of(line, key);
	size_t n = at && *at == '"' ? strcspn(at + 1, "\"") : 0;

	snprintf(text, bytes, "%.*s", (int)n, at ? at + 1 : "");
}

static void read_trace(void)
{
	FILE *f = fopen(path, "r");
	static char line[4096];

	count = 0;
	while (f && count < MAX_EVENTS && fgets(line, sizeof(line), f)) {
		struct event *e = &events[count];

		if (strncmp(line, "{\"ph\":\"", 7))
			continue;
		snprintf(e->line, sizeof(e->line), "%.760s", line);
		e->phase = line[7];
		e->pid = (uint32_t)number_of(e, "pid");
		e->tid = (uint32_t)number_of(e, "tid");
		e->start = number_of(e, "ts");
		e->took = number_of(e, "dur");
		text_of(line, "cat", e->category, sizeof(e->category));
		text_of(line, "name", e->name, sizeof(e->name));
		count++;
	}
	if (f)
		fclose(f);
}

static bool is_json(void)
{
	char command[256];

	snprintf(command, sizeof(command), "%s/tests/tools/_json <%s",
		 getenv("BUILD") ? getenv("BUILD") : "build", path);
	return !system(command);
}

static uint32_t count_of(const char *category, const char *name)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++)
		n += events[i].phase == 'X' && !strcmp(events[i].category, category) &&
		     !strcmp(events[i].name, name);
	return n;
}

static double sum_of(const char *category, const char *name, const char *key)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(events[i].category, category) && !strcmp(events[i].name, name))
			sum += number_of(&events[i], key);
	return sum;
}

/* ---- launching ---- */

/* The child's wait status. */
static int run(void (*program)(void))
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	unlink(path);
	child = fork();
	if (!child) {
		setenv("SOV_TRACE", path, 1);
		program();
		exit(0);
	}
	waitpid(child, &status, 0);
	return status;
}

static sov_context here(void)
{
	sov_device d;
	sov_context c;

	MUST(sov_device_open(0, &d));
	MUST(sov_context_create(d, NULL, &c));
	return c;
}

/* ---- all kinds of work ---- */

static void rest(void *user)
{
	usleep(*(uint32_t *)user);
}

static void *another(void *context)
{
	uint64_t free_bytes;

	MUST(sov_memory_info(context, &free_bytes, NULL));
	return NULL;
}

static const char graph_ptx[] =
	PTX_HEADER ".visible .entry in_graph(.param .u64 p, .param .u32 n) {\n	ret;\n}\n";

static void everything(void)
{
	static uint8_t host[3 << 20];
	sov_context c = here();
	sov_function add = function_of(c, PTX_ADD, "add");
	sov_function in_graph = function_of(c, graph_ptx, "in_graph");
	uint32_t one = 1, pause = 2000;
	sov_launch l = SOV_INIT(sov_launch);
	sov_graph_exec replay;
	sov_graph g;
	pthread_t thread;
	sov_stream s[2];
	sov_ptr p, q;

	MUST(sov_memory_alloc(c, sizeof(host), &p));
	MUST(sov_memory_alloc(c, sizeof(host), &q));
	MUST(sov_memory_fill(c, p, 0, 4, sizeof(host) / 4));
	MUST(sov_memory_copy(c, p, SOV_HOST(host), sizeof(host)));
	MUST(sov_memory_copy(c, q, p, 1000));
	MUST(sov_memory_copy(c, SOV_HOST(host), p, 70000));
	for (uint32_t i = 0; i < 2; i++)
		MUST(sov_stream_create(c, 0, &s[i]));
	for (uint32_t i = 0; i < LAUNCHES; i++)
		for (uint32_t k = 0; k < 2; k++) {
			sov_ptr at = p + 4 * k;

			MUST(launch(add, s[k], 2, 32, "84", ARGUMENTS(&at, &one)));
		}
	MUST(sov_stream_host_function(s[0], rest, &pause));
	MUST(sov_context_wait(c, 60 * SECOND));
	MUST(sov_graph_create(c, 0, &g));
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = ARGUMENTS(&p, &one);
	l.argument_count = 2;
	MUST(sov_graph_add_kernel(g, NULL, 0, in_graph, &l, NULL));
	MUST(sov_graph_add_fill(g, NULL, 0, q, 1, 4, 10, NULL));
	MUST(sov_graph_add_copy(g, NULL, 0, q + 4096, p + 4096, 512, NULL));
	MUST(sov_graph_instantiate(g, &replay));
	for (uint32_t i = 0; i < REPLAYS; i++)
		MUST(sov_graph_launch(replay, s[1]));
	pthread_create(&thread, NULL, another, c);
	pthread_join(thread, NULL);
	if (sov_memory_free(c, p + 1) != SOV_ERROR_INVALID_ADDRESS)
		exit(1);
	MUST(sov_context_wait(c, 60 * SECOND));
}

static int by_track(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->phase != y->phase)
		return x->phase - y->phase;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static bool same_track(const struct event *a, const struct event *b)
{
	return a->phase == 'X' && b->phase == 'X' && a->pid == b->pid && a->tid == b->tid;
}

static void check_order(void)
{
	uint32_t over = 0, empty = 0, early = 0, gpu = 0, starts = 0, ends = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct event *e = &events[i];
		double submitted = number_of(e, "submitted");

		starts += e->phase == 's';
		ends += e->phase == 'f';
		if (e->phase != 'X')
			continue;
		empty += e->took < 0 || (submitted >= 0 && e->took <= 0);
		early += submitted >= 0 && e->start < submitted;
		gpu += submitted >= 0;
	}
	ok(gpu && !empty, "all %u GPU work items in the trace have a duration", gpu);
	ok(!early, "no GPU work starts before it was submitted, on a common clock");
	ok(starts == gpu && ends == gpu, "a flow arrow leads from each submission to its GPU work");
	qsort(events, count, sizeof(*events), by_track);
	for (uint32_t i = 1; i < count; i++)
		over += same_track(&events[i - 1], &events[i]) &&
			events[i].start < events[i - 1].start + events[i - 1].took - 0.002;
	ok(!over, "GPU work on one track does not overlap");
}

static void check_waits(void)
{
	double last = 0, waited = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct event *e = &events[i];

		if (!strcmp(e->name, "add") && e->start + e->took > last)
			last = e->start + e->took;
		if (!strcmp(e->name, "sov_context_wait") && !waited)
			waited = e->start + e->took;
	}
	ok(last > 0 && last < waited, "traced kernels end before the wait for them returns");
}

static void check_everything(void)
{
	ok(run(everything) == 0, "a traced program runs");
	ok(is_json(), "the trace file is valid JSON");
	read_trace();
	ok(count_of("kernel", "add") == 2 * LAUNCHES &&
		   count_of("call", "sov_function_launch") == 2 * LAUNCHES,
	   "the trace has every launch, as a call and as GPU work");
	ok(sum_of("copy", "copy in", "bytes") == 3 << 20, "traced copies to the device add up");
	ok(sum_of("copy", "copy out", "bytes") == 70000, "traced copies from the device add up");
	ok(sum_of("fill", "fill", "bytes") == (3 << 20) + REPLAYS * 40, "traced fills add up");
	ok(count_of("kernel", "in_graph") == REPLAYS && count_of("graph", "graph") == 0,
	   "the trace has the kernel of each graph launch");
	ok(sum_of("copy", "copy across", "bytes") == 1000 + REPLAYS * 512,
	   "the trace has the copies of each graph launch");
	ok(count_of("function", "host function") == 1 &&
		   sum_of("function", "host function", "dur") >= 2000,
	   "the trace has host functions with their duration");
	ok(count_of("call", "sov_device_open") == 1, "the trace has the first call of the program");
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(events[i].name, "sov_memory_free"))
			ok(strstr(events[i].line, "\"result\":\"SOV_ERROR_INVALID_ADDRESS\"") !=
				   NULL,
			   "traced calls have their results");
	for (uint32_t i = 0, seen = 0; i < count && !seen; i++)
		if (!strcmp(events[i].category, "kernel"))
			seen = ok(strstr(events[i].line, "\"grid\":[2,1,1],\"block\":[32,1,1]") !=
					  NULL,
				  "traced kernels have grid and block sizes");
	check_waits();
	check_order();
}

/* ---- abnormal ends ---- */

static void killed(void)
{
	sov_context c = here();
	sov_function add = function_of(c, PTX_ADD, "add");
	uint32_t one = 1;
	sov_stream s;
	sov_ptr p;

	MUST(sov_memory_alloc(c, 4, &p));
	MUST(sov_context_get_stream(c, &s));
	MUST(launch(add, s, 1, 1, "84", ARGUMENTS(&p, &one)));
	MUST(sov_context_wait(c, 60 * SECOND));
	for (;;) { /* the writer thread is active when the program ends */
		MUST(sov_memory_fill(c, p, 1, 4, 1));
		usleep(500);
	}
}

static void check_killed(void)
{
	int status;
	pid_t child;

	fflush(stdout);
	unlink(path);
	child = fork();
	if (!child) {
		setenv("SOV_TRACE", path, 1);
		killed();
	}
	sleep(2); /* the writer thread runs ten times a second */
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && is_json(),
	   "the trace of a killed program is valid JSON");
	read_trace();
	ok(count_of("kernel", "add") == 1 && count_of("call", "sov_context_wait") == 1,
	   "the trace of a killed program has all earlier events");
}

static void quick(void)
{
	uint32_t n;

	for (uint32_t i = 0; i < QUICK; i++)
		MUST(sov_device_count(&n));
}

static void check_lost(void)
{
	uint32_t written = 0, lost = 0;
	static char line[4096];
	FILE *f;

	ok(run(quick) == 0 && is_json(),
	   "a program that calls faster than the trace is written is traced");
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		written += strstr(line, "\"sov_device_count\"") != NULL;
		if (strstr(line, "\"events lost\""))
			lost += (uint32_t)strtoul(value_of(line, "events"), NULL, 10);
	}
	if (f)
		fclose(f);
	ok(written + lost == QUICK, "the trace counts lost events");
	diag("%u of %u calls written", written, QUICK);
}

/* Simulates a full disk: calls are slow enough to be written, and more than memory holds. */
static void disk_full(void)
{
	const struct rlimit most = {ROOM, ROOM};
	uint32_t n;

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &most);
	for (uint32_t i = 0; i < QUICK; i++) {
		MUST(sov_device_count(&n));
		if (i % 20000 == 0)
			usleep(100000);
	}
}

static void check_full(void)
{
	struct stat st;

	ok(run(disk_full) == 0 && is_json() && !stat(path, &st) && st.st_size <= ROOM,
	   "a full disk ends the trace, and the program continues");
}

static void endless(void)
{
	sov_context_options o = SOV_INIT(sov_context_options);
	sov_function gate;
	sov_device d;
	sov_context c;
	sov_stream s;
	sov_ptr p;

	o.kernel_time_limit = SECOND / 4;
	MUST(sov_device_open(0, &d));
	MUST(sov_context_create(d, &o, &c));
	gate = function_of(c, PTX_GATE, "gate");
	MUST(sov_context_get_stream(c, &s));
	MUST(sov_memory_alloc(c, 8, &p));
	MUST(sov_memory_fill(c, p, 0, 4, 2));
	MUST(launch(gate, s, 1, 1, "88", ARGUMENTS(&p, &p)));
	if (sov_context_wait(c, 60 * SECOND) != SOV_ERROR_HANG)
		exit(1);
	MUST(sov_context_reset(c));
}

static void check_cut(void)
{
	bool cut = false;

	ok(run(endless) == 0 && is_json(), "a program with a stopped kernel is traced");
	read_trace();
	for (uint32_t i = 0; i < count; i++)
		cut |= !strcmp(events[i].name, "gate") && strstr(events[i].line, "\"cut\":true") &&
		       events[i].took > 0; /* its time limit starts when a call sees it running */
	ok(cut && count_of("kernel", "gate") == 1,
	   "a stopped kernel is traced as cut at the time it was stopped");
}

static void parent(void)
{
	sov_context c = here();
	uint64_t bytes;
	int status;
	pid_t child = fork();

	if (!child)
		exit(0);
	waitpid(child, &status, 0);
	MUST(sov_memory_info(c, &bytes, NULL));
	exit(status != 0);
}

static void wrong(void)
{
	sov_device d;

	setenv("SOV_TRACE", "/nonexistent/trace", 1);
	refused(sov_device_open(0, &d), SOV_ERROR_INVALID_ARGUMENT,
		"SOV_TRACE: cannot write '/nonexistent/trace'",
		"an unwritable SOV_TRACE is an error");
	setenv("SOV_TRACE", "/dev/null", 1);
	refused(sov_device_open(0, &d), SOV_ERROR_INVALID_ARGUMENT, "not a regular file",
		"an SOV_TRACE that is no regular file is an error");
	unsetenv("SOV_TRACE");
	good(sov_device_open(0, &d), "the device opens after SOV_TRACE is corrected");
}

int main(void)
{
	soft_gpus("gh100:vram=64M");
	setenv("SOV_VISIBLE_DEVICES", soft_name("gh100.0"), 1);
	snprintf(path, sizeof(path), "/tmp/sov-trace-%d.json", (int)getpid());
	events = calloc(MAX_EVENTS, sizeof(*events));
	check_everything();
	check_killed();
	check_lost();
	check_full();
	check_cut();
	ok(!TAP_THREADS_MAY_FORK || (run(parent) == 0 && is_json()),
	   "a program that forks is traced, and its child is not%s",
	   TAP_THREADS_MAY_FORK ? "" : " # SKIP AddressSanitizer");
	unlink(path);
	wrong();
	free(events);
	return tap_done();
}
