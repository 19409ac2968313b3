// SPDX-License-Identifier: MIT
/*
 * Cubin reader: kernels and their attributes. The file is untrusted: each step checks what the next
 * one relies on (header, section table, section extents and names, symbols, attributes), and the
 * first error ends reading with a message. Structures are copied before use, since the file does
 * not guarantee their alignment.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hw/nv/cubin.h"
#include "libsov/compiler/image/cubin_read.h"

bool cubin_fail(struct cubin_reader *r, const char *fmt, ...)
{
	va_list ap;
	int n = snprintf(r->message, r->message_size, "cubin: ");

	if (n > 0 && (size_t)n < r->message_size) {
		va_start(ap, fmt);
		vsnprintf(r->message + n, r->message_size - (size_t)n, fmt, ap);
		va_end(ap);
	}
	return false;
}

Elf64_Shdr cubin_section(const struct cubin_reader *r, uint32_t index)
{
	Elf64_Shdr s;

	memcpy(&s, r->file + r->header.e_shoff + (uint64_t)index * sizeof(s), sizeof(s));
	return s;
}

/* Requires check_sections. */
const char *cubin_section_name(const struct cubin_reader *r, const Elf64_Shdr *s)
{
	return r->section_names + s->sh_name;
}

const char *cubin_name_after(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(name, prefix, n) ? NULL : name + n;
}

static bool check_header(struct cubin_reader *r)
{
	const unsigned char *id = r->header.e_ident;

	if (r->size < sizeof(r->header))
		return cubin_fail(r, "the file has %" PRIu64 " bytes, an ELF header alone has %zu",
				  r->size, sizeof(r->header));
	memcpy(&r->header, r->file, sizeof(r->header));
	if (memcmp(id, ELFMAG, SELFMAG))
		return cubin_fail(r, "the file does not start with the ELF magic number");
	if (id[EI_CLASS] != ELFCLASS64 || id[EI_DATA] != ELFDATA2LSB)
		return cubin_fail(r, "class %u, byte order %u is not 64-bit little-endian ELF",
				  id[EI_CLASS], id[EI_DATA]);
	if (r->header.e_machine != NV_ELF_MACHINE)
		return cubin_fail(r, "machine %u is not NVIDIA CUDA (%u)", r->header.e_machine,
				  NV_ELF_MACHINE);
	r->abi = id[EI_ABIVERSION];
	if (!(id[EI_OSABI] == NV_ELF_OSABI_CUDA12 && r->abi == NV_ELF_ABI_CUDA12) &&
	    !(id[EI_OSABI] == NV_ELF_OSABI_CUDA13 && r->abi == NV_ELF_ABI_CUDA13))
		return cubin_fail(
			r,
			"OS ABI 0x%x version %u is unknown; known: 0x%x version %u (CUDA 12), "
			"0x%x version %u (CUDA 13)",
			id[EI_OSABI], r->abi, NV_ELF_OSABI_CUDA12, NV_ELF_ABI_CUDA12,
			NV_ELF_OSABI_CUDA13, NV_ELF_ABI_CUDA13);
	if (r->header.e_type == ET_REL && !r->object)
		return cubin_fail(r, "the file is an object to be linked, not a program");
	if (r->header.e_type != ET_REL && r->object)
		return cubin_fail(r, "the file is a program, not an object to be linked; compile "
				     "it with ptxas -c");
	r->sm = r->abi == NV_ELF_ABI_CUDA12 ? NV_ELF_FLAGS_SM7(r->header.e_flags)
					    : NV_ELF_FLAGS_SM8(r->header.e_flags);
	snprintf(r->image->target, sizeof(r->image->target), "sm_%u", r->sm);
	return true;
}

