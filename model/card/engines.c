// SPDX-License-Identifier: MIT
/* Engines of a GH100 that channels can use. Runlist numbers are those in doorbell tokens of an H200
 * (copy engine 2: 1, 3: 3, 4: 10); that copy engines 0 and 1 share the graphics runlist is inferred
 * from their capabilities. Interrupt vectors are arbitrary: a driver must query them. */
#include <string.h>

#include "model/card/card_internal.h"

const struct card_engine card_engines[] = {
	{"GRAPHICS", RM_ENGINE_GRAPHICS, RM_UNIT_GRAPHICS, 8, 0},
	{"CE0", RM_ENGINE_COPY0, RM_UNIT_COPY0, 9, 0},
	{"CE1", RM_ENGINE_COPY0 + 1, RM_UNIT_COPY0 + 1, 10, 0},
	{"CE2", RM_ENGINE_COPY0 + 2, RM_UNIT_COPY0 + 2, 33, 1},
	{"CE3", RM_ENGINE_COPY0 + 3, RM_UNIT_COPY0 + 3, 34, 3},
	{"CE4", RM_ENGINE_COPY0 + 4, RM_UNIT_COPY0 + 4, 70, 10},
};
const uint32_t card_engine_count = sizeof(card_engines) / sizeof(*card_engines);
_Static_assert(sizeof(card_engines) / sizeof(*card_engines) <= CARD_MAX_ENGINES, "runlists");

const struct card_engine *engine_find(uint32_t type)
{
	for (uint32_t i = 0; i < card_engine_count; i++)
		if (card_engines[i].type == type)
			return &card_engines[i];
	return NULL;
}

static uint32_t first_of_runlist(const struct card_engine *e)
{
	uint32_t i = 0;

	while (card_engines[i].runlist != e->runlist)
		i++;
	return i;
}

struct model_runlist *engine_runlist(struct card *c, const struct card_engine *e)
{
	return c->runlists[first_of_runlist(e)];
}

bool runlists_create(struct card *c, const char *kind)
{
	for (uint32_t i = 0; kind && i < card_engine_count; i++)
		if (first_of_runlist(&card_engines[i]) == i &&
		    model_runlist_create(!strcmp(kind, "held"), &c->runlists[i]))
			return false;
	return true;
}

void runlists_destroy(struct card *c)
{
	for (uint32_t i = 0; i < CARD_MAX_ENGINES; i++)
		model_runlist_destroy(c->runlists[i]);
}
