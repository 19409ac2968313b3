// SPDX-License-Identifier: MIT
/* Dispatches: checks the registers of a compute queue and executes the grid to its end,
 * perhaps later (deferred.c). Where hardware would hang or run nothing, the model reports why. */
#include "hw/amd/kernel_descriptor.h"
#include "model/amd/check.h"
#include "model/amd/profile.h"
#include "model/amd/queue.h"

static uint32_t dispatch_register(const struct packet *p, uint32_t reg)
{
	return p->c->amd.registers[(reg - AMD_COMPUTE_DISPATCH_INITIATOR) / 4];
}

#define REFUSE(p, ...) \
	channel_fail((p)->c, \
		     &(struct model_error){.fault = MODEL_FAULT_DISPATCH, .address = (p)->va}, \
		     "dispatch: " __VA_ARGS__)

static bool check_initiator(struct packet *p, uint32_t initiator)
{
	if (!(initiator & AMD_DISPATCH_SHADER_EN))
		return REFUSE(p, "COMPUTE_SHADER_EN is not set, so nothing would run");
	if (!(initiator & AMD_DISPATCH_WAVE32))
		return REFUSE(p, "only waves of 32 lanes are modelled; set CS_W32_EN");
	if (initiator & (AMD_DISPATCH_PARTIAL_TG | AMD_DISPATCH_THREADS))
		return REFUSE(p, "sizes in threads and partial workgroups are not modelled");
	for (uint32_t i = 0; i < 3 && !(initiator & AMD_DISPATCH_START_AT_0); i++)
		if (dispatch_register(p, AMD_COMPUTE_START_X + 4 * i))
			return REFUSE(p, "workgroup numbers that start at %u are not modelled",
				      dispatch_register(p, AMD_COMPUTE_START_X + 4 * i));
	return true;
}

static bool check_private(struct packet *p, struct amd_grid *g)
{
	uint32_t ring = dispatch_register(p, AMD_COMPUTE_TMPRING_SIZE);

	if (!AMD_RSRC2_SCRATCH(g->rsrc2))
		return true;
	g->slots = AMD_TMPRING_WAVES(ring);
	g->wave_private = (uint64_t)AMD_TMPRING_WAVE_SIZE(ring) * AMD_TMPRING_GRANULE;
	g->private_bytes = (uint32_t)(g->wave_private / LANES);
	return g->slots || REFUSE(p, "SCRATCH_EN is set, but COMPUTE_TMPRING_SIZE is 0x%x", ring);
}

static bool begin_grid(struct model_channel *c, struct amd_grid *g)
{
	const struct model_error e = {.fault = MODEL_FAULT_DISPATCH};

	if (g->hazard && !(g->release = amd_release_create()))
		return channel_fail(c, &e, "dispatch: no host memory for hazards between waves");
	if (c->amd.random && !amd_lines_begin(g))
		return channel_fail(c, &e, "dispatch: no host memory for caches");
	if (!amd_check_begin(g))
		return channel_fail(c, &e, "dispatch: no host memory to check it");
	return amd_profile_begin(g) ||
	       channel_fail(c, &e, "dispatch: no host memory to count its instructions");
}

static void end_grid(struct amd_grid *g)
{
	amd_profile_end(g);
	check_launch_destroy(g->check);
	amd_release_destroy(g->release);
}

static bool run_grid(struct model_channel *c, struct amd_grid *g)
{
	pthread_mutex_lock(&c->space->code_lock);
	g->code = amd_code_get(c->space->code);
	pthread_mutex_unlock(&c->space->code_lock);
	/* The channel's reader does not poll while workgroups run, so it must not delay an
	 * unmap. */
	mmu_leave(&c->reader);
	workers_run(c->model->workers, &g->work);
	mmu_enter(&c->reader, c->space);
	amd_code_put(g->code);
	return !atomic_load(&c->stop);
}

bool amd_grid_run(struct model_channel *c, struct amd_grid *g)
{
	bool good = begin_grid(c, g) && run_grid(c, g);

	end_grid(g);
	return good;
}

bool amd_dispatch(struct packet *p, const uint32_t groups[3], uint32_t initiator)
{
	uint64_t pgm = dispatch_register(p, AMD_COMPUTE_PGM_LO) |
		       (uint64_t)dispatch_register(p, AMD_COMPUTE_PGM_HI) << 32;
	struct amd_grid g = {
		.work =
			{
				.channel = p->c,
				.priority = p->c->config.priority,
				.program = pgm << 8 & 0xffffffffffffull,
			},
		.rsrc1 = dispatch_register(p, AMD_COMPUTE_PGM_RSRC1),
		.rsrc2 = dispatch_register(p, AMD_COMPUTE_PGM_RSRC2),
		.hazard = p->c->model->hazard,
		.inexact = p->c->model->inexact,
	};
	const char *wrong;

	g.lds_bytes = AMD_RSRC2_LDS_SIZE(g.rsrc2) * AMD_LDS_GRANULE;
	for (uint32_t i = 0; i < 3; i++) {
		g.groups[i] = groups[i];
		g.threads[i] = dispatch_register(p, AMD_COMPUTE_NUM_THREAD_X + 4 * i) & 0xffff;
	}
	for (uint32_t i = 0; i < AMD_COMPUTE_USER_DATA_COUNT; i++)
		g.user[i] = dispatch_register(p, AMD_COMPUTE_USER_DATA_0 + 4 * i);
	if (!check_initiator(p, initiator) || !check_private(p, &g))
		return false;
	wrong = amd_grid_prepare(&g);
	if (wrong)
		return REFUSE(p, "%s", wrong);
	return !g.work.blocks || amd_deferred_dispatch(p->c, &g);
}
