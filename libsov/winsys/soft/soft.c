// SPDX-License-Identifier: MIT
/*
 * The back end for the software GPU in the process (the model). It stands in for a kernel driver:
 * it allocates video memory, maps pages, creates channels and reports failed groups. The runtime
 * submits work as it does to hardware, through rings and doorbells.
 *
 * A model is created on first use; enumeration is free.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "hw/amd/queue.h"
#include "hw/nv/compute.h"
#include "hw/nv/host.h"
#include "libsov/runtime/base/range.h"
#include "libsov/sov.h"
#include "libsov/winsys/soft/soft.h"
#include "libsov/winsys/soft/soft_share.h"
#include "libsov/winsys/winsys.h"
#include "model/translate/emit.h"

#define PAGE_BYTES            4096u
#define LARGE_PAGE_BYTES      (2u << 20)
/* AMD's RDNA2 white paper: four shader engines of 20 compute units. */
#define NAVI21_SHADER_ENGINES 4

struct winsys_device {
	struct model_config config;
	pthread_mutex_t lock; /* for the members below */
	struct model *model;  /* NULL: not created yet */
	uint8_t *vram;
	struct ranges free_vram;
};

struct winsys_buffer {
	struct winsys_device *device;
	enum winsys_placement placement;
	bool imported;
	bool opened;   /* a mapping of another process's file */
	bool exported; /* the memory is that of the file fd */
	int fd;
	struct winsys_export export;
	uint64_t bytes, offset; /* offset: in VRAM */
	void *cpu;
};

struct winsys_queue {
	struct winsys_group *group;
	struct winsys_queue *next;
	struct model_channel *channel;
	struct winsys_queue_memory memory;
	void *userd;
	struct nv_notification notifier;
};

struct winsys_group {
	struct winsys_device *device;
	struct model_space *space;

	pthread_mutex_t lock; /* for the members below */
	pthread_cond_t wake;
	struct winsys_queue *queues;
	uint32_t interrupts;
	bool failed; /* also read without the lock */
};

/* ---- devices ---- */

static struct winsys_device *devices[SOFT_MAX_DEVICES]; /* never freed */

/* Half of the host's memory, so that a program that fills VRAM still has host memory. */
static uint64_t default_vram(void)
{
	uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;

	return half & ~((UINT64_C(1) << 26) - 1);
}

/* The order of warps; 0: by number. */
static bool read_seed(uint64_t *seed, char *message, size_t message_bytes)
{
	const char *text = secure_getenv("SOV_SEED");
	char *end = NULL;

	*seed = 0;
	if (!text || !*text)
		return true;
	errno = 0;
	if (*text >= '0' && *text <= '9')
		*seed = strtoull(text, &end, 10);
	if (*seed && !*end && !errno)
		return true;
	snprintf(message, message_bytes, "SOV_SEED is '%s'; it must be a number from 1 on", text);
	return false;
}

/* argument: of the channel. */
static void soft_profiled(void *argument, const struct launch_counts *l)
{
	winsys_counted(argument, l);
}

static int soft_enumerate(uint32_t devices_before, struct winsys_device ***out, uint32_t *count,
			  char *message, size_t message_bytes)
{
	const char *text = secure_getenv("SOV_SOFT");
	const char *translate = secure_getenv("SOV_SOFT_TRANSLATE");
	struct model_config list[SOFT_MAX_DEVICES];
	uint32_t i, checks;
	uint64_t seed;

	if (!text)
		text = devices_before ? "none" : "gh100";
	*out = devices;
	if (!read_seed(&seed, message, message_bytes) ||
	    !soft_checks_parse(secure_getenv("SOV_CHECK"), &checks, message, message_bytes))
		return -EINVAL;
	if (!soft_list_parse(text, list, count, message, message_bytes))
		return -EINVAL;
	for (i = 0; i < *count; i++) {
		if (!soft_translate_parse(translate ? translate : SOFT_TRANSLATE_DEFAULT, &list[i],
					  message, message_bytes))
			return -EINVAL;
		if (!devices[i]) {
			devices[i] = calloc(1, sizeof(*devices[i]));
			if (!devices[i]) {
				snprintf(message, message_bytes,
					 "out of host memory for a software GPU");
				return -ENOMEM;
			}
			pthread_mutex_init(&devices[i]->lock, NULL);
		}
		devices[i]->config = list[i];
		devices[i]->config.order_seed = seed;
		devices[i]->config.profiled = winsys_counted ? soft_profiled : NULL;
		devices[i]->config.checks = checks;
		if (checks) /* what is reported is the same in each run */
			devices[i]->config.threads = 1;
		if (!list[i].vram_bytes)
			devices[i]->config.vram_bytes = default_vram();
	}
	return 0;
}

