/* SPDX-License-Identifier: MIT */
/*
 * Lazy compilation: a module of many kernels is compiled one compilation unit at a time, when one
 * of the unit's kernels is first looked up (compiler.h). The module itself is the head: the
 * variables and the names of the kernels. Each compiled unit is an internal module without a
 * handle: it has the code of its kernels and uses the head's variables.
 */
#ifndef SOV_LAZY_COMPILE_H
#define SOV_LAZY_COMPILE_H

#include "libsov/compiler/driver/compiler.h"
#include "libsov/runtime/module/module.h"

extern const struct lazy_ops lazy_compile_ops;

/* Compiles, or finds in the cache, what a new module needs: all of it, or its head with *lazy for
 * the rest. true: the result has an image. The caller owns the result in either case. */
bool lazy_compile(const char *text, size_t bytes, const struct compile_options *o, bool eager,
		  struct compile_result *r, struct lazy **lazy);
/* The function of kernel k of a head, compiled now if necessary. Without the context's lock, with a
 * reference to the module. */
sov_result lazy_function(struct module *m, uint32_t k, sov_function *function);

#endif
