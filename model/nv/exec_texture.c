// SPDX-License-Identifier: MIT
/*
 * Textures and surfaces. The header and the sampler that a lane's handle names are read from the
 * channel's pools in memory (hw/nv/texture.h) and become a struct texture, by whose rules the
 * access is executed (libsov/isa/texture.h). A header that no instruction of this geometry can use,
 * and one that the model does not know, are faults that say so. In weak memory mode textures and
 * surfaces access memory directly.
 */
#include <string.h>
#include "hw/nv/texture.h"
#include "libsov/isa/texture.h"
#include "model/nv/exec_memory.h"
#include "model/nv/reduction.h"

struct lookup {
	struct warp *w;
	uint32_t lane;
	bool valid;
	uint32_t handle, sampler;
	struct texture texture;
	bool buffer; /* linear memory of one dimension: no filter */
};

static bool read_pool(struct lookup *l, uint64_t pool, uint32_t index, uint32_t max,
		      const char *what, uint32_t *words)
{
	uint64_t fault, at = pool + (uint64_t)index * NV_TEXTURE_BYTES;

	if (!pool || index > max) {
		warp_fault(l->w, l->lane, MODEL_FAULT_ILLEGAL_INSTRUCTION, l->handle,
			   "handle 0x%x names %s %u, and the pool %s", l->handle, what, index,
			   pool ? "is smaller" : "was not set");
		return false;
	}
	if (mmu_read(&l->w->exec->thread.reader, at, words, NV_TEXTURE_BYTES, &fault) == MMU_OK)
		return true;
	warp_fault(l->w, l->lane, MODEL_FAULT_MMU, fault, "%s %u of handle 0x%x is not mapped",
		   what, index, l->handle);
	return false;
}

static bool decode_swizzle(const uint32_t *h, struct texture *t)
{
	const uint32_t sources[TEXTURE_CHANNELS] = {
		nv_texture_get(h, NV_TEXHEAD_X_SOURCE), nv_texture_get(h, NV_TEXHEAD_Y_SOURCE),
		nv_texture_get(h, NV_TEXHEAD_Z_SOURCE), nv_texture_get(h, NV_TEXHEAD_W_SOURCE)};

	for (uint32_t k = 0; k < TEXTURE_CHANNELS; k++) {
		uint32_t s = sources[k];

		if (s == NV_TEXHEAD_IN_ZERO)
			t->swizzle[k] = TEXTURE_ALL_ZERO;
		else if (s == NV_TEXHEAD_IN_ONE_INT || s == NV_TEXHEAD_IN_ONE_FLOAT)
			t->swizzle[k] = TEXTURE_ALL_ONE;
		else if (s >= NV_TEXHEAD_IN_R && s < NV_TEXHEAD_IN_R + TEXTURE_CHANNELS)
			t->swizzle[k] = (uint8_t)(TEXTURE_FROM_R + (s - NV_TEXHEAD_IN_R));
		else
			return false;
	}
	return true;
}

