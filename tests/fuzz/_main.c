// SPDX-License-Identifier: MIT
/*
 * Runs a fuzz target deterministically, without libFuzzer and with any compiler: first the files of
 * tests/fuzz/corpus/NAME, then FUZZ_ITERATIONS mutations of them drawn from FUZZ_SEED, and more
 * until FUZZ_CPU_SECONDS of CPU time are used. `make check` does this briefly in the build with
 * sanitizers; `make fuzz` uses libFuzzer on the same targets and corpus. An input that crashes the
 * target, uses more than ten seconds of CPU time or is running at SIGTERM is saved, and its path
 * printed last. With files on the command line the program runs only those.
 *
 * Some mutations are token-based: they insert and swap tokens of the corpus, so that a parser gets
 * beyond its first lexical error.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "tests/tap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

#define INPUT_MAX 65536
#define TOKEN_MAX 32
#define CPU_LIMIT 10 /* seconds for one input */

struct bytes {
	uint8_t *data;
	size_t size;
};
struct list {
	struct bytes *items;
	size_t count, capacity;
};

static struct list corpus, tokens;
static const char *target;
static struct bytes current; /* the target's input while it runs */
static char crash_path[512];

static void list_add(struct list *l, const uint8_t *data, size_t size)
{
	if (l->count == l->capacity) {
		l->capacity = l->capacity ? 2 * l->capacity : 64;
		l->items = realloc(l->items, l->capacity * sizeof(*l->items));
	}
	uint8_t *copy = malloc(size ? size : 1);

	if (!l->items || !copy)
		abort();
	memcpy(copy, data, size);
	l->items[l->count++] = (struct bytes){copy, size};
}

static void list_free(struct list *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->items[i].data);
	free(l->items);
	*l = (struct list){0};
}

/* Runs in a signal handler: no allocation, no streams. */
static void save_input(void)
{
	if (!current.data)
		return;
	int fd = open(crash_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	bool saved = fd >= 0 && write(fd, current.data, current.size) == (ssize_t)current.size;

	if (saved)
		dprintf(2, "fuzz: input of %zu bytes saved: %s\n", current.size, crash_path);
}

static void on_signal(int number)
{
	signal(number, SIG_DFL);
	dprintf(2, "fuzz: %s: %s\n", target,
		number == SIGPROF ? "one input used more than 10 s of CPU time"
				  : strsignal(number));
	save_input();
	raise(number);
}

static void limit_cpu_time(int seconds)
{
	const struct itimerval limit = {.it_value.tv_sec = seconds};

	setitimer(ITIMER_PROF, &limit, NULL);
}

/* Runs the target on a copy of exactly this size, so that a sanitizer sees any overrun. */
static void run_target(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	current = (struct bytes){copy, size};
	limit_cpu_time(CPU_LIMIT);
	LLVMFuzzerTestOneInput(copy, size);
	limit_cpu_time(0);
	current = (struct bytes){0};
	free(copy);
}

static bool read_file(const char *path, struct list *into)
{
	static uint8_t buffer[INPUT_MAX];
	FILE *f = fopen(path, "rb");

	if (!f)
		return false;
	size_t n = fread(buffer, 1, sizeof(buffer), f);
	bool whole = !ferror(f) && fgetc(f) == EOF;

	fclose(f);
	if (whole)
		list_add(into, buffer, n);
	return whole;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name); /* alphasort depends on the locale */
}

