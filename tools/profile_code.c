// SPDX-License-Identifier: MIT
/*
 * What an instruction is. NVIDIA: the pipe and the cycles for which it is busy are those that the
 * compiler schedules by (libsov/isa/nv/sass_latency.c), but for the units of which chips have few,
 * where the units' number tells the cycles. AMD: by the instruction's format and operand types.
 */
#include <stdlib.h>
#include <string.h>
#include "hw/chips.h"
#include "libsov/isa/amd/amd_row.h"
#include "libsov/isa/mma.h"
#include "model/nv/exec.h"
#include "tools/profile.h"

const char *const pipe_names[PIPES] = {
	[PIPE_ALU] = "alu",         [PIPE_FMA] = "fma",       [PIPE_FP16] = "fp16",
	[PIPE_FP64] = "fp64",       [PIPE_TENSOR] = "tensor", [PIPE_MUFU] = "mufu",
	[PIPE_UNIFORM] = "uniform", [PIPE_MEMORY] = "memory", [PIPE_SHARED] = "shared",
	[PIPE_CONTROL] = "control",
};
const char *const precision_names[PRECISIONS] = {
	[PRECISION_F64] = "f64",
	[PRECISION_F32] = "f32",
	[PRECISION_F16] = "f16",
	[PRECISION_TENSOR] = "tensor",
};

/* ---- NVIDIA ---- */

static const uint8_t nv_pipes[SASS_PIPE_COUNT] = {
	[SASS_PIPE_ALU] = PIPE_ALU,          [SASS_PIPE_FMA] = PIPE_FMA,
	[SASS_PIPE_FP16] = PIPE_FP16,        [SASS_PIPE_TENSOR] = PIPE_TENSOR,
	[SASS_PIPE_FP64] = PIPE_FP64,        [SASS_PIPE_UNIFORM] = PIPE_UNIFORM,
	[SASS_PIPE_MUFU] = PIPE_MUFU,        [SASS_PIPE_LANE] = PIPE_CONTROL,
	[SASS_PIPE_MEMORY] = PIPE_MEMORY,    [SASS_PIPE_SHARED] = PIPE_SHARED,
	[SASS_PIPE_CONSTANT] = PIPE_UNIFORM, [SASS_PIPE_SPECIAL] = PIPE_CONTROL,
	[SASS_PIPE_BRANCH] = PIPE_CONTROL,   [SASS_PIPE_BARRIER] = PIPE_CONTROL,
};

/* Operations of one thread. */
static const struct {
	uint16_t op;
	uint8_t precision, flops;
} nv_flops[] = {
	{SASS_FADD, PRECISION_F32, 1},      {SASS_FMUL, PRECISION_F32, 1},
	{SASS_FFMA, PRECISION_F32, 2},      {SASS_DADD, PRECISION_F64, 1},
	{SASS_DMUL, PRECISION_F64, 1},      {SASS_DFMA, PRECISION_F64, 2},
	{SASS_HADD2, PRECISION_F16, 2},     {SASS_HADD2_F32, PRECISION_F32, 1},
	{SASS_HMUL2, PRECISION_F16, 2},     {SASS_HFMA2, PRECISION_F16, 4},
	{SASS_HFMA2_MMA, PRECISION_F16, 4},
};

/* Rates of element types by that of f16 and bf16, in NVIDIA's white papers; f64 has its own. */
static double factor_rate(uint8_t element)
{
	return element == MMA_TF32 ? .5 : element == MMA_F8 || element == MMA_I8 ? 2 : 1;
}

/* A product of matrices: the executor's preparation knows its shape. */
static void nv_product(uint32_t sm, const struct sass_inst *in, struct code_inst *out)
{
	const struct units *u = units_of_sm(sm);
	struct op op = {.inst = in};
	const struct mma_kind *k;
	double flops, rate;

	if (in->op == SASS_MOVM || in->op == SASS_HMMA_884 || op_prepare(&op, in) ||
	    op.data[0] >= MMA_KINDS)
		return;
	k = &mma_kinds[op.data[0]];
	flops = 2.0 * k->m * 8 * k->k;
	if (sass_is_group_product(in))
		flops *= in->mod[SASS_M_TILES] + 1u;
	else if (k->factors == MMA_F64 && in->op != SASS_DMMA_884)
		flops *= 2 * op.data[1];
	rate = k->factors == MMA_F64 ? u->tensor_f64 : u->tensor_f16 * factor_rate(k->factors);
	if (rate > 0)
		out->cycles = flops / 2 * NV_SM_PARTITIONS / rate;
	if (k->factors == MMA_I8 || k->factors == MMA_I4 || k->factors == MMA_B1)
		return; /* no floating-point operations */
	out->precision = PRECISION_TENSOR;
	out->flops = flops;
}

