/* SPDX-License-Identifier: MIT */
/* Internal interfaces of the card: its state, and the entry points of each unit. */
#ifndef MODEL_CARD_INTERNAL_H
#define MODEL_CARD_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "hw/nv/gsp_rm.h"
#include "hw/nv/pci.h"
#include "hw/nv/registers.h"
#include "model/card/card.h"
#include "model/card/vbios.h"
#include "model/core/model.h"

#define CONFIG_BYTES  4096
#define MAX_VECTORS   16
#define MAX_REGISTERS 64

#define FSP_EMEM_BYTES   4096
#define GSP_SHARED_PAGES 512

/* The GSP's logs. Records have 32 bytes: nanoseconds, and text padded with zeros. Those of real
 * firmware refer to strings of its image; drivers pass on either unread. */
enum card_log_region { LOG_INIT, LOG_INTERRUPT, LOG_RM, CARD_LOGS };

struct gsp_log_record {
	uint64_t time;
	char text[24];
};

/* Faults that can be injected; those from SILENT on affect one message. */
enum card_fault {
	FAULT_NONE,
	FAULT_REFUSE,   /* the FSP rejects the firmware */
	FAULT_LOCKED,   /* the GSP's registers stay locked */
	FAULT_VANISH,   /* the card's process exits during boot */
	FAULT_STUBBORN, /* the GSP reports that it cannot free users' channels */
	FAULT_DEAF,     /* the GSP stops responding when it is to free one */
	FAULT_GONE,     /* the card falls off the bus at the N-th register access since reset */
	FAULT_SPURIOUS, /* endless interrupts without a cause */
	FAULT_STORM,    /* endless GSP events */
	FAULT_SILENT,   /* this message and all later ones are not published */
	FAULT_LATE,
	FAULT_CHECKSUM,
	FAULT_SEQUENCE,
	FAULT_SHORT, /* the header says: no payload */
	FAULT_LONG,  /* the header says: 4 GiB of payload */
	FAULT_EMPTY, /* the header says: no pages */
	FAULT_PAGES, /* the header says: more pages than possible */
	FAULT_HEADER,
	FAULT_CALL, /* the reply to a different call */
	FAULT_STATUS,
	FAULT_HALT,    /* the GSP halts instead of publishing this message */
	FAULT_POINTER, /* PUT points beyond the end of the ring */
	FAULT_FLOOD,   /* hundreds of interrupts in a burst */
	FAULT_ONES,    /* the card falls off the bus instead */
};

struct fault_injection { /* fault_injection.c */
	enum card_fault kind, now;
	uint32_t at, messages;      /* messages since boot */
	uint32_t accesses;          /* register accesses since the last reset */
	uint32_t next, step, times; /* of a sweep; step 0: no sweep */
	uint32_t missed;            /* consecutive boots without the message or access to corrupt */
	uint32_t boots;
	_Atomic bool happened;       /* since the last reset; engine threads read it */
	bool waits;                  /* a thread delays a late message */
	_Atomic bool late_published; /* the thread has published it */
	pthread_t thread;
};

struct storm { /* interrupt_storm.c */
	bool on;
	_Atomic bool end;
	uint64_t sent;
	pthread_t thread;
};

struct span {
	const uint8_t *data;
	size_t bytes;
};

struct firmware { /* the files that the driver must load */
	bool known;
	struct firmware_file {
		const uint8_t *data;
		size_t bytes;
	} files[4];
	struct span fmc, hash, public_key, fmc_signature, bootloader, image, signature;
	struct firmware_booter {
		struct span code, data, signature;
		uint32_t signature_at; /* in the data */
		uint32_t engines, program;
	} booters[2]; /* to load and to unload */
};

/* A falcon's memories: an assumption, large enough for all programs. */
#define FALCON_MEMORY_BYTES 0x10000u
#define FALCON_BLOCK_BYTES  256
#define FALCON_REGISTERS    (0x2000 / 4)
enum { FALCON_GSP, FALCON_SEC2, CARD_FALCONS };
/* Values of mailbox 0 after a program that failed; those of real ones are not public. */
enum { FALCON_NO_PROGRAM = 0xbad00001, FALCON_BAD_SIGNATURE, FALCON_BAD_PROGRAM, FALCON_FAILED };
struct falcon {
	bool unused; /* it was not reset since power-on */
	bool in_reset, started;
	bool scrubbing; /* its memories are being cleared */
	uint32_t ready_reads, transfer_reads, run_reads;
	uint32_t result; /* of the program, for mailbox 0 when it halts */
	uint32_t registers[FALCON_REGISTERS];
	struct falcon_tag { /* of a block of IMEM */
		uint32_t address;
		bool loaded, secure;
	} tags[FALCON_MEMORY_BYTES / FALCON_BLOCK_BYTES];
	uint8_t imem[FALCON_MEMORY_BYTES], dmem[FALCON_MEMORY_BYTES];
};

