/* SPDX-License-Identifier: MIT */
/* What the two halves of sov info share. */
#ifndef TOOLS_INFO_H
#define TOOLS_INFO_H

#include "tools/tool.h"

/* Of a file (info_image.c). Returns the exit status. */
int info_image(const struct verb *v, const char *path, bool as_json);

#endif