static bool decode_format(const uint32_t *h, struct texture *t)
{
	static const struct {
		uint8_t sizes, channels, bits, packed;
	} sizes[] = {
		{NV_TEXHEAD_SIZES_8, 1, 8, 0},
		{NV_TEXHEAD_SIZES_8_8, 2, 8, 0},
		{NV_TEXHEAD_SIZES_8_8_8_8, 4, 8, 0},
		{NV_TEXHEAD_SIZES_16, 1, 16, 0},
		{NV_TEXHEAD_SIZES_16_16, 2, 16, 0},
		{NV_TEXHEAD_SIZES_16_16_16_16, 4, 16, 0},
		{NV_TEXHEAD_SIZES_32, 1, 32, 0},
		{NV_TEXHEAD_SIZES_32_32, 2, 32, 0},
		{NV_TEXHEAD_SIZES_32_32_32_32, 4, 32, 0},
		{NV_TEXHEAD_SIZES_Z16, 1, 16, 0},
		{NV_TEXHEAD_SIZES_ZF32, 1, 32, 0},
		{NV_TEXHEAD_SIZES_10_10_10_2, 4, 8, TEXTURE_10_10_10_2},
		{NV_TEXHEAD_SIZES_11_11_10, 4, 8, TEXTURE_11_11_10},
	};
	static const uint8_t types[8] = {[NV_TEXHEAD_NUM_SNORM] = TEXTURE_SNORM + 1,
					 [NV_TEXHEAD_NUM_UNORM] = TEXTURE_UNORM + 1,
					 [NV_TEXHEAD_NUM_SINT] = TEXTURE_SINT + 1,
					 [NV_TEXHEAD_NUM_UINT] = TEXTURE_UINT + 1,
					 [NV_TEXHEAD_NUM_FLOAT] = TEXTURE_FLOAT + 1};
	uint32_t type = types[nv_texture_get(h, NV_TEXHEAD_R_TYPE)];

	for (uint32_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
		if (sizes[k].sizes == nv_texture_get(h, NV_TEXHEAD_COMPONENTS)) {
			t->channels = sizes[k].channels;
			t->channel_bits = sizes[k].bits;
			t->packed = sizes[k].packed;
		}
	t->type = (uint8_t)(type - 1);
	t->srgb = (uint8_t)nv_texture_get(h, NV_TEXHEAD_SRGB);
	return type && t->channels && decode_swizzle(h, t);
}

static bool decode_geometry(const uint32_t *h, struct texture *t)
{
	static const uint8_t geometries[16] = {
		[NV_TEXHEAD_ONE_D] = TEXTURE_1D + 1,
		[NV_TEXHEAD_TWO_D] = TEXTURE_2D + 1,
		[NV_TEXHEAD_THREE_D] = TEXTURE_3D + 1,
		[NV_TEXHEAD_CUBE] = TEXTURE_CUBE + 1,
		[NV_TEXHEAD_ONE_D_ARRAY] = TEXTURE_1D_LAYERS + 1,
		[NV_TEXHEAD_TWO_D_ARRAY] = TEXTURE_2D_LAYERS + 1,
		[NV_TEXHEAD_ONE_D_BUFFER] = TEXTURE_1D + 1,
		[NV_TEXHEAD_TWO_D_NO_MIPMAP] = TEXTURE_2D + 1,
		[NV_TEXHEAD_CUBE_ARRAY] = TEXTURE_CUBE_LAYERS + 1,
	};
	uint32_t geometry = geometries[nv_texture_get(h, NV_TEXHEAD_TYPE)];

	t->geometry = (uint8_t)(geometry - 1);
	t->width = nv_texture_get(h, NV_TEXHEAD_WIDTH) + 1;
	t->height = (nv_texture_get(h, NV_TEXHEAD_HEIGHT) |
		     nv_texture_get(h, NV_TEXHEAD_HEIGHT_BIT16) << 16) +
		    1;
	t->depth = nv_texture_get(h, NV_TEXHEAD_DEPTH) + 1;
	if (geometry == TEXTURE_CUBE + 1 || geometry == TEXTURE_CUBE_LAYERS + 1)
		t->depth *= 6;
	return geometry;
}

/* Sets strides; false: the layout is not modelled. */
static bool decode_layout(const uint32_t *h, struct texture *t, bool *buffer)
{
	uint32_t type = nv_texture_get(h, NV_TEXHEAD_TYPE);

	t->address = nv_texture_get(h, NV_TEXHEAD_ADDRESS_LOW) |
		     (uint64_t)nv_texture_get(h, NV_TEXHEAD_ADDRESS_HIGH) << 32;
	*buffer = false;
	switch (nv_texture_get(h, NV_TEXHEAD_VERSION)) {
	case NV_TEXHEAD_VERSION_1D:
		*buffer = true;
		t->layout = TEXTURE_LINEAR;
		t->width = (nv_texture_get(h, NV_TEXHEAD_WIDTH_LOW_1D) |
			    nv_texture_get(h, NV_TEXHEAD_WIDTH_HIGH_1D) << 16) +
			   1;
		t->height = t->depth = 1;
		return type == NV_TEXHEAD_ONE_D_BUFFER;
	case NV_TEXHEAD_VERSION_PITCH:
		t->layout = TEXTURE_LINEAR;
		t->row_bytes = nv_texture_get(h, NV_TEXHEAD_PITCH) * 32;
		return type == NV_TEXHEAD_TWO_D_NO_MIPMAP;
	case NV_TEXHEAD_VERSION_BLOCK_LINEAR:
		t->layout = TEXTURE_GOBS;
		t->normalized = (uint8_t)nv_texture_get(h, NV_TEXHEAD_NORMALIZED);
		t->last_level = (uint8_t)nv_texture_get(h, NV_TEXHEAD_MAX_LEVEL);
		t->first_read = (uint8_t)nv_texture_get(h, NV_TEXHEAD_FIRST_LEVEL);
		t->last_read = (uint8_t)nv_texture_get(h, NV_TEXHEAD_LAST_LEVEL);
		texture_pack(t);
		return type != NV_TEXHEAD_ONE_D_BUFFER && type != NV_TEXHEAD_TWO_D_NO_MIPMAP &&
		       !nv_texture_get(h, NV_TEXHEAD_BLOCK_WIDTH) &&
		       !nv_texture_get(h, NV_TEXHEAD_BLOCK_HEIGHT) &&
		       !nv_texture_get(h, NV_TEXHEAD_BLOCK_DEPTH);
	default:
		return false;
	}
}

/* Without it every coordinate means the next texel, since the texture is said to have texels of a
 * border around it; surface instructions do not look at it. */
static bool has_border_of_sampler(const uint32_t *header)
{
	return nv_texture_get(header, NV_TEXHEAD_VERSION) == NV_TEXHEAD_VERSION_1D ||
	       nv_texture_get(header, NV_TEXHEAD_BORDER) == NV_TEXHEAD_BORDER_OF_SAMPLER;
}

static bool decode_sampler(const uint32_t *header, const uint32_t *s, struct texture *t)
{
	static const uint8_t modes[8] = {[NV_TEXSAMP_WRAP] = TEXTURE_WRAP + 1,
					 [NV_TEXSAMP_MIRROR] = TEXTURE_MIRROR + 1,
					 [NV_TEXSAMP_CLAMP_TO_EDGE] = TEXTURE_CLAMP + 1,
					 [NV_TEXSAMP_TO_BORDER] = TEXTURE_BORDER + 1};
	uint32_t u = modes[nv_texture_get(s, NV_TEXSAMP_ADDRESS_U)];
	uint32_t v = modes[nv_texture_get(s, NV_TEXSAMP_ADDRESS_V)];
	uint32_t p = modes[nv_texture_get(s, NV_TEXSAMP_ADDRESS_P)];
	uint32_t filter = nv_texture_get(s, NV_TEXSAMP_MAG_FILTER);
	uint32_t levels = nv_texture_get(s, NV_TEXSAMP_MIP_FILTER);

	t->address_mode[0] = (uint8_t)(u - 1);
	t->address_mode[1] = (uint8_t)(v - 1);
	t->address_mode[2] = (uint8_t)(p - 1);
	t->linear = filter == NV_TEXSAMP_LINEAR;
	t->normalized = nv_texture_get(header, NV_TEXHEAD_NORMALIZED) &&
			!nv_texture_get(s, NV_TEXSAMP_UNNORMALIZED);
	t->level_linear = levels == NV_TEXSAMP_MIP_LINEAR;
	t->min_detail = (uint16_t)nv_texture_get(s, NV_TEXSAMP_MIN_LEVEL);
	t->max_detail = (uint16_t)nv_texture_get(s, NV_TEXSAMP_MAX_LEVEL);
	t->bias = (int16_t)((int32_t)(nv_texture_get(s, NV_TEXSAMP_BIAS) << 19) >> 19);
	if (nv_texture_get(s, NV_TEXSAMP_COMPARE))
		t->compare = (uint8_t)(nv_texture_get(s, NV_TEXSAMP_COMPARE_FUNC) + TEXTURE_NEVER);
	memcpy(t->border, s + NV_TEXSAMP_BORDER, sizeof(t->border));
	if (nv_texture_get(s, NV_TEXSAMP_MAX_ANISOTROPY) ||
	    filter != nv_texture_get(s, NV_TEXSAMP_MIN_FILTER) ||
	    (t->last_level && levels == NV_TEXSAMP_MIP_NONE))
		return false;
	return u && v && p && (filter == NV_TEXSAMP_LINEAR || filter == NV_TEXSAMP_POINT) &&
	       has_border_of_sampler(header);
}

static uint32_t lane_handle(const struct warp *w, const struct source *s, uint32_t lane)
{
	return s->kind == SOURCE_UNIFORM ? w->ur[s->row] : w->r[s->row][lane];
}

/* Number of the sampler: the header's, if the launch says so. Otherwise it is in the handle; but
 * with uniform registers it is the second one, as ptxas's code in independent mode has it, which
 * code for textures with samplers of the same number leaves 0: an H200 took sampler 0 then. */
static uint32_t sampler_number(const struct warp *w, const struct source *s, uint32_t handle)
{
	if (w->grid->sampler_by_header)
		return handle & ((1u << NV_TEXTURE_HEADER_BITS) - 1);
	return s->kind == SOURCE_UNIFORM ? w->ur[s->row + 1] : handle >> NV_TEXTURE_SAMPLER_SHIFT;
}

/* Finds the texture that a handle names; false after a fault. */
static bool find_texture(struct lookup *l, uint32_t lane, const struct source *s, bool sampler)
{
	const struct grid *g = l->w->grid;
	uint32_t header[NV_TEXTURE_WORDS], words[NV_TEXTURE_WORDS] = {0};
	uint32_t handle = lane_handle(l->w, s, lane), number = sampler_number(l->w, s, handle);
	const char *why;

	l->lane = lane;
	if (l->valid && l->handle == handle && l->sampler == number)
		return true;
	l->handle = handle;
	l->sampler = number;
	memset(&l->texture, 0, sizeof(l->texture));
	if (!read_pool(l, g->texture_headers, handle & ((1u << NV_TEXTURE_HEADER_BITS) - 1),
		       g->max_header, "header", header) ||
	    (sampler &&
	     !read_pool(l, g->texture_samplers, number, g->max_sampler, "sampler", words)))
		return false;
	if (!decode_format(header, &l->texture) || !decode_geometry(header, &l->texture) ||
	    !decode_layout(header, &l->texture, &l->buffer) ||
	    (sampler && !decode_sampler(header, words, &l->texture)))
		why = "a format, layout or sampler that is not modelled";
	else
		why = texture_fault(&l->texture);
	if (!why) {
		l->valid = true;
		return true;
	}
	warp_fault(l->w, lane, MODEL_FAULT_ILLEGAL_INSTRUCTION, handle,
		   "handle 0x%x names a texture with %s", handle, why);
	return false;
}

static bool check_geometry(struct lookup *l, const struct op *op)
{
	uint16_t name = op->inst->op;
	bool filtered = name == SASS_TEX || name == SASS_TEX_MORE || name == SASS_TEX_B ||
			name == SASS_TXD || name == SASS_TXD_B;

	if (l->texture.geometry == op->inst->mod[SASS_M_GEOMETRY] && !(l->buffer && filtered))
		return true;
	warp_fault(l->w, l->lane, MODEL_FAULT_ILLEGAL_INSTRUCTION, l->handle,
		   "the texture of handle 0x%x has %s", l->handle,
		   l->texture.geometry == op->inst->mod[SASS_M_GEOMETRY]
			   ? "linear memory, which has integer coordinates only"
			   : "another geometry than the instruction");
	return false;
}

static bool access_memory(void *user, uint64_t address, void *bytes, uint32_t count, bool write)
{
	struct lookup *l = user;
	struct access x = {.w = l->w,
			   .space = SPACE_GLOBAL,
			   .bytes = count,
			   .rights = write ? MODEL_WRITE : MODEL_READ,
			   .verb = write ? "surface store" : "texture load"};
	uint8_t *at = lane_pointer(&x, l->lane, address);

	if (at)
		memcpy(write ? (void *)at : bytes, write ? bytes : (void *)at, count);
	return at;
}

static void read_coordinates(const struct warp *w, const struct op *op, uint32_t lane,
			     uint32_t at[4])
{
	uint32_t count = texture_coordinates(op->inst->mod[SASS_M_GEOMETRY]);

	for (uint32_t k = 0; k < count; k++)
		at[k] = w->r[op->s[0].row + k][lane];
}

/* The layer comes last. */
static void read_surface_coordinates(const struct warp *w, const struct op *op, uint32_t lane,
				     uint32_t at[4])
{
	enum texture_geometry g = op->inst->mod[SASS_M_GEOMETRY];
	uint32_t count = texture_coordinates(g), layer;

	read_coordinates(w, op, lane, at);
	if (!texture_has_layers(g))
		return;
	layer = at[count - 1];
	memmove(at + 1, at, (count - 1) * sizeof(*at));
	at[0] = layer;
}

/* The last source, but of TXD_B the first. */
static const struct source *handle_of(const struct op *op)
{
	switch (op->inst->op) {
	case SASS_TEX_MORE:
	case SASS_TLD_MORE:
	case SASS_TLD4_MORE:
	case SASS_TXD:
		return &op->s[2];
	case SASS_TXD_B:
		return &op->s[0];
	default:
		return &op->s[1];
	}
}

enum texture_kind { KIND_FILTERED, KIND_TEXEL, KIND_GATHER, KIND_GRADIENT };

static enum texture_kind kind_of(uint16_t name)
{
	switch (name) {
	case SASS_TLD:
	case SASS_TLD_MORE:
	case SASS_TLD_B:
		return KIND_TEXEL;
	case SASS_TLD4:
	case SASS_TLD4_MORE:
	case SASS_TLD4_B:
		return KIND_GATHER;
	case SASS_TXD:
	case SASS_TXD_B:
		return KIND_GRADIENT;
	default:
		return KIND_FILTERED;
	}
}

/* The first row of the level, offset and comparison: after the handle, or an operand of their
 * own. */
static uint32_t extras_row(const struct op *op)
{
	bool alone = op->inst->op == SASS_TEX_MORE || op->inst->op == SASS_TLD_MORE ||
		     op->inst->op == SASS_TLD4_MORE;

	return alone ? op->s[1].row : op->s[1].row + 1u;
}

/* Of TXD: derivatives by both directions alternate, and the layer shares a word with the offset. */
static void read_gradient(const struct warp *w, const struct op *op, uint32_t lane,
			  struct texture_request *r)
{
	bool layers = texture_has_layers(r->geometry);
	uint32_t axes = texture_coordinates(r->geometry) - layers;
	uint32_t at = op->s[0].row + (op->inst->op == SASS_TXD_B), word;

	r->detail = TEXTURE_GRADIENT;
	for (uint32_t k = 0; k < axes; k++) {
		r->coordinates[layers + k] = w->r[at + k][lane];
		r->gradients[0][k] = w->r[op->s[1].row + 2 * k][lane];
		r->gradients[1][k] = w->r[op->s[1].row + 2 * k + 1][lane];
	}
	if (!layers && !op->inst->mod[SASS_M_OFFSET])
		return;
	word = w->r[at + axes][lane];
	if (layers)
		r->coordinates[0] = word & 0xffff;
	if (op->inst->mod[SASS_M_OFFSET])
		r->offset = word >> 16;
}

static void read_request(const struct warp *w, const struct op *op, uint32_t lane,
			 struct texture_request *r)
{
	const struct sass_inst *in = op->inst;
	uint32_t row = extras_row(op);

	*r = (struct texture_request){.geometry = in->mod[SASS_M_GEOMETRY]};
	if (kind_of(in->op) == KIND_GRADIENT) {
		read_gradient(w, op, lane, r);
		return;
	}
	read_coordinates(w, op, lane, r->coordinates);
	/* .LZ of filtered texels is level 0, to which the sampler adds. */
	r->detail = kind_of(in->op) == KIND_FILTERED || in->mod[SASS_M_LEVEL] ? TEXTURE_LEVEL
									      : TEXTURE_BASE;
	if (in->mod[SASS_M_LEVEL])
		r->level = w->r[row++][lane];
	if (in->mod[SASS_M_OFFSET])
		r->offset = w->r[row++][lane];
	r->compares = in->mod[SASS_M_COMPARE];
	if (r->compares)
		r->reference = w->r[row][lane];
}

static bool check_request(struct lookup *l, const struct texture_request *r)
{
	const char *why = texture_request_fault(&l->texture, r);

	if (why)
		warp_fault(l->w, l->lane, MODEL_FAULT_ILLEGAL_INSTRUCTION, l->handle,
			   "the texture of handle 0x%x has %s", l->handle, why);
	return !why;
}

static void run_texture(struct warp *w, const struct op *op, uint32_t mask)
{
	uint16_t high = op->inst->ops[0].reg == SASS_RZ ? ROW_SINK : op->inst->ops[0].reg;
	enum texture_kind kind = kind_of(op->inst->op);
	struct lookup l = {.w = w};
	struct texture_memory m = {.access = access_memory, .user = &l};
	uint32_t results[TEXTURE_CHANNELS][LANES];
	struct texture_request r;

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t out[TEXTURE_CHANNELS];

		if (!(mask >> i & 1))
			continue;
		if (!find_texture(&l, i, handle_of(op), true) || !check_geometry(&l, op))
			return;
		read_request(w, op, i, &r);
		if (!check_request(&l, &r))
			return;
		if (kind == KIND_GATHER)
			texture_gather(&l.texture, &r, op->inst->mod[SASS_M_CHANNEL], &m, out);
		else
			texture_sample(&l.texture, &r, kind == KIND_TEXEL, &m, out);
		if (m.failed)
			return;
		for (uint32_t k = 0; k < TEXTURE_CHANNELS; k++)
			results[k][i] = out[k];
	}
	for (uint32_t k = 0; k < TEXTURE_CHANNELS && mask; k++)
		row_blend(w->r[(k < 2 ? op->d : high) + k % 2], results[k], mask);
}

