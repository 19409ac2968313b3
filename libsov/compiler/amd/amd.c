// SPDX-License-Identifier: MIT
/*
 * The AMD back end: its passes, in order. The exec-mask plan (exec_masks.c) is made on the IR,
 * selection produces MIR, and each later pass rewrites the MIR; `sov compile --print` shows the MIR
 * after any of them. The result of a unit is a list of code fragments (module.h), from which link.c
 * writes a code object.
 */
#include <string.h>
#include "libsov/compiler/amd/amd.h"
#include "libsov/compiler/amd/mir.h"

static bool run_dead_code(struct gcn_func *f)
{
	gcn_remove_dead_code(f);
	return true;
}

static bool run_combine(struct gcn_func *f)
{
	if (!f->job->options.unoptimised)
		gcn_combine(f);
	return true;
}

static bool run_schedule(struct gcn_func *f)
{
	if (!f->job->options.unoptimised && !f->job->options.spill)
		gcn_schedule(f);
	return true;
}

static bool run_late_passes(struct gcn_func *f)
{
	gcn_remove_identity_copies(f);
	gcn_insert_prologue(f);
	gcn_insert_float_modes(f);
	gcn_insert_waits(f);
	return true;
}

static const struct stage {
	const char *name; /* for --print */
	bool (*run)(struct gcn_func *f);
	bool (*check)(const struct gcn_func *f, struct text *why); /* NULL: none */
} stages[] = {
	{"amd-dead-code", run_dead_code, NULL},
	{"amd-combine", run_combine, NULL},
	{"amd-schedule", run_schedule, NULL},
	{"amd-regalloc", gcn_regalloc, gcn_check_registers},
	{"amd-wait-counters", run_late_passes, gcn_check_hazards},
};

static void print_after(const struct gcn_func *f, const char *name)
{
	const struct compile_options *o = &f->job->options;

	if (o->print_pass && (!strcmp(o->print_pass, "all") || !strcmp(o->print_pass, name)))
		fprintf(o->print_to, "; %s after %s\n%s\n", f->ir->name, name, gcn_print(f));
}

static bool run_stage(struct gcn_func *f, const struct stage *s)
{
	struct text why = {.arena = f->arena};

	if (!s->run(f))
		return false;
	print_after(f, s->name);
	if (!s->check || !compile_verifies(f->job) || s->check(f, &why))
		return true;
	diag_fault(&f->job->diag, 0, 0, "%s: a fault of the compiler's stage %s", why.s, s->name);
	return false;
}

static struct gcn_func *compile_function(struct compile_job *job, const struct amd_plan *plan,
					 struct gcn_module_info *module, struct ir_func *ir)
{
	struct gcn_func *f = arena_alloc(&job->arena, sizeof(*f));
	const struct gcn_control *control;
	uint32_t line;

	*f = (struct gcn_func){.job = job,
			       .arena = &job->arena,
			       .plan = plan,
			       .ir = ir,
			       .module = module,
			       .has_calls = gcn_has_calls(ir)};
	f->start.thread_ids = 1;
	if ((f->has_calls || ir->kind == IR_FUNCTION) &&
	    gcn_syncs_across_calls(ir, gcn_control_build(ir, false), &line)) {
		diag_error(&job->diag, line, 0,
			   "'%s': a warp sync inside a function that is not inlined, reached by "
			   "divergent "
			   "lanes, is not supported on %s yet",
			   ir->name, job->target->name);
		return NULL;
	}
	if (ir->kind == IR_KERNEL)
		gcn_merge_divergent_syncs(ir);
	if (!gcn_legalise(ir, module, job))
		return NULL;
	gcn_lower_lane_masks(ir);
	if (compile_verifies(job) && !ir_verify_func(ir, &job->diag)) {
		diag_fault(&job->diag, 0, 0,
			   "'%s': lowering produced invalid IR: a fault of the compiler", ir->name);
		return NULL;
	}
	control = gcn_control_build(ir, module->may_exit);
	if (!gcn_layout_variables(f) || !gcn_select(f, control))
		return NULL;
	print_after(f, "amd-select");
	for (size_t k = 0; k < sizeof(stages) / sizeof(stages[0]); k++)
		if (!run_stage(f, &stages[k]))
			return NULL;
	return f;
}

