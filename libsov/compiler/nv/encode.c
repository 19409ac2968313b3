// SPDX-License-Identifier: MIT
/*
 * Encoding: lays out a kernel and its functions in one section, resolves branch and call targets,
 * and encodes the instructions. As ptxas does, a branch to itself that nothing reaches follows the
 * last instruction, then NOPs up to a multiple of 128 bytes, since the hardware prefetches.
 */
#include <string.h>
#include "hw/nv/bank0.h"
#include "hw/nv/cubin.h"
#include "libsov/compiler/image/cubin_write.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

#define INST_BYTES 16 /* bytes of an instruction */

struct code {
	const struct nv_text *t;
	struct mir_func *f; /* function being encoded */
	uint8_t *bytes;
	uint32_t *block_offset;         /* of its blocks */
	uint32_t *function_offset;      /* by index in the module */
	uint32_t registers, predicates; /* registers: count; predicates: mask */
	struct names {
		const char **name;
		uint32_t count, capacity;
	} callees, prototypes; /* of absolute calls */
	struct cubin_code_address *addresses;
	uint32_t naddresses, addresses_capacity;
};

uint32_t nv_function_bytes(const struct mir_func *f)
{
	uint32_t count = 0;

	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			count++;
	return count * INST_BYTES;
}

static uint32_t layout_code(struct code *c, uint32_t offset)
{
	struct mir_func *f = c->f;

	c->block_offset = arena_array(f->arena, f->nblocks, sizeof(*c->block_offset));
	mir_for_each_block(f, b) {
		c->block_offset[b] = offset;
		mir_for_each(f, b, i) {
			i->offset = offset;
			offset += INST_BYTES;
		}
	}
	return offset;
}

static bool encode_inst(struct code *c, uint32_t offset, const struct sass_inst *in)
{
	struct sass_word word;
	const char *why = NULL;

	if (!sass_encode(c->f->sm, in, &word, &why)) {
		diag_fault(&c->f->job->diag, 0, 0,
			   "kernel '%s': %s at 0x%x has no encoding for sm_%u (%s): a fault of the "
			   "compiler",
			   c->f->name, sass_op_name(in->op), offset, c->f->sm, why ? why : "?");
		return false;
	}
	for (uint32_t k = 0; k < 8; k++) {
		c->bytes[offset + k] = (uint8_t)(word.lo >> 8 * k);
		c->bytes[offset + 8 + k] = (uint8_t)(word.hi >> 8 * k);
	}
	return true;
}

static void count_registers(struct code *c, const struct sass_inst *in)
{
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t n = sass_uses(in, uses);

	for (uint32_t u = 0; u < n; u++) {
		uint32_t end = uses[u].reg + uses[u].count;

		if (uses[u].kind == SASS_GPR && end > c->registers)
			c->registers = end;
		if (uses[u].kind == SASS_PRED)
			c->predicates |= 1u << uses[u].reg;
	}
}

/* Target of a branch or call; addresses in registers are offsets from the first byte. */
static uint32_t target_of(const struct code *c, const struct mir_inst *i)
{
	if (i->callee)
		return c->function_offset[i->callee - 1];
	return mir_leaves_function(i) ? 0 : c->block_offset[i->target];
}

static uint32_t return_offset(const struct mir_inst *i)
{
	while (!mir_is_call(i))
		i = i->next;
	return i->offset + INST_BYTES;
}

/* Return address: an offset from the first byte of the kernel's code; for absolute calls
 * relative to the instruction after LEPC, before sm_90 to LEPC itself. */
static int64_t return_distance(const struct mir_inst *i)
{
	int64_t from = 0;

	if (i->sass.op == SASS_LEPC_TARGET)
		from = i->offset + INST_BYTES;
	for (const struct mir_inst *k = i; i->sass.op == SASS_IADD3 && !from; k = k->prev) {
		if (k->sass.op == SASS_LEPC)
			from = k->offset;
	}
	return (int64_t)return_offset(i) - from;
}

