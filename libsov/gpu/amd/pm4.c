// SPDX-License-Identifier: MIT
/*
 * PM4 packets of compute queues. A submission ends with CS_PARTIAL_FLUSH, which stalls only this
 * queue until its dispatches have ended, and RELEASE_MEM, which writes the caches back and then the
 * semaphore.
 *
 * WAIT_REG_MEM compares unsigned numbers: gpu.h, acquire_compares_unsigned.
 */
#include <string.h>
#include "libsov/gpu/amd/amd_gpu.h"

#define HIGH(address) ((uint32_t)((address) >> 32))
#define LOW(address)  ((uint32_t)(address))

/* Appends a packet: header and body. */
#define PACKET(p, opcode, ...) \
	pm4_packet(p, opcode, (const uint32_t[]){__VA_ARGS__}, \
		   sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static bool reserve_words(struct gpu_push *p, uint32_t words)
{
	if (p->capacity - p->count >= words)
		return true;
	p->overflow = true;
	return false;
}

static void pm4_packet(struct gpu_push *p, uint32_t opcode, const uint32_t *words, uint32_t count)
{
	if (!reserve_words(p, count + 1))
		return;
	p->words[p->count] = AMD_PM4(opcode, count);
	memcpy(p->words + p->count + 1, words, 4ul * count);
	p->count += count + 1;
}

void amd_pm4_set_sh_reg(struct gpu_push *p, uint32_t first, const uint32_t *values, uint32_t count)
{
	if (!reserve_words(p, count + 2))
		return;
	p->words[p->count] = AMD_PM4(AMD_PM4_SET_SH_REG, count + 1);
	p->words[p->count + 1] = AMD_SH_OFFSET(first);
	memcpy(p->words + p->count + 2, values, 4ul * count);
	p->count += count + 2;
}

/* Enables all compute units: two registers for each pair of shader engines. */
void amd_pm4_setup(struct gpu_push *p)
{
	static const uint32_t all[2] = {0xffffffff, 0xffffffff};

	amd_pm4_set_sh_reg(p, AMD_COMPUTE_STATIC_THREAD_MGMT_SE0, all, 2);
	amd_pm4_set_sh_reg(p, AMD_COMPUTE_STATIC_THREAD_MGMT_SE2, all, 2);
}

void amd_pm4_cs_partial_flush(struct gpu_push *p)
{
	PACKET(p, AMD_PM4_EVENT_WRITE,
	       AMD_RELEASE_EVENT(AMD_EVENT_CS_PARTIAL_FLUSH, AMD_EVENT_INDEX_PARTIAL_FLUSH));
}

/* Also invalidates the L2: whether it caches system memory depends on the page tables, which are
 * not known here. */
void amd_pm4_acquire_mem(struct gpu_push *p, bool new_code)
{
	PACKET(p, AMD_PM4_ACQUIRE_MEM, 0, AMD_ACQUIRE_ALL_LOW, AMD_ACQUIRE_ALL_HIGH, 0, 0,
	       AMD_ACQUIRE_POLL,
	       (new_code ? AMD_GCR_GLI_INV : 0) | AMD_GCR_GLM_WB | AMD_GCR_GLM_INV |
		       AMD_GCR_GLK_WB | AMD_GCR_GLK_INV | AMD_GCR_GLV_INV | AMD_GCR_GL1_INV |
		       AMD_GCR_GL2_INV | AMD_GCR_GL2_WB);
}

void amd_pm4_wait_mem(struct gpu_push *p, uint64_t semaphore, uint32_t payload)
{
	PACKET(p, AMD_PM4_WAIT_REG_MEM, AMD_WAIT_GREATER_EQUAL | AMD_WAIT_MEMORY, LOW(semaphore),
	       HIGH(semaphore), payload, 0xffffffff, AMD_ACQUIRE_POLL);
}

/* As in amdgpu's gfx_v10_0_ring_emit_fence. */
#define END_OF_PIPE \
	(AMD_RELEASE_EVENT(AMD_EVENT_CACHE_FLUSH_AND_INV_TS, AMD_EVENT_INDEX_END_OF_PIPE) | \
	 AMD_RELEASE_SEQ | AMD_RELEASE_GL2_WB | AMD_RELEASE_GLM_WB | AMD_RELEASE_GLM_INV | \
	 AMD_RELEASE_CACHE_POLICY(3))

static void pm4_release(struct gpu_push *p, uint32_t select, uint64_t address, uint32_t data,
			uint32_t interrupt_context)
{
	PACKET(p, AMD_PM4_RELEASE_MEM, END_OF_PIPE, select, LOW(address), HIGH(address), data, 0,
	       interrupt_context);
}

/* Writes the time stamp first, so that it is valid when the payload is visible. */
void amd_pm4_release_mem(struct gpu_push *p, uint64_t semaphore, uint32_t payload, uint32_t flags)
{
	if (!(flags & GPU_RELEASE_NO_WAIT))
		amd_pm4_cs_partial_flush(p);
	if (flags & GPU_RELEASE_TIMESTAMP)
		pm4_release(p, (uint32_t)AMD_RELEASE_CLOCK << AMD_RELEASE_DATA_SHIFT,
			    semaphore + GPU_TIMESTAMP_OFFSET, 0, 0);
	pm4_release(p, (uint32_t)AMD_RELEASE_32 << AMD_RELEASE_DATA_SHIFT, semaphore, payload, 0);
}

void amd_pm4_interrupt(struct gpu_push *p)
{
	pm4_release(p, (uint32_t)AMD_RELEASE_ONLY_INTERRUPT << AMD_RELEASE_INTERRUPT_SHIFT, 0, 0,
		    0);
}

void amd_pm4_write_data(struct gpu_push *p, uint64_t destination, const void *data, uint32_t bytes)
{
	if (!reserve_words(p, AMD_PM4_WRITE_WORDS + 1 + bytes / 4))
		return;
	PACKET(p, AMD_PM4_WRITE_DATA, AMD_WRITE_TO_MEMORY | AMD_WRITE_CONFIRM, LOW(destination),
	       HIGH(destination));
	p->words[p->count - AMD_PM4_WRITE_WORDS - 1] =
		AMD_PM4(AMD_PM4_WRITE_DATA, AMD_PM4_WRITE_WORDS + bytes / 4);
	memcpy(p->words + p->count, data, bytes);
	p->count += bytes / 4;
}

/* Through the L2, which is where the stores of earlier dispatches are. data: source is the word. */
static void pm4_dma(struct gpu_push *p, bool data, uint64_t destination, uint64_t source,
		    uint64_t bytes)
{
	uint64_t at, part;

	for (at = 0; at < bytes; at += part) {
		part = bytes - at < AMD_DMA_MAX_BYTES ? bytes - at : AMD_DMA_MAX_BYTES;
		PACKET(p, AMD_PM4_DMA_DATA,
		       AMD_DMA_SYNC | AMD_DMA_TO_L2 | (data ? AMD_DMA_FROM_DATA : AMD_DMA_FROM_L2),
		       LOW(source + (data ? 0 : at)), HIGH(source + (data ? 0 : at)),
		       LOW(destination + at), HIGH(destination + at), (uint32_t)part);
	}
}

void amd_pm4_copy(struct gpu_push *p, uint64_t destination, uint64_t source, uint64_t bytes)
{
	pm4_dma(p, false, destination, source, bytes);
}

/* Fills are of whole words: the bytes before and after are copied from a word in these commands. */
void amd_pm4_fill(struct gpu_push *p, uint64_t destination, uint32_t value, uint64_t bytes)
{
	uint64_t head = -destination % 4 < bytes ? -destination % 4 : bytes;
	uint64_t tail = (bytes - head) % 4, end = destination + bytes - tail, word;

	if (head || tail) {
		PACKET(p, AMD_PM4_NOP, value);
		word = p->va + 4ull * (p->count - 1);
		pm4_dma(p, false, destination, word + destination % 4, head);
		pm4_dma(p, false, end, word, tail);
	}
	pm4_dma(p, true, destination + head, value, bytes - head - tail);
}

void amd_pm4_dispatch(struct gpu_push *p, const uint32_t groups[3])
{
	PACKET(p, AMD_PM4_DISPATCH_DIRECT, groups[0], groups[1], groups[2],
	       AMD_DISPATCH_SHADER_EN | AMD_DISPATCH_START_AT_0 | AMD_DISPATCH_WAVE32);
}

void amd_pm4_pad(struct gpu_push *p)
{
	while (p->count % AMD_PM4_IB_ALIGN && reserve_words(p, 1))
		p->words[p->count++] = AMD_PM4(AMD_PM4_NOP, AMD_PM4_NOP_ALONE + 1);
}

#define RELEASE_32 ((uint32_t)AMD_RELEASE_32 << AMD_RELEASE_DATA_SHIFT)
#define RELEASE_32_AND_INTERRUPT \
	(RELEASE_32 | (uint32_t)AMD_RELEASE_INTERRUPT_AFTER << AMD_RELEASE_INTERRUPT_SHIFT)

/* An interrupt wakes no waiter of amdkfd unless the event's mailbox has been written, and its
 * context is the event (kfd_events.c, kfd_signal_event_interrupt). */
void amd_pm4_ring_entry(struct gpu_push *p, uint64_t span, const struct winsys_queue_memory *m,
			const struct gpu_completion *completion)
{
	uint64_t address = gpu_span_address(span);
	bool mailbox = completion && completion->interrupt && m->event_mailbox;

	/* An IB must not be empty. */
	if (gpu_span_words(span))
		PACKET(p, AMD_PM4_INDIRECT_BUFFER, LOW(address), HIGH(address),
		       gpu_span_words(span) | AMD_PM4_IB_VALID);
	if (!completion)
		return;
	amd_pm4_cs_partial_flush(p);
	pm4_release(p, completion->interrupt && !mailbox ? RELEASE_32_AND_INTERRUPT : RELEASE_32,
		    completion->semaphore, completion->payload, 0);
	if (mailbox)
		pm4_release(p, RELEASE_32_AND_INTERRUPT, m->event_mailbox, m->event_id,
			    m->event_id);
}
