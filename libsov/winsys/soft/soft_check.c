// SPDX-License-Identifier: MIT
/* Checked programs: the variable SOV_CHECK, and the structures of the winsys and of the model for
 * allocations and reports. */
#include <stdio.h>
#include <string.h>
#include "libsov/winsys/soft/soft.h"
#include "libsov/winsys/winsys.h"

static const struct {
	const char *name;
	uint32_t checks;
} check_names[] = {
	{"memory", MODEL_CHECK_MEMORY},
	{"init", MODEL_CHECK_INIT},
	{"race", MODEL_CHECK_RACE},
	{"sync", MODEL_CHECK_SYNC},
	{"all", MODEL_CHECK_MEMORY | MODEL_CHECK_INIT | MODEL_CHECK_RACE | MODEL_CHECK_SYNC},
};
#define CHECK_NAMES (sizeof(check_names) / sizeof(check_names[0]))

static uint32_t checks_by_name(const char *name, size_t length)
{
	for (size_t i = 0; i < CHECK_NAMES; i++)
		if (strlen(check_names[i].name) == length &&
		    !strncmp(check_names[i].name, name, length))
			return check_names[i].checks;
	return 0;
}

bool soft_checks_parse(const char *text, uint32_t *checks, char *message, size_t message_bytes)
{
	*checks = 0;
	while (text && *text) {
		size_t length = strcspn(text, ",");
		uint32_t one = checks_by_name(text, length);

		if (!one) {
			snprintf(message, message_bytes,
				 "SOV_CHECK: '%.*s' is no check; known: memory init race sync all",
				 (int)length, text);
			return false;
		}
		*checks |= one;
		text += length + (text[length] == ',');
	}
	return true;
}

static struct model_origin origin_to_model(const struct winsys_origin *o)
{
	struct model_origin m = {.count = o->count};

	memcpy(m.frames, o->frames, sizeof(m.frames));
	return m;
}

static struct winsys_origin origin_from_model(const struct model_origin *m)
{
	struct winsys_origin o = {.count = m->count};

	memcpy(o.frames, m->frames, sizeof(o.frames));
	return o;
}

int soft_memory_allocated(struct model_space *s, const struct winsys_allocation *a)
{
	const struct model_memory memory = {
		.va = a->va,
		.bytes = a->bytes,
		.mapped = a->mapped,
		.initialised = a->initialised,
		.parts = a->parts,
		.origin = origin_to_model(&a->origin),
	};

	return model_memory_allocated(s, &memory);
}

void soft_memory_freed(struct model_space *s, uint64_t va, const struct winsys_origin *origin)
{
	const struct model_origin o = origin_to_model(origin);

	model_memory_freed(s, va, &o);
}

bool soft_report(struct model_space *s, struct winsys_report *out)
{
	static const char *const kinds[] = {
		[MODEL_REPORT_BOUNDS] = "out-of-bounds",
		[MODEL_REPORT_FREED] = "use-after-free",
		[MODEL_REPORT_ADDRESS] = "invalid-address",
		[MODEL_REPORT_MISALIGNED] = "misaligned",
		[MODEL_REPORT_UNINITIALISED] = "uninitialised",
		[MODEL_REPORT_RACE] = "race",
		[MODEL_REPORT_BARRIER] = "barrier",
		[MODEL_REPORT_FAULT] = "fault",
		[MODEL_REPORT_LIMIT] = "limit",
	};
	struct model_report r;

	if (!model_report_take(s, &r))
		return false;
	*out = (struct winsys_report){
		.kind = kinds[r.kind],
		.site_count = r.site_count,
		.address = r.address,
		.count = r.count,
		.has_allocation = r.has_allocation,
		.is_freed = r.is_freed,
		.va = r.va,
		.bytes = r.bytes,
		.allocated = origin_from_model(&r.allocated),
		.freed = origin_from_model(&r.freed),
	};
	memcpy(out->text, r.text, sizeof(out->text));
	for (uint32_t i = 0; i < r.site_count; i++) {
		struct winsys_report_site *to = &out->sites[i];
		const struct model_report_site *from = &r.sites[i];

		memcpy(to->access, from->access, sizeof(to->access));
		to->pc = from->pc;
		to->program = from->program;
		memcpy(to->block, from->block, sizeof(to->block));
		memcpy(to->thread, from->thread, sizeof(to->thread));
	}
	return true;
}
