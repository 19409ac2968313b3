// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Tests of the firmware parsers: they find sections in files of both ELF classes, and a truncated
 * or corrupt file is rejected or yields a range inside of itself. Each file is in an allocation of
 * exactly its size, so KASAN detects out-of-bounds reads.
 */
#include <kunit/test.h>

#include "kmod/nv/firmware.c"

#define NAMES "\0.fwimage\0.fwsignature"
#define DATA  "this is an image"

/* Builds a file with the null section, the image and the section names. */
static u8 *firmware_make_elf64(struct kunit *test, size_t *bytes)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Shdr sections[3];
		char data[sizeof(DATA)], names[sizeof(NAMES)];
	} *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	memcpy(f->header.e_ident, ELFMAG, SELFMAG);
	f->header.e_ident[EI_CLASS] = ELFCLASS64;
	f->header.e_ident[EI_DATA] = ELFDATA2LSB;
	f->header.e_shoff = (u8 *)f->sections - (u8 *)f;
	f->header.e_shentsize = sizeof(f->sections[0]);
	f->header.e_shnum = 3;
	f->header.e_shstrndx = 2;
	f->sections[1].sh_name = 1;
	f->sections[1].sh_offset = (u8 *)f->data - (u8 *)f;
	f->sections[1].sh_size = sizeof(DATA);
	f->sections[2].sh_name = 10;
	f->sections[2].sh_offset = (u8 *)f->names - (u8 *)f;
	f->sections[2].sh_size = sizeof(NAMES);
	memcpy(f->data, DATA, sizeof(DATA));
	memcpy(f->names, NAMES, sizeof(NAMES));
	*bytes = sizeof(*f);
	return (u8 *)f;
}

static u8 *firmware_make_elf32(struct kunit *test, size_t *bytes)
{
	struct {
		Elf32_Ehdr header;
		Elf32_Shdr sections[3];
		char data[sizeof(DATA)], names[sizeof(NAMES)];
	} *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	memcpy(f->header.e_ident, ELFMAG, SELFMAG);
	f->header.e_ident[EI_CLASS] = ELFCLASS32;
	f->header.e_ident[EI_DATA] = ELFDATA2LSB;
	f->header.e_shoff = (u8 *)f->sections - (u8 *)f;
	f->header.e_shentsize = sizeof(f->sections[0]);
	f->header.e_shnum = 3;
	f->header.e_shstrndx = 2;
	f->sections[1].sh_name = 1;
	f->sections[1].sh_offset = (u8 *)f->data - (u8 *)f;
	f->sections[1].sh_size = sizeof(DATA);
	f->sections[2].sh_name = 10;
	f->sections[2].sh_offset = (u8 *)f->names - (u8 *)f;
	f->sections[2].sh_size = sizeof(NAMES);
	memcpy(f->data, DATA, sizeof(DATA));
	memcpy(f->names, NAMES, sizeof(NAMES));
	*bytes = sizeof(*f);
	return (u8 *)f;
}

static void firmware_expect_image(struct kunit *test, const u8 *file, size_t bytes)
{
	const u8 *data = NULL;
	size_t size = 0;

	KUNIT_EXPECT_EQ(test, 0, nv_firmware_section(file, bytes, ".fwimage", &data, &size));
	KUNIT_ASSERT_EQ(test, size, sizeof(DATA));
	KUNIT_EXPECT_MEMEQ(test, data, DATA, size);
	KUNIT_EXPECT_EQ(test, -ENOENT, nv_firmware_section(file, bytes, ".fwimag", &data, &size));
	KUNIT_EXPECT_EQ(test, -ENOENT, nv_firmware_section(file, bytes, "fwimage", &data, &size));
}

static void elf_section_found_in_both_classes(struct kunit *test)
{
	size_t bytes;
	u8 *file = firmware_make_elf64(test, &bytes);

	firmware_expect_image(test, file, bytes);
	file = firmware_make_elf32(test, &bytes);
	firmware_expect_image(test, file, bytes);
}

/* Each length is in its own allocation. */
static void elf_truncated_file_is_rejected(struct kunit *test)
{
	size_t bytes, size;
	u8 *whole = firmware_make_elf64(test, &bytes), *part;
	const u8 *data;
	size_t length;

	for (length = 1; length < bytes; length++) {
		part = kmemdup(whole, length, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, part);
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    nv_firmware_section(part, length, ".fwimage", &data, &size),
				    "%zu of %zu bytes", length, bytes);
		kfree(part);
	}
}

