// SPDX-License-Identifier: MIT
/*
 * Stack frames, prologues, epilogues and calls. The stack is local memory and grows down; a launch
 * puts its top into constant bank 0. R1 points to the lowest byte of the frame.
 *
 *	[caller's frame, with the call slots at its bottom]
 *	registers saved around calls of device services
 *	saved convergence barriers; return address
 *	spill slots
 *	local variables
 *	call slots: arguments and results of its own calls          <- R1
 *
 * Memory that a function allocates at run time (alloca) lies below its frame. A word of the frame
 * holds its end, and R1 does not move. Only for a call R1 moves below that memory: the call slots
 * are copied there, and the old R1 is saved above them.
 *
 * A callee preserves R1, the convergence barriers, and R21, which is 0; a preserve_all function
 * preserves the predicates, too. The caller saves everything else: what is live across a call has
 * been spilled, or, if it calls a device service or a preserve_all function that changes it, is
 * saved around the call. R20 and R21 hold the return address as an offset from the first byte of
 * the kernel's code: all functions of a kernel follow it in one section, so the code is position
 * independent.
 *
 * Calls of other code, and exported functions, use NVIDIA's calling convention (call_abi.c).
 * Arguments and results that are operands of the call, and of the function's start and end, are in
 * their registers already (call_registers.c). Both sides keep the others in memory, in call slots:
 * the caller moves them to registers and back, and an exported function has such slots at the top
 * of its own frame. The saved registers of an exported function are below these. Code of ptxas
 * keeps R1 aligned to 8 bytes only: an exported function that needs more saves R1, aligns it, and
 * copies the parameters on the stack to its own call slots.
 */
#include "hw/nv/bank0.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

struct frame {
	struct mir_func *f;
	uint32_t return_at;   /* saved return address */
	uint32_t barriers;    /* mask of the convergence barriers that it saves */
	uint32_t barriers_at; /* their save slots */
	/* Of an exported function: registers that it changes, and the save slots of these and of
	 * the predicates. */
	uint64_t changed[NV_CHANGE_WORDS];
	uint32_t registers_at, predicates_at;
	uint32_t predicates_in; /* register that a preserve_all function keeps them in; 0: none */
	/* Of an exported function: its convention, and the arguments and results that are
	 * operands. */
	struct nv_abi *abi;
	struct nv_passed passed;
	uint32_t call_slots_at; /* its call slots */
	uint32_t old_stack_at;  /* the caller's R1, if the function aligns it */
	uint32_t bytes;
};

static struct mir_source phys_reg(uint32_t number)
{
	return (struct mir_source){.op = {.kind = SASS_GPR, .reg = (uint8_t)number}};
}

static struct mir_inst *insert_inst(struct frame *frame, uint32_t b, struct mir_inst *before,
				    enum sass_op op)
{
	struct mir_inst *i = mir_inst_new(frame->f, op);

	mir_insert(frame->f, b, before, i);
	return i;
}

static void adjust_stack_pointer(struct frame *frame, uint32_t b, struct mir_inst *before,
				 uint32_t by)
{
	struct mir_inst *i;

	if (!by)
		return;
	i = insert_inst(frame, b, before, SASS_IADD3);
	mir_set_operand(i, 0, phys_reg(MIR_STACK));
	mir_set_operand(i, 3, phys_reg(MIR_STACK));
	mir_set_operand(i, 4, mir_imm(by));
	mir_set_operand(i, 5, phys_reg(SASS_RZ));
}

static struct mir_inst *insert_access_from(struct frame *frame, uint32_t b, struct mir_inst *before,
					   enum sass_op op, uint32_t number, uint32_t base,
					   uint32_t offset)
{
	struct mir_inst *i = insert_inst(frame, b, before, op);
	struct mir_source at = {.op = {.kind = SASS_ADDR,
				       .reg = (uint8_t)base,
				       .aux = SASS_NO_UREG,
				       .value = offset}};

	mir_set_operand(i, op == SASS_LDL ? 1 : 0, at);
	mir_set_operand(i, op == SASS_LDL ? 0 : 1, phys_reg(number));
	i->sass.mod[SASS_M_WIDTH] = SASS_WIDTH_32;
	i->memory =
		(struct mir_memory){op == SASS_LDL ? MIR_READS : MIR_WRITES, MIR_SPILL_SPACE, 4};
	return i;
}

