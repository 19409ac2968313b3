// SPDX-License-Identifier: MIT
/*
 * Executes threads one instruction at a time. eval.c computes results; this file keeps program
 * counters, registers and undefined values. A result with an undefined argument is undefined.
 */
#include <stdio.h>
#include <string.h>
#include "libsov/compiler/ir/eval.h"
#include "libsov/compiler/interp/interp_state.h"

#define SLICE 1000 /* instructions before a switch of threads: one may spin for another */

bool interp_fail(struct interp *ip, const struct interp_thread *t, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!t)
		snprintf(ip->message, ip->message_size, "kernel %s: %s", ip->f->name, text);
	else
		snprintf(ip->message, ip->message_size,
			 "%s %s, block (%u,%u,%u), thread (%u,%u,%u), '%s': %s",
			 t->f->kind == IR_KERNEL ? "kernel" : "function", t->f->name,
			 ip->block->ctaid[0], ip->block->ctaid[1], ip->block->ctaid[2], t->tid[0],
			 t->tid[1], t->tid[2], ir_text_inst(t->f, t->at), text);
	return false;
}

/* ---- values ---- */

static uint64_t special_register(const struct interp *ip, const struct interp_thread *t,
				 enum ir_sreg s)
{
	uint32_t lane = t->index % ip->launch->warp_lanes;
	uint32_t eq = 1u << lane, lt = eq - 1;

	switch (s) {
	case IR_TID_X:
	case IR_TID_Y:
	case IR_TID_Z:
		return t->tid[s - IR_TID_X];
	case IR_NTID_X:
	case IR_NTID_Y:
	case IR_NTID_Z:
		return ip->launch->block[s - IR_NTID_X];
	case IR_CTAID_X:
	case IR_CTAID_Y:
	case IR_CTAID_Z:
		return ip->block->ctaid[s - IR_CTAID_X];
	case IR_NCTAID_X:
	case IR_NCTAID_Y:
	case IR_NCTAID_Z:
		return ip->launch->grid[s - IR_NCTAID_X];
	case IR_LANEMASK_EQ:
		return eq;
	case IR_LANEMASK_LT:
		return lt;
	case IR_LANEMASK_LE:
		return lt | eq;
	case IR_LANEMASK_GT:
		return ~(lt | eq);
	case IR_LANEMASK_GE:
		return ~lt;
	case IR_WARPID:
		return t->index / ip->launch->warp_lanes;
	case IR_NWARPID: /* the warps of the largest block */
		return INTERP_MAX_THREADS / ip->launch->warp_lanes;
	case IR_NSMID:
		return 1;
	case IR_SMID:
	case IR_GRIDID:
		return 0;
	case IR_TOTAL_SMEM:
		return ip->total_shared;
	case IR_RESERVED_SMEM:
	case IR_RESERVED_SMEM_1:
		return ip->reserved_shared;
	case IR_RESERVED_SMEM_END:
	case IR_RESERVED_SMEM_CAP:
		return ip->space_bytes[IR_SHARED];
	case IR_DYNAMIC_SMEM:
		return ip->launch->dynamic_shared;
	case IR_LANEID:
		return lane;
	case IR_CLUSTER_CTARANK:
		return (uint64_t)(ip->block - ip->blocks);
	case IR_CLUSTER_NCTARANK:
		return ip->nblocks;
	case IR_CLUSTER_LAUNCH:
		return ip->cluster_launch;
	case IR_CLUSTER_NCTAID_X:
	case IR_CLUSTER_NCTAID_Y:
	case IR_CLUSTER_NCTAID_Z:
		return ip->cluster[s - IR_CLUSTER_NCTAID_X];
	case IR_NCLUSTERID_X:
	case IR_NCLUSTERID_Y:
	case IR_NCLUSTERID_Z:
		return ip->launch->grid[s - IR_NCLUSTERID_X] / ip->cluster[s - IR_NCLUSTERID_X];
	default: /* environment registers */
		return 0;
	}
}

