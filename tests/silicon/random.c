// SPDX-License-Identifier: MIT
/*
 * Differential testing with random kernels (tests/userspace/compiler/driver/_random.h) on a real
 * GPU: our code in every mode and ptxas's code of the same PTX run on the same random inputs, with
 * the outputs poisoned before. All must leave the same bytes as the IR interpreter.
 *
 *   random PTXAS FOLDER FIRST COUNT
 *	kernels FIRST to FIRST+COUNT-1, several in one file for ptxas; FOLDER is for its files;
 *	"none" for PTXAS leaves its code out, which takes half of the time
 *   random PTXAS FOLDER text NUMBER THREADS FILE
 *	the kernel of a file, which the generator made once, with the inputs of this number
 *   random PTXAS FOLDER shrink NUMBER MODE
 *	reduces a kernel whose code in this mode (or "ptxas") differs: removes every line that does
 *	not matter (_shrink.h)
 *
 * A fault or a hang destroys the CUDA context, so launches happen in a child process. When the
 * child ends early, the launch is judged by its exit status, and a new child continues with the
 * next. For each difference the program prints the kernel, the compiler and a hash of the result,
 * which `random_kernels theirs` compares with that of a software GPU. Where ptxas's code differs,
 * the kernel is rewritten for one kind of instruction after the other (_rewrite.h) and reported as
 * "EXPLAINED" by the kinds that make ptxas's code right, or as "UNEXPLAINED"; where ptxas crashes,
 * as "CRASH". Ends with a line of counts. Exit status 0: our code agrees and every difference of
 * ptxas's code is explained; 1: not so; 2: the test could not run.
 */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/silicon/driver.h"
#include "tests/userspace/compiler/driver/_rewrite.h"
#include "tests/userspace/compiler/driver/_shrink.h"

enum {
	MAX_KERNELS = 1000,
	CHUNK = 25,      /* kernels in one file: ptxas starts slowly, and crashes on one in 500 */
	TIME_LIMIT = 10, /* seconds per launch */
	STACK_BYTES = 16384,
	MAX_IMAGE = 1 << 25, /* bytes of a cubin */
	TRIES = 5,           /* launches: a difference may not show in every launch */
	RARE = 200, /* launches within which a difference must show again to be explained */
	VARIANTS = AGREE_MODES + 1, /* the last is ptxas */
	LOST_CONTEXT = 3            /* exit status of a child whose context is destroyed */
};

enum verdict { NOT_RUN, AGREES, DIFFERS, REFUSED };

static struct program {
	uint64_t number;
	char *ptx; /* this kernel alone */
	uint32_t threads;
	const char *theirs;    /* ptxas's cubin of this kernel and others, or NULL */
	uint32_t first, count; /* programs in the source file of that cubin */
	bool explained;        /* the difference or the crash of ptxas has a known cause */
} programs[MAX_KERNELS];

static struct {
	uint32_t count;
	const char *ptxas, *folder;
	bool text; /* the only kernel comes from a file, not from the generator */
} run;

/* Progress of the children, in shared memory that survives them. */
static struct progress {
	uint32_t next; /* launch */
	uint8_t verdict[MAX_KERNELS][VARIANTS];
	uint32_t agreed; /* launches of a rewritten kernel that agreed */
} *progress;

/* Whether ptxas's code runs, too. */
static bool with_theirs(void)
{
	return strcmp(run.ptxas, "none") != 0;
}

static uint32_t variants(void)
{
	return with_theirs() ? VARIANTS : AGREE_MODES;
}

/* One word, for random.sh. */
static const char *variant_name(uint32_t v)
{
	static char names[AGREE_MODES][32];
	char *at;

	if (v >= AGREE_MODES)
		return "ptxas";
	snprintf(names[v], sizeof(names[v]), "%s", agree_modes[v].name);
	while ((at = strchr(names[v], ' ')))
		*at = '-';
	return names[v];
}

/* ---- compiling ---- */

static char *read_all(const char *path)
{
	char *data = calloc(1, MAX_IMAGE);

	if (data && !shrink_read(path, data, MAX_IMAGE - 1)) {
		free(data);
		data = NULL;
	}
	return data;
}

static void write_file(const char *path, const char *text, size_t size)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(text, 1, size, f) != size || fclose(f)) {
		printf("BROKEN cannot write %s\n", path);
		exit(EXIT_BROKEN);
	}
}