struct fsp {
	bool ready; /* it has booted */
	uint32_t boot_reads;
	bool works; /* on the message, until as many reads of its queues */
	uint32_t reads;
	struct nv_fsp_reply reply;
	uint8_t emem[FSP_EMEM_BYTES];
	uint32_t control;
	uint32_t queue[2], answer[2]; /* head, tail */
};

struct gsp {
	bool running, unloaded;
	bool unresponsive;   /* ignores all commands */
	bool window_virtual; /* BAR 1 uses page tables of the GSP, not flat VRAM */
	bool bind_started;   /* the mode of BAR 1 changes after as many reads: */
	uint32_t bind_reads;
	uint32_t lockdown_reads;           /* reads of HWCFG2 until the lockdown has ended */
	uint32_t unload_reads, halt_reads; /* until the GSP has unloaded and its core halted */
	bool bar2_virtual;                 /* the same for BAR 2 */
	uint32_t locked_reads;             /* mailbox reads until the registers unlock */
	uint64_t frts, wpr_start, wpr_end, heap_outside;
	uint64_t logs[CARD_LOGS];         /* DMA addresses; 0: not known yet */
	uint64_t pages[GSP_SHARED_PAGES]; /* DMA addresses of the shared memory */
	uint32_t command, status;         /* queues, by their first page */
	uint32_t get, put;                /* of the GSP, in either queue */
	uint32_t sequence_in, sequence_out;
	uint32_t interrupt;     /* NV_PGSP_IRQSTAT */
	struct object *objects; /* newest first */
};

#define DMA_WINDOWS 16
struct dma_maps {              /* DMA mappings of the machine's memory, guest_memory.c */
	pthread_rwlock_t lock; /* protects all members */
	struct dma_range {
		uint64_t address, bytes;
		uint8_t *host; /* NULL: exists, but cannot be accessed */
		bool writable;
	} *ranges; /* sorted by address */
	size_t count;
	struct dma_window {
		uint64_t number;
		uint8_t *host; /* NULL: unused */
	} windows[DMA_WINDOWS];
};

struct interrupts { /* interrupt tree of the function */
	/* Protects all members and the card's vectors; raising an interrupt takes no other lock. */
	pthread_mutex_t lock;
	uint32_t pending[NV_VF_INTR_LEAVES_GH100], enabled[NV_VF_INTR_LEAVES_GH100];
	uint32_t top_enabled;
	bool msi_sent; /* an MSI was sent for the pending interrupts */
};

/* The card lock covers the card: every entry from outside holds it. Engine threads call in from
 * inside, and the lock's holder may wait for them, so they take only the locks named below. */
#define CARD_MAX_ENGINES 8
struct card {
	const struct card_chip *chip;
	FILE *log;
	struct fault_injection fault;
	struct storm storm;
	bool trap; /* windows are not mapped into the machine */
	pthread_mutex_t lock;
	_Atomic uint64_t refusals;
	uint8_t config[CONFIG_BYTES];
	uint8_t *vram;
	uint64_t vram_bytes;
	int vram_fd;
	struct dma_maps dma_maps;
	int vectors[CARD_INTERRUPTS][MAX_VECTORS];
	uint32_t registers[MAX_REGISTERS]; /* in the order of bar0.c's table */
	uint32_t pramin;                   /* PRAMIN base >> 16 */
	uint32_t mmu_root[2]; /* for the next TLB invalidate: address >> 8, low word first */
	struct invalidation {
		uint32_t command, reads; /* 0: none is under way */
		uint64_t root;
	} invalidation;
	uint32_t flush_reads;
	uint64_t latency; /* state of the generator of latency.c */
	struct firmware firmware;
	struct fsp fsp;
	struct vbios vbios;
	uint32_t boot_reads; /* of the progress of the chip's own boot, until it has ended */
	uint32_t frts_error; /* of FWSEC, in bits 31:16 */
	struct falcon falcons[CARD_FALCONS];
	struct gsp gsp;
	struct interrupts interrupts;
	struct model *model; /* engines */
	struct card_space *spaces;
	struct card_channel *channels;
	/* By the first engine of a runlist; NULL: no time slicing. */
	struct model_runlist *runlists[CARD_MAX_ENGINES];
	uint32_t stop_ms; /* to stop busy channels */
	bool require_quiesced;
	struct navi *navi; /* AMD */
	struct recovery {  /* the thread that recovers failed channels */
		pthread_t thread;
		pthread_mutex_t lock; /* protects failed, end */
		pthread_cond_t wake;
		bool failed, end;
	} recovery;
};

