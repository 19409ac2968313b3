/* SPDX-License-Identifier: MIT */
/*
 * What the library does, told while it does it: SOV_LOG says which areas and how much, SOV_DUMP_DIR
 * where copies of all programs go. While both are unset, an event costs the look at one byte.
 */
#ifndef SOV_LOG_H
#define SOV_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libsov/runtime/inner.h"

enum log_area {
	LOG_DEVICE,
	LOG_CONTEXT,
	LOG_STREAM,
	LOG_MEMORY,
	LOG_COPY,
	LOG_MODULE,
	LOG_LAUNCH,
	LOG_CALL,
	LOG_AREAS
};
/* Failures; what is made and given back; every single piece of work. */
enum log_level { LOG_OFF, LOG_ERROR, LOG_INFO, LOG_DEBUG };

extern uint8_t log_levels[LOG_AREAS];

static inline bool log_wanted(enum log_area area, enum log_level level)
{
	return __builtin_expect(__atomic_load_n(&log_levels[area], __ATOMIC_RELAXED) >= level, 0);
}

void log_line(enum log_area area, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* LOG(COPY, DEBUG, "…", …): one line, if somebody wants it; the arguments are evaluated only then. */
#define LOG(area, level, ...) \
	do { \
		if (log_wanted(LOG_##area, LOG_##level)) \
			log_line(LOG_##area, __VA_ARGS__); \
	} while (0)

/* Read SOV_LOG, SOV_LOG_FILE and SOV_DUMP_DIR; a sentence about what is wrong with them. */
sov_result log_init(void);
sov_result dump_init(void);

struct image;
/* Everything known of a module that was loaded, or refused: its source or NULL, the image made of
 * it or NULL, and what that holds. */
struct dump {
	const char *target;
	bool serial, unoptimised;
	const void *source, *file;
	size_t source_bytes, file_bytes;
	const struct image *image;
	const struct gpu *gpu; /* which disassembles … */
	const void *chip;      /* … code for this */
};
bool dump_wanted(void);
void dump_module(const struct dump *d);

#endif
