// SPDX-License-Identifier: MIT
/*
 * A launch: registers as the command processor sets them up (LLVM's AMDGPU user guide, initial
 * kernel execution state), workgroups one after the other, waves of a workgroup in turns. A barrier
 * opens when every wave that has not ended waits at it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/amd/kernel_descriptor.h"
#include "model/amd/wave.h"

#define TURN 4096 /* instructions of a wave before the next has its turn */

void amd_wave_fault(struct wave *w, uint32_t lane, const char *format, ...)
{
	struct group *g = w->group;
	char what[300], where[64] = "";
	va_list args;

	w->state = ENDED;
	if (g->failed)
		return;
	g->failed = true;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (lane < LANES)
		snprintf(where, sizeof(where), ", lane %u", lane);
	snprintf(g->message, g->size, "%s (at 0x%llx, workgroup %u,%u,%u, wave %u%s)", what,
		 (unsigned long long)w->pc, g->id[0], g->id[1], g->id[2], w->index, where);
}

static uint32_t threads_of(const struct amd_launch *l)
{
	return l->threads[0] * l->threads[1] * l->threads[2];
}

static uint64_t wave_scratch_bytes(const struct amd_launch *l)
{
	return ((uint64_t)(l->private_bytes + 3) / 4 * 4 * LANES + 1023) / 1024 * 1024;
}

uint64_t amd_scratch_bytes(const struct amd_launch *l)
{
	return wave_scratch_bytes(l) * ((threads_of(l) + LANES - 1) / LANES);
}

/* A buffer resource over the scratch of the launch: lanes interleave word by word. */
static void scratch_resource(const struct amd_launch *l, uint32_t r[4])
{
	r[0] = (uint32_t)l->scratch;
	r[1] = (uint32_t)(l->scratch >> 32 & 0xffff) | 1u << 31; /* swizzle */
	r[2] = 0xffffffff;
	r[3] = 1u << 23 | 2u << 21; /* add the lane, 32 of them side by side */
}

static void scalar_state(struct wave *w, const struct group *g)
{
	static const struct {
		uint16_t property;
		uint8_t count;
	} users[] = {
		{AMD_PRIVATE_SEGMENT_BUFFER, 4}, {AMD_DISPATCH_PTR, 2}, {AMD_QUEUE_PTR, 2},
		{AMD_KERNARG_SEGMENT_PTR, 2}, {AMD_DISPATCH_ID, 2}, {AMD_FLAT_SCRATCH_INIT, 2},
		{AMD_PRIVATE_SEGMENT_SIZE, 1},
	};
	const struct amd_launch *l = w->launch;
	uint32_t n = 0;

	for (uint32_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		uint32_t *s = &w->s[n];

		if (!(l->properties & users[i].property))
			continue;
		n += users[i].count;
		if (users[i].property == AMD_PRIVATE_SEGMENT_BUFFER)
			scratch_resource(l, s);
		else if (users[i].property == AMD_DISPATCH_PTR)
			s[0] = (uint32_t)l->dispatch, s[1] = (uint32_t)(l->dispatch >> 32);
		else if (users[i].property == AMD_KERNARG_SEGMENT_PTR)
			s[0] = (uint32_t)l->kernarg, s[1] = (uint32_t)(l->kernarg >> 32);
		else if (users[i].property == AMD_FLAT_SCRATCH_INIT)
			s[0] = (uint32_t)l->scratch, s[1] = (uint32_t)(l->scratch >> 32);
		else if (users[i].property == AMD_PRIVATE_SEGMENT_SIZE)
			s[0] = l->private_bytes;
	}
	n = AMD_RSRC2_USER_SGPRS(l->rsrc2);
	for (uint32_t axis = 0; axis < 3; axis++)
		if (AMD_RSRC2_GROUP_ID(l->rsrc2, axis))
			w->s[n++] = g->id[axis];
	if (AMD_RSRC2_GROUP_INFO(l->rsrc2))
		w->s[n++] = 0;
	if (AMD_RSRC2_SCRATCH(l->rsrc2))
		w->s[n++] = (uint32_t)(w->index * wave_scratch_bytes(l));
}

static void vector_state(struct wave *w)
{
	const struct amd_launch *l = w->launch;
	uint32_t count = threads_of(l);

	memset(w->v, 0, w->vgprs * sizeof(row));
	w->s[AMD_EXEC] = 0;
	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t t = w->index * LANES + i;
		uint32_t id[3] = {t % l->threads[0], t / l->threads[0] % l->threads[1],
				  t / l->threads[0] / l->threads[1]};

		if (t >= count)
			break;
		w->s[AMD_EXEC] |= 1u << i;
		for (uint32_t axis = 0; axis < AMD_RSRC2_THREAD_IDS(l->rsrc2); axis++)
			w->v[axis][i] = id[axis];
	}
}

static void wave_start(struct wave *w, struct group *g, uint32_t index)
{
	row *v = w->v;
	struct hazard *h = w->hazard;

	*w = (struct wave){.group = g, .launch = g->launch, .v = v, .hazard = h, .index = index};
	w->vgprs = AMD_RSRC1_VGPRS(g->launch->rsrc1);
	w->mode = AMD_RSRC1_FLOAT_MODE(g->launch->rsrc1);
	w->pc = g->launch->entry;
	w->state = RUNS;
	scalar_state(w, g);
	vector_state(w);
}

