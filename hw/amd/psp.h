/* SPDX-License-Identifier: MIT */
/* The PSP (version 11.0.7), the processor of the card that checks and loads firmware: mailboxes,
 * the ring of commands, and the containers of firmware files. Source: Linux, psp_v11_0.c,
 * amdgpu_psp.[ch], psp_gfx_if.h, amdgpu_ucode.[ch]. */
#ifndef HW_AMD_PSP_H
#define HW_AMD_PSP_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* Mailboxes C2PMSG(n). The boot loader's: */
#define PSP_BOOT_COMMAND 35 /* written: a command; bit 31 as read: ready */
#define PSP_BOOT_ADDRESS 36 /* MiB */
#define PSP_SIGN_OF_LIFE 81 /* 0 until the secure OS runs */
/* The secure OS's: */
#define PSP_RING_CONTROL 64 /* kind << 16; bit 31 as read: done, bits 15:0: status */
#define PSP_RING_WPTR    67 /* words */
#define PSP_RING_LOW     69
#define PSP_RING_HIGH    70
#define PSP_RING_BYTES   71
#define PSP_READY        0x80000000u

#define PSP_BOOT_SYSTEM_DRIVER 0x10000u
#define PSP_BOOT_SECURE_OS     0x20000u
#define PSP_BOOT_KEYS          0x80000u
#define PSP_BOOT_SPL           0x10000000u

#define PSP_RING_KERNEL  0x20000u
#define PSP_RING_DESTROY 0x30000u

struct psp_frame {
	uint64_t command; /* address of struct psp_command */
	uint32_t command_bytes, fence_low, fence_high, fence;
	uint32_t rest[10];
};
struct psp_command {
	uint32_t bytes, version, id;
	uint32_t reserved0[4];
	uint32_t arguments[209];
	uint32_t status, session, firmware_low, firmware_high, tmr_bytes;
	uint32_t reserved1[35];
};
static_assert(sizeof(struct psp_frame) == 64, "frame");
static_assert(sizeof(struct psp_command) == 1024, "command");
static_assert(offsetof(struct psp_command, status) == 864, "response");

enum psp_command_id {
	PSP_LOAD_TA = 1,
	PSP_UNLOAD_TA = 2,
	PSP_INVOKE_TA = 3,
	PSP_LOAD_ASD = 4,
	PSP_SETUP_TMR = 5,
	PSP_LOAD_FIRMWARE = 6,
	PSP_DESTROY_TMR = 7,
	PSP_LOAD_TOC = 0x20,
	PSP_AUTOLOAD_RLC = 0x21,
};
#define PSP_STATUS_REFUSED 0xffff0006u /* TEE_ERROR_BAD_PARAMETERS */

/* Types of LOAD_FIRMWARE. */
enum psp_firmware_type {
	PSP_FW_ME = 1,
	PSP_FW_PFP = 2,
	PSP_FW_CE = 3,
	PSP_FW_MEC = 4,
	PSP_FW_RLC_V = 7,
	PSP_FW_RLC_G = 8,
	PSP_FW_SDMA0 = 9,
	PSP_FW_SMU = 18,
	PSP_FW_RLC_LIST_GPM = 20,
	PSP_FW_RLC_LIST_SRM = 21,
	PSP_FW_RLC_LIST_CNTL = 22,
	PSP_FW_RLC_P = 25,
	PSP_FW_RLC_IRAM = 26,
	PSP_FW_TAP_GLOBAL = 27,
	PSP_FW_TAP_SE0 = 28,
	PSP_FW_TAP_SE1 = 29,
	PSP_FW_RLC_DRAM = 48,
	PSP_FW_TAP_SE2 = 65,
	PSP_FW_TAP_SE3 = 66,
};

/* Offsets of words in a file's header. */
#define PSP_FILE_HEADER_BYTES 32
#define PSP_FILE_VERSION      16
#define PSP_FILE_UCODE_BYTES  20
#define PSP_FILE_UCODE_OFFSET 24
#define PSP_SOS_OFFSET        36 /* from the ucode; what lies before it is the system driver */
#define PSP_SOS_BYTES         40
#define PSP_TOC_OFFSET        48
#define PSP_TOC_BYTES         52
#define PSP_KEYS_OFFSET       60
#define PSP_KEYS_BYTES        64
#define PSP_SPL_OFFSET        72
#define PSP_SPL_BYTES         76
#define PSP_MEC_TABLE_WORDS   40 /* words of the jump table at the end of the ucode */
#define PSP_TA_COUNT          32
#define PSP_TA_ENTRIES        36 /* {type, version, offset from the ucode, bytes} */

#endif
