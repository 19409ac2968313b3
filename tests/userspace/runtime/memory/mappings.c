/* SPDX-License-Identifier: MIT */
/*
 * There is not always room for the CPU to see one more piece of a GPU's memory. Then calls are
 * refused, nothing is given back twice, and once there is room again they work.
 */
#include "libsov/runtime/runtime.h"
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

static struct winsys way; /* the software GPU's, with the function below */
static bool no_room;

static void *cpu(struct winsys_buffer *b)
{
	return no_room ? NULL : winsys_soft.buffer_map(b);
}

/* By a buffer in the middle, when there is room again. */
static void copies(sov_context c)
{
	static uint8_t host[1 << 20];
	sov_ptr p;

	MUST(sov_memory_alloc(c, sizeof(host), &p));
	no_room = true;
	sov_memory_copy(c, p, SOV_HOST(host), sizeof(host)); /* may know another way */
	no_room = false;
	good(sov_memory_copy(c, p, SOV_HOST(host), sizeof(host)),
	     "a copy works when there is room again");
	MUST(sov_memory_free(c, p));
}

static void loads(sov_context c)
{
	sov_module m;

	no_room = true;
	refused(sov_module_load(c, PTX_ADD, strlen(PTX_ADD), NULL, &m),
		SOV_ERROR_OUT_OF_HOST_MEMORY, "gave the CPU no way",
		"a module whose code cannot be written is refused");
	no_room = false;
	good(sov_module_load(c, PTX_ADD, strlen(PTX_ADD), NULL, &m),
	     "and loaded when there is room again");
	MUST(sov_module_unload(m));
}

static void graphs(sov_context c)
{
	sov_graph_exec run;
	sov_node node;
	sov_graph g;
	sov_ptr p;

	MUST(sov_memory_alloc(c, 8, &p));
	MUST(sov_graph_create(c, 0, &g));
	MUST(sov_graph_add_fill(g, NULL, 0, p, 7, 4, 2, &node));
	no_room = true;
	refused(sov_graph_instantiate(g, &run), SOV_ERROR_OUT_OF_HOST_MEMORY, "gave the CPU no way",
		"a graph that cannot be written down is refused");
	no_room = false;
	good(sov_graph_instantiate(g, &run), "and made ready when there is room again");
	MUST(sov_graph_exec_destroy(run));
	MUST(sov_graph_destroy(g));
}

int main(void)
{
	sov_device device;
	struct device *d;
	sov_context c;

	soft_gpus("gh100:vram=64M");
	setenv("SOV_VISIBLE_DEVICES", soft_name("gh100.0"), 1);
	setenv("SOV_CACHE_SIZE", "0", 1);
	MUST(sov_device_open(0, &device));
	d = object_get(device, OBJECT_DEVICE);
	way = winsys_soft;
	way.buffer_map = cpu;
	d->winsys = &way;
	object_put(&d->object);
	MUST(sov_context_create(device, NULL, &c));
	loads(c);
	graphs(c);
	copies(c);
	MUST(sov_context_destroy(c));
	return tap_done();
}
