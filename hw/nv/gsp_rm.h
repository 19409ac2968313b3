/* SPDX-License-Identifier: MIT */
/*
 * Objects of the resource manager on a GSP with firmware 570.144: the calls that make, ask and end
 * them, and the parameters of each class and control we use. The manager checks sizes exactly, so
 * another version's structures are refused.
 *
 * Sources: open-gpu-kernel-modules 570.144, src/nvidia/generated/g_rpc-structures.h (calls and
 * events), src/common/sdk/nvidia/inc/{nvos.h,alloc,class,ctrl} (parameters); excerpts with the same
 * names in Linux 7.2 drivers/gpu/drm/nouveau/nvkm/subdev/gsp/rm/{r535,r570}/nvrm. Sizes and offsets
 * were checked there with a compiler.
 */
#ifndef HW_NV_GSP_RM_H
#define HW_NV_GSP_RM_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>
#else
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#endif

/* Status of a call, an allocation or a control: nvstatuscodes.h. */
#define NV_RM_OK                      0
#define NV_RM_INSERT_DUPLICATE_NAME   0x19
#define NV_RM_INVALID_ADDRESS         0x1e
#define NV_RM_INVALID_ARGUMENT        0x1f
#define NV_RM_INVALID_CHANNEL         0x21
#define NV_RM_INVALID_CLASS           0x22
#define NV_RM_INVALID_CLIENT          0x23
#define NV_RM_INVALID_COMMAND         0x24
#define NV_RM_INVALID_OBJECT_HANDLE   0x33
#define NV_RM_INVALID_OBJECT_PARENT   0x36
#define NV_RM_INVALID_PARAM_STRUCT    0x3a
#define NV_RM_INVALID_STATE           0x40
#define NV_RM_OBJECT_NOT_FOUND        0x57

/* ---- calls ---- */

struct nv_rm_alloc { /* GSP_RM_ALLOC, 103; parameters follow */
	uint32_t client, parent, object, class;
	uint32_t status, bytes, flags, pad;
};
static_assert(sizeof(struct nv_rm_alloc) == 32, "rpc_gsp_rm_alloc_v03_00");

struct nv_rm_control { /* GSP_RM_CONTROL, 76; parameters follow */
	uint32_t client, object, command, status, bytes, flags;
};
static_assert(sizeof(struct nv_rm_control) == 24, "rpc_gsp_rm_control_v03_00");

struct nv_rm_free { /* FREE, 10; parent may be 0. What hangs below the object goes, too */
	uint32_t client, parent, object, status;
};
static_assert(sizeof(struct nv_rm_free) == 16, "rpc_free_v03_00");

#define NV_RM_BAR1 0
#define NV_RM_BAR2 1
struct nv_rm_update_bar { /* UPDATE_BAR_PDE, 70: entry 0 of the window's own root directory */
	uint32_t bar, pad;
	uint64_t entry, shift;
};
static_assert(sizeof(struct nv_rm_update_bar) == 24, "rpc_update_bar_pde_v15_00");

/* ---- events ---- */

struct nv_rm_rc_triggered { /* RC_TRIGGERED, 0x1004: a channel was stopped. A journal may follow */
	uint32_t engine, channel; /* NV_RM_ENGINE, id */
	uint32_t vf, level, type; /* type: as Xid numbers begin, see NV_RM_RC */
	uint32_t scope;
	uint16_t partition, pad;
	uint32_t fault_low, fault_high, fault_type;
	uint8_t callback, pad2[3];
	uint32_t journal_bytes;
};
static_assert(sizeof(struct nv_rm_rc_triggered) == 48, "rpc_rc_triggered_v17_02");
#define NV_RM_RC_MMU_FAULT    31 /* nverror.h ROBUST_CHANNEL_*, which are the Xid numbers */
#define NV_RM_RC_SCOPE_CHANNEL 0

struct nv_rm_os_error { /* OS_ERROR_LOG, 0x1006: what goes to the kernel's log as an Xid */
	uint32_t type, runlist, channel;
	char text[256];
	uint32_t previous;
};
static_assert(sizeof(struct nv_rm_os_error) == 272, "rpc_os_error_log_v17_00");

/* ---- classes ---- */

