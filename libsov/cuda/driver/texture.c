// SPDX-License-Identifier: MIT
/*
 * Arrays, textures and surfaces. An array of two dimensions is pitched linear memory. Another one,
 * which NVIDIA's chips cannot filter or read in linear memory, is a texture of sov.h in its own
 * layout. A mipmapped array is such a texture, and each of its levels an array of a texture that
 * reads this level alone. Texture and surface objects are textures of sov.h.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/driver.h"

#define ROW_ALIGN 512u

/* ---- formats ---- */

static const struct format {
	CUarray_format format;
	unsigned bits, type, normalized; /* normalized: the type when it is read as 0 to 1 */
} formats[] = {
	{CU_AD_FORMAT_UNSIGNED_INT8, 8, SOV_TEXEL_UINT, SOV_TEXEL_UNORM},
	{CU_AD_FORMAT_UNSIGNED_INT16, 16, SOV_TEXEL_UINT, SOV_TEXEL_UNORM},
	{CU_AD_FORMAT_UNSIGNED_INT32, 32, SOV_TEXEL_UINT, SOV_TEXEL_UINT},
	{CU_AD_FORMAT_SIGNED_INT8, 8, SOV_TEXEL_SINT, SOV_TEXEL_SNORM},
	{CU_AD_FORMAT_SIGNED_INT16, 16, SOV_TEXEL_SINT, SOV_TEXEL_SNORM},
	{CU_AD_FORMAT_SIGNED_INT32, 32, SOV_TEXEL_SINT, SOV_TEXEL_SINT},
	{CU_AD_FORMAT_HALF, 16, SOV_TEXEL_FLOAT, SOV_TEXEL_FLOAT},
	{CU_AD_FORMAT_FLOAT, 32, SOV_TEXEL_FLOAT, SOV_TEXEL_FLOAT},
};

static const struct format *find_format(CUarray_format f)
{
	for (size_t k = 0; k < sizeof(formats) / sizeof(formats[0]); k++)
		if (formats[k].format == f)
			return &formats[k];
	return NULL;
}

size_t cuda_format_bytes(CUarray_format f)
{
	const struct format *k = find_format(f);

	return k ? k->bits / 8 : 0;
}

/* ---- arrays ---- */

static unsigned geometry_of(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	bool layers = d->Flags & CU_ARRAY_LAYERED;

	if (d->Flags & CU_ARRAY_CUBEMAP)
		return layers ? SOV_TEXTURE_CUBE_LAYERS : SOV_TEXTURE_CUBE;
	if (layers)
		return d->Height ? SOV_TEXTURE_2D_LAYERS : SOV_TEXTURE_1D_LAYERS;
	return d->Depth ? SOV_TEXTURE_3D : d->Height ? SOV_TEXTURE_2D : SOV_TEXTURE_1D;
}

static void describe_texels(const CUDA_ARRAY3D_DESCRIPTOR *d, bool normalized,
			    sov_texture_options *o)
{
	const struct format *f = find_format(d->Format);

	o->geometry = geometry_of(d);
	o->width = (uint32_t)d->Width;
	o->height = (uint32_t)d->Height;
	o->depth = (uint32_t)d->Depth;
	o->channels = d->NumChannels;
	o->channel_bits = f->bits;
	o->type = normalized ? f->normalized : f->type;
}

