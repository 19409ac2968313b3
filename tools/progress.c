/* SPDX-License-Identifier: MIT */
/*
 * A sign of life: when standard error is a terminal, a thread says what is being done once it has
 * taken a second, counts the seconds, and wipes its line at the end.
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
	const char *what;
};

static void *tell(void *data)
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
			fprintf(stderr, "\rsov: %s, %u s", p->what, ++seconds);
	}
	pthread_mutex_unlock(&p->lock);
	if (seconds)
		fprintf(stderr, "\r\033[K");
	return NULL;
}

/* NULL where nobody is watching; progress_end takes that too. */
struct progress *progress_start(const char *what)
{
	struct progress *p = isatty(STDERR_FILENO) ? calloc(1, sizeof(*p)) : NULL;

	if (!p)
		return NULL;
	p->what = what;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	if (pthread_create(&p->thread, NULL, tell, p)) {
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
