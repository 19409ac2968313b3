// SPDX-License-Identifier: MIT
/*
 * What a user may put into the queues of a software Navi 21: any words as packets, in the ring and in the buffer that
 * packets may point at, and any words as code. A queue ends with all of it read or with an error that says
 * something; one that waits, chains or computes for ever ends when it is destroyed.
 *   byte 0: bit 0 a copy queue, bit 1 hazard mode; bytes 2 and 3: how many words are the ring's; then the ring's
 *   words, then the buffer's, which are at NAVI_CODE too
 */
#include "tests/userspace/model/amd/_navi.h"

#define HEADER    4
#define MOST_REST 0x8000     /* bytes of the buffer and of the code */
#define USED      0x400000   /* bytes from NAVI_BASE on that begin as zeros */
#define PATIENCE  3000000ull /* nanoseconds */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static void watch(struct navi_queue *q)
{
	uint64_t end = model_nanoseconds() + PATIENCE, put = q->pointers[AMD_QUEUE_PUT / 8];
	struct model_error e = {0};

	while (model_nanoseconds() < end &&
	       __atomic_load_n(&q->pointers[AMD_QUEUE_GET / 8], __ATOMIC_ACQUIRE) != put) {
		if (model_channel_error(q->channel, &e)) {
			check(e.fault && e.text[0] && memchr(e.text, 0, sizeof(e.text)));
			return;
		}
		sched_yield();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct navi bench[2];
	struct navi *n;
	struct navi_queue *q;
	size_t ring, rest;

	if (size < HEADER)
		return 0;
	n = &bench[data[0] >> 1 & 1];
	if (!n->m)
		navi_open(n, data[0] >> 1 & 1, 1);
	ring = 4 * ((data[2] | data[3] << 8) % NAVI_WORDS);
	if (ring > size - HEADER)
		ring = (size - HEADER) / 4 * 4;
	rest = size - HEADER - ring < MOST_REST ? size - HEADER - ring : MOST_REST;
	memset(n->vram, 0, USED);
	memcpy(navi_at(n, NAVI_RING(0)), data + HEADER, ring);
	memcpy(navi_at(n, NAVI_BUFFER(0)), data + HEADER + ring, rest);
	memcpy(navi_at(n, NAVI_CODE), data + HEADER + ring, rest);
	q = navi_queue(n, 0, data[0] & 1);
	q->put = (uint32_t)ring / 4;
	navi_ring_doorbell(n, q);
	watch(q);
	model_channel_destroy(q->channel);
	q->channel = NULL;
	return 0;
}
