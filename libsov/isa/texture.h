/* SPDX-License-Identifier: MIT */
/*
 * Textures and surfaces: what one of them is, and what reading it gives. The runtime fills in
 * struct texture. On NVIDIA it becomes a texture header and a sampler in the chip's pools
 * (hw/nv/texture.h), from which the software GPU makes a struct texture again. Elsewhere, and on
 * the IR interpreter, the structure itself lies in memory and a handle is its address.
 *
 * The rules are those of the CUDA C++ Programming Guide, "Texture Fetching", and of the PTX ISA,
 * "Texture Instructions" and "Surface Instructions". What these leave open is decided in
 * texture_eval.h, which says so.
 */
#ifndef SOV_ISA_TEXTURE_H
#define SOV_ISA_TEXTURE_H

#ifndef __CUDACC__
#include <stdbool.h>
#include <stdint.h>
#endif

/* Coordinates: a layer first where there are layers, then x, y and z. */
enum texture_geometry {
	TEXTURE_1D,
	TEXTURE_2D,
	TEXTURE_3D,
	TEXTURE_1D_LAYERS,
	TEXTURE_2D_LAYERS,
	TEXTURE_CUBE,
	TEXTURE_CUBE_LAYERS,
	TEXTURE_GEOMETRIES
};

enum texture_layout {
	TEXTURE_LINEAR, /* rows and slices by their strides */
	TEXTURE_GOBS,   /* NVIDIA's blocks of 64 bytes and 8 rows, one after the other */
	TEXTURE_LAYOUTS
};

enum texture_type {
	TEXTURE_UINT,
	TEXTURE_SINT,
	TEXTURE_FLOAT,
	TEXTURE_UNORM, /* integers that are read as 0 to 1 */
	TEXTURE_SNORM, /* … as -1 to 1 */
	TEXTURE_TYPES
};

enum texture_address {
	TEXTURE_WRAP,
	TEXTURE_CLAMP,
	TEXTURE_MIRROR,
	TEXTURE_BORDER,
	TEXTURE_ADDRESSES
};

/* How a depth comparison relates its operand to a texel: less: operand < texel. */
enum texture_compare {
	TEXTURE_NO_COMPARE,
	TEXTURE_NEVER,
	TEXTURE_LESS,
	TEXTURE_EQUAL,
	TEXTURE_LESS_EQUAL,
	TEXTURE_GREATER,
	TEXTURE_NOT_EQUAL,
	TEXTURE_GREATER_EQUAL,
	TEXTURE_ALWAYS,
	TEXTURE_COMPARES
};

enum texture_swizzle {
	TEXTURE_SAME,
	TEXTURE_ALL_ZERO,
	TEXTURE_ALL_ONE,
	TEXTURE_FROM_R, /* and G, B, A */
	TEXTURE_SWIZZLES = TEXTURE_FROM_R + 4
};

/* Texels of one word, red in its low bits. */
enum texture_packed {
	TEXTURE_NOT_PACKED,
	TEXTURE_10_10_10_2, /* UINT or UNORM */
	TEXTURE_11_11_10,   /* FLOAT without sign, of 5 bits of exponent; no alpha */
	TEXTURE_PACKINGS
};

/* What an access to a surface outside of it does. */
enum texture_range { TEXTURE_TRAP, TEXTURE_TO_EDGE, TEXTURE_ZERO, TEXTURE_RANGES };

/* Where an access to a surface is. */
enum texture_place { TEXTURE_INSIDE, TEXTURE_OUTSIDE, TEXTURE_TRAPS };

/* What txq and suq ask for. */
enum texture_query {
	TEXTURE_WIDTH,
	TEXTURE_HEIGHT,
	TEXTURE_DEPTH,
	TEXTURE_LEVELS,
	TEXTURE_QUERIES
};

/* What a read of a texture says about the level of detail. */
enum texture_detail {
	TEXTURE_BASE,     /* nothing: the most detailed level, without the sampler's bias */
	TEXTURE_LEVEL,    /* the level: f32, or an integer with integer coordinates */
	TEXTURE_GRADIENT, /* derivatives of the coordinates by those of two directions */
};

#define TEXTURE_GOB_WIDTH 64 /* bytes */
#define TEXTURE_GOB_ROWS  8
#define TEXTURE_GOB_BYTES (TEXTURE_GOB_WIDTH * TEXTURE_GOB_ROWS)

#define TEXTURE_CHANNELS   4
#define TEXTURE_MAX_LEVELS 16
#define TEXTURE_DETAIL_ONE 256   /* levels of detail are in steps of 1 / 256 */
#define TEXTURE_MAX_DETAIL 0xfff /* of the limits */
#define TEXTURE_MIN_BIAS   (-0x1000)
#define TEXTURE_MAX_BIAS   0xfff

