// SPDX-License-Identifier: MIT
/*
 * The compiler driver: front end, verifier, module-level passes and the back end's plan for the
 * module; then passes and code generation per unit; then the images. The module lives in one arena
 * as long as the compilation; each unit has another, which is freed once its code exists. Units are
 * independent, so any number of threads can compile them; linking follows the order of the text,
 * not of completion.
 *
 * Running out of memory, or exceeding the limit that protects the machine from hostile input,
 * longjmps back to this file and yields one message.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/driver/directives.h"
#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/library/textures.h"
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/ptx/ptx.h"
#include "libsov/compiler/spirv/spirv.h"
#include "libsov/compiler/driver/unit.h"

#define DEFAULT_MEMORY_LIMIT ((size_t)1 << 30)
#define MAX_THREADS          64
#define INSTS_PER_THREAD     2000 /* IR instructions */
/* stack of a thread: the default of a program's main thread */
#define STACK_BYTES          ((size_t)8 << 20)

static const char out_of_memory_message[] =
	"compile: out of memory: the input needs more memory than one compilation may use; "
	"compile its kernels one by one\n";

struct unit {
	struct compile_job job;
	struct ir_module module;
	struct arena keep; /* the code */
	void *code;        /* NULL: errors */
	char *messages;    /* malloc; NULL: not compiled yet, or out of memory */
	bool fault;        /* of the compiler */
	jmp_buf no_memory;
};

struct compilation {
	struct compile_job job; /* of the module */
	const struct backend *backend;
	const void *plan;
	uint32_t kernels, nunits;
	struct unit *units;
	jmp_buf no_memory;
};

/* ---- front end ---- */

static bool parse_ir(struct compile_job *job, const char *text, size_t length, struct ir_module **m)
{
	*m = ir_parse(&job->arena, text, length, &job->diag);
	return *m != NULL;
}

static const struct front_end {
	const char *name; /* in messages */
	bool (*parse)(struct compile_job *job, const char *text, size_t length,
		      struct ir_module **m);
	/* IR text may be invalid, and so may SPIR-V where no value reaches its use; PTX yields
	 * invalid IR only through a compiler bug. */
	bool verify;
} front_ends[] = {
	[COMPILE_PTX] = {"ptx", ptx_parse, false},
	[COMPILE_IR] = {"ir", parse_ir, true},
	[COMPILE_SPIRV] = {"spirv", spirv_parse, true},
};

static bool choose_target(struct compile_job *job)
{
	struct text known = {.arena = &job->arena};
	const struct target *t;

	job->target = job->options.target ? target_find(job->options.target) : NULL;
	if (job->target)
		return true;
	for (uint32_t k = 0; (t = target_at(k)); k++)
		text_printf(&known, " %s", t->name);
	diag_error(&job->diag, 0, 0, "unknown target '%s'; known:%s",
		   job->options.target ? job->options.target : "", known.s);
	return false;
}

/* ---- a target without a back end: the image is IR text ---- */

static void *text_plan(struct compile_job *job, const struct ir_module *m, const uint32_t *unit_of)
{
	(void)job;
	(void)unit_of;
	return (void *)m;
}

static void *text_generate(struct compile_job *job, const void *plan, struct ir_module *unit,
			   struct arena *keep)
{
	const char *text = ir_text(unit);

	(void)job;
	(void)plan;
	return arena_strndup(keep, text, strlen(text));
}

static void text_link(struct compile_job *job, const void *plan, void *const *code, uint32_t units,
		      enum image_content content, struct compile_image *out)
{
	(void)job;
	(void)plan;
	(void)units;
	(void)content;
	out->data = code[0];
	out->size = strlen(code[0]);
}

static const struct backend to_text = {text_plan, text_generate, text_link, NULL};

/* ---- the module ---- */

static size_t memory_limit(const struct compile_job *job)
{
	return job->options.memory_limit ? job->options.memory_limit : DEFAULT_MEMORY_LIMIT;
}

static void split_units(struct compilation *c, struct ir_module *m, const uint32_t *unit_of)
{
	struct arena *a = &c->job.arena;
	struct ir_module **units = arena_array(a, c->nunits, sizeof(struct ir_module *));

	c->units = arena_array(a, c->nunits, sizeof(*c->units));
	for (uint32_t k = 0; k < c->nunits; k++) {
		units[k] = &c->units[k].module;
		units[k]->arena = &c->units[k].job.arena;
	}
	units_split(m, unit_of, units, c->nunits);
}

