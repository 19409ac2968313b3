/* SPDX-License-Identifier: MIT */
/* A test rig with a software GPU: one address space, one channel, memory at fixed addresses, and
 * helpers that write method streams, launch descriptors and instructions. All work goes through the
 * ring and the doorbell, as in a driver. */
#ifndef TESTS_MODEL_RIG_H
#define TESTS_MODEL_RIG_H

#include <sched.h>
#include <time.h>

#include "hw/nv/bank0.h"
#include "hw/nv/compute.h"
#include "hw/nv/copy.h"
#include "hw/nv/host.h"
#include "hw/nv/qmd.h"
#include "libsov/isa/nv/sass.h"
#include "model/core/model.h"
#include "tests/tap.h"

/* Memory layout: VRAM is mapped as a whole at RIG_BASE. */
#define RIG_BASE          0x100000000ull
#define RIG_BYTES         (64ull << 20)
#define RIG_RING          RIG_BASE
#define RIG_ENTRIES       64
#define RIG_PUSH          (RIG_BASE + 0x10000)
#define RIG_SEM           (RIG_BASE + 0x80000)
#define RIG_QMD           (RIG_BASE + 0x90000)
#define RIG_BANK0         (RIG_BASE + 0xa0000)
#define RIG_BANK_BYTES    0x400
#define RIG_CODE          (RIG_BASE + 0x100000)
#define RIG_DATA          (RIG_BASE + 0x200000)
#define RIG_HOLE          0x700000000ull /* unmapped */
#define RIG_SHARED_WINDOW 0x729400000000ull
#define RIG_LOCAL_WINDOW  0x729300000000ull
#define RIG_LOCAL_AREA    (RIG_BASE + (32ull << 20))

struct rig {
	struct model *m;
	struct model_space *space;
	struct model_channel *channel;
	const struct nv_qmd_layout *layout;
	uint8_t *vram;
	uint32_t userd[NV_USERD_BYTES / 4];
	struct nv_notification notifier;
	uint32_t put, push, start, release;
	uint32_t code; /* instructions written */
	uint32_t params;
	uint32_t qmd[NV_QMD_MAX_WORDS];
};

static void *rig_at(struct rig *r, uint64_t va)
{
	return r->vram + (va - RIG_BASE);
}

__attribute__((unused)) static uint32_t *rig_words(struct rig *r, uint64_t va)
{
	return rig_at(r, va);
}

static void rig_channel(struct rig *r)
{
	struct model_channel_config c = {.ring_va = RIG_RING,
					 .ring_entries = RIG_ENTRIES,
					 .userd = r->userd,
					 .notifier = &r->notifier};

	memset(r->userd, 0, sizeof(r->userd));
	memset(&r->notifier, 0, sizeof(r->notifier));
	r->put = r->push = r->start = 0;
	if (model_channel_create(r->m, r->space, &c, &r->channel))
		abort();
}

static void rig_open_config(struct rig *r, const struct model_config *c)
{
	memset(r, 0, sizeof(*r));
	if (model_create(c, &r->m) || model_space_create(r->m, &r->space))
		abort();
	r->vram = model_vram(r->m, NULL);
	r->layout = nv_qmd_layout_of(c->chip->sm);
	r->params = c->chip->sm >= 90 ? NV_BANK0_SM90_PARAMS : NV_BANK0_SM80_PARAMS;
	if (model_map(r->space, RIG_BASE, r->vram, RIG_BYTES,
		      MODEL_READ | MODEL_WRITE | MODEL_ATOMIC))
		abort();
	rig_channel(r);
}

/* With TEST_WEAK in weak memory mode, with this seed; with TEST_TRANSLATE (enum emit_isa) all code
 * is translated. */
__attribute__((unused)) static void rig_open(struct rig *r, const char *chip, bool hazard,
					     uint32_t threads)
{
	const char *seed = getenv("TEST_WEAK"), *isa = getenv("TEST_TRANSLATE");
	struct model_config c = {.chip = model_chip_find(chip),
				 .vram_bytes = RIG_BYTES,
				 .threads = threads,
				 .hazard = hazard,
				 .translate = isa ? (uint32_t)strtoul(isa, NULL, 10) : 0,
				 .translate_visits = 1,
				 .weak_seed = seed ? strtoull(seed, NULL, 10) : 0};

	rig_open_config(r, &c);
}

