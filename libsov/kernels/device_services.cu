/* SPDX-License-Identifier: MIT */
/*
 * Device code of printf, assert, malloc, free and cudaGraphSetConditional; device_services.h defines its interface with the
 * runtime, and ptx.sh compiles it to device_services_ptx.c. Each service is one function without
 * calls. The algorithms are lock-free: a compare-and-swap fails only if another thread made
 * progress. The heap has segregated free lists, one Treiber stack per power of two.
 */
#include "device_services.h"

#define DEVICE static __attribute__((device)) inline __attribute__((always_inline))
#define SERVICE extern "C" __attribute__((device, used))
typedef services_u64 u64;

__attribute__((device)) struct services_control *sov_services asm("sov_services");

DEVICE u64 atomic_add(u64 *p, u64 v)
{
	u64 old;

	asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(v) : "memory");
	return old;
}

DEVICE u64 atomic_swap_if(u64 *p, u64 expected, u64 v)
{
	u64 old;

	asm volatile("atom.global.cas.b64 %0, [%1], %2, %3;"
		     : "=l"(old) : "l"(p), "l"(expected), "l"(v) : "memory");
	return old;
}

DEVICE unsigned atomic_exchange(unsigned *p, unsigned v)
{
	unsigned old;

	asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
	return old;
}

DEVICE u64 load(const u64 *p)
{
	u64 v;

	asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
	return v;
}

DEVICE unsigned load_word(const unsigned *p)
{
	unsigned v;

	asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
	return v;
}

DEVICE void store(u64 address, u64 v)
{
	asm volatile("st.volatile.global.u64 [%0], %1;" ::"l"(address), "l"(v) : "memory");
}

/* Acquire forms: what the writer of the value did before is visible afterwards. */
DEVICE u64 load_acquire(const u64 *p)
{
	u64 v;

	asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
	return v;
}

DEVICE u64 acquire_swap_if(u64 *p, u64 expected, u64 v)
{
	u64 old;

	asm volatile("atom.acquire.gpu.global.cas.b64 %0, [%1], %2, %3;"
		     : "=l"(old) : "l"(p), "l"(expected), "l"(v) : "memory");
	return old;
}

DEVICE void fence()
{
	asm volatile("membar.sys;" ::: "memory");
}

/* ---- assert ---- */

DEVICE void copy_text(char *to, const char *from)
{
	unsigned i = 0;

	for (; from && from[i] && i < SERVICES_TEXT - 1; i++)
		to[i] = from[i];
	to[i] = 0;
}

/* The first thread writes the assertion record and traps; later threads exit. */
DEVICE void stop(const char *expression, const char *file, unsigned line, const char *function,
		 u64 address)
{
	struct services_control *c = sov_services;
	struct services_assertion *a = (struct services_assertion *)c->log;

	if (atomic_swap_if(&c->stopped, 0, 1))
		asm volatile("exit;");
	a->line = line;
	a->block[0] = __nvvm_read_ptx_sreg_ctaid_x();
	a->block[1] = __nvvm_read_ptx_sreg_ctaid_y();
	a->block[2] = __nvvm_read_ptx_sreg_ctaid_z();
	a->thread[0] = __nvvm_read_ptx_sreg_tid_x();
	a->thread[1] = __nvvm_read_ptx_sreg_tid_y();
	a->thread[2] = __nvvm_read_ptx_sreg_tid_z();
	a->address = address;
	copy_text(a->text[0], expression);
	copy_text(a->text[1], file);
	copy_text(a->text[2], function);
	fence();
	*(volatile unsigned *)&a->ready = 1;
	fence();
	asm volatile("trap;");
}

SERVICE void service_assert(const char *expression, const char *file, unsigned line,
			    const char *function, u64 character_bytes) asm("__assertfail");
SERVICE void service_assert(const char *expression, const char *file, unsigned line,
			    const char *function, u64 character_bytes)
{
	stop(expression, file, line, function, 0);
}

/* ---- printf ---- */

struct writer {
	u64 ring, mask;
	u64 start, bytes; /* position and size of the record */
	u64 at;           /* offset of the next byte in the record */
	u64 word;
	bool writing;     /* false: count bytes only */
};

DEVICE void put(struct writer *w, unsigned byte)
{
	w->word |= (u64)(byte & 255) << 8 * (w->at & 7);
	w->at++;
	if (!(w->at & 7)) {
		if (w->writing && w->at <= w->bytes)
			store(w->ring + ((w->start + w->at - 8) & w->mask), w->word);
		w->word = 0;
	}
}

DEVICE void put_bytes(struct writer *w, u64 value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++, value >>= 8)
		put(w, (unsigned)value);
}

struct arguments {
	const char *base;
	unsigned at;
};

DEVICE u64 take(struct arguments *a, unsigned bytes)
{
	u64 v;

	a->at = (a->at + bytes - 1) & ~(bytes - 1);
	v = bytes == 8 ? *(const u64 *)(a->base + a->at) : *(const unsigned *)(a->base + a->at);
	a->at += bytes;
	return v;
}