static void set_result(struct interp_thread *t, const struct ir_inst *in, uint64_t bits)
{
	uint32_t width = ir_type_bits(in->type);

	t->values[in->res].bits = bits & UINT64_MAX >> (64 - width);
	t->values[in->res].defined = true;
}

static void evaluate(struct interp_thread *t, const struct ir_inst *in)
{
	uint64_t args[3] = {0}, results[2];
	bool defined = true;

	if (in->op == IR_SELECT && t->values[in->args[0]].defined) {
		/* The argument that is not selected may be undefined. */
		t->values[in->res] = t->values[in->args[t->values[in->args[0]].bits ? 1 : 2]];
		return;
	}
	for (uint32_t k = 0; k < in->nargs; k++) {
		args[k] = t->values[in->args[k]].bits;
		defined &= t->values[in->args[k]].defined;
	}
	if (defined)
		ir_eval(in, args, results);
	for (uint32_t k = 0; k < in->nres; k++)
		t->values[in->res + k] =
			(struct interp_value){.bits = defined ? results[k] : 0, .defined = defined};
}

/* ---- control flow ---- */

/* The predecessor index of edge k of `from`; a branch may have two edges to one block. */
static uint32_t predecessor_index(const struct ir_func *f, ir_block from, uint32_t k)
{
	ir_block to = f->blocks[from].succ[k];
	uint32_t earlier = k && f->blocks[from].succ[0] == to, p = 0;

	while (f->blocks[to].preds[p] != from || earlier) {
		earlier -= f->blocks[to].preds[p] == from;
		p++;
	}
	return p;
}

/* Follows edge k of the current block. Phis read all of their arguments before any is written,
 * since one may be the argument of another. */
static void follow_edge(struct interp *ip, struct interp_thread *t, uint32_t k)
{
	const struct ir_func *f = t->f;
	ir_block from = ir_at(f, t->at)->block, to = f->blocks[from].succ[k];
	uint32_t p = predecessor_index(f, from, k), n = 0;
	ir_id i;

	for (i = f->blocks[to].first; ir_at(f, i)->op == IR_PHI; i = ir_at(f, i)->next)
		ip->phis[n++] = t->values[ir_at(f, i)->args[p]];
	t->at = i;
	n = 0;
	for (i = f->blocks[to].first; i != t->at; i = ir_at(f, i)->next)
		t->values[ir_at(f, i)->res] = ip->phis[n++];
}

static bool execute_branch(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	const struct interp_value *condition = in->nargs ? &t->values[in->args[0]] : NULL;

	if (in->op == IR_TRAP)
		return interp_fail(ip, t, "the kernel executed a trap");
	if (in->op == IR_EXIT)
		interp_exit(ip, t);
	if (in->op == IR_RET)
		interp_return(ip, t, in);
	if (in->op == IR_EXIT || in->op == IR_RET)
		return true;
	if (condition && !condition->defined)
		return interp_fail(ip, t, "branches on an undefined value");
	follow_edge(ip, t, condition && !condition->bits ? 1 : 0);
	return true;
}

static bool convert_address(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	struct interp_value *v = &t->values[in->res];

	if (in->type != IR_B64)
		return interp_fail(ip, t, "generic addresses have 64 bits here");
	*v = t->values[in->args[0]];
	v->bits = in->op == IR_GENERIC ? interp_to_generic(in->space, v->bits)
				       : interp_from_generic(in->space, v->bits);
	return true;
}

/* The address of a symbol in its space; of a local variable, in this thread's frame. */
static uint64_t symbol_address(const struct interp *ip, const struct interp_thread *t,
			       uint32_t symbol)
{
	bool local = ip->f->module->symbols[symbol].space == IR_LOCAL;

	return ip->symbol_address[symbol] + (local ? t->frame->local : 0);
}

static bool test_space(const struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	struct interp_value *v = &t->values[in->res];

	*v = t->values[in->args[0]];
	v->bits = interp_in_space(ip, in->space, v->bits);
	return true;
}

