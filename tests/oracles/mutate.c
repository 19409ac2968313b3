/* SPDX-License-Identifier: MIT */
/*
 * Mutation test of hazard mode. In code that is right, ours or ptxas's, one stall is lowered by one
 * cycle or one wait for a scoreboard is dropped, and the kernel runs with hazards checked. Which of
 * these changes break the code is found out beforehand by a simple look at the straight code of each
 * basic block, which shares the latency tables with hazard mode but not its way of working: pairs of
 * instructions instead of a running clock. A change counts when an instruction that it hurts is
 * executed (a trap put in its place goes off), and it is named when hazard mode reports a hazard: the
 * code ran without one before, so it is this change's. Of long kernels some of the changes are tried,
 * evenly spread.
 */
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/image/image.h"
#include "libsov/isa/nv/sass.h"
#include "tests/kernels/launch.h"
#include "tests/tap.h"

#define MAX_CODE  16384
#define MAX_TRIES 150 /* changes of one kernel, about */
#define WHY       512
#define SUBJECTS  7 /* the first of work_kinds: saxpy to scan */

struct line {
	struct sass_inst in;
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t nuses;
	bool leader;  /* begins a basic block */
	int executed; /* -1: not asked yet */
};

struct subject { /* one kernel of one image */
	const struct work_kind *kind;
	uint32_t sm;
	uint8_t *image;
	size_t size, code; /* offset of the kernel's code */
	uint32_t count;
	struct line lines[MAX_CODE];
	struct sass_word words[MAX_CODE];
	uint32_t changes, step; /* seen; which of them to try */
};

struct counts {
	uint32_t stalls, stalls_named, waits, waits_named;
};

/* Reading the code. */

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

/* Running it. */

static void *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *data = malloc(1 << 22);

	*size = f && data ? fread(data, 1, 1 << 22, f) : 0;
	if (f)
		fclose(f);
	return data;
}

static bool run(const struct subject *s, char *error, size_t error_size)
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
	good = run(s, error, error_size);
	memcpy(s->image + s->code + 16 * (size_t)i, &s->words[i], 16);
	return good;
}

/* Whether some thread gets there with its guard true: put a trap in its place and see. */
static bool executed(struct subject *s, uint32_t i)
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
	trap.wait = 0x3f; /* whatever the original waited for, and more */
	l->executed = 0;
	if (l->in.form && sass_encode(s->sm, &trap, &word, NULL) &&
	    !run_with(s, i, word, error, sizeof(error))) {
		snprintf(at, sizeof(at), "+0x%x", i * 16);
		l->executed = strstr(error, "trap") && strstr(error, at);
	}
	return l->executed;
}

/* The look at the straight code. */

static bool overlap(const struct sass_reg_use *a, const struct sass_reg_use *b)
{
	return a->kind == b->kind && a->reg < b->reg + b->count && b->reg < a->reg + a->count;
}

/* Guards that exclude each other: no lane executes both. */
static bool exclusive(const struct sass_inst *a, const struct sass_inst *b)
{
	return a->guard == b->guard && a->guard != SASS_PT && a->guard_not != b->guard_not;
}

/* Cycles that must lie between lines i and j, i before j, for their registers. */
static uint32_t needed_distance(const struct subject *s, uint32_t i, uint32_t j)
{
	const struct line *a = &s->lines[i], *b = &s->lines[j];
	uint32_t most = j == i + 1 || a->in.op == SASS_BAR ? sass_min_distance(s->sm, &a->in, &b->in) : 0;

	for (uint32_t x = 0; x < a->nuses; x++)
		for (uint32_t y = 0; y < b->nuses; y++) {
			uint32_t need;

			if (!a->uses[x].write || !overlap(&a->uses[x], &b->uses[y]) ||
			    exclusive(&a->in, &b->in))
				continue;
			need = b->uses[y].write
				       ? sass_waw_latency(s->sm, &a->in, &b->in)
				       : sass_raw_latency(s->sm, &a->in, &a->uses[x], &b->in, &b->uses[y]);
			most = need > most ? need : most;
		}
	return most;
}

/* A write to the same registers between i and j: j no longer depends on i. Only where every lane that
 * executes i executes it too. */
static bool hidden(const struct subject *s, uint32_t i, uint32_t j)
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

/* Instructions that a stall one cycle shorter at line m hurts, as a list of line numbers. */
static uint32_t hurt_by_stall(const struct subject *s, uint32_t m, uint32_t *hurt)
{
	uint32_t n = 0, first = m;

	while (first > 0 && !s->lines[first].leader)
		first--;
	for (uint32_t j = m + 1; j < block_end(s, first); j++)
		for (uint32_t i = first; i <= m; i++) {
			uint32_t have = 0;

			for (uint32_t k = i; k < j; k++)
				have += sass_stall_cycles(&s->lines[k].in);
			if (have - 1 < needed_distance(s, i, j) && !hidden(s, i, j)) {
				hurt[n++] = j;
				break;
			}
		}
	return n;
}

static bool waits(const struct sass_inst *in, uint32_t scoreboard)
{
	return scoreboard < 6 && in->wait >> scoreboard & 1;
}

/* Is line p's work known to be done when j issues, once the wait of line m for scoreboard sb is gone?
 * reads: it is enough that its sources have been read. */
