/* SPDX-License-Identifier: MIT */
/*
 * AMD code objects as LLVM's linker writes them: an ELF shared object with a descriptor per kernel
 * and metadata in MessagePack. The reader checks everything before it says anything; names and
 * descriptors stay in the file's bytes.
 */
#ifndef SOV_COMPILER_AMD_CODE_OBJECT_H
#define SOV_COMPILER_AMD_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/amd/kernel_descriptor.h"

struct amd_argument {
	uint32_t offset, bytes;
	bool hidden; /* the runtime's, not the programmer's */
};
#define AMD_MAX_ARGUMENTS 64

struct amd_kernel {
	char name[256];
	uint64_t descriptor_at, entry;   /* relative to where the object is placed */
	struct amd_kernel_descriptor descriptor;
	uint32_t kernarg_bytes;
	uint32_t arguments_count;
	struct amd_argument arguments[AMD_MAX_ARGUMENTS];
};

struct amd_object {
	const uint8_t *data;
	size_t size;
	uint64_t image_bytes; /* of memory that it needs, from address 0 of the file on */
	struct amd_kernel *kernels;
	uint32_t kernels_count;
};

/* Reads a code object for gfx1030; data must stay. false: message says why not. */
bool amd_object_read(struct amd_object *o, const void *data, size_t size, char *message,
		     size_t message_size);
/* Copies it to memory of image_bytes; what the file does not have is 0. */
void amd_object_place(const struct amd_object *o, uint8_t *memory);
void amd_object_free(struct amd_object *o);

/* metadata.c: fills kernels from the MessagePack note. NULL, or what is wrong. */
const char *amd_metadata_read(struct amd_object *o, const uint8_t *data, size_t size);

#endif
