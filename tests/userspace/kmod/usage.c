// SPDX-License-Identifier: MIT
/*
 * Limits per file, per user and per device: the file that the kernel compiles counts at random in a
 * device with users and their files, and after each step every counter is the sum of the charges
 * below it, and no charge that a scope refused has changed one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;

#include "tests/tap.h"
#include "kmod/usage.c"

enum { USERS = 3, FILES_PER_USER = 4, STEPS = 20000 };

static struct sov_usage device = {.scope = SOV_SCOPE_DEVICE}, users[USERS],
			files[USERS][FILES_PER_USER];

static void reset(void)
{
	memset(device.used, 0, sizeof(device.used));
	for (int u = 0; u < USERS; u++) {
		users[u] = (struct sov_usage){.parent = &device, .scope = SOV_SCOPE_USER};
		for (int f = 0; f < FILES_PER_USER; f++)
			files[u][f] =
				(struct sov_usage){.parent = &users[u], .scope = SOV_SCOPE_FILE};
	}
}

static bool counts_are(u64 file, u64 user, u64 all)
{
	return files[0][0].used[SOV_LIMIT_VRAM] == file && users[0].used[SOV_LIMIT_VRAM] == user &&
	       device.used[SOV_LIMIT_VRAM] == all;
}

/* Each scope refuses by itself, at its limit and not below. */
static void test_each_scope_refuses(void)
{
	static const struct {
		const char *scope;
		u64 max[SOV_SCOPE_COUNT];
	} rows[] = {
		{"file", {10, 100, 100}},
		{"user", {100, 10, 100}},
		{"device", {100, 100, 10}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const u64 *max = rows[i].max;

		reset();
		ok(sov_usage_charge(&files[0][0], SOV_LIMIT_VRAM, 10, max) &&
			   counts_are(10, 10, 10),
		   "%s limit: a charge up to the limit counts in all scopes", rows[i].scope);
		ok(!sov_usage_charge(&files[0][0], SOV_LIMIT_VRAM, 1, max) &&
			   counts_are(10, 10, 10),
		   "%s limit: a charge above the limit counts in no scope", rows[i].scope);
		ok(sov_usage_charge(&files[0][0], SOV_LIMIT_SYSTEM, 10, max) &&
			   counts_are(10, 10, 10),
		   "%s limit: another resource has a limit of its own", rows[i].scope);
		ok(sov_usage_charge(&files[0][1], SOV_LIMIT_VRAM, 1, max) ==
			   !strcmp(rows[i].scope, "file"),
		   "%s limit: another file of the user is %s", rows[i].scope,
		   strcmp(rows[i].scope, "file") ? "refused" : "granted");
		ok(sov_usage_charge(&files[1][0], SOV_LIMIT_VRAM, 1, max) ==
			   !!strcmp(rows[i].scope, "device"),
		   "%s limit: a file of another user is %s", rows[i].scope,
		   strcmp(rows[i].scope, "device") ? "granted" : "refused");
		sov_usage_uncharge(&files[0][0], SOV_LIMIT_VRAM, 1);
		ok(sov_usage_charge(&files[0][0], SOV_LIMIT_VRAM, 1, (u64[]){10, 11, 12}),
		   "%s limit: what is freed can be charged again", rows[i].scope);
	}
}

static void test_extreme_values(void)
{
	reset();
	ok(!sov_usage_charge(&files[0][0], SOV_LIMIT_VRAM, UINT64_MAX, (u64[]){100, 100, 100}) &&
		   counts_are(0, 0, 0),
	   "a charge of 2^64 - 1 is refused");
	ok(sov_usage_charge(&files[0][0], SOV_LIMIT_VRAM, 50, (u64[]){100, 100, 100}) &&
		   !sov_usage_charge(&files[0][0], SOV_LIMIT_VRAM, UINT64_MAX - 49,
				     (u64[]){UINT64_MAX, UINT64_MAX, UINT64_MAX}) &&
		   counts_are(50, 50, 50),
	   "a sum beyond 2^64 - 1 is refused");
	ok(!sov_usage_charge(&files[0][0], SOV_LIMIT_VRAM, 1, (u64[]){10, 100, 100}) &&
		   !sov_usage_charge(&files[0][0], SOV_LIMIT_VRAM, 1, (u64[]){100, 10, 100}) &&
		   !sov_usage_charge(&files[0][0], SOV_LIMIT_VRAM, 1, (u64[]){100, 100, 10}) &&
		   counts_are(50, 50, 50),
	   "nothing is granted above a limit that was lowered");
	sov_usage_charge_forced(&files[0][0], SOV_LIMIT_VRAM, 100);
	ok(counts_are(150, 150, 150), "a forced charge counts in all scopes whatever the limits");
	sov_usage_uncharge(&files[0][0], SOV_LIMIT_VRAM, 150);
	ok(counts_are(0, 0, 0), "what was forced is freed in all scopes");
}

static u64 sum_of_files(int user, int limit)
{
	u64 sum = 0;

	for (int f = 0; f < FILES_PER_USER; f++)
		sum += files[user][f].used[limit];
	return sum;
}

static void test_random_charges(void)
{
	const u64 max[SOV_SCOPE_COUNT] = {60, 150, 300};
	unsigned int granted = 0, refused = 0;
	bool sums = true, bounded = true;

	srand(1);
	reset();
	for (int i = 0; i < STEPS; i++) {
		int u = rand() % USERS, limit = rand() % SOV_LIMIT_COUNT;
		struct sov_usage *file = &files[u][rand() % FILES_PER_USER];
		u64 amount = (u64)(rand() % 20) + 1, all = 0;

		if (rand() % 3)
			*(sov_usage_charge(file, limit, amount, max) ? &granted : &refused) += 1;
		else if (file->used[limit] >= amount)
			sov_usage_uncharge(file, limit, amount);
		for (int v = 0; v < USERS; v++) {
			sums = sums && users[v].used[limit] == sum_of_files(v, limit);
			bounded = bounded && users[v].used[limit] <= max[SOV_SCOPE_USER];
			all += users[v].used[limit];
		}
		sums = sums && device.used[limit] == all;
		bounded = bounded && all <= max[SOV_SCOPE_DEVICE] &&
			  file->used[limit] <= max[SOV_SCOPE_FILE];
	}
	ok(granted > STEPS / 10 && refused > STEPS / 10, "random charges are granted and refused");
	diag("%u granted, %u refused", granted, refused);
	ok(sums, "at random charges every counter is the sum of the counters below it");
	ok(bounded, "at random charges no scope exceeds its limit");
}

int main(void)
{
	test_each_scope_refuses();
	test_extreme_values();
	test_random_charges();
	return tap_done();
}