/* Name of the kernel in ptxas's cubin. */
static void kernel_name(char name[32], const struct program *p)
{
	if (run.text)
		snprintf(name, 32, "k");
	else
		snprintf(name, 32, "k%" PRIu64, p->number);
}

/* Finds out whether ptxas crashes because of recursion. */
static void explain_crash(struct program *p, int status)
{
	char *text = rewrite(p->ptx, REWRITE_RECURSION);
	size_t size;

	p->explained = text && shrink_ptxas(run.ptxas, "sm_90", text, &size);
	if (p->explained)
		printf("CRASH %" PRIu64 " %s\n", p->number, rewritings[REWRITE_RECURSION].name);
	else
		printf("REFUSED %" PRIu64 " ptxas: status 0x%x\n", p->number, status);
	free(text);
}

/* The PTX file with these kernels. */
static struct random_ptx kernels_file(uint32_t first, uint32_t count)
{
	struct random_ptx whole = {0};
	char name[32];

	random_open(&whole);
	if (run.text)
		put_text(&whole, programs[first].ptx, strlen(programs[first].ptx));
	else
		add_prelude(&whole);
	for (uint32_t i = first; i < first + count && !run.text; i++) {
		kernel_name(name, &programs[i]);
		add_kernel(&whole, programs[i].number, name);
	}
	return whole;
}

/* Compiles by ptxas; if it rejects the file or crashes, compiles each half. */
static void compile_theirs(uint32_t first, uint32_t count)
{
	struct random_ptx whole = kernels_file(first, count);
	char path[512], cubin[512];
	const char *image = NULL;
	pid_t child;
	int status = -1;

	snprintf(path, sizeof(path), "%s/%" PRIu64 ".ptx", run.folder, programs[first].number);
	snprintf(cubin, sizeof(cubin), "%s/%" PRIu64 ".cubin", run.folder, programs[first].number);
	write_file(path, whole.text, whole.size);
	free(whole.text);
	child = fork();
	if (!child) {
		execlp(run.ptxas, run.ptxas, "-w", "-O3", "-arch=sm_90", "-o", cubin, path,
		       (char *)NULL);
		_exit(127);
	}
	if (child > 0 && waitpid(child, &status, 0) == child && !status)
		image = read_all(cubin);
	unlink(cubin);
	unlink(path);
	for (uint32_t i = first; i < first + count; i++) {
		programs[i].theirs = image;
		programs[i].first = first;
		programs[i].count = count;
	}
	if (!image && count == 1)
		explain_crash(&programs[first], status);
	if (!image && count > 1) {
		compile_theirs(first, count / 2);
		compile_theirs(first + count / 2, count - count / 2);
	}
}

static bool compile_ours(const struct program *p, uint32_t mode, struct compile_result *r)
{
	const struct agree_mode *m = &agree_modes[mode];
	struct compile_options o = {.source = COMPILE_PTX,
				    .target = "sm_90",
				    .unoptimised = m->unoptimised,
				    .serial = m->serial,
				    .spill = m->spill};

	if (compile(p->ptx, strlen(p->ptx), &o, r))
		return true;
	printf("REFUSED %" PRIu64 " %s: %s\n", p->number, variant_name(mode), r->messages);
	return false;
}

/* ---- launching ---- */

/* Returns CUDA's error; the results are in agree.got. */
static int launch_program(const struct program *p, cuda_handle function, cuda_ptr *at)
{
	void *arguments[] = {&at[AGREE_OUT], &at[AGREE_IN], &at[AGREE_SCRATCH], &agree.a, &agree.b};
	int error;

	for (int k = 0; k < AGREE_BUFFERS; k++)
		must(cuMemcpyHtoD_v2(at[k], agree.before.words[k], sizeof(agree.before.words[k])),
		     "copying to the GPU");
	limit_time(TIME_LIMIT);
	error = cuLaunchKernel(function, AGREE_BLOCKS, 1, 1, p->threads, 1, 1, 0, NULL, arguments,
			       NULL);
	if (!error)
		error = cuCtxSynchronize();
	limit_time(0);
	for (int k = 0; !error && k < AGREE_BUFFERS; k++)
		error = cuMemcpyDtoH_v2(agree.got.words[k], at[k], sizeof(agree.got.words[k]));
	return error;
}

