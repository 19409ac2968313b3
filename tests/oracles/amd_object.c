// SPDX-License-Identifier: MIT
/* Writes the code object of tests/userspace/amd/_module.h for LLVM's tools to read. usage: amd_object FILE */
#include <stdio.h>
#include "tests/userspace/amd/_module.h"

int main(int argc, char **argv)
{
	static struct hand_module m;
	struct compile_image image;
	FILE *f = argc > 1 ? fopen(argv[1], "wb") : NULL;
	bool good;

	if (!f)
		return fprintf(stderr, "usage: amd_object FILE\n"), 2;
	good = hand_build(&m);
	if (good) {
		hand_link(&m, IMAGE_OF_ALL, &image);
		good = fwrite(image.data, 1, image.size, f) == image.size;
	}
	arena_free(&m.job.arena);
	return fclose(f) || !good;
}