static bool check_section_table(struct cubin_reader *r)
{
	const Elf64_Ehdr *h = &r->header;
	uint64_t bytes = (uint64_t)h->e_shnum * sizeof(Elf64_Shdr);
	Elf64_Shdr names;

	if (h->e_shentsize != sizeof(Elf64_Shdr))
		return cubin_fail(r, "section headers of %u bytes, not %zu", h->e_shentsize,
				  sizeof(Elf64_Shdr));
	if (!cubin_inside(h->e_shoff, bytes, r->size))
		return cubin_fail(r,
				  "%u section headers at 0x%" PRIx64
				  " end beyond the file's 0x%" PRIx64 " bytes",
				  h->e_shnum, h->e_shoff, r->size);
	if (h->e_shstrndx >= h->e_shnum)
		return cubin_fail(r, "the section names are in section %u of %u", h->e_shstrndx,
				  h->e_shnum);
	names = cubin_section(r, h->e_shstrndx);
	if (names.sh_type == SHT_NOBITS || !cubin_inside(names.sh_offset, names.sh_size, r->size))
		return cubin_fail(r,
				  "the section names (section %u) end beyond the file's 0x%" PRIx64
				  " bytes",
				  h->e_shstrndx, r->size);
	r->section_names = (const char *)r->file + names.sh_offset;
	r->section_names_size = names.sh_size;
	if (!r->section_names_size || r->section_names[r->section_names_size - 1])
		return cubin_fail(r, "the section names (section %u) do not end in a zero byte",
				  h->e_shstrndx);
	return true;
}

/* .symtab's sh_link is its string table. */
static bool check_symbol_names(struct cubin_reader *r)
{
	Elf64_Shdr s;

	if (!r->symtab.sh_size)
		return true;
	if (r->symtab.sh_link >= r->header.e_shnum)
		return cubin_fail(r, "the symbols' names are in section %u of %u",
				  r->symtab.sh_link, r->header.e_shnum);
	s = cubin_section(r, r->symtab.sh_link);
	if (s.sh_type != SHT_STRTAB || !s.sh_size || r->file[s.sh_offset + s.sh_size - 1])
		return cubin_fail(r, "section %u '%s' does not hold the names of symbols",
				  r->symtab.sh_link, cubin_section_name(r, &s));
	r->symbol_names = (const char *)r->file + s.sh_offset;
	r->symbol_names_size = s.sh_size;
	return true;
}

static bool check_sections(struct cubin_reader *r)
{
	for (uint32_t i = 0; i < r->header.e_shnum; i++) {
		Elf64_Shdr s = cubin_section(r, i);

		if (s.sh_name >= r->section_names_size)
			return cubin_fail(r, "section %u has a name outside the section names", i);
		if (!cubin_has_bytes(&s))
			continue;
		if (!cubin_inside(s.sh_offset, s.sh_size, r->size))
			return cubin_fail(r,
					  "section %u '%s' of 0x%" PRIx64 " bytes at 0x%" PRIx64
					  " ends beyond the file's 0x%" PRIx64 " bytes",
					  i, cubin_section_name(r, &s), s.sh_size, s.sh_offset,
					  r->size);
		if (s.sh_type != SHT_SYMTAB)
			continue;
		if (s.sh_entsize != sizeof(Elf64_Sym) || s.sh_size % sizeof(Elf64_Sym))
			return cubin_fail(r, "section %u '%s' is not a table of %zu-byte symbols",
					  i, cubin_section_name(r, &s), sizeof(Elf64_Sym));
		r->symtab = s;
	}
	return check_symbol_names(r);
}

bool cubin_symbol(const struct cubin_reader *r, uint32_t index, Elf64_Sym *out)
{
	if (index >= r->symtab.sh_size / sizeof(*out))
		return false;
	memcpy(out, r->file + r->symtab.sh_offset + (uint64_t)index * sizeof(*out), sizeof(*out));
	return true;
}

const char *cubin_symbol_name(const struct cubin_reader *r, const Elf64_Sym *symbol)
{
	return symbol->st_name < r->symbol_names_size ? r->symbol_names + symbol->st_name : "";
}

/* 1: the section is the code of a kernel; 0: it is not; -1: it is malformed. */
static int is_kernel(struct cubin_reader *r, uint32_t index, const Elf64_Shdr *s)
{
	const char *name = cubin_section_name(r, s);
	Elf64_Sym symbol;

	if (s->sh_type != SHT_PROGBITS || !cubin_name_after(name, ".text."))
		return 0;
	if (!cubin_symbol(r, NV_TEXT_SYMBOL(s->sh_info), &symbol)) {
		cubin_fail(r, "section %u '%s' names symbol %u, which does not exist", index, name,
			   NV_TEXT_SYMBOL(s->sh_info));
		return -1;
	}
	return (symbol.st_other & NV_STO_ENTRY) != 0;
}

