/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
#ifndef _SOVGPU_DRM_H_
#define _SOVGPU_DRM_H_

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: Rules
 *
 * This is version 0 of the interface. It may change until GPUs of two vendors work through it; the
 * minor number of the driver (DRM_IOCTL_VERSION) grows with every addition.
 *
 * - Structures are multiples of 8 bytes, every member lies at its natural alignment, and holes are
 *   named @pad. Pads and unknown flags must be zero and are refused with EINVAL otherwise.
 * - What the kernel returns is written only on success.
 * - Arrays come as &struct drm_sovgpu_array with the caller's element size. A kernel that knows
 *   more members takes zero for those that the caller does not; one that knows fewer refuses what
 *   it does not know, unless it is zero (E2BIG).
 * - New members come at the end, and zero means what was before them. Numbers are never used again.
 * - Nothing in here names a vendor: what a member means on which hardware is in docs/uapi.md.
 *
 * DOC: Decisions
 *
 * - Video memory is pinned: an allocation stays where it is until it is freed, and one that does
 *   not fit fails with ENOSPC.
 * - Memory is zero when it is first seen, whoever had it before.
 * - A queue group is the unit of fate and of time slicing. An error takes down its group and
 *   nothing else; groups take turns; queues of one group run side by side.
 * - A kernel queue takes jobs from QUEUE_SUBMIT, has a time limit and signals syncobjs. A user
 *   queue has its ring, its pointers and its doorbell mapped; it never gives out a dma-fence, and
 *   its owner waits on memory (FENCE_WAIT).
 * - Nothing is allocated after a fence is published.
 * - A device that does not do what it is told is given up. Groups are stopped, calls that would
 *   make or map something (BO_CREATE, VM_CREATE, VM_BIND, GROUP_CREATE, QUEUE_CREATE) fail with
 *   EIO, and video memory that is freed is handed out to nobody, until the device is reset and
 *   bound again. A device that is gone is ENODEV, for every call.
 * - An argument that cannot be read or written is EFAULT, for every call.
 *
 * DOC: Limits
 *
 * What a file may have is limited by parameters of the module, which root can change at any time in
 * /sys/module/sovgpu/parameters; fdinfo has each limit (sovgpu-max-NAME) and what the file has of
 * it (sovgpu-NAME). Who wants more gets ENOMEM for memory of the machine, and ENOSPC for all else:
 *
 * - max_vram_mib, bytes of video memory; 0, the default: all there is
 * - max_system_mib, bytes of system memory; 0, the default: half of the machine's memory
 * - max_buffers, handles to buffers; 65536
 * - max_vms, address spaces; 64
 * - max_mappings, ranges that are mapped in these; 65536
 * - max_groups, groups of queues; 64
 * - max_queues, queues; 256
 *
 * Bytes are those of buffers, and those that address spaces and queues need: page tables, contexts,
 * rings. To unmap a part of a large page takes page tables; no limit refuses these, but they count.
 * A buffer's bytes count for the file that made it until its memory is free, whoever has a handle
 * to it or has it mapped; handles count for the file that has them. Memory of the caller's own
 * counts against its RLIMIT_MEMLOCK instead. A call takes 1024 steps of VM_BIND and 64 syncs; a
 * queue has as many jobs as its ring has entries. Structures that the kernel makes for a process
 * count for its memory cgroup.
 */

/**
 * enum drm_sovgpu_ioctl_id - numbers of the calls
 */
enum drm_sovgpu_ioctl_id {
	/** @DRM_SOVGPU_DEV_QUERY: facts about the device */
	DRM_SOVGPU_DEV_QUERY = 0,

	/** @DRM_SOVGPU_BO_CREATE: allocate memory, or take the caller's own */
	DRM_SOVGPU_BO_CREATE,

	/** @DRM_SOVGPU_BO_MMAP_OFFSET: the offset at which to mmap a buffer */
	DRM_SOVGPU_BO_MMAP_OFFSET,

	/** @DRM_SOVGPU_BO_INFO: what a buffer is, also one that was imported */
	DRM_SOVGPU_BO_INFO,

	/** @DRM_SOVGPU_VM_CREATE: make an address space */
	DRM_SOVGPU_VM_CREATE,