/*
 * Many processes test beside each other. Those that compile or interpret leave the GPU to one: it
 * would divide its time between contexts that copy a few bytes each. The lock ends with its
 * process.
 */
static void lock_gpu(int operation)
{
	static int file = -1;
	char path[512];

	if (file < 0) {
		snprintf(path, sizeof(path), "%s/gpu.lock", run.folder);
		file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	}
	if (file < 0 || flock(file, operation)) {
		printf("BROKEN cannot lock %s/gpu.lock\n", run.folder);
		exit(EXIT_BROKEN);
	}
}

/* Returns whether the context survived; r is our code. */
static bool run_variant(const struct program *p, uint32_t v, cuda_handle theirs, cuda_ptr *at,
			struct compile_result *r, uint8_t *verdict)
{
	cuda_handle module = p->theirs ? theirs : NULL, function;
	char name[32] = "k";
	int error;

	*verdict = REFUSED;
	if (v < AGREE_MODES && !r->image)
		return true;
	if (v == AGREE_MODES)
		kernel_name(name, p);
	error = v < AGREE_MODES ? cuModuleLoadData(&module, r->image) : 0;
	if (!module && !error)
		return true;
	if (!error)
		error = cuModuleGetFunction(&function, module, name);
	if (!error)
		error = launch_program(p, function, at);
	*verdict = DIFFERS;
	if (error) {
		printf("FAULT %" PRIu64 " %s: %s\n", p->number, variant_name(v),
		       cuda_error_name(error));
		return false;
	}
	if (agree_same())
		*verdict = AGREES;
	else
		printf("WRONG %" PRIu64 " %s %016" PRIx64 "\n", p->number, variant_name(v),
		       agree_mark());
	if (v < AGREE_MODES)
		must(cuModuleUnload(module), "unloading");
	return true;
}

/* Compiles and launches what is left of program i; returns whether the context survived. */
static bool run_program(uint32_t i, cuda_handle theirs, cuda_ptr *at)
{
	struct compile_result r[AGREE_MODES] = {{0}};
	bool alive = true;

	for (uint32_t v = progress->next % variants(); v < AGREE_MODES; v++)
		compile_ours(&programs[i], v, &r[v]);
	lock_gpu(LOCK_EX);
	for (uint32_t v = progress->next % variants(); alive && v < variants(); v++) {
		alive = run_variant(&programs[i], v, theirs, at, v < AGREE_MODES ? &r[v] : NULL,
				    &progress->verdict[i][v]);
		progress->next++;
	}
	lock_gpu(LOCK_UN);
	for (uint32_t v = 0; v < AGREE_MODES; v++)
		compile_result_free(&r[v]);
	return alive;
}

static void open_gpu(cuda_ptr *at)
{
	cuda_open();
	must(cuCtxSetLimit(CUDA_STACK_BYTES, STACK_BYTES), "setting the stack size");
	for (int k = 0; k < AGREE_BUFFERS; k++)
		must(cuMemAlloc_v2(&at[k], sizeof(agree.before.words[k])), "allocating");
}

/* Launches everything from progress->next on, kernel by kernel. */
static _Noreturn void run_child(void)
{
	cuda_handle theirs = NULL;
	cuda_ptr at[AGREE_BUFFERS];
	const char *loaded = NULL;

	open_gpu(at);
	for (uint32_t i = progress->next / variants(); i < run.count; i++) {
		struct program *p = &programs[i];

		if (p->theirs && p->theirs != loaded)
			must(cuModuleLoadData(&theirs, p->theirs), "loading ptxas's cubin");
		loaded = p->theirs ? p->theirs : loaded;
		agree_inputs(p->number, p->threads);
		if (!agree_interpret(p->ptx)) {
			progress->next = (i + 1) * variants();
			continue;
		}
		if (!run_program(i, theirs, at))
			exit(LOST_CONTEXT);
	}
	exit(0);
}

