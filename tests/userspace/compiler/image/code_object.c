// SPDX-License-Identifier: MIT
/*
 * The code object reader accepts a whole object or rejects it with a message: a small hand-written
 * object, then the same with one error, truncated at every length, and with every bit flipped.
 */
#include "tests/tap.h"
#include "hw/amd/code_object.h"
#include "libsov/compiler/image/image_amd.h"
#include "tests/userspace/compiler/image/_object.h"

static uint8_t file[OBJECT_BYTES];
static char message[200];

static bool read_object(struct image *im)
{
	bool good = image_read(im, file, sizeof(file), message, sizeof(message));

	if (!good)
		image_free(im);
	return good;
}

static bool small_one(void)
{
	struct image im;
	uint8_t *memory;
	const struct image_kernel *k;
	uint64_t bytes;
	bool good;

	object_make(file);
	if (!read_object(&im))
		return diag("%s", message), false;
	k = &im.kernels[0];
	bytes = im.part_bytes[IMAGE_CODE];
	good = im.format == &image_code_object && !strcmp(im.target, "gfx1030") &&
	       im.nkernels == 1 && !strcmp(k->name, "k") && k->code_offset == AT_CODE &&
	       k->code_bytes == 8 && k->code == file + AT_CODE &&
	       image_amd_kernel(k)->descriptor_offset == AT_DESCRIPTOR &&
	       image_amd_kernel(k)->kernarg_bytes == 16 && k->nparams == 1 &&
	       k->params[0].size == 8 && k->param_bytes == 8 &&
	       image_amd_kernel(k)->hidden[AMD_HIDDEN_BLOCK_COUNT_X].offset == 8 &&
	       image_amd_kernel(k)->hidden[AMD_HIDDEN_BLOCK_COUNT_X].bytes == 4 &&
	       !image_amd_kernel(k)->hidden[AMD_HIDDEN_BLOCK_COUNT_Y].bytes &&
	       k->shared_bytes == 128 && bytes == OBJECT_BYTES + 100 && !im.part_bytes[IMAGE_DATA];
	memory = malloc(bytes);
	memset(memory, 0xff, bytes);
	image_load_part(&im, IMAGE_CODE, &(struct image_addresses){.base = {0x1000}}, memory);
	good = good && !memcmp(memory + AT_CODE, file + AT_CODE, 8) && !memory[OBJECT_BYTES + 99];
	free(memory);
	image_free(&im);
	return good;
}

static const struct {
	uint32_t at, bytes;
	uint64_t value;
	const char *says;
} damages[] = {
	{0, 1, 'x', "not a 64-bit little-endian ELF"},
	{EI_CLASS, 1, ELFCLASS32, "not a 64-bit little-endian ELF"},
	{EI_OSABI, 1, 0, "OS ABI 0 is not HSA's"},
	{EI_ABIVERSION, 1, 2, "ABI version 2"},
	{offsetof(Elf64_Ehdr, e_flags), 1, 0x41, "chip 0x41, not for gfx1030"},
	{offsetof(Elf64_Ehdr, e_type), 2, ET_REL, "not linked"},
	{offsetof(Elf64_Ehdr, e_shoff), 8, ~0ull, "end beyond the file"},
	{offsetof(Elf64_Ehdr, e_phnum), 2, 60000, "end beyond the file"},
	{AT_SEGMENTS + offsetof(Elf64_Phdr, p_offset), 8, 1, "segment 0 of"},
	{AT_SEGMENTS + offsetof(Elf64_Phdr, p_memsz), 8, 1ull << 40, "segment 0 of"},
	{AT_SEGMENTS + offsetof(Elf64_Phdr, p_type), 4, PT_NULL,
	 "the file has no loadable segment"},
	{AT_SEGMENTS + offsetof(Elf64_Phdr, p_flags), 4, PF_R, "are not its code"},
	{AT_SEGMENTS + offsetof(Elf64_Phdr, p_flags), 4, PF_R | PF_W | PF_X,
	 "both writable and executable"},
	{AT_NOTE + 8, 4, 31, "no kernel metadata"},
	{AT_NOTE + 4, 4, 0xffffffff, "ends beyond its segment"},
	{AT_NOTE + 20, 1, 0xc0, "metadata: damaged"},
	{AT_SYMBOLS + 24, 4, 3, "has no symbol 'k.kd'"},
	{AT_SYMBOLS + 48, 4, 3, "has no symbol 'k'"},
	{AT_SYMBOLS + 48 + offsetof(Elf64_Sym, st_size), 8, 12, "are not its code"},
	{AT_SYMBOLS + 24 + offsetof(Elf64_Sym, st_size), 8, 32, "descriptor is not in the file"},
	{AT_SYMBOLS + 24 + offsetof(Elf64_Sym, st_value), 8, 1 << 20,
	 "descriptor is not in the file"},
	{AT_SECTIONS + 64 + offsetof(Elf64_Shdr, sh_size), 8, 1 << 20,
	 "section 1 is not a symbol table"},
	{AT_DESCRIPTOR + offsetof(struct amd_kernel_descriptor, kernarg_bytes), 4, 8, "disagree"},
	{AT_DESCRIPTOR + offsetof(struct amd_kernel_descriptor, entry_offset), 8, 2,
	 "are not its code"},
};

