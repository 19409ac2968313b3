/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Parser of the VBIOS: a pure function that does not trust the ROM's contents. */
#ifndef SOV_NV_VBIOS_H
#define SOV_NV_VBIOS_H

#include <linux/types.h>

#include "kmod/nv/falcon_image.h"

/**
 * struct nv_fwsec - the program FWSEC of a VBIOS
 */
struct nv_fwsec {
	/** @image: The program. */
	struct nv_falcon_image image;

	/** @command: Offset in the image of the word with the command. */
	u32 command;

	/** @input: Offset in the image of the command's input. */
	u32 input;
};

const char *nv_vbios_find_fwsec(const u8 *rom, u32 bytes, struct nv_fwsec *fwsec);
void nv_fwsec_set_frts(const struct nv_fwsec *fwsec, u8 *copy, u64 address, u32 bytes);
void nv_fwsec_set_sb(const struct nv_fwsec *fwsec, u8 *copy);

#endif
