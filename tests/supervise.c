// SPDX-License-Identifier: MIT
/*
 * Runs the commands of a test plan, JOBS at a time, for tests/run. A line of the plan is the path
 * of a log and the words of a command. A log begins with the command and ends with its exit status;
 * a log without that last line belongs to a command that did not end.
 *
 * Limits do not depend on how busy the machine is. A livelock is stopped when its session has used
 * TEST_CPU_SECONDS of CPU time, a deadlock when its session has used less than a hundredth of
 * TEST_IDLE_SECONDS for that long, which is also true of one that polls now and then.
 * TEST_WALL_SECONDS is the last resort for a command that waits forever and polls often. SIGTERM
 * comes first, so that a command can report its state, and SIGKILL five seconds later. Processes
 * that a command leaves behind are killed.
 *
 * Once a minute a line on standard error names the commands that run, and so does an interrupt.
 *
 * Each command is a session, because shells and timeout(1) create process groups of their own.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE_SECONDS 5 /* between SIGTERM and SIGKILL */
#define MAX_WORDS     64

struct job {
	pid_t session; /* 0: the slot is free */
	int log;
	char name[96];           /* the end of the command's last word */
	double start, progress;  /* times of the start and of the last progress */
	double term;             /* time of SIGTERM; 0: not sent */
	uint64_t ticks;          /* CPU time at the last sample, in clock ticks */
	uint64_t progress_ticks; /* CPU time at the last progress */
	char why[96];            /* the limit that was exceeded */
};

