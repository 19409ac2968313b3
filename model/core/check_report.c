// SPDX-License-Identifier: MIT
/* The reports of an address space, until its owner takes them. An error that repeats, by other
 * threads or in other launches, is one report with a count: it is the same if it has the same kind
 * and instructions. */
#include <stdio.h>

#include "model/core/check_internal.h"
#include "model/core/model_internal.h"

const char *access_name(enum check_access_kind kind)
{
	static const char *const names[] = {
		[CHECK_READ] = "load",
		[CHECK_WRITE] = "store",
		[CHECK_ATOMIC] = "atomic",
		[CHECK_ASYNC_READ] = "asynchronous load",
		[CHECK_ASYNC_WRITE] = "asynchronous store",
	};

	return names[kind];
}

/* The last report stands for all those that are not kept. */
static void report_limit(struct check_space *s)
{
	struct model_report *r = &s->reports[CHECK_MAX_REPORTS - 1];

	if (s->report_count == CHECK_MAX_REPORTS) {
		r->count++;
		return;
	}
	s->report_count++;
	*r = (struct model_report){.kind = MODEL_REPORT_LIMIT, .count = 1};
	snprintf(r->text, sizeof(r->text), "more than %u different reports; no others are shown",
		 CHECK_MAX_REPORTS - 1);
}

struct model_report *report_new(struct check_space *s, enum model_report_kind kind, uint64_t pc,
				uint64_t other_pc)
{
	struct model_report *r;

	for (uint32_t i = 0; i < s->report_count; i++) {
		r = &s->reports[i];
		if (r->kind != kind || r->sites[0].pc != pc || r->sites[1].pc != other_pc)
			continue;
		r->count++;
		return NULL;
	}
	if (s->report_count >= CHECK_MAX_REPORTS - 1) {
		report_limit(s);
		return NULL;
	}
	r = &s->reports[s->report_count++];
	*r = (struct model_report){.kind = kind, .site_count = 1, .count = 1};
	r->sites[0].pc = pc;
	r->sites[1].pc = other_pc;
	return r;
}

void report_place(const struct check_launch *l, struct model_report_site *site, uint32_t block,
		  uint32_t thread, uint64_t pc)
{
	const uint32_t *size = l->grid.size, *threads = l->grid.block;

	site->pc = pc;
	site->program = l->grid.program;
	site->block[0] = block % size[0];
	site->block[1] = block / size[0] % size[1];
	site->block[2] = block / size[0] / size[1];
	site->thread[0] = thread % threads[0];
	site->thread[1] = thread / threads[0] % threads[1];
	site->thread[2] = thread / threads[0] / threads[1];
}

struct model_report *report_access(struct check_block *b, const struct check_access *a,
				   uint32_t lane, uint64_t address, enum model_report_kind kind,
				   uint64_t other_pc)
{
	static const char *const memories[] = {"", " shared", " local"};
	struct model_report *r = report_new(b->space, kind, a->pc, other_pc);

	if (!r)
		return NULL;
	report_place(b->launch, &r->sites[0], b->linear, a->warp * CHECK_LANES + lane, a->pc);
	snprintf(r->sites[0].access, sizeof(r->sites[0].access), "%s of %u%s bytes",
		 access_name(a->kind), a->bytes, memories[a->memory]);
	r->address = address;
	return r;
}

void report_allocation(struct model_report *r, const struct check_range *range, bool is_freed)
{
	r->has_allocation = true;
	r->is_freed = is_freed;
	r->va = range->memory.va;
	r->bytes = range->memory.bytes;
	r->allocated = range->memory.origin;
	r->freed = range->freed;
}

void check_failed(struct check_space *s, const struct model_error *e)
{
	enum model_report_kind kind =
		e->fault == MODEL_FAULT_MISALIGNED ? MODEL_REPORT_MISALIGNED
		: e->fault == MODEL_FAULT_BARRIER  ? MODEL_REPORT_BARRIER
		: e->fault == MODEL_FAULT_SHARED_RANGE || e->fault == MODEL_FAULT_LOCAL_RANGE
			? MODEL_REPORT_BOUNDS
			: MODEL_REPORT_FAULT;
	struct model_report *r;

	if (e->fault == MODEL_FAULT_STOPPED)
		return;
	pthread_mutex_lock(&s->lock);
	r = report_new(s, kind, e->pc, 0);
	if (r) {
		snprintf(r->text, sizeof(r->text), "%s", e->text);
		r->address = e->address;
		r->site_count = e->pc ? 1 : 0;
		r->sites[0].program = e->program;
		memcpy(r->sites[0].block, e->cta, sizeof(e->cta));
		memcpy(r->sites[0].thread, e->thread, sizeof(e->thread));
	}
	pthread_mutex_unlock(&s->lock);
}

/* Taking a report leaves it in the list, so that it is not made again. */
bool model_report_take(struct model_space *space, struct model_report *out)
{
	struct check_space *s = space->check;
	bool found;

	if (!s)
		return false;
	pthread_mutex_lock(&s->lock);
	found = s->reports_taken < s->report_count;
	if (found)
		*out = s->reports[s->reports_taken++];
	pthread_mutex_unlock(&s->lock);
	return found;
}
