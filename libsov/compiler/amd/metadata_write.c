// SPDX-License-Identifier: MIT
/*
 * Code object V5 metadata in MessagePack: the properties of each kernel that its descriptor does
 * not hold. Keys are in alphabetical order, as LLVM writes them, and numbers in the shortest
 * encoding. Source: LLVM's "User Guide for AMDGPU Backend", code object V5 metadata, and the
 * MessagePack specification.
 */
#include "libsov/compiler/amd/module.h"

static void put_byte(struct bytes *o, uint32_t byte)
{
	bytes_append(o, &(uint8_t){(uint8_t)byte}, 1);
}

/* Appends the low bytes of a value in big-endian order. */
static void put_big_endian(struct bytes *o, uint32_t value, uint32_t bytes)
{
	while (bytes--)
		put_byte(o, value >> 8 * bytes);
}

/* Appends a length: small is the tag for up to 15 elements, big the tag for more. */
static void put_count(struct bytes *o, uint32_t count, uint32_t small, uint32_t big)
{
	if (count < 16) {
		put_byte(o, small | count);
	} else {
		put_byte(o, count < 0x10000 ? big : big + 1);
		put_big_endian(o, count, count < 0x10000 ? 2 : 4);
	}
}

static void put_map(struct bytes *o, uint32_t pairs)
{
	put_count(o, pairs, 0x80, 0xde);
}

static void put_array(struct bytes *o, uint32_t elements)
{
	put_count(o, elements, 0x90, 0xdc);
}

static void put_string(struct bytes *o, const char *s)
{
	uint32_t n = (uint32_t)strlen(s), width = n < 0x100 ? 1 : n < 0x10000 ? 2 : 4;

	if (n < 32) {
		put_byte(o, 0xa0 | n);
	} else {
		put_byte(o, width == 1 ? 0xd9 : width == 2 ? 0xda : 0xdb);
		put_big_endian(o, n, width);
	}
	bytes_append(o, s, n);
}

static void put_number(struct bytes *o, uint32_t v)
{
	uint32_t width = v < 0x80 ? 0 : v < 0x100 ? 1 : v < 0x10000 ? 2 : 4;

	if (width)
		put_byte(o, width == 1 ? 0xcc : width == 2 ? 0xcd : 0xce);
	put_big_endian(o, v, width ? width : 1);
}

static void put_pair(struct bytes *o, const char *key, uint32_t value)
{
	put_string(o, key);
	put_number(o, value);
}

static void put_argument(struct bytes *o, const char *kind, uint32_t offset, uint32_t size)
{
	bool pointer = !strcmp(kind, "global_buffer");

	put_map(o, pointer ? 4 : 3);
	if (pointer) {
		put_string(o, ".address_space");
		put_string(o, "global");
	}
	put_pair(o, ".offset", offset);
	put_pair(o, ".size", size);
	put_string(o, ".value_kind");
	put_string(o, kind);
}

static void put_arguments(struct bytes *o, const struct amd_fragment *fragment)
{
	uint32_t base = amd_hidden_base(fragment->param_bytes), count = fragment->nparams;

	for (uint32_t h = 0; h < AMD_HIDDEN_COUNT; h++)
		count += fragment->hidden >> h & 1;
	put_array(o, count);
	for (uint32_t p = 0; p < fragment->nparams; p++)
		put_argument(o, fragment->params[p].pointer ? "global_buffer" : "by_value",
			     fragment->params[p].offset, fragment->params[p].size);
	for (uint32_t h = 0; h < AMD_HIDDEN_COUNT; h++)
		if (fragment->hidden >> h & 1)
			put_argument(o, amd_hidden_args[h].kind, base + amd_hidden_args[h].offset,
				     amd_hidden_args[h].bytes);
}

/* VCC, FLAT_SCRATCH and XNACK_MASK follow the allocated SGPRs and are counted. */
#define RESERVED_SGPRS 6

static void put_kernel(struct bytes *o, const struct amd_fragment *fragment)
{
	const uint32_t *required = fragment->required_threads;
	/* LLVM's default is 1024. */
	uint32_t max_workgroup_size = required[0] ? required[0] * required[1] * required[2]
				      : fragment->max_threads ? fragment->max_threads
							      : 1024;

	put_map(o, 15 + (required[0] != 0));
	put_string(o, ".args");
	put_arguments(o, fragment);
	put_pair(o, ".group_segment_fixed_size", fragment->lds_bytes);
	put_pair(o, ".kernarg_segment_align", 8);
	put_pair(o, ".kernarg_segment_size",
		 amd_kernarg_bytes(fragment->param_bytes, fragment->hidden));
	put_pair(o, ".max_flat_workgroup_size", max_workgroup_size);
	put_string(o, ".name");
	put_string(o, fragment->name);
	put_pair(o, ".private_segment_fixed_size", fragment->private_bytes);
	if (required[0]) {
		put_string(o, ".reqd_workgroup_size");
		put_array(o, 3);
		for (uint32_t axis = 0; axis < 3; axis++)
			put_number(o, required[axis]);
	}
	put_pair(o, ".sgpr_count", fragment->sgprs + RESERVED_SGPRS);
	put_pair(o, ".sgpr_spill_count", fragment->sgpr_spills);
	put_string(o, ".symbol");
	put_string(o, arena_printf(o->arena, "%s.kd", fragment->name));
	put_string(o, ".uses_dynamic_stack");
	put_byte(o, fragment->dynamic_stack ? 0xc3 : 0xc2);
	put_pair(o, ".vgpr_count", fragment->vgprs);
	put_pair(o, ".vgpr_spill_count", fragment->vgpr_spills);
	put_pair(o, ".wavefront_size", 32);
	put_pair(o, ".workgroup_processor_mode", !fragment->cu_mode);
}

void amd_metadata_write(struct bytes *out, struct amd_fragment *const *fragments,
			uint32_t nfragments)
{
	uint32_t kernels = 0;

	for (uint32_t k = 0; k < nfragments; k++)
		kernels += fragments[k]->kernel;
	put_map(out, 3);
	put_string(out, "amdhsa.kernels");
	put_array(out, kernels);
	for (uint32_t k = 0; k < nfragments; k++)
		if (fragments[k]->kernel)
			put_kernel(out, fragments[k]);
	put_string(out, "amdhsa.target");
	put_string(out, "amdgcn-amd-amdhsa--gfx1030");
	put_string(out, "amdhsa.version");
	put_array(out, 2);
	put_number(out, 1);
	put_number(out, 2);
}
