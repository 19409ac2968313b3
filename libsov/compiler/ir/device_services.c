// SPDX-License-Identifier: MIT
/* The table of device services; see device_services.h. */
#include <string.h>
#include "libsov/compiler/ir/device_services.h"

#define FIRST_REGISTER 4

const struct service_type services[SERVICES] = {
	/* format; arguments in memory, laid out like a C structure */
	[SERVICE_PRINT] = {"vprintf", 2, {IR_B64, IR_B64}, IR_B32},
	/* expression, file, line, function, bytes of a character */
	[SERVICE_ASSERT] = {"__assertfail", 5, {IR_B64, IR_B64, IR_B32, IR_B64, IR_B64}, IR_VOID},
	[SERVICE_ALLOC] = {"malloc", 1, {IR_B64}, IR_B64},
	[SERVICE_FREE] = {"free", 1, {IR_B64}, IR_VOID},
	/* address of the condition, value */
	[SERVICE_SET_CONDITION] = {"cudaGraphSetConditional", 2, {IR_B64, IR_B32}, IR_VOID},
};

enum service service_find(const char *name)
{
	uint32_t s = 0;

	while (s < SERVICES && strcmp(services[s].name, name))
		s++;
	return (enum service)s;
}

bool service_fits(enum service s, const struct ir_func *f)
{
	const struct service_type *t = &services[s];

	return f->nargs == t->nargs && !memcmp(f->arg_types, t->args, t->nargs) &&
	       f->nresults == (t->result != IR_VOID) &&
	       (!f->nresults || f->result_types[0] == t->result);
}

uint32_t service_register(uint32_t *next, uint8_t type)
{
	uint32_t size = type == IR_B64 ? 2 : 1;
	uint32_t reg = *next ? *next : FIRST_REGISTER;

	reg = (reg + size - 1) / size * size;
	*next = reg + size;
	return reg;
}

/* CUDA's device runtime (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"). */
const char *service_lack(const char *name)
{
	static const char *const launches[] = {"cudaGetParameterBuffer", "cudaLaunchDevice",
					       "__cudaCDP2"};

	for (size_t k = 0; k < sizeof(launches) / sizeof(launches[0]); k++)
		if (!strncmp(name, launches[k], strlen(launches[k])))
			return "dynamic parallelism, kernels that launch kernels, is not supported";
	return "only vprintf, __assertfail, malloc, free and cudaGraphSetConditional may stay "
	       "undefined";
}

uint32_t services_called(const struct ir_module *m)
{
	uint32_t called = 0;

	for (const struct ir_func *f = m->funcs; f; f = f->next)
		ir_for_each_block(f, b)
			ir_for_each_inst(f, b, i) {
				const struct ir_inst *in = ir_at(f, i);
				enum service s = in->op == IR_CALL && m->table[in->symbol]->kind ==
									      IR_EXTERNAL
							 ? service_find(m->table[in->symbol]->name)
							 : SERVICES;

				if (s < SERVICES)
					called |= 1u << s;
			}
	return called;
}