/* ---- attributes ---- */

bool cubin_next_attribute(struct cubin_reader *r, const Elf64_Shdr *s, uint64_t *at,
			  struct cubin_attribute *a, bool *fault)
{
	const uint8_t *p = r->file + s->sh_offset + *at;

	if (*at == s->sh_size)
		return false;
	*fault = true;
	if (s->sh_size - *at < 4)
		return cubin_fail(r, "section '%s': attribute at 0x%" PRIx64 " is cut short",
				  cubin_section_name(r, s), *at);
	*a = (struct cubin_attribute){.form = p[0], .code = p[1], .data = p + 4};
	memcpy(&a->value, p + 2, 2);
	if (a->form < NV_INFO_NONE || a->form > NV_INFO_SIZED)
		return cubin_fail(
			r, "section '%s': attribute at 0x%" PRIx64 " has the unknown form %u",
			cubin_section_name(r, s), *at, a->form);
	*at += 4;
	if (a->form == NV_INFO_SIZED) {
		if (s->sh_size - *at < a->value)
			return cubin_fail(r,
					  "section '%s': attribute at 0x%" PRIx64
					  " has %u bytes, beyond the section's end",
					  cubin_section_name(r, s), *at - 4, a->value);
		*at += a->value;
	}
	*fault = false;
	return true;
}

uint32_t cubin_attribute_word(const struct cubin_attribute *a, uint32_t index)
{
	uint32_t w;

	memcpy(&w, a->data + 4 * index, 4);
	return w;
}

/* The attributes that the reader uses, and the size that it relies on. */
static const struct {
	uint8_t code, form, bytes;
} known_attributes[] = {
	{NV_INFO_MAX_THREADS, NV_INFO_SIZED, 12},
	{NV_INFO_PARAM_CBANK, NV_INFO_SIZED, 8},
	{NV_INFO_REQUIRED_THREADS, NV_INFO_SIZED, 12},
	{NV_INFO_MIN_STACK_SIZE, NV_INFO_SIZED, 8},
	{NV_INFO_KPARAM, NV_INFO_SIZED, 12},
	{NV_INFO_REGISTERS, NV_INFO_SIZED, 8},
	{NV_INFO_BARRIERS, NV_INFO_BYTE, 0},
	{NV_INFO_EXTERNALS, NV_INFO_SIZED, 4},
	{NV_INFO_FRAME_SIZE, NV_INFO_SIZED, 8},
	{NV_INFO_KPARAM_LARGE, NV_INFO_SIZED, 12},
	{NV_INFO_CLUSTER, NV_INFO_SIZED, 12},
	{NV_INFO_MAX_CLUSTER, NV_INFO_SIZED, 4},
	{NV_INFO_EXPLICIT_CLUSTER, NV_INFO_NONE, 0},
	{NV_INFO_INDEPENDENT_SAMPLERS, NV_INFO_NONE, 0},
};

int cubin_check_attribute(struct cubin_reader *r, const Elf64_Shdr *s,
			  const struct cubin_attribute *a)
{
	for (size_t i = 0; i < sizeof(known_attributes) / sizeof(known_attributes[0]); i++) {
		if (known_attributes[i].code != a->code)
			continue;
		if (known_attributes[i].form == a->form &&
		    (a->form != NV_INFO_SIZED || a->value >= known_attributes[i].bytes))
			return 1;
		cubin_fail(
			r,
			"section '%s': attribute 0x%02x has form %u and value %u, expected form %u "
			"with at least %u bytes",
			cubin_section_name(r, s), a->code, a->form, a->value,
			known_attributes[i].form, known_attributes[i].bytes);
		return -1;
	}
	return 0;
}

