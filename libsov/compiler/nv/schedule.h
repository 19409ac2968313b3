/* SPDX-License-Identifier: MIT */
/*
 * The list scheduler's state, which schedule.c shares with schedule_occupancy.c, which chooses the
 * occupancy to aim at.
 */
#ifndef SOV_COMPILER_NV_SCHEDULE_H
#define SOV_COMPILER_NV_SCHEDULE_H

#include "libsov/compiler/nv/mir.h"

/* Lookahead: distance from the first unscheduled instruction to the last that may be chosen. */
#define LOOKAHEAD   256
/* Ordered instructions that are compared pairwise; the next one becomes a fence for all of them. */
#define MAX_ORDERED 128

struct edge {
	uint32_t to, latency;
	struct edge *next;
};

/* Register files whose pressure is limited. */
enum { PRESSURE_GPR, PRESSURE_PRED, PRESSURE_KINDS };

/* A unit that a node reads or writes, listed once: the first operand counts. */
struct mention {
	uint32_t unit;
	uint8_t pressure; /* its register file; PRESSURE_KINDS: another one */
	bool write, live_out;
};

struct node {
	struct mir_inst *inst;
	const struct mir_use *uses;
	uint32_t nuses;
	const struct mention *mentions; /* before allocation, as the next two */
	uint32_t nmentions;
	/* Units of whole registers that it writes. Of node 0, the most by which any node may
	 * increase the pressure. */
	uint32_t written[PRESSURE_KINDS];
	struct edge *out;
	uint32_t npreds;
	uint32_t npreds_left; /* predecessors not yet scheduled */
	uint32_t earliest;    /* earliest issue cycle */
	uint32_t height;      /* length of the critical path to the block's end */
	uint32_t estimate;    /* typical latency of its results, if that varies */
	/* Change of the pressure if scheduled next, and units that it writes and nothing reads. */
	struct pressure {
		int32_t delta;
		uint32_t dead;
	} pressure[PRESSURE_KINDS];
	/* The load of which the node computes the address and nothing else, or which it is; 0:
	 * none. Of the load: the units of its result, whether the computation of its address has
	 * begun, and the units that this holds. */
	uint32_t load, result;
	uint32_t exchange; /* the exchange of values between lanes before it; 0 = none */
	bool begun;
	int32_t held;
	uint8_t pipe, issue_cycles; /* its pipe, and for how long it occupies that */
	bool grows;                 /* some pressure may grow */
	bool partial;               /* it writes a part of a register: see opened_units() */
	bool done;
};

struct access { /* a node that accesses a resource */
	uint32_t node;
	struct sass_reg_use use;
	struct access *next;
};

struct resource {
	uint32_t stamp;       /* block in which the rest is valid */
	struct access write;  /* last definition; node 0 = none */
	struct access *reads; /* since then */
	uint32_t feeds;       /* the load whose address all readers compute; 0: no reader yet */
};

/* The nodes not yet scheduled that mention a unit. */
struct mentioned {
	uint32_t stamp; /* run in which the rest is valid */
	uint32_t left;  /* their number */
	uint32_t nodes; /* their XOR: the node itself if only one is left */
};

/* What registers are kept for: the results of loads whose addresses are being computed, or those of
 * all loads on longer paths to the block's end than the instruction that asks for a register. */
enum reserve { RESERVE_NONE, RESERVE_FOR_ADDRESSES, RESERVE_FOR_HEIGHT };

struct slow_load {
	uint32_t node, height;
};

/* The units that waiting loads of at least this height will take. */
struct units_ahead {
	uint32_t height;
	int32_t units;
};

/* An entry of the ready list, with its priorities. */
struct ready {
	uint32_t node, earliest, height;
	uint8_t pipe;
};

struct scheduler {
	struct mir_func *f;
	uint32_t block, stamp;
	struct node *nodes; /* from 1, in the original order */
	struct edge *edges; /* memory for nedges new ones */
	uint32_t nedges;
	uint32_t count;
	struct resource *resources;
	uint32_t nresources;
	struct mentioned *mentioned; /* by unit */
	uint32_t *opened; /* by vreg: stamp of the run in which some unit has been written */
	/* By register file: the pressure, its maximum so far, and its limit. */
	uint32_t live[PRESSURE_KINDS], peak[PRESSURE_KINDS], limit[PRESSURE_KINDS];
	enum reserve reserve;
	struct slow_load *loads; /* by decreasing height */
	uint32_t nloads;
	struct slow_load *waiting; /* those not known to be scheduled */
	uint32_t nwaiting;
	struct units_ahead *ahead; /* by decreasing height, as far as they matter */
	uint32_t nahead;
	bool ahead_known;   /* for the next instruction */
	int32_t owed;       /* units that loads will take whose addresses are being computed */
	uint32_t lookahead; /* size of the window */
	uint32_t ordered[MAX_ORDERED], nordered; /* ordered nodes since fence */
	uint32_t exchange;  /* last exchange of values between lanes; 0 = none */
	uint32_t fence;     /* node ordered with all ordered nodes; 0 = none */
	uint32_t last_call; /* last call: no node crosses it; 0 = none */
	uint32_t arrival;   /* first product of a warp group since its registers were written */
	struct ready *ready;
	uint32_t nready;
	uint32_t first;                      /* first unscheduled node */
	uint32_t pipe_free[SASS_PIPE_COUNT]; /* the cycle in which each pipe is free */
	uint32_t line; /* first of the loads of a line of constants, if one was just scheduled */
	bool limited;  /* the limit of the pressure kept a node back */
};

/* Whether the operand writes a part of a register. */
static inline bool nv_is_partial_write(const struct mir_func *f, const struct mir_use *use)
{
	return use->write && use->ref.vreg && use->kind == SASS_GPR &&
	       use->count < f->vregs[use->ref.vreg].units;
}

/* Lists what the nodes of s->block mention, before allocation. */
void nv_find_mentions(struct scheduler *s);
/* The pressure at the start of the block, with all mentions ahead, and after a node. */
void nv_start_pressure(struct scheduler *s);
void nv_note_scheduled(struct scheduler *s, uint32_t n);
/* Whether the pressure stays within its limits whichever node is scheduled next. */
bool nv_all_fit_limits(const struct scheduler *s);
/* Whether it stays within its limits if the node is scheduled next, or does not grow. */
bool nv_fits_limits(struct scheduler *s, const struct node *node);
/* Whether the ready nodes' changes of the pressure are what they would be if computed anew. */
bool nv_are_changes_current(struct scheduler *s);

/* Builds the dependence graph of s->block. */
void nv_build_dag(struct scheduler *s);
/* Orders the instructions of the block; returns the number of cycles. */
uint32_t nv_run_list_scheduler(struct scheduler *s, struct mir_inst **order);
uint32_t nv_order_pressure(struct scheduler *s, const uint32_t *order);
/* Orders blocks by expressions where that lowers the pressure. */
void nv_order_for_pressure(struct scheduler *s);
void nv_set_order(struct mir_func *f, uint32_t b, struct mir_inst **order, uint32_t count);

/* Before register allocation. The first returns the pressure, which the second needs. */
uint32_t nv_rematerialise_for_occupancy(struct mir_func *f);
void nv_schedule_for_occupancy(struct scheduler *s, uint32_t pressure);

#endif
