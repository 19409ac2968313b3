// SPDX-License-Identifier: MIT
/*
 * Textures and surfaces. From its first texture on, a context has a pool in video memory that holds
 * a description of each texture, in the form that its GPU reads (gpu.h); the handle of a texture
 * names it. Every compute queue learns the pool's address when the pool is made, and queues that
 * start later when they are set up. The texels are in memory that the program owns, or in memory
 * that belongs to the texture, in the layout that the GPU prefers.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/context/context_wait.h"
#include "libsov/runtime/memory/allocation.h"
#include "libsov/runtime/memory/buffer.h"
#include "libsov/runtime/stream/stream.h"
#include "libsov/runtime/texture/texture.h"

typedef unsigned long long ull;

struct texture_entry {
	bool used;
	sov_ptr owned; /* memory that belongs to it; 0: none */
	sov_texture handle;
	struct texture texture;
};

struct textures {
	struct buffer *pool;
	struct texture_entry entries[GPU_MAX_TEXTURES]; /* number 0 is not used */
};

static_assert((int)SOV_TEXTURE_1D == TEXTURE_1D &&
		      (int)SOV_TEXTURE_CUBE_LAYERS == TEXTURE_CUBE_LAYERS &&
		      (int)SOV_TEXEL_SNORM == TEXTURE_SNORM &&
		      (int)SOV_COMPARE_ALWAYS == TEXTURE_ALWAYS &&
		      (int)SOV_ADDRESS_BORDER == TEXTURE_BORDER,
	      "the values of sov.h are those of texture.h");

/* ---- the pool ---- */

/* With the lock held and all streams quiesced and idle. */
static sov_result pool_create(struct context *c, void *arg)
{
	struct list_head *l;
	sov_result r;

	(void)arg;
	if (!c->textures)
		c->textures = calloc(1, sizeof(*c->textures));
	if (!c->textures)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for textures");
	r = buffer_create_mapped(c, WINSYS_VRAM, false, GPU_TEXTURE_POOL_BYTES, &c->textures->pool);
	if (r)
		return r;
	memset(c->textures->pool->cpu, 0, GPU_TEXTURE_POOL_BYTES);
	c->gpu->set_texture_pool(c->chip, c->textures->pool->va);
	list_for_each(l, &c->streams) stream_set_up(stream_of(l));
	return SOV_OK;
}

static bool pool_is_missing(struct context *c, void *arg)
{
	(void)arg;
	return !c->textures || !c->textures->pool;
}

static void textures_destroy(struct context *c)
{
	if (c->textures && c->textures->pool)
		buffer_destroy(c, c->textures->pool);
	free(c->textures);
}

const struct context_part texture_part = {.destroy = textures_destroy};

/* ---- options ---- */

static uint32_t at_least_1(uint32_t n)
{
	return n ? n : 1;
}

#define LEVEL_END 16.0f

/* Also rejects NaN. */
static bool is_level(float level, float from)
{
	return level >= from && level <= LEVEL_END;
}

/* In steps of 1 / 256, rounded to nearest; 16 is the last step before it, as the chips hold. */
static int32_t level_steps(float level)
{
	int32_t steps = (int32_t)(level * TEXTURE_DETAIL_ONE + (level < 0 ? -0.5f : 0.5f));

	return steps < TEXTURE_MAX_DETAIL ? steps : TEXTURE_MAX_DETAIL;
}

static void read_levels(const sov_texture_options *o, struct texture *t)
{
	bool limits = o->flags & SOV_TEXTURE_LEVEL_LIMITS;

	t->level_linear = !!(o->flags & SOV_TEXTURE_LEVEL_LINEAR);
	t->bias = (int16_t)level_steps(o->level_bias);
	t->min_detail = limits ? (uint16_t)level_steps(o->min_level) : 0;
	t->max_detail = limits ? (uint16_t)level_steps(o->max_level) : TEXTURE_MAX_DETAIL;
	t->compare = (uint8_t)o->compare;
	if (o->levels > 1 && !o->texels)
		t->last_level = t->last_read = (uint8_t)(o->levels - 1);
}

