// SPDX-License-Identifier: MIT
/* Finds the translated code of a warp's pc, counts visits and enters generated code. */
#include <stdlib.h>

#include "model/nv/translate_block.h"

#if EMIT_HOST

#define BUFFER_BYTES (16u << 20)

/* Counts a visit and perhaps translates. Returns the code, or NULL. */
static const void *visit(struct translation *n, const struct code_page *page, uint32_t index,
			 bool whole)
{
	struct translator *t = n->translator;
	const void *code, *none = t->frame.leave;
	uint8_t visits = atomic_load_explicit(&n->visits[whole][index], memory_order_relaxed);

	if (visits == NEVER)
		return NULL;
	if (visits + 1u < t->visits) {
		atomic_store_explicit(&n->visits[whole][index], (uint8_t)(visits + 1),
				      memory_order_relaxed);
		return NULL;
	}
	pthread_mutex_lock(&t->lock);
	code = atomic_load_explicit(&n->entry[whole][index], memory_order_relaxed);
	if (code == none) {
		code = block_translate(t, page, index, whole);
		if (code)
			atomic_store_explicit(&n->entry[whole][index], code, memory_order_release);
		atomic_store_explicit(&n->visits[whole][index], NEVER, memory_order_relaxed);
	}
	pthread_mutex_unlock(&t->lock);
	return code;
}

uint32_t translated_run(struct warp *w, const struct code_page *page, uint32_t left, bool *jumped)
{
	struct translation *n = page->translation;
	uint32_t index = (uint32_t)((w->pc - page->va) / WORD_BYTES), executed;
	bool whole = w->mask == w->live;
	const void *code;
	uint64_t out;

	if (w->pc % WORD_BYTES)
		return 0;
	code = atomic_load_explicit(&n->entry[whole][index], memory_order_acquire);
	if (code == n->translator->frame.leave)
		code = visit(n, page, index, whole);
	if (!code)
		return 0;
	out = n->translator->frame.enter(w, (int32_t)left, code);
	executed = left - (uint32_t)out;
	if (executed)
		*jumped = out >> 32;
	return executed;
}

struct translator *translator_create(enum emit_isa isa, uint32_t visits, bool checked)
{
	static const struct emit_layout layout = {
		offsetof(struct warp, r), offsetof(struct warp, mask), offsetof(struct warp, grid)};
	struct translator *t;

	isa = emit_isa_of_host(isa);
	t = isa == EMIT_NONE ? NULL : calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->isa = isa;
	t->visits = visits;
	t->checked = checked;
	t->buffer = code_buffer_create(BUFFER_BYTES);
	if (t->buffer) {
		emit_start(&t->emit, t->buffer, isa);
		if (emit_frame(&t->emit, &layout, &t->frame)) {
			pthread_mutex_init(&t->lock, NULL);
			return t;
		}
		code_buffer_destroy(t->buffer);
	}
	free(t);
	return NULL;
}

void translator_destroy(struct translator *t)
{
	if (!t)
		return;
	pthread_mutex_destroy(&t->lock);
	code_buffer_destroy(t->buffer);
	free(t);
}

struct translation *translation_create(struct translator *t)
{
	struct translation *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->translator = t;
	for (uint32_t whole = 0; whole < 2; whole++)
		for (uint32_t i = 0; i < PAGE_OPS; i++)
			atomic_init(&n->entry[whole][i], (const void *)t->frame.leave);
	return n;
}

#else

struct translator *translator_create(enum emit_isa isa, uint32_t visits, bool checked)
{
	(void)isa;
	(void)visits;
	(void)checked;
	return NULL;
}

void translator_destroy(struct translator *t)
{
	(void)t;
}

struct translation *translation_create(struct translator *t)
{
	(void)t;
	return NULL;
}

uint32_t translated_run(struct warp *w, const struct code_page *page, uint32_t left, bool *jumped)
{
	(void)w;
	(void)page;
	(void)left;
	(void)jumped;
	return 0;
}

#endif
