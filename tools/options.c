// SPDX-License-Identifier: MIT
/*
 * Table-driven option parser: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, flags, and "--", after
 * which every word is an operand. The same table prints --help.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tools/complete.h"
#include "tools/tool.h"

static void print_help(const struct verb *v, const struct option *options)
{
	printf("Usage: sov %s %s\n%s\n\n", v->name, v->usage, v->summary);
	for (const struct option *o = options; o->name; o++) {
		char left[64];

		snprintf(left, sizeof(left), "%c%c%s --%s%s%s", o->letter ? '-' : ' ',
			 o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name,
			 o->value ? " " : "", o->value ? o->value : "");
		printf("  %-24s %s\n", left, o->help);
	}
	printf("  -h, --help               print this help\n");
	if (v->details)
		printf("\n%s", v->details);
}

static const struct option *find_long_option(const struct option *options, const char *name,
					     size_t length)
{
	for (const struct option *o = options; o->name; o++)
		if (strlen(o->name) == length && !memcmp(o->name, name, length))
			return o;
	return NULL;
}

static const struct option *find_short_option(const struct option *options, const char *text)
{
	for (const struct option *o = options; o->name; o++)
		if (o->letter == text[1] && (o->value || !text[2]))
			return o;
	return NULL;
}

bool parse_options(const struct verb *v, const struct option *options, int argc, char **argv,
		   int *count, int *status)
{
	bool only_operands = false;

	*count = 0;
	*status = EXIT_USAGE;
	for (int i = 0; i < argc; i++) {
		char *word = argv[i];

		if (only_operands || word[0] != '-' || !word[1]) {
			argv[(*count)++] = word;
			only_operands |= v->command;
			continue;
		}
		if (!strcmp(word, "--")) {
			only_operands = true;
			continue;
		}
		if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
			if (completing())
				complete_options(v, options);
			else
				print_help(v, options);
			*status = EXIT_DONE;
			return false;
		}
		bool is_long = word[1] == '-';
		size_t length = is_long ? strcspn(word + 2, "=") : 0;
		const char *value = !word[2 + length] ? NULL
				    : is_long         ? word + 3 + length
						      : word + 2;
		const struct option *o = is_long ? find_long_option(options, word + 2, length)
						 : find_short_option(options, word);
		if (!o) {
			usage_error(v, "unknown option '%s'", word);
			return false;
		}
		if (!o->value && value) {
			usage_error(v, "option '--%s' takes no value, but got '%s'", o->name,
				    value);
			return false;
		}
		if (!o->value) {
			*o->flag = true;
			continue;
		}
		if (!value && ++i == argc) {
			usage_error(v, "option '%s' needs a value: %s", word, o->value);
			return false;
		}
		*o->text = value ? value : argv[i];
	}
	return true;
}

bool parse_u64(const struct verb *v, const char *what, const char *text, uint64_t low,
	       uint64_t high, uint64_t *out)
{
	char *end;

	errno = 0;
	unsigned long long n = strtoull(text, &end, 0);

	if (*text >= '0' && *text <= '9' && !*end && !errno && n >= low && n <= high) {
		*out = n;
		return true;
	}
	usage_error(v, "%s '%s' is not an integer from %llu to %llu", what, text,
		    (unsigned long long)low, (unsigned long long)high);
	return false;
}
