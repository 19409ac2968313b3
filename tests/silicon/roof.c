// SPDX-License-Identifier: MIT
/*
 * The matrix products of libsov/kernels/gemm beside cuBLAS on one GPU. Random factors and poisoned
 * results for every kernel; results are checked against sums in twice the precision of f64 at
 * random places and at the corners of tiles, and against cuBLAS everywhere.
 *
 *   roof sov TYPE M N K SAMPLES IMAGE            through libsov, on its first device
 *   roof cuda TYPE M N K SAMPLES IMAGE...        through libcuda, samples alternate with cuBLAS's
 *
 * TYPE: f16, tf32, f64. An image is a cubin, or PTX for libsov. Prints a line for each kernel:
 * name, median time of a product in microseconds, TFLOP/s. The last word is `right`, or the line
 * ends with why it is not; exit status 0: all are.
 */
#include <sys/random.h>
#include "tests/kernels/matrices.h"
#include "tests/silicon/driver.h"

enum { FACTOR_A, FACTOR_B, RESULT, MATRICES, PLACES = 2000, MAX_KERNELS = 8, TIME_LIMIT = 240 };
#define SAMPLE_US 3000.0 /* a sample repeats products for about as long */

static struct problem {
	struct gemm g;
	struct matrix x[MATRICES];
	double *norms[2];
	uint64_t state;
	unsigned samples;
} p;

static double flops(void)
{
	return 2.0 * p.g.m * p.g.n * p.g.k;
}

/* ---- the problem and its check ---- */

static double *row_norms(const struct matrix *x)
{
	double *norms = calloc(x->rows, sizeof(*norms));

	if (!norms)
		exit(EXIT_BROKEN);
	for (uint32_t row = 0; row < x->rows; row++) {
		for (uint32_t i = 0; i < x->columns; i++)
			norms[row] += matrix_get(x, row, i) * matrix_get(x, row, i);
		norms[row] = sqrt(norms[row]);
	}
	return norms;
}

static struct matrix padded(enum gemm_type type, uint32_t rows, uint32_t columns)
{
	uint32_t unit = 16 / matrix_element_bytes[type];

	return matrix_new(type, rows, columns, (columns + unit - 1) / unit * unit);
}

static void make_problem(char **argv)
{
	static const char *const names[] = {"f16", "tf32", "f64"};

	for (p.g.type = 0; p.g.type < GEMM_TYPES && strcmp(names[p.g.type], argv[0]) != 0;)
		p.g.type++;
	p.g.m = (uint32_t)atoi(argv[1]), p.g.n = (uint32_t)atoi(argv[2]),
	p.g.k = (uint32_t)atoi(argv[3]);
	p.samples = (unsigned)atoi(argv[4]);
	if (p.g.type == GEMM_TYPES || !p.g.m || !p.g.n || !p.g.k || !p.samples) {
		fprintf(stderr,
			"BROKEN roof: %s is no type, or a size or the number of samples is 0\n",
			argv[0]);
		exit(EXIT_BROKEN);
	}
	if (getrandom(&p.state, sizeof(p.state), 0) != sizeof(p.state))
		exit(EXIT_BROKEN);
	p.x[FACTOR_A] = padded(p.g.type, p.g.m, p.g.k);
	p.x[FACTOR_B] = padded(p.g.type, p.g.n, p.g.k);
	p.x[RESULT] = padded(p.g.type, p.g.m, p.g.n);
	p.g.pitch_a = p.x[FACTOR_A].pitch, p.g.pitch_b = p.x[FACTOR_B].pitch,
	p.g.pitch_c = p.x[RESULT].pitch;
	for (int i = 0; i < 2; i++) {
		matrix_fill(&p.x[i], &p.state);
		p.norms[i] = row_norms(&p.x[i]);
	}
}

static void place_at(unsigned i, uint32_t *row, uint32_t *column)
{
	static const uint32_t edges[] = {0, 1, 63, 64, 127, 128, 255, 256};
	uint64_t bits = matrix_bits(&p.state);

	*row = (uint32_t)(bits % p.g.m), *column = (uint32_t)((bits >> 32) % p.g.n);
	if (i < 64) { /* corners of tiles, from the first and from the last row and column on */
		*row = edges[i % 8] % p.g.m, *column = edges[i / 8] % p.g.n;
	} else if (i < 128) {
		*row = p.g.m - 1 - edges[i % 8] % p.g.m,
		*column = p.g.n - 1 - edges[i / 8 % 8] % p.g.n;
	}
}

