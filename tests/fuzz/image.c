// SPDX-License-Identifier: MIT
/*
 * Arbitrary images, cubins and code objects: the reader must reject them with a message, or
 * everything that the image refers to lies inside the file, the sections of a part do not overlap,
 * and the parts can be loaded into memory.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/image/image_amd.h"
#include "libsov/compiler/image/image_nv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static void check_name(const char *text, const uint8_t *data, size_t size)
{
	const uint8_t *name = (const uint8_t *)text;

	check(name >= data && name < data + size && memchr(name, 0, (size_t)(data + size - name)));
}

/* Checks that apply only to code objects. */
static void check_amd(const struct image *im, const struct image_kernel *k)
{
	uint64_t code = im->part_bytes[IMAGE_CODE];

	check(k->code_bytes % 4 == 0 && k->code_offset % 4 == 0);
	check(k->code_offset <= code && k->code_bytes <= code - k->code_offset);
	check(image_amd_kernel(k)->descriptor_offset <= code &&
	      code - image_amd_kernel(k)->descriptor_offset >= 64);
	check(image_amd_kernel(k)->descriptor_offset +
		      (uint64_t)image_amd_kernel(k)->descriptor.entry_offset ==
	      k->code_offset);
	check(k->param_bytes <= image_amd_kernel(k)->kernarg_bytes);
	for (uint32_t h = 0; h < AMD_HIDDEN_COUNT; h++)
		check(image_amd_kernel(k)->hidden[h].offset +
			      image_amd_kernel(k)->hidden[h].bytes <=
		      image_amd_kernel(k)->kernarg_bytes);
}

static void check_kernel(const struct image *im, const struct image_kernel *k, const uint8_t *data,
			 size_t size)
{
	check(k->code >= data && k->code_bytes <= size &&
	      (size_t)(k->code - data) <= size - k->code_bytes);
	check_name(k->name, data, size);
	check(k->registers >= 1 && k->registers <= 512);
	check(k->param_bytes <= IMAGE_MAX_PARAM_BYTES);
	if (im->format == &image_code_object)
		check_amd(im, k);
	else
		check(k->code_bytes % 16 == 0 && k->registers <= 256 &&
		      image_nv_kernel(k)->param_base + k->param_bytes <=
			      image_nv_kernel(k)->bank0_bytes);
	for (uint32_t p = 0; p < k->nparams; p++)
		check(k->params[p].size &&
		      k->params[p].offset + k->params[p].size <= k->param_bytes);
}

static void check_function(const struct image *im, const struct image_function *f,
			   const uint8_t *data, size_t size)
{
	uint64_t code = im->part_bytes[IMAGE_CODE];

	check(f->code >= data && f->code_bytes <= size &&
	      (size_t)(f->code - data) <= size - f->code_bytes);
	check_name(f->name, data, size);
	check(f->code_bytes && f->code_bytes % 4 == 0 && f->code_offset % 4 == 0);
	check(f->code_offset <= code && f->code_bytes <= code - f->code_offset);
}

static void check_lines(const struct image *im)
{
	for (uint32_t k = 0; k < im->nkernels && k < 4; k++) {
		uint32_t count;
		struct image_line *lines = image_lines(im, k, &count);
		char name[64];

		for (uint32_t i = 0; i < count; i++) {
			check(!i || lines[i - 1].offset <= lines[i].offset);
			image_line_print(&lines[i], name, sizeof(name));
		}
		free(lines);
	}
}

/* Loading larger parts is legal but slow. */
#define MAX_LOADED_BYTES (1u << 20)

static void check_sections(const struct image *im, const uint8_t *data, size_t size)
{
	uint64_t end[IMAGE_PARTS] = {0};

	for (uint32_t i = 0; i < im->nsections; i++) {
		const struct image_section *s = &im->sections[i];

		check(s->part < IMAGE_PARTS && s->offset >= end[s->part] &&
		      s->bytes <= im->part_bytes[s->part] - s->offset);
		end[s->part] = s->offset + s->bytes;
		check(!s->data || (s->data >= data && s->bytes <= size &&
				   (size_t)(s->data - data) <= size - s->bytes));
	}
	for (uint32_t i = 0; i < im->nvariables; i++)
		check(im->variables[i].bytes <= im->part_bytes[im->variables[i].part] &&
		      im->variables[i].offset <=
			      im->part_bytes[im->variables[i].part] - im->variables[i].bytes);
	for (uint32_t k = 0; k < im->nkernels && im->format == &image_cubin; k++)
		for (uint32_t b = 0; b < IMAGE_NV_BANKS; b++)
			check(image_nv_kernel(&im->kernels[k])->banks[b].bytes <=
				      IMAGE_NV_MAX_BANK_BYTES &&
			      image_nv_kernel(&im->kernels[k])->banks[b].offset % 64 == 0);
}

static void check_loading(const struct image *im)
{
	const struct image_addresses addresses = {{0x7e0000000000, 0x7f0000000000},
						  {0x7d0000000000}};

	for (uint32_t part = 0; part < IMAGE_PARTS; part++) {
		uint8_t *memory;

		if (im->part_bytes[part] > MAX_LOADED_BYTES)
			continue;
		memory = malloc(im->part_bytes[part] ? im->part_bytes[part] : 1);
		check(memory);
		image_load_part(im, (enum image_part)part, &addresses, memory);
		free(memory);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image im;
	char message[200];

	if (image_read(&im, data, size, message, sizeof(message))) {
		check(!message[0]); /* an image without kernels is legal */
		for (uint32_t k = 0; k < im.ndeclared; k++)
			check_name(im.declared[k].name, data, size);
		for (uint32_t k = 0; k < im.nkernels; k++)
			check_kernel(&im, &im.kernels[k], data, size);
		for (uint32_t k = 0; k < im.nfunctions; k++)
			check_function(&im, &im.functions[k], data, size);
		check_sections(&im, data, size);
		check_loading(&im);
		check_lines(&im);
	} else {
		check(!strncmp(message, "cubin: ", 7) || !strncmp(message, "code object: ", 13));
	}
	image_free(&im);
	return 0;
}
