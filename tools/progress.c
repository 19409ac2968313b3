// SPDX-License-Identifier: MIT
/*
 * Progress indicator: when standard error is a terminal, a thread names the operation and counts
 * its seconds from the first on, and erases its line at the end.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "tools/tool.h"

struct progress {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool done;
	const char *operation;
};

static void *progress_thread(void *data)
{
	struct progress *p = data;
	struct timespec when;
	unsigned seconds = 0;

	clock_gettime(CLOCK_REALTIME, &when);
	pthread_mutex_lock(&p->lock);
	while (!p->done) {
		when.tv_sec++;
		while (!p->done && !pthread_cond_timedwait(&p->wake, &p->lock, &when))
			;
		if (!p->done)
			fprintf(stderr, "\rsov: %s, %u s", p->operation, ++seconds);
	}
	pthread_mutex_unlock(&p->lock);
	if (seconds)
		fprintf(stderr, "\r\033[K");
	return NULL;
}

/* Returns NULL when stderr is not a terminal; progress_end() accepts NULL. */
struct progress *progress_start(const char *operation)
{
	struct progress *p = isatty(STDERR_FILENO) ? calloc(1, sizeof(*p)) : NULL;

	if (!p)
		return NULL;
	p->operation = operation;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	if (pthread_create(&p->thread, NULL, progress_thread, p)) {
		free(p);
		return NULL;
	}
	return p;
}

void progress_end(struct progress *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->done = true;
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	free(p);
}
