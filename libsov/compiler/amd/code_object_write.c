// SPDX-License-Identifier: MIT
/*
 * The code object writer. It first builds section contents with section-relative offsets, then
 * assigns addresses, then patches everything that depends on an address.
 *
 * To a loader the file looks like the output of LLVM's linker: three segments (read-only, code,
 * variables) that keep their distance in memory. Code addresses variables PC-relative. So that a
 * runtime may still load variables elsewhere, .rela.text lists every such reference, as "ld
 * --emit-relocs" leaves it; an object with variables always has that section.
 */
#include <elf.h>
#include <stdlib.h>
#include "hw/amd/code_object.h"
#include "libsov/compiler/amd/module.h"

#define PAGE        4096
#define DATA_ALIGN  256
#define MAX_DYNAMIC 10

enum section {
	S_NULL,
	S_NOTE,
	S_DYNSYM,
	S_HASH,
	S_DYNSTR,
	S_RELADYN,
	S_DYNAMIC,
	S_RODATA,
	S_TEXT,
	S_DATA,
	S_BSS,
	S_LINE,
	S_ABBREV,
	S_INFO,
	S_RELATEXT,
	S_SYMTAB,
	S_SHSTRTAB,
	S_STRTAB,
	S_COUNT,
};

static const struct section_kind {
	const char *name;
	uint32_t type, flags, align, entry;
	uint8_t link, info;
} kinds[S_COUNT] = {
	[S_NULL] = {"", SHT_NULL, 0, 0, 0, 0, 0},
	[S_NOTE] = {".note", SHT_NOTE, SHF_ALLOC, 4, 0, 0, 0},
	[S_DYNSYM] = {".dynsym", SHT_DYNSYM, SHF_ALLOC, 8, sizeof(Elf64_Sym), S_DYNSTR, 0},
	[S_HASH] = {".hash", SHT_HASH, SHF_ALLOC, 4, 4, S_DYNSYM, 0},
	[S_DYNSTR] = {".dynstr", SHT_STRTAB, SHF_ALLOC, 1, 0, 0, 0},
	[S_RELADYN] = {".rela.dyn", SHT_RELA, SHF_ALLOC, 8, sizeof(Elf64_Rela), S_DYNSYM, 0},
	[S_DYNAMIC] = {".dynamic", SHT_DYNAMIC, SHF_ALLOC, 8, sizeof(Elf64_Dyn), S_DYNSTR, 0},
	[S_RODATA] = {".rodata", SHT_PROGBITS, SHF_ALLOC, 64, 0, 0, 0},
	[S_TEXT] = {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, AMD_KERNEL_ALIGN, 0, 0, 0},
	[S_DATA] = {".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, DATA_ALIGN, 0, 0, 0},
	[S_BSS] = {".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, DATA_ALIGN, 0, 0, 0},
	[S_LINE] = {".debug_line", SHT_PROGBITS, 0, 1, 0, 0, 0},
	[S_ABBREV] = {".debug_abbrev", SHT_PROGBITS, 0, 1, 0, 0, 0},
	[S_INFO] = {".debug_info", SHT_PROGBITS, 0, 1, 0, 0, 0},
	[S_RELATEXT] = {".rela.text", SHT_RELA, SHF_INFO_LINK, 8, sizeof(Elf64_Rela), S_SYMTAB,
			S_TEXT},
	[S_SYMTAB] = {".symtab", SHT_SYMTAB, 0, 8, sizeof(Elf64_Sym), S_STRTAB, 0},
	[S_SHSTRTAB] = {".shstrtab", SHT_STRTAB, 0, 1, 0, 0, 0},
	[S_STRTAB] = {".strtab", SHT_STRTAB, 0, 1, 0, 0, 0},
};

/* The number of the fragment with the code of a unit's function. */
struct fragment_key {
	uint32_t unit, index, fragment;
};

struct writer {
	struct arena *arena;
	const struct amd_plan *plan;
	struct amd_fragment *const *fragments;
	uint32_t nfragments;
	enum image_content content;
	bool present[S_COUNT];
	uint32_t index[S_COUNT]; /* section number in the file; 0: absent */
	struct bytes bytes[S_COUNT];
	Elf64_Shdr headers[S_COUNT]; /* sh_link and sh_info still by enum section */
	struct fragment_key *by_function;
	uint32_t *text_offset;   /* by fragment: offset in .text */
	uint32_t *rodata_offset; /* by fragment: offset of the kernel's descriptor */
	/* numbers in .symtab, by fragment and by the module's symbol */
	uint32_t *fragment_symbol, *variable_symbol;
	uint32_t data_symbol;              /* section symbol of .data */
	uint32_t service_symbol[SERVICES]; /* numbers in .dynsym */
};

static uint64_t align_up(uint64_t at, uint64_t align)
{
	return (at + align - 1) / align * align;
}

static enum section variable_section(enum amd_data_section section)
{
	return section == AMD_DATA ? S_DATA : S_BSS;
}

static bool has_variables(const struct writer *w)
{
	return w->plan->bytes[AMD_DATA] || w->plan->bytes[AMD_BSS];
}

/* ---- code ---- */

static void pad_text(struct writer *w, uint32_t align, uint32_t with)
{
	struct bytes *text = &w->bytes[S_TEXT];

	while (text->size % align)
		bytes_append(text, &with, sizeof(with));
}

static void write_text(struct writer *w)
{
	static const uint32_t end = AMD_S_CODE_END;

	for (uint32_t k = 0; k < w->nfragments; k++) {
		pad_text(w, w->fragments[k]->kernel ? AMD_KERNEL_ALIGN : 64, AMD_S_NOP);
		w->text_offset[k] = w->bytes[S_TEXT].size;
		bytes_append(&w->bytes[S_TEXT], w->fragments[k]->code, w->fragments[k]->code_bytes);
		if (!w->fragments[k]->kernel)
			continue;
		w->rodata_offset[k] = w->bytes[S_RODATA].size;
		bytes_append(&w->bytes[S_RODATA], NULL, sizeof(struct amd_kernel_descriptor));
	}
	if (!w->nfragments)
		return;
	pad_text(w, 64, end);
	for (uint32_t n = 0; n < AMD_PREFETCH_BYTES / sizeof(end); n++)
		bytes_append(&w->bytes[S_TEXT], &end, sizeof(end));
}

static struct amd_kernel_descriptor make_descriptor(const struct amd_fragment *fragment)
{
	const struct amd_initial_state *s = &fragment->start;

	return (struct amd_kernel_descriptor){
		.group_segment_bytes = fragment->lds_bytes,
		.private_segment_bytes = fragment->private_bytes,
		.kernarg_bytes = amd_kernarg_bytes(fragment->param_bytes, fragment->hidden),
		.rsrc1 = AMD_RSRC1_SET_VGPRS(fragment->vgprs) |
			 AMD_RSRC1_SET_FLOAT_MODE(fragment->float_mode) |
			 (fragment->dx10_clamp ? AMD_RSRC1_DX10_CLAMP : 0) |
			 (fragment->ieee ? AMD_RSRC1_IEEE : 0) |
			 (fragment->cu_mode ? 0 : AMD_RSRC1_WGP_MODE) | AMD_RSRC1_MEM_ORDERED,
		.rsrc2 = (s->scratch ? AMD_RSRC2_SET_SCRATCH : 0) |
			 AMD_RSRC2_SET_USER_SGPRS(amd_user_sgpr(s, UINT32_MAX)) |
			 AMD_RSRC2_SET_GROUP_IDS(s->group_ids) |
			 AMD_RSRC2_SET_THREAD_IDS(s->thread_ids ? s->thread_ids : 1u),
		.properties = (uint16_t)(s->user | AMD_WAVE32 |
					 (fragment->dynamic_stack ? AMD_DYNAMIC_STACK : 0)),
	};
}

static void fill_descriptors(struct writer *w)
{
	for (uint32_t k = 0; k < w->nfragments; k++) {
		struct amd_kernel_descriptor d;

		if (!w->fragments[k]->kernel)
			continue;
		d = make_descriptor(w->fragments[k]);
		d.entry_offset = (int64_t)(w->headers[S_TEXT].sh_addr + w->text_offset[k] -
					   w->headers[S_RODATA].sh_addr - w->rodata_offset[k]);
		memcpy(w->bytes[S_RODATA].data + w->rodata_offset[k], &d, sizeof(d));
	}
}

static void write_note(struct writer *w)
{
	struct bytes *note = &w->bytes[S_NOTE];
	Elf64_Nhdr n = {.n_namesz = sizeof(AMD_NOTE_NAME), .n_type = AMD_NOTE_METADATA};
	uint32_t start;

	bytes_append(note, &n, sizeof(n));
	bytes_append(note, AMD_NOTE_NAME, sizeof(AMD_NOTE_NAME));
	bytes_append(note, NULL, (uint32_t)align_up(note->size, 4) - note->size);
	start = note->size;
	amd_metadata_write(note, w->fragments, w->nfragments);
	n.n_descsz = note->size - start;
	memcpy(note->data, &n, sizeof(n));
	bytes_append(note, NULL, (uint32_t)align_up(note->size, 4) - note->size);
}

/* ---- variables ---- */

static void write_data(struct writer *w)
{
	const struct ir_module *m = w->plan->module;
	struct bytes *data = &w->bytes[S_DATA];

	if (w->content == IMAGE_UNIT)
		return;
	bytes_append(data, NULL, (uint32_t)w->plan->bytes[AMD_DATA]);
	for (uint32_t k = 0; k < m->nsymbols; k++) {
		const struct amd_variable *v = &w->plan->variables[k];

		if (v->section == AMD_DATA && m->symbols[k].init)
			memcpy(data->data + v->offset, m->symbols[k].init, m->symbols[k].size);
	}
	for (uint32_t k = 0; k < w->plan->nfunction_pointers; k++) {
		const struct amd_function_pointer *n = &w->plan->function_pointers[k];

		memcpy(data->data + w->plan->variables[n->symbol].offset + n->offset, &n->value,
		       sizeof(n->value));
	}
}

/* ---- symbols ---- */

/*
 * The value is a section offset until layout_sections() assigns addresses. Returns the symbol's
 * number.
 */
static uint32_t add_symbol(struct writer *w, enum section table, const char *name, uint8_t info,
			   uint8_t other, enum section s, uint64_t value, uint64_t size)
{
	struct bytes *strings = &w->bytes[table == S_DYNSYM ? S_DYNSTR : S_STRTAB];
	Elf64_Sym symbol = {.st_info = info,
			    .st_other = other,
			    .st_shndx = (uint16_t)s,
			    .st_value = value,
			    .st_size = size};

	symbol.st_name = *name ? bytes_string(strings, name) : 0;
	bytes_append(&w->bytes[table], &symbol, sizeof(symbol));
	return w->bytes[table].size / (uint32_t)sizeof(symbol) - 1;
}

static void add_local_symbols(struct writer *w)
{
	for (uint32_t k = 0; k < w->nfragments; k++) {
		uint8_t type = w->fragments[k]->data ? STT_OBJECT : STT_FUNC;

		if (!w->fragments[k]->kernel)
			w->fragment_symbol[k] = add_symbol(
				w, S_SYMTAB, w->fragments[k]->name, ELF64_ST_INFO(STB_LOCAL, type),
				STV_HIDDEN, S_TEXT, w->text_offset[k], w->fragments[k]->code_bytes);
	}
	if (w->plan->bytes[AMD_DATA])
		w->data_symbol = add_symbol(w, S_SYMTAB, "", ELF64_ST_INFO(STB_LOCAL, STT_SECTION),
					    0, S_DATA, 0, 0);
}

/* Adds the symbols that both tables hold. */
static void add_global_symbols(struct writer *w, enum section table)
{
	const struct amd_plan *p = w->plan;

	for (uint32_t k = 0; k < w->nfragments; k++) {
		const struct amd_fragment *fragment = w->fragments[k];
		uint32_t symbol;

		if (!fragment->kernel)
			continue;
		symbol = add_symbol(w, table, fragment->name, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				    STV_PROTECTED, S_TEXT, w->text_offset[k], fragment->code_bytes);
		if (table == S_SYMTAB)
			w->fragment_symbol[k] = symbol;
		add_symbol(w, table, arena_printf(w->arena, "%s.kd", fragment->name),
			   ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), STV_PROTECTED, S_RODATA,
			   w->rodata_offset[k], sizeof(struct amd_kernel_descriptor));
	}
	for (uint32_t k = 0; k < p->module->nsymbols; k++) {
		const struct amd_variable *v = &p->variables[k];
		const struct ir_symbol *s = &p->module->symbols[k];
		uint32_t symbol;

		if (v->section == AMD_DATA_SECTIONS)
			continue;
		symbol =
			add_symbol(w, table, s->name, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
				   STV_PROTECTED, variable_section(v->section), v->offset, s->size);
		if (table == S_SYMTAB)
			w->variable_symbol[k] = symbol;
	}
	for (uint32_t s = 0; s < SERVICES; s++) {
		uint32_t symbol;

		if (!(p->services >> s & 1))
			continue;
		symbol = add_symbol(w, table, services[s].name,
				    ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), 0, S_NULL, 0, 0);
		if (table == S_DYNSYM)
			w->service_symbol[s] = symbol;
	}
	for (uint32_t d = 0; d < p->ndeclared && w->content == IMAGE_HEAD; d++)
		add_symbol(w, table, p->declared[d], ELF64_ST_INFO(STB_GLOBAL, AMD_ELF_STT_KERNEL),
			   0, S_NULL, p->declared_unit[d], 0);
}

