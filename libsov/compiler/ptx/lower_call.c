// SPDX-License-Identifier: MIT
/*
 * Lowering of calls, and the .param objects that carry arguments and results. IR registers, the
 * object's cells, hold its bytes. An access to exactly one cell is that register; any other
 * combines the cells that it overlaps with shifts and masks, which later passes fold.
 */
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"

/* ---- objects ---- */

ir_val ptx_object_address(struct ptx *x, const struct ptx_object *o)
{
	ir_val v;

	if (o->reference) {
		v = ptx_op(x, IR_READ, IR_B32, 0, 0, 0);
		ir_def(x->func, v)->symbol = o->reference - 1;
		return v;
	}
	v = ptx_op(x, IR_ADDR, IR_B32, 0, 0, 0);
	ir_def(x->func, v)->symbol = o->local - 1;
	return v;
}

/* A word in local memory. */
static ir_id access_word(struct ptx *x, ir_val at, ir_val stored)
{
	ir_val args[2] = {at, stored};
	ir_id i = ptx_emit(x, stored ? IR_STORE : IR_LOAD, IR_B32, !stored, 1 + !!stored, args);

	ir_at(x->func, i)->space = IR_LOCAL;
	ir_at(x->func, i)->from = IR_B32;
	ir_at(x->func, i)->align = 4;
	return i;
}

/* A loop, since there may be thousands of words. The addresses are values of the block before. */
void ptx_copy_local(struct ptx *x, ir_val to, ir_val from, uint32_t bytes)
{
	uint32_t done = ir_reg_new(x->func, IR_B32);
	ir_block loop = ptx_block_new(x), next;
	ir_val at = ptx_emit_constant(x, IR_B32, 0), word;
	ir_id i = ptx_emit(x, IR_WRITE, IR_B32, 0, 1, &at);

	ir_at(x->func, i)->symbol = done;
	ptx_jump(x, loop);
	ptx_set_block(x, loop);
	at = ptx_op(x, IR_READ, IR_B32, 0, 0, 0);
	ir_def(x->func, at)->symbol = done;
	word = from ? ir_at(x->func, access_word(x, ptx_op(x, IR_ADD, IR_B32, from, at, 0), 0))->res
		    : ptx_emit_constant(x, IR_B32, 0);
	access_word(x, ptx_op(x, IR_ADD, IR_B32, to, at, 0), word);
	at = ptx_op(x, IR_ADD, IR_B32, at, ptx_emit_constant(x, IR_B32, 4), 0);
	i = ptx_emit(x, IR_WRITE, IR_B32, 0, 1, &at);
	ir_at(x->func, i)->symbol = done;
	next = ptx_block_new(x);
	ptx_branch(
		x,
		ptx_compare(x, IR_ICMP, IR_B32, IR_LT_U, at, ptx_emit_constant(x, IR_B32, bytes)),
		loop, next);
	ptx_set_block(x, next);
}

/* Accesses cell k of an object in local memory. */
static ir_id access_local(struct ptx *x, const struct ptx_object *o, uint32_t k, ir_val stored)
{
	uint32_t bytes = ir_type_bits(o->cell) / 8;
	ir_val args[2] = {ptx_object_address(x, o), stored};
	ir_id i;

	i = ptx_emit(x, stored ? IR_STORE : IR_LOAD, o->cell, !stored, 1 + !!stored, args);
	ir_at(x->func, i)->imm = k * bytes;
	ir_at(x->func, i)->space = IR_LOCAL;
	ir_at(x->func, i)->from = o->cell;
	ir_at(x->func, i)->align = bytes;
	return i;
}

ir_val ptx_cell_read(struct ptx *x, const struct ptx_object *o, uint32_t k)
{
	ir_val v;

	if (o->local || o->reference)
		return ir_at(x->func, access_local(x, o, k, 0))->res;
	v = ptx_op(x, IR_READ, o->cell, 0, 0, 0);

	ir_def(x->func, v)->symbol = o->regs[k];
	return v;
}