__attribute__((unused)) static void rig_close(struct rig *r)
{
	model_channel_destroy(r->channel);
	model_space_destroy(r->space);
	model_destroy(r->m);
}

/* Replaces a failed channel; the model and the memory stay. */
__attribute__((unused)) static void rig_renew(struct rig *r)
{
	model_channel_destroy(r->channel);
	rig_channel(r);
}

/* Method streams. */

static void rig_word(struct rig *r, uint32_t word)
{
	rig_words(r, RIG_PUSH)[r->push++] = word;
}

static void rig_method(struct rig *r, uint32_t subchannel, uint32_t method, uint32_t data)
{
	rig_word(r, nv_method_pack(NV_METHOD_INC, subchannel, method, 1));
	rig_word(r, data);
}

static void rig_submit(struct rig *r)
{
	uint64_t at = RIG_PUSH + 4ull * r->start;
	uint64_t *ring = rig_at(r, RIG_RING);

	ring[r->put] = nv_gp_entry_pack(at, r->push - r->start);
	r->start = r->push;
	r->put = (r->put + 1) % RIG_ENTRIES;
	__atomic_store_n(&r->userd[NV_USERD_GP_PUT / 4], r->put, __ATOMIC_RELEASE);
	model_doorbell(r->m, model_channel_token(r->channel));
}

static void rig_release(struct rig *r)
{
	rig_word(r, nv_method_pack(NV_METHOD_INC, 0, NV_HOST_SEM_ADDR_LO, 5));
	rig_word(r, (uint32_t)RIG_SEM);
	rig_word(r, (uint32_t)(RIG_SEM >> 32));
	rig_word(r, ++r->release);
	rig_word(r, 0);
	rig_word(r, NV_SEM_RELEASE | NV_SEM_RELEASE_WFI | NV_SEM_PAYLOAD_64);
}

/* Waits for the last release, an error, or a timeout. */
static bool rig_wait(struct rig *r)
{
	struct timespec pause = {.tv_nsec = 100000};
	struct model_error e;

	for (uint32_t i = 0; i < 600000; i++) {
		if (__atomic_load_n((uint64_t *)rig_at(r, RIG_SEM), __ATOMIC_ACQUIRE) == r->release)
			return true;
		if (model_channel_error(r->channel, &e))
			return false;
		if (i < 1000)
			sched_yield();
		else
			nanosleep(&pause, NULL);
	}
	return false;
}

__attribute__((unused)) static bool rig_go(struct rig *r)
{
	rig_release(r);
	rig_submit(r);
	if (!rig_wait(r))
		return false;
	r->push = r->start = 0;
	return true;
}

/* The message of the channel's error, "" without one. */
__attribute__((unused)) static const char *rig_error(struct rig *r, struct model_error *e)
{
	memset(e, 0, sizeof(*e));
	model_channel_error(r->channel, e);
	return e->text;
}

/* Launches. */

static void rig_windows(struct rig *r)
{
	rig_method(r, 1, NV_COMPUTE_SHARED_WINDOW_A, (uint32_t)(RIG_SHARED_WINDOW >> 32));
	rig_method(r, 1, NV_COMPUTE_SHARED_WINDOW_B, (uint32_t)RIG_SHARED_WINDOW);
	rig_method(r, 1, NV_COMPUTE_LOCAL_WINDOW_A, (uint32_t)(RIG_LOCAL_WINDOW >> 32));
	rig_method(r, 1, NV_COMPUTE_LOCAL_WINDOW_B, (uint32_t)RIG_LOCAL_WINDOW);
	rig_method(r, 1, NV_COMPUTE_LOCAL_MEMORY_A, (uint32_t)(RIG_LOCAL_AREA >> 32));
	rig_method(r, 1, NV_COMPUTE_LOCAL_MEMORY_B, (uint32_t)RIG_LOCAL_AREA);
	rig_method(r, 1, NV_COMPUTE_LOCAL_MEMORY_TPC_A, 0);
	rig_method(r, 1, NV_COMPUTE_LOCAL_MEMORY_TPC_B, 32 * 256 * 64 * 2);
	rig_method(r, 1, NV_COMPUTE_LOCAL_MEMORY_TPC_C, 0xff);
}

