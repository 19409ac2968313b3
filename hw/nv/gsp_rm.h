/* SPDX-License-Identifier: MIT */
/*
 * The resource manager (RM) on the GSP, firmware 570.144: the object tree of rm.h, built by RPCs
 * through the GSP's queues instead of ioctls. This header has the RPCs, the events, and the
 * parameters of controls that only a kernel driver uses; rm.h has those that programs use, too.
 *
 * Source: open-gpu-kernel-modules (MIT), tag 570.144; each block names its file, below src/. Sizes
 * and offsets were checked with a compiler against those headers.
 */
#ifndef HW_NV_GSP_RM_H
#define HW_NV_GSP_RM_H

#include "hw/nv/gsp_570.h"
#include "hw/nv/rm.h"

/* ---- RPCs: nvidia/generated/g_rpc-structures.h; parameters follow each structure ---- */

struct nv_gsp_rm_alloc { /* rpc_gsp_rm_alloc_v03_00 */
	uint32_t client, parent;
	uint32_t object; /* the caller's choice */
	uint32_t class, status, parameter_bytes, flags, reserved;
};
static_assert(sizeof(struct nv_gsp_rm_alloc) == 32, "rpc_gsp_rm_alloc_v03_00");

struct nv_gsp_rm_control { /* rpc_gsp_rm_control_v03_00 */
	uint32_t client, object, command, status, parameter_bytes, flags;
};
static_assert(sizeof(struct nv_gsp_rm_control) == 24, "rpc_gsp_rm_control_v03_00");

struct nv_gsp_rm_free { /* rpc_free_v03_00: NVOS00; frees children, too; parent may be 0 */
	uint32_t client, parent, object, status;
};
static_assert(sizeof(struct nv_gsp_rm_free) == 16, "rpc_free_v03_00");

struct nv_gsp_update_bar { /* rpc_update_bar_pde_v15_00: first PDE of a BAR's page tables */
	uint32_t bar, pad; /* NV_GSP_BAR */
	uint64_t entry, shift;
};
static_assert(sizeof(struct nv_gsp_update_bar) == 24, "rpc_update_bar_pde_v15_00");
#define NV_GSP_BAR2 1

/* common/sdk/nvidia/inc/nvstatuscodes.h */
#define NV_STATUS_DUPLICATE_NAME        0x19
#define NV_STATUS_INVALID_ADDRESS       0x1e
#define NV_STATUS_INVALID_CLASS         0x22
#define NV_STATUS_INVALID_CLIENT        0x23
#define NV_STATUS_INVALID_OBJECT_HANDLE 0x33
#define NV_STATUS_INVALID_OBJECT_PARENT 0x36
#define NV_STATUS_INVALID_PARAM_STRUCT  0x3a
#define NV_STATUS_INVALID_STATE         0x40
#define NV_STATUS_OBJECT_NOT_FOUND      0x57

/* ---- events: the same file ---- */

struct nv_gsp_rc { /* rpc_rc_triggered_v17_02: the GSP stopped a channel */
	uint32_t engine; /* RM_ENGINE */
	uint32_t channel;
	uint32_t guest, level;
	uint32_t type; /* Xid, NV_XID in host.h */
	uint32_t scope;
	uint16_t partition, pad0;
	uint32_t fault_low, fault_high, fault_type;
	uint8_t callback, pad1[3];
	uint32_t journal_bytes;
};
static_assert(sizeof(struct nv_gsp_rc) == 48, "rpc_rc_triggered_v17_02");
static_assert(offsetof(struct nv_gsp_rc, fault_low) == 28, "rpc_rc_triggered_v17_02");
/* scope: nvidia/generated/g_kernel_rc_nvoc.h, RC_NOTIFIER_SCOPE */
#define NV_GSP_RC_CHANNEL 0
#define NV_GSP_RC_GROUP   1

struct nv_gsp_error { /* rpc_os_error_log_v17_00: a line for the kernel's log */
	uint32_t type, runlist, channel;
	char text[0x100];
	uint32_t earlier_type;
};
static_assert(sizeof(struct nv_gsp_error) == 272, "rpc_os_error_log_v17_00");

/* ---- classes ---- */

/*
 * The driver chooses client handles. RM recognises clients by this base:
 * nvidia/inc/libraries/resserv/rs_client.h.
 */
#define RM_CLIENT_HANDLE(id) (0xc1d00000u | (id))
#define RM_CLASS_ROOT        0x0000 /* NV01_ROOT; programs use RM_CLASS_CLIENT instead */

