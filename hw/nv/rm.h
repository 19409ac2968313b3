/* SPDX-License-Identifier: MIT */
/*
 * User-space interface of NVIDIA's open kernel modules: the resource manager (RM). A program opens
 * /dev/nvidiactl and builds a tree of objects by ioctls: a client, a device below it, and memory,
 * address spaces and channels below that. Each object has a class, a handle and possibly controls.
 *
 * Source: open-gpu-kernel-modules (MIT), tags 570.86.16 to 570.211.01 and 580.65.06 to 580.142:
 * src/common/sdk/nvidia/inc (nvos.h, class/, ctrl/, alloc/), kernel-open/common/inc/nv-ioctl*.h and
 * src/nvidia/arch/nvalloc/unix/include/nv_escape.h. A structure without a release in its name is
 * the same in all of these. Comments marked "measured" refer to an H200 under 580.159.04.
 */
#ifndef HW_NV_RM_H
#define HW_NV_RM_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>
#else
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#endif

/* ---- ioctls: _IOC(READ | WRITE, 'F', number, bytes) ---- */

#define RM_IOCTL_TYPE          'F'
#define RM_IOCTL_PIN           0x27 /* NV_ESC_RM_ALLOC_MEMORY; on a GPU's file */
#define RM_IOCTL_FREE          0x29
#define RM_IOCTL_CONTROL       0x2a
#define RM_IOCTL_ALLOC         0x2b
#define RM_IOCTL_MAP_CPU       0x4e /* NV_ESC_RM_MAP_MEMORY */
#define RM_IOCTL_MAP_GPU       0x57 /* NV_ESC_RM_MAP_MEMORY_DMA */
#define RM_IOCTL_UNMAP_GPU     0x58
#define RM_IOCTL_CARDS         0xc8 /* NV_ESC_CARD_INFO */
#define RM_IOCTL_REGISTER_FILE 0xc9 /* on a GPU's file: associates the control file */
#define RM_IOCTL_OS_EVENT      0xce /* on a GPU's file: events wake poll() */
#define RM_IOCTL_VERSION       0xd2 /* NV_ESC_CHECK_VERSION_STR */

struct rm_alloc { /* NVOS21 */
	uint32_t client, parent;
	uint32_t handle; /* 0: RM chooses */
	uint32_t class;
	uint64_t parameters;
	uint32_t parameter_bytes, status;
};
static_assert(sizeof(struct rm_alloc) == 32, "NVOS21");

struct rm_control { /* NVOS54 */
	uint32_t client, object, command, flags;
	uint64_t parameters;
	uint32_t parameter_bytes, status;
};
static_assert(sizeof(struct rm_control) == 32, "NVOS54");

struct rm_free { /* NVOS00; frees children, too */
	uint32_t client, parent, handle, status;
};
static_assert(sizeof(struct rm_free) == 16, "NVOS00");

struct rm_map_cpu { /* NVOS33 and a file; mmap() of the file then creates the mapping */
	uint32_t client, device, memory, pad;
	uint64_t offset, bytes, address;
	uint32_t status, flags;
	int32_t file, pad2;
};
static_assert(sizeof(struct rm_map_cpu) == 56, "NVOS33 with a file");
#define RM_MAP_CPU_READ_ONLY      1u
#define RM_MAP_CPU_WRITE_COMBINED (2u << 23)

struct rm_map_gpu_570 { /* NVOS46 up to 575 */
	uint32_t client, device, range, memory;
	uint64_t offset, bytes;
	uint32_t flags, pad;
	uint64_t address;
	uint32_t status, pad2;
};
static_assert(sizeof(struct rm_map_gpu_570) == 56, "NVOS46 of 570");
static_assert(offsetof(struct rm_map_gpu_570, address) == 40, "NVOS46 of 570");

struct rm_map_gpu_580 { /* NVOS46 from 580 */
	uint32_t client, device, range, memory;
	uint64_t offset, bytes;
	uint32_t flags, flags2, kind, pad;
	uint64_t address;
	uint32_t status, pad2;
};
static_assert(sizeof(struct rm_map_gpu_580) == 64, "NVOS46 of 580");
static_assert(offsetof(struct rm_map_gpu_580, address) == 48, "NVOS46 of 580");
#define RM_MAP_GPU_SNOOP (1u << 4)  /* system memory: snoop the CPU's caches */
#define RM_MAP_GPU_FIXED (1u << 15) /* at the given address */

