// SPDX-License-Identifier: MIT
/*
 * Decompression of Zstandard frames after RFC 8878, into a buffer of known size; without
 * dictionaries. Checksums are skipped: an image has its own checks.
 *
 * A frame is a sequence of blocks. A compressed block has literals, often in Huffman codes, and
 * sequences of three numbers: how many literals to copy, then how many bytes from which distance.
 * The numbers are coded by finite state machines (FSE) whose bits are read backwards.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/image.h"

#define MAX_FSE_LOG     9
#define MAX_HUFFMAN_LOG 11
#define MAX_BLOCK       (128u << 10)

/* ---- bits ---- */

/* Read from the end of the data towards its start. position is the number of bits left; below 0,
 * zeros are read. */
struct bits {
	const uint8_t *data;
	int64_t position;
};

static bool bits_start(struct bits *b, const uint8_t *data, size_t bytes)
{
	unsigned top = 7;

	if (!bytes || !data[bytes - 1])
		return false;
	while (!(data[bytes - 1] >> top))
		top--;
	b->data = data;
	b->position = (int64_t)(bytes - 1) * 8 + top;
	return true;
}

static uint64_t bits_at(const struct bits *b, int64_t position, unsigned count)
{
	uint64_t value = 0;

	for (unsigned k = 0; k < count; k++) {
		int64_t at = position + k;

		if (at >= 0)
			value |= (uint64_t)(b->data[at / 8] >> at % 8 & 1) << k;
	}
	return value;
}

static uint64_t bits_read(struct bits *b, unsigned count)
{
	b->position -= count;
	return bits_at(b, b->position, count);
}

/* Forward bits, of the descriptions of tables. */
static uint32_t forward(const uint8_t *data, size_t bytes, size_t position, unsigned count)
{
	uint32_t value = 0;

	for (unsigned k = 0; k < count; k++, position++)
		if (position / 8 < bytes)
			value |= (uint32_t)(data[position / 8] >> position % 8 & 1) << k;
	return value;
}

static unsigned log2_of(uint32_t n)
{
	return 31 - (unsigned)__builtin_clz(n);
}

/* ---- finite state machines ---- */

struct fse {
	unsigned log;
	struct {
		uint8_t symbol, bits;
		uint16_t base;
	} states[1 << MAX_FSE_LOG];
};

/* Builds the table of a distribution; -1 is a probability below one. */
static bool fse_build(struct fse *t, const int16_t *counts, unsigned symbols, unsigned log)
{
	uint32_t size = 1u << log, mask = size - 1, step = (size >> 1) + (size >> 3) + 3;
	uint32_t high = size, at = 0, next[256];

	t->log = log;
	for (unsigned s = 0; s < symbols; s++) {
		next[s] = counts[s] < 0 ? 1 : (uint32_t)counts[s];
		if (counts[s] < 0)
			t->states[--high].symbol = (uint8_t)s;
	}
	for (unsigned s = 0; s < symbols; s++)
		for (int16_t k = 0; k < counts[s]; k++) {
			t->states[at].symbol = (uint8_t)s;
			do
				at = (at + step) & mask;
			while (at >= high);
		}
	if (at)
		return false;
	for (uint32_t k = 0; k < size; k++) {
		uint32_t n = next[t->states[k].symbol]++;

		t->states[k].bits = (uint8_t)(log - log2_of(n));
		t->states[k].base = (uint16_t)((n << t->states[k].bits) - size);
	}
	return true;
}

