/* SPDX-License-Identifier: MIT */
/*
 * Code of a kernel that stands in a chain, for which nobody has to prepare a multiprocessor:
 *
 * It finds nothing old in the L1 cache: each load asks the L2 cache, as PTX's ld.relaxed.gpu does, so the L1 need not
 * be emptied before the kernel starts. Between two kernels of a chain that takes an H200 0.3 us, as it waits for the
 * stores of the one before.
 *
 * It waits by itself: its first instruction is ACQBULK, in which a block stays until the kernel before has ended and
 * its stores are done, if the launch descriptor says so. So blocks can be started while that still runs, which takes
 * an H200 0.2 us more (both: tests/silicon/graph_ways.c). Nothing is read before that instruction but constant bank 0,
 * which no kernel writes; a kernel that has other constant banks, which a kernel before might have written, has no such code.
 *
 * It pays where a load is executed once: in kernels without loops. Local memory stays in the L1, which nobody else
 * writes; what a kernel writes and reads again through the L1 is its own.
 */
#include <string.h>
#include "libsov/isa/nv/sass.h"
#include "libsov/gpu/nv/nv_gpu.h"

#define MOST_BYTES 4096u /* a larger kernel takes longer than what is saved */

static bool relocated(const struct image *im, const struct image_kernel *k)
{
	uint32_t i;

	for (i = 0; i < im->nrelocations; i++) {
		const struct image_relocation *r = &im->relocations[i];
		const struct image_section *s = &im->sections[r->section];
		uint64_t at = s->offset + r->offset;

		if (s->part == IMAGE_CODE && at + 8 > k->code_offset &&
		    at < k->code_offset + k->code_bytes)
			return true;
	}
	return false;
}

/* Control goes to the next instruction, forward, or ends; or it stays for ever, which loads nothing. */
static bool goes_on(const struct sass_inst *in)
{
	uint32_t i;

	switch (in->op) {
	case SASS_BRX:
	case SASS_BRXU:
	case SASS_BREAK:
	case SASS_CALL_REL:
	case SASS_CALL_REL_REG:
	case SASS_RET_REL:
	case SASS_CALL_ABS:
	case SASS_CALL_ABS_REG:
	case SASS_RET_ABS:
	case SASS_BRA_UREG:
	case SASS_WARPSYNC_COLLECTIVE:
	case SASS_WARPSYNC_COLLECTIVE_ALL:
		return false;
	}
	for (i = 0; i < in->nops; i++)
		if (in->ops[i].kind == SASS_TARGET && in->ops[i].value < 0 &&
		    in->ops[i].value != -16)
			return false;
	return true;
}

/* What else goes through the L1 is not known. */
static bool is_known(uint32_t sm, const struct sass_inst *in)
{
	switch (in->op) {
	case SASS_LDG:
	case SASS_LD:
	case SASS_STG:
	case SASS_ST:
	case SASS_LDL:
	case SASS_STL:
	case SASS_ATOMG:
	case SASS_ATOMG_CAS:
	case SASS_ATOM:
	case SASS_ATOM_CAS:
	case SASS_RED:
		return true;
	}
	return sass_pipe(sm, in) != SASS_PIPE_MEMORY;
}

static bool ask_l2(struct sass_inst *in)
{
	if (in->op != SASS_LDG && in->op != SASS_LD)
		return false;
	switch (in->mod[SASS_M_ORDER]) {
	case SASS_ORDER_STRONG_GPU:
	case SASS_ORDER_STRONG_SYS:
	case SASS_ORDER_MMIO_GPU:
	case SASS_ORDER_MMIO_SYS:
		return false;
	}
	in->mod[SASS_M_ORDER] = SASS_ORDER_STRONG_GPU;
	return true;
}

static bool has_constants(const struct image_kernel *k)
{
	uint32_t i;

	for (i = 1; i < IMAGE_NV_BANKS; i++)
		if (image_nv_kernel(k)->banks[i].bytes)
			return true;
	return false;
}

uint32_t nv_chain_wait_bytes(uint32_t sm)
{
	return sm >= 90 ? sizeof(struct sass_word) : 0;
}

bool nv_chain_code(uint32_t sm, const struct image *im, const struct image_kernel *k, uint8_t *to)
{
	struct sass_word word;
	struct sass_inst in;
	uint32_t at;

	if (k->calls || k->services || k->code_bytes > MOST_BYTES || relocated(im, k) ||
	    has_constants(k))
		return false;
	if (nv_chain_wait_bytes(sm)) {
		sass_init(&in, SASS_ACQBULK);
		in.stall = 1;
		if (!sass_encode(sm, &in, &word, NULL))
			return false;
		memcpy(to, &word, sizeof(word));
		to += sizeof(word);
	}
	for (at = 0; at + sizeof(word) <= k->code_bytes; at += sizeof(word)) {
		memcpy(&word, k->code + at, sizeof(word));
		if (!sass_decode(sm, word, &in) || !goes_on(&in) || !is_known(sm, &in))
			return false;
		if (ask_l2(&in) && !sass_encode(sm, &in, &word, NULL))
			return false;
		memcpy(to + at, &word, sizeof(word));
	}
	return at == k->code_bytes;
}
