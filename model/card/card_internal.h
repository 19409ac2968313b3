/* SPDX-License-Identifier: MIT */
/* What the parts of a card share: its state, and one entry point for each unit. */
#ifndef MODEL_CARD_INTERNAL_H
#define MODEL_CARD_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "hw/nv/gsp_rm.h"
#include "hw/nv/pci.h"
#include "hw/nv/registers.h"
#include "model/card/card.h"
#include "model/core/model.h"

#define CONFIG_BYTES  4096
#define MAX_VECTORS   16
#define MAX_REGISTERS 64

#define FSP_EMEM_BYTES   4096
#define GSP_SHARED_PAGES 512

/* What a card can be asked to do wrong; from SILENT on with one message. */
enum card_fault {
	FAULT_NONE,
	FAULT_REFUSE,   /* the FSP does not like the firmware */
	FAULT_LOCKED,   /* the GSP's registers never open */
	FAULT_VANISH,   /* the card's process ends during boot */
	FAULT_STUBBORN, /* the GSP does not free channels of users, and says so */
	FAULT_DEAF,     /* nor says anything any more, once it is asked to */
	FAULT_GONE,     /* at a register access since its reset the card falls off the bus */
	FAULT_SPURIOUS, /* it interrupts all the time, without a reason */
	FAULT_STORM,    /* the GSP has something to say all the time */
	FAULT_SILENT,   /* nothing is said any more */
	FAULT_LATE,
	FAULT_CHECKSUM,
	FAULT_SEQUENCE,
	FAULT_SHORT, /* it says that it has no payload */
	FAULT_LONG,  /* it says that it has 4 GiB */
	FAULT_EMPTY, /* of no pages */
	FAULT_PAGES, /* of more than there can be */
	FAULT_HEADER,
	FAULT_CALL, /* the answer to something else */
	FAULT_STATUS,
	FAULT_POINTER, /* it lies behind the end of the ring */
	FAULT_FLOOD,   /* with hundreds of interrupts */
	FAULT_ONES,    /* instead, the card falls off the bus */
};

struct fault { /* fault.c */
	enum card_fault kind, now;
	uint32_t at, messages;      /* of this boot */
	uint32_t accesses;          /* of registers since the last reset */
	uint32_t next, step, times; /* of a sweep; no step: there is none */
	uint32_t missed;            /* boots in a row that had no message or access to be spoiled */
	uint32_t boots;
	_Atomic bool happened; /* since the last reset; engines read it */
	bool waits;            /* there is a thread with a late message */
	_Atomic bool said;     /* which has done its work */
	pthread_t thread;
};

struct storm { /* storm.c */
	bool on;
	_Atomic bool end;
	uint64_t sent;
	pthread_t thread;
};

struct span {
	const uint8_t *data;
	size_t bytes;
};

struct firmware { /* what the driver should load */
	bool known;
	struct firmware_file {
		const uint8_t *data;
		size_t bytes;
	} files[3];
	struct span fmc, hash, public_key, fmc_signature, bootloader, image, signature;
};

struct fsp {
	uint8_t emem[FSP_EMEM_BYTES];
	uint32_t control;
	uint32_t queue[2], answer[2]; /* head, tail */
};

struct gsp {
	bool running, unloaded;
	bool deaf;             /* it hears nothing any more */
	bool window_virtual;   /* BAR 1 shows what page tables of the GSP's say, not memory */
	bool bar2_virtual;     /* so does BAR 2 */
	uint32_t locked_reads; /* of a mailbox, until it opens */
	uint64_t frts, wpr_start, wpr_end, heap_outside;
	uint64_t pages[GSP_SHARED_PAGES]; /* of shared memory */
	uint32_t command, status;         /* queues, by their first page */
	uint32_t get, put;                /* ours, in either */
	uint32_t sequence_in, sequence_out;
	uint32_t interrupt;     /* NV_PGSP_IRQSTAT */
	struct object *objects; /* all of them, the newest first */
};

