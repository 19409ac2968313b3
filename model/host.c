/* SPDX-License-Identifier: MIT */
/*
 * The host: one thread a channel. It sleeps until the doorbell rings, then walks the ring from get
 * to put, cuts each segment into methods, executes the host's own (semaphores, waits) and hands the
 * others to the engine of their subchannel. Engines finish a method before they return, so work of
 * one channel never overlaps; channels run beside each other.
 */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hw/nv/host.h"
#include "model/internal.h"

static const uint32_t fault_xid[MODEL_FAULT_COUNT] = {
	[MODEL_FAULT_MMU] = NV_XID_MMU_FAULT,
	[MODEL_FAULT_MISALIGNED] = NV_XID_GRAPHICS_EXCEPTION,
	[MODEL_FAULT_SHARED_RANGE] = NV_XID_GRAPHICS_EXCEPTION,
	[MODEL_FAULT_LOCAL_RANGE] = NV_XID_GRAPHICS_EXCEPTION,
	[MODEL_FAULT_CONSTANT_RANGE] = NV_XID_MMU_FAULT,
	[MODEL_FAULT_ILLEGAL_INSTRUCTION] = NV_XID_GRAPHICS_EXCEPTION,
	[MODEL_FAULT_TRAP] = NV_XID_GRAPHICS_EXCEPTION,
	[MODEL_FAULT_HAZARD] = NV_XID_GRAPHICS_EXCEPTION,
	[MODEL_FAULT_BARRIER] = NV_XID_GRAPHICS_EXCEPTION,
	[MODEL_FAULT_QMD] = NV_XID_GRAPHICS_EXCEPTION,
	[MODEL_FAULT_METHOD] = NV_XID_CLASS_ERROR,
	[MODEL_FAULT_RING] = NV_XID_CHANNEL_HOST,
};

bool channel_fail(struct model_channel *c, const struct model_error *where, const char *format, ...)
{
	struct nv_notification *n = c->config.notifier;
	bool first;
	va_list ap;

	pthread_mutex_lock(&c->lock);
	first = !c->error.fault && !atomic_load(&c->stop);
	if (first) {
		c->error = *where;
		c->error.xid = fault_xid[where->fault];
		va_start(ap, format);
		vsnprintf(c->error.text, sizeof(c->error.text), format, ap);
		va_end(ap);
		if (n) {
			n->time_ns = model_nanoseconds();
			n->info32 = c->error.xid;
			n->info16 = 1;
			__atomic_store_n(&n->status, NV_NOTIFICATION_ERROR, __ATOMIC_RELEASE);
		}
	}
	atomic_store(&c->stop, true);
	pthread_mutex_unlock(&c->lock);
	if (first && c->config.interrupt)
		c->config.interrupt(c->config.argument, true);
	return false;
}

bool channel_fault(struct model_channel *c, enum mmu_result why, uint64_t address, const char *what)
{
	struct model_error e = {.fault = MODEL_FAULT_MMU, .address = address};

	return channel_fail(c, &e, "%s at 0x%llx %s", what, (unsigned long long)address,
			    mmu_result_text(why));
}

static bool refuse(struct model_channel *c, enum model_fault fault, uint64_t address,
		   const char *why)
{
	struct model_error e = {.fault = fault, .address = address};

	return channel_fail(c, &e, "%s", why);
}

bool model_channel_error(struct model_channel *c, struct model_error *out)
{
	bool failed;

	pthread_mutex_lock(&c->lock);
	failed = c->error.fault != MODEL_FAULT_NONE;
	if (failed)
		*out = c->error;
	pthread_mutex_unlock(&c->lock);
	return failed;
}

/* Semaphores. */

static bool semaphore_valid(struct model_channel *c, uint64_t address, uint32_t size)
{
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = address};

	return !(address % size) ||
	       channel_fail(c, &e, "the semaphore at 0x%llx is not %u-byte aligned",
			    (unsigned long long)address, size);
}

bool channel_release(struct model_channel *c, uint64_t address, uint64_t payload, uint32_t size,
		     bool timestamp)
{
	enum mmu_result why;
	uint8_t *at;

	if (!semaphore_valid(c, address, timestamp ? 16 : size))
		return false;
	at = mmu_translate(&c->reader, address, MODEL_WRITE, &why);
	if (!at)
		return channel_fault(c, why, address, "the semaphore to release");
	if (timestamp)
		__atomic_store_n((uint64_t *)(at + NV_SEM_TIMESTAMP_OFFSET), model_nanoseconds(),
				 __ATOMIC_RELAXED);
	if (size == 8)
		__atomic_store_n((uint64_t *)at, payload, __ATOMIC_RELEASE);
	else
		__atomic_store_n((uint32_t *)at, (uint32_t)payload, __ATOMIC_RELEASE);
	return true;
}

