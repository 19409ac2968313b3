/* SPDX-License-Identifier: MIT */
/* Memory for generated code. One anonymous file is mapped twice, writable and executable, so that
 * no page is ever both and other threads execute while one appends. Code is freed as a whole. */
#ifndef MODEL_CODE_BUFFER_H
#define MODEL_CODE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct code_buffer {
	uint8_t *write, *execute; /* the two mappings */
	size_t used, bytes;
};

/* Returns NULL if the host refuses executable memory. Pages use memory once they are written. */
struct code_buffer *code_buffer_create(size_t bytes);
void code_buffer_destroy(struct code_buffer *b);

#endif
