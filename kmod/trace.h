/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Tracepoints, in /sys/kernel/tracing/events/sovgpu. Every event names its device by PCI address.
 * Queues are named by the context of their fences, as the events of dma_fence name them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sovgpu

#if !defined(SOV_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SOV_TRACE_H

#include <linux/tracepoint.h>

struct device;

/* A job was given to the hardware. */
TRACE_EVENT(sov_job_push,
	TP_PROTO(const struct device *dev, u64 context, u32 queue_class, u64 seqno, u64 va,
		 u32 size),
	TP_ARGS(dev, context, queue_class, seqno, va, size),
	TP_STRUCT__entry(
		__string(device, dev_name(dev))
		__field(u64, context)
		__field(u64, seqno)
		__field(u64, va)
		__field(u32, size)
		__field(u32, queue_class)
	),
	TP_fast_assign(
		__assign_str(device);
		__entry->context = context;
		__entry->seqno = seqno;
		__entry->va = va;
		__entry->size = size;
		__entry->queue_class = queue_class;
	),
	TP_printk("device=%s context=%llu seqno=%llu class=%u va=0x%llx size=%u",
		 __get_str(device), __entry->context, __entry->seqno, __entry->queue_class,
		 __entry->va, __entry->size)
);

/* The fence of a job is signalled: the job has completed, or was cancelled with an error. */
TRACE_EVENT(sov_job_done,
	TP_PROTO(const struct device *dev, u64 context, u64 seqno, int error),
	TP_ARGS(dev, context, seqno, error),
	TP_STRUCT__entry(
		__string(device, dev_name(dev))
		__field(u64, context)
		__field(u64, seqno)
		__field(int, error)
	),
	TP_fast_assign(
		__assign_str(device);
		__entry->context = context;
		__entry->seqno = seqno;
		__entry->error = error;
	),
	TP_printk("device=%s context=%llu seqno=%llu error=%d", __get_str(device),
		 __entry->context, __entry->seqno, __entry->error)
);

/* The hardware reports an error of a queue: the Xid of an NVIDIA GPU and where it occurred. */
TRACE_EVENT(sov_queue_fault,
	TP_PROTO(const struct device *dev, u64 context, u32 code, u32 unit, u64 address, u32 kind),
	TP_ARGS(dev, context, code, unit, address, kind),
	TP_STRUCT__entry(
		__string(device, dev_name(dev))
		__field(u64, context)
		__field(u64, address)
		__field(u32, code)
		__field(u32, unit)
		__field(u32, kind)
	),
	TP_fast_assign(
		__assign_str(device);
		__entry->context = context;
		__entry->address = address;
		__entry->code = code;
		__entry->unit = unit;
		__entry->kind = kind;
	),
	TP_printk("device=%s context=%llu code=%u unit=%u address=0x%llx kind=%u",
		 __get_str(device), __entry->context, __entry->code, __entry->unit,
		 __entry->address, __entry->kind)
);

/* A job has exceeded its time limit. */
TRACE_EVENT(sov_job_timeout,
	TP_PROTO(const struct device *dev, u64 context, u64 seqno, u32 limit_ms),
	TP_ARGS(dev, context, seqno, limit_ms),
	TP_STRUCT__entry(
		__string(device, dev_name(dev))
		__field(u64, context)
		__field(u64, seqno)
		__field(u32, limit_ms)
	),
	TP_fast_assign(
		__assign_str(device);
		__entry->context = context;
		__entry->seqno = seqno;
		__entry->limit_ms = limit_ms;
	),
	TP_printk("device=%s context=%llu seqno=%llu limit_ms=%u", __get_str(device),
		 __entry->context, __entry->seqno, __entry->limit_ms)
);

/* A range was mapped in, or unmapped from, an address space; its end unmaps the rest silently. */
DECLARE_EVENT_CLASS(sov_vm_range,
	TP_PROTO(const struct device *dev, const void *vm, u64 va, u64 size, u32 flags),
	TP_ARGS(dev, vm, va, size, flags),
	TP_STRUCT__entry(
		__string(device, dev_name(dev))
		__field(const void *, vm)
		__field(u64, va)
		__field(u64, size)
		__field(u32, flags)
	),
	TP_fast_assign(
		__assign_str(device);
		__entry->vm = vm;
		__entry->va = va;
		__entry->size = size;
		__entry->flags = flags;
	),
	TP_printk("device=%s vm=%p va=0x%llx size=0x%llx flags=%u", __get_str(device),
		 __entry->vm, __entry->va, __entry->size, __entry->flags)
);

DEFINE_EVENT(sov_vm_range, sov_vm_map,
	TP_PROTO(const struct device *dev, const void *vm, u64 va, u64 size, u32 flags),
	TP_ARGS(dev, vm, va, size, flags)
);

DEFINE_EVENT(sov_vm_range, sov_vm_unmap,
	TP_PROTO(const struct device *dev, const void *vm, u64 va, u64 size, u32 flags),
	TP_ARGS(dev, vm, va, size, flags)
);

/* VRAM was cleared by an engine of the device or by the CPU. */
TRACE_EVENT(sov_vram_clear,
	TP_PROTO(const struct device *dev, u64 address, u64 size, bool engine),
	TP_ARGS(dev, address, size, engine),
	TP_STRUCT__entry(
		__string(device, dev_name(dev))
		__field(u64, address)
		__field(u64, size)
		__field(bool, engine)
	),
	TP_fast_assign(
		__assign_str(device);
		__entry->address = address;
		__entry->size = size;
		__entry->engine = engine;
	),
	TP_printk("device=%s address=0x%llx size=0x%llx by=%s", __get_str(device),
		 __entry->address, __entry->size, __entry->engine ? "engine" : "cpu")
);

/* The device does not respond any more. */
TRACE_EVENT(sov_wedge,
	TP_PROTO(const struct device *dev),
	TP_ARGS(dev),
	TP_STRUCT__entry(
		__string(device, dev_name(dev))
	),
	TP_fast_assign(
		__assign_str(device);
	),
	TP_printk("device=%s", __get_str(device))
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH kmod
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
