// SPDX-License-Identifier: MIT
/* Options of SPIR-V modules: checks, and the compiler's form of them. */
#include "libsov/runtime/module/spirv_options.h"

#include <assert.h>
#include <stdlib.h>
#include "libsov/compiler/base/image_handle.h"
#include "libsov/runtime/base/error.h"

static_assert(SPIRV_SAMPLES_SHIFT == SOV_SPIRV_SAMPLES_SHIFT,
	      "the compiler and callers place the number of samples at one bit");

#define KNOWN_FLAGS   (SOV_SPIRV_ROBUST | SOV_SPIRV_LAYOUT | SOV_SPIRV_BASE_WORKGROUP)
#define MAX_SETS      256u
#define MAX_SET_BYTES 2048u
#define MAX_COUNT     65536u

static sov_result check_constants(const sov_spirv_options *o)
{
	if (o->constant_count && !o->constants)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "sov_spirv_options.constants is NULL; constant_count is %u",
				 o->constant_count);
	for (uint32_t k = 0; k < o->constant_count; k++) {
		const sov_spirv_constant *c = &o->constants[k];

		if (!c->data)
			return set_error(SOV_ERROR_INVALID_ARGUMENT,
					 "sov_spirv_options.constants[%u].data is NULL", k);
		if (c->bytes != 1 && c->bytes != 2 && c->bytes != 4 && c->bytes != 8)
			return set_error(SOV_ERROR_INVALID_ARGUMENT,
					 "sov_spirv_options.constants[%u].bytes is %u; it must be "
					 "1, 2, 4 or 8",
					 k, c->bytes);
	}
	return SOV_OK;
}

static sov_result check_bindings(const sov_spirv_options *o)
{
	if (o->binding_count && !(o->flags & SOV_SPIRV_LAYOUT))
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "sov_spirv_options has %u bindings; they must have the flag "
				 "SOV_SPIRV_LAYOUT",
				 o->binding_count);
	if (o->binding_count && !o->bindings)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "sov_spirv_options.bindings is NULL; binding_count is %u",
				 o->binding_count);
	for (uint32_t k = 0; k < o->binding_count; k++) {
		const sov_spirv_binding *b = &o->bindings[k];

		if (b->flags & ~SOV_SPIRV_BINDING_INLINE)
			return set_error(SOV_ERROR_INVALID_ARGUMENT,
					 "sov_spirv_options.bindings[%u] has flags 0x%x; known: "
					 "SOV_SPIRV_BINDING_INLINE",
					 k, b->flags);
		if (b->set >= MAX_SETS)
			return set_error(SOV_ERROR_INVALID_ARGUMENT,
					 "sov_spirv_options.bindings[%u] is of set %u; sets are "
					 "below %u",
					 k, b->set, MAX_SETS);
		if (b->offset % 8 || b->stride % 8 || b->offset > INT32_MAX ||
		    b->stride > INT32_MAX)
			return set_error(SOV_ERROR_INVALID_ARGUMENT,
					 "sov_spirv_options.bindings[%u] has offset %u and stride "
					 "%u; they must be multiples of 8 below 2^31",
					 k, b->offset, b->stride);
		if (b->set_bytes && (b->set_bytes % 8 || b->set_bytes > MAX_SET_BYTES || b->flags ||
				     b->offset > b->set_bytes - 8))
			return set_error(SOV_ERROR_INVALID_ARGUMENT,
					 "sov_spirv_options.bindings[%u] has set_bytes %u, offset "
					 "%u and flags 0x%x; set_bytes is a multiple of 8 up to "
					 "%u beyond the offset, without flags",
					 k, b->set_bytes, b->offset, b->flags, MAX_SET_BYTES);
		for (uint32_t i = 0; i < k; i++)
			if (o->bindings[i].set == b->set &&
			    o->bindings[i].set_bytes != b->set_bytes)
				return set_error(SOV_ERROR_INVALID_ARGUMENT,
						 "sov_spirv_options.bindings[%u] and [%u] of set "
						 "%u have set_bytes %u and %u; they must be equal",
						 i, k, b->set, o->bindings[i].set_bytes,
						 b->set_bytes);
	}
	return SOV_OK;
}

static sov_result copy_tables(const sov_spirv_options *o, struct spirv_options *out)
{
	struct spirv_specialisation *constants = calloc(o->constant_count + 1u, sizeof(*constants));
	struct spirv_binding *bindings = calloc(o->binding_count + 1u, sizeof(*bindings));

	out->constants = constants;
	out->bindings = bindings;
	if (!constants || !bindings) {
		spirv_options_free(out);
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
				 "no host memory for the options of SPIR-V");
	}
	for (uint32_t k = 0; k < o->constant_count; k++)
		constants[k] = (struct spirv_specialisation){
			o->constants[k].id, o->constants[k].bytes, o->constants[k].data};
	for (uint32_t k = 0; k < o->binding_count; k++)
		bindings[k] = (struct spirv_binding){
			o->bindings[k].set,
			o->bindings[k].binding,
			o->bindings[k].offset,
			o->bindings[k].stride,
			o->bindings[k].set_bytes,
			(o->bindings[k].flags & SOV_SPIRV_BINDING_INLINE) != 0};
	out->nconstants = o->constant_count;
	out->nbindings = o->binding_count;
	return SOV_OK;
}

sov_result spirv_options_read(const sov_spirv_options *given, struct spirv_options *out)
{
	sov_spirv_options o;
	sov_result r = struct_in("sov_spirv_options", &o, sizeof(o), given);

	*out = (struct spirv_options){0};
	if (r)
		return r;
	if (o.flags & ~KNOWN_FLAGS)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "sov_spirv_options.flags is 0x%x; known: SOV_SPIRV_ROBUST, "
				 "SOV_SPIRV_LAYOUT, SOV_SPIRV_BASE_WORKGROUP",
				 o.flags);
	if (o.constant_count > MAX_COUNT || o.binding_count > MAX_COUNT)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "sov_spirv_options has %u constants and %u bindings; the maximum "
				 "is %u",
				 o.constant_count, o.binding_count, MAX_COUNT);
	r = check_constants(&o);
	if (!r)
		r = check_bindings(&o);
	if (r)
		return r;
	out->entry_point = o.entry_point;
	out->robust = o.flags & SOV_SPIRV_ROBUST;
	out->layout = o.flags & SOV_SPIRV_LAYOUT;
	out->base_workgroup = o.flags & SOV_SPIRV_BASE_WORKGROUP;
	return copy_tables(&o, out);
}

void spirv_options_free(struct spirv_options *o)
{
	free((void *)o->constants);
	free((void *)o->bindings);
	*o = (struct spirv_options){0};
}
