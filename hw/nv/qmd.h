/* SPDX-License-Identifier: MIT */
/*
 * The launch descriptor (QMD): a 256-byte aligned structure of bit fields in GPU memory that
 * describes a grid. The table below gives the bit position of each field in each layout, so that
 * the launch code and the software GPU share one definition. Sources: open-gpu-doc
 * classes/compute/clcbc0qmd.h (04_00, Hopper, 384 bytes), clc6c0qmd.h and clc9c0qmd.h (03_00,
 * Ampere and Ada, 256 bytes), clc5c0qmd.h (02_03, Turing, 256 bytes) and clc3c0qmd.h (02_02, Volta,
 * 256 bytes; these fields are where 02_03 has them). Hopper uses the 04_00
 * layout regardless of the version fields (measured on an H200); the other layouts have not been
 * tried on hardware. A descriptor is zeroed before fields are set.
 */
#ifndef HW_NV_QMD_H
#define HW_NV_QMD_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define NV_QMD_ALIGN        256
#define NV_QMD_MAX_BYTES    384
#define NV_QMD_MAX_WORDS    (NV_QMD_MAX_BYTES / 4)
#define NV_QMD_ADDRESS_BITS 40 /* SEND_PCAS_A holds the address >> 8 in 32 bits */
#define NV_QMD_BANKS        8
/* An H200 rejects 2 (SKEDCHECK06_REGISTER_COUNT); registers are allocated in units of eight. */
#define NV_QMD_MIN_REGISTERS 8
#define NV_QMD_DEPENDENT_SCHEDULE 1
#define NV_QMD_MEMBAR_GPU         3 /* L1_MEMBAR */
/* Prefetch of a constant bank. The source does not define what PRE and POST refer to. */
#define NV_QMD_PREFETCH_PRE 1
#define NV_QMD_PREFETCH_POST 2
/* The size of the program prefetch is in units of 256 bytes, as tinygrad uses it; not tried. */
#define NV_QMD_PREFETCH_UNIT 256u
#define NV_QMD_PREFETCH_MAX 0x1ffu
#define NV_QMD_BANK_PREFETCH_LIMIT (63 * 256) /* bytes: BANK_PREFETCH_MAX has six bits */

/*
 * BIT, BITS(high, low): one field. ARRAY(high, low, count, stride): an array with a stride in bits.
 * SCALED(high, low, count, stride, shift): the field holds value >> shift; the value's low bits
 * must be 0. Addresses that the sources split into adjacent lower and upper words are one field.
 */
