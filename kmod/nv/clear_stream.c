// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The command stream that clears video memory: a fill by physical address, which needs a channel
 * that is privileged and does not deny physical copies, and a semaphore release that waits for the
 * fill. NVIDIA's UVM clears memory by the same means (OGKM kernel-open/nvidia-uvm,
 * uvm_hopper_ce.c).
 */
#include "hw/nv/copy.h"
#include "hw/nv/host.h"
#include "kmod/nv/clear_stream.h"

static u32 *nv_clear_stream_method(u32 *w, u32 subchannel, u32 method, u32 count)
{
	*w = nv_method_pack(NV_METHOD_INC, subchannel, method, count);
	return w + 1;
}

/**
 * nv_clear_stream_write() - write the stream that clears a range
 * @w: NV_CLEAR_STREAM_WORDS words.
 * @class: Class of the copy engine.
 * @address: Address in video memory, a multiple of NV_CLEAR_ALIGN.
 * @bytes: Size, a multiple of NV_CLEAR_ALIGN below 2^34.
 * @semaphore: GPU address of 8 bytes.
 * @seqno: Value that the semaphore gets when the range is clear.
 *
 * Return: The number of words.
 */
u32 nv_clear_stream_write(u32 *w, u32 class, u64 address, u64 bytes, u64 semaphore, u64 seqno)
{
	const u32 *begin = w;

	w = nv_clear_stream_method(w, NV_SUBCHANNEL_COPY, NV_HOST_SET_OBJECT, 1);
	*w++ = class;
	w = nv_clear_stream_method(w, NV_SUBCHANNEL_COPY, NV_COPY_DST_PHYSICAL_TARGET, 1);
	*w++ = NV_COPY_TARGET_VRAM;
	w = nv_clear_stream_method(w, NV_SUBCHANNEL_COPY, NV_COPY_DST_HIGH, 2);
	*w++ = (u32)(address >> 32);
	*w++ = (u32)address;
	w = nv_clear_stream_method(w, NV_SUBCHANNEL_COPY, NV_COPY_LINE_BYTES, 1);
	*w++ = (u32)(bytes / NV_CLEAR_ALIGN);
	w = nv_clear_stream_method(w, NV_SUBCHANNEL_COPY, NV_COPY_REMAP_CONST_A, 3);
	*w++ = 0; /* A */
	*w++ = 0; /* B */
	*w++ = NV_COPY_REMAP_FILL(NV_CLEAR_ALIGN);
	w = nv_clear_stream_method(w, NV_SUBCHANNEL_COPY, NV_COPY_LAUNCH, 1);
	*w++ = NV_COPY_TRANSFER_NON_PIPELINED | NV_COPY_FLUSH | NV_COPY_SRC_LINEAR |
	       NV_COPY_DST_LINEAR | NV_COPY_REMAP | NV_COPY_DST_PHYSICAL;
	w = nv_clear_stream_method(w, 0, NV_HOST_SEM_ADDR_LO, 5);
	*w++ = (u32)semaphore;
	*w++ = (u32)(semaphore >> 32);
	*w++ = (u32)seqno;
	*w++ = (u32)(seqno >> 32);
	*w++ = NV_SEM_RELEASE | NV_SEM_RELEASE_WFI | NV_SEM_PAYLOAD_64;
	return w - begin;
}
