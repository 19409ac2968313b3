/* SPDX-License-Identifier: MIT */
/*
 * Tests speak TAP: one "ok N - promise" or "not ok N - promise" per line, a plan at the end.
 * tests/run adds the lines of all programs up. A test is named by what it promises.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sanitizers make code several times slower: tests that only repeat themselves do so less often. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TAP_SLOWNESS 8
#else
#define TAP_SLOWNESS 1
#endif

static int tap_count, tap_failed;
static bool tap_quiet
	__attribute__((unused)); /* no diagnoses: something is tried that may go wrong */

/* Reports one result and returns it, so that a caller can stop early or add a diagnosis. */
__attribute__((format(printf, 2, 3), unused)) static bool ok(bool good, const char *fmt, ...)
{
	va_list ap;

	tap_count++;
	tap_failed += !good;
	printf("%sok %d - ", good ? "" : "not ", tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	return good;
}

__attribute__((format(printf, 1, 2), unused)) static void diag(const char *fmt, ...)
{
	va_list ap;

	if (tap_quiet)
		return;
	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
}

__attribute__((unused)) static bool is_str(const char *got, const char *want, const char *name)
{
	bool same = got && want && !strcmp(got, want);

	ok(same, "%s", name ? name : "(no name)");
	if (!same)
		diag("got:  %s", got ? got : "(null)"), diag("want: %s", want ? want : "(null)");
	return same;
}

__attribute__((unused)) static int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif
