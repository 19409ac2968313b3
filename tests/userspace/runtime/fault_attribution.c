// SPDX-License-Identifier: MIT
/*
 * Attribution of errors that a winsys reports with little information: a software GPU reports
 * block, thread and queue, NVIDIA's kernel module an address or a program counter at best. Here
 * errors like those of hardware replace the software GPU's.
 */
#include <errno.h>
#include "libsov/runtime/module/function.h"
#include "tests/soft.h"
#include "tests/tap.h"
#include "tests/userspace/runtime/_ptx.h"

static struct winsys fake_winsys; /* the software GPU's winsys, with the functions below replaced */
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

/* The error that hardware reports when the group is stopped. */
static bool reports_late;

static void stops(struct winsys_group *g)
{
	(void)g;
	failed = reports_late;
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

/* Waits, then has two stores. */
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
	fake_winsys = winsys_soft;
	fake_winsys.group_error = tells;
	fake_winsys.group_create = makes;
	fake_winsys.group_stop = stops;
	d->winsys = &fake_winsys;
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

/* The group fails with this error; checks the message of the next call. */
static void fails(struct winsys_error e, sov_result want, const char *message, const char *promise)
{
	sov_result r;

	said = e;
	failed = true;
	r = sov_context_status(context);
	if (!ok(r == want && strstr(sov_last_error(), soft_message(message)), "%s", promise)) {
		diag("got:  %s: %s", sov_result_name(r), sov_last_error());
		diag("want: … %s", soft_message(message));
	}
	failed = false;
}

/* Resets the context and waits until the streams are idle. */
static void reset_and_wait(void)
{
	MUST(sov_context_reset(context));
	MUST(sov_context_wait(context, 10000000000));
}

static void reports(void)
{
	sov_fault f = SOV_INIT(sov_fault);
	char write[32];

	snprintf(write, sizeof(write), ": %s", soft_instruction("STG"));
	reset_and_wait();
	run(gate, streams[0], word);
	fails((struct winsys_error){.vendor_code = 13,
				    .pc = code_of(gate) + 0x10,
				    .text = "a warp's error"},
	      SOV_ERROR_FAULT, "kernel 'gate' on gh100.0: a warp's error; at +0x10: ",
	      "a program counter is resolved to kernel, offset and instruction");
	MUST(sov_context_get_fault(context, &f));
	ok(f.pc == 0x10 && *f.instruction && !f.has_thread && !strstr(sov_last_error(), "block"),
	   "a fault without thread information reports no block or thread");
	reset_and_wait();

	run(gate, streams[0], word);
	fails(
		(struct winsys_error){
			.vendor_code = 31, .memory = true, .address = word + 0x100000, .text = "x"},
		SOV_ERROR_FAULT, "kernel 'gate' on gh100.0: x",
		"a fault without program counter names the only running kernel");
	MUST(sov_context_get_fault(context, &f));
	ok(f.address == word + 0x100000 && f.pc == UINT64_MAX,
	   "a fault without program counter has the faulting address");
	reset_and_wait();

	run(gate, streams[0], word);
	fails((struct winsys_error){.vendor_code = 31,
				    .memory = true,
				    .access = WINSYS_WRITE,
				    .text = "x"},
	      SOV_ERROR_FAULT, write, "a faulting write is attributed to the kernel's only store");
	MUST(sov_context_get_fault(context, &f));
	ok(f.pc != UINT64_MAX && !strncmp(f.instruction, write + 2, strlen(write + 2)),
	   "the fault record has the offset of the inferred store");
	reset_and_wait();

	run(twice, streams[0], word);
	fails(
		(struct winsys_error){
			.vendor_code = 31, .memory = true, .access = WINSYS_WRITE, .text = "x"},
		SOV_ERROR_FAULT, "; by one of +0x",
		"a faulting write lists both stores of the kernel");
	MUST(sov_context_get_fault(context, &f));
	ok(f.pc == UINT64_MAX && !*f.instruction,
	   "a fault with two candidate stores names no instruction");
	reset_and_wait();

	run(gate, streams[0], word);
	fails(
		(struct winsys_error){
			.vendor_code = 31, .memory = true, .access = WINSYS_ATOMIC, .text = "x"},
		SOV_ERROR_FAULT, "kernel 'gate' on gh100.0: x",
		"a faulting atomic names the running kernel even if it has no atomics");
	MUST(sov_context_get_fault(context, &f));
	ok(f.pc == UINT64_MAX && !*f.instruction,
	   "a faulting atomic is attributed to no instruction of a kernel without atomics");
	reset_and_wait();

	run(gate, streams[0], word);
	run(opener, streams[1], word + 4); /* ends immediately */
	MUST(sov_stream_wait(streams[1], 10000000000));
	fails((struct winsys_error){.vendor_code = 13, .text = "x"}, SOV_ERROR_FAULT,
	      "kernel 'gate' on", "the running kernel is named when another stream is idle");
	reset_and_wait();

	run(gate, streams[0], word);
	run(gate, streams[1], word);
	run(opener, streams[1], word);
	fails((struct winsys_error){.vendor_code = 13, .text = "x"}, SOV_ERROR_FAULT,
	      "kernel 'gate' on", "a kernel that runs on two streams is named once");
	reset_and_wait();

	run(gate, streams[0], word);
	run(waiter, streams[1], word);
	fails((struct winsys_error){.vendor_code = 13, .text = "x"}, SOV_ERROR_FAULT,
	      "gh100.0: x; it was kernel 'gate' or 'gate'",
	      "a fault with two running kernels names both as suspects");
	MUST(sov_context_get_fault(context, &f));
	ok(!*f.kernel, "a fault with two suspects has no kernel in its record");
	reset_and_wait();

	run(gate, streams[0], word);
	run(opener, streams[1], word + 4);
	MUST(sov_stream_wait(streams[1], 10000000000));
	fails(
		(struct winsys_error){
			.vendor_code = 31, .memory = true, .access = WINSYS_WRITE, .text = "x"},
		SOV_ERROR_FAULT, "gh100.0: x; it was kernel 'gate' or 'open'",
		"a completed kernel is suspected of a faulting store");
	reset_and_wait();

	run(gate, streams[0], word);
	run(opener, streams[1], word + 4);
	MUST(sov_stream_wait(streams[1], 10000000000));
	fails(
		(struct winsys_error){
			.vendor_code = 31, .memory = true, .access = WINSYS_READ, .text = "x"},
		SOV_ERROR_FAULT, "kernel 'gate' on gh100.0: x",
		"a completed kernel without loads is not suspected of a faulting load");
	reset_and_wait();

	fails((struct winsys_error){.vendor_code = 79, .text = "gone"}, SOV_ERROR_FAULT,
	      "gh100.0: gone", "an error on an idle GPU names no kernel");
	reset_and_wait();

	fails(
		(struct winsys_error){
			.pc = 0x123456780, .text = "x", .has_thread = true, .block = {1, 2, 3}},
		SOV_ERROR_FAULT, "gh100.0: x; block (1, 2, 3), thread (0, 0, 0)",
		"a fault outside all kernels reports block and thread but no program counter");
	reset_and_wait();
}

/* An endless kernel, and the error that hardware reports only when it is stopped. */
static void fails_late(struct winsys_error e, sov_result want, const char *message,
		       const char *promise)
{
	sov_result r;

	reset_and_wait();
	said = e;
	reports_late = true;
	run(gate, streams[0], word);
	r = sov_context_wait(context, 10000000000);
	if (!ok(r == want && strstr(sov_last_error(), soft_message(message)), "%s", promise))
		diag("got:  %s: %s", sov_result_name(r), sov_last_error());
	reports_late = failed = false;
}

static void told_late(void)
{
	struct context *c = object_get(context, OBJECT_CONTEXT);
	uint64_t limit = c->kernel_time_limit;

	c->kernel_time_limit = 50000000;
	fails_late(
		(struct winsys_error){
			.vendor_code = 31, .memory = true, .address = 64, .text = "a fault"},
		SOV_ERROR_FAULT, "kernel 'gate' on gh100.0: a fault",
		"a fault reported after the time limit is SOV_ERROR_FAULT, not a hang");
	fails_late(
		(struct winsys_error){
			.vendor_code = 31, .memory = true, .stopped = true, .text = "a stop"},
		SOV_ERROR_HANG, "did not end within its limit of 0.050 s",
		"an error caused by stopping a hung kernel is SOV_ERROR_HANG");
	fails_late((struct winsys_error){.timed_out = true, .text = "too long"}, SOV_ERROR_HANG,
		   "kernel 'gate' on gh100.0: too long", "a driver timeout is SOV_ERROR_HANG");
	c->kernel_time_limit = limit;
	object_put(&c->object);
	reset_and_wait();
}

static void lost(void)
{
	sov_result r;

	group_errno = -EIO;
	r = sov_context_reset(context);
	ok(r == SOV_ERROR_DEVICE_LOST && strstr(sov_last_error(), strerror(EIO)),
	   "a failed reset reports its cause");
	r = sov_context_status(context);
	if (!ok(r == SOV_ERROR_DEVICE_LOST && strstr(sov_last_error(), "could not be reset: ") &&
			strstr(sov_last_error(), strerror(EIO)),
		"every call after a failed reset reports the cause"))
		diag("%s: %s", sov_result_name(r), sov_last_error());
	group_errno = 0;
	ok(!sov_context_reset(context) && !sov_context_status(context),
	   "a later reset can succeed");
	MUST(sov_memory_fill(context, word, 0, 4, 2));
	run(opener, NULL, word);
	ok(!sov_context_wait(context, 10000000000), "a context works after a repeated reset");
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
