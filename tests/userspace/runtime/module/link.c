// SPDX-License-Identifier: MIT
/* sov_module_link: several PTX texts and objects in one module, and the errors of the linker. */
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"
#include "libsov/compiler/driver/compiler.h"

static sov_context c;

/* Variables of every space, functions with arguments in registers, on the stack and in a structure,
 * a result in memory, recursion and a table of functions. */
static const char library[] = PTX_HEADER
	".visible .global .align 4 .u32 counter = 5;\n"
	".visible .const .align 4 .b32 weights[3] = {2, 3, 4};\n"
	".visible .global .align 4 .b8 zeros[1000000];\n" /* larger than the file */
	".global .align 4 .u32 hidden = 1000;\n"          /* the program has another of this name */
	".extern .shared .align 4 .b8 dynamic[];\n"
	".func (.param .b32 r) twice(.param .b32 x) {\n"
	"	.reg .b32 %r<3>;\n"
	"	ld.param.b32 %r1, [x];\n"
	"	ld.global.u32 %r2, [hidden];\n"
	"	mad.lo.u32 %r1, %r1, 2, %r2;\n"
	"	st.param.b32 [r], %r1;\n"
	"	ret;\n}\n"
	".visible .func (.param .b32 r) weigh(.param .b32 x, .param .b64 y, .param .b32 z) {\n"
	"	.reg .b32 %r<8>;\n	.reg .b64 %d<2>;\n"
	"	ld.param.b32 %r1, [x];\n"
	"	ld.param.b64 %d1, [y];\n"
	"	ld.param.b32 %r2, [z];\n"
	"	cvt.u32.u64 %r3, %d1;\n"
	"	ld.const.b32 %r4, [weights];\n"
	"	ld.const.b32 %r5, [weights+4];\n"
	"	ld.const.b32 %r6, [weights+8];\n"
	"	mul.lo.u32 %r7, %r1, %r4;\n"
	"	mad.lo.u32 %r7, %r3, %r5, %r7;\n"
	"	mad.lo.u32 %r7, %r2, %r6, %r7;\n"
	"	.param .b32 a;\n	.param .b32 b;\n"
	"	st.param.b32 [a], %r7;\n"
	"	call (b), twice, (a);\n"
	"	ld.param.b32 %r7, [b];\n"
	"	st.param.b32 [r], %r7;\n"
	"	ret;\n}\n"
	".visible .func (.param .b32 r) factorial(.param .b32 n) {\n"
	"	.reg .b32 %r<5>;\n	.reg .pred %p<2>;\n"
	"	ld.param.b32 %r1, [n];\n"
	"	mov.b32 %r3, 1;\n"
	"	setp.lt.u32 %p1, %r1, 2;\n"
	"	@%p1 bra done;\n"
	"	sub.u32 %r2, %r1, 1;\n"
	"	{ .param .b32 a; .param .b32 b;\n"
	"	st.param.b32 [a], %r2;\n"
	"	call (b), factorial, (a);\n"
	"	ld.param.b32 %r3, [b]; }\n"
	"	mul.lo.u32 %r3, %r3, %r1;\n"
	"done:	st.param.b32 [r], %r3;\n"
	"	ret;\n}\n"
	".visible .func (.param .align 4 .b8 r[64]) spread(.param .align 4 .b8 s[60]) {\n"
	"	.reg .b32 %r<4>;\n"
	"	ld.param.b32 %r1, [s+4];\n"
	"	ld.param.b32 %r2, [s+56];\n"
	"	st.param.b32 [r], %r2;\n"
	"	st.param.b32 [r+60], %r1;\n"
	"	ret;\n}\n"
	".visible .func (.param .b32 r) neighbour(.param .b32 t) {\n"
	"	.reg .b32 %r<6>;\n"
	"	.shared .align 4 .b8 own[128];\n"
	"	ld.param.b32 %r1, [t];\n"
	"	mov.u32 %r2, own;\n	mov.u32 %r3, dynamic;\n"
	"	mad.lo.u32 %r4, %r1, 4, %r2;\n"
	"	st.shared.u32 [%r4], %r1;\n"
	"	bar.sync 0;\n"
	"	xor.b32 %r5, %r1, 1;\n"
	"	mad.lo.u32 %r4, %r5, 4, %r2;\n"
	"	ld.shared.u32 %r5, [%r4];\n"
	"	mad.lo.u32 %r4, %r1, 4, %r3;\n"
	"	ld.shared.u32 %r4, [%r4];\n"
	"	add.u32 %r5, %r5, %r4;\n"
	"	st.param.b32 [r], %r5;\n"
	"	ret;\n}\n"
	".visible .global .align 8 .u64 table[2] = {twice, factorial};\n";

