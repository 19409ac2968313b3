/* SPDX-License-Identifier: MIT */
/*
 * Regions in which the lanes of a warp may be divergent, as convergence_regions.c finds them and
 * convergence_barriers.c puts barriers around them.
 */
#ifndef SOV_NV_CONVERGENCE_H
#define SOV_NV_CONVERGENCE_H

#include "libsov/compiler/nv/mir.h"

/* A region with more entries, or more edges that leave its loop, has no barrier. */
#define MAX_EDGES  8
/* Loops around a branch in which its lanes reconverge. */
#define MAX_LEVELS 16

struct edge {
	uint32_t from, to; /* blocks */
};

struct region {
	uint32_t head, point; /* blocks; head 0 = none */
	uint32_t loop;        /* that the region is part of; 0: a region of the function */
	/* Edges that enter a region of the function other than from the head, or that leave the
	 * loop of a region. */
	struct edge edges[MAX_EDGES];
	uint32_t nedges;
	uint32_t *blocks; /* inside */
	uint32_t size;
	uint32_t *left; /* blocks that lanes which have left the loop may execute until they wait */
	uint32_t nleft;
	uint32_t next_of_head, next_of_point; /* 1 + region with the same one; 0 = last */
	uint32_t nesting;                     /* preorder number of the head among dominators */
	uint32_t walked_in;                   /* the last walk that came here */
	bool marked;                          /* its blocks are marked divergent */
	/* Lanes that have left a loop reconverge at its point with all others of the warp. */
	bool rejoins;
	uint32_t barrier;                     /* register; MIR_BARRIERS = none was left */
	uint32_t bsync_block;                 /* block of its BSYNC */
	struct mir_inst *bssy[1 + MAX_EDGES]; /* at its head and its entries */
	uint32_t nbssy;
};

/* A region that a block is inside of, or that lanes enter from it. */
struct membership {
	uint32_t region;
	struct membership *next;
};

/* A block on an edge that enters or leaves regions. */
struct edge_block {
	struct edge edge;
	uint32_t block;
};

/* The regions of a branch in the loops around it, the innermost first. */
struct loop_regions {
	struct region region[MAX_LEVELS];
	struct region *known[MAX_LEVELS]; /* NULL: not added yet */
	uint32_t count;
	bool all_rejoin; /* no lane leaves the last one by an edge */
};

struct convergence {
	struct mir_func *f;
	uint32_t nblocks;    /* before blocks are added */
	uint32_t max_blocks; /* upper bound after blocks are added */
	uint32_t *stack;
	struct nv_dominators dominators;
	uint32_t *ends, *points; /* by block, from nv_find_reconvergence() */
	struct nv_loops loops;
	struct region *regions;
	uint32_t nregions, nloop_regions, max_loop_regions;
	struct membership **regions_around;     /* by block: the last region first */
	struct membership **entered_from;       /* by block: regions with an entry from it */
	struct membership **left_to;            /* by block: regions that have it in left */
	uint32_t *regions_at_head, *regions_at; /* by block: 1 + the last region; 0 = none */
	struct edge_block *edge_blocks;
	uint32_t nedge_blocks;
	uint64_t visits;      /* budget of block visits that is left */
	uint64_t left_visits; /* the same for the blocks in region.left */
	struct loop_regions *loop_regions;
	/* Scratch: a block is inside the region under construction if its number is that of the
	 * walk. */
	uint32_t *walked_in, walk;
	bool *reached;        /* by block: reachable from a divergent branch without a barrier */
	uint8_t *may_wait;    /* by block: 1 = lanes may wait there, 2 = not, 0 = unknown */
	uint8_t *saving_call; /* by block: 1 = a call in it saves barriers, 2 = not, 0 = unknown */
	bool *syncs_all;      /* by block: an instruction in it syncs all lanes of a warp */
	bool any_syncs;       /* some block does */
	bool *divergent;      /* by block: lanes may have diverged before it */
	bool *diverges;       /* by block: lanes may diverge in it */
};

struct convergence nv_analyse_convergence(struct mir_func *f);
bool nv_is_in_region(const struct convergence *c, const struct region *r, uint32_t b);
/* Whether lanes may leave a region other than by its point or an exit. */
bool nv_is_left(const struct region *r);
void nv_add_membership(struct convergence *c, uint32_t b, uint32_t region);
/* Whether lanes that have executed i together may continue at different times. */
bool nv_splits_warp(const struct mir_inst *i, bool divergent);

#endif
