/* SPDX-License-Identifier: MIT */
/*
 * Is there peace between the interrupts of a card that sends one after the other? How many come in a second depends on the
 * machine, so that is not asked. What is: of many looks at their count, how many find that none has come since the last. A
 * driver that does not hear them for as long as it took to have enough of them leaves half of the time without any, on a
 * slow machine as on a fast one; without that, each look finds new ones.
 */
#include <poll.h>
#include <time.h>

#include "tests/userspace/kselftest/device.h"

#define LOOKS    400
#define BREAK_MS 5

/* Of one interrupt, on all processors; -1: the kernel does not tell. */
static long long count(const char *number)
{
	long long sum = 0, one;
	char path[64];

	snprintf(path, sizeof(path), "/sys/kernel/irq/%s/per_cpu_count", number);
	FILE *f = fopen(path, "r");

	if (!f)
		return -1;
	while (fscanf(f, "%lld%*[,]", &one) == 1)
		sum += one;
	fclose(f);
	return sum;
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	long long last = argc == 2 ? count(argv[1]) : -1, first = last;
	unsigned quiet = 0, looks = 0;

	if (!ok(first >= 0, "the kernel counts the interrupt"))
		return tap_done();
	for (int i = 0; i < LOOKS; i++) {
		long long start = now_ms();

		poll(NULL, 0, BREAK_MS);
		long long now = count(argv[1]);

		/* A look that comes late says nothing: the pauses are not that long. */
		if (now_ms() - start <= 2 * BREAK_MS) {
			looks++;
			quiet += now == last;
		}
		last = now;
	}
	ok(last - first > LOOKS, "interrupts come all the time");
	diag("%lld interrupts, %u of %u looks find none, %u looks came late", last - first, quiet, looks, LOOKS - looks);
	if (looks >= LOOKS / 4)
		ok(4 * quiet > looks, "they are few enough: often enough there is none between two looks");
	else
		diag("this machine is too busy to say whether they are few enough");
	return tap_done();
}
