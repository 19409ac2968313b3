// SPDX-License-Identifier: MIT
/*
 * The cubin writer. Each section has a growing buffer; once all are complete, the writer assigns
 * file offsets in order and copies everything. Symbols name sections and attributes name symbols,
 * so section indices are assigned first: the fixed sections, the data sections that exist, then one
 * group per kind with one section for each kernel.
 */
#include <elf.h>
#include <string.h>
#include "hw/nv/cubin.h"
#include "libsov/compiler/base/bytes.h"
#include "libsov/compiler/image/cubin_attributes.h"
#include "libsov/compiler/image/cubin_write.h"

struct writer {
	struct arena *arena;
	const struct cubin_module *module;
	uint32_t sm, nkernels, nsections;
	const struct cubin_kernel *kernels;
	uint32_t data[CUBIN_DATA_SECTIONS];                           /* section; 0: none */
	uint32_t rel[CUBIN_DATA_SECTIONS], rela[CUBIN_DATA_SECTIONS]; /* their relocations */
	uint32_t lines, lines_rela;                                   /* .debug_line; 0: none */
	uint32_t *index; /* section of group g and kernel k at g * nkernels + k; 0: none */
	Elf64_Shdr *headers;
	struct bytes *content;
};

/* The fixed sections; the kernels' follow. */
enum { S_NULL, S_SHSTRTAB, S_STRTAB, S_SYMTAB, S_INFO, S_CALLGRAPH, S_FIXED };
enum group { G_INFO, G_RELA, G_TEXT, G_SHARED, G_CONSTANT, G_COUNT };
static const char *const group_names[G_COUNT] = {".nv.info.", ".rela.text.", ".text.",
						 ".nv.shared.", ".nv.constant0."};

/* Symbol order: null; per kernel its text section and constant bank; then the globals: kernels,
 * variables, external functions, declared kernels. */
static uint32_t constant_symbol(uint32_t k)
{
	return 2 + 2 * k;
}

static uint32_t kernel_symbol(const struct writer *w, uint32_t k)
{
	return 1 + 2 * w->nkernels + k;
}

static uint32_t variable_symbol(const struct writer *w, uint32_t v)
{
	return 1 + 3 * w->nkernels + v;
}

static uint32_t external_symbol(const struct writer *w, uint32_t external)
{
	uint32_t symbol = variable_symbol(w, w->module->nvariables);

	for (uint32_t e = 0; e < external; e++)
		symbol += w->module->externals[e] != NULL;
	return symbol;
}

static uint32_t kernel_section(const struct writer *w, enum group g, uint32_t k)
{
	return w->index[g * w->nkernels + k];
}

static const struct {
	const char *name, *rel, *rela;
	uint32_t type, flags;
} data_sections[CUBIN_DATA_SECTIONS] = {
	[CUBIN_GLOBAL_INIT] = {".nv.global.init", ".rel.nv.global.init", ".rela.nv.global.init",
			       SHT_PROGBITS, SHF_WRITE | SHF_ALLOC},
	[CUBIN_GLOBAL_ZERO] = {".nv.global", NULL, NULL, SHT_NOBITS, SHF_WRITE | SHF_ALLOC},
	[CUBIN_CONSTANT_VARIABLES] = {".nv.constant3", ".rel.nv.constant3", ".rela.nv.constant3",
				      SHT_PROGBITS, SHF_ALLOC},
	[CUBIN_CONSTANT_ADDRESSES] = {".nv.constant4", ".rel.nv.constant4", ".rela.nv.constant4",
				      SHT_PROGBITS, SHF_ALLOC},
};

static void number_data_sections(struct writer *w)
{
	const struct cubin_module *m = w->module;

	for (uint32_t p = 0; p < CUBIN_DATA_SECTIONS; p++) {
		if (m->bytes[p])
			w->data[p] = w->nsections++;
	}
	for (uint32_t k = 0; k < m->naddresses && !m->variables_elsewhere; k++) {
		const struct cubin_address *a = &m->addresses[k];
		uint32_t *s = a->addend ? &w->rela[a->section] : &w->rel[a->section];

		if (!*s)
			*s = w->nsections++;
	}
}