static void soft_forget(void)
{
	memset(devices, 0, sizeof(devices));
}

static void soft_info(struct winsys_device *d, struct winsys_info *out)
{
	const struct model_chip *c = d->config.chip;
	static const char *const execution[] = {[EMIT_NONE] = "interpreting",
						[EMIT_AVX2] = "translating to AVX2",
						[EMIT_AVX512] = "translating to AVX-512"};

	*out = (struct winsys_info){
		.multiprocessors = c->sm_count,
		.warps_per_multiprocessor = c->warps_per_sm,
		.max_threads_per_block = c->max_threads_per_block,
		.shared_per_block = c->shared_per_block,
		.shared_per_multiprocessor = c->shared_per_sm,
		.registers_per_multiprocessor = c->registers_per_sm,
		.page_bytes = PAGE_BYTES,
		.large_page_bytes = c->sm ? LARGE_PAGE_BYTES : PAGE_BYTES,
		.min_priority = -1,
		.max_priority = 1,
		.import_page_bytes = PAGE_BYTES,
		.copy_queues = true,
		.memory_bytes = d->config.vram_bytes,
		.software = true,
		.hazard = d->config.hazard,
		.checks = d->config.checks,
		.redzone_bytes = d->config.checks ? SOFT_REDZONE_BYTES : 0,
		.vendor = c->sm ? WINSYS_VENDOR_NV : WINSYS_VENDOR_AMD,
	};
	if (c->sm)
		out->nv = (struct winsys_nv_info){
			.sm = c->sm,
			.sms_per_tpc = c->sms_per_tpc,
			.tpcs = (c->sm_count + c->sms_per_tpc - 1) / c->sms_per_tpc,
			.host_class = c->host_class,
			.compute_class = c->compute_class,
			.copy_class = c->copy_class,
		};
	else
		out->amd.shader_engines = NAVI21_SHADER_ENGINES;
	snprintf(out->chip, sizeof(out->chip), "%s", c->name);
	snprintf(out->product, sizeof(out->product), "%s", c->product);
	snprintf(out->target, sizeof(out->target), "%s", c->target);
	snprintf(out->driver, sizeof(out->driver), "libsov %d.%d, in the process, %s",
		 SOV_VERSION_MAJOR, SOV_VERSION_MINOR, execution[model_translates(&d->config)]);
}

static uint64_t soft_gpu_time(struct winsys_device *d)
{
	(void)d; /* all models share one clock */
	return model_nanoseconds();
}

/* Called with the device's lock held. */
static int model_get(struct winsys_device *d)
{
	uint64_t bytes;
	int error;

	if (d->model)
		return 0;
	error = model_create(&d->config, &d->model);
	if (error)
		return error;
	d->vram = model_vram(d->model, &bytes);
	if (ranges_add(&d->free_vram, 0, bytes))
		return 0;
	model_destroy(d->model);
	d->model = NULL;
	return -ENOMEM;
}

/* ---- memory ---- */

static int buffer_alloc(struct winsys_device *d, struct winsys_buffer *b)
{
	int error;

	if (b->placement == WINSYS_SYSTEM) {
		b->cpu = aligned_alloc(PAGE_BYTES, b->bytes);
		return b->cpu ? 0 : -ENOMEM;
	}
	pthread_mutex_lock(&d->lock);
	error = model_get(d);
	if (!error && !ranges_take(&d->free_vram, b->bytes, PAGE_BYTES, &b->offset))
		error = -ENOMEM;
	pthread_mutex_unlock(&d->lock);
	if (!error)
		b->cpu = d->vram + b->offset;
	return error;
}

