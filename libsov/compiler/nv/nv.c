// SPDX-License-Identifier: MIT
/*
 * The back end for NVIDIA GPUs: its stages in order. Selection makes machine IR, every further
 * stage changes it, and after each it can be printed. In builds with SOV_VERIFY, or when asked, the
 * stages whose faults would show only now and then on a GPU are checked by code that shares nothing
 * with them: who holds which register, and whether every wait is there.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/image/cubin_write.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"
#include "libsov/compiler/nv/nv.h"

/* An ELF file's section numbers have 16 bits, and a kernel has up to four sections. */
#define MOST_KERNELS 16000

/* No instruction names more at once. */
#define LEAST_GPRS 8

/* Spills until it fits. How many registers are alive at once is not all: pairs have to be aligned,
 * so there may be no place for one although there are two free registers. */
static bool assign_registers(struct mir_func *f)
{
	bool linked = f->calls || f->ir->kind == IR_FUNCTION;
	uint32_t limit = f->gprs - 1 - f->stack - 2 * linked; /* less a spare one */

	nv_split_edges(f);
	nv_spill_predicates(f);
	do {
		bool fits = limit >= LEAST_GPRS && nv_spill_memory(f, limit);

		/* --spill asks for few registers, not for the impossible. */
		if (!fits && f->job->options.spill && f->gprs < 2 * MIR_SPILL_GPRS) {
			f->gprs += 4;
			limit = LEAST_GPRS + 4;
			continue;
		}
		if (!fits) {
			diag_error(&f->job->diag, 0, 0,
				   "kernel '%s' does not fit into %u registers even with all that "
				   "can be in memory there; allow it more",
				   f->name, f->gprs);
			return false;
		}
		limit -= 1 + limit / 16;
	} while (!nv_regalloc(f, false) && !nv_regalloc(f, true));
	nv_copies(f);
	return true;
}

static bool uniform(struct mir_func *f)
{
	nv_uniform(f);
	return true;
}

static bool predicate(struct mir_func *f)
{
	nv_drop_copies(f);
	nv_predicate(f);
	return true;
}

/* Unoptimised code keeps its branches. */
static bool table(struct mir_func *f)
{
	if (!f->job->options.unoptimised)
		nv_tables(f);
	return true;
}

static bool converge(struct mir_func *f)
{
	nv_converge(f);
	nv_frame(f);
	nv_layout(f);
	return true;
}

static bool schedule(struct mir_func *f)
{
	/* Serial code keeps the order it was selected in. */
	if (!f->job->options.serial)
		nv_schedule(f);
	return true;
}

static bool wait(struct mir_func *f)
{
	if (f->job->options.serial)
		nv_wait_serial(f);
	else
		nv_wait(f);
	nv_reuse(f);
	return true;
}

static const struct stage {
	const char *name; /* for --print */
	bool (*run)(struct mir_func *f);
	bool (*check)(const struct mir_func *f, struct text *why); /* NULL: none */
} stages[] = {
	{"nv-jump-table", table, NULL},         {"nv-uniform", uniform, NULL},
	{"nv-pre-ra-schedule", schedule, NULL},      {"nv-regalloc", assign_registers, nv_check_registers},
	{"nv-if-convert", predicate, NULL}, {"nv-converge", converge, NULL},
	{"nv-schedule", schedule, NULL},   {"nv-scoreboards", wait, nv_check_hazards},
};

static void print_after(const struct mir_func *f, const char *name)
{
	const struct compile_options *o = &f->job->options;

	if (o->print_pass && (!strcmp(o->print_pass, "all") || !strcmp(o->print_pass, name)))
		fprintf(o->print_to, "; %s after %s\n%s\n", f->name, name, mir_text(f));
}

static bool run_stage(struct mir_func *f, const struct stage *s)
{
	struct text why = {.arena = f->arena};

	if (!s->run(f))
		return false;
	print_after(f, s->name);
	if (!s->check || !compile_verifies(f->job) || s->check(f, &why))
		return true;
	diag_error(&f->job->diag, 0, 0, "%s: a fault of the compiler's stage %s", why.s, s->name);
	return false;
}

/* Has code of its own in the image. */
static bool is_exported(const struct compile_job *job, const struct ir_func *f)
{
	return job->options.library && f->kind == IR_FUNCTION && service_find(f->name) != SERVICES;
}