struct rm_unmap_gpu { /* NVOS47 */
	uint32_t client, device, range, memory;
	uint32_t flags, pad;
	uint64_t address, bytes;
	uint32_t status, pad2;
};
static_assert(sizeof(struct rm_unmap_gpu) == 48, "NVOS47");

struct rm_pin { /* NVOS02 and a file */
	uint32_t client, parent;
	uint32_t handle; /* the caller's choice */
	uint32_t class, flags, pad;
	uint64_t memory, limit; /* limit: bytes - 1 */
	uint32_t status, pad2;
	int32_t file, pad3; /* -1: none */
};
static_assert(sizeof(struct rm_pin) == 56, "NVOS02 with a file");
#define RM_PIN_SCATTERED (1u << 4)
#define RM_PIN_CACHED    (1u << 12)
#define RM_PIN_NO_MAP    (1u << 30)

struct rm_card { /* nv_ioctl_card_info_t */
	uint8_t valid, pad[3];
	uint32_t domain;
	uint8_t bus, slot, function, pad2;
	uint16_t vendor, device;
	uint32_t gpu_id;
	uint16_t interrupt_line, pad3;
	uint64_t register_address, register_bytes, memory_address, memory_bytes;
	uint32_t minor; /* of /dev/nvidiaN */
	uint8_t name[10], pad4[2];
};
static_assert(sizeof(struct rm_card) == 72, "card");
static_assert(offsetof(struct rm_card, gpu_id) == 16 && offsetof(struct rm_card, minor) == 56,
	      "card");
#define RM_MAX_CARDS 32

struct rm_os_event { /* nv_ioctl_alloc_os_event_t */
	uint32_t client, device;
	int32_t file;
	uint32_t status;
};
static_assert(sizeof(struct rm_os_event) == 16, "event");

struct rm_version {              /* nv_ioctl_rm_api_version_t */
	uint32_t command, reply; /* reply 1: text is the module's version */
	char text[64];
};
static_assert(sizeof(struct rm_version) == 72, "version");
#define RM_VERSION_QUERY '2'
#define RM_VERSION_REPLY 1

/* ---- status: nvstatuscodes.h ---- */

#define RM_OK                       0x00
#define RM_INSUFFICIENT_RESOURCES   0x1a
#define RM_INSUFFICIENT_PERMISSIONS 0x1b
#define RM_INVALID_ADDRESS          0x1e
#define RM_NO_FREE_CHANNELS         0x4f
#define RM_NO_MEMORY                0x51
#define RM_TIMEOUT                  0x65
#define RM_GPU_LOST                 0x0f
#define RM_RESET_REQUIRED           0x62

/* ---- classes and their parameters ---- */

#define RM_CLASS_CLIENT        0x0041 /* no parameters; the handle is the client's */
#define RM_CLASS_DEVICE        0x0080 /* requires an open /dev/nvidiaN (measured) */
#define RM_CLASS_SUBDEVICE     0x2080
#define RM_CLASS_MEMORY_SYSTEM 0x003e
#define RM_CLASS_MEMORY_VRAM   0x0040
#define RM_CLASS_MEMORY_RANGE  0x0070 /* NV01_MEMORY_VIRTUAL: a range of a VA space */
#define RM_CLASS_MEMORY_PINNED 0x0071 /* NV01_MEMORY_SYSTEM_OS_DESCRIPTOR */
#define RM_CLASS_OS_EVENT      0x0079
#define RM_CLASS_SHARED_DATA   0x00de /* RM_USER_SHARED_DATA */
#define RM_CLASS_DEBUGGER      0x83de
#define RM_CLASS_CONTEXT_SHARE 0x9067
#define RM_CLASS_VA_SPACE      0x90f1
#define RM_CLASS_CHANNEL_GROUP 0xa06c
/* By chip: the page with doorbell and timer. */
#define RM_CLASS_VOLTA_USER    0xc361
#define RM_CLASS_TURING_USER   0xc461
#define RM_CLASS_AMPERE_USER   0xc561
#define RM_CLASS_HOPPER_USER   0xc661

