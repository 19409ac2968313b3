// SPDX-License-Identifier: MIT
/*
 * Code objects are read whole or refused with a sentence: a small one made by hand, then the same
 * with one thing wrong, cut off everywhere, and with every byte changed.
 */
#include "tests/tap.h"
#include "libsov/compiler/amd/code_object.h"
#include "tests/userspace/amd/_object.h"

static uint8_t file[OBJECT_BYTES];
static char message[200];

static bool reads(struct amd_object *o)
{
	return amd_object_read(o, file, sizeof(file), message, sizeof(message));
}

static bool small_one(void)
{
	struct amd_object o;
	uint8_t *memory;
	const struct amd_kernel *k;
	bool good;

	object_make(file);
	if (!reads(&o))
		return diag("%s", message), false;
	k = &o.kernels[0];
	good = o.kernels_count == 1 && !strcmp(k->name, "k") && k->entry == AT_CODE &&
	       k->descriptor_at == AT_DESCRIPTOR && k->kernarg_bytes == 16 &&
	       k->arguments_count == 2 && k->arguments[0].bytes == 8 && !k->arguments[0].hidden &&
	       k->arguments[1].offset == 8 && k->arguments[1].hidden &&
	       k->descriptor.group_segment_bytes == 128 && o.image_bytes == OBJECT_BYTES + 100;
	memory = malloc(o.image_bytes);
	memset(memory, 0xff, o.image_bytes);
	amd_object_place(&o, memory);
	good = good && !memcmp(memory + AT_CODE, file + AT_CODE, 8) && !memory[OBJECT_BYTES + 99];
	free(memory);
	amd_object_free(&o);
	return good;
}

static const struct {
	uint32_t at, bytes;
	uint64_t value;
	const char *says;
} damages[] = {
	{0, 1, 'x', "no 64-bit little-endian ELF"},
	{EI_OSABI, 1, 0, "not for an AMD GPU"},
	{offsetof(Elf64_Ehdr, e_machine), 2, 190, "not for an AMD GPU"},
	{offsetof(Elf64_Ehdr, e_flags), 1, 0x41, "another chip than gfx1030"},
	{offsetof(Elf64_Ehdr, e_type), 2, ET_REL, "not linked"},
	{offsetof(Elf64_Ehdr, e_shoff), 8, ~0ull, "tables lie beyond"},
	{offsetof(Elf64_Ehdr, e_phnum), 2, 60000, "tables lie beyond"},
	{AT_SEGMENTS + offsetof(Elf64_Phdr, p_offset), 8, 1, "a segment lies beyond"},
	{AT_SEGMENTS + offsetof(Elf64_Phdr, p_memsz), 8, 1ull << 40, "a segment lies beyond"},
	{AT_SEGMENTS + offsetof(Elf64_Phdr, p_type), 4, PT_NULL, "nothing in it is to be loaded"},
	{AT_SEGMENTS + offsetof(Elf64_Phdr, p_flags), 4, PF_R, "begins outside of its code"},
	{AT_NOTE + 8, 4, 31, "no metadata"},
	{AT_NOTE + 4, 4, 0xffffffff, "a note lies beyond"},
	{AT_NOTE + 20, 1, 0xc0, "metadata: damaged"},
	{AT_SYMBOLS + 24, 4, 3, "no descriptor among its symbols"},
	{AT_SYMBOLS + 24 + offsetof(Elf64_Sym, st_size), 8, 32, "descriptor is not in it"},
	{AT_SYMBOLS + 24 + offsetof(Elf64_Sym, st_value), 8, 1 << 20, "descriptor is not in it"},
	{AT_SECTIONS + 64 + offsetof(Elf64_Shdr, sh_size), 8, 1 << 20, "symbols lie beyond"},
	{AT_DESCRIPTOR + offsetof(struct amd_kernel_descriptor, kernarg_bytes), 4, 8, "disagree"},
	{AT_DESCRIPTOR + offsetof(struct amd_kernel_descriptor, entry_offset), 8, 2,
	 "outside of its code"},
};

static bool refused(uint32_t i)
{
	struct amd_object o;

	object_make(file);
	memcpy(file + damages[i].at, &damages[i].value, damages[i].bytes);
	if (reads(&o))
		amd_object_free(&o);
	else if (!strncmp(message, "code object: ", 13) && strstr(message, damages[i].says))
		return true;
	diag("%u: \"%s\" instead of \"%s\"", i, message, damages[i].says);
	return false;
}

/* What is taken all the same names only what is there. */
static bool sound(const struct amd_object *o)
{
	for (uint32_t i = 0; i < o->kernels_count; i++)
		if (o->kernels[i].entry > OBJECT_BYTES - 4 ||
		    o->kernels[i].arguments_count > AMD_MAX_ARGUMENTS)
			return false;
	return o->image_bytes <= 256u << 20;
}

static bool changed_bytes(void)
{
	struct amd_object o;
	uint32_t taken = 0;

	for (uint32_t at = 0; at < OBJECT_BYTES; at += TAP_SLOWNESS > 1 ? 3 : 1)
		for (uint32_t bit = 0; bit < 8; bit++) {
			object_make(file);
			file[at] ^= (uint8_t)(1u << bit);
			if (!reads(&o))
				continue;
			taken++;
			if (!sound(&o))
				return diag("byte %u, bit %u", at, bit), false;
			amd_object_free(&o);
		}
	return taken > 100;
}

static bool cut_off(void)
{
	struct amd_object o;

	object_make(file);
	for (uint32_t n = 0; n < OBJECT_BYTES; n++) {
		uint8_t *part = malloc(n + 1);
		bool good;

		memcpy(part, file, n);
		good = amd_object_read(&o, part, n, message, sizeof(message));
		free(part);
		if (good)
			return diag("%u bytes are taken", n), false;
	}
	return true;
}

int main(void)
{
	uint32_t i, good = 0;

	ok(small_one(), "a code object is read: kernel, descriptor, arguments, image");
	for (i = 0; i < sizeof(damages) / sizeof(damages[0]); i++)
		good += refused(i);
	ok(good == i, "one thing wrong is named (%u ways)", i);
	ok(cut_off(), "nothing that is cut off is taken");
	ok(changed_bytes(), "any changed bit is refused or does no harm");
	return tap_done();
}
