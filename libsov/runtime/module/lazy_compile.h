/* SPDX-License-Identifier: MIT */
/*
 * Modules of many kernels are compiled a unit at a time (compiler.h), when somebody asks for a kernel of it.
 * Such a module is the head: variables, and names. Each unit that was compiled is a module in the
 * context, too, which nobody has a handle of; it has the code of its kernels, and its variables
 * are those of the head.
 */
#ifndef SOV_LAZY_H
#define SOV_LAZY_H

#include "libsov/compiler/driver/compiler.h"
#include "libsov/runtime/runtime.h"

struct lazy;

/* Compiles, or finds, what there has to be of a module when it is loaded: all of it, or its head with
 * *lazy for the rest. The result is the caller's in any case; true: it has an image. */
bool lazy_compile(const char *text, size_t bytes, const struct compile_options *o, bool eager,
		  struct compile_result *r, struct lazy **lazy);
/* The function of kernel number k of a head. Without the context's lock, with a reference to the module. */
sov_result lazy_function(struct module *m, uint32_t k, sov_function *function);
/* Whether the kernels that are there are being unloaded. */
void lazy_set_unloading(struct lazy *l, bool unloading);
/* No kernel can be asked for any more; those that are there have no names any more. */
void lazy_retire(struct lazy *l);
void lazy_free(struct lazy *l); /* NULL: nothing */

#endif
