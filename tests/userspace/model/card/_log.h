/* SPDX-License-Identifier: MIT */
/* The log of a modelled card in a test, and checks of what the card refuses. */
#ifndef TESTS_CARD_LOG_H
#define TESTS_CARD_LOG_H

#include "model/card/card.h"
#include "tests/tap.h"

static struct card *card;
static char *said;
static size_t said_bytes;
static FILE *log_file;
static uint64_t refusals_before;

static inline FILE *log_open(void)
{
	log_file = open_memstream(&said, &said_bytes);
	return log_file;
}

static inline void log_close(void)
{
	fclose(log_file);
	free(said);
	said = NULL;
}

/* Whether the last line of the log contains these words. */
static inline bool said_last(const char *words)
{
	fflush(log_file);
	const char *line = strrchr(said ? said : "", '\n');

	while (line && line > said && line[-1] != '\n')
		line--;
	return line && strstr(line, words);
}

static inline void refusals_forget(void)
{
	refusals_before = card_refusals(card);
}

/* Checks that something was refused since the last call, with these words; NULL: nothing was. */
static inline void refused(const char *words, const char *promise)
{
	uint64_t now = card_refusals(card), new = now - refusals_before;

	if (!ok(words ? new == 1 && said_last(words) : !new, "%s", promise))
		diag("%llu refused; the log ends: %s", (unsigned long long)new,
		     said && strlen(said) > 200 ? said + strlen(said) - 200 : said);
	refusals_forget();
}

#endif
