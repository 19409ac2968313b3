/* SPDX-License-Identifier: MIT */
/* Sample of the processes that use GPUs, taken from procfs. */
#ifndef TOOLS_TOP_H
#define TOOLS_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/doctor.h"

enum top_engine { TOP_COMPUTE, TOP_COPY, TOP_ENGINES };

/* Statistics of one DRM client (an open file of a GPU driver), from its fdinfo. */
struct top_client {
	char driver[32], gpu[32]; /* "sovgpu", PCI address */
	uint64_t id;
	uint64_t engine_ns[TOP_ENGINES]; /* cumulative */
	uint64_t vram, system;           /* bytes */
};

/* The use of one GPU by one process. */
struct top_process {
	uint32_t pid, uid;
	char command[32], driver[32], gpu[32];
	bool has_usage;  /* the driver reports engine time and … */
	bool has_memory; /* … memory */
	uint32_t files;  /* open files of the driver; a DRM client counts once */
	uint64_t engine_ns[TOP_ENGINES], vram, system;
};

struct top_sample {
	uint64_t time_ns;
	uint32_t inaccessible; /* processes whose open files this user may not read */
	uint32_t count, capacity;
	struct top_process *processes;
	uint32_t client_count, client_capacity;
	struct top_client *clients; /* counted so far, to count shared ones once */
};

/* The software GPUs of one kind in a process. */
struct top_software {
	char chip[16];
	uint64_t busy_ns; /* CPU time of their threads, over all processors */
	bool has_memory;
	uint64_t memory; /* bytes */
};
#define TOP_MAX_SOFTWARE 8u
/* Finds those of the process whose folder of procfs this is, and returns their number. */
uint32_t top_software(const char *folder, struct top_software list[TOP_MAX_SOFTWARE]);

/* Names are other users' text: control characters, of which terminals' escape sequences consist,
 * become question marks. */
void top_hide_controls(char *text);
/* Parses an fdinfo file (the kernel's Documentation/gpu/drm-usage-stats.rst); false: the file is
 * not a DRM client. */
bool top_parse_fdinfo(const char *text, struct top_client *out);
/* Percentage of the time between two samples; negative: unknown. */
double top_utilisation(const struct top_sample *old, const struct top_sample *now,
		       const struct top_process *p, enum top_engine engine);
/* Returns false if out of memory. The caller frees the sample with top_free(). */
bool top_take_sample(const struct doctor_snapshot *machine, struct top_sample *s);
void top_free(struct top_sample *s);

#endif