/* Reads a distribution; 0: damaged, else the bytes read. */
static size_t fse_read(struct fse *t, const uint8_t *data, size_t bytes, unsigned max_log,
		       unsigned max_symbols)
{
	unsigned log = 5 + forward(data, bytes, 0, 4), symbol = 0, repeat;
	int32_t left = (1 << log) + 1, value;
	int16_t counts[256] = {0};
	size_t at = 4;

	if (log > max_log)
		return 0;
	while (left > 1 && symbol < max_symbols) {
		unsigned n = log2_of((uint32_t)left) + 1;
		int32_t max = (1 << n) - 1 - left, low = (1 << (n - 1)) - 1;

		value = (int32_t)forward(data, bytes, at, n);
		if ((value & low) < max) {
			value &= low;
			at += n - 1;
		} else {
			if (value > low)
				value -= max;
			at += n;
		}
		counts[symbol++] = (int16_t)(value - 1);
		left -= value - 1 < 0 ? 1 : value - 1;
		if (value != 1)
			continue;
		do {
			repeat = forward(data, bytes, at, 2);
			at += 2;
			symbol += repeat;
		} while (repeat == 3 && symbol < max_symbols);
	}
	if (left != 1 || symbol > max_symbols || (at + 7) / 8 > bytes)
		return 0;
	return fse_build(t, counts, symbol, log) ? (at + 7) / 8 : 0;
}

static void fse_single(struct fse *t, uint8_t symbol)
{
	memset(t, 0, sizeof(*t));
	t->states[0].symbol = symbol;
}

static uint32_t fse_next(const struct fse *t, uint32_t state, struct bits *b)
{
	return t->states[state].base + (uint32_t)bits_read(b, t->states[state].bits);
}

/* ---- Huffman codes ---- */

struct huffman {
	unsigned log;
	struct {
		uint8_t symbol, bits;
	} codes[1 << MAX_HUFFMAN_LOG];
};

/* The weight of the last symbol follows from the others. */
static bool huffman_build(struct huffman *h, uint8_t *weights, unsigned count)
{
	uint32_t total = 0, left, at = 0;

	for (unsigned k = 0; k < count; k++) {
		if (weights[k] > MAX_HUFFMAN_LOG)
			return false;
		total += weights[k] ? 1u << (weights[k] - 1) : 0;
	}
	if (!total || count > 255)
		return false;
	h->log = log2_of(total) + 1;
	left = (1u << h->log) - total;
	if (h->log > MAX_HUFFMAN_LOG || left & (left - 1))
		return false;
	weights[count++] = (uint8_t)(log2_of(left) + 1);
	for (unsigned w = 1; w <= h->log; w++)
		for (unsigned s = 0; s < count; s++) {
			if (weights[s] != w)
				continue;
			for (uint32_t k = 0; k < 1u << (w - 1); k++, at++) {
				h->codes[at].symbol = (uint8_t)s;
				h->codes[at].bits = (uint8_t)(h->log + 1 - w);
			}
		}
	return at == 1u << h->log;
}

/* Weights that two interleaved state machines code. */
static bool weights_read(const uint8_t *data, size_t bytes, uint8_t *weights, unsigned *count)
{
	struct fse t;
	size_t used = fse_read(&t, data, bytes, 6, 13);
	uint32_t state[2];
	struct bits b;
	unsigned n = 0;

	if (!used || !bits_start(&b, data + used, bytes - used))
		return false;
	state[0] = (uint32_t)bits_read(&b, t.log);
	state[1] = (uint32_t)bits_read(&b, t.log);
	for (;; n++) {
		uint32_t *s = &state[n & 1];

		if (n >= 254)
			return false;
		weights[n] = t.states[*s].symbol;
		if (b.position < t.states[*s].bits) {
			weights[n + 1] = t.states[state[(n + 1) & 1]].symbol;
			*count = n + 2;
			return true;
		}
		*s = fse_next(&t, *s, &b);
	}
}

static size_t huffman_read(struct huffman *h, const uint8_t *data, size_t bytes)
{
	uint8_t weights[256] = {0};
	unsigned count;
	size_t used;

	if (!bytes)
		return 0;
	if (data[0] < 128) {
		used = 1 + (size_t)data[0];
		if (used > bytes || !weights_read(data + 1, data[0], weights, &count))
			return 0;
	} else {
		count = data[0] - 127u;
		used = 1 + (count + 1) / 2;
		if (used > bytes)
			return 0;
		for (unsigned k = 0; k < count; k++)
			weights[k] = k & 1 ? data[1 + k / 2] & 15 : data[1 + k / 2] >> 4;
	}
	return huffman_build(h, weights, count) ? used : 0;
}

