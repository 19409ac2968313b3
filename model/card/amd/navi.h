/* SPDX-License-Identifier: MIT */
/* Internal interfaces of the modelled Navi 21 card: its state and the entry points of each unit. */
#ifndef MODEL_CARD_AMD_NAVI_H
#define MODEL_CARD_AMD_NAVI_H

#include "hw/amd/mmio.h"
#include "hw/amd/pci.h"
#include "model/card/card_internal.h"

#define NAVI_REGISTERS 0x40000 /* words of BAR 5 */
#define NAVI_ROM_BYTES 4096

enum navi_hub_id { NAVI_GC, NAVI_MM, NAVI_HUBS };

struct navi_hub {
	bool locked[NAVI_HUB_ENGINES];        /* semaphores */
	uint32_t ack_reads[NAVI_HUB_ENGINES]; /* reads of ACK until the invalidation ends */
	uint32_t requested[NAVI_HUB_ENGINES]; /* VMIDs */
	uint64_t invalidations;
};

#define NAVI_FILES      9
#define NAVI_SMN_STORED 4
struct navi_blobs { /* the files that the driver must load */
	bool known;
	struct firmware_file files[NAVI_FILES];
};

enum navi_psp_stage {
	NAVI_PSP_EMPTY,
	NAVI_PSP_KEYS,
	NAVI_PSP_SPL,
	NAVI_PSP_DRIVER,
	NAVI_PSP_OS,
};

struct navi_psp {
	enum navi_psp_stage stage;
	uint32_t boot_reads, ring_reads, autoload_reads; /* until an operation ends */
	uint64_t ring;
	uint32_t ring_bytes, rptr; /* 0: no ring; words */
	uint32_t toc_bytes;        /* what the TOC asks for; 0: not loaded */
	uint64_t tmr;
	uint32_t tmr_bytes, tmr_used; /* 0: no TMR */
	uint32_t loaded;              /* by part of blobs.c */
	uint32_t sessions;            /* trusted applications */
	bool autoloaded;
};

struct navi {
	uint32_t registers[NAVI_REGISTERS]; /* those without side effects */
	uint8_t rom[NAVI_ROM_BYTES];
	struct navi_hub hubs[NAVI_HUBS];
	struct navi_blobs blobs;
	struct navi_psp psp;
	uint32_t smu_reads; /* until the response to a message */
	uint32_t smn[NAVI_SMN_STORED];
};

/* pci.c */
extern const struct pci_function pci_navi21;

/* registers.c: BAR 5. */
void navi_registers_reset(struct card *c);
uint32_t navi_register_read(struct card *c, uint32_t index);
void navi_register_write(struct card *c, uint32_t index, uint32_t value);

/* discovery.c: writes the table to the end of video memory, as the firmware does. */
void navi_discovery_write(struct card *c);
/* vbios.c */
void navi_vbios_build(struct card *c, uint8_t *rom);

/* hub.c: the memory hubs, GC's and MM's. */
void navi_hub_reset(struct card *c);
uint32_t navi_hub_read(struct card *c, uint32_t index);
void navi_hub_write(struct card *c, uint32_t index, uint32_t value);
/* Translates an address of VMID 0 to the host's; valid to the end of its 4 KiB page. Returns NULL
 * after a refusal that names `what`. */
uint8_t *navi_memory(struct card *c, enum navi_hub_id hub, uint64_t address, bool write,
		     const char *what);
/* psp.c */
void navi_psp_reset(struct card *c);
uint32_t navi_psp_read(struct card *c, uint32_t index);
void navi_psp_write(struct card *c, uint32_t index, uint32_t value);
uint32_t navi_rlc_boot_status(struct card *c, uint32_t index);

/* smu.c */
void navi_smu_reset(struct card *c);
uint32_t navi_smu_read(struct card *c, uint32_t index);
void navi_smu_write(struct card *c, uint32_t index, uint32_t value);
uint32_t navi_smu_flags(const struct card *c); /* SMU_FIRMWARE_FLAGS */

/* smn.c: registers beyond BAR 5. */
void navi_smn_reset(struct card *c);
uint32_t navi_smn_read(struct card *c, uint32_t index);
void navi_smn_write(struct card *c, uint32_t index, uint32_t value);

/* blobs.c: without a folder, any firmware is accepted. */
bool navi_blobs_load(struct navi_blobs *b, const char *folder, char *why, size_t size);
void navi_blobs_free(struct navi_blobs *b);
enum navi_blob_kind { NAVI_BOOT, NAVI_TOC, NAVI_FIRMWARE, NAVI_APPLICATION };
/* Returns NULL, or what is wrong with a blob, its name, and its number if it is no application. */
const char *navi_blob_check(const struct navi_blobs *b, enum navi_blob_kind kind, uint32_t id,
			    const uint8_t *data, uint32_t bytes, const char **name,
			    uint32_t *index);
/* The version in the SMU's file, or that of Debian 13 if there is no file. */
uint32_t navi_blobs_smu_version(const struct navi_blobs *b);
/* Whether firmware of a type is among those that are loaded. */
bool navi_blob_loaded(uint32_t loaded, uint32_t type);
/* The name of a part that the RLC's autoload needs and that is not loaded; NULL: none. */
const char *navi_blob_missing(uint32_t loaded);

/* The first address of video memory. */
#define NAVI_FB_BASE 0x8000000000ull

#endif