static struct job *jobs;
static long job_count, cpu_seconds, idle_seconds, wall_seconds, ticks_per_second;
static long ended_count, plan_count;

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *fmt, ...)
{
	va_list ap;

	fputs("supervise: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

static long positive_number(const char *name, long fallback)
{
	const char *text = getenv(name);
	char *end;

	if (!text || !*text)
		return fallback;
	errno = 0;
	long value = strtol(text, &end, 10);

	if (errno || *end || value < 1 || value > 100000000)
		die("%s is '%s'; it must be a number from 1 to 100000000", name, text);
	return value;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Reads /proc/PID/stat: the session, and CPU time with that of children that were waited for.
 * Returns false for zombies and processes that have gone. */
static bool process_stat(const char *pid, pid_t *session, uint64_t *ticks)
{
	char path[64], text[1024];
	unsigned long long user, system, child_user, child_system;
	char state;
	int id;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	const char *after_name = strrchr(text, ')');

	if (!after_name ||
	    sscanf(after_name + 1, " %c %*d %*d %d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu",
		   &state, &id, &user, &system, &child_user, &child_system) != 6 ||
	    state == 'Z')
		return false;
	*session = id;
	*ticks = user + system + child_user + child_system;
	return true;
}

/* Calls `visit` for every process of a running job's session. */
static void each_process(void (*visit)(struct job *j, pid_t pid, uint64_t ticks, void *data),
			 void *data)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	uint64_t ticks;
	pid_t session;

	if (!proc)
		die("/proc is not readable (%s); mount it: mount -t proc proc /proc",
		    strerror(errno));
	while ((entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !process_stat(entry->d_name, &session, &ticks))
			continue;
		for (long i = 0; i < job_count; i++)
			if (jobs[i].session && jobs[i].session == session)
				visit(&jobs[i], atoi(entry->d_name), ticks, data);
	}
	closedir(proc);
}

struct signal_request {
	const struct job *job;
	int number;
	long sent;
};

static void signal_process(struct job *j, pid_t pid, uint64_t ticks, void *data)
{
	struct signal_request *r = data;

	(void)ticks;
	if (j == r->job && !kill(pid, r->number))
		r->sent++;
}

static long signal_session(const struct job *j, int number)
{
	struct signal_request r = {j, number, 0};

	each_process(signal_process, &r);
	return r.sent;
}

/* Kills a session: again until a scan finds no process, because processes may fork during a scan.
 * Its leader has not been waited for, so that no other process can have its number. */
static void kill_session(const struct job *j)
{
	for (int i = 0; i < 100 && signal_session(j, SIGKILL); i++)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Copies the first line of a file of /proc. */
static void read_line(char *to, size_t size, const char *format, int pid, const char *task)
{
	char path[96];

	snprintf(path, sizeof(path), format, pid, task);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, to, size - 1);

	if (fd >= 0)
		close(fd);
	to[n > 0 ? n : 0] = 0;
	to[strcspn(to, "\n")] = 0;
}

/* Writes to the log what each thread of a process waits for: the system call and its arguments. */
static void describe_threads(struct job *j, pid_t pid, uint64_t ticks, void *data)
{
	char path[64], name[64], call[256];
	struct dirent *entry;

	if (j != data)
		return;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *tasks = opendir(path);

	while (tasks && (entry = readdir(tasks))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		read_line(name, sizeof(name), "/proc/%d/task/%.20s/comm", pid, entry->d_name);
		read_line(call, sizeof(call), "/proc/%d/task/%.20s/syscall", pid, entry->d_name);
		dprintf(j->log, "# process %d, %.2f s CPU, thread %s %s: system call %s\n", pid,
			ticks / (double)ticks_per_second, entry->d_name, name, call);
	}
	if (tasks)
		closedir(tasks);
}

static void add_ticks(struct job *j, pid_t pid, uint64_t ticks, void *data)
{
	(void)pid;
	(void)data;
	j->ticks += ticks;
}

/* Takes a sample of every job's CPU time and stops the jobs that exceed a limit. */
static void enforce_limits(void)
{
	for (long i = 0; i < job_count; i++)
		jobs[i].ticks = 0;
	each_process(add_ticks, NULL);
	double t = now();
	uint64_t least = idle_seconds * ticks_per_second / 100;

	for (long i = 0; i < job_count; i++) {
		struct job *j = &jobs[i];

		if (!j->session)
			continue;
		/* The time of an orphan that init waited for is lost, so the sum may also fall. */
		if (j->ticks > j->progress_ticks + least || j->ticks < j->progress_ticks) {
			j->progress = t;
			j->progress_ticks = j->ticks;
		}
		if (j->term) {
			if (t - j->term > GRACE_SECONDS)
				signal_session(j, SIGKILL);
			continue;
		}
		if (j->ticks > (uint64_t)(cpu_seconds * ticks_per_second))
			snprintf(j->why, sizeof(j->why), "used more than %ld s of CPU time",
				 cpu_seconds);
		else if (t - j->progress > idle_seconds)
			snprintf(j->why, sizeof(j->why),
				 "used less than %.2f s of CPU time in %ld s", idle_seconds / 100.0,
				 idle_seconds);
		else if (t - j->start > wall_seconds)
			snprintf(j->why, sizeof(j->why), "ran for more than %ld s", wall_seconds);
		else
			continue;
		j->term = t;
		each_process(describe_threads, j);
		signal_session(j, SIGTERM);
	}
}

/* Starts the command of one line of the plan. */
static void start(struct job *j, char *line)
{
	char *words[MAX_WORDS + 1], *save;
	int n = 0;

	for (char *w = strtok_r(line, " \n", &save); w; w = strtok_r(NULL, " \n", &save)) {
		if (n == MAX_WORDS)
			die("a command of the plan has more than %d words", MAX_WORDS - 1);
		words[n++] = w;
	}
	words[n] = NULL;
	if (n < 2)
		die("line '%s' of the plan is not a log and a command", n ? words[0] : "");
	*j = (struct job){.start = now(), .progress = now()};
	size_t length = strlen(words[n - 1]), most = sizeof(j->name) - 1;

	snprintf(j->name, sizeof(j->name), "%s",
		 words[n - 1] + (length > most ? length - most : 0));
	j->log = open(words[0], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	if (j->log < 0)
		die("cannot write log %s: %s", words[0], strerror(errno));
	dprintf(j->log, "#");
	for (int i = 1; i < n; i++)
		dprintf(j->log, " %s", words[i]);
	dprintf(j->log, "\n");

	pid_t parent = getpid();

	j->session = fork();
	if (j->session < 0)
		die("cannot start %s: fork: %s", words[1], strerror(errno));
	if (j->session)
		return;
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || setsid() < 0 || dup2(j->log, 1) < 0 || dup2(j->log, 2) < 0)
		_exit(126);
	close(0);
	open("/dev/null", O_RDONLY);
	execvp(words[1], words + 1);
	dprintf(2, "%s: %s\n", words[1], strerror(errno));
	_exit(127);
}

/* Completes the logs of the commands that have exited. */
static void finish_jobs(void)
{
	for (long i = 0; i < job_count; i++) {
		struct job *j = &jobs[i];
		siginfo_t ended = {0};
		struct rusage used;
		int status;

		if (!j->session || waitid(P_PID, j->session, &ended, WEXITED | WNOHANG | WNOWAIT) ||
		    !ended.si_pid)
			continue;
		kill_session(j);
		wait4(j->session, &status, 0, &used);
		double cpu = used.ru_utime.tv_sec + used.ru_stime.tv_sec +
			     (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
		int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

		if (signal_number && !j->why[0])
			snprintf(j->why, sizeof(j->why), "was killed by signal %d (%s)",
				 signal_number, strsignal(signal_number));
		dprintf(j->log, "\n# exit %d after %.0f s, %.1f s CPU%s%s\n",
			signal_number ? 128 + signal_number : WEXITSTATUS(status), now() - j->start,
			cpu, j->why[0] ? ": " : "", j->why);
		close(j->log);
		j->session = 0;
		ended_count++;
	}
}

/* Says on standard error which commands run. */
static void report_running(void)
{
	fprintf(stderr, "tests: %ld of %ld ended; running:", ended_count, plan_count);
	for (long i = 0; i < job_count; i++)
		if (jobs[i].session)
			fprintf(stderr, " %s (%.0f s, %.0f s CPU)", jobs[i].name,
				now() - jobs[i].start, jobs[i].ticks / (double)ticks_per_second);
	fputc('\n', stderr);
}

static long count_lines(FILE *file)
{
	long n = 0;

	for (int c; (c = getc(file)) != EOF;)
		n += c == '\n';
	rewind(file);
	return n;
}

int main(int argc, char **argv)
{
	static const int handled[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
	const struct timespec second = {.tv_sec = 1};
	size_t capacity = 0;
	char *line = NULL;
	bool more = true;
	sigset_t set;

	if (argc != 2)
		die("usage: supervise PLAN; environment: JOBS TEST_CPU_SECONDS TEST_IDLE_SECONDS "
		    "TEST_WALL_SECONDS");
	FILE *plan = fopen(argv[1], "re");

	if (!plan)
		die("cannot read plan %s: %s", argv[1], strerror(errno));
	job_count = positive_number("JOBS", sysconf(_SC_NPROCESSORS_ONLN));
	cpu_seconds = positive_number("TEST_CPU_SECONDS", 600);
	idle_seconds = positive_number("TEST_IDLE_SECONDS", 120);
	wall_seconds = positive_number("TEST_WALL_SECONDS", 1800);
	ticks_per_second = sysconf(_SC_CLK_TCK);
	jobs = calloc(job_count, sizeof(*jobs));
	if (!jobs)
		die("no memory for %ld jobs", job_count);
	plan_count = count_lines(plan);
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(handled) / sizeof(*handled); i++)
		sigaddset(&set, handled[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);

	double sample = now(), report = now();

	for (;;) {
		long running = 0;

		finish_jobs();
		for (long i = 0; i < job_count; i++) {
			if (!jobs[i].session && more &&
			    (more = getline(&line, &capacity, plan) > 0))
				start(&jobs[i], line);
			running += jobs[i].session != 0;
		}
		if (!running)
			break;
		int number = sigtimedwait(&set, NULL, &second);

		if (number > 0 && number != SIGCHLD) {
			report_running();
			for (long i = 0; i < job_count; i++)
				kill_session(&jobs[i]);
			return 128 + number;
		}
		if (now() - sample >= 1) {
			sample = now();
			enforce_limits();
		}
		if (now() - report >= 60) {
			report = now();
			report_running();
		}
	}
	free(line);
	free(jobs);
	fclose(plan);
	return 0;
}
