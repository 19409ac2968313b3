// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Tests of the GSP message queue: the check accepts what the builder makes and rejects any change,
 * and elements wrap around the end of the ring unchanged.
 */
#include <kunit/test.h>

#include "kmod/nv/message.c"

#define RING_BYTES ((1 + NV_GSP_QUEUE_ELEMENTS) * NV_GSP_PAGE)

static void *message_alloc(struct kunit *test, size_t bytes)
{
	void *p = kunit_kzalloc(test, bytes, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	return p;
}

static struct nv_message message_of(const void *head, u32 head_bytes, const void *body,
				    u32 body_bytes)
{
	return (struct nv_message){76, head, head_bytes, body, body_bytes};
}

static void message_build_fills_all_fields(struct kunit *test)
{
	struct nv_gsp_element *e = message_alloc(test, NV_MESSAGE_MAX_BYTES);
	struct nv_message m = message_of("head", 4, "body!", 5);
	struct nv_gsp_rpc *rpc = nv_message_rpc(e);

	memset(e, 0xa5, NV_MESSAGE_MAX_BYTES); /* a previous message must not show through */
	KUNIT_ASSERT_EQ(test, 1, nv_message_build(e, 9, &m));
	KUNIT_EXPECT_EQ(test, e->sequence, 9);
	KUNIT_EXPECT_EQ(test, e->pages, 1);
	KUNIT_EXPECT_EQ(test, rpc->function, 76);
	KUNIT_EXPECT_EQ(test, rpc->bytes, sizeof(*rpc) + 9);
	KUNIT_EXPECT_EQ(test, rpc->version, NV_GSP_RPC_VERSION);
	KUNIT_EXPECT_EQ(test, rpc->signature, NV_GSP_RPC_SIGNATURE);
	KUNIT_EXPECT_MEMEQ(test, rpc + 1, "headbody!\0\0\0", 12);
	KUNIT_EXPECT_NULL(test, nv_message_check(e, 9, 1));
}

static void message_build_returns_page_count(struct kunit *test)
{
	struct nv_gsp_element *e = message_alloc(test, NV_MESSAGE_MAX_BYTES);
	static const struct {
		u32 head, body, pages;
	} rows[] = {
		{0, 0, 1},
		{0, NV_GSP_PAGE - NV_GSP_HEADERS, 1},
		{1, NV_GSP_PAGE - NV_GSP_HEADERS, 2},
		{NV_GSP_MAX_PAYLOAD, 0, NV_GSP_ELEMENT_PAGES},
		{8, NV_GSP_MAX_PAYLOAD - 8, NV_GSP_ELEMENT_PAGES},
		{0, NV_GSP_MAX_PAYLOAD + 1, 0},
		{U32_MAX, 1, 0},
		{U32_MAX, U32_MAX, 0},
	};
	u8 *payload = message_alloc(test, NV_MESSAGE_MAX_BYTES);
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct nv_message m = message_of(payload, rows[i].head, payload, rows[i].body);

		KUNIT_EXPECT_EQ_MSG(test, rows[i].pages, nv_message_build(e, i, &m),
				    "%u and %u bytes", rows[i].head, rows[i].body);
		if (rows[i].pages)
			KUNIT_EXPECT_NULL(test, nv_message_check(e, i, rows[i].pages));
	}
}

/* Flips each bit; the checksum must detect those of the message and the zeros that fill up its last
 * word, and no other: senders leave old bytes behind a message. */
static void message_check_detects_bit_flips(struct kunit *test)
{
	struct nv_gsp_element *e = message_alloc(test, NV_MESSAGE_MAX_BYTES);
	struct nv_message m = message_of("12345", 5, NULL, 0);
	const u32 summed = 8 * (NV_GSP_HEADERS + 8);
	u8 *bytes = (u8 *)e;
	u32 bit;

	nv_message_build(e, 1, &m);
	for (bit = 0; bit < 2 * summed; bit++) {
		bytes[bit / 8] ^= 1 << bit % 8;
		KUNIT_EXPECT_EQ_MSG(test, bit < summed, !!nv_message_check(e, 1, 1), "bit %u", bit);
		bytes[bit / 8] ^= 1 << bit % 8;
	}
	memset(bytes + summed / 8, 0xa5, NV_GSP_PAGE - summed / 8);
	KUNIT_EXPECT_NULL(test, nv_message_check(e, 1, 1));
}

