// SPDX-License-Identifier: MIT
/*
 * Spare queues: where queues cannot be created while a kernel runs, the runtime keeps some in
 * reserve. A software GPU can create queues at any time; the test sets the device's properties and
 * counts the queues.
 */
#include <pthread.h>
#include "libsov/runtime/context/device.h"
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

static struct winsys watched;
static uint32_t made, live; /* compute queues created, and all live queues */

static int make(struct winsys_group *g, const struct winsys_queue_options *o,
		struct winsys_queue **q)
{
	made += o->engine == WINSYS_COMPUTE;
	live++;
	return winsys_soft.queue_create(g, o, q);
}

static void take_down(struct winsys_queue *q)
{
	live--;
	winsys_soft.queue_destroy(q);
}

static sov_context context_with_spares(uint32_t spares)
{
	struct device *d;
	sov_device device;
	sov_context c;

	MUST(sov_device_open(0, &device));
	d = object_get(device, OBJECT_DEVICE);
	watched = winsys_soft;
	watched.queue_create = make;
	watched.queue_destroy = take_down;
	d->winsys = &watched;
	d->info.spare_queues = spares;
	d->info.queue_create_patience = 2 * SECOND;
	object_put(&d->object);
	made = live = 0;
	MUST(sov_context_create(device, NULL, &c));
	return c;
}

static bool adds(sov_context c, sov_function add, sov_ptr p, sov_stream s)
{
	uint32_t n = 5, got = 0;

	MUST(sov_memory_fill(c, p, 37, 4, 1));
	MUST(launch(add, s, 1, 1, "84", ARGUMENTS(&p, &n)));
	MUST(sov_stream_wait(s, 60 * SECOND));
	MUST(sov_memory_copy(c, SOV_HOST(&got), p, 4));
	return got == 42;
}

/* Copies through the stream's staging ring. */
static void copies(sov_context c, sov_stream s)
{
	static uint8_t out[100000], in[sizeof(out)];
	sov_ptr p;

	memset(out, (int)(random_u64() & 0xff), sizeof(out));
	MUST(sov_memory_alloc(c, sizeof(out), &p));
	MUST(sov_memory_copy_async(s, p, SOV_HOST(out), sizeof(out)));
	MUST(sov_memory_copy_async(s, SOV_HOST(in), p, sizeof(in)));
	MUST(sov_stream_wait(s, 60 * SECOND));
	ok(!memcmp(out, in, sizeof(out)), "a reused spare stream copies pageable host memory");
	MUST(sov_memory_free(c, p));
}

int main(void)
{
	sov_context c;
	sov_module gates;
	sov_function add, gate, opener;
	sov_stream s[4], more;
	sov_ptr words, p;
	uint32_t i, before, one = 1;

	soft_gpus("gh100:vram=256M");
	setenv("SOV_NVRM", "0", 1); /* this is about software GPUs */
	setenv("SOV_KMOD", "0", 1);
	random_seed();
	c = context_with_spares(2);
	ok(made == 1, "a new context creates one queue");
	add = function_of(c, PTX_ADD, "add");
	gates = module_from(c, PTX_GATE, strlen(PTX_GATE), 0);
	MUST(sov_module_get_function(gates, "gate", &gate));
	MUST(sov_module_get_function(gates, "open", &opener));
	MUST(sov_memory_alloc(c, 64, &words));
	MUST(sov_memory_fill(c, words, 0, 4, 16));
	p = words + 32;

	MUST(sov_stream_create(c, 0, &s[0]));
	ok(made == 3, "creating a stream also creates a spare queue");
	MUST(sov_context_wait(c, 60 * SECOND));
	MUST(sov_stream_create(c, 0, &s[1]));
	ok(made == 4, "the second stream takes the spare queue and another is created");
	ok(adds(c, add, p, s[0]) && adds(c, add, p, s[1]), "streams with spare queues run kernels");
	MUST(sov_stream_create(c, 0, &s[2]));
	copies(c, s[2]);
	before = live;
	MUST(sov_stream_destroy(s[2]));
	ok(made == 5 && live == before, "the queue of a destroyed stream is kept as a spare");

	MUST(launch(gate, s[0], 1, 1, "88", ARGUMENTS(&words, &words)));
	for (i = 2; i < 4; i++) {
		good(sov_stream_create(c, 0, &s[i]),
		     "a stream can be created while a kernel runs if a spare queue exists");
		ok(adds(c, add, p, s[i]),
		   "a stream created while a kernel runs executes concurrently");
	}
	ok(made == 5, "streams created while a kernel runs create no queue");
	refused(sov_stream_create(c, 0, &more), SOV_ERROR_TIMEOUT,
		"(2) are in use; create streams before",
		"creating a stream without spare queues under a running kernel times out with "
		"advice");
	good(sov_context_status(c), "a context survives a stream creation that timed out");
	MUST(launch(opener, NULL, 1, 1, "84", ARGUMENTS(&words, &one)));
	good(sov_stream_create(c, 0, &more), "a stream can be created after the kernel has ended");
	ok(adds(c, add, p, more), "a stream created after the kernel has ended works");
	for (i = 2; i < 4; i++)
		copies(c, s[i]);

	for (i = 0; i < 2; i++)
		MUST(sov_stream_destroy(s[i]));
	before = live;
	MUST(sov_stream_destroy(s[2]));
	ok(live < before, "at most two spare queues are kept");
	MUST(sov_context_reset(c));
	ok(live == 3 && adds(c, add, p, more),
	   "a reset drops spare queues, and streams keep working");
	MUST(sov_context_destroy(c));
	ok(!live, "destroying the context destroys all queues");

	c = context_with_spares(0);
	MUST(sov_stream_create(c, 0, &s[0]));
	MUST(sov_stream_destroy(s[0]));
	ok(made == 2 && live == 1, "no spare queues are kept where the winsys needs none");
	MUST(sov_context_destroy(c));
	return tap_done();
}
