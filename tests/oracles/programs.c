// SPDX-License-Identifier: MIT
/*
 * Runs cubins of programs.cu by other compilers on software GPUs and compares all their output with
 * a reference in C. The file name gives the chip: <compiler>-sm_90-....cubin.
 */
#include <math.h>
#include "libsov/sov.h"
#include "tests/tap.h"

static sov_context context;
static sov_module module;
static char why[512];

static bool must(sov_result r, const char *doing)
{
	if (r)
		snprintf(why, sizeof(why), "%s: %s: %s", doing, sov_result_name(r),
			 sov_last_error());
	return !r;
}

/* Allocates a buffer, which is freed with its context. */
static sov_ptr upload(const void *data, uint64_t bytes)
{
	sov_ptr p = 0;

	if (must(sov_memory_alloc(context, bytes, &p), "allocating") && data)
		must(sov_memory_copy(context, p, SOV_HOST(data), bytes), "copying to the device");
	else if (p)
		must(sov_memory_fill(context, p, 0xee, 1, bytes), "filling");
	return p;
}

static bool download(void *data, sov_ptr p, uint64_t bytes)
{
	return must(sov_memory_copy(context, SOV_HOST(data), p, bytes), "copying to the host");
}

struct launch {
	const char *name;
	uint32_t grid[3], block[3], shared;
};
#define RUN(l, ...) \
	launch_program(l, (const void *const[]){__VA_ARGS__}, \
		       sizeof((const void *[]){__VA_ARGS__}) / sizeof(void *))

static bool launch_program(struct launch l, const void *const *arguments, uint32_t count)
{
	sov_launch s = SOV_INIT(sov_launch);
	sov_function f;

	for (int i = 0; i < 3; i++) {
		s.grid[i] = l.grid[i] ? l.grid[i] : 1;
		s.block[i] = l.block[i] ? l.block[i] : 1;
	}
	s.shared_bytes = l.shared;
	s.arguments = arguments;
	s.argument_count = count;
	return must(sov_module_get_function(module, l.name, &f), l.name) &&
	       must(sov_function_launch(f, &s), l.name) &&
	       must(sov_context_wait(context, SOV_FOREVER), l.name);
}

/* Compares elements; describes the first difference in why. */
static bool same(const void *got, const void *want, size_t each, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t a = 0, b = 0;

		memcpy(&a, (const char *)got + i * each, each);
		memcpy(&b, (const char *)want + i * each, each);
		if (a != b) {
			snprintf(why, sizeof(why), "%s: element %zu is 0x%llx, not 0x%llx", name, i,
				 (unsigned long long)a, (unsigned long long)b);
			return false;
		}
	}
	return true;
}