struct rm_client_parameters { /* NV0000_ALLOC_PARAMETERS: common/sdk/nvidia/inc/class/cl0000.h */
	uint32_t client, process;
	char name[100];
	uint32_t pad;
	uint64_t process_info;
};
static_assert(sizeof(struct rm_client_parameters) == 120, "NV0000_ALLOC_PARAMETERS");
#define RM_PROCESS_KERNEL 0xffffffffu

/* NV_VASPACE_ALLOCATION_FLAGS: common/sdk/nvidia/inc/nvos.h. The driver owns the page tables. */
#define RM_VA_SPACE_EXTERNAL (1u << 3)

/*
 * Channels: rm_channel_parameters with physical addresses of memory.
 * common/sdk/nvidia/inc/alloc/alloc_channel.h, NVOS04_FLAGS: a USERD page holds eight channels; the
 * page and the index in it select the channel id.
 */
#define RM_CHANNEL_PRIVILEGED         (1u << 5)
#define RM_CHANNEL_NO_PHYSICAL_COPIES (1u << 7) /* DENY_PHYSICAL_MODE_CE */
#define RM_CHANNEL_ID(id)             (((id) & 7) << 8 | (uint32_t)((id) >> 3) << 12 | 1u << 21)
#define RM_CHANNEL_ID_OF(flags)       (((flags) >> 12 & 0x1ff) << 3 | ((flags) >> 8 & 7))
#define RM_CHANNEL_ID_GIVEN           (1u << 21) /* USERD_INDEX_PAGE_FIXED */
#define RM_CHANNELS                   2048
#define RM_FIRST_CHANNEL              1 /* firmware uses id 0: nouveau r570/fifo.c, rsvd_chids */
/* Memory descriptions: nvidia/generated/g_mem_desc_nvoc.h, ADDR_*. */
#define RM_SPACE_SYSTEM               1
#define RM_SPACE_VRAM                 2
#define RM_CACHE_NONE                 0
#define RM_CACHE_YES                  1
#define RM_INSTANCE_BYTES             0x1000
#define RM_RAMFC_BYTES                0x200 /* at the start of the instance */
/* nvidia/generated/g_kernel_channel_nvoc.h, NV_KERNELCHANNEL_ALLOC_INTERNALFLAGS. */
#define RM_CHANNEL_USER               (0u | 1u << 2 | 1u << 4) /* no error notifiers */
#define RM_CHANNEL_ADMIN              (1u | 1u << 2 | 1u << 4)

/* ---- controls of the firmware's own subdevice, whose handle GET_GSP_STATIC_INFO returns ---- */

/* common/sdk/nvidia/inc/ctrl/ctrl2080/ctrl2080internal.h */
#define RM_CONTROL_INTERRUPTS 0x20800a5c
#define RM_INTERRUPTS         128
struct rm_interrupt { /* INTR_GET_KERNEL_TABLE_ENTRY */
	uint16_t unit, pad; /* RM_UNIT */
	uint32_t pmc_mask;
	uint32_t stall, non_stall; /* vectors */
};
struct rm_interrupts { /* NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_PARAMS */
	uint32_t count;
	struct rm_interrupt list[RM_INTERRUPTS];
	struct {
		uint8_t first, last;
	} subtrees[7];
	uint8_t pad[2];
};
static_assert(sizeof(struct rm_interrupts) == 2068, "INTR_GET_KERNEL_TABLE");
#define RM_VECTOR_NONE 0xffffffffu
/* nvidia/inc/kernel/gpu/intr/engine_idx.h, MC_ENGINE_IDX_* */
#define RM_UNIT_COPY0    15
#define RM_UNIT_GSP      50
#define RM_UNIT_GRAPHICS 84

