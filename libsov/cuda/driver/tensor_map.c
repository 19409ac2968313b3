// SPDX-License-Identifier: MIT
/* Tensor maps: CUDA's arguments as those of libsov's encoder. The promotion of L2 is a hint, and
 * ignored. */
#include <string.h>
#include "libsov/cuda/driver/driver.h"

#define MAX_RANK  5
#define MAP_ALIGN 64

static const sov_tensor_type types[] = {
	[CU_TENSOR_MAP_DATA_TYPE_UINT8] = SOV_TENSOR_U8,
	[CU_TENSOR_MAP_DATA_TYPE_UINT16] = SOV_TENSOR_U16,
	[CU_TENSOR_MAP_DATA_TYPE_UINT32] = SOV_TENSOR_U32,
	[CU_TENSOR_MAP_DATA_TYPE_INT32] = SOV_TENSOR_S32,
	[CU_TENSOR_MAP_DATA_TYPE_UINT64] = SOV_TENSOR_U64,
	[CU_TENSOR_MAP_DATA_TYPE_INT64] = SOV_TENSOR_S64,
	[CU_TENSOR_MAP_DATA_TYPE_FLOAT16] = SOV_TENSOR_F16,
	[CU_TENSOR_MAP_DATA_TYPE_FLOAT32] = SOV_TENSOR_F32,
	[CU_TENSOR_MAP_DATA_TYPE_FLOAT64] = SOV_TENSOR_F64,
	[CU_TENSOR_MAP_DATA_TYPE_BFLOAT16] = SOV_TENSOR_BF16,
	[CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ] = SOV_TENSOR_F32_FTZ,
	[CU_TENSOR_MAP_DATA_TYPE_TFLOAT32] = SOV_TENSOR_TF32,
	[CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ] = SOV_TENSOR_TF32_FTZ,
};
#define TYPES     (sizeof(types) / sizeof(types[0]))
#define ALL_TYPES 16 /* with packed ones of 4 and 6 bits */

static const uint32_t swizzles[] = {0, 32, 64, 128};
#define SWIZZLES     (sizeof(swizzles) / sizeof(swizzles[0]))
#define ALL_SWIZZLES 7 /* with atoms of more than 16 bytes */

/* Values that CUDA has and libsov's encoder has not. */
static CUresult check_kinds(unsigned type, unsigned interleave, unsigned swizzle,
			    unsigned promotion, unsigned fill)
{
	if (type >= ALL_TYPES || interleave > 2 || swizzle >= ALL_SWIZZLES || promotion > 3 ||
	    fill > 1)
		return CUDA_ERROR_INVALID_VALUE;
	if (type >= TYPES)
		return cuda_missing("cuTensorMapEncodeTiled", "packed types of 4 and 6 bits");
	if (interleave)
		return cuda_missing("cuTensorMapEncodeTiled", "interleaved layouts");
	if (swizzle >= SWIZZLES)
		return cuda_missing("cuTensorMapEncodeTiled", "swizzles of large atoms");
	if (fill)
		return cuda_missing("cuTensorMapEncodeTiled", "NaN beyond the tensor");
	return CUDA_SUCCESS;
}

API cuTensorMapEncodeTiled(CUtensorMap *map, unsigned type, uint32_t rank, void *address,
			   const uint64_t *dimensions, const uint64_t *strides, const uint32_t *box,
			   const uint32_t *steps, unsigned interleave, unsigned swizzle,
			   unsigned promotion, unsigned fill)
{
	sov_tensor_map_options o = SOV_INIT(sov_tensor_map_options);
	sov_tensor_map encoded;
	CUresult e = check_kinds(type, interleave, swizzle, promotion, fill);

	if (e)
		return e;
	if (!map || (uintptr_t)map % MAP_ALIGN || !address || !dimensions || !box || !steps ||
	    !rank || rank > MAX_RANK || (rank > 1 && !strides))
		return CUDA_ERROR_INVALID_VALUE;
	o.type = types[type];
	o.address = SOV_HOST(address);
	o.rank = rank;
	o.swizzle = swizzles[swizzle];
	for (uint32_t d = 0; d < rank; d++) {
		if (!steps[d]) /* in sov.h the default */
			return CUDA_ERROR_INVALID_VALUE;
		o.dimensions[d] = dimensions[d];
		o.box[d] = box[d];
		o.steps[d] = steps[d];
		o.strides[d] = d ? strides[d - 1] : 0;
	}
	e = cuda_result(sov_tensor_map_encode(&o, &encoded));
	if (!e)
		memcpy(map->words, encoded.words, sizeof(map->words));
	return e;
}
