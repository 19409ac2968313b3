// SPDX-License-Identifier: MIT
/* Libraries and user objects of the runtime. A kernel of a library passes for a function. */
#include "libsov/cuda/runtime/runtime.h"

RT cudaLibraryLoadData(CUlibrary *out, const void *image, unsigned *jit, void **jit_values,
		       unsigned jit_count, unsigned *options, void **values, unsigned count)
{
	CALL(cuLibraryLoadData(out, image, jit, jit_values, jit_count, options, values, count));
}

RT cudaLibraryLoadFromFile(CUlibrary *out, const char *path, unsigned *jit, void **jit_values,
			   unsigned jit_count, unsigned *options, void **values, unsigned count)
{
	CALL(cuLibraryLoadFromFile(out, path, jit, jit_values, jit_count, options, values, count));
}

RT cudaLibraryUnload(CUlibrary library)
{
	CALL(cuLibraryUnload(library));
}

RT cudaLibraryGetKernel(CUkernel *out, CUlibrary library, const char *name)
{
	CALL(cuLibraryGetKernel(out, library, name));
}

RT cudaLibraryGetKernelCount(unsigned *count, CUlibrary library)
{
	CALL(cuLibraryGetKernelCount(count, library));
}

RT cudaLibraryEnumerateKernels(CUkernel *out, unsigned count, CUlibrary library)
{
	CALL(cuLibraryEnumerateKernels(out, count, library));
}

RT cudaLibraryGetGlobal(void **address, size_t *bytes, CUlibrary library, const char *name)
{
	CALL(cuLibraryGetGlobal((CUdeviceptr *)(void *)address, bytes, library, name));
}

RT cudaLibraryGetManaged(void **address, size_t *bytes, CUlibrary library, const char *name)
{
	CALL(cuLibraryGetManaged((CUdeviceptr *)(void *)address, bytes, library, name));
}

RT cudaKernelSetAttributeForDevice(CUkernel kernel, unsigned attribute, int value, int device)
{
	CALL(cuKernelSetAttribute((CUfunction_attribute)attribute, value, kernel, device));
}

RT cudaUserObjectCreate(struct CUuserObject_st **out, void *user, CUhostFn destroy,
			unsigned references, unsigned flags)
{
	return rt_return(cuUserObjectCreate(out, user, destroy, references, flags));
}

RT cudaUserObjectRetain(struct CUuserObject_st *o, unsigned count)
{
	return rt_return(cuUserObjectRetain(o, count));
}

RT cudaUserObjectRelease(struct CUuserObject_st *o, unsigned count)
{
	return rt_return(cuUserObjectRelease(o, count));
}

RT cudaGraphRetainUserObject(CUgraph g, struct CUuserObject_st *o, unsigned count, unsigned flags)
{
	return rt_return(cuGraphRetainUserObject(g, o, count, flags));
}

RT cudaGraphReleaseUserObject(CUgraph g, struct CUuserObject_st *o, unsigned count)
{
	return rt_return(cuGraphReleaseUserObject(g, o, count));
}
