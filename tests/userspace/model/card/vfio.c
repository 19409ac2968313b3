// SPDX-License-Identifier: MIT
/* The card behind a socket, with the test in the role of QEMU: handshake, regions, memory shared by
 * descriptor, and invalid messages. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "model/card/vfio.h"
#include "tests/tap.h"

static struct card *card;
static int line, received_fd, serve_status;

static void *serve(void *arg)
{
	serve_status = vfio_serve(card, *(int *)arg);
	close(*(int *)arg);
	return NULL;
}

/* Sends a message with at most one descriptor; `out` gets the body of the reply, the result is its
 * errno. */
static int call(uint16_t command, const void *body, uint32_t bytes, int fd, void *out, size_t room)
{
	struct vfio_header h = {.id = 77, .command = command, .bytes = VFIO_HEADER_BYTES + bytes};
	struct iovec parts[2] = {{&h, sizeof(h)}, {(void *)body, bytes}};
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};

	if (fd >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
		*CMSG_FIRSTHDR(&m) =
			(struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), &fd, sizeof(fd));
	}
	if (sendmsg(line, &m, 0) < 0)
		return -1;
	uint8_t reply[VFIO_REPLY_BYTES];

	parts[0] = (struct iovec){reply, sizeof(reply)};
	m = (struct msghdr){.msg_iov = parts,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(line, &m, 0);

	received_fd = -1;
	if (n > 0 && CMSG_FIRSTHDR(&m))
		memcpy(&received_fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(int));
	if (n < VFIO_HEADER_BYTES)
		return -1;
	memcpy(&h, reply, sizeof(h));
	if (h.id != 77 || h.command != command || h.bytes != n)
		return -2;
	if (out)
		memcpy(out, reply + sizeof(h),
		       (size_t)n - sizeof(h) < room ? (size_t)n - sizeof(h) : room);
	return (int)h.error;
}

static void handshake(void)
{
	uint16_t version[64] = {0, 0};
	uint32_t info[4] = {16};

	ok(!call(1, version, 4, -1, version, sizeof(version)) && !version[0] && !version[1] &&
		   strstr((char *)(version + 2), "max_data_xfer_size"),
	   "vfio-user version is negotiated");
	version[0] = 7;
	ok(call(1, version, 4, -1, NULL, 0) == EINVAL, "another vfio-user version is rejected");
	ok(!call(4, info, 16, -1, info, 16) && info[1] == 3 && info[2] == 9 && info[3] == 5,
	   "DEVICE_GET_INFO reports a PCI device with 9 regions and 5 interrupts");
}

static void regions(void)
{
	struct {
		uint32_t argsz, flags, index, cap;
		uint64_t bytes, offset;
		uint16_t id, version;
		uint32_t next, count, reserved;
		uint64_t area_offset, area_bytes;
	} r = {.argsz = 32};
	struct {
		uint64_t offset;
		uint32_t region, count;
		uint32_t value;
	} a = {0, CARD_CONFIG, 4, 0};

	ok(!call(5, &r, 32, -1, &r, sizeof(r)) && r.bytes == 16 << 20 && r.argsz == 32 &&
		   r.flags == 3,
	   "the register BAR cannot be mapped");
	r.argsz = 32;
	r.index = 2;
	ok(!call(5, &r, 32, -1, &r, sizeof(r)) && r.argsz == 64 && r.flags == 7 && !r.cap,
	   "REGION_INFO without room for the capability reports the needed size");
	close(received_fd);
	ok(!call(5, &r, 32, -1, &r, sizeof(r)) && r.flags == 15 && r.cap == 32 && r.id == 1 &&
		   r.count == 1 && r.area_offset == 0 && r.area_bytes == 64 << 20 &&
		   received_fd >= 0,
	   "video memory can be mapped");
	uint32_t *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, received_fd, 0);

	ok(!call(9, &a, 16, -1, &a, sizeof(a)) && a.value == 0x233510de,
	   "configuration space can be read");
	a.offset = 4;
	a.value = 6;
	ok(!call(10, &a, 20, -1, NULL, 0), "configuration space can be written");
	a = (__typeof__(a)){4, 2, 4, 0xcafe};
	ok(!call(10, &a, 20, -1, NULL, 0) && map != MAP_FAILED && map[1] == 0xcafe,
	   "a word written to video memory is visible through the mapping");
	munmap(map, 4096);
	close(received_fd);
}

static void machine_memory(void)
{
	int fd = memfd_create("machine", MFD_CLOEXEC);
	struct {
		uint32_t argsz, flags;
		uint64_t offset, address, bytes;
	} map = {32, 3, 0, 0x40000000, 8192};
	struct {
		uint32_t argsz, flags;
		uint64_t address, bytes;
	} unmap = {24, 0, 0x40000000, 8192};

	if (ftruncate(fd, 8192))
		diag("no memory");
	ok(!call(2, &map, 32, fd, NULL, 0), "DMA_MAP maps memory by descriptor");
	ok(call(2, &map, 32, fd, NULL, 0) == EEXIST, "a second DMA_MAP of the same range fails");
	ok(!call(3, &unmap, 24, -1, NULL, 0) && call(3, &unmap, 24, -1, NULL, 0) == ENOENT,
	   "DMA_UNMAP succeeds exactly once");
	map.bytes = 12288;
	ok(call(2, &map, 32, fd, NULL, 0) == EINVAL,
	   "DMA_MAP of more than the file has is rejected: access would be a SIGBUS");
	map.bytes = 8192;
	map.offset = 4096;
	ok(call(2, &map, 32, fd, NULL, 0) == EINVAL,
	   "DMA_MAP beyond the end of the file is rejected");
	ok(call(2, &map, 32, line, NULL, 0) == EINVAL, "DMA_MAP of a socket is rejected");
	close(fd);
}

