// SPDX-License-Identifier: MIT
/*
 * AMD's verifiers detect the faults that they exist for. Valid code is changed in one position at a
 * time: each register operand, each lane of a spilled SGPR, each counter of each wait.
 */
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/passes/pass.h"
#include "tests/tap.h"

#define SPILL_PARAMS 48

/* A loop whose trip count differs between lanes; an if inside; a call in the function's kernel. */
static const char loop_kernel[] = "kernel k(x: 8 at 0 pointer, y: 8 at 8 pointer, n: 4 at 16) {\n"
				  "entry:\n"
				  "	%x = load.b64 param [0]\n"
				  "	%y = load.b64 param [8]\n"
				  "	%n = load.b32 param [16]\n"
				  "	%tid = sreg.b32 tid.x\n"
				  "	%zero = const.b32 0\n"
				  "	%eight = const.b32 8\n"
				  "	br loop\n"
				  "loop:\n"
				  "	%i = phi.b32 [entry: %tid], [latch: %next]\n"
				  "	%sum = phi.b64 [entry: %x], [latch: %more]\n"
				  "	%o = mulwide.u.b64 %i, %eight\n"
				  "	%at = add.b64 %y, %o\n"
				  "	%v = load.b64 global [%at]\n"
				  "	%w = fmul.b64 %v, %v\n"
				  "	%positive = icmp.b64 gt.s %v, %sum\n"
				  "	cbr %positive, then, latch\n"
				  "then:\n"
				  "	store.b64 global [%at], %w\n"
				  "	br latch\n"
				  "latch:\n"
				  "	%more = add.b64 %sum, %v\n"
				  "	%next = add.b32 %i, %eight\n"
				  "	%go = icmp.b32 lt.u %next, %n\n"
				  "	cbr %go, loop, done\n"
				  "done:\n"
				  "	%last = add.b64 %x, %more\n"
				  "	store.b64 global [%x], %last\n"
				  "	ret\n"
				  "}\n";

static const char call_kernel[] = "function twice(b64, b32) -> (b64) {\n"
				  "entry:\n"
				  "	%p = arg.b64 0\n"
				  "	%i = arg.b32 1\n"
				  "	%four = const.b32 4\n"
				  "	%o = mulwide.u.b64 %i, %four\n"
				  "	%at = add.b64 %p, %o\n"
				  "	%v = load.b64 global [%at]\n"
				  "	%w = add.b64 %v, %o\n"
				  "	ret %w\n"
				  "}\n"
				  "kernel k(x: 8 at 0 pointer, n: 4 at 8) {\n"
				  "entry:\n"
				  "	%x = load.b64 param [0]\n"
				  "	%n = load.b32 param [8]\n"
				  "	%tid = sreg.b32 tid.x\n"
				  "	%i = add.b32 %tid, %n\n"
				  "	%a = call @twice, %x, %i\n"
				  "	%b = call @twice, %x, %tid\n"
				  "	%sum = add.b64 %a, %b\n"
				  "	%four = const.b32 4\n"
				  "	%o = mulwide.u.b64 %tid, %four\n"
				  "	%at = add.b64 %x, %o\n"
				  "	store.b64 global [%at], %sum\n"
				  "	ret\n"
				  "}\n";

/* Loads, LDS and an atomic around a barrier and a fence. */
static const char sync_kernel[] = "shared @tile align 16 size 4096\n"
				  "kernel k(x: 8 at 0 pointer, y: 8 at 8 pointer) {\n"
				  "entry:\n"
				  "	%x = load.b64 param [0]\n"
				  "	%y = load.b64 param [8]\n"
				  "	%tid = sreg.b32 tid.x\n"
				  "	%four = const.b32 4\n"
				  "	%zero = const.b32 0\n"
				  "	%o = mulwide.u.b64 %tid, %four\n"
				  "	%a = add.b64 %x, %o\n"
				  "	%b = add.b64 %y, %o\n"
				  "	%v = load.b32 global [%a]\n"
				  "	%w = load.b32 global [%b]\n"
				  "	%tile = addr.b64 @tile\n"
				  "	%at = add.b64 %tile, %o\n"
				  "	store.b32 shared [%at], %v\n"
				  "	barrier sync %zero\n"
				  "	%r = load.b32 shared [%tile]\n"
				  "	%sum = add.b32 %r, %w\n"
				  "	%old = atom.b32 add global relaxed gpu [%x], %sum\n"
				  "	fence acq_rel gpu\n"
				  "	%z = load.b32 global [%y]\n"
				  "	store.b32 global [%b], %z\n"
				  "	ret\n"
				  "}\n";

