// SPDX-License-Identifier: MIT
/*
 * A context is destroyed inside sov_stream_host_function, after the stream has its submission and
 * before the host function thread knows of the call. That window begins with the doorbell: the test
 * maps the doorbell's word read-only, so that the ringing thread blocks until the context is
 * destroyed.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#include "libsov/runtime/context/device.h"
#include "tests/userspace/runtime/_api.h"

static struct winsys watched;
static uint32_t *word;
static size_t page;
static sem_t rings, gone;

static void with_bell(struct winsys_queue *q, struct winsys_queue_memory *out)
{
	winsys_soft.queue_memory(q, out);
	out->doorbell = word;
}

static void on_fault(int signal, siginfo_t *info, void *state)
{
	static const char died[] = "not ok 1 - the call touched what went with the context\n1..1\n";

	(void)signal;
	(void)state;
	if (info->si_addr != word) {
		(void)!write(STDOUT_FILENO, died, sizeof(died) - 1);
		_exit(1);
	}
	sem_post(&rings);
	while (sem_wait(&gone))
		;
	mprotect(word, page, PROT_READ | PROT_WRITE);
}

static void never(void *user)
{
	*(bool *)user = true;
}

static bool called;

static void *call(void *stream)
{
	return (void *)(uintptr_t)sov_stream_host_function(stream, never, &called);
}

int main(void)
{
	struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	sov_device device;
	struct device *d;
	pthread_t thread;
	sov_context c;
	sov_stream s;
	void *r;

	soft_gpus("gh100:vram=256M");
	setenv("SOV_VISIBLE_DEVICES", soft_name("gh100.0"), 1);
	page = (size_t)sysconf(_SC_PAGESIZE);
	word = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sem_init(&rings, 0, 0);
	sem_init(&gone, 0, 0);
	sigaction(SIGSEGV, &fault, NULL);
	MUST(sov_device_open(0, &device));
	d = object_get(device, OBJECT_DEVICE);
	watched = winsys_soft;
	watched.queue_memory = with_bell;
	d->winsys = &watched;
	object_put(&d->object);
	MUST(sov_context_create(device, NULL, &c));
	MUST(sov_context_get_stream(c, &s));
	mprotect(word, page, PROT_NONE);
	pthread_create(&thread, NULL, call, s);
	while (sem_wait(&rings))
		;
	MUST(sov_context_destroy(c));
	sem_post(&gone);
	pthread_join(thread, &r);
	ok(!r && !called, "a host function whose context is destroyed during the call is not run");
	return tap_done();
}