static void read_corpus(void)
{
	char folder[256], path[1024];
	struct dirent **names;

	snprintf(folder, sizeof(folder), "tests/fuzz/corpus/%s", target);
	int n = scandir(folder, &names, NULL, by_name);

	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (names[i]->d_name[0] != '.' && !read_file(path, &corpus))
			diag("cannot read %s, or it is larger than %d bytes", path, INPUT_MAX);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

static bool is_word_char(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '%' || c == '$' || c == '@';
}

static void find_tokens(void)
{
	for (size_t i = 0; i < corpus.count; i++) {
		const struct bytes *b = &corpus.items[i];

		for (size_t at = 0, end; at < b->size; at = end + 1) {
			for (end = at; end < b->size && is_word_char(b->data[end]);)
				end++;
			if (end - at >= 2 && end - at <= TOKEN_MAX)
				list_add(&tokens, b->data + at, end - at);
		}
	}
}

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t rng;
static uint64_t next_random(void)
{
	uint64_t z = rng += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}
static size_t random_below(size_t n)
{
	return n ? next_random() % n : 0;
}

/* Replaces `drop` bytes at `at` by the given ones; does nothing when the result would not fit. */
static void replace_bytes(struct bytes *b, size_t at, size_t drop, const uint8_t *with, size_t n)
{
	uint8_t copy[4096];

	if (n > sizeof(copy) || b->size - drop + n > INPUT_MAX)
		return;
	memcpy(copy, with, n); /* may lie inside b */
	memmove(b->data + at + n, b->data + at + drop, b->size - at - drop);
	memcpy(b->data + at, copy, n);
	b->size += n - drop;
}

static void flip_bit(struct bytes *b)
{
	if (b->size)
		b->data[random_below(b->size)] ^= 1u << random_below(8);
}
static void set_byte(struct bytes *b)
{
	static const uint8_t interesting[] = {0,   1,   0x7f, 0x80, 0xff, '0', '9',
					      '-', '.', ',',  ';',  '\n', '{', '}',
					      '[', ']', '(',  ')',  '"',  '%', ' '};
	if (b->size)
		b->data[random_below(b->size)] = interesting[random_below(sizeof(interesting))];
}
static void insert_bytes(struct bytes *b)
{
	uint8_t inserted[8];
	size_t n = 1 + random_below(sizeof(inserted));

	for (size_t i = 0; i < n; i++)
		inserted[i] = next_random();
	replace_bytes(b, random_below(b->size + 1), 0, inserted, n);
}
static void delete_range(struct bytes *b)
{
	size_t at = random_below(b->size), n = 1 + random_below(random_below(4) ? 8 : b->size);

	if (b->size)
		replace_bytes(b, at, n < b->size - at ? n : b->size - at, b->data, 0);
}
static void repeat_range(struct bytes *b)
{
	size_t at = random_below(b->size), n = 1 + random_below(64);

	if (b->size)
		replace_bytes(b, random_below(b->size + 1), 0, b->data + at,
			      n < b->size - at ? n : b->size - at);
}
static void splice_other(struct bytes *b)
{
	const struct bytes *other = &corpus.items[random_below(corpus.count)];
	size_t from = random_below(other->size), n = 1 + random_below(1024),
	       at = random_below(b->size + 1);
	size_t drop = random_below(2) ? b->size - at : 0; /* the rest, or only insert */

	if (other->size)
		replace_bytes(b, at, drop, other->data + from,
			      n < other->size - from ? n : other->size - from);
}
static void insert_token(struct bytes *b)
{
	const struct bytes *t = &tokens.items[random_below(tokens.count)];

	if (tokens.count)
		replace_bytes(b, random_below(b->size + 1), 0, t->data, t->size);
}
static void swap_token(struct bytes *b)
{
	size_t at = random_below(b->size), end;

	while (at < b->size && !is_word_char(b->data[at]))
		at++;
	while (at > 0 && is_word_char(b->data[at - 1]))
		at--;
	for (end = at; end < b->size && is_word_char(b->data[end]);)
		end++;
	const struct bytes *t = &tokens.items[random_below(tokens.count)];

	if (tokens.count && end > at)
		replace_bytes(b, at, end - at, t->data, t->size);
}
static void set_word(struct bytes *b) /* sizes and offsets of binary formats */
{
	static const uint64_t interesting[] = {
		0, 1, 0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX, UINT64_MAX, 0x10000, 16, 4096};
	uint64_t v = random_below(2) ? interesting[random_below(10)] : random_below(256);
	size_t n = (size_t)1 << (1 + random_below(3));

	if (b->size >= n)
		memcpy(b->data + random_below(b->size - n + 1) / 2 * 2, &v, n);
}

static void (*const mutations[])(struct bytes *b) = {
	flip_bit,     set_byte,     insert_bytes, delete_range, repeat_range,
	splice_other, insert_token, swap_token,   swap_token,   set_word,
};

static void mutate(struct bytes *b)
{
	const struct bytes *from = &corpus.items[random_below(corpus.count)];

	memcpy(b->data, from->data, from->size);
	b->size = from->size;
	for (size_t n = 1 + random_below(6); n; n--)
		mutations[random_below(sizeof(mutations) / sizeof(*mutations))](b);
}

static uint64_t env_number(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : fallback;
}

int main(int argc, char **argv)
{
	static uint8_t scratch[INPUT_MAX];
	struct bytes b = {scratch, 0};
	uint64_t iterations = env_number("FUZZ_ITERATIONS", 2000),
		 seed = env_number("FUZZ_SEED", 1);
	uint64_t seconds = env_number("FUZZ_CPU_SECONDS", 0);
	const char *build = getenv("BUILD");

	target = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	snprintf(crash_path, sizeof(crash_path), "%s/fuzz-crash-%s", build ? build : ".", target);
	/* A sanitizer reports faults itself, but none of the first three. */
	static const int deadly[] = {SIGABRT, SIGPROF, SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	size_t count = sizeof(deadly) / sizeof(*deadly);

	if (__sanitizer_set_death_callback) {
		__sanitizer_set_death_callback(save_input);
		count = 3;
	}
	for (size_t i = 0; i < count; i++)
		signal(deadly[i], on_signal);
	if (argc > 1) {
		for (int i = 1; i < argc; i++)
			ok(read_file(argv[i], &corpus), "fuzz input %s is readable", argv[i]);
		iterations = 0;
	} else {
		read_corpus();
		ok(corpus.count > 0, "fuzz target %s has a corpus", target);
	}
	for (size_t i = 0; i < corpus.count; i++)
		run_target(corpus.items[i].data, corpus.items[i].size);
	ok(true, "fuzz target %s survives the %zu files of its corpus", target, corpus.count);
	if (corpus.count && iterations) {
		uint64_t i;

		find_tokens();
		for (i = 0; i < iterations || (uint64_t)(clock() / CLOCKS_PER_SEC) < seconds; i++) {
			rng = seed + i * UINT64_C(0x2545f4914f6cdd1d);
			mutate(&b);
			run_target(b.data, b.size);
		}
		ok(true, "fuzz target %s survives %llu mutations, seed %llu", target,
		   (unsigned long long)i, (unsigned long long)seed);
	}
	list_free(&corpus);
	list_free(&tokens);
	return tap_done();
}
