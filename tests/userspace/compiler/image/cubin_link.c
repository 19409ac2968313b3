// SPDX-License-Identifier: MIT
/*
 * Loading of cubins: sections get offsets, banks and variables are found, relocations are resolved
 * for any load address, and each malformed file gets its own message.
 */
#include "tests/tap.h"
#include "libsov/compiler/image/image_nv.h"
#include "tests/userspace/compiler/image/_elf.h"

static struct elf e;

static const struct image_variable *find_variable(const struct image *im, const char *name)
{
	for (uint32_t i = 0; i < im->nvariables; i++)
		if (!strcmp(im->variables[i].name, name))
			return &im->variables[i];
	return NULL;
}

static const struct image_section *find_section(const struct image *im, const char *name)
{
	for (uint32_t i = 0; i < im->nsections; i++)
		if (!strcmp(im->sections[i].name, name))
			return &im->sections[i];
	return NULL;
}

static void test_layout(const struct image *im)
{
	const struct image_kernel *k = &im->kernels[0];
	const struct image_variable *counter = find_variable(im, "counter"),
				    *coefs = find_variable(im, "coefs");

	ok(im->nkernels == 1 && !strcmp(k->name, "k") && k->calls,
	   "loader finds one kernel and does not count its callee");
	ok(im->nsections == 7 && find_section(im, ".text.f") && !find_section(im, ".debug_frame"),
	   "loader loads code and data sections but no debug sections");
	ok(k->code_offset % 128 == 0 && find_section(im, ".text.f")->offset % 128 == 0 &&
		   find_section(im, ".text.f")->offset >= k->code_offset + k->code_bytes,
	   "code sections are aligned to 128 bytes and do not overlap");
	ok(image_nv_kernel(k)->banks[2].bytes == 4 &&
		   image_nv_kernel(k)->banks[2].part == IMAGE_CODE &&
		   image_nv_kernel(k)->banks[3].bytes == 16 &&
		   image_nv_kernel(k)->banks[4].bytes == 8 && !image_nv_kernel(k)->banks[1].bytes &&
		   !image_nv_kernel(k)->banks[5].bytes,
	   "kernel has constant banks 2, 3 and 4 of the expected sizes");
	ok(image_nv_kernel(k)->banks[3].offset % 256 == 0 &&
		   image_nv_kernel(k)->banks[2].offset % 64 == 0,
	   "constant banks have the alignment that the hardware needs");
	ok(im->nvariables == 4 && counter && counter->bytes == 4 && coefs && coefs->bytes == 16,
	   "loader finds four variables and their sizes");
	ok(coefs->offset == image_nv_kernel(k)->banks[3].offset &&
		   coefs->part == image_nv_kernel(k)->banks[3].part,
	   "variable in constant bank 3 has the bank's offset");
	ok(im->nrelocations == 7, "relocations of sections that are not loaded are ignored");
}

static uint64_t read_word(const uint8_t *at, uint32_t bytes)
{
	uint64_t v = 0;

	memcpy(&v, at, bytes);
	return v;
}

static void test_relocated(const struct image *im)
{
	const struct image_addresses at = {.base = {0x7e1234567800, 0x7f9876543200}};
	const uint64_t *base = at.base;
	uint8_t *code = malloc(im->part_bytes[IMAGE_CODE] + 1),
		*data = malloc(im->part_bytes[IMAGE_DATA] + 1);
	const uint8_t *k = code + im->kernels[0].code_offset;
	uint64_t f = base[IMAGE_CODE] + find_section(im, ".text.f")->offset;
	uint64_t zeroed = base[IMAGE_DATA] + find_variable(im, "zeroed")->offset;
	uint64_t back = base[IMAGE_CODE] + im->kernels[0].code_offset + 0xa0;
	struct sass_word w;
	struct sass_inst in;

	memset(code, 0xee, im->part_bytes[IMAGE_CODE] + 1);
	memset(data, 0xee, im->part_bytes[IMAGE_DATA] + 1);
	image_load_part(im, IMAGE_CODE, &at, code);
	image_load_part(im, IMAGE_DATA, &at, data);
	ok(read_word(k + 0x44, 4) == (uint32_t)zeroed && read_word(k + 0x54, 4) == zeroed >> 32,
	   "relocation writes both halves of a variable's address into code");
	ok(read_word(k + 0x74, 4) == (uint32_t)back && read_word(k + 0x84, 4) == back >> 32,
	   "relocation writes both halves of the return address into code");
	memcpy(&w, k + 0x90, 16);
	ok(sass_decode(90, w, &in) && in.op == SASS_CALL_ABS && (uint64_t)in.ops[1].value == f,
	   "call relocation targets the function in the other section");
	ok(read_word(data + image_nv_kernel(&im->kernels[0])->banks[4].offset, 8) ==
		   base[IMAGE_DATA] + find_variable(im, "counter")->offset,
	   "relocation writes a variable's address into constant bank 4");
	ok(read_word(data + find_variable(im, "pointer")->offset, 8) == zeroed + 16,
	   "relocation of an initialised pointer applies the addend");
	ok(read_word(data + find_variable(im, "counter")->offset, 4) == 7 &&
		   read_word(data + find_variable(im, "zeroed")->offset + 4088, 8) == 0,
	   "loaded variables have their initial values");
	ok(code[im->part_bytes[IMAGE_CODE]] == 0xee && data[im->part_bytes[IMAGE_DATA]] == 0xee,
	   "loader writes nothing after the image's code and data");
	free(code);
	free(data);
}

