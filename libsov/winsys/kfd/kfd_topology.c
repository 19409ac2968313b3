// SPDX-License-Identifier: MIT
/*
 * The topology of amdkfd in sysfs. A node's properties are lines of a name and a decimal number.
 * Unknown names are passed over, since each kernel adds some; of those that libsov uses, each may
 * occur once and has a largest plausible value, because sizes of memory are computed from them.
 *
 * Sizes of a compute queue's save area are properties since Linux 6.12. Older kernels leave them to
 * the library, which computes them as ROCR-Runtime does (libhsakmt, queues.c,
 * update_ctx_save_restore_size).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "hw/chips.h"
#include "libsov/winsys/kfd/kfd.h"

/* gfx1031 is 100301 in the topology: major * 10000 + minor * 100 + step. */
#define CHIP(chip_, title_, gfx, ...) \
	{(gfx) / 100 * 10000 + (gfx) / 10 % 10 * 100 + (gfx) % 10, #chip_, title_},
static const struct kfd_chip chips[] = {SOV_AMD_CHIPS(CHIP)};

const struct kfd_chip *kfd_chip_find(uint64_t gfx_version)
{
	size_t i;

	for (i = 0; i < sizeof(chips) / sizeof(*chips); i++)
		if (chips[i].gfx_version == gfx_version)
			return &chips[i];
	return NULL;
}

/* ---- text ---- */

struct key {
	const char *name;
	size_t offset;
	uint64_t max;
};
#define NODE(name, member, max) {name, offsetof(struct kfd_node, member), max}
static const struct key node_keys[] = {
	NODE("simd_count", simd_count, 8192),
	NODE("simd_per_cu", simd_per_cu, 8),
	NODE("max_waves_per_simd", max_waves_per_simd, 64),
	NODE("lds_size_in_kb", lds_kib, 1024),
	NODE("wave_front_size", wave_lanes, 64),
	NODE("array_count", arrays, 256),
	NODE("simd_arrays_per_engine", arrays_per_engine, 16),
	NODE("num_xcc", xccs, 64),
	NODE("gfx_target_version", gfx_version, 999999),
	NODE("vendor_id", vendor_id, UINT16_MAX),
	NODE("device_id", device_id, UINT16_MAX),
	NODE("location_id", location_id, UINT16_MAX),
	NODE("domain", domain, UINT32_MAX),
	NODE("drm_render_minor", render_minor, 1 << 20),
	NODE("num_sdma_engines", sdma_engines, 256),
	NODE("cwsr_size", save_bytes, 1u << 30),
	NODE("ctl_stack_size", control_stack_bytes, 1u << 24),
};
#define BANK(name, member, max) {name, offsetof(struct kfd_bank, member), max}
static const struct key bank_keys[] = {
	BANK("heap_type", heap_type, 64),
	BANK("size_in_bytes", bytes, UINT64_C(1) << 44),
};
#define MAX_KEYS 32

__attribute__((format(printf, 3, 4))) static bool reject(char *message, size_t bytes,
							 const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, bytes, fmt, ap);
	va_end(ap);
	return false;
}

