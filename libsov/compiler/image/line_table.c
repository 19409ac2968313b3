// SPDX-License-Identifier: MIT
/*
 * Line tables as DWARF has them: a program for a small machine with the registers address, file and
 * line, which appends a row to the table when told to. The writer makes use of five of its
 * instructions; the reader knows all of versions 2 to 4, which differ in one byte of the header, since
 * tables of ptxas come in them.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/base/bytes.h"
#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/image/line_table.h"

enum { /* standard, then extended operations */
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
#define LINE_BASE        (-5) /* what ptxas says, too; the writer has no special operations */
#define LINE_RANGE       14
#define OPCODE_BASE      10
#define HEADER_LENGTH_AT 6 /* behind the unit's length and version */

/*
 * What there is to write.
 */

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
	const struct ir_source_loc *p = ir_source_loc_of(m, text_line);

	if (!p || p->file >= m->nfiles || !files->number[p->file])
		return false;
	row->file = files->number[p->file];
	row->line = p->line;
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

/*
 * Writing.
 */

static void put_byte(struct bytes *o, uint8_t byte)
{
	bytes_append(o, &byte, 1);
}

static void put_unsigned(struct bytes *o, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_byte(o, (uint8_t)(v | 0x80));
	put_byte(o, (uint8_t)v);
}

static void put_signed(struct bytes *o, int64_t v)
{
	while (v < -0x40 || v >= 0x40) {
		put_byte(o, (uint8_t)((uint64_t)v | 0x80));
		v >>= 7;
	}
	put_byte(o, (uint8_t)v & 0x7f);
}

static void set_word(struct bytes *o, uint32_t at, uint32_t value)
{
	memcpy(o->data + at, &value, sizeof(value)); /* little-endian host */
}

static void put_header(struct bytes *o, const char *const *files, uint32_t nfiles)
{
	static const uint8_t start[] = {
		0,
		0,
		0,
		0,
		VERSION,
		0,
		0,
		0,
		0,
		0, /* both lengths are set later */
		1,
		/* smallest instruction */ 1,
		/* rows are statements */ (uint8_t)LINE_BASE,
		LINE_RANGE,
		OPCODE_BASE,
		0,
		1,
		1,
		1,
		1,
		0,
		0,
		0,
		1, /* arguments of the standard operations */
		0, /* no directories */
	};

	bytes_append(o, start, sizeof(start));
	for (uint32_t k = 0; k < nfiles; k++) {
		bytes_append(o, files[k], (uint32_t)strlen(files[k]) + 1);
		bytes_append(o, (const uint8_t[]){0, 0, 0}, 3); /* directory, time, size */
	}
	put_byte(o, 0);
	set_word(o, HEADER_LENGTH_AT, o->size - (HEADER_LENGTH_AT + 4));
}

static void put_table(struct bytes *o, struct line_table *t)
{
	static const uint8_t set_address[] = {DW_LNS_extended, 9, DW_LNE_set_address};
	static const uint8_t end[] = {DW_LNS_extended, 1, DW_LNE_end_sequence};
	struct line_row at = {.file = 1, .line = 1};
	uint64_t address = 0; /* its place is the loader's to fill in */

	bytes_append(o, set_address, sizeof(set_address));
	t->start = o->size;
	bytes_append(o, &address, sizeof(address));
	for (uint32_t k = 0; k < t->count; k++) {
		const struct line_row *r = &t->rows[k];

		if (r->file != at.file) {
			put_byte(o, DW_LNS_set_file);
			put_unsigned(o, r->file);
		}
		if (r->line != at.line) {
			put_byte(o, DW_LNS_advance_line);
			put_signed(o, (int64_t)r->line - at.line);
		}
		if (r->offset != at.offset) {
			put_byte(o, DW_LNS_advance_pc);
			put_unsigned(o, r->offset - at.offset);
		}
		put_byte(o, DW_LNS_copy);
		at = *r;
	}
	put_byte(o, DW_LNS_advance_pc);
	put_unsigned(o, t->end - at.offset);
	bytes_append(o, end, sizeof(end));
}

