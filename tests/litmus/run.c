// SPDX-License-Identifier: MIT
/*
 * Runs litmus tests on a GPU and compares the outcomes with those that PTX's memory model permits.
 *
 *   litmus [OPTION]... [PATTERN]...     PATTERN: names of tests, with * and ?
 *
 * Prints one line per test: name, instances, every outcome with its count, and whether it is legal.
 * Exit status 0: every outcome was legal; 1: one was not; 2: the tests could not run.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/litmus/litmus.h"

/* How many instances run at once, and how long threads wait for each other. */
static const struct scale {
	uint32_t max_pairs, stress_blocks, stress, polls, rendezvous, delay;
} hardware = {1024, 128, 64, 200, 2000, 255}, software = {1, 1, 8, 24, 4, 15};

static struct options {
	const char *device, *ptx, *weak;
	char **patterns;
	int pattern_count;
	uint64_t runs, seed;
	bool list, cuda, json, tsv, legal, verdicts, small;
} options = {.seed = 1};

static const char usage[] =
	"usage: litmus [OPTION]... [PATTERN]...\n"
	"Runs litmus tests of PTX's memory model; PATTERN selects tests by name, with * and ?.\n"
	"  --list         names and programs of the tests\n"
	"  --legal        the legal outcomes of each test, by the model, without a GPU\n"
	"  --verdicts     compares the model with published verdicts, and checks that it permits "
	"every\n"
	"                 interleaving; without a GPU\n"
	"  --ptx NAME     the kernels of a test\n"
	"  --runs N       instances of each test (default: 1048576, software GPUs: 128)\n"
	"  --seed N       seed of addresses, delays and stress (default: 1)\n"
	"  --device NAME  a device of libsov (default: the first)\n"
	"  --cuda         the first GPU by NVIDIA's driver and compiler instead of libsov\n"
	"  --small        few instances at once, as on a software GPU\n"
	"  --weak SEED    a software GPU with weak memory by this seed: SOV_SOFT=CHIP:weak=SEED\n"
	"  --json         one JSON object per test\n"
	"  --tsv          lines of test, outcome, verdict, count, instances: outcomes that are "
	"not\n"
	"                 sequentially consistent, and the sum of those that are not legal\n"
	"  --help         this text\n";

struct totals {
	uint64_t instances;
	uint32_t tests, weak, rejected, illegal;
};

/* ---- random configurations ---- */

static uint64_t rng;

static uint32_t random_below(uint32_t n)
{
	rng = rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((rng >> 33) % n);
}

static uint32_t name_hash(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 16777619u;
	return h;
}

#define MAX_PITCH 256u

static void configure(struct litmus_launch *l, const struct scale *s, uint32_t pairs)
{
	static const uint32_t pitches[] = {16, 16, 32, 64, 144, MAX_PITCH},
			      gaps[] = {0, 128, 256, 4096};
	uint32_t n = pairs * LITMUS_LANES;

	l->pairs = pairs;
	l->pitch = pitches[random_below(6)];
	l->var_pitch = n * l->pitch + gaps[random_below(4)];
	l->seed = random_below(1u << 30);
	l->delay = random_below(2) ? s->delay >> random_below(8) : 0;
	l->stress = random_below(2) ? s->stress : 0;
	l->polls = random_below(2) ? s->polls : 0;
	l->touch = random_below(2);
	l->rendezvous = random_below(4) ? s->rendezvous : 0;
	l->shift = random_below(LITMUS_LANES);
}

/* ---- running a test ---- */

struct run {
	const struct litmus_gpu *gpu;
	const struct scale *scale;
	struct litmus_launch launch; /* addresses */
	size_t vars_bytes;
	uint64_t runs;
	uint64_t *count; /* by outcome */
	uint32_t *histogram;
	uint8_t *legal, *consistent;
};

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static void allocate(struct run *r)
{
	size_t n = (size_t)r->scale->max_pairs * LITMUS_LANES, bins = 1u << 2 * LITMUS_OBSERVABLES;

	r->vars_bytes = LITMUS_VARS * (n * MAX_PITCH + 4096);
	r->launch.vars = r->gpu->alloc(r->vars_bytes);
	r->launch.regs = r->gpu->alloc(round_up(n * LITMUS_REGISTERS * 4, 256));
	r->launch.scratch = r->gpu->alloc(LITMUS_SCRATCH_BYTES);
	r->launch.histogram = r->gpu->alloc(bins * 4);
	r->gpu->fill(r->launch.scratch, 0, LITMUS_SCRATCH_BYTES / 4);
}

