/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
#ifndef _SOVGPU_DRM_H_
#define _SOVGPU_DRM_H_

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: Introduction
 *
 * This is the interface of sovgpu.ko, a DRM driver for GPU compute. A process opens a render node
 * and creates BOs (memory), VMs (GPU address spaces) and queue groups. It maps BOs into VMs, and
 * submits command streams to the queues of a group. The interface is vendor-neutral; docs/uapi.md
 * says what a member means on which hardware.
 *
 * This is version 0 of the interface. It may change until GPUs of two vendors work through it. The
 * driver's minor number (DRM_IOCTL_VERSION) grows with every addition.
 *
 * DOC: Conventions
 *
 * - The size of a structure is a multiple of 8 bytes, every member is naturally aligned, and
 *   padding has the name @pad. Non-zero padding and unknown flags fail with EINVAL.
 * - The kernel writes output members only on success.
 * - &struct drm_sovgpu_array passes an array with the caller's element size. The kernel takes zero
 *   for members that the caller's version lacks. Non-zero members that the kernel does not know
 *   fail with E2BIG.
 * - New members are added at the end, and zero selects the behavior without them. Numbers are never
 *   reused.
 * - An argument that the kernel cannot read or write fails with EFAULT, for every ioctl.
 * - After the device is removed, every ioctl fails with ENODEV.
 *
 * DOC: Design
 *
 * - VRAM is pinned: an allocation never moves. An allocation that does not fit fails with ENOSPC.
 * - The kernel zeroes memory before a process can see it.
 * - A queue group is the unit of fault containment and of time slicing. An error stops its group
 *   and nothing else. Groups share an engine by time slices, and the queues of a group run
 *   concurrently.
 * - A kernel queue takes jobs from QUEUE_SUBMIT, enforces a time limit and signals syncobjs. The
 *   ring, the GET and PUT pointers and the doorbell of a user queue are mapped into the process. A
 *   user queue never provides a dma-fence; its owner waits for values in memory (FENCE_WAIT).
 * - The kernel allocates no memory after it has published a fence.
 * - A device that does not respond is wedged: the driver stops all groups; BO_CREATE, VM_CREATE,
 *   VM_BIND, GROUP_CREATE and QUEUE_CREATE fail with EIO; and freed VRAM is not allocated again
 *   until the device is reset and bound again.
 *
 * DOC: Limits
 *
 * Module parameters limit the resources of a file, of all files that a user (the effective user ID
 * at open) has opened on a device, and of a device. Root can change them at any time in
 * /sys/module/sovgpu/parameters. The fdinfo shows each limit of the file (sovgpu-max-NAME) and of
 * its user (sovgpu-max-user-NAME), and the usage of the file (sovgpu-NAME) and of its user
 * (sovgpu-user-NAME). Exceeding a limit fails with ENOMEM for system memory, otherwise with ENOSPC.
 *
 * - max_vram_mib, max_user_vram_mib, max_device_vram_mib: VRAM in MiB; default 0, unlimited
 * - max_system_mib, max_user_system_mib, max_device_system_mib: system memory in MiB; default 0:
 *   half of the RAM for a file, unlimited for a user, three quarters of the RAM for a device
 * - max_buffers, max_user_buffers, max_device_buffers: buffer handles; default 65536, 1048576,
 *   4194304
 * - max_vms, max_user_vms, max_device_vms: GPU address spaces; default 64, 1024, 4096
 * - max_mappings, max_user_mappings, max_device_mappings: mapped VA ranges; default 65536, 1048576,
 *   4194304
 * - max_groups, max_user_groups, max_device_groups: queue groups; default 64, 1024, 4096
 * - max_queues, max_user_queues, max_device_queues: queues; default 256, 1024, 4096
 *
 * The memory limits include BOs and the page tables, contexts and rings of VMs and queues.
 * Unmapping part of a large page needs page tables; they count, but no limit refuses them. A BO
 * counts for the file that created it, and so for that file's user, until its memory is freed, also
 * while another file has a handle or a mapping. A handle counts for the file that has it. User
 * memory counts against RLIMIT_MEMLOCK instead. One call takes at most 1024 operations of VM_BIND
 * and 64 syncs; a queue holds as many jobs as its ring has entries. Structures that the kernel
 * allocates for a process count for its memory cgroup.
 */

/**
 * enum drm_sovgpu_ioctl_id - ioctl numbers
 */
