/* SPDX-License-Identifier: MIT */
/*
 * TAP (Test Anything Protocol) for C tests: one "ok N - name" or "not ok N - name" line per check,
 * and a plan at the end. tests/run sums up the results of all programs. A test name is a sentence
 * that states what must hold.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sanitizers slow code down several times, so tests with many repetitions divide them by this. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TAP_SLOWNESS 8
#else
#define TAP_SLOWNESS 1
#endif

/* In a child of fork(), AddressSanitizer's allocator waits for ever for a lock that another thread
 * of the parent held. */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define TAP_THREADS_MAY_FORK 0
#else
#define TAP_THREADS_MAY_FORK 1
#endif

static int tap_count, tap_failed;
static bool tap_quiet __attribute__((unused)); /* suppress diagnostics during expected failures */

/* Reports one result and returns it, so that the caller can stop early or print a diagnostic. */
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
