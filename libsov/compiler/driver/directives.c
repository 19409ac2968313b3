// SPDX-License-Identifier: MIT
/*
 * Options that act like directives of PTX: which kernels to compile, their number of registers,
 * their block size, and the blocks that an SM shall hold. A directive in the source has precedence
 * unless override_directives is set. As in ptxas, a kernel with .minnctapersm ignores the global
 * number of registers.
 */
#include <string.h>
#include "libsov/compiler/driver/directives.h"

static bool is_named(const struct compile_job *job, const char *name)
{
	const char *const *names = job->options.kernels;

	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

static bool has_kernel(const struct ir_module *m, const char *name)
{
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		if (f->kind == IR_KERNEL && !strcmp(f->name, name))
			return true;
	return false;
}

static void remove_other_kernels(const struct compile_job *job, struct ir_module *m)
{
	struct ir_func **at = &m->funcs;

	m->last_func = NULL;
	while (*at) {
		struct ir_func *f = *at;

		if (f->kind == IR_KERNEL && !is_named(job, f->name)) {
			*at = f->next;
			continue;
		}
		m->last_func = f;
		at = &f->next;
	}
}

static void set_limits(const struct compile_options *o, struct ir_func *f)
{
	bool override = o->override_directives;

	if (o->max_registers && (override || (!f->max_registers && !f->min_ctas))) {
		f->max_registers = o->max_registers;
		f->min_ctas = 0;
	}
	/* Like ptxas: a number of registers suspends the other two options. */
	if (o->max_registers)
		return;
	if (o->max_threads[0] && (override || (!f->max_threads[0] && !f->required_threads[0])))
		memcpy(f->max_threads, o->max_threads, sizeof(f->max_threads));
	if (o->min_ctas && (override || !f->min_ctas))
		f->min_ctas = o->min_ctas;
}

bool directives_apply(struct compile_job *job, struct ir_module *m)
{
	const char *const *names = job->options.kernels;

	for (; names && *names; names++) {
		if (!has_kernel(m, *names)) {
			diag_error(&job->diag, 0, 0, "the module has no kernel '%s'", *names);
			return false;
		}
	}
	if (job->options.kernels)
		remove_other_kernels(job, m);
	for (struct ir_func *f = m->funcs; f; f = f->next) {
		if (f->kind == IR_KERNEL)
			set_limits(&job->options, f);
		else if (m->relocatable) /* kernels of other objects may call it */
			f->max_registers = job->options.max_registers;
	}
	return true;
}