static void number_sections(struct writer *w)
{
	w->nsections = S_FIXED;
	number_data_sections(w);
	if (w->module->nfiles) {
		w->lines = w->nsections++;
		w->lines_rela = w->nsections++;
	}
	w->index = arena_array(w->arena, G_COUNT * w->nkernels, sizeof(*w->index));
	for (uint32_t g = 0; g < G_COUNT; g++) {
		for (uint32_t k = 0; k < w->nkernels; k++) {
			if ((g != G_SHARED || w->kernels[k].shared) &&
			    (g != G_RELA || w->kernels[k].naddresses))
				w->index[g * w->nkernels + k] = w->nsections++;
		}
	}
	w->headers = arena_array(w->arena, w->nsections, sizeof(*w->headers));
	w->content = arena_array(w->arena, w->nsections, sizeof(*w->content));
	for (uint32_t s = 0; s < w->nsections; s++)
		w->content[s].arena = w->arena;
}

static uint32_t add_string(struct writer *w, uint32_t table, const char *prefix, const char *text)
{
	struct bytes *b = &w->content[table];
	uint32_t at = b->size;

	bytes_append(b, prefix, (uint32_t)strlen(prefix));
	bytes_string(b, text);
	return at;
}

static void set_header(struct writer *w, uint32_t s, uint32_t type, uint64_t flags, uint32_t link,
		       uint32_t info, uint32_t align, uint32_t entry)
{
	Elf64_Shdr *h = &w->headers[s];

	h->sh_type = type;
	h->sh_flags = flags;
	h->sh_link = link;
	h->sh_info = info;
	h->sh_addralign = align;
	h->sh_entsize = entry;
}

/* .nv.info: attributes that name their kernel by its symbol. */
static void write_module_info(struct writer *w, uint32_t k)
{
	uint32_t symbol = kernel_symbol(w, k);

	cubin_attribute_words(&w->content[S_INFO], NV_INFO_REGISTERS,
			      (uint32_t[]){symbol, w->kernels[k].registers}, 2);
	cubin_attribute_words(&w->content[S_INFO], NV_INFO_FRAME_SIZE,
			      (uint32_t[]){symbol, w->kernels[k].frame_bytes}, 2);
	cubin_attribute_words(&w->content[S_INFO], NV_INFO_MIN_STACK_SIZE,
			      (uint32_t[]){symbol, w->kernels[k].stack_bytes}, 2);
}

static void write_kernel_info(struct writer *w, uint32_t k)
{
	uint32_t externals[CUBIN_MAX_EXTERNALS], n = 0;

	for (uint32_t e = 0; e < CUBIN_MAX_EXTERNALS; e++) {
		if (w->kernels[k].externals >> e & 1)
			externals[n++] = external_symbol(w, e);
	}
	cubin_kernel_attributes(&w->content[kernel_section(w, G_INFO, k)], &w->kernels[k],
				constant_symbol(k), externals, n);
}

static void write_code_relocations(struct writer *w, uint32_t k)
{
	uint32_t s = kernel_section(w, G_RELA, k);

	for (uint32_t i = 0; i < w->kernels[k].naddresses; i++) {
		const struct cubin_code_address *a = &w->kernels[k].addresses[i];
		Elf64_Rela r = {.r_offset = a->offset,
				.r_addend = (int64_t)a->addend,
				.r_info = ELF64_R_INFO((uint64_t)variable_symbol(w, a->variable),
						       a->high ? NV_R_CODE_HIGH : NV_R_CODE_LOW)};

		bytes_append(&w->content[s], &r, sizeof(r));
	}
	set_header(w, s, SHT_RELA, SHF_INFO_LINK, S_SYMTAB, kernel_section(w, G_TEXT, k), 8,
		   sizeof(Elf64_Rela));
}

