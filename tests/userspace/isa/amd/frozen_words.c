// SPDX-License-Identifier: MIT
/*
 * The AMD instruction table against frozen_words.txt, words of gfx1030 that llvm-mc confirmed (see
 * _frozen.h). A line has the words, separated by commas; the registers that the instruction reads
 * and writes, as operand numbers after r and w (253: SCC, 256 and up: VGPRs); and the text.
 *
 *   frozen_words                            the test
 *   frozen_words --candidates               prints lines that cover the whole table
 *   frozen_words --bytes FILE bytes text    writes a file's bytes and text, for llvm-mc
 */
#include "tests/userspace/isa/_frozen.h"
#include "libsov/isa/amd/amd_row.h"

#define PATH       "tests/userspace/isa/amd/frozen_words.txt"
#define DRAWS      160 /* random instructions per form, for --candidates */
#define TEST_DRAWS 16
#define TEXT       512

/* Kinds of operands, which have different ranges in the 9-bit field. */
static uint32_t operand_kind(uint16_t reg)
{
	static const uint16_t ends[] = {AMD_VCC,         AMD_TTMP,  AMD_M0,      AMD_NULL,
					AMD_EXEC,        AMD_INT_0, AMD_INT_M1,  AMD_SHARED_BASE,
					AMD_HALF,        AMD_VCCZ,  AMD_LITERAL, AMD_VGPR,
					AMD_VGPR + 256u, AMD_NONE};
	uint32_t kind = 0;

	while (kind < sizeof(ends) / sizeof(ends[0]) && reg >= ends[kind])
		kind++;
	return kind;
}

/* Scalar register, constant, literal, vector register, none. */
static uint32_t coarse_kind(uint16_t reg)
{
	return reg < AMD_INT_0     ? 0
	       : reg < AMD_LITERAL ? 1
	       : reg < AMD_VGPR    ? 2
				   : 3 + (reg == AMD_NONE);
}

/*
 * Of each row and form: the kinds of its operands, and each field unset and set. Of each layout:
 * both values of every bit. Of each operand type: the special registers and kinds of constants.
 */
static void collect_keys(const uint32_t *words, const struct amd_inst *in, struct keys *k)
{
	const struct amd_layout *l = amd_layout(in->row, in->form);
	uint32_t row = in->row->op, layout = (uint32_t)seed_of(l->name, 0) & 0xffff;

	k->n = 0;
	k->key[k->n++] = cover_key(1, row, in->form, 0, 0);
	for (uint32_t s = 0; s < AMD_SLOTS; s++)
		if (in->row->type[s]) {
			k->key[k->n++] = cover_key(2, row, in->form, s, coarse_kind(in->reg[s]));
			k->key[k->n++] =
				cover_key(3, in->row->type[s], s, 0, operand_kind(in->reg[s]));
		}
	for (uint32_t f = 0; f < AMD_FIELDS; f++)
		if (amd_field_mask(in->row, in->form, f))
			k->key[k->n++] = cover_key(4, row, in->form, f, in->field[f] != 0);
	for (uint32_t bit = 0; bit < 8u * l->bytes; bit++)
		k->key[k->n++] = cover_key(5, layout, 0, bit, words[bit / 32] >> bit % 32 & 1);
}

static int compare_numbers(const void *a, const void *b)
{
	return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

/* Prints the set of registers that an instruction reads and writes. */
static void print_uses(const struct amd_inst *in, char *text, size_t size)
{
	struct amd_use uses[AMD_MAX_USES];
	uint32_t n = amd_uses(in, uses), count = 0;
	uint16_t all[AMD_MAX_USES * 16]; /* reads, then writes from 1024 on */
	size_t at = 0;

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; k < uses[u].count; k++)
			all[count++] = (uint16_t)(uses[u].reg + k + (uses[u].write ? 1024 : 0));
	qsort(all, count, sizeof(all[0]), compare_numbers);
	snprintf(text, size, "-");
	for (uint32_t i = 0; i < count; i++)
		if ((!i || all[i] != all[i - 1]) && at < size)
			at += (size_t)snprintf(text + at, size - at, "%s%c%u", at ? "," : "",
					       all[i] < 1024 ? 'r' : 'w', all[i] % 1024);
}