/* What does not fit a member of struct texture. */
static const char *option_fault(const sov_texture_options *o)
{
	if (o->geometry >= TEXTURE_GEOMETRIES || o->type >= TEXTURE_TYPES)
		return "an unknown geometry or type";
	if (o->flags & ~(uint32_t)(SOV_TEXTURE_LINEAR | SOV_TEXTURE_NORMALIZED |
				   SOV_TEXTURE_LEVEL_LINEAR | SOV_TEXTURE_LEVEL_LIMITS |
				   SOV_TEXTURE_GPU_LAYOUT | SOV_TEXTURE_DEPTHS | SOV_TEXTURE_SRGB))
		return "unknown flags";
	if (o->flags & SOV_TEXTURE_GPU_LAYOUT && (o->row_bytes || o->slice_bytes || o->texels))
		return "the GPU's layout, but strides or another texture's texels";
	if (o->channels > TEXTURE_CHANNELS || o->channel_bits > 32)
		return "more than 4 channels or more than 32 bits of a channel";
	for (uint32_t k = 0; k < 3; k++)
		if (o->address_modes[k] >= TEXTURE_ADDRESSES)
			return "an unknown address mode";
	for (uint32_t k = 0; k < TEXTURE_CHANNELS; k++)
		if (o->swizzle[k] >= TEXTURE_SWIZZLES)
			return "an unknown swizzle";
	if (o->row_bytes > UINT32_MAX)
		return "rows of 4 GiB or more";
	if ((o->flags & (SOV_TEXTURE_LINEAR | SOV_TEXTURE_LEVEL_LINEAR)) &&
	    o->type < SOV_TEXEL_FLOAT)
		return "a linear filter for integers, which only floating-point texels have";
	if (o->levels > TEXTURE_MAX_LEVELS || o->first_level >= TEXTURE_MAX_LEVELS)
		return "more than 16 levels";
	if (o->first_level && !o->texels)
		return "a first level other than 0, but no texture whose texels it shares";
	if (o->first_layer && !o->texels)
		return "a first layer other than 0, but no texture whose texels it shares";
	if (o->levels > 1 && o->memory && !(o->flags & SOV_TEXTURE_GPU_LAYOUT))
		return "several levels in memory of the program";
	if (!is_level(o->level_bias, -LEVEL_END) || !is_level(o->min_level, 0) ||
	    !is_level(o->max_level, 0))
		return "a bias beyond -16 to 16, or a limit of the level beyond 0 to 16";
	if (o->compare >= TEXTURE_COMPARES)
		return "an unknown comparison";
	if (o->max_anisotropy > 1)
		return "an anisotropic filter, which is not supported";
	return NULL;
}

/* 4 channels of 10, 10, 10 and 2 bits, or 3 of 11, 11 and 10. Other numbers of channels do not
 * exist. */
static void set_packed(const sov_texture_options *o, struct texture *t)
{
	bool four = o->channel_bits == 10;

	t->packed = four ? TEXTURE_10_10_10_2 : TEXTURE_11_11_10;
	t->channels = o->channels == (four ? 4 : 3) ? 4 : 0;
	t->channel_bits = 8;
}

static const char *read_options(const struct context *c, const sov_texture_options *o,
				struct texture *t)
{
	const char *why = option_fault(o);
	struct texture own;

	if (why)
		return why;
	*t = (struct texture){
		.address = o->memory,
		.width = o->width,
		.height = at_least_1(o->height),
		.depth = at_least_1(o->depth),
		.geometry = (uint8_t)o->geometry,
		.channels = (uint8_t)o->channels,
		.channel_bits = (uint8_t)o->channel_bits,
		.type = (uint8_t)o->type,
		.linear = !!(o->flags & SOV_TEXTURE_LINEAR),
		.normalized = !!(o->flags & SOV_TEXTURE_NORMALIZED),
		.depths = !!(o->flags & SOV_TEXTURE_DEPTHS),
		.srgb = !!(o->flags & SOV_TEXTURE_SRGB),
	};
	if (o->channel_bits == 10 || o->channel_bits == 11)
		set_packed(o, t);
	for (uint32_t k = 0; k < 3; k++)
		t->address_mode[k] = (uint8_t)o->address_modes[k];
	for (uint32_t k = 0; k < TEXTURE_CHANNELS; k++)
		t->swizzle[k] = (uint8_t)o->swizzle[k];
	memcpy(t->border, o->border, sizeof(t->border));
	read_levels(o, t);
	/* Checks the format and the size first: strides are computed from them. */
	own = *t;
	own.address = 0;
	own.last_level = own.last_read = 0;
	own.row_bytes = 1u << 30;
	own.slice_bytes = UINT64_C(1) << 60;
	why = texture_fault(&own);
	if (why)
		return why;
	if (!o->memory || o->flags & SOV_TEXTURE_GPU_LAYOUT) {
		if (o->row_bytes || o->slice_bytes)
			return "strides, but no memory";
		t->layout = (uint8_t)c->gpu->texture_layout;
		texture_pack(t);
		return NULL;
	}
	t->row_bytes = (uint32_t)o->row_bytes;
	if (!t->row_bytes)
		t->row_bytes = t->width * texture_texel_bytes(t);
	t->slice_bytes = o->slice_bytes ? o->slice_bytes : (uint64_t)t->row_bytes * t->height;
	return NULL;
}

