/* SPDX-License-Identifier: MIT */
/*
 * Memory of the machine that the card was dma_maps. Without an IOMMU that is all of it in a piece or a few;
 * behind one it is what the driver mapped, in pieces of a page and more that come and go. DMA may go over
 * pieces that lie side by side, so they lie side by side here, too: a piece is mapped at its place in a
 * window of reserved addresses, of which there is one for each 256 GiB that are in use.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model/card/card_internal.h"

#define MAX_PIECES 65535
#define PAGE_BYTES 4096
#ifdef __SANITIZE_THREAD__ /* which leaves less room */
#define WINDOW_BYTES ((uint64_t)1 << 32)
#else
#define WINDOW_BYTES ((uint64_t)1 << 38)
#endif

/* Our address for one of the machine's, which need not be dma_maps; NULL: there is no window for it. */
static uint8_t *host_of(struct dma_maps *l, uint64_t address)
{
	for (uint32_t i = 0; i < DMA_WINDOWS && l->windows[i].host; i++)
		if (l->windows[i].number == address / WINDOW_BYTES)
			return l->windows[i].host + address % WINDOW_BYTES;
	return NULL;
}

static int make_window(struct dma_maps *l, uint64_t address)
{
	uint32_t i = 0;

	if (host_of(l, address))
		return 0;
	while (i < DMA_WINDOWS && l->windows[i].host)
		i++;
	if (i == DMA_WINDOWS)
		return -ENOSPC;
	void *host = mmap(NULL, WINDOW_BYTES, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (host == MAP_FAILED)
		return -errno;
	l->windows[i] = (struct dma_window){address / WINDOW_BYTES, host};
	return 0;
}

/* The first piece that ends behind an address. */
static size_t place_of(const struct dma_maps *l, uint64_t address)
{
	size_t low = 0, high = l->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct dma_range *p = &l->pieces[middle];

		if (p->address + (p->bytes - 1) < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int lend(struct dma_maps *l, struct dma_range p, int fd, uint64_t offset)
{
	size_t i = place_of(l, p.address);
	int status;

	if (i < l->count && l->pieces[i].address <= p.address + (p.bytes - 1))
		return -EEXIST;
	if (l->count == MAX_PIECES)
		return -ENOSPC;
	struct dma_range *more = realloc(l->pieces, (l->count + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	l->pieces = more;
	if (fd >= 0) {
		status = make_window(l, p.address);
		if (status)
			return status;
		p.host = mmap(host_of(l, p.address), p.bytes,
			      PROT_READ | (p.writable ? PROT_WRITE : 0), MAP_SHARED | MAP_FIXED, fd,
			      (off_t)offset);
		if (p.host == MAP_FAILED)
			return -errno;
	}
	memmove(&more[i + 1], &more[i], (l->count++ - i) * sizeof(*more));
	more[i] = p;
	return 0;
}

int card_dma_map(struct card *c, uint64_t address, uint64_t bytes, int fd, uint64_t offset,
	      bool writable)
{
	struct dma_range p = {.address = address, .bytes = bytes, .writable = writable};
	uint64_t end, file_end;

	if (!bytes || __builtin_add_overflow(address, bytes - 1, &end) ||
	    __builtin_add_overflow(offset, bytes, &file_end) || file_end > INT64_MAX ||
	    (address | bytes | offset) % PAGE_BYTES)
		return -EINVAL;
	if (fd >= 0 && address / WINDOW_BYTES != end / WINDOW_BYTES)
		return -ENOSPC;
	pthread_rwlock_wrlock(&c->dma_maps.lock);
	int status = lend(&c->dma_maps, p, fd, offset);

	pthread_rwlock_unlock(&c->dma_maps.lock);
	return status;
}

/* A piece that is in the list no more: nobody uses it when this returns. */
static void lose(struct card *c, const struct dma_range *p)
{
	if (!p->host)
		return;
	pthread_mutex_lock(&c->lock);
	channel_memory_unmapped(c, p->host, p->bytes);
	space_invalidate_all(c);
	pthread_mutex_unlock(&c->lock);
	mmap(p->host, p->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
	     -1, 0);
}

int card_dma_unmap(struct card *c, uint64_t address, uint64_t bytes)
{
	struct dma_maps *l = &c->dma_maps;
	struct dma_range p = {0};

	pthread_rwlock_wrlock(&l->lock);
	size_t i = place_of(l, address);

	if (i < l->count && l->pieces[i].address == address && l->pieces[i].bytes == bytes) {
		p = l->pieces[i];
		memmove(&l->pieces[i], &l->pieces[i + 1], (--l->count - i) * sizeof(p));
	}
	pthread_rwlock_unlock(&l->lock);
	lose(c, &p);
	return p.bytes ? 0 : -ENOENT;
}

void card_dma_unmap_all(struct card *c)
{
	while (c->dma_maps.count) { /* only our own caller changes it */
		const struct dma_range last = c->dma_maps.pieces[c->dma_maps.count - 1];

		card_dma_unmap(c, last.address, last.bytes);
	}
}

void dma_free(struct card *c)
{
	struct dma_maps *l = &c->dma_maps;

	for (uint32_t i = 0; i < DMA_WINDOWS && l->windows[i].host; i++)
		munmap(l->windows[i].host, WINDOW_BYTES);
	free(l->pieces);
	pthread_rwlock_destroy(&l->lock);
}

/* NULL, or why a range cannot be used. */
static const char *wrong_with(const struct dma_maps *l, uint64_t address, uint64_t bytes, bool write)
{
	uint64_t end;

	if (__builtin_add_overflow(address, bytes ? bytes - 1 : 0, &end))
		return "it goes around the end of all addresses";
	for (size_t i = place_of(l, address);; i++) {
		const struct dma_range *p = i < l->count ? &l->pieces[i] : NULL;

		if (!p || p->address > address)
			return "no memory is there";
		if (!p->host)
			return "that memory is not in reach";
		if (write && !p->writable)
			return "that memory is read-only";
		if (p->address + (p->bytes - 1) >= end)
			return NULL;
		address = p->address + p->bytes;
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
	const char *wrong = wrong_with(&c->dma_maps, address, bytes, write);
	uint8_t *host = wrong ? NULL : host_of(&c->dma_maps, address);

	pthread_rwlock_unlock(&c->dma_maps.lock);
	if (wrong)
		card_refuse(c, "DMA %s of %s, %" PRIu64 " bytes at 0x%" PRIx64 ": %s", verb, what,
			    bytes, address, wrong);
	return host;
}
