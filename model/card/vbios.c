// SPDX-License-Identifier: MIT
/* A synthetic VBIOS: as on a product, an EFI image lies between the first image and those of type
 * FWSEC, and the table and the program are in the second of these. Code, data and signatures are
 * random numbers: the modelled falcon compares them and executes nothing. */
#include <stddef.h>
#include <string.h>

#include "hw/nv/falcon.h"
#include "hw/nv/pci.h"
#include "hw/nv/vbios.h"
#include "model/card/vbios.h"
#include "model/core/random.h"

/* Offsets in an image. */
#define PCIR 0x40
#define NPDE 0x60
#define BIT  0x80
#define INFO 0x120 /* data of token 'i': version of the BIOS */
#define DATA 0x140 /* data of token 'p' */

/* The images, and parts of the last one. */
#define PC_BYTES     0x800
#define EFI          PC_BYTES
#define EFI_BYTES    0x600
#define FWSEC1       (EFI + EFI_BYTES)
#define FWSEC1_BYTES 0x400
#define FWSEC2       (FWSEC1 + FWSEC1_BYTES)
#define FWSEC2_BYTES (VBIOS_BYTES - FWSEC2)
#define TABLE        (FWSEC2 + 0x104)
#define DESCRIPTOR   (FWSEC2 + 0x20c)
#define SIGNATURES   3    /* of versions 1 to 3 */
#define INTERFACES   0x80 /* in DMEM */

static void put_image(struct vbios *v, uint32_t at, uint32_t bytes, uint8_t type, uint16_t device)
{
	const struct nv_rom_pcir pcir = {
		.signature = {'P', 'C', 'I', 'R'},
		.vendor = NV_PCI_VENDOR,
		.device = device,
		.bytes = sizeof(pcir),
		.revision = 3,
		.class = {0, 0, 3},
		/* PCIR's size is that of the image without what NPDE adds. */
		.units = 1,
		.type = type,
		.last = NV_ROM_LAST,
	};
	const struct nv_rom_npde npde = {
		.signature = {'N', 'P', 'D', 'E'},
		.revision = 0x0101,
		.bytes = sizeof(npde),
		.units = (uint16_t)(bytes / NV_ROM_UNIT),
		.last = at + bytes == VBIOS_BYTES ? NV_ROM_LAST : 0,
	};
	const uint16_t signature = NV_ROM_SIGNATURE, pointer = PCIR;

	memcpy(v->rom + at, &signature, sizeof(signature));
	v->rom[at + 2] = (uint8_t)(bytes / NV_ROM_UNIT);
	memcpy(v->rom + at + NV_ROM_PCIR_POINTER, &pointer, sizeof(pointer));
	memcpy(v->rom + at + PCIR, &pcir, sizeof(pcir));
	memcpy(v->rom + at + NPDE, &npde, sizeof(npde));
}

/* Pointers skip the EFI image. */
static uint32_t pointer_to(uint32_t offset)
{
	return offset - FWSEC1 + PC_BYTES;
}

static void put_bit(struct vbios *v)
{
	const struct nv_bit_token tokens[] = {
		{'i', 2, 16, INFO},
		{NV_BIT_TOKEN_FALCON, 2, 4, DATA},
	};
	const struct nv_bit_header header = {
		.id = NV_BIT_ID,
		.signature = {'B', 'I', 'T'},
		.version = 0x0100,
		.header_bytes = sizeof(header),
		.token_bytes = sizeof(*tokens),
		.tokens = sizeof(tokens) / sizeof(*tokens),
	};
	const uint32_t table = pointer_to(TABLE);
	uint8_t sum = 0;

	memcpy(v->rom + BIT, &header, sizeof(header));
	memcpy(v->rom + BIT + sizeof(header), tokens, sizeof(tokens));
	memcpy(v->rom + INFO, &(uint32_t){0x94020000}, 4);
	memcpy(v->rom + DATA, &table, sizeof(table));
	for (uint32_t i = 0; i < PC_BYTES; i++) /* the bytes of this image add up to 0 */
		sum += v->rom[i];
	v->rom[PC_BYTES - 1] = (uint8_t)-sum;
}

