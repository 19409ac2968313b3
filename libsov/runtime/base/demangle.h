/* SPDX-License-Identifier: MIT */
#ifndef SOV_DEMANGLE_H
#define SOV_DEMANGLE_H

#include <stddef.h>

/* Returns the C++ declaration that a mangled name stands for, in buffer, or the name itself: if it
 * is not mangled, if the buffer is too small, or if its form is not known here. */
const char *demangle(const char *name, char *buffer, size_t bytes);

/* For arguments of a call: valid to the end of the block. */
#define DEMANGLED(name) demangle(name, (char[256]){0}, 256)

#endif