/* Who boots the GSP: registers of the others do not exist. */
enum card_boot { BOOT_ANY, BOOT_FSP, BOOT_FWSEC };
struct mmu_version;
struct card_chip {
	const char *name;
	const struct card_vendor *vendor;
	uint16_t device, subsystem; /* PCI ids */
	uint32_t vram_mb, max_vram_mb;
	/* PCI BARs of registers and of the windows to VRAM and, of NVIDIA's, to instance memory. */
	uint32_t registers_bar, vram_bar, instance_bar;
	struct {
		uint64_t bytes;
		uint8_t flags; /* its low bits */
	} bars[6];
	/* NVIDIA */
	uint32_t boot_0, boot_42;
	enum card_boot boot;
	const char *image_signature; /* section of the GSP's image */
	const struct mmu_version *mmu;
	uint32_t config_mirror, interrupt_leaves;
};

/* What a vendor's cards are made of. All functions are called with the card's lock held, but for
 * create() and destroy(); destroy() may follow a create() that failed. */
struct card_vendor {
	const struct pci_function *pci;
	bool (*create)(struct card *c, const struct card_options *o, char *why, size_t size);
	void (*destroy)(struct card *c);
	/* Resets everything but configuration space, before DMA is disabled. */
	void (*reset)(struct card *c);
	/* Accesses of BARs and the ROM while memory is enabled. data is all ones before a read. */
	void (*read)(struct card *c, uint32_t region, uint64_t offset, void *data, uint32_t bytes);
	void (*write)(struct card *c, uint32_t region, uint64_t offset, const void *data,
		      uint32_t bytes);
	/* No engine uses this memory when it returns. */
	void (*memory_unmapped)(struct card *c, const uint8_t *host, uint64_t bytes);
	/* Whether the card's firmware or engines run. */
	bool (*active)(struct card *c);
	bool (*interrupts_enabled)(struct card *c);
};
extern const struct card_vendor card_nvidia, card_amd;

/* The configuration space of a function: its first bytes after reset, and writable bits. */
struct pci_function {
	const uint8_t *bytes;
	uint32_t size;
	const struct pci_writable {
		uint16_t offset;
		uint32_t bits;
	} *writable;
	uint32_t writable_count;
	uint16_t pm, express, msi, msix; /* capabilities; 0: none */
	uint32_t msi_vectors, msix_vectors;
	uint32_t rom_bytes; /* 0: no expansion ROM */
};

/* pci.c: configuration space. */
extern const struct pci_function pci_gh100;
void config_reset(struct card *c);
void config_read(struct card *c, uint32_t offset, uint8_t *data, uint32_t bytes);
void config_write(struct card *c, uint32_t offset, const uint8_t *data, uint32_t bytes);
bool config_wants_reset(const struct card *c);
void config_function_reset(struct card *c);
uint32_t config_power_state(const struct card *c); /* 0: D0; 3: D3 */
uint64_t config_bar_address(const struct card *c, uint32_t bar);
bool config_memory_enabled(const struct card *c);
bool config_bus_master(const struct card *c);
bool config_interrupts(const struct card *c);

/* guest_memory.c: no other thread uses it any more. */
void dma_free(struct card *c);

/* bar0.c: registers. */
void bar0_reset(struct card *c);
uint32_t bar0_read(struct card *c, uint32_t offset, uint32_t bytes);
/* What was last written to a register that has no side effects. */
uint32_t bar0_stored(struct card *c, uint32_t offset);
void bar0_write(struct card *c, uint32_t offset, uint32_t value, uint32_t bytes);

/* latency.c: an operation takes this many reads of its status, and whether one of them is left. */
void latency_seed(struct card *c, uint64_t seed);
uint32_t latency_next(struct card *c);
bool latency_left(uint32_t *reads);

