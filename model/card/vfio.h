/* SPDX-License-Identifier: MIT */
/*
 * The vfio-user protocol, by which QEMU's vfio-user-pci lets another process be a PCI device:
 * requests with a 16-byte header over a local socket, file descriptors beside them. What comes in
 * is a message and its descriptors, what goes out is a reply; vfio_handle knows no socket, so that
 * tests and a fuzzer call it as the server does.
 */
#ifndef MODEL_CARD_VFIO_H
#define MODEL_CARD_VFIO_H

#include "model/card/card.h"

#define VFIO_HEADER_BYTES  16
#define VFIO_TRANSFER      65536 /* most data in one message */
#define VFIO_MESSAGE_BYTES (VFIO_HEADER_BYTES + 16 + VFIO_TRANSFER)
#define VFIO_REPLY_BYTES   (VFIO_HEADER_BYTES + 16 + 4096) /* whole configuration space */
#define VFIO_MAX_FDS       16

struct vfio_header {
	uint16_t id, command;
	uint32_t bytes; /* header included */
	uint32_t flags, error;
};
/* Reads a header; NULL, or what is wrong with it. */
const char *vfio_header_read(const uint8_t *data, struct vfio_header *h);

struct vfio_reply {
	uint8_t bytes[VFIO_REPLY_BYTES];
	size_t size; /* 0: none is wanted */
	int fd;      /* goes with it; -1: none; stays the card's */
};
/* One whole message. Its descriptors are the callee's from here on. */
void vfio_handle(struct card *c, const struct vfio_header *h, const uint8_t *body, const int *fds,
		 uint32_t nfds, struct vfio_reply *out);

/* Serves one connection until the other side closes it. 0, or a negative errno with a line in the
 * log. */
int vfio_serve(struct card *c, int connection);

#endif
