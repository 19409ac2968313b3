// SPDX-License-Identifier: MIT
/*
 * Compares amd_uses() with LLVM's view of the same words, for random instructions of every row and
 * form of the AMD table.
 *   usage: amd_uses PER_FORM SEED bytes.txt          writes the bytes, for amd_uses_llvm
 *          amd_uses --compare bytes.txt uses.txt     compares bytes of any origin with its answer
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libsov/isa/amd/amd_row.h"

#define REGS 512

struct access {
	bool read[REGS], written[REGS];
};

static uint64_t next_random(void *state) /* splitmix64 */
{
	uint64_t z = *(uint64_t *)state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void our_access(const struct amd_inst *in, struct access *a)
{
	struct amd_use uses[AMD_MAX_USES];
	uint32_t n = amd_uses(in, uses);

	memset(a, 0, sizeof(*a));
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; k < uses[u].count; k++)
			(uses[u].write ? a->written : a->read)[(uses[u].reg + k) % REGS] = true;
}

static bool parse_access(char *line, struct access *a)
{
	char *p = line;

	memset(a, 0, sizeof(*a));
	while (*p == 'r' || *p == 'w') {
		bool *set = *p == 'r' ? a->read : a->written;

		set[strtoul(p + 1, &p, 10) % REGS] = true;
		p += strspn(p, " ");
	}
	return *p == '\n';
}

/* Where LLVM's descriptions say more or less than the hardware manual. */
static void adjust_theirs(const struct amd_inst *in, const struct access *ours, struct access *a)
{
	const char *name = in->row->name;

	/* The register of a relative move depends on M0; LLVM describes some as a read. */
	if (strstr(name, "movrel") || strstr(name, "swaprel"))
		*a = *ours;
	/* Since GFX9 LDS needs no M0; the descriptions of LLVM's real instructions are older. */
	if (in->row->format == AMD_DS && !(in->row->flags & M0_IN))
		a->read[AMD_M0] = false;
	/* These keep their destination, or a part of it, which LLVM's disassembler does not add as
	 * an operand. */
	if (!strncmp(name, "s_cmov", 6) || !strncmp(name, "s_bitset", 8) ||
	    !strcmp(name, "v_pk_fmac_f16") || strstr(name, "_d16") || in->form == AMD_SDWA)
		for (uint32_t k = 0; k < amd_words(in, AMD_D); k++)
			a->read[in->reg[AMD_D] + k] = ours->read[in->reg[AMD_D] + k];
	/* If lanes without a source read 0, the destination's earlier value has no part in the
	 * result, but LLVM's operand for it stays. */
	if (in->form == AMD_DPP && in->field[AMD_F_BOUND_CTRL] &&
	    (in->field[AMD_F_ROW_MASK] & in->field[AMD_F_BANK_MASK]) == 15)
		for (uint32_t k = 0; k < amd_words(in, AMD_D); k++)
			a->read[in->reg[AMD_D] + k] = ours->read[in->reg[AMD_D] + k];
	/* RDNA2 ISA manual, SOP1: SCC = D != 0. */
	if (!strncmp(name, "s_quadmask", 10))
		a->written[AMD_SCC] = true;
	/* Lane accesses ignore EXEC; our rule is that every vector instruction reads it. */
	if (in->row->op == AMD_v_readlane_b32 || in->row->op == AMD_v_writelane_b32)
		a->read[AMD_EXEC] = true;
	/* The SDWA forms with a register as destination do not write VCC. */
	if (in->row->format == AMD_VOPC && in->form == AMD_SDWA)
		a->written[AMD_VCC] = ours->written[AMD_VCC];
	/* A message takes its payload from M0; LLVM keeps it in order with all of EXEC's users. */
	if (!strncmp(name, "s_sendmsg", 9))
		a->read[AMD_EXEC] = false;
}

static uint32_t differences;

