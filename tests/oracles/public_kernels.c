// SPDX-License-Identifier: MIT
/*
 * Launches the kernels of an image that another compiler made, with random arguments, on the
 * software GPU in normal and in hazard mode, and our image of the same PTX with the same arguments.
 * Nothing is known about the kernels: a parameter of 8 bytes is taken for a pointer, one of 4 bytes
 * for a small number. Many kernels then leave their buffers and fault, or do not end; they count
 * until there.
 *
 * Fails if hazard mode rejects the other compiler's code, or where both images end without a fault
 * with different memory. Floating-point words that are close count as the same, because contraction
 * and the approximations of divisions and functions differ between compilers. A kernel that reads
 * shared memory while an asynchronous copy to it is in flight has a race, by its arguments or of
 * its own, if hazard mode rejects both images for that; it is reported and does not fail.
 *   usage: public_kernels CHIP THEIRS OURS [costs]
 *     prints one line per finding, the costs of AMD's kernels that leave the same memory, and a
 *     line of counts; "costs" leaves out hazard mode
 */
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libsov/sov.h"
#include "model/amd/amd.h"
#include "tests/tap.h"

#define BUFFER_BYTES (4u << 20)
#define REGION_BYTES (128u << 10) /* each pointer names a region of the buffer */
#define REGIONS      (BUFFER_BYTES / REGION_BYTES)
#define MAX_ARGUMENT 4096
#define MAX_KERNELS  4096
#define MAX_SHARED   (16u << 10)
#define TIME_LIMIT   1000000000ull /* of one launch, in nanoseconds */
#define CHILD_LIMIT  60            /* seconds */
#define CLOSE        1e-4

enum run { THEIRS, THEIRS_HAZARD, OURS, OURS_HAZARD, RUNS };
#define COPY_IN_FLIGHT "the copy at "

/* What launches leave behind, in memory that the child shares. */
static struct outcome {
	sov_result result;
	char cause[256], instruction[128];
	uint64_t executed; /* instructions, on AMD's GPUs */
	uint32_t registers;
} *outcomes;
static uint8_t *memory[RUNS];
static char devices[2][64];
static bool only_costs; /* without hazard mode */

static struct counts {
	uint32_t launched, ended, faulted, endless, hazards, races, compared, close, different,
		unused;
} counts;

static uint64_t random_state;

static uint64_t next_random(void) /* splitmix64 */
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Variants differ in the words in memory, small integers, which are also valid indices, or floats,
 * and in the launch: with a single warp, races between warps have no effect, and many kernels for
 * tiles need blocks of 16 by 16. */
static const struct variant {
	bool floats;
	uint32_t blocks, block[2];
} variants[] = {{false, 2, {96, 1}},
		{true, 2, {64, 1}},
		{false, 1, {32, 1}},
		{true, 1, {32, 1}},
		{false, 2, {16, 16}}};
#define VARIANTS (sizeof(variants) / sizeof(*variants))

static uint32_t random_word(bool floats)
{
	float f = (float)(next_random() >> 40) / (1 << 22) - 1;
	uint32_t word = (uint32_t)(next_random() % 48);

	if (floats)
		memcpy(&word, &f, sizeof(word));
	return word;
}

static void fill_argument(uint8_t *to, uint32_t bytes, uint32_t parameter, bool floats,
			  sov_ptr buffer)
{
	for (uint32_t at = 0; at < bytes; at += 8) {
		sov_ptr pointer = buffer + (parameter * 3 + at / 8) % REGIONS * REGION_BYTES;
		uint32_t number = floats && next_random() % 2 ? random_word(true)
							      : 1 + (uint32_t)next_random() % 64;

		if (bytes - at >= 8)
			memcpy(to + at, &pointer, 8);
		else
			memcpy(to + at, &number, bytes - at < 4 ? bytes - at : 4);
	}
}

