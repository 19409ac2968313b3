// SPDX-License-Identifier: MIT
/*
 * DWARF line-number programs: byte code for a state machine with the registers address, file and
 * line, which emits rows. The writer uses five opcodes of version 2. The reader accepts versions 2
 * to 4, which differ in one byte of the header, since ptxas's tables use them.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/base/bytes.h"
#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/image/line_table.h"

enum { /* standard, then extended opcodes */
       DW_LNS_extended,
       DW_LNS_copy,
       DW_LNS_advance_pc,
       DW_LNS_advance_line,
       DW_LNS_set_file,
       DW_LNS_set_column,
       DW_LNS_negate_stmt,
       DW_LNS_set_basic_block,
       DW_LNS_const_add_pc,
       DW_LNS_fixed_advance_pc,
       DW_LNE_end_sequence = 1,
       DW_LNE_set_address = 2,
};

#define VERSION          2
#define LINE_BASE        (-5) /* as ptxas; the writer emits no special opcodes */
#define LINE_RANGE       14
#define OPCODE_BASE      10
#define HEADER_LENGTH_AT 6 /* after unit_length and version */

/* ---- building ---- */

struct line_files line_files_new(struct arena *a, const struct ir_module *m)
{
	struct line_files f = {.names = arena_array(a, m->nfiles + 1, sizeof(*f.names)),
			       .number = arena_array(a, m->nfiles + 1, sizeof(*f.number))};

	for (uint32_t k = 0; k < m->nfiles && m->nsource_locs; k++) {
		if (!m->files[k])
			continue;
		f.names[f.count] = m->files[k];
		f.number[k] = ++f.count;
	}
	return f;
}

bool line_row_locate(const struct line_files *files, const struct ir_module *m, uint32_t text_line,
		     struct line_row *row)
{
	const struct ir_source_loc *loc = ir_source_loc_of(m, text_line);

	if (!loc || loc->file >= m->nfiles || !files->number[loc->file])
		return false;
	row->file = files->number[loc->file];
	row->line = loc->line;
	return true;
}

void line_table_append(struct arena *a, struct line_table *t, struct line_row row)
{
	const struct line_row *last = t->count ? &t->rows[t->count - 1] : NULL;

	if (last && last->line == row.line && last->file == row.file)
		return;
	t->rows = arena_grow(a, t->rows, &t->capacity, t->count + 1, sizeof(*t->rows));
	t->rows[t->count++] = row;
}

/* ---- writing ---- */

static void put_byte(struct bytes *o, uint8_t byte)
{
	bytes_append(o, &byte, 1);
}

static void put_uleb(struct bytes *o, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_byte(o, (uint8_t)(v | 0x80));
	put_byte(o, (uint8_t)v);
}

static void put_sleb(struct bytes *o, int64_t v)
{
	while (v < -0x40 || v >= 0x40) {
		put_byte(o, (uint8_t)((uint64_t)v | 0x80));
		v >>= 7;
	}
	put_byte(o, (uint8_t)v & 0x7f);
}

static void put_word_at(struct bytes *o, uint32_t at, uint32_t value)
{
	memcpy(o->data + at, &value, sizeof(value)); /* little-endian host */
}

static void put_header(struct bytes *o, const char *const *files, uint32_t nfiles)
{
	/* clang-format off */
	static const uint8_t header[] = {
		0, 0, 0, 0, /* unit_length: set at the end */
		VERSION, 0,
		0, 0, 0, 0, /* header_length: set below */
		1,          /* minimum_instruction_length */
		1,          /* default_is_stmt */
		(uint8_t)LINE_BASE,
		LINE_RANGE,
		OPCODE_BASE,
		0, 1, 1, 1, 1, 0, 0, 0, 1, /* operand counts of the standard opcodes */
		0,                         /* no include_directories */
	};
	/* clang-format on */

	bytes_append(o, header, sizeof(header));
	for (uint32_t k = 0; k < nfiles; k++) {
		bytes_append(o, files[k], (uint32_t)strlen(files[k]) + 1);
		bytes_append(o, (const uint8_t[]){0, 0, 0}, 3); /* directory, time, size */
	}
	put_byte(o, 0);
	put_word_at(o, HEADER_LENGTH_AT, o->size - (HEADER_LENGTH_AT + 4));
}

