// SPDX-License-Identifier: MIT
/*
 * Instructions that PTX has from some architecture on (PTX ISA, "Target ISA Notes" of each
 * instruction; ptxas 12.4 judged the rows, tests/oracles/ptx_legal.py). The check concerns targets
 * before sm_80. Later targets accept what can be lowered for them, even where ptxas asks for a
 * newer architecture, and refuse the rest by name.
 */
#include <string.h>
#include "libsov/compiler/base/compile_job.h"
#include "libsov/compiler/base/target.h"
#include "libsov/compiler/ptx/front_end.h"

#define STRICT_BEFORE 80

static const struct {
	const char *names;     /* of instructions, separated by spaces; NULL: all */
	const char *modifiers; /* the rule applies if one of these is present; NULL: always */
	uint32_t needs;        /* SM version */
} rules[] = {
	{"ldmatrix movmatrix", NULL, 75},
	{"tanh", NULL, 75},
	{"ex2", ".f16 .f16x2", 75},
	{"mma", ".m16n8k8 .m8n8k16 .m8n8k32 .m8n8k128", 75},
	{"wmma", ".u8 .s8 .u4 .s4 .b1", 75}, /* of bytes from sm_72 on */
	{"ld", ".L2::64B .L2::128B", 75},
	{"set setp", ".bf16 .bf16x2", 90},
	{NULL, ".u16x2 .s16x2", 90},
	{"cp redux createpolicy discard applypriority mbarrier", NULL, 80},
	{NULL, ".bf16 .bf16x2 .tf32 .L2::cache_hint .L2::256B", 80},
	{NULL, ".NaN .relu", 80},
	{"min max", ".xorsign", 86},
	{"min max", ".f16 .f16x2", 80},
	{"cvt", ".f16x2", 80},
	{"mma", ".m16n8k16 .m16n8k32 .m16n8k4 .m16n8k64 .m16n8k128 .m16n8k256 .f64", 80},
	{"mma", ".sp .sp::ordered_metadata", 80},
	{"mma wmma", ".and", 80},
	{"wmma", ".f64", 80},
	{"prefetch", ".L2::evict_last .L2::evict_normal", 80},
	{"elect stmatrix griddepcontrol tensormap", NULL, 90},
	{"cp", ".bulk", 90},
	{"st red", ".async", 90},
	{"mbarrier", ".expect_tx .complete_tx .try_wait", 90},
	{"fence", ".async .mbarrier_init .async::generic .tensormap::generic", 90},
	{"atom red", ".v2 .v4 .v8", 90},
	{NULL, ".cluster .oob", 90},
};

static bool is_word(const char *words, const struct ptx_token *t)
{
	size_t length;

	for (; words && *words; words += length + (words[length] == ' ')) {
		length = strcspn(words, " ");
		if (length == t->length && !memcmp(words, t->text, length))
			return true;
	}
	return false;
}

static bool has_word(const char *words, const struct ptx_inst *in)
{
	for (uint32_t k = 0; k < in->nmodifiers; k++)
		if (is_word(words, &in->modifiers[k]))
			return true;
	return !words;
}

static bool is_reserved_shared(const struct ptx_operand *o)
{
	return o->kind == OPERAND_SPECIAL && o->special >= IR_RESERVED_SMEM &&
	       o->special <= IR_RESERVED_SMEM_CAP;
}

bool ptx_check_target(struct ptx *x, const struct ptx_inst *in)
{
	const struct target *t = x->job->target;

	if (!t || strcmp(t->family, "nv") || t->version >= STRICT_BEFORE)
		return true;
	for (uint32_t k = 0; k < in->noperands; k++) {
		if (!is_reserved_shared(&in->operands[k]) || x->architecture >= 80)
			continue;
		ptx_error(x, &in->operands[k].at,
			  "'%.*s' needs sm_80 and is not supported on sm_%u",
			  TEXT(&in->operands[k].at), x->architecture);
		return false;
	}
	for (size_t k = 0; k < sizeof(rules) / sizeof(rules[0]); k++) {
		if (x->architecture >= rules[k].needs || !has_word(rules[k].modifiers, in) ||
		    (rules[k].names && !is_word(rules[k].names, &in->name)))
			continue;
		ptx_error(x, &in->name, "'%s' needs sm_%u and is not supported on sm_%u",
			  ptx_spelling(x, in), rules[k].needs, x->architecture);
		return false;
	}
	return true;
}