/* Calls visit for each used attribute of the section. */
static bool for_each_attribute(struct cubin_reader *r, const Elf64_Shdr *s, struct image_kernel *k,
			       bool (*visit)(struct cubin_reader *, struct image_kernel *,
					     const struct cubin_attribute *))
{
	struct cubin_attribute a;
	uint64_t at = 0;
	bool fault = false;

	/* This also bounds the reading time by the file size. */
	r->attribute_bytes += s->sh_size;
	if (r->attribute_bytes > r->size)
		return cubin_fail(r, "section '%s' overlaps other attributes",
				  cubin_section_name(r, s));
	while (cubin_next_attribute(r, s, &at, &a, &fault)) {
		int known = cubin_check_attribute(r, s, &a);

		if (known < 0 || (known && !visit(r, k, &a)))
			return false;
	}
	return !fault;
}

/* .nv.info: attributes that name their kernel by its symbol. */
static bool read_module_attribute(struct cubin_reader *r, struct image_kernel *unused,
				  const struct cubin_attribute *a)
{
	Elf64_Sym symbol;
	uint32_t k;

	(void)unused;
	if (a->code != NV_INFO_REGISTERS && a->code != NV_INFO_MIN_STACK_SIZE &&
	    a->code != NV_INFO_FRAME_SIZE)
		return true;
	if (!cubin_symbol(r, cubin_attribute_word(a, 0), &symbol))
		return cubin_fail(r, "attribute 0x%02x names symbol %u, which does not exist",
				  a->code, cubin_attribute_word(a, 0));
	if (symbol.st_shndx >= r->header.e_shnum || !r->kernel_of[symbol.st_shndx])
		return true; /* a device function */
	k = r->kernel_of[symbol.st_shndx] - 1;
	if (a->code == NV_INFO_REGISTERS)
		r->image->kernels[k].registers = cubin_attribute_word(a, 1);
	else if (a->code == NV_INFO_MIN_STACK_SIZE)
		r->image->kernels[k].stack_bytes = cubin_attribute_word(a, 1);
	else if (symbol.st_other & NV_STO_ENTRY) /* not a function in the kernel's section */
		r->frames[k] = cubin_attribute_word(a, 1);
	return true;
}

static bool read_param(struct cubin_reader *r, struct image_kernel *k,
		       const struct cubin_attribute *a)
{
	uint32_t ordinal = cubin_attribute_word(a, 1) & 0xffff;
	struct image_param *p;

	if (ordinal >= IMAGE_MAX_PARAM_BYTES)
		return cubin_fail(r, "kernel '%s': parameter %u is one too many", k->name, ordinal);
	if (ordinal >= k->nparams) {
		p = realloc(k->params, (ordinal + 1) * sizeof(*p));
		if (!p)
			return cubin_fail(r, "out of memory");
		memset(p + k->nparams, 0, (ordinal + 1 - k->nparams) * sizeof(*p));
		k->params = p;
		k->nparams = ordinal + 1;
	}
	p = &k->params[ordinal];
	p->offset = cubin_attribute_word(a, 1) >> 16;
	p->size = cubin_attribute_word(a, 2);
	if (a->code == NV_INFO_KPARAM)
		p->size = NV_KPARAM_SIZE(p->size);
	return true;
}

/* A block size given as x, y, z. */
static bool read_block_size(struct cubin_reader *r, struct image_kernel *k,
			    const struct cubin_attribute *a)
{
	uint64_t threads = (uint64_t)cubin_attribute_word(a, 0) * cubin_attribute_word(a, 1);

	if (threads > UINT32_MAX || threads * cubin_attribute_word(a, 2) > UINT32_MAX || !threads ||
	    !cubin_attribute_word(a, 2))
		return cubin_fail(r, "kernel '%s': a block of %u x %u x %u threads is impossible",
				  k->name, cubin_attribute_word(a, 0), cubin_attribute_word(a, 1),
				  cubin_attribute_word(a, 2));
	k->max_threads = (uint32_t)threads * cubin_attribute_word(a, 2);
	for (uint32_t i = 0; a->code == NV_INFO_REQUIRED_THREADS && i < 3; i++)
		k->required_threads[i] = cubin_attribute_word(a, i);
	return true;
}

static bool read_cluster(struct cubin_reader *r, struct image_kernel *k,
			 const struct cubin_attribute *a)
{
	for (uint32_t i = 0; i < 3; i++)
		k->cluster[i] = cubin_attribute_word(a, i);
	return (k->cluster[0] && k->cluster[1] && k->cluster[2]) ||
	       cubin_fail(r, "kernel '%s': a cluster of %u x %u x %u blocks is impossible", k->name,
			  k->cluster[0], k->cluster[1], k->cluster[2]);
}