#define DMA_WINDOWS 16
struct dma_maps {                  /* memory of the machine, dma_maps.c */
	pthread_rwlock_t lock; /* all of it */
	struct dma_range {
		uint64_t address, bytes;
		uint8_t *host; /* NULL: exists, cannot be reached */
		bool writable;
	} * pieces; /* by address */
	size_t count;
	struct dma_window {
		uint64_t number;
		uint8_t *host; /* NULL: none yet */
	} windows[DMA_WINDOWS];
};

struct interrupts {           /* of the function */
	pthread_mutex_t lock; /* all of it, and the card's vectors; raising needs no other */
	uint32_t pending[NV_VF_INTR_LEAVES_GH100], enabled[NV_VF_INTR_LEAVES_GH100];
	uint32_t top_enabled;
	bool told; /* a message was sent for what is pending */
};

/*
 * One lock covers the card: whoever comes in from outside holds it. Threads of the engines come
 * from inside and may be waited for by its holder, so they take only the locks that are named
 * below.
 */
#define CARD_MAX_ENGINES 8
struct card {
	const struct card_chip *chip;
	FILE *log;
	struct fault fault;
	struct storm storm;
	bool trap; /* no window is mapped into the machine */
	pthread_mutex_t lock;
	_Atomic uint64_t refusals;
	uint8_t config[CONFIG_BYTES];
	uint8_t *vram;
	uint64_t vram_bytes;
	int vram_fd;
	struct dma_maps dma_maps;
	int vectors[CARD_INTERRUPTS][MAX_VECTORS];
	uint32_t registers[MAX_REGISTERS]; /* in the order of bar0.c's table */
	uint32_t pramin;                   /* where PRAMIN is, >> 16 */
	uint32_t mmu_root[2]; /* of the next invalidation: address >> 8, low word first */
	struct firmware firmware;
	struct fsp fsp;
	struct gsp gsp;
	struct interrupts interrupts;
	struct model *model; /* engines */
	struct card_space *spaces;
	struct card_channel *channels;
	struct model_runlist *runlists
		[CARD_MAX_ENGINES]; /* by the first engine of a runlist; NULL: none are taken */
	uint32_t stop_ms;           /* to stop channels that have work */
	bool require_quiesced;
	struct recovery { /* the thread that takes care of channels which have failed */
		pthread_t thread;
		pthread_mutex_t lock; /* the other two */
		pthread_cond_t wake;
		bool failed, end;
	} recovery;
};

struct card_chip {
	const char *name;
	uint32_t boot_0, boot_42;
	uint32_t vram_mb;
	uint64_t bar_bytes[6];
};

/* pci.c: configuration space. */
void config_reset(struct card *c);
void config_read(struct card *c, uint32_t offset, uint8_t *data, uint32_t bytes);
void config_write(struct card *c, uint32_t offset, const uint8_t *data, uint32_t bytes);
bool config_wants_reset(const struct card *c);
void config_function_reset(struct card *c);
uint32_t config_power_state(const struct card *c); /* 0: awake; 3: D3 */
bool config_memory_enabled(const struct card *c);
bool config_bus_master(const struct card *c);
bool config_interrupts(const struct card *c);

/* dma_maps.c: when nobody uses any of it. */
void dma_free(struct card *c);

/* bar0.c: registers. */
void bar0_reset(struct card *c);
uint32_t bar0_read(struct card *c, uint32_t offset, uint32_t bytes);
void bar0_write(struct card *c, uint32_t offset, uint32_t value, uint32_t bytes);

/* firmware.c: no folder, and everything is taken for right. */
bool firmware_load(struct firmware *fw, const char *folder, const char *chip, char *why,
		   size_t size);
void firmware_free(struct firmware *fw);

/* fsp.c */
uint32_t fsp_read_data(struct card *c);
void fsp_write_data(struct card *c, uint32_t value);
void fsp_write_head(struct card *c, uint32_t head);

