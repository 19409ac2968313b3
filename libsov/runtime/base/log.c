// SPDX-License-Identifier: MIT
/*
 * The log. Each line is one write(2), so that lines of several threads, and of processes that share
 * a file, do not mix.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "libsov/runtime/base/call_observers.h"
#include "libsov/runtime/base/clock.h"
#include "libsov/runtime/base/log.h"

uint8_t log_levels[LOG_AREAS];

static const char *const areas[] = {
	[LOG_DEVICE] = "device", [LOG_CONTEXT] = "context", [LOG_STREAM] = "stream",
	[LOG_MEMORY] = "memory", [LOG_COPY] = "copy",       [LOG_MODULE] = "module",
	[LOG_LAUNCH] = "launch", [LOG_CALL] = "call",       [LOG_CUDA] = "cuda",
};
static const char *const levels[] = {
	[LOG_OFF] = "off",
	[LOG_ERROR] = "error",
	[LOG_INFO] = "info",
	[LOG_DEBUG] = "debug",
};
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static int out = STDERR_FILENO;
static uint64_t start;

void log_line(enum log_area area, const char *fmt, ...)
{
	char line[1024];
	uint64_t us = (now_ns() - start) / 1000;
	int n = snprintf(line, sizeof(line), "sov[%ld] %llu.%06llu %s: ", syscall(SYS_gettid),
			 (unsigned long long)(us / 1000000), (unsigned long long)(us % 1000000),
			 areas[area]);
	va_list ap;

	va_start(ap, fmt);
	n += vsnprintf(line + n, sizeof(line) - (size_t)n, fmt, ap);
	va_end(ap);
	if ((size_t)n > sizeof(line) - 1)
		n = sizeof(line) - 1;
	line[n++] = '\n'; /* may overwrite the terminator */
	if (write(out, line, (size_t)n) < 0)
		return; /* there is no other channel to report this */
}

static int find_name(const char *const *names, size_t count, const char *word, size_t length)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strlen(names[i]) == length && !memcmp(names[i], word, length))
			return (int)i;
	return -1;
}

/* AREA, AREA=LEVEL, or LEVEL for all areas. */
static bool log_parse_item(const char *item, size_t length, uint8_t wanted[LOG_AREAS])
{
	const char *equals = memchr(item, '=', length);
	size_t left = equals ? (size_t)(equals - item) : length;
	int area = find_name(areas, COUNT(areas), item, left);
	int level = equals      ? find_name(levels, COUNT(levels), equals + 1, length - left - 1)
		    : area >= 0 ? LOG_DEBUG
				: find_name(levels, COUNT(levels), item, length);

	if (level < 0 || (equals && area < 0))
		return false;
	if (area >= 0)
		wanted[area] = (uint8_t)level;
	else
		memset(wanted, level, LOG_AREAS);
	return true;
}

static bool log_open_file(char *message, size_t bytes)
{
	const char *path = secure_getenv("SOV_LOG_FILE");
	int file;

	if (!path || !*path || out != STDERR_FILENO)
		return true;
	file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (file < 0) {
		snprintf(message, bytes,
			 "SOV_LOG_FILE: cannot write '%s': %s; name a file that can be written",
			 path, strerror(errno));
		return false;
	}
	out = file;
	return true;
}

bool log_init(char *message, size_t bytes)
{
	const char *p = secure_getenv("SOV_LOG");
	uint8_t wanted[LOG_AREAS] = {0};
	size_t i;

	if (!p || !*p)
		return true;
	for (;;) {
		size_t length = strcspn(p, ",");

		if (!log_parse_item(p, length, wanted)) {
			snprintf(message, bytes,
				 "SOV_LOG: '%.*s' is not LEVEL, AREA or AREA=LEVEL; levels: off "
				 "error info debug; areas: device context stream memory copy "
				 "module launch call cuda",
				 (int)length, p);
			return false;
		}
		if (!p[length])
			break;
		p += length + 1;
	}
	if (!log_open_file(message, bytes))
		return false;
	start = now_ns();
	for (i = 0; i < LOG_AREAS; i++)
		__atomic_store_n(&log_levels[i], wanted[i], __ATOMIC_RELAXED);
	if (log_wanted(LOG_CALL, LOG_DEBUG))
		call_observer_add(CALL_OBSERVER_LOG);
	return true;
}
