// SPDX-License-Identifier: MIT
/* The card as a whole: product constants, video memory, interrupt vectors, and the routing of
 * accesses to units. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hw/amd/pci.h"
#include "model/card/card_internal.h"
#include "model/card/page_table.h"

#define MAX_LOGGED_REFUSALS 100 /* refusals that are logged; later ones are only counted */
#define MEGABYTE            ((uint64_t)1 << 20)

/* An H200: 143771 MiB according to nvidia-smi. */
static const struct card_chip chips[] = {
	{
		.name = "gh100",
		.vendor = &card_nvidia,
		.boot_0 = 0x180000a1,
		.boot_42 = (uint32_t)NV_CHIP_GH100 << 20 | 0xa1000,
		.device = NV_PCI_H200_DEVICE,
		.subsystem = NV_PCI_H200_SUBSYSTEM,
		.vram_mb = 143771,
		.max_vram_mb = NV_PCI_GH100_VRAM / MEGABYTE,
		.boot = BOOT_FSP,
		.image_signature = ".fwsignature_gh100",
		.mmu = &mmu_ver3,
		.config_mirror = NV_GSP_CONFIG_MIRROR_GH100,
		.interrupt_leaves = NV_VF_INTR_LEAVES_GH100,
		.registers_bar = NV_PCI_BAR_REGISTERS,
		.vram_bar = NV_PCI_BAR_VRAM,
		.instance_bar = NV_PCI_BAR_INSTANCE,
		.bars = {[NV_PCI_BAR_REGISTERS] = {NV_PCI_GH100_REGISTERS, NV_PCI_BAR_FLAGS},
			 [NV_PCI_BAR_VRAM] = {NV_PCI_GH100_VRAM, NV_PCI_BAR_FLAGS},
			 [NV_PCI_BAR_INSTANCE] = {NV_PCI_GH100_INSTANCE, NV_PCI_BAR_FLAGS}},
	},
	/* An A40. Its subsystem and the size that ECC leaves are assumptions. */
	{
		.name = "ga102",
		.vendor = &card_nvidia,
		.boot_0 = 0x172000a1,
		.boot_42 = (uint32_t)NV_CHIP_GA102 << 20 | 0xa1000,
		.device = NV_PCI_A40_DEVICE,
		.subsystem = 0x145a,
		.vram_mb = 46068,
		.max_vram_mb = 65536,
		.boot = BOOT_FWSEC,
		.image_signature = ".fwsignature_ga10x",
		.mmu = &mmu_ver2,
		.config_mirror = NV_GSP_CONFIG_MIRROR_TU102,
		.interrupt_leaves = NV_VF_INTR_LEAVES_TU102,
		.registers_bar = NV_PCI_BAR_REGISTERS,
		.vram_bar = NV_PCI_TU102_VRAM,
		.instance_bar = NV_PCI_TU102_INSTANCE,
		.bars = {[NV_PCI_BAR_REGISTERS] = {16 * MEGABYTE, 0},
			 [NV_PCI_TU102_VRAM] = {65536 * MEGABYTE, NV_PCI_BAR_FLAGS},
			 [NV_PCI_TU102_INSTANCE] = {32 * MEGABYTE, NV_PCI_BAR_FLAGS}},
	},
	{
		/* A Radeon RX 6800 or 6900: lspci of such a card shows these sizes unless its BAR 0
		 * was resized. The I/O ports of BAR 4 are left out. */
		.name = "navi21",
		.vendor = &card_amd,
		.vram_mb = 16384,
		.max_vram_mb = 16384,
		.device = NAVI_DEVICE,
		.subsystem = NAVI_SUBSYSTEM,
		.registers_bar = NAVI_BAR_REGISTERS,
		.vram_bar = NAVI_BAR_VRAM,
		.bars = {[NAVI_BAR_VRAM] = {256 * MEGABYTE, NV_PCI_BAR_FLAGS},
			 [NAVI_BAR_DOORBELLS] = {2 * MEGABYTE, NV_PCI_BAR_FLAGS},
			 [NAVI_BAR_REGISTERS] = {MEGABYTE, 0}},
	},
};

static const struct card_chip *find_chip(const char *name)
{
	for (size_t i = 0; i < sizeof(chips) / sizeof(*chips); i++)
		if (!strcmp(chips[i].name, name))
			return &chips[i];
	return NULL;
}

static bool create_vram(struct card *c)
{
	c->vram_fd = memfd_create("vram", MFD_CLOEXEC);
	if (c->vram_fd < 0 || ftruncate(c->vram_fd, (off_t)c->vram_bytes))
		return false;
	c->vram = mmap(NULL, c->vram_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		       c->vram_fd, 0);
	if (c->vram == MAP_FAILED)
		c->vram = NULL;
	return c->vram;
}

