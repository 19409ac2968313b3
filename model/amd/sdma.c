// SPDX-License-Identifier: MIT
/* SDMA, the packets of copy queues: linear and sub-window copies, fills, fences, waits,
 * timestamps, cache control. The model has no data caches: hazard mode checks their control. */
#include "hw/amd/sdma.h"
#include "model/amd/queue.h"

static bool run_nop(struct packet *p)
{
	(void)p;
	return true;
}

/* Hazard mode: a copy reads memory, where compute queues' writes are when their caches were written
 * back, and leaves stale lines in these caches. */
static bool begin_copy(struct packet *p)
{
	p->c->amd.stale = true;
	return !p->c->model->hazard || p->c->amd.written_back ||
	       AMD_PACKET_ERROR(
		       p,
		       "%s: no GCR_REQ with GL2_WB since the queue's last wait: the L2 may "
		       "hold what the packet has to read",
		       p->name);
}

static bool run_cache_control(struct packet *p)
{
	const uint32_t invalidate =
		AMD_GCR_GL2_INV | AMD_GCR_GL1_INV | AMD_GCR_GLV_INV | AMD_GCR_GLK_INV;
	uint32_t bits = AMD_SDMA_GCR_BITS(p->word[2], p->word[3]);

	if (p->word[4] >> 24)
		return AMD_PACKET_ERROR(p, "%s: VMID %u needs privilege; set it to 0", p->name,
					p->word[4] >> 24);
	if (p->word[1] || (uint16_t)p->word[2] || p->word[3] & ~7u || p->word[4])
		return AMD_PACKET_ERROR(p, "%s: ranges of addresses are not modelled; use 0",
					p->name);
	amd_lines_invalidate(p->c->space, bits);
	p->c->amd.written_back |= bits & AMD_GCR_GL2_WB;
	if ((bits & invalidate) == invalidate)
		p->c->amd.stale = false;
	return true;
}

static bool run_linear(struct packet *p)
{
	if (p->word[0] & (AMD_SDMA_BROADCAST | AMD_SDMA_BACKWARDS))
		return AMD_PACKET_ERROR(p, "%s: broadcast and backward copies are not modelled",
					p->name);
	return begin_copy(p) && channel_copy(p->c, channel_va(amd_packet_address(p, 3)),
					     channel_va(amd_packet_address(p, 5)),
					     AMD_SDMA_COUNT(p->word[1]) + 1ull);
}

/* One side of a sub-window copy: five words. */
struct sub_window {
	uint64_t base, pitch, slice; /* bytes */
	uint32_t x, y, z, columns;
};

static struct sub_window sub_window_of(const struct packet *p, uint32_t i, uint32_t log2)
{
	uint32_t pitch = AMD_SDMA_PITCH(p->word[i + 3]);

	return (struct sub_window){
		.base = amd_packet_address(p, i),
		.pitch = (uint64_t)pitch << log2,
		.slice = (uint64_t)AMD_SDMA_SLICE(p->word[i + 4]) << log2,
		.x = AMD_SDMA_X(p->word[i + 2]),
		.y = AMD_SDMA_Y(p->word[i + 2]),
		.z = AMD_SDMA_Z(p->word[i + 3]),
		.columns = pitch,
	};
}

static uint64_t line_address(const struct sub_window *e, uint32_t y, uint32_t z, uint32_t log2)
{
	return e->base + (e->z + (uint64_t)z) * e->slice + (e->y + (uint64_t)y) * e->pitch +
	       ((uint64_t)e->x << log2);
}

static bool run_sub_window(struct packet *p)
{
	uint32_t log2 = AMD_SDMA_ELEMENT_LOG2(p->word[0]);
	struct sub_window from = sub_window_of(p, 1, log2), to = sub_window_of(p, 6, log2);
	uint32_t width = AMD_SDMA_X(p->word[11]) + 1, height = AMD_SDMA_Y(p->word[11]) + 1;
	uint32_t depth = AMD_SDMA_Z(p->word[12]) + 1;

	if (log2 > AMD_SDMA_MAX_ELEMENT_LOG2)
		return AMD_PACKET_ERROR(p, "%s: elements of %u bytes; the maximum is 16", p->name,
					1u << log2);
	if (from.x + width > from.columns || to.x + width > to.columns)
		return AMD_PACKET_ERROR(
			p, "%s: %u elements from %u and to %u on, in lines of %u and %u", p->name,
			width, from.x, to.x, from.columns, to.columns);
	/* Linux and Mesa copy whole words with this packet only. */
	if (!amd_packet_aligned(p, from.base, 4) || !amd_packet_aligned(p, to.base, 4) ||
	    !begin_copy(p))
		return false;
	for (uint32_t z = 0; z < depth; z++)
		for (uint32_t y = 0; y < height; y++)
			if (!channel_copy(p->c, channel_va(line_address(&from, y, z, log2)),
					  channel_va(line_address(&to, y, z, log2)),
					  (uint64_t)width << log2))
				return false;
	return true;
}

static bool run_write(struct packet *p)
{
	uint64_t address = amd_packet_address(p, 1);

	if (!amd_packet_aligned(p, address, 4))
		return false;
	for (uint32_t i = AMD_SDMA_WRITE_WORDS; i < p->words; i++, address += 4) {
		uint32_t value;

		if (!amd_packet_word(p, i, &value) ||
		    !channel_store(p->c, address, value, 4, "the word to write"))
			return false;
	}
	return true;
}

static bool run_indirect(struct packet *p)
{
	return AMD_PACKET_ERROR(p,
				"%s: a user's copy queue executes no indirect buffers (its "
				"IB_CNTL is 0); packets belong in the ring",
				p->name);
}

