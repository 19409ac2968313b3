// SPDX-License-Identifier: MIT
/* libcuda.so.1 on a software GPU: a program written against CUDA's driver API. */
#include "libsov/cuda/driver/calls.h"
#include "libsov/sov.h"
#include "tests/soft.h"
#include "tests/tap.h"
#include "tests/userspace/cuda/_load.h"
#include "tests/userspace/cuda/_triple.h"

#define N 64

static const char more_ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			       ".global .attribute(.managed) .align 4 .u32 shared_word = 41;\n"
			       ".visible .entry add_one()\n{\n"
			       "	.reg .b32 %r<3>;\n"
			       "	ld.global.u32 %r1, [shared_word];\n"
			       "	add.s32 %r2, %r1, 1;\n"
			       "	st.global.u32 [shared_word], %r2;\n"
			       "	ret;\n}\n"
			       ".visible .entry add(.param .u64 p, .param .u32 n)\n{\n"
			       "	.reg .b32 %r<4>;\n	.reg .b64 %rd<2>;\n"
			       "	ld.param.u64 %rd1, [p];\n"
			       "	ld.param.u32 %r1, [n];\n"
			       "	ld.global.u32 %r2, [%rd1];\n"
			       "	add.s32 %r3, %r2, %r1;\n"
			       "	st.global.u32 [%rd1], %r3;\n"
			       "	ret;\n}\n";

static CUdeviceptr memory;
static CUfunction triple, add, add_one;
static CUmodule module;

static bool launch_triple(CUfunction f)
{
	unsigned n = N, got[N] = {0};
	void *arguments[] = {&memory, &n};
	bool good = !CALL(cuMemsetD32_v2)(memory, 7, N) &&
		    !CALL(cuLaunchKernel)(f, 2, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL) &&
		    !CALL(cuMemcpyDtoH_v2)(got, memory, sizeof(got));

	for (unsigned k = 0; k < N; k++)
		good &= got[k] == 3 * k;
	return good;
}

static void test_images(void)
{
	const void *images[] = {triple_ptx, triple_zstd, triple_lz4};
	const char *names[] = {"PTX text", "a fat binary that zstd compressed",
			       "a fat binary that LZ4 compressed"};
	unsigned char damaged[sizeof(triple_zstd)];
	CUmodule m;

	for (int k = 0; k < 3; k++) {
		CUresult e = CALL(cuModuleLoadData)(&m, images[k]);

		if (!e)
			e = CALL(cuModuleGetFunction)(&triple, m, "triple");
		ok(!e && launch_triple(triple), "a kernel runs from %s", names[k]);
	}
	memcpy(damaged, triple_zstd, sizeof(damaged));
	memset(damaged + 120, 0xff, 40);
	ok(CALL(cuModuleLoadData)(&m, damaged) == CUDA_ERROR_INVALID_IMAGE,
	   "a damaged fat binary is an invalid image");
	ok(CALL(cuModuleLoadData)(&m, ".version 7.0\nnonsense") == CUDA_ERROR_INVALID_PTX,
	   "PTX that does not compile is invalid PTX");
}

static const char caller_ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
				 ".extern .func (.param .u32 r) plus(.param .u32 a);\n"
				 ".visible .entry store(.param .u64 p)\n{\n"
				 "	.reg .b32 %r<2>;\n	.reg .b64 %rd<2>;\n"
				 "	.param .u32 a;\n	.param .u32 r;\n"
				 "	ld.param.u64 %rd1, [p];\n"
				 "	st.param.u32 [a], 40;\n"
				 "	call (r), plus, (a);\n"
				 "	ld.param.u32 %r1, [r];\n"
				 "	st.global.u32 [%rd1], %r1;\n"
				 "	ret;\n}\n";
static char callee_ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			   ".visible .func (.param .u32 r) plus(.param .u32 a)\n{\n"
			   "	.reg .b32 %r<3>;\n"
			   "	ld.param.u32 %r1, [a];\n"
			   "	add.s32 %r2, %r1, 2;\n"
			   "	st.param.u32 [r], %r2;\n"
			   "	ret;\n}\n";

enum { CUBIN, PTX, FATBINARY, OBJECT, LIBRARY, NVVM };