#define NV_RM_CLASS_ROOT          0x0000
#define NV_RM_CLASS_EVENT         0x007e /* NV01_EVENT_KERNEL_CALLBACK_EX */
#define NV_RM_CLASS_DEVICE        0x0080
#define NV_RM_CLASS_SUBDEVICE     0x2080
#define NV_RM_CLASS_CONTEXT_SHARE 0x9067 /* FERMI_CONTEXT_SHARE_A */
#define NV_RM_CLASS_VA_SPACE      0x90f1 /* FERMI_VASPACE_A */
#define NV_RM_CLASS_CHANNEL_GROUP 0xa06c /* KEPLER_CHANNEL_GROUP_A */
#define NV_RM_CLASS_CHANNEL       0xc86f /* HOPPER_CHANNEL_GPFIFO_A */
#define NV_RM_CLASS_COPY          0xc8b5 /* HOPPER_DMA_COPY_A */
#define NV_RM_CLASS_GRAPHICS      0xcb97 /* HOPPER_A */
#define NV_RM_CLASS_COMPUTE       0xcbc0 /* HOPPER_COMPUTE_A */

struct nv_rm_root { /* NV0000_ALLOC_PARAMETERS */
	uint32_t client, process;
	char name[100];
	uint32_t pad;
	uint64_t pid_info;
};
static_assert(sizeof(struct nv_rm_root) == 120, "NV0000_ALLOC_PARAMETERS");

struct nv_rm_device { /* NV0080_ALLOC_PARAMETERS */
	uint32_t id, client_share, target_client, target_device, flags, pad;
	uint64_t va_bytes, va_start, va_limit;
	uint32_t va_mode, pad2;
};
static_assert(sizeof(struct nv_rm_device) == 56, "NV0080_ALLOC_PARAMETERS");

struct nv_rm_subdevice { /* NV2080_ALLOC_PARAMETERS */
	uint32_t id;
};

struct nv_rm_event { /* NV0005_ALLOC_PARAMETERS */
	uint32_t client, source, class, index;
	uint64_t data;
};
static_assert(sizeof(struct nv_rm_event) == 24, "NV0005_ALLOC_PARAMETERS");

struct nv_rm_va_space { /* NV_VASPACE_ALLOCATION_PARAMETERS */
	uint32_t index, flags;
	uint64_t va_bytes, internal_start, internal_limit;
	uint32_t big_page_bytes, pad;
	uint64_t va_base;
};
static_assert(sizeof(struct nv_rm_va_space) == 48, "NV_VASPACE_ALLOCATION_PARAMETERS");
#define NV_RM_VA_SPACE_NEW      0
#define NV_RM_VA_SPACE_EXTERNAL (1u << 3) /* page tables are the driver's */

struct nv_rm_channel_group { /* NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS */
	uint32_t notifier, ecc_notifier, va_space, engine;
	uint8_t plugin, pad[3];
};
static_assert(sizeof(struct nv_rm_channel_group) == 20, "NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS");

struct nv_rm_context_share { /* NV_CTXSHARE_ALLOCATION_PARAMETERS; id comes back */
	uint32_t va_space, flags, id;
};
static_assert(sizeof(struct nv_rm_context_share) == 12, "NV_CTXSHARE_ALLOCATION_PARAMETERS");
#define NV_RM_CONTEXT_SHARE_SYNC  0
#define NV_RM_CONTEXT_SHARE_ASYNC 1

struct nv_rm_memory { /* NV_MEMORY_DESC_PARAMS; space as ADDR_* of RM's nvmisc */
	uint64_t base, bytes;
	uint32_t space, cache;
};
static_assert(sizeof(struct nv_rm_memory) == 24, "NV_MEMORY_DESC_PARAMS");
#define NV_RM_SPACE_SYSMEM 1
#define NV_RM_SPACE_VIDMEM 2