static void test_valid(void)
{
	char message[300];
	struct image im;

	elf_make(&e);
	if (ok(image_read(&im, e.file, e.size, message, sizeof(message)),
	       "cubin with a callee, banks and variables is read")) {
		test_layout(&im);
		test_relocated(&im);
	} else {
		diag("%s", message);
	}
	image_free(&im);
}

/* The parts of the file that elf_make() built. */
static Elf64_Shdr *section(uint32_t index)
{
	return (Elf64_Shdr *)(e.file + ((Elf64_Ehdr *)e.file)->e_shoff) + index;
}

static void *content(uint32_t index)
{
	return e.file + section(index)->sh_offset;
}

static Elf64_Sym *symbol(uint32_t index)
{
	return (Elf64_Sym *)content(ELF_RELA_DEBUG + 1) + index;
}

static Elf64_Rela *text(uint32_t index)
{
	return (Elf64_Rela *)content(ELF_RELA_K) + index;
}

#define BREAK(name, ...) \
	static void name(void) \
	{ \
		__VA_ARGS__; \
	}
BREAK(object, ((Elf64_Ehdr *)e.file)->e_type = ET_REL)
BREAK(names, section(ELF_RELA_DEBUG + 1)->sh_link = 99)
BREAK(no_names, section(ELF_RELA_DEBUG + 1)->sh_link = ELF_TEXT_K)
BREAK(type, section(ELF_GLOBAL)->sh_type = SHT_NOTE; section(ELF_GLOBAL)->sh_size = 16)
BREAK(align, section(ELF_GLOBAL)->sh_addralign = 8192)
BREAK(huge, section(ELF_GLOBAL)->sh_size = 1ull << 41)
BREAK(wraps, section(ELF_GLOBAL)->sh_size = UINT64_MAX)
BREAK(bank_huge, section(ELF_CONSTANT3)->sh_type = SHT_NOBITS;
      section(ELF_CONSTANT3)->sh_size = 65537)
BREAK(bank_nine, ((char *)content(ELF_RELA_DEBUG + 3))[section(ELF_CONSTANT4)->sh_name + 12] = '9')
BREAK(bank_owner, section(ELF_CONSTANT2)->sh_info = ELF_TEXT_F)
BREAK(variable_far, symbol(ELF_SYM_COUNTER)->st_value = 13)
BREAK(variable_wraps, symbol(ELF_SYM_COUNTER)->st_value = UINT64_MAX - 1)
BREAK(kind, text(0)->r_info = ELF64_R_INFO((uint64_t)ELF_SYM_K, 99))
BREAK(kind_data,
      ((Elf64_Rela *)content(ELF_RELA_INIT))->r_info = ELF64_R_INFO((uint64_t)ELF_SYM_K, NV_R_CALL))
BREAK(outside, text(0)->r_offset = sizeof(struct sass_word) * ELF_KERNEL_WORDS)
BREAK(odd, text(0)->r_offset = 0x44)
BREAK(in_zeros, section(ELF_RELA_INIT)->sh_info = ELF_GLOBAL)
BREAK(no_symbol, text(0)->r_info = ELF64_R_INFO((uint64_t)77, NV_R_CODE_LOW))
BREAK(undefined, symbol(ELF_SYM_ZEROED)->st_shndx = SHN_UNDEF)
BREAK(no_address, symbol(ELF_SYM_ZEROED)->st_shndx = ELF_INFO)
BREAK(entries, section(ELF_RELA_K)->sh_size -= 8)
BREAK(overlap,
      for (uint32_t i = ELF_RELA_K; i <= ELF_RELA_INIT; i++) /* 170 null relocations each */
      (*section(i) = *section(ELF_RELA_K), section(i)->sh_offset = section(ELF_DEBUG)->sh_offset,
       section(i)->sh_size = 4080))

