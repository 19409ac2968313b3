// SPDX-License-Identifier: MIT
/* Runs the kernels of _pocl_kernels.h on the first OpenCL CPU and on a software GPU, alternating
 * launches, so that the load of the machine hits both alike. Prints for each kernel and both
 * machines: wall milliseconds from source or PTX to the first result, CPU milliseconds of the best
 * of several launches, and a sum of the results. pocl.sh makes the table.
 *   usage: pocl SOURCE PTX */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <string.h>
#include "tests/bench/_bench.h"

#define N      256
#define ROUNDS 15

static const struct kernel {
	const char *name;
	uint32_t threads[2], block[2];
	int n;
	uint32_t results;
} kernels[] = {
	{"saxpy", {N * N * 4, 1}, {256, 1}, N, N *N * 4},
	{"horner", {65536, 1}, {256, 1}, 512, 65536},
	{"matmul", {N, N}, {16, 16}, N, N *N},
	{"matmul_tiled", {N, N}, {16, 16}, N, N *N},
	{"nbody", {2048, 1}, {128, 1}, 2048, 3 * 2048},
	{"stencil", {N * 2, N * 2}, {32, 8}, N * 2, N *N * 4},
	{"transpose", {N * 2, N * 2}, {16, 16}, N * 2, N *N * 4},
	{"mandelbrot", {N, N}, {32, 8}, N, N *N},
	{"block_sum", {N * N * 4, 1}, {256, 1}, N, N * 4},
	{"hash", {65536, 1}, {256, 1}, 256, 65536},
	{"row_sum", {512, 1}, {64, 1}, 512, 512},
};
#define KERNELS (sizeof(kernels) / sizeof(kernels[0]))
#define WORDS   (N * N * 4)

static float a[WORDS], b[WORDS], c[WORDS];
static char source[1 << 20], ptx[1 << 20];

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void check_cl(cl_int error, const char *call)
{
	if (!error)
		return;
	fprintf(stderr, "%s: %d\n", call, error);
	exit(1);
}

/* A machine: builds a kernel, runs it, reads the results. */
struct machine {
	void (*open)(void);
	void (*build)(const struct kernel *k);
	void (*run)(const struct kernel *k);
	void (*read)(void);
};

static cl_context context_cl;
static cl_command_queue queue;
static cl_mem memory_cl[3];
static cl_kernel kernel_cl;
static cl_device_id device_cl;

static void open_cl(void)
{
	cl_platform_id platform;
	cl_int e;

	check_cl(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check_cl(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device_cl, NULL),
		 "clGetDeviceIDs");
	context_cl = clCreateContext(NULL, 1, &device_cl, NULL, NULL, &e);
	check_cl(e, "clCreateContext");
	queue = clCreateCommandQueue(context_cl, device_cl, 0, &e);
	check_cl(e, "clCreateCommandQueue");
	for (uint32_t i = 0; i < 3; i++) {
		memory_cl[i] = clCreateBuffer(context_cl, CL_MEM_COPY_HOST_PTR, sizeof(a),
					      i == 0 ? a : b, &e);
		check_cl(e, "clCreateBuffer");
	}
}

static void build_cl(const struct kernel *k)
{
	const char *text = source;
	cl_program program;
	cl_int e;

	program = clCreateProgramWithSource(context_cl, 1, &text, NULL, &e);
	check_cl(e, "clCreateProgramWithSource");
	check_cl(clBuildProgram(program, 1, &device_cl, "", NULL, NULL), "clBuildProgram");
	kernel_cl = clCreateKernel(program, k->name, &e);
	check_cl(e, "clCreateKernel");
	for (cl_uint i = 0; i < 3; i++)
		check_cl(clSetKernelArg(kernel_cl, i, sizeof(cl_mem), &memory_cl[i]),
			 "clSetKernelArg");
	check_cl(clSetKernelArg(kernel_cl, 3, sizeof(int), &k->n), "clSetKernelArg");
}

