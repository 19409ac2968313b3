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
		b->f = nv_select(&module, m->funcs, false, true);
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

/* ---- two adjacent instructions, for SM90 ---- */

#define DADD_R4_R6_R4   {0x0000000006047229, 0x004fd80000000004}
#define LDG64_R6_UR4_R6 {0x0000000406067981, 0x000ea2000c1e1b00}
/* ULOP3.LUT UR62, UR62, 0x1f, UR61, 0x80, !UPT */
#define ULOP3_UR62_UR61 {0x0000001f3e3e7892, 0x000fe2000f8e803d}
#define UMOV_UR61       {0x00000001003d7882, 0x000fe20000000000}

struct pair {
	struct arena arena;
	struct mir_func f;
	struct mir_inst *inst[2];
};

/* A function of these two instructions, without stall counts and scoreboards. */
static void pair_init(struct pair *p, const struct sass_word words[2])
{
	memset(p, 0, sizeof(*p));
	arena_init(&p->arena, 0, NULL);
	p->f = (struct mir_func){.arena = &p->arena, .name = "pair", .sm = 90, .nblocks = 2};
	p->f.blocks = arena_grow(&p->arena, NULL, &p->f.blocks_capacity, 2, sizeof(*p->f.blocks));
	p->f.entry = 1;
	for (int k = 0; k < 2; k++) {
		struct mir_inst *i = p->inst[k] = mir_inst_new(&p->f, SASS_NOP);

		if (!sass_decode(90, words[k], &i->sass))
			ok(false, "instruction %d decodes", k);
		i->sass.stall = i->sass.wait = 0;
		i->sass.yield = false;
		i->sass.write_barrier = i->sass.read_barrier = SASS_NO_SB;
		mir_insert(&p->f, 1, NULL, i);
	}
}

/* The load needs 7 cycles until it reads its address and 6 until it writes the same registers. */
static void check_two_dependences(void)
{
	struct pair p;
	struct text why = {.arena = &p.arena};

	pair_init(&p, (const struct sass_word[]){DADD_R4_R6_R4, LDG64_R6_UR4_R6});
	p.inst[0]->sass.ops[0].reg = 6;
	nv_set_scoreboards(&p.f);
	ok(p.inst[0]->sass.stall == 7 && nv_check_hazards(&p.f, &why),
	   "the longest of two dependences between two instructions determines the stall count, "
	   "also if the other is shorter by one cycle: %u",
	   p.inst[0]->sass.stall);
	if (why.s)
		diag("%s", why.s);
	arena_free(&p.arena);
}

/* Uniform arithmetic reads its sources after issue: a UMOV to one of them waits three cycles. */
static void check_uniform_overwrite(void)
{
	struct pair p;
	struct text why = {.arena = &p.arena};

	pair_init(&p, (const struct sass_word[]){ULOP3_UR62_UR61, UMOV_UR61});
	p.inst[0]->sass.stall = 3;
	p.inst[1]->sass.stall = 1;
	ok(nv_check_hazards(&p.f, &why), "hazard verifier accepts a UMOV three cycles after an "
					 "instruction that reads its result's "
					 "register");
	p.inst[0]->sass.stall = 2;
	ok(!nv_check_hazards(&p.f, &why) && strstr(why.s, "overwrites its source too early"),
	   "hazard verifier detects a uniform register that is overwritten one cycle too early");
	if (why.s)
		diag("%s", why.s);
	arena_free(&p.arena);
}

int main(void)
{
	static const char *const targets[] = {"sm_90", "sm_80"};

	for (int t = 0; t < 2; t++) {
		check_registers(targets[t]);
		check_waits(targets[t]);
		check_stalls(targets[t]);
	}
	check_two_dependences();
	check_uniform_overwrite();
	return tap_done();
}
