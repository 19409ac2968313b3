// SPDX-License-Identifier: GPL-2.0-only OR MIT
/**
 * DOC: FWSEC in the VBIOS
 *
 * The ROM holds a chain of PCI images. The first, for PCs, has the BIOS information table (BIT),
 * one of whose tokens points to the table of falcon programs. That table and the programs lie in
 * images of type FWSEC, and their pointers count as if these images followed the first directly.
 * The program that starts a GSP is FWSEC: code and data for the GSP's falcon, several signatures,
 * and, in its data, a structure (the DMEM mapper) through which a driver gives it a command.
 *
 * The ROM is untrusted input: every offset is checked before it is used.
 */
#include <linux/errno.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "hw/nv/falcon.h"
#include "hw/nv/vbios.h"
#include "kmod/nv/vbios.h"

/* The ROM and what is known about its images. */
struct nv_vbios {
	const u8 *rom;
	u32 bytes;
	u32 first_bytes; /* size of the first image */
	u32 fwsec;       /* offset of the first image of type FWSEC; 0: none */
};

static bool nv_vbios_copy(const struct nv_vbios *v, u32 at, void *to, u32 bytes)
{
	if (at > v->bytes || bytes > v->bytes - at)
		return false;
	memcpy(to, v->rom + at, bytes);
	return true;
}

/* Reads the header of an image. */
static bool nv_vbios_read_image(const struct nv_vbios *v, u32 at, u32 *bytes, u8 *type, bool *last)
{
	struct nv_rom_pcir pcir;
	struct nv_rom_npde npde;
	u16 signature, pointer;
	u32 units, extension;

	if (!nv_vbios_copy(v, at, &signature, sizeof(signature)) || signature != NV_ROM_SIGNATURE ||
	    !nv_vbios_copy(v, at + NV_ROM_PCIR_POINTER, &pointer, sizeof(pointer)) ||
	    !nv_vbios_copy(v, at + pointer, &pcir, sizeof(pcir)) ||
	    memcmp(pcir.signature, "PCIR", sizeof(pcir.signature)))
		return false;
	units = pcir.units;
	*type = pcir.type;
	*last = pcir.last & NV_ROM_LAST;
	extension = (pointer + pcir.bytes + NV_ROM_NPDE_ALIGN - 1) & ~(NV_ROM_NPDE_ALIGN - 1u);
	if (nv_vbios_copy(v, at + extension, &npde, sizeof(npde)) &&
	    !memcmp(npde.signature, "NPDE", sizeof(npde.signature)) && npde.units) {
		units = npde.units;
		*last = npde.last & NV_ROM_LAST;
	}
	*bytes = units * NV_ROM_UNIT;
	return units && *bytes <= v->bytes - at;
}

static const char *nv_vbios_walk(struct nv_vbios *v)
{
	bool last = false;
	u32 at, bytes = 0;
	u8 type;

	for (at = 0; !last; at += bytes) {
		if (!nv_vbios_read_image(v, at, &bytes, &type, &last))
			return at ? "a later image has a bad header" : "no PCI image";
		if (!at && type != NV_ROM_TYPE_PC)
			return "its first image is not for PCs";
		if (!at)
			v->first_bytes = bytes;
		if (type == NV_ROM_TYPE_FWSEC && !v->fwsec)
			v->fwsec = at;
	}
	return v->fwsec ? NULL : "no FWSEC image";
}

/* Turns a pointer of the ROM into an offset. Offsets that are too large fail when they are used. */
static u32 nv_vbios_offset(const struct nv_vbios *v, u32 pointer)
{
	u32 beyond = pointer - v->first_bytes;

	if (pointer < v->first_bytes)
		return pointer;
	return beyond < v->bytes - v->fwsec ? v->fwsec + beyond : v->bytes;
}

static bool nv_vbios_find_bit(const struct nv_vbios *v, u32 *at, struct nv_bit_header *bit)
{
	for (*at = 0; *at + sizeof(*bit) <= v->first_bytes; ++*at) {
		memcpy(bit, v->rom + *at, sizeof(*bit));
		if (bit->id == NV_BIT_ID && !memcmp(bit->signature, "BIT", sizeof(bit->signature)))
			return true;
	}
	return false;
}