static bool places_right(char *why)
{
	for (unsigned i = 0; i < PLACES; i++) {
		uint32_t row, column;

		place_at(i, &row, &column);
		if (!matrix_element_right(&p.x[FACTOR_A], &p.x[FACTOR_B], &p.x[RESULT], row, column,
					  why))
			return false;
	}
	return matrix_padding_right(&p.x[RESULT], why);
}

/* Both may be off by the error of k additions, of a result's rounding, and in TF32 of the factors',
 * which cuBLAS may round otherwise; the sum of magnitudes is at most the product of the rows'
 * norms. */
static bool same_as(const struct matrix *other, char *why)
{
	static const double sums[] = {0x1p-22, 0x1p-22, 0x1p-53}, factors[] = {0, 0x1p-9, 0},
			    results[] = {0x1p-10, 0x1p-23, 0x1p-52};

	for (uint32_t row = 0; row < p.g.m; row++)
		for (uint32_t column = 0; column < p.g.n; column++) {
			double size = p.norms[FACTOR_A][row] * p.norms[FACTOR_B][column];
			double a = matrix_get(&p.x[RESULT], row, column),
			       b = matrix_get(other, row, column);
			double bound =
				size * (2 * (p.g.k + 1) * sums[p.g.type] + factors[p.g.type]) +
				results[p.g.type] * fabs(b);

			if (fabs(a - b) <= bound)
				continue;
			snprintf(why, MATRIX_WHY, "c[%u][%u] is %.17g, by cuBLAS %.17g", row,
				 column, a, b);
			return false;
		}
	return true;
}

static int compare_times(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *times, unsigned count)
{
	qsort(times, count, sizeof(*times), compare_times);
	return times[count / 2];
}

static void print_row(const char *name, double us, const char *why)
{
	printf("%-28s %10.2f us %8.1f TFLOP/s  %s\n", name, us, flops() / us / 1e6,
	       *why ? why : "right");
}

