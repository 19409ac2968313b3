// SPDX-License-Identifier: MIT
/*
 * More streams copy than a GPU has copy queues (amdgpu: 16 on a Navi 21): each stream's copies,
 * rectangles, fills and graphs are compared with the same operations on the CPU, at offsets that
 * are not aligned.
 */
#include "tests/userspace/runtime/_api.h"

#define STREAMS          20
#define BYTES            16384u
#define AT(area, offset) (device + (area) * BYTES + (offset))

struct user {
	sov_stream stream;
	sov_ptr memory;
	uint8_t *in, *want, *got; /* of 3 * BYTES */
};

static void lines(uint8_t *to, const uint8_t *from, const sov_copy_rect *r)
{
	uint64_t i;

	for (i = 0; i < r->height; i++)
		memcpy(to + i * r->destination_pitch, from + i * r->source_pitch, r->width_bytes);
}

static sov_copy_rect rectangle(sov_ptr to, sov_ptr from, uint32_t width, uint32_t height)
{
	sov_copy_rect r = SOV_INIT(sov_copy_rect);

	r.destination = to;
	r.source = from;
	r.width_bytes = width;
	r.height = height;
	r.destination_pitch = width + 8;
	r.source_pitch = width + 16;
	return r;
}

/* The first area is copied to the second; width: 32 for the copy engine's packets of rectangles,
 * odd for a packet of each line. */
static void direct(struct user *u, uint32_t width)
{
	sov_ptr device = u->memory;
	sov_copy_rect r = rectangle(AT(1, 4000), AT(0, 400), width, 100);
	uint16_t half = 0xbeef;
	uint32_t i;

	MUST(sov_memory_copy_async(u->stream, AT(0, 0), SOV_HOST(u->in), 3 * BYTES));
	MUST(sov_memory_copy_async(u->stream, AT(1, 5), AT(0, 3), 1001));
	MUST(sov_memory_fill_async(u->stream, AT(1, 2001), 0x77, 1, 1));
	MUST(sov_memory_fill_async(u->stream, AT(1, 2003), 0x55, 1, 7));
	MUST(sov_memory_fill_async(u->stream, AT(1, 2022), half, 2, 501));
	MUST(sov_memory_fill_async(u->stream, AT(1, 3100), 0x12345678, 4, 33));
	MUST(sov_memory_copy_rect_async(u->stream, &r));
	memcpy(u->want, u->in, 3 * BYTES);
	memcpy(u->want + BYTES + 5, u->in + 3, 1001);
	memset(u->want + BYTES + 2001, 0x77, 1);
	memset(u->want + BYTES + 2003, 0x55, 7);
	for (i = 0; i < 501; i++)
		memcpy(u->want + BYTES + 2022 + 2 * i, &half, 2);
	for (i = 0; i < 33; i++)
		memcpy(u->want + BYTES + 3100 + 4 * i, &(uint32_t){0x12345678}, 4);
	lines(u->want + BYTES + 4000, u->in + 400, &r);
}

/* To the third area, whose parts depend on each other. */
static sov_graph_exec graph(sov_context c, struct user *u, uint32_t width)
{
	sov_ptr device = u->memory;
	sov_copy_rect r = rectangle(AT(2, 4000), AT(0, 800), width, width % 4 ? 30 : 100);
	sov_graph_exec exec;
	sov_node a, b, d;
	sov_graph g;

	MUST(sov_graph_create(c, 0, &g));
	MUST(sov_graph_add_copy(g, NULL, 0, AT(2, 7), AT(1, 5), 1500, &a));
	MUST(sov_graph_add_fill(g, &a, 1, AT(2, 21), 0x99, 1, 6, &b));
	MUST(sov_graph_add_copy_rect(g, NULL, 0, &r, &d));
	MUST(sov_graph_add_fill(g, &d, 1, AT(2, 4002), 0xabcd, 2, 5, &b));
	MUST(sov_graph_instantiate(g, &exec));
	MUST(sov_graph_destroy(g));
	memcpy(u->want + 2 * BYTES + 7, u->want + BYTES + 5, 1500);
	memset(u->want + 2 * BYTES + 21, 0x99, 6);
	lines(u->want + 2 * BYTES + 4000, u->want + 800, &r);
	for (uint32_t i = 0; i < 5; i++)
		memcpy(u->want + 2 * BYTES + 4002 + 2 * i, &(uint16_t){0xabcd}, 2);
	return exec;
}

static bool same(struct user *u)
{
	uint32_t i;

	MUST(sov_memory_copy_async(u->stream, SOV_HOST(u->got), u->memory, 3 * BYTES));
	MUST(sov_stream_wait(u->stream, 60 * SECOND));
	for (i = 0; i < 3 * BYTES && u->got[i] == u->want[i]; i++)
		;
	if (i < 3 * BYTES)
		diag("area %u differs from +%u on", i / BYTES, i % BYTES);
	return i == 3 * BYTES;
}