static void print_difference(const struct amd_inst *in, const char *what, uint32_t reg)
{
	static const char *last;
	static uint8_t last_form;
	char text[256];

	differences++;
	if (last == in->row->name && last_form == in->form)
		return; /* one example per form */
	last = in->row->name;
	last_form = in->form;
	amd_print(in, text, sizeof(text));
	printf("%s %s%u: %s\n", what, reg >= AMD_VGPR ? "v" : "operand ",
	       reg >= AMD_VGPR ? reg - AMD_VGPR : reg, text);
}

static bool is_same_access(const struct amd_inst *in, const struct access *ours,
			   const struct access *theirs)
{
	uint32_t before = differences;

	for (uint32_t r = 0; r < REGS; r++) {
		if (ours->read[r] != theirs->read[r])
			print_difference(in, ours->read[r] ? "only we read" : "only LLVM reads", r);
		if (ours->written[r] != theirs->written[r])
			print_difference(
				in, ours->written[r] ? "only we write" : "only LLVM writes", r);
	}
	return differences == before;
}

static void write_bytes(const uint32_t *words, uint32_t n, FILE *bytes)
{
	for (uint32_t i = 0; i < n; i++)
		fprintf(bytes, "%s0x%02x", i ? "," : "", words[i / 4] >> (8 * (i % 4)) & 0xff);
	fprintf(bytes, "\n");
}

static int write_random(uint32_t per, uint64_t seed, const char *path)
{
	FILE *bytes = fopen(path, "w");

	if (!bytes)
		return perror(path), 1;
	for (uint32_t op = 0; op < AMD_OP_COUNT; op++)
		for (uint32_t form = 0; form < AMD_FORMS; form++)
			for (uint32_t i = 0; amd_row_has(amd_row(op), form) && i < per; i++) {
				uint32_t words[AMD_MAX_WORDS], n;
				struct amd_inst in;

				amd_random(AMD_GFX1030, amd_row(op), form, next_random, &seed, &in);
				n = amd_encode(AMD_GFX1030, &in, words, NULL);
				if (!n)
					return fprintf(stderr, "%s\n", amd_row(op)->name), 1;
				write_bytes(words, n, bytes);
			}
	return fclose(bytes);
}

static bool parse_bytes(const char *line, struct amd_inst *in)
{
	uint32_t words[AMD_MAX_WORDS] = {0}, n = 0;
	const char *p = line;
	char *end;

	for (; n < 4 * AMD_MAX_WORDS && *p && *p != '\n'; n++, p = *end == ',' ? end + 1 : end)
		words[n / 4] |= (uint32_t)strtoul(p, &end, 16) << (8 * (n % 4));
	return n && amd_decode(AMD_GFX1030, words, n / 4, in) == n;
}

static int compare_files(const char *bytes_path, const char *uses_path)
{
	FILE *bytes = fopen(bytes_path, "r"), *uses = fopen(uses_path, "r");
	char line[512], answer[4096];
	uint32_t all = 0, same = 0;

	if (!bytes || !uses)
		return perror("amd_uses"), 1;
	while (fgets(line, sizeof(line), bytes)) {
		struct access ours, theirs;
		struct amd_inst in;

		all++;
		if (!parse_bytes(line, &in) || !fgets(answer, sizeof(answer), uses) ||
		    !parse_access(answer, &theirs)) {
			printf("LLVM and we do not both know %s", line);
			continue;
		}
		our_access(&in, &ours);
		adjust_theirs(&in, &ours, &theirs);
		same += is_same_access(&in, &ours, &theirs);
	}
	printf("%u instructions, %u have the register uses of LLVM\n", all, same);
	return same != all || !all;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "--compare"))
		return compare_files(argv[2], argv[3]);
	if (argc == 4)
		return write_random((uint32_t)strtoul(argv[1], NULL, 0), strtoull(argv[2], NULL, 0),
				    argv[3]);
	return fprintf(stderr, "usage: amd_uses PER_FORM SEED bytes.txt\n"
			       "       amd_uses --compare bytes.txt uses.txt\n"),
	       2;
}