static CUresult link_caller(CUlinkState *s, unsigned count, unsigned *options, void **values)
{
	CUresult e = CALL(cuLinkCreate_v2)(count, options, values, s);

	return e ? e
		 : CALL(cuLinkAddData_v2)(*s, PTX, (void *)(uintptr_t)caller_ptx,
					  sizeof(caller_ptx), "caller", 0, NULL, NULL);
}

/* Links both texts, one of them from a file, and runs the image. */
static void test_link(void)
{
	unsigned options[] = {5, 6, 2};
	char log[512] = "x", path[] = "/tmp/sov-link-XXXXXX";
	void *values[] = {log, (void *)sizeof(log), NULL}, *image = NULL, *again = NULL;
	void *arguments[] = {&memory};
	int file = mkstemp(path);
	unsigned got = 0;
	size_t bytes = 0;
	CUlinkState s;
	CUfunction f;
	CUmodule m;

	ok(file >= 0 && write(file, callee_ptx, sizeof(callee_ptx) - 1) > 0 && !close(file),
	   "there is a file of PTX");
	ok(!link_caller(&s, 3, options, values) &&
		   !CALL(cuLinkAddFile_v2)(s, PTX, path, 0, NULL, NULL) &&
		   !CALL(cuLinkComplete)(s, &image, &bytes) && bytes > 64,
	   "PTX of memory and of a file is linked");
	ok(!values[1], "a link without an error leaves the error log empty");
	ok(values[2], "a link returns its wall time");
	ok(!CALL(cuLinkComplete)(s, &again, &bytes) && again == image,
	   "a second completion returns the same image");
	ok(CALL(cuLinkAddFile_v2)(s, PTX, path, 0, NULL, NULL) == CUDA_ERROR_INVALID_VALUE,
	   "a completed link takes no input");
	ok(!CALL(cuModuleLoadData)(&m, image) && !CALL(cuLinkDestroy)(s) &&
		   !CALL(cuModuleGetFunction)(&f, m, "store") &&
		   !CALL(cuLaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) &&
		   !CALL(cuMemcpyDtoH_v2)(&got, memory, 4) && got == 42,
	   "the linked image runs after its link was destroyed: %u", got);
	CALL(cuModuleUnload)(m);
	unlink(path);

	values[1] = (void *)sizeof(log);
	ok(!link_caller(&s, 2, options, values) &&
		   CALL(cuLinkComplete)(s, &image, &bytes) == CUDA_ERROR_INVALID_PTX &&
		   strstr(log, "plus") && (size_t)values[1] == strlen(log),
	   "an unresolved function is named in the error log");
	ok(CALL(cuLinkAddFile_v2)(s, PTX, "/nowhere", 0, NULL, NULL) == CUDA_ERROR_FILE_NOT_FOUND,
	   "a file that does not exist is not found");
	ok(CALL(cuLinkAddData_v2)(s, CUBIN, callee_ptx, sizeof(callee_ptx), "c", 0, NULL, NULL) ==
			   CUDA_ERROR_INVALID_IMAGE &&
		   CALL(cuLinkAddData_v2)(s, FATBINARY, callee_ptx, sizeof(callee_ptx), "c", 0,
					  NULL, NULL) == CUDA_ERROR_INVALID_IMAGE,
	   "PTX is not taken for a cubin or a fat binary");
	ok(CALL(cuLinkAddData_v2)(s, LIBRARY, callee_ptx, 9, "l", 0, NULL, NULL) ==
			   CUDA_ERROR_NOT_SUPPORTED &&
		   CALL(cuLinkAddData_v2)(s, NVVM + 1, callee_ptx, 9, "l", 0, NULL, NULL) ==
			   CUDA_ERROR_INVALID_VALUE,
	   "libraries are not supported, unknown kinds are invalid");
	ok(!CALL(cuLinkAddData_v2)(s, FATBINARY, (void *)(uintptr_t)triple_zstd,
				   sizeof(triple_zstd), "triple", 0, NULL, NULL),
	   "a fat binary can be linked");
	ok(!CALL(cuLinkDestroy)(s) && CALL(cuLinkDestroy)(NULL) == CUDA_ERROR_INVALID_HANDLE,
	   "a link without an image can be destroyed, and no link cannot");
	options[0] = 99;
	ok(CALL(cuLinkCreate_v2)(1, options, values, &s) == CUDA_ERROR_INVALID_VALUE,
	   "an unknown option is invalid");
}

