// SPDX-License-Identifier: MIT
/*
 * The parser of the VBIOS that the kernel compiles finds FWSEC in the modelled card's ROM, which is
 * built without that parser, and rejects each part that is wrong. Every copy of the ROM is in an
 * allocation of exactly its size, so that a sanitizer notices reads beyond its end.
 */
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#include "tests/tap.h"
#include "kmod/nv/falcon_image.c"
#include "kmod/nv/vbios.c"
#include "model/card/vbios.h"

static struct vbios v;

/* Finds FWSEC in a copy of the first bytes of the ROM with one byte replaced. */
static const char *find_changed(u32 bytes, u32 at, u8 value)
{
	u8 *rom = malloc(bytes);
	struct nv_fwsec fwsec;
	const char *wrong;

	memcpy(rom, v.rom, bytes);
	if (at < bytes)
		rom[at] = value;
	wrong = nv_vbios_find_fwsec(rom, bytes, &fwsec);
	free(rom);
	return wrong;
}

static void test_program(void)
{
	struct nv_fwsec f;
	const char *wrong = nv_vbios_find_fwsec(v.rom, sizeof(v.rom), &f);
	u8 copy[VBIOS_FWSEC_IMEM_BYTES + VBIOS_FWSEC_DMEM_BYTES], *dmem;
	struct nv_fwsec_region region;
	u32 command;

	ok(!wrong, "vbios: FWSEC is found in a ROM");
	if (wrong) {
		diag("%s", wrong);
		return;
	}
	ok(f.image.data == v.rom + v.program && f.image.bytes == sizeof(copy),
	   "vbios: the program is the one in the ROM, whole");
	ok(f.image.imem.from == 0 && f.image.imem.bytes == VBIOS_FWSEC_IMEM_BYTES &&
		   f.image.dmem.from == VBIOS_FWSEC_IMEM_BYTES &&
		   f.image.dmem.bytes == VBIOS_FWSEC_DMEM_BYTES && f.image.boot == 0,
	   "vbios: code and data are separated");
	ok(f.image.program == VBIOS_FWSEC_PROGRAM && f.image.engines == NV_FALCON_ENGINE_GSP,
	   "vbios: the boot ROM's parameters are those of the program");
	ok(nv_falcon_signature(&f.image, VBIOS_FWSEC_FUSE) == v.rom + v.signature,
	   "vbios: the fuse's version selects its signature");
	ok(!nv_falcon_signature(&f.image, 0) && !nv_falcon_signature(&f.image, 4) &&
		   !nv_falcon_signature(&f.image, 32),
	   "vbios: a fuse version without a signature has none");

	memcpy(copy, f.image.data, sizeof(copy));
	ok(!nv_falcon_sign(&f.image, VBIOS_FWSEC_FUSE, copy) &&
		   nv_falcon_sign(&f.image, 0, copy) == -ENOKEY,
	   "vbios: a copy is signed for a version that has a signature, and for no other");
	nv_fwsec_set_frts(&f, copy, 0x5fe00000, 0x100000);
	dmem = copy + VBIOS_FWSEC_IMEM_BYTES;
	ok(!memcmp(dmem + VBIOS_FWSEC_SIGNATURE, v.rom + v.signature, NV_FALCON_SIGNATURE_BYTES),
	   "vbios: the signature lies where the boot ROM expects it");
	memcpy(&command, dmem + VBIOS_FWSEC_MAPPER + offsetof(struct nv_fwsec_mapper, command), 4);
	memcpy(&region, dmem + VBIOS_FWSEC_INPUT + sizeof(struct nv_fwsec_read), sizeof(region));
	ok(command == NV_FWSEC_FRTS && region.page == 0x5fe00 && region.pages == 0x100 &&
		   region.type == NV_FWSEC_REGION_FB,
	   "vbios: the command sets up FRTS at its address");
	ok(!memcmp(copy, v.rom + v.program, VBIOS_FWSEC_IMEM_BYTES) &&
		   !memcmp(dmem + VBIOS_FWSEC_SIGNATURE + NV_FALCON_SIGNATURE_BYTES,
			   v.rom + v.program + VBIOS_FWSEC_IMEM_BYTES + VBIOS_FWSEC_SIGNATURE +
				   NV_FALCON_SIGNATURE_BYTES,
			   VBIOS_FWSEC_DMEM_BYTES - VBIOS_FWSEC_SIGNATURE -
				   NV_FALCON_SIGNATURE_BYTES),
	   "vbios: the rest of the program stays as it was");
	nv_fwsec_set_sb(&f, copy);
	memcpy(&command, dmem + VBIOS_FWSEC_MAPPER + offsetof(struct nv_fwsec_mapper, command), 4);
	ok(command == NV_FWSEC_SB, "vbios: the other command replaces it");
}

