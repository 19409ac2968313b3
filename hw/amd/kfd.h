/* SPDX-License-Identifier: MIT */
/*
 * amdkfd: the compute interface of Linux' amdgpu driver, as far as libsov uses it. A process opens
 * /dev/kfd once; GPUs are numbers that the topology in sysfs names (gpu_id). Source: Linux,
 * include/uapi/linux/kfd_ioctl.h and drivers/gpu/drm/amd/amdkfd (kfd_chardev.c, kfd_topology.c,
 * kfd_events.c, kfd_queue.c, kfd_doorbell.c). Nothing here has met a real driver.
 *
 * An ioctl's number, direction and size make its request; every structure is of fixed size.
 */
#ifndef HW_AMD_KFD_H
#define HW_AMD_KFD_H

#include <assert.h>
#include <stdint.h>
#include <sys/ioctl.h>

#define KFD_FILE        "/dev/kfd"
#define KFD_TOPOLOGY    "/sys/class/kfd/kfd/topology/nodes"
#define KFD_RENDER_FILE "/dev/dri/renderD%u"
#define KFD_IOCTL_TYPE  'K'
#define KFD_MAJOR       1
#define KFD_MIN_MINOR   11 /* Linux 6.1 */

#define KFD_REQUEST_READ(number, type)  _IOR(KFD_IOCTL_TYPE, number, type)
#define KFD_REQUEST_WRITE(number, type) _IOW(KFD_IOCTL_TYPE, number, type)
#define KFD_REQUEST(number, type)       _IOWR(KFD_IOCTL_TYPE, number, type)

#define KFD_GET_VERSION      KFD_REQUEST_READ(0x01, struct kfd_version)
#define KFD_CREATE_QUEUE     KFD_REQUEST(0x02, struct kfd_create_queue)
#define KFD_DESTROY_QUEUE    KFD_REQUEST(0x03, struct kfd_destroy_queue)
#define KFD_GET_CLOCKS       KFD_REQUEST(0x05, struct kfd_clocks)
#define KFD_CREATE_EVENT     KFD_REQUEST(0x08, struct kfd_create_event)
#define KFD_DESTROY_EVENT    KFD_REQUEST_WRITE(0x09, struct kfd_destroy_event)
#define KFD_RESET_EVENT      KFD_REQUEST_WRITE(0x0b, struct kfd_destroy_event)
#define KFD_WAIT_EVENTS      KFD_REQUEST(0x0c, struct kfd_wait_events)
#define KFD_SET_TRAP_HANDLER KFD_REQUEST_WRITE(0x13, struct kfd_set_trap_handler)
#define KFD_GET_APERTURES    KFD_REQUEST(0x14, struct kfd_get_apertures)
#define KFD_ACQUIRE_VM       KFD_REQUEST_WRITE(0x15, struct kfd_acquire_vm)
#define KFD_ALLOC_MEMORY     KFD_REQUEST(0x16, struct kfd_alloc_memory)
#define KFD_FREE_MEMORY      KFD_REQUEST_WRITE(0x17, struct kfd_free_memory)
#define KFD_MAP_MEMORY       KFD_REQUEST(0x18, struct kfd_map_memory)
#define KFD_UNMAP_MEMORY     KFD_REQUEST(0x19, struct kfd_map_memory)
#define KFD_AVAILABLE_MEMORY KFD_REQUEST(0x23, struct kfd_available_memory)

struct kfd_version {
	uint32_t major, minor; /* out */
};

/* ---- address spaces and memory ---- */

/* Ranges of GPU addresses of a process on one GPU; a limit is the last address. */
struct kfd_apertures {
	uint64_t lds_base, lds_limit;
	uint64_t private_base, private_limit;
	uint64_t va_base, va_limit; /* of memory that is mapped */
	uint32_t gpu_id, pad;
};
struct kfd_get_apertures {
	uint64_t list;  /* of struct kfd_apertures */
	uint32_t count; /* in: its capacity; out: GPUs */
	uint32_t pad;
};

/* Takes the address space of an open render node for compute. Once per process and GPU. */
struct kfd_acquire_vm {
	uint32_t render_file, gpu_id;
};

#define KFD_MEMORY_VRAM          (1u << 0)
#define KFD_MEMORY_GTT           (1u << 1)  /* system memory of the driver */
#define KFD_MEMORY_USER          (1u << 2)  /* memory of the process */
#define KFD_MEMORY_COHERENT      (1u << 26) /* not cached by the GPU */
#define KFD_MEMORY_NO_SUBSTITUTE (1u << 28)
#define KFD_MEMORY_PUBLIC        (1u << 29) /* VRAM that the CPU can map */
#define KFD_MEMORY_EXECUTABLE    (1u << 30)
#define KFD_MEMORY_WRITABLE      (1u << 31)

