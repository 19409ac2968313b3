/* SPDX-License-Identifier: MIT */
/*
 * The register allocator's state, which regalloc.c shares with affinities.c and with what makes
 * room for an aligned group of registers: recolouring (recolour.c), which costs nothing, and
 * splitting of live ranges (split_ranges.c), which costs moves.
 */
#ifndef SOV_COMPILER_NV_REGALLOC_H
#define SOV_COMPILER_NV_REGALLOC_H

#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

struct affinity { /* preference: reg(this vreg) = reg(other) + distance; other 0: = distance */
	uint32_t other;
	int distance;
	struct affinity *next;
};

#define RESERVED UINT32_MAX

/* Of general registers: see register_banks.c. */
enum bank { BANK_EVEN, BANK_ODD, BANK_ANY };

/* Positions in a block of what precedes its first and follows its last instruction. */
#define AT_START 0
#define AT_END   UINT32_MAX

/* Copies that make room for aligned groups: of one unit, and of pairs. */
enum { SPARE_SINGLE, SPARE_PAIR, SPARE_KINDS };
#define MAX_SINGLE_SPLITS 64
#define MAX_PAIR_SPLITS   16

struct reg_file {               /* a register file */
	uint32_t count;         /* registers that may be used */
	uint32_t window;        /* registers to rotate through */
	uint32_t cursor;        /* round-robin cursor */
	uint32_t owner[256];    /* 1 + unit; 0 = free; RESERVED */
	bool promised[256];     /* to another unit, from the owner's last mention on */
	const uint64_t *barred; /* set of registers not to be chosen; NULL: none */
	/* Position from which the last value of a register was freed by an instruction that reads
	 * it late; 0: none did. */
	uint32_t read_late[256];
	uint32_t position; /* where the assignment is */
	/* In this block, the next value of a phi that the last value of a register belongs to will
	 * be defined, preferably there. */
	bool awaited[256];
	bool separate;  /* single registers from pairs and quads */
	enum bank bank; /* of single registers to be chosen */
	uint32_t used;  /* 1 + highest register assigned */
};

struct reader {
	struct mir_inst *inst;
	uint32_t vreg, next;
};

struct allocator {
	struct mir_func *f;
	struct reg_file gpr, pred, ugpr; /* gpr.count: of the value to be assigned */
	uint32_t gpr_count;              /* general registers that may be used */
	/* By vreg: registers that exist wherever it is live; NULL: all have the same. */
	uint32_t *highest;
	bool tight;             /* pack, to keep aligned groups free, instead of rotating */
	bool rotate_local;      /* rotate values of one block even so, if the block leaves room */
	uint32_t *last_mention; /* by unit: position of its last mention in the block */
	uint32_t *defined_at;   /* by unit: position of its definition in the block … */
	uint32_t *defined_in;   /* … if defined_in is the current block */
	/* By position in the block, if rotate_local is set: the maximum pressure from there on. */
	uint32_t *peaks, peaks_capacity;
	struct unit_set live; /* scratch of nv_block_peaks() */
	/* Products of the block, by the values that they read; 0: none. */
	uint32_t *first_reader, nreaders, readers_capacity;
	struct reader *readers; /* from 1 */
	uint32_t block;
	uint32_t passed;              /* instructions of the blocks before it */
	struct affinity **affinities; /* by vreg */
	struct nv_changed calls;
	/* Registers for values that have to survive calls: those that no call changes, and those
	 * that a function must save before it uses them; NULL: none. */
	const uint64_t *costly;
	/* Registers that calls change may be saved around some; values that are live across these
	 * prefer others, unless that fragments the register file. */
	bool saving, indifferent;
	/* Where the assignment is: the instruction, NULL: at the phis, and the units of its
	 * result. */
	struct mir_inst *stuck_at;
	uint32_t stuck_units;
	const uint64_t *stuck_barred; /* registers that the result may not have */
	bool splitting;               /* registers may be recoloured and live ranges split */
	/* Unused registers for copies: see nv_split_at(). */
	uint32_t first_spare[SPARE_KINDS], nsplits[SPARE_KINDS];
	struct split *splits;
	struct live_index *ranges; /* see recolour.c */
	uint32_t recolourings;
	bool exchanging; /* recolouring may give others other registers */
};

void nv_find_affinities(struct allocator *a);

/* Notes the products in the block, if it is in a loop. */
void nv_note_readers(struct allocator *a, const struct mir_block *block);
/* The bank in which a value delays its readers in the block least. */
enum bank nv_wanted_bank(const struct allocator *a, uint32_t vreg);

/* Of values that are live where warps have fewer registers (register_requests.c). */
void nv_find_highest(struct allocator *a);
/* A vreg has registers below this one. */
uint32_t nv_registers_of(const struct allocator *a, uint32_t vreg);
/* The registers that a vreg may not have. */
const uint64_t *nv_barred_registers(const struct allocator *a, uint32_t vreg);

bool nv_is_free(const struct reg_file *reg_file, uint32_t reg, uint32_t units);
bool nv_choose_round_robin(struct reg_file *reg_file, uint32_t units, uint32_t *reg);
bool nv_choose_uniform(struct allocator *a, uint32_t vreg, uint32_t *reg);
/* The free group with the most occupied neighbours, first within its pair, then within its quad; of
 * several, the one that is ready. */
bool nv_choose_tight(const struct reg_file *reg_file, uint32_t units, uint32_t *reg);

/* Both make an aligned group of stuck_units registers free; false: impossible. */
bool nv_recolour_at(struct allocator *a);
bool nv_split_at(struct allocator *a);
void nv_undo_splits(struct allocator *a);

/* Exchanges registers where that saves copies of loops with products of matrices. */
void nv_swap_registers(struct mir_func *f);

#endif
