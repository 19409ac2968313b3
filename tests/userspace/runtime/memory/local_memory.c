// SPDX-License-Identifier: MIT
/*
 * Kernels with local memory: the context allocates it on the first such launch and enlarges it on
 * demand, also while other kernels run. The kernels here have more live values than registers, so
 * that the compiler spills some to local memory.
 */
#include <pthread.h>
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

#define BLOCKS  5
#define THREADS 64
#define ALL     (BLOCKS * THREADS)

/* Each thread: r = n; for its count numbers x: r = r * x + i; then, from the last, r = r * 3 +
 * x. */
static char *pressing(uint32_t count)
{
	char *text = malloc(4096 + count * 160), *t = text;
	uint32_t i;

	t += sprintf(t,
		     PTX_HEADER
		     ".visible .entry press(.param .u64 in, .param .u64 out, .param .u32 n) {\n"
		     ".reg .b32 %%r<%u>;\n.reg .b64 %%a<9>;\n"
		     "ld.param.u64 %%a1, [in];\nld.param.u64 %%a2, [out];\n"
		     "cvta.to.global.u64 %%a3, %%a1;\ncvta.to.global.u64 %%a4, %%a2;\n"
		     "ld.param.u32 %%r1, [n];\nmov.u32 %%r2, %%tid.x;\nmov.u32 %%r3, %%ctaid.x;\n"
		     "mad.lo.u32 %%r4, %%r3, %u, %%r2;\nmul.wide.u32 %%a5, %%r4, 4;\n"
		     "add.u64 %%a6, %%a4, %%a5;\nmul.wide.u32 %%a7, %%r4, %u;\n"
		     "add.u64 %%a8, %%a3, %%a7;\n",
		     count + 9, THREADS, 4 * count);
	for (i = 0; i < count; i++)
		t += sprintf(t, "ld.global.u32 %%r%u, [%%a8+%u];\n", i + 9, 4 * i);
	t += sprintf(t, "bar.sync 0;\n");
	for (i = 0; i < count; i++)
		t += sprintf(t, "mad.lo.u32 %%r1, %%r1, %%r%u, %u;\n", i + 9, i);
	for (i = count; i-- > 0;)
		t += sprintf(t, "mad.lo.u32 %%r1, %%r1, 3, %%r%u;\n", i + 9);
	sprintf(t, "st.global.u32 [%%a6], %%r1;\nret;\n}\n");
	return text;
}

struct press {
	uint32_t count;
	sov_context context;
	sov_stream stream;
	sov_function f;
	sov_ptr in, out;
	uint32_t *numbers;
	uint32_t right, rounds;
};

static uint32_t local_bytes(sov_function f)
{
	sov_function_attributes a = SOV_INIT(sov_function_attributes);

	MUST(sov_function_get_attributes(f, &a));
	return a.local_bytes;
}

static void press_create(struct press *p, sov_context c, uint32_t count)
{
	char *text = pressing(count);
	uint64_t i, bytes = (uint64_t)ALL * count * 4;

	*p = (struct press){.count = count, .context = c, .f = function_of(c, text, "press")};
	free(text);
	MUST(sov_stream_create(c, 0, &p->stream));
	p->numbers = malloc(bytes);
	for (i = 0; i < (uint64_t)ALL * count; i++)
		p->numbers[i] = (uint32_t)random_u64();
	MUST(sov_memory_alloc(c, bytes, &p->in));
	MUST(sov_memory_alloc(c, ALL * 4, &p->out));
	MUST(sov_memory_copy(c, p->in, SOV_HOST(p->numbers), bytes));
}

static bool press_is_right(struct press *p, uint32_t n)
{
	uint32_t got[ALL], t, i, right = 0;

	MUST(sov_memory_copy_async(p->stream, SOV_HOST(got), p->out, sizeof(got)));
	for (t = 0; t < ALL; t++) {
		const uint32_t *x = p->numbers + (size_t)t * p->count;
		uint32_t r = n;

		for (i = 0; i < p->count; i++)
			r = r * x[i] + i;
		for (i = p->count; i-- > 0;)
			r = r * 3 + x[i];
		right += r == got[t];
	}
	return right == ALL;
}

static sov_result press_launch(const struct press *p, uint32_t n)
{
	return launch(p->f, p->stream, BLOCKS, THREADS, "884", ARGUMENTS(&p->in, &p->out, &n));
}

static bool press(struct press *p, uint32_t n)
{
	MUST(press_launch(p, n));
	return press_is_right(p, n);
}

static void press_free(struct press *p)
{
	free(p->numbers);
}

