/* SPDX-License-Identifier: MIT */
/* Internal interfaces of the software GPU: worker threads, address spaces and their readers (each
 * with a TLB), channels with engine state, and errors. */
#ifndef MODEL_INTERNAL_H
#define MODEL_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "hw/amd/pm4.h"
#include "hw/nv/qmd.h"
#include "model/core/check.h"
#include "model/core/model.h"
#include "model/core/weak_memory.h"

struct amd_deferred;
struct amd_lines;
struct code;
struct work;
struct workers;

/* Operations of a vendor: how a channel reads its ring, and the cache of decoded code. */
struct vendor {
	uint32_t va_bits, ring_align, userd_align;
	void (*begin)(struct model_channel *c); /* initialises a new channel's state */
	void (*drain)(struct model_channel *c); /* executes the ring from GET to PUT */
	/* Called after the error is filled in; may be NULL. */
	void (*failed)(struct model_channel *c);
	struct code *(*code_create)(const struct model *m);
	void (*code_put)(struct code *c); /* NULL is allowed */
	/* Free what the vendor keeps with a space, with a channel whose thread has ended; may be
	 * NULL. */
	void (*space_end)(struct model_space *s);
	void (*channel_end)(struct model_channel *c);
};
extern const struct vendor vendor_nv, vendor_amd;

struct model {
	const struct model_chip *chip;
	const struct vendor *vendor;
	const struct nv_qmd_layout *qmd; /* NVIDIA only */
	bool hazard, inexact;
	uint64_t weak_seed;  /* 0: memory is strongly ordered */
	uint64_t order_seed; /* 0: warps execute by number */
	uint32_t translate, translate_visits;
	void (*profiled)(void *argument, const struct launch_counts *l);
	uint32_t checks;               /* MODEL_CHECK_* */
	_Atomic uint64_t weak_streams; /* sequences of random numbers that were made from it */
	uint8_t *vram;
	uint64_t vram_bytes;
	struct workers *workers;
	pthread_mutex_t lock; /* channels, next_token */
	struct model_channel *channels;
	uint32_t next_token;
};

/* mmu.c. A thread that accesses GPU memory registers as a reader of the space from mmu_enter() to
 * mmu_leave() and has a TLB. A reader must call mmu_poll() regularly: there it drops translations
 * that another thread has unmapped. model_unmap() returns when every reader has done so
 * (quiescent-state reclamation, as in RCU). */
#define MMU_PAGE_BITS  12
#define MMU_PAGE_BYTES (1u << MMU_PAGE_BITS)
#define MMU_VA_BITS    49
#define MMU_TLB        256
#define MMU_SPANS      128
#define MMU_SPAN_BITS  16
#define MMU_SITES      32

struct model_space {
	struct model *model;
	pthread_mutex_t
		lock; /* page table writers and the list of readers; readers must not block on it */
	pthread_mutex_t code_lock;
	_Atomic uintptr_t *root;
	model_walker walk; /* replaces the tables below root; NULL: use them */
	void *walk_argument;
	_Atomic uint64_t generation; /* number of TLB invalidations */
	struct mmu_reader *readers;
	struct code *code; /* decoded instructions; replaced on instruction cache invalidation */
	struct check_space *check; /* NULL: nothing is checked */
	uint64_t tba, tma;         /* AMD: the trap handler; tba 0: none */
	struct amd_lines *lines;   /* AMD: what kernels left in caches; NULL: nothing so far */
};

struct mmu_reader {
	struct model_space *space;
	struct mmu_reader *next;
	_Atomic uint64_t seen;    /* the TLB holds no translation older than this generation */
	struct weak_memory *weak; /* holds host addresses, like the TLB; NULL: none */
	struct {
		uint64_t page; /* page number + 1; 0: empty */
		uint8_t *host;
		uint32_t access;
	} tlb[MMU_TLB];
	/* Runs of pages that are adjacent on the host, too: vector accesses have one translation. A
	 * span does not cross a multiple of 2 MiB. */
	struct mmu_span {
		uint64_t start, bytes; /* bytes is 0: empty */
		uint8_t *host;
		uint32_t access;
	} spans[MMU_SPANS];
	/* The last spans of loads and stores in generated code, by instruction. 64 bytes from start
	 * + at on belong to the span if at < limit. */
	struct mmu_site {
		uint64_t start, limit;
		uint8_t *host;
	} sites[2][MMU_SITES];
};

enum mmu_result { MMU_OK, MMU_UNMAPPED, MMU_DENIED };

void mmu_enter(struct mmu_reader *r, struct model_space *s);
void mmu_leave(struct mmu_reader *r);
void mmu_poll_slow(struct mmu_reader *r);
static inline void mmu_poll(struct mmu_reader *r)
{
	if (atomic_load_explicit(&r->seen, memory_order_relaxed) !=
	    atomic_load_explicit(&r->space->generation, memory_order_acquire))
		mmu_poll_slow(r);
}