static void poison(void)
{
	memset(p.x[RESULT].data, MATRIX_POISON, p.x[RESULT].bytes);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void *read_image(const char *path, size_t *bytes)
{
	enum { MAX_BYTES = 1 << 22 };
	FILE *f = fopen(path, "rb");
	char *image = calloc(1, MAX_BYTES + 1);

	*bytes = f && image ? fread(image, 1, MAX_BYTES, f) : 0;
	if (!*bytes) {
		fprintf(stderr, "BROKEN roof: cannot read '%s'\n", path);
		exit(EXIT_BROKEN);
	}
	fclose(f);
	return image;
}

static unsigned repeats(double us)
{
	return us >= SAMPLE_US ? 1 : us < 1 ? 1000 : (unsigned)(SAMPLE_US / us);
}

/* ---- through libsov ---- */

static void sov_must(sov_result r, const char *doing)
{
	if (!r)
		return;
	printf("BROKEN roof: %s: %s: %s\n", doing, sov_result_name(r), sov_last_error());
	exit(EXIT_BROKEN);
}

static double time_sov(sov_function f, const sov_launch *l, sov_event from, sov_event to,
		       unsigned count)
{
	uint64_t ns;

	sov_must(sov_event_record(from, NULL), "recording an event");
	for (unsigned i = 0; i < count; i++)
		sov_must(sov_function_launch(f, l), "launching");
	sov_must(sov_event_record(to, NULL), "recording an event");
	sov_must(sov_event_wait(to, SOV_FOREVER), "running");
	sov_must(sov_event_elapsed(from, to, &ns), "reading the time");
	return (double)ns / 1e3 / count;
}

static int run_sov(const char *path)
{
	sov_ptr *const at[] = {&p.g.a, &p.g.b, &p.g.c};
	sov_device_properties properties = SOV_INIT(sov_device_properties);
	sov_launch l = SOV_INIT(sov_launch);
	struct gemm_launch plan;
	double *times = calloc(p.samples, sizeof(*times));
	char why[MATRIX_WHY] = "", name[64];
	size_t bytes;
	void *image = read_image(path, &bytes);
	sov_device d;
	sov_context c;
	sov_module module;
	sov_function f;
	sov_event from, to;
	unsigned count;

	sov_must(sov_device_open(0, &d), "opening the first device");
	sov_must(sov_device_get_properties(d, &properties), "reading its properties");
	sov_must(sov_context_create(d, NULL, &c), "creating a context");
	sov_must(sov_module_load(c, image, bytes, NULL, &module), "loading the image");
	sov_must(sov_module_get_function(module, gemm_kernels[p.g.type], &f), "finding the kernel");
	sov_must(sov_event_create(c, 0, &from), "creating an event");
	sov_must(sov_event_create(c, 0, &to), "creating an event");
	poison();
	for (int i = 0; i < MATRICES; i++) {
		sov_must(sov_memory_alloc(c, p.x[i].bytes, at[i]), "allocating");
		sov_must(sov_memory_copy(c, *at[i], SOV_HOST(p.x[i].data), p.x[i].bytes),
			 "copying");
	}
	if (!gemm_plan(&p.g, properties.multiprocessors, &plan, why)) {
		printf("BROKEN roof: %s\n", why);
		return EXIT_BROKEN;
	}
	l.grid[0] = plan.grid, l.grid[1] = l.grid[2] = 1;
	l.block[0] = plan.block, l.block[1] = l.block[2] = 1;
	l.cluster[0] = plan.cluster, l.cluster[1] = l.cluster[2] = 1;
	l.shared_bytes = plan.shared_bytes;
	l.arguments = plan.arguments, l.argument_count = 7;
	time_sov(f, &l, from, to, 1);
	sov_must(sov_memory_copy(c, SOV_HOST(p.x[RESULT].data), p.g.c, p.x[RESULT].bytes),
		 "copying back");
	places_right(why);
	count = repeats(time_sov(f, &l, from, to, 1));
	for (unsigned i = 0; i < p.samples; i++)
		times[i] = time_sov(f, &l, from, to, count);
	snprintf(name, sizeof(name), "%s: %.24s", properties.winsys, base_name(path));
	print_row(name, median(times, p.samples), why);
	sov_must(sov_context_destroy(c), "destroying the context");
	return *why ? EXIT_WRONG : 0;
}

/* ---- through libcuda ---- */

/* The layouts of CUDA's API: a launch attribute has an id, four bytes of padding, 64 of value. */
struct cuda_attribute {
	uint32_t id, pad, value[16];
};
struct cuda_launch {
	unsigned grid[3], block[3], shared;
	cuda_handle stream;
	struct cuda_attribute *attributes;
	unsigned count;
};
enum { CUDA_CLUSTER_DIMENSION = 4, CUDA_MAX_DYNAMIC_SHARED = 8, CUDA_SWIZZLE_128 = 3 };
enum { CUBLAS_N = 0, CUBLAS_T = 1, CUBLAS_DEFAULT = -1, CUBLAS_TF32_MATH = 3 };

static int (*launch_ex)(const struct cuda_launch *launch, cuda_handle function, void **arguments,
			void **extra);
static int (*set_attribute)(cuda_handle function, int attribute, int value);
static int (*encode_tiled)(void *map, int type, uint32_t rank, uint64_t address,
			   const uint64_t *dimensions, const uint64_t *strides, const uint32_t *box,
			   const uint32_t *steps, int interleave, int swizzle, int promotion,
			   int fill);
static int (*blas_gemm)(cuda_handle blas, int transa, int transb, int m, int n, int k,
			const void *alpha, const void *a, int type_a, int lda, const void *b,
			int type_b, int ldb, const void *beta, void *c, int type_c, int ldc,
			int compute, int algorithm);
static cuda_handle blas;

struct kernel {
	const char *name;
	cuda_handle function; /* NULL: cuBLAS */
	double *times;
	unsigned count;
	char why[MATRIX_WHY];
};

static void *symbol(void *library, const char *name)
{
	void *s = library ? dlsym(library, name) : NULL;

	if (s)
		return s;
	printf("BROKEN roof: no %s: %s\n", name, dlerror());
	exit(EXIT_BROKEN);
}

static void open_libraries(void)
{
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW), *library = NULL;
	const char *names[] = {getenv("CUBLAS"), "libcublas.so.13", "libcublas.so.12",
			       "libcublas.so"};
	int (*create)(cuda_handle *);

	*(void **)&launch_ex = symbol(cuda, "cuLaunchKernelEx");
	*(void **)&set_attribute = symbol(cuda, "cuFuncSetAttribute");
	*(void **)&encode_tiled = symbol(cuda, "cuTensorMapEncodeTiled");
	for (int i = 0; i < 4 && !library; i++)
		library = names[i] ? dlopen(names[i], RTLD_NOW) : NULL;
	*(void **)&create = symbol(library, "cublasCreate_v2");
	*(void **)&blas_gemm = symbol(library, "cublasGemmEx");
	must(create(&blas), "opening cuBLAS");
}