static bool is_refused(uint32_t i)
{
	struct image im;

	object_make(file);
	memcpy(file + damages[i].at, &damages[i].value, damages[i].bytes);
	if (read_object(&im))
		image_free(&im);
	else if (!strncmp(message, "code object: ", 13) && strstr(message, damages[i].says))
		return true;
	diag("%u: \"%s\" instead of \"%s\"", i, message, damages[i].says);
	return false;
}

static bool is_refused_with(const char *says)
{
	struct image im;

	if (read_object(&im)) {
		image_free(&im);
		return false;
	}
	if (!strstr(message, says))
		diag("%s", message);
	return strstr(message, says);
}

static bool overlap_by_one_byte(void)
{
	Elf64_Phdr note;

	object_make(file);
	memcpy(&note, file + AT_SEGMENTS + sizeof(note), sizeof(note));
	note.p_type = PT_LOAD;
	note.p_memsz = note.p_filesz;
	note.p_vaddr = OBJECT_BYTES + 99; /* the last byte of the first segment */
	memcpy(file + AT_SEGMENTS + sizeof(note), &note, sizeof(note));
	return is_refused_with("segment 1 overlaps an earlier segment");
}

/* Adds the key "x" with this value to the metadata, a map of fewer than 15 keys. */
static void add_metadata(const char *value, uint32_t bytes)
{
	uint32_t old = sizeof(object_metadata) - 1, descriptor = old + 2 + bytes;
	Elf64_Phdr note;

	object_make(file);
	file[AT_NOTE + 20]++;
	memcpy(file + AT_NOTE + 4, &descriptor, 4);
	memcpy(file + AT_NOTE + 20 + old, "\xa1x", 2);
	memcpy(file + AT_NOTE + 22 + old, value, bytes);
	memcpy(&note, file + AT_SEGMENTS + sizeof(note), sizeof(note));
	note.p_filesz = AT_SYMBOLS - AT_NOTE;
	memcpy(file + AT_SEGMENTS + sizeof(note), &note, sizeof(note));
}

static bool is_accepted(void)
{
	struct image im;
	bool good = read_object(&im);

	if (good)
		image_free(&im);
	return good;
}

static bool deep_metadata(void)
{
	char value[20];

	memset(value, '\x91', sizeof(value)); /* arrays of one element */
	value[5] = '\xc0';
	add_metadata(value, 6);
	if (!is_accepted())
		return diag("5 arrays: %s", message), false;
	value[5] = '\x91';
	value[sizeof(value) - 1] = '\xc0';
	add_metadata(value, sizeof(value));
	return is_refused_with("metadata: damaged");
}

