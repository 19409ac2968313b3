// SPDX-License-Identifier: MIT
/*
 * Blocking waits. A wait alternates between a check of the context, which detects errors, kernels
 * past their limit, resets and destruction, and a sleep without the lock. An interrupt ends the
 * sleep; without one it lasts an eighth of the wait so far, but at least 20 us and at most 1 ms.
 * The first part of a wait for a semaphore busy-waits without lock or clock (stream/semaphore.c).
 */
#include "libsov/runtime/base/clock.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/context/context_wait.h"

/* Busy-waiting before a wait sleeps: about 50 us, at 40 ns per iteration on x86 and 15 on Arm. A
 * software GPU needs the CPU itself. */
#define BUSY_WAIT_NS UINT64_C(50000)
#if defined(__x86_64__)
#define SPIN_NS 40
#else
#define SPIN_NS 15
#endif
#define SOFTWARE_SPINS 50
#define MIN_SLEEP_NS   UINT64_C(20000)
#define MAX_SLEEP_NS   UINT64_C(1000000)

void cpu_relax(void)
{
#if defined(__x86_64__)
	__asm__ volatile("pause" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory"); /* yield is a no-op on most cores */
#endif
}

uint64_t context_spins(const struct context *c, uint64_t timeout)
{
	uint64_t spins = c->device->info.software ? SOFTWARE_SPINS : BUSY_WAIT_NS / SPIN_NS;

	return spins > timeout / SPIN_NS ? timeout / SPIN_NS + 1 : spins;
}

bool context_spin(struct context *c, bool (*ready)(void *arg), void *arg, uint64_t timeout)
{
	uint64_t spins = context_spins(c, timeout);

	while (!ready(arg)) {
		if (!--spins)
			return false;
		pthread_mutex_unlock(&c->lock);
		cpu_relax();
		pthread_mutex_lock(&c->lock);
	}
	return true;
}

/* Called with the lock held; releases the lock while it sleeps. */
static void context_sleep(struct context *c, uint32_t *seen, uint64_t waited)
{
	uint64_t time = waited / 8;
	uint32_t i;

	if (time < MIN_SLEEP_NS)
		time = MIN_SLEEP_NS;
	if (time > MAX_SLEEP_NS)
		time = MAX_SLEEP_NS;
	pthread_mutex_unlock(&c->lock);
	if (!c->device->info.software && waited < BUSY_WAIT_NS) {
		for (i = 0; i < 20; i++)
			cpu_relax();
	} else if (gate_enter(&c->sleepers)) {
		c->winsys->wait(c->group, seen, time);
		gate_leave(&c->sleepers);
	}
	pthread_mutex_lock(&c->lock);
}

sov_result context_block_since(struct context *c, bool (*ready)(void *arg), void *arg,
			       uint64_t timeout, uint64_t epoch)
{
	uint64_t start = now_ns(), waited = 0;
	uint32_t seen = 0;

	for (;; waited = now_ns() - start) {
		sov_result r = context_check(c);
		bool done;

		if (!r && c->epoch != epoch)
			return set_error(SOV_ERROR_CANCELLED,
					 "another thread reset the context during this call");
		done = r || ready(arg);
		/* After ready(): the output of work that is complete is complete too, and so are
		 * its reports. */
		context_collect_output(c);
		context_print_reports(c);
		if (done)
			return r;
		if (!timeout)
			return SOV_NOT_READY;
		if (waited >= timeout)
			return set_error(SOV_ERROR_TIMEOUT,
					 "not finished after %llu.%06llu ms; the work continues",
					 (unsigned long long)(timeout / 1000000),
					 (unsigned long long)(timeout % 1000000));
		context_sleep(c, &seen, waited);
	}
}

sov_result context_block(struct context *c, bool (*ready)(void *arg), void *arg, uint64_t timeout)
{
	return context_block_since(c, ready, arg, timeout, c->epoch);
}

sov_result context_drain(struct context *c, uint64_t timeout)
{
	const struct context_part *const *p;
	sov_result r = SOV_OK;

	for (p = c->parts; !r && *p; p++)
		if ((*p)->drain)
			r = (*p)->drain(c, timeout);
	return r;
}

sov_result context_drain_to_free(struct context *c, bool *keep)
{
	const struct context_part *const *p;
	sov_result r;

	for (p = c->parts; *p; p++)
		if ((*p)->flush_submitters)
			(*p)->flush_submitters(c);
	r = c->error ? set_error(c->error, "%s", c->message) : context_drain(c, SOV_FOREVER);
	*keep = r == SOV_ERROR_TIMEOUT || c->closed;
	return r;
}

/* ---- settling ---- */

static void context_quiesce(struct context *c)
{
	const struct context_part *const *p;

	for (p = c->parts; *p; p++)
		if ((*p)->quiesce)
			(*p)->quiesce(c);
}

static void context_resume(struct context *c)
{
	const struct context_part *const *p;

	for (p = c->parts; *p; p++)
		if ((*p)->resume)
			(*p)->resume(c);
}

bool context_idle(struct context *c)
{
	const struct context_part *const *p;

	for (p = c->parts; *p; p++)
		if ((*p)->idle && !(*p)->idle(c))
			return false;
	return true;
}

static bool idle_ready(void *arg)
{
	return context_idle(arg);
}

sov_result context_pause(struct context *c, bool (*needed)(struct context *c, void *arg),
			 sov_result (*act)(struct context *c, void *arg), void *arg)
{
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	if (!r && needed(c, arg)) {
		context_quiesce(c);
		r = act(c, arg);
		context_resume(c);
	}
	pthread_mutex_unlock(&c->lock);
	return r;
}

sov_result context_settle(struct context *c, bool (*needed)(struct context *c, void *arg),
			  sov_result (*act)(struct context *c, void *arg), void *arg)
{
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	while (!r && needed(c, arg)) {
		/* Repeated after each wait: streams may have been created while the lock was
		 * free. */
		context_quiesce(c);
		if (context_idle(c)) {
			r = act(c, arg);
			break;
		}
		/* The work may wait for bodies of conditional nodes, which are submitted
		 * meanwhile. */
		if (c->bodies_stream)
			context_resume(c);
		r = context_block(c, idle_ready, c, SOV_FOREVER);
	}
	context_resume(c);
	pthread_mutex_unlock(&c->lock);
	return r;
}