/* Runs a test's instances and counts the outcomes. */
static bool run_test(struct run *r, const struct litmus_test *t, char *message, size_t bytes)
{
	uint32_t bins = LITMUS_OUTCOMES(&t->program), groups = litmus_groups(t);
	char *ptx = litmus_ptx(t);
	bool loaded = r->gpu->load(ptx, message, bytes);

	free(ptx);
	if (!loaded)
		return false;
	memset(r->count, 0, bins * sizeof(*r->count));
	r->gpu->fill(r->launch.histogram, 0, bins);
	rng = options.seed * UINT64_C(0x9e3779b97f4a7c15) + name_hash(t->name);
	for (uint64_t done = 0; done < r->runs;) {
		uint64_t wanted = (r->runs - done + LITMUS_LANES - 1) / LITMUS_LANES;
		uint32_t pairs =
			wanted < r->scale->max_pairs ? (uint32_t)wanted : r->scale->max_pairs;
		struct litmus_launch *l = &r->launch;

		configure(l, r->scale, pairs);
		r->gpu->fill(l->vars, 0, (size_t)t->program.vars * l->var_pitch / 4);
		r->gpu->fill(l->scratch, 0, pairs);
		r->gpu->launch(LITMUS_KERNEL,
			       pairs * groups + (l->stress ? r->scale->stress_blocks : 0),
			       litmus_block_threads(t), l);
		r->gpu->launch(LITMUS_COLLECT, pairs, LITMUS_LANES, l);
		done += (uint64_t)pairs * LITMUS_LANES;
	}
	r->gpu->read(r->histogram, r->launch.histogram, bins * 4);
	r->gpu->unload();
	for (uint32_t i = 0; i < bins; i++)
		r->count[i] = r->histogram[i];
	return true;
}

/* ---- reports ---- */

static void print_line(const struct run *r, const struct litmus_test *t, uint64_t instances)
{
	char text[128];
	const char *separator = "";

	printf("%s: %" PRIu64 " runs:", t->name, instances);
	for (uint32_t i = 0; i < LITMUS_OUTCOMES(&t->program); i++)
		if (r->count[i]) {
			printf("%s %s %" PRIu64 "%s", separator,
			       litmus_outcome_text(&t->program, i, text), r->count[i],
			       !r->legal[i]       ? " NOT LEGAL"
			       : r->consistent[i] ? ""
						  : " weak, legal");
			separator = ",";
		}
	printf("\n");
}

static void print_json(const struct run *r, const struct litmus_test *t, uint64_t instances)
{
	char text[128];
	const char *separator = "";

	printf("{\"test\": \"%s\", \"program\": \"%s\", \"runs\": %" PRIu64 ", \"outcomes\": [",
	       t->name, t->text, instances);
	for (uint32_t i = 0; i < LITMUS_OUTCOMES(&t->program); i++)
		if (r->count[i]) {
			printf("%s{\"outcome\": \"%s\", \"count\": %" PRIu64
			       ", \"legal\": %s, \"sequentially_consistent\": %s}",
			       separator, litmus_outcome_text(&t->program, i, text), r->count[i],
			       r->legal[i] ? "true" : "false", r->consistent[i] ? "true" : "false");
			separator = ", ";
		}
	printf("]}\n");
}

static void print_tsv(const struct run *r, const struct litmus_test *t, uint64_t instances)
{
	uint64_t illegal = 0;
	char text[128];

	for (uint32_t i = 0; i < LITMUS_OUTCOMES(&t->program); i++) {
		illegal += r->legal[i] ? 0 : r->count[i];
		if (!r->consistent[i] && (r->legal[i] || r->count[i]))
			printf("%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\n", t->name,
			       litmus_outcome_text(&t->program, i, text),
			       r->legal[i] ? "legal" : "NOT LEGAL", r->count[i], instances);
	}
	printf("%s\tall others\tforbidden\t%" PRIu64 "\t%" PRIu64 "\n", t->name, illegal,
	       instances);
}

/* Adds a test's result to the totals and prints it. */
static void report(const struct run *r, const struct litmus_test *t, struct totals *totals)
{
	bool weak = false, illegal = false;
	uint64_t instances = 0;

	for (uint32_t i = 0; i < LITMUS_OUTCOMES(&t->program); i++) {
		instances += r->count[i];
		weak |= r->count[i] && !r->consistent[i];
		illegal |= r->count[i] && !r->legal[i];
	}
	totals->tests++;
	totals->instances += instances;
	totals->weak += weak;
	totals->illegal += illegal;
	(options.json ? print_json : options.tsv ? print_tsv : print_line)(r, t, instances);
	fflush(stdout);
}

