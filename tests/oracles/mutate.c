// SPDX-License-Identifier: MIT
/*
 * Mutation test of hazard mode. In correct code, ours or ptxas's, one stall count is lowered by one
 * cycle or one scoreboard wait is dropped, and the kernel runs in hazard mode. A static analysis of
 * each basic block finds the mutations that violate a latency; it shares the latency tables with
 * hazard mode but not the algorithm: it looks at pairs of instructions instead of a running clock.
 * A mutation counts if an affected instruction is executed (a trap in its position fires), and it
 * is caught if hazard mode reports a hazard: the unmodified code ran without one. Long kernels try
 * an evenly spaced sample of the mutations.
 */
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/image/image.h"
#include "libsov/isa/nv/sass.h"
#include "tests/kernels/launch.h"
#include "tests/tap.h"

#define MAX_CODE  16384
#define MAX_TRIES 150 /* approximate number of mutations per kernel */
#define WHY       512
#define SUBJECTS  7 /* the first of work_kinds: saxpy to scan */

struct line {
	struct sass_inst in;
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t nuses;
	bool leader;  /* begins a basic block */
	int executed; /* -1: not known yet */
};

struct subject { /* one kernel of one image */
	const struct work_kind *kind;
	uint32_t sm;
	uint8_t *image;
	size_t size, code; /* offset of the kernel's code */
	uint32_t count;
	struct line lines[MAX_CODE];
	struct sass_word words[MAX_CODE];
	uint32_t mutations, step; /* number found; try every step-th */
};

struct counts {
	uint32_t stalls, stalls_caught, waits, waits_caught;
};

/* ---- reading the code ---- */

static bool ends_block(uint16_t op)
{
	switch (op) {
	case SASS_BRA:
	case SASS_BRA_UREG:
	case SASS_BRX:
	case SASS_BRXU:
	case SASS_CALL_REL:
	case SASS_RET_REL:
	case SASS_EXIT:
	case SASS_BSYNC:
	case SASS_BAR:
	case SASS_WARPSYNC:
	case SASS_WARPSYNC_ALL:
	case SASS_WARPSYNC_COLLECTIVE:
	case SASS_WARPSYNC_COLLECTIVE_ALL:
	case SASS_ENDCOLLECTIVE:
		return true;
	}
	return false;
}

static bool subject_read(struct subject *s, const struct image_kernel *k)
{
	s->code = (size_t)(k->code - s->image);
	s->count = k->code_bytes / 16;
	if (s->count > MAX_CODE)
		return false;
	memcpy(s->words, k->code, k->code_bytes);
	for (uint32_t i = 0; i < s->count; i++) {
		struct line *l = &s->lines[i];

		if (!sass_decode(s->sm, s->words[i], &l->in))
			return false;
		l->nuses = sass_uses(&l->in, l->uses);
		l->executed = -1;
	}
	for (uint32_t i = 0; i < s->count; i++) {
		struct line *l = &s->lines[i];

		if (ends_block(l->in.op) && i + 1 < s->count)
			s->lines[i + 1].leader = true;
		for (uint32_t o = 0; o < l->in.nops; o++) {
			int64_t to = (int64_t)i + 1 + l->in.ops[o].value / 16;

			if (l->in.ops[o].kind == SASS_TARGET && to >= 0 && to < s->count)
				s->lines[to].leader = true;
		}
	}
	return true;
}

static uint32_t block_end(const struct subject *s, uint32_t i)
{
	for (i++; i < s->count && !s->lines[i].leader;)
		i++;
	return i;
}

/* ---- running the kernel ---- */

static void *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *data = malloc(1 << 22);

	*size = f && data ? fread(data, 1, 1 << 22, f) : 0;
	if (f)
		fclose(f);
	return data;
}

static bool run_subject(const struct subject *s, char *error, size_t error_size)
{
	sov_context_options limits = SOV_INIT(sov_context_options);
	struct work w;
	sov_device d;
	sov_context c = 0;
	sov_module m;
	bool good;

	limits.kernel_time_limit = UINT64_C(60000000000);
	work_make(&w, s->kind, s->kind->small, 20260115);
	good = work_must(&w, sov_device_open_name(s->sm == 90 ? "gh100.0" : "ga100.0", &d),
			 "opening") &&
	       work_must(&w, sov_context_create(d, &limits, &c), "creating a context") &&
	       work_must(&w, sov_module_load(c, s->image, s->size, NULL, &m), "loading") &&
	       work_launch(&w, c, m) && s->kind->right(&w);
	if (c)
		sov_context_destroy(c);
	snprintf(error, error_size, "%s", good ? "" : w.why);
	work_free(&w);
	return good;
}