static void run_query(struct warp *w, const struct op *op, uint32_t mask)
{
	bool uniform = op->inst->op == SASS_TXQ;
	struct lookup l = {.w = w};

	for (uint32_t i = 0; i < LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		if (!find_texture(&l, i, &op->s[uniform], false))
			return;
		w->r[op->d][i] = texture_answer(
			&l.texture, op->inst->mod[SASS_M_QUERY],
			uniform && op->s[0].row == ROW_ZERO ? 0 : w->r[op->s[0].row + !uniform][i]);
	}
}

static const char *prepare_query(struct op *op, const struct sass_inst *in)
{
	if (in->ops[0].reg != SASS_RZ)
		return "a query with two results is not modelled";
	return op->imm[1] ? "an offset to a handle is not modelled" : NULL;
}

/* ---- surfaces ---- */

/* Finds the bytes of a lane's access; *outside: there are none. NULL after a fault. */
static uint8_t *surface_pointer(struct lookup *l, const struct op *op, uint32_t lane,
				const struct source *handle, uint32_t bytes, uint32_t rights,
				bool *outside)
{
	uint32_t at[4] = {0};
	struct access x = {.w = l->w,
			   .space = SPACE_GLOBAL,
			   .bytes = bytes,
			   .rights = rights,
			   .verb = "surface access"};
	enum texture_place place;
	uint64_t address = 0;

	if (!find_texture(l, lane, handle, false) || !check_geometry(l, op))
		return NULL;
	read_surface_coordinates(l->w, op, lane, at);
	if (op->inst->op == SASS_SURED_P || op->inst->op == SASS_SURED_P_B)
		place = texture_place_word(&l->texture, op->inst->mod[SASS_M_GEOMETRY],
					   op->inst->mod[SASS_M_RANGE], at, &address);
	else
		place = texture_place(&l->texture, op->inst->mod[SASS_M_GEOMETRY],
				      op->inst->mod[SASS_M_RANGE], at, bytes, &address);
	switch (place) {
	case TEXTURE_INSIDE:
		return lane_pointer(&x, lane, address);
	case TEXTURE_OUTSIDE:
		*outside = true;
		return NULL;
	default:
		warp_fault(l->w, lane, MODEL_FAULT_TRAP, l->handle,
			   "access to %u bytes outside of the surface of handle 0x%x, or not "
			   "aligned",
			   bytes, l->handle);
		return NULL;
	}
}