/* ---- what needs no GPU ---- */

static bool is_selected(const struct litmus_test *t)
{
	for (int i = 0; i < options.pattern_count; i++)
		if (!fnmatch(options.patterns[i], t->name, 0))
			return true;
	return !options.pattern_count;
}

static void print_legal(const struct litmus_test *t, const uint8_t *legal,
			const uint8_t *consistent)
{
	const char *separator = "";
	char text[128];

	printf("%s: ", t->name);
	for (uint32_t i = 0; i < LITMUS_OUTCOMES(&t->program); i++)
		if (legal[i]) {
			printf("%s%s%s", separator, litmus_outcome_text(&t->program, i, text),
			       consistent[i] ? "" : " weak");
			separator = ", ";
		}
	printf("\n");
}

/* Whether the model has an outcome that satisfies a verdict's condition. */
static bool is_allowed(const struct litmus_verdict *v, uint8_t *legal)
{
	struct litmus_program p;
	litmus_blocks blocks = {0};
	uint32_t mask, value;
	char error[256];

	if (!litmus_parse(v->program, &p, error) ||
	    !litmus_condition(&p, v->condition, &mask, &value)) {
		fprintf(stderr, "litmus: verdict %s: %s\n", v->name, error);
		exit(2);
	}
	for (uint32_t t = 0; t < p.threads; t++)
		blocks[t] = (uint8_t)(v->blocks[t] - '0');
	litmus_legal(&p, blocks, legal);
	for (uint32_t i = 0; i < LITMUS_OUTCOMES(&p); i++)
		if (legal[i] && (i & mask) == value)
			return true;
	return false;
}

/* A model that forbids an interleaving is wrong, whatever the verdicts say. */
static uint32_t check_interleavings(const struct litmus_test *tests, uint32_t count, uint8_t *legal,
				    uint8_t *consistent)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct litmus_program *p = &tests[i].program;
		char text[128];

		if (!is_selected(&tests[i]))
			continue;
		litmus_legal(p, tests[i].blocks, legal);
		litmus_interleavings(p, consistent);
		for (uint32_t k = 0; k < LITMUS_OUTCOMES(p); k++)
			if (consistent[k] && !legal[k]) {
				printf("%s: %s is sequentially consistent, but the model says the "
				       "opposite of legal\n",
				       tests[i].name, litmus_outcome_text(p, k, text));
				wrong++;
			}
	}
	return wrong;
}

static int check_model(const struct litmus_test *tests, uint32_t count, uint8_t *legal,
		       uint8_t *consistent)
{
	uint32_t wrong = check_interleavings(tests, count, legal, consistent);

	for (uint32_t i = 0; i < litmus_verdict_count; i++) {
		const struct litmus_verdict *v = &litmus_verdicts[i];
		bool allowed = is_allowed(v, legal);

		printf("%s: %s is %s%s (%s)\n", v->name, v->condition,
		       v->allowed ? "allowed" : "forbidden",
		       allowed == v->allowed ? "" : ", but the model says the opposite", v->source);
		wrong += allowed != v->allowed;
	}
	printf("%u verdicts and the tests' interleavings: %u wrong\n", litmus_verdict_count, wrong);
	return wrong ? 1 : 0;
}

/* ---- options ---- */

static void fail_usage(const char *option)
{
	fprintf(stderr, "litmus: %s: unknown option or missing value; see --help\n", option);
	exit(2);
}

static uint64_t parse_number(const char *option, const char *text)
{
	char *end;
	uint64_t n = text ? strtoull(text, &end, 0) : 0;

	if (!text || !*text || *end)
		fail_usage(option);
	return n;
}

static void parse_options(int argc, char **argv)
{
	static const struct {
		const char *name;
		bool *flag;
	} flags[] = {{"--list", &options.list},         {"--legal", &options.legal},
		     {"--verdicts", &options.verdicts}, {"--cuda", &options.cuda},
		     {"--json", &options.json},         {"--tsv", &options.tsv},
		     {"--small", &options.small}};
	static const struct {
		const char *name;
		const char **text;
		uint64_t *number;
	} values[] = {{"--ptx", &options.ptx, NULL},
		      {"--device", &options.device, NULL},
		      {"--weak", &options.weak, NULL},
		      {"--runs", NULL, &options.runs},
		      {"--seed", NULL, &options.seed}};
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		bool known = false;

		if (!strcmp(argv[i], "--help")) {
			fputs(usage, stdout);
			exit(0);
		}
		for (size_t k = 0; k < sizeof(flags) / sizeof(*flags); k++)
			if (!strcmp(argv[i], flags[k].name))
				*flags[k].flag = known = true;
		for (size_t k = 0; !known && k < sizeof(values) / sizeof(*values); k++) {
			if (strcmp(argv[i], values[k].name))
				continue;
			known = true;
			if (i + 1 == argc)
				fail_usage(argv[i]);
			if (values[k].number)
				*values[k].number = parse_number(argv[i], argv[i + 1]);
			else
				*values[k].text = argv[i + 1];
			i++;
		}
		if (!known)
			fail_usage(argv[i]);
	}
	options.patterns = argv + i;
	options.pattern_count = argc - i;
}

