// SPDX-License-Identifier: MIT
/*
 * Back end for NVIDIA GPUs: runs the stages in order. Selection creates machine IR, each later
 * stage transforms it, and --print shows it after any of them. In SOV_VERIFY builds or with
 * options.verify, independent verifiers check the stages whose faults a GPU shows only
 * intermittently: register assignment, convergence barriers and scoreboards.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/image/cubin_write.h"
#include "libsov/compiler/image/cubin_object_link.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"
#include "libsov/compiler/nv/nv.h"

/* ELF section numbers have 16 bits, and a kernel has up to four sections. */
#define MAX_KERNELS 16000

/* An instruction reads and writes at most this many registers. */
#define MIN_GPRS 8

/* The units that may be live at once. One register is the scratch register. */
static uint32_t pressure_limit(const struct mir_func *f)
{
	bool has_return_address = f->calls || f->ir->kind == IR_FUNCTION;

	return f->gprs - 1 - f->stack - 2 * has_return_address;
}

/* Registers that the scheduler leaves to the allocator if it fails with fewer, and the most. */
#define ROOM_STEP 12
#define MAX_ROOM  (2 * ROOM_STEP)

/* Spills and allocates until the function fits. The pressure limit alone does not suffice: pairs
 * are aligned, so two free registers may not form one. Before anything is spilled for that, another
 * order of the instructions is tried. */
static bool stage_regalloc(struct mir_func *f)
{
	uint32_t limit = pressure_limit(f);
	bool allocated;

	nv_sink_temporaries(f);
	nv_split_critical_edges(f);
	nv_limit_blocks(f);
	nv_spill_predicates(f);
	nv_choose_saving_calls(f);
	nv_copy_live_sums(f);
	do {
		bool fits = limit >= MIN_GPRS && nv_spill_memory(f, limit);

		/* --spill and limits ask for few registers, not for the impossible. */
		if (!fits && f->gprs < 2 * MIR_SPILL_GPRS) {
			f->gprs += 4;
			limit = pressure_limit(f);
			continue;
		}
		if (!fits && f->start_registers) {
			f->retry_without_requests = true;
			return true;
		}
		if (!fits && f->uniform_temporaries) {
			f->retry_without_uniform = true;
			return true;
		}
		if (!fits && f->sums < SUMS_IN_QUADS && nv_has_group_products(f)) {
			f->retry_sums = true;
			return true;
		}
		if (!fits) {
			diag_error(&f->job->diag, 0, 0,
				   "kernel '%s' does not fit into %u registers even with every "
				   "possible spill; allow it more",
				   f->name, f->gprs);
			return false;
		}
		limit -= 1 + limit / 16;
		allocated = nv_regalloc(f, false) || nv_regalloc(f, true);
		f->retry_with_room = !allocated && f->fits && f->room < MAX_ROOM;
	} while (!allocated && !f->retry_with_room && !f->retry_without_uniform);
	if (f->retry_with_room || f->retry_without_uniform)
		return true;
	f->use_counts = mir_count_reads(f);
	f->nuse_counts = f->nvregs;
	nv_lower_phis(f);
	return true;
}

static bool stage_uniform(struct mir_func *f)
{
	nv_uniform_registers(f);
	return true;
}

static bool stage_split_registers(struct mir_func *f)
{
	nv_split_registers(f);
	nv_hold_factors(f);
	return true;
}

static bool stage_if_convert(struct mir_func *f)
{
	nv_remove_identity_copies(f);
	nv_release_factors(f);
	nv_if_convert(f);
	if (!f->job->options.unoptimised) {
		nv_predicate_selects(f);
		nv_move_comparisons(f);
		nv_balance_pipes(f);
	}
	return true;
}

/* Unoptimised code keeps its branches. */
static bool stage_jump_tables(struct mir_func *f)
{
	if (!f->job->options.unoptimised)
		nv_jump_tables(f);
	return true;
}

static bool stage_predicate_sides(struct mir_func *f)
{
	if (!f->job->options.unoptimised)
		nv_predicate_sides(f);
	return true;
}

