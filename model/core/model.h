/* SPDX-License-Identifier: MIT */
/* A software GPU inside the process. Function calls replace what a kernel driver does to a card
 * (address spaces, page tables, channels). User work enters as on hardware. NVIDIA: a ring of
 * entries that point at method streams, launch descriptors (QMD), semaphores, a doorbell. AMD: a
 * ring of PM4 or SDMA packets, indirect buffers, fences, a doorbell. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;
struct launch_counts;
struct model_space; /* GPU address space */
struct model_channel;

struct vendor;

struct model_chip {          /* constants of a modelled chip */
	const char *name;    /* "gh100", "navi21" */
	const char *product; /* product name */
	const char *target;  /* compiler target: "sm_90", "gfx1030" */
	const struct vendor *vendor;
	uint32_t sm;                                            /* 90, 80; 0: AMD */
	uint32_t sm_count, warps_per_sm, max_threads_per_block; /* AMD: compute units, waves */
	uint32_t blocks_per_sm, sms_per_tpc; /* AMD: 0 (no such limit), compute units per WGP */
	uint32_t shared_per_block, shared_per_sm, registers_per_sm;
	uint16_t host_class, compute_class, copy_class;
};
const struct model_chip *model_chip_find(const char *name);
const struct model_chip *model_chip_at(uint32_t index);

struct model_config {
	const struct model_chip *chip;
	uint64_t vram_bytes; /* 0: no VRAM */
	uint32_t threads;    /* host threads that run blocks; 0: one per core */
	bool hazard;         /* check stall counts and scoreboards (AMD: wait counters) */
	bool inexact;        /* AMD: reciprocals, roots and so on have errors like the hardware's */
	uint64_t weak_seed;  /* weak memory mode, with choices by this seed; 0: off */
	uint64_t order_seed; /* the order of warps, by this seed; 0: by number (warp_order.h) */
	/* NVIDIA: translates code for the host, with at most this instruction set (enum emit_isa);
	 * 0: interprets. Code is translated when a warp reaches it for the translate_visits-th
	 * time. */
	uint32_t translate, translate_visits;
	/* Called by the channel's thread for each launch that has ended, with the channel's
	 * argument and what was counted (libsov/isa/counts.h). NULL: nothing is counted. */
	void (*profiled)(void *argument, const struct launch_counts *l);
	uint32_t checks; /* MODEL_CHECK_*: what programs are checked for (model/core/check.h) */
};
enum {
	MODEL_CHECK_MEMORY = 1, /* accesses outside of allocations */
	MODEL_CHECK_INIT = 2,   /* reads of bytes that nothing has written */
	MODEL_CHECK_RACE = 4,
	MODEL_CHECK_SYNC = 8, /* barriers */
};

/* Functions that return int return 0 or a negative errno. */
int model_create(const struct model_config *c, struct model **out);
/* The instruction set (enum emit_isa) for which such a model translates code on this host; 0: it
 * interprets. Hazard mode checks and a profile counts each instruction, weak memory looks at each
 * access, and a seed of the order of warps promises that a run repeats it, whenever a block
 * is translated: these interpret, and so does a host that refuses executable
 * memory. */
uint32_t model_translates(const struct model_config *c);
void model_destroy(struct model *m); /* the caller has destroyed all channels and spaces */
const struct model_chip *model_get_chip(const struct model *m);
/* The GPU timestamp clock, in nanoseconds. */
uint64_t model_nanoseconds(void);

/* VRAM is one zeroed, lazily backed range; physical address 0 is its first byte. */
uint8_t *model_vram(struct model *m, uint64_t *bytes);

/* Address spaces: 49 bits, 4 KiB pages. The backing is host memory: VRAM or memory of the
 * caller. */
enum { MODEL_READ = 1, MODEL_WRITE = 2, MODEL_ATOMIC = 4 };
int model_space_create(struct model *m, struct model_space **out);
void model_space_destroy(struct model_space *s);
int model_map(struct model_space *s, uint64_t va, void *backing, uint64_t bytes, uint32_t access);
int model_unmap(struct model_space *s, uint64_t va, uint64_t bytes);

/* An address space whose page tables a driver wrote. The walker translates va to a host address
 * that is valid to the end of its 4 KiB page, and fills the access rights (0: mapped, but not for
 * users); it returns NULL for an unmapped address. Many threads call the walker concurrently. The
 * MMU caches translations until model_invalidate(), which returns when no thread uses a stale
 * one. */
typedef uint8_t *(*model_walker)(void *argument, uint64_t va, uint32_t *access);
int model_space_create_walked(struct model *m, model_walker walk, void *argument,
			      struct model_space **out);
void model_invalidate(struct model_space *s);
/* AMD: code that waves of the space enter at s_trap, an invalid access and an invalid instruction,
 * and the address of its memory (hw/amd/trap.h). tba 0, as in a new space: there is none. No kernel
 * may run meanwhile. */
void model_space_set_trap_handler(struct model_space *s, uint64_t tba, uint64_t tma);

/* A runlist: groups of channels that share an engine by time slices. held: a group keeps the engine
 * until its channels are idle, however long that takes. */
struct model_runlist;
int model_runlist_create(bool held, struct model_runlist **out);
/* No channel may use the runlist any more; NULL is allowed. */
void model_runlist_destroy(struct model_runlist *runlist);