static void test_memory_operations(void)
{
	enum { WAIT_32 = 1, WRITE_32 = 2, BARRIER = 6, GEQ = 0, EQ = 1, UNKNOWN = 64 };
	CUstreamBatchMemOpParams batch[] = {
		{.operation = WRITE_32, .address = memory, .value.value = 3},
		{.operation = BARRIER},
		{.operation = WAIT_32, .address = memory, .value.value = 3, .flags = EQ},
		{.operation = WRITE_32, .address = memory + 4, .value.value = 4},
	};
	unsigned got[4] = {0};
	CUstream a, b;
	void *host;

	ok(!CALL(cuStreamCreate)(&a, 1) && !CALL(cuStreamCreate)(&b, 1) &&
		   !CALL(cuMemHostAlloc)(&host, 64, 0) &&
		   !CALL(cuStreamWaitValue64)(a, (CUdeviceptr)(uintptr_t)host, 1, GEQ) &&
		   !CALL(cuStreamWriteValue32)(a, memory + 8, 5, 0) &&
		   !CALL(cuStreamWaitValue32_v2)(b, memory + 8, 5, EQ) &&
		   !CALL(cuStreamWriteValue64_v2)(b, (CUdeviceptr)(uintptr_t)host + 8, 6, 0) &&
		   CALL(cuStreamQuery)(b) == CUDA_ERROR_NOT_READY,
	   "streams wait for a number in host memory");
	__atomic_store_n((uint64_t *)host, 1, __ATOMIC_RELEASE);
	ok(!CALL(cuStreamSynchronize)(b) && ((uint64_t *)host)[1] == 6,
	   "a number that the host writes lets them continue");
	ok(!CALL(cuStreamBatchMemOp_v2)(a, 4, batch, 0) && !CALL(cuStreamSynchronize)(a) &&
		   !CALL(cuMemcpyDtoH_v2)(got, memory, sizeof(got)) && got[0] == 3 && got[1] == 4 &&
		   got[2] == 5,
	   "a batch of operations runs in order");
	batch[1].operation = UNKNOWN;
	ok(CALL(cuStreamBatchMemOp)(a, 4, batch, 0) == CUDA_ERROR_INVALID_VALUE &&
		   CALL(cuStreamWaitValue32)(a, memory, 1, UNKNOWN) == CUDA_ERROR_INVALID_VALUE &&
		   CALL(cuStreamWaitValue64)(a, memory + 4, 1, GEQ) == CUDA_ERROR_INVALID_VALUE,
	   "unknown operations and flags, and numbers that are not aligned, are invalid");
	CALL(cuStreamDestroy_v2)(a);
	CALL(cuStreamDestroy_v2)(b);
	CALL(cuMemFreeHost)(host);
}

/* The test program contains libsov, whose encoder is the witness. */
static void test_tensor_map(void)
{
	enum { TILED_F64 = 8, FIRST_PACKED = 13 };
	const uint64_t dimensions[] = {100, 30}, strides[] = {800};
	const uint32_t box[] = {16, 8}, steps[] = {1, 2};
	uint32_t zero_step[] = {1, 0};
	sov_tensor_map_options o = {
		.size = sizeof(o),
		.type = SOV_TENSOR_F64,
		.address = 0x7000000000,
		.rank = 2,
		.swizzle = 128,
		.dimensions = {100, 30},
		.strides = {0, 800},
		.box = {16, 8},
		.steps = {1, 2},
	};
	sov_tensor_map want;
	CUtensorMap map, bad[2];
	void *at = (void *)(uintptr_t)o.address;

	ok(!sov_tensor_map_encode(&o, &want) &&
		   !CALL(cuTensorMapEncodeTiled)(&map, TILED_F64, 2, at, dimensions, strides, box,
						 steps, 0, 3, 2, 0) &&
		   !memcmp(&map, &want, sizeof(map)),
	   "a tensor map of CUDA's arguments is that of libsov's");
	ok(CALL(cuTensorMapEncodeTiled)((CUtensorMap *)(void *)((char *)bad + 16), TILED_F64, 2, at,
					dimensions, strides, box, steps, 0, 3, 2,
					0) == CUDA_ERROR_INVALID_VALUE &&
		   CALL(cuTensorMapEncodeTiled)(&map, TILED_F64, 6, at, dimensions, strides, box,
						steps, 0, 3, 2, 0) == CUDA_ERROR_INVALID_VALUE &&
		   CALL(cuTensorMapEncodeTiled)(&map, TILED_F64, 2, at, dimensions, strides, box,
						zero_step, 0, 3, 2,
						0) == CUDA_ERROR_INVALID_VALUE &&
		   CALL(cuTensorMapEncodeTiled)(&map, 16, 2, at, dimensions, strides, box, steps, 0,
						3, 2, 0) == CUDA_ERROR_INVALID_VALUE,
	   "a map that is not aligned, and wrong ranks, steps and types are invalid");
	ok(CALL(cuTensorMapEncodeTiled)(&map, FIRST_PACKED, 2, at, dimensions, strides, box, steps,
					0, 3, 2, 0) == CUDA_ERROR_NOT_SUPPORTED &&
		   CALL(cuTensorMapEncodeTiled)(&map, TILED_F64, 2, at, dimensions, strides, box,
						steps, 1, 3, 2, 0) == CUDA_ERROR_NOT_SUPPORTED,
	   "packed types and interleaved layouts are not supported");
}

