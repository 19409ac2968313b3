// SPDX-License-Identifier: MIT
/* Prints a report of a checked program: what is wrong, where, which instruction it collides with,
 * and who allocated and freed the memory. A context prints its reports whenever it looks for
 * errors, and at the end of the process. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libsov/runtime/base/demangle.h"
#include "libsov/runtime/base/fault_record.h"
#include "libsov/runtime/base/text.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/check_reports.h"
#include "libsov/runtime/fault.h"
#include "libsov/runtime/memory/origin.h"

#define MAX_REPORT 16384

static const char *site_role(const struct winsys_report *r, uint32_t i)
{
	return i ? "earlier" : r->site_count > 1 ? "here" : "";
}

static void site_text(const struct context *c, const struct winsys_report *r, uint32_t i,
		      char *text, size_t bytes)
{
	const struct winsys_report_site *s = &r->sites[i];
	sov_fault f;

	fault_locate(c, s->pc, s->program, &f);
	text_append(text, bytes, "\n    %s%s", site_role(r, i), r->site_count > 1 ? ": " : "");
	text_append(text, bytes, "kernel '%s' on %s, block (%u, %u, %u), thread (%u, %u, %u)",
		    *f.kernel ? DEMANGLED(f.kernel) : "?", c->device->properties.name, s->block[0],
		    s->block[1], s->block[2], s->thread[0], s->thread[1], s->thread[2]);
	if (f.pc != UINT64_MAX)
		text_append(text, bytes, ", at +0x%llx: %s", (unsigned long long)f.pc,
			    f.instruction);
	if (*f.source)
		text_append(text, bytes, ", %s", f.source);
}

static void origin_text(const char *what, const struct winsys_origin *o, char *text, size_t bytes)
{
	char name[256];

	for (uint32_t i = 0; i < o->count; i++) {
		origin_frame_name(o->frames[i], name, sizeof(name));
		text_append(text, bytes, "%s%s", i ? ", " : what, name);
	}
}

static void report_text(const struct context *c, const struct winsys_report *r, char *text,
			size_t bytes)
{
	*text = 0;
	text_append(text, bytes, "sov check: %s: %s", r->kind, r->text);
	for (uint32_t i = 0; i < r->site_count; i++)
		site_text(c, r, i, text, bytes);
	if (r->has_allocation) {
		origin_text("\n    allocated by ", &r->allocated, text, bytes);
		if (r->is_freed)
			origin_text("\n    freed by ", &r->freed, text, bytes);
	}
	if (r->count > 1)
		text_append(text, bytes, "\n    %llu times", (unsigned long long)r->count);
	text_append(text, bytes, "\n");
}

/* ---- JSON ---- */

static void json_text(char *out, size_t bytes, const char *key, const char *value)
{
	text_append(out, bytes, "\"%s\": \"", key);
	for (; *value; value++) {
		unsigned char byte = (unsigned char)*value;

		if (byte == '"' || byte == '\\')
			text_append(out, bytes, "\\%c", byte);
		else if (byte < ' ')
			text_append(out, bytes, "\\u%04x", byte);
		else
			text_append(out, bytes, "%c", byte);
	}
	text_append(out, bytes, "\"");
}

static void json_site(const struct context *c, const struct winsys_report_site *s, char *out,
		      size_t bytes)
{
	sov_fault f;

	fault_locate(c, s->pc, s->program, &f);
	text_append(out, bytes, "{");
	json_text(out, bytes, "access", s->access);
	text_append(out, bytes, ", ");
	json_text(out, bytes, "kernel", DEMANGLED(f.kernel));
	text_append(out, bytes, ", \"block\": [%u, %u, %u], \"thread\": [%u, %u, %u]", s->block[0],
		    s->block[1], s->block[2], s->thread[0], s->thread[1], s->thread[2]);
	if (f.pc != UINT64_MAX)
		text_append(out, bytes, ", \"pc\": %llu", (unsigned long long)f.pc);
	text_append(out, bytes, ", ");
	json_text(out, bytes, "instruction", f.instruction);
	text_append(out, bytes, ", ");
	json_text(out, bytes, "source", f.source);
	text_append(out, bytes, "}");
}

static void json_origin(const char *key, const struct winsys_origin *o, char *out, size_t bytes)
{
	char name[256];

	text_append(out, bytes, ", \"%s\": [", key);
	for (uint32_t i = 0; i < o->count; i++) {
		origin_frame_name(o->frames[i], name, sizeof(name));
		text_append(out, bytes, "%s{", i ? ", " : "");
		json_text(out, bytes, "frame", name);
		text_append(out, bytes, "}");
	}
	text_append(out, bytes, "]");
}

