// SPDX-License-Identifier: MIT
/*
 * Asynchronous copies for targets that lack them: a load and a store. With a number of bytes to
 * read, the words are zero first, and only where it is not zero they are loaded and masked; the
 * addresses are aligned, so reading more bytes than stated cannot leave the page.
 */
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/passes/lower.h"

#define MAX_WORDS 4

static const uint8_t words_of[IR_COPY_COUNT] = {
	[IR_COPY_4] = 1, [IR_COPY_8] = 2, [IR_COPY_16] = 4, [IR_COPY_16_L2] = 4};

static ir_id insert_access(struct expand *e, enum ir_op op, enum ir_space space, const ir_val *args,
			   uint32_t nargs, uint32_t words)
{
	ir_id i = ir_inst_new(e->f, op, IR_B32, args, nargs, op == IR_LOAD ? words : 0);
	struct ir_inst *in = ir_at(e->f, i);

	in->space = (uint8_t)space;
	in->from = IR_B32;
	in->align = 4 * words;
	in->line = e->line;
	ir_insert_before(e->f, e->at, i);
	return i;
}

/* The bytes of word k below the number that is read. */
static ir_val mask_word(struct expand *e, ir_val word, ir_val read, uint32_t k)
{
	ir_val end = expand_const(e, IR_B32, 4 * k + 4), zero = expand_const(e, IR_B32, 0);
	ir_val left = expand_op(e, IR_SUB, IR_B32, end, read, 0), bits;

	left = expand_op(e, IR_MAX_S, IR_B32, left, zero, 0);
	bits = expand_shift(e, IR_SHL, left, 3);
	bits = expand_op(e, IR_SHR_U, IR_B32, expand_const(e, IR_B32, UINT32_MAX), bits, 0);
	return expand_op(e, IR_AND, IR_B32, word, bits, 0);
}

static void load_and_store(struct expand *e, const struct ir_inst *copy, ir_val read)
{
	uint32_t words = words_of[copy->sub];
	ir_id load = insert_access(e, IR_LOAD, IR_GLOBAL, &copy->args[1], 1, words);
	ir_val first = ir_at(e->f, load)->res, args[1 + MAX_WORDS] = {copy->args[0]};

	ir_at(e->f, load)->imm = copy->imm;
	for (uint32_t k = 0; k < words; k++)
		args[1 + k] = read ? mask_word(e, first + k, read, k) : first + k;
	insert_access(e, IR_STORE, IR_SHARED, args, 1 + words, words);
}

bool lower_copy(struct ir_func *f, ir_id at)
{
	const struct ir_inst in = *ir_at(f, at);
	struct expand e = {.f = f, .at = at, .line = in.line};
	uint32_t words = words_of[in.sub];
	ir_val read = in.nargs > 2 ? in.args[2] : 0, args[1 + MAX_WORDS] = {in.args[0]}, zero;
	struct expand_if branch;

	if (!read) {
		load_and_store(&e, &in, 0);
		ir_remove(f, at);
		return false;
	}
	zero = expand_const(&e, IR_B32, 0);
	for (uint32_t k = 0; k < words; k++)
		args[1 + k] = zero;
	insert_access(&e, IR_STORE, IR_SHARED, args, 1 + words, words);
	branch = expand_if_begin(&e, expand_compare(&e, IR_NE, read, zero));
	load_and_store(&e, &in, read);
	expand_if_end(&e, &branch, zero, zero);
	ir_remove(f, at);
	return true;
}
