// SPDX-License-Identifier: MIT
/* The socket side of vfio-user: receives whole messages with their descriptors and sends one reply
 * for each. The header is read separately, because a peer sends the descriptors of a message with
 * its first byte: a longer read could return those of the next message. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "model/card/vfio.h"

struct message {
	uint8_t bytes[VFIO_MESSAGE_BYTES];
	struct vfio_header header;
	int fds[VFIO_MAX_FDS];
	uint32_t nfds;
};

union control { /* buffer for descriptors, aligned as the kernel requires */
	char bytes[CMSG_SPACE(VFIO_MAX_FDS * sizeof(int))];
	struct cmsghdr align;
};

/* Descriptors may come with any part of a message, so those of earlier parts are kept. Returns 0,
 * or -E2BIG if there are more than a message may have; the kernel then closed some of them. */
static int keep_descriptors(struct message *m, struct msghdr *header)
{
	bool lost = header->msg_flags & MSG_CTRUNC;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
			if (m->nfds < VFIO_MAX_FDS) {
				m->fds[m->nfds++] = fd;
			} else {
				close(fd);
				lost = true;
			}
		}
	}
	return lost ? -E2BIG : 0;
}

/* Receives exactly `bytes`. Returns 1; 0 if the peer closed before the first byte; or -errno. */
static int receive(int fd, struct message *m, uint8_t *to, size_t bytes)
{
	union control control;

	for (size_t done = 0; done < bytes;) {
		struct iovec part = {to + done, bytes - done};
		struct msghdr header = {.msg_iov = &part,
					.msg_iovlen = 1,
					.msg_control = control.bytes,
					.msg_controllen = sizeof(control.bytes)};
		ssize_t n = recvmsg(fd, &header, MSG_CMSG_CLOEXEC);
		int status;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == ECONNRESET && !done ? 0 : -errno;
		if (n == 0)
			return done ? -EPIPE : 0;
		status = keep_descriptors(m, &header);
		if (status)
			return status;
		done += (size_t)n;
	}
	return 1;
}

static int send_reply(int fd, struct vfio_reply *r)
{
	union control control = {{0}};
	struct iovec part = {r->bytes, r->size};
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};

	if (r->fd >= 0) {
		header.msg_control = control.bytes;
		header.msg_controllen = CMSG_SPACE(sizeof(int));
		struct cmsghdr *c = CMSG_FIRSTHDR(&header);

		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &r->fd, sizeof(int));
	}
	ssize_t n;

	do
		n = sendmsg(fd, &header, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == r->size ? 0 : -EPIPE; /* a stream to a peer that reads: never short */
}

static int serve_one(struct card *c, int fd, struct message *m, struct vfio_reply *reply)
{
	const char *wrong;

	m->nfds = 0;
	int status = receive(fd, m, m->bytes, VFIO_HEADER_BYTES);

	if (status > 0) {
		wrong = vfio_header_read(m->bytes, &m->header);
		if (wrong) {
			card_refuse(c, "vfio-user message of command %u: %s", m->header.command,
				    wrong);
			status = -EPROTO;
		} else if (m->header.bytes > VFIO_HEADER_BYTES) {
			status = receive(fd, m, m->bytes + VFIO_HEADER_BYTES,
					 m->header.bytes - VFIO_HEADER_BYTES);
			status = status ? status : -EPIPE;
		}
	}
	if (status == -E2BIG)
		card_refuse(c, "vfio-user message with more than %d descriptors", VFIO_MAX_FDS);
	if (status <= 0) {
		for (uint32_t i = 0; i < m->nfds; i++)
			close(m->fds[i]);
		return status;
	}
	vfio_handle(c, &m->header, m->bytes + VFIO_HEADER_BYTES, m->fds, m->nfds, reply);
	status = reply->size ? send_reply(fd, reply) : 0;
	return status ? status : 1;
}

int vfio_serve(struct card *c, int connection)
{
	struct message *m = malloc(sizeof(*m));
	struct vfio_reply *reply = malloc(sizeof(*reply));
	int status = m && reply ? 1 : -ENOMEM;

	while (status > 0)
		status = serve_one(c, connection, m, reply);
	if (status < 0)
		card_log(c, "connection: %s", strerror(-status));
	free(reply);
	free(m);
	return status;
}
