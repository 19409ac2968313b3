// SPDX-License-Identifier: MIT
/* The fake's state, files, and ioctls: see model_kfd.h. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "hw/amd/kfd.h"
#include "hw/amd/queue.h"
#include "libsov/runtime/base/range.h"
#include "libsov/winsys/kfd/kfd.h"
#include "model/kfd/model_kfd.h"
#include "model/kfd/state.h"
#include "model/kfd/topology.h"

#define PAGE_BYTES   4096u
#define FIRST_GPU_ID 0x5a00u
#define FIRST_FILE   100000
#define FILES        16
#define OBJECTS      65536u
#define EVENTS       512u
#define QUEUES       128u
#define COPY_QUEUES  (2 * 8u)            /* of a GPU: engines and queues of each */
#define DOORBELLS    (UINT64_C(1) << 62) /* mmap offsets of doorbells */
#define UNSIGNALLED  UINT64_MAX

struct model_kfd model_kfd;

/*
 * Threads of the model interrupt, and calls that change address spaces wait for these threads. So
 * there are two locks: one for calls, which is taken first, and one for events and for the queues'
 * states, which is never held during a call of the model except model_channel_error.
 */
static struct {
	pthread_mutex_t calls, lock;
	pthread_cond_t wake;
	struct gpu gpus[MODEL_KFD_GPUS];
	uint32_t count, maps;
	struct {
		enum file_kind kind;
		uint32_t gpu;
	} files[FILES];
	struct object *objects;
	struct event events[EVENTS]; /* an event's number is its index + 1 */
	struct queue queues[QUEUES];
	uint64_t *event_page;
	struct object *event_object;
} fake = {
	.calls = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.wake = PTHREAD_COND_INITIALIZER,
};

/* ---- checks ---- */

/* Counts a call that a driver would not have expected. */
__attribute__((format(printf, 1, 2))) static int wrong(const char *fmt, ...)
{
	va_list ap;

	if (!__atomic_fetch_add(&model_kfd.wrong, 1, __ATOMIC_RELAXED)) {
		va_start(ap, fmt);
		vsnprintf(model_kfd.why, sizeof(model_kfd.why), fmt, ap);
		va_end(ap);
	}
	return -EINVAL;
}

static bool fails_now(void)
{
	bool now = __atomic_add_fetch(&model_kfd.calls, 1, __ATOMIC_RELAXED) == model_kfd.fail_at;

	model_kfd.failed |= now;
	return now;
}

static struct gpu *gpu_of(uint32_t gpu_id)
{
	uint32_t i = gpu_id - FIRST_GPU_ID;

	return i < fake.count ? &fake.gpus[i] : NULL;
}

static uint32_t index_of(const struct gpu *g)
{
	return (uint32_t)(g - fake.gpus);
}

uint32_t model_kfd_live(void)
{
	uint32_t i, n = fake.maps;

	for (i = 0; i < FILES; i++)
		n += fake.files[i].kind != FILE_CLOSED;
	for (i = 0; i < OBJECTS; i++)
		n += fake.objects[i].live + !!fake.objects[i].mapped;
	for (i = 0; i < EVENTS; i++)
		n += fake.events[i].live;
	for (i = 0; i < QUEUES; i++)
		n += fake.queues[i].live;
	return n;
}

/* ---- files and sysfs ---- */

static int fake_open(const char *path)
{
	uint32_t minor = 0, i;
	bool render = sscanf(path, KFD_RENDER_FILE, &minor) == 1;
	int error = render ? model_kfd.render_error : model_kfd.open_error;

	if (!render && strcmp(path, KFD_FILE))
		error = ENOENT;
	if (render && minor - FIRST_MINOR >= fake.count)
		error = ENOENT;
	if (!error && fails_now())
		error = EMFILE;
	for (i = 0; i < FILES && fake.files[i].kind; i++)
		;
	if (error || i == FILES) {
		errno = error ? error : EMFILE;
		return -1;
	}
	fake.files[i].kind = render ? FILE_RENDER : FILE_KFD;
	fake.files[i].gpu = minor - FIRST_MINOR;
	return FIRST_FILE + (int)i;
}

