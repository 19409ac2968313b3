// SPDX-License-Identifier: MIT
/* PM4, the packets of compute queues: registers, dispatches, fences, waits, memory writes. A
 * dispatch ends before the next packet is read, except in hazard and weak memory mode, where
 * deferred.c executes it later, and lines.c has the caches that ACQUIRE_MEM invalidates. */
#include "model/amd/queue.h"

static bool run_nop(struct packet *p)
{
	(void)p;
	return true;
}

static bool run_indirect(struct packet *p)
{
	uint64_t va = amd_packet_address(p, 1) & 0xffffffffffffull;
	uint32_t control = p->word[3], words = AMD_PM4_IB_SIZE(control);

	if (!amd_packet_aligned(p, va, 4))
		return false;
	if (!words)
		return AMD_PACKET_ERROR(p, "%s: an indirect buffer of 0 words", p->name);
	if (control & 0xfu << 24)
		return AMD_PACKET_ERROR(p, "%s: VMID %u needs privilege; set it to 0", p->name,
					control >> 24 & 15);
	if (!(control & AMD_PM4_IB_CHAIN))
		return amd_packet_buffer(p, va, words, amd_pm4_packet);
	if (!p->s->depth)
		return AMD_PACKET_ERROR(p, "%s: a ring cannot be left by a chain", p->name);
	if (p->words != p->s->left)
		return AMD_PACKET_ERROR(p, "%s: a chain that is not at the end of its buffer",
					p->name);
	p->s->va = va;
	p->s->left = words;
	p->s->chained = true;
	return true;
}

/* Ranges of dispatch registers that users may set. */
static const struct {
	uint16_t first, last;
} registers[] = {
	{AMD_COMPUTE_DIM_X, AMD_COMPUTE_PGM_HI},
	{AMD_COMPUTE_DISPATCH_PKT_ADDR_LO, AMD_COMPUTE_PGM_RSRC2},
	{AMD_COMPUTE_RESOURCE_LIMITS, AMD_COMPUTE_DISPATCH_ID},
	{AMD_COMPUTE_REQ_CTRL, AMD_COMPUTE_REQ_CTRL},
	{AMD_COMPUTE_USER_ACCUM_0, AMD_COMPUTE_PGM_RSRC3},
	{AMD_COMPUTE_SHADER_CHKSUM, AMD_COMPUTE_SHADER_CHKSUM},
	{AMD_COMPUTE_USER_DATA_0, AMD_COMPUTE_USER_DATA_0 + 4 * (AMD_COMPUTE_USER_DATA_COUNT - 1)},
};

