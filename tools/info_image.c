// SPDX-License-Identifier: MIT
/* sov info FILE: kernels, variables and sizes of an image of either vendor. */
#include <stdlib.h>
#include "hw/nv/bank0.h"
#include "libsov/compiler/image/image_amd.h"
#include "libsov/compiler/image/image_nv.h"
#include "tools/info.h"

static const char *const part_names[IMAGE_PARTS] = {"code", "data"};

/* Without what launches reserve on Hopper, as sov_function_get_attributes counts. */
static uint32_t own_shared(const struct image *im, const struct image_kernel *k)
{
	uint32_t reserved = image_nv_sm(im) >= 90 ? NV_SM90_RESERVED_SHARED : 0;

	return k->shared_bytes > reserved ? k->shared_bytes - reserved : 0;
}

static void print_kernel(const struct image *im, const struct image_kernel *k)
{
	printf("kernel %s: %u bytes of code, %u registers, %u bytes of shared memory, %u of "
	       "stack%s, "
	       "%u parameters in %u bytes\n",
	       k->name, k->code_bytes, k->registers, own_shared(im, k), k->stack_bytes,
	       k->calls ? " or more" : "", k->nparams, k->param_bytes);
	if (k->required_threads[0])
		printf("\tblocks of %u x %u x %u threads\n", k->required_threads[0],
		       k->required_threads[1], k->required_threads[2]);
	else if (k->max_threads)
		printf("\tblocks of up to %u threads\n", k->max_threads);
	if (im->format != &image_code_object)
		return;
	printf("\t%u kernarg bytes; hidden arguments:", image_amd_kernel(k)->kernarg_bytes);
	for (uint32_t h = 0; h < AMD_HIDDEN_COUNT; h++)
		if (image_amd_kernel(k)->hidden[h].bytes)
			printf(" %s at %u", amd_hidden_args[h].kind + sizeof("hidden_") - 1,
			       image_amd_kernel(k)->hidden[h].offset);
	printf("\n\trsrc1 0x%08x, rsrc2 0x%08x, rsrc3 0x%08x, properties 0x%04x\n",
	       image_amd_kernel(k)->descriptor.rsrc1, image_amd_kernel(k)->descriptor.rsrc2,
	       image_amd_kernel(k)->descriptor.rsrc3, image_amd_kernel(k)->descriptor.properties);
}

static void print_text(const struct image *im)
{
	printf("target %s: %u kernels, %u variables, %u relocations, %llu bytes of code, %llu of "
	       "data\n",
	       im->target, im->nkernels, im->nvariables, im->nrelocations,
	       (unsigned long long)im->part_bytes[IMAGE_CODE],
	       (unsigned long long)im->part_bytes[IMAGE_DATA]);
	for (uint32_t k = 0; k < im->nkernels; k++)
		print_kernel(im, &im->kernels[k]);
	for (uint32_t k = 0; k < im->ndeclared; k++)
		printf("kernel %s is in image %llu of this module\n", im->declared[k].name,
		       (unsigned long long)im->declared[k].unit);
	for (uint32_t k = 0; k < im->nvariables; k++)
		printf("variable %s: %llu bytes at 0x%llx of %s\n", im->variables[k].name,
		       (unsigned long long)im->variables[k].bytes,
		       (unsigned long long)im->variables[k].offset,
		       part_names[im->variables[k].part]);
}

static void kernel_json(struct json *j, const struct image *im, const struct image_kernel *k)
{
	json_object(j, NULL);
	json_string(j, "name", k->name);
	json_u64(j, "code_bytes", k->code_bytes);
	json_u64(j, "registers", k->registers);
	json_u64(j, "shared_bytes", own_shared(im, k));
	json_u64(j, "stack_bytes", k->stack_bytes);
	json_bool(j, "calls", k->calls);
	json_u64(j, "parameters", k->nparams);
	json_u64(j, "parameter_bytes", k->param_bytes);
	json_u64(j, "max_threads", k->max_threads);
	json_triple(j, "required_threads", k->required_threads);
	if (im->format == &image_code_object) {
		json_u64(j, "kernarg_bytes", image_amd_kernel(k)->kernarg_bytes);
		json_object(j, "hidden");
		for (uint32_t h = 0; h < AMD_HIDDEN_COUNT; h++)
			if (image_amd_kernel(k)->hidden[h].bytes)
				json_u64(j, amd_hidden_args[h].kind + sizeof("hidden_") - 1,
					 image_amd_kernel(k)->hidden[h].offset);
		json_end_object(j);
	}
	json_end_object(j);
}

static void print_json(const struct image *im)
{
	struct json j = {.out = stdout};

	json_object(&j, NULL);
	json_string(&j, "target", im->target);
	json_u64(&j, "code_bytes", im->part_bytes[IMAGE_CODE]);
	json_u64(&j, "data_bytes", im->part_bytes[IMAGE_DATA]);
	json_u64(&j, "relocations", im->nrelocations);
	json_array(&j, "kernels");
	for (uint32_t k = 0; k < im->nkernels; k++)
		kernel_json(&j, im, &im->kernels[k]);
	json_end_array(&j);
	json_array(&j, "variables");
	for (uint32_t k = 0; k < im->nvariables; k++) {
		json_object(&j, NULL);
		json_string(&j, "name", im->variables[k].name);
		json_u64(&j, "bytes", im->variables[k].bytes);
		json_u64(&j, "offset", im->variables[k].offset);
		json_string(&j, "part", part_names[im->variables[k].part]);
		json_end_object(&j);
	}
	json_end_array(&j);
	json_end_object(&j);
}

int info_image(const struct verb *v, const char *path, bool as_json)
{
	char message[256];
	struct image im;
	size_t size;
	void *file;
	bool good;

	if (!read_file(v, path, &file, &size))
		return EXIT_FAILED;
	good = image_read(&im, file, size, message, sizeof(message));
	if (!good)
		report_error(v, "'%s': %s", path, message);
	else if (as_json)
		print_json(&im);
	else
		print_text(&im);
	image_free(&im);
	free(file);
	return good ? EXIT_DONE : EXIT_FAILED;
}
