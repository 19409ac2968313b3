// SPDX-License-Identifier: MIT
/*
 * The latencies against mined_distances.txt: the minimum distances that ptxas leaves between pairs
 * of instruction classes in our test programs and in random kernels, with the two words of each
 * minimum. tests/oracles/sass.sh finds figures that are larger than ptxas's; this test finds those
 * that are smaller, at which hardware may read an old value.
 *
 * A line: SM, rule (raw, stall), register, classes of both words, minimum, how often it
 * occurred, number of dependences, first word, second word.
 */
#include "tests/tap.h"
#include "libsov/isa/nv/sass.h"

#define PATH "tests/userspace/isa/nv/mined_distances.txt"

struct pair {
	uint32_t sm, reg, min, at_min, count;
	char rule[8], kind, producer[32], consumer[32];
	struct sass_inst first, second;
};

static bool parse_pair(const char *line, struct pair *p)
{
	unsigned long long w[4];

	return sscanf(line, "%u %7s %c%u %31s %31s %u %u %u %16llx%16llx %16llx%16llx", &p->sm,
		      p->rule, &p->kind, &p->reg, p->producer, p->consumer, &p->min, &p->at_min,
		      &p->count, &w[0], &w[1], &w[2], &w[3]) == 13 &&
	       sass_decode(p->sm, (struct sass_word){w[1], w[0]}, &p->first) &&
	       sass_decode(p->sm, (struct sass_word){w[3], w[2]}, &p->second);
}

static bool has_register(const struct sass_reg_use *u, const struct pair *p, bool write)
{
	return u->write == write && "-RUPQB"[u->kind] == p->kind && p->reg >= u->reg &&
	       p->reg < u->reg + (uint32_t)u->count;
}

/* The distance that sass_latency.c asks for; 0: the words have no such dependence. */
static uint32_t our_distance(const struct pair *p)
{
	struct sass_reg_use a[SASS_MAX_USES], b[SASS_MAX_USES];
	uint32_t n = sass_uses(&p->first, a), m = sass_uses(&p->second, b), max = 0;

	if (!strcmp(p->rule, "stall"))
		return sass_min_stall(p->sm, &p->first);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < m; k++)
			if (has_register(&a[i], p, true) && has_register(&b[k], p, false)) {
				struct sass_reg_use read = b[k];
				uint32_t d;

				read.reg = (uint8_t)p->reg;
				read.count = 1;
				d = sass_raw_latency(p->sm, &p->first, &a[i], &p->second, &read);
				max = d > max ? d : max;
			}
	return max;
}

int main(int argc, char **argv)
{
	FILE *f = fopen(argc > 1 ? argv[1] : PATH, "r");
	uint32_t lines = 0, broken = 0, smaller = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		struct pair p;
		uint32_t ours;

		if (*line == '#')
			continue;
		lines++;
		if (!parse_pair(line, &p) || !(ours = our_distance(&p))) {
			broken++;
			diag("not a dependence: %s", line);
		} else if (ours < p.min) {
			smaller++;
			diag("SM%u %s %c: %s to %s: ours %u, ptxas leaves %u, %u of %u times", p.sm,
			     p.rule, p.kind, p.producer, p.consumer, ours, p.min, p.at_min,
			     p.count);
		}
	}
	if (f)
		fclose(f);
	ok(lines >= 100 && !broken, "the mined distances are dependences that the table decodes");
	ok(lines && !smaller, "no latency is smaller than the minimum distance in ptxas's code");
	diag("%u pairs of classes; those with a smaller figure: %u", lines, smaller);
	return tap_done();
}
