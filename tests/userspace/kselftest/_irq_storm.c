// SPDX-License-Identifier: MIT
/*
 * Bounds the interrupt rate of a card that raises interrupts without pause. The driver masks the
 * interrupt for the rest of a tenth of a second after a hundred without a cause, so it takes at
 * most a thousand per second on any machine. A machine too slow to deliver more says nothing about
 * the driver, and passes.
 */
#include <poll.h>
#include <time.h>

#include "tests/userspace/kselftest/device.h"

#define MEASURE_MS 3000
#define BURST      100 /* interrupts without a cause per tenth of a second: kmod/nv/intr.c */

/* Total of one interrupt over all CPUs; -1 if the kernel does not report it. */
static long long interrupt_count(const char *number)
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
	long long start = now_ms(), first = argc == 2 ? interrupt_count(argv[1]) : -1;

	if (!ok(first >= 0, "the kernel reports a count for the interrupt"))
		return tap_done();
	poll(NULL, 0, MEASURE_MS);
	long long taken = interrupt_count(argv[1]) - first,
		  limit = (now_ms() - start) / 100 * BURST + 2 * BURST;

	diag("%lld interrupts, at most %lld", taken, limit);
	ok(taken > BURST, "the card raises interrupts without pause");
	ok(taken <= limit,
	   "the driver takes at most a hundred spurious interrupts per tenth of a second");
	return tap_done();
}
