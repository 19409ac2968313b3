// SPDX-License-Identifier: MIT
/* DMA mappings of the machine's memory. Without an IOMMU these are one or a few ranges that cover
 * all of it; with one they are ranges of a page and more that the driver maps and unmaps. A DMA may
 * span adjacent ranges, so these must be adjacent in the host address space, too: each range is
 * mapped at its offset in a window of reserved addresses, one window for each 256 GiB in use. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "model/card/card_internal.h"

#define MAX_RANGES 65535
#define PAGE_BYTES 4096
#ifdef __SANITIZE_THREAD__ /* leaves less address space */
#define WINDOW_BYTES ((uint64_t)1 << 32)
#else
#define WINDOW_BYTES ((uint64_t)1 << 38)
#endif

/* Returns the host address of a DMA address, mapped or not; NULL: no window covers it. */
static uint8_t *host_of(struct dma_maps *maps, uint64_t address)
{
	for (uint32_t i = 0; i < DMA_WINDOWS && maps->windows[i].host; i++)
		if (maps->windows[i].number == address / WINDOW_BYTES)
			return maps->windows[i].host + address % WINDOW_BYTES;
	return NULL;
}

static int reserve_window(struct dma_maps *maps, uint64_t address)
{
	uint32_t i = 0;

	if (host_of(maps, address))
		return 0;
	while (i < DMA_WINDOWS && maps->windows[i].host)
		i++;
	if (i == DMA_WINDOWS)
		return -ENOSPC;
	void *host = mmap(NULL, WINDOW_BYTES, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (host == MAP_FAILED)
		return -errno;
	maps->windows[i] = (struct dma_window){address / WINDOW_BYTES, host};
	return 0;
}

/* Returns the index of the first range that ends after an address. */
static size_t find_range(const struct dma_maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct dma_range *range = &maps->ranges[middle];

		if (range->address + (range->bytes - 1) < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int map_range(struct dma_maps *maps, struct dma_range range, int fd, uint64_t offset)
{
	size_t i = find_range(maps, range.address);
	int status;

	if (i < maps->count && maps->ranges[i].address <= range.address + (range.bytes - 1))
		return -EEXIST;
	if (maps->count == MAX_RANGES)
		return -ENOSPC;
	struct dma_range *more = realloc(maps->ranges, (maps->count + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	maps->ranges = more;
	if (fd >= 0) {
		status = reserve_window(maps, range.address);
		if (status)
			return status;
		range.host = mmap(host_of(maps, range.address), range.bytes,
				  PROT_READ | (range.writable ? PROT_WRITE : 0),
				  MAP_SHARED | MAP_FIXED, fd, (off_t)offset);
		if (range.host == MAP_FAILED)
			return -errno;
	}
	memmove(&more[i + 1], &more[i], (maps->count++ - i) * sizeof(*more));
	more[i] = range;
	return 0;
}

/* Access to a mapping beyond the end of its file raises SIGBUS. Files of devices are not accepted:
 * their drivers may refuse a mapping after the kernel removed the reservation that it replaces. */
static bool file_covers(int fd, uint64_t end)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && end <= (uint64_t)st.st_size;
}

int card_dma_map(struct card *c, uint64_t address, uint64_t bytes, int fd, uint64_t offset,
		 bool writable)
{
	struct dma_range range = {.address = address, .bytes = bytes, .writable = writable};
	uint64_t end, file_end;

	if (!bytes || __builtin_add_overflow(address, bytes - 1, &end) ||
	    __builtin_add_overflow(offset, bytes, &file_end) || file_end > INT64_MAX ||
	    (address | bytes | offset) % PAGE_BYTES || (fd >= 0 && !file_covers(fd, file_end)))
		return -EINVAL;
	if (fd >= 0 && address / WINDOW_BYTES != end / WINDOW_BYTES)
		return -ENOSPC;
	pthread_rwlock_wrlock(&c->dma_maps.lock);
	int status = map_range(&c->dma_maps, range, fd, offset);

	pthread_rwlock_unlock(&c->dma_maps.lock);
	return status;
}

/* Unmaps a range that was removed from the list: no engine uses it when this returns. */
static void unmap_range(struct card *c, const struct dma_range *range)
{
	if (!range->host)
		return;
	pthread_mutex_lock(&c->lock);
	c->chip->vendor->memory_unmapped(c, range->host, range->bytes);
	pthread_mutex_unlock(&c->lock);
	mmap(range->host, range->bytes, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

int card_dma_unmap(struct card *c, uint64_t address, uint64_t bytes)
{
	struct dma_maps *maps = &c->dma_maps;
	struct dma_range range = {0};

	pthread_rwlock_wrlock(&maps->lock);
	size_t i = find_range(maps, address);

	if (i < maps->count && maps->ranges[i].address == address &&
	    maps->ranges[i].bytes == bytes) {
		range = maps->ranges[i];
		memmove(&maps->ranges[i], &maps->ranges[i + 1],
			(--maps->count - i) * sizeof(range));
	}
	pthread_rwlock_unlock(&maps->lock);
	unmap_range(c, &range);
	return range.bytes ? 0 : -ENOENT;
}

void card_dma_unmap_all(struct card *c)
{
	while (c->dma_maps.count) { /* no other thread changes it */
		const struct dma_range last = c->dma_maps.ranges[c->dma_maps.count - 1];

		card_dma_unmap(c, last.address, last.bytes);
	}
}

void dma_free(struct card *c)
{
	struct dma_maps *maps = &c->dma_maps;

	for (uint32_t i = 0; i < DMA_WINDOWS && maps->windows[i].host; i++)
		munmap(maps->windows[i].host, WINDOW_BYTES);
	free(maps->ranges);
	pthread_rwlock_destroy(&maps->lock);
}

/* Returns NULL, or why a range cannot be used. */
static const char *check_range(const struct dma_maps *maps, uint64_t address, uint64_t bytes,
			       bool write)
{
	uint64_t end;

	if (__builtin_add_overflow(address, bytes ? bytes - 1 : 0, &end))
		return "it wraps around the address space";
	for (size_t i = find_range(maps, address);; i++) {
		const struct dma_range *range = i < maps->count ? &maps->ranges[i] : NULL;

		if (!range || range->address > address)
			return "no memory is mapped there";
		if (!range->host)
			return "that memory cannot be accessed";
		if (write && !range->writable)
			return "that memory is read-only";
		if (range->address + (range->bytes - 1) >= end)
			return NULL;
		address = range->address + range->bytes;
		if (address % WINDOW_BYTES == 0)
			return "it crosses a multiple of 256 GiB";
	}
}

void *card_dma(struct card *c, uint64_t address, uint64_t bytes, bool write, const char *what)
{
	const char *verb = write ? "write" : "read";

	if (!config_bus_master(c)) {
		card_refuse(c, "DMA %s of %s at 0x%" PRIx64 " while the card is not bus master",
			    verb, what, address);
		return NULL;
	}
	pthread_rwlock_rdlock(&c->dma_maps.lock);
	const char *wrong = check_range(&c->dma_maps, address, bytes, write);
	uint8_t *host = wrong ? NULL : host_of(&c->dma_maps, address);

	pthread_rwlock_unlock(&c->dma_maps.lock);
	if (wrong)
		card_refuse(c, "DMA %s of %s, %" PRIu64 " bytes at 0x%" PRIx64 ": %s", verb, what,
			    bytes, address, wrong);
	return host;
}