static bool stage_convergence_barriers(struct mir_func *f)
{
	nv_insert_convergence_barriers(f);
	nv_lower_frame(f);
	if (!f->job->options.unoptimised)
		nv_order_blocks(f);
	nv_layout_blocks(f);
	return true;
}

static bool stage_schedule(struct mir_func *f)
{
	/* --serial keeps the selection order. */
	if (!f->job->options.serial)
		nv_schedule(f);
	return true;
}

static bool stage_scoreboards(struct mir_func *f)
{
	nv_separate_copies(f);
	if (f->job->options.serial)
		nv_serialise(f);
	else
		nv_set_scoreboards(f);
	nv_wait_for_products(f);
	nv_set_reuse_flags(f);
	return true;
}

static const struct stage {
	const char *name; /* for --print */
	bool (*run)(struct mir_func *f);
	bool (*check)(const struct mir_func *f, struct text *why); /* NULL: none */
} stages[] = {
	{"nv-jump-table", stage_jump_tables, NULL},
	{"nv-predicate-sides", stage_predicate_sides, NULL},
	{"nv-uniform", stage_uniform, NULL},
	{"nv-split-registers", stage_split_registers, NULL},
	{"nv-pre-ra-schedule", stage_schedule, NULL},
	{"nv-regalloc", stage_regalloc, nv_check_registers},
	{"nv-if-convert", stage_if_convert, NULL},
	{"nv-converge", stage_convergence_barriers, nv_check_convergence},
	{"nv-schedule", stage_schedule, nv_check_requests},
	{"nv-scoreboards", stage_scoreboards, nv_check_hazards},
};

static void print_after(const struct mir_func *f, const char *name)
{
	const struct compile_options *o = &f->job->options;

	if (o->print_pass && (!strcmp(o->print_pass, "all") || !strcmp(o->print_pass, name)))
		fprintf(o->print_to, "; %s after %s\n%s\n", f->name, name, mir_text(f));
}

static bool needs_retry(const struct mir_func *f)
{
	return f->retry_without_uniform || f->retry_sums || f->retry_sparse || f->retry_with_room ||
	       f->retry_without_requests;
}

static bool run_stage(struct mir_func *f, const struct stage *s)
{
	struct text why = {.arena = f->arena};

	if (!s->run(f))
		return false;
	print_after(f, s->name);
	if (needs_retry(f) || !s->check || !compile_verifies(f->job) || s->check(f, &why))
		return true;
	diag_fault(&f->job->diag, 0, 0, "%s: a fault of the compiler's stage %s", why.s, s->name);
	return false;
}

bool nv_is_exported(const struct compile_job *job, const struct ir_func *f)
{
	if (f->kind != IR_FUNCTION)
		return false;
	return job->options.relocatable ? !f->preserve_all
					: job->options.library && service_find(f->name) != SERVICES;
}

static bool is_entry(const struct compile_job *job, const struct ir_func *f)
{
	return f->kind == IR_KERNEL || nv_is_exported(job, f);
}

/* What a function is compiled with, unless an attempt shows that it does not work. */
struct attempt {
	bool uniform;  /* uniform registers */
	bool requests; /* for registers, of a kernel that has some */
	bool dense;    /* see struct mir_func */
	uint32_t room; /* likewise */
	enum sum_registers sums;
};

static struct mir_func *run_stages(const struct nv_module *module, const struct ir_func *ir,
				   struct attempt attempt)
{
	struct compile_job *job = module->job;
	struct mir_func *f = nv_select(module, ir, attempt.requests, attempt.sums);