static sov_result launch(sov_function f, uint32_t variant, sov_ptr buffer)
{
	static uint8_t values[MAX_ARGUMENT * 2];
	static const void *arguments[MAX_ARGUMENT];
	sov_function_attributes a = SOV_INIT(sov_function_attributes);
	sov_launch s = SOV_INIT(sov_launch);
	const uint32_t *block = variants[variant].block;
	uint32_t offset, bytes;
	sov_result r = sov_function_get_attributes(f, &a);

	if (r || a.parameter_bytes > MAX_ARGUMENT || a.parameters > MAX_ARGUMENT)
		return r ? r : SOV_ERROR_UNSUPPORTED;
	for (uint32_t i = 0; i < a.parameters && !r; i++) {
		r = sov_function_get_parameter(f, i, &offset, &bytes);
		arguments[i] = values + offset;
		if (!r)
			fill_argument(values + offset, bytes, i, variants[variant].floats, buffer);
	}
	s.arguments = arguments;
	s.argument_count = a.parameters;
	s.block[0] = block[0] < a.max_threads_per_block ? block[0] : a.max_threads_per_block;
	s.block[1] = block[0] * block[1] <= a.max_threads_per_block ? block[1] : 1;
	s.block[2] = s.grid[1] = s.grid[2] = 1;
	s.grid[0] = variants[variant].blocks;
	s.shared_bytes = a.shared_bytes + MAX_SHARED <= 48u << 10 ? MAX_SHARED : 0;
	s.time_limit = TIME_LIMIT;
	return r ? r : sov_function_launch(f, &s);
}

static sov_result run_in(sov_context c, const void *image, size_t size, const char *name,
			 uint32_t variant, uint8_t *data, struct outcome *out)
{
	sov_function_attributes a = SOV_INIT(sov_function_attributes);
	uint64_t before;
	sov_ptr buffer;
	sov_module m;
	sov_function f;
	sov_result r = sov_memory_alloc(c, BUFFER_BYTES, &buffer);

	random_state = 1 + variant;
	for (uint32_t i = 0; i < BUFFER_BYTES; i += 4) {
		uint32_t word = random_word(variants[variant].floats);

		memcpy(data + i, &word, 4);
	}
	if (!r)
		r = sov_memory_copy(c, buffer, SOV_HOST(data), BUFFER_BYTES);
	if (!r)
		r = sov_module_load(c, image, size, NULL, &m);
	if (!r)
		r = sov_module_get_function(m, name, &f);
	before = amd_executed();
	if (!r)
		r = launch(f, variant, buffer);
	if (!r)
		r = sov_context_wait(c, SOV_FOREVER);
	out->executed = amd_executed() - before;
	if (!r)
		r = sov_function_get_attributes(f, &a);
	out->registers = a.registers;
	if (!r)
		r = sov_memory_copy(c, SOV_HOST(data), buffer, BUFFER_BYTES);
	return r;
}

static void ignore_text(void *user, const char *text, size_t bytes)
{
	(void)user, (void)text, (void)bytes;
}

static void run(const char *device, const void *image, size_t size, const char *name,
		uint32_t variant, struct outcome *out, uint8_t *data)
{
	sov_context_options options = SOV_INIT(sov_context_options);
	sov_fault fault = SOV_INIT(sov_fault);
	sov_device d;
	sov_context c;

	setenv("SOV_SOFT", device, 1);
	alarm(CHILD_LIMIT);
	options.print = ignore_text;
	out->result = sov_device_open(0, &d);
	if (!out->result)
		out->result = sov_context_create(d, &options, &c);
	if (out->result)
		return;
	out->result = run_in(c, image, size, name, variant, data, out);
	snprintf(out->cause, sizeof(out->cause), "%s", out->result ? sov_last_error() : "");
	if (out->result && !sov_context_get_fault(c, &fault)) {
		snprintf(out->cause, sizeof(out->cause), "%s", fault.cause);
		snprintf(out->instruction, sizeof(out->instruction), "%s", fault.instruction);
	}
	sov_context_destroy(c);
}

/* ---- comparing ---- */

static double half_value(uint16_t h)
{
	int exponent = h >> 10 & 31;
	double v = ldexp((h & 1023) + (exponent ? 1024 : 0), (exponent ? exponent : 1) - 25);

	return h >> 15 ? -v : v;
}

static bool is_close(double a, double b, double share)
{
	return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= share * (fabs(a) + fabs(b)) ||
	       fabs(a - b) < 1e-6;
}

