/* SPDX-License-Identifier: MIT */
/* The software GPU as a PCI card: configuration space, base address registers, interrupts, and DMA
 * to memory of the machine that it is plugged into. The other end (vfio_server.c for a virtual
 * machine, or a test) reads and writes its regions and maps memory for DMA.
 *
 * The card is strict. It rejects whatever a driver does that real hardware would not survive, and
 * whatever is not modelled: the card logs a message, returns all ones for a read, and counts the
 * refusal. */
#ifndef MODEL_CARD_CARD_H
#define MODEL_CARD_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct card;

/* Region numbers are those of VFIO. */
enum { CARD_BAR0, CARD_BAR5 = 5, CARD_ROM, CARD_CONFIG, CARD_VGA, CARD_REGIONS };
enum { CARD_INTX, CARD_MSI, CARD_MSIX, CARD_ERROR, CARD_REQUEST, CARD_INTERRUPTS };

struct card_options {
	const char *chip;    /* "gh100", "ga102", "navi21" */
	uint64_t vram_bytes; /* a multiple of 1 MiB; 0: as on the product */
	/* folder whose nvidia/ holds the expected firmware files; NULL: accept any */
	const char *firmware;
	bool trap;         /* trap accesses to all windows: slow, but page tables apply to them */
	const char *fault; /* name of a fault to inject, for tests of drivers; NULL: none */
	/* "sliced", "held": channel groups share an engine by time; NULL: they run concurrently */
	const char *runlist_mode;
	uint32_t stop_ms;      /* how long it takes to stop busy channels */
	uint64_t seed;         /* of the time that operations take, see latency.c */
	bool require_quiesced; /* card_check_quiesced() rejects a card that is not quiescent */
	FILE *log;
};

/* Creates a card, or returns NULL with an error message in why. */
struct card *card_create(const struct card_options *o, char *why, size_t size);
void card_destroy(struct card *c);
/* Function-level reset: registers as after power-on; memory keeps its contents. */
void card_reset(struct card *c);
/* Call when the machine has disconnected: logs the state of the card. A card that is still active
 * could write to memory that now belongs to someone else. */
void card_check_quiesced(struct card *c);

struct card_region {
	uint64_t bytes;     /* 0: no such region */
	uint64_t map_bytes; /* this many bytes from its start are plain memory behind fd; 0: none */
	int fd;
};
struct card_region card_region(const struct card *c, uint32_t region);
/* One access of any size. The region must exist and contain the bytes. */
void card_read(struct card *c, uint32_t region, uint64_t offset, void *data, uint32_t bytes);
void card_write(struct card *c, uint32_t region, uint64_t offset, const void *data, uint32_t bytes);

/* Maps memory of the machine for DMA, at the addresses that the card uses. The descriptor is not
 * kept; -1: the range exists but cannot be accessed. Returns 0 or a negative errno. */
int card_dma_map(struct card *c, uint64_t address, uint64_t bytes, int fd, uint64_t offset,
		 bool writable);
int card_dma_unmap(struct card *c, uint64_t address, uint64_t bytes);
void card_dma_unmap_all(struct card *c);
/* Returns the host pointer for a DMA of the card, or NULL after a refusal that names `what`. */
void *card_dma(struct card *c, uint64_t address, uint64_t bytes, bool write, const char *what);

uint32_t card_vectors(const struct card *c, uint32_t kind);
/* Signals vectors from first on through these descriptors, which the card takes over; -1: none. */
int card_set_irq_fds(struct card *c, uint32_t kind, uint32_t first, uint32_t count, const int *fds);
void card_clear_irq_fds(struct card *c, uint32_t kind);

/* Logs and counts a refusal. */
__attribute__((format(printf, 2, 3))) void card_refuse(struct card *c, const char *format, ...);
__attribute__((format(printf, 2, 3))) void card_log(struct card *c, const char *format, ...);
uint64_t card_refusals(const struct card *c);

#endif
