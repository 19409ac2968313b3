/* SPDX-License-Identifier: MIT */
/* The list of software GPUs that SOV_SOFT asks for. See soft_list.c. */
#ifndef SOV_WINSYS_SOFT_H
#define SOV_WINSYS_SOFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/core/model.h"

#define SOFT_MAX_DEVICES 16

/* vram_bytes 0: the default. false: message holds one sentence. */
bool soft_list_parse(const char *text, struct model_config list[SOFT_MAX_DEVICES], uint32_t *count,
		     char *message, size_t message_bytes);

#endif