/* One byte of each structure, by what must be said about it. */
static void test_wrong_bytes(void)
{
	const u32 fwsec2 = 0x1200, table = fwsec2 + 0x104, descriptor = fwsec2 + 0x20c;
	const u32 dmem = v.program + VBIOS_FWSEC_IMEM_BYTES;
	const struct {
		u32 at;
		u8 value;
		const char *wrong, *what;
	} rows[] = {
		{0, 0, "no PCI image", "the ROM's signature"},
		{0x40, 'X', "no PCI image", "PCIR's signature"},
		{0x68, 0, "no FWSEC image", "NPDE's size, so that PCIR ends the chain"},
		{0x54, 3, "its first image is not for PCs", "the type of the first image"},
		{0x800, 0, "a later image has a bad header", "the second image's signature"},
		{fwsec2 + 0x68, 0xff, "a later image has a bad header", "a size beyond the ROM"},
		{0x80, 0, "no BIT table", "the identification of BIT"},
		{0x89, 5, "its BIT tokens are too short", "the size of BIT tokens"},
		{0x92, 'q', "no BIT token of falcon programs", "the token of falcon programs"},
		{0x94, 3, "a bad BIT token of falcon programs", "the size of its data"},
		{0x143, 0xff, "a bad table of falcon programs", "the pointer to the table"},
		{table, 2, "a bad table of falcon programs", "the version of the table"},
		{table + 12, 0x46, "no FWSEC program", "the application of the entry"},
		{descriptor, 0, "a bad FWSEC descriptor", "the descriptor's valid bit"},
		{descriptor + 1, 2, "its FWSEC descriptor has an unknown version", "its version"},
		{descriptor + 39, 4, "its FWSEC signatures are truncated", "the signature count"},
		{descriptor + 20, 1, "its FWSEC code has a bad size", "the size of the code"},
		{descriptor + 34, 1, "its FWSEC program is truncated", "the size of the data"},
		{descriptor + 9, 9, "no room for the signature of FWSEC", "the signature's place"},
		{descriptor + 13, 9, "FWSEC takes no commands", "the place of the interfaces"},
		{dmem + 0x80, 2, "FWSEC takes no commands", "the version of the interfaces"},
		{dmem + 0x8c, 5, "FWSEC takes no commands", "the mapper's interface"},
		{dmem + 0x109, 9, "FWSEC takes no commands", "the place of the input"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *wrong = find_changed(sizeof(v.rom), rows[i].at, rows[i].value);

		if (!ok(wrong && !strcmp(wrong, rows[i].wrong), "vbios: rejected by name: %s",
			rows[i].what))
			diag("%s", wrong ? wrong : "accepted");
	}
}

static void test_every_size_and_byte(void)
{
	const u32 end = v.program + VBIOS_FWSEC_IMEM_BYTES + VBIOS_FWSEC_DMEM_BYTES;
	u32 accepted = 0, said = 0;

	for (u32 bytes = 1; bytes < sizeof(v.rom); bytes += bytes < end ? 1 : 97)
		accepted += !find_changed(bytes, 0, v.rom[0]);
	ok(!accepted, "vbios: a ROM that ends early is rejected at every size");
	for (u32 at = 0; at < end; at++)
		for (u32 bit = 0; bit < 8; bit++)
			said += find_changed(sizeof(v.rom), at, v.rom[at] ^ 1u << bit) != NULL;
	ok(said > 100 && said < end, "vbios: no changed bit makes the parser read outside the ROM");
	ok(!strcmp(nv_vbios_find_fwsec(v.rom, NV_PROM_BYTES + 1, &(struct nv_fwsec){0}),
		   "it is too large"),
	   "vbios: a ROM larger than its window is rejected");
}

int main(void)
{
	vbios_build(&v, 0x2204);
	test_program();
	test_wrong_bytes();
	test_every_size_and_byte();
	return tap_done();
}
