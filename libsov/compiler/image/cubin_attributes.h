/* SPDX-License-Identifier: MIT */
/* Attributes of kernels in cubins and objects: the contents of .nv.info sections. */
#ifndef SOV_COMPILER_CUBIN_ATTRIBUTES_H
#define SOV_COMPILER_CUBIN_ATTRIBUTES_H

#include "libsov/compiler/base/bytes.h"
#include "libsov/compiler/image/cubin_write.h"

void cubin_attribute_words(struct bytes *b, uint8_t code, const uint32_t *words, uint32_t count);
/* The attributes of one kernel or function: constant_symbol is that of its constant bank 0,
 * externals are the symbols of the undefined functions that it calls. */
void cubin_kernel_attributes(struct bytes *b, const struct cubin_kernel *k,
			     uint32_t constant_symbol, const uint32_t *externals,
			     uint32_t nexternals);

#endif