static bool huffman_decode(const struct huffman *h, const uint8_t *data, size_t bytes, uint8_t *out,
			   size_t count)
{
	struct bits b;

	if (!bits_start(&b, data, bytes))
		return false;
	for (size_t k = 0; k < count; k++) {
		uint64_t code = bits_at(&b, b.position - h->log, h->log);

		out[k] = h->codes[code].symbol;
		b.position -= h->codes[code].bits;
	}
	return b.position == 0;
}

/* ---- blocks ---- */

struct decoder {
	uint8_t *out;
	size_t at, room;
	struct huffman huffman;
	bool has_huffman, has_tables[3];
	struct fse tables[3]; /* literal lengths, offsets, match lengths */
	uint32_t repeats[3];
	uint8_t literals[MAX_BLOCK];
	size_t literal_count;
};

/* Four streams, each of which has a quarter of the literals. */
static bool four_streams(struct decoder *d, const uint8_t *p, size_t bytes)
{
	size_t each = (d->literal_count + 3) / 4, done = 0;
	size_t sizes[4];

	if (bytes < 6 || each * 3 > d->literal_count)
		return false;
	sizes[3] = bytes - 6;
	for (unsigned k = 0; k < 3; k++) {
		sizes[k] = p[2 * k] | (size_t)p[2 * k + 1] << 8;
		if (sizes[k] > sizes[3])
			return false;
		sizes[3] -= sizes[k];
	}
	p += 6;
	for (unsigned k = 0; k < 4; k++) {
		size_t n = k < 3 ? each : d->literal_count - done;

		if (!huffman_decode(&d->huffman, p, sizes[k], d->literals + done, n))
			return false;
		p += sizes[k];
		done += n;
	}
	return true;
}

static size_t coded_literals(struct decoder *d, const uint8_t *p, size_t bytes)
{
	unsigned kind = p[0] & 3, format = p[0] >> 2 & 3;
	unsigned bits = format == 3 ? 18 : format == 2 ? 14 : 10;
	size_t header = format == 3 ? 5 : format == 2 ? 4 : 3, size, used = 0;
	bool good;

	if (bytes < header)
		return 0;
	d->literal_count = forward(p, header, 4, bits);
	size = forward(p, header, 4 + bits, bits);
	if (d->literal_count > MAX_BLOCK || size > bytes - header)
		return 0;
	if (kind == 2) {
		used = huffman_read(&d->huffman, p + header, size);
		d->has_huffman = used != 0;
	}
	if (!d->has_huffman)
		return 0;
	p += header + used;
	good = format ? four_streams(d, p, size - used)
		      : huffman_decode(&d->huffman, p, size - used, d->literals, d->literal_count);
	return good ? header + size : 0;
}

/* Fills d->literals; 0: damaged, else the bytes read. */
static size_t read_literals(struct decoder *d, const uint8_t *p, size_t bytes)
{
	unsigned format;
	size_t header;

	if (!bytes)
		return 0;
	if ((p[0] & 3) >= 2)
		return coded_literals(d, p, bytes);
	format = p[0] >> 2 & 3;
	header = format == 1 ? 2 : format == 3 ? 3 : 1;
	if (bytes < header)
		return 0;
	d->literal_count = format == 1   ? forward(p, header, 4, 12)
			   : format == 3 ? forward(p, header, 4, 20)
					 : p[0] >> 3;
	if (d->literal_count > MAX_BLOCK)
		return 0;
	if (p[0] & 1) {
		if (bytes < header + 1)
			return 0;
		memset(d->literals, p[header], d->literal_count);
		return header + 1;
	}
	if (d->literal_count > bytes - header)
		return 0;
	memcpy(d->literals, p + header, d->literal_count);
	return header + d->literal_count;
}