	/** @DRM_SOVGPU_VM_DESTROY: give it up */
	DRM_SOVGPU_VM_DESTROY,

	/** @DRM_SOVGPU_VM_BIND: map buffers into it and unmap them */
	DRM_SOVGPU_VM_BIND,

	/** @DRM_SOVGPU_VM_STATE: is it usable, what was the last fault */
	DRM_SOVGPU_VM_STATE,

	/** @DRM_SOVGPU_GROUP_CREATE: make a group of queues */
	DRM_SOVGPU_GROUP_CREATE,

	/** @DRM_SOVGPU_GROUP_DESTROY: stop it and its queues */
	DRM_SOVGPU_GROUP_DESTROY,

	/** @DRM_SOVGPU_QUEUE_CREATE: make a queue in a group */
	DRM_SOVGPU_QUEUE_CREATE,

	/** @DRM_SOVGPU_QUEUE_DESTROY: stop it */
	DRM_SOVGPU_QUEUE_DESTROY,

	/** @DRM_SOVGPU_QUEUE_SUBMIT: hand jobs to a kernel queue */
	DRM_SOVGPU_QUEUE_SUBMIT,

	/** @DRM_SOVGPU_QUEUE_STATE: does it run, and if not, why */
	DRM_SOVGPU_QUEUE_STATE,

	/** @DRM_SOVGPU_FENCE_WAIT: sleep until memory has a value */
	DRM_SOVGPU_FENCE_WAIT,

	/** @DRM_SOVGPU_INTERRUPT_WAIT: sleep until the device interrupts */
	DRM_SOVGPU_INTERRUPT_WAIT,
};

/**
 * struct drm_sovgpu_array - an array in the caller's memory
 */
struct drm_sovgpu_array {
	/** @stride: bytes from one element to the next, as the caller knows it */
	__u32 stride;

	/** @count: elements */
	__u32 count;

	/** @array: address of the first; ignored when @count is 0 */
	__u64 array;
};

/**
 * enum drm_sovgpu_dev_query_type - what DEV_QUERY can be asked for
 */
enum drm_sovgpu_dev_query_type {
	/** @DRM_SOVGPU_DEV_QUERY_DEVICE: &struct drm_sovgpu_device_info */
	DRM_SOVGPU_DEV_QUERY_DEVICE = 0,

	/** @DRM_SOVGPU_DEV_QUERY_MEMORY: &struct drm_sovgpu_memory_info */
	DRM_SOVGPU_DEV_QUERY_MEMORY,

	/** @DRM_SOVGPU_DEV_QUERY_VM: &struct drm_sovgpu_vm_info */
	DRM_SOVGPU_DEV_QUERY_VM,

	/** @DRM_SOVGPU_DEV_QUERY_QUEUE: &struct drm_sovgpu_queue_info */
	DRM_SOVGPU_DEV_QUERY_QUEUE,

	/** @DRM_SOVGPU_DEV_QUERY_TIME: &struct drm_sovgpu_time_info */
	DRM_SOVGPU_DEV_QUERY_TIME,
};

/**
 * struct drm_sovgpu_dev_query - argument of DEV_QUERY
 *
 * Errors: EINVAL: no such type. EFAULT: @pointer.
 */
struct drm_sovgpu_dev_query {
	/** @type: one of &enum drm_sovgpu_dev_query_type */
	__u32 type;

	/**
	 * @size: in: bytes at @pointer; out: bytes of the structure as the kernel knows it. When
	 * the caller's is smaller its first bytes are filled, when it is larger the rest becomes
	 * zero.
	 */
	__u32 size;

	/** @pointer: where the answer goes; 0: only @size is wanted */
	__u64 pointer;
};

/**
 * struct drm_sovgpu_device_info - which GPU this is
 */
struct drm_sovgpu_device_info {
	/** @vendor: PCI vendor number */
	__u32 vendor;

	/** @device: PCI device number */
	__u32 device;

	/** @subsystem: PCI subsystem device number << 16 | subsystem vendor number */
	__u32 subsystem;

	/** @revision: PCI revision */
	__u32 revision;

	/** @chip: the vendor's number for the chip */
	__u32 chip;

	/** @isa: the vendor's number for its instruction set */
	__u32 isa;