enum drm_sovgpu_ioctl_id {
	/** @DRM_SOVGPU_DEV_QUERY: Read properties of the device. */
	DRM_SOVGPU_DEV_QUERY = 0,

	/** @DRM_SOVGPU_BO_CREATE: Allocate memory or pin the caller's memory. */
	DRM_SOVGPU_BO_CREATE,

	/** @DRM_SOVGPU_BO_MMAP_OFFSET: Get the mmap offset of a BO. */
	DRM_SOVGPU_BO_MMAP_OFFSET,

	/** @DRM_SOVGPU_BO_INFO: Get the properties of a BO, for example of an imported one. */
	DRM_SOVGPU_BO_INFO,

	/** @DRM_SOVGPU_VM_CREATE: Create a GPU address space. */
	DRM_SOVGPU_VM_CREATE,

	/** @DRM_SOVGPU_VM_DESTROY: Destroy a GPU address space. */
	DRM_SOVGPU_VM_DESTROY,

	/** @DRM_SOVGPU_VM_BIND: Map and unmap BOs in a GPU address space. */
	DRM_SOVGPU_VM_BIND,

	/** @DRM_SOVGPU_VM_STATE: Get the state and the last fault of a GPU address space. */
	DRM_SOVGPU_VM_STATE,

	/** @DRM_SOVGPU_GROUP_CREATE: Create a queue group. */
	DRM_SOVGPU_GROUP_CREATE,

	/** @DRM_SOVGPU_GROUP_DESTROY: Stop and destroy a queue group with its queues. */
	DRM_SOVGPU_GROUP_DESTROY,

	/** @DRM_SOVGPU_QUEUE_CREATE: Create a queue in a group. */
	DRM_SOVGPU_QUEUE_CREATE,

	/** @DRM_SOVGPU_QUEUE_DESTROY: Stop and destroy a queue. */
	DRM_SOVGPU_QUEUE_DESTROY,

	/** @DRM_SOVGPU_QUEUE_SUBMIT: Submit jobs to a kernel queue. */
	DRM_SOVGPU_QUEUE_SUBMIT,

	/** @DRM_SOVGPU_QUEUE_STATE: Get the state and the fault of a queue. */
	DRM_SOVGPU_QUEUE_STATE,

	/** @DRM_SOVGPU_FENCE_WAIT: Sleep until memory has a value. */
	DRM_SOVGPU_FENCE_WAIT,

	/** @DRM_SOVGPU_INTERRUPT_WAIT: Sleep until the device raises an interrupt. */
	DRM_SOVGPU_INTERRUPT_WAIT,
};

/**
 * struct drm_sovgpu_array - an array in user memory
 */
struct drm_sovgpu_array {
	/** @stride: Size of the caller's element structure. */
	__u32 stride;

	/** @count: Number of elements. */
	__u32 count;

	/** @array: Address of the first element; ignored if @count is 0. */
	__u64 array;
};

/**
 * enum drm_sovgpu_dev_query_type - information that DEV_QUERY returns
 */
enum drm_sovgpu_dev_query_type {
	/** @DRM_SOVGPU_DEV_QUERY_DEVICE: &struct drm_sovgpu_device_info. */
	DRM_SOVGPU_DEV_QUERY_DEVICE = 0,

	/** @DRM_SOVGPU_DEV_QUERY_MEMORY: &struct drm_sovgpu_memory_info. */
	DRM_SOVGPU_DEV_QUERY_MEMORY,

	/** @DRM_SOVGPU_DEV_QUERY_VM: &struct drm_sovgpu_vm_info. */
	DRM_SOVGPU_DEV_QUERY_VM,

	/** @DRM_SOVGPU_DEV_QUERY_QUEUE: &struct drm_sovgpu_queue_info. */
	DRM_SOVGPU_DEV_QUERY_QUEUE,

	/** @DRM_SOVGPU_DEV_QUERY_TIME: &struct drm_sovgpu_time_info. */
	DRM_SOVGPU_DEV_QUERY_TIME,
};

/**
 * struct drm_sovgpu_dev_query - argument of DEV_QUERY
 *
 * Errors: EINVAL for an unknown type, EFAULT for @pointer.
 */
struct drm_sovgpu_dev_query {
	/** @type: One value of &enum drm_sovgpu_dev_query_type. */
	__u32 type;

