/* SPDX-License-Identifier: MIT */
/*
 * Copies of every program that is loaded, in the folder SOV_DUMP_DIR: what came in (.ptx), what each
 * pass of the compiler makes of it (.ir), the image and its machine code as text (.cubin, .sass; of AMD .co, .s).
 * Names begin with the process and a number and hold the first kernel's name, as far as it is
 * harmless. Files are only ever created: what is there already, by whomever, is left alone.
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
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/runtime.h"

#define NAME_BYTES 64
#define MAX_TRIES  100000u

static char folder[PATH_MAX]; /* "": none is wanted */
static uint32_t number;

sov_result dump_init(void)
{
	const char *path = getenv("SOV_DUMP_DIR");
	char full[PATH_MAX];
	struct stat st;

	if (!path || !*path || *folder)
		return SOV_OK;
	if (!realpath(path, full) || stat(full, &st))
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "SOV_DUMP_DIR: '%s': %s; it must be a folder that can be written to",
			      path, strerror(errno));
	if (!S_ISDIR(st.st_mode) || access(full, W_OK | X_OK))
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "SOV_DUMP_DIR: '%s' is no folder that can be written to; name one",
			      path);
	memcpy(folder, full, sizeof(folder));
	return SOV_OK;
}

bool dump_wanted(void)
{
	return *folder;
}

/* Letters, digits and underscores of a name; it comes out of a file and may be anything. */
static void harmless(const char *name, char out[NAME_BYTES])
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	size_t n = 0;

	for (; *name && n < NAME_BYTES - 1; name++)
		out[n++] = strchr(allowed, *name) ? *name : '_';
	out[n] = 0;
}

static FILE *create(const char *stem, const char *extension)
{
	char path[PATH_MAX + NAME_BYTES + 64];
	int file;

	snprintf(path, sizeof(path), "%s/%s.%s", folder, stem, extension);
	file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	return file < 0 ? NULL : fdopen(file, "w");
}

/* A file is whole or it is said that it is not. */
static void finish(FILE *f, const char *stem, const char *extension)
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
	FILE *f = create(stem, extension);

	if (f)
		fwrite(data, 1, bytes, f);
	finish(f, stem, extension);
}

static void write_passes(const char *stem, const struct dump *d)
{
	FILE *f = create(stem, "ir");
	struct compile_options o = {
		.source = COMPILE_PTX,
		.target = d->target,
		.unoptimised = d->unoptimised,
		.serial = d->serial,
		.print_pass = "all",
		.print_to = f,
	};
	struct compile_result r;

	if (f) {
		compile(d->source, d->source_bytes, &o, &r);
		fputs(r.messages ? r.messages : "", f);
		compile_result_free(&r);
	}
	finish(f, stem, "ir");
}

static void write_code(const char *stem, const struct dump *d)
{
	const struct image *im = d->image;
	FILE *f = create(stem, d->gpu->code_extension);
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
	finish(f, stem, d->gpu->code_extension);
}

/* The first number of ours that nobody has used: of a process of the same number before us. */
static bool choose_stem(const char *extension, const char *kernel, char *stem, size_t bytes,
			FILE **first)
{
	char name[NAME_BYTES];
	uint32_t tries;

	harmless(kernel, name);
	for (tries = 0; tries < MAX_TRIES; tries++) {
		uint32_t n = __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED);

		snprintf(stem, bytes, "%ld-%u%s%s", (long)getpid(), n, *name ? "-" : "", name);
		*first = create(stem, extension);
		if (*first || errno != EEXIST)
			return *first;
	}
	return false;
}

void dump_module(const struct dump *d)
{
	const char *extension = d->source ? "ptx" : d->gpu->image_extension;
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
	finish(first, stem, extension);
	if (d->source) {
		write_passes(stem, d);
		if (d->file)
			write_bytes(stem, d->gpu->image_extension, d->file, d->file_bytes);
	}
	if (d->image && d->image->nkernels)
		write_code(stem, d);
	LOG(MODULE, INFO, "dumped as %s/%s.*", folder, stem);
}