static void write_kernel(struct writer *w, uint32_t k)
{
	const struct cubin_kernel *kernel = &w->kernels[k];
	uint32_t text = kernel_section(w, G_TEXT, k), shared = kernel_section(w, G_SHARED, k);
	uint32_t constant = kernel_section(w, G_CONSTANT, k), info = kernel_section(w, G_INFO, k);
	uint32_t registers = w->sm < 90 ? kernel->registers << NV_TEXT_REGISTERS_SHIFT : 0;

	write_module_info(w, k);
	write_kernel_info(w, k);
	bytes_append(&w->content[text], kernel->code, kernel->code_bytes);
	bytes_append(&w->content[constant], NULL, kernel->param_base + kernel->param_bytes);

	if (kernel->naddresses)
		write_code_relocations(w, k);
	set_header(w, info, NV_SHT_INFO, SHF_INFO_LINK, S_SYMTAB, text, 4, 0);
	set_header(w, text, SHT_PROGBITS,
		   SHF_ALLOC | SHF_EXECINSTR | kernel->barriers << NV_TEXT_BARRIERS_SHIFT, S_SYMTAB,
		   kernel_symbol(w, k) | registers, NV_TEXT_ALIGN, 0);
	set_header(w, constant, SHT_PROGBITS, SHF_ALLOC | SHF_INFO_LINK, 0, text, 4, 0);
	if (kernel->shared) {
		set_header(w, shared, SHT_NOBITS, SHF_WRITE | SHF_ALLOC | SHF_INFO_LINK, 0, text,
			   kernel->shared_align, 0);
		w->headers[shared].sh_size = kernel->shared_bytes;
	}
}

static void write_initial_values(struct writer *w)
{
	const struct cubin_module *m = w->module;

	for (uint32_t p = 0; p < CUBIN_DATA_SECTIONS; p++) {
		if (w->data[p] && data_sections[p].type == SHT_PROGBITS)
			bytes_append(&w->content[w->data[p]], NULL, (uint32_t)m->bytes[p]);
	}
	for (uint32_t v = 0; v < m->nvariables; v++) {
		const struct cubin_variable *var = &m->variables[v];

		if (var->init)
			memcpy(w->content[w->data[var->section]].data + var->offset, var->init,
			       var->size);
	}
}

static void write_data_relocations(struct writer *w)
{
	const struct cubin_module *m = w->module;

	for (uint32_t k = 0; k < m->naddresses; k++) {
		const struct cubin_address *a = &m->addresses[k];
		uint32_t type =
			a->section == CUBIN_CONSTANT_ADDRESSES ? NV_R_ADDRESS_64 : NV_R_GENERIC_64;
		uint32_t symbol = a->variable < CUBIN_EXTERNAL
					  ? variable_symbol(w, a->variable)
					  : external_symbol(w, a->variable - CUBIN_EXTERNAL);
		Elf64_Rela r = {.r_offset = a->offset,
				.r_addend = (int64_t)a->addend,
				.r_info = ELF64_R_INFO((uint64_t)symbol, type)};

		if (a->addend)
			bytes_append(&w->content[w->rela[a->section]], &r, sizeof(r));
		else
			bytes_append(&w->content[w->rel[a->section]], &r, sizeof(Elf64_Rel));
	}
}

