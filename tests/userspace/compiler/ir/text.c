// SPDX-License-Identifier: MIT
/*
 * IR text: printing, parsing and printing a module again gives the same text, for every operation,
 * and every error in a text is reported with position and message.
 */
#include "tests/userspace/compiler/ir/_ir_test.h"

static char *round_trip(struct bench *b, const char *text, const char *name)
{
	struct ir_module *m = bench_parse(b, text);
	char *first, *second;

	if (!ok(m && ir_verify(m, &b->diag), "%s parses and verifies", name)) {
		diag("%s", b->diag.text);
		return NULL;
	}
	first = ir_text(m);
	m = bench_parse(b, first);
	if (!ok(m, "%s parses again after printing", name)) {
		diag("%s", b->diag.text);
		return NULL;
	}
	second = ir_text(m);
	is_str(second, first,
	       arena_printf(&b->arena, "%s prints the same after parsing its text", name));
	return first;
}

static void every_operation(struct bench *b, const char *text)
{
	struct ir_module *m = bench_module(b, text);
	bool seen[IR_OP_COUNT] = {false};
	uint32_t missing = 0;

	for (struct ir_func *f = m->funcs; f; f = f->next)
		for (ir_id i = 1; i < f->ninsts; i++)
			seen[f->insts[i].op] = true;
	for (uint32_t op = 0; op < IR_OP_COUNT; op++)
		if (!seen[op]) {
			diag("missing: %s", ir_ops[op].text);
			missing++;
		}
	ok(!missing, "text/operations.ir has every operation of ops.h");
}

