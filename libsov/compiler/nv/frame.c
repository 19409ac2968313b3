// SPDX-License-Identifier: MIT
/*
 * The frame: a function's part of the stack, which is local memory. R1 points to its lowest byte.
 * The stack grows down; a launch puts its top into constant bank 0.
 *
 *	[caller's frame, at its bottom what the call passes]
 *	convergence barriers that the function uses, as they were; where to return to
 *	spilled registers
 *	local variables
 *	what its own calls pass          <- R1
 *
 * What a function allocates while it runs lies below its frame, as far down as a word of the frame says,
 * and R1 stays where it is. Only for a call it goes there: what the call passes is copied, and where R1 was
 * is kept above that.
 *
 * A function keeps R1, the convergence barriers, and R21, which is 0; everything else is the
 * caller's to save, unless the function is rare: then it keeps all registers that it changes. R20 and
 * R21 hold where to return to as a distance from the first byte of the kernel's code: a kernel has
 * all functions that it needs behind it in one piece of code, so nothing has to be known about where
 * that is loaded.
 *
 * Services are called, and are functions, by the convention of services.h. Both sides keep what they
 * pass in memory all the same, at the places of an ordinary call: the caller takes it from there
 * into registers and back, and a service has those places at the top of its own frame. What registers
 * held that a service or a rare function uses is below that.
 */
#include "hw/nv/bank0.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

struct frame {
	struct mir_func *f;
	uint32_t return_at;   /* offset of the return address, if kept */
	uint32_t barriers;    /* mask of those in use … */
	uint32_t barriers_at; /* … and where they are kept */
	/* Of a service or a rare function: registers that it changes, and where they and the
	 * predicates are kept. */
	bool changed[256];
	uint32_t registers_at, predicates_at;
	uint32_t passed_at; /* where a service has its arguments and result */
	uint32_t bytes;
};

static struct mir_source reg(uint32_t number)
{
	return (struct mir_source){.op = {.kind = SASS_GPR, .reg = (uint8_t)number}};
}

static struct mir_inst *insert(struct frame *r, uint32_t b, struct mir_inst *before,
			       enum sass_op op)
{
	struct mir_inst *i = mir_inst_new(r->f, op);

	mir_insert(r->f, b, before, i);
	return i;
}

static void move_stack(struct frame *r, uint32_t b, struct mir_inst *before, uint32_t by)
{
	struct mir_inst *i;

	if (!by)
		return;
	i = insert(r, b, before, SASS_IADD3);
	mir_set(i, 0, reg(MIR_STACK));
	mir_set(i, 3, reg(MIR_STACK));
	mir_set(i, 4, mir_imm(by));
	mir_set(i, 5, reg(SASS_RZ));
}

static struct mir_inst *access_from(struct frame *r, uint32_t b, struct mir_inst *before,
				    enum sass_op op, uint32_t number, uint32_t base,
				    uint32_t offset)
{
	struct mir_inst *i = insert(r, b, before, op);
	struct mir_source at = {.op = {.kind = SASS_ADDR,
				       .reg = (uint8_t)base,
				       .aux = SASS_NO_UREG,
				       .value = offset}};

	mir_set(i, op == SASS_LDL ? 1 : 0, at);
	mir_set(i, op == SASS_LDL ? 0 : 1, reg(number));
	i->sass.mod[SASS_M_WIDTH] = SASS_WIDTH_32;
	i->memory = (struct mir_memory){op == SASS_LDL ? MIR_READS : MIR_WRITES, MIR_SPILLED, 4};
	return i;
}

static struct mir_inst *access(struct frame *r, uint32_t b, struct mir_inst *before,
			       enum sass_op op, uint32_t number, uint32_t offset)
{
	return access_from(r, b, before, op, number, MIR_STACK, offset);
}

static struct mir_source barrier(uint32_t number)
{
	return (struct mir_source){.op = {.kind = SASS_BREG, .reg = (uint8_t)number}};
}

/* Through the spare register: nothing else is alive where a function starts and where it ends. */
static void save_barriers(struct frame *r, uint32_t b, struct mir_inst *before)
{
	uint32_t spare = mir_spare(r->f), at = r->barriers_at;

	for (uint32_t n = 0; n < MIR_BARRIERS; n++) {
		struct mir_inst *i;

		if (!(r->barriers >> n & 1))
			continue;
		i = insert(r, b, before, SASS_BMOV_READ);
		mir_set(i, 0, reg(spare));
		mir_set(i, 1, barrier(n));
		access(r, b, before, SASS_STL, spare, at);
		at += 4;
	}
}