static void write_symbols(struct writer *w)
{
	static const enum section tables[] = {S_DYNSYM, S_SYMTAB};

	for (uint32_t t = 0; t < 2; t++) {
		bytes_append(&w->bytes[tables[t]], NULL, sizeof(Elf64_Sym));
		bytes_append(&w->bytes[tables[t] == S_DYNSYM ? S_DYNSTR : S_STRTAB], NULL, 1);
		if (tables[t] == S_SYMTAB)
			add_local_symbols(w);
		w->headers[tables[t]].sh_info = w->bytes[tables[t]].size / sizeof(Elf64_Sym);
		add_global_symbols(w, tables[t]);
	}
}

static void fill_symbols(struct writer *w, enum section table)
{
	struct bytes *b = &w->bytes[table];

	for (uint32_t at = 0; at < b->size; at += sizeof(Elf64_Sym)) {
		Elf64_Sym s;

		memcpy(&s, b->data + at, sizeof(s));
		s.st_value += w->headers[s.st_shndx].sh_addr;
		s.st_shndx = (uint16_t)w->index[s.st_shndx];
		memcpy(b->data + at, &s, sizeof(s));
	}
}

/* The System V hash function; write_hash() makes one bucket per two symbols. */
static uint32_t elf_hash(const char *name)
{
	uint32_t h = 0;

	for (; *name; name++) {
		h = (h << 4) + (uint8_t)*name;
		h = (h ^ (h & 0xf0000000) >> 24) & 0x0fffffff;
	}
	return h;
}