struct nv_rm_channel { /* NV_CHANNEL_ALLOC_PARAMS */
	uint32_t notifier, buffer;
	uint64_t ring; /* GPU address */
	uint32_t ring_entries, flags, context_share, va_space;
	uint32_t userd_memory[8];
	uint64_t userd_offset[8];
	uint32_t engine, id, subdevice, ecc_notifier;
	struct nv_rm_memory instance, userd, ramfc, methods;
	uint32_t group, internal_flags;
	struct nv_rm_memory error_notifier, ecc_error_notifier;
	uint32_t process, subprocess;
	uint32_t encrypt_iv[3], decrypt_iv[3], nonce[8];
	uint32_t tpc_configuration, pad;
};
static_assert(sizeof(struct nv_rm_channel) == 368, "NV_CHANNEL_ALLOC_PARAMS");
static_assert(offsetof(struct nv_rm_channel, instance) == 0x90, "NV_CHANNEL_ALLOC_PARAMS");
static_assert(offsetof(struct nv_rm_channel, error_notifier) == 0xf8, "NV_CHANNEL_ALLOC_PARAMS");
/*
 * flags, NVOS04. The channel's id is a choice of the driver's, given as the place of its USERD: which
 * of eight on a page, and which page.
 */
#define NV_RM_CHANNEL_PRIVILEGED     (1u << 5)
#define NV_RM_CHANNEL_NO_PHYSICAL_CE (1u << 7) /* its copies cannot use physical addresses */
#define NV_RM_CHANNEL_ID(id)         (((id) & 7) << 8 | ((id) >> 3 & 0x1ff) << 12 | 1u << 21)
#define NV_RM_CHANNEL_ID_OF(flags)   (((flags) >> 12 & 0x1ff) << 3 | ((flags) >> 8 & 7))
#define NV_RM_CHANNEL_ID_FIXED       (1u << 21)
/* internal_flags, NV_KERNELCHANNEL_ALLOC_INTERNALFLAGS. */
#define NV_RM_CHANNEL_USER           0
#define NV_RM_CHANNEL_ADMIN          1
#define NV_RM_CHANNEL_NO_NOTIFIER    (1u << 2)
#define NV_RM_CHANNEL_NOTIFIER       (3u << 2) /* error_notifier is memory */
#define NV_RM_CHANNEL_NOTIFIER_OF(f) ((f) & 3u << 2)
#define NV_RM_CHANNEL_NO_ECC_NOTIFIER (1u << 4)

struct nv_rm_copy { /* NVC0B5_ALLOCATION_PARAMETERS; version 1: engine is an NV_RM_ENGINE */
	uint32_t version, engine;
};
static_assert(sizeof(struct nv_rm_copy) == 8, "NVC0B5_ALLOCATION_PARAMETERS");

/* ---- controls ---- */

/* NV2080_ENGINE_TYPE; RM_ENGINE_TYPE counts the same way up to COPY9. */
#define NV_RM_ENGINE_GRAPHICS 1
#define NV_RM_ENGINE_COPY(n)  (9 + (n))
/* MC_ENGINE_IDX, by which interrupts are listed. */
#define NV_RM_MC_COPY(n)      (15 + (n))
#define NV_RM_MC_GSP          50
#define NV_RM_MC_GRAPHICS     84

#define NV_RM_INTERRUPT_TABLE 0x20800a5c /* INTERNAL_INTR_GET_KERNEL_TABLE */
#define NV_RM_NO_VECTOR       0xffffffffu
struct nv_rm_interrupt_table {
	uint32_t count;
	struct nv_rm_interrupt {
		uint16_t engine, pad; /* MC_ENGINE_IDX */
		uint32_t pmc_mask, stall, non_stall;
	} entries[128];
	struct {
		uint8_t start, end;
	} subtrees[7];
	uint8_t pad[2];
};
static_assert(sizeof(struct nv_rm_interrupt_table) == 0x814, "INTR_GET_KERNEL_TABLE");

#define NV_RM_DEVICE_TABLE    0x20801112 /* FIFO_GET_DEVICE_INFO_TABLE */
#define NV_RM_DEVICE_ENTRIES  32
/* Indices of data. */
enum {
	NV_RM_DATA_DESCRIPTOR, NV_RM_DATA_TAG, NV_RM_DATA_ENGINE, NV_RM_DATA_RUNLIST, NV_RM_DATA_FAULT_ID,
	NV_RM_DATA_RC_MASK, NV_RM_DATA_RESET, NV_RM_DATA_INTERRUPT, NV_RM_DATA_MC, NV_RM_DATA_KIND,
	NV_RM_DATA_INSTANCE, NV_RM_DATA_RUNLIST_BASE, NV_RM_DATA_HOST_DRIVEN, NV_RM_DATA_RUNLIST_ENGINE,
	NV_RM_DATA_CHANNEL_BASE,
};
struct nv_rm_device_table { /* base: of the first entry wanted */
	uint32_t base, count;
	uint8_t more, pad[3];
	struct nv_rm_device_entry {
		uint32_t data[16], pbdma[2], pbdma_fault[2], pbdmas;
		char name[16];
	} entries[NV_RM_DEVICE_ENTRIES];
};
static_assert(sizeof(struct nv_rm_device_table) == 0xc8c, "FIFO_GET_DEVICE_INFO_TABLE");

