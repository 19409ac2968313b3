// SPDX-License-Identifier: MIT
#include "libsov/compiler/amd/select.h"
bool select_convert(struct select *s)
{
	(void)s;
	return false;
}