static void restore_barriers(struct frame *r, uint32_t b)
{
	uint32_t spare = mir_spare(r->f), at = r->barriers_at;

	for (uint32_t n = 0; n < MIR_BARRIERS; n++) {
		struct mir_inst *i;

		if (!(r->barriers >> n & 1))
			continue;
		access(r, b, NULL, SASS_LDL, spare, at);
		i = insert(r, b, NULL, SASS_BMOV_WRITE);
		mir_set(i, 0, barrier(n));
		mir_set(i, 1, reg(spare));
		at += 4;
	}
}

static void access_typed(struct frame *r, uint32_t b, struct mir_inst *before, enum sass_op op,
			 uint8_t type, uint32_t number, uint32_t offset)
{
	access(r, b, before, op, number, offset);
	if (type == IR_B64)
		access(r, b, before, op, number + 1, offset + 4);
}

/* What a service is called with, or answers with, between registers and where calls pass it. */
static void move_arguments(struct frame *r, uint32_t b, struct mir_inst *before, enum sass_op op,
			   const struct service_type *t, uint32_t base)
{
	uint32_t at = 0, next = 0;

	for (uint32_t k = 0; k < t->nargs; k++) {
		uint32_t offset = nv_pass(&at, t->args[k]);

		access_typed(r, b, before, op, t->args[k], service_register(&next, t->args[k]),
			     base + offset);
	}
}

static void move_result(struct frame *r, uint32_t b, struct mir_inst *before, enum sass_op op,
			const struct service_type *t, uint32_t base)
{
	uint32_t at = 0, next = 0;

	if (t->result == IR_VOID)
		return;
	for (uint32_t k = 0; k < t->nargs; k++)
		nv_pass(&at, t->args[k]);
	at = (at + 7) / 8 * 8; /* as nv_passing() has it */
	access_typed(r, b, before, op, t->result, service_register(&next, t->result), base + at);
}

static const struct service_type *service_of(const struct frame *r)
{
	return &services[service_find(r->f->name)];
}

/* ---- keeping registers ---- */

static bool keeps_registers(const struct mir_func *f)
{
	return f->exported || f->ir->rare;
}

static void find_changed(struct frame *r)
{
	struct sass_reg_use uses[SASS_MAX_USES];

	mir_for_each_block(r->f, b)
		mir_for_each(r->f, b, i) {
			uint32_t n = sass_uses(&i->sass, uses);

			for (uint32_t u = 0; u < n; u++)
				for (uint32_t k = 0; k < uses[u].count; k++)
					if (uses[u].kind == SASS_GPR && uses[u].write)
						r->changed[uses[u].reg + k] = true;
		}
	r->changed[mir_spare(r->f)] = true;
	r->changed[MIR_STACK] = r->changed[SASS_RZ] = false;
}

#define QUAD 4 /* registers that one access may move */

static uint32_t changed_of_quad(const struct frame *r, uint32_t first)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < QUAD; k++)
		n += r->changed[first + k];
	return n;
}

/* Each quad of which something is changed has its place. */
static void move_registers(struct frame *r, uint32_t b, struct mir_inst *before, enum sass_op op)
{
	uint32_t at = r->registers_at;

	for (uint32_t n = 0; n < 256; n += QUAD) {
		uint32_t changed = changed_of_quad(r, n);

		if (changed == QUAD) {
			struct mir_inst *i = access(r, b, before, op, n, at);

			i->sass.mod[SASS_M_WIDTH] = SASS_WIDTH_128;
			i->memory.bytes = 4 * QUAD;
		}
		for (uint32_t k = 0; changed < QUAD && k < QUAD; k++)
			if (r->changed[n + k])
				access(r, b, before, op, n + k, at + 4 * k);
		at += changed ? 4 * QUAD : 0;
	}
}

#define ALL_PREDICATES 0x7f

static void save_registers(struct frame *r, uint32_t b, struct mir_inst *first)
{
	uint32_t spare = mir_spare(r->f);
	struct mir_inst *i;

	move_registers(r, b, first, SASS_STL);
	i = insert(r, b, first, SASS_P2R);
	mir_set(i, 0, reg(spare));
	mir_set(i, 2, reg(SASS_RZ));
	mir_set(i, 3, mir_imm(ALL_PREDICATES));
	access(r, b, first, SASS_STL, spare, r->predicates_at);
}

static void restore_registers(struct frame *r, uint32_t b)
{
	uint32_t spare = mir_spare(r->f);
	struct mir_inst *i;

	access(r, b, NULL, SASS_LDL, spare, r->predicates_at);
	i = insert(r, b, NULL, SASS_R2P);
	mir_set(i, 1, reg(spare));
	mir_set(i, 2, mir_imm(ALL_PREDICATES));
	move_registers(r, b, NULL, SASS_LDL);
}

