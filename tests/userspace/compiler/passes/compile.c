// SPDX-License-Identifier: MIT
/*
 * The compiler's interface: images and messages, the memory limit, and concurrent compilations.
 */
#include <pthread.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/passes/pass.h"
#include "tests/tap.h"

static const char kernel[] = "kernel scale(out: 8 at 0 pointer, by: 4 at 8) {\n"
			     "entry:\n"
			     "	%o = load.b64 param [0]\n"
			     "	%by = load.b32 param [8]\n"
			     "	%tid = sreg.b32 tid.x\n"
			     "	write.b32 r1, %tid\n"
			     "	%four = const.b32 4\n"
			     "	%at = mulwide.u.b64 %tid, %four\n"
			     "	%p = add.b64 %o, %at\n"
			     "	%t = read.b32 r1\n"
			     "	%x = mul.b32 %t, %by\n"
			     "	%again = mul.b32 %by, %t\n"
			     "	%sum = add.b32 %x, %again\n"
			     "	store.b32 global [%p], %sum\n"
			     "	ret\n"
			     "}\n";

static struct compile_options options(const char *target)
{
	return (struct compile_options){.source = COMPILE_IR, .target = target, .verify = true};
}

static void check_text_image(void)
{
	struct compile_options o = options("dummy");
	struct compile_result r;
	struct arena a;
	struct diag d;
	struct ir_module *m;

	ok(compile(kernel, strlen(kernel), &o, &r), "a kernel compiles for dummy");
	is_str(r.messages, "", "a successful compilation has no messages");
	arena_init(&a, 0, NULL);
	diag_init(&d, &a, "test");
	m = ir_parse(&a, (char *)r.image, r.image_size, &d);
	ok(m && ir_verify(m, &d), "the image for dummy is IR text that parses and verifies");
	ok(m && m->funcs->ssa, "the image for dummy is in SSA form");
	arena_free(&a);
	compile_result_free(&r);
	ok(!r.image && !r.messages && !r.stats, "a freed result is empty");
}

static void check_fails(const char *text, const struct compile_options *o, const char *message,
			const char *promise)
{
	struct compile_result r;
	bool good = compile(text, strlen(text), o, &r);

	ok(!good && !r.image && !r.stats && !r.nstats, "%s: no image and no statistics", promise);
	is_str(r.messages, message, promise);
	compile_result_free(&r);
}

static void check_errors(void)
{
	struct compile_options o = options("sm_12");

	check_fails(kernel, &o,
		    "compile: unknown target 'sm_12'; known: sm_90 sm_89 sm_86 sm_80 sm_75 sm_70 "
		    "gfx1030 dummy\n",
		    "an unknown target is refused with a list of known ones");
	o.target = NULL;
	check_fails(kernel, &o,
		    "compile: unknown target ''; known: sm_90 sm_89 sm_86 sm_80 sm_75 sm_70 "
		    "gfx1030 dummy\n",
		    "a missing target is refused");
	o.target = "dummy";
	check_fails("kernel k() {\nentry:\n\t%x = frob.b32 %y\n}\n", &o,
		    "ir: 3:7: unknown operation 'frob'\n",
		    "a syntax error is reported with its position");
	o.memory_limit = 8 << 10;
	check_fails(
		kernel, &o,
		"compile: out of memory: the input needs more memory than one compilation may use; "
		"compile its kernels one by one\n",
		"a compilation over its memory limit fails with a message");
}

/* Every limit between nothing and enough ends with success or with the message, and never leaks. */
static void check_memory_limits(void)
{
	struct compile_options o = options("dummy");
	uint32_t done = 0, refused = 0, other = 0;

	for (size_t limit = 1; limit < 4 << 20; limit += limit / 7 + 1) {
		struct compile_result r;

		o.memory_limit = limit;
		if (compile(kernel, strlen(kernel), &o, &r))
			done++;
		else if (strstr(r.messages, "out of memory"))
			refused++;
		else
			other++;
		compile_result_free(&r);
	}
	ok(done && refused && !other,
	   "every memory limit succeeds or reports out of memory: %u succeed, %u fail, %u other",
	   done, refused, other);
}