static void write_hash(struct writer *w)
{
	const struct bytes *symbols = &w->bytes[S_DYNSYM];
	uint32_t n = symbols->size / sizeof(Elf64_Sym), buckets = n / 2 + 1;
	uint32_t *table = arena_array(w->arena, 2 + buckets + n, sizeof(*table));
	uint32_t *bucket = table + 2, *chain = bucket + buckets;

	table[0] = buckets;
	table[1] = n;
	for (uint32_t k = 1; k < n; k++) {
		uint32_t h;
		Elf64_Sym s;

		memcpy(&s, symbols->data + k * sizeof(s), sizeof(s));
		h = elf_hash((const char *)w->bytes[S_DYNSTR].data + s.st_name) % buckets;
		chain[k] = bucket[h];
		bucket[h] = k;
	}
	bytes_append(&w->bytes[S_HASH], table, (2 + buckets + n) * (uint32_t)sizeof(*table));
}

/* ---- references ---- */

/*
 * The number of entries of .rela.dyn. Their space is reserved before addresses exist. Relative
 * relocations precede the others, as DT_RELACOUNT requires.
 */
static uint32_t count_dynamic_relocations(const struct writer *w)
{
	uint32_t n = w->plan->naddresses;

	for (uint32_t s = 0; s < SERVICES; s++)
		n += w->plan->services >> s & 1;
	return w->content == IMAGE_UNIT ? 0 : n;
}