void ptx_cell_write(struct ptx *x, const struct ptx_object *o, uint32_t k, ir_val v)
{
	ir_id i;

	if (o->local || o->reference) {
		access_local(x, o, k, v);
		return;
	}
	i = ptx_emit(x, IR_WRITE, o->cell, 0, 1, &v);
	ir_at(x->func, i)->symbol = o->regs[k];
}

/* Shifts a 64-bit value left by a number of bytes, or right if it is negative. */
static ir_val shift_bytes(struct ptx *x, ir_val v, int64_t bytes)
{
	uint64_t by = (uint64_t)(bytes < 0 ? -bytes : bytes) * 8;

	if (!bytes)
		return v;
	return ptx_op(x, bytes < 0 ? IR_SHR_U : IR_SHL, IR_B64, v, ptx_emit_constant(x, IR_B32, by),
		      0);
}

ir_val ptx_object_read(struct ptx *x, const struct ptx_object *o, uint64_t offset, enum ir_type t)
{
	uint32_t size = ir_type_bits(o->cell) / 8, bytes = ir_type_bits(t) / 8;
	ir_val all = 0;

	if (o->cell == t && !(offset % size))
		return ptx_cell_read(x, o, (uint32_t)(offset / size));
	for (uint64_t k = offset / size; k * size < offset + bytes; k++) {
		ir_val v =
			ptx_convert(x, IR_ZEXT, o->cell, IR_B64, ptx_cell_read(x, o, (uint32_t)k));

		v = shift_bytes(x, v, (int64_t)(k * size) - (int64_t)offset);
		all = all ? ptx_op(x, IR_OR, IR_B64, all, v, 0) : v;
	}
	return ptx_convert(x, IR_TRUNC, IR_B64, t, all);
}

void ptx_object_write(struct ptx *x, const struct ptx_object *o, uint64_t offset, enum ir_type t,
		      ir_val v)
{
	uint32_t size = ir_type_bits(o->cell) / 8, bytes = ir_type_bits(t) / 8;
	uint64_t ones = UINT64_MAX >> (64 - 8 * bytes);

	if (o->cell == t && !(offset % size)) {
		ptx_cell_write(x, o, (uint32_t)(offset / size), v);
		return;
	}
	v = ptx_convert(x, IR_ZEXT, t, IR_B64, v);
	for (uint64_t k = offset / size; k * size < offset + bytes; k++) {
		int64_t up = (int64_t)offset - (int64_t)(k * size);
		uint64_t mask = up < 0 ? ones >> -up * 8 : ones << up * 8;
		ir_val part = ptx_convert(x, IR_TRUNC, IR_B64, o->cell, shift_bytes(x, v, up)), old;

		old = ptx_op(x, IR_AND, o->cell, ptx_cell_read(x, o, (uint32_t)k),
			     ptx_emit_constant(x, o->cell, ~mask), 0);
		part = ptx_op(x, IR_OR, o->cell, old, part, 0);
		ptx_cell_write(x, o, (uint32_t)k, part);
	}
}

/* ---- calls ---- */

struct call {
	struct ptx_operand results[IR_MAX_RESULTS], args[IR_MAX_RESULTS];
	uint32_t nresults, nargs;
	const struct ptx_name *callee; /* NULL: an indirect call */
	struct ptx_name *address;
	const struct ir_func *func;        /* the callee, or the prototype */
	const struct ptx_passing *passing; /* of it; NULL: nothing is by reference */
	/* Variables that hold results by reference whose objects are registers; local 0: none. */
	struct ptx_object held[IR_MAX_RESULTS];
	struct ptx_token at;
};