/* Channels. The ring lies at a GPU address; GET and PUT lie in USERD, host memory of the driver
 * (NVIDIA: 512 bytes, hw/nv/host.h; AMD: hw/amd/queue.h). An error fills model_error and, on
 * NVIDIA, the error notifier (16 bytes, as on hardware). */
struct model_channel_config {
	uint64_t ring_va;
	uint32_t ring_entries; /* power of two; AMD: words */
	void *userd;
	void *notifier;                /* may be NULL */
	bool copy_only;                /* the engine has no compute class; AMD: an SDMA queue */
	bool privileged;               /* method streams may execute privileged operations */
	int32_t priority;              /* larger is more urgent: blocks of its grids start first */
	struct model_runlist *runlist; /* NULL: runs concurrently with all other channels */
	uint64_t group;                /* time-slice group of the runlist */
	uint32_t slice_us;             /* length of a time slice while other groups wait */
	/* Interrupt handler; may be NULL. Engine threads call it when a packet or method requests
	 * an interrupt and when the channel fails. It must not call the model. */
	void (*interrupt)(void *argument, bool failed);
	/* AMD: called before interrupt with the context that the packet carries; may be NULL. */
	void (*event)(void *argument, uint32_t context);
	/* Resolves a physical address for copies to a host address that is valid to the end of its
	 * 4 KiB page, or NULL. Without it the channel rejects physical copies. */
	uint8_t *(*physical)(void *argument, uint32_t target, uint64_t address);
	void *argument;
};
int model_channel_create(struct model *m, struct model_space *s,
			 const struct model_channel_config *c, struct model_channel **out);
/* Aborts the work in flight. */
void model_channel_destroy(struct model_channel *c);
uint32_t model_channel_token(const struct model_channel *c);
/* True while the channel executes its ring. */
bool model_channel_busy(const struct model_channel *c);
void model_doorbell(struct model *m, uint32_t token);

enum model_fault {
	MODEL_FAULT_NONE,
	MODEL_FAULT_MMU,
	MODEL_FAULT_MISALIGNED,
	MODEL_FAULT_SHARED_RANGE,
	MODEL_FAULT_LOCAL_RANGE,
	MODEL_FAULT_CONSTANT_RANGE,
	MODEL_FAULT_ILLEGAL_INSTRUCTION,
	MODEL_FAULT_TRAP,
	MODEL_FAULT_HAZARD,
	MODEL_FAULT_BARRIER,
	MODEL_FAULT_QMD,
	MODEL_FAULT_METHOD,
	MODEL_FAULT_RING,
	MODEL_FAULT_PACKET,   /* AMD: PM4, SDMA */
	MODEL_FAULT_DISPATCH, /* AMD: dispatch registers */
	MODEL_FAULT_STOPPED,  /* by model_channel_stop */
	MODEL_FAULT_COUNT
};
struct model_error {
	enum model_fault fault;
	uint32_t xid;     /* the number that NVIDIA's kernel driver reports */
	uint64_t address; /* of the memory access or method */
	uint64_t pc;      /* GPU address of the instruction; 0: none */
	uint64_t program; /* GPU address of the kernel's entry point; 0: none */
	uint32_t cta[3], thread[3];
	char text[256]; /* message for the user */
};
/* Ends the channel's running grids with an error that says where one of their threads was. Waits
 * for that, at most a second; does nothing if no grid runs. */
void model_channel_stop(struct model_channel *c);
/* Returns false if the channel has not failed. */
bool model_channel_error(struct model_channel *c, struct model_error *out);

/* Checked programs (model_config.checks). The owner of an address space says what is allocated in
 * it; memory of which it says nothing is not checked. */
struct model_origin { /* who did something: return addresses, innermost first */
	uint32_t count;
	void *frames[8];
};
struct model_memory {
	uint64_t va, bytes;
	uint64_t mapped;  /* from va on; what lies between bytes and mapped may not be accessed */
	bool initialised; /* as a whole, from elsewhere */
	bool parts;       /* allocations lie in it; only they may be accessed */
	struct model_origin origin;
};
/* Return 0 or -ENOMEM. Do nothing if nothing is checked. */
int model_memory_allocated(struct model_space *s, const struct model_memory *memory);
void model_memory_freed(struct model_space *s, uint64_t va, const struct model_origin *origin);
void model_memory_initialised(struct model_space *s, uint64_t va);

enum model_report_kind {
	MODEL_REPORT_BOUNDS,
	MODEL_REPORT_FREED,
	MODEL_REPORT_ADDRESS,
	MODEL_REPORT_MISALIGNED,
	MODEL_REPORT_UNINITIALISED,
	MODEL_REPORT_RACE,
	MODEL_REPORT_BARRIER,
	MODEL_REPORT_FAULT, /* another fault, which also ended the kernel */
	MODEL_REPORT_LIMIT, /* there were more different reports than are kept */
};
struct model_report_site {
	char access[48]; /* "store of 4 bytes" */
	uint64_t pc, program;
	uint32_t block[3], thread[3];
};
struct model_report {
	enum model_report_kind kind;
	char text[256]; /* what is wrong, without the sites */
	uint32_t site_count;
	struct model_report_site sites[2]; /* the second one's access came first */
	uint64_t address, count;           /* count: how often, so far */
	/* The allocation concerned, if has_allocation. */
	bool has_allocation, is_freed;
	uint64_t va, bytes;
	struct model_origin allocated, freed;
};
/* Takes the next report of the space's; false: there is none. */
bool model_report_take(struct model_space *s, struct model_report *out);

#endif