struct card *card_create(const struct card_options *o, char *why, size_t size)
{
	const struct card_chip *chip = find_chip(o->chip);
	struct card *c;

	if (!chip) {
		snprintf(why, size, "no chip '%s' is modelled as a card; known: gh100 ga102 navi21",
			 o->chip);
		return NULL;
	}
	struct fault_injection fault = {0};

	if (o->fault && !fault_set(&fault, o->fault)) {
		char known[256];

		fault_names(known, sizeof(known));
		snprintf(why, size, "no fault '%s'; known, with @N for the N-th message: %s",
			 o->fault, known);
		return NULL;
	}
	uint64_t vram = o->vram_bytes ? o->vram_bytes : chip->vram_mb * MEGABYTE;

	if (vram % MEGABYTE || vram / MEGABYTE > chip->max_vram_mb) {
		snprintf(why, size,
			 "%" PRIu64 " bytes of video memory: must be whole MiB, at most %u MiB",
			 vram, chip->max_vram_mb);
		return NULL;
	}
	if (o->runlist_mode && strcmp(o->runlist_mode, "sliced") &&
	    strcmp(o->runlist_mode, "held")) {
		snprintf(why, size, "no runlist mode '%s'; known: sliced held", o->runlist_mode);
		return NULL;
	}
	c = calloc(1, sizeof(*c));
	if (!c) {
		snprintf(why, size, "no memory for a card");
		return NULL;
	}
	c->chip = chip;
	c->log = o->log;
	c->fault = fault;
	c->trap = o->trap;
	c->stop_ms = o->stop_ms;
	latency_seed(c, o->seed);
	c->require_quiesced = o->require_quiesced;
	c->vram_bytes = vram;
	c->vram_fd = -1;
	memset(c->vectors, -1, sizeof(c->vectors));
	pthread_mutex_init(&c->lock, NULL);
	pthread_mutex_init(&c->interrupts.lock, NULL);
	pthread_rwlock_init(&c->dma_maps.lock, NULL);
	if (!create_vram(c)) {
		snprintf(why, size, "%" PRIu64 " MiB of video memory: %s", vram / MEGABYTE,
			 strerror(errno));
		card_destroy(c);
		return NULL;
	}
	if (!chip->vendor->create(c, o, why, size)) {
		card_destroy(c);
		return NULL;
	}
	card_reset(c);
	if (!storm_start(c)) {
		snprintf(why, size, "cannot create the thread of an interrupt storm");
		card_destroy(c);
		return NULL;
	}
	return c;
}

void card_destroy(struct card *c)
{
	if (!c)
		return;
	storm_end(c);
	fault_end(c);
	c->chip->vendor->destroy(c);
	for (uint32_t kind = 0; kind < CARD_INTERRUPTS; kind++)
		card_clear_irq_fds(c, kind);
	dma_free(c);
	pthread_mutex_destroy(&c->interrupts.lock);
	pthread_mutex_destroy(&c->lock);
	if (c->vram)
		munmap(c->vram, c->vram_bytes);
	if (c->vram_fd >= 0)
		close(c->vram_fd);
	free(c);
}

void card_reset(struct card *c)
{
	fault_end(c);
	pthread_mutex_lock(&c->lock);
	c->chip->vendor->reset(c);
	config_reset(c);
	pthread_mutex_unlock(&c->lock);
}

void card_check_quiesced(struct card *c)
{
	pthread_mutex_lock(&c->lock);
	bool runs = c->chip->vendor->active(c), master = config_bus_master(c),
	     interrupts = config_interrupts(c) || c->chip->vendor->interrupts_enabled(c);

	card_log(c, "disconnected with firmware %s, bus mastering %s, interrupts %s",
		 runs ? "running" : "stopped", master ? "on" : "off", interrupts ? "on" : "off");
	if (c->require_quiesced && (runs || master || interrupts))
		card_refuse(c, "the machine disconnects and leaves the card active");
	pthread_mutex_unlock(&c->lock);
}

/* Log. */

void card_log(struct card *c, const char *format, ...)
{
	va_list ap;

	flockfile(c->log); /* engine threads log, too */
	va_start(ap, format);
	vfprintf(c->log, format, ap);
	va_end(ap);
	fputc('\n', c->log);
	fflush(c->log);
	funlockfile(c->log);
}

void card_refuse(struct card *c, const char *format, ...)
{
	char sentence[400];
	va_list ap;

	bool excused = c->fault.happened;

	if (!excused && atomic_fetch_add(&c->refusals, 1) >= MAX_LOGGED_REFUSALS)
		return;
	va_start(ap, format);
	vsnprintf(sentence, sizeof(sentence), format, ap);
	va_end(ap);
	card_log(c, "%s: %s", excused ? "after a fault" : "refused", sentence);
}