static bool run_with(struct subject *s, uint32_t i, struct sass_word word, char *error,
		     size_t error_size)
{
	bool good;

	memcpy(s->image + s->code + 16 * (size_t)i, &word, 16);
	good = run_subject(s, error, error_size);
	memcpy(s->image + s->code + 16 * (size_t)i, &s->words[i], 16);
	return good;
}

/* Replaces the instruction by a trap to see whether a thread executes it with a true guard. */
static bool is_executed(struct subject *s, uint32_t i)
{
	struct line *l = &s->lines[i];
	struct sass_inst trap;
	struct sass_word word;
	char error[WHY], at[32];

	if (l->executed >= 0)
		return l->executed;
	sass_init(&trap, SASS_BPT);
	trap.guard = l->in.guard;
	trap.guard_not = l->in.guard_not;
	trap.stall = 15;
	trap.yield = true;
	trap.wait = 0x3f; /* all scoreboards, so the original's too */
	l->executed = 0;
	if (l->in.form && sass_encode(s->sm, &trap, &word, NULL) &&
	    !run_with(s, i, word, error, sizeof(error))) {
		snprintf(at, sizeof(at), "+0x%x", i * 16);
		l->executed = strstr(error, "trap") && strstr(error, at);
	}
	return l->executed;
}

/* ---- static analysis of basic blocks ---- */

static bool overlap(const struct sass_reg_use *a, const struct sass_reg_use *b)
{
	return a->kind == b->kind && a->reg < b->reg + b->count && b->reg < a->reg + a->count;
}

/* Complementary guards: no lane executes both. */
static bool exclusive(const struct sass_inst *a, const struct sass_inst *b)
{
	return a->guard == b->guard && a->guard != SASS_PT && a->guard_not != b->guard_not;
}

/* Minimum distance in cycles from line i to a later line j, for their registers. */
static uint32_t needed_distance(const struct subject *s, uint32_t i, uint32_t j)
{
	const struct line *a = &s->lines[i], *b = &s->lines[j];
	uint32_t max =
		j == i + 1 || a->in.op == SASS_BAR ? sass_min_distance(s->sm, &a->in, &b->in) : 0;

	for (uint32_t x = 0; x < a->nuses; x++)
		for (uint32_t y = 0; y < b->nuses; y++) {
			uint32_t need;

			if (!a->uses[x].write || !overlap(&a->uses[x], &b->uses[y]) ||
			    exclusive(&a->in, &b->in))
				continue;
			need = b->uses[y].write ? sass_waw_latency(s->sm, &a->in, &b->in)
						: sass_raw_latency(s->sm, &a->in, &a->uses[x],
								   &b->in, &b->uses[y]);
			max = need > max ? need : max;
		}
	return max;
}

/*
 * Returns whether an instruction between i and j writes the same registers, so that j no longer
 * depends on i. Assumes that every lane that executes i executes that instruction too.
 */
static bool overwritten_between(const struct subject *s, uint32_t i, uint32_t j)
{
	for (uint32_t k = i + 1; k < j; k++) {
		const struct line *l = &s->lines[k];

		for (uint32_t x = 0; x < l->nuses; x++)
			for (uint32_t y = 0; y < s->lines[i].nuses; y++)
				if (l->uses[x].write && s->lines[i].uses[y].write &&
				    overlap(&l->uses[x], &s->lines[i].uses[y]))
					return true;
	}
	return false;
}

/* Lists the lines that read or write too early if line m stalls one cycle less. */
static uint32_t affected_by_stall(const struct subject *s, uint32_t m, uint32_t *affected)
{
	uint32_t n = 0, first = m;

	while (first > 0 && !s->lines[first].leader)
		first--;
	for (uint32_t j = m + 1; j < block_end(s, first); j++)
		for (uint32_t i = first; i <= m; i++) {
			uint32_t have = 0;

			for (uint32_t k = i; k < j; k++)
				have += sass_stall_cycles(&s->lines[k].in);
			if (have - 1 < needed_distance(s, i, j) && !overwritten_between(s, i, j)) {
				affected[n++] = j;
				break;
			}
		}
	return n;
}