static bool registers_there(struct wave *w, const struct op *op)
{
	for (uint32_t u = 0; u < op->uses_count; u++)
		if (op->uses[u].reg >= AMD_VGPR &&
		    op->uses[u].reg + op->uses[u].count > AMD_VGPR + w->vgprs) {
			amd_wave_fault(
				w, LANES, "%s uses v%u, but the kernel has %u vector registers",
				op->in.row->name,
				op->uses[u].reg - AMD_VGPR + op->uses[u].count - 1, w->vgprs);
			return false;
		}
	return true;
}

static void wave_run(struct wave *w)
{
	for (uint32_t n = 0; n < TURN && w->state == RUNS; n++) {
		const char *why;
		const struct op *op = amd_code_at(w->group->code, w->pc, &why);

		if (!op) {
			amd_wave_fault(w, LANES, "%s", why);
			return;
		}
		if (w->launch->limit && w->steps >= w->launch->limit) {
			amd_wave_fault(w, LANES, "no end after %llu instructions",
				   (unsigned long long)w->steps);
			return;
		}
		if (!registers_there(w, op) || (w->hazard && !amd_hazard_check(w, op)))
			return;
		w->next = w->pc + op->in.bytes;
		op->handler->run(w, op);
		w->steps++;
		if (w->state != ENDED)
			w->pc = w->next;
	}
}

static void open_barrier(struct group *g)
{
	uint32_t ended = 0;

	for (uint32_t i = 0; i < g->waves_count; i++)
		ended += g->waves[i].state == ENDED;
	if (!g->waiting || g->waiting + ended < g->waves_count)
		return;
	g->waiting = 0;
	for (uint32_t i = 0; i < g->waves_count; i++)
		if (g->waves[i].state == WAITS)
			g->waves[i].state = RUNS;
}

static bool group_run(struct group *g)
{
	bool running = true;

	memset(g->lds, 0, g->launch->lds_bytes);
	g->waiting = 0;
	for (uint32_t i = 0; i < g->waves_count; i++) {
		wave_start(&g->waves[i], g, i);
		if (g->launch->hazard) {
			free(g->waves[i].hazard);
			g->waves[i].hazard = amd_hazard_create();
			if (!g->waves[i].hazard)
				return snprintf(g->message, g->size, "no memory"), false;
		}
	}
	while (running && !g->failed) {
		running = false;
		for (uint32_t i = 0; i < g->waves_count && !g->failed; i++) {
			if (g->waves[i].state == RUNS)
				wave_run(&g->waves[i]);
			running = running || g->waves[i].state != ENDED;
		}
		open_barrier(g);
	}
	return !g->failed;
}

static const char *refuse(const struct amd_launch *l)
{
	if (!threads_of(l) || threads_of(l) > 1024)
		return "a workgroup has 1 to 1024 threads";
	if (l->lds_bytes > 65536)
		return "a workgroup has at most 64 KiB of LDS";
	if (!(l->properties & AMD_WAVE32))
		return "only waves of 32 lanes are modelled";
	if (AMD_RSRC1_FLOAT_MODE(l->rsrc1) != AMD_FLOAT_MODE_DEFAULT)
		return "only round to nearest with denormals is modelled";
	if (AMD_RSRC1_VGPRS(l->rsrc1) > 256)
		return "a wave has at most 256 vector registers";
	if (AMD_RSRC2_USER_SGPRS(l->rsrc2) > 16)
		return "there are at most 16 user registers";
	return NULL;
}

static bool allocate(struct group *g)
{
	uint32_t vgprs = AMD_RSRC1_VGPRS(g->launch->rsrc1);

	g->waves_count = (threads_of(g->launch) + LANES - 1) / LANES;
	g->lds = calloc(1, g->launch->lds_bytes + 1);
	g->waves = calloc(g->waves_count, sizeof(*g->waves));
	g->code = amd_code_create(g->launch->memory);
	if (!g->lds || !g->waves || !g->code)
		return false;
	for (uint32_t i = 0; i < g->waves_count; i++) {
		g->waves[i].v = calloc(vgprs, sizeof(row));
		if (!g->waves[i].v)
			return false;
	}
	return true;
}

static void release(struct group *g)
{
	for (uint32_t i = 0; g->waves && i < g->waves_count; i++) {
		free(g->waves[i].v);
		free(g->waves[i].hazard);
	}
	free(g->waves);
	free(g->lds);
	amd_code_destroy(g->code);
}

bool amd_run(const struct amd_launch *l, char *message, size_t size)
{
	struct group g = {.launch = l, .message = message, .size = size};
	const char *wrong = refuse(l);
	bool good;

	if (size)
		message[0] = 0;
	if (wrong)
		return snprintf(message, size, "%s", wrong), false;
	good = allocate(&g);
	if (!good)
		snprintf(message, size, "no memory for a workgroup");
	for (g.id[2] = 0; good && g.id[2] < l->groups[2]; g.id[2]++)
		for (g.id[1] = 0; good && g.id[1] < l->groups[1]; g.id[1]++)
			for (g.id[0] = 0; good && g.id[0] < l->groups[0]; g.id[0]++)
				good = group_run(&g);
	release(&g);
	return good;
}