/* Decodes and prints words; 0: they are unknown or have another encoding. */
static uint32_t describe_words(const uint32_t *words, uint32_t count, struct amd_inst *in,
			       char text[TEXT])
{
	uint32_t again[AMD_MAX_WORDS], bytes = amd_decode(AMD_GFX1030, words, count, in);

	if (bytes != 4 * count || amd_encode(AMD_GFX1030, in, again, NULL) != bytes ||
	    memcmp(again, words, bytes))
		return 0;
	print_uses(in, text, TEXT);
	strcat(text, " ");
	amd_print(in, text + strlen(text), TEXT - strlen(text));
	return bytes;
}

/* Draws instructions of a form; prints those that cover something new, or stops at the first. */
static bool draw_form(const struct amd_row *row, enum amd_form form, uint32_t draws, bool print)
{
	uint64_t seed = seed_of(row->name, form);

	for (uint32_t i = 0; i < draws; i++) {
		uint32_t words[AMD_MAX_WORDS] = {0}, n;
		struct amd_inst in, back;
		char text[TEXT];
		struct keys k;

		amd_random(AMD_GFX1030, row, form, next_random, &seed, &in);
		n = amd_encode(AMD_GFX1030, &in, words, NULL);
		if (!n || describe_words(words, n / 4, &back, text) != n) {
			diag("%s, form %u does not round-trip", row->name, form);
			return false;
		}
		collect_keys(words, &back, &k);
		if (!covers_anything(&k))
			continue;
		if (!print) {
			diag("no frozen word covers all of %s", text);
			return false;
		}
		cover_all(&k);
		for (uint32_t w = 0; w < n / 4; w++)
			printf("%s%08x", w ? "," : "", words[w]);
		printf(" %s\n", text);
	}
	return true;
}

static bool draw_table(uint32_t draws, bool print)
{
	bool good = true;

	for (uint32_t op = 0; op < AMD_OP_COUNT; op++)
		for (uint32_t form = 0; form < AMD_FORMS; form++)
			if (amd_row_has(amd_row(op), form))
				good = draw_form(amd_row(op), form, draws, print) && good;
	return good;
}

/* Returns the number of words of a line, and the rest: uses and text. */
static uint32_t parse_line(char *line, uint32_t words[AMD_MAX_WORDS], const char **text)
{
	uint32_t n = 0;
	char *end = line;

	while (n < AMD_MAX_WORDS) {
		words[n++] = (uint32_t)strtoul(end, &end, 16);
		if (*end != ',')
			break;
		end++;
	}
	*text = end + 1;
	return *end == ' ' ? n : 0;
}

static void check_line(char *line, void *state)
{
	uint32_t words[AMD_MAX_WORDS] = {0}, *wrong = state, n;
	char now[TEXT] = "nothing";
	struct amd_inst in;
	const char *text;
	struct keys k;

	n = parse_line(line, words, &text);
	if (!n || !describe_words(words, n, &in, now) || strcmp(now, text)) {
		if (++*wrong <= 10)
			diag("%s: now %s", line, now);
		return;
	}
	collect_keys(words, &in, &k);
	cover_all(&k);
}

struct output {
	FILE *bytes, *text;
};

static void write_bytes(char *line, void *state)
{
	uint32_t words[AMD_MAX_WORDS] = {0}, n;
	struct output *o = state;
	const char *text;

	n = parse_line(line, words, &text);
	for (uint32_t i = 0; i < 4 * n; i++)
		fprintf(o->bytes, "%s0x%02x", i ? "," : "", words[i / 4] >> (8 * (i % 4)) & 0xff);
	fprintf(o->bytes, "\n");
	fprintf(o->text, "%s\n", text + strcspn(text, " ") + 1);
}

int main(int argc, char **argv)
{
	uint32_t wrong = 0, lines;

	if (argc == 2 && !strcmp(argv[1], "--candidates"))
		return !draw_table(DRAWS, true);
	if (argc == 5 && !strcmp(argv[1], "--bytes")) {
		struct output o = {fopen(argv[3], "w"), fopen(argv[4], "w")};

		return !o.bytes || !o.text || !read_frozen(argv[2], write_bytes, &o) ||
		       fclose(o.bytes) || fclose(o.text);
	}
	lines = read_frozen(argc == 2 ? argv[1] : PATH, check_line, &wrong);
	ok(lines > 0 && !wrong,
	   "the AMD table decodes, prints and encodes every frozen word and names its registers");
	diag("%u words; those that differ: %u", lines, wrong);
	if (!ok(draw_table(TEST_DRAWS, false),
		"the frozen words cover every row, form, operand kind and modifier"))
		diag("tests/oracles/frozen.sh rewrites %s where llvm-mc confirms it", PATH);
	return tap_done();
}