/* ---- calls ---- */

static sov_result set_texture_error(const char *why)
{
	return set_error(SOV_ERROR_INVALID_ARGUMENT,
			 "sov_texture_options describes %s; see sov_texture(3)", why);
}

static uint32_t find_free(const struct textures *s)
{
	uint32_t k = 1;

	while (k < GPU_MAX_TEXTURES && s->entries[k].used)
		k++;
	return k;
}

/* With the lock held: t->address is known; 0: of a sampler. */
static sov_result texture_publish(struct context *c, const struct texture *t, sov_ptr owned,
				  sov_texture *handle)
{
	const char *why = texture_fault(t);
	struct texture_entry *e;
	uint32_t k;

	if (!why)
		why = c->gpu->texture_fault(t);
	if (why)
		return set_texture_error(why);
	if (t->address &&
	    !allocation_find(c, "memory of the texture", t->address, texture_bytes(t)))
		return SOV_ERROR_INVALID_ADDRESS;
	k = find_free(c->textures);
	if (k == GPU_MAX_TEXTURES)
		return set_error(SOV_ERROR_OUT_OF_MEMORY, "a context has at most %u textures",
				 GPU_MAX_TEXTURES - 1);
	e = &c->textures->entries[k];
	*e = (struct texture_entry){.used = true, .owned = owned, .texture = *t};
	e->handle = c->gpu->write_texture(t, k, c->textures->pool->cpu, c->textures->pool->va);
	winsys_write_barrier();
	*handle = e->handle;
	LOG(MEMORY, DEBUG, "texture 0x%llx of %u x %u x %u texels at 0x%llx", (ull)e->handle,
	    t->width, t->height, t->depth, (ull)t->address);
	return SOV_OK;
}

/* With the lock held; NULL after set_error(). */
static struct texture_entry *texture_find(struct context *c, sov_texture handle)
{
	for (uint32_t k = 1; c->textures && k < GPU_MAX_TEXTURES; k++)
		if (c->textures->entries[k].used && c->textures->entries[k].handle == handle)
			return &c->textures->entries[k];
	set_error(SOV_ERROR_INVALID_HANDLE, "0x%llx is not a texture of this context", (ull)handle);
	return NULL;
}

static sov_result texture_get(sov_context context, sov_texture handle, struct texture *t)
{
	const struct texture_entry *e;
	sov_result r;
	struct context *c = context_enter(context, &r);

	if (!c)
		return r;
	e = texture_find(c, handle);
	if (e)
		*t = e->texture;
	return context_leave(c, e ? SOV_OK : SOV_ERROR_INVALID_HANDLE);
}

