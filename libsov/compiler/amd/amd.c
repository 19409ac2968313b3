// SPDX-License-Identifier: MIT
/*
 * The back end for AMD GPUs: its stages in order. Control flow is decided on the IR, selection makes machine
 * IR, and every further stage changes it; after each it can be printed. What it makes of a unit is pieces of
 * code (module.h), of which link.c makes a code object.
 */
#include <string.h>
#include "libsov/compiler/amd/amd.h"
#include "libsov/compiler/amd/mir.h"

static bool sweep(struct gcn_func *f)
{
	gcn_sweep(f);
	return true;
}

static bool combine(struct gcn_func *f)
{
	if (!f->job->options.unoptimised)
		gcn_combine(f);
	return true;
}

static bool schedule(struct gcn_func *f)
{
	if (!f->job->options.unoptimised && !f->job->options.spill)
		gcn_schedule(f);
	return true;
}

static bool wait(struct gcn_func *f)
{
	gcn_prologue(f);
	gcn_modes(f);
	gcn_wait(f);
	return true;
}

static const struct stage {
	const char *name; /* for --print */
	bool (*run)(struct gcn_func *f);
} stages[] = {
	{"amd-sweep", sweep},       {"amd-combine", combine},
	{"amd-schedule", schedule}, {"amd-registers", gcn_registers},
	{"amd-wait", wait},
};

static void print_after(const struct gcn_func *f, const char *name)
{
	const struct compile_options *o = &f->job->options;

	if (o->print_pass && (!strcmp(o->print_pass, "all") || !strcmp(o->print_pass, name)))
		fprintf(o->print_to, "; %s after %s\n%s\n", f->ir->name, name, gcn_text(f));
}

static struct gcn_func *compile_function(struct compile_job *job, const struct amd_plan *plan,
					 struct gcn_unit *unit, struct ir_func *ir)
{
	struct gcn_func *f = arena_alloc(&job->arena, sizeof(*f));
	const struct gcn_control *control;
	uint32_t line;

	*f = (struct gcn_func){.job = job,
			       .arena = &job->arena,
			       .plan = plan,
			       .ir = ir,
			       .unit = unit,
			       .calls = gcn_calls(ir)};
	f->start.thread_ids = 1;
	if ((f->calls || ir->kind == IR_FUNCTION) &&
	    gcn_meets_in_calls(ir, gcn_control_find(ir, false), &line)) {
		diag_error(
			&job->diag, line, 0,
			"'%s': lanes that may meet others inside of a function that is not inlined "
			"is not supported on %s yet",
			ir->name, job->target->name);
		return NULL;
	}
	if (ir->kind == IR_KERNEL)
		gcn_meet(ir);
	if (!gcn_legalise(ir, unit, job))
		return NULL;
	gcn_masks_to_vectors(ir);
	if (compile_verifies(job) && !ir_verify(ir->module, &job->diag))
		return NULL;
	control = gcn_control_find(ir, unit->exits);
	if (!gcn_place_variables(f) || !gcn_select(f, control))
		return NULL;
	print_after(f, "amd-select");
	for (size_t k = 0; k < sizeof(stages) / sizeof(stages[0]); k++) {
		if (!stages[k].run(f))
			return NULL;
		print_after(f, stages[k].name);
	}
	return f;
}

static void describe(const struct gcn_func *f, struct amd_piece *p, struct arena *keep)
{
	const struct ir_func *ir = f->ir;
	struct amd_param *params = arena_array(keep, ir->nparams + 1, sizeof(*params));
	uint32_t threads = 1;

	for (uint32_t k = 0; k < ir->nparams; k++)
		params[k] = (struct amd_param){ir->params[k].offset, ir->params[k].size,
					       ir->params[k].pointer};
	for (uint32_t axis = 0; axis < 3; axis++) {
		threads *= ir->max_threads[axis] ? ir->max_threads[axis] : 1;
		p->required_threads[axis] = ir->required_threads[axis];
	}
	p->max_threads = ir->max_threads[0] ? threads : 0;
	p->name = ir->name;
	p->index = ir->index;
	p->kernel = amd_is_entry(f->job, ir);
	p->vgprs = f->vgprs;
	p->sgprs = f->sgprs;
	p->lds_bytes = f->lds_bytes;
	p->private_bytes = f->frame_bytes;
	p->sgpr_spills = f->sgpr_spills;
	p->vgpr_spills = f->vgpr_spills;
	p->float_mode = AMD_FLOAT_MODE_DEFAULT;
	p->ieee = p->dx10_clamp = true;
	p->cu_mode = true;
	p->start = f->start;
	p->hidden = f->hidden;
	p->services = f->services;
	p->params = params;
	p->nparams = ir->nparams;
	p->param_bytes = ir->param_bytes;
}

/* false: errors are told. */
static bool generate(struct compile_job *job, const struct amd_plan *plan, struct gcn_unit *unit,
		     struct ir_func *ir, struct amd_code *out, struct arena *keep)
{
	struct amd_piece *p = &out->pieces[out->npieces];
	struct gcn_func *f = compile_function(job, plan, unit, ir);

	if (!f || !gcn_encode(f, p, keep))
		return false;
	describe(f, p, keep);
	unit->funcs[ir->index] = f;
	if (p->kernel)
		gcn_collect(unit, f, p);
	if (ir->kind == IR_FUNCTION) {
		unit->hidden |= f->hidden;
		unit->services |= f->services;
	}
	if (ir->kind == IR_FUNCTION && p->kernel && unit->wants & ~GCN_SERVICES_WANT) {
		diag_error(&job->diag, 0, 0,
			   "service '%s' asks for more than the numbers of thread and block, "
			   "which is all that callers tell",
			   ir->name);
		return false;
	}
	out->npieces++;
	return true;
}

/* Functions come first: kernels know then what it takes to call them. */
void *amd_generate(struct compile_job *job, const void *plan, struct ir_module *m,
		   struct arena *keep)
{
	struct amd_code *out = arena_alloc(keep, sizeof(*out));
	struct gcn_unit *unit = gcn_survey(m, &job->arena);
	bool good = true;

	out->pieces = arena_array(keep, m->nfuncs + 3, sizeof(*out->pieces));
	for (struct ir_func *ir = m->funcs; ir; ir = ir->next)
		if (ir->kind == IR_FUNCTION)
			good &= generate(job, plan, unit, ir, out, keep);
	for (struct ir_func *ir = m->funcs; good && ir; ir = ir->next)
		if (ir->kind == IR_KERNEL)
			good &= generate(job, plan, unit, ir, out, keep);
	if (unit->by_address)
		gcn_function_table(unit, out, keep);
	return good ? out : NULL;
}

const struct backend amd_backend = {amd_plan, amd_generate, amd_link};