static struct mir_inst *insert_access(struct frame *frame, uint32_t b, struct mir_inst *before,
				      enum sass_op op, uint32_t number, uint32_t offset)
{
	return insert_access_from(frame, b, before, op, number, MIR_STACK, offset);
}

static void insert_move(struct frame *frame, uint32_t b, struct mir_inst *before, uint32_t to,
			uint32_t from)
{
	struct mir_inst *i = insert_inst(frame, b, before, SASS_MOV);

	mir_set_operand(i, 0, phys_reg(to));
	mir_set_operand(i, 1, phys_reg(from));
}

static struct mir_source barrier_operand(uint32_t number)
{
	return (struct mir_source){.op = {.kind = SASS_BREG, .reg = (uint8_t)number}};
}

/* Through the scratch register: no other register is live at a function's entry and exit. */
static void save_barriers(struct frame *frame, uint32_t b, struct mir_inst *before)
{
	uint32_t scratch = mir_scratch_reg(frame->f), at = frame->barriers_at;

	for (uint32_t n = 0; n < MIR_BARRIERS; n++) {
		struct mir_inst *i;

		if (!(frame->barriers >> n & 1))
			continue;
		i = insert_inst(frame, b, before, SASS_BMOV_READ);
		mir_set_operand(i, 0, phys_reg(scratch));
		mir_set_operand(i, 1, barrier_operand(n));
		insert_access(frame, b, before, SASS_STL, scratch, at);
		at += 4;
	}
}

static void restore_barriers(struct frame *frame, uint32_t b)
{
	uint32_t scratch = mir_scratch_reg(frame->f), at = frame->barriers_at;

	for (uint32_t n = 0; n < MIR_BARRIERS; n++) {
		struct mir_inst *i;

		if (!(frame->barriers >> n & 1))
			continue;
		insert_access(frame, b, NULL, SASS_LDL, scratch, at);
		i = insert_inst(frame, b, NULL, SASS_BMOV_WRITE);
		mir_set_operand(i, 0, barrier_operand(n));
		mir_set_operand(i, 1, phys_reg(scratch));
		at += 4;
	}
}

static void insert_access_typed(struct frame *frame, uint32_t b, struct mir_inst *before,
				enum sass_op op, uint8_t type, uint32_t number, uint32_t offset)
{
	insert_access(frame, b, before, op, number, offset);
	if (type == IR_B64)
		insert_access(frame, b, before, op, number + 1, offset + 4);
}

/* Moves arguments or results of an absolute call, from the first that is no operand on, between
 * registers and call slots, which are at base if they are not on the stack. */
static void move_arguments(struct frame *frame, uint32_t b, struct mir_inst *before,
			   enum sass_op op, const struct nv_abi *abi, uint32_t base, uint32_t first)
{
	for (uint32_t k = first; k < abi->nargs; k++) {
		const struct nv_abi_value *v = &abi->args[k];

		if (!v->on_stack)
			insert_access_typed(frame, b, before, op, v->type, v->reg, base + v->slot);
	}
}

static void move_results(struct frame *frame, uint32_t b, struct mir_inst *before, enum sass_op op,
			 const struct nv_abi *abi, uint32_t base, uint32_t first)
{
	for (uint32_t k = first; k < abi->nresults && !abi->result_in_memory; k++) {
		const struct nv_abi_value *v = &abi->results[k];

		insert_access_typed(frame, b, before, op, v->type, v->reg, base + v->slot);
	}
}

#define RESULT_ADDRESS 4 /* R4: address of a result in memory */
#define RESULT_WORD    5 /* R5 holds nothing when a function returns */

/* A callee keeps the address of its result in the slot that R4 has among the parameters. */
static uint32_t result_address_at(const struct nv_abi *abi, uint32_t base)
{
	return base + abi->stack_bytes;
}

static void copy_result_to_memory(struct frame *frame, uint32_t b, const struct nv_abi *abi,
				  uint32_t base)
{
	insert_access(frame, b, NULL, SASS_LDL, RESULT_ADDRESS, result_address_at(abi, base));
	for (uint32_t at = 0; at < abi->result_bytes; at += 4) {
		insert_access(frame, b, NULL, SASS_LDL, RESULT_WORD, base + abi->results_at + at);
		insert_access_from(frame, b, NULL, SASS_STL, RESULT_WORD, RESULT_ADDRESS, at);
	}
}

