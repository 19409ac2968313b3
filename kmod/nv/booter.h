/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Parser of booter files: a pure function that does not trust the file's contents. */
#ifndef SOV_NV_BOOTER_H
#define SOV_NV_BOOTER_H

#include <linux/types.h>

#include "kmod/nv/falcon_image.h"

int nv_booter_parse(const u8 *file, size_t bytes, struct nv_falcon_image *image);

#endif
