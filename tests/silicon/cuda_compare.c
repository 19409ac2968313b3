/* SPDX-License-Identifier: MIT */
/*
 * libsov beside the CUDA driver API, on one GPU and in one run.
 *
 *   peer [--small | --long] IMAGE
 *
 * Two processes, one with libsov alone and one with libcuda, are asked in turns to do the same thing
 * many times and to hand back every single time taken; the table shows medians and ratios. Contents
 * are random for every question and are compared afterwards. --small is for a software GPU: few
 * samples, small copies. --long takes 10,000 samples of everything that has a figure to reach, of the
 * largest copies 2,000, which takes minutes. IMAGE is a cubin with the kernel of store.ptx. Exit status 0: every value was
 * right; whether the figures are as wanted is for the reader of the table.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "peer_side.h"

#define TIME_LIMIT 400 /* seconds for everything */
#define BURST      100u
#define ROUNDS     5u
#define WARM_NS    UINT64_C(1500000000)

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void broken(const char *what)
{
	fprintf(stderr, "BROKEN peer: %s\n", what);
	exit(EXIT_BROKEN);
}

static uint64_t fresh(void)
{
	uint64_t value;

	if (getrandom(&value, sizeof(value), 0) != sizeof(value))
		broken("no random numbers");
	return value;
}

static void *slurp(const char *path, size_t *bytes)
{
	static uint8_t image[1 << 20];
	FILE *f = fopen(path, "rb");

	*bytes = f ? fread(image, 1, sizeof(image), f) : 0;
	if (!*bytes)
		broken(path);
	fclose(f);
	return image;
}

/* ---- one side ---- */

struct question {
	uint32_t what;  /* row of tests */
	uint32_t count; /* samples */
	uint64_t bytes;
};

struct hello {              /* what a side says of itself first */
	uint64_t libraries; /* mappings of NVIDIA's */
	char device[128];
};

static const struct side *side;
static uint64_t word, near[2];
static uint8_t *pinned, *pageable, *want;

static uint64_t sample_launch(uint64_t bytes, uint32_t value)
{
	uint64_t from = now();

	(void)bytes;
	side->launch(word, value);
	side->wait();
	return now() - from;
}
static uint64_t sample_issue(uint64_t bytes, uint32_t value)
{
	uint64_t from = now(), took;

	(void)bytes;
	side->launch(word, value);
	took = now() - from;
	side->wait();
	return took;
}
static uint64_t sample_burst(uint64_t bytes, uint32_t value)
{
	uint64_t from = now(), took;

	(void)bytes;
	for (uint32_t i = 0; i < BURST; i++)
		side->launch(word, value);
	took = now() - from;
	side->wait();
	return took / BURST;
}
static uint64_t sample_chain(uint64_t bytes, uint32_t value)
{
	uint64_t from = now();

	(void)bytes;
	for (uint32_t i = 0; i < BURST; i++)
		side->launch(word, value);
	side->wait();
	return (now() - from) / BURST;
}
/* A number in, a kernel, another number out: what small programs do all the time. */
static uint64_t sample_trip(uint64_t bytes, uint32_t value)
{
	uint64_t from = now();

	(void)bytes;
	side->in(near[0], &value, sizeof(value));
	side->launch(word, value);
	side->wait();
	side->out(pinned, word, sizeof(value));
	return now() - from;
}
#define COPY(name, call) \
	static uint64_t sample_##name(uint64_t bytes, uint32_t value) \
	{ \
		uint64_t from = now(); \
\
		(void)value; \
		call; \
		return now() - from; \
	}
COPY(pinned_in, side->in(near[0], pinned, bytes))
COPY(pinned_out, side->out(pinned, near[0], bytes))
COPY(in, side->in(near[0], pageable, bytes))
COPY(out, side->out(pageable, near[0], bytes))
COPY(across, side->across(near[1], near[0], bytes))
COPY(fill, side->fill(near[0], value, bytes / 4))

