// SPDX-License-Identifier: MIT
/*
 * Cubins: a written cubin reads back the same, equal kernels give equal bytes, the reader
 * understands CUDA 13's ABI, and each malformed file gets its own message.
 */
#include <elf.h>
#include "hw/nv/cubin.h"
#include "libsov/compiler/image/cubin_write.h"
#include "libsov/compiler/image/image_nv.h"
#include "tests/tap.h"

static struct arena arena;

static const struct cubin_param params[] = {{0, 4}, {8, 8}, {16, 8}};
static const uint32_t exits[] = {0x20, 0x60};
static uint8_t code[256];

static const struct cubin_kernel kernels[] = {
	{.name = "first",
	 .code = code,
	 .code_bytes = 256,
	 .registers = 18,
	 .barriers = 1,
	 .shared = true,
	 .shared_bytes = 0x480,
	 .shared_align = 8,
	 .param_base = 0x210,
	 .param_bytes = 24,
	 .nparams = 3,
	 .params = params,
	 .exits = exits,
	 .nexits = 2,
	 .required_threads = {64, 2, 1}},
	{.name = "second",
	 .code = code,
	 .code_bytes = 128,
	 .registers = 10,
	 .param_base = 0x210,
	 .exits = exits,
	 .nexits = 1,
	 .max_threads = {128, 1, 1}},
};

static uint8_t *write_file(size_t *size)
{
	return cubin_write(
		&arena, &(struct cubin_module){.sm = 90, .kernels = kernels, .nkernels = 2}, size);
}

static void check_round_trip(void)
{
	size_t size, again;
	uint8_t *file = write_file(&size), *same = write_file(&again);
	char message[200];
	struct image im;
	bool read = image_read(&im, file, size, message, sizeof(message));
	const struct image_kernel *k;

	ok(size == again && !memcmp(file, same, size),
	   "cubin writer is deterministic: equal kernels give equal bytes");
	if (!ok(read && image_nv_sm(&im) == 90 && im.nkernels == 2,
		"cubin reader finds both kernels and sm_90")) {
		diag("%s", message);
		return;
	}
	k = &im.kernels[0];
	ok(!strcmp(k->name, "first") && k->code_bytes == 256 && !memcmp(k->code, code, 256),
	   "cubin round trip preserves a kernel's name and code");
	ok(k->registers == 18 && image_nv_kernel(k)->barriers == 1 && k->shared_bytes == 0x480,
	   "cubin round trip preserves registers, barriers and shared memory");
	ok(image_nv_kernel(k)->param_base == 0x210 && k->param_bytes == 24 &&
		   image_nv_kernel(k)->bank0_bytes == 0x228 && k->nparams == 3 &&
		   k->params[1].offset == 8 && k->params[1].size == 8,
	   "cubin round trip preserves a kernel's parameters");
	ok(k->max_threads == 128 && k->required_threads[0] == 64 && k->required_threads[1] == 2,
	   "cubin round trip preserves the required block size");
	k = &im.kernels[1];
	ok(!strcmp(k->name, "second") && k->registers == 10 && !k->shared_bytes && !k->nparams &&
		   k->max_threads == 128 && !k->required_threads[0],
	   "cubin round trip preserves a kernel without parameters and shared memory");
	image_free(&im);
}

/* Functions that damage the file. */

static Elf64_Ehdr *header(uint8_t *f)
{
	return (Elf64_Ehdr *)f;
}

static Elf64_Shdr *section(uint8_t *f, const char *name)
{
	Elf64_Shdr *s = (Elf64_Shdr *)(f + header(f)->e_shoff);
	const char *names = (char *)f + s[header(f)->e_shstrndx].sh_offset;

	for (uint32_t i = 0; i < header(f)->e_shnum; i++) {
		if (!strcmp(names + s[i].sh_name, name))
			return &s[i];
	}
	printf("Bail out! no section %s\n", name);
	exit(1);
}

static uint8_t *content(uint8_t *f, const char *name)
{
	return f + section(f, name)->sh_offset;
}

/* The first attribute with this code. */
static uint8_t *attribute(uint8_t *f, const char *name, uint8_t which)
{
	uint8_t *at = content(f, name);

	while (at[1] != which)
		at += at[0] == NV_INFO_SIZED ? 4 + at[2] + at[3] * 256 : 4;
	return at;
}