/* Corrupts every byte; a section that is found must be inside the file. */
static void elf_corrupt_file_stays_in_bounds(struct kunit *test)
{
	static const u8 values[] = {0, 1, 0x7f, 0x80, 0xff};
	size_t bytes, size, i;
	u8 *file = firmware_make_elf64(test, &bytes), kept;
	const u8 *data;
	int v;

	for (i = 0; i < bytes; i++) {
		kept = file[i];
		for (v = 0; v < ARRAY_SIZE(values); v++) {
			file[i] = values[v];
			if (nv_firmware_section(file, bytes, ".fwimage", &data, &size))
				continue;
			KUNIT_EXPECT_TRUE(test, data >= file && data <= file + bytes);
			KUNIT_EXPECT_LE(test, size, file + bytes - data);
		}
		file[i] = kept;
	}
	firmware_expect_image(test, file, bytes);
}

struct bootloader {
	struct nv_firmware_header header;
	struct nv_riscv_description description;
	u8 image[64];
};

static struct bootloader *firmware_make_bootloader(struct kunit *test)
{
	struct bootloader *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, l);
	l->header.magic = NV_FIRMWARE_MAGIC;
	l->header.version = 1;
	l->header.header = offsetof(struct bootloader, description);
	l->header.data = offsetof(struct bootloader, image);
	l->header.data_bytes = sizeof(l->image);
	l->description.manifest_bytes = 16;
	l->description.monitor_data = 16;
	l->description.monitor_data_bytes = 16;
	l->description.monitor_code = 32;
	l->description.monitor_code_bytes = 32;
	return l;
}

static int firmware_find_bootloader(const struct bootloader *l, size_t bytes)
{
	const struct nv_riscv_description *description;
	const u8 *data;
	size_t size;

	return nv_firmware_bootloader((const u8 *)l, bytes, &data, &size, &description);
}

static void bootloader_image_is_found(struct kunit *test)
{
	const struct nv_riscv_description *description;
	struct bootloader *l = firmware_make_bootloader(test);
	const u8 *data;
	size_t size;

	KUNIT_ASSERT_EQ(test, 0,
			nv_firmware_bootloader((u8 *)l, sizeof(*l), &data, &size, &description));
	KUNIT_EXPECT_PTR_EQ(test, data, &l->image[0]);
	KUNIT_EXPECT_EQ(test, size, sizeof(l->image));
	KUNIT_EXPECT_PTR_EQ(test, description, &l->description);
}

static void bootloader_bad_header_is_rejected(struct kunit *test)
{
	struct bootloader *l = firmware_make_bootloader(test), good = *l;
	u32 *const members[] = {
		&l->header.magic,
		&l->header.version,
		&l->header.header,
		&l->header.data,
		&l->header.data_bytes,
		&l->description.manifest,
		&l->description.manifest_bytes,
		&l->description.monitor_data,
		&l->description.monitor_data_bytes,
		&l->description.monitor_code,
		&l->description.monitor_code_bytes,
	};
	size_t length;
	int i;

	for (i = 0; i < ARRAY_SIZE(members); i++) {
		*members[i] = U32_MAX;
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, firmware_find_bootloader(l, sizeof(*l)),
				    "member %d", i);
		*l = good;
	}
	l->header.header++;
	KUNIT_EXPECT_EQ(test, -EINVAL, firmware_find_bootloader(l, sizeof(*l)));
	*l = good;
	l->header.data_bytes = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, firmware_find_bootloader(l, sizeof(*l)));
	*l = good;
	for (length = 1; length < sizeof(*l); length++)
		KUNIT_EXPECT_EQ(test, -EINVAL, firmware_find_bootloader(l, length));
	KUNIT_EXPECT_EQ(test, 0, firmware_find_bootloader(l, sizeof(*l)));
}

static struct kunit_case firmware_cases[] = {
	KUNIT_CASE(elf_section_found_in_both_classes), KUNIT_CASE(elf_truncated_file_is_rejected),
	KUNIT_CASE(elf_corrupt_file_stays_in_bounds),  KUNIT_CASE(bootloader_image_is_found),
	KUNIT_CASE(bootloader_bad_header_is_rejected), {}};

static struct kunit_suite firmware_suite = {
	.name = "sovgpu_firmware",
	.test_cases = firmware_cases,
};

kunit_test_suite(firmware_suite);