/* What must have arrived where, after a sample with these contents. */
static bool stored(uint64_t bytes, uint32_t value)
{
	uint32_t got = ~value;

	(void)bytes;
	side->out(&got, word, sizeof(got));
	return got == value;
}
static bool arrived_near(uint64_t bytes, uint32_t value)
{
	(void)value;
	memset(pageable, 0, bytes);
	side->out(pageable, near[0], bytes);
	return !memcmp(pageable, want, bytes);
}
static bool arrived_far(uint64_t bytes, uint32_t value)
{
	(void)value;
	memset(pageable, 0, bytes);
	side->out(pageable, near[1], bytes);
	return !memcmp(pageable, want, bytes);
}
static bool arrived_pinned(uint64_t bytes, uint32_t value)
{
	(void)value;
	return !memcmp(pinned, want, bytes);
}
static bool arrived_pageable(uint64_t bytes, uint32_t value)
{
	(void)value;
	return !memcmp(pageable, want, bytes);
}
static bool filled(uint64_t bytes, uint32_t value)
{
	uint64_t wrong = 0;

	memset(pageable, 0, bytes);
	side->out(pageable, near[0], bytes);
	for (uint64_t i = 0; i + 4 <= bytes; i += 4)
		wrong += memcmp(pageable + i, &value, 4) != 0;
	return !wrong;
}

/* sov/CUDA in time that is wanted, by size of copy; 0: none. From issue 3. */
struct test {
	const char *name;
	uint64_t (*sample)(uint64_t bytes, uint32_t value);
	bool (*right)(uint64_t bytes, uint32_t value);
	bool sized;
	double wanted, wanted_large;
};
static const struct test tests[] = {
	{"launch + wait", sample_launch, stored, false, 0.6, 0},
	{"issue after idle", sample_issue, stored, false, 0.2, 0},
	{"issue, burst of 100", sample_burst, stored, false, 1, 0},
	{"kernel, chain of 100", sample_chain, stored, false, 0, 0},
	{"in, kernel, out", sample_trip, stored, false, 1, 0},
	{"pinned to device", sample_pinned_in, arrived_near, true, 1, 1 / 0.93},
	{"device to pinned", sample_pinned_out, arrived_pinned, true, 1, 1 / 0.93},
	{"host to device", sample_in, arrived_near, true, 1, 0},
	{"device to host", sample_out, arrived_pageable, true, 1, 0},
	{"device to device", sample_across, arrived_far, true, 1, 1 / 0.95},
	{"fill", sample_fill, filled, true, 0, 0},
};
#define TESTS (sizeof(tests) / sizeof(*tests))
#define SMALL (64u << 10) /* copies up to here are judged by latency */

static void renew(uint64_t bytes)
{
	uint64_t state = fresh();

	for (uint64_t i = 0; i < bytes; i += 8) {
		uint64_t x = (state += 0x9e3779b97f4a7c15) * (i | 1);

		memcpy(want + i, &x, 8);
	}
	memcpy(pinned, want, bytes);
	memcpy(pageable, want, bytes);
	side->in(near[0], want, bytes);
	side->settle();
}

static void answer(const struct question *q)
{
	const struct test *t = &tests[q->what];
	uint32_t value = (uint32_t)fresh();
	uint64_t *times = malloc(q->count * sizeof(*times)), wrong;

	if (!times)
		broken("no memory");
	renew(q->bytes);
	for (uint32_t i = 0; i < 20; i++)
		t->sample(q->bytes, value);
	for (uint32_t i = 0; i < q->count; i++)
		times[i] = t->sample(q->bytes, value + i + 1);
	value += q->count;
	/* Once more with other contents, and look. */
	renew(q->bytes);
	t->sample(q->bytes, value);
	wrong = !t->right(q->bytes, value);
	if (fwrite(&wrong, sizeof(wrong), 1, stdout) != 1 ||
	    fwrite(times, sizeof(*times), q->count, stdout) != q->count || fflush(stdout))
		exit(EXIT_BROKEN);
	free(times);
}

/* Mappings of NVIDIA's libraries in this process. Devices of the kernel module are no libraries. */
static uint64_t nvidia_libraries(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4096];
	uint64_t found = 0;

	while (f && fgets(line, sizeof(line), f)) {
		const char *path = strchr(line, '/');

		if (path && strstr(path, ".so") &&
		    (strstr(path, "cuda") || strstr(path, "nvidia") || strstr(path, "libnv")))
			found++;
	}
	if (!f)
		broken("/proc/self/maps cannot be read");
	fclose(f);
	return found;
}

static int serve(const char *path, uint64_t largest)
{
	struct question q;
	size_t bytes;
	void *image = slurp(path, &bytes);
	struct hello hello = {0};

	side->open(image, bytes);
	side->device(hello.device, sizeof(hello.device));
	word = side->device_memory(4);
	near[0] = side->device_memory(largest);
	near[1] = side->device_memory(largest);
	pinned = side->pinned_memory(largest);
	pageable = malloc(largest);
	want = malloc(largest + 8);
	if (!pageable || !want)
		broken("no memory");
	hello.libraries = nvidia_libraries();
	if (fwrite(&hello, sizeof(hello), 1, stdout) != 1 || fflush(stdout))
		return EXIT_BROKEN;
	while (fread(&q, sizeof(q), 1, stdin) == 1)
		answer(&q);
	return 0;
}

