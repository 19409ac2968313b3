// SPDX-License-Identifier: MIT
/*
 * The writer of relocatable objects, as ptxas -c makes them for nvlink. Kernels and functions have
 * a section each; all references go by symbol. The linker assigns the addresses of variables,
 * resolves undefined symbols, and computes registers and stack of each kernel from the call graph:
 * direct calls, functions whose addresses are taken, and indirect calls, the last two with the text
 * of their prototypes, and kernels that the device may launch. Shared variables are symbols without
 * an address; the linker gives a kernel those that its code, or that of its callees, names.
 *
 * The same format, without undefined functions other than device services, is the program that our
 * own linker makes (cubin_object_link.c).
 */
#include <elf.h>
#include <string.h>
#include "hw/nv/cubin.h"
#include "libsov/compiler/base/bytes.h"
#include "libsov/compiler/base/name_map.h"
#include "libsov/compiler/image/cubin_attributes.h"
#include "libsov/compiler/image/cubin_write.h"
#include "libsov/compiler/ir/ir.h"

struct section {
	Elf64_Shdr header;
	struct bytes content;
};

struct object {
	struct arena *arena;
	const struct cubin_module *module;
	struct section *sections;
	uint32_t nsections, capacity;
	uint32_t data[CUBIN_DATA_SECTIONS]; /* section; 0: none */
	uint32_t *text, *constant;          /* by kernel: section; constant 0: none */
	uint32_t *constant_symbol;          /* by kernel */
	struct name_map symbols;            /* function or variable -> symbol */
	uint32_t nsymbols, nlocals;
};

enum { S_NULL, S_SHSTRTAB, S_STRTAB, S_SYMTAB, S_INFO, S_CALLGRAPH, S_PROTOTYPE };

/* ---- sections ---- */

static uint32_t add_section(struct object *o, const char *prefix, const char *name, uint32_t type,
			    uint64_t flags, uint32_t align, uint32_t entry)
{
	struct bytes *names;
	struct section *s;

	o->sections = arena_grow(o->arena, o->sections, &o->capacity, o->nsections + 1,
				 sizeof(*o->sections));
	s = &o->sections[o->nsections];
	*s = (struct section){.content = {.arena = o->arena}};
	s->header = (Elf64_Shdr){
		.sh_type = type, .sh_flags = flags, .sh_addralign = align, .sh_entsize = entry};
	names = &o->sections[o->nsections ? S_SHSTRTAB : S_NULL].content;
	if (o->nsections) {
		s->header.sh_name = names->size;
		bytes_append(names, prefix, (uint32_t)strlen(prefix));
		bytes_string(names, name);
	}
	return o->nsections++;
}

static void link_section(struct object *o, uint32_t s, uint32_t link, uint32_t info)
{
	o->sections[s].header.sh_link = link;
	o->sections[s].header.sh_info = info;
}

static struct bytes *content(struct object *o, uint32_t s)
{
	return &o->sections[s].content;
}

static void add_fixed_sections(struct object *o)
{
	add_section(o, "", "", SHT_NULL, 0, 0, 0);
	add_section(o, "", ".shstrtab", SHT_STRTAB, 0, 1, 0);
	add_section(o, "", ".strtab", SHT_STRTAB, 0, 1, 0);
	add_section(o, "", ".symtab", SHT_SYMTAB, 0, 8, sizeof(Elf64_Sym));
	add_section(o, "", ".nv.info", NV_SHT_INFO, 0, 4, 0);
	add_section(o, "", ".nv.callgraph", NV_SHT_CALLGRAPH, 0, 4, 8);
	add_section(o, "", ".nv.prototype", NV_SHT_PROTOTYPE, 0, 4, 8);
	link_section(o, S_INFO, S_SYMTAB, 0);
	link_section(o, S_CALLGRAPH, S_SYMTAB, 0);
	link_section(o, S_PROTOTYPE, S_SYMTAB, 0);
}

static const struct {
	const char *name;
	uint32_t type, flags, other; /* other: of its symbols */
	bool bits;
} data_sections[CUBIN_DATA_SECTIONS] = {
	[CUBIN_GLOBAL_INIT] = {".nv.global.init", NV_SHT_GLOBAL_INIT, SHF_WRITE | SHF_ALLOC,
			       NV_STO_GLOBAL, true},
	[CUBIN_GLOBAL_ZERO] = {".nv.global", NV_SHT_GLOBAL, SHF_WRITE | SHF_ALLOC, NV_STO_GLOBAL,
			       false},
	[CUBIN_CONSTANT_VARIABLES] = {".nv.constant3", NV_SHT_CONSTANT(3), SHF_ALLOC,
				      NV_STO_CONSTANT, true},
	[CUBIN_SHARED] = {".nv_debug.shared", NV_SHT_SHARED, SHF_WRITE | SHF_ALLOC, NV_STO_SHARED,
			  false},
};

