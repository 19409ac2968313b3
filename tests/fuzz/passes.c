// SPDX-License-Identifier: MIT
/*
 * Arbitrary IR text through the common passes: a kernel that runs in the interpreter must run after
 * every pass and leave the same bytes in memory. It runs with one thread, because the text may have
 * data races.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/interp/interp.h"
#include "libsov/compiler/passes/pass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BASE  UINT64_C(0x4000000000)
#define BYTES 4096
#define STEPS 2000

static bool access_memory(void *user, uint64_t address, uint32_t bytes, bool write, void **host)
{
	(void)write;
	if (address < BASE || bytes > BYTES || address - BASE > BYTES - bytes)
		return false;
	*host = (uint8_t *)user + (address - BASE);
	return true;
}

/* Parameters of 8 bytes are addresses, smaller ones small numbers. */
static bool execute(const struct ir_func *f, uint64_t steps, uint8_t memory[BYTES], char *message,
		    size_t size)
{
	uint8_t params[1024] = {0};
	struct interp_launch l = {.kernel = f,
				  .grid = {1, 1, 1},
				  .block = {1, 1, 1},
				  .params = params,
				  .param_bytes = f->param_bytes,
				  .warp_lanes = 32,
				  .step_limit = steps,
				  .memory = access_memory,
				  .user = memory};

	if (f->param_bytes > sizeof(params))
		return false;
	for (uint32_t k = 0; k < f->nparams; k++) {
		uint64_t value = f->params[k].size == 8 ? BASE + 512 : 3 + k;

		memcpy(params + f->params[k].offset, &value,
		       f->params[k].size < 8 ? f->params[k].size : 8);
	}
	for (uint32_t k = 0; k < BYTES; k++)
		memory[k] = (uint8_t)(k * 7);
	return interp_run(&l, message, size);
}

/*
 * Clears the flags that allow different results: contraction, and invariant loads, whose promise
 * that nothing writes the memory the text may break.
 */
static void clear_relaxations(struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			ir_at(f, i)->flags &= ~(IR_CONTRACT | IR_INVARIANT);
}

static void check_passes(struct ir_module *m, struct ir_func *f, struct diag *d)
{
	static uint8_t want[BYTES], got[BYTES];
	char message[256] = "";
	bool runs;

	clear_relaxations(f);
	runs = execute(f, STEPS, want, message, sizeof(message));
	for (const struct pass *p = passes; p->name; p++) {
		p->run(f, target_find("dummy"));
		if (ir_verify(m, d) &&
		    (!runs || (execute(f, 4 * STEPS, got, message, sizeof(message)) &&
			       !memcmp(want, got, BYTES))))
			continue;
		fprintf(stderr, "fuzz: after %s: %s%s\n%s", p->name, d->text, message, ir_text(m));
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct diag d;
	struct ir_module *m;
	jmp_buf no_memory;

	arena_init(&a, (size_t)256 << 20, &no_memory);
	if (!setjmp(no_memory)) {
		diag_init(&d, &a, "ir");
		m = ir_parse(&a, (const char *)data, size, &d);
		if (m && ir_verify(m, &d))
			for (struct ir_func *f = m->funcs; f; f = f->next)
				check_passes(m, f, &d);
	}
	arena_free(&a);
	return 0;
}
