/* SPDX-License-Identifier: MIT */
/* The verifier, as its two files share it: verify.c looks at modules, graphs and dominance,
 * verify_inst.c at one instruction. */
#ifndef SOV_COMPILER_VERIFY_H
#define SOV_COMPILER_VERIFY_H

#include "libsov/compiler/ir/ir.h"

struct verifier {
	const struct ir_module *module;
	struct diag *diag;
	const struct ir_func *f;
};

/* Each reports one fault, with the function, the block and the instruction's text, and is false. */
bool verify_inst_fault(struct verifier *v, ir_id i, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Everything that ops.h says of the instruction alone and of its arguments' types. */
bool verify_inst(struct verifier *v, ir_id i);

#endif