	/**
	 * @size: In: size of the buffer at @pointer. Out: size of the structure that the kernel
	 * knows. The kernel fills a smaller buffer with the first members, and clears the rest of a
	 * larger one.
	 */
	__u32 size;

	/** @pointer: Address of the buffer, or 0 to get @size only. */
	__u64 pointer;
};

/**
 * struct drm_sovgpu_device_info - identity of the GPU
 */
struct drm_sovgpu_device_info {
	/** @vendor: PCI vendor ID. */
	__u32 vendor;

	/** @device: PCI device ID. */
	__u32 device;

	/** @subsystem: PCI subsystem ID << 16 | subsystem vendor ID. */
	__u32 subsystem;

	/** @revision: PCI revision. */
	__u32 revision;

	/** @chip: The vendor's number of the chip. */
	__u32 chip;

	/** @isa: The vendor's number of the instruction set. */
	__u32 isa;

	/** @units: Number of multiprocessors, or 0 if unknown. */
	__u32 units;

	/** @pad: Must be zero. */
	__u32 pad;

	/** @name: Name of the chip in lower case, null-terminated. */
	__u8 name[32];

	/** @firmware: Version of the device's firmware, null-terminated; empty if there is none. */
	__u8 firmware[32];
};

/**
 * struct drm_sovgpu_memory_info - memory of the device
 */
struct drm_sovgpu_memory_info {
	/** @vram_bytes: Size of the allocatable VRAM. */
	__u64 vram_bytes;

	/** @vram_free: Free part of @vram_bytes. */
	__u64 vram_free;

	/** @vram_mappable: Part of @vram_bytes that the CPU can map. */
	__u64 vram_mappable;

	/** @vram_page: Allocation granularity of VRAM. */
	__u64 vram_page;
};

/**
 * struct drm_sovgpu_vm_info - GPU address spaces
 */
struct drm_sovgpu_vm_info {
	/** @va_start: First address that can be mapped. */
	__u64 va_start;

	/** @va_end: First address after the last that can be mapped. */
	__u64 va_end;

	/** @page_sizes: Supported page sizes; the value of each set bit is a page size. */
	__u64 page_sizes;

	/**
	 * @map_flags: Supported flags of &enum drm_sovgpu_vm_map_flags. VM_BIND refuses others. A
	 * driver before 0.4 does not fill this member.
	 */
	__u32 map_flags;

	/** @pad: Must be zero. */
	__u32 pad;
};

/**
 * struct drm_sovgpu_queue_info - capabilities of queues
 */
struct drm_sovgpu_queue_info {
	/** @classes: Bit mask of the supported &enum drm_sovgpu_queue_class. */
	__u32 classes;

	/** @modes: Bit mask of the supported &enum drm_sovgpu_queue_mode. */
	__u32 modes;

	/** @ring_entries_min: Minimum number of ring entries. */
	__u32 ring_entries_min;

	/** @ring_entries_max: Maximum number of ring entries. */
	__u32 ring_entries_max;

	/** @time_limit_ms_max: Maximum time limit of a job of a kernel queue. */
	__u32 time_limit_ms_max;

	/** @job_size_max: Maximum size of a job's command stream in bytes. */
	__u32 job_size_max;

	/** @job_va_end: Command streams must be below this GPU address. */
	__u64 job_va_end;

	/** @time_slice_us_max: Maximum time slice of a group. */
	__u32 time_slice_us_max;

	/** @pad: Must be zero. */
	__u32 pad;
};

/**
 * struct drm_sovgpu_time_info - two clocks, read one after the other
 */
struct drm_sovgpu_time_info {
	/** @device_ns: The device's clock, which its timestamps use. */
	__u64 device_ns;

	/** @monotonic_ns: CLOCK_MONOTONIC immediately before @device_ns was read. */
	__u64 monotonic_ns;
};

/**
 * enum drm_sovgpu_region - memory regions, one bit each
 */
enum drm_sovgpu_region {
	/** @DRM_SOVGPU_REGION_VRAM: Memory of the device. */
	DRM_SOVGPU_REGION_VRAM = 1 << 0,

	/** @DRM_SOVGPU_REGION_SYSTEM: System memory that the kernel allocates. */
	DRM_SOVGPU_REGION_SYSTEM = 1 << 1,

	/** @DRM_SOVGPU_REGION_USER: The caller's memory at &drm_sovgpu_bo_create.user_address. */
	DRM_SOVGPU_REGION_USER = 1 << 2,
};

