/* SPDX-License-Identifier: MIT */
/* The parser of SOV_SOFT; the grammar is in soft_list.c. */
#ifndef SOV_WINSYS_SOFT_H
#define SOV_WINSYS_SOFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/core/model.h"

#define SOFT_MAX_DEVICES 16

/* Sets vram_bytes to 0 where the text does not. Returns false and a message on a syntax error. */
bool soft_list_parse(const char *text, struct model_config list[SOFT_MAX_DEVICES], uint32_t *count,
		     char *message, size_t message_bytes);

/* What SOV_SOFT_TRANSLATE says about a device. */
#define SOFT_TRANSLATE_DEFAULT "0"
#define TRANSLATE_VISITS       4u
bool soft_translate_parse(const char *text, struct model_config *c, char *message,
			  size_t message_bytes);

#endif
