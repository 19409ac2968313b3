/* SPDX-License-Identifier: MIT */
/*
 * A module for gfx1030 with hand-written code: variables come from PTX, code from the encoder, so
 * that the linker is tested without the back end. Each kernel stores a word to its first argument:
 *	counter_kernel   the variable counter times two, which a function computes
 *	table_kernel     the word that the second address in table points to
 *	constant_kernel  a constant plus the number of workgroups along x (a hidden argument)
 */
#ifndef TESTS_AMD_MODULE_H
#define TESTS_AMD_MODULE_H

#include <setjmp.h>
#include "libsov/compiler/amd/module.h"
#include "libsov/compiler/ptx/ptx.h"
#include "libsov/compiler/driver/unit.h"
#include "libsov/isa/amd/amd_row.h"

static const char module_ptx[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".file 1 \"/src/hand.cu\"\n"
	".global .align 4 .u32 counter = 21;\n"
	".global .align 16 .b8 zeros[100];\n"
	".global .align 4 .u32 words[4] = {3, 5, 7, 9};\n"
	".global .align 8 .u64 table[2] = {zeros, words + 8};\n"
	".const .align 4 .u32 constants[2] = {1000, 2000};\n"
	".visible .entry counter_kernel(.param .u64 out)\n{\n\t.loc 1 10 0\n\tret;\n}\n"
	".visible .entry table_kernel(.param .u64 out)\n{\n\t.loc 1 20 0\n\tret;\n}\n"
	".visible .entry constant_kernel(.param .u64 out, .param .u32 more)\n{\n\t.loc 1 30 "
	"0\n\tret;\n}\n";

#define V(n)     (AMD_VGPR + (n))
#define I(n)     (AMD_INT_0 + (n))
#define MAX_CODE 256

struct hand { /* a fragment under construction */
	uint8_t code[MAX_CODE];
	uint32_t bytes, nreferences;
	struct amd_reference references[8];
	struct line_row rows[4];
};

struct hand_module {
	struct compile_job job;
	jmp_buf no_memory;
	struct ir_module *module;
	struct amd_plan *plan;
	struct hand hands[4];
	struct amd_fragment fragments[4];
	struct amd_param params[2];
	struct amd_code code;
};

static void hand_put(struct hand *h, enum amd_op op, int d, int s0, int s1, int s2, int32_t imm)
{
	struct amd_inst in;
	uint32_t words[AMD_MAX_WORDS], bytes;
	const char *why = "";

	amd_init(&in, op, AMD_PLAIN);
	if (in.row->type[AMD_D])
		in.reg[AMD_D] = (uint16_t)d;
	if (in.row->type[AMD_S0])
		in.reg[AMD_S0] = (uint16_t)s0;
	if (in.row->type[AMD_S1])
		in.reg[AMD_S1] = (uint16_t)s1;
	if (in.row->type[AMD_S2])
		in.reg[AMD_S2] = (uint16_t)s2;
	in.literal = (uint32_t)imm;
	if (op == AMD_s_waitcnt || op == AMD_s_nop)
		in.field[AMD_F_IMM] = imm;
	else if (in.row->format == AMD_SMEM || in.row->format == AMD_GLOBAL)
		in.field[AMD_F_OFFSET] = imm;
	bytes = amd_encode(AMD_GFX1030, &in, words, &why);
	if (!bytes)
		fprintf(stderr, "%s: %s\n", in.row->name, why);
	memcpy(h->code + h->bytes, words, bytes);
	h->bytes += bytes;
}

/* Loads the address of something into s[d:d+1]. */
static void hand_address(struct hand *h, int d, uint8_t target, uint32_t index)
{
	hand_put(h, AMD_s_getpc_b64, d, 0, 0, 0, 0);
	hand_put(h, AMD_s_add_u32, d, d, AMD_LITERAL, 0, -1);
	h->references[h->nreferences++] =
		(struct amd_reference){h->bytes - 4, AMD_REL32_LO, target, index, 4};
	hand_put(h, AMD_s_addc_u32, d + 1, d + 1, AMD_LITERAL, 0, -1);
	h->references[h->nreferences++] =
		(struct amd_reference){h->bytes - 4, AMD_REL32_HI, target, index, 12};
}

static uint32_t hand_symbol(const struct ir_module *m, const char *name)
{
	uint32_t k = 0;

	while (k < m->nsymbols && strcmp(m->symbols[k].name, name))
		k++;
	return k;
}

/* Stores s8 to the first argument. */
static void hand_store(struct hand *h)
{
	hand_put(h, AMD_s_waitcnt, 0, 0, 0, 0, 0x3f0f & ~0x3f00);
	hand_put(h, AMD_v_mov_b32, V(0), I(0), 0, 0, 0);
	hand_put(h, AMD_v_mov_b32, V(1), 8, 0, 0, 0);
	hand_put(h, AMD_global_store_dword, 0, V(0), V(1), 4, 0);
	hand_put(h, AMD_s_endpgm, 0, 0, 0, 0, 0);
}

static void hand_kernels(struct hand_module *m)
{
	const struct ir_module *ir = m->module;
	struct hand *h = m->hands;

	/* counter_kernel */
	hand_put(h, AMD_s_load_dwordx2, 4, 0, AMD_NULL, 0, 0);
	hand_address(h, 6, AMD_TO_VARIABLE, hand_symbol(ir, "counter"));
	hand_put(h, AMD_s_load_dword, 8, 6, AMD_NULL, 0, 0);
	hand_address(h, 10, AMD_TO_FUNCTION, 3);
	hand_put(h, AMD_s_waitcnt, 0, 0, 0, 0, 0xc07f);
	hand_put(h, AMD_s_swappc_b64, 30, 10, 0, 0, 0);
	hand_store(h++);
	/* table_kernel */
	hand_put(h, AMD_s_load_dwordx2, 4, 0, AMD_NULL, 0, 0);
	hand_address(h, 6, AMD_TO_VARIABLE, hand_symbol(ir, "table"));
	hand_put(h, AMD_s_load_dwordx2, 6, 6, AMD_NULL, 0, 8);
	hand_put(h, AMD_s_waitcnt, 0, 0, 0, 0, 0xc07f);
	hand_put(h, AMD_s_load_dword, 8, 6, AMD_NULL, 0, 0);
	hand_store(h++);
	/* constant_kernel */
	hand_put(h, AMD_s_load_dwordx2, 4, 0, AMD_NULL, 0, 0);
	hand_put(h, AMD_s_load_dword, 9, 0, AMD_NULL, 0, (int32_t)amd_hidden_base(12));
	hand_address(h, 6, AMD_TO_VARIABLE, hand_symbol(ir, "constants"));
	hand_put(h, AMD_s_load_dword, 8, 6, AMD_NULL, 0, 4);
	hand_put(h, AMD_s_waitcnt, 0, 0, 0, 0, 0xc07f);
	hand_put(h, AMD_s_add_u32, 8, 8, 9, 0, 0);
	hand_store(h++);
	/* the function "twice" */
	hand_put(h, AMD_s_lshl_b32, 8, 8, I(1), 0, 0);
	hand_put(h, AMD_s_setpc_b64, 0, 30, 0, 0, 0);
}

static void hand_fragments(struct hand_module *m)
{
	static const char *const names[] = {"counter_kernel", "table_kernel", "constant_kernel",
					    "twice"};

	m->params[0] = (struct amd_param){0, 8, true};
	m->params[1] = (struct amd_param){8, 4, false};
	for (uint32_t k = 0; k < 4; k++) {
		struct hand *h = &m->hands[k];

		h->rows[0] = (struct line_row){0, 1, 10 * (k + 1)};
		h->rows[1] = (struct line_row){8, 1, 10 * (k + 1) + 3};
		m->fragments[k] = (struct amd_fragment){
			.name = names[k],
			.index = k,
			.kernel = k < 3,
			.code = h->code,
			.code_bytes = h->bytes,
			.references = h->references,
			.nreferences = h->nreferences,
			.lines = {h->rows, h->bytes > 8 ? 2 : 1, 2, h->bytes, 0},
			.vgprs = 2,
			.sgprs = 32,
			.lds_bytes = 64 * k,
			.float_mode = 0xf0,
			.ieee = true,
			.dx10_clamp = true,
			.start = {AMD_KERNARG_SEGMENT_PTR, 1, 1, false},
			.params = m->params,
			.nparams = k == 2 ? 2 : 1,
			.param_bytes = k == 2 ? 12 : 8,
			.hidden = k == 2 ? 1u << AMD_HIDDEN_BLOCK_COUNT_X : 0,
			.required_threads = {k == 1 ? 32 : 0, k == 1, k == 1},
		};
	}
	m->code = (struct amd_code){m->fragments, 4};
}

/* Returns false with the reason in m->job.diag. Free with arena_free(&m->job.arena). */
static bool hand_build(struct hand_module *m)
{
	static const uint32_t unit_of[3];

	memset(m, 0, sizeof(*m));
	m->job.target = target_find("sm_80"); /* used in messages only */
	arena_init(&m->job.arena, 1 << 24, &m->no_memory);
	if (setjmp(m->no_memory))
		return false;
	diag_init(&m->job.diag, &m->job.arena, "ptx");
	if (!ptx_parse(&m->job, module_ptx, sizeof(module_ptx) - 1, &m->module))
		return false;
	m->plan = amd_plan(&m->job, m->module, unit_of);
	if (!m->plan)
		return false;
	hand_kernels(m);
	hand_fragments(m);
	return true;
}

static void hand_link(struct hand_module *m, enum image_content content, struct compile_image *out)
{
	void *code = &m->code;

	*out = (struct compile_image){0};
	amd_link(&m->job, m->plan, &code, content != IMAGE_HEAD, content, out);
}

#endif
