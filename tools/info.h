/* SPDX-License-Identifier: MIT */
/* Interface between the two files of sov info. */
#ifndef TOOLS_INFO_H
#define TOOLS_INFO_H

#include "tools/tool.h"

/* Describes an image file (info_image.c). Returns the exit status. */
int info_image(const struct verb *v, const char *path, bool as_json);

#endif