/* Bad fields under a correct checksum, or a length beyond which there is none. */
static void message_check_rejects_bad_fields(struct kunit *test)
{
	struct nv_gsp_element *e = message_alloc(test, NV_MESSAGE_MAX_BYTES);
	struct nv_gsp_rpc *rpc = nv_message_rpc(e);
	struct nv_message m = message_of("1234", 4, NULL, 0);
	const struct {
		u32 *member, value;
		const char *want;
	} rows[] = {
		{&e->pages, 0, "bad size"},
		{&e->pages, 2, "bad size"},
		{&e->sequence, 0, "unexpected sequence number"},
		{&e->sequence, 2, "unexpected sequence number"},
		{&rpc->version, 0, "bad RPC header"},
		{&rpc->signature, 0, "bad RPC header"},
		{&rpc->bytes, sizeof(*rpc) - 1, "bad RPC length"},
		{&rpc->bytes, NV_GSP_PAGE - sizeof(*e) + 1, "bad RPC length"},
		{&rpc->bytes, U32_MAX, "bad RPC length"},
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		nv_message_build(e, 1, &m);
		*rows[i].member = rows[i].value;
		e->checksum = 0;
		if (rpc->bytes < NV_GSP_PAGE - sizeof(*e))
			e->checksum = nv_message_checksum(e);
		KUNIT_EXPECT_STREQ(test, nv_message_check(e, 1, 1), rows[i].want);
	}
	KUNIT_EXPECT_NOT_NULL(test, nv_message_check(e, 1, 0));
	KUNIT_EXPECT_NOT_NULL(test, nv_message_check(e, 1, NV_GSP_ELEMENT_PAGES + 1));
}

static void message_ring_space_plus_count_is_constant(struct kunit *test)
{
	u32 put, get;

	for (put = 0; put < NV_GSP_QUEUE_ELEMENTS; put++)
		for (get = 0; get < NV_GSP_QUEUE_ELEMENTS; get++)
			KUNIT_ASSERT_EQ(test, NV_GSP_QUEUE_ELEMENTS - 1,
					nv_message_space(put, get) + nv_message_count(put, get));
	KUNIT_EXPECT_EQ(test, 0, nv_message_count(5, 5));
	KUNIT_EXPECT_EQ(test, 3, nv_message_count(1, NV_GSP_QUEUE_ELEMENTS - 2));
	KUNIT_EXPECT_EQ(test, 0, nv_message_space(4, 5));
}

/* Starts at every page of the ring; only the pages of the element may be written. */
static void message_ring_wraps_around(struct kunit *test)
{
	struct nv_gsp_element *in = message_alloc(test, NV_MESSAGE_MAX_BYTES);
	struct nv_gsp_element *out = message_alloc(test, NV_MESSAGE_MAX_BYTES);
	struct nv_gsp_queue *q = kvmalloc(RING_BYTES, GFP_KERNEL);
	u8 *payload = message_alloc(test, 3 * NV_GSP_PAGE);
	struct nv_message m = message_of(payload, 3 * NV_GSP_PAGE, NULL, 0);
	u32 at, i, pages, touched;

	KUNIT_ASSERT_NOT_NULL(test, q);
	for (i = 0; i < 3 * NV_GSP_PAGE; i++)
		payload[i] = i * 7 + 1;
	for (at = 0; at < NV_GSP_QUEUE_ELEMENTS; at++) {
		memset(q, 0xee, RING_BYTES);
		memset(out, 0, NV_MESSAGE_MAX_BYTES);
		pages = nv_message_build(in, at, &m);
		nv_message_write(q, at, in, pages);
		nv_message_read(q, at, out, pages);
		KUNIT_EXPECT_MEMEQ(test, in, out, pages * NV_GSP_PAGE);
		for (i = 0; i < pages; i++)
			KUNIT_EXPECT_MEMEQ(test, (u8 *)in + i * NV_GSP_PAGE,
					   (u8 *)q + NV_GSP_PAGE *
							     (1 + (at + i) % NV_GSP_QUEUE_ELEMENTS),
					   NV_GSP_PAGE);
		for (touched = 0, i = 0; i < RING_BYTES; i += NV_GSP_PAGE)
			touched += !!memchr_inv((u8 *)q + i, 0xee, NV_GSP_PAGE);
		KUNIT_EXPECT_EQ(test, touched, pages);
		KUNIT_EXPECT_NULL(test, memchr_inv(q, 0xee, NV_GSP_PAGE));
	}
	kvfree(q);
}

static struct kunit_case message_cases[] = {KUNIT_CASE(message_build_fills_all_fields),
					    KUNIT_CASE(message_build_returns_page_count),
					    KUNIT_CASE(message_check_detects_bit_flips),
					    KUNIT_CASE(message_check_rejects_bad_fields),
					    KUNIT_CASE(message_ring_space_plus_count_is_constant),
					    KUNIT_CASE(message_ring_wraps_around),
					    {}};

static struct kunit_suite message_suite = {
	.name = "sovgpu_message",
	.test_cases = message_cases,
};

kunit_test_suite(message_suite);
