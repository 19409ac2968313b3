// SPDX-License-Identifier: MIT
/*
 * CPU mappings of GPU memory may fail. Then calls fail without freeing anything twice, and succeed
 * once mappings are possible again.
 */
#include "libsov/runtime/context/device.h"
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

static struct winsys fake_winsys; /* the software GPU's winsys, with the function below replaced */
static bool mapping_fails;

static void *cpu(struct winsys_buffer *b)
{
	return mapping_fails ? NULL : winsys_soft.buffer_map(b);
}

/* Copies through a staging buffer, when mappings are possible again. */
static void copies(sov_context c)
{
	static uint8_t host[1 << 20];
	sov_ptr p;

	MUST(sov_memory_alloc(c, sizeof(host), &p));
	mapping_fails = true;
	sov_memory_copy(c, p, SOV_HOST(host), sizeof(host)); /* may use another copy method */
	mapping_fails = false;
	good(sov_memory_copy(c, p, SOV_HOST(host), sizeof(host)),
	     "a copy works after CPU mappings are possible again");
	MUST(sov_memory_free(c, p));
}

static void loads(sov_context c)
{
	sov_module m;

	mapping_fails = true;
	refused(sov_module_load(c, PTX_ADD, strlen(PTX_ADD), NULL, &m),
		SOV_ERROR_OUT_OF_HOST_MEMORY, "gave the CPU no mapping",
		"loading a module fails if its code cannot be mapped");
	mapping_fails = false;
	good(sov_module_load(c, PTX_ADD, strlen(PTX_ADD), NULL, &m),
	     "loading a module succeeds after mappings are possible again");
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
	mapping_fails = true;
	refused(sov_graph_instantiate(g, &run), SOV_ERROR_OUT_OF_HOST_MEMORY,
		"gave the CPU no mapping",
		"instantiating a graph fails if its memory cannot be mapped");
	mapping_fails = false;
	good(sov_graph_instantiate(g, &run),
	     "instantiating a graph succeeds after mappings are possible again");
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
	fake_winsys = winsys_soft;
	fake_winsys.buffer_map = cpu;
	d->winsys = &fake_winsys;
	object_put(&d->object);
	MUST(sov_context_create(device, NULL, &c));
	loads(c);
	graphs(c);
	copies(c);
	MUST(sov_context_destroy(c));
	return tap_done();
}
