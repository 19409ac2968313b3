// SPDX-License-Identifier: MIT
/*
 * Device services on the host's side: printf, assert, malloc, free and conditions of graphs. The
 * device code is an internal module (libsov/kernels/device_services.cu), which is loaded with the
 * first module that calls a service. Waiting threads read printf records, and every wait reads them
 * before it returns, so that a completed kernel's output has been printed. The GPU never waits for
 * that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/kernels/device_services.h"
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/memory/buffer.h"
#include "libsov/runtime/module/device_printf.h"
#include "libsov/runtime/module/device_services.h"
#include "libsov/runtime/module/module_load.h"

typedef unsigned long long ull;

struct services {
	uint64_t entries[SERVICES];
	uint32_t registers, stack_bytes; /* maximum over all services */
	struct buffer *control_buffer, *log, *heap;
	struct services_control *control; /* video memory: written, rarely read */
	struct services_assertion *assertion;
	uint64_t *ring;
	uint64_t ring_bytes;

	pthread_mutex_t reading;
	uint64_t tail, lost;
	uint8_t *record; /* a copy of one record */
	struct print_text text;
};

/* ---- reading printf records ---- */

static void services_print(const struct context *c, const char *text, size_t bytes)
{
	if (!bytes)
		return;
	if (c->print) {
		c->print(c->print_user, text, bytes);
	} else {
		fwrite(text, 1, bytes, stdout);
		fflush(stdout);
	}
}

static uint64_t ring_word(const struct services *s, uint64_t position)
{
	return __atomic_load_n(&s->ring[(position & (s->ring_bytes - 1)) / 8], __ATOMIC_ACQUIRE);
}

/* Copies the record at the tail, if it is complete, and returns its size without the two header
 * words. */
static size_t services_take_record(struct services *s)
{
	uint64_t bytes, i;

	if (ring_word(s, s->tail) != s->tail + 1)
		return 0;
	bytes = ring_word(s, s->tail + 8);
	if (bytes < 24 || bytes % 8 || bytes > s->ring_bytes) {
		/* A kernel overwrote the ring: nothing in it can be trusted any more. */
		LOG(CONTEXT, ERROR, "printf: the ring is corrupt: a record has %llu bytes",
		    (ull)bytes);
		s->tail = UINT64_MAX / 2;
		return 0;
	}
	for (i = 16; i < bytes; i += 8) {
		uint64_t word = ring_word(s, s->tail + i);

		memcpy(s->record + i - 16, &word, 8);
	}
	s->tail += bytes;
	return bytes - 16;
}

static void services_report_lost(struct context *c, struct services *s)
{
	uint64_t lost = __atomic_load_n(&s->control->lost, __ATOMIC_RELAXED);
	char text[192];
	int n;

	if (lost == s->lost)
		return;
	n = snprintf(text, sizeof(text),
		     "sov: %llu lines of printf were lost: they did not fit into %llu bytes; set "
		     "sov_context_options.print_bytes\n",
		     (ull)(lost - s->lost), (ull)s->ring_bytes);
	s->lost = lost;
	if (c->print)
		c->print(c->print_user, text, (size_t)n);
	else
		fputs(text, stderr);
}

#define PRINT_THRESHOLD 65536 /* print when this much has accumulated */

static void services_read(struct context *c)
{
	struct services *s = __atomic_load_n(&c->services, __ATOMIC_ACQUIRE);
	size_t bytes;

	if (!s)
		return;
	pthread_mutex_lock(&s->reading);
	while ((bytes = services_take_record(s))) {
		print_line(&s->text, s->record, bytes);
		if (s->text.count >= PRINT_THRESHOLD) {
			__atomic_store_n(&s->control->tail, s->tail, __ATOMIC_RELAXED);
			winsys_write_barrier();
			services_print(c, s->text.bytes, s->text.count);
			s->text.count = 0;
		}
	}
	__atomic_store_n(&s->control->tail, s->tail, __ATOMIC_RELAXED);
	winsys_write_barrier();
	services_print(c, s->text.bytes, s->text.count);
	s->text.count = 0;
	services_report_lost(c, s);
	pthread_mutex_unlock(&s->reading);
}

/* ---- assertions ---- */

static void services_check_assertion(const struct context *c, sov_fault *f)
{
	const struct services_assertion *a = c->services ? c->services->assertion : NULL;
	const char *text[3];

	if (!a || !__atomic_load_n(&a->ready, __ATOMIC_ACQUIRE))
		return;
	for (int i = 0; i < 3; i++)
		text[i] = memchr(a->text[i], 0, SERVICES_TEXT) ? a->text[i] : "";
	f->result = SOV_ERROR_ASSERT;
	if (a->address)
		snprintf(
			f->cause, sizeof(f->cause),
			"it called free for 0x%llx, which malloc did not return or which was freed",
			(ull)a->address);
	else
		snprintf(f->cause, sizeof(f->cause), "%.80s:%u: %.48s: assertion '%.90s' failed",
			 text[1], a->line, text[2], text[0]);
	f->address = a->address;
	f->pc = UINT64_MAX; /* inside the service, hence not useful */
	f->instruction[0] = 0;
	f->has_thread = 1;
	memcpy(f->block, a->block, sizeof(f->block));
	memcpy(f->thread, a->thread, sizeof(f->thread));
}

/* ---- memory of the services ---- */

