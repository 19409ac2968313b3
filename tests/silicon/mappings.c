// SPDX-License-Identifier: MIT
/*
 * Preloaded into a program, writes the paths of the GPU libraries in its address space to the file
 * that SILICON_MAPPINGS names when the program ends, a line per mapping. A process that loaded none
 * of them, such as a shell, writes nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((destructor)) static void write_mappings(void)
{
	static const char *const libraries[] = {"/libcuda", "/libnvidia", "/libsov"};
	const char *to = getenv("SILICON_MAPPINGS");
	FILE *maps = to ? fopen("/proc/self/maps", "r") : NULL;
	FILE *out = maps ? fopen(to, "a") : NULL;
	char line[4096];
	size_t i;

	while (out && fgets(line, sizeof(line), maps))
		for (i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
			if (strstr(line, libraries[i]))
				fputs(strchr(line, '/'), out);
	if (out)
		fclose(out);
	if (maps)
		fclose(maps);
}