/* ---- saving registers ---- */

/* Device services preserve all registers, other functions with NVIDIA's calling convention those
 * that it demands. */
static bool saves_only_some(const struct mir_func *f)
{
	return f->exported && f->job->options.relocatable;
}

static void find_changed(struct frame *frame)
{
	struct sass_reg_use uses[SASS_MAX_USES];
	bool unknown_calls = false;

	mir_for_each_block(frame->f, b)
		mir_for_each(frame->f, b, i) {
			uint32_t n = sass_uses(&i->sass, uses);

			for (uint32_t u = 0; u < n; u++)
				for (uint32_t k = 0; k < uses[u].count; k++)
					if (uses[u].kind == SASS_GPR && uses[u].write)
						bitset_add(frame->changed, uses[u].reg + k);
			if (i->known)
				bitset_unite(frame->changed, i->known->changes, NV_CHANGE_WORDS);
			else
				unknown_calls |= mir_is_call(i);
		}
	bitset_add(frame->changed, mir_scratch_reg(frame->f));
	for (uint32_t half = 0; frame->f->calls && half < 2; half++) {
		bitset_add(frame->changed, MIR_RETURN + half);
		if (unknown_calls)
			bitset_add(frame->changed, MIR_CALLEE + half);
	}
	for (uint32_t n = 0; saves_only_some(frame->f) && n < SASS_RZ; n++)
		if (!nv_abi_preserves(n))
			bitset_remove(frame->changed, n);
	bitset_remove(frame->changed, MIR_STACK);
	bitset_remove(frame->changed, SASS_RZ);
}

#define QUAD 4 /* registers of one 128-bit access */

static uint32_t count_from(const uint64_t *set, uint32_t first, uint32_t units)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < units; k++)
		n += bitset_has(set, first + k);
	return n;
}

/* Each quad with a register of the set has a save slot. */
static uint32_t save_bytes(const uint64_t *set)
{
	uint32_t bytes = 0;

	for (uint32_t n = 0; n < 256; n += QUAD)
		bytes += count_from(set, n, QUAD) ? 4 * QUAD : 0;
	return bytes;
}

/* A quad in one access, its pairs in one each, or single registers. */
static void move_quad(struct frame *frame, uint32_t b, struct mir_inst *before, enum sass_op op,
		      const uint64_t *set, uint32_t first, uint32_t at)
{
	static const uint8_t widths[] = {
		[1] = SASS_WIDTH_32, [2] = SASS_WIDTH_64, [QUAD] = SASS_WIDTH_128};

	for (uint32_t k = 0, units; k < QUAD; k += units) {
		struct mir_inst *i;

		units = k || frame->f->exported ? 2 - k % 2 : QUAD;
		for (; units > 1; units /= 2)
			if (count_from(set, first + k, units) == units)
				break;
		if (!bitset_has(set, first + k))
			continue;
		i = insert_access(frame, b, before, op, first + k, at + 4 * k);
		i->sass.mod[SASS_M_WIDTH] = widths[units];
		i->memory.bytes = (uint8_t)(4 * units);
	}
}

static void move_registers(struct frame *frame, uint32_t b, struct mir_inst *before,
			   enum sass_op op, const uint64_t *set, uint32_t at)
{
	for (uint32_t n = 0; n < 256; n += QUAD) {
		if (!count_from(set, n, QUAD))
			continue;
		move_quad(frame, b, before, op, set, n, at);
		at += 4 * QUAD;
	}
}

#define ALL_PREDICATES 0x7f

static void save_predicates(struct frame *frame, uint32_t b, struct mir_inst *before, uint32_t reg)
{
	struct mir_inst *i = insert_inst(frame, b, before, SASS_P2R);

	mir_set_operand(i, 0, phys_reg(reg));
	mir_set_operand(i, 2, phys_reg(SASS_RZ));
	mir_set_operand(i, 3, mir_imm(ALL_PREDICATES));
}