static bool is_close_word(const uint8_t *a, const uint8_t *b)
{
	uint16_t h[4], k[4];
	float f[2], g[2];
	double d, e;
	bool halves = true;

	memcpy(&d, a, 8);
	memcpy(&e, b, 8);
	memcpy(f, a, 8);
	memcpy(g, b, 8);
	memcpy(h, a, 8);
	memcpy(k, b, 8);
	for (int i = 0; i < 4; i++)
		halves &= is_close(half_value(h[i]), half_value(k[i]), 4e-3);
	return (fabs(d) > 1e-30 && fabs(d) < 1e30 && is_close(d, e, CLOSE)) ||
	       (is_close(f[0], g[0], CLOSE) && is_close(f[1], g[1], CLOSE)) || halves;
}

/* Returns true if both left the same memory. */
static bool compare(const char *file, const char *name, uint32_t variant)
{
	uint32_t different = 0, close = 0, first = 0;

	for (uint32_t i = 0; i < BUFFER_BYTES; i += 8) {
		if (!memcmp(memory[THEIRS] + i, memory[OURS] + i, 8))
			continue;
		if (is_close_word(memory[THEIRS] + i, memory[OURS] + i)) {
			close++;
			continue;
		}
		first = different++ ? first : i;
	}
	counts.compared++;
	counts.close += !different && close;
	counts.different += different != 0;
	if (!different)
		return true;
	printf("%s: %s variant %u: %u words differ, first at 0x%x:", file, name, variant, different,
	       first);
	for (uint32_t i = 0; i < 8; i += 4) {
		uint32_t a, b;

		memcpy(&a, memory[THEIRS] + first + i, 4);
		memcpy(&b, memory[OURS] + first + i, 4);
		printf(" theirs 0x%08x ours 0x%08x", a, b);
	}
	printf("\n");
	return false;
}

static bool is_rejected(const struct outcome *normal, const struct outcome *hazard)
{
	return normal->result != hazard->result || strcmp(normal->cause, hazard->cause);
}

static bool has_race(const struct outcome *theirs, const struct outcome *ours)
{
	return strstr(theirs->cause, COPY_IN_FLIGHT) && strstr(ours->cause, COPY_IN_FLIGHT);
}

static void judge(const char *file, const char *name, uint32_t variant)
{
	const struct outcome *theirs = &outcomes[THEIRS], *hazard = &outcomes[THEIRS_HAZARD],
			     *ours = &outcomes[OURS];

	counts.launched++;
	counts.ended += !theirs->result;
	counts.faulted += theirs->result && theirs->result != SOV_ERROR_HANG;
	counts.endless += theirs->result == SOV_ERROR_HANG;
	if (!only_costs && is_rejected(theirs, hazard)) {
		bool slow = theirs->result == SOV_ERROR_HANG || hazard->result == SOV_ERROR_HANG;
		bool race = has_race(hazard, &outcomes[OURS_HAZARD]);

		counts.hazards += !slow && !race;
		counts.races += race;
		printf("%s: %s variant %u: %s: %s | hazard mode: %s [%s]\n", file, name, variant,
		       race   ? "race"
		       : slow ? "slow"
			      : "hazard",
		       theirs->result ? theirs->cause : "ends",
		       hazard->result ? hazard->cause : "ends", hazard->instruction);
	}
	if (!theirs->result && !ours->result) {
		if (compare(file, name, variant) && theirs->executed)
			printf("cost: %s %s %u: executed %" PRIu64 " %" PRIu64 " registers %u %u\n",
			       file, name, variant, ours->executed, theirs->executed,
			       ours->registers, theirs->registers);
	} else if (!theirs->result != !ours->result && theirs->result != SOV_ERROR_HANG &&
		   ours->result != SOV_ERROR_HANG)
		printf("%s: %s variant %u: theirs %s, ours %s [%s] [%s]\n", file, name, variant,
		       theirs->result ? theirs->cause : "ends", ours->result ? ours->cause : "ends",
		       theirs->instruction, ours->instruction);
}

/* ---- files ---- */

static void *read_image(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	void *data;

	if (!f || fseek(f, 0, SEEK_END)) {
		fprintf(stderr, "public_kernels: %s: cannot read\n", path);
		exit(1);
	}
	*size = (size_t)ftell(f);
	rewind(f);
	data = malloc(*size + 1);
	if (!data || fread(data, 1, *size, f) != *size) {
		fprintf(stderr, "public_kernels: %s: cannot read\n", path);
		exit(1);
	}
	fclose(f);
	return data;
}

