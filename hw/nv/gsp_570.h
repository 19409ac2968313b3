/* SPDX-License-Identifier: MIT */
/*
 * Memory layout of the interface between the host and GSP firmware 570.144: the message to the FSP
 * that starts the boot, the description of the images, the message queues, and the RPCs that the
 * driver uses. Other firmware versions have other structures.
 *
 * Sources: open-gpu-kernel-modules 570.144,
 * src/nvidia/arch/nvalloc/common/inc/gsp/gsp_fw_wpr_meta.h,
 * inc/kernel/gpu/gsp/{message_queue,gsp_fw_heap}.h,
 * src/common/uproc/os/common/include/libos_init_args.h, and their excerpts in Linux 7.2
 * drivers/gpu/drm/nouveau/nvkm/subdev/gsp/rm/r570/nvrm. Sizes and offsets were checked with a
 * compiler against those headers.
 */
#ifndef HW_NV_GSP_570_H
#define HW_NV_GSP_570_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/types.h>
#else
#include <assert.h>
#include <stdint.h>
#endif

#define NV_GSP_VERSION "570.144"
#define NV_GSP_PAGE    4096

/* FSP messages: MCTP with a vendor-defined payload. nouveau nvkm/subdev/fsp/gh100.c, DMTF
 * DSP0236. */
#define NV_MCTP_SINGLE      0xc0000000 /* first and last packet */
#define NV_NVDM_HEADER(t)   (0x7e | 0x10de << 8 | (uint32_t)(t) << 24)
#define NV_NVDM_COT         0x14 /* chain of trust: request to boot the FMC */
#define NV_NVDM_REPLY       0x15
#define NV_COT_VERSION      1 /* on GH100 */
#define NV_FRTS_BYTES       0x100000
#define NV_FRTS_ALIGN       0x200000

struct nv_fsp_cot {
	uint32_t mctp, nvdm;
	uint16_t version, bytes; /* bytes excludes mctp and nvdm */
	uint64_t fmc;            /* address of the image */
	uint64_t frts_sysmem;
	uint32_t frts_sysmem_bytes;
	uint64_t frts_vidmem; /* offset from the end of video memory */
	uint32_t frts_vidmem_bytes;
	uint8_t hash[48], public_key[384], signature[384];
	uint64_t boot_args; /* address of struct nv_gsp_fmc_boot */
} __attribute__((packed));
static_assert(sizeof(struct nv_fsp_cot) == 8 + 860, "COT message");

struct nv_fsp_reply {
	uint32_t mctp, nvdm, task, command, error;
};
static_assert(sizeof(struct nv_fsp_reply) == 20, "FSP reply");

/* GSP_FMC_BOOT_PARAMS: boot parameters of the FMC, the first firmware on the GSP. */
#define NV_GSP_TARGET_COHERENT    1
#define NV_GSP_TARGET_NONCOHERENT 2

struct nv_gsp_fmc_boot {
	uint32_t registry, pad0;
	uint32_t rm_target, rm_bytes; /* aperture and size of struct nv_gsp_wpr_meta */
	uint64_t rm;
	uint64_t carveout;
	uint32_t carveout_bytes;
	uint8_t is_rm_boot, pad1[3];
	uint32_t libos_target, pad2;
	uint64_t libos; /* address of struct nv_gsp_libos_region [] */
	uint32_t spdm_target, pad3;
	uint64_t spdm;
	uint32_t spdm_bytes, pad4;
};
static_assert(sizeof(struct nv_gsp_fmc_boot) == 0x50, "GSP_FMC_BOOT_PARAMS");

/* GspFwWprMeta: addresses of the images and sizes of the parts of the protected region. */
#define NV_GSP_WPR_MAGIC    0xdc3aae21371a60b3ull
#define NV_GSP_WPR_REVISION 1

struct nv_gsp_wpr_meta {
	uint64_t magic, revision;
	uint64_t radix3, radix3_bytes; /* root of the image's page table; bytes of the image */
	uint64_t bootloader, bootloader_bytes;
	uint64_t bootloader_code, bootloader_data, bootloader_manifest;
	uint64_t signature, signature_bytes;
	uint64_t reserved_start;
	uint64_t heap_outside, heap_outside_bytes; /* not protected */
	uint64_t wpr_start;
	uint64_t heap, heap_bytes;
	uint64_t image, boot_image;
	uint64_t frts, frts_bytes;
	uint64_t wpr_end;
	uint64_t fb_bytes;
	uint64_t vga, vga_bytes;
	uint64_t boot_count;
	uint64_t partition[4];
	uint8_t vf_partitions, flags, pad[2];
	uint32_t pmu_bytes;
	uint64_t verified;
};
static_assert(sizeof(struct nv_gsp_wpr_meta) == 256, "GspFwWprMeta");

