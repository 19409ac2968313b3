/* SPDX-License-Identifier: MIT */
/*
 * What the runtime's files share: objects behind handles, devices, contexts and what lives in them.
 *
 * Submitting work and waiting for it take no lock: see submit.c and wait.c. All else is guarded by
 * the lock of its context; whoever waits for the GPU with the lock held does so in context_block,
 * which lets go of it between two looks. Locks, outermost first: loading_services, a stream's staging, an event's
 * recording, a context's lock, the reading of services,
 * then the small ones inside object.c, va.c and the way to the GPU.
 */
#ifndef SOV_RUNTIME_H
#define SOV_RUNTIME_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "libsov/compiler/image/image.h"
#include "libsov/runtime/base/gate.h"
#include "libsov/gpu/gpu.h"
#include "libsov/runtime/inner.h"
#include "libsov/winsys/winsys.h"

/* ---- error.c ---- */

/* Makes the sentence the thread's last error and returns r: return refuse(SOV_ERROR_…, "…"). */
sov_result refuse(sov_result r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Takes over a malloc'ed text; NULL for none. */
void module_messages_set(char *messages);
/* Structures that begin with their size. In: the caller's members, zeros for those it does not
 * know. Out: as many members as the caller knows, zeros for those that we do not. */
sov_result struct_in(const char *what, void *ours, size_t our_bytes, const void *theirs);
sov_result struct_out(const char *what, void *theirs, const void *ours, size_t our_bytes);

/* ---- object.c ---- */

enum object_kind {
	OBJECT_NONE,
	OBJECT_DEVICE,
	OBJECT_CONTEXT,
	OBJECT_MODULE,
	OBJECT_FUNCTION,
	OBJECT_STREAM,
	OBJECT_EVENT,
	OBJECT_GRAPH,
	OBJECT_GRAPH_EXEC,
	OBJECT_KINDS
};

struct object {
	enum object_kind kind;
	uint32_t slot;
	void (*destroy)(struct object *o); /* when the last reference is gone */
};

/* Gives the object a handle, which is its first reference. */
sov_result object_publish(struct object *o, enum object_kind kind,
			  void (*destroy)(struct object *));
void *object_handle(const struct object *o);
/* The live object of this kind with one more reference; NULL after refuse(). */
void *object_get(const void *handle, enum object_kind kind);
void object_reference(struct object *o);
void object_put(struct object *o);
/* The handle names nothing any more; its reference goes to the caller. false: it was so already. */
bool object_retire(struct object *o);

/* ---- lists ---- */

struct link {
	struct link *next, *previous;
};

static inline void list_init(struct link *head)
{
	head->next = head->previous = head;
}

static inline void list_add(struct link *head, struct link *l)
{
	l->next = head;
	l->previous = head->previous;
	head->previous->next = l;
	head->previous = l;
}

static inline void list_remove(struct link *l)
{
	l->previous->next = l->next;
	l->next->previous = l->previous;
}

/* ---- device.c ---- */

struct device {
	struct object object;
	const struct winsys *winsys;
	struct winsys_device *way;
	struct winsys_info info;
	sov_device_properties properties;
};

/* ---- va.c ---- */

/* Address space that is the GPUs' alone in this process. Low addresses are below 2^40. */
bool va_alloc(bool low, uint64_t bytes, uint64_t align, uint64_t *va);
void va_free(bool low, uint64_t va, uint64_t bytes);
bool va_reserved(uint64_t address);
/* Memory of the host at an address of so many bits; NULL: there is none. */
void *va_map_host(uint64_t bytes, uint32_t bits);
/* Two windows of 4 GiB through which generic addresses reach shared and local memory. */
bool va_windows(uint64_t *shared, uint64_t *local);

/* ---- semaphore.c ---- */

/* Sixteen bytes that the GPU writes and the CPU reads: a number that grows, and the time. */
struct semaphore {
	uint64_t va;
	uint32_t *payload;
	uint64_t *time; /* in the GPU's ticks */
	uint32_t value; /* the last that was asked for; its owner's, the lock's once given back */
	struct semaphore *next_free;
};

struct context;
sov_result semaphore_create(struct context *c, struct semaphore **out);
void semaphore_destroy(struct context *c, struct semaphore *s);
uint32_t semaphore_read(const struct semaphore *s);
bool semaphore_reached(const struct semaphore *s, uint32_t value);
/* When, in nanoseconds. */
uint64_t semaphore_time(const struct context *c, const struct semaphore *s);
/* Before its owner asks for the next value; without the lock. Where GPUs compare without wrapping, all work is waited for
 * before values begin anew. */
sov_result semaphore_renew(struct context *c, struct semaphore *s);
/* From the CPU, all to their last value, when work was dropped that would have released them. */
void semaphores_release(struct context *c);
void semaphores_free(struct context *c);

/* ---- context.c ---- */

/* Memory of a context, bound in its address space as long as there is one. */
struct buffer {
	struct link link;
	struct winsys_buffer *backing;
	bool low;    /* address below 2^40 */
	bool placed; /* in somebody else's address space: a piece of a reservation */
	uint64_t va;
	uint64_t bytes;              /* as asked for */
	uint64_t mapped;             /* whole pages */
	void *cpu;                   /* NULL: not mapped, see buffer_map */
	bool host;                   /* the process's own memory, at its own address */
	bool mapping;                /* which sov_host_alloc mapped */
	uint32_t skew;               /* host: bytes of the first page before what was registered */
	const struct module *module; /* its variables; NULL: the user's own */
	struct link *pieces;         /* of a reservation, by address; NULL: it is none */
	bool pooled;                 /* the pool's: a buffer of its own, or part of a segment … */
	struct pool_segment *segment; /* … of this; then nothing stands behind it alone */
	struct link waiting, age;     /* in the pool, for use: by size, by time; or among pieces */
	uint64_t free_stream, free_number; /* … whose work up to there may use it */
	uint32_t pins;                     /* copies under way that have let go of the lock */
	bool freeing;                      /* a thread waits for the GPU to free it */
};

struct stream;
struct module;
struct function;

/* pool.c */
#define POOL_SIZES 40
struct pool {
	struct pool_segment *segments;
	struct link waiting[POOL_SIZES], by_age;          /* blocks for use, the newest last */
	uint64_t used, held, most_used, most_held, limit; /* bytes; limit 0: none */
	uint64_t waiting_bytes, waiting_large, small_held;
	uint64_t allocations, backings;
};

struct context {
	struct object object;
	struct device *device;
	const struct winsys *winsys;
	uint64_t kernel_time_limit;        /* of one whose launch says nothing */
	uint64_t other_time_limit;         /* at least, of work that is no kernel */
	uint32_t stack_bytes;              /* for functions that call themselves */
	bool sync;                         /* SOV_SYNC: all work is waited for */
	const struct gpu *gpu;             /* what its device reads … */
	void *chip;                        /* … and which of them it is */
	const struct graph_way *graph_way; /* graph_write.c */
	const void *first_handle;          /* of its first stream */

	pthread_mutex_t lock;
	/* NULL: failed or closed. Written while all streams' gates and resting are closed, so to be
	 * read with the lock or inside one of them; the same holds for local. */
	struct winsys_group *group;
	struct local_memory {
		struct buffer *area;
		struct gpu_local has; /* what a queue has of it, the first one's address */
		uint32_t queues;      /* that have some; one for all, where they share it */
		uint64_t serial;      /* grows with each area */
	} local;
	struct gate resting; /* threads asleep in the way to the GPU */
	bool closed;
	_Atomic uint64_t epoch;        /* counts failures, resets and the end */
	uint64_t code_writes;          /* counts modules loaded */
	uint64_t stream_serial;        /* counts streams created */
	uint64_t capture_serial;       /* counts captures begun */
	_Atomic uint32_t stream_count; /* of those that there are */
	uint32_t alone;                /* as many may be without that one would hold up another */

	_Atomic sov_result error; /* the sticky one */
	sov_fault fault;
	char sentence[1024];

	struct link buffers, modules, streams, events, graphs;
	_Atomic(struct calls *) calls; /* call.c; NULL: not needed yet */
	struct link spares;            /* streams without a name: see winsys_info.spare_queues */
	uint32_t spare_count;
	struct semaphore *free_semaphores;
	struct semaphore_page *semaphore_pages;
	struct services *services; /* services.c; NULL: not needed yet */
	pthread_mutex_t loading_services;
	uint64_t print_bytes, heap_bytes;
	void (*print)(void *user, const char *text, size_t bytes);
	void *print_user;
	struct {
		sov_module module; /* NULL: not needed yet */
		sov_function copy, copy_words, fill;
	} kernels; /* ways.c */
	struct pool pool;
	struct buffer **allocations; /* the user's, by address */
	uint32_t allocation_count, allocation_capacity;
	struct {
		uint64_t va, bytes;
	} freed[32]; /* the last ones, for better sentences */
	uint32_t freed_count;
};

/* What lives in a context and has a handle: modules, streams, events; and functions. */
struct member {
	struct object object;
	struct context *context; /* a reference */
	struct link link;
	struct member *doomed; /* list of context_close */
};

/* Finds the object, takes its context's lock and checks for failure. NULL with *r set otherwise.
 * Each has its leave, which returns r. */
struct context *context_enter(sov_context handle, sov_result *r);
struct context *context_enter_failed(sov_context handle, sov_result *r); /* a failed one too */
sov_result context_leave(struct context *c, sov_result r);
void *member_enter(const void *handle, enum object_kind kind, sov_result *r);
void *member_enter_failed(const void *handle, enum object_kind kind, sov_result *r);
sov_result member_leave(void *member, sov_result r);
/* Makes it part of the context, with one more reference to that. */
sov_result member_publish(struct member *m, struct context *c, struct link *list,
			  enum object_kind kind, void (*destroy)(struct object *));

/* Whether all is well with the context; without the lock. */
sov_result context_status(struct context *c);
/* All below with the context's lock held. */
sov_result context_check(struct context *c); /* notices errors and kernels past their limit */
void context_fail(struct context *c, const sov_fault *f);
sov_result buffer_create(struct context *c, enum winsys_placement where, bool low, uint64_t bytes,
			 struct buffer **out);
/* In video memory, of pages of this size. */
sov_result buffer_create_pages(struct context *c, enum winsys_placement where, uint64_t bytes,
			       uint64_t page, struct buffer **out);
/* In video memory, of large pages, at an address that is the caller's. */
sov_result buffer_create_at(struct context *c, uint64_t bytes, uint64_t va, struct buffer **out);
/* The CPU's way to it, b->cpu; once. */
sov_result buffer_map(struct context *c, struct buffer *b);
sov_result buffer_create_mapped(struct context *c, enum winsys_placement where, bool low,
				uint64_t bytes, struct buffer **out);
void buffer_destroy(struct context *c, struct buffer *b);

/* ---- wait.c ---- */

uint64_t now_ns(void);
sov_result check_limit(uint64_t limit);
/* Without the lock: until the GPU has released the value. waker: the stream that does it, to be
 * asked for an interrupt when the wait becomes long; NULL: not known. */
sov_result semaphore_wait(struct context *c, const struct semaphore *s, uint32_t value,
			  uint64_t limit, struct stream *waker);
/* All below with the context's lock held. Waits until ready(arg), letting go of the lock
 * meanwhile. */
sov_result context_block(struct context *c, bool (*ready)(void *arg), void *arg, uint64_t limit);
/* Waits until everything submitted so far is done. */
sov_result context_drain(struct context *c, uint64_t limit);
/* The same, before something is freed: on a failed context there is nothing to wait for. *keep: the
 * GPU may still use it. */
sov_result context_drain_to_free(struct context *c, bool *keep);

/* Without the lock. While something is needed, has it done with all gates closed and all streams empty, and with the
 * lock held. */
sov_result context_settle(struct context *c, bool (*needed)(struct context *c, void *arg),
			  sov_result (*act)(struct context *c, void *arg), void *arg);

/* ---- fault.c ---- */

void fault_from_winsys(const struct context *c, const struct winsys_error *e, sov_fault *f);
/* With kernel's name cut off if need be; NULL for none. */
void fault_init(sov_fault *f, sov_result r, const struct function *kernel);
void fault_sentence(const struct context *c, const sov_fault *f, char *buffer, size_t bytes);

/* ---- memory.c ---- */

/* The context's table of allocations; insert has room after reserve. */
sov_result memory_reserve(struct context *c);
void memory_insert(struct context *c, struct buffer *b);
void memory_forget(struct context *c, struct buffer *b);
/* First byte that belongs to the user. */
static inline uint64_t memory_start(const struct buffer *b)
{
	return b->va + b->skew;
}
/* The allocation or pinned host memory that holds all of it; NULL: none, without a word. */
struct buffer *memory_holding(const struct context *c, uint64_t address, uint64_t bytes);
/* The one that begins there; NULL: none. */
struct buffer *memory_at(const struct context *c, uint64_t address);
/* One with pages between start and end; NULL: none. */
struct buffer *memory_meeting(const struct context *c, uint64_t start, uint64_t end);
/* Whatever kind of allocation it is; it is forgotten already. */
void memory_destroy(struct context *c, struct buffer *b);
/* Waits for the GPU, then forgets and destroys it. */
sov_result memory_give_back(struct context *c, struct buffer *b);

/* Where an address that faulted lies: a clause that begins with "; ", or "". */
void memory_place(const struct context *c, uint64_t address, char *text, size_t bytes);
/* The allocation that holds all of [address, address + bytes); NULL after refuse(). */
struct buffer *memory_find(struct context *c, const char *what, uint64_t address, uint64_t bytes);

/* ---- pool.c ---- */

void pool_init(struct pool *p);
/* Forgets the allocation; it may be used again when the stream has come to where it is now. NULL:
 * at once. */
void pool_give_back(struct context *c, struct buffer *b, const struct stream *s);
void pool_destroy(struct context *c, struct buffer *b);
void pool_free(struct context *c);

/* ---- reserve.c ---- */

void reservation_destroy(struct context *c, struct buffer *b);

/* ---- module.c ---- */

struct function {
	struct member member; /* not in a list */
	struct module *module;
	const struct image_kernel *kernel;
	uint64_t va; /* of its code */
	uint32_t max_threads;
	struct plan {                /* launch.c: what every launch of it has in common */
		uint64_t id;         /* unique in the process */
		uint64_t code;       /* the context's code_writes when it was loaded */
		uint32_t own_shared; /* static, without what the hardware keeps */
		uint32_t local_bytes;
		void *gpu; /* gpu.h's */
	} plan;
};

struct module {
	struct member member;
	uint8_t *file;
	struct image image;
	struct buffer *parts[IMAGE_PARTS]; /* NULL: the image has no such part */
	struct function *functions;
	struct lazy *lazy; /* lazy.h: kernels that are only declared; NULL: there are none */
	struct module *
		whole; /* of a unit: the module that it is of, a reference, whose data are its own */
	bool library;  /* services.c's: kernels call into it */
	_Atomic bool unloading; /* a thread waits for the GPU to free it */
};

/* Their handles name nothing any more. */
void module_retire_functions(struct module *m);
/* Without the lock. A unit in the module's context, made of a copy of the image; with a reference to be
 * given back by module_drop, which unloads it. */
sov_result module_install_unit(struct module *whole, const void *image, size_t bytes,
			       struct module **unit);
void module_drop(struct module *unit);

/* Bytes of each block that the hardware keeps and the image counts in. */
uint32_t function_reserved_shared(const struct function *f);

/* ---- launch.c ---- */

/* When its code is in place, before anyone has its handle. base: of the image's parts. */
sov_result function_plan(struct context *c, struct function *f, const uint64_t base[IMAGE_PARTS]);
/* Without the lock: what sov_function_launch does, on this stream; the caller rings. */
struct bell;
sov_result function_submit(struct function *f, const sov_launch *l, struct stream *s,
			   uint64_t *number, struct bell *bell);
/* Blocks on one multiprocessor at the same time. */
uint32_t function_occupancy(const struct function *f, uint64_t threads, uint32_t shared_bytes);
/* Whether it may be launched so. */
sov_result function_check(const struct function *f, const sov_launch *l);

/* ---- services.c ---- */

/* What the image calls is there; its kernels get the registers and stack for that. Without the
 * lock. */
sov_result services_need(struct context *c, struct image *im);
void services_addresses(const struct context *c, uint64_t addresses[SERVICES]);
/* Prints what kernels have printed. With or without the lock. */
void services_read(struct context *c);
/* After a trap: whether a kernel stopped itself, and why. */
bool services_assertion(const struct context *c, sov_fault *f);
void services_restart(struct context *c);
void services_free(struct context *c);
sov_result module_load_services(struct context *c, const char *ptx, size_t bytes,
				sov_module *module);

/* ---- local.c ---- */

/* Without the lock: local memory for a kernel whose plan needs more than the context has. */
sov_result local_reserve(struct stream *s, const struct function *f);
/* Whether the stream has enough of it; inside its gate. */
bool local_suffices(const struct stream *s, const struct function *f);
/* A stream's part; inside its gate. */
struct gpu_local local_of(const struct stream *s);

/* ---- staging.c ---- */

#define STAGING_PIECES      64u
#define STAGING_PIECE_BYTES (64u << 10)
#define STAGING_CHUNK       (512u << 10) /* what a large copy takes at a time */
#define STAGING_AHEAD       4u           /* chunks of one copy under way */
#define STAGING_PAST_CACHE  (8u << 20)   /* a copy of so much will not be in a cache afterwards */
/* A chunk may begin in the middle of a piece, and the ring's end may be too short for one. */
static_assert((STAGING_AHEAD + 1) * (STAGING_CHUNK / STAGING_PIECE_BYTES + 1) <= STAGING_PIECES,
	      "a copy does not meet its own chunks");

struct staging {
	pthread_mutex_t lock; /* one copy's at a time */
	struct buffer *buffer;
	uint32_t next;
	uint64_t busy[STAGING_PIECES]; /* the piece of work that uses it */
};

struct staged { /* consecutive pieces of it */
	uint32_t first, pieces;
	uint8_t *cpu;
	uint64_t va;
};

void staging_init(struct staging *g);
void staging_fini(struct context *c, struct staging *g);
/* Room for at most STAGING_CHUNK bytes, as aligned as the address; waits until it is free. All with
 * the lock of the staging held. */
sov_result staging_take(struct stream *s, uint64_t like, uint64_t bytes, struct staged *out);
/* To host memory; past the caches, when they would not keep it anyway. */
void staging_empty(void *to, const struct staged *t, uint64_t bytes, bool past_cache);
/* It is free again when this piece of work is done. */
void staging_note(struct stream *s, const struct staged *t, uint64_t number);

/* ---- copy.c ---- */

struct sides {
	uint64_t destination, source, bytes;
	struct buffer *to, *from; /* NULL: host memory that is not pinned */
};
/* With the lock: finds what the sides lie in, which is so large; by pins it, or lets it go. */
sov_result copy_check(struct context *c, struct sides *k, uint64_t to_bytes, uint64_t from_bytes);
void copy_pin(struct context *c, const struct sides *k, int by);
/* Its direction is that of the thread's next copies. */
void copy_trace(const struct sides *k);
sov_result fill_check(uint64_t address, uint32_t element_bytes, uint64_t count);
/* Without it, when it is pinned. The number of the last piece of work. */
sov_result copy_sides(struct stream *s, const struct sides *k, uint64_t *number);

/* ---- box.c ---- */

struct side {
	uint64_t address, pitch, slice; /* bytes from row to row, from slice to slice */
};

struct box {
	struct side to, from;
	uint64_t width, height, depth;
};

sov_result box_take(const sov_copy_rect *given, struct box *b);
/* With the lock: what its sides lie in. */
sov_result box_check(struct context *c, const struct box *b, struct sides *k);

/* ---- ways.c ---- */

enum way { WAY_INLINE, WAY_KERNEL, WAY_ENGINE };

/* Whether it can copy this at all. */
bool way_fits(const struct gpu *gpu, enum way way, uint64_t to, uint64_t from, uint64_t bytes);
/* Each submits the work, without the context's lock, and tells its last piece's number. The data of
 * way_inline is host memory, which is read at once. */
sov_result way_inline(struct stream *s, uint64_t to, const void *data, uint32_t bytes,
		      uint64_t *number);
sov_result way_copy(struct stream *s, enum way way, uint64_t to, uint64_t from, uint64_t bytes,
		    uint64_t *number);
sov_result way_fill(struct stream *s, enum way way, uint64_t to, uint32_t value,
		    uint32_t element_bytes, uint64_t bytes, uint64_t *number);

/* ---- submit.c ---- */

#define STREAM_SLOTS        256
/* A piece has up to three entries in a ring: a graph's methods, and what is around them. */
#define STREAM_RING_ENTRIES 1024u
#define STREAM_RING_BYTES   65536u                        /* at most */
#define STREAM_SLOTS_AT     (ENGINES * STREAM_RING_BYTES) /* the rings lie before them */
/* A slot: the place of a launch, words for the queue. Each begins a line of 64 bytes. */
#define STREAM_SLOT_BYTES   8192u
#define STREAM_SLOT_PUSH    GPU_SLOT_BYTES
#define STREAM_PUSH_WORDS   ((STREAM_SLOT_BYTES - STREAM_SLOT_PUSH) / 4)

enum work { WORK_SETUP, WORK_KERNEL, WORK_COPY, WORK_RECORD, WORK_WAIT, WORK_ALARM, WORK_GRAPH };

/* Who does it. Where the device has no copy queues both go to the compute queue. */
enum engine { ENGINE_COMPUTE, ENGINE_COPY, ENGINES };

/* What a piece of work is to be. */
struct request {
	enum engine engine;
	enum work kind;
	/* The kernel; of a graph, the one of its kernels that needs the most local memory. NULL:
	 * none. */
	const struct function *function;
	uint64_t limit; /* time, ns; 0: the context's for such work */
};

struct queue {
	struct winsys_queue *way;
	struct winsys_queue_memory memory;
	uint32_t put;
};

/* How a piece ends: by a release on the compute queue that waits for all before it, by the copy
 * engine's release, by the kernel's own. */
enum ends { ENDS_COMPUTE, ENDS_COPY, ENDS_KERNEL };
#define STREAM_ENDS_BITS 2
static_assert(ENDS_KERNEL < 1 << STREAM_ENDS_BITS, "fits");

/* A slot as the host sees it. */
struct piece {
	_Atomic uint64_t ready; /* the number of the piece that may be published */
	/* Of that piece. Who reads them without being the publisher looks at ready before and
	 * after. */
	_Atomic enum work kind;
	_Atomic(const struct function *) function;
	_Atomic uint64_t limit;
	/* For the publisher. */
	enum engine engine;
	uint64_t span;        /* for the ring … */
	uint64_t before[2];   /* … and what goes before it; 0: nothing */
	uint64_t code, local; /* what the GPU knows once it has begun this piece */
	/* What stands in the slot's memory, from its last launch. */
	struct gpu_slot_contents written;
};

struct stream {
	struct member member;
	uint64_t serial;
	uint32_t index; /* that no other stream of the context has meanwhile */
	int32_t priority;
	bool closed;               /* a thread is destroying it */
	struct buffer *commands;   /* two rings, then the slots */
	struct semaphore *done;    /* payload: low 32 bits of the last completed piece of work */
	uint64_t head, head_since; /* when the oldest uncompleted piece was seen to be the oldest */
	struct queue queues[ENGINES];
	struct queue *queue_of[ENGINES];

	_Alignas(64) struct gate gate;
	_Alignas(64) _Atomic uint64_t tail; /* the last number taken, then how that piece ends */
	_Alignas(64) _Atomic uint64_t completed;
	_Alignas(64) _Atomic bool publishing;
	uint64_t published;           /* the publisher's, with all queues */
	_Atomic uint64_t code, local; /* what the GPU knows at that point */
	struct piece pieces[STREAM_SLOTS];

	struct staging staging;
	struct trace_stream *trace; /* trace_gpu.c; NULL: not traced */
	struct capture *capture;    /* capture.c; the lock's */
	_Atomic bool capturing;     /* there is one */
};

/* Where one piece of work is written down. */
struct slot {
	uint64_t number;
	struct piece *piece;
	uint8_t *cpu;
	uint64_t va;
	bool publisher; /* its thread has the publisher's role */
	bool beside;    /* other streams are not to be held up: see submit.c */
	/* Somebody else's words, and how many of its own go before. */
	uint64_t inserted;
	uint32_t before;
	struct trace_piece *traced; /* trace_gpu.c; NULL: it is not */
	struct gpu_push push;
	_Alignas(64) uint32_t methods[STREAM_PUSH_WORDS]; /* what push writes; submit copies it */
};

/*
 * The next piece of work, from any thread, without the context's lock. begin takes a number, or
 * fails and takes none; it waits while all slots are in use. From then on nothing may fail or wait
 * until submit: pieces behind this one stand still meanwhile. ENGINE_COMPUTE: submit adds the
 * release of slot->number. ENGINE_COPY: the methods end with one by the copy engine itself.
 */
sov_result stream_begin(struct stream *s, enum engine engine, enum work kind, struct slot *slot);
sov_result stream_begin_request(struct stream *s, const struct request *q, struct slot *slot);
void stream_submit(struct stream *s, struct slot *slot);
/*
 * The same, but the caller rings, as the last thing it does: on x86 the next atomic operation waits
 * until the bell's word has left the CPU.
 */
struct bell {
	uint32_t *word; /* NULL: it has been rung */
	uint32_t token;
};
struct bell stream_submit_silent(struct stream *s, struct slot *slot);
static inline void bell_ring(struct bell b)
{
	if (b.word)
		__atomic_store_n(b.word, b.token, __ATOMIC_RELAXED);
}
/* A piece that waits, on the GPU, until somebody has released the value; whoever that is has a limit
 * for it. */
sov_result stream_acquire(struct stream *s, const struct semaphore *semaphore, uint32_t value);
/* A piece that wakes sleepers when everything before it and itself is done. Its number; 0: there
 * was no room. */
uint64_t stream_alarm(struct stream *s);
/* Others may be at work in the context: what waits for the whole engine would hold them up. */
bool stream_beside(const struct stream *s);
/* Number of the last piece begun. */
uint64_t stream_last(const struct stream *s);
/* That piece went to this engine and is not done. */
bool stream_busy(struct stream *s, enum engine engine);
/* How far the GPU has come. */
uint64_t stream_poll(struct stream *s);
/* The piece that the GPU works on, but for its engine; false: none. */
bool stream_head(struct stream *s, struct request *out);
/* The kernel that this piece is or was, if nothing has taken its slot since; NULL: none. */
const struct function *stream_kernel(struct stream *s, uint64_t number);
/* With the context's lock held: queues in its present group, nothing pending, the gate open. */
sov_result stream_start(struct stream *s);
void stream_stop(struct stream *s);

/* ---- stream.c ---- */

sov_result stream_create(struct context *c, int32_t priority, struct stream **out);
/* With the context's lock held, before its group goes. */
void stream_spares_free(struct context *c);
/* A stream of this context, NULL meaning its first; with a reference. NULL after refuse(). */
struct stream *stream_find(struct context *c, sov_stream handle);
/* The oldest piece of work ran too long. With the context's lock held. */
bool stream_overdue(struct stream *s, sov_fault *f);
/* Without the lock. */
sov_result stream_wait_for(struct stream *s, uint64_t number, uint64_t limit);

/* ---- event.c ---- */

struct event {
	struct member member;
	struct semaphore *semaphore; /* its own; of an event without time the last stream's */
	bool timeless; /* no work on the GPU: it is how far a stream is; guarded by recording */
	pthread_mutex_t recording; /* the order of values is the order of pieces of work */
	_Atomic uint64_t mark;     /* EVENT_RECORDED and the value of the last record */
	/* The capture it was recorded in last, by number; 0: it was a stream that is not captured.
	 * After which nodes of its graph is the context's lock's; capture.c. */
	_Atomic uint64_t captured_in;
	uint32_t *captured, captured_count;
};
#define EVENT_RECORDED (UINT64_C(1) << 32)

/* After a reset: records that were dropped never were. */
void event_restart(struct event *e);

/* ---- call.c ---- */

sov_result stream_call(struct stream *s, void (*function)(void *user), void *user);
/* No function runs any more; without the lock. */
void calls_close(struct context *c);
void calls_free(struct context *c);
/* Whether the caller is a host function of this context. */
bool calls_are_mine(struct context *c);

/* ---- capture.c ---- */

static inline bool graph_capturing(const struct stream *s)
{
	return __builtin_expect(atomic_load_explicit(&s->capturing, memory_order_relaxed), false);
}
sov_result graph_capture_kernel(struct stream *s, struct function *f, const sov_launch *l);
sov_result graph_capture_copy(struct stream *s, uint64_t destination, uint64_t source,
			      uint64_t bytes);
sov_result graph_capture_box(struct stream *s, const struct box *b);
sov_result graph_capture_fill(struct stream *s, uint64_t address, uint32_t value,
			      uint32_t element_bytes, uint64_t count);
sov_result graph_capture_call(struct stream *s, void (*function)(void *user), void *user);
sov_result graph_capture_record(struct stream *s, struct event *e);
sov_result graph_capture_wait(struct stream *s, struct event *e);
/* The stream goes. Without the lock. */
void capture_drop(struct stream *s);

#endif