static void test_modules(void)
{
	char log[512] = "x";
	unsigned options[] = {5, 6};
	void *values[] = {log, (void *)sizeof(log)};
	CUdeviceptr address = 0;
	size_t bytes = 0;
	CUresult e;
	CUmodule bad;

	ok(CALL(cuModuleLoadDataEx)(&bad, ".version 7.0\n.target sm_70\nwrong", 2, options,
				    values) &&
		   strstr(log, "wrong"),
	   "the error log of a load has the compiler's message");
	e = CALL(cuModuleLoadData)(&module, more_ptx);
	if (!e)
		e = CALL(cuModuleGetFunction)(&add, module, "add");
	if (!e)
		e = CALL(cuModuleGetFunction)(&add_one, module, "add_one");
	if (!e)
		e = CALL(cuModuleGetGlobal_v2)(&address, &bytes, module, "shared_word");
	ok(!e && bytes == 4, "functions and variables of a module are found");
	ok(CALL(cuModuleGetFunction)(&triple, module, "none") == CUDA_ERROR_NOT_FOUND,
	   "a function that does not exist is not found");
	ok(CALL(cuLaunchKernel)(add_one, 1, 0, 1, 1, 1, 1, 0, NULL, NULL, NULL) ==
			   CUDA_ERROR_INVALID_VALUE &&
		   CALL(cuLaunchKernel)(add_one, 1, 1, 1, 1, 1, 0, 0, NULL, NULL, NULL) ==
			   CUDA_ERROR_INVALID_VALUE,
	   "a grid or a block of 0 along y or z is not launched");
	e = CALL(cuLaunchKernel)(add_one, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
	if (!e)
		e = CALL(cuCtxSynchronize)();
	ok(!e && address && *(unsigned *)(uintptr_t)address == 42,
	   "the host reads a managed variable that a kernel has written");
}

static void test_memory(void)
{
	unsigned data[16] = {0}, type = 0, managed = 0, attributes[] = {2, 8};
	void *out[] = {&type, &managed};
	CUdeviceptr p = 0, start = 0;
	size_t bytes = 0;
	unsigned *host = NULL;
	CUresult e = CALL(cuMemAllocManaged)(&p, 64, 1);

	host = (unsigned *)(uintptr_t)p;
	host[3] = 9;
	ok(!e && !CALL(cuMemcpyDtoH_v2)(data, p, 64) && data[3] == 9,
	   "managed memory is the host's and a source of copies");
	ok(!CALL(cuPointerGetAttributes)(2, attributes, out, p) && type == 2 && managed == 1,
	   "the attributes of a pointer tell managed memory");
	ok(!CALL(cuMemGetAddressRange_v2)(&start, &bytes, p + 8) && start == p && bytes == 64,
	   "the range of an address is its allocation");
	ok(CALL(cuMemFree_v2)(p + 4) == CUDA_ERROR_INVALID_VALUE && !CALL(cuMemFree_v2)(p),
	   "memory is freed by its start only");
	ok(!CALL(cuMemsetD2D8_v2)(memory, 16, 5, 4, 4) &&
		   !CALL(cuMemcpyDtoH_v2)(data, memory, 64) && data[0] == 0x05050505 &&
		   data[4] == 0x05050505,
	   "a two-dimensional fill writes each row");
	data[0] = 1234;
	ok(!CALL(cuMemcpy)((uintptr_t)&data[1], (uintptr_t)&data[0], 4) && data[1] == 1234,
	   "a copy between pageable memory is done");
}

/* Adds n to the first word. */
static CUresult add_on(CUstream s, unsigned n)
{
	void *arguments[] = {&memory, &n};

	return CALL(cuLaunchKernel)(add, 1, 1, 1, 1, 1, 1, 0, s, arguments, NULL);
}

static void test_streams(void)
{
	CUstream blocking, free_stream;
	unsigned got = 0, bad = 0;
	CUevent event;
	CUresult e = CALL(cuStreamCreate)(&blocking, 0);
	float ms = -1;

	if (!e)
		e = CALL(cuStreamCreate)(&free_stream, CU_STREAM_NON_BLOCKING);
	/* A lost update or a stale copy shows that two streams ran out of order. */
	for (unsigned k = 0; !e && k < 50; k++) {
		unsigned before = got;

		e = add_on(blocking, 1);
		if (!e)
			e = add_on(NULL, 1);
		if (!e)
			e = add_on(blocking, 1);
		if (!e)
			e = CALL(cuMemcpyDtoH_v2)(&got, memory, 4);
		bad += k && got != before + 3;
	}
	ok(!e && !bad, "the legacy stream and blocking streams wait for each other");
	e = CALL(cuEventCreate)(&event, 0);
	ok(!e && !CALL(cuEventQuery)(event), "an event without a record is complete");
	ok(!CALL(cuEventRecord)(event, free_stream) && !CALL(cuEventSynchronize)(event) &&
		   !CALL(cuEventElapsedTime)(&ms, event, event) && ms == 0,
	   "an event is recorded, waited for and timed");
	CALL(cuEventDestroy_v2)(event);
	ok(!CALL(cuStreamDestroy_v2)(blocking) &&
		   CALL(cuStreamQuery)((CUstream)(uintptr_t)0x1001) == CUDA_ERROR_INVALID_HANDLE,
	   "a handle that is not a stream is rejected");
}

static void test_graphs(void)
{
	CUstream a, b;
	CUevent fork, join;
	CUgraph g = NULL;
	CUgraphExec exec = NULL;
	CUgraphNode nodes[8];
	CUDA_KERNEL_NODE_PARAMS p;
	size_t count = 8;
	unsigned got = 0, pageable = 100, status = 9, five = 5;
	void *arguments[] = {&memory, &five};
	CUresult e = CALL(cuStreamCreate)(&a, 0);

	CALL(cuStreamCreate)(&b, 0);
	CALL(cuEventCreate)(&fork, 2);
	CALL(cuEventCreate)(&join, 2);
	if (!e)
		e = CALL(cuStreamBeginCapture_v2)(a, 0);
	if (!e)
		e = CALL(cuMemcpyHtoDAsync_v2)(memory, &pageable, 4, a);
	if (!e)
		e = CALL(cuEventRecord)(fork, a);
	if (!e)
		e = CALL(cuStreamWaitEvent)(b, fork, 0);
	if (!e)
		e = add_on(b, 1);
	if (!e)
		e = CALL(cuEventRecord)(join, b);
	if (!e)
		e = CALL(cuStreamWaitEvent)(a, join, 0);
	CALL(cuStreamIsCapturing)(b, &status);
	if (!e)
		e = CALL(cuMemcpyDtoHAsync_v2)(&got, memory, 4, a);
	if (!e)
		e = CALL(cuStreamEndCapture)(a, &g);
	ok(!e && status == 1 && !CALL(cuGraphGetNodes)(g, nodes, &count) && count == 3,
	   "a capture of two streams has a node for each call");
	ok(!CALL(cuGraphInstantiateWithFlags)(&exec, g, 0) && !CALL(cuGraphLaunch)(exec, a) &&
		   !CALL(cuStreamSynchronize)(a) && got == 101,
	   "the graph copies pageable memory and runs its kernel");
	pageable = 200;
	ok(!CALL(cuGraphLaunch)(exec, a) && !CALL(cuStreamSynchronize)(a) && got == 201,
	   "each launch of the graph reads the memory anew");
	CALL(cuGraphKernelNodeGetParams_v2)(nodes[1], &p);
	p.kernelParams = arguments;
	ok(!CALL(cuGraphExecKernelNodeSetParams_v2)(exec, nodes[1], &p) &&
		   !CALL(cuGraphLaunch)(exec, a) && !CALL(cuStreamSynchronize)(a) && got == 205,
	   "a kernel node of an executable graph gets other arguments");
	ok(!CALL(cuGraphExecDestroy)(exec) && !CALL(cuGraphDestroy)(g), "graphs are destroyed");
	CALL(cuEventDestroy_v2)(fork);
	CALL(cuEventDestroy_v2)(join);
	CALL(cuStreamBeginCapture_v2)(a, 0);
	ok(CALL(cuStreamSynchronize)(a) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
		   CALL(cuStreamEndCapture)(a, &g) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
	   "waiting for a stream that captures ends the capture with an error");
}

static void test_arrays(void)
{
	CUDA_ARRAY3D_DESCRIPTOR d = {4, 4, 2, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0};
	unsigned in[32], out[32] = {0};
	CUDA_MEMCPY3D p = {.srcMemoryType = CU_MEMORYTYPE_HOST,
			   .srcHost = in,
			   .srcPitch = 16,
			   .srcHeight = 4,
			   .dstMemoryType = CU_MEMORYTYPE_ARRAY,
			   .WidthInBytes = 16,
			   .Height = 4,
			   .Depth = 2};
	CUarray array = NULL;
	CUresult e = CALL(cuArray3DCreate_v2)(&array, &d);

	for (unsigned k = 0; k < 32; k++)
		in[k] = k * k;
	p.dstArray = array;
	if (!e)
		e = CALL(cuMemcpy3D_v2)(&p);
	p = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
			    .srcArray = array,
			    .srcXInBytes = 4,
			    .srcY = 1,
			    .srcZ = 1,
			    .dstMemoryType = CU_MEMORYTYPE_HOST,
			    .dstHost = out,
			    .WidthInBytes = 8,
			    .Height = 2,
			    .Depth = 1};
	if (!e)
		e = CALL(cuMemcpy3D_v2)(&p);
	ok(!e && out[0] == 21 * 21 && out[1] == 22 * 22 && out[2] == 25 * 25,
	   "a part of a three-dimensional array is copied");
	p.srcXInBytes = 12;
	ok(CALL(cuMemcpy3D_v2)(&p) == CUDA_ERROR_INVALID_VALUE && !CALL(cuArrayDestroy)(array),
	   "a copy beyond an array is rejected");
}

