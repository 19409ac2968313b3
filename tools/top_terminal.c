// SPDX-License-Identifier: MIT
/*
 * The terminal of sov top: another screen, without a cursor, and keys without Enter and echo. Every
 * way out gives the terminal back as it was: a quit, signals that end or stop the program, and
 * errors. The signals are blocked but while top_terminal_wait() waits, so that none can arrive
 * between a look at it and the wait. What is written to standard error meanwhile, by the library
 * too, would be lost with the screen: it is held in a file and printed behind it.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include "tools/tool.h"
#include "tools/top_screen.h"

static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH};
#define SIGNALS (sizeof(signals) / sizeof(*signals))

static volatile sig_atomic_t arrived[SIGNALS];
static struct termios before;
static sigset_t mask; /* of the program before */
static int held = -1, standard_error = -1;

static void note_signal(int number)
{
	for (size_t i = 0; i < SIGNALS; i++)
		if (signals[i] == number)
			arrived[i] = 1;
}

/* Whether the signal arrived since the last call; the caller handles it. */
static bool take_signal(int number)
{
	for (size_t i = 0; i < SIGNALS; i++)
		if (signals[i] == number && arrived[i]) {
			arrived[i] = 0;
			return true;
		}
	return false;
}

static void hold_errors(void)
{
	if (!isatty(STDERR_FILENO))
		return;
	held = memfd_create("sov top: standard error", MFD_CLOEXEC);
	standard_error = dup(STDERR_FILENO);
	if (held >= 0 && standard_error >= 0)
		dup2(held, STDERR_FILENO);
}

static void print_held_errors(void)
{
	char text[4096];
	off_t at = 0;
	ssize_t n;

	if (held >= 0 && standard_error >= 0) {
		dup2(standard_error, STDERR_FILENO);
		for (; (n = pread(held, text, sizeof(text), at)) > 0; at += n)
			if (write(STDERR_FILENO, text, (size_t)n) != n)
				break;
	}
	if (held >= 0)
		close(held);
	if (standard_error >= 0)
		close(standard_error);
	held = standard_error = -1;
}

static void enter_screen(void)
{
	struct termios keys = before;

	keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	keys.c_cc[VMIN] = 1;
	keys.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &keys);
	printf("\033[?1049h\033[?25l");
	hold_errors();
}

static void leave_screen(void)
{
	printf("\033[?25h\033[?1049l");
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
	print_held_errors();
}

/* Does to the process what the signal does by default, now. */
static void default_action(int number)
{
	struct sigaction note = {.sa_handler = note_signal}, plain = {.sa_handler = SIG_DFL};
	sigset_t these, all;

	sigemptyset(&these);
	sigaddset(&these, number);
	sigaddset(&these, SIGCONT);
	sigaction(number, &plain, NULL);
	raise(number);
	pthread_sigmask(SIG_UNBLOCK, &these, &all);
	/* The process goes on here if it was stopped and continued, or if it has no shell that
	 * could continue it, so that the kernel did not stop it. */
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	sigaction(number, &note, NULL);
}

static bool in_background(void)
{
	pid_t foreground = tcgetpgrp(STDIN_FILENO);

	return foreground > 0 && foreground != getpgrp();
}

bool top_terminal_open(void)
{
	struct sigaction note = {.sa_handler = note_signal}, old;
	sigset_t block;

	/* In the background the settings are those of the shell's line editor: stop until the shell
	 * brings the program to the foreground. */
	if (in_background())
		kill(0, SIGTTIN);
	if (in_background() || tcgetattr(STDIN_FILENO, &before))
		return false;
	sigemptyset(&block);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaddset(&block, signals[i]);
	pthread_sigmask(SIG_BLOCK, &block, &mask);
	for (size_t i = 0; i < SIGNALS; i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &note, NULL);
	enter_screen();
	return true;
}

void top_terminal_close(void)
{
	static const int ending[] = {SIGQUIT, SIGTERM, SIGHUP};

	leave_screen();
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		if (take_signal(ending[i]))
			default_action(ending[i]);
}

static bool is_ended(void)
{
	bool ended = take_signal(SIGINT);

	for (size_t i = 0; i < SIGNALS; i++)
		ended |= arrived[i] &&
			 (signals[i] == SIGQUIT || signals[i] == SIGTERM || signals[i] == SIGHUP);
	return ended;
}

enum top_event top_terminal_wait(double seconds, char *key)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	struct timespec limit = {.tv_sec = (time_t)seconds};
	int n;

	limit.tv_nsec = (long)((seconds - (double)limit.tv_sec) * 1e9);
	n = ppoll(&input, 1, seconds < 0 ? NULL : &limit, &mask);
	if (is_ended())
		return TOP_QUIT;
	if (take_signal(SIGTSTP)) {
		leave_screen();
		default_action(SIGTSTP);
		take_signal(SIGCONT);
		enter_screen();
		return TOP_REDRAW;
	}
	if (take_signal(SIGCONT)) { /* after a stop that could not be caught */
		leave_screen();
		enter_screen();
		return TOP_REDRAW;
	}
	if (take_signal(SIGWINCH))
		return TOP_REDRAW;
	if (n < 0)
		return errno == EINTR ? TOP_REDRAW : TOP_QUIT;
	if (!n)
		return TOP_SAMPLE;
	return read(STDIN_FILENO, key, 1) == 1 ? TOP_KEY : TOP_QUIT;
}