static bool cut_metadata(void)
{
	add_metadata("\xce\0\0\0\0", 5); /* a number of four bytes */
	if (!is_accepted())
		return diag("a whole number: %s", message), false;
	add_metadata("\xce\0\0\0", 4);
	return is_refused_with("metadata: damaged");
}

/* Makes section 0 a table with one relocation, after the kernel descriptor. */
static void add_relocation(uint64_t symbol)
{
	const uint64_t at = AT_DESCRIPTOR + sizeof(struct amd_kernel_descriptor);
	Elf64_Shdr section = {.sh_type = SHT_RELA,
			      .sh_flags = SHF_ALLOC,
			      .sh_offset = at,
			      .sh_size = sizeof(Elf64_Rela),
			      .sh_link = 1};
	Elf64_Rela relocation = {.r_offset = AT_CODE, .r_info = ELF64_R_INFO(symbol, AMD_R_ABS64)};

	object_make(file);
	memcpy(file + AT_SECTIONS, &section, sizeof(section));
	memcpy(file + at, &relocation, sizeof(relocation));
}

static bool relocation_symbols(void)
{
	add_relocation(2);
	if (!is_accepted())
		return diag("the last symbol: %s", message), false;
	add_relocation(3);
	return is_refused_with("a relocation names symbol 3 of 3");
}

/* An accepted object refers only to its own contents. */
static bool is_sound(const struct image *im)
{
	for (uint32_t i = 0; i < im->nkernels; i++)
		if (im->kernels[i].code_offset > OBJECT_BYTES - 4 ||
		    im->kernels[i].param_bytes > image_amd_kernel(&im->kernels[i])->kernarg_bytes)
			return false;
	return im->part_bytes[IMAGE_CODE] <= 1u << 31;
}

static bool changed_bytes(void)
{
	struct image im;
	uint32_t taken = 0;

	for (uint32_t at = 0; at < OBJECT_BYTES; at += TAP_SLOWNESS > 1 ? 3 : 1)
		for (uint32_t bit = 0; bit < 8; bit++) {
			object_make(file);
			file[at] ^= (uint8_t)(1u << bit);
			if (!read_object(&im)) {
				if (!message[0])
					return diag("byte %u, bit %u: no message", at, bit), false;
				continue;
			}
			taken++;
			if (!is_sound(&im))
				return diag("byte %u, bit %u", at, bit), false;
			image_free(&im);
		}
	return taken > 100;
}

static bool cut_off(void)
{
	struct image im;

	object_make(file);
	for (uint32_t n = 0; n < OBJECT_BYTES; n++) {
		uint8_t *part = malloc(n + 1);
		bool good;

		memcpy(part, file, n);
		good = image_read(&im, part, n, message, sizeof(message));
		image_free(&im);
		free(part);
		if (good)
			return diag("%u bytes are accepted", n), false;
	}
	return true;
}

int main(void)
{
	uint32_t i, good = 0;

	ok(small_one(),
	   "a minimal code object is read with its kernel, descriptor, arguments and loaded size");
	for (i = 0; i < sizeof(damages) / sizeof(damages[0]); i++)
		good += is_refused(i);
	ok(good == i,
	   "a code object with one error is rejected by a message that names it (%u errors)", i);
	ok(overlap_by_one_byte(), "a code object with segments that share one byte is rejected");
	ok(deep_metadata(), "metadata nested deeper than 16 levels is rejected");
	ok(cut_metadata(), "metadata whose last number lacks a byte is rejected");
	ok(relocation_symbols(),
	   "a relocation may name the last symbol of a code object and none after it");
	ok(cut_off(), "a code object truncated at any length is rejected");
	ok(changed_bytes(),
	   "a code object with any one bit flipped is rejected or still refers only to itself");
	return tap_done();
}
