/* SPDX-License-Identifier: MIT */
/*
 * Mutation of waits: every counter of every wait of a kernel, one at a time, is dropped or allows
 * one more outstanding operation. Hazard mode should report each mutation. A mutation that it does
 * not report is idle if, in this launch, the wait never waits for that counter; a probe in the
 * launch tells. The code is restored afterwards.
 */
#ifndef TESTS_AMD_WAITS_H
#define TESTS_AMD_WAITS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "libsov/isa/amd/amd_isa.h"
#include "model/amd/amd.h"

enum wait_change { WAIT_DROPPED, WAIT_WEAKENED, WAIT_CHANGES };

struct wait_counts {
	uint32_t made, named, idle;
};

struct wait_subject {
	const char *name;
	uint8_t *code;
	uint64_t bytes, pc; /* of the code, and its GPU address */
	/* Launches in hazard mode with fresh inputs. Returns false with the report in message. */
	bool (*run)(void *context, struct amd_probe *probe);
	void *context;
	const char *message;
	uint32_t step, seen; /* one mutation in step is made; 0: all */
	struct wait_counts counts[WAIT_CHANGES];
};

/*
 * Mask of the counter in a wait's instruction word, one or two fields. 0: no wait for that counter.
 */
static inline uint32_t wait_field(uint32_t word, uint32_t counter, uint32_t *max)
{
	*max = 63;
	if (word >> 16 == 0xbf8c && counter == AMD_VMCNT) /* s_waitcnt */
		return 0xc00f;
	if (word >> 16 == 0xbf8c && counter == AMD_LGKMCNT)
		return 0x3f00;
	if (word >> 16 == 0xbbfd && counter == AMD_VSCNT) /* s_waitcnt_vscnt null */
		return 0x3f;
	return 0;
}

static inline uint32_t wait_get(uint32_t word, uint32_t field)
{
	return field == 0xc00f   ? (word & 15) | (word >> 14 & 3) << 4
	       : field == 0x3f00 ? word >> 8 & 63
				 : word & 63;
}

static inline uint32_t wait_set(uint32_t word, uint32_t field, uint32_t left)
{
	uint32_t bits = field == 0xc00f   ? (left & 15) | (left >> 4) << 14
			: field == 0x3f00 ? left << 8
					  : left;

	return (word & ~field) | bits;
}

static inline void wait_try(struct wait_subject *s, uint64_t offset, uint32_t word,
			    uint32_t counter, enum wait_change change)
{
	static const char *const names[] = {"vmcnt", "lgkmcnt", "vscnt"};
	struct amd_probe probe = {0};
	uint32_t max, field = wait_field(word, counter, &max), left = wait_get(word, field),
		      changed;
	bool named;

	if (!field || left == max || (change == WAIT_WEAKENED && left + 1 == max))
		return; /* does not wait, or is covered by dropping it */
	if (s->step && s->seen++ % s->step)
		return;
	changed = wait_set(word, field, change == WAIT_DROPPED ? max : left + 1);
	memcpy(s->code + offset, &changed, 4);
	s->counts[change].made++;
	named = !s->run(s->context, &probe) && strstr(s->message, "waited for");
	memcpy(s->code + offset, &word, 4);
	s->counts[change].named += named;
	if (named)
		return;
	probe.pc = s->pc + offset;
	s->run(s->context, &probe);
	if (!probe.waited[counter])
		s->counts[change].idle++;
	else
		printf("# %s: hazard mode does not report +0x%llx with %s(%u) %s\n", s->name,
		       (unsigned long long)offset, names[counter], left,
		       change == WAIT_DROPPED ? "dropped" : "weakened");
}

static inline void waits_mutate(struct wait_subject *s)
{
	struct amd_inst in;
	uint32_t words[3], bytes;

	for (uint64_t offset = 0; offset + 4 <= s->bytes; offset += bytes) {
		uint64_t left = s->bytes - offset;

		memset(words, 0, sizeof(words));
		memcpy(words, s->code + offset, left < 12 ? (size_t)left : 12);
		bytes = amd_decode(AMD_GFX1030, words, left < 12 ? (uint32_t)left / 4 : 3, &in);
		if (!bytes || words[0] == 0xbf9f0000) /* s_code_end */
			return;
		for (uint32_t c = 0; c < AMD_COUNTERS; c++)
			for (enum wait_change k = 0; k < WAIT_CHANGES; k++)
				wait_try(s, offset, words[0], c, k);
	}
}

/* Whether hazard mode reports at least min_share of the mutations of waits that ever wait. */
static inline bool waits_verdict(const char *whose, enum wait_change change,
				 const struct wait_counts *c, double min_share)
{
	printf("# count %s: hazard mode reports %u of %u %s counters (%u more never wait)\n", whose,
	       c->named, c->made - c->idle, change == WAIT_DROPPED ? "dropped" : "weakened",
	       c->idle);
	return c->made > c->idle && c->named >= min_share * (c->made - c->idle);
}

#endif