static bool parse_arguments(struct ptx *x, struct ptx_operand *list, uint32_t *n)
{
	for (*n = 0; x->token.kind != ')';) {
		struct ptx_operand *o = &list[*n];

		if (*n == IR_MAX_RESULTS) {
			ptx_error(x, &x->token, "more than %d arguments", IR_MAX_RESULTS);
			return false;
		}
		if (!ptx_parse_operand(x, o, "argument"))
			return false;
		(*n)++;
		if (!ptx_accept(x, ','))
			break;
	}
	return ptx_expect(x, ')', "',' or ')'", "an argument");
}

static bool find_callee(struct ptx *x, struct call *c)
{
	struct ptx_name *n = ptx_lookup(x, &c->at);

	if (!n) {
		ptx_report_undeclared(x, &c->at, "function");
		return false;
	}
	if (n->kind == NAME_FUNCTION && n->func) {
		c->callee = n;
		c->func = n->func;
		c->passing = n->passing;
		return true;
	}
	if (n->kind == NAME_REGISTER && n->type->bits == 64) {
		c->address = n;
		return true;
	}
	if (n->kind != NAME_BAD)
		ptx_error(x, &c->at,
			  "'%.*s' cannot be called; it is no function and no 64-bit "
			  "register with the address of one",
			  TEXT(&c->at));
	return false;
}

/* "(result), function, (arguments), prototype;", of which only the function is required. */
static bool parse_call(struct ptx *x, struct call *c)
{
	const struct ptx_name *n;

	if (ptx_accept(x, '(') && (!parse_arguments(x, c->results, &c->nresults) ||
				   !ptx_expect(x, ',', "','", "the results")))
		return false;
	c->at = x->token;
	if (!ptx_expect(x, TOKEN_NAME, "a function", "call") || !find_callee(x, c))
		return false;
	if (ptx_accept(x, ',') && x->token.kind == '(') {
		ptx_next(x);
		if (!parse_arguments(x, c->args, &c->nargs))
			return false;
		ptx_accept(x, ',');
	}
	if (x->token.kind == TOKEN_NAME) {
		struct ptx_token t = x->token;

		n = ptx_lookup(x, &t);
		ptx_next(x);
		if (!n || n->kind != NAME_CALLEES || !n->func) {
			ptx_error(x, &t, "'%.*s' is no .callprototype or .calltargets", TEXT(&t));
			return false;
		}
		if (c->address) {
			c->func = n->func;
			c->passing = n->passing;
		}
	}
	if (!c->func) {
		ptx_error(x, &c->at, "a call by address names its .callprototype last");
		return false;
	}
	return ptx_expect(x, ';', "';'", "a call");
}

/* An object in local memory for one whose cells are registers. */
static struct ptx_object local_object(struct ptx *x, const struct ptx_object *o)
{
	struct ir_symbol symbol = {.name = arena_printf(x->arena, "passed.%u", x->module->nsymbols),
				   .space = IR_LOCAL,
				   .size = o->ncells * (ir_type_bits(o->cell) / 8),
				   .align = 16,
				   .owner = x->func};
	struct ptx_object held = *o;

	held.local = ir_symbol_new(x->module, &symbol) + 1;
	held.reference = 0;
	return held;
}

static bool check_reference(struct ptx *x, const struct call *c, const struct ptx_operand *o,
			    const struct ptx_passed *passed)
{
	if (o->kind == OPERAND_OBJECT &&
	    o->name->object->ncells * (ir_type_bits(o->name->object->cell) / 8) >= passed->bytes)
		return true;
	if (o->kind != OPERAND_BAD)
		ptx_error(x, &o->at, "'%.*s' must be a .param of at least %u bytes for '%s'",
			  TEXT(&o->at), passed->bytes, c->func->name);
	return false;
}

static bool is_result(const struct call *c, const struct ptx_object *o)
{
	for (uint32_t k = 0; k < c->nresults; k++)
		if (c->results[k].kind == OPERAND_OBJECT && c->results[k].name->object == o)
			return true;
	return false;
}

/* Passes the address of an object. The callee may write results before it has read this, and does
 * not copy an unsized parameter that it writes. */