#define RM_CONTROL_CONTEXT_BUFFERS 0x20800a32
#define RM_CONTEXT_BUFFERS         26
#define RM_GRAPHICS_ENGINES        8
struct rm_context_buffers { /* NV2080_CTRL_INTERNAL_STATIC_GR_GET_CONTEXT_BUFFERS_INFO_PARAMS */
	struct {
		struct {
			uint32_t bytes, alignment; /* bytes 0 or all ones: buffer not needed */
		} buffer[RM_CONTEXT_BUFFERS];
	} engine[RM_GRAPHICS_ENGINES];
};
static_assert(sizeof(struct rm_context_buffers) == 1664, "GET_CONTEXT_BUFFERS_INFO");
#define RM_CONTEXT_UNSUPPORTED 0xffffffff /* size of a buffer that the chip does not have */
/* ctrl0080fifo.h, ENGINE_CONTEXT_PROPERTIES_ENGINE_ID: indices into that table. */
#define RM_CONTEXT_MAIN         0x00
#define RM_CONTEXT_PAGE_POOL_OLD 0x0d /* the same buffer under the index that nouveau uses */
#define RM_CONTEXT_PATCH        0x10
#define RM_CONTEXT_BUNDLE       0x11
#define RM_CONTEXT_PAGE_POOL    0x12 /* the global one */
#define RM_CONTEXT_ATTRIBUTE    0x13
#define RM_CONTEXT_RTV          0x14
#define RM_CONTEXT_EVENTS       0x17
#define RM_CONTEXT_ACCESS_MAP   0x18

/* common/sdk/nvidia/inc/ctrl/ctrl2080/ctrl2080fifo.h */
#define RM_CONTROL_ENGINES 0x20801112
#define RM_ENGINE_ENTRIES  32
struct rm_engine_entry { /* NV2080_CTRL_FIFO_DEVICE_ENTRY */
	uint32_t data[16]; /* nvidia/inc/kernel/gpu/fifo/engine_info.h, ENGINE_INFO_TYPE_* */
	uint32_t pbdma[2], pbdma_fault[2], pbdmas;
	char name[16];
};
struct rm_engines { /* NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_PARAMS */
	uint32_t first, count;
	uint8_t more, pad[3];
	struct rm_engine_entry list[RM_ENGINE_ENTRIES];
};
static_assert(sizeof(struct rm_engines) == 3212, "FIFO_GET_DEVICE_INFO_TABLE");
#define RM_ENGINE_DATA_TYPE        2 /* RM_ENGINE */
#define RM_ENGINE_DATA_RUNLIST     3
#define RM_ENGINE_DATA_RUNLIST_BASE 11 /* base of the runlist's registers */
#define RM_ENGINE_DATA_HOST_DRIVEN 12

/* Disables and preempts channels of any clients in one call: ctrl2080fifo.h. NVIDIA's kernel driver
 * forwards the control to the GSP unchanged (kernel_fifo_ctrl.c). */
#define RM_CONTROL_DISABLE_CHANNELS 0x2080110b
#define RM_DISABLE_CHANNELS         64
struct rm_disable_channels { /* NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS */
	uint8_t disable, pad[3];
	uint32_t count;
	uint8_t only_scheduling, rewind, pad2[6];
	uint64_t event; /* for kernel clients; 0: wait for the preemption */
	uint32_t clients[RM_DISABLE_CHANNELS], channels[RM_DISABLE_CHANNELS];
};
static_assert(sizeof(struct rm_disable_channels) == 536, "FIFO_DISABLE_CHANNELS");

/* ctrl2080ce.h: size of the buffer in which a channel saves pending methods on a fault. */
#define RM_CONTROL_METHOD_BUFFER 0x20802a08
struct rm_method_buffer {
	uint32_t bytes;
};

/* ctrl2080gpu.h: masks of the GPCs, and of the TPCs of a GPC, that the chip has. */
#define RM_CONTROL_GPCS 0x20800137
struct rm_gpcs {
	uint32_t mask;
};
#define RM_CONTROL_TPCS 0x20800138
struct rm_tpcs {
	uint32_t gpc, mask;
};
static_assert(sizeof(struct rm_tpcs) == 8, "GPU_GET_FERMI_TPC_INFO");

/* ctrl2080gpu.h: falcons with contexts. */
#define RM_CONTROL_FALCONS 0x208001b0
struct rm_falcons { /* NV2080_CTRL_GPU_GET_CONSTRUCTED_FALCON_INFO_PARAMS */
	uint32_t count;
	struct {
		uint32_t descriptor, attributes, context_bytes, spaces, base;
	} list[64];
};
static_assert(sizeof(struct rm_falcons) == 1284, "GPU_GET_CONSTRUCTED_FALCON_INFO");

/* ctrl2080gr.h: properties of the ZCULL unit, which graphics drivers query. */
#define RM_CONTROL_ZCULL 0x20801206
struct rm_zcull { /* NV2080_CTRL_GR_GET_ZCULL_INFO_PARAMS */
	uint32_t width_align, height_align, squares_by_aliquots, aliquots, region_multiplier;
	uint32_t region_header, subregion_header, subregions;
	uint32_t subregion_width_align, subregion_height_align;
};
static_assert(sizeof(struct rm_zcull) == 40, "GR_GET_ZCULL_INFO");

