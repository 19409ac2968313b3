// SPDX-License-Identifier: MIT
#include "libsov/compiler/amd/select.h"
bool select_lanes(struct select *s)
{
	(void)s;
	return false;
}