/* More parameters live in a loop than the SGPRs that the "spill" option leaves. */
static const char *spill_kernel(void)
{
	static char text[8192];
	size_t n = 0;

#define EMIT(...) n += (size_t)snprintf(text + n, sizeof(text) - n, __VA_ARGS__)
	EMIT("kernel k(x: 8 at 0 pointer");
	for (uint32_t k = 0; k < SPILL_PARAMS; k++)
		EMIT(", p%u: 4 at %u", k, 8 + 4 * k);
	EMIT(") {\nentry:\n\t%%x = load.b64 param [0]\n\t%%tid = sreg.b32 tid.x\n");
	for (uint32_t k = 0; k < SPILL_PARAMS; k++)
		EMIT("\t%%p%u = load.b32 param [%u]\n", k, 8 + 4 * k);
	EMIT("\t%%four = const.b32 4\n\tbr loop\nloop:\n"
	     "\t%%v0 = phi.b32 [entry: %%tid], [loop: %%v%u]\n",
	     SPILL_PARAMS);
	for (uint32_t k = 0; k < SPILL_PARAMS; k++)
		EMIT("\t%%v%u = %s.b32 %%v%u, %%p%u\n", k + 1, k % 2 ? "xor" : "mul", k, k);
	EMIT("\t%%go = icmp.b32 lt.u %%v%u, %%p0\n\tcbr %%go, loop, done\ndone:\n"
	     "\t%%o = mulwide.u.b64 %%tid, %%four\n\t%%at = add.b64 %%x, %%o\n"
	     "\tstore.b32 global [%%at], %%v%u\n\tret\n}\n",
	     SPILL_PARAMS, SPILL_PARAMS);
#undef EMIT
	return text;
}

struct bench {
	struct compile_job job;
	struct gcn_module_info *module;
	struct gcn_func *f;
};

static void bail_out(const struct bench *b)
{
	printf("Bail out! %s\n", b->job.diag.text);
	exit(1);
}

/* Compiles one function up to and including register allocation. */
static struct gcn_func *allocate_function(struct bench *b, struct ir_func *ir)
{
	struct gcn_func *f = arena_alloc(&b->job.arena, sizeof(*f));

	*f = (struct gcn_func){.job = &b->job,
			       .arena = &b->job.arena,
			       .ir = ir,
			       .module = b->module,
			       .has_calls = gcn_has_calls(ir)};
	f->start.thread_ids = 1;
	if (!gcn_legalise(ir, b->module, &b->job))
		bail_out(b);
	gcn_lower_lane_masks(ir);
	if (!gcn_layout_variables(f) || !gcn_select(f, gcn_control_build(ir, b->module->may_exit)))
		bail_out(b);
	gcn_remove_dead_code(f);
	gcn_combine(f);
	if (!b->job.options.spill)
		gcn_schedule(f);
	if (!gcn_regalloc(f))
		bail_out(b);
	return f;
}

/* Compiles the last function of a module. */
static void compile_to_regalloc(struct bench *b, const char *text, enum ir_kind kind, bool spill)
{
	struct ir_module *m;

	memset(b, 0, sizeof(*b));
	arena_init(&b->job.arena, 0, NULL);
	diag_init(&b->job.diag, &b->job.arena, "test");
	b->job.target = target_find("gfx1030");
	b->job.options.verify = b->job.options.keep_calls = true;
	b->job.options.spill = spill;
	m = ir_parse(&b->job.arena, text, strlen(text), &b->job.diag);
	if (!m || !passes_run(&b->job, m))
		bail_out(b);
	b->module = gcn_module_analyse(m, &b->job.arena);
	for (struct ir_func *ir = m->funcs; ir; ir = ir->next)
		if (ir->kind == kind)
			b->f = allocate_function(b, ir);
}

static bool is_found(struct bench *b, bool (*check)(const struct gcn_func *, struct text *))
{
	struct text why = {.arena = &b->job.arena};

	return !check(b->f, &why) && why.s && *why.s;
}