/* Runs everything that needs the whole module. */
static bool read_module(struct compilation *c, const char *text, size_t length)
{
	struct compile_job *job = &c->job;
	const struct front_end *front =
		&front_ends[spirv_is(text, length) ? COMPILE_SPIRV : job->options.source];
	struct ir_module *m;
	uint32_t *unit_of;

	diag_init(&job->diag, &job->arena, "compile");
	if (!choose_target(job))
		return false;
	diag_init(&job->diag, &job->arena, front->name);
	if (!front->parse(job, text, length, &m))
		return false;
	m->relocatable = job->options.relocatable;
	if ((front->verify || compile_verifies(job)) && !ir_verify(m, &job->diag))
		return false;
	diag_init(&job->diag, &job->arena, "compile");
	if (!textures_lower(job, m))
		return false;
	if (!directives_apply(job, m))
		return false;
	if (!passes_run_module(job, m))
		return false;
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		c->kernels += f->kind == IR_KERNEL;
	unit_of = arena_array(&job->arena, m->nfuncs + 1, sizeof(*unit_of));
	c->backend = job->target->backend ? job->target->backend : &to_text;
	c->nunits = c->backend == &to_text || job->options.library ? 1 : units_find(m, unit_of);
	c->plan = c->backend->plan(job, m, unit_of);
	if (!c->plan)
		return false;
	split_units(c, m, unit_of);
	return true;
}

static const char *open_in_arena(struct compilation *c, const char *text, size_t length)
{
	arena_init(&c->job.arena, memory_limit(&c->job), &c->no_memory);
	if (setjmp(c->no_memory)) {
		c->units = NULL;
		return out_of_memory_message;
	}
	read_module(c, text, length);
	return c->job.diag.text;
}

struct compilation *compilation_open(const char *text, size_t length,
				     const struct compile_options *o, struct compile_result *r)
{
	/* On the heap: after a longjmp, changed local variables are indeterminate. */
	struct compilation *c = calloc(1, sizeof(*c));

	*r = (struct compile_result){0};
	if (!c) {
		r->messages = strdup("compile: out of memory\n");
		return NULL;
	}
	c->job.options = *o;
	if (!o->print_to)
		c->job.options.print_to = stderr;
	r->messages = strdup(open_in_arena(c, text, length));
	r->fault = c->job.diag.fault;
	if (c->units)
		return c;
	compilation_close(c);
	return NULL;
}

void compilation_close(struct compilation *c)
{
	if (!c)
		return;
	for (uint32_t k = 0; c->units && k < c->nunits; k++) {
		free(c->units[k].messages);
		arena_free(&c->units[k].keep);
	}
	arena_free(&c->job.arena);
	free(c);
}

uint32_t compilation_kernels(const struct compilation *c)
{
	return c->kernels;
}

uint32_t compilation_units(const struct compilation *c)
{
	return c->nunits;
}

/* ---- units ---- */

static void generate_unit(const struct compilation *c, struct unit *u, struct arena *finished)
{
	struct compile_job *job = &u->job;

	arena_init(&job->arena, memory_limit(job), &u->no_memory);
	arena_recycle(&job->arena, finished);
	arena_init(&u->keep, memory_limit(job), &u->no_memory);
	if (setjmp(u->no_memory)) {
		u->code = NULL;
		u->messages = strdup(out_of_memory_message);
		return;
	}
	diag_init(&job->diag, &job->arena, "compile");
	if (passes_run_unit(job, &u->module))
		u->code = c->backend->generate(job, c->plan, &u->module, &u->keep);
	u->messages = strdup(job->diag.text);
	u->fault = job->diag.fault;
}

/* finished: the arena of the thread's previous unit, and then that of this one. */
static void compile_unit(const struct compilation *c, struct unit *u, struct arena *finished)
{
	u->job.options = c->job.options;
	u->job.target = c->job.target;
	generate_unit(c, u, finished);
	*finished = u->job.arena;
	u->job.arena = (struct arena){0};
	/* the setjmp frame is gone */
	u->keep.no_memory = NULL;
}

struct unit_queue {
	const struct compilation *c;
	atomic_uint next;
};

static void *unit_worker(void *arg)
{
	struct unit_queue *unit_queue = arg;
	struct arena finished = {0};
	uint32_t k;

	while ((k = atomic_fetch_add(&unit_queue->next, 1)) < unit_queue->c->nunits)
		compile_unit(unit_queue->c, &unit_queue->c->units[k], &finished);
	arena_free(&finished);
	return NULL;
}

static uint32_t count_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (uint32_t)CPU_COUNT(&set);
}

/* One thread per processor, but not more than the module's size justifies: starting a thread costs
 * as much as compiling several hundred instructions. */
static uint32_t default_threads(const struct compilation *c)
{
	uint64_t instructions = 0, worth, max_threads = count_processors();

	for (uint32_t k = 0; k < c->nunits; k++)
		for (const struct ir_func *f = c->units[k].module.funcs; f; f = f->next)
			instructions += f->ninsts;
	worth = 1 + instructions / INSTS_PER_THREAD;
	return (uint32_t)(worth < max_threads ? worth : max_threads);
}

/* The calling thread works as well; the other threads block all signals. If pthread_create fails,
 * fewer threads do the work. */
static void compile_units(const struct compilation *c)
{
	uint32_t wanted = c->job.options.threads ? c->job.options.threads : default_threads(c),
		 n = 0;
	struct unit_queue unit_queue = {.c = c};
	pthread_t threads[MAX_THREADS];
	pthread_attr_t attributes;
	sigset_t all, before;

	if (c->job.options.print_pass || wanted > MAX_THREADS)
		wanted = c->job.options.print_pass ? 1 : MAX_THREADS;
	if (wanted > c->nunits)
		wanted = c->nunits;
	if (wanted > 1 && !pthread_attr_init(&attributes)) {
		pthread_attr_setstacksize(&attributes, STACK_BYTES);
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		while (n + 1 < wanted &&
		       !pthread_create(&threads[n], &attributes, unit_worker, &unit_queue))
			n++;
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		pthread_attr_destroy(&attributes);
	}
	unit_worker(&unit_queue);
	while (n)
		pthread_join(threads[--n], NULL);
}