/* From nothing to one number that a kernel has stored. */
static int first_result(const char *path)
{
	size_t bytes;
	void *image = slurp(path, &bytes);
	uint32_t value = (uint32_t)fresh(), got = ~value;
	uint64_t wrong;

	side->open(image, bytes);
	word = side->device_memory(4);
	side->launch(word, value);
	side->wait();
	side->out(&got, word, sizeof(got));
	wrong = got != value;
	return fwrite(&wrong, sizeof(wrong), 1, stdout) != 1 || fflush(stdout) ? EXIT_BROKEN : 0;
}

/* ---- the judge ---- */

struct child {
	pid_t pid;
	FILE *to, *from;
};

static void take(void *to, size_t size, size_t count, const struct child *c)
{
	if (fread(to, size, count, c->from) != count)
		broken("a side has ended");
}

static struct child start(const char *mode, unsigned which, const char *image, uint64_t largest)
{
	char number[32];
	int in[2], out[2];
	struct child c;

	snprintf(number, sizeof(number), "%" PRIu64, largest);
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		broken("no pipes");
	fflush(stdout);
	c.pid = fork();
	if (!c.pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl("/proc/self/exe", "peer", mode, sides[which].name, image, number,
		      (char *)NULL);
		_exit(EXIT_BROKEN);
	}
	if (c.pid < 0)
		broken("no process");
	close(in[0]);
	close(out[1]);
	c.to = fdopen(in[1], "w");
	c.from = fdopen(out[0], "r");
	return c;
}