static bool pass_reference(struct ptx *x, const struct call *c, const struct ptx_operand *o,
			   const struct ptx_passed *passed, ir_val *value)
{
	const struct ptx_object *object;
	struct ptx_object held;

	if (!check_reference(x, c, o, passed))
		return false;
	object = o->name->object;
	if ((object->local || object->reference) && !is_result(c, object) &&
	    (passed->bytes || !object->ncells)) {
		*value = ptx_object_address(x, object);
		return true;
	}
	held = local_object(x, object);
	/* Cells of arrays have four bytes. */
	if ((object->local || object->reference) && object->ncells > 1)
		ptx_copy_local(x, ptx_object_address(x, &held), ptx_object_address(x, object),
			       4 * object->ncells);
	else
		for (uint32_t k = 0; k < object->ncells; k++)
			ptx_cell_write(x, &held, k, ptx_cell_read(x, object, k));
	*value = ptx_object_address(x, &held);
	return true;
}

/* Passes the addresses of results; those whose objects are registers are loaded after the call. */
static bool pass_results(struct ptx *x, struct call *c, ir_val *values, uint32_t *n)
{
	for (uint32_t k = 0; c->passing && k < c->passing->nresults; k++) {
		const struct ptx_operand *o = &c->results[k];

		if (!c->passing->results[k].by_reference)
			continue;
		if (k >= c->nresults) {
			ptx_error(x, &c->at, "the call has %u results, but '%s' has %u",
				  c->nresults, c->func->name, c->passing->nresults);
			return false;
		}
		if (!check_reference(x, c, o, &c->passing->results[k]))
			return false;
		c->held[k] = *o->name->object;
		if (!c->held[k].local && !c->held[k].reference)
			c->held[k] = local_object(x, o->name->object);
		values[(*n)++] = ptx_object_address(x, &c->held[k]);
	}
	return true;
}

static void load_result(struct ptx *x, const struct ptx_object *held, const struct ptx_object *o)
{
	for (uint32_t k = 0; !o->local && !o->reference && k < o->ncells; k++)
		ptx_cell_write(x, o, k, ptx_cell_read(x, held, k));
}

/* Appends the values that the operand passes, with the types of the callee's arguments. */
static bool pass_argument(struct ptx *x, const struct call *c, struct ptx_operand *o,
			  ir_val *values, uint32_t *n)
{
	const struct ir_func *f = c->func;
	struct ptx_constant k = {o->kind == OPERAND_FLOAT, o->is_unsigned, o->bits, o->value};
	struct ptx_type type;

	if (o->kind == OPERAND_OBJECT) {
		for (uint32_t i = 0; i < o->name->object->ncells && *n < IR_MAX_RESULTS; i++)
			values[(*n)++] = ptx_cell_read(x, o->name->object, i);
		return true;
	}
	if (*n >= f->nargs)
		return true; /* check_argument_types reports the count */
	type = (struct ptx_type){"", CLASS_BITS, (uint8_t)ir_type_bits(f->arg_types[*n]),
				 f->arg_types[*n], 0};
	o->type = o->kind == OPERAND_REGISTER ? o->name->type : &type;
	if (o->kind == OPERAND_REGISTER && o->type->class == CLASS_PREDICATE) {
		values[(*n)++] = ptx_convert(x, IR_ZEXT, IR_B1, IR_B32, ptx_read_operand(x, o));
		return true;
	}
	if (o->kind == OPERAND_REGISTER ||
	    ((o->kind == OPERAND_INTEGER || o->kind == OPERAND_FLOAT) &&
	     ptx_constant_bits(&k, &type, &o->value))) {
		values[(*n)++] = ptx_read_operand(x, o);
		return true;
	}
	if (o->kind != OPERAND_BAD)
		ptx_error(x, &o->at, "'%.*s' cannot be an argument of '%s'", TEXT(&o->at), f->name);
	return false;
}