/**
 * enum drm_sovgpu_bo_flags - flags of a BO
 */
enum drm_sovgpu_bo_flags {
	/** @DRM_SOVGPU_BO_MAPPABLE: Processes can mmap the BO. */
	DRM_SOVGPU_BO_MAPPABLE = 1 << 0,

	/**
	 * @DRM_SOVGPU_BO_UNCACHED: Hint that CPU mappings may be write-combined. The kernel ignores
	 * it where such a mapping could expose previous contents of the memory.
	 */
	DRM_SOVGPU_BO_UNCACHED = 1 << 1,
};

/**
 * struct drm_sovgpu_bo_create - argument of BO_CREATE
 *
 * Errors: EINVAL. ENOENT for @exclusive_vm. EFAULT for @user_address. ENOSPC if VRAM, a VRAM
 * limit or a handle limit is exhausted. ENOMEM, also for a system memory limit and RLIMIT_MEMLOCK.
 * EINTR. EIO.
 */
struct drm_sovgpu_bo_create {
	/**
	 * @size: Size in bytes, a multiple of the CPU's page size, or of
	 * &drm_sovgpu_memory_info.vram_page for VRAM.
	 */
	__u64 size;

	/** @region: One value of &enum drm_sovgpu_region. */
	__u32 region;

	/** @flags: Flags of &enum drm_sovgpu_bo_flags. */
	__u32 flags;

	/** @user_address: Page-aligned address for DRM_SOVGPU_REGION_USER, otherwise 0. */
	__u64 user_address;

	/**
	 * @exclusive_vm: The only VM that can map the BO, which cannot be exported then; 0 allows
	 * all VMs.
	 */
	__u32 exclusive_vm;

	/** @handle: Out: GEM handle of the BO. */
	__u32 handle;
};

/**
 * struct drm_sovgpu_bo_mmap_offset - argument of BO_MMAP_OFFSET
 *
 * Errors: EINVAL. ENOENT. EACCES if the BO was created without DRM_SOVGPU_BO_MAPPABLE.
 */
struct drm_sovgpu_bo_mmap_offset {
	/** @handle: A BO with DRM_SOVGPU_BO_MAPPABLE. */
	__u32 handle;

	/** @pad: Must be zero. */
	__u32 pad;

	/** @offset: Out: offset for mmap of the device's file. */
	__u64 offset;
};

/**
 * struct drm_sovgpu_bo_info - argument of BO_INFO
 *
 * Errors: EINVAL. ENOENT.
 */
struct drm_sovgpu_bo_info {
	/** @handle: A BO. */
	__u32 handle;

	/** @region: Out: one value of &enum drm_sovgpu_region. */
	__u32 region;

	/** @size: Out: size in bytes. */
	__u64 size;

	/** @flags: Out: flags of &enum drm_sovgpu_bo_flags. */
	__u32 flags;

	/** @pad: Must be zero. */
	__u32 pad;
};

/**
 * struct drm_sovgpu_vm_create - argument of VM_CREATE
 *
 * Errors: EINVAL. ENOSPC if VRAM, a VRAM limit or a VM limit is exhausted. ENOMEM. EIO.
 */
struct drm_sovgpu_vm_create {
	/** @flags: Must be zero. */
	__u32 flags;

	/** @id: Out: ID of the VM, not 0. */
	__u32 id;
};

/**
 * struct drm_sovgpu_vm_destroy - argument of VM_DESTROY
 *
 * Errors: EINVAL. ENOENT.
 */
struct drm_sovgpu_vm_destroy {
	/** @id: A VM. Its mappings exist until its last group is destroyed. */
	__u32 id;

	/** @pad: Must be zero. */
	__u32 pad;
};

/**
 * enum drm_sovgpu_sync_flags - flags of a sync
 */
enum drm_sovgpu_sync_flags {
	/** @DRM_SOVGPU_SYNC_TIMELINE: The syncobj is a timeline; otherwise it is binary. */
	DRM_SOVGPU_SYNC_TIMELINE = 1 << 0,

	/** @DRM_SOVGPU_SYNC_SIGNAL: Signal the syncobj; otherwise wait for it. */
	DRM_SOVGPU_SYNC_SIGNAL = 1 << 1,
};

/**
 * struct drm_sovgpu_sync - a syncobj to wait for or to signal
 */
struct drm_sovgpu_sync {
	/** @flags: Flags of &enum drm_sovgpu_sync_flags. */
	__u32 flags;