static void put_sequence(struct bytes *o, struct line_table *t)
{
	static const uint8_t set_address[] = {DW_LNS_extended, 9, DW_LNE_set_address};
	static const uint8_t end[] = {DW_LNS_extended, 1, DW_LNE_end_sequence};
	struct line_row at = {.file = 1, .line = 1};
	uint64_t address = 0; /* relocated by the loader */

	bytes_append(o, set_address, sizeof(set_address));
	t->start = o->size;
	bytes_append(o, &address, sizeof(address));
	for (uint32_t k = 0; k < t->count; k++) {
		const struct line_row *r = &t->rows[k];

		if (r->file != at.file) {
			put_byte(o, DW_LNS_set_file);
			put_uleb(o, r->file);
		}
		if (r->line != at.line) {
			put_byte(o, DW_LNS_advance_line);
			put_sleb(o, (int64_t)r->line - at.line);
		}
		if (r->offset != at.offset) {
			put_byte(o, DW_LNS_advance_pc);
			put_uleb(o, r->offset - at.offset);
		}
		put_byte(o, DW_LNS_copy);
		at = *r;
	}
	put_byte(o, DW_LNS_advance_pc);
	put_uleb(o, t->end - at.offset);
	bytes_append(o, end, sizeof(end));
}

uint8_t *line_table_write(struct arena *a, const char *const *files, uint32_t nfiles,
			  struct line_table *tables, uint32_t ntables, uint32_t *size)
{
	struct bytes o = {.arena = a};

	put_header(&o, files, nfiles);
	for (uint32_t k = 0; k < ntables; k++)
		put_sequence(&o, &tables[k]);
	put_word_at(&o, 0, o.size - 4);
	*size = o.size;
	return o.data;
}

/* ---- reading ---- */

/* Reading beyond the end gives zeros and sets `truncated`. */
struct cursor {
	const uint8_t *at, *end;
	bool truncated;
};

static uint64_t get_bytes(struct cursor *in, uint32_t bytes)
{
	uint64_t v = 0;

	if ((uint64_t)(in->end - in->at) < bytes) {
		in->truncated = true;
		in->at = in->end;
		return 0;
	}
	memcpy(&v, in->at, bytes); /* little-endian host */
	in->at += bytes;
	return v;
}

/* LEB128. bits: how many the encoding has; negative: its highest bit. */
static uint64_t get_leb(struct cursor *in, uint32_t *bits, bool *negative)
{
	uint64_t v = 0, byte;

	*bits = 0;
	do {
		byte = get_bytes(in, 1);
		if (*bits < 64)
			v |= (byte & 0x7f) << *bits;
		*bits += 7;
	} while (byte & 0x80);
	*negative = byte & 0x40;
	return v;
}

static uint64_t get_uleb(struct cursor *in)
{
	uint32_t bits;
	bool negative;

	return get_leb(in, &bits, &negative);
}

static int64_t get_sleb(struct cursor *in)
{
	uint32_t bits;
	bool negative;
	uint64_t v = get_leb(in, &bits, &negative);

	if (negative && bits < 64)
		v |= ~UINT64_C(0) << bits;
	return (int64_t)v;
}

static const char *get_string(struct cursor *in)
{
	const char *s = (const char *)in->at;
	const uint8_t *zero = memchr(in->at, 0, (size_t)(in->end - in->at));

	if (!zero) {
		in->truncated = true;
		in->at = in->end;
		return "";
	}
	in->at = zero + 1;
	return s;
}

struct file {
	const char *name;
	uint64_t directory;
};

struct unit {
	struct cursor program;
	uint8_t min_inst_length, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *lengths;   /* operand count of each standard opcode */
	const char **directories; /* numbered from 1, as files are */
	struct file *files;
	uint64_t ndirectories, nfiles;
};

/* Reads include_directories and file_names; each entry takes at least one byte. */
static bool read_names(struct cursor *in, struct unit *u)
{
	uint64_t max_names = (uint64_t)(in->end - in->at) + 1;

	u->directories = calloc(max_names, sizeof(*u->directories));
	u->files = calloc(max_names, sizeof(*u->files));
	if (!u->directories || !u->files)
		return false;
	while (!in->truncated) {
		const char *s = get_string(in);

		if (!*s)
			break;
		u->directories[++u->ndirectories] = s;
	}
	while (!in->truncated) {
		struct file f = {.name = get_string(in)};

		if (!*f.name)
			break;
		f.directory = get_uleb(in);
		get_uleb(in);
		get_uleb(in);
		u->files[++u->nfiles] = f;
	}
	return !in->truncated;
}

