// SPDX-License-Identifier: MIT
/*
 * A stream of vfio-user messages of any kind, as a virtual machine gone mad would send it: every one
 * is answered or refused, replies fit, and the card lives. A card is made once and reset between
 * inputs, because its memory is large.
 */
#include <stdlib.h>
#include <string.h>

#include "model/card/vfio.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct card *card;
	static struct vfio_reply reply;
	struct vfio_header h;
	char why[200];

	if (!card) {
		FILE *nowhere = fopen("/dev/null", "w");

		check(nowhere);
		card = card_create(&(struct card_options){.chip = "gh100",
							  .vram_bytes = 16 << 20,
							  .log = nowhere},
				   why, sizeof(why));
		check(card);
	}
	card_dma_unmap_all(card);
	card_reset(card);
	while (size >= VFIO_HEADER_BYTES && !vfio_header_read(data, &h) && h.bytes <= size) {
		vfio_handle(card, &h, data + VFIO_HEADER_BYTES, NULL, 0, &reply);
		check(reply.size <= sizeof(reply.bytes));
		data += h.bytes;
		size -= h.bytes;
	}
	return 0;
}
