/* SPDX-License-Identifier: MIT */
/*
 * Packets for copy queues. The engine takes one after the other, so a fence behind a copy says that it is done.
 * Boxes are copied by sub-windows where addresses and pitches are whole words, and line by line otherwise: that
 * sub-windows take odd ones is not known.
 */
#include <string.h>
#include "libsov/gpu/amd/amd_gpu.h"

#define HIGH(address)  ((uint32_t)((address) >> 32))
#define LOW(address)   ((uint32_t)(address))
#define FENCE_UNCACHED 3

#define PACKET(p, ...) \
	packet(p, (const uint32_t[]){__VA_ARGS__}, \
	       sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void packet(struct gpu_push *p, const uint32_t *words, uint32_t count)
{
	if (p->capacity - p->count < count) {
		p->overflow = true;
		return;
	}
	memcpy(p->words + p->count, words, 4ul * count);
	p->count += count;
}

void amd_sdma_wait(struct gpu_push *p, uint64_t semaphore, uint32_t payload)
{
	PACKET(p,
	       AMD_SDMA(AMD_SDMA_POLL_REGMEM, 0) | AMD_SDMA_POLL_FUNCTION(AMD_WAIT_GREATER_EQUAL) |
		       AMD_SDMA_POLL_MEMORY,
	       LOW(semaphore), HIGH(semaphore), payload, 0xffffffff,
	       AMD_SDMA_POLL_FOR_EVER | AMD_SDMA_POLL_INTERVAL);
}

/* The time first: who sees the value finds it there. */
void amd_sdma_release(struct gpu_push *p, uint64_t semaphore, uint32_t payload, uint32_t flags)
{
	if (flags & GPU_RELEASE_TIMESTAMP)
		PACKET(p, AMD_SDMA(AMD_SDMA_TIMESTAMP, AMD_SDMA_TIMESTAMP_GET_GLOBAL),
		       LOW(semaphore + GPU_TIMESTAMP_OFFSET), HIGH(semaphore + GPU_TIMESTAMP_OFFSET));
	PACKET(p, AMD_SDMA(AMD_SDMA_FENCE, 0) | AMD_SDMA_FENCE_MTYPE(FENCE_UNCACHED),
	       LOW(semaphore), HIGH(semaphore), payload);
}

void amd_sdma_interrupt(struct gpu_push *p)
{
	PACKET(p, AMD_SDMA(AMD_SDMA_TRAP, 0), 0);
}

void amd_sdma_copy(struct gpu_push *p, uint64_t destination, uint64_t source, uint64_t bytes)
{
	PACKET(p, AMD_SDMA(AMD_SDMA_COPY, AMD_SDMA_COPY_LINEAR), (uint32_t)bytes - 1, 0,
	       LOW(source), HIGH(source), LOW(destination), HIGH(destination));
}

/* ---- lines ---- */

/* How lines are cut: elements as large as everything is a multiple of; columns and rows of one packet. */
struct cut {
	uint32_t log2;    /* of an element's bytes */
	uint32_t columns; /* packets side by side; 0: they have to go line by line */
};

static struct cut cut(const struct gpu_lines *l)
{
	uint64_t all =
		l->destination | l->source | l->destination_pitch | l->source_pitch | l->bytes;
	struct cut c = {0, 0};
	uint32_t pitch =
		l->destination_pitch > l->source_pitch ? l->destination_pitch : l->source_pitch;

	while (c.log2 < AMD_SDMA_MAX_ELEMENT_LOG2 && !(all >> c.log2 & 1))
		c.log2++;
	if (c.log2 >= 2 && pitch >> c.log2 <= AMD_SDMA_MAX_PITCH)
		c.columns = ((l->bytes >> c.log2) + AMD_SDMA_MAX_EXTENT - 1) / AMD_SDMA_MAX_EXTENT;
	if (c.columns * AMD_SDMA_COPY_RECT_WORDS > AMD_SDMA_LINES_WORDS)
		c.columns = 0;
	return c;
}

uint32_t amd_sdma_lines_most(const struct gpu_lines *l)
{
	struct cut c = cut(l);

	return c.columns ? AMD_SDMA_LINES_WORDS / (c.columns * AMD_SDMA_COPY_RECT_WORDS) *
				   AMD_SDMA_MAX_EXTENT
			 : AMD_SDMA_LINES_WORDS / AMD_SDMA_COPY_WORDS;
}

static void box(struct gpu_push *p, const struct gpu_lines *l, const struct cut *c, uint64_t at,
		uint32_t row, uint32_t width, uint32_t height)
{
	uint64_t from = l->source + at + (uint64_t)row * l->source_pitch;
	uint64_t to = l->destination + at + (uint64_t)row * l->destination_pitch;

	/* One slice, so that slice pitches say nothing. */
	PACKET(p, AMD_SDMA(AMD_SDMA_COPY, AMD_SDMA_COPY_SUB_WINDOW) | AMD_SDMA_ELEMENT(c->log2),
	       LOW(from), HIGH(from), AMD_SDMA_XY(0, 0),
	       AMD_SDMA_Z_PITCH(0, l->source_pitch >> c->log2), 0, LOW(to), HIGH(to),
	       AMD_SDMA_XY(0, 0), AMD_SDMA_Z_PITCH(0, l->destination_pitch >> c->log2), 0,
	       AMD_SDMA_XY(width - 1, height - 1), 0);
}

void amd_sdma_lines(struct gpu_push *p, const struct gpu_lines *l)
{
	struct cut c = cut(l);
	uint32_t row, rows, at, width = AMD_SDMA_MAX_EXTENT << c.log2;

	for (row = 0; !c.columns && row < l->lines; row++)
		amd_sdma_copy(p, l->destination + (uint64_t)row * l->destination_pitch,
			      l->source + (uint64_t)row * l->source_pitch, l->bytes);
	for (row = 0; c.columns && row < l->lines; row += rows) {
		rows = l->lines - row < AMD_SDMA_MAX_EXTENT ? l->lines - row : AMD_SDMA_MAX_EXTENT;
		for (at = 0; at < l->bytes; at += width)
			box(p, l, &c, at, row,
			    (l->bytes - at < width ? l->bytes - at : width) >> c.log2, rows);
	}
}

/* ---- fills ---- */

static void fill(struct gpu_push *p, uint64_t destination, uint32_t value, uint32_t log2,
		 uint64_t bytes)
{
	if (bytes)
		PACKET(p, AMD_SDMA(AMD_SDMA_CONST_FILL, 0) | AMD_SDMA_FILL_SIZE(log2),
		       LOW(destination), HIGH(destination), value, (uint32_t)bytes - 1);
}

/* value: repeated over the whole word. Words are what is known to work; smaller elements only where there is no
 * whole word. */
void amd_sdma_fill(struct gpu_push *p, uint64_t destination, uint32_t value, uint32_t element_bytes,
		   uint64_t bytes)
{
	uint32_t log2 = element_bytes == 1 ? 0 : element_bytes == 2 ? 1 : 2;
	uint64_t head = -destination % 4 < bytes ? -destination % 4 : bytes;
	uint64_t tail = (bytes - head) % 4;

	fill(p, destination, value, log2, head);
	fill(p, destination + head, value, 2, bytes - head - tail);
	fill(p, destination + bytes - tail, value, log2, tail);
}

/* ---- spans ---- */

void amd_sdma_pad(struct gpu_push *p)
{
	while (p->count % AMD_SDMA_INDIRECT_ALIGN && !p->overflow)
		PACKET(p, AMD_SDMA(AMD_SDMA_NOP, 0));
}

/* The first packet ends at a multiple of eight words. */
void amd_sdma_enter(uint32_t *entry, uint64_t span, const struct gpu_completion *end)
{
	struct gpu_push p = {.words = entry, .capacity = AMD_ENTRY_WORDS};
	uint64_t address = gpu_span_address(span);

	if (gpu_span_words(span))
		PACKET(&p, AMD_SDMA(AMD_SDMA_NOP, 0), AMD_SDMA(AMD_SDMA_NOP, 0),
		       AMD_SDMA(AMD_SDMA_INDIRECT, 0), LOW(address), HIGH(address),
		       gpu_span_words(span), 0, 0);
	if (end) {
		amd_sdma_release(&p, end->semaphore, end->payload, 0);
		if (end->interrupt)
			amd_sdma_interrupt(&p);
	}
	while (p.count < AMD_ENTRY_WORDS)
		p.words[p.count++] = AMD_SDMA(AMD_SDMA_NOP, 0);
}
