// SPDX-License-Identifier: MIT
/*
 * Random instructions of every row and form decode to the same instruction and encode to the same
 * bits. The decoder rejects a bit that the row does not define, unless it selects another row.
 */
#include "tests/tap.h"
#include "libsov/isa/nv/sass_row.h"

#define PER_FORM 200

static const uint32_t sms[] = {70, 75, 80, 86, 89, 90};
static uint64_t seed = 1;

static uint64_t next(void *state) /* splitmix64 */
{
	uint64_t z = *(uint64_t *)state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static bool is_same_inst(const struct sass_inst *a, const struct sass_inst *b)
{
	uint32_t i;

	for (i = 0; i < a->nops; i++) {
		const struct sass_operand *x = &a->ops[i], *y = &b->ops[i];

		if (x->kind != y->kind || x->reg != y->reg || x->aux != y->aux ||
		    x->flags != y->flags || x->value != y->value)
			return false;
	}
	return a->op == b->op && a->nops == b->nops && a->guard == b->guard &&
	       a->guard_not == b->guard_not && !memcmp(a->mod, b->mod, sizeof(a->mod)) &&
	       a->stall == b->stall && a->yield == b->yield &&
	       a->write_barrier == b->write_barrier && a->read_barrier == b->read_barrier &&
	       a->wait == b->wait && a->reuse == b->reuse;
}

/* A flipped bit may select another row, but the decoder never drops it. */
static bool no_bit_is_dropped(uint32_t sm, struct sass_word w)
{
	for (int bit = 0; bit < 128; bit++) {
		struct sass_word flipped = w, again;
		struct sass_inst in;

		if (bit < 64)
			flipped.lo ^= 1ull << bit;
		else
			flipped.hi ^= 1ull << (bit - 64);
		if (sass_decode(sm, flipped, &in) &&
		    (!sass_encode(sm, &in, &again, NULL) || again.lo != flipped.lo ||
		     again.hi != flipped.hi)) {
			diag("SM%u %016llx%016llx with bit %d flipped", sm,
			     (unsigned long long)w.hi, (unsigned long long)w.lo, bit);
			return false;
		}
	}
	return true;
}

static bool row_round_trips(uint32_t sm, const struct sass_form *f)
{
	uint32_t i, n = PER_FORM * (uint32_t)__builtin_popcount(f->forms);

	for (i = 0; i < n; i++) {
		struct sass_inst in, back;
		struct sass_word w, again;
		const char *why = "it decodes to something else";
		char text[256];

		sass_random(f, sm, next, &seed, &in);
		if (!sass_encode(sm, &in, &w, &why) || !sass_decode(sm, w, &back) ||
		    !is_same_inst(&in, &back) || !sass_encode(sm, &back, &again, &why) ||
		    w.lo != again.lo || w.hi != again.hi ||
		    sass_print(sm, &back, 0, text, sizeof(text)) <= 0) {
			diag("SM%u %s: %s", sm, f->name, why);
			return false;
		}
		if (i < 20 && !no_bit_is_dropped(sm, w))
			return false;
	}
	return true;
}

/* A random word that decodes is encoded to the same bits. */
static bool random_words_round_trip(uint32_t sm)
{
	uint32_t i, known = 0;

	for (i = 0; i < 400000; i++) {
		const struct sass_form *f = sass_form_at(next(&seed) % sass_form_count());
		struct sass_word w = {next(&seed) & next(&seed), next(&seed) & next(&seed)}, again;
		struct sass_inst in;

		w.lo = (w.lo & ~0xfffull) | f->opcode | (uint64_t)(__builtin_ctz(f->forms)) << 9;
		w.hi &= next(&seed) & next(&seed);
		if (!sass_decode(sm, w, &in))
			continue;
		known++;
		if (!sass_encode(sm, &in, &again, NULL) || w.lo != again.lo || w.hi != again.hi) {
			diag("SM%u %016llx%016llx", sm, (unsigned long long)w.hi,
			     (unsigned long long)w.lo);
			return false;
		}
	}
	return known > 100;
}

int main(void)
{
	uint32_t s, i, rows, good;

	for (s = 0; s < sizeof(sms) / sizeof(sms[0]); s++) {
		for (i = rows = good = 0; i < sass_form_count(); i++) {
			if (!sass_form_in(sass_form_at(i), sms[s]))
				continue;
			rows++;
			good += row_round_trips(sms[s], sass_form_at(i));
		}
		ok(rows > 100 && good == rows,
		   "SM%u: all %u rows of the SASS table survive encode, decode, encode", sms[s],
		   good);
		ok(random_words_round_trip(sms[s]),
		   "SM%u: random words either do not decode as SASS or encode to themselves",
		   sms[s]);
	}
	return tap_done();
}
