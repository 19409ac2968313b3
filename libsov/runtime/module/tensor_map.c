// SPDX-License-Identifier: MIT
/* Tensor maps, which the caller passes to kernels. */
#include <string.h>
#include "libsov/isa/tensor_map.h"
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"

#define MAX_SIZE   (UINT64_C(1) << 32)
#define MAX_STRIDE (UINT64_C(1) << 40)
#define MAX_BOX    256
#define MAX_STEP   8

_Static_assert(sizeof(sov_tensor_map) == TENSOR_MAP_BYTES, "a tensor map has another size");
#define TENSOR_SAME_(name, bytes) \
	_Static_assert((int)SOV_TENSOR_##name == (int)TENSOR_TYPE_##name, "another type");
TENSOR_TYPES(TENSOR_SAME_)

static sov_result check_range(const char *what, uint32_t dimension, uint64_t value, uint64_t max)
{
	if (value && value <= max)
		return SOV_OK;
	return set_error(SOV_ERROR_INVALID_ARGUMENT, "%s[%u] is %llu; it must be from 1 to %llu",
			 what, dimension, (unsigned long long)value, (unsigned long long)max);
}

static sov_result check_stride(uint32_t dimension, uint64_t stride)
{
	if (!(stride % TENSOR_MAP_STRIDE_UNIT) && stride < MAX_STRIDE)
		return SOV_OK;
	return set_error(SOV_ERROR_INVALID_ARGUMENT,
			 "strides[%u] is %llu; it must be a multiple of %u below 2^40", dimension,
			 (unsigned long long)stride, TENSOR_MAP_STRIDE_UNIT);
}

static sov_result set_dimension(struct tensor_map *m, const sov_tensor_map_options *o, uint32_t d)
{
	uint32_t step = o->steps[d] && d ? o->steps[d] : 1;
	sov_result r = check_range("dimensions", d, o->dimensions[d], MAX_SIZE);

	if (!r)
		r = check_range("box", d, o->box[d], MAX_BOX);
	if (!r)
		r = check_range("steps", d, step, MAX_STEP);
	if (!r && d)
		r = check_stride(d, o->strides[d]);
	if (r)
		return r;
	m->size[d] = o->dimensions[d];
	m->stride[d] = o->strides[d];
	m->box[d] = o->box[d];
	m->step[d] = step;
	return SOV_OK;
}

static sov_result set_swizzle(struct tensor_map *m, uint32_t bytes)
{
	switch (bytes) {
	case 0:
	case 32:
	case 64:
	case 128:
		m->swizzle = (uint8_t)((bytes > 0) + (bytes > 32) + (bytes > 64));
		return SOV_OK;
	default:
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "swizzle is %u; it must be 0, 32, 64 or 128", bytes);
	}
}

sov_result api_tensor_map_encode(const sov_tensor_map_options *options, sov_tensor_map *map)
{
	sov_tensor_map_options o;
	struct tensor_map m = {0};
	uint32_t words[TENSOR_MAP_WORDS];
	const char *fault;
	sov_result r;

	if (!options || !map)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "%s is NULL",
				 options ? "map" : "options");
	r = struct_in("sov_tensor_map_options", &o, sizeof(o), options);
	if (r)
		return r;
	if ((unsigned)o.type >= TENSOR_TYPE_COUNT)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "type is %u; there is no such type",
				 (unsigned)o.type);
	if (!o.rank || o.rank > TENSOR_MAP_RANK)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "rank is %u; it must be from 1 to %u",
				 o.rank, TENSOR_MAP_RANK);
	m.address = o.address;
	m.rank = o.rank;
	m.type = (enum tensor_type)o.type;
	r = set_swizzle(&m, o.swizzle);
	for (uint32_t d = 0; !r && d < o.rank; d++)
		r = set_dimension(&m, &o, d);
	if (r)
		return r;
	tensor_map_pack(&m, words);
	fault = tensor_map_unpack(&m, words);
	if (fault)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "no such tensor map: %s; change the options", fault);
	memcpy(map, words, sizeof(*map));
	return SOV_OK;
}
