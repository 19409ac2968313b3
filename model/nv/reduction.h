/* SPDX-License-Identifier: MIT */
/* How atomics, bulk copies, copies of tensors and surfaces combine a value with an element in
 * memory. Other host threads may access the same element. */
#ifndef MODEL_NV_REDUCTION_H
#define MODEL_NV_REDUCTION_H

#include <stdbool.h>
#include <stdint.h>

struct float_format;

/* What an element is to a reduction. */
struct element {
	const struct float_format *format; /* NULL: an integer */
	uint8_t bytes;                     /* 2, 4, 8, or 16, which no function here combines */
	bool is_pair;                      /* of halves: each by itself */
	bool is_signed, flush;
};

/* By SASS_ATYPE_*. */
const struct element *atomic_element(uint32_t type);
/* The new value of an element, by SASS_ATOM_*. */
uint64_t element_combine(const struct element *e, uint32_t how, uint64_t old, uint64_t x);
/* Combines in memory; returns the old value. */
uint64_t element_reduce(const struct element *e, uint8_t *at, uint32_t how, uint64_t x);
/* Stores x if the element is the value to compare; returns the old value. */
uint64_t element_compare_and_swap(const struct element *e, uint8_t *at, uint64_t compare,
				  uint64_t x);

#endif
