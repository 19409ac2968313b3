// SPDX-License-Identifier: MIT
/* The firmware files that a driver must load, of which each part is a row: its file, where the
 * file's header says how large it is and where it lies, and the command by which the PSP gets it.
 * With a folder, what arrives is compared with the files byte by byte. This parser shares no code
 * with the driver's. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hw/amd/psp.h"
#include "hw/amd/smu.h"
#include "model/card/amd/navi.h"

static const char *const files[NAVI_FILES] = {"sos", "ta", "smc", "rlc", "ce",
					      "pfp", "me", "mec", "sdma"};
enum file { SOS, TA, SMC, RLC, CE, PFP, ME, MEC, SDMA };

enum base { FROM_FILE, FROM_UCODE, FROM_UCODE_START };
static const struct part {
	enum navi_blob_kind kind;
	uint32_t id; /* boot command, or type of firmware */
	const char *name;
	enum file file;
	enum base base;         /* of the offset */
	uint16_t bytes, offset; /* of words in the header */
	bool required;          /* before RLC autoload */
} parts[] = {
	{NAVI_BOOT, PSP_BOOT_KEYS, "keys", SOS, FROM_UCODE, PSP_KEYS_BYTES, PSP_KEYS_OFFSET, 0},
	{NAVI_BOOT, PSP_BOOT_SPL, "SPL table", SOS, FROM_UCODE, PSP_SPL_BYTES, PSP_SPL_OFFSET, 0},
	{NAVI_BOOT, PSP_BOOT_SYSTEM_DRIVER, "system driver", SOS, FROM_UCODE_START, PSP_SOS_OFFSET,
	 0, 0},
	{NAVI_BOOT, PSP_BOOT_SECURE_OS, "secure OS", SOS, FROM_UCODE, PSP_SOS_BYTES, PSP_SOS_OFFSET,
	 0},
	{NAVI_TOC, 0, "TOC", SOS, FROM_UCODE, PSP_TOC_BYTES, PSP_TOC_OFFSET, 0},
	{NAVI_FIRMWARE, PSP_FW_SMU, "SMU", SMC, FROM_FILE, 20, 24, 1},
	{NAVI_FIRMWARE, PSP_FW_SDMA0, "SDMA", SDMA, FROM_FILE, 20, 24, 1},
	{NAVI_FIRMWARE, PSP_FW_CE, "CE", CE, FROM_FILE, 20, 24, 1},
	{NAVI_FIRMWARE, PSP_FW_PFP, "PFP", PFP, FROM_FILE, 20, 24, 1},
	{NAVI_FIRMWARE, PSP_FW_ME, "ME", ME, FROM_FILE, 20, 24, 1},
	{NAVI_FIRMWARE, PSP_FW_MEC, "MEC", MEC, FROM_FILE, 20, 24, 1},
	{NAVI_FIRMWARE, PSP_FW_RLC_LIST_CNTL, "RLC list CNTL", RLC, FROM_FILE, 116, 120, 0},
	{NAVI_FIRMWARE, PSP_FW_RLC_LIST_GPM, "RLC list GPM", RLC, FROM_FILE, 132, 136, 0},
	{NAVI_FIRMWARE, PSP_FW_RLC_LIST_SRM, "RLC list SRM", RLC, FROM_FILE, 148, 152, 0},
	{NAVI_FIRMWARE, PSP_FW_RLC_IRAM, "RLC IRAM", RLC, FROM_FILE, 156, 160, 1},
	{NAVI_FIRMWARE, PSP_FW_RLC_DRAM, "RLC DRAM", RLC, FROM_FILE, 164, 168, 1},
	{NAVI_FIRMWARE, PSP_FW_RLC_P, "RLC P", RLC, FROM_FILE, 180, 184, 0},
	{NAVI_FIRMWARE, PSP_FW_RLC_V, "RLC V", RLC, FROM_FILE, 196, 200, 0},
	{NAVI_FIRMWARE, PSP_FW_TAP_GLOBAL, "global tap delays", RLC, FROM_FILE, 204, 208, 0},
	{NAVI_FIRMWARE, PSP_FW_TAP_SE0, "SE0 tap delays", RLC, FROM_FILE, 212, 216, 0},
	{NAVI_FIRMWARE, PSP_FW_TAP_SE1, "SE1 tap delays", RLC, FROM_FILE, 220, 224, 0},
	{NAVI_FIRMWARE, PSP_FW_TAP_SE2, "SE2 tap delays", RLC, FROM_FILE, 228, 232, 0},
	{NAVI_FIRMWARE, PSP_FW_TAP_SE3, "SE3 tap delays", RLC, FROM_FILE, 236, 240, 0},
	{NAVI_FIRMWARE, PSP_FW_RLC_G, "RLC G", RLC, FROM_FILE, 20, 24, 1},
};
#define PARTS (sizeof(parts) / sizeof(*parts))
_Static_assert(PARTS <= 32, "navi_psp.loaded has a bit for each part");