/* One host thread: then a seed stands for one execution. */
static void choose_weak_memory(void)
{
	const char *chip = getenv("SOV_SOFT");
	char text[128];

	chip = chip && *chip ? chip : "gh100";
	if (strchr(chip, ',')) {
		fprintf(stderr, "litmus: --weak: SOV_SOFT=%s names several GPUs; name one\n", chip);
		exit(2);
	}
	snprintf(text, sizeof(text), "%s:threads=1:weak=%s", chip, options.weak);
	setenv("SOV_SOFT", text, 1);
}

static int run_tests(struct run *r, const struct litmus_test *tests, uint32_t count)
{
	struct totals totals = {0};
	const char *device;
	char message[1024];
	bool is_software;

	if (options.weak)
		choose_weak_memory();
	r->gpu = options.cuda ? &litmus_gpu_cuda : &litmus_gpu_sov;
	device = r->gpu->open(options.device, &is_software);
	r->scale = options.small || is_software ? &software : &hardware;
	r->runs = options.runs ? options.runs : r->scale == &software ? 128 : 1u << 20;
	allocate(r);
	for (uint32_t i = 0; i < count; i++) {
		if (!is_selected(&tests[i]))
			continue;
		litmus_legal(&tests[i].program, tests[i].blocks, r->legal);
		litmus_interleavings(&tests[i].program, r->consistent);
		if (run_test(r, &tests[i], message, sizeof(message))) {
			report(r, &tests[i], &totals);
		} else {
			totals.rejected++;
			fprintf(stderr, "litmus: %s: the compiler rejects it: %s\n", tests[i].name,
				message);
		}
	}
	fprintf(options.json || options.tsv ? stderr : stdout,
		"%s, %s: %u tests, %" PRIu64
		" instances; %u tests with weak outcomes, %u with outcomes "
		"that are NOT LEGAL, %u not compiled; seed %" PRIu64 "\n",
		r->gpu->name, device, totals.tests, totals.instances, totals.weak, totals.illegal,
		totals.rejected, options.seed);
	if (!totals.tests) {
		fprintf(stderr, "litmus: no test has such a name; see --list\n");
		return 2;
	}
	return totals.illegal || totals.rejected ? 1 : 0;
}

static int print_ptx(const struct litmus_test *tests, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(tests[i].name, options.ptx)) {
			char *ptx = litmus_ptx(&tests[i]);

			fputs(ptx, stdout);
			free(ptx);
			return 0;
		}
	fprintf(stderr, "litmus: no test is named '%s'; see --list\n", options.ptx);
	return 2;
}

int main(int argc, char **argv)
{
	size_t bins = (size_t)1 << LITMUS_BITS * LITMUS_OBSERVABLES;
	struct run r = {0};
	struct litmus_test *tests;
	uint32_t count;
	int status = 0;

	parse_options(argc, argv);
	tests = litmus_tests(&count);
	r.count = calloc(bins, sizeof(*r.count));
	r.histogram = calloc(bins, sizeof(*r.histogram));
	r.legal = calloc(bins, 1);
	r.consistent = calloc(bins, 1);
	if (!r.count || !r.histogram || !r.legal || !r.consistent)
		return 2;
	if (options.verdicts)
		status = check_model(tests, count, r.legal, r.consistent);
	else if (options.ptx)
		status = print_ptx(tests, count);
	else if (!options.list && !options.legal)
		status = run_tests(&r, tests, count);
	for (uint32_t i = 0; (options.list || options.legal) && i < count; i++) {
		if (!is_selected(&tests[i]))
			continue;
		if (options.list) {
			printf("%s\t%s\n", tests[i].name, tests[i].text);
			continue;
		}
		litmus_legal(&tests[i].program, tests[i].blocks, r.legal);
		litmus_interleavings(&tests[i].program, r.consistent);
		print_legal(&tests[i], r.legal, r.consistent);
	}
	free(tests);
	free(r.count);
	free(r.histogram);
	free(r.legal);
	free(r.consistent);
	return status;
}