static bool acquired(uint32_t operation, uint64_t value, uint64_t payload, bool wide)
{
	uint64_t ones = wide ? UINT64_MAX : UINT32_MAX;

	switch (operation) {
	case NV_SEM_ACQUIRE_STRICT_GEQ:
		return value >= payload;
	case NV_SEM_ACQUIRE_CIRC_GEQ:
		return wide ? (int64_t)(value - payload) >= 0
			    : (int32_t)(uint32_t)(value - payload) >= 0;
	case NV_SEM_ACQUIRE_AND:
		return value & payload;
	case NV_SEM_ACQUIRE_NOR:
		return (value | payload) != ones;
	default:
		return value == payload;
	}
}

/* Anyone may write the word, the CPU included, so there is nothing to sleep on: look, then look
 * less and less often. */
static void back_off(uint32_t round)
{
	struct timespec t = {.tv_nsec = round < 200 ? 20000 : 500000};

	if (round < 50)
		sched_yield();
	else
		nanosleep(&t, NULL);
}

static bool semaphore_acquire(struct model_channel *c, uint64_t address, uint64_t payload,
			      uint32_t operation, bool wide)
{
	if (!semaphore_valid(c, address, wide ? 8 : 4))
		return false;
	for (uint32_t round = 0; !atomic_load(&c->stop); round += round < 1000) {
		enum mmu_result why;
		uint8_t *at = mmu_translate(&c->reader, address, MODEL_READ, &why);
		uint64_t value;

		if (!at)
			return channel_fault(c, why, address, "the semaphore to acquire");
		value = wide ? __atomic_load_n((uint64_t *)at, __ATOMIC_ACQUIRE)
			     : __atomic_load_n((uint32_t *)at, __ATOMIC_ACQUIRE);
		if (acquired(operation, value, payload, wide))
			return true;
		mmu_poll(&c->reader);
		turn_poll(c);
		back_off(round);
	}
	return false;
}

static bool semaphore_execute(struct model_channel *c, uint32_t data)
{
	struct host *h = &c->host;
	uint64_t address = (uint64_t)(h->semaphore[1] & 0xff) << 32 | (h->semaphore[0] & ~3u);
	bool wide = data & NV_SEM_PAYLOAD_64;
	uint64_t payload = wide ? (uint64_t)h->payload[1] << 32 | h->payload[0] : h->payload[0];

	switch (NV_SEM_OPERATION(data)) {
	case NV_SEM_RELEASE:
		return channel_release(c, address, payload, wide ? 8 : 4,
				       data & NV_SEM_RELEASE_TIMESTAMP);
	case NV_SEM_REDUCTION:
	case 7:
		return refuse(c, MODEL_FAULT_METHOD, NV_HOST_SEM_EXECUTE,
			      "semaphore reductions are not modelled; release or acquire instead");
	default:
		return semaphore_acquire(c, address, payload, NV_SEM_OPERATION(data), wide);
	}
}

/* Methods. */

static bool bind(struct model_channel *c, uint32_t subchannel, uint32_t data)
{
	const struct model_chip *chip = c->model->chip;
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = NV_HOST_SET_OBJECT};
	uint16_t class = (uint16_t)data;

	if (class == chip->compute_class && c->config.copy_only)
		return channel_fail(c, &e, "SET_OBJECT: a copy engine has no class 0x%04x", class);
	if (class != chip->compute_class && class != chip->copy_class)
		return channel_fail(c, &e,
				    "SET_OBJECT: %s has no class 0x%04x; it has 0x%04x and 0x%04x",
				    chip->name, class, chip->compute_class, chip->copy_class);
	c->host.bound[subchannel] = class;
	return true;
}