static bool is_entry(const struct compile_job *job, const struct ir_func *f)
{
	return f->kind == IR_KERNEL || is_exported(job, f);
}

static struct mir_func *run_stages(const struct nv_module *module, const struct ir_func *ir,
				   bool uniform)
{
	struct compile_job *job = module->job;
	struct mir_func *f = nv_select(module, ir);

	if (!f)
		return NULL;
	f->uniform = uniform;
	f->exported = is_exported(job, ir);
	if (f->exported && f->calls) {
		diag_error(&job->diag, 0, 0, "service '%s' calls functions; inline them", f->name);
		return NULL;
	}
	print_after(f, "nv-select");
	for (size_t k = 0; k < sizeof(stages) / sizeof(stages[0]) && !f->parted; k++) {
		if (!run_stage(f, &stages[k]))
			return NULL;
	}
	return f;
}

static struct mir_func *compile_function(const struct nv_module *module, struct ir_func *ir)
{
	struct compile_job *job = module->job;
	struct mir_func *f;

	nv_legalise(ir);
	if (compile_verifies(job) && !ir_verify(ir->module, &job->diag))
		return NULL;
	f = run_stages(module, ir, !job->options.no_uniform);
	return f && f->parted ? run_stages(module, ir, false) : f;
}

static bool compile_functions(const struct nv_module *module, const struct ir_module *m,
			      struct mir_func **funcs)
{
	bool good = true;

	for (struct ir_func *f = m->funcs; f; f = f->next) {
		funcs[f->index] = compile_function(module, f);
		good &= funcs[f->index] != NULL;
	}
	return good;
}

/* ---- what a unit leaves behind ---- */

struct nv_kernel {
	uint32_t index; /* of its function: the order of the text */
	struct cubin_kernel code;
	struct kernel_stats stats;
	struct line_table lines;
};

struct nv_code {
	struct nv_kernel *kernels;
	uint32_t nkernels;
	uint32_t *function_offsets; /* by function; NULL: nobody has their addresses */
};

static void *keep_array(struct arena *keep, const void *data, uint32_t count, size_t size)
{
	void *copy = arena_array(keep, count, size);

	if (count)
		memcpy(copy, data, count * size);
	return copy;
}

/* The name and parameters are the module's. */
static void keep_kernel(struct arena *keep, struct nv_kernel *k)
{
	struct cubin_kernel *c = &k->code;

	c->code = keep_array(keep, c->code, c->code_bytes, 1);
	c->params = keep_array(keep, c->params, c->nparams, sizeof(*c->params));
	c->exits = keep_array(keep, c->exits, c->nexits, sizeof(*c->exits));
	c->branches = keep_array(keep, c->branches, c->nbranches, sizeof(*c->branches));
	c->addresses = keep_array(keep, c->addresses, c->naddresses, sizeof(*c->addresses));
	k->lines.rows = keep_array(keep, k->lines.rows, k->lines.count, sizeof(*k->lines.rows));
	k->lines.capacity = k->lines.count;
}

static bool encode_kernels(const struct nv_module *module, const struct ir_module *m,
			   struct mir_func **funcs, struct nv_code *out, struct arena *keep)
{
	for (const struct ir_func *f = m->funcs; f; f = f->next) {
		struct nv_kernel *k = &out->kernels[out->nkernels];
		struct nv_text text = {.kernel = funcs[f->index],
				       .variable_of = module->plan->variable};

		if (!is_entry(module->job, f))
			continue;
		k->index = f->index;
		nv_collect_calls(module, m, funcs, &text);
		if (!nv_encode(&text, &k->code, &k->stats))
			return false;
		if (module->plan->out.nfiles)
			nv_list_lines(module, &text, k->code.code_bytes, &k->lines);
		keep_kernel(keep, k);
		out->nkernels++;
	}
	return true;
}

static uint32_t count_entries(const struct compile_job *job, const struct ir_module *m)
{
	uint32_t count = 0;

	for (const struct ir_func *f = m->funcs; f; f = f->next)
		count += is_entry(job, f);
	return count;
}

static void *generate(struct compile_job *job, const void *plan, struct ir_module *m,
		      struct arena *keep)
{
	struct nv_module module = {.job = job, .plan = plan};
	struct nv_code *out = arena_alloc(keep, sizeof(*out));
	struct mir_func **funcs;