static void restore_predicates(struct frame *frame, uint32_t b, struct mir_inst *before,
			       uint32_t reg)
{
	struct mir_inst *i = insert_inst(frame, b, before, SASS_R2P);

	mir_set_operand(i, 1, phys_reg(reg));
	mir_set_operand(i, 2, mir_imm(ALL_PREDICATES));
}

static void save_registers(struct frame *frame, uint32_t b, struct mir_inst *first)
{
	uint32_t scratch = mir_scratch_reg(frame->f);

	move_registers(frame, b, first, SASS_STL, frame->changed, frame->registers_at);
	if (saves_only_some(frame->f))
		return;
	save_predicates(frame, b, first, scratch);
	insert_access(frame, b, first, SASS_STL, scratch, frame->predicates_at);
}

static void restore_registers(struct frame *frame, uint32_t b)
{
	uint32_t scratch = mir_scratch_reg(frame->f);

	if (!saves_only_some(frame->f)) {
		insert_access(frame, b, NULL, SASS_LDL, scratch, frame->predicates_at);
		restore_predicates(frame, b, NULL, scratch);
	}
	move_registers(frame, b, NULL, SASS_LDL, frame->changed, frame->registers_at);
}

/* ---- saving registers around a call ---- */

static bool saves_predicates(const struct mir_inst *call)
{
	bool any = false;

	for (uint32_t n = 0; n < MIR_PREDS; n++)
		any |= bitset_has(call->saved, mir_resource(SASS_PRED, n));
	return any;
}

/* Predicates go through R20, which holds the return address only during the call. They are saved
 * above the registers. */
void nv_save_across_call(struct mir_func *f, uint32_t b, struct mir_inst *call)
{
	struct frame frame = {.f = f};

	if (!call->saved)
		return;
	move_registers(&frame, b, call, SASS_STL, call->saved, f->saved_at);
	if (!saves_predicates(call))
		return;
	save_predicates(&frame, b, call, MIR_RETURN);
	insert_access(&frame, b, call, SASS_STL, MIR_RETURN, f->saved_at + save_bytes(call->saved));
}

void nv_restore_after_call(struct mir_func *f, uint32_t b, struct mir_inst *call,
			   struct mir_inst *after)
{
	struct frame frame = {.f = f};

	if (!call->saved)
		return;
	if (saves_predicates(call)) {
		insert_access(&frame, b, after, SASS_LDL, MIR_RETURN,
			      f->saved_at + save_bytes(call->saved));
		restore_predicates(&frame, b, after, MIR_RETURN);
	}
	move_registers(&frame, b, after, SASS_LDL, call->saved, f->saved_at);
}

/* One save area serves all calls; nothing is laid out above it before it has its final size. */
void nv_layout_call_saves(struct mir_func *f)
{
	uint32_t most = 0;

	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			uint32_t bytes = i->saved ? save_bytes(i->saved) + 4 : 0;

			most = bytes > most ? bytes : most;
		}
	if (!most)
		return;
	if (!f->saved_at)
		f->saved_at = (f->frame_bytes + 15) / 16 * 16;
	if (f->saved_at + most > f->frame_bytes)
		f->frame_bytes = f->saved_at + most;
}

static void layout_saved_registers(struct frame *frame, uint32_t *at)
{
	uint32_t bytes;

	find_changed(frame);
	bytes = save_bytes(frame->changed);
	frame->predicates_at = *at;
	*at += saves_only_some(frame->f) ? 0 : 4;
	frame->registers_at = *at = bytes ? (*at + 15) / 16 * 16 : *at;
	*at += bytes;
}

/* A register that a preserve_all function does not use keeps the predicates, if it changes any; one
 * that callers with NVIDIA's calling convention need not preserve. */
static void find_predicates_register(struct frame *frame)
{
	bool used[256] = {[MIR_STACK] = true,
			  [MIR_STACK ^ 1] = true,
			  [MIR_RETURN] = true,
			  [MIR_RETURN + 1] = true};
	struct sass_reg_use uses[SASS_MAX_USES];
	bool changes = false, convention = frame->f->job->options.relocatable;
	uint32_t reg = 0;

	mir_for_each_block(frame->f, b)
		mir_for_each(frame->f, b, i) {
			uint32_t n = sass_uses(&i->sass, uses);

			for (uint32_t u = 0; u < n; u++) {
				changes |= uses[u].kind == SASS_PRED && uses[u].write;
				for (uint32_t k = 0; uses[u].kind == SASS_GPR && k < uses[u].count;
				     k++)
					used[uses[u].reg + k] = true;
			}
		}
	while (used[reg] || (convention && nv_abi_preserves(reg)))
		reg++;
	frame->predicates_in = changes ? reg : 0;
}

