/* SPDX-License-Identifier: MIT */
/* Internals of the verifier: ir_verify.c checks modules, graphs and dominance, ir_verify_inst.c
 * single instructions. */
#ifndef SOV_COMPILER_IR_VERIFY_H
#define SOV_COMPILER_IR_VERIFY_H

#include "libsov/compiler/ir/ir.h"

struct verifier {
	const struct ir_module *module;
	struct diag *diag;
	const struct ir_func *f;
};

/* Reports one fault with function, block and instruction text; returns false. */
bool verify_inst_fault(struct verifier *v, ir_id i, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Checks an instruction and its argument types against its row in ops.h. */
bool verify_inst(struct verifier *v, ir_id i);

#endif