static uint64_t variable_address(const struct writer *w, uint32_t symbol)
{
	const struct amd_variable *v = &w->plan->variables[symbol];

	return w->headers[variable_section(v->section)].sh_addr + v->offset;
}

static void fill_dynamic_relocations(struct writer *w)
{
	struct bytes *out = &w->bytes[S_RELADYN];
	const struct amd_plan *p = w->plan;

	out->size = 0; /* overwrites the reserved space */
	for (uint32_t k = 0; k < p->naddresses; k++) {
		const struct amd_address *a = &p->addresses[k];
		Elf64_Rela r = {.r_offset = variable_address(w, a->symbol) + a->offset,
				.r_info = AMD_R_RELATIVE64,
				.r_addend = (int64_t)(variable_address(w, a->to) + a->addend)};

		bytes_append(out, &r, sizeof(r));
	}
	for (uint32_t s = 0; s < SERVICES; s++) {
		Elf64_Rela r = {.r_offset = w->headers[S_DATA].sh_addr + p->service_offset[s],
				.r_info =
					ELF64_R_INFO((uint64_t)w->service_symbol[s], AMD_R_ABS64)};

		if (p->services >> s & 1)
			bytes_append(out, &r, sizeof(r));
	}
}

static int compare_function(const void *a, const void *b)
{
	const struct fragment_key *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit > y->unit ? 1 : -1;
	return (x->index > y->index) - (x->index < y->index);
}