/* c = a transpose(b) by rows is transpose(c) = b transpose(a) by columns. */
static void run_cublas(void)
{
	static const int element[] = {2, 0, 1},
			 compute[] = {68, 77, 70}; /* f16, f32, f64; 32F, 32F_FAST_TF32, 64F */
	static const float one = 1, zero = 0;
	static const double one64 = 1, zero64 = 0;
	int t = element[p.g.type];
	const void *alpha = p.g.type == GEMM_F64 ? (const void *)&one64 : &one;
	const void *beta = p.g.type == GEMM_F64 ? (const void *)&zero64 : &zero;
	int error = blas_gemm(blas, CUBLAS_T, CUBLAS_N, (int)p.g.n, (int)p.g.m, (int)p.g.k, alpha,
			      (void *)p.g.b, t, (int)p.g.pitch_b, (void *)p.g.a, t,
			      (int)p.g.pitch_a, beta, (void *)p.g.c, t, (int)p.g.pitch_c,
			      compute[p.g.type], CUBLAS_DEFAULT);

	if (error) {
		printf("BROKEN roof: cuBLAS: status %d\n", error);
		exit(EXIT_BROKEN);
	}
}

static void run_kernel(const struct kernel *k, struct gemm_launch *plan)
{
	struct cuda_attribute cluster = {CUDA_CLUSTER_DIMENSION, 0, {plan->cluster, 1, 1}};
	struct cuda_launch l = {
		{plan->grid, 1, 1}, {plan->block, 1, 1}, plan->shared_bytes, NULL, &cluster, 1};

	if (!k->function)
		run_cublas();
	else
		must(launch_ex(&l, k->function, (void **)plan->arguments, NULL), "launching");
}

static double time_cuda(const struct kernel *k, struct gemm_launch *plan, unsigned count)
{
	static cuda_handle from, to;
	float ms;

	if (!from) {
		must(cuEventCreate(&from, 0), "creating an event");
		must(cuEventCreate(&to, 0), "creating an event");
	}
	must(cuEventRecord(from, NULL), "recording an event");
	for (unsigned i = 0; i < count; i++)
		run_kernel(k, plan);
	must(cuEventRecord(to, NULL), "recording an event");
	must(cuEventSynchronize(to), "running");
	must(cuEventElapsedTime(&ms, from, to), "reading the time");
	return ms * 1e3 / count;
}

static void run_poisoned(const struct kernel *k, struct gemm_launch *plan)
{
	poison();
	must(cuMemcpyHtoD_v2(p.g.c, p.x[RESULT].data, p.x[RESULT].bytes), "copying the poison");
	run_kernel(k, plan);
	must(cuCtxSynchronize(), "running");
	must(cuMemcpyDtoH_v2(p.x[RESULT].data, p.g.c, p.x[RESULT].bytes), "copying back");
}

/* Whether CUDA encodes the map as we did; its map replaces ours. */
static bool encode_map(int which, sov_tensor_map *map)
{
	static const int element[] = {6, 7, 8};
	const struct matrix *x = &p.x[which];
	uint32_t bytes = matrix_element_bytes[p.g.type], box[] = {128 / bytes, 128},
		 steps[] = {1, 1};
	uint64_t dimensions[] = {x->columns, x->rows}, strides[] = {x->pitch * bytes};
	sov_tensor_map theirs __attribute__((aligned(64)));
	bool same;

	must(encode_tiled(&theirs, element[p.g.type], 2, which ? p.g.b : p.g.a, dimensions, strides,
			  box, steps, 0, CUDA_SWIZZLE_128, 0, 0),
	     "encoding a tensor map");
	same = !memcmp(&theirs, map, sizeof(theirs));
	*map = theirs;
	return same;
}

