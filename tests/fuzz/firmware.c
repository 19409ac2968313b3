// SPDX-License-Identifier: MIT
/*
 * Arbitrary firmware files in the kernel driver's parsers: every part that they return must lie
 * inside the file.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#include "kmod/nv/firmware.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static void check_part(const uint8_t *data, size_t size, const u8 *part, size_t bytes)
{
	check(part >= data && bytes <= size && (size_t)(part - data) <= size - bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {".fwimage", ".fwsignature_gh100", "hash", "image", ""};
	const struct nv_riscv_description *d;
	const u8 *part;
	size_t bytes;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!nv_firmware_section(data, size, names[i], &part, &bytes))
			check_part(data, size, part, bytes);
	if (!nv_firmware_bootloader(data, size, &part, &bytes, &d)) {
		check_part(data, size, part, bytes);
		check_part(data, size, (const u8 *)d, sizeof(*d));
		check(d->manifest <= bytes && d->monitor_code <= bytes && d->monitor_data <= bytes);
	}
	return 0;
}
