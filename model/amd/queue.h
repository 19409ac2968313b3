/* SPDX-License-Identifier: MIT */
/* What the readers of packets share: compute queues (pm4.c) and copy queues (sdma.c). See queue.c. */
#ifndef MODEL_AMD_QUEUE_H
#define MODEL_AMD_QUEUE_H

#include "hw/amd/pm4.h"
#include "hw/amd/queue.h"
#include "model/core/model_internal.h"

#define AMD_MAX_DEPTH 2 /* of buffers in buffers */

struct stream { /* words of packets: a ring or a buffer */
	struct model_channel *c;
	uint64_t va;   /* of its first word */
	uint32_t mask; /* ring: of an index; buffer: all ones */
	uint32_t at, left;
	uint32_t depth; /* 0: a ring, 1: a buffer, 2: a buffer of a buffer */
	bool chained;   /* va and left are those of another buffer, which comes next */
};

#define AMD_BODY 16 /* words of a packet that are at hand; data is read where it is */
struct packet {
	struct model_channel *c;
	struct stream *s;
	const char *name;
	uint64_t va;    /* of its first word */
	uint32_t words; /* with the first */
	uint32_t word[AMD_BODY];
};

/* Runs the packet at the stream's beginning; its words, or 0: the channel has failed. */
typedef uint32_t amd_packet_fn(struct stream *s);
amd_packet_fn amd_pm4_packet, amd_sdma_packet;

/* The address of the stream's next word but i. */
uint64_t amd_stream_address(const struct stream *s, uint32_t i);
/* Reads the packet's first words. false: the stream does not hold that many, or has failed. */
bool amd_packet_read(struct packet *p, uint32_t words);
/* One word of it, however long it is. */
bool amd_packet_word(struct packet *p, uint32_t i, uint32_t *word);
/* Runs all packets of a buffer, at the depth below p's. */
bool amd_packet_buffer(struct packet *p, uint64_t va, uint32_t words, amd_packet_fn *run);

static inline uint64_t amd_packet_address(const struct packet *p, uint32_t i)
{
	return p->word[i] | (uint64_t)p->word[i + 1] << 32;
}

#define AMD_BAD(p, ...) \
	channel_fail((p)->c, \
		     &(struct model_error){.fault = MODEL_FAULT_PACKET, .address = (p)->va}, \
		     __VA_ARGS__)
/* false after saying so. */
bool amd_packet_aligned(struct packet *p, uint64_t address, uint32_t to);

/* Waits for a word; function is of AMD_WAIT_*. */
bool amd_packet_wait(struct packet *p, uint64_t address, uint32_t function, uint32_t reference,
		     uint32_t mask);

static inline uint64_t amd_clock(void)
{
	return model_nanoseconds() / AMD_CLOCK_NANOSECONDS;
}

/* dispatch.c: runs a grid by the queue's registers. */
bool amd_dispatch(struct packet *p, const uint32_t groups[3], uint32_t initiator);

#endif
