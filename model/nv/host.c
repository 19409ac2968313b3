// SPDX-License-Identifier: MIT
/* The host engine, NVIDIA's front end of a channel (PBDMA): executes the ring from GET to PUT,
 * splits each segment into methods, executes host methods (semaphores, waits) and passes the others
 * to the class bound to their subchannel. */
#include "hw/nv/host.h"
#include "model/core/model_internal.h"

static bool host_error(struct model_channel *c, enum model_fault fault, uint64_t address,
		       const char *why)
{
	struct model_error e = {.fault = fault, .address = address};

	return channel_fail(c, &e, "%s", why);
}

/* Semaphores. */

static bool semaphore_valid(struct model_channel *c, uint64_t address, uint32_t size)
{
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = address};

	return !(address % size) ||
	       channel_fail(c, &e, "the semaphore at 0x%llx is not %u-byte aligned",
			    (unsigned long long)address, size);
}

bool channel_release(struct model_channel *c, uint64_t address, uint64_t payload, uint32_t size,
		     bool timestamp)
{
	enum mmu_result why;
	uint8_t *at;

	if (!semaphore_valid(c, address, timestamp ? 16 : size))
		return false;
	at = timestamp ? mmu_translate(&c->reader, address, MODEL_WRITE, &why) : NULL;
	if (at)
		__atomic_store_n((uint64_t *)(at + NV_SEM_TIMESTAMP_OFFSET), model_nanoseconds(),
				 __ATOMIC_RELAXED);
	return channel_store(c, address, payload, size, "the semaphore to release");
}

struct acquire {
	uint32_t operation;
	uint64_t payload;
	bool wide;
};

static bool acquired(const void *wanted, uint64_t value)
{
	const struct acquire *a = wanted;
	uint64_t payload = a->payload;
	bool wide = a->wide;
	uint64_t ones = wide ? UINT64_MAX : UINT32_MAX;

	switch (a->operation) {
	case NV_SEM_ACQUIRE_STRICT_GEQ:
		return value >= payload;
	case NV_SEM_ACQUIRE_CIRC_GEQ:
		return wide ? (int64_t)(value - payload) >= 0
			    : (int32_t)(uint32_t)(value - payload) >= 0;
	case NV_SEM_ACQUIRE_AND:
		return value & payload;
	case NV_SEM_ACQUIRE_NOR:
		return (value | payload) != ones;
	default:
		return value == payload;
	}
}

static bool semaphore_acquire(struct model_channel *c, uint64_t address, uint64_t payload,
			      uint32_t operation, bool wide)
{
	struct acquire a = {operation, payload, wide};
	uint32_t size = wide ? 8 : 4;

	return semaphore_valid(c, address, size) &&
	       channel_wait(c, address, size, acquired, &a, "the semaphore to acquire");
}

static bool semaphore_execute(struct model_channel *c, uint32_t data)
{
	struct host *h = &c->host;
	bool hopper = c->model->chip->host_class >= NV_CLASS_HOPPER_CHANNEL;
	uint32_t high = h->semaphore[1] & (hopper ? NV_SEM_ADDR_HI_HOPPER : NV_SEM_ADDR_HI);
	uint64_t address = (uint64_t)high << 32 | (h->semaphore[0] & ~3u);
	bool wide = data & NV_SEM_PAYLOAD_64;
	uint64_t payload = wide ? (uint64_t)h->payload[1] << 32 | h->payload[0] : h->payload[0];

	switch (NV_SEM_OPERATION(data)) {
	case NV_SEM_RELEASE:
		return channel_release(c, address, payload, wide ? 8 : 4,
				       data & NV_SEM_RELEASE_TIMESTAMP);
	case NV_SEM_REDUCTION:
	case 7:
		return host_error(
			c, MODEL_FAULT_METHOD, NV_HOST_SEM_EXECUTE,
			"semaphore reductions are not modelled; release or acquire instead");
	default:
		return semaphore_acquire(c, address, payload, NV_SEM_OPERATION(data), wide);
	}
}

/* Methods. */

static bool bind_class(struct model_channel *c, uint32_t subchannel, uint32_t data)
{
	const struct model_chip *chip = c->model->chip;
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = NV_HOST_SET_OBJECT};
	uint16_t class = (uint16_t)data;

	if (class == chip->compute_class && c->config.copy_only)
		return channel_fail(c, &e, "SET_OBJECT: a copy engine has no class 0x%04x", class);
	if (class != chip->compute_class && class != chip->copy_class)
		return channel_fail(c, &e,
				    "SET_OBJECT: %s has no class 0x%04x; it has 0x%04x and 0x%04x",
				    chip->name, class, chip->compute_class, chip->copy_class);
	c->host.bound[subchannel] = class;
	return true;
}

/* Memory is coherent and the MMU caches nothing stale, so these operations have no effect. Some
 * need a privileged channel: open-gpu-kernel-modules, nvidia-uvm/uvm_ampere_host.c, denies them to
 * others. The error that hardware raises for an unprivileged channel is an assumption. */