/* Finds the table of falcon programs. */
static const char *nv_vbios_find_table(const struct nv_vbios *v, u32 *table)
{
	struct nv_bit_header bit;
	struct nv_bit_token token;
	u32 at, i, pointer;

	if (!nv_vbios_find_bit(v, &at, &bit))
		return "no BIT table";
	if (bit.token_bytes < sizeof(token))
		return "its BIT tokens are too short";
	for (i = 0; i < bit.tokens; i++) {
		if (!nv_vbios_copy(v, at + bit.header_bytes + i * bit.token_bytes, &token,
				   sizeof(token)))
			return "its BIT table is truncated";
		if (token.id != NV_BIT_TOKEN_FALCON)
			continue;
		if (token.bytes < sizeof(pointer) ||
		    !nv_vbios_copy(v, token.offset, &pointer, sizeof(pointer)))
			return "a bad BIT token of falcon programs";
		*table = nv_vbios_offset(v, pointer);
		return NULL;
	}
	return "no BIT token of falcon programs";
}

/* Finds the descriptor of FWSEC in the table. */
static const char *nv_vbios_find_program(const struct nv_vbios *v, u32 table, u32 *descriptor)
{
	struct nv_falcon_table t;
	u8 entry[NV_FALCON_ENTRY_BYTES];
	u32 i, pointer;

	if (!nv_vbios_copy(v, table, &t, sizeof(t)) || t.version != NV_FALCON_TABLE_VERSION ||
	    t.header_bytes < sizeof(t) || t.entry_bytes < sizeof(entry))
		return "a bad table of falcon programs";
	for (i = 0; i < t.entries; i++) {
		if (!nv_vbios_copy(v, table + t.header_bytes + i * t.entry_bytes, entry,
				   sizeof(entry)))
			return "its table of falcon programs is truncated";
		if (entry[0] != NV_FALCON_APPLICATION_FWSEC)
			continue;
		memcpy(&pointer, entry + NV_FALCON_ENTRY_POINTER, sizeof(pointer));
		*descriptor = nv_vbios_offset(v, pointer);
		return NULL;
	}
	return "no FWSEC program";
}

static bool nv_vbios_in_dmem(const struct nv_falcon_image *image, u32 at, u32 bytes)
{
	return at <= image->dmem.bytes && bytes <= image->dmem.bytes - at;
}

/* Finds the command and its input in the data of FWSEC. */
static bool nv_vbios_find_mapper(struct nv_fwsec *fwsec, u32 interfaces)
{
	const struct nv_falcon_image *image = &fwsec->image;
	const u8 *dmem = image->data + image->dmem.from;
	struct nv_falcon_interfaces header;
	struct nv_falcon_interface entry;
	struct nv_fwsec_mapper mapper;
	u32 i, at;

	if (!nv_vbios_in_dmem(image, interfaces, sizeof(header)))
		return false;
	memcpy(&header, dmem + interfaces, sizeof(header));
	if (header.version != 1 || header.entry_bytes < sizeof(entry))
		return false;
	for (i = 0; i < header.entries; i++) {
		at = interfaces + header.header_bytes + i * header.entry_bytes;
		if (!nv_vbios_in_dmem(image, at, sizeof(entry)))
			return false;
		memcpy(&entry, dmem + at, sizeof(entry));
		if (entry.id == NV_FALCON_INTERFACE_DMEM_MAPPER)
			break;
	}
	if (i == header.entries || !nv_vbios_in_dmem(image, entry.dmem, sizeof(mapper)))
		return false;
	memcpy(&mapper, dmem + entry.dmem, sizeof(mapper));
	fwsec->command = image->dmem.from + entry.dmem + offsetof(struct nv_fwsec_mapper, command);
	fwsec->input = image->dmem.from + mapper.input;
	return nv_vbios_in_dmem(image, mapper.input,
				sizeof(struct nv_fwsec_read) + sizeof(struct nv_fwsec_region));
}