static void grows(const char *device)
{
	sov_context c = context_on(device, 0);
	struct press small, large, same_stream;

	diag("%s", device);
	press_create(&small, c, 300);
	press_create(&large, c, 500);
	ok(local_bytes(small.f) && local_bytes(large.f) > local_bytes(small.f),
	   "function attributes report local memory: %u and %u bytes", local_bytes(small.f),
	   local_bytes(large.f));
	ok(press(&small, 3), "a kernel with local memory runs");
	ok(press(&small, 4), "a kernel with local memory runs a second time");
	same_stream = large;
	same_stream.stream = small.stream;
	ok(press(&same_stream, 11), "a kernel with more local memory runs on the same stream");
	ok(press(&large, 5), "a kernel with more local memory runs on another stream");
	ok(press(&small, 6), "a kernel with less local memory runs after the area has grown");
	MUST(press_launch(&small, 7));
	MUST(press_launch(&large, 8));
	ok(press_is_right(&small, 7) && press_is_right(&large, 8),
	   "two kernels with local memory run concurrently");
	MUST(sov_context_reset(c));
	ok(press(&small, 9) && press(&large, 10), "kernels with local memory run after a reset");
	MUST(sov_context_destroy(c));
	press_free(&small);
	press_free(&large);
}

static void *presses(void *arg)
{
	struct press *p = arg;
	uint32_t i;

	for (i = 0; i < p->rounds; i++)
		p->right += press(p, i);
	return NULL;
}

/* The first launch of each thread replaces the area while others use it. */
static void grows_while_others_launch(void)
{
	static const uint32_t counts[] = {270, 340, 420, 520};
	sov_context c = context_on("gh100.0", 0);
	pthread_t threads[COUNT(counts)];
	struct press p[COUNT(counts)];
	uint32_t i, right = 0, want = 0;

	for (i = 0; i < COUNT(counts); i++) {
		press_create(&p[i], c, counts[i]);
		p[i].rounds = 40 / TAP_SLOWNESS;
		want += p[i].rounds;
	}
	for (i = 0; i < COUNT(counts); i++)
		pthread_create(&threads[i], NULL, presses, &p[i]);
	for (i = 0; i < COUNT(counts); i++) {
		pthread_join(threads[i], NULL);
		right += p[i].right;
		press_free(&p[i]);
	}
	ok(right == want, "local memory grows while other threads launch: %u of %u right", right,
	   want);
	MUST(sov_context_destroy(c));
}

static void too_little(void)
{
	sov_context c = context_on(software(2), 0);
	char want[128];
	struct press p;
	sov_function add = function_of(c, PTX_ADD, "add");
	uint32_t one = 1, value = 0;

	press_create(&p, c, 300);
	snprintf(want, sizeof(want),
		 "kernel 'press' needs %u bytes of local memory per thread: ", local_bytes(p.f));
	refused(press_launch(&p, 1), SOV_ERROR_OUT_OF_MEMORY, want,
		"a launch whose local memory exceeds the device is rejected");
	ok(strstr(sov_last_error(), "and it has 67108864 in all") != NULL,
	   "the rejection of too much local memory states the device's memory");
	MUST(sov_memory_fill(c, p.out, 0, 4, 1));
	good(launch(add, p.stream, 1, 1, "84", ARGUMENTS(&p.out, &one)),
	     "a kernel without local memory can be launched after that rejection");
	MUST(sov_memory_copy_async(p.stream, SOV_HOST(&value), p.out, 4));
	ok(value == 1, "a kernel without local memory runs after that rejection");
	MUST(sov_context_destroy(c));
	press_free(&p);
}

static void limits(void)
{
	sov_context_options o = SOV_INIT(sov_context_options);
	sov_device d;
	sov_context c;

	MUST(sov_device_open(0, &d));
	o.stack_bytes = (512 << 10) + 1;
	refused(sov_context_create(d, &o, &c), SOV_ERROR_INVALID_ARGUMENT,
		"stack_bytes is 524289; a thread has at most 524288",
		"a stack size above the limit is rejected");
	o.stack_bytes = 512 << 10;
	good(sov_context_create(d, &o, &c), "a stack size at the limit is accepted");
	MUST(sov_context_destroy(c));
}

int main(void)
{
	soft_gpus("gh100:vram=1G,ga100:vram=1G,gh100:vram=64M");
	random_seed();
	grows("gh100.0");
	grows_while_others_launch();
	if (!getenv("TEST_CARD")) {
		grows("ga100.0");
		too_little();
	}
	limits();
	return tap_done();
}
