// SPDX-License-Identifier: MIT
/*
 * sov disasm for AMD's machine code, in LLVM's syntax. A reference follows the instruction in angle
 * brackets: the target of a branch, as llvm-objdump prints it, or the function or variable that a
 * PC-relative literal addresses, as far as the code and the relocations tell.
 */
#include <string.h>
#include "hw/amd/code_object.h"
#include "libsov/isa/amd/amd_isa.h"
#include "libsov/isa/amd/amd_row.h"
#include "tools/disasm.h"

static void append_symbol(struct disasm_line *out, const char *name, uint64_t offset)
{
	size_t n = strlen(out->text);

	if (offset)
		snprintf(out->text + n, sizeof(out->text) - n, "  <%.100s+0x%llx>", name,
			 (unsigned long long)offset);
	else
		snprintf(out->text + n, sizeof(out->text) - n, "  <%.100s>", name);
}

/* Appends the kernel or function that contains the code offset. */
static void append_code_symbol(const struct image *im, uint64_t to, struct disasm_line *out)
{
	for (uint32_t i = 0; i < im->nkernels; i++)
		if (to - im->kernels[i].code_offset < im->kernels[i].code_bytes) {
			append_symbol(out, im->kernels[i].name, to - im->kernels[i].code_offset);
			return;
		}
	for (uint32_t i = 0; i < im->nfunctions; i++)
		if (to - im->functions[i].code_offset < im->functions[i].code_bytes) {
			append_symbol(out, im->functions[i].name,
				      to - im->functions[i].code_offset);
			return;
		}
}

/* A branch offset counts words from the next instruction. */
static void append_branch_target(const struct image *im, const struct image_function *f,
				 uint32_t at, const struct amd_inst *in, struct disasm_line *out)
{
	append_code_symbol(im,
			   f->code_offset + at + 4 +
				   (uint64_t)(int64_t)(4 * (int16_t)in->field[AMD_F_IMM]),
			   out);
}

/* s_add_u32 after s_getpc_b64 adds the low half of a PC-relative offset. The linker has resolved
 * it, so no relocation is needed to find the callee. */
static void append_callee(const struct image *im, const struct image_function *f, uint32_t at,
			  const struct amd_inst *in, struct disasm_line *out)
{
	struct amd_inst before;
	uint32_t word;

	if (in->row->op != AMD_s_add_u32 || in->reg[AMD_S1] != AMD_LITERAL || at < 4)
		return;
	memcpy(&word, f->code + at - 4, sizeof(word)); /* little-endian host */
	if (amd_decode(AMD_GFX1030, &word, 1, &before) && before.row->op == AMD_s_getpc_b64 &&
	    before.reg[AMD_D] == in->reg[AMD_S0])
		append_code_symbol(
			im, f->code_offset + at + (uint64_t)(int64_t)(int32_t)in->literal, out);
}

/* The offset is relative to the end of s_getpc_b64. The literals of the two additions that follow
 * are 4 and 12 bytes after that point, which their addends include. */
static void append_variable(const struct image *im, const struct image_relocation *r,
			    struct disasm_line *out)
{
	const struct image_section *to = &im->sections[r->target];
	uint64_t at = to->offset + r->addend - (r->kind == AMD_R_REL32_LO ? 4 : 12);

	for (uint32_t i = 0; i < im->nvariables; i++) {
		const struct image_variable *v = &im->variables[i];

		if (v->part == to->part && at >= v->offset && at - v->offset < v->bytes) {
			append_symbol(out, v->name, at - v->offset);
			return;
		}
	}
}

static bool append_relocation(const struct image *im, const struct image_function *f, uint32_t at,
			      struct disasm_line *out)
{
	uint64_t first = f->code_offset + at;

	for (uint32_t i = 0; i < im->nrelocations; i++) {
		const struct image_relocation *r = &im->relocations[i];
		uint64_t offset = im->sections[r->section].offset + r->offset;

		if (im->sections[r->section].part == IMAGE_CODE && r->target != UINT32_MAX &&
		    offset > first && offset < first + out->bytes) {
			append_variable(im, r, out);
			return true;
		}
	}
	return false;
}

static void amd_decode_line(const struct image *im, const struct image_function *f, uint32_t at,
			    struct disasm_line *out)
{
	uint32_t words[AMD_MAX_WORDS] = {0}, left = (f->code_bytes - at) / 4;
	struct amd_inst in;

	if (f->data) {
		memcpy(words, f->code + at, 4); /* little-endian host */
		out->bytes = 4;
		out->known = true;
		snprintf(out->text, sizeof(out->text), ".long 0x%08x", words[0]);
		return;
	}
	if (left > AMD_MAX_WORDS)
		left = AMD_MAX_WORDS;
	memcpy(words, f->code + at, 4 * left); /* little-endian host */
	out->bytes = amd_decode(AMD_GFX1030, words, left, &in);
	out->known = out->bytes;
	if (!out->known) {
		out->bytes = 4;
		return;
	}
	amd_print(&in, out->text, sizeof(out->text));
	if (in.row->flags & TARGET)
		append_branch_target(im, f, at, &in, out);
	else if (!append_relocation(im, f, at, out))
		append_callee(im, f, at, &in, out);
}

const struct disasm_isa disasm_amd = {4, amd_decode_line, NULL};