static void rig_set(struct rig *r, enum nv_qmd_field f, uint64_t value)
{
	if (!nv_qmd_set(r->layout, r->qmd, f, value))
		abort();
}

/* A complete launch descriptor for the code at RIG_CODE. */
__attribute__((unused)) static void rig_qmd(struct rig *r, uint32_t blocks, uint32_t threads)
{
	memset(r->qmd, 0, sizeof(r->qmd));
	if (nv_qmd_has(r->layout, NV_QMD_TYPE))
		rig_set(r, NV_QMD_TYPE, NV_QMD_TYPE_GRID);
	else
		rig_set(r, NV_QMD_MAJOR_VERSION, 3);
	rig_set(r, NV_QMD_GRID_X, blocks);
	rig_set(r, NV_QMD_GRID_Y, 1);
	rig_set(r, NV_QMD_GRID_Z, 1);
	rig_set(r, NV_QMD_BLOCK_X, threads);
	rig_set(r, NV_QMD_BLOCK_Y, 1);
	rig_set(r, NV_QMD_BLOCK_Z, 1);
	rig_set(r, NV_QMD_PROGRAM, RIG_CODE);
	rig_set(r, NV_QMD_REGISTERS, 64);
	rig_set(r, NV_QMD_BARRIERS, 16);
	rig_set(r, NV_QMD_SHARED_BYTES, 0x800);
	rig_set(r, NV_QMD_SHARED_CONFIG_MIN, nv_qmd_shared_config(0x800, 164));
	rig_set(r, NV_QMD_SHARED_CONFIG_TARGET, nv_qmd_shared_config(0x800, 164));
	rig_set(r, NV_QMD_SHARED_CONFIG_MAX, nv_qmd_shared_config(164 << 10, 164));
	rig_set(r, NV_QMD_LOCAL_HIGH_BYTES, 128);
	rig_set(r, NV_QMD_LOCAL_LOW_BYTES, 128);
	rig_set(r, NV_QMD_BANK_VALID, 1);
	rig_set(r, NV_QMD_BANK_ADDRESS, RIG_BANK0);
	rig_set(r, NV_QMD_BANK_BYTES, RIG_BANK_BYTES);
	rig_set(r, NV_QMD_INVALIDATE_INSTRUCTIONS, 1);
}

/* Constant bank 0 for the descriptor; parameter i has 64 bits. */
__attribute__((unused)) static void rig_bank(struct rig *r, const uint64_t *params, uint32_t n)
{
	uint8_t *bank = rig_at(r, RIG_BANK0);
	uint32_t stack = 0x1000000;

	memset(bank, 0, RIG_BANK_BYTES);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t block = (uint32_t)nv_qmd_get(r->layout, r->qmd, NV_QMD_BLOCK_X + i);
		uint32_t grid = (uint32_t)nv_qmd_get(r->layout, r->qmd, NV_QMD_GRID_X + i);

		memcpy(bank + NV_BANK0_NTID + 4 * i, &block, 4);
		memcpy(bank + NV_BANK0_NCTAID + 4 * i, &grid, 4);
	}
	memcpy(bank + NV_BANK0_STACK, &stack, 4);
	memcpy(bank + r->params, params, 8ull * n);
}

/* Launches the descriptor without waiting. */
__attribute__((unused)) static void rig_launch(struct rig *r)
{
	memcpy(rig_at(r, RIG_QMD), r->qmd, r->layout->bytes);
	rig_windows(r);
	rig_method(r, 1, NV_COMPUTE_SEND_PCAS_A, (uint32_t)(RIG_QMD >> 8));
	rig_method(r, 1, NV_COMPUTE_SEND_SIGNALING_PCAS2_B, NV_PCAS2_PREFETCH_SCHEDULE);
}

/* Runs blocks x threads of the code at RIG_CODE; true: the grid completed. */
__attribute__((unused)) static bool rig_run(struct rig *r, uint32_t blocks, uint32_t threads,
					    const uint64_t *params, uint32_t n)
{
	rig_qmd(r, blocks, threads);
	rig_bank(r, params, n);
	rig_launch(r);
	return rig_go(r);
}

/* Instructions: ins(r, SASS_FADD, R(0), R(1), R(2)) appends one and returns it, already encoded;
 * after a change, call again() to encode it once more. */

