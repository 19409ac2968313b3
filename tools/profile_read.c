// SPDX-License-Identifier: MIT
/*
 * Reads a profile (docs/profile.md lists its lines), adds the processes of a program up, and sums
 * the counters by source line, pipe and kernel.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/demangle.h"
#include "tools/profile.h"

#define MAX_CODE_BYTES (64u << 20)

struct reader {
	struct profile *profile;
	struct profile_kernel *kernel; /* of the last kernel line; NULL: none yet */
	uint32_t line;                 /* of the file */
	char *why;
	size_t why_bytes;
};

__attribute__((format(printf, 2, 3))) static bool read_error(struct reader *r, const char *fmt, ...)
{
	int n = snprintf(r->why, r->why_bytes, "line %u: ", r->line);
	va_list ap;

	va_start(ap, fmt);
	if (n > 0 && (size_t)n < r->why_bytes)
		vsnprintf(r->why + n, r->why_bytes - (size_t)n, fmt, ap);
	va_end(ap);
	return false;
}

/* Makes room for one more element; NULL: out of host memory. */
static void *grow(void **list, uint32_t count, uint32_t *capacity, size_t bytes)
{
	if (count == *capacity) {
		uint32_t more = *capacity ? *capacity * 2 : 16;
		void *larger = realloc(*list, more * bytes);

		if (!larger)
			return NULL;
		*list = larger;
		*capacity = more;
	}
	return memset((char *)*list + count * bytes, 0, bytes);
}

/* ---- words of a line ---- */

static bool next_number(char **rest, uint64_t max, uint64_t *out)
{
	char *end;

	if (**rest < '0' || **rest > '9')
		return false;
	*out = strtoull(*rest, &end, 10);
	if (*out > max || (*end && *end != ' '))
		return false;
	*rest = *end ? end + 1 : end;
	return true;
}

static bool next_u32s(char **rest, uint32_t *out, uint32_t count)
{
	uint64_t n;

	for (uint32_t i = 0; i < count; i++) {
		if (!next_number(rest, UINT32_MAX, &n))
			return false;
		out[i] = (uint32_t)n;
	}
	return true;
}

static char *next_word(char **rest)
{
	char *word = *rest, *end = strchr(word, ' ');

	if (!end)
		return NULL;
	*end = 0;
	*rest = end + 1;
	return word;
}

static bool next_counts(char **rest, struct counts *n)
{
#define COUNT_READ(name) \
	if (!next_number(rest, UINT64_MAX, &n->name)) \
		return false;
	COUNTS(COUNT_READ)
#undef COUNT_READ
	return !**rest;
}

/* ---- lines of the file ---- */

static bool read_process(struct reader *r, char *rest)
{
	uint64_t pid, lost;

	r->kernel = NULL;
	if (!next_number(&rest, UINT64_MAX, &pid) || !next_number(&rest, UINT64_MAX, &lost) ||
	    *rest)
		return read_error(r, "process: a number and a count are needed");
	r->profile->processes++;
	r->profile->lost += lost;
	return true;
}

static bool read_kernel(struct reader *r, char *rest)
{
	struct profile *p = r->profile;
	char *device = next_word(&rest), *target = device ? next_word(&rest) : NULL, shown[1024];
	struct profile_kernel *k;

	if (!target || !*rest)
		return read_error(r, "kernel: device, target and name are needed");
	k = grow((void **)&p->kernels, p->kernel_count, &p->kernel_capacity, sizeof(*k));
	if (!k)
		return read_error(r, "no host memory");
	p->kernel_count++;
	r->kernel = k;
	k->granule = strncmp(target, "sm_", 3) ? 4 : 16;
	k->device = strdup(device);
	k->target = strdup(target);
	k->name = strdup(rest);
	k->shown = strdup(demangle(rest, shown, sizeof(shown)));
	return (k->device && k->target && k->name && k->shown) || read_error(r, "no host memory");
}

