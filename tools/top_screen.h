/* SPDX-License-Identifier: MIT */
/* sov top on a terminal: bars, sparklines and keys. */
#ifndef TOOLS_TOP_SCREEN_H
#define TOOLS_TOP_SCREEN_H

#include <stdio.h>
#include "tools/top.h"

#define TOP_HISTORY  60u /* samples of a sparkline */
#define TOP_MAX_GPUS 32u

enum top_sort { TOP_SORT_BUSY, TOP_SORT_MEMORY, TOP_SORT_PID, TOP_SORTS };

/* What a GPU did in the last samples. */
struct top_gpu {
	char name[40], title[96];
	double history[TOP_HISTORY];  /* percent, the youngest last */
	double percent;               /* negative: unknown */
	uint64_t memory, memory_size; /* bytes; size 0: unknown */
	int32_t degrees;              /* INT32_MIN: unknown */
	uint32_t watts;               /* 0: unknown */
};

struct top_screen {
	struct top_gpu gpus[TOP_MAX_GPUS];
	uint32_t count;
	enum top_sort sort;
	bool paused;
	double interval;
};

/* Adds a sample: totals of each GPU. */
void top_screen_add(struct top_screen *t, const struct doctor_snapshot *machine,
		    const struct top_sample *old, const struct top_sample *now);
/* Draws into columns and lines; colour: with escape sequences for colours. */
void top_screen_draw(FILE *out, struct top_screen *t, const struct top_sample *old,
		     const struct top_sample *now, uint32_t columns, uint32_t lines, bool colour);
/* Reacts to a key; false: quit. */
bool top_screen_key(struct top_screen *t, char key);

/* A bar of this many cells, and a sparkline of the last samples, in UTF-8. */
void top_bar(FILE *out, double percent, uint32_t cells);
void top_sparkline(FILE *out, const double *history, uint32_t cells);

/* ---- top_terminal.c ---- */

enum top_event {
	TOP_SAMPLE, /* the time is over */
	TOP_REDRAW, /* the terminal was resized, or the program continued */
	TOP_KEY,
	TOP_QUIT
};
/* Takes the terminal of standard input and output; false: it has no settings, or belongs to other
 * programs. */
bool top_terminal_open(void);
/* Gives the terminal back. If a signal ended the wait, ends the process by it; SIGINT is a quit. */
void top_terminal_close(void);
/* Waits for an event, at most this many seconds, without limit if negative. */
enum top_event top_terminal_wait(double seconds, char *key);

#endif