static uint32_t width_bytes(const struct op *op)
{
	static const uint8_t bytes[] = {1, 1, 2, 2, 4, 8, 16};

	return bytes[op->inst->mod[SASS_M_WIDTH]];
}

static void run_surface_load(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t bytes = width_bytes(op), words = bytes > 4 ? bytes / 4 : 1;
	struct lookup l = {.w = w};

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t value[4] = {0};
		bool outside = false;
		uint8_t *at;

		if (!(mask >> i & 1))
			continue;
		at = surface_pointer(&l, op, i, &op->s[1], bytes, MODEL_READ, &outside);
		if (!at && !outside)
			return;
		if (at)
			memcpy(value, at, bytes);
		for (uint32_t k = 0; k < words; k++)
			w->r[op->d + k][i] = value[k];
	}
}

static void run_surface_store(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t bytes = width_bytes(op), words = bytes > 4 ? bytes / 4 : 1;
	struct lookup l = {.w = w};

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t value[4];
		bool outside = false;
		uint8_t *at;

		if (!(mask >> i & 1))
			continue;
		at = surface_pointer(&l, op, i, &op->s[2], bytes, MODEL_WRITE, &outside);
		if (!at && !outside)
			return;
		for (uint32_t k = 0; k < words; k++)
			value[k] = w->r[op->s[1].row + (op->s[1].row == ROW_ZERO ? 0 : k)][i];
		if (at)
			memcpy(at, value, bytes);
	}
}

