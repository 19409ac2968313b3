// SPDX-License-Identifier: MIT
/* Channels. Each channel is a thread that sleeps until its doorbell rings and then has the vendor's
 * front end execute the ring from GET to PUT. Work of one channel never overlaps: a front end
 * completes each command before the next, but for those that AMD's defers (model/amd/deferred.c);
 * channels run concurrently. This file holds what the front ends have in common: errors, semaphore
 * stores and waits, creation and destruction. */
#include <errno.h>
#include <fenv.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/core/model_internal.h"
#include "model/core/names.h"

#define STOP_POLL_NS   50000
#define MAX_STOP_POLLS 20000 /* a second */

bool channel_fail(struct model_channel *c, const struct model_error *where, const char *format, ...)
{
	bool first;
	va_list ap;

	pthread_mutex_lock(&c->lock);
	first = !c->error.fault && !atomic_load(&c->stop);
	if (first) {
		c->error = *where;
		va_start(ap, format);
		vsnprintf(c->error.text, sizeof(c->error.text), format, ap);
		va_end(ap);
		if (c->model->vendor->failed)
			c->model->vendor->failed(c);
	}
	atomic_store(&c->stop, true);
	pthread_mutex_unlock(&c->lock);
	if (first && c->space->check)
		check_failed(c->space->check, &c->error);
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

void model_channel_stop(struct model_channel *c)
{
	const struct timespec pause = {.tv_nsec = STOP_POLL_NS};

	atomic_store(&c->stop_requested, true);
	for (uint32_t i = 0; i < MAX_STOP_POLLS && atomic_load(&c->grids) && !atomic_load(&c->stop);
	     i++)
		nanosleep(&pause, NULL);
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

void channel_interrupt(struct model_channel *c)
{
	if (c->config.interrupt)
		c->config.interrupt(c->config.argument, false);
}

bool channel_store(struct model_channel *c, uint64_t address, uint64_t value, uint32_t size,
		   const char *what)
{
	enum mmu_result why;
	uint8_t *at = mmu_translate(&c->reader, address, MODEL_WRITE, &why);

	if (!at)
		return channel_fault(c, why, address, what);
	if (c->space->check)
		check_written(c->space->check, address, size);
	if (size == 8)
		__atomic_store_n((uint64_t *)at, value, __ATOMIC_RELEASE);
	else
		__atomic_store_n((uint32_t *)at, (uint32_t)value, __ATOMIC_RELEASE);
	return true;
}

/* The CPU too may write the word, so there is no event to sleep on: poll, and pause longer the
 * longer it takes. */
static void semaphore_poll_delay(uint32_t round)
{
	struct timespec t = {.tv_nsec = round < 200 ? 20000 : 500000};

	if (round < 50)
		sched_yield();
	else
		nanosleep(&t, NULL);
}

bool channel_wait(struct model_channel *c, uint64_t address, uint32_t size, channel_condition *met,
		  const void *wanted, const char *what)
{
	for (uint32_t round = 0; !atomic_load(&c->stop); round += round < 1000) {
		enum mmu_result why;
		uint8_t *at = mmu_translate(&c->reader, address, MODEL_READ, &why);
		uint64_t value;

		if (!at)
			return channel_fault(c, why, address, what);
		value = size == 8 ? __atomic_load_n((uint64_t *)at, __ATOMIC_ACQUIRE)
				  : __atomic_load_n((uint32_t *)at, __ATOMIC_ACQUIRE);
		if (met(wanted, value))
			return true;
		mmu_poll(&c->reader);
		runlist_yield(c);
		semaphore_poll_delay(round);
	}
	return false;
}

/* Running grids keep their reference to the old cache. */
bool channel_invalidate_code(struct model_channel *c)
{
	const struct vendor *v = c->model->vendor;
	struct code *fresh = v->code_create(c->model), *old;
	struct model_error e = {.fault = MODEL_FAULT_RING};

	if (!fresh)
		return channel_fail(c, &e, "no host memory for decoded code");
	pthread_mutex_lock(&c->space->code_lock);
	old = c->space->code;
	c->space->code = fresh;
	pthread_mutex_unlock(&c->space->code_lock);
	v->code_put(old);
	return true;
}

static void *channel_main(void *arg)
{
	struct model_channel *c = arg;

	model_name_thread(c->model->chip);
	fesetenv(FE_DFL_ENV); /* not that of the application's thread */
	for (;;) {
		pthread_mutex_lock(&c->lock);
		while (!c->doorbell_rung && !atomic_load(&c->stop))
			pthread_cond_wait(&c->wake, &c->lock);
		c->doorbell_rung = false;
		pthread_mutex_unlock(&c->lock);
		if (atomic_load(&c->stop))
			return NULL;
		atomic_store(&c->busy, true);
		if (runlist_acquire(c)) {
			mmu_enter(&c->reader, c->space);
			c->model->vendor->drain(c);
			mmu_leave(&c->reader);
			runlist_release(c);
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
	if (!entries || entries & (entries - 1) || config->ring_va % m->vendor->ring_align ||
	    !config->userd || (uintptr_t)config->userd % m->vendor->userd_align)
		return -EINVAL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->model = m;
	c->space = s;
	c->config = *config;
	m->vendor->begin(c);
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
	runlist_wake(c);
	pthread_join(c->thread, NULL);
	if (c->model->vendor->channel_end)
		c->model->vendor->channel_end(c);
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

/* As on hardware, a doorbell with an unknown token is ignored. */
void model_doorbell(struct model *m, uint32_t token)
{
	pthread_mutex_lock(&m->lock);
	for (struct model_channel *c = m->channels; c; c = c->next) {
		if (c->token != token)
			continue;
		pthread_mutex_lock(&c->lock);
		c->doorbell_rung = true;
		pthread_cond_signal(&c->wake);
		pthread_mutex_unlock(&c->lock);
	}
	pthread_mutex_unlock(&m->lock);
}
