/* SPDX-License-Identifier: MIT */
/* The linker of relocatable cubins: several objects in, one program out. */
#ifndef SOV_COMPILER_OBJECT_LINK_H
#define SOV_COMPILER_OBJECT_LINK_H

#include "libsov/compiler/base/target.h"

/* Returns the program, which the caller frees; NULL: message holds one sentence. */
uint8_t *cubin_link_objects(const struct link_input *objects, uint32_t count, size_t *bytes,
			    char *message, size_t message_size);

#endif
