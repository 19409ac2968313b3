/* SPDX-License-Identifier: MIT */
/* Opens a library of $(BUILD)/cuda, next to which the tests are built, and finds its calls. */
#ifndef TESTS_CUDA_LOAD_H
#define TESTS_CUDA_LOAD_H

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *library;

__attribute__((unused)) static void load_library(const char *name)
{
	char self[PATH_MAX] = "", path[PATH_MAX + 64], *tests;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 ||
	    !(tests = strstr(self, "/tests/cuda/"))) {
		printf("Bail out! the test does not lie below a build's folder tests\n");
		exit(1);
	}
	snprintf(path, sizeof(path), "%.*s/cuda/%s", (int)(tests - self), self, name);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		printf("Bail out! %s\n", dlerror());
		exit(1);
	}
}

__attribute__((unused)) static void *call(const char *name)
{
	void *p = dlsym(library, name);

	if (!p) {
		printf("Bail out! %s\n", dlerror());
		exit(1);
	}
	return p;
}

/* CALL(cuMemAlloc_v2)(&p, 4) calls the library's function of the declared type. */
#define CALL(name) ((__typeof__(&name))(uintptr_t)call(#name))

#endif