static void lay_out_registers(struct frame *r, uint32_t *at)
{
	find_changed(r);
	r->predicates_at = *at;
	r->registers_at = *at = (*at + 4 + 15) / 16 * 16;
	for (uint32_t n = 0; n < 256; n += QUAD)
		*at += changed_of_quad(r, n) ? 4 * QUAD : 0;
}

/* ---- ordinary functions ---- */

static void enter(struct frame *r)
{
	struct mir_func *f = r->f;
	struct mir_inst *first = f->blocks[f->entry].first, *i;

	if (f->ir->kind != IR_FUNCTION) {
		i = insert(r, f->entry, first, SASS_MOV);
		mir_set(i, 0, reg(MIR_STACK));
		mir_set(i, 1,
			(struct mir_source){.op = {.kind = SASS_CONST,
						   .reg = SASS_RZ,
						   .value = NV_BANK0_STACK}});
	}
	move_stack(r, f->entry, first, 0u - r->bytes);
	if (f->dynamic)
		access(r, f->entry, first, SASS_STL, MIR_STACK, f->dynamic_at);
	if (f->ir->kind != IR_FUNCTION)
		return;
	if (keeps_registers(f))
		save_registers(r, f->entry, first);
	if (f->exported)
		move_arguments(r, f->entry, first, SASS_STL, service_of(r), r->passed_at);
	if (f->calls)
		access(r, f->entry, first, SASS_STL, MIR_RETURN, r->return_at);
	save_barriers(r, f->entry, first);
}

static void leave(struct frame *r, uint32_t b)
{
	struct mir_inst *i;

	restore_barriers(r, b);
	if (r->f->calls)
		access(r, b, NULL, SASS_LDL, MIR_RETURN, r->return_at);
	if (keeps_registers(r->f))
		restore_registers(r, b);
	if (r->f->exported)
		move_result(r, b, NULL, SASS_LDL, service_of(r), r->passed_at);
	move_stack(r, b, NULL, r->bytes);
	i = insert(r, b, NULL, r->f->exported ? SASS_RET_ABS : SASS_RET_REL);
	mir_set(i, 1, reg(MIR_RETURN));
	mir_set(i, 2, (struct mir_source){.op = {.kind = SASS_TARGET}});
	i->sass.mod[SASS_M_NODEC] = 1;
	i->keep_last = true;
}

/* ---- calls below what was allocated ---- */

static void move(struct frame *r, uint32_t b, struct mir_inst *before, uint32_t to, uint32_t from)
{
	struct mir_inst *i = insert(r, b, before, SASS_MOV);

	mir_set(i, 0, reg(to));
	mir_set(i, 1, reg(from));
}

static uint32_t passing_room(const struct frame *r)
{
	return (r->f->passing + 15) / 16 * 16;
}

/* Through a register that is about to hold where to return to, or has done so. */
static void copy_passed(struct frame *r, uint32_t b, struct mir_inst *before, uint32_t to,
			uint32_t from)
{
	for (uint32_t at = 0; at < r->f->passing; at += 4) {
		access_from(r, b, before, SASS_LDL, MIR_RETURN, from, at);
		access_from(r, b, before, SASS_STL, MIR_RETURN, to, at);
	}
}

/* R1 to the end of the stack, with as much room below it as calls take at the bottom of the frame. */
static void go_below(struct frame *r, uint32_t b, struct mir_inst *the_call, bool in_memory)
{
	uint32_t spare = mir_spare(r->f);
	struct mir_inst *i;

	if (!r->f->dynamic)
		return;
	access(r, b, the_call, SASS_LDL, spare, r->f->dynamic_at);
	i = insert(r, b, the_call, SASS_IADD3);
	mir_set(i, 0, reg(spare));
	mir_set(i, 3, reg(spare));
	mir_set(i, 4, mir_imm(0u - passing_room(r) - 16));
	mir_set(i, 5, reg(SASS_RZ));
	if (in_memory)
		copy_passed(r, b, the_call, spare, MIR_STACK);
	access_from(r, b, the_call, SASS_STL, MIR_STACK, spare, passing_room(r));
	move(r, b, the_call, MIR_STACK, spare);
}

static void come_back(struct frame *r, uint32_t b, struct mir_inst *after, bool in_memory)
{
	uint32_t spare = mir_spare(r->f);

	if (!r->f->dynamic)
		return;
	access(r, b, after, SASS_LDL, spare, passing_room(r));
	if (in_memory)
		copy_passed(r, b, after, spare, MIR_STACK);
	move(r, b, after, MIR_STACK, spare);
}

