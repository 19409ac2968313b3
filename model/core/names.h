/* SPDX-License-Identifier: MIT */
/* Names by which other processes (sov top) recognise a software GPU: of its threads, whose CPU time
 * is the GPU's, and of the mapping that is its memory. */
#ifndef MODEL_NAMES_H
#define MODEL_NAMES_H

#include <stdio.h>
#include <sys/prctl.h>
#include "model/core/model.h"

#define MODEL_NAME_PREFIX "sov:"

#ifndef PR_SET_VMA
#define PR_SET_VMA           0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

/* Names the calling thread; threads that it creates inherit the name. */
static inline void model_name_thread(const struct model_chip *chip)
{
	char name[16];

	snprintf(name, sizeof(name), MODEL_NAME_PREFIX "%s", chip->name);
	prctl(PR_SET_NAME, name, 0, 0, 0);
}

/* Linux without CONFIG_ANON_VMA_NAME leaves the mapping without a name. */
static inline void model_name_memory(const struct model_chip *chip, void *memory, uint64_t bytes)
{
	char name[32];

	snprintf(name, sizeof(name), MODEL_NAME_PREFIX "%s", chip->name);
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, memory, bytes, name);
}

#endif
