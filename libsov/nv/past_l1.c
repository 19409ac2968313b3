/* SPDX-License-Identifier: MIT */
/*
 * Code that finds nothing old in a multiprocessor's L1 cache: each load asks the L2 cache, as PTX's ld.relaxed.gpu
 * does, so the L1 need not be emptied before the kernel starts. Between two kernels of a chain that takes an H200
 * 0.3 us, as it waits for the stores of the one before (tests/silicon/graph_ways.c).
 *
 * It pays where a load is executed once: in kernels without loops. Local memory stays in the L1, which nobody else
 * writes; what a kernel writes and reads again through the L1 is its own.
 */
#include <string.h>
#include "libsov/isa/sass.h"
#include "libsov/nv/nv.h"

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
	case SASS_BRX: case SASS_BRXU: case SASS_BREAK: case SASS_CALL_REL: case SASS_CALL_REL_REG: case SASS_RET_REL:
	case SASS_CALL_ABS: case SASS_CALL_ABS_REG: case SASS_RET_ABS: case SASS_BRA_UREG:
	case SASS_WARPSYNC_COLLECTIVE: case SASS_WARPSYNC_COLLECTIVE_ALL:
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
	case SASS_LDG: case SASS_LD: case SASS_STG: case SASS_ST: case SASS_LDL: case SASS_STL:
	case SASS_ATOMG: case SASS_ATOMG_CAS: case SASS_ATOM: case SASS_ATOM_CAS: case SASS_RED:
		return true;
	}
	return sass_pipe(sm, in) != SASS_PIPE_MEMORY;
}

static bool ask_l2(struct sass_inst *in)
{
	if (in->op != SASS_LDG && in->op != SASS_LD)
		return false;
	switch (in->mod[SASS_M_ORDER]) {
	case SASS_ORDER_STRONG_GPU: case SASS_ORDER_STRONG_SYS: case SASS_ORDER_MMIO_GPU:
	case SASS_ORDER_MMIO_SYS:
		return false;
	}
	in->mod[SASS_M_ORDER] = SASS_ORDER_STRONG_GPU;
	return true;
}

bool nv_past_l1(uint32_t sm, const struct image *im, const struct image_kernel *k, uint8_t *to)
{
	struct sass_word word;
	struct sass_inst in;
	uint32_t at;

	if (k->calls || k->services || k->code_bytes > MOST_BYTES || relocated(im, k))
		return false;
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