static const char levels_ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry levels(.param .u64 t, .param .u64 s, .param .u64 o)\n{\n"
	"	.reg .b64 %t, %s, %o;\n	.reg .b32 %i;\n	.reg .f32 %l, %f<4>;\n"
	"	ld.param.u64 %t, [t];\n	ld.param.u64 %s, [s];\n	ld.param.u64 %o, [o];\n"
	"	mov.u32 %i, %tid.x;\n	cvt.rn.f32.u32 %l, %i;\n	mul.f32 %l, %l, "
	"0f3F000000;\n"
	"	tex.level.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {0f3F000000, 0f3F000000}], %l;\n"
	"	mad.wide.u32 %o, %i, 4, %o;\n	st.global.f32 [%o], %f0;\n"
	"	sust.b.2d.b32.trap [%s, {4, 1}], {0f42C80000};\n	ret;\n}\n";

/* Level k of 8 x 8 texels is 10 k everywhere; a thread reads every half of a level. */
static bool read_levels(CUtexObject texture, CUtexObject surface)
{
	void *arguments[] = {&texture, &surface, &memory};
	float got[8] = {0};
	CUfunction f;
	CUmodule m;
	bool good;

	good = !CALL(cuModuleLoadData)(&m, levels_ptx) &&
	       !CALL(cuModuleGetFunction)(&f, m, "levels") &&
	       !CALL(cuLaunchKernel)(f, 1, 1, 1, 8, 1, 1, 0, NULL, arguments, NULL) &&
	       !CALL(cuMemcpyDtoH_v2)(got, memory, sizeof(got)) && !CALL(cuModuleUnload)(m);
	for (unsigned k = 0; k < 8; k++)
		good &= got[k] == (k < 5 ? 5.0f * (float)k : 20.0f);
	return good;
}

static void test_mipmapped_arrays(void)
{
	CUDA_ARRAY3D_DESCRIPTOR d = {8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0}, got = {0};
	CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_MIPMAPPED}, one = {0};
	CUDA_TEXTURE_DESC t = {.filterMode = 1,
			       .flags = CU_TRSF_NORMALIZED_COORDINATES,
			       .mipmapFilterMode = 1,
			       .maxMipmapLevelClamp = 2};
	CUtexObject texture = 0, surface = 0;
	CUmipmappedArray m = NULL;
	float texels[64];
	CUarray level = NULL;
	CUresult e = CALL(cuMipmappedArrayCreate)(&m, &d, 99);
	CUDA_MEMCPY3D p = {.srcMemoryType = CU_MEMORYTYPE_HOST,
			   .srcHost = texels,
			   .dstMemoryType = CU_MEMORYTYPE_ARRAY,
			   .Depth = 1};

	for (unsigned k = 0; !e && k < 4; k++) {
		e = CALL(cuMipmappedArrayGetLevel)(&level, m, k);
		for (unsigned i = 0; i < 64; i++)
			texels[i] = 10.0f * (float)k;
		p.dstArray = level;
		p.srcPitch = p.WidthInBytes = 32u >> k;
		p.srcHeight = p.Height = 8u >> k;
		if (!e)
			e = CALL(cuMemcpy3D_v2)(&p);
	}
	ok(!e && !CALL(cuArray3DGetDescriptor_v2)(&got, level) && got.Width == 1 && got.Height == 1,
	   "levels of a mipmapped array are arrays of half the size, to which copies go");
	ok(CALL(cuMipmappedArrayGetLevel)(&level, m, 4) == CUDA_ERROR_INVALID_VALUE &&
		   CALL(cuArrayDestroy)(level) == CUDA_ERROR_INVALID_VALUE,
	   "8 x 8 texels have four levels, which are destroyed together");
	r.res.mipmapped = m;
	e = CALL(cuTexObjectCreate)(&texture, &r, &t, NULL);
	one.resType = CU_RESOURCE_ARRAY;
	CALL(cuMipmappedArrayGetLevel)(&one.res.array, m, 1);
	if (!e)
		e = CALL(cuSurfObjectCreate)(&surface, &one);
	ok(!e && read_levels(texture, surface),
	   "a kernel filters between levels, up to the limit of the texture object");
	p = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
			    .srcArray = one.res.array,
			    .dstMemoryType = CU_MEMORYTYPE_HOST,
			    .dstHost = texels,
			    .WidthInBytes = 16,
			    .Height = 4,
			    .Depth = 1};
	ok(!CALL(cuMemcpy3D_v2)(&p) && texels[0] == 10 && texels[5] == 100 && texels[6] == 10,
	   "a surface object of a level writes that level");
	t.flags = 0;
	ok(CALL(cuTexObjectCreate)(&texture, &r, &t, NULL) == CUDA_ERROR_INVALID_VALUE,
	   "a mipmapped array needs normalized coordinates");
	ok(!CALL(cuSurfObjectDestroy)(surface) && !CALL(cuTexObjectDestroy)(texture) &&
		   !CALL(cuMipmappedArrayDestroy)(m),
	   "a mipmapped array is destroyed");
}

