/* SPDX-License-Identifier: MIT */
/*
 * What the runtime makes of a failure that a way to the GPU reports, however little that knows: a
 * software GPU knows block, thread and queue, NVIDIA's kernel module an address or a program
 * counter at best. Here the software GPU's answers are replaced by such as a real one gives.
 */
#include <errno.h>
#include "libsov/runtime/runtime.h"
#include "tests/soft.h"
#include "tests/tap.h"
#include "tests/userspace/runtime/_ptx.h"

static struct winsys way; /* the software GPU's, with the functions below */
static struct winsys_error said;
static bool failed;
static int group_errno;

static bool tells(struct winsys_group *g, struct winsys_error *out)
{
	(void)g;
	if (failed)
		*out = said;
	return failed;
}

/* What a card has to say when it is stopped. */
static bool tells_late;

static void stops(struct winsys_group *g)
{
	(void)g;
	failed = tells_late;
}

static int makes(struct winsys_device *d, struct winsys_group **out)
{
	return group_errno ? group_errno : winsys_soft.group_create(d, out);
}

static void must(sov_result r, const char *call)
{
	if (!r)
		return;
	ok(false, "%s: %s: %s", call, sov_result_name(r), sov_last_error());
	exit(tap_done());
}
#define MUST(call) must(call, #call)

static sov_context context;
static sov_stream streams[2];
static sov_function gate, waiter, opener, twice;
static sov_ptr word;

/* Waits, then stores in two places. */
#define PTX_TWICE \
	PTX_HEADER \
	".visible .entry twice(.param .u64 gate, .param .u64 out) {\n" \
	"	.reg .pred %p<2>;\n" \
	"	.reg .b32 %r<2>;\n" \
	"	.reg .b64 %a<3>;\n" \
	"	ld.param.u64 %a1, [gate];\n" \
	"	ld.param.u64 %a2, [out];\n" \
	"again:\n" \
	"	ld.volatile.global.u32 %r1, [%a1];\n" \
	"	setp.eq.u32 %p1, %r1, 0;\n" \
	"	@%p1 bra again;\n" \
	"	st.volatile.global.u32 [%a1], %r1;\n" \
	"	st.volatile.global.u32 [%a2], %r1;\n" \
	"	ret;\n" \
	"}\n"

static void set_up(void)
{
	struct device *d;
	sov_device device;
	sov_module m;

	MUST(sov_device_open(0, &device));
	d = object_get(device, OBJECT_DEVICE);
	way = winsys_soft;
	way.group_error = tells;
	way.group_create = makes;
	way.group_stop = stops;
	d->winsys = &way;
	object_put(&d->object);
	failed = false;
	MUST(sov_context_create(device, NULL, &context));
	MUST(sov_module_load(context, PTX_GATE, strlen(PTX_GATE), NULL, &m));
	MUST(sov_module_get_function(m, "gate", &gate));
	MUST(sov_module_get_function(m, "open", &opener));
	MUST(sov_module_load(context, PTX_GATE, strlen(PTX_GATE), NULL, &m));
	MUST(sov_module_get_function(m, "gate", &waiter));
	MUST(sov_module_load(context, PTX_TWICE, strlen(PTX_TWICE), NULL, &m));
	MUST(sov_module_get_function(m, "twice", &twice));
	MUST(sov_stream_create(context, 0, &streams[0]));
	MUST(sov_stream_create(context, 0, &streams[1]));
	MUST(sov_memory_alloc(context, 8, &word));
	MUST(sov_memory_fill(context, word, 0, 4, 2));
}

static void run(sov_function f, sov_stream s, sov_ptr p)
{
	sov_launch l = SOV_INIT(sov_launch);
	const void *arguments[] = {&p, &word};

	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.stream = s;
	l.arguments = arguments;
	l.argument_count = 2;
	MUST(sov_function_launch(f, &l));
}

static uint64_t code_of(sov_function handle)
{
	struct function *f = object_get(handle, OBJECT_FUNCTION);
	uint64_t va = f->va;

	object_put(&f->member.object);
	return va;
}

