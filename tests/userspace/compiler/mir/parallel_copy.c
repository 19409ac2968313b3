// SPDX-License-Identifier: MIT
/*
 * Every parallel copy over five locations, a source (or a constant) for each destination, executed
 * in the order that the sequentialiser chooses, has the effect of the parallel copy.
 */
#include "libsov/compiler/mir/parallel_copy.h"
#include "tests/tap.h"

enum { COPIES = 5, SOURCES = COPIES + 1, LOCATIONS = 2 * COPIES + 1, CONSTANT = 100 };

struct machine {
	struct copy_item items[COPIES];
	uint32_t value[LOCATIONS + 1]; /* by location, from 1 */
	uint32_t saved;                /* locations used to break cycles */
	bool has_swap;
};

static void emit(void *context, uint32_t k)
{
	struct machine *m = context;

	m->value[m->items[k].dst] = m->items[k].src ? m->value[m->items[k].src] : CONSTANT;
}

static bool swap(void *context, uint32_t k)
{
	struct machine *m = context;
	uint32_t *d = &m->value[m->items[k].dst], *s = &m->value[m->items[k].src], old = *d;

	if (!m->has_swap)
		return false;
	*d = *s;
	*s = old;
	return true;
}

static uint32_t save(void *context, uint32_t k)
{
	struct machine *m = context;
	uint32_t to = COPIES + 1 + m->saved++;

	m->value[to] = m->value[m->items[k].src];
	return to;
}

/* Source of destination d in copy number n; 0: a constant. */
static uint32_t source_of(uint32_t n, uint32_t d)
{
	while (--d)
		n /= SOURCES;
	return n % SOURCES;
}

/* Returns whether copy number n has its effect with at most max_saved saved sources. */
static bool is_right(uint32_t n, bool has_swap, bool break_last, uint32_t max_saved)
{
	struct machine m = {.has_swap = has_swap};
	struct parallel_copy c = {.items = m.items,
				  .count = COPIES,
				  .break_last = break_last,
				  .context = &m,
				  .emit = emit,
				  .swap = swap,
				  .save = save};

	for (uint32_t d = 1; d <= COPIES; d++) {
		m.items[d - 1] = (struct copy_item){.dst = d, .src = source_of(n, d)};
		m.value[d] = d;
	}
	parallel_copy_sequentialise(&c);
	for (uint32_t d = 1; d <= COPIES; d++)
		if (m.value[d] != (source_of(n, d) ? source_of(n, d) : CONSTANT))
			return false;
	return m.saved <= max_saved;
}

int main(void)
{
	for (int has_swap = 0; has_swap < 2; has_swap++)
		for (int last = 0; last < 2; last++) {
			uint32_t right = 0, count = 1;

			for (uint32_t d = 0; d < COPIES; d++)
				count *= SOURCES;
			for (uint32_t n = 0; n < count; n++)
				right += is_right(n, has_swap, last, has_swap ? 0 : COPIES / 2);
			ok(right == count,
			   "%u of %u parallel copies have their effect, cycles broken %s the %s "
			   "copy",
			   right, count, has_swap ? "by swapping" : "by saving",
			   last ? "last" : "first");
		}
	return tap_done();
}
