/* SPDX-License-Identifier: MIT */
/*
 * Data in the method stream: the compute class takes it word by word and writes it to memory. One
 * line, linear, without a semaphore; the rest of what hardware offers here is refused.
 */
#include <string.h>

#include "hw/nv/compute.h"
#include "model/internal.h"

static bool refuse(struct model_channel *c, uint32_t method, const char *why)
{
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = method};

	return channel_fail(c, &e, "inline data: %s", why);
}

bool inline_launch(struct model_channel *c, uint32_t data)
{
	struct compute *s = &c->compute;

	if (data & ~(NV_INLINE_LINEAR | NV_INLINE_SYSMEMBAR_OFF) || !(data & NV_INLINE_LINEAR) ||
	    s->inline_lines != 1)
		return refuse(c, NV_COMPUTE_INLINE_LAUNCH,
			      "only one line to linear memory is modelled, without a semaphore");
	if (s->inline_left)
		return refuse(c, NV_COMPUTE_INLINE_LAUNCH, "the data before has not all come");
	s->inline_at = (uint64_t)s->inline_to[0] << 32 | s->inline_to[1];
	s->inline_left = s->inline_bytes;
	return true;
}

bool inline_word(struct model_channel *c, uint32_t data)
{
	struct compute *s = &c->compute;
	uint8_t bytes[4];
	uint32_t i;

	if (!s->inline_left)
		return refuse(c, NV_COMPUTE_INLINE_DATA, "more data than was announced");
	memcpy(bytes, &data, sizeof(bytes));
	mmu_poll(&c->reader);
	for (i = 0; i < sizeof(bytes) && s->inline_left; i++, s->inline_at++, s->inline_left--) {
		enum mmu_result why;
		uint8_t *to = mmu_translate(&c->reader, s->inline_at, MODEL_WRITE, &why);

		if (!to)
			return channel_fault(c, why, s->inline_at, "inline data");
		*to = bytes[i];
	}
	return true;
}
