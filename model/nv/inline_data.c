// SPDX-License-Identifier: MIT
/* Inline-to-memory: the compute class takes data words from the method stream and writes them to
 * memory. Modelled is one line to linear memory without a semaphore; other modes are rejected. */

#include "hw/nv/compute.h"
#include "model/core/model_internal.h"

static bool inline_error(struct model_channel *c, uint32_t method, const char *why)
{
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = method};

	return channel_fail(c, &e, "inline data: %s", why);
}

bool inline_launch(struct model_channel *c, uint32_t data)
{
	struct compute *s = &c->compute;

	if (data & ~(NV_INLINE_LINEAR | NV_INLINE_SYSMEMBAR_OFF) || !(data & NV_INLINE_LINEAR) ||
	    s->inline_lines != 1)
		return inline_error(
			c, NV_COMPUTE_INLINE_LAUNCH,
			"only one line to linear memory is modelled, without a semaphore");
	if (s->inline_left)
		return inline_error(c, NV_COMPUTE_INLINE_LAUNCH,
				    "the previous transfer still expects data");
	s->inline_at = (uint64_t)s->inline_to[0] << 32 | s->inline_to[1];
	s->inline_left = s->inline_bytes;
	return true;
}

bool inline_word(struct model_channel *c, uint32_t data)
{
	struct compute *s = &c->compute;
	uint32_t bytes = s->inline_left < sizeof(data) ? s->inline_left : (uint32_t)sizeof(data);
	uint64_t fault = s->inline_at;
	enum mmu_result why;

	if (!bytes)
		return inline_error(c, NV_COMPUTE_INLINE_DATA,
				    "more data than the transfer's length");
	mmu_poll(&c->reader);
	why = mmu_write(&c->reader, s->inline_at, &data, bytes, &fault);
	if (why != MMU_OK)
		return channel_fault(c, why, fault, "inline data");
	if (c->space->check)
		check_written(c->space->check, s->inline_at, bytes);
	s->inline_at += bytes;
	s->inline_left -= bytes;
	return true;
}
