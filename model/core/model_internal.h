/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the software GPU share: the model with its worker threads, address spaces and
 * the way a thread looks at one, channels with the state of their engines, and errors.
 */
#ifndef MODEL_INTERNAL_H
#define MODEL_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "hw/amd/pm4.h"
#include "hw/nv/qmd.h"
#include "model/core/model.h"

struct code;
struct work;
struct workers;

/* What a chip's vendor brings: how a channel reads its ring, and what decoded code is. */
struct vendor {
	uint32_t va_bits, ring_align, userd_align;
	void (*begin)(struct model_channel *c);  /* state of a new channel */
	void (*drain)(struct model_channel *c);  /* does what the ring holds */
	void (*failed)(struct model_channel *c); /* error is filled in; may be NULL */
	struct code *(*code_create)(const struct model *m);
	void (*code_put)(struct code *c); /* NULL is allowed */
};
extern const struct vendor vendor_nv, vendor_amd;

struct model {
	const struct model_chip *chip;
	const struct vendor *vendor;
	const struct nv_qmd_layout *qmd; /* NVIDIA's chips */
	bool hazard;
	uint8_t *vram;
	uint64_t vram_bytes;
	struct workers *workers;
	pthread_mutex_t lock; /* channels, next_token */
	struct model_channel *channels;
	uint32_t next_token;
};

/*
 * mmu.c. A thread that touches GPU memory is a reader of the space from mmu_enter to mmu_leave and
 * keeps translations of its own; it must call mmu_poll now and then, which is when an unmap of
 * another thread takes effect on it. model_unmap returns when all readers have done so.
 */
#define MMU_PAGE_BITS  12
#define MMU_PAGE_BYTES (1u << MMU_PAGE_BITS)
#define MMU_VA_BITS    49
#define MMU_TLB        256

struct model_space {
	struct model *model;
	pthread_mutex_t lock; /* page table writers, readers' list; no reader may wait for it */
	pthread_mutex_t code_lock;
	_Atomic uintptr_t *root;
	model_walker walk; /* asked instead of root's tables; NULL: they are */
	void *walk_argument;
	_Atomic uint64_t generation; /* counts unmaps */
	struct mmu_reader *readers;
	struct code *code; /* decoded instructions; replaced when caches are invalidated */
};

