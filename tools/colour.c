// SPDX-License-Identifier: MIT
/* Colours on terminals; NO_COLOR (no-color.org) and TERM=dumb disable them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/tool.h"

bool has_colour(FILE *f)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no && *no) && term && strcmp(term, "dumb") && isatty(fileno(f));
}
