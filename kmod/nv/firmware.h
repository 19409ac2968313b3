/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Parsers of firmware files: pure functions that do not trust the file's contents. */
#ifndef SOV_NV_FIRMWARE_H
#define SOV_NV_FIRMWARE_H

#include <linux/types.h>

#include "hw/nv/gsp_570.h"

int nv_firmware_section(const u8 *file, size_t bytes, const char *name, const u8 **data,
			size_t *size);
int nv_firmware_bootloader(const u8 *file, size_t bytes, const u8 **data, size_t *size,
			   const struct nv_riscv_description **description);

#endif
