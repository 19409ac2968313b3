// SPDX-License-Identifier: MIT
/*
 * Concurrent copies by several threads, on one stream and on separate streams, in all directions
 * and sizes, while others pin and unpin memory. Each thread checks its own memory.
 */
#include <pthread.h>
#include <sys/mman.h>
#include "tests/userspace/runtime/_api.h"

#define THREADS 4
#define ROUNDS  (60 / TAP_SLOWNESS + 10)
#define BYTES   (160u << 10) /* more than one staging chunk */

static sov_context c;

struct job {
	pthread_t thread;
	uint64_t state;
	sov_stream stream;
	uint32_t right, wrong;
	char sentence[256];
};

static uint64_t next(struct job *j)
{
	j->state = j->state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return j->state >> 20;
}

#define TRY(call) \
	do { \
		if (call) { \
			j->wrong++; \
			snprintf(j->sentence, sizeof(j->sentence), "%s: %s", #call, \
				 sov_last_error()); \
			return; \
		} \
	} while (0)

/* Copies random bytes from one kind of host memory to the GPU, inside it, and back to the other
 * kind. */
static void round_of(struct job *j, uint8_t *pinned, uint8_t *pageable, const sov_ptr device[2])
{
	bool from_pinned = next(j) % 2;
	uint8_t *from = from_pinned ? pinned : pageable, *to = from_pinned ? pageable : pinned;
	uint32_t n = 1 + (uint32_t)(next(j) % (next(j) % 3 ? 3000 : BYTES)), i, same = 0;
	uint8_t first = (uint8_t)next(j);
	void *passing;

	for (i = 0; i < n; i++)
		from[i] = (uint8_t)(first + i * 7);
	memset(to, 0, n);
	TRY(sov_memory_copy_async(j->stream, device[0], SOV_HOST(from), n));
	TRY(sov_host_alloc(c, 1 + next(j) % 9000, &passing));
	TRY(sov_memory_copy_async(j->stream, device[1], device[0], n));
	TRY(sov_memory_copy_async(j->stream, SOV_HOST(to), device[1], n));
	TRY(sov_host_free(c, passing));
	TRY(sov_stream_wait(j->stream, 60 * SECOND));
	for (i = 0; i < n; i++)
		same += to[i] == (uint8_t)(first + i * 7);
	if (same == n)
		j->right++;
	else
		snprintf(j->sentence, sizeof(j->sentence), "%u of %u bytes", same, n);
}

static void work(struct job *j)
{
	uint8_t *pageable = malloc(BYTES), *own = soft_mmap(BYTES);
	sov_ptr device[2];
	uint32_t i;

	TRY(sov_memory_alloc(c, BYTES, &device[0]));
	TRY(sov_memory_alloc(c, BYTES, &device[1]));
	TRY(sov_host_register(c, own, BYTES));
	for (i = 0; i < ROUNDS && !j->wrong; i++)
		round_of(j, own, pageable, device);
	TRY(sov_host_unregister(c, own));
	TRY(sov_memory_free(c, device[0]));
	TRY(sov_memory_free(c, device[1]));
	munmap(own, BYTES);
	free(pageable);
}

static void *start(void *argument)
{
	work(argument);
	return NULL;
}

static void run(bool one_stream)
{
	struct job jobs[THREADS] = {{0}};
	uint32_t i, right = 0;
	sov_stream shared;

	MUST(sov_stream_create(c, 0, &shared));
	for (i = 0; i < THREADS; i++) {
		jobs[i].state = random_u64();
		jobs[i].stream = shared;
		if (!one_stream)
			MUST(sov_stream_create(c, 0, &jobs[i].stream));
		pthread_create(&jobs[i].thread, NULL, start, &jobs[i]);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(jobs[i].thread, NULL);
		right += jobs[i].right;
		if (*jobs[i].sentence)
			diag("%s", jobs[i].sentence);
		if (!one_stream)
			MUST(sov_stream_destroy(jobs[i].stream));
	}
	ok(right == THREADS * ROUNDS, "%u threads copy on %s: %u of %u round trips are right",
	   THREADS, one_stream ? "one stream" : "streams of their own", right, THREADS * ROUNDS);
	MUST(sov_stream_destroy(shared));
}

int main(void)
{
	soft_gpus("gh100:vram=64M");
	random_seed();
	c = context_on("gh100.0", 0);
	run(true);
	run(false);
	good(sov_context_destroy(c), "a context can be destroyed after copies by many threads");
	return tap_done();
}