/* The group fails with this; the sentence is what the next call says. */
static void fails(struct winsys_error e, sov_result want, const char *sentence, const char *promise)
{
	sov_result r;

	said = e;
	failed = true;
	r = sov_context_status(context);
	if (!ok(r == want && strstr(sov_last_error(), soft_message(sentence)), "%s", promise)) {
		diag("got:  %s: %s", sov_result_name(r), sov_last_error());
		diag("want: … %s", soft_message(sentence));
	}
	failed = false;
}

/* Nothing is on the streams, not even their own beginning. */
static void begin_anew(void)
{
	MUST(sov_context_reset(context));
	MUST(sov_context_wait(context, 10000000000));
}

static void reports(void)
{
	sov_fault f = SOV_INIT(sov_fault);
	char write[32];

	snprintf(write, sizeof(write), ": %s", soft_instruction("STG"));
	begin_anew();
	run(gate, streams[0], word);
	fails((struct winsys_error){.vendor_code = 13,
				    .pc = code_of(gate) + 0x10,
				    .text = "a warp's error"},
	      SOV_ERROR_FAULT, "kernel 'gate' on gh100.0: a warp's error; at +0x10: ",
	      "a program counter becomes a kernel, an offset and an instruction");
	MUST(sov_context_get_fault(context, &f));
	ok(f.pc == 0x10 && *f.instruction && !f.has_thread && !strstr(sov_last_error(), "block"),
	   "and no block or thread is invented");
	begin_anew();

	run(gate, streams[0], word);
	fails(
		(struct winsys_error){
			.vendor_code = 31, .memory = true, .address = word + 0x100000, .text = "x"},
		SOV_ERROR_FAULT, "kernel 'gate' on gh100.0: x",
		"without one, the only kernel that runs is named");
	MUST(sov_context_get_fault(context, &f));
	ok(f.address == word + 0x100000 && f.pc == UINT64_MAX, "with the address");
	begin_anew();

	run(gate, streams[0], word);
	fails((struct winsys_error){.vendor_code = 31, .memory = true, .access = WINSYS_WRITE, .text = "x"},
	      SOV_ERROR_FAULT, write, "a write is where the kernel has its only store");
	MUST(sov_context_get_fault(context, &f));
	ok(f.pc != UINT64_MAX && !strncmp(f.instruction, write + 2, strlen(write + 2)),
	   "which is given");
	begin_anew();

	run(twice, streams[0], word);
	fails((struct winsys_error){.vendor_code = 31, .memory = true, .access = WINSYS_WRITE, .text = "x"},
	      SOV_ERROR_FAULT, "; by one of +0x", "of two stores both places are named");
	MUST(sov_context_get_fault(context, &f));
	ok(f.pc == UINT64_MAX && !*f.instruction, "and neither is taken for it");
	begin_anew();

	run(gate, streams[0], word);
	fails(
		(struct winsys_error){
			.vendor_code = 31, .memory = true, .access = WINSYS_ATOMIC, .text = "x"},
		SOV_ERROR_FAULT, "kernel 'gate' on gh100.0: x", "an atomic is nowhere in it");
	MUST(sov_context_get_fault(context, &f));
	ok(f.pc == UINT64_MAX && !*f.instruction, "so no instruction is");
	begin_anew();

	run(gate, streams[0], word);
	run(opener, streams[1], word + 4); /* ends at once */
	MUST(sov_stream_wait(streams[1], 10000000000));
	fails((struct winsys_error){.vendor_code = 13, .text = "x"}, SOV_ERROR_FAULT, "kernel 'gate' on",
	      "also when another stream has done its work");
	begin_anew();

	run(gate, streams[0], word);
	run(gate, streams[1], word);
	run(opener, streams[1], word);
	fails((struct winsys_error){.vendor_code = 13, .text = "x"}, SOV_ERROR_FAULT, "kernel 'gate' on",
	      "also when it runs twice");
	begin_anew();

	run(gate, streams[0], word);
	run(waiter, streams[1], word);
	fails((struct winsys_error){.vendor_code = 13, .text = "x"}, SOV_ERROR_FAULT,
	      "gh100.0: x; it was kernel 'gate' or 'gate'",
	      "of two different kernels it may have been either");
	MUST(sov_context_get_fault(context, &f));
	ok(!*f.kernel, "so none is said to have done it");
	begin_anew();

	run(gate, streams[0], word);
	run(opener, streams[1], word + 4);
	MUST(sov_stream_wait(streams[1], 10000000000));
	fails((struct winsys_error){.vendor_code = 31, .memory = true, .access = WINSYS_WRITE, .text = "x"},
	      SOV_ERROR_FAULT, "gh100.0: x; it was kernel 'gate' or 'open'",
	      "a store may have gone wrong after its kernel has ended");
	begin_anew();

	run(gate, streams[0], word);
	run(opener, streams[1], word + 4);
	MUST(sov_stream_wait(streams[1], 10000000000));
	fails((struct winsys_error){.vendor_code = 31, .memory = true, .access = WINSYS_READ, .text = "x"},
	      SOV_ERROR_FAULT, "kernel 'gate' on gh100.0: x",
	      "a load does not, and 'open' has none");
	begin_anew();

	fails((struct winsys_error){.vendor_code = 79, .text = "gone"}, SOV_ERROR_FAULT, "gh100.0: gone",
	      "when nothing runs, no kernel is named");
	begin_anew();

	fails(
		(struct winsys_error){
			.pc = 0x123456780, .text = "x", .has_thread = true, .block = {1, 2, 3}},
		SOV_ERROR_FAULT, "gh100.0: x; block (1, 2, 3), thread (0, 0, 0)",
		"a program counter that is nobody's is not shown, a place is");
	begin_anew();
}

