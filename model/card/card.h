/* SPDX-License-Identifier: MIT */
/*
 * The software GPU as a card on a PCI bus: configuration space, base address registers, interrupts,
 * and memory of the machine it is plugged into. Whoever holds the other end (vfio_server.c for a
 * virtual machine, a test for itself) reads and writes its regions and lends it memory.
 *
 * The card does not forgive. Whatever a driver does that real hardware would not survive, or that
 * nobody modelled, is refused: a sentence in the log, all ones for a read, and in the end a count
 * that is not zero.
 */
#ifndef MODEL_CARD_CARD_H
#define MODEL_CARD_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct card;

/* Regions have the numbers that VFIO gives them. */
enum { CARD_BAR0, CARD_BAR5 = 5, CARD_ROM, CARD_CONFIG, CARD_VGA, CARD_REGIONS };
enum { CARD_INTX, CARD_MSI, CARD_MSIX, CARD_ERROR, CARD_REQUEST, CARD_INTERRUPTS };

struct card_options {
	const char *chip;     /* "gh100" */
	uint64_t vram_bytes;  /* of 1 MiB each; 0: as on the product */
	const char *firmware; /* folder whose nvidia/ holds the files that must arrive; NULL: any */
	bool trap;            /* let no window be mapped: slow, but then page tables count there */
	const char *fault; /* something to do wrong, by name, for tests of drivers; NULL: nothing */
	const char *
		turns; /* "sliced", "held": groups have an engine one after the other; NULL: side by side */
	uint32_t stop_ms; /* how long it takes to stop channels that have work */
	bool require_quiesced;   /* card_check_quiesced() refuses a card that was not left quiet */
	FILE *log;
};

/* Makes a card, or returns NULL with a sentence. */
struct card *card_create(const struct card_options *o, char *why, size_t size);
void card_destroy(struct card *c);
/* What a reset of the function does: registers as after power-on; memory keeps its contents. */
void card_reset(struct card *c);
/* The machine is gone: says how the card was left. One that runs on could write to what another finds in memory. */
void card_check_quiesced(struct card *c);

struct card_region {
	uint64_t bytes;     /* 0: there is none */
	uint64_t map_bytes; /* from its start, this much is plain memory behind fd; 0: none */
	int fd;
};
struct card_region card_region(const struct card *c, uint32_t region);
/* One access of any size. The region exists and the bytes lie inside it. */
void card_read(struct card *c, uint32_t region, uint64_t offset, void *data, uint32_t bytes);
void card_write(struct card *c, uint32_t region, uint64_t offset, const void *data, uint32_t bytes);

/*
 * Memory of the machine that the card may reach, by the addresses the card uses. The descriptor is
 * not kept; -1 says that the range exists but cannot be reached. 0 or a negative errno.
 */
int card_dma_map(struct card *c, uint64_t address, uint64_t bytes, int fd, uint64_t offset,
	      bool writable);
int card_dma_unmap(struct card *c, uint64_t address, uint64_t bytes);
void card_dma_unmap_all(struct card *c);
/* What a DMA of the card would reach, or NULL after a refusal that names `what`. */
void *card_dma(struct card *c, uint64_t address, uint64_t bytes, bool write, const char *what);

uint32_t card_vectors(const struct card *c, uint32_t kind);
/* Vectors first.. are now signalled through these descriptors, which become the card's; -1: none.
 */
int card_set_irq_fds(struct card *c, uint32_t kind, uint32_t first, uint32_t count, const int *fds);
void card_clear_irq_fds(struct card *c, uint32_t kind);

/* Says what was wrong; counts. */
__attribute__((format(printf, 2, 3))) void card_refuse(struct card *c, const char *format, ...);
__attribute__((format(printf, 2, 3))) void card_log(struct card *c, const char *format, ...);
uint64_t card_refusals(const struct card *c);

#endif
