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

#include "libsov/compiler/driver/compiler.h"

#define CACHE_DEFAULT_BYTES (UINT64_C(256) << 20)

/* What a module's text may become: one image of all, or a head and units (compiler.h). */
enum { CACHE_HEAD = -1, CACHE_ALL = -2 }; /* else the number of a unit */

/* The place of a text's compilations; NULL: there is no cache. Any number of threads use it. */
struct cache;
struct cache *cache_open(const char *text, size_t length, const struct compile_options *o);
void cache_close(struct cache *c); /* NULL: nothing */
/* Nothing, but for true; statistics are not kept. c may be NULL. */
bool cache_find(const struct cache *c, int64_t piece, struct compile_result *r);
void cache_add(const struct cache *c, int64_t piece, const struct compile_result *r);

#endif