/* Whether an instruction reads a word of the operand's virtual register. */
static bool is_read(const struct gcn_func *f, struct gcn_ref ref)
{
	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i) {
			struct gcn_use uses[GCN_MAX_USES];
			uint32_t n = gcn_uses(i, uses);

			for (uint32_t u = 0; u < n; u++)
				if (!uses[u].write && uses[u].ref.vreg == ref.vreg &&
				    ref.part >= uses[u].ref.part &&
				    ref.part < uses[u].ref.part + uses[u].count)
					return true;
		}
	return false;
}

/*
 * Changes each register operand to another register of the same alignment. Copies from a register
 * to itself are the allocator's own records, and a result that is never read may go anywhere.
 */
static void check_operands(const char *name, const char *text, enum ir_kind kind, bool spill)
{
	uint32_t changed = 0, found = 0;
	struct bench b;

	compile_to_regalloc(&b, text, kind, spill);
	ok(!is_found(&b, gcn_check_registers),
	   "gfx1030, %s: register verifier accepts the allocator's assignment", name);
	gcn_for_each_block(b.f, block)
		gcn_for_each(b.f, block, i)
			for (uint32_t s = 0; s < AMD_SLOTS; s++) {
				uint16_t *reg = &i->in.reg[s], old = *reg;

				if (!i->ref[s].vreg || gcn_is_identity_copy(i) ||
				    !is_read(b.f, i->ref[s]))
					continue;
				*reg = (uint16_t)(old >= AMD_VGPR ? old + 1 : old + 4);
				changed++;
				if (is_found(&b, gcn_check_registers))
					found++;
				else
					diag("not detected: %s", gcn_print_inst(b.f, i));
				*reg = old;
			}
	ok(changed > 5 && found == changed,
	   "gfx1030, %s: register verifier detects %u of %u changed operands", name, found,
	   changed);
	arena_free(&b.job.arena);
}

/* Changes the lane of each access to a spilled SGPR. */
static void check_lanes(void)
{
	uint32_t lanes = 0, found = 0;
	struct bench b;

	compile_to_regalloc(&b, spill_kernel(), IR_KERNEL, true);
	gcn_for_each_block(b.f, block)
		gcn_for_each(b.f, block, i) {
			uint16_t *lane = &i->in.reg[AMD_S1];

			if (!i->nimplicit || b.f->vregs[i->implicit[0].ref.vreg].class != GCN_LANE)
				continue;
			*lane ^= 1;
			lanes++;
			if (is_found(&b, gcn_check_registers))
				found++;
			else
				diag("not detected: %s", gcn_print_inst(b.f, i));
			*lane ^= 1;
		}
	ok(lanes > 2 && found == lanes,
	   "gfx1030: register verifier detects %u of %u changed lanes of spilled SGPRs", found,
	   lanes);
	arena_free(&b.job.arena);
}

/* Exchanges two source registers of one instruction. */
static void check_swaps(const char *name, const char *text)
{
	uint32_t swapped = 0, found = 0;
	struct bench b;

	compile_to_regalloc(&b, text, IR_KERNEL, false);
	gcn_for_each_block(b.f, block)
		gcn_for_each(b.f, block, i) {
			uint16_t x = i->in.reg[AMD_S0], y = i->in.reg[AMD_S1];

			if (!i->ref[AMD_S0].vreg || !i->ref[AMD_S1].vreg || x == y)
				continue;
			i->in.reg[AMD_S0] = y;
			i->in.reg[AMD_S1] = x;
			swapped++;
			if (is_found(&b, gcn_check_registers))
				found++;
			else
				diag("not detected: %s", gcn_print_inst(b.f, i));
			i->in.reg[AMD_S0] = x;
			i->in.reg[AMD_S1] = y;
		}
	ok(swapped > 2 && found == swapped,
	   "gfx1030, %s: register verifier detects %u of %u swapped source registers", name, found,
	   swapped);
	arena_free(&b.job.arena);
}