#define NV_QMD_FIELDS(F) \
	F(TYPE,                    BITS(25, 23),                 NONE,                         NONE) \
	F(IS_QUEUE,                NONE,                         BIT(136),                     BIT(136)) \
	F(GROUP_ID,                BITS(21, 16),                 BITS(133, 128),               BITS(133, 128)) \
	F(GLOBAL_CACHING,          NONE,                         BIT(134),                     BIT(134)) \
	F(MINOR_VERSION,           BITS(579, 576),               BITS(579, 576),               BITS(579, 576)) \
	F(MAJOR_VERSION,           BITS(583, 580),               BITS(583, 580),               BITS(583, 580)) \
	F(API_CALL_LIMIT_OFF,      BIT(568),                     BIT(378),                     BIT(378)) \
	F(SAMPLER_BY_HEADER,       BIT(569),                     BIT(382),                     BIT(382)) \
	F(SASS_VERSION,            BITS(543, 536),               BITS(1663, 1656),             BITS(1023, 1016)) \
	/* the grid and its blocks */ \
	F(GRID_X,                  BITS(1055, 1024),             BITS(415, 384),               BITS(415, 384)) \
	F(GRID_Y,                  BITS(1071, 1056),             BITS(431, 416),               BITS(431, 416)) \
	F(GRID_Z,                  BITS(1103, 1088),             BITS(463, 448),               BITS(463, 448)) \
	F(BLOCK_X,                 BITS(1167, 1152),             BITS(607, 592),               BITS(607, 592)) \
	F(BLOCK_Y,                 BITS(1183, 1168),             BITS(623, 608),               BITS(623, 608)) \
	F(BLOCK_Z,                 BITS(1199, 1184),             BITS(639, 624),               BITS(639, 624)) \
	F(CLUSTER_X,               BITS(2149, 2144),             NONE,                         NONE) \
	F(CLUSTER_Y,               BITS(2157, 2152),             NONE,                         NONE) \
	F(CLUSTER_Z,               BITS(2165, 2160),             NONE,                         NONE) \
	/* the program, and the resources of each thread and block */ \
	F(PROGRAM,                 BITS(1272, 1216),             BITS(1584, 1536),             BITS(1584, 1536)) \
	F(REGISTERS,               BITS(1208, 1200),             BITS(656, 648),               BITS(656, 648)) \
	F(BARRIERS,                BITS(1215, 1211),             BITS(767, 763),               BITS(959, 955)) \
	F(LOCAL_LOW_BYTES,         BITS(535, 512),               BITS(759, 736),               BITS(951, 928)) \
	F(LOCAL_HIGH_BYTES,        BITS(567, 544),               BITS(1623, 1600),             BITS(983, 960)) \
	F(SHARED_BYTES,            BITS(601, 584),               BITS(561, 544),               BITS(561, 544)) \
	F(SHARED_CONFIG_MIN,       BITS(613, 608),               BITS(567, 562),               BITS(568, 562)) \
	F(SHARED_CONFIG_MAX,       BITS(619, 614),               BITS(574, 569),               BITS(575, 569)) \
	F(SHARED_CONFIG_TARGET,    BITS(625, 620),               BITS(662, 657),               BITS(663, 657)) \
	/* constant banks */ \
	F(BANK_VALID,              ARRAY(416, 416, 8, 4),        ARRAY(640, 640, 8, 1),        ARRAY(640, 640, 8, 1)) \
	F(BANK_INVALIDATE,         ARRAY(419, 419, 8, 4),        ARRAY(1074, 1074, 8, 64),     ARRAY(1074, 1074, 8, 64)) \
	F(BANK_ADDRESS,            SCALED(1586, 1536, 8, 64, 6), ARRAY(1072, 1024, 8, 64),     ARRAY(1072, 1024, 8, 64)) \
	F(BANK_BYTES,              SCALED(1599, 1587, 8, 64, 4), SCALED(1087, 1075, 8, 64, 4), SCALED(1087, 1075, 8, 64, 4)) \
	/* caches to invalidate before the first block starts */ \
	F(INVALIDATE_HEADERS,      BIT(602),                     BIT(186),                     BIT(186)) \
	F(INVALIDATE_SAMPLERS,     BIT(603),                     BIT(187),                     BIT(187)) \
	F(INVALIDATE_TEXTURES,     BIT(604),                     BIT(188),                     BIT(188)) \
	F(INVALIDATE_DATA,         BIT(605),                     BIT(189),                     BIT(189)) \
	F(INVALIDATE_INSTRUCTIONS, BIT(606),                     BIT(190),                     BIT(190)) \
	F(INVALIDATE_CONSTANTS,    BIT(607),                     BIT(191),                     BIT(191)) \
	/* semaphores to release when the grid has ended */ \
	F(RELEASE_ENABLE,          ARRAY(320, 320, 3, 16),       ARRAY(823, 823, 2, 128),      ARRAY(138, 138, 2, 1)) \
	F(RELEASE_SIZE,            ARRAY(322, 321, 3, 16),       ARRAY(831, 830, 2, 128),      ARRAY(799, 799, 2, 96)) \
	F(RELEASE_MEMBAR,          ARRAY(323, 323, 3, 16),       ARRAY(819, 819, 2, 128),      BIT(366)) \
	F(RELEASE_REDUCTION,       ARRAY(324, 324, 3, 16),       ARRAY(826, 826, 2, 128),      ARRAY(794, 794, 2, 96)) \
	F(RELEASE_PAYLOAD_64,      ARRAY(332, 332, 3, 16),       ARRAY(829, 829, 2, 128),      NONE) \
	F(RELEASE_ADDRESS,         ARRAY(696, 640, 3, 128),      ARRAY(807, 768, 2, 128),      ARRAY(775, 736, 2, 96)) \
	F(RELEASE_PAYLOAD,         ARRAY(767, 704, 3, 128),      ARRAY(895, 832, 2, 128),      ARRAY(831, 800, 2, 96)) \
	/* action on another descriptor when the grid has ended, before the releases */ \
	F(DEPENDENT_ENABLE,        ARRAY(368, 368, 2, 5),        ARRAY(512, 512, 2, 5),        BIT(141)) \
	F(DEPENDENT_ACTION,        ARRAY(371, 369, 2, 5),        ARRAY(515, 513, 2, 5),        NONE) \
	F(DEPENDENT_PREFETCH,      ARRAY(372, 372, 2, 5),        ARRAY(516, 516, 2, 5),        NONE) \
	F(DEPENDENT_POINTER,       SCALED(479, 448, 1, 0, 8),    SCALED(511, 480, 1, 0, 8),    NONE) \
	F(MEMBAR,                  BITS(1137, 1136),             BITS(369, 368),               NONE) \
	/* schedule the dependent descriptor when the last block has started, not ended ... */ \
	F(DEPENDENT_EARLY,         BIT(1150),                    NONE,                         NONE) \
	/* ... and its blocks wait in ACQBULK until a grid that names the same latch has ended */ \
	F(LATCH_ARRIVE,            BIT(28),                      NONE,                         NONE) \
	F(LATCH_WAIT,              BIT(29),                      NONE,                         NONE) \
	F(LATCH_ARRIVE_ID,         BITS(1503, 1472),             NONE,                         NONE) \
	F(LATCH_WAIT_ID,           BITS(1535, 1504),             NONE,                         NONE) \
	/* prefetches and deferred barriers: performance only, without effect on results */ \
	F(MEMBAR_CHASING,          BIT(382),                     NONE,                         NONE) \
	F(BANK_PREFETCH,           ARRAY(418, 417, 8, 4),        NONE,                         NONE) \
	F(BANK_PREFETCH_MAX,       SCALED(575, 570, 1, 0, 8),    NONE,                         NONE) \
	F(PROGRAM_PREFETCH_ADDRESS, SCALED(1392, 1344, 1, 0, 8),  NONE,                         NONE) \
	F(PROGRAM_PREFETCH_UNITS,  BITS(1401, 1393),             NONE,                         NONE) \
	/* unused fields, which the software GPU rejects */ \
	F(SEQUENTIAL,              BIT(1138),                    BIT(370),                     BIT(370))

