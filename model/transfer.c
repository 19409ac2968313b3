/* SPDX-License-Identifier: MIT */
/* Lines of memory that a channel's engine copies or fills, page by page. */
#include "model/internal.h"

/* Bytes from va to the end of its page. */
static uint64_t page_left(uint64_t va)
{
	return MMU_PAGE_BYTES - va % MMU_PAGE_BYTES;
}

bool channel_copy(struct model_channel *c, uint64_t src, uint64_t dst, uint64_t bytes)
{
	while (bytes) {
		enum mmu_result why;
		uint64_t n = bytes;
		uint8_t *from, *to;

		if (atomic_load_explicit(&c->stop, memory_order_relaxed))
			return false;
		mmu_poll(&c->reader);
		n = n < page_left(src) ? n : page_left(src);
		n = n < page_left(dst) ? n : page_left(dst);
		from = mmu_translate(&c->reader, src, MODEL_READ, &why);
		if (!from)
			return channel_fault(c, why, src, "the copy's source");
		to = mmu_translate(&c->reader, dst, MODEL_WRITE, &why);
		if (!to)
			return channel_fault(c, why, dst, "the copy's destination");
		mmu_move(to, from, n);
		src += n;
		dst += n;
		bytes -= n;
	}
	return true;
}

bool channel_fill(struct model_channel *c, uint64_t dst, uint64_t elements, uint32_t size,
		  uint32_t value)
{
	while (elements) {
		uint64_t n = page_left(dst) / size;
		enum mmu_result why;
		uint8_t *to;

		if (atomic_load_explicit(&c->stop, memory_order_relaxed))
			return false;
		mmu_poll(&c->reader);
		to = mmu_translate(&c->reader, dst, MODEL_WRITE, &why);
		if (!to)
			return channel_fault(c, why, dst, "the fill's destination");
		n = n < elements ? n : elements;
		for (uint64_t i = 0; i < n; i++)
			mmu_move(to + i * size, (const uint8_t *)&value, size);
		dst += n * size;
		elements -= n;
	}
	return true;
}
