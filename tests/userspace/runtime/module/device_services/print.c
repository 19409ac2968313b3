// SPDX-License-Identifier: MIT
/* printf() in kernels prints what C's printf prints, every line once, and counts lost lines. */
#include "libsov/runtime/module/device_services.c" /* its static functions are called */
#include "tests/userspace/runtime/module/device_services/_services.h"

static struct printed printed;

static void conversions(uint32_t device)
{
	static const char *const lines[] = {
		"-1 42 4000000000 10 ff FF z\n",
		"-5000000000 1152921504606846976 7 10000000000 10\n",
		"4464 44 4464 ff\n",
		"1.500000 1.500000e+00 1.5 0x1.8p+0 1.500000 1.500000E+00 1.5 0X1.8P+0\n",
		"   42|42   |00042|+42| 42|0x2a|042\n",
		"   42|42   |3.14|   2.718\n",
		"literal|   right|left    |cut|variable\n",
		"ok 0x1234 %x %q\n",
		"nothing\n",
		"|A\n",
	};
	static const int counts[] = {7, 5, 4, 8, 7, 4, 5, 3, 0, 2, -1};
	sov_context c = services_context(device, &printed, 0, 0);
	sov_module m = services_module(c);
	int got[COUNT(counts)];
	char *at = printed.text;
	sov_ptr p;
	uint32_t i;

	printed.count = 0;
	MUST(sov_memory_alloc(c, sizeof(got), &p));
	MUST(start(m, "conversions", 1, 1, (const void *[]){&p}, 1));
	good(sov_context_wait(c, 60 * SECOND), "a kernel that calls printf completes");
	for (i = 0; i < COUNT(lines); i++) {
		size_t n = strlen(lines[i]);

		if (!ok(!strncmp(at, lines[i], n), "printf printed %.*s", (int)n - 1, lines[i]))
			diag("got: %.80s", at);
		at += strcspn(at, "\n") + (*at != 0);
	}
	ok(!*at, "printf printed nothing else");
	MUST(sov_memory_copy(c, SOV_HOST(got), p, sizeof(got)));
	for (i = 0; i < COUNT(counts) && got[i] == counts[i]; i++)
		;
	if (!ok(i == COUNT(counts), "printf returns the number of values, or -1"))
		diag("call %u returned %d, not %d", i, got[i], counts[i]);
	MUST(sov_context_destroy(c));
}

/* Which lines were printed, in any order. */
static uint32_t lines_printed(uint32_t n, bool *twice)
{
	uint8_t *seen = calloc(n, 1);
	uint32_t count = 0, number;
	char word[8], *at = printed.text;
	double half;
	int length;

	*twice = false;
	while (sscanf(at, "%u %7s %lf\n%n", &number, word, &half, &length) == 3) {
		if (number < n && !strcmp(word, number & 1 ? "odd" : "even") &&
		    half == number * 0.5) {
			*twice |= seen[number];
			count += !seen[number];
			seen[number] = 1;
		}
		at += length;
	}
	free(seen);
	return count;
}

static void many(void)
{
	uint32_t n = 20000 / TAP_SLOWNESS, count;
	sov_context c = services_context(0, &printed, 4 << 20, 0);
	sov_module m = services_module(c);
	bool twice;

	printed.count = 0;
	MUST(start(m, "lines", (n + 127) / 128, 128, (const void *[]){&n}, 1));
	MUST(sov_context_wait(c, 300 * SECOND));
	count = lines_printed(n, &twice);
	ok(count == n && !twice, "each of %u printf lines appears once", n);
	if (count != n)
		diag("%u came", count);

	/* The ring buffer wraps around. */
	printed.count = 0;
	for (uint32_t i = 0; i < 60; i++) {
		uint32_t few = 256 / TAP_SLOWNESS * TAP_SLOWNESS;

		MUST(start(m, "lines", few / 32, 32, (const void *[]){&few}, 1));
		MUST(sov_context_wait(c, 300 * SECOND));
	}
	for (count = 0; count < printed.count && printed.text[count] != 's'; count++)
		;
	ok(count == printed.count, "no printf line is lost when many kernels print");
	MUST(sov_context_destroy(c));
}

