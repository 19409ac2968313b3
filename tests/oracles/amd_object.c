// SPDX-License-Identifier: MIT
/*
 * Exchanges code objects with LLVM.
 *   amd_object write FILE   writes the code object of tests/userspace/compiler/amd/_module.h, for
 *                           LLVM's tools to read
 *   amd_object check FILE   checks that hidden arguments and initial registers of LLVM's code
 *                           object have the layout of our linker
 */
#include <stdio.h>
#include <stdlib.h>
#include "libsov/compiler/image/image_amd.h"
#include "tests/userspace/compiler/amd/_module.h"

static bool write_object(const char *path)
{
	static struct hand_module m;
	struct compile_image image;
	FILE *f = fopen(path, "wb");
	bool good = f && hand_build(&m);

	if (good) {
		hand_link(&m, IMAGE_WHOLE, &image);
		good = fwrite(image.data, 1, image.size, f) == image.size;
	}
	arena_free(&m.job.arena);
	return f && !fclose(f) && good;
}

/* Counts hidden arguments; returns false if one has another offset. */
static bool check_kernel(const struct image_kernel *k, uint32_t *hidden)
{
	const struct amd_kernel_descriptor *d = &image_amd_kernel(k)->descriptor;
	struct amd_initial_state s = {.user = d->properties & 0x7f};
	uint32_t base = amd_hidden_base(k->param_bytes), users = amd_user_sgpr(&s, UINT32_MAX);

	for (uint32_t h = 0; h < AMD_HIDDEN_COUNT; h++) {
		if (!image_amd_kernel(k)->hidden[h].bytes)
			continue;
		++*hidden;
		if (image_amd_kernel(k)->hidden[h].offset != base + amd_hidden_args[h].offset) {
			printf("# %s: %s is at %u, not at %u\n", k->name, amd_hidden_args[h].kind,
			       image_amd_kernel(k)->hidden[h].offset,
			       base + amd_hidden_args[h].offset);
			return false;
		}
	}
	if (AMD_RSRC2_USER_SGPRS(d->rsrc2) != users) {
		printf("# %s: %u user SGPRs, not %u\n", k->name, AMD_RSRC2_USER_SGPRS(d->rsrc2),
		       users);
		return false;
	}
	return true;
}

static bool check_object(const char *path)
{
	static uint8_t data[1 << 20];
	FILE *f = fopen(path, "rb");
	size_t size = f ? fread(data, 1, sizeof(data), f) : 0;
	uint32_t hidden = 0, good = 0;
	char message[256];
	struct image im;

	if (f)
		fclose(f);
	if (!image_read(&im, data, size, message, sizeof(message)))
		return printf("# %s\n", message), false;
	for (uint32_t k = 0; k < im.nkernels; k++)
		good += check_kernel(&im.kernels[k], &hidden);
	printf("%u of %u kernels, %u hidden arguments\n", good, im.nkernels, hidden);
	good = good && good == im.nkernels;
	image_free(&im);
	return good;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "write"))
		return !write_object(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "check"))
		return !check_object(argv[2]);
	return fprintf(stderr, "usage: amd_object write|check FILE\n"), 2;
}
