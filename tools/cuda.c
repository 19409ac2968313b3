// SPDX-License-Identifier: MIT
/*
 * sov run-cuda and sov cuda-env: start CUDA programs with this project's libcuda.so.1 and libcudart
 * in front of NVIDIA's. The libraries lie in a folder of their own, which only LD_LIBRARY_PATH
 * names.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/program.h"

#ifndef SOV_CUDA_LIBDIR
#define SOV_CUDA_LIBDIR "/usr/local/lib/sovgpu/cuda"
#endif

/* Relative to the folder of sov: a build, and an installation below any prefix. */
static const char *const folders[] = {"cuda", "../lib/sovgpu/cuda", "../lib64/sovgpu/cuda"};

static bool has_library(const char *folder)
{
	char path[PATH_MAX + 128];

	snprintf(path, sizeof(path), "%s/libcuda.so.1", folder);
	return !access(path, R_OK);
}

/* The folder of the libraries in found, PATH_MAX bytes; false after a message. */
static bool find_folder(const struct verb *v, char *found)
{
	char self[PATH_MAX] = "", path[PATH_MAX + 64], *slash;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) > 0 &&
	    (slash = strrchr(self, '/'))) {
		*slash = 0;
		for (size_t k = 0; k < sizeof(folders) / sizeof(folders[0]); k++) {
			snprintf(path, sizeof(path), "%s/%s", self, folders[k]);
			if (has_library(path) && realpath(path, found))
				return true;
		}
	}
	if (has_library(SOV_CUDA_LIBDIR) && realpath(SOV_CUDA_LIBDIR, found))
		return true;
	report_error(v,
		     "there is no libcuda.so.1 near %s or in %s; run 'make install', or 'make' in "
		     "the source tree",
		     self, SOV_CUDA_LIBDIR);
	return false;
}

/* The path with the libraries first; malloc. */
static char *library_path(const char *folder)
{
	const char *old = getenv("LD_LIBRARY_PATH");
	size_t bytes = strlen(folder) + (old ? strlen(old) : 0) + 2;
	char *path = malloc(bytes);

	if (path)
		snprintf(path, bytes, "%s%s%s", folder, old && *old ? ":" : "", old ? old : "");
	return path;
}

/* Code that nvcc embeds, but no reference to a shared runtime: the runtime is in the program, and
 * is not that of libsov/cuda. */
static bool has_static_runtime(const void *data, size_t bytes)
{
	static const char own[] = "libcudart of sovgpu";

	return memmem(data, bytes, ".nv_fatbin", 10) && !memmem(data, bytes, "libcudart.so.", 13) &&
	       !memmem(data, bytes, own, sizeof(own) - 1);
}

/* The file that execvp will run; false: it does not exist, or has no path to be read. */
static bool find_program(const char *name, char *found)
{
	const char *p = getenv("PATH");

	if (strchr(name, '/'))
		return snprintf(found, PATH_MAX, "%s", name) < PATH_MAX;
	for (; p && *p; p += strcspn(p, ":") + !!strchr(p, ':')) {
		if (snprintf(found, PATH_MAX, "%.*s/%s", (int)strcspn(p, ":"), p, name) <
			    PATH_MAX &&
		    !access(found, X_OK))
			return true;
	}
	return false;
}

static const struct option no_options[] = {{0}};

static int run_cuda(const struct verb *v, int argc, char **argv)
{
	char folder[PATH_MAX], program[PATH_MAX], *path;
	size_t bytes;
	int count, status;
	void *data;

	if (!parse_options(v, no_options, argc, argv, &count, &status))
		return status;
	if (!count)
		return usage_error(v, "no program");
	if (!find_folder(v, folder))
		return EXIT_FAILED;
	if (find_program(argv[0], program) && !access(program, R_OK) &&
	    read_file(v, program, &data, &bytes)) {
		bool is_static = has_static_runtime(data, bytes);

		free(data);
		if (is_static) {
			report_error(
				v,
				"'%s' contains NVIDIA's CUDA runtime, which only works with "
				"NVIDIA's driver; build it with nvcc -cudart shared, or link it "
				"with nvcc -L %s",
				argv[0], folder);
			return EXIT_FAILED;
		}
	}
	path = library_path(folder);
	if (!path || setenv("LD_LIBRARY_PATH", path, 1)) {
		report_error(v, "no memory");
		return EXIT_FAILED;
	}
	execvp(argv[0], argv);
	status = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	report_error(v, "cannot run '%s': %s", argv[0], strerror(errno));
	return status;
}

static int cuda_env(const struct verb *v, int argc, char **argv)
{
	char folder[PATH_MAX];
	int count, status;

	if (!parse_options(v, no_options, argc, argv, &count, &status))
		return status;
	if (count)
		return usage_error(v, "unexpected operand '%s'", argv[0]);
	if (!find_folder(v, folder))
		return EXIT_FAILED;
	printf("export LD_LIBRARY_PATH='%s'${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n", folder);
	return flush_output(v) ? EXIT_DONE : EXIT_FAILED;
}

const struct verb verb_run_cuda = {
	.name = "run-cuda",
	.summary = "run a CUDA program with libcuda.so.1 and libcudart of sovgpu",
	.usage = "PROGRAM [ARGUMENT]...",
	.details = "The program must use the shared CUDA runtime (nvcc -cudart shared) or the\n"
		   "driver API, or be linked with libcudart_static.a of sovgpu. SOV_LOG=cuda names "
		   "calls that are not supported.\n",
	.run = run_cuda,
	.command = true,
};

const struct verb verb_cuda_env = {
	.name = "cuda-env",
	.summary = "print what a shell must export to run CUDA programs",
	.usage = "",
	.details = "Usage in a shell: eval \"$(sov cuda-env)\"\n",
	.run = cuda_env,
};