static void too_many(void)
{
	uint32_t n = 2000, count;
	sov_context c = services_context(0, &printed, 4096, 0);
	sov_module m = services_module(c);
	uint64_t lost = 0;
	char *at;
	bool twice;

	printed.count = 0;
	MUST(start(m, "lines", (n + 127) / 128, 128, (const void *[]){&n}, 1));
	MUST(sov_context_wait(c, 300 * SECOND));
	for (at = printed.text; (at = strstr(at, "sov: ")); at++) {
		lost += strtoull(at + 5, NULL, 10);
		/* The lines before and after it must be found. */
		memmove(at, at + strcspn(at, "\n") + 1, strlen(at + strcspn(at, "\n") + 1) + 1);
		at--;
	}
	count = lines_printed(n, &twice);
	ok(lost && count && count + lost == n && !twice,
	   "printf lines that do not fit are counted: %u of 2000, %llu lost", count,
	   (unsigned long long)lost);
	MUST(sov_context_destroy(c));
}

static void registers(uint32_t device)
{
	sov_context c = services_context(device, &printed, 0, 0);
	sov_module m = services_module(c);
	uint32_t out[64 * 24], wrong = 0, i, k;
	sov_ptr p;

	MUST(sov_memory_alloc(c, sizeof(out), &p));
	MUST(start(m, "keeps", 2, 32, (const void *[]){&p}, 1));
	MUST(sov_memory_copy(c, SOV_HOST(out), p, sizeof(out)));
	for (i = 0; i < 64; i++)
		for (k = 0; k < 24; k++)
			wrong += out[i * 24 + k] != ((i * 77 + k * k) ^ (i % 3 ? 0 : k));
	ok(!wrong, "a kernel's registers are preserved across printf");
	MUST(sov_context_destroy(c));
}

static void refusals(void)
{
	static const struct {
		uint64_t bytes;
		const char *part;
	} wrong[] = {{1000, "print_bytes is 1000"},
		     {2048, "print_bytes is 2048"},
		     {UINT64_C(1) << 40, "print_bytes is"}};
	sov_context_options o = SOV_INIT(sov_context_options);
	sov_context c;
	sov_device d;
	uint32_t i;

	MUST(sov_device_open(0, &d));
	for (i = 0; i < COUNT(wrong); i++) {
		o.print_bytes = wrong[i].bytes;
		refused(sov_context_create(d, &o, &c), SOV_ERROR_INVALID_ARGUMENT, wrong[i].part,
			"an invalid print_bytes is rejected");
	}
	o.print_bytes = 0;
	o.heap_bytes = UINT64_C(1) << 50;
	refused(sov_context_create(d, &o, &c), SOV_ERROR_INVALID_ARGUMENT, "heap_bytes is",
		"an invalid heap_bytes is rejected");
}

/* A record that ends within a value: the formatter must not read past it. */
static void cut_records(void)
{
	static const uint8_t record[] = "a%db\0\x07\0\0\0"; /* with the 0 of the string: 10 bytes */
	struct print_text whole = {0}, cut = {0};

	print_line(&whole, record, 9);
	ok(whole.count >= 3 && !memcmp(whole.bytes, "a7b", 3), "a whole printf record is printed");
	print_line(&cut, record, 8);
	ok(cut.count < whole.count && !memchr(cut.bytes, '7', cut.count),
	   "a printf record that lacks the last byte of its value prints no value");
	free(whole.bytes);
	free(cut.bytes);
}

/* A kernel may write anything into the ring, also a size beyond it. */
static void overwritten_ring(void)
{
	uint64_t ring[512] = {1, sizeof(ring)}, copy[512];
	struct services s = {.ring = ring, .ring_bytes = sizeof(ring), .record = (uint8_t *)copy};

	ok(services_take_record(&s) == sizeof(ring) - 16 && s.tail == sizeof(ring),
	   "a printf record that fills the ring is read");
	s.tail = 0;
	ring[1] = sizeof(ring) + 8;
	ok(!services_take_record(&s) && s.tail != ring[1],
	   "a printf record that is larger than the ring is not read");
	ok(!services_take_record(&s), "nothing is read from a ring with such a record");
}

int main(void)
{
	cut_records();
	overwritten_ring();
	soft_gpus("gh100:vram=256M:hazard,ga100:vram=256M:hazard");
	conversions(0);
	conversions(1);
	registers(0);
	registers(1);
	many();
	too_many();
	refusals();
	return tap_done();
}
