// SPDX-License-Identifier: MIT
/*
 * Textures and surfaces for targets whose compiler has no texture instructions: textures.c calls
 * these functions, and ptx.sh compiles them to texture_functions_ptx.c. A handle is
 * the address of a struct texture. what holds the geometry in bits 0 to 7 and further choices above.
 */
#include <stdint.h>

#define DEVICE  __attribute__((device))
#define CALLED  extern "C" __attribute__((device, used))
#define REDUCE(type, letter, at, x) \
	asm volatile("red.global." type " [%0], %1;" ::"l"(at), letter(x) : "memory")

static DEVICE uint32_t texture_read(void *memory, uint64_t address, uint32_t bytes)
{
	(void)memory;
	if (bytes == 1)
		return *(uint8_t *)address;
	if (bytes == 2)
		return *(unsigned short *)address;
	return *(uint32_t *)address;
}

static DEVICE void texture_write(void *memory, uint64_t address, uint32_t value, uint32_t bytes)
{
	(void)memory;
	if (bytes == 1)
		*(volatile uint8_t *)address = (uint8_t)value;
	else if (bytes == 2)
		*(volatile uint16_t *)address = (uint16_t)value;
	else
		*(volatile uint32_t *)address = value;
}

#define TEXTURE_FUNCTION static DEVICE
#define TEXTURE_CALLED   static DEVICE __attribute__((noinline))
#define TEXTURE_LOOP     _Pragma("unroll 1")
#include "libsov/isa/surface_eval.h"
#include "libsov/isa/texture_eval.h"

struct four {
	uint32_t words[4];
};

#define GEOMETRY(what) ((what) & 255)
#define CHOICE(what)   ((what) >> 8 & 255)
#define AMOUNT(what)   ((what) >> 16)

static DEVICE const struct texture *find(uint64_t handle)
{
	return (const struct texture *)handle;
}

/* choice: how texels are read */
enum { FILTERED, TEXEL, GATHER, GATHER_END = GATHER + 3, LEVEL, TEXEL_LEVEL, GRADIENT };

static DEVICE void read_texels(const struct texture *t, uint32_t choice,
			       const struct texture_request *r, uint32_t *out)
{
	if (r->compares && !t->compare)
		asm volatile("trap;");
	if (choice == TEXEL || choice == TEXEL_LEVEL)
		texture_fetch(t, 0, r, out);
	else if (choice >= GATHER && choice <= GATHER_END)
		texture_four(t, 0, r, choice - GATHER, out);
	else
		texture_filter(t, 0, r, out);
}

CALLED struct four __sov_texture_sample(uint64_t handle, uint32_t what, uint32_t a,
						       uint32_t b, uint32_t c, uint32_t d)
{
	struct texture_request r = {};
	struct four out;

	r.geometry = GEOMETRY(what);
	r.coordinates[0] = a, r.coordinates[1] = b, r.coordinates[2] = c, r.coordinates[3] = d;
	read_texels(find(handle), CHOICE(what), &r, out.words);
	return out;
}

/* amount 1: compares; g and h: the level, or derivatives; sampler: whose sampler is used */
CALLED struct four __sov_texture_read(uint64_t handle, uint32_t what, uint32_t a, uint32_t b,
				      uint32_t c, uint32_t d, uint32_t g0, uint32_t g1, uint32_t g2,
				      uint32_t h0, uint32_t h1, uint32_t h2, uint32_t offset,
				      uint32_t reference, uint64_t sampler)
{
	const struct texture *t = find(handle);
	struct texture_request r = {};
	struct texture combined;
	struct four out;

	r.geometry = GEOMETRY(what);
	r.coordinates[0] = a, r.coordinates[1] = b, r.coordinates[2] = c, r.coordinates[3] = d;
	r.level = g0;
	r.gradients[0][0] = g0, r.gradients[0][1] = g1, r.gradients[0][2] = g2;
	r.gradients[1][0] = h0, r.gradients[1][1] = h1, r.gradients[1][2] = h2;
	r.detail = CHOICE(what) == GRADIENT ? TEXTURE_GRADIENT
		   : CHOICE(what) == LEVEL || CHOICE(what) == TEXEL_LEVEL ? TEXTURE_LEVEL
									  : TEXTURE_BASE;
	r.offset = offset;
	r.compares = AMOUNT(what);
	r.reference = reference;
	if (sampler != handle) {
		combined = *t;
		texture_set_sampler(&combined, find(sampler));
		t = &combined;
	}
	read_texels(t, CHOICE(what), &r, out.words);
	return out;
}

CALLED uint32_t __sov_texture_query(uint64_t handle, uint32_t what, uint32_t level)
{
	return texture_size(find(handle), what, level);
}

/* The level for derivatives, in a texture of this size. */
CALLED uint32_t __sov_texture_level(uint32_t width, uint32_t height, uint32_t depth, uint32_t what,
				    uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t g0,
				    uint32_t g1, uint32_t g2, uint32_t h0, uint32_t h1, uint32_t h2)
{
	struct texture_request r = {};
	struct texture t = {};

	t.width = width, t.height = height, t.depth = depth;
	r.geometry = GEOMETRY(what);
	r.coordinates[0] = a, r.coordinates[1] = b, r.coordinates[2] = c, r.coordinates[3] = d;
	r.gradients[0][0] = g0, r.gradients[0][1] = g1, r.gradients[0][2] = g2;
	r.gradients[1][0] = h0, r.gradients[1][1] = h1, r.gradients[1][2] = h2;
	return texture_bits((float)texture_gradient_detail(&t, &r) * (1.0f / TEXTURE_DETAIL_ONE));
}