/* firmware.c: without a folder, any firmware is accepted. */
bool firmware_load(struct firmware *fw, const char *folder, const struct card_chip *chip, char *why,
		   size_t size);
void firmware_free(struct firmware *fw);

/* fsp.c: fsp_poll() is called before each read of a queue's pointers. */
void fsp_poll(struct card *c);
uint32_t fsp_read_boot_status(struct card *c);
uint32_t fsp_read_data(struct card *c);
void fsp_write_data(struct card *c, uint32_t value);
void fsp_write_head(struct card *c, uint32_t head);

/* falcon.c, falcon_program.c. program_run() does what a program does and returns its result. */
void falcons_reset(struct card *c);
const char *falcon_name(const struct card *c, const struct falcon *f);
uint32_t falcon_read_gsp(struct card *c, uint32_t offset);
void falcon_write_gsp(struct card *c, uint32_t offset, uint32_t value);
uint32_t falcon_read_sec2(struct card *c, uint32_t offset);
void falcon_write_sec2(struct card *c, uint32_t offset, uint32_t value);
uint32_t program_run(struct card *c, struct falcon *f, uint32_t imem);

/* gsp.c, gsp_rpc.c. gsp_boot returns the FSP's error code. */
uint32_t gsp_boot(struct card *c, const struct nv_fsp_cot *cot);
/* Booter: loads the GSP from the metadata at this address, or stops it. */
bool gsp_boot_protected(struct card *c, uint64_t meta, uint64_t libos);
bool gsp_stop_protected(struct card *c);
/* Refuses if no page for flushes is set that the GPU can write. */
bool gsp_check_flush_page(struct card *c);
void gsp_reset(struct card *c);
/* Appends a record to a log. The word before the records counts the words written. */
__attribute__((format(printf, 3, 4))) void gsp_write_log(struct card *c, enum card_log_region log,
							 const char *format, ...);
void gsp_unload(struct card *c);
uint32_t gsp_read_mailbox0(struct card *c);
uint32_t gsp_read_cpuctl(struct card *c);
uint32_t gsp_read_hwcfg2(struct card *c);
uint32_t gsp_read_wpr_low(struct card *c);
uint32_t gsp_read_wpr_high(struct card *c);
void gsp_open(struct card *c);
void gsp_commands(struct card *c);
void gsp_send_event(struct card *c, uint32_t event, const void *payload, uint32_t bytes);
/* Free pages of the status queue. */
uint32_t gsp_room(struct card *c);
uint32_t gsp_read_interrupt(struct card *c);
void gsp_clear_interrupt(struct card *c, uint32_t bits);
void gsp_retrigger(struct card *c, uint32_t value);

/* The GSP's core halts, and its interrupt says so. */
void gsp_halt(struct card *c);
/* Publishes PUT of the status queue to the driver. */
void gsp_publish(struct card *c, uint32_t put);

/* fault_injection.c. fault_set() returns false for an unknown fault. */
bool fault_set(struct fault_injection *f, const char *text);
void fault_names(char *to, size_t size);
void fault_reset(struct card *c);
void fault_boot(struct card *c);
void fault_end(struct card *c);
/* May corrupt the next message; returns true if its checksum must be wrong, too. */
bool fault_corrupt(struct card *c, struct nv_gsp_element *e, struct nv_gsp_rpc *rpc);
void fault_publish(struct card *c, uint32_t put);
/* Called before each register access. */
void fault_access(struct card *c);
/* True if the card has fallen off the bus: registers and windows read as all ones. */
bool fault_gone(const struct card *c);

/* interrupt_storm.c. storm_start() returns false if its thread cannot be created. */
bool storm_start(struct card *c);
void storm_end(struct card *c);

/* bar_windows.c: resolves an access to a window, or returns NULL after a refusal. */
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
/* Sends the next MSI if an enabled interrupt is pending. That a driver forgets it goes
 * unnoticed. */
void interrupt_rearm(struct card *c, uint32_t value);
void interrupt_raise_spurious(struct card *c);

/* engines.c: the engines of the chip. */
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
/* The runlist that time-slices the engine, or NULL. */
struct model_runlist *engine_runlist(struct card *c, const struct card_engine *e);
/* kind: as card_options.runlist_mode. Returns false if out of memory. */
bool runlists_create(struct card *c, const char *kind);
void runlists_destroy(struct card *c);