	/** @units: processors that take blocks of threads; 0: the driver was not told */
	__u32 units;

	/** @pad: zero */
	__u32 pad;

	/** @name: the chip's name in lower case, ends with a zero byte */
	__u8 name[32];

	/**
	 * @firmware: version of the firmware that runs on it, ends with a zero byte; empty: none
	 */
	__u8 firmware[32];
};

/**
 * struct drm_sovgpu_memory_info - memory of the device
 */
struct drm_sovgpu_memory_info {
	/** @vram_bytes: video memory that can be allocated */
	__u64 vram_bytes;

	/** @vram_free: of these, now free */
	__u64 vram_free;

	/** @vram_mappable: the part of video memory that a process can map */
	__u64 vram_mappable;

	/** @vram_page: smallest allocation of video memory */
	__u64 vram_page;
};

/**
 * struct drm_sovgpu_vm_info - address spaces of the device
 */
struct drm_sovgpu_vm_info {
	/** @va_start: first address that can be mapped */
	__u64 va_start;

	/** @va_end: first address beyond */
	__u64 va_end;

	/** @page_sizes: one bit for each size of pages, which is the bit's value */
	__u64 page_sizes;
};

/**
 * struct drm_sovgpu_queue_info - queues of the device
 */
struct drm_sovgpu_queue_info {
	/** @classes: one bit for each &enum drm_sovgpu_queue_class there is */
	__u32 classes;

	/** @modes: one bit for each &enum drm_sovgpu_queue_mode there is */
	__u32 modes;

	/** @ring_entries_min: smallest ring */
	__u32 ring_entries_min;

	/** @ring_entries_max: largest ring */
	__u32 ring_entries_max;

	/** @time_limit_ms_max: longest time a kernel queue's job may take */
	__u32 time_limit_ms_max;

	/** @job_size_max: most bytes of a job's command stream */
	__u32 job_size_max;

	/** @job_va_end: command streams lie below this address */
	__u64 job_va_end;

	/** @time_slice_us_max: longest turn of a group */
	__u32 time_slice_us_max;

	/** @pad: zero */
	__u32 pad;
};

/**
 * struct drm_sovgpu_time_info - two clocks, read one after the other
 */
struct drm_sovgpu_time_info {
	/** @device_ns: the device's clock, as its time stamps have it */
	__u64 device_ns;

	/** @monotonic_ns: CLOCK_MONOTONIC, just before */
	__u64 monotonic_ns;
};

/**
 * enum drm_sovgpu_region - kinds of memory, one bit each
 */
enum drm_sovgpu_region {
	/** @DRM_SOVGPU_REGION_VRAM: on the card */
	DRM_SOVGPU_REGION_VRAM = 1 << 0,

	/** @DRM_SOVGPU_REGION_SYSTEM: the machine's, allocated by the kernel */
	DRM_SOVGPU_REGION_SYSTEM = 1 << 1,

	/** @DRM_SOVGPU_REGION_USER: the caller's own, at &drm_sovgpu_bo_create.user_address */
	DRM_SOVGPU_REGION_USER = 1 << 2,
};

/**
 * enum drm_sovgpu_bo_flags - how a buffer will be used
 */
enum drm_sovgpu_bo_flags {
	/** @DRM_SOVGPU_BO_MAPPABLE: processes will map it */
	DRM_SOVGPU_BO_MAPPABLE = 1 << 0,

	/**
	 * @DRM_SOVGPU_BO_UNCACHED: processes' mappings may bypass their caches (write-combined); a
	 * hint, which is taken where the memory's earlier content cannot be seen that way
	 */
	DRM_SOVGPU_BO_UNCACHED = 1 << 1,
};

/**
 * struct drm_sovgpu_bo_create - argument of BO_CREATE
 *
 * Errors: EINVAL. ENOENT: @exclusive_vm. EFAULT: @user_address. ENOSPC: video memory is full, or
 * the file has its part of it, or too many handles. ENOMEM, also when the file has its part of
 * system memory, or beyond RLIMIT_MEMLOCK. EINTR. EIO.
 */
struct drm_sovgpu_bo_create {
	/**
	 * @size: bytes, a multiple of the machine's page; of &drm_sovgpu_memory_info.vram_page in
	 * VRAM
	 */
	__u64 size;