#define NV_RM_FAULT_METHODS   0x20802a08 /* CE_GET_FAULT_METHOD_BUFFER_SIZE */
struct nv_rm_fault_methods {
	uint32_t bytes;
};

#define NV_RM_FALCONS         0x208001b0 /* GPU_GET_CONSTRUCTED_FALCON_INFO */
struct nv_rm_falcons {
	uint32_t count;
	struct {
		uint32_t descriptor, attributes, context_bytes, spaces, base;
	} entries[64];
};
static_assert(sizeof(struct nv_rm_falcons) == 0x504, "GPU_GET_CONSTRUCTED_FALCON_INFO");

#define NV_RM_GPCS            0x20800137 /* GPU_GET_FERMI_GPC_INFO */
struct nv_rm_gpcs {
	uint32_t mask;
};
#define NV_RM_TPCS            0x20800138 /* GPU_GET_FERMI_TPC_INFO */
struct nv_rm_tpcs {
	uint32_t gpc, mask;
};

#define NV_RM_CONTEXT_BUFFERS 0x20800a32 /* INTERNAL_STATIC_KGR_GET_CONTEXT_BUFFERS_INFO */
/* Which buffer: NV0080_CTRL_FIFO_GET_ENGINE_CONTEXT_PROPERTIES_ENGINE_ID. */
enum {
	NV_RM_BUFFER_GRAPHICS = 0, NV_RM_BUFFER_ZCULL = 8, NV_RM_BUFFER_PM = 9, NV_RM_BUFFER_PAGEPOOL = 13,
	NV_RM_BUFFER_PATCH = 16, NV_RM_BUFFER_BUNDLE = 17, NV_RM_BUFFER_ATTRIBUTE = 19, NV_RM_BUFFER_RTV = 20,
	NV_RM_BUFFER_FECS_EVENT = 23, NV_RM_BUFFER_PRIV_ACCESS = 24, NV_RM_BUFFERS = 26,
};
struct nv_rm_context_buffers { /* of each of eight graphics engines; GH100 has one */
	struct nv_rm_context_buffer {
		uint32_t bytes, alignment;
	} of[8][NV_RM_BUFFERS];
};
static_assert(sizeof(struct nv_rm_context_buffers) == 0x680, "KGR_GET_CONTEXT_BUFFERS_INFO");

#define NV_RM_PROMOTE         0x2080012b /* GPU_PROMOTE_CTX: memory for a channel's state */
#define NV_RM_PROMOTE_ENTRIES 16
/* NV2080_CTRL_GPU_PROMOTE_CTX_BUFFER_ID. */
enum {
	NV_RM_PROMOTE_MAIN, NV_RM_PROMOTE_PM, NV_RM_PROMOTE_PATCH, NV_RM_PROMOTE_BUNDLE, NV_RM_PROMOTE_PAGEPOOL,
	NV_RM_PROMOTE_ATTRIBUTE, NV_RM_PROMOTE_RTV, NV_RM_PROMOTE_FECS_EVENT = 9, NV_RM_PROMOTE_PRIV_ACCESS,
	NV_RM_PROMOTE_UNRESTRICTED_PRIV_ACCESS,
};
struct nv_rm_promote {
	uint32_t engine, client, channel_id, channel_client, object, memory;
	uint64_t va, bytes;
	uint32_t count, pad;
	struct nv_rm_promote_entry {
		uint64_t address, va, bytes;
		uint32_t attributes; /* NV_RM_PROMOTE_VIDMEM */
		uint16_t buffer;
		uint8_t initialize, not_mapped;
	} entries[NV_RM_PROMOTE_ENTRIES];
};
static_assert(sizeof(struct nv_rm_promote) == 560, "GPU_PROMOTE_CTX");
#define NV_RM_PROMOTE_VIDMEM 4 /* cached by the GPU; nouveau rm/r535/gr.c */

