/* SPDX-License-Identifier: MIT */
/* Xids: NVIDIA's error numbers. */
#ifndef SOV_WINSYS_XID_H
#define SOV_WINSYS_XID_H

#include <stdint.h>

/* Returns NULL for an unknown Xid. */
const char *nv_xid_text(uint32_t xid);

#endif
