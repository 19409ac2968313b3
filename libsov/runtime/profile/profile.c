// SPDX-License-Identifier: MIT
/*
 * SOV_PROFILE: the profile of a process. Software GPUs report the counters of each launch by
 * address; kernels that are loaded tell what is at an address. The sums are appended to the file
 * when the process exits, so that the processes of one program share a file.
 *
 * The file is text, a line per fact; the first word names it. docs/profile.md lists the lines.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libsov/isa/counts.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/profile/profile.h"

#define GRANULE    4u  /* bytes of code per counter: instructions begin at multiples of it */
#define MAX_SHAPES 64u /* of a kernel's launches, listed one by one */

typedef unsigned long long ull;

struct shape {
	uint32_t grid[3], block[3], cluster_blocks, registers, shared_bytes, local_bytes;
};

struct profiled_kernel {
	struct profiled_kernel *next;
	char *device, *target, *name, *lines; /* lines: as in the file */
	uint8_t *code;
	uint32_t code_bytes;
	struct counts *counts; /* by GRANULE */
	struct counts called;  /* of device services */
	uint64_t launches, touched_sectors;
	bool incomplete;
	uint32_t shape_count;
	struct {
		struct shape shape;
		uint64_t launches;
	} shapes[MAX_SHAPES];
};

/* Where a kernel is loaded. */
struct binding {
	struct binding *next;
	const struct winsys_group *group;
	uint64_t va;
	struct profiled_kernel *kernel;
};

static struct {
	pthread_mutex_t lock;
	int file;
	pid_t process;
	struct profiled_kernel *kernels; /* the latest first */
	struct binding *bindings;
	uint64_t lost; /* launches without a kernel, or without host memory for it */
} profile = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

/* ---- kernels ---- */

static void kernel_free(struct profiled_kernel *k)
{
	if (!k)
		return;
	free(k->device);
	free(k->target);
	free(k->name);
	free(k->lines);
	free(k->code);
	free(k->counts);
	free(k);
}

static bool kernel_is(const struct profiled_kernel *k, const struct context *c,
		      const struct image_kernel *image)
{
	return k->code_bytes == image->code_bytes && !strcmp(k->name, image->name) &&
	       !strcmp(k->device, c->device->properties.name) &&
	       !memcmp(k->code, image->code, image->code_bytes);
}

/* The kernel's source lines; NULL: out of host memory. */
static char *format_lines(const struct image *im, uint32_t kernel)
{
	uint32_t count = 0;
	struct image_line *lines = image_lines(im, kernel, &count);
	char *text = NULL, path[4096];
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	for (uint32_t i = 0; f && i < count; i++) {
		const struct image_line *l = &lines[i];

		snprintf(path, sizeof(path), "%s%s%s", l->directory, *l->directory ? "/" : "",
			 l->line ? l->file : "");
		for (char *at = path; *at; at++)
			*at = *at == '\n' ? ' ' : *at;
		fprintf(f, "line %u %u %s\n", l->offset, l->line, path);
	}
	free(lines);
	if (f && fclose(f)) {
		free(text);
		text = NULL;
	}
	return text;
}

static struct profiled_kernel *kernel_create(const struct context *c, const struct image *im,
					     const struct image_kernel *image)
{
	struct profiled_kernel *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->code_bytes = image->code_bytes;
	k->device = strdup(c->device->properties.name);
	k->target = strdup(c->device->properties.target);
	k->name = strdup(image->name);
	k->lines = format_lines(im, (uint32_t)(image - im->kernels));
	k->code = malloc(image->code_bytes + 1);
	k->counts = calloc(image->code_bytes / GRANULE + 1, sizeof(*k->counts));
	if (!k->device || !k->target || !k->name || !k->lines || !k->code || !k->counts) {
		kernel_free(k);
		return NULL;
	}
	memcpy(k->code, image->code, image->code_bytes);
	k->next = profile.kernels;
	return profile.kernels = k;
}

/* Forgets what was loaded there before. */
static void bindings_remove(const struct winsys_group *g, uint64_t va, uint64_t bytes)
{
	for (struct binding **at = &profile.bindings, *b; (b = *at);) {
		if (b->group == g && b->va < va + bytes && va < b->va + b->kernel->code_bytes) {
			*at = b->next;
			free(b);
		} else {
			at = &b->next;
		}
	}
}

void profile_add_kernel(const struct context *c, const struct image *im,
			const struct image_kernel *image, uint64_t va)
{
	struct binding *b;

	if (profile.file < 0 || !c->device->info.software)
		return;
	pthread_mutex_lock(&profile.lock);
	bindings_remove(c->group, va, image->code_bytes);
	b = calloc(1, sizeof(*b));
	if (b) {
		*b = (struct binding){profile.bindings, c->group, va, profile.kernels};
		while (b->kernel && !kernel_is(b->kernel, c, image))
			b->kernel = b->kernel->next;
		if (!b->kernel)
			b->kernel = kernel_create(c, im, image);
		if (b->kernel)
			profile.bindings = b;
		else
			free(b);
	}
	pthread_mutex_unlock(&profile.lock);
}

/* ---- launches ---- */

static struct binding *binding_at(const struct winsys_group *g, uint64_t va)
{
	struct binding *b = profile.bindings;

	while (b && (b->group != g || va - b->va >= b->kernel->code_bytes))
		b = b->next;
	return b;
}