#define BREAK(name, ...) \
	static void name(uint8_t *f, size_t *size) \
	{ \
		(void)size; \
		__VA_ARGS__; \
	}
BREAK(no_bytes, *size = 0; (void)f)
BREAK(cut_header, *size = 63; (void)f)
BREAK(magic, f[1] = 'L')
BREAK(class32, f[EI_CLASS] = ELFCLASS32)
BREAK(big_endian, f[EI_DATA] = ELFDATA2MSB)
BREAK(machine, header(f)->e_machine = 62)
BREAK(abi, f[EI_ABIVERSION] = 9)
BREAK(entry_size, header(f)->e_shentsize = 40)
BREAK(table_far, header(f)->e_shoff = UINT64_MAX)
BREAK(table_cut, header(f)->e_shnum = 1000)
BREAK(names_index, header(f)->e_shstrndx = header(f)->e_shnum)
BREAK(names_far, section(f, ".shstrtab")->sh_offset = 1 << 20)
BREAK(names_open, section(f, ".shstrtab")->sh_size -= 1)
BREAK(name_outside, section(f, ".nv.callgraph")->sh_name = 5000)
BREAK(text_far, section(f, ".text.first")->sh_size = 0x100000)
BREAK(symbol_size, section(f, ".symtab")->sh_entsize = 16)
BREAK(no_symbol,
      section(f, ".text.first")->sh_info = section(f, ".symtab")->sh_size / sizeof(Elf64_Sym))
BREAK(odd_code, section(f, ".text.first")->sh_size = 250)
BREAK(no_code, section(f, ".text.first")->sh_size = 0)
BREAK(attribute_cut, section(f, ".nv.info.first")->sh_size -= 10)
BREAK(attribute_end, section(f, ".nv.info.first")->sh_size -= 1)
BREAK(attribute_form, attribute(f, ".nv.info.first", NV_INFO_EXITS)[0] = 9)
BREAK(attribute_long, attribute(f, ".nv.info.first", NV_INFO_PARAM_CBANK)[3] = 0x70)
BREAK(attribute_short, attribute(f, ".nv.info.first", NV_INFO_KPARAM)[2] = 8)
BREAK(overlap, section(f, ".nv.info.second")->sh_offset = 0;
      section(f, ".nv.info.second")->sh_size = *size)
BREAK(register_symbol, memset(attribute(f, ".nv.info", NV_INFO_REGISTERS) + 4, 0xff, 4))
BREAK(no_registers, memset(attribute(f, ".nv.info", NV_INFO_REGISTERS) + 8, 0, 4))
BREAK(many_registers, memset(attribute(f, ".nv.info", NV_INFO_REGISTERS) + 8, 0xff, 4))
BREAK(bank_small, section(f, ".nv.constant0.first")->sh_size = 0x20)
BREAK(no_bank, attribute(f, ".nv.info.first", NV_INFO_PARAM_CBANK)[1] = 0x77)
BREAK(param_outside, attribute(f, ".nv.info.first", NV_INFO_KPARAM)[10] = 0x80)
BREAK(param_empty, memset(attribute(f, ".nv.info.first", NV_INFO_KPARAM) + 12, 0, 4))
BREAK(param_far, memset(attribute(f, ".nv.info.first", NV_INFO_KPARAM) + 8, 0xff, 2))
BREAK(threads, memset(attribute(f, ".nv.info.first", NV_INFO_REQUIRED_THREADS) + 4, 0xff, 12))
BREAK(shared_huge, section(f, ".nv.shared.first")->sh_size = UINT64_C(1) << 40)

