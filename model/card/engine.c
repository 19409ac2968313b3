/* SPDX-License-Identifier: MIT */
/*
 * Engines of a GH100 that channels can use. Runlists are those that doorbell tokens of an H200 show
 * (copy engine 2: 1, 3: 3, 4: 10); that 0 and 1 share the graphics engine's is inferred from their
 * capabilities. Vectors are the model's own, and a driver must ask for them.
 */
#include "model/card/internal.h"

const struct card_engine card_engines[] = {
	{"GRAPHICS", RM_ENGINE_GRAPHICS, RM_UNIT_GRAPHICS, 8, 0},
	{"CE0", RM_ENGINE_COPY0, RM_UNIT_COPY0, 9, 0},
	{"CE1", RM_ENGINE_COPY0 + 1, RM_UNIT_COPY0 + 1, 10, 0},
	{"CE2", RM_ENGINE_COPY0 + 2, RM_UNIT_COPY0 + 2, 33, 1},
	{"CE3", RM_ENGINE_COPY0 + 3, RM_UNIT_COPY0 + 3, 34, 3},
	{"CE4", RM_ENGINE_COPY0 + 4, RM_UNIT_COPY0 + 4, 70, 10},
};
const uint32_t card_engine_count = sizeof(card_engines) / sizeof(*card_engines);

const struct card_engine *engine_find(uint32_t type)
{
	for (uint32_t i = 0; i < card_engine_count; i++)
		if (card_engines[i].type == type)
			return &card_engines[i];
	return NULL;
}
