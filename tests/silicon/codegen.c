// SPDX-License-Identifier: MIT
/*
 * Quality of generated code: runs the kernels of tests/kernels on a real GPU from our cubins and
 * from those that ptxas makes of the same PTX, in one run. Every result is checked (work.h) before
 * any kernel is timed.
 *
 *   codegen [--small] VARIANT...    kernels/NAME.VARIANT.cubin; compares the first with the others
 *   codegen --compile FILE... -- COMMAND -- COMMAND
 *                                   CPU time and memory of two compilers on the same files; FILE is
 *                                   appended to each command
 *
 * Times are medians of rounds that alternate between the variants, so that a change of clock
 * affects all of them. Ends with "codegen: N right, N wrong" and tables. Exit status 0: every value
 * is right; 1: some are wrong; 2: the test could not run.
 */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "driver.h"
#include "tests/kernels/work.h"

#define TIME_LIMIT 400 /* seconds for everything */
enum { VARIANTS = 4, ROUNDS = 9, COMPILATIONS = 5, LARGE = 30000 };

static const char *variants[VARIANTS];
static unsigned nvariants, right, wrong;
static bool small;

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void *read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *data = calloc(1, 1 << 22);

	if (!f || !data || !fread(data, 1, (1 << 22) - 1, f)) {
		printf("BROKEN cannot read %s\n", path);
		exit(EXIT_BROKEN);
	}
	fclose(f);
	return data;
}

/* ---- one kernel on the GPU ---- */

static void upload(const struct work *w, const cuda_ptr *at)
{
	for (unsigned i = 0; i < w->nbuffers; i++)
		must(cuMemcpyHtoD_v2(at[i], w->buffers[i].before, w->buffers[i].bytes),
		     "copying to the GPU");
}

static void launch(struct work *w, cuda_handle function, cuda_ptr *at)
{
	void *arguments[WORK_ARGUMENTS];

	for (unsigned i = 0; i < w->narguments; i++)
		arguments[i] = w->arguments[i].buffer < 0 ? (void *)&w->arguments[i].bits
							  : (void *)&at[w->arguments[i].buffer];
	must(cuLaunchKernel(function, w->grid[0], w->grid[1], 1, w->block[0], w->block[1], 1, 0,
			    NULL, arguments, NULL),
	     "launching");
}

static double milliseconds(struct work *w, cuda_handle function, cuda_ptr *at, unsigned launches)
{
	static cuda_handle from, to;
	float time;

	if (!from) {
		must(cuEventCreate(&from, 0), "creating an event");
		must(cuEventCreate(&to, 0), "creating an event");
	}
	must(cuEventRecord(from, NULL), "recording");
	for (unsigned i = 0; i < launches; i++)
		launch(w, function, at);
	must(cuEventRecord(to, NULL), "recording");
	must(cuEventSynchronize(to), "waiting");
	must(cuEventElapsedTime(&time, from, to), "asking for the time");
	return time / launches;
}

static void judge(struct work *w, const char *variant, cuda_handle function, cuda_ptr *at)
{
	upload(w, at);
	launch(w, function, at);
	must(cuCtxSynchronize(), w->kind->function);
	for (unsigned i = 0; i < w->nbuffers; i++)
		must(cuMemcpyDtoH_v2(w->buffers[i].data, at[i], w->buffers[i].bytes),
		     "copying from the GPU");
	if (w->kind->right(w)) {
		right++;
	} else {
		wrong++;
		printf("WRONG %s %s: %s\n", w->kind->function, variant, w->why);
	}
}

/* Medians, in milliseconds, one per variant. */
static void measure(struct work *w, cuda_handle *functions, cuda_ptr *at, double *medians)
{
	double times[VARIANTS][ROUNDS], once;
	unsigned launches;

	once = milliseconds(w, functions[0], at, 1);
	launches = once > 5 ? 1 : once > 0 ? (unsigned)(5 / once) + 1 : 100;
	if (launches > 200)
		launches = 200;
	for (unsigned v = 0; v < nvariants; v++)
		milliseconds(w, functions[v], at, launches);
	for (unsigned r = 0; r < ROUNDS; r++)
		for (unsigned v = 0; v < nvariants; v++)
			times[v][r] = milliseconds(w, functions[v], at, launches);
	for (unsigned v = 0; v < nvariants; v++) {
		qsort(times[v], ROUNDS, sizeof(times[v][0]), compare_doubles);
		medians[v] = times[v][ROUNDS / 2];
	}
}