static void test(sov_context c, uint32_t width)
{
	struct user users[STREAMS];
	uint32_t i, k, right = 0, graphs = 0, moved = 0;

	for (i = 0; i < STREAMS; i++) {
		struct user *u = &users[i];

		*u = (struct user){NULL, 0, malloc(3 * BYTES), malloc(3 * BYTES),
				   malloc(3 * BYTES)};
		for (k = 0; k < 3 * BYTES; k++)
			u->in[k] = (uint8_t)random_u64();
		MUST(sov_stream_create(c, 0, &u->stream));
		MUST(sov_memory_alloc(c, 3 * BYTES, &u->memory));
		direct(u, width);
		right += same(u);
	}
	ok(right == STREAMS, "rows of %u: each of %u streams copies and fills (%u do)", width,
	   STREAMS, right);
	for (i = 0; i < STREAMS; i++) {
		sov_graph_exec exec = graph(c, &users[i], width);

		MUST(sov_graph_launch(exec, users[i].stream));
		graphs += same(&users[i]);
		/* The other end of the list has, or has not, a copy queue. */
		MUST(sov_memory_fill_async(users[i].stream, users[i].memory + 2 * BYTES, 0, 1,
					   BYTES));
		MUST(sov_memory_copy_async(users[i].stream, users[i].memory + 2 * BYTES,
					   SOV_HOST(users[i].in + 2 * BYTES), BYTES));
		MUST(sov_stream_wait(users[i].stream, 60 * SECOND));
		MUST(sov_graph_launch(exec, users[STREAMS - 1 - i].stream));
		MUST(sov_stream_wait(users[STREAMS - 1 - i].stream, 60 * SECOND));
		moved += same(&users[i]);
		MUST(sov_graph_exec_destroy(exec));
	}
	ok(graphs == STREAMS, "rows of %u: each of them runs a graph of copies (%u do)", width,
	   graphs);
	ok(moved == STREAMS, "rows of %u: and on another stream (%u do)", width, moved);
	for (i = 0; i < STREAMS; i++) {
		MUST(sov_stream_destroy(users[i].stream));
		MUST(sov_memory_free(c, users[i].memory));
		free(users[i].in);
		free(users[i].want);
		free(users[i].got);
	}
}

/* One command of a copy queue, a hundred thousand of a compute queue. A stream's first copy decides
 * which of them it has. */
static void narrow(sov_context c)
{
	const uint32_t rows = 200000;
	sov_stream streams[STREAMS];
	uint32_t i, done = 0, refused_twice = 0;
	sov_copy_rect r;
	sov_graph_exec exec;
	sov_graph g;
	sov_node n;
	sov_ptr p;

	MUST(sov_memory_alloc(c, 52 * rows, &p));
	r = rectangle(p, p + 24 * rows, 4, rows);
	MUST(sov_graph_create(c, 0, &g));
	MUST(sov_graph_add_copy_rect(g, NULL, 0, &r, &n));
	MUST(sov_graph_instantiate(g, &exec));
	for (i = 0; i < STREAMS; i++) {
		uint32_t got[2] = {0}, word = (uint32_t)random_u64() | 1;
		sov_result first;

		MUST(sov_stream_create(c, 0, &streams[i]));
		MUST(sov_memory_fill_async(streams[i], r.source, word, 4, 7 * rows));
		MUST(sov_memory_fill_async(streams[i], p, 0, 4, 3 * rows));
		first = sov_graph_launch(exec, streams[i]);
		if (first)
			refused_twice += first == SOV_ERROR_UNSUPPORTED &&
					 sov_graph_launch(exec, streams[i]) == first;
		MUST(sov_memory_copy_async(streams[i], SOV_HOST(got), p + 12ull * (rows - 1), 8));
		MUST(sov_stream_wait(streams[i], 60 * SECOND));
		done += got[0] == (first ? 0 : word) && !got[1];
	}
	ok(done == STREAMS,
	   "a graph of %u rows copies them all, or none (%u of %u streams do, %u refuse it twice)",
	   rows, done, STREAMS, refused_twice);
	for (i = 0; i < STREAMS; i++)
		MUST(sov_stream_destroy(streams[i]));
	MUST(sov_graph_exec_destroy(exec));
	MUST(sov_graph_destroy(g));
	MUST(sov_memory_free(c, p));
}

int main(void)
{
	sov_context c;

	soft_gpus("gh100:vram=256M");
	random_seed();
	c = context_on("gh100.0", 0);
	test(c, 32);
	test(c, 33);
	narrow(c);
	MUST(sov_context_destroy(c));
	return tap_done();
}
