// SPDX-License-Identifier: MIT
/*
 * Packets of a compute queue overlap. A command processor starts a dispatch and reads on: only
 * CS_PARTIAL_FLUSH, or a wait for memory that a RELEASE_MEM writes, makes later packets wait for
 * it, and a RELEASE_MEM writes when the dispatches before it have ended, but does not stop the
 * packets behind it (Linux, gfx_v10_0.c: emit_fence, emit_pipeline_sync; Mesa, ac_cmdbuf: partial
 * flushes before dispatches that depend on others).
 *
 * In hazard and weak memory mode the model defers dispatches, chosen by the seed: they are executed
 * when the queue has to wait for them, or has no more packets. Deferred dispatches between two
 * releases are executed in any order.
 */
#include <stdlib.h>

#include "model/amd/queue.h"
#include "model/amd/wave.h"

#define MAX_DEFERRED 8

struct amd_deferred {
	struct amd_deferred *next;
	struct amd_grid *grid; /* NULL: a release */
	struct packet release;
};

static bool defers(struct model_channel *c)
{
	uint32_t count = 0;

	for (const struct amd_deferred *d = c->amd.deferred; d; d = d->next)
		count++;
	return c->amd.random && count < MAX_DEFERRED && amd_choice(&c->amd.random) % 4;
}

/* Appends an entry, with a copy of the grid; g NULL: a release. */
static bool append(struct model_channel *c, const struct amd_deferred *what,
		   const struct amd_grid *g)
{
	const struct model_error e = {.fault = MODEL_FAULT_DISPATCH};
	struct amd_deferred **at = &c->amd.deferred, *d = malloc(sizeof(*d));

	if (d) {
		*d = *what;
		d->next = NULL;
		d->grid = g ? malloc(sizeof(*g)) : NULL;
	}
	if (!d || (g && !d->grid)) {
		free(d);
		return channel_fail(c, &e, "dispatch: no host memory to defer it");
	}
	if (g)
		memcpy(d->grid, g, sizeof(*g));
	while (*at)
		at = &(*at)->next;
	*at = d;
	return true;
}

bool amd_deferred_dispatch(struct model_channel *c, struct amd_grid *g)
{
	return defers(c) ? append(c, &(struct amd_deferred){0}, g) : amd_grid_run(c, g);
}

bool amd_deferred_release(struct packet *p)
{
	if (p->c->amd.deferred && defers(p->c))
		return append(p->c, &(struct amd_deferred){.release = *p}, NULL);
	return amd_deferred_run(p->c) && amd_release(p);
}

/* Takes one of the dispatches before the next release, or that release. */
static struct amd_deferred *take(struct model_channel *c)
{
	struct amd_deferred **at = &c->amd.deferred, *d;
	uint32_t dispatches = 0, skip;

	for (d = *at; d && d->grid; d = d->next)
		dispatches++;
	skip = dispatches ? (uint32_t)(amd_choice(&c->amd.random) % dispatches) : 0;
	while (skip--)
		at = &(*at)->next;
	d = *at;
	*at = d->next;
	return d;
}

static void deferred_free(struct amd_deferred *d)
{
	free(d->grid);
	free(d);
}

bool amd_deferred_run(struct model_channel *c)
{
	bool good = true;

	while (good && c->amd.deferred) {
		struct amd_deferred *d = take(c);

		mmu_poll(&c->reader);
		good = d->grid ? amd_grid_run(c, d->grid) : amd_release(&d->release);
		deferred_free(d);
	}
	return good;
}

void amd_deferred_destroy(struct model_channel *c)
{
	while (c->amd.deferred)
		deferred_free(take(c));
}
