/* SPDX-License-Identifier: MIT */
/*
 * Functions that a program may call without defining them: what CUDA's compilers leave to the
 * system. The image names them as undefined symbols, whoever loads it has them in device memory
 * (libsov/runtime/module/device_services.c), and a call is as ptxas makes it: the address comes from constant bank 4,
 * arguments are in R4 and up, those of 64 bits in even pairs, the result in R4, the absolute address
 * to return to in R20 and R21, and nothing but what carries arguments or results is changed.
 */
#ifndef SOV_COMPILER_SERVICES_H
#define SOV_COMPILER_SERVICES_H

#include "libsov/compiler/ir/ir.h"

enum service { SERVICE_PRINT, SERVICE_ASSERT, SERVICE_ALLOC, SERVICE_FREE, SERVICES };

struct service_type {
	const char *name;
	uint8_t nargs, args[5]; /* enum ir_type */
	uint8_t result;         /* IR_VOID: none */
};
extern const struct service_type services[SERVICES];

/* SERVICES: there is none of that name. */
enum service service_find(const char *name);
/* Whether it is called by the types that it has. */
bool service_fits(enum service s, const struct ir_func *f);
/* Those that the module calls: a mask. */
uint32_t services_called(const struct ir_module *m);
/* The register of the next argument or result of this type; moves on. *next is 0 at first. */
uint32_t service_register(uint32_t *next, uint8_t type);

#endif
