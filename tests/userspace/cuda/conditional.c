// SPDX-License-Identifier: MIT
/* Conditional nodes by CUDA's driver API: handles with an initial value, loops, branches, copies of
 * graphs, what executable graphs may change, and what is rejected. */
#include "libsov/cuda/driver/calls.h"
#include "tests/soft.h"
#include "tests/tap.h"
#include "tests/userspace/cuda/_load.h"

/* count: *sum += value; sets the condition to --*left. */
static const char ptx[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".extern .func cudaGraphSetConditional(.param .b64 a, .param .b32 b);\n"
	".visible .entry count(.param .u64 handle, .param .u64 p, .param .u32 value) {\n"
	"	.reg .b64 %h, %p;\n	.reg .b32 %v, %x;\n"
	"	ld.param.u64 %h, [handle];\n	ld.param.u64 %p, [p];\n"
	"	ld.param.u32 %v, [value];\n	ld.global.u32 %x, [%p];\n"
	"	add.u32 %x, %x, %v;\n	st.global.u32 [%p], %x;\n"
	"	ld.global.u32 %x, [%p+4];\n	sub.u32 %x, %x, 1;\n"
	"	st.global.u32 [%p+4], %x;\n"
	"	{\n	.param .b64 a;\n	.param .b32 b;\n"
	"	st.param.b64 [a], %h;\n	st.param.b32 [b], %x;\n"
	"	call.uni cudaGraphSetConditional, (a, b);\n	}\n"
	"	ret;\n}\n";

static CUcontext context;
static CUfunction count;
static CUdeviceptr memory; /* the sum, and how often the loop is left to do */

static CUgraphNode add_count(CUgraph g, uint64_t handle, unsigned value)
{
	void *arguments[] = {&handle, &memory, &value};
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_KERNEL};
	CUgraphNode n = NULL;

	p.kernel = (CUDA_KERNEL_NODE_PARAMS){.func = count,
					     .gridDimX = 1,
					     .gridDimY = 1,
					     .gridDimZ = 1,
					     .blockDimX = 1,
					     .blockDimY = 1,
					     .blockDimZ = 1,
					     .kernelParams = arguments};
	return CALL(cuGraphAddNode_v2)(&n, g, NULL, NULL, 0, &p) ? NULL : n;
}

static CUresult add_conditional(CUgraph g, uint64_t handle, unsigned type, unsigned size,
				CUgraph **bodies)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_CONDITIONAL};
	CUgraphNode n;
	CUresult e;

	p.conditional = (CUDA_CONDITIONAL_NODE_PARAMS){handle, type, size, NULL, context};
	e = CALL(cuGraphAddNode_v2)(&n, g, NULL, NULL, 0, &p);
	*bodies = p.conditional.phGraph_out;
	return e;
}

static unsigned run(CUgraphExec exec, unsigned left)
{
	unsigned words[2] = {0, left};

	if (CALL(cuMemcpyHtoD_v2)(memory, words, sizeof(words)) ||
	    CALL(cuGraphLaunch)(exec, NULL) || CALL(cuStreamSynchronize)(NULL) ||
	    CALL(cuMemcpyDtoH_v2)(words, memory, sizeof(words)))
		return UINT32_MAX;
	return words[0];
}

static void loop(void)
{
	CUgraphNodeParams other = {.type = CU_GRAPH_NODE_KERNEL};
	CUgraph g, clone = NULL, *bodies = NULL;
	CUgraphExec exec = NULL, second = NULL;
	CUgraphNode n = NULL, found[1];
	CUgraphExecUpdateResultInfo info;
	uint64_t handle = 0;
	unsigned type = 0, ten = 10;
	size_t nodes = 1;

	ok(!CALL(cuGraphCreate)(&g, 0) &&
		   !CALL(cuGraphConditionalHandleCreate)(&handle, g, context, 1,
							 CU_GRAPH_COND_ASSIGN_DEFAULT) &&
		   handle,
	   "a graph has a handle of a condition");
	ok(!add_conditional(g, handle, CU_GRAPH_COND_TYPE_WHILE, 1, &bodies) && bodies &&
		   (n = add_count(bodies[0], handle, 3)),
	   "a loop has a body, to which a kernel is added");
	ok(!CALL(cuGraphGetNodes)(g, found, &nodes) && nodes == 1 &&
		   !CALL(cuGraphNodeGetType)(found[0], &type) && type == CU_GRAPH_NODE_CONDITIONAL,
	   "the graph has a conditional node");
	ok(!CALL(cuGraphInstantiateWithFlags)(&exec, g, 0) && run(exec, 4) == 12 &&
		   run(exec, 2) == 6,
	   "each launch begins with the initial value and repeats the body");
	ok(!CALL(cuGraphClone)(&clone, g) &&
		   !CALL(cuGraphInstantiateWithFlags)(&second, clone, 0) && run(second, 3) == 9,
	   "a copy of the graph does the same");
	other.kernel = (CUDA_KERNEL_NODE_PARAMS){0};
	CALL(cuGraphKernelNodeGetParams_v2)(n, &other.kernel);
	other.kernel.kernelParams[2] = &ten;
	ok(!CALL(cuGraphExecNodeSetParams)(exec, n, &other) && run(exec, 2) == 20,
	   "a kernel of a body gets other arguments in an executable graph");
	ok(!CALL(cuGraphExecUpdate_v2)(exec, g, &info) && run(exec, 2) == 20,
	   "an update gives the body what the graph has");
	ten = 4;
	ok(!CALL(cuGraphExecNodeSetParams)(exec, n, &other) && run(exec, 2) == 8,
	   "so it does after an update");
	ok(!CALL(cuGraphDestroy)(g) && !CALL(cuGraphDestroy)(clone) && run(exec, 5) == 20,
	   "the executable graph outlives both");
	ok(!CALL(cuGraphExecDestroy)(exec) && !CALL(cuGraphExecDestroy)(second),
	   "executable graphs are destroyed");
}

