/* SPDX-License-Identifier: MIT */
/* Interfaces of the packet processors: compute queues (pm4.c) and copy queues (sdma.c). See
 * queue.c. */
#ifndef MODEL_AMD_QUEUE_H
#define MODEL_AMD_QUEUE_H

#include "hw/amd/pm4.h"
#include "hw/amd/queue.h"
#include "model/core/model_internal.h"
#include "model/core/random.h"

#define AMD_MAX_DEPTH 2 /* nesting of indirect buffers */

struct stream { /* a sequence of packets: a ring or an indirect buffer */
	struct model_channel *c;
	uint64_t va;   /* of its first word */
	uint32_t mask; /* ring: index mask; indirect buffer: all ones */
	uint32_t at, left;
	uint32_t depth; /* 0: ring, 1: indirect buffer, 2: indirect buffer in one */
	bool chained;   /* va and left describe the next buffer of a chain */
};

#define AMD_BODY 16 /* words of a packet that are read ahead; longer data is read on demand */
struct packet {
	struct model_channel *c;
	struct stream *s;
	const char *name;
	uint64_t va;    /* of its first word */
	uint32_t words; /* including the header */
	uint32_t word[AMD_BODY];
};

/* Executes the packet at the start of the stream. Returns its size in words, or 0 if the channel
 * has failed. */
typedef uint32_t amd_packet_fn(struct stream *s);
amd_packet_fn amd_pm4_packet, amd_sdma_packet;

/* Address of the stream's i-th next word. */
uint64_t amd_stream_address(const struct stream *s, uint32_t i);
/* Reads the packet's first words. Returns false if the stream is too short or has failed. */
bool amd_packet_read(struct packet *p, uint32_t words);
/* Reads one word of a packet of any length. */
bool amd_packet_word(struct packet *p, uint32_t i, uint32_t *word);
/* Executes all packets of an indirect buffer, one level below p. */
bool amd_packet_buffer(struct packet *p, uint64_t va, uint32_t words, amd_packet_fn *run);

static inline uint64_t amd_packet_address(const struct packet *p, uint32_t i)
{
	return p->word[i] | (uint64_t)p->word[i + 1] << 32;
}

#define AMD_PACKET_ERROR(p, ...) \
	channel_fail((p)->c, \
		     &(struct model_error){.fault = MODEL_FAULT_PACKET, .address = (p)->va}, \
		     __VA_ARGS__)
/* Reports a misaligned address and returns false. */
bool amd_packet_aligned(struct packet *p, uint64_t address, uint32_t to);

/* Waits for a word in memory; function is one of AMD_WAIT_*. */
bool amd_packet_wait(struct packet *p, uint64_t address, uint32_t function, uint32_t reference,
		     uint32_t mask);

/* Interrupts the CPU; context: of the packet that asks for it. */
static inline void amd_interrupt(struct model_channel *c, uint32_t context)
{
	if (c->config.event)
		c->config.event(c->config.argument, context);
	channel_interrupt(c);
}

static inline uint64_t amd_clock(void)
{
	return model_nanoseconds() / AMD_CLOCK_NANOSECONDS;
}

/* dispatch.c: executes or defers the grid that the queue's registers describe; executes a grid. */
bool amd_dispatch(struct packet *p, const uint32_t groups[3], uint32_t initiator);
struct amd_grid;
bool amd_grid_run(struct model_channel *c, struct amd_grid *g);

/* deferred.c: the packet is executed now, or, in the modes that have overlap, later. Return false
 * if the channel has failed. */
bool amd_deferred_dispatch(struct model_channel *c, struct amd_grid *g);
bool amd_deferred_release(struct packet *p);
/* Executes all that is deferred. */
bool amd_deferred_run(struct model_channel *c);
void amd_deferred_destroy(struct model_channel *c);
/* pm4.c: the release itself. */
bool amd_release(struct packet *p);

/* A choice of a mode, whose state is never 0: that means that the mode is off. */
static inline uint64_t amd_choice(uint64_t *state)
{
	uint64_t choice = random_next(state);

	*state += !*state;
	return choice;
}

/* lines.c: a packet invalidates caches; AMD_GCR_* */
void amd_lines_invalidate(struct model_space *s, uint32_t bits);
void amd_lines_destroy(struct model_space *s);

#endif