static bool finish(struct child *c)
{
	int status;

	fclose(c->to);
	fclose(c->from);
	return waitpid(c->pid, &status, 0) == c->pid && !status;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t wrong_values;

/* Both sides in turns, who begins changes; medians in nanoseconds. */
static void compare(struct child *c, struct question q, uint32_t rounds, uint64_t median[SIDES])
{
	uint64_t *times[SIDES], wrong;

	for (unsigned s = 0; s < SIDES; s++)
		if (!(times[s] = malloc((uint64_t)rounds * q.count * sizeof(uint64_t))))
			broken("no memory");
	for (uint32_t r = 0; r < rounds; r++)
		for (unsigned turn = 0; turn < SIDES; turn++) {
			unsigned s = (turn + r) % SIDES;

			if (fwrite(&q, sizeof(q), 1, c[s].to) != 1 || fflush(c[s].to))
				broken("a side does not listen");
			take(&wrong, sizeof(wrong), 1, &c[s]);
			take(times[s] + (uint64_t)r * q.count, sizeof(uint64_t), q.count, &c[s]);
			if (wrong)
				printf("WRONG %s, %s, %" PRIu64 " bytes\n", sides[s].name,
				       tests[q.what].name, q.bytes);
			wrong_values += wrong;
		}
	for (unsigned s = 0; s < SIDES; s++) {
		qsort(times[s], (uint64_t)rounds * q.count, sizeof(uint64_t), by_value);
		median[s] = times[s][(uint64_t)rounds * q.count / 2];
		free(times[s]);
	}
}

static void print_row(const char *name, uint64_t bytes, const uint64_t median[SIDES], double wanted,
		      uint64_t samples)
{
	double ratio = median[1] ? (double)median[0] / (double)median[1] : 0;

	printf("| %-20s |", name);
	if (bytes)
		printf(" %9" PRIu64 " |", bytes);
	else
		printf(" %9s |", "");
	printf(" %9.2f | %9.2f | %6.3f |", (double)median[0] / 1e3, (double)median[1] / 1e3, ratio);
	if (bytes)
		printf(" %7.2f | %7.2f |", (double)bytes / (double)median[0],
		       (double)bytes / (double)median[1]);
	else
		printf(" %7s | %7s |", "", "");
	if (wanted)
		printf(" %5.2f %-6s |", wanted, ratio <= wanted ? "" : "missed");
	else
		printf(" %12s |", "");
	printf(" %6" PRIu64 " |\n", samples);
}

enum effort { SMALL_EFFORT, USUAL_EFFORT, LONG_EFFORT };

/* Of one round. */
static uint32_t samples_of(uint64_t bytes, double wanted, enum effort effort)
{
	if (effort == SMALL_EFFORT)
		return 3;
	if (effort == LONG_EFFORT && wanted > 0)
		return bytes <= 16 << 20 ? 2000 : 400;
	return bytes <= 1 << 20 ? 2000 : bytes <= 16 << 20 ? 200 : 40;
}

static void compare_all(struct child *c, enum effort effort, uint64_t largest)
{
	static const uint64_t sizes[] = {4,        64,        256,     1 << 10,  4 << 10,  16 << 10,
					 64 << 10, 256 << 10, 1 << 20, 16 << 20, 256 << 20};
	uint64_t median[SIDES];

	for (uint32_t t = 0; t < TESTS; t++)
		for (size_t i = 0; i < (tests[t].sized ? sizeof(sizes) / sizeof(*sizes) : 1); i++) {
			uint64_t bytes = tests[t].sized ? sizes[i] : 0;
			double wanted = bytes > SMALL ? tests[t].wanted_large : tests[t].wanted;
			struct question q = {t, samples_of(bytes, wanted, effort), bytes};

			if (bytes > largest)
				break;
			compare(c, q, ROUNDS, median);
			print_row(tests[t].name, bytes, median, wanted, (uint64_t)ROUNDS * q.count);
		}
}

static void compare_starts(const char *image, uint32_t times)
{
	uint64_t took[SIDES][64], median[SIDES], wrong;

	for (uint32_t i = 0; i < times; i++)
		for (unsigned turn = 0; turn < SIDES; turn++) {
			unsigned s = (turn + i) % SIDES;
			uint64_t from = now();
			struct child c = start("--first", s, image, 0);

			take(&wrong, sizeof(wrong), 1, &c);
			took[s][i] = now() - from;
			wrong_values += wrong || !finish(&c);
		}
	for (unsigned s = 0; s < SIDES; s++) {
		qsort(took[s], times, sizeof(uint64_t), by_value);
		median[s] = took[s][times / 2];
	}
	print_row("start to result", 0, median, 0, times);
}

/* Clocks rise with work: let both have some. */
static void warm_up(struct child *c, uint64_t largest)
{
	uint64_t start_at = now(), median[SIDES];

	while (now() - start_at < WARM_NS)
		compare(c, (struct question){9, 100, largest < 1 << 24 ? largest : 1 << 24}, 1,
			median);
}

int main(int argc, char **argv)
{
	bool small = argc > 2 && !strcmp(argv[1], "--small"),
	     full = argc > 2 && !strcmp(argv[1], "--long");
	uint64_t largest = small ? 1 << 20 : 256 << 20;
	const char *image = argv[argc - 1];
	struct child c[SIDES];
	struct hello hello;

	alarm(TIME_LIMIT);
	for (unsigned s = 0; argc == 5 && s < SIDES; s++)
		if (!strcmp(argv[2], sides[s].name)) {
			side = &sides[s];
			return strcmp(argv[1], "--first")
				       ? serve(argv[3], strtoull(argv[4], NULL, 10))
				       : first_result(argv[3]);
		}
	if (argc != 2 + (small || full)) {
		fprintf(stderr, "usage: peer [--small | --long] IMAGE\n");
		return EXIT_BROKEN;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (unsigned s = 0; s < SIDES; s++)
		c[s] = start("--serve", s, image, largest);
	for (unsigned s = 0; s < SIDES; s++) {
		take(&hello, sizeof(hello), 1, &c[s]);
		printf("%s: %s; %" PRIu64 " mappings of NVIDIA's libraries in /proc/self/maps\n",
		       sides[s].name, hello.device, hello.libraries);
		wrong_values += !s && hello.libraries; /* libsov's has none */
		if (!small && strstr(hello.device, "software GPU"))
			broken("libsov has found no real GPU; there is nothing to compare");
	}
	if (!small)
		warm_up(c, largest);
	printf("\n| %-20s | %9s | %9s | %9s | %6s | %7s | %7s | %12s | %6s "
	       "|\n|---|---|---|---|---|---|---|---|---|\n",
	       "", "bytes", "sov us", "CUDA us", "ratio", "GB/s", "CUDA", "wanted", "times");
	compare_all(c, small ? SMALL_EFFORT : full ? LONG_EFFORT : USUAL_EFFORT, largest);
	compare_starts(image, small ? 3 : 21);
	for (unsigned s = 0; s < SIDES; s++)
		wrong_values += !finish(&c[s]);
	printf("\nMedians; ratio: sov over CUDA in time, below 1 sov is faster. peer: %" PRIu64
	       " wrong\n",
	       wrong_values);
	return wrong_values ? EXIT_WRONG : 0;
}
