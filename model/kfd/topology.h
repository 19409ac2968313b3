/* SPDX-License-Identifier: MIT */
/* What the fake tells of its GPUs in sysfs, and what queues must therefore have. */
#ifndef MODEL_KFD_TOPOLOGY_H
#define MODEL_KFD_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>
#include "model/core/model.h"

#define FIRST_MINOR 128u /* of the GPUs' render nodes */
#define SAVE_BYTES  0x1a97000u
#define STACK_BYTES 0x7000u
#define EOP_BYTES   4096u
#define DEBUG_BYTES 0x14000u

/* The file "properties" of a GPU's node; returns its length. */
int model_kfd_properties(const struct model_config *gpu, uint32_t index, char *text, size_t bytes);

#endif