/* A kernel that does not end, and what the card tells only when it is stopped. */
static void late(struct winsys_error e, sov_result want, const char *sentence, const char *promise)
{
	sov_result r;

	begin_anew();
	said = e;
	tells_late = true;
	run(gate, streams[0], word);
	r = sov_context_wait(context, 10000000000);
	if (!ok(r == want && strstr(sov_last_error(), soft_message(sentence)), "%s", promise))
		diag("got:  %s: %s", sov_result_name(r), sov_last_error());
	tells_late = failed = false;
}

static void told_late(void)
{
	struct context *c = object_get(context, OBJECT_CONTEXT);
	uint64_t limit = c->kernel_time_limit;

	c->kernel_time_limit = 50000000;
	late((struct winsys_error){.vendor_code = 31, .memory = true, .address = 64, .text = "a fault"},
	     SOV_ERROR_FAULT, "kernel 'gate' on gh100.0: a fault",
	     "a fault that is told after the time limit is a fault, not a hang");
	late((struct winsys_error){.vendor_code = 31, .memory = true, .stopped = true, .text = "a stop"},
	     SOV_ERROR_HANG, "did not end within its limit of 0.050 s",
	     "what stopping it does is not");
	late((struct winsys_error){.timed_out = true, .text = "too long"}, SOV_ERROR_HANG,
	     "kernel 'gate' on gh100.0: too long", "nor is a time limit of the driver's own");
	c->kernel_time_limit = limit;
	object_put(&c->object);
	begin_anew();
}

static void lost(void)
{
	sov_result r;

	group_errno = -EIO;
	r = sov_context_reset(context);
	ok(r == SOV_ERROR_DEVICE_LOST && strstr(sov_last_error(), strerror(EIO)),
	   "a reset that fails says why");
	r = sov_context_status(context);
	if (!ok(r == SOV_ERROR_DEVICE_LOST && strstr(sov_last_error(), "could not be reset: ") &&
			strstr(sov_last_error(), strerror(EIO)),
		"and so does every call after it"))
		diag("%s: %s", sov_result_name(r), sov_last_error());
	group_errno = 0;
	ok(!sov_context_reset(context) && !sov_context_status(context), "until one succeeds");
	MUST(sov_memory_fill(context, word, 0, 4, 2));
	run(opener, NULL, word);
	ok(!sov_context_wait(context, 10000000000), "and the context works");
}

int main(void)
{
	soft_gpus("gh100:vram=128M");
	setenv("SOV_NVRM", "0", 1); /* this is about software GPUs */
	setenv("SOV_KMOD", "0", 1);
	set_up();
	reports();
	told_late();
	lost();
	MUST(sov_context_destroy(context));
	return tap_done();
}