	/** @region: one of &enum drm_sovgpu_region */
	__u32 region;

	/** @flags: of &enum drm_sovgpu_bo_flags */
	__u32 flags;

	/**
	 * @user_address: with DRM_SOVGPU_REGION_USER, where the memory is, page aligned; otherwise
	 * 0
	 */
	__u64 user_address;

	/**
	 * @exclusive_vm: the only address space it may be bound in, and it cannot be exported;
	 * 0: any
	 */
	__u32 exclusive_vm;

	/** @handle: out: the buffer */
	__u32 handle;
};

/**
 * struct drm_sovgpu_bo_mmap_offset - argument of BO_MMAP_OFFSET
 *
 * Errors: EINVAL. ENOENT. EACCES: it was not made to be mapped.
 */
struct drm_sovgpu_bo_mmap_offset {
	/** @handle: a buffer made with DRM_SOVGPU_BO_MAPPABLE */
	__u32 handle;

	/** @pad: zero */
	__u32 pad;

	/** @offset: out: for mmap on the device's file */
	__u64 offset;
};

/**
 * struct drm_sovgpu_bo_info - argument of BO_INFO
 *
 * Errors: EINVAL. ENOENT.
 */
struct drm_sovgpu_bo_info {
	/** @handle: a buffer */
	__u32 handle;

	/** @region: out: one of &enum drm_sovgpu_region */
	__u32 region;

	/** @size: out: bytes */
	__u64 size;

	/** @flags: out: of &enum drm_sovgpu_bo_flags */
	__u32 flags;

	/** @pad: zero */
	__u32 pad;
};

/**
 * struct drm_sovgpu_vm_create - argument of VM_CREATE
 *
 * Errors: EINVAL. ENOSPC: video memory is full, or the file has its part of it, or too many.
 * ENOMEM. EIO.
 */
struct drm_sovgpu_vm_create {
	/** @flags: none are known: 0 */
	__u32 flags;

	/** @id: out: the address space, not 0 */
	__u32 id;
};

/**
 * struct drm_sovgpu_vm_destroy - argument of VM_DESTROY
 *
 * Errors: EINVAL. ENOENT.
 */
struct drm_sovgpu_vm_destroy {
	/** @id: an address space; its memory lives as long as groups use it */
	__u32 id;

	/** @pad: zero */
	__u32 pad;
};

/**
 * enum drm_sovgpu_sync_flags - what a sync is and does
 */
enum drm_sovgpu_sync_flags {
	/** @DRM_SOVGPU_SYNC_TIMELINE: @point counts; otherwise the syncobj is a binary one */
	DRM_SOVGPU_SYNC_TIMELINE = 1 << 0,

	/** @DRM_SOVGPU_SYNC_SIGNAL: is signalled afterwards; otherwise it is waited for */
	DRM_SOVGPU_SYNC_SIGNAL = 1 << 1,
};

/**
 * struct drm_sovgpu_sync - something to wait for before, or to signal after
 */
struct drm_sovgpu_sync {
	/** @flags: of &enum drm_sovgpu_sync_flags */
	__u32 flags;

	/** @handle: a DRM syncobj */
	__u32 handle;

	/** @point: on its timeline; otherwise 0 */
	__u64 point;
};

/**
 * enum drm_sovgpu_vm_bind_op_type - what one element of VM_BIND does
 */
enum drm_sovgpu_vm_bind_op_type {
	/** @DRM_SOVGPU_VM_BIND_OP_MAP: map a part of a buffer; what was there goes */
	DRM_SOVGPU_VM_BIND_OP_MAP = 0,

	/** @DRM_SOVGPU_VM_BIND_OP_UNMAP: unmap a range, whatever is in it */
	DRM_SOVGPU_VM_BIND_OP_UNMAP,
};

/**
 * enum drm_sovgpu_vm_map_flags - rights of a mapping
 */
enum drm_sovgpu_vm_map_flags {
	/** @DRM_SOVGPU_VM_MAP_READONLY: the device cannot write there */
	DRM_SOVGPU_VM_MAP_READONLY = 1 << 0,

	/** @DRM_SOVGPU_VM_MAP_NOEXEC: the device cannot execute what is there */
	DRM_SOVGPU_VM_MAP_NOEXEC = 1 << 1,