/* .nv.info.KERNEL. */
static bool read_kernel_attribute(struct cubin_reader *r, struct image_kernel *k,
				  const struct cubin_attribute *a)
{
	switch (a->code) {
	case NV_INFO_PARAM_CBANK:
		cubin_kernel_data(k)->param_base = cubin_attribute_word(a, 1) & 0xffff;
		k->param_bytes = cubin_attribute_word(a, 1) >> 16;
		return true;
	case NV_INFO_KPARAM:
	case NV_INFO_KPARAM_LARGE:
		return read_param(r, k, a);
	case NV_INFO_EXTERNALS:
		k->services = true;
		return true;
	case NV_INFO_BARRIERS:
		cubin_kernel_data(k)->barriers = a->value & 0xff;
		return true;
	case NV_INFO_MAX_THREADS:
	case NV_INFO_REQUIRED_THREADS:
		return read_block_size(r, k, a);
	case NV_INFO_CLUSTER:
		return read_cluster(r, k, a);
	case NV_INFO_MAX_CLUSTER:
		k->max_cluster = cubin_attribute_word(a, 0);
		return true;
	case NV_INFO_EXPLICIT_CLUSTER:
		k->explicit_cluster = true;
		return true;
	case NV_INFO_INDEPENDENT_SAMPLERS:
		cubin_kernel_data(k)->independent_samplers = true;
		return true;
	default:
		return true;
	}
}

static bool check_params(struct cubin_reader *r, const struct image_kernel *k)
{
	const struct image_nv_kernel *nv = image_nv_kernel(k);

	if (k->nparams && !k->param_bytes)
		return cubin_fail(
			r, "kernel '%s' has %u parameters but no room for them in constant bank 0",
			k->name, k->nparams);
	if (!cubin_inside(nv->param_base, k->param_bytes, nv->bank0_bytes))
		return cubin_fail(
			r,
			"kernel '%s': parameters of %u bytes at 0x%x end beyond the 0x%x bytes "
			"of constant bank 0",
			k->name, k->param_bytes, nv->param_base, nv->bank0_bytes);
	if (k->param_bytes > IMAGE_MAX_PARAM_BYTES)
		return cubin_fail(r, "kernel '%s': %u bytes of parameters, at most %u are possible",
				  k->name, k->param_bytes, IMAGE_MAX_PARAM_BYTES);
	for (uint32_t i = 0; i < k->nparams; i++) {
		if (!k->params[i].size)
			return cubin_fail(r, "kernel '%s': parameter %u is not described", k->name,
					  i);
		if (!cubin_inside(k->params[i].offset, k->params[i].size, k->param_bytes))
			return cubin_fail(
				r,
				"kernel '%s': parameter %u of %u bytes at 0x%x ends beyond "
				"the %u bytes of parameters",
				k->name, i, k->params[i].size, k->params[i].offset, k->param_bytes);
	}
	return true;
}

/* A kernel's sections name its code section by sh_info. */
static bool read_section(struct cubin_reader *r, uint32_t index, const Elf64_Shdr *s)
{
	const char *name = cubin_section_name(r, s);
	struct image_kernel *k;

	if (s->sh_type == NV_SHT_INFO && !strcmp(name, ".nv.info"))
		return for_each_attribute(r, s, NULL, read_module_attribute);
	if (s->sh_info >= r->header.e_shnum || !r->kernel_of[s->sh_info])
		return true;
	k = &r->image->kernels[r->kernel_of[s->sh_info] - 1];
	if (s->sh_type == NV_SHT_INFO)
		return for_each_attribute(r, s, k, read_kernel_attribute);
	if (!cubin_name_after(name, ".nv.constant0.") && !cubin_name_after(name, ".nv.shared."))
		return true;
	if (s->sh_size > INT32_MAX)
		return cubin_fail(r, "section %u '%s' has the impossible size 0x%" PRIx64, index,
				  name, s->sh_size);
	if (s->sh_type == SHT_NOBITS)
		k->shared_bytes = (uint32_t)s->sh_size;
	else
		cubin_kernel_data(k)->bank0_bytes = (uint32_t)s->sh_size;
	return true;
}

