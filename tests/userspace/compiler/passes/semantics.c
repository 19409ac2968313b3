// SPDX-License-Identifier: MIT
/*
 * Passes preserve the semantics of a kernel: random kernels run on the IR interpreter before and
 * after every pass and must leave the same bytes in memory. Each kernel goes through the pipeline
 * and through a random sequence of passes, for two targets with different offset ranges.
 *
 *	semantics [FIRST [COUNT]]     kernel numbers; default 1 and 500, fewer with sanitizers
 */
#include "libsov/compiler/interp/interp.h"
#include "libsov/compiler/passes/pass.h"
#include "tests/tap.h"
#include "tests/userspace/compiler/passes/_random.h"

#define BUFFER   (RANDOM_THREADS * RANDOM_PART)
#define OUT_BASE UINT64_C(0x7f00000000)
#define IN_BASE  UINT64_C(0x7f80000000)

struct memory {
	uint8_t out[BUFFER], in[BUFFER];
};

static bool access_memory(void *user, uint64_t address, uint32_t bytes, bool write, void **host)
{
	struct memory *m = user;

	if (address >= OUT_BASE && address - OUT_BASE <= BUFFER - bytes)
		*host = m->out + (address - OUT_BASE);
	else if (!write && address >= IN_BASE && address - IN_BASE <= BUFFER - bytes)
		*host = m->in + (address - IN_BASE);
	else
		return false;
	return true;
}

static bool execute(const struct ir_module *m, uint64_t seed, struct memory *memory, char *message,
		    size_t size)
{
	struct random r = {.state = seed};
	uint64_t params[RANDOM_PARAMS] = {OUT_BASE, IN_BASE};
	struct interp_launch launch = {
		.kernel = m->funcs,
		.grid = {1, 1, 1},
		.block = {RANDOM_THREADS, 1, 1},
		.params = params,
		.param_bytes = sizeof(params),
		.warp_lanes = 32,
		.step_limit = 1000000,
		.memory = access_memory,
		.user = memory,
	};

	for (uint32_t k = 2; k < RANDOM_PARAMS; k++)
		params[k] = random_number(&r);
	memset(memory->out, 0xaa, sizeof(memory->out));
	for (uint32_t k = 0; k < BUFFER; k += 8) {
		uint64_t word = random_number(&r);

		memcpy(memory->in + k, &word, sizeof(word));
	}
	return interp_run(&launch, message, size);
}

#define MAX_STEPS 32

struct trial {
	struct arena arena;
	struct diag diag;
	uint64_t seed;
	const struct target *target;
	struct ir_module *m;
	const struct memory *want;
	const struct pass *steps[MAX_STEPS]; /* passes applied to m */
	uint32_t nsteps;
};

/* Prints m, and the kernel before the last step, generated again. */
static bool complain(struct trial *t, const char *what)
{
	struct ir_module *before = random_kernel(&t->arena, t->seed);

	diag("kernel %llu, target %s: %s", (unsigned long long)t->seed, t->target->name, what);
	for (uint32_t k = 0; k + 1 < t->nsteps; k++)
		t->steps[k]->run(before->funcs, t->target);
	printf("# before %s:\n%s# after it:\n%s", t->steps[t->nsteps - 1]->name, ir_text(before),
	       ir_text(t->m));
	return false;
}

static bool try_pass(struct trial *t, const struct pass *p)
{
	static struct memory got;
	char message[512];

	t->steps[t->nsteps++] = p;
	p->run(t->m->funcs, t->target);
	if (!ir_verify(t->m, &t->diag))
		return complain(t, t->diag.text);
	if (!execute(t->m, t->seed, &got, message, sizeof(message)))
		return complain(t, message);
	if (memcmp(got.out, t->want->out, sizeof(got.out)))
		return complain(t, "it stores different bytes");
	return true;
}

static bool try_pipeline(struct trial *t)
{
	bool good = true;

	t->nsteps = 0;
	for (const struct pass *p = passes; good && p->name; p++)
		good = try_pass(t, p);
	return good;
}

static bool try_random_sequence(struct trial *t)
{
	static const char *const names[] = {"fold",
					    "gvn",
					    "licm",
					    "address-folding",
					    "dce",
					    "full-unroll",
					    "scalar-replacement",
					    "unroll",
					    "loop-constants",
					    "narrow-phis",
					    "vectorise",
					    "store-forwarding",
					    "unread-stores",
					    "early-conditions"};
	struct random r = {.state = t->seed};
	bool good;

	t->nsteps = 0;
	good = try_pass(t, pass_find("ssa-construction"));
	for (uint32_t k = 0; good && k < 10; k++)
		good = try_pass(t, pass_find(names[random_below(&r, 13)]));
	return good;
}

/* After the pipeline the target can encode every offset. */
static bool offsets_encodable(struct trial *t)
{
	const struct ir_func *f = t->m->funcs;

	ir_for_each_block(f, b) {
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *p = ir_at(f, i);

			if (ir_address_arg(p) == 0 && ((int64_t)p->imm < t->target->offset_min ||
						       (int64_t)p->imm > t->target->offset_max))
				return complain(t, ir_text_inst(f, i));
		}
	}
	return true;
}

static bool try_kernel(uint64_t seed, const struct target *target)
{
	static struct memory want;
	struct trial t = {.seed = seed, .target = target, .want = &want};
	char message[512];
	bool good;

	arena_init(&t.arena, 0, NULL);
	diag_init(&t.diag, &t.arena, "semantics");
	t.m = random_kernel(&t.arena, seed);
	good = ir_verify(t.m, &t.diag);
	if (!good)
		diag("kernel %llu does not verify: %s", (unsigned long long)seed, t.diag.text);
	if (good && !execute(t.m, seed, &want, message, sizeof(message))) {
		diag("kernel %llu does not run: %s", (unsigned long long)seed, message);
		ir_print(t.m, stdout);
		good = false;
	}
	good = good && try_pipeline(&t) && offsets_encodable(&t);
	t.m = random_kernel(&t.arena, seed);
	good = good && try_random_sequence(&t);
	arena_free(&t.arena);
	return good;
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : argc > 1 ? 1 : 500 / TAP_SLOWNESS;
	static const char *const targets[] = {"dummy", "sm_90"};

	for (uint32_t k = 0; k < 2; k++) {
		const struct target *t = target_find(targets[k]);
		uint64_t good = 0;

		for (uint64_t seed = first; seed < first + count && good == seed - first; seed++)
			good += try_kernel(seed, t);
		ok(good == count,
		   "%llu random kernels store the same bytes after every pass for %s",
		   (unsigned long long)count, t->name);
	}
	return tap_done();
}
