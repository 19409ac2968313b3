// SPDX-License-Identifier: MIT
/*
 * The parser of booter files that the kernel compiles: it finds the program and its signature in a
 * file with the layout of NVIDIA's, and rejects each part that is wrong. Every copy of the file is
 * in an allocation of exactly its size, so that a sanitizer notices reads beyond its end.
 */
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#include "tests/tap.h"
#include "kmod/nv/booter.c"
#include "kmod/nv/falcon_image.c"

#define SIGNATURES 2
#define IMAGE      0x1000
#define CODE       0x100
#define DATA       0x900
#define PATCH      0x910

static struct file {
	struct nv_firmware_header firmware;
	struct nv_booter_header booter;
	u8 signatures[SIGNATURES][NV_FALCON_SIGNATURE_BYTES];
	u32 patch, first, count;
	struct nv_booter_meta meta;
	struct nv_booter_load load;
	u8 image[IMAGE];
} file;

static void build(void)
{
	file = (struct file){
		.firmware = {NV_FIRMWARE_MAGIC, 1, sizeof(file), offsetof(struct file, booter),
			     offsetof(struct file, image), IMAGE},
		.booter = {.signatures = offsetof(struct file, signatures),
			   .signatures_bytes = sizeof(file.signatures),
			   .patch = offsetof(struct file, patch),
			   .first = offsetof(struct file, first),
			   .meta = offsetof(struct file, meta),
			   .meta_bytes = sizeof(file.meta),
			   .count = offsetof(struct file, count),
			   .load = offsetof(struct file, load),
			   .load_bytes = sizeof(file.load)},
		.patch = PATCH,
		.count = SIGNATURES,
		.meta = {3, NV_FALCON_ENGINE_SEC2, 3},
		.load = {0, CODE, DATA, IMAGE - DATA, 1, {CODE, DATA - CODE}},
	};
	memset(file.signatures[0], 0x11, sizeof(file.signatures[0]));
	memset(file.signatures[1], 0x22, sizeof(file.signatures[1]));
}

static int parse(size_t bytes)
{
	struct nv_falcon_image image;
	u8 *copy = malloc(bytes);
	int ret;

	memcpy(copy, &file, bytes);
	ret = nv_booter_parse(copy, bytes, &image);
	free(copy);
	return ret;
}

static void test_program(void)
{
	struct nv_falcon_image image;
	u8 copy[IMAGE] = {0};
	size_t accepted = 0;

	build();
	ok(!nv_booter_parse((const u8 *)&file, sizeof(file), &image),
	   "booter: a file with the layout of NVIDIA's is accepted");
	ok(image.data == file.image && image.bytes == IMAGE && image.imem.from == CODE &&
		   image.imem.to == 0 && image.imem.bytes == DATA - CODE &&
		   image.dmem.from == DATA && image.dmem.to == 0 &&
		   image.dmem.bytes == IMAGE - DATA && image.boot == CODE,
	   "booter: code and data are those that the file names");
	ok(image.signature == PATCH - DATA && image.engines == NV_FALCON_ENGINE_SEC2 &&
		   image.program == 3,
	   "booter: the boot ROM's parameters are those of the file");
	ok(nv_falcon_signature(&image, 3) == file.signatures[0] &&
		   nv_falcon_signature(&image, 2) == file.signatures[1],
	   "booter: the newest version has the first signature");
	ok(nv_falcon_signature(&image, 0) == file.signatures[1],
	   "booter: a chip whose fuse is not burnt takes the last signature");
	ok(!nv_falcon_signature(&image, 1) && !nv_falcon_signature(&image, 4),
	   "booter: a fuse version without a signature has none");
	ok(!nv_falcon_sign(&image, 2, copy) && copy[PATCH - 1] == 0 && copy[PATCH] == 0x22 &&
		   copy[PATCH + NV_FALCON_SIGNATURE_BYTES - 1] == 0x22 &&
		   copy[PATCH + NV_FALCON_SIGNATURE_BYTES] == 0,
	   "booter: the signature goes where the file says");
	for (size_t bytes = 1; bytes < sizeof(file); bytes++)
		accepted += parse(bytes) != -EINVAL;
	ok(!accepted, "booter: a file that ends early is rejected at every size");
}

static void test_wrong_words(void)
{
	struct {
		u32 *word;
		u32 value;
		const char *what;
	} rows[] = {
		{&file.firmware.magic, 1, "the magic number"},
		{&file.firmware.version, 2, "the version"},
		{&file.firmware.header, sizeof(file) - 8, "a header that is cut off"},
		{&file.firmware.data_bytes, IMAGE + 1, "an image that is cut off"},
		{&file.booter.load_bytes, 8, "a load header that is too short"},
		{&file.booter.meta_bytes, 8, "a meta header that is too short"},
		{&file.booter.patch, sizeof(file), "the place of the patch's offset"},
		{&file.booter.count, sizeof(file), "the place of the count"},
		{&file.booter.signatures, sizeof(file) - 8, "signatures that are cut off"},
		{&file.booter.signatures_bytes, 8, "signatures of another size"},
		{&file.first, sizeof(file), "a first signature outside the file"},
		{&file.count, 0, "no signature"},
		{&file.count, 17, "too many signatures"},
		{&file.patch, DATA - 1, "a patch before the data"},
		{&file.patch, IMAGE - 8, "a patch that ends after the data"},
		{&file.load.applications, 0, "no application"},
		{&file.load.first.offset, CODE + 4, "code that no DMA can load"},
		{&file.load.first.bytes, IMAGE, "code that is cut off"},
		{&file.load.data, DATA + 4, "data that no DMA can load"},
		{&file.load.data_bytes, IMAGE, "data that is cut off"},
		{&file.load.data_bytes, 8, "data without room for the signature"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		build();
		*rows[i].word = rows[i].value;
		ok(parse(sizeof(file)) == -EINVAL, "booter: rejected: %s", rows[i].what);
	}
}

int main(void)
{
	test_program();
	test_wrong_words();
	return tap_done();
}