static bool is_absolute(const struct mir_inst *i)
{
	return i->sass.op == SASS_CALL_ABS || i->sass.op == SASS_CALL_ABS_REG ||
	       i->sass.op == SASS_RET_ABS;
}

static void add_relocation(struct code *c, struct cubin_code_address a)
{
	c->addresses = arena_grow(c->f->arena, c->addresses, &c->addresses_capacity,
				  c->naddresses + 1, sizeof(*c->addresses));
	c->addresses[c->naddresses++] = a;
}

static void add_code_address(struct code *c, const struct mir_inst *i)
{
	const struct ir_module *m = c->f->ir->module;
	const struct ir_symbol *symbol = i->variable ? &m->symbols[i->variable - 1] : NULL;
	struct cubin_code_address a = {
		.offset = i->offset,
		.addend = i->addend,
		.high = i->high,
		.relocation = i->high ? NV_R_CODE_HIGH : NV_R_CODE_LOW,
	};

	if (symbol) {
		a.variable = c->t->variable_of[i->variable - 1];
		a.symbol = symbol->name;
		if (symbol->space != IR_GLOBAL)
			a.relocation =
				symbol->space == IR_SHARED ? NV_R_CODE_SHARED : NV_R_CODE_CONST;
	} else {
		a.symbol = m->table[i->function - 1]->name;
		if (mir_is_call(i))
			a.relocation = c->f->sm >= 90 ? NV_R_CALL_SM90 : NV_R_CALL;
		else if (ir_is_kernel(m->table[i->function - 1]))
			a.relocation = i->high ? NV_R_KERNEL_HIGH : NV_R_KERNEL_LOW;
	}
	add_relocation(c, a);
}

/* The linker knows calls by the call graph, not by the code. */
static void list_callee(struct code *c, const struct mir_inst *i)
{
	const struct ir_func *callee = c->f->ir->module->table[i->abi - 1];
	struct names *list = i->indirect ? &c->prototypes : &c->callees;

	list->name = arena_grow(c->f->arena, list->name, &list->capacity, list->count + 1,
				sizeof(*list->name));
	list->name[list->count++] = i->indirect ? nv_prototype(c->f->arena, callee) : callee->name;
}
static bool encode_block(struct code *c, uint32_t b)
{
	mir_for_each(c->f, b, i) {
		for (uint32_t k = 0; k < i->sass.nops; k++) {
			struct sass_operand *o = &i->sass.ops[k];

			if (o->kind == SASS_TARGET && is_absolute(i))
				o->value = 0;
			else if (i->return_address &&
				 (o->kind == SASS_TARGET || o->kind == SASS_IMM))
				o->value = return_distance(i);
			else if (o->kind == SASS_TARGET)
				o->value = (int64_t)target_of(c, i) -
					   (int64_t)(i->offset + INST_BYTES);
			else if (o->kind == SASS_IMM && i->callee)
				o->value = c->function_offset[i->callee - 1];
		}
		if (!encode_inst(c, i->offset, &i->sass))
			return false;
		count_registers(c, &i->sass);
		if (i->variable || i->function)
			add_code_address(c, i);
		if (i->abi && !i->service)
			list_callee(c, i);
	}
	return true;
}

static bool encode_padding(struct code *c, uint32_t offset, uint32_t size)
{
	struct sass_inst in;

	sass_init(&in, SASS_BRA);
	in.nops = 2;
	in.yield = true;
	in.ops[1] = (struct sass_operand){.kind = SASS_TARGET, .value = -INST_BYTES};
	if (!encode_inst(c, offset, &in))
		return false;
	sass_init(&in, SASS_NOP);
	in.yield = true;
	for (offset += INST_BYTES; offset < size; offset += INST_BYTES) {
		if (!encode_inst(c, offset, &in))
			return false;
	}
	return true;
}

struct words {
	uint32_t *list, count, capacity;
};

static void append_word(const struct mir_func *f, struct words *w, uint32_t word)
{
	w->list = arena_grow(f->arena, w->list, &w->capacity, w->count + 1, sizeof(*w->list));
	w->list[w->count++] = word;
}

