// SPDX-License-Identifier: MIT
/* The cache of decoded code. The first fetch from a page decodes the whole page; later writes to it
 * are not visible until the instruction cache is invalidated, which replaces the whole cache. Grids
 * hold a reference, so a cache lives as long as a grid executes from it. */
#include <stdlib.h>
#include <string.h>

#include "model/nv/profile.h"
#include "model/nv/translate.h"

#define BUCKETS 64

struct code {
	atomic_uint references;
	uint32_t sm;
	bool hazard, profiled, checked;
	pthread_mutex_t lock;
	struct code_page *buckets[BUCKETS];
	uint32_t translate, translate_visits; /* as in struct model; 0: no translator is made */
	/* Made when a page is decoded for the first time; NULL: code is interpreted. */
	struct translator *translator;
};

struct code *code_create(const struct model *m)
{
	struct code *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	atomic_init(&c->references, 1);
	c->sm = m->chip->sm;
	c->hazard = m->hazard;
	c->profiled = m->profiled != NULL;
	c->checked = m->checks;
	c->translate = m->translate;
	c->translate_visits = m->translate_visits;
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

struct code *code_get(struct code *c)
{
	atomic_fetch_add(&c->references, 1);
	return c;
}

static void page_free(struct code_page *p)
{
	free(p->translation);
	profile_sites_free(p->sites);
	free(p->timings);
	free(p);
}

void code_put(struct code *c)
{
	if (!c || atomic_fetch_sub(&c->references, 1) > 1)
		return;
	for (uint32_t i = 0; i < BUCKETS; i++)
		for (struct code_page *p = c->buckets[i], *next; p; p = next) {
			next = p->next;
			page_free(p);
		}
	translator_destroy(c->translator);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static struct code_page *page_create(struct code *c, uint64_t va, const uint8_t *bytes)
{
	struct code_page *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->va = va;
	p->timings = c->hazard ? timing_create(PAGE_OPS) : NULL;
	p->sites = c->profiled ? profile_sites_create() : NULL;
	if ((c->hazard && !p->timings) || (c->profiled && !p->sites)) {
		page_free(p);
		return NULL;
	}
	if (c->translate)
		c->translator = translator_create(c->translate, c->translate_visits, c->checked);
	c->translate = 0;
	if (c->translator)
		p->translation = translation_create(c->translator);
	for (uint32_t i = 0; i < PAGE_OPS; i++) {
		struct op *op = &p->ops[i];
		struct sass_word word;

		memcpy(&word, bytes + i * WORD_BYTES, sizeof(word));
		op->inst = &p->insts[i];
		op->guard = SASS_PT;
		op->span_site = i % MMU_SITES;
		if (!sass_decode(c->sm, word, &p->insts[i])) {
			p->insts[i].form = NULL;
			op->run = run_illegal;
			op->reason = "no such encoding";
			continue;
		}
		op->reason = op_prepare(op, &p->insts[i]);
		if (op->reason)
			op->run = run_illegal;
		else if (p->timings)
			op->timing = timing_prepare(p->timings, i, &p->insts[i], c->sm);
		if (p->sites && !op->reason)
			profile_count_op(p->sites, i, op);
	}
	return p;
}

const struct code_page *code_find(struct code *c, struct mmu_reader *r, uint64_t va,
				  enum mmu_result *why)
{
	uint64_t base = va & ~(uint64_t)(MMU_PAGE_BYTES - 1);
	struct code_page **bucket = &c->buckets[base / MMU_PAGE_BYTES % BUCKETS], *p;

	*why = MMU_OK;
	pthread_mutex_lock(&c->lock);
	for (p = *bucket; p && p->va != base;)
		p = p->next;
	if (!p) {
		const uint8_t *bytes = mmu_translate(r, base, MODEL_READ, why);

		p = bytes ? page_create(c, base, bytes) : NULL;
		if (p) {
			p->next = *bucket;
			*bucket = p;
		}
	}
	pthread_mutex_unlock(&c->lock);
	return p;
}