	/** @DRM_SOVGPU_VM_MAP_UNCACHED: the device bypasses its caches */
	DRM_SOVGPU_VM_MAP_UNCACHED = 1 << 2,
};

/**
 * struct drm_sovgpu_vm_bind_op - one step of VM_BIND
 */
struct drm_sovgpu_vm_bind_op {
	/** @type: one of &enum drm_sovgpu_vm_bind_op_type */
	__u32 type;

	/** @flags: of &enum drm_sovgpu_vm_map_flags; 0 to unmap */
	__u32 flags;

	/** @handle: a buffer; 0 to unmap */
	__u32 handle;

	/** @pad: zero */
	__u32 pad;

	/** @offset: in the buffer, a multiple of its page size; 0 to unmap */
	__u64 offset;

	/** @va: first address of the device */
	__u64 va;

	/** @size: bytes */
	__u64 size;
};

/**
 * struct drm_sovgpu_vm_bind - argument of VM_BIND
 *
 * Steps are done in order, and all are done when the call returns: it sleeps until what is to be
 * waited for is signalled (EINTR after a signal), and signals after the last. When one fails, those
 * before it stand, @done counts them, and no sync is signalled. One that fails with ENOMEM or
 * ENOSPC may have unmapped what was in its range.
 *
 * Errors: EINVAL, also to wait for a syncobj that has no fence. ENOENT: address space, buffer or
 * syncobj. EPERM: another address space has the buffer. E2BIG, EFAULT: an array. ENOMEM.
 * ENOSPC: video memory is full, or the file has its part of it and page tables would need more, or
 * too many mappings. EINTR. EIO.
 */
struct drm_sovgpu_vm_bind {
	/** @vm_id: an address space */
	__u32 vm_id;

	/** @flags: none are known: 0 */
	__u32 flags;

	/** @ops: of &struct drm_sovgpu_vm_bind_op */
	struct drm_sovgpu_array ops;

	/**
	 * @syncs: of &struct drm_sovgpu_sync: waited for before the first, signalled after the
	 * last
	 */
	struct drm_sovgpu_array syncs;

	/** @done: out, also when the call fails: steps that were done */
	__u32 done;

	/** @pad: zero */
	__u32 pad;
};

/**
 * enum drm_sovgpu_vm_state_kind - states of an address space
 */
enum drm_sovgpu_vm_state_kind {
	/** @DRM_SOVGPU_VM_STATE_USABLE: all is well */
	DRM_SOVGPU_VM_STATE_USABLE = 0,

	/** @DRM_SOVGPU_VM_STATE_UNUSABLE: it can only be destroyed */
	DRM_SOVGPU_VM_STATE_UNUSABLE,
};

/**
 * struct drm_sovgpu_vm_state - argument of VM_STATE
 *
 * Errors: EINVAL. ENOENT.
 */
struct drm_sovgpu_vm_state {
	/** @vm_id: an address space */
	__u32 vm_id;

	/** @state: out: one of &enum drm_sovgpu_vm_state_kind */
	__u32 state;

	/** @mapped: out: bytes that are mapped */
	__u64 mapped;

	/** @fault_address: out: of the last fault, if @fault_count is not 0 */
	__u64 fault_address;

	/** @fault_count: out: faults since it was made */
	__u32 fault_count;

	/** @pad: zero */
	__u32 pad;
};

/**
 * struct drm_sovgpu_group_create - argument of GROUP_CREATE
 *
 * Errors: EINVAL. ENOENT. ENOSPC: the file has too many. ENOMEM. EIO.
 */
struct drm_sovgpu_group_create {
	/** @vm_id: the address space of all its queues */
	__u32 vm_id;

	/** @flags: none are known: 0 */
	__u32 flags;

	/** @priority: 0 normal, 1 low; higher ones need privileges and do not exist yet */
	__u32 priority;

	/**
	 * @time_slice_us: its turn, when others wait, at most
	 * &drm_sovgpu_queue_info.time_slice_us_max; 0: as long as that
	 */
	__u32 time_slice_us;

	/** @id: out: the group, not 0 */
	__u32 id;

	/** @pad: zero */
	__u32 pad;
};