static CUresult array_memory(CUarray a)
{
	sov_texture_options o = SOV_INIT(sov_texture_options);
	if (geometry_of(&a->d) == SOV_TEXTURE_2D) {
		a->pitch = (a->row_bytes + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
		return cuMemAlloc_v2(&a->memory, a->pitch * a->height);
	}
	describe_texels(&a->d, false, &o);
	return cuda_context_result(a->context, sov_texture_create(a->context->sov, &o, &a->texels));
}

static bool is_descriptor(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	return d && d->Width && find_format(d->Format) &&
	       (d->NumChannels == 1 || d->NumChannels == 2 || d->NumChannels == 4);
}

static void set_sizes(CUarray a, CUcontext c, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	a->magic = MAGIC_ARRAY;
	a->context = c;
	a->d = *d;
	a->row_bytes = d->Width * d->NumChannels * cuda_format_bytes(d->Format);
	a->height = d->Height ? d->Height : 1;
	a->depth = d->Depth ? d->Depth : 1;
}

API cuArray3DCreate_v2(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	CUresult e;
	CUcontext c = cuda_context(&e);
	CUarray a;

	if (!c)
		return e;
	if (!out || !is_descriptor(d))
		return CUDA_ERROR_INVALID_VALUE;
	a = calloc(1, sizeof(*a));
	if (!a)
		return CUDA_ERROR_OUT_OF_MEMORY;
	set_sizes(a, c, d);
	e = array_memory(a);
	if (e)
		free(a);
	else
		*out = a;
	return e;
}

API cuArrayCreate_v2(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d)
{
	CUDA_ARRAY3D_DESCRIPTOR full;

	if (!d)
		return CUDA_ERROR_INVALID_VALUE;
	full = (CUDA_ARRAY3D_DESCRIPTOR){.Width = d->Width,
					 .Height = d->Height,
					 .Format = d->Format,
					 .NumChannels = d->NumChannels};
	return cuArray3DCreate_v2(out, &full);
}

API cuArrayDestroy(CUarray a)
{
	CUresult e;

	if (!IS(a, ARRAY))
		return CUDA_ERROR_INVALID_HANDLE;
	if (a->levels)
		return CUDA_ERROR_INVALID_VALUE;
	e = a->memory ? cuMemFree_v2(a->memory)
		      : cuda_context_result(a->context,
					    sov_texture_destroy(a->context->sov, a->texels));
	a->magic = 0;
	free(a);
	return e;
}

API cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray a)
{
	if (!d || !IS(a, ARRAY))
		return d ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*d = a->d;
	return CUDA_SUCCESS;
}

API cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray a)
{
	if (!d || !IS(a, ARRAY))
		return d ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*d = (CUDA_ARRAY_DESCRIPTOR){a->d.Width, a->d.Height, a->d.Format, a->d.NumChannels};
	return CUDA_SUCCESS;
}

/* ---- mipmapped arrays ---- */

static size_t halved(size_t size, unsigned times)
{
	return size >> times || !size ? size >> times : 1;
}

/* As many levels as there are halvings of the largest size, at most. */
static unsigned limited_levels(const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels)
{
	bool volume = geometry_of(d) == SOV_TEXTURE_3D;
	unsigned most = 1;

	while (most < MAX_LEVELS &&
	       (d->Width >> most || d->Height >> most || (volume && d->Depth >> most)))
		most++;
	return levels < 1 ? 1 : levels < most ? levels : most;
}

static void destroy_levels(CUmipmappedArray m, unsigned count)
{
	while (count-- > 0) {
		sov_texture_destroy(m->context->sov, m->level[count].texels);
		m->level[count].magic = 0;
	}
}

static CUresult create_level(CUmipmappedArray m, unsigned k)
{
	sov_texture_options o = SOV_INIT(sov_texture_options);
	CUDA_ARRAY3D_DESCRIPTOR d = m->d;
	CUarray a = &m->level[k];

	d.Width = halved(d.Width, k);
	d.Height = halved(d.Height, k);
	if (geometry_of(&m->d) == SOV_TEXTURE_3D)
		d.Depth = halved(d.Depth, k);
	set_sizes(a, m->context, &d);
	a->levels = m;
	a->level = k;
	describe_texels(&m->d, false, &o);
	o.flags = SOV_TEXTURE_NORMALIZED;
	o.texels = m->texels;
	o.first_level = k;
	o.levels = 1;
	return cuda_context_result(m->context, sov_texture_create(m->context->sov, &o, &a->texels));
}

API cuMipmappedArrayCreate(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels)
{
	sov_texture_options o = SOV_INIT(sov_texture_options);
	CUmipmappedArray m;
	CUresult e;
	CUcontext c = cuda_context(&e);
	unsigned made = 0;

	if (!c)
		return e;
	if (!out || !is_descriptor(d))
		return CUDA_ERROR_INVALID_VALUE;
	m = calloc(1, sizeof(*m));
	if (!m)
		return CUDA_ERROR_OUT_OF_MEMORY;
	m->magic = MAGIC_MIPMAPPED;
	m->context = c;
	m->d = *d;
	m->count = limited_levels(d, levels);
	describe_texels(d, false, &o);
	o.flags = SOV_TEXTURE_NORMALIZED;
	o.levels = m->count;
	e = cuda_context_result(c, sov_texture_create(c->sov, &o, &m->texels));
	if (e) {
		free(m);
		return e;
	}
	while (!e && made < m->count)
		e = create_level(m, made++);
	if (e) {
		destroy_levels(m, made - 1);
		sov_texture_destroy(c->sov, m->texels);
		free(m);
		return e;
	}
	*out = m;
	return CUDA_SUCCESS;
}

