// SPDX-License-Identifier: MIT
/*
 * NVIDIA's calling convention, for functions in other code: device services, and all functions of
 * relocatable objects. Learnt from the code of ptxas 12.4 and 13.0 for sm_90 (-c, nvdisasm):
 *
 * Parameters are in R4 to R15. Each takes the lowest free registers that are consecutive and
 * aligned to its alignment, so that a later, smaller one may fill a gap; f(int, double, int) takes
 * R4, R6 and R7, R5. A parameter that does not fit is on the stack as a whole, from the caller's R1
 * up. The result is in R4 and up, or, if it has more than 12 words, in local memory whose address
 * the caller passes in R4 before the parameters. R20 and R21 hold the absolute return address. The
 * callee preserves R1, R2, R16 to R31, of each eight registers from R32 on the last four, and the
 * convergence barriers from B6 on; it may change all predicates.
 *
 * In objects, register allocation knows the registers of the first parameters and results
 * (call_registers.c). The others, and all of device services, are in call slots (select_call.c) on
 * both sides: those on the stack where they are passed, at the bottom of the slots, then one word
 * for each register from R4 on, then the result.
 *
 * The callee may change the uniform registers that ptxas uses first, and preserves some others
 * (UR36 and up were seen to survive a call). Our callers keep nothing in uniform registers across a
 * call, and our callees change none.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

#define FIRST_REGISTER   4
#define REGISTERS        12
#define SAVED_FIRST      16 /* preserved: all of R16 to R31, */
#define SAVED_SPARSE     32 /* then R36 to R39, R44 to R47, ... */
#define SAVED_SPARSE_BIT 4

static uint32_t words_of(uint8_t type)
{
	return type == IR_B64 ? 2 : 1;
}

static uint32_t align_up(uint32_t at, uint32_t align)
{
	return (at + align - 1) / align * align;
}

/* Number of values that a parameter consists of, and its words. */
static uint32_t group_size(const uint8_t *types, const uint8_t *aligns, uint32_t count, uint32_t k,
			   uint32_t *words)
{
	uint32_t n = 1;

	*words = words_of(types[k]);
	for (; aligns && k + n < count && !aligns[k + n]; n++)
		*words += words_of(types[k + n]);
	return n;
}

static uint32_t group_align(const uint8_t *types, const uint8_t *aligns, uint32_t k)
{
	uint32_t align = aligns ? aligns[k] / 4u : words_of(types[k]);

	return align ? align : 1;
}

/* The lowest free run of registers, from 0; REGISTERS: none. */
static uint32_t find_registers(uint32_t used, uint32_t words, uint32_t align)
{
	for (uint32_t at = 0; at + words <= REGISTERS; at += align) {
		if (!(used & ((1u << words) - 1) << at))
			return at;
	}
	return REGISTERS;
}

static void place_group(struct nv_abi_value *out, const uint8_t *types, uint32_t n, bool on_stack,
			uint32_t word)
{
	for (uint32_t k = 0; k < n; k++) {
		out[k] = (struct nv_abi_value){types[k], on_stack,
					       (uint8_t)(on_stack ? 0 : FIRST_REGISTER + word),
					       4 * word};
		word += words_of(types[k]);
	}
}

static void place_arguments(const struct ir_func *f, struct nv_abi *abi, uint32_t used)
{
	uint32_t stack = 0, words, n;

	for (uint32_t k = 0; k < f->nargs; k += n) {
		uint32_t align = group_align(f->arg_types, f->arg_aligns, k), at;

		n = group_size(f->arg_types, f->arg_aligns, f->nargs, k, &words);
		at = words <= REGISTERS ? find_registers(used, words, align) : REGISTERS;
		if (at < REGISTERS) {
			used |= ((1u << words) - 1) << at;
			place_group(&abi->args[k], f->arg_types + k, n, false, at);
		} else {
			stack = align_up(stack, align);
			place_group(&abi->args[k], f->arg_types + k, n, true, stack);
			stack += words;
		}
	}
	abi->stack_bytes = align_up(4 * stack, 8);
	for (uint32_t k = 0; k < f->nargs; k++)
		if (!abi->args[k].on_stack)
			abi->args[k].slot += abi->stack_bytes;
}