#define NV_RM_ZCULL           0x20801206 /* GR_GET_ZCULL_INFO */
struct nv_rm_zcull {
	uint32_t width_align, height_align, squares_by_aliquots, aliquots, region_multiplier, region_header,
		subregion_header, subregions, subregion_width_align, subregion_height_align;
};
static_assert(sizeof(struct nv_rm_zcull) == 40, "GR_GET_ZCULL_INFO");

#define NV_RM_NOTIFICATION    0x20800301 /* EVENT_SET_NOTIFICATION */
struct nv_rm_notification {
	uint32_t event, action;
	uint8_t state, pad[3];
	uint32_t info32;
	uint16_t info16, pad2;
};
static_assert(sizeof(struct nv_rm_notification) == 20, "EVENT_SET_NOTIFICATION");

#define NV_RM_PREEMPTION      0x20801210 /* GR_SET_CTXSW_PREEMPTION_MODE */
struct nv_rm_preemption { /* flags: 1 compute mode is given, 2 graphics mode is */
	uint32_t flags, channel, graphics, compute;
	uint64_t route[2];
};
static_assert(sizeof(struct nv_rm_preemption) == 32, "GR_SET_CTXSW_PREEMPTION_MODE");
#define NV_RM_PREEMPTION_SET_COMPUTE 1
#define NV_RM_PREEMPTION_BLOCK       1 /* between blocks */

/* Of a device: */
#define NV_RM_SET_DIRECTORY   0x801813 /* DMA_SET_PAGE_DIRECTORY */
struct nv_rm_set_directory { /* flags: NV_RM_DIRECTORY_VIDMEM */
	uint64_t address;
	uint32_t entries, flags, va_space, channel, subdevice, pasid;
};
static_assert(sizeof(struct nv_rm_set_directory) == 32, "DMA_SET_PAGE_DIRECTORY");
#define NV_RM_DIRECTORY_VIDMEM       0
#define NV_RM_DIRECTORY_ALL_CHANNELS (1u << 3)

#define NV_RM_UNSET_DIRECTORY 0x801814 /* DMA_UNSET_PAGE_DIRECTORY */
struct nv_rm_unset_directory {
	uint32_t va_space, subdevice;
};

/* Of a VA space whose tables are not external: where the manager may put its own entries. */
#define NV_RM_COPY_DIRECTORIES 0x90f10106 /* VASPACE_COPY_SERVER_RESERVED_PDES */
struct nv_rm_copy_directories {
	uint32_t subdevice, subdevice_id;
	uint64_t page_bytes, first, last;
	uint32_t count, pad;
	struct {
		uint64_t address, bytes;
		uint32_t aperture;
		uint8_t shift, pad[3];
	} levels[6];
};
static_assert(sizeof(struct nv_rm_copy_directories) == 184, "COPY_SERVER_RESERVED_PDES");
#define NV_RM_RESERVED_VA    0x100000000ull
#define NV_RM_RESERVED_BYTES 0x20000000ull

/* Of a channel: */
#define NV_RM_BIND            0xa06f0104
struct nv_rm_bind {
	uint32_t engine;
};
#define NV_RM_SCHEDULE        0xa06f0103 /* GPFIFO_SCHEDULE */
#define NV_RM_SCHEDULE_GROUP  0xa06c0101 /* of a group: all its channels */
struct nv_rm_schedule {
	uint8_t enable, skip_submit;
};
static_assert(sizeof(struct nv_rm_schedule) == 2, "GPFIFO_SCHEDULE");
#define NV_RM_STOP            0xa06f0112 /* STOP_CHANNEL */
struct nv_rm_stop {
	uint8_t immediate;
};
#define NV_RM_TOKEN           0xc36f0108 /* GPFIFO_GET_WORK_SUBMIT_TOKEN: the channel's id alone */
struct nv_rm_token {
	uint32_t token;
};
/* Of a group: */
#define NV_RM_TIMESLICE       0xa06c0103 /* SET_TIMESLICE */
struct nv_rm_timeslice {
	uint64_t microseconds;
};

#endif