static int soft_buffer_create(struct winsys_device *d, enum winsys_placement placement,
			      uint64_t bytes, struct winsys_buffer **out)
{
	struct winsys_buffer *b = calloc(1, sizeof(*b));
	int error;

	if (!b)
		return -ENOMEM;
	b->device = d;
	b->placement = placement;
	b->bytes = bytes;
	error = buffer_alloc(d, b);
	if (error)
		free(b);
	else
		*out = b;
	return error;
}

static int soft_buffer_import(struct winsys_device *d, void *memory, uint64_t bytes,
			      struct winsys_buffer **out)
{
	struct winsys_buffer *b;

	if (!memory || !bytes || ((uintptr_t)memory | bytes) % PAGE_BYTES)
		return -EINVAL;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	*b = (struct winsys_buffer){.device = d,
				    .placement = WINSYS_SYSTEM,
				    .imported = true,
				    .bytes = bytes,
				    .cpu = memory};
	*out = b;
	return 0;
}

static int soft_buffer_export(struct winsys_buffer *b, struct winsys_export *out)
{
	int error = 0;

	if (b->opened || b->placement != WINSYS_VRAM)
		return -EINVAL;
	if (!b->exported)
		error = soft_share_create(b->cpu, b->bytes, &b->fd, &b->export);
	if (!error) {
		b->exported = true;
		*out = b->export;
	}
	return error;
}

static int soft_buffer_open(struct winsys_device *d, const struct winsys_export *e, uint64_t bytes,
			    struct winsys_buffer **out)
{
	struct winsys_buffer *b = calloc(1, sizeof(*b));
	int error;

	if (!b)
		return -ENOMEM;
	*b = (struct winsys_buffer){
		.device = d, .placement = WINSYS_SYSTEM, .opened = true, .bytes = bytes};
	error = soft_share_open(e, bytes, &b->cpu);
	if (error)
		free(b);
	else
		*out = b;
	return error;
}

static void soft_buffer_destroy(struct winsys_buffer *b)
{
	struct winsys_device *d = b->device;

	if (b->exported)
		soft_share_end(b->cpu, b->bytes, b->fd);
	if (b->opened) {
		munmap(b->cpu, b->bytes);
	} else if (b->placement == WINSYS_SYSTEM) {
		if (!b->imported)
			free(b->cpu);
	} else {
		pthread_mutex_lock(&d->lock);
		ranges_give(&d->free_vram, b->offset, b->bytes);
		pthread_mutex_unlock(&d->lock);
	}
	free(b);
}

static void *soft_buffer_map(struct winsys_buffer *b)
{
	return b->cpu;
}

static void soft_memory_info(struct winsys_device *d, uint64_t *free_bytes, uint64_t *total_bytes)
{
	pthread_mutex_lock(&d->lock);
	*total_bytes = d->config.vram_bytes;
	*free_bytes = d->model ? d->free_vram.free_bytes : *total_bytes;
	pthread_mutex_unlock(&d->lock);
}

/* A software GPU lives in its process, which computes on it as soon as the model exists. */
static int soft_processes(struct winsys_device *d, struct winsys_process *out, uint32_t capacity,
			  uint32_t *count)
{
	pthread_mutex_lock(&d->lock);
	*count = !!d->model;
	if (d->model && capacity)
		*out = (struct winsys_process){
			.pid = (uint32_t)getpid(),
			.memory_bytes = d->config.vram_bytes - d->free_vram.free_bytes,
		};
	pthread_mutex_unlock(&d->lock);
	return 0;
}

/* ---- groups ---- */

static int soft_group_create(struct winsys_device *d, struct winsys_group **out)
{
	struct winsys_group *g = calloc(1, sizeof(*g));
	int error;

	if (!g)
		return -ENOMEM;
	g->device = d;
	pthread_mutex_lock(&d->lock);
	error = model_get(d);
	pthread_mutex_unlock(&d->lock);
	if (!error)
		error = model_space_create(d->model, &g->space);
	if (error) {
		free(g);
		return error;
	}
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->wake, NULL);
	*out = g;
	return 0;
}

