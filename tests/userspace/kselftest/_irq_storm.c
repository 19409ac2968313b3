/* SPDX-License-Identifier: MIT */
/*
 * Are the interrupts of a card that sends one after the other few enough? A driver that does not hear them for a
 * tenth of a second after each hundred within such a time takes at most a thousand in a second, however fast the machine is.
 * One that is so slow that no more can come says nothing of the driver, and need not.
 */
#include <poll.h>
#include <time.h>

#include "tests/userspace/kselftest/device.h"

#define TIME_MS 3000
#define ENOUGH  100 /* without a reason in a tenth of a second: kmod/nv/intr.c */

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
	long long start = now_ms(), first = argc == 2 ? count(argv[1]) : -1;

	if (!ok(first >= 0, "the kernel counts the interrupt"))
		return tap_done();
	poll(NULL, 0, TIME_MS);
	long long came = count(argv[1]) - first,
		  most = (now_ms() - start) / 100 * ENOUGH + 2 * ENOUGH;

	diag("%lld interrupts, at most %lld", came, most);
	ok(came > ENOUGH, "interrupts come all the time");
	ok(came <= most, "they are few enough: no more than a hundred in a tenth of a second");
	return tap_done();
}