struct rm_device_parameters { /* NV0080_ALLOC_PARAMETERS */
	uint32_t instance, client_share, target_client, target_device, flags, pad;
	uint64_t va_bytes, va_start, va_limit;
	uint32_t va_mode, pad2;
};
static_assert(sizeof(struct rm_device_parameters) == 56, "device");

struct rm_subdevice_parameters {
	uint32_t index;
};

struct rm_memory_parameters { /* NV_MEMORY_ALLOCATION_PARAMS */
	uint32_t owner, type, flags, width, height, pitch, attributes, attributes2;
	uint32_t format, coverage, zcull, pad;
	uint64_t low, high, bytes, alignment, offset, limit, address;
	uint32_t tag_offset, va_space, internal_flags, tag;
	int32_t numa_node;
	uint32_t pad2;
};
static_assert(sizeof(struct rm_memory_parameters) == 128, "memory");
static_assert(offsetof(struct rm_memory_parameters, bytes) == 64, "memory");
#define RM_MEMORY_TYPE_IMAGE    0
#define RM_MEMORY_TYPE_NOTIFIER 13
/* IGNORE_BANK_PLACEMENT, ALIGNMENT_FORCE, MAP_NOT_REQUIRED */
#define RM_MEMORY_FLAGS         0x8101
#define RM_MEMORY_BIG_PAGES     (2u << 23) /* 64 KiB */
#define RM_MEMORY_HUGE_PAGES    (3u << 23) /* with RM_MEMORY2_HUGE_2M: 2 MiB */
#define RM_MEMORY_PCI           (1u << 25)
#define RM_MEMORY_SCATTERED     (1u << 27)
#define RM_MEMORY_MAY_SCATTER   (3u << 27)
#define RM_MEMORY_WRITE_BACK    (5u << 29)
#define RM_MEMORY2_CACHED       (1u << 2) /* by the GPU's L2 */
#define RM_MEMORY2_UNCACHED     (2u << 2)
#define RM_MEMORY2_HUGE_2M      (1u << 20)

struct rm_range_parameters { /* NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS; limit 0: the whole VA space */
	uint64_t offset, limit;
	uint32_t va_space, pad;
};
static_assert(sizeof(struct rm_range_parameters) == 24, "range");

struct rm_va_space_parameters { /* NV_VASPACE_ALLOCATION_PARAMETERS; pasid is new in 580 */
	uint32_t index, flags;
	uint64_t va_bytes, internal_start, internal_limit;
	uint32_t big_page_bytes, pad;
	uint64_t va_base;
	uint32_t pasid, pad2;
};
static_assert(sizeof(struct rm_va_space_parameters) == 56, "VA space of 580");
#define RM_VA_SPACE_BYTES_570 48

struct rm_channel_group_parameters { /* NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS */
	uint32_t notifier, ecc_notifier, va_space, engine;
	uint8_t plugin, pad[3];
};
static_assert(sizeof(struct rm_channel_group_parameters) == 20, "channel group");
#define RM_ENGINE_GRAPHICS 1 /* NV2080_ENGINE_TYPE */
#define RM_ENGINE_COPY0    9 /* up to COPY9 */
#define RM_COPY_ENGINES    10

struct rm_context_share_parameters { /* NV_CTXSHARE_ALLOCATION_PARAMETERS */
	uint32_t va_space, flags, id;
};
static_assert(sizeof(struct rm_context_share_parameters) == 12, "context share");
#define RM_CONTEXT_SHARE_ASYNC 1

struct rm_memory_description { /* NV_MEMORY_DESC_PARAMS */
	uint64_t base, bytes;
	uint32_t space, cache;
};
static_assert(sizeof(struct rm_memory_description) == 24, "memory description");

struct rm_channel_parameters {     /* NV_CHANNEL_ALLOC_PARAMS */
	uint32_t notifier, buffer; /* notifier: memory whose first 16 bytes receive errors */
	uint64_t ring;
	uint32_t ring_entries, flags, context_share, va_space;
	uint32_t userd_memory[8];
	uint64_t userd_offset[8];
	uint32_t engine, id, subdevice, ecc_notifier;
	/* Programs leave the rest zero; a kernel driver fills it in RPCs to the GSP: gsp_rm.h. */
	struct rm_memory_description instance, userd, ramfc, method_buffer;
	uint32_t physical_group, internal_flags;
	struct rm_memory_description notifier_memory, ecc_notifier_memory;
	uint32_t process, subprocess, encryption[3 + 3 + 8];
	uint32_t tpc_configuration, pad;
};
static_assert(sizeof(struct rm_channel_parameters) == 368, "channel");
static_assert(offsetof(struct rm_channel_parameters, engine) == 128, "channel");

