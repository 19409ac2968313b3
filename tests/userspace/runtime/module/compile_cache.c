// SPDX-License-Identifier: MIT
/*
 * The disk cache returns what was compiled and nothing else: with concurrent writers, damaged
 * files, and when it is full.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libsov/runtime/module/compile_cache.h"
#include "libsov/runtime/base/sha256.h"
#include "tests/tap.h"

static char folder[] = "/tmp/sov-cache-XXXXXX";

#define TEXT 512
/* A distinct program for each number. */
static const char *program(char *text, unsigned number)
{
	snprintf(text, TEXT,
		 ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 "
		 "p)\n{\n"
		 ".reg .b32 %%r; .reg .b64 %%d;\nld.param.u64 %%d, [p];\nmov.u32 %%r, %u;\n"
		 "st.global.u32 [%%d], %%r;\nret;\n}\n",
		 number);
	return text;
}

static const struct compile_options usual = {.source = COMPILE_PTX, .target = "sm_90"};

/* -1: failed to compile; else whether it was cached. */
static int compile_cached(const char *text, const struct compile_options *o,
			  struct compile_result *r)
{
	struct cache *c = cache_open(text, strlen(text), o);
	bool found = cache_find(c, CACHE_ALL, r), good = found || compile(text, strlen(text), o, r);

	if (good && !found)
		cache_add(c, CACHE_ALL, r);
	cache_close(c);
	return good ? found : -1;
}

static int ask(unsigned number)
{
	struct compile_result r, fresh;
	char text[TEXT];
	int found = compile_cached(program(text, number), &usual, &r);

	if (found < 0 || !compile(text, strlen(text), &usual, &fresh))
		return -1;
	if (r.image_size != fresh.image_size || memcmp(r.image, fresh.image, r.image_size) ||
	    strcmp(r.messages, fresh.messages))
		found = -2;
	compile_result_free(&r);
	compile_result_free(&fresh);
	return found;
}

static bool is_temporary(const char *name)
{
	return !strncmp(name, "new-", 4);
}

/* Calls the function for each file of the directory; returns the number of files. */
static unsigned each_file(void (*call)(const char *path, unsigned number),
			  bool (*which)(const char *name))
{
	DIR *d = opendir(folder);
	unsigned n = 0;
	struct dirent *e;
	char path[600];

	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.' || !strcmp(e->d_name, "sov") ||
		    (which ? !which(e->d_name) : is_temporary(e->d_name)))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (call)
			call(path, n);
		n++;
	}
	if (d)
		closedir(d);
	return n;
}

static void forget(const char *path, unsigned number)
{
	(void)number;
	unlink(path); /* except the directory of another test */
}