/* ---- controls of the driver's objects ---- */

/* Of a VA space that is not external: ctrl90f1.h. Directories of the range that RM reserves. */
#define RM_CONTROL_COPY_DIRECTORIES 0x90f10106
struct rm_copy_directories { /* NV90F1_CTRL_VASPACE_COPY_SERVER_RESERVED_PDES_PARAMS */
	uint32_t subdevice, subdevice_id;
	uint64_t page_bytes, first, last;
	uint32_t levels, pad;
	struct {
		uint64_t address, bytes;
		uint32_t aperture;
		uint8_t shift, pad[3];
	} list[6];
};
#define RM_DIRECTORY_VRAM 1 /* aperture */
static_assert(sizeof(struct rm_copy_directories) == 184, "VASPACE_COPY_SERVER_RESERVED_PDES");
#define RM_RESERVED_VA    0x100000000ull
#define RM_RESERVED_BYTES 0x20000000ull

/* Of a device: ctrl0080dma.h. */
#define RM_CONTROL_SET_DIRECTORY 0x00801813
struct rm_set_directory { /* NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_PARAMS */
	uint64_t address;
	uint32_t entries;
	uint32_t flags; /* 0: directory in VRAM, for all later channels */
	uint32_t va_space, channel, subdevice, pasid;
};
static_assert(sizeof(struct rm_set_directory) == 32, "DMA_SET_PAGE_DIRECTORY");

#define RM_CONTROL_UNSET_DIRECTORY 0x00801814
struct rm_unset_directory {
	uint32_t va_space, subdevice;
};
static_assert(sizeof(struct rm_unset_directory) == 8, "DMA_UNSET_PAGE_DIRECTORY");

/* Of a subdevice: ctrl2080gpu.h. Addresses of the buffers of a channel's context. */
#define RM_CONTROL_PROMOTE 0x2080012b
#define RM_PROMOTE_ENTRIES 16
struct rm_promote_entry { /* NV2080_CTRL_GPU_PROMOTE_CTX_BUFFER_ENTRY */
	uint64_t physical, virtual, bytes;
	uint32_t attributes;
	uint16_t buffer; /* RM_BUFFER */
	uint8_t initialise; /* physical, bytes and attributes are valid; memory is zeroed */
	uint8_t unmapped;   /* virtual is ignored */
};
struct rm_promote { /* NV2080_CTRL_GPU_PROMOTE_CTX_PARAMS */
	uint32_t engine, client, channel_id, channel_client;
	uint32_t object; /* channel */
	uint32_t virtual_memory;
	uint64_t virtual_address, virtual_bytes;
	uint32_t count, pad;
	struct rm_promote_entry list[RM_PROMOTE_ENTRIES];
};
static_assert(sizeof(struct rm_promote) == 560, "GPU_PROMOTE_CTX");
#define RM_PROMOTE_VRAM               4 /* attributes: nouveau r535/gr.c */
#define RM_BUFFER_MAIN                0
#define RM_BUFFER_PATCH               2
#define RM_BUFFER_BUNDLE              3
#define RM_BUFFER_PAGE_POOL           4
#define RM_BUFFER_ATTRIBUTE           5
#define RM_BUFFER_RTV                 6
#define RM_BUFFER_EVENTS              9
#define RM_BUFFER_ACCESS_MAP          10
#define RM_BUFFER_FREE_ACCESS_MAP     11 /* UNRESTRICTED_PRIV_ACCESS_MAP */
/* The main buffer is followed by a page for each of 64 subcontexts: nouveau r535/gr.c. */
#define RM_BUFFER_MAIN_EXTRA          (64u * 0x1000)

/* Of a channel: ctrla06f/ctrla06fgpfifo.h. */
#define RM_CONTROL_BIND 0xa06f0104
struct rm_bind {
	uint32_t engine; /* RM_ENGINE */
};

#define RM_CONTROL_STOP 0xa06f0112
struct rm_stop {
	uint8_t immediate;
};
#define RM_CONTROL_SCHEDULE_CHANNEL 0xa06f0103 /* rm_schedule for one channel */

/* The 3D class: its allocation makes the firmware build the golden context. class/clcb97.h */
#define RM_CLASS_HOPPER_3D 0xcb97

#endif
