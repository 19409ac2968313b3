// SPDX-License-Identifier: MIT
/*
 * The SASS table against frozen_words.txt, words that nvdisasm confirmed (see _frozen.h). A line
 * has the word, the SM versions that know it, its control bits as wait:read:write:yield:stall, and
 * its text at address 0. nvdisasm does not print control bits.
 *
 *   frozen_words                                  the test
 *   frozen_words --candidates                     prints lines that cover the whole table
 *   frozen_words --words SM FILE words.bin text   writes a file's words and our text, for nvdisasm
 */
#include "tests/userspace/isa/_frozen.h"
#include "libsov/isa/nv/sass_row.h"

#define PATH        "tests/userspace/isa/nv/frozen_words.txt"
#define DRAWS       160 /* random instructions per form, for --candidates */
#define TEST_DRAWS  16
#define CONTROL_BIT 105

static const uint32_t sms[] = {80, 86, 89, 90};
#define SMS (sizeof(sms) / sizeof(sms[0]))

static uint32_t row_of(const struct sass_inst *in)
{
	for (uint32_t i = 0; i < sass_form_count(); i++)
		if (sass_form_at(i) == in->form)
			return i;
	return 0;
}

/* What one word covers for one SM version; more than 128 bits, fields and operands. */
static void collect_keys(uint32_t sm, struct sass_word w, const struct sass_inst *in, uint32_t row,
			 struct keys *k)
{
	const struct sass_form *f = sass_form_at(row);
	uint32_t form = (uint32_t)(w.lo >> 9 & 7);

	k->n = 0;
	k->key[k->n++] = cover_key(1, row, sm, form, 0);
	for (uint32_t i = 0; i < SASS_MAX_FIELDS && f->fields[i].width; i++)
		k->key[k->n++] = cover_key(2, row, sm, i, in->mod[f->fields[i].mod]);
	for (uint32_t i = 0; i < in->nops; i++) {
		const struct sass_operand *o = &in->ops[i];
		uint32_t ureg = o->kind == SASS_ADDR ? o->aux != SASS_NO_UREG : 0;

		k->key[k->n++] = cover_key(3, row, sm, form << 8 | i, o->kind);
		k->key[k->n++] = cover_key(4, row, sm, i, (uint32_t)o->flags << 1 | ureg);
	}
	for (uint32_t bit = 0; bit < 128; bit++) {
		uint32_t set = (uint32_t)((bit < 64 ? w.lo >> bit : w.hi >> (bit - 64)) & 1);

		k->key[k->n++] = cover_key(5, bit < CONTROL_BIT ? row : 0, sm, bit, set);
	}
}

static void print_control(const struct sass_inst *in, char text[32])
{
	snprintf(text, 32, "%02x:%c:%c:%c:%x", in->wait,
		 in->read_barrier == SASS_NO_SB ? '-' : '0' + in->read_barrier,
		 in->write_barrier == SASS_NO_SB ? '-' : '0' + in->write_barrier,
		 in->yield ? 'Y' : '-', in->stall);
}

/* Decodes and prints a word; false: the SM version does not know it or it has another encoding. */
static bool describe_word(uint32_t sm, struct sass_word w, struct sass_inst *in, char control[32],
			  char text[256])
{
	struct sass_word again;

	if (!sass_decode(sm, w, in) || !sass_encode(sm, in, &again, NULL) || again.lo != w.lo ||
	    again.hi != w.hi || sass_print(sm, in, 0, text, 256) < 0)
		return false;
	print_control(in, control);
	return true;
}

/* ---- writing ---- */

static void print_candidate(struct sass_word w, const char *control, const char *text)
{
	char list[32] = "", other_control[32], other[256];
	struct sass_inst in;
	struct keys k;
	uint32_t known = 0;

	for (uint32_t i = 0; i < SMS; i++) {
		if (!describe_word(sms[i], w, &in, other_control, other) || strcmp(other, text))
			continue;
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%u",
			 known++ ? "," : "", sms[i]);
		collect_keys(sms[i], w, &in, row_of(&in), &k);
		cover_all(&k);
	}
	printf("%016llx%016llx %s %s %s\n", (unsigned long long)w.hi, (unsigned long long)w.lo,
	       known == SMS ? "all" : list, control, text);
}

/* Draws instructions of a row; prints those that cover something new, or stops at the first. */
static bool draw_row(uint32_t sm, uint32_t row, uint32_t draws, bool print)
{
	const struct sass_form *f = sass_form_at(row);
	uint64_t seed = seed_of(f->name, sm);

	for (uint32_t i = 0; i < draws * (uint32_t)__builtin_popcount(f->forms); i++) {
		struct sass_inst in, back;
		char control[32], text[256];
		struct sass_word w;
		struct keys k;

		sass_random(f, sm, next_random, &seed, &in);
		if (!sass_encode(sm, &in, &w, NULL) || !describe_word(sm, w, &back, control, text))
			return false;
		collect_keys(sm, w, &back, row_of(&back), &k);
		if (!covers_anything(&k))
			continue;
		if (!print) {
			diag("SM%u: no frozen word covers all of %s", sm, text);
			return false;
		}
		print_candidate(w, control, text);
	}
	return true;
}

