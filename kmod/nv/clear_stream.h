/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The command stream that clears video memory, as data without hardware access. */
#ifndef SOV_NV_CLEAR_STREAM_H
#define SOV_NV_CLEAR_STREAM_H

#include <linux/types.h>

#define NV_CLEAR_STREAM_WORDS 21
#define NV_CLEAR_ALIGN        4 /* of the address and the size: elements of a fill */

u32 nv_clear_stream_write(u32 *w, u32 class, u64 address, u64 bytes, u64 semaphore, u64 seqno);

#endif