static const struct {
	const char *what;
	void (*damage)(uint8_t *f, size_t *size);
	const char *message;
} malformed[] = {
	{"empty cubin file is rejected", no_bytes,
	 "cubin: the file has 0 bytes, an ELF header alone has 64"},
	{"cubin with a truncated ELF header is rejected", cut_header,
	 "cubin: the file has 63 bytes, an ELF header alone has 64"},
	{"file without the ELF magic number is rejected", magic,
	 "cubin: the file does not start with the ELF magic number"},
	{"32-bit ELF file is rejected", class32,
	 "cubin: class 1, byte order 1 is not 64-bit little-endian ELF"},
	{"big-endian ELF file is rejected", big_endian,
	 "cubin: class 2, byte order 2 is not 64-bit little-endian ELF"},
	{"ELF file for another machine is rejected", machine,
	 "cubin: machine 62 is not NVIDIA CUDA (190)"},
	{"cubin with an unknown ABI is rejected", abi,
	 "cubin: OS ABI 0x33 version 9 is unknown; known: 0x33 version 7 (CUDA 12), 0x41 version 8 "
	 "(CUDA 13)"},
	{"cubin with section headers of another size is rejected", entry_size,
	 "cubin: section headers of 40 bytes, not 64"},
	{"section headers at offset UINT64_MAX are rejected", table_far,
	 "cubin: 13 section headers at 0xffffffffffffffff end beyond the file's 0xd10 bytes"},
	{"section headers beyond the file's end are rejected", table_cut,
	 "cubin: 1000 section headers at 0x8b8 end beyond the file's 0xd10 bytes"},
	{"section name index out of range is rejected", names_index,
	 "cubin: the section names are in section 13 of 13"},
	{"section names beyond the file's end are rejected", names_far,
	 "cubin: the section names (section 1) end beyond the file's 0xd10 bytes"},
	{"section names without a terminating zero are rejected", names_open,
	 "cubin: the section names (section 1) do not end in a zero byte"},
	{"section name offset outside the name table is rejected", name_outside,
	 "cubin: section 5 has a name outside the section names"},
	{"code section beyond the file's end is rejected", text_far,
	 "cubin: section 8 '.text.first' of 0x100000 bytes at 0x300 ends beyond the file's 0xd10 "
	 "bytes"},
	{"symbol table with another entry size is rejected", symbol_size,
	 "cubin: section 3 '.symtab' is not a table of 24-byte symbols"},
	{"code section with a nonexistent symbol is rejected", no_symbol,
	 "cubin: section 8 '.text.first' names symbol 7, which does not exist"},
	{"code size that is no multiple of 16 is rejected", odd_code,
	 "cubin: section 8 '.text.first' has 0xfa bytes of code, which is no number of 16-byte "
	 "instructions"},
	{"empty code section is rejected", no_code,
	 "cubin: section 8 '.text.first' has 0x0 bytes of code, which is no number of 16-byte "
	 "instructions"},
	{"truncated .nv.info attribute is rejected", attribute_cut,
	 "cubin: section '.nv.info.first': attribute at 0x5c is cut short"},
	{".nv.info attribute one byte longer than its section is rejected", attribute_end,
	 "cubin: section '.nv.info.first': attribute at 0x5c has 8 bytes, beyond the section's "
	 "end"},
	{".nv.info attribute of unknown form is rejected", attribute_form,
	 "cubin: section '.nv.info.first': attribute at 0x3c has the unknown form 9"},
	{".nv.info attribute beyond its section is rejected", attribute_long,
	 "cubin: section '.nv.info.first': attribute at 0x5c has 28680 bytes, beyond the section's "
	 "end"},
	{".nv.info attribute that is too short is rejected", attribute_short,
	 "cubin: section '.nv.info.first': attribute 0x17 has form 4 and value 8, expected form 4 "
	 "with at "
	 "least 12 bytes"},
	{"overlapping .nv.info sections are rejected", overlap,
	 "cubin: section '.nv.info.second' overlaps other attributes"},
	{"register count of a nonexistent symbol is rejected", register_symbol,
	 "cubin: attribute 0x2f names symbol 4294967295, which does not exist"},
	{"register count of zero is rejected", no_registers,
	 "cubin: kernel 'first' states 0 registers, 1 to 256 are possible"},
	{"register count above 256 is rejected", many_registers,
	 "cubin: kernel 'first' states 4294967295 registers, 1 to 256 are possible"},
	{"constant bank 0 smaller than the parameters is rejected", bank_small,
	 "cubin: kernel 'first': parameters of 24 bytes at 0x210 end beyond the 0x20 bytes of "
	 "constant bank 0"},
	{"kernel parameters without an offset in constant bank 0 are rejected", no_bank,
	 "cubin: kernel 'first' has 3 parameters but no room for them in constant bank 0"},
	{"parameter beyond the parameter area is rejected", param_outside,
	 "cubin: kernel 'first': parameter 2 of 8 bytes at 0x80 ends beyond the 24 bytes of "
	 "parameters"},
	{"parameter of size zero is rejected", param_empty,
	 "cubin: kernel 'first': parameter 2 is not described"},
	{"parameter index out of range is rejected", param_far,
	 "cubin: kernel 'first': parameter 65535 is one too many"},
	{"impossible required block size is rejected", threads,
	 "cubin: kernel 'first': a block of 4294967295 x 4294967295 x 4294967295 threads is "
	 "impossible"},
	{"impossible shared memory size is rejected", shared_huge,
	 "cubin: section 10 '.nv.shared.first' has the impossible size 0x10000000000"},
};