/* ---- ordinary functions ---- */

#define LUT_AND       0xc0 /* a & b */
#define COPY_REGISTER 3    /* R3 holds nothing when a function of an object starts */

/* Aligns R1, and copies parameters on the stack to the function's own call slots. */
static void enter_aligned_frame(struct frame *frame, struct mir_inst *first)
{
	uint32_t scratch = mir_scratch_reg(frame->f), b = frame->f->entry;
	struct mir_inst *i;

	insert_move(frame, b, first, scratch, MIR_STACK);
	adjust_stack_pointer(frame, b, first, 0u - frame->bytes);
	i = insert_inst(frame, b, first, SASS_LOP3);
	mir_set_operand(i, 1, phys_reg(MIR_STACK));
	mir_set_operand(i, 2, phys_reg(MIR_STACK));
	mir_set_operand(i, 3, mir_imm(~15u));
	mir_set_operand(i, 4, phys_reg(SASS_RZ));
	mir_set_operand(i, 5, mir_imm(LUT_AND));
	insert_access(frame, b, first, SASS_STL, scratch, frame->old_stack_at);
	for (uint32_t at = 0; at < frame->abi->stack_bytes; at += 4) {
		insert_access_from(frame, b, first, SASS_LDL, COPY_REGISTER, scratch, at);
		insert_access(frame, b, first, SASS_STL, COPY_REGISTER, frame->call_slots_at + at);
	}
}

/* For sm_70 ptxas begins kernels and functions with a SHFL that no lane executes; why is not
 * documented. */
static void insert_no_shuffle(struct frame *frame, struct mir_inst *first)
{
	struct mir_inst *i = insert_inst(frame, frame->f->entry, first, SASS_SHFL);

	mir_set_operand(i, 0, mir_pred_const(true));
	for (uint32_t k = 1; k < 5; k++)
		mir_set_operand(i, k, phys_reg(SASS_RZ));
	i->sass.guard_not = true;
}

static void insert_prologue(struct frame *frame)
{
	struct mir_func *f = frame->f;
	struct mir_inst *first = f->blocks[f->entry].first, *i;

	if (f->ir->kind != IR_FUNCTION && f->stack) {
		i = insert_inst(frame, f->entry, first, SASS_MOV);
		mir_set_operand(i, 0, phys_reg(MIR_STACK));
		mir_set_operand(i, 1,
				(struct mir_source){.op = {.kind = SASS_CONST,
							   .reg = SASS_RZ,
							   .value = NV_BANK0_STACK}});
	}
	if (frame->f->aligned_frame)
		enter_aligned_frame(frame, first);
	else
		adjust_stack_pointer(frame, f->entry, first, 0u - frame->bytes);
	if (f->has_alloca)
		insert_access(frame, f->entry, first, SASS_STL, MIR_STACK, f->dynamic_end_at);
	if (f->ir->kind != IR_FUNCTION)
		return;
	if (frame->predicates_in)
		save_predicates(frame, f->entry, first, frame->predicates_in);
	if (f->exported)
		save_registers(frame, f->entry, first);
	if (f->exported)
		move_arguments(frame, f->entry, first, SASS_STL, frame->abi, frame->call_slots_at,
			       frame->passed.args);
	if (f->exported && frame->abi->result_in_memory)
		insert_access(frame, f->entry, first, SASS_STL, RESULT_ADDRESS,
			      result_address_at(frame->abi, frame->call_slots_at));
	if (f->calls && !f->exported)
		insert_access(frame, f->entry, first, SASS_STL, MIR_RETURN, frame->return_at);
	save_barriers(frame, f->entry, first);
}

