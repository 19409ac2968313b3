/* SPDX-License-Identifier: MIT */
/*
 * The order in which a block's warps execute. Without a seed they execute by their numbers, with
 * long quanta, which is fast and hides races. With one, each round begins at another warp, goes in
 * another order and gives each warp few instructions. All choices follow from seed, launch and
 * block, so that a run repeats them, whichever thread of the host executes the block.
 */
#ifndef MODEL_WARP_ORDER_H
#define MODEL_WARP_ORDER_H

#include "model/core/model_internal.h"
#include "model/core/random.h"

#define WARP_ORDER_MAX_QUANTUM 64u
#define WARP_ORDER_MAX_BUDGET  4096u

struct warp_order {
	uint64_t state; /* 0: by number */
};

/* One round over n warps. */
struct warp_round {
	uint32_t first, step, n;
};

static inline void warp_order_start(struct warp_order *o, const struct work *w, uint64_t block)
{
	uint64_t seed = w->channel->model->order_seed;

	o->state = seed ? random_mix(random_mix(seed + w->launch) + block) | 1 : 0;
}

static inline uint32_t warp_order_random(struct warp_order *o, uint32_t below)
{
	o->state += RANDOM_STEP << 1; /* never 0: it stays odd */
	return (uint32_t)(random_mix(o->state) >> 32) % below;
}

static inline struct warp_round warp_order_round(struct warp_order *o, uint32_t n)
{
	struct warp_round r = {0, 1, n};
	uint32_t a, b, rest;

	if (!o->state)
		return r;
	r.first = warp_order_random(o, n);
	do { /* a step without a common divisor visits every warp */
		r.step = 1 + warp_order_random(o, n);
		for (a = r.step, b = n; b; b = rest) {
			rest = a % b;
			a = b;
		}
	} while (a != 1);
	return r;
}

static inline uint32_t warp_round_at(const struct warp_round *r, uint32_t i)
{
	return (uint32_t)((r->first + (uint64_t)i * r->step) % r->n);
}

static inline uint32_t warp_order_quantum(struct warp_order *o, uint32_t quantum)
{
	return o->state ? 1 + warp_order_random(o, WARP_ORDER_MAX_QUANTUM) : quantum;
}

static inline uint64_t warp_order_budget(struct warp_order *o, uint64_t budget)
{
	return o->state ? 1 + warp_order_random(o, WARP_ORDER_MAX_BUDGET) : budget;
}

#endif