/* The GPU address is part of the memory: all GPUs map it there. */
struct kfd_alloc_memory {
	uint64_t va, bytes;
	uint64_t handle;      /* out */
	uint64_t mmap_offset; /* out: of the render node; in: CPU address of user memory */
	uint32_t gpu_id, flags;
};
struct kfd_free_memory {
	uint64_t handle; /* of memory that no GPU maps */
};
/* For both directions. done: GPUs from the list's start that are finished; 0 at the first call. */
struct kfd_map_memory {
	uint64_t handle, gpu_ids;
	uint32_t count, done;
};
struct kfd_available_memory {
	uint64_t bytes; /* out */
	uint32_t gpu_id, pad;
};

/* The code that amdkfd's own trap handler jumps to for traps and exceptions, and the address that it
 * hands over (hw/amd/trap.h); 0: none. kfd_process.c, kfd_process_set_trap_handler. */
struct kfd_set_trap_handler {
	uint64_t tba, tma;
	uint32_t gpu_id, pad;
};

/* ---- queues ---- */

enum kfd_queue_type { KFD_QUEUE_COMPUTE = 0, KFD_QUEUE_SDMA = 1 };
#define KFD_QUEUE_ALL_TIME     100 /* percent */
#define KFD_QUEUE_MAX_PRIORITY 15

/*
 * Since Linux 6.12 ring, EOP buffer, save area and the pages of the two pointers must each be a
 * whole mapping of exactly this size (kfd_queue.c). EOP buffer and save area are those of compute
 * queues: the first takes the ends of RELEASE_MEM packets, the second the registers of waves that
 * are preempted, after a control stack.
 */
struct kfd_create_queue {
	uint64_t ring;
	uint64_t write_pointer, read_pointer; /* addresses of 64 bits each */
	uint64_t doorbell_offset; /* out: mmap offset of the doorbells, plus this one's in them */
	uint32_t ring_bytes, gpu_id, type, percentage, priority;
	uint32_t queue_id; /* out */
	uint64_t eop_buffer, eop_bytes;
	uint64_t save_area;
	uint32_t save_bytes, control_stack_bytes;
};
struct kfd_destroy_queue {
	uint32_t queue_id, pad;
};

/* The header of a save area; the kernel writes the first four when it saves waves. */
struct kfd_save_header {
	uint32_t control_stack_offset, control_stack_bytes, waves_offset, waves_bytes;
	uint32_t debug_offset, debug_bytes;
	uint64_t error_reason;
	uint32_t error_event, reserved;
};

struct kfd_clocks {
	uint64_t gpu_ticks, cpu_ns, system_ticks, system_hz; /* out */
	uint32_t gpu_id, pad;
};

/* ---- events ---- */

enum kfd_event_type {
	KFD_EVENT_SIGNAL = 0, /* an interrupt of a queue */
	KFD_EVENT_HARDWARE = 3,
	KFD_EVENT_MEMORY = 8,
};

/* A signal event has a slot of 64 bits in the process's event page: its mailbox. An interrupt whose
 * context is the event's number signals it if the mailbox has been written since the last time. */
#define KFD_MAX_EVENTS       4096
#define KFD_EVENT_PAGE_BYTES (KFD_MAX_EVENTS * 8)

struct kfd_create_event {
	uint64_t event_page;   /* in: handle of the event page, for the first event; 0 later */
	uint32_t trigger_data; /* out */
	uint32_t type;
	uint32_t auto_reset; /* a wait resets the event */
	uint32_t node_id;
	uint32_t event_id, slot; /* out */
};
struct kfd_destroy_event {
	uint32_t event_id, pad;
};

enum kfd_reset_cause { KFD_RESET_HANG = 0, KFD_RESET_ECC = 1 };

struct kfd_event_data {
	union {
		struct {
			uint32_t not_present, read_only, no_execute, imprecise;
			uint64_t va;
			uint32_t gpu_id, error_type;
		} memory;
		struct {
			uint32_t reset_type, reset_cause, memory_lost, gpu_id;
		} hardware;
	};
	uint64_t extension;
	uint32_t event_id, pad; /* in */
};

enum kfd_wait_result { KFD_WAIT_COMPLETE = 0, KFD_WAIT_TIMEOUT = 1, KFD_WAIT_FAIL = 2 };

struct kfd_wait_events {
	uint64_t events; /* of struct kfd_event_data, which are filled for signalled exceptions */
	uint32_t count, all, timeout_ms;
	uint32_t result; /* out */
};

static_assert(sizeof(struct kfd_create_queue) == 88, "amdkfd's structure");
static_assert(sizeof(struct kfd_alloc_memory) == 40, "amdkfd's structure");
static_assert(sizeof(struct kfd_map_memory) == 24, "amdkfd's structure");
static_assert(sizeof(struct kfd_create_event) == 32, "amdkfd's structure");
static_assert(sizeof(struct kfd_event_data) == 48, "amdkfd's structure");
static_assert(sizeof(struct kfd_wait_events) == 24, "amdkfd's structure");
static_assert(sizeof(struct kfd_set_trap_handler) == 24, "amdkfd's structure");
static_assert(sizeof(struct kfd_apertures) == 56, "amdkfd's structure");
static_assert(sizeof(struct kfd_clocks) == 40, "amdkfd's structure");
static_assert(sizeof(struct kfd_save_header) == 40, "amdkfd's structure");

#endif
