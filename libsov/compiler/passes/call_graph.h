/* SPDX-License-Identifier: MIT */
/* Facts about functions that depend on their callees (call_graph.c). */
#ifndef SOV_COMPILER_CALL_GRAPH_H
#define SOV_COMPILER_CALL_GRAPH_H

#include "libsov/compiler/ir/ir.h"

struct ir_call_facts {
	bool recursive; /* can reach itself, or an indirect call, which may reach any function */
	bool sync;      /* a function that contains or reaches a sync site or an aligned sync */
	bool dynamic_frame; /* has one itself */
	uint32_t depth;     /* upper bound of the functions on a call path from here */
};

/* By function. Computed once per module: inlining changes none of these facts. */
const struct ir_call_facts *call_facts(struct ir_module *m);

#endif
