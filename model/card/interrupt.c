// SPDX-License-Identifier: MIT
/* The interrupt tree of the function: a pending bit for each vector, which a unit sets and the
 * driver clears by writing it back. The card sends one MSI when an enabled bit below an enabled top
 * bit becomes pending, and the next only after the condition was false in between; a driver causes
 * this by disabling and re-enabling the top. */
#include <string.h>
#include <unistd.h>

#include "model/card/card_internal.h"

static uint32_t pending_top(const struct interrupts *i)
{
	uint32_t bits = 0;

	for (uint32_t leaf = 0; leaf < NV_VF_INTR_LEAVES_GH100; leaf++)
		if (i->pending[leaf] & i->enabled[leaf])
			bits |= 1u << leaf / 2;
	return bits;
}

/* MSI-X takes precedence over MSI; always the first vector. */
static void send_msi(struct card *c)
{
	static const uint32_t kinds[] = {CARD_MSIX, CARD_MSI};
	const uint64_t one = 1;

	for (uint32_t i = 0; i < 2; i++) {
		int fd = c->vectors[kinds[i]][0];

		if (fd >= 0) {
			ssize_t n = write(fd, &one, sizeof(one));

			(void)n; /* a full counter is still to be read by the machine */
			return;
		}
	}
}

/* Sends an MSI if needed. Called with the lock held after every change. */
static void update_msi(struct card *c)
{
	struct interrupts *i = &c->interrupts;
	bool now = pending_top(i) & i->top_enabled;

	if (now && !i->msi_sent)
		send_msi(c);
	i->msi_sent = now;
}

void interrupt_reset(struct card *c)
{
	struct interrupts *i = &c->interrupts;

	pthread_mutex_lock(&i->lock);
	memset(i->pending, 0, sizeof(i->pending));
	memset(i->enabled, 0, sizeof(i->enabled));
	i->top_enabled = 0;
	i->msi_sent = false;
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
	update_msi(c);
	pthread_mutex_unlock(&i->lock);
}

void interrupt_rearm(struct card *c, uint32_t value)
{
	(void)value;
	pthread_mutex_lock(&c->interrupts.lock);
	c->interrupts.msi_sent = false;
	update_msi(c);
	pthread_mutex_unlock(&c->interrupts.lock);
}

/* Sends an interrupt without a pending bit. */
void interrupt_raise_spurious(struct card *c)
{
	pthread_mutex_lock(&c->interrupts.lock);
	send_msi(c);
	pthread_mutex_unlock(&c->interrupts.lock);
}

/* True if offset lies in a row of leaf registers; *leaf is its index. */
static bool leaf_of(const struct card *c, uint32_t offset, uint32_t first, uint32_t *leaf)
{
	*leaf = (offset - first) / 4;
	return offset >= first && offset % 4 == 0 && *leaf < c->chip->interrupt_leaves;
}

uint32_t interrupt_read(struct card *c, uint32_t offset)
{
	struct interrupts *i = &c->interrupts;
	uint32_t leaf, value = ~0u;

	pthread_mutex_lock(&i->lock);
	if (leaf_of(c, offset, NV_VF_INTR_LEAF(0), &leaf))
		value = i->pending[leaf];
	else if (leaf_of(c, offset, NV_VF_INTR_LEAF_ENABLE(0), &leaf) ||
		 leaf_of(c, offset, NV_VF_INTR_LEAF_DISABLE(0), &leaf))
		value = i->enabled[leaf];
	else if (offset == NV_VF_INTR_TOP)
		value = pending_top(i);
	else if (offset == NV_VF_INTR_TOP_ENABLE || offset == NV_VF_INTR_TOP_DISABLE)
		value = i->top_enabled;
	else
		card_refuse(c, "BAR 0: read of 0x%06x: no such interrupt register", offset);
	pthread_mutex_unlock(&i->lock);
	return value;
}

void interrupt_write(struct card *c, uint32_t offset, uint32_t value)
{
	struct interrupts *i = &c->interrupts;
	uint32_t leaf;

	pthread_mutex_lock(&i->lock);
	if (leaf_of(c, offset, NV_VF_INTR_LEAF(0), &leaf))
		i->pending[leaf] &= ~value;
	else if (leaf_of(c, offset, NV_VF_INTR_LEAF_ENABLE(0), &leaf))
		i->enabled[leaf] |= value;
	else if (leaf_of(c, offset, NV_VF_INTR_LEAF_DISABLE(0), &leaf))
		i->enabled[leaf] &= ~value;
	else if (offset == NV_VF_INTR_TOP_ENABLE)
		i->top_enabled |= value;
	else if (offset == NV_VF_INTR_TOP_DISABLE)
		i->top_enabled &= ~value;
	else
		card_refuse(c, "BAR 0: write of 0x%08x to 0x%06x: no such interrupt register",
			    value, offset);
	update_msi(c);
	pthread_mutex_unlock(&i->lock);
}