static void add_data_sections(struct object *o)
{
	const struct cubin_module *m = o->module;
	uint32_t align[CUBIN_DATA_SECTIONS] = {0};

	for (uint32_t v = 0; v < m->nvariables; v++)
		if (m->variables[v].align > align[m->variables[v].section])
			align[m->variables[v].section] = m->variables[v].align;
	for (uint32_t p = 0; p < CUBIN_DATA_SECTIONS; p++) {
		if (!m->bytes[p])
			continue;
		o->data[p] = add_section(o, data_sections[p].name, "",
					 !m->linked              ? data_sections[p].type
					 : data_sections[p].bits ? SHT_PROGBITS
								 : SHT_NOBITS,
					 data_sections[p].flags, align[p] ? align[p] : 1, 0);
		o->sections[o->data[p]].header.sh_size = m->bytes[p];
		if (data_sections[p].bits)
			bytes_append(content(o, o->data[p]), NULL, (uint32_t)m->bytes[p]);
	}
	for (uint32_t v = 0; v < m->nvariables; v++) {
		const struct cubin_variable *var = &m->variables[v];

		if (var->init && !var->external)
			memcpy(content(o, o->data[var->section])->data + var->offset, var->init,
			       var->size);
	}
}

static void add_shared_section(struct object *o, uint32_t k)
{
	const struct cubin_kernel *kernel = &o->module->kernels[k];
	uint32_t s = add_section(o, ".nv.shared.", kernel->name, SHT_NOBITS,
				 SHF_WRITE | SHF_ALLOC | SHF_INFO_LINK, kernel->shared_align, 0);

	o->sections[s].header.sh_size = kernel->shared_bytes;
	link_section(o, s, 0, o->text[k]);
}

static void add_code_sections(struct object *o)
{
	const struct cubin_module *m = o->module;

	o->text = arena_array(o->arena, m->nkernels + 1, sizeof(*o->text));
	o->constant = arena_array(o->arena, m->nkernels + 1, sizeof(*o->constant));
	o->constant_symbol = arena_array(o->arena, m->nkernels + 1, sizeof(*o->constant_symbol));
	for (uint32_t k = 0; k < m->nkernels; k++) {
		const struct cubin_kernel *kernel = &m->kernels[k];

		o->text[k] = add_section(o, ".text.", kernel->name, SHT_PROGBITS,
					 SHF_ALLOC | SHF_EXECINSTR |
						 kernel->barriers << NV_TEXT_BARRIERS_SHIFT,
					 NV_TEXT_ALIGN, 0);
		bytes_append(content(o, o->text[k]), kernel->code, kernel->code_bytes);
		if (kernel->function)
			continue;
		o->constant[k] = add_section(o, ".nv.constant0.", kernel->name,
					     m->linked ? SHT_PROGBITS : NV_SHT_CONSTANT(0),
					     SHF_ALLOC | SHF_INFO_LINK, 4, 0);
		bytes_append(content(o, o->constant[k]), NULL,
			     kernel->param_base + kernel->param_bytes);
		link_section(o, o->constant[k], 0, o->text[k]);
		if (m->linked && kernel->shared)
			add_shared_section(o, k);
	}
}

/* ---- symbols ---- */

static uint32_t *symbol_of(struct object *o, const char *name)
{
	return name_map_get(&o->symbols, name, (uint32_t)strlen(name));
}

static uint32_t add_symbol(struct object *o, const char *prefix, const char *name, uint8_t binding,
			   uint8_t type, Elf64_Sym symbol)
{
	struct bytes *strings = content(o, S_STRTAB);

	symbol.st_name = strings->size;
	symbol.st_info = ELF64_ST_INFO(binding, type);
	bytes_append(strings, prefix, (uint32_t)strlen(prefix));
	bytes_string(strings, name);
	bytes_append(content(o, S_SYMTAB), &symbol, sizeof(symbol));
	if (!*prefix)
		*symbol_of(o, name) = o->nsymbols;
	return o->nsymbols++;
}

static uint8_t binding_of(uint8_t linkage)
{
	return linkage == IR_LINK_STATIC ? STB_LOCAL
	       : linkage == IR_LINK_WEAK ? STB_WEAK
					 : STB_GLOBAL;
}