/**
 * struct drm_sovgpu_group_destroy - argument of GROUP_DESTROY
 *
 * Errors: EINVAL. ENOENT.
 */
struct drm_sovgpu_group_destroy {
	/** @id: a group */
	__u32 id;

	/** @pad: zero */
	__u32 pad;
};

/**
 * enum drm_sovgpu_queue_class - what a queue drives
 */
enum drm_sovgpu_queue_class {
	/** @DRM_SOVGPU_QUEUE_COMPUTE: programs and copies */
	DRM_SOVGPU_QUEUE_COMPUTE = 0,

	/** @DRM_SOVGPU_QUEUE_COPY: a copy engine of its own */
	DRM_SOVGPU_QUEUE_COPY,
};

/**
 * enum drm_sovgpu_queue_mode - who writes the ring
 */
enum drm_sovgpu_queue_mode {
	/** @DRM_SOVGPU_QUEUE_KERNEL: the kernel, for QUEUE_SUBMIT */
	DRM_SOVGPU_QUEUE_KERNEL = 0,

	/** @DRM_SOVGPU_QUEUE_USER: the process, without a call */
	DRM_SOVGPU_QUEUE_USER,
};

/**
 * struct drm_sovgpu_queue_create - argument of QUEUE_CREATE
 *
 * A user queue's ring is memory of the process, mapped in the group's address space (otherwise
 * EFAULT). What the process writes there, to its pointers or to the doorbell can end its own group
 * and nothing else. Its pages can be mapped as long as the queue is there, and stay mapped after
 * it. The doorbell may overtake what was written to the pointers, which lie in video memory: read
 * the pointer back before you ring.
 *
 * Errors: EINVAL. ENOENT. EOPNOTSUPP: class or mode. EFAULT: the ring. ECANCELED: the group was
 * stopped. ENOSPC: video memory is full, or the file has its part of it, or too many. ENOMEM, also
 * when the file has its part of system memory. EIO.
 */
struct drm_sovgpu_queue_create {
	/** @group_id: the group it belongs to */
	__u32 group_id;

	/** @queue_class: one of &enum drm_sovgpu_queue_class */
	__u32 queue_class;

	/** @mode: one of &enum drm_sovgpu_queue_mode */
	__u32 mode;

	/** @flags: none are known: 0 */
	__u32 flags;

	/**
	 * @ring_va: user queue: address of its ring in the device, a multiple of an entry's size,
	 * where command streams may lie, too (&drm_sovgpu_queue_info.job_va_end); otherwise 0
	 */
	__u64 ring_va;

	/** @ring_entries: a power of two; kernel queue: jobs that may wait; user queue: entries */
	__u32 ring_entries;

	/** @time_limit_ms: kernel queue: for each job, not 0; otherwise 0 */
	__u32 time_limit_ms;

	/** @id: out: the queue, not 0 */
	__u32 id;

	/** @doorbell_value: out: user queue: what to write to the doorbell */
	__u32 doorbell_value;

	/**
	 * @doorbell_offset: out: user queue: for mmap of its page; the doorbell, 32 bits, is at
	 * this byte of the file
	 */
	__u64 doorbell_offset;

	/** @pointers_offset: out: user queue: for mmap; a page with the ring's two pointers */
	__u64 pointers_offset;

	/**
	 * @put_offset: out: user queue: byte in that page where the process says how far it wrote
	 */
	__u32 put_offset;

	/** @get_offset: out: user queue: byte in that page where the device says how far it read */
	__u32 get_offset;
};

/**
 * struct drm_sovgpu_queue_destroy - argument of QUEUE_DESTROY
 *
 * Errors: EINVAL. ENOENT.
 */
struct drm_sovgpu_queue_destroy {
	/** @id: a queue */
	__u32 id;

	/** @pad: zero */
	__u32 pad;
};

/**
 * struct drm_sovgpu_job - a command stream
 */
struct drm_sovgpu_job {
	/** @va: its address in the device */
	__u64 va;

	/** @size: bytes */
	__u32 size;

	/** @pad: zero */
	__u32 pad;
};

/**
 * struct drm_sovgpu_queue_submit - argument of QUEUE_SUBMIT
 *
 * Errors: EINVAL. ENOENT: queue or syncobj. ECANCELED: the queue was stopped. E2BIG, EFAULT: an
 * array. ENOMEM. EINTR.
 */
