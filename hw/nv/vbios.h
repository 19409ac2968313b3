/* SPDX-License-Identifier: MIT */
/*
 * The VBIOS of Turing to Ada: PCI expansion ROM images, the BIT table, and the table of falcon
 * programs, in which FWSEC is. FWSEC is the signed program that sets up write-protected region 2
 * (WPR2) and copies data of the VBIOS into its end (FRTS).
 *
 * A pointer below the size of the first image is an offset in that image; a larger one continues
 * at the first image of type FWSEC, although others may lie between them.
 *
 * Sources: PCI Firmware Specification 3.0 (ROM header, PCIR); Linux 7.2
 * Documentation/gpu/nova/core/{vbios,fwsec}.rst,
 * drivers/gpu/nova-core/{vbios,firmware,firmware/fwsec}.rs, and
 * drivers/gpu/drm/nouveau/nvkm/subdev/{bios/{image,npde,pcir,bit,pmu}.c,gsp/fwsec.c}.
 */
#ifndef HW_NV_VBIOS_H
#define HW_NV_VBIOS_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/types.h>
#else
#include <assert.h>
#include <stdint.h>
#endif

/* Where registers show the ROM, and the most that drivers read of it. nova-core vbios.rs. */
#define NV_PROM       0x300000
#define NV_PROM_BYTES 0x100000

#define NV_ROM_UNIT         512 /* images are multiples of it */
#define NV_ROM_SIGNATURE    0xaa55
#define NV_ROM_PCIR_POINTER 0x18 /* 16 bits: offset of struct nv_rom_pcir in the image */
#define NV_ROM_LAST         0x80
#define NV_ROM_TYPE_PC      0x00
#define NV_ROM_TYPE_EFI     0x03
#define NV_ROM_TYPE_FWSEC   0xe0

struct nv_rom_pcir {
	char signature[4]; /* "PCIR" */
	uint16_t vendor, device, device_list, bytes;
	uint8_t revision, class[3];
	uint16_t units, rom_revision;
	uint8_t type, last;
	uint16_t runtime_units;
};
static_assert(sizeof(struct nv_rom_pcir) == 24, "PCI data structure");

/* NVIDIA's extension, which follows PCIR at a multiple of 16 bytes and overrides its size. */
#define NV_ROM_NPDE_ALIGN 16
struct nv_rom_npde {
	char signature[4]; /* "NPDE" */
	uint16_t revision, bytes, units;
	uint8_t last, pad;
};
static_assert(sizeof(struct nv_rom_npde) == 12, "NVIDIA PCI data extension");

/* BIT: BIOS information table in the first image. */
#define NV_BIT_ID           0xb8ff
#define NV_BIT_TOKEN_FALCON 0x70 /* data: 32-bit pointer to struct nv_falcon_table */
struct nv_bit_header {
	uint16_t id;
	char signature[4]; /* "BIT" and a zero */
	uint16_t version;
	uint8_t header_bytes, token_bytes, tokens, checksum;
};
static_assert(sizeof(struct nv_bit_header) == 12, "BIT header");
struct nv_bit_token {
	uint8_t id, version;
	uint16_t bytes, offset;
};
static_assert(sizeof(struct nv_bit_token) == 6, "BIT token");

/* Table of falcon programs. An entry has an 8-bit application, an 8-bit target and a 32-bit
 * pointer. */
struct nv_falcon_table {
	uint8_t version, header_bytes, entry_bytes, entries;
};
#define NV_FALCON_TABLE_VERSION     1
#define NV_FALCON_ENTRY_BYTES       6
#define NV_FALCON_ENTRY_POINTER     2    /* offset of the pointer in an entry */
#define NV_FALCON_APPLICATION_FWSEC 0x85 /* for products, not for debugging */

/* Descriptor of a falcon program, version 3 (GA102 and later). Signatures follow it, then, after as
 * many bytes as the header says, IMEM and DMEM. */
