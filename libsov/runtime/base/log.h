/* SPDX-License-Identifier: MIT */
/* The log. SOV_LOG selects areas and levels; a disabled log statement tests one byte. */
#ifndef SOV_LOG_H
#define SOV_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_area {
	LOG_DEVICE,
	LOG_CONTEXT,
	LOG_STREAM,
	LOG_MEMORY,
	LOG_COPY,
	LOG_MODULE,
	LOG_LAUNCH,
	LOG_CALL,
	LOG_CUDA, /* libsov/cuda, which reads SOV_LOG itself */
	LOG_AREAS
};
/* error: failures; info: objects created and destroyed; debug: every submission. */
enum log_level { LOG_OFF, LOG_ERROR, LOG_INFO, LOG_DEBUG };

extern uint8_t log_levels[LOG_AREAS];

static inline bool log_wanted(enum log_area area, enum log_level level)
{
	return __builtin_expect(__atomic_load_n(&log_levels[area], __ATOMIC_RELAXED) >= level, 0);
}

void log_line(enum log_area area, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* LOG(COPY, DEBUG, "…", …) writes a line; disabled, it does not evaluate the arguments. */
#define LOG(area, level, ...) \
	do { \
		if (log_wanted(LOG_##area, LOG_##level)) \
			log_line(LOG_##area, __VA_ARGS__); \
	} while (0)

/* Reads SOV_LOG and SOV_LOG_FILE. false: one of them is invalid, and message says why. */
bool log_init(char *message, size_t bytes);

#endif