/* A value that is live across a call, moved to a caller-saved register, is lost. */
static void check_call_clobbers(void)
{
	uint32_t moved = 0, found = 0;
	struct bench b;

	compile_to_regalloc(&b, call_kernel, IR_KERNEL, false);
	for (uint32_t v = 1; v < b.f->nvregs; v++) {
		const struct gcn_vreg *x = &b.f->vregs[v];
		uint32_t to = x->class == GCN_VECTOR ? 36 : 20;

		if (!x->assigned || x->fixed >= 0 || x->words > 2 || x->class == GCN_LANE ||
		    !gcn_is_callee_saved(x->class, x->reg))
			continue;
		gcn_for_each_block(b.f, block)
			gcn_for_each(b.f, block, i)
				for (uint32_t s = 0; s < AMD_SLOTS; s++)
					if (i->ref[s].vreg == v)
						i->in.reg[s] =
							(uint16_t)(i->in.reg[s] + to - x->reg);
		moved++;
		found += is_found(&b, gcn_check_registers);
		gcn_for_each_block(b.f, block)
			gcn_for_each(b.f, block, i)
				for (uint32_t s = 0; s < AMD_SLOTS; s++)
					if (i->ref[s].vreg == v)
						i->in.reg[s] =
							(uint16_t)(i->in.reg[s] + x->reg - to);
	}
	ok(moved && found == moved,
	   "gfx1030: register verifier detects %u of %u values in registers that a call clobbers",
	   found, moved);
	ok(!is_found(&b, gcn_check_registers),
	   "gfx1030: register verifier accepts the code again once it is restored");
	arena_free(&b.job.arena);
}

/* ---- waits ---- */

static void compile_to_float_modes(struct bench *b, const char *text, enum ir_kind kind)
{
	compile_to_regalloc(b, text, kind, false);
	gcn_remove_identity_copies(b->f);
	gcn_insert_prologue(b->f);
	gcn_insert_float_modes(b->f);
}

static void compile_to_waits(struct bench *b, const char *text, enum ir_kind kind)
{
	compile_to_float_modes(b, text, kind);
	gcn_insert_waits(b->f);
}

/* The value of a counter in a wait, and the wait with another one. 63: it does not wait. */
static uint32_t wait_value(const struct gcn_inst *i, enum amd_counter counter)
{
	uint32_t imm = (uint32_t)i->in.field[AMD_F_IMM];

	if (i->in.row->op == AMD_s_waitcnt_vscnt)
		return counter == AMD_VSCNT ? imm : 63;
	return i->in.row->op != AMD_s_waitcnt ? 63
	       : counter == AMD_VMCNT         ? (imm & 15) | (imm >> 14 & 3) << 4
	       : counter == AMD_LGKMCNT       ? imm >> 8 & 63
					      : 63;
}

static int32_t with_value(const struct gcn_inst *i, enum amd_counter counter, uint32_t value)
{
	uint32_t imm = (uint32_t)i->in.field[AMD_F_IMM];

	if (counter == AMD_VSCNT)
		return (int32_t)value;
	return (int32_t)(counter == AMD_VMCNT ? (imm & ~0xc00fu) | (value & 15) | value >> 4 << 14
					      : (imm & ~0x3f00u) | value << 8);
}

/* Drops each counter of each wait, or lets it leave one more operation outstanding. */
static void check_waits(const char *name, const char *text, enum ir_kind kind, bool drop)
{
	uint32_t changed = 0, found = 0;
	struct bench b;

	compile_to_waits(&b, text, kind);
	ok(!is_found(&b, gcn_check_hazards),
	   "gfx1030, %s: hazard verifier accepts the waits as inserted", name);
	gcn_for_each_block(b.f, block)
		gcn_for_each(b.f, block, i)
			for (uint32_t c = 0; c < AMD_COUNTERS; c++) {
				int32_t *imm = &i->in.field[AMD_F_IMM], old = *imm;

				if (wait_value(i, c) == 63)
					continue;
				*imm = with_value(i, c, drop ? 63 : wait_value(i, c) + 1);
				changed++;
				if (is_found(&b, gcn_check_hazards))
					found++;
				else
					diag("not detected: %s", gcn_print_inst(b.f, i));
				*imm = old;
			}
	ok(changed && found == changed,
	   "gfx1030, %s: hazard verifier detects %u of %u %s wait counters", name, found, changed,
	   drop ? "dropped" : "weakened");
	arena_free(&b.job.arena);
}

/*
 * Selection waits for everything on both sides of a fence, so single waits are redundant there:
 * drops one counter of all waits.
 */