static bool memory_operation(struct model_channel *c, uint32_t data)
{
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = NV_HOST_MEM_OP_D};

	switch (NV_MEM_OP_D_OPERATION(data)) {
	case NV_MEM_OP_D_MEMBAR:
	case NV_MEM_OP_D_L2_PEERMEM_INVALIDATE:
	case NV_MEM_OP_D_L2_SYSMEM_INVALIDATE:
	case NV_MEM_OP_D_L2_CLEAN_COMPTAGS:
	case NV_MEM_OP_D_L2_FLUSH_DIRTY:
		return true;
	case NV_MEM_OP_D_TLB_INVALIDATE:
	case NV_MEM_OP_D_TLB_INVALIDATE_TARGETED:
	case NV_MEM_OP_D_ACCESS_COUNTER_CLEAR:
		return c->config.privileged ||
		       channel_fail(c, &e, "MEM_OP_D: operation 0x%02x needs a privileged channel",
				    NV_MEM_OP_D_OPERATION(data));
	default:
		return channel_fail(c, &e, "MEM_OP_D: operation 0x%02x does not exist",
				    NV_MEM_OP_D_OPERATION(data));
	}
}

static bool host_method(struct model_channel *c, uint32_t subchannel, uint32_t method,
			uint32_t data)
{
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = method};

	switch (method) {
	case NV_HOST_SET_OBJECT:
		return bind_class(c, subchannel, data);
	case NV_HOST_SEM_ADDR_LO:
	case NV_HOST_SEM_ADDR_HI:
		c->host.semaphore[(method - NV_HOST_SEM_ADDR_LO) / 4] = data;
		return true;
	case NV_HOST_SEM_PAYLOAD_LO:
	case NV_HOST_SEM_PAYLOAD_HI:
		c->host.payload[(method - NV_HOST_SEM_PAYLOAD_LO) / 4] = data;
		return true;
	case NV_HOST_SEM_EXECUTE:
		return semaphore_execute(c, data);
	case NV_HOST_NON_STALL_INTERRUPT:
		channel_interrupt(c);
		return true;
	case NV_HOST_MEM_OP_D:
		return memory_operation(c, data);
	case NV_HOST_NOP:
	case NV_HOST_SET_REFERENCE:
	case NV_HOST_WFI:      /* engines are idle between methods */
	case NV_HOST_MEM_OP_A: /* operands of MEM_OP_D */
	case NV_HOST_MEM_OP_B:
	case NV_HOST_MEM_OP_C:
	case NV_HOST_YIELD:
		return true;
	default:
		return channel_fail(c, &e, "host method 0x%03x (data 0x%08x) is not modelled",
				    method, data);
	}
}

static bool dispatch_method(struct model_channel *c, uint32_t subchannel, uint32_t method,
			    uint32_t data)
{
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = method};

	if (method < NV_HOST_METHODS_END)
		return host_method(c, subchannel, method, data);
	if (c->host.bound[subchannel] == c->model->chip->compute_class)
		return compute_method(c, method, data);
	if (c->host.bound[subchannel] == c->model->chip->copy_class)
		return copy_method(c, method, data);
	return channel_fail(c, &e, "method 0x%04x on subchannel %u, to which no class is bound",
			    method, subchannel);
}

static bool fetch_word(struct model_channel *c, uint64_t address, uint32_t *word)
{
	uint64_t fault = address;
	enum mmu_result why = mmu_read(&c->reader, address, word, 4, &fault);

	return why == MMU_OK || channel_fault(c, why, fault, "the method stream");
}

static bool run_method(struct model_channel *c, struct nv_method m, uint64_t data_at)
{
	if (m.kind == NV_METHOD_IMMD_DATA)
		return dispatch_method(c, m.subchannel, m.method, m.count);
	for (uint32_t i = 0; i < m.count; i++) {
		uint32_t step = m.kind == NV_METHOD_INC       ? i
				: m.kind == NV_METHOD_ONE_INC ? i != 0
							      : 0;
		uint32_t data;

		if (atomic_load_explicit(&c->stop, memory_order_relaxed) ||
		    !fetch_word(c, data_at + 4ull * i, &data) ||
		    !dispatch_method(c, m.subchannel, m.method + 4 * step, data))
			return false;
	}
	return true;
}