/* Executes one instruction and advances, except after a branch, which sets the program counter, and
 * after an operation that the thread waits at. */
static bool execute_instruction(struct interp *ip, struct interp_thread *t)
{
	const struct ir_inst *in = ir_at(t->f, t->at);
	bool good = true;

	if (ir_ops[in->op].properties & P_TERM)
		return execute_branch(ip, t, in);
	if (in->op == IR_CALL || in->op == IR_CALLPTR)
		return interp_call(ip, t, in);
	if (ir_ops[in->op].properties & P_CONV)
		return interp_arrive(ip, t, in);
	switch (in->op) {
	case IR_UNDEF:
		t->values[in->res].defined = false;
		break;
	case IR_SREG:
		set_result(t, in, special_register(ip, t, in->sub));
		break;
	case IR_ADDR:
		set_result(t, in, symbol_address(ip, t, in->symbol) + in->imm);
		break;
	case IR_FUNCADDR:
		set_result(t, in, interp_function_address(ip->f->module->table[in->symbol]));
		break;
	case IR_CLOCK:
		set_result(t, in, ip->steps);
		break;
	case IR_READ:
		t->values[in->res] = t->frame->regs[in->symbol];
		break;
	case IR_WRITE:
		t->frame->regs[in->symbol] = t->values[in->args[0]];
		break;
	case IR_INSPACE:
		good = test_space(ip, t, in);
		break;
	case IR_TOSPACE:
	case IR_GENERIC:
		good = convert_address(ip, t, in);
		break;
	case IR_LOAD:
	case IR_STORE:
	case IR_ATOM:
	case IR_CAS:
		good = interp_access(ip, t, in);
		break;
	case IR_COPYASYNC:
		good = interp_copy(ip, t, in);
		break;
	case IR_COPYCOMMIT:
		t->groups++;
		break;
	case IR_COPYWAIT:
		interp_complete_copies(ip, t, in->imm);
		break;
	case IR_MBARRIER_INIT:
	case IR_MBARRIER_INVAL:
	case IR_MBARRIER_ARRIVE:
	case IR_MBARRIER_TEST:
	case IR_MBARRIER_REMOTE:
	case IR_COPYARRIVE:
		good = interp_mbarrier(ip, t, in);
		break;
	case IR_MBARRIER_PENDING:
		good = interp_pending(ip, t, in);
		break;
	case IR_SAMPLE:
	case IR_GATHER4:
	case IR_TEXQUERY:
	case IR_SURFLOAD:
	case IR_SURFSTORE:
	case IR_SURFREDUCE:
		good = interp_texture(ip, t, in);
		break;
	case IR_BULKCOPY:
	case IR_BULKREDUCE:
		good = interp_bulk_copy(ip, t, in);
		break;
	case IR_TENSORCOPY:
		good = interp_tensor_copy(ip, t, in);
		break;
	case IR_STOREASYNC:
	case IR_REDASYNC:
		good = interp_access_async(ip, t, in);
		break;
	case IR_MAPACQUIRE:
	case IR_MAPPREFETCH:
	case IR_MMA_GROUP_COMMIT:
	case IR_MMA_GROUP_WAIT: /* products are done at once */
	case IR_BULKCOMMIT:
	case IR_BULKWAIT: /* bulk copies have arrived at once */
	case IR_FENCEASYNC:
		break;
	case IR_ALLOCA:
	case IR_STACKSAVE:
	case IR_STACKRESTORE:
		good = interp_stack(ip, t, in);
		break;
	case IR_ARG:
		t->values[in->res] = t->frame->args[in->imm];
		break;
	case IR_TAKE_REGISTERS: /* there are always enough */
		set_result(t, in, 1);
		break;
	case IR_GIVE_REGISTERS:
	case IR_GRIDWAIT: /* there is one grid */
	case IR_FENCE:    /* the interpreter is sequentially consistent */
	case IR_SLEEP:
		break;
	default:
		evaluate(t, in);
	}
	t->at = good ? in->next : t->at; /* an error message names this instruction */
	return good;
}