static bool settled(const struct subject *s, uint32_t p, uint32_t j, uint32_t m, uint32_t sb,
		    bool reads)
{
	uint32_t unit = sass_pipe(s->sm, &s->lines[p].in);
	bool in_order = sass_completes_in_order(s->sm, &s->lines[p].in);

	for (uint32_t k = p + 1; k <= j; k++)
		for (uint32_t b = 0; b < 6; b++) {
			if (!waits(&s->lines[k].in, b) || (k == m && b == sb))
				continue;
			/* Who set this scoreboard since p, and of p's unit? */
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

/* Does line j need line p's scoreboard: read or overwrite its result, overwrite its sources? */
static bool needs(const struct subject *s, uint32_t p, uint32_t j, bool *reads)
{
	const struct line *a = &s->lines[p], *b = &s->lines[j];
	bool result = false, source = false;

	for (uint32_t x = 0; x < a->nuses; x++)
		for (uint32_t y = 0; y < b->nuses; y++) {
			if (!overlap(&a->uses[x], &b->uses[y]) || exclusive(&a->in, &b->in))
				continue;
			result |= a->uses[x].write && sass_has_variable_latency(s->sm, &a->in);
			/* Of two in one queue the first has read when the second writes. */
			source |= !a->uses[x].write && b->uses[y].write &&
				  reads_late(s, p, &a->uses[x]) &&
				  !sass_same_queue(s->sm, &a->in, &b->in);
		}
	*reads = !result;
	return result || source;
}

static uint32_t hurt_by_wait(const struct subject *s, uint32_t m, uint32_t sb, uint32_t *hurt)
{
	uint32_t n = 0, first = m;

	while (first > 0 && !s->lines[first].leader)
		first--;
	for (uint32_t j = m; j < block_end(s, first); j++)
		for (uint32_t p = first; p < m; p++) {
			bool reads;

			if (needs(s, p, j, &reads) && !hidden(s, p, j) &&
			    !settled(s, p, j, m, sb, reads)) {
				hurt[n++] = j;
				break;
			}
		}
	return n;
}

/* One change. Returns 1 if it is a violation, and whether it was named. */
static int try(struct subject *s, uint32_t m, const struct sass_inst *changed, const uint32_t *hurt,
	       uint32_t n, bool *named)
{
	struct sass_inst in = *changed;
	struct sass_word word;
	char error[WHY];
	bool any = false;

	*named = false;
	if (s->changes++ % s->step)
		return 0;
	for (uint32_t i = 0; i < n && !any; i++)
		any = executed(s, hurt[i]);
	in.form = NULL;
	if (!any || !sass_encode(s->sm, &in, &word, NULL))
		return 0;
	if (!run_with(s, m, word, error, sizeof(error)))
		*named = strstr(error, " reads ") || strstr(error, " overwrites ") ||
			 strstr(error, " issues ");
	if (!*named)
		diag("%s for sm_%u, line +0x%x, not named: %s", s->kind->function, s->sm, m * 16,
		     error);
	return 1;
}

static void mutate(struct subject *s, struct counts *c)
{
	uint32_t hurt[MAX_CODE], n;
	bool named;

	for (uint32_t m = 0; m < s->count; m++) {
		struct sass_inst in = s->lines[m].in;

		if (in.stall > 1 && (n = hurt_by_stall(s, m, hurt))) {
			in.stall--;
			c->stalls += try(s, m, &in, hurt, n, &named);
			c->stalls_named += named;
		}
		for (uint32_t sb = 0; sb < 6; sb++) {
			in = s->lines[m].in;
			if (!waits(&in, sb) || !(n = hurt_by_wait(s, m, sb, hurt)))
				continue;
			in.wait &= ~(1u << sb);
			c->waits += try(s, m, &in, hurt, n, &named);
			c->waits_named += named;
		}
	}
}

static void mutate_image(const char *maker, uint32_t sm, const char *file, uint8_t *image,
			 size_t size, struct counts *c)
{
	struct image im;
	char message[256], error[WHY];

	if (!image_read(&im, image, size, message, sizeof(message))) {
		ok(false, "%s: %s", maker, message);
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
			if (ok(subject_read(s, &im.kernels[i]) && run(s, error, sizeof(error)),
			       "%s of %s for sm_%u is right to begin with", kind->function, maker,
			       sm)) {
				s->step = 1 + s->count / MAX_TRIES;
				mutate(s, c);
			} else {
				diag("%s", error);
			}
			free(s);
		}
	image_free(&im);
}

static void verdict(const char *maker, uint32_t sm, const struct counts *c)
{
	uint32_t all = c->stalls + c->waits, named = c->stalls_named + c->waits_named;

	printf("# count %s sm_%u: %u of %u lowered stalls and %u of %u dropped waits are named\n",
	       maker, sm, c->stalls_named, c->stalls, c->waits_named, c->waits);
	ok(all >= 20 && 100 * named >= 95 * all,
	   "%s, sm_%u: at least 95 %% of %u violations are named (%u are)", maker, sm, all, named);
}

/* usage: mutate ours|<cubin name>...: "ours" compiles tests/kernels here. */
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
				ok(false, "compile %s: %s", path, r.messages);
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
		verdict("ours", sm, &ours);
		if (argc > 1)
			verdict("ptxas", sm, &theirs);
	}
	return tap_done();
}