struct drm_sovgpu_queue_submit {
	/** @queue_id: a kernel queue; a user queue is EINVAL */
	__u32 queue_id;

	/** @flags: none are known: 0 */
	__u32 flags;

	/** @jobs: of &struct drm_sovgpu_job, run in order */
	struct drm_sovgpu_array jobs;

	/**
	 * @syncs: of &struct drm_sovgpu_sync: waited for before the first, signalled after the
	 * last
	 */
	struct drm_sovgpu_array syncs;
};

/**
 * enum drm_sovgpu_queue_state_kind - states of a queue
 */
enum drm_sovgpu_queue_state_kind {
	/** @DRM_SOVGPU_QUEUE_STATE_USABLE: it takes work */
	DRM_SOVGPU_QUEUE_STATE_USABLE = 0,

	/** @DRM_SOVGPU_QUEUE_STATE_FAULTED: its own work failed */
	DRM_SOVGPU_QUEUE_STATE_FAULTED,

	/** @DRM_SOVGPU_QUEUE_STATE_TIMED_OUT: its own work took too long */
	DRM_SOVGPU_QUEUE_STATE_TIMED_OUT,

	/**
	 * @DRM_SOVGPU_QUEUE_STATE_INNOCENT: another queue took the group down, or the device went
	 */
	DRM_SOVGPU_QUEUE_STATE_INNOCENT,
};

/**
 * struct drm_sovgpu_queue_state - argument of QUEUE_STATE
 *
 * Errors: EINVAL. ENOENT.
 */
struct drm_sovgpu_queue_state {
	/** @queue_id: a queue */
	__u32 queue_id;

	/** @state: out: one of &enum drm_sovgpu_queue_state_kind */
	__u32 state;

	/**
	 * @fault_code: out: the vendor's number for what went wrong; 0: nothing did, or the queue
	 * was found to have forged the number of a job
	 */
	__u32 fault_code;

	/** @fault_unit: out: the vendor's number for where */
	__u32 fault_unit;

	/** @fault_address: out: that was accessed, if any was */
	__u64 fault_address;

	/** @fault_kind: out: the vendor's number for why that was not possible */
	__u32 fault_kind;

	/** @pad: zero */
	__u32 pad;
};

/**
 * enum drm_sovgpu_fence_op - how memory is compared
 */
enum drm_sovgpu_fence_op {
	/** @DRM_SOVGPU_FENCE_EQUAL: until (memory & mask) == value */
	DRM_SOVGPU_FENCE_EQUAL = 0,

	/** @DRM_SOVGPU_FENCE_AT_LEAST: until (memory & mask) >= value, unsigned */
	DRM_SOVGPU_FENCE_AT_LEAST,
};

/**
 * struct drm_sovgpu_fence_wait - argument of FENCE_WAIT
 *
 * Errors: EINVAL. ENOENT. ETIME. EINTR. ENOMEM.
 */
struct drm_sovgpu_fence_wait {
	/** @handle: a buffer that a process could map */
	__u32 handle;

	/** @op: one of &enum drm_sovgpu_fence_op */
	__u32 op;

	/** @offset: of 8 bytes in it, a multiple of 8 */
	__u64 offset;

	/** @value: to compare with */
	__u64 value;

	/** @mask: of the bits that count */
	__u64 mask;

	/** @deadline_ns: CLOCK_MONOTONIC; a call that reaches it fails with ETIME */
	__s64 deadline_ns;
};

/**
 * struct drm_sovgpu_interrupt_wait - argument of INTERRUPT_WAIT
 *
 * Command streams of all processes interrupt the device's users together, and so does a queue that
 * fails: who returns looks at memory, and at QUEUE_STATE when nothing is there.
 *
 * Errors: EINVAL. ETIME. EINTR.
 */
struct drm_sovgpu_interrupt_wait {
	/**
	 * @count: in: interrupts that the caller has seen; out: interrupts so far, which is another
	 * number. It goes around.
	 */
	__u32 count;

	/** @pad: zero */
	__u32 pad;

	/** @deadline_ns: CLOCK_MONOTONIC; a call that reaches it fails with ETIME */
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
