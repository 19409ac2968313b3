/* SPDX-License-Identifier: MIT */
/*
 * Who watches the calls of a program: the log (SOV_LOG=call) and the trace (SOV_TRACE). While
 * nobody does, a call costs the look at one byte and a jump.
 */
#ifndef SOV_API_H
#define SOV_API_H

#include <stdint.h>

enum api_kind {
	API_NUMBER,
	API_SIGNED,
	API_ADDRESS,
	API_TEXT, /* as given; handles are addresses */
	API_LAUNCH,
	API_BOX, /* structures worth showing */
	API_OUT_ADDRESS,
	API_OUT_NUMBER,
	API_OUT_WORD,
	API_OUT_SIGNED, /* where an answer goes */
};

struct api_argument {
	const char *name;
	enum api_kind kind;
};

#define API_MOST_ARGUMENTS 8u
struct api_call {
	const char *name;
	uint32_t count;
	const struct api_argument *arguments;
};

/* The environment has been read: from now on it is known who watches. */
void api_watch(void);

#endif
