/* SPDX-License-Identifier: MIT */
/* What the parts of a card share: its state, and one entry point for each unit. */
#ifndef MODEL_CARD_INTERNAL_H
#define MODEL_CARD_INTERNAL_H

#include "hw/nv/gsp_570.h"
#include "hw/nv/pci.h"
#include "model/card/card.h"

#define CONFIG_BYTES  4096
#define MAX_VECTORS   16
#define MAX_REGISTERS 64

#define FSP_EMEM_BYTES   4096
#define GSP_SHARED_PAGES 512

/* What a card can be asked to do wrong. */
enum card_fault {
	FAULT_NONE,
	FAULT_REFUSE, /* the FSP does not like the firmware */
	FAULT_LOCKED, /* the GSP's registers never open */
	FAULT_SILENT, /* the GSP never says that it is up */
	FAULT_GARBAGE, /* what it says has a wrong checksum */
	FAULT_VANISH, /* the card falls off the bus during boot */
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
	bool window_virtual; /* BAR 2 shows what page tables of the GSP's say, not memory */
	uint32_t locked_reads; /* of a mailbox, until it opens */
	uint64_t frts, wpr_start, wpr_end, heap_outside;
	uint64_t pages[GSP_SHARED_PAGES]; /* of shared memory */
	uint32_t command, status;         /* queues, by their first page */
	uint32_t get, put;                /* ours, in either */
	uint32_t sequence_in, sequence_out;
};

struct lent { /* memory of the machine */
	uint64_t address, bytes;
	uint8_t *host; /* NULL: exists, cannot be reached */
	bool writable;
};

struct card {
	const struct card_chip *chip;
	FILE *log;
	enum card_fault fault;
	uint64_t refusals;
	uint8_t config[CONFIG_BYTES];
	uint8_t *vram;
	uint64_t vram_bytes;
	int vram_fd;
	struct lent *lent;
	size_t nlent;
	int vectors[CARD_INTERRUPTS][MAX_VECTORS];
	uint32_t registers[MAX_REGISTERS]; /* in the order of bar0.c's table */
	uint32_t mmu_root[2]; /* of the next invalidation: address >> 8, low word first */
	struct firmware firmware;
	struct fsp fsp;
	struct gsp gsp;
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
bool config_memory_enabled(const struct card *c);
bool config_bus_master(const struct card *c);

/* bar0.c: registers. */
void bar0_reset(struct card *c);
uint32_t bar0_read(struct card *c, uint32_t offset, uint32_t bytes);
void bar0_write(struct card *c, uint32_t offset, uint32_t value, uint32_t bytes);

/* firmware.c: no folder, and everything is taken for right. */
bool firmware_load(struct firmware *fw, const char *folder, const char *chip, char *why, size_t size);
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

#endif