static void describe_fragment(const struct gcn_func *f, struct amd_fragment *fragment,
			      struct arena *keep)
{
	const struct ir_func *ir = f->ir;
	struct amd_param *params = arena_array(keep, ir->nparams + 1, sizeof(*params));
	uint32_t threads = 1;

	for (uint32_t k = 0; k < ir->nparams; k++)
		params[k] = (struct amd_param){ir->params[k].offset, ir->params[k].size,
					       ir->params[k].pointer};
	for (uint32_t axis = 0; axis < 3; axis++) {
		threads *= ir->max_threads[axis] ? ir->max_threads[axis] : 1;
		fragment->required_threads[axis] = ir->required_threads[axis];
	}
	fragment->max_threads = ir->max_threads[0] ? threads : 0;
	fragment->name = ir->name;
	fragment->index = ir->index;
	fragment->order = ir->order;
	fragment->kernel = amd_is_entry(f->job, ir);
	fragment->vgprs = f->vgprs;
	fragment->sgprs = f->sgprs;
	fragment->lds_bytes = f->lds_bytes;
	fragment->private_bytes = f->frame_bytes;
	fragment->sgpr_spills = f->sgpr_spills;
	fragment->vgpr_spills = f->vgpr_spills;
	fragment->float_mode = AMD_FLOAT_MODE_DEFAULT;
	fragment->ieee = fragment->dx10_clamp = true;
	fragment->cu_mode = true;
	fragment->start = f->start;
	fragment->hidden = f->hidden;
	fragment->services = f->services;
	fragment->params = params;
	fragment->nparams = ir->nparams;
	fragment->param_bytes = ir->param_bytes;
}

/* Returns false after reporting errors in job->diag. */
static bool generate_function(struct compile_job *job, const struct amd_plan *plan,
			      struct gcn_module_info *module, struct ir_func *ir,
			      struct amd_code *out, struct arena *keep)
{
	struct amd_fragment *fragment = &out->fragments[out->nfragments];
	struct gcn_func *f = compile_function(job, plan, module, ir);

	if (!f || !gcn_encode(f, fragment, keep))
		return false;
	describe_fragment(f, fragment, keep);
	module->funcs[ir->index] = f;
	if (fragment->kernel)
		gcn_kernel_resources(module, f, fragment);
	if (ir->kind == IR_FUNCTION) {
		module->hidden |= f->hidden;
		module->services |= f->services;
	}
	if (ir->kind == IR_FUNCTION && fragment->kernel && module->inputs & ~GCN_SERVICE_INPUTS) {
		diag_error(&job->diag, 0, 0,
			   "service '%s' reads more than the thread and block indices, "
			   "which is all that callers pass",
			   ir->name);
		return false;
	}
	out->nfragments++;
	return true;
}

/* Compiles functions before kernels, because a kernel's resources include those of its callees. */
void *amd_generate(struct compile_job *job, const void *plan, struct ir_module *m,
		   struct arena *keep)
{
	struct amd_code *out = arena_alloc(keep, sizeof(*out));
	struct gcn_module_info *module = gcn_module_analyse(m, &job->arena);
	bool good = true;
	uint32_t count = 0;

	for (struct ir_func *ir = m->funcs; ir; ir = ir->next)
		count++;
	out->fragments = arena_array(keep, count + 3, sizeof(*out->fragments));
	for (struct ir_func *ir = m->funcs; ir; ir = ir->next)
		if (ir->kind == IR_FUNCTION)
			good &= generate_function(job, plan, module, ir, out, keep);
	for (struct ir_func *ir = m->funcs; good && ir; ir = ir->next)
		if (ir->kind == IR_KERNEL)
			good &= generate_function(job, plan, module, ir, out, keep);
	if (module->indirect_calls)
		gcn_function_table(module, out, keep);
	return good ? out : NULL;
}

const struct backend amd_backend = {amd_plan, amd_generate, amd_link, NULL};
