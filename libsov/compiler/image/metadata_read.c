// SPDX-License-Identifier: MIT
/*
 * AMD code object reader: the metadata note, which is MessagePack. The reader decodes maps, arrays,
 * strings and unsigned integers and skips unknown keys. Source: LLVM's AMDGPU user guide, code
 * object metadata, and the MessagePack specification.
 */
#include <stdlib.h>
#include <string.h>

#include "libsov/compiler/image/code_object_read.h"

#define MAX_DEPTH 16

struct msgpack {
	const uint8_t *p, *end;
	bool bad;
};

struct msgpack_string {
	const char *p;
	uint32_t length;
};

static uint64_t msgpack_uint(struct msgpack *reader, uint32_t n)
{
	uint64_t v = 0;

	if (reader->bad || (size_t)(reader->end - reader->p) < n) {
		reader->bad = true;
		return 0;
	}
	while (n--)
		v = v << 8 | *reader->p++;
	return v;
}

/* The element count of an array or map. small: tag of the short form, big: of the 16-bit form. */
static uint32_t msgpack_count(struct msgpack *reader, uint8_t small, uint8_t big)
{
	uint8_t tag = (uint8_t)msgpack_uint(reader, 1);

	if ((tag & 0xf0) == small)
		return tag & 15;
	if (tag == big)
		return (uint32_t)msgpack_uint(reader, 2);
	if (tag == big + 1)
		return (uint32_t)msgpack_uint(reader, 4);
	reader->bad = true;
	return 0;
}

static uint32_t msgpack_map(struct msgpack *reader)
{
	return msgpack_count(reader, 0x80, 0xde);
}

static uint32_t msgpack_array(struct msgpack *reader)
{
	return msgpack_count(reader, 0x90, 0xdc);
}

static struct msgpack_string msgpack_string(struct msgpack *reader)
{
	uint8_t tag = (uint8_t)msgpack_uint(reader, 1);
	struct msgpack_string s = {"", 0};

	if ((tag & 0xe0) == 0xa0)
		s.length = tag & 31;
	else if (tag >= 0xd9 && tag <= 0xdb)
		s.length = (uint32_t)msgpack_uint(reader, 1u << (tag - 0xd9));
	else
		reader->bad = true;
	if (reader->bad || (size_t)(reader->end - reader->p) < s.length) {
		reader->bad = true;
		return (struct msgpack_string){"", 0};
	}
	s.p = (const char *)reader->p;
	reader->p += s.length;
	return s;
}

static uint32_t msgpack_number(struct msgpack *reader)
{
	uint8_t tag = (uint8_t)msgpack_uint(reader, 1);
	uint64_t v = tag;

	if (tag >= 0xcc && tag <= 0xcf)
		v = msgpack_uint(reader, 1u << (tag - 0xcc));
	else if (tag > 0x7f)
		reader->bad = true;
	if (v > UINT32_MAX)
		reader->bad = true;
	return reader->bad ? 0 : (uint32_t)v;
}

static void msgpack_skip(struct msgpack *reader, uint32_t depth)
{
	static const uint8_t fixed[] = {/* from tag c0 on: nil, bool, bin, ext, float, int */
					0, 0, 0, 0, 0x81, 0x82, 0x84, 0, 0, 0,
					4, 8, 1, 2, 4,    8,    1,    2, 4, 8};
	uint8_t tag = reader->p < reader->end ? *reader->p : 0;
	uint32_t n;

	if (depth > MAX_DEPTH)
		reader->bad = true;
	if (reader->bad)
		return;
	if ((tag & 0xf0) == 0x80 || tag == 0xde || tag == 0xdf) {
		for (n = msgpack_map(reader); n && !reader->bad; n--) {
			msgpack_skip(reader, depth + 1);
			msgpack_skip(reader, depth + 1);
		}
	} else if ((tag & 0xf0) == 0x90 || tag == 0xdc || tag == 0xdd) {
		for (n = msgpack_array(reader); n && !reader->bad; n--)
			msgpack_skip(reader, depth + 1);
	} else if ((tag & 0xe0) == 0xa0 || (tag >= 0xd9 && tag <= 0xdb)) {
		msgpack_string(reader);
	} else {
		msgpack_uint(reader, 1);
		if (tag < 0x80 || tag >= 0xe0)
			return;
		if (tag >= 0xc7 && tag <= 0xc9) { /* extensions: none are used here */
			reader->bad = true;
			return;
		}
		n = tag >= 0xc0 && tag - 0xc0u < sizeof(fixed) ? fixed[tag - 0xc0] : 0;
		if (tag >= 0xd4 && tag <= 0xd8)
			reader->bad = true;
		if (n & 0x80) {
			n = (uint32_t)msgpack_uint(reader, n & 0x7f);
			if ((size_t)(reader->end - reader->p) < n)
				reader->bad = true;
			else
				reader->p += n;
		} else {
			msgpack_uint(reader, n);
		}
	}
}

static bool string_is(struct msgpack_string s, const char *name)
{
	return s.length == strlen(name) && !memcmp(s.p, name, s.length);
}

/* ---- kernels ---- */