/* Starts children until all launches are done; reports children that a signal ended. */
static void launch_all(void)
{
	while (progress->next < run.count * variants()) {
		pid_t pid;
		int status;

		fflush(stdout);
		pid = fork();
		if (!pid)
			run_child();
		if (pid < 0 || waitpid(pid, &status, 0) != pid) {
			printf("BROKEN no child process\n");
			exit(EXIT_BROKEN);
		}
		if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_BROKEN)
			exit(EXIT_BROKEN);
		if (WIFEXITED(status))
			continue;
		printf("%s %" PRIu64 " %s\n", WTERMSIG(status) == SIGALRM ? "HANG" : "DIED",
		       programs[progress->next / variants()].number,
		       variant_name(progress->next % variants()));
		progress->verdict[progress->next / variants()][progress->next % variants()] =
			DIFFERS;
		progress->next++;
	}
}

/* ---- why ptxas's code differs ---- */

/*
 * Compiles a text by ptxas and counts the launches that agree with the interpreter before one
 * differs. Runs in a child, because a launch may destroy the context.
 */
static uint32_t count_agreeing(const struct program *p, const char *text, const char *name,
			       uint32_t launches)
{
	cuda_handle module, function;
	cuda_ptr at[AGREE_BUFFERS];
	size_t size;
	const void *image = shrink_ptxas(run.ptxas, "sm_90", text, &size);
	int status = 0;
	pid_t pid;

	progress->agreed = 0;
	if (!image)
		return 0;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		open_gpu(at);
		must(cuModuleLoadData(&module, image), "loading");
		must(cuModuleGetFunction(&function, module, name), "finding the kernel");
		while (progress->agreed < launches && !launch_program(p, function, at) &&
		       agree_same())
			progress->agreed++;
		exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid ||
	    (WIFEXITED(status) && WEXITSTATUS(status))) {
		printf("BROKEN no launch of kernel %" PRIu64 " rewritten\n", p->number);
		exit(EXIT_BROKEN);
	}
	return progress->agreed;
}

/*
 * Tries each rewriting alone, then all at once, and reports those that make ptxas's code right. A
 * difference that shows once in n launches must stay away for 10 n. Returns false if the original
 * kernel does not differ again.
 */
static bool explain_in(struct program *p, const char *whole, const char *name)
{
	uint32_t first = count_agreeing(p, whole, name, RARE),
		 launches = first ? 10 * first : TRIES;
	char reasons[REWRITE_REASONS] = "";

	for (uint32_t kind = 0;
	     first < RARE && kind <= REWRITE_ALL && !(*reasons && kind == REWRITE_ALL); kind++) {
		char *alone = rewrite(p->ptx, kind), *text = alone ? rewrite(whole, kind) : NULL;

		if (text && rewrite_means_the_same(alone, p->number, kind) &&
		    count_agreeing(p, text, name, launches) == launches)
			rewrite_add_reason(reasons, kind);
		free(text);
		free(alone);
	}
	p->explained = *reasons;
	if (first < RARE)
		rewrite_print_reasons(reasons, p->number);
	return first < RARE;
}

/* Tries the kernel alone first: some differ only together with the others of their file. */
static void explain(struct program *p)
{
	struct random_ptx whole;
	char name[32];

	tap_quiet = true;
	agree_inputs(p->number, p->threads);
	agree_interpret(p->ptx);
	kernel_name(name, p);
	whole = kernels_file(p->first, p->count);
	if (!explain_in(p, p->ptx, "k") && !explain_in(p, whole.text, name))
		printf("UNEXPLAINED %" PRIu64 " agrees in %d launches\n", p->number, RARE);
	free(whole.text);
	tap_quiet = false;
}

static int report(void)
{
	uint32_t counts[VARIANTS][REFUSED + 1] = {{0}}, interpreted = 0, bad = 0;

	for (uint32_t i = 0; i < run.count; i++) {
		interpreted += progress->verdict[i][0] != NOT_RUN;
		for (uint32_t v = 0; v < variants(); v++)
			counts[v][progress->verdict[i][v]]++;
	}
	printf("batch %" PRIu64 " programs %u interpreted %u", programs[0].number, run.count,
	       interpreted);
	for (uint32_t v = 0; v < variants(); v++) {
		printf(" %s %u %u %u", variant_name(v), counts[v][AGREES], counts[v][DIFFERS],
		       counts[v][REFUSED]);
		bad += run.count - counts[v][AGREES];
	}
	for (uint32_t i = 0; i < run.count; i++)
		bad -= programs[i].explained;
	printf("\n");
	return bad ? EXIT_WRONG : 0;
}