/* Local symbols come before all others. */
static void add_definitions(struct object *o, bool local)
{
	const struct cubin_module *m = o->module;

	for (uint32_t k = 0; k < m->nkernels; k++) {
		const struct cubin_kernel *kernel = &m->kernels[k];
		/* The host finds a kernel by its name. */
		uint8_t binding = kernel->function || kernel->linkage != IR_LINK_STATIC
					  ? binding_of(kernel->linkage)
					  : STB_GLOBAL;

		if ((binding == STB_LOCAL) == local)
			add_symbol(o, "", kernel->name, binding, STT_FUNC,
				   (Elf64_Sym){.st_other = kernel->function ? 0 : NV_STO_ENTRY,
					       .st_shndx = (uint16_t)o->text[k],
					       .st_size = kernel->code_bytes});
	}
	for (uint32_t v = 0; v < m->nvariables; v++) {
		const struct cubin_variable *var = &m->variables[v];
		uint8_t binding = var->external ? STB_GLOBAL : binding_of(var->linkage);
		Elf64_Sym symbol = {.st_other = (uint8_t)data_sections[var->section].other,
				    .st_size = var->size};

		if ((binding == STB_LOCAL) != local)
			continue;
		if (!var->external) {
			symbol.st_shndx = (uint16_t)o->data[var->section];
			symbol.st_value = var->section == CUBIN_SHARED ? var->align : var->offset;
		}
		add_symbol(o, "", var->name, binding, m->linked ? STT_OBJECT : NV_STT_VARIABLE,
			   symbol);
	}
}

static void add_undefined(struct object *o, const char *name, uint8_t other)
{
	if (name && !*symbol_of(o, name))
		add_symbol(o, "", name, STB_GLOBAL, STT_FUNC, (Elf64_Sym){.st_other = other});
}

static bool is_of_kernel(const struct cubin_code_address *a)
{
	return a->relocation == NV_R_KERNEL_LOW || a->relocation == NV_R_KERNEL_HIGH;
}

static void add_symbols(struct object *o)
{
	const struct cubin_module *m = o->module;

	bytes_append(content(o, S_STRTAB), NULL, 1);
	bytes_append(content(o, S_SYMTAB), NULL, sizeof(Elf64_Sym));
	o->nsymbols = 1;
	o->symbols.arena = o->arena;
	for (uint32_t k = 0; k < m->nkernels; k++) {
		add_symbol(o, ".text.", m->kernels[k].name, STB_LOCAL, STT_SECTION,
			   (Elf64_Sym){.st_shndx = (uint16_t)o->text[k]});
		if (o->constant[k])
			o->constant_symbol[k] = add_symbol(
				o, ".nv.constant0.", m->kernels[k].name, STB_LOCAL, STT_SECTION,
				(Elf64_Sym){.st_shndx = (uint16_t)o->constant[k]});
	}
	add_definitions(o, true);
	o->nlocals = o->nsymbols;
	add_definitions(o, false);
	for (uint32_t k = 0; k < m->nkernels; k++) {
		for (uint32_t c = 0; c < m->kernels[k].ncallees; c++)
			add_undefined(o, m->kernels[k].callees[c], 0);
		for (uint32_t a = 0; a < m->kernels[k].naddresses; a++)
			add_undefined(o, m->kernels[k].addresses[a].symbol,
				      is_of_kernel(&m->kernels[k].addresses[a]) ? NV_STO_ENTRY : 0);
	}
	for (uint32_t a = 0; a < m->naddresses; a++)
		add_undefined(o, m->addresses[a].function, 0);
	link_section(o, S_SYMTAB, S_STRTAB, o->nlocals);
}

/* ---- relocations ---- */

static void add_relocation(struct object *o, uint32_t s, uint64_t offset, const char *symbol,
			   uint32_t type, uint64_t addend)
{
	Elf64_Rela r = {.r_offset = offset,
			.r_addend = (int64_t)addend,
			.r_info = ELF64_R_INFO((uint64_t)*symbol_of(o, symbol), type)};

	bytes_append(content(o, s), &r, sizeof(r));
}

static uint32_t add_relocation_section(struct object *o, const char *prefix, const char *name,
				       uint32_t of)
{
	uint32_t s = add_section(o, prefix, name, SHT_RELA, SHF_INFO_LINK, 8, sizeof(Elf64_Rela));

	link_section(o, s, S_SYMTAB, of);
	return s;
}