static sov_result services_create_log(struct context *c, struct services *s)
{
	sov_result r = buffer_create_mapped(c, WINSYS_VRAM, false, sizeof(*s->control),
					    &s->control_buffer);

	if (r)
		return r;
	r = buffer_create_mapped(c, WINSYS_SYSTEM, false, SERVICES_LOG_START + s->ring_bytes,
				 &s->log);
	if (r)
		return r;
	s->control = s->control_buffer->cpu;
	s->assertion = s->log->cpu;
	s->ring = (uint64_t *)((uint8_t *)s->log->cpu + SERVICES_LOG_START);
	s->record = malloc(s->ring_bytes);
	return s->record ? SOV_OK
			 : set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
				     "no %llu bytes of host memory for "
				     "lines of printf",
				     (ull)s->ring_bytes);
}

/* Discards records and assertions; the heap keeps its content. */
static void services_reset(struct context *c)
{
	struct services *s = c->services;

	if (!s)
		return;
	pthread_mutex_lock(&s->reading);
	memset(s->log->cpu, 0, SERVICES_LOG_START + s->ring_bytes);
	s->control->tail = s->control->admitted = s->control->head = s->control->lost = 0;
	s->control->stopped = 0;
	s->tail = s->lost = 0;
	winsys_write_barrier();
	pthread_mutex_unlock(&s->reading);
}

static sov_result services_create_heap(struct context *c, struct services *s)
{
	sov_result r;

	if (s->heap)
		return SOV_OK;
	r = buffer_create(c, WINSYS_VRAM, false, c->heap_bytes, &s->heap);
	if (r)
		return r;
	s->control->heap = s->heap->va;
	s->control->heap_bytes = c->heap_bytes;
	winsys_write_barrier();
	return SOV_OK;
}

static void services_free(struct context *c, struct services *s)
{
	if (s->heap)
		buffer_destroy(c, s->heap);
	if (s->log)
		buffer_destroy(c, s->log);
	if (s->control_buffer)
		buffer_destroy(c, s->control_buffer);
	pthread_mutex_destroy(&s->reading);
	free(s->record);
	free(s->text.bytes);
	free(s);
}

static void services_destroy(struct context *c)
{
	if (c->services)
		services_free(c, c->services);
}

/* ---- loading the services ---- */

/* With the lock held. */
static sov_result services_install(struct context *c, struct services *s, const struct module *m)
{
	sov_result r = services_create_log(c, s);
	uint32_t i;

	for (i = 0; !r && i < m->image.nkernels; i++) {
		const struct image_kernel *k = &m->image.kernels[i];

		s->entries[service_find(k->name)] = m->functions[i].va;
		if (k->registers > s->registers)
			s->registers = k->registers;
		if (k->stack_bytes > s->stack_bytes)
			s->stack_bytes = k->stack_bytes;
	}
	for (i = 0; !r && i < m->image.nvariables; i++)
		if (!strcmp(m->image.variables[i].name, "sov_services"))
			memcpy((uint8_t *)m->parts[m->image.variables[i].part]->cpu +
				       m->image.variables[i].offset,
			       &s->control_buffer->va, sizeof(s->control_buffer->va));
	if (r)
		return r;
	memset(s->control, 0, sizeof(*s->control));
	s->control->log = s->log->va;
	s->control->ring_bytes = s->ring_bytes;
	__atomic_store_n(&c->services, s, __ATOMIC_RELEASE);
	services_reset(c);
	LOG(CONTEXT, INFO, "services: %llu bytes for printf", (ull)s->ring_bytes);
	return SOV_OK;
}

static sov_result services_load(struct context *c)
{
	struct services *s = calloc(1, sizeof(*s));
	sov_module handle = NULL;
	struct module *m;
	sov_result r;

	if (!s)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for services");
	pthread_mutex_init(&s->reading, NULL);
	s->ring_bytes = c->print_bytes;
	r = module_load_services(c, services_library, strlen(services_library), &handle);
	m = r ? NULL : object_get(handle, OBJECT_MODULE);
	pthread_mutex_lock(&c->lock);
	if (!r)
		r = m ? context_check(c) : SOV_ERROR_CANCELLED;
	if (!r)
		r = services_install(c, s, m);
	if (r)
		services_free(c, s);
	pthread_mutex_unlock(&c->lock);
	if (m)
		object_put(&m->member.object);
	if (r && handle)
		api_module_unload(handle);
	return r;
}

#define HEAP_SERVICES (1u << SERVICE_ALLOC | 1u << SERVICE_FREE)

static sov_result services_need(struct context *c, struct image *im)
{
	sov_result r = SOV_OK;
	uint32_t i;

	pthread_mutex_lock(&c->services_loading);
	if (!c->services)
		r = services_load(c);
	pthread_mutex_unlock(&c->services_loading);
	if (!r && im->services & HEAP_SERVICES) {
		pthread_mutex_lock(&c->lock);
		r = context_check(c);
		if (!r)
			r = services_create_heap(c, c->services);
		pthread_mutex_unlock(&c->lock);
	}
	for (i = 0; !r && i < im->nkernels; i++) {
		struct image_kernel *k = &im->kernels[i];

		if (!k->services)
			continue;
		if (k->registers < c->services->registers)
			k->registers = c->services->registers;
		k->stack_bytes += c->services->stack_bytes;
	}
	return r;
}

static void services_addresses(const struct context *c, uint64_t addresses[SERVICES])
{
	memset(addresses, 0, SERVICES * sizeof(*addresses));
	if (c->services)
		memcpy(addresses, c->services->entries, sizeof(c->services->entries));
}

static const struct services_ops services_ops = {
	.need = services_need,
	.addresses = services_addresses,
};

static sov_result services_create(struct context *c)
{
	c->services_ops = &services_ops;
	return SOV_OK;
}

const struct context_part services_part = {
	.create = services_create,
	.collect_output = services_read,
	.check_assertion = services_check_assertion,
	.reset = services_reset,
	.destroy = services_destroy,
};