#define NV_FALCON_DESCRIPTOR_VALID      1u
#define NV_FALCON_DESCRIPTOR_VERSION(h) ((h) >> 8 & 0xff)
#define NV_FALCON_DESCRIPTOR_BYTES(h)   ((h) >> 16)
#define NV_FALCON_SIGNATURE_BYTES       384 /* RSA with 3072 bits */
struct nv_falcon_descriptor {
	uint32_t header, stored_bytes;
	uint32_t signature;  /* in DMEM: where the boot ROM expects the signature */
	uint32_t interfaces; /* in DMEM: struct nv_falcon_interfaces */
	uint32_t imem_base, imem_bytes, imem_virtual;
	uint32_t dmem_base, dmem_bytes;
	uint16_t engines;
	uint8_t program, signatures;
	uint16_t versions; /* a bit for each fuse version that has a signature, in that order */
	uint16_t reserved;
};
static_assert(sizeof(struct nv_falcon_descriptor) == 44, "FALCON_UCODE_DESC_V3");

/* Interfaces of a program to the driver, each a 32-bit id and a 32-bit offset in DMEM. */
struct nv_falcon_interfaces {
	uint8_t version, header_bytes, entry_bytes, entries;
};
#define NV_FALCON_INTERFACE_DMEM_MAPPER 4
struct nv_falcon_interface {
	uint32_t id, dmem;
};
struct nv_fwsec_mapper {
	uint32_t signature;
	uint16_t version, bytes;
	uint32_t input, input_bytes, output, output_bytes, image, image_bytes;
	uint32_t print, build_time, program_signature;
	uint32_t command;
	uint32_t features, command_mask[2], targets;
};
static_assert(sizeof(struct nv_fwsec_mapper) == 64, "FALCON_APPLICATION_INTERFACE_DMEM_MAPPER_V3");
#define NV_FWSEC_FRTS 0x15 /* set up WPR2 and FRTS */
#define NV_FWSEC_SB   0x19 /* start the programs that run without a driver */

/* Input of both commands: how to read the VBIOS; FRTS has its region after that. */
struct nv_fwsec_read {
	uint32_t version, bytes;
	uint64_t address;
	uint32_t size, flags;
};
static_assert(sizeof(struct nv_fwsec_read) == 24, "FWSECLIC_READ_VBIOS_DESC");
#define NV_FWSEC_READ_PROM 2
struct nv_fwsec_region {
	uint32_t version, bytes;
	uint32_t page, pages; /* of 4 KiB, in video memory */
	uint32_t type;
};
static_assert(sizeof(struct nv_fwsec_region) == 20, "FWSECLIC_FRTS_REGION_DESC");
#define NV_FWSEC_REGION_FB  2
#define NV_FWSEC_PAGE_SHIFT 12

/*
 * Booter files: firmware header (gsp_570.h), then this header of offsets in the file. The offsets
 * patch, first and count lead to one word each. Source: nova-core firmware/booter.rs; nouveau
 * include/nvfw/hs.h.
 */
struct nv_booter_header {
	uint32_t signatures, signatures_bytes;
	uint32_t patch; /* word: where in the image the signature goes */
	uint32_t first; /* word: offset of the first signature from signatures */
	uint32_t meta, meta_bytes;
	uint32_t count; /* word: number of signatures */
	uint32_t load, load_bytes;
};
static_assert(sizeof(struct nv_booter_header) == 36, "nvfw_hs_header_v2");
/* Both mailboxes, to unload; to load they have the address of struct nv_gsp_wpr_meta. */
#define NV_BOOTER_UNLOAD 0xff
struct nv_booter_meta {
	uint32_t fuse_version, engines, program;
};
struct nv_booter_load {
	uint32_t code, code_bytes, data, data_bytes;
	uint32_t applications;
	struct {
		uint32_t offset, bytes;
	} first;
};
static_assert(sizeof(struct nv_booter_load) == 28, "nvfw_hs_load_header_v2");

#endif
