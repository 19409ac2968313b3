/* SPDX-License-Identifier: MIT */
/* A test rig with a software Navi 21: one address space, queues, memory at fixed addresses, and
 * helpers that write packets and instructions. All work goes through rings and doorbells, as in a
 * runtime. */
#ifndef TESTS_MODEL_NAVI_H
#define TESTS_MODEL_NAVI_H

#include <sched.h>
#include <time.h>

#include "hw/amd/kernel_descriptor.h"
#include "hw/amd/pm4.h"
#include "hw/amd/queue.h"
#include "hw/amd/sdma.h"
#include "libsov/isa/amd/amd_row.h"
#include "model/core/model.h"
#include "tests/tap.h"

/* VRAM is mapped as a whole at NAVI_BASE; each queue has a part of it. */
#define NAVI_BASE      0x100000000ull
#define NAVI_BYTES     (64ull << 20)
#define NAVI_QUEUES    4
#define NAVI_RING(q)   (NAVI_BASE + 0x40000ull * (q))
#define NAVI_WORDS     1024
#define NAVI_BUFFER(q) (NAVI_RING(q) + 0x10000)
#define NAVI_FENCE(q)  (NAVI_RING(q) + 0x30000)
#define NAVI_CODE      (NAVI_BASE + 0x100000)
#define NAVI_DATA      (NAVI_BASE + 0x200000)
#define NAVI_SCRATCH   (NAVI_BASE + (32ull << 20))
#define NAVI_HOLE      0x700000000ull /* unmapped */

struct navi_queue {
	struct model_channel *channel;
	uint64_t pointers[AMD_QUEUE_BYTES / 8];
	uint32_t number, put, start, buffer, release;
	bool copy;
};

struct navi {
	struct model *m;
	struct model_space *space;
	uint8_t *vram;
	uint32_t code; /* words written */
	struct navi_queue q[NAVI_QUEUES];
	_Atomic uint32_t interrupts, failures;
};

static uint32_t *navi_at(struct navi *n, uint64_t va)
{
	return (uint32_t *)(n->vram + (va - NAVI_BASE));
}

static void navi_interrupt(void *argument, bool failed)
{
	struct navi *n = argument;

	if (failed)
		n->failures++;
	else
		n->interrupts++;
}

static struct navi_queue *navi_queue(struct navi *n, uint32_t number, bool copy)
{
	struct navi_queue *q = &n->q[number];
	struct model_channel_config c = {.ring_va = NAVI_RING(number),
					 .ring_entries = NAVI_WORDS,
					 .userd = q->pointers,
					 .copy_only = copy,
					 .interrupt = navi_interrupt,
					 .argument = n};

	if (q->channel)
		model_channel_destroy(q->channel);
	memset(q, 0, sizeof(*q));
	q->number = number;
	q->copy = copy;
	*navi_at(n, NAVI_FENCE(number)) = 0;
	if (model_channel_create(n->m, n->space, &c, &q->channel))
		abort();
	return q;
}

/* With TEST_WEAK in weak memory mode, with this seed. */
__attribute__((unused)) static void navi_open(struct navi *n, bool hazard, uint32_t threads)
{
	const char *seed = getenv("TEST_WEAK");
	struct model_config c = {.chip = model_chip_find("navi21"),
				 .vram_bytes = NAVI_BYTES,
				 .threads = threads,
				 .hazard = hazard,
				 .weak_seed = seed ? strtoull(seed, NULL, 10) : 0};

	memset(n, 0, sizeof(*n));
	if (model_create(&c, &n->m) || model_space_create(n->m, &n->space))
		abort();
	n->vram = model_vram(n->m, NULL);
	if (model_map(n->space, NAVI_BASE, n->vram, NAVI_BYTES,
		      MODEL_READ | MODEL_WRITE | MODEL_ATOMIC))
		abort();
}

__attribute__((unused)) static void navi_close(struct navi *n)
{
	for (uint32_t i = 0; i < NAVI_QUEUES; i++)
		model_channel_destroy(n->q[i].channel);
	model_space_destroy(n->space);
	model_destroy(n->m);
}

/* Packets. */

static void navi_word(struct navi *n, struct navi_queue *q, uint32_t word)
{
	navi_at(n, NAVI_BUFFER(q->number))[q->buffer++] = word;
}

#define NAVI_WORDS_OF(...) (sizeof((uint32_t[]){__VA_ARGS__}) / 4)
/* Appends a packet to the queue's indirect buffer. */
#define PACKET(n, q, ...) \
	navi_packet(n, q, (const uint32_t[]){__VA_ARGS__}, NAVI_WORDS_OF(__VA_ARGS__))
#define LOW(va)  ((uint32_t)(va))
#define HIGH(va) ((uint32_t)((uint64_t)(va) >> 32))
#define PM4(n, q, opcode, ...) \
	PACKET(n, q, AMD_PM4(opcode, NAVI_WORDS_OF(__VA_ARGS__)), __VA_ARGS__)

static void navi_packet(struct navi *n, struct navi_queue *q, const uint32_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		navi_word(n, q, words[i]);
}