uint8_t *line_table_write(struct arena *a, const char *const *files, uint32_t nfiles,
		     struct line_table *tables, uint32_t ntables, uint32_t *size)
{
	struct bytes o = {.arena = a};

	put_header(&o, files, nfiles);
	for (uint32_t k = 0; k < ntables; k++)
		put_table(&o, &tables[k]);
	set_word(&o, 0, o.size - 4);
	*size = o.size;
	return o.data;
}

/*
 * Reading. A cursor stops at its end: what is missing reads as zero, and it says so.
 */

struct in {
	const uint8_t *at, *end;
	bool cut;
};

static uint64_t get(struct in *in, uint32_t bytes)
{
	uint64_t v = 0;

	if ((uint64_t)(in->end - in->at) < bytes) {
		in->cut = true;
		in->at = in->end;
		return 0;
	}
	memcpy(&v, in->at, bytes); /* little-endian host */
	in->at += bytes;
	return v;
}

/* LEB128; bits: how many were given, negative: the last of them. */
static uint64_t get_leb(struct in *in, uint32_t *bits, bool *negative)
{
	uint64_t v = 0, byte;

	*bits = 0;
	do {
		byte = get(in, 1);
		if (*bits < 64)
			v |= (byte & 0x7f) << *bits;
		*bits += 7;
	} while (byte & 0x80);
	*negative = byte & 0x40;
	return v;
}

static uint64_t get_unsigned(struct in *in)
{
	uint32_t bits;
	bool negative;

	return get_leb(in, &bits, &negative);
}

static int64_t get_signed(struct in *in)
{
	uint32_t bits;
	bool negative;
	uint64_t v = get_leb(in, &bits, &negative);

	if (negative && bits < 64)
		v |= ~UINT64_C(0) << bits;
	return (int64_t)v;
}

