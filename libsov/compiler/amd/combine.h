/* SPDX-License-Identifier: MIT */
/* Def-use information that the files of the combiner share. */
#ifndef SOV_COMPILER_AMD_COMBINE_H
#define SOV_COMPILER_AMD_COMBINE_H

#include "libsov/compiler/amd/mir.h"

struct combine {
	struct gcn_func *f;
	struct combine_word {
		struct gcn_inst *def;
		uint32_t block, reads;
		uint32_t writes; /* a phi's write counts twice: on other paths it keeps its value */
		uint32_t copy_of; /* 1 + the unit that this one copies, 0: none */
	} *words;                 /* by unit */
	bool writes_results;      /* in the VGPRs that arguments arrive in */
};

static inline struct combine_word *combine_word_of(struct combine *c, struct gcn_ref r)
{
	return &c->words[gcn_unit(c->f, r)];
}

bool combine_is_fixed(const struct gcn_func *f, uint32_t vreg);
/* Whether the register of a fixed vreg may be overwritten through another one. */
bool combine_is_clobbered(const struct combine *c, uint32_t vreg);
/* Written once, or defined before the first instruction and never written. */
bool combine_is_value(const struct combine *c, struct gcn_ref r);
bool combine_is_copy(const struct combine *c, const struct gcn_inst *i);
/* Returns the unit that this one copies, through chains of copies, or the unit itself. */
uint32_t combine_copy_source(const struct combine *c, uint32_t unit);
/* Whether an operand of count words may start at this word: SGPR tuples are aligned. */
static inline bool combine_is_aligned(const struct gcn_func *f, uint32_t vreg, uint32_t part,
				      uint32_t count)
{
	return f->vregs[vreg].class != GCN_SCALAR || part % (count > 2 ? 4 : count) == 0;
}

static inline struct gcn_src combine_operand(const struct gcn_inst *i, enum amd_slot slot)
{
	return (struct gcn_src){i->ref[slot], i->in.reg[slot], i->in.literal};
}

/* No instruction between first and second writes the operand, and no call lies between them. */
bool combine_is_unchanged_between(const struct combine *c, struct gcn_inst *first,
				  struct gcn_inst *second, struct gcn_src x);

/* cse.c: global value numbering by hash, and block-local copy forwarding. */
void combine_cse(struct combine *c);
void combine_forward_copies(struct combine *c);
/* kernarg_loads.c: returns whether it replaced registers. */
bool combine_kernarg_loads(struct combine *c);
/* exec_compares.c */
void combine_exec_compares(struct combine *c);

#endif