static void sort_fragments_by_function(struct writer *w)
{
	w->by_function = arena_array(w->arena, w->nfragments + 1, sizeof(*w->by_function));
	for (uint32_t k = 0; k < w->nfragments; k++)
		w->by_function[k] =
			(struct fragment_key){w->fragments[k]->unit, w->fragments[k]->index, k};
	qsort(w->by_function, w->nfragments, sizeof(*w->by_function), compare_function);
}

/* Generation emits every function that a unit references. */
static uint32_t find_fragment(const struct writer *w, uint32_t unit, uint32_t function)
{
	const struct fragment_key key = {.unit = unit, .index = function}, *found;

	found = bsearch(&key, w->by_function, w->nfragments, sizeof(key), compare_function);
	return found ? found->fragment : 0;
}

struct reference_address {
	uint64_t address;
	uint32_t symbol; /* in .symtab */
	int64_t addend;  /* relative to the symbol */
};

static struct reference_address resolve_reference(const struct writer *w, uint32_t unit,
						  const struct amd_reference *r)
{
	uint32_t k;

	switch (r->target) {
	case AMD_TO_VARIABLE:
		return (struct reference_address){variable_address(w, r->index),
						  w->variable_symbol[r->index], 0};
	case AMD_TO_FUNCTION:
		k = find_fragment(w, unit, r->index);
		return (struct reference_address){w->headers[S_TEXT].sh_addr + w->text_offset[k],
						  w->fragment_symbol[k], 0};
	default:
		return (struct reference_address){
			w->headers[S_DATA].sh_addr + w->plan->service_offset[r->index],
			w->data_symbol, (int64_t)w->plan->service_offset[r->index]};
	}
}

static void relocate_text(struct writer *w)
{
	struct bytes *text = &w->bytes[S_TEXT], *list = &w->bytes[S_RELATEXT];

	sort_fragments_by_function(w);
	list->size = 0; /* overwrites the reserved space */
	for (uint32_t k = 0; k < w->nfragments; k++) {
		for (uint32_t i = 0; i < w->fragments[k]->nreferences; i++) {
			const struct amd_reference *r = &w->fragments[k]->references[i];
			uint32_t at = w->text_offset[k] + r->offset;
			bool high = r->kind == AMD_REL32_HI;
			struct reference_address to =
				resolve_reference(w, w->fragments[k]->unit, r);
			uint64_t value = to.address + (uint64_t)r->addend -
					 (w->headers[S_TEXT].sh_addr + at);
			uint32_t word = (uint32_t)(high ? value >> 32 : value);
			Elf64_Rela rela = {
				.r_offset = w->headers[S_TEXT].sh_addr + at,
				.r_info = ELF64_R_INFO((uint64_t)to.symbol,
						       high ? AMD_R_REL32_HI : AMD_R_REL32_LO),
				.r_addend = to.addend + r->addend};

			memcpy(text->data + at, &word, sizeof(word));
			if (w->present[S_RELATEXT])
				bytes_append(list, &rela, sizeof(rela));
		}
	}
}

/* ---- line table ---- */

/*
 * A compilation unit without children that points to the line table, which is where debuggers
 * start. (DWARF version 2, sections 7.5 and 7.7.)
 */
static void write_debug_unit(struct writer *w)
{
	static const uint8_t abbreviation[] = {/* number, tag DW_TAG_compile_unit, no children */
					       1, 0x11, 0,
					       /* DW_AT_stmt_list: 4 bytes */
					       0x10, 0x06,
					       /* DW_AT_low_pc and DW_AT_high_pc: addresses */
					       0x11, 0x01, 0x12, 0x01,
					       /* end of the attributes, end of the abbreviations */
					       0, 0, 0};
	static const uint8_t head[] = {/* length: the bytes that follow */
				       28, 0, 0, 0,
				       /* version */
				       2, 0,
				       /* offset in .debug_abbrev, address size */
				       0, 0, 0, 0, 8,
				       /* abbreviation number */
				       1,
				       /* DW_AT_stmt_list: offset in .debug_line */
				       0, 0, 0, 0};

	bytes_append(&w->bytes[S_ABBREV], abbreviation, sizeof(abbreviation));
	bytes_append(&w->bytes[S_INFO], head, sizeof(head));
	bytes_append(&w->bytes[S_INFO], NULL, 16);
}