static bool load_file(struct firmware_file *f, const char *folder, const char *name, char *why,
		      size_t size)
{
	char path[1024];
	struct stat st;

	snprintf(path, sizeof(path), "%s/amdgpu/sienna_cichlid_%s.bin", folder, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && !fstat(fd, &st) && st.st_size > 0) {
		f->bytes = (size_t)st.st_size;
		f->data = mmap(NULL, f->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
		if (f->data == MAP_FAILED)
			f->data = NULL;
	}
	if (!f->data)
		snprintf(why, size, "firmware %s: %s", path,
			 fd >= 0 ? "it is empty or cannot be mapped" : strerror(errno));
	if (fd >= 0)
		close(fd);
	return f->data;
}

static bool word_at(const struct firmware_file *f, uint64_t at, uint32_t *word)
{
	if (at > f->bytes || f->bytes - at < 4)
		return false;
	memcpy(word, f->data + at, 4);
	return true;
}

/* Returns false if the file's header does not describe the part. */
static bool locate(const struct navi_blobs *b, const struct part *p, struct span *out)
{
	const struct firmware_file *f = &b->files[p->file];
	uint32_t bytes, offset = 0, ucode = 0, table = 0;

	if (!word_at(f, p->bytes, &bytes) || !word_at(f, PSP_FILE_UCODE_OFFSET, &ucode) ||
	    (p->base != FROM_UCODE_START && !word_at(f, p->offset, &offset)) ||
	    (p->file == MEC && !word_at(f, PSP_MEC_TABLE_WORDS, &table)))
		return false;
	uint64_t at = p->base == FROM_FILE ? offset : (uint64_t)ucode + offset;

	if (4ull * table > bytes || at > f->bytes || bytes - 4 * table > f->bytes - at)
		return false;
	*out = (struct span){f->data + at, bytes - 4 * table};
	return true;
}

bool navi_blobs_load(struct navi_blobs *b, const char *folder, char *why, size_t size)
{
	struct span unused;

	if (!folder)
		return true;
	for (uint32_t i = 0; i < NAVI_FILES; i++)
		if (!load_file(&b->files[i], folder, files[i], why, size))
			return false;
	for (size_t i = 0; i < PARTS; i++) {
		if (locate(b, &parts[i], &unused))
			continue;
		snprintf(why, size,
			 "firmware %s/amdgpu/sienna_cichlid_%s.bin: its header does not "
			 "describe the part '%s'",
			 folder, files[parts[i].file], parts[i].name);
		return false;
	}
	b->known = true;
	return true;
}

void navi_blobs_free(struct navi_blobs *b)
{
	for (uint32_t i = 0; i < NAVI_FILES; i++)
		if (b->files[i].data)
			munmap((void *)b->files[i].data, b->files[i].bytes);
}

/* Returns the bytes of a trusted application: of the same size, as the command does not name it. */
static const char *compare_application(const struct navi_blobs *b, const uint8_t *data,
				       uint32_t bytes)
{
	const struct firmware_file *f = &b->files[TA];
	uint32_t count, ucode, entry[4];

	if (!word_at(f, PSP_TA_COUNT, &count) || !word_at(f, PSP_FILE_UCODE_OFFSET, &ucode))
		return "the file of trusted applications has no header";
	for (uint32_t i = 0; i < count; i++) {
		uint64_t at = PSP_TA_ENTRIES + 16ull * i;

		if (at > f->bytes || f->bytes - at < 16)
			break;
		memcpy(entry, f->data + at, 16);
		uint64_t start = (uint64_t)ucode + entry[2];

		if (entry[3] == bytes && start <= f->bytes && bytes <= f->bytes - start &&
		    !memcmp(f->data + start, data, bytes))
			return NULL;
	}
	return "it differs from all applications of the file";
}

const char *navi_blob_check(const struct navi_blobs *b, enum navi_blob_kind kind, uint32_t id,
			    const uint8_t *data, uint32_t bytes, const char **name, uint32_t *index)
{
	struct span wanted;

	*name = "trusted application";
	if (kind == NAVI_APPLICATION)
		return b->known ? compare_application(b, data, bytes) : NULL;
	for (uint32_t i = 0; i < PARTS; i++) {
		if (parts[i].kind != kind || parts[i].id != id)
			continue;
		*name = parts[i].name;
		*index = i;
		if (!b->known)
			return NULL;
		locate(b, &parts[i], &wanted);
		/* The boot loader is not told the size; what follows is the driver's. */
		if (kind == NAVI_BOOT ? bytes < wanted.bytes : bytes != wanted.bytes)
			return "its size is not that in the file's header";
		return memcmp(data, wanted.data, wanted.bytes) ? "it differs from the file" : NULL;
	}
	*name = "firmware";
	return "no such part is known";
}

uint32_t navi_blobs_smu_version(const struct navi_blobs *b)
{
	uint32_t version = SMU_VERSION;

	if (b->known)
		word_at(&b->files[SMC], PSP_FILE_VERSION, &version);
	return version;
}

bool navi_blob_loaded(uint32_t loaded, uint32_t type)
{
	for (uint32_t i = 0; i < PARTS; i++)
		if (parts[i].kind == NAVI_FIRMWARE && parts[i].id == type)
			return loaded & 1u << i;
	return false;
}

const char *navi_blob_missing(uint32_t loaded)
{
	for (uint32_t i = 0; i < PARTS; i++)
		if (parts[i].required && !(loaded & 1u << i))
			return parts[i].name;
	return NULL;
}
