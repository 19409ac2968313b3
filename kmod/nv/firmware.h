/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Firmware files: pure functions that trust nothing. They return 0, ENOENT or EINVAL. */
#ifndef SOV_NV_FIRMWARE_H
#define SOV_NV_FIRMWARE_H

#include <linux/types.h>

#include "hw/nv/gsp_570.h"

int nv_elf_section(const u8 *file, size_t bytes, const char *name, const u8 **data, size_t *size);
int nv_firmware_bootloader(const u8 *file, size_t bytes, const u8 **data, size_t *size,
		       const struct nv_riscv_description **description);

#endif