static bool settable(uint32_t reg)
{
	for (uint32_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		if (reg >= registers[i].first && reg <= registers[i].last)
			return true;
	return false;
}

static bool run_set_sh(struct packet *p)
{
	uint32_t reg = AMD_SH_REGISTERS + 4 * (p->word[1] & 0xffff);

	for (uint32_t i = 2; i < p->words; i++, reg += 4) {
		uint32_t value;

		if (!settable(reg))
			return AMD_PACKET_ERROR(
				p, "%s: 0x%x is not a dispatch register that users may set",
				p->name, reg);
		if (!amd_packet_word(p, i, &value))
			return false;
		p->c->amd.registers[(reg - AMD_COMPUTE_DISPATCH_INITIATOR) / 4] = value;
	}
	return true;
}

static bool run_dispatch(struct packet *p)
{
	return amd_dispatch(p, &p->word[1], p->word[4]);
}

static bool run_acquire(struct packet *p)
{
	amd_lines_invalidate(p->c->space, p->word[7]);
	return !(p->word[7] & AMD_GCR_GLI_INV) || channel_invalidate_code(p->c);
}

static bool run_event(struct packet *p)
{
	uint32_t type = AMD_RELEASE_EVENT_TYPE(p->word[1]);
	uint32_t index = AMD_RELEASE_EVENT_INDEX(p->word[1]);

	if (type != AMD_EVENT_CS_PARTIAL_FLUSH || index != AMD_EVENT_INDEX_PARTIAL_FLUSH)
		return AMD_PACKET_ERROR(p, "%s: event 0x%x with index %u is not modelled", p->name,
					type, index);
	return amd_deferred_run(p->c);
}

bool amd_release(struct packet *p)
{
	uint32_t data = AMD_RELEASE_DATA(p->word[2]);
	uint64_t address = amd_packet_address(p, 3);
	uint64_t value = data == AMD_RELEASE_CLOCK ? amd_clock() : amd_packet_address(p, 5);
	uint32_t size = data == AMD_RELEASE_32 ? 4 : 8;

	if (data != AMD_RELEASE_NO_DATA &&
	    (!amd_packet_aligned(p, address, size) ||
	     !channel_store(p->c, address, value, size, "the fence")))
		return false;
	if (AMD_RELEASE_INTERRUPT(p->word[2]))
		amd_interrupt(p->c, p->word[7]);
	return true;
}

static bool run_release(struct packet *p)
{
	uint32_t type = AMD_RELEASE_EVENT_TYPE(p->word[1]);
	uint32_t index = AMD_RELEASE_EVENT_INDEX(p->word[1]);
	uint32_t data = AMD_RELEASE_DATA(p->word[2]), interrupt = AMD_RELEASE_INTERRUPT(p->word[2]);

	if ((type != AMD_EVENT_CACHE_FLUSH_AND_INV_TS && type != AMD_EVENT_BOTTOM_OF_PIPE_TS) ||
	    index != AMD_EVENT_INDEX_END_OF_PIPE)
		return AMD_PACKET_ERROR(p, "%s: event 0x%x with index %u is not modelled", p->name,
					type, index);
	if (data > AMD_RELEASE_CLOCK)
		return AMD_PACKET_ERROR(p, "%s: data of kind %u is not modelled", p->name, data);
	if (interrupt > AMD_RELEASE_INTERRUPT_AFTER)
		return AMD_PACKET_ERROR(p, "%s: an interrupt of kind %u is not modelled", p->name,
					interrupt);
	return amd_deferred_release(p);
}

static bool run_wait(struct packet *p)
{
	uint32_t control = p->word[1];

	if (!(control & AMD_WAIT_MEMORY))
		return AMD_PACKET_ERROR(p, "%s: reading registers needs privilege", p->name);
	if (AMD_WAIT_OPERATION(control))
		return AMD_PACKET_ERROR(p, "%s: operation %u is not modelled", p->name,
					AMD_WAIT_OPERATION(control));
	return amd_packet_wait(p, amd_packet_address(p, 2), AMD_WAIT_FUNCTION(control), p->word[4],
			       p->word[5]);
}

static bool in_memory(uint32_t selector)
{
	return selector == AMD_WRITE_TO_MEMORY >> 8 || selector == AMD_WRITE_TO_L2 >> 8;
}

static bool run_write(struct packet *p)
{
	uint64_t address = amd_packet_address(p, 2);
	uint32_t step = p->word[1] & AMD_WRITE_ONE_ADDRESS ? 0 : 4;

	if (!in_memory(AMD_WRITE_TO(p->word[1])))
		return AMD_PACKET_ERROR(p, "%s: destination %u is not modelled; memory is 5",
					p->name, AMD_WRITE_TO(p->word[1]));
	if (!amd_packet_aligned(p, address, 4))
		return false;
	for (uint32_t i = 4; i < p->words; i++, address += step) {
		uint32_t value;

		if (!amd_packet_word(p, i, &value) ||
		    !channel_store(p->c, address, value, 4, "the word to write"))
			return false;
	}
	return true;
}

static bool run_copy(struct packet *p)
{
	uint64_t from = amd_packet_address(p, 2), to = amd_packet_address(p, 4), value = from;
	uint32_t source = AMD_COPY_FROM(p->word[1]), size = p->word[1] & AMD_COPY_64 ? 8 : 4;
	enum mmu_result why;

	if (!in_memory(AMD_COPY_TO(p->word[1])))
		return AMD_PACKET_ERROR(p, "%s: destination %u is not modelled; memory is 5",
					p->name, AMD_COPY_TO(p->word[1]));
	if (!amd_packet_aligned(p, to, size))
		return false;
	if (source == AMD_COPY_FROM_MEMORY || source == AMD_COPY_FROM_L2) {
		uint64_t fault = from;

		value = 0;
		if (!amd_packet_aligned(p, from, size))
			return false;
		why = mmu_read(&p->c->reader, from, &value, size, &fault);
		if (why != MMU_OK)
			return channel_fault(p->c, why, fault, "the word to copy");
	} else if (source == AMD_COPY_FROM_CLOCK) {
		value = amd_clock();
	} else if (source != AMD_COPY_FROM_IMMEDIATE) {
		return AMD_PACKET_ERROR(p, "%s: source %u is not modelled", p->name, source);
	}
	return channel_store(p->c, to, value, size, "the word to write");
}

static bool run_dma(struct packet *p)
{
	uint32_t from = AMD_DMA_FROM(p->word[1]), to = AMD_DMA_TO(p->word[1]);
	uint32_t bytes = AMD_DMA_BYTES(p->word[6]);
	uint64_t dst = amd_packet_address(p, 4);

	if (from == 1 || to == 1 || to == 2 || p->word[6] & 0xfu << 26)
		return AMD_PACKET_ERROR(p, "%s: only memory and a constant are modelled", p->name);
	if (from * (1u << 29) != AMD_DMA_FROM_DATA)
		return channel_copy(p->c, channel_va(amd_packet_address(p, 2)), channel_va(dst),
				    bytes);
	if (bytes % 4)
		return AMD_PACKET_ERROR(p, "%s: a fill of %u bytes, which is not a multiple of 4",
					p->name, bytes);
	return amd_packet_aligned(p, dst, 4) &&
	       channel_fill(p->c, channel_va(dst), bytes / 4, 4, p->word[2]);
}

#define ANY 0x3fff /* up to the maximum count */

static const struct {
	const char *name;
	uint8_t opcode;
	uint16_t min_words, max_words; /* words after the header */
	bool (*run)(struct packet *p);
} rows[] = {
	{"NOP", AMD_PM4_NOP, 1, ANY, run_nop},
	{"DISPATCH_DIRECT", AMD_PM4_DISPATCH_DIRECT, AMD_PM4_DISPATCH_WORDS, AMD_PM4_DISPATCH_WORDS,
	 run_dispatch},
	{"WRITE_DATA", AMD_PM4_WRITE_DATA, AMD_PM4_WRITE_WORDS + 1, ANY, run_write},
	{"WAIT_REG_MEM", AMD_PM4_WAIT_REG_MEM, AMD_PM4_WAIT_WORDS, AMD_PM4_WAIT_WORDS, run_wait},
	{"INDIRECT_BUFFER", AMD_PM4_INDIRECT_BUFFER, AMD_PM4_IB_WORDS, AMD_PM4_IB_WORDS,
	 run_indirect},
	{"COPY_DATA", AMD_PM4_COPY_DATA, AMD_PM4_COPY_WORDS, AMD_PM4_COPY_WORDS, run_copy},
	{"EVENT_WRITE", AMD_PM4_EVENT_WRITE, AMD_PM4_EVENT_WORDS, AMD_PM4_EVENT_WORDS, run_event},
	{"RELEASE_MEM", AMD_PM4_RELEASE_MEM, AMD_PM4_RELEASE_WORDS, AMD_PM4_RELEASE_WORDS,
	 run_release},
	{"DMA_DATA", AMD_PM4_DMA_DATA, AMD_PM4_DMA_WORDS, AMD_PM4_DMA_WORDS, run_dma},
	{"ACQUIRE_MEM", AMD_PM4_ACQUIRE_MEM, AMD_PM4_ACQUIRE_WORDS, AMD_PM4_ACQUIRE_WORDS,
	 run_acquire},
	{"SET_SH_REG", AMD_PM4_SET_SH_REG, 2, ANY, run_set_sh},
};

static bool run_row(struct packet *p, uint32_t row)
{
	uint32_t words = AMD_PM4_COUNT(p->word[0]) + 1;

	p->name = rows[row].name;
	if (p->word[0] & AMD_PM4_PREDICATE)
		return AMD_PACKET_ERROR(p, "%s: predicates are not modelled", p->name);
	if (rows[row].opcode == AMD_PM4_NOP && AMD_PM4_COUNT(p->word[0]) == AMD_PM4_NOP_ALONE)
		return true;
	if (words < rows[row].min_words || words > rows[row].max_words)
		return AMD_PACKET_ERROR(p, "%s with %u words after its header; it has %u%s",
					p->name, words, rows[row].min_words,
					rows[row].max_words == ANY ? " or more" : "");
	return amd_packet_read(p, 1 + words) && rows[row].run(p);
}

uint32_t amd_pm4_packet(struct stream *s)
{
	struct packet p = {.c = s->c, .s = s, .name = "a packet", .va = amd_stream_address(s, 0)};
	uint32_t type, opcode;

	if (!amd_packet_read(&p, 1))
		return 0;
	type = AMD_PM4_TYPE(p.word[0]);
	opcode = AMD_PM4_OPCODE(p.word[0]);
	if (type == 2)
		return 1;
	if (type != 3)
		return AMD_PACKET_ERROR(&p,
					"0x%08x at 0x%llx is not a packet header that is modelled; "
					"these have type 3, or 2 for a filler",
					p.word[0], (unsigned long long)p.va);
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].opcode == opcode)
			return run_row(&p, i) ? p.words : 0;
	return AMD_PACKET_ERROR(&p, "packet 0x%02x (header 0x%08x) is not modelled", opcode,
				p.word[0]);
}