static void run_channel_store(struct warp *w, const struct op *op, uint32_t mask)
{
	enum texture_geometry g = op->inst->mod[SASS_M_GEOMETRY];
	uint32_t count = width_bytes(op) / 4;
	struct lookup l = {.w = w};
	struct texture_memory m = {.access = access_memory, .user = &l};

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t value[4] = {0}, at[4] = {0};

		if (!(mask >> i & 1))
			continue;
		if (!find_texture(&l, i, &op->s[2], false) || !check_geometry(&l, op))
			return;
		read_surface_coordinates(w, op, i, at);
		for (uint32_t k = 0; k < count; k++)
			value[k] = w->r[op->s[1].row + (op->s[1].row == ROW_ZERO ? 0 : k)][i];
		if (texture_store(&l.texture, g, op->inst->mod[SASS_M_RANGE], at, value, count,
				  &m) == TEXTURE_TRAPS) {
			warp_fault(w, i, MODEL_FAULT_TRAP, l.handle,
				   "access to a texel outside of the surface of handle 0x%x",
				   l.handle);
			return;
		}
		if (m.failed)
			return;
	}
}

static void run_surface_reduce(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t type = op->inst->mod[SASS_M_ATYPE];
	const struct element *e =
		atomic_element(type == SASS_ATYPE_SD32 ? (uint32_t)SASS_ATYPE_U32 : type);
	uint32_t rights = MODEL_READ | MODEL_WRITE | MODEL_ATOMIC;
	struct lookup l = {.w = w};

	for (uint32_t i = 0; i < LANES; i++) {
		bool outside = false;
		uint64_t x;
		uint8_t *at;

		if (!(mask >> i & 1))
			continue;
		at = surface_pointer(&l, op, i, &op->s[2], e->bytes, rights, &outside);
		if (!at && !outside)
			return;
		if (!at)
			continue;
		if (type == SASS_ATYPE_SD32)
			e = atomic_element(l.texture.type == TEXTURE_SINT ? SASS_ATYPE_S32
									  : SASS_ATYPE_U32);
		x = w->r[op->s[1].row][i];
		if (e->bytes == 8)
			x |= (uint64_t)w->r[op->s[1].row + 1][i] << 32;
		element_reduce(e, at, op->inst->mod[SASS_M_ATOM], x);
	}
}