/* Registers from R4 to the last that carries a parameter or the result's address. */
static uint32_t count_registers(const struct nv_abi *abi)
{
	uint32_t count = abi->result_in_memory;

	for (uint32_t k = 0; k < abi->nargs; k++) {
		uint32_t end = abi->args[k].reg + words_of(abi->args[k].type);

		if (!abi->args[k].on_stack && end - FIRST_REGISTER > count)
			count = end - FIRST_REGISTER;
	}
	return count;
}

void nv_abi_of(const struct ir_func *f, struct nv_abi *abi)
{
	uint32_t words = 0;

	*abi = (struct nv_abi){.nargs = f->nargs, .nresults = f->nresults};
	for (uint32_t k = 0; k < f->nresults; k++)
		words += words_of(f->result_types[k]);
	abi->result_in_memory = words > REGISTERS;
	place_arguments(f, abi, abi->result_in_memory);
	abi->results_at = abi->stack_bytes + align_up(4 * count_registers(abi), 8);
	place_group(abi->results, f->result_types, f->nresults, abi->result_in_memory, 0);
	for (uint32_t k = 0; k < f->nresults; k++)
		abi->results[k].slot += abi->results_at;
	abi->result_bytes = 4 * words;
	abi->bytes = abi->results_at + abi->result_bytes;
}

bool nv_abi_preserves(uint32_t number)
{
	return number == 1 || number == 2 || (number >= SAVED_FIRST && number < SAVED_SPARSE) ||
	       (number >= SAVED_SPARSE && number & SAVED_SPARSE_BIT);
}

static void set_registers(uint8_t (*regs)[2], const struct nv_abi_value *values, uint32_t count)
{
	for (uint32_t k = 0; k < count && k < NV_MAX_PASSED; k++)
		for (uint32_t half = 0; !values[k].on_stack && half < words_of(values[k].type);
		     half++)
			regs[k][half] = (uint8_t)(values[k].reg + half);
}

struct nv_callee *nv_abi_callee(struct arena *a, const struct ir_func *f)
{
	struct nv_callee *c = arena_alloc(a, sizeof(*c));
	struct nv_abi *abi = arena_alloc(a, sizeof(*abi));

	nv_abi_of(f, abi);
	*c = (struct nv_callee){.abi = true,
				.changes_uniform = true,
				.uses_stack = true,
				.barriers = (1u << MIR_SAVED_BARRIER) - 1};
	memset(c->args, NV_NOT_PASSED, sizeof(c->args));
	memset(c->results, NV_NOT_PASSED, sizeof(c->results));
	set_registers(c->args, abi->args, f->nargs);
	if (!abi->result_in_memory)
		set_registers(c->results, abi->results, f->nresults);
	for (uint32_t r = 0; r < MIR_GPRS; r++)
		if (!nv_abi_preserves(r) || (f->kind == IR_PROTOTYPE && r == MIR_CALLEE))
			bitset_add(c->changes, r);
	bitset_for_each(c->changes, 256, r) c->nchanges++;
	return c;
}

/* The letters of ptxas: v nothing, i 32 bits, l 64 bits. */
const char *nv_prototype(struct arena *a, const struct ir_func *f)
{
	struct text t = {.arena = a};

	if (f->prototype)
		return f->prototype;
	text_printf(&t, f->nresults ? "#" : "#v");
	for (uint32_t k = 0; k < f->nresults; k++)
		text_printf(&t, "%c", f->result_types[k] == IR_B64 ? 'l' : 'i');
	for (uint32_t k = 0; k < f->nargs; k++)
		text_printf(&t, "%c", f->arg_types[k] == IR_B64 ? 'l' : 'i');
	return t.s;
}
