/* SPDX-License-Identifier: MIT */
/*
 * The compilation cache on disk. A program that this build of the library has compiled with the
 * same options for the same target is read instead of compiled. Problems with the cache are never
 * errors: the program is compiled.
 *
 *   SOV_CACHE_DIR   the directory; default $XDG_CACHE_HOME/sov, else $HOME/.cache/sov
 *   SOV_CACHE_SIZE  its limit in bytes, or with suffix K, M, G; 0: no cache
 */
#ifndef SOV_CACHE_H
#define SOV_CACHE_H

#include "libsov/compiler/driver/compiler.h"

#define CACHE_DEFAULT_BYTES (UINT64_C(256) << 20)

/* What an entry contains: a whole module, its head, or one unit (compiler.h). */
enum { CACHE_HEAD = -1, CACHE_ALL = -2 }; /* otherwise a unit number */

/* The cache entries of one text; NULL: there is no cache. Threads may share it. */
struct cache;
struct cache *cache_open(const char *text, size_t length, const struct compile_options *o);
void cache_close(struct cache *c); /* NULL is allowed */
/* false: *r is unchanged. Statistics are not cached. c may be NULL. */
bool cache_find(const struct cache *c, int64_t unit, struct compile_result *r);
void cache_add(const struct cache *c, int64_t unit, const struct compile_result *r);

#endif
