// SPDX-License-Identifier: MIT
/*
 * Asynchronous copies for targets that lack them: a load and a store. With a number of bytes to
 * read, the words are zero first, and only where it is not zero they are loaded and masked; the
 * addresses are aligned, so reading more bytes than stated cannot leave the page. A bulk copy is a
 * loop, after which the thread completes the bytes at the barrier:
 *
 *	loop:   done = phi 0, next
 *	        cbr done < bytes, body, rest
 *	body:   16 bytes, next = done + 16
 */
#include "libsov/compiler/analysis/cfg_walk.h"
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
	ir_val read = ir_data_args(&in) > 2 ? in.args[2] : 0, args[1 + MAX_WORDS] = {in.args[0]},
	       zero;
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

/* An address plus a number of bytes, which is b32. */
static ir_val advance(struct expand *e, ir_val address, ir_val bytes)
{
	enum ir_type t = e->f->values[address].type;

	if (t == IR_B64)
		bytes = expand_convert(e, IR_ZEXT, IR_B64, bytes);
	return expand_op(e, IR_ADD, t, address, bytes, 0);
}

static ir_id append_to(struct ir_func *f, ir_block b, enum ir_op op, enum ir_type t, ir_val arg)
{
	ir_id i = ir_inst_new(f, op, t, &arg, arg ? 1 : 0, t != IR_VOID);

	ir_append(f, b, i);
	return i;
}

/* Copies 16 bytes and returns how many are copied then. */
static ir_val copy_body(struct expand *e, const struct ir_inst *copy, ir_val done)
{
	enum ir_space from = copy->sub == IR_BULK_TO_SHARED ? IR_GLOBAL : IR_SHARED,
		      to = copy->sub == IR_BULK_TO_GLOBAL ? IR_GLOBAL : IR_SHARED;
	ir_val args[1 + MAX_WORDS] = {advance(e, copy->args[1], done)};
	ir_id load = insert_access(e, IR_LOAD, from, args, 1, MAX_WORDS);

	args[0] = advance(e, copy->args[0], done);
	for (uint32_t k = 0; k < MAX_WORDS; k++)
		args[1 + k] = ir_at(e->f, load)->res + k;
	insert_access(e, IR_STORE, to, args, 1 + MAX_WORDS, MAX_WORDS);
	return expand_op_imm(e, IR_ADD, done, IR_BULK_BYTES);
}

static void set_element(struct ir_inst *to, const struct ir_inst *reduction, enum ir_space space)
{
	to->space = (uint8_t)space;
	to->from = reduction->type;
	to->align = (uint16_t)(ir_type_bits(reduction->type) / 8);
	to->line = reduction->line;
}

/* Whether shared memory and the barrier may be those of another block. */
static bool is_remote(const struct ir_func *f, const struct ir_inst *in)
{
	return f->module->clusters && ir_data_args(in) > 3;
}

static ir_val remote_address(struct expand *e, ir_val address)
{
	address =
		expand_op(e, IR_GENERIC, IR_B64, expand_convert(e, IR_ZEXT, IR_B64, address), 0, 0);
	ir_def(e->f, address)->space = IR_SHARED_CLUSTER;
	return address;
}

/* Combines one element. */
static ir_val reduce_body(struct expand *e, const struct ir_inst *in, ir_val done)
{
	enum ir_space to = ir_data_args(in) == 3 ? IR_GLOBAL
			   : is_remote(e->f, in) ? IR_GENERIC_SPACE
						 : IR_SHARED;
	ir_val args[2] = {advance(e, in->args[1], done)};
	ir_id load = ir_inst_new(e->f, IR_LOAD, in->type, args, 1, 1), atom;

	set_element(ir_at(e->f, load), in, IR_SHARED);
	ir_insert_before(e->f, e->at, load);
	args[0] = advance(e, in->args[0], done);
	if (to == IR_GENERIC_SPACE)
		args[0] = remote_address(e, args[0]);
	args[1] = ir_at(e->f, load)->res;
	atom = ir_inst_new(e->f, IR_ATOM, in->type, args, 2, 1);
	set_element(ir_at(e->f, atom), in, to);
	ir_at(e->f, atom)->sub = in->sub;
	ir_at(e->f, atom)->format = in->format;
	ir_at(e->f, atom)->flags |= in->flags & IR_FTZ;
	ir_at(e->f, atom)->order = IR_RELAXED;
	ir_at(e->f, atom)->scope = IR_SCOPE_GPU;
	ir_insert_before(e->f, e->at, atom);
	return expand_op_imm(e, IR_ADD, done, ir_type_bits(in->type) / 8);
}

static void lower_bulk_copy(struct ir_func *f, ir_id at)
{
	const struct ir_inst in = *ir_at(f, at);
	struct expand e = {.f = f, .at = at, .line = in.line};
	ir_val zero = expand_const(&e, IR_B32, 0), done;
	ir_block before = in.block, rest = cfg_split_block(f, at),
		 loop = ir_block_new_before(f, rest, NULL),
		 body = ir_block_new_before(f, rest, NULL);
	ir_id phi, arrival;

	append_to(f, before, IR_BR, IR_VOID, 0);
	ir_edge(f, before, loop);
	phi = append_to(f, loop, IR_PHI, IR_B32, zero);
	done = ir_at(f, phi)->res;
	e.at = append_to(f, loop, IR_CBR, IR_VOID, done);
	ir_at(f, e.at)->args[0] = expand_compare(&e, IR_LT_U, done, in.args[2]);
	ir_edge(f, loop, body);
	ir_edge(f, loop, rest);
	e.at = append_to(f, body, IR_BR, IR_VOID, 0);
	ir_edge(f, body, loop);
	ir_arg_append(f, phi,
		      in.op == IR_BULKCOPY ? copy_body(&e, &in, done) : reduce_body(&e, &in, done));
	if (ir_data_args(&in) > 3) {
		bool remote = is_remote(f, &in);

		e.at = at;
		arrival =
			ir_inst_new(f, remote ? IR_MBARRIER_REMOTE : IR_MBARRIER_ARRIVE,
				    remote ? IR_VOID : IR_B32,
				    (ir_val[]){in.args[3], expand_const(&e, IR_B32, 0), in.args[2]},
				    3, !remote);
		ir_at(f, arrival)->sub = IR_ARRIVE_COMPLETE;
		ir_at(f, arrival)->line = in.line;
		ir_insert_before(f, at, arrival);
	}
	ir_remove(f, at);
}

void lower_bulk_copies(struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst_safe(f, b, i) {
			enum ir_op op = ir_at(f, i)->op;

			if (op == IR_BULKREDUCE || op == IR_BULKCOPY) {
				lower_bulk_copy(f, i);
				break; /* the rest is visited as a later block */
			}
			if (op == IR_BULKCOMMIT || op == IR_BULKWAIT || op == IR_FENCEASYNC)
				ir_remove(f, i);
		}
}
