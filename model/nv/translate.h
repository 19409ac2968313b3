/* SPDX-License-Identifier: MIT */
/* Translates straight-line SASS into host code that works on whole rows. The interpreter (exec.c)
 * runs what has not been translated: instructions that end a block, warps that reach code for the
 * first times, and hosts without a backend. */
#ifndef MODEL_NV_TRANSLATE_H
#define MODEL_NV_TRANSLATE_H

#include "model/nv/exec.h"
#include "model/translate/emit.h"

struct translator;  /* of a code cache */
struct translation; /* of a code page */

/* Returns NULL if the host cannot execute generated code. visits: how often a warp reaches an
 * instruction before code that begins there is translated. checked: accesses to memory are
 * calls that tell the checker. */
struct translator *translator_create(enum emit_isa isa, uint32_t visits, bool checked);
void translator_destroy(struct translator *t);
struct translation *translation_create(struct translator *t);

/* Runs translated code from the warp's pc, about as many instructions as left. Returns their
 * number; 0: none is translated here. *jumped is set if the last one was a jump. */
uint32_t translated_run(struct warp *w, const struct code_page *page, uint32_t left, bool *jumped);

/* translate_handlers.c: a faster handler than the interpreter's for generated code, or NULL. It is
 * compiled for AVX. */
run_fn *translated_handler(const struct op *op, enum emit_isa isa);
/* translate_access.c: of global and shared memory, loads first, by words. */
extern run_fn *const access_handlers_avx512[4][3];
/* translate_roots.c */
enum { RECIPROCAL, RECIPROCAL_ROOT, ROOT };
extern run_fn *const root_handlers_avx512[3];

#endif
