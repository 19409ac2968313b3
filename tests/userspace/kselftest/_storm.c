/* SPDX-License-Identifier: MIT */
/*
 * Is there peace between the interrupts of a card that sends one after the other? How many come in a second depends on the
 * machine, so that is not asked. What is: of many looks at their count, how many find that none has come since the last. A
 * driver that does not hear them for as long as it took to have enough of them leaves half of the time without any, on a
 * slow machine as on a fast one; without that, each look finds new ones.
 */
#include <poll.h>

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

int main(int argc, char **argv)
{
	long long last = argc == 2 ? count(argv[1]) : -1, first = last;
	unsigned quiet = 0;

	if (!ok(first >= 0, "the kernel counts the interrupt"))
		return tap_done();
	for (int i = 0; i < LOOKS; i++) {
		poll(NULL, 0, BREAK_MS);
		long long now = count(argv[1]);

		quiet += now == last;
		last = now;
	}
	ok(last - first > LOOKS, "interrupts come all the time");
	ok(quiet > LOOKS / 4, "they are few enough: often enough there is none between two looks");
	diag("%lld interrupts, %u of %d looks find none", last - first, quiet, LOOKS);
	return tap_done();
}
