// SPDX-License-Identifier: MIT
/* Access to bytes at GPU addresses, page by page. Aligned words are never torn, since other threads
 * access them concurrently. */
#include "model/amd/wave.h"

static void move_part(uint8_t *host, uint8_t *bytes, uint32_t part, bool write)
{
	if (part == 4 && (uintptr_t)host % 4 == 0) {
		uint32_t word;

		if (write) {
			memcpy(&word, bytes, 4);
			__atomic_store_n((uint32_t *)host, word, __ATOMIC_RELAXED);
		} else {
			word = __atomic_load_n((uint32_t *)host, __ATOMIC_RELAXED);
			memcpy(bytes, &word, 4);
		}
	} else if (write) {
		mmu_move(host, bytes, part);
	} else {
		mmu_move(bytes, host, part);
	}
}

static void weak_part(struct wave *w, uint8_t *host, uint8_t *bytes, uint32_t part,
		      enum amd_path path, bool write)
{
	if (write)
		weak_store(w->weak, w->index, w->stores, host, bytes, part);
	else
		weak_load(w->weak, w->index, (enum weak_path)path, host, bytes, part);
}

static enum mmu_result access_pages(struct wave *w, uint64_t va, uint8_t *bytes, uint32_t count,
				    uint32_t access, enum amd_path path, uint64_t *fault)
{
	while (count) {
		uint32_t part = MMU_PAGE_BYTES - (uint32_t)(va % MMU_PAGE_BYTES);
		enum mmu_result why;
		uint8_t *host;

		if (part > count)
			part = count;
		host = amd_host_address(w, va, part, access, &why);
		if (!host) {
			*fault = va;
			return why;
		}
		if (w->grid->lines && access == MODEL_WRITE && path != AMD_ORDERED)
			amd_lines_store(w, va, part);
		if (w->grid->lines && access == MODEL_READ &&
		    amd_lines_load(w, path, va, host, bytes, part))
			; /* an old line */
		else if (w->weak && path != AMD_ORDERED)
			weak_part(w, host, bytes, part, path, access == MODEL_WRITE);
		else
			move_part(host, bytes, part, access == MODEL_WRITE);
		va += part;
		bytes += part;
		count -= part;
	}
	return MMU_OK;
}

enum mmu_result amd_memory_read(struct wave *w, uint64_t va, void *to, uint32_t bytes,
				enum amd_path path, uint64_t *fault)
{
	return access_pages(w, va, to, bytes, MODEL_READ, path, fault);
}

enum mmu_result amd_memory_write(struct wave *w, uint64_t va, const void *from, uint32_t bytes,
				 enum amd_path path, uint64_t *fault)
{
	return access_pages(w, va, (uint8_t *)from, bytes, MODEL_WRITE, path, fault);
}
