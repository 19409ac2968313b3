// SPDX-License-Identifier: MIT
/*
 * sov disasm for AMD's machine code, in LLVM's syntax. Behind an instruction stands in angle brackets
 * what it refers to: where a branch goes, as llvm-objdump has it, which function a literal is the distance
 * to, or which variable, where the file says so.
 */
#include <string.h>
#include "hw/amd/code_object.h"
#include "libsov/isa/amd/amd_isa.h"
#include "libsov/isa/amd/amd_row.h"
#include "tools/disasm.h"

static void add_name(struct disasm_line *out, const char *name, uint64_t offset)
{
	size_t n = strlen(out->text);

	if (offset)
		snprintf(out->text + n, sizeof(out->text) - n, "  <%.100s+0x%llx>", name,
			 (unsigned long long)offset);
	else
		snprintf(out->text + n, sizeof(out->text) - n, "  <%.100s>", name);
}

/* Whose code is there: a kernel's or a function's. */
static void add_code(const struct image *im, uint64_t to, struct disasm_line *out)
{
	for (uint32_t i = 0; i < im->nkernels; i++)
		if (to - im->kernels[i].code_offset < im->kernels[i].code_bytes) {
			add_name(out, im->kernels[i].name, to - im->kernels[i].code_offset);
			return;
		}
	for (uint32_t i = 0; i < im->nfunctions; i++)
		if (to - im->functions[i].code_offset < im->functions[i].code_bytes) {
			add_name(out, im->functions[i].name, to - im->functions[i].code_offset);
			return;
		}
}

/* Branches count words from the next instruction on. */
static void add_target(const struct image *im, const struct image_function *f, uint32_t at,
		       const struct amd_inst *in, struct disasm_line *out)
{
	add_code(im,
		 f->code_offset + at + 4 + (uint64_t)(int64_t)(4 * (int16_t)in->field[AMD_F_IMM]),
		 out);
}

/* The lower half of a distance in code, added right behind s_getpc_b64: the linker has filled it in, and
 * the file need not say more. */
static void add_callee(const struct image *im, const struct image_function *f, uint32_t at,
		       const struct amd_inst *in, struct disasm_line *out)
{
	struct amd_inst before;
	uint32_t word;

	if (in->row->op != AMD_s_add_u32 || in->reg[AMD_S1] != AMD_LITERAL || at < 4)
		return;
	memcpy(&word, f->code + at - 4, sizeof(word)); /* little-endian host */
	if (amd_decode(AMD_GFX1030, &word, 1, &before) && before.row->op == AMD_s_getpc_b64 &&
	    before.reg[AMD_D] == in->reg[AMD_S0])
		add_code(im, f->code_offset + at + (uint64_t)(int64_t)(int32_t)in->literal, out);
}

/* The distance is counted from behind s_getpc_b64, to which it is added by the two instructions after it:
 * their literals are 4 and 12 bytes further. */
static void add_variable(const struct image *im, const struct image_relocation *r,
			 struct disasm_line *out)
{
	const struct image_section *to = &im->sections[r->target];
	uint64_t at = to->offset + r->addend - (r->kind == AMD_R_REL32_LO ? 4 : 12);

	for (uint32_t i = 0; i < im->nvariables; i++) {
		const struct image_variable *v = &im->variables[i];

		if (v->part == to->part && at >= v->offset && at - v->offset < v->bytes) {
			add_name(out, v->name, at - v->offset);
			return;
		}
	}
}

static bool add_reference(const struct image *im, const struct image_function *f, uint32_t at,
			  struct disasm_line *out)
{
	uint64_t first = f->code_offset + at;

	for (uint32_t i = 0; i < im->nrelocations; i++) {
		const struct image_relocation *r = &im->relocations[i];
		uint64_t place = im->sections[r->section].offset + r->offset;

		if (im->sections[r->section].part == IMAGE_CODE && r->target != UINT32_MAX &&
		    place > first && place < first + out->bytes) {
			add_variable(im, r, out);
			return true;
		}
	}
	return false;
}

static void decode(const struct image *im, const struct image_function *f, uint32_t at,
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
		add_target(im, f, at, &in, out);
	else if (!add_reference(im, f, at, out))
		add_callee(im, f, at, &in, out);
}

const struct disasm_isa disasm_amd = {4, decode, NULL};
