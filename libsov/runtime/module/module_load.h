/* SPDX-License-Identifier: MIT */
#ifndef SOV_MODULE_LOAD_H
#define SOV_MODULE_LOAD_H

#include "libsov/runtime/module/module.h"

/* Loads the library of the device services; keeps the calling thread's compiler messages. */
sov_result module_load_services(struct context *c, const char *ptx, size_t bytes,
				sov_module *module);

#endif