__attribute__((unused)) static void navi_set(struct navi *n, struct navi_queue *q, uint32_t reg,
					     uint32_t value)
{
	PM4(n, q, AMD_PM4_SET_SH_REG, AMD_SH_OFFSET(reg), value);
}

/* Appends one word to the ring. */
static void navi_ring(struct navi *n, struct navi_queue *q, uint32_t word)
{
	navi_at(n, NAVI_RING(q->number))[q->put++ % NAVI_WORDS] = word;
}

static void navi_ring_doorbell(struct navi *n, struct navi_queue *q)
{
	__atomic_store_n(&q->pointers[AMD_QUEUE_PUT / 8], (uint64_t)q->put * (q->copy ? 4 : 1),
			 __ATOMIC_RELEASE);
	model_doorbell(n->m, model_channel_token(q->channel));
}

/* Submits the packets written since the last call, in an indirect buffer or, to a copy queue, in
 * the ring. */
static void navi_submit(struct navi *n, struct navi_queue *q)
{
	uint64_t va = NAVI_BUFFER(q->number) + 4ull * q->start;

	if (q->copy) {
		for (uint32_t i = q->start; i < q->buffer; i++)
			navi_ring(n, q, navi_at(n, NAVI_BUFFER(q->number))[i]);
	} else {
		navi_ring(n, q, AMD_PM4(AMD_PM4_INDIRECT_BUFFER, AMD_PM4_IB_WORDS));
		navi_ring(n, q, LOW(va));
		navi_ring(n, q, HIGH(va));
		navi_ring(n, q, (q->buffer - q->start) | AMD_PM4_IB_VALID);
	}
	q->start = q->buffer;
	if (q->buffer > 0x6000)
		q->start = q->buffer = 0; /* a test that writes this much waits for it first */
	navi_ring_doorbell(n, q);
}

#define NAVI_WRITE_BACK AMD_GCR_GL2_WB
#define NAVI_INVALIDATE (AMD_GCR_GL2_INV | AMD_GCR_GL1_INV | AMD_GCR_GLV_INV | AMD_GCR_GLK_INV)
static void navi_cache_control(struct navi *n, struct navi_queue *q, uint32_t bits)
{
	PACKET(n, q, AMD_SDMA(AMD_SDMA_GCR_REQ, 0), 0, AMD_SDMA_GCR_LOW(bits),
	       AMD_SDMA_GCR_HIGH(bits), 0);
}

static void navi_release(struct navi *n, struct navi_queue *q)
{
	uint64_t at = NAVI_FENCE(q->number);

	q->release++;
	if (q->copy)
		navi_cache_control(n, q, NAVI_INVALIDATE);
	if (q->copy)
		PACKET(n, q, AMD_SDMA(AMD_SDMA_FENCE, 0) | AMD_SDMA_FENCE_MTYPE(3), LOW(at),
		       HIGH(at), q->release);
	else
		PM4(n, q, AMD_PM4_RELEASE_MEM,
		    AMD_RELEASE_EVENT(AMD_EVENT_CACHE_FLUSH_AND_INV_TS,
				      AMD_EVENT_INDEX_END_OF_PIPE),
		    (uint32_t)AMD_RELEASE_32 << AMD_RELEASE_DATA_SHIFT, LOW(at), HIGH(at),
		    q->release, 0, 0);
}

/* Waits for the last release, an error, or a timeout. */
static bool navi_wait(struct navi *n, struct navi_queue *q)
{
	uint64_t end = model_nanoseconds() + 20000000000ull;
	struct model_error e;

	while (__atomic_load_n(navi_at(n, NAVI_FENCE(q->number)), __ATOMIC_ACQUIRE) != q->release) {
		if (model_channel_error(q->channel, &e) || model_nanoseconds() > end)
			return false;
		sched_yield();
	}
	return true;
}

__attribute__((unused)) static bool navi_finish(struct navi *n, struct navi_queue *q)
{
	navi_release(n, q);
	navi_submit(n, q);
	return navi_wait(n, q);
}

__attribute__((unused)) static const char *navi_error(struct navi_queue *q, struct model_error *e)
{
	uint64_t end = model_nanoseconds() + 20000000000ull;

	while (!model_channel_error(q->channel, e)) {
		if (model_nanoseconds() > end)
			return "(no error)";
		sched_yield();
	}
	return e->text;
}

/* Dispatches. */

struct navi_grid {
	uint32_t groups, threads, lds;
	uint32_t slots, wave_kib;  /* private memory */
	uint64_t user[4];          /* pairs of scalar registers */
	uint32_t entry;            /* word offset from NAVI_CODE, a multiple of 64 */
	bool no_acquire, no_flush; /* leaves out the ACQUIRE_MEM before, CS_PARTIAL_FLUSH behind */
};

/* s[0:7] are user SGPRs, then the workgroup number, then the offset of private memory. */
#define NAVI_RSRC1 (7 | AMD_FLOAT_MODE_DEFAULT << 12) /* 64 vector registers */
#define NAVI_RSRC2 (8 << 1 | 1 << 7)