static void load_kernels(struct kernel *kernels, unsigned count, char **paths,
			 const struct gemm_launch *plan)
{
	for (unsigned i = 0; i < count; i++) {
		size_t bytes;
		cuda_handle module;

		kernels[i].name = i ? base_name(paths[i - 1]) : "cuBLAS";
		kernels[i].times = calloc(p.samples, sizeof(double));
		if (!i)
			continue;
		must(cuModuleLoadData(&module, read_image(paths[i - 1], &bytes)), paths[i - 1]);
		must(cuModuleGetFunction(&kernels[i].function, module, gemm_kernels[p.g.type]),
		     "finding the kernel");
		must(set_attribute(kernels[i].function, CUDA_MAX_DYNAMIC_SHARED,
				   (int)plan->shared_bytes),
		     "setting the shared memory");
	}
}

static void check_kernels(struct kernel *kernels, unsigned count, struct gemm_launch *plan)
{
	struct matrix blas_result = p.x[RESULT];

	run_poisoned(&kernels[0], plan);
	if (p.g.type != GEMM_TF32) /* which it may round otherwise */
		places_right(kernels[0].why);
	p.x[RESULT].data = malloc(p.x[RESULT].bytes);
	if (!p.x[RESULT].data)
		exit(EXIT_BROKEN);
	for (unsigned i = 1; i < count; i++) {
		run_poisoned(&kernels[i], plan);
		if (places_right(kernels[i].why))
			same_as(&blas_result, kernels[i].why);
	}
}

static int run_cuda(char **paths, unsigned images)
{
	struct cuda_device d = cuda_open();
	cuda_ptr *const at[] = {&p.g.a, &p.g.b, &p.g.c};
	static struct kernel kernels[MAX_KERNELS];
	unsigned count = images + 1;
	struct gemm_launch plan;
	char why[MATRIX_WHY] = "";
	bool same, right = true;

	open_libraries();
	for (int i = 0; i < MATRICES; i++) {
		must(cuMemAlloc_v2(at[i], p.x[i].bytes), "allocating");
		must(cuMemcpyHtoD_v2(*at[i], p.x[i].data, p.x[i].bytes), "copying");
	}
	if (!gemm_plan(&p.g, (uint32_t)d.sm_count, &plan, why)) {
		printf("BROKEN roof: %s\n", why);
		return EXIT_BROKEN;
	}
	same = encode_map(FACTOR_A, &plan.map_a);
	same = encode_map(FACTOR_B, &plan.map_b) && same;
	printf("%s, %d SMs; tensor maps are %s\n", d.name, d.sm_count,
	       same ? "as CUDA's" : "NOT as CUDA's, whose are used");
	load_kernels(kernels, count, paths, &plan);
	check_kernels(kernels, count, &plan);
	for (unsigned i = 0; i < count; i++)
		kernels[i].count = repeats(time_cuda(&kernels[i], &plan, 2));
	for (unsigned s = 0; s < p.samples; s++)
		for (unsigned i = 0; i < count; i++)
			kernels[i].times[s] = time_cuda(&kernels[i], &plan, kernels[i].count);
	for (unsigned i = 0; i < count; i++) {
		print_row(kernels[i].name, median(kernels[i].times, p.samples), kernels[i].why);
		right = right && !*kernels[i].why;
	}
	return right ? 0 : EXIT_WRONG;
}

int main(int argc, char **argv)
{
	bool cuda = argc > 1 && !strcmp(argv[1], "cuda");

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 8 || argc - 7 >= MAX_KERNELS ||
	    (!cuda && (argc != 8 || strcmp(argv[1], "sov") != 0))) {
		fprintf(stderr, "usage: roof sov TYPE M N K SAMPLES IMAGE | roof cuda TYPE M N K "
				"SAMPLES IMAGE...\n");
		return EXIT_BROKEN;
	}
	limit_time(TIME_LIMIT);
	make_problem(argv + 2);
	return cuda ? run_cuda(argv + 7, (unsigned)argc - 7) : run_sov(argv[7]);
}
