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
	{"amd-sweep", sweep},
	{"amd-combine", combine},
	{"amd-schedule", schedule},
	{"amd-registers", gcn_registers},
	{"amd-wait", wait},
};

static void print_after(const struct gcn_func *f, const char *name)
{
	const struct compile_options *o = &f->job->options;

	if (o->print_pass && (!strcmp(o->print_pass, "all") || !strcmp(o->print_pass, name)))
		fprintf(o->print_to, "; %s after %s\n%s\n", f->ir->name, name, gcn_text(f));
}

static struct gcn_func *compile_function(struct compile_job *job, const struct amd_plan *plan,
					 struct ir_func *ir)
{
	struct gcn_func *f = arena_alloc(&job->arena, sizeof(*f));
	const struct gcn_control *control;

	*f = (struct gcn_func){.job = job, .arena = &job->arena, .plan = plan, .ir = ir};
	f->start.thread_ids = 1;
	if (!gcn_legalise(ir, job))
		return NULL;
	gcn_masks_to_vectors(ir);
	if (compile_verifies(job) && !ir_verify(ir->module, &job->diag))
		return NULL;
	control = gcn_control_find(ir);
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
	p->kernel = ir->kind == IR_KERNEL;
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
	p->params = params;
	p->nparams = ir->nparams;
	p->param_bytes = ir->param_bytes;
}

void *amd_generate(struct compile_job *job, const void *plan, struct ir_module *m, struct arena *keep)
{
	struct amd_code *out = arena_alloc(keep, sizeof(*out));
	bool good = true;

	out->pieces = arena_array(keep, m->nfuncs + 1, sizeof(*out->pieces));
	for (struct ir_func *ir = m->funcs; ir; ir = ir->next) {
		struct amd_piece *p = &out->pieces[out->npieces];
		struct gcn_func *f = compile_function(job, plan, ir);

		if (!f || !gcn_encode(f, p, keep)) {
			good = false;
			continue;
		}
		describe(f, p, keep);
		out->npieces++;
	}
	return good ? out : NULL;
}

const struct backend amd_backend = {amd_plan, amd_generate, amd_link};
