/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4), for the names of cache entries. */
#ifndef SOV_SHA256_H
#define SOV_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

struct sha256 {
	uint32_t state[8];
	uint64_t length; /* bytes hashed so far */
	uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t bytes);
void sha256_end(struct sha256 *s, uint8_t digest[SHA256_BYTES]);

#endif
