/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the software GPU share: the model with its worker threads, address spaces and
 * the way a thread looks at one, channels with the state of their engines, and errors.
 */
#ifndef MODEL_INTERNAL_H
#define MODEL_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "hw/nv/qmd.h"
#include "model/model.h"

struct code;
struct grid;
struct workers;

struct model {
	const struct model_chip *chip;
	const struct nv_qmd_layout *qmd;
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
	uint32_t constant[2], components;
};

struct host {
	uint32_t semaphore[2], payload[2]; /* low word first */
	uint16_t bound[8];                 /* class by subchannel; 0 = none */
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
	atomic_bool stop;   /* destroyed or failed: everything that runs for it ends */
	atomic_bool busy;   /* it works on its ring */
	struct model_error error;
	struct mmu_reader reader; /* of the channel's own thread */
	struct host host;
	struct compute compute;
	struct copy copy;
};

/* The first error of a channel stands: it fills the notifier and stops the channel. Always false.
 */
__attribute__((format(printf, 3, 4))) bool channel_fail(struct model_channel *c,
							const struct model_error *where,
							const char *format, ...);
/* Same, for an access of the channel's own units. */
bool channel_fault(struct model_channel *c, enum mmu_result why, uint64_t address,
		   const char *what);
/* Writes size bytes of payload and, when asked, the time 8 bytes behind. */
bool channel_release(struct model_channel *c, uint64_t address, uint64_t payload, uint32_t size,
		     bool timestamp);

/* One word of data for a method; false: the channel has failed. */
bool compute_method(struct model_channel *c, uint32_t method, uint32_t data);
bool copy_method(struct model_channel *c, uint32_t method, uint32_t data);

/* inline.c: data of the method stream for memory. */
bool inline_launch(struct model_channel *c, uint32_t data);
bool inline_word(struct model_channel *c, uint32_t data);

/* turn.c: whose turn it is, where channels take turns; otherwise nothing. */
bool turn_begin(struct model_channel *c);
void turn_end(struct model_channel *c);
void turn_poll(struct model_channel *c);
void turn_stop(struct model_channel *c);

/* workers.c: threads that run the blocks of grids. workers_run returns when the grid has ended. */
int workers_create(uint32_t threads, struct workers **out);
void workers_destroy(struct workers *w);
void workers_run(struct workers *w, struct grid *g);
/* Something more urgent waits for helpers. */
bool workers_wanted(const struct workers *w, const struct grid *g);

#endif
