// SPDX-License-Identifier: MIT
/*
 * Lint of the instruction table. The table is text, so a typo in it compiles; this test checks that
 * match.c knows every keyword, operand and clause word.
 */
#include "tests/tap.h"
#include "libsov/compiler/ptx/front_end.h"

static const char operands[] = "d p q a b c e f g h metadata selector policy membermask tgt tlist";
static const char meanings[] = "or wider special variable parts vector nothing twice label targets "
			       "selected minus predicate fragment words unified";

static bool in_list(const char *list, const char *word, size_t n)
{
	for (const char *at = list; *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (strcspn(at, " ") == n && !memcmp(at, word, n))
			return true;
	return false;
}

/* Keywords without a value. */
static bool valueless_keyword(const char *word, size_t n)
{
	return in_list(
		".lo .hi .wide .to .cas .aligned .approx .full .abs .shiftamt .pack .warp "
		".red .popc .async .commit_group .wait_group .wait_all .row .col "
		".m8n8k4 .m8n8k16 .m8n8k32 .m16n8k4 .m16n8k8 .m16n8k16 .m16n8k32 "
		".m16n8k64 .m8n8k128 .m16n8k128 .m16n8k256 .m16n16k8 "
		".m8n8 .x1 .x2 .x4 .trans .load .store .mma .a .b .c .d "
		".fractional .range .cvt .oob .launch_dependents .wait .mask .rna .tf32 "
		".mbarrier .noinc .init .inval .expect_tx .complete_tx .noComplete "
		".bulk .bulk_group .read .reduce .mbarrier::complete_tx::bytes "
		".fence .mma_async .sp .tensor .tile .im2col .im2col_no_offs .multicast::cluster "
		".replace .cp_fenceproxy .global_address .rank .global_stride .b1024 .tensormap "
		".arrive_drop .test_wait .try_wait .parity .pending_count "
		".level .grad .base .num_mipmap_levels .num_samples .proxy .alias .async::generic "
		".tensormap::generic .mbarrier_init "
		".sync_restrict::shared::cta .sync_restrict::shared::cluster .p",
		word, n);
}

static bool known_keyword(const char *word, size_t n)
{
	return ptx_type_find(word, n) || ptx_keyword_find(SLOT_COUNT, word, n) ||
	       valueless_keyword(word, n);
}

static bool check_form(const char *form)
{
	const char *at = form + strcspn(form, ".{ ");
	bool good = true;

	while (*at && *at != ' ') {
		size_t n = *at == '.' ? 1 + strcspn(at + 1, ".{} ") : 1;

		if (*at == '.' && ptx_group_slot(at, n) == SLOT_COUNT && !known_keyword(at, n)) {
			diag("%s: unknown keyword '%.*s'", form, (int)n, at);
			good = false;
		}
		at += n;
	}
	while (*at) {
		size_t n = strcspn(at, " ,|[]{}");

		if (n && !in_list(operands, at, n)) {
			diag("%s: unknown operand '%.*s'", form, (int)n, at);
			good = false;
		}
		at += n + (at[n] != '\0');
	}
	return good;
}

static bool check_clauses(const struct ptx_row *row)
{
	bool right = false, good = true; /* of the '=' */
	bool lists = false;              /* the words themselves: the group has no value */

	for (const char *at = row->where; *at;) {
		size_t n = strcspn(at, " =;");
		bool group = ptx_group_slot(at, n) != SLOT_COUNT;
		bool known =
			group || (right ? lists || known_keyword(at, n) || in_list(meanings, at, n)
					: in_list(operands, at, n));

		if (n && !right)
			lists = ptx_group_slot(at, n) == SLOT_NONE;

		if (n && !known) {
			diag("%s, where %s: unknown word '%.*s'", row->form, row->where, (int)n,
			     at);
			good = false;
		}
		at += n;
		right = *at == '=' || (right && *at != ';');
		at += *at != '\0';
	}
	return good;
}

static size_t name_length(const char *form)
{
	return strcspn(form, ".{ ");
}

static bool same_name(const char *a, const char *b)
{
	return name_length(a) == name_length(b) && !memcmp(a, b, name_length(a));
}

/* Whether all rows of the instruction of row i are adjacent. */
static bool rows_adjacent(uint32_t i)
{
	uint32_t j = i;

	while (ptx_rows[j].form && same_name(ptx_rows[j].form, ptx_rows[i].form))
		j++;
	for (; ptx_rows[j].form; j++)
		if (same_name(ptx_rows[j].form, ptx_rows[i].form))
			return false;
	return true;
}

int main(void)
{
	bool forms = true, clauses = true, order = true, absent = true;

	for (uint32_t i = 0; ptx_rows[i].form; i++) {
		forms &= check_form(ptx_rows[i].form);
		clauses &= check_clauses(&ptx_rows[i]);
		order &= rows_adjacent(i);
		for (uint32_t k = 0; ptx_unsupported[k].names; k++)
			absent &= !in_list(ptx_unsupported[k].names, ptx_rows[i].form,
					   name_length(ptx_rows[i].form));
	}
	ok(forms, "every keyword and operand in the forms of the instruction table is known");
	ok(clauses, "every word in the clauses of the instruction table is known");
	ok(order, "the rows of each instruction are adjacent in the instruction table");
	ok(absent, "no instruction of the table is also listed as unsupported");
	return tap_done();
}
