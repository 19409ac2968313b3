/* SPDX-License-Identifier: MIT */
/*
 * Device services: functions that CUDA's compilers leave to the system (printf, assert, malloc,
 * free, cudaGraphSetConditional). The image names them as undefined symbols; the loader resolves
 * these to code in device memory (libsov/runtime/module/device_services.c). The calling convention
 * is ptxas's: the address comes from constant bank 4, arguments are in R4 and up with 64-bit ones
 * in even pairs, the result is in R4, the absolute return address is in R20 and R21, and the callee
 * preserves all other registers.
 */
#ifndef SOV_COMPILER_SERVICES_H
#define SOV_COMPILER_SERVICES_H

#include "libsov/compiler/ir/ir.h"

enum service {
	SERVICE_PRINT,
	SERVICE_ASSERT,
	SERVICE_ALLOC,
	SERVICE_FREE,
	SERVICE_SET_CONDITION,
	SERVICES
};

struct service_type {
	const char *name;
	uint8_t nargs, args[5]; /* enum ir_type */
	uint8_t result;         /* IR_VOID: none */
};
extern const struct service_type services[SERVICES];

/* Returns SERVICES for an unknown name. */
enum service service_find(const char *name);
/* Whether the declaration has the service's signature. */
bool service_fits(enum service s, const struct ir_func *f);
/* Why no image may call a function that it does not define: words for a message. */
const char *service_lack(const char *name);
/* Bit mask of the services that the module calls. */
uint32_t services_called(const struct ir_module *m);
/* Assigns the register of the next argument or result of this type. *next starts at 0. */
uint32_t service_register(uint32_t *next, uint8_t type);

#endif