/* Hidden arguments of unknown kinds are ignored: the runtime leaves them 0. */
static const char *read_argument(struct msgpack *reader, struct image_kernel *k)
{
	uint32_t offset = 0, size = 0, hidden = 0;
	struct msgpack_string kind = {"", 0};

	for (uint32_t n = msgpack_map(reader); n && !reader->bad; n--) {
		struct msgpack_string key = msgpack_string(reader);

		if (string_is(key, ".offset"))
			offset = msgpack_number(reader);
		else if (string_is(key, ".size"))
			size = msgpack_number(reader);
		else if (string_is(key, ".value_kind"))
			kind = msgpack_string(reader);
		else
			msgpack_skip(reader, 0);
	}
	if (kind.length < 7 || memcmp(kind.p, "hidden_", 7)) {
		k->params[k->nparams++] = (struct image_param){offset, size};
		return NULL;
	}
	while (hidden < AMD_HIDDEN_COUNT && !string_is(kind, amd_hidden_args[hidden].kind))
		hidden++;
	if (hidden == AMD_HIDDEN_COUNT)
		return NULL;
	if (size != amd_hidden_args[hidden].bytes)
		return "a hidden argument has another size than its kind";
	amd_kernel_data(k)->hidden[hidden] =
		(struct image_amd_hidden){(uint16_t)offset, (uint16_t)size};
	return offset <= UINT16_MAX ? NULL : "a hidden argument lies beyond 64 KiB";
}

static const char *read_arguments(struct msgpack *reader, struct image_kernel *k)
{
	uint32_t n = msgpack_array(reader);

	/* Each argument takes at least one byte. */
	if (reader->bad || n > (size_t)(reader->end - reader->p) || k->params)
		return "the list of arguments is damaged";
	k->params = calloc((size_t)n + 1, sizeof(*k->params));
	if (!k->params)
		return "no memory for the list of arguments";
	while (n--) {
		const char *error = read_argument(reader, k);

		if (error || reader->bad)
			return error ? error : "an argument is damaged";
	}
	return NULL;
}

static const char *read_threads(struct msgpack *reader, struct image_kernel *k)
{
	uint64_t threads = 1;

	if (msgpack_array(reader) != 3)
		return "a workgroup's size has three numbers";
	for (uint32_t axis = 0; axis < 3; axis++) {
		k->required_threads[axis] = msgpack_number(reader);
		if (!k->required_threads[axis] || k->required_threads[axis] > 1024)
			return "a workgroup has 1 to 1024 threads along each axis";
		threads *= k->required_threads[axis];
	}
	return threads <= 1024 ? NULL : "a workgroup has 1 to 1024 threads";
}

static const char *check_arguments(struct image_kernel *k)
{
	const struct image_amd_kernel *amd = image_amd_kernel(k);
	uint32_t bytes = amd->kernarg_bytes;

	for (uint32_t h = 0; h < AMD_HIDDEN_COUNT; h++)
		if (amd->hidden[h].offset + amd->hidden[h].bytes > bytes)
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

static const char *read_kernel(struct msgpack *reader, struct image_kernel *k,
			       struct amd_metadata_name *name)
{
	struct msgpack_string symbol = {"", 0};
	const char *error = NULL;

	for (uint32_t n = msgpack_map(reader); n && !reader->bad && !error; n--) {
		struct msgpack_string key = msgpack_string(reader);

		if (string_is(key, ".name")) {
			struct msgpack_string s = msgpack_string(reader);

			*name = (struct amd_metadata_name){s.p, s.length};
		} else if (string_is(key, ".symbol")) {
			symbol = msgpack_string(reader);
		} else if (string_is(key, ".kernarg_segment_size")) {
			amd_kernel_data(k)->kernarg_bytes = msgpack_number(reader);
		} else if (string_is(key, ".vgpr_count")) {
			k->registers = msgpack_number(reader);
		} else if (string_is(key, ".max_flat_workgroup_size")) {
			k->max_threads = msgpack_number(reader);
		} else if (string_is(key, ".reqd_workgroup_size")) {
			error = read_threads(reader, k);
		} else if (string_is(key, ".args")) {
			error = read_arguments(reader, k);
		} else {
			msgpack_skip(reader, 0);
		}
	}
	if (error || reader->bad)
		return error ? error : "a kernel is damaged";
	/* code_object_read.c looks for the descriptor's symbol NAME.kd. */
	if (!name->length || symbol.length != name->length + 3 ||
	    memcmp(symbol.p, name->name, name->length) ||
	    memcmp(symbol.p + name->length, ".kd", 3) || memchr(name->name, 0, name->length))
		return "a kernel's symbol is not its name with .kd";
	if (k->registers > 256)
		return "a kernel has at most 256 vector registers";
	return check_arguments(k);
}

static const char *read_kernels(struct image *im, struct msgpack *reader,
				struct amd_metadata_name **names)
{
	struct image_amd_kernel *vendor;
	uint32_t n = msgpack_array(reader);

	/* Each kernel takes at least one byte. */
	if (reader->bad || n > (size_t)(reader->end - reader->p) || im->kernels)
		return "the list of kernels is damaged";
	im->kernels = calloc((size_t)n + 1, sizeof(*im->kernels));
	im->vendor = vendor = calloc((size_t)n + 1, sizeof(*vendor));
	*names = calloc((size_t)n + 1, sizeof(**names));
	if (!im->kernels || !im->vendor || !*names)
		return "no memory for the list of kernels";
	while (n--) {
		uint32_t k = im->nkernels++;
		const char *error;

		im->kernels[k].vendor = &vendor[k];
		error = read_kernel(reader, &im->kernels[k], &(*names)[k]);

		if (error)
			return error;
	}
	return NULL;
}

bool amd_metadata_read(struct amd_object *o, const uint8_t *note, uint64_t bytes,
		       struct amd_metadata_name **names)
{
	struct msgpack reader = {note, note + bytes, false};
	const char *error = NULL;

	for (uint32_t n = msgpack_map(&reader); n && !reader.bad && !error; n--) {
		if (string_is(msgpack_string(&reader), "amdhsa.kernels"))
			error = read_kernels(o->image, &reader, names);
		else
			msgpack_skip(&reader, 0);
	}
	if (!error && (reader.bad || !o->image->kernels))
		error = "damaged, or it names no kernels";
	return error ? amd_object_fail(o, "metadata: %s", error) : true;
}
