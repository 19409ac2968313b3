// SPDX-License-Identifier: MIT
/*
 * Use lists, singly linked through one table to which entries are only added. Removing an argument
 * decrements the count and leaves the entry; a later walk over the list sees one instruction more.
 */
#include "libsov/compiler/analysis/uses.h"

#include <string.h>

/* arena_grow zeroes new elements: no uses. */
static void grow_to_value(struct uses *u, ir_val v)
{
	struct arena *a = u->f->module->arena;

	u->head = arena_grow(a, u->head, &u->head_capacity, v + 1, sizeof(*u->head));
	u->count = arena_grow(a, u->count, &u->count_capacity, v + 1, sizeof(*u->count));
}

static void link_use(struct uses *u, ir_id i, ir_val v)
{
	u->list[u->nlist] = (struct use){.user = i, .next = u->head[v]};
	u->head[v] = u->nlist++;
	u->count[v]++;
}

static void add_use(struct uses *u, ir_id i, ir_val v)
{
	u->list = arena_grow(u->f->module->arena, u->list, &u->list_capacity, u->nlist + 1,
			     sizeof(*u->list));
	grow_to_value(u, v);
	link_use(u, i, v);
}

static void add_uses(struct uses *u, ir_id i)
{
	const struct ir_inst *p = ir_at(u->f, i);

	for (uint32_t k = 0; k < p->nargs; k++)
		add_use(u, i, p->args[k]);
	for (uint32_t k = 0; k < p->nres; k++)
		grow_to_value(u, p->res + k);
}

static void drop_uses(struct uses *u, ir_id i)
{
	const struct ir_inst *p = ir_at(u->f, i);

	for (uint32_t k = 0; k < p->nargs; k++)
		u->count[p->args[k]]--;
}

void uses_forward(struct ir_func *f, const ir_val *to, uint32_t n)
{
	ir_for_each_block(f, b) {
		ir_for_each_inst(f, b, i) {
			struct ir_inst *in = ir_at(f, i);

			for (uint32_t k = 0; k < in->nargs; k++)
				while (in->args[k] < n && to[in->args[k]])
					in->args[k] = to[in->args[k]];
		}
	}
}

void uses_init(struct uses *u, struct ir_func *f)
{
	uint32_t count = 1;

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			count += ir_at(f, i)->nargs;
	*u = (struct uses){.f = f, .nlist = 1};
	grow_to_value(u, f->nvalues - 1);
	u->list = arena_grow(f->module->arena, NULL, &u->list_capacity, count, sizeof(*u->list));
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *p = ir_at(f, i);

			for (uint32_t k = 0; k < p->nargs; k++)
				link_use(u, i, p->args[k]);
		}
}

void uses_set_arg(struct uses *u, ir_id i, uint32_t k, ir_val v)
{
	struct ir_inst *p = ir_at(u->f, i);

	u->count[p->args[k]]--;
	p->args[k] = v;
	add_use(u, i, v);
}

void uses_replace(struct uses *u, ir_val of, ir_val with)
{
	uint32_t first = u->head[of];

	u->head[of] = 0;
	for (uint32_t it = first; it; it = u->list[it].next) {
		ir_id i = u->list[it].user;

		for (uint32_t k = 0; k < ir_at(u->f, i)->nargs; k++)
			if (ir_at(u->f, i)->args[k] == of)
				uses_set_arg(u, i, k, with);
	}
}

void uses_become(struct uses *u, ir_id i, enum ir_op op, enum ir_type type, const ir_val *args,
		 uint32_t nargs)
{
	struct ir_inst *p = ir_at(u->f, i);
	struct ir_inst old = *p;
	ir_val *room = old.args;

	drop_uses(u, i);
	if (nargs > old.nargs)
		room = arena_array(u->f->module->arena, nargs, sizeof(*room));
	if (nargs)
		memmove(room, args, nargs * sizeof(*room));
	*p = (struct ir_inst){
		.op = op,
		.type = type,
		.nargs = nargs,
		.nres = old.nres,
		.res = old.res,
		.args = room,
		.block = old.block,
		.prev = old.prev,
		.next = old.next,
		.line = old.line,
	};
	add_uses(u, i);
}

ir_id uses_insert(struct uses *u, ir_id before, enum ir_op op, enum ir_type type,
		  const ir_val *args, uint32_t nargs)
{
	ir_id i = ir_inst_new(u->f, op, type, args, nargs, ir_ops[op].results);

	ir_at(u->f, i)->line = ir_at(u->f, before)->line;
	ir_insert_before(u->f, before, i);
	add_uses(u, i);
	return i;
}

ir_val uses_const(struct uses *u, ir_id before, enum ir_type type, uint64_t value)
{
	ir_id i = uses_insert(u, before, IR_CONST, type, NULL, 0);

	ir_at(u->f, i)->imm = value;
	return ir_at(u->f, i)->res;
}

void uses_remove(struct uses *u, ir_id i)
{
	drop_uses(u, i);
	ir_at(u->f, i)->nargs = 0; /* lists may still name it */
	ir_remove(u->f, i);
}