	if (!f)
		return NULL;
	f->uniform = attempt.uniform;
	f->dense = attempt.dense;
	f->room = attempt.room;
	/* Which uniform registers a callee preserves is not known, so it changes none. */
	f->uniform &= !(f->exported && job->options.relocatable);
	if (f->exported && f->calls && job->options.library) {
		diag_error(&job->diag, 0, 0, "service '%s' calls functions; inline them", f->name);
		return NULL;
	}
	print_after(f, "nv-select");
	for (size_t k = 0; k < sizeof(stages) / sizeof(stages[0]) && !needs_retry(f); k++) {
		if (!run_stage(f, &stages[k]))
			return NULL;
	}
	if (f->aligned_frame && job->options.library) { /* that takes registers to begin with */
		diag_error(&job->diag, 0, 0,
			   "service '%s' needs a frame aligned to 16 bytes; its callers' are to 8",
			   f->name);
		return NULL;
	}
	return f;
}

static struct mir_func *compile_function(const struct nv_module *module, struct ir_func *ir)
{
	struct compile_job *job = module->job;
	/* A preserve_all function preserves the uniform registers. */
	struct attempt attempt = {.uniform = !job->options.no_uniform && !ir->preserve_all &&
					     job->target->version >= 75,
				  .requests = nv_register_requests(ir).highest != 0,
				  .dense = true};
	struct arena_mark before;
	struct mir_func *f;

	nv_legalise(ir, job->target->version, job->target->warp_lanes);
	if (compile_verifies(job) && !ir_verify_func(ir, &job->diag)) {
		diag_fault(&job->diag, 0, 0,
			   "'%s': lowering produced invalid IR: a fault of the compiler", ir->name);
		return NULL;
	}
	before = arena_mark(&job->arena);
	while ((f = run_stages(module, ir, attempt)) && needs_retry(f)) {
		attempt.uniform &= !f->retry_without_uniform;
		attempt.sums += f->retry_sums;
		attempt.dense &= !f->retry_sparse;
		attempt.requests &= !f->retry_without_requests;
		attempt.room += f->retry_with_room ? ROOM_STEP : 0;
		arena_rewind(&job->arena, before); /* with f */
	}
	return f;
}

static bool compile_functions(const struct nv_module *module, const struct ir_module *m,
			      const uint32_t *callees, uint32_t ncallees, struct mir_func **funcs)
{
	bool good = true, known = true;

	for (uint32_t k = 0; k < ncallees && known; k++) {
		struct mir_func *f = compile_function(module, m->table[callees[k]]);

		funcs[callees[k]] = f;
		good = known = f != NULL;
		if (f)
			nv_find_changes(f);
	}
	for (struct ir_func *f = m->funcs; f && known; f = f->next) {
		if (!funcs[f->index])
			funcs[f->index] = compile_function(module, f);
		good &= funcs[f->index] != NULL;
	}
	return good;
}

/* ---- code of one compilation unit ---- */

struct nv_kernel {
	uint32_t order; /* of its function in the source */
	struct cubin_kernel code;
	struct kernel_stats stats;
	struct line_table lines;
};

struct nv_code {
	struct nv_kernel *kernels;
	uint32_t nkernels;
	struct kernel_stats *functions; /* of the functions that the program declares */
	uint32_t nfunctions;
	uint32_t *function_offsets; /* by function; NULL: no function address is taken */
};

static void *copy_array(struct arena *dest, const void *data, uint32_t count, size_t size)
{
	void *copy = arena_array(dest, count, size);

	if (count)
		memcpy(copy, data, count * size);
	return copy;
}

static const char *const *copy_names(struct arena *dest, const char *const *names, uint32_t count)
{
	const char **copy = arena_array(dest, count, sizeof(*copy));

	for (uint32_t k = 0; k < count; k++)
		copy[k] = arena_strndup(dest, names[k], strlen(names[k]));
	return copy;
}

/* The module owns the names of functions and the parameters. */
static void copy_kernel(struct arena *dest, struct nv_kernel *k)
{
	struct cubin_kernel *c = &k->code;

	c->code = copy_array(dest, c->code, c->code_bytes, 1);
	c->params = copy_array(dest, c->params, c->nparams, sizeof(*c->params));
	c->exits = copy_array(dest, c->exits, c->nexits, sizeof(*c->exits));
	c->branches = copy_array(dest, c->branches, c->nbranches, sizeof(*c->branches));
	c->addresses = copy_array(dest, c->addresses, c->naddresses, sizeof(*c->addresses));
	c->callees = copy_array(dest, c->callees, c->ncallees, sizeof(*c->callees));
	c->prototypes = copy_names(dest, c->prototypes, c->nprototypes);
	k->lines.rows = copy_array(dest, k->lines.rows, k->lines.count, sizeof(*k->lines.rows));
	k->lines.capacity = k->lines.count;
}

