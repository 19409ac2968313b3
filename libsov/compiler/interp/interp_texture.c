// SPDX-License-Identifier: MIT
/* Textures and surfaces: a handle is the address of a struct texture in global memory. */
#include <string.h>
#include "libsov/compiler/interp/interp_state.h"
#include "libsov/isa/texture.h"

static bool access_memory(void *user, uint64_t address, void *bytes, uint32_t count, bool write)
{
	const struct interp_launch *l = user;
	void *host;

	if (!l->memory || !l->memory(l->user, address, count, write, &host))
		return false;
	memcpy(write ? host : bytes, write ? bytes : host, count);
	return true;
}

static bool read_texture(struct interp *ip, struct interp_thread *t, uint64_t handle,
			 struct texture *texture)
{
	const char *fault;

	for (uint32_t at = 0; at < TEXTURE_BYTES; at += 8)
		if (!access_memory((void *)ip->launch, handle + at, (uint8_t *)texture + at, 8,
				   false))
			return interp_fail(ip, t, "0x%llx is not the handle of a texture",
					   (unsigned long long)handle);
	fault = texture_fault(texture);
	if (fault)
		return interp_fail(ip, t, "the texture 0x%llx has %s", (unsigned long long)handle,
				   fault);
	return true;
}

static bool find_texture(struct interp *ip, struct interp_thread *t, const struct ir_inst *in,
			 struct texture *texture)
{
	uint64_t handle = t->values[in->args[0]].bits;
	struct texture sampler;

	for (uint32_t k = 0; k < in->nargs; k++)
		if (!t->values[in->args[k]].defined)
			return interp_fail(
				ip, t, "argument %u of a texture or surface is undefined", k + 1);
	if (!read_texture(ip, t, handle, texture))
		return false;
	if (in->flags & IR_SAMPLER) {
		if (!read_texture(ip, t, t->values[in->args[in->nargs - 1]].bits, &sampler))
			return false;
		*texture = texture_with_sampler(texture, &sampler);
	}
	if (in->op != IR_TEXQUERY && in->geometry != texture->geometry)
		return interp_fail(ip, t, "the texture 0x%llx has another geometry",
				   (unsigned long long)handle);
	return true;
}

static bool access_surface(struct interp *ip, struct interp_thread *t, const struct ir_inst *in,
			   const struct texture *texture, const uint32_t *coordinates)
{
	uint32_t first = 1 + ir_texture_coordinates(in), bytes = ir_type_bits(in->type) / 8;
	uint32_t elements = in->op == IR_SURFLOAD ? in->nres : in->nargs - first;
	uint64_t address = 0, old;
	bool formatted = in->flags & IR_FORMATTED;
	struct ir_inst reduction = *in;
	enum texture_place place = formatted
					   ? texture_place_word(texture, in->geometry, in->range,
								coordinates, &address)
					   : texture_place(texture, in->geometry, in->range,
							   coordinates, bytes * elements, &address);

	if (formatted && texture->type == TEXTURE_SINT)
		reduction.sub = in->sub == IR_ATOM_MIN_U   ? IR_ATOM_MIN_S
				: in->sub == IR_ATOM_MAX_U ? IR_ATOM_MAX_S
							   : in->sub;

	if (place == TEXTURE_TRAPS)
		return interp_fail(ip, t, "access outside of the surface 0x%llx, or not aligned",
				   (unsigned long long)t->values[in->args[0]].bits);
	for (uint32_t k = 0; k < elements; k++) {
		uint64_t value = in->op == IR_SURFLOAD ? 0 : t->values[in->args[first + k]].bits;
		bool good = true;

		old = 0;
		if (place == TEXTURE_INSIDE && in->op != IR_SURFSTORE)
			good = access_memory((void *)ip->launch, address + k * bytes, &old, bytes,
					     false);
		if (in->op == IR_SURFREDUCE)
			value = interp_combine(&reduction, old, value);
		if (good && place == TEXTURE_INSIDE && in->op != IR_SURFLOAD)
			good = access_memory((void *)ip->launch, address + k * bytes, &value, bytes,
					     true);
		if (!good)
			return interp_fail(ip, t, "no memory at 0x%llx of a surface",
					   (unsigned long long)address);
		if (in->op == IR_SURFLOAD)
			t->values[in->res + k] = (struct interp_value){old, true};
	}
	return true;
}