static const char program[] = PTX_HEADER
	".extern .global .align 4 .u32 counter;\n"
	".extern .global .align 8 .u64 table[2];\n"
	".extern .shared .align 4 .b8 dynamic[];\n"
	".global .align 4 .u32 hidden = 7;\n"
	".extern .func (.param .b32 r) weigh(.param .b32 x, .param .b64 y, .param .b32 z);\n"
	".extern .func (.param .b32 r) factorial(.param .b32 n);\n"
	".extern .func (.param .align 4 .b8 r[64]) spread(.param .align 4 .b8 s[60]);\n"
	".extern .func (.param .b32 r) neighbour(.param .b32 t);\n"
	".visible .entry run(.param .u64 p) {\n"
	"	.reg .b32 %r<10>;\n	.reg .b64 %d<8>;\n"
	"	.shared .align 4 .b8 mine[64];\n"
	"	ld.param.u64 %d1, [p];\n"
	"	mov.u32 %r1, %tid.x;\n"
	"	mul.wide.u32 %d2, %r1, 32;\n"
	"	add.u64 %d2, %d1, %d2;\n"
	"	mov.u32 %r2, mine;\n	st.shared.u32 [%r2], 77;\n"
	"	mov.u32 %r2, dynamic;\n	mad.lo.u32 %r2, %r1, 4, %r2;\n"
	"	st.shared.u32 [%r2], 500;\n"
	"	cvt.u64.u32 %d3, %r1;\n"
	"	{ .param .b32 x; .param .b64 y; .param .b32 z; .param .b32 r;\n"
	"	st.param.b32 [x], %r1;\n	st.param.b64 [y], %d3;\n	st.param.b32 [z], "
	"10;\n"
	"	call (r), weigh, (x, y, z);\n"
	"	ld.param.b32 %r3, [r]; }\n"
	"	st.global.u32 [%d2], %r3;\n"
	"	{ .param .b32 n; .param .b32 r;\n"
	"	st.param.b32 [n], %r1;\n"
	"	call (r), factorial, (n);\n"
	"	ld.param.b32 %r3, [r]; }\n"
	"	st.global.u32 [%d2+4], %r3;\n"
	"	{ .param .align 4 .b8 s[60]; .param .align 4 .b8 r[64];\n"
	"	st.param.b32 [s+4], %r1;\n	st.param.b32 [s+56], 900;\n"
	"	call (r), spread, (s);\n"
	"	ld.param.b32 %r3, [r];\n	ld.param.b32 %r4, [r+60]; }\n"
	"	st.global.u32 [%d2+8], %r3;\n	st.global.u32 [%d2+12], %r4;\n"
	"	{ .param .b32 t; .param .b32 r;\n"
	"	st.param.b32 [t], %r1;\n"
	"	call (r), neighbour, (t);\n"
	"	ld.param.b32 %r3, [r]; }\n"
	"	st.global.u32 [%d2+16], %r3;\n"
	"	ld.global.u64 %d4, [table];\n"
	"proto:	.callprototype (.param .b32 _) _ (.param .b32 _);\n"
	"	{ .param .b32 n; .param .b32 r;\n"
	"	st.param.b32 [n], %r1;\n"
	"	call (r), %d4, (n), proto;\n"
	"	ld.param.b32 %r3, [r]; }\n"
	"	st.global.u32 [%d2+20], %r3;\n"
	"	ld.global.u32 %r3, [counter];\n	ld.global.u32 %r4, [hidden];\n"
	"	add.u32 %r3, %r3, %r4;\n"
	"	st.global.u32 [%d2+24], %r3;\n"
	"	mov.u32 %r2, mine;\n	ld.shared.u32 %r3, [%r2];\n"
	"	st.global.u32 [%d2+28], %r3;\n"
	"	ret;\n}\n";