__attribute__((unused)) static void navi_dispatch(struct navi *n, struct navi_queue *q,
						  const struct navi_grid *g)
{
	uint64_t entry = (NAVI_CODE + 4ull * g->entry) >> 8;
	uint32_t lds = (g->lds + AMD_LDS_GRANULE - 1) / AMD_LDS_GRANULE;

	if (!g->no_acquire)
		PM4(n, q, AMD_PM4_ACQUIRE_MEM, 0, AMD_ACQUIRE_ALL_LOW, AMD_ACQUIRE_ALL_HIGH, 0, 0,
		    AMD_ACQUIRE_POLL,
		    AMD_GCR_GLI_INV | AMD_GCR_GLK_INV | AMD_GCR_GLV_INV | AMD_GCR_GL1_INV);
	PM4(n, q, AMD_PM4_SET_SH_REG, AMD_SH_OFFSET(AMD_COMPUTE_NUM_THREAD_X), g->threads, 1, 1);
	PM4(n, q, AMD_PM4_SET_SH_REG, AMD_SH_OFFSET(AMD_COMPUTE_PGM_LO), LOW(entry), HIGH(entry));
	PM4(n, q, AMD_PM4_SET_SH_REG, AMD_SH_OFFSET(AMD_COMPUTE_PGM_RSRC1), NAVI_RSRC1,
	    NAVI_RSRC2 | (g->slots ? 1 : 0) | lds << AMD_RSRC2_LDS_SHIFT);
	navi_set(n, q, AMD_COMPUTE_TMPRING_SIZE, AMD_TMPRING(g->slots, g->wave_kib));
	PM4(n, q, AMD_PM4_SET_SH_REG, AMD_SH_OFFSET(AMD_COMPUTE_USER_DATA_0), LOW(g->user[0]),
	    HIGH(g->user[0]), LOW(g->user[1]), HIGH(g->user[1]), LOW(g->user[2]), HIGH(g->user[2]),
	    LOW(g->user[3]), HIGH(g->user[3]));
	PM4(n, q, AMD_PM4_DISPATCH_DIRECT, g->groups, 1, 1,
	    AMD_DISPATCH_SHADER_EN | AMD_DISPATCH_START_AT_0 | AMD_DISPATCH_WAVE32);
	if (!g->no_flush)
		PM4(n, q, AMD_PM4_EVENT_WRITE,
		    AMD_RELEASE_EVENT(AMD_EVENT_CS_PARTIAL_FLUSH, AMD_EVENT_INDEX_PARTIAL_FLUSH));
}

/* Instructions. */

#define V(r) (AMD_VGPR + (r))
#define I(x) (AMD_INT_0 + (x))

/* Starts a program; programs begin at multiples of 64 words. */
__attribute__((unused)) static uint32_t navi_program(struct navi *n)
{
	n->code = (n->code + 63) & ~63u;
	return n->code;
}

static void navi_emit(struct navi *n, const struct amd_inst *in)
{
	const char *why = NULL;
	uint32_t words[AMD_MAX_WORDS], bytes = amd_encode(AMD_GFX1030, in, words, &why);

	if (!bytes)
		diag("%s: %s", in->row->name, why);
	memcpy(navi_at(n, NAVI_CODE) + n->code, words, bytes);
	n->code += bytes / 4;
}

/* An instruction without modifiers: destination and sources, in the order of slots. */
static struct amd_inst navi_make(enum amd_op op, int d, int s0, int s1, int s2)
{
	struct amd_inst in;

	amd_init(&in, op, AMD_PLAIN);
	if (in.row->type[AMD_D] && in.row->format != AMD_VOPC)
		in.reg[AMD_D] = (uint16_t)d;
	if (in.row->type[AMD_S0])
		in.reg[AMD_S0] = (uint16_t)s0;
	if (in.row->type[AMD_S1])
		in.reg[AMD_S1] = (uint16_t)s1;
	if (in.row->type[AMD_S2] && in.row->type[AMD_S2] != TYPE_M)
		in.reg[AMD_S2] = (uint16_t)s2;
	return in;
}

__attribute__((unused)) static void put(struct navi *n, enum amd_op op, int d, int s0, int s1,
					int s2)
{
	struct amd_inst in = navi_make(op, d, s0, s1, s2);

	navi_emit(n, &in);
}

/* The same with one field: offset, immediate, GLC. */
__attribute__((unused)) static void put_field(struct navi *n, enum amd_op op, int d, int s0, int s1,
					      int s2, uint32_t field, int32_t value)
{
	struct amd_inst in = navi_make(op, d, s0, s1, s2);

	in.field[field] = value;
	navi_emit(n, &in);
}

__attribute__((unused)) static void put_imm(struct navi *n, enum amd_op op, int d, int32_t imm)
{
	put_field(n, op, d, 0, 0, 0, AMD_F_IMM, imm);
}

__attribute__((unused)) static void put_literal(struct navi *n, enum amd_op op, int d,
						uint32_t value, int s1)
{
	struct amd_inst in = navi_make(op, d, AMD_LITERAL, s1, 0);

	in.literal = value;
	navi_emit(n, &in);
}

#endif