static const struct {
	const char *what;
	void (*damage)(void);
	const char *message;
} malformed[] = {
	{"relocatable object file is rejected", object,
	 "the file is an object to be linked, not a program"},
	{"symbol name section out of range is rejected", names,
	 "the symbols' names are in section 99 of 19"},
	{"symbol name section that holds code is rejected", no_names,
	 "section 1 '.text.k' does not hold the names of symbols"},
	{"variable section of type SHT_NOTE is rejected", type,
	 "section 7 '.nv.global' has type 0x7, not program data"},
	{"section alignment above 4096 is rejected", align,
	 "section 7 '.nv.global' requires alignment 0x2000, at most 4096 is possible"},
	{"image larger than the maximum is rejected", huge,
	 "makes the image larger than 0x10000000000"},
	{"section size that overflows 64 bits is rejected", wraps,
	 "makes the image larger than 0x10000000000"},
	{"constant bank above 64 KiB is rejected", bank_huge,
	 "there are banks 1 to 7 of at most 65536 bytes"},
	{"constant bank number 9 is rejected", bank_nine,
	 "section 6 '.nv.constant9' of 0x8 bytes: there are banks 1 to 7"},
	{"constant bank of a section that is no kernel is rejected", bank_owner,
	 "section 4 '.nv.constant2.k' belongs to section 2, which is no kernel's code"},
	{"variable beyond its section is rejected", variable_far,
	 "variable 'counter' of 0x4 bytes at 0xd ends beyond the 0x10 bytes"},
	{"variable offset that overflows 64 bits is rejected", variable_wraps,
	 "variable 'counter' of 0x4 bytes at 0xfffffffffffffffe"},
	{"unknown relocation kind is rejected", kind,
	 "section '.rela.text.k': relocation kind 99 at 0x40 is not known"},
	{"call relocation in a data section is rejected", kind_data,
	 "section '.rela.nv.global.init': relocation kind 58 at 0x8 is not known"},
	{"relocation beyond its section is rejected", outside,
	 "relocation at 0xc0 does not lie in the 0xc0 bytes of '.text.k'"},
	{"misaligned code relocation is rejected", odd,
	 "relocation at 0x44 does not lie in the 0xc0 bytes of '.text.k'"},
	{"relocation in a zero-initialised section is rejected", in_zeros,
	 "relocation at 0x8 does not lie in the 0x1000 bytes of '.nv.global'"},
	{"relocation with a nonexistent symbol is rejected", no_symbol,
	 "a relocation names symbol 77, which does not exist"},
	{"relocation with an undefined symbol is rejected", undefined,
	 "'zeroed' is used but not defined"},
	{"relocation with a symbol in an unloaded section is rejected", no_address,
	 "names symbol 5 'zeroed' in section 9, which has no address"},
	{"relocation section of fractional entries is rejected", entries,
	 "section 11 '.rela.text.k' is not a table of 24-byte relocations"},
	{"overlapping relocation sections are rejected", overlap, "overlaps other relocations"},
};

static void check_malformed(void)
{
	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
		char message[300];
		struct image im;
		uint8_t *exact;

		elf_make(&e);
		malformed[i].damage();
		exact = malloc(e.size); /* so that a sanitizer sees out-of-bounds reads */
		memcpy(exact, e.file, e.size);
		if (!ok(!image_read(&im, exact, e.size, message, sizeof(message)) &&
				strstr(message, malformed[i].message),
			"%s", malformed[i].what))
			diag("%s", message);
		image_free(&im);
		free(exact);
	}
}

static void test_weak_symbol(void)
{
	char message[300];
	struct image im;

	elf_make(&e);
	symbol(ELF_SYM_ZEROED)->st_shndx = SHN_UNDEF;
	symbol(ELF_SYM_ZEROED)->st_info = ELF64_ST_INFO(STB_WEAK, STT_OBJECT);
	ok(image_read(&im, e.file, e.size, message, sizeof(message)) && im.nvariables == 3,
	   "undefined weak symbol is accepted");
	image_free(&im);
}

static void test_stack_size(void)
{
	uint32_t *info;
	char message[300];
	struct image im;

	elf_make(&e);
	info = content(ELF_INFO);
	info[8] = NV_STACK_UNKNOWN;
	ok(image_read(&im, e.file, e.size, message, sizeof(message)) &&
		   !im.kernels[0].stack_bytes && im.kernels[0].calls,
	   "unknown stack size is reported as zero with calls");
	image_free(&im);
	info[8] = 5000;
	ok(image_read(&im, e.file, e.size, message, sizeof(message)) &&
		   im.kernels[0].stack_bytes == 5000,
	   "stack size of 5000 bytes is reported unchanged");
	image_free(&im);
	info[8] = 16;
	ok(image_read(&im, e.file, e.size, message, sizeof(message)) &&
		   im.kernels[0].stack_bytes == 16 && im.kernels[0].calls,
	   "kernel of an image with functions is reported to make calls");
	image_free(&im);
	symbol(ELF_SYM_F)->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
	ok(image_read(&im, e.file, e.size, message, sizeof(message)) &&
		   im.kernels[0].stack_bytes == 16 && !im.kernels[0].calls,
	   "kernel of an image without functions has exactly its stated stack size");
	image_free(&im);
}

int main(void)
{
	test_valid();
	check_malformed();
	test_weak_symbol();
	test_stack_size();
	return tap_done();
}