static void test_entries(void)
{
	void *p = NULL, *q = NULL;
	unsigned status = 9;
	CUresult (*missing)(void) = (CUresult(*)(void))(uintptr_t)call("cuImportExternalMemory");

	ok(!CALL(cuGetProcAddress_v2)("cuMemAlloc", &p, 13000, 0, &status) && !status &&
		   p == call("cuMemAlloc_v2"),
	   "cuGetProcAddress finds the newest form of a call");
	ok(!CALL(cuGetProcAddress_v2)("cuLaunchKernel", &q, 13000, 2, &status) &&
		   q == call("cuLaunchKernel_ptsz"),
	   "cuGetProcAddress finds the form for the per-thread stream");
	ok(!CALL(cuGetProcAddress_v2)("cuNothing", &p, 13000, 0, &status) && status == 1 && !p,
	   "a name that does not exist is not found");
	ok(missing() == CUDA_ERROR_NOT_SUPPORTED, "a call that is missing says so");
}

/* Comes last: the context is lost. */
/* Each fault in a context of its own, because the error is sticky. */
static void test_fault_codes(void)
{
	static const char trap_ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
				       ".visible .entry stop() { trap; }\n";
	static const struct {
		const char *ptx, *function;
		unsigned offset; /* from the allocation */
		CUresult want;
		const char *promise;
	} rows[] = {
		{more_ptx, "add", 1, CUDA_ERROR_MISALIGNED_ADDRESS,
		 "an address that is not aligned is a misaligned address"},
		{more_ptx, "add", 1u << 30, CUDA_ERROR_ILLEGAL_ADDRESS,
		 "an address without memory is an illegal address"},
		{trap_ptx, "stop", 0, CUDA_ERROR_LAUNCH_FAILED, "a trap is a failed launch"},
	};

	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		CUdeviceptr p = 0;
		unsigned n = 1;
		void *arguments[] = {&p, &n};
		CUcontext c;
		CUfunction f;
		CUmodule m;
		bool good = !CALL(cuCtxCreate_v2)(&c, 0, 0) && !CALL(cuMemAlloc_v2)(&p, 64) &&
			    !CALL(cuModuleLoadData)(&m, rows[k].ptx) &&
			    !CALL(cuModuleGetFunction)(&f, m, rows[k].function);

		p += rows[k].offset;
		ok(good && !CALL(cuLaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) &&
			   CALL(cuCtxSynchronize)() == rows[k].want &&
			   CALL(cuMemAlloc_v2)(&p, 4) == rows[k].want,
		   "%s", rows[k].promise);
		CALL(cuCtxDestroy_v2)(c);
	}
}