/* Takes address and layout from the texture whose texels are shared. */
static sov_result share_texels(sov_context context, const sov_texture_options *o, struct texture *t)
{
	struct texture other;
	sov_result r;

	if (o->memory)
		return set_texture_error("texels of a texture, and memory");
	r = texture_get(context, o->texels, &other);
	if (r)
		return r;
	if (other.width != t->width || other.height != t->height ||
	    texture_texel_bytes(&other) != texture_texel_bytes(t))
		return set_texture_error("another size than the texture whose texels it shares");
	if ((other.geometry == TEXTURE_3D) != (t->geometry == TEXTURE_3D) ||
	    o->first_layer > other.depth || t->depth > other.depth - o->first_layer ||
	    (t->geometry == TEXTURE_3D && t->depth != other.depth))
		return set_texture_error("slices or layers that the texture whose texels it shares "
					 "lacks");
	t->address = other.address + o->first_layer * other.slice_bytes;
	t->layout = other.layout;
	t->row_bytes = other.row_bytes;
	t->slice_bytes = other.slice_bytes;
	t->last_level = other.last_level;
	if (o->first_level + (o->levels ? o->levels : 1) > other.last_level + 1u)
		return set_texture_error("levels that the texture whose texels it shares lacks");
	t->first_read = (uint8_t)o->first_level;
	t->last_read = o->levels ? (uint8_t)(o->first_level + o->levels - 1) : other.last_level;
	return SOV_OK;
}

/* Reads options; the context then has a pool. */
static sov_result texture_describe(sov_context context, const sov_texture_options *o,
				   struct texture *t)
{
	const char *why;
	struct context *c;
	sov_result r;

	c = context_enter(context, &r);
	if (!c)
		return r;
	why = read_options(c, o, t);
	pthread_mutex_unlock(&c->lock);
	r = why ? set_texture_error(why) : context_settle(c, pool_is_missing, pool_create, NULL);
	object_put(&c->object);
	return r;
}

#define GPU_LAYOUT_ALIGNMENT 512 /* of NVIDIA's blocks */

sov_result api_texture_get_requirements(sov_context context, const sov_texture_options *given,
					uint64_t *bytes, uint64_t *alignment)
{
	sov_texture_options o;
	struct texture t = {0};
	const char *why;
	struct context *c;
	sov_result r;

	if (!bytes || !alignment)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "bytes or alignment is NULL");
	r = struct_in("sov_texture_options", &o, sizeof(o), given);
	if (r)
		return r;
	o.memory = 0;
	c = context_enter(context, &r);
	if (!c)
		return r;
	why = read_options(c, &o, &t);
	if (!why)
		why = texture_fault(&t);
	if (!why)
		why = c->gpu->texture_fault(&t);
	if (why)
		return context_leave(c, set_texture_error(why));
	*bytes = texture_bytes(&t);
	*alignment = GPU_LAYOUT_ALIGNMENT;
	return context_leave(c, SOV_OK);
}

/* A sampler is a texture of all levels that are possible, which nothing reads. */
sov_result api_sampler_create(sov_context context, const sov_texture_options *given,
			      sov_texture *sampler)
{
	sov_texture_options o;
	struct texture t = {0};
	struct context *c;
	sov_result r;

	if (!sampler)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "sampler is NULL");
	r = struct_in("sov_texture_options", &o, sizeof(o), given);
	if (r)
		return r;
	if (o.memory || o.texels || o.geometry || o.width || o.height || o.depth || o.channels ||
	    o.channel_bits || o.type || o.levels || o.first_level || o.row_bytes || o.slice_bytes ||
	    o.first_layer)
		return set_texture_error("a sampler with texels");
	o.type = SOV_TEXEL_FLOAT;
	o.channels = 1;
	o.channel_bits = 32;
	o.geometry = SOV_TEXTURE_2D;
	o.width = o.height = 1;
	if (o.flags & SOV_TEXTURE_NORMALIZED) {
		o.levels = TEXTURE_MAX_LEVELS;
		o.width = 1u << (TEXTURE_MAX_LEVELS - 1);
	}
	r = texture_describe(context, &o, &t);
	if (r)
		return r;
	c = context_enter(context, &r);
	return c ? context_leave(c, texture_publish(c, &t, 0, sampler)) : r;
}

sov_result api_texture_get_image(sov_context context, sov_texture texture, uint32_t level,
				 sov_image *image)
{
	struct texture t;
	sov_result r;

	if (!image)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "image is NULL");
	r = texture_get(context, texture, &t);
	if (r)
		return r;
	if (level > (uint32_t)(t.last_read - t.first_read))
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "level %u of a texture that reads %u levels; see "
				 "sov_texture(3)",
				 level, t.last_read - t.first_read + 1u);
	t = texture_of_level(&t, t.first_read + level);
	*image = (sov_image){
		.texture = texture,
		.address = t.address,
		.slice_bytes = t.slice_bytes,
		.row_bytes = t.row_bytes,
		.layout = t.layout,
		.width = t.width,
		.height = t.height,
		.depth = t.depth,
	};
	return SOV_OK;
}