static bool read_code(struct cubin_reader *r, uint32_t text, const Elf64_Shdr *s)
{
	struct image_kernel *k = &r->image->kernels[r->image->nkernels];
	struct image_nv *nv = r->image->vendor;

	k->vendor = &nv->kernels[r->image->nkernels++];
	r->kernel_of[text] = r->image->nkernels;
	k->name = cubin_name_after(cubin_section_name(r, s), ".text.");
	if (!s->sh_size || s->sh_size % 16 || s->sh_size > INT32_MAX)
		return cubin_fail(r,
				  "section %u '%s' has 0x%" PRIx64
				  " bytes of code, which is no number of 16-byte instructions",
				  text, cubin_section_name(r, s), s->sh_size);
	k->code = r->file + s->sh_offset;
	k->code_bytes = (uint32_t)s->sh_size;
	if (r->abi == NV_ELF_ABI_CUDA12)
		cubin_kernel_data(k)->barriers = NV_TEXT_BARRIERS((uint32_t)s->sh_flags);
	return true;
}

/*
 * Finds kernels that may call functions which use the stack. A function inside a kernel's section
 * belongs to that kernel; any other may be called by all. ptxas's helpers ("$__internal_…", such as
 * divisions) use no stack.
 */
static bool find_functions(struct cubin_reader *r)
{
	uint64_t n = r->symtab.sh_size / sizeof(Elf64_Sym);

	r->calls = calloc(r->image->nkernels + 1, sizeof(*r->calls));
	if (!r->calls)
		return cubin_fail(r, "out of memory");
	for (uint32_t i = 0; i < n; i++) {
		Elf64_Sym symbol;

		cubin_symbol(r, i, &symbol);
		if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_other & NV_STO_ENTRY ||
		    symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= r->header.e_shnum ||
		    cubin_name_after(cubin_symbol_name(r, &symbol), "$__internal_"))
			continue;
		if (r->kernel_of[symbol.st_shndx])
			r->calls[r->kernel_of[symbol.st_shndx] - 1] = true;
		else
			memset(r->calls, true, r->image->nkernels * sizeof(*r->calls));
	}
	return true;
}

/* For recursive functions ptxas 12 reports an unknown stack size and ptxas 13 only the kernel's own
 * frame; the frame is known in both cases. */
static void estimate_stack(struct image_kernel *k, bool calls, uint32_t frame)
{
	k->calls = calls || k->stack_bytes == NV_STACK_UNKNOWN;
	if (k->stack_bytes == NV_STACK_UNKNOWN)
		k->stack_bytes = frame;
}

static bool check_kernel(struct cubin_reader *r, const struct image_kernel *k)
{
	if (!k->registers || k->registers > 256)
		return cubin_fail(r, "kernel '%s' states %u registers, 1 to 256 are possible",
				  k->name, k->registers);
	return check_params(r, k);
}

/* Kernels that another image defines. */
static bool read_declared(struct cubin_reader *r)
{
	uint64_t n = r->symtab.sh_size / sizeof(Elf64_Sym);
	struct image *im = r->image;

	im->declared = calloc(n + 1, sizeof(*im->declared));
	if (!im->declared)
		return cubin_fail(r, "out of memory");
	for (uint32_t i = 0; i < n; i++) {
		Elf64_Sym symbol;
		const char *name;

		cubin_symbol(r, i, &symbol);
		if (symbol.st_shndx != SHN_UNDEF || !(symbol.st_other & NV_STO_ENTRY) ||
		    ELF64_ST_TYPE(symbol.st_info) != STT_FUNC)
			continue;
		name = cubin_symbol_name(r, &symbol);
		if (!*name)
			return cubin_fail(r, "symbol %u declares a kernel without a name", i);
		im->declared[im->ndeclared++] = (struct image_declared){name, symbol.st_value};
	}
	return true;
}