struct mmu_reader {
	struct model_space *space;
	struct mmu_reader *next;
	_Atomic uint64_t seen; /* generation up to which no old translation is kept */
	struct {
		uint64_t page; /* page number + 1; 0 = empty */
		uint8_t *host;
		uint32_t access;
	} tlb[MMU_TLB];
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

/* Host address of va, valid to the end of its page, or NULL and *why. */
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
/* Copies across pages. On failure *fault is the first address that could not be reached. */
enum mmu_result mmu_read(struct mmu_reader *r, uint64_t va, void *out, uint64_t bytes,
			 uint64_t *fault);
enum mmu_result mmu_write(struct mmu_reader *r, uint64_t va, const void *in, uint64_t bytes,
			  uint64_t *fault);
const char *mmu_result_text(enum mmu_result why);
/* memmove for GPU memory, which others may read and write meanwhile: no word is ever seen half. */
void mmu_move(uint8_t *to, const uint8_t *from, uint64_t bytes);

/* Engines: what methods leave behind. */
struct compute {
	uint32_t shared_window[2], local_window[2], local_memory[2],
		local_tpc[3]; /* high word first */
	bool shared_window_set, local_window_set;
	uint32_t pcas; /* descriptor's address >> 8 */
	uint32_t inline_bytes, inline_lines, inline_to[2];
	uint64_t inline_at, inline_left; /* what is still to come of the data */
	uint64_t launches;
};

struct copy {
	uint32_t semaphore[2], payload[2]; /* address high word first, payload low word first */
	uint32_t src[2], dst[2], src_pitch, dst_pitch, line_bytes, lines;
	uint32_t src_target, dst_target; /* NV_COPY_TARGET_*, of physical addresses */
	uint32_t constant[2], components;
};

struct host {
	uint32_t semaphore[2], payload[2]; /* low word first */
	uint16_t bound[8];                 /* class by subchannel; 0 = none */
};

/* AMD: what packets leave behind. Registers of a dispatch, from COMPUTE_DISPATCH_INITIATOR on. */
struct amd_queue {
	uint32_t registers[(AMD_COMPUTE_END - AMD_COMPUTE_DISPATCH_INITIATOR) / 4];
};

struct model_channel {
	struct model *model;
	struct model_space *space;
	struct model_channel *next;
	struct model_channel_config config;
	uint32_t token, get;
	pthread_t thread;
	pthread_mutex_t lock; /* rung, error */
	pthread_cond_t wake;
	bool rung;
	atomic_bool stop; /* destroyed or failed: everything that runs for it ends */
	atomic_bool busy; /* it works on its ring */
	struct model_error error;
	struct mmu_reader reader; /* of the channel's own thread */
	union {
		struct { /* NVIDIA */
			struct host host;
			struct compute compute;
			struct copy copy;
		};
		struct amd_queue amd;
	};
};

/* A channel's address, or a physical one of a target that config.physical knows. */
struct channel_address {
	uint64_t address;
	bool physical;
	uint32_t target;
};
static inline struct channel_address channel_va(uint64_t address)
{
	return (struct channel_address){.address = address};
}

/* The first error of a channel stands: it fills the notifier and stops the channel. Always false.
 */
__attribute__((format(printf, 3, 4))) bool
channel_fail(struct model_channel *c, const struct model_error *where, const char *format, ...);
/* Same, for an access of the channel's own units. */
bool channel_fault(struct model_channel *c, enum mmu_result why, uint64_t address,
		   const char *what);
/* Tells the host, if it wants to know. */
void channel_interrupt(struct model_channel *c);
/* Writes 4 or 8 bytes, aligned so, behind everything before. */
bool channel_store(struct model_channel *c, uint64_t address, uint64_t value, uint32_t size,
		   const char *what);
/* Waits until the 4 or 8 bytes at address are as wanted; false: the channel was stopped or failed. */
typedef bool channel_condition(const void *wanted, uint64_t value);
bool channel_wait(struct model_channel *c, uint64_t address, uint32_t size, channel_condition *met,
		  const void *wanted, const char *what);
/* From here on code is decoded anew. */
bool channel_invalidate_code(struct model_channel *c);
/* transfer.c. Elements of a fill have 1, 2 or 4 bytes and are aligned to them. */
bool channel_copy(struct model_channel *c, struct channel_address src, struct channel_address dst,
		  uint64_t bytes);
bool channel_fill(struct model_channel *c, struct channel_address dst, uint64_t elements, uint32_t size,
		  uint32_t value);

/* NVIDIA's host: writes size bytes of payload and, when asked, the time 8 bytes behind. */
bool channel_release(struct model_channel *c, uint64_t address, uint64_t payload, uint32_t size,
		     bool timestamp);

/* One word of data for a method; false: the channel has failed. */
bool compute_method(struct model_channel *c, uint32_t method, uint32_t data);
bool copy_method(struct model_channel *c, uint32_t method, uint32_t data);

/* code.c */
struct code *code_create(const struct model *m);
struct code *code_get(struct code *c);
void code_put(struct code *c);

/* inline.c: data of the method stream for memory. */
bool inline_launch(struct model_channel *c, uint32_t data);
bool inline_word(struct model_channel *c, uint32_t data);

/* A grid, as threads and crews see it. */
struct thread { /* one host thread at work on one */
	struct mmu_reader reader;
	struct work *work;
	const struct workers *helper_of; /* NULL: the thread is no helper */
};

struct work_kind {
	size_t thread_bytes;    /* of what begins with a struct thread */
	enum model_fault fault; /* when there is no host memory */
	/* Memory for a block. NULL: there is none, or *later: not before another block has ended. */
	void *(*create)(struct thread *t, bool *later);
	void (*start)(void *block, uint64_t index);
	bool (*run)(void *block); /* for a while; true: it has ended */
	void (*destroy)(void *block);
};

struct work {
	const struct work_kind *kind;
	struct model_channel *channel;
	struct work *next; /* workers' queue */
	uint32_t helpers;
	int32_t priority;  /* larger is more urgent */
	uint32_t resident; /* blocks that the chip holds at a time */
	uint64_t program;  /* GPU address of the first instruction */
	uint64_t blocks;
	_Atomic uint64_t started;
};

static inline bool work_stopped(const struct work *w)
{
	return atomic_load_explicit(&w->channel->stop, memory_order_relaxed);
}

/* crew.c: runs blocks of the grid until none is left to start; several threads do so at once. A
 * helper of the workers also stops when it is wanted elsewhere; NULL: the caller is none. */
void grid_run_blocks(struct work *w, const struct workers *helper_of);
/* turn.c: whose turn it is, where channels take runlist; otherwise nothing. */
bool runlist_acquire(struct model_channel *c);
void runlist_release(struct model_channel *c);
void runlist_yield(struct model_channel *c);
void runlist_wake(struct model_channel *c);

/* workers.c: threads that run the blocks of grids. workers_run returns when the grid has ended. */
int workers_create(uint32_t threads, struct workers **out);
void workers_destroy(struct workers *w);
void workers_run(struct workers *w, struct work *g);
/* Something more urgent waits for helpers. */
bool workers_should_yield(const struct workers *w, const struct work *g);

#endif