static void add_code_relocations(struct object *o, uint32_t k)
{
	const struct cubin_kernel *kernel = &o->module->kernels[k];
	uint32_t s;

	if (!kernel->naddresses)
		return;
	s = add_relocation_section(o, ".rela.text.", kernel->name, o->text[k]);
	for (uint32_t a = 0; a < kernel->naddresses; a++)
		add_relocation(o, s, kernel->addresses[a].offset, kernel->addresses[a].symbol,
			       kernel->addresses[a].relocation, kernel->addresses[a].addend);
}

static void add_data_relocations(struct object *o)
{
	const struct cubin_module *m = o->module;
	uint32_t section[CUBIN_DATA_SECTIONS] = {0};

	for (uint32_t k = 0; k < m->naddresses; k++) {
		const struct cubin_address *a = &m->addresses[k];
		uint32_t *s = &section[a->section];

		if (!*s)
			*s = add_relocation_section(o, ".rela", data_sections[a->section].name,
						    o->data[a->section]);
		add_relocation(o, *s, a->offset,
			       a->function ? a->function : m->variables[a->variable].name,
			       !a->function ? NV_R_GENERIC_64
			       : m->linked  ? NV_R_ADDRESS_64
					    : NV_R_FUNCTION_64,
			       a->addend);
	}
}

/* ---- source lines ---- */

/* .debug_line has a relocation for the address of each function. */
static void add_lines(struct object *o)
{
	const struct cubin_module *m = o->module;
	const uint8_t *section = m->line_section;
	uint32_t size = m->line_bytes, lines, rela;

	if (m->nfiles)
		section = line_table_write(o->arena, m->files, m->nfiles, m->lines, m->nkernels,
					   &size);
	if (!size)
		return;
	lines = add_section(o, "", ".debug_line", SHT_PROGBITS, 0, 1, 0);
	bytes_append(content(o, lines), section, size);
	rela = add_relocation_section(o, ".rela", ".debug_line", lines);
	for (uint32_t k = 0; m->nfiles && k < m->nkernels; k++)
		add_relocation(o, rela, m->lines[k].start, m->kernels[k].name, NV_R_ADDRESS_64, 0);
	for (uint32_t k = 0; k < m->nline_starts; k++)
		add_relocation(o, rela, m->line_starts[k].offset, m->line_starts[k].function,
			       NV_R_ADDRESS_64, m->line_starts[k].addend);
}

/* ---- attributes and call graph ---- */

static void write_attributes(struct object *o, uint32_t k)
{
	const struct cubin_kernel *kernel = &o->module->kernels[k];
	uint32_t symbol = *symbol_of(o, kernel->name), n = 0;
	uint32_t s = add_section(o, ".nv.info.", kernel->name, NV_SHT_INFO, SHF_INFO_LINK, 4, 0);
	uint32_t *externals = arena_array(o->arena, kernel->ncallees + 1, sizeof(*externals));
	struct bytes *info = content(o, S_INFO);

	cubin_attribute_words(info, NV_INFO_REGISTERS, (uint32_t[]){symbol, kernel->registers}, 2);
	if (o->module->linked)
		cubin_attribute_words(info, NV_INFO_MIN_STACK_SIZE,
				      (uint32_t[]){symbol, kernel->stack_bytes}, 2);
	else
		cubin_attribute_words(info, NV_INFO_MAX_STACK_SIZE, (uint32_t[]){symbol, 0}, 2);
	cubin_attribute_words(info, NV_INFO_FRAME_SIZE, (uint32_t[]){symbol, kernel->frame_bytes},
			      2);
	for (uint32_t c = 0; c < kernel->ncallees; c++) {
		uint32_t callee = *symbol_of(o, kernel->callees[c]), known = 0;
		Elf64_Sym entry;

		memcpy(&entry, content(o, S_SYMTAB)->data + callee * sizeof(entry), sizeof(entry));
		while (known < n && externals[known] != callee)
			known++;
		if (known == n && entry.st_shndx == SHN_UNDEF)
			externals[n++] = callee;
	}
	cubin_kernel_attributes(content(o, s), kernel, o->constant_symbol[k], externals, n);
	link_section(o, s, S_SYMTAB, o->text[k]);
	link_section(o, o->text[k], S_SYMTAB, symbol);
}

static void add_pair(struct object *o, uint32_t s, uint32_t a, uint32_t b)
{
	bytes_append(content(o, s), (uint32_t[]){a, b}, 8);
}

/* The text in the string table, once. */
static uint32_t prototype_string(struct object *o, struct name_map *known, const char *text)
{
	uint32_t *at = name_map_get(known, text, (uint32_t)strlen(text));

	if (!*at)
		*at = bytes_string(content(o, S_STRTAB), text);
	return *at;
}

