// SPDX-License-Identifier: MIT
/*
 * Metadata of a code object: MessagePack, of which maps, arrays, strings and small numbers matter.
 * Keys that are not known are skipped. Source: LLVM's AMDGPU user guide, code object metadata, and
 * the MessagePack specification.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libsov/compiler/amd/code_object.h"

#define DEPTH 16

struct reader {
	const uint8_t *p, *end;
	bool bad;
};

struct string {
	const char *p;
	uint32_t length;
};

static uint64_t bytes(struct reader *r, uint32_t n)
{
	uint64_t v = 0;

	if (r->bad || (size_t)(r->end - r->p) < n) {
		r->bad = true;
		return 0;
	}
	while (n--)
		v = v << 8 | *r->p++;
	return v;
}

/* Elements of an array or pairs of a map. small: the tag of short ones, big: of 16 bits. */
static uint32_t count(struct reader *r, uint8_t small, uint8_t big)
{
	uint8_t tag = (uint8_t)bytes(r, 1);

	if ((tag & 0xf0) == small)
		return tag & 15;
	if (tag == big)
		return (uint32_t)bytes(r, 2);
	if (tag == big + 1)
		return (uint32_t)bytes(r, 4);
	r->bad = true;
	return 0;
}

static uint32_t map(struct reader *r)
{
	return count(r, 0x80, 0xde);
}

static uint32_t array(struct reader *r)
{
	return count(r, 0x90, 0xdc);
}

static struct string string(struct reader *r)
{
	uint8_t tag = (uint8_t)bytes(r, 1);
	struct string s = {"", 0};

	if ((tag & 0xe0) == 0xa0)
		s.length = tag & 31;
	else if (tag >= 0xd9 && tag <= 0xdb)
		s.length = (uint32_t)bytes(r, 1u << (tag - 0xd9));
	else
		r->bad = true;
	if (r->bad || (size_t)(r->end - r->p) < s.length) {
		r->bad = true;
		return (struct string){"", 0};
	}
	s.p = (const char *)r->p;
	r->p += s.length;
	return s;
}

static uint32_t number(struct reader *r)
{
	uint8_t tag = (uint8_t)bytes(r, 1);
	uint64_t v = tag;

	if (tag >= 0xcc && tag <= 0xcf)
		v = bytes(r, 1u << (tag - 0xcc));
	else if (tag > 0x7f)
		r->bad = true;
	if (v > UINT32_MAX)
		r->bad = true;
	return r->bad ? 0 : (uint32_t)v;
}

static void skip(struct reader *r, uint32_t depth)
{
	static const uint8_t fixed[] = {/* c0: nil … bool, bin, ext, float, numbers, ext, str */
		0, 0, 0, 0, 0x81, 0x82, 0x84, 0, 0, 0, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8};
	uint8_t tag = r->p < r->end ? *r->p : 0;
	uint32_t n;

	if (depth > DEPTH)
		r->bad = true;
	if (r->bad)
		return;
	if ((tag & 0xf0) == 0x80 || tag == 0xde || tag == 0xdf) {
		for (n = map(r); n && !r->bad; n--) {
			skip(r, depth + 1);
			skip(r, depth + 1);
		}
	} else if ((tag & 0xf0) == 0x90 || tag == 0xdc || tag == 0xdd) {
		for (n = array(r); n && !r->bad; n--)
			skip(r, depth + 1);
	} else if ((tag & 0xe0) == 0xa0 || (tag >= 0xd9 && tag <= 0xdb)) {
		string(r);
	} else {
		bytes(r, 1);
		if (tag < 0x80 || tag >= 0xe0)
			return;
		if (tag >= 0xc7 && tag <= 0xc9) { /* extensions: none are used here */
			r->bad = true;
			return;
		}
		n = tag >= 0xc0 && tag - 0xc0u < sizeof(fixed) ? fixed[tag - 0xc0] : 0;
		if (tag >= 0xd4 && tag <= 0xd8)
			r->bad = true;
		if (n & 0x80) {
			n = (uint32_t)bytes(r, n & 0x7f);
			if ((size_t)(r->end - r->p) < n)
				r->bad = true;
			else
				r->p += n;
		} else {
			bytes(r, n);
		}
	}
}