static bool store_channels(struct interp *ip, struct interp_thread *t, const struct ir_inst *in,
			   const struct texture *texture, const uint32_t *coordinates)
{
	struct texture_memory memory = {.access = access_memory, .user = (void *)ip->launch};
	uint32_t words[TEXTURE_CHANNELS] = {0}, first = ir_texture_args(in);

	for (uint32_t k = first; k < in->nargs; k++)
		words[k - first] = (uint32_t)t->values[in->args[k]].bits;
	if (texture_store(texture, in->geometry, in->range, coordinates, words, in->nargs - first,
			  &memory) == TEXTURE_TRAPS)
		return interp_fail(ip, t, "access outside of the surface 0x%llx",
				   (unsigned long long)t->values[in->args[0]].bits);
	return !memory.failed || interp_fail(ip, t, "no memory at 0x%llx of a surface",
					     (unsigned long long)memory.fault);
}

/* The read that the arguments describe. */
static void make_request(const struct interp_thread *t, const struct ir_inst *in,
			 struct texture_request *r)
{
	uint32_t n = 1, axes = ir_texture_axes(in);

#define NEXT() ((uint32_t)t->values[in->args[n++]].bits)
	*r = (struct texture_request){.geometry = in->geometry};
	for (uint32_t k = 0; k < ir_texture_coordinates(in); k++)
		r->coordinates[k] = NEXT();
	if (in->op == IR_SAMPLE &&
	    (in->sub == IR_SAMPLE_LEVEL || in->sub == IR_SAMPLE_TEXEL_LEVEL)) {
		r->detail = TEXTURE_LEVEL;
		r->level = NEXT();
	}
	if (in->op == IR_SAMPLE && in->sub == IR_SAMPLE_GRADIENT) {
		r->detail = TEXTURE_GRADIENT;
		for (uint32_t k = 0; k < 2 * axes; k++)
			r->gradients[k / axes][k % axes] = NEXT();
	}
	if (in->flags & IR_OFFSET)
		r->offset = NEXT();
	r->compares = !!(in->flags & IR_COMPARE);
	if (r->compares)
		r->reference = NEXT();
#undef NEXT
}

bool interp_texture(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	struct texture_memory memory = {.access = access_memory, .user = (void *)ip->launch};
	uint32_t out[TEXTURE_CHANNELS] = {0};
	struct texture_request r = {0};
	struct texture texture;
	const char *fault;

	if (!find_texture(ip, t, in, &texture))
		return false;
	if (in->op == IR_TEXQUERY) {
		out[0] = texture_answer(&texture, in->sub, (uint32_t)t->values[in->args[1]].bits);
		t->values[in->res] = (struct interp_value){out[0], true};
		return true;
	}
	make_request(t, in, &r);
	if (in->op == IR_SURFSTORE && in->flags & IR_FORMATTED)
		return store_channels(ip, t, in, &texture, r.coordinates);
	if (ir_ops[in->op].attributes & A_RANGE)
		return access_surface(ip, t, in, &texture, r.coordinates);
	fault = texture_request_fault(&texture, &r);
	if (fault)
		return interp_fail(ip, t, "the texture 0x%llx has %s",
				   (unsigned long long)t->values[in->args[0]].bits, fault);
	if (in->op == IR_SAMPLE)
		texture_sample(&texture, &r,
			       in->sub == IR_SAMPLE_TEXEL || in->sub == IR_SAMPLE_TEXEL_LEVEL,
			       &memory, out);
	else
		texture_gather(&texture, &r, in->sub, &memory, out);
	if (memory.failed)
		return interp_fail(ip, t, "no memory at 0x%llx of a texture",
				   (unsigned long long)memory.fault);
	for (uint32_t k = 0; k < in->nres; k++)
		t->values[in->res + k] = (struct interp_value){out[k], true};
	return true;
}