/* Lists the names of the image's kernels; in a child, so that no GPU exists where we fork. */
static uint32_t list_kernels(const void *image, size_t size, char (*names)[128])
{
	sov_function_attributes a = SOV_INIT(sov_function_attributes);
	uint32_t *count = (uint32_t *)(names + MAX_KERNELS);
	pid_t child = fork();
	sov_device d;
	sov_context c;
	sov_module m;
	sov_function f;

	if (!child) {
		if (sov_device_open(0, &d) || sov_context_create(d, NULL, &c) ||
		    sov_module_load(c, image, size, NULL, &m)) {
			printf("refused: %s %s\n", sov_last_error(), sov_module_messages());
			fflush(stdout);
			_exit(1);
		}
		while (*count < MAX_KERNELS && !sov_module_get_function_at(m, *count, &f) &&
		       !sov_function_get_attributes(f, &a))
			memcpy(names[(*count)++], a.name, sizeof(a.name));
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return *count;
}

static void *share(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("public_kernels: mmap");
		exit(1);
	}
	return p;
}

/* Each launch has a process of its own, so that all see the same addresses. */
static void run_kernel(const char *file, const char *name, uint32_t variant, void *const *images,
		       const size_t *sizes)
{
	bool ended = true;
	int status;

	memset(outcomes, 0, RUNS * sizeof(*outcomes));
	fflush(stdout);
	for (enum run r = 0; r < RUNS && ended; r++) {
		bool ours = r >= OURS, hazard = r == THEIRS_HAZARD || r == OURS_HAZARD;
		pid_t child;

		if (hazard && only_costs)
			continue;
		if (r == OURS_HAZARD && !is_rejected(&outcomes[THEIRS], &outcomes[THEIRS_HAZARD]))
			continue;
		child = fork();
		if (!child) {
			run(devices[hazard], images[ours], sizes[ours], name, variant, &outcomes[r],
			    memory[r]);
			_exit(0);
		}
		ended = waitpid(child, &status, 0) == child && !status;
	}
	counts.unused += !ended;
	if (ended)
		judge(file, name, variant);
	else
		printf("%s: %s variant %u: ended by signal %d\n", file, name, variant,
		       WTERMSIG(status));
}

int main(int argc, char **argv)
{
	char(*names)[128] = share(MAX_KERNELS * 128 + 128);
	const char *base, *only = getenv("ONLY"); /* kernels whose name contains this */
	void *images[2];
	size_t sizes[2];
	uint32_t n;

	only_costs = argc == 5 && !strcmp(argv[4], "costs");
	if (argc != 4 + only_costs) {
		fprintf(stderr, "usage: public_kernels CHIP THEIRS OURS [costs]\n");
		return 1;
	}
	snprintf(devices[0], sizeof(devices[0]), "%s:vram=4G:threads=1", argv[1]);
	snprintf(devices[1], sizeof(devices[1]), "%s:vram=4G:threads=1:hazard", argv[1]);
	setenv("SOV_SOFT", devices[0], 1);
	setenv("SOV_KMOD", "0", 1);
	setenv("SOV_NVRM", "0", 1);
	unsetenv("SOV_VISIBLE_DEVICES");
	base = strrchr(argv[2], '/') ? strrchr(argv[2], '/') + 1 : argv[2];
	for (int i = 0; i < 2; i++)
		images[i] = read_image(argv[2 + i], &sizes[i]);
	outcomes = share(RUNS * sizeof(*outcomes));
	for (enum run r = 0; r < RUNS; r++)
		memory[r] = share(BUFFER_BYTES);
	n = list_kernels(images[0], sizes[0], names);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t v = 0; v < VARIANTS && (!only || strstr(names[k], only)); v++)
			run_kernel(base, names[k], v, images, sizes);
	printf("counts: launched %u ended %u faulted %u endless %u hazards %u races %u compared %u "
	       "close %u different %u unused %u\n",
	       counts.launched, counts.ended, counts.faulted, counts.endless, counts.hazards,
	       counts.races, counts.compared, counts.close, counts.different, counts.unused);
	return counts.hazards || counts.different;
}