uint64_t card_refusals(const struct card *c)
{
	return atomic_load(&c->refusals);
}

/* Regions. */

struct card_region card_region(const struct card *c, uint32_t region)
{
	struct card_region r = {.fd = -1};

	if (region <= CARD_BAR5)
		r.bytes = c->chip->bars[region].bytes;
	if (region == CARD_CONFIG)
		r.bytes = CONFIG_BYTES;
	if (region == CARD_ROM)
		r.bytes = c->chip->vendor->pci->rom_bytes;
	if (region == c->chip->vram_bar && !c->trap) {
		r.map_bytes = c->vram_bytes < r.bytes ? c->vram_bytes : r.bytes;
		r.fd = c->vram_fd;
	}
	return r;
}

static bool memory_enabled(struct card *c, uint32_t region, uint64_t offset)
{
	if (config_power_state(c)) {
		card_refuse(c, "BAR %u: access at 0x%" PRIx64 " while the card is in D%u", region,
			    offset, config_power_state(c));
		return false;
	}
	if (!config_memory_enabled(c))
		card_refuse(c,
			    "BAR %u: access at 0x%" PRIx64 " while memory is disabled in the "
			    "command register",
			    region, offset);
	return config_memory_enabled(c);
}

static void read_locked(struct card *c, uint32_t region, uint64_t offset, void *data,
			uint32_t bytes)
{
	if (region == CARD_CONFIG) {
		config_read(c, (uint32_t)offset, data, bytes);
		return;
	}
	memset(data, 0xff, bytes);
	if (region == c->chip->registers_bar)
		fault_access(c);
	if (!fault_gone(c) && (region == CARD_ROM || memory_enabled(c, region, offset)))
		c->chip->vendor->read(c, region, offset, data, bytes);
}

static void write_locked(struct card *c, uint32_t region, uint64_t offset, const void *data,
			 uint32_t bytes)
{
	if (region == CARD_CONFIG) {
		uint32_t power = config_power_state(c);

		config_write(c, (uint32_t)offset, data, bytes);
		if (config_power_state(c) != power)
			card_log(c, "power state D%u", config_power_state(c));
		if (config_power_state(c) && !power && c->chip->vendor->active(c))
			card_refuse(c,
				    "power state D%u while the firmware runs: it would lose its "
				    "memory",
				    config_power_state(c));
		if (config_wants_reset(c)) {
			card_log(c, "function-level reset");
			c->chip->vendor->reset(c);
			config_function_reset(c);
		}
		return;
	}
	if (region == c->chip->registers_bar)
		fault_access(c);
	if (!fault_gone(c) && memory_enabled(c, region, offset))
		c->chip->vendor->write(c, region, offset, data, bytes);
}

void card_read(struct card *c, uint32_t region, uint64_t offset, void *data, uint32_t bytes)
{
	pthread_mutex_lock(&c->lock);
	read_locked(c, region, offset, data, bytes);
	pthread_mutex_unlock(&c->lock);
}

void card_write(struct card *c, uint32_t region, uint64_t offset, const void *data, uint32_t bytes)
{
	pthread_mutex_lock(&c->lock);
	write_locked(c, region, offset, data, bytes);
	pthread_mutex_unlock(&c->lock);
}

/* Interrupts. */

uint32_t card_vectors(const struct card *c, uint32_t kind)
{
	const struct pci_function *pci = c->chip->vendor->pci;
	const uint32_t counts[CARD_INTERRUPTS] = {1, pci->msi_vectors, pci->msix_vectors, 1, 1};

	return kind < CARD_INTERRUPTS ? counts[kind] : 0;
}

int card_set_irq_fds(struct card *c, uint32_t kind, uint32_t first, uint32_t count, const int *fds)
{
	if (first > card_vectors(c, kind) || count > card_vectors(c, kind) - first)
		return -EINVAL;
	pthread_mutex_lock(&c->interrupts.lock);
	for (uint32_t i = 0; i < count; i++) {
		if (c->vectors[kind][first + i] >= 0)
			close(c->vectors[kind][first + i]);
		c->vectors[kind][first + i] = fds[i];
	}
	pthread_mutex_unlock(&c->interrupts.lock);
	return 0;
}

void card_clear_irq_fds(struct card *c, uint32_t kind)
{
	pthread_mutex_lock(&c->interrupts.lock);
	for (uint32_t i = 0; i < MAX_VECTORS; i++) {
		if (c->vectors[kind][i] >= 0)
			close(c->vectors[kind][i]);
		c->vectors[kind][i] = -1;
	}
	pthread_mutex_unlock(&c->interrupts.lock);
}
