// SPDX-License-Identifier: MIT
/*
 * Traps: a wave enters the handler of its address space as amdkfd's first-level handler enters a
 * second-level one (hw/amd/trap.h). A fault is an error of the queue when the handler has ended, so
 * the handler's stores are performed before the fault is known.
 */
#include "model/amd/wave.h"

#define POISON 0x5a5a5a5au

uint32_t amd_trap_status(const struct wave *w)
{
	return (w->scc ? AMD_STATUS_SCC : 0) | (w->privileged ? AMD_STATUS_PRIV : 0) |
	       (w->s[AMD_EXEC] ? 0 : AMD_STATUS_EXECZ) | (w->s[AMD_VCC] ? 0 : AMD_STATUS_VCCZ);
}

static bool enter(struct wave *w, uint64_t pc, uint32_t id)
{
	const struct model_space *s = w->grid->work.channel->space;
	uint32_t *ttmp = &w->s[AMD_TTMP];

	if (!s->tba || w->privileged)
		return false;
	/* What the first-level handler, or no debugger, leaves there. */
	for (uint32_t i = 2; i < 14; i++)
		ttmp[i] = POISON;
	ttmp[0] = (uint32_t)pc;
	ttmp[1] = (uint32_t)(pc >> 32) | id << 16;
	ttmp[12] = amd_trap_status(w);
	ttmp[14] = (uint32_t)s->tma;
	ttmp[15] = (uint32_t)(s->tma >> 32);
	w->privileged = true;
	w->next = s->tba;
	return true;
}

void amd_trap_enter(struct wave *w, uint32_t id)
{
	enter(w, w->pc, id);
}

bool amd_trap_enter_fault(struct wave *w, const struct model_error *e)
{
	uint32_t why = e->fault == MODEL_FAULT_MMU                   ? AMD_TRAPSTS_MEMORY_VIOLATION
		       : e->fault == MODEL_FAULT_ILLEGAL_INSTRUCTION ? AMD_TRAPSTS_ILLEGAL
								     : 0;

	if (!why || !enter(w, why == AMD_TRAPSTS_ILLEGAL ? w->pc : w->next, 0))
		return false;
	w->trapsts |= why;
	w->fault = *e;
	w->state = WAVE_RUNNING;
	return true;
}

void amd_trap_leave(struct wave *w)
{
	if (w->fault.fault)
		channel_fail(w->grid->work.channel, &w->fault, "%s", w->fault.text);
}

void model_space_set_trap_handler(struct model_space *s, uint64_t tba, uint64_t tma)
{
	s->tba = tba;
	s->tma = tma;
}
