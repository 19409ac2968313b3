// SPDX-License-Identifier: MIT
/* The socket of sovgpu-model: it replaces a socket that a process left behind, and nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

static char folder[] = "/tmp/sov-socket.XXXXXX", path[64], other[64];
static pid_t model;
static FILE *messages;

static void start_model(void)
{
	char program[512];
	const char *build = getenv("BUILD");

	snprintf(program, sizeof(program), "%s/sovgpu-model", build ? build : "build");
	messages = tmpfile();
	model = messages ? fork() : -1;
	if (model)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* if the test dies */
	dup2(fileno(messages), STDERR_FILENO);
	execl(program, program, "--chip", "gh100", "--vram", "16", "--socket", path, NULL);
	_exit(127);
}

/* Waits for the model to exit, and compares its status and the end of its messages. */
static bool model_ends(int status, const char *message)
{
	char text[1024];
	size_t length;
	int got;

	waitpid(model, &got, 0);
	rewind(messages);
	length = fread(text, 1, sizeof(text) - 1, messages);
	text[length] = 0;
	fclose(messages);
	if (WIFEXITED(got) && WEXITSTATUS(got) == status && length >= strlen(message) &&
	    !strcmp(text + length - strlen(message), message))
		return true;
	diag("status %d, messages: %s", WIFEXITED(got) ? WEXITSTATUS(got) : -1, text);
	return false;
}

static int bound_socket(const char *name, bool listening)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	strcpy(a.sun_path, name);
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) || (listening && listen(fd, 5)))
		diag("%s: %s", name, strerror(errno));
	return fd;
}

/* Connects as soon as the model listens. */
static int connect_to(const char *name)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(a.sun_path, name);
	while (connect(fd, (struct sockaddr *)&a, sizeof(a)) &&
	       (errno == ENOENT || errno == ECONNREFUSED))
		usleep(1000);
	return fd;
}

static bool model_refuses(const char *reason)
{
	char message[256];

	snprintf(message, sizeof(message), "sovgpu-model: socket '%s': %s\n", path, reason);
	start_model();
	return model_ends(2, message);
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	if (f)
		fputs(text, f);
	if (!f || fclose(f))
		diag("%s: %s", name, strerror(errno));
}

static bool file_is(const char *name, const char *text)
{
	char got[64] = "";
	FILE *f = fopen(name, "r");

	if (f) {
		got[fread(got, 1, sizeof(got) - 1, f)] = 0;
		fclose(f);
	}
	return f && !strcmp(got, text);
}

static void kept_files(void)
{
	const char *reason = "the file exists and is no socket; name another, or remove it";
	struct stat st;

	write_file(path, "precious");
	ok(model_refuses(reason) && file_is(path, "precious"),
	   "sovgpu-model keeps a regular file at the socket's path");
	rename(path, other);
	ok(!symlink(other, path) && model_refuses(reason) && !lstat(path, &st) &&
		   S_ISLNK(st.st_mode) && file_is(other, "precious"),
	   "sovgpu-model keeps a symbolic link at the socket's path, and its target");
	unlink(path);
	ok(!mkfifo(path, 0600) && model_refuses(reason) && !lstat(path, &st) &&
		   S_ISFIFO(st.st_mode),
	   "sovgpu-model keeps a FIFO at the socket's path");
	unlink(path);
	unlink(other);
}

static void live_socket(void)
{
	const char *reason = "another process uses it; name another, or end that process";
	int listener = bound_socket(path, true);
	struct stat st;

	ok(model_refuses(reason) && !lstat(path, &st) && S_ISSOCK(st.st_mode),
	   "sovgpu-model keeps a socket that another process listens on");
	ok(accept(listener, NULL, NULL) < 0 && errno == EAGAIN,
	   "the process that listens gets no connection by that");
	close(listener);
}

static void stale_socket(void)
{
	struct stat st = {0};
	int line;

	start_model(); /* live_socket() left its file */
	line = connect_to(path);
	close(line);
	ok(model_ends(0, "sovgpu-model: 0 refused\n"), "sovgpu-model replaces a stale socket");
	ok(lstat(path, &st) && errno == ENOENT, "sovgpu-model removes its socket");
}

static void moved_socket(void)
{
	struct stat st = {0};
	int line;

	umask(0);
	start_model();
	while (lstat(path, &st))
		usleep(1000);
	ok((st.st_mode & 0777) == 0600, "only the user of sovgpu-model can connect to its socket");
	rename(path, other);
	write_file(path, "precious");
	line = connect_to(other);
	close(line);
	ok(model_ends(0, "sovgpu-model: 0 refused\n") && file_is(path, "precious"),
	   "sovgpu-model keeps a file that took the place of its socket");
	unlink(path);
	unlink(other);
}

int main(void)
{
	alarm(100);
	if (!ok(mkdtemp(folder), "a folder for sockets is created"))
		return tap_done();
	snprintf(path, sizeof(path), "%s/socket", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
	kept_files();
	live_socket();
	stale_socket();
	moved_socket();
	rmdir(folder);
	return tap_done();
}
