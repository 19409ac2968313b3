// SPDX-License-Identifier: MIT
/*
 * The back end's verifiers detect every fault that they exist for: each changed register operand,
 * each dropped scoreboard wait, each stall count shortened by one. Valid code is changed in one
 * position at a time.
 */
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"
#include "libsov/compiler/passes/pass.h"
#include "tests/tap.h"

static const char kernel[] = "kernel k(x: 8 at 0 pointer, y: 8 at 8 pointer, n: 4 at 16) {\n"
			     "entry:\n"
			     "	%x = load.b64 param [0]\n"
			     "	%y = load.b64 param [8]\n"
			     "	%n = load.b32 param [16]\n"
			     "	%tid = sreg.b32 tid.x\n"
			     "	%zero = const.b32 0\n"
			     "	%eight = const.b32 8\n"
			     "	br loop\n"
			     "loop:\n"
			     "	%i = phi.b32 [entry: %tid], [loop: %next]\n"
			     "	%sum = phi.b64 [entry: %x], [loop: %more]\n"
			     "	%o = mulwide.u.b64 %i, %eight\n"
			     "	%at = add.b64 %y, %o\n"
			     "	%v = load.b64 global [%at]\n"
			     "	%w = fmul.b64 %v, %v\n"
			     "	store.b64 global [%at], %w\n"
			     "	%more = add.b64 %sum, %v\n"
			     "	%next = add.b32 %i, %eight\n"
			     "	%go = icmp.b32 lt.u %next, %n\n"
			     "	cbr %go, loop, done\n"
			     "done:\n"
			     "	store.b64 global [%x], %more\n"
			     "	ret\n"
			     "}\n";

struct bench {
	struct compile_job job;
	struct mir_func *f;
};

/* Compiles up to and including register allocation. */
static void compile_to_regalloc(struct bench *b, const char *target)
{
	struct nv_plan plan = {0};
	struct nv_module module = {.job = &b->job, .plan = &plan};
	struct ir_module *m;

	memset(b, 0, sizeof(*b));
	arena_init(&b->job.arena, 0, NULL);
	diag_init(&b->job.diag, &b->job.arena, "test");
	b->job.target = target_find(target);
	b->job.options.verify = true;
	m = ir_parse(&b->job.arena, kernel, strlen(kernel), &b->job.diag);
	if (m && passes_run(&b->job, m) && nv_layout_variables(&b->job, &plan, m)) {
		nv_find_common_shared(&module, m);
		b->f = nv_select(&module, m->funcs);
	}
	if (!b->f) {
		printf("Bail out! %s\n", b->job.diag.text);
		exit(1);
	}
	nv_split_critical_edges(b->f);
	if (!nv_regalloc(b->f, false))
		exit(1);
	nv_lower_phis(b->f);
}

static void compile_to_scoreboards(struct bench *b)
{
	nv_remove_identity_copies(b->f);
	nv_if_convert(b->f);
	nv_insert_convergence_barriers(b->f);
	nv_layout_blocks(b->f);
	nv_schedule(b->f);
	nv_set_scoreboards(b->f);
}

static bool is_found(struct bench *b, bool (*check)(const struct mir_func *, struct text *))
{
	struct text why = {.arena = &b->job.arena};

	return !check(b->f, &why) && why.s && *why.s;
}

/* Changes each register operand to another register of the same file and alignment. */
static void check_registers(const char *target)
{
	uint32_t changed = 0, found = 0;
	struct bench b;

	compile_to_regalloc(&b, target);
	ok(!is_found(&b, nv_check_registers),
	   "%s: register verifier accepts the allocator's assignment", target);
	mir_for_each_block(b.f, block)
		mir_for_each(b.f, block, i)
			for (uint32_t k = 0; k < i->sass.nops; k++) {
				uint8_t *reg = &i->sass.ops[k].reg;

				/* The source of an identity copy may be any register that holds
				 * the value. */
				if (!i->ref[k].vreg || i->identity_copy)
					continue;
				*reg = (uint8_t)(i->sass.ops[k].kind == SASS_PRED ? *reg ^ 1
										  : *reg + 4);
				changed++;
				if (is_found(&b, nv_check_registers))
					found++;
				else
					diag("not detected: %s", mir_text_inst(b.f, i));
				*reg = (uint8_t)(i->sass.ops[k].kind == SASS_PRED ? *reg ^ 1
										  : *reg - 4);
			}
	ok(changed > 20 && found == changed,
	   "%s: register verifier detects %u of %u changed operands", target, found, changed);
	arena_free(&b.job.arena);
}

static void check_waits(const char *target)
{
	uint32_t dropped = 0, found = 0;
	struct bench b;

	compile_to_regalloc(&b, target);
	compile_to_scoreboards(&b);
	ok(!is_found(&b, nv_check_hazards),
	   "%s: hazard verifier accepts the scoreboards and stall counts as set", target);
	mir_for_each_block(b.f, block)
		mir_for_each(b.f, block, i)
			for (uint32_t sb = 0; sb < 6; sb++) {
				if (!(i->sass.wait >> sb & 1))
					continue;
				i->sass.wait ^= (uint8_t)(1 << sb);
				dropped++;
				if (is_found(&b, nv_check_hazards))
					found++;
				else
					diag("not detected: scoreboard %u of %s", sb,
					     mir_text_inst(b.f, i));
				i->sass.wait ^= (uint8_t)(1 << sb);
			}
	ok(dropped > 2 && found == dropped,
	   "%s: hazard verifier detects %u of %u dropped scoreboard waits", target, found, dropped);
	arena_free(&b.job.arena);
}

/* Shortens each stall count above one. */
static void check_stalls(const char *target)
{
	uint32_t shortened = 0, found = 0;
	struct bench b;

	compile_to_regalloc(&b, target);
	compile_to_scoreboards(&b);
	mir_for_each_block(b.f, block)
		mir_for_each(b.f, block, i) {
			if (i->sass.stall < 2)
				continue;
			i->sass.stall--;
			shortened++;
			if (is_found(&b, nv_check_hazards))
				found++;
			else
				diag("not detected: %s", mir_text_inst(b.f, i));
			i->sass.stall++;
		}
	ok(shortened > 5 && found == shortened,
	   "%s: hazard verifier detects %u of %u shortened stall counts", target, found, shortened);
	arena_free(&b.job.arena);
}

int main(void)
{
	static const char *const targets[] = {"sm_90", "sm_80"};

	for (int t = 0; t < 2; t++) {
		check_registers(targets[t]);
		check_waits(targets[t]);
		check_stalls(targets[t]);
	}
	return tap_done();
}