static bool waits(const struct sass_inst *in, uint32_t scoreboard)
{
	return scoreboard < 6 && in->wait >> scoreboard & 1;
}

/*
 * Returns whether line p has completed when j issues, without line m's wait for scoreboard sb. With
 * reads it is enough that p has read its sources.
 */
static bool has_completed(const struct subject *s, uint32_t p, uint32_t j, uint32_t m, uint32_t sb,
			  bool reads)
{
	uint32_t unit = sass_pipe(s->sm, &s->lines[p].in);
	bool in_order = sass_completes_in_order(s->sm, &s->lines[p].in);

	for (uint32_t k = p + 1; k <= j; k++)
		for (uint32_t b = 0; b < 6; b++) {
			if (!waits(&s->lines[k].in, b) || (k == m && b == sb))
				continue;
			/* Find the instructions of p's pipe since p that set this scoreboard. */
			for (uint32_t q = p; q < k; q++) {
				const struct sass_inst *in = &s->lines[q].in;

				if (q != p && sass_pipe(s->sm, in) != unit)
					continue;
				if (in->write_barrier == b && (q == p || in_order || reads))
					return true;
				if (in->read_barrier == b && reads)
					return true;
			}
		}
	return false;
}

static bool reads_late(const struct subject *s, uint32_t p, const struct sass_reg_use *u)
{
	return sass_reads_late(s->sm, &s->lines[p].in) &&
	       (u->kind == SASS_GPR || u->kind == SASS_UGPR);
}

/* Returns whether j reads or overwrites p's result, or overwrites p's sources. */
static bool needs_scoreboard(const struct subject *s, uint32_t p, uint32_t j, bool *reads)
{
	const struct line *a = &s->lines[p], *b = &s->lines[j];
	bool result = false, source = false;

	for (uint32_t x = 0; x < a->nuses; x++)
		for (uint32_t y = 0; y < b->nuses; y++) {
			if (!overlap(&a->uses[x], &b->uses[y]) || exclusive(&a->in, &b->in))
				continue;
			result |= a->uses[x].write && sass_has_variable_latency(s->sm, &a->in);
			/* In one queue the first reads its sources before the second writes. */
			source |= !a->uses[x].write && b->uses[y].write &&
				  reads_late(s, p, &a->uses[x]) &&
				  !sass_same_queue(s->sm, &a->in, &b->in);
		}
	*reads = !result;
	return result || source;
}

static uint32_t affected_by_wait(const struct subject *s, uint32_t m, uint32_t sb,
				 uint32_t *affected)
{
	uint32_t n = 0, first = m;

	while (first > 0 && !s->lines[first].leader)
		first--;
	for (uint32_t j = m; j < block_end(s, first); j++)
		for (uint32_t p = first; p < m; p++) {
			bool reads;

			if (needs_scoreboard(s, p, j, &reads) && !overwritten_between(s, p, j) &&
			    !has_completed(s, p, j, m, sb, reads)) {
				affected[n++] = j;
				break;
			}
		}
	return n;
}

/* Tries one mutation. Returns 1 if it is a violation; *caught tells whether hazard mode saw it. */
static int try_mutation(struct subject *s, uint32_t m, const struct sass_inst *changed,
			const uint32_t *affected, uint32_t n, bool *caught)
{
	struct sass_inst in = *changed;
	struct sass_word word;
	char error[WHY];
	bool any = false;

	*caught = false;
	if (s->mutations++ % s->step)
		return 0;
	for (uint32_t i = 0; i < n && !any; i++)
		any = is_executed(s, affected[i]);
	in.form = NULL;
	if (!any || !sass_encode(s->sm, &in, &word, NULL))
		return 0;
	if (!run_with(s, m, word, error, sizeof(error)))
		*caught = strstr(error, " reads ") || strstr(error, " overwrites ") ||
			  strstr(error, " issues ");
	if (!*caught)
		diag("%s for sm_%u, line +0x%x, not caught: %s", s->kind->function, s->sm, m * 16,
		     error);
	return 1;
}

