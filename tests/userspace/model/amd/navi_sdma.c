// SPDX-License-Identifier: MIT
/* Copy queues of the software Navi 21: SDMA copies, sub-window copies and fills of random shapes
 * match the same operations on the host. */
#include "_navi_programs.h"

static uint64_t seed = 1;

static uint32_t random_word(void) /* splitmix64 */
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)(z >> 32);
}

#define SPACE 0x40000u /* bytes of each half of the test area */

static bool sdma_matches(const uint8_t *expected, struct navi_queue *s, const char *what)
{
	struct model_error e;

	if (!navi_finish(&n, s))
		return diag("%s: %s", what, navi_error(s, &e)), false;
	for (uint32_t i = 0; i < 2 * SPACE; i++)
		if (((uint8_t *)navi_at(&n, NAVI_DATA))[i] != expected[i])
			return diag("%s: byte %u", what, i), false;
	return true;
}

static bool copies(void)
{
	struct navi_queue *s = navi_queue(&n, 1, true);
	uint8_t *data = (uint8_t *)navi_at(&n, NAVI_DATA), *expected = malloc(2 * SPACE);
	bool good = true;

	navi_cache_control(&n, s, NAVI_WRITE_BACK);
	for (uint32_t i = 0; i < 2 * SPACE; i++)
		data[i] = (uint8_t)random_word();
	memcpy(expected, data, 2 * SPACE);
	for (uint32_t k = 0; k < 60 && good; k++) {
		uint32_t bytes = 1 + random_word() % (k % 2 ? 100 : 30000);
		uint32_t from = random_word() % (SPACE - bytes),
			 to = random_word() % (SPACE - bytes);

		memcpy(expected + SPACE + to, expected + from, bytes);
		PACKET(&n, s, AMD_SDMA(AMD_SDMA_COPY, AMD_SDMA_COPY_LINEAR), bytes - 1, 0,
		       LOW(NAVI_DATA + from), HIGH(NAVI_DATA), LOW(NAVI_DATA + SPACE + to),
		       HIGH(NAVI_DATA));
		good = sdma_matches(expected, s, "copy");
	}
	free(expected);
	return good;
}

static bool sub_windows(void)
{
	struct navi_queue *s = navi_queue(&n, 1, true);
	uint8_t *data = (uint8_t *)navi_at(&n, NAVI_DATA), *expected = malloc(2 * SPACE);
	bool good = true;

	navi_cache_control(&n, s, NAVI_WRITE_BACK);
	for (uint32_t i = 0; i < 2 * SPACE; i++)
		data[i] = (uint8_t)random_word();
	memcpy(expected, data, 2 * SPACE);
	for (uint32_t k = 0; k < 40 && good; k++) {
		uint32_t log2 = random_word() % 5, w = 1 + random_word() % 20,
			 h = 1 + random_word() % 10;
		uint32_t d = 1 + random_word() % 4, x[2], y[2], z[2], pitch[2], slice[2];

		for (uint32_t e = 0; e < 2; e++) {
			x[e] = random_word() % 8, y[e] = random_word() % 4,
			z[e] = random_word() % 3;
			pitch[e] = x[e] + w + random_word() % 9;
			slice[e] = pitch[e] * (y[e] + h) + random_word() % 50;
		}
		for (uint32_t c = 0; c < d; c++)
			for (uint32_t b = 0; b < h; b++)
				memcpy(expected + SPACE +
					       (((z[1] + c) * slice[1] + (y[1] + b) * pitch[1] +
						 x[1])
						<< log2),
				       expected + (((z[0] + c) * slice[0] + (y[0] + b) * pitch[0] +
						    x[0])
						   << log2),
				       (size_t)w << log2);
		PACKET(&n, s,
		       AMD_SDMA(AMD_SDMA_COPY, AMD_SDMA_COPY_SUB_WINDOW) | AMD_SDMA_ELEMENT(log2),
		       LOW(NAVI_DATA), HIGH(NAVI_DATA), AMD_SDMA_XY(x[0], y[0]),
		       AMD_SDMA_Z_PITCH(z[0], pitch[0]), slice[0] - 1, LOW(NAVI_DATA + SPACE),
		       HIGH(NAVI_DATA), AMD_SDMA_XY(x[1], y[1]), AMD_SDMA_Z_PITCH(z[1], pitch[1]),
		       slice[1] - 1, AMD_SDMA_XY(w - 1, h - 1), d - 1);
		good = sdma_matches(expected, s, "sub-window");
	}
	free(expected);
	return good;
}

static bool fills(void)
{
	struct navi_queue *s = navi_queue(&n, 1, true);
	uint8_t *data = (uint8_t *)navi_at(&n, NAVI_DATA), *expected = malloc(2 * SPACE);
	bool good = true;

	navi_cache_control(&n, s, NAVI_WRITE_BACK);
	memset(data, 0, 2 * SPACE);
	memset(expected, 0, 2 * SPACE);
	for (uint32_t k = 0; k < 45 && good; k++) {
		uint32_t log2 = k % 3, size = 1u << log2, count = 1 + random_word() % 5000;
		uint32_t to = random_word() % (SPACE / 4) * size, value = random_word();

		for (uint32_t i = 0; i < count; i++)
			memcpy(expected + to + i * size, &value, size);
		PACKET(&n, s, AMD_SDMA(AMD_SDMA_CONST_FILL, 0) | AMD_SDMA_FILL_SIZE(log2),
		       LOW(NAVI_DATA + to), HIGH(NAVI_DATA), value, count * size - 1);
		good = sdma_matches(expected, s, "fill");
	}
	PACKET(&n, s, AMD_SDMA(AMD_SDMA_NOP, 0) | 3 << 16, 1, 2, 3);
	PACKET(&n, s, AMD_SDMA(AMD_SDMA_GCR_REQ, 0), 0, 0, 0, 0);
	PACKET(&n, s, AMD_SDMA(AMD_SDMA_WRITE, 0), LOW(NAVI_DATA), HIGH(NAVI_DATA), 1, 0x01020304,
	       0x05060708);
	memcpy(expected, (uint32_t[]){0x01020304, 0x05060708}, 8);
	good = good && sdma_matches(expected, s, "write");
	free(expected);
	return good;
}

int main(void)
{
	navi_open(&n, true, 3);
	ok(copies(), "SDMA copies random byte ranges");
	ok(sub_windows(), "SDMA copies random three-dimensional sub-windows");
	ok(fills(), "SDMA fills memory with bytes, halves and words, and writes data");
	navi_close(&n);
	return tap_done();
}