static void run_kernel(const struct work_kind *kind, double *medians)
{
	cuda_handle modules[VARIANTS], functions[VARIANTS];
	cuda_ptr at[WORK_BUFFERS];
	struct work w;
	char path[256];

	work_make(&w, kind, small ? kind->small : kind->large, 20260115);
	for (unsigned i = 0; i < w.nbuffers; i++)
		must(cuMemAlloc_v2(&at[i], w.buffers[i].bytes), "allocating");
	for (unsigned v = 0; v < nvariants; v++) {
		void *image;

		snprintf(path, sizeof(path), "kernels/%s.%s.cubin", kind->file, variants[v]);
		image = read_file(path);
		must(cuModuleLoadData(&modules[v], image), path);
		must(cuModuleGetFunction(&functions[v], modules[v], kind->function),
		     kind->function);
		free(image);
		judge(&w, variants[v], functions[v], at);
	}
	if (!small) {
		upload(&w, at);
		measure(&w, functions, at, medians);
	}
	for (unsigned i = 0; i < w.nbuffers; i++)
		must(cuMemFree_v2(at[i]), "freeing");
	for (unsigned v = 0; v < nvariants; v++)
		must(cuModuleUnload(modules[v]), "unloading");
	work_free(&w);
}

static void print_times(double medians[WORK_KINDS][VARIANTS])
{
	double logs[VARIANTS] = {0};

	printf("\nMedians of %d rounds, milliseconds, and speed of %s relative to each\n| kernel |",
	       ROUNDS, variants[0]);
	for (unsigned v = 0; v < nvariants; v++)
		printf(" %s |%s", variants[v], v ? " ratio |" : "");
	printf("\n| --- |");
	for (unsigned v = 0; v < nvariants; v++)
		printf(" --- |%s", v ? " --- |" : "");
	for (int k = 0; k < WORK_KINDS; k++) {
		printf("\n| %s |", work_kinds[k].function);
		for (unsigned v = 0; v < nvariants; v++) {
			printf(" %.4f |", medians[k][v]);
			if (v)
				printf(" %.2f |", medians[k][v] / medians[k][0]);
			logs[v] += log(medians[k][v] / medians[k][0]) / WORK_KINDS;
		}
	}
	printf("\n| geometric mean | |");
	for (unsigned v = 1; v < nvariants; v++)
		printf(" | %.2f |", exp(logs[v]));
	printf("\n");
}

/* ---- compilers ---- */

struct cost {
	double cpu;  /* milliseconds */
	long memory; /* KiB */
};

static struct cost compile_once(char **command, const char *file)
{
	char *arguments[16];
	struct cost c = {0};
	struct rusage use;
	int n = 0, status;
	pid_t child;

	for (; command[n] && n < 12; n++)
		arguments[n] = command[n];
	arguments[n++] = (char *)file;
	arguments[n] = NULL;
	child = fork();
	if (!child) {
		execvp(arguments[0], arguments);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &use) != child || !WIFEXITED(status) ||
	    WEXITSTATUS(status)) {
		printf("WRONG %s does not compile %s\n", command[0], file);
		wrong++;
		return c;
	}
	c.cpu = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e3 +
		(double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e3;
	c.memory = use.ru_maxrss;
	return c;
}

/* The minimum of several runs: other load on the machine only adds. */
static struct cost compile(char **command, const char *file)
{
	struct cost best = compile_once(command, file);

	for (int k = 1; k < COMPILATIONS; k++) {
		struct cost c = compile_once(command, file);

		best.cpu = c.cpu < best.cpu ? c.cpu : best.cpu;
		best.memory = c.memory < best.memory ? c.memory : best.memory;
	}
	return best;
}

/*
 * Writes a kernel of LARGE instructions in one basic block; all of them contribute to the result.
 */
