// SPDX-License-Identifier: MIT
/*
 * The SASS instruction table is complete and in order: every operation of sass_ops.h has a row, the
 * decoder's binary search finds every row, and the fields of a row do not overlap.
 */
#include "tests/tap.h"
#include "libsov/isa/nv/sass_row.h"

static bool every_op_has_a_row(void)
{
	for (uint16_t op = 0; op < SASS_OP_COUNT; op++) {
		uint32_t i = 0;

		while (i < sass_form_count() && sass_form_op(sass_form_at(i)) != op)
			i++;
		if (i == sass_form_count()) {
			diag("operation %u has no row", op);
			return false;
		}
	}
	return true;
}

static bool rows_are_found(void)
{
	for (uint32_t i = 0; i < sass_form_count(); i++) {
		const struct sass_form *f = sass_form_at(i), *first;
		uint32_t n;

		first = sass_rows(f->opcode, &n);
		if (f < first || f >= first + n) {
			diag("%s is not in the order of its opcode %03x", f->name, f->opcode);
			return false;
		}
	}
	return true;
}

/* Checks modifiers and fixed bits of a row; the round trip of random instructions covers
 * operands. */
static bool fields_are_disjoint(const struct sass_form *f)
{
	uint64_t taken[2] = {0xffff, 0}; /* opcode, form, guard */
	uint32_t i, b;

	for (i = 0; i < SASS_MAX_FIELDS + SASS_MAX_FIXED; i++) {
		bool fixed = i >= SASS_MAX_FIELDS;
		uint32_t lo = fixed ? f->fixed[i - SASS_MAX_FIELDS].lo : f->fields[i].lo;
		uint32_t width = fixed ? f->fixed[i - SASS_MAX_FIELDS].width : f->fields[i].width;

		for (b = lo; b < lo + width; b++) {
			if (taken[b / 64] >> b % 64 & 1) {
				diag("%s: bit %u has two meanings", f->name, b);
				return false;
			}
			taken[b / 64] |= 1ull << b % 64;
		}
	}
	return true;
}

static bool all_fields_are_disjoint(void)
{
	for (uint32_t i = 0; i < sass_form_count(); i++)
		if (!fields_are_disjoint(sass_form_at(i)))
			return false;
	return true;
}

static bool rows_of_an_op_agree(void)
{
	for (uint32_t i = 0; i < sass_form_count(); i++) {
		const struct sass_form *f = sass_form_at(i);
		struct sass_inst in = {.op = f->op};
		const struct sass_form *first = sass_row(&in);

		for (uint32_t k = 0; k < SASS_MAX_OPERANDS; k++) {
			const struct sass_slot *a = &f->ops[k], *b = &first->ops[k];

			if (f->pipe == first->pipe && !a->type == !b->type &&
			    a->count == b->count &&
			    (a->flags & SLOT_WRITE) == (b->flags & SLOT_WRITE))
				continue;
			diag("%s: operand %u or the pipe differs between rows", f->name, k);
			return false;
		}
	}
	return true;
}

int main(void)
{
	uint32_t n;

	ok(every_op_has_a_row(), "every SASS operation has a row in the instruction table");
	ok(rows_are_found(), "the decoder finds every SASS row by its opcode");
	ok(all_fields_are_disjoint(), "modifiers and fixed bits of a SASS row do not overlap");
	ok(rows_of_an_op_agree(),
	   "all rows of a SASS operation have the same pipe and register counts");
	sass_rows(0x1ff, &n);
	ok(n == 0, "a SASS opcode beyond the table has no rows");
	is_str(sass_op_name(SASS_IMAD_WIDE), "IMAD.WIDE",
	       "sass_op_name returns the name of an operation");
	ok(!sass_form_in(sass_form_at(0), 62),
	   "no SASS row claims an SM version that the table does not describe");
	return tap_done();
}
