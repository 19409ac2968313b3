// SPDX-License-Identifier: MIT
/* The card's VBIOS (hw/amd/vbios.h): an option ROM whose code returns at once, with the ATOM tables
 * that amdgpu reads: firmware information, the kind of video memory, and an empty table of indirect
 * accesses. There are no command tables: firmware has initialised the card. */
#include <string.h>

#include "hw/amd/vbios.h"
#include "model/card/amd/navi.h"

enum { /* offsets in the image */
       PCI_DATA_AT = 0x90,
       STRINGS_AT = 0xb0,
       ROM_TABLE_AT = 0x100,
       COMMANDS_AT = 0x140,
       DATA_AT = 0x160,
       INDIRECT_IO_AT = 0x1c0,
       FIRMWARE_AT = 0x200,
       VRAM_AT = 0x280,
};

static const char name[] = "SOVGPU-NAVI21";
static const char version[] = "ATOMBIOSBK-AMD VER020.001.000.000";
static const char date[] = "11/19/26 00:00";

static void put16(uint8_t *rom, uint32_t at, uint32_t value)
{
	rom[at] = (uint8_t)value;
	rom[at + 1] = (uint8_t)(value >> 8);
}

static void write_tables(struct card *c, uint8_t *rom)
{
	struct vbios_rom_table table = {.header = {sizeof(table), 2, 2},
					.signature = {'A', 'T', 'O', 'M'},
					.subsystem_vendor = 0x1002,
					.subsystem = NAVI_SUBSYSTEM,
					.commands = COMMANDS_AT,
					.data = DATA_AT};
	struct vbios_header commands = {sizeof(commands) + 8, 2, 1};
	struct vbios_data_table data = {.header = {sizeof(data), 2, 1}};
	struct vbios_firmware firmware = {.header = {sizeof(firmware), 3, 4},
					  .revision = 0x01000000,
					  .sclk_10khz = 50000,
					  .mclk_10khz = 9600,
					  .scratch_register = NAVI_BIOS_SCRATCH_0};
	struct vbios_vram vram = {.header = {sizeof(vram), 2, 5},
				  .module_count = 1,
				  .module = {.mib = (uint32_t)(c->vram_bytes >> 20),
					     .bytes = sizeof(vram.module),
					     .type = VBIOS_VRAM_GDDR6,
					     .channels = 16,
					     .channel_width = 4, /* 16 bits */
					     .vendor = 1}};

	data.tables[VBIOS_DATA_FIRMWARE] = FIRMWARE_AT;
	data.tables[VBIOS_DATA_INDIRECT_IO] = INDIRECT_IO_AT;
	data.tables[VBIOS_DATA_VRAM] = VRAM_AT;
	memcpy(rom + ROM_TABLE_AT, &table, sizeof(table));
	memcpy(rom + COMMANDS_AT, &commands, sizeof(commands));
	memcpy(rom + DATA_AT, &data, sizeof(data));
	memcpy(rom + FIRMWARE_AT, &firmware, sizeof(firmware));
	memcpy(rom + VRAM_AT, &vram, sizeof(vram));
	put16(rom, INDIRECT_IO_AT, 4);
}

void navi_vbios_build(struct card *c, uint8_t *rom)
{
	struct vbios_pci_data pci = {.signature = {'P', 'C', 'I', 'R'},
				     .vendor = 0x1002,
				     .device = NAVI_DEVICE,
				     .bytes = sizeof(pci),
				     .class = {0, 0, 3},
				     .image_units = NAVI_ROM_BYTES / 512,
				     .last = 0x80};
	uint8_t sum = 0;

	memset(rom, 0, NAVI_ROM_BYTES);
	put16(rom, 0, VBIOS_ROM_MAGIC);
	rom[VBIOS_SIZE_AT] = NAVI_ROM_BYTES / 512;
	rom[VBIOS_ENTRY_AT] = 0xcb; /* x86: a far return */
	put16(rom, VBIOS_PCI_DATA_AT, PCI_DATA_AT);
	memcpy(rom + PCI_DATA_AT, &pci, sizeof(pci));
	rom[VBIOS_STRING_COUNT_AT] = 1;
	memcpy(rom + VBIOS_ATI_MAGIC_AT, VBIOS_ATI_MAGIC, sizeof(VBIOS_ATI_MAGIC));
	put16(rom, VBIOS_ROM_TABLE_AT, ROM_TABLE_AT);
	memcpy(rom + VBIOS_DATE_AT, date, sizeof(date));
	put16(rom, VBIOS_STRINGS_AT, STRINGS_AT);
	memcpy(rom + STRINGS_AT, name, sizeof(name));
	memcpy(rom + STRINGS_AT + sizeof(name), version, sizeof(version));
	write_tables(c, rom);
	for (uint32_t i = 0; i < NAVI_ROM_BYTES; i++)
		sum = (uint8_t)(sum + rom[i]);
	rom[NAVI_ROM_BYTES - 1] = (uint8_t)-sum;
}