static void write_large(const char *path)
{
	static const char *const operations[] = {"fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\n",
						 "add.f32 %%f%u, %%f%u, %%f%u;\n",
						 "max.f32 %%f%u, %%f%u, %%f%u;\n"};
	FILE *f = fopen(path, "w");
	struct work w = {.rng = 1};

	if (!f) {
		printf("BROKEN cannot write %s\n", path);
		exit(EXIT_BROKEN);
	}
	fprintf(f, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry large(.param "
		   ".u64 p)\n{\n"
		   ".reg .b64 %%p; .reg .f32 %%f<16>; .reg .u32 %%i;\nld.param.u64 %%p, "
		   "[p];\nmov.u32 %%i, %%tid.x;\n"
		   "mad.wide.u32 %%p, %%i, 64, %%p;\n");
	for (unsigned k = 0; k < 16; k++)
		fprintf(f, "ld.global.f32 %%f%u, [%%p+%u];\n", k, 4 * k);
	for (unsigned k = 0; k < LARGE; k++) {
		unsigned o = (unsigned)(work_bits(&w) % 3), a = k % 16,
			 b = (unsigned)(work_bits(&w) % 16), c = (unsigned)(work_bits(&w) % 16);

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		fprintf(f, operations[o], a, a, b, c);
	}
	for (unsigned k = 0; k < 16; k++)
		fprintf(f, "st.global.f32 [%%p+%u], %%f%u;\n", 4 * k, k);
	fprintf(f, "ret;\n}\n");
	fclose(f);
}

static char **split_arguments(char **words)
{
	while (*words && strcmp(*words, "--"))
		words++;
	if (!*words) {
		printf("BROKEN codegen --compile FILE... -- COMMAND -- COMMAND\n");
		exit(EXIT_BROKEN);
	}
	*words = NULL;
	return words + 1;
}

static int compare_compilers(char **files)
{
	char **ours = split_arguments(files), **theirs = split_arguments(ours);
	double time = 0, memory = 0;
	unsigned n = 0;

	write_large("large.ptx");
	printf("\nCompilers: minimum CPU time of %d, milliseconds; peak memory, MiB\n"
	       "| file | %s | %s | ratio | memory | memory | ratio |\n| --- | --- | --- | --- | "
	       "--- | --- | --- |\n",
	       COMPILATIONS, ours[0], theirs[0]);
	for (bool last = false; !last; files++, n++) {
		const char *file = *files ? *files : "large.ptx";
		struct cost a = compile(ours, file), b = compile(theirs, file);

		last = !*files;
		printf("| %s | %.2f | %.2f | %.1f | %.1f | %.1f | %.2f |\n", file, a.cpu, b.cpu,
		       b.cpu / a.cpu, a.memory / 1024.0, b.memory / 1024.0,
		       (double)b.memory / a.memory);
		time += log(b.cpu / a.cpu);
		memory += log((double)b.memory / a.memory);
	}
	printf("| geometric mean | | | %.1f | | | %.2f |\n", exp(time / n), exp(memory / n));
	return wrong ? EXIT_WRONG : 0;
}

int main(int argc, char **argv)
{
	static double medians[WORK_KINDS][VARIANTS];
	struct cuda_device d;

	setvbuf(stdout, NULL, _IOLBF, 0);
	limit_time(TIME_LIMIT);
	if (argc > 1 && !strcmp(argv[1], "--compile"))
		return compare_compilers(argv + 2);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--small"))
			small = true;
		else if (nvariants < VARIANTS)
			variants[nvariants++] = argv[i];
	}
	if (!nvariants) {
		printf("BROKEN codegen [--small] VARIANT...\n");
		return EXIT_BROKEN;
	}
	d = cuda_open();
	printf("codegen on %s, driver %d\n", d.name, d.version);
	for (int k = 0; k < WORK_KINDS; k++)
		run_kernel(&work_kinds[k], medians[k]);
	printf("codegen: %u right, %u wrong\n", right, wrong);
	if (!small)
		print_times(medians);
	return wrong ? EXIT_WRONG : 0;
}