static bool run_segment(struct model_channel *c, uint64_t address, uint32_t words)
{
	uint64_t at = address, end = address + 4ull * words;

	while (at < end) {
		struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = at};
		struct nv_method m;
		uint32_t header;

		mmu_poll(&c->reader);
		runlist_yield(c);
		if (!fetch_word(c, at, &header))
			return false;
		at += 4;
		if (!header) /* no operation */
			continue;
		m = nv_method_unpack(header);
		if (m.kind == NV_METHOD_END_PB_SEGMENT)
			return true;
		if (m.kind == NV_METHOD_GRP0 || m.kind == NV_METHOD_GRP2 ||
		    m.kind == NV_METHOD_RESERVED)
			return channel_fail(
				c, &e,
				"method header 0x%08x has kind %u, which hardware has not used "
				"since Fermi",
				header, (unsigned)m.kind);
		if (m.kind == NV_METHOD_IMMD_DATA) {
			if (!run_method(c, m, 0))
				return false;
			continue;
		}
		if (m.count > (end - at) / 4)
			return channel_fail(c, &e,
					    "method header 0x%08x announces %u data words, but "
					    "its segment has only %llu left",
					    header, m.count, (unsigned long long)(end - at) / 4);
		if (!run_method(c, m, at))
			return false;
		at += 4ull * m.count;
	}
	return true;
}

/* The ring. */

static _Atomic uint32_t *userd(struct model_channel *c, uint32_t offset)
{
	return (_Atomic uint32_t *)((uint8_t *)c->config.userd + offset);
}

static bool run_entry(struct model_channel *c, uint64_t raw)
{
	struct nv_gp_entry e = nv_gp_entry_unpack(raw);

	if (e.words)
		return run_segment(c, e.address, e.words);
	if (e.opcode == NV_GP_OPCODE_NOP)
		return true;
	return host_error(c, MODEL_FAULT_RING, c->get,
			  "the ring entry has no words and is not a NOP");
}

static void host_drain(struct model_channel *c)
{
	while (!atomic_load(&c->stop)) {
		uint32_t put =
			atomic_load_explicit(userd(c, NV_USERD_GP_PUT), memory_order_acquire);
		uint64_t at = c->config.ring_va + (uint64_t)c->get * NV_GP_ENTRY_BYTES, fault = at,
			 raw;
		struct model_error e = {.fault = MODEL_FAULT_RING, .address = put};
		enum mmu_result why;

		if (put == c->get)
			return;
		if (put >= c->config.ring_entries) {
			channel_fail(c, &e, "PUT is %u, but the ring has %u entries", put,
				     c->config.ring_entries);
			return;
		}
		mmu_poll(&c->reader);
		why = mmu_read(&c->reader, at, &raw, sizeof(raw), &fault);
		if (why != MMU_OK) {
			channel_fault(c, why, fault, "the ring");
			return;
		}
		/* GET counts fetched entries. */
		c->get = (c->get + 1) % c->config.ring_entries;
		atomic_store_explicit(userd(c, NV_USERD_GP_GET), c->get, memory_order_release);
		if (!run_entry(c, raw))
			return;
	}
}

/* Vendor operations. */

static const uint32_t fault_xid[MODEL_FAULT_COUNT] = {
	[MODEL_FAULT_MMU] = NV_XID_MMU_FAULT,
	[MODEL_FAULT_MISALIGNED] = NV_XID_GRAPHICS_EXCEPTION,
	[MODEL_FAULT_SHARED_RANGE] = NV_XID_GRAPHICS_EXCEPTION,
	[MODEL_FAULT_LOCAL_RANGE] = NV_XID_GRAPHICS_EXCEPTION,
	[MODEL_FAULT_CONSTANT_RANGE] = NV_XID_MMU_FAULT,
	[MODEL_FAULT_ILLEGAL_INSTRUCTION] = NV_XID_GRAPHICS_EXCEPTION,
	[MODEL_FAULT_TRAP] = NV_XID_GRAPHICS_EXCEPTION,
	[MODEL_FAULT_HAZARD] = NV_XID_GRAPHICS_EXCEPTION,
	[MODEL_FAULT_BARRIER] = NV_XID_GRAPHICS_EXCEPTION,
	[MODEL_FAULT_QMD] = NV_XID_GRAPHICS_EXCEPTION,
	[MODEL_FAULT_METHOD] = NV_XID_CLASS_ERROR,
	[MODEL_FAULT_RING] = NV_XID_CHANNEL_HOST,
};

static void host_notify_error(struct model_channel *c)
{
	struct nv_notification *n = c->config.notifier;

	c->error.xid = fault_xid[c->error.fault];
	if (!n)
		return;
	n->time_ns = model_nanoseconds();
	n->info32 = c->error.xid;
	n->info16 = 1;
	__atomic_store_n(&n->status, NV_NOTIFICATION_ERROR, __ATOMIC_RELEASE);
}

static void host_channel_init(struct model_channel *c)
{
	const struct model_chip *chip = c->model->chip;

	if (!c->config.copy_only)
		c->host.bound[NV_SUBCHANNEL_COMPUTE] = chip->compute_class;
	c->host.bound[NV_SUBCHANNEL_COPY] = chip->copy_class;
}

const struct vendor vendor_nv = {
	.va_bits = MMU_VA_BITS,
	.ring_align = NV_GP_ENTRY_BYTES,
	.userd_align = 4,
	.begin = host_channel_init,
	.drain = host_drain,
	.failed = host_notify_error,
	.code_create = code_create,
	.code_put = code_put,
};