/* address_space.c: address spaces. Engines walk the page tables on a TLB miss and cache
 * translations until the driver invalidates them. */
struct card_space;
struct card_space *space_create(struct card *c);
void space_destroy(struct card_space *s);        /* NULL is allowed */
uint64_t space_root(const struct card_space *s); /* 0: none */
bool space_set_root(struct card_space *s, uint64_t root);
struct model_space *space_engines(struct card_space *s);
/* True if the whole range is mapped. */
bool space_covers(struct card_space *s, uint64_t va, uint64_t bytes);
/* TLB invalidate: checks every page of the tables and waits until no engine uses an old
 * translation. */
void space_invalidate(struct card *c, uint64_t root);
void space_invalidate_all(struct card *c);
/* The hardware's fault type for an address that an engine could not access. */
uint32_t space_fault_type(struct card_space *s, uint64_t va);

/* graphics_context.c: context buffers that a channel's graphics objects need. */
struct context {
	uint8_t buffer[16]; /* state of each buffer, by RM_BUFFER */
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
/* Delays the driver while busy channels stop, once for all of them. */
void channels_wait(struct card *c, struct card_channel *const *list, uint32_t count);
uint32_t channel_bind(struct card_channel *ch, uint32_t engine);
uint32_t channel_schedule(struct card_channel *ch);
bool channel_runs(const struct card_channel *ch);
void channel_stop(struct card_channel *ch);
void channel_doorbell(struct card *c, uint32_t token);
void channel_memory_unmapped(struct card *c, const uint8_t *host, uint64_t bytes);
bool recovery_start(struct card *c);
void recovery_end(struct card *c);
/* Resolves memory that the driver names by address and aperture; NULL after a refusal. */
uint8_t *rm_memory_pointer(struct card *c, const struct rm_memory_description *m, uint64_t bytes,
			   const char *what);

/* object.c: the resource manager's object tree. */
struct object {
	struct object *next, *client, *parent;
	const struct object_class *class;
	uint32_t handle, children;
	uint32_t users;    /* VA space: channels, groups and context shares that use it */
	uint32_t engine;   /* of a channel group */
	uint32_t slice_us; /* of a channel group; 0: default */
	uint32_t channels; /* of a channel group: those that exist */
	bool spent;        /* channel group: its last channel was freed */
	/* Of a channel group: that of its first channel, which RM uses for all of them. */
	struct rm_memory_description method_buffer;
	bool external;               /* VA space: the driver sets its page directory */
	struct object *space_object; /* of a channel, group or context share */
	struct context context;      /* of a group, or of a channel without a group */
	union {
		struct card_space *space;
		struct card_channel *channel;
	};
};
struct object_class {
	uint32_t class, bytes; /* size of the parameters */
	const char *name;
	uint32_t parents[3]; /* parent classes, 0-terminated; an empty list means a client */
	uint32_t (*create)(struct card *c, struct object *o, void *parameters);
	void (*destroy)(struct card *c, struct object *o);
};
struct object_command {
	uint32_t command, class, bytes;
	const char *name;
	bool query; /* parameters are output only: zeroed before the call */
	uint32_t (*run)(struct card *c, struct object *o, void *parameters);
};
void objects_open(struct card *c);
void objects_close(struct card *c, bool refuse);
uint32_t object_create(struct card *c, const struct nv_gsp_rm_alloc *call, void *parameters);
uint32_t object_command(struct card *c, const struct nv_gsp_rm_control *call, void *parameters);
uint32_t object_free(struct card *c, const struct nv_gsp_rm_free *call);
bool object_is_users_channel(struct card *c, uint32_t client, uint32_t handle);
struct object *object_find(struct card *c, uint32_t client, uint32_t handle, uint32_t class);
/* The graphics context of a channel. Channels of a group share one, as in NVIDIA's open kernel
 * module (kernel_graphics_context.c) and on an H200, where the second channel needs no other. */
struct context *object_context(struct object *channel);
/* object_class.c, object_command.c */
const struct object_class *class_find(uint32_t class);
const struct object_command *command_find(uint32_t command, uint32_t class);
#define RM_INTERNAL_CLIENT    0xc1e00004u
#define RM_INTERNAL_DEVICE    0xd0000001u
#define RM_INTERNAL_SUBDEVICE 0xd0000002u

#endif
