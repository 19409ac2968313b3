// SPDX-License-Identifier: MIT
/* Stream memory operations: waits for numbers in memory and writes of them, also in batches. */
#include "libsov/cuda/driver/driver.h"

enum {
	WAIT_FLUSH = 1u << 30, /* of remote writes, which other devices make through the host */
	WAIT_CONDITION = 3,
	WRITE_NO_BARRIER = 1,
	MAX_BATCH = 256,
};

enum {
	OP_WAIT_32 = 1,
	OP_WRITE_32 = 2,
	OP_FLUSH = 3,
	OP_WAIT_64 = 4,
	OP_WRITE_64 = 5,
	OP_BARRIER = 6
};

static CUresult submit(CUstream handle, CUdeviceptr address, uint64_t value, uint32_t bytes,
		       unsigned flags, bool write)
{
	unsigned known = write ? WRITE_NO_BARRIER : WAIT_CONDITION | WAIT_FLUSH;
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s)
		return e;
	if (flags & ~known || !address || address % bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (s->capture)
		return cuda_capture_unsupported(s);
	e = cuda_stream_begin(s);
	if (!e)
		e = cuda_context_result(
			s->context, write ? sov_stream_write_value(s->sov, address, value, bytes)
					  : sov_stream_wait_value(s->sov, address, value, bytes,
								  flags & WAIT_CONDITION));
	cuda_stream_end(s);
	return e;
}

#define OPERATION(name, type, bytes, write) \
	API name##_v2(CUstream handle, CUdeviceptr address, type value, unsigned flags) \
	{ \
		return submit(handle, address, value, bytes, flags, write); \
	} \
	API name(CUstream handle, CUdeviceptr address, type value, unsigned flags) \
	{ \
		return submit(handle, address, value, bytes, flags, write); \
	}
OPERATION(cuStreamWaitValue32, uint32_t, 4, false)
OPERATION(cuStreamWaitValue64, uint64_t, 8, false)
OPERATION(cuStreamWriteValue32, uint32_t, 4, true)
OPERATION(cuStreamWriteValue64, uint64_t, 8, true)

/* Flushes and barriers order what the stream orders anyway. */
static CUresult submit_one(CUstream handle, const CUstreamBatchMemOpParams *p)
{
	uint64_t value = p->value.value64;

	switch (p->operation) {
	case OP_WAIT_32:
		return submit(handle, p->address, (uint32_t)value, 4, p->flags, false);
	case OP_WRITE_32:
		return submit(handle, p->address, (uint32_t)value, 4, p->flags, true);
	case OP_WAIT_64:
		return submit(handle, p->address, value, 8, p->flags, false);
	case OP_WRITE_64:
		return submit(handle, p->address, value, 8, p->flags, true);
	case OP_FLUSH:
	case OP_BARRIER:
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

API cuStreamBatchMemOp_v2(CUstream handle, unsigned count, CUstreamBatchMemOpParams *list,
			  unsigned flags)
{
	CUresult e = CUDA_SUCCESS;

	if (!list || flags || count > MAX_BATCH)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned k = 0; !e && k < count; k++)
		e = submit_one(handle, &list[k]);
	return e;
}

API cuStreamBatchMemOp(CUstream handle, unsigned count, CUstreamBatchMemOpParams *list,
		       unsigned flags)
{
	return cuStreamBatchMemOp_v2(handle, count, list, flags);
}
