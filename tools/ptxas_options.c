// SPDX-License-Identifier: MIT
/*
 * Command line of ptxas: one table row per option, with the long name (two dashes) and the short
 * one (one dash). A value follows as the next word or after '='; the value of -O and -m may follow
 * directly. Source: ptxas 13.0 --help, and the answers of ptxas 13.0 to wrong command lines.
 *
 * Options that state facts which this compiler does not use are checked and have no effect: its
 * loads and stores have no cache policy to choose, and every optimisation is always allowed.
 */
#include <stdlib.h>
#include <string.h>
#include "tools/ptxas.h"

enum kind {
	FLAG,      /* sets a bool */
	TEXT,      /* sets a string */
	LIST,      /* adds to a list; commas separate values */
	STRINGS,   /* adds to a list; the value is one string */
	OPTIONS,   /* file with more options */
	NO_EFFECT, /* flag without effect */
	NO_VALUE,  /* value without effect */
	REFUSED,   /* flag that demands code which this compiler cannot generate */
	REFUSED_VALUE
};

struct row {
	const char *name, *letter;
	uint8_t kind;
	size_t member; /* offset in the request */
	const char *value, *help;
};

#define M(member) offsetof(struct ptxas_request, member)
static const struct row rows[] = {
	{"compile-only", "c", FLAG, M(compile_only), NULL, "write a relocatable object"},
	{"def-load-cache", "dlcm", TEXT, M(load_cache), "MODIFIER", "no effect"},
	{"def-store-cache", "dscm", TEXT, M(store_cache), "MODIFIER", "no effect"},
	{"force-load-cache", "flcm", TEXT, M(load_cache), "MODIFIER", "no effect"},
	{"force-store-cache", "fscm", TEXT, M(store_cache), "MODIFIER", "no effect"},
	{"device-debug", "g", FLAG, M(debug), NULL, "do not optimise; keep the source lines"},
	{"device-function-maxrregcount", "func-maxrregcount", TEXT, M(function_max_registers), "N",
	 "registers of functions; with -c"},
	{"disable-warnings", "w", FLAG, M(no_warnings), NULL, "print no warnings"},
	{"entry", "e", LIST, M(entries), "NAME,...", "compile only these kernels"},
	{"fmad", "fmad", TEXT, M(fmad), "true|false",
	 "fuse multiplications and additions (default true)"},
	{"generate-line-info", "lineinfo", FLAG, M(lines), NULL, "keep the source lines"},
	{"gpu-name", "arch", TEXT, M(arch), "NAME", "GPU to compile for (default sm_90)"},
	{"help", "h", FLAG, M(help), NULL, "print this help"},
	{"input-as-string", "ias", STRINGS, M(strings), "PTX", "PTX text instead of a file"},
	{"list-version", "version-ls", FLAG, M(list_version), NULL, "print the PTX versions"},
	{"machine", "m", TEXT, M(machine), "64", "address size"},
	{"maxntid", "maxntid", TEXT, M(max_threads), "X,Y,Z", "default of .maxntid"},
	{"maxrregcount", "maxrregcount", TEXT, M(max_registers), "N",
	 "most registers of a thread; archmax, archmin"},
	{"minnctapersm", "minnctapersm", TEXT, M(min_ctas), "N", "default of .minnctapersm"},
	{"opt-level", "O", TEXT, M(level), "N", "0: do not optimise (default 3)"},
	{"options-file", "optf", OPTIONS, 0, "FILE,...", "read options from FILE"},
	{"output-file", "o", TEXT, M(out), "FILE", "write the image to FILE (default elf.o)"},
	{"override-directive-values", "override-directive-values", FLAG, M(override_directives),
	 NULL, "options have precedence over directives"},
	{"split-compile", "split-compile", TEXT, M(threads), "N", "compile with N threads"},
	{"suppress-debug-info", "suppress-debug-info", FLAG, M(no_debug_info), NULL,
	 "leave out the source lines"},
	{"verbose", "v", FLAG, M(verbose), NULL, "print statistics"},
	{"version", "V", FLAG, M(version), NULL, "print the version"},
	{"warn-on-double-precision-use", "warn-double-usage", FLAG, M(warn_double), NULL,
	 "warn about f64 instructions"},
	{"warn-on-local-memory-usage", "warn-lmem-usage", FLAG, M(warn_local), NULL,
	 "warn about stack frames"},
	{"warn-on-spills", "warn-spills", FLAG, M(warn_spills), NULL, "warn about spill code"},
	{"warning-as-error", "Werror", FLAG, M(warnings_are_errors), NULL, "warnings are errors"},
	/* Accepted, without effect. */
	{"Ofast-compile", "Ofc", NO_VALUE, 0, "LEVEL", NULL},
	{"allow-expensive-optimizations", "allow-expensive-optimizations", NO_VALUE, 0, "BOOL",
	 NULL},
	{"compiler-annotations", "annotate", NO_EFFECT, 0, NULL, NULL},
	{"disable-optimizer-constants", "disable-optimizer-consts", NO_EFFECT, 0, NULL, NULL},
	{"dont-merge-basicblocks", "no-bb-merge", NO_EFFECT, 0, NULL, NULL},
	{"extensible-whole-program", "ewp", NO_EFFECT, 0, NULL, NULL},
	{"g-tensor-memory-access-check", "g-tmem-access-check", NO_EFFECT, 0, NULL, NULL},
	{"gno-tensor-memory-access-check", "gno-tmem-access-check", NO_EFFECT, 0, NULL, NULL},
	{"legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior", NO_EFFECT, 0, NULL,
	 NULL},
	{"make-errors-visible-at-exit", "make-errors-visible-at-exit", NO_EFFECT, 0, NULL, NULL},
	{"optimize-float-atomics", "opt-fp-atomics", NO_EFFECT, 0, NULL, NULL},
	{"position-independent-code", "pic", NO_VALUE, 0, "BOOL", NULL},
	{"preserve-relocs", "preserve-relocs", NO_EFFECT, 0, NULL, NULL},
	{"regAllocOptLevel", "regAllocOptLevel", NO_VALUE, 0, "N",
	 NULL}, /* not in --help; Triton's */
	{"register-usage-level", "regUsageLevel", NO_VALUE, 0, "N", NULL},
	{"return-at-end", "ret-end", NO_EFFECT, 0, NULL, NULL},
	{"sp-bounds-check", "sp-bounds-check", NO_EFFECT, 0, NULL, NULL},
	{"suppress-async-bulk-multicast-advisory-warning",
	 "suppress-async-bulk-multicast-advisory-warning", NO_EFFECT, 0, NULL, NULL},
	{"suppress-double-demote-warning", "suppress-double-demote-warning", NO_EFFECT, 0, NULL,
	 NULL},
	{"suppress-stack-size-warning", "suppress-stack-size-warning", NO_EFFECT, 0, NULL, NULL},
	{"suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info", NO_EFFECT, 0,
	 NULL, NULL},
	/* These ask for other code; a silent program would be wrong. */
	{"compile-as-tools-patch", "astoolspatch", REFUSED, 0, NULL, NULL},
	{"device-stack-protector", "device-stack-protector", REFUSED_VALUE, 0, "BOOL", NULL},
	{"sanitize", "sanitize", REFUSED_VALUE, 0, "TOOL", NULL},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

void ptxas_print_help(void)
{
	printf("Usage: sov ptxas [OPTION]... FILE...\n"
	       "       ptxas [OPTION]... FILE...\n"
	       "Compile PTX to a cubin; sov in the place of NVIDIA's ptxas. See sov(1).\n\n");
	for (size_t k = 0; k < ROWS; k++) {
		char left[80];

		if (!rows[k].help)
			continue;
		snprintf(left, sizeof(left), "-%s, --%s%s%s", rows[k].letter, rows[k].name,
			 rows[k].value ? " " : "", rows[k].value ? rows[k].value : "");
		printf("  %-54s %s\n", left, rows[k].help);
	}
	printf("\nAccepted, without effect:\n");
	for (size_t k = 0; k < ROWS; k++)
		if (rows[k].kind == NO_EFFECT || rows[k].kind == NO_VALUE)
			printf("  -%s, --%s%s%s\n", rows[k].letter, rows[k].name,
			       rows[k].value ? " " : "", rows[k].value ? rows[k].value : "");
}

static bool add_word(struct ptxas_words *w, const char *word)
{
	const char **grown = realloc(w->word, (w->count + 2) * sizeof(*grown));

	if (!grown)
		return ptxas_fatal("out of memory");
	w->word = grown;
	grown[w->count++] = word;
	grown[w->count] = NULL;
	return true;
}

/* Keeps a text that words point into as long as the process lives, in a list by which leak
 * checkers reach it; frees it on failure. */
static bool keep_text(char *text)
{
	static struct ptxas_words kept;
	bool good = add_word(&kept, text);

	if (!good)
		free(text);
	return good;
}

/* Splits a value at its commas. */
static bool add_list(struct ptxas_words *w, const char *value)
{
	char *copy = strdup(value), *rest = copy, *word;

	if (!copy)
		return ptxas_fatal("out of memory");
	if (!keep_text(copy))
		return false;
	while ((word = strsep(&rest, ",")))
		if (*word && !add_word(w, word))
			return false;
	return true;
}

static const struct row *find_row(const char *name, size_t length, bool is_long)
{
	for (size_t k = 0; k < ROWS; k++) {
		const char *known = is_long ? rows[k].name : rows[k].letter;

		if (strlen(known) == length && !memcmp(known, name, length))
			return &rows[k];
	}
	return NULL;
}

static bool takes_value(const struct row *r)
{
	return r->value != NULL;
}

static bool parse_words(struct ptxas_request *q, int argc, char **argv, int depth);

#define MAX_OPTION_FILE_DEPTH 16

/* Splits the text of an option file into words; quotes protect blanks. */
static bool split_words(char *text, struct ptxas_words *words)
{
	char *at = text, *to;

	for (;;) {
		char quote = 0;

		at += strspn(at, " \t\r\n");
		if (!*at)
			return true;
		if (!add_word(words, at))
			return false;
		for (to = at; *at && (quote || !strchr(" \t\r\n", *at)); at++) {
			if (quote ? *at == quote : *at == '"' || *at == '\'')
				quote = quote ? 0 : *at;
			else
				*to++ = *at;
		}
		if (quote)
			return ptxas_fatal("options file: missing closing %c", quote);
		at += *at != 0;
		*to = 0;
	}
}

static bool read_option_files(struct ptxas_request *q, const char *list, int depth)
{
	struct ptxas_words files = {0};
	bool good = add_list(&files, list);

	for (uint32_t k = 0; good && k < files.count; k++) {
		struct ptxas_words words = {0};
		void *text;
		size_t size;

		good = depth < MAX_OPTION_FILE_DEPTH ||
		       ptxas_fatal("options files include each other: '%s'", files.word[k]);
		good = good && read_file(&verb_ptxas, files.word[k], &text, &size) &&
		       keep_text(text) && split_words(text, &words) &&
		       parse_words(q, (int)words.count, (char **)words.word, depth + 1);
		free(words.word);
	}
	free(files.word);
	return good;
}

static bool set_option(struct ptxas_request *q, const struct row *r, const char *word,
		       const char *value, int depth)
{
	char *member = (char *)q + r->member;
	const char **text = (const char **)member;

	switch ((enum kind)r->kind) {
	case FLAG:
		*(bool *)member = true;
		return true;
	case TEXT:
		if (*text && strcmp(*text, value))
			ptxas_warn(q, NULL, 0,
				   "incompatible redefinition for option '%s', the last value of "
				   "this option was used",
				   r->name);
		*text = value;
		return true;
	case LIST:
		return add_list((struct ptxas_words *)member, value);
	case STRINGS:
		return add_word((struct ptxas_words *)member, value);
	case OPTIONS:
		return read_option_files(q, value, depth);
	case REFUSED:
		return ptxas_fatal("option '%s' asks for code that this compiler does not generate",
				   word);
	case REFUSED_VALUE:
		return !strcmp(value, "false") ||
		       ptxas_fatal("option '%s %s' asks for code that this compiler does not "
				   "generate",
				   word, value);
	case NO_EFFECT:
	case NO_VALUE:
		break;
	}
	return true;
}

/* -O3 and -m64: the value follows the letter directly. */
static const struct row *find_glued(const char *word, const char **value)
{
	const struct row *r = find_row(word + 1, 1, false);

	if (!r || (word[1] != 'O' && word[1] != 'm') || word[2] < '0' || word[2] > '9')
		return NULL;
	*value = word + 2;
	return r;
}

static bool parse_words(struct ptxas_request *q, int argc, char **argv, int depth)
{
	for (int i = 0; i < argc; i++) {
		const char *word = argv[i], *value = NULL, *name;
		const struct row *r;
		size_t length;

		if (word[0] != '-' || !word[1]) {
			if (!add_word(&q->files, word))
				return false;
			continue;
		}
		name = word + 1 + (word[1] == '-');
		length = strcspn(name, "=");
		r = find_row(name, length, word[1] == '-');
		if (r && name[length])
			value = name + length + 1;
		if (!r && word[1] != '-')
			r = find_glued(word, &value);
		if (!r)
			return ptxas_fatal("Unknown option '%s'; ptxas --help lists the known ones",
					   word + 1);
		if (!takes_value(r) && value)
			return ptxas_fatal("no argument expected after '%.*s'",
					   (int)(name - word + (ptrdiff_t)length), word);
		if (takes_value(r) && !value && ++i == argc)
			return ptxas_fatal("argument expected after '%s'", word);
		if (takes_value(r) && !value)
			value = argv[i];
		if (!set_option(q, r, word, value, depth))
			return false;
	}
	return true;
}

bool ptxas_parse(struct ptxas_request *q, int argc, char **argv)
{
	return parse_words(q, argc, argv, 0);
}

void ptxas_free(struct ptxas_request *q)
{
	free(q->files.word);
	free(q->strings.word);
	free(q->entries.word);
}