static void test_digest(void)
{
	static const struct {
		const char *text;
		unsigned times;
		const char *digest;
	} cases[] = {
		/* FIPS 180-4's examples, and a million a's from NIST's */
		{"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
		 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
		{"aaaaaaaaaa", 100000,
		 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
	};

	for (unsigned k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		uint8_t digest[SHA256_BYTES];
		char text[65];
		struct sha256 s;

		sha256_init(&s);
		for (unsigned i = 0; i < cases[k].times; i++)
			sha256_add(&s, cases[k].text, strlen(cases[k].text));
		sha256_end(&s, digest);
		for (int i = 0; i < SHA256_BYTES; i++)
			snprintf(text + 2 * i, 3, "%02x", digest[i]);
		ok(!strcmp(text, cases[k].digest), "SHA-256 of example %u", k);
	}
}

static void test_found(void)
{
	struct compile_options other = usual;
	struct compile_result r;
	char text[TEXT];

	program(text, 1);
	ok(ask(1) == 0, "a program that is not in the cache is compiled");
	ok(ask(1) == 1, "a cached program is found");
	ok(ask(2) == 0, "another program is not found in the cache");
	other.serial = true;
	ok(compile_cached(text, &other, &r) == 0,
	   "a program with other options is not found in the cache");
	compile_result_free(&r);
	other = usual;
	other.target = "sm_80";
	ok(compile_cached(text, &other, &r) == 0,
	   "a program for another target is not found in the cache");
	compile_result_free(&r);
	ok(compile_cached("add nothing", &usual, &r) == -1,
	   "a program with an error does not compile");
	compile_result_free(&r);
	ok(compile_cached("add nothing", &usual, &r) == -1 && *r.messages,
	   "an error is not cached, and is reported again");
	compile_result_free(&r);
}

static void test_off(void)
{
	setenv("SOV_CACHE_SIZE", "0", 1);
	ok(ask(1) == 0, "SOV_CACHE_SIZE=0 disables the cache");
	setenv("SOV_CACHE_SIZE", "1T", 1);
	ok(ask(1) == 0, "an invalid SOV_CACHE_SIZE disables the cache");
	unsetenv("SOV_CACHE_SIZE");
	ok(ask(1) == 1, "entries survive while the cache is disabled");
	setenv("SOV_CACHE_DIR", "/dev/null/nowhere", 1);
	ok(ask(1) == 0 && ask(1) == 0, "an impossible SOV_CACHE_DIR is not an error");
	unsetenv("SOV_CACHE_DIR");
	setenv("XDG_CACHE_HOME", folder, 1);
	ok(ask(1) == 0 && ask(1) == 1, "without SOV_CACHE_DIR the cache is in XDG_CACHE_HOME");
	setenv("SOV_CACHE_DIR", folder, 1);
}

/* Every byte of an entry matters, and its length. */
static unsigned damage_at;
static int damage_kind;
static void damage(const char *path, unsigned number)
{
	struct stat s;
	int fd = open(path, O_RDWR);
	uint8_t byte = 0;

	(void)number;
	if (fd < 0)
		return;
	if (fstat(fd, &s) || !s.st_size) { /* another thread removed it */
		close(fd);
		return;
	}
	if (damage_kind == 0) { /* a bit */
		off_t at = (off_t)damage_at % s.st_size;

		if (pread(fd, &byte, 1, at) == 1) {
			byte ^= (uint8_t)(1 << damage_at % 8);
			if (pwrite(fd, &byte, 1, at) != 1)
				diag("nothing written");
		}
	} else if (damage_kind == 1) {
		if (ftruncate(fd, (off_t)damage_at % s.st_size))
			diag("nothing cut off");
	} else if (pwrite(fd, &byte, 1, s.st_size) != 1) {
		diag("nothing added");
	}
	close(fd);
}

static void test_damage(void)
{
	static const char *const kinds[] = {"a changed bit", "a lost end", "bytes after the end"};
	const unsigned steps = 400 / TAP_SLOWNESS;

	each_file(forget, NULL);
	for (damage_kind = 0; damage_kind < 3; damage_kind++) {
		unsigned missed = 0, right = 0, tries = damage_kind == 2 ? 1 : steps;

		for (unsigned k = 0; k < tries; k++) {
			damage_at = k < 128 ? k : k * 37;
			right += ask(3) >= 0;
			each_file(damage, NULL);
			missed += ask(3) == 0;
			right += ask(3) == 1;
		}
		ok(missed == tries && right == 2 * tries,
		   "%s invalidates an entry, which is replaced", kinds[damage_kind]);
	}
	each_file(forget, NULL);
	ask(3);
	each_file(forget, NULL);
}

static void *ask_often(void *user)
{
	uintptr_t wrong = 0;

	(void)user;
	for (unsigned k = 0; k < 60 / TAP_SLOWNESS; k++)
		wrong += ask(10 + k % 7) < 0;
	return (void *)wrong;
}

static void spoil_some(const char *path, unsigned number)
{
	if (number % 3 == 0)
		forget(path, number);
	else if (number % 3 == 1) {
		damage_kind = 1;
		damage(path, number);
	}
}

/* Processes and threads write the same entries while others remove and damage them. */
static void test_concurrency(void)
{
	pthread_t threads[3];
	pid_t processes[3];
	uintptr_t wrong = 0;
	int status;

	for (int k = 0; k < 3; k++) {
		processes[k] = fork();
		if (!processes[k])
			_exit(ask_often(NULL) ? 1 : 0);
	}
	for (int k = 0; k < 3; k++)
		pthread_create(&threads[k], NULL, ask_often, NULL);
	for (unsigned k = 0; k < 200; k++) {
		damage_at = k * 51;
		each_file(spoil_some, NULL);
		usleep(500);
	}
	for (int k = 0; k < 3; k++) {
		void *result;

		pthread_join(threads[k], &result);
		wrong += (uintptr_t)result;
		waitpid(processes[k], &status, 0);
		wrong += !WIFEXITED(status) || WEXITSTATUS(status);
	}
	ok(!wrong, "concurrent writers, readers and corruption: every result is right");
	ok(each_file(NULL, is_temporary) == 0, "no temporary cache files are left behind");
}

static uint64_t size_of_one(void)
{
	struct stat s = {0};
	char path[600];
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (e->d_name[0] != '.' && !stat(path, &s) && S_ISREG(s.st_mode))
			break;
	}
	if (d)
		closedir(d);
	return (uint64_t)s.st_size;
}

static void test_limit(void)
{
	char size[32];

	each_file(forget, NULL);
	ask(100);
	snprintf(size, sizeof(size), "%llu", (unsigned long long)size_of_one() * 8);
	setenv("SOV_CACHE_SIZE", size, 1);
	for (unsigned k = 101; k < 108; k++) {
		usleep(2000); /* distinct times even with a coarse clock */
		ask(k);
	}
	usleep(2000);
	ok(each_file(NULL, NULL) == 8 && ask(100) == 1, "entries within the size limit stay");
	usleep(2000);
	ask(108);
	ok(each_file(NULL, NULL) == 6, "exceeding the limit frees a quarter of the cache");
	ok(ask(100) == 1 && ask(108) == 1, "recently read entries are kept");
	ok(ask(101) == 0, "the least recently read entry is removed");
	snprintf(size, sizeof(size), "%llu", (unsigned long long)size_of_one() * 2);
	setenv("SOV_CACHE_SIZE", size, 1);
	ok(ask(200) == 0 && ask(200) == 0,
	   "an entry larger than a quarter of the limit is not cached");
	unsetenv("SOV_CACHE_SIZE");
	each_file(forget, NULL);
}

/* ---- other users ---- */

#define OTHER_USER 65534

/* Neither finds the entry of program 1, nor changes the directory. */
static bool cache_unused(void)
{
	unsigned before = each_file(NULL, NULL);
	bool unused = ask(1) == 0 && ask(300) == 0 && ask(300) == 0;

	return unused && each_file(NULL, NULL) == before;
}

static void test_directory_modes(void)
{
	static const mode_t open_modes[] = {0770, 0720, 0702, 0777, 01777};

	each_file(forget, NULL);
	ask(1);
	for (size_t k = 0; k < sizeof(open_modes) / sizeof(*open_modes); k++) {
		chmod(folder, open_modes[k]);
		ok(cache_unused(), "a cache directory of mode %04o is not used", open_modes[k]);
	}
	chmod(folder, 0755);
	ok(ask(1) == 1, "a cache directory that others can only read is used");
	chmod(folder, 0700);
	ok(ask(1) == 1, "its entries are used again once the directory is closed to others");
}

static void test_directory_links(void)
{
	char link[80];

	snprintf(link, sizeof(link), "%s-link", folder);
	setenv("SOV_CACHE_DIR", link, 1);
	ok(!symlink(folder, link) && cache_unused(),
	   "a symbolic link is not used as cache directory");
	unlink(link);
	ok(!symlink("/nonexistent/sov", link) && cache_unused(),
	   "a dangling symbolic link is not used as cache directory");
	unlink(link);
	setenv("SOV_CACHE_DIR", folder, 1);
}

static void open_entry(const char *path, unsigned number)
{
	(void)number;
	chmod(path, 0620);
}

/* Replaces an entry by a link to a copy of it. */
static void link_entry(const char *path, unsigned number)
{
	char copy[640];

	(void)number;
	snprintf(copy, sizeof(copy), "%s-entry", folder);
	if (rename(path, copy) || symlink(copy, path))
		diag("no link");
}

static void give_entry(const char *path, unsigned number)
{
	(void)number;
	if (chown(path, OTHER_USER, OTHER_USER))
		diag("no other owner");
}

static void test_entry_modes(void)
{
	char copy[80];

	each_file(open_entry, NULL);
	ok(ask(1) == 0 && ask(1) == 1, "an entry that others can write is replaced");
	snprintf(copy, sizeof(copy), "%s-entry", folder);
	each_file(forget, NULL);
	ask(1);
	each_file(link_entry, NULL);
	ok(ask(1) == 0, "a symbolic link is not read as an entry");
	ok(!access(copy, F_OK) && ask(1) == 1, "it is replaced, and its target is kept");
	unlink(copy);
}

static void test_owners(void)
{
	if (geteuid()) {
		printf("ok %d - cache of another user # SKIP only root can change owners\n",
		       ++tap_count);
		return;
	}
	each_file(forget, NULL);
	ask(1);
	each_file(give_entry, NULL);
	ok(ask(1) == 0 && ask(1) == 1, "an entry of another user is replaced");
	ok(!chown(folder, OTHER_USER, OTHER_USER) && cache_unused(),
	   "the cache directory of another user is not used");
	ok(!chown(folder, 0, OTHER_USER) && ask(1) == 1,
	   "the group of the directory does not matter");
}

int main(void)
{
	char inner[64], command[128];

	if (!mkdtemp(folder)) {
		ok(false, "the test can create a directory");
		return tap_done();
	}
	setenv("SOV_CACHE_DIR", folder, 1);
	unsetenv("SOV_CACHE_SIZE");
	test_digest();
	test_found();
	test_off();
	snprintf(inner, sizeof(inner), "%s/sov", folder);
	test_damage();
	test_concurrency();
	test_limit();
	test_directory_modes();
	test_directory_links();
	test_entry_modes();
	test_owners();
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	ok(!access(inner, F_OK) && !system(command), "the cache directory can be removed");
	return tap_done();
}