struct rm_copy_parameters { /* NVB0B5_ALLOCATION_PARAMETERS; in version 1 engine is an RM_ENGINE */
	uint32_t version, engine;
};
static_assert(sizeof(struct rm_copy_parameters) == 8, "copy engine");

struct rm_event_parameters { /* NV0005_ALLOC_PARAMETERS */
	uint32_t client, source, class, index;
	uint64_t file;
};
static_assert(sizeof(struct rm_event_parameters) == 24, "event");
#define RM_EVENT_GRAPHICS  12 /* NV2080_NOTIFIERS */
#define RM_EVENT_COPY0     23
#define RM_EVENT_ERROR     37
#define RM_EVENT_NON_STALL 0x08000000u
#define RM_EVENT_NO_DATA   0x10000000u /* otherwise the program must fetch each event */

struct rm_debugger_parameters { /* NV83DE_ALLOC_PARAMETERS */
	uint32_t obsolete, client, compute;
};
static_assert(sizeof(struct rm_debugger_parameters) == 12, "debugger");

/* RM_USER_SHARED_DATA, below a subdevice: a page that RM writes and every process may map for
 * reading. Each part begins with the time of its last sample, 0: none, and all bits set while RM
 * writes it; it is valid if the time is the same before and after it was read. RM samples the parts
 * whose bits are set, every 100 ms on data-centre cards and every 500 ms on others. */
struct rm_shared_data_parameters { /* NV00DE_ALLOC_PARAMETERS */
	uint64_t polled;
};
static_assert(sizeof(struct rm_shared_data_parameters) == 8, "NV00DE_ALLOC_PARAMETERS");
#define RM_POLL_CLOCK       1u
#define RM_POLL_PERFORMANCE 2u
#define RM_POLL_POWER       8u
#define RM_POLL_TEMPERATURE 16u

struct rm_shared_clocks { /* RUSD_CLK_PUBLIC_DOMAIN_INFOS */
	uint64_t time;
	uint32_t graphics, memory, video, sm; /* MHz */
};
static_assert(sizeof(struct rm_shared_clocks) == 24, "RUSD clocks");
struct rm_shared_utilization { /* RUSD_PERF_DEVICE_UTILIZATION */
	uint64_t time;
	uint32_t gpu, memory; /* percent */
	uint32_t video[4][2];
};
static_assert(sizeof(struct rm_shared_utilization) == 48, "RUSD utilization");
struct rm_shared_performance { /* RUSD_PERF_CURRENT_PSTATE */
	uint64_t time;
	uint32_t state, pad; /* one bit: P0 is bit 0 */
};
static_assert(sizeof(struct rm_shared_performance) == 16, "RUSD P-state");
struct rm_shared_power_limit { /* RUSD_POWER_LIMITS */
	uint64_t time;
	uint32_t requested, enforced; /* milliwatts */
};
static_assert(sizeof(struct rm_shared_power_limit) == 16, "RUSD power limit");
struct rm_shared_temperature { /* RUSD_TEMPERATURE, of the GPU */
	uint64_t time;
	int32_t temperature, pad; /* NvTemp: 1/256 degrees Celsius */
};
static_assert(sizeof(struct rm_shared_temperature) == 16, "RUSD temperature");
struct rm_shared_power { /* RUSD_AVG_POWER_USAGE */
	uint64_t time;
	uint32_t gpu, module, memory, pad; /* milliwatts */
};
static_assert(sizeof(struct rm_shared_power) == 24, "RUSD power");

/* ---- controls ---- */

#define RM_CONTROL_DEVICE_ID 0x00000205 /* of the client: NV0000_CTRL_CMD_GPU_GET_ID_INFO_V2 */
struct rm_device_id {
	uint32_t gpu_id, flags, device_instance, subdevice_instance, sli, board, gpu_instance;
	int32_t numa;
};
static_assert(sizeof(struct rm_device_id) == 32, "GET_ID_INFO_V2");

