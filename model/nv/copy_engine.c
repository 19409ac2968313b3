/* SPDX-License-Identifier: MIT */
/*
 * The copy engine: linear copies of one or more lines, fills with a constant, and the semaphore
 * that is released behind them. Block-linear surfaces are refused, and so are physical addresses on
 * a channel that has no right to them.
 */
#include <stddef.h>
#include <string.h>

#include "hw/nv/copy.h"
#include "model/core/model_internal.h"

static const struct {
	uint16_t method, offset; /* of the word in struct copy */
} words[] = {
	{NV_COPY_SEMAPHORE_A, offsetof(struct copy, semaphore[0])},
	{NV_COPY_SEMAPHORE_B, offsetof(struct copy, semaphore[1])},
	{NV_COPY_SEMAPHORE_PAYLOAD, offsetof(struct copy, payload[0])},
	{NV_COPY_SEMAPHORE_PAYLOAD_HIGH, offsetof(struct copy, payload[1])},
	{NV_COPY_SRC_PHYSICAL_TARGET, offsetof(struct copy, src_target)},
	{NV_COPY_DST_PHYSICAL_TARGET, offsetof(struct copy, dst_target)},
	{NV_COPY_SRC_HIGH, offsetof(struct copy, src[0])},
	{NV_COPY_SRC_LOW, offsetof(struct copy, src[1])},
	{NV_COPY_DST_HIGH, offsetof(struct copy, dst[0])},
	{NV_COPY_DST_LOW, offsetof(struct copy, dst[1])},
	{NV_COPY_SRC_PITCH, offsetof(struct copy, src_pitch)},
	{NV_COPY_DST_PITCH, offsetof(struct copy, dst_pitch)},
	{NV_COPY_LINE_BYTES, offsetof(struct copy, line_bytes)},
	{NV_COPY_LINES, offsetof(struct copy, lines)},
	{NV_COPY_REMAP_CONST_A, offsetof(struct copy, constant[0])},
	{NV_COPY_REMAP_CONST_B, offsetof(struct copy, constant[1])},
	{NV_COPY_REMAP_COMPONENTS, offsetof(struct copy, components)},
};

static uint64_t address(const uint32_t high_low[2])
{
	return (uint64_t)high_low[0] << 32 | high_low[1];
}

static bool refuse(struct model_channel *c, const char *why)
{
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = NV_COPY_LAUNCH};

	return channel_fail(c, &e, "copy: %s", why);
}

static bool fill_valid(struct model_channel *c, uint32_t lines)
{
	uint32_t components = c->copy.components, size = NV_COPY_REMAP_SIZE(components);

	if (NV_COPY_REMAP_DST_X(components) != NV_COPY_REMAP_TAKE_CONST_A ||
	    NV_COPY_REMAP_DST_COUNT(components) != 1)
		return refuse(c, "of all remappings only a fill with constant A is modelled");
	/* The pitch counts where there is a second line; otherwise it is what a copy before left. */
	if (size == 3 || address(c->copy.dst) % size || (lines > 1 && c->copy.dst_pitch % size))
		return refuse(c, "a fill needs elements of 1, 2 or 4 bytes, aligned to their size");
	return true;
}

static bool transfer(struct model_channel *c, uint32_t data)
{
	const struct copy *s = &c->copy;
	uint32_t lines = data & NV_COPY_MULTI_LINE ? s->lines : 1;

	if (!(data & NV_COPY_SRC_LINEAR) || !(data & NV_COPY_DST_LINEAR))
		return refuse(c, "block-linear memory is not modelled; set both layouts to pitch");
	/*
	 * A user's channel, or one that renounced them (DENY_PHYSICAL_MODE_CE). That a class error
	 * ends it, rather than one of the engine's own, is an assumption.
	 */
	if (data & (NV_COPY_SRC_PHYSICAL | NV_COPY_DST_PHYSICAL) && !c->config.physical)
		return refuse(c, "physical addresses are not a user's to give");
	if (data & NV_COPY_REMAP && !fill_valid(c, lines))
		return false;
	for (uint32_t i = 0; i < lines; i++) {
		struct channel_address src = {address(s->src) + (uint64_t)i * s->src_pitch,
					  data & NV_COPY_SRC_PHYSICAL, s->src_target & 3};
		struct channel_address dst = {address(s->dst) + (uint64_t)i * s->dst_pitch,
					  data & NV_COPY_DST_PHYSICAL, s->dst_target & 3};

		if (data & NV_COPY_REMAP
			    ? !channel_fill(c, dst, s->line_bytes,
					    NV_COPY_REMAP_SIZE(s->components), s->constant[0])
			    : !channel_copy(c, src, dst, s->line_bytes))
			return false;
	}
	return true;
}

static bool launch(struct model_channel *c, uint32_t data)
{
	bool wide = data & NV_COPY_PAYLOAD_64;
	uint64_t payload = (wide ? (uint64_t)c->copy.payload[1] << 32 : 0) | c->copy.payload[0];

	if (data & NV_COPY_SEMAPHORE_REDUCTION ||
	    NV_COPY_SEMAPHORE(data) > NV_COPY_SEMAPHORE_TIMESTAMP)
		return refuse(c,
			      "semaphore reductions and conditional interrupts are not modelled");
	if (NV_COPY_TRANSFER(data) != NV_COPY_TRANSFER_NONE && !transfer(c, data))
		return false;
	if (NV_COPY_SEMAPHORE(data) == NV_COPY_SEMAPHORE_NONE)
		return true;
	return channel_release(c, address(c->copy.semaphore), payload, wide ? 8 : 4,
			       NV_COPY_SEMAPHORE(data) == NV_COPY_SEMAPHORE_TIMESTAMP);
}

bool copy_method(struct model_channel *c, uint32_t method, uint32_t data)
{
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = method};

	if (method == NV_COPY_LAUNCH)
		return launch(c, data);
	if (method == NV_COPY_NOP)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].method == method) {
			memcpy((uint8_t *)&c->copy + words[i].offset, &data, 4);
			return true;
		}
	return channel_fail(c, &e, "copy method 0x%04x (data 0x%08x) is not modelled", method,
			    data);
}