static void call(struct frame *r, uint32_t b, struct mir_inst *before)
{
	struct mir_inst *i;

	go_below(r, b, before, true);
	come_back(r, b, before->next, true);
	i = insert(r, b, before, SASS_MOV);
	mir_set(i, 0, reg(MIR_RETURN));
	mir_set(i, 1, mir_imm(0));
	i->returns_here = true;
	i = insert(r, b, before, SASS_MOV);
	mir_set(i, 0, reg(MIR_RETURN + 1));
	mir_set(i, 1, reg(SASS_RZ));
}

/* Absolute: services are somewhere else. Nothing is alive in registers around a call. */
static void return_absolute(struct frame *r, uint32_t b, struct mir_inst *before)
{
	struct mir_inst *i;

	if (r->f->sm >= 90) {
		i = insert(r, b, before, SASS_LEPC_TARGET);
		mir_set(i, 0, reg(MIR_RETURN));
		mir_set(i, 1, (struct mir_source){.op = {.kind = SASS_TARGET}});
		i->returns_here = true;
		return;
	}
	i = insert(r, b, before, SASS_LEPC);
	mir_set(i, 0, reg(MIR_RETURN));
	i = insert(r, b, before, SASS_IADD3);
	mir_set(i, 0, reg(MIR_RETURN));
	mir_set(i, 1, (struct mir_source){.op = {.kind = SASS_PRED, .reg = 0}});
	mir_set(i, 3, reg(MIR_RETURN));
	mir_set(i, 4, mir_imm(0));
	mir_set(i, 5, reg(SASS_RZ));
	i->returns_here = true;
	i = insert(r, b, before, SASS_IADD3);
	mir_set(i, 0, reg(MIR_RETURN + 1));
	mir_set(i, 3, reg(MIR_RETURN + 1));
	mir_set(i, 4, reg(SASS_RZ));
	mir_set(i, 5, reg(SASS_RZ));
	mir_set(i, 6, (struct mir_source){.op = {.kind = SASS_PRED, .reg = 0}});
	mir_set(i, 7, mir_true(false));
	i->sass.mod[SASS_M_X] = 1;
}

static void call_service(struct frame *r, uint32_t b, struct mir_inst *the_call)
{
	const struct service_type *t = &services[the_call->service - 1];
	struct mir_inst *i, *after = the_call->next;

	move_arguments(r, b, the_call, SASS_LDL, t, 0);
	go_below(r, b, the_call, false);
	come_back(r, b, after, false);
	for (uint32_t half = 0; half < 2; half++) {
		i = insert(r, b, the_call, SASS_MOV);
		mir_set(i, 0, reg(MIR_SERVICE + half));
		mir_set(i, 1,
			(struct mir_source){.op = {.kind = SASS_CONST,
						   .reg = SASS_RZ,
						   .aux = NV_ADDRESS_BANK,
						   .value = the_call->service_at + 4 * half}});
	}
	return_absolute(r, b, the_call);
	move_result(r, b, after, SASS_STL, t, 0);
	i = insert(r, b, after, SASS_MOV); /* as functions find it */
	mir_set(i, 0, reg(MIR_RETURN + 1));
	mir_set(i, 1, reg(SASS_RZ));
}

static void lay_out(struct frame *r)
{
	struct mir_func *f = r->f;
	uint32_t at = (f->frame_bytes + 3) / 4 * 4;

	if (f->ir->kind == IR_FUNCTION) {
		mir_for_each_block(f, b)
			mir_for_each(f, b, i)
				if (i->sass.op == SASS_BSSY)
					r->barriers |= 1u << i->sass.ops[0].reg;
		r->return_at = at;
		at += f->calls ? 4 : 0;
		r->barriers_at = at;
		at += 4 * (uint32_t)__builtin_popcount(r->barriers);
	}
	if (keeps_registers(f))
		lay_out_registers(r, &at);
	if (f->exported) {
		r->passed_at = (at + 7) / 8 * 8;
		at = r->passed_at + nv_passing(f->ir).bytes;
	}
	r->bytes = f->frame_bytes = (at + 15) / 16 * 16;
}

void nv_frame(struct mir_func *f)
{
	struct frame r = {.f = f};

	if (!f->stack)
		return;
	lay_out(&r);
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			for (uint32_t k = 0; i->incoming && k < i->sass.nops; k++) {
				if (i->sass.ops[k].kind == SASS_ADDR)
					i->sass.ops[k].value += f->exported ? r.passed_at : r.bytes;
			}
			if (i->service)
				call_service(&r, b, i);
			else if (mir_is_call(i))
				call(&r, b, i);
		}
	mir_for_each_block(f, b)
		if (f->blocks[b].end == MIR_END_RETURN)
			leave(&r, b);
	enter(&r);
}