static void nv_decode(uint32_t sm, const uint8_t *code, uint32_t offset, struct code_inst *out)
{
	struct sass_word word;
	struct sass_inst in;

	memcpy(&word, code + offset, sizeof(word)); /* little-endian host */
	if (!sass_decode(sm, word, &in))
		return;
	sass_print(sm, &in, offset, out->text, sizeof(out->text));
	out->pipe = nv_pipes[sass_pipe(sm, &in)];
	out->cycles = sass_issue_cycles(sm, &in);
	if (out->pipe == PIPE_FP64)
		out->cycles = (double)NV_WARP_LANES * NV_SM_PARTITIONS / units_of_sm(sm)->fp64;
	for (size_t i = 0; i < sizeof(nv_flops) / sizeof(nv_flops[0]); i++)
		if (nv_flops[i].op == in.op) {
			out->precision = nv_flops[i].precision;
			out->flops = nv_flops[i].flops;
		}
	if (out->pipe == PIPE_TENSOR)
		nv_product(sm, &in, out);
}

/* ---- AMD ---- */

static enum pipe amd_pipe(const struct amd_inst *in)
{
	const char *name = in->row->name;

	switch (in->row->format) {
	case AMD_SOP1:
	case AMD_SOP2:
	case AMD_SOPK:
	case AMD_SOPC:
	case AMD_SMEM:
		return PIPE_UNIFORM;
	case AMD_SOPP:
		return PIPE_CONTROL;
	case AMD_DS:
		return PIPE_SHARED;
	case AMD_FLAT:
	case AMD_GLOBAL:
	case AMD_SCRATCH:
	case AMD_MUBUF:
		return PIPE_MEMORY;
	default:
		if (strstr(name, "_f64"))
			return PIPE_FP64;
		if (strstr(name, "rcp") || strstr(name, "rsq") || strstr(name, "sqrt") ||
		    strstr(name, "_sin") || strstr(name, "_cos") || strstr(name, "_exp") ||
		    strstr(name, "_log"))
			return PIPE_MUFU;
		return strstr(name, "f32") ? PIPE_FMA : strstr(name, "f16") ? PIPE_FP16 : PIPE_ALU;
	}
}

static void amd_flops(const struct amd_inst *in, struct code_inst *out)
{
	const char *name = in->row->name;
	bool fma = strstr(name, "fma") || strstr(name, "_mac") || strstr(name, "_mad_f");

	if (strncmp(name, "v_", 2) || (!fma && !strstr(name, "_add_f") && !strstr(name, "_sub_f") &&
				       !strstr(name, "_subrev_f") && !strstr(name, "_mul_f")))
		return;
	out->precision = strstr(name, "f64")   ? PRECISION_F64
			 : strstr(name, "f16") ? PRECISION_F16
					       : PRECISION_F32;
	out->flops = (fma ? 2 : 1) * (in->row->format == AMD_VOP3P ? 2 : 1);
}

static void amd_decode_inst(const uint8_t *code, uint32_t offset, uint32_t left,
			    struct code_inst *out)
{
	uint32_t words[AMD_MAX_WORDS] = {0}, count = left / 4;
	struct amd_inst in;

	if (count > AMD_MAX_WORDS)
		count = AMD_MAX_WORDS;
	memcpy(words, code + offset, (size_t)4 * count); /* little-endian host */
	count = amd_decode(AMD_GFX1030, words, count, &in);
	if (!count)
		return;
	out->bytes = count;
	amd_print(&in, out->text, sizeof(out->text));
	out->pipe = amd_pipe(&in);
	/* RDNA's white paper: a SIMD has 32 lanes, 8 for transcendental functions, 2 for f64. */
	out->cycles = out->pipe == PIPE_MUFU ? 4 : out->pipe == PIPE_FP64 ? 16 : 1;
	amd_flops(&in, out);
}

void code_decode(const char *target, const uint8_t *code, uint32_t offset, uint32_t left,
		 uint32_t granule, struct code_inst *out)
{
	uint32_t sm = strncmp(target, "sm_", 3) ? 0 : (uint32_t)strtoul(target + 3, NULL, 10);

	*out = (struct code_inst){.bytes = granule, .pipe = PIPE_CONTROL, .cycles = 1};
	snprintf(out->text, sizeof(out->text), "unknown instruction");
	if (sm && granule == WORD_BYTES && left >= WORD_BYTES && units_of_sm(sm))
		nv_decode(sm, code, offset, out);
	else if (!sm && left >= granule)
		amd_decode_inst(code, offset, left, out);
}