static void insert_epilogue(struct frame *frame, uint32_t b)
{
	struct mir_inst *i;

	restore_barriers(frame, b);
	if (frame->f->calls && !frame->f->exported)
		insert_access(frame, b, NULL, SASS_LDL, MIR_RETURN, frame->return_at);
	if (frame->predicates_in)
		restore_predicates(frame, b, NULL, frame->predicates_in);
	if (frame->f->exported)
		restore_registers(frame, b);
	if (frame->f->exported)
		move_results(frame, b, NULL, SASS_LDL, frame->abi, frame->call_slots_at,
			     frame->passed.results);
	if (frame->f->exported && frame->abi->result_in_memory)
		copy_result_to_memory(frame, b, frame->abi, frame->call_slots_at);
	if (frame->f->aligned_frame)
		insert_access(frame, b, NULL, SASS_LDL, MIR_STACK, frame->old_stack_at);
	else
		adjust_stack_pointer(frame, b, NULL, frame->bytes);
	i = insert_inst(frame, b, NULL, frame->f->exported ? SASS_RET_ABS : SASS_RET_REL);
	mir_set_operand(i, 1, phys_reg(MIR_RETURN));
	mir_set_operand(i, 2, (struct mir_source){.op = {.kind = SASS_TARGET}});
	i->sass.mod[SASS_M_NODEC] = 1;
	i->terminator = true;
}

/* ---- calls of functions with alloca ---- */

static uint32_t call_slots_size(const struct frame *frame)
{
	return (frame->f->call_bytes + 15) / 16 * 16;
}

/* Through R20, which is about to receive the return address, or no longer needs it. */
static void copy_call_slots(struct frame *frame, uint32_t b, struct mir_inst *before, uint32_t to,
			    uint32_t from)
{
	for (uint32_t at = 0; at < frame->f->call_bytes; at += 4) {
		insert_access_from(frame, b, before, SASS_LDL, MIR_RETURN, from, at);
		insert_access_from(frame, b, before, SASS_STL, MIR_RETURN, to, at);
	}
}

/* Moves R1 to the end of the dynamic stack, with room for the call slots. */
static void enter_dynamic_stack(struct frame *frame, uint32_t b, struct mir_inst *the_call,
				bool in_memory)
{
	uint32_t scratch = mir_scratch_reg(frame->f);
	struct mir_inst *i;

	if (!frame->f->has_alloca)
		return;
	insert_access(frame, b, the_call, SASS_LDL, scratch, frame->f->dynamic_end_at);
	i = insert_inst(frame, b, the_call, SASS_IADD3);
	mir_set_operand(i, 0, phys_reg(scratch));
	mir_set_operand(i, 3, phys_reg(scratch));
	mir_set_operand(i, 4, mir_imm(0u - call_slots_size(frame) - 16));
	mir_set_operand(i, 5, phys_reg(SASS_RZ));
	if (in_memory)
		copy_call_slots(frame, b, the_call, scratch, MIR_STACK);
	insert_access_from(frame, b, the_call, SASS_STL, MIR_STACK, scratch,
			   call_slots_size(frame));
	insert_move(frame, b, the_call, MIR_STACK, scratch);
}

static void leave_dynamic_stack(struct frame *frame, uint32_t b, struct mir_inst *after,
				bool in_memory)
{
	uint32_t scratch = mir_scratch_reg(frame->f);

	if (!frame->f->has_alloca)
		return;
	insert_access(frame, b, after, SASS_LDL, scratch, call_slots_size(frame));
	if (in_memory)
		copy_call_slots(frame, b, after, scratch, MIR_STACK);
	insert_move(frame, b, after, MIR_STACK, scratch);
}

static void lower_call(struct frame *frame, uint32_t b, struct mir_inst *before)
{
	struct mir_inst *i;

	enter_dynamic_stack(frame, b, before, true);
	leave_dynamic_stack(frame, b, before->next, true);
	i = insert_inst(frame, b, before, SASS_MOV);
	mir_set_operand(i, 0, phys_reg(MIR_RETURN));
	mir_set_operand(i, 1, mir_imm(0));
	i->return_address = true;
	i = insert_inst(frame, b, before, SASS_MOV);
	mir_set_operand(i, 0, phys_reg(MIR_RETURN + 1));
	mir_set_operand(i, 1, phys_reg(SASS_RZ));
}