static const char *get_string(struct in *in)
{
	const char *s = (const char *)in->at;
	const uint8_t *zero = memchr(in->at, 0, (size_t)(in->end - in->at));

	if (!zero) {
		in->cut = true;
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
	struct in program;
	uint8_t smallest, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *lengths;   /* how many arguments each standard operation has */
	const char **directories; /* from 1 on, as files are */
	struct file *files;
	uint64_t ndirectories, nfiles;
};

/* Directories and files; there are fewer than bytes. */
static bool read_names(struct in *in, struct unit *u)
{
	uint64_t most = (uint64_t)(in->end - in->at) + 1;

	u->directories = calloc(most, sizeof(*u->directories));
	u->files = calloc(most, sizeof(*u->files));
	if (!u->directories || !u->files)
		return false;
	while (!in->cut) {
		const char *s = get_string(in);

		if (!*s)
			break;
		u->directories[++u->ndirectories] = s;
	}
	while (!in->cut) {
		struct file f = {.name = get_string(in)};

		if (!*f.name)
			break;
		f.directory = get_unsigned(in);
		get_unsigned(in);
		get_unsigned(in);
		u->files[++u->nfiles] = f;
	}
	return !in->cut;
}

static bool read_unit(struct in *in, struct unit *u)
{
	uint64_t length = get(in, 4), version, header;
	struct in names;

	if (in->cut || length > (uint64_t)(in->end - in->at))
		return false;
	u->program = (struct in){in->at, in->at + length, false};
	in->at += length;
	version = get(&u->program, 2);
	header = get(&u->program, 4);
	if (version < 2 || version > 4 || header > (uint64_t)(u->program.end - u->program.at))
		return false;
	names = (struct in){u->program.at, u->program.at + header, false};
	u->program.at += header;
	u->smallest = (uint8_t)get(&names, 1);
	if (version == 4)
		get(&names, 1); /* operations per instruction, of machines that have several */
	get(&names, 1);
	u->line_base = (int8_t)get(&names, 1);
	u->line_range = (uint8_t)get(&names, 1);
	u->opcode_base = (uint8_t)get(&names, 1);
	if (names.cut || !u->line_range || !u->opcode_base ||
	    names.end - names.at < u->opcode_base - 1)
		return false;
	u->lengths = names.at - 1;
	names.at += u->opcode_base - 1;
	return read_names(&names, u);
}

struct machine {
	const struct unit *unit;
	uint64_t address, file, line;
	bool wanted; /* the rows are of the code that was asked for */
	bool (*take)(void *user, const struct line_location *p);
	void *user;
};

static bool append(const struct machine *m)
{
	const struct unit *u = m->unit;
	struct line_location p = {m->address, (uint32_t)m->line, "", ""};

	if (!m->wanted)
		return true;
	if (m->file && m->file <= u->nfiles) {
		const struct file *f = &u->files[m->file];

		p.file = f->name;
		if (f->directory && f->directory <= u->ndirectories)
			p.directory = u->directories[f->directory];
	}
	return m->take(m->user, &p);
}

static void restart(struct machine *m)
{
	m->address = 0;
	m->file = m->line = 1;
	m->wanted = false;
}

static bool extended(struct machine *m, struct in *in, const uint8_t *wanted)
{
	uint64_t length = get_unsigned(in);
	const uint8_t *end;
	uint8_t op;

	if (in->cut || !length || length > (uint64_t)(in->end - in->at))
		return false;
	end = in->at + length;
	op = (uint8_t)get(in, 1);
	if (op == DW_LNE_end_sequence) {
		restart(m);
	} else if (op == DW_LNE_set_address && wanted) {
		m->wanted = in->at == wanted; /* addresses are from the code's start on */
	} else if (op == DW_LNE_set_address && length == 9) {
		m->wanted = true;
		m->address = get(in, 8);
	}
	in->at = end;
	return true;
}

static bool standard(struct machine *m, struct in *in, uint8_t op)
{
	const struct unit *u = m->unit;

	switch (op) {
	case DW_LNS_copy:
		return append(m);
	case DW_LNS_advance_pc:
		m->address += get_unsigned(in) * u->smallest;
		return true;
	case DW_LNS_advance_line:
		m->line += (uint64_t)get_signed(in);
		return true;
	case DW_LNS_set_file:
		m->file = get_unsigned(in);
		return true;
	case DW_LNS_const_add_pc:
		m->address += (uint64_t)((255 - u->opcode_base) / u->line_range) * u->smallest;
		return true;
	case DW_LNS_fixed_advance_pc:
		m->address += get(in, 2);
		return true;
	}
	for (uint8_t k = 0; k < u->lengths[op]; k++)
		get_unsigned(in);
	return true;
}

static bool run_unit(struct machine *m, const uint8_t *wanted)
{
	const struct unit *u = m->unit;
	struct in in = u->program;

	restart(m);
	while (in.at < in.end) {
		uint8_t op = (uint8_t)get(&in, 1);
		uint32_t special = op - u->opcode_base;

		if (op >= u->opcode_base) {
			m->address += (uint64_t)(special / u->line_range) * u->smallest;
			m->line += (uint64_t)((int64_t)(special % u->line_range) + u->line_base);
			if (!append(m))
				return false;
		} else if (op == DW_LNS_extended ? !extended(m, &in, wanted)
						 : !standard(m, &in, op)) {
			return false;
		}
	}
	return !in.cut;
}

bool line_table_read(const uint8_t *section, uint64_t bytes, uint64_t start,
		bool (*take)(void *user, const struct line_location *p), void *user)
{
	struct in in = {section, section + bytes, false};
	const uint8_t *wanted = start == LINE_TABLE_ALL ? NULL : section + start;
	bool good = !wanted || start < bytes;

	while (good && in.at < in.end) {
		struct unit u = {0};
		struct machine m = {.unit = &u, .take = take, .user = user};

		good = read_unit(&in, &u) && run_unit(&m, wanted);
		free(u.directories);
		free(u.files);
	}
	return good;
}