/* Launches of shapes beyond the limit count as the last one's. */
static void kernel_add_shape(struct profiled_kernel *k, const struct launch_counts *l)
{
	struct shape s = {.cluster_blocks = l->cluster_blocks,
			  .registers = l->registers,
			  .shared_bytes = l->shared_bytes,
			  .local_bytes = l->local_bytes};
	uint32_t i;

	memcpy(s.grid, l->grid, sizeof(s.grid));
	memcpy(s.block, l->block, sizeof(s.block));
	for (i = 0; i < k->shape_count && memcmp(&k->shapes[i].shape, &s, sizeof(s)); i++)
		;
	if (i == MAX_SHAPES)
		i--;
	else if (i == k->shape_count)
		k->shapes[k->shape_count++].shape = s;
	k->shapes[i].launches++;
}

static void profile_launch(const struct winsys_group *g, const struct launch_counts *l)
{
	struct profiled_kernel *k;
	struct binding *b;

	pthread_mutex_lock(&profile.lock);
	b = binding_at(g, l->program);
	k = b ? b->kernel : NULL;
	profile.lost += !k;
	if (k) {
		k->launches++;
		k->touched_sectors += l->touched_sectors;
		k->incomplete |= l->incomplete;
		kernel_add_shape(k, l);
	}
	for (uint32_t i = 0; k && i < l->count; i++) {
		uint64_t at = l->sites[i].pc - b->va;

		counts_add(at < k->code_bytes ? &k->counts[at / GRANULE] : &k->called,
			   &l->sites[i].counts);
	}
	pthread_mutex_unlock(&profile.lock);
}

/* ---- the file ---- */

static void write_counts(FILE *f, const char *word, const struct counts *n)
{
	fputs(word, f);
#define COUNT_PRINT(name) fprintf(f, " %llu", (ull)n->name);
	COUNTS(COUNT_PRINT)
#undef COUNT_PRINT
	fputc('\n', f);
}

static void write_kernel(FILE *f, const struct profiled_kernel *k)
{
	char word[32];

	fprintf(f, "kernel %s %s %s\n", k->device, k->target, k->name);
	fprintf(f, "launches %llu %llu %u\n", (ull)k->launches, (ull)k->touched_sectors,
		k->incomplete);
	for (uint32_t i = 0; i < k->shape_count; i++) {
		const struct shape *s = &k->shapes[i].shape;

		fprintf(f, "shape %llu %u %u %u %u %u %u %u %u %u %u\n", (ull)k->shapes[i].launches,
			s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1], s->block[2],
			s->cluster_blocks, s->registers, s->shared_bytes, s->local_bytes);
	}
	fputs("code ", f);
	for (uint32_t i = 0; i < k->code_bytes; i++)
		fprintf(f, "%02x", k->code[i]);
	fputc('\n', f);
	fputs(k->lines, f);
	for (uint32_t i = 0; i < k->code_bytes / GRANULE; i++) {
		if (!k->counts[i].executed)
			continue;
		snprintf(word, sizeof(word), "at %u", i * GRANULE);
		write_counts(f, word, &k->counts[i]);
	}
	if (k->called.executed)
		write_counts(f, "called", &k->called);
}

static bool write_all(const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(profile.file, text, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		text += n;
		bytes -= (size_t)n;
	}
	return true;
}

/* At exit. A child of fork() that opened no device has counted nothing. */
static void profile_finish(void)
{
	char *text = NULL;
	size_t bytes = 0;
	bool good;
	FILE *f;

	if (profile.file < 0 || getpid() != profile.process)
		return;
	pthread_mutex_lock(&profile.lock);
	f = open_memstream(&text, &bytes);
	if (f) {
		fprintf(f, "process %d %llu\n", (int)getpid(), (ull)profile.lost);
		for (const struct profiled_kernel *k = profile.kernels; k; k = k->next)
			if (k->launches)
				write_kernel(f, k);
		fputs("end\n", f);
	}
	good = f && !fclose(f);
	if (good) {
		flock(profile.file, LOCK_EX);
		good = write_all(text, bytes);
		flock(profile.file, LOCK_UN); /* children may have the file open */
	}
	if (!good)
		fprintf(stderr, "libsov: SOV_PROFILE: writing failed: %s\n", strerror(errno));
	free(text);
	close(profile.file);
	profile.file = -1;
	pthread_mutex_unlock(&profile.lock);
}

sov_result profile_init(void)
{
	const char *path = secure_getenv("SOV_PROFILE");
	bool is_child = profile.process && profile.process != getpid();
	struct stat st;

	if (!path || !*path || (profile.file >= 0 && !is_child))
		return SOV_OK;
	if (is_child) { /* what the parent counted is the parent's */
		pthread_mutex_init(&profile.lock, NULL);
		profile.kernels = NULL;
		profile.bindings = NULL;
		profile.lost = 0;
		if (profile.file >= 0) /* whose lock would be the parent's, too */
			close(profile.file);
	}
	/* Without a reader, opening a FIFO fails instead of waiting for one. */
	profile.file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
	if (profile.file < 0)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "SOV_PROFILE: cannot write '%s': %s; name a file that can be "
				 "written",
				 path, strerror(errno));
	if (fstat(profile.file, &st) || !S_ISREG(st.st_mode)) {
		close(profile.file);
		profile.file = -1;
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "SOV_PROFILE: '%s' is not a regular file; name one", path);
	}
	if (!profile.process)
		atexit(profile_finish);
	profile.process = getpid();
	winsys_counted = profile_launch;
	return SOV_OK;
}
