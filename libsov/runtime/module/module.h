/* SPDX-License-Identifier: MIT */
/* Modules: programs in a context. */
#ifndef SOV_MODULE_H
#define SOV_MODULE_H

#include "libsov/runtime/memory/buffer.h"
#include "libsov/runtime/module/function.h"

struct lazy;

/* Hooks of lazy_compile.c, for a module whose kernels are compiled on first use. */
struct lazy_ops {
	void (*set_unloading)(struct lazy *l, bool unloading); /* of the loaded units */
	void (*retire)(struct lazy *l); /* unloads them; no more are compiled */
	void (*free)(struct lazy *l);
};

struct module {
	struct member member;
	uint8_t *file;
	struct image image;
	struct buffer *parts[IMAGE_PARTS]; /* NULL: the image has no such part */
	struct function *functions;
	struct lazy *lazy; /* NULL: all kernels are in the image */
	const struct lazy_ops *lazy_ops;
	/* Of a compilation unit: the module that it belongs to (a reference), whose data it
	 * uses. */
	struct module *whole;
	bool library;           /* device code of device_services.c, which kernels call */
	bool host_variables;    /* SOV_MODULE_HOST_VARIABLES */
	_Atomic bool unloading; /* a thread waits for the GPU to free it */
};

/* Hooks of device_services.c. */
struct services_ops {
	/* Loads the device services that the image calls, and adds their registers and stack to its
	 * kernels. Without the lock. */
	sov_result (*need)(struct context *c, struct image *im);
	void (*addresses)(const struct context *c, uint64_t addresses[SERVICES]);
};

extern const struct context_part module_part;

/* Reports text as the compiler's messages and as the error. */
sov_result set_source_error(const char *text);

/* Checks a module whose image has been read, and prepares it for module_install. Without the
 * lock. */
sov_result module_prepare(struct context *c, struct module *m);
/* With the lock and a reference to the context, both of which it releases. Publishes and uploads a
 * prepared module; takes ownership of it. Returns a handle, or a reference if handle is NULL. */
sov_result module_install(struct context *c, struct module *m, sov_module *handle);
/* Frees a module that was never installed. */
void module_discard(struct module *m);

/* Without the lock. Installs a compilation unit from a copy of its image; the reference is returned
 * by module_drop, which unloads it. */
sov_result module_install_unit(struct module *whole, const void *image, size_t bytes,
			       struct module **unit);
void module_drop(struct module *unit);

#endif
