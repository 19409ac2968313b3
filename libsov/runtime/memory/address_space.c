// SPDX-License-Identifier: MIT
/*
 * GPU addresses. An address is unique in the process, across all devices and host memory: it comes
 * from host address space that is reserved with PROT_NONE, so that no host pointer can have its
 * value, and a freed GPU address is still recognised as one. Reservations grow on demand and are
 * never released. Rings, command words and launch descriptors need addresses below 2^40, from a
 * separate reservation.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include "libsov/runtime/base/range.h"
#include "libsov/runtime/memory/address_space.h"

#define HIGH_BYTES    (1ull << 36) /* per reservation */
#define GUARD_BYTES   (1ull << 16) /* unmapped after each allocation, so that overruns fault */
#define WINDOW_BYTES  (UINT64_C(1) << 32)
#define LOW(bits)     (UINT64_C(1) << (bits))
#define MAX_REGIONS   64
#define MAX_MAP_TRIES 256
#define MAP_SKIP      (UINT64_C(1) << 40) /* from an occupied address to the next attempt */

#ifndef __has_feature /* clang has it, gcc from 14 on */
#define __has_feature(f) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
/* ThreadSanitizer aborts on addresses without a shadow, so the range that it leaves comes first. On
 * arm64 it has no shadow between 8 GiB and the upper half, so GPUs with fewer address bits cannot
 * allocate there. */
#define LOW_FIRST {LOW(32), LOW(32)},
#define HIGH_END  (UINT64_C(1) << 48)
#else
#define LOW_FIRST
/* Every GPU has at least this many address bits (gpu.h); an arm64 host has one more. */
#define HIGH_END (UINT64_C(1) << 47)
#endif

