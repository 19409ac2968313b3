/* SPDX-License-Identifier: MIT */
/*
 * Processes that have work in flight, and never the same descriptor for long: each duplicates its file, hands it to a
 * child that was forked meanwhile, or sends it to the next over a socket, and submits more. They end when the card has
 * gone for all of them, or when they are killed. Says "ready" once all have work in flight, which is when they begin with
 * that, and "over" when all have ended; what becomes of any call is all the same, that they end is what counts.
 */
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "tests/userspace/kselftest/queue.h"

#define PROCESSES 2

static void send_file(int to, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec byte = {"x", 1};
	struct msghdr m = {.msg_iov = &byte,
			   .msg_iovlen = 1,
			   .msg_control = control.bytes,
			   .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	sendmsg(to, &m, MSG_DONTWAIT);
}

/* The file of another process, if one was sent; it is closed, perhaps as its last user. */
static void take_file(int from)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	char x;
	struct iovec byte = {&x, 1};
	struct msghdr m = {.msg_iov = &byte,
			   .msg_iovlen = 1,
			   .msg_control = control.bytes,
			   .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *c;
	int fd;

	if (recvmsg(from, &m, MSG_DONTWAIT) <= 0)
		return;
	c = CMSG_FIRSTHDR(&m);
	if (!c)
		return;
	memcpy(&fd, CMSG_DATA(c), sizeof(int));
	free_vram(fd);
	close(fd);
}

/* Work that does not end by itself: in the buffer's flag stands another value. */
static int begin(struct machine *m)
{
	struct stream s = at(m, 0);

	add_acquire(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = job_of(m, &s);

	return submit(m->fd, m->queue, &job, 1, NULL, 0);
}

static bool open_all(struct machine *m)
{
	*m = (struct machine){.fd = open_device()};
	create(m->fd, SYSTEM, BUFFER_BYTES, MAPPABLE, &m->buffer);
	m->memory = map(m->fd, m->buffer, BUFFER_BYTES);
	return m->memory != MAP_FAILED && !vm_create(m->fd, &m->vm) &&
	       !vm_map(m->fd, m->vm, m->buffer, 0, BUFFER_VA, BUFFER_BYTES) &&
	       !group_create(m->fd, m->vm, &m->group) &&
	       !queue_create(m->fd, m->group, COPY, 64, 10000, &m->queue) && !begin(m);
}

static void live(int socket, int ready, int go)
{
	struct machine m;
	uint32_t id;
	char x;

	signal(SIGBUS, SIG_DFL);
	signal(SIGCHLD, SIG_IGN); /* nobody waits for the forked ones */
	if (open_all(&m) && write(ready, "x", 1) != 1)
		_exit(1);
	close(ready);
	if (read(go, &x, 1)) /* nothing comes, and that ends when all are ready */
		_exit(1);
	for (int i = 0;
	     query(m.fd, DRM_SOVGPU_DEV_QUERY_DEVICE, 0, NULL, NULL) != -ENODEV && i < 100000;
	     i++) {
		int second = dup(m.fd);

		/* While the queue has room, or one would wait for that. */
		if (i < 60)
			begin(&m);
		send_file(socket, m.fd);
		close(m.fd);
		m.fd = second;
		take_file(socket);
		if (!create(m.fd, VRAM, VRAM_PAGE, MAPPABLE, &id) &&
		    vm_map(m.fd, m.vm, id, 0, 3 * GIB, VRAM_PAGE) == -ENODEV)
			break;
		forget(m.fd, id);
		if (i % 4 == 0 && !fork()) {
			/* A child that has the file, too, and goes when it likes. */
			usleep((useconds_t)(i % 7) * 1000);
			_exit(vm_unmap(m.fd, m.vm, 3 * GIB, VRAM_PAGE));
		}
		usleep(1000); /* others want to run, too */
	}
	_exit(0);
}

int main(void)
{
	int ready[2], go[2], ring[2], count = 0;
	char x;

	if (pipe(ready) || pipe(go) || socketpair(AF_UNIX, SOCK_DGRAM, 0, ring))
		return 1;
	for (int i = 0; i < PROCESSES; i++)
		if (!fork()) {
			close(ready[0]);
			close(go[1]);
			live(ring[i % 2], ready[1], go[0]);
		}
	close(ready[1]);
	close(ring[0]);
	close(ring[1]);
	while (count < PROCESSES && read(ready[0], &x, 1) == 1)
		count++;
	close(go[1]);
	printf("ready: %d of %d have work in flight\n", count, PROCESSES);
	fflush(stdout);
	while (wait(NULL) > 0)
		;
	puts("over");
	return count == PROCESSES ? 0 : 1;
}
