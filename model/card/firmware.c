// SPDX-License-Identifier: MIT
/* Reads the firmware files that a driver should load, to compare what arrives on the card with the
 * files byte by byte. This parser deliberately shares no code with the driver's. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hw/nv/gsp_570.h"
#include "hw/nv/vbios.h"
#include "model/card/card_internal.h"

static bool load_file(struct firmware_file *f, const char *folder, const char *chip,
		      const char *part, char *why, size_t size)
{
	char path[1024];
	struct stat st;

	snprintf(path, sizeof(path), "%s/nvidia/%s/gsp/%s-" NV_GSP_VERSION ".bin", folder, chip,
		 part);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && !fstat(fd, &st) && st.st_size > 0) {
		f->bytes = (size_t)st.st_size;
		f->data = mmap(NULL, f->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
		if (f->data == MAP_FAILED)
			f->data = NULL;
	}
	if (!f->data)
		snprintf(why, size, "firmware %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return f->data;
}

static struct span file_range(const struct firmware_file *f, uint64_t offset, uint64_t bytes)
{
	if (offset > f->bytes || bytes > f->bytes - offset)
		return (struct span){0};
	return (struct span){f->data + offset, bytes};
}

/* Finds a section in an ELF file of either class. */
static struct span find_section(const struct firmware_file *f, const char *name)
{
	bool wide = f->bytes > EI_CLASS && f->data[EI_CLASS] == ELFCLASS64;
	Elf64_Ehdr h = {0};
	Elf32_Ehdr h32;

	if (f->bytes < sizeof(h) || memcmp(f->data, ELFMAG, SELFMAG))
		return (struct span){0};
	memcpy(&h, f->data, sizeof(h));
	if (!wide) {
		memcpy(&h32, f->data, sizeof(h32));
		h.e_shoff = h32.e_shoff;
		h.e_shnum = h32.e_shnum;
		h.e_shstrndx = h32.e_shstrndx;
	}
	struct span found = {0}, names = {0};

	/* First the string table, then the section with the name. */
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < h.e_shnum; i++) {
			size_t entry = wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
			struct span raw = file_range(f, h.e_shoff + i * entry, entry);
			Elf64_Shdr s = {0};
			Elf32_Shdr s32;

			if (!raw.data)
				return (struct span){0};
			if (wide) {
				memcpy(&s, raw.data, sizeof(s));
			} else {
				memcpy(&s32, raw.data, sizeof(s32));
				s.sh_name = s32.sh_name;
				s.sh_offset = s32.sh_offset;
				s.sh_size = s32.sh_size;
			}
			if (round == 0 && i == h.e_shstrndx)
				names = file_range(f, s.sh_offset, s.sh_size);
			if (round == 1 && s.sh_name < names.bytes &&
			    names.bytes - s.sh_name > strlen(name) &&
			    !memcmp(names.data + s.sh_name, name, strlen(name) + 1))
				found = file_range(f, s.sh_offset, s.sh_size);
		}
	return found;
}

static struct span bootloader(const struct firmware_file *f)
{
	struct nv_firmware_header h;

	if (f->bytes < sizeof(h))
		return (struct span){0};
	memcpy(&h, f->data, sizeof(h));
	return file_range(f, h.data, h.data_bytes);
}

static bool read_word(const struct firmware_file *f, uint32_t at, uint32_t *value)
{
	struct span s = file_range(f, at, sizeof(*value));

	if (s.data)
		memcpy(value, s.data, sizeof(*value));
	return s.data;
}

/* The parts of a booter file. No fuse of the modelled chip is burnt for its program, so that the
 * last signature is the right one. */
static bool booter(const struct firmware_file *f, struct firmware_booter *b)
{
	struct nv_firmware_header h;
	struct nv_booter_header hs;
	struct nv_booter_load load;
	struct nv_booter_meta meta;
	uint32_t patch, first, count;
	struct span s = file_range(f, 0, sizeof(h));

	if (!s.data)
		return false;
	memcpy(&h, s.data, sizeof(h));
	s = file_range(f, h.header, sizeof(hs));
	if (!s.data)
		return false;
	memcpy(&hs, s.data, sizeof(hs));
	struct span l = file_range(f, hs.load, sizeof(load)),
		    m = file_range(f, hs.meta, sizeof(meta));

	if (!l.data || !m.data || !read_word(f, hs.patch, &patch) ||
	    !read_word(f, hs.first, &first) || !read_word(f, hs.count, &count) || !count)
		return false;
	memcpy(&load, l.data, sizeof(load));
	memcpy(&meta, m.data, sizeof(meta));
	uint32_t bytes = hs.signatures_bytes / count;

	*b = (struct firmware_booter){
		.code = file_range(f, (uint64_t)h.data + load.first.offset, load.first.bytes),
		.data = file_range(f, (uint64_t)h.data + load.data, load.data_bytes),
		.signature =
			file_range(f, (uint64_t)hs.signatures + first + (count - 1) * bytes, bytes),
		.signature_at = patch - load.data,
		.engines = meta.engines,
		.program = meta.program,
	};
	return b->code.data && b->data.data && b->signature.data &&
	       b->signature_at < b->data.bytes && bytes <= b->data.bytes - b->signature_at &&
	       b->code.bytes <= FALCON_MEMORY_BYTES && b->data.bytes <= FALCON_MEMORY_BYTES;
}

static bool load_fmc(struct firmware *fw, const char *folder, const char *chip, char *why,
		     size_t size)
{
	if (!load_file(&fw->files[0], folder, chip, "fmc", why, size))
		return false;
	fw->fmc = find_section(&fw->files[0], "image");
	fw->hash = find_section(&fw->files[0], "hash");
	fw->public_key = find_section(&fw->files[0], "publickey");
	fw->fmc_signature = find_section(&fw->files[0], "signature");
	fw->known = fw->fmc.data && fw->hash.data && fw->public_key.data && fw->fmc_signature.data;
	return true;
}

static bool load_booters(struct firmware *fw, const char *folder, const char *chip, char *why,
			 size_t size)
{
	if (!load_file(&fw->files[0], folder, chip, "booter_load", why, size) ||
	    !load_file(&fw->files[3], folder, chip, "booter_unload", why, size))
		return false;
	fw->known =
		booter(&fw->files[0], &fw->booters[0]) && booter(&fw->files[3], &fw->booters[1]);
	return true;
}

bool firmware_load(struct firmware *fw, const char *folder, const struct card_chip *chip, char *why,
		   size_t size)
{
	bool fwsec = chip->boot == BOOT_FWSEC;

	if (!folder)
		return true;
	if (!(fwsec ? load_booters : load_fmc)(fw, folder, chip->name, why, size) ||
	    !load_file(&fw->files[1], folder, chip->name, "bootloader", why, size) ||
	    !load_file(&fw->files[2], folder, chip->name, "gsp", why, size))
		return false;
	fw->bootloader = bootloader(&fw->files[1]);
	fw->image = find_section(&fw->files[2], ".fwimage");
	fw->signature = find_section(&fw->files[2], chip->image_signature);
	fw->known = fw->known && fw->bootloader.data && fw->image.data && fw->signature.data;
	if (!fw->known)
		snprintf(why, size, "firmware in %s: a part is missing in the files for %s", folder,
			 chip->name);
	return fw->known;
}

void firmware_free(struct firmware *fw)
{
	for (size_t i = 0; i < sizeof(fw->files) / sizeof(*fw->files); i++)
		if (fw->files[i].data)
			munmap((void *)fw->files[i].data, fw->files[i].bytes);
}