static void invalid_messages(void)
{
	struct {
		uint64_t offset;
		uint32_t region, count;
	} a = {(16 << 20) - 3, 0, 4};

	ok(call(9, &a, 16, -1, NULL, 0) == EINVAL, "a read beyond the end of a region is rejected");
	a = (__typeof__(a)){0, 1, 4};
	ok(call(9, &a, 16, -1, NULL, 0) == EINVAL,
	   "a read of a region that does not exist is rejected");
	a = (__typeof__(a)){UINT64_MAX, 7, 4};
	ok(call(9, &a, 16, -1, NULL, 0) == EINVAL, "a read whose offset wraps is rejected");
	ok(call(9, &a, 15, -1, NULL, 0) == EINVAL, "a message with a short body is rejected");
	ok(call(6, &a, 16, -1, NULL, 0) == EINVAL, "an unknown command is rejected");
}

/* ---- descriptors ---- */

static int open_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* Sends bytes with `count` copies of a descriptor. */
static bool send_with(const void *data, size_t bytes, int fd, uint32_t count)
{
	union {
		char bytes[CMSG_SPACE(64 * sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct iovec part = {(void *)data, bytes};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = CMSG_SPACE(count * sizeof(int))};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(count * sizeof(int));
	for (uint32_t i = 0; i < count; i++)
		memcpy(CMSG_DATA(c) + i * sizeof(int), &fd, sizeof(fd));
	return sendmsg(line, &m, MSG_NOSIGNAL) == (ssize_t)bytes;
}

/* DMA_MAP takes one descriptor at most, so that a message with several is rejected as a whole. */
static const struct {
	struct vfio_header h;
	uint32_t argsz, flags;
	uint64_t offset, address, bytes;
} several = {{.id = 5, .command = 2, .bytes = 48}, 32, 3, 0, 0x40000000, 8192};

static void descriptors_in_parts(void)
{
	const uint8_t *bytes = (const uint8_t *)&several;
	int fd = memfd_create("machine", MFD_CLOEXEC), before = open_descriptors();
	struct vfio_header reply = {0};
	bool sent = send_with(bytes, 1, fd, 2) && send_with(bytes + 1, 10, fd, 3) &&
		    send_with(bytes + 11, 20, fd, 4) && send_with(bytes + 31, 17, fd, 7);

	ok(sent && recv(line, &reply, sizeof(reply), 0) == sizeof(reply) && reply.error == EINVAL,
	   "a message with 16 descriptors, sent in four parts, is received");
	ok(open_descriptors() == before, "descriptors that come in parts are all closed");
	close(fd);
}

static int serve_again(pthread_t *thread, int *end)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -1;
	line = pair[0];
	*end = pair[1];
	return pthread_create(thread, NULL, serve, end);
}

/* Sends the message in two parts with descriptors and closes the connection. */
static void lost_descriptors(uint32_t first, uint32_t second, size_t bytes, int status,
			     const char *name)
{
	int fd = memfd_create("machine", MFD_CLOEXEC), before = open_descriptors(), end;
	uint64_t refusals = card_refusals(card);
	pthread_t thread;

	if (serve_again(&thread, &end)) {
		ok(false, "%s: no connection", name);
		return;
	}
	bool sent = send_with(&several, 1, fd, first) &&
		    (!second || send_with((const uint8_t *)&several + 1, bytes - 1, fd, second));

	shutdown(line, SHUT_WR);
	pthread_join(thread, NULL);
	close(line);
	ok(sent && serve_status == status && card_refusals(card) - refusals == (status == -E2BIG),
	   "%s end the connection", name);
	ok(open_descriptors() == before, "%s are closed", name);
	close(fd);
}

int main(void)
{
	FILE *log_file = fopen("/dev/null", "w");
	char why[200];
	int pair[2];
	pthread_t thread;

	card = card_create(
		&(struct card_options){.chip = "gh100", .vram_bytes = 64 << 20, .log = log_file},
		why, sizeof(why));
	if (!ok(card && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair),
		"a card and a socket pair are created"))
		return tap_done();
	line = pair[0];
	pthread_create(&thread, NULL, serve, &pair[1]);
	handshake();
	regions();
	machine_memory();
	invalid_messages();
	descriptors_in_parts();
	ok(card_refusals(card) == 12, "every invalid message is counted as a refusal");
	struct vfio_header bad = {.bytes = 3};

	ok(write(line, &bad, sizeof(bad)) == sizeof(bad), "a message of invalid size is sent");
	pthread_join(thread, NULL);
	ok(serve_status == -EPROTO, "a message of invalid size ends the connection");
	close(line);
	lost_descriptors(17, 0, 1, -E2BIG, "17 descriptors with one byte");
	lost_descriptors(16, 1, 48, -E2BIG, "17 descriptors in two parts");
	lost_descriptors(64, 0, 1, -E2BIG, "64 descriptors with one byte");
	lost_descriptors(3, 0, 1, -EPIPE, "descriptors of a header that never becomes complete");
	lost_descriptors(3, 4, 47, -EPIPE, "descriptors of a body that never becomes complete");
	card_destroy(card);
	fclose(log_file);
	return tap_done();
}