/* So that soft_group_error says where a kernel was; model_channel_destroy also stops running work.
 * The caller guards the list of queues. Not with the group's lock, which the interrupt handler
 * takes. */
static void soft_group_stop(struct winsys_group *g)
{
	struct winsys_queue *q;

	for (q = g->queues; q; q = q->next)
		model_channel_stop(q->channel);
}

static void soft_group_destroy(struct winsys_group *g)
{
	model_space_destroy(g->space);
	pthread_cond_destroy(&g->wake);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

static int soft_bind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va)
{
	/* NVIDIA's kernel module does not map large pages elsewhere either. */
	if (g->device->config.chip->sm && b->placement == WINSYS_VRAM &&
	    !(b->bytes % LARGE_PAGE_BYTES) && va % LARGE_PAGE_BYTES) {
		winsys_set_error("%llu bytes of large pages cannot be at 0x%llx",
				 (unsigned long long)b->bytes, (unsigned long long)va);
		return -EINVAL;
	}
	return model_map(g->space, va, b->cpu, b->bytes, MODEL_READ | MODEL_WRITE | MODEL_ATOMIC);
}

static int soft_unbind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va)
{
	return model_unmap(g->space, va, b->bytes);
}

static void describe_error(const struct model_error *e, struct winsys_queue *q,
			   struct winsys_error *out)
{
	*out = (struct winsys_error){
		.queue = q,
		.vendor_code = e->xid,
		.stopped = e->fault == MODEL_FAULT_STOPPED,
		.memory = e->fault == MODEL_FAULT_MMU || e->fault == MODEL_FAULT_MISALIGNED,
		.misaligned = e->fault == MODEL_FAULT_MISALIGNED,
		.illegal_instruction = e->fault == MODEL_FAULT_ILLEGAL_INSTRUCTION,
		.address = e->address,
		.pc = e->pc,
		.program = e->program,
		.has_thread = e->pc,
	};
	memcpy(out->block, e->cta, sizeof(out->block));
	memcpy(out->thread, e->thread, sizeof(out->thread));
	memcpy(out->text, e->text, sizeof(out->text));
}

static bool soft_group_error(struct winsys_group *g, struct winsys_error *out)
{
	bool found = false;
	struct winsys_queue *q;
	struct model_error e;

	if (!__atomic_load_n(&g->failed, __ATOMIC_ACQUIRE))
		return false;
	pthread_mutex_lock(&g->lock);
	for (q = g->queues; q && !found; q = q->next)
		if ((found = model_channel_error(q->channel, &e)))
			describe_error(&e, q, out);
	pthread_mutex_unlock(&g->lock);
	return found;
}

/* The interrupt handler; the model's threads call it. */
static void soft_interrupt(void *argument, bool failed)
{
	struct winsys_group *g = argument;

	pthread_mutex_lock(&g->lock);
	g->interrupts++;
	if (failed)
		__atomic_store_n(&g->failed, true, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&g->wake);
	pthread_mutex_unlock(&g->lock);
}

static void soft_wait(struct winsys_group *g, uint32_t *seen, uint64_t nanoseconds)
{
	struct timespec end;
	int timed_out = 0;

	clock_gettime(CLOCK_REALTIME, &end);
	nanoseconds += (uint64_t)end.tv_nsec;
	end.tv_sec += (time_t)(nanoseconds / 1000000000);
	end.tv_nsec = (long)(nanoseconds % 1000000000);
	pthread_mutex_lock(&g->lock);
	while (g->interrupts == *seen && !timed_out)
		timed_out = pthread_cond_timedwait(&g->wake, &g->lock, &end);
	*seen = g->interrupts;
	pthread_mutex_unlock(&g->lock);
}

/* ---- queues ---- */

/* The memory of a channel's PUT and GET per vendor, and the unit in which they count. */
static const struct userd_layout {
	uint32_t bytes, put, get, unit; /* unit: bytes of what model.h calls an entry */
} nv_userd = {NV_USERD_BYTES, NV_USERD_GP_PUT, NV_USERD_GP_GET, NV_GP_ENTRY_BYTES},
  amd_userd = {AMD_QUEUE_BYTES, AMD_QUEUE_PUT, AMD_QUEUE_GET, 4};

