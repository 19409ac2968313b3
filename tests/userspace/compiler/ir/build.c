// SPDX-License-Identifier: MIT
/*
 * Building the IR: the arena and its limit, name maps, and changes of blocks and edges.
 */
#include "libsov/compiler/base/name_map.h"
#include "tests/userspace/compiler/ir/_ir_test.h"

static void check_arena(void)
{
	struct arena a;
	jmp_buf no_memory;
	uint32_t capacity = 0, *list = NULL;
	bool clean = true;

	arena_init(&a, 1 << 20, &no_memory);
	for (int k = 1; k < 2000; k++) {
		uint8_t *p = arena_alloc(&a, (size_t)k % 97);

		clean &= (uintptr_t)p % 16 == 0;
		for (int j = 0; j < k % 97; j++)
			clean &= p[j] == 0;
		memset(p, 0xff, (size_t)k % 97);
	}
	ok(clean, "arena allocations are zeroed and aligned");
	for (uint32_t n = 0; n < 1000; n++) {
		list = arena_grow(&a, list, &capacity, n + 1, sizeof(*list));
		list[n] = n;
	}
	ok(list[0] == 0 && list[999] == 999 && capacity >= 1000,
	   "arena_grow keeps an array's content");
	ok(!strcmp(arena_printf(&a, "%s-%d", "x", 7), "x-7"),
	   "arena_printf formats text into the arena");
	arena_free(&a);
	ok(!a.chunk && !a.total, "arena_free frees everything");
	if (!setjmp(no_memory)) {
		for (;;)
			arena_alloc(&a, 1000);
	}
	ok(a.total > (1 << 19) && a.total <= 1 << 20, "an arena at its limit jumps to no_memory");
	if (!setjmp(no_memory)) {
		arena_array(&a, SIZE_MAX / 2, 4);
		ok(false, "an array size that overflows counts as out of memory");
	} else {
		ok(true, "an array size that overflows counts as out of memory");
	}
	arena_free(&a);
}

/* In chunks of all sizes; returns whether the memory is zero, and fills it. */
static bool fill_arena(struct arena *a)
{
	bool clean = true;

	for (size_t bytes = 1000; bytes < 200000; bytes *= 2) {
		uint8_t *p = arena_alloc(a, bytes);

		for (size_t k = 0; k < bytes; k++)
			clean &= !p[k];
		memset(p, 0xff, bytes);
	}
	return clean;
}

static void check_recycling(void)
{
	struct arena first, second;
	size_t total;

	arena_init(&first, 0, NULL);
	arena_init(&second, 1 << 20, NULL);
	fill_arena(&first);
	total = first.total;
	arena_recycle(&second, &first);
	ok(!first.chunk && !first.spare && second.total == total,
	   "arena_recycle moves the memory of an arena to another one");
	ok(fill_arena(&second) && second.total == total,
	   "recycled memory is zero and suffices for the same allocations");
	arena_init(&first, 1000, NULL);
	arena_recycle(&first, &second);
	ok(!first.spare && !first.total && !second.spare,
	   "an arena does not take over more memory than its limit");
	arena_free(&first);
}

static void check_names(void)
{
	struct arena a;
	struct name_map n = {.arena = &a};
	char text[500][8];
	bool good = true;

	arena_init(&a, 0, NULL);
	for (uint32_t k = 0; k < 500; k++) {
		snprintf(text[k], sizeof(text[k]), "n%u", k);
		*name_map_get(&n, text[k], (uint32_t)strlen(text[k])) = k + 1;
	}
	for (uint32_t k = 0; k < 500; k++)
		good &= *name_map_get(&n, text[k], (uint32_t)strlen(text[k])) == k + 1;
	ok(good && n.count == 500, "a name map keeps 500 names");
	ok(!*name_map_get(&n, "n1", 1), "a name map distinguishes a name from its prefix");
	arena_free(&a);
}

/* Each change to this graph must leave a module that verifies and prints the expected text. */
static const char *const before =
	"kernel k() {\n"
	"entry:\n\t%1 = const.b1 0x1\n\t%2 = const.b32 0x5\n\tcbr %1, left, right\n"
	"left:\n\tbr join\n"
	"right:\n\tbr join\n"
	"join:\n\t%3 = phi.b32 [left: %2], [right: %2]\n\tret\n}\n";