static bool run_slice(struct interp *ip, struct interp_thread *t)
{
	for (uint32_t n = 0; n < SLICE && t->state == THREAD_READY; n++) {
		if (ip->steps++ >= ip->launch->step_limit)
			return interp_fail(ip, t, "the limit of %llu instructions is reached",
					   (unsigned long long)ip->launch->step_limit);
		if (!execute_instruction(ip, t))
			return false;
	}
	return true;
}

/* ---- blocks and launches ---- */

static void start_threads(struct interp *ip)
{
	const uint32_t *size = ip->launch->block;

	memset(ip->block->barriers, 0, sizeof(ip->block->barriers));
	interp_memory_reset(ip);
	ip->block->left = ip->nthreads;
	for (uint32_t n = 0; n < ip->nthreads; n++) {
		struct interp_thread *t = &ip->block->threads[n];

		t->state = THREAD_READY;
		t->arrived = 0;
		t->ncopies = 0;
		t->at_cluster = false;
		t->index = n;
		t->tid[0] = n % size[0];
		t->tid[1] = n / size[0] % size[1];
		t->tid[2] = n / size[0] / size[1];
		t->frame = NULL;
		interp_enter(ip, t, ip->f);
	}
}

/* Runs each thread of the block for a while. */
static bool run_block(struct interp *ip, bool *progress)
{
	for (uint32_t n = 0; n < ip->nthreads; n++) {
		struct interp_thread *t = &ip->block->threads[n];

		if (t->state != THREAD_READY)
			continue;
		if (!run_slice(ip, t))
			return false;
		ip->block->left -= t->state == THREAD_EXITED;
		*progress = true;
	}
	interp_release(ip, progress);
	return true;
}

/* The blocks of a cluster in the order of their ranks, from the first one's index on. */
static void start_cluster(struct interp *ip, const uint32_t first[3])
{
	const uint32_t *size = ip->cluster;

	ip->cluster_arrived = 0;
	for (uint32_t k = 0; k < ip->nblocks; k++) {
		ip->block = &ip->blocks[k];
		ip->block->ctaid[0] = first[0] + k % size[0];
		ip->block->ctaid[1] = first[1] + k / size[0] % size[1];
		ip->block->ctaid[2] = first[2] + k / size[0] / size[1];
		start_threads(ip);
	}
}

static bool run_cluster(struct interp *ip, const uint32_t first[3])
{
	bool progress = true, left = true;

	start_cluster(ip, first);
	while (left) {
		struct interp_block *waits = NULL;

		progress = left = false;
		for (uint32_t k = 0; k < ip->nblocks; k++) {
			ip->block = &ip->blocks[k];
			if (ip->block->left && !run_block(ip, &progress))
				return false;
			if (ip->block->left)
				waits = waits ? waits : ip->block;
			left |= ip->block->left;
		}
		if (!left || progress)
			continue;
		ip->block = waits;
		return interp_deadlock(ip);
	}
	return true;
}

static bool check_cluster(struct interp *ip)
{
	const uint32_t *stated = ip->launch->kernel->cluster, *given = ip->launch->cluster;
	uint64_t blocks = 1;

	ip->cluster_launch = stated[0] || given[0];
	for (int k = 0; k < 3; k++) {
		ip->cluster[k] = stated[0] ? stated[k] : given[0] ? given[k] : 1;
		if (stated[0] && given[0] && stated[k] != given[k])
			return interp_fail(ip, NULL,
					   "the cluster is %u in direction %d, but must be %u",
					   given[k], k, stated[k]);
		blocks = blocks > IR_MAX_CLUSTER ? blocks : blocks * ip->cluster[k];
		if (!ip->cluster[k] || ip->launch->grid[k] % ip->cluster[k])
			return interp_fail(ip, NULL,
					   "the grid is %u in direction %d, not a multiple of %u",
					   ip->launch->grid[k], k, ip->cluster[k]);
	}
	if (blocks > IR_MAX_CLUSTER)
		return interp_fail(ip, NULL, "more than %d blocks in a cluster", IR_MAX_CLUSTER);
	ip->nblocks = (uint32_t)blocks;
	return true;
}

