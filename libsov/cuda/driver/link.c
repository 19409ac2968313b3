// SPDX-License-Identifier: MIT
/*
 * The linker (cuLink*): PTX, relocatable cubins and fat binaries of these become one image, which
 * the state owns. Inputs are copied and linked by cuLinkComplete, which reports their errors.
 * Objects and libraries of the host's linker are refused.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/driver.h"
#include "libsov/cuda/driver/image.h"

enum {
	INPUT_CUBIN = 0,
	INPUT_PTX = 1,
	INPUT_FATBINARY = 2,
	INPUT_OBJECT = 3,
	INPUT_LIBRARY = 4,
	INPUT_NVVM = 5,
	INPUTS = 6
};

struct CUlinkState_st {
	uint32_t magic;
	CUcontext context;
	struct jit_options jit;
	sov_module_input *inputs;
	uint32_t count;
	bool all_ptx;
	void *image;
	size_t image_bytes;
};

API cuLinkCreate_v2(unsigned count, unsigned *options, void **values, CUlinkState *out)
{
	CUresult e;
	CUcontext c = cuda_context(&e);
	struct jit_options jit;
	CUlinkState s;

	if (!c)
		return e;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	e = cuda_jit_read(&jit, count, options, values);
	if (e)
		return e;
	s = calloc(1, sizeof(*s));
	if (!s)
		return CUDA_ERROR_OUT_OF_MEMORY;
	s->magic = MAGIC_LINK;
	s->context = c;
	s->jit = jit;
	s->all_ptx = true;
	*out = s;
	return CUDA_SUCCESS;
}

API cuLinkCreate(unsigned count, unsigned *options, void **values, CUlinkState *out)
{
	return cuLinkCreate_v2(count, options, values, out);
}

/* Takes over a copy of the data, with a zero after its end. */
static CUresult add_copy(CUlinkState s, const void *data, size_t bytes, const char *name)
{
	sov_module_input *more = realloc(s->inputs, (s->count + 1) * sizeof(*more));
	char *copy, *label;

	if (!more)
		return CUDA_ERROR_OUT_OF_MEMORY;
	s->inputs = more;
	copy = malloc(bytes + 1);
	label = name ? strdup(name) : NULL;
	if (!copy || (name && !label)) {
		free(copy);
		free(label);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	memcpy(copy, data, bytes);
	copy[bytes] = 0;
	s->inputs[s->count++] = (sov_module_input){label, copy, bytes};
	return CUDA_SUCCESS;
}

/* The image of a fat binary that the device prefers. */
static CUresult add_fat(CUlinkState s, const void *data, size_t bytes, const char *name)
{
	struct cuda_image image, best = {0};
	const char *why = NULL;
	unsigned rank = 0;
	size_t position = 0;
	CUresult e;

	while (cuda_fat_next(data, bytes, &position, &image, &why)) {
		unsigned r = cuda_image_rank(&image, s->context->device);

		if (r > rank)
			best = image, rank = r;
	}
	if (!why && !rank)
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	if (why || !cuda_image_unpack(&best, &why)) {
		cuda_log("cuLinkAddData: fat binary: %s", why);
		return CUDA_ERROR_INVALID_IMAGE;
	}
	s->all_ptx &= best.kind == IMAGE_PTX;
	e = add_copy(s, best.data, best.bytes, name);
	cuda_image_free(&best);
	return e;
}

static CUresult add_data(CUlinkState s, unsigned type, const void *data, size_t bytes,
			 const char *name)
{
	size_t length;

	switch (type) {
	case INPUT_PTX: /* with or without its terminator */
		length = strnlen(data, bytes);
		return length ? add_copy(s, data, length, name) : CUDA_ERROR_INVALID_PTX;
	case INPUT_CUBIN:
		if (bytes < 64 || memcmp(data, "\177ELF", 4))
			return CUDA_ERROR_INVALID_IMAGE;
		s->all_ptx = false;
		return add_copy(s, data, bytes, name);
	case INPUT_FATBINARY:
		return bytes >= 16 && cuda_image_is_fat(data) ? add_fat(s, data, bytes, name)
							      : CUDA_ERROR_INVALID_IMAGE;
	case INPUT_OBJECT:
		return cuda_missing("cuLinkAddData", "CU_JIT_INPUT_OBJECT: pass the cubin or PTX");
	case INPUT_LIBRARY:
		return cuda_missing("cuLinkAddData", "CU_JIT_INPUT_LIBRARY: pass its members");
	case INPUT_NVVM:
		return cuda_missing("cuLinkAddData", "CU_JIT_INPUT_NVVM: pass PTX");
	}
	return CUDA_ERROR_INVALID_VALUE;
}

/* Options of an input other than logs are hints; logs are those of the link. */
static CUresult check_input(CUlinkState s, unsigned count, const unsigned *options, void **values)
{
	struct jit_options ignored;

	if (!IS(s, LINK))
		return CUDA_ERROR_INVALID_HANDLE;
	if (s->image)
		return CUDA_ERROR_INVALID_VALUE;
	return cuda_jit_read(&ignored, count, options, values);
}

API cuLinkAddData_v2(CUlinkState s, unsigned type, void *data, size_t bytes, const char *name,
		     unsigned count, unsigned *options, void **values)
{
	CUresult e = check_input(s, count, options, values);

	if (e)
		return e;
	return data && bytes && type < INPUTS ? add_data(s, type, data, bytes, name)
					      : CUDA_ERROR_INVALID_VALUE;
}

API cuLinkAddData(CUlinkState s, unsigned type, void *data, size_t bytes, const char *name,
		  unsigned count, unsigned *options, void **values)
{
	return cuLinkAddData_v2(s, type, data, bytes, name, count, options, values);
}

API cuLinkAddFile_v2(CUlinkState s, unsigned type, const char *path, unsigned count,
		     unsigned *options, void **values)
{
	CUresult e = check_input(s, count, options, values);
	size_t bytes;
	void *data;

	if (e)
		return e;
	if (!path || type >= INPUTS)
		return CUDA_ERROR_INVALID_VALUE;
	data = cuda_read_file(path, &bytes);
	if (!data)
		return CUDA_ERROR_FILE_NOT_FOUND;
	e = bytes ? add_data(s, type, data, bytes, path) : CUDA_ERROR_INVALID_IMAGE;
	free(data);
	return e;
}

API cuLinkAddFile(CUlinkState s, unsigned type, const char *path, unsigned count, unsigned *options,
		  void **values)
{
	return cuLinkAddFile_v2(s, type, path, count, options, values);
}

API cuLinkComplete(CUlinkState s, void **image, size_t *bytes)
{
	sov_module_options o = SOV_INIT(sov_module_options);
	sov_result r;

	if (!IS(s, LINK))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!image || !s->count)
		return CUDA_ERROR_INVALID_VALUE;
	if (s->context->device->properties.max_cluster_blocks > 1)
		o.flags |= SOV_MODULE_CLUSTERS;
	if (!s->jit.level)
		o.flags |= SOV_MODULE_UNOPTIMISED;
	if (!s->image) {
		r = sov_module_link_image(s->context->sov, s->inputs, s->count, &o, &s->image,
					  &s->image_bytes);
		cuda_jit_report(&s->jit, r != SOV_OK);
		cuda_jit_finish(&s->jit);
		if (r == SOV_ERROR_INVALID_SOURCE) {
			cuda_result(r);
			return s->all_ptx ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_INVALID_IMAGE;
		}
		if (r)
			return cuda_context_result(s->context, r);
	}
	*image = s->image;
	if (bytes)
		*bytes = s->image_bytes;
	return CUDA_SUCCESS;
}

API cuLinkDestroy(CUlinkState s)
{
	if (!IS(s, LINK))
		return CUDA_ERROR_INVALID_HANDLE;
	for (uint32_t k = 0; k < s->count; k++) {
		free((void *)(uintptr_t)s->inputs[k].name);
		free((void *)(uintptr_t)s->inputs[k].data);
	}
	s->magic = 0;
	free(s->inputs);
	free(s->image);
	free(s);
	return CUDA_SUCCESS;
}