static bool read_kernels(struct cubin_reader *r)
{
	uint32_t count = 0, n = r->header.e_shnum;
	struct image_nv *nv;

	for (uint32_t i = 0; i < n; i++) {
		Elf64_Shdr s = cubin_section(r, i);
		int is = is_kernel(r, i, &s);

		if (is < 0)
			return false;
		count += (uint32_t)is;
	}
	if (!read_declared(r))
		return false;
	r->image->kernels = calloc(count + 1, sizeof(*r->image->kernels));
	r->image->vendor = nv = calloc(1, sizeof(*nv) + count * sizeof(nv->kernels[0]));
	r->kernel_of = calloc(n, sizeof(*r->kernel_of));
	r->frames = calloc(count + 1, sizeof(*r->frames));
	if (!r->image->kernels || !nv || !r->kernel_of || !r->frames)
		return cubin_fail(r, "out of memory");
	nv->sm = r->sm;
	for (uint32_t i = 0; i < n; i++) {
		Elf64_Shdr s = cubin_section(r, i);

		if (is_kernel(r, i, &s) && !read_code(r, i, &s))
			return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		Elf64_Shdr s = cubin_section(r, i);

		if (!read_section(r, i, &s))
			return false;
	}
	if (!find_functions(r))
		return false;
	for (uint32_t k = 0; k < count; k++) {
		estimate_stack(&r->image->kernels[k], r->calls[k], r->frames[k]);
		if (!check_kernel(r, &r->image->kernels[k]))
			return false;
	}
	return true;
}

bool cubin_open(struct cubin_reader *r)
{
	return check_header(r) && check_section_table(r) && check_sections(r);
}

static bool cubin_read(struct image *im, const void *file, size_t size, char *message,
		       size_t message_size)
{
	struct cubin_reader r = {.image = im,
				 .file = file,
				 .size = size,
				 .message = message,
				 .message_size = message_size};
	bool good;

	good = cubin_open(&r) && read_kernels(&r) && cubin_link(&r) && cubin_lines(&r);
	free(r.kernel_of);
	free(r.section_of);
	free(r.calls);
	free(r.frames);
	return good;
}

/* ---- relocation ---- */

/* Sets bits low to low + width - 1 of a 16-byte instruction. */
static void set_instruction_bits(uint64_t word[2], uint32_t low, uint32_t width, uint64_t value)
{
	uint64_t mask = (1ull << width) - 1;

	value &= mask;
	if (low < 64) {
		word[0] = (word[0] & ~(mask << low)) | value << low;
		if (low + width > 64)
			word[1] = (word[1] & ~(mask >> (64 - low))) | value >> (64 - low);
	} else {
		word[1] = (word[1] & ~(mask << (low - 64))) | value << (low - 64);
	}
}

static void patch_instruction(const struct image_relocation *r, uint64_t word[2], uint64_t address)
{
	switch (r->kind) {
	case NV_R_CODE_LOW:
		set_instruction_bits(word, 32, 32, address);
		break;
	case NV_R_CODE_HIGH:
		set_instruction_bits(word, 32, 32, address >> 32);
		break;
	case NV_R_CALL:
		set_instruction_bits(word, 34, 47, address >> 2);
		break;
	case NV_R_CALL_SM90:
		set_instruction_bits(word, 16, 8, address >> 2);
		set_instruction_bits(word, 34, 47, address >> 10);
		break;
	}
}

static void cubin_patch(const struct image *im, const struct image_relocation *r, uint64_t address,
			uint64_t from, uint8_t *field)
{
	uint64_t word[2];

	(void)from; /* cubins have no PC-relative relocations */
	switch (r->kind) {
	case NV_R_ADDRESS_32:
	case NV_R_GENERIC_32:
		memcpy(field, &(uint32_t){(uint32_t)address}, 4);
		break;
	case NV_R_ADDRESS_64:
	case NV_R_GENERIC_64:
		memcpy(field, &address, 8);
		break;
	default: /* an instruction has at most one relocation: the file has its other bits */
		memcpy(word, im->sections[r->section].data + r->offset, sizeof(word));
		patch_instruction(r, word, address);
		memcpy(field, word, sizeof(word));
	}
}

const struct image_format image_cubin = {
	.machine = NV_ELF_MACHINE,
	.read = cubin_read,
	.patch = cubin_patch,
};