static void run_cl(const struct kernel *k)
{
	size_t global[2] = {k->threads[0], k->threads[1]}, local[2] = {k->block[0], k->block[1]};

	check_cl(clEnqueueNDRangeKernel(queue, kernel_cl, 2, NULL, global, local, 0, NULL, NULL),
		 "clEnqueueNDRangeKernel");
	check_cl(clFinish(queue), "clFinish");
}

static void read_cl(void)
{
	check_cl(clEnqueueReadBuffer(queue, memory_cl[2], CL_TRUE, 0, sizeof(c), c, 0, NULL, NULL),
		 "clEnqueueReadBuffer");
}

static sov_context context;
static sov_ptr memory[3];
static sov_function function;
static size_t ptx_bytes;

static void open_sov(void)
{
	sov_device device;

	MUST(sov_device_open(0, &device));
	MUST(sov_context_create(device, NULL, &context));
	for (uint32_t i = 0; i < 3; i++) {
		MUST(sov_memory_alloc(context, sizeof(a), &memory[i]));
		MUST(sov_memory_copy(context, memory[i], SOV_HOST(i == 0 ? a : b), sizeof(a)));
	}
}

static void build_sov(const struct kernel *k)
{
	sov_module module;

	MUST(sov_module_load(context, ptx, ptx_bytes, NULL, &module));
	MUST(sov_module_get_function(module, k->name, &function));
}

static void run_sov(const struct kernel *k)
{
	const void *arguments[] = {&memory[0], &memory[1], &memory[2], &k->n};
	sov_launch l = SOV_INIT(sov_launch);

	for (uint32_t i = 0; i < 3; i++) {
		l.grid[i] = i < 2 ? k->threads[i] / k->block[i] : 1;
		l.block[i] = i < 2 ? k->block[i] : 1;
	}
	l.arguments = arguments;
	l.argument_count = 4;
	MUST(sov_function_launch(function, &l));
	MUST(sov_context_wait(context, SOV_FOREVER));
}

static void read_sov(void)
{
	MUST(sov_memory_copy(context, SOV_HOST(c), memory[2], sizeof(c)));
}

static const struct machine machines[] = {{open_cl, build_cl, run_cl, read_cl},
					  {open_sov, build_sov, run_sov, read_sov}};

static size_t read_file(const char *path, char *text)
{
	FILE *f = fopen(path, "r");
	size_t bytes = f ? fread(text, 1, sizeof(source) - 1, f) : 0;

	if (f)
		fclose(f);
	if (!bytes) {
		fprintf(stderr, "cannot read '%s'\n", path);
		exit(1);
	}
	return bytes;
}

static void compare(const struct kernel *k)
{
	uint64_t first[2], cpu[2] = {UINT64_MAX, UINT64_MAX};
	double sums[2] = {0};

	for (uint32_t i = 0; i < 2; i++) {
		uint64_t start = now_ns();

		machines[i].build(k);
		machines[i].run(k);
		first[i] = now_ns() - start;
	}
	for (uint32_t round = 0; round < ROUNDS; round++)
		for (uint32_t i = 0; i < 2; i++) {
			uint64_t start = cpu_ns(), taken;

			machines[i].run(k);
			taken = cpu_ns() - start;
			cpu[i] = taken < cpu[i] ? taken : cpu[i];
		}
	for (uint32_t i = 0; i < 2; i++) {
		machines[i].read();
		for (uint32_t n = 0; n < k->results; n++)
			sums[i] += fabsf(c[n]);
	}
	printf("%s", k->name);
	for (uint32_t i = 0; i < 2; i++)
		printf(" %.3f %.3f %.6g", (double)first[i] * 1e-6, (double)cpu[i] * 1e-6, sums[i]);
	printf("\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: pocl SOURCE PTX\n");
		return 1;
	}
	read_file(argv[1], source);
	ptx_bytes = read_file(argv[2], ptx);
	for (uint32_t i = 0; i < WORDS; i++) {
		a[i] = (float)(i * 2654435761u >> 8) / (1 << 24);
		b[i] = (float)(i * 40503u % 65536) / 65536;
	}
	for (uint32_t i = 0; i < 2; i++)
		machines[i].open();
	for (uint32_t i = 0; i < KERNELS; i++)
		compare(&kernels[i]);
	return 0;
}
