/* SPDX-License-Identifier: MIT */
/*
 * Who uses a value: for each value the instructions that have it as an argument, and how many
 * argument slots do. A pass that rewrites locally builds this once and then changes the function
 * through these calls alone, so that the counts stay exact and no change costs a scan of the
 * function. The lists may name an instruction that has since stopped using the value; the counts
 * never lie.
 */
#ifndef SOV_COMPILER_USES_H
#define SOV_COMPILER_USES_H

#include "libsov/compiler/ir/ir.h"

struct use {
	ir_id user;
	uint32_t next; /* in the list of the same value, 0 = end */
};

struct uses {
	struct ir_func *f;
	uint32_t *head, *count; /* by value */
	uint32_t head_capacity, count_capacity;
	struct use *list; /* entry 0 is unused */
	uint32_t nlist, list_capacity;
};

void uses_init(struct uses *u, struct ir_func *f);

/* For a pass that keeps no lists: every argument becomes what stands for it in a table by value,
 * 0 = itself; values from n on stay. */
void uses_forward(struct ir_func *f, const ir_val *to, uint32_t n);

#define uses_for_each(u, v, it) for (uint32_t it = (u)->head[v]; it; it = (u)->list[it].next)

/* One argument of an instruction becomes another value. */
void uses_set_arg(struct uses *u, ir_id i, uint32_t k, ir_val v);
/* Every use of one value becomes a use of another. */
void uses_replace(struct uses *u, ir_val of, ir_val with);
/* An instruction in place becomes a different one with the same result; all attributes are cleared
 * and left to the caller. */
void uses_become(struct uses *u, ir_id i, enum ir_op op, enum ir_type type, const ir_val *args,
		 uint32_t nargs);
/* A new instruction, placed before another. */
ir_id uses_insert(struct uses *u, ir_id before, enum ir_op op, enum ir_type type,
		  const ir_val *args, uint32_t nargs);
ir_val uses_const(struct uses *u, ir_id before, enum ir_type type, uint64_t value);
/* An instruction whose results have no uses disappears. */
void uses_remove(struct uses *u, ir_id i);

#endif