	/** @handle: Handle of a DRM syncobj. */
	__u32 handle;

	/** @point: Timeline point, or 0 for a binary syncobj. */
	__u64 point;
};

/**
 * enum drm_sovgpu_vm_bind_op_type - operations of VM_BIND
 */
enum drm_sovgpu_vm_bind_op_type {
	/** @DRM_SOVGPU_VM_BIND_OP_MAP: Map a range of a BO and replace existing mappings. */
	DRM_SOVGPU_VM_BIND_OP_MAP = 0,

	/** @DRM_SOVGPU_VM_BIND_OP_UNMAP: Unmap all mappings in a range. */
	DRM_SOVGPU_VM_BIND_OP_UNMAP,
};

/**
 * enum drm_sovgpu_vm_map_flags - access flags of a mapping
 *
 * &drm_sovgpu_vm_info.map_flags tells which of them a device supports.
 */
enum drm_sovgpu_vm_map_flags {
	/** @DRM_SOVGPU_VM_MAP_READONLY: The device cannot write. */
	DRM_SOVGPU_VM_MAP_READONLY = 1 << 0,

	/** @DRM_SOVGPU_VM_MAP_NOEXEC: The device cannot execute. */
	DRM_SOVGPU_VM_MAP_NOEXEC = 1 << 1,

	/** @DRM_SOVGPU_VM_MAP_UNCACHED: The device bypasses its caches. */
	DRM_SOVGPU_VM_MAP_UNCACHED = 1 << 2,
};

/**
 * struct drm_sovgpu_vm_bind_op - one operation of VM_BIND
 */
struct drm_sovgpu_vm_bind_op {
	/** @type: One value of &enum drm_sovgpu_vm_bind_op_type. */
	__u32 type;

	/** @flags: Map: flags of &enum drm_sovgpu_vm_map_flags. Unmap: 0. */
	__u32 flags;

	/** @handle: Map: a BO. Unmap: 0. */
	__u32 handle;

	/** @pad: Must be zero. */
	__u32 pad;

	/** @offset: Map: offset in the BO, a multiple of its page size. Unmap: 0. */
	__u64 offset;

	/** @va: First GPU address. */
	__u64 va;

	/** @size: Size in bytes. */
	__u64 size;
};

/**
 * struct drm_sovgpu_vm_bind - argument of VM_BIND
 *
 * The call is synchronous. It waits for the input syncs (EINTR after a signal), executes all
 * operations in order, and then signals the output syncs. If an operation fails, the operations
 * before it stay in effect, @done counts them, and no sync is signalled. An operation that fails
 * with ENOMEM or ENOSPC may have unmapped its range.
 *
 * Errors: EINVAL, also for a syncobj to wait for that has no fence. EOPNOTSUPP for a flag that the
 * device does not support. ENOENT for the VM, a BO or a syncobj. EPERM if another VM has exclusive
 * use of the BO. E2BIG and EFAULT for an array. ENOMEM. ENOSPC if VRAM, a VRAM limit (for page
 * tables) or a mapping limit is exhausted. EINTR. EIO.
 */
struct drm_sovgpu_vm_bind {
	/** @vm_id: A VM. */
	__u32 vm_id;

	/** @flags: Must be zero. */
	__u32 flags;

	/** @ops: Array of &struct drm_sovgpu_vm_bind_op. */
	struct drm_sovgpu_array ops;

	/** @syncs: Array of &struct drm_sovgpu_sync. */
	struct drm_sovgpu_array syncs;

	/** @done: Out, also on failure: number of completed operations. */
	__u32 done;

	/** @pad: Must be zero. */
	__u32 pad;
};

/**
 * enum drm_sovgpu_vm_state_kind - states of a VM
 */
enum drm_sovgpu_vm_state_kind {
	/** @DRM_SOVGPU_VM_STATE_USABLE: The VM is usable. */
	DRM_SOVGPU_VM_STATE_USABLE = 0,

	/** @DRM_SOVGPU_VM_STATE_UNUSABLE: The VM can only be destroyed. */
	DRM_SOVGPU_VM_STATE_UNUSABLE,
};

/**
 * struct drm_sovgpu_vm_state - argument of VM_STATE
 *
 * Errors: EINVAL. ENOENT.
 */
struct drm_sovgpu_vm_state {
	/** @vm_id: A VM. */
	__u32 vm_id;