/* Of the subdevice: */
#define RM_CONTROL_NAME 0x20800110
struct rm_name {
	uint32_t unicode; /* 0: ASCII */
	char text[128];
};
static_assert(sizeof(struct rm_name) == 132, "GPU_GET_NAME_STRING");

#define RM_CONTROL_GID 0x2080014a
struct rm_gid { /* NV2080_CTRL_GPU_GET_GID_INFO_PARAMS */
	uint32_t index, flags, bytes;
	uint8_t data[256];
};
static_assert(sizeof(struct rm_gid) == 268, "GPU_GET_GID_INFO");
#define RM_GID_BINARY 2 /* SHA-1, of which 16 bytes are the UUID */
#define RM_GID_BYTES  16

#define RM_CONTROL_PIDS 0x2080018d
struct rm_pids {       /* NV2080_CTRL_GPU_GET_PIDS_PARAMS */
	uint32_t type; /* 0: processes with objects of the class */
	uint32_t class, count, list[950];
};
static_assert(sizeof(struct rm_pids) == 3812, "GPU_GET_PIDS");

#define RM_CONTROL_PID_INFO 0x2080018e
#define RM_PID_INFOS        200
struct rm_pid_info { /* NV2080_CTRL_GPU_GET_PID_INFO_PARAMS */
	uint32_t count, pad;
	struct {
		uint32_t pid, index, result, pad; /* index 0: use of video memory; result 0: good */
		uint64_t private, shared_owned, shared_duped, protected[3];
		uint32_t compute_instance, gpu_instance;
	} list[RM_PID_INFOS];
};
static_assert(sizeof(struct rm_pid_info) == 8 + RM_PID_INFOS * 72, "GPU_GET_PID_INFO");

#define RM_CONTROL_CHIP 0x20801701
struct rm_chip {
	uint32_t architecture, implementation, revision, subrevision;
};
static_assert(sizeof(struct rm_chip) == 16, "MC_GET_ARCH_INFO");

struct rm_info { /* NVXXXX_CTRL_XXX_INFO: an index to query and the returned value */
	uint32_t index, value;
};
#define RM_CONTROL_GR_INFO 0x20801201
struct rm_gr_info { /* NV2080_CTRL_GR_GET_INFO_PARAMS */
	uint32_t count, pad;
	uint64_t facts, route[2];
};
static_assert(sizeof(struct rm_gr_info) == 32, "GR_GET_INFO");
#define RM_INFO_TPCS         9
#define RM_INFO_SM_VERSION   12 /* 0x900: 9.0 */
#define RM_INFO_WARPS_PER_SM 13
#define RM_INFO_SMS_PER_TPC  32

#define RM_CONTROL_FB_INFO 0x20801301
struct rm_fb_info { /* NV2080_CTRL_FB_GET_INFO_PARAMS */
	uint32_t count, pad;
	uint64_t facts;
};
static_assert(sizeof(struct rm_fb_info) == 16, "FB_GET_INFO");
#define RM_INFO_HEAP_KIB      9
#define RM_INFO_HEAP_FREE_KIB 22
#define RM_INFO_L2_BYTES      27

#define RM_CONTROL_PREEMPTION 0x20801210
struct rm_preemption { /* NV2080_CTRL_GR_SET_CTXSW_PREEMPTION_MODE_PARAMS */
	uint32_t flags, channel, graphics, compute;
	uint64_t route[2];
};
static_assert(sizeof(struct rm_preemption) == 32, "SET_CTXSW_PREEMPTION_MODE");
#define RM_PREEMPTION_SET_COMPUTE 1
#define RM_PREEMPTION_BLOCK       1 /* between blocks (CTA) */

#define RM_CONTROL_NOTIFY 0x20800301
struct rm_notify { /* NV2080_CTRL_EVENT_SET_NOTIFICATION_PARAMS */
	uint32_t event, action;
	uint8_t state, pad[3];
	uint32_t info32;
	uint16_t info16, pad2;
};
static_assert(sizeof(struct rm_notify) == 20, "EVENT_SET_NOTIFICATION");
#define RM_NOTIFY_REPEAT 2

#define RM_CONTROL_COPY_CAPS 0x20802a03
struct rm_copy_caps {
	uint32_t engine;
	uint8_t caps[2], pad[2];
};
static_assert(sizeof(struct rm_copy_caps) == 8, "CE_GET_CAPS_V2");
#define RM_COPY_CAPS_GRAPHICS 0x01 /* in caps[0]: shares its runlist with the graphics engine */

