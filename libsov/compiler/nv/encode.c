// SPDX-License-Identifier: MIT
/*
 * The last step of a kernel: instructions get their places, jumps their distances, and all of it
 * becomes words. What follows the last instruction is what ptxas puts there: a jump to itself that
 * nothing reaches, then NOPs up to a multiple of 128 bytes, since the hardware fetches ahead.
 */
#include <string.h>
#include "hw/nv/bank0.h"
#include "hw/nv/cubin.h"
#include "libsov/compiler/cubin.h"
#include "libsov/compiler/nv/mir.h"

#define WORD 16 /* bytes of an instruction */

struct code {
	struct mir_func *f;
	uint8_t *bytes;
	uint32_t *block_offset;
	uint32_t registers, predicates; /* mask */
};

static uint32_t place(struct code *c)
{
	struct mir_func *f = c->f;
	uint32_t offset = 0;

	mir_for_each_block(f, b) {
		c->block_offset[b] = offset;
		mir_for_each(f, b, i) {
			i->offset = offset;
			offset += WORD;
		}
	}
	return offset;
}

static bool put(struct code *c, uint32_t offset, const struct sass_inst *in)
{
	struct sass_word word;
	const char *why = NULL;

	if (!sass_encode(c->f->sm, in, &word, &why)) {
		diag_error(&c->f->job->diag, 0, 0,
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

static void note_registers(struct code *c, const struct sass_inst *in)
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

static bool put_block(struct code *c, uint32_t b)
{
	mir_for_each(c->f, b, i) {
		for (uint32_t k = 0; k < i->sass.nops; k++) {
			if (i->sass.ops[k].kind == SASS_TARGET)
				i->sass.ops[k].value = (int64_t)c->block_offset[i->target] -
						       (int64_t)(i->offset + WORD);
		}
		if (!put(c, i->offset, &i->sass))
			return false;
		note_registers(c, &i->sass);
	}
	return true;
}

static bool put_end(struct code *c, uint32_t offset, uint32_t size)
{
	struct sass_inst in;

	sass_init(&in, SASS_BRA);
	in.nops = 2;
	in.yield = true;
	in.ops[1] = (struct sass_operand){.kind = SASS_TARGET, .value = -WORD};
	if (!put(c, offset, &in))
		return false;
	sass_init(&in, SASS_NOP);
	in.yield = true;
	for (offset += WORD; offset < size; offset += WORD) {
		if (!put(c, offset, &in))
			return false;
	}
	return true;
}

static void list_exits(struct code *c, struct cubin_kernel *out)
{
	struct mir_func *f = c->f;
	uint32_t capacity = 0;
	uint32_t *exits = NULL;

	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			if (i->sass.op != SASS_EXIT)
				continue;
			exits = arena_grow(f->arena, exits, &capacity, out->nexits + 1,
					   sizeof(*exits));
			exits[out->nexits++] = i->offset;
		}
	out->exits = exits;
}

static void describe(struct code *c, struct cubin_kernel *out, uint32_t size)
{
	const struct mir_func *f = c->f;
	struct cubin_param *params = arena_array(f->arena, f->ir->nparams + 1, sizeof(*params));

	for (uint32_t p = 0; p < f->ir->nparams; p++)
		params[p] = (struct cubin_param){f->ir->params[p].offset, f->ir->params[p].size};
	*out = (struct cubin_kernel){
		.name = f->name,
		.code = c->bytes,
		.code_bytes = size,
		.registers = c->registers + 2, /* the hardware keeps two */
		.barriers = f->barriers,
		.shared = f->shared,
		.shared_bytes = f->shared_bytes,
		.shared_align = f->shared_align,
		.stack_bytes = (f->frame_bytes + 15) / 16 * 16,
		.param_base = f->sm >= 90 ? NV_BANK0_SM90_PARAMS : NV_BANK0_SM80_PARAMS,
		.param_bytes = f->ir->param_bytes,
		.nparams = f->ir->nparams,
		.params = params,
	};
	memcpy(out->max_threads, f->ir->max_threads, sizeof(out->max_threads));
	memcpy(out->required_threads, f->ir->required_threads, sizeof(out->required_threads));
	list_exits(c, out);
}

static uint32_t sum_stalls(const struct mir_func *f)
{
	uint32_t sum = 0;

	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			sum += i->sass.stall;
	return sum;
}

bool nv_encode(struct mir_func *f, struct cubin_kernel *out, struct kernel_stats *stats)
{
	struct code c = {.f = f};
	uint32_t end, size;

	c.block_offset = arena_array(f->arena, f->nblocks, sizeof(*c.block_offset));
	end = place(&c);
	size = (end + WORD + NV_TEXT_ALIGN - 1) / NV_TEXT_ALIGN * NV_TEXT_ALIGN;
	c.bytes = arena_alloc(f->arena, size);
	mir_for_each_block(f, b) {
		if (!put_block(&c, b))
			return false;
	}
	if (!put_end(&c, end, size))
		return false;
	describe(&c, out, size);
	*stats = (struct kernel_stats){
		.name = f->name,
		.instructions = end / WORD,
		.registers = out->registers,
		.predicates = (uint32_t)__builtin_popcount(c.predicates),
		.shared_bytes = f->shared ? f->shared_bytes : 0,
		.stack_bytes = out->stack_bytes,
		.code_bytes = size,
		.static_cycles = sum_stalls(f),
	};
	return true;
}
