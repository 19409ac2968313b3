/* SPDX-License-Identifier: MIT */
/*
 * The machine is sent to sleep, for a few seconds and as far as drivers see it (/sys/power/pm_test), or the card sleeps by
 * itself while the machine is awake.
 *   _sleep busy           a queue has work: EBUSY, and the work goes on
 *   _sleep idle           a file is open and nothing is made: it sleeps and wakes up, and the same file can be used
 *   _sleep passed FOLDER  a buffer in video memory outlives its file: the card, a folder of sysfs, does not sleep by itself
 *   _sleep hurry          processes open it, use it and let it go, so that it falls asleep and wakes up in their midst
 */
#include <sys/wait.h>

#include "tests/userspace/kselftest/queue.h"

enum { PROCESSES = 3, ROUNDS = 8 };

/* 0 or a negative errno. */
static int sleep_now(void)
{
	int fd = open("/sys/power/state", O_WRONLY);
	int status = fd < 0 || write(fd, "freeze", 6) != 6 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return status;
}

static void busy(void)
{
	struct machine m;

	if (!machine_open(&m, COPY))
		return;
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m.fd), 0};
	volatile uint64_t *flag = (volatile uint64_t *)(m.memory + MIB);
	struct stream s = at(&m, 0);

	queue_destroy(m.fd, m.queue);
	queue_create(m.fd, m.group, COPY, 16, 10000, &m.queue);
	add_acquire(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = job_of(&m, &s);

	ok(!submit(m.fd, m.queue, &job, 1, &done, 1), "a queue has work");
	ok(sleep_now() == -EBUSY, "sleep is refused: EBUSY");
	*flag = 1;
	ok(!wait_for(m.fd, done.handle, 0, 20) && !queue_state(m.fd, m.queue).state,
	   "the work goes on and ends");
	machine_close(&m);
}

static void idle(void)
{
	int fd = open_device();
	uint32_t vm, buffer;
	int status = sleep_now();

	ok(!status, "with nothing on the card the machine sleeps and wakes up");
	diag("%s", strerror(-status));
	ok(!vm_create(fd, &vm) && !create(fd, VRAM, MIB, MAPPABLE, &buffer),
	   "whoever had it open goes on");
	uint8_t *memory = map(fd, buffer, MIB);

	ok(memory != MAP_FAILED && !memory[0] && !memory[MIB - 1],
	   "memory that it hands out is zero");
	ok(sleep_now() == -EBUSY, "and is a reason not to sleep: EBUSY");
	munmap(memory, MIB);
	close(fd);
}

static bool sleeps(const char *card, int seconds)
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

static void passed(const char *card)
{
	int fd = open_device();
	uint32_t vram;

	ok(!create(fd, VRAM, MIB, MAPPABLE, &vram), "there is a buffer");
	int file = prime_export(fd, vram);

	close(fd);
	uint32_t *memory = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	if (ok(file >= 0 && memory != MAP_FAILED, "it outlives its file")) {
		*memory = 0x600df00d;
		ok(!sleeps(card, 3),
		   "the card does not sleep by itself as long as somebody has it");
		ok(*memory == 0x600df00d, "what is in it stays there");
		munmap(memory, MIB);
	}
	close(file);
	ok(sleeps(card, 60), "afterwards it does");
}

static void hurry(void)
{
	int good = 0, status;

	for (int i = 0; i < PROCESSES; i++)
		if (!fork()) {
			bool fine = true;

			for (int round = 0; round < ROUNDS && fine; round++) {
				int fd = open_device();
				uint32_t vm, vram;

				fine = !vm_create(fd, &vm) && !create(fd, VRAM, MIB, 0, &vram) &&
				       !vm_map(fd, vm, vram, 0, GIB, MIB);
				close(fd);
				usleep((useconds_t)(7 * i + round) * 10000);
			}
			_exit(!fine);
		}
	while (wait(&status) > 0)
		good += WIFEXITED(status) && !WEXITSTATUS(status);
	ok(good == PROCESSES, "processes that come and go wake it up each time");
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "busy"))
		busy();
	else if (argc == 2 && !strcmp(argv[1], "idle"))
		idle();
	else if (argc == 3 && !strcmp(argv[1], "passed"))
		passed(argv[2]);
	else if (argc == 2 && !strcmp(argv[1], "hurry"))
		hurry();
	else
		ok(false, "busy, idle, passed FOLDER or hurry");
	return tap_done();
}