static void write_line_table(struct writer *w)
{
	struct line_table *tables = arena_array(w->arena, w->nfragments, sizeof(*tables));
	uint64_t first, last;
	uint8_t *section;
	uint32_t size;

	if (!w->present[S_LINE])
		return;
	for (uint32_t k = 0; k < w->nfragments; k++)
		tables[k] = w->fragments[k]->lines;
	section = line_table_write(w->arena, w->plan->files.names, w->plan->files.count, tables,
				   w->nfragments, &size);
	for (uint32_t k = 0; k < w->nfragments; k++) {
		uint64_t address = w->headers[S_TEXT].sh_addr + w->text_offset[k];

		memcpy(section + tables[k].start, &address, sizeof(address));
	}
	bytes_append(&w->bytes[S_LINE], section, size);
	write_debug_unit(w);
	first = w->headers[S_TEXT].sh_addr;
	last = first + w->bytes[S_TEXT].size;
	memcpy(w->bytes[S_INFO].data + w->bytes[S_INFO].size - 16, &first, sizeof(first));
	memcpy(w->bytes[S_INFO].data + w->bytes[S_INFO].size - 8, &last, sizeof(last));
}

/* ---- the file ---- */

static void fill_dynamic_section(struct writer *w)
{
	const Elf64_Shdr *h = w->headers;
	uint64_t relative = w->content == IMAGE_UNIT ? 0 : w->plan->naddresses;
	const Elf64_Dyn entries[MAX_DYNAMIC] = {
		{DT_HASH, {h[S_HASH].sh_addr}},      {DT_SYMTAB, {h[S_DYNSYM].sh_addr}},
		{DT_SYMENT, {sizeof(Elf64_Sym)}},    {DT_STRTAB, {h[S_DYNSTR].sh_addr}},
		{DT_STRSZ, {h[S_DYNSTR].sh_size}},   {DT_RELA, {h[S_RELADYN].sh_addr}},
		{DT_RELASZ, {h[S_RELADYN].sh_size}}, {DT_RELAENT, {sizeof(Elf64_Rela)}},
		{DT_RELACOUNT, {relative}},          {DT_NULL, {0}},
	};
	struct bytes *b = &w->bytes[S_DYNAMIC];

	b->size = 0;
	for (uint32_t k = 0; k < MAX_DYNAMIC; k++) {
		bool relocation = entries[k].d_tag == DT_RELA || entries[k].d_tag == DT_RELASZ ||
				  entries[k].d_tag == DT_RELAENT ||
				  entries[k].d_tag == DT_RELACOUNT;

		if (w->present[S_RELADYN] || !relocation)
			bytes_append(b, &entries[k], sizeof(entries[k]));
	}
}

/* Decides which sections exist and numbers them. */
static void number_sections(struct writer *w)
{
	bool lines = w->plan->files.count && w->nfragments;
	uint32_t n = 0;

	for (uint32_t s = 0; s < S_COUNT; s++)
		w->present[s] = true;
	w->present[S_RELADYN] = count_dynamic_relocations(w) > 0;
	w->present[S_RODATA] = w->bytes[S_RODATA].size > 0;
	w->present[S_TEXT] = w->nfragments > 0;
	w->present[S_DATA] = w->plan->bytes[AMD_DATA] > 0;
	w->present[S_BSS] = w->plan->bytes[AMD_BSS] > 0;
	w->present[S_LINE] = w->present[S_ABBREV] = w->present[S_INFO] = lines;
	w->present[S_RELATEXT] = has_variables(w) && w->nfragments;
	for (uint32_t s = 0; s < S_COUNT; s++)
		if (w->present[s])
			w->index[s] = n++;
}