/* Page walk: returns the host address of va, valid to the end of its page, or NULL and *why. */
uint8_t *mmu_walk(struct mmu_reader *r, uint64_t va, uint32_t access, enum mmu_result *why);
static inline uint8_t *mmu_translate(struct mmu_reader *r, uint64_t va, uint32_t access,
				     enum mmu_result *why)
{
	uint64_t page = va >> MMU_PAGE_BITS;
	uint32_t slot = page % MMU_TLB;

	if (r->tlb[slot].page == page + 1 && (r->tlb[slot].access & access) == access)
		return r->tlb[slot].host + va % MMU_PAGE_BYTES;
	return mmu_walk(r, va, access, why);
}
const struct mmu_span *mmu_walk_span(struct mmu_reader *r, uint64_t va, uint32_t access);
/* The span around va, valid as long as a translation; NULL: va does not permit the access. */
static inline const struct mmu_span *mmu_find_span(struct mmu_reader *r, uint64_t va,
						   uint32_t access)
{
	const struct mmu_span *s = &r->spans[(va >> MMU_SPAN_BITS) % MMU_SPANS];

	if (va - s->start < s->bytes && (s->access & access) == access)
		return s;
	return mmu_walk_span(r, va, access);
}
static inline void mmu_remember_span(struct mmu_reader *r, uint32_t site, bool write,
				     const struct mmu_span *s)
{
	r->sites[write][site] = (struct mmu_site){s->start, s->bytes - 63, s->host};
}
/* Copy across pages. On failure *fault is the first address that could not be translated. */
enum mmu_result mmu_read(struct mmu_reader *r, uint64_t va, void *out, uint64_t bytes,
			 uint64_t *fault);
enum mmu_result mmu_write(struct mmu_reader *r, uint64_t va, const void *in, uint64_t bytes,
			  uint64_t *fault);
const char *mmu_result_text(enum mmu_result why);
/* memmove for GPU memory that other threads access concurrently: aligned words are never torn. */
void mmu_move(uint8_t *to, const uint8_t *from, uint64_t bytes);

/* Engine state that methods set. */
struct compute {
	uint32_t shared_window[2], local_window[2], local_memory[2],
		local_tpc[3]; /* high word first */
	bool shared_window_set, local_window_set;
	/* Pools of textures: address, high word first; largest number. */
	uint32_t texture_headers[3], texture_samplers[3];
	uint32_t pcas; /* descriptor address >> 8 */
	uint32_t inline_bytes, inline_lines, inline_to[2];
	uint64_t inline_at, inline_left; /* write position and bytes still expected */
	uint64_t launches;
};

struct copy {
	uint32_t semaphore[2], payload[2]; /* semaphore: high word first; payload: low word first */
	uint32_t src[2], dst[2], src_pitch, dst_pitch, line_bytes, lines;
	uint32_t src_target, dst_target; /* NV_COPY_TARGET_* of physical addresses */
	uint32_t constant[2], components;
};

struct host {
	uint32_t semaphore[2], payload[2]; /* low word first */
	uint16_t bound[8];                 /* class by subchannel; 0: none */
};

/* AMD: dispatch registers that packets set, from COMPUTE_DISPATCH_INITIATOR on. */
struct amd_queue {
	uint64_t read; /* words that the queue has read */
	/* A copy queue's use of cache control: since its last wait, and since its last copy. */
	bool written_back, stale;
	struct amd_deferred *deferred; /* packets that are executed later, in their order */
	uint64_t random;               /* chooses them */
	uint32_t registers[(AMD_COMPUTE_END - AMD_COMPUTE_DISPATCH_INITIATOR) / 4];
};

struct model_channel {
	struct model *model;
	struct model_space *space;
	struct model_channel *next;
	struct model_channel_config config;
	uint32_t token, get;
	pthread_t thread;
	pthread_mutex_t lock; /* doorbell_rung, error */
	pthread_cond_t wake;
	bool doorbell_rung;
	atomic_bool stop;           /* destroyed or failed: all its work ends */
	atomic_bool stop_requested; /* model_channel_stop */
	_Atomic uint32_t grids;     /* that run */
	uint64_t launches;          /* so far */
	atomic_bool busy;           /* executes its ring */
	struct model_error error;
	struct mmu_reader reader; /* of the channel's thread */
	union {
		struct { /* NVIDIA */
			struct host host;
			struct compute compute;
			struct copy copy;
		};
		struct amd_queue amd;
	};
};

/* A virtual address of the channel, or a physical address in a target that config.physical
 * resolves. */
