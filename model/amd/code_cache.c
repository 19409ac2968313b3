// SPDX-License-Identifier: MIT
/* The cache of decoded instructions, by address, and the table of handlers. */
#include <pthread.h>
#include <stdlib.h>

#include "model/amd/wave.h"

#define BUCKETS 64
struct code {
	atomic_uint references;
	pthread_mutex_t lock; /* buckets; serialises decoding */
	struct code_page *buckets[BUCKETS];
};

static const struct handler *handlers[AMD_OP_COUNT];
static pthread_once_t handlers_once = PTHREAD_ONCE_INIT;

static void collect_handlers(void)
{
	static const struct handler *const tables[] = {
		amd_handlers_scalar, amd_handlers_integer, amd_handlers_float,   amd_handlers_half,
		amd_handlers_double, amd_handlers_convert, amd_handlers_compare, amd_handlers_lane,
		amd_handlers_memory, amd_handlers_lds,
	};

	for (uint32_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		for (const struct handler *h = tables[t]; h->op < AMD_OP_COUNT; h++)
			handlers[h->op] = h;
}

const struct handler *amd_handler_of(enum amd_op op)
{
	pthread_once(&handlers_once, collect_handlers);
	return handlers[op];
}

struct code *amd_code_create(const struct model *m)
{
	struct code *c = calloc(1, sizeof(*c));

	(void)m;
	if (!c)
		return NULL;
	atomic_init(&c->references, 1);
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

struct code *amd_code_get(struct code *c)
{
	atomic_fetch_add(&c->references, 1);
	return c;
}

void amd_code_put(struct code *c)
{
	if (!c || atomic_fetch_sub(&c->references, 1) > 1)
		return;
	for (uint32_t b = 0; b < BUCKETS; b++)
		for (struct code_page *p = c->buckets[b], *next; p; p = next) {
			next = p->next;
			for (uint32_t i = 0; i < PAGE_WORDS; i++)
				free(atomic_load_explicit(&p->ops[i], memory_order_relaxed));
			free(p);
		}
	pthread_mutex_destroy(&c->lock);
	free(c);
}

struct code_page *amd_code_page(struct code *c, uint64_t va)
{
	struct code_page **list = &c->buckets[va / MMU_PAGE_BYTES % BUCKETS], *p;

	pthread_mutex_lock(&c->lock);
	for (p = *list; p && p->va != va; p = p->next)
		;
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (p) {
			p->va = va;
			p->next = *list;
			*list = p;
		}
	}
	pthread_mutex_unlock(&c->lock);
	return p;
}

/* Number of vector registers that an instruction needs. */
static uint16_t vgprs_of(const struct op *op)
{
	uint32_t top = AMD_VGPR;

	for (uint32_t u = 0; u < op->uses_count; u++) {
		uint32_t end = (uint32_t)op->uses[u].reg + op->uses[u].count;

		top = op->uses[u].reg >= AMD_VGPR && end > top ? end : top;
	}
	return (uint16_t)(top - AMD_VGPR);
}

static struct op *decode_at_pc(struct wave *w, const char **why)
{
	uint32_t words[AMD_MAX_WORDS], n = 0;
	uint64_t fault;
	struct op *op;

	while (n < AMD_MAX_WORDS &&
	       amd_memory_read(w, w->pc + 4 * n, &words[n], 4, AMD_ORDERED, &fault) == MMU_OK)
		n++;
	op = calloc(1, sizeof(*op));
	*why = "no host memory for a decoded instruction";
	if (!op)
		return NULL;
	if (!n)
		*why = "no code is mapped there";
	else if (!amd_decode(AMD_GFX1030, words, n, &op->in))
		*why = "these words are not an instruction";
	else if (!(op->handler = amd_handler_of(op->in.row->op)))
		*why = "this instruction is not modelled";
	else
		*why = NULL;
	if (*why) {
		free(op);
		return NULL;
	}
	op->uses_count = (uint8_t)amd_uses(&op->in, op->uses);
	op->vgprs = vgprs_of(op);
	return op;
}

const struct op *amd_code_decode(struct wave *w, struct code_page *p, const char **why)
{
	_Atomic(struct op *) *at = &p->ops[w->pc % MMU_PAGE_BYTES / 4];
	struct code *c = w->grid->code;
	struct op *op;

	pthread_mutex_lock(&c->lock);
	/* Another thread may have decoded it before this one got the lock. */
	op = atomic_load_explicit(at, memory_order_relaxed);
	if (!op) {
		op = decode_at_pc(w, why);
		atomic_store_explicit(at, op, memory_order_release);
	}
	pthread_mutex_unlock(&c->lock);
	return op;
}