/* Kernels whose addresses the code takes, once each. */
static void list_launches(struct object *o, const struct cubin_kernel *k)
{
	uint32_t symbol = *symbol_of(o, k->name);
	struct name_map listed = {.arena = o->arena};

	for (uint32_t a = 0; a < k->naddresses; a++) {
		const char *name = k->addresses[a].symbol;
		uint32_t *known;

		if (!is_of_kernel(&k->addresses[a]))
			continue;
		known = name_map_get(&listed, name, (uint32_t)strlen(name));
		if (!*known)
			add_pair(o, S_CALLGRAPH, symbol, *symbol_of(o, name));
		*known = 1;
	}
}

static void write_call_graph(struct object *o)
{
	const struct cubin_module *m = o->module;
	struct name_map known = {.arena = o->arena};

	add_pair(o, S_CALLGRAPH, 0, (uint32_t)-1);
	for (uint32_t k = 0; k < m->nkernels; k++)
		for (uint32_t c = 0; c < m->kernels[k].ncallees; c++)
			add_pair(o, S_CALLGRAPH, *symbol_of(o, m->kernels[k].name),
				 *symbol_of(o, m->kernels[k].callees[c]));
	add_pair(o, S_CALLGRAPH, 0, (uint32_t)-2);
	for (uint32_t p = 0; p < m->nprototypes; p++) {
		uint32_t symbol = *symbol_of(o, m->prototypes[p].function), text;

		if (!symbol)
			continue;
		text = 0;
		if (m->prototypes[p].prototype) {
			text = prototype_string(o, &known, m->prototypes[p].prototype);
			add_pair(o, S_PROTOTYPE, symbol, text);
		}
		if (m->prototypes[p].address_taken)
			add_pair(o, S_CALLGRAPH, symbol, text);
	}
	add_pair(o, S_CALLGRAPH, 0, (uint32_t)-3);
	for (uint32_t k = 0; k < m->nkernels; k++)
		for (uint32_t p = 0; p < m->kernels[k].nprototypes; p++)
			add_pair(o, S_CALLGRAPH, *symbol_of(o, m->kernels[k].name),
				 prototype_string(o, &known, m->kernels[k].prototypes[p]));
	add_pair(o, S_CALLGRAPH, 0, (uint32_t)-4);
	for (uint32_t k = 0; k < m->nkernels; k++)
		list_launches(o, &m->kernels[k]);
}

/* ---- the file ---- */

static uint64_t layout_sections(struct object *o)
{
	uint64_t at = sizeof(Elf64_Ehdr);

	for (uint32_t k = 1; k < o->nsections; k++) {
		Elf64_Shdr *h = &o->sections[k].header;
		uint32_t size = o->sections[k].content.size;

		at = (at + h->sh_addralign - 1) / h->sh_addralign * h->sh_addralign;
		h->sh_offset = at;
		h->sh_size = size ? size : h->sh_size;
		at += size;
	}
	return (at + 7) / 8 * 8;
}

uint8_t *cubin_write_object(struct arena *a, const struct cubin_module *m, size_t *size)
{
	struct object o = {.arena = a, .module = m};
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
			    NV_ELF_OSABI_CUDA12, NV_ELF_ABI_CUDA12},
		.e_type = m->linked ? ET_EXEC : ET_REL,
		.e_machine = NV_ELF_MACHINE,
		.e_version = NV_ELF_VERSION,
		.e_flags = NV_ELF_FLAGS(m->sm),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shstrndx = S_SHSTRTAB,
	};
	uint8_t *file;

	add_fixed_sections(&o);
	add_data_sections(&o);
	add_code_sections(&o);
	add_symbols(&o);
	for (uint32_t k = 0; k < m->nkernels; k++) {
		write_attributes(&o, k);
		add_code_relocations(&o, k);
	}
	add_data_relocations(&o);
	add_lines(&o);
	write_call_graph(&o);

	header.e_shnum = (uint16_t)o.nsections;
	header.e_shoff = layout_sections(&o);
	*size = header.e_shoff + o.nsections * sizeof(Elf64_Shdr);
	file = arena_alloc(a, *size);
	memcpy(file, &header, sizeof(header));
	for (uint32_t k = 0; k < o.nsections; k++) {
		const struct section *s = &o.sections[k];

		if (s->content.size)
			memcpy(file + s->header.sh_offset, s->content.data, s->content.size);
		memcpy(file + header.e_shoff + k * sizeof(Elf64_Shdr), &s->header,
		       sizeof(Elf64_Shdr));
	}
	return file;
}