static bool read_launches(struct reader *r, char *rest)
{
	uint64_t launches, sectors, incomplete;

	if (!next_number(&rest, UINT64_MAX, &launches) ||
	    !next_number(&rest, UINT64_MAX, &sectors) || !next_number(&rest, 1, &incomplete) ||
	    *rest)
		return read_error(r, "launches: two counts and 0 or 1 are needed");
	r->kernel->launches += launches;
	r->kernel->touched_sectors += sectors;
	r->kernel->incomplete |= incomplete;
	return true;
}

static bool read_shape(struct reader *r, char *rest)
{
	struct profile_kernel *k = r->kernel;
	struct profile_shape *s =
		grow((void **)&k->shapes, k->shape_count, &k->shape_capacity, sizeof(*s));

	if (!s)
		return read_error(r, "no host memory");
	if (!next_number(&rest, UINT64_MAX, &s->launches) || !next_u32s(&rest, s->grid, 3) ||
	    !next_u32s(&rest, s->block, 3) || !next_u32s(&rest, &s->cluster_blocks, 1) ||
	    !next_u32s(&rest, &s->registers, 1) || !next_u32s(&rest, &s->shared_bytes, 1) ||
	    !next_u32s(&rest, &s->local_bytes, 1) || *rest)
		return read_error(r, "shape: eleven numbers are needed");
	for (uint32_t i = 0; i < 3; i++)
		if (!s->grid[i] || !s->block[i] || s->block[i] > 1024)
			return read_error(r, "shape: there is no such grid or block");
	k->shape_count++;
	return true;
}

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_code(struct reader *r, char *rest)
{
	struct profile_kernel *k = r->kernel;
	size_t bytes = strlen(rest) / 2;

	if (k->code || strlen(rest) % 2 || bytes > MAX_CODE_BYTES || bytes % k->granule)
		return read_error(r, "code: whole instructions in hexadecimal are needed, once");
	k->code = malloc(bytes + 1);
	if (!k->code)
		return read_error(r, "no host memory");
	k->code_bytes = (uint32_t)bytes;
	for (size_t i = 0; i < bytes; i++) {
		int high = hex(rest[2 * i]), low = hex(rest[2 * i + 1]);

		if (high < 0 || low < 0)
			return read_error(r, "code: '%c%c' is not hexadecimal", rest[2 * i],
					  rest[2 * i + 1]);
		k->code[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static bool read_line(struct reader *r, char *rest)
{
	struct profile_kernel *k = r->kernel;
	struct profile_row *row =
		grow((void **)&k->rows, k->row_count, &k->row_capacity, sizeof(*row));

	if (!row)
		return read_error(r, "no host memory");
	if (!next_u32s(&rest, &row->offset, 1) || !next_u32s(&rest, &row->line, 1))
		return read_error(r, "line: an offset, a number and a file are needed");
	row->file = strdup(rest);
	if (!row->file)
		return read_error(r, "no host memory");
	k->row_count++;
	return true;
}

static bool read_site(struct reader *r, char *rest)
{
	struct profile_kernel *k = r->kernel;
	struct profile_site *s =
		grow((void **)&k->sites, k->site_count, &k->site_capacity, sizeof(*s));

	if (!s)
		return read_error(r, "no host memory");
	if (!next_u32s(&rest, &s->offset, 1) || !next_counts(&rest, &s->counts))
		return read_error(r, "at: an offset and the counters are needed");
	if (s->offset % k->granule || s->offset >= k->code_bytes ||
	    (k->site_count && s->offset <= s[-1].offset))
		return read_error(r, "at: %u is no offset in the code, or out of order", s->offset);
	k->site_count++;
	return true;
}

static bool read_called(struct reader *r, char *rest)
{
	struct counts n;

	if (!next_counts(&rest, &n))
		return read_error(r, "called: the counters are needed");
	counts_add(&r->kernel->called, &n);
	return true;
}

static bool read_end(struct reader *r, char *rest)
{
	r->kernel = NULL;
	return !*rest || read_error(r, "end: nothing follows it");
}

static const struct {
	const char *word;
	bool (*read)(struct reader *r, char *rest);
	bool in_kernel;
} readers[] = {
	{"process", read_process, false},  {"kernel", read_kernel, false},
	{"launches", read_launches, true}, {"shape", read_shape, true},
	{"code", read_code, true},         {"line", read_line, true},
	{"at", read_site, true},           {"called", read_called, true},
	{"end", read_end, false},
};

static bool read_one(struct reader *r, char *text)
{
	char *rest = text + strcspn(text, " ");

	if (*rest)
		*rest++ = 0;
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		if (strcmp(readers[i].word, text))
			continue;
		if (!r->profile->processes && readers[i].read != read_process)
			return read_error(r, "the first line begins with 'process'");
		if (readers[i].in_kernel && !r->kernel)
			return read_error(r, "'%s' belongs to no kernel", text);
		return readers[i].read(r, rest);
	}
	return read_error(r, "'%.32s' is not a word of a profile", text);
}

/* ---- adding up ---- */

static void kernel_free(struct profile_kernel *k)
{
	free(k->device);
	free(k->target);
	free(k->name);
	free(k->shown);
	free(k->code);
	free(k->shapes);
	for (uint32_t i = 0; i < k->row_count; i++)
		free(k->rows[i].file);
	free(k->rows);
	free(k->sites);
	for (uint32_t i = 0; i < k->line_count; i++)
		free(k->lines[i].text);
	free(k->lines);
}

static bool same_kernel(const struct profile_kernel *a, const struct profile_kernel *b)
{
	return !strcmp(a->device, b->device) && !strcmp(a->name, b->name) &&
	       a->code_bytes == b->code_bytes &&
	       (!a->code_bytes || !memcmp(a->code, b->code, a->code_bytes));
}

/* Both are in order of offsets. */
static bool add_sites(struct profile_kernel *to, const struct profile_kernel *from)
{
	uint32_t a = 0, b = 0, n = 0, capacity = to->site_count + from->site_count;
	struct profile_site *sites = calloc(capacity + 1, sizeof(*sites));

	if (!sites)
		return false;
	while (a < to->site_count || b < from->site_count) {
		bool first = b == from->site_count ||
			     (a < to->site_count && to->sites[a].offset <= from->sites[b].offset);
		bool both = first && b < from->site_count &&
			    to->sites[a].offset == from->sites[b].offset;

		sites[n] = first ? to->sites[a++] : from->sites[b++];
		if (both)
			counts_add(&sites[n].counts, &from->sites[b++].counts);
		n++;
	}
	free(to->sites);
	to->sites = sites;
	to->site_count = n;
	to->site_capacity = capacity + 1;
	return true;
}

static bool add_shapes(struct profile_kernel *to, const struct profile_kernel *from)
{
	for (uint32_t i = 0; i < from->shape_count; i++) {
		struct profile_shape like = from->shapes[i], *s;
		uint32_t k;

		for (k = 0; k < to->shape_count; k++) {
			like.launches = to->shapes[k].launches;
			if (!memcmp(&like, &to->shapes[k], sizeof(like)))
				break;
		}
		if (k < to->shape_count) {
			to->shapes[k].launches += from->shapes[i].launches;
			continue;
		}
		s = grow((void **)&to->shapes, to->shape_count, &to->shape_capacity, sizeof(*s));
		if (!s)
			return false;
		*s = from->shapes[i];
		to->shape_count++;
	}
	return true;
}

/* Kernels with the same code become one. */
static bool join_kernels(struct profile *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->kernel_count; i++) {
		struct profile_kernel *k = &p->kernels[i], *same = NULL;

		for (uint32_t j = 0; j < n && !same; j++)
			if (same_kernel(&p->kernels[j], k))
				same = &p->kernels[j];
		if (!same) {
			struct profile_kernel moved = *k;

			memset(k, 0, sizeof(*k));
			p->kernels[n++] = moved;
			continue;
		}
		same->launches += k->launches;
		same->touched_sectors += k->touched_sectors;
		same->incomplete |= k->incomplete;
		counts_add(&same->called, &k->called);
		if (!add_sites(same, k) || !add_shapes(same, k))
			return false;
		kernel_free(k);
		memset(k, 0, sizeof(*k));
	}
	p->kernel_count = n;
	return true;
}

/* ---- sums ---- */

/* Rows and sites are in order of offsets: *row is the first row after the site before. */
static void site_find_line(const struct profile_kernel *k, struct profile_site *s, uint32_t *row)
{
	while (*row < k->row_count && k->rows[*row].offset <= s->offset)
		(*row)++;
	if (!*row)
		return;
	s->line = k->rows[*row - 1].line;
	s->file = k->rows[*row - 1].file;
}

static struct profile_line *line_of(struct profile_kernel *k, uint32_t site)
{
	const struct profile_site *s = &k->sites[site];

	for (uint32_t i = 0; s->line && i < k->line_count; i++)
		if (k->lines[i].line == s->line && !strcmp(k->lines[i].file, s->file))
			return &k->lines[i];
	k->lines[k->line_count] =
		(struct profile_line){.file = s->file, .line = s->line, .first = site};
	return &k->lines[k->line_count++];
}

static int compare_lines(const void *a, const void *b)
{
	const struct profile_line *x = a, *y = b;

	if (x->counts.executed != y->counts.executed)
		return x->counts.executed < y->counts.executed ? 1 : -1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int compare_shapes(const void *a, const void *b)
{
	uint64_t x = ((const struct profile_shape *)a)->launches,
		 y = ((const struct profile_shape *)b)->launches;

	return x < y ? 1 : x > y ? -1 : 0;
}

static bool sum_kernel(struct profile_kernel *k)
{
	uint32_t row = 0;

	k->lines = calloc(k->site_count + 1, sizeof(*k->lines));
	if (!k->lines)
		return false;
	for (uint32_t i = 0; i < k->site_count; i++) {
		struct profile_site *s = &k->sites[i];
		struct profile_line *l;

		code_decode(k->target, k->code, s->offset, k->code_bytes - s->offset, k->granule,
			    &s->inst);
		site_find_line(k, s, &row);
		l = line_of(k, i);
		counts_add(&l->counts, &s->counts);
		l->cycles += (double)s->counts.executed * s->inst.cycles;
		counts_add(&k->total, &s->counts);
		k->by_pipe[s->inst.pipe] += s->counts.executed;
		k->flops[s->inst.precision] +=
			s->inst.flops * (double)(s->inst.precision == PRECISION_TENSOR
							 ? s->counts.executed
							 : s->counts.threads);
	}
	qsort(k->lines, k->line_count, sizeof(*k->lines), compare_lines);
	if (k->shape_count)
		qsort(k->shapes, k->shape_count, sizeof(*k->shapes), compare_shapes);
	return true;
}

static int compare_kernels(const void *a, const void *b)
{
	const struct profile_kernel *x = a, *y = b;

	if (x->total.executed != y->total.executed)
		return x->total.executed < y->total.executed ? 1 : -1;
	return strcmp(x->name, y->name);
}

bool profile_parse(char *text, struct profile *p, char *why, size_t why_bytes)
{
	struct reader r = {.profile = p, .why = why, .why_bytes = why_bytes};
	bool good = true;

	memset(p, 0, sizeof(*p));
	for (char *next; good && *text; text = next) {
		next = text + strcspn(text, "\n");
		if (*next)
			*next++ = 0;
		r.line++;
		good = read_one(&r, text);
	}
	if (good && !p->processes)
		good = read_error(&r, "the profile is empty");
	if (good && !join_kernels(p))
		good = read_error(&r, "no host memory");
	for (uint32_t i = 0; good && i < p->kernel_count; i++)
		good = sum_kernel(&p->kernels[i]) || read_error(&r, "no host memory");
	if (good && p->kernel_count)
		qsort(p->kernels, p->kernel_count, sizeof(*p->kernels), compare_kernels);
	return good;
}

void profile_free(struct profile *p)
{
	for (uint32_t i = 0; i < p->kernel_count; i++)
		kernel_free(&p->kernels[i]);
	free(p->kernels);
}
