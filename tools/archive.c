// SPDX-License-Identifier: MIT
/*
 * Writes tar archives: per member a header of one block, with numbers as octal text, and the data
 * in whole blocks; then two blocks of zeros. Times and owners are zero, so that equal contents give
 * equal archives.
 */
#include <stdint.h>
#include <string.h>
#include "tools/archive.h"

#define BLOCK_BYTES 512u

struct header {
	char name[ARCHIVE_NAME_BYTES], mode[8], uid[8], gid[8], size[12], mtime[12];
	char checksum[8], type, link[100], magic[6], version[2], user[32], group[32];
	char major[8], minor[8], prefix[155], pad[12];
};
_Static_assert(sizeof(struct header) == BLOCK_BYTES, "ustar header");

bool archive_add(FILE *archive, const char *name, const void *data, size_t bytes)
{
	struct header h = {.type = '0', .magic = "ustar", .version = {'0', '0'}};
	static const char zeros[BLOCK_BYTES];
	const uint8_t *word = (const uint8_t *)&h;
	unsigned sum = 0;

	if (!*name || strlen(name) > sizeof(h.name))
		return false;
	memcpy(h.name, name, strlen(name));
	snprintf(h.mode, sizeof(h.mode), "%07o", 0600);
	snprintf(h.uid, sizeof(h.uid), "%07o", 0);
	snprintf(h.gid, sizeof(h.gid), "%07o", 0);
	snprintf(h.size, sizeof(h.size), "%011llo", (unsigned long long)bytes);
	snprintf(h.mtime, sizeof(h.mtime), "%011o", 0);
	/* The sum counts its own field as blanks. */
	memset(h.checksum, ' ', sizeof(h.checksum));
	for (size_t i = 0; i < sizeof(h); i++)
		sum += word[i];
	snprintf(h.checksum, sizeof(h.checksum), "%06o", sum & 0777777);
	fwrite(&h, sizeof(h), 1, archive);
	if (bytes)
		fwrite(data, bytes, 1, archive);
	fwrite(zeros, 1, (BLOCK_BYTES - bytes % BLOCK_BYTES) % BLOCK_BYTES, archive);
	return !ferror(archive);
}

bool archive_end(FILE *archive)
{
	static const char zeros[2 * BLOCK_BYTES];

	return fwrite(zeros, sizeof(zeros), 1, archive) == 1;
}
