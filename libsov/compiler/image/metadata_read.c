// SPDX-License-Identifier: MIT
/*
 * Metadata of a code object: MessagePack, of which maps, arrays, strings and small numbers matter.
 * Keys that are not known are skipped. Source: LLVM's AMDGPU user guide, code object metadata, and
 * the MessagePack specification.
 */
#include <stdlib.h>
#include <string.h>

#include "libsov/compiler/image/code_object_read.h"

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
					0, 0, 0, 0, 0x81, 0x82, 0x84, 0, 0, 0,
					4, 8, 1, 2, 4,    8,    1,    2, 4, 8};
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

/* ---- kernels ---- */

/* One of the arguments; a hidden one of a kind that is not known stays 0. */
static const char *read_argument(struct reader *r, struct image_kernel *k)
{
	uint32_t offset = 0, size = 0, hidden = 0;
	struct string kind = {"", 0};

	for (uint32_t n = map(r); n && !r->bad; n--) {
		struct string key = string(r);

		if (is(key, ".offset"))
			offset = number(r);
		else if (is(key, ".size"))
			size = number(r);
		else if (is(key, ".value_kind"))
			kind = string(r);
		else
			skip(r, 0);
	}
	if (kind.length < 7 || memcmp(kind.p, "hidden_", 7)) {
		k->params[k->nparams++] = (struct image_param){offset, size};
		return NULL;
	}
	while (hidden < AMD_HIDDEN_COUNT && !is(kind, amd_hidden_args[hidden].kind))
		hidden++;
	if (hidden == AMD_HIDDEN_COUNT)
		return NULL;
	if (size != amd_hidden_args[hidden].bytes)
		return "a hidden argument has another size than its kind";
	k->amd.hidden[hidden] = (struct image_amd_hidden){(uint16_t)offset, (uint16_t)size};
	return offset <= UINT16_MAX ? NULL : "a hidden argument lies beyond 64 KiB";
}

static const char *read_arguments(struct reader *r, struct image_kernel *k)
{
	uint32_t n = array(r);

	/* An argument has a byte at least. */
	if (r->bad || n > (size_t)(r->end - r->p) || k->params)
		return "the list of arguments is damaged";
	k->params = calloc((size_t)n + 1, sizeof(*k->params));
	if (!k->params)
		return "no memory for the list of arguments";
	while (n--) {
		const char *wrong = read_argument(r, k);

		if (wrong || r->bad)
			return wrong ? wrong : "an argument is damaged";
	}
	return NULL;
}

static const char *read_threads(struct reader *r, struct image_kernel *k)
{
	uint64_t threads = 1;

	if (array(r) != 3)
		return "a workgroup's size has three numbers";
	for (uint32_t axis = 0; axis < 3; axis++) {
		k->required_threads[axis] = number(r);
		if (!k->required_threads[axis] || k->required_threads[axis] > 1024)
			return "a workgroup has 1 to 1024 threads along each axis";
		threads *= k->required_threads[axis];
	}
	return threads <= 1024 ? NULL : "a workgroup has 1 to 1024 threads";
}

static const char *check_arguments(struct image_kernel *k)
{
	uint32_t bytes = k->amd.kernarg_bytes;

	for (uint32_t h = 0; h < AMD_HIDDEN_COUNT; h++)
		if (k->amd.hidden[h].offset + k->amd.hidden[h].bytes > bytes)
			return "a hidden argument lies beyond the kernel's arguments";
	for (uint32_t i = 0; i < k->nparams; i++) {
		const struct image_param *p = &k->params[i];

		if (!p->size || p->size > bytes || p->offset > bytes - p->size)
			return "an argument lies beyond the kernel's arguments, or has no size";
		if (p->offset + p->size > k->param_bytes)
			k->param_bytes = p->offset + p->size;
	}
	return k->param_bytes <= IMAGE_MAX_PARAM_BYTES ? NULL
						       : "a kernel has more than 4096 bytes of "
							 "arguments";
}

static const char *read_kernel(struct reader *r, struct image_kernel *k,
			       struct amd_metadata_names *name)
{
	struct string symbol = {"", 0};
	const char *wrong = NULL;

	for (uint32_t n = map(r); n && !r->bad && !wrong; n--) {
		struct string key = string(r);

		if (is(key, ".name")) {
			struct string s = string(r);

			*name = (struct amd_metadata_names){s.p, s.length};
		} else if (is(key, ".symbol")) {
			symbol = string(r);
		} else if (is(key, ".kernarg_segment_size")) {
			k->amd.kernarg_bytes = number(r);
		} else if (is(key, ".vgpr_count")) {
			k->registers = number(r);
		} else if (is(key, ".max_flat_workgroup_size")) {
			k->max_threads = number(r);
		} else if (is(key, ".reqd_workgroup_size")) {
			wrong = read_threads(r, k);
		} else if (is(key, ".args")) {
			wrong = read_arguments(r, k);
		} else {
			skip(r, 0);
		}
	}
	if (wrong || r->bad)
		return wrong ? wrong : "a kernel is damaged";
	/* The descriptor's symbol is NAME.kd; the reader of symbols looks for that. */
	if (!name->length || symbol.length != name->length + 3 ||
	    memcmp(symbol.p, name->name, name->length) ||
	    memcmp(symbol.p + name->length, ".kd", 3) || memchr(name->name, 0, name->length))
		return "a kernel's symbol is not its name with .kd";
	if (k->registers > 256)
		return "a kernel has at most 256 vector registers";
	return check_arguments(k);
}

static const char *read_kernels(struct image *im, struct reader *r,
				struct amd_metadata_names **names)
{
	uint32_t n = array(r);

	/* A kernel has a byte at least. */
	if (r->bad || n > (size_t)(r->end - r->p) || im->kernels)
		return "the list of kernels is damaged";
	im->kernels = calloc((size_t)n + 1, sizeof(*im->kernels));
	*names = calloc((size_t)n + 1, sizeof(**names));
	if (!im->kernels || !*names)
		return "no memory for the list of kernels";
	while (n--) {
		uint32_t k = im->nkernels++;
		const char *wrong = read_kernel(r, &im->kernels[k], &(*names)[k]);

		if (wrong)
			return wrong;
	}
	return NULL;
}

bool amd_metadata_read(struct amd_object *o, const uint8_t *note, uint64_t bytes,
		       struct amd_metadata_names **names)
{
	struct reader r = {note, note + bytes, false};
	const char *wrong = NULL;

	for (uint32_t n = map(&r); n && !r.bad && !wrong; n--) {
		if (is(string(&r), "amdhsa.kernels"))
			wrong = read_kernels(o->image, &r, names);
		else
			skip(&r, 0);
	}
	if (!wrong && (r.bad || !o->image->kernels))
		wrong = "damaged, or it names no kernels";
	return wrong ? amd_object_fail(o, "metadata: %s", wrong) : true;
}