static void mutate(struct subject *s, struct counts *c)
{
	uint32_t affected[MAX_CODE], n;
	bool caught;

	for (uint32_t m = 0; m < s->count; m++) {
		struct sass_inst in = s->lines[m].in;

		if (in.stall > 1 && (n = affected_by_stall(s, m, affected))) {
			in.stall--;
			c->stalls += try_mutation(s, m, &in, affected, n, &caught);
			c->stalls_caught += caught;
		}
		for (uint32_t sb = 0; sb < 6; sb++) {
			in = s->lines[m].in;
			if (!waits(&in, sb) || !(n = affected_by_wait(s, m, sb, affected)))
				continue;
			in.wait &= ~(1u << sb);
			c->waits += try_mutation(s, m, &in, affected, n, &caught);
			c->waits_caught += caught;
		}
	}
}

static void mutate_image(const char *compiler, uint32_t sm, const char *file, uint8_t *image,
			 size_t size, struct counts *c)
{
	struct image im;
	char message[256], error[WHY];

	if (!image_read(&im, image, size, message, sizeof(message))) {
		ok(false, "the image by %s is readable: %s", compiler, message);
		return;
	}
	for (uint32_t k = 0; k < SUBJECTS; k++)
		for (uint32_t i = 0; i < im.nkernels; i++) {
			const struct work_kind *kind = &work_kinds[k];
			struct subject *s;

			if (strcmp(kind->file, file) || strcmp(kind->function, im.kernels[i].name))
				continue;
			s = calloc(1, sizeof(*s));
			s->kind = kind;
			s->sm = sm;
			s->image = image;
			s->size = size;
			if (ok(subject_read(s, &im.kernels[i]) &&
				       run_subject(s, error, sizeof(error)),
			       "%s by %s for sm_%u runs in hazard mode before mutation",
			       kind->function, compiler, sm)) {
				s->step = 1 + s->count / MAX_TRIES;
				mutate(s, c);
			} else {
				diag("%s", error);
			}
			free(s);
		}
	image_free(&im);
}

static void report_counts(const char *compiler, uint32_t sm, const struct counts *c)
{
	uint32_t all = c->stalls + c->waits, caught = c->stalls_caught + c->waits_caught;

	printf("# count %s sm_%u: %u of %u lowered stalls and %u of %u dropped waits are caught\n",
	       compiler, sm, c->stalls_caught, c->stalls, c->waits_caught, c->waits);
	ok(all >= 20 && 100 * caught >= 95 * all,
	   "%s, sm_%u: hazard mode catches at least 95 %% of %u violations (%u)", compiler, sm, all,
	   caught);
}

/* usage: mutate [CUBIN...]: our code of tests/kernels, and these cubins of ptxas. */
int main(int argc, char **argv)
{
	setenv("SOV_SOFT", "gh100:vram=256M:threads=1:hazard,ga100:vram=256M:threads=1:hazard", 1);
	unsetenv("SOV_VISIBLE_DEVICES");
	for (uint32_t sm = 80; sm <= 90; sm += 10) {
		struct counts ours = {0}, theirs = {0};
		char tag[16], path[64];

		snprintf(tag, sizeof(tag), "sm_%u", sm);
		for (int f = 0; f < SUBJECTS; f++) {
			const char *file = work_kinds[f].file;
			struct compile_options o = {.source = COMPILE_PTX, .target = tag};
			struct compile_result r = {0};
			size_t size;
			char *text;

			snprintf(path, sizeof(path), "tests/kernels/%s.ptx", file);
			text = read_file(path, &size);
			if (compile(text, size, &o, &r))
				mutate_image("ours", sm, file, r.image, r.image_size, &ours);
			else
				ok(false, "%s compiles: %s", path, r.messages);
			compile_result_free(&r);
			free(text);
			for (int i = 1; i < argc; i++) {
				uint8_t *image;

				if (!strstr(argv[i], tag) || !strstr(argv[i], file))
					continue;
				image = read_file(argv[i], &size);
				mutate_image("ptxas", sm, file, image, size, &theirs);
				free(image);
			}
		}
		report_counts("ours", sm, &ours);
		if (argc > 1)
			report_counts("ptxas", sm, &theirs);
	}
	return tap_done();
}