/* An absolute address: the callee is in other code. */
static void set_absolute_return(struct frame *frame, uint32_t b, struct mir_inst *before)
{
	struct mir_inst *i;

	if (frame->f->sm >= 90) {
		i = insert_inst(frame, b, before, SASS_LEPC_TARGET);
		mir_set_operand(i, 0, phys_reg(MIR_RETURN));
		mir_set_operand(i, 1, (struct mir_source){.op = {.kind = SASS_TARGET}});
		i->return_address = true;
		return;
	}
	i = insert_inst(frame, b, before, SASS_LEPC);
	mir_set_operand(i, 0, phys_reg(MIR_RETURN));
	i = insert_inst(frame, b, before, SASS_IADD3);
	mir_set_operand(i, 0, phys_reg(MIR_RETURN));
	mir_set_operand(i, 1, (struct mir_source){.op = {.kind = SASS_PRED, .reg = 0}});
	mir_set_operand(i, 3, phys_reg(MIR_RETURN));
	mir_set_operand(i, 4, mir_imm(0));
	mir_set_operand(i, 5, phys_reg(SASS_RZ));
	i->return_address = true;
	i = insert_inst(frame, b, before, SASS_IADD3);
	mir_set_operand(i, 0, phys_reg(MIR_RETURN + 1));
	mir_set_operand(i, 3, phys_reg(MIR_RETURN + 1));
	mir_set_operand(i, 4, phys_reg(SASS_RZ));
	mir_set_operand(i, 5, phys_reg(SASS_RZ));
	mir_set_operand(i, 6, (struct mir_source){.op = {.kind = SASS_PRED, .reg = 0}});
	mir_set_operand(i, 7, mir_pred_const(false));
	i->sass.mod[SASS_M_X] = 1;
}

/* Loads the address of a device service from the bank of addresses. */
static void load_service(struct frame *frame, uint32_t b, struct mir_inst *the_call)
{
	for (uint32_t half = 0; half < 2; half++) {
		struct mir_source from = {.op = {.kind = SASS_CONST,
						 .reg = SASS_RZ,
						 .aux = NV_ADDRESS_BANK,
						 .value = the_call->service_offset + 4 * half}};
		struct mir_inst *i = insert_inst(frame, b, the_call, SASS_MOV);

		mir_set_operand(i, 0, phys_reg(MIR_CALLEE + half));
		mir_set_operand(i, 1, from);
	}
}

static void lower_absolute_call(struct frame *frame, uint32_t b, struct mir_inst *the_call)
{
	struct nv_abi *abi = arena_alloc(frame->f->arena, sizeof(*abi));
	const struct ir_func *callee = frame->f->ir->module->table[the_call->abi - 1];
	struct nv_passed passed = nv_passed_by_call(the_call->known, callee);
	struct mir_inst *i, *after = the_call->next;

	nv_abi_of(callee, abi);
	nv_save_across_call(frame->f, b, the_call);
	if (the_call->service)
		load_service(frame, b, the_call);
	else if (!the_call->indirect)
		the_call->function = the_call->abi;
	move_arguments(frame, b, the_call, SASS_LDL, abi, 0, passed.args);
	if (abi->result_in_memory) {
		i = insert_inst(frame, b, the_call, SASS_IADD3);
		mir_set_operand(i, 0, phys_reg(RESULT_ADDRESS));
		mir_set_operand(i, 3, phys_reg(MIR_STACK));
		mir_set_operand(i, 4, mir_imm(abi->results_at));
		mir_set_operand(i, 5, phys_reg(SASS_RZ));
	}
	enter_dynamic_stack(frame, b, the_call, abi->stack_bytes != 0);
	leave_dynamic_stack(frame, b, after, false);
	set_absolute_return(frame, b, the_call);
	move_results(frame, b, after, SASS_STL, abi, 0, passed.results);
	nv_restore_after_call(frame->f, b, the_call, after);
	if (the_call->known) /* in an object */
		return;
	i = insert_inst(frame, b, after, SASS_MOV); /* functions expect R21 to be 0 */
	mir_set_operand(i, 0, phys_reg(MIR_RETURN + 1));
	mir_set_operand(i, 1, phys_reg(SASS_RZ));
}

/* Mask of the convergence barriers that a function and its callees change. Callees without known
 * callers preserve them, except those of other code. */