static void set_headers(struct writer *w)
{
	bytes_append(&w->bytes[S_SHSTRTAB], NULL, 1);
	for (uint32_t s = 0; s < S_COUNT; s++) {
		Elf64_Shdr *h = &w->headers[s];

		h->sh_name =
			w->present[s] && s ? bytes_string(&w->bytes[S_SHSTRTAB], kinds[s].name) : 0;
		h->sh_type = kinds[s].type;
		h->sh_flags = kinds[s].flags;
		h->sh_addralign = kinds[s].align;
		if ((s == S_DATA || s == S_BSS) && w->plan->align > DATA_ALIGN)
			h->sh_addralign = w->plan->align;
		h->sh_entsize = kinds[s].entry;
		h->sh_link = w->index[kinds[s].link];
		if (kinds[s].info)
			h->sh_info = w->index[kinds[s].info];
	}
	if (w->content == IMAGE_UNIT)
		w->headers[S_DATA].sh_type = SHT_NOBITS;
}

static uint64_t section_bytes(const struct writer *w, uint32_t s)
{
	return s == S_DATA  ? w->plan->bytes[AMD_DATA]
	       : s == S_BSS ? w->plan->bytes[AMD_BSS]
			    : w->bytes[s].size;
}

/*
 * Assigns file offsets to all sections and addresses to the loaded ones. Each segment starts on a
 * new page, at the same offset within the page as in the file.
 */
static uint64_t layout_sections(struct writer *w, uint64_t at, enum section first,
				enum section last)
{
	uint64_t segment = 0; /* address minus file offset */

	for (uint32_t s = first; s <= last; s++) {
		Elf64_Shdr *h = &w->headers[s];

		if (!w->present[s])
			continue;
		if (s == S_TEXT || s == S_DATA || (s == S_BSS && !w->present[S_DATA]))
			segment += PAGE;
		h->sh_size = section_bytes(w, s);
		if (h->sh_type != SHT_NOBITS || s == S_DATA || !w->present[S_DATA])
			at = align_up(at, h->sh_addralign);
		h->sh_offset = at;
		if (h->sh_flags & SHF_ALLOC)
			h->sh_addr = at + segment;
		if (s == S_BSS && w->present[S_DATA])
			h->sh_addr =
				align_up(w->headers[S_DATA].sh_addr + w->headers[S_DATA].sh_size,
					 h->sh_addralign);
		if (h->sh_type != SHT_NOBITS)
			at += h->sh_size;
	}
	return at;
}

static Elf64_Phdr make_segment(const struct writer *w, uint32_t type, uint32_t flags,
			       enum section first, enum section last, uint64_t align)
{
	Elf64_Phdr p = {.p_type = type, .p_flags = flags, .p_align = align};
	bool any = false;

	for (uint32_t s = first; s <= last; s++) {
		const Elf64_Shdr *h = &w->headers[s];

		if (!w->present[s])
			continue;
		if (!any) {
			p.p_offset = h->sh_offset;
			p.p_vaddr = p.p_paddr = h->sh_addr;
		}
		any = true;
		p.p_memsz = h->sh_addr + h->sh_size - p.p_vaddr;
		if (h->sh_type != SHT_NOBITS)
			p.p_filesz = p.p_memsz;
	}
	return p;
}

enum {
	SEGMENT_PHDR,
	SEGMENT_READ,
	SEGMENT_CODE,
	SEGMENT_DATA,
	SEGMENT_DYNAMIC,
	SEGMENT_STACK,
	SEGMENT_NOTE,
	SEGMENT_COUNT,
};

/* Lists the program headers that have contents. */
static uint32_t list_segments(const struct writer *w, Elf64_Phdr out[SEGMENT_COUNT])
{
	const uint64_t header = sizeof(Elf64_Ehdr);
	Elf64_Phdr all[SEGMENT_COUNT] = {
		[SEGMENT_PHDR] = {.p_type = PT_PHDR,
				  .p_flags = PF_R,
				  .p_offset = header,
				  .p_vaddr = header,
				  .p_paddr = header,
				  .p_align = 8},
		[SEGMENT_READ] = make_segment(w, PT_LOAD, PF_R, S_NOTE, S_RODATA, PAGE),
		[SEGMENT_CODE] = make_segment(w, PT_LOAD, PF_R | PF_X, S_TEXT, S_TEXT, PAGE),
		[SEGMENT_DATA] = make_segment(w, PT_LOAD, PF_R | PF_W, S_DATA, S_BSS, PAGE),
		[SEGMENT_DYNAMIC] = make_segment(w, PT_DYNAMIC, PF_R, S_DYNAMIC, S_DYNAMIC, 8),
		[SEGMENT_STACK] = {.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W},
		[SEGMENT_NOTE] = make_segment(w, PT_NOTE, PF_R, S_NOTE, S_NOTE, 4),
	};
	uint32_t n = 0;

	/* The first segment includes the ELF and program headers. */
	all[SEGMENT_READ].p_filesz += all[SEGMENT_READ].p_offset;
	all[SEGMENT_READ].p_memsz = all[SEGMENT_READ].p_filesz;
	all[SEGMENT_READ].p_offset = all[SEGMENT_READ].p_vaddr = all[SEGMENT_READ].p_paddr = 0;
	for (uint32_t k = 0; k < SEGMENT_COUNT; k++)
		if ((k != SEGMENT_CODE || w->nfragments) && (k != SEGMENT_DATA || has_variables(w)))
			out[n++] = all[k];
	out[0].p_filesz = out[0].p_memsz = n * sizeof(Elf64_Phdr);
	return n;
}