enum nv_qmd_field {
#define F(name, hopper, ampere, turing) NV_QMD_##name,
	NV_QMD_FIELDS(F)
#undef F
	NV_QMD_FIELD_COUNT
};

struct nv_qmd_position {
	const char *name;
	uint16_t low;
	uint8_t width; /* 0: the layout has no such field */
	uint8_t count, stride, shift;
};

struct nv_qmd_layout {
	uint32_t bytes;
	uint32_t version; /* major << 4 | minor */
	uint32_t releases;
	struct nv_qmd_position position[NV_QMD_FIELD_COUNT];
};

#define NV_QMD_SCALED(high, low, count, stride, shift) low, (high) - (low) + 1, count, stride, shift
#define NV_QMD_ARRAY(high, low, count, stride) NV_QMD_SCALED(high, low, count, stride, 0)
#define NV_QMD_BITS(high, low)                 NV_QMD_SCALED(high, low, 1, 0, 0)
#define NV_QMD_BIT(bit)                        NV_QMD_SCALED(bit, bit, 1, 0, 0)
#define NV_QMD_NONE                            0, 0, 0, 0, 0

__attribute__((unused)) static const struct nv_qmd_layout nv_qmd_hopper = {
	.bytes = 384,
	.version = 0x40,
	.releases = 3,
	.position = {
#define F(name, hopper, ampere, turing) {#name, NV_QMD_##hopper},
		NV_QMD_FIELDS(F)
#undef F
	},
};

__attribute__((unused)) static const struct nv_qmd_layout nv_qmd_ampere = {
	.bytes = 256,
	.version = 0x30,
	.releases = 2,
	.position = {
#define F(name, hopper, ampere, turing) {#name, NV_QMD_##ampere},
		NV_QMD_FIELDS(F)
#undef F
	},
};

#define F(name, hopper, ampere, turing) {#name, NV_QMD_##turing},
__attribute__((unused)) static const struct nv_qmd_layout nv_qmd_turing = {
	.bytes = 256,
	.version = 0x23,
	.releases = 2,
	.position = {NV_QMD_FIELDS(F)},
};

__attribute__((unused)) static const struct nv_qmd_layout nv_qmd_volta = {
	.bytes = 256,
	.version = 0x22,
	.releases = 2,
	.position = {NV_QMD_FIELDS(F)},
};
#undef F

/* Ada uses Ampere's layout. */
static inline const struct nv_qmd_layout *nv_qmd_layout_of(uint32_t sm)
{
	return sm >= 90   ? &nv_qmd_hopper
	       : sm >= 80 ? &nv_qmd_ampere
	       : sm >= 75 ? &nv_qmd_turing
			  : &nv_qmd_volta;
}

static_assert(NV_QMD_MAX_WORDS * 32 == 3072, "04_00 is the largest layout: bits 0 to 3071");