/* choice: the range; NULL: outside of the surface */
static DEVICE __attribute__((noinline)) void *surface_at(uint64_t handle, uint32_t what, uint32_t bytes,
						uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t coordinates[3] = {a, b, c}, place;
	uint64_t address = 0;

	place = texture_find(find(handle), GEOMETRY(what), CHOICE(what), coordinates, bytes,
			     &address);
	if (place == TEXTURE_TRAPS)
		asm volatile("trap;");
	return (void *)(place == TEXTURE_INSIDE ? address : 0);
}

/* amount: bytes */
CALLED struct four __sov_surface_load(uint64_t handle, uint32_t what, uint32_t a,
						     uint32_t b, uint32_t c)
{
	void *at = surface_at(handle, what, AMOUNT(what), a, b, c);
	struct four out = {{0, 0, 0, 0}};

	if (!at)
		return out;
	if (AMOUNT(what) == 1)
		out.words[0] = *(volatile uint8_t *)at;
	else if (AMOUNT(what) == 2)
		out.words[0] = *(volatile uint16_t *)at;
	else
		TEXTURE_LOOP for (uint32_t k = 0; k < AMOUNT(what) / 4; k++)
			out.words[k] = ((volatile uint32_t *)at)[k];
	return out;
}

CALLED void __sov_surface_store(uint64_t handle, uint32_t what, uint32_t a,
					       uint32_t b, uint32_t c, uint32_t x, uint32_t y,
					       uint32_t z, uint32_t w)
{
	void *at = surface_at(handle, what, AMOUNT(what), a, b, c);
	uint32_t words[4] = {x, y, z, w};

	if (!at)
		return;
	if (AMOUNT(what) == 1)
		*(volatile uint8_t *)at = (uint8_t)x;
	else if (AMOUNT(what) == 2)
		*(volatile uint16_t *)at = (uint16_t)x;
	else
		TEXTURE_LOOP for (uint32_t k = 0; k < AMOUNT(what) / 4; k++)
			((volatile uint32_t *)at)[k] = words[k];
}

/* amount: channels */
CALLED void __sov_surface_put(uint64_t handle, uint32_t what, uint32_t a, uint32_t b, uint32_t c,
			      uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
	uint32_t coordinates[3] = {a, b, c}, words[4] = {x, y, z, w};

	if (texture_put(find(handle), 0, GEOMETRY(what), CHOICE(what), coordinates, words,
			AMOUNT(what)) == TEXTURE_TRAPS)
		asm volatile("trap;");
}

/* amount: one of these; 256 more: of a texel, whose format says whether it is signed */
enum {
	ADD, ADD_WIDE, MIN_U, MIN_S, MAX_U, MAX_S, AND, OR,
	MIN_U_WIDE, MIN_S_WIDE, MAX_U_WIDE, MAX_S_WIDE
};

CALLED void __sov_surface_reduce(uint64_t handle, uint32_t what, uint32_t a,
						uint32_t b, uint32_t c, uint64_t x)
{
	uint32_t how = AMOUNT(what) & 255, word = (uint32_t)x;
	bool texels = AMOUNT(what) >> 8;
	void *at;

	if (texels) {
		uint32_t coordinates[3] = {a, b, c}, place = TEXTURE_TRAPS;
		const struct texture *t = find(handle);
		uint64_t address = 0;

		if (texture_reduces(t))
			place = texture_find_texel(t, GEOMETRY(what), CHOICE(what), coordinates,
						   &address);
		if (place == TEXTURE_TRAPS)
			asm volatile("trap;");
		at = (void *)(place == TEXTURE_INSIDE ? address : 0);
		if (t->type == TEXTURE_SINT)
			how = how == MIN_U ? MIN_S : how == MAX_U ? MAX_S : how;
	} else {
		at = surface_at(handle, what, how == ADD_WIDE || how >= MIN_U_WIDE ? 8 : 4, a, b, c);
	}

	if (!at)
		return;
	if (how == ADD)
		REDUCE("add.u32", "r", at, word);
	else if (how == ADD_WIDE)
		REDUCE("add.u64", "l", at, x);
	else if (how == MIN_U)
		REDUCE("min.u32", "r", at, word);
	else if (how == MIN_S)
		REDUCE("min.s32", "r", at, word);
	else if (how == MAX_U)
		REDUCE("max.u32", "r", at, word);
	else if (how == MAX_S)
		REDUCE("max.s32", "r", at, word);
	else if (how == MIN_U_WIDE)
		REDUCE("min.u64", "l", at, x);
	else if (how == MIN_S_WIDE)
		REDUCE("min.s64", "l", at, x);
	else if (how == MAX_U_WIDE)
		REDUCE("max.u64", "l", at, x);
	else if (how == MAX_S_WIDE)
		REDUCE("max.s64", "l", at, x);
	else if (how == AND)
		REDUCE("and.b32", "r", at, word);
	else
		REDUCE("or.b32", "r", at, word);
}