enum { THREADS = 8, WORDS = 8 };

static sov_result link_two(const void *a, size_t a_bytes, const void *b, size_t b_bytes,
			   uint32_t flags, sov_module *m)
{
	const sov_module_input inputs[] = {{"library", a, a_bytes}, {NULL, b, b_bytes}};
	sov_module_options o = SOV_INIT(sov_module_options);

	o.flags = flags;
	return sov_module_link(c, inputs, 2, &o, m);
}

static void runs(sov_module m, const char *promise)
{
	uint32_t out[THREADS * WORDS] = {0}, factorial = 1;
	sov_launch l = SOV_INIT(sov_launch);
	bool same = true;
	sov_function f;
	sov_ptr p;

	MUST(sov_module_get_function(m, "run", &f));
	MUST(sov_memory_alloc(c, sizeof(out), &p));
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	l.block[0] = THREADS;
	l.shared_bytes = 4 * THREADS;
	l.arguments = ARGUMENTS(&p);
	l.argument_bytes = (const size_t[]){sizeof(p)};
	l.argument_count = 1;
	MUST(sov_function_launch(f, &l));
	MUST(sov_memory_copy(c, SOV_HOST(out), p, sizeof(out)));
	MUST(sov_memory_free(c, p));
	for (uint32_t t = 0; t < THREADS; t++) {
		const uint32_t want[WORDS] = {2 * (2 * t + 3 * t + 40) + 1000,
					      factorial *= t ? t : 1,
					      900,
					      t,
					      (t ^ 1) + 500,
					      2 * t + 1000,
					      12,
					      77};

		for (uint32_t k = 0; k < WORDS; k++)
			if (out[t * WORDS + k] != want[k]) {
				diag("thread %u, word %u: %u, not %u", t, k, out[t * WORDS + k],
				     want[k]);
				same = false;
			}
	}
	ok(same, promise);
}

static void links(void)
{
	struct compile_options o = {.target = "sm_90", .relocatable = true};
	struct compile_result object;
	sov_module m;
	uint64_t bytes;

	good(link_two(library, strlen(library), program, strlen(program), 0, &m),
	     "two PTX texts are linked to one module");
	runs(m, "functions of one text call those of the other, with all kinds of arguments");
	ok(!sov_module_get_variable(m, "weights", NULL, &bytes) && bytes == 12,
	   "a linked module has the variables of its inputs");
	MUST(sov_module_unload(m));
	MUST(link_two(program, strlen(program), library, strlen(library), SOV_MODULE_UNOPTIMISED,
		      &m));
	runs(m, "unoptimised, in the other order, they do so too");
	MUST(sov_module_unload(m));
	compile(library, strlen(library), &o, &object);
	good(link_two(object.image, object.image_size, program, strlen(program), 0, &m),
	     "an object and a PTX text are linked to one module");
	runs(m, "functions of an object run");
	MUST(sov_module_unload(m));
	refused(sov_module_load(c, object.image, object.image_size, NULL, &m),
		SOV_ERROR_INVALID_SOURCE, "an object to be linked", "an object alone is no module");
	refused(link_two(object.image, object.image_size, library, strlen(library), 0, &m),
		SOV_ERROR_INVALID_SOURCE, "link: 'weigh' is defined in library and in input 1",
		"two definitions of a symbol are an error that names both inputs");
	compile_result_free(&object);
}