static bool check_launch(struct interp *ip)
{
	const struct interp_launch *l = ip->launch;
	uint64_t threads = 1;

	for (int k = 0; k < 3; k++) {
		uint32_t required = l->kernel->required_threads[k];

		if (!l->grid[k] || !l->block[k])
			return interp_fail(ip, NULL,
					   "grid and block need at least 1 in every direction");
		if (required && required != l->block[k])
			return interp_fail(ip, NULL,
					   "the block is %u in direction %d, but must be %u",
					   l->block[k], k, required);
		threads = threads > INTERP_MAX_THREADS ? threads : threads * l->block[k];
	}
	if (threads > INTERP_MAX_THREADS)
		return interp_fail(ip, NULL, "more than %d threads in a block", INTERP_MAX_THREADS);
	if (!l->warp_lanes || l->warp_lanes > INTERP_MAX_LANES)
		return interp_fail(ip, NULL, "a warp of %u lanes, not 1 to %d", l->warp_lanes,
				   INTERP_MAX_LANES);
	if (l->param_bytes != l->kernel->param_bytes)
		return interp_fail(ip, NULL, "%u bytes of parameters given, not %u", l->param_bytes,
				   l->kernel->param_bytes);
	ip->nthreads = (uint32_t)threads;
	return check_cluster(ip);
}

static void allocate_block(struct interp *ip, struct interp_block *b)
{
	b->shared = arena_alloc(&ip->arena, ip->space_bytes[IR_SHARED]);
	b->shared_written = arena_alloc(&ip->arena, ip->space_bytes[IR_SHARED]);
	b->threads = arena_array(&ip->arena, ip->nthreads, sizeof(*b->threads));
	for (uint32_t n = 0; n < ip->nthreads; n++) {
		b->threads[n].local = arena_alloc(&ip->arena, ip->space_bytes[IR_LOCAL]);
		b->threads[n].local_written = arena_alloc(&ip->arena, ip->space_bytes[IR_LOCAL]);
	}
}

static bool allocate_state(struct interp *ip)
{
	const struct ir_module *m = ip->f->module;
	uint32_t max_insts = 0;

	if (!interp_memory_init(ip))
		return false;
	for (uint32_t k = 0; k < m->nfuncs; k++)
		max_insts = m->table[k]->ninsts > max_insts ? m->table[k]->ninsts : max_insts;
	ip->blocks = arena_array(&ip->arena, ip->nblocks, sizeof(*ip->blocks));
	ip->phis = arena_array(&ip->arena, max_insts, sizeof(*ip->phis));
	ip->free_frames = arena_array(&ip->arena, m->nfuncs, sizeof(*ip->free_frames));
	for (uint32_t k = 0; k < ip->nblocks; k++)
		allocate_block(ip, &ip->blocks[k]);
	return true;
}

static bool run_grid(struct interp *ip)
{
	const uint32_t *grid = ip->launch->grid;
	uint32_t at[3];

	if (!check_launch(ip) || !allocate_state(ip))
		return false;
	for (at[2] = 0; at[2] < grid[2]; at[2] += ip->cluster[2])
		for (at[1] = 0; at[1] < grid[1]; at[1] += ip->cluster[1])
			for (at[0] = 0; at[0] < grid[0]; at[0] += ip->cluster[0])
				if (!run_cluster(ip, at))
					return false;
	return true;
}

static bool run_catching_oom(struct interp *ip)
{
	jmp_buf no_memory;

	arena_init(&ip->arena, 0, &no_memory);
	if (setjmp(no_memory))
		return interp_fail(ip, NULL, "out of memory");
	return run_grid(ip);
}

bool interp_run(const struct interp_launch *l, char *message, size_t size)
{
	struct interp ip = {.launch = l, .f = l->kernel, .message = message, .message_size = size};
	bool good = run_catching_oom(&ip);

	arena_free(&ip.arena);
	return good;
}