static enum file_kind file_kind(int file)
{
	return file < FIRST_FILE || file >= FIRST_FILE + FILES ? FILE_CLOSED
							       : fake.files[file - FIRST_FILE].kind;
}

static void release_object(struct object *o);

/* What amdkfd frees with a process, which for a test ends when it closes the file. */
static void end_process(void)
{
	if (fake.event_object)
		release_object(fake.event_object);
	fake.event_object = NULL;
	fake.event_page = NULL;
}

static int fake_close(int file)
{
	if (file_kind(file) == FILE_CLOSED) {
		wrong("close(%d)", file);
		return 0;
	}
	if (file_kind(file) == FILE_KFD)
		end_process();
	fake.files[file - FIRST_FILE].kind = FILE_CLOSED;
	return 0;
}

/* Node 0 is the CPU. */
static int fake_read(const char *path, char *text, size_t bytes)
{
	char file[64];
	uint32_t node, bank;
	const struct gpu *g;

	if (sscanf(path, KFD_TOPOLOGY "/%u/%63s", &node, file) != 2 || node > fake.count)
		return -ENOENT;
	if (fails_now())
		return -EIO;
	g = node ? &fake.gpus[node - 1] : NULL;
	if (!strcmp(file, "gpu_id"))
		return snprintf(text, bytes, "%u\n", node ? FIRST_GPU_ID + node - 1 : 0);
	if (g && !strcmp(file, "properties"))
		return model_kfd_properties(&g->config, node - 1, text, bytes);
	if (g && sscanf(file, "mem_banks/%u/properties", &bank) == 1 && !bank)
		return snprintf(text, bytes,
				"heap_type 1\nsize_in_bytes %" PRIu64 "\nflags 0\nwidth 256\n"
				"mem_clk_max 1000\n",
				g->config.vram_bytes);
	return -ENOENT;
}

/* ---- memory ---- */

static struct object *object_of(uint64_t handle)
{
	return handle && handle <= OBJECTS && fake.objects[handle - 1].live
		       ? &fake.objects[handle - 1]
		       : NULL;
}