#define NV_GSP_VGA_BYTES          (128u << 10)
#define NV_GSP_HEAP_OUTSIDE_BYTES 0x200000u
/* gsp_fw_heap.h: 22 MiB for the operating system, 14 MiB for RM on GH100, 96 KiB for each GiB of
 * video memory, 48 KiB for each of 2048 clients; at least the minimum. */
#define NV_GSP_HEAP_FIXED         ((22ull + 14 + 96) << 20)
#define NV_GSP_HEAP_FIXED_GA102   ((22ull + 8 + 96) << 20) /* and Ada */
#define NV_GSP_HEAP_PER_GB        (96ull << 10)
#define NV_GSP_HEAP_MIN           (170ull << 20)
/* The driver of Turing to Ada places the regions itself: FRTS below the VGA workspace, then the
 * parts of struct nv_gsp_wpr_meta downwards, each aligned. nova-core fb.rs. */
#define NV_FRTS_ALIGN_TU102       0x20000u
#define NV_GSP_BOOT_ALIGN         0x1000u
#define NV_GSP_IMAGE_ALIGN        0x10000u
#define NV_GSP_WPR_ALIGN          0x100000u
#define NV_GSP_HEAP_OUTSIDE_BYTES_TU102 0x100000u

/* Named memory regions of the GSP's operating system. A name is a big-endian number whose bytes are
 * its letters. */
#define NV_GSP_REGION_CONTIGUOUS 1
#define NV_GSP_REGION_SYSMEM     1
#define NV_GSP_LOG_BYTES         0x10000u

struct nv_gsp_libos_region {
	uint64_t name, address, bytes;
	uint8_t kind, location, pad[6];
};
static_assert(sizeof(struct nv_gsp_libos_region) == 32, "LibosMemoryRegionInitArgument");

static inline uint64_t nv_gsp_name(const char *letters)
{
	uint64_t n = 0;

	while (*letters)
		n = n << 8 | (uint8_t)*letters++;
	return n;
}

/* GSP_ARGUMENTS_CACHED, the region named RMARGS. */
struct nv_gsp_arguments {
	uint64_t shared; /* address of the queues' memory, which begins with a table of its pages */
	uint32_t shared_pages, pad0;
	uint64_t command_offset, status_offset;
	uint32_t old_level, flags;
	uint8_t in_pm_transition, pad1[3];
	uint32_t instance;
	uint8_t dmem_stack, pad2[7];
	uint64_t profiler, profiler_bytes;
};
static_assert(sizeof(struct nv_gsp_arguments) == 0x48, "GSP_ARGUMENTS_CACHED");

/*
 * A queue is a page with two headers, followed by pages of elements. The second header (msgqRx)
 * holds the owner's read index of the other queue. An element occupies whole pages, at most 16.
 */
#define NV_GSP_QUEUE_BYTES    0x40000u
#define NV_GSP_QUEUE_ELEMENTS (NV_GSP_QUEUE_BYTES / NV_GSP_PAGE - 1)
#define NV_GSP_ELEMENT_PAGES  16u

struct nv_gsp_queue {
	uint32_t version, bytes, element_bytes, elements;
	uint32_t put, flags, get_offset, elements_offset;
	uint32_t get; /* read index of the other queue, written by this queue's owner */
};
#define NV_GSP_QUEUE_GET 32 /* offset of get */
static_assert(sizeof(struct nv_gsp_queue) == NV_GSP_QUEUE_GET + 4, "msgqTxHeader and msgqRxHeader");

struct nv_gsp_element {
	uint8_t tag[16], aad[16];
	uint32_t checksum; /* makes the XOR of the words up to the end of the RPC 0 */
	uint32_t sequence, pages, pad;
};
static_assert(sizeof(struct nv_gsp_element) == 48, "GSP_MSG_QUEUE_ELEMENT");

#define NV_GSP_RPC_VERSION   0x03000000u
#define NV_GSP_RPC_SIGNATURE 0x43505256u /* "VRPC" */
#define NV_GSP_RPC_PENDING   0xffffffffu

struct nv_gsp_rpc {
	uint32_t version, signature;
	uint32_t bytes; /* this header included */
	uint32_t function, result, result_private, sequence, spare;
};
static_assert(sizeof(struct nv_gsp_rpc) == 32, "rpc_message_header_v");

#define NV_GSP_HEADERS      (sizeof(struct nv_gsp_element) + sizeof(struct nv_gsp_rpc))
#define NV_GSP_MAX_PAYLOAD  (NV_GSP_ELEMENT_PAGES * NV_GSP_PAGE - NV_GSP_HEADERS)

