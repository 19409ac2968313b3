/* SPDX-License-Identifier: MIT */
/*
 * A software GPU inside the process. What a kernel driver does to a card is done here by calls
 * (address spaces, pages, channels); what a user does to it is done as on the card. On NVIDIA's: a
 * ring of entries that point at method streams, launch descriptors (QMD), semaphores, a doorbell. On
 * AMD's: a ring of packets (PM4, SDMA) that point at more of them, fences, a doorbell.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;
struct model_space; /* GPU address space */
struct model_channel;

struct vendor;

struct model_chip {          /* facts of a modelled chip */
	const char *name;    /* "gh100", "navi21" */
	const char *product; /* for people */
	const char *target;  /* what code is compiled for: "sm_90", "gfx1030" */
	const struct vendor *vendor;
	uint32_t sm;                                            /* 90, 80; 0: AMD */
	uint32_t sm_count, warps_per_sm, max_threads_per_block; /* AMD: compute units, waves */
	uint32_t blocks_per_sm, sms_per_tpc; /* AMD: 0 (no such limit), compute units per WGP */
	uint32_t shared_per_block, shared_per_sm, registers_per_sm;
	uint16_t host_class, compute_class, copy_class;
	uint32_t qmd_bytes;
};
const struct model_chip *model_chip_find(const char *name);
const struct model_chip *model_chip_at(uint32_t index);

struct model_config {
	const struct model_chip *chip;
	uint64_t vram_bytes; /* 0: none of its own */
	uint32_t threads;    /* host threads that run CTAs; 0 = one per core */
	bool hazard;         /* check stalls and scoreboards */
};

/* All return 0 or a negative errno. */
int model_create(const struct model_config *c, struct model **out);
void model_destroy(struct model *m); /* channels and spaces must be gone */
const struct model_chip *model_get_chip(const struct model *m);
/* The clock of time stamps. */
uint64_t model_nanoseconds(void);

/* VRAM: one zeroed, lazily backed range; physical address 0 is its first byte. */
uint8_t *model_vram(struct model *m, uint64_t *bytes);

/* Address spaces. 49 bits, 4 KiB pages. Backing is host memory: VRAM or the caller's own. */
enum { MODEL_READ = 1, MODEL_WRITE = 2, MODEL_ATOMIC = 4 };
int model_space_create(struct model *m, struct model_space **out);
void model_space_destroy(struct model_space *s);
int model_map(struct model_space *s, uint64_t va, void *backing, uint64_t bytes, uint32_t access);
int model_unmap(struct model_space *s, uint64_t va, uint64_t bytes);

/*
 * A space whose pages are somebody else's: page tables that a driver wrote. The walker returns the host
 * address of va, good to the end of its 4 KiB page, and what may be done there (0: it is mapped, but
 * not for users), or NULL; it is called by many threads at once. What it said is kept until
 * model_invalidate, which returns when nobody uses any of it.
 */
typedef uint8_t *(*model_walker)(void *argument, uint64_t va, uint32_t *access);
int model_space_create_walked(struct model *m, model_walker walk, void *argument,
			      struct model_space **out);
void model_invalidate(struct model_space *s);

/* An engine that groups of channels have one after the other; held: until they have nothing to do, however long
 * that takes. */
struct model_runlist;
int model_runlist_create(bool held, struct model_runlist **out);
void model_runlist_destroy(struct model_runlist *t); /* no channel has it; NULL: nothing */

/* Channels. The ring lies at a GPU address; put and get indices lie in USERD, host memory of the
 * driver (NVIDIA: 512 bytes, hw/nv/host.h; AMD: hw/amd/queue.h). An error fills model_error and, on
 * NVIDIA's, the notifier (16 bytes as on hardware).
 */
struct model_channel_config {
	uint64_t ring_va;
	uint32_t ring_entries; /* power of two; AMD: words */
	void *userd;
	void *notifier;            /* may be NULL */
	bool copy_only;            /* its engine has no compute class; AMD: it is SDMA */
	bool privileged;           /* its streams may do what is not a user's to do */
	int32_t priority;          /* larger is more urgent: blocks of its grids start first */
	struct model_runlist *runlist; /* NULL: it runs beside all others */
	uint64_t group;            /* whose turn it has */
	uint32_t slice_us;         /* how long that is, when others wait */
	/* Called by the card's threads when a packet or method asks for it and when the channel has failed; may
	 * be NULL, and may not call the model. */
	void (*interrupt)(void *argument, bool failed);
	/* Memory by its physical address, for copies: where it is, good to the end of its 4 KiB, or
	 * NULL. Without it such copies are refused. */
	uint8_t *(*physical)(void *argument, uint32_t target, uint64_t address);
	void *argument;
};
int model_channel_create(struct model *m, struct model_space *s,
			 const struct model_channel_config *c, struct model_channel **out);
/* Stops whatever runs on it, at once. */
void model_channel_destroy(struct model_channel *c);
uint32_t model_channel_token(const struct model_channel *c);
/* Has it work that is not done? */
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
	MODEL_FAULT_DISPATCH, /* AMD: registers of a dispatch */
	MODEL_FAULT_COUNT
};
struct model_error {
	enum model_fault fault;
	uint32_t xid;     /* number NVIDIA's kernel driver reports for it */
	uint64_t address; /* of the access or method */
	uint64_t pc;      /* GPU address of the instruction; 0 = none */
	uint64_t program; /* GPU address of the kernel's first instruction; 0 = none */
	uint32_t cta[3], thread[3];
	char text[256]; /* one sentence */
};
/* false: no error yet. */
bool model_channel_error(struct model_channel *c, struct model_error *out);

#endif