static void write_variables(struct writer *w)
{
	const struct cubin_module *m = w->module;
	uint32_t align[CUBIN_DATA_SECTIONS] = {[CUBIN_CONSTANT_ADDRESSES] = 8};

	for (uint32_t v = 0; v < m->nvariables; v++) {
		if (m->variables[v].align > align[m->variables[v].section])
			align[m->variables[v].section] = m->variables[v].align;
	}
	for (uint32_t p = 0; p < CUBIN_DATA_SECTIONS; p++) {
		if (!w->data[p])
			continue;
		set_header(w, w->data[p],
			   m->variables_elsewhere ? SHT_NOBITS : data_sections[p].type,
			   data_sections[p].flags, 0, 0, align[p], 0);
		w->headers[w->data[p]].sh_size = m->bytes[p];
		if (w->rel[p])
			set_header(w, w->rel[p], SHT_REL, SHF_INFO_LINK, S_SYMTAB, w->data[p], 8,
				   sizeof(Elf64_Rel));
		if (w->rela[p])
			set_header(w, w->rela[p], SHT_RELA, SHF_INFO_LINK, S_SYMTAB, w->data[p], 8,
				   sizeof(Elf64_Rela));
	}
	if (!m->variables_elsewhere) {
		write_initial_values(w);
		write_data_relocations(w);
	}
}

/* .debug_line, with a relocation for the address of each kernel. */
static void write_lines(struct writer *w)
{
	const struct cubin_module *m = w->module;
	uint32_t size;
	uint8_t *section;

	if (!w->lines)
		return;
	section = line_table_write(w->arena, m->files, m->nfiles, m->lines, m->nkernels, &size);
	bytes_append(&w->content[w->lines], section, size);
	for (uint32_t k = 0; k < w->nkernels; k++) {
		Elf64_Rela r = {
			.r_offset = m->lines[k].start,
			.r_info = ELF64_R_INFO((uint64_t)kernel_symbol(w, k), NV_R_ADDRESS_64)};

		bytes_append(&w->content[w->lines_rela], &r, sizeof(r));
	}
	set_header(w, w->lines, SHT_PROGBITS, 0, 0, 0, 1, 0);
	set_header(w, w->lines_rela, SHT_RELA, SHF_INFO_LINK, S_SYMTAB, w->lines, 8,
		   sizeof(Elf64_Rela));
}

static void add_symbol(struct writer *w, uint32_t name, uint8_t info, uint8_t other, uint32_t s,
		       uint64_t value, uint64_t size)
{
	Elf64_Sym symbol = {.st_name = name,
			    .st_info = info,
			    .st_other = other,
			    .st_shndx = (uint16_t)s,
			    .st_value = value,
			    .st_size = size};

	bytes_append(&w->content[S_SYMTAB], &symbol, sizeof(symbol));
}

static void write_symbols(struct writer *w)
{
	bytes_append(&w->content[S_STRTAB], NULL, 1);
	bytes_append(&w->content[S_SYMTAB], NULL, sizeof(Elf64_Sym));
	for (uint32_t k = 0; k < w->nkernels; k++) {
		const char *name = w->kernels[k].name;

		add_symbol(w, add_string(w, S_STRTAB, group_names[G_TEXT], name),
			   ELF64_ST_INFO(STB_LOCAL, STT_SECTION), 0, kernel_section(w, G_TEXT, k),
			   0, 0);
		add_symbol(w, add_string(w, S_STRTAB, group_names[G_CONSTANT], name),
			   ELF64_ST_INFO(STB_LOCAL, STT_SECTION), 0,
			   kernel_section(w, G_CONSTANT, k), 0, 0);
	}
	for (uint32_t k = 0; k < w->nkernels; k++)
		add_symbol(w, add_string(w, S_STRTAB, "", w->kernels[k].name),
			   ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), NV_STO_ENTRY,
			   kernel_section(w, G_TEXT, k), 0, w->kernels[k].code_bytes);
	for (uint32_t v = 0; v < w->module->nvariables; v++) {
		const struct cubin_variable *var = &w->module->variables[v];

		add_symbol(w, add_string(w, S_STRTAB, "", var->name),
			   ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 0, w->data[var->section],
			   var->offset, var->size);
	}
	for (uint32_t e = 0; e < CUBIN_MAX_EXTERNALS; e++) {
		if (w->module->externals[e])
			add_symbol(w, add_string(w, S_STRTAB, "", w->module->externals[e]),
				   ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, SHN_UNDEF, 0, 0);
	}
	for (uint32_t d = 0; d < w->module->ndeclarations; d++)
		add_symbol(w, add_string(w, S_STRTAB, "", w->module->declarations[d].name),
			   ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), NV_STO_ENTRY, SHN_UNDEF,
			   w->module->declarations[d].unit, 0);
	set_header(w, S_STRTAB, SHT_STRTAB, 0, 0, 0, 1, 0);
	set_header(w, S_SYMTAB, SHT_SYMTAB, 0, S_STRTAB, kernel_symbol(w, 0), 8, sizeof(Elf64_Sym));
}

