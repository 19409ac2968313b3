// SPDX-License-Identifier: MIT
/* Launches. The path takes no lock and allocates nothing: it checks what CUDA checks and fills the
 * structure of sov_function_launch. */
#include <string.h>
#include "libsov/cuda/driver/driver.h"

#define MAX_PARAMETERS 1024 /* of 4 bytes: 4 KiB, twice as many as before PTX 8.1 */

static CUresult launch_error(CUstream s, const struct launch *l, sov_result r)
{
	const sov_device_properties *p = &s->context->device->properties;
	unsigned threads = l->block[0] * l->block[1] * l->block[2];

	if (r != SOV_ERROR_INVALID_LAUNCH)
		return cuda_context_result(s->context, r);
	cuda_result(r);
	if (l->cooperative && threads <= p->max_threads_per_block)
		return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
	if (l->cluster[0] > 1 || l->cluster[1] > 1 || l->cluster[2] > 1)
		return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	/* The device has room for such a block, but not with this function's registers. */
	if (threads && threads <= p->max_threads_per_block && l->grid[0] && l->grid[1] &&
	    l->grid[2] && l->grid[1] <= p->max_grid[1] && l->grid[2] <= p->max_grid[2] &&
	    l->block[2] <= p->max_block[2])
		return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
	return CUDA_ERROR_INVALID_VALUE;
}

/* libsov takes 0 as 1; CUDA does not launch it. */
bool cuda_launch_is_empty(const struct launch *l)
{
	for (uint32_t k = 0; k < 3; k++)
		if (!l->grid[k] || !l->block[k])
			return true;
	return false;
}

CUresult cuda_launch(const struct launch *l, CUstream s, void *const *arguments)
{
	CUfunction f = l->function;
	sov_launch k = SOV_INIT(sov_launch);
	sov_result r;
	CUresult e;

	if (l->shared > f->max_dynamic_shared || cuda_launch_is_empty(l))
		return CUDA_ERROR_INVALID_VALUE;
	if (f->parameters && !arguments)
		return CUDA_ERROR_INVALID_VALUE;
	if (s->capture)
		return cuda_capture_kernel(s, l, arguments);
	e = cuda_stream_begin(s);
	if (e)
		return e;
	k.shared_bytes = l->shared;
	memcpy(k.grid, l->grid, sizeof(k.grid));
	memcpy(k.block, l->block, sizeof(k.block));
	memcpy(k.cluster, l->cluster, sizeof(k.cluster));
	k.stream = s->sov;
	k.arguments = (const void *const *)arguments;
	k.argument_count = f->parameters;
	k.flags = (l->cooperative ? SOV_LAUNCH_COOPERATIVE : 0) |
		  (f->cluster_large ? SOV_LAUNCH_LARGE_CLUSTER : 0);
	r = sov_function_launch(f->sov, &k);
	cuda_stream_end(s);
	return r ? launch_error(s, l, r) : CUDA_SUCCESS;
}

/* Arguments in one buffer, at the offsets of the parameters. */
static CUresult unpack_extra(CUfunction f, void *const *extra, void **arguments)
{
	const char *buffer = NULL;
	size_t bytes = 0;

	for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = extra[1];
		else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
			bytes = *(const size_t *)extra[1];
		else
			return CUDA_ERROR_INVALID_VALUE;
	}
	if (f->parameters > MAX_PARAMETERS || (f->parameters && !buffer))
		return CUDA_ERROR_INVALID_VALUE;
	for (uint32_t k = 0; k < f->parameters; k++) {
		if (f->layout[k][0] + f->layout[k][1] > bytes)
			return CUDA_ERROR_INVALID_VALUE;
		arguments[k] = (void *)(uintptr_t)(buffer + f->layout[k][0]);
	}
	return CUDA_SUCCESS;
}

static CUresult launch_on(struct launch *l, CUstream handle, void *const *arguments,
			  void *const *extra)
{
	void *unpacked[MAX_PARAMETERS];
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s)
		return e;
	l->function = cuda_function(l->function, &e);
	if (!l->function)
		return e;
	if (extra && !arguments) {
		e = unpack_extra(l->function, extra, unpacked);
		if (e)
			return e;
		arguments = unpacked;
	}
	return cuda_launch(l, s, arguments);
}

API cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
		   unsigned bz, unsigned shared, CUstream stream, void **arguments, void **extra)
{
	struct launch l = {f, {gx, gy, gz}, {bx, by, bz}, shared, {0, 0, 0}, false};

	return launch_on(&l, stream, arguments, extra);
}

API cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
			      unsigned by, unsigned bz, unsigned shared, CUstream stream,
			      void **arguments)
{
	struct launch l = {f, {gx, gy, gz}, {bx, by, bz}, shared, {0, 0, 0}, true};

	return launch_on(&l, stream, arguments, NULL);
}

/* Other attributes are hints: priority, cache policy, programmatic overlap. */
API cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **arguments, void **extra)
{
	CUresult e;
	struct launch l;
	CUevent event = NULL;

	if (!c || (c->numAttrs && !c->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	l = (struct launch){f,
			    {c->gridDimX, c->gridDimY, c->gridDimZ},
			    {c->blockDimX, c->blockDimY, c->blockDimZ},
			    c->sharedMemBytes,
			    {0, 0, 0},
			    false};
	for (unsigned k = 0; k < c->numAttrs; k++) {
		const CUlaunchAttribute *a = &c->attrs[k];

		if (a->id == CU_LAUNCH_COOPERATIVE) {
			l.cooperative = a->value.cooperative;
		} else if (a->id == CU_LAUNCH_CLUSTER_DIMENSION) {
			l.cluster[0] = a->value.clusterDim.x;
			l.cluster[1] = a->value.clusterDim.y;
			l.cluster[2] = a->value.clusterDim.z;
		} else if (a->id == CU_LAUNCH_PROGRAMMATIC_EVENT ||
			   a->id == CU_LAUNCH_COMPLETION_EVENT) {
			event = a->value.event.event;
		}
	}
	e = launch_on(&l, c->hStream, arguments, extra);
	/* The event may complete with the kernel instead of earlier. */
	if (!e && event)
		e = cuEventRecord(event, c->hStream);
	return e;
}

/* ---- launches of CUDA before 4.0 ---- */

API cuFuncSetBlockShape(CUfunction f, int x, int y, int z)
{
	(void)f, (void)x, (void)y, (void)z;
	return cuda_missing("cuFuncSetBlockShape", "use cuLaunchKernel");
}