static bool encode_kernels(const struct nv_module *module, const struct ir_module *m,
			   struct mir_func **funcs, struct nv_code *out, struct arena *dest)
{
	struct call_walk *walk = nv_call_walk_new(module, m, funcs);

	for (const struct ir_func *f = m->funcs; f; f = f->next) {
		struct nv_kernel *k = &out->kernels[out->nkernels];
		struct nv_text text = {.kernel = funcs[f->index],
				       .variable_of = module->plan->variable};

		if (!is_entry(module->job, f))
			continue;
		k->order = f->order;
		nv_collect_callees(module, walk, &text);
		if (!nv_encode(&text, &k->code, &k->stats))
			return false;
		if (module->plan->out.nfiles)
			nv_build_line_table(module, &text, k->code.code_bytes, &k->lines);
		copy_kernel(dest, k);
		out->nkernels++;
	}
	return true;
}

/* Outlined slow paths preserve all registers; the program does not know them. */
static void list_functions(const struct ir_module *m, struct mir_func **funcs, struct nv_code *out,
			   struct arena *dest)
{
	uint32_t count = 0;

	for (const struct ir_func *f = m->funcs; f; f = f->next)
		count++;
	out->functions = arena_array(dest, count + 1, sizeof(*out->functions));
	for (const struct ir_func *f = m->funcs; f; f = f->next) {
		struct kernel_stats *stats = &out->functions[out->nfunctions];

		if (f->kind != IR_FUNCTION || f->preserve_all)
			continue;
		stats->name = f->name;
		nv_count_spills(funcs[f->index], stats);
		out->nfunctions++;
	}
}

static uint32_t count_entries(const struct compile_job *job, const struct ir_module *m)
{
	uint32_t count = 0;

	for (const struct ir_func *f = m->funcs; f; f = f->next)
		count += is_entry(job, f);
	return count;
}

static void *nv_generate(struct compile_job *job, const void *plan, struct ir_module *m,
			 struct arena *dest)
{
	struct nv_module module = {.job = job, .plan = plan};
	struct nv_code *out = arena_alloc(dest, sizeof(*out));
	uint32_t *callees, ncallees;
	struct mir_func **funcs;

	nv_merge_divergent_syncs(m);
	nv_analyse_calls(&module, m);
	module.function_registers = nv_function_register_limit(job->target->version, m);
	ncallees = nv_order_callees(&module, m, &callees);
	nv_find_common_shared(&module, m);
	funcs = arena_array(&job->arena, m->nfuncs + 1, sizeof(struct mir_func *));
	if (!compile_functions(&module, m, callees, ncallees, funcs))
		return NULL;
	if (module.function_addresses)
		out->function_offsets = copy_array(dest, nv_function_offsets(&module, m, funcs),
						   m->nfuncs, sizeof(*out->function_offsets));
	out->kernels = arena_array(dest, count_entries(job, m) + 1, sizeof(*out->kernels));
	list_functions(m, funcs, out, dest);
	return encode_kernels(&module, m, funcs, out, dest) ? out : NULL;
}

/* ---- plan of a module, and its image ---- */

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

static bool *find_taken_addresses(struct compile_job *job, const struct ir_module *m)
{
	bool *taken = arena_array(&job->arena, m->nfuncs + 1, sizeof(*taken));

	for (uint32_t k = 0; k < m->nsymbols; k++)
		for (uint32_t j = 0; j < m->symbols[k].naddresses; j++)
			if (m->symbols[k].addresses[j].function)
				taken[m->symbols[k].addresses[j].target] = true;
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		ir_for_each_block(f, b)
			ir_for_each_inst(f, b, i)
				if (ir_at(f, i)->op == IR_FUNCADDR)
					taken[ir_at(f, i)->symbol] = true;
	return taken;
}

