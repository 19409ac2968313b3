// SPDX-License-Identifier: MIT
/* AMD's front end of a channel: a ring of packets, which may refer to indirect buffers. The queue
 * reads a packet, executes it and advances its read pointer. An invalid packet is an error of its
 * queue that names the packet. */
#include "model/amd/queue.h"
#include "model/amd/wave.h"

uint64_t amd_stream_address(const struct stream *s, uint32_t i)
{
	return s->va + 4ull * ((s->at + i) & s->mask);
}

static bool read_word(struct stream *s, uint32_t i, uint32_t *word)
{
	uint64_t at = amd_stream_address(s, i), fault = at;
	enum mmu_result why = mmu_read(&s->c->reader, at, word, 4, &fault);

	return why == MMU_OK ||
	       channel_fault(s->c, why, fault, s->depth ? "the indirect buffer" : "the ring");
}

bool amd_packet_read(struct packet *p, uint32_t words)
{
	if (words > p->s->left)
		return AMD_PACKET_ERROR(p, "%s has %u words, but only %u are left", p->name, words,
					p->s->left);
	p->words = words;
	for (uint32_t i = 0; i < words && i < AMD_BODY; i++)
		if (!read_word(p->s, i, &p->word[i]))
			return false;
	return true;
}

bool amd_packet_word(struct packet *p, uint32_t i, uint32_t *word)
{
	return read_word(p->s, i, word);
}

bool amd_packet_aligned(struct packet *p, uint64_t address, uint32_t to)
{
	return !(address % to) ||
	       AMD_PACKET_ERROR(p, "%s: the address 0x%llx is not a multiple of %u", p->name,
				(unsigned long long)address, to);
}

bool amd_packet_buffer(struct packet *p, uint64_t va, uint32_t words, amd_packet_fn *run)
{
	struct stream s = {
		.c = p->c, .va = va, .mask = UINT32_MAX, .left = words, .depth = p->s->depth + 1};

	if (s.depth > AMD_MAX_DEPTH)
		return AMD_PACKET_ERROR(
			p, "%s in an indirect buffer of an indirect buffer; they nest %u deep",
			p->name, AMD_MAX_DEPTH);
	while (s.left) {
		uint32_t done;

		if (atomic_load_explicit(&p->c->stop, memory_order_relaxed))
			return false;
		mmu_poll(&p->c->reader);
		done = run(&s);
		if (!done)
			return false;
		if (s.chained) {
			s.chained = false;
			s.at = 0;
			continue;
		}
		s.at += done;
		s.left -= done;
	}
	return true;
}

/* Waits. */

struct condition {
	uint32_t function, reference, mask;
};

static bool condition_holds(const void *wanted, uint64_t value)
{
	const struct condition *c = wanted;
	uint32_t x = (uint32_t)value & c->mask, y = c->reference;

	switch (c->function) {
	case AMD_WAIT_LESS:
		return x < y;
	case AMD_WAIT_LESS_EQUAL:
		return x <= y;
	case AMD_WAIT_EQUAL:
		return x == y;
	case AMD_WAIT_NOT_EQUAL:
		return x != y;
	case AMD_WAIT_GREATER_EQUAL:
		return x >= y;
	case AMD_WAIT_GREATER:
		return x > y;
	default:
		return true;
	}
}

static bool holds_now(struct packet *p, uint64_t address, const struct condition *c)
{
	uint64_t fault;
	uint32_t word;

	return mmu_read(&p->c->reader, address, &word, 4, &fault) == MMU_OK &&
	       condition_holds(c, word);
}

bool amd_packet_wait(struct packet *p, uint64_t address, uint32_t function, uint32_t reference,
		     uint32_t mask)
{
	struct condition c = {function, reference, mask};

	if (function > AMD_WAIT_GREATER)
		return AMD_PACKET_ERROR(p, "%s: comparison %u does not exist", p->name, function);
	if (!amd_packet_aligned(p, address, 4))
		return false;
	/* What the wait needs may be among the deferred packets. */
	if (p->c->amd.deferred && !holds_now(p, address, &c) && !amd_deferred_run(p->c))
		return false;
	return channel_wait(p->c, address, 4, condition_holds, &c, "the word to wait for");
}

/* The ring. */

static _Atomic uint64_t *queue_pointer(struct model_channel *c, uint32_t offset)
{
	return (_Atomic uint64_t *)((uint8_t *)c->config.userd + offset);
}

static void queue_drain(struct model_channel *c)
{
	amd_packet_fn *run = c->config.copy_only ? amd_sdma_packet : amd_pm4_packet;
	uint32_t unit = c->config.copy_only ? 4 : 1, mask = c->config.ring_entries - 1;

	while (!atomic_load(&c->stop)) {
		uint64_t put =
			atomic_load_explicit(queue_pointer(c, AMD_QUEUE_PUT), memory_order_acquire);
		uint64_t ahead = put / unit - c->amd.read;
		struct stream s = {.c = c,
				   .va = c->config.ring_va,
				   .mask = mask,
				   .at = (uint32_t)c->amd.read & mask};
		struct model_error e = {.fault = MODEL_FAULT_RING, .address = put};
		uint32_t done;

		if (put % unit) {
			channel_fail(c, &e, "PUT is %llu bytes, which is not a multiple of 4",
				     (unsigned long long)put);
			return;
		}
		if (!ahead) {
			if (!c->amd.deferred || !amd_deferred_run(c))
				return;
			continue;
		}
		if (ahead > mask) {
			channel_fail(c, &e,
				     "PUT is %llu and the read pointer %llu; PUT is never "
				     "reduced, and less than a ring ahead",
				     (unsigned long long)put,
				     (unsigned long long)(c->amd.read * unit));
			return;
		}
		s.left = (uint32_t)ahead;
		mmu_poll(&c->reader);
		done = run(&s);
		if (!done)
			return;
		c->amd.read += done;
		/* SDMA reports a pointer that is not reduced either. */
		atomic_store_explicit(queue_pointer(c, AMD_QUEUE_GET),
				      c->config.copy_only ? c->amd.read * unit : c->amd.read & mask,
				      memory_order_release);
	}
}

static void queue_init(struct model_channel *c)
{
	/* The dispatch registers are 0. */
	c->amd.random = c->model->weak_seed + c->model->hazard;
}

const struct vendor vendor_amd = {
	.va_bits = AMD_VA_BITS,
	.ring_align = 256, /* CP_HQD_PQ_BASE holds the address >> 8 */
	.userd_align = 8,
	.begin = queue_init,
	.drain = queue_drain,
	.code_create = amd_code_create,
	.code_put = amd_code_put,
	.space_end = amd_lines_destroy,
	.channel_end = amd_deferred_destroy,
};