/* ---- images ---- */

/* The statistics and their names in one block. */
static struct kernel_stats *copy_stats(const struct compile_image *image)
{
	uint32_t count = image->nstats + image->nfunctions;
	size_t bytes = count * sizeof(*image->stats), names = 0;
	struct kernel_stats *copy;
	char *at;

	for (uint32_t k = 0; k < count; k++)
		names += strlen(image->stats[k].name) + 1;
	copy = malloc(bytes + names + 1);
	if (!copy)
		return NULL;
	at = (char *)copy + bytes;
	for (uint32_t k = 0; k < count; k++) {
		copy[k] = image->stats[k];
		copy[k].name = strcpy(at, image->stats[k].name);
		at += strlen(at) + 1;
	}
	return copy;
}

static bool copy_image(const struct compile_image *image, struct compile_result *r)
{
	r->image = malloc(image->size + 1);
	r->stats = copy_stats(image);
	if (!r->image || !r->stats) {
		compile_result_free(r);
		return false;
	}
	memcpy(r->image, image->data, image->size);
	r->image_size = image->size;
	r->nstats = image->nstats;
	r->nfunctions = image->nfunctions;
	return true;
}

struct linking {
	struct compile_job job;
	void **code;
	uint32_t count;
	jmp_buf no_memory;
};

static bool link_in_arena(const struct compilation *c, struct linking *l,
			  enum image_content content, struct compile_result *r)
{
	struct compile_image image = {0};

	arena_init(&l->job.arena, memory_limit(&c->job), &l->no_memory);
	if (setjmp(l->no_memory))
		return false;
	c->backend->link(&l->job, c->plan, l->code, l->count, content, &image);
	return copy_image(&image, r);
}

/* Links an image of count units from the first on. */
static bool link_units(const struct compilation *c, uint32_t first, uint32_t count,
		       enum image_content content, struct compile_result *r)
{
	struct linking *l = calloc(1, sizeof(*l));
	bool good = false;

	if (l)
		l->code = calloc(count + 1, sizeof(*l->code));
	if (l && l->code) {
		l->count = count;
		l->job.options = c->job.options;
		l->job.target = c->job.target;
		for (uint32_t k = 0; k < count; k++)
			l->code[k] = c->units[first + k].code;
		good = link_in_arena(c, l, content, r);
		arena_free(&l->job.arena);
		free(l->code);
	}
	free(l);
	if (!good) {
		free(r->messages);
		r->messages = strdup("compile: out of memory for the result\n");
	}
	return good;
}

/* Concatenates the messages of these units; returns whether all of them have code. */
static bool collect_messages(const struct compilation *c, uint32_t first, uint32_t count,
			     struct compile_result *r)
{
	size_t bytes = 1;
	bool good = true;
	char *at;

	for (uint32_t k = first; k < first + count; k++) {
		good &= c->units[k].code != NULL;
		r->fault |= c->units[k].fault;
		bytes += c->units[k].messages ? strlen(c->units[k].messages) : 0;
	}
	r->messages = at = malloc(bytes);
	if (!at)
		return false;
	*at = 0;
	for (uint32_t k = first; k < first + count; k++)
		at = stpcpy(at, c->units[k].messages ? c->units[k].messages : "");
	return good;
}

bool compilation_all(struct compilation *c, struct compile_result *r)
{
	*r = (struct compile_result){0};
	compile_units(c);
	return collect_messages(c, 0, c->nunits, r) && link_units(c, 0, c->nunits, IMAGE_WHOLE, r);
}

bool compilation_head(struct compilation *c, struct compile_result *r)
{
	*r = (struct compile_result){0};
	return collect_messages(c, 0, 0, r) && link_units(c, 0, 0, IMAGE_HEAD, r);
}

bool compilation_unit(struct compilation *c, uint32_t unit, struct compile_result *r)
{
	struct unit *u = &c->units[unit];
	struct arena finished = {0};
	bool good;

	*r = (struct compile_result){0};
	compile_unit(c, u, &finished);
	arena_free(&finished);
	good = collect_messages(c, unit, 1, r) && link_units(c, unit, 1, IMAGE_UNIT, r);
	arena_free(&u->keep);
	return good;
}

bool compile(const char *text, size_t length, const struct compile_options *o,
	     struct compile_result *r)
{
	struct compilation *c = compilation_open(text, length, o, r);
	bool good;

	if (!c)
		return false;
	free(r->messages);
	good = compilation_all(c, r);
	compilation_close(c);
	return good;
}

void compile_result_free(struct compile_result *r)
{
	free(r->image);
	free(r->messages);
	free(r->stats);
	*r = (struct compile_result){0};
}
