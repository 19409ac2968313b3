// SPDX-License-Identifier: MIT
/*
 * Error state and locking of contexts. When the queue group reports an error, or work exceeds its
 * time limit, context_fail destroys the group immediately; the error is sticky until
 * sov_context_reset creates a new group around the same memory.
 *
 * No thread polls in the background. context_check detects errors: every call that takes the lock
 * runs it, and every wait runs it between two sleeps.
 */
#include <errno.h>
#include <string.h>
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/fault_record.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/context/context.h"

sov_result set_winsys_error(int error, const char *what)
{
	const char *detail = winsys_take_error();

	return set_error(error == -ENOMEM ? SOV_ERROR_OUT_OF_HOST_MEMORY : SOV_ERROR_DEVICE_LOST,
			 "%s failed: %s", what, *detail ? detail : strerror(-error));
}

/* ---- failing ---- */

/* Closing the gates comes first: afterwards no thread submits, and none sleeps in the winsys. */
void context_stop(struct context *c)
{
	const struct context_part *const *p;
	bool busy = false;

	for (p = c->parts; *p; p++)
		if ((*p)->quiesce)
			busy |= (*p)->quiesce(c);
	if (c->group && busy)
		c->winsys->group_stop(c->group);
	for (p = c->parts; *p; p++)
		if ((*p)->stop)
			(*p)->stop(c);
	gate_close(&c->sleepers);
	if (c->device->info.checks)
		context_print_reports(c);
	if (c->group)
		c->winsys->group_destroy(c->group);
	c->group = NULL;
	c->epoch++;
}

void context_collect_output(struct context *c)
{
	const struct context_part *const *p;

	for (p = c->parts; *p; p++)
		if ((*p)->collect_output)
			(*p)->collect_output(c);
}

void context_fail(struct context *c, const sov_fault *f)
{
	c->fault = *f;
	fault_format(f, c->device->properties.name, c->message, sizeof(c->message));
	c->error = f->result;
	LOG(CONTEXT, ERROR, "%s: %s", sov_result_name(f->result), c->message);
	context_stop(c);
	context_collect_output(c);
}

static void context_attribute_fault(const struct context *c, const struct winsys_error *e,
				    sov_fault *f)
{
	const struct context_part *const *p;

	for (p = c->parts; *p; p++)
		if ((*p)->attribute_fault)
			(*p)->attribute_fault(c, e, f);
}

static void context_check_assertion(const struct context *c, sov_fault *f)
{
	const struct context_part *const *p;

	for (p = c->parts; *p; p++)
		if ((*p)->check_assertion)
			(*p)->check_assertion(c, f);
}

/* The driver knows where the kernel was when it was stopped. */
static void context_locate_overdue(const struct context *c, const struct winsys_error *e,
				   sov_fault *f)
{
	sov_fault at;

	context_attribute_fault(c, e, &at);
	if (!*f->kernel)
		memcpy(f->kernel, at.kernel, sizeof(f->kernel));
	f->pc = at.pc;
	f->has_thread = at.has_thread;
	memcpy(f->block, at.block, sizeof(f->block));
	memcpy(f->thread, at.thread, sizeof(f->thread));
	memcpy(f->instruction, at.instruction, sizeof(f->instruction));
	memcpy(f->source, at.source, sizeof(f->source));
}

static void context_check_overdue(struct context *c)
{
	const struct context_part *const *p;
	struct winsys_error e = {0};
	sov_fault f;

	for (p = c->parts; c->group && *p; p++)
		if ((*p)->overdue && (*p)->overdue(c, &f)) {
			/* The work may be late because it faulted, which hardware reports late. */
			c->winsys->group_stop(c->group);
			if (c->winsys->group_error(c->group, &e)) {
				if (!e.stopped)
					context_attribute_fault(c, &e, &f);
				else if (e.pc)
					context_locate_overdue(c, &e, &f);
			}
			context_fail(c, &f);
		}
}

void context_print_reports(struct context *c)
{
	const struct context_part *const *p;

	for (p = c->parts; c->group && c->device->info.checks && *p; p++)
		if ((*p)->print_reports)
			(*p)->print_reports(c);
}

sov_result context_check(struct context *c)
{
	struct winsys_error e = {0};
	sov_fault f;

	if (c->closed)
		return set_error(SOV_ERROR_CANCELLED,
				 "another thread destroyed the context during this call");
	if (c->device->info.checks)
		context_print_reports(c);
	if (c->group && c->winsys->group_error(c->group, &e)) {
		context_attribute_fault(c, &e, &f);
		context_check_assertion(c, &f);
		context_fail(c, &f);
	}
	context_check_overdue(c);
	return c->error ? set_error(c->error, "%s", c->message) : SOV_OK;
}

sov_result context_status(struct context *c)
{
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	pthread_mutex_unlock(&c->lock);
	return r;
}

/* ---- entering and leaving ---- */

static struct context *context_lock(struct context *c, bool allow_failed, sov_result *r)
{
	pthread_mutex_lock(&c->lock);
	*r = context_check(c);
	if (*r && (c->closed || !allow_failed)) {
		pthread_mutex_unlock(&c->lock);
		return NULL;
	}
	return c;
}

static struct context *context_get_locked(sov_context handle, bool allow_failed, sov_result *r)
{
	struct context *c = object_get(handle, OBJECT_CONTEXT);

	*r = SOV_ERROR_INVALID_HANDLE;
	if (c && !context_lock(c, allow_failed, r)) {
		object_put(&c->object);
		return NULL;
	}
	return c;
}

struct context *context_enter(sov_context handle, sov_result *r)
{
	return context_get_locked(handle, false, r);
}

struct context *context_enter_failed(sov_context handle, sov_result *r)
{
	return context_get_locked(handle, true, r);
}

sov_result context_leave(struct context *c, sov_result r)
{
	pthread_mutex_unlock(&c->lock);
	object_put(&c->object);
	return r;
}

static void *member_get_locked(const void *handle, enum object_kind kind, bool allow_failed,
			       sov_result *r)
{
	struct member *m = object_get(handle, kind);

	*r = SOV_ERROR_INVALID_HANDLE;
	if (m && !context_lock(m->context, allow_failed, r)) {
		object_put(&m->object);
		return NULL;
	}
	return m;
}

void *member_enter(const void *handle, enum object_kind kind, sov_result *r)
{
	return member_get_locked(handle, kind, false, r);
}

void *member_enter_failed(const void *handle, enum object_kind kind, sov_result *r)
{
	return member_get_locked(handle, kind, true, r);
}

sov_result member_leave(void *member, sov_result r)
{
	struct member *m = member;

	pthread_mutex_unlock(&m->context->lock);
	object_put(&m->object);
	return r;
}

/* ---- members ---- */

sov_result member_publish(struct member *m, struct context *c, struct list_head *list,
			  const struct member_ops *ops)
{
	sov_result r;

	m->context = c;
	m->ops = ops;
	r = object_publish(&m->object, ops->kind, ops->destroy);
	if (r)
		return r;
	object_reference(&c->object);
	list_add_tail(list, &m->link);
	return SOV_OK;
}

void context_retire_members(struct list_head *list, struct member **retired)
{
	struct list_head *l;

	list_for_each(l, list)
	{
		struct member *m = container_of(l, struct member, link);

		if (object_retire(&m->object)) {
			m->next_retired = *retired;
			*retired = m;
		}
	}
}