/* Reads decimal digits up to end, which must all be digits. */
static bool read_number(const char *text, const char *end, uint64_t *out)
{
	uint64_t value = 0;

	if (text == end)
		return false;
	for (; text < end; text++) {
		uint64_t digit = (uint64_t)(*text - '0');

		if (*text < '0' || *text > '9' || value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*out = value;
	return true;
}

bool kfd_number_parse(const char *text, size_t bytes, uint64_t *out)
{
	const char *end = text + bytes;

	if (end > text && end[-1] == '\n')
		end--;
	return read_number(text, end, out);
}

static bool parse_line(const struct key *keys, size_t count, const char *line, const char *end,
		       uint32_t *seen, void *out, char *message, size_t message_bytes)
{
	const char *space = memchr(line, ' ', (size_t)(end - line));
	int length = end - line < 60 ? (int)(end - line) : 60;
	uint64_t value;
	size_t i;

	if (!space || space == line || !read_number(space + 1, end, &value))
		return reject(message, message_bytes, "'%.*s' is not a name and a number", length,
			      line);
	for (i = 0; i < count; i++)
		if (strlen(keys[i].name) == (size_t)(space - line) &&
		    !memcmp(keys[i].name, line, (size_t)(space - line)))
			break;
	if (i == count)
		return true;
	if (*seen >> i & 1)
		return reject(message, message_bytes, "'%s' occurs twice", keys[i].name);
	if (value > keys[i].max)
		return reject(message, message_bytes, "'%s' is %" PRIu64 ", above %" PRIu64,
			      keys[i].name, value, keys[i].max);
	*seen |= 1u << i;
	memcpy((uint8_t *)out + keys[i].offset, &value, sizeof(value));
	return true;
}

static bool parse(const struct key *keys, size_t count, const char *text, size_t bytes, void *out,
		  char *message, size_t message_bytes)
{
	const char *end = text + bytes, *next;
	uint32_t seen = 0;

	static_assert(sizeof(node_keys) / sizeof(*node_keys) <= MAX_KEYS, "seen has 32 bits");
	for (; text < end; text = next + 1) {
		next = memchr(text, '\n', (size_t)(end - text));
		if (!next)
			next = end;
		if (!parse_line(keys, count, text, next, &seen, out, message, message_bytes))
			return false;
		if (next == end)
			break;
	}
	return true;
}

bool kfd_node_parse(const char *text, size_t bytes, struct kfd_node *out, char *message,
		    size_t message_bytes)
{
	memset(out, 0, sizeof(*out));
	return parse(node_keys, sizeof(node_keys) / sizeof(*node_keys), text, bytes, out, message,
		     message_bytes);
}

bool kfd_bank_parse(const char *text, size_t bytes, struct kfd_bank *out, char *message,
		    size_t message_bytes)
{
	memset(out, 0, sizeof(*out));
	return parse(bank_keys, sizeof(bank_keys) / sizeof(*bank_keys), text, bytes, out, message,
		     message_bytes);
}

/* ---- GPUs ---- */

#define PAGES(bytes)     (((bytes) + KFD_PAGE_BYTES - 1) / KFD_PAGE_BYTES * KFD_PAGE_BYTES)
/* Of one compute unit: vector and scalar registers, LDS, hardware registers. */
#define UNIT_STATE_BYTES (0x40000u + 0x4000u + 0x10000u + 0x1000u)
#define WAVES_PER_UNIT   32u
#define STACK_WAVE_BYTES 12u
#define MAX_STACK_BYTES  0x7000u /* of gfx10 */
#define DEBUG_WAVE_BYTES 32u
#define EOP_BYTES        4096u

static void fill_in_sizes(struct kfd_node *n)
{
	uint64_t units = kfd_node_units(n), stack;

	n->eop_bytes = EOP_BYTES;
	n->debug_bytes = units * WAVES_PER_UNIT * DEBUG_WAVE_BYTES;
	if (n->save_bytes)
		return;
	stack = PAGES(sizeof(struct kfd_save_header) + 8 +
		      units * WAVES_PER_UNIT * STACK_WAVE_BYTES);
	n->control_stack_bytes = stack < MAX_STACK_BYTES ? stack : MAX_STACK_BYTES;
	n->save_bytes = n->control_stack_bytes + PAGES(units * UNIT_STATE_BYTES);
}

bool kfd_node_check(struct kfd_node *n, char *message, size_t message_bytes)
{
	uint64_t v = n->gfx_version;

	if (!kfd_chip_find(v))
		return reject(message, message_bytes,
			      "gfx%" PRIu64 "%" PRIx64 "%" PRIx64
			      " is not supported; supported: gfx1030 to gfx1036",
			      v / 10000, v / 100 % 100, v % 100);
	if (!n->simd_count || !n->simd_per_cu || n->simd_count % n->simd_per_cu || !n->arrays ||
	    !n->arrays_per_engine || n->arrays % n->arrays_per_engine || !n->max_waves_per_simd ||
	    !n->lds_kib || n->xccs > 1)
		return reject(message, message_bytes,
			      "implausible chip: %" PRIu64 " SIMDs, %" PRIu64
			      " per compute unit, %" PRIu64 " waves each, %" PRIu64
			      " arrays, %" PRIu64 " per engine, %" PRIu64 " KiB of LDS, %" PRIu64
			      " XCCs",
			      n->simd_count, n->simd_per_cu, n->max_waves_per_simd, n->arrays,
			      n->arrays_per_engine, n->lds_kib, n->xccs);
	fill_in_sizes(n);
	if (!n->control_stack_bytes || n->control_stack_bytes > n->save_bytes)
		return reject(message, message_bytes,
			      "implausible save area: %" PRIu64 " bytes, %" PRIu64
			      " of them control stack",
			      n->save_bytes, n->control_stack_bytes);
	return true;
}
