// SPDX-License-Identifier: MIT
/*
 * Processes with work in flight that keep changing descriptors: each duplicates its file, passes it
 * to a forked child, or sends it to another process over a socket, and submits more work. They exit
 * when the card is gone for all of them, or when they are killed. Prints "ready" once all have work
 * in flight and "over" when all have exited. Results of calls do not matter; the processes must
 * exit.
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

/* Receives a file of another process, if one was sent, and closes it, perhaps as its last user. */
static void receive_and_close_file(int from)
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
	free_vram_bytes(fd);
	close(fd);
}

/* A job that waits for a value which is never written. */
static int submit_endless_job(struct fixture *m)
{
	struct stream s = stream_at(m, 0);

	stream_acquire(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = stream_job(m, &s);

	return queue_submit(m->fd, m->queue, &job, 1, NULL, 0);
}

static bool open_and_submit(struct fixture *m)
{
	*m = (struct fixture){.fd = open_device()};
	bo_create(m->fd, SYSTEM, BUFFER_BYTES, MAPPABLE, &m->buffer);
	m->memory = bo_map(m->fd, m->buffer, BUFFER_BYTES);
	return m->memory != MAP_FAILED && !vm_create(m->fd, &m->vm) &&
	       !vm_map(m->fd, m->vm, m->buffer, 0, BUFFER_VA, BUFFER_BYTES) &&
	       !group_create(m->fd, m->vm, &m->group) &&
	       !queue_create(m->fd, m->group, COPY, 64, 10000, &m->queue) && !submit_endless_job(m);
}

static void run_client(int socket, int ready, int go)
{
	struct fixture m;
	uint32_t id;
	char x;

	signal(SIGBUS, SIG_DFL);
	signal(SIGCHLD, SIG_IGN); /* forked children are reaped automatically */
	if (open_and_submit(&m) && write(ready, "x", 1) != 1)
		_exit(1);
	close(ready);
	if (read(go, &x, 1)) /* returns 0 (end of file) when all clients are ready */
		_exit(1);
	for (int i = 0;
	     dev_query(m.fd, DRM_SOVGPU_DEV_QUERY_DEVICE, 0, NULL, NULL) != -ENODEV && i < 100000;
	     i++) {
		int second = dup(m.fd);

		/* Only while the ring has room: a full ring would block. */
		if (i < 60)
			submit_endless_job(&m);
		send_file(socket, m.fd);
		close(m.fd);
		m.fd = second;
		receive_and_close_file(socket);
		if (!bo_create(m.fd, VRAM, VRAM_PAGE, MAPPABLE, &id) &&
		    vm_map(m.fd, m.vm, id, 0, 3 * GIB, VRAM_PAGE) == -ENODEV)
			break;
		bo_close(m.fd, id);
		if (i % 4 == 0 && !fork()) {
			/* A child that shares the file and exits at its own time. */
			usleep((useconds_t)(i % 7) * 1000);
			_exit(vm_unmap(m.fd, m.vm, 3 * GIB, VRAM_PAGE));
		}
		usleep(1000); /* let other processes run */
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
			run_client(ring[i % 2], ready[1], go[0]);
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