static void check_malformed(void)
{
	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
		size_t size;
		uint8_t *file = write_file(&size), *exact;
		char message[300];
		struct image im;

		malformed[i].damage(file, &size);
		exact = malloc(size ? size : 1); /* so that a sanitizer sees out-of-bounds reads */
		memcpy(exact, file, size);
		if (image_read(&im, exact, size, message, sizeof(message)))
			snprintf(message, sizeof(message), "(it is read)");
		is_str(message, malformed[i].message, malformed[i].what);
		image_free(&im);
		free(exact);
	}
}

/* CUDA 13 differs in the position of the SM version and in the number of barriers. */
static void check_other_abi(void)
{
	size_t size;
	uint8_t *file = write_file(&size);
	uint8_t *max = attribute(file, ".nv.info.first", NV_INFO_MAX_REGISTERS);
	char message[200];
	struct image im;

	file[EI_OSABI] = NV_ELF_OSABI_CUDA13;
	file[EI_ABIVERSION] = NV_ELF_ABI_CUDA13;
	header(file)->e_flags = 0x06005004;
	max[0] = NV_INFO_BYTE, max[1] = NV_INFO_BARRIERS, max[2] = 3;
	ok(image_read(&im, file, size, message, sizeof(message)) && image_nv_sm(&im) == 80 &&
		   image_nv_kernel(&im.kernels[0])->barriers == 3 &&
		   image_nv_kernel(&im.kernels[1])->barriers == 0,
	   "cubin reader understands the header of CUDA 13's ABI");
	image_free(&im);
}

/* Legal PTX has modules of variables, and of nothing. */
static void check_no_kernel(void)
{
	static const uint8_t value[] = {1, 2, 3, 4};
	const struct cubin_variable variable = {
		.name = "v", .section = CUBIN_GLOBAL_INIT, .align = 4, .size = 4, .init = value};
	struct cubin_module m = {.sm = 90};
	char message[300] = "";
	struct image im;
	size_t size;
	uint8_t *file = cubin_write(&arena, &m, &size);

	ok(image_read(&im, file, size, message, sizeof(message)) && !im.nkernels && !im.nvariables,
	   "cubin of an empty module is read back");
	image_free(&im);
	m.variables = &variable;
	m.nvariables = 1;
	m.bytes[CUBIN_GLOBAL_INIT] = 4;
	file = cubin_write(&arena, &m, &size);
	ok(image_read(&im, file, size, message, sizeof(message)) && !im.nkernels &&
		   im.nvariables == 1 && !strcmp(im.variables[0].name, "v") &&
		   im.variables[0].bytes == 4,
	   "cubin of a module without kernels has its variables");
	image_free(&im);
}

static void check_short_message(void)
{
	char message[9] = "........";
	struct image im;

	ok(!image_read(&im, "", 0, message, 8) && !strcmp(message, "cubin: ") && message[8] == 0,
	   "image_read truncates its message to a short buffer");
	ok(!image_read(&im, "", 0, NULL, 0), "image_read accepts a NULL message buffer");
}

int main(void)
{
	arena_init(&arena, 0, NULL);
	for (size_t i = 0; i < sizeof(code); i++)
		code[i] = (uint8_t)(i * 37);
	check_round_trip();
	check_malformed();
	check_other_abi();
	check_no_kernel();
	check_short_message();
	arena_free(&arena);
	return tap_done();
}