static bool is(struct string s, const char *name)
{
	return s.length == strlen(name) && !memcmp(s.p, name, s.length);
}

static void read_argument(struct reader *r, struct amd_argument *a)
{
	for (uint32_t n = map(r); n && !r->bad; n--) {
		struct string key = string(r);

		if (is(key, ".offset")) {
			a->offset = number(r);
		} else if (is(key, ".size")) {
			a->bytes = number(r);
		} else if (is(key, ".value_kind")) {
			struct string kind = string(r);

			a->hidden = kind.length > 7 && !memcmp(kind.p, "hidden_", 7);
		} else {
			skip(r, 0);
		}
	}
}

static const char *read_kernel(struct reader *r, struct amd_kernel *k, struct string *symbol)
{
	for (uint32_t n = map(r); n && !r->bad; n--) {
		struct string key = string(r);

		if (is(key, ".name")) {
			struct string name = string(r);

			if (!name.length || name.length >= sizeof(k->name))
				return "metadata: a kernel's name has 1 to 255 characters";
			snprintf(k->name, sizeof(k->name), "%.*s", (int)name.length, name.p);
		} else if (is(key, ".symbol")) {
			*symbol = string(r);
		} else if (is(key, ".kernarg_segment_size")) {
			k->kernarg_bytes = number(r);
		} else if (is(key, ".args")) {
			k->arguments_count = array(r);
			if (k->arguments_count > AMD_MAX_ARGUMENTS)
				return "metadata: a kernel has more arguments than 64";
			for (uint32_t i = 0; i < k->arguments_count; i++)
				read_argument(r, &k->arguments[i]);
		} else {
			skip(r, 0);
		}
	}
	for (uint32_t i = 0; i < k->arguments_count; i++)
		if (k->arguments[i].bytes > k->kernarg_bytes ||
		    k->arguments[i].offset > k->kernarg_bytes - k->arguments[i].bytes)
			return "metadata: an argument lies beyond the kernel's arguments";
	return r->bad || !symbol->length || !k->name[0]
		       ? "metadata: a kernel without name or symbol"
		       : NULL;
}

static const char *read_kernels(struct amd_object *o, struct reader *r)
{
	uint32_t n = array(r);

	if (r->bad || n > o->size / 64 || o->kernels)
		return "metadata: the list of kernels is damaged";
	o->kernels = calloc(n ? n : 1, sizeof(*o->kernels));
	if (!o->kernels)
		return "no memory for the list of kernels";
	for (uint32_t i = 0; i < n; i++) {
		struct string symbol = {"", 0};
		struct amd_kernel *k = &o->kernels[i];
		const char *wrong = read_kernel(r, k, &symbol);

		if (wrong)
			return wrong;
		/* The descriptor's symbol is NAME.kd; the reader of symbols looks for that. */
		if (symbol.length != strlen(k->name) + 3 ||
		    memcmp(symbol.p, k->name, strlen(k->name)) ||
		    memcmp(symbol.p + symbol.length - 3, ".kd", 3))
			return "metadata: a kernel's symbol is not its name with .kd";
		o->kernels_count = i + 1;
	}
	return NULL;
}

const char *amd_metadata_read(struct amd_object *o, const uint8_t *data, size_t size)
{
	struct reader r = {data, data + size, false};

	for (uint32_t n = map(&r); n && !r.bad; n--) {
		if (is(string(&r), "amdhsa.kernels")) {
			const char *wrong = read_kernels(o, &r);

			if (wrong)
				return wrong;
		} else {
			skip(&r, 0);
		}
	}
	return r.bad || !o->kernels ? "metadata: damaged, or it names no kernels" : NULL;
}
