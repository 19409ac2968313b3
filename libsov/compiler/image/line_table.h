/* SPDX-License-Identifier: MIT */
/*
 * Line tables: the source line of each instruction, as a DWARF 2 line-number program in
 * .debug_line, the section that nvdisasm, readelf and debuggers read. (DWARF Debugging Information
 * Format, version 2, section 6.2.)
 */
#ifndef SOV_COMPILER_LINES_H
#define SOV_COMPILER_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include "libsov/compiler/base/arena.h"

struct ir_module;

/* The source files of a module. */
struct line_files {
	const char **names; /* name of file number k at k - 1 */
	uint32_t count;     /* 0: the module has no line information */
	uint32_t *number;   /* by .file number in the PTX; 0: none */
};
struct line_files line_files_new(struct arena *a, const struct ir_module *m);

/* A row of the table: code from this offset on comes from this line; line 0: unknown. */
struct line_row {
	uint32_t offset;
	uint32_t file; /* number from 1 on */
	uint32_t line;
};

struct line_table {            /* of one kernel */
	struct line_row *rows; /* by ascending offset */
	uint32_t count, capacity;
	uint32_t end;   /* of the code */
	uint32_t start; /* out: offset in the section of the code's 64-bit address, to relocate */
};

/* Appends a row, unless it repeats the last row's line. The caller passes ascending offsets. */
void line_table_append(struct arena *a, struct line_table *t, struct line_row row);
/* Sets the row's file and line from a line of the PTX. false: unknown, and *row is unchanged. */
bool line_row_locate(const struct line_files *files, const struct ir_module *m, uint32_t text_line,
		     struct line_row *row);

/* Returns the section, allocated in the arena. */
uint8_t *line_table_write(struct arena *a, const char *const *files, uint32_t nfiles,
			  struct line_table *tables, uint32_t ntables, uint32_t *size);

/* Calls visit for each row of the sequence whose address operand is at `start`, with offsets in
 * that sequence's code; with LINE_TABLE_ALL, for all rows, with the section's addresses. The
 * section is untrusted. Returns false at the first malformed unit, or when visit returns false. */
#define LINE_TABLE_ALL UINT64_MAX
struct line_location {
	uint64_t offset;
	uint32_t line;
	const char *directory, *file; /* in the section; directory "": none */
};
bool line_table_read(const uint8_t *section, uint64_t bytes, uint64_t start,
		     bool (*visit)(void *user, const struct line_location *l), void *user);

#endif
