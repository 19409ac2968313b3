// SPDX-License-Identifier: MIT
/*
 * Shell completion. The scripts of the shells (tools/completion) know no verb and no option: they
 * ask "sov complete", which reads the same tables as the help and the parser of options.
 */
#include <string.h>
#include "libsov/compiler/base/target.h"
#include "tools/complete.h"

static struct {
	bool on;
	const char *current, *previous; /* the word to complete, and the one before it; "": none */
} state;

bool completing(void)
{
	return state.on;
}

static void print_word(const char *word, const char *description)
{
	if (!strncmp(word, state.current, strlen(state.current)))
		printf("%s\t%s\n", word, description);
}

static void print_files(void)
{
	printf(":files\n");
}

static void complete_device(void)
{
	uint32_t count = 0;

	if (sov_device_count(&count))
		return;
	for (uint32_t i = 0; i < count; i++) {
		sov_device_properties p = SOV_INIT(sov_device_properties);
		sov_device device;

		if (!sov_device_open(i, &device) && !sov_device_get_properties(device, &p))
			print_word(p.name, p.product);
	}
}

static void complete_target(void)
{
	const struct target *t;

	for (uint32_t i = 0; (t = target_at(i)); i++)
		print_word(t->name, t->family);
}

/* Values by the placeholder of the help. */
static const struct {
	const char *placeholder;
	void (*print)(void);
} values[] = {
	{"NAME|N", complete_device}, {"DEVICE", complete_device}, {"TARGET", complete_target},
	{"FILE", print_files},       {"FOLDER", print_files},
};
#define VALUES (sizeof(values) / sizeof(*values))

static void complete_value(const char *placeholder)
{
	for (size_t i = 0; i < VALUES; i++)
		if (!strcmp(values[i].placeholder, placeholder))
			values[i].print();
}

/* The option that takes the word to complete as its value; NULL: none. */
static const struct option *option_before(const struct option *options)
{
	const char *word = state.previous;

	for (const struct option *o = options; o->name; o++)
		if (o->value && ((!strncmp(word, "--", 2) && !strcmp(word + 2, o->name)) ||
				 (o->letter && word[0] == '-' && word[1] == o->letter && !word[2])))
			return o;
	return NULL;
}

void complete_options(const struct verb *v, const struct option *options)
{
	const struct option *before = option_before(options);
	char word[64];

	if (before) {
		complete_value(before->value);
		return;
	}
	if (*state.current != '-') {
		if (strstr(v->usage, "DEVICE"))
			complete_device();
		print_files();
		return;
	}
	for (const struct option *o = options; o->name; o++) {
		snprintf(word, sizeof(word), "--%s", o->name);
		print_word(word, o->help);
	}
	print_word("--help", "print help");
}

static void complete_verb(const struct verb *const *verbs, size_t count, bool others)
{
	for (size_t i = 0; i < count; i++)
		print_word(verbs[i]->name, verbs[i]->summary);
	if (!others)
		return;
	print_word("help", "Print help, or the options of a verb.");
	if (*state.current == '-') {
		print_word("--help", "print help");
		print_word("--version", "print the version");
	}
}

int complete(const struct verb *const *verbs, size_t count, int words_count, char **words)
{
	static char help[] = "--help";
	char *argument[] = {help, NULL};

	if (!words_count)
		return usage_error(NULL, "complete: missing operand: WORD");
	state.on = true;
	state.current = words[words_count - 1];
	state.previous = words_count > 1 ? words[words_count - 2] : "";
	if (words_count == 1 || !strcmp(words[0], "help")) {
		if (words_count <= 2)
			complete_verb(verbs, count, words_count == 1);
		return EXIT_DONE;
	}
	if (!strcmp(words[0], verb_ptxas.name)) /* its options are NVIDIA's */
		print_files();
	for (size_t i = 0; i < count; i++)
		if (!strcmp(words[0], verbs[i]->name) && verbs[i] != &verb_ptxas)
			return verbs[i]->run(verbs[i], 1, argument);
	return EXIT_DONE;
}