static void list_prototypes(struct compile_job *job, struct nv_plan *p, const struct ir_module *m)
{
	struct cubin_prototype *list = arena_array(&job->arena, m->nfuncs + 1, sizeof(*list));
	const bool *taken = find_taken_addresses(job, m);

	p->out.prototypes = list;
	for (uint32_t k = 0; k < m->nfuncs; k++) {
		const struct ir_func *f = m->table[k];

		bool kernel = ir_is_kernel(f);

		if (f->kind != IR_PROTOTYPE && (!kernel || taken[k]))
			list[p->out.nprototypes++] = (struct cubin_prototype){
				f->name, kernel ? NULL : nv_prototype(&job->arena, f), taken[k]};
	}
}

static void *nv_make_plan(struct compile_job *job, const struct ir_module *m,
			  const uint32_t *unit_of)
{
	struct nv_plan *p = arena_alloc(&job->arena, sizeof(*p));
	uint32_t count = count_entries(job, m);

	p->out.sm = job->target->version;
	if (count > MAX_KERNELS) {
		diag_error(&job->diag, 0, 0, "the module has %u kernels; up to %u fit into a cubin",
			   count, MAX_KERNELS);
		return NULL;
	}
	if (!nv_layout_variables(job, p, m))
		return NULL;
	p->files = line_files_new(&job->arena, m);
	p->out.files = p->files.names;
	p->out.nfiles = job->options.no_lines ? 0 : p->files.count;
	declare_kernels(job, p, m, unit_of);
	if (job->options.relocatable)
		list_prototypes(job, p, m);
	return p;
}

static int compare_order(const void *a, const void *b)
{
	const struct nv_kernel *const *x = a, *const *y = b;

	return ((*x)->order > (*y)->order) - ((*x)->order < (*y)->order);
}

/* All kernels in source order. */
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
	qsort(sorted, *count, sizeof(struct nv_kernel *), compare_order);
	return sorted;
}

/* Statistics with room for the kernels' rows, which come first. */
static struct kernel_stats *collect_function_stats(struct arena *a, void *const *code,
						   uint32_t units, uint32_t nkernels,
						   uint32_t *count)
{
	struct kernel_stats *stats;

	for (uint32_t u = 0; u < units; u++)
		*count += ((struct nv_code *)code[u])->nfunctions;
	stats = arena_array(a, nkernels + *count, sizeof(*stats));
	*count = 0;
	for (uint32_t u = 0; u < units; u++) {
		const struct nv_code *c = code[u];

		for (uint32_t k = 0; k < c->nfunctions; k++)
			stats[nkernels + (*count)++] = c->functions[k];
	}
	return stats;
}

static void nv_link_image(struct compile_job *job, const void *planned, void *const *code,
			  uint32_t units, enum image_content content, struct compile_image *image)
{
	const struct nv_plan *p = planned;
	struct cubin_module out = p->out;
	struct arena *a = &job->arena;
	struct nv_kernel **sorted = sort_kernels(a, code, units, &out.nkernels);
	struct cubin_kernel *kernels = arena_array(a, out.nkernels, sizeof(*kernels));
	struct line_table *lines = arena_array(a, out.nkernels, sizeof(*lines));

	image->nstats = out.nkernels;
	image->stats = collect_function_stats(a, code, units, out.nkernels, &image->nfunctions);
	if (job->options.relocatable)
		image->nfunctions = 0; /* they are among the others */
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
			out.variables = nv_patch_function_addresses(a, p, c->function_offsets);
	}
	image->data = job->options.relocatable ? cubin_write_object(a, &out, &image->size)
					       : cubin_write(a, &out, &image->size);
}

const struct backend nv_backend = {nv_make_plan, nv_generate, nv_link_image, cubin_link_objects};