static uint32_t changed_barriers(const struct mir_func *f)
{
	uint32_t changed = 0;

	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			if (i->sass.op == SASS_BSSY)
				changed |= 1u << i->sass.ops[0].reg;
			if (i->known)
				changed |= i->known->barriers;
			if (i->abi && !i->service && !f->exported)
				changed |= (1u << MIR_SAVED_BARRIER) - 1;
		}
	return changed;
}

#define MIN_STACK_ALIGN 8

/* The function has variables or memory accesses aligned to more than MIN_STACK_ALIGN on its stack,
 * or a callee in its own section may have. */
static bool needs_aligned_frame(const struct mir_func *f)
{
	if (f->has_alloca || f->local_align > MIN_STACK_ALIGN)
		return true;
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			if (i->memory.bytes > MIN_STACK_ALIGN &&
			    (i->sass.op == SASS_LDL || i->sass.op == SASS_STL))
				return true;
			if (i->known && !i->known->abi && i->known->uses_stack)
				return true;
		}
	return false;
}

/* Some argument or result of an exported function is no operand. */
static bool has_call_slots(const struct frame *frame)
{
	return frame->passed.args < frame->abi->nargs ||
	       frame->passed.results < frame->abi->nresults;
}

static void layout_frame(struct frame *frame)
{
	struct mir_func *f = frame->f;
	uint32_t at = (f->frame_bytes + 3) / 4 * 4;

	if (f->ir->kind == IR_FUNCTION) {
		frame->barriers = f->own && !f->own->abi ? 0 : changed_barriers(f);
		if (saves_only_some(f))
			frame->barriers &= ~0u << MIR_SAVED_BARRIER;
		frame->return_at = at;
		at += f->calls && !f->exported ? 4 : 0;
		frame->barriers_at = at;
		at += 4 * (uint32_t)__builtin_popcount(frame->barriers);
	}
	if (f->exported)
		layout_saved_registers(frame, &at);
	if (f->exported) {
		uint32_t bytes = has_call_slots(frame) ? frame->abi->bytes : 0;

		frame->call_slots_at = bytes ? (at + 7) / 8 * 8 : at;
		at = frame->call_slots_at + bytes;
		frame->old_stack_at = at;
		at += frame->f->aligned_frame ? 4 : 0;
	}
	frame->bytes = (at + 15) / 16 * 16;
	f->frame_bytes = frame->bytes + (frame->f->aligned_frame ? MIN_STACK_ALIGN : 0);
}

/* Frame offset of the call slots that an address refers to: those of an exported function are in
 * its own frame, except for parameters on the stack. */
static uint32_t incoming_base(const struct frame *frame, int64_t offset)
{
	bool own = frame->abi && (frame->f->aligned_frame || offset >= frame->abi->stack_bytes);

	return own ? frame->call_slots_at : frame->bytes;
}

void nv_lower_frame(struct mir_func *f)
{
	struct frame frame = {.f = f};

	if (f->sm < 75)
		insert_no_shuffle(&frame, f->blocks[f->entry].first);
	if (!f->stack && !f->calls)
		return;
	nv_lower_passed(f);
	nv_find_call_saves(f);
	nv_layout_call_saves(f);
	if (f->exported) {
		frame.abi = arena_alloc(f->arena, sizeof(*frame.abi));
		nv_abi_of(f->ir, frame.abi);
		frame.passed = nv_passed_by_function(f->own, f->ir);
	}
	f->aligned_frame = f->exported && needs_aligned_frame(f);
	layout_frame(&frame);
	if (f->ir->preserve_all)
		find_predicates_register(&frame);
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			for (uint32_t k = 0; i->incoming_arg && k < i->sass.nops; k++) {
				struct sass_operand *o = &i->sass.ops[k];

				if (o->kind == SASS_ADDR)
					o->value += incoming_base(&frame, o->value);
			}
			if (i->abi)
				lower_absolute_call(&frame, b, i);
			else if (mir_is_call(i))
				lower_call(&frame, b, i);
		}
	mir_for_each_block(f, b)
		if (f->blocks[b].end == MIR_END_RETURN)
			insert_epilogue(&frame, b);
	insert_prologue(&frame);
}