static bool host_method(struct model_channel *c, uint32_t subchannel, uint32_t method,
			uint32_t data)
{
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = method};

	switch (method) {
	case NV_HOST_SET_OBJECT:
		return bind(c, subchannel, data);
	case NV_HOST_SEM_ADDR_LO:
	case NV_HOST_SEM_ADDR_HI:
		c->host.semaphore[(method - NV_HOST_SEM_ADDR_LO) / 4] = data;
		return true;
	case NV_HOST_SEM_PAYLOAD_LO:
	case NV_HOST_SEM_PAYLOAD_HI:
		c->host.payload[(method - NV_HOST_SEM_PAYLOAD_LO) / 4] = data;
		return true;
	case NV_HOST_SEM_EXECUTE:
		return semaphore_execute(c, data);
	case NV_HOST_NON_STALL_INTERRUPT:
		if (c->config.interrupt)
			c->config.interrupt(c->config.argument, false);
		return true;
	case NV_HOST_NOP:
	case NV_HOST_SET_REFERENCE:
	case NV_HOST_WFI:                 /* engines are idle between methods */
	case NV_HOST_MEM_OP_A: /* host memory is coherent and the MMU has no stale entries */
	case NV_HOST_MEM_OP_B:
	case NV_HOST_MEM_OP_C:
	case NV_HOST_MEM_OP_D:
	case NV_HOST_YIELD:
		return true;
	default:
		return channel_fail(c, &e, "host method 0x%03x (data 0x%08x) is not modelled",
				    method, data);
	}
}

static bool dispatch(struct model_channel *c, uint32_t subchannel, uint32_t method, uint32_t data)
{
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = method};

	if (method < NV_HOST_METHODS_END)
		return host_method(c, subchannel, method, data);
	if (c->host.bound[subchannel] == c->model->chip->compute_class)
		return compute_method(c, method, data);
	if (c->host.bound[subchannel] == c->model->chip->copy_class)
		return copy_method(c, method, data);
	return channel_fail(c, &e, "method 0x%04x on subchannel %u, to which no class is bound",
			    method, subchannel);
}

static bool fetch(struct model_channel *c, uint64_t address, uint32_t *word)
{
	uint64_t fault = address;
	enum mmu_result why = mmu_read(&c->reader, address, word, 4, &fault);

	return why == MMU_OK || channel_fault(c, why, fault, "the method stream");
}

static bool run_method(struct model_channel *c, struct nv_method m, uint64_t data_at)
{
	if (m.kind == NV_METHOD_IMMEDIATE)
		return dispatch(c, m.subchannel, m.method, m.count);
	for (uint32_t i = 0; i < m.count; i++) {
		uint32_t step = m.kind == NV_METHOD_INCREMENT ? i
				: m.kind == NV_METHOD_INCREMENT_ONCE ? i != 0 : 0;
		uint32_t data;

		if (atomic_load_explicit(&c->stop, memory_order_relaxed) ||
		    !fetch(c, data_at + 4ull * i, &data) ||
		    !dispatch(c, m.subchannel, m.method + 4 * step, data))
			return false;
	}
	return true;
}

static bool run_segment(struct model_channel *c, uint64_t address, uint32_t words)
{
	uint64_t at = address, end = address + 4ull * words;

	while (at < end) {
		struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = at};
		struct nv_method m;
		uint32_t header;

		mmu_poll(&c->reader);
		turn_poll(c);
		if (!fetch(c, at, &header))
			return false;
		at += 4;
		if (!header) /* a no-operation */
			continue;
		m = nv_method_unpack(header);
		if (m.kind == NV_METHOD_END_SEGMENT)
			return true;
		if (m.kind == NV_METHOD_OLD_INCREMENT || m.kind == NV_METHOD_OLD_SAME ||
		    m.kind == NV_METHOD_RESERVED)
			return channel_fail(c, &e,
					    "method header 0x%08x is of kind %u, which is not used "
					    "since Fermi",
					    header, (unsigned)m.kind);
		if (m.kind == NV_METHOD_IMMEDIATE) {
			if (!run_method(c, m, 0))
				return false;
			continue;
		}
		if (m.count > (end - at) / 4)
			return channel_fail(c, &e,
					    "method header 0x%08x announces %u data words, but "
					    "its segment has only %llu left",
					    header, m.count, (unsigned long long)(end - at) / 4);
		if (!run_method(c, m, at))
			return false;
		at += 4ull * m.count;
	}
	return true;
}

/* The ring. */

static _Atomic uint32_t *userd(struct model_channel *c, uint32_t offset)
{
	return (_Atomic uint32_t *)((uint8_t *)c->config.userd + offset);
}

static bool run_entry(struct model_channel *c, uint64_t raw)
{
	struct nv_gp_entry e = nv_gp_entry_unpack(raw);

	if (e.words)
		return run_segment(c, e.address, e.words);
	if (e.opcode == NV_GP_OPCODE_NOP)
		return true;
	return refuse(c, MODEL_FAULT_RING, c->get, "a ring entry without words is no NOP either");
}