/* Writes the format and the argument of each conversion; returns the number of conversions. */
DEVICE int put_line(struct writer *w, const char *format, struct arguments a)
{
	const char *p = format;
	int count = 0;

	for (; *p; p++)
		put(w, (unsigned char)*p);
	put(w, 0);
	for (p = format; *p; p++) {
		bool wide = false;

		if (*p != '%')
			continue;
		for (p++; *p && ((*p >= '0' && *p <= '9') || *p == '-' || *p == '+' || *p == ' ' ||
				 *p == '#' || *p == '.' || *p == '*' || *p == 'h' || *p == 'l' ||
				 *p == 'L' || *p == 'j' || *p == 'z' || *p == 't');
		     p++) {
			if (*p == '*')
				put_bytes(w, take(&a, 4), 4);
			wide |= *p == 'l' || *p == 'j' || *p == 'z' || *p == 't';
		}
		if (!*p)
			break;
		switch (*p) {
		case 'd': case 'i': case 'u': case 'o': case 'x': case 'X': case 'c':
			put_bytes(w, take(&a, wide ? 8 : 4), wide ? 8 : 4);
			count++;
			break;
		case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A':
		case 'p':
			put_bytes(w, take(&a, 8), 8);
			count++;
			break;
		case 's': {
			const char *s = (const char *)take(&a, 8);

			for (; s && *s; s++)
				put(w, (unsigned char)*s);
			put(w, 0);
			count++;
			break;
		}
		case 'n':
			take(&a, 8);
			break;
		}
	}
	return count;
}

SERVICE int service_print(const char *format, const void *arguments) asm("vprintf");
SERVICE int service_print(const char *format, const void *arguments)
{
	struct services_control *c = sov_services;
	struct arguments a = {(const char *)arguments, 0};
	struct writer w = {c->log + SERVICES_LOG_START, c->ring_bytes - 1, 0, 0, 16, 0, false};
	u64 old;
	int count;

	if (!format)
		return -1;
	for (;;) {
		count = put_line(&w, format, a);
		if (w.writing)
			break;
		w.bytes = (w.at + 7) & ~7ull;
		old = atomic_add(&c->admitted, w.bytes);
		/* Negative if the host has already read later records of other threads. */
		if ((long long)(old + w.bytes - load(&c->tail)) > (long long)c->ring_bytes) {
			atomic_add(&c->admitted, -w.bytes);
			atomic_add(&c->lost, 1);
			return -2;
		}
		w.start = atomic_add(&c->head, w.bytes);
		w.at = 16;
		w.word = 0;
		w.writing = true;
	}
	while (w.at < w.bytes)
		put(&w, 0);
	store(w.ring + ((w.start + 8) & w.mask), w.bytes);
	fence();
	store(w.ring + (w.start & w.mask), w.start + 1);
	return count;
}

/* ---- malloc and free ---- */

#define IN_USE 0x5e7a11ceu
#define FREED  0x0f7eed00u

struct header {
	unsigned state, power; /* log2 of the block's size */
	unsigned next;         /* in a free block: 1 + the unit of the next free block */
	unsigned unused;
};

DEVICE struct header *header_at(const struct services_control *c, unsigned unit)
{
	return (struct header *)(c->heap + (u64)unit * SERVICES_UNIT);
}

/* The upper half of a list head counts updates, which prevents the ABA problem. The head must be
 * acquired before the header that it names is read: that was written by the thread which pushed it. */
DEVICE struct header *pop(struct services_control *c, unsigned power)
{
	u64 head = load_acquire(&c->lists[power]), seen;

	for (;;) {
		struct header *h;

		if (!(unsigned)head)
			return 0;
		h = header_at(c, (unsigned)head - 1);
		seen = acquire_swap_if(&c->lists[power], head,
				       ((head >> 32) + 1) << 32 | load_word(&h->next));
		if (seen == head)
			return h;
		head = seen;
	}
}

DEVICE void push(struct services_control *c, struct header *h)
{
	unsigned unit = (unsigned)(((u64)h - c->heap) / SERVICES_UNIT), power = h->power;
	u64 head = load(&c->lists[power]), seen;

	for (;;) {
		*(volatile unsigned *)&h->next = (unsigned)head;
		asm volatile("membar.gl;" ::: "memory");
		seen = atomic_swap_if(&c->lists[power], head, ((head >> 32) + 1) << 32 | (unit + 1));
		if (seen == head)
			return;
		head = seen;
	}
}

DEVICE struct header *extend(struct services_control *c, unsigned power)
{
	u64 next = load(&c->heap_next), size = 1ull << power, seen;

	for (;;) {
		struct header *h;

		if (size > c->heap_bytes - next)
			return 0;
		seen = atomic_swap_if(&c->heap_next, next, next + size);
		if (seen == next) {
			h = (struct header *)(c->heap + next);
			h->power = power;
			return h;
		}
		next = seen;
	}
}

SERVICE void *service_alloc(u64 bytes) asm("malloc");
SERVICE void *service_alloc(u64 bytes)
{
	struct services_control *c = sov_services;
	unsigned power = 5, k;
	struct header *h;

	if (!bytes || bytes > c->heap_bytes)
		return 0;
	while ((1ull << power) < bytes + SERVICES_UNIT)
		power++;
	h = pop(c, power);
	if (!h)
		h = extend(c, power);
	for (k = power + 1; !h && k < SERVICES_LISTS; k++)
		h = pop(c, k);
	if (!h)
		return 0;
	*(volatile unsigned *)&h->state = IN_USE;
	return (char *)h + SERVICES_UNIT;
}

SERVICE void service_free(void *pointer) asm("free");
SERVICE void service_free(void *pointer)
{
	struct services_control *c = sov_services;
	u64 at = (u64)pointer - SERVICES_UNIT - c->heap;
	struct header *h = (struct header *)((u64)pointer - SERVICES_UNIT);

	if (!pointer)
		return;
	if (at >= load(&c->heap_next) || at % SERVICES_UNIT ||
	    atomic_exchange(&h->state, FREED) != IN_USE)
		stop(0, 0, 0, 0, (u64)pointer);
	push(c, h);
}

/* ---- conditional nodes of graphs ---- */

/* The condition's handle is its address in the host's memory. */
SERVICE void service_set_condition(u64 condition, unsigned value) asm("cudaGraphSetConditional");
SERVICE void service_set_condition(u64 condition, unsigned value)
{
	asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(condition), "r"(value) : "memory");
}
