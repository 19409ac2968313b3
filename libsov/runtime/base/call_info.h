/* SPDX-License-Identifier: MIT */
/* Descriptions of API calls and their arguments, for the call log and the trace. */
#ifndef SOV_CALL_INFO_H
#define SOV_CALL_INFO_H

#include <stdint.h>

enum argument_kind {
	ARGUMENT_NUMBER,
	ARGUMENT_SIGNED,
	ARGUMENT_ADDRESS, /* also handles */
	ARGUMENT_TEXT,
	ARGUMENT_LAUNCH,    /* sov_launch */
	ARGUMENT_COPY_RECT, /* sov_copy_rect */
	/* Pointers to results. */
	ARGUMENT_OUT_ADDRESS,
	ARGUMENT_OUT_NUMBER, /* 64 bits */
	ARGUMENT_OUT_WORD,   /* 32 bits */
	ARGUMENT_OUT_SIGNED, /* 32 bits */
};

struct argument_info {
	const char *name;
	enum argument_kind kind;
};

#define CALL_MAX_ARGUMENTS 8u

struct call_info {
	const char *name;
	uint32_t count;
	const struct argument_info *arguments;
};

#endif