static void write_section_names(struct writer *w)
{
	static const char *const fixed[S_FIXED] = {"",        ".shstrtab", ".strtab",
						   ".symtab", ".nv.info",  ".nv.callgraph"};

	for (uint32_t s = 0; s < S_FIXED; s++)
		w->headers[s].sh_name = add_string(w, S_SHSTRTAB, fixed[s], "");
	for (uint32_t p = 0; p < CUBIN_DATA_SECTIONS; p++) {
		if (w->data[p])
			w->headers[w->data[p]].sh_name =
				add_string(w, S_SHSTRTAB, data_sections[p].name, "");
		if (w->rel[p])
			w->headers[w->rel[p]].sh_name =
				add_string(w, S_SHSTRTAB, data_sections[p].rel, "");
		if (w->rela[p])
			w->headers[w->rela[p]].sh_name =
				add_string(w, S_SHSTRTAB, data_sections[p].rela, "");
	}
	if (w->lines) {
		w->headers[w->lines].sh_name = add_string(w, S_SHSTRTAB, ".debug_line", "");
		w->headers[w->lines_rela].sh_name =
			add_string(w, S_SHSTRTAB, ".rela.debug_line", "");
	}
	for (uint32_t g = 0; g < G_COUNT; g++) {
		for (uint32_t k = 0; k < w->nkernels; k++) {
			if (kernel_section(w, g, k))
				w->headers[kernel_section(w, g, k)].sh_name = add_string(
					w, S_SHSTRTAB, group_names[g], w->kernels[k].name);
		}
	}
	set_header(w, S_SHSTRTAB, SHT_STRTAB, 0, 0, 0, 1, 0);
}

/* .nv.callgraph: pairs of caller and external callee, between the markers that ptxas writes. */
static void write_call_graph(struct writer *w)
{
	static const int32_t first[] = {0, -1}, rest[] = {0, -2, 0, -3, 0, -4};
	struct bytes *graph = &w->content[S_CALLGRAPH];

	bytes_append(graph, first, sizeof(first));
	for (uint32_t k = 0; k < w->nkernels; k++) {
		for (uint32_t e = 0; e < CUBIN_MAX_EXTERNALS; e++) {
			uint32_t pair[] = {kernel_symbol(w, k), external_symbol(w, e)};

			if (w->kernels[k].externals >> e & 1)
				bytes_append(graph, pair, sizeof(pair));
		}
	}
	bytes_append(graph, rest, sizeof(rest));
}

static uint64_t align_up(uint64_t at, uint64_t align)
{
	return (at + align - 1) / align * align;
}

/* Assigns file offsets to all sections; returns the end. */
static uint64_t layout_sections(struct writer *w)
{
	uint64_t at = sizeof(Elf64_Ehdr);

	for (uint32_t s = 1; s < w->nsections; s++) {
		Elf64_Shdr *h = &w->headers[s];

		at = align_up(at, h->sh_addralign);
		h->sh_offset = at;
		if (h->sh_type == SHT_NOBITS)
			continue;
		h->sh_size = w->content[s].size;
		at += h->sh_size;
	}
	return align_up(at, 8);
}

static void extend_segment(const struct writer *w, Elf64_Phdr *p, uint32_t s)
{
	const Elf64_Shdr *h = &w->headers[s];

	if (!s)
		return;
	if (!p->p_offset)
		p->p_offset = h->sh_offset;
	if (h->sh_type == SHT_NOBITS)
		p->p_memsz += h->sh_size;
	else
		p->p_memsz = p->p_filesz = h->sh_offset + h->sh_size - p->p_offset;
}

