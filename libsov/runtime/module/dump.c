// SPDX-License-Identifier: MIT
/*
 * SOV_DUMP_DIR: copies of every module that is loaded: the PTX (.ptx) or SPIR-V (.spv), the IR
 * after each compiler pass (.ir), the image and its disassembly (.cubin, .sass; AMD .co, .s). File
 * names consist of the process id, a number and the sanitised name of the first kernel. Existing
 * files are never overwritten.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/module/dump.h"

#define NAME_BYTES 64
#define MAX_TRIES  100000u

static char folder[PATH_MAX]; /* "": disabled */
static uint32_t next_number;

sov_result dump_init(void)
{
	const char *path = secure_getenv("SOV_DUMP_DIR");
	char full[PATH_MAX];
	struct stat st;

	if (!path || !*path || *folder)
		return SOV_OK;
	if (!realpath(path, full) || stat(full, &st))
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "SOV_DUMP_DIR: '%s': %s; it must be a writable directory", path,
				 strerror(errno));
	if (!S_ISDIR(st.st_mode) || access(full, W_OK | X_OK))
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "SOV_DUMP_DIR: '%s' is not a writable directory; name one", path);
	memcpy(folder, full, sizeof(folder));
	return SOV_OK;
}

bool dump_wanted(void)
{
	return *folder;
}

/* Replaces everything except letters, digits and underscores: the name comes from a file. */
static void sanitise_name(const char *name, char out[NAME_BYTES])
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	size_t n = 0;

	for (; *name && n < NAME_BYTES - 1; name++)
		out[n++] = strchr(allowed, *name) ? *name : '_';
	out[n] = 0;
}

static FILE *dump_create(const char *stem, const char *extension)
{
	char path[PATH_MAX + NAME_BYTES + 64];
	int file;

	snprintf(path, sizeof(path), "%s/%s.%s", folder, stem, extension);
	file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	return file < 0 ? NULL : fdopen(file, "w");
}

/* Closes a file and logs if it is incomplete. */
static void dump_finish(FILE *f, const char *stem, const char *extension)
{
	bool good = f && !ferror(f);

	if (f && fclose(f))
		good = false;
	if (!good)
		LOG(MODULE, ERROR, "SOV_DUMP_DIR: %s.%s was not written: %s", stem, extension,
		    strerror(errno));
}

static void write_bytes(const char *stem, const char *extension, const void *data, size_t bytes)
{
	FILE *f = dump_create(stem, extension);

	if (f)
		fwrite(data, 1, bytes, f);
	dump_finish(f, stem, extension);
}

static void write_passes(const char *stem, const struct dump *d)
{
	FILE *f = dump_create(stem, "ir");
	struct compile_options o = {
		.source = COMPILE_PTX,
		.target = d->target,
		.unoptimised = d->unoptimised,
		.serial = d->serial,
		.clusters = d->clusters,
		.spirv = d->spirv,
		.print_pass = "all",
		.print_to = f,
	};
	struct compile_result r;

	if (f) {
		compile(d->source, d->source_bytes, &o, &r);
		fputs(r.messages ? r.messages : "", f);
		compile_result_free(&r);
	}
	dump_finish(f, stem, "ir");
}

static void write_code(const char *stem, const struct dump *d)
{
	const struct image *im = d->image;
	FILE *f = dump_create(stem, d->gpu->code_extension);
	char text[256], wants[64];
	uint32_t i, at, bytes, word;

	for (i = 0; f && i < im->nkernels; i++) {
		const struct image_kernel *k = &im->kernels[i];

		d->gpu->supports(d->chip, im, wants, sizeof(wants));
		fprintf(f, "%s:  // %s, %u registers\n", k->name, wants, k->registers);
		for (at = 0; at + sizeof(word) <= k->code_bytes; at += bytes) {
			bytes = d->gpu->disassemble(d->chip, k, at, text, sizeof(text), NULL);
			memcpy(&word, k->code + at, sizeof(word));
			if (bytes)
				fprintf(f, "\t/*%04x*/ %s ;\n", at, text);
			else
				fprintf(f, "\t/*%04x*/ 0x%08x\n", at, word);
			bytes = bytes ? bytes : sizeof(word);
		}
	}
	dump_finish(f, stem, d->gpu->code_extension);
}

/* Finds an unused number: an earlier process may have had the same process id. */
static bool choose_stem(const char *extension, const char *kernel, char *stem, size_t bytes,
			FILE **first)
{
	char name[NAME_BYTES];
	uint32_t tries;

	sanitise_name(kernel, name);
	for (tries = 0; tries < MAX_TRIES; tries++) {
		uint32_t n = __atomic_fetch_add(&next_number, 1, __ATOMIC_RELAXED);

		snprintf(stem, bytes, "%ld-%u%s%s", (long)getpid(), n, *name ? "-" : "", name);
		*first = dump_create(stem, extension);
		if (*first || errno != EEXIST)
			return *first;
	}
	return false;
}

void dump_module(const struct dump *d)
{
	static const uint32_t spirv_magic = 0x07230203;
	bool spirv = d->source && d->source_bytes >= 4 && !memcmp(d->source, &spirv_magic, 4);
	const char *extension = spirv ? "spv" : d->source ? "ptx" : d->gpu->image_extension;
	const void *data = d->source ? d->source : d->file;
	size_t bytes = d->source ? d->source_bytes : d->file_bytes;
	const char *kernel = d->image && d->image->nkernels ? d->image->kernels[0].name : "";
	char stem[NAME_BYTES + 48];
	FILE *first;

	if (!choose_stem(extension, kernel, stem, sizeof(stem), &first)) {
		LOG(MODULE, ERROR, "SOV_DUMP_DIR: nothing was written: %s", strerror(errno));
		return;
	}
	fwrite(data, 1, bytes, first);
	dump_finish(first, stem, extension);
	if (d->source) {
		write_passes(stem, d);
		if (d->file)
			write_bytes(stem, d->gpu->image_extension, d->file, d->file_bytes);
	}
	if (d->image && d->image->nkernels)
		write_code(stem, d);
	LOG(MODULE, INFO, "dumped as %s/%s.*", folder, stem);
}
