// SPDX-License-Identifier: MIT
/*
 * Children of fork(): calls with the parent's handles are errors at once, also if a thread of the
 * parent was in the library, and a child can make contexts of its own.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

#define FORKS 20

#define BUSY_THREADS TAP_THREADS_MAY_FORK

static sov_device device;
static sov_context c;
static sov_stream stream;
static sov_event event;
static sov_function gate;
static sov_ptr memory;
static void *pinned;

/* Runs a function in a child and returns what it returned; -1: the child did not exit. */
static int in_child(int (*function)(void))
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(function());
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static bool is_fork_error(sov_result r)
{
	return r == SOV_ERROR_INVALID_HANDLE && strstr(sov_last_error(), "child of fork()");
}

/* The number of the first call that is not refused; 0: all are. */
static int use_inherited(void)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	sov_launch l = SOV_INIT(sov_launch);
	uint32_t word = 0;
	sov_stream other;
	sov_ptr more;
	sov_result r[12];

	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	r[0] = sov_memory_copy(c, memory, SOV_HOST(&word), 4);
	for (int i = 0; i < 12; i++) {
		switch (i) {
		case 1:
			r[i] = sov_memory_alloc(c, 4, &more);
			break;
		case 2:
			r[i] = sov_memory_free(c, memory);
			break;
		case 3:
			r[i] = sov_function_launch(gate, &l);
			break;
		case 4:
			r[i] = sov_stream_wait(stream, SOV_FOREVER);
			break;
		case 5:
			r[i] = sov_event_wait(event, SOV_FOREVER);
			break;
		case 6:
			r[i] = sov_context_wait(c, SOV_FOREVER);
			break;
		case 7:
			r[i] = sov_stream_create(c, 0, &other);
			break;
		case 8:
			r[i] = sov_host_free(c, pinned);
			break;
		case 9:
			r[i] = sov_context_reset(c);
			break;
		case 10:
			r[i] = sov_context_destroy(c);
			break;
		case 11:
			r[i] = sov_device_get_properties(device, &p);
			break;
		}
		if (!is_fork_error(r[i]))
			return i + 1;
	}
	return 0;
}

/* 0: a kernel of a context that the child makes runs. */
static int use_own(void)
{
	uint32_t words[2] = {1, 0};
	sov_launch l = SOV_INIT(sov_launch);
	sov_context own;
	sov_device d;
	sov_function f;
	sov_ptr at, out;

	if (sov_device_open(0, &d) || sov_context_create(d, NULL, &own) ||
	    sov_memory_alloc(own, sizeof(words), &at))
		return 1;
	out = at + 4;
	f = function_of(own, PTX_GATE, "gate");
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = ARGUMENTS(&at, &out);
	l.argument_count = 2;
	if (sov_memory_copy(own, at, SOV_HOST(words), sizeof(words)) ||
	    sov_function_launch(f, &l) || sov_context_wait(own, SOV_FOREVER) ||
	    sov_memory_copy(own, SOV_HOST(words), at, sizeof(words)))
		return 2;
	return sov_context_destroy(own) ? 3 : words[1] ? 0 : 4;
}

static int use_grandchild(void)
{
	return use_own() ? 1 : in_child(use_own);
}

static atomic_bool stop;

static void *make_objects(void *arg)
{
	sov_event e;
	sov_ptr p;

	(void)arg;
	while (!atomic_load(&stop)) {
		MUST(sov_event_create(c, 0, &e));
		MUST(sov_memory_alloc(c, 4096, &p));
		MUST(sov_memory_free(c, p));
		MUST(sov_event_destroy(e));
	}
	return NULL;
}

static void with_a_busy_thread(void)
{
	uint32_t right = 0;
	pthread_t thread;

	if (BUSY_THREADS)
		pthread_create(&thread, NULL, make_objects, NULL);
	for (uint32_t i = 0; i < FORKS; i++)
		right += !in_child(use_inherited) && !in_child(use_own);
	atomic_store(&stop, true);
	if (BUSY_THREADS)
		pthread_join(thread, NULL);
	ok(right == FORKS, "children do not wait for locks of the parent's other threads");
}

int main(void)
{
	uint64_t at, out;
	uint32_t *word;
	sov_launch l = SOV_INIT(sov_launch);

	soft_gpus("gh100:vram=256M");
	MUST(sov_device_open(0, &device));
	MUST(sov_context_create(device, NULL, &c));
	MUST(sov_stream_create(c, 0, &stream));
	MUST(sov_event_create(c, 0, &event));
	MUST(sov_memory_alloc(c, 4096, &memory));
	MUST(sov_host_alloc(c, 4096, &pinned));
	gate = function_of(c, PTX_GATE, "gate");
	word = pinned;
	at = SOV_HOST(word);
	out = SOV_HOST(word + 1);
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.stream = stream;
	l.arguments = ARGUMENTS(&at, &out);
	l.argument_count = 2;
	MUST(sov_function_launch(gate, &l));
	MUST(sov_event_record(event, stream));

	ok(in_child(use_inherited) == 0, "a child's calls with the parent's handles are refused");
	ok(in_child(use_own) == 0, "a child runs a kernel in a context of its own");
	ok(in_child(use_grandchild) == 0, "a child of a child does so, too");
	__atomic_store_n(word, 1, __ATOMIC_RELEASE);
	good(sov_stream_wait(stream, 60 * SECOND), "the parent's work goes on");
	with_a_busy_thread();
	good(sov_context_wait(c, 60 * SECOND), "the parent's context is as it was");
	MUST(sov_context_destroy(c));
	return tap_done();
}