static bool check_argument_types(struct ptx *x, const struct call *c, const ir_val *values,
				 uint32_t n)
{
	const struct ir_func *f = c->func;
	bool same = n == f->nargs;

	for (uint32_t k = 0; same && k < n; k++)
		same = x->func->values[values[k]].type == f->arg_types[k];
	if (!same)
		ptx_error(x, &c->at, "the arguments of this call are not those that '%s' takes",
			  f->name);
	return same;
}

/* Stores the callee's results; an object takes one for each cell. */
static bool store_results(struct ptx *x, const struct call *c, ir_val first)
{
	const struct ir_func *f = c->func;
	uint32_t n = 0;

	for (uint32_t k = 0; k < c->nresults; k++) {
		const struct ptx_operand *o = &c->results[k];
		bool object = o->kind == OPERAND_OBJECT, reg = o->kind == OPERAND_REGISTER;
		uint32_t count = object ? o->name->object->ncells : 1;
		enum ir_type t = object ? o->name->object->cell : reg ? o->name->type->ir : IR_VOID;
		bool predicate = reg && t == IR_B1;

		if (c->passing && k < c->passing->nresults && c->passing->results[k].by_reference) {
			load_result(x, &c->held[k], o->name->object);
			continue;
		}
		if (predicate)
			t = IR_B32;
		for (uint32_t i = 0; i < count; i++, n++) {
			if (o->kind == OPERAND_BIT_BUCKET)
				continue;
			if (n >= f->nresults || f->result_types[n] != t) {
				ptx_error(x, &c->at,
					  "the results of this call are not those that '%s' gives",
					  f->name);
				return false;
			}
			if (object)
				ptx_cell_write(x, o->name->object, i, first + n);
			else
				ptx_write_register(x, o->name,
						   predicate ? ptx_convert(x, IR_TRUNC, IR_B32,
									   IR_B1, first + n)
							     : first + n);
		}
	}
	return true;
}

static void lower_call(struct ptx *x, struct call *c)
{
	ir_val values[1 + IR_MAX_RESULTS];
	uint32_t n = 0, address = !!c->address;
	ir_id i;

	if (address)
		values[0] = ptx_read_register(x, c->address);
	if (!pass_results(x, c, values + address, &n))
		return;
	for (uint32_t k = 0; k < c->nargs; k++) {
		bool reference = c->passing && k < c->passing->nargs &&
				 c->passing->args[k].by_reference && n < IR_MAX_RESULTS;

		if (reference ? !pass_reference(x, c, &c->args[k], &c->passing->args[k],
						&values[address + n++])
			      : !pass_argument(x, c, &c->args[k], values + address, &n))
			return;
	}
	if (!check_argument_types(x, c, values + address, n))
		return;
	i = ir_call_new(x->func, address ? IR_CALLPTR : IR_CALL, c->func, values, n + address);
	ir_at(x->func, i)->line = x->line;
	ir_append(x->func, x->block, i);
	store_results(x, c, ir_at(x->func, i)->res);
}

/* A branch skips the block of a guarded call, as of every guarded instruction with side effects. */
void ptx_call_statement(struct ptx *x, const struct ptx_inst *in)
{
	struct call *c = x->call ? x->call : arena_alloc(x->arena, sizeof(*c));
	ir_block then, next, from;
	ir_val guard;

	memset(c, 0, sizeof(*c)); /* from the call before */
	x->call = c;
	if (!parse_call(x, c)) {
		ptx_skip_statement(x);
		return;
	}
	x->line = in->name.line;
	if (!x->block)
		ptx_set_block(x, ptx_block_new(x));
	if (!in->guard) {
		lower_call(x, c);
		return;
	}
	guard = ptx_read_register(x, in->guard);
	from = x->block;
	then = ptx_block_new(x);
	ptx_set_block(x, then);
	next = ptx_block_new(x);
	x->block = from;
	ptx_branch(x, guard, in->guard_negated ? next : then, in->guard_negated ? then : next);
	ptx_set_block(x, then);
	lower_call(x, c);
	ptx_jump(x, next);
	ptx_set_block(x, next);
}