static void check_print_pass(void)
{
	struct compile_options o = options("dummy");
	struct compile_result r;
	char *printed = NULL, *at;
	size_t size = 0;

	o.print_pass = "all";
	o.print_to = open_memstream(&printed, &size);
	compile(kernel, strlen(kernel), &o, &r);
	compile_result_free(&r);
	fclose(o.print_to);
	at = strstr(printed, "; scale after front\n");
	for (const struct pass *p = passes; at && p->name; p++) {
		char line[64];

		snprintf(line, sizeof(line), "; scale after %s\n", p->name);
		at = strstr(at + 1, line);
	}
	ok(at != NULL, "print_pass \"all\" prints every pass in pipeline order");
	free(printed);
	o.print_pass = "gvn";
	o.print_to = open_memstream(&printed, &size);
	compile(kernel, strlen(kernel), &o, &r);
	compile_result_free(&r);
	fclose(o.print_to);
	ok(strstr(printed, "; scale after gvn\n") && !strstr(printed, "after fold"),
	   "print_pass prints a single pass");
	free(printed);
}

/* ---- threads ---- */

#define THREADS 8
#define ROUNDS  20
#define KINDS   3

static char ptx[1 << 17];

struct kind {
	const char *text, *target;
	enum compile_source source;
	struct compile_result want;
};

struct worker {
	pthread_t thread;
	const struct kind *kind;
	uint32_t same;
};

static bool compile_kind(const struct kind *k, struct compile_result *r)
{
	struct compile_options o = options(k->target);

	o.source = k->source;
	return compile(k->text, strlen(k->text), &o, r);
}

static void *compile_repeatedly(void *user)
{
	struct worker *w = user;
	const struct compile_result *want = &w->kind->want;

	for (uint32_t k = 0; k < ROUNDS; k++) {
		struct compile_result r;

		w->same += compile_kind(w->kind, &r) && r.image_size == want->image_size &&
			   !memcmp(r.image, want->image, r.image_size);
		compile_result_free(&r);
	}
	return NULL;
}

static void check_threads(void)
{
	struct kind kinds[KINDS] = {
		{.text = kernel, .target = "dummy", .source = COMPILE_IR},
		{.text = ptx, .target = "sm_90", .source = COMPILE_PTX},
		{.text = ptx, .target = "sm_80", .source = COMPILE_PTX},
	};
	struct worker workers[THREADS];
	FILE *file = fopen("tests/kernels/reduce.ptx", "rb");
	uint32_t same = 0;

	ok(file && fread(ptx, 1, sizeof(ptx) - 1, file) > 0, "reduce.ptx can be read");
	if (file)
		fclose(file);
	for (uint32_t k = 0; k < KINDS; k++)
		if (!ok(compile_kind(&kinds[k], &kinds[k].want),
			"a kernel compiles for %s before the threaded runs", kinds[k].target))
			diag("%s", kinds[k].want.messages);
	for (uint32_t k = 0; k < THREADS; k++) {
		workers[k] = (struct worker){.kind = &kinds[k % KINDS]};
		pthread_create(&workers[k].thread, NULL, compile_repeatedly, &workers[k]);
	}
	for (uint32_t k = 0; k < THREADS; k++) {
		pthread_join(workers[k].thread, NULL);
		same += workers[k].same;
	}
	ok(same == THREADS * ROUNDS, "%d threads compile concurrently and get the same bytes",
	   THREADS);
	for (uint32_t k = 0; k < KINDS; k++)
		compile_result_free(&kinds[k].want);
}

int main(void)
{
	check_text_image();
	check_errors();
	check_memory_limits();
	check_print_pass();
	check_threads();
	return tap_done();
}
