/* SPDX-License-Identifier: MIT */
/*
 * Interrupts of the function: a bit for each vector, which a unit sets and the driver clears by
 * writing it back. While any bit is pending that is enabled itself and in the top, the machine has
 * been told once; it is told again only after that has ended for a moment, which is what a driver
 * brings about by taking the top's enables away and giving them back.
 */
#include <string.h>
#include <unistd.h>

#include "model/card/card_internal.h"

static uint32_t top(const struct interrupts *i)
{
	uint32_t bits = 0;

	for (uint32_t leaf = 0; leaf < NV_VF_INTR_LEAVES_GH100; leaf++)
		if (i->pending[leaf] & i->enabled[leaf])
			bits |= 1u << leaf / 2;
	return bits;
}

/* MSI-X before MSI, and always the first vector. */
static void send(struct card *c)
{
	static const uint32_t kinds[] = {CARD_MSIX, CARD_MSI};
	const uint64_t one = 1;

	for (uint32_t i = 0; i < 2; i++) {
		int fd = c->vectors[kinds[i]][0];

		if (fd >= 0) {
			ssize_t n = write(fd, &one, sizeof(one));

			(void)n; /* a counter that is full has been seen by nobody, and will be */
			return;
		}
	}
}

/* With the lock held, after every change. */
static void tell(struct card *c)
{
	struct interrupts *i = &c->interrupts;
	bool now = top(i) & i->top_enabled;

	if (now && !i->told)
		send(c);
	i->told = now;
}

void interrupt_reset(struct card *c)
{
	struct interrupts *i = &c->interrupts;

	pthread_mutex_lock(&i->lock);
	memset(i->pending, 0, sizeof(i->pending));
	memset(i->enabled, 0, sizeof(i->enabled));
	i->top_enabled = 0;
	i->told = false;
	pthread_mutex_unlock(&i->lock);
}

bool interrupt_enabled(struct card *c)
{
	struct interrupts *i = &c->interrupts;

	pthread_mutex_lock(&i->lock);
	bool any = i->top_enabled;

	for (uint32_t leaf = 0; leaf < NV_VF_INTR_LEAVES_GH100; leaf++)
		any = any || i->enabled[leaf];
	pthread_mutex_unlock(&i->lock);
	return any;
}

void interrupt_raise(struct card *c, uint32_t vector)
{
	struct interrupts *i = &c->interrupts;

	pthread_mutex_lock(&i->lock);
	i->pending[vector / 32] |= 1u << vector % 32;
	tell(c);
	pthread_mutex_unlock(&i->lock);
}

/* One that no unit asked for: nothing is pending for it. */
void interrupt_raise_spurious(struct card *c)
{
	pthread_mutex_lock(&c->interrupts.lock);
	send(c);
	pthread_mutex_unlock(&c->interrupts.lock);
}

/* Which of the rows of leaves an offset lies in; the leaf, or none. */
static bool leaf_of(uint32_t offset, uint32_t first, uint32_t *leaf)
{
	*leaf = (offset - first) / 4;
	return offset >= first && offset % 4 == 0 && *leaf < NV_VF_INTR_LEAVES_GH100;
}

uint32_t interrupt_read(struct card *c, uint32_t offset)
{
	struct interrupts *i = &c->interrupts;
	uint32_t leaf, value = ~0u;

	pthread_mutex_lock(&i->lock);
	if (leaf_of(offset, NV_VF_INTR_LEAF(0), &leaf))
		value = i->pending[leaf];
	else if (leaf_of(offset, NV_VF_INTR_LEAF_ENABLE(0), &leaf) ||
		 leaf_of(offset, NV_VF_INTR_LEAF_DISABLE(0), &leaf))
		value = i->enabled[leaf];
	else if (offset == NV_VF_INTR_TOP)
		value = top(i);
	else if (offset == NV_VF_INTR_TOP_ENABLE || offset == NV_VF_INTR_TOP_DISABLE)
		value = i->top_enabled;
	else
		card_refuse(c, "BAR 0: read of 0x%06x: no such register of interrupts", offset);
	pthread_mutex_unlock(&i->lock);
	return value;
}

void interrupt_write(struct card *c, uint32_t offset, uint32_t value)
{
	struct interrupts *i = &c->interrupts;
	uint32_t leaf;

	pthread_mutex_lock(&i->lock);
	if (leaf_of(offset, NV_VF_INTR_LEAF(0), &leaf))
		i->pending[leaf] &= ~value;
	else if (leaf_of(offset, NV_VF_INTR_LEAF_ENABLE(0), &leaf))
		i->enabled[leaf] |= value;
	else if (leaf_of(offset, NV_VF_INTR_LEAF_DISABLE(0), &leaf))
		i->enabled[leaf] &= ~value;
	else if (offset == NV_VF_INTR_TOP_ENABLE)
		i->top_enabled |= value;
	else if (offset == NV_VF_INTR_TOP_DISABLE)
		i->top_enabled &= ~value;
	else
		card_refuse(c, "BAR 0: write of 0x%08x to 0x%06x: no such register of interrupts",
			    value, offset);
	tell(c);
	pthread_mutex_unlock(&i->lock);
}