/* In memory as it stands here: the compiler's device code reads it. */
struct texture {
	uint64_t address; /* of the first texel */
	/* From a slice, layer or face to the next; levels of a layer or face follow each other. */
	uint64_t slice_bytes;
	uint32_t row_bytes;            /* from a row to the next; TEXTURE_GOBS: a multiple of 64 */
	uint32_t width, height, depth; /* of level 0 in texels; depth: slices, layers or faces */
	uint8_t geometry, layout;
	uint8_t channels;     /* 1, 2 or 4 */
	uint8_t channel_bits; /* 8, 16 or 32 */
	uint8_t type;         /* enum texture_type of a channel */
	uint8_t address_mode[3];
	uint8_t linear;     /* filter: linear instead of the nearest texel */
	uint8_t normalized; /* coordinates from 0 to 1 */
	uint8_t compare;    /* enum texture_compare */
	/* Levels: the last one in memory, without gaps after level 0, and the first and last that
	 * are read. Each has half the size of the one before, at least 1. */
	uint8_t last_level, first_read, last_read;
	uint8_t level_linear; /* filter between two levels */
	uint8_t depths;       /* samplers may compare texels: NVIDIA's chips have formats for it */
	/* Limits of the level of detail, from the first level on, and what is added to it. */
	uint16_t min_detail, max_detail;
	int16_t bias;
	uint8_t swizzle[TEXTURE_CHANNELS]; /* enum texture_swizzle: what is read as each channel */
	uint8_t packed; /* enum texture_packed: then 4 channels of 8 bits, which is the size */
	uint8_t srgb;   /* the first three channels, of 8 bits as unorm, are not linear */
	uint8_t reserved[4];
	uint32_t border[TEXTURE_CHANNELS]; /* as read */
};
#define TEXTURE_BYTES 80

/* A read of a texture by an instruction. */
struct texture_request {
	uint32_t geometry;       /* enum texture_geometry */
	uint32_t detail;         /* enum texture_detail */
	uint32_t coordinates[4]; /* f32, layers u32 */
	uint32_t level;          /* f32, or an integer */
	uint32_t gradients[2][3];
	/* Added to coordinates in texels: signed fields for x, y and z, of 4 bits each, or for
	 * gathers 6 bits in bytes. */
	uint32_t offset;
	uint32_t compares; /* 1: to this f32 */
	uint32_t reference;
};

#ifndef __CUDACC__
_Static_assert(sizeof(struct texture) == TEXTURE_BYTES, "device code knows the size");

uint32_t texture_coordinates(enum texture_geometry g); /* with the layer */
bool texture_has_layers(enum texture_geometry g);
uint32_t texture_texel_bytes(const struct texture *t);
/* Why no texture is like this: words for a message; NULL: it is good. */
const char *texture_fault(const struct texture *t);
/* Bytes of all slices. */
uint64_t texture_bytes(const struct texture *t);
/* Of a byte of a texel of level 0, from the address on. */
uint64_t texture_offset(const struct texture *t, uint32_t x_bytes, uint32_t y, uint32_t z);

/* Reads or writes up to 8 bytes; false: the address is not mapped. */
struct texture_memory {
	bool (*access)(void *user, uint64_t address, void *bytes, uint32_t count, bool write);
	void *user;
	bool failed; /* set by the functions below */
	uint64_t fault;
};

/* tex: a filtered texel at f32 coordinates, or the texel at integer ones. */
void texture_sample(const struct texture *t, const struct texture_request *r, bool texel,
		    struct texture_memory *m, uint32_t out[TEXTURE_CHANNELS]);
/* tld4: one channel of the four texels that linear filtering would read. */
void texture_gather(const struct texture *t, const struct texture_request *r, uint32_t channel,
		    struct texture_memory *m, uint32_t out[TEXTURE_CHANNELS]);
/* Why no instruction may read the texture so; NULL: it is good. */
const char *texture_request_fault(const struct texture *t, const struct texture_request *r);
/* The texture with another one's filter, address modes, limits of levels and comparison. */
struct texture texture_with_sampler(const struct texture *t, const struct texture *sampler);
/* Of a level, from the first that is read on, also where there is none. */
uint32_t texture_answer(const struct texture *t, enum texture_query q, uint32_t level);
/* A texture of this level alone, which is that of the memory. */
struct texture texture_of_level(const struct texture *t, uint32_t level);
/* Sets strides of memory without gaps between rows, levels and slices. */
void texture_pack(struct texture *t);
/* suld, sust, sured: where the access to count bytes is; x counts bytes. */
enum texture_place texture_place(const struct texture *t, enum texture_geometry g,
				 enum texture_range range, const uint32_t *coordinates,
				 uint32_t count, uint64_t *address);
/* sured.p: where a texel is, which is a word; x counts texels. Other texels trap. */
enum texture_place texture_place_word(const struct texture *t, enum texture_geometry g,
				      enum texture_range range, const uint32_t *coordinates,
				      uint64_t *address);
/* sust.p: stores channels in the format of the texels, where x counts texels. */
enum texture_place texture_store(const struct texture *t, enum texture_geometry g,
				 enum texture_range range, const uint32_t *coordinates,
				 const uint32_t *words, uint32_t count, struct texture_memory *m);
#endif

#endif