	/** @state: Out: one value of &enum drm_sovgpu_vm_state_kind. */
	__u32 state;

	/** @mapped: Out: number of mapped bytes. */
	__u64 mapped;

	/** @fault_address: Out: address of the last fault if @fault_count is not 0. */
	__u64 fault_address;

	/** @fault_count: Out: number of faults since the VM was created. */
	__u32 fault_count;

	/** @pad: Must be zero. */
	__u32 pad;
};

/**
 * struct drm_sovgpu_group_create - argument of GROUP_CREATE
 *
 * Errors: EINVAL. ENOENT. ENOSPC at a group limit. ENOMEM. EIO.
 */
struct drm_sovgpu_group_create {
	/** @vm_id: The VM of all queues of the group. */
	__u32 vm_id;

	/** @flags: Must be zero. */
	__u32 flags;

	/** @priority: 0 for normal, 1 for low. Higher priorities would need privileges. */
	__u32 priority;

	/**
	 * @time_slice_us: Time slice while other groups wait for the engine, at most
	 * &drm_sovgpu_queue_info.time_slice_us_max; 0 selects that maximum.
	 */
	__u32 time_slice_us;

	/** @id: Out: ID of the group, not 0. */
	__u32 id;

	/** @pad: Must be zero. */
	__u32 pad;
};

/**
 * struct drm_sovgpu_group_destroy - argument of GROUP_DESTROY
 *
 * Errors: EINVAL. ENOENT.
 */
struct drm_sovgpu_group_destroy {
	/** @id: A group. */
	__u32 id;

	/** @pad: Must be zero. */
	__u32 pad;
};

/**
 * enum drm_sovgpu_queue_class - engines of a queue
 */
enum drm_sovgpu_queue_class {
	/** @DRM_SOVGPU_QUEUE_COMPUTE: The compute engine, which also copies. */
	DRM_SOVGPU_QUEUE_COMPUTE = 0,

	/** @DRM_SOVGPU_QUEUE_COPY: A copy engine. */
	DRM_SOVGPU_QUEUE_COPY,
};

/**
 * enum drm_sovgpu_queue_mode - writers of the ring
 */
enum drm_sovgpu_queue_mode {
	/** @DRM_SOVGPU_QUEUE_KERNEL: The kernel writes the ring for QUEUE_SUBMIT. */
	DRM_SOVGPU_QUEUE_KERNEL = 0,

	/** @DRM_SOVGPU_QUEUE_USER: The process writes the ring without a system call. */
	DRM_SOVGPU_QUEUE_USER,
};

/**
 * struct drm_sovgpu_queue_create - argument of QUEUE_CREATE
 *
 * The ring of a user queue is memory of the process that the group's VM maps (otherwise EFAULT).
 * Writes to the ring, the pointers and the doorbell can stop the process's own group and nothing
 * else. The pages can be mapped while the queue exists, and existing mappings outlive the queue. A
 * doorbell write can pass an earlier write to the pointers, which are in VRAM: read PUT back before
 * the doorbell write.
 *
 * Errors: EINVAL. ENOENT. EOPNOTSUPP for an unsupported class or mode. EFAULT for the ring.
 * ECANCELED if the group is stopped. ENOSPC if VRAM, a VRAM limit or a queue limit is
 * exhausted. ENOMEM, also for a system memory limit. EIO.
 */
struct drm_sovgpu_queue_create {
	/** @group_id: The group of the queue. */
	__u32 group_id;

	/** @queue_class: One value of &enum drm_sovgpu_queue_class. */
	__u32 queue_class;

	/** @mode: One value of &enum drm_sovgpu_queue_mode. */
	__u32 mode;

	/** @flags: Must be zero. */
	__u32 flags;

	/**
	 * @ring_va: User queue: GPU address of the ring, a multiple of the entry size and below
	 * &drm_sovgpu_queue_info.job_va_end. Kernel queue: 0.
	 */
	__u64 ring_va;

	/**
	 * @ring_entries: A power of two. Kernel queue: maximum number of jobs. User queue: number
	 * of ring entries.
	 */
	__u32 ring_entries;

	/** @time_limit_ms: Kernel queue: time limit of each job, not 0. User queue: 0. */
	__u32 time_limit_ms;

	/** @id: Out: ID of the queue, not 0. */
	__u32 id;

	/** @doorbell_value: Out, user queue: value to write to the doorbell. */
	__u32 doorbell_value;

