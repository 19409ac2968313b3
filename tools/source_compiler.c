// SPDX-License-Identifier: MIT
/*
 * Sources in GLSL, WGSL and OpenCL C: the name of a file selects a packaged compiler, which
 * translates it to SPIR-V in a temporary folder. The compiler is executed without a shell, in a
 * process group of its own, so that a time limit or a signal ends all of its processes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tools/tool.h"

#define MAX_WORDS 64 /* of a command line */
#define FOLDER    "sov-XXXXXX"

/* A program that has to run, with its arguments: @in is the source, @mid and @out are files in the
 * temporary folder, @user the user's options. A %u in the program's name is the version of LLVM. */
struct step {
	const char *program;
	const char *words;
};

/* A way to translate a language; the first one whose programs are installed is taken. */
struct method {
	uint32_t newest, oldest; /* versions of LLVM, 0: the names have none */
	struct step steps[2];
};

struct language {
	const char *suffixes; /* of file names */
	const char *name;
	const char *install; /* what the user has to install */
	struct method methods[2];
};

/* LLVM's passes would make instructions that llvm-spirv does not know, such as freeze; this library
 * has passes of its own. Debian's package tint is a game, which is in a folder of games;
 * find_program skips it. */
static const struct language languages[] = {
	{
		".comp .glsl",
		"GLSL",
		"glslangValidator (Debian: glslang-tools) or glslc (Debian: glslc)",
		{{0,
		  0,
		  {{"glslangValidator", "--target-env vulkan1.3 -V -S comp @user -o @out @in"}}},
		 {0,
		  0,
		  {{"glslc", "--target-env=vulkan1.3 -fshader-stage=compute @user -o @out @in"}}}},
	},
	{
		".wgsl",
		"WGSL",
		"tint or naga (not packaged in Debian 12 and 13)",
		{{0, 0, {{"tint", "--format spirv @user -o @out @in"}}},
		 {0, 0, {{"naga", "@user @in @out"}}}},
	},
	{
		".cl",
		"OpenCL C",
		"clang and llvm-spirv of the same version (Debian 12: clang-14 llvm-spirv-14, "
		"Debian 13: clang-19 llvm-spirv-19)",
		{{22,
		  14,
		  {{"clang-%u",
		    "--target=spirv64 -x cl -O1 -Xclang -disable-llvm-passes @user -emit-llvm -c "
		    "-o @mid @in"},
		   {"llvm-spirv-%u", "-o @out @mid"}}}},
	},
};

struct translation {
	const struct verb *verb;
	const struct source_options *options;
	const struct language *language;
	const char *in;
	char folder[4096];
	char mid[4112], out[4112], messages[4112];
	char *source; /* the path as the compiler gets it */
};

/* ---- which compiler ---- */

static bool has_suffix(const char *path, const char *suffixes)
{
	const char *dot = strrchr(path, '.');
	size_t n = dot ? strlen(dot) : 0;

	for (const char *at = suffixes; n && *at; at += strcspn(at, " "), at += *at == ' ')
		if (strcspn(at, " ") == n && !memcmp(at, dot, n))
			return !strchr(dot, '/');
	return false;
}

static const struct language *language_of(const char *path)
{
	for (size_t k = 0; k < sizeof(languages) / sizeof(*languages); k++)
		if (has_suffix(path, languages[k].suffixes))
			return &languages[k];
	return NULL;
}

/* Finds an executable file in PATH; games are not compilers. */
static bool find_program(const char *name, char path[4096])
{
	const char *at = getenv("PATH");
	struct stat st;

	for (; at && *at; at += strcspn(at, ":"), at += *at == ':') {
		size_t n = strcspn(at, ":");

		if (n >= 6 && !memcmp(at + n - 6, "/games", 6))
			continue;
		if ((size_t)snprintf(path, 4096, "%.*s/%s", (int)n, at, name) < 4096 && n &&
		    !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK))
			return true;
	}
	return false;
}

static void program_name(const struct step *s, uint32_t version, char name[64])
{
	const char *mark = strstr(s->program, "%u");

	if (mark)
		snprintf(name, 64, "%.*s%u", (int)(mark - s->program), s->program, version);
	else
		snprintf(name, 64, "%s", s->program);
}

/* Whether the programs of a method are there; their paths. */
static bool find_programs(const struct method *m, uint32_t version, char paths[2][4096])
{
	char name[64];

	for (int k = 0; k < 2 && m->steps[k].program; k++) {
		program_name(&m->steps[k], version, name);
		if (!find_program(name, paths[k]))
			return false;
	}
	return true;
}

static const struct method *find_method(const struct language *l, char paths[2][4096])
{
	for (size_t k = 0; k < 2 && l->methods[k].steps[0].program; k++)
		for (uint32_t v = l->methods[k].newest; v + 1 > l->methods[k].oldest; v--) {
			if (find_programs(&l->methods[k], v, paths))
				return &l->methods[k];
			if (!v)
				break;
		}
	return NULL;
}

