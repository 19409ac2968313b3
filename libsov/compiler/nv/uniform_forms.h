/* SPDX-License-Identifier: MIT */
/* Which instructions the uniform datapath has for those of the vector datapath (uniform.c). */
#ifndef SOV_NV_UNIFORM_FORMS_H
#define SOV_NV_UNIFORM_FORMS_H

#include "libsov/compiler/nv/mir.h"

struct nv_uniform_forms {
	uint32_t sm;
	bool recompares;               /* a uniform SEL repeats the comparison that it depends on */
	struct mir_inst **comparisons; /* by vreg: the ISETP that defines the predicate */
};

struct nv_uniform_op {
	uint16_t op, uniform_op;
	uint8_t nops, result; /* operands, which are the same; the one that is the result */
};

/* SEL has the condition as this operand. A uniform one compares again, into UP0. */
enum { NV_SEL_CONDITION = 3, NV_ISETP_A = 2, NV_ISETP_B = 3 };

/* How a vector instruction accepts a uniform register as its operand k. */
struct nv_operand_fit {
	bool fits;
	uint8_t a, b, adjust; /* operands to swap first; a == b: none */
};

/* NULL: the uniform datapath has no such operation. */
const struct nv_uniform_op *nv_find_uniform_op(const struct mir_inst *i);
bool nv_to_uniform_operand(struct sass_operand *o, struct mir_ref r);
/* The comparison that a SEL depends on, if the uniform datapath can do it; NULL otherwise. */
const struct mir_inst *nv_comparison_of(const struct nv_uniform_forms *forms,
					const struct mir_inst *sel);
bool nv_make_uniform_comparison(const struct nv_uniform_forms *forms, const struct mir_inst *from,
				struct sass_inst *out);
bool nv_make_uniform(const struct nv_uniform_forms *forms, const struct mir_inst *i, uint32_t depth,
		     struct sass_inst *out);
struct nv_operand_fit nv_fit_operand(const struct nv_uniform_forms *forms, const struct mir_inst *i,
				     uint32_t k);
void nv_apply_fit(struct mir_inst *i, uint32_t k, struct nv_operand_fit fit);

#endif