static void test_fault(void)
{
	CUdeviceptr nowhere = 0x10, p;
	unsigned n = 1;
	void *arguments[] = {&nowhere, &n};
	const char *name = "";

	CALL(cuLaunchKernel)(add, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
	ok(CALL(cuCtxSynchronize)() == CUDA_ERROR_ILLEGAL_ADDRESS,
	   "a store to an unmapped address is an illegal address");
	ok(CALL(cuMemAlloc_v2)(&p, 4) == CUDA_ERROR_ILLEGAL_ADDRESS, "the error is sticky");
	ok(!CALL(cuGetErrorName)(CUDA_ERROR_ILLEGAL_ADDRESS, &name) &&
		   !strcmp(name, "CUDA_ERROR_ILLEGAL_ADDRESS"),
	   "errors have names");
}

int main(void)
{
	CUcontext c = NULL;
	int major = 0;
	CUdevice device = 0;

	soft_gpus("gh100:vram=1G"); /* kernels with calls need a stack for each thread */
	load_library("libcuda.so.1");
	ok(CALL(cuDeviceGetCount)(&major) == CUDA_ERROR_NOT_INITIALIZED,
	   "calls before cuInit are rejected");
	ok(!CALL(cuInit)(0) && !CALL(cuDeviceGet)(&device, 0) &&
		   !CALL(cuDeviceGetAttribute)(&major, 75, device) && major >= 8,
	   "the software GPU is a device of CUDA");
	ok(CALL(cuMemAlloc_v2)(&memory, 4) == CUDA_ERROR_INVALID_CONTEXT,
	   "calls without a context are rejected");
	if (!ok(!CALL(cuDevicePrimaryCtxRetain)(&c, device) && !CALL(cuCtxSetCurrent)(c) &&
			!CALL(cuMemAlloc_v2)(&memory, N * 4),
		"the primary context allocates memory"))
		return tap_done();
	test_images();
	test_modules();
	test_link();
	test_tensor_map();
	test_memory_operations();
	test_memory();
	test_streams();
	test_graphs();
	test_arrays();
	test_mipmapped_arrays();
	test_entries();
	test_fault_codes();
	test_fault();
	return tap_done();
}