/* Control flow that cannot be read off the code, for the image's attributes. */
struct flow {
	struct words exits, branches;
};

/* Returns false if a slot of the table is not at the offset that the BRX reaches. */
static bool list_jump_table(const struct code *c, uint32_t b, uint32_t offset, struct words *out)
{
	const struct mir_block *block = &c->f->blocks[b];

	append_word(c->f, out, offset);
	append_word(c->f, out, 0);
	append_word(c->f, out, block->nsucc);
	for (uint32_t k = 0; k < block->nsucc; k++) {
		append_word(c->f, out, c->block_offset[block->succ[k]]);
		if (c->block_offset[block->succ[k]] == offset + (1 + k) * INST_BYTES)
			continue;
		diag_fault(
			&c->f->job->diag, 0, 0,
			"kernel '%s': slot %u of the jump table at 0x%x is at the wrong offset: a "
			"fault of the compiler",
			c->f->name, k, offset);
		return false;
	}
	return true;
}

static bool list_flow(const struct code *c, struct flow *flow)
{
	mir_for_each_block(c->f, b)
		mir_for_each(c->f, b, i) {
			if (i->sass.op == SASS_EXIT)
				append_word(c->f, &flow->exits, i->offset);
			else if (i->sass.op == SASS_BRX &&
				 !list_jump_table(c, b, i->offset, &flow->branches))
				return false;
		}
	return true;
}

static void describe_kernel(struct code *c, const struct nv_text *t, struct cubin_kernel *out,
			    uint32_t size)
{
	const struct mir_func *f = t->kernel;
	struct cubin_param *params = arena_array(f->arena, f->ir->nparams + 1, sizeof(*params));
	uint32_t frame_bytes = f->frame_bytes;

	for (uint32_t p = 0; p < f->ir->nparams; p++)
		params[p] = (struct cubin_param){f->ir->params[p].offset, f->ir->params[p].size};
	/* The linker of an object adds the frames of functions in other sections only. */
	if (f->job->options.relocatable && t->stack_bytes != NV_STACK_UNKNOWN)
		frame_bytes = t->stack_bytes;
	*out = (struct cubin_kernel){
		.name = f->name,
		.code = c->bytes,
		.code_bytes = size,
		.registers =
			f->start_registers ? f->start_registers : c->registers + MIR_HARDWARE_GPRS,
		.barriers = f->barriers,
		.shared = f->shared,
		.shared_bytes = f->shared_bytes,
		.shared_align = f->shared_align,
		.frame_bytes = frame_bytes,
		.stack_bytes = t->stack_bytes,
		.param_base = NV_BANK0_PARAMS(f->sm, f->ir->param_bytes),
		.param_bytes = f->ir->param_bytes,
		.nparams = f->ir->nparams,
		.params = params,
		.externals = f->services,
		.addresses = c->addresses,
		.naddresses = c->naddresses,
		.function = f->ir->kind == IR_FUNCTION,
		.linkage = f->ir->linkage,
		.callees = c->callees.name,
		.ncallees = c->callees.count,
		.prototypes = c->prototypes.name,
		.nprototypes = c->prototypes.count,
	};
	memcpy(out->max_threads, f->ir->max_threads, sizeof(out->max_threads));
	memcpy(out->cluster, f->ir->cluster, sizeof(out->cluster));
	out->max_cluster = f->ir->max_cluster;
	out->explicit_cluster = f->ir->explicit_cluster;
	out->moves_registers = f->start_registers != 0;
	out->independent_samplers = f->ir->independent_samplers;
	memcpy(out->required_threads, f->ir->required_threads, sizeof(out->required_threads));
	for (uint32_t k = 0; k < t->nfuncs; k++) {
		const struct mir_func *other = t->funcs[k];

		out->shared |= other->shared;
		out->externals |= other->services;
		if (other->barriers > out->barriers)
			out->barriers = other->barriers;
		if (other->shared && other->shared_align > out->shared_align)
			out->shared_align = other->shared_align;
	}
}

