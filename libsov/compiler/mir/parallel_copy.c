// SPDX-License-Identifier: MIT
/* Sequentialising a parallel copy, as in Briggs et al. 1998, "Practical Improvements to the
 * Construction and Destruction of Static Single Assignment Form". */
#include "libsov/compiler/mir/parallel_copy.h"

static bool is_read_by_other(const struct parallel_copy *c, uint32_t k)
{
	for (uint32_t j = 0; j < c->count; j++)
		if (j != k && !c->items[j].done && c->items[j].src == c->items[k].dst)
			return true;
	return false;
}

/* Pending copies read the value from its new location. */
static void redirect_sources(const struct parallel_copy *c, uint32_t from, uint32_t to)
{
	for (uint32_t k = 0; k < c->count; k++)
		if (!c->items[k].done && c->items[k].src == from)
			c->items[k].src = to;
}

static void break_cycle(const struct parallel_copy *c, uint32_t k)
{
	struct copy_item *item = &c->items[k];

	if (c->swap && c->swap(c->context, k)) {
		item->done = true;
		redirect_sources(c, item->dst, item->src);
		return;
	}
	redirect_sources(c, item->src, c->save(c->context, k));
}

void parallel_copy_sequentialise(const struct parallel_copy *c)
{
	for (;;) {
		uint32_t blocked = c->count;
		bool progress = false;

		for (uint32_t k = 0; k < c->count; k++) {
			if (c->items[k].done)
				continue;
			if (is_read_by_other(c, k)) {
				if (blocked == c->count || c->break_last)
					blocked = k;
				continue;
			}
			c->emit(c->context, k);
			c->items[k].done = progress = true;
		}
		if (blocked == c->count)
			return;
		if (!progress)
			break_cycle(c, blocked);
	}
}