/* gsp.c, gsp_rpc.c. gsp_boot returns the FSP's error code. */
uint32_t gsp_boot(struct card *c, const struct nv_fsp_cot *cot);
void gsp_reset(struct card *c);
void gsp_unload(struct card *c);
uint32_t gsp_read_mailbox0(struct card *c);
uint32_t gsp_read_cpuctl(struct card *c);
uint32_t gsp_read_wpr_low(struct card *c);
uint32_t gsp_read_wpr_high(struct card *c);
void gsp_open(struct card *c);
void gsp_commands(struct card *c);
void gsp_send_event(struct card *c, uint32_t event, const void *payload, uint32_t bytes);
/* Pages of the status queue that can be written. */
uint32_t gsp_room(struct card *c);
uint32_t gsp_read_interrupt(struct card *c);
void gsp_clear_interrupt(struct card *c, uint32_t bits);
void gsp_retrigger(struct card *c, uint32_t value);

/* Tells the driver how far the status queue is filled. */
void gsp_publish(struct card *c, uint32_t put);

/* fault.c: false when there is no such fault. */
bool fault_set(struct fault *f, const char *text);
void fault_names(char *to, size_t size);
void fault_reset(struct card *c);
void fault_boot(struct card *c);
void fault_end(struct card *c);
/* The next message may be spoiled; true: after its checksum was made, that is, too. */
bool fault_corrupt(struct card *c, struct nv_gsp_element *e, struct nv_gsp_rpc *rpc);
void fault_publish(struct card *c, uint32_t put);
/* A register is about to be read or written. */
void fault_access(struct card *c);
/* Registers and windows are all ones. */
bool fault_gone(const struct card *c);

/* storm.c: begins where the card is one for it; false when there is no thread for it. */
bool storm_start(struct card *c);
void storm_end(struct card *c);

/* window.c: where an access to a window goes, or NULL after a refusal. */
uint8_t *window_at(struct card *c, uint32_t region, uint64_t offset, uint32_t bytes);
uint64_t window_bar1_root(const struct card *c);
uint64_t window_bar2_root(const struct card *c);
void window_open(struct card *c);
uint32_t window_update(struct card *c, const struct nv_gsp_update_bar *u);
uint32_t window_read_pramin(struct card *c, uint32_t offset);
void window_write_pramin(struct card *c, uint32_t offset, uint32_t value);

/* interrupt.c */
void interrupt_reset(struct card *c);
bool interrupt_enabled(struct card *c);
uint32_t interrupt_read(struct card *c, uint32_t offset);
void interrupt_write(struct card *c, uint32_t offset, uint32_t value);
void interrupt_raise(struct card *c, uint32_t vector);
void interrupt_raise_spurious(struct card *c);

/* engine.c: what engines the chip has. */
struct card_engine {
	const char *name;
	uint32_t type;            /* RM_ENGINE */
	uint32_t unit, non_stall; /* RM_UNIT, vector */
	uint32_t runlist;
};
#define CARD_GSP_VECTOR          160
#define CARD_METHOD_BUFFER_BYTES 0x5000
extern const struct card_engine card_engines[];
extern const uint32_t card_engine_count;
const struct card_engine *engine_find(uint32_t type);
/* What its channels take runlists on, or NULL. */
struct model_runlist *engine_runlist(struct card *c, const struct card_engine *e);
/* kind: as an option names it, or NULL. false: no memory. */
bool runlists_create(struct card *c, const char *kind);
void runlists_destroy(struct card *c);

/* space.c: address spaces. Page tables are walked when an engine needs a page, and what was found
 * is kept until the driver says that the tables have changed. */
struct card_space;
struct card_space *space_create(struct card *c);
void space_destroy(struct card_space *s);        /* NULL: nothing */
uint64_t space_root(const struct card_space *s); /* 0: none */
bool space_set_root(struct card_space *s, uint64_t root);
struct model_space *space_engines(struct card_space *s);
/* Is all of it mapped? */
bool space_covers(struct card_space *s, uint64_t va, uint64_t bytes);
/* Every page of the tables is looked at, and nobody keeps any of what was there before. */
void space_invalidate(struct card *c, uint64_t root);
void space_invalidate_all(struct card *c);
/* Why an engine could not reach an address: a fault type of hardware. */
uint32_t space_fault_type(struct card_space *s, uint64_t va);

