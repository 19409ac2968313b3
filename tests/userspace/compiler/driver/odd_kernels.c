// SPDX-License-Identifier: MIT
/*
 * Machine code of odd kernels, one per file of tests/userspace/compiler/driver/odd, on every
 * software GPU and in every mode, computes the same as the IR interpreter. Each file says what is
 * odd.
 *
 *	odd_kernels [FILE …]
 */
#include <dirent.h>
#include "tests/userspace/compiler/driver/_agree.h"

#define FOLDER "tests/userspace/compiler/driver/odd"

static void try_file(const char *path)
{
	static const uint32_t threads[] = {AGREE_MAX_THREADS, 64, 33, 1};
	static char text[1 << 20];
	FILE *file = fopen(path, "rb");
	size_t size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	bool good = size > 0;

	if (file)
		fclose(file);
	text[size] = 0;
	for (uint32_t i = 0; good && i < sizeof(threads) / sizeof(threads[0]);
	     i += 1 + TAP_SLOWNESS / 4) {
		agree_inputs(i, threads[i]);
		good = agree_interpret(text) && agree_everywhere(text);
	}
	ok(good, "%s agrees with the interpreter on every device and mode", path);
}

static int is_ptx(const struct dirent *d)
{
	const char *end = strrchr(d->d_name, '.');

	return end && !strcmp(end, ".ptx");
}

static void try_folder(void)
{
	struct dirent **list;
	int n = scandir(FOLDER, &list, is_ptx, alphasort);
	char path[512];

	ok(n > 0, FOLDER " contains kernels");
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), FOLDER "/%s", list[i]->d_name);
		try_file(path);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

int main(int argc, char **argv)
{
	if (!agree_start()) {
		ok(false, "software GPUs start for odd kernels");
		return tap_done();
	}
	if (argc < 2)
		try_folder();
	for (int i = 1; i < argc; i++)
		try_file(argv[i]);
	for (uint32_t n = 0; n < AGREE_DEVICES; n++)
		sov_context_destroy(agree.contexts[n]);
	return tap_done();
}
