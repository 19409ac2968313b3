// SPDX-License-Identifier: MIT
/* A launch without a queue, for tests of code: the executor alone, on memory of the caller. It
 * takes the role of command processor and runtime: it sets the user SGPRs that a kernel descriptor
 * requests. */
#include <stdio.h>

#include "hw/amd/kernel_descriptor.h"
#include "model/amd/wave.h"

static uint64_t wave_private_bytes(const struct amd_launch *l)
{
	return ((uint64_t)(l->private_bytes + 3) / 4 * 4 * LANES + 1023) / 1024 * 1024;
}

static uint32_t waves_of(const struct amd_launch *l)
{
	return (l->threads[0] * l->threads[1] * l->threads[2] + LANES - 1) / LANES;
}

uint64_t amd_scratch_bytes(const struct amd_launch *l)
{
	return wave_private_bytes(l) * waves_of(l);
}

/* Builds a buffer resource over the launch's scratch memory, interleaved by words of lanes. */
static void scratch_resource(const struct amd_launch *l, uint32_t r[4])
{
	r[0] = (uint32_t)l->scratch;
	r[1] = (uint32_t)(l->scratch >> 32 & 0xffff) | 1u << 31; /* swizzle */
	r[2] = 0xffffffff;
	r[3] = 1u << 23 | 2u << 21; /* add the lane id, index stride 32 */
}

static void user_registers(const struct amd_launch *l, uint32_t user[AMD_COMPUTE_USER_DATA_COUNT])
{
	uint32_t resource[4], n = 0;
	const struct {
		uint16_t property;
		uint8_t count;
		uint64_t value;
	} users[] = {
		{AMD_PRIVATE_SEGMENT_BUFFER, 4, 0},
		{AMD_DISPATCH_PTR, 2, l->dispatch},
		{AMD_QUEUE_PTR, 2, 0},
		{AMD_KERNARG_SEGMENT_PTR, 2, l->kernarg},
		{AMD_DISPATCH_ID, 2, 0},
		{AMD_FLAT_SCRATCH_INIT, 2, l->scratch},
		{AMD_PRIVATE_SEGMENT_SIZE, 1, l->private_bytes},
	};

	scratch_resource(l, resource);
	for (uint32_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		if (!(l->properties & users[i].property))
			continue;
		if (users[i].property == AMD_PRIVATE_SEGMENT_BUFFER)
			memcpy(&user[n], resource, sizeof(resource));
		else
			memcpy(&user[n], &users[i].value, 4u * users[i].count);
		n += users[i].count;
	}
}

static void run_grid(struct amd_grid *g, struct model_channel *c)
{
	const char *wrong = amd_grid_prepare(g);
	struct model_error e = {.fault = MODEL_FAULT_DISPATCH};

	if (wrong)
		channel_fail(c, &e, "%s", wrong);
	else if (g->hazard && !(g->release = amd_release_create()))
		channel_fail(c, &e, "no host memory for hazards between waves");
	else if (g->work.blocks)
		grid_run_blocks(&g->work, NULL);
	amd_release_destroy(g->release);
}

bool amd_run(const struct amd_launch *l, char *message, size_t size)
{
	struct model_config config = {.chip = model_chip_find("navi21"), .threads = 1};
	struct model_channel c = {0};
	struct amd_grid g = {
		.work = {.channel = &c, .program = l->entry},
		.memory = l->memory,
		.rsrc1 = l->rsrc1,
		.rsrc2 = l->rsrc2,
		.lds_bytes = l->lds_bytes,
		.private_bytes = l->private_bytes,
		.wave_private = wave_private_bytes(l),
		.slots = waves_of(l),
		.hazard = l->hazard,
		.inexact = l->inexact,
		.probe = l->probe,
		.limit = l->limit,
	};
	struct model_error e = {0};

	if (size)
		message[0] = 0;
	if (!(l->properties & AMD_WAVE32))
		return snprintf(message, size, "only waves of 32 lanes are modelled"), false;
	if (model_create(&config, &c.model))
		return snprintf(message, size, "no host memory for a software GPU"), false;
	if (model_space_create(c.model, &c.space)) {
		model_destroy(c.model);
		return snprintf(message, size, "no host memory for an address space"), false;
	}
	pthread_mutex_init(&c.lock, NULL);
	memcpy(g.groups, l->groups, sizeof(g.groups));
	memcpy(g.threads, l->threads, sizeof(g.threads));
	user_registers(l, g.user);
	g.code = c.space->code;
	run_grid(&g, &c);
	if (model_channel_error(&c, &e))
		snprintf(message, size, "%s", e.text);
	pthread_mutex_destroy(&c.lock);
	model_space_destroy(c.space);
	model_destroy(c.model);
	return !e.fault;
}