static bool encode_function(struct code *c, struct mir_func *f, uint32_t offset, struct flow *flow)
{
	c->f = f;
	layout_code(c, offset);
	if (!list_flow(c, flow))
		return false;
	mir_for_each_block(f, b) {
		if (!encode_block(c, b))
			return false;
	}
	return true;
}

/* A branch over the functions to the kernel. */
static bool encode_entry_branch(struct code *c, uint32_t to)
{
	struct sass_inst in;

	sass_init(&in, SASS_BRA);
	in.nops = 2;
	in.stall = 5;
	in.ops[1] = (struct sass_operand){.kind = SASS_TARGET, .value = to - INST_BYTES};
	return encode_inst(c, 0, &in);
}

static uint32_t sum_stalls(const struct mir_func *f)
{
	uint32_t sum = 0;

	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			sum += i->sass.stall;
	return sum;
}

void nv_count_spills(const struct mir_func *f, struct kernel_stats *stats)
{
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			const struct sass_operand *at = &i->sass.ops[i->sass.op == SASS_LDL];
			bool access = i->sass.op == SASS_LDL || i->sass.op == SASS_STL;

			/* Call slots lie below the spilled registers. */
			if (!access || i->memory.space != MIR_SPILL_SPACE || i->incoming_arg ||
			    at->value < f->call_bytes)
				continue;
			if (i->sass.op == SASS_LDL)
				stats->spill_load_bytes += i->memory.bytes;
			else
				stats->spill_store_bytes += i->memory.bytes;
		}
	stats->frame_bytes = f->frame_bytes;
}

/* Assigns an offset to every function; returns the kernel's. */
static uint32_t layout_functions(struct code *c, const struct nv_text *t, uint32_t *end)
{
	uint32_t at = t->functions_first ? NV_FUNCTIONS_OFFSET : nv_function_bytes(t->kernel),
		 kernel = 0;

	c->function_offset = arena_array(t->kernel->arena, t->kernel->ir->module->nfuncs + 1,
					 sizeof(*c->function_offset));
	for (uint32_t k = 0; k < t->nfuncs; k++) {
		c->function_offset[t->funcs[k]->ir->index] = at;
		at += nv_function_bytes(t->funcs[k]);
	}
	if (t->functions_first) {
		kernel = at;
		at += nv_function_bytes(t->kernel);
	}
	*end = at;
	return kernel;
}

bool nv_encode(const struct nv_text *t, struct cubin_kernel *out, struct kernel_stats *stats)
{
	struct mir_func *f = t->kernel;
	uint32_t reserved = f->sm >= 90 ? NV_SM90_RESERVED_SHARED : 0; /* not the kernel's own */
	struct code c = {.t = t, .f = f};
	struct flow flow = {0};
	uint32_t end, size, kernel = layout_functions(&c, t, &end);

	size = (end + INST_BYTES + NV_TEXT_ALIGN - 1) / NV_TEXT_ALIGN * NV_TEXT_ALIGN;
	c.bytes = arena_alloc(f->arena, size);
	if (t->functions_first && !encode_entry_branch(&c, kernel))
		return false;
	for (uint32_t k = 0; k < t->nfuncs; k++) {
		struct mir_func *other = t->funcs[k];

		if (!encode_function(&c, other, c.function_offset[other->ir->index], &flow))
			return false;
	}
	if (!encode_function(&c, f, kernel, &flow) || !encode_padding(&c, end, size))
		return false;
	describe_kernel(&c, t, out, size);
	out->exits = flow.exits.list;
	out->nexits = flow.exits.count;
	out->branches = flow.branches.list;
	out->nbranches = flow.branches.count;
	*stats = (struct kernel_stats){
		.name = f->name,
		.instructions = end / INST_BYTES,
		.registers = out->registers,
		.predicates = (uint32_t)__builtin_popcount(c.predicates),
		.shared_bytes = out->shared ? f->shared_bytes - reserved : 0,
		.stack_bytes = out->stack_bytes,
		.code_bytes = size,
		.static_cycles = sum_stalls(f),
		.barriers = out->barriers,
		.function = out->function,
	};
	nv_count_spills(f, stats);
	return true;
}
