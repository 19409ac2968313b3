/* SPDX-License-Identifier: MIT */
/* The vfio-user protocol, with which QEMU's vfio-user-pci makes another process a PCI device:
 * requests with a 16-byte header over a local socket, with file descriptors as ancillary data.
 * vfio_handle() takes a message with its descriptors and produces a reply; it does not know the
 * socket, so that tests and a fuzzer can call it as the server does. */
#ifndef MODEL_CARD_VFIO_H
#define MODEL_CARD_VFIO_H

#include "model/card/card.h"

#define VFIO_HEADER_BYTES  16
#define VFIO_TRANSFER      65536 /* maximum data in one message */
#define VFIO_MESSAGE_BYTES (VFIO_HEADER_BYTES + 16 + VFIO_TRANSFER)
#define VFIO_REPLY_BYTES   (VFIO_HEADER_BYTES + 16 + 4096) /* the whole configuration space */
#define VFIO_MAX_FDS       16

struct vfio_header {
	uint16_t id, command;
	uint32_t bytes; /* including the header */
	uint32_t flags, error;
};
/* Parses a header. Returns NULL, or what is wrong with it. */
const char *vfio_header_read(const uint8_t *data, struct vfio_header *h);

struct vfio_reply {
	uint8_t bytes[VFIO_REPLY_BYTES];
	size_t size; /* 0: no reply requested */
	int fd;      /* sent with the reply; -1: none; the card keeps ownership */
};
/* Handles one whole message and takes ownership of its descriptors. */
void vfio_handle(struct card *c, const struct vfio_header *h, const uint8_t *body, const int *fds,
		 uint32_t nfds, struct vfio_reply *out);

/* Serves one connection until the peer closes it. Returns 0, or a negative errno after logging
 * it. */
int vfio_serve(struct card *c, int connection);

#endif
