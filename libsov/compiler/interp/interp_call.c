// SPDX-License-Identifier: MIT
/*
 * Calls and frames. Frames of calls that returned are kept by function and reused. External
 * functions call the launch's service callback.
 */
#include <string.h>
#include "libsov/compiler/interp/interp_state.h"

/* Functions get distinct addresses far from all memory. */
#define FUNCTION_ADDRESS (UINT64_C(0xf) << 60)

uint64_t interp_function_address(const struct ir_func *f)
{
	return FUNCTION_ADDRESS + f->index * 16;
}

static const struct ir_func *function_at(const struct interp *ip, uint64_t address)
{
	const struct ir_module *m = ip->f->module;
	uint64_t k = (address - FUNCTION_ADDRESS) / 16;

	return address % 16 || k >= m->nfuncs ? NULL : m->table[k];
}

static void set_frame(struct interp_thread *t, struct interp_frame *frame)
{
	t->frame = frame;
	t->f = frame->f;
	t->at = frame->at;
	t->values = frame->values;
}

bool interp_enter(struct interp *ip, struct interp_thread *t, const struct ir_func *f)
{
	struct interp_frame *frame = ip->free_frames[f->index], *caller = t->frame;
	uint64_t base = caller ? caller->top : 0;

	base = (base + 15) & ~UINT64_C(15);
	if (base > ip->space_bytes[IR_LOCAL] ||
	    ip->frame_bytes[f->index] > ip->space_bytes[IR_LOCAL] - base)
		return interp_fail(ip, t, "the stack of %u bytes is full", INTERP_STACK_BYTES);
	if (frame) {
		ip->free_frames[f->index] = frame->caller;
		memset(frame->values, 0, f->nvalues * sizeof(*frame->values));
		memset(frame->regs, 0, f->nregs * sizeof(*frame->regs));
	} else {
		frame = arena_alloc(&ip->arena, sizeof(*frame));
		frame->f = f;
		frame->values = arena_array(&ip->arena, f->nvalues, sizeof(*frame->values));
		frame->regs = arena_array(&ip->arena, f->nregs, sizeof(*frame->regs));
		frame->args = arena_array(&ip->arena, f->nargs, sizeof(*frame->args));
	}
	if (caller)
		caller->at = t->at;
	frame->caller = caller;
	frame->local = base;
	frame->top = base + ip->frame_bytes[f->index];
	frame->at = f->blocks[f->entry].first;
	if (t->local && ip->frame_bytes[f->index])
		memset(t->local_written + base, 0, ip->frame_bytes[f->index]);
	set_frame(t, frame);
	return true;
}

/* The stack grows upwards, which the IR leaves unspecified. */
bool interp_stack(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	struct interp_frame *frame = t->frame;
	uint64_t align = in->imm > 16 ? in->imm : 16, x = 0, at;

	if (in->nargs) {
		if (!t->values[in->args[0]].defined)
			return interp_fail(ip, t, "argument 1 is undefined");
		x = t->values[in->args[0]].bits;
	}
	if (in->op == IR_STACKRESTORE) {
		if (x > frame->top || x < frame->local + ip->frame_bytes[frame->f->index])
			return interp_fail(ip, t, "0x%llx is not a saved stack pointer",
					   (unsigned long long)x);
		frame->top = x;
		return true;
	}
	if (in->op == IR_ALLOCA) {
		at = (frame->top + align - 1) & ~(align - 1);
		if (at > ip->space_bytes[IR_LOCAL] || x > ip->space_bytes[IR_LOCAL] - at)
			return interp_fail(ip, t, "the stack of %u bytes is full",
					   INTERP_STACK_BYTES);
		memset(t->local_written + at, 0, x);
		frame->top = at + x;
	} else {
		at = frame->top;
	}
	t->values[in->res] = (struct interp_value){at, true};
	return true;
}

/* Frees the frame and returns its caller's; the contents stay readable until the next call. */
static struct interp_frame *pop_frame(struct interp *ip, struct interp_frame *done)
{
	struct interp_frame *caller = done->caller;

	done->caller = ip->free_frames[done->f->index];
	ip->free_frames[done->f->index] = done;
	return caller;
}

static void end_thread(struct interp *ip, struct interp_thread *t)
{
	t->groups++;
	interp_complete_copies(ip, t, 0);
	t->state = THREAD_EXITED;
}

void interp_exit(struct interp *ip, struct interp_thread *t)
{
	for (struct interp_frame *f = t->frame; f;)
		f = pop_frame(ip, f);
	end_thread(ip, t);
}

void interp_return(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	struct interp_frame *done = t->frame, *caller = pop_frame(ip, done);
	const struct ir_inst *call;

	if (!caller) {
		end_thread(ip, t);
		return;
	}
	set_frame(t, caller);
	call = ir_at(t->f, t->at);
	for (uint32_t k = 0; k < in->nargs; k++)
		t->values[call->res + k] = done->values[in->args[k]];
	t->at = call->next;
}

static bool call_service(struct interp *ip, struct interp_thread *t, const struct ir_inst *in,
			 const struct ir_func *f, const ir_val *args)
{
	uint64_t given[IR_MAX_RESULTS], results[IR_MAX_RESULTS] = {0};

	for (uint32_t k = 0; k < f->nargs; k++) {
		if (!t->values[args[k]].defined)
			return interp_fail(ip, t, "argument %u is undefined", k + 1);
		given[k] = t->values[args[k]].bits;
	}
	if (!ip->launch->service ||
	    !ip->launch->service(ip->launch->user, f->name, given, f->nargs, results, f->nresults))
		return interp_fail(ip, t, "external function %s is not provided", f->name);
	for (uint32_t k = 0; k < in->nres; k++)
		t->values[in->res + k] = (struct interp_value){.bits = results[k], .defined = true};
	t->at = in->next;
	return true;
}

static bool same_signature(const struct ir_func *f, const struct ir_func *g)
{
	return f->nargs == g->nargs && f->nresults == g->nresults &&
	       (!f->nargs || !memcmp(f->arg_types, g->arg_types, f->nargs)) &&
	       (!f->nresults || !memcmp(f->result_types, g->result_types, f->nresults));
}

bool interp_call(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	const struct ir_func *f = ip->f->module->table[in->symbol];
	const struct interp_value *from = t->values;
	const ir_val *args = in->args;

	if (in->op == IR_CALLPTR) {
		const struct interp_value *address = &t->values[*args++];
		const struct ir_func *target =
			address->defined ? function_at(ip, address->bits) : NULL;

		if (!target || !same_signature(target, f))
			return interp_fail(ip, t, "no function of the prototype's type at 0x%llx",
					   (unsigned long long)address->bits);
		f = target;
	}
	if (f->kind == IR_EXTERNAL)
		return call_service(ip, t, in, f, args);
	if (!interp_enter(ip, t, f))
		return false;
	for (uint32_t k = 0; k < f->nargs; k++)
		t->frame->args[k] = from[args[k]];
	return true;
}