/* NVIDIA's channels accept both classes, so the engine makes no difference there. */
static int soft_queue_create(struct winsys_group *g, const struct winsys_queue_options *o,
			     struct winsys_queue **out)
{
	bool amd = !g->device->config.chip->sm;
	const struct userd_layout *layout = amd ? &amd_userd : &nv_userd;
	struct winsys_queue *q = calloc(1, sizeof(*q));
	struct model_channel_config config = {
		.ring_va = o->ring_va,
		.ring_entries = o->ring_entries * (o->ring_entry_bytes / layout->unit),
		.copy_only = amd && o->engine == WINSYS_COPY,
		.priority = o->priority,
		.interrupt = soft_interrupt,
		.argument = g,
	};
	int error = -ENOMEM;

	if (!q)
		return error;
	q->group = g;
	q->userd = aligned_alloc(layout->bytes, layout->bytes);
	if (q->userd) {
		memset(q->userd, 0, layout->bytes);
		config.userd = q->userd;
		config.notifier = &q->notifier;
		error = model_channel_create(g->device->model, g->space, &config, &q->channel);
	}
	if (error) {
		free(q->userd);
		free(q);
		return error;
	}
	q->memory.ring = (uint64_t *)((uint8_t *)o->ring->cpu + o->ring_offset);
	q->memory.ring_entries = o->ring_entries;
	q->memory.wide = amd;
	q->memory.put = (uint32_t *)((uint8_t *)q->userd + layout->put);
	q->memory.get = (uint32_t *)((uint8_t *)q->userd + layout->get);
	pthread_mutex_lock(&g->lock);
	q->next = g->queues;
	g->queues = q;
	pthread_mutex_unlock(&g->lock);
	*out = q;
	return 0;
}

static void soft_queue_destroy(struct winsys_queue *q)
{
	struct winsys_queue **p = &q->group->queues;

	pthread_mutex_lock(&q->group->lock);
	while (*p != q)
		p = &(*p)->next;
	*p = q->next;
	pthread_mutex_unlock(&q->group->lock);
	model_channel_destroy(q->channel);
	free(q->userd);
	free(q);
}

static void soft_queue_memory(struct winsys_queue *q, struct winsys_queue_memory *out)
{
	*out = q->memory;
}

static void soft_ring_doorbell(struct winsys_queue *q)
{
	model_doorbell(q->group->device->model, model_channel_token(q->channel));
}

/* ---- checked programs ---- */

static int soft_group_allocated(struct winsys_group *g, const struct winsys_allocation *a)
{
	return soft_memory_allocated(g->space, a);
}

static void soft_group_freed(struct winsys_group *g, uint64_t va,
			     const struct winsys_origin *origin)
{
	soft_memory_freed(g->space, va, origin);
}

static void soft_group_initialised(struct winsys_group *g, uint64_t va)
{
	model_memory_initialised(g->space, va);
}

static bool soft_group_report(struct winsys_group *g, struct winsys_report *out)
{
	return soft_report(g->space, out);
}

const struct winsys winsys_soft = {
	.name = "soft",
	.enumerate = soft_enumerate,
	.forget = soft_forget,
	.info = soft_info,
	.gpu_time = soft_gpu_time,
	.buffer_create = soft_buffer_create,
	.buffer_import = soft_buffer_import,
	.buffer_export = soft_buffer_export,
	.buffer_open = soft_buffer_open,
	.buffer_destroy = soft_buffer_destroy,
	.buffer_map = soft_buffer_map,
	.memory_info = soft_memory_info,
	.processes = soft_processes,
	.group_create = soft_group_create,
	.group_stop = soft_group_stop,
	.group_destroy = soft_group_destroy,
	.bind = soft_bind,
	.unbind = soft_unbind,
	.group_error = soft_group_error,
	.wait = soft_wait,
	.queue_create = soft_queue_create,
	.queue_destroy = soft_queue_destroy,
	.queue_memory = soft_queue_memory,
	.ring_doorbell = soft_ring_doorbell,
	.memory_allocated = soft_group_allocated,
	.memory_freed = soft_group_freed,
	.memory_initialised = soft_group_initialised,
	.report = soft_group_report,
};