API cuMipmappedArrayDestroy(CUmipmappedArray m)
{
	CUresult e;

	if (!IS(m, MIPMAPPED))
		return CUDA_ERROR_INVALID_HANDLE;
	destroy_levels(m, m->count);
	e = cuda_context_result(m->context, sov_texture_destroy(m->context->sov, m->texels));
	m->magic = 0;
	free(m);
	return e;
}

API cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray m, unsigned level)
{
	if (!IS(m, MIPMAPPED))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!out || level >= m->count)
		return CUDA_ERROR_INVALID_VALUE;
	*out = &m->level[level];
	return CUDA_SUCCESS;
}

/* ---- objects: the descriptions are kept for questions about them ---- */

struct object {
	CUcontext context;
	sov_texture texture;
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC description;
	struct object *next;
};
static struct object *objects;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* All levels; textures with levels have normalized coordinates. */
static void read_levels(CUmipmappedArray m, bool normalized, sov_texture_options *o)
{
	describe_texels(&m->d, normalized, o);
	o->flags = SOV_TEXTURE_NORMALIZED;
	o->texels = m->texels;
}

/* Where the texels are. */
static CUresult read_resource(const CUDA_RESOURCE_DESC *r, bool normalized, sov_texture_options *o)
{
	CUDA_ARRAY3D_DESCRIPTOR d = {0};

	switch (r->resType) {
	case CU_RESOURCE_ARRAY:
		if (!IS(r->res.array, ARRAY))
			return CUDA_ERROR_INVALID_HANDLE;
		if (r->res.array->levels) {
			read_levels(r->res.array->levels, normalized, o);
			o->first_level = r->res.array->level;
			o->levels = 1;
			return CUDA_SUCCESS;
		}
		describe_texels(&r->res.array->d, normalized, o);
		o->memory = r->res.array->memory;
		o->row_bytes = o->geometry == SOV_TEXTURE_2D ? r->res.array->pitch : 0;
		o->texels = o->memory ? 0 : r->res.array->texels;
		return CUDA_SUCCESS;
	case CU_RESOURCE_LINEAR:
		if (!find_format(r->res.linear.format) || !r->res.linear.numChannels)
			return CUDA_ERROR_INVALID_VALUE;
		d.Format = r->res.linear.format;
		d.NumChannels = r->res.linear.numChannels;
		d.Width = r->res.linear.sizeInBytes / (d.NumChannels * cuda_format_bytes(d.Format));
		describe_texels(&d, normalized, o);
		o->memory = r->res.linear.devPtr;
		return CUDA_SUCCESS;
	case CU_RESOURCE_PITCH2D:
		if (!find_format(r->res.pitch2D.format))
			return CUDA_ERROR_INVALID_VALUE;
		d.Format = r->res.pitch2D.format;
		d.NumChannels = r->res.pitch2D.numChannels;
		d.Width = r->res.pitch2D.width;
		d.Height = r->res.pitch2D.height;
		describe_texels(&d, normalized, o);
		o->memory = r->res.pitch2D.devPtr;
		o->row_bytes = r->res.pitch2D.pitchInBytes;
		return CUDA_SUCCESS;
	case CU_RESOURCE_MIPMAPPED:
		if (!IS(r->res.mipmapped, MIPMAPPED))
			return CUDA_ERROR_INVALID_HANDLE;
		read_levels(r->res.mipmapped, normalized, o);
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static CUresult object_new(CUtexObject *out, const CUDA_RESOURCE_DESC *r,
			   const CUDA_TEXTURE_DESC *t, sov_texture_options *o)
{
	CUresult e;
	CUcontext c = cuda_context(&e);
	struct object *k;

	if (!c)
		return e;
	k = calloc(1, sizeof(*k));
	if (!k)
		return CUDA_ERROR_OUT_OF_MEMORY;
	e = cuda_context_result(c, sov_texture_create(c->sov, o, &k->texture));
	if (e) {
		free(k);
		return e;
	}
	k->context = c;
	k->resource = *r;
	if (t)
		k->description = *t;
	pthread_mutex_lock(&lock);
	k->next = objects;
	objects = k;
	pthread_mutex_unlock(&lock);
	*out = k->texture;
	return CUDA_SUCCESS;
}

static bool is_mipmapped(const CUDA_RESOURCE_DESC *r)
{
	return r->resType == CU_RESOURCE_MIPMAPPED ||
	       (r->resType == CU_RESOURCE_ARRAY && r->res.array->levels);
}

#define LEVEL_END 16.0f

static float within(float level, float from)
{
	return level >= from ? (level < LEVEL_END ? level : LEVEL_END) : from;
}

API cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *t,
		      const void *view)
{
	sov_texture_options o = SOV_INIT(sov_texture_options);
	CUresult e;

	if (!out || !r || !t)
		return CUDA_ERROR_INVALID_VALUE;
	if (view)
		return cuda_missing("cuTexObjectCreate", "views of another format");
	e = read_resource(r, !(t->flags & CU_TRSF_READ_AS_INTEGER), &o);
	if (e)
		return e;
	/* Linear memory is read by index, without filter or addressing. */
	if (r->resType != CU_RESOURCE_LINEAR) {
		o.flags |= t->filterMode ? SOV_TEXTURE_LINEAR : 0;
		o.flags |= t->flags & CU_TRSF_NORMALIZED_COORDINATES ? SOV_TEXTURE_NORMALIZED : 0;
		for (unsigned k = 0; k < 3; k++)
			o.address_modes[k] = t->addressMode[k];
		memcpy(o.border, t->borderColor, sizeof(o.border));
	} else {
		for (unsigned k = 0; k < 3; k++)
			o.address_modes[k] = SOV_ADDRESS_BORDER;
	}
	if (o.texels && !(t->flags & CU_TRSF_NORMALIZED_COORDINATES) && is_mipmapped(r))
		return CUDA_ERROR_INVALID_VALUE;
	if (r->resType == CU_RESOURCE_MIPMAPPED) {
		o.flags |= SOV_TEXTURE_LEVEL_LIMITS |
			   (t->mipmapFilterMode ? SOV_TEXTURE_LEVEL_LINEAR : 0);
		o.level_bias = within(t->mipmapLevelBias, -LEVEL_END);
		o.min_level = within(t->minMipmapLevelClamp, 0);
		o.max_level = within(t->maxMipmapLevelClamp, 0);
		o.max_anisotropy = t->maxAnisotropy;
	}
	return object_new(out, r, t, &o);
}

API cuSurfObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *r)
{
	sov_texture_options o = SOV_INIT(sov_texture_options);
	CUresult e;

	if (!out || !r || r->resType != CU_RESOURCE_ARRAY)
		return CUDA_ERROR_INVALID_VALUE;
	e = read_resource(r, false, &o);
	return e ? e : object_new(out, r, NULL, &o);
}

