// SPDX-License-Identifier: MIT
/* Runs a program with environment variables of ours, and waits for it. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/program.h"

int run_program(const struct verb *v, char **argv, const struct variable *variables, pid_t *child)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;
	int status = 0;

	/* SIGINT and SIGQUIT of the terminal stop the program, not sov. */
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGQUIT, &ignore, &old_quit);
	fflush(NULL);
	*child = fork();
	if (!*child) {
		sigaction(SIGINT, &old_int, NULL);
		sigaction(SIGQUIT, &old_quit, NULL);
		for (; variables->name; variables++)
			setenv(variables->name, variables->value, 1);
		execvp(argv[0], argv);
		status = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
		report_error(v, "cannot run '%s': %s", argv[0], strerror(errno));
		_exit(status);
	}
	if (*child < 0) {
		report_error(v, "cannot run '%s': %s", argv[0], strerror(errno));
		status = EXIT_NOT_EXECUTABLE << 8;
	}
	while (*child > 0 && waitpid(*child, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	if (WIFSIGNALED(status))
		report_error(v, "signal %d (%s) terminated '%s'", WTERMSIG(status),
			     strsignal(WTERMSIG(status)), argv[0]);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool remove_old_file(const struct verb *v, const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return true;
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) {
		report_error(v, "cannot write '%s': not a regular file", path);
		return false;
	}
	if (!unlink(path))
		return true;
	report_error(v, "cannot replace '%s': %s", path, strerror(errno));
	return false;
}
