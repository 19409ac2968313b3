// SPDX-License-Identifier: MIT
/* Streams and events of the runtime. */
#include "libsov/cuda/runtime/runtime.h"

RT cudaStreamCreateWithPriority(CUstream *out, unsigned flags, int priority)
{
	CALL(cuStreamCreateWithPriority(out, flags, priority));
}

RT cudaStreamCreateWithFlags(CUstream *out, unsigned flags)
{
	CALL(cuStreamCreateWithPriority(out, flags, 0));
}

RT cudaStreamCreate(CUstream *out)
{
	CALL(cuStreamCreateWithPriority(out, 0, 0));
}

RT cudaStreamDestroy(CUstream stream)
{
	CALL(cuStreamDestroy_v2(stream));
}

RT cudaStreamSynchronize(CUstream stream)
{
	CALL(cuStreamSynchronize(rt_stream(stream)));
}

RT cudaStreamQuery(CUstream stream)
{
	CALL(cuStreamQuery(rt_stream(stream)));
}

RT cudaStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
	CALL(cuStreamWaitEvent(rt_stream(stream), event, flags));
}

RT cudaStreamAddCallback(CUstream stream, void (*function)(CUstream, CUresult, void *), void *user,
			 unsigned flags)
{
	CALL(cuStreamAddCallback(rt_stream(stream), function, user, flags));
}

RT cudaStreamGetPriority(CUstream stream, int *priority)
{
	CALL(cuStreamGetPriority(rt_stream(stream), priority));
}

RT cudaStreamGetFlags(CUstream stream, unsigned *flags)
{
	CALL(cuStreamGetFlags(rt_stream(stream), flags));
}

RT cudaStreamGetId(CUstream stream, unsigned long long *id)
{
	CALL(cuStreamGetId(rt_stream(stream), id));
}

RT cudaStreamGetDevice(CUstream stream, int *device)
{
	CALL(cuStreamGetDevice(rt_stream(stream), device));
}

RT cudaStreamGetAttribute(CUstream stream, unsigned attribute, void *value)
{
	CALL(cuStreamGetAttribute(rt_stream(stream), attribute, value));
}

RT cudaStreamSetAttribute(CUstream stream, unsigned attribute, const void *value)
{
	CALL(cuStreamSetAttribute(rt_stream(stream), attribute, value));
}

RT cudaStreamCopyAttributes(CUstream to, CUstream from)
{
	CALL(cuStreamCopyAttributes(to, from));
}

/* ---- events ---- */

RT cudaEventCreateWithFlags(CUevent *out, unsigned flags)
{
	CALL(cuEventCreate(out, flags));
}

RT cudaEventCreate(CUevent *out)
{
	CALL(cuEventCreate(out, 0));
}

RT cudaEventDestroy(CUevent event)
{
	CALL(cuEventDestroy_v2(event));
}

RT cudaEventRecord(CUevent event, CUstream stream)
{
	CALL(cuEventRecord(event, rt_stream(stream)));
}

RT cudaEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
	CALL(cuEventRecordWithFlags(event, rt_stream(stream), flags));
}

RT cudaEventSynchronize(CUevent event)
{
	CALL(cuEventSynchronize(event));
}

RT cudaEventQuery(CUevent event)
{
	CALL(cuEventQuery(event));
}

RT cudaEventElapsedTime(float *milliseconds, CUevent from, CUevent to)
{
	CALL(cuEventElapsedTime(milliseconds, from, to));
}

RT cudaEventElapsedTime_v2(float *milliseconds, CUevent from, CUevent to)
{
	CALL(cuEventElapsedTime(milliseconds, from, to));
}

/* ---- events and memory between processes ---- */

RT cudaIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
	CALL(cuIpcGetEventHandle(handle, event));
}

RT cudaIpcOpenEventHandle(CUevent *out, CUipcEventHandle handle)
{
	CALL(cuIpcOpenEventHandle(out, handle));
}

RT cudaIpcGetMemHandle(CUipcMemHandle *handle, void *pointer)
{
	CALL(cuIpcGetMemHandle(handle, (CUdeviceptr)(uintptr_t)pointer));
}

RT cudaIpcOpenMemHandle(void **pointer, CUipcMemHandle handle, unsigned flags)
{
	CALL(cuIpcOpenMemHandle_v2((CUdeviceptr *)(void *)pointer, handle, flags));
}

RT cudaIpcCloseMemHandle(void *pointer)
{
	CALL(cuIpcCloseMemHandle((CUdeviceptr)(uintptr_t)pointer));
}
