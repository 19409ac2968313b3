// SPDX-License-Identifier: MIT
/*
 * The back end for NVIDIA GPUs: its stages in order. Selection makes machine IR, every further
 * stage changes it, and after each it can be printed. In builds with SOV_VERIFY, or when asked, the
 * stages whose faults would show only now and then on a GPU are checked by code that shares nothing
 * with them: who holds which register, and whether every wait is there.
 */
#include <string.h>
#include "libsov/compiler/cubin.h"
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
	{"nv-uniform", uniform, NULL},
	{"nv-order", schedule, NULL},
	{"nv-registers", assign_registers, nv_check_registers},
	{"nv-predicate", predicate, NULL},
	{"nv-converge", converge, NULL},
	{"nv-schedule", schedule, NULL},
	{"nv-wait", wait, nv_check_hazards},
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

static bool emit_kernels(struct nv_module *module, const struct ir_module *m, uint32_t count)
{
	struct compile_job *job = module->job;
	struct cubin_kernel *kernels = arena_array(&job->arena, count, sizeof(*kernels));
	struct mir_func **funcs = arena_array(&job->arena, m->nfuncs + 1, sizeof(struct mir_func *));
	struct line_table *lines = arena_array(&job->arena, count, sizeof(*lines));
	uint32_t k = 0;

	nv_list_files(module, m);
	job->stats = arena_array(&job->arena, count, sizeof(*job->stats));
	if (!compile_functions(module, m, funcs))
		return false;
	nv_fill_in_functions(module, m, nv_function_offsets(module, m, funcs));
	for (const struct ir_func *f = m->funcs; f; f = f->next) {
		struct nv_text text = {.kernel = funcs[f->index],
				       .variable_of = module->variable};

		if (!is_entry(job, f))
			continue;
		nv_collect_calls(module, m, funcs, &text);
		if (!nv_encode(&text, &kernels[k], &job->stats[k]))
			return false;
		if (module->out.nfiles)
			nv_list_lines(module, &text, kernels[k].code_bytes, &lines[k]);
		k++;
	}
	job->nstats = count;
	module->out.lines = lines;
	module->out.kernels = kernels;
	module->out.nkernels = count;
	job->image = cubin_write(&job->arena, &module->out, &job->image_size);
	return true;
}

bool nv_emit(struct compile_job *job, struct ir_module *m)
{
	struct nv_module module = {.job = job, .out = {.sm = job->target->version}};
	uint32_t count = 0;

	for (const struct ir_func *f = m->funcs; f; f = f->next)
		count += is_entry(job, f);
	if (!count || count > MOST_KERNELS) {
		diag_error(&job->diag, 0, 0, "the module has %u kernels; 1 to %u fit into a cubin",
			   count, MOST_KERNELS);
		return false;
	}
	nv_wait_apart(m);
	nv_survey_calls(&module, m);
	return nv_place_variables(&module, m) && emit_kernels(&module, m, count);
}