static void put_table(struct vbios *v)
{
	/* A program for debugging comes first. */
	static const uint8_t applications[] = {0x45, NV_FALCON_APPLICATION_FWSEC};
	const struct nv_falcon_table table = {NV_FALCON_TABLE_VERSION, 6, NV_FALCON_ENTRY_BYTES,
					      sizeof(applications)};

	memcpy(v->rom + TABLE, &table, sizeof(table));
	for (uint32_t i = 0; i < sizeof(applications); i++) {
		uint8_t *entry = v->rom + TABLE + table.header_bytes + i * table.entry_bytes;
		uint32_t to = i ? pointer_to(DESCRIPTOR) : pointer_to(VBIOS_BYTES - 64);

		entry[0] = applications[i];
		entry[1] = 7;
		memcpy(entry + NV_FALCON_ENTRY_POINTER, &to, sizeof(to));
	}
}

static void put_program(struct vbios *v)
{
	const uint32_t head =
		sizeof(struct nv_falcon_descriptor) + SIGNATURES * NV_FALCON_SIGNATURE_BYTES;
	const struct nv_falcon_descriptor d = {
		.header = NV_FALCON_DESCRIPTOR_VALID | 3 << 8 | head << 16,
		.stored_bytes = VBIOS_FWSEC_IMEM_BYTES + VBIOS_FWSEC_DMEM_BYTES,
		.signature = VBIOS_FWSEC_SIGNATURE,
		.interfaces = INTERFACES,
		.imem_bytes = VBIOS_FWSEC_IMEM_BYTES,
		.dmem_bytes = VBIOS_FWSEC_DMEM_BYTES,
		.engines = NV_FALCON_ENGINE_GSP,
		.program = VBIOS_FWSEC_PROGRAM,
		.signatures = SIGNATURES,
		.versions = 0xe,
	};
	const struct nv_falcon_interfaces interfaces = {1, sizeof(interfaces),
							sizeof(struct nv_falcon_interface), 2};
	const struct nv_falcon_interface list[] = {
		{1, VBIOS_FWSEC_DMEM_BYTES},
		{NV_FALCON_INTERFACE_DMEM_MAPPER, VBIOS_FWSEC_MAPPER},
	};
	const struct nv_fwsec_mapper mapper = {
		.signature = 0x50414d44, /* "DMAP" */
		.version = 3,
		.bytes = sizeof(mapper),
		.input = VBIOS_FWSEC_INPUT,
		.input_bytes = 0x80,
	};
	uint64_t random = 0x5eed;
	uint8_t *dmem = v->rom + DESCRIPTOR + head + VBIOS_FWSEC_IMEM_BYTES;

	v->program = DESCRIPTOR + head;
	v->signature = DESCRIPTOR + sizeof(d) + (VBIOS_FWSEC_FUSE - 1) * NV_FALCON_SIGNATURE_BYTES;
	for (uint8_t *p = v->rom + DESCRIPTOR + sizeof(d); p < dmem + VBIOS_FWSEC_DMEM_BYTES; p++)
		*p = (uint8_t)random_next(&random);
	memset(dmem, 0, VBIOS_FWSEC_SIGNATURE + NV_FALCON_SIGNATURE_BYTES);
	memcpy(v->rom + DESCRIPTOR, &d, sizeof(d));
	memcpy(dmem + INTERFACES, &interfaces, sizeof(interfaces));
	memcpy(dmem + INTERFACES + sizeof(interfaces), list, sizeof(list));
	memcpy(dmem + VBIOS_FWSEC_MAPPER, &mapper, sizeof(mapper));
}

void vbios_build(struct vbios *v, uint16_t pci_device)
{
	*v = (struct vbios){.program = 0};
	put_image(v, 0, PC_BYTES, NV_ROM_TYPE_PC, pci_device);
	put_image(v, EFI, EFI_BYTES, NV_ROM_TYPE_EFI, pci_device);
	put_image(v, FWSEC1, FWSEC1_BYTES, NV_ROM_TYPE_FWSEC, pci_device);
	put_image(v, FWSEC2, FWSEC2_BYTES, NV_ROM_TYPE_FWSEC, pci_device);
	put_bit(v);
	put_table(v);
	put_program(v);
}