struct channel_address {
	uint64_t address;
	bool physical;
	uint32_t target;
};
static inline struct channel_address channel_va(uint64_t address)
{
	return (struct channel_address){.address = address};
}

/* Records the channel's first error, fills the notifier and stops the channel. Always returns
 * false. */
__attribute__((format(printf, 3, 4))) bool
channel_fail(struct model_channel *c, const struct model_error *where, const char *format, ...);
/* channel_fail() for an MMU fault of the channel's front end or copy engine. */
bool channel_fault(struct model_channel *c, enum mmu_result why, uint64_t address,
		   const char *what);
/* Raises an interrupt if the channel has a handler. */
void channel_interrupt(struct model_channel *c);
/* Stores 4 or 8 naturally aligned bytes with release ordering. */
bool channel_store(struct model_channel *c, uint64_t address, uint64_t value, uint32_t size,
		   const char *what);
/* Polls the 4 or 8 bytes at address until the condition holds. Returns false if the channel stops
 * or fails. */
typedef bool channel_condition(const void *wanted, uint64_t value);
bool channel_wait(struct model_channel *c, uint64_t address, uint32_t size, channel_condition *met,
		  const void *wanted, const char *what);
/* Drops decoded code: later launches decode again. */
bool channel_invalidate_code(struct model_channel *c);
/* line_copy.c. Fill elements have 1, 2 or 4 bytes and natural alignment. */
bool channel_copy(struct model_channel *c, struct channel_address src, struct channel_address dst,
		  uint64_t bytes);
bool channel_fill(struct model_channel *c, struct channel_address dst, uint64_t elements,
		  uint32_t size, uint32_t value);

/* NVIDIA host semaphore release: writes size bytes of payload and, if requested, the timestamp 8
 * bytes after it. */
bool channel_release(struct model_channel *c, uint64_t address, uint64_t payload, uint32_t size,
		     bool timestamp);

/* Execute one method with its data word. Return false if the channel has failed. */
bool compute_method(struct model_channel *c, uint32_t method, uint32_t data);
bool copy_method(struct model_channel *c, uint32_t method, uint32_t data);

/* code_cache.c */
struct code *code_create(const struct model *m);
struct code *code_get(struct code *c);
void code_put(struct code *c);

/* inline_data.c: inline-to-memory transfers, whose data is in the method stream. */
bool inline_launch(struct model_channel *c, uint32_t data);
bool inline_word(struct model_channel *c, uint32_t data);

/* A grid as host threads execute it. */
struct thread { /* one host thread that executes blocks of a grid */
	struct mmu_reader reader;
	struct work *work;
	const struct workers *helper_of; /* NULL: not a helper thread */
};

struct work_kind {
	size_t thread_bytes;    /* size of the structure that begins with struct thread */
	enum model_fault fault; /* reported when host memory runs out */
	/* Allocates a block. NULL: out of host memory, or *later: wait until another block has
	 * ended. */
	void *(*create)(struct thread *t, bool *later);
	void (*start)(void *block, uint64_t index);
	bool (*run)(void *block); /* executes one scheduling quantum; true: the block has ended */
	void (*destroy)(void *block);
};

struct work {
	const struct work_kind *kind;
	struct model_channel *channel;
	struct work *next; /* in the workers' queue */
	uint32_t helpers;
	int32_t priority;  /* larger is more urgent */
	uint32_t resident; /* blocks that the chip holds concurrently */
	uint64_t program;  /* GPU address of the kernel's entry point */
	uint64_t launch;   /* its number on the channel */
	uint64_t blocks;
	_Atomic uint64_t started;
};

static inline bool work_stopped(const struct work *w)
{
	return atomic_load_explicit(&w->channel->stop, memory_order_relaxed);
}

/* The block that sees it reports where it is, which stops the grid. */
static inline bool work_stop_requested(const struct work *w)
{
	return atomic_load_explicit(&w->channel->stop_requested, memory_order_relaxed);
}

/* resident_blocks.c: executes blocks of the grid until none is left to start; several threads do so
 * concurrently. A helper thread of the workers also returns when a more urgent grid waits.
 * helper_of is NULL for the launching thread. */
void grid_run_blocks(struct work *w, const struct workers *helper_of);
/* runlist.c: time slicing among channel groups; no-ops for a channel without a runlist. */
bool runlist_acquire(struct model_channel *c);
void runlist_release(struct model_channel *c);
void runlist_yield(struct model_channel *c);
void runlist_wake(struct model_channel *c);

/* workers.c: threads that execute the blocks of grids. workers_run() returns when the grid has
 * ended. */
int workers_create(uint32_t threads, struct workers **out);
void workers_destroy(struct workers *w);
void workers_run(struct workers *w, struct work *work);
/* True if a more urgent grid than g waits for helpers. */
bool workers_should_yield(const struct workers *w, const struct work *work);

#endif