/* Builds everything whose size layout_sections() needs. */
static void write_contents(struct writer *w)
{
	uint32_t references = 0;

	write_text(w);
	write_note(w);
	write_data(w);
	number_sections(w);
	write_symbols(w);
	write_hash(w);
	for (uint32_t k = 0; k < w->nfragments; k++)
		references += w->fragments[k]->nreferences;
	if (w->present[S_RELATEXT])
		bytes_append(&w->bytes[S_RELATEXT], NULL,
			     references * (uint32_t)sizeof(Elf64_Rela));
	bytes_append(&w->bytes[S_RELADYN], NULL,
		     count_dynamic_relocations(w) * (uint32_t)sizeof(Elf64_Rela));
	fill_dynamic_section(w);
	set_headers(w);
}

static uint8_t *assemble_file(struct writer *w, uint64_t end, size_t *size)
{
	Elf64_Phdr segments[SEGMENT_COUNT];
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
			    AMD_ELF_OSABI_HSA, AMD_ELF_ABI_V5},
		.e_type = ET_DYN,
		.e_machine = AMD_ELF_MACHINE,
		.e_version = EV_CURRENT,
		.e_flags = AMD_ELF_GFX1030,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_shoff = align_up(end, 8),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (uint16_t)list_segments(w, segments),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (uint16_t)(w->index[S_STRTAB] + 1),
		.e_shstrndx = (uint16_t)w->index[S_SHSTRTAB],
	};
	uint8_t *file;

	*size = header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr);
	file = arena_alloc(w->arena, *size);
	memcpy(file, &header, sizeof(header));
	memcpy(file + header.e_phoff, segments, header.e_phnum * sizeof(Elf64_Phdr));
	for (uint32_t s = 0; s < S_COUNT; s++) {
		const Elf64_Shdr *h = &w->headers[s];

		if (!w->present[s])
			continue;
		if (h->sh_type != SHT_NOBITS && h->sh_size)
			memcpy(file + h->sh_offset, w->bytes[s].data, h->sh_size);
		memcpy(file + header.e_shoff + w->index[s] * sizeof(*h), h, sizeof(*h));
	}
	return file;
}

uint8_t *amd_object_write(struct arena *a, const struct amd_plan *p,
			  struct amd_fragment *const *fragments, uint32_t nfragments,
			  enum image_content content, size_t *size)
{
	struct writer *w = arena_alloc(a, sizeof(*w));
	uint64_t at = sizeof(Elf64_Ehdr) + SEGMENT_COUNT * sizeof(Elf64_Phdr);

	*w = (struct writer){.arena = a,
			     .plan = p,
			     .fragments = fragments,
			     .nfragments = nfragments,
			     .content = content};
	for (uint32_t s = 0; s < S_COUNT; s++)
		w->bytes[s].arena = a;
	w->text_offset = arena_array(a, nfragments + 1, sizeof(*w->text_offset));
	w->rodata_offset = arena_array(a, nfragments + 1, sizeof(*w->rodata_offset));
	w->fragment_symbol = arena_array(a, nfragments + 1, sizeof(*w->fragment_symbol));
	w->variable_symbol = arena_array(a, p->module->nsymbols + 1, sizeof(*w->variable_symbol));
	write_contents(w);
	at = layout_sections(w, at, S_NOTE, S_BSS);
	fill_symbols(w, S_DYNSYM);
	fill_symbols(w, S_SYMTAB);
	fill_descriptors(w);
	relocate_text(w);
	if (w->present[S_RELADYN])
		fill_dynamic_relocations(w);
	fill_dynamic_section(w);
	write_line_table(w);
	at = layout_sections(w, at, S_LINE, S_STRTAB);
	return assemble_file(w, at, size);
}