	/**
	 * @doorbell_offset: Out, user queue: offset of the 32-bit doorbell in the device's file.
	 * mmap the page that contains it.
	 */
	__u64 doorbell_offset;

	/** @pointers_offset: Out, user queue: mmap offset of the page with GET and PUT. */
	__u64 pointers_offset;

	/** @put_offset: Out, user queue: offset of PUT, which the process writes, in that page. */
	__u32 put_offset;

	/** @get_offset: Out, user queue: offset of GET, which the device writes, in that page. */
	__u32 get_offset;
};

/**
 * struct drm_sovgpu_queue_destroy - argument of QUEUE_DESTROY
 *
 * Errors: EINVAL. ENOENT.
 */
struct drm_sovgpu_queue_destroy {
	/** @id: A queue. */
	__u32 id;

	/** @pad: Must be zero. */
	__u32 pad;
};

/**
 * struct drm_sovgpu_job - a command stream
 */
struct drm_sovgpu_job {
	/** @va: GPU address of the command stream. */
	__u64 va;

	/** @size: Size in bytes. */
	__u32 size;

	/** @pad: Must be zero. */
	__u32 pad;
};

/**
 * struct drm_sovgpu_queue_submit - argument of QUEUE_SUBMIT
 *
 * The first job waits for the input syncs, and the last job signals the output syncs.
 *
 * Errors: EINVAL. ENOENT for the queue or a syncobj. ECANCELED if the queue is stopped. E2BIG and
 * EFAULT for an array. ENOMEM. EINTR.
 */
struct drm_sovgpu_queue_submit {
	/** @queue_id: A kernel queue. A user queue fails with EINVAL. */
	__u32 queue_id;

	/** @flags: Must be zero. */
	__u32 flags;

	/** @jobs: Array of &struct drm_sovgpu_job, which run in order. */
	struct drm_sovgpu_array jobs;

	/** @syncs: Array of &struct drm_sovgpu_sync. */
	struct drm_sovgpu_array syncs;
};

/**
 * enum drm_sovgpu_queue_state_kind - states of a queue
 */
enum drm_sovgpu_queue_state_kind {
	/** @DRM_SOVGPU_QUEUE_STATE_USABLE: The queue accepts work. */
	DRM_SOVGPU_QUEUE_STATE_USABLE = 0,

	/** @DRM_SOVGPU_QUEUE_STATE_FAULTED: Work of the queue faulted. */
	DRM_SOVGPU_QUEUE_STATE_FAULTED,

	/** @DRM_SOVGPU_QUEUE_STATE_TIMED_OUT: A job of the queue exceeded its time limit. */
	DRM_SOVGPU_QUEUE_STATE_TIMED_OUT,

	/**
	 * @DRM_SOVGPU_QUEUE_STATE_INNOCENT: The queue was stopped because another queue of the
	 * group failed, or the group was destroyed, or the device was removed or wedged.
	 */
	DRM_SOVGPU_QUEUE_STATE_INNOCENT,
};

/**
 * struct drm_sovgpu_queue_state - argument of QUEUE_STATE
 *
 * Errors: EINVAL. ENOENT.
 */
struct drm_sovgpu_queue_state {
	/** @queue_id: A queue. */
	__u32 queue_id;

	/** @state: Out: one value of &enum drm_sovgpu_queue_state_kind. */
	__u32 state;

	/**
	 * @fault_code: Out: the vendor's error number; 0 without an error, and for a queue whose
	 * program forged a seqno.
	 */
	__u32 fault_code;

	/** @fault_unit: Out: the vendor's number of the faulting unit. */
	__u32 fault_unit;

	/** @fault_address: Out: the faulting GPU address, if there is one. */
	__u64 fault_address;

	/** @fault_kind: Out: the vendor's number of the fault type. */
	__u32 fault_kind;

	/** @pad: Must be zero. */
	__u32 pad;
};

/**
 * enum drm_sovgpu_fence_op - comparisons of FENCE_WAIT
 */
enum drm_sovgpu_fence_op {
	/** @DRM_SOVGPU_FENCE_EQUAL: Wait until (memory & mask) == value. */
	DRM_SOVGPU_FENCE_EQUAL = 0,

	/** @DRM_SOVGPU_FENCE_AT_LEAST: Wait until (memory & mask) >= value, unsigned. */
	DRM_SOVGPU_FENCE_AT_LEAST,
};

