// SPDX-License-Identifier: MIT
/*
 * The code variant of a kernel that runs in a chain without preparation of the SMs between grids.
 *
 * Its loads bypass the L1 cache, as PTX's ld.relaxed.gpu does, so that the L1 need not be
 * invalidated before the grid starts. The invalidation takes an H200 0.3 us between two grids of a
 * chain, because it waits for the stores of the previous one.
 *
 * Its first instruction is ACQBULK, which holds a block until the previous grid has ended and its
 * stores are visible, if the launch descriptor asks for that. Blocks can therefore start while the
 * previous grid still runs, which saves an H200 another 0.2 us (both:
 * docs/results/2026-11-16-h200-compiler-and-runtime.md). Before ACQBULK the hardware reads only
 * constant bank 0, which no kernel writes. Kernels with other constant banks, which the previous
 * grid might have written, get no such variant.
 *
 * Bypassing the L1 pays where each load executes once: in kernels without loops. Local memory stays
 * in the L1, because no other kernel writes it; data that a kernel writes and reads again through
 * the L1 is its own.
 */
#include <string.h>
#include "libsov/compiler/image/image_nv.h"
#include "libsov/isa/nv/sass.h"
#include "libsov/gpu/nv/nv_gpu.h"

#define MAX_CODE_BYTES 4096u /* larger kernels run long enough that the gain does not matter */

static bool has_relocations(const struct image *im, const struct image_kernel *k)
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

/* Whether control continues with the next instruction, jumps forward or ends. A jump to itself
 * (-16) is an endless loop without loads. */
static bool flows_forward(const struct sass_inst *in)
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

/* Rejects memory instructions whose use of the L1 is not known. */
static bool is_known_access(uint32_t sm, const struct sass_inst *in)
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

/* Makes a load bypass the L1. Returns false if the instruction stays as it is. */
static bool bypass_l1(struct sass_inst *in)
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

static bool has_constant_banks(const struct image_kernel *k)
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

	if (k->calls || k->services || k->code_bytes > MAX_CODE_BYTES || has_relocations(im, k) ||
	    has_constant_banks(k))
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
		if (!sass_decode(sm, word, &in) || !flows_forward(&in) || !is_known_access(sm, &in))
			return false;
		if (bypass_l1(&in) && !sass_encode(sm, &in, &word, NULL))
			return false;
		memcpy(to + at, &word, sizeof(word));
	}
	return at == k->code_bytes;
}
