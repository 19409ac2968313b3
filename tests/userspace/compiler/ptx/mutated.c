/* SPDX-License-Identifier: MIT */
/*
 * A thousand PTX files with mistakes, made from good ones by a generator that always makes the
 * same: characters and words are changed, doubled, swapped or lost. None may crash or hang the
 * compiler; what it still accepts must be sound IR, before and after all passes, and what it
 * refuses must get a message with a place.
 */
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/ptx/ptx.h"
#include "tests/tap.h"
#include "tests/userspace/compiler/ptx/_files.h"

#define FILES 1000

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

static uint32_t below(uint32_t n)
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

/* Where the next word begins, from some place on. */
static size_t word_start(const char *s, size_t at, size_t length)
{
	while (at < length && !strchr(" \t\n,;", s[at]))
		at++;
	while (at < length && strchr(" \t\n,;", s[at]))
		at++;
	return at;
}

/* One change; the text has room for it. */
static void change(char *s, size_t *length)
{
	size_t at = below((uint32_t)*length), from = word_start(s, at, *length);
	size_t to = word_start(s, from, *length), n;
	const char *word = words[below(sizeof(words) / sizeof(words[0]))];

	switch (below(6)) {
	case 0: /* another character */
		s[at] = (char)below(256);
		break;
	case 1: /* one less */
		memmove(s + at, s + at + 1, *length - at - 1);
		--*length;
		break;
	case 2: /* a word less */
		memmove(s + from, s + to, *length - to);
		*length -= to - from;
		break;
	case 3: /* a word twice */
		n = to - from;
		memmove(s + to + n, s + to, *length - to);
		memcpy(s + to, s + from, n);
		*length += n;
		break;
	case 4: /* a word more */
		n = strlen(word);
		memmove(s + from + n, s + from, *length - from);
		memcpy(s + from, word, n);
		*length += n;
		break;
	default: /* an early end, now and then */
		if (!below(8))
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
	ok(good.count > 150, "there are files to begin with");
	for (uint32_t n = 0; n < FILES && !broken; n++) {
		const char *from = good.texts[below(good.count)];
		size_t length = strlen(from);
		uint32_t changes = 1 + below(4);
		char *text = malloc(length * (1 + changes) + 256);
		bool is_good;

		memcpy(text, from, length);
		while (changes--)
			change(text, &length);
		text = realloc(text, length); /* to the byte, for those who watch */
		broken += !survives(text, length, &is_good);
		accepted += is_good;
		free(text);
	}
	ok(!broken, "%d mutated files are read or refused soundly", FILES);
	ok(accepted > FILES / 20 && accepted < FILES / 2, "some of them are still good: %u",
	   accepted);
	for (uint32_t k = 0; k < good.count; k++)
		free(good.texts[k]);
	return tap_done();
}