static uint64_t noise(void) /* splitmix64 */
{
	static uint64_t state = 7;
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* ---- the programs ---- */

static bool parameters(void)
{
	struct {
		unsigned char bytes[37];
		double d[5];
		unsigned short s;
	} g = {.d = {1.5, 2, 3, 4, 5}, .s = 999};
	signed char a = -5;
	short b = -3000;
	int c = -100000;
	uint64_t d = 0x123456789abcdef0, sum = 0, got[8], want[8];
	float e = 2.5f;
	double f = 1234.5;
	sov_ptr out = upload(NULL, sizeof(got));

	for (int i = 0; i < 37; i++) {
		g.bytes[i] = (unsigned char)noise();
		sum = sum * 3 + g.bytes[i];
	}
	memcpy(want,
	       (uint64_t[]){(uint64_t)(int64_t)a, (uint64_t)(int64_t)b, (uint64_t)(int64_t)c, d,
			    2500, 1234500, sum, 12 + 999},
	       sizeof(want));
	return RUN(((struct launch){"parameters", {1}, {1}, 0}), &a, &b, &c, &d, &e, &f, &g,
		   &out) &&
	       download(got, out, sizeof(got)) && same(got, want, 8, 8, "parameters");
}

static bool three_dimensions(void)
{
	enum { N = 5 * 3 * 2 * 7 * 4 * 3 };
	static uint64_t got[N], want[N];
	sov_ptr out = upload(NULL, sizeof(got));
	size_t n = 0;

	for (uint64_t z = 0; z < 2; z++)
		for (uint64_t y = 0; y < 3; y++)
			for (uint64_t x = 0; x < 5; x++)
				for (uint64_t w = 0; w < 3; w++)
					for (uint64_t v = 0; v < 4; v++)
						for (uint64_t u = 0; u < 7; u++)
							want[n++] = x | y << 8 | z << 16 | u << 24 |
								    v << 32 | w << 40;
	return RUN(((struct launch){"three_dimensions", {5, 3, 2}, {7, 4, 3}, 0}), &out) &&
	       download(got, out, sizeof(got)) && same(got, want, 8, N, "three_dimensions");
}

static bool scan_1024(void)
{
	static uint32_t in[4096], got[4096], want[4096];
	sov_ptr a, out;

	for (uint32_t i = 0; i < 4096; i++) {
		in[i] = (uint32_t)noise();
		want[i] = in[i] + (i % 1024 ? want[i - 1] : 0);
	}
	a = upload(in, sizeof(in));
	out = upload(NULL, sizeof(got));
	return RUN(((struct launch){"scan_1024", {4}, {1024}, 0}), &a, &out) &&
	       download(got, out, sizeof(got)) && same(got, want, 4, 4096, "scan_1024");
}

static bool reverse_shared(void)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	static uint32_t in[1 << 16], got[1 << 16], want[1 << 16];
	uint32_t bytes, n;
	sov_device d;
	sov_ptr a, out;

	if (!must(sov_context_get_device(context, &d), "device") ||
	    !must(sov_device_get_properties(d, &p), "properties"))
		return false;
	bytes = p.max_shared_per_block < 200 << 10 ? p.max_shared_per_block : 200 << 10;
	n = bytes / 4;
	for (uint32_t i = 0; i < n; i++)
		want[n - 1 - i] = in[i] = (uint32_t)noise();
	a = upload(in, bytes);
	out = upload(NULL, bytes);
	return RUN(((struct launch){"reverse_shared", {3}, {256}, bytes}), &n, &a, &out) &&
	       download(got, out, bytes) && same(got, want, 4, n, "reverse_shared");
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static bool sort_local(void)
{
	enum { THREADS = 96 };
	static uint32_t in[THREADS * 32], got[THREADS * 32];
	sov_ptr a, out;

	for (uint32_t i = 0; i < THREADS * 32; i++)
		in[i] = (uint32_t)noise() >> noise() % 32;
	a = upload(in, sizeof(in));
	out = upload(NULL, sizeof(got));
	if (!RUN(((struct launch){"sort_local", {3}, {32}, 0}), &a, &out) ||
	    !download(got, out, sizeof(got)))
		return false;
	for (uint32_t i = 0; i < THREADS; i++)
		qsort(in + 32 * i, 32, 4, by_size);
	return same(got, in, 4, THREADS * 32, "sort_local");
}

static uint32_t ackermann(uint32_t m, uint32_t n)
{
	return !m ? n + 1 : ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

static uint32_t parity(uint32_t n, bool even)
{
	return !n     ? (even ? 7 : 11)
	       : even ? parity(n - 1, false) * 3 + 1
		      : parity(n - 1, true) * 5 + 2;
}

static bool recursion(void)
{
	uint32_t got[128], want[128];
	sov_ptr out = upload(NULL, sizeof(got));

	for (uint32_t t = 0; t < 64; t++) {
		want[2 * t] = ackermann(t % 3, t / 3 % 4);
		want[2 * t + 1] = parity(t % 9, true);
	}
	return RUN(((struct launch){"recursion", {2}, {32}, 0}), &out) &&
	       download(got, out, sizeof(got)) && same(got, want, 4, 128, "recursion");
}

static bool count_blocks(void)
{
	uint64_t sum = 0, n = 300000, want = n * (n + 1) / 2;
	sov_ptr out = upload(&sum, 8);

	return RUN(((struct launch){"count_blocks", {300000}, {1}, 0}), &out) &&
	       download(&sum, out, 8) && same(&sum, &want, 8, 1, "count_blocks");
}

static bool variables(void)
{
	uint32_t got[3], counter = 0, five = 5, last = 0;
	uint64_t bytes = 0;
	sov_ptr out = upload(NULL, sizeof(got)), c, z;

	if (!must(sov_module_get_variable(module, "counter", &c, NULL), "counter") ||
	    !must(sov_module_get_variable(module, "zeroed", &z, &bytes), "zeroed") ||
	    bytes != 100000 || !RUN(((struct launch){"variables", {1}, {1}, 0}), &out) ||
	    !download(got, out, sizeof(got)) ||
	    !same(got, (uint32_t[]){123, 0, 41}, 4, 3, "variables"))
		return false;
	if (!download(&counter, c, 4) || !same(&counter, (uint32_t[]){42}, 4, 1, "counter") ||
	    !download(&last, z + 99999, 1) || !same(&last, (uint32_t[]){77}, 4, 1, "zeroed"))
		return false;
	return must(sov_memory_copy(context, c, SOV_HOST(&five), 4), "writing") &&
	       RUN(((struct launch){"variables", {1}, {1}, 0}), &out) &&
	       download(got, out, sizeof(got)) &&
	       same(got, (uint32_t[]){123, 77, 5}, 4, 3, "variables, again");
}

static bool constants(void)
{
	static const char letters[] = "constant memory is read by bytes too";
	double c[6] = {1, -0.5, 0.25, -0.125, 0.0625, 3}, x[96], got[96], want[96];
	uint32_t text[96], expected[96];
	sov_ptr a, out, words, p;

	for (int round = 0; round < 2; round++) {
		for (uint32_t t = 0; t < 96; t++) {
			double sum = 0;

			x[t] = (double)(int64_t)noise() / 0x1p60;
			for (int i = 5; i >= 0; i--)
				sum = fma(sum, x[t], c[i]);
			want[t] = sum / c[t % 6];
			expected[t] =
				(uint32_t)letters[t % 36] * 256 + (uint32_t)letters[t * 7 % 36];
		}
		a = upload(x, sizeof(x));
		out = upload(NULL, sizeof(got));
		words = upload(NULL, sizeof(text));
		if (!RUN(((struct launch){"constants", {3}, {32}, 0}), &a, &out, &words) ||
		    !download(got, out, sizeof(got)) || !download(text, words, sizeof(text)) ||
		    !same(got, want, 8, 96, "constants") ||
		    !same(text, expected, 4, 96, "constant bytes"))
			return false;
		c[2] = 1234.5; /* the host writes constant memory between two launches */
		if (!must(sov_module_get_variable(module, "coefficients", &p, NULL),
			  "coefficients") ||
		    !must(sov_memory_copy(context, p, SOV_HOST(c), sizeof(c)), "writing"))
			return false;
	}
	return true;
}

static uint32_t mix(uint32_t a, uint32_t b)
{
	uint32_t all[] = {b + 1, b * 31, b ^ 0x5555, b / 3, b << 4, ~b, b % 1000};

	return all[a % 7];
}

static bool pointers_to_functions(void)
{
	uint32_t got[192], want[192];
	sov_ptr out = upload(NULL, sizeof(got));

	for (uint32_t t = 0; t < 192; t++) {
		uint32_t b = t * 17 + 5;

		want[t] = t % 3 == 0 ? t + b : t % 3 == 1 ? t * b : mix(t, b);
	}
	return RUN(((struct launch){"pointers_to_functions", {2}, {96}, 0}), &out) &&
	       download(got, out, sizeof(got)) && same(got, want, 4, 192, "pointers_to_functions");
}

static bool pointers_to_memory(void)
{
	uint32_t in[64], got[64], want[64];
	sov_ptr a, out;

	for (uint32_t t = 0; t < 64; t++)
		in[t] = (uint32_t)noise();
	for (uint32_t t = 0; t < 64; t++) {
		want[t] = 0;
		for (uint32_t i = 0; i < 8; i++)
			want[t] = want[t] * 5 + (t % 3 == 0   ? in[i]
						 : t % 3 == 1 ? in[i] * 3
							      : in[t] + (i + 8 - t % 8) % 8);
	}
	a = upload(in, sizeof(in));
	out = upload(NULL, sizeof(got));
	return RUN(((struct launch){"pointers_to_memory", {1}, {64}, 0}), &a, &out) &&
	       download(got, out, sizeof(got)) && same(got, want, 4, 64, "pointers_to_memory");
}

/* Makes all NaNs the same. */
static double quiet(double x)
{
	return isnan(x) ? NAN : x;
}

static bool divisions(void)
{
	enum { N = 512 };
	static double x[N + 1], got[3 * N], want[3 * N];
	static uint64_t y[N + 1], quotients[2 * N], expected[2 * N];
	sov_ptr a, b, out, q;

	for (uint32_t t = 0; t <= N; t++) {
		uint64_t bits = noise();

		if (t % 4 == 0) /* of medium magnitude */
			bits = (bits & 0x800fffffffffffff) | (uint64_t)(1000 + bits % 50) << 52;
		if (t % 7 == 0)
			bits &= 0x800fffffffffffff; /* subnormal */
		memcpy(&x[t], &bits, 8);
		y[t] = noise() >> noise() % 64;
	}
	for (uint32_t t = 0; t < N; t++) {
		want[3 * t] = quiet(x[t] / x[t + 1]);
		want[3 * t + 1] = quiet(sqrt(x[t]));
		want[3 * t + 2] =
			quiet((double)((float)x[t] / (float)x[t + 1]) + (double)sqrtf((float)x[t]));
		expected[2 * t] = y[t] / (y[t + 1] | 1);
		expected[2 * t + 1] = (uint64_t)((int64_t)y[t] % (int64_t)(y[t + 1] >> 40 | 1));
	}
	a = upload(x, sizeof(x));
	b = upload(y, sizeof(y));
	out = upload(NULL, sizeof(got));
	q = upload(NULL, sizeof(quotients));
	if (!RUN(((struct launch){"divisions", {4}, {128}, 0}), &a, &b, &out, &q) ||
	    !download(got, out, sizeof(got)) || !download(quotients, q, sizeof(quotients)))
		return false;
	for (uint32_t i = 0; i < 3 * N; i++)
		got[i] = quiet(got[i]);
	return same(got, want, 8, 3 * N, "divisions") &&
	       same(quotients, expected, 8, 2 * N, "quotients");
}

static bool divergence(void)
{
	enum { N = 256 };
	static uint32_t got[N], want[N], n[N];
	sov_ptr out = upload(NULL, sizeof(got));

	for (uint32_t t = 0; t < N; t++) {
		uint32_t x = t * 2654435761u;

		n[t] = 0;
		for (uint32_t i = 0; i < 100; i++) {
			x = x & 1 ? 3 * x + 1 : x >> 1;
			if (x % 11 == 3)
				continue;
			for (uint32_t k = 0; k < x % 5; k++) {
				n[t] += k * i;
				if (n[t] % 13 == 1)
					break;
			}
			if (x == 1)
				break;
		}
	}
	for (uint32_t t = 0; t < N; t++) {
		uint32_t ballot = 0;

		for (uint32_t i = 0; i < 32; i++)
			ballot |= (n[t / 32 * 32 + i] & 1) << i;
		want[t] = n[t] ^ ballot;
	}
	return RUN(((struct launch){"divergence", {2}, {128}, 0}), &out) &&
	       download(got, out, sizeof(got)) && same(got, want, 4, N, "divergence");
}

static const struct {
	const char *name;
	bool (*run)(void);
} programs[] = {
	{"parameters", parameters},
	{"three_dimensions", three_dimensions},
	{"scan_1024", scan_1024},
	{"reverse_shared", reverse_shared},
	{"sort_local", sort_local},
	{"recursion", recursion},
	{"count_blocks", count_blocks},
	{"variables", variables},
	{"constants", constants},
	{"pointers_to_functions", pointers_to_functions},
	{"pointers_to_memory", pointers_to_memory},
	{"divisions", divisions},
	{"divergence", divergence},
};

static const char *device_name(const char *path, int hazard)
{
	static const char *const chips[][2] = {
		{"sm_80", "ga100"}, {"sm_86", "ga102"}, {"sm_89", "ad102"}, {"sm_90", "gh100"}};
	static char name[16];

	for (unsigned i = 0; i < 4; i++)
		if (strstr(path, chips[i][0]))
			snprintf(name, sizeof(name), "%s.%d", chips[i][1], hazard);
	return name;
}

/* Runs each program in a new context, so that a fault of one does not hide the others. */
static bool run_program(const char *device, const void *image, size_t bytes, bool (*program)(void))
{
	sov_device d;
	bool good;

	*why = 0;
	if (!must(sov_device_open_name(device, &d), "opening") ||
	    !must(sov_context_create(d, NULL, &context), "creating a context"))
		return false;
	good = must(sov_module_load(context, image, bytes, NULL, &module), "loading") &&
	       program() && !*why;
	sov_context_destroy(context);
	return good;
}

/*
 * usage: programs [--gpu] CUBIN...: on software GPUs, or with --gpu on the first GPU of that chip.
 */
int main(int argc, char **argv)
{
	bool gpu = argc > 1 && !strcmp(argv[1], "--gpu");

	if (!gpu)
		setenv("SOV_SOFT",
		       "gh100:vram=1G,ga100:vram=1G,ga102:vram=1G,ad102:vram=1G,gh100:vram=1G:"
		       "hazard,"
		       "ga100:vram=1G:hazard,ga102:vram=1G:hazard,ad102:vram=1G:hazard",
		       1);
	unsetenv("SOV_VISIBLE_DEVICES");
	for (int i = 1 + gpu; i < argc; i++) {
		const char *base = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
		static uint8_t image[1 << 22];
		FILE *f = fopen(argv[i], "rb");
		size_t bytes = f ? fread(image, 1, sizeof(image), f) : 0;

		if (f)
			fclose(f);
		for (unsigned p = 0; p < sizeof(programs) / sizeof(*programs); p++)
			for (int hazard = 0; hazard < 2 - gpu; hazard++)
				if (!ok(run_program(device_name(base, hazard), image, bytes,
						    programs[p].run),
					"%s of %s gives the results of C%s", programs[p].name, base,
					hazard ? " in hazard mode" : ""))
					diag("%s", why);
	}
	return tap_done();
}
