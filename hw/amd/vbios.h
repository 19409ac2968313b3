/* SPDX-License-Identifier: MIT */
/* The VBIOS of an AMD card: a PCI expansion ROM with ATOM data tables. Source: Linux,
 * drivers/gpu/drm/amd/include/atomfirmware.h, amdgpu/atom.[ch], amdgpu_bios.c and
 * amdgpu_atomfirmware.c; PCI Firmware Specification for the ROM header. */
#ifndef HW_AMD_VBIOS_H
#define HW_AMD_VBIOS_H

#include <assert.h>
#include <stdint.h>

#define VBIOS_ROM_MAGIC       0xaa55u
#define VBIOS_SIZE_AT         0x02 /* in 512 bytes */
#define VBIOS_ENTRY_AT        0x03
#define VBIOS_PCI_DATA_AT     0x18 /* offset of struct vbios_pci_data */
#define VBIOS_STRING_COUNT_AT 0x2f
#define VBIOS_ATI_MAGIC_AT    0x30
#define VBIOS_ATI_MAGIC       " 761295520"
#define VBIOS_ROM_TABLE_AT    0x48 /* offset of struct vbios_rom_table */
#define VBIOS_DATE_AT         0x50
#define VBIOS_STRINGS_AT      0x6e /* offset of the first string */

struct vbios_pci_data {
	char signature[4]; /* "PCIR" */
	uint16_t vendor, device, reserved0, bytes;
	uint8_t revision, class[3];
	uint16_t image_units, image_revision; /* 512 bytes */
	uint8_t code_type, last;
	uint16_t reserved1;
};
struct vbios_header { /* of every table */
	uint16_t bytes;
	uint8_t format, content;
};
struct vbios_rom_table {
	struct vbios_header header;
	char signature[4]; /* "ATOM" */
	uint16_t segment, protected_mode, configuration_name, crc, message, int10, pci_init;
	uint16_t io_base, subsystem_vendor, subsystem, pci_info, commands, data, reserved;
	uint32_t psp_directory;
};
#define VBIOS_DATA_TABLES 35
enum vbios_data {
	VBIOS_DATA_FIRMWARE = 4,
	VBIOS_DATA_SMU = 8,
	VBIOS_DATA_INDIRECT_IO = 23,
	VBIOS_DATA_VRAM = 28,
};
struct vbios_data_table {
	struct vbios_header header;
	uint16_t tables[VBIOS_DATA_TABLES];
};
struct vbios_firmware { /* 3.4 */
	struct vbios_header header;
	uint32_t revision, sclk_10khz, mclk_10khz, capability, parser_entry;
	uint32_t scratch_register; /* word index of BIOS_SCRATCH_0 */
	uint32_t voltages[2];
	uint32_t module, mc_base[2], board, voltage_ddr, zfb_start, pptable, mvdd_ratio;
	uint32_t hw_voltages[2], maco_limit, usb_limit, reserved_kb;
	uint32_t psp_done_register, psp_done_value, psp_done_timeout, reserved[2];
};
struct vbios_vram { /* 2.5, with one module */
	struct vbios_header header;
	uint16_t offsets[8];
	uint8_t module_count, umc_min, umc_max, tiles;
	struct {
		uint32_t mib, channels_enabled;
		uint16_t voltage, bytes;
		uint8_t external_id, type, channels, channel_width, density, tuning;
		uint16_t reserved[4];
		uint8_t vendor, refresh, flags, reserved2;
		uint16_t mode_registers[7];
		char part[40];
	} module;
};
static_assert(sizeof(struct vbios_pci_data) == 24, "");
static_assert(sizeof(struct vbios_rom_table) == 40, "");
static_assert(sizeof(struct vbios_firmware) == 108, "");
static_assert(sizeof(struct vbios_vram) == 24 + 84, "");
#define VBIOS_VRAM_GDDR6 0x70

#endif