	nv_meet_apart(m);
	nv_survey_calls(&module, m);
	nv_find_common(&module, m);
	funcs = arena_array(&job->arena, m->nfuncs + 1, sizeof(struct mir_func *));
	if (!compile_functions(&module, m, funcs))
		return NULL;
	if (module.function_addresses)
		out->function_offsets = keep_array(keep, nv_function_offsets(&module, m, funcs),
						   m->nfuncs, sizeof(*out->function_offsets));
	out->kernels = arena_array(keep, count_entries(job, m) + 1, sizeof(*out->kernels));
	return encode_kernels(&module, m, funcs, out, keep) ? out : NULL;
}

/* ---- the module before its units, and after them ---- */

static void declare_kernels(struct compile_job *job, struct nv_plan *p, const struct ir_module *m,
			    const uint32_t *unit_of)
{
	struct cubin_declaration *d = arena_array(&job->arena, count_entries(job, m), sizeof(*d));

	p->declarations = d;
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		if (is_entry(job, f))
			d[p->ndeclarations++] =
				(struct cubin_declaration){f->name, unit_of[f->index]};
}

static void *make_plan(struct compile_job *job, const struct ir_module *m, const uint32_t *unit_of)
{
	struct nv_plan *p = arena_alloc(&job->arena, sizeof(*p));
	uint32_t count = count_entries(job, m);

	p->out.sm = job->target->version;
	if (!count || count > MOST_KERNELS) {
		diag_error(&job->diag, 0, 0, "the module has %u kernels; 1 to %u fit into a cubin",
			   count, MOST_KERNELS);
		return NULL;
	}
	if (!nv_place_variables(job, p, m))
		return NULL;
	p->files = line_files_new(&job->arena, m);
	p->out.files = p->files.names;
	p->out.nfiles = p->files.count;
	declare_kernels(job, p, m, unit_of);
	return p;
}

static int by_index(const void *a, const void *b)
{
	const struct nv_kernel *const *x = a, *const *y = b;

	return ((*x)->index > (*y)->index) - ((*x)->index < (*y)->index);
}

/* All kernels in the order of the text. */
static struct nv_kernel **sort_kernels(struct arena *a, void *const *code, uint32_t units,
				       uint32_t *count)
{
	struct nv_kernel **sorted;

	*count = 0;
	for (uint32_t u = 0; u < units; u++)
		*count += ((struct nv_code *)code[u])->nkernels;
	sorted = arena_array(a, *count + 1, sizeof(struct nv_kernel *));
	*count = 0;
	for (uint32_t u = 0; u < units; u++) {
		struct nv_code *c = code[u];

		for (uint32_t k = 0; k < c->nkernels; k++)
			sorted[(*count)++] = &c->kernels[k];
	}
	qsort(sorted, *count, sizeof(struct nv_kernel *), by_index);
	return sorted;
}

static void link_image(struct compile_job *job, const void *planned, void *const *code,
		       uint32_t units, enum image_content content, struct compile_image *image)
{
	const struct nv_plan *p = planned;
	struct cubin_module out = p->out;
	struct arena *a = &job->arena;
	struct nv_kernel **sorted = sort_kernels(a, code, units, &out.nkernels);
	struct cubin_kernel *kernels = arena_array(a, out.nkernels, sizeof(*kernels));
	struct line_table *lines = arena_array(a, out.nkernels, sizeof(*lines));

	image->nstats = out.nkernels;
	image->stats = arena_array(a, out.nkernels, sizeof(*image->stats));
	for (uint32_t k = 0; k < out.nkernels; k++) {
		kernels[k] = sorted[k]->code;
		lines[k] = sorted[k]->lines;
		image->stats[k] = sorted[k]->stats;
	}
	out.kernels = kernels;
	out.lines = lines;
	out.variables_elsewhere = content == IMAGE_UNIT;
	if (content == IMAGE_HEAD) {
		out.nfiles = 0;
		out.declarations = p->declarations;
		out.ndeclarations = p->ndeclarations;
	}
	for (uint32_t u = 0; u < units; u++) {
		const struct nv_code *c = code[u];

		if (c->function_offsets)
			out.variables = nv_fill_in_functions(a, p, c->function_offsets);
	}
	image->data = cubin_write(a, &out, &image->size);
}

const struct backend nv_backend = {make_plan, generate, link_image};