static inline bool nv_qmd_has(const struct nv_qmd_layout *l, enum nv_qmd_field f)
{
	return l->position[f].width != 0;
}

static inline uint64_t nv_qmd_mask(uint32_t width)
{
	return width == 64 ? ~0ull : (1ull << width) - 1;
}

/* Reads a field; returns 0 if the layout lacks it. */
static inline uint64_t nv_qmd_get_at(const struct nv_qmd_layout *l, const uint32_t *words,
				     enum nv_qmd_field f, uint32_t index)
{
	const struct nv_qmd_position *p = &l->position[f];
	uint32_t bit = p->low + p->stride * index, done = 0;
	uint64_t value = 0;

	if (index >= p->count)
		return 0;
	while (done < p->width) {
		value |= (uint64_t)(words[bit / 32] >> bit % 32) << done;
		done += 32 - bit % 32;
		bit += 32 - bit % 32;
	}
	return (value & nv_qmd_mask(p->width)) << p->shift;
}

/* Writes a field. Returns false and writes nothing if the layout lacks the field or the value does
 * not fit. Always inlined, because a constant layout and field reduce it to one or two stores. */
__attribute__((always_inline)) static inline bool
nv_qmd_set_at(const struct nv_qmd_layout *l, uint32_t *words, enum nv_qmd_field f, uint32_t index,
	      uint64_t value)
{
	const struct nv_qmd_position *p = &l->position[f];
	uint32_t bit = p->low + p->stride * index, left = p->width;

	if (index >= p->count || value & nv_qmd_mask(p->shift) ||
	    (value >> p->shift) & ~nv_qmd_mask(p->width))
		return false;
	for (value >>= p->shift; left;) {
		uint32_t n = 32 - bit % 32 < left ? 32 - bit % 32 : left;
		uint32_t mask = (uint32_t)nv_qmd_mask(n) << bit % 32;

		words[bit / 32] = (words[bit / 32] & ~mask) | ((uint32_t)value << bit % 32 & mask);
		value >>= n;
		bit += n;
		left -= n;
	}
	return true;
}

static inline uint64_t nv_qmd_get(const struct nv_qmd_layout *l, const uint32_t *words,
				  enum nv_qmd_field f)
{
	return nv_qmd_get_at(l, words, f, 0);
}

__attribute__((always_inline)) static inline bool
nv_qmd_set(const struct nv_qmd_layout *l, uint32_t *words, enum nv_qmd_field f, uint64_t value)
{
	return nv_qmd_set_at(l, words, f, 0, value);
}

/* Values */
#define NV_QMD_TYPE_QUEUE        0
#define NV_QMD_TYPE_GRID_NULL    1
#define NV_QMD_TYPE_GRID         2
#define NV_QMD_TYPE_GRID_CLUSTER 3

#define NV_QMD_RELEASE_16_BYTES 0 /* the payload, and nanoseconds at +8 */
#define NV_QMD_RELEASE_4_BYTES  1
#define NV_QMD_RELEASE_8_BYTES  2

/* Hardware requirements; an H200 was seen to reject violations of each. */
#define NV_QMD_SHARED_ALIGN  128
#define NV_QMD_LOCAL_ALIGN   16
#define NV_QMD_PROGRAM_ALIGN 128
#define NV_QMD_MAX_THREADS   1024

/*
 * The split of an SM's memory between shared memory and L1, encoded as KiB / 4 + 1 of a supported
 * size. MIN is the smallest size that holds one block; TARGET the smallest that holds all blocks
 * that otherwise fit an SM; MAX the largest. The sizes come from the CUDA programming guide: up to
 * 228 KiB on Hopper, 164 on GA100, 100 on other Ampere chips and Ada, 96 on Volta; Turing has 32
 * and 64 only.
 */
#define NV_QMD_TURING_SHARED_KIB 64

static inline uint32_t nv_qmd_shared_config(uint32_t bytes, uint32_t max_kib)
{
	static const uint8_t kib[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
	uint32_t min_kib = max_kib == NV_QMD_TURING_SHARED_KIB ? 32 : 0, i, best = max_kib;

	for (i = sizeof(kib); i-- > 0;)
		if (kib[i] >= min_kib && kib[i] <= max_kib && kib[i] * 1024u >= bytes)
			best = kib[i];
	return best / 4 + 1;
}

static inline bool nv_qmd_shared_config_exists(uint32_t config, uint32_t max_kib)
{
	return config && (config - 1) * 4 <= max_kib &&
	       nv_qmd_shared_config((config - 1) * 4096, max_kib) == config;
}

#endif