static const uint32_t length_base[36] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,   9,   10,  11,   12,   13,   14,   15,    16,    18,
	20, 22, 24, 28, 32, 40, 48, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
static const uint8_t length_bits[36] = {0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  0,  0,
					0, 0, 0, 0, 1, 1,  1,  1,  2,  2,  3,  3,
					4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const uint32_t match_base[53] = {
	3,  4,  5,  6,  7,  8,  9,  10,  11,  12,  13,   14,   15,   16,   17,    18,    19,   20,
	21, 22, 23, 24, 25, 26, 27, 28,  29,  30,  31,   32,   33,   34,   35,    37,    39,   41,
	43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051, 4099, 8195, 16387, 32771, 65539};
static const uint8_t match_bits[53] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  0,  0, 0,
				       0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  1,  1,  1, 1,
				       2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

/* The distributions that a block need not describe. */
static const int16_t default_lengths[36] = {4, 3, 2, 2, 2, 2, 2, 2, 2,  2,  2,  2,
					    2, 1, 1, 1, 2, 2, 2, 2, 2,  2,  2,  2,
					    2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
static const int16_t default_offsets[29] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
					    1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};
static const int16_t default_matches[53] = {
	1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};

static const struct {
	const int16_t *counts;
	unsigned symbols, default_log, max_log;
} kinds[3] = {
	{default_lengths, 36, 6, 9},
	{default_offsets, 32, 5, 8},
	{default_matches, 53, 6, 9},
};

static bool read_table(struct decoder *d, unsigned k, unsigned mode, const uint8_t **p,
		       const uint8_t *end)
{
	size_t used = 0;

	switch (mode) {
	case 0:
		d->has_tables[k] = fse_build(&d->tables[k], kinds[k].counts,
					     k == 1 ? 29 : kinds[k].symbols, kinds[k].default_log);
		return d->has_tables[k];
	case 1:
		if (*p == end || **p >= kinds[k].symbols)
			return false;
		fse_single(&d->tables[k], *(*p)++);
		d->has_tables[k] = true;
		return true;
	case 2:
		used = fse_read(&d->tables[k], *p, (size_t)(end - *p), kinds[k].max_log,
				kinds[k].symbols);
		*p += used;
		d->has_tables[k] = used != 0;
		return used != 0;
	default:
		return d->has_tables[k];
	}
}

/* Offsets 1 to 3 name earlier ones. */
static uint32_t offset_of(struct decoder *d, uint64_t code, uint32_t literals)
{
	uint32_t *r = d->repeats, offset;
	unsigned k;

	if (code > 3) {
		r[2] = r[1];
		r[1] = r[0];
		return r[0] = (uint32_t)(code - 3);
	}
	k = (unsigned)code - 1 + !literals;
	offset = k < 3 ? r[k] : r[0] - 1;
	if (k > 1)
		r[2] = r[1];
	if (k)
		r[1] = r[0];
	return r[0] = offset;
}

static bool put_literals(struct decoder *d, size_t *from, size_t count)
{
	if (count > d->literal_count - *from || count > d->room - d->at)
		return false;
	memcpy(d->out + d->at, d->literals + *from, count);
	*from += count;
	d->at += count;
	return true;
}

static bool put_match(struct decoder *d, uint32_t offset, size_t count)
{
	if (!offset || offset > d->at || count > d->room - d->at)
		return false;
	for (; count; count--, d->at++)
		d->out[d->at] = d->out[d->at - offset];
	return true;
}

static bool run_sequences(struct decoder *d, struct bits *b, unsigned count)
{
	const struct fse *t = d->tables;
	uint32_t s[3];
	size_t used = 0;

	for (unsigned k = 0; k < 3; k++)
		s[k] = (uint32_t)bits_read(b, t[k].log);
	while (count--) {
		unsigned l = t[0].states[s[0]].symbol, o = t[1].states[s[1]].symbol;
		unsigned m = t[2].states[s[2]].symbol;
		uint64_t offset = (UINT64_C(1) << o) + bits_read(b, o);
		size_t match = match_base[m] + (size_t)bits_read(b, match_bits[m]);
		uint32_t literals = length_base[l] + (uint32_t)bits_read(b, length_bits[l]);

		if (!put_literals(d, &used, literals) ||
		    !put_match(d, offset_of(d, offset, literals), match))
			return false;
		if (!count)
			break;
		s[0] = fse_next(&t[0], s[0], b);
		s[2] = fse_next(&t[2], s[2], b);
		s[1] = fse_next(&t[1], s[1], b);
		if (b->position < 0)
			return false;
	}
	return put_literals(d, &used, d->literal_count - used);
}

static bool compressed_block(struct decoder *d, const uint8_t *p, size_t bytes)
{
	const uint8_t *end = p + bytes;
	size_t used = read_literals(d, p, bytes), none = 0;
	unsigned count, modes;
	struct bits b;

	p += used;
	if (!used || p == end)
		return false;
	count = *p++;
	if (!count)
		return p == end && put_literals(d, &none, d->literal_count);
	if (count >= 128) {
		if (end - p < (count == 255 ? 2 : 1))
			return false;
		if (count == 255) {
			count = p[0] + ((unsigned)p[1] << 8) + 0x7f00;
			p += 2;
		} else {
			count = ((count - 128) << 8) + *p++;
		}
	}
	if (p == end)
		return false;
	modes = *p++;
	for (unsigned k = 0; k < 3; k++)
		if (!read_table(d, k, modes >> (6 - 2 * k) & 3, &p, end))
			return false;
	return bits_start(&b, p, (size_t)(end - p)) && run_sequences(d, &b, count);
}

/* ---- frames ---- */

/* The bytes of the frame's header; 0: not a frame, or one with a dictionary. */
static size_t frame_header(const uint8_t *p, size_t bytes)
{
	static const uint8_t dictionary[4] = {0, 1, 2, 4}, content[4] = {0, 2, 4, 8};
	unsigned single, size;

	if (bytes < 6 || p[0] != 0x28 || p[1] != 0xb5 || p[2] != 0x2f || p[3] != 0xfd)
		return 0;
	single = p[4] >> 5 & 1;
	size = content[p[4] >> 6];
	if (p[4] & 8 || p[4] & 3)
		return 0;
	if (single && !size)
		size = 1;
	return 5 + !single + dictionary[p[4] & 3] + size;
}

static bool run_blocks(struct decoder *d, const uint8_t *p, size_t bytes)
{
	for (unsigned last = 0; !last;) {
		uint32_t head, size, kind;

		if (bytes < 3)
			return false;
		head = p[0] | p[1] << 8 | p[2] << 16;
		last = head & 1;
		kind = head >> 1 & 3;
		size = head >> 3;
		p += 3;
		bytes -= 3;
		if (kind == 1) {
			if (!bytes || size > d->room - d->at)
				return false;
			memset(d->out + d->at, *p, size);
			d->at += size;
			size = 1;
		} else if (size > bytes || kind == 3) {
			return false;
		} else if (kind == 0) {
			if (size > d->room - d->at)
				return false;
			memcpy(d->out + d->at, p, size);
			d->at += size;
		} else if (!compressed_block(d, p, size)) {
			return false;
		}
		p += size;
		bytes -= size;
	}
	return true;
}

size_t cuda_zstd(const uint8_t *in, size_t in_bytes, uint8_t *out, size_t out_bytes)
{
	size_t header = frame_header(in, in_bytes), done = 0;
	struct decoder *d;

	if (!header || header > in_bytes)
		return 0;
	d = calloc(1, sizeof(*d));
	if (!d)
		return 0;
	d->out = out;
	d->room = out_bytes;
	d->repeats[0] = 1;
	d->repeats[1] = 4;
	d->repeats[2] = 8;
	if (run_blocks(d, in + header, in_bytes - header))
		done = d->at;
	free(d);
	return done;
}