sov_result api_texture_create(sov_context context, const sov_texture_options *given,
			      sov_texture *texture)
{
	sov_texture_options o;
	struct texture t = {0};
	struct context *c;
	sov_ptr owned = 0;
	sov_result r;

	if (!texture)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "texture is NULL");
	r = struct_in("sov_texture_options", &o, sizeof(o), given);
	if (!r)
		r = texture_describe(context, &o, &t);
	if (r)
		return r;
	if (o.texels) {
		r = share_texels(context, &o, &t);
		if (r)
			return r;
	} else if (!o.memory) {
		r = api_memory_alloc(context, texture_bytes(&t), &owned);
		if (r)
			return r;
		t.address = owned;
	}
	c = context_enter(context, &r);
	if (c)
		r = context_leave(c, texture_publish(c, &t, owned, texture));
	if (r && owned)
		api_memory_free(context, owned);
	return r;
}

sov_result api_texture_destroy(sov_context context, sov_texture texture)
{
	struct texture_entry *e;
	struct context *c;
	sov_ptr owned;
	sov_result r;
	bool keep;

	c = context_enter_failed(context, &r);
	if (!c)
		return r;
	e = texture_find(c, texture);
	if (!e)
		return context_leave(c, SOV_ERROR_INVALID_HANDLE);
	r = context_drain_to_free(c, &keep);
	e = texture_find(c, texture); /* another thread may have destroyed it meanwhile */
	if (keep || !e)
		return context_leave(c, e ? r : SOV_ERROR_INVALID_HANDLE);
	owned = e->owned;
	e->used = false;
	context_leave(c, r);
	return owned ? api_memory_free(context, owned) : r;
}

/* Copies slices of one level between rows without gaps and the texture's layout. Returns the texels
 * after them. */
static uint8_t *copy_level(const struct texture *t, uint32_t slice, uint32_t slices,
			   uint8_t *memory, uint8_t *texels, bool to_memory)
{
	uint32_t row = t->width * texture_texel_bytes(t), texel = texture_texel_bytes(t);

	for (uint32_t z = slice; z < slice + slices; z++)
		for (uint32_t y = 0; y < t->height; y++)
			for (uint32_t x = 0; x < row; x += texel, texels += texel) {
				uint8_t *at = memory + texture_offset(t, x, y, z);

				memcpy(to_memory ? at : texels, to_memory ? texels : at, texel);
			}
	return texels;
}

static void copy_texels(const struct texture *t, uint8_t *memory, uint8_t *texels, bool to_memory)
{
	bool volume = t->geometry == TEXTURE_3D;

	for (uint32_t z = 0; z < (volume ? 1 : t->depth); z++)
		for (uint32_t k = t->first_read; k <= t->last_read; k++) {
			struct texture level = texture_of_level(t, k);

			texels = copy_level(&level, z, volume ? level.depth : 1,
					    memory + (level.address - t->address), texels,
					    to_memory);
		}
}

/* The whole range is read first: what lies between the rows keeps its contents. */
static sov_result texture_copy(sov_context context, sov_texture texture, void *texels, bool write)
{
	struct texture t;
	uint8_t *memory;
	sov_result r;

	if (!texels)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "texels is NULL");
	r = texture_get(context, texture, &t);
	if (r)
		return r;
	memory = malloc(texture_bytes(&t));
	if (!memory)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a texture");
	r = api_memory_copy(context, SOV_HOST(memory), t.address, texture_bytes(&t));
	if (!r)
		copy_texels(&t, memory, texels, write);
	if (!r && write)
		r = api_memory_copy(context, t.address, SOV_HOST(memory), texture_bytes(&t));
	free(memory);
	return r;
}

sov_result api_texture_write(sov_context context, sov_texture texture, const void *texels)
{
	return texture_copy(context, texture, (void *)(uintptr_t)texels, true);
}

sov_result api_texture_read(sov_context context, sov_texture texture, void *texels)
{
	return texture_copy(context, texture, texels, false);
}
