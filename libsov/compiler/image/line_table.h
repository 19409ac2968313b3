/* SPDX-License-Identifier: MIT */
/*
 * Line tables: which line of which file an instruction of a kernel comes from, as DWARF 2 has it in
 * .debug_line, where nvdisasm, readelf and debuggers look for it. (DWARF Debugging Information
 * Format, version 2, section 6.2.)
 */
#ifndef SOV_COMPILER_LINES_H
#define SOV_COMPILER_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include "libsov/compiler/base/arena.h"

struct ir_module;

/* Files of a module that its code comes from. */
struct line_files {
	const char **names; /* from number 1 on */
	uint32_t count;     /* 0: no lines are known */
	uint32_t *number;   /* by number in the text; 0: none */
};
struct line_files line_files_new(struct arena *a, const struct ir_module *m);

/* From this offset on; line 0: nobody knows. */
struct line_row {
	uint32_t offset;
	uint32_t file; /* number from 1 on */
	uint32_t line;
};

struct line_table {            /* of one kernel */
	struct line_row *rows; /* by offset */
	uint32_t count, capacity;
	uint32_t end;   /* of the code */
	uint32_t start; /* out: where in the section the 64-bit address of the code belongs */
};

/* A row behind the others, unless it says the same as the last; that it is by offset is the caller's. */
void line_table_append(struct arena *a, struct line_table *t, struct line_row row);
/* The row of code from this line of the text on. False: nobody knows, and *row stays as it is. */
bool line_row_locate(const struct line_files *files, const struct ir_module *m, uint32_t text_line,
		 struct line_row *row);

/* The section, in the arena. */
uint8_t *line_table_write(struct arena *a, const char *const *files, uint32_t nfiles,
		     struct line_table *tables, uint32_t ntables, uint32_t *size);

/* Calls take for each row of the code whose address belongs to start, with the offset in that code; or,
 * with LINE_TABLE_ALL, for all rows, with the address that the section says. The section comes from outside.
 * What cannot be read ends the reading, and false is returned. */
#define LINE_TABLE_ALL UINT64_MAX
struct line_location {
	uint64_t offset;
	uint32_t line;
	const char *directory, *file; /* in the section; directory "" = none */
};
bool line_table_read(const uint8_t *section, uint64_t bytes, uint64_t start,
		bool (*take)(void *user, const struct line_location *p), void *user);

#endif