static void report_json(const struct context *c, const struct winsys_report *r, const char *text,
			char *out, size_t bytes)
{
	*out = 0;
	text_append(out, bytes, "{");
	json_text(out, bytes, "kind", r->kind);
	text_append(out, bytes, ", ");
	json_text(out, bytes, "device", c->device->properties.name);
	text_append(out, bytes, ", ");
	json_text(out, bytes, "message", r->text);
	text_append(out, bytes, ", \"address\": \"0x%llx\", \"count\": %llu, \"sites\": [",
		    (unsigned long long)r->address, (unsigned long long)r->count);
	for (uint32_t i = 0; i < r->site_count; i++) {
		text_append(out, bytes, "%s", i ? ", " : "");
		json_site(c, &r->sites[i], out, bytes);
	}
	text_append(out, bytes, "]");
	if (r->has_allocation) {
		text_append(out, bytes,
			    ", \"allocation\": {\"address\": \"0x%llx\", \"bytes\": %llu",
			    (unsigned long long)r->va, (unsigned long long)r->bytes);
		json_origin("allocated", &r->allocated, out, bytes);
		if (r->is_freed)
			json_origin("freed", &r->freed, out, bytes);
		text_append(out, bytes, "}");
	}
	text_append(out, bytes, ", ");
	json_text(out, bytes, "text", text);
	text_append(out, bytes, "}\n");
}

/* One write for each report, so that those of several processes stay whole. */
static bool append_to_file(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	size_t bytes = strlen(text);
	bool good = file >= 0 && write(file, text, bytes) == (ssize_t)bytes;

	if (file >= 0)
		close(file);
	return good;
}

static void check_print(struct context *c, const struct winsys_report *r)
{
	const char *path = secure_getenv("SOV_CHECK_FILE");
	char *text = malloc(2 * MAX_REPORT), *json = text + MAX_REPORT;

	if (!text)
		return;
	report_text(c, r, text, MAX_REPORT / 2);
	if (path && *path) {
		report_json(c, r, text, json, MAX_REPORT);
		if (!append_to_file(path, json))
			fprintf(stderr, "SOV_CHECK_FILE: cannot write '%s': %s\n%s", path,
				strerror(errno), text);
	} else {
		fputs(text, stderr);
	}
	free(text);
}

/* ---- the contexts ---- */

/* The contexts on devices that check. */
struct checked_context {
	struct list_head link;
	struct context *context;
};

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list_head all = {&all, &all};

static void print_reports(struct context *c)
{
	struct winsys_report r;

	while (c->winsys->report(c->group, &r))
		check_print(c, &r);
}

/* A program need not destroy its contexts. One whose lock is held is in a call that prints. */
static void print_at_exit(void)
{
	struct list_head *l;

	pthread_mutex_lock(&all_lock);
	list_for_each(l, &all)
	{
		struct context *c = container_of(l, struct checked_context, link)->context;

		if (pthread_mutex_trylock(&c->lock))
			continue;
		if (c->group)
			print_reports(c);
		pthread_mutex_unlock(&c->lock);
	}
	pthread_mutex_unlock(&all_lock);
}

/* In a child of fork(): the contexts are the parent's, which prints their reports. */
static void forget_contexts(void)
{
	pthread_mutex_init(&all_lock, NULL);
	list_init(&all);
}

static void call_at_exit(void)
{
	atexit(print_at_exit);
	pthread_atfork(NULL, NULL, forget_contexts);
}

static sov_result check_create(struct context *c)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct checked_context *k;

	if (!c->device->info.checks)
		return SOV_OK;
	k = calloc(1, sizeof(*k));
	if (!k)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a context");
	pthread_once(&once, call_at_exit);
	k->context = c;
	c->checked = k;
	pthread_mutex_lock(&all_lock);
	list_add_tail(&all, &k->link);
	pthread_mutex_unlock(&all_lock);
	return SOV_OK;
}

static void check_destroy(struct context *c)
{
	if (!c->checked)
		return;
	pthread_mutex_lock(&all_lock);
	list_del(&c->checked->link);
	pthread_mutex_unlock(&all_lock);
	free(c->checked);
}

const struct context_part check_part = {
	.create = check_create,
	.print_reports = print_reports,
	.destroy = check_destroy,
};