static void branch(void)
{
	CUgraph g, *bodies = NULL;
	CUgraphExec exec = NULL;
	uint64_t handle = 0;
	unsigned sum[2];

	ok(!CALL(cuGraphCreate)(&g, 0) &&
		   !CALL(cuGraphConditionalHandleCreate)(&handle, g, NULL, 0,
							 CU_GRAPH_COND_ASSIGN_DEFAULT) &&
		   !add_conditional(g, handle, CU_GRAPH_COND_TYPE_IF, 2, &bodies) &&
		   add_count(bodies[0], handle, 1) && add_count(bodies[1], handle, 7) &&
		   !CALL(cuGraphInstantiateWithFlags)(&exec, g, 0),
	   "a branch has two bodies");
	sum[0] = run(exec, 1);
	CALL(cuGraphExecDestroy)(exec);
	CALL(cuGraphDestroy)(g);
	ok(sum[0] == 7, "its second body executes when the condition is 0");
	ok(!CALL(cuGraphCreate)(&g, 0) && !CALL(cuGraphInstantiateWithFlags)(&exec, g, 0) &&
		   run(exec, 1) == 0 && !CALL(cuGraphExecDestroy)(exec),
	   "a graph without nodes is launched and does nothing");
	CALL(cuGraphDestroy)(g);
}

static void rejections(void)
{
	CUgraph g, *bodies;
	CUgraphExec exec = NULL;
	uint64_t handle = 0;
	CUDA_HOST_NODE_PARAMS host = {(CUhostFn)(uintptr_t)call("cuInit"), NULL};
	CUgraphNode n;

	CALL(cuGraphCreate)(&g, 0);
	ok(CALL(cuGraphConditionalHandleCreate)(&handle, g, NULL, 0, 2) ==
			   CUDA_ERROR_INVALID_VALUE &&
		   CALL(cuGraphConditionalHandleCreate)(NULL, g, NULL, 0, 0) ==
			   CUDA_ERROR_INVALID_VALUE,
	   "unknown flags and no handle are invalid");
	CALL(cuGraphConditionalHandleCreate)(&handle, g, NULL, 0, 0);
	ok(add_conditional(g, handle, 3, 1, &bodies) == CUDA_ERROR_INVALID_VALUE &&
		   add_conditional(g, handle, CU_GRAPH_COND_TYPE_WHILE, 2, &bodies) ==
			   CUDA_ERROR_INVALID_VALUE &&
		   add_conditional(g, handle, CU_GRAPH_COND_TYPE_IF, 0, &bodies) ==
			   CUDA_ERROR_INVALID_VALUE &&
		   add_conditional(g, handle + 4, CU_GRAPH_COND_TYPE_IF, 1, &bodies) ==
			   CUDA_ERROR_INVALID_VALUE,
	   "unknown types, counts of bodies and handles are invalid");
	ok(!add_conditional(g, handle, CU_GRAPH_COND_TYPE_IF, 1, &bodies) &&
		   !CALL(cuGraphAddHostNode)(&n, bodies[0], NULL, 0, &host) &&
		   CALL(cuGraphInstantiateWithFlags)(&exec, g, 0) == CUDA_ERROR_NOT_SUPPORTED,
	   "a host function in a body is not supported");
	ok(!CALL(cuGraphDestroy)(g), "the graph is destroyed");
}

int main(void)
{
	CUmodule m;

	soft_gpus("gh100:vram=256M");
	load_library("libcuda.so.1");
	if (CALL(cuInit)(0) || CALL(cuCtxCreate_v2)(&context, 0, 0) ||
	    CALL(cuModuleLoadData)(&m, ptx) || CALL(cuModuleGetFunction)(&count, m, "count") ||
	    CALL(cuMemAlloc_v2)(&memory, 8)) {
		ok(false, "a device has a kernel and memory");
		return tap_done();
	}
	loop();
	branch();
	rejections();
	ok(!CALL(cuCtxDestroy_v2)(context), "the context is destroyed");
	return tap_done();
}