/* context.c: what a channel's objects of the graphics engine need. */
struct context {
	uint8_t buffer[16]; /* what is known of each, by RM_BUFFER */
};
void context_sizes(struct rm_context_buffers *out);
uint32_t context_promote(struct card *c, struct context *x, struct card_space *s,
			 const struct rm_promote *p);
bool context_complete(struct card *c, const struct context *x);

/* channel.c */
struct card_channel *channel_create(struct card *c, struct card_space *s,
				    const struct rm_channel_parameters *p, uint32_t group,
				    uint32_t *status);
void channel_destroy(struct card_channel *ch);
uint32_t channel_id(const struct card_channel *ch);
const struct card_engine *channel_engine(const struct card_channel *ch);
struct card_space *channel_space(const struct card_channel *ch);
void channel_set_slice(struct card_channel *ch, uint32_t us);
/* A driver stops some: those that have work take a while, all together. */
void channels_wait(struct card *c, struct card_channel *const *list, uint32_t count);
uint32_t channel_bind(struct card_channel *ch, uint32_t engine);
uint32_t channel_schedule(struct card_channel *ch);
bool channel_runs(const struct card_channel *ch);
void channel_stop(struct card_channel *ch);
void channel_doorbell(struct card *c, uint32_t token);
void channel_memory_unmapped(struct card *c, const uint8_t *host, uint64_t bytes);
bool recovery_start(struct card *c);
void recovery_end(struct card *c);
/* Memory that the driver names by address and space: is it there? NULL after a refusal. */
uint8_t *rm_memory_pointer(struct card *c, const struct rm_memory_description *m, uint64_t bytes,
		   const char *what);

/* object.c: objects. */
struct object {
	struct object *next, *client, *parent;
	const struct object_class *class;
	uint32_t handle, children;
	uint32_t users;              /* of a VA space: channels, groups and shares */
	uint32_t engine;             /* of a group */
	uint32_t slice_us;           /* of a group; 0: not said */
	bool external;               /* of a VA space: the driver sets its page directory */
	struct object *space_object; /* of a channel, group or share */
	struct context context;      /* of a group, or of a channel that is in none */
	union {
		struct card_space *space;
		struct card_channel *channel;
	};
};
struct object_class {
	uint32_t class, bytes; /* of parameters */
	const char *name;
	uint32_t parents[3]; /* classes; 0 ends, and alone means that it is a client */
	uint32_t (*make)(struct card *c, struct object *o, void *parameters);
	void (*end)(struct card *c, struct object *o);
};
struct object_command {
	uint32_t command, class, bytes;
	const char *name;
	bool question; /* nothing of what comes in counts, and it is zero for the answer */
	uint32_t (*run)(struct card *c, struct object *o, void *parameters);
};
void objects_open(struct card *c);
void objects_close(struct card *c, bool refuse);
uint32_t object_create(struct card *c, const struct nv_gsp_rm_alloc *call, void *parameters);
uint32_t object_command(struct card *c, const struct nv_gsp_rm_control *call, void *parameters);
uint32_t object_free(struct card *c, const struct nv_gsp_rm_free *call);
bool object_is_users_channel(struct card *c, uint32_t client, uint32_t handle);
struct object *object_find(struct card *c, uint32_t client, uint32_t handle, uint32_t class);
/* Of a channel. Channels of a group have one in common, as in NVIDIA's open kernel module
 * (kernel_graphics_context.c) and on an H200, where the second needs no other. */
struct context *object_context(struct object *channel);
/* object_class.c, object_command.c */
const struct object_class *class_find(uint32_t class);
const struct object_command *command_find(uint32_t command, uint32_t class);
#define RM_INTERNAL_CLIENT    0xc1e00004u
#define RM_INTERNAL_DEVICE    0xd0000001u
#define RM_INTERNAL_SUBDEVICE 0xd0000002u

#endif
