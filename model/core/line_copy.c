// SPDX-License-Identifier: MIT
/* Copies and fills of one line of memory by a channel's copy engine, page by page. */
#include "model/core/model_internal.h"

/* Bytes from va to the end of its page. */
static uint64_t bytes_to_page_end(uint64_t va)
{
	return MMU_PAGE_BYTES - va % MMU_PAGE_BYTES;
}

/* Translates an address; returns NULL after a fault. */
static uint8_t *engine_translate(struct model_channel *c, struct channel_address addr,
				 uint32_t access, const char *what)
{
	enum mmu_result why = MMU_UNMAPPED;
	uint8_t *host = addr.physical
				? c->config.physical(c->config.argument, addr.target, addr.address)
				: mmu_translate(&c->reader, addr.address, access, &why);

	if (!host)
		channel_fault(c, why, addr.address, what);
	return host;
}

bool channel_copy(struct model_channel *c, struct channel_address src, struct channel_address dst,
		  uint64_t bytes)
{
	while (bytes) {
		uint64_t n = bytes;
		uint8_t *from, *to;

		if (atomic_load_explicit(&c->stop, memory_order_relaxed))
			return false;
		mmu_poll(&c->reader);
		n = n < bytes_to_page_end(src.address) ? n : bytes_to_page_end(src.address);
		n = n < bytes_to_page_end(dst.address) ? n : bytes_to_page_end(dst.address);
		from = engine_translate(c, src, MODEL_READ, "the copy's source");
		to = from ? engine_translate(c, dst, MODEL_WRITE, "the copy's destination") : NULL;
		if (!to)
			return false;
		if (c->space->check && !src.physical && !dst.physical)
			check_copied(c->space->check, dst.address, src.address, n);
		mmu_move(to, from, n);
		src.address += n;
		dst.address += n;
		bytes -= n;
	}
	return true;
}

bool channel_fill(struct model_channel *c, struct channel_address dst, uint64_t elements,
		  uint32_t size, uint32_t value)
{
	while (elements) {
		uint64_t n = bytes_to_page_end(dst.address) / size;
		uint8_t *to;

		if (atomic_load_explicit(&c->stop, memory_order_relaxed))
			return false;
		mmu_poll(&c->reader);
		to = engine_translate(c, dst, MODEL_WRITE, "the fill's destination");
		if (!to)
			return false;
		n = n < elements ? n : elements;
		if (c->space->check && !dst.physical)
			check_written(c->space->check, dst.address, n * size);
		for (uint64_t i = 0; i < n; i++)
			mmu_move(to + i * size, (const uint8_t *)&value, size);
		dst.address += n * size;
		elements -= n;
	}
	return true;
}