/* One segment covers all sections of a group. */
static void set_segment(struct writer *w, Elf64_Phdr *p, enum group g, uint32_t flags)
{
	*p = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = flags, .p_align = 8};
	for (uint32_t k = 0; k < w->nkernels; k++)
		extend_segment(w, p, kernel_section(w, g, k));
}

/* Data sections have two segments: read-write and read-only. */
static void set_variable_segments(struct writer *w, Elf64_Phdr *writable, Elf64_Phdr *constant)
{
	*writable = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_align = 8};
	*constant = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R, .p_align = 8};
	extend_segment(w, writable, w->data[CUBIN_GLOBAL_INIT]);
	extend_segment(w, writable, w->data[CUBIN_GLOBAL_ZERO]);
	extend_segment(w, constant, w->data[CUBIN_CONSTANT_VARIABLES]);
	extend_segment(w, constant, w->data[CUBIN_CONSTANT_ADDRESSES]);
}

uint8_t *cubin_write(struct arena *a, const struct cubin_module *m, size_t *size)
{
	struct writer w = {.arena = a,
			   .module = m,
			   .sm = m->sm,
			   .nkernels = m->nkernels,
			   .kernels = m->kernels};
	Elf64_Phdr segments[7] = {0};
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
			    NV_ELF_OSABI_CUDA12, NV_ELF_ABI_CUDA12},
		.e_type = ET_EXEC,
		.e_machine = NV_ELF_MACHINE,
		.e_version = NV_ELF_VERSION,
		.e_flags = NV_ELF_FLAGS(m->sm),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = m->nvariables || m->naddresses ? 7 : 5,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shstrndx = S_SHSTRTAB,
	};
	uint8_t *file;

	number_sections(&w);
	write_section_names(&w);
	write_symbols(&w);
	write_call_graph(&w);
	set_header(&w, S_CALLGRAPH, NV_SHT_CALLGRAPH, 0, S_SYMTAB, 0, 4, 8);
	set_header(&w, S_INFO, NV_SHT_INFO, 0, S_SYMTAB, 0, 4, 0);
	for (uint32_t k = 0; k < w.nkernels; k++)
		write_kernel(&w, k);
	write_variables(&w);
	write_lines(&w);

	header.e_shnum = (uint16_t)w.nsections;
	header.e_shoff = layout_sections(&w);
	header.e_phoff = header.e_shoff + w.nsections * sizeof(Elf64_Shdr);
	segments[0] = (Elf64_Phdr){.p_type = PT_PHDR,
				   .p_flags = PF_R,
				   .p_offset = header.e_phoff,
				   .p_filesz = header.e_phnum * sizeof(segments[0]),
				   .p_memsz = header.e_phnum * sizeof(segments[0]),
				   .p_align = 8};
	segments[1] = segments[0];
	segments[1].p_type = PT_LOAD;
	set_segment(&w, &segments[2], G_TEXT, PF_R | PF_X);
	set_segment(&w, &segments[3], G_SHARED, PF_R | PF_W);
	set_segment(&w, &segments[4], G_CONSTANT, PF_R);
	set_variable_segments(&w, &segments[5], &segments[6]);

	*size = header.e_phoff + header.e_phnum * sizeof(segments[0]);
	file = arena_alloc(a, *size);
	memcpy(file, &header, sizeof(header));
	for (uint32_t s = 1; s < w.nsections; s++) {
		if (w.headers[s].sh_type != SHT_NOBITS && w.content[s].size)
			memcpy(file + w.headers[s].sh_offset, w.content[s].data, w.content[s].size);
	}
	memcpy(file + header.e_shoff, w.headers, w.nsections * sizeof(Elf64_Shdr));
	memcpy(file + header.e_phoff, segments, header.e_phnum * sizeof(segments[0]));
	return file;
}
