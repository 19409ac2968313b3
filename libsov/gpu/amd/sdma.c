// SPDX-License-Identifier: MIT
/*
 * SDMA packets of copy queues. A copy is between two GCR_REQ packets, as in ROCR-Runtime
 * (amd_blit_sdma.cpp, BuildGCRCommand). Packets are in the ring itself: amdkfd's queue descriptors
 * leave SDMA_RLC0_IB_CNTL 0, so that a user's queue executes no indirect buffers (Linux,
 * kfd_mqd_manager_v10.c, init_mqd_sdma). The engine executes packets in order, so a fence after a
 * copy signals its completion. Pitched copies use sub-window copies if addresses and pitches are
 * multiples of 4, and one linear copy per line otherwise: whether sub-window copies support other
 * alignments is not known.
 */
#include <string.h>
#include "libsov/gpu/amd/amd_gpu.h"

#define HIGH(address)  ((uint32_t)((address) >> 32))
#define LOW(address)   ((uint32_t)(address))
#define FENCE_UNCACHED 3

#define PACKET(p, ...) \
	sdma_packet(p, (const uint32_t[]){__VA_ARGS__}, \
		    sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void sdma_packet(struct gpu_push *p, const uint32_t *words, uint32_t count)
{
	if (p->capacity - p->count < count) {
		p->overflow = true;
		return;
	}
	memcpy(p->words + p->count, words, 4ul * count);
	p->count += count;
}

void amd_sdma_poll_mem(struct gpu_push *p, uint64_t semaphore, uint32_t payload)
{
	PACKET(p,
	       AMD_SDMA(AMD_SDMA_POLL_REGMEM, 0) | AMD_SDMA_POLL_FUNCTION(AMD_WAIT_GREATER_EQUAL) |
		       AMD_SDMA_POLL_MEMORY,
	       LOW(semaphore), HIGH(semaphore), payload, 0xffffffff,
	       AMD_SDMA_POLL_FOR_EVER | AMD_SDMA_POLL_INTERVAL);
}

/* Writes the time stamp first, so that it is valid when the payload is visible. */
void amd_sdma_fence(struct gpu_push *p, uint64_t semaphore, uint32_t payload, uint32_t flags)
{
	if (flags & GPU_RELEASE_TIMESTAMP)
		PACKET(p, AMD_SDMA(AMD_SDMA_TIMESTAMP, AMD_SDMA_TIMESTAMP_GET_GLOBAL),
		       LOW(semaphore + GPU_TIMESTAMP_OFFSET),
		       HIGH(semaphore + GPU_TIMESTAMP_OFFSET));
	PACKET(p, AMD_SDMA(AMD_SDMA_FENCE, 0) | AMD_SDMA_FENCE_MTYPE(FENCE_UNCACHED),
	       LOW(semaphore), HIGH(semaphore), payload);
}

void amd_sdma_trap(struct gpu_push *p)
{
	PACKET(p, AMD_SDMA(AMD_SDMA_TRAP, 0), 0); /* the context */
}

static void sdma_cache_control(struct gpu_push *p, uint32_t bits)
{
	PACKET(p, AMD_SDMA(AMD_SDMA_GCR_REQ, 0), 0, AMD_SDMA_GCR_LOW(bits), AMD_SDMA_GCR_HIGH(bits),
	       0);
}

void amd_sdma_write_back(struct gpu_push *p)
{
	sdma_cache_control(p, AMD_GCR_GL2_WB | AMD_GCR_GLM_WB | AMD_GCR_GLK_WB);
}

void amd_sdma_invalidate(struct gpu_push *p)
{
	sdma_cache_control(p, AMD_GCR_GL2_WB | AMD_GCR_GL2_INV | AMD_GCR_GLM_WB | AMD_GCR_GLM_INV |
				      AMD_GCR_GL1_INV | AMD_GCR_GLV_INV | AMD_GCR_GLK_INV);
}

void amd_sdma_copy(struct gpu_push *p, uint64_t destination, uint64_t source, uint64_t bytes)
{
	PACKET(p, AMD_SDMA(AMD_SDMA_COPY, AMD_SDMA_COPY_LINEAR), (uint32_t)bytes - 1, 0,
	       LOW(source), HIGH(source), LOW(destination), HIGH(destination));
}

/* ---- lines ---- */

/* How a pitched copy is divided into sub-window packets. The element is the largest that divides
 * all addresses, pitches and the width. */
struct tiling {
	uint32_t log2;    /* of the element's size in bytes */
	uint32_t columns; /* packets per row of packets; 0: copy line by line */
};

static struct tiling choose_tiling(const struct gpu_lines *l)
{
	uint64_t all =
		l->destination | l->source | l->destination_pitch | l->source_pitch | l->bytes;
	struct tiling t = {0, 0};
	uint32_t pitch =
		l->destination_pitch > l->source_pitch ? l->destination_pitch : l->source_pitch;

	while (t.log2 < AMD_SDMA_MAX_ELEMENT_LOG2 && !(all >> t.log2 & 1))
		t.log2++;
	if (t.log2 >= 2 && pitch >> t.log2 <= AMD_SDMA_MAX_PITCH)
		t.columns = ((l->bytes >> t.log2) + AMD_SDMA_MAX_EXTENT - 1) / AMD_SDMA_MAX_EXTENT;
	if (t.columns * AMD_SDMA_COPY_RECT_WORDS > AMD_SDMA_MAX_LINES_WORDS)
		t.columns = 0;
	return t;
}

uint32_t amd_sdma_max_lines(const struct gpu_lines *l)
{
	struct tiling t = choose_tiling(l);

	return t.columns ? AMD_SDMA_MAX_LINES_WORDS / (t.columns * AMD_SDMA_COPY_RECT_WORDS) *
				   AMD_SDMA_MAX_EXTENT
			 : AMD_SDMA_MAX_LINES_WORDS / AMD_SDMA_COPY_WORDS;
}

static void sdma_sub_window(struct gpu_push *p, const struct gpu_lines *l, const struct tiling *t,
			    uint64_t at, uint32_t row, uint32_t width, uint32_t height)
{
	uint64_t from = l->source + at + (uint64_t)row * l->source_pitch;
	uint64_t to = l->destination + at + (uint64_t)row * l->destination_pitch;

	/* One slice, so the slice pitches are not used. */
	PACKET(p, AMD_SDMA(AMD_SDMA_COPY, AMD_SDMA_COPY_SUB_WINDOW) | AMD_SDMA_ELEMENT(t->log2),
	       LOW(from), HIGH(from), AMD_SDMA_XY(0, 0),
	       AMD_SDMA_Z_PITCH(0, l->source_pitch >> t->log2), 0, LOW(to), HIGH(to),
	       AMD_SDMA_XY(0, 0), AMD_SDMA_Z_PITCH(0, l->destination_pitch >> t->log2), 0,
	       AMD_SDMA_XY(width - 1, height - 1), 0);
}

void amd_sdma_copy_lines(struct gpu_push *p, const struct gpu_lines *l)
{
	struct tiling t = choose_tiling(l);
	uint32_t row, rows, at, width = AMD_SDMA_MAX_EXTENT << t.log2;

	for (row = 0; !t.columns && row < l->lines; row++)
		amd_sdma_copy(p, l->destination + (uint64_t)row * l->destination_pitch,
			      l->source + (uint64_t)row * l->source_pitch, l->bytes);
	for (row = 0; t.columns && row < l->lines; row += rows) {
		rows = l->lines - row < AMD_SDMA_MAX_EXTENT ? l->lines - row : AMD_SDMA_MAX_EXTENT;
		for (at = 0; at < l->bytes; at += width)
			sdma_sub_window(p, l, &t, at, row,
					(l->bytes - at < width ? l->bytes - at : width) >> t.log2,
					rows);
	}
}

/* ---- fills ---- */

static void sdma_const_fill(struct gpu_push *p, uint64_t destination, uint32_t value, uint32_t log2,
			    uint64_t bytes)
{
	uint64_t at, part;

	for (at = 0; at < bytes; at += part) {
		part = bytes - at < AMD_SDMA_FILL_MAX_BYTES ? bytes - at : AMD_SDMA_FILL_MAX_BYTES;
		PACKET(p, AMD_SDMA(AMD_SDMA_CONST_FILL, 0) | AMD_SDMA_FILL_SIZE(log2),
		       LOW(destination + at), HIGH(destination + at), value, (uint32_t)part - 1);
	}
}

/* value: repeated over the whole word. Fills by words, which are known to work, and uses smaller
 * elements only at unaligned ends. */
void amd_sdma_fill(struct gpu_push *p, uint64_t destination, uint32_t value, uint32_t element_bytes,
		   uint64_t bytes)
{
	uint32_t log2 = element_bytes == 1 ? 0 : element_bytes == 2 ? 1 : 2;
	uint64_t head = -destination % 4 < bytes ? -destination % 4 : bytes;
	uint64_t tail = (bytes - head) % 4;

	sdma_const_fill(p, destination, value, log2, head);
	sdma_const_fill(p, destination + head, value, 2, bytes - head - tail);
	sdma_const_fill(p, destination + bytes - tail, value, log2, tail);
}

/* ---- rings ---- */

/* The event's mailbox: see amd_pm4_ring_entry. */
void amd_sdma_ring_entry(struct gpu_push *p, const struct winsys_queue_memory *m,
			 const struct gpu_completion *completion)
{
	if (!completion)
		return;
	amd_sdma_fence(p, completion->semaphore, completion->payload, 0);
	if (!completion->interrupt)
		return;
	if (m->event_mailbox)
		amd_sdma_fence(p, m->event_mailbox, m->event_id, 0);
	PACKET(p, AMD_SDMA(AMD_SDMA_TRAP, 0), m->event_mailbox ? m->event_id : 0);
}
