// SPDX-License-Identifier: MIT
/*
 * Lazy compilation. A unit is uncompiled, being compiled by a thread, loaded, or failed for good. A
 * thread that asks for a unit which another thread compiles waits; units are compiled concurrently.
 * The lock is not held while compiling. The PTX text is parsed when the module is loaded, or, if
 * the head came from the cache, when a unit is missing there; the text is known to be valid then.
 *
 * References: the head holds one to each of its units until it is retired, and each unit holds one
 * to the head, for its variables.
 */
#include "libsov/runtime/module/lazy_compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/module/compile_cache.h"

#define MIN_LAZY_UNITS 4   /* smaller modules are compiled when loaded */
#define WAIT_SECONDS   600 /* timeout for another thread's compilation */

enum unit_state { UNIT_UNCOMPILED, UNIT_COMPILING, UNIT_LOADED, UNIT_FAILED };

struct unit {
	enum unit_state state;
	struct compile_result result; /* image until it is installed; messages of a failure */
	bool compiled;
	struct module *module; /* a reference; NULL: not loaded */
};

struct lazy {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct compile_options options;
	struct cache *cache;
	char *text; /* NULL: was parsed */
	size_t bytes;
	struct compilation *compilation; /* NULL: not parsed yet, or all units are compiled */
	bool reading;                    /* a thread parses the text */
	bool retired;
	struct unit *units;
	uint32_t nunits, left; /* left: not compiled yet */
};

/* ---- loading ---- */

static struct lazy *lazy_new(const struct compile_options *o, struct cache *cache)
{
	struct lazy *l = calloc(1, sizeof(*l));
	pthread_condattr_t attributes;

	if (!l)
		return NULL;
	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&l->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	l->options = *o;
	l->cache = cache;
	return l;
}

static void lazy_free(struct lazy *l)
{
	if (!l)
		return;
	for (uint32_t k = 0; k < l->nunits; k++)
		compile_result_free(&l->units[k].result);
	compilation_close(l->compilation);
	cache_close(l->cache);
	pthread_cond_destroy(&l->changed);
	pthread_mutex_destroy(&l->lock);
	free(l->units);
	free(l->text);
	free(l);
}

static bool lazy_keep_text(struct lazy *l, const char *text, size_t bytes)
{
	l->text = malloc(bytes + 1);
	if (!l->text)
		return false;
	memcpy(l->text, text, bytes);
	l->bytes = bytes;
	return true;
}

static bool compile_whole(struct compilation *c, struct cache *cache, struct compile_result *r)
{
	bool good;

	free(r->messages);
	good = compilation_all(c, r);
	if (good)
		cache_add(cache, CACHE_ALL, r);
	return good;
}

static bool compile_head(struct compilation *c, struct cache *cache, struct compile_result *r)
{
	free(r->messages);
	if (!compilation_head(c, r))
		return false;
	cache_add(cache, CACHE_HEAD, r);
	return true;
}

bool lazy_compile(const char *text, size_t bytes, const struct compile_options *o, bool eager,
		  struct compile_result *r, struct lazy **lazy)
{
	struct cache *cache = cache_open(text, bytes, o);
	bool found = cache_find(cache, CACHE_ALL, r), good = found;
	struct compilation *c = NULL;

	*lazy = NULL;
	if (!found && !eager && cache_find(cache, CACHE_HEAD, r)) {
		*lazy = lazy_new(o, cache);
		if (*lazy && lazy_keep_text(*lazy, text, bytes))
			return true;
		compile_result_free(r); /* without memory, as if it was not in the cache */
		if (*lazy)
			(*lazy)->cache = NULL;
		lazy_free(*lazy);
		*lazy = NULL;
	}
	if (!found)
		c = compilation_open(text, bytes, o, r);
	if (c && !eager && compilation_units(c) >= MIN_LAZY_UNITS)
		*lazy = lazy_new(o, cache);
	if (*lazy) {
		(*lazy)->compilation = c;
		good = compile_head(c, cache, r);
		if (good)
			return true;
		lazy_free(*lazy);
		*lazy = NULL;
		return false;
	}
	if (c)
		good = compile_whole(c, cache, r);
	compilation_close(c);
	cache_close(cache);
	return good;
}