static const struct {
	const char *text, *message;
} errors[] = {
	{"kernal k() {\n}\n", "ir: 1:1: expected 'kernel' or a variable's space, not 'kernal'\n"
			      "ir: 2:1: expected 'kernel' or a variable's space, not '}'\n"},
	{"kernel k() {\n", "ir: 1:8: kernel k has no closing brace\n"},
	{"kernel k(n: 4 at) {\ne:\n\tret\n}\n", "ir: 1:17: expected an offset in bytes, not ')'\n"},
	{"kernel k(n: 4294967296 at 0) {\ne:\n\tret\n}\n",
	 "ir: 1:13: a size in bytes is above 4294967295\n"},
	{"kernel k(n: 4 at 4294967295) {\ne:\n\tret\n}\n",
	 "ir: 1:28: parameter n ends above 0xffffffff\n"},
	{"kernel k(n: 4 at 0 align) {\ne:\n\tret\n}\n",
	 "ir: 1:25: expected an alignment, not ')'\n"},
	{"kernel k(n 4 at 0) {\ne:\n\tret\n}\n", "ir: 1:12: expected ':', not '4'\n"},
	{"kernel k() min_ctas {\ne:\n\tret\n}\n",
	 "ir: 1:21: expected a number of blocks, not '{'\n"},
	{"kernel k() max_threads 1 2 {\ne:\n\tret\n}\n",
	 "ir: 1:28: expected a number of threads, not '{'\n"},
	{"kernel k() {\ne: ret\n}\n", "ir: 2:4: expected the end of the line, not 'ret'\n"},
	{"kernel k() {\ne:\n\tret\n} ret\n", "ir: 4:3: expected the end of the line, not 'ret'\n"},
	{"kernel k() {\ne:\n\t\"\\01~\"\n\tret\n}\n", "ir: 3:2: expected an operation, not '?~'\n"},
	{"kernel k() {\ne:\n\tbr 5\n\tcbr f\nf:\n\tret\n}\n",
	 "ir: 3:5: expected a label, not '5'\n"
	 "ir: 4:2: 'cbr' follows the end of its block; add a label before it\n"},
	{"kernel k() {\ne:\n\t%c = const.b1 2\n\tcbr %c f, f\nf:\n\tret\n}\n",
	 "ir: 3:16: a constant of the type's width is above 1\n"
	 "ir: 4:9: expected ',', not 'f'\n"},
	{"kernel k() {\ne:\n\tcbr f, f, f\nf:\n\t%1 = phi.b32 [e %1]\n\tret\n}\n",
	 "ir: 3:6: expected a value (%name), not 'f'\n"
	 "ir: 5:18: expected ':', not '%1'\n"},
	{"kernel k() {\ne:\n\t%1 = load.b32 global as b7 [0]\n\t%2 = load.b32 global align [0]\n"
	 "\t%3 = load.b32 global [%1 + %2]\n\t%4 = load.b32 global [0\n\tret\n}\n",
	 "ir: 3:26: expected a type (b1, b8, b16, b32, b64), not 'b7'\n"
	 "ir: 4:29: expected an alignment, not '['\n"
	 "ir: 5:29: expected an offset, not '%2'\n"
	 "ir: 6:25: expected ']', not the end of the line\n"},
	{"kernel k() fast {\ne:\n\tret\n}\n",
	 "ir: 1:12: expected max_threads, required_threads, min_ctas, max_registers, "
	 "cluster, max_cluster, explicit_cluster or '{', "
	 "not 'fast'\n"},
	{"kernel k() {\n\tret\n}\n", "ir: 2:2: 'ret' precedes the first label\n"},
	{"kernel k() {\ne:\n\tret\n\tret\n}\n",
	 "ir: 4:2: 'ret' follows the end of its block; add a label before it\n"},
	{"kernel k() {\ne:\n\t%1 = frob.b32 %2\n\tret\n}\n", "ir: 3:7: unknown operation 'frob'\n"},
	{"kernel k() {\ne:\n\t%1 = frob.b32 %2\n\t%3 = add.b32 %1, %4\n\tbarge\n\tret\n}\n",
	 "ir: 3:7: unknown operation 'frob'\n"
	 "ir: 5:2: unknown operation 'barge'\n"
	 "ir: 4:19: value '%4' is used but not defined\n"},
	{"kernel k() {\ne:\n\t%1 = fadd.b8 %1, %1\n\tret\n}\n",
	 "ir: 3:7: 'fadd' has no type 'b8'; known: .b16 .b32 .b64\n"},
	{"kernel k() {\ne:\n\t%1 = add %1, %1\n\tret\n}\n",
	 "ir: 3:7: 'add' has no type 'void'; known: .b8 .b16 .b32 .b64\n"},
	{"kernel k() {\ne:\n\tret.b32\n}\n", "ir: 3:2: 'ret' has no type 'b32'; known: none\n"},
	{"kernel k() {\ne:\n\t%1, %2 = const.b32 0\n\tret\n}\n",
	 "ir: 3:11: 'const' has 1 results, not 2\n"},
	{"kernel k() {\ne:\n\t%1, %2, %3, %4, %5 = load.b32 global [0]\n\tret\n}\n",
	 "ir: 3:23: 'load' has 1 to 4 results, not 5\n"},
	{"function f(b7) {\ne:\n\tret\n}\n",
	 "ir: 1:12: expected a type (b1, b8, b16, b32, b64), not 'b7'\n"},
	{"function f() {\ne:\n\tret\n}\nfunction f() {\ne:\n\tret\n}\n",
	 "ir: 5:10: @f is defined twice\n"},
	{"kernel k() {\ne:\n\tcall @f\n\tret\n}\n", "ir: 3:8: no function @f in the module\n"},
	{"external function f() -> (b32)\nkernel k() {\ne:\n\tcall @f\n\tret\n}\n",
	 "ir: 4:8: @f has 1 results, not 0\n"},
	{"address @a + 0 = variable @a + 0 bytes 8 shift 0\n",
	 "ir: 1:10: no variable @a before this line\n"},
	{"global @a align 8 size 8 = 00 00 00 00 00 00 00 00\n"
	 "address @a + 0 = function @f + 0 bytes 8 shift 0\n",
	 "ir: 2:28: no function @f in the module\n"},
	{"kernel k() {\ne:\n\t%1 = const.b8 256\n\tret\n}\n",
	 "ir: 3:16: a constant of the type's width is above 255\n"},
	{"kernel k() {\ne:\n\t%1 = const.b8 -129\n\tret\n}\n",
	 "ir: 3:17: a constant of the type's width is above 128\n"},
	{"kernel k() {\ne:\n\t%1 = const.b64 0x10000000000000000\n\tret\n}\n",
	 "ir: 3:17: number above 0xffffffffffffffff\n"},
	{"kernel k() {\ne:\n\t%1 = const.b32 12ab\n\tret\n}\n",
	 "ir: 3:17: invalid digit in a number; write 12 or 0x0c\n"},
	{"kernel k() {\ne:\n\t%1 = icmp.b32 %1, %1\n\tret\n}\n",
	 "ir: 3:16: 'icmp' needs one of its words; known: eq ne lt.s le.s gt.s ge.s lt.u le.u "
	 "gt.u ge.u\n"},
	{"kernel k() {\ne:\n\t%1 = vote.b1 most %1, %1\n\tret\n}\n",
	 "ir: 3:15: unknown word 'most' on 'vote'; known: all any uni ballot\n"},
	{"kernel k() {\ne:\n\t%1 = fadd.b32 rz rm %1, %1\n\tret\n}\n",
	 "ir: 3:19: 'rm' sets an attribute that an earlier word has set\n"},
	{"kernel k() {\ne:\n\t%1 = zext.b32 %1\n\tret\n}\n",
	 "ir: 3:16: expected 'from' and a type, not '%1'\n"},
	{"kernel k() {\ne:\n\t%1 = load.b32 global %1\n\tret\n}\n",
	 "ir: 3:23: expected '[', not '%1'\n"},
	{"kernel k() {\ne:\n\t%1 = addr.b64 @x\n\tret\n}\n",
	 "ir: 3:17: no variable @x before this line\n"},
	{"kernel k() {\ne:\n\t%1 = read.b32 r1\n\t%2 = read.b64 r1\n\tret\n}\n",
	 "ir: 4:16: register r1 is b32, not b64\n"},
	{"kernel k() {\ne:\n\t%1 = const.b32 0\n\t%1 = const.b32 1\n\tret\n}\n",
	 "ir: 4:2: '%1' is defined twice\n"},
	{"kernel k() {\ne:\n\tret\ne:\n\tret\n}\n", "ir: 4:1: 'e' is defined twice\n"},
	{"kernel k() {\ne:\n\tbr f\n}\n", "ir: 3:5: label 'f' is used but not defined\n"},
	{"kernel k() {\ne:\n\tbr f, e\nf:\n\tret\n}\n",
	 "ir: 3:6: expected the end of the line, not ','\n"},
	{"kernel k() {\ne:\n\tbr f\nf:\n\t%1 = phi.b32 [g: %1]\n\tbr g\ng:\n\tret\n}\n",
	 "ir: 5:7: phi has no argument for the predecessor e\n"},
	{"kernel k() {\ne:\n\tbr f\nf:\n\t%1 = phi.b32\n\tret\n}\n",
	 "ir: 5:7: phi has 0 arguments, but its block has 1 predecessors\n"},
	{"shared @a align 4 size 4\nshared @a align 4 size 4\n", "ir: 2:9: @a is defined twice\n"},
	{"shared @\"\" align 4 size 4\n", "ir: 1:9: expected a variable's name, not ''\n"},
	{"global @a align 4 size 4 = 00 01 02\n",
	 "ir: 1:9: @a has a size of 4 bytes, but 3 are given\n"},
	{"global @a align 4 size 1 = xy\n",
	 "ir: 1:28: bytes of a variable are two hexadecimal digits each\n"},
	{"global @\"a\n", "ir: 1:9: name without its closing quote\n"
			  "ir: 1:11: expected 'align', not the end of the line\n"},
	{"global @\"\\00\" align 4 size 1\n",
	 "ir: 1:9: name with a bad escape; write \\xx, two hexadecimal digits that are not 00\n"},
	{"kernel k() {\ne:\n\t\x01\n\tret\n}\n",
	 "ir: 3:2: expected an operation, not the byte 0x01\n"},
};