/* ---- the temporary folder ---- */

static bool make_folder(struct translation *t)
{
	const char *root = getenv("TMPDIR");

	if (!root || !*root)
		root = "/tmp";
	if (snprintf(t->folder, sizeof(t->folder), "%s/" FOLDER, root) >= (int)sizeof(t->folder) ||
	    !mkdtemp(t->folder)) {
		report_error(t->verb, "cannot make a temporary folder in '%s': %s", root,
			     strerror(errno));
		t->folder[0] = 0;
		return false;
	}
	snprintf(t->mid, sizeof(t->mid), "%s/mid.bc", t->folder);
	snprintf(t->out, sizeof(t->out), "%s/out.spv", t->folder);
	snprintf(t->messages, sizeof(t->messages), "%s/messages", t->folder);
	return true;
}

/* Compilers may have left files of their own there. */
static void remove_folder(const struct translation *t)
{
	DIR *d = t->folder[0] ? opendir(t->folder) : NULL;
	const struct dirent *e;

	while (d && (e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	if (t->folder[0])
		rmdir(t->folder);
}

/* ---- running a compiler ---- */

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define ENDING_SIGNALS (sizeof(ending_signals) / sizeof(*ending_signals))

/* Replaces the child by the compiler; its messages go to a file. Returns only an errno. */
static int exec_compiler(const struct translation *t, char *const argv[], const sigset_t *mask)
{
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC),
	    out = open(t->messages, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	setpgid(0, 0);
	if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		return errno;
	sigprocmask(SIG_SETMASK, mask, NULL);
	execv(argv[0], argv);
	return errno;
}

static struct timespec deadline_after(uint64_t seconds)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += (time_t)seconds;
	return t;
}

/* Waits for one of the blocked signals until the deadline; 0: it has passed. */
static int wait_signal(const sigset_t *signals, const struct timespec *deadline)
{
	struct timespec now, rest;
	int got;

	do {
		if (!deadline) {
			got = sigwaitinfo(signals, NULL);
			continue;
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
		rest.tv_sec = deadline->tv_sec - now.tv_sec;
		rest.tv_nsec = deadline->tv_nsec - now.tv_nsec;
		if (rest.tv_nsec < 0) {
			rest.tv_nsec += 1000000000;
			rest.tv_sec--;
		}
		if (rest.tv_sec < 0)
			return 0;
		got = sigtimedwait(signals, NULL, &rest);
	} while (got < 0 && errno == EINTR);
	return got < 0 ? 0 : got;
}

/* Waits until the child has ended. Returns the signal that ends this process too, or 0; *expired:
 * the child took too long. Both end the child's process group. */
static int wait_child(pid_t child, const sigset_t *signals, uint64_t limit, int *status,
		      bool *expired)
{
	struct timespec deadline = deadline_after(limit);
	int got = 0;

	*expired = false;
	while (!waitpid(child, status, WNOHANG)) {
		got = wait_signal(signals, limit ? &deadline : NULL);
		if (got == SIGCHLD)
			continue;
		*expired = !got;
		kill(-child, SIGKILL);
		waitpid(child, status, 0);
		return got;
	}
	return 0;
}

/* The child reports through a pipe why it could not execute the compiler. */
static bool start_child(const struct translation *t, char *const argv[], const sigset_t *mask,
			pid_t *child)
{
	int pipe_ends[2], reason = 0;

	if (pipe2(pipe_ends, O_CLOEXEC)) {
		report_error(t->verb, "cannot start '%s': %s", argv[0], strerror(errno));
		return false;
	}
	fflush(NULL);
	*child = fork();
	if (!*child) {
		reason = exec_compiler(t, argv, mask);
		(void)!write(pipe_ends[1], &reason, sizeof(reason));
		_exit(127);
	}
	if (*child < 0)
		reason = errno;
	close(pipe_ends[1]);
	if (*child > 0) {
		setpgid(*child, *child);
		if (read(pipe_ends[0], &reason, sizeof(reason)) > 0)
			waitpid(*child, NULL, 0);
	}
	close(pipe_ends[0]);
	if (reason)
		report_error(t->verb, "cannot start '%s': %s", argv[0], strerror(reason));
	return !reason;
}

static bool report_status(const struct translation *t, const char *program, int status,
			  bool expired)
{
	if (expired)
		report_error(t->verb,
			     "'%s' took longer than %llu s for '%s'; --compiler-limit changes "
			     "that (0: no limit)",
			     program, (unsigned long long)t->options->limit, t->in);
	else if (WIFSIGNALED(status))
		report_error(t->verb, "'%s' was ended by signal %d (%s)", program, WTERMSIG(status),
			     strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		report_error(t->verb, "'%s' could not translate '%s' (exit status %d)", program,
			     t->in, WEXITSTATUS(status));
	return !expired && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Passes on the messages, except glslang's line with the source's name. */
static void print_messages(const struct translation *t)
{
	FILE *f = fopen(t->messages, "re");
	char *line = NULL;
	size_t capacity = 0;
	ssize_t n;

	while (f && (n = getline(&line, &capacity, f)) > 0) {
		size_t length = strcspn(line, "\n");

		if (length != strlen(t->source) || memcmp(line, t->source, length))
			fwrite(line, 1, (size_t)n, stderr);
	}
	free(line);
	if (f)
		fclose(f);
}

/* Runs a command; a signal that ends this process does so after the files are removed. */
static bool run_command(const struct translation *t, char *const argv[])
{
	struct sigaction old_child, child_action = {.sa_handler = SIG_DFL};
	sigset_t signals, before;
	int status = 0, ending = 0;
	bool expired = false, good;
	pid_t child;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	for (size_t k = 0; k < ENDING_SIGNALS; k++)
		sigaddset(&signals, ending_signals[k]);
	sigaction(SIGCHLD, &child_action, &old_child);
	sigprocmask(SIG_BLOCK, &signals, &before);
	good = start_child(t, argv, &before, &child);
	if (good) {
		/* Its thread begins with the signals blocked, which wait_child waits for. */
		struct progress *p = progress_start("translating");

		ending = wait_child(child, &signals, t->options->limit, &status, &expired);
		progress_end(p);
	}
	if (ending) {
		remove_folder(t);
		raise(ending);
	}
	sigaction(SIGCHLD, &old_child, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	print_messages(t);
	unlink(t->messages);
	return good && !ending && report_status(t, argv[0], status, expired);
}

/* ---- command lines ---- */

struct command {
	char *words[MAX_WORDS + 1];
	uint32_t count;
	bool full;
};

static void add_word(struct command *c, const char *word, size_t length)
{
	if (c->count == MAX_WORDS)
		c->full = true;
	else
		c->words[c->count++] = strndup(word, length);
}

static void add_words(struct command *c, const struct translation *t, const char *words)
{
	const struct {
		const char *name, *value;
	} files[] = {{"@in", t->source}, {"@mid", t->mid}, {"@out", t->out}};

	for (const char *at = words; *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");
		const char *value = NULL;

		for (size_t k = 0; k < 3; k++)
			if (strlen(files[k].name) == n && !memcmp(at, files[k].name, n))
				value = files[k].value;
		if (n == 5 && !memcmp(at, "@user", n))
			add_words(c, &(struct translation){0}, t->options->words);
		else
			add_word(c, value ? value : at, value ? strlen(value) : n);
		at += n;
	}
}

static bool run_step(const struct translation *t, const struct step *s, const char *path)
{
	struct command c = {0};
	bool good;

	add_word(&c, path, strlen(path));
	add_words(&c, t, s->words);
	good = !c.full;
	for (uint32_t k = 0; k < c.count; k++)
		good &= c.words[k] != NULL;
	if (c.full)
		report_error(t->verb, "more than %d words for '%s'", MAX_WORDS, path);
	else if (!good)
		report_error(t->verb, "out of memory");
	good = good && run_command(t, c.words);
	for (uint32_t k = 0; k < c.count; k++)
		free(c.words[k]);
	return good;
}

/* ---- the translation ---- */

static bool run_steps(struct translation *t, const struct method *m, char paths[2][4096])
{
	const char *dash = t->in[0] == '-' ? "./" : "";

	if (asprintf(&t->source, "%s%s", dash, t->in) < 0) {
		t->source = NULL;
		report_error(t->verb, "out of memory");
		return false;
	}
	for (int k = 0; k < 2 && m->steps[k].program; k++)
		if (!run_step(t, &m->steps[k], paths[k]))
			return false;
	return true;
}

static bool translate(struct translation *t, void **data, size_t *size)
{
	char paths[2][4096];
	const struct method *m = find_method(t->language, paths);
	bool good;

	if (!m) {
		report_error(t->verb, "'%s' is %s, which needs a compiler: install %s", t->in,
			     t->language->name, t->language->install);
		return false;
	}
	if (access(t->in, R_OK)) {
		report_error(t->verb, "cannot read '%s': %s", t->in, strerror(errno));
		return false;
	}
	good = make_folder(t) && run_steps(t, m, paths);
	if (good && access(t->out, R_OK)) {
		report_error(t->verb, "'%s' has written no SPIR-V for '%s'",
			     paths[m->steps[1].program ? 1 : 0], t->in);
		good = false;
	}
	good = good && read_file(t->verb, t->out, data, size);
	remove_folder(t);
	free(t->source);
	return good;
}

bool read_source(const struct verb *v, const char *path, const struct source_options *o,
		 void **data, size_t *size)
{
	struct translation t = {.verb = v, .options = o, .language = language_of(path), .in = path};

	return t.language ? translate(&t, data, size) : read_file(v, path, data, size);
}

bool parse_source_options(const struct verb *v, struct source_options *o)
{
	return parse_u64(v, "compiler limit", o->limit_text, 0, UINT32_MAX, &o->limit);
}
