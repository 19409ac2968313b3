/* SPDX-License-Identifier: MIT */
/* The ROM of a chip whose boot starts with FWSEC, as tests and the card build it. */
#ifndef MODEL_CARD_VBIOS_H
#define MODEL_CARD_VBIOS_H

#include <stdint.h>

#define VBIOS_BYTES 0x2a00

/* FWSEC needs this fuse version of its program's fuse, which selects one of the signatures. */
#define VBIOS_FWSEC_PROGRAM    9
#define VBIOS_FWSEC_FUSE       2
#define VBIOS_FWSEC_IMEM_BYTES 0x800
#define VBIOS_FWSEC_DMEM_BYTES 0x900
#define VBIOS_FWSEC_SIGNATURE  0x300 /* in DMEM */
#define VBIOS_FWSEC_MAPPER     0x100 /* in DMEM */
#define VBIOS_FWSEC_INPUT      0x200 /* in DMEM */

struct vbios {
	uint8_t rom[VBIOS_BYTES];
	uint32_t program;   /* offset of FWSEC's code, which its data follows */
	uint32_t signature; /* offset of the signature for the fuse's version */
};

void vbios_build(struct vbios *v, uint16_t pci_device);

#endif