static int back_object(struct object *o, uint64_t user)
{
	struct gpu *g = &fake.gpus[o->gpu];

	if (o->flags & KFD_MEMORY_USER) {
		o->backing = (uint8_t *)(uintptr_t)user;
	} else if (o->flags & KFD_MEMORY_VRAM) {
		if (!ranges_take(&g->free_vram, o->bytes, PAGE_BYTES, &o->offset))
			return -ENOMEM;
		o->backing = g->vram + o->offset;
	} else {
		o->backing = mmap(NULL, o->bytes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (o->backing == MAP_FAILED)
			return -ENOMEM;
	}
	return 0;
}

static void release_object(struct object *o)
{
	if (o->flags & KFD_MEMORY_VRAM)
		ranges_give(&fake.gpus[o->gpu].free_vram, o->offset, o->bytes);
	else if (o->flags & KFD_MEMORY_GTT)
		munmap(o->backing, o->bytes);
	o->live = false;
}

static int alloc_memory(struct kfd_alloc_memory *a)
{
	const uint32_t kinds = KFD_MEMORY_VRAM | KFD_MEMORY_GTT | KFD_MEMORY_USER;
	struct gpu *g = gpu_of(a->gpu_id);
	struct object *o = fake.objects;
	uint32_t kind = a->flags & kinds;
	int error;

	if (!g || !g->model || !a->bytes || (a->va | a->bytes) % PAGE_BYTES || !kind ||
	    kind & (kind - 1) || a->va >> AMD_VA_BITS || !a->va)
		return wrong("memory: gpu %x, flags %x, %" PRIu64 " bytes at %" PRIx64, a->gpu_id,
			     a->flags, a->bytes, a->va);
	if (kind == KFD_MEMORY_USER && (!a->mmap_offset || a->mmap_offset % PAGE_BYTES))
		return wrong("memory: user memory at %" PRIx64, a->mmap_offset);
	while (o < fake.objects + OBJECTS && o->live)
		o++;
	if (o == fake.objects + OBJECTS)
		return -ENOMEM;
	*o = (struct object){.va = a->va, .bytes = a->bytes, .flags = a->flags, .gpu = index_of(g)};
	error = back_object(o, a->mmap_offset);
	if (error)
		return error;
	o->live = true;
	a->handle = (uint64_t)(o - fake.objects) + 1;
	if (kind != KFD_MEMORY_USER)
		a->mmap_offset = a->handle << 16;
	return 0;
}

static int free_memory(const struct kfd_free_memory *f)
{
	struct object *o = object_of(f->handle);

	if (!o)
		return wrong("free: handle %" PRIx64, f->handle);
	if (o == fake.event_object)
		return -EPERM;
	if (o->mapped || o->queues) {
		wrong("free: handle %" PRIx64 " is in use", f->handle);
		return -EBUSY;
	}
	release_object(o);
	return 0;
}

static int map_memory(struct kfd_map_memory *m, bool map)
{
	struct object *o = object_of(m->handle);
	const uint32_t *ids = (const uint32_t *)(uintptr_t)m->gpu_ids;
	int error = 0;

	if (!o || !m->count || m->done > m->count)
		return wrong("map: handle %" PRIx64 ", %u of %u", m->handle, m->done, m->count);
	for (; !error && m->done < m->count; m->done += !error) {
		struct gpu *g = gpu_of(ids[m->done]);
		uint32_t bit;

		if (!g || !g->model)
			return wrong("map: gpu %x", ids[m->done]);
		bit = 1u << index_of(g);
		if (!(o->mapped & bit) == !map)
			return wrong("map: handle %" PRIx64 " is %smapped", m->handle,
				     map ? "" : "not ");
		if (!map && o->queues)
			return wrong("unmap: a queue uses handle %" PRIx64, m->handle);
		error = map ? model_map(g->space, o->va, o->backing, o->bytes,
					MODEL_READ | MODEL_WRITE | MODEL_ATOMIC)
			    : model_unmap(g->space, o->va, o->bytes);
		if (!error)
			o->mapped ^= bit;
	}
	return error;
}

static void *fake_map(size_t bytes, int file, uint64_t offset)
{
	enum file_kind kind = file_kind(file);
	void *p = MAP_FAILED;
	struct object *o;
	struct gpu *g;

	pthread_mutex_lock(&fake.calls);
	errno = EINVAL;
	if (fails_now()) {
		errno = ENOMEM;
	} else if (kind == FILE_KFD) {
		g = gpu_of((uint32_t)(offset >> 16));
		if (offset & DOORBELLS && g && bytes == AMD_DOORBELL_PAGE_BYTES &&
		    !(offset & 0xffff)) {
			p = g->doorbells;
			g->doorbell_maps++;
		} else {
			wrong("mmap of /dev/kfd: %zu bytes at %" PRIx64, bytes, offset);
		}
	} else if (kind == FILE_RENDER) {
		o = object_of(offset >> 16);
		if (o && o->bytes == bytes && o->flags & KFD_MEMORY_GTT)
			p = o->backing;
		else
			wrong("mmap of a render node: %zu bytes at %" PRIx64, bytes, offset);
	} else {
		wrong("mmap of file %d", file);
	}
	fake.maps += p != MAP_FAILED;
	pthread_mutex_unlock(&fake.calls);
	return p;
}

static int fake_unmap(void *address, size_t bytes)
{
	pthread_mutex_lock(&fake.calls);
	if (!fake.maps || !address || !bytes)
		wrong("munmap of %p", address);
	else
		fake.maps--;
	pthread_mutex_unlock(&fake.calls);
	return 0;
}

/* ---- events ---- */

static struct event *event_of(uint32_t id)
{
	return id && id <= EVENTS && fake.events[id - 1].live ? &fake.events[id - 1] : NULL;
}

static int create_event(struct kfd_create_event *c)
{
	struct object *page = object_of(c->event_page);
	struct event *e = fake.events;

	if (c->event_page) {
		if (fake.event_page)
			return -EINVAL;
		if (!page || page->bytes < KFD_EVENT_PAGE_BYTES || !(page->flags & KFD_MEMORY_GTT))
			return wrong("event page %" PRIx64, c->event_page);
		fake.event_object = page;
		fake.event_page = (uint64_t *)(void *)page->backing;
		memset(fake.event_page, 0xff, KFD_EVENT_PAGE_BYTES);
	}
	/* amdkfd has taken the page then. */
	if (fails_now())
		return -ENOMEM;
	if (!fake.event_page)
		return wrong("an event without an event page");
	while (e < fake.events + EVENTS && e->live)
		e++;
	if (e == fake.events + EVENTS)
		return -ENOSPC;
	c->event_id = (uint32_t)(e - fake.events) + 1;
	c->slot = c->type == KFD_EVENT_SIGNAL ? c->event_id : 0;
	*e = (struct event){
		.live = true, .auto_reset = c->auto_reset, .type = c->type, .slot = c->slot};
	return 0;
}

static int destroy_event(const struct kfd_destroy_event *d)
{
	struct event *e = event_of(d->event_id);

	if (!e)
		return wrong("destroying event %u", d->event_id);
	e->live = false;
	return 0;
}

static int reset_event(const struct kfd_destroy_event *r)
{
	struct event *e = event_of(r->event_id);

	if (!e)
		return wrong("resetting event %u", r->event_id);
	e->signalled = false;
	return 0;
}

static void signal_event(struct event *e)
{
	e->signalled = true;
	pthread_cond_broadcast(&fake.wake);
}

/* An interrupt with this context; a thread of the model calls it. */
static void on_event(void *argument, uint32_t context)
{
	struct event *e;

	(void)argument;
	pthread_mutex_lock(&fake.lock);
	e = event_of(context);
	if (!e || e->type != KFD_EVENT_SIGNAL)
		wrong("an interrupt with the context %u, which is no event", context);
	if (e && e->type == KFD_EVENT_SIGNAL && fake.event_page &&
	    fake.event_page[e->slot] != UNSIGNALLED) {
		fake.event_page[e->slot] = UNSIGNALLED;
		signal_event(e);
	}
	pthread_mutex_unlock(&fake.lock);
}

static void on_interrupt(void *argument, bool failed)
{
	struct queue *q = argument;

	if (!failed)
		return;
	pthread_mutex_lock(&fake.lock);
	q->failed = true;
	pthread_cond_broadcast(&fake.wake);
	pthread_mutex_unlock(&fake.lock);
}

static void raise_exception(struct gpu *g, uint32_t type, const struct kfd_event_data *data)
{
	uint32_t i;

	g->stopped = true;
	for (i = 0; i < EVENTS; i++) {
		struct event *e = &fake.events[i];

		if (e->live && e->type == type && !e->signalled) {
			e->data = *data;
			signal_event(e);
		}
	}
}

uint32_t model_kfd_exceptions(void)
{
	uint32_t i, n = 0;

	pthread_mutex_lock(&fake.lock);
	for (i = 0; i < EVENTS; i++)
		n += fake.events[i].live && fake.events[i].type != KFD_EVENT_SIGNAL &&
		     fake.events[i].signalled;
	pthread_mutex_unlock(&fake.lock);
	return n;
}

void model_kfd_raise(uint32_t gpu, bool ecc)
{
	struct kfd_event_data data = {
		.hardware = {.reset_cause = ecc ? KFD_RESET_ECC : KFD_RESET_HANG,
			     .memory_lost = 1,
			     .gpu_id = FIRST_GPU_ID + gpu}};

	pthread_mutex_lock(&fake.lock);
	raise_exception(&fake.gpus[gpu], KFD_EVENT_HARDWARE, &data);
	pthread_mutex_unlock(&fake.lock);
}

/* A queue that the model has stopped: an invalid access is a memory exception, all else hangs the
 * queue, which ends in a reset of the GPU. */
static void report_failure(struct queue *q)
{
	uint32_t gpu_id = FIRST_GPU_ID + index_of(q->gpu);
	struct kfd_event_data data = {0};
	struct model_error e;

	q->failed = false;
	if (q->gpu->stopped || !model_channel_error(q->channel, &e))
		return;
	if (e.fault == MODEL_FAULT_MMU) {
		data.memory.gpu_id = gpu_id;
		data.memory.va = e.address & ~(uint64_t)(PAGE_BYTES - 1);
		data.memory.not_present = 1;
		raise_exception(q->gpu, KFD_EVENT_MEMORY, &data);
	} else {
		data.hardware.gpu_id = gpu_id;
		data.hardware.memory_lost = 1;
		raise_exception(q->gpu, KFD_EVENT_HARDWARE, &data);
	}
}

static void report_failures(void)
{
	uint32_t i;

	for (i = 0; i < QUEUES; i++)
		if (fake.queues[i].live && fake.queues[i].failed)
			report_failure(&fake.queues[i]);
}

/* Returns the number of signalled events, and takes them. */
static uint32_t take_events(struct kfd_event_data *data, uint32_t count)
{
	uint32_t i, taken = 0;

	for (i = 0; i < count; i++) {
		struct event *e = event_of(data[i].event_id);

		if (!e || !e->signalled)
			continue;
		taken++;
		e->signalled = !e->auto_reset;
		if (e->type != KFD_EVENT_SIGNAL) {
			e->data.event_id = data[i].event_id;
			data[i] = e->data;
		}
	}
	return taken;
}

static int wait_events(struct kfd_wait_events *w)
{
	struct kfd_event_data *data = (struct kfd_event_data *)(uintptr_t)w->events;
	struct timespec end;
	uint32_t i;
	bool timed_out = false;

	for (i = 0; i < w->count; i++)
		if (!event_of(data[i].event_id))
			return wrong("waiting for event %u", data[i].event_id);
	if (w->all || !w->count)
		return wrong("waiting for all of %u events", w->count);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += w->timeout_ms / 1000;
	end.tv_nsec += w->timeout_ms % 1000 * 1000000;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	for (;;) {
		report_failures();
		if (take_events(data, w->count) || timed_out)
			break;
		timed_out = pthread_cond_timedwait(&fake.wake, &fake.lock, &end);
	}
	w->result = timed_out ? KFD_WAIT_TIMEOUT : KFD_WAIT_COMPLETE;
	return 0;
}

/* ---- queues ---- */

/* Memory that this GPU maps at exactly this address and with this size, as kfd_queue.c wants it. */
static struct object *exact(const struct gpu *g, uint64_t va, uint64_t bytes)
{
	uint32_t i;

	for (i = 0; i < OBJECTS; i++) {
		struct object *o = &fake.objects[i];

		if (o->live && o->mapped >> index_of(g) & 1 && o->va == va && o->bytes == bytes)
			return o;
	}
	return NULL;
}

static bool check_compute(const struct gpu *g, const struct kfd_create_queue *c,
			  struct object *parts[4])
{
	uint64_t area = (uint64_t)c->save_bytes + DEBUG_BYTES;

	if (!model_kfd.sizes_in_topology)
		area = (area + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	parts[2] = exact(g, c->eop_buffer, c->eop_bytes);
	parts[3] = exact(g, c->save_area, area);
	return c->eop_bytes == EOP_BYTES && c->save_bytes == SAVE_BYTES &&
	       c->control_stack_bytes == STACK_BYTES && parts[2] && parts[3];
}

static bool check_queue(const struct gpu *g, const struct kfd_create_queue *c,
			struct object *parts[4])
{
	uint64_t page = c->write_pointer & ~(uint64_t)(PAGE_BYTES - 1);

	parts[0] = exact(g, c->ring, c->ring_bytes);
	parts[1] = exact(g, page, PAGE_BYTES);
	return parts[0] && parts[1] && !(c->ring_bytes & (c->ring_bytes - 1)) &&
	       c->ring_bytes >= 1024 && c->read_pointer == c->write_pointer + AMD_QUEUE_GET &&
	       c->percentage <= 100 && c->priority <= KFD_QUEUE_MAX_PRIORITY &&
	       (c->type == KFD_QUEUE_SDMA ||
		(c->type == KFD_QUEUE_COMPUTE && check_compute(g, c, parts)));
}

static int start_queue(struct queue *q, const struct kfd_create_queue *c)
{
	uint64_t at = c->write_pointer % PAGE_BYTES;
	struct model_channel_config config = {
		.ring_va = c->ring,
		.ring_entries = c->ring_bytes / 4,
		.userd = q->parts[1]->backing + at,
		.copy_only = c->type == KFD_QUEUE_SDMA,
		.priority = (int32_t)c->priority,
		.interrupt = on_interrupt,
		.event = on_event,
		.argument = q,
	};

	q->write_pointer = (_Atomic uint64_t *)(void *)(q->parts[1]->backing + at);
	*q->write_pointer = 0;
	return model_channel_create(q->gpu->model, q->gpu->space, &config, &q->channel);
}

static uint32_t copy_queues(const struct gpu *g)
{
	uint32_t i, n = 0;

	for (i = 0; i < QUEUES; i++)
		n += fake.queues[i].live && fake.queues[i].copies && fake.queues[i].gpu == g;
	return n;
}

static int create_queue(struct kfd_create_queue *c)
{
	struct gpu *g = gpu_of(c->gpu_id);
	struct queue *q = fake.queues;
	uint32_t i;
	int error;

	while (q < fake.queues + QUEUES && q->live)
		q++;
	if (q == fake.queues + QUEUES)
		return -ENOMEM;
	if (c->type == KFD_QUEUE_SDMA && copy_queues(g) == COPY_QUEUES)
		return -ENOMEM; /* as allocate_sdma_queue */
	*q = (struct queue){.gpu = g, .copies = c->type == KFD_QUEUE_SDMA};
	if (!g || !g->model || !check_queue(g, c, q->parts))
		return wrong("queue: gpu %x, type %u, ring %" PRIx64 " of %u, EOP %" PRIx64
			     " of %" PRIu64 ", area %" PRIx64 " of %u and %u",
			     c->gpu_id, c->type, c->ring, c->ring_bytes, c->eop_buffer,
			     c->eop_bytes, c->save_area, c->save_bytes, c->control_stack_bytes);
	error = start_queue(q, c);
	if (error)
		return error;
	for (i = 0; i < 4; i++)
		if (q->parts[i])
			q->parts[i]->queues++;
	c->queue_id = (uint32_t)(q - fake.queues);
	q->doorbell = g->doorbells + 8 + c->queue_id;
	*q->doorbell = 0;
	c->doorbell_offset = DOORBELLS | (uint64_t)c->gpu_id << 16 | 8 * (8 + c->queue_id);
	pthread_mutex_lock(&fake.lock);
	q->live = true;
	pthread_mutex_unlock(&fake.lock);
	return 0;
}

static int destroy_queue(const struct kfd_destroy_queue *d)
{
	struct queue *q = &fake.queues[d->queue_id % QUEUES];
	uint32_t i;

	if (d->queue_id >= QUEUES || !q->live)
		return wrong("destroying queue %u", d->queue_id);
	pthread_mutex_lock(&fake.lock);
	report_failures();
	q->live = false;
	pthread_mutex_unlock(&fake.lock);
	model_channel_destroy(q->channel);
	for (i = 0; i < 4; i++)
		if (q->parts[i])
			q->parts[i]->queues--;
	return 0;
}

static void fake_ring(uint64_t *doorbell, uint64_t value)
{
	struct queue *q = fake.queues;
	struct model_channel *channel = NULL;
	struct gpu *g = NULL;

	pthread_mutex_lock(&fake.lock);
	while (q < fake.queues + QUEUES && !(q->live && q->doorbell == doorbell))
		q++;
	if (q == fake.queues + QUEUES) {
		wrong("a doorbell without a queue");
	} else if (value != *q->write_pointer || value < q->rung) {
		wrong("doorbell %" PRIu64 " after %" PRIu64 ", write pointer %" PRIu64, value,
		      q->rung, *q->write_pointer);
	} else {
		q->rung = *doorbell = value;
		g = q->gpu;
		channel = g->stopped ? NULL : q->channel;
	}
	pthread_mutex_unlock(&fake.lock);
	if (channel)
		model_doorbell(g->model, model_channel_token(channel));
}

/* ---- ioctls ---- */

static int get_version(struct kfd_version *v)
{
	*v = (struct kfd_version){model_kfd.major, model_kfd.minor};
	return 0;
}

static int get_clocks(struct kfd_clocks *c)
{
	if (!gpu_of(c->gpu_id))
		return wrong("clocks: gpu %x", c->gpu_id);
	c->gpu_ticks = model_nanoseconds() / 10;
	return 0;
}

static int get_apertures(struct kfd_get_apertures *g)
{
	struct kfd_apertures *list = (struct kfd_apertures *)(uintptr_t)g->list;
	uint32_t i;

	for (i = 0; i < fake.count && i < g->count; i++)
		list[i] = (struct kfd_apertures){
			.lds_base = model_kfd.lds_aperture,
			.lds_limit = model_kfd.lds_aperture + UINT32_MAX,
			.private_base = AMD_APERTURE_PRIVATE,
			.private_limit = AMD_APERTURE_PRIVATE + UINT32_MAX,
			.va_base = PAGE_BYTES,
			.va_limit = (UINT64_C(1) << AMD_VA_BITS) - 1,
			.gpu_id = FIRST_GPU_ID + i,
		};
	g->count = fake.count;
	return 0;
}

/* The model keeps its space after the last file is closed: a test's next process uses it. */
static int acquire_vm(const struct kfd_acquire_vm *a)
{
	struct gpu *g = gpu_of(a->gpu_id);
	uint64_t bytes;
	int error;

	if (!g || file_kind((int)a->render_file) != FILE_RENDER ||
	    fake.files[a->render_file - FIRST_FILE].gpu != index_of(g))
		return wrong("address space: gpu %x, file %u", a->gpu_id, a->render_file);
	if (g->model)
		return 0;
	error = model_create(&g->config, &g->model);
	if (!error)
		error = model_space_create(g->model, &g->space);
	if (error)
		return error;
	g->vram = model_vram(g->model, &bytes);
	return ranges_add(&g->free_vram, 0, bytes) ? 0 : -ENOMEM;
}

/* Code and memory lie in a page that this GPU maps, or a wave that traps would fault. */
static int set_trap_handler(const struct kfd_set_trap_handler *t)
{
	uint64_t page = t->tba & ~(uint64_t)(PAGE_BYTES - 1);
	struct gpu *g = gpu_of(t->gpu_id);

	if (!g || !g->model || t->tba % 4 || t->tma - page >= PAGE_BYTES ||
	    !exact(g, page, PAGE_BYTES))
		return wrong("trap handler: gpu %x, code %" PRIx64 ", memory %" PRIx64, t->gpu_id,
			     t->tba, t->tma);
	model_space_set_trap_handler(g->space, t->tba, t->tma);
	return 0;
}

static int available_memory(struct kfd_available_memory *a)
{
	struct gpu *g = gpu_of(a->gpu_id);

	if (!g)
		return wrong("available memory: gpu %x", a->gpu_id);
	a->bytes = g->model ? g->free_vram.free_bytes : g->config.vram_bytes;
	return 0;
}

static int dispatch(unsigned long request, void *p)
{
	switch (request) {
	case KFD_GET_VERSION:
		return get_version(p);
	case KFD_CREATE_QUEUE:
		return create_queue(p);
	case KFD_DESTROY_QUEUE:
		return destroy_queue(p);
	case KFD_GET_CLOCKS:
		return get_clocks(p);
	case KFD_CREATE_EVENT:
		return create_event(p);
	case KFD_DESTROY_EVENT:
		return destroy_event(p);
	case KFD_RESET_EVENT:
		return reset_event(p);
	case KFD_WAIT_EVENTS:
		return wait_events(p);
	case KFD_GET_APERTURES:
		return get_apertures(p);
	case KFD_ACQUIRE_VM:
		return acquire_vm(p);
	case KFD_ALLOC_MEMORY:
		return alloc_memory(p);
	case KFD_FREE_MEMORY:
		return free_memory(p);
	case KFD_MAP_MEMORY:
		return map_memory(p, true);
	case KFD_UNMAP_MEMORY:
		return map_memory(p, false);
	case KFD_SET_TRAP_HANDLER:
		return set_trap_handler(p);
	case KFD_AVAILABLE_MEMORY:
		return available_memory(p);
	default:
		return wrong("ioctl 0x%lx", request);
	}
}

/* Destruction does not fail: what an injected failure leaves is the caller's. */
static bool can_fail(unsigned long request)
{
	return request != KFD_DESTROY_QUEUE && request != KFD_DESTROY_EVENT &&
	       request != KFD_FREE_MEMORY && request != KFD_UNMAP_MEMORY;
}

static int fake_ioctl(int file, unsigned long request, void *argument)
{
	bool event = request == KFD_CREATE_EVENT || request == KFD_DESTROY_EVENT ||
		     request == KFD_RESET_EVENT || request == KFD_WAIT_EVENTS;
	pthread_mutex_t *lock = event ? &fake.lock : &fake.calls;
	int error;

	pthread_mutex_lock(lock);
	if (can_fail(request) && fails_now())
		error = -ENOMEM;
	else if (file_kind(file) != FILE_KFD)
		error = wrong("ioctl of file %d", file);
	else
		error = dispatch(request, argument);
	pthread_mutex_unlock(lock);
	errno = -error;
	return error ? -1 : 0;
}

static const struct kfd_os fake_os = {
	.open = fake_open,
	.close = fake_close,
	.ioctl = fake_ioctl,
	.map = fake_map,
	.unmap = fake_unmap,
	.read = fake_read,
	.ring = fake_ring,
};

static void remove_gpu(struct gpu *g)
{
	if (g->space)
		model_space_destroy(g->space);
	if (g->model)
		model_destroy(g->model);
	if (g->doorbells)
		munmap(g->doorbells, AMD_DOORBELL_PAGE_BYTES);
	ranges_fini(&g->free_vram);
	memset(g, 0, sizeof(*g));
}

int model_kfd_install(const struct model_config *gpus, uint32_t count)
{
	uint32_t i;

	if (count > MODEL_KFD_GPUS)
		return -EINVAL;
	for (i = 0; i < fake.count; i++)
		remove_gpu(&fake.gpus[i]);
	if (!fake.objects)
		fake.objects = calloc(OBJECTS, sizeof(*fake.objects));
	if (!fake.objects)
		return -ENOMEM;
	for (fake.count = 0; fake.count < count; fake.count++) {
		struct gpu *g = &fake.gpus[fake.count];

		g->config = gpus[fake.count];
		g->doorbells = mmap(NULL, AMD_DOORBELL_PAGE_BYTES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (g->doorbells == MAP_FAILED)
			return -ENOMEM;
	}
	model_kfd = (struct model_kfd){
		.major = 1,
		.minor = 17,
		.sizes_in_topology = true,
		.lds_aperture = AMD_APERTURE_LDS,
	};
	kfd_os = &fake_os;
	return 0;
}