static int print_candidates(void)
{
	for (uint32_t row = 0; row < sass_form_count(); row++)
		for (uint32_t i = 0; i < SMS; i++)
			if (sass_form_in(sass_form_at(row), sms[i]) &&
			    !draw_row(sms[i], row, DRAWS, true))
				return 1;
	return 0;
}

/* ---- reading ---- */

struct frozen {
	struct sass_word w;
	bool in[SMS];
	char control[32], text[256];
};

static bool parse_line(const char *line, struct frozen *z)
{
	unsigned long long hi, lo;
	char list[32];
	int at = 0;

	if (sscanf(line, "%16llx%16llx %31s %31s %n", &hi, &lo, list, z->control, &at) != 4 || !at)
		return false;
	z->w = (struct sass_word){lo, hi};
	snprintf(z->text, sizeof(z->text), "%s", line + at);
	for (uint32_t i = 0; i < SMS; i++) {
		char number[8];

		snprintf(number, sizeof(number), "%u", sms[i]);
		z->in[i] = !strcmp(list, "all") || strstr(list, number);
	}
	return true;
}

static void check_line(char *line, void *state)
{
	uint32_t *wrong = state;
	struct frozen z;

	if (!parse_line(line, &z)) {
		diag("not a frozen word: %s", line);
		++*wrong;
		return;
	}
	for (uint32_t i = 0; i < SMS; i++) {
		char control[32] = "", text[256] = "nothing";
		struct sass_inst in;
		struct keys k;

		if (!z.in[i])
			continue;
		if (!describe_word(sms[i], z.w, &in, control, text) || strcmp(text, z.text) ||
		    strcmp(control, z.control)) {
			if (++*wrong <= 10)
				diag("SM%u %s: now %s %s", sms[i], line, control, text);
			continue;
		}
		collect_keys(sms[i], z.w, &in, row_of(&in), &k);
		cover_all(&k);
	}
}

/* Every form of every row, and the operands and modifiers of random instructions of the row. */
static bool table_is_covered(uint32_t sm)
{
	for (uint32_t row = 0; row < sass_form_count(); row++) {
		const struct sass_form *f = sass_form_at(row);

		if (!sass_form_in(f, sm))
			continue;
		for (uint32_t form = 0; form < 8; form++)
			if (f->forms >> form & 1 && !is_covered(cover_key(1, row, sm, form, 0))) {
				diag("SM%u: no frozen word of %s in form %u", sm, f->name, form);
				return false;
			}
		if (!draw_row(sm, row, TEST_DRAWS, false))
			return false;
	}
	return true;
}

/* ---- for nvdisasm ---- */

struct output {
	uint32_t sm, address;
	FILE *words, *text;
};

static void write_word(char *line, void *state)
{
	struct output *o = state;
	struct sass_inst in;
	char text[256];
	struct frozen z;

	for (uint32_t i = 0; i < SMS; i++) {
		if (!parse_line(line, &z) || sms[i] != o->sm || !z.in[i])
			continue;
		if (!sass_decode(o->sm, z.w, &in) ||
		    sass_print(o->sm, &in, o->address, text, sizeof(text)) < 0)
			snprintf(text, sizeof(text), "?");
		fwrite(&z.w, 16, 1, o->words);
		fprintf(o->text, "%s\n", text);
		o->address += 16;
	}
}

static int write_words(char **argv)
{
	struct output o = {(uint32_t)strtoul(argv[0], NULL, 0), 0, fopen(argv[2], "wb"),
			   fopen(argv[3], "w")};

	if (!o.words || !o.text)
		return perror("frozen_words"), 1;
	if (!read_frozen(argv[1], write_word, &o))
		return fprintf(stderr, "frozen_words: %s: no words\n", argv[1]), 1;
	return fclose(o.words) || fclose(o.text);
}

int main(int argc, char **argv)
{
	uint32_t wrong = 0, lines;

	if (argc == 2 && !strcmp(argv[1], "--candidates"))
		return print_candidates();
	if (argc == 6 && !strcmp(argv[1], "--words"))
		return write_words(argv + 2);
	lines = read_frozen(argc == 2 ? argv[1] : PATH, check_line, &wrong);
	ok(lines > 0 && !wrong, "the SASS table decodes, prints and encodes every frozen word");
	diag("%u words; those that differ: %u", lines, wrong);
	for (uint32_t i = 0; i < SMS; i++)
		if (!ok(table_is_covered(sms[i]),
			"SM%u: the frozen words cover every row, form, modifier and bit", sms[i]))
			diag("tests/oracles/frozen.sh rewrites %s where nvdisasm confirms it",
			     PATH);
	return tap_done();
}
