/* SPDX-License-Identifier: MIT */
/* The SMU's mailboxes and messages (see model/card/amd/smu.c for the sources). */
#ifndef HW_AMD_SMU_H
#define HW_AMD_SMU_H

/* Words of BAR 5 */
#define SMU_MESSAGE  0x16282
#define SMU_ARGUMENT 0x16292 /* also holds what a message returns */
#define SMU_RESPONSE 0x1629a /* 0: busy */

#define SMU_OK              1u
#define SMU_UNKNOWN_MESSAGE 0xfeu

#define SMU_TEST                 1u
#define SMU_GET_VERSION          2u
#define SMU_GET_DRIVER_INTERFACE 3u
#define SMU_DRIVER_INTERFACE     0x40u
#define SMU_VERSION              0x003a5a00u /* 58.90.0, of Debian 13's firmware */

/* Beyond BAR 5, as a byte address */
#define SMU_FIRMWARE_FLAGS      0x03b10024u
#define SMU_FLAGS_INTERRUPTS_ON 1u

#endif