static bool run_fence(struct packet *p)
{
	uint64_t address = amd_packet_address(p, 1);

	if (p->c->model->hazard && p->c->amd.stale)
		return AMD_PACKET_ERROR(p,
					"%s: no GCR_REQ that invalidates GL2, GL1, GLV and GLK "
					"since the last copy: kernels may read stale lines",
					p->name);
	return amd_packet_aligned(p, address, 4) &&
	       channel_store(p->c, address, p->word[3], 4, "the fence");
}

static bool run_trap(struct packet *p)
{
	amd_interrupt(p->c, p->word[1]);
	return true;
}

static bool run_poll(struct packet *p)
{
	p->c->amd.written_back = false;
	if (!(p->word[0] & AMD_SDMA_POLL_MEMORY))
		return AMD_PACKET_ERROR(p, "%s: reading registers needs privilege", p->name);
	if ((p->word[5] & AMD_SDMA_POLL_FOR_EVER) != AMD_SDMA_POLL_FOR_EVER)
		return AMD_PACKET_ERROR(p,
					"%s: a wait with %u retries is not modelled; 0xfff "
					"waits without limit",
					p->name, AMD_SDMA_POLL_RETRY(p->word[5]));
	return amd_packet_wait(p, amd_packet_address(p, 1), AMD_SDMA_POLL_FUNCTION_OF(p->word[0]),
			       p->word[3], p->word[4]);
}

static bool run_fill(struct packet *p)
{
	uint32_t log2 = AMD_SDMA_FILL_LOG2(p->word[0]), size = 1u << log2;
	uint64_t address = amd_packet_address(p, 1), bytes = AMD_SDMA_COUNT(p->word[4]) + 1ull;

	if (p->word[4] >> AMD_SDMA_FILL_COUNT_BITS)
		return AMD_PACKET_ERROR(p, "%s: the count 0x%x has more than %u bits", p->name,
					p->word[4], AMD_SDMA_FILL_COUNT_BITS);
	if (log2 > 2)
		return AMD_PACKET_ERROR(p, "%s: fill element size %u does not exist", p->name,
					log2);
	if (bytes % size)
		return AMD_PACKET_ERROR(p, "%s: %llu bytes, which is not a multiple of %u", p->name,
					(unsigned long long)bytes, size);
	return amd_packet_aligned(p, address, size) && begin_copy(p) &&
	       channel_fill(p->c, channel_va(address), bytes / size, size, p->word[3]);
}

static bool run_timestamp(struct packet *p)
{
	uint64_t address = amd_packet_address(p, 1);

	return amd_packet_aligned(p, address, 8) &&
	       channel_store(p->c, address, amd_clock(), 8, "the timestamp");
}

static const struct {
	const char *name;
	uint8_t op, sub, words;
	bool (*run)(struct packet *p);
} rows[] = {
	{"NOP", AMD_SDMA_NOP, 0, 1, run_nop},
	{"COPY_LINEAR", AMD_SDMA_COPY, AMD_SDMA_COPY_LINEAR, AMD_SDMA_COPY_WORDS, run_linear},
	{"COPY_SUB_WINDOW", AMD_SDMA_COPY, AMD_SDMA_COPY_SUB_WINDOW, AMD_SDMA_COPY_RECT_WORDS,
	 run_sub_window},
	{"WRITE", AMD_SDMA_WRITE, 0, AMD_SDMA_WRITE_WORDS, run_write},
	{"INDIRECT", AMD_SDMA_INDIRECT, 0, AMD_SDMA_INDIRECT_WORDS, run_indirect},
	{"FENCE", AMD_SDMA_FENCE, 0, AMD_SDMA_FENCE_WORDS, run_fence},
	{"TRAP", AMD_SDMA_TRAP, 0, AMD_SDMA_TRAP_WORDS, run_trap},
	{"POLL_REGMEM", AMD_SDMA_POLL_REGMEM, 0, AMD_SDMA_POLL_WORDS, run_poll},
	{"CONST_FILL", AMD_SDMA_CONST_FILL, 0, AMD_SDMA_FILL_WORDS, run_fill},
	{"TIMESTAMP", AMD_SDMA_TIMESTAMP, AMD_SDMA_TIMESTAMP_GET_GLOBAL, AMD_SDMA_TIMESTAMP_WORDS,
	 run_timestamp},
	{"GCR_REQ", AMD_SDMA_GCR_REQ, 0, AMD_SDMA_GCR_WORDS, run_cache_control},
};

/* Reads the rest of a packet whose words give the length of its data. */
static bool read_data_words(struct packet *p)
{
	uint32_t op = AMD_SDMA_OP(p->word[0]);

	if (op == AMD_SDMA_NOP)
		return amd_packet_read(p, 1 + AMD_SDMA_NOP_COUNT(p->word[0]));
	if (op == AMD_SDMA_WRITE)
		return amd_packet_read(p,
				       AMD_SDMA_WRITE_WORDS + 1 + AMD_SDMA_WRITE_COUNT(p->word[3]));
	return true;
}

uint32_t amd_sdma_packet(struct stream *s)
{
	struct packet p = {.c = s->c, .s = s, .name = "a packet", .va = amd_stream_address(s, 0)};
	uint32_t op, sub;

	if (!amd_packet_read(&p, 1))
		return 0;
	op = AMD_SDMA_OP(p.word[0]);
	sub = AMD_SDMA_SUB_OP(p.word[0]);
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].op != op || rows[i].sub != sub)
			continue;
		p.name = rows[i].name;
		return amd_packet_read(&p, rows[i].words) && read_data_words(&p) && rows[i].run(&p)
			       ? p.words
			       : 0;
	}
	return AMD_PACKET_ERROR(&p, "packet %u.%u (header 0x%08x) is not modelled", op, sub,
				p.word[0]);
}