/* ---- looking up kernels ---- */

/* Waits for another thread's progress, with the lock held; false: timed out. */
static bool wait_for_others(struct lazy *l, const struct timespec *deadline)
{
	return pthread_cond_timedwait(&l->changed, &l->lock, deadline) != ETIMEDOUT;
}

/* Parses the text, which compiled without errors before. Releases the lock while it parses. */
static sov_result lazy_parse_text(struct lazy *l, const struct timespec *deadline)
{
	struct compilation *c;
	struct compile_result r;

	while (l->reading)
		if (!wait_for_others(l, deadline))
			return set_error(SOV_ERROR_TIMEOUT,
					 "another thread has been reading the module's "
					 "text for %u s",
					 WAIT_SECONDS);
	if (l->compilation)
		return SOV_OK;
	l->reading = true;
	pthread_mutex_unlock(&l->lock);
	c = compilation_open(l->text, l->bytes, &l->options, &r);
	pthread_mutex_lock(&l->lock);
	l->reading = false;
	pthread_cond_broadcast(&l->changed);
	l->compilation = c;
	if (c) {
		free(l->text);
		l->text = NULL;
	} else {
		module_messages_set(r.messages);
		r.messages = NULL;
	}
	compile_result_free(&r);
	return c ? SOV_OK
		 : set_error(SOV_ERROR_INVALID_SOURCE, "%.*s",
			     (int)strcspn(sov_module_messages(), "\n"), sov_module_messages());
}

/* Compiles a unit that the caller has marked. Releases the lock while it compiles. */
static sov_result unit_compile(struct lazy *l, uint32_t number, const struct timespec *deadline)
{
	struct unit *u = &l->units[number];
	struct compilation *c;
	sov_result r = SOV_OK;
	bool found;

	if (u->compiled)
		return SOV_OK;
	pthread_mutex_unlock(&l->lock);
	found = cache_find(l->cache, number, &u->result);
	pthread_mutex_lock(&l->lock);
	if (!found)
		r = lazy_parse_text(l, deadline);
	if (r)
		return r;
	c = l->compilation;
	pthread_mutex_unlock(&l->lock);
	if (!found && compilation_unit(c, number, &u->result))
		cache_add(l->cache, number, &u->result);
	pthread_mutex_lock(&l->lock);
	u->compiled = true;
	if (!--l->left) {
		compilation_close(l->compilation);
		l->compilation = NULL;
	}
	return SOV_OK;
}

static sov_result set_unit_error(const struct unit *u)
{
	module_messages_set(u->result.messages ? strdup(u->result.messages) : NULL);
	return set_error(SOV_ERROR_INVALID_SOURCE, "%.*s",
			 (int)strcspn(sov_module_messages(), "\n"), sov_module_messages());
}

/* Compiles and loads a unit that the caller has marked. Releases the lock for that time. */
static sov_result unit_load(struct module *m, uint32_t number, const struct timespec *deadline)
{
	struct lazy *l = m->lazy;
	struct unit *u = &l->units[number];
	struct module *unit = NULL;
	sov_result r = unit_compile(l, number, deadline);

	if (r)
		return r;
	if (!u->result.image) {
		u->state = UNIT_FAILED;
		return SOV_OK;
	}
	pthread_mutex_unlock(&l->lock);
	r = module_install_unit(m, u->result.image, u->result.image_size, &unit);
	pthread_mutex_lock(&l->lock);
	if (r)
		return r;
	compile_result_free(&u->result);
	/* A thread that unloads the module sets m->unloading first and cannot have seen this
	 * unit. */
	unit->unloading = m->unloading;
	u->module = unit;
	u->state = UNIT_LOADED;
	return SOV_OK;
}

/* The module was retired during the compilation: drops the reference that lazy_retire could not
 * see. */
