/* SPDX-License-Identifier: MIT */
/* What a program decides about a SPIR-V module when it loads it: sov_spirv_options of sov.h. */
#ifndef SOV_COMPILER_SPIRV_OPTIONS_H
#define SOV_COMPILER_SPIRV_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* The value of a specialisation constant. */
struct spirv_specialisation {
	uint32_t id, bytes;
	const void *data;
};

/* Where the descriptors of a binding are in the memory of their set. */
struct spirv_binding {
	uint32_t set, binding, offset, stride;
	uint32_t set_bytes; /* of the set, which is an argument; 0: the argument is its address */
	bool inline_data;   /* the data of an inline uniform block, not a descriptor */
};

struct spirv_options {
	const struct spirv_specialisation *constants;
	const struct spirv_binding *bindings;
	uint32_t nconstants, nbindings;
	const char *entry_point; /* compile this one alone; NULL: all */
	bool layout;             /* resources are found by bindings, not by kernel arguments */
	bool robust;             /* accesses beyond a buffer read 0 and write nothing */
	bool base_workgroup;     /* a kernel argument of 12 bytes is added to WorkgroupId */
};

#endif