#define RM_CONTROL_COPY_UNITS 0x20802a02
struct rm_copy_units { /* CE_GET_CE_PCE_MASK: one bit for each physical copy engine (PCE) */
	uint32_t engine, mask;
};
static_assert(sizeof(struct rm_copy_units) == 8, "CE_GET_CE_PCE_MASK");

/* Of a channel group: */
#define RM_CONTROL_SCHEDULE 0xa06c0101
struct rm_schedule { /* NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS; skip_enable is new in 580 */
	uint8_t enable, skip_submit, skip_enable;
};
static_assert(sizeof(struct rm_schedule) == 3, "GPFIFO_SCHEDULE of 580");
#define RM_SCHEDULE_BYTES_570 2
#define RM_CONTROL_TIME_SLICE 0xa06c0103
struct rm_time_slice {
	uint64_t us;
};
static_assert(sizeof(struct rm_time_slice) == 8, "SET_TIMESLICE");
/* How often the group appears in the runlist. Groups start at the lowest level; other levels need
 * privileges. */
#define RM_CONTROL_INTERLEAVE 0xa06c0107
#define RM_INTERLEAVE_HIGH    2
struct rm_interleave {
	uint32_t level; /* 0 low, 1 medium, 2 high */
};
static_assert(sizeof(struct rm_interleave) == 4, "SET_INTERLEAVE_LEVEL");

/* Of a channel: the value to write to the doorbell. */
#define RM_CONTROL_TOKEN 0xc36f0108
struct rm_token {
	uint32_t token;
};

/* Of the debugger: */
#define RM_CONTROL_DEBUG_MODE 0x83de0301 /* SM_DEBUG_MODE_ENABLE; no parameters */
/* SET_SINGLE_SM_STOP_TRIGGER: sends warps to the trap handler in debug mode (measured). */
#define RM_CONTROL_STOP_SM    0x83de0322
struct rm_stop_sm {
	uint32_t sm;
	uint8_t stop, pad[3];
};
static_assert(sizeof(struct rm_stop_sm) == 8, "SET_SINGLE_SM_STOP_TRIGGER");
#define RM_STOP_ALL_SMS 0xffffffffu

/* Of the debugger, also after a fault: */
#define RM_CONTROL_MMU_FAULTS 0x83de0328
#define RM_MMU_FAULTS         4
struct rm_mmu_faults { /* NV83DE_CTRL_DEBUG_READ_MMU_FAULT_INFO_PARAMS */
	struct {
		uint64_t address; /* of the faulting page */
		uint32_t type, access;
	} list[RM_MMU_FAULTS];
	uint32_t count, pad;
};
static_assert(sizeof(struct rm_mmu_faults) == 72, "READ_MMU_FAULT_INFO");

#define RM_CONTROL_SM_ERRORS 0x83de030c
#define RM_SM_ERRORS         100 /* SMs for each call */
struct rm_sm_errors {            /* NV83DE_CTRL_DEBUG_READ_ALL_SM_ERROR_STATES_PARAMS */
	uint32_t channel, count;
	struct {
		uint32_t global, warp, pc32, global_mask, warp_mask, pad;
		uint64_t address, pc;
		uint32_t cga, cga_mask;
	} sm[RM_SM_ERRORS];
	uint32_t old_mmu_fault;
	uint8_t mmu_fault_valid, pad[3];
	uint32_t mmu_fault, first;
};
static_assert(sizeof(struct rm_sm_errors) == 4824, "READ_ALL_SM_ERROR_STATES");

/* ---- the user page: clc361.h, measured for Hopper ---- */

#define RM_USER_BYTES     0x10000
#define RM_USER_TIME_LOW  0x80 /* nanoseconds; absent from a BAR1 mapping */
#define RM_USER_TIME_HIGH 0x84
#define RM_USER_DOORBELL  0x90

/* Parameters of Hopper's class; without them RM maps the registers themselves. clc661.h */
struct rm_user_parameters {
	uint8_t bar1_mapping, privileged;
};
static_assert(sizeof(struct rm_user_parameters) == 2, "NV_HOPPER_USERMODE_A_PARAMS");

#endif