static sov_result unit_abandon(struct lazy *l, struct unit *u)
{
	struct module *unit = u->module;

	u->module = NULL;
	pthread_mutex_unlock(&l->lock);
	if (unit)
		module_drop(unit);
	pthread_mutex_lock(&l->lock);
	return set_error(SOV_ERROR_INVALID_HANDLE,
			 "the module was unloaded while a kernel of it was compiled");
}

/* Waits until the unit is loaded or has failed, and compiles it if no thread does. Releases the
 * lock while it waits or compiles. */
static sov_result unit_need(struct module *m, uint32_t number)
{
	struct unit *u = &m->lazy->units[number];
	struct lazy *l = m->lazy;
	struct timespec deadline;
	sov_result r = SOV_OK;

	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += WAIT_SECONDS;
	while (u->state == UNIT_COMPILING && !l->retired)
		if (!wait_for_others(l, &deadline))
			return set_error(SOV_ERROR_TIMEOUT,
					 "another thread has been compiling the kernel "
					 "for %u s",
					 WAIT_SECONDS);
	if (u->state == UNIT_UNCOMPILED && !l->retired) {
		u->state = UNIT_COMPILING;
		r = unit_load(m, number, &deadline);
		if (r)
			u->state = UNIT_UNCOMPILED;
		pthread_cond_broadcast(&l->changed);
	}
	if (l->retired)
		return unit_abandon(l, u);
	if (!r && u->state == UNIT_FAILED)
		r = set_unit_error(u);
	return r;
}

/* Allocates the units; the head says how many there are. With the lock held. */
static sov_result lazy_need_units(struct lazy *l, const struct image *head)
{
	uint64_t last = 0;

	if (l->units)
		return SOV_OK;
	for (uint32_t k = 0; k < head->ndeclared; k++)
		last = head->declared[k].unit > last ? head->declared[k].unit : last;
	if (last >= head->ndeclared)
		return set_error(SOV_ERROR_INTERNAL,
				 "the module has %u kernels, but a unit number %llu",
				 head->ndeclared, (unsigned long long)last);
	l->units = calloc(last + 1, sizeof(*l->units));
	if (!l->units)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for functions");
	l->nunits = l->left = (uint32_t)last + 1;
	return SOV_OK;
}

sov_result lazy_function(struct module *m, uint32_t k, sov_function *function)
{
	const struct image_declared *d = &m->image.declared[k];
	struct lazy *l = m->lazy;
	struct module *unit;
	sov_result r;

	pthread_mutex_lock(&l->lock);
	r = lazy_need_units(l, &m->image);
	if (!r)
		r = unit_need(m, (uint32_t)d->unit);
	if (!r) {
		unit = l->units[d->unit].module;
		r = SOV_ERROR_INTERNAL;
		for (uint32_t i = 0; r && i < unit->image.nkernels; i++) {
			if (strcmp(unit->image.kernels[i].name, d->name))
				continue;
			*function = object_handle(&unit->functions[i].member.object);
			r = SOV_OK;
		}
		if (r)
			set_error(r, "kernel '%s' is not in its unit", d->name);
	}
	pthread_mutex_unlock(&l->lock);
	return r;
}

/* ---- unloading ---- */

static void lazy_set_unloading(struct lazy *l, bool unloading)
{
	pthread_mutex_lock(&l->lock);
	for (uint32_t k = 0; k < l->nunits; k++)
		if (l->units[k].module)
			l->units[k].module->unloading = unloading;
	pthread_mutex_unlock(&l->lock);
}

static void lazy_retire(struct lazy *l)
{
	pthread_mutex_lock(&l->lock);
	l->retired = true;
	pthread_cond_broadcast(&l->changed);
	for (uint32_t k = 0; k < l->nunits; k++) {
		struct module *unit = l->units[k].module;

		l->units[k].module = NULL;
		if (!unit)
			continue;
		pthread_mutex_unlock(&l->lock);
		module_drop(unit);
		pthread_mutex_lock(&l->lock);
	}
	pthread_mutex_unlock(&l->lock);
}

const struct lazy_ops lazy_compile_ops = {
	.set_unloading = lazy_set_unloading,
	.retire = lazy_retire,
	.free = lazy_free,
};
