/* SPDX-License-Identifier: MIT */
/*
 * Helpers of the software GPU go where it is most urgent. Here a grid's work is a list of who did
 * some of it: no block is run, the workers are all that is tried.
 */
#include <sched.h>
#include <semaphore.h>
#include "model/core/model_internal.h"
#include "tests/tap.h"

static struct model_channel channel;
static struct workers *workers;
static struct work low = {.channel = &channel, .priority = -1, .blocks = 1000000};
static struct work high = {.channel = &channel, .priority = 1, .blocks = 2};
static struct work same = {.channel = &channel, .priority = -1, .blocks = 2};
static sem_t helped, launched;
static const struct work *seen[16]; /* what the one helper worked on, in order */
static _Atomic uint32_t count;

/* What crew.c has is not linked. A launcher of the low grid waits until the test is over. */
void grid_run_blocks(struct work *g, const struct workers *helper_of)
{
	if (!helper_of) {
		sem_wait(g == &low ? &launched : &helped);
		return;
	}
	seen[count % 16] = g;
	count++;
	if (g == &low) {
		if (count == 1)
			sem_post(&helped);
		while (!workers_should_yield(helper_of, g) && !atomic_load(&channel.stop))
			sched_yield();
		return;
	}
	atomic_store(&g->started, g->blocks);
	sem_post(&helped);
}

static void *launch_low(void *unused)
{
	workers_run(workers, &low);
	return unused;
}

int main(void)
{
	pthread_t thread;

	sem_init(&helped, 0, 0);
	sem_init(&launched, 0, 0);
	if (workers_create(2, &workers))
		return 1;
	pthread_create(&thread, NULL, launch_low, NULL);
	sem_wait(&helped);
	workers_run(workers, &high);
	ok(count >= 2 && seen[0] == &low && seen[1] == &high,
	   "a helper leaves a grid when a more urgent one comes");
	while (count < 3)
		sched_yield();
	ok(seen[2] == &low, "and comes back when that has no more blocks to start");
	ok(!workers_should_yield(workers, &same) && workers_should_yield(workers, &low) == false,
	   "what is as urgent does not call it away");
	atomic_store(&channel.stop, true);
	sem_post(&launched);
	pthread_join(thread, NULL);
	workers_destroy(workers);
	return tap_done();
}
