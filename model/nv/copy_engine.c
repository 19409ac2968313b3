// SPDX-License-Identifier: MIT
/* The copy engine: linear copies of one or more lines, fills with a constant, and the semaphore
 * release after them. It rejects block-linear surfaces, and physical addresses on a channel without
 * permission. */
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

static uint64_t copy_operand_address(const uint32_t high_low[2])
{
	return (uint64_t)high_low[0] << 32 | high_low[1];
}

static bool copy_error(struct model_channel *c, const char *why)
{
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = NV_COPY_LAUNCH};

	return channel_fail(c, &e, "copy: %s", why);
}

static bool fill_valid(struct model_channel *c, uint32_t lines)
{
	uint32_t components = c->copy.components, size = NV_COPY_REMAP_SIZE(components);

	if (NV_COPY_REMAP_DST_X(components) != NV_COPY_REMAP_TAKE_CONST_A ||
	    NV_COPY_REMAP_DST_COUNT(components) != 1)
		return copy_error(c, "the only remapping modelled is a fill with constant A");
	/* The pitch matters only with a second line; otherwise it may be left over from an earlier
	 * copy. */
	if (size == 3 || copy_operand_address(c->copy.dst) % size ||
	    (lines > 1 && c->copy.dst_pitch % size))
		return copy_error(
			c, "a fill needs elements of 1, 2 or 4 bytes, aligned to their size");
	return true;
}

static bool copy_lines(struct model_channel *c, uint32_t data)
{
	const struct copy *s = &c->copy;
	uint32_t lines = data & NV_COPY_MULTI_LINE ? s->lines : 1;

	if (!(data & NV_COPY_SRC_LINEAR) || !(data & NV_COPY_DST_LINEAR))
		return copy_error(c,
				  "block-linear memory is not modelled; set both layouts to pitch");
	/* An unprivileged channel, or one with DENY_PHYSICAL_MODE_CE. That hardware raises a class
	 * error, rather than one of the copy engine, is an assumption. */
	if (data & (NV_COPY_SRC_PHYSICAL | NV_COPY_DST_PHYSICAL) && !c->config.physical)
		return copy_error(c, "physical addresses need a privileged channel");
	if (data & NV_COPY_REMAP && !fill_valid(c, lines))
		return false;
	for (uint32_t i = 0; i < lines; i++) {
		struct channel_address src = {copy_operand_address(s->src) +
						      (uint64_t)i * s->src_pitch,
					      data & NV_COPY_SRC_PHYSICAL, s->src_target & 3};
		struct channel_address dst = {copy_operand_address(s->dst) +
						      (uint64_t)i * s->dst_pitch,
					      data & NV_COPY_DST_PHYSICAL, s->dst_target & 3};

		if (data & NV_COPY_REMAP
			    ? !channel_fill(c, dst, s->line_bytes,
					    NV_COPY_REMAP_SIZE(s->components), s->constant[0])
			    : !channel_copy(c, src, dst, s->line_bytes))
			return false;
	}
	return true;
}

static bool copy_launch(struct model_channel *c, uint32_t data)
{
	bool wide = data & NV_COPY_PAYLOAD_64;
	uint64_t payload = (wide ? (uint64_t)c->copy.payload[1] << 32 : 0) | c->copy.payload[0];

	if (data & NV_COPY_SEMAPHORE_REDUCTION ||
	    NV_COPY_SEMAPHORE(data) > NV_COPY_SEMAPHORE_TIMESTAMP)
		return copy_error(
			c, "semaphore reductions and conditional interrupts are not modelled");
	if (NV_COPY_TRANSFER(data) != NV_COPY_TRANSFER_NONE && !copy_lines(c, data))
		return false;
	if (NV_COPY_SEMAPHORE(data) == NV_COPY_SEMAPHORE_NONE)
		return true;
	return channel_release(c, copy_operand_address(c->copy.semaphore), payload, wide ? 8 : 4,
			       NV_COPY_SEMAPHORE(data) == NV_COPY_SEMAPHORE_TIMESTAMP);
}

bool copy_method(struct model_channel *c, uint32_t method, uint32_t data)
{
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = method};

	if (method == NV_COPY_LAUNCH)
		return copy_launch(c, data);
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