static bool read_unit(struct cursor *in, struct unit *u)
{
	uint64_t length = get_bytes(in, 4), version, header;
	struct cursor names;

	if (in->truncated || length > (uint64_t)(in->end - in->at))
		return false;
	u->program = (struct cursor){in->at, in->at + length, false};
	in->at += length;
	version = get_bytes(&u->program, 2);
	header = get_bytes(&u->program, 4);
	if (version < 2 || version > 4 || header > (uint64_t)(u->program.end - u->program.at))
		return false;
	names = (struct cursor){u->program.at, u->program.at + header, false};
	u->program.at += header;
	u->min_inst_length = (uint8_t)get_bytes(&names, 1);
	if (version == 4)
		get_bytes(&names, 1); /* maximum_operations_per_instruction, for VLIW */
	get_bytes(&names, 1);
	u->line_base = (int8_t)get_bytes(&names, 1);
	u->line_range = (uint8_t)get_bytes(&names, 1);
	u->opcode_base = (uint8_t)get_bytes(&names, 1);
	if (names.truncated || !u->line_range || !u->opcode_base ||
	    names.end - names.at < u->opcode_base - 1)
		return false;
	u->lengths = names.at - 1;
	names.at += u->opcode_base - 1;
	return read_names(&names, u);
}

struct line_machine {
	const struct unit *unit;
	uint64_t address, file, line;
	bool selected; /* the current sequence is the one to report */
	bool (*visit)(void *user, const struct line_location *l);
	void *user;
};

static bool emit_row(const struct line_machine *m)
{
	const struct unit *u = m->unit;
	struct line_location l = {m->address, (uint32_t)m->line, "", ""};

	if (!m->selected)
		return true;
	if (m->file && m->file <= u->nfiles) {
		const struct file *f = &u->files[m->file];

		l.file = f->name;
		if (f->directory && f->directory <= u->ndirectories)
			l.directory = u->directories[f->directory];
	}
	return m->visit(m->user, &l);
}

static void reset_registers(struct line_machine *m)
{
	m->address = 0;
	m->file = m->line = 1;
	m->selected = false;
}

static bool run_extended(struct line_machine *m, struct cursor *in, const uint8_t *operand)
{
	uint64_t length = get_uleb(in);
	const uint8_t *end;
	uint8_t op;

	if (in->truncated || !length || length > (uint64_t)(in->end - in->at))
		return false;
	end = in->at + length;
	op = (uint8_t)get_bytes(in, 1);
	if (op == DW_LNE_end_sequence) {
		reset_registers(m);
	} else if (op == DW_LNE_set_address && operand) {
		m->selected = in->at == operand; /* offsets count from the code's start */
	} else if (op == DW_LNE_set_address && length == 9) {
		m->selected = true;
		m->address = get_bytes(in, 8);
	}
	in->at = end;
	return true;
}

static bool run_standard(struct line_machine *m, struct cursor *in, uint8_t op)
{
	const struct unit *u = m->unit;

	switch (op) {
	case DW_LNS_copy:
		return emit_row(m);
	case DW_LNS_advance_pc:
		m->address += get_uleb(in) * u->min_inst_length;
		return true;
	case DW_LNS_advance_line:
		m->line += (uint64_t)get_sleb(in);
		return true;
	case DW_LNS_set_file:
		m->file = get_uleb(in);
		return true;
	case DW_LNS_const_add_pc:
		m->address +=
			(uint64_t)((255 - u->opcode_base) / u->line_range) * u->min_inst_length;
		return true;
	case DW_LNS_fixed_advance_pc:
		m->address += get_bytes(in, 2);
		return true;
	}
	for (uint8_t k = 0; k < u->lengths[op]; k++)
		get_uleb(in);
	return true;
}

static bool run_unit(struct line_machine *m, const uint8_t *operand)
{
	const struct unit *u = m->unit;
	struct cursor in = u->program;

	reset_registers(m);
	while (in.at < in.end) {
		uint8_t op = (uint8_t)get_bytes(&in, 1);
		uint32_t special = op - u->opcode_base;

		if (op >= u->opcode_base) {
			m->address += (uint64_t)(special / u->line_range) * u->min_inst_length;
			m->line += (uint64_t)((int64_t)(special % u->line_range) + u->line_base);
			if (!emit_row(m))
				return false;
		} else if (op == DW_LNS_extended ? !run_extended(m, &in, operand)
						 : !run_standard(m, &in, op)) {
			return false;
		}
	}
	return !in.truncated;
}

bool line_table_read(const uint8_t *section, uint64_t bytes, uint64_t start,
		     bool (*visit)(void *user, const struct line_location *l), void *user)
{
	struct cursor in = {section, section + bytes, false};
	const uint8_t *operand = start == LINE_TABLE_ALL ? NULL : section + start;
	bool good = !operand || start < bytes;

	while (good && in.at < in.end) {
		struct unit u = {0};
		struct line_machine m = {.unit = &u, .visit = visit, .user = user};

		good = read_unit(&in, &u) && run_unit(&m, operand);
		free(u.directories);
		free(u.files);
	}
	return good;
}