/* The immediate is an offset of the header in the uniform forms. */
static const char *prepare_texture(struct op *op, const struct sass_inst *in)
{
	(void)in;
	return op->imm[0] ? "an offset to a handle is not modelled" : NULL;
}

static const char *prepare_reduce(struct op *op, const struct sass_inst *in)
{
	uint8_t atom = in->mod[SASS_M_ATOM];

	if (atom != SASS_ATOM_ADD && atom != SASS_ATOM_MIN && atom != SASS_ATOM_MAX &&
	    atom != SASS_ATOM_AND && atom != SASS_ATOM_OR)
		return "this reduction of a surface is not modelled";
	return prepare_texture(op, in);
}

const struct op_row rows_texture[] = {
	{SASS_TEX, "-dssi", run_texture, NULL, prepare_texture},
	{SASS_TEX_B, "-dss", run_texture, NULL, NULL},
	{SASS_TLD, "-dssi", run_texture, NULL, prepare_texture},
	{SASS_TLD_B, "-dss", run_texture, NULL, NULL},
	{SASS_TLD4, "-dssi", run_texture, NULL, prepare_texture},
	{SASS_TLD4_B, "-dss", run_texture, NULL, NULL},
	{SASS_TEX_MORE, "-dsssi", run_texture, NULL, prepare_texture},
	{SASS_TLD_MORE, "-dsssi", run_texture, NULL, prepare_texture},
	{SASS_TLD4_MORE, "-dsssi", run_texture, NULL, prepare_texture},
	{SASS_TXD, "-dsssi", run_texture, NULL, prepare_texture},
	{SASS_TXD_B, "-dss", run_texture, NULL, NULL},
	{SASS_TXQ, "-dsisi", run_query, NULL, prepare_query},
	{SASS_TXQ_B, "-dsi", run_query, NULL, prepare_query},
	{SASS_SULD, "dssi", run_surface_load, NULL, prepare_texture},
	{SASS_SULD_B, "dss", run_surface_load, NULL, NULL},
	{SASS_SUST, "sssi", run_surface_store, NULL, prepare_texture},
	{SASS_SUST_B, "sss", run_surface_store, NULL, NULL},
	{SASS_SUST_P, "sssi", run_channel_store, NULL, prepare_texture},
	{SASS_SUST_P_B, "sss", run_channel_store, NULL, NULL},
	{SASS_SURED, "sssi", run_surface_reduce, NULL, prepare_reduce},
	{SASS_SURED_B, "sss", run_surface_reduce, NULL, prepare_reduce},
	{SASS_SURED_P, "sssi", run_surface_reduce, NULL, prepare_reduce},
	{SASS_SURED_P_B, "sss", run_surface_reduce, NULL, prepare_reduce},
	OP_ROWS_END,
};