static void drain(struct model_channel *c)
{
	while (!atomic_load(&c->stop)) {
		uint32_t put =
			atomic_load_explicit(userd(c, NV_USERD_GP_PUT), memory_order_acquire);
		uint64_t at = c->config.ring_va + (uint64_t)c->get * NV_GP_ENTRY_BYTES, fault = at,
			 raw;
		struct model_error e = {.fault = MODEL_FAULT_RING, .address = put};
		enum mmu_result why;

		if (put == c->get)
			return;
		if (put >= c->config.ring_entries) {
			channel_fail(c, &e, "put is %u, but the ring has %u entries", put,
				     c->config.ring_entries);
			return;
		}
		mmu_poll(&c->reader);
		why = mmu_read(&c->reader, at, &raw, sizeof(raw), &fault);
		if (why != MMU_OK) {
			channel_fault(c, why, fault, "the ring");
			return;
		}
		/* It says how far entries were fetched. */
		c->get = (c->get + 1) % c->config.ring_entries;
		atomic_store_explicit(userd(c, NV_USERD_GP_GET), c->get, memory_order_release);
		if (!run_entry(c, raw))
			return;
	}
}

static void *channel_main(void *arg)
{
	struct model_channel *c = arg;

	for (;;) {
		pthread_mutex_lock(&c->lock);
		while (!c->rung && !atomic_load(&c->stop))
			pthread_cond_wait(&c->wake, &c->lock);
		c->rung = false;
		pthread_mutex_unlock(&c->lock);
		if (atomic_load(&c->stop))
			return NULL;
		atomic_store(&c->busy, true);
		if (turn_begin(c)) {
			mmu_enter(&c->reader, c->space);
			drain(c);
			mmu_leave(&c->reader);
			turn_end(c);
		}
		atomic_store(&c->busy, false);
	}
}

int model_channel_create(struct model *m, struct model_space *s,
			 const struct model_channel_config *config, struct model_channel **out)
{
	uint32_t entries = config->ring_entries;
	struct model_channel *c;
	int status;

	*out = NULL;
	if (!entries || entries & (entries - 1) || config->ring_va % NV_GP_ENTRY_BYTES ||
	    !config->userd || (uintptr_t)config->userd % 4)
		return -EINVAL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->model = m;
	c->space = s;
	c->config = *config;
	if (!config->copy_only)
		c->host.bound[NV_SUBCHANNEL_COMPUTE] = m->chip->compute_class;
	c->host.bound[NV_SUBCHANNEL_COPY] = m->chip->copy_class;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->wake, NULL);
	status = -pthread_create(&c->thread, NULL, channel_main, c);
	if (status) {
		pthread_cond_destroy(&c->wake);
		pthread_mutex_destroy(&c->lock);
		free(c);
		return status;
	}
	pthread_mutex_lock(&m->lock);
	c->token = m->next_token++;
	c->next = m->channels;
	m->channels = c;
	pthread_mutex_unlock(&m->lock);
	*out = c;
	return 0;
}

void model_channel_destroy(struct model_channel *c)
{
	struct model_channel **at;

	if (!c)
		return;
	pthread_mutex_lock(&c->model->lock);
	for (at = &c->model->channels; *at != c;)
		at = &(*at)->next;
	*at = c->next;
	pthread_mutex_unlock(&c->model->lock);
	pthread_mutex_lock(&c->lock);
	atomic_store(&c->stop, true);
	pthread_cond_signal(&c->wake);
	pthread_mutex_unlock(&c->lock);
	turn_stop(c);
	pthread_join(c->thread, NULL);
	pthread_cond_destroy(&c->wake);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

uint32_t model_channel_token(const struct model_channel *c)
{
	return c->token;
}

bool model_channel_busy(const struct model_channel *c)
{
	return atomic_load(&c->busy);
}

/* A token that no channel has is ignored, as on hardware. */
void model_doorbell(struct model *m, uint32_t token)
{
	pthread_mutex_lock(&m->lock);
	for (struct model_channel *c = m->channels; c; c = c->next) {
		if (c->token != token)
			continue;
		pthread_mutex_lock(&c->lock);
		c->rung = true;
		pthread_cond_signal(&c->wake);
		pthread_mutex_unlock(&c->lock);
	}
	pthread_mutex_unlock(&m->lock);
}
