/* SPDX-License-Identifier: MIT */
/* NVIDIA's numbers for what can go wrong with a channel. */
#ifndef SOV_WINSYS_XID_H
#define SOV_WINSYS_XID_H

#include <stdint.h>

/* NULL: without a name here. */
const char *nv_xid_text(uint32_t xid);

#endif