static void refusals(void)
{
	static const char weak[] = PTX_HEADER ".weak .global .align 4 .u32 counter = 9;\n";
	static const char other[] = PTX_HEADER ".visible .func counter() { ret; }\n";
	struct compile_options whole = {.target = "sm_90"},
			       old = {.target = "sm_80", .relocatable = true};
	const sov_module_input three[] = {{"library", library, strlen(library)},
					  {"program", program, strlen(program)},
					  {"weak", weak, strlen(weak)}};
	struct compile_result image;
	sov_module m;

	refused(link_two(weak, strlen(weak), program, strlen(program), 0, &m),
		SOV_ERROR_INVALID_SOURCE, "is used by input 1, but no input defines it",
		"an undefined symbol is an error that names the input");
	refused(link_two(other, strlen(other), program, strlen(program), 0, &m),
		SOV_ERROR_INVALID_SOURCE,
		"link: 'counter' is a function in one input and a variable in another",
		"a function cannot define a variable");
	good(sov_module_link(c, three, 3, NULL, &m), "a weak definition gives way to another");
	runs(m, "the other definition is used");
	MUST(sov_module_unload(m));
	refused(link_two(library, strlen(library), ".version 8.0\n.target sm_80\nnonsense", 34, 0,
			 &m),
		SOV_ERROR_INVALID_SOURCE,
		"input 1: ptx: 3:1: ", "an error in a text names its input");
	compile(PTX_ADD, strlen(PTX_ADD), &whole, &image);
	refused(link_two(library, strlen(library), image.image, image.image_size, 0, &m),
		SOV_ERROR_INVALID_SOURCE,
		"link: input 1: cubin: the file is a program, not an object",
		"a program cannot be linked");
	compile_result_free(&image);
	compile(library, strlen(library), &old, &image);
	refused(link_two(program, strlen(program), image.image, image.image_size, 0, &m),
		SOV_ERROR_INVALID_SOURCE,
		"link: input 1: it is for sm_80, but library is for sm_90",
		"objects for different targets cannot be linked");
	compile_result_free(&image);
	refused(sov_module_link(c, three, 0, NULL, &m), SOV_ERROR_INVALID_ARGUMENT, "count is 0",
		"no inputs are an error");
	refused(link_two(NULL, 1, program, strlen(program), 0, &m), SOV_ERROR_INVALID_ARGUMENT,
		"inputs[0].data is NULL", "an input without data is an error");
}

/* Each byte of an object is changed; the linker answers, and memory stays intact. */
static void damaged_objects(void)
{
	struct compile_options o = {.target = "sm_90", .relocatable = true};
	struct compile_result object, other;
	uint32_t linked = 0, rejected = 0;
	char message[256];

	compile(library, strlen(library), &o, &object);
	compile(program, strlen(program), &o, &other);
	for (size_t k = 0; k < object.image_size; k += 1 + TAP_SLOWNESS) {
		struct link_input in[] = {{"library", object.image, object.image_size},
					  {"program", other.image, other.image_size}};
		uint8_t before = object.image[k], *image;
		size_t bytes;

		object.image[k] ^= (uint8_t)(1u << k % 8 | 0x80 >> k % 5);
		image = target_find("sm_90")->backend->link_objects(in, 2, &bytes, message,
								    sizeof(message));
		object.image[k] = before;
		linked += image != NULL;
		rejected += !image;
		free(image);
	}
	ok(linked > 100 && rejected > 100, "the linker survives every damaged object");
	compile_result_free(&object);
	compile_result_free(&other);
}

int main(void)
{
	soft_gpus("gh100:vram=1G");
	c = context_on("gh100.0", 0);
	links();
	refusals();
	damaged_objects();
	MUST(sov_context_destroy(c));
	return tap_done();
}
