/* SPDX-License-Identifier: MIT */
/* What the parts of a card share: its state, and one entry point for each unit. */
#ifndef MODEL_CARD_INTERNAL_H
#define MODEL_CARD_INTERNAL_H

#include "hw/nv/pci.h"
#include "model/card/card.h"

#define CONFIG_BYTES  4096
#define MAX_VECTORS   16
#define MAX_REGISTERS 64

struct lent { /* memory of the machine */
	uint64_t address, bytes;
	uint8_t *host; /* NULL: exists, cannot be reached */
	bool writable;
};

struct card {
	const struct card_chip *chip;
	FILE *log;
	uint64_t refusals;
	uint8_t config[CONFIG_BYTES];
	uint8_t *vram;
	uint64_t vram_bytes;
	int vram_fd;
	struct lent *lent;
	size_t nlent;
	int vectors[CARD_INTERRUPTS][MAX_VECTORS];
	uint32_t registers[MAX_REGISTERS]; /* in the order of bar0.c's table */
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

#endif