static struct {
	pthread_mutex_t lock;
	struct range regions[MAX_REGIONS]; /* all reservations; never removed, hence … */
	uint32_t region_count;             /* … readable without the lock */
	struct ranges low, high;
	uint64_t windows;
	struct range excluded; /* see va_exclude */
} va = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool va_reserve_at(uint64_t hint, uint64_t bytes, int flags, uint64_t *start)
{
	void *p;

	if (va.region_count == MAX_REGIONS)
		return false;
	p = mmap((void *)(uintptr_t)hint, bytes, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
	if (p == MAP_FAILED)
		return false;
	/* A kernel without MAP_FIXED_NOREPLACE takes the address as a hint. */
	if ((flags && (uintptr_t)p != hint) || (uintptr_t)p > HIGH_END - bytes) {
		munmap(p, bytes);
		return false;
	}
	*start = (uintptr_t)p;
	va.regions[va.region_count] = (struct range){*start, bytes};
	__atomic_store_n(&va.region_count, va.region_count + 1, __ATOMIC_RELEASE);
	return true;
}

void va_exclude(uint64_t start, uint64_t bytes)
{
	if (!bytes)
		return;
	pthread_mutex_lock(&va.lock);
	va.excluded = (struct range){start, bytes};
	pthread_mutex_unlock(&va.lock);
}

static bool va_is_excluded(uint64_t start, uint64_t bytes)
{
	return start < va.excluded.start + va.excluded.bytes && va.excluded.start < start + bytes;
}

/*
 * Once: 4 GiB at some power of two, outside the excluded range if possible. A sanitizer's shadow
 * may lie in the low terabyte: ThreadSanitizer leaves 8 GiB on aarch64, AddressSanitizer on x86-64
 * only 2 GiB less 32 KiB, where programs that are not position-independent begin too.
 */
static bool va_grow_low(void)
{
	static const struct range tries[] = {
		LOW_FIRST{LOW(33), LOW(32)},
		{LOW(34), LOW(32)},
		{LOW(35), LOW(32)},
		{LOW(36), LOW(32)},
		{LOW(37), LOW(32)},
		{LOW(38), LOW(32)},
		{LOW(39), LOW(32)},
		{LOW(32), LOW(32)},
		{LOW(28), LOW(31) - LOW(28) - LOW(16)},
	};
	uint64_t start, bytes;
	uint32_t i, excluded;

	if (va.low.bound)
		return false;
	for (excluded = 0; excluded < 2; excluded++)
		for (i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
			start = tries[i].start;
			bytes = tries[i].bytes;
			if (va_is_excluded(start, bytes) == !!excluded &&
			    va_reserve_at(start, bytes, MAP_FIXED_NOREPLACE, &start))
				return ranges_add(&va.low, start, bytes);
		}
	return false;
}

/* Anywhere below HIGH_END: where the kernel chooses, or near a power of two. These are hints, since
 * ThreadSanitizer makes 0 of addresses that it reserves. */
static bool va_reserve_high(uint64_t bytes, uint64_t *start)
{
	static const uint8_t bits[] = {46, 44, 43, 42};
	uint32_t i, k;

	if (bytes > HIGH_END)
		return false;
	if (va_reserve_at(0, bytes, 0, start))
		return true;
	for (i = 0; i < sizeof(bits); i++)
		for (k = 0; k < 8; k++)
			if (va_reserve_at((UINT64_C(1) << bits[i]) + k * HIGH_BYTES, bytes, 0,
					  start))
				return true;
	return false;
}

/* Reserves less if the process has a limit (ulimit -v). */
static bool va_grow_high(uint64_t need)
{
	uint64_t bytes, start;

	for (bytes = HIGH_BYTES > need ? HIGH_BYTES : need; bytes >= need; bytes /= 2)
		if (va_reserve_high(bytes, &start))
			return ranges_add(&va.high, start, bytes);
	return false;
}

bool va_alloc(bool low, uint64_t bytes, uint64_t align, uint64_t *address)
{
	struct ranges *r = low ? &va.low : &va.high;
	uint64_t whole = bytes + GUARD_BYTES;
	bool good;

	if (whole < bytes || whole + align < whole)
		return false;
	pthread_mutex_lock(&va.lock);
	good = ranges_take(r, whole, align, address) ||
	       ((low ? va_grow_low() : va_grow_high(whole + align)) &&
		ranges_take(r, whole, align, address));
	pthread_mutex_unlock(&va.lock);
	return good;
}

void va_free(bool low, uint64_t address, uint64_t bytes)
{
	pthread_mutex_lock(&va.lock);
	ranges_give(low ? &va.low : &va.high, address, bytes + GUARD_BYTES);
	pthread_mutex_unlock(&va.lock);
}

bool va_reserved(uint64_t address)
{
	uint32_t i, count = __atomic_load_n(&va.region_count, __ATOMIC_ACQUIRE);

	for (i = 0; i < count; i++)
		if (address - va.regions[i].start < va.regions[i].bytes)
			return true;
	return false;
}

/* Where the kernel chooses, or, if that is too high, from three quarters of the lower half on. A
 * sanitizer may have reserved terabytes there. */
void *va_map_host(uint64_t bytes, uint32_t bits)
{
	static _Atomic uint64_t next = HIGH_END / 4 * 3;
	uint64_t hint = 0;
	uint32_t tries;
	void *p;

	for (tries = 0; tries < MAX_MAP_TRIES; tries++) {
		p = mmap((void *)(uintptr_t)hint, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return NULL;
		if ((uintptr_t)p + bytes <= UINT64_C(1) << bits)
			return p;
		munmap(p, bytes);
		if (hint)
			atomic_fetch_add(&next, MAP_SKIP);
		hint = atomic_fetch_add(&next, (bytes + GUARD_BYTES - 1) & ~(GUARD_BYTES - 1)) %
		       HIGH_END;
	}
	return NULL;
}

bool va_windows(uint64_t *shared, uint64_t *local)
{
	uint64_t start;

	pthread_mutex_lock(&va.lock);
	if (!va.windows && va_reserve_high(3 * WINDOW_BYTES, &start))
		va.windows = (start + WINDOW_BYTES - 1) & ~(WINDOW_BYTES - 1);
	*shared = va.windows;
	*local = va.windows + WINDOW_BYTES;
	pthread_mutex_unlock(&va.lock);
	return *shared;
}

void va_before_fork(void)
{
	pthread_mutex_lock(&va.lock);
}

void va_after_fork(void)
{
	pthread_mutex_unlock(&va.lock);
}
