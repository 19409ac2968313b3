// SPDX-License-Identifier: MIT
/* Instructions, decoded once and found again by their address; and the table of what they do. */
#include <pthread.h>
#include <stdlib.h>

#include "model/amd/wave.h"

#define PAGE_WORDS 1024u

struct page {
	uint64_t va;
	struct page *next;
	struct op *ops[PAGE_WORDS];
};

#define BUCKETS 64
struct code {
	const struct amd_memory *memory;
	struct page *pages[BUCKETS];
	struct page *last;
};

static const struct handler *handlers[AMD_OP_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void collect(void)
{
	static const struct handler *const tables[] = {
		amd_handlers_scalar, amd_handlers_integer, amd_handlers_float,	 amd_handlers_half,
		amd_handlers_double, amd_handlers_convert, amd_handlers_compare, amd_handlers_lane,
		amd_handlers_memory, amd_handlers_lds,
	};

	for (uint32_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		for (const struct handler *h = tables[t]; h->op < AMD_OP_COUNT; h++)
			handlers[h->op] = h;
}

const struct handler *amd_handler_of(enum amd_op op)
{
	pthread_once(&once, collect);
	return handlers[op];
}

struct code *amd_code_create(const struct amd_memory *memory)
{
	struct code *c = calloc(1, sizeof(*c));

	if (c)
		c->memory = memory;
	return c;
}

void amd_code_destroy(struct code *c)
{
	for (uint32_t b = 0; c && b < BUCKETS; b++)
		for (struct page *p = c->pages[b], *next; p; p = next) {
			next = p->next;
			for (uint32_t i = 0; i < PAGE_WORDS; i++)
				free(p->ops[i]);
			free(p);
		}
	free(c);
}

static struct page *page_of(struct code *c, uint64_t va)
{
	struct page **list = &c->pages[va / (4 * PAGE_WORDS) % BUCKETS], *p;

	for (p = *list; p && p->va != va; p = p->next)
		;
	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->va = va;
	p->next = *list;
	*list = p;
	return p;
}

static struct op *decode(struct code *c, uint64_t pc, const char **why)
{
	uint32_t words[AMD_MAX_WORDS], n = 0;
	struct op *op;

	while (n < AMD_MAX_WORDS && amd_memory_read(c->memory, pc + 4 * n, &words[n], 4))
		n++;
	op = calloc(1, sizeof(*op));
	*why = "no memory for a decoded instruction";
	if (!op)
		return NULL;
	if (!n)
		*why = "there is no code";
	else if (!amd_decode(AMD_GFX1030, words, n, &op->in))
		*why = "these words are no instruction";
	else if (!(op->handler = amd_handler_of(op->in.row->op)))
		*why = "this instruction is not modelled";
	else
		*why = NULL;
	if (*why) {
		free(op);
		return NULL;
	}
	op->uses_count = (uint8_t)amd_uses(&op->in, op->uses);
	return op;
}

const struct op *amd_code_at(struct code *c, uint64_t pc, const char **why)
{
	uint64_t va = pc - pc % (4 * PAGE_WORDS);
	uint32_t at = (uint32_t)(pc - va) / 4;

	*why = "the address is not a multiple of 4";
	if (pc % 4)
		return NULL;
	if (!c->last || c->last->va != va)
		c->last = page_of(c, va);
	*why = "no memory for a page of code";
	if (!c->last)
		return NULL;
	if (!c->last->ops[at])
		c->last->ops[at] = decode(c, pc, why);
	return c->last->ops[at];
}
