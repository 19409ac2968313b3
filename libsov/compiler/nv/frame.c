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
 * A function keeps R1, the convergence barriers, and R21, which is 0; everything else is the
 * caller's to save. R20 and R21 hold where to return to as a distance from the first byte of the
 * kernel's code: a kernel has all functions that it needs behind it in one piece of code, so
 * nothing has to be known about where that is loaded.
 */
#include "hw/nv/bank0.h"
#include "libsov/compiler/nv/mir.h"

struct frame {
	struct mir_func *f;
	uint32_t return_at;  /* offset of the return address, if kept */
	uint32_t barriers;   /* mask of those in use … */
	uint32_t barriers_at; /* … and where they are kept */
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

static void access(struct frame *r, uint32_t b, struct mir_inst *before, enum sass_op op,
		   uint32_t number, uint32_t offset)
{
	struct mir_inst *i = insert(r, b, before, op);
	struct mir_source at = {.op = {.kind = SASS_ADDR, .reg = MIR_STACK, .aux = SASS_NO_UREG,
				       .value = offset}};

	mir_set(i, op == SASS_LDL ? 1 : 0, at);
	mir_set(i, op == SASS_LDL ? 0 : 1, reg(number));
	i->sass.mod[SASS_M_WIDTH] = SASS_WIDTH_32;
	i->memory = (struct mir_memory){op == SASS_LDL ? MIR_READS : MIR_WRITES, MIR_SPILLED, 4};
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

static void enter(struct frame *r)
{
	struct mir_func *f = r->f;
	struct mir_inst *first = f->blocks[f->entry].first, *i;

	if (f->ir->kind != IR_FUNCTION) {
		i = insert(r, f->entry, first, SASS_MOV);
		mir_set(i, 0, reg(MIR_STACK));
		mir_set(i, 1, (struct mir_source){.op = {.kind = SASS_CONST, .reg = SASS_RZ,
							 .value = NV_BANK0_STACK}});
	}
	move_stack(r, f->entry, first, 0u - r->bytes);
	if (f->ir->kind != IR_FUNCTION)
		return;
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
	move_stack(r, b, NULL, r->bytes);
	i = insert(r, b, NULL, SASS_RET_REL);
	mir_set(i, 1, reg(MIR_RETURN));
	mir_set(i, 2, (struct mir_source){.op = {.kind = SASS_TARGET}});
	i->sass.mod[SASS_M_NODEC] = 1;
	i->keep_last = true;
}

static void call(struct frame *r, uint32_t b, struct mir_inst *before)
{
	struct mir_inst *i = insert(r, b, before, SASS_MOV);

	mir_set(i, 0, reg(MIR_RETURN));
	mir_set(i, 1, mir_imm(0));
	i->returns_here = true;
	i = insert(r, b, before, SASS_MOV);
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
					i->sass.ops[k].value += r.bytes;
			}
			if (mir_is_call(i))
				call(&r, b, i);
		}
	mir_for_each_block(f, b)
		if (f->blocks[b].end == MIR_END_RETURN)
			leave(&r, b);
	enter(&r);
}
