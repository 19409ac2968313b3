// SPDX-License-Identifier: MIT
/*
 * The memory that the program has allocated or registered through these calls, in all contexts,
 * sorted by address: which context an address belongs to, and what kind of memory it is.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/driver.h"

static struct {
	pthread_rwlock_t lock;
	struct memory_range *ranges;
	size_t count, room;
} table = {.lock = PTHREAD_RWLOCK_INITIALIZER};

/* How many ranges begin at or below the address. */
static size_t upper_bound(uint64_t address)
{
	size_t low = 0, high = table.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (table.ranges[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool cuda_memory_find(uint64_t address, struct memory_range *out)
{
	bool found;
	size_t k;

	pthread_rwlock_rdlock(&table.lock);
	k = upper_bound(address);
	found = k && address - table.ranges[k - 1].address < table.ranges[k - 1].bytes;
	if (found)
		*out = table.ranges[k - 1];
	pthread_rwlock_unlock(&table.lock);
	return found;
}

CUresult cuda_memory_add(const struct memory_range *range)
{
	CUresult e = CUDA_SUCCESS;
	size_t k;

	pthread_rwlock_wrlock(&table.lock);
	if (table.count == table.room) {
		size_t room = table.room ? table.room * 2 : 64;
		struct memory_range *more = realloc(table.ranges, room * sizeof(*more));

		if (more) {
			table.ranges = more;
			table.room = room;
		} else {
			e = CUDA_ERROR_OUT_OF_MEMORY;
		}
	}
	if (!e) {
		k = upper_bound(range->address);
		memmove(&table.ranges[k + 1], &table.ranges[k],
			(table.count - k) * sizeof(*table.ranges));
		table.ranges[k] = *range;
		table.count++;
	}
	pthread_rwlock_unlock(&table.lock);
	return e;
}

/* Removes the range that begins at the address. */
bool cuda_memory_take(uint64_t address, struct memory_range *out)
{
	bool found;
	size_t k;

	pthread_rwlock_wrlock(&table.lock);
	k = upper_bound(address);
	found = k && table.ranges[k - 1].address == address;
	if (found) {
		*out = table.ranges[k - 1];
		memmove(&table.ranges[k - 1], &table.ranges[k],
			(table.count - k) * sizeof(*table.ranges));
		table.count--;
	}
	pthread_rwlock_unlock(&table.lock);
	return found;
}

void cuda_memory_forget(CUcontext c, CUmodule m)
{
	size_t k, kept = 0;

	pthread_rwlock_wrlock(&table.lock);
	for (k = 0; k < table.count; k++)
		if (table.ranges[k].context != c || (m && table.ranges[k].module != m))
			table.ranges[kept++] = table.ranges[k];
	table.count = kept;
	pthread_rwlock_unlock(&table.lock);
}
