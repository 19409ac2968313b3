// SPDX-License-Identifier: MIT
/* Workers serve the most urgent grid. A grid's work here only records which grid a helper served:
 * no block is executed, the test is of the workers alone. */
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
static const struct work *served[16]; /* grids that the one helper served, in order */
static _Atomic uint32_t count;

/* Replaces resident_blocks.c. The launcher of the low-priority grid waits until the end of the
 * test. */
void grid_run_blocks(struct work *g, const struct workers *helper_of)
{
	if (!helper_of) {
		sem_wait(g == &low ? &launched : &helped);
		return;
	}
	served[count % 16] = g;
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
	ok(count >= 2 && served[0] == &low && served[1] == &high,
	   "a helper leaves a grid when a more urgent one is launched");
	while (count < 3)
		sched_yield();
	ok(served[2] == &low,
	   "a helper returns to its grid when the urgent one has no blocks left to start");
	ok(!workers_should_yield(workers, &same) && workers_should_yield(workers, &low) == false,
	   "a helper does not leave its grid for one of equal priority");
	atomic_store(&channel.stop, true);
	sem_post(&launched);
	pthread_join(thread, NULL);
	workers_destroy(workers);
	return tap_done();
}
