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
#define SOFT_TRANSLATE_DEFAULT "1"
#define TRANSLATE_VISITS       4u
bool soft_translate_parse(const char *text, struct model_config *c, char *message,
			  size_t message_bytes);

/* What SOV_CHECK lists: MODEL_CHECK_*. */
bool soft_checks_parse(const char *text, uint32_t *checks, char *message, size_t message_bytes);

/* soft_check.c: between the winsys's and the model's structures. */
struct winsys_allocation;
struct winsys_origin;
struct winsys_report;
#define SOFT_REDZONE_BYTES 256u
int soft_memory_allocated(struct model_space *s, const struct winsys_allocation *a);
void soft_memory_freed(struct model_space *s, uint64_t va, const struct winsys_origin *origin);
bool soft_report(struct model_space *s, struct winsys_report *out);

#endif
