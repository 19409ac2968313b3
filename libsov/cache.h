/* SPDX-License-Identifier: MIT */
/*
 * Compilations on disk. A program that was compiled once with these options, for this target, by
 * this very build of the library is read instead of compiled again. The cache never is the reason
 * that something fails: whatever is wrong with it, the program is compiled.
 *
 *	SOV_CACHE_DIR	where; else $XDG_CACHE_HOME/sov, else $HOME/.cache/sov
 *	SOV_CACHE_SIZE	how much, in bytes or with K, M, G behind the number; 0: no cache
 */
#ifndef SOV_CACHE_H
#define SOV_CACHE_H

#include "libsov/compiler/compiler.h"

#define CACHE_DEFAULT_BYTES (UINT64_C(256) << 20)

/* As compile(), but for statistics, which are not kept. *found: it was there. */
bool cache_compile(const char *text, size_t length, const struct compile_options *o,
		   struct compile_result *r, bool *found);

#endif