static void check_errors(struct bench *b)
{
	for (size_t k = 0; k < sizeof(errors) / sizeof(errors[0]); k++) {
		struct ir_module *m = bench_parse(b, errors[k].text);
		char name[120];

		snprintf(name, sizeof(name), "a syntax error has its message: %.60s",
			 errors[k].message);
		name[strcspn(name, "\n")] = '\0';
		if (!ok(!m && !strcmp(b->diag.text, errors[k].message), "%s", name))
			diag("got: %s", b->diag.text);
	}
}

/* Every line of the file is an error; a hundred are listed and the rest is counted. */
static void check_flood(struct bench *b)
{
	struct text t = {.arena = &b->arena};

	for (int k = 0; k < 1000; k++)
		text_printf(&t, "?\n");
	bench_parse(b, t.s);
	ok(b->diag.errors == 1000, "1000 errors are counted");
	ok(strstr(b->diag.text, "ir: 100:1:") && !strstr(b->diag.text, "ir: 101:1:"),
	   "100 of 1000 errors are listed");
	ok(strstr(b->diag.text, "ir: more than 100 errors; the rest is not listed\n"),
	   "a last line says that further errors are not listed");
}

/* The order of a block's predecessors depends on construction and must not affect the text. */
static void check_phi_order(struct bench *b)
{
	struct ir_module *m = ir_module_new(&b->arena);
	struct ir_func *f = ir_func_new(m, "k");
	ir_block e = ir_block_new(f, "entry"), x = ir_block_new(f, "x"), y = ir_block_new(f, NULL);
	ir_val one = ir_const(f, e, IR_B32, 1), two = ir_const(f, e, IR_B32, 2);
	ir_val c = ir_const(f, e, IR_B1, 1);
	ir_val both[2] = {two, one};

	ir_edge(f, x, y);
	ir_edge(f, e, x);
	ir_edge(f, e, y); /* y's predecessors: x, entry */
	ir_append(f, e, ir_inst_new(f, IR_CBR, IR_VOID, &c, 1, 0));
	ir_append(f, x, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
	ir_append(f, y, ir_inst_new(f, IR_PHI, IR_B32, both, 2, 1));
	ir_append(f, y, ir_inst_new(f, IR_RET, IR_VOID, NULL, 0, 0));
	ok(strstr(ir_text(m), "%4 = phi.b32 [entry: %1], [x: %2]\n"),
	   "a phi prints its arguments in layout order of the predecessors");
	round_trip(b, ir_text(m), "a phi whose predecessors are in another order");
}

int main(void)
{
	static const char *const files[] = {"operations", "reduce",     "saxpy",
					    "registers",  "directions", "clusters"};
	struct bench b;
	char *text, *printed, path[100];

	bench_init(&b);
	for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
		snprintf(path, sizeof(path), "tests/userspace/compiler/ir/text/%s.ir", files[k]);
		text = bench_file(&b, path);
		printed = round_trip(&b, text, path);
		if (!k) {
			ok(printed && !strcmp(printed, strchr(text, '\n') + 1),
			   "text/operations.ir prints as written, except for the comment");
			every_operation(&b, text);
		}
	}
	round_trip(&b, "", "an empty text");
	printed = round_trip(&b,
			     "kernel k() max_threads 64 0 0 {\nb7:\n\t%1 = const.b64 0xAaFf\n\t%2 "
			     "= const.b16 -1\n"
			     "\tbr end\nend:\n\tret\n}\n",
			     "numbers in either case");
	ok(printed && strstr(printed, "b1:\n\t%1 = const.b64 0xaaff\n\t%2 = const.b16 0xffff\n"),
	   "numbers and unnamed labels print in canonical form");
	check_errors(&b);
	check_flood(&b);
	check_phi_order(&b);
	bench_free(&b);
	return tap_done();
}
