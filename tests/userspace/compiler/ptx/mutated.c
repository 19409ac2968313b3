// SPDX-License-Identifier: MIT
/*
 * Mutation test of the PTX front end: a seeded generator changes, duplicates, inserts or deletes
 * characters and words of valid files. No mutant may crash or hang the compiler; an accepted one
 * must give valid IR before and after all passes, a rejected one a message with a position.
 */
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/ptx/ptx.h"
#include "tests/tap.h"
#include "tests/userspace/compiler/ptx/_files.h"

#define MUTANTS 1000

static struct {
	char *texts[1000];
	uint32_t count;
} good;

static void collect(const char *name, const char *text, size_t length)
{
	(void)name;
	(void)length;
	if (good.count < sizeof(good.texts) / sizeof(good.texts[0]))
		good.texts[good.count++] = strdup(text);
}

static uint64_t state = 2026;

static uint32_t random_below(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((state >> 33) % n);
}

static const char *const words[] = {
	".f16x2",
	".sat",
	".cc",
	".param",
	".func",
	"{",
	"}",
	"(",
	")",
	"[",
	"]",
	";",
	",",
	"@%p",
	"0x7fffffffffffffff",
	"-1",
	"99999999999999999999",
	"call",
	"ret",
	".branchtargets",
	"%d",
	".v4",
	"_",
	"|",
	".callprototype",
	".local",
	".align 3",
	"0f3F800000",
	".reg .pred %p;",
	"mma.sync",
	".b64",
	".wide",
	"brx.idx",
	"/*",
	"\"",
	"\\",
	"\xff",
	"%tid.x",
	".extern",
	":",
};

/* The start of the next word after a position. */
static size_t word_start(const char *s, size_t at, size_t length)
{
	while (at < length && !strchr(" \t\n,;", s[at]))
		at++;
	while (at < length && strchr(" \t\n,;", s[at]))
		at++;
	return at;
}

/* Applies one mutation; the buffer has room for it. */
static void mutate(char *s, size_t *length)
{
	size_t at = random_below((uint32_t)*length), from = word_start(s, at, *length);
	size_t to = word_start(s, from, *length), n;
	const char *word = words[random_below(sizeof(words) / sizeof(words[0]))];

	switch (random_below(6)) {
	case 0: /* replace a character */
		s[at] = (char)random_below(256);
		break;
	case 1: /* delete a character */
		memmove(s + at, s + at + 1, *length - at - 1);
		--*length;
		break;
	case 2: /* delete a word */
		memmove(s + from, s + to, *length - to);
		*length -= to - from;
		break;
	case 3: /* duplicate a word */
		n = to - from;
		memmove(s + to + n, s + to, *length - to);
		memcpy(s + to, s + from, n);
		*length += n;
		break;
	case 4: /* insert a word */
		n = strlen(word);
		memmove(s + from + n, s + from, *length - from);
		memcpy(s + from, word, n);
		*length += n;
		break;
	default: /* truncate the file, sometimes */
		if (!random_below(8))
			*length = at ? at : 1;
		break;
	}
}

static bool survives(const char *text, size_t length, bool *accepted)
{
	struct compile_job job = {.target = target_find("dummy"), .options.verify = true};
	struct ir_module *m;
	bool sound;

	arena_init(&job.arena, 0, NULL);
	diag_init(&job.diag, &job.arena, "test");
	*accepted = ptx_parse(&job, text, length, &m);
	if (*accepted)
		sound = ir_verify(m, &job.diag) && (!m->funcs || passes_run(&job, m));
	else
		sound = job.diag.errors && !strncmp(job.diag.text, "ptx: ", 5);
	if (!sound)
		diag("%.*s\n%s", (int)length, text, job.diag.text);
	arena_free(&job.arena);
	return sound;
}

int main(void)
{
	uint32_t broken = 0, accepted = 0;

	files_each("tests/userspace/compiler/ptx/instructions", ".ptx", collect);
	files_each("tests/userspace/compiler/ptx/golden", ".ptx", collect);
	files_each("tests/kernels", ".ptx", collect);
	ok(good.count > 150, "more than 150 valid PTX files exist to mutate");
	for (uint32_t n = 0; n < MUTANTS && !broken; n++) {
		const char *from = good.texts[random_below(good.count)];
		size_t length = strlen(from);
		uint32_t changes = 1 + random_below(4);
		char *text = malloc(length * (1 + changes) + 256);
		bool is_good;

		memcpy(text, from, length);
		while (changes--)
			mutate(text, &length);
		text = realloc(text, length); /* the exact size, so that sanitizers see overruns */
		broken += !survives(text, length, &is_good);
		accepted += is_good;
		free(text);
	}
	ok(!broken, "each of %d mutated PTX files gives valid IR or a message with a position",
	   MUTANTS);
	ok(accepted > MUTANTS / 20 && accepted < MUTANTS / 2,
	   "between 5%% and 50%% of the mutated PTX files are accepted: %u", accepted);
	for (uint32_t k = 0; k < good.count; k++)
		free(good.texts[k]);
	return tap_done();
}