API cuTexObjectDestroy(CUtexObject handle)
{
	struct object **link, *k;
	CUresult e;

	pthread_mutex_lock(&lock);
	for (link = &objects; *link && (*link)->texture != handle;)
		link = &(*link)->next;
	k = *link;
	if (k)
		*link = k->next;
	pthread_mutex_unlock(&lock);
	if (!k)
		return handle ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	e = cuda_context_result(k->context, sov_texture_destroy(k->context->sov, k->texture));
	free(k);
	return e;
}

API cuSurfObjectDestroy(CUtexObject handle)
{
	return cuTexObjectDestroy(handle);
}

static CUresult object_get(CUtexObject handle, CUDA_RESOURCE_DESC *r, CUDA_TEXTURE_DESC *t)
{
	struct object *k;

	pthread_mutex_lock(&lock);
	for (k = objects; k && k->texture != handle;)
		k = k->next;
	if (k && r)
		*r = k->resource;
	if (k && t)
		*t = k->description;
	pthread_mutex_unlock(&lock);
	return k && (r || t) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *r, CUtexObject handle)
{
	return object_get(handle, r, NULL);
}

API cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *t, CUtexObject handle)
{
	return object_get(handle, NULL, t);
}

API cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *r, CUtexObject handle)
{
	return object_get(handle, r, NULL);
}