/* ---- shrinking ---- */

static cuda_ptr shrink_at[AGREE_BUFFERS];

/* Runs a reduced kernel on the GPU. A fault ends the program: only wrong results are reduced. */
static bool gpu_agrees(const struct shrink_other *o, const char *ptx)
{
	struct program p = {.ptx = (char *)ptx, .threads = agree.threads};
	struct compile_result r = {0};
	cuda_handle module, function;
	const void *image;
	bool same = true;
	size_t size;

	if (!o->ptxas && !compile_ours(&p, (uint32_t)(o->mode - agree_modes), &r))
		return true;
	image = o->ptxas ? shrink_ptxas(o->ptxas, "sm_90", ptx, &size) : r.image;
	if (!image)
		return true;
	must(cuModuleLoadData(&module, image), "loading");
	compile_result_free(&r);
	must(cuModuleGetFunction(&function, module, "k"), "finding kernel k");
	for (uint32_t i = 0; same && i < TRIES; i++) {
		must(launch_program(&p, function, shrink_at), "launching");
		same = agree_same();
	}
	must(cuModuleUnload(module), "unloading");
	return same;
}

static int shrink_on_gpu(uint64_t number, const char *mode)
{
	struct shrink_other o = {.agrees = gpu_agrees,
				 .mode = agree_modes,
				 .ptxas = strcmp(mode, "ptxas") ? NULL : run.ptxas};
	uint32_t threads;
	char *ptx = random_ptx(number, &threads);

	for (uint32_t v = 0; !o.ptxas && v < AGREE_MODES; v++)
		if (!strcmp(variant_name(v), mode))
			o.mode = &agree_modes[v];
	open_gpu(shrink_at);
	agree_inputs(number, threads);
	if (!shrink_fails(&o, ptx)) {
		printf("AGREES %" PRIu64 " %s\n", number, mode);
	} else {
		ptx = shrink(&o, ptx);
		printf("SHRUNK %" PRIu64 " %s threads %u\n%s", number, mode, threads, ptx);
		agree_interpret(ptx);
		o.agrees(&o, ptx);
	}
	free(ptx);
	return 0;
}

static bool read_arguments(int argc, char **argv)
{
	uint64_t first = argc == 5 ? strtoull(argv[3], NULL, 0) : 0;

	run.ptxas = argc > 2 ? argv[1] : NULL;
	run.folder = argc > 2 ? argv[2] : NULL;
	if (argc == 7 && !strcmp(argv[3], "text")) {
		run.text = true;
		run.count = 1;
		programs[0] = (struct program){strtoull(argv[4], NULL, 0),
					       read_all(argv[6]),
					       (uint32_t)strtoul(argv[5], NULL, 0),
					       NULL,
					       0,
					       1,
					       false};
		return programs[0].ptx && programs[0].threads &&
		       programs[0].threads <= AGREE_MAX_THREADS;
	}
	run.count = argc == 5 ? (uint32_t)strtoul(argv[4], NULL, 0) : 0;
	for (uint32_t i = 0; i < run.count && i < MAX_KERNELS; i++) {
		programs[i].number = first + i;
		programs[i].ptx = random_ptx(first + i, &programs[i].threads);
	}
	return run.count && run.count <= MAX_KERNELS;
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[3], "shrink")) {
		run.ptxas = argv[1];
		return shrink_on_gpu(strtoull(argv[4], NULL, 0), argv[5]);
	}
	if (!read_arguments(argc, argv)) {
		fprintf(stderr,
			"usage: random PTXAS FOLDER FIRST COUNT, COUNT up to %d\n"
			"       random PTXAS FOLDER text NUMBER THREADS FILE\n",
			MAX_KERNELS);
		return EXIT_BROKEN;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (progress == MAP_FAILED) {
		printf("BROKEN no memory\n");
		return EXIT_BROKEN;
	}
	for (uint32_t i = 0; with_theirs() && i < run.count; i += CHUNK)
		compile_theirs(i, run.count - i < CHUNK ? run.count - i : CHUNK);
	launch_all();
	for (uint32_t i = 0; i < run.count; i++)
		if (progress->verdict[i][AGREE_MODES] == DIFFERS)
			explain(&programs[i]);
	return report();
}