static void check_counter(enum amd_counter counter, const char *name)
{
	struct bench b;

	compile_to_waits(&b, sync_kernel, IR_KERNEL);
	ok(!is_found(&b, gcn_check_hazards),
	   "gfx1030: hazard verifier accepts a kernel with barrier, fence and atomic (%s)", name);
	gcn_for_each_block(b.f, block)
		gcn_for_each(b.f, block, i)
			if (wait_value(i, counter) != 63)
				i->in.field[AMD_F_IMM] = with_value(i, counter, 63);
	ok(is_found(&b, gcn_check_hazards),
	   "gfx1030: hazard verifier detects that a kernel never waits for %s", name);
	arena_free(&b.job.arena);
}

/* Removes the waits before one instruction; its message must name that instruction. */
static void check_wait_before(enum amd_op op, const char *message)
{
	struct text why = {0};
	struct bench b;

	compile_to_waits(&b, sync_kernel, IR_KERNEL);
	why.arena = &b.job.arena;
	gcn_for_each_block(b.f, block)
		gcn_for_each(b.f, block, i)
			while (i->in.row->op == op && i->prev && i->prev->in.row->flags & WAIT)
				gcn_remove(b.f, block, i->prev);
	ok(!gcn_check_hazards(b.f, &why) && strstr(why.s, message),
	   "gfx1030: hazard verifier says '%s' once the waits before it are removed", message);
	if (why.s)
		diag("%s", why.s);
	arena_free(&b.job.arena);
}

/*
 * Scalar loads return out of order, so a wait that leaves one of them outstanding completes none.
 * Inserts this wait before one instruction at a time; returns the number of instructions.
 */
static uint32_t check_partial_wait(const char *text, uint32_t at, uint32_t *accepted)
{
	struct text why = {0};
	uint32_t n = 0;
	struct bench b;

	compile_to_float_modes(&b, text, IR_KERNEL);
	why.arena = &b.job.arena;
	gcn_for_each_block(b.f, block)
		gcn_for_each(b.f, block, i) {
			struct gcn_inst *wait;

			if (n++ != at)
				continue;
			wait = gcn_inst_new(b.f, AMD_s_waitcnt, AMD_PLAIN);
			wait->in.field[AMD_F_IMM] = 0xc17f; /* lgkmcnt(1) only */
			gcn_insert(b.f, block, i, wait);
		}
	gcn_insert_waits(b.f);
	if (gcn_check_hazards(b.f, &why))
		++*accepted;
	else
		diag("lgkmcnt(1) before instruction %u: %s", at, why.s);
	arena_free(&b.job.arena);
	return n;
}

static void check_partial_waits(const char *name, const char *text)
{
	uint32_t at = 0, accepted = 0;

	while (at < check_partial_wait(text, at, &accepted))
		at++;
	ok(at > 10 && accepted == at + 1,
	   "gfx1030, %s: an lgkmcnt(1) before any of %u instructions replaces no wait for scalar "
	   "loads",
	   name, at);
}

int main(void)
{
	check_operands("divergent loop", loop_kernel, IR_KERNEL, false);
	check_operands("divergent loop with spilled SGPRs", spill_kernel(), IR_KERNEL, true);
	check_operands("kernel with calls", call_kernel, IR_KERNEL, false);
	check_operands("called function", call_kernel, IR_FUNCTION, false);
	check_lanes();
	check_swaps("divergent loop", loop_kernel);
	check_call_clobbers();
	for (int drop = 0; drop < 2; drop++) {
		check_waits("divergent loop", loop_kernel, IR_KERNEL, drop);
		check_waits("kernel with calls", call_kernel, IR_KERNEL, drop);
		check_waits("called function", call_kernel, IR_FUNCTION, drop);
	}
	check_partial_waits("divergent loop", loop_kernel);
	check_partial_waits("kernel with calls", call_kernel);
	check_counter(AMD_VMCNT, "vmcnt");
	check_counter(AMD_LGKMCNT, "lgkmcnt");
	check_counter(AMD_VSCNT, "vscnt");
	check_wait_before(AMD_s_barrier, "is a barrier with outstanding operations");
	check_wait_before(AMD_buffer_gl1_inv, "invalidates a cache with outstanding");
	return tap_done();
}