__attribute__((unused)) static struct sass_operand op_reg(uint8_t kind, uint32_t reg)
{
	return (struct sass_operand){.kind = kind, .reg = (uint8_t)reg};
}
#define R(n)          op_reg(SASS_GPR, n)
#define RZ            op_reg(SASS_GPR, SASS_RZ)
#define UR(n)         op_reg(SASS_UGPR, n)
#define P(n)          op_reg(SASS_PRED, n)
#define PT            op_reg(SASS_PRED, SASS_PT)
#define UP(n)         op_reg(SASS_UPRED, n)
#define B(n)          op_reg(SASS_BREG, n)
#define IMM(x)        ((struct sass_operand){.kind = SASS_IMM, .value = (int64_t)(uint32_t)(x)})
#define SR(x)         ((struct sass_operand){.kind = SASS_SREG, .value = (x)})
#define C0(o)         ((struct sass_operand){.kind = SASS_CONST, .reg = SASS_RZ, .value = (o)})
#define AT(n, offset) /* [Rn.64 + offset] */ \
	((struct sass_operand){.kind = SASS_ADDR, \
			       .reg = (n), \
			       .aux = SASS_NO_UREG, \
			       .flags = SASS_A64, \
			       .value = (offset)})
#define AT32(n, offset) \
	((struct sass_operand){ \
		.kind = SASS_ADDR, .reg = (n), .aux = SASS_NO_UREG, .value = (offset)})
/* Branch target: an instruction number. */
#define TO(number) ((struct sass_operand){.kind = SASS_TARGET, .value = (number)})

__attribute__((unused)) static struct sass_operand with(struct sass_operand o, uint8_t flags)
{
	o.flags |= flags;
	return o;
}

static uint32_t rig_sm(struct rig *r)
{
	return model_get_chip(r->m)->sm;
}

__attribute__((unused)) static void again(struct rig *r, const struct sass_inst *in)
{
	struct sass_word *code = rig_at(r, RIG_CODE);
	const char *why = "";
	struct sass_inst fixed = *in;

	fixed.form = NULL;
	for (uint32_t i = 0; i < fixed.nops; i++)
		if (fixed.ops[i].kind == SASS_TARGET)
			fixed.ops[i].value = (fixed.ops[i].value - (int64_t)r->code) * 16;
	if (!sass_encode(rig_sm(r), &fixed, &code[r->code - 1], &why)) {
		diag("cannot encode %s: %s", sass_op_name(in->op), why);
		abort();
	}
}

__attribute__((unused)) static struct sass_inst ins_list(struct rig *r, enum sass_op op, uint32_t n,
							 const struct sass_operand *ops)
{
	struct sass_inst in;

	sass_init(&in, op);
	in.nops = (uint8_t)n;
	memcpy(in.ops, ops, n * sizeof(*ops));
	if (in.op == SASS_LDG || in.op == SASS_STG || in.op == SASS_ATOMG || in.op == SASS_RED)
		in.mod[SASS_M_E] = 1;
	if (in.op == SASS_LDG || in.op == SASS_STG || in.op == SASS_LDS || in.op == SASS_STS ||
	    in.op == SASS_LDC || in.op == SASS_ULDC || in.op == SASS_LDL || in.op == SASS_STL)
		in.mod[SASS_M_WIDTH] = SASS_WIDTH_32;
	in.stall = 15;
	in.yield = true;
	r->code++;
	return in;
}
#define LIST(...) \
	(sizeof((struct sass_operand[]){__VA_ARGS__}) / sizeof(struct sass_operand)), \
		(const struct sass_operand[]) \
	{ \
		__VA_ARGS__ \
	}
/* One instruction with operands and modifiers: INS(r, SASS_X, (ops), in.mod[..] = 1) */
#define INS(r, op, operands, ...) \
	do { \
		struct sass_inst in = ins_list(r, op, LIST operands); \
		__VA_ARGS__; \
		again(r, &in); \
	} while (0)
#define INS0(r, op, ...) \
	do { \
		struct sass_inst in = ins_list(r, op, 0, (const struct sass_operand[1]){{0}}); \
		__VA_ARGS__; \
		again(r, &in); \
	} while (0)

__attribute__((unused)) static void rig_code(struct rig *r)
{
	r->code = 0;
	memset(rig_at(r, RIG_CODE), 0, 0x10000);
}

#endif
