/* SPDX-License-Identifier: MIT */
/* Who uses which GPU, as procfs tells it at one moment. */
#ifndef TOOLS_TOP_H
#define TOOLS_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/doctor.h"

enum top_engine { TOP_COMPUTE, TOP_COPY, TOP_ENGINES };

/* What one open file of a GPU's driver says of itself. */
struct top_client {
	char driver[32], gpu[32]; /* "sovgpu", PCI address */
	uint64_t id;
	uint64_t busy[TOP_ENGINES]; /* nanoseconds so far */
	uint64_t vram, system;      /* bytes */
};

/* A process on a GPU. */
struct top_use {
	uint32_t process, user;
	char command[32], driver[32], gpu[32];
	bool told;      /* the driver says how much it uses */
	uint32_t files; /* that are told apart */
	uint64_t busy[TOP_ENGINES], vram, system;
};

struct top_sample {
	uint64_t when;   /* nanoseconds */
	uint32_t hidden; /* processes that may not be looked at */
	uint32_t count, capacity;
	struct top_use *uses;
	uint32_t seen_count, seen_capacity;
	struct top_client *seen;
};

/* Reads the text of an fdinfo (Documentation/gpu/drm-usage-stats.rst); false: it is none of a
 * GPU's. */
bool top_parse_fdinfo(const char *text, struct top_client *out);
/* false: there is no memory. Free it with top_free. */
bool top_take_sample(const struct doctor_snapshot *machine, struct top_sample *s);
void top_free(struct top_sample *s);

#endif
