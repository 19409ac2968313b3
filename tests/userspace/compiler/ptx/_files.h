/* SPDX-License-Identifier: MIT */
/* Reads all files of a folder, in the order of their names. */
#ifndef TESTS_PTX_FILES_H
#define TESTS_PTX_FILES_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file's contents with a terminating zero, from malloc; exits if it cannot be read. */
static inline char *file_read(const char *path, size_t *length)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t n = 0, got;

	if (!f) {
		fprintf(stderr, "cannot open %s\n", path);
		exit(1);
	}
	do {
		text = realloc(text, n + 65536 + 1);
		got = fread(text + n, 1, 65536, f);
		n += got;
	} while (got);
	text[n] = '\0';
	fclose(f);
	*length = n;
	return text;
}

/* Calls each() for every file with the suffix and returns their number. */
static inline int files_each(const char *folder, const char *suffix,
			     void (*each)(const char *name, const char *text, size_t length))
{
	struct dirent **names;
	int n = scandir(folder, &names, NULL, alphasort), used = 0;

	for (int i = 0; i < n; i++) {
		size_t have = strlen(names[i]->d_name), length;
		char path[512], *text;

		if (have > strlen(suffix) &&
		    !strcmp(names[i]->d_name + have - strlen(suffix), suffix)) {
			snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
			text = file_read(path, &length);
			each(names[i]->d_name, text, length);
			free(text);
			used++;
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return used;
}

#endif
