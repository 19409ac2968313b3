/* SPDX-License-Identifier: MIT */
/* What combine.c and its helpers know of a function's words. */
#ifndef SOV_COMPILER_AMD_COMBINE_H
#define SOV_COMPILER_AMD_COMBINE_H

#include "libsov/compiler/amd/mir.h"

struct combine {
	struct gcn_func *f;
	struct word {
		struct gcn_inst *def;
		uint32_t block, reads;
		uint32_t
			writes; /* of phis each counts twice: ways that leave them as they are write nothing */
		uint32_t same; /* 1 + the unit that this one is a copy of, 0: none */
	} * words;             /* by unit */
};

static inline struct word *word_of(struct combine *c, struct gcn_ref r)
{
	return &c->words[gcn_unit(c->f, r)];
}

bool combine_is_fixed(const struct gcn_func *f, uint32_t vreg);
/* Written once, or before the first instruction. */
bool combine_is_value(const struct combine *c, struct gcn_ref r);
bool combine_is_copy(const struct combine *c, const struct gcn_inst *i);
/* The unit that this one is a copy of, or itself. */
uint32_t combine_original(const struct combine *c, uint32_t unit);
/* Whether an operand of so many words may begin at this word of a register. */
static inline bool combine_may_begin(const struct gcn_func *f, uint32_t vreg, uint32_t part,
				     uint32_t count)
{
	return f->vregs[vreg].class != GCN_SCALAR || part % (count > 2 ? 4 : count) == 0;
}

/* share.c: finds words that are computed twice, and reads what was copied from where it came. */
void combine_share(struct combine *c);
void combine_forward(struct combine *c);

#endif