static void check_result(struct bench *b, struct ir_func *f, const char *want, const char *name)
{
	if (!ok(ir_verify(f->module, &b->diag), "%s: the function verifies", name))
		diag("%s", b->diag.text);
	is_str(ir_text(f->module), want, name);
}

static void make_branch(struct ir_func *f, ir_block b)
{
	ir_remove(f, f->blocks[b].last);
	ir_append(f, b, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
}

static void check_changes(struct bench *b)
{
	struct ir_func *f = bench_module(b, before)->funcs;
	ir_block entry = bench_block(f, "entry"), left = bench_block(f, "left");
	ir_block join = bench_block(f, "join"), made;
	ir_id i;

	ir_block_remove(f, left);
	make_branch(f, entry);
	check_result(b, f,
		     "kernel k() {\n"
		     "entry:\n\t%1 = const.b1 0x1\n\t%2 = const.b32 0x5\n\tbr right\n"
		     "right:\n\tbr join\n"
		     "join:\n\t%3 = phi.b32 [right: %2]\n\tret\n}\n",
		     "removing a block removes its edges and their phi arguments");

	f = bench_module(b, before)->funcs;
	made = ir_block_new_before(f, join, "middle");
	ir_append(f, made, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
	ir_edge_redirect(f, left, join, made);
	ir_edge(f, made, join);
	ir_arg_append(f, f->blocks[join].first, ir_def(f, 2)->res);
	check_result(b, f,
		     "kernel k() {\n"
		     "entry:\n\t%1 = const.b1 0x1\n\t%2 = const.b32 0x5\n\tcbr %1, left, right\n"
		     "left:\n\tbr middle\n"
		     "right:\n\tbr join\n"
		     "middle:\n\tbr join\n"
		     "join:\n\t%3 = phi.b32 [right: %2], [middle: %2]\n\tret\n}\n",
		     "an edge is redirected through a new block");

	f = bench_module(b, before)->funcs;
	i = ir_inst_new(f, IR_CONST, IR_B32, NULL, 0, 1);
	ir_insert_before(f, f->blocks[entry].first, i);
	ir_replace_uses(f, 2, ir_at(f, i)->res);
	ir_remove(f, f->values[2].def);
	check_result(b, f,
		     "kernel k() {\n"
		     "entry:\n\t%1 = const.b32 0x0\n\t%2 = const.b1 0x1\n\tcbr %2, left, right\n"
		     "left:\n\tbr join\n"
		     "right:\n\tbr join\n"
		     "join:\n\t%3 = phi.b32 [left: %1], [right: %1]\n\tret\n}\n",
		     "an instruction replaces another in all uses");

	f = bench_module(b, before)->funcs;
	ir_edge_redirect(f, entry, bench_block(f, "right"), left);
	ir_block_remove(f, bench_block(f, "right"));
	check_result(b, f,
		     "kernel k() {\n"
		     "entry:\n\t%1 = const.b1 0x1\n\t%2 = const.b32 0x5\n\tcbr %1, left, left\n"
		     "left:\n\tbr join\n"
		     "join:\n\t%3 = phi.b32 [left: %2]\n\tret\n}\n",
		     "a branch may have both edges to one block");

	f = bench_module(b, before)->funcs;
	ir_block_remove(f, bench_block(f, "right"));
	make_branch(f, entry);
	ir_remove(f, f->blocks[join].first);
	ir_block_join(f, entry);
	check_result(b, f,
		     "kernel k() {\n"
		     "entry:\n\t%1 = const.b1 0x1\n\t%2 = const.b32 0x5\n\tbr join\n"
		     "join:\n\tret\n}\n",
		     "a block is merged with its only successor");
	ok(ir_def(f, ir_const(f, left, IR_B8, 0x1ff))->imm == 0xff,
	   "a constant is truncated to its type");
}

int main(void)
{
	struct bench b;

	bench_init(&b);
	check_arena();
	check_recycling();
	check_names();
	check_changes(&b);
	bench_free(&b);
	return tap_done();
}