enum nv_gsp_function { /* inc/kernel/vgpu/rpc_global_enums.h; payloads of RM_*: gsp_rm.h */
	NV_GSP_RM_FREE = 10,
	NV_GSP_UNLOADING_GUEST_DRIVER = 47,
	NV_GSP_GET_STATIC_INFO = 65,
	NV_GSP_UPDATE_BAR_PDE = 70,
	NV_GSP_SET_SYSTEM_INFO = 72,
	NV_GSP_SET_REGISTRY = 73,
	NV_GSP_RM_CONTROL = 76,
	NV_GSP_RM_ALLOC = 103,
	NV_GSP_EVENT_FIRST = 0x1000,
	NV_GSP_EVENT_INIT_DONE = 0x1001,
	NV_GSP_EVENT_RC_TRIGGERED = 0x1004,
	NV_GSP_EVENT_MMU_FAULT_QUEUED = 0x1005, /* no payload; RC_TRIGGERED follows */
	NV_GSP_EVENT_OS_ERROR_LOG = 0x1006,
};
#define NV_STATUS_INVALID_ARGUMENT 0x1f
#define NV_STATUS_NOT_SUPPORTED    0x56

struct nv_gsp_unloading {
	uint8_t in_pm_transition, gc6_entering, pad[2];
	uint32_t new_level;
};
static_assert(sizeof(struct nv_gsp_unloading) == 8, "rpc_unloading_guest_driver_v1F_07");

struct nv_gsp_system_info {
	uint64_t bar0, bar1, bar2, io;
	uint64_t bus_device_function, sim, notify, atomics, console_bytes, max_user_va;
	uint32_t config_mirror, config_mirror_bytes;
	uint32_t pci_device, pci_subsystem, pci_revision, atomics_completer;
	uint8_t oor_arch, pad0[7];
	uint64_t chipset_properties;
	uint32_t chipset;
	uint8_t behind_bridge, flr, bar0_64, mnoc;
	uint8_t rest[0x398 - 0x80];
	uint64_t host_page_bytes;
};
static_assert(sizeof(struct nv_gsp_system_info) == 0x3a0, "GspSystemInfo");

#define NV_GSP_CONFIG_MIRROR_TU102 0x88000u /* Turing to Ada */
#define NV_GSP_CONFIG_MIRROR_GH100 0x92000u
#define NV_GSP_CONFIG_MIRROR_BYTES 0x1000u

struct nv_gsp_registry_entry {
	uint32_t name_offset;
	uint8_t type, pad[3];
	uint32_t data, bytes;
};
struct nv_gsp_registry {
	uint32_t bytes, count;
};
#define NV_GSP_REGISTRY_DWORD 1
static_assert(sizeof(struct nv_gsp_registry_entry) == 16, "PACKED_REGISTRY_ENTRY");

struct nv_gsp_fb_region {
	uint64_t base, limit, reserved;
	uint32_t performance;
	uint8_t compressed, iso, is_protected, blacklist[17];
};
static_assert(sizeof(struct nv_gsp_fb_region) == 48,
	      "NV2080_CTRL_CMD_FB_GET_FB_REGION_FB_REGION_INFO");
#define NV_GSP_FB_REGIONS 16

struct nv_gsp_static_info {
	uint8_t head[0x158];
	uint32_t fb_regions, pad0;
	struct nv_gsp_fb_region fb[NV_GSP_FB_REGIONS];
	uint8_t middle[0x600 - 0x460];
	uint64_t bar1_directory, bar2_directory;
	uint8_t middle2[0x640 - 0x610];
	uint32_t client, device, subdevice;
	uint8_t tail[0x668 - 0x64c];
	uint64_t heap_outside, frts;
};
static_assert(sizeof(struct nv_gsp_static_info) == 0x678, "GspStaticConfigInfo");

/* Firmware files: the header that precedes the boot loader (nouveau include/nvfw/fw.h), and the
 * layout of its image (RM_RISCV_UCODE_DESC). */
#define NV_FIRMWARE_MAGIC 0x10de

struct nv_firmware_header {
	uint32_t magic, version, bytes, header, data, data_bytes;
};
struct nv_riscv_description {
	uint32_t version, bootloader, bootloader_bytes, parameters, parameters_bytes;
	uint32_t elf, elf_bytes;
	uint32_t application_version;
	uint32_t manifest, manifest_bytes;
	uint32_t monitor_data, monitor_data_bytes, monitor_code, monitor_code_bytes;
	uint32_t rest[7];
};
static_assert(sizeof(struct nv_riscv_description) == 84, "RM_RISCV_UCODE_DESC");

#endif