/**
 * struct drm_sovgpu_fence_wait - argument of FENCE_WAIT
 *
 * Errors: EINVAL. ENOENT. ETIME. EINTR. ENOMEM.
 */
struct drm_sovgpu_fence_wait {
	/** @handle: A BO that processes can map. */
	__u32 handle;

	/** @op: One value of &enum drm_sovgpu_fence_op. */
	__u32 op;

	/** @offset: Offset of the 64-bit value in the BO, a multiple of 8. */
	__u64 offset;

	/** @value: Value to compare with. */
	__u64 value;

	/** @mask: Mask of the compared bits. */
	__u64 mask;

	/** @deadline_ns: CLOCK_MONOTONIC time at which the call fails with ETIME. */
	__s64 deadline_ns;
};

/**
 * struct drm_sovgpu_interrupt_wait - argument of INTERRUPT_WAIT
 *
 * An interrupt wakes the waiters of all processes, and so does a queue that fails. After the call a
 * waiter checks its memory, and QUEUE_STATE if memory has not changed.
 *
 * Errors: EINVAL. ETIME. EINTR.
 */
struct drm_sovgpu_interrupt_wait {
	/**
	 * @count: In: interrupt count that the caller has seen. Out: the current count, which
	 * differs. The counter wraps around.
	 */
	__u32 count;

	/** @pad: Must be zero. */
	__u32 pad;

	/** @deadline_ns: CLOCK_MONOTONIC time at which the call fails with ETIME. */
	__s64 deadline_ns;
};

#define DRM_IOCTL_SOVGPU(access, id, type) \
	DRM_IO##access(DRM_COMMAND_BASE + DRM_SOVGPU_##id, struct drm_sovgpu_##type)

#define DRM_IOCTL_SOVGPU_DEV_QUERY      DRM_IOCTL_SOVGPU(WR, DEV_QUERY, dev_query)
#define DRM_IOCTL_SOVGPU_BO_CREATE      DRM_IOCTL_SOVGPU(WR, BO_CREATE, bo_create)
#define DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET DRM_IOCTL_SOVGPU(WR, BO_MMAP_OFFSET, bo_mmap_offset)
#define DRM_IOCTL_SOVGPU_BO_INFO        DRM_IOCTL_SOVGPU(WR, BO_INFO, bo_info)
#define DRM_IOCTL_SOVGPU_VM_CREATE      DRM_IOCTL_SOVGPU(WR, VM_CREATE, vm_create)
#define DRM_IOCTL_SOVGPU_VM_DESTROY     DRM_IOCTL_SOVGPU(WR, VM_DESTROY, vm_destroy)
#define DRM_IOCTL_SOVGPU_VM_BIND        DRM_IOCTL_SOVGPU(WR, VM_BIND, vm_bind)
#define DRM_IOCTL_SOVGPU_VM_STATE       DRM_IOCTL_SOVGPU(WR, VM_STATE, vm_state)
#define DRM_IOCTL_SOVGPU_GROUP_CREATE   DRM_IOCTL_SOVGPU(WR, GROUP_CREATE, group_create)
#define DRM_IOCTL_SOVGPU_GROUP_DESTROY  DRM_IOCTL_SOVGPU(WR, GROUP_DESTROY, group_destroy)
#define DRM_IOCTL_SOVGPU_QUEUE_CREATE   DRM_IOCTL_SOVGPU(WR, QUEUE_CREATE, queue_create)
#define DRM_IOCTL_SOVGPU_QUEUE_DESTROY  DRM_IOCTL_SOVGPU(WR, QUEUE_DESTROY, queue_destroy)
#define DRM_IOCTL_SOVGPU_QUEUE_SUBMIT   DRM_IOCTL_SOVGPU(WR, QUEUE_SUBMIT, queue_submit)
#define DRM_IOCTL_SOVGPU_QUEUE_STATE    DRM_IOCTL_SOVGPU(WR, QUEUE_STATE, queue_state)
#define DRM_IOCTL_SOVGPU_FENCE_WAIT     DRM_IOCTL_SOVGPU(WR, FENCE_WAIT, fence_wait)
#define DRM_IOCTL_SOVGPU_INTERRUPT_WAIT DRM_IOCTL_SOVGPU(WR, INTERRUPT_WAIT, interrupt_wait)

#if defined(__cplusplus)
}
#endif

#endif /* _SOVGPU_DRM_H_ */