static const char *nv_vbios_read_fwsec(const struct nv_vbios *v, u32 at, struct nv_fwsec *fwsec)
{
	struct nv_falcon_image *image = &fwsec->image;
	struct nv_falcon_descriptor d;
	u32 head, left;

	if (!nv_vbios_copy(v, at, &d, sizeof(d)) || !(d.header & NV_FALCON_DESCRIPTOR_VALID))
		return "a bad FWSEC descriptor";
	if (NV_FALCON_DESCRIPTOR_VERSION(d.header) != 3)
		return "its FWSEC descriptor has an unknown version";
	head = NV_FALCON_DESCRIPTOR_BYTES(d.header);
	left = v->bytes - at;
	if (!d.signatures || head > left ||
	    head < sizeof(d) + (u32)d.signatures * NV_FALCON_SIGNATURE_BYTES)
		return "its FWSEC signatures are truncated";
	left -= head;
	if (!d.imem_bytes || d.imem_bytes % NV_FALCON_BLOCK_BYTES)
		return "its FWSEC code has a bad size";
	if (d.imem_bytes > left || d.dmem_bytes > left - d.imem_bytes)
		return "its FWSEC program is truncated";
	*image = (struct nv_falcon_image){
		.data = v->rom + at + head,
		.bytes = d.imem_bytes + d.dmem_bytes,
		.imem = { 0, d.imem_base, d.imem_bytes },
		.dmem = { d.imem_bytes, d.dmem_base, d.dmem_bytes },
		.signature = d.signature,
		.signatures = v->rom + at + sizeof(d),
		.signature_count = d.signatures,
		.versions = d.versions,
		.engines = d.engines,
		.program = d.program,
	};
	if (!nv_vbios_in_dmem(image, d.signature, NV_FALCON_SIGNATURE_BYTES))
		return "no room for the signature of FWSEC";
	return nv_vbios_find_mapper(fwsec, d.interfaces) ? NULL : "FWSEC takes no commands";
}

/**
 * nv_vbios_find_fwsec() - find FWSEC in a VBIOS
 * @rom: Contents of the ROM.
 * @bytes: Size of the ROM, at most NV_PROM_BYTES.
 * @fwsec: On success, the program; it points into @rom.
 *
 * Return: NULL, or what is wrong with the ROM, for the log.
 */
const char *nv_vbios_find_fwsec(const u8 *rom, u32 bytes, struct nv_fwsec *fwsec)
{
	struct nv_vbios v = { .rom = rom, .bytes = bytes };
	const char *wrong;
	u32 at;

	if (bytes > NV_PROM_BYTES)
		return "it is too large";
	wrong = nv_vbios_walk(&v);
	if (!wrong)
		wrong = nv_vbios_find_table(&v, &at);
	if (!wrong)
		wrong = nv_vbios_find_program(&v, at, &at);
	if (!wrong)
		wrong = nv_vbios_read_fwsec(&v, at, fwsec);
	return wrong;
}

static void nv_fwsec_set_command(const struct nv_fwsec *fwsec, u8 *copy, u32 command)
{
	const struct nv_fwsec_read read = { .version = 1,
					    .bytes = sizeof(read),
					    .flags = NV_FWSEC_READ_PROM };

	memcpy(copy + fwsec->command, &command, sizeof(command));
	memcpy(copy + fwsec->input, &read, sizeof(read));
}

/**
 * nv_fwsec_set_frts() - make a copy of FWSEC set up WPR2 with FRTS
 * @fwsec: The program.
 * @copy: Copy of its image.
 * @address: Address of FRTS in video memory, a multiple of 4 KiB.
 * @bytes: Size of FRTS, a multiple of 4 KiB.
 */
void nv_fwsec_set_frts(const struct nv_fwsec *fwsec, u8 *copy, u64 address, u32 bytes)
{
	const struct nv_fwsec_region region = {
		.version = 1,
		.bytes = sizeof(region),
		.page = address >> NV_FWSEC_PAGE_SHIFT,
		.pages = bytes >> NV_FWSEC_PAGE_SHIFT,
		.type = NV_FWSEC_REGION_FB,
	};

	nv_fwsec_set_command(fwsec, copy, NV_FWSEC_FRTS);
	memcpy(copy + fwsec->input + sizeof(struct nv_fwsec_read), &region, sizeof(region));
}

/**
 * nv_fwsec_set_sb() - make a copy of FWSEC start the programs that run without a driver
 * @fwsec: The program.
 * @copy: Copy of its image.
 */
void nv_fwsec_set_sb(const struct nv_fwsec *fwsec, u8 *copy)
{
	nv_fwsec_set_command(fwsec, copy, NV_FWSEC_SB);
}
