// SPDX-License-Identifier: MIT
/*
 * System suspend, stopped after the device phase (/sys/power/pm_test), and runtime suspend of the
 * card.
 *   _suspend busy             a queue has work: EBUSY, and the work completes
 *   _suspend idle             a file is open without objects: suspend works, the file stays usable
 *   _suspend exported FOLDER  an exported VRAM buffer outlives its file: the card, a sysfs folder,
 *                             must not runtime-suspend
 *   _suspend reopen           processes open and close the card while it suspends and resumes
 */
#include <sys/wait.h>

#include "tests/userspace/kselftest/queue.h"

enum { PROCESSES = 3, ROUNDS = 8 };

static int suspend_system(void)
{
	int fd = open("/sys/power/state", O_WRONLY);
	int status = fd < 0 || write(fd, "freeze", 6) != 6 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return status;
}

static void test_busy(void)
{
	struct fixture m;

	if (!fixture_open(&m, COPY))
		return;
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m.fd), 0};
	volatile uint64_t *flag = (volatile uint64_t *)(m.memory + MIB);
	struct stream s = stream_at(&m, 0);

	queue_destroy(m.fd, m.queue);
	queue_create(m.fd, m.group, COPY, 16, 10000, &m.queue);
	stream_acquire(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = stream_job(&m, &s);

	ok(!queue_submit(m.fd, m.queue, &job, 1, &done, 1), "a job is pending on a queue");
	ok(suspend_system() == -EBUSY, "system suspend with pending work is EBUSY");
	*flag = 1;
	ok(!syncobj_wait(m.fd, done.handle, 0, 20) && !queue_state(m.fd, m.queue).state,
	   "pending work completes after a refused suspend");
	fixture_close(&m);
}

static void test_idle(void)
{
	int fd = open_device();
	uint32_t vm, buffer;
	int status = suspend_system();

	ok(!status, "the system suspends and resumes while the card holds no objects");
	diag("%s", strerror(-status));
	ok(!vm_create(fd, &vm) && !bo_create(fd, VRAM, MIB, MAPPABLE, &buffer),
	   "a file that was open across suspend can create objects");
	uint8_t *memory = bo_map(fd, buffer, MIB);

	ok(memory != MAP_FAILED && !memory[0] && !memory[MIB - 1],
	   "VRAM allocated after resume is zero");
	ok(suspend_system() == -EBUSY, "system suspend with a VRAM buffer is EBUSY");
	munmap(memory, MIB);
	close(fd);
}

static bool runtime_suspends(const char *card, int seconds)
{
	struct timespec pause = {.tv_nsec = 100000000};
	char path[300], status[16] = "";

	snprintf(path, sizeof(path), "%s/power/runtime_status", card);
	for (int i = 0; i < 10 * seconds && strncmp(status, "suspended", 9); i++) {
		int fd = open(path, O_RDONLY);

		if (fd < 0 || read(fd, status, sizeof(status)) <= 0)
			status[0] = 0;
		close(fd);
		nanosleep(&pause, NULL);
	}
	return !strncmp(status, "suspended", 9);
}

static void test_exported(const char *card)
{
	int fd = open_device();
	uint32_t vram;

	ok(!bo_create(fd, VRAM, MIB, MAPPABLE, &vram), "a VRAM buffer is created");
	int file = prime_export(fd, vram);

	close(fd);
	uint32_t *memory = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	if (ok(file >= 0 && memory != MAP_FAILED, "an exported VRAM buffer outlives its file")) {
		*memory = 0x600df00d;
		ok(!runtime_suspends(card, 3),
		   "the card does not runtime-suspend while an exported VRAM buffer exists");
		ok(*memory == 0x600df00d, "the exported VRAM buffer keeps its contents");
		munmap(memory, MIB);
	}
	close(file);
	ok(runtime_suspends(card, 60),
	   "the card runtime-suspends after the exported buffer is closed");
}

static void test_reopen(void)
{
	int good = 0, status;

	for (int i = 0; i < PROCESSES; i++)
		if (!fork()) {
			bool fine = true;

			for (int round = 0; round < ROUNDS && fine; round++) {
				int fd = open_device();
				uint32_t vm, vram;

				fine = !vm_create(fd, &vm) && !bo_create(fd, VRAM, MIB, 0, &vram) &&
				       !vm_map(fd, vm, vram, 0, GIB, MIB);
				close(fd);
				usleep((useconds_t)(7 * i + round) * 10000);
			}
			_exit(!fine);
		}
	while (wait(&status) > 0)
		good += WIFEXITED(status) && !WEXITSTATUS(status);
	ok(good == PROCESSES, "every open by concurrent processes resumes the card");
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "busy"))
		test_busy();
	else if (argc == 2 && !strcmp(argv[1], "idle"))
		test_idle();
	else if (argc == 3 && !strcmp(argv[1], "exported"))
		test_exported(argv[2]);
	else if (argc == 2 && !strcmp(argv[1], "reopen"))
		test_reopen();
	else
		ok(false, "usage: _suspend busy | idle | exported FOLDER | reopen");
	return tap_done();
}
